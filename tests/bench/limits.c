/* Limits of this machine: flops at the rate of dgemm, bytes at the rate of a stream, both
 * measured in this run.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "bench.h"
#include "cholmod_yardstick.h"
#include "collide/contact.h"

/** Rate of a := a + s b on arrays that fit no cache [GB/s], the best of several. */
static double stream_rate(void) {
  enum { COUNT = 1 << 23 };
  double best = 0, *a = NULL, *b = NULL;
  if (SUP_CALLOC(a, COUNT) == SUP_OK && SUP_CALLOC(b, COUNT) == SUP_OK)
    for (int run = 0; run < 8; run++) {
      double start = bench_thread_time();
      for (int i = 0; i < COUNT; i++) a[i] += .5 * b[i];
      double rate = 1e-9 * 3 * sizeof *a * COUNT / (bench_thread_time() - start);
      best = run ? fmax(best, rate) : 0; /* the first meets new pages */
    }
  SUP_FREE(a);
  SUP_FREE(b);
  return best;
}

bench_rates bench_measure_rates(void) {
  static bench_rates rates;
  if (rates.dgemm > 0) return rates;
  rates.dgemm = bench_dgemm_rate(512), rates.stream = stream_rate();
  bench_report("limit.dgemm", rates.dgemm, "GFlop/s", 12);
  bench_report("limit.stream", rates.stream, "GB/s", 7);
  return rates;
}

void bench_limit(const char *name, double ms, double flops, double bytes) {
  bench_rates rates = bench_measure_rates();
  char        line[128];
  double      limit = 1e-6 * fmax(flops / rates.dgemm, bytes / rates.stream);
  snprintf(line, sizeof line, "%s.limit_ms", name);
  bench_report(line, limit, "ms", 1);
  snprintf(line, sizeof line, "%s.times_limit", name);
  if (limit > 0) bench_report(line, ms / limit, "1", 1);
}

double bench_assembly_flops(double cells, double vertex_pairs) {
  /* deformation gradient and polar decomposition of a cell; R k R^T and its part of A for each pair
   * of vertices */
  return 200 * cells + (90 + 18) * vertex_pairs;
}

void bench_limit_phases(const char *scene, const bench_totals *t) {
  static const double vector = 3 * sizeof(double), block = 9 * sizeof(double);
  const bench_size   *n = &t->size;
  double              matrix = sizeof(double) * n->values, contacts = t->contacts,
         newton = fmax(t->iterations, 1);
  const struct {
    double flops, bytes;
  } least[SUP_NUM_PHASES] = {
      {0, 0}, /* kinematics of a few links */
      /* stiffness of each pair of vertices read, A written */
      {bench_assembly_flops(n->cells, n->vertex_pairs),
       block * n->vertex_pairs + matrix + 4 * vector * n->vertices},
      /* three vertices of each triangle and its share of the boxes; contacts written */
      {0, (3 * vector + 2 * 6 * sizeof(double)) * n->triangles + sizeof(sup_contact) * contacts},
      /* contacts read, a Jacobian of four blocks each written */
      {0, (sizeof(sup_contact) + 4 * block) * contacts},
      /* which columns each contact couples; in some steps the pattern of H read and that of its
         factor written */
      {0, sizeof(int) * (4 * contacts + t->analyses * (n->values + t->factor.nonzeros) / 9)},
      /* one factor, its contact block in each further iteration; solutions read the factor twice */
      {t->factor.flops + (newton - 1) * t->factor.trailing_flops,
       newton * (2 * sizeof(double) * t->factor.nonzeros + matrix + 4 * block * contacts)},
      {0, matrix + 8 * vector * n->vertices}, /* A u for forces; positions and velocities */
  };
  for (int p = 0; p < SUP_NUM_PHASES; p++) {
    char name[96];
    snprintf(name, sizeof name, "step.%s.%s", scene, sup_phase_name(p));
    if (least[p].flops + least[p].bytes > 0)
      bench_limit(name, t->phase[p], least[p].flops, least[p].bytes);
  }
}
