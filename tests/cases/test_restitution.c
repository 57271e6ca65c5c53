/* R12, R13 with whole steps: a ball of 0.5 kg bounces on the floor. */
#include "scene_test.h"

static const double pi = 3.14159265358979323846, mass = .5, k = 1e5, radius = .05;

typedef struct bounce {
  double speed, depth, time; /* when it leaves; deepest; from touch to leaving */
} bounce;

/** A ball with `speed` downwards at the height `drop`; gravity acts when that is positive. */
static bounce run(const sup_contact_def *contact, sup_contact_model model, double stiffness,
                  double speed, double drop, double dt) {
  test_scene s;
  bounce     out = {0};
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *ball = test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {radius}}, mass, 0);
  ball->q0[2] = radius + drop;
  ball->v0[5] = -speed;
  for (int i = 0; i < 2; i++)
    s.geometry[i].contact = *contact, s.geometry[i].contact.point_stiffness = 2 * stiffness;
  s.def.contact.model = model;
  s.options.beta = 0;
  if (!(drop > 0)) s.options.gravity[2] = 0;
  s.options.dt = dt;
  s.options.tolerance = 1e-12;
  test_start(&s);
  double began = -1;
  for (int n = 0; n < 200000; n++) {
    test_step(&s);
    double force = test_contact_force(&s, "ball").z;
    out.depth = fmax(out.depth, radius - s.state->q[2]);
    if (force > 0 && began < 0) began = s.state->time - dt;
    if (began >= 0 && !(force > 0) && s.state->v[5] > 0) break;
  }
  out.speed = s.state->v[5];
  out.time = s.state->time - dt - began;
  test_end(&s);
  return out;
}

/** e of the catalogue within 1 % at t_c/500; at t_c/200, where the catalogue asks for 1 %, within
 * what the end-of-step law takes from an elastic bounce, exp(-pi omega dt/2): 2.4 %.  First order:
 * extrapolation meets e. */
static void check(const sup_contact_def *contact, sup_contact_model model, double speed, double e) {
  static const double share[3] = {200, 500, 1000};
  double              found[3], contact_time = pi * sqrt(mass / k);
  for (int i = 0; i < 3; i++)
    found[i] = run(contact, model, k, speed, 0, contact_time / share[i]).speed / speed;
  double loss = 1 - exp(-pi * pi / 400), order = log((found[0] - e) / (found[2] - e)) / log(5.);
  printf("\n    e %.6f: %+.2f %% at t_c/200, %+.2f %% at /500, order %.2f", e,
         100 * (found[0] / e - 1), 100 * (found[1] / e - 1), order);
  CHECK(fabs(found[0] / e - 1) < 1.02 * loss);
  NEAR(found[1], e, .01, 0);
  if (fabs(found[2] / e - 1) > 1e-4) NEAR(order, 1, 0, .05);
  NEAR((5 * found[2] - found[0]) / 4, e, 1e-3, 0);
}

static void hunt_crossley_balls_bounce_as_in_R12(void) {
  static const double rows[][2] = {
      {.01, .993377454}, {.05, .967738579}, {.1, .937475580}, {.2, .882189986}, {.5, .748434932},
      {1, .593624260},   {2, .410719686},   {5, .196980245},  {10, .099981625}, {100, .01}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sup_contact_def contact = sup_default_contact_def();
    contact.dissipation = rows[i][0];
    check(&contact, SUP_MODEL_LAGGED, 1, rows[i][1]);
  }
}

static void sap_balls_bounce_as_in_R13(void) {
  static const double rows[][2] = {{.01, .969264750}, {.1, .744079398}, {.2, .571740028},
                                   {.5, .298436059},  {.8, .179783315}, {1, .135335283},
                                   {1.5, .075588309}, {2, .047768733}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sup_contact_def contact = sup_default_contact_def();
    contact.relaxation_time = rows[i][0] / sqrt(k / mass); /* two bodies add theirs: 2 zeta/omega */
    check(&contact, SUP_MODEL_SAP, 1, rows[i][1]);
  }
}

/* d v0 = 0.5: the deepest point; without dissipation half a period. */
static void depth_and_duration_are_those_of_R12(void) {
  sup_contact_def contact = sup_default_contact_def();
  double          contact_time = pi * sqrt(mass / k), depth[2];
  contact.dissipation = .5;
  for (int i = 0; i < 2; i++)
    depth[i] = run(&contact, SUP_MODEL_LAGGED, k, 1, 0, contact_time / (i ? 1000 : 500)).depth;
  NEAR(depth[1], 1.944581e-3, .01, 0);
  NEAR(2 * depth[1] - depth[0], 1.944581e-3, 1e-3, 0);
  contact.dissipation = 0;
  NEAR(run(&contact, SUP_MODEL_LAGGED, k, 1, 0, contact_time / 1000).time, 7.024815e-3, 0,
       contact_time / 500);
}

/* Dropped from 0.5 m with d = 0.3 a ball comes up to 0.1855 m, if gravity does nothing while it
 * touches: k = 1e8 N/m. The last 0.1 mm of the fall are run. */
static void the_rebound_is_that_of_R12(void) {
  sup_contact_def contact = sup_default_contact_def();
  double          stiff = 1e8, contact_time = pi * sqrt(mass / stiff), height[2], g = 9.81;
  contact.dissipation = .3;
  for (int i = 0; i < 2; i++) {
    double v = run(&contact, SUP_MODEL_LAGGED, stiff, sqrt(2 * g * (.5 - 1e-4)), 1e-4,
                   contact_time / (i ? 2000 : 1000))
                   .speed;
    height[i] = v * v / (2 * g);
  }
  printf("rebound %.6f and %.6f m, extrapolated %.6f ", height[0], height[1],
         2 * height[1] - height[0]);
  NEAR(height[1], .185531, .01, 0);
  NEAR(2 * height[1] - height[0], .185531, 2e-3, 0);
}

/* The fewer steps a contact lasts the more it loses; it never gains. */
static void few_steps_only_lose(void) {
  sup_contact_def contact = sup_default_contact_def();
  double          contact_time = pi * sqrt(mass / k), last = .937475580;
  contact.dissipation = .1;
  for (double n = 128; n >= .125; n /= 2) {
    double e = run(&contact, SUP_MODEL_LAGGED, k, 1, 0, contact_time / n).speed;
    printf("%g: %.4f; ", n, e);
    CHECK(e < last && e >= 0);
    last = e;
  }
  CHECK(last < .02);
}

SUITE_TESTS(restitution, TEST(hunt_crossley_balls_bounce_as_in_R12),
            TEST(sap_balls_bounce_as_in_R13), TEST(depth_and_duration_are_those_of_R12),
            TEST(the_rebound_is_that_of_R12), TEST(few_steps_only_lose));
