/* Stress and energy of cells with stretch laws at their points: one of T4, those of T10's rule and
 * others (THEORY 4.1, 4.3, 4.6, 4.7).  Forces and their derivatives: fem/points.c. */
#include "fem/body_parts.h"
#include "fem/law/stretch_law.h"
#include "fem/numerics.h"

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

static bool has_mean_dilatation(const sup_fem_body *body) {
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

/* Law at a point; T4 that are linear except for their rotation use the corotational law. */
static double law_at(const sup_fem_body *body, const sup_fem_matter *m, double pressure,
                     const sup_m3 *F, sup_m3 *P, int project, sup_tangent_modes *t) {
  const sup_stretch_law *law = m->law ? m->law : &sup_stretch_law_corotational;
  if (has_mean_dilatation(body))
    return sup_fem_split_law(law, &m->lame, pressure, F, P, project, t);
  return sup_fem_stretch_law(law, &m->lame, F, P, project, t);
}

static sup_m3 symmetric_of(const double *h) {
  return (sup_m3){{{h[0], h[5], h[4]}, {h[5], h[1], h[3]}, {h[4], h[3], h[2]}}};
}

/** F^-1 P of an isotropic law, in its principal axes. */
static sup_m3 second_piola(const sup_m3 *F, const sup_m3 *P) {
  sup_m3 U, V, S = sup_m3_zero();
  double s[3];
  sup_fem_svd(F, &U, s, &V);
  for (int i = 0; i < 3; i++) {
    sup_v3 v = sup_m3_column(&V, i);
    double p = sup_v3_dot(sup_m3_column(&U, i), sup_m3_apply(*P, v));
    p /= s[i] < 0 ? fmin(s[i], -sup_fem_numerics.stretch) : fmax(s[i], sup_fem_numerics.stretch);
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
  element->deformations(NULL, X, cell_x, F, point);
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
