/** CHOLMOD as a user calls it, on the same matrices: what the factor is measured against. */
#pragma once

#include "la/block_matrix.h"

typedef struct bench_cholmod bench_cholmod;

/** One thread for CHOLMOD, unless OMP_THREAD_LIMIT says how many, and the core type of OpenBLAS
 * that multiplies fastest here, unless OPENBLAS_CORETYPE says one: the program starts itself anew
 * with them.  Then make sure that the BLAS which CHOLMOD calls is OpenBLAS.  0: it is; else a
 * message was printed. */
int bench_choose_blas(char **argv);
/** "SkylakeX of /usr/lib/...". */
const char *bench_blas_name(void);
/** Rate of dgemm on n x n matrices, one thread [GFlop/s], the best of several. */
double bench_dgemm_rate(int n);

/** Copy the matrix as the scalar lower triangle and analyse it, one thread.
 *  @param[in]  simplicial  or supernodal
 *  @param[in]  metis       nested dissection or AMD
 *  @param[out] ms          of the analysis
 *  NULL: it failed. */
bench_cholmod *bench_cholmod_create(const sup_block_pattern *pattern, const double *values,
                                    int simplicial, int metis, double *ms);
/** One cholmod_factorize [ms]; negative: it failed. */
double bench_cholmod_factorize(bench_cholmod *self);
/** Flops of the factorisation that its analysis foresees. */
double bench_cholmod_flops(const bench_cholmod *self);
void   bench_cholmod_destroy(bench_cholmod *self);
