/* solver.csv: what the iterations of every solver leave. */
#include <math.h>

#include "app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

enum {
  SOLUTION = 2,
  STRATEGY = 4,
  NUMBER,
  ERROR,
  ENERGY,
  STEP,
  EVALUATIONS,
  SLIP,
  RESIDUAL,
  EPS_C = 14
};

/** One row's fields in place. */
typedef struct log_row {
  char  *field[EPS_C + 1];
  double number[EPS_C + 1]; /* NaN: empty */
} log_row;

typedef struct log_table {
  char    *text;
  log_row *row;
  size_t   capacity;
  int      num;
} log_table;

static log_row split(char *line) {
  log_row row;
  for (int k = 0; k <= EPS_C; k++) {
    row.field[k] = line;
    line += strcspn(line, ",");
    CHECK((*line != '\0') == (k < EPS_C));
    if (*line) *line++ = '\0';
    row.number[k] = row.field[k][0] ? strtod(row.field[k], NULL) : (double)NAN;
  }
  return row;
}

/** The log of a run of a scene with these settings. */
static log_table log_of(const char *arguments) {
  log_table table = {0};
  char      command[512], path[512], *next, *line;
  size_t    size;
  snprintf(command, sizeof command, "run %s --set output.solver_log=true -q -o FOLDER/logged",
           arguments);
  check_run(command, 0, "");
  snprintf(path, sizeof path, "%s/logged/solver.csv", test_folder());
  OK(sup_file_read(path, &table.text, &size));
  line = table.text;
  CHECK(strncmp(line,
                "step,time [s],solution,island,strategy,iteration,momentum_error [-],energy [J],"
                "line_step,evaluations,slip [m/s],residual [-],eps_p [N s],eps_d [m/s],eps_c [J]\n",
                158) == 0);
  for (line = strchr(line, '\n') + 1; *line; line = next) {
    next = strchr(line, '\n');
    CU_ASSERT_PTR_NOT_NULL_FATAL(next);
    *next++ = '\0';
    OK(SUP_GROW(table.row, table.capacity, table.num + 1));
    table.row[table.num++] = split(line);
  }
  CHECK(table.num > 10);
  return table;
}

static void drop(log_table *table) {
  SUP_FREE(table->text);
  SUP_FREE(table->row);
}

/** Count solutions with three iterations or more and a last but one momentum error of 1e-7 to 0.1:
 * all, and those whose last error is at most its power 1.7. */
static void count_quadratic(const log_table *t, int *quadratic, int *all) {
  *quadratic = *all = 0;
  for (int i = 3; i < t->num; i++) {
    const log_row *r = &t->row[i];
    if (i + 1 < t->num && t->row[i + 1].number[NUMBER] > r->number[NUMBER]) continue; /* no end */
    if (r->number[NUMBER] < 3 || r[-1].number[ERROR] > .1 || r[-1].number[ERROR] < 1e-7) continue;
    ++*all;
    *quadratic += log(r->number[ERROR]) > 1.7 * log(r[-1].number[ERROR]) ? 0 : 1;
  }
}

/* The stick-slip of the rod: Newton's last errors are squares of those before, energies fall. */
static void newton_ends_quadratically(void) {
  log_table t =
      log_of("examples/sliding_rod.yaml --set time.end=0.06 --set solver.tolerance=1.0e-9");
  int quadratic, all;
  for (int i = 0; i < t.num; i++) {
    const log_row *r = &t.row[i];
    int            is_start = r->number[NUMBER] == 0;
    CHECK(r->field[STRATEGY][0] == '\0' && r->number[SOLUTION] == 0);
    CHECK(is_start == (r->number[STEP] == 0) && is_start == (r->number[EVALUATIONS] == 0));
    CHECK(r->number[SLIP] >= 0 && r->number[EPS_C] >= 0 && isnan(r->number[RESIDUAL]));
    if (!is_start)
      CHECK(r->number[ENERGY] <= r[-1].number[ENERGY] + 1e-14 * fabs(r->number[ENERGY]));
  }
  count_quadratic(&t, &quadratic, &all);
  printf("%d of %d ends are quadratic ", quadratic, all);
  CHECK(all > 10 && quadratic >= .9 * all);
  drop(&t);
}

static int rows_of(const log_table *t, const char *strategy) {
  int count = 0;
  for (int i = 0; i < t->num; i++) count += strcmp(t->row[i].field[STRATEGY], strategy) == 0;
  return count;
}

static void coupled_friction_and_sweeps_name_their_rows(void) {
  log_table t = log_of("examples/sliding_rod.yaml --set time.end=0.03 --set contact.model=coupled");
  CHECK(rows_of(&t, "coupling") > .9 * t.num);
  drop(&t);
  t = log_of(
      "examples/sliding_rod.yaml --set time.end=0.03 --set contact.friction_sweeps=3 --set "
      "contact.sweep_tolerance=1.0e-9");
  CHECK(rows_of(&t, "sweeps") > 100 && rows_of(&t, "") > 100);
  CHECK(rows_of(&t, "sweeps") + rows_of(&t, "") == t.num);
  drop(&t);
}

static void tamsi_tells_how_far_it_went(void) {
  log_table t = log_of("examples/sliding_rod.yaml --set time.end=0.03 --set contact.solver=tamsi");
  int       shorter = 0;
  for (int i = 0; i < t.num; i++) {
    shorter += t.row[i].number[STEP] > 0 && t.row[i].number[STEP] < 1;
    CHECK(t.row[i].number[EVALUATIONS] == 0 && t.row[i].number[ERROR] >= 0);
  }
  CHECK(shorter > 0);
  drop(&t);
}

/* A soft body's contacts: what is refined or becomes linear anew is another solution. */
static void solvers_on_impulses_tell_what_is_left(void) {
  log_table t = log_of(
      "examples/soft_cube_drop.yaml --set time.end=0.16 --set contact.solver=ncp_pgs "
      "--set contact.dual.max_iterations=60 --set contact.dual.hand_over_above=0");
  int last = 0;
  for (int i = 0; i < t.num; i++) {
    CHECK(isnan(t.row[i].number[ERROR]) && isnan(t.row[i].number[STEP]));
    CHECK(t.row[i].number[RESIDUAL] >= 0);
    if (t.row[i].number[NUMBER] > last) last = (int)t.row[i].number[NUMBER];
  }
  CHECK(last > 1 && last <= 60);
  drop(&t);
}

/** Check that the last row of each island's solution is below the tolerance, and the one before
 * above it. */
static void check_ends(const log_table *t, double tolerance) {
  int ends = 0;
  for (int i = 0; i < t->num; i++) {
    const log_row *r = &t->row[i];
    int            is_end = i + 1 == t->num || t->row[i + 1].number[NUMBER] <= r->number[NUMBER];
    if (is_end && r->number[NUMBER] > 0) {
      CHECK(r->number[RESIDUAL] <= tolerance && r[-1].number[RESIDUAL] > tolerance);
      ends++;
    }
    if (is_end) continue;
    CHECK(t->row[i + 1].number[NUMBER] == r->number[NUMBER] + 1); /* every iteration, in order */
  }
  CHECK(ends > 5);
}

/* Each method's rows: they end when the tolerance is met; what pushes is on its cone where a sweep
 * puts it there; the convex relaxation's energy falls with every sweep. */
static void each_solver_on_impulses_logs_to_its_end(void) {
  static const char *const solvers[] = {"ncp_pgs",       "ccp_pgs",       "lcp_pgs", "raisim",
                                        "ncp_staggered", "lcp_staggered", "ccp_admm"};
  for (int m = 0; m < 7; m++) {
    char      arguments[256];
    int       is_admm = strcmp(solvers[m], "ccp_admm") == 0, rows = 0;
    log_table t;
    snprintf(arguments, sizeof arguments,
             "examples/incline.yaml --set time.end=0.2 --set contact.solver=%s --set "
             "contact.dual.tolerance=1.0e-3 --set contact.dual.subspace=0 --set "
             "contact.dual.warm_start=false",
             solvers[m]);
    t = log_of(arguments);
    check_ends(&t, 1e-3);
    for (int i = 0; i < t.num; i++) {
      const log_row *r = &t.row[i];
      CHECK(isnan(r->number[ERROR]) && isnan(r->number[STEP]) && r->number[EPS_C] >= 0);
      if (!is_admm && strncmp(solvers[m], "lcp", 3) != 0) CHECK(r->number[EPS_C - 2] < 1e-15);
      if (strcmp(solvers[m], "ccp_pgs") != 0 || r->number[NUMBER] == 0) continue;
      CHECK(r->number[ENERGY] <= r[-1].number[ENERGY] + 1e-15);
      rows++;
    }
    if (strcmp(solvers[m], "ccp_pgs") == 0) CHECK(rows > 10);
    drop(&t);
  }
}

/** Iterations of the steps by history.csv, of the island that took most. */
static double iterations_of_history(void) {
  char   path[512], *text, *at, *column;
  size_t size;
  double sum = 0;
  int    index = 0;
  snprintf(path, sizeof path, "%s/logged/history.csv", test_folder());
  OK(sup_file_read(path, &text, &size));
  column = strstr(text, ",newton,");
  CU_ASSERT_PTR_NOT_NULL_FATAL(column);
  for (at = text; at <= column; at++) index += *at == ',';
  for (at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
    char *field = at;
    for (int k = 0; k < index; k++) field = strchr(field, ',') + 1;
    sum += strtod(field, NULL);
  }
  SUP_FREE(text);
  return sum;
}

/* A pile whose contacts are found in several rounds of a step, and settled: every solution of a
 * step has its rows, and the longest islands of all add up to what the history says. */
static void all_solutions_of_a_step_have_rows(void) {
  log_table t = log_of("examples/clutter.yaml --set time.end=1");
  double    sum = 0, longest = 0;
  int       solutions = 0;
  for (int i = 0; i < t.num; i++) {
    const log_row *r = &t.row[i];
    longest = fmax(longest, r->number[NUMBER]);
    if (i + 1 < t.num && r[1].number[0] == r->number[0] &&
        r[1].number[SOLUTION] == r->number[SOLUTION])
      continue;
    solutions += r->number[SOLUTION] > 0;
    sum += longest, longest = 0;
  }
  printf("%d later solutions, %.0f iterations ", solutions, sum);
  CHECK(solutions > 10);
  CHECK(sum == iterations_of_history());
  drop(&t);
}

/* The column stands for what a clock said: asked for only. */
static void steps_are_timed_when_asked(void) {
  for (int asked = 0; asked < 2; asked++) {
    char   path[512], *text;
    size_t size;
    check_run(asked
                  ? "run examples/incline.yaml --set time.end=0.05 --set output.timing=true -q -o "
                    "FOLDER/timed"
                  : "run examples/incline.yaml --set time.end=0.05 -q -o FOLDER/timed",
              0, "");
    snprintf(path, sizeof path, "%s/timed/history.csv", test_folder());
    OK(sup_file_read(path, &text, &size));
    CHECK((strstr(text, ",step_seconds") != NULL) == asked);
    SUP_FREE(text);
  }
}

SUITE_TESTS(solver_log, TEST(steps_are_timed_when_asked), TEST(newton_ends_quadratically),
            TEST(coupled_friction_and_sweeps_name_their_rows), TEST(tamsi_tells_how_far_it_went),
            TEST(all_solutions_of_a_step_have_rows), TEST(solvers_on_impulses_tell_what_is_left),
            TEST(each_solver_on_impulses_logs_to_its_end));
