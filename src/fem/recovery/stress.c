#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/stress_kernel.h"
#include "fem/law/stretch_law.h"
#include "fem/viscoelastic.h"

/** Positions of a viscoelastic cell (cell order, cell axes) at which K0 gives the cell's stress:
 * rest positions plus the long-term share of its displacements plus the displacements of the terms.
 */
static void strained_positions(const sup_fem_body *body, int c, const double *x,
                               const double *internal, double *out) {
  int        n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  const int *cell = sup_mesh_cell(body->mesh, c);
  double     terms[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
  double     share = sup_fem_matter_of(body, c)->prony.long_term;
  sup_fem_gather(x, cell, n, cell_x);
  sup_m3 R = sup_fem_cell_rotation(body, c, cell_x);
  sup_fem_sum_terms(body, c, internal, terms);
  sup_fem_cell_order(body, c, at);
  const double *first = cell_x + 3 * at[0];
  const double *X0 = body->mesh->x + 3 * (size_t)cell[at[0]];
  for (int slot = 0; slot < n; slot++) {
    const double *X = body->mesh->x + 3 * (size_t)cell[at[slot]];
    sup_v3        arm = sup_v3_sub(sup_v3_load(cell_x + 3 * at[slot]), sup_v3_load(first)),
           rest = sup_v3_sub(sup_v3_load(X), sup_v3_load(X0));
    sup_v3 u = sup_v3_sub(sup_m3_apply_t(R, arm), rest);
    u = sup_v3_madd(sup_v3_load(terms + 3 * slot), share, u);
    sup_v3_store(out + 3 * at[slot], sup_v3_add(sup_v3_load(X), u));
  }
}

/** Stress of a viscoelastic cell at its points: cells with K0, except bricks and T4. */
static void viscoelastic_stress(const sup_fem_body *body, int c, const double *X, const double *x,
                                const sup_m3 *R, const double *strained, sup_point_stress *point) {
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  sup_m3                F[SUP_ELEMENT_MAX_POINTS], I = sup_m3_identity();
  sup_point_stress      now[SUP_ELEMENT_MAX_POINTS];
  body->element->stress(&m->lame, SUP_MATERIAL_LINEAR, &I, X, strained, point);
  body->element->deformations(&m->lame, X, x, F, now);
  for (int q = 0; q < body->element->num_points; q++) {
    sup_m3 P = sup_m3_mul(*R, point[q].cauchy);
    point[q].cauchy = sup_fem_cauchy(m->material.model, &P, &F[q]);
    point[q].volume_ratio = sup_m3_det(&F[q]);
  }
}

/** Stress at the points of cell c, one by one. */
static void cell_stress(const sup_fem_body *body, int c, const double *x, const double *internal,
                        sup_point_stress *point) {
  const sup_element *element = body->element;
  const int         *cell = sup_mesh_cell(body->mesh, c);
  double             cell_X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
  if (body->is_hyperelastic) {
    double terms[6 * SUP_ELEMENT_MAX_POINTS];
    if (internal) sup_fem_sum_terms(body, c, internal, terms);
    sup_fem_hyperelastic_stress(body, c, x, internal ? terms : NULL, point);
    return;
  }
  sup_fem_gather(body->mesh->x, cell, element->num_vertices, cell_X);
  sup_fem_gather(x, cell, element->num_vertices, cell_x);
  sup_m3                R = sup_fem_cell_rotation(body, c, cell_x);
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  if (internal) {
    double strained[3 * SUP_CELL_MAX_VERTICES];
    strained_positions(body, c, x, internal, strained);
    viscoelastic_stress(body, c, cell_X, cell_x, &R, strained, point);
    return;
  }
  element->stress(&m->lame, m->material.model, &R, cell_X, cell_x, point);
}

/** @param[out] point  of all cells, as sup_fem_stress has it; NULL: not computed */
static void batch_stress(const sup_fem_body *body, int k, const double *x, const double *internal,
                         double *point, sup_batch_points *out) {
  double                    strained[24 * SUP_BATCH];
  sup_batch                 batch = sup_fem_batch(body, k);
  int                       first = SUP_BATCH * k, n = batch.num_vertices, is_brick = n == 8;
  ptrdiff_t                 numbers = 6 * (ptrdiff_t)body->element->num_points;
  const sup_stress_kernels *kernels = sup_stress_kernels_select();
  sup_batch_stress          in = {.X = body->mesh->x, .x = x};
  if (is_brick)
    in.compliance =
        body->compliance + SUP_ELEMENT_MAX_COMPLIANCE * SUP_BATCH * sup_fem_lanes(body, first);
  for (int l = 0; l < SUP_BATCH && point; l++)
    in.point[l] = l < batch.num_cells ? point + numbers * sup_fem_given(body, first + l)
                                      : &out->point[l][0][0];
  for (int l = 0; l < batch.num_cells; l++) {
    const sup_fem_matter *m = sup_fem_matter_of(body, first + l);
    in.lambda[l] = m->lame.lambda, in.mu[l] = m->lame.mu;
    in.is_linear[l] = m->material.model == SUP_MATERIAL_LINEAR;
    if (internal) strained_positions(body, first + l, x, internal, strained + 3 * (ptrdiff_t)n * l);
  }
  in.strained = internal ? strained : NULL;
  (is_brick ? kernels->brick : kernels->t4)(&batch, &in, out);
}

/** Means of cell c of the given mesh over its points. */
static void take_means(const sup_point_stress *point, int num_points, size_t c,
                       const sup_fem_stress *stress) {
  double cauchy[9] = {0}, von_mises = 0, energy_density = 0, volume_ratio = 0;
  for (int q = 0; q < num_points; q++) {
    double w = point[q].weight;
    if (w == 0) continue;
    for (int k = 0; k < 9; k++) cauchy[k] += w * point[q].cauchy.m[k / 3][k % 3];
    von_mises += w * sup_fem_von_mises(&point[q].cauchy);
    energy_density += w * point[q].energy_density;
    volume_ratio += w * point[q].volume_ratio;
  }
  if (stress->cauchy) memcpy(stress->cauchy + 9 * c, cauchy, sizeof cauchy);
  if (stress->von_mises) stress->von_mises[c] = von_mises;
  if (stress->energy_density) stress->energy_density[c] = energy_density;
  if (stress->volume_ratio) stress->volume_ratio[c] = volume_ratio;
}

int sup_fem_num_points(const sup_fem_body *body) { return body->element->num_points; }

/** Write the requested stresses of cell c of the given mesh. */
static void keep_points(const sup_point_stress *point, size_t n, size_t c,
                        const sup_fem_stress *stress) {
  take_means(point, (int)n, c, stress);
  for (size_t q = 0; q < n && stress->weight; q++) stress->weight[n * c + q] = point[q].weight;
  for (size_t q = 0; q < n && stress->point; q++) {
    sup_m3       S = point[q].cauchy;
    const double six[6] = {S.m[0][0], S.m[1][1], S.m[2][2], S.m[0][1], S.m[1][2], S.m[0][2]};
    memcpy(stress->point + 6 * (n * c + q), six, sizeof six);
  }
}

/** Write the requested stresses of the cell in lane l, cell c of the given mesh. */
static void keep_lane(const sup_batch_points *b, int l, size_t c, size_t num_points,
                      const sup_fem_stress *stress) {
  static const unsigned char at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  for (size_t k = 0; k < 9 && stress->cauchy; k++) stress->cauchy[9 * c + k] = b->cauchy[at[k]][l];
  if (stress->von_mises) stress->von_mises[c] = b->von_mises[l];
  if (stress->energy_density) stress->energy_density[c] = b->energy_density[l];
  if (stress->volume_ratio) stress->volume_ratio[c] = b->volume_ratio[l];
  for (size_t q = 0; q < num_points && stress->weight; q++)
    stress->weight[num_points * c + q] = b->weight[q][l];
  if (stress->strain) stress->strain[c] = b->strain[l];
}

/** Data shared by threads. */
typedef struct pass {
  const sup_fem_body   *body;
  const double         *x, *internal;
  const sup_fem_stress *stress;
} pass;

/** The energy of a viscoelastic cell is that of its terms, too [J/m^3]. */
static double stored_density(const pass *p, int c) {
  double cell_x[3 * SUP_CELL_MAX_VERTICES];
  if (!p->stress->energy_density) return 0;
  sup_fem_gather(p->x, sup_mesh_cell(p->body->mesh, c), p->body->element->num_vertices, cell_x);
  sup_m3 R = sup_fem_cell_rotation(p->body, c, cell_x);
  return sup_fem_stored_by_cell(p->body, c, &R, p->x, p->internal) / sup_fem_volume_of(p->body, c);
}

/** Stresses of bricks or linear T4 in batches first .. end. */
static void take_batches(void *user, int first, int end) {
  const pass      *p = user;
  sup_batch_points points;
  for (int k = first; k < end; k++) {
    int cell = SUP_BATCH * k, cells = sup_fem_batch(p->body, k).num_cells;
    batch_stress(p->body, k, p->x, p->internal, p->stress->point, &points);
    for (int l = 0; l < cells && p->internal; l++)
      points.energy_density[l] = stored_density(p, cell + l);
    for (int l = 0; l < cells; l++)
      keep_lane(&points, l, (size_t)sup_fem_given(p->body, cell + l),
                (size_t)p->body->element->num_points, p->stress);
  }
}

/** |F^T F - I| of the mean deformation, as sup_fem_stress has it. */
static double strain_size(const sup_fem_body *body, int c, const double *x) {
  sup_m3 F = sup_fem_deformation(body, c, x);
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double e = sup_v3_dot(sup_m3_column(&F, i), sup_m3_column(&F, j)) - (i == j);
      sum += e * e;
    }
  return sup_m3_det(&F) > 0 ? sqrt(sum) : (double)INFINITY;
}

/** Stresses of other cells first .. end. */
static void take_cells(void *user, int first, int end) {
  const pass         *p = user;
  const sup_fem_body *body = p->body;
  sup_point_stress    point[SUP_ELEMENT_MAX_POINTS];
  for (int c = first; c < end; c++) {
    cell_stress(body, c, p->x, p->internal, point);
    for (int q = 0; q < body->element->num_points && p->internal; q++)
      point[q].energy_density = stored_density(p, c);
    keep_points(point, (size_t)body->element->num_points, (size_t)sup_fem_given(body, c),
                p->stress);
    if (p->stress->strain) p->stress->strain[sup_fem_given(body, c)] = strain_size(body, c, p->x);
  }
}

void sup_fem_stress_at(const sup_fem_body *body, const double *x, const double *internal,
                       sup_fem_stress *stress) {
  pass p = {body, x, sup_fem_num_internal(body) > 0 ? internal : NULL, stress};
  if (body->element->stress || body->is_hyperelastic)
    sup_share_run(sup_fem_threads(body), body->mesh->num_cells, take_cells, &p);
  else
    sup_share_run(sup_fem_threads(body), sup_fem_num_batches(body), take_batches, &p);
}

sup_stretch_range sup_fem_stretches(const sup_fem_body *body, int material, const double *x,
                                    const double *strain) {
  sup_material_model     model = body->matter[material].material.model;
  const sup_stretch_law *law = sup_fem_stretch_law_of(model);
  bool                   is_linear = model == SUP_MATERIAL_LINEAR;
  if (!law) law = &sup_stretch_law_corotational; /* linear corotational: the same strains */
  sup_stretch_range r = {1, 1, is_linear ? 0.9 : law->least, is_linear ? 1.1 : law->most};
  for (int c = 0; c < body->mesh->num_cells; c++) {
    double bound = strain[sup_fem_given(body, c)], s[3], least = fmin(r.least, r.trusted_least),
           most = fmax(r.most, r.trusted_most);
    if (body->cell_material[c] != material ||
        (1 - bound > least * least && 1 + bound < most * most))
      continue;
    sup_m3 F = sup_fem_deformation(body, c, x), U, V;
    sup_fem_svd(&F, &U, s, &V);
    r.least = fmin(r.least, s[2]), r.most = fmax(r.most, s[0]);
  }
  r.least = -sup_max_of_ranks(body->ranks, -r.least);
  r.most = sup_max_of_ranks(body->ranks, r.most);
  return r;
}

void sup_fem_vertex_average(const sup_fem_body *body, const double *cell_value,
                            double *vertex_value) {
  const sup_mesh *mesh = body->mesh;
  int             n = body->element->num_vertices;
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    double     value = sup_fem_volume_of(body, c) * cell_value[sup_fem_given(body, c)];
    for (int a = 0; a < n; a++) vertex_value[cell[a]] += value;
  }
  if (body->ranks) body->ranks->sum(body->ranks, (size_t)mesh->num_vertices, vertex_value);
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] /= body->vertex_volume[i];
}
