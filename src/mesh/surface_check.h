/** Validity of a triangle surface: closed, with positive volume, no flat triangles.  Layer mesh. */
#pragma once

#include "base/status.h"
#include "base/vec.h"

/** Triangles [num_triangles x 3] over points [num_points x 3]; messages count them from 1. */
typedef struct sup_triangle_list {
  int           num_points, num_triangles;
  const double *point;
  const int    *triangle;
} sup_triangle_list;

/** Corner c of triangle t. */
static inline sup_v3 sup_triangle_corner(const sup_triangle_list *s, int t, int c) {
  return sup_v3_load(s->point + 3 * (size_t)s->triangle[3 * (size_t)t + (size_t)c]);
}
/** Root of i in a forest of parents, which are shortened on the way. */
static inline int sup_root_of(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/** Check that every edge is used equally often in both directions, no triangle occurs twice, and
 * the enclosed volume is positive.  E_GEOMETRY with the number of a triangle at fault and where it
 * is. */
SUP_NODISCARD sup_status sup_surface_check_closed(const sup_triangle_list *surface);
/** Check that no triangle is degenerate: its height must exceed 1e-7 of its longest edge, the
 * round-off of single precision.  E_GEOMETRY as above. */
SUP_NODISCARD sup_status sup_surface_check_flat(const sup_triangle_list *surface);
