/** Items of two hierarchies that may meet while their boxes change with a parameter.  Layer geom.
 */
#pragma once

#include "geom/bvh.h"

/** A box by its centre and half its size. */
typedef struct sup_bvh_extent {
  sup_v3 centre, half;
} sup_bvh_extent;

/** A node's box over the slab, in its own frame and its bounds in the other's. */
typedef struct sup_bvh_relative {
  sup_bvh_extent own, other;
  double         size; /* sum of the box's extents along its own axes */
} sup_bvh_relative;

/** One of the hierarchies.  Boxes go linearly from node[i].box at s = 0 to last[i].box at s = 1. */
typedef struct sup_bvh_side {
  const sup_bvh_node *node, *last; /* last NULL: the boxes do not change */
  int                 num_items;
  double              s[2]; /* slab of s: boxes are bounds over this range */
  sup_bvh_relative   *seen; /* workspace, [2 num_items - 1], filled as nodes are reached */
  unsigned char *known; /* [2 num_items - 1] slab for which `box` is computed, 0 at first; constant
                           boxes are computed once */
} sup_bvh_side;

/** Visit all pairs of items whose boxes overlap in the frame of a and in that of b (turned boxes
 * are replaced by their bounds), in an order that depends only on the trees.  Stops at the first
 * status that is not SUP_OK.
 *  @param[in] X_AB   places b in a's frame
 *  @param[in] slack  growth of boxes, for round-off [m]
 *  @param[in] slab 1 .. 255, a different number in each call with the same workspace */
SUP_NODISCARD sup_status sup_bvh_pairs(const sup_bvh_side *a, const sup_bvh_side *b,
                                       const sup_frame *X_AB, double slack, int slab,
                                       sup_bvh_visit *visit, void *user);
/** Items whose box reaches the half space normal . x <= offset anywhere in the slab, in tree order.
 */
int sup_bvh_pairs_below(const sup_bvh_side *a, sup_v3 normal, double offset, int *item);
