/** Broad phase: pairs of the model that may touch.  Layer collide.
 *
 *  A hierarchy of boxes over all items is rebuilt in each step along a space-filling curve,
 * independent of earlier steps, and traversed against itself; pairs are sorted by radix.  The time
 * is linear if every body has few neighbours.  Half spaces are unbounded: all their pairs are
 * candidates. */
#pragma once

#include "base/memory.h"
#include "model/model.h"

/** Pairs whose items' boxes overlap, as indices into model->pair in increasing order.
 *  @param[in] box  [sup_model_num_items] of geometries and soft bodies, grown by half of the
 * distance that counts as near; a box that is not finite overlaps all
 *  @param[in,out] pair  list that keeps its memory */
SUP_NODISCARD sup_status sup_broad_phase(const sup_model *model, const sup_box *box,
                                         sup_arena *arena, int **pair, size_t *capacity,
                                         int *num_pairs);
