/* Linear tetrahedron.  The stored data are gradients, to be rotated, instead of a stiffness
 * (fem/kernel/batch.h).
 */
#include "fem/element/element.h"

enum {
  LAMBDA = 9,
  MU = 10,
  STIFFNESS_SIZE = 11
}; /* gradients of slots 1, 2, 3, then the volume times lambda, mu */

static sup_v3 edge(const double *x, int a) {
  return sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x));
}

static double determinant(const double *x) {
  return sup_v3_dot(edge(x, 1), sup_v3_cross(edge(x, 2), edge(x, 3)));
}

static double longest_edge(const double *x) {
  double longest = 0;
  for (int a = 1; a < 4; a++)
    for (int b = 0; b < a; b++)
      longest =
          fmax(longest, sup_v3_norm(sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x + 3 * b))));
  return longest;
}

static double t4_prepare(const sup_lame *lame, const double *X, const int *slot,
                         sup_element_data *data) {
  double det = determinant(X), length = longest_edge(X),
         jacobian = det / (length * length * length);
  if (!(jacobian > SUP_ELEMENT_MIN_JACOBIAN)) return jacobian;
  sup_v3 e1 = edge(X, 1), e2 = edge(X, 2), e3 = edge(X, 3), g[4];
  g[1] = sup_v3_scale(1 / det, sup_v3_cross(e2, e3));
  g[2] = sup_v3_scale(1 / det, sup_v3_cross(e3, e1));
  g[3] = sup_v3_scale(1 / det, sup_v3_cross(e1, e2));
  g[0] = sup_v3_scale(-1, sup_v3_add(g[1], sup_v3_add(g[2], g[3])));
  for (int a = 0; a < 4; a++) {
    sup_v3_store(data->gradient + 3 * a, g[a]);
    if (slot[a] > 0) sup_v3_store(data->stiffness + 3 * (slot[a] - 1), g[a]);
  }
  data->volume = det / 6;
  data->stiffness[LAMBDA] = data->volume * lame->lambda,
  data->stiffness[MU] = data->volume * lame->mu;
  return jacobian;
}

static double t4_force(const double *stiffness, const sup_m3 *R, const double *X, const double *x,
                       double *f) {
  (void)X;
  sup_lame times_volume = {.lambda = stiffness[LAMBDA * SUP_BATCH],
                           .mu = stiffness[MU * SUP_BATCH]};
  sup_v3   g[4], sum = {0, 0, 0};
  sup_m3   F = sup_m3_zero(), P;
  for (int a = 1; a < 4; a++) {
    const double *ga = stiffness + 3 * SUP_BATCH * (a - 1);
    g[a] = sup_v3_make(ga[0], ga[SUP_BATCH], ga[2 * SUP_BATCH]);
    F = sup_m3_add(F, sup_m3_outer(edge(x, a), g[a]));
  }
  double energy = sup_fem_linear(&times_volume, R, &F, f ? &P : NULL);
  if (!f) return energy;
  for (int a = 1; a < 4; a++) {
    sup_v3 fa = sup_v3_scale(-1, sup_m3_apply(P, g[a]));
    sup_v3_store(f + 3 * a, fa);
    sum = sup_v3_add(sum, fa);
  }
  sup_v3_store(f, sup_v3_scale(-1, sum));
  return energy;
}

static void t4_mass(const double *X, double *N) {
  double volume = determinant(X) / 6;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) N[4 * a + b] = volume * (a == b ? 0.1 : 0.05);
}

static void t4_shape(int point, double *N) {
  (void)point;
  for (int a = 0; a < 4; a++) N[a] = 0.25;
}

const sup_element sup_element_t4 = {.num_vertices = 4,
                                    .num_pairs = 10,
                                    .stiffness_size = STIFFNESS_SIZE,
                                    .compliance_size = 0,
                                    .num_points = 1,
                                    .shape = t4_shape,
                                    .prepare = t4_prepare,
                                    .force = t4_force,
                                    .mass = t4_mass};
