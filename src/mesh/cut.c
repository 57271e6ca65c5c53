#include "mesh/cut.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/numerics.h"

enum { MOST_VERTICES = 8, MOST_FACES = 6, MOST_PARTS = 6 };

/** Faces outward by the right-hand rule; -1: a triangle. */
typedef struct polyhedron {
  const char *one, *several;
  int         num_faces, face[MOST_FACES][4];
} polyhedron;

static const polyhedron polyhedra[MOST_VERTICES + 1] = {
    [4] = {"tetrahedron",
           "tetrahedra",
           4,
           {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}}},
    [5] = {"pyramid",
           "pyramids",
           5,
           {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}},
    [6] = {"wedge",
           "wedges",
           5,
           {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [8] = {"hexahedron",
           "hexahedra",
           6,
           {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}}};

bool sup_cut_takes(int num_vertices) {
  return num_vertices >= 0 && num_vertices <= MOST_VERTICES && polyhedra[num_vertices].several;
}

/** Add a tetrahedron, unless it has a vertex twice. */
static void add(int tet[MOST_PARTS][4], int *count, int apex, int a, int b, int c) {
  if (apex == a || apex == b || apex == c || a == b || b == c || a == c) return;
  int *to = tet[(*count)++];
  to[0] = a, to[1] = b, to[2] = c, to[3] = apex;
}

/** Pyramids from the lowest vertex over the faces without it; faces with this vertex have their
 * diagonals through it. */
static int cut_cell(const polyhedron *p, int num_vertices, const int *vertex,
                    int tet[MOST_PARTS][4]) {
  int apex = vertex[0], count = 0;
  for (int a = 1; a < num_vertices; a++) apex = vertex[a] < apex ? vertex[a] : apex;
  for (int f = 0; f < p->num_faces; f++) {
    int n = p->face[f][3] < 0 ? 3 : 4, at[4] = {0}, low = 0;
    for (int k = 0; k < n; k++) {
      at[k] = vertex[p->face[f][k]];
      if (at[k] < at[low]) low = k;
    }
    if (at[low] == apex) continue;
    for (int k = 1; k + 1 < n; k++)
      add(tet, &count, apex, at[low], at[(low + k + 1) % n], at[(low + k) % n]);
  }
  return count;
}

static double volume_of(const double *x, const int *tet) {
  sup_v3 at = sup_v3_load(x + 3 * (ptrdiff_t)tet[0]), edge[3];
  for (int k = 0; k < 3; k++) edge[k] = sup_v3_sub(sup_v3_load(x + 3 * (ptrdiff_t)tet[k + 1]), at);
  return sup_v3_dot(sup_v3_cross(edge[0], edge[1]), edge[2]) / 6;
}

/** Orient the parts of a cell as one; false if their volumes have both signs. */
static bool orient(const double *x, int count, int tet[MOST_PARTS][4]) {
  double sum = 0, size = 0;
  for (int t = 0; t < count; t++) {
    double volume = volume_of(x, tet[t]);
    sum += volume, size += fabs(volume);
  }
  for (int t = 0; t < count && sum < 0; t++) {
    int first = tet[t][0];
    tet[t][0] = tet[t][1], tet[t][1] = first;
  }
  return fabs(sum) >= (1 - sup_mesh_numerics.warped) * size;
}

sup_status sup_cut_cells(sup_cut *cut, int num_cells, const unsigned char *num_vertices,
                         const int *vertex, const double *x, int *bad_cell) {
  const size_t most = MOST_PARTS * (size_t)num_cells;
  int          tet[MOST_PARTS][4];
  *bad_cell = SUP_NONE;
  SUP_TRY(SUP_CALLOC(cut->cell, 4 * most));
  SUP_TRY(SUP_CALLOC(cut->parent, most));
  for (int c = 0; c < num_cells; vertex += num_vertices[c++]) {
    int count = cut_cell(&polyhedra[num_vertices[c]], num_vertices[c], vertex, tet);
    if (!orient(x, count, tet)) {
      *bad_cell = c;
      return SUP_FAIL(SUP_E_GEOMETRY, "cell %d, a %s, is so warped that a part of it is inside out",
                      c, polyhedra[num_vertices[c]].one);
    }
    for (int t = 0; t < count; t++) {
      for (int a = 0; a < 4; a++) cut->cell[4 * (ptrdiff_t)cut->num_cells + a] = tet[t][a];
      cut->parent[cut->num_cells++] = c;
    }
  }
  return SUP_OK;
}

void sup_cut_free(sup_cut *cut) {
  SUP_FREE_ALL(&cut->cell, &cut->parent);
  cut->num_cells = 0;
}

void sup_cut_text(const sup_cut *cut, int num_cells, const unsigned char *num_vertices, char *text,
                  size_t size) {
  long   number[MOST_VERTICES + 1] = {0};
  size_t used = 0;
  int    tets = cut->num_cells;
  text[0] = '\0';
  for (int c = 0; c < num_cells; c++) number[num_vertices[c]]++;
  tets -= (int)number[4];
  for (int n = 5; n <= MOST_VERTICES; n++)
    if (number[n] > 0 && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%ld %s", used > 0 ? ", " : "",
                               number[n], number[n] == 1 ? polyhedra[n].one : polyhedra[n].several);
  if (used < size) snprintf(text + used, size - used, " cut into %d tetrahedra", tets);
}
