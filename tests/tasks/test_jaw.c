/* R07, P2 VI-A: examples/shaken_mug.yaml against the exact motion in one dimension.  R29: when a
 * held mug slips. */
#include "base/table.h"
#include "scene/scene.h"
#include "scene_test.h"

typedef struct jaw {
  sup_scene      *scene;
  sup_model      *model;
  sup_state      *state;
  sup_stepper    *stepper;
  sup_step_report report;
  int             hand, mug, left, right;
} jaw;

static void load(jaw *j, const char *const *sets, int num_sets) {
  OK(sup_scene_load(&j->scene, "examples/shaken_mug.yaml", sets, num_sets));
}

static void start(jaw *j) {
  OK(sup_model_create(&j->model, &j->scene->model));
  OK(sup_state_create(&j->state, j->model, &j->scene->options));
  OK(sup_stepper_create(&j->stepper, j->model, &j->scene->options));
  j->hand = sup_model_find_body(j->model, "gripper/hand");
  j->mug = sup_model_find_body(j->model, "mug");
  j->left = sup_model_find_body(j->model, "gripper/left_finger");
  j->right = sup_model_find_body(j->model, "gripper/right_finger");
}

static void end(jaw *j) {
  sup_stepper_destroy(&j->stepper);
  sup_state_destroy(&j->state);
  sup_model_destroy(&j->model);
  sup_scene_destroy(&j->scene);
}

static void step(jaw *j) { OK(sup_step(j->stepper, j->state, &j->report)); }

/** Height of the mug above the hand, and its speed away from the hand. */
static double slip(const jaw *j, double *speed) {
  const sup_step_result *r = sup_stepper_result(j->stepper);
  *speed = r->link_v[j->mug].z - r->link_v[j->hand].z;
  return r->X_WL[j->mug].p.z - r->X_WL[j->hand].p.z;
}

/** Force of one finger on the mug along x. */
static double grip(const jaw *j, int finger) {
  const sup_step_result *r = sup_stepper_result(j->stepper);
  double                 sum = 0;
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    if (c->body_a == finger && c->body_b == j->mug) sum += c->force.x;
    if (c->body_b == finger && c->body_a == j->mug) sum -= c->force.x;
  }
  return sum;
}

/* ---- R07 ------------------------------------------------------------------------------------- */

/** Exact slip since 0.06 s, until 0.55 s: from begin to end the mug is slower than the hand, half a
 * period later faster. */
static double exact_slip(double t) {
  const double A = .15, w = 4 * 3.14159265358979323846, begin = .080002268, end = .216538044,
               brake = 20;
  double sum = 0;
  for (int half = 0; half < 2; half++) {
    double sign = half ? -1 : 1, t0 = begin, t1 = fmin(t - .25 * half, end), T = t1 - t0;
    if (T > 0)
      sum += sign * (A * w * cos(w * t0) * T - brake * T * T / 2 - A * (sin(w * t1) - sin(w * t0)));
  }
  return sum;
}

typedef struct shaking {
  double begin, end, forth, drift,
      fastest;              /* of the first slip; there; left after each period; m/s */
  double error;             /* int |slip - exact| dt until 0.5 s [m s] */
  double grip_error, apart; /* N; of the fingers, m */
} shaking;

static shaking shake(const char *model, double slip_speed, double dt) {
  char        set[3][64];
  const char *sets[3] = {set[0], set[1], set[2]};
  jaw         j;
  shaking     out = {.begin = -1, .end = -1};
  snprintf(set[0], sizeof set[0], "time.step=%g", dt);
  snprintf(set[1], sizeof set[1], "contact.model=%s", model);
  snprintf(set[2], sizeof set[2], "contact.stiction_tolerance=%g", slip_speed);
  load(&j, sets, 3);
  start(&j);
  double speed, at[4] = {0}; /* 0.05 s behind each quarter: in stiction */
  for (int n = 1; n * dt < 1.06; n++) {
    step(&j);
    double now = slip(&j, &speed), t = n * dt;
    for (int k = 0; k < 4; k++)
      if (n == lround((.06 + .25 * (k + (k > 1))) / dt)) at[k] = now; /* .06, .31, .81, 1.06 */
    if (t > .0601 && t < .5) out.error += dt * fabs(now - at[0] - exact_slip(t));
    if (t > .05) {
      out.grip_error =
          fmax(out.grip_error, fmax(fabs(grip(&j, j.left) - 10), fabs(grip(&j, j.right) + 10)));
      out.apart = fmax(out.apart, fabs(j.state->q[0] - j.state->q[1]));
    }
    if (t < .3) out.fastest = fmax(out.fastest, fabs(speed));
    int slips = t > .05 && fabs(speed) > 100 * slip_speed;
    if (slips && out.begin < 0) out.begin = t - dt / 2;
    if (!slips && out.begin >= 0 && out.end < 0) out.end = t - dt / 2;
  }
  out.forth = at[1] - at[0];
  out.drift = at[2] - at[1];
  end(&j);
  return out;
}

/* Slip there and back, its times, its speed; no ratcheting; the motor's 20 N are 10 N a finger. v_s
 * is small: at the default 1e-4 m/s the smooth law creeps into slip and ends 0.8 % farther.  P2
 * finds first order; here the hand is where it should be after each step and goes with its mean
 * velocity in between, and the mug is nearer to second order. */
static void a_shaken_mug_slips_as_in_one_dimension(void) {
  static const char *const models[3] = {"lagged", "similar", "sap"};
  static const double      dt[3] = {4e-3, 2e-3, 1e-3};
  NEAR(exact_slip(.25), .01689566105, 1e-6, 0);
  NEAR(exact_slip(.5), 0, 0, 1e-8);
  for (int m = 0; m < 3; m++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      shaking s = shake(models[m], 1e-6, dt[k]);
      error[k] = s.error;
      printf(
          "\n    %-8s dt %g: slip %.6f m (%+.2f %%), %.4f to %.4f s, %.5f m/s, drift %.1e m, error "
          "%.3e m s, grip %.1e N",
          models[m], dt[k], s.forth, 100 * (s.forth / .01689566105 - 1), s.begin, s.end, s.fastest,
          s.drift, s.error, s.grip_error);
      NEAR(s.forth, .01689566105, .004, 0);               /* the catalogue asks for 3 % */
      NEAR(s.begin, .080002268, 0, 1.5 * dt[k] + 1.2e-3); /* 0.1 mm/s after 1.1 ms of slip */
      NEAR(s.end, .216538044, 0, dt[k]);
      NEAR(s.fastest, .220019, .01, 0);
      CHECK(fabs(s.drift) < .002 * .01689566105);
      CHECK(s.grip_error <
            (m == 0 ? 1e-5
                    : .05)); /* gliding models trade friction for grip when slip begins and ends */
      CHECK(s.apart < .25 * dt[k] * dt[k]); /* the coupler's compliance under 10 N, THEORY 11 */
    }
    double order[2] = {log2(error[0] / error[1]), log2(error[1] / error[2])};
    printf(" orders %.2f %.2f", order[0], order[1]);
    for (int k = 0; k < 2; k++) CHECK(order[k] > .9);
  }
  shaking as_shipped = shake("lagged", 1e-4, 1e-3);
  printf("\n    v_s 1e-4: slip %.6f m drift %.1e", as_shipped.forth, as_shipped.drift);
  NEAR(as_shipped.forth, .01689566105, .009, 0);
}

/** Speed of the mug against the hand: its maximum behind 0.05 s. */
static double fastest_slip(double friction) {
  char        set[64];
  const char *sets[2] = {set, "contact.stiction_tolerance=1e-6"};
  jaw         j;
  double      speed, most = 0;
  snprintf(set, sizeof set, "contact.defaults.friction=%.9g", friction);
  load(&j, sets, 2);
  start(&j);
  for (int n = 0; n < 400; n++) {
    step(&j);
    slip(&j, &speed);
    if (n > 50) most = fmax(most, fabs(speed));
  }
  end(&j);
  return most;
}

static void below_the_critical_friction_it_slips(void) {
  double below = fastest_slip(.99 * .118435), above = fastest_slip(1.01 * .118435);
  printf("%.2e and %.2e m/s ", below, above);
  CHECK(below > 1e-3);
  CHECK(above < 1e-5);
}

/* ---- R29 ------------------------------------------------------------------------------------- */

/** Speed at which 0.5 kg with mu = 0.6 falls behind a hand that rises with `acceleration` for 0.2 s
 * after 0.1 s at rest. */
static double falls_behind(double acceleration, double grip_force) {
  char        set[64];
  const char *sets[] = {"gravity=[0, 0, -9.81]",           "rigid.mug.mass=0.5",
                        "rigid.mug.velocity=[0, 0, 0]",    "contact.defaults.friction=0.6",
                        "contact.stiction_tolerance=1e-5", set};
  jaw         j;
  double      speed;
  snprintf(set, sizeof set, "actuators.grip.effort=%.9g", 2 * grip_force);
  load(&j, sets, 6);
  sup_table *motion = &j.scene->model.trees[0].motion;
  sup_table_free(motion);
  *motion = (sup_table){.num_rows = 302, .width = 6};
  OK(SUP_CALLOC(motion->time, motion->num_rows));
  OK(SUP_CALLOC(motion->value, 6 * motion->num_rows));
  for (int i = 0; i < motion->num_rows; i++) {
    double t = fmax(0, (motion->time[i] = 1e-3 * i) - .1);
    motion->value[6 * i + 2] = .5 * acceleration * t * t;
  }
  start(&j);
  for (int n = 0; n < 300; n++) step(&j);
  slip(&j, &speed);
  end(&j);
  return -speed;
}

/* Two fingers hold at most 2 mu N = m (g + a): a = 14.19 m/s^2 at 10 N, 4.0875 N a finger at rest.
 */
static void a_held_mug_slips_at_the_threshold_of_R29(void) {
  double held = falls_behind(14.19 - .1, 10), lost = falls_behind(14.19 + .1, 10);
  printf("a: %.2e %.2e ", held, lost);
  CHECK(held < 5e-4);
  NEAR(lost, .1 * .2, .1, 0);
  held = falls_behind(0, 1.01 * 4.0875), lost = falls_behind(0, .99 * 4.0875);
  printf("N: %.2e %.2e m/s ", held, lost);
  CHECK(held < 5e-4);
  CHECK(lost > .01 * 9.81 * .2);
}

SUITE_TESTS(jaw, TEST(a_shaken_mug_slips_as_in_one_dimension),
            TEST(below_the_critical_friction_it_slips),
            TEST(a_held_mug_slips_at_the_threshold_of_R29));
