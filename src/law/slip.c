/* Primal-dual Newton for regularised friction: Chan, Golub, Mulet, SIAM J. Sci. Comput. 20 (1999)
 * 1964, eq. 3.6-3.8. */
#include <math.h>

#include "law/law.h"

static bool has_slip(const sup_law *law) {
  return sup_law_table(law->kind)->is_soft &&
         law->coulomb.softening == SUP_FRICTION_SOFTENING_SOFT_NORM;
}

void sup_slip_start(const sup_law *law, const double *vc, double direction[2]) {
  double u[2];
  direction[0] = direction[1] = 0;
  if (!has_slip(law)) return;
  sup_law_slip(law, vc, u);
  sup_soft_norm t =
      sup_soft_norm_of(SUP_FRICTION_SOFTENING_SOFT_NORM, u[0], u[1], law->coulomb.eps);
  direction[0] = t.tx, direction[1] = t.ty;
}

void sup_slip_hessian(const sup_law *law, const double *vc, double gn, const double direction[2],
                      double *G) {
  double u[2];
  if (!has_slip(law)) return;
  double bound = law->coulomb.mu * (sup_law_has_bound(law) ? law->coulomb.gn0 : gn);
  if (!(bound > 0)) return;
  sup_law_slip(law, vc, u);
  sup_soft_norm t =
      sup_soft_norm_of(SUP_FRICTION_SOFTENING_SOFT_NORM, u[0], u[1], law->coulomb.eps);
  double g = bound / t.w, ex = t.tx - direction[0], ey = t.ty - direction[1];
  double xx = g * ex * t.tx, xy = 0.5 * g * (ex * t.ty + ey * t.tx), yy = g * ey * t.ty;
  if (law->anisotropy.on) { /* S D S */
    const sup_anisotropy *S = &law->anisotropy;
    double                ax = S->xx * xx + S->xy * xy, ay = S->xx * xy + S->xy * yy;
    double                bx = S->xy * xx + S->yy * xy, by = S->xy * xy + S->yy * yy;
    xx = ax * S->xx + ay * S->xy, xy = ax * S->xy + ay * S->yy, yy = bx * S->xy + by * S->yy;
  }
  G[0] += xx, G[4] += yy;
  G[1] += xy, G[3] = G[1];
}

void sup_slip_advance(const sup_law *law, const double *vc, const double *dvc,
                      double direction[2]) {
  double x[2], d[2];
  if (!has_slip(law)) return;
  sup_law_slip(law, vc, x);
  sup_law_slip(law, dvc, d);
  sup_soft_norm t =
      sup_soft_norm_of(SUP_FRICTION_SOFTENING_SOFT_NORM, x[0], x[1], law->coulomb.eps);
  double rate = (t.tx * d[0] + t.ty * d[1]) / t.w;
  for (int k = 0; k < 2; k++) direction[k] = (x[k] + d[k]) / t.w - direction[k] * rate;
  double size = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
  if (size > 1) direction[0] /= size, direction[1] /= size;
}
