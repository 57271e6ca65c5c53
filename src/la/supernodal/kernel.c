#include "la/supernodal/kernel.h"

#include <float.h>
#include <math.h>

enum { LANES = SUP_PANEL_ALIGN, GROUP = SUP_PIECE_GROUP };

/** L D L^T of the diagonal block of a strip: L, whose diagonal is 1, and 1 / sqrt(D). */
typedef struct corner {
  double unit[SUP_KERNEL_STRIP][SUP_KERNEL_STRIP], scale[SUP_KERNEL_STRIP];
} corner;

#define NOINLINE __attribute__((noinline))
/* Without FMA the bits of the portable set differ from those of the other sets. */
#define SET_FILE "la/supernodal/kernel_set.inc"
#include "base/each_set.inc"

#define KERNEL_SET(set) \
  { #set, update_##set, factor_##set, forward_##set, backward_##set, couple_##set }

static const sup_kernels set[] = {EACH_SET(KERNEL_SET)};

int sup_kernel_runs(int k, int *end) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  int fma = __builtin_cpu_supports("fma"), avx2 = __builtin_cpu_supports("avx2");
  int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
  const int runs[] = {avx512 && fma, avx2 && fma, 1};
#else
  const int runs[] = {1};
#endif
  *end = k >= (int)(sizeof runs / sizeof *runs);
  return !*end && runs[k];
}

int sup_kernel_best(void) {
  int k = 0, end;
  while (!sup_kernel_runs(k, &end)) k++;
  return k;
}

const sup_kernels *sup_kernel_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? &set[k] : NULL;
}

const sup_kernels *sup_kernel_select(void) { return &set[sup_kernel_best()]; }
