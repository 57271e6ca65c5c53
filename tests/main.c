/** The test runner: `run_tests` runs all, `run_tests suite suite.test ...` a part, `run_tests -l`
 * lists, `run_tests -j N ...` runs suites in N processes. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "la/linear_solver.h"
#include "load_steps.h"
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

static double processor_seconds(void) {
  struct rusage own, of_programs;
  getrusage(RUSAGE_SELF, &own), getrusage(RUSAGE_CHILDREN, &of_programs);
  double seconds = 0;
  for (int k = 0; k < 2; k++) {
    const struct rusage *u = k ? &of_programs : &own;
    seconds += (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
               1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
  }
  return seconds;
}

typedef enum outcome { PASSED, FAILED, SKIPPED, NUM_OUTCOMES } outcome;

static outcome run_one(const char *suite, const test_entry *test) {
  static const char *const words[NUM_OUTCOMES] = {"ok ", "FAILED ", " "};
  is_skipped = 0;
  printf("%s.%s ... ", suite, test->name);
  fflush(stdout);
  snprintf(folder, sizeof folder, "%s/%s", root, suite);
  mkdir(folder, 0777);
  double start = processor_seconds();
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
  printf("%s(%u checks, %.2f s)\n", words[end], asserts, processor_seconds() - start);
  return end;
}

/* ---- workers --------------------------------------------------------------------------------- */

enum { NUM_SUITES = sizeof suites / sizeof *suites, MAX_WORKERS = 64 };

/** Suites of ten seconds and more: they start first, so that no worker ends alone with one. */
static const char *const longest[] = {
    "manual",   "adjoint",       "examples",    "contact_pressure",
    "backends", "remedies",      "resume",      "grasp",
    "control",  "output_frames", "run",         "drop",
    "anchor",   "soft_rolling",  "surface_gap", "go_on"};

static int is_long(const char *suite) {
  for (size_t k = 0; k < sizeof longest / sizeof *longest; k++)
    if (strcmp(longest[k], suite) == 0) return 1;
  return 0;
}

/** Suite that starts as number k. */
static int suite_at(int k) {
  for (int want = 1; want >= 0; want--)
    for (int i = 0; i < NUM_SUITES; i++)
      if (is_long(suites[i].name) == want && k-- == 0) return i;
  return 0;
}

/** In memory that all workers share.  A worker adds what it counted under the lock. */
typedef struct shared {
  atomic_int      next; /* number of the suite that the next free worker takes */
  atomic_flag     lock;
  int             num[NUM_OUTCOMES];
  test_load_steps load_steps;
  int             running[MAX_WORKERS]; /* suite of each worker */
  double          seconds[NUM_SUITES];  /* of processors, of each suite */
} shared;

typedef struct selection {
  int    argc;
  char **argv;
  int   *matched;
} selection;

/** All 0, of a file in the folder of this run. */
static shared *make_shared(void) {
  char path[256];
  snprintf(path, sizeof path, "%s/shared", root);
  int   file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  void *at = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(shared)) == 0)
    at = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  return at;
}

static void run_suite(shared *s, const selection *of, int i, int num[NUM_OUTCOMES]) {
  double start = processor_seconds();
  for (const test_entry *test = suites[i].tests; test->name; test++)
    if (wanted(of->argc, of->argv, suites[i].name, test->name, of->matched))
      num[run_one(suites[i].name, test)]++;
  s->seconds[i] = processor_seconds() - start;
}

/** Copy what a worker printed of a suite, whole, so that lines of two suites do not mix. */
static void copy_out(shared *s, const char *path, FILE *out) {
  char   line[4096];
  size_t got;
  FILE  *in = fopen(path, "r");
  while (atomic_flag_test_and_set(&s->lock)) sched_yield();
  while (in && (got = fread(line, 1, sizeof line, in)) > 0) fwrite(line, 1, got, out);
  fflush(out);
  atomic_flag_clear(&s->lock);
  if (in) fclose(in);
}

static void output_path(char path[256], int worker) {
  snprintf(path, 256, "%s/worker%d.txt", root, worker);
}

/** A worker's life: the next suite until there is none. */
static void work(shared *s, const selection *of, int worker) {
  char path[256];
  int  num[NUM_OUTCOMES] = {0};
  output_path(path, worker);
  FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  if (!out) exit(1);
  for (;;) {
    int k = atomic_fetch_add(&s->next, 1);
    if (k >= NUM_SUITES) break;
    int i = s->running[worker] = suite_at(k);
    if (!freopen(path, "w", stdout)) exit(1);
    run_suite(s, of, i, num);
    fflush(stdout);
    copy_out(s, path, out);
  }
  while (atomic_flag_test_and_set(&s->lock)) sched_yield();
  for (int k = 0; k < NUM_OUTCOMES; k++) s->num[k] += num[k];
  test_load_steps_add(&s->load_steps);
  atomic_flag_clear(&s->lock);
  exit(0);
}

/** A worker that dies in a suite is a failure, and what it printed is shown. */
static void run_workers(shared *s, const selection *of, int count) {
  pid_t pid[MAX_WORKERS];
  fflush(stdout);
  for (int w = 0; w < count; w++) {
    pid[w] = fork();
    if (pid[w] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM); /* none outlives the runner */
      work(s, of, w);
    }
  }
  for (int w = 0; w < count; w++) {
    char path[256];
    int  code = 0;
    if (pid[w] > 0 && waitpid(pid[w], &code, 0) == pid[w] && WIFEXITED(code) && !WEXITSTATUS(code))
      continue;
    output_path(path, w);
    copy_out(s, path, stdout);
    printf("FAILED: a worker died in suite %s\n", suites[s->running[w]].name);
    s->num[FAILED]++;
  }
}

static void print_longest(const shared *s) {
  enum { LONGEST = 12 };
  int    is_told[NUM_SUITES] = {0};
  double all = 0;
  for (int i = 0; i < NUM_SUITES; i++) all += s->seconds[i];
  printf("\n%.0f s of processors;", all);
  for (int k = 0; k < LONGEST; k++) {
    int most = 0;
    for (int i = 0; i < NUM_SUITES; i++)
      if (is_told[most] || (!is_told[i] && s->seconds[i] > s->seconds[most])) most = i;
    is_told[most] = 1;
    if (s->seconds[most] >= .5) printf(" %s %.0f", suites[most].name, s->seconds[most]);
  }
  printf("\n");
}

static void list_tests(void) {
  for (int i = 0; i < NUM_SUITES; i++)
    for (const test_entry *test = suites[i].tests; test->name; test++)
      printf("%s.%s\n", suites[i].name, test->name);
}

/** Names on the command line that no test has. */
static int fail_unmatched(const selection *of) {
  int count = 0;
  for (int k = 0; k < NUM_SUITES; k++)
    for (const test_entry *test = suites[k].tests; test->name; test++)
      wanted(of->argc, of->argv, suites[k].name, test->name, of->matched);
  for (int i = 1; i < of->argc; i++)
    if (!of->matched[i]) {
      printf("unknown test '%s'; run with -l for a list\n", of->argv[i]);
      count++;
    }
  return count;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "-l") == 0) {
    list_tests();
    return 0;
  }
  int workers = 1;
  if (argc > 2 && strcmp(argv[1], "-j") == 0) workers = atoi(argv[2]), argv += 2, argc -= 2;
  workers = workers < 1 ? 1 : workers > MAX_WORKERS ? MAX_WORKERS : workers;
  selection of = {argc, argv, calloc((size_t)argc + 1, sizeof(int))};
  if (!of.matched || !mkdtemp(root)) return 1;
  shared *s = make_shared();
  if (s == MAP_FAILED) return 1;
  atomic_flag_clear(&s->lock);
  if (workers > 1) {
    run_workers(s, &of, workers);
    test_load_steps_set(&s->load_steps);
  } else {
    for (int i = 0; i < NUM_SUITES; i++) run_suite(s, &of, i, s->num);
  }
  if (!test_load_steps_sum_is_low()) s->num[FAILED]++;
  s->num[FAILED] += fail_unmatched(&of);
  print_longest(s);
  printf("%d passed, %d failed, %d skipped\n", s->num[PASSED], s->num[FAILED], s->num[SKIPPED]);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", root);
  if (system(command) != 0) printf("could not remove %s\n", root);
  int failed = s->num[FAILED] || s->num[PASSED] + s->num[SKIPPED] == 0;
  free(of.matched), munmap(s, sizeof *s);
  return failed;
}
