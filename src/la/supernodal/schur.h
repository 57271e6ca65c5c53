/** The Schur complement S = A_tt - A_tl A_ll^-1 A_lt of the leading block columns (l) in the last
 * ones (t), as a block matrix: where its blocks stand in the panels.  Layer la. */
#pragma once

#include "la/supernodal/plan.h"

/** Blocks of S, sorted by the panel of the factor that contains them. */
typedef struct sup_schur {
  int           *panel_start; /* [num_panels - num_leading + 1] into placement */
  sup_placement *placement;   /* value: in S; place: in the panel */
  int           *A_entry;     /* [entries of S] entry of A's pattern, SUP_NONE: 0 */
  int           *scratch;
  size_t         capacity[4];
} sup_schur;

/** Pattern of S and the places of its blocks.  Zero both structs before the first call; memory is
 * kept between calls.
 *  @param[in]  A    the pattern that was analysed
 *  @param[out] out  the block columns that are `last`, in A's order
 *  @return E_MEMORY */
SUP_NODISCARD sup_status sup_schur_build(sup_schur *schur, const sup_symbolic *symbolic,
                                         sup_plan *plan, const sup_block_pattern *A,
                                         sup_block_pattern *out);
void                     sup_schur_free(sup_schur *schur);
/** S := A_tt + update.
 *  @param[in] update  panels of the last block columns, beginning with the first of them: -A_tl
 * A_ll^-1 A_lt */
void sup_schur_extract(const sup_schur *schur, const sup_symbolic *symbolic, const sup_plan *plan,
                       const sup_block_pattern *A, const double *A_values, const double *update,
                       const sup_block_pattern *pattern, double *S);
