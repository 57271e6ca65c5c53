/* Random thin shapes with pressure fields: each builds a model.  SUPPLE_FUZZ=100000 sets the number
 * of shapes. */
#include <stdlib.h>

#include "geom/field/field.h"
#include "mesh/hull.h"
#include "mesh/surface.h"
#include "model/model.h"
#include "scene_test.h"

/** Thin in one or two directions, down to 10 um. */
static sup_shape random_shape(test_random *r) {
  static const sup_shape_type types[] = {SUP_SHAPE_BOX,     SUP_SHAPE_SPHERE,    SUP_SHAPE_CYLINDER,
                                         SUP_SHAPE_CAPSULE, SUP_SHAPE_ELLIPSOID, SUP_SHAPE_CONVEX};
  sup_shape                   shape = {.type = types[test_one_of(r, 6)]};
  for (int k = 0; k < 3; k++) shape.size[k] = test_between(r, .02, .5);
  double thin = test_between(r, 1e-5, 1e-2);
  for (int n = 1 + test_one_of(r, 2); n > 0; n--)
    shape.size[test_one_of(r, 3)] = test_one_of(r, 4) ? thin : test_between(r, 1e-5, 1e-2);
  if (shape.type != SUP_SHAPE_CONVEX) return shape;
  double points[3 * 24];
  int    n = 4 + test_one_of(r, 20),
      is_flat = test_one_of(r, 2); /* a plate: its corners are in two planes */
  for (int i = 0; i < 3 * n; i++) {
    double u = test_uniform(r);
    points[i] = shape.size[i % 3] * (is_flat && i % 3 == 2 ? copysign(1, i % 2 ? 1 : -1) : u);
  }
  if (sup_hull_create(&shape.hull, n, points) != SUP_OK)
    return random_shape(r); /* too flat to be a solid */
  return shape;
}

static sup_pose random_pose(test_random *r) {
  sup_pose pose = sup_pose_identity();
  if (test_one_of(r, 2)) return pose;
  for (int i = 0; i < 3; i++) pose.p[i] = test_uniform(r);
  double norm = 0;
  for (int i = 0; i < 4; i++) pose.q[i] = test_uniform(r), norm += pose.q[i] * pose.q[i];
  for (int i = 0; i < 4; i++) pose.q[i] /= sqrt(norm);
  return pose;
}

static long num_shapes(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        n = text ? strtol(text, NULL, 10) : 0;
  return n > 0 ? n : 400;
}

/** Volume of the part of the cells where p > 0 [m^3]; all points are at the lowest or at the
 * highest pressure. */
static double volume_inside(const sup_field *f, const sup_field_cell *cell) {
  double sum = 0;
  for (int t = 0; t < f->num_tets; t++) {
    const sup_v3 *x = cell[t].corner;
    double        volume = sup_v3_dot(sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])),
                                      sup_v3_sub(x[3], x[0])) /
                    6;
    double lowest = 0, s;
    int    num_inner = 0;
    for (int k = 0; k < 4; k++) num_inner += f->p[f->tet[4 * t + k]] > 0;
    for (int k = 0; k < 4; k++) lowest = fmin(lowest, sup_plane_value(&cell[t].pressure, x[k]));
    s = f->highest / (f->highest - lowest);
    CHECK(volume > 0 && num_inner > 0 && num_inner < 4);
    sum += volume * (num_inner == 1   ? s * s * s
                     : num_inner == 2 ? s * s * (3 - 2 * s)
                                      : s * (3 - 3 * s + s * s));
  }
  return sum;
}

static double volume_of(const sup_surface *surface, const double *points) {
  double sum = 0;
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 x[3];
    for (int c = 0; c < 3; c++) x[c] = sup_surface_corner(surface, points, t, c);
    sum += sup_v3_dot(x[0], sup_v3_cross(x[1], x[2])) / 6;
  }
  return sum;
}

/** No cell is missing, as far as the margin and as far as the long cells go. */
static void check_field(const sup_shape *shape, const sup_geometry *g) {
  const sup_field *f = g->field;
  sup_surface     *surface;
  double          *points;
  OK(sup_surface_of_shape(&surface, &points, shape, g->contact.resolution));
  double volume = volume_of(surface, points);
  NEAR(volume_inside(f, f->cell), volume, 1e-6, 0);
  CHECK(f->far == 0 || f->far >= 10 * sup_shape_radius(shape));
  if (f->far_cell) NEAR(volume_inside(f, f->far_cell), volume, 1e-6, 0);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
}

static void random_thin_shapes_carry_fields_of_their_volume(void) {
  test_random r = {5};
  for (long i = 0, n = num_shapes(); i < n && CU_get_number_of_failures() < 20; i++) {
    test_scene s;
    test_scene_init(&s);
    sup_shape shape = random_shape(&r);
    test_add_rigid(&s, "thin", shape, 1, 1);
    s.geometry[0].X_LG = random_pose(&r);
    sup_contact_def *c = &s.geometry[0].contact;
    c->modulus = test_between(&r, 1e4, 1e9);
    c->field_margin = test_one_of(&r, 4) ? test_between(&r, 1e-4, .05) : 0;
    c->resolution = c->field_resolution = sup_shape_radius(&shape) * test_between(&r, .2, 1);
    OK(sup_model_create(&s.model, &s.def));
    unsigned before = CU_get_number_of_failures();
    check_field(&shape, &s.model->geometry[0]);
    if (CU_get_number_of_failures() > before)
      printf("    %s %g x %g x %g, margin %g m\n", sup_shape_name(shape.type), shape.size[0],
             shape.size[1], shape.size[2], c->field_margin);
    if (shape.hull) sup_hull_destroy(&shape.hull);
    test_end(&s);
  }
}

SUITE_TESTS(thin_shapes, TEST(random_thin_shapes_carry_fields_of_their_volume));
