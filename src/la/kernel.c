#include "la/kernel.h"

#include <math.h>
#include <string.h>

/* Eight doubles; the compiler splits them on processors with narrower vectors, which changes no bits. */
typedef double vec __attribute__((vector_size(64), may_alias));

enum { LANES = SUP_PANEL_ALIGN };

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(function) PASTE(function, SET)
#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* kernel_set.inc is compiled once per instruction set; TALL is the number of vectors in a register tile of 6 columns.
 */
#if defined(__x86_64__)

#define SET _avx512
#define TALL 4
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#include "la/kernel_set.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#include "la/kernel_set.inc"
#pragma GCC pop_options
#endif
#undef SET
#undef TALL

#define SET _avx2
#define TALL 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "la/kernel_set.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "la/kernel_set.inc"
#pragma GCC pop_options
#endif
#undef SET
#undef TALL

#endif

#define SET _plain
#define TALL 1
#include "la/kernel_set.inc"

#define KERNEL_SET(set) \
  { #set, update_##set, scatter_##set, factor_##set, forward_##set, backward_##set }

const sup_kernels *sup_kernel_set(int k, int *end) {
#if defined(__x86_64__)
  static const sup_kernels set[] = {KERNEL_SET(avx512), KERNEL_SET(avx2), KERNEL_SET(plain)};
  __builtin_cpu_init();
  int runs[] = {__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"),
                __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), 1};
#else
  static const sup_kernels set[] = {KERNEL_SET(plain)};
  int                      runs[] = {1};
#endif
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && runs[k] ? &set[k] : NULL;
}

const sup_kernels *sup_kernel_select(void) {
  const sup_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_kernel_set(k, &end);
  return kernels;
}
