/** Inverse masses w of contacts from W = J A^-1 J^T, block column by block column (THEORY 5.4).
 * Layer constraint. */
#pragma once

#include "constraint/rows.h"
#include "solve/block_inverse.h"

typedef struct sup_delassus_work {
  sup_delassus      kind;
  const sup_model  *model;
  sup_block_inverse inverse;
} sup_delassus_work;

/** w_n = W_nn and w_t = |W_tt|_F/sqrt(2), positive: the rms of W takes the place of a zero [1/kg].
 */
typedef struct sup_inverse_mass {
  double n, t;
} sup_inverse_mass;

/** DIAGONAL: a vertex has the mean of its three entries, which does not know the world's axes. */
SUP_NODISCARD sup_status sup_delassus_create(sup_delassus_work *work, sup_delassus kind,
                                             const sup_model         *model,
                                             const sup_block_pattern *A_pattern, const double *A,
                                             sup_arena *arena);
/** Inverse masses of the last constraint, a contact.  E_NOT_SPD. */
SUP_NODISCARD sup_status sup_delassus_estimate(sup_delassus_work *work, const sup_rows *rows,
                                               sup_inverse_mass *out);
