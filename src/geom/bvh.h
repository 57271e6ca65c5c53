/** Bounding-volume hierarchy over boxes that move: topology from the start, bounds refitted.  Layer
 * geom.
 *
 *  Binary tree of axis-aligned boxes, split at the median of the longest axis, one item a leaf.
 * Queries visit items in the tree's order, which depends on the positions at creation only: the
 * order of contacts is stable. */
#pragma once

#include "base/status.h"
#include "base/vec.h"

typedef struct sup_box {
  sup_v3 lower, upper;
} sup_box;

/** Empty box, to be grown by sup_box_add. */
static inline sup_box sup_box_empty(void) {
  return (sup_box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}
static inline sup_box sup_box_add(sup_box box, sup_v3 p) {
  return (sup_box){
      {sup_min(box.lower.x, p.x), sup_min(box.lower.y, p.y), sup_min(box.lower.z, p.z)},
      {sup_max(box.upper.x, p.x), sup_max(box.upper.y, p.y), sup_max(box.upper.z, p.z)}};
}
/** Distance of a point from a box, 0 inside. */
static inline double sup_box_distance(const sup_box *b, sup_v3 p) {
  double dx = sup_max(0, sup_max(b->lower.x - p.x, p.x - b->upper.x));
  double dy = sup_max(0, sup_max(b->lower.y - p.y, p.y - b->upper.y));
  double dz = sup_max(0, sup_max(b->lower.z - p.z, p.z - b->upper.z));
  return sqrt(dx * dx + dy * dy + dz * dz);
}
static inline int sup_box_overlap(const sup_box *a, const sup_box *b) {
  return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
         b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

typedef struct sup_bvh_node {
  sup_box box;
  int     left, right; /* children; a leaf has left = -1 - item */
} sup_bvh_node;

typedef struct sup_bvh {
  int           num_items;
  sup_bvh_node *node; /* [2 num_items - 1], children after their parent, the root first */
} sup_bvh;

/** Topology from item boxes; num_items >= 1. */
SUP_NODISCARD sup_status sup_bvh_create(sup_bvh **bvh, int num_items, const sup_box *item);
void                     sup_bvh_destroy(sup_bvh **bvh);
/** Topology from an order in which neighbours are near each other, in linear time: node [2
 * num_items - 1]. */
void sup_bvh_build_ordered(sup_bvh_node *node, int num_items, const sup_box *item, int *order);
/** New bounds, bottom up, into `node` [2 num_items - 1] (a copy of bvh->node, so that the hierarchy
 * itself is constant). */
void sup_bvh_refit(const sup_bvh *bvh, const sup_box *item, sup_bvh_node *node);
/** Items whose box overlaps `box`, in tree order; at most num_items.  Returns their number. */
int sup_bvh_query(const sup_bvh_node *node, const sup_box *box, int *item);
/** Called for two items whose boxes overlap. */
typedef sup_status sup_bvh_visit(int item_a, int item_b, void *user);
/** Visit all pairs of items with overlapping boxes of two hierarchies in one frame; for a hierarchy
 * with itself, each pair of different items once. */
SUP_NODISCARD sup_status sup_bvh_join(const sup_bvh_node *a, const sup_bvh_node *b,
                                      sup_bvh_visit *visit, void *user);
/** Items whose box reaches the half space normal . x <= offset, in tree order. */
int sup_bvh_query_half_space(const sup_bvh_node *node, sup_v3 normal, double offset, int *item);
