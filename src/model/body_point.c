/* Points of bodies: cells of soft bodies that hold a point. */
#include "model/body_point.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/bvh.h"
#include "mesh/quadratic.h"
#include "model/numerics.h"

/** Corners of the unit cube [-1, 1]^3 in VTK's order. */
static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static void trilinear(const double xi[3], double weight[8]) {
  for (int i = 0; i < 8; i++)
    weight[i] = 0.125 * (1 + corner[i][0] * xi[0]) * (1 + corner[i][1] * xi[1]) *
                (1 + corner[i][2] * xi[2]);
}

/** dx/dxi */
static sup_m3 trilinear_gradient(const sup_v3 *x, const double xi[3]) {
  sup_v3 column[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      int    a = (k + 1) % 3, b = (k + 2) % 3;
      double dN = 0.125 * corner[i][k] * (1 + corner[i][a] * xi[a]) * (1 + corner[i][b] * xi[b]);
      column[k] = sup_v3_madd(column[k], dN, x[i]);
    }
  return sup_m3_columns(column[0], column[1], column[2]);
}

/** Weights of the point on a tetrahedron's corners; the excess is how far outside it is, in
 * barycentric coordinates. */
static double locate_t4(const sup_v3 *x, sup_v3 point, double *weight) {
  sup_m3 D = sup_m3_columns(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0]), sup_v3_sub(x[3], x[0]));
  sup_v3 b = sup_m3_apply(sup_m3_inverse(D), sup_v3_sub(point, x[0]));
  weight[1] = b.x, weight[2] = b.y, weight[3] = b.z;
  weight[0] = 1 - b.x - b.y - b.z;
  double excess = 0;
  for (int i = 0; i < 4; i++)
    if (-weight[i] > excess) excess = -weight[i];
  return excess;
}

/** locate_t4 for a hexahedron, by Newton's method on the trilinear map. */
static double locate_h8(const sup_v3 *x, sup_v3 point, double *weight) {
  enum { MAX_ITERATIONS = 30 };
  double xi[3] = {0, 0, 0}, last = HUGE_VAL;
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    trilinear(xi, weight);
    sup_v3 error = point;
    for (int i = 0; i < 8; i++) error = sup_v3_madd(error, -weight[i], x[i]);
    sup_m3 J = trilinear_gradient(x, xi);
    if (!(fabs(sup_m3_det(&J)) > 0)) return HUGE_VAL;
    sup_v3 d = sup_m3_apply(sup_m3_inverse(J), error);
    xi[0] += d.x, xi[1] += d.y, xi[2] += d.z;
    last = sup_v3_norm(d);
    if (last < 1e-13) break;
    if (!(fabs(xi[0]) + fabs(xi[1]) + fabs(xi[2]) < 100)) return HUGE_VAL;
  }
  if (!(last < sup_model_numerics.cell_point)) return HUGE_VAL;
  trilinear(xi, weight);
  double excess = 0;
  for (int k = 0; k < 3; k++)
    if (fabs(xi[k]) - 1 > excess) excess = fabs(xi[k]) - 1;
  return excess;
}

/** locate_t4 for a quadratic tetrahedron, whose map is linear when it is straight. */
static double locate_t10(const sup_v3 *x, sup_v3 point, double *weight) {
  enum { MAX_ITERATIONS = 30 };
  double L[4], flat[30], excess = 0, last = HUGE_VAL;
  sup_m3 corner_J[SUP_T10_POINTS];
  locate_t4(x, point, L);
  for (int i = 0; i < 10; i++) sup_v3_store(flat + 3 * i, x[i]);
  sup_t10_jacobians(flat, corner_J);
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    sup_v3 error = point;
    sup_t10_shape(L, weight);
    for (int i = 0; i < 10; i++) error = sup_v3_madd(error, -weight[i], x[i]);
    sup_m3 J = sup_t10_jacobian(corner_J, L);
    if (!(fabs(sup_m3_det(&J)) > 0)) return HUGE_VAL;
    sup_v3 d = sup_m3_apply(sup_m3_inverse(J), error);
    L[0] -= d.x + d.y + d.z, L[1] += d.x, L[2] += d.y, L[3] += d.z;
    last = sup_v3_norm(d);
    if (last < 1e-13) break;
    if (!(fabs(L[0]) + fabs(L[1]) + fabs(L[2]) + fabs(L[3]) < 100)) return HUGE_VAL;
  }
  if (!(last < sup_model_numerics.cell_point)) return HUGE_VAL;
  sup_t10_shape(L, weight);
  for (int i = 0; i < 4; i++) excess = fmax(excess, -L[i]);
  return excess;
}

static double locate(sup_cell_type type, const sup_v3 *x, sup_v3 point, double *weight) {
  switch (type) {
    case SUP_CELL_T4:
      return locate_t4(x, point, weight);
    case SUP_CELL_H8:
      return locate_h8(x, point, weight);
    case SUP_CELL_T10:
      return locate_t10(x, point, weight);
  }
  return HUGE_VAL;
}

static sup_status outside(const char *what, const char *body, sup_v3 point, const sup_mesh *mesh) {
  int    best = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < mesh->num_vertices; i++) {
    double distance = sup_v3_norm(sup_v3_sub(sup_mesh_vertex(mesh, i), point));
    if (distance < least) least = distance, best = i;
  }
  sup_v3 x = sup_mesh_vertex(mesh, best);
  return SUP_FAIL(SUP_E_ARG,
                  "%s: the point (%g, %g, %g) m lies outside '%s' in the coordinates of "
                  "its mesh; the nearest vertex is (%g, %g, %g) m",
                  what, point.x, point.y, point.z, body, x.x, x.y, x.z);
}

/** Nearest cell to a point. */
typedef struct nearest_cell {
  double excess; /* distance outside, in cells */
  int    num_vertices, vertex[SUP_CELL_MAX_VERTICES];
  double weight[SUP_CELL_MAX_VERTICES];
} nearest_cell;

/** Choose among the ranks' nearest cells the nearest, of the lowest rank. */
static void take_nearest(nearest_cell *cell, const sup_collective *ranks) {
  double least = cell->num_vertices > 0 ? cell->excess : HUGE_VAL;
  least = -sup_max_of_ranks(ranks, -least);
  bool   is_near = cell->num_vertices > 0 && cell->excess <= least;
  double rank = is_near ? -ranks->rank : -HUGE_VAL;
  rank = -sup_max_of_ranks(ranks, rank);
  if (rank < ranks->size) ranks->broadcast(ranks, (int)rank, sizeof *cell, cell);
}

static sup_status copy_vertices(sup_body_point *at, int n, const int *vertex,
                                const double *weight) {
  SUP_TRY(SUP_CALLOC(at->vertex, n));
  SUP_TRY(SUP_CALLOC(at->weight, n));
  memcpy(at->vertex, vertex, (size_t)n * sizeof *vertex);
  memcpy(at->weight, weight, (size_t)n * sizeof *weight);
  at->num_vertices = n;
  return SUP_OK;
}

/** False: farther from the box of a cell than the box is wide, so outside a curved cell, too. */
static bool is_near(int n, const sup_v3 *x, sup_v3 point) {
  sup_box box = sup_box_empty();
  for (int i = 0; i < n; i++) box = sup_box_add(box, x[i]);
  return sup_box_distance(&box, point) <= sup_v3_norm(sup_v3_sub(box.upper, box.lower));
}

static sup_status find_in_mesh(sup_body_point *at, const sup_model *model, const sup_soft *soft,
                               const char *what) {
  const double tolerance = 1e-3; /* of an element: a point typed on a curved or rounded surface */
  const sup_mesh *mesh = sup_fem_mesh(soft->fem);
  int             n = sup_cell_num_vertices(mesh->type);
  nearest_cell    nearest = {.excess = tolerance};
  for (int c = 0; c < mesh->num_cells && nearest.excess > 0; c++) {
    sup_v3     x[SUP_CELL_MAX_VERTICES];
    double     weight[SUP_CELL_MAX_VERTICES];
    const int *cell = sup_mesh_cell(mesh, c);
    for (int i = 0; i < n; i++) x[i] = sup_mesh_vertex(mesh, cell[i]);
    if (!is_near(n, x, at->point)) continue;
    double excess = locate(mesh->type, x, at->point, weight);
    if (!(excess < nearest.excess || (excess <= tolerance && nearest.num_vertices == 0))) continue;
    nearest = (nearest_cell){.excess = excess, .num_vertices = n};
    for (int i = 0; i < n; i++)
      nearest.vertex[i] = soft->first_vertex + cell[i], nearest.weight[i] = weight[i];
  }
  if (model->ranks) take_nearest(&nearest, model->ranks);
  if (nearest.num_vertices > 0)
    return copy_vertices(at, nearest.num_vertices, nearest.vertex, nearest.weight);
  return outside(what, soft->name, at->point, mesh);
}

/** Put the movers of tied vertices in their place, each once. */
static sup_status take_movers(sup_body_point *at, const sup_model *model, const sup_soft *soft) {
  SUP_FREED int    *vertex = NULL;
  SUP_FREED double *weight = NULL;
  size_t            capacity = 0, room = 0;
  int               n = 0, any = 0;
  for (int i = 0; i < at->num_vertices; i++) {
    int              count, own = at->vertex[i] - soft->first_vertex;
    const sup_mover  self = {(int)(soft - model->soft), own, 1};
    const sup_mover *mover = sup_soft_movers(soft, own, &count);
    any |= mover != NULL;
    for (int k = 0; k < (mover ? count : 1); k++) {
      const sup_mover *m = mover ? mover + k : &self;
      int              v = model->soft[m->soft].first_vertex + m->vertex, j = 0;
      while (j < n && vertex[j] != v) j++;
      SUP_TRY(SUP_GROW(vertex, capacity, j + 1));
      SUP_TRY(SUP_GROW(weight, room, j + 1));
      if (j == n) vertex[j] = v, weight[n++] = 0;
      weight[j] += at->weight[i] * m->weight;
    }
  }
  if (!any) return SUP_OK;
  sup_body_point_free(at);
  return copy_vertices(at, n, vertex, weight);
}

sup_status sup_body_point_find(sup_body_point *at, const sup_model *model, int body,
                               const double point[3], const char *what) {
  *at = (sup_body_point){.body = body, .point = sup_v3_load(point)};
  int soft = body == SUP_NONE ? SUP_NONE : model->body[body].soft;
  if (soft == SUP_NONE) return SUP_OK;
  SUP_TRY(find_in_mesh(at, model, &model->soft[soft], what));
  return take_movers(at, model, &model->soft[soft]);
}

/** Weights of the selected vertices: shares of the area of whole faces among them, as of a
 * traction; equal without a face. */
static sup_status share_among(const sup_mesh *mesh, const unsigned char *selected, double *share) {
  static const double one[3] = {1, 0, 0};
  sup_fem_faces       faces = {0};
  SUP_FREED double   *force = NULL;
  double              sum = 0;
  SUP_TRY(SUP_CALLOC(force, 3 * (size_t)mesh->num_vertices));
  sup_status status = sup_fem_faces_create(&faces, mesh, selected, NULL);
  if (status == SUP_OK) sum = sup_fem_faces_spread(&faces, mesh->x, one, force);
  sup_fem_faces_free(&faces);
  if (status != SUP_OK && status != SUP_E_ARG) return status;
  for (int i = 0; i < mesh->num_vertices; i++) {
    share[i] = status == SUP_OK ? force[3 * (ptrdiff_t)i] : selected[i];
    if (status != SUP_OK) sum += share[i];
  }
  for (int i = 0; i < mesh->num_vertices; i++) share[i] /= sum;
  return SUP_OK;
}

static sup_status spread(sup_body_point *at, const sup_soft *soft, const sup_mesh *mesh,
                         const sup_region *region, const char *what) {
  SUP_FREED unsigned char *selected = NULL;
  SUP_FREED double        *share = NULL;
  SUP_FREED int           *vertex = NULL;
  int                      n = 0;
  SUP_TRY(SUP_CALLOC(selected, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(share, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(vertex, mesh->num_vertices));
  sup_status status = sup_region_select(region, mesh, 1, selected);
  if (status != SUP_OK)
    return SUP_FAIL(status, "%s: its region of '%s' %s", what, soft->name, sup_error_message());
  SUP_TRY(share_among(mesh, selected, share));
  for (int i = 0; i < mesh->num_vertices; i++) {
    if (share[i] == 0) continue;
    at->point = sup_v3_madd(at->point, share[i], sup_mesh_vertex(mesh, i));
    share[n] = share[i], vertex[n++] = soft->first_vertex + i;
  }
  return copy_vertices(at, n, vertex, share);
}

sup_status sup_body_point_of(sup_body_point *at, const sup_model *model, const sup_model_def *def,
                             int body, const double point[3], const sup_region *region,
                             const char *what) {
  if (!region) return sup_body_point_find(at, model, body, point, what);
  int soft = body == SUP_NONE ? SUP_NONE : model->body[body].soft;
  if (soft == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: a region is one of a soft body; '%s' has points alone", what,
                    body == SUP_NONE ? "world" : model->body[body].name);
  *at = (sup_body_point){.body = body};
  SUP_TRY(spread(at, &model->soft[soft], def->softs[soft].mesh, region, what));
  return take_movers(at, model, &model->soft[soft]);
}

void sup_body_point_free(sup_body_point *at) {
  SUP_FREE_ALL(&at->vertex, &at->weight);
  at->num_vertices = 0;
}

sup_status sup_body_point_check(const sup_body_point *at, const sup_model *model,
                                const char *what) {
  for (int i = 0; i < at->num_vertices; i++) {
    int             own;
    const sup_soft *soft = sup_model_vertex(model, at->vertex[i], &own);
    int             link = soft->attach_of[own];
    if (link == SUP_NONE) continue;
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the vertices that carry it at (%g, %g, %g) m of '%s' are in part on link "
                    "'%s'; take the link, or a point a cell away from it",
                    what, at->point.x, at->point.y, at->point.z, soft->name,
                    model->body[soft->attachment[link].body].name);
  }
  return SUP_OK;
}

sup_v3 sup_body_point_position(const sup_body_point *at, const sup_frame *X_WL, const double *x) {
  if (at->body == SUP_NONE) return at->point;
  if (at->num_vertices == 0) return sup_frame_apply(&X_WL[at->body], at->point);
  return sup_body_point_mean(at, x);
}

sup_v3 sup_body_point_mean(const sup_body_point *at, const double *value) {
  sup_v3 sum = {0, 0, 0};
  for (int i = 0; i < at->num_vertices; i++)
    sum = sup_v3_madd(sum, at->weight[i], sup_v3_load(value + 3 * at->vertex[i]));
  return sum;
}

int sup_body_point_block(const sup_body_point *at, int k, const sup_model *model) {
  int             own;
  const sup_soft *soft = sup_model_vertex(model, at->vertex[k], &own);
  return soft->block[own];
}

int sup_body_point_blocks(const sup_body_point *at, const sup_model *model, int *block) {
  if (at->body == SUP_NONE) return 0;
  if (at->num_vertices == 0) block[0] = model->tree_block[model->body[at->body].tree];
  for (int i = 0; i < at->num_vertices; i++) block[i] = sup_body_point_block(at, i, model);
  return at->num_vertices > 0 ? at->num_vertices : 1;
}
