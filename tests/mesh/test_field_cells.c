#include "base/memory.h"
#include "mesh/distribute/point_rank.h"
#include "mesh/format/convert.h"
#include "mesh/generate/field_cells.h"
#include "mesh/generate/generate.h"
#include "mesh/generate/shape_field.h"
#include "mesh/surface.h"
#include "solids.h"

static sup_mesh *box(int nx, int ny, int nz, sup_mesh_pattern pattern) {
  sup_mesh    *mesh;
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {nx, ny, nz};
  OK(sup_mesh_box(&mesh, size, n, pattern));
  return mesh;
}

static unsigned char *points_on_surface(const sup_mesh *mesh, double *area) {
  sup_surface   *surface;
  unsigned char *is_outer;
  int            open;
  sup_v3         sum;
  OK(SUP_CALLOC(is_outer, mesh->num_vertices));
  OK(sup_surface_of_mesh(&surface, mesh));
  OK(sup_surface_open_edges(surface, &open));
  CHECK(open == 0);
  *area = sup_surface_area(surface, mesh->x, &sum);
  for (int i = 0; i < 3 * surface->num_faces; i++) is_outer[surface->face[i]] = 1;
  sup_surface_destroy(&surface);
  return is_outer;
}

static void bricks_become_24_cells_that_fit_together(void) {
  sup_mesh *bricks = box(3, 2, 1, SUP_PATTERN_HEX), *t4;
  double    area;
  OK(sup_mesh_to_t4(&t4, bricks));
  CHECK(t4->num_cells == 24 * 6);
  CHECK(t4->num_vertices == bricks->num_vertices + 6 + (4 * 2 + 3 * 3 + 6 * 2));
  NEAR(sup_mesh_volume(t4), .006, 1e-13, 0);
  unsigned char *is_outer = points_on_surface(t4, &area);
  NEAR(area, 2 * (.06 + .03 + .02), 1e-13, 0);
  SUP_FREE(is_outer);
  sup_mesh_destroy(&t4);
  sup_mesh_destroy(&bricks);
}

/** A field that is zero on the surface is positive everywhere else: no cell or face or edge inside
 * has only points of the surface.  An edge on the surface has its middle on a side of the box. */
static void check_opened(const sup_mesh *mesh) {
  sup_mesh *out;
  double    area, before;
  OK(sup_mesh_open_inside(&out, mesh));
  unsigned char *is_outer = points_on_surface(out, &area),
                *was_outer = points_on_surface(mesh, &before);
  NEAR(sup_mesh_volume(out), sup_mesh_volume(mesh), 1e-12, 0);
  NEAR(area, before, 1e-12, 0);
  for (int c = 0; c < out->num_cells; c++) {
    const int *v = sup_mesh_cell(out, c);
    CHECK(sup_mesh_cell_volume(out, c) > 0);
    CHECK(!(is_outer[v[0]] && is_outer[v[1]] && is_outer[v[2]] && is_outer[v[3]]));
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < i; k++) {
        sup_v3 m =
            sup_v3_scale(.5, sup_v3_add(sup_mesh_vertex(out, v[i]), sup_mesh_vertex(out, v[k])));
        double d = fmin(fmin(fmin(m.x, .3 - m.x), fmin(m.y, .2 - m.y)), fmin(m.z, .1 - m.z));
        if (is_outer[v[i]] && is_outer[v[k]]) CHECK(fabs(d) < 1e-12);
      }
  }
  SUP_FREE(is_outer);
  SUP_FREE(was_outer);
  sup_mesh_destroy(&out);
}

static void nothing_inside_hangs_between_points_of_the_surface(void) {
  for (int n = 1; n <= 2; n++)
    for (int k = 0; k < 2; k++) {
      sup_mesh *mesh = box(3 * n, 2, n, k ? SUP_PATTERN_KUHN : SUP_PATTERN_MIRROR);
      check_opened(mesh);
      sup_mesh_destroy(&mesh);
    }
  static solid_surface s;
  solid_box(&s, .3, .2, .1);
  for (int i = 0; i < s.num_points; i++)
    s.point[3 * i] += .15, s.point[3 * i + 1] += .1, s.point[3 * i + 2] += .05;
  sup_hull *hull = solid_hull(&s);
  sup_mesh *mesh = solid_cells(hull, .2);
  check_opened(mesh);
  sup_mesh_destroy(&mesh);
  sup_hull_destroy(&hull);
}

/** Two cells on one triangle: all five points are on the surface, the triangle between them is not.
 */
static void a_face_between_points_of_the_surface_is_opened(void) {
  static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, .3, .3, -1};
  static const int    cell[8] = {0, 1, 2, 3, 0, 2, 1, 4};
  sup_mesh           *mesh, *out;
  OK(sup_mesh_create(&mesh, SUP_CELL_T4, 5, 2));
  memcpy(mesh->x, x, sizeof x);
  memcpy(mesh->cell, cell, sizeof cell);
  OK(sup_mesh_open_inside(&out, mesh));
  CHECK(out->num_vertices == 5 + 1 + 2);
  CHECK(out->num_cells == 2 * (3 + 3));
  NEAR(sup_mesh_volume(out), sup_mesh_volume(mesh), 1e-14, 0);
  for (int c = 0; c < out->num_cells; c++) CHECK(sup_mesh_cell_volume(out, c) > 0);
  sup_mesh_destroy(&out);
  sup_mesh_destroy(&mesh);
}

/* A grid of 3 x 2 x 2 points, which has many places alike, numbered anew, mirrored and moved. */
static void ranks_of_points_do_not_go_by_numbers(void) {
  enum { N = 12 };
  double x[3 * N], other[3 * N];
  int    rank[N], of_other[N];
  for (int i = 0; i < N; i++)
    sup_v3_store(x + 3 * i, sup_v3_make(.3 * (i % 3), .2 * (i / 3 % 2), .11 * (i / 6)));
  OK(sup_point_rank(N, x, rank, NULL));
  for (int i = 0; i < N; i++) memcpy(other + 3 * (5 * i % N), x + 3 * i, 3 * sizeof *x);
  OK(sup_point_rank(N, other, of_other, NULL));
  for (int i = 0; i < N; i++) CHECK(of_other[5 * i % N] == rank[i]);
  for (int i = 0; i < N; i++) x[3 * i + 2] += i % 5 ? .01 * i : 0, x[3 * i + 2] += 7;
  OK(sup_point_rank(N, x, rank, NULL));
  for (int i = 0; i < N; i++)
    sup_v3_store(other + 3 * i, sup_v3_make(x[3 * i + 2] + 1, -x[3 * i], x[3 * i + 1]));
  OK(sup_point_rank(N, other, of_other, NULL));
  for (int i = 0; i < N; i++) CHECK(of_other[i] == rank[i]);
}

/* The corners and the middles of the long edges of a brick, turned by any angle and mirrored.  One
 * point more, on no plane of symmetry, tells all of them apart. */
static void points_that_are_images_of_each_other_are_alike(void) {
  enum { N = 13 };
  double x[3 * N], other[3 * N];
  int    rank[N], alike[N], of_other[N];
  sup_m3 R = sup_quat_matrix(sup_quat_exp(sup_v3_make(.3, -1.1, .7)));
  for (int i = 0; i < 12; i++)
    sup_v3_store(x + 3 * i, sup_v3_make(.3 * (i % 3), .2 * (i / 3 % 2), .11 * (i / 6)));
  sup_v3_store(x + 36, sup_v3_make(.31, .17, .02));
  for (int n = 12; n <= N; n++) {
    OK(sup_point_rank(n, x, rank, alike));
    for (int i = 0; i < n; i++) {
      sup_v3 at = sup_v3_load(x + 3 * i);
      sup_v3_store(other + 3 * i, sup_m3_apply(R, sup_v3_make(-at.x, at.y, at.z)));
      if (n == N) CHECK(alike[i] == rank[i]);
      if (n < N) CHECK(alike[i] == (i % 3 == 1 ? 0 : 4));
    }
    OK(sup_point_rank(n, other, rank, of_other));
    for (int i = 0; i < n; i++) CHECK(of_other[i] == alike[i]);
  }
}

/** Sum over cells of their volumes times a function of their middles that no mirror keeps; `axis`:
 * of their images in the mirror along it, 3: of themselves. */
static double moment(const sup_mesh *mesh, int axis) {
  double sum = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    double m[3] = {0, 0, 0};
    for (int k = 0; k < 12; k++)
      m[k % 3] += .25 * mesh->x[3 * sup_mesh_cell(mesh, c)[k / 3] + k % 3];
    if (axis < 3) m[axis] = -m[axis];
    double even = m[0] * m[0] - .4 * m[1] * m[1] * m[2] * m[2];
    sum += sup_mesh_cell_volume(mesh, c) * even * (m[0] + .3) * (m[1] - .2) * (m[2] + .1);
  }
  return sum;
}

static void check_mirrors(const sup_shape *shape, double resolution, double volume) {
  int       is_image = shape->type != SUP_SHAPE_CONVEX; /* the facets of a hull need not be */
  sup_mesh *mesh;
  double   *extent, depth;
  OK(sup_mesh_of_shape_field(&mesh, &extent, &depth, shape, resolution, .01));
  for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_volume(mesh, c) > 0);
  for (int axis = 0; axis < 3 && is_image; axis++)
    NEAR(moment(mesh, axis), moment(mesh, 3), 1e-11, 0);
  if (volume > 0) NEAR(sup_mesh_volume(mesh), volume, 1e-11, 0);
  SUP_FREE(extent);
  sup_mesh_destroy(&mesh);
}

/* Odd and even rows of facets, facets larger than the shape, a hull whose facets join three corners
 * that are images of each other. */
static void fields_of_symmetric_shapes_are_their_own_mirror_images(void) {
  static const double    edge[4] = {1, .1, .045, .03};
  static const sup_shape box = {SUP_SHAPE_BOX, {.3, .2, .11}, NULL, NULL},
                         cube = {SUP_SHAPE_BOX, {.2, .2, .2}, NULL, NULL},
                         round[4] = {{SUP_SHAPE_SPHERE, {.1}, NULL, NULL},
                                     {SUP_SHAPE_ELLIPSOID, {.1, .07, .05}, NULL, NULL},
                                     {SUP_SHAPE_CYLINDER, {.05, .13}, NULL, NULL},
                                     {SUP_SHAPE_CAPSULE, {.05, .13}, NULL, NULL}};
  static solid_surface s;
  for (int k = 0; k < 4; k++) {
    check_mirrors(&box, edge[k], .32 * .22 * .13), check_mirrors(&cube, edge[k], .22 * .22 * .22);
    for (int i = 0; i < 4; i++) check_mirrors(&round[i], edge[k], 0);
  }
  solid_box(&s, .3, .2, .11);
  sup_shape hull = {SUP_SHAPE_CONVEX, {0}, NULL, NULL};
  hull.hull = solid_hull(&s);
  double grow = 1 + .01 / .055;
  check_mirrors(&hull, 1, .3 * .2 * .11 * grow * grow * grow);
  sup_hull_destroy(&hull.hull);
}

SUITE_TESTS(field_cells, TEST(ranks_of_points_do_not_go_by_numbers),
            TEST(points_that_are_images_of_each_other_are_alike),
            TEST(bricks_become_24_cells_that_fit_together),
            TEST(nothing_inside_hangs_between_points_of_the_surface),
            TEST(a_face_between_points_of_the_surface_is_opened),
            TEST(fields_of_symmetric_shapes_are_their_own_mirror_images));
