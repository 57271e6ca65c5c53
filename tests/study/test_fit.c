/* Least squares with bounds; fits of curves that a scene itself made. */
#include "app/app_test.h"
#include "study/fit/fit.h"

/* ---- least squares --------------------------------------------------------------------------- */

enum { M = 12, N = 3 };

/** r = J x - b for random J, b; the Jacobian itself. */
static void random_problem(uint64_t seed, double *J, double *b) {
  test_random random = {seed};
  for (int i = 0; i < M * N; i++) J[i] = test_uniform(&random);
  for (int i = 0; i < M; i++) b[i] = test_uniform(&random);
}

static double cost_at(const double *J, const double *b, const double *x, double *r) {
  for (int i = 0; i < M; i++) {
    r[i] = -b[i];
    for (int a = 0; a < N; a++) r[i] += J[i * N + a] * x[a];
  }
  return sup_least_squares_cost(M, r);
}

static void a_linear_problem_takes_one_step(void) {
  double J[M * N], b[M], r[M], x[N] = {0.3, -0.2, 0.1}, step[N];
  double low[N] = {-9, -9, -9}, high[N] = {9, 9, 9};
  for (uint64_t seed = 1; seed < 20; seed++) {
    random_problem(seed, J, b);
    double before = cost_at(J, b, x, r), end[N];
    double decrease =
        sup_least_squares_step(&(sup_least_squares){M, N, r, J, x, low, high}, 0, step);
    for (int a = 0; a < N; a++) end[a] = x[a] + step[a];
    NEAR(cost_at(J, b, end, r), before - decrease, 1e-10, 0);
    for (int a = 0; a < N; a++) { /* J^T r = 0 */
      double g = 0;
      for (int i = 0; i < M; i++) g += J[i * N + a] * r[i];
      CHECK(fabs(g) < 1e-12);
    }
  }
}

static void bounds_hold_and_fixed_parameters_let_the_others_go(void) {
  double J[M * N], b[M], r[M], low[N] = {-0.05, -9, -9}, high[N] = {0.05, 9, 9};
  for (uint64_t seed = 1; seed < 20; seed++) {
    double x[N] = {0, 0, 0}, step[N];
    random_problem(seed, J, b);
    for (int k = 0; k < 60; k++) {
      cost_at(J, b, x, r);
      sup_least_squares_step(&(sup_least_squares){M, N, r, J, x, low, high}, 0, step);
      for (int a = 0; a < N; a++) x[a] += step[a];
    }
    cost_at(J, b, x, r);
    for (int a = 0; a < N; a++) { /* a gradient is 0, or leads out of a bound */
      double g = 0;
      for (int i = 0; i < M; i++) g += J[i * N + a] * r[i];
      CHECK(x[a] >= low[a] && x[a] <= high[a]);
      CHECK(fabs(g) < 1e-10 || (x[a] == low[a] && g > 0) || (x[a] == high[a] && g < 0));
    }
  }
}

static void intervals_are_those_of_a_straight_line(void) {
  double J[M * 2], r[M], x[2] = {1, 2}, low[2] = {-9, -9}, high[2] = {9, 9}, sum = 0, square = 0;
  for (int i = 0; i < M; i++) {
    J[2 * i] = 1, J[2 * i + 1] = i, sum += i, square += i * i;
    r[i] = i % 2 ? 1 : -1;
  }
  sup_fit_statistics t;
  sup_least_squares_statistics(&(sup_least_squares){M, 2, r, J, x, low, high}, &t);
  double slope = M / (M * square - sum * sum), constant = square / (M * square - sum * sum);
  NEAR(t.by_scatter[0], 1.959964 * sqrt(constant), 1e-6, 0);
  NEAR(t.by_scatter[1], 1.959964 * sqrt(slope), 1e-6, 0);
  NEAR(t.by_residuals[1] / t.by_scatter[1], 2.228139 / 1.959964 * sqrt(M / (M - 2.0)), 1e-5, 0);
  NEAR(t.correlation[1], -sum / M / sqrt(square / M), 1e-9, 0);
  NEAR(sup_student_quantile(5), 2.570582, 2e-3, 0);
  NEAR(sup_student_quantile(100), 1.983972, 1e-6, 0);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void write_text(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
}

/** x(t) of m x'' + c x' + k x = 0 by the program's own scheme, with noise. */
static void write_oscillation(const char *name, double k, double c, double scatter, uint64_t seed) {
  double      m = 2, h = 0.01, x = 0.1, v = 0.3;
  char        text[8192];
  size_t      used = (size_t)snprintf(text, sizeof text, "time [s],x [m]\n# every 5th step\n");
  test_random random = {seed};
  for (int i = 1; i <= 100; i++) {
    v = (m * v - h * k * x) / (m + h * c + h * h * k), x += h * v;
    double noise = 0;
    for (int j = 0; j < 12; j++) noise += 0.5 * test_uniform(&random); /* variance 1 */
    if (i % 5 == 0)
      used += (size_t)snprintf(text + used, sizeof text - used, "%.12g, %.12g\n", i * h,
                               x + scatter * noise);
  }
  write_text(name, text);
}

static void write_study(const char *data, const char *parameters, const char *rest) {
  char text[4096], folder[2048];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(text, sizeof text,
           "supple: 1\nscene: %s/tests/data/gradient/osc.yaml\nparameters:\n%s"
           "fit:\n  experiments:\n    swing: {data: %s, y: {column: o.x.q}, scatter: 0.001 m}\n%s",
           folder, parameters, data, rest);
  write_text("fit.yaml", text);
}

static double number_after(const char *text, const char *word) {
  const char *at = strstr(text, word);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return strtod(at + strlen(word), NULL);
}

static const char both[] =
    "  k: {key: actuators.k.kp, value: 40 N/m, from: 1, to: 500}\n"
    "  c: {key: actuators.k.kd, value: 3 N s/m, from: 0, to: 50}\n";

static void curves_of_the_scene_give_its_parameters_back(void) {
  write_oscillation("swing.csv", 50, 1.5, 0, 1);
  write_study("swing.csv", both, "");
  const char *out = check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q --no-plot", 0, "converged");
  NEAR(number_after(out, "\nk "), 50, 1e-6, 0);
  NEAR(number_after(out, "\nc "), 1.5, 1e-5, 0);
  CHECK(access(app_arguments("FOLDER/fit/residuals.csv"), F_OK) == 0);
}

static void intervals_cover_the_truth(void) {
  enum { SEEDS = 20 };
  int covered[2] = {0, 0};
  for (int seed = 0; seed < SEEDS; seed++) {
    char name[32];
    snprintf(name, sizeof name, "swing%d.csv", seed);
    write_oscillation(name, 50, 1.5, 0.001, (uint64_t)(seed + 1));
    write_study(name, both, "");
    check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q --no-plot", 0, "converged");
    char  *text = NULL;
    size_t size;
    OK(sup_file_read(app_arguments("FOLDER/fit/fit.json"), &text, &size));
    const double truth[2] = {50, 1.5};
    const char  *at = text;
    for (int p = 0; p < 2; p++) {
      at = strstr(at, "\"from_95\":");
      CU_ASSERT_PTR_NOT_NULL_FATAL(at);
      double from = number_after(at, "\"from_95\":"), to = number_after(at, "\"to_95\":");
      covered[p] += from <= truth[p] && truth[p] <= to;
      CHECK(to - from < truth[p]);
      at++;
    }
    SUP_FREE(text);
  }
  CHECK(covered[0] >= 17 && covered[1] >= 17);
}

static void parameters_without_effect_are_named(void) {
  write_oscillation("swing.csv", 50, 1.5, 0.001, 3);
  write_study("swing.csv",
              "  k: {key: actuators.k.kp, value: 40 N/m}\n"
              "  mu: {key: contact.layer, value: 12}\n",
              "");
  check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q --no-plot", 0, "not identifiable");
  write_study("swing.csv", /* mass and stiffness and damping together: only their ratios count */
              "  k: {key: actuators.k.kp, value: 50 N/m}\n"
              "  c: {key: actuators.k.kd, value: 1.5 N s/m}\n"
              "  m: {key: robots.o.inertials.m.mass, value: 2 kg}\n",
              "set: {robots.o.inertials.m: {}}\n");
  const char *out = check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q --no-plot", 0, "together with");
  CHECK(strstr(out, "'m'") != NULL);
}

static void a_key_is_moved_by_one_parameter(void) {
  write_oscillation("swing.csv", 50, 1.5, 0, 1);
  write_study("swing.csv", "  k: {key: actuators.k.kp}\n  k2: {key: actuators.k.kp}\n", "");
  check_run("fit FOLDER/fit.yaml", 2, "'k' and 'k2' both move actuators.k.kp; keep one of them");
}

static void held_back_curves_are_predicted_and_wrong_files_are_named(void) {
  write_oscillation("swing.csv", 50, 1.5, 0, 1);
  write_oscillation("other.csv", 50, 1.5, 0, 1);
  write_study("swing.csv", both,
              "    later: {data: other.csv, y: o.x.q, held_back: true, set: {time.step: 10 ms}}\n");
  check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q --no-plot", 0, "later, predicted: error ");
  write_study("nowhere.csv", both, "");
  check_run("fit FOLDER/fit.yaml", 2, "fit.yaml:8:12: ");
  write_text("short.csv", "t,x\n0.1,0.1\n0.2,abc\n");
  write_study("short.csv", both, "");
  check_run("fit FOLDER/fit.yaml", 2, "short.csv:3:5: column 2 holds 'abc', a number was expected");
  write_text("short.csv", "t,x\n0.1,0.1\n0.2,0.1\n");
  write_study("short.csv", both, "");
  check_run("fit FOLDER/fit.yaml", 2, "2 measured points are too few for 2 parameters");
  write_text("long.csv", "t,x\n0.1,0.1\n0.2,0.1\n7,0.1\n");
  write_study("long.csv", both, "");
  check_run("fit FOLDER/fit.yaml -o FOLDER/fit -q", 2, "the measured x is 7");
}

SUITE_TESTS(fit, TEST(a_linear_problem_takes_one_step), TEST(a_key_is_moved_by_one_parameter),
            TEST(bounds_hold_and_fixed_parameters_let_the_others_go),
            TEST(intervals_are_those_of_a_straight_line),
            TEST(curves_of_the_scene_give_its_parameters_back), TEST(intervals_cover_the_truth),
            TEST(parameters_without_effect_are_named),
            TEST(held_back_curves_are_predicted_and_wrong_files_are_named));
