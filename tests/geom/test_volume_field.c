#include "base/memory.h"
#include "geom/field/harmonic.h"
#include "geom/field/mesh_field.h"
#include "geom/field/volume_field.h"
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "solids.h"

/** A field and the cells it was made for. */
typedef struct sample {
  sup_hull *hull;
  sup_mesh *cells, *mesh;
  double   *extent, depth;
} sample;

static solid_surface surface;

static sample make(double edge, sup_field_kind kind, double margin) {
  sample s;
  s.hull = solid_hull(&surface);
  s.cells = solid_cells(s.hull, edge);
  OK(sup_mesh_of_volume_field(&s.mesh, &s.extent, &s.depth, s.cells, kind, margin));
  return s;
}

static void forget(sample *s) {
  sup_hull_destroy(&s->hull);
  sup_mesh_destroy(&s->cells);
  sup_mesh_destroy(&s->mesh);
  SUP_FREE(s->extent);
}

/** Barycentric coordinates of a point in a cell; 0 outside. */
static int is_inside(const sup_mesh *m, int c, sup_v3 p, double slack, double lambda[4]) {
  const int *v = sup_mesh_cell(m, c);
  sup_v3     x0 = sup_mesh_vertex(m, v[0]), a = sup_v3_sub(sup_mesh_vertex(m, v[1]), x0);
  sup_v3 b = sup_v3_sub(sup_mesh_vertex(m, v[2]), x0), d = sup_v3_sub(sup_mesh_vertex(m, v[3]), x0),
         q = sup_v3_sub(p, x0);
  double det = sup_v3_dot(sup_v3_cross(a, b), d);
  lambda[1] = sup_v3_dot(sup_v3_cross(b, d), q) / det;
  lambda[2] = sup_v3_dot(sup_v3_cross(d, a), q) / det;
  lambda[3] = sup_v3_dot(sup_v3_cross(a, b), q) / det;
  lambda[0] = 1 - lambda[1] - lambda[2] - lambda[3];
  for (int k = 0; k < 4; k++)
    if (!(lambda[k] >= slack)) return 0;
  return 1;
}

/** Extent at a point; *count cells hold it well inside. */
static double extent_at(const sample *s, sup_v3 p, int *count) {
  double lambda[4], value = (double)NAN;
  *count = 0;
  for (int c = 0; c < s->mesh->num_cells; c++) {
    const int *v = sup_mesh_cell(s->mesh, c);
    *count += is_inside(s->mesh, c, p, 1e-6, lambda);
    if (!is_inside(s->mesh, c, p, -1e-12, lambda)) continue;
    value = 0;
    for (int k = 0; k < 4; k++) value += lambda[k] * s->extent[v[k]];
  }
  return value;
}

/* ---- distances ------------------------------------------------------------------------------- */

static void the_deepest_point_does_not_depend_on_the_cells(void) {
  for (int k = 0; k < 3; k++) {
    double edge = .04 / (1 << k);
    solid_box(&surface, .1, .12, .14);
    sample s = make(edge, SUP_FIELD_DISTANCE, 0);
    NEAR(s.depth, .05, 1e-12, 0);
    forget(&s);
    solid_angle(&surface, .1, .1); /* the ball touches two sides and the edge between the arms */
    s = make(edge, SUP_FIELD_DISTANCE, 0);
    NEAR(s.depth, .05 * sqrt(2) / (1 + sqrt(2)), 1e-12, 0);
    forget(&s);
  }
}

static void vertices_of_a_box_carry_their_distance(void) {
  solid_box(&surface, .1, .12, .14);
  sample s = make(.03, SUP_FIELD_DISTANCE, 0);
  int    num_zero = 0;
  for (int i = 0; i < s.mesh->num_vertices; i++) {
    const double *x = s.mesh->x + 3 * i;
    double        d = fmin(.05 - fabs(x[0]), fmin(.06 - fabs(x[1]), .07 - fabs(x[2])));
    NEAR(s.extent[i] * s.depth, d, 0, 1e-12);
    num_zero += s.extent[i] == 0;
  }
  CHECK(num_zero > 20 && num_zero < s.mesh->num_vertices);
  forget(&s);
}

/** Bricks whose cuts lie in the planes where the nearest side changes carry the field of a cube
 * exactly. */
static void bricks_carry_a_cube_exactly(void) {
  const double size[3] = {1, 1, 1};
  for (int n = 2; n <= 4; n += 2) {
    sup_mesh *bricks, *cells;
    sample    s;
    int       cut[3] = {n, n, n}, count;
    OK(sup_mesh_box(&bricks, size, cut, SUP_PATTERN_HEX));
    OK(sup_mesh_to_t4(&cells, bricks));
    OK(sup_mesh_of_volume_field(&s.mesh, &s.extent, &s.depth, cells, SUP_FIELD_DISTANCE, .1));
    test_random random = {7};
    for (int i = 0; i < 200; i++) {
      double x[3], d = 1;
      for (int k = 0; k < 3; k++)
        x[k] = .5 + .5 * test_uniform(&random), d = fmin(d, fmin(x[k], 1 - x[k]));
      NEAR(extent_at(&s, sup_v3_load(x), &count), d / s.depth, 0, 1e-9);
    }
    NEAR(s.depth, .5, 1e-12, 0);
    sup_mesh_destroy(&bricks);
    sup_mesh_destroy(&cells);
    sup_mesh_destroy(&s.mesh);
    SUP_FREE(s.extent);
  }
}

/* ---- harmonic -------------------------------------------------------------------------------- */

static void linear_functions_are_harmonic(void) {
  const double size[3] = {1, 2, 3};
  const int    n[3] = {3, 2, 4};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_KUHN));
  unsigned char *is_fixed = calloc((size_t)mesh->num_vertices, 1);
  double        *u = calloc((size_t)mesh->num_vertices, sizeof *u);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < mesh->num_vertices; i++) {
      const double *x = mesh->x + 3 * i;
      int           is_outer = 0;
      for (int k = 0; k < 3; k++) is_outer |= x[k] < 1e-9 || x[k] > size[k] - 1e-9;
      if (pass == 0)
        is_fixed[i] = (unsigned char)is_outer, u[i] = is_outer ? x[0] - 2 * x[1] + 3 * x[2] : 0;
      if (pass == 1) NEAR(u[i], x[0] - 2 * x[1] + 3 * x[2], 0, 1e-8);
      if (pass == 0 && i == mesh->num_vertices - 1) OK(sup_harmonic_solve(mesh, is_fixed, u));
    }
  free(is_fixed);
  free(u);
  sup_mesh_destroy(&mesh);
}

/** Between plates e = min(1, 2 d/D), away from the rim. */
static void a_harmonic_plate_is_linear_up_to_its_core(void) {
  const double size[3] = {1, 1, .2};
  const int    n[3] = {8, 8, 8};
  sup_mesh    *bricks, *cells;
  sample       s;
  int          count;
  OK(sup_mesh_box(&bricks, size, n, SUP_PATTERN_HEX));
  OK(sup_mesh_to_t4(&cells, bricks));
  OK(sup_mesh_of_volume_field(&s.mesh, &s.extent, &s.depth, cells, SUP_FIELD_HARMONIC, 0));
  for (int k = 1; k <= 10; k++)
    NEAR(extent_at(&s, sup_v3_make(.513, .521, .01 * k), &count), fmin(1, .2 * k), 0, 1e-3);
  sup_mesh_destroy(&bricks);
  sup_mesh_destroy(&cells);
  sup_mesh_destroy(&s.mesh);
  SUP_FREE(s.extent);
}

/** In a ball the core is the half of its radius: e = R/r - 1 outside. */
static void a_harmonic_ball_follows_the_potential_of_its_core(void) {
  double error[2];
  for (int k = 0; k < 2; k++) {
    int    count;
    double sum = 0;
    solid_sphere(&surface, 1, 2 + k);
    sample      s = make(.4 / (1 << k), SUP_FIELD_HARMONIC, 0);
    test_random random = {3};
    for (int i = 0; i < 60; i++) {
      sup_v3 p = sup_v3_unit(
          sup_v3_make(test_uniform(&random), test_uniform(&random), test_uniform(&random)));
      double r = .76 + .14 * test_uniform(&random), e = extent_at(&s, sup_v3_scale(r, p), &count);
      sum += fabs(e - (1 / r - 1)) / 60;
    }
    error[k] = sum;
    forget(&s);
  }
  printf("mean errors %.3f %.3f; ", error[0], error[1]);
  CHECK(error[0] < .2 && error[1] < .08 && error[1] < .6 * error[0]);
}

/* ---- margins --------------------------------------------------------------------------------- */

/** Points near the surface lie in one cell at most, and e is minus the distance over D where there
 * is space. */
static void check_margin(double margin, int num_points) {
  sample      s = make(.03, SUP_FIELD_DISTANCE, margin);
  test_random random = {11};
  sup_v3      lower, upper;
  int         outside = 0;
  sup_mesh_bounds(s.mesh, &lower, &upper);
  for (int i = 0; i < s.mesh->num_vertices; i++)
    CHECK(s.extent[i] >= -margin / s.depth * (1 + 1e-12));
  for (int c = 0; c < s.mesh->num_cells; c++) CHECK(sup_mesh_cell_volume(s.mesh, c) > 0);
  for (int i = 0; i < num_points; i++) {
    double t[3];
    int    count;
    for (int k = 0; k < 3; k++) t[k] = .5 + .5 * test_uniform(&random);
    sup_v3 p = {lower.x + t[0] * (upper.x - lower.x), lower.y + t[1] * (upper.y - lower.y),
                lower.z + t[2] * (upper.z - lower.z)};
    double e = extent_at(&s, p, &count);
    CHECK(count <= 1);
    outside += e < 0;
  }
  CHECK(outside > num_points / 100);
  forget(&s);
}

/** A slot of 4 mm between two arms. */
static void make_slot(void) {
  const double polygon[8][2] = {{0, 0},      {.1, 0},     {.1, .1},   {.052, .1},
                                {.052, .04}, {.048, .04}, {.048, .1}, {0, .1}};
  const int    end[6][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {0, 4, 5}, {0, 5, 7}, {5, 6, 7}};
  solid_prism(&surface, 8, polygon, 6, end, 0, .05);
}

static void cells_of_the_margin_never_overlap(void) {
  solid_angle(&surface, .1, .05);
  check_margin(.005, 2000);
  check_margin(.06, 2000);
  make_slot();
  check_margin(.005, 2000);
  solid_torus(&surface, .05, .02, 12, 6);
  check_margin(.005, 2000);
  check_margin(.1, 2000);
}

/** A flat side has the whole margin, also one of a body that has hollows elsewhere; the hollow has
 * what there is space for. */
static void the_margin_is_whole_where_there_is_room(void) {
  int count;
  make_slot();
  sample s = make(.03, SUP_FIELD_DISTANCE, .005);
  NEAR(extent_at(&s, sup_v3_make(.03, -.0049, .025), &count), -.0049 / s.depth, 1e-9, 0);
  NEAR(extent_at(&s, sup_v3_make(-.0049, .06, .025), &count), -.0049 / s.depth, 1e-9, 0);
  double e =
      extent_at(&s, sup_v3_make(.0485, .07, .025), &count); /* half a millimetre off, in the slot */
  NEAR(e, -.0005 / s.depth, 1e-6, 0);
  forget(&s);
  solid_sphere(&surface, .05, 2);
  s = make(.03, SUP_FIELD_DISTANCE, .02);
  double least = 0;
  for (int i = 0; i < s.mesh->num_vertices; i++) {
    least = fmin(least, s.extent[i]);
    CHECK(s.extent[i] >= 0 || fabs(s.extent[i] + .02 / s.depth) < 1e-12);
  }
  CHECK(least < 0);
  forget(&s);
}

/* ---- the shell ------------------------------------------------------------------------------- */

/** Sum over the shell's tetrahedra of their volumes times a function of their middles that no
 * mirror keeps; `sign` -1: of their images in the mirror x.  cells: of the shell, of the body. */
static double shell_moment(const sup_mesh *mesh, const sup_mesh_field *f, double sign, int cells[2],
                           double *volume) {
  SUP_FREED double *x = NULL;
  SUP_FREED sup_v3 *normal = NULL;
  double            sum = 0;
  OK(SUP_CALLOC(x, 3 * f->num_points));
  OK(SUP_CALLOC(normal, f->num_shell));
  sup_mesh_field_points(f, mesh->x, x);
  sup_mesh_field_raise(f, f->shell_width, normal, x);
  for (int t = 0; t < f->num_tets; t++) {
    sup_v3 p[4], m = {0, 0, 0};
    if (f->tet_triangle[t] == SUP_NONE) continue;
    for (int k = 0; k < 4; k++) {
      p[k] = sup_v3_load(x + 3 * f->tet[4 * t + k]), p[k].x *= sign;
      m = sup_v3_madd(m, .25, p[k]);
    }
    double six = sup_v3_dot(sup_v3_cross(sup_v3_sub(p[1], p[0]), sup_v3_sub(p[2], p[0])),
                            sup_v3_sub(p[3], p[0]));
    *volume += sign * six / 6, cells[0]++;
    sum += (m.x + .3) * (m.y - .2) * (m.z + .1) * (m.x - .5 * m.y) * fabs(six);
  }
  cells[1] = f->num_tets - cells[0];
  return sum;
}

/* Bricks and tetrahedra of a box, whose sides across its middle planes join images, and a cube of
 * one cell whose corners all are. */
static void the_shell_of_a_box_is_its_own_mirror_image(void) {
  static const int              cut[4][3] = {{1, 1, 1}, {3, 1, 2}, {2, 3, 1}, {1, 1, 1}};
  static const sup_mesh_pattern pattern[4] = {SUP_PATTERN_HEX, SUP_PATTERN_HEX, SUP_PATTERN_MIRROR,
                                              SUP_PATTERN_KUHN};
  for (int k = 0; k < 4; k++) {
    double          size[3] = {.3, k ? .2 : .3, k ? .11 : .3}, volume[2] = {0, 0}, moment[2];
    sup_mesh       *mesh;
    sup_surface    *skin;
    sup_mesh_field *f;
    int             cells[2][2] = {{0}};
    OK(sup_mesh_box(&mesh, size, cut[k], pattern[k]));
    for (int i = 0; i < mesh->num_vertices; i++)
      for (int c = 0; c < 3; c++) mesh->x[3 * i + c] -= .5 * size[c];
    OK(sup_surface_of_mesh(&skin, mesh));
    OK(sup_mesh_field_create(&f, mesh, skin));
    for (int side = 0; side < 2; side++)
      moment[side] = shell_moment(mesh, f, side ? -1 : 1, cells[side], &volume[side]);
    double w = f->shell_width, all = 1;
    for (int c = 0; c < 3; c++) all *= size[c] + 2 * w;
    CHECK(f->num_shell > f->first_middle && cells[0][0] > 0);
    NEAR(volume[0], all - size[0] * size[1] * size[2], 1e-9, 0);
    if (pattern[k] != SUP_PATTERN_KUHN) NEAR(moment[1], moment[0], 1e-9, 0);
    sup_mesh_field_destroy(&f);
    sup_surface_destroy(&skin);
    sup_mesh_destroy(&mesh);
  }
}

SUITE_TESTS(volume_field, TEST(the_deepest_point_does_not_depend_on_the_cells),
            TEST(vertices_of_a_box_carry_their_distance), TEST(bricks_carry_a_cube_exactly),
            TEST(linear_functions_are_harmonic), TEST(a_harmonic_plate_is_linear_up_to_its_core),
            TEST(a_harmonic_ball_follows_the_potential_of_its_core),
            TEST(cells_of_the_margin_never_overlap), TEST(the_margin_is_whole_where_there_is_room),
            TEST(the_shell_of_a_box_is_its_own_mirror_image));
