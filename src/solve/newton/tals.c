#include "solve/newton/tals.h"

#include "solve/newton/numerics.h"

#include <math.h>

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/** Smallest positive alpha at which v + alpha dv has turned by theta_max; v as |v| = x and dv in
 * units of v_s, xd = v.dv. */
static double turn_limit(double x, double dx, double xd) {
  double square = sup_newton_numerics.tals_cosine * sup_newton_numerics.tals_cosine;
  double a = x * x * dx * dx * square - xd * xd, b = 2 * x * x * xd * (square - 1),
         c = x * x * x * x * (square - 1);
  if (fabs(a) < 1e-15 * x * x * dx * dx) return -c / b; /* dv is at 120 degrees to v */
  double root = sqrt(fmax(0, b * b - 4 * a * c)), q = -0.5 * (b + (b > 0 ? root : -root));
  double one = q / a, other = c / q;
  if (!(one > 0)) return other;
  return other > 0 ? fmin(one, other) : one;
}

double sup_tals_limit(const double v[2], const double dv[2], double stiction) {
  double next[2] = {v[0] + dv[0], v[1] + dv[1]};
  double dx = sqrt(dot(dv, dv)) / stiction, x = sqrt(dot(v, v)) / stiction,
         x1 = sqrt(dot(next, next)) / stiction;
  if (dx < sup_newton_numerics.tals_rest) return 1;
  if (x < sup_newton_numerics.tals_rest && x1 > 1) return 0.5 / dx; /* leave rest by a small step */
  if (x > 1 && x1 < sup_newton_numerics.tals_rest)
    return 1 - 0.5 / dx; /* avoid the point without gradient */
  if (x < 1 || x1 < 1) return 1;
  double xd = dot(v, dv) / (stiction * stiction);
  if (xd < 0 && -xd < dx * dx) { /* the line is nearest to rest in between */
    double alpha = -xd / (dx * dx), near[2] = {v[0] + alpha * dv[0], v[1] + alpha * dv[1]};
    double least = sqrt(dot(near, near)) / stiction;
    if (least < sup_newton_numerics.tals_rest) return alpha - 0.5 / dx;
    if (least < 1) return alpha;
  }
  if (dot(v, next) > sup_newton_numerics.tals_cosine * x * x1 * stiction * stiction) return 1;
  return fmin(1, turn_limit(x, dx, xd));
}
