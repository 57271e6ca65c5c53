/* Slopes from samples; gradients of whole runs against closed forms. */
#include "gradient_test.h"

/* ---- slopes ---------------------------------------------------------------------------------- */

typedef double function(double x);

static sup_slope slope_of(function *f, double x, double width) {
  sup_slope_samples s = {.x = x, .f = f(x)};
  for (int k = 0; k < SUP_NUM_WIDTHS; k++, width *= 0.1) {
    s.x_below[k] = x - width, s.f_below[k] = f(x - width);
    s.x_above[k] = x + width, s.f_above[k] = f(x + width);
  }
  return sup_slope_measure(&s, 0.01);
}

static double smooth(double x) { return sin(x) + 3; }
static void   a_smooth_function_has_its_derivative(void) {
    for (double x = 0.1; x < 3; x += 0.3) {
      sup_slope slope = slope_of(smooth, x, 1e-3);
      NEAR(slope.gradient, cos(x), 0, 1e-9);
      CHECK(fabs(slope.gradient - cos(x)) <= slope.error && slope.error < 1e-8);
      CHECK(!slope.sides_differ && !slope.widths_differ && !slope.is_zero);
  }
}

static double constant(double x) { return 7 + 0 * x; }
static void   a_constant_has_slope_zero(void) {
    sup_slope slope = slope_of(constant, 2, 1e-3);
    CHECK(slope.gradient == 0 && slope.is_zero && !slope.sides_differ && !slope.widths_differ);
}

static double kinked(double x) { return x > 1 ? 5 + 2 * (x - 1) : 5 - (x - 1); }
static void   a_kink_is_told_with_both_slopes(void) {
    sup_slope slope = slope_of(kinked, 1, 1e-3);
    CHECK(slope.sides_differ && !slope.is_zero);
    NEAR(slope.left, -1, 0, 1e-9);
    NEAR(slope.right, 2, 0, 1e-9);
    sup_slope beside = slope_of(kinked, 1 - 3e-4, 1e-3); /* within the largest width */
    CHECK(beside.widths_differ && !beside.sides_differ);
    NEAR(beside.gradient, -1, 0, 1e-6);
}

static double stepped(double x) { return 2 * x + (x > 1.00005 ? 1e-5 : 0); }
static void   a_jump_between_widths_is_told(void) {
    sup_slope slope = slope_of(stepped, 1, 1e-3);
    CHECK(slope.widths_differ);
    NEAR(slope.of_width[2], 2, 0, 1e-9);
}

static double noisy(double x) {
  double turn = sin(1e9 * x);
  return 4 + x + 1e-9 * turn;
}
static void noise_is_told_and_is_no_kink(void) {
  int kinks = 0, covered = 0;
  for (int i = 0; i < 50; i++) {
    sup_slope slope = slope_of(noisy, 1 + 0.0137 * i, 1e-3);
    kinks += slope.sides_differ || slope.widths_differ;
    covered += fabs(slope.gradient - 1) <= 3 * slope.error;
    CHECK(fabs(slope.gradient - 1) < 1e-5);
  }
  CHECK(kinks <= 2 && covered >= 45);
}

static double rooted(double x) { return x < 1 ? SUP_NO_NUMBER : x * x; }
static void   a_side_that_fails_leaves_the_other(void) {
    sup_slope slope = slope_of(rooted, 1, 1e-3);
    CHECK(slope.sides == SUP_SLOPE_ABOVE && !isfinite(slope.left));
    NEAR(slope.gradient, 2, 0, 1e-8);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static void gradients_are_those_of_closed_forms(void) {
  gradient_check_closed(1, "differences", 0);
  gradient_check_closed(0, "differences", 0);
}

/** Lame: u = p a (1 + nu)/E ((1 - 2 nu) a^2 + b^2)/(b^2 - a^2) at the inner radius, plane strain.
 */
static void gradients_of_a_cylinder_converge_in_second_order(void) {
  static const struct {
    const char *parameter;
    double      slope;
  } exact[] = {{"E", -3.05066667e-11},
               {"nu", 2.4e-5},
               {"inner", 0.0140977778},
               {"outer", -0.00323555556},
               {"p", 7.62666667e-9}};
  check_run("gradient tests/data/gradient/by_cylinder.yaml -o FOLDER/coarse -q --no-plot", 0,
            "u =");
  check_run("gradient tests/data/gradient/by_cylinder_fine.yaml -o FOLDER/fine -q --no-plot", 0,
            "u =");
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    double coarse = gradient_entry("coarse", "u", exact[i].parameter) - exact[i].slope,
           fine = gradient_entry("fine", "u", exact[i].parameter) - exact[i].slope;
    NEAR(log2(coarse / fine), 2, 0.05, 0);
  }
}

SUITE_TESTS(gradient, TEST(gradients_of_a_cylinder_converge_in_second_order),
            TEST(a_smooth_function_has_its_derivative), TEST(a_constant_has_slope_zero),
            TEST(a_kink_is_told_with_both_slopes), TEST(a_jump_between_widths_is_told),
            TEST(noise_is_told_and_is_no_kink), TEST(a_side_that_fails_leaves_the_other),
            TEST(gradients_are_those_of_closed_forms));
