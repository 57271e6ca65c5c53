/* Bodies of tetrahedra with stretch laws at their points: one of T4, eight of T10
 * (THEORY 4.1, 4.3, 4.6).
 *
 *  With the mean of the dilatation (4.7) a law psi = psi0 + lambda U(d) has psi0 at the points and
 * one d a cell, its mean over them: E = sum_q w_q psi0(F_q) + V lambda U(mean d).  Its stress at
 * the points is that of psi0 + lambda U'(mean d) d, and its second derivative has a dyad more, of
 * what changes the mean. */
#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/stretch_law.h"

static sup_m3 deformation(int n, const int *cell, const double *g, const double *x) {
  const double *origin = x + 3 * (size_t)cell[0];
  sup_m3        F = sup_m3_zero();
  for (int a = 1; a < n; a++) { /* the gradients add up to zero: vertex 0 as origin */
    const double *p = x + 3 * (size_t)cell[a];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += (p[i] - origin[i]) * g[3 * a + j];
  }
  return F;
}

sup_m3 sup_fem_deformation(const sup_fem_body *body, int c, const double *x) {
  int n = body->element->num_vertices;
  return deformation(n, sup_mesh_cell(body->mesh, c), sup_fem_gradient_of(body, c), x);
}

void sup_fem_cell_order(const sup_fem_body *body, int c, int *at) {
  const int *cell = sup_mesh_cell(body->mesh, c);
  int        n = body->element->num_vertices;
  const int *vertex = body->vertex + (size_t)n * (size_t)c;
  for (int slot = 0; slot < n; slot++)
    for (int a = 0; a < n; a++)
      if (cell[a] == vertex[slot]) at[slot] = a;
}

/* A cell at x. */
typedef struct cell_state {
  int           num_points;
  double        weight[SUP_ELEMENT_MAX_POINTS];
  const double *gradient[SUP_ELEMENT_MAX_POINTS]; /* [num_vertices x 3] cell order: of the body, or
                                                     in storage */
  double storage[SUP_ELEMENT_MAX_POINTS * 3 * SUP_CELL_MAX_VERTICES];
  sup_m3 F[SUP_ELEMENT_MAX_POINTS];
  /* with the mean of the dilatation d; otherwise zeros */
  double energy, pressure, modulus; /* V lambda U, lambda U', lambda U''/V */
} cell_state;

static int has_mean_dilatation(const sup_fem_body *body) {
  return body->element == &sup_element_t10b;
}

/* lambda U(mean d) with its slope; the weights add up to `volume`. */
static double mean_dilatation(const sup_fem_matter *m, int num, const double *weight,
                              const sup_m3 *F, double volume, double slope[2]) {
  double mean = 0;
  for (int q = 0; q < num; q++)
    mean += weight[q] / volume * sup_fem_dilatation(m->law, &F[q], NULL);
  double energy = m->law->volumetric(mean, slope);
  slope[0] *= m->lame.lambda, slope[1] *= m->lame.lambda;
  return m->lame.lambda * energy;
}

static void look_at(const sup_fem_body *body, int c, const double *x, cell_state *s) {
  const int *cell = sup_mesh_cell(body->mesh, c);
  int        n = body->element->num_vertices;
  s->num_points = 1, s->weight[0] = sup_fem_volume_of(body, c);
  s->energy = s->pressure = s->modulus = 0;
  if (body->element->integration) {
    double X[3 * SUP_CELL_MAX_VERTICES];
    sup_fem_gather(body->mesh->x, cell, n, X);
    s->num_points = body->element->integration(X, s->weight, s->storage);
    for (int q = 0; q < s->num_points; q++) s->gradient[q] = s->storage + 3 * n * q;
  } else {
    s->gradient[0] = sup_fem_gradient_of(body, c);
  }
  for (int q = 0; q < s->num_points; q++) s->F[q] = deformation(n, cell, s->gradient[q], x);
  if (!has_mean_dilatation(body)) return;
  double slope[2];
  s->energy = sup_fem_volume_of(body, c) * mean_dilatation(sup_fem_matter_of(body, c),
                                                           s->num_points, s->weight, s->F,
                                                           sup_fem_volume_of(body, c), slope);
  s->pressure = slope[0], s->modulus = slope[1] / sup_fem_volume_of(body, c);
}

/* The law at a point; T4 that are linear but for their rotation have the corotational law's. */
static double law_at(const sup_fem_body *body, const sup_fem_matter *m, double pressure,
                     const sup_m3 *F, sup_m3 *P, int project, sup_tangent_modes *t) {
  const sup_stretch_law *law = m->law ? m->law : &sup_stretch_law_corotational;
  if (has_mean_dilatation(body))
    return sup_fem_split_law(law, &m->lame, pressure, F, P, project, t);
  return sup_fem_stretch_law(law, &m->lame, F, P, project, t);
}

/* K_ab = V sum_k value_k (M_k g_a)(M_k g_b)^T over the modes of the tangent at a point with the
 * volume V; `at`: places of the slots in the cell's order. */
static void add_point_stiffness(int n, const int *at, const double *g, const sup_tangent_modes *t,
                                double volume, const int *entry, const unsigned char *owned,
                                double *values) {
  double h[9][SUP_CELL_MAX_VERTICES][3], weight[9];
  for (int k = 0; k < 9; k++) {
    weight[k] = volume * t->value[k];
    for (int a = 0; a < n; a++)
      sup_v3_store(h[k][a], sup_m3_apply(t->mode[k], sup_v3_load(g + 3 * at[a])));
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++, entry++) {
      if (!owned[b]) continue;
      double *K = values + 9 * (size_t)*entry;
      for (int k = 0; k < 9; k++)
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++) K[3 * j + i] += weight[k] * h[k][a][i] * h[k][b][j];
    }
}

/* modulus times the dyad of sum_q w_q d' g, the change of V mean d with the vertices. */
static void add_dilatation_stiffness(int n, const int *at, const cell_state *s,
                                     const sup_stretch_law *law, double modulus, const int *entry,
                                     const unsigned char *owned, double *values) {
  double h[SUP_CELL_MAX_VERTICES][3] = {{0}};
  for (int q = 0; q < s->num_points; q++) {
    sup_m3 slope;
    sup_fem_dilatation(law, &s->F[q], &slope);
    for (int a = 0; a < n; a++)
      sup_v3_accumulate(h[a], s->weight[q],
                        sup_m3_apply(slope, sup_v3_load(s->gradient[q] + 3 * at[a])));
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++, entry++) {
      if (!owned[b]) continue;
      double *K = values + 9 * (size_t)*entry;
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) K[3 * j + i] += modulus * h[a][i] * h[b][j];
    }
}

/* What all cells are asked for. */
typedef struct pass {
  const sup_fem_body *body;
  const double       *x;
  int                 project;
  const double       *scale; /* [num_materials] */
  double             *values, *f;
  int                 terms; /* of the energy of a cell: its own and those of its points */
} pass;

static void add_cell_stiffness(void *user, const sup_range *range, int c) {
  const pass           *p = user;
  const sup_fem_body   *body = p->body;
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  const int            *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  int                   n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  double                factor = p->scale[body->cell_material[c]];
  const int            *vertex = body->vertex + (size_t)n * (size_t)c;
  unsigned char         owned[SUP_CELL_MAX_VERTICES];
  cell_state            s;
  if (factor == 0) return;
  for (int a = 0; a < n; a++) owned[a] = (unsigned char)sup_range_owns(range, vertex[a]);
  look_at(body, c, p->x, &s);
  sup_fem_cell_order(body, c, at);
  for (int q = 0; q < s.num_points; q++) {
    sup_tangent_modes t;
    law_at(body, m, s.pressure, &s.F[q], NULL, p->project, &t);
    add_point_stiffness(n, at, s.gradient[q], &t, factor * s.weight[q], entry, owned, p->values);
  }
  double modulus = p->project ? fmax(s.modulus, 0) : s.modulus;
  if (modulus != 0)
    add_dilatation_stiffness(n, at, &s, m->law, factor * modulus, entry, owned, p->values);
}

void sup_fem_hyperelastic_stiffness(const sup_fem_body *body, const double *x, int project,
                                    const double *scale, double *values) {
  pass p = {.body = body, .x = x, .project = project, .scale = scale, .values = values};
  sup_fem_run_cells(body, add_cell_stiffness, &p);
}

static void add_cell_force(void *user, const sup_range *range, int c) {
  const pass         *p = user;
  const sup_fem_body *body = p->body;
  const int          *cell = sup_mesh_cell(body->mesh, c);
  cell_state          s;
  look_at(body, c, p->x, &s);
  for (int q = 0; q < s.num_points; q++) {
    sup_m3 P;
    law_at(body, sup_fem_matter_of(body, c), s.pressure, &s.F[q], &P, 0, NULL);
    for (int a = 0; a < body->element->num_vertices; a++)
      if (sup_range_owns(range, cell[a]))
        sup_v3_accumulate(p->f + 3 * (size_t)cell[a], -s.weight[q],
                          sup_m3_apply(P, sup_v3_load(s.gradient[q] + 3 * a)));
  }
}

void sup_fem_hyperelastic_force(const sup_fem_body *body, const double *x, double *f) {
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  sup_fem_run_cells(body, add_cell_force, &(pass){.body = body, .x = x, .f = f});
}

static void cell_energy(void *user, int c, double *term) {
  const pass *p = user;
  cell_state  s;
  look_at(p->body, c, p->x, &s);
  *term++ = s.energy;
  for (int q = 0; q < s.num_points; q++)
    *term++ = s.weight[q] *
              law_at(p->body, sup_fem_matter_of(p->body, c), s.pressure, &s.F[q], NULL, 0, NULL);
  for (int q = s.num_points; q < p->terms - 1; q++) *term++ = 0;
}

double sup_fem_hyperelastic_energy(const sup_fem_body *body, const double *x) {
  double sum = 0;
  int    terms = 1 + (body->element->integration ? SUP_ELEMENT_MAX_POINTS : 1);
  sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, terms, 1, cell_energy,
                &(pass){.body = body, .x = x, .terms = terms}, &sum);
  return sum;
}

void sup_fem_hyperelastic_stress(const sup_fem_body *body, int c, const double *x,
                                 sup_point_stress *point) {
  const sup_element    *element = body->element;
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  sup_m3                F[SUP_ELEMENT_MAX_POINTS], P;
  double                slope[2] = {0, 0}, energy = 0;
  if (element->deformations) {
    double X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES],
        weight[SUP_ELEMENT_MAX_POINTS];
    sup_fem_gather(body->mesh->x, sup_mesh_cell(body->mesh, c), element->num_vertices, X);
    sup_fem_gather(x, sup_mesh_cell(body->mesh, c), element->num_vertices, cell_x);
    element->deformations(X, cell_x, F, point);
    for (int q = 0; q < element->num_points; q++) weight[q] = point[q].weight;
    if (has_mean_dilatation(body))
      energy = mean_dilatation(m, element->num_points, weight, F, 1, slope);
  } else {
    F[0] = sup_fem_deformation(body, c, x);
    point->volume_ratio = sup_m3_det(F), point->weight = 1;
  }
  for (int q = 0; q < element->num_points; q++) {
    point[q].energy_density = energy + law_at(body, m, slope[0], &F[q], &P, 0, NULL);
    if (!isfinite(point[q].energy_density)) point[q].energy_density = 0;
    point[q].cauchy = sup_fem_cauchy(m->material.model, &P, &F[q]);
  }
}
