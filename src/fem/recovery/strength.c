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
  sup_m3   B, V;           /* left Cauchy-Green tensor and stretch */
  double   J, least, most; /* det F, least and largest stretch */
  sup_m3   cauchy;
  sup_lame lame;
} cell_state;

static void eigen(const sup_m3 *A, double value[3], double V[3][3]) {
  double S[3][3];
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = A->m[i / 3][i % 3];
  sup_fem_eigen(S, value, V);
}

static double largest(const double value[3]) { return fmax(value[0], fmax(value[1], value[2])); }

static cell_state state_of(const sup_fem_body *body, int c, const double *x, const double *cauchy) {
  sup_m3     F = sup_fem_deformation(body, c, x);
  cell_state s = {.B = sup_m3_mul(F, sup_m3_transpose(F)),
                  .J = fabs(sup_m3_det(&F)),
                  .least = HUGE_VAL,
                  .lame = sup_fem_matter_of(body, c)->lame};
  double     value[3], V[3][3];
  eigen(&s.B, value, V);
  for (int k = 0; k < 3; k++) {
    double stretch = sqrt(fmax(0, value[k]));
    s.least = fmin(s.least, stretch), s.most = fmax(s.most, stretch);
    for (int i = 0; i < 9; i++) s.V.m[i / 3][i % 3] += stretch * V[i / 3][k] * V[i % 3][k];
  }
  for (int i = 0; i < 9; i++) s.cauchy.m[i / 3][i % 3] = cauchy[i];
  return s;
}

/** Strain by which the stress at a vertex differs from that of the cell, by Hooke's law. */
static sup_m3 strain_beyond(const cell_state *s, const sup_m3 *cauchy) {
  double mu = s->lame.mu, trace = 0;
  sup_m3 e;
  for (int i = 0; i < 9; i++)
    e.m[i / 3][i % 3] = cauchy->m[i / 3][i % 3] - s->cauchy.m[i / 3][i % 3];
  for (int i = 0; i < 3; i++) trace += e.m[i][i];
  for (int i = 0; i < 3; i++) e.m[i][i] -= s->lame.lambda / (3 * s->lame.lambda + 2 * mu) * trace;
  for (int i = 0; i < 9; i++) e.m[i / 3][i % 3] /= 2 * mu;
  return e;
}

static double norm(const sup_m3 *A) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += A->m[i / 3][i % 3] * A->m[i / 3][i % 3];
  return sqrt(sum);
}

/** Largest principal stress over the initial area [Pa]. */
static double nominal_stress(const cell_state *s, const sup_m3 *cauchy) {
  double value[3], V[3][3], stress = -HUGE_VAL;
  eigen(cauchy, value, V);
  for (int k = 0; k < 3; k++) {
    sup_v3 n = sup_v3_make(V[0][k], V[1][k], V[2][k]);
    stress = fmax(stress, value[k] * s->J / sqrt(sup_v3_dot(n, sup_m3_apply(s->B, n))));
  }
  return stress;
}

/** Largest principal strain, stretch less 1. */
static double nominal_strain(const cell_state *s, const sup_m3 *beyond) {
  double value[3], V[3][3];
  sup_m3 U = s->V;
  for (int i = 0; i < 9; i++) U.m[i / 3][i % 3] += beyond->m[i / 3][i % 3];
  eigen(&U, value, V);
  return largest(value) - 1;
}

/** Share of the strength that is used; 0: nothing is pulled or known. */
static double use_of(const sup_material_def *m, double stress, double strain) {
  double use = 0;
  if (m->strength > 0) use = fmax(use, stress / m->strength);
  if (m->strain_at_break > 0) use = fmax(use, strain / m->strain_at_break);
  return use;
}

sup_fem_strength sup_recovery_strength(const sup_recovery *r, const double *x, const double *cauchy,
                                       const double *site) {
  const sup_fem_body *body = r->body;
  sup_fem_strength    most = {-HUGE_VAL, -HUGE_VAL, 0, {0, 0, 0}};
  for (int c = 0; c < body->mesh->num_cells; c++) {
    cell_state              s = state_of(body, c, x, cauchy + 9 * (size_t)sup_fem_given(body, c));
    const sup_material_def *material = &sup_fem_matter_of(body, c)->material;
    for (int a = 0; a < body->element->num_vertices; a++) {
      sup_m3 S = sup_fem_tensor(site + 6 * (size_t)sup_mesh_cell(r->mesh, c)[a]),
             beyond = strain_beyond(&s, &S);
      double stress = norm(&S) * s.J / s.least, strain = s.most - 1 + norm(&beyond); /* bounds */
      if (stress > most.stress || use_of(material, stress, 0) > most.use)
        stress = nominal_stress(&s, &S);
      else
        stress = -HUGE_VAL;
      if (strain > most.strain || use_of(material, 0, strain) > most.use)
        strain = nominal_strain(&s, &beyond);
      else
        strain = -HUGE_VAL;
      double use = use_of(material, stress, strain);
      most.stress = fmax(most.stress, stress), most.strain = fmax(most.strain, strain);
      if (use > most.use)
        most.use = use, most.place = sup_v3_load(x + 3 * (size_t)sup_mesh_cell(body->mesh, c)[a]);
    }
  }
  return most;
}
