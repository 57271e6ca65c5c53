/** The test runner: `run_tests` runs all, `run_tests suite suite.test ...` a part, `run_tests -l`
 * lists. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timer.h"
#include "la/linear_solver.h"
#include "test.h"

#define SUITE(name) extern const test_entry sup_suite_##name[];
#include "suites.inc"
#undef SUITE

static const struct {
  const char       *name;
  const test_entry *tests;
} suites[] = {
#define SUITE(name) {#name, sup_suite_##name},
#include "suites.inc"
#undef SUITE
};

static char root[] = "/tmp/supple-tests-XXXXXX";
static char folder[256]; /* of the suite that runs: suites use the same names */
static int  is_skipped;  /* the test that runs, or a part of it, which said why */

static void print_number_context(const char *file, int line, const char *what) {
  printf("\n    %s:%d: %s", file, line, what);
}

void test_near(double actual, double expected, double rtol, double atol, const char *what,
               const char *file, int line) {
  double error = fabs(actual - expected);
  int    good = error <= atol + rtol * fabs(expected);
  if (!good) {
    print_number_context(file, line, what);
    printf(" = %.17g, expected %.17g, off by %.3g\n", actual, expected, error);
  }
  CU_assertImplementation(good, (unsigned)line, what, file, "", CU_FALSE);
}

void test_fails(sup_status actual, sup_status expected, const char *text, const char *what,
                const char *file, int line) {
  int good = actual == expected && strstr(sup_error_message(), text) != NULL;
  if (!good) {
    print_number_context(file, line, what);
    printf(" gave '%s' with message '%s', expected '%s' with '%s'\n", sup_status_text(actual),
           sup_error_message(), sup_status_text(expected), text);
  }
  CU_assertImplementation(good, (unsigned)line, what, file, "", CU_FALSE);
}

/* The threads of Open MPI keep what they allocate. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:argz_add_sep\nleak:__vasprintf_internal\nleak:libmpi\nleak:libopen-pal\n"
         "leak:libopen-rte\nleak:libpmix\n";
}

void test_mark_skipped(void) { is_skipped = 1; }

double test_uniform(test_random *random) {
  uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return (double)(z >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

double test_between(test_random *random, double low, double high) {
  return low * exp(0.5 * (1 + test_uniform(random)) * log(high / low));
}

int test_one_of(test_random *random, int n) { return (int)(0.5 * (1 + test_uniform(random)) * n); }

int test_has_program(const char *name) {
  char command[256];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  return system(command) == 0;
}

int test_has_petsc(void) {
  sup_linear_solver *solver;
  sup_status         status = sup_linear_solver_create(&solver, SUP_BACKEND_PETSC, NULL);
  sup_linear_solver_destroy(&solver);
  return status == SUP_OK;
}

const char *test_folder(void) { return folder; }

int test_run_program(const char *arguments, char *out, size_t size) {
  const char *program = getenv("SUPPLE");
  char        command[8192];
  snprintf(command, sizeof command, "%s %s 2>&1", program ? program : "build/release/supple",
           arguments);
  FILE  *pipe = popen(command, "r");
  size_t used = 0;
  if (!pipe) return -1;
  while (used + 1 < size) {
    size_t got = fread(out + used, 1, size - 1 - used, pipe);
    if (got == 0) break;
    used += got;
  }
  out[used] = '\0';
  char rest[4096];
  while (fread(rest, 1, sizeof rest, pipe) > 0) continue;
  int code = pclose(pipe);
  return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static int wanted(int argc, char **argv, const char *suite, const char *test, int *matched) {
  if (argc < 2) return 1;
  int    hit = 0;
  size_t length = strlen(suite);
  for (int i = 1; i < argc; i++) {
    int this_suite = strncmp(argv[i], suite, length) == 0;
    if (this_suite && (argv[i][length] == '\0' ||
                       (argv[i][length] == '.' && strcmp(argv[i] + length + 1, test) == 0)))
      hit = matched[i] = 1;
  }
  return hit;
}

typedef enum outcome { PASSED, FAILED, SKIPPED, NUM_OUTCOMES } outcome;

static outcome run_one(const char *suite, const test_entry *test) {
  static const char *const words[NUM_OUTCOMES] = {"ok ", "FAILED ", " "};
  is_skipped = 0;
  printf("%s.%s ... ", suite, test->name);
  fflush(stdout);
  snprintf(folder, sizeof folder, "%s/%s", root, suite);
  mkdir(folder, 0777);
  double start = sup_wall_time();
  CU_initialize_registry();
  CU_pSuite s = CU_add_suite(suite, NULL, NULL);
  CU_add_test(s, test->name, test->function);
  CU_run_all_tests();
  unsigned failures = CU_get_number_of_failures(), asserts = CU_get_number_of_asserts();
  CU_cleanup_registry();
  if (asserts == 0 && !is_skipped) printf("\n    no check was made\n"), failures = 1;
  if (!test_load_steps_are_few(suite, test->name))
    printf("\n    load steps cost more iterations\n"), failures = 1;
  outcome end = failures ? FAILED : is_skipped ? SKIPPED : PASSED;
  printf("%s(%u checks, %.2f s)\n", words[end], asserts, sup_wall_time() - start);
  return end;
}

int main(int argc, char **argv) {
  int listing = argc == 2 && strcmp(argv[1], "-l") == 0;
  int num[NUM_OUTCOMES] = {0}, *matched = calloc((size_t)argc + 1, sizeof *matched);
  if (!matched || !mkdtemp(root)) return 1;
  for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
    for (const test_entry *test = suites[i].tests; test->name; test++) {
      if (listing) {
        printf("%s.%s\n", suites[i].name, test->name);
      } else if (wanted(argc, argv, suites[i].name, test->name, matched)) {
        num[run_one(suites[i].name, test)]++;
      }
    }
  if (!test_load_steps_sum_is_low()) num[FAILED]++;
  for (int i = 1; i < argc && !listing; i++)
    if (!matched[i]) printf("unknown test '%s'; run with -l for a list\n", argv[i]), num[FAILED]++;
  if (!listing)
    printf("\n%d passed, %d failed, %d skipped\n", num[PASSED], num[FAILED], num[SKIPPED]);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", root);
  if (system(command) != 0) printf("could not remove %s\n", root);
  free(matched);
  return num[FAILED] || (!listing && num[PASSED] + num[SKIPPED] == 0) ? 1 : 0;
}
