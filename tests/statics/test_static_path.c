/* Load steps that begin at an extrapolation of those before. */
#include "scene_test.h"

/** A quadratic bar of Neo-Hookean material along x, clamped at its root, bends under its weight. */
typedef struct bending {
  test_scene s;
  sup_region root;
} bending;

static void make_bending(bending *b) {
  test_scene_init(&b->s);
  sup_soft_def *d =
      test_add_soft_box(&b->s, "bar", .1, .01, .01, 20, 2, 2, SUP_PATTERN_KUHN, 1.5e6, .4, 1000);
  d->material.model = SUP_MATERIAL_NEO_HOOKEAN;
  b->root = (sup_region){.type = SUP_REGION_HALF_SPACE, .normal = {1, 0, 0}, .offset = 1e-9};
  d->num_clamps = 1, d->clamps = &b->root;
  test_make_quadratic(&b->s, 0);
  test_start(&b->s);
}

/** Linearisations of the load steps from state->time to `until`. */
static int load(bending *b, sup_state *state, double until, int forgets) {
  sup_static_options o = sup_default_static_options();
  int                sum = 0;
  o.steps = 20;
  while (state->time < until) {
    if (forgets) state->path_step[0] = 0;
    OK(sup_static_step(b->s.stepper, state, &o, &b->s.report));
    CHECK(b->s.report.momentum_error <= o.tolerance);
    sum += b->s.report.linearisations;
  }
  return sum;
}

static void a_smooth_path_saves_linearisations(void) {
  bending    b;
  sup_state *slow;
  make_bending(&b);
  OK(sup_state_create(&slow, b.s.model, &b.s.options));
  int n = load(&b, b.s.state, 1, 0), m = load(&b, slow, 1, 1);
  printf("%d instead of %d; ", n, m);
  CHECK(3 * n <= 2 * m);
  double deepest = 0;
  for (int i = 2; i < 3 * slow->num_vertices; i += 3)
    deepest = fmax(deepest, fabs(slow->x[i] - b.s.model->soft[0].x0[i]));
  CHECK(deepest > .005);
  for (int i = 0; i < 3 * slow->num_vertices; i++)
    NEAR(b.s.state->x[i], slow->x[i], 0, 1e-6 * deepest);
  sup_state_destroy(&slow);
  test_end(&b.s);
}

static void a_file_knows_where_load_steps_lead(void) {
  bending    b;
  sup_state *loaded, *copy;
  make_bending(&b);
  load(&b, b.s.state, .24, 0);
  CHECK(b.s.state->path_step[0] > 0 && b.s.state->path_step[1] > 0);
  OK(sup_state_save(b.s.state, "build/static_path.state"));
  OK(sup_state_load(&loaded, b.s.model, &b.s.options, "build/static_path.state"));
  OK(sup_state_create(&copy, b.s.model, &b.s.options));
  OK(sup_state_copy(copy, b.s.state));
  load(&b, b.s.state, .44, 0);
  load(&b, loaded, .44, 0);
  load(&b, copy, .44, 0);
  CHECK(sup_state_hash(loaded) == sup_state_hash(b.s.state));
  CHECK(sup_state_hash(copy) == sup_state_hash(b.s.state));
  remove("build/static_path.state");
  sup_state_destroy(&loaded), sup_state_destroy(&copy);
  test_end(&b.s);
}

static void motion_leads_elsewhere(void) {
  bending b;
  make_bending(&b);
  load(&b, b.s.state, .14, 0);
  CHECK(b.s.state->path_step[0] > 0);
  OK(sup_step(b.s.stepper, b.s.state, &b.s.report));
  CHECK(b.s.state->path_step[0] == 0);
  test_end(&b.s);
}

SUITE_TESTS(static_path, TEST(a_smooth_path_saves_linearisations),
            TEST(a_file_knows_where_load_steps_lead), TEST(motion_leads_elsewhere));
