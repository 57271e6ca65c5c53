/* Nominal principal stress and strain of cells against the strength of their materials. */
#include <math.h>

#include "fem/body_parts.h"
#include "fem/law/stretch_law.h"

bool sup_fem_has_strength(const sup_fem_body *body) {
  for (int k = 0; k < sup_fem_num_materials(body); k++) {
    const sup_material_def *m = sup_fem_material(body, k);
    if (m->strength > 0 || m->strain_at_break > 0) return true;
  }
  return false;
}

/** Largest principal stress over the initial area [Pa] and largest principal strain, stretch less
 * 1, of a cell.  Axes of stress and stretch are the same in isotropic materials. */
static void principal(const sup_m3 *F, const double *cauchy, double *stress, double *strain) {
  sup_m3 B = sup_m3_mul(*F, sup_m3_transpose(*F));
  double S[3][3], value[3], V[3][3];
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = B.m[i / 3][i % 3];
  sup_fem_eigen(S, value, V);
  *strain = sqrt(fmax(0, fmax(value[0], fmax(value[1], value[2])))) - 1;
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = cauchy[i];
  sup_fem_eigen(S, value, V);
  *stress = -HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    sup_v3 n = sup_v3_make(V[0][k], V[1][k], V[2][k]);
    double stretch = sqrt(sup_v3_dot(n, sup_m3_apply(B, n)));
    *stress = fmax(*stress, value[k] * fabs(sup_m3_det(F)) / stretch);
  }
}

/** Share of the strength that a cell uses; 0: nothing is pulled or known. */
static double use_of(const sup_material_def *m, double stress, double strain) {
  double use = 0;
  if (m->strength > 0) use = fmax(use, stress / m->strength);
  if (m->strain_at_break > 0) use = fmax(use, strain / m->strain_at_break);
  return use;
}

sup_fem_strength sup_fem_strength_at(const sup_fem_body *body, const double *x,
                                     const double *cauchy) {
  sup_fem_strength most = {-HUGE_VAL, -HUGE_VAL, 0, {0, 0, 0}};
  int              n = body->element->num_vertices;
  for (int c = 0; c < body->mesh->num_cells; c++) {
    sup_m3 F = sup_fem_deformation(body, c, x);
    double stress, strain;
    principal(&F, cauchy + 9 * (size_t)sup_fem_given(body, c), &stress, &strain);
    double use = use_of(&sup_fem_matter_of(body, c)->material, stress, strain);
    most.stress = fmax(most.stress, stress), most.strain = fmax(most.strain, strain);
    if (!(use > most.use)) continue;
    most.use = use, most.place = sup_v3_make(0, 0, 0);
    for (int a = 0; a < n; a++)
      most.place = sup_v3_madd(most.place, 1. / n,
                               sup_v3_load(x + 3 * (size_t)sup_mesh_cell(body->mesh, c)[a]));
  }
  return most;
}
