/* Nominal principal stress and strain at the vertices of cells against the strength of their
 * materials. */
#include <math.h>

#include "fem/body_parts.h"
#include "fem/law/stretch_law.h"
#include "fem/recovery/recovery_parts.h"

bool sup_fem_has_strength(const sup_fem_body *body) {
  for (int k = 0; k < sup_fem_num_materials(body); k++) {
    const sup_material_def *m = sup_fem_material(body, k);
    if (m->strength > 0 || m->strain_at_break > 0) return true;
  }
  return false;
}

/** Mean deformation of a cell and its stress. */
typedef struct cell_state {
  sup_m3   B;              /* left Cauchy-Green tensor */
  double   J, least, most; /* det F, bounds of the stretches */
  double   cauchy[6];
  sup_lame lame;
  bool     is_linear; /* small strains: areas do not change */
} cell_state;

static void eigen(const sup_m3 *A, double value[3], double V[3][3]) {
  double S[3][3];
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = A->m[i / 3][i % 3];
  sup_fem_eigen(S, value, V);
}

/** Square of the norm of a tensor. */
static double square_of(const double a[6]) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + 2 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
}

/** Eigenvalues of B are within sqrt(2/3) of the norm of its deviator about their mean. */
static cell_state state_of(const sup_fem_body *body, int c, const double *x, const double *cauchy) {
  static const int      place[6] = {0, 4, 8, 1, 5, 2};
  sup_m3                F = sup_fem_deformation(body, c, x);
  const sup_fem_matter *matter = sup_fem_matter_of(body, c);
  cell_state            s = {.B = sup_m3_mul(F, sup_m3_transpose(F)),
                             .J = fabs(sup_m3_det(&F)),
                             .lame = matter->lame,
                             .is_linear = matter->material.model == SUP_MATERIAL_LINEAR};
  const double          mean = (s.B.m[0][0] + s.B.m[1][1] + s.B.m[2][2]) / 3;
  double                deviator[6];
  for (int i = 0; i < 6; i++) {
    deviator[i] = s.B.m[place[i] / 3][place[i] % 3] - (i < 3 ? mean : 0);
    s.cauchy[i] = cauchy[place[i]];
  }
  const double off = sqrt(2. / 3 * square_of(deviator));
  s.least = sqrt(fmax(0, mean - off)), s.most = sqrt(mean + off);
  return s;
}

/** Strain by which the stress at a vertex differs from that of the cell, by Hooke's law. */
static void strain_beyond(const cell_state *s, const double cauchy[6], double strain[6]) {
  const double soft = 0.5 / s->lame.mu,
               share = s->lame.lambda / (3 * s->lame.lambda + 2 * s->lame.mu);
  for (int i = 0; i < 6; i++) strain[i] = soft * (cauchy[i] - s->cauchy[i]);
  const double lateral = share * (strain[0] + strain[1] + strain[2]);
  for (int i = 0; i < 3; i++) strain[i] -= lateral;
}

/** Largest principal stress over the initial area [Pa]. */
static double nominal_stress(const cell_state *s, const double cauchy[6]) {
  double       value[3], V[3][3], stress = -HUGE_VAL;
  const sup_m3 S = sup_fem_tensor(cauchy);
  eigen(&S, value, V);
  for (int k = 0; k < 3; k++) {
    sup_v3 n = sup_v3_make(V[0][k], V[1][k], V[2][k]);
    double area = s->is_linear ? 1 : s->J / sqrt(sup_v3_dot(n, sup_m3_apply(s->B, n)));
    stress = fmax(stress, value[k] * area);
  }
  return stress;
}

/** Largest principal strain, stretch less 1. */
static double nominal_strain(const cell_state *s, const double beyond[6]) {
  double value[3], V[3][3];
  sup_m3 U = sup_fem_tensor(beyond);
  eigen(&s->B, value, V);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 9; i++)
      U.m[i / 3][i % 3] += sqrt(fmax(0, value[k])) * V[i / 3][k] * V[i % 3][k];
  eigen(&U, value, V);
  return fmax(value[0], fmax(value[1], value[2])) - 1;
}

/** Share of a strength, 0: unknown, that is used; 0: nothing is pulled. */
static double use_of(double strength, double value) {
  return strength > 0 ? fmax(0, value / strength) : 0;
}

/** True if a value of at most the root of `square` more than `base` may be above the largest one,
 * or be a larger share of its strength. */
static bool may_exceed(double base, double square, double largest, double strength, double use) {
  const double far = fmin(largest, strength > 0 ? use * strength : HUGE_VAL) - base;
  return far < 0 || square > far * far;
}

/** Add what a vertex of a cell has: bounds first, as eigenvalues cost more. */
static void add_vertex(sup_fem_strength *most, const cell_state *s, const sup_material_def *m,
                       const double cauchy[6], sup_v3 x) {
  const double area = s->is_linear ? 1 : s->J / s->least;
  double       beyond[6], stress = -HUGE_VAL, strain = -HUGE_VAL;
  strain_beyond(s, cauchy, beyond);
  if (may_exceed(0, area * area * square_of(cauchy), most->stress, m->strength, most->use))
    stress = nominal_stress(s, cauchy);
  if (may_exceed(s->most - 1, square_of(beyond), most->strain, m->strain_at_break, most->use))
    strain = nominal_strain(s, beyond);
  most->stress = fmax(most->stress, stress), most->strain = fmax(most->strain, strain);
  const double use = fmax(use_of(m->strength, stress), use_of(m->strain_at_break, strain));
  if (use > most->use) most->use = use, most->place = x;
}

sup_fem_strength sup_recovery_strength(const sup_recovery *r, const double *x, const double *cauchy,
                                       const double *site) {
  const sup_fem_body *body = r->body;
  sup_fem_strength    most = {-HUGE_VAL, -HUGE_VAL, 0, {0, 0, 0}};
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const cell_state s = state_of(body, c, x, cauchy + 9 * (size_t)sup_fem_given(body, c));
    for (int a = 0; a < body->element->num_vertices; a++)
      add_vertex(&most, &s, &sup_fem_matter_of(body, c)->material,
                 site + 6 * (size_t)sup_mesh_cell(r->mesh, c)[a],
                 sup_v3_load(x + 3 * (size_t)sup_mesh_cell(body->mesh, c)[a]));
  }
  return most;
}
