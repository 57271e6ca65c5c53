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

/** 1 where nothing relaxes. */
static double share_of(const sup_fem_body *body, const sup_fem_relaxation *relaxation, int c) {
  return relaxation ? relaxation->share[body->cell_material[c]] : 1;
}

static sup_m3 symmetric_of(const double *h) {
  return (sup_m3){{{h[0], h[5], h[4]}, {h[5], h[1], h[3]}, {h[4], h[3], h[2]}}};
}

/** History of a point: a second Piola stress with the potential H : E.  0: it has none. */
static int history_at(const sup_fem_body *body, const sup_fem_relaxation *relaxation, int c, int q,
                      sup_m3 *H) {
  if (!relaxation || !body->is_hyperelastic) return 0;
  int points = body->element->integration ? SUP_ELEMENT_MAX_POINTS : 1;
  *H = symmetric_of(relaxation->history + 6 * ((size_t)points * (size_t)c + (size_t)q));
  return 1;
}

/** H : E with E = 1/2 (F^T F - 1). */
static double history_energy(const sup_m3 *H, const sup_m3 *F) {
  sup_m3 C = sup_m3_mul(sup_m3_transpose(*F), *F);
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += 0.5 * H->m[i / 3][i % 3] * (C.m[i / 3][i % 3] - (i % 4 == 0));
  return sum;
}

/** K_ab = V (g_a . H g_b) 1, which is positive semidefinite as H is. */
static void add_history_stiffness(int n, const int *at, const double *g, sup_m3 H, int project,
                                  double volume, const int *entry, const unsigned char *owned,
                                  double *values) {
  if (project) {
    double A[3][3], value[3], V[3][3];
    memcpy(A, H.m, sizeof A);
    sup_fem_eigen(A, value, V);
    for (int i = 0; i < 9; i++) {
      H.m[i / 3][i % 3] = 0;
      for (int k = 0; k < 3; k++)
        H.m[i / 3][i % 3] += fmax(value[k], 0) * V[i / 3][k] * V[i % 3][k];
    }
  }
  for (int a = 0; a < n; a++) {
    sup_v3 h = sup_m3_apply(H, sup_v3_load(g + 3 * at[a]));
    for (int b = 0; b <= a; b++, entry++) {
      if (!owned[b]) continue;
      double k = volume * sup_v3_dot(h, sup_v3_load(g + 3 * at[b]));
      for (int i = 0; i < 3; i++) values[9 * (size_t)*entry + (size_t)(4 * i)] += k;
    }
  }
}

/* What all cells are asked for. */
typedef struct pass {
  const sup_fem_body       *body;
  const double             *x;
  int                       project;
  const double             *scale; /* [num_materials] */
  double                   *values, *f;
  int                       terms; /* of the energy of a cell: its own and those of its points */
  const sup_fem_relaxation *relaxation;
} pass;

static void add_cell_stiffness(void *user, const sup_range *range, int c) {
  const pass           *p = user;
  const sup_fem_body   *body = p->body;
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  const int            *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  int                   n = body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  double        factor = p->scale[body->cell_material[c]], share = share_of(body, p->relaxation, c);
  const int    *vertex = body->vertex + (size_t)n * (size_t)c;
  unsigned char owned[SUP_CELL_MAX_VERTICES];
  cell_state    s;
  if (factor == 0) return;
  for (int a = 0; a < n; a++) owned[a] = (unsigned char)sup_range_owns(range, vertex[a]);
  look_at(body, c, p->x, &s);
  sup_fem_cell_order(body, c, at);
  for (int q = 0; q < s.num_points; q++) {
    sup_tangent_modes t;
    law_at(body, m, s.pressure, &s.F[q], NULL, p->project, &t);
    sup_m3 H;
    add_point_stiffness(n, at, s.gradient[q], &t, share * factor * s.weight[q], entry, owned,
                        p->values);
    if (history_at(body, p->relaxation, c, q, &H))
      add_history_stiffness(n, at, s.gradient[q], H, p->project, factor * s.weight[q], entry, owned,
                            p->values);
  }
  double modulus = p->project ? fmax(s.modulus, 0) : s.modulus;
  if (modulus != 0)
    add_dilatation_stiffness(n, at, &s, m->law, share * factor * modulus, entry, owned, p->values);
}

void sup_fem_hyperelastic_stiffness(const sup_fem_body *body, const double *x, int project,
                                    const double *scale, const sup_fem_relaxation *relaxation,
                                    double *values) {
  pass p = {.body = body,
            .x = x,
            .project = project,
            .scale = scale,
            .values = values,
            .relaxation = relaxation};
  sup_fem_run_cells(body, add_cell_stiffness, &p);
}

static void add_cell_force(void *user, const sup_range *range, int c) {
  const pass         *p = user;
  const sup_fem_body *body = p->body;
  const int          *cell = sup_mesh_cell(body->mesh, c);
  double              share = share_of(body, p->relaxation, c);
  cell_state          s;
  look_at(body, c, p->x, &s);
  for (int q = 0; q < s.num_points; q++) {
    sup_m3 P, H;
    law_at(body, sup_fem_matter_of(body, c), s.pressure, &s.F[q], &P, 0, NULL);
    if (history_at(body, p->relaxation, c, q, &H))
      P = sup_m3_add(sup_m3_scale(share, P), sup_m3_mul(s.F[q], H));
    for (int a = 0; a < body->element->num_vertices; a++)
      if (sup_range_owns(range, cell[a]))
        sup_v3_accumulate(p->f + 3 * (size_t)cell[a], -s.weight[q],
                          sup_m3_apply(P, sup_v3_load(s.gradient[q] + 3 * a)));
  }
}

void sup_fem_hyperelastic_force(const sup_fem_body *body, const double *x,
                                const sup_fem_relaxation *relaxation, double *f) {
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  sup_fem_run_cells(body, add_cell_force,
                    &(pass){.body = body, .x = x, .f = f, .relaxation = relaxation});
}

static void cell_energy(void *user, int c, double *term) {
  const pass *p = user;
  double      share = share_of(p->body, p->relaxation, c);
  cell_state  s;
  sup_m3      H;
  look_at(p->body, c, p->x, &s);
  *term++ = share * s.energy;
  for (int q = 0; q < s.num_points; q++, term++) {
    *term = s.weight[q] *
            law_at(p->body, sup_fem_matter_of(p->body, c), s.pressure, &s.F[q], NULL, 0, NULL);
    if (history_at(p->body, p->relaxation, c, q, &H))
      *term = share * *term + s.weight[q] * history_energy(&H, &s.F[q]);
  }
  for (int q = s.num_points; q < p->terms - 1; q++) *term++ = 0;
}

double sup_fem_hyperelastic_energy(const sup_fem_body *body, const double *x,
                                   const sup_fem_relaxation *relaxation) {
  double sum = 0;
  int    terms = 1 + (body->element->integration ? SUP_ELEMENT_MAX_POINTS : 1);
  sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, terms, 1, cell_energy,
                &(pass){.body = body, .x = x, .terms = terms, .relaxation = relaxation}, &sum);
  return sum;
}

/** F^-1 P of an isotropic law, in its principal axes. */
static sup_m3 second_piola(const sup_m3 *F, const sup_m3 *P) {
  static const double least = 0.1;
  sup_m3              U, V, S = sup_m3_zero();
  double              s[3];
  sup_fem_svd(F, &U, s, &V);
  for (int i = 0; i < 3; i++) {
    sup_v3 v = sup_m3_column(&V, i);
    double p = sup_v3_dot(sup_m3_column(&U, i), sup_m3_apply(*P, v));
    p /= s[i] < 0 ? fmin(s[i], -least) : fmax(s[i], least);
    S = sup_m3_add(S, sup_m3_scale(p, sup_m3_outer(v, v)));
  }
  return S;
}

/** Deformation at the points of stress: those of integration, then others.  Returns the energy of
 * the cell's dilatation over its volume, and its slope. */
static double deform(const sup_fem_body *body, int c, const double *x, sup_m3 *F,
                     sup_point_stress *point, double slope[2]) {
  const sup_element *element = body->element;
  double             X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES],
      weight[SUP_ELEMENT_MAX_POINTS];
  slope[0] = slope[1] = 0;
  if (!element->deformations) {
    F[0] = sup_fem_deformation(body, c, x);
    point->volume_ratio = sup_m3_det(F), point->weight = 1;
    return 0;
  }
  sup_fem_gather(body->mesh->x, sup_mesh_cell(body->mesh, c), element->num_vertices, X);
  sup_fem_gather(x, sup_mesh_cell(body->mesh, c), element->num_vertices, cell_x);
  element->deformations(X, cell_x, F, point);
  if (!has_mean_dilatation(body)) return 0;
  for (int q = 0; q < element->num_points; q++) weight[q] = point[q].weight;
  return mean_dilatation(sup_fem_matter_of(body, c), element->num_points, weight, F, 1, slope);
}

double sup_fem_hyperelastic_points(const sup_fem_body *body, int c, const double *x,
                                   sup_fem_points *points) {
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  double                volume = sup_fem_volume_of(body, c), slope[2];
  sup_point_stress      point[SUP_ELEMENT_MAX_POINTS];
  sup_m3                P;
  double                energy = volume * deform(body, c, x, points->F, point, slope);
  points->num = body->element->num_points;
  for (int q = 0; q < points->num; q++) {
    points->weight[q] = volume * point[q].weight;
    double psi = law_at(body, m, slope[0], &points->F[q], &P, 0, NULL);
    if (points->weight[q] > 0) energy += points->weight[q] * psi;
    points->S[q] = second_piola(&points->F[q], &P);
  }
  return energy;
}

void sup_fem_hyperelastic_stress(const sup_fem_body *body, int c, const double *x,
                                 const double *terms, sup_point_stress *point) {
  const sup_element    *element = body->element;
  const sup_fem_matter *m = sup_fem_matter_of(body, c);
  sup_m3                F[SUP_ELEMENT_MAX_POINTS], P;
  double                slope[2], energy = deform(body, c, x, F, point, slope);
  for (int q = 0; q < element->num_points; q++) {
    point[q].energy_density = energy + law_at(body, m, slope[0], &F[q], &P, 0, NULL);
    if (!isfinite(point[q].energy_density)) point[q].energy_density = 0;
    if (terms)
      P = sup_m3_add(sup_m3_scale(m->prony.long_term, P),
                     sup_m3_mul(F[q], symmetric_of(terms + 6 * q)));
    point[q].cauchy = sup_fem_cauchy(m->material.model, &P, &F[q]);
  }
}
