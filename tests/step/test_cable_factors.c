/* Steps with cables by the factor of an earlier step (solve/kept_matrix.h): motions are those by
 * factors of their own. */
#include "cable_test.h"

/** A bar along z of 2 x 2 x 8 bricks that is linear in a step, on its foot, with a cable of six
 * points. */
static sup_cable_def *add_bar(test_scene *s, lines *l, sup_cable_drive drive, bool stands) {
  static sup_region foot;
  foot = (sup_region){SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-6, {0}};
  sup_soft_def *d = test_add_soft_box(s, "bar", 10 * mm, 10 * mm, 80 * mm, 2, 2, 16,
                                      SUP_PATTERN_HEX, 1e6, .3, 1100);
  d->material.stiffness_damping = 10e-3;
  if (stands) d->num_clamps = 1, d->clamps = &foot;
  sup_cable_def *c = add_cable(s, l, drive);
  for (int k = 0; k < 6; k++) add_point(c, "bar", 7 * mm, 4 * mm, (8 + 13 * k) * mm);
  s->options.dt = 1e-3, s->options.gravity[2] = 0;
  return c;
}

enum { STEPS = 60 };

/** Steps, by factors that are kept; returns the number of factors. */
static int run(int kind, bool keeps, int n, double *x) {
  static double time[] = {0, .02, .021, 1}, jump[] = {0, .5, 1e4, 1e4};
  static double pull[] = {0, -.2e-3, -.2e-3, -.2e-3};
  test_scene    s;
  lines         l = {.num = 0};
  int           factors = 0;
  uint64_t      stamp = 0;
  test_scene_init(&s);
  sup_cable_def *c = add_bar(&s, &l, kind < 2 ? SUP_CABLE_TENSION : SUP_CABLE_LENGTH, kind != 4);
  c->schedule = (sup_table){4, 1, time, kind < 2 ? jump : pull};
  if (kind == 0) c->schedule.num_rows = 2; /* 1: the tension jumps to 10 kN in the last step */
  if (kind == 3) c->friction = .3, c->stiffness = 5e3;
  if (kind == 4) { /* falls on a plate */
    test_add_rigid(&s, "plate", (sup_shape){SUP_SHAPE_BOX, {100 * mm, 100 * mm, 20 * mm}}, 1, 1);
    s.def.trees[0].links[0].q0[2] = -10.2 * mm, s.options.gravity[2] = -g0;
  }
  test_start(&s);
  if (keeps) OK(sup_state_keep_matrix(s.state));
  for (int k = 0; k < (kind == 1 ? 21 : STEPS); k++) {
    test_step(&s);
    if (keeps && s.state->kept_matrix->stamp != stamp)
      stamp = s.state->kept_matrix->stamp, factors++;
  }
  for (int a = 0; a < n; a++) x[a] = s.state->x[a];
  test_end(&s);
  return factors;
}

/* Tensions, one that jumps, lengths, friction, contact: positions agree within the tolerance. */
static void kept_factors_take_cables(void) {
  enum { N = 3 * 9 * 17 };
  for (int kind = 0; kind < 5; kind++) {
    double own[N], kept[N];
    run(kind, false, N, own);
    int factors = run(kind, true, N, kept);
    for (int a = 0; a < N; a++) NEAR(kept[a], own[a], 0, kind == 4 ? 1e-8 : 1e-9);
    CHECK(factors > 0 && factors <= STEPS / 2);
  }
}

SUITE_TESTS(cable_factors, TEST(kept_factors_take_cables));
