/** Factorisation of a symmetric positive definite block matrix: one interface, several backends.  Layer la.
 *
 *  The caller marks block columns as `last`: they are eliminated after all others, so that what only changes among them
 *  (contact, inside a Newton loop) costs a refactorisation of the trailing part alone. */
#pragma once

#include "la/symbolic.h"
#include "supple.h"

typedef struct sup_factor sup_factor;

typedef struct sup_factor_info {
  double nonzeros;       /* of L, scalars */
  double flops;          /* of the full numeric phase */
  double trailing_flops; /* of the trailing part */
  int    num_supernodes;
} sup_factor_info;

/** E_ARG when the backend was not built in (CHOLMOD=0). */
SUP_NODISCARD sup_status sup_factor_create(sup_factor **factor, sup_backend backend);
void                     sup_factor_destroy(sup_factor **factor);
/** Before the first analysis: the factor's numbers live in the memory of another of the same backend, which outlives
 *  it.  Of all that share a memory only the one that was factored last has a factor. */
void sup_factor_share(sup_factor *factor, sup_factor *lender);
/** Order and analyse.  The pattern must outlive the factor's use; when it is built anew, analyse again.  Memory
 *  is kept: an analysis that needs no more than an earlier one allocates nothing (supernodal backend).
 *  @param[in] last  [num_blocks] nonzero: eliminate after every block that has 0; NULL: no preference */
SUP_NODISCARD sup_status sup_factor_analyze(sup_factor *factor, const sup_block_pattern *pattern,
                                            const unsigned char *last);
/** The same result structure for `last` from the analysis of the same pattern without, much faster where few columns
 * are `last` (la/reroot.h); `base` outlives the factor's use.  Backends that order by themselves analyse from scratch.
 */
SUP_NODISCARD sup_status sup_factor_analyze_from(sup_factor *factor, const sup_block_pattern *pattern,
                                                 const sup_symbolic *base, const unsigned char *last);
/** Factor everything.  E_NOT_SPD when a pivot is no positive normal number: sup_factor_failed_block names its block
 *  column, and there is nothing to solve with.
 *  @param[in] values  as in block_matrix.h; of diagonal blocks only the lower triangle is read */
SUP_NODISCARD sup_status sup_factor_numeric(sup_factor *factor, const double *values);
/** Factor again when only blocks whose row and column are both `last` changed since sup_factor_numeric: the same
 *  bits as a full factorisation, also after an update that failed.  Without `last` blocks everything is factored again.
 */
SUP_NODISCARD sup_status sup_factor_update(sup_factor *factor, const double *values);
/** b := A^-1 b; size num_scalars in the pattern's order. */
SUP_NODISCARD sup_status sup_factor_solve(sup_factor *factor, double *b);
/** Whether the backend can eliminate the blocks that are not `last` alone, with the functions that follow. */
int sup_factor_can_eliminate(const sup_factor *factor);
/** Pattern of the Schur complement S = A_tt - A_tl A_ll^-1 A_lt of the leading blocks (l) in the last ones (t): block
 *  columns are the last ones, in the order of the matrix.  After the analysis, before sup_factor_eliminate. */
SUP_NODISCARD sup_status sup_factor_schur_pattern(sup_factor *factor, sup_block_pattern *out);
/** Factor the leading part; S in the pattern above; b, unless NULL, as by sup_factor_forward, panel by panel while it
 * is in the cache.  Afterwards sup_factor_update completes the factor, forward and backward work without.  E_NOT_SPD as
 * sup_factor_numeric. */
SUP_NODISCARD sup_status sup_factor_eliminate(sup_factor *factor, const double *values,
                                              const sup_block_pattern *pattern, double *S, double *b);
/** b_l := y = L_ll^-1 b_l, b_t := b_t - A_tl A_ll^-1 b_l. */
SUP_NODISCARD sup_status sup_factor_forward(sup_factor *factor, double *b);
/** y := A_ll^-1 (b_l - A_lt x_t), y and b_l those of sup_factor_forward, x_t in the place of b_t. */
SUP_NODISCARD sup_status sup_factor_backward(sup_factor *factor, double *b);
/** Pivots of what was factored or eliminated last, L_ii^2, in the order of the matrix [num_scalars]; others keep what
 *  they have.  0 when the backend does not tell. */
int sup_factor_pivots(const sup_factor *factor, double *pivot);
/** Block column at which the last factorisation lost definiteness, SUP_NONE when it did not. */
int             sup_factor_failed_block(const sup_factor *factor);
sup_factor_info sup_factor_get_info(const sup_factor *factor);
