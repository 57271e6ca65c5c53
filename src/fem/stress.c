#include "fem/body_parts.h"
#include "fem/stretch_law.h"

void sup_fem_stress_at(const sup_fem_body *body, const double *x, sup_fem_stress *stress) {
  const sup_element *element = body->element;
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const int      *cell = sup_mesh_cell(body->mesh, c);
    double          cell_X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
    sup_cell_stress at;
    sup_fem_gather(body->mesh->x, cell, element->num_vertices, cell_X);
    sup_fem_gather(x, cell, element->num_vertices, cell_x);
    sup_m3 R = sup_fem_cell_rotation(body, c, cell_x);
    if (body->law) {
      sup_m3 F = sup_fem_deformation(body, c, x);
      sup_fem_hyperelastic_stress(body, &F, &at);
    } else
      element->stress(&body->lame, body->material.model, body->recovery + (size_t)element->recovery_size * (size_t)c,
                      &R, cell_X, cell_x, &at);
    if (stress->cauchy)
      for (int k = 0; k < 9; k++) stress->cauchy[9 * (size_t)c + (size_t)k] = at.cauchy.m[k / 3][k % 3];
    if (stress->von_mises) stress->von_mises[c] = at.von_mises;
    if (stress->energy_density) stress->energy_density[c] = at.energy_density;
    if (stress->volume_ratio) stress->volume_ratio[c] = at.volume_ratio;
  }
}

/** |F^T F - I|: no squared stretch is farther from 1. */
static double strain_bound(const sup_m3 *F) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double e = sup_v3_dot(sup_m3_column(F, i), sup_m3_column(F, j)) - (i == j);
      sum += e * e;
    }
  return sqrt(sum);
}

sup_stretch_range sup_fem_stretches(const sup_fem_body *body, const double *x) {
  const sup_stretch_law *law = sup_fem_stretch_law_of(body->material.model);
  int                    is_linear = body->material.model == SUP_MATERIAL_LINEAR;
  if (!law) law = &sup_stretch_law_corotational; /* linear corotational: the same strains */
  sup_stretch_range r = {1, 1, is_linear ? 0.9 : law->least, is_linear ? 1.1 : law->most};
  for (int c = 0; c < body->mesh->num_cells; c++) {
    sup_m3 F = sup_fem_deformation(body, c, x), U, V;
    double s[3], bound = strain_bound(&F);
    if (sup_m3_det(&F) > 0 && 1 - bound > r.trusted_least * r.trusted_least &&
        1 + bound < r.trusted_most * r.trusted_most)
      continue;
    sup_fem_svd(&F, &U, s, &V);
    r.least = fmin(r.least, s[2]), r.most = fmax(r.most, s[0]);
  }
  return r;
}

void sup_fem_vertex_average(const sup_fem_body *body, const double *cell_value, double *vertex_value) {
  const sup_mesh *mesh = body->mesh;
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] = 0;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 0; a < body->element->num_vertices; a++)
      vertex_value[sup_mesh_cell(mesh, c)[a]] += body->volume[c] * cell_value[c];
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] /= body->vertex_volume[i];
}
