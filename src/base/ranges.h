/** Deterministic parallel scatter-add: the result is bitwise that of one thread.  Layer base.
 *
 *  Items add to targets: cells to the columns of a matrix, fits to vertices.  Threads take ranges
 * of items.  Each target belongs to the range of its home, the first item that adds to it.  Items
 * at the border of two ranges are computed in both, and each range writes its own targets.  Every
 * sum is then made by one thread in the order of the items, for any number of ranges, and no
 * partial sums are merged.  This pays where items near each other in number share their targets, as
 * the cells of generated meshes do; elsewhere there is one range. */
#pragma once

#include "base/status.h"
#include "base/team.h"

/** Map of items to the targets that they add to.  Constant after creation. */
typedef struct sup_ranges {
  int  num_items, num_targets;
  int *home;         /* [num_targets] the first item that adds to it; SUP_NONE: no item does */
  int *reach;        /* [num_items] the least home of its targets; of an item without any: itself */
  int *crossing;     /* [num_items + 1] items from this one on that reach below it */
  int *first_target; /* [num_items + 1] where those at home at an item begin .. */
  int *target;       /* [num_targets] .. here, ascending */
} sup_ranges;

/** Targets first .. end by their homes. */
typedef struct sup_range {
  const sup_ranges *ranges;
  int               first, end;
} sup_range;

/** Item i of a range: to add to the targets that the range owns, perhaps to none. */
typedef void sup_range_item(void *user, const sup_range *range, int i);

/** Begin the map.  Then call sup_ranges_touch for each item and its targets, item after item, and
 * sup_ranges_finish.  E_MEMORY. */
SUP_NODISCARD sup_status sup_ranges_begin(sup_ranges *ranges, int num_items, int num_targets);
void                     sup_ranges_touch(sup_ranges *ranges, int item, int target);
void                     sup_ranges_finish(sup_ranges *ranges);
void                     sup_ranges_free(sup_ranges *ranges);

/** Largest number of items of one of `num` ranges: little more than num_items / num if items near
 * each other in number share their targets, nearly num_items if they do not. */
int sup_ranges_longest(const sup_ranges *ranges, int num);
/** Run all items, in each range in ascending order.
 *  @param[in] threads  largest useful number of threads; fewer are used if ranges overlap too much
 */
void sup_ranges_run(const sup_ranges *ranges, int threads, sup_range_item *item, void *user);

static inline int sup_range_owns(const sup_range *r, int target) {
  int home = r->ranges->home[target];
  return r->first <= home && home < r->end;
}
/** 1: the range owns all targets of its item i. */
static inline int sup_range_owns_all(const sup_range *r, int i) {
  return i < r->end && r->ranges->reach[i] >= r->first;
}
/** 1: this range writes the results of item i that are not shared with other items. */
static inline int sup_range_owns_item(const sup_range *r, int i) { return i < r->end; }
