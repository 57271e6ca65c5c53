#include "law/friction_softening.h"

#include <math.h>

/** F(s), f(s)/s and 1 - f'(s) s/f(s), which are defined at s = 0, too. */
typedef struct point {
  double F, secant, bend;
} point;

/** P2 eq. 7: f = min(s, 1). */
static point linear(double s) {
  return s < 1 ? (point){s * s / 2, 1, 0} : (point){s - 0.5, 1 / s, 1};
}

/** f = s (2 - s) up to 1, with a continuous slope (THEORY 7, the code of P2). */
static point quadratic(double s) {
  return s < 1 ? (point){s * s * (1 - s / 3), 2 - s, s / (2 - s)} : (point){s - 1. / 3, 1 / s, 1};
}

static const struct {
  const char *name;
  double      slope;     /* f'(0) */
  point (*at)(double s); /* NULL: the soft norm itself */
} table[SUP_NUM_FRICTION_SOFTENINGS] = {
    [SUP_FRICTION_SOFTENING_SOFT_NORM] = {"soft_norm", 1, NULL},
    [SUP_FRICTION_SOFTENING_LINEAR] = {"linear", 1, linear},
    [SUP_FRICTION_SOFTENING_QUADRATIC] = {"quadratic", 2, quadratic}};

/** f = s/sqrt(1 + s^2), F = sqrt(1 + s^2) - 1 (P0 eq. 9, 10). */
static sup_soft_norm soft_norm(double x, double y, double eps) {
  double square = x * x + y * y, w = sqrt(square + eps * eps), tx = x / w, ty = y / w;
  return (sup_soft_norm){square / (w + eps), /* no cancellation for |x| << eps */
                         tx,
                         ty,
                         w,
                         tx,
                         ty};
}

sup_soft_norm sup_soft_norm_of(sup_friction_softening f, double x, double y, double eps) {
  if (!table[f].at) return soft_norm(x, y, eps);
  double size = sqrt(x * x + y * y);
  point  p = table[f].at(size / eps);
  double w = eps / p.secant, e = size > 0 ? sqrt(p.bend) / size : 0;
  return (sup_soft_norm){eps * p.F, x / w, y / w, w, e * x, e * y};
}

double      sup_friction_softening_slope(sup_friction_softening f) { return table[f].slope; }
const char *sup_friction_softening_name(sup_friction_softening f) { return table[f].name; }
