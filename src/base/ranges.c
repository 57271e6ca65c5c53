#include "base/ranges.h"

#include "base/memory.h"

/* ---- targets of items ------------------------------------------------------------------------ */

sup_status sup_ranges_begin(sup_ranges *r, int num_items, int num_targets) {
  *r = (sup_ranges){.num_items = num_items, .num_targets = num_targets};
  SUP_TRY(SUP_CALLOC(r->home, num_targets));
  SUP_TRY(SUP_CALLOC(r->reach, num_items));
  SUP_TRY(SUP_CALLOC(r->crossing, num_items + 2));
  SUP_TRY(SUP_CALLOC(r->first_target, num_items + 1));
  SUP_TRY(SUP_CALLOC(r->target, num_targets));
  for (int t = 0; t < num_targets; t++) r->home[t] = SUP_NONE;
  for (int i = 0; i < num_items; i++) r->reach[i] = i;
  return SUP_OK;
}

void sup_ranges_touch(sup_ranges *r, int item, int target) {
  if (r->home[target] == SUP_NONE) r->home[target] = item;
  if (r->home[target] < r->reach[item]) r->reach[item] = r->home[target];
}

void sup_ranges_finish(sup_ranges *r) {
  for (int i = 0; i < r->num_items; i++) r->crossing[r->reach[i] + 1]++, r->crossing[i + 1]--;
  for (int i = 0; i < r->num_items; i++) r->crossing[i + 1] += r->crossing[i];
  for (int t = 0; t < r->num_targets; t++)
    if (r->home[t] != SUP_NONE) r->first_target[r->home[t] + 1]++;
  for (int i = 0; i < r->num_items; i++) r->first_target[i + 1] += r->first_target[i];
  for (int t = 0; t < r->num_targets; t++)
    if (r->home[t] != SUP_NONE) r->target[r->first_target[r->home[t]]++] = t;
  for (int i = r->num_items; i > 0; i--) r->first_target[i] = r->first_target[i - 1];
  r->first_target[0] = 0;
}

void sup_ranges_free(sup_ranges *r) {
  SUP_FREE_ALL(&r->home, &r->reach, &r->crossing, &r->first_target, &r->target);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct job {
  const sup_ranges *ranges;
  sup_range_item   *item;
  void             *user;
  int               num, first[SUP_TEAM_MAX + 1];
} job;

/** Ranges of equal work, with the items across their ends; returns the largest work of a range. */
static int split(job *j, int num) {
  const sup_ranges *r = j->ranges;
  int               total = r->num_items, longest = 0;
  for (int k = 1; k < num; k++)
    total += r->crossing[(int)((size_t)r->num_items * (size_t)k / (size_t)num)];
  j->num = num, j->first[0] = 0, j->first[num] = r->num_items;
  for (int k = 0; k < num; k++) {
    int end = j->first[k];
    while (end < r->num_items && end - j->first[k] + r->crossing[end] < total / num) end++;
    if (k + 1 < num) j->first[k + 1] = end;
    int work = j->first[k + 1] - j->first[k] + r->crossing[j->first[k + 1]];
    if (work > longest) longest = work;
  }
  return longest;
}

int sup_ranges_longest(const sup_ranges *r, int num) {
  job j = {.ranges = r};
  SUP_ASSERT(num >= 1 && num <= SUP_TEAM_MAX);
  return split(&j, num);
}

static void do_range(void *user, int k, int thread) {
  const job        *j = user;
  const sup_ranges *r = j->ranges;
  const sup_range   range = {r, j->first[k], j->first[k + 1]};
  (void)thread;
  for (int i = range.first; i < range.end; i++) j->item(j->user, &range, i);
  for (int i = range.end; i < r->num_items; i++)
    if (r->reach[i] < range.end) j->item(j->user, &range, i);
}

void sup_ranges_run(const sup_ranges *r, int threads, sup_range_item *item, void *user) {
  job j = {.ranges = r, .item = item, .user = user};
  int num = threads < SUP_TEAM_MAX ? threads : SUP_TEAM_MAX;
  /* fewer ranges if the longest range is not a fifth shorter than the whole */
  while (num > 1 && split(&j, num) > r->num_items - r->num_items / 5) num--;
  if (num <= 1) j.num = 1, j.first[0] = 0, j.first[1] = r->num_items;
  sup_team_for(j.num, j.num, do_range, &j);
}
