/* Equations of a step as functions of values: the residual of what a solver accepted, and its
 * derivative. */
#include "step/equations.h"

#include "example.h"
#include "step/stepper.h"

/** The last step of a run, seen from outside of its solver. */
typedef struct last_step {
  sup_state         *before;
  sup_increment      inc;
  sup_step_decisions decisions;
  unsigned char      is_impact[TEST_MAX_SOFTS];
  const double      *v; /* its solution */
  sup_arena         *arena;
} last_step;

static void run(test_scene *s, int steps, last_step *out) {
  OK(sup_arena_create(&out->arena, 1 << 20));
  OK(sup_state_create(&out->before, s->model, &s->options));
  for (int n = 0; n < steps; n++) {
    OK(sup_state_copy(out->before, s->state));
    test_step(s);
  }
  out->inc = sup_increment_of_state(&s->options, out->before);
  sup_stepper_last(s->stepper, &out->v, &out->decisions, out->is_impact);
}

static void end(last_step *l) {
  sup_state_destroy(&l->before);
  sup_arena_destroy(&l->arena);
}

/** sqrt(sum x^2/diag(A)). */
static double scaled_norm(const sup_assembly *a, const double *x) {
  const sup_block_pattern *P = &a->layout->A_pattern;
  double                   sum = 0;
  for (int b = 0; b < P->num_blocks; b++)
    for (int n = sup_block_size(P, b), i = 0; i < n; i++) {
      double d = sup_assembly_diagonal_block(a, b)[i * (n + 1)], y = x[sup_block_first(P, b) + i];
      sum += y * y / fabs(d);
    }
  return sqrt(sum);
}

/** Momentum error ||D r||/max(||D A v||, ||D J^T gamma||) by the equations of the step. */
static double error_of(test_scene *s, const last_step *l, const double *v) {
  const sup_step_layout *layout = s->stepper->layout;
  sup_step_equations     e;
  int                    n = layout->A_pattern.num_scalars;
  double                *r, *Av;
  OK(SUP_ARENA(l->arena, r, n));
  OK(SUP_ARENA(l->arena, Av, n));
  OK(sup_step_residual(layout, &l->inc, l->before, &l->decisions, v, l->arena, r));
  OK(sup_step_equations_create(&e, layout, &l->inc, l->before, &l->decisions, v, l->arena));
  sup_assembly_multiply(&e.assembly, v, Av);
  double residual = scaled_norm(&e.assembly, r), momentum = scaled_norm(&e.assembly, Av);
  for (int i = 0; i < n; i++) Av[i] -= e.assembly.p[i] + r[i]; /* J^T gamma */
  double error = residual / fmax(momentum, scaled_norm(&e.assembly, Av));
  sup_step_equations_free(&e);
  return error;
}

/** At the solution the residual is what the certificate says, elsewhere it is not. */
static void compare_with_certificate(test_scene *s, const last_step *l) {
  test_random random = {3};
  int         n = s->stepper->layout->A_pattern.num_scalars;
  double     *other;
  OK(SUP_ARENA(l->arena, other, n));
  for (int i = 0; i < n; i++) other[i] = l->v[i] + 1e-3 * test_uniform(&random);
  double error = error_of(s, l, l->v), beside = error_of(s, l, other);
  double told = s->report.momentum_error;
  printf("\n    %4d scalars, %3d contacts: error %.3g, certificate %.3g, beside it %.2g ", n,
         s->stepper->contact.list.count, error, told, beside);
  CHECK(error <= 1.001 * told + 1e-13);
  CHECK(beside > 100 * error);
}

/** Central difference of the residual along a random direction against H times it. */
static void compare_with_difference(test_scene *s, const last_step *l, double tolerance) {
  const sup_step_layout *layout = s->stepper->layout;
  sup_step_equations     e;
  test_random            random = {7};
  int                    n = layout->A_pattern.num_scalars;
  double                 eps = 1e-8, error = 0, size = 0, *d, *v, *r[2], *Hd;
  OK(SUP_ARENA(l->arena, d, n));
  OK(SUP_ARENA(l->arena, v, n));
  OK(SUP_ARENA(l->arena, Hd, 2 * n));
  for (int i = 0; i < n; i++) d[i] = test_uniform(&random);
  for (int side = 0; side < 2; side++) {
    OK(SUP_ARENA(l->arena, r[side], n));
    for (int i = 0; i < n; i++) v[i] = l->v[i] + (side ? eps : -eps) * d[i];
    OK(sup_step_residual(layout, &l->inc, l->before, &l->decisions, v, l->arena, r[side]));
  }
  OK(sup_step_equations_create(&e, layout, &l->inc, l->before, &l->decisions, l->v, l->arena));
  OK(sup_step_equations_multiply(&e, l->v, d, Hd));
  for (int i = 0; i < n; i++) r[0][i] = (r[1][i] - r[0][i]) / (2 * eps) - Hd[i];
  error = scaled_norm(&e.assembly, r[0]), size = scaled_norm(&e.assembly, Hd);
  printf("\n    difference of the residual less H d: %.2g of it ", error / size);
  CHECK(error <= tolerance * size);
  sup_step_equations_free(&e);
}

static void example(const char *name, const char *const *sets, int num_sets, int steps,
                    double tolerance) {
  test_example e;
  last_step    l;
  test_example_start(&e, name, sets, num_sets);
  run(&e.s, steps, &l);
  compare_with_certificate(&e.s, &l);
  compare_with_difference(&e.s, &l, tolerance);
  end(&l);
  test_example_end(&e);
}

static void a_press_of_a_finger_is_balanced(void) { example("finray_press", NULL, 0, 90, 1e-6); }

static void a_grasp_by_an_arm_is_balanced(void) { example("arm_grasp", NULL, 0, 120, 1e-6); }

/* Stiction within steps of 1e-7 m/s: the difference there errs by its second order. */
static void a_pile_of_rigid_bodies_is_balanced(void) {
  example("clutter", NULL, 0, 300, 1e-6);
  example("incline", NULL, 0, 100, 1e-6);
}

/* BDF2, but of first order in the impact, with a body that goes on by BDF2 beside it. */
static void a_body_in_an_impact_is_balanced(void) {
  test_scene s;
  last_step  l;
  test_scene_init(&s);
  for (int i = 0; i < 2; i++) {
    sup_soft_def *d = test_add_soft_box(&s, i ? "high" : "low", .06, .06, .06, 3, 3, 3,
                                        SUP_PATTERN_KUHN, 1e5, .4, 1000);
    d->X_WS.p[0] = i, d->X_WS.p[2] = .0025 + i, d->v0[2] = -1;
  }
  test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 0, 1);
  s.options.soft_bdf2 = 1, s.options.dt = 1e-3;
  test_start(&s);
  for (int n = 0; n < 10; n++) {
    run(&s, 1, &l);
    if (l.is_impact[0]) break;
    end(&l);
  }
  CHECK(l.is_impact[0] && !l.is_impact[1] && s.state->has_history[1]);
  compare_with_certificate(&s, &l);
  compare_with_difference(&s, &l, 1e-6);
  end(&l);
  test_end(&s);
}

/* A slider falls on its limit, a pendulum beside it on its own, driven against it. */
static void a_tree_at_its_limits_is_balanced(void) {
  double     time[1] = {0}, target[1] = {2};
  test_scene s;
  last_step  l;
  test_scene_init(&s);
  sup_tree_def *d = test_add_tree(&s, "arm", 2);
  for (int i = 0; i < 2; i++) {
    d->links[i].mass = 1 - .4 * i, d->links[i].com[0] = .1 * i;
    for (int k = 0; k < 3; k++) d->links[i].inertia[k] = 1e-2;
  }
  d->links[0].joint = SUP_JOINT_PRISMATIC, d->links[1].joint = SUP_JOINT_REVOLUTE;
  d->links[0].axis[0] = 0, d->links[0].axis[2] = 1;
  d->links[1].axis[0] = 0, d->links[1].axis[1] = 1;
  d->links[0].lower = -.01, d->links[0].upper = 1, d->links[1].lower = -1, d->links[1].upper = .3;
  s.actuator[0] = (sup_actuator_def){
      .marker = SUP_INITIALISED, .kp = 20, .kd = 1, .effort = 50, .target = {1, 1, time, target}};
  snprintf(s.actuator[0].joint, sizeof s.actuator[0].joint, "arm/joint1");
  s.def.num_actuators = 1;
  s.options.dt = 5e-3;
  test_start(&s);
  run(&s, 100, &l);
  CHECK(fabs(s.state->q[0] + .01) < 1e-3 && fabs(s.state->q[1] - .3) < 1e-2);
  compare_with_certificate(&s, &l);
  compare_with_difference(&s, &l, 1e-6);
  end(&l);
  test_end(&s);
}

/* Elastic forces that are not linear in a step, with stiffness damping, under a ball. */
static void a_rubber_block_under_a_ball_is_balanced(void) {
  test_scene s;
  last_step  l;
  test_scene_init(&s);
  sup_soft_def *block =
      test_add_soft_box(&s, "block", .1, .1, .05, 4, 4, 2, SUP_PATTERN_KUHN, 1e5, .4, 1000);
  block->material.model = SUP_MATERIAL_NEO_HOOKEAN;
  block->material.stiffness_damping = 1e-3;
  test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 0, 1);
  sup_link_def *ball =
      test_add_rigid(&s, "ball", (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {.03}}, 2, 0);
  ball->q0[0] = ball->q0[1] = .05, ball->q0[2] = .081;
  s.options.dt = 2e-3;
  test_start(&s);
  run(&s, 60, &l);
  CHECK(s.stepper->assembly.is_nonlinear && s.stepper->contact.list.count > 10);
  compare_with_certificate(&s, &l);
  compare_with_difference(&s, &l, 1e-6);
  end(&l);
  test_end(&s);
}

SUITE_TESTS(equations, TEST(a_press_of_a_finger_is_balanced), TEST(a_grasp_by_an_arm_is_balanced),
            TEST(a_pile_of_rigid_bodies_is_balanced), TEST(a_body_in_an_impact_is_balanced),
            TEST(a_tree_at_its_limits_is_balanced), TEST(a_rubber_block_under_a_ball_is_balanced));
