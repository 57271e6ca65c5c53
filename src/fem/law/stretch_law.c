#include "fem/law/stretch_law.h"

#include <string.h>

#include "fem/kernel/polar.h"
#include "fem/numerics.h"
#include "la/dense_eigen.h"

enum { SWEEPS = 12 };

const sup_stretch_law *sup_fem_stretch_law_of(sup_material_model model) {
  switch (model) {
#define LAW_OF(NAME, name, meaning) \
  case SUP_MATERIAL_##NAME:         \
    return &sup_stretch_law_##name;
    SUP_STRETCH_LAW_LIST(LAW_OF)
#undef LAW_OF
    default:
      return NULL;
  }
}

void sup_fem_eigen(double S[3][3], double value[3], double V[3][3]) {
  double size = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) V[i][j] = i == j, size = fmax(size, fabs(S[i][j]));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = S[0][1] * S[0][1] + S[0][2] * S[0][2] + S[1][2] * S[1][2];
    if (!(off > 1e-40 * size * size)) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++)
        if (S[p][q] != 0) sup_jacobi_rotate(3, S[0], V[0], p, q);
  }
  for (int i = 0; i < 3; i++) value[i] = S[i][i];
}

/** Exchange axes a and b; turning one of them keeps the columns right-handed. */
static void exchange(double value[3], sup_m3 *V, int a, int b) {
  double t = value[a];
  value[a] = value[b], value[b] = t;
  for (int k = 0; k < 3; k++) {
    double u = V->m[k][a];
    V->m[k][a] = V->m[k][b], V->m[k][b] = -u;
  }
}

void sup_fem_svd(const sup_m3 *F, sup_m3 *U, double s[3], sup_m3 *V) {
  sup_m3 R = sup_fem_polar(F), S = sup_m3_mul(sup_m3_transpose(R), *F);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) S.m[i][j] = S.m[j][i] = 0.5 * (S.m[i][j] + S.m[j][i]);
  sup_fem_eigen(S.m, s, V->m);
  if (s[0] < s[1]) exchange(s, V, 0, 1);
  if (s[1] < s[2]) exchange(s, V, 1, 2);
  if (s[0] < s[1]) exchange(s, V, 0, 1);
  *U = sup_m3_mul(R, *V);
}

/** U diag(d) V^T */
static sup_m3 from_axes(const sup_m3 *U, const double d[3], const sup_m3 *V) {
  sup_m3 UD = *U;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) UD.m[i][j] *= d[j];
  return sup_m3_mul(UD, sup_m3_transpose(*V));
}

/** Flip and twist of axes i and j. */
static void add_pair(const double s[3], const double p[3], double A[3][3], int i, int j,
                     const sup_m3 *U, const sup_m3 *V, sup_tangent_modes *t, int at) {
  double scale = fmax(s[0], 1), apart = s[i] - s[j],
         sum = fmax(s[i] + s[j], sup_fem_numerics.stretch_sum * scale);
  int equal = fabs(apart) < sup_fem_numerics.equal_stretches *
                                scale; /* the difference quotient would be round-off */
  t->value[at] = equal ? 0.5 * (A[i][i] + A[j][j]) - A[i][j] : (p[i] - p[j]) / apart;
  t->value[at + 1] = (p[i] + p[j]) / sum;
  for (int k = 0; k < 2; k++) {
    sup_v3 ui = sup_m3_column(U, i), uj = sup_m3_column(U, j), vi = sup_m3_column(V, i),
           vj = sup_m3_column(V, j);
    sup_m3 other = sup_m3_scale(k == 0 ? 1 : -1, sup_m3_outer(uj, vi));
    t->mode[at + k] = sup_m3_scale(sqrt(0.5), sup_m3_add(sup_m3_outer(ui, vj), other));
  }
}

static void make_modes(const double s[3], const double p[3], double A[3][3], const sup_m3 *U,
                       const sup_m3 *V, sup_tangent_modes *t) {
  double H[3][3], axis[3][3];
  memcpy(H, A, sizeof H);
  sup_fem_eigen(H, t->value, axis);
  for (int k = 0; k < 3; k++)
    t->mode[k] = from_axes(U, (const double[3]){axis[0][k], axis[1][k], axis[2][k]}, V);
  add_pair(s, p, A, 0, 1, U, V, t, 3);
  add_pair(s, p, A, 1, 2, U, V, t, 5);
  add_pair(s, p, A, 0, 2, U, V, t, 7);
}

/** P and tangent, as asked for, from the derivatives by the stretches. */
static void write_out(const sup_m3 *U, const double s[3], const double p[3], double A[3][3],
                      const sup_m3 *V, sup_m3 *P, int project, sup_tangent_modes *tangent) {
  if (P) *P = from_axes(U, p, V);
  if (!tangent) return;
  make_modes(s, p, A, U, V, tangent);
  for (int k = 0; k < 9 && project; k++) tangent->value[k] = fmax(tangent->value[k], 0);
}

double sup_stretch_volume(const double s[3], double p[3], double A[3][3]) {
  double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
  for (int i = 0; i < 3 && p; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = s[j] * s[k];
    A[i][i] = 0, A[i][j] = A[j][i] = s[k];
  }
  return sup_fem_volume_strain(e);
}

double sup_stretch_square(double d, double slope[2]) {
  slope[0] = d, slope[1] = 1;
  return 0.5 * d * d;
}

double sup_fem_split_law(const sup_stretch_law *law, const sup_lame *lame, double pressure,
                         const sup_m3 *F, sup_m3 *P, int project, sup_tangent_modes *tangent) {
  sup_lame shear = {.lambda = 0, .mu = lame->mu};
  sup_m3   U, V;
  double   s[3], p[3], A[3][3], dp[3], dA[3][3];
  sup_fem_svd(F, &U, s, &V);
  if (!P && !tangent) return law->evaluate(&shear, s, NULL, NULL);
  double psi = law->evaluate(&shear, s, p, A);
  law->dilatation(s, dp, dA);
  for (int i = 0; i < 3; i++) {
    p[i] += pressure * dp[i];
    for (int j = 0; j < 3; j++) A[i][j] += pressure * dA[i][j];
  }
  write_out(&U, s, p, A, &V, P, project, tangent);
  return psi;
}

double sup_fem_dilatation(const sup_stretch_law *law, const sup_m3 *F, sup_m3 *gradient) {
  sup_m3 U, V;
  double s[3], p[3], A[3][3];
  sup_fem_svd(F, &U, s, &V);
  if (!gradient) return law->dilatation(s, NULL, NULL);
  double d = law->dilatation(s, p, A);
  *gradient = from_axes(&U, p, &V);
  return d;
}

double sup_fem_stretch_law(const sup_stretch_law *law, const sup_lame *lame, const sup_m3 *F,
                           sup_m3 *P, int project, sup_tangent_modes *tangent) {
  sup_m3 U, V;
  double s[3], p[3], A[3][3], psi;
  sup_fem_svd(F, &U, s, &V);
  if (!P && !tangent) return law->evaluate(lame, s, NULL, NULL);
  psi = law->evaluate(lame, s, p, A);
  write_out(&U, s, p, A, &V, P, project, tangent);
  return psi;
}
