#include "solve/dual/dual_subspace.h"

#include <math.h>
#include <string.h>

#include "solve/dual/numerics.h"

sup_status sup_dual_subspace_create(sup_dual_subspace *q, const sup_dual *d) {
  SUP_TRY(sup_dual_hessian_create(&q->hessian, d));
  SUP_TRY(SUP_ARENA(d->arena, q->change, d->problem->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, q->lambda, d->problem->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, q->v, d->n));
  SUP_TRY(SUP_ARENA(d->arena, q->x, d->n));
  q->least = d->options.proximal;
  q->proximal = fmax(q->least, sup_dual_numerics.proximal_first);
  q->longer = 1;
  return SUP_OK;
}

bool sup_dual_has_energy(const sup_dual *d) {
  return d->law == SUP_CONE_LAW_CCP && !d->has_nonlinear;
}

/** 1: the impulse is below `bound` by more than round-off; sliding friction is at its bound. */
static bool is_below(double impulse, double bound) {
  return impulse < bound * (1 - sup_dual_numerics.bound_digits);
}

/** D += scale x x^T */
static void add_square(double D[9], double scale, double x, double y, double z) {
  double v[3] = {x, y, z};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) D[3 * r + c] += scale * v[r] * v[c];
}

/** Add D of a pushing contact, from its slack u. */
static void set_contact(sup_cone_law law, const sup_dual_row *row, double proximal,
                        const double *lambda, const double *u, double D[9]) {
  double hold = proximal * row->w, bound = row->mu * lambda[2];
  double size = hypot(lambda[0], lambda[1]), slip = hypot(u[0], u[1]);
  double most = 1 / (row->R[0] + hold), turn = size < most * slip ? size / slip : most;
  int    slides = !is_below(size, bound);
  if (law == SUP_CONE_LAW_CCP &&
      slides) { /* along the ray of the cone, and around the axis with the slip */
    double mu2 = row->mu * row->mu, x = size > 0 ? lambda[0] / size : 0,
           y = size > 0 ? lambda[1] / size : 0;
    add_square(D, 1 / (mu2 * row->R[0] + row->R[2] + (1 + mu2) * hold), row->mu * x, row->mu * y,
               1);
    add_square(D, turn, -y, x, 0);
    return;
  }
  D[8] = 1 / (row->R[2] + hold);
  if (law == SUP_CONE_LAW_LCP) {
    for (int k = 0; k < 2; k++)
      if (is_below(fabs(lambda[k]), bound)) D[4 * k] = 1 / (row->R[k] + hold);
  } else if (!slides) {
    D[0] = D[4] = most;
  } else { /* friction of fixed size turns with the slip */
    double e[2];
    sup_dual_row_axis(row, law, lambda, e);
    add_square(D, turn, -e[1], e[0], 0);
  }
}

static int takes_part(const sup_dual_row *row) { return row->is_active && row->w > 0; }

static void set_rows(sup_dual *d, sup_dual_subspace *q) {
  memset(q->hessian.D, 0, 9 * (size_t)d->num_rows * sizeof *q->hessian.D);
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    const double       *lambda = d->lambda + row->first;
    double             *D = q->hessian.D + 9 * i, u[3];
    if (!takes_part(row)) continue;
    sup_dual_slack(d, i, u);
    if (row->cone == SUP_CONE_INTERVAL)
      D[0] = lambda[0] > row->lower && lambda[0] < row->upper
                 ? 1 / (row->R[0] + q->proximal * row->w)
                 : 0;
    else if (lambda[2] > 0)
      set_contact(d->law, row, q->proximal, lambda, u, D);
  }
}

/** change := -D u */
static void respond(const sup_dual *d, sup_dual_subspace *q) {
  memset(q->change, 0, (size_t)d->problem->num_vc * sizeof *q->change);
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    int                 n = row->dimension;
    double              u[3];
    if (!takes_part(row)) continue;
    sup_dual_slack(d, i, u);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++)
        q->change[row->first + r] -= q->hessian.D[9 * i + n * r + c] * u[c];
  }
}

/** Project lambda onto its cone along the tangents.  Friction at its bound in `before` stays at its
 * bound. */
static void clamp(sup_cone_law law, const sup_dual_row *row, const double *before, double *lambda) {
  if (row->cone == SUP_CONE_INTERVAL) {
    sup_dual_clamp(row, lambda);
    return;
  }
  lambda[2] = fmax(lambda[2], 0);
  double bound = row->mu * lambda[2], old = row->mu * before[2];
  double size = hypot(lambda[0], lambda[1]);
  if (law == SUP_CONE_LAW_LCP) {
    for (int k = 0; k < 2; k++)
      lambda[k] = is_below(fabs(before[k]), old) ? fmin(fmax(lambda[k], -bound), bound)
                                                 : copysign(bound, before[k]);
  } else if (size > bound ||
             (size > 0 && law != SUP_CONE_LAW_CCP && !is_below(hypot(before[0], before[1]), old))) {
    for (int k = 0; k < 2; k++) lambda[k] *= bound / size;
  }
}

/** lambda += change, on the cones; v := velocities of the projected lambda. */
static void apply(sup_dual *d, const sup_dual_subspace *q) {
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    double              reached[3], correction[3], *lambda = d->lambda + row->first;
    if (!takes_part(row)) continue;
    for (int r = 0; r < row->dimension; r++) reached[r] = lambda[r] += q->change[row->first + r];
    clamp(d->law, row, q->lambda + row->first, reached);
    for (int r = 0; r < row->dimension; r++) correction[r] = reached[r] - lambda[r];
    sup_dual_add(d, i, correction);
    memcpy(lambda, reached, (size_t)row->dimension * sizeof *lambda);
  }
}

/** Move q->lambda and q->v to the point of least energy on the line from q->lambda to the new
 * impulses: both ends are in the cones, so the whole line is, and the energy along it is a
 * parabola. */
static void search(sup_dual *d, sup_dual_subspace *q) {
  double end = 0, curve = 0;
  for (int k = 0; k < d->n; k++) d->work[k] = d->v[k] - q->v[k];
  sup_dual_rate(d, d->work, q->change);
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    double              u[3];
    if (!takes_part(row)) continue;
    sup_dual_slack(d, i, u);
    for (int r = 0; r < row->dimension; r++) {
      double way = d->lambda[row->first + r] - q->lambda[row->first + r];
      end += u[r] * way;
      curve += (q->change[row->first + r] + row->R[r] * way) * way;
    }
  }
  double start = end - curve;
  q->share = end <= 0 ? 1 : fmax(-start / curve, 0);
  q->fall = -q->share * (start + .5 * q->share * curve);
  for (int k = 0; k < d->problem->num_vc; k++)
    q->lambda[k] += q->share * (d->lambda[k] - q->lambda[k]);
  for (int k = 0; k < d->n; k++) q->v[k] += q->share * d->work[k];
}

sup_status sup_dual_subspace_step(sup_dual *d, sup_dual_subspace *q) {
  bool spd;
  q->share = 1, q->fall = 0;
  memcpy(q->lambda, d->lambda, (size_t)d->problem->num_vc * sizeof *q->lambda);
  memcpy(q->v, d->v, (size_t)d->n * sizeof *q->v);
  set_rows(d, q);
  SUP_TRY(sup_dual_hessian_factor(&q->hessian, d, &spd));
  if (!spd) return SUP_OK; /* of round-off: A is, and D adds to it */
  respond(d, q);
  memset(q->x, 0, (size_t)d->n * sizeof *q->x);
  SUP_TRY(sup_dual_hessian_solve(d, q->change, q->x));
  sup_dual_arrange(d, q->x, d->work);
  for (int k = 0; k < d->n; k++) d->v[k] += d->work[k];
  respond(d, q);
  apply(d, q);
  if (sup_dual_has_energy(d)) search(d, q);
  return SUP_OK;
}

void sup_dual_subspace_undo(sup_dual *d, const sup_dual_subspace *q) {
  memcpy(d->lambda, q->lambda, (size_t)d->problem->num_vc * sizeof *q->lambda);
  memcpy(d->v, q->v, (size_t)d->n * sizeof *q->v);
}

void sup_dual_subspace_lengthen(sup_dual_subspace *q, double gain) {
  double most = sup_dual_numerics.longest;
  q->longer = fmin(q->longer * sup_dual_numerics.longer, most);
  q->proximal = fmax(q->proximal / fmax(fmin(gain, most), q->longer), q->least);
}

void sup_dual_subspace_shorten(sup_dual_subspace *q) {
  q->proximal = fmin(q->proximal * sup_dual_numerics.shorter, sup_dual_numerics.proximal_first);
  q->longer = 1;
}
