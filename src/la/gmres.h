/** GMRES: least residual over a Krylov space, by rotations of its Hessenberg matrix.  Saad,
 * Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856.  Layer la. */
#pragma once

#include "base/memory.h"

enum { SUP_GMRES_MOST = 30 };

typedef struct sup_gmres {
  int    count; /* columns */
  double h[SUP_GMRES_MOST][SUP_GMRES_MOST + 1], cos[SUP_GMRES_MOST], sin[SUP_GMRES_MOST];
  double rest[SUP_GMRES_MOST + 1]; /* |rest[count]| is the residual; of sup_gmres_finish: weights of
                                      the basis */
  bool is_negative;                /* the determinant of the Hessenberg matrix */
  bool is_invariant;               /* the space has the solution */
} sup_gmres;

/** Begin with a residual of norm `size`; basis [n] is its direction. */
static inline void sup_gmres_begin(sup_gmres *g, double size) {
  g->count = 0, g->rest[0] = size, g->is_negative = g->is_invariant = false;
}
/** Add column basis[count + 1] [n], the product with basis[count]: orthonormal to those before. */
void sup_gmres_extend(sup_gmres *g, double *basis, int n);
/** Weights of the columns basis[0 .. count - 1] in the solution: g->rest. */
void sup_gmres_finish(sup_gmres *g);

/** y [n] := K x, or x [n] := M^-1 x in place (y NULL). */
typedef sup_status sup_gmres_product(void *user, double *x, double *y);

/** Solve K x = b with K given by products, preconditioned from the right by M, which may differ
 * from product to product (Saad, SIAM J. Sci. Comput. 14 (1993) 461); SUP_GMRES_MOST products at
 * most.
 *  @param[in,out] x  [n]: b on entry
 *  @param[out] residual  over b */
SUP_NODISCARD sup_status sup_gmres_solve(int n, sup_gmres_product *K, sup_gmres_product *M,
                                         void *user, double tolerance, double *x, sup_arena *arena,
                                         double *residual);
