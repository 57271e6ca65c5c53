/* Our factor beside CHOLMOD's on the same matrices: they take turns run by run, medians of the
 * thread's own processor time, which others who use the machine stretch least. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "cholmod_yardstick.h"
#include "la/linear_solver.h"
#include "matrices.h"

enum { MAX_RUNS = 64, KINDS = 2, ORDERINGS = 2 }; /* supernodal, simplicial; AMD, METIS */

static const char *const kind_name[KINDS] = {"supernodal", "simplicial"};
static const char *const ordering_name[ORDERINGS] = {"amd", "metis"};

static void report(const bench_matrix *m, const char *what, double value, const char *unit,
                   int runs) {
  char name[96];
  snprintf(name, sizeof name, "factor.%s.%s", m->name, what);
  bench_report(name, value, unit, runs);
}

/** Theirs: the kinds and orderings that are worth their time. */
typedef struct theirs {
  bench_cholmod *factor[KINDS][ORDERINGS];
  double         analysis[KINDS][ORDERINGS], time[KINDS][ORDERINGS][MAX_RUNS];
} theirs;

/** Large matrices: the ordering with fewer flops alone, and no simplicial factor. */
static int prepare(theirs *t, const bench_matrix *m) {
  enum { LARGE = 6000 }; /* scalars */
  int large = m->pattern.num_scalars > LARGE;
  memset(t, 0, sizeof *t);
  for (int k = 0; k < (large ? 1 : KINDS); k++)
    for (int o = 0; o < ORDERINGS; o++)
      if (!(t->factor[k][o] =
                bench_cholmod_create(&m->pattern, m->values, k, o, &t->analysis[k][o])))
        return 1;
  if (large) {
    int worse = bench_cholmod_flops(t->factor[0][0]) < bench_cholmod_flops(t->factor[0][1]);
    bench_cholmod_destroy(t->factor[0][worse]);
    t->factor[0][worse] = NULL;
  }
  return 0;
}

static void release(theirs *t) {
  for (int k = 0; k < KINDS; k++)
    for (int o = 0; o < ORDERINGS; o++) bench_cholmod_destroy(t->factor[k][o]);
}

/** One factorisation of each; run < 0 does not count. */
static int take_turns(theirs *t, int run) {
  for (int k = 0; k < KINDS; k++)
    for (int o = 0; o < ORDERINGS; o++) {
      if (!t->factor[k][o]) continue;
      double ms = bench_cholmod_factorize(t->factor[k][o]);
      if (ms < 0) return 1;
      if (run >= 0) t->time[k][o][run] = ms;
    }
  return 0;
}

/** Median of the better ordering of a kind [ms]; negative: not measured. */
static double best_of(theirs *t, const bench_matrix *m, int kind, int runs) {
  double best = -1;
  int    ordering = 0;
  char   what[64];
  for (int o = 0; o < ORDERINGS; o++) {
    if (!t->factor[kind][o]) continue;
    double ms = bench_median(t->time[kind][o], runs);
    if (best < 0 || ms < best) best = ms, ordering = o;
  }
  if (best < 0) return best;
  snprintf(what, sizeof what, "cholmod_%s.%s.ms", kind_name[kind], ordering_name[ordering]);
  report(m, what, best, "ms", runs);
  snprintf(what, sizeof what, "cholmod_%s.analysis.ms", kind_name[kind]);
  report(m, what, t->analysis[kind][ordering], "ms", 1);
  return best;
}

static double lap(double *start) {
  double now = bench_thread_time(), ms = 1e3 * (now - *start);
  *start = now;
  return ms;
}

/** Median times of analysis, full factorisation, update and solution [ms]. */
typedef struct ours {
  double          analysis[MAX_RUNS], full[MAX_RUNS], update[MAX_RUNS], solve[MAX_RUNS];
  sup_linear_info info;
} ours;

static sup_status run_ours(sup_linear_solver *factor, const bench_matrix *m, ours *o, int run) {
  static double b[100000];
  double        ms[4], start;
  SUP_ASSERT(m->pattern.num_scalars <= (int)(sizeof b / sizeof *b));
  for (int i = 0; i < m->pattern.num_scalars; i++) b[i] = 1 + i % 5;
  start = bench_thread_time();
  sup_linear_operator A = {.pattern = &m->pattern, .values = m->values};
  SUP_TRY(sup_linear_solver_analyse(factor, &m->pattern, m->last));
  ms[0] = lap(&start);
  if (sup_linear_solver_info(factor).flops <
      1e10) { /* the first after an analysis meets new memory */
    SUP_TRY(sup_linear_solver_setup(factor, &A));
    lap(&start);
  }
  SUP_TRY(sup_linear_solver_setup(factor, &A));
  ms[1] = lap(&start);
  if (m->last) SUP_TRY(sup_linear_solver_update(factor, &A));
  ms[2] = lap(&start);
  SUP_TRY(sup_linear_solver_solve(factor, 0, b, NULL));
  ms[3] = lap(&start);
  o->info = sup_linear_solver_info(factor);
  if (run >= 0)
    o->analysis[run] = ms[0], o->full[run] = ms[1], o->update[run] = ms[2], o->solve[run] = ms[3];
  return SUP_OK;
}

/** Both, in turns: -> ours and the better of theirs [ms] of each kind.  `runs` becomes what 20 s
 * allowed. */
static sup_status measure(const bench_matrix *m, int *runs, int warm, ours *o, double best[KINDS]) {
  static theirs      t;
  sup_linear_solver *factor = NULL;
  sup_status         status = SUP_OK;
  SUP_TRY(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  if (prepare(&t, m)) {
    status = SUP_FAIL(SUP_E_EXTERNAL, "CHOLMOD cannot analyse %s", m->name);
    goto done;
  }
  double start = bench_thread_time();
  for (int run = -warm; run < *runs; run++) {
    SUP_TRY_GOTO(run_ours(factor, m, o, run), status, done);
    if (take_turns(&t, run)) {
      status = SUP_FAIL(SUP_E_EXTERNAL, "CHOLMOD cannot factor %s", m->name);
      goto done;
    }
    if (run >= 0 && bench_thread_time() - start > 20) *runs = run + 1;
  }
  for (int k = 0; k < KINDS; k++) best[k] = best_of(&t, m, k, *runs);
done:
  release(&t);
  sup_linear_solver_destroy(&factor);
  return status;
}

static sup_status compare(const char *name, int runs, int warm) {
  static ours  o;
  bench_matrix m;
  double       best[KINDS];
  SUP_TRY(bench_matrix_create(&m, name));
  SUP_TRY(measure(&m, &runs, warm, &o, best));
  double full = bench_median(o.full, runs);
  report(&m, "scalars", m.pattern.num_scalars, "1", 1);
  report(&m, "ms", full, "ms", runs);
  report(&m, "analysis.ms", bench_median(o.analysis, runs), "ms", runs);
  report(&m, "solve.ms", bench_median(o.solve, runs), "ms", runs);
  report(&m, "gflops", 1e-6 * o.info.flops / full, "GFlop/s", runs);
  for (int k = 0; k < KINDS; k++) {
    char what[64];
    snprintf(what, sizeof what, "vs_cholmod_%s", kind_name[k]);
    if (best[k] > 0) report(&m, what, best[k] / full, "1", runs);
  }
  char line[96];
  snprintf(line, sizeof line, "factor.%s", name);
  bench_limit(line, full, o.info.flops, 16 * o.info.nonzeros);
  if (m.last) { /* the contact block: theirs must factor everything again */
    double update = bench_median(o.update, runs);
    report(&m, "contacts", m.contacts, "1", 1);
    report(&m, "contact_block.ms", update, "ms", runs);
    report(&m, "contact_block.share_of_full", update / full, "1", runs);
    report(&m, "contact_block.vs_cholmod_supernodal", best[0] / update, "1", runs);
    report(&m, "contact_block.vs_cholmod_simplicial", best[1] / update, "1", runs);
    if (!strcmp(name, "grasp"))
      bench_report("refactor.contact_block.share_of_full", update / full, "1", runs);
  }
  bench_matrix_free(&m);
  return SUP_OK;
}

int bench_factor(void) {
  static const struct {
    const char *name;
    int         runs, warm;
  } rows[] = {{"finger1k", 41, 2},       {"grasp", 21, 2},  {"peer_finray", 21, 2},
              {"peer_block1050", 15, 1}, {"cube1k", 15, 1}, {"cube8k", 5, 0},
              {"cube27k", 3, 0}};
  printf("CHOLMOD calls OpenBLAS, core type %s\n", bench_blas_name());
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (compare(rows[k].name, rows[k].runs, rows[k].warm) != SUP_OK) return bench_fail();
  return 0;
}
