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
    NEAR(slope.error, 1.5, 0, 1e-9);
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
    NEAR(slope.gradient, 2, 0, 1e-9);
}

/** Bends at 1 +- 2e-5 and 1e-4: slopes of larger widths are beside the derivative, 1. */
static double bent(double x) {
  double y = x - 1, a = fmax(y - 2e-5, 0) + fmin(y + 2e-5, 0), b = fmax(y - 1e-4, 0);
  return 5 + y + a - 2 * b;
}
static void bars_of_told_kinks_cover_the_derivative(void) {
  sup_slope slope = slope_of(bent, 1, 1e-3);
  CHECK(slope.widths_differ && slope.error < 1);
  NEAR(slope.gradient, 1, 1e-9, 0);
  slope = slope_of(bent, 1, 1e-4);
  CHECK(slope.widths_differ && fabs(slope.gradient - 1) <= slope.error);
  slope = slope_of(bent, 1, 1e-2);
  CHECK(slope.sides_differ && fabs(slope.gradient - 1) <= slope.error);
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

/** FOLDER/shared.yaml := the oscillator's scene with two parameters. */
static void write_shared(const char *parameters) {
  char text[4096], folder[2048];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(text, sizeof text,
           "supple: 1\nscene: %s/tests/data/gradient/osc.yaml\nparameters:\n%s"
           "quantities: {x: {column: o.x.q}}\n",
           folder, parameters);
  app_write_file("shared.yaml", text);
}

static void a_key_has_one_value(void) {
  static const char run[] = "gradient FOLDER/shared.yaml -o FOLDER/shared -q --no-plot";
  write_shared(
      "  k: {key: actuators.k.kp, value: 40 N/m}\n"
      "  both: {key: [actuators.k.kp, actuators.k.kd], value: 2}\n");
  check_run(run, 2,
            "shared.yaml:5:9: actuators.k.kp is 40 N/m by 'k' and 2 N/m by 'both'; give both one "
            "value");
  write_shared("  k: {key: actuators.k.kp, value: 40}\n  k2: {key: actuators.k.kp, value: 40}\n");
  check_run(run, 0, "x = ");
  NEAR(gradient_entry("shared", "x", "k"), gradient_entry("shared", "x", "k2"), 1e-12, 0);
}

/** Lame: u = p a (1 + nu)/E ((1 - 2 nu) a^2 + b^2)/(b^2 - a^2) at the inner radius, plane strain.
 */
static const struct {
  const char *parameter;
  double      slope;
} exact[] = {{"E", -3.05066667e-11},
             {"nu", 2.4e-5},
             {"inner", 0.0140977778},
             {"outer", -0.00323555556},
             {"p", 7.62666667e-9}};
static void gradients_of_a_cylinder_converge_in_second_order(void) {
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

/** FOLDER/NAME.yaml := a study of tests/data/gradient on a ladder, which runs to its end. */
static void run_ladder(const char *study, const char *name, const char *ladder, int code,
                       const char *said) {
  char   path[64], text[8192], command[256], folder[2048], *read = NULL;
  size_t size;
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "tests/data/gradient/by_%s.yaml", study);
  OK(sup_file_read(path, &read, &size));
  char *scene = strstr(read, "scene: "), *set = strstr(read, "\nset:");
  if (set) set[1] = '#';
  scene[0] = '\0', scene += strlen("scene: ");
  snprintf(text, sizeof text, "%s%s\nscene: %s/tests/data/gradient/%s", read, ladder, folder,
           scene);
  snprintf(path, sizeof path, "%s.yaml", name);
  app_write_file(path, text);
  SUP_FREE(read);
  snprintf(command, sizeof command, "gradient FOLDER/%s.yaml -o FOLDER/%s -q --no-plot", name,
           name);
  check_run(command, code, said);
}

static void error_bars_of_a_ladder_cover_the_derivatives(void) {
  run_ladder(
      "cylinder", "tube",
      "ladder: {key: soft.tube.mesh.ring.cells, values: [[8, 16, 1], [16, 32, 1], [32, 64, 1]]}\n"
      "size: [4 mm, 2 mm, 1 mm]",
      0, "converged: the error of the finest level is");
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    double slope = gradient_field("tube", "u", exact[i].parameter, GRADIENT_SLOPE),
           bar = gradient_field("tube", "u", exact[i].parameter, GRADIENT_BAR);
    NEAR(gradient_field("tube", "u", exact[i].parameter, GRADIENT_ORDER), 2, 0.05, 0);
    CHECK(fabs(slope - exact[i].slope) <= bar && bar < 0.02 * fabs(slope));
    NEAR(gradient_entry("tube/level_02", "u", exact[i].parameter), slope, 2e-2, 0);
  }
}

/** A patch test has its derivatives on every mesh: the bar is that of differences alone. */
static void slopes_that_no_mesh_changes_have_the_bars_of_their_differences(void) {
  static const struct {
    const char *parameter;
    double      slope;
  } bar[] = {{"E", 1e-6}, {"b", 100}, {"L", -20}, {"d", 4000}};
  run_ladder("bar", "patches",
             "gradient: {method: differences}\n"
             "ladder: {key: soft.bar.mesh.box.cells, values: [[2, 1, 1], [4, 2, 2], [8, 4, 4]]}",
             0, "converged: the same on every level");
  for (size_t i = 0; i < sizeof bar / sizeof *bar; i++) {
    double error = gradient_entry("patches", "F", bar[i].parameter) - bar[i].slope,
           band = gradient_field("patches", "F", bar[i].parameter, GRADIENT_BAR);
    CHECK(fabs(error) <= band && band < 1e-7 * fabs(bar[i].slope));
  }
}

static void ladders_without_an_order_say_so(void) {
  run_ladder(
      "cylinder", "two",
      "ladder: [{soft.tube.mesh.ring.cells: [4, 8, 1]}, {soft.tube.mesh.ring.cells: [8, 16, 1]}]",
      0, "two levels: no order yet; add levels, three at least");
  run_ladder(
      "cylinder", "back",
      "ladder: [{soft.tube.mesh.ring.cells: [8, 16, 1]}, {soft.tube.mesh.ring.cells: [4, 8, 1]}]",
      2, "level 2 is not finer than level 1");
}

SUITE_TESTS(gradient, TEST(error_bars_of_a_ladder_cover_the_derivatives),
            TEST(slopes_that_no_mesh_changes_have_the_bars_of_their_differences),
            TEST(ladders_without_an_order_say_so),
            TEST(gradients_of_a_cylinder_converge_in_second_order),
            TEST(a_smooth_function_has_its_derivative), TEST(a_constant_has_slope_zero),
            TEST(a_kink_is_told_with_both_slopes), TEST(a_jump_between_widths_is_told),
            TEST(bars_of_told_kinks_cover_the_derivative), TEST(noise_is_told_and_is_no_kink),
            TEST(a_side_that_fails_leaves_the_other), TEST(gradients_are_those_of_closed_forms),
            TEST(a_key_has_one_value));
