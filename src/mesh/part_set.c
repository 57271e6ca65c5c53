#include "mesh/part_set.h"

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
  set->part[set->count++] = key_of(vertex, n);
  return SUP_OK;
}

void sup_part_sort(sup_part_set *set) {
  int kept = 0;
  if (set->count > 0) qsort(set->part, (size_t)set->count, sizeof *set->part, compare_parts);
  for (int i = 0; i < set->count; i++)
    if (kept == 0 || compare_parts(&set->part[kept - 1], &set->part[i]) != 0)
      set->part[kept++] = set->part[i];
  set->count = kept;
}

int sup_part_find(const sup_part_set *set, const int *vertex, int n) {
  sup_part key = key_of(vertex, n), *found = NULL;
  if (set->count > 0)
    found = bsearch(&key, set->part, (size_t)set->count, sizeof *set->part, compare_parts);
  return found ? (int)(found - set->part) : SUP_NONE;
}

void sup_part_free(sup_part_set *set) {
  SUP_FREE(set->part);
  *set = (sup_part_set){0};
}
