/* Bodies of tetrahedra with a stretch law: one deformation gradient a cell (THEORY 4.1, 4.3). */
#include <string.h>

#include "fem/body_parts.h"
#include "fem/stretch_law.h"

sup_m3 sup_fem_deformation(const sup_fem_body *body, int c, const double *x) {
  const int    *cell = sup_mesh_cell(body->mesh, c);
  int           n = body->element->num_vertices;
  const double *g = body->gradient + 3 * (size_t)n * (size_t)c, *origin = x + 3 * (size_t)cell[0];
  sup_m3        F = sup_m3_zero();
  for (int a = 1; a < n; a++) { /* the gradients add up to zero: vertex 0 as origin */
    const double *p = x + 3 * (size_t)cell[a];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += (p[i] - origin[i]) * g[3 * a + j];
  }
  return F;
}

void sup_fem_cell_order(const sup_fem_body *body, int c, int *at) {
  const int *cell = sup_mesh_cell(body->mesh, c);
  int        n = body->element->num_vertices;
  const int *vertex = body->vertex + (size_t)n * (size_t)c;
  for (int slot = 0; slot < n; slot++)
    for (int a = 0; a < n; a++)
      if (cell[a] == vertex[slot]) at[slot] = a;
}

/* K_ab = V sum_k value_k (M_k g_a)(M_k g_b)^T over the modes of the tangent. */
static void add_cell_stiffness(const sup_fem_body *body, int c, const sup_tangent_modes *t, double scale,
                               double *values) {
  int           n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  const double *g = body->gradient + 3 * (size_t)n * (size_t)c;
  const int    *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  double        h[9][SUP_CELL_MAX_VERTICES][3], weight[9];
  sup_fem_cell_order(body, c, at);
  for (int k = 0; k < 9; k++) {
    weight[k] = scale * body->volume[c] * t->value[k];
    for (int a = 0; a < n; a++) sup_v3_store(h[k][a], sup_m3_apply(t->mode[k], sup_v3_load(g + 3 * at[a])));
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++) {
      double *K = values + 9 * (size_t)*entry++;
      for (int k = 0; k < 9; k++)
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++) K[3 * j + i] += weight[k] * h[k][a][i] * h[k][b][j];
    }
}

void sup_fem_hyperelastic_stiffness(const sup_fem_body *body, const double *x, int project, const double *scale,
                                    double *values) {
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const sup_fem_matter *m = sup_fem_matter_of(body, c);
    if (scale[body->cell_material[c]] == 0) continue;
    sup_m3            F = sup_fem_deformation(body, c, x);
    sup_tangent_modes t;
    sup_fem_stretch_law(m->law ? m->law : &sup_stretch_law_corotational, &m->lame, &F, NULL, project, &t);
    add_cell_stiffness(body, c, &t, scale[body->cell_material[c]], values);
  }
}

double sup_fem_hyperelastic_force(const sup_fem_body *body, const double *x, double *f) {
  int    n = body->element->num_vertices;
  double energy = 0;
  if (f) memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const int            *cell = sup_mesh_cell(body->mesh, c);
    const double         *g = body->gradient + 3 * (size_t)n * (size_t)c;
    sup_m3                F = sup_fem_deformation(body, c, x), P;
    const sup_fem_matter *m = sup_fem_matter_of(body, c);
    energy += body->volume[c] * sup_fem_stretch_law(m->law, &m->lame, &F, f ? &P : NULL, 0, NULL);
    for (int a = 0; a < n && f; a++)
      sup_v3_accumulate(f + 3 * (size_t)cell[a], -body->volume[c], sup_m3_apply(P, sup_v3_load(g + 3 * a)));
  }
  return energy;
}

void sup_fem_hyperelastic_stress(const sup_fem_body *body, int c, const sup_m3 *F, sup_point_stress *point) {
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  sup_m3                P;
  point->energy_density = sup_fem_stretch_law(m->law, &m->lame, F, &P, 0, NULL);
  if (!isfinite(point->energy_density)) point->energy_density = 0;
  point->cauchy = sup_fem_cauchy(m->material.model, &P, F);
  point->volume_ratio = sup_m3_det(F);
  point->weight = 1;
}
