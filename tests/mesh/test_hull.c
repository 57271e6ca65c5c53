#include "base/memory.h"
#include "mesh/hull.h"
#include "mesh/surface.h"
#include "test.h"

/* A box with points on its edges, faces and inside: its corners alone are the hull; its moments are
 * the closed forms.
 */
static void hull_of_a_box_has_its_corners_and_moments(void) {
  double    x[27 * 3], volume, inertia[6], size[3] = {.2, .3, .4};
  sup_hull *hull;
  sup_v3    centre;
  for (int i = 0; i < 27; i++)
    for (int k = 0; k < 3; k++)
      x[3 * i + k] = size[k] * (i / (k == 0 ? 1 : k == 1 ? 3 : 9) % 3) / 2 + .1 * k;
  OK(sup_hull_create(&hull, 27, x));
  CHECK(hull->num_points == 8 && hull->num_triangles == 12);
  sup_hull_moments(hull, &volume, &centre, inertia);
  NEAR(volume, .024, 1e-13, 0);
  NEAR(centre.z, .4, 1e-13, 0);
  NEAR(inertia[0], (.09 + .16) / 12, 1e-12, 0);
  NEAR(inertia[2], (.04 + .09) / 12, 1e-12, 0);
  NEAR(inertia[4], 0, 0, 1e-16);
  sup_hull_destroy(&hull);
}

/* Every point is inside of every face, the surface is closed, and a point of the hull appears once.
 */
static void hulls_of_random_points_are_closed_and_convex(void) {
  test_random r = {6};
  for (int n = 4; n < 200; n = 2 * n - 1) {
    double   *x;
    sup_hull *hull;
    OK(SUP_CALLOC(x, 3 * n));
    for (int i = 0; i < 3 * n; i++) x[i] = test_uniform(&r);
    OK(sup_hull_create(&hull, n, x));
    CHECK(hull->num_triangles == 2 * hull->num_points - 4); /* Euler */
    for (int t = 0; t < hull->num_triangles; t++) {
      sup_v3 a = sup_hull_corner(hull, t, 0);
      sup_v3 normal = sup_v3_unit(sup_v3_cross(sup_v3_sub(sup_hull_corner(hull, t, 1), a),
                                               sup_v3_sub(sup_hull_corner(hull, t, 2), a)));
      for (int i = 0; i < n; i++)
        CHECK(sup_v3_dot(normal, sup_v3_sub(sup_v3_load(x + 3 * i), a)) < 1e-8);
    }
    sup_surface *surface;
    double      *points, volume, inertia[6];
    int          open;
    sup_v3       centre;
    sup_shape    shape = {.type = SUP_SHAPE_CONVEX, .hull = hull};
    OK(sup_surface_of_shape(&surface, &points, &shape, 1));
    OK(sup_surface_open_edges(surface, &open));
    CHECK(open == 0);
    sup_hull_moments(hull, &volume, &centre, inertia);
    CHECK(volume > 0 && inertia[0] > 0);
    SUP_FREE(points);
    sup_surface_destroy(&surface);
    sup_hull_destroy(&hull);
    SUP_FREE(x);
  }
}

static void flat_and_few_points_are_refused(void) {
  const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, .5, .5, 0};
  sup_hull    *hull;
  FAILS(sup_hull_create(&hull, 3, x), SUP_E_GEOMETRY, "at least 4 points");
  FAILS(sup_hull_create(&hull, 5, x), SUP_E_GEOMETRY,
        "the 5 points of a convex shape lie in one plane; a solid needs");
  const double line[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, one[12] = {0};
  FAILS(sup_hull_create(&hull, 4, line), SUP_E_GEOMETRY, "on one line");
  FAILS(sup_hull_create(&hull, 4, one), SUP_E_GEOMETRY, "at one place");
  CHECK(hull == NULL);
}

/** Corners of a grid on a cube, a ball of meridians or a prism of 48 sides, turned, shifted and
 * noisy. */
static sup_v3 noisy_point(int kind, int i, double noise, test_random *r) {
  double angle = 3.14159265358979323846 / 24;
  sup_v3 p = sup_v3_make(i % 5 - 2, i / 5 % 5 - 2, i / 25 % 5 - 2);
  if (kind == 1)
    p = sup_v3_make(sin(i / 40 * 4 * angle) * cos(i * angle),
                    sin(i / 40 * 4 * angle) * sin(i * angle), cos(i / 40 * 4 * angle));
  if (kind == 2) p = sup_v3_make(cos(i * angle), sin(i * angle), i / 48);
  double a = test_uniform(r), b = test_uniform(r), c = test_uniform(r);
  return sup_v3_madd(p, noise, sup_v3_make(a, b, c));
}

/* Faces that are flat but for round-off of single precision, or noise below and above it, make
 * slivers; the hull must stay closed, its normals right: no point is above a face by more than
 * noise. */
static void hulls_of_noisy_solids_are_closed_and_convex(void) {
  test_random r = {3};
  for (int round = 0; round < 300; round++) {
    enum { N = 200 };
    double x[3 * N], noise = pow(10, -4 - 5 * fabs(test_uniform(&r))), largest = 0, above = 0;
    double ax = test_uniform(&r), ay = test_uniform(&r), az = test_uniform(&r),
           shift = round % 2 ? 5 : 0;
    sup_m3    R = sup_quat_matrix(sup_quat_exp(sup_v3_make(3 * ax, 3 * ay, 3 * az)));
    sup_hull *hull;
    for (int i = 0; i < N; i++) {
      sup_v3_store(x + 3 * i, sup_m3_apply(R, noisy_point(round % 3, i, noise, &r)));
      x[3 * i] += shift;
      for (int k = 0; k < 3; k++) {
        if (round % 4 < 2) x[3 * i + k] = (double)(float)x[3 * i + k];
        largest = fmax(largest, fabs(x[3 * i + k]));
      }
    }
    OK(sup_hull_create(&hull, N, x));
    CHECK(hull->num_triangles == 2 * hull->num_points - 4);
    for (int t = 0; t < hull->num_triangles; t++)
      for (int i = 0; i < N; i++)
        above = fmax(above,
                     sup_v3_dot(sup_hull_normal(hull, t),
                                sup_v3_sub(sup_v3_load(x + 3 * i), sup_hull_corner(hull, t, 0))));
    if (!(above < 1e-6 * largest))
      printf("\n    round %d, noise %g: %g above a face", round, noise, above);
    CHECK(above < 1e-6 * largest);
    if (round % 12 == 0 && noise < 1e-8)
      CHECK(hull->num_points <= 10); /* and not the 98 on the faces */
    sup_hull_destroy(&hull);
  }
}

SUITE_TESTS(hull, TEST(hulls_of_noisy_solids_are_closed_and_convex),
            TEST(hull_of_a_box_has_its_corners_and_moments),
            TEST(hulls_of_random_points_are_closed_and_convex),
            TEST(flat_and_few_points_are_refused));
