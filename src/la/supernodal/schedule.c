#include "la/supernodal/schedule.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  SHARES = 32, /* a subtree has at most this part of all work; the same for any number of threads */
  SPINS = 1000 /* checks of a panel before the thread yields the processor */
};

/** Operations [flop] of the updates into panel k and of its own factorisation. */
static double panel_work(const sup_plan *plan, int k) {
  const sup_panel *panel = &plan->panel[k];
  double           work = (double)panel->width * panel->width * panel->height;
  for (int g = panel->segment; g < panel[1].segment; g++) {
    const sup_panel *source = &plan->panel[plan->segment[g].source];
    work += 2.0 * source->width * plan->segment[g].count * (source->below - plan->segment[g].first);
  }
  return work;
}

int sup_schedule_parent(const sup_symbolic *s, int k) {
  return s->row_start[k] < s->row_start[k + 1] ? s->super_of[s->row[s->row_start[k]]] : SUP_NONE;
}

/** Subtree of every panel: its operations, its first panel and the number of its panels; operations
 * from the panel to the root.  Returns all operations. */
static double weigh_subtrees(sup_schedule *schedule, const sup_symbolic *s, const sup_plan *plan,
                             int *first, int *count) {
  double total = 0, *work = schedule->work, *way = work + plan->num_panels;
  for (int k = 0; k < plan->num_panels; k++) {
    work[k] = 0;
    first[k] = k;
    count[k] = 1;
  }
  for (int k = 0; k < plan->num_panels; k++) {
    int parent = sup_schedule_parent(s, k);
    way[k] = panel_work(plan, k);
    total += way[k];
    work[k] += way[k];
    if (parent == SUP_NONE) continue;
    work[parent] += work[k];
    count[parent] += count[k];
    if (first[k] < first[parent]) first[parent] = first[k];
  }
  for (int k = plan->num_panels - 1; k >= 0; k--)
    if (sup_schedule_parent(s, k) != SUP_NONE) way[k] += way[sup_schedule_parent(s, k)];
  return total;
}

/** 1: the subtree of panel k is an item: little work, no other panel in its range, leading or
 * trailing only. */
static bool is_item(const sup_schedule *schedule, const sup_symbolic *s, int k, int first,
                    int count, double most) {
  return schedule->work[k] <= most && k - first + 1 == count &&
         (k < s->num_leading || first >= s->num_leading);
}

/** Compare by the longest path to the root; the path of a source is at least as long (up to
 * round-off) as that of its targets. */
static int compare_ways(const void *a, const void *b) {
  const sup_item *x = a, *y = b;
  return x->way != y->way ? (x->way < y->way) - (x->way > y->way)
                          : (x->first > y->first) - (x->first < y->first);
}

/** @param[in] count  [num_panels] of an item's last panel: panels of the subtree, 0: the panel
 * alone; SUP_NONE of others */
static void list_items(sup_schedule *schedule, const sup_symbolic *s, int num_panels,
                       const int *count) {
  const double *work = schedule->work, *way = work + num_panels;
  for (int k = 0; k < num_panels; k++) {
    int    parent = sup_schedule_parent(s, k);
    double above = parent == SUP_NONE ? 0 : way[parent];
    if (count[k] > 0)
      schedule->item[schedule->num_items++] = (sup_item){k + 1 - count[k], k + 1, work[k] + above};
    if (count[k] == 0) schedule->item[schedule->num_items++] = (sup_item){k, k + 1, way[k]};
  }
  qsort(schedule->item, (size_t)schedule->num_items, sizeof *schedule->item, compare_ways);
}

sup_status sup_schedule_build(sup_schedule *schedule, const sup_symbolic *s, const sup_plan *plan) {
  int num_panels = plan->num_panels;
  schedule->num_items = schedule->num_panels = 0;
  if (num_panels == 0) return SUP_OK; /* no item moves; arrays may be NULL */
  SUP_TRY(SUP_GROW(schedule->item, schedule->capacity[0], num_panels));
  SUP_TRY(SUP_GROW(schedule->done, schedule->capacity[1], num_panels));
  SUP_TRY(SUP_GROW(schedule->work, schedule->capacity[2], 2 * (size_t)num_panels));
  SUP_TRY(SUP_GROW(schedule->tree, schedule->capacity[3], 2 * (size_t)num_panels));
  int   *first = schedule->tree, *count = first + num_panels;
  double most = weigh_subtrees(schedule, s, plan, first, count) / SHARES;
  for (int k = num_panels - 1, begin; k >= 0;
       k = begin - 1) { /* from the top: the largest suitable subtrees */
    int subtree = is_item(schedule, s, k, first[k], count[k], most);
    begin = subtree ? first[k] : k;
    count[k] = subtree ? k + 1 - begin : 0; /* panels of the item that ends here */
    for (int j = begin; j < k; j++) count[j] = SUP_NONE;
  }
  list_items(schedule, s, num_panels, count);
  schedule->num_panels = num_panels;
  return SUP_OK;
}

void sup_schedule_free(sup_schedule *schedule) {
  SUP_FREE_ALL(&schedule->item, &schedule->done, &schedule->work, &schedule->tree);
  memset(schedule, 0, sizeof *schedule);
}

void sup_schedule_start(sup_schedule *schedule) {
  if (schedule->num_panels > 0) memset(schedule->done, 0, (size_t)schedule->num_panels);
  schedule->next = 0;
}

void                     sup_schedule_finish(sup_schedule *schedule, int k) {
#pragma omp atomic write release
  schedule->done[k] = 1;
}

const sup_item *sup_schedule_pop(sup_schedule *schedule) {
  int k;
#pragma omp atomic capture
  k = schedule->next++;
  return k < schedule->num_items ? &schedule->item[k] : NULL;
}

const sup_item *sup_schedule_pop_reverse(sup_schedule *schedule) {
  int k;
#pragma omp atomic capture
  k = schedule->next++;
  return k < schedule->num_items ? &schedule->item[schedule->num_items - 1 - k] : NULL;
}

void sup_schedule_await(const sup_schedule *schedule, int k) {
  unsigned char done = 0;
  for (int looks = 0; !done; looks++) {
    if (looks > SPINS) sched_yield();
#pragma omp atomic read acquire
    done = schedule->done[k];
  }
}
