/* Searches: closed problems of the optimizer, scenes with closed optima, logs, failures. */
#include <sys/stat.h>

#include "app/app_test.h"
#include "study/gradient/slope.h"
#include "study/optimize/optimizer.h"

/* ---- closed problems ------------------------------------------------------------------------- */

enum { N = 2, MAX_CONSTRAINTS = 2 };

typedef struct closed {
  const char *name;
  int         m;
  void (*fill)(const double *x, sup_optimizer_point *p);
  double start[N], best[N], least;
  int    taken, absent;
} closed;

static double square(double x) { return x * x; }

/** |x - (0.7, 1.2)|^2 */
static void bowl(const double *x, sup_optimizer_point *p) {
  p->f = square(x[0] - 0.7) + square(x[1] - 1.2);
  p->gradient[0] = 2 * (x[0] - 0.7), p->gradient[1] = 2 * (x[1] - 1.2);
}
/** x + y <= 0.5 */
static void line(const double *x, sup_optimizer_point *p) {
  bowl(x, p);
  p->c[0] = x[0] + x[1] - 0.5, p->jacobian[0] = p->jacobian[1] = 1;
}
/** xy >= 0.25: all about the start violates it */
static void hyperbola(const double *x, sup_optimizer_point *p) {
  p->f = x[0] + x[1], p->gradient[0] = p->gradient[1] = 1;
  p->c[0] = 0.25 - x[0] * x[1], p->jacobian[0] = -x[1], p->jacobian[1] = -x[0];
}
/** no value within 0.2 of a corner that the first steps go to */
static void hole(const double *x, sup_optimizer_point *p) {
  p->is_there = hypot(x[0] - 1, x[1] - 1) > 0.2;
  p->f = 20 * (square(x[0] - 0.95) + square(x[1] - 0.6));
  p->gradient[0] = 40 * (x[0] - 0.95), p->gradient[1] = 40 * (x[1] - 0.6);
  p->f -= 8 * x[1], p->gradient[1] -= 8;
}
static void kink(const double *x, sup_optimizer_point *p) {
  p->f = fabs(x[0] - 0.3) + square(x[1] - 0.5);
}
/** x >= 0.5, fifty times as steep as f */
static void cliff(const double *x, sup_optimizer_point *p) {
  p->f = x[0] + square(x[1] - 0.5), p->gradient[0] = 1, p->gradient[1] = 2 * (x[1] - 0.5);
  p->c[0] = exp(50 * (0.5 - x[0])) - 1;
  p->jacobian[0] = -50 * exp(50 * (0.5 - x[0])), p->jacobian[1] = 0;
}
static void infeasible(const double *x, sup_optimizer_point *p) {
  bowl(x, p);
  p->c[0] = 2 + x[0], p->jacobian[0] = 1, p->jacobian[1] = 0;
}

static sup_status evaluate(void *user, const double *x, bool with_gradient,
                           sup_optimizer_point *p) {
  closed *problem = user;
  (void)with_gradient;
  for (int i = 0; i < N; i++) CHECK(0 <= x[i] && x[i] <= 1);
  p->is_there = true;
  problem->fill(x, p);
  problem->taken++, problem->absent += !p->is_there;
  return SUP_OK;
}

static sup_optimizer_report solve(closed *problem, sup_optimizer_method method, double *x) {
  static const double  low[N] = {0, 0}, high[N] = {1, 1};
  sup_optimizer        o = {N, problem->m, low, high, method, 400, 1e-10, 1e-10, evaluate, problem};
  sup_optimizer_report report;
  memcpy(x, problem->start, sizeof problem->start);
  problem->taken = problem->absent = 0;
  OK(sup_optimizer_run(&o, x, &report));
  CHECK(report.evaluations <= 400);
  return report;
}

static void check_best(closed *problem, sup_optimizer_method method, double tolerance) {
  double               x[N];
  sup_optimizer_report report = solve(problem, method, x);
  for (int i = 0; i < N; i++)
    if (!(fabs(x[i] - problem->best[i]) <= tolerance))
      printf("\n    %s, method %d: x[%d] = %.12g, expected %.12g\n", problem->name, (int)method, i,
             x[i], problem->best[i]);
  for (int i = 0; i < N; i++) CHECK(fabs(x[i] - problem->best[i]) <= tolerance);
  CHECK(fabs(report.f - problem->least) <= tolerance);
  CHECK(report.violation <= 1e-10);
}

static void bounds_and_constraints_hold_at_the_optimum(void) {
  closed bound = {"bound", 0, bowl, {0.2, 0.1}, {0.7, 1}, 0.04, 0, 0},
         active = {"line", 1, line, {0.1, 0.2}, {0, 0.5}, 0.49 + 0.49, 0, 0};
  for (int method = SUP_OPTIMIZER_SLSQP; method <= SUP_OPTIMIZER_COBYLA; method++) {
    double tolerance = method == SUP_OPTIMIZER_COBYLA ? 1e-5 : 1e-6;
    check_best(&bound, (sup_optimizer_method)method, tolerance);
    check_best(&active, (sup_optimizer_method)method, tolerance);
  }
}

static void starts_may_be_infeasible(void) {
  closed curve = {"hyperbola", 1, hyperbola, {0.1, 0.2}, {0.5, 0.5}, 1, 0, 0};
  for (int method = SUP_OPTIMIZER_SLSQP; method <= SUP_OPTIMIZER_COBYLA; method++)
    check_best(&curve, (sup_optimizer_method)method, 2e-5);
  double               x[N];
  closed               never = {"infeasible", 1, infeasible, {0.6, 0.2}, {0, 0}, 0, 0, 0};
  sup_optimizer_report report = solve(&never, SUP_OPTIMIZER_SLSQP, x);
  NEAR(report.violation, 2, 1e-12, 0);
  CHECK(x[0] == 0);
}

static void a_steep_constraint_is_met(void) {
  double       x[N];
  const double low[N] = {0, 0}, high[N] = {1, 1};
  for (int i = 0; i < 20; i++) {
    closed        wall = {"cliff", 1, cliff, {0, 0}, {0.5, 0.5}, 0.5, 0, 0};
    sup_optimizer o = {N, 1, low, high, SUP_OPTIMIZER_SLSQP, 90, 1e-3, 1e-6, evaluate, &wall};
    sup_optimizer_report report;
    x[0] = 0.55 + 0.02 * i, x[1] = 0.1;
    OK(sup_optimizer_run(&o, x, &report));
    CHECK(report.violation <= 1e-6 && report.f < 0.5 + 1e-3);
  }
}

static void a_kink_is_met_by_values_alone(void) {
  closed               corner = {"kink", 0, kink, {0.9, 0.1}, {0.3, 0.5}, 0, 0, 0};
  double               x[N];
  sup_optimizer_report report = solve(&corner, SUP_OPTIMIZER_COBYLA, x);
  NEAR(x[0], 0.3, 1e-6, 0);
  CHECK(report.f < 1e-4 && report.evaluations < 200); /* steps begin at a tenth of the ranges */
}

static void points_without_value_shorten_steps(void) {
  closed gap = {"hole", 0, hole, {0.1, 0.9}, {0.95, 0.8}, 20 * 0.04 - 6.4, 0, 0};
  for (int method = SUP_OPTIMIZER_SLSQP; method <= SUP_OPTIMIZER_COBYLA; method++) {
    check_best(&gap, (sup_optimizer_method)method, 1e-4);
    CHECK(gap.absent > 0 || method != SUP_OPTIMIZER_SLSQP);
  }
  double x[N];
  gap.start[0] = gap.start[1] = 0.99;
  CHECK(solve(&gap, SUP_OPTIMIZER_SLSQP, x).end == SUP_OPTIMIZER_NOWHERE);
}

static void slopes_at_bounds_are_of_second_order(void) {
  double at[2] = {1.5, 2}, f[2] = {2.25 + 3 * 1.5, 4 + 6};
  NEAR(sup_slope_through(1, 4, at, f), 5, 1e-14, 0);
  at[0] = 0.5, f[0] = 0.25 + 1.5;
  NEAR(sup_slope_through(1, 4, at, f), 5, 1e-14, 0);
  f[0] = NAN;
  NEAR(sup_slope_through(1, 4, at, f), 6, 1e-14, 0);
  f[1] = NAN;
  CHECK(isnan(sup_slope_through(1, 4, at, f)));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/** Study of the two bars with other text for a line. */
static void write_study(const char *name, const char *from, const char *to) {
  char  *text = NULL, out[4096], folder[2048], scene[3000];
  size_t size;
  OK(sup_file_read("tests/data/optimize/by_bars.yaml", &text, &size));
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(scene, sizeof scene, "scene: %s/tests/data/optimize/", folder);
  const char *before = strstr(text, "scene: "), *after = before + strlen("scene: ");
  const char *place = from ? strstr(after, from) : after;
  CU_ASSERT_PTR_NOT_NULL_FATAL(place);
  snprintf(out, sizeof out, "%.*s%s%.*s%s%s", (int)(before - text), text, scene,
           (int)(place - after), after, from ? to : "", place + (from ? strlen(from) : 0));
  app_write_file(name, out);
  SUP_FREE(text);
}

static double number_after(const char *text, const char *word) {
  const char *at = strstr(text, word);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return strtod(at + strlen(word), NULL);
}

/** Best value of a parameter in optimize.json. */
static double best_of(const char *folder, const char *parameter) {
  char  *text = app_read_file(folder, "optimize.json"), name[64];
  char  *at;
  double value;
  snprintf(name, sizeof name, "\"name\": \"%s\"", parameter);
  at = strstr(text, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  value = number_after(at, "\"best\":");
  SUP_FREE(text);
  return value;
}

/** Sides of the bars by THEORY of the study's first line. */
static double side(double force, double energy) {
  double E = 2e6, S = (0.2 * 0.1 + 0.1 * 0.05) / (2 * E * energy);
  return sqrt(force * S);
}

static void bars_of_given_stiffness_have_the_closed_sections(void) {
  double energy = 1.125e-5;
  check_run("optimize tests/data/optimize/by_bars.yaml -o FOLDER/bars -q --no-plot", 0,
            "converged");
  NEAR(best_of("bars", "one"), side(0.2, energy), 1e-6, 0);
  NEAR(best_of("bars", "two"), side(0.1, energy), 1e-6, 0);
  CHECK(app_exists("bars/best", "resolved.yaml"));
  write_study("mma.yaml", "feasible: 1.0e-9", "feasible: 1.0e-9\n  method: mma");
  check_run("optimize FOLDER/mma.yaml -o FOLDER/mma -q --no-plot", 0, "converged");
  NEAR(best_of("mma", "one"), side(0.2, energy), 1e-6, 0);
}

static void bounds_of_parameters_hold(void) {
  write_study("bound.yaml",
              "two: {key: [soft.two.mesh.box.size.1, soft.two.mesh.box.size.2], "
              "from: 5 mm",
              "two: {key: [soft.two.mesh.box.size.1, soft.two.mesh.box.size.2], "
              "from: 8 mm");
  check_run("optimize FOLDER/bound.yaml -o FOLDER/bound -q --no-plot", 0, "at its bound");
  CHECK(best_of("bound", "two") == 0.008);
  double rest = 2 * 1.125e-5 - 0.1 * 0.1 * 0.05 / (2e6 * 0.008 * 0.008); /* F^2 L/(E a^2) of one */
  NEAR(best_of("bound", "one"), sqrt(0.2 * 0.2 * 0.1 / (2e6 * rest)), 1e-6, 0);
}

static void starts_agree_and_may_be_infeasible(void) {
  write_study("starts.yaml",
              "tolerance:", "starts: [{one: 6 mm, two: 6 mm}]\n  drawn: 1\n  tolerance:");
  const char *out =
      check_run("optimize FOLDER/starts.yaml -o FOLDER/starts -q --no-plot", 0, "converged");
  double best[3];
  for (int i = 0; i < 3; i++) {
    char row[8];
    int  evaluations, rounds;
    snprintf(row, sizeof row, "\n%d  ", i + 1);
    const char *at = strstr(out, row);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    CU_ASSERT_FATAL(sscanf(at + 3, "%d %d %lg", &evaluations, &rounds, &best[i]) == 3);
    NEAR(best[i], best[0], 1e-7, 0);
  }
  double a = side(0.2, 1.125e-5), b = side(0.1, 1.125e-5);
  NEAR(best[0], 0.1 * a * a + 0.05 * b * b, 1e-7, 0);
}

/** Rows of a log. */
static int rows_of(const char *folder) {
  int   count = 0;
  char *text = app_exists(folder, "optimize.csv") ? app_read_file(folder, "optimize.csv") : NULL;
  for (const char *c = text; c && *c; c++) count += *c == '\n';
  SUP_FREE(text);
  return count;
}

static void an_interrupted_search_goes_on_to_the_same_bits(void) {
  char              study[600], folder[600];
  const char *const argv[] = {app_program(), "optimize", study,       "-o",
                              folder,        "-q",       "--no-plot", NULL};
  sup_process_end   end;
  write_study("again.yaml", NULL, NULL);
  check_run("optimize FOLDER/again.yaml -o FOLDER/whole -q --no-plot", 0, "converged");
  snprintf(study, sizeof study, "%s/again.yaml", test_folder());
  snprintf(folder, sizeof folder, "%s/parts", test_folder());
  long id = app_start(argv, "/dev/null");
  while (rows_of("parts") < 4 && !sup_process_poll(id, &end))
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  kill((pid_t)id, SIGINT);
  while (!sup_process_poll(id, &end)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  CHECK(end.exit_code == 4 && end.signal == 0);
  char *part = app_read_file("parts", "optimize.csv"),
       *whole = app_read_file("whole", "optimize.csv");
  CHECK(strncmp(part, whole, strlen("evaluation,start,")) == 0 && strlen(part) < strlen(whole));
  SUP_FREE(part);
  check_run("optimize FOLDER/again.yaml -o FOLDER/parts -q --no-plot", 0, "converged");
  part = app_read_file("parts", "optimize.csv");
  CHECK(strcmp(part, whole) == 0);
  SUP_FREE(part);
  SUP_FREE(whole);
}

static void known_evaluations_are_not_run_again(void) {
  struct stat before, after;
  char        path[700];
  check_run("optimize tests/data/optimize/by_bars.yaml -o FOLDER/known -q --no-plot", 0,
            "converged");
  snprintf(path, sizeof path, "%s/known/evaluation_0002/case_00001/history.csv", test_folder());
  CHECK(stat(path, &before) == 0);
  check_run("optimize tests/data/optimize/by_bars.yaml -o FOLDER/known -q --no-plot", 0,
            "converged");
  CHECK(stat(path, &after) == 0);
  CHECK(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && before.st_ino == after.st_ino);
}

/** The volume grows with the ribs until there is no room for them. */
static void a_mesh_that_cannot_be_made_ends_no_search(void) {
  char text[2048], folder[1024];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(text, sizeof text,
           "supple: 1\nscene: %s/examples/studies/finray_pressed.yaml\nmode: static\n"
           "set: {static.steps: 1, rigid.cylinder.motion.1.1: 0 mm}\n"
           "parameters:\n  rib: {key: soft.finger.mesh.finray.rib, from: 1 mm, to: 40 mm}\n"
           "quantities: {volume: {column: finger.volume, at: 0 s}}\n"
           "optimize: {maximize: volume, evaluations: 25}\n",
           folder);
  app_write_file("ribs.yaml", text);
  check_run("optimize FOLDER/ribs.yaml -o FOLDER/ribs --no-plot", 0,
            "none, the step is shortened: ");
  CHECK(best_of("ribs", "rib") > 0.008 && best_of("ribs", "rib") < 0.014);
  char *log = app_read_file("ribs", "optimize.csv");
  CHECK(strstr(log, "no height is left for the 6 cavities") != NULL);
  CHECK(strstr(log, "evaluation,start,derivatives,rib [m],") == log);
  SUP_FREE(log);
}

static void wrong_studies_are_named_by_line(void) {
  static const char *const wrong[][3] = {
      {"  minimize: {first: 1, second: 1}", "  minimize: {first: 1, secnd: 1}",
       "wrong.yaml:13:24: the study has no quantity 'secnd'; did you mean 'second'?"},
      {"at_most_of_start: 100 %", "at_most_of_strat: 100 %", "wrong.yaml:14:26: "},
      {"{energy: {at_most_of_start: 100 %}}", "{energy: {}}",
       "wrong.yaml:14:25: constraint 'energy' has no bound"},
      {"  minimize:", "  maximize: first\n  minimize:",
       "optimize needs either 'maximize' or 'minimize'"},
      {"from: 5 mm, to: 20 mm}\n  two", "from: 5 mm}\n  two", "'one' needs its bounds"},
      {"from: 5 mm, to: 20 mm}\n  two", "from: 12 mm, to: 20 mm}\n  two",
       "'one' begins at 0.01 m, not between its bounds"},
      {"  tolerance:", "  starts: [{tow: 8 mm}]\n  tolerance:",
       "wrong.yaml:15:13: the study has no parameter 'tow'; did you mean 'two'?"},
      {"  tolerance:", "  starts: [{two: 3 mm}]\n  tolerance:",
       "wrong.yaml:15:18: 'two' begins at 0.003 m, not between its bounds"},
      {"from: 5 mm, to: 20 mm}\n  two", "from: 5 mm, to: 20 mm, width: 9 mm}\n  two",
       "less than three widths of its differences"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_study("wrong.yaml", wrong[i][0], wrong[i][1]);
    check_run("optimize FOLDER/wrong.yaml -o FOLDER/wrong -q", 2, wrong[i][2]);
  }
  check_run("optimize tests/data/optimize/by_bars.yaml --check", 0,
            "energy at most 1 of that at the first start");
  check_run("optimize examples/studies/finray_gradient.yaml", 2, "optimize");
}

SUITE_TESTS(optimize, TEST(bounds_and_constraints_hold_at_the_optimum),
            TEST(starts_may_be_infeasible), TEST(a_steep_constraint_is_met),
            TEST(a_kink_is_met_by_values_alone), TEST(points_without_value_shorten_steps),
            TEST(slopes_at_bounds_are_of_second_order),
            TEST(bars_of_given_stiffness_have_the_closed_sections), TEST(bounds_of_parameters_hold),
            TEST(starts_agree_and_may_be_infeasible),
            TEST(an_interrupted_search_goes_on_to_the_same_bits),
            TEST(known_evaluations_are_not_run_again),
            TEST(a_mesh_that_cannot_be_made_ends_no_search), TEST(wrong_studies_are_named_by_line));
