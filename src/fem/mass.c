/* Masses: consistent or lumped, and the damping alpha M, with an alpha for each material. */
#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"

/* N := its diagonal, scaled to the same sum (Hinton, Rock, Zienkiewicz). */
static void lump_diagonal(int n, double *N) {
  double sum = 0, trace = 0;
  for (int i = 0; i < n * n; i++) sum += N[i];
  for (int a = 0; a < n; a++) trace += N[(n + 1) * a];
  for (int i = 0; i < n * n; i++) N[i] *= i % (n + 1) == 0 ? sum / trace : 0;
}

/** Alphas of one value are a factor of M. */
static int has_one_damping(const sup_fem_body *body) {
  for (int k = 1; k < body->num_materials; k++)
    if (body->matter[k].material.mass_damping != body->matter[0].material.mass_damping) return 0;
  return 1;
}

sup_status sup_fem_build_mass(sup_fem_body *body, int lumped) {
  const sup_mesh *mesh = body->mesh;
  int             n = body->element->num_vertices;
  int             entries = body->pattern.col_start[mesh->num_vertices];
  if (!lumped) SUP_TRY(SUP_CALLOC(body->entry_mass, entries));
  if (!has_one_damping(body)) SUP_TRY(SUP_CALLOC(body->damping, lumped ? mesh->num_vertices : entries));
  for (int c = 0; c < mesh->num_cells; c++) {
    const int              *cell = sup_mesh_cell(mesh, c);
    const sup_material_def *material = &sup_fem_matter_of(body, c)->material;
    double                  X[3 * SUP_CELL_MAX_VERTICES], N[SUP_CELL_MAX_VERTICES * SUP_CELL_MAX_VERTICES];
    sup_fem_gather(mesh->x, cell, n, X);
    body->element->mass(X, N);
    if (lumped && body->element->lumps_diagonal) lump_diagonal(n, N);
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        double m = material->density * N[n * a + b];
        int    at = cell[a]; /* in the mass in use */
        body->vertex_mass[cell[a]] += m;
        if (!lumped && cell[a] < cell[b]) continue;
        if (!lumped) {
          at = sup_block_pattern_find(&body->pattern, cell[a], cell[b]);
          body->entry_mass[at] += m;
        }
        if (body->damping) body->damping[at] += material->mass_damping * m;
      }
    }
  }
  for (int i = 0; i < mesh->num_vertices; i++) body->mass += body->vertex_mass[i];
  return SUP_OK;
}

/* Number k of the mass in use and of its damping: (M + dt C)_k; NULL: no damping. */
static double number(const double *mass, const double *damping, double dt, size_t k) {
  return damping ? mass[k] + dt * damping[k] : mass[k];
}

/* values := scale (M + dt C). */
static void put_mass(const sup_fem_body *body, double scale, const double *damping, double dt, double *values) {
  const sup_block_pattern *pattern = &body->pattern;
  size_t                   entries = (size_t)pattern->col_start[pattern->num_blocks];
  memset(values, 0, 9 * entries * sizeof *values);
  if (body->entry_mass) {
    for (size_t k = 0; k < entries; k++) {
      double m = scale * number(body->entry_mass, damping, dt, k);
      values[9 * k] = m, values[9 * k + 4] = m, values[9 * k + 8] = m;
    }
  } else {
    for (int i = 0; i < pattern->num_blocks; i++) {
      double *diagonal = values + 9 * (size_t)pattern->col_start[i],
             m = scale * number(body->vertex_mass, damping, dt, (size_t)i);
      diagonal[0] = m, diagonal[4] = m, diagonal[8] = m;
    }
  }
}

void sup_fem_mass_matrix(const sup_fem_body *body, double scale, double *values) {
  put_mass(body, scale, NULL, 0, values);
}

void sup_fem_damped_mass_matrix(const sup_fem_body *body, double dt, double *values) {
  double scale = body->damping ? 1 : 1 + dt * body->matter[0].material.mass_damping;
  put_mass(body, scale, body->damping, dt, values);
}

void sup_fem_weigh_mass(const sup_fem_body *body, const double *c, double *values) {
  const sup_block_pattern *pattern = &body->pattern;
  for (int j = 0; j < pattern->num_blocks; j++) {
    int end = body->entry_mass ? pattern->col_start[j + 1] : pattern->col_start[j] + 1; /* lumped: the diagonal */
    for (int e = pattern->col_start[j]; e < end; e++) {
      double m = (c[j] * c[pattern->row[e]] - 1) * (body->entry_mass ? body->entry_mass[e] : body->vertex_mass[j]);
      for (int d = 0; d < 9; d += 4) values[9 * (size_t)e + (size_t)d] += m;
    }
  }
}

/* out := (M + dt C) v. */
static void multiply(const sup_fem_body *body, const double *damping, double dt, const double *v, double *out) {
  const sup_block_pattern *pattern = &body->pattern;
  for (int i = 0; i < pattern->num_blocks; i++) {
    size_t k = (size_t)(body->entry_mass ? pattern->col_start[i] : i);
    double m = number(body->entry_mass ? body->entry_mass : body->vertex_mass, damping, dt, k);
    for (int d = 0; d < 3; d++) out[3 * i + d] = m * v[3 * i + d];
  }
  if (!body->entry_mass) return;
  for (int j = 0; j < pattern->num_blocks; j++) {
    for (int e = pattern->col_start[j] + 1; e < pattern->col_start[j + 1]; e++) {
      int    i = pattern->row[e];
      double m = number(body->entry_mass, damping, dt, (size_t)e);
      for (int k = 0; k < 3; k++) out[3 * i + k] += m * v[3 * j + k], out[3 * j + k] += m * v[3 * i + k];
    }
  }
}

void sup_fem_mass_multiply(const sup_fem_body *body, const double *v, double *out) { multiply(body, NULL, 0, v, out); }

void sup_fem_damped_mass_multiply(const sup_fem_body *body, double dt, const double *v, double *out) {
  double scale = 1 + dt * body->matter[0].material.mass_damping;
  multiply(body, body->damping, dt, v, out);
  for (int i = 0; i < 3 * body->mesh->num_vertices && !body->damping; i++) out[i] *= scale;
}
