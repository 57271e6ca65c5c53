#include "la/supernodal/kernel.h"

#include <float.h>
#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = SUP_PANEL_ALIGN, GROUP = SUP_PIECE_GROUP };

/** L D L^T of the diagonal block of a strip: L, whose diagonal is 1, and 1 / sqrt(D). */
typedef struct corner {
  double unit[SUP_KERNEL_STRIP][SUP_KERNEL_STRIP], scale[SUP_KERNEL_STRIP];
} corner;

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(function) PASTE(function, SET)
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#if defined(__x86_64__)

#define SET _avx512
#define WIDTH 8
#define LANE_NUMBERS \
  { 0, 1, 2, 3, 4, 5, 6, 7 }
#define TALL 4
#define MASKS 1
#define FUSED 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), \
                             apply_to = function)
#include "la/supernodal/kernel_set.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#include "la/supernodal/kernel_set.inc"
#pragma GCC pop_options
#endif
#undef SET
#undef WIDTH
#undef LANE_NUMBERS
#undef TALL
#undef MASKS
#undef FUSED

#define SET _avx2
#define WIDTH 4
#define LANE_NUMBERS \
  { 0, 1, 2, 3 }
#define TALL 2
#define MASKS 0
#define FUSED 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "la/supernodal/kernel_set.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "la/supernodal/kernel_set.inc"
#pragma GCC pop_options
#endif
#undef SET
#undef WIDTH
#undef LANE_NUMBERS
#undef TALL
#undef MASKS
#undef FUSED

#endif

/* Portable set for every processor; without FMA its bits differ from those of the other sets. */
#define SET _plain
#define WIDTH 2
#define LANE_NUMBERS \
  { 0, 1 }
#define TALL 2
#define MASKS 0
#ifdef __FP_FAST_FMA
#define FUSED 1
#else
#define FUSED 0
#endif
#include "la/supernodal/kernel_set.inc"

#define KERNEL_SET(set) \
  { #set, update_##set, factor_##set, forward_##set, backward_##set, couple_##set }

const sup_kernels *sup_kernel_set(int k, int *end) {
#if defined(__x86_64__)
  static const sup_kernels set[] = {KERNEL_SET(avx512), KERNEL_SET(avx2), KERNEL_SET(plain)};
  __builtin_cpu_init();
  int fma = __builtin_cpu_supports("fma"), avx2 = __builtin_cpu_supports("avx2");
  int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
  const int runs[] = {avx512 && fma, avx2 && fma, 1};
#else
  static const sup_kernels set[] = {KERNEL_SET(plain)};
  const int                runs[] = {1};
#endif
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && runs[k] ? &set[k] : NULL;
}

const sup_kernels *sup_kernel_select(void) {
  const sup_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_kernel_set(k, &end);
  return kernels;
}
