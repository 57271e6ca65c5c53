/* Barriers between soft surfaces and rigid shapes: areas, closed forms, conservation, overlap by
 * geometry, the oracle that looks at everything, what is refused. */
#include "collide/overlap.h"
#include "scene_test.h"
#include "step/stepper.h"

static const sup_shape half_space = {SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL};

/** A soft box of 40 x 40 x 20 mm whose lowest point is at height z; element 0: bricks, 1: linear,
 * 2: quadratic tetrahedra. */
static void start_box(test_scene *s, sup_shape shape, int fixed, int element, double z) {
  test_scene_init(s);
  test_add_rigid(s, "shape", shape, 1, fixed);
  sup_soft_def *box = test_add_soft_box(s, "box", .04, .04, .02, 4, 4, 2,
                                        element ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX, 2e5, 0, 1000);
  if (element == 2) test_make_quadratic(s, 0);
  double at[3] = {-.02, -.02, z};
  memcpy(box->X_WS.p, at, sizeof at);
  s->def.contact.normal_law = SUP_NORMAL_IPC_BARRIER;
  s->def.contact.barrier_range = 1e-3;
  s->def.contact.barrier_surface_energy = 1;
  s->options.tolerance = 1e-9;
  s->options.dt = 2e-3;
}

/** Deepest overlap of all pairs by geometry [m]. */
static double overlap_of(const test_scene *s) {
  sup_overlaps   o;
  sup_arena     *arena;
  sup_kinematics kin = {0};
  double         deepest = 0;
  OK(sup_arena_create(&arena, 1 << 12));
  const sup_increment inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, arena));
  OK(sup_overlaps_create(&o, s->model));
  OK(sup_overlaps_measure(&o, kin.X_WL, s->state->x));
  for (int p = 0; p < s->model->num_pairs; p++) deepest = fmax(deepest, o.depth[p]);
  sup_overlaps_free(&o);
  sup_arena_destroy(&arena);
  return deepest;
}

/** Pressure of the IPC barrier, THEORY 6.3. */
static double pressure_of(double kappa, double range, double gap) {
  double e = range - gap, k = kappa / (range * range);
  return gap < range ? k * e * (e / gap - 2 * log(gap / range)) : 0;
}

/* A block without Poisson's effect rests on a plane: the gap under every vertex is that at which
 * the law's pressure carries rho g h, the areas of the contacts that carry are its base. */
static void a_block_rests_on_the_gap_of_the_law(void) {
  for (int element = 0; element < 3; element++)
    for (int log_law = 0; log_law < 2; log_law++) {
      test_scene s;
      double     kappa = .02, range = 1e-3, p = 1000 * 9.81 * .02, area = 0, worst = 0;
      start_box(&s, half_space, 1, element, 1.5e-4);
      s.def.contact.barrier_surface_energy = kappa;
      if (log_law) s.def.contact.normal_law = SUP_NORMAL_LOG_BARRIER;
      s.def.contact.barrier_margin = 5e-3; /* not to the block's other side */
      s.soft[0].material.mass_damping = 20, s.options.dt = 4e-3;
      test_start(&s);
      for (int i = 0; i < 300; i++) test_step(&s);
      double low = 0, high = range;
      for (int i = 0; i < 100 && !log_law; i++) {
        double middle = .5 * (low + high);
        if (pressure_of(kappa, range, middle) > p)
          low = middle;
        else
          high = middle;
      }
      double                 gap = log_law ? kappa / p : low;
      const sup_step_result *r = sup_stepper_result(s.stepper);
      for (int i = 0; i < r->num_contacts; i++) {
        const sup_contact *c = &r->contact[i];
        if (c->phi > 3e-3) continue; /* sides */
        worst = fmax(worst, fabs(c->phi - gap));
        area += c->area * (c->phi < 1.5 * gap);
      }
      printf("element %d %s: gap %.1f um, off by %.2g; ", element, log_law ? "log" : "ipc",
             1e6 * gap, worst / gap);
      CHECK(worst < (element ? .05 : .01) * gap); /* weight at vertices is no even pressure */
      NEAR(area, .04 * .04, 1e-4, 0);
      NEAR(test_contact_force(&s, "box").z, .04 * .04 * p, 1e-3, 0);
      NEAR(overlap_of(&s), 0, 0, 0);
      test_end(&s);
    }
}

/** A soft box is thrown at a shape; the seed chooses all of it. */
static void start_throw(test_scene *s, uint64_t seed) {
  static const sup_shape shapes[] = {{SUP_SHAPE_SPHERE, {.012}, NULL, NULL},
                                     {SUP_SHAPE_BOX, {.03, .03, .03}, NULL, NULL},
                                     {SUP_SHAPE_CYLINDER, {.01, .03}, NULL, NULL},
                                     {SUP_SHAPE_CAPSULE, {.008, .02}, NULL, NULL},
                                     {SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL}};
  test_random            r = {seed};
  int                    kind = test_one_of(&r, 5), element = test_one_of(&r, 3);
  double                 turn[3], reach = kind == 4 ? 0 : .026;
  start_box(s, shapes[kind], test_one_of(&r, 2), element, reach + test_between(&r, 2e-4, 2e-3));
  for (int c = 0; c < 3; c++) turn[c] = test_uniform(&r);
  for (int c = 0; c < 3; c++) s->link[0][0].inertia[c] = 1e-4;
  sup_quat q = sup_quat_exp(sup_v3_load(turn));
  if (kind != 4) {
    s->link[0][0].q0[3] = q.w, s->link[0][0].q0[4] = q.x;
    s->link[0][0].q0[5] = q.y, s->link[0][0].q0[6] = q.z;
  }
  s->soft[0].v0[0] = .5 * test_uniform(&r), s->soft[0].v0[2] = -test_between(&r, .2, 1);
  s->soft[0].material.poissons_ratio = .3;
  s->def.contact.model = (sup_contact_model)test_one_of(&r, SUP_MODEL_SIMILAR_REGULARIZED + 1);
  s->def.contact.barrier_surface_energy = test_between(&r, .1, 10);
  s->options.dt = test_between(&r, 2e-4, 1e-3); /* up to the barrier's range a step */
  s->options.tolerance = 1e-10, s->options.max_iterations = 300;
  for (int g = 0; g < 2; g++) s->geometry[g].contact.friction = s->soft[0].contact.friction = .5;
}

/* Whatever is thrown at smooth shapes, nothing overlaps by geometry, and momenta balance.  Edges
 * that meet a coarse facet take more places between its points than a step has rounds for: there a
 * hundredth of the range may overlap, until it is pushed out. */
static void nothing_overlaps_that_a_barrier_keeps_apart(void) {
  double closest = HUGE_VAL, deepest = 0;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    test_scene s;
    start_throw(&s, seed);
    test_start(&s);
    for (int i = 0; i < 60; i++) {
      test_step(&s);
      const sup_step_result *r = sup_stepper_result(s.stepper);
      for (int k = 0; k < r->num_contacts; k++) closest = fmin(closest, r->contact[k].phi);
      if (i % 4 > 0) continue;
      sup_shape_type type = s.geometry[0].shape.type;
      int            has_edges = type == SUP_SHAPE_BOX || type == SUP_SHAPE_CYLINDER;
      double         overlap = overlap_of(&s);
      deepest = fmax(deepest, overlap);
      NEAR(overlap, 0, 0, has_edges ? .02 * 1e-3 : 0);
    }
    test_end(&s);
  }
  printf("closest %.2g mm, deepest %.2g mm ", 1e3 * closest, 1e3 * deepest);
  CHECK(closest > 0 && closest < 3e-4);
}

/** ||v - w|| of a soft body over ||v|| of both, in the metric of its masses. */
static double difference(const test_scene *s, const double *v, const double *w) {
  int    n = 3 * s->model->num_vertices;
  double off = 0, all = 0, *d, *Md;
  OK(SUP_CALLOC(d, n));
  OK(SUP_CALLOC(Md, n));
  for (int i = 0; i < n; i++) d[i] = v[i] - w[i];
  sup_fem_mass_multiply(s->model->soft[0].fem, d, Md);
  for (int i = 0; i < n; i++) off += d[i] * Md[i];
  sup_fem_mass_multiply(s->model->soft[0].fem, v, Md);
  for (int i = 0; i < n; i++) all += v[i] * Md[i];
  SUP_FREE(d);
  SUP_FREE(Md);
  return sqrt(off / all);
}

/* Faces that a step leaves out cannot act: each step of the throws again with every face looked at.
 */
static void what_is_beyond_reach_cannot_act(void) {
  long   more = 0, seen = 0;
  double worst = 0;
  for (uint64_t seed = 101; seed <= 130; seed++) {
    test_scene      s;
    sup_state      *all;
    sup_step_report report;
    start_throw(&s, seed);
    test_start(&s);
    OK(sup_state_create(&all, s.model, &s.options));
    for (int i = 0; i < 12; i++) {
      OK(sup_state_copy(all, s.state));
      s.stepper->contact.list.everything = 1;
      OK(sup_step(s.stepper, all, &report));
      long every = s.stepper->contact.list.count;
      s.stepper->contact.list.everything = 0;
      test_step(&s);
      seen += s.stepper->contact.list.count, more += every - s.stepper->contact.list.count;
      worst = fmax(worst, difference(&s, s.state->xdot, all->xdot));
    }
    sup_state_destroy(&all);
    test_end(&s);
  }
  printf("%ld contacts, %ld more, velocities differ by %.1e ", seen, more, worst);
  CHECK(more > seen / 2 && seen > 1000);
  CHECK(worst < 1e-7);
}

static void barriers_go_where_gaps_are_known(void) {
  test_scene s;
  start_box(&s, half_space, 1, 0, 2e-3);
  s.geometry[0].contact.modulus = 1e6;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "'shape' is compliant: the normal law ipc_barrier needs the gap between a soft and a rigid "
        "body; leave out its 'compliant'");
  s.geometry[0].contact.modulus = 0;
  sup_soft_def *other =
      test_add_soft_box(&s, "other", .01, .01, .01, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  other->X_WS.p[2] = .1;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "'box' and 'other' are soft: the normal law ipc_barrier needs the gap between a soft and a "
        "rigid body");
  test_end(&s);
  start_box(&s, half_space, 1, 0, 2e-3);
  test_start(&s);
  sup_static_options o = sup_default_static_options();
  FAILS(sup_static_step(s.stepper, s.state, &o, &s.report), SUP_E_ARG,
        "static equilibria do not take the normal law ipc_barrier of 'box' and 'shape'");
  test_end(&s);
  for (int solver = 0; solver < SUP_NUM_CONTACT_SOLVERS; solver++) {
    if (solver == SUP_CONTACT_SOLVER_NEWTON) continue;
    start_box(&s, half_space, 1, 0, 2e-3);
    s.options.contact_solver = (sup_contact_solver)solver;
    OK(sup_model_create(&s.model, &s.def));
    FAILS(sup_stepper_create(&s.stepper, s.model, &s.options), SUP_E_ARG,
          "does not take the normal law ipc_barrier of 'box' and 'shape'");
    test_end(&s);
  }
  start_box(&s, half_space, 1, 0, -1e-4);
  test_start(&s);
  FAILS(sup_step(s.stepper, s.state, &s.report), SUP_E_GEOMETRY,
        "'box' and 'shape' overlap by 0.0001 m; the normal law ipc_barrier needs a gap");
  test_end(&s);
}

SUITE_TESTS(surface_gap, TEST(a_block_rests_on_the_gap_of_the_law),
            TEST(nothing_overlaps_that_a_barrier_keeps_apart),
            TEST(what_is_beyond_reach_cannot_act), TEST(barriers_go_where_gaps_are_known));
