#include "law/cone.h"

#include <math.h>

/** Distance from b |x_T| <= a x_N. */
static double distance(double a, double b, const double x[3]) {
  double t = sqrt(x[0] * x[0] + x[1] * x[1]), n = x[2];
  if (b * t <= a * n) return 0;
  if (a * t <= -b * n) return sqrt(t * t + n * n);
  return (b * t - a * n) / sqrt(a * a + b * b);
}

double sup_cone_distance(double mu, const double x[3]) { return distance(mu, 1, x); }
double sup_dual_cone_distance(double mu, const double x[3]) { return distance(1, mu, x); }
