/** Edges and faces of a mesh, each once, identified by their vertices.  Layer mesh. */
#pragma once

#include "base/status.h"

/** Vertices in increasing order, the last ones of the array; SUP_NONE before them. */
typedef struct sup_part {
  int vertex[4];
} sup_part;

typedef struct sup_part_set {
  sup_part *part;
  int       count;
  size_t    capacity;
  /* private, from sup_part_sort to the next sup_part_add */
  int *start; /* [num_starts] of the parts with each lowest vertex, and the end; NULL: not known */
  int  num_starts;
} sup_part_set;

/** Add an edge or face of n vertices (2 to 4); repetitions are allowed. */
SUP_NODISCARD sup_status sup_part_add(sup_part_set *set, const int *vertex, int n);
/** Sort the parts and remove repetitions; afterwards parts have numbers. */
void sup_part_sort(sup_part_set *set);
/** Number of a part, SUP_NONE when it is not in the set. */
int  sup_part_find(const sup_part_set *set, const int *vertex, int n);
void sup_part_free(sup_part_set *set);
