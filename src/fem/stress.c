#include "fem/body_parts.h"

void sup_fem_stress_at(const sup_fem_body *body, const double *x, sup_fem_stress *stress) {
  const sup_element *element = body->element;
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const int      *cell = sup_mesh_cell(body->mesh, c);
    double          cell_X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
    sup_cell_stress at;
    sup_fem_gather(body->mesh->x, cell, element->num_vertices, cell_X);
    sup_fem_gather(x, cell, element->num_vertices, cell_x);
    sup_m3 R = sup_fem_cell_rotation(body, c, cell_x);
    element->stress(&body->lame, body->material.model, body->recovery + (size_t)element->recovery_size * (size_t)c, &R,
                    cell_X, cell_x, &at);
    if (stress->cauchy)
      for (int k = 0; k < 9; k++) stress->cauchy[9 * (size_t)c + (size_t)k] = at.cauchy.m[k / 3][k % 3];
    if (stress->von_mises) stress->von_mises[c] = at.von_mises;
    if (stress->energy_density) stress->energy_density[c] = at.energy_density;
    if (stress->volume_ratio) stress->volume_ratio[c] = at.volume_ratio;
  }
}

void sup_fem_vertex_average(const sup_fem_body *body, const double *cell_value, double *vertex_value) {
  const sup_mesh *mesh = body->mesh;
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] = 0;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 0; a < body->element->num_vertices; a++)
      vertex_value[sup_mesh_cell(mesh, c)[a]] += body->volume[c] * cell_value[c];
  for (int i = 0; i < mesh->num_vertices; i++) vertex_value[i] /= body->vertex_volume[i];
}
