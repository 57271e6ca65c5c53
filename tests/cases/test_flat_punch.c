/* A flat rigid punch on a quarter of a soft block without friction, whose rim runs across facets.
 */
#include "scene_test.h"

static const double radius = .015, side = .03;

typedef struct punched {
  test_scene        s;
  double            time[2], motion[12];
  sup_region        base;
  sup_dirichlet_def planes[2];
} punched;

static sup_region below(int axis) {
  sup_region r = {SUP_REGION_HALF_SPACE, {0}, {0}, {0}, 1e-9, {0}};
  r.normal[axis] = 1;
  return r;
}

static void make(punched *p, double depth, sup_soft_surface surface, int is_quadratic) {
  *p = (punched){.time = {0, 1}, .motion = {[8] = -depth}, .base = below(2)};
  for (int k = 0; k < 2; k++) {
    p->planes[k] =
        (sup_dirichlet_def){.marker = SUP_INITIALISED, .axes = k ? SUP_AXIS_Y : SUP_AXIS_X};
    p->planes[k].region = below(k);
  }
  test_scene_init(&p->s);
  p->s.def.contact.soft_surface = surface;
  sup_link_def *punch =
      test_add_rigid(&p->s, "punch", (sup_shape){SUP_SHAPE_CYLINDER, {radius, .02}}, .01, 1);
  punch->geometries[0].X_LG.p[2] = .01, punch->geometries[0].contact.friction = 0;
  p->s.tree[0].motion = (sup_table){2, 6, p->time, p->motion};
  sup_soft_def *block =
      test_add_soft_box(&p->s, "block", side, side, side, 8, 8, 4,
                        is_quadratic ? SUP_PATTERN_MIRROR : SUP_PATTERN_HEX, 3e5, .4, 1000);
  if (is_quadratic) test_make_quadratic(&p->s, 0);
  block->X_WS.p[2] = -side, block->contact.friction = 0;
  block->material.model = SUP_MATERIAL_LINEAR;
  block->num_clamps = 1, block->clamps = &p->base;
  block->num_dirichlet = 2, block->dirichlet = p->planes;
  p->s.options.gravity[2] = 0;
}

/** Force of the punch at rest [N]. */
static double rest(double depth, sup_soft_surface surface, int is_quadratic) {
  punched            p;
  sup_static_options o = sup_default_static_options();
  make(&p, depth, surface, is_quadratic);
  test_start(&p.s);
  OK(sup_static_step(p.s.stepper, p.s.state, &o, &p.s.report));
  CHECK(p.s.report.linearisations < 60 && p.s.report.load_cuts == 0 && p.s.state->time == 1);
  double force = -test_contact_force(&p.s, "block").z;
  printf("%d iterations, %.5g N; ", p.s.report.linearisations, force);
  test_end(&p.s);
  return force;
}

/** The same by steps in time, long against the block's periods. */
static double settled(double depth, sup_soft_surface surface) {
  punched p;
  make(&p, depth, surface, 0);
  p.s.options.dt = .1, p.s.options.tolerance = 1e-8;
  test_start(&p.s);
  for (int i = 0; i < 15; i++) test_step(&p.s);
  double force = -test_contact_force(&p.s, "block").z;
  test_end(&p.s);
  return force;
}

/* Vertices beside the rim left the punch by nanometres, let go of what lies across it at once, were
 * pushed off by its pieces and let back: no equilibrium in any load step. */
static void a_flat_punch_comes_to_rest_and_presses_in_proportion(void) {
  static const double depth[4] = {1e-5, 1e-4, 3e-4, 6e-4};
  for (int k = 0; k < 2; k++) {
    sup_soft_surface surface = k ? SUP_SOFT_SURFACE_VERTICES : SUP_SOFT_SURFACE_POLYGONS;
    double           force[4];
    for (int i = 0; i < 4; i++) force[i] = rest(depth[i], surface, 0);
    for (int i = 1; i < 4; i++) /* but for what is of first order in d/R */
      NEAR(force[i] / depth[i], force[0] / depth[0], .6 * depth[i] / radius, 0);
    NEAR(settled(depth[2], surface), force[2], .01, 0);
    /* a quarter of 2 E* R d on a half space; this block has a floor and ends at two radii */
    CHECK(force[3] > .5 * 3e5 / (1 - .16) * radius * depth[3]);
  }
}

/* Held as far as the halves of its sides tell, a face of T10 let go of what lies across the rim and
 * was let back: load steps were cut without end. */
static void quadratic_faces_hold_by_all_of_their_sides(void) {
  double half = rest(3e-4, SUP_SOFT_SURFACE_POLYGONS, 1),
         force = rest(6e-4, SUP_SOFT_SURFACE_POLYGONS, 1);
  NEAR(force, 2 * half, .006, 0);
}

SUITE_TESTS(flat_punch, TEST(a_flat_punch_comes_to_rest_and_presses_in_proportion),
            TEST(quadratic_faces_hold_by_all_of_their_sides));
