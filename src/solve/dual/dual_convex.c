#include "solve/dual/dual_convex.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "solve/dual/numerics.h"

sup_status sup_dual_convex_create(sup_dual_convex *q, const sup_dual *d) {
  double **vc[] = {&q->before, &q->start, &q->c, &q->dc}, **n[] = {&q->x, &q->dx, &q->r};
  *q = (sup_dual_convex){.proximal = sup_dual_numerics.proximal};
  SUP_TRY(sup_dual_hessian_create(&q->hessian, d));
  for (size_t k = 0; k < sizeof vc / sizeof *vc; k++)
    SUP_TRY(SUP_ARENA(d->arena, *vc[k], d->problem->num_vc));
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) SUP_TRY(SUP_ARENA(d->arena, *n[k], d->n));
  return SUP_OK;
}

/** Component r of lambda between bounds; D: its derivative by -c. */
static void answer_interval(double y, double lower, double upper, double yielding, double *lambda,
                            double *D) {
  *lambda = fmin(fmax(y, lower), upper);
  *D = y > lower && y < upper ? yielding : 0;
}

static void answer_disc(const double y[2], double bound, double yielding, double *lambda,
                        double D[9]) {
  double size = hypot(y[0], y[1]), share = size > bound ? bound / size : 1;
  for (int k = 0; k < 2; k++) {
    lambda[k] = share * y[k];
    D[4 * k] = share * yielding;
  }
  if (share == 1) return;
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++) D[3 * k + l] -= share * yielding * (y[k] / size) * (y[l] / size);
}

/** lambda of row i at its velocities c, and D = -d lambda/dc. */
static void answer(const sup_dual *d, const sup_dual_convex *q, sup_dual_half half, int i,
                   const double *c, double *lambda, double D[9]) {
  const sup_dual_row *row = &d->row[i];
  const double       *before = q->before + row->first;
  double              y[3], yielding[3];
  memset(D, 0, 9 * sizeof *D);
  memcpy(lambda, before, (size_t)row->dimension * sizeof *lambda);
  if (!(row->w > 0)) return;
  for (int r = 0; r < row->dimension; r++) {
    double hold = q->proximal * row->w;
    yielding[r] = 1 / (row->R[r] + hold);
    y[r] = (row->target[r] + hold * before[r] - c[r]) * yielding[r];
  }
  double bound = row->mu * before[row->dimension - 1];
  if (row->cone == SUP_CONE_INTERVAL)
    answer_interval(y[0], row->lower, row->upper, yielding[0], lambda, D);
  else if (half == SUP_DUAL_NORMAL)
    answer_interval(y[2], 0, HUGE_VAL, yielding[2], lambda + 2, D + 8);
  else if (d->law == SUP_CONE_LAW_LCP)
    for (int k = 0; k < 2; k++)
      answer_interval(y[k], -bound, bound, yielding[k], lambda + k, D + 4 * k);
  else
    answer_disc(y, bound, yielding[0], lambda, D);
}

/** Impulses at c + length dc, and D. */
static void answer_all(sup_dual *d, sup_dual_convex *q, sup_dual_half half, double length) {
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    double              c[3];
    for (int r = 0; r < row->dimension; r++)
      c[r] = q->c[row->first + r] + (length > 0 ? length * q->dc[row->first + r] : 0);
    answer(d, q, half, i, c, d->lambda + row->first, q->hessian.D + 9 * i);
  }
}

/** r := p + J^T lambda - A x; returns its size relative to A x and the impulses. */
static void set_residual(sup_dual *d, sup_dual_convex *q) {
  const sup_problem *p = d->problem;
  sup_dual_impulse(d, d->lambda, d->impulse);
  sup_problem_generalized_impulse(p, d->impulse, q->r);
  sup_block_multiply(p->A_pattern, p->A, q->x, d->work);
  for (int k = 0; k < d->n; k++) q->r[k] += p->p[k] - d->work[k];
}

/** Slope of the energy along dx at a step length, by differences to length 0, which keep digits
 * near the solution; `inertia` is dx A dx. */
static double slope_at(sup_dual *d, sup_dual_convex *q, sup_dual_half half, double length,
                       double first, double inertia) {
  double sum = first + length * inertia;
  answer_all(d, q, half, length);
  for (int k = 0; k < d->problem->num_vc; k++) sum -= (d->lambda[k] - q->start[k]) * q->dc[k];
  return sum;
}

/** Step length at which the slope is at most a tenth of the first slope: 1, or found by bisection
 * and secants. */
static double search(sup_dual *d, sup_dual_convex *q, sup_dual_half half, double first) {
  enum { MOST = 40 };
  const sup_problem *p = d->problem;
  const double       margin = sup_dual_numerics.margin;
  double             low = 0, high = 1, at_low = first, length = 1;
  memcpy(q->start, d->lambda, (size_t)p->num_vc * sizeof *q->start);
  sup_block_multiply(p->A_pattern, p->A, q->dx, d->work);
  double inertia = sup_dot(q->dx, d->work, d->n);
  double at_high = slope_at(d, q, half, 1, first, inertia);
  if (at_high <= -sup_dual_numerics.slope * first) return 1;
  for (int k = 0; k < MOST; k++) {
    double share = -at_low / (at_high - at_low);
    length = low + (k % 3 == 2 ? 0.5 : fmin(fmax(share, margin), 1 - margin)) * (high - low);
    double slope = slope_at(d, q, half, length, first, inertia);
    if (fabs(slope) <= -sup_dual_numerics.slope * first) break;
    if (slope < 0)
      low = length, at_low = slope;
    else
      high = length, at_high = slope;
  }
  return length;
}

/** Energy that is negligible relative to the largest lambda w lambda [J]. */
static double negligible(const sup_dual *d) {
  double most = 0, share = sup_dual_numerics.negligible * d->options.tolerance;
  for (int i = 0; i < d->num_rows; i++)
    for (int r = 0; r < d->row[i].dimension; r++) {
      double x = d->lambda[d->row[i].first + r];
      most = fmax(most, d->row[i].w * x * x);
    }
  return fmax(share * share, sup_dual_numerics.negligible_least) * most;
}

sup_status sup_dual_convex_solve(sup_dual_convex *q, sup_dual *d, sup_dual_half half) {
  enum { MOST = 100 };
  const sup_problem *p = d->problem;
  bool               spd;
  memcpy(q->before, d->lambda, (size_t)p->num_vc * sizeof *q->before);
  for (int b = 0; b < p->A_pattern->num_blocks; b++)
    memcpy(q->x + p->A_pattern->offset[b], d->v + d->place[b],
           (size_t)sup_block_size(p->A_pattern, b) * sizeof *q->x);
  for (int k = 0; k < MOST; k++) {
    sup_dual_velocity(d, q->c);
    answer_all(d, q, half, 0);
    set_residual(d, q);
    SUP_TRY(sup_dual_hessian_factor(&q->hessian, d, &spd));
    if (!spd) break; /* only by round-off: A is positive definite, and D adds to it */
    memcpy(q->dx, q->r, (size_t)d->n * sizeof *q->dx);
    SUP_TRY(sup_linear_solver_solve(d->factor, sup_dual_numerics.exact, q->dx, NULL));
    double slope = -sup_dot(q->dx, q->r, d->n);
    q->iterations++;
    sup_dual_arrange(d, q->dx, d->work);
    sup_dual_rate(d, d->work, q->dc);
    double length = -slope > negligible(d) ? search(d, q, half, slope) : 1;
    for (int j = 0; j < d->n; j++) q->x[j] += length * q->dx[j];
    sup_dual_arrange(d, q->x, d->v);
    if (-slope <= negligible(d)) break;
  }
  sup_dual_velocity(d, q->c);
  answer_all(d, q, half, 0);
  SUP_TRY(sup_dual_solve_velocity(d));
  return SUP_OK;
}
