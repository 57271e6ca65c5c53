/* Residuals of impulses in the law that a solver of the dual form solves (P4; THEORY 8). */
#include <math.h>
#include <string.h>

#include "solve/dual/dual.h"

/** Violations of one row: of lambda [N s], of u [m/s], of their product [J]. */
typedef struct violation {
  double primal, dual, product;
} violation;

static violation of_interval(double lower, double upper, double lambda, double u) {
  double    room = u > 0 ? lambda - lower : upper - lambda; /* on the side to which u pushes */
  violation out = {fmax(0, fmax(lower - lambda, lambda - upper)), 0, 0};
  if (room == HUGE_VAL)
    out.dual = fabs(u);
  else
    out.product = fabs(u) * fmax(room, 0);
  return out;
}

static violation of_pyramid(double mu, const double *lambda, const double *u) {
  violation n = of_interval(0, HUGE_VAL, lambda[2], u[2]);
  double    bound = mu * fmax(lambda[2], 0);
  for (int k = 0; k < 2; k++) {
    violation t = of_interval(-bound, bound, lambda[k], u[k]);
    n.primal = fmax(n.primal, t.primal), n.product = fmax(n.product, t.product);
  }
  return n;
}

/** Friction of RaiSim's law turned opposite to the slip, with the same size, as in Coulomb's law.
 */
static void turn_friction(const sup_dual_row *row, const double *lambda, double turned[3]) {
  double axis[2], size = hypot(lambda[0], lambda[1]);
  sup_dual_row_axis(row, SUP_CONE_LAW_RAISIM, lambda, axis);
  turned[0] = size * axis[0], turned[1] = size * axis[1], turned[2] = lambda[2];
}

static violation of_cone(sup_cone_law law, const sup_dual_row *row, const double *lambda,
                         const double *u) {
  double mu = row->mu, turned[3];
  if (law == SUP_CONE_LAW_LCP) return of_pyramid(mu, lambda, u);
  double correction = law == SUP_CONE_LAW_CCP ? 0 : mu * sqrt(u[0] * u[0] + u[1] * u[1]);
  double w[3] = {u[0], u[1], u[2] + correction};
  if (law == SUP_CONE_LAW_RAISIM) turn_friction(row, lambda, turned), lambda = turned;
  return (violation){sup_cone_distance(mu, lambda), sup_dual_cone_distance(mu, w),
                     fabs(lambda[0] * w[0] + lambda[1] * w[1] + lambda[2] * w[2])};
}

/** Energy that the convex relaxation minimises: 1/2 lambda (G + R) lambda + lambda (g - c*). */
static double energy(const sup_dual *d, int i, const double *u) {
  const sup_dual_row *row = &d->row[i];
  double              sum = 0;
  for (int r = 0; r < row->dimension; r++)
    sum += d->lambda[row->first + r] * 0.5 * (u[r] + row->g[r] - row->target[r]);
  return sum;
}

/** Velocity that the impulse of a row must remove [sqrt(J)]. */
static double free_approach(const sup_dual_row *row) {
  int    n = row->dimension - 1; /* the normal comes last */
  double speed = row->target[n] - row->g[n];
  if (!(row->w > 0)) return 0;
  return (row->lower < 0 ? fabs(speed) : fmax(speed, 0)) / sqrt(row->w);
}

void sup_dual_measure(const sup_dual *d, sup_law_residual *out) {
  double primal = 0, dual = 0, product = 0, impulse = 0, slip = 0, arrival = 0;
  *out = (sup_law_residual){0};
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    const double       *lambda = d->lambda + row->first;
    double              u[3], size = 0;
    sup_dual_slack(d, i, u);
    arrival = fmax(arrival, free_approach(row));
    if (sup_dual_is_open(d, i, u)) continue;
    violation e = row->cone == SUP_CONE_FRICTION
                      ? of_cone(d->law, row, lambda, u)
                      : of_interval(row->lower, row->upper, lambda[0], u[0]);
    if (row->cone == SUP_CONE_FRICTION) {
      out->primal = fmax(out->primal, e.primal);
      out->dual = fmax(out->dual, e.dual);
      out->complementarity = fmax(out->complementarity, e.product);
    }
    out->energy += energy(d, i, u);
    if (!(row->w > 0)) continue; /* nothing moves */
    for (int r = 0; r < row->dimension; r++) size += lambda[r] * lambda[r];
    impulse = fmax(impulse, sqrt(row->w * size));
    if (size > 0 && row->cone == SUP_CONE_FRICTION)
      slip = fmax(slip, hypot(u[0], u[1]) / sqrt(row->w));
    primal = fmax(primal, sqrt(row->w) * e.primal);
    dual = fmax(dual, e.dual / sqrt(row->w));
    product = fmax(product, e.product);
    if (!isfinite(e.dual + e.product)) product = HUGE_VAL;
  }
  /* With a ton beside a gram, impulses are large for the gram; hence velocities are compared with
   * the velocities that impulses must remove. */
  double speed = fmax(fmin(impulse, arrival), slip);
  if (!(speed > 0)) speed = impulse; /* all open: the impulses of the start must go */
  if (impulse > 0)
    out->relative = fmax(fmax(primal / impulse, dual / speed), product / (impulse * speed));
  else
    out->relative = dual > 0 || product > 0; /* no row has an impulse yet, as one should */
}
