#include "geom/epa.h"

#include "mesh/hull.h"
#include "test.h"

enum { NUM_SHAPES = 5 };

static const double tolerance = 1e-4; /* of the size, epa.h */

static sup_v3 random_vector(test_random *r) {
  double x = test_uniform(r), y = test_uniform(r), z = test_uniform(r);
  return sup_v3_make(x, y, z);
}

static sup_hull *random_hull(test_random *r) {
  double    x[60];
  sup_hull *hull;
  for (int i = 0; i < 60; i++) x[i] = .06 * test_uniform(r);
  OK(sup_hull_create(&hull, 20, x));
  return hull;
}

static double overlap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n) {
  return sup_v3_dot(n, sup_v3_sub(sup_support(a, n), sup_support(b, sup_v3_scale(-1, n))));
}

static void try(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n, double *least,
                sup_v3 *best) {
  double size = sup_v3_norm(n);
  if (!(size > 1e-9)) return;
  for (int sign = -1; sign <= 1; sign += 2) {
    sup_v3 m = sup_v3_scale(sign / size, n);
    double o = overlap(a, b, m);
    if (o < *least) *least = o, *best = m;
  }
}

/** Faces and edges of a polyhedron given as a hull. */
static sup_v3 edge(const sup_posed_shape *p, int t, int c) {
  sup_v3 e = sup_v3_sub(sup_hull_corner(p->shape->hull, t, (c + 1) % 3),
                        sup_hull_corner(p->shape->hull, t, c));
  return sup_m3_apply(p->X.R, e);
}

/** Least overlap of two polyhedra: their faces and pairs of edges. */
static double least_overlap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 *n) {
  double                 least = HUGE_VAL;
  const sup_posed_shape *p[2] = {a, b};
  for (int s = 0; s < 2; s++)
    for (int t = 0; t < p[s]->shape->hull->num_triangles; t++)
      try(a, b, sup_v3_cross(edge(p[s], t, 0), edge(p[s], t, 1)), &least, n);
  for (int t = 0; t < a->shape->hull->num_triangles; t++)
    for (int u = 0; u < b->shape->hull->num_triangles; u++)
      for (int c = 0; c < 9; c++)
        try(a, b, sup_v3_cross(edge(a, t, c / 3), edge(b, u, c % 3)), &least, n);
  return least;
}

/* From barely touching to concentric, turned at random and not at all. */
static sup_posed_shape place(const sup_shape *shape, test_random *r, int trial, double scale) {
  sup_v3 turn = sup_v3_scale(trial % 5 == 0 ? 0 : 3, random_vector(r));
  return (sup_posed_shape){shape,
                           {sup_quat_matrix(sup_quat_exp(turn)),
                            sup_v3_scale(trial % 7 == 0 ? 0 : scale, random_vector(r))}};
}

static void polyhedra_come_apart_by_the_least_overlap_of_faces_and_edges(void) {
  test_random r = {5};
  int         deep = 0, shallow = 0;
  for (int trial = 0; trial < 120; trial++) {
    sup_hull       *ha = random_hull(&r), *hb = random_hull(&r);
    sup_shape       sa = {SUP_SHAPE_CONVEX, {0}, ha}, sb = {SUP_SHAPE_CONVEX, {0}, hb};
    sup_posed_shape a = place(&sa, &r, trial, .01), b = place(&sb, &r, trial, .03);
    sup_v3          n;
    double          size = .03, least = least_overlap(&a, &b, &n);
    if (trial % 3 == 0) { /* barely */
      b.X.p = sup_v3_madd(b.X.p, least - 1e-6, n);
      least = least_overlap(&a, &b, &n);
    }
    CHECK(sup_epa_direction(&a, &b, size, &n) == 1);
    NEAR(sup_v3_norm(n), 1, 1e-14, 0);
    double depth = overlap(&a, &b, n);
    if (least > 0) CHECK(depth >= least - 1e-15 && depth <= least + tolerance * size);
    deep += least > .03, shallow += least > 0 && least < 2e-6;
    sup_hull_destroy(&ha);
    sup_hull_destroy(&hb);
  }
  printf("%d deep, %d shallow, ", deep, shallow);
  CHECK(deep > 50 && shallow > 30);
}

/* No sampled direction is better; rounded shapes may use up the memory, which costs some
 * tolerance.
 */
static void no_direction_separates_better(void) {
  test_random r = {8};
  sup_hull   *hull = random_hull(&r);
  sup_shape   shape[NUM_SHAPES] = {{SUP_SHAPE_CAPSULE, {.03, .1}},
                                   {SUP_SHAPE_BOX, {.1, .06, .14}},
                                   {SUP_SHAPE_CYLINDER, {.04, .1}},
                                   {SUP_SHAPE_CONVEX, {0}, hull},
                                   {SUP_SHAPE_ELLIPSOID, {.05, .03, .08}}};
  for (int trial = 0; trial < 3000; trial++) {
    int i = trial % NUM_SHAPES, j = trial / NUM_SHAPES % NUM_SHAPES;
    if (i == 0 && j == 0) continue;
    sup_posed_shape a = place(&shape[i], &r, trial, .02),
                    b = place(&shape[j], &r, trial, trial % 2 ? .02 : .06);
    sup_v3 n;
    double best = HUGE_VAL, size = .03;
    CHECK(sup_epa_direction(&a, &b, size, &n) == 1);
    double depth = overlap(&a, &b, n);
    if (depth < 0) continue; /* apart */
    for (int k = 0; k < 300; k++) {
      sup_v3 m = sup_v3_unit(k % 2 ? random_vector(&r) : sup_v3_madd(n, .1, random_vector(&r)));
      best = fmin(best, overlap(&a, &b, m));
    }
    CHECK(depth <= best + 10 * tolerance * size);
  }
  sup_hull_destroy(&hull);
}

/* Two segments in one plane, a point in a point. */
static void flat_differences_have_no_direction(void) {
  sup_shape       capsule = {SUP_SHAPE_CAPSULE, {.03, .1}}, ball = {SUP_SHAPE_SPHERE, {.03}};
  sup_posed_shape a = {&capsule, sup_frame_identity()}, b = a, c = {&ball, sup_frame_identity()};
  sup_v3          n;
  b.X.R = sup_quat_matrix(sup_quat_exp(sup_v3_make(.5, 0, 0)));
  CHECK(sup_epa_direction(&a, &b, .03, &n) == 0);
  CHECK(sup_epa_direction(&a, &a, .03, &n) == 0);
  CHECK(sup_epa_direction(&a, &c, .03, &n) == 0);
  CHECK(sup_epa_direction(&c, &c, .03, &n) == 0);
}

SUITE_TESTS(epa, TEST(polyhedra_come_apart_by_the_least_overlap_of_faces_and_edges),
            TEST(no_direction_separates_better), TEST(flat_differences_have_no_direction));
