/* Masses: consistent or lumped, and the damping alpha M, with an alpha for each material. */
#include <string.h>

#include "base/memory.h"
#include "base/share.h"
#include "fem/body_parts.h"

/* N := its diagonal, scaled to the same sum (Hinton, Rock, Zienkiewicz). */
static void lump_diagonal(int n, double *N) {
  double sum = 0, trace = 0;
  for (int i = 0; i < n * n; i++) sum += N[i];
  for (int a = 0; a < n; a++) trace += N[(n + 1) * a];
  for (int i = 0; i < n * n; i++) N[i] *= i % (n + 1) == 0 ? sum / trace : 0;
}

/** Alphas of one value are a factor of M. */
static bool has_one_damping(const sup_fem_body *body) {
  for (int k = 1; k < body->num_materials; k++)
    if (body->matter[k].material.mass_damping != body->matter[0].material.mass_damping) return 0;
  return 1;
}

sup_status sup_fem_build_mass(sup_fem_body *body, int lumped) {
  const sup_mesh *mesh = body->mesh;
  int             n = body->element->num_vertices;
  int             entries = sup_block_column(&body->pattern, mesh->num_vertices);
  if (!lumped) SUP_TRY(SUP_CALLOC(body->entry_mass, entries));
  if (!has_one_damping(body))
    SUP_TRY(SUP_CALLOC(body->damping, lumped ? mesh->num_vertices : entries));
  for (int c = 0; c < mesh->num_cells; c++) {
    const int              *cell = sup_mesh_cell(mesh, c);
    const sup_material_def *material = &sup_fem_matter_of(body, c)->material;
    double X[3 * SUP_CELL_MAX_VERTICES], N[SUP_CELL_MAX_VERTICES * SUP_CELL_MAX_VERTICES];
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
  body->own_mass = body->vertex_mass;
  if (!body->ranks) return SUP_OK;
  body->own_mass = NULL;
  SUP_TRY(SUP_CALLOC(body->own_mass, mesh->num_vertices));
  memcpy(body->own_mass, body->vertex_mass, (size_t)mesh->num_vertices * sizeof *body->own_mass);
  return SUP_OK;
}

void sup_fem_sum_mass(sup_fem_body *body) {
  int n = body->mesh->num_vertices;
  if (body->ranks) body->ranks->sum(body->ranks, (size_t)n, body->vertex_mass);
  for (int i = 0; i < n; i++) body->mass += body->vertex_mass[i];
}

/* Number k of the mass in use and of its damping: (M + dt C)_k; NULL: no damping. */
static double number(const double *mass, const double *damping, double dt, size_t k) {
  return damping ? mass[k] + dt * damping[k] : mass[k];
}

/* Block m I, column-major. */
static void put_block(double m, double *to) {
  typedef double pair __attribute__((vector_size(16), aligned(8), may_alias)); /* half the stores */
  pair           zero = {0, 0}, first = {m, 0};
  *(pair *)to = first, *(pair *)(to + 2) = zero;
  *(pair *)(to + 4) = first, *(pair *)(to + 6) = zero;
  to[8] = m;
}

/* Block columns first .. end that a thread writes. */
typedef struct columns {
  const sup_fem_body       *body;
  const sup_fem_mass_terms *terms;
  const size_t             *place;
  double                   *values;
} columns;

void sup_fem_put_mass_column(const sup_fem_body *body, const sup_fem_mass_terms *terms, int j,
                             const size_t *place, double *values) {
  const sup_fem_mass_terms t = *terms; /* must not overlap the values */
  const sup_block_pattern *P = &body->pattern;
  const double            *mass = body->entry_mass ? body->entry_mass : body->own_mass;
  int                      begin = sup_block_column(P, j),
      end = body->entry_mass ? sup_block_column(P, j + 1) : begin + 1;
  int first = body->entry_mass ? begin : j; /* lumped: the diagonal */
  for (int k = begin; k < end; k++) {
    size_t at = (size_t)(first + k - begin);
    double m = t.scale * number(mass, t.damping, t.dt, at);
    if (t.c) m += (t.c[j] * t.c[sup_block_row(P, k)] - 1) * mass[at];
    put_block(m, values + place[k]);
  }
  for (int k = end; k < sup_block_column(P, j + 1); k++) put_block(0, values + place[k]);
}

double sup_fem_mass_of_entry(const sup_fem_body *body, const sup_fem_mass_terms *t, int j,
                             int entry) {
  const double *mass = body->entry_mass ? body->entry_mass : body->own_mass;
  size_t        at = (size_t)(body->entry_mass ? entry : j);
  double        m = t->scale * number(mass, t->damping, t->dt, at);
  if (t->c) m += (t->c[j] * t->c[sup_block_row(&body->pattern, entry)] - 1) * mass[at];
  return m;
}

void sup_fem_put_mass_diagonal(const sup_fem_body *body, const sup_fem_mass_terms *terms,
                               double *block) {
  for (int j = 0; j < body->mesh->num_vertices; j++)
    put_block(sup_fem_mass_of_entry(body, terms, j, sup_block_column(&body->pattern, j)),
              block + 9 * (size_t)j);
}

void sup_fem_terms_multiply(const sup_fem_body *body, const sup_fem_mass_terms *terms,
                            const double *v, double *out) {
  const sup_block_pattern *P = &body->pattern;
  for (int j = 0; j < P->num_blocks; j++) {
    double m = sup_fem_mass_of_entry(body, terms, j, sup_block_column(P, j));
    for (int i = 0; i < 3; i++) out[3 * j + i] = m * v[3 * j + i];
  }
  if (!body->entry_mass || terms->scale == 0) return;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j) + 1; e < sup_block_column(P, j + 1); e++) {
      int    r = sup_block_row(P, e);
      double m = sup_fem_mass_of_entry(body, terms, j, e);
      for (int i = 0; i < 3; i++)
        out[3 * r + i] += m * v[3 * j + i], out[3 * j + i] += m * v[3 * r + i];
    }
}

static void put_columns(void *user, int first, int end) {
  const columns *p = user;
  for (int j = first; j < end; j++)
    sup_fem_put_mass_column(p->body, p->terms, j, p->place, p->values);
}

/* Every number is written. */
static void put_mass(const sup_fem_body *body, const sup_fem_mass_terms *terms, const size_t *place,
                     double *values) {
  columns p = {body, terms, place ? place : sup_block_values(&body->pattern), values};
  sup_share_run(sup_fem_threads(body), body->mesh->num_vertices, put_columns, &p);
}

void sup_fem_mass_matrix(const sup_fem_body *body, double scale, double *values) {
  put_mass(body, &(sup_fem_mass_terms){.scale = scale}, NULL, values);
}

sup_fem_mass_terms sup_fem_mass_of_step(const sup_fem_body *body, double dt, const double *c) {
  double scale = body->damping ? 1 : 1 + dt * body->matter[0].material.mass_damping;
  return (sup_fem_mass_terms){scale, body->damping, dt, c};
}

void sup_fem_step_mass(const sup_fem_body *body, double dt, const double *c, const size_t *place,
                       double *values) {
  sup_fem_mass_terms terms = sup_fem_mass_of_step(body, dt, c);
  put_mass(body, &terms, place, values);
}

/* out := (M + dt C) v. */
static void multiply(const sup_fem_body *body, const double *damping, double dt, const double *v,
                     double *out) {
  const sup_block_pattern *pattern = &body->pattern;
  for (int i = 0; i < pattern->num_blocks; i++) {
    size_t k = (size_t)(body->entry_mass ? sup_block_column(pattern, i) : i);
    double m = number(body->entry_mass ? body->entry_mass : body->own_mass, damping, dt, k);
    for (int d = 0; d < 3; d++) out[3 * i + d] = m * v[3 * i + d];
  }
  if (!body->entry_mass) return;
  for (int j = 0; j < pattern->num_blocks; j++) {
    for (int e = sup_block_column(pattern, j) + 1; e < sup_block_column(pattern, j + 1); e++) {
      int    i = sup_block_row(pattern, e);
      double m = number(body->entry_mass, damping, dt, (size_t)e);
      for (int k = 0; k < 3; k++)
        out[3 * i + k] += m * v[3 * j + k], out[3 * j + k] += m * v[3 * i + k];
    }
  }
}

void sup_fem_mass_multiply(const sup_fem_body *body, const double *v, double *out) {
  multiply(body, NULL, 0, v, out);
  sup_fem_end_sum(body, out);
}

void sup_fem_damped_mass_multiply(const sup_fem_body *body, double dt, const double *v,
                                  double *out) {
  double scale = 1 + dt * body->matter[0].material.mass_damping;
  multiply(body, body->damping, dt, v, out);
  for (int i = 0; i < 3 * body->mesh->num_vertices && !body->damping; i++) out[i] *= scale;
  sup_fem_end_sum(body, out);
}
