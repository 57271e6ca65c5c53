#include "mesh/distribute/part_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_parts(const void *a, const void *b) {
  const sup_part *p = a, *q = b;
  for (int k = 0; k < 4; k++)
    if (p->vertex[k] != q->vertex[k]) return p->vertex[k] < q->vertex[k] ? -1 : 1;
  return 0;
}

static sup_part key_of(const int *vertex, int n) {
  sup_part key = {{SUP_NONE, SUP_NONE, SUP_NONE, SUP_NONE}};
  for (int i = 0; i < n; i++) {
    int k = 3;
    for (; k > 3 - i && key.vertex[k] > vertex[i]; k--) continue;
    memmove(key.vertex + 3 - i, key.vertex + 4 - i, (size_t)(k - 3 + i) * sizeof *key.vertex);
    key.vertex[k] = vertex[i];
  }
  return key;
}

sup_status sup_part_add(sup_part_set *set, const int *vertex, int n) {
  if (set->count == INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "the mesh has too many edges: %d", set->count);
  SUP_TRY(SUP_GROW(set->part, set->capacity, set->count + 1));
  SUP_FREE(set->start);
  set->part[set->count++] = key_of(vertex, n);
  return SUP_OK;
}

/** Position of the lowest vertex in the key, which begins with SUP_NONE. */
static int first_place(const sup_part *part) {
  int k = 0;
  while (k < 3 && part->vertex[k] == SUP_NONE) k++;
  return k;
}

static void sort_few(sup_part *part, int n) {
  for (int i = 1; i < n; i++) {
    sup_part kept = part[i];
    int      k = i;
    for (; k > 0 && compare_parts(&part[k - 1], &kept) > 0; k--) part[k] = part[k - 1];
    part[k] = kept;
  }
}

/** Sort parts into buckets by their lowest vertex, then each bucket: linear time if a vertex has
 * few parts. start [highest + 2]: first item of each bucket.  Returns 0 without memory. */
static int sort_by_buckets(sup_part_set *set, int at, int highest) {
  enum { FEW = 32 };
  sup_part *sorted = NULL;
  if (SUP_CALLOC(set->start, (size_t)highest + 2) != SUP_OK) return 0;
  if (SUP_CALLOC(sorted, set->count) != SUP_OK) {
    SUP_FREE(set->start);
    return 0;
  }
  int *next = set->start + 1; /* next item of each bucket; finally its end */
  for (int i = 0; i < set->count; i++)
    if (set->part[i].vertex[at] < highest) next[set->part[i].vertex[at] + 1]++;
  for (int v = 0; v < highest; v++) next[v + 1] += next[v];
  next[0] = 0;
  for (int i = 0; i < set->count; i++) sorted[next[set->part[i].vertex[at]]++] = set->part[i];
  for (int v = 0; v <= highest; v++) {
    int first = set->start[v], n = set->start[v + 1] - first;
    if (n > FEW)
      qsort(sorted + first, (size_t)n, sizeof *sorted, compare_parts);
    else
      sort_few(sorted + first, n);
  }
  memcpy(set->part, sorted, (size_t)set->count * sizeof *sorted);
  set->num_starts = highest + 2;
  SUP_FREE(sorted);
  return 1;
}

/** Number of leading SUP_NONE vertices, if equal in all parts and the next vertices are in range;
 * else SUP_NONE.  *highest: the largest of these vertices. */
static int common_place(const sup_part_set *set, int *highest) {
  int at = first_place(&set->part[0]);
  *highest = 0;
  for (int i = 0; i < set->count; i++) {
    int lowest = set->part[i].vertex[at];
    if (first_place(&set->part[i]) != at || lowest < 0 || lowest > INT_MAX - 2) return SUP_NONE;
    *highest = lowest > *highest ? lowest : *highest;
  }
  return at;
}

/** Drop repetitions of parts, and update the buckets. */
static void drop_repetitions(sup_part_set *set, int at) {
  int kept = 0, next = 0; /* bucket whose begin comes */
  for (int i = 0; i < set->count; i++) {
    if (kept > 0 && compare_parts(&set->part[kept - 1], &set->part[i]) == 0) continue;
    for (; set->start && next <= set->part[i].vertex[at]; next++) set->start[next] = kept;
    set->part[kept++] = set->part[i];
  }
  for (; set->start && next < set->num_starts; next++) set->start[next] = kept;
  set->count = kept;
}

void sup_part_sort(sup_part_set *set) {
  int highest, at;
  SUP_FREE(set->start);
  if (set->count == 0) return;
  at = common_place(set, &highest);
  if (at == SUP_NONE || !sort_by_buckets(set, at, highest))
    qsort(set->part, (size_t)set->count, sizeof *set->part, compare_parts);
  drop_repetitions(set, at);
}

int sup_part_find(const sup_part_set *set, const int *vertex, int n) {
  sup_part key = key_of(vertex, n), *found = NULL;
  int      first = 0, count = set->count, lowest = n > 0 ? key.vertex[4 - n] : SUP_NONE;
  if (set->start && set->count > 0 && first_place(&set->part[0]) == 4 - n) {
    if (lowest < 0 || lowest + 1 >= set->num_starts) return SUP_NONE;
    first = set->start[lowest], count = set->start[lowest + 1] - first;
  }
  if (count > 0)
    found = bsearch(&key, set->part + first, (size_t)count, sizeof *set->part, compare_parts);
  return found ? (int)(found - set->part) : SUP_NONE;
}

void sup_part_free(sup_part_set *set) {
  SUP_FREE_ALL(&set->part, &set->start);
  *set = (sup_part_set){0};
}
