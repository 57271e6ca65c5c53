/** Sorted edges of faces: edges of one pair of vertices are contiguous.  Layer mesh. */
#pragma once

#include <stdlib.h>

typedef struct sup_edge_key {
  int low, high, direction; /* +1: from low to high */
  int side;                 /* caller's number of the side; keys of one edge are sorted by it */
} sup_edge_key;

static inline sup_edge_key sup_edge_key_of(int from, int to, int side) {
  return from < to ? (sup_edge_key){from, to, 1, side} : (sup_edge_key){to, from, -1, side};
}

static inline int sup_compare_edge_keys(const void *a, const void *b) {
  const sup_edge_key *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (p->side > q->side) - (p->side < q->side);
}

static inline void sup_edge_keys_sort(sup_edge_key *edge, int count) {
  if (count > 0) qsort(edge, (size_t)count, sizeof *edge, sup_compare_edge_keys);
}

/** End of the keys of the edge that begins at `first`. */
static inline int sup_edge_keys_end(const sup_edge_key *edge, int first, int count) {
  int last = first + 1;
  while (last < count && edge[last].low == edge[first].low && edge[last].high == edge[first].high)
    last++;
  return last;
}
