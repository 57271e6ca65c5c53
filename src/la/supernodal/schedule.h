/** Panels shared out among threads.  Layer la.
 *
 *  An item is a run of panels that one thread works on: a subtree with little work, which needs
 * nothing from outside, or one panel above the subtrees, which waits for its sources one by one.
 * Every panel receives its updates in one fixed order from one thread, so that the bits do not
 * depend on the number of threads.  Items are taken in the order of the work on their path to the
 * root, longest first (Hu's rule): sources precede their targets, so that the first unfinished item
 * never waits, and neighbouring trees advance together. */
#pragma once

#include "la/supernodal/plan.h"

typedef struct sup_item {
  int    first, end; /* panels */
  double way;        /* operations from here to the root */
} sup_item;

typedef struct sup_schedule {
  int       num_items, num_panels;
  sup_item *item; /* [num_items] in the order of `way`; none holds leading and trailing panels */
  unsigned char *done; /* [num_panels] panels whose values others may read */
  double *work; /* [2 num_panels] of the build: operations of a panel's subtree, and from it to the
                   root */
  int   *tree;  /* [2 num_panels] of the build */
  int    next;  /* item to be taken */
  size_t capacity[4];
} sup_schedule;

/** Zero the struct before the first call; memory is kept between calls.  E_MEMORY. */
SUP_NODISCARD sup_status sup_schedule_build(sup_schedule *schedule, const sup_symbolic *symbolic,
                                            const sup_plan *plan);
void                     sup_schedule_free(sup_schedule *schedule);
/** Reset before threads start: no panel is done. */
void sup_schedule_start(sup_schedule *schedule);
/** The next item, NULL when all are taken; any thread. */
const sup_item *sup_schedule_pop(sup_schedule *schedule);
/** The next item in the opposite order: targets before sources; NULL when all are taken. */
const sup_item *sup_schedule_pop_reverse(sup_schedule *schedule);
/** Panel of the first row below panel k; SUP_NONE: k is a root. */
int sup_schedule_parent(const sup_symbolic *symbolic, int k);
/** Panel k is finished. */
void sup_schedule_finish(sup_schedule *schedule, int k);
/** Return when panel k is finished. */
void sup_schedule_await(const sup_schedule *schedule, int k);
