#include "mesh/mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "mesh/buckets.h"
#include "mesh/named_set.h"
#include "mesh/quadratic.h"

/** Corners of the reference cube, VTK order. */
static const double hex_corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
/** Neighbours of each hexahedron corner along the three edges, right-handed for a positive cell. */
static const int hex_neighbour[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                        {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};

sup_status sup_mesh_create(sup_mesh **mesh, sup_cell_type type, int num_vertices, int num_cells) {
  *mesh = NULL;
  if ((unsigned)type >= SUP_NUM_CELL_TYPES)
    return SUP_FAIL(SUP_E_ARG, "cell type %d is unknown", (int)type);
  if (num_vertices < 0 || num_vertices > INT_MAX / 4 || num_cells < 0 ||
      num_cells > INT_MAX / SUP_CELL_MAX_VERTICES)
    return SUP_FAIL(SUP_E_ARG, "a mesh of %d vertices and %d cells: at most %d and %d are possible",
                    num_vertices, num_cells, INT_MAX / 4, INT_MAX / SUP_CELL_MAX_VERTICES);
  SUP_OWN(sup_mesh) *m = NULL;
  SUP_TRY(SUP_CALLOC(m, 1));
  m->type = type;
  m->num_vertices = num_vertices;
  m->num_cells = num_cells;
  SUP_TRY(SUP_CALLOC(m->x, 3 * (size_t)num_vertices));
  SUP_TRY(SUP_CALLOC(m->cell, (size_t)num_cells * (size_t)sup_cell_num_vertices(type)));
  *mesh = m;
  m = NULL;
  return SUP_OK;
}

sup_status sup_mesh_copy(sup_mesh **to, const sup_mesh *from) {
  SUP_TRY(sup_mesh_create(to, from->type, from->num_vertices, from->num_cells));
  size_t per_cell = (size_t)sup_cell_num_vertices(from->type);
  if (from->num_vertices > 0)
    memcpy((*to)->x, from->x, 3 * (size_t)from->num_vertices * sizeof *from->x);
  if (from->num_cells > 0)
    memcpy((*to)->cell, from->cell, per_cell * (size_t)from->num_cells * sizeof *from->cell);
  sup_status status = sup_mesh_inherit_sets(*to, from, 1);
  if (status != SUP_OK) sup_mesh_destroy(to);
  return status;
}

void sup_mesh_destroy(sup_mesh **mesh) {
  if (!*mesh) return;
  SUP_FREE_ALL(&(*mesh)->x, &(*mesh)->cell);
  sup_mesh_free_sets(*mesh);
  SUP_FREE(*mesh);
}

/* ---- volume and quality ---------------------------------------------------------------------- */

static double tet_determinant(const sup_mesh *mesh, const int *cell) {
  sup_v3 x0 = sup_mesh_vertex(mesh, cell[0]);
  sup_v3 a = sup_v3_sub(sup_mesh_vertex(mesh, cell[1]), x0),
         b = sup_v3_sub(sup_mesh_vertex(mesh, cell[2]), x0);
  sup_v3 c = sup_v3_sub(sup_mesh_vertex(mesh, cell[3]), x0);
  return sup_v3_dot(a, sup_v3_cross(b, c));
}

/** det dx/dxi of the trilinear map at the point xi of the reference cube [-1, 1]^3. */
static double hex_determinant(const sup_mesh *mesh, const int *cell, const double xi[3]) {
  double J[3][3] = {{0}};
  sup_v3 x0 = sup_mesh_vertex(
      mesh, cell[0]); /* differences keep the digits of a small cell far from the origin */
  for (int a = 1; a < 8; a++) {
    const double *r = hex_corner[a];
    double        f = 1 + r[0] * xi[0], g = 1 + r[1] * xi[1], h = 1 + r[2] * xi[2];
    double        d[3] = {0.125 * r[0] * g * h, 0.125 * f * r[1] * h, 0.125 * f * g * r[2]};
    sup_v3        x = sup_v3_sub(sup_mesh_vertex(mesh, cell[a]), x0);
    for (int k = 0; k < 3; k++) sup_v3_accumulate(J[k], d[k], x);
  }
  return sup_v3_dot(sup_v3_load(J[0]), sup_v3_cross(sup_v3_load(J[1]), sup_v3_load(J[2])));
}

/** det dx/dxi at the points of the rule for quadratic tetrahedra. */
static void t10_determinants(const sup_mesh *mesh, const int *cell, double det[SUP_T10_POINTS]) {
  double x[30];
  sup_m3 J[SUP_T10_POINTS];
  for (int a = 0; a < 10; a++) sup_v3_store(x + 3 * a, sup_mesh_vertex(mesh, cell[a]));
  sup_t10_jacobians(x, J);
  for (int q = 0; q < SUP_T10_POINTS; q++) det[q] = sup_m3_det(&J[q]);
}

static double t10_volume(const sup_mesh *mesh, const int *cell) {
  double det[SUP_T10_POINTS], volume = 0;
  t10_determinants(mesh, cell, det);
  for (int q = 0; q < SUP_T10_POINTS; q++) volume += sup_t10_weight[q] * det[q];
  return volume;
}

/* det J is quadratic in each coordinate: two Gauss points a direction are exact */
static double hex_volume(const sup_mesh *mesh, const int *cell) {
  const double gauss = 0.57735026918962576451;
  double       volume = 0;
  for (int q = 0; q < 8; q++) {
    double xi[3] = {gauss * hex_corner[q][0], gauss * hex_corner[q][1], gauss * hex_corner[q][2]};
    volume += hex_determinant(mesh, cell, xi);
  }
  return volume;
}

double sup_mesh_cell_volume(const sup_mesh *mesh, int c) {
  const int *cell = sup_mesh_cell(mesh, c);
  switch (mesh->type) {
    case SUP_CELL_T4:
      return tet_determinant(mesh, cell) / 6;
    case SUP_CELL_H8:
      return hex_volume(mesh, cell);
    case SUP_CELL_T10:
      return t10_volume(mesh, cell);
  }
  return (double)NAN;
}

double sup_mesh_volume(const sup_mesh *mesh) {
  double volume = 0;
  for (int c = 0; c < mesh->num_cells; c++) volume += sup_mesh_cell_volume(mesh, c);
  return volume;
}

void sup_mesh_bounds(const sup_mesh *mesh, sup_v3 *lower, sup_v3 *upper) {
  *lower = *upper = mesh->num_vertices > 0 ? sup_mesh_vertex(mesh, 0) : sup_v3_make(0, 0, 0);
  for (int i = 1; i < mesh->num_vertices; i++) {
    sup_v3 x = sup_mesh_vertex(mesh, i);
    *lower = sup_v3_make(fmin(lower->x, x.x), fmin(lower->y, x.y), fmin(lower->z, x.z));
    *upper = sup_v3_make(fmax(upper->x, x.x), fmax(upper->y, x.y), fmax(upper->z, x.z));
  }
}

void sup_mesh_cells_around(const sup_mesh *mesh, int *start, int *around) {
  int n = sup_cell_num_vertices(mesh->type), total = n * mesh->num_cells;
  for (int i = 0; i <= mesh->num_vertices; i++) start[i] = 0;
  for (int i = 0; i < total; i++) start[mesh->cell[i] + 1]++;
  for (int i = 0; i < mesh->num_vertices; i++) start[i + 1] += start[i];
  for (int i = 0; i < total; i++) around[start[mesh->cell[i]]++] = i / n;
  for (int i = mesh->num_vertices; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/** Smallest over the corners of det(e1, e2, e3) / (|e1| |e2| |e3|), e the edges that leave the
 * corner. */
static double hex_scaled_jacobian(const sup_mesh *mesh, const int *cell, int *worst_corner) {
  double worst = 2; /* above every scaled Jacobian */
  for (int a = 0; a < 8; a++) {
    sup_v3 x = sup_mesh_vertex(mesh, cell[a]), e[3];
    for (int k = 0; k < 3; k++)
      e[k] = sup_v3_unit(sup_v3_sub(sup_mesh_vertex(mesh, cell[hex_neighbour[a][k]]), x));
    double scaled = sup_v3_dot(e[0], sup_v3_cross(e[1], e[2]));
    if (!(scaled >= worst)) worst = scaled, *worst_corner = a;
  }
  return worst;
}

static double tet_quality(const sup_mesh *mesh, const int *cell) {
  double volume = tet_determinant(mesh, cell) / 6, sum = 0;
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) {
      sup_v3 e = sup_v3_sub(sup_mesh_vertex(mesh, cell[a]), sup_mesh_vertex(mesh, cell[b]));
      sum += sup_v3_dot(e, e);
    }
  return sum > 0 ? copysign(12 * pow(3 * fabs(volume), 2.0 / 3), volume) / sum : 0;
}

/** Smallest Jacobian over that of the straight cell with the same corners; at most 1. */
static double t10_straightness(const sup_mesh *mesh, const int *cell) {
  double det[SUP_T10_POINTS], straight = tet_determinant(mesh, cell), least = straight;
  t10_determinants(mesh, cell, det);
  for (int q = 0; q < SUP_T10_POINTS; q++)
    if (!(det[q] / straight >= least / straight)) least = det[q];
  return least / straight;
}

double sup_mesh_cell_quality(const sup_mesh *mesh, int c) {
  const int *cell = sup_mesh_cell(mesh, c);
  int        corner = 0;
  switch (mesh->type) {
    case SUP_CELL_T4:
      return tet_quality(mesh, cell);
    case SUP_CELL_H8:
      return hex_scaled_jacobian(mesh, cell, &corner);
    case SUP_CELL_T10:
      return tet_quality(mesh, cell) * t10_straightness(mesh, cell);
  }
  return (double)NAN;
}

/* ---- cleaning -------------------------------------------------------------------------------- */

static sup_status check_indices(const sup_mesh *mesh, int *bad) {
  int n = sup_cell_num_vertices(mesh->type);
  for (int i = 0; i < mesh->num_vertices; i++)
    if (!isfinite(mesh->x[3 * i]) || !isfinite(mesh->x[3 * i + 1]) || !isfinite(mesh->x[3 * i + 2]))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "vertex %d has the position (%g, %g, %g); expected finite numbers", i,
                      mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    *bad = c;
    for (int a = 0; a < n; a++)
      if (cell[a] < 0 || cell[a] >= mesh->num_vertices)
        return SUP_FAIL(SUP_E_GEOMETRY,
                        "cell %d refers to vertex %d; the mesh has %d vertices, counted from 0", c,
                        cell[a], mesh->num_vertices);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < a; b++)
        if (cell[a] == cell[b])
          return SUP_FAIL(
              SUP_E_GEOMETRY,
              "cell %d has vertex %d twice (volume %g m^3); expected %d different vertices", c,
              cell[a], sup_mesh_cell_volume(mesh, c), n);
  }
  *bad = SUP_NONE;
  return SUP_OK;
}

static double longest_edge(const sup_mesh *mesh, const int *cell) {
  double longest = 0;
  int    n = sup_cell_num_vertices(mesh->type);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++)
      longest = fmax(longest, sup_v3_norm(sup_v3_sub(sup_mesh_vertex(mesh, cell[a]),
                                                     sup_mesh_vertex(mesh, cell[b]))));
  return longest;
}

static void swap_vertices(int *cell, int a, int b) {
  int keep = cell[a];
  cell[a] = cell[b], cell[b] = keep;
}

/* ---- twins: a cell that is there twice counts twice, in mass and stiffness ------------------- */

/** A cell by its vertices in ascending order, which need not be those of its corners. */
typedef struct cell_key {
  int vertex[SUP_CELL_MAX_VERTICES], cell;
} cell_key;

static int compare_keys(const void *a, const void *b) {
  const cell_key *p = a, *q = b;
  for (int k = 0; k < SUP_CELL_MAX_VERTICES; k++)
    if (p->vertex[k] != q->vertex[k]) return p->vertex[k] < q->vertex[k] ? -1 : 1;
  return (p->cell > q->cell) - (p->cell < q->cell);
}

static int lowest_vertex(const void *user, int c) {
  const sup_mesh *mesh = user;
  const int      *cell = sup_mesh_cell(mesh, c);
  int             lowest = cell[0];
  for (int a = 1; a < sup_cell_num_vertices(mesh->type); a++)
    if (cell[a] < lowest) lowest = cell[a];
  return lowest;
}

/** The cells of one bucket, by all their vertices; `twin` has the same as `bad` after it. */
static void look_for_twins(const sup_mesh *mesh, const sup_buckets *cells, int bucket,
                           cell_key *key, int *twin, int *bad) {
  int    first = cells->start[bucket], count = cells->start[bucket + 1] - first;
  size_t n = (size_t)sup_cell_num_vertices(mesh->type);
  if (count < 2) return;
  for (int k = 0; k < count; k++) {
    key[k] = (cell_key){.cell = cells->item[first + k]};
    memcpy(key[k].vertex, sup_mesh_cell(mesh, key[k].cell), n * sizeof *mesh->cell);
    qsort(key[k].vertex, n, sizeof *key[k].vertex, sup_compare_int);
  }
  qsort(key, (size_t)count, sizeof *key, compare_keys);
  for (int k = 1; k < count; k++)
    if (memcmp(key[k].vertex, key[k - 1].vertex, sizeof key->vertex) == 0 &&
        (*twin == SUP_NONE || key[k].cell < *bad))
      *twin = key[k - 1].cell, *bad = key[k].cell;
}

static sup_status check_twins(const sup_mesh *mesh, int *bad) {
  SUP_OWN_VALUE(sup_buckets) cells = {0};
  SUP_FREED cell_key        *key = NULL;
  int                        twin = SUP_NONE;
  SUP_TRY(sup_buckets_fill(&cells, mesh->num_vertices, mesh->num_cells, lowest_vertex, mesh));
  SUP_TRY(SUP_CALLOC(key, cells.largest));
  for (int v = 0; v < mesh->num_vertices; v++) look_for_twins(mesh, &cells, v, key, &twin, bad);
  if (twin != SUP_NONE)
    return SUP_FAIL(SUP_E_GEOMETRY, "cells %d and %d have the same vertices; delete one", twin,
                    *bad);
  return SUP_OK;
}

/** Mirror a cell: pairs of vertices change places. */
static void turn_cell(sup_cell_type type, int *cell) {
  static const int hex[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}},
                   tet[3][2] = {{1, 2}, {4, 6}, {8, 9}};
  int count = type == SUP_CELL_H8 ? 4 : type == SUP_CELL_T10 ? 3 : 1;
  for (int k = 0; k < count; k++) {
    const int *pair = type == SUP_CELL_H8 ? hex[k] : tet[k];
    swap_vertices(cell, pair[0], pair[1]);
  }
}

/** Check for folds, which cells of positive volume may have. */
static sup_status check_folds(const sup_mesh *mesh, int c, double volume) {
  const int   *cell = sup_mesh_cell(mesh, c);
  const double least = 1e-9;
  if (mesh->type == SUP_CELL_T10) {
    double straight = tet_determinant(mesh, cell),
           worst = straight > 0 ? t10_straightness(mesh, cell) : -1;
    if (!(worst > least))
      return SUP_FAIL(
          SUP_E_GEOMETRY,
          "cell %d (T10, volume %g m^3) is folded: its smallest Jacobian is %.3g of that of the "
          "straight cell, expected above 0; is the vertex order that of VTK_QUADRATIC_TETRA (edges "
          "01 12 02 03 13 23)? Some programs change the last two",
          c, volume, worst);
  }
  if (mesh->type == SUP_CELL_H8) {
    int    corner = 0;
    double worst = hex_scaled_jacobian(mesh, cell, &corner);
    if (!(worst > least))
      return SUP_FAIL(
          SUP_E_GEOMETRY,
          "cell %d (H8, volume %g m^3) is folded: scaled Jacobian %.3g at its vertex %d, expected "
          "above 0; is the vertex order that of VTK_HEXAHEDRON (bottom around, then top around)?",
          c, volume, worst, cell[corner]);
  }
  return SUP_OK;
}

/** Turn cell c if its volume is negative; fail if the cell is still unusable. */
static sup_status orient_cell(sup_mesh *mesh, int c, int *turned) {
  int   *cell = mesh->cell + c * sup_cell_num_vertices(mesh->type);
  double volume = sup_mesh_cell_volume(mesh, c), length = longest_edge(mesh, cell);
  /* below this the sign of the volume is round-off; the comparison also refuses NaN and overflow */
  if (!(fabs(volume) > 1e-13 * length * length * length))
    return SUP_FAIL(
        SUP_E_GEOMETRY,
        "cell %d (%s) has volume %g m^3 with edges of up to %g m; it is flat or collapsed", c,
        sup_cell_name(mesh->type), volume, length);
  if (volume < 0) {
    ++*turned;
    turn_cell(mesh->type, cell);
  }
  SUP_TRY(check_folds(mesh, c, fabs(volume)));
  return SUP_OK;
}

static sup_status drop_unused_vertices(sup_mesh *mesh, int *removed) {
  int   *number = NULL, kept = 0;
  size_t num_corners = (size_t)mesh->num_cells * (size_t)sup_cell_num_vertices(mesh->type);
  SUP_TRY(SUP_CALLOC(number, mesh->num_vertices));
  for (size_t k = 0; k < num_corners; k++) number[mesh->cell[k]] = 1;
  for (int i = 0; i < mesh->num_vertices; i++) {
    if (!number[i]) continue;
    memmove(mesh->x + 3 * kept, mesh->x + 3 * i, 3 * sizeof *mesh->x);
    for (int s = 0; s < mesh->num_sets; s++)
      if (mesh->set[s].kind == SUP_SET_VERTICES) mesh->set[s].member[kept] = mesh->set[s].member[i];
    number[i] = kept++;
  }
  for (size_t k = 0; k < num_corners; k++) mesh->cell[k] = number[mesh->cell[k]];
  *removed = mesh->num_vertices - kept;
  mesh->num_vertices = kept;
  SUP_FREE(number);
  return SUP_OK;
}

sup_status sup_mesh_clean(sup_mesh *mesh, sup_mesh_repair *repair) {
  sup_mesh_repair done = {0, 0, SUP_NONE};
  int             unasked = SUP_NONE, *bad = repair ? &repair->bad_cell : &unasked;
  *bad = SUP_NONE;
  SUP_TRY(check_indices(mesh, bad));
  for (int c = 0; c < mesh->num_cells; c++) {
    *bad = c;
    SUP_TRY(orient_cell(mesh, c, &done.cells_reoriented));
  }
  SUP_TRY(check_twins(mesh, bad));
  SUP_TRY(drop_unused_vertices(mesh, &done.vertices_removed));
  sup_mesh_drop_empty_sets(mesh);
  if (repair) *repair = done;
  return SUP_OK;
}

sup_status sup_mesh_of_cells(sup_mesh **out, sup_cell_type type, int num_vertices, const double *x,
                             int num_cells, const int *cell) {
  SUP_OWN(sup_mesh) *mesh = NULL;
  sup_mesh_repair    repair;
  *out = NULL;
  if ((int)type < 0 || type > SUP_CELL_T10)
    return SUP_FAIL(SUP_E_ARG, "there is no cell type %d", (int)type);
  if (num_vertices < 1 || num_cells < 1)
    return SUP_FAIL(SUP_E_ARG, "a mesh of %d vertices and %d cells: one of each at least",
                    num_vertices, num_cells);
  SUP_TRY(sup_mesh_create(&mesh, type, num_vertices, num_cells));
  memcpy(mesh->x, x, 3 * (size_t)num_vertices * sizeof *x);
  memcpy(mesh->cell, cell, (size_t)num_cells * (size_t)sup_cell_num_vertices(type) * sizeof *cell);
  SUP_TRY(sup_mesh_clean(mesh, &repair));
  *out = mesh;
  mesh = NULL;
  return SUP_OK;
}

sup_status sup_mesh_count_parts(const sup_mesh *mesh, int *count) {
  int *root = NULL, n = sup_cell_num_vertices(mesh->type);
  *count = mesh->num_vertices;
  SUP_TRY(SUP_CALLOC(root, mesh->num_vertices));
  for (int i = 0; i < mesh->num_vertices; i++) root[i] = i;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 1; a < n; a++) {
      int p = sup_mesh_cell(mesh, c)[0], q = sup_mesh_cell(mesh, c)[a];
      while (root[p] != p) p = root[p] = root[root[p]];
      while (root[q] != q) q = root[q] = root[root[q]];
      if (p != q) root[q] = p, --*count;
    }
  SUP_FREE(root);
  return SUP_OK;
}
