/* Whole steps with a ring that carries a pressure field on its cells: through its hole, on a peg,
 * on a rod. */
#include "base/memory.h"
#include "example.h"
#include "solids.h"

static const double pi = 3.14159265358979323846, ring_radius = .05, tube = .015, mass = .1,
                    g = 9.81;
static solid_surface surface;

/** A ring about z, its centre at p, turned by `angle` about x. */
static void add_ring(test_scene *s, sup_v3 p, double angle, sup_field_kind kind) {
  double volume, I[6];
  sup_v3 centre;
  solid_torus(&surface, ring_radius, tube, 24, 10);
  sup_shape shape = {.type = SUP_SHAPE_MESH, .hull = solid_hull(&surface)};
  shape.cells = solid_cells(shape.hull, .015);
  sup_link_def *l = test_add_rigid(s, "ring", shape, mass, 0);
  sup_hull_moments(shape.hull, &volume, &centre, I);
  for (int i = 0; i < 6; i++) l->inertia[i] = mass * I[i];
  sup_v3_store(l->q0, p);
  l->q0[3] = cos(angle / 2), l->q0[4] = sin(angle / 2);
  l->geometries[0].contact.modulus = 1e6;
  l->geometries[0].contact.field_kind = kind;
}

static void add_peg(test_scene *s, double radius, double length, sup_v3 p, double angle) {
  test_add_rigid(s, "peg", (sup_shape){.type = SUP_SHAPE_CYLINDER, .size = {radius, length}}, 1, 1);
  sup_tree_def *d = &s->tree[s->def.num_trees - 1];
  sup_v3_store(d->X_WB.p, p);
  d->X_WB.q[0] = cos(angle / 2), d->X_WB.q[1] = sin(angle / 2);
  d->links[0].geometries[0].contact.resolution = .006;
}

/** Run; what holds the ring in the last tenth of the time, in the mean. */
static void settle(test_scene *s, double time, double *height, double *floor_force,
                   double *peg_force) {
  s->options.dt = .002;
  test_start(s);
  int steps = (int)lround(time / s->options.dt), last = steps / 10;
  *height = *floor_force = *peg_force = 0;
  for (int i = 0; i < steps; i++) {
    test_step(s);
    if (i < steps - last) continue;
    *height += s->state->q[2] / last;
    *floor_force -= test_contact_force(s, "floor").z / last;
    *peg_force -= test_contact_force(s, "peg").z / last;
  }
  for (int i = 0; i < s->def.num_trees; i++) {
    sup_hull_destroy(&s->geometry[i].shape.hull);
    sup_mesh_destroy(&s->geometry[i].shape.cells);
  }
  test_end(s);
}

/** A ring that falls over a peg, which fits through the hole, lands on the floor and leaves the peg
 * alone. */
static void a_ring_falls_over_a_thin_peg(void) {
  static test_scene s;
  double            height, from_floor, from_peg;
  test_scene_init(&s);
  add_ring(&s, sup_v3_make(0, 0, .15), 0, SUP_FIELD_DISTANCE);
  test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 1, 1);
  add_peg(&s, .02, .2, sup_v3_make(0, 0, .1), 0);
  settle(&s, .5, &height, &from_floor, &from_peg);
  NEAR(height, tube * sin(pi * 2 / 5), 0, 2e-4); /* ten segments: the lowest two points are level */
  NEAR(from_floor, mass * g, 1e-3, 0);
  NEAR(from_peg, 0, 0, 1e-9);
}

/** A thicker one holds it: the rim of its top carries the tube. */
static void a_ring_stays_on_a_thick_peg(void) {
  for (int kind = 0; kind < 2; kind++) {
    static test_scene s;
    double            height, from_floor, from_peg;
    test_scene_init(&s);
    add_ring(&s, sup_v3_make(0, 0, .12), 0, (sup_field_kind)kind);
    test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 1, 1);
    add_peg(&s, .045, .1, sup_v3_make(0, 0, .05), 0);
    settle(&s, .5, &height, &from_floor, &from_peg);
    NEAR(height, .1 + sqrt(tube * tube - .005 * .005), 0,
         1e-3); /* facets: 24 by 10 segments, the peg's */
    NEAR(from_peg, mass * g, 5e-3, 0);
    NEAR(from_floor, 0, 0, 1e-9);
  }
}

/** Hung over a level rod, the ring's centre comes to rest below the rod by the play of the hole. */
static void a_ring_hangs_on_a_rod(void) {
  static test_scene s;
  double            height, from_floor, from_peg, play = ring_radius - tube - .02;
  test_scene_init(&s);
  add_ring(&s, sup_v3_make(0, 0, -play + .002), pi / 2, SUP_FIELD_DISTANCE);
  test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 1, 1);
  s.tree[1].X_WB.p[2] = -1;
  add_peg(&s, .02, .1, sup_v3_make(0, 0, 0), pi / 2);
  settle(&s, 1, &height, &from_floor, &from_peg);
  NEAR(height, -play, 0, 1e-3);
  NEAR(from_peg, mass * g, .02, 0);
}

/* examples/chain.yaml: rings in rings hold, and the hook gives what gravity and the motion of the
 * links take. */
static void a_chain_of_rings_swings_and_holds(void) {
  static const char *const name[] = {"hook", "A", "B", "C", "D"};
  enum { NUM_STEPS = 60, NUM_LINKS = 4 };
  test_example e;
  double       weight = 0, given = 0, momentum = 0, widest = 0;
  test_example_start(&e, "chain", NULL, 0);
  double dt = e.s.options.dt;
  int    hook = sup_model_find_body(e.s.model, "hook");
  for (int i = 0; i < NUM_STEPS; i++) {
    test_step(&e.s);
    const sup_step_result *r = sup_stepper_result(e.s.stepper);
    for (int c = 0; c < r->num_contacts; c++) {
      if (r->contact[c].body_a == hook) given += dt * r->contact[c].force.z;
      if (r->contact[c].body_b == hook) given -= dt * r->contact[c].force.z;
    }
    for (int k = 0; k < NUM_LINKS;
         k++) /* wires of 4 mm cross in bends of 12 mm: at most 36 mm from link to link */
      widest = fmax(widest, sup_v3_norm(sup_v3_sub(test_example_place(&e, name[k + 1]),
                                                   test_example_place(&e, name[k]))));
  }
  for (int k = 1; k <= NUM_LINKS; k++) {
    double link_mass = e.s.def.trees[k].links[0].mass;
    weight += link_mass * g, momentum += link_mass * test_example_velocity(&e, name[k]).z;
  }
  printf("weight %.4g N, links up to %.4g mm apart; ", weight, 1e3 * widest);
  NEAR(given, weight * NUM_STEPS * dt + momentum, 1e-4, 0);
  CHECK(widest > 34e-3 && widest < 37e-3);
  CHECK(test_example_place(&e, "D").x < -.05); /* on the other side */
  test_example_end(&e);
}

SUITE_TESTS(mesh_field, TEST(a_ring_falls_over_a_thin_peg), TEST(a_ring_stays_on_a_thick_peg),
            TEST(a_ring_hangs_on_a_rod), TEST(a_chain_of_rings_swings_and_holds));
