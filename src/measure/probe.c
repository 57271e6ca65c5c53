#include "measure/probe.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "mesh/quadratic.h"

sup_status sup_output_find_body(int *body, const sup_model *model, const char *name,
                                const char *what) {
  *body = sup_model_find_body(model, name);
  if (*body != SUP_NONE) return SUP_OK;
  const char **names = NULL;
  SUP_TRY(SUP_CALLOC(names, model->num_bodies));
  for (int i = 0; i < model->num_bodies; i++) names[i] = model->body[i].name;
  int        near = sup_text_nearest(name, names, model->num_bodies);
  sup_status status = SUP_OK;
  if (near != SUP_NONE)
    status = SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'; did you mean '%s'?", what, name,
                      names[near]);
  else if (model->num_bodies == 0)
    status = SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'; the model has no bodies", what, name);
  else
    status = SUP_FAIL(
        SUP_E_ARG,
        "%s: there is no body '%s'; bodies are named BODY or ROBOT/LINK, for instance '%s'", what,
        name, names[0]);
  SUP_FREE(names);
  return status;
}

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
  double xi[3] = {0, 0, 0};
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    trilinear(xi, weight);
    sup_v3 error = point;
    for (int i = 0; i < 8; i++) error = sup_v3_madd(error, -weight[i], x[i]);
    sup_m3 J = trilinear_gradient(x, xi);
    if (!(fabs(sup_m3_det(&J)) > 0)) return HUGE_VAL;
    sup_v3 d = sup_m3_apply(sup_m3_inverse(J), error);
    xi[0] += d.x, xi[1] += d.y, xi[2] += d.z;
    if (sup_v3_norm(d) < 1e-13) break;
    if (!(fabs(xi[0]) + fabs(xi[1]) + fabs(xi[2]) < 100)) return HUGE_VAL;
  }
  trilinear(xi, weight);
  double excess = 0;
  for (int k = 0; k < 3; k++)
    if (fabs(xi[k]) - 1 > excess) excess = fabs(xi[k]) - 1;
  return excess;
}

/** locate_t4 for a quadratic tetrahedron, whose map is linear when it is straight. */
static double locate_t10(const sup_v3 *x, sup_v3 point, double *weight) {
  enum { MAX_ITERATIONS = 30 };
  double L[4], flat[30], excess = 0;
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
    if (sup_v3_norm(d) < 1e-13) break;
    if (!(fabs(L[0]) + fabs(L[1]) + fabs(L[2]) + fabs(L[3]) < 100)) return HUGE_VAL;
  }
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

static sup_status outside(const sup_probe_def *def, const sup_mesh *mesh) {
  sup_v3 point = sup_v3_load(def->point);
  int    best = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < mesh->num_vertices; i++) {
    double distance = sup_v3_norm(sup_v3_sub(sup_mesh_vertex(mesh, i), point));
    if (distance < least) least = distance, best = i;
  }
  sup_v3 x = sup_mesh_vertex(mesh, best);
  return SUP_FAIL(SUP_E_ARG,
                  "probe '%s': the point (%g, %g, %g) m lies outside '%s' in the coordinates of "
                  "its mesh; the nearest vertex is (%g, %g, %g) m",
                  def->name, point.x, point.y, point.z, def->body, x.x, x.y, x.z);
}

/** Choose among the ranks' nearest cells the nearest, of the lowest rank. */
static void take_nearest(sup_probe *probe, const sup_collective *ranks, double excess) {
  double least = probe->num_vertices > 0 ? excess : HUGE_VAL;
  least = -sup_max_of_ranks(ranks, -least);
  bool   is_near = probe->num_vertices > 0 && excess <= least;
  double rank = is_near ? -ranks->rank : -HUGE_VAL;
  rank = -sup_max_of_ranks(ranks, rank);
  if (rank < ranks->size) ranks->broadcast(ranks, (int)rank, sizeof *probe, probe);
}

static sup_status find_in_mesh(sup_probe *probe, const sup_model *model, const sup_soft *soft,
                               const sup_probe_def *def) {
  const double tolerance = 1e-3; /* of an element: a point typed on a curved or rounded surface */
  const sup_mesh *mesh = sup_fem_mesh(soft->fem);
  int             n = sup_cell_num_vertices(mesh->type);
  double          least = tolerance;
  for (int c = 0; c < mesh->num_cells && least > 0; c++) {
    sup_v3     x[SUP_CELL_MAX_VERTICES];
    double     weight[SUP_CELL_MAX_VERTICES];
    const int *cell = sup_mesh_cell(mesh, c);
    for (int i = 0; i < n; i++) x[i] = sup_mesh_vertex(mesh, cell[i]);
    double excess = locate(mesh->type, x, probe->point, weight);
    if (!(excess < least || (excess <= tolerance && probe->num_vertices == 0))) continue;
    least = excess;
    probe->num_vertices = n;
    for (int i = 0; i < n; i++)
      probe->vertex[i] = soft->first_vertex + cell[i], probe->weight[i] = weight[i];
  }
  if (model->ranks) take_nearest(probe, model->ranks, least);
  if (probe->num_vertices > 0) return SUP_OK;
  sup_status status = outside(def, mesh);
  return status;
}

sup_status sup_probe_find(sup_probe *probe, const sup_model *model, const sup_probe_def *def) {
  char what[SUP_NAME_MAX + 16];
  *probe = (sup_probe){.point = sup_v3_load(def->point)};
  SUP_TRY(sup_text_copy(probe->name, sizeof probe->name, def->name));
  snprintf(what, sizeof what, "probe '%s'", probe->name);
  SUP_TRY(sup_output_find_body(&probe->body, model, def->body, what));
  int soft = model->body[probe->body].soft;
  if (soft != SUP_NONE) SUP_TRY(find_in_mesh(probe, model, &model->soft[soft], def));
  return SUP_OK;
}

sup_v3 sup_probe_position(const sup_probe *probe, const sup_observation *obs) {
  if (probe->num_vertices == 0) return sup_frame_apply(&obs->X_WL[probe->body], probe->point);
  sup_v3 x = {0, 0, 0};
  for (int i = 0; i < probe->num_vertices; i++)
    x = sup_v3_madd(x, probe->weight[i], sup_v3_load(obs->x + 3 * probe->vertex[i]));
  return x;
}
