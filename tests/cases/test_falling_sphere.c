/* R02, P0 XI-B: a sphere lands, slides and rolls, examples/falling_sphere.yaml. */
#include "example.h"

static const double U0 = 2, mu = .5, g = 9.81, drop = .05, R = .025, end = .2;

/** Coulomb, no restitution: the impact takes mu v_n at once. */
static double exact_x(double t) {
  double lands = sqrt(2 * drop / g), rolls = 2 * U0 / (7 * mu * g), v = U0 - mu * g * lands;
  double slides = fmin(t, rolls) - lands;
  if (t <= lands) return U0 * t;
  return U0 * lands + v * slides - .5 * mu * g * slides * slides + 5. / 7 * U0 * fmax(0, t - rolls);
}

typedef struct measures {
  double v, w, x, e_x,
      first; /* at the end; rms of x - exact; end of the first step with contact force */
} measures;

static measures run(int model, const char *step, const char *joint) {
  const char  *sets[] = {test_models[model], step, joint};
  measures     out = {0};
  test_example e;
  test_example_start(&e, "falling_sphere", sets, 3);
  int n = (int)lround(end / e.s.options.dt);
  CHECK(e.scene->end_time == end);
  for (int i = 0; i < n; i++) {
    test_step(&e.s);
    double error = test_example_place(&e, "sphere").x - exact_x(e.s.state->time);
    out.e_x += error * error / n;
    if (!(out.first > 0) && test_contact_force(&e.s, "sphere").z > 1e-3)
      out.first = e.s.state->time;
  }
  out.x = test_example_place(&e, "sphere").x, out.e_x = sqrt(out.e_x);
  out.v = test_example_velocity(&e, "sphere").x, out.w = test_example_spin(&e, "sphere").y;
  test_example_end(&e);
  return out;
}

static void it_rolls_with_five_sevenths_of_its_speed_whatever_the_model_and_step(void) {
  static const char *const steps[] = {"time.step=10ms", "time.step=2ms", "time.step=0.4ms"};
  static const double      dt[] = {1e-2, 2e-3, 4e-4};
  NEAR(exact_x(2 * U0 / (7 * mu * g)), .224712913, 0, 1e-9);
  NEAR(exact_x(.2), .344, 0, 3e-7); /* the catalogue rounds .343999771 */
  for (int model = 0; model < TEST_NUM_MODELS; model++)
    for (int k = 0; k < 3; k++) {
      measures r = run(model, steps[k], "rigid.sphere.joint=free");
      NEAR(r.v, 5. / 7 * U0, 0, 1e-8);
      NEAR(R * r.w, r.v, 0, 1e-8);
      NEAR(r.x, .344, 0, 1.5 * dt[k]);
    }
}

/* SAP and Similar feel the floor mu (dt + tau_d) |v_t| and mu dt |v_t| above it. */
static void contact_begins_where_the_model_says(void) {
  static const double first[TEST_NUM_MODELS] = {.100, .100, .098, .098, .096};
  for (int model = 0; model < TEST_NUM_MODELS; model++)
    NEAR(run(model, "time.step=2ms", "rigid.sphere.joint=free").first, first[model], 0, 1e-9);
}

static void positions_converge_at_first_order(void) {
  for (int model = 0; model < TEST_SAP; model++) {
    measures coarse = run(model, "time.step=2ms", "rigid.sphere.joint=free");
    measures fine = run(model, "time.step=0.4ms", "rigid.sphere.joint=free");
    double   order = log(coarse.e_x / fine.e_x) / log(5);
    CHECK(order > .9 && order < 1.3);
    printf("%.3f ", order);
  }
}

/** Gap after a step of Hunt-Crossley contact that friction does not lift: the root phi of
 *  m (v - v*) = -dt k phi (1 - d v), v = (phi - phi0)/dt; bisection on phi keeps the digits of a
 * few nanometres. */
static double impact_gap(double m, double k, double d, double dt, double phi0, double v_free) {
  double low = phi0 + dt * v_free, high = 0;
  for (int i = 0; i < 200; i++) {
    double phi = .5 * (low + high), v = (phi - phi0) / dt;
    *(m * (v - v_free) < -dt * k * phi * (1 - d * v) ? &low : &high) = phi;
  }
  return low;
}

/* Friction of the step after the first one with contact shows an error of the impact's solution
 * enlarged by a million: its bound is mu k |phi| (1 - d v) with phi of some nanometres. */
static void the_impact_is_solved_to_round_off(void) {
  const char  *sets[] = {"time.step=10ms", "rigid.sphere.joint=planar"};
  double       k = 1e7, d = 500, dt = 1e-2, phi = drop, v = 0;
  test_example e;
  test_example_start(&e, "falling_sphere", sets, 2);
  for (int i = 0; i < 9; i++) v -= dt * g, phi += dt * v;
  double gap = impact_gap(.5, k, d, dt, phi, v - dt * g);
  v = (gap - phi) / dt;
  for (int i = 0; i < 11; i++) test_step(&e.s);
  NEAR(test_contact_force(&e.s, "sphere").x, mu * k * gap * (1 - d * v), 1e-7, 0);
  test_example_end(&e);
}

/* To what the impact leaves of round-off. */
static void a_sphere_in_a_plane_moves_as_a_free_one(void) {
  for (int model = 0; model < TEST_NUM_MODELS; model++) {
    measures a = run(model, "time.step=2ms", "rigid.sphere.joint=free");
    measures b = run(model, "time.step=2ms", "rigid.sphere.joint=planar");
    NEAR(b.x, a.x, 1e-6, 0);
    NEAR(b.v, a.v, 1e-6, 0);
    NEAR(b.w, a.w, 1e-6, 0);
  }
}

SUITE_TESTS(falling_sphere,
            TEST(it_rolls_with_five_sevenths_of_its_speed_whatever_the_model_and_step),
            TEST(contact_begins_where_the_model_says), TEST(positions_converge_at_first_order),
            TEST(the_impact_is_solved_to_round_off), TEST(a_sphere_in_a_plane_moves_as_a_free_one));
