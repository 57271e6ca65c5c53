/* Collective operations of ranks (base/collective.h), by MPI. */
#include "ranks/ranks_test.h"

/* ---- what ranks do together ------------------------------------------------------------------ */

/** Different on each rank, and their sum depends on the order of its terms. */
static double term(int rank, size_t i) {
  test_random random = {(uint64_t)rank * 1000003u + i};
  return test_uniform(&random) * pow(10, (double)(i % 7));
}

static void sums_are_those_of_the_ranks_in_their_order(void) {
  ON_RANKS("ranks.sums_are_those_of_the_ranks_in_their_order");
  static const size_t counts[] = {0, 1, 3, 64, 65, 1000, 65536, 200001};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    size_t   n = counts[k], wrong = 0;
    double  *x = calloc(n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y);
    int64_t *m = calloc(n + 1, sizeof *m), *l = calloc(n + 1, sizeof *l);
    for (size_t i = 0; i < n; i++) {
      x[i] = y[i] = term(c->rank, i);
      m[i] = l[i] = (int64_t)i * (c->rank + 1) - 50;
    }
    c->sum(c, n, x), c->max(c, n, y), c->sum_integers(c, n, m), c->max_integers(c, n, l);
    for (size_t i = 0; i < n; i++) {
      double sum = term(0, i), largest = term(0, i);
      for (int r = 1; r < c->size; r++) sum += term(r, i), largest = fmax(largest, term(r, i));
      wrong += x[i] != sum || y[i] != largest || m[i] != 3 * (int64_t)i - 100 ||
               l[i] != 2 * (int64_t)i - 50;
    }
    CHECK(wrong == 0);
    free(x), free(y), free(m), free(l);
  }
}

static void a_number_that_is_none_stays_none(void) {
  ON_RANKS("ranks.a_number_that_is_none_stays_none");
  CHECK(isnan(sup_max_of_ranks(c, c->rank == 0 ? (double)NAN : 1)));
  CHECK(isnan(sup_max_of_ranks(c, c->rank == 1 ? (double)NAN : 1)));
  CHECK(isnan(sup_sum_of_ranks(c, c->rank == 1 ? (double)NAN : 1)));
}

static void what_is_gathered_and_exchanged_arrives(void) {
  ON_RANKS("ranks.what_is_gathered_and_exchanged_arrives");
  int         own[3] = {c->rank, 7, 10 * c->rank}, all[3 * TEST_NUM_RANKS], other = 1 - c->rank;
  char        text[TEST_NUM_RANKS * 8], in[8] = "", word[8] = "";
  size_t      bytes[TEST_NUM_RANKS] = {4, 3};
  sup_message message = {.rank = other, .bytes = 2, .out = c->rank ? "b" : "a", .in = in};
  c->gather(c, sizeof own, own, all);
  for (int r = 0; r < c->size; r++)
    CHECK(all[3 * r] == r && all[3 * r + 1] == 7 && all[3 * r + 2] == 10 * r);
  c->gather_parts(c, bytes, c->rank ? "xyz" : "abcd", text);
  CHECK(memcmp(text, "abcdxyz", 7) == 0);
  memset(text, 0, sizeof text);
  c->collect(c, 1, bytes, c->rank ? "xyz" : "abcd", text);
  CHECK(memcmp(text, c->rank == 1 ? "abcdxyz" : "", c->rank == 1 ? 8 : 1) == 0);
  c->exchange(c, 1, &message);
  CHECK(strcmp(in, c->rank ? "a" : "b") == 0);
  if (c->rank == 1) strcpy(word, "hello");
  c->broadcast(c, 1, sizeof word, word);
  CHECK(strcmp(word, "hello") == 0);
  CHECK(c->meet(c, 30) == 1);
}

/* They are sent in pieces of 16 MB. */
static void long_messages_arrive_whole(void) {
  ON_RANKS("ranks.long_messages_arrive_whole");
  size_t    n = 5000001, wrong = 0;
  uint64_t *out = calloc(n, sizeof *out), *in = calloc(n, sizeof *in);
  for (size_t i = 0; i < n; i++) out[i] = 3 * i + (uint64_t)c->rank;
  sup_message message = {.rank = 1 - c->rank, .bytes = n * sizeof *out, .out = out, .in = in};
  c->exchange(c, 1, &message);
  for (size_t i = 0; i < n; i++) wrong += in[i] != 3 * i + (uint64_t)message.rank;
  CHECK(wrong == 0);
  c->broadcast(c, 1, n * sizeof *out, out);
  for (size_t i = 0; i < n; i++) wrong += out[i] != 3 * i + 1;
  CHECK(wrong == 0);
  free(out), free(in);
}

static void the_failure_of_one_rank_is_that_of_all(void) {
  ON_RANKS("ranks.the_failure_of_one_rank_is_that_of_all");
  OK(sup_agree(c, SUP_OK));
  sup_status own = c->rank == 1 ? SUP_FAIL(SUP_E_GEOMETRY, "cell 7 is flat") : SUP_OK;
  FAILS(sup_agree(c, own), SUP_E_GEOMETRY, "cell 7 is flat");
}

/* ---- the program ----------------------------------------------------------------------------- */

enum { LINE = 1 << 16, MAX_COLUMNS = 200 };

/** Run the program with these arguments on so many ranks; its exit code. */
static int run_on(int ranks, const char *arguments, char *out, size_t size) {
  char command[8192];
  snprintf(command, sizeof command, "%s\"${SUPPLE:-build/release/supple}\" %s > %s/run.log 2>&1",
           ranks > 1 ? TEST_MPIEXEC : "", arguments, test_folder());
  int code = system(command);
  snprintf(command, sizeof command, "%s/run.log", test_folder());
  FILE  *file = fopen(command, "r");
  size_t used = file ? fread(out, 1, size - 1, file) : 0;
  out[used] = '\0';
  if (file) fclose(file);
  return code;
}

/** The heads and the last row of FOLDER/history.csv. */
typedef struct last_row {
  char   heads[LINE], *name[MAX_COLUMNS];
  double value[MAX_COLUMNS];
  int    num;
} last_row;

/** The next one of a line; NULL: it is over. */
static char *field(char **next) {
  char *at = *next, *end;
  if (!at) return NULL;
  end = at + strcspn(at, ",\n");
  *next = *end == ',' ? end + 1 : NULL;
  *end = '\0';
  return at;
}

static void read_last_row(const char *folder, last_row *row) {
  char  path[512], line[LINE], *at;
  FILE *file;
  snprintf(path, sizeof path, "%s/%s/history.csv", test_folder(), folder);
  file = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CHECK(fgets(row->heads, LINE, file) != NULL);
  while (fgets(line, LINE, file)) continue;
  fclose(file);
  row->num = 0;
  for (char *next = row->heads; (at = field(&next)) && row->num < MAX_COLUMNS;)
    row->name[row->num++] = at;
  char *next = line;
  for (int k = 0; k < row->num && (at = field(&next)); k++) row->value[k] = strtod(at, NULL);
}

/** 1: the column describes the solver's work, not the solution. */
static int is_of_solver(const char *name) {
  static const char *const of_solver[] = {"newton",  "momentum_", "linear_",         "islands",
                                          "island_", "numerical", "complementarity", "round_off"};
  for (size_t k = 0; k < sizeof of_solver / sizeof *of_solver; k++)
    if (strstr(name, of_solver[k])) return 1;
  return 0;
}

static void the_program_writes_on_two_ranks_what_it_writes_on_one(void) {
  NEED_RANKS;
  static const char *const runs[] = {"static examples/finray_stiffness.yaml",
                                     "run examples/soft_stack.yaml --set time.end=0.03"};
  char                    *out = calloc(LINE, 1), command[1024];
  last_row                *one = calloc(1, sizeof *one), *two = calloc(1, sizeof *two);
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    for (int ranks = 1; ranks <= 2; ranks++) {
      snprintf(command, sizeof command,
               "%s -o %s/on%d --set output.format=none --set solver.tolerance=1e-10 --set "
               "solver.backend=%s",
               runs[k], test_folder(), ranks, ranks > 1 ? "petsc" : "supernodal");
      int code = run_on(ranks, command, out, LINE);
      CHECK(code == 0);
      if (code) printf("%s", out);
    }
    read_last_row("on1", one), read_last_row("on2", two);
    int compared = 0;
    for (int i = 0; i < two->num; i++)
      for (int j = 0; j < one->num; j++)
        if (strcmp(two->name[i], one->name[j]) == 0 && !is_of_solver(one->name[j])) {
          test_near(two->value[i], one->value[j], 1e-7, 1e-10, one->name[j], __FILE__, __LINE__);
          compared++;
        }
    CHECK(compared > 15);
  }
  free(one), free(two), free(out);
}

/** Read the next line of a VTK file in text; *is_numbers: it is one of numbers. */
static int next_line(FILE *file, char *line, int *is_numbers) {
  if (!fgets(line, LINE, file)) return 0;
  *is_numbers = strchr("+-.0123456789", line[0]) != NULL;
  return 1;
}

/** Equal but for numbers, which differ by 1e-6 of the largest of their array at most: where that is
 * less than 0.1 Pa, it is round-off of what is free of stress. */
static void files_agree(const char *one, const char *two) {
  FILE  *a = fopen(one, "r"), *b = fopen(two, "r");
  char  *line = calloc(LINE, 1), *other = calloc(LINE, 1), name[LINE] = "", worst[200] = "";
  int    is_numbers, is_other = 0, lines = 0, wrong = 0;
  double largest = 0, difference = 0;
  CHECK(a != NULL && b != NULL);
  while (a && b && wrong == 0 && next_line(a, line, &is_numbers)) {
    wrong += !next_line(b, other, &is_other) || is_other != is_numbers, lines++;
    if (!is_numbers) { /* the array before is over */
      if (difference > 1e-6 * largest + 1e-7)
        snprintf(worst, sizeof worst, "%.60s: %g of %g", name, difference, largest);
      largest = difference = 0, wrong += strcmp(line, other) != 0;
      if (line[0] != 'L') snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\n"), line);
      continue;
    }
    for (char *p = line, *q = other, *p_end, *q_end;; p = p_end, q = q_end) {
      double x = strtod(p, &p_end), y = strtod(q, &q_end);
      if (p_end == p || q_end == q) break;
      largest = fmax(largest, fabs(x)), difference = fmax(difference, fabs(x - y));
    }
  }
  CHECK(wrong == 0 && lines > 15 && b && !fgets(other, LINE, b) && worst[0] == '\0');
  if (wrong || worst[0]) printf("%s, behind %.60s: %s\n", two, name, worst);
  if (a) fclose(a);
  if (b) fclose(b);
  free(line), free(other);
}

/* Bricks in contact, and quadratic tetrahedra of two materials: each rank writes its cells, with
 * stress that is recovered across the cut, and gather.py makes the files of one rank of them. */
static void frames_of_two_ranks_join_to_those_of_one(void) {
  NEED_RANKS;
  if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    SKIP("python3-numpy is not installed; ");
  static const struct {
    const char *run, *file[4];
  } runs[] = {
      {"run examples/soft_stack.yaml --set time.end=0.03 --set output.every=0.03",
       {"lower_0001.vtk", "upper_0001.vtk", "contact_0001.vtk", "rigid_0001.vtk"}},
      {"static examples/finray_stiffness.yaml --set soft.finger.mesh.finray.pattern=kuhn --set "
       "soft.finger.mesh.order=2 --set 'soft.finger.materials={ribs: {youngs_modulus: "
       "50 MPa, poissons_ratio: 0.4, density: 1200}}'",
       {"finger_0000.vtk", "finger_0001.vtk"}}};
  char *out = calloc(LINE, 1), command[1024], one[600], two[600];
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    for (int ranks = 1; ranks <= 2; ranks++) {
      snprintf(command, sizeof command,
               "%s -o %s/join%d --set output.format=ascii --set output.arrays=[all] --set "
               "output.precision=double --set solver.tolerance=1e-11 --set solver.backend=%s",
               runs[k].run, test_folder(), ranks, ranks > 1 ? "petsc" : "supernodal");
      int code = run_on(ranks, command, out, LINE);
      CHECK(code == 0);
      if (code) printf("%s", out);
    }
    snprintf(command, sizeof command, "/usr/bin/python3 postproc/gather.py '%s/join2'",
             test_folder());
    CHECK(system(command) == 0);
    for (int i = 0; i < 4 && runs[k].file[i]; i++) {
      snprintf(one, sizeof one, "%s/join1/vtk/%s", test_folder(), runs[k].file[i]);
      snprintf(two, sizeof two, "%s/join2/vtk/%s", test_folder(), runs[k].file[i]);
      files_agree(one, two);
    }
    snprintf(command, sizeof command,
             "cd '%s' && for s in join1/vtk/*.vtk.series; do cmp $s "
             "join2/vtk/${s##*/} || exit 1; done",
             test_folder());
    CHECK(system(command) == 0);
  }
  free(out);
}

/* With another coarse matrix the iteration would go another way, and leave another residual. */
static void products_of_multigrid_by_tiles_are_those_of_petsc(void) {
  NEED_RANKS;
  static const char *const way[] = {"", " -matptap_via scalable"};
  char                    *out = calloc(LINE, 1), command[1024];
  for (int ranks = 2; ranks <= 3; ranks++) {
    for (int k = 0; k < 2; k++) {
      snprintf(command, sizeof command,
               "static tests/data/bar.yaml -o %s/tiles%d --set soft.bar.mesh.box.cells=[24,6,6] "
               "--set output.format=none --set solver.backend=petsc --set "
               "solver.petsc='-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg%s'",
               test_folder(), k, way[k]);
      int code = run_on(ranks, command, out, LINE);
      CHECK(code == 0);
      if (code) printf("%s", out);
    }
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c \"import csv; a, b = [list(csv.DictReader(open('%s/tiles%%d/"
             "history.csv' %% k)))[-1] for k in (0, 1)]; n = 'linear_iterations'; r = "
             "'linear_residual'; assert a[n] == b[n] and int(a[n]) > 5, (a[n], b[n]); assert "
             "abs(float(a[r]) / float(b[r]) - 1) < 1e-6, (a[r], b[r])\"",
             test_folder());
    CHECK(system(command) == 0);
  }
  free(out);
}

static void two_runs_on_equal_ranks_have_equal_bits(void) {
  NEED_RANKS;
  char *out = calloc(LINE, 1), command[1024];
  for (int k = 0; k < 2; k++) {
    snprintf(command, sizeof command,
             "run examples/soft_stack.yaml --set time.end=0.03 -o %s/bits%d --set "
             "output.format=none --set solver.backend=petsc --set solver.petsc='-ksp_type cg "
             "-ksp_norm_type unpreconditioned -pc_type gamg'",
             test_folder(), k);
    int code = run_on(2, command, out, LINE);
    CHECK(code == 0);
    if (code) printf("%s", out);
  }
  snprintf(command, sizeof command,
           "cmp %s/bits0/history.csv %s/bits1/history.csv && cmp %s/bits0/contacts.csv "
           "%s/bits1/contacts.csv",
           test_folder(), test_folder(), test_folder(), test_folder());
  CHECK(system(command) == 0);
  free(out);
}

SUITE_TESTS(ranks, TEST(sums_are_those_of_the_ranks_in_their_order),
            TEST(a_number_that_is_none_stays_none), TEST(what_is_gathered_and_exchanged_arrives),
            TEST(long_messages_arrive_whole), TEST(the_failure_of_one_rank_is_that_of_all),
            TEST(the_program_writes_on_two_ranks_what_it_writes_on_one),
            TEST(frames_of_two_ranks_join_to_those_of_one),
            TEST(products_of_multigrid_by_tiles_are_those_of_petsc),
            TEST(two_runs_on_equal_ranks_have_equal_bits));
