#include "fem/kernel/polar.h"

#include "la/dense_eigen.h"

enum { JACOBI_SWEEPS = 12 };

#define NAME(function) function##_one
#define INLINE static inline
#define UNROLL
#define WIDTH 1
#include "fem/kernel/lanes.inc"
#include "fem/kernel/polar_newton.inc"

static int polar_newton(const sup_m3 *F, sup_m3 *R) {
  VEC  X[1][9];
  MASK done;
  for (int i = 0; i < 9; i++) X[0][i][0] = F->m[i / 3][i % 3];
  polar_newton_one(1, X, &done);
  for (int i = 0; i < 9; i++) R->m[i / 3][i % 3] = X[0][i][0];
  return done[0] != 0;
}

/* trace(R(q)^T F) = q^T N q for unit quaternions q: the maximiser is the dominant eigenvector of
 * the 4x4 matrix N (Horn 1987).  Backward stable for every F, inverted and singular ones too. */
static sup_m3 polar_eigenvector(const sup_m3 *F) {
  const double(*m)[3] = F->m;
  double N[4][4] = {
      {m[0][0] + m[1][1] + m[2][2], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]},
      {m[2][1] - m[1][2], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]},
      {m[0][2] - m[2][0], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]},
      {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1]}};
  double Q[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
    double off = 0;
    for (int p = 0; p < 3; p++)
      for (int q = p + 1; q < 4; q++) off += N[p][q] * N[p][q];
    if (!(off > 1e-40)) break; /* F is scaled to entries of at most 2 */
    for (int p = 0; p < 3; p++)
      for (int q = p + 1; q < 4; q++)
        if (N[p][q] != 0) sup_jacobi_rotate(4, N[0], Q[0], p, q);
  }
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (N[k][k] > N[best][best]) best = k;
  return sup_quat_matrix(sup_quat_unit((sup_quat){Q[0][best], Q[1][best], Q[2][best], Q[3][best]}));
}

sup_m3 sup_fem_polar(const sup_m3 *F) {
  double largest = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) largest = fmax(largest, fabs(F->m[i][j]));
  if (!(largest > 0) || !isfinite(largest)) return sup_m3_identity();
  sup_m3 scaled = sup_m3_scale(polar_scale_one(SPLAT(largest))[0], *F), R;
  if (sup_m3_det(&scaled) > 1e-3 && polar_newton(&scaled, &R)) return R;
  return polar_eigenvector(&scaled);
}
