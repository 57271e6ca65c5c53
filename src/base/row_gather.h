/** Gathering of rows of cells or vertices from all ranks in the order of the whole body, one block
 * at a time.  Layer base.  No rank stores more than a block of other ranks' rows, and the result
 * depends only on the numbers of the rows, not on their distribution. */
#pragma once

#include "base/collective.h"

enum { SUP_ROW_BLOCK = 1 << 15 };

typedef struct sup_row_gather {
  const sup_collective *ranks;                /* NULL: one */
  const int            *number;               /* [own rows] ascending; NULL: 0, 1, .. */
  int                   num_rows, num_blocks; /* of all ranks */
  int                  *first;                /* [num_blocks + 1] own rows before a block */
  int                  *count; /* [ranks x num_blocks] rows of each rank; NULL: there is one */
  size_t               *bytes; /* [ranks] of the block under way */
  char                 *own, *all, *in_order; /* of a block, the latter two on the first rank */
} sup_row_gather;

/** Collective.
 *  @param[in] num_own     rows of this rank
 *  @param[in] num_rows    of all
 *  @param[in] most_bytes  of the longest row */
SUP_NODISCARD sup_status sup_row_gather_create(sup_row_gather *g, const sup_collective *ranks,
                                               const int *number, int num_own, int num_rows,
                                               size_t most_bytes);
void                     sup_row_gather_free(sup_row_gather *g);
/** Rows of a block. */
int sup_row_gather_block(const sup_row_gather *g, int block);
/** The rows of a block, on the first rank; NULL on others.  Collective; good until the next call.
 *  @param[in] bytes  of a row, the same on all ranks
 *  @param[in] pack   writes row `own` of those of this rank */
const char *sup_row_gather_collect(sup_row_gather *g, int block, size_t bytes,
                                   void (*pack)(void *self, int own, char *row), void *self);
