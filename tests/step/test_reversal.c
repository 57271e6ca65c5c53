/* Slip that turns round within a step of controlled length, against Coulomb's law solved by small
 * steps of its own. */
#include "model/model.h"
#include "scene_test.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const double belt_speed = 0.7, belt_frequency = 0.77, box_length = 0.075, end = 2;

/** Place of a box on the belt at the end: v' = -mu g sgn(v - v_belt), implicit. */
static double exact_place(double mu) {
  const int n = 1000000;
  double    x = 0, v = 0, h = end / n, most = mu * g * h;
  for (int i = 1; i <= n; i++) {
    double belt = belt_speed * sin(2 * pi * belt_frequency * i * h);
    double next = v + fmin(fmax(belt - v, -most), most);
    x += 0.5 * h * (v + next), v = next;
  }
  return x;
}

static void start_belt(test_scene *s, double mu, double tolerance) {
  test_scene_init(s);
  test_add_rigid(s, "belt", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(s, "box", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .05}}, 1, 0);
  box->q0[2] = .025;
  s->geometry[0].contact.surface_amplitude[0] = belt_speed;
  s->geometry[0].contact.surface_frequency = belt_frequency;
  for (int i = 0; i < 2; i++) {
    s->geometry[i].contact.point_stiffness = 1e6;
    s->geometry[i].contact.friction = mu;
  }
  s->def.contact.model = SUP_MODEL_COUPLED;
  s->options.stiction_tolerance = 2e-3 * tolerance;
  s->options.dt = 7e-3;
  s->options.accuracy = (sup_accuracy){.tolerance = tolerance,
                                       .length = box_length,
                                       .time = .07,
                                       .min_step = 7e-7,
                                       .max_step = .07,
                                       .reference_step = .035};
  test_start(s);
}

/** Steps to the end. */
static int go(test_scene *s, int *rejected) {
  int steps = 0;
  for (*rejected = 0; s->state->time < end; steps++) {
    OK(sup_step_until(s->stepper, s->state, end, &s->report));
    *rejected += s->report.rejected;
  }
  return steps;
}

/* Doubling alone: 8, .7, 52, 86, 6 times the accuracy at mu .1, all within their estimates. */
static void a_box_on_a_swinging_belt_ends_within_the_accuracy(void) {
  static const double friction[5] = {.05, .1, .2, .3, .5},
                      tolerance[5] = {1e-2, 3e-3, 1e-3, 7.5e-4, 1e-4};
  for (int m = 0; m < 5; m++) {
    double exact = exact_place(friction[m]);
    for (int k = 0; k < 5; k++) {
      test_scene s;
      int        rejected;
      start_belt(&s, friction[m], tolerance[k]);
      int    steps = go(&s, &rejected);
      double error = fabs(s.state->q[0] - exact) / (tolerance[k] * box_length);
      printf("\n    mu %g, accuracy %g: error %.2f of it, %d steps, %d rejected ", friction[m],
             tolerance[k], error, steps, rejected);
      CHECK(error < 1);
      test_end(&s);
    }
  }
}

SUITE_TESTS(reversal, TEST(a_box_on_a_swinging_belt_ends_within_the_accuracy));
