#define _GNU_SOURCE /* dladdr */
#include "cholmod_yardstick.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench.h"

void        dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc);
const char *openblas_get_corename(void);

struct bench_cholmod {
  cholmod_common  common;
  cholmod_sparse *matrix;
  cholmod_factor *factor;
};

/* ---- BLAS ------------------------------------------------------------------------------------ */

double bench_dgemm_rate(int n) {
  double best = 0, one = 1, *a = NULL;
  size_t size = (size_t)n * (size_t)n;
  int    repeats = (int)(4e7 / (2. * n * n * n)) + 1;
  if (SUP_CALLOC(a, 3 * size) != SUP_OK) return 0;
  for (size_t i = 0; i < 3 * size; i++) a[i] = 1e-3 * (double)(i % 7);
  for (int run = 0; run < 12; run++) {
    double start = bench_thread_time();
    for (int r = 0; r < repeats; r++)
      dgemm_("N", "T", &n, &n, &n, &one, a, &n, a + size, &n, &one, a + 2 * size, &n);
    double rate = 2e-9 * n * n * n * repeats / (bench_thread_time() - start);
    if (rate > best) best = rate;
  }
  SUP_FREE(a);
  return best;
}

static const char probe_word[] = "--dgemm-rate";

/** This program as a child of another core type: its rate, 0 when it cannot. */
static double rate_of(const char *program, const char *core) {
  char   command[600];
  double rate = 0;
  snprintf(command, sizeof command, "OPENBLAS_CORETYPE=%s '%s' %s 2>/dev/null", core, program,
           probe_word);
  FILE *out = popen(command, "r");
  if (!out) return 0;
  if (fscanf(out, "%lf", &rate) != 1) rate = 0;
  return pclose(out) == 0 ? rate : 0;
}

const char *bench_blas_name(void) {
  static char name[300];
  Dl_info     info;
  if (!dladdr(dlsym(RTLD_DEFAULT, "dsyrk_"), &info)) return "unknown";
  snprintf(name, sizeof name, "%s of %s", openblas_get_corename(), info.dli_fname);
  return name;
}

int bench_choose_blas(char **argv) {
  static const char *const cores[] = {"Haswell", "Zen", "SkylakeX"};
  if (argv[1] && !strcmp(argv[1], probe_word)) { /* panels of supernodes are small and middling */
    printf("%g\n", bench_dgemm_rate(48) * bench_dgemm_rate(384));
    exit(0);
  }
  /* CHOLMOD's supernodal loops ask for four threads of OpenMP whatever their number is set to. */
  if (!getenv("OMP_THREAD_LIMIT") && setenv("OMP_THREAD_LIMIT", "1", 1) == 0) execv(argv[0], argv);
  if (!getenv("OPENBLAS_CORETYPE")) {
    double      best = 0;
    const char *chosen = NULL;
    for (size_t k = 0; k < sizeof cores / sizeof *cores; k++) {
      double rate = rate_of(argv[0], cores[k]);
      if (rate > best) best = rate, chosen = cores[k];
    }
    if (chosen && setenv("OPENBLAS_CORETYPE", chosen, 1) == 0) execv(argv[0], argv);
    fprintf(stderr, "bench: no core type of OpenBLAS works\n");
    return 1;
  }
  if (strstr(bench_blas_name(), "openblas")) return 0;
  fprintf(stderr, "bench: CHOLMOD would call %s, which is not OpenBLAS\n", bench_blas_name());
  return 1;
}

/* ---- CHOLMOD --------------------------------------------------------------------------------- */

/** The scalar lower triangle, column by column; returns the number of entries; arrays may be NULL.
 */
static int expand(const sup_block_pattern *P, const double *values, int *start, int *row,
                  double *x) {
  int fill = 0;
  for (int b = 0; b < P->num_blocks; b++)
    for (int c = 0; c < P->offset[b + 1] - P->offset[b]; c++) {
      if (start) start[P->offset[b] + c] = fill;
      for (int e = P->col_start[b]; e < P->col_start[b + 1]; e++) {
        int first = P->offset[P->row[e]], size = P->offset[P->row[e] + 1] - first;
        for (int r = P->row[e] == b ? c : 0; r < size; r++, fill++)
          if (row)
            row[fill] = first + r, x[fill] = values[P->value_start[e] + (size_t)(c * size + r)];
      }
    }
  if (start) start[P->num_scalars] = fill;
  return fill;
}

bench_cholmod *bench_cholmod_create(const sup_block_pattern *pattern, const double *values,
                                    int simplicial, int metis, double *ms) {
  bench_cholmod *self = NULL;
  size_t         n = (size_t)pattern->num_scalars;
  if (SUP_CALLOC(self, 1) != SUP_OK) return NULL;
  cholmod_common *c = &self->common;
  cholmod_start(c);
  c->print = 0;
  c->supernodal = simplicial ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
  c->nmethods = 1, c->postorder = 1;
  c->method[0].ordering = metis ? CHOLMOD_METIS : CHOLMOD_AMD;
  self->matrix = cholmod_allocate_sparse(n, n, (size_t)expand(pattern, values, NULL, NULL, NULL), 1,
                                         1, -1, CHOLMOD_REAL, c);
  if (self->matrix) {
    expand(pattern, values, self->matrix->p, self->matrix->i, self->matrix->x);
    double begin = bench_thread_time();
    self->factor = cholmod_analyze(self->matrix, c);
    *ms = 1e3 * (bench_thread_time() - begin);
  }
  if (self->factor && c->status == CHOLMOD_OK) return self;
  bench_cholmod_destroy(self);
  return NULL;
}

double bench_cholmod_factorize(bench_cholmod *self) {
  double start = bench_thread_time();
  cholmod_factorize(self->matrix, self->factor, &self->common);
  return self->common.status == CHOLMOD_OK ? 1e3 * (bench_thread_time() - start) : -1;
}

double bench_cholmod_flops(const bench_cholmod *self) { return self->common.fl; }

void bench_cholmod_destroy(bench_cholmod *self) {
  if (!self) return;
  cholmod_free_sparse(&self->matrix, &self->common);
  cholmod_free_factor(&self->factor, &self->common);
  cholmod_finish(&self->common);
  SUP_FREE(self);
}
