/** Choice of the Schur complement: which block columns are kept when the others are eliminated
 * first.  Layer la.
 *
 *  Touched columns have to be kept.  With touched columns alone, elimination couples all touched
 * columns of a connected body, and S is dense.  If the rows below each of them in the free factor
 * are kept, too, S is as sparse as the free factor, and larger.  The dense S is right for few
 * touched columns, the sparse one for many that are far apart. */
#pragma once

#include "la/supernodal/symbolic.h"

typedef struct sup_retained {
  sup_symbolic symbolic; /* of the free factor */
  int         *work;     /* arrays of choose */
  double      *cost;
  size_t       capacity[2];
} sup_retained;

/** Order and analyse the pattern without preferences.  Zero the struct before the first call.
 * E_MEMORY, E_ARG as sup_symbolic_analyze. */
SUP_NODISCARD sup_status sup_retained_build(sup_retained            *retained,
                                            const sup_block_pattern *pattern);
/** Select for each connected part of the matrix the set with the smaller predicted time; depends
 * only on `touched`.
 *  @param[in]  touched  [num_blocks] nonzero: must be kept
 *  @param[out] left     [num_blocks] 1: is kept, 0: is eliminated */
void sup_retained_choose(sup_retained *retained, const unsigned char *touched, unsigned char *left);
void sup_retained_free(sup_retained *retained);
