#include "solve/dual/one_contact.h"

#include <math.h>
#include <string.h>

#include "solve/dual/numerics.h"

void sup_one_contact_set(sup_one_contact *q, const double A[9], double mu, const double u[3],
                         const double lambda[3]) {
  memcpy(q->A, A, sizeof q->A);
  q->mu = mu;
  for (int r = 0; r < 3; r++)
    q->c[r] = u[r] - (A[3 * r] * lambda[0] + A[3 * r + 1] * lambda[1] + A[3 * r + 2] * lambda[2]);
}

int sup_one_contact_close(const sup_one_contact *q, sup_closed_contact *out) {
  const double *A = q->A, N = A[8];
  if (!(N > 0)) return 0;
  *out = (sup_closed_contact){.trace = A[0] + A[4],
                              .xx = A[0] - A[2] * A[2] / N,
                              .xy = A[1] - A[2] * A[5] / N,
                              .yy = A[4] - A[5] * A[5] / N,
                              .b = {q->c[0] - A[2] * q->c[2] / N, q->c[1] - A[5] * q->c[2] / N},
                              .n0 = -q->c[2] / N,
                              .n = {A[2] / N, A[5] / N}};
  return 1;
}

/* ---- the disc -------------------------------------------------------------------------------- */

/** A closed contact along the eigenvectors of B. */
typedef struct disc {
  double mu, e[2], b[2], n[2], n0; /* e: eigenvalues, the larger one first */
  double axis[2];                  /* the first eigenvector; the other one is across it */
} disc;

static void diagonalise(const sup_closed_contact *k, double mu, disc *q) {
  double mean = 0.5 * (k->xx + k->yy), half = 0.5 * (k->xx - k->yy),
         size = sqrt(half * half + k->xy * k->xy);
  double share = size > 0 ? half / size : 1; /* cosine of twice the first eigenvector's angle */
  double x = sqrt(0.5 * (1 + share)), y = copysign(sqrt(0.5 * fmax(1 - share, 0)), k->xy);
  *q = (disc){.mu = mu, .n0 = k->n0, .axis = {x, y}};
  q->e[0] = fmax(mean + size, sup_dual_numerics.diagonal * k->trace);
  q->e[1] = fmax(mean - size, sup_dual_numerics.diagonal * k->trace);
  for (int i = 0; i < 2; i++) {
    double along[2] = {i ? -y : x, i ? x : y};
    q->b[i] = along[0] * k->b[0] + along[1] * k->b[1];
    q->n[i] = along[0] * k->n[0] + along[1] * k->n[1];
  }
}

/** Set lambda_T = -(B + rho)^-1 b; returns its size. */
static double friction_at(const disc *q, double rho, double t[2]) {
  for (int i = 0; i < 2; i++) t[i] = q->b[i] != 0 ? -q->b[i] / (q->e[i] + rho) : 0;
  return sqrt(t[0] * t[0] + t[1] * t[1]);
}

static double normal_at(const disc *q, const double t[2]) {
  return q->n0 - (q->n[0] * t[0] + q->n[1] * t[1]);
}

/** mu lambda_N/|lambda_T| - 1 and its derivative. */
static double excess(const disc *q, double rho, double *slope) {
  double t[2], size = friction_at(q, rho, t), normal = normal_at(q, t);
  double r0 = t[0] / (q->e[0] + rho), r1 = t[1] / (q->e[1] + rho); /* -dt/drho */
  double shrinks = (t[0] * r0 + t[1] * r1) / size;                 /* -d size/d rho */
  *slope = q->mu * ((q->n[0] * r0 + q->n[1] * r1) / size + normal * shrinks / (size * size));
  return q->mu * normal / size - 1;
}

/** Root of the excess, which is negative at 0: Newton's steps from rho within bounds. */
static double sliding(const disc *q, double rho) {
  enum { MOST = 100 };
  double b = hypot(q->b[0], q->b[1]), n = hypot(q->n[0], q->n[1]);
  double low = 0, high = b * (1 + q->mu * n) / (q->mu * q->n0), slope;
  if (!(rho > low && rho < high)) rho = 0;
  for (int k = 0; k < MOST; k++) {
    double f = excess(q, rho, &slope), next;
    if (fabs(f) <= sup_dual_numerics.root) break;
    if (f < 0)
      low = rho;
    else
      high = rho;
    next = rho - f / slope;
    if (!(next > low && next < high)) /* bisected by the scale of B + rho */
      next = sqrt((low + q->e[0]) * (high + q->e[0])) - q->e[0];
    if (next == rho || !(high > low)) break;
    rho = next;
  }
  return rho;
}

/** Set lambda from friction along the eigenvectors, exactly on the cone. */
static void compose(const disc *q, const double t[2], double normal, int slides, double lambda[3]) {
  double x = q->axis[0], y = q->axis[1], size;
  lambda[0] = x * t[0] - y * t[1], lambda[1] = y * t[0] + x * t[1];
  lambda[2] = slides ? fmax(normal, 0) : normal;
  size = sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]);
  if (slides && size > 0)
    for (int i = 0; i < 2; i++) lambda[i] *= q->mu * lambda[2] / size;
}

int sup_one_contact_stick(const sup_one_contact *one, double lambda[3]) {
  sup_closed_contact closed;
  disc               q;
  double             t[2] = {0, 0};
  if (!sup_one_contact_close(one, &closed)) return 0;
  diagonalise(&closed, one->mu, &q);
  if (q.e[0] > 0) friction_at(&q, 0, t);
  compose(&q, t, normal_at(&q, t), 0, lambda);
  return 1;
}

/** |u_T|/|lambda_T| at lambda. */
static double ratio_at(const sup_one_contact *one, const double *lambda) {
  double u[2], friction = sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]);
  for (int r = 0; r < 2; r++)
    u[r] = one->c[r] + one->A[3 * r] * lambda[0] + one->A[3 * r + 1] * lambda[1] +
           one->A[3 * r + 2] * lambda[2];
  return friction > 0 ? sqrt(u[0] * u[0] + u[1] * u[1]) / friction : 0;
}

void sup_one_contact_coulomb(const sup_one_contact *one, double lambda[3]) {
  sup_closed_contact closed;
  disc               q;
  double             t[2] = {0, 0};
  if (one->c[2] >= 0) {
    memset(lambda, 0, 3 * sizeof *lambda);
    return;
  }
  if (!sup_one_contact_close(one, &closed)) return;
  diagonalise(&closed, one->mu, &q);
  if (!(q.mu > 0) || !(q.e[0] > 0)) {
    compose(&q, t, normal_at(&q, t), 0, lambda);
    return;
  }
  int slides = friction_at(&q, 0, t) > q.mu * normal_at(&q, t);
  if (slides) friction_at(&q, sliding(&q, ratio_at(one, lambda)), t);
  compose(&q, t, normal_at(&q, t), slides, lambda);
}

/* ---- the convex relaxation ------------------------------------------------------------------- */

/** Energy of a contact as a function of the normal impulse, minimised over friction. */
typedef struct relaxed {
  disc   disc;    /* b: c_T + A_TN lambda_N; n: A_TN [1/kg] */
  double c[3], N; /* c in the disc's axes [m/s], A_NN [1/kg] */
} relaxed;

static void set_relaxed(const sup_one_contact *one, relaxed *q) {
  const double      *A = one->A;
  sup_closed_contact friction = {.trace = A[0] + A[4],
                                 .xx = A[0],
                                 .xy = A[1],
                                 .yy = A[4],
                                 .b = {one->c[0], one->c[1]},
                                 .n = {A[2], A[5]}};
  diagonalise(&friction, one->mu, &q->disc);
  q->c[0] = q->disc.b[0], q->c[1] = q->disc.b[1], q->c[2] = one->c[2], q->N = A[8];
}

/** Friction of least energy within the disc; rho = |u_T|/|lambda_T|, 0 inside.  1/|lambda_T| is
 * concave in rho, so that Newton's steps from its left end do not pass the root. */
static double least_friction(const disc *q, double radius, double t[2]) {
  enum { MOST = 100 };
  double size = friction_at(q, 0, t), rho;
  if (size <= radius) return 0;
  rho = fmax(hypot(q->b[0], q->b[1]) / radius - q->e[0], 0);
  for (int k = 0; k < MOST; k++) {
    size = friction_at(q, rho, t);
    double shrinks = (t[0] * t[0] / (q->e[0] + rho) + t[1] * t[1] / (q->e[1] + rho)) / size;
    double next = rho + (size / radius - 1) * size / shrinks;
    if (!(next > rho)) break;
    rho = next;
  }
  return rho;
}

/** Derivative u_N - mu |u_T| of the energy at a normal impulse, its own derivative, and the size
 * of its terms. */
static double energy_slope(relaxed *q, double normal, double t[2], double *second, double *size) {
  disc  *d = &q->disc;
  double mu2 = d->mu * d->mu, pull = 0, gives = 0, turns = 0, shrinks = 0;
  for (int i = 0; i < 2; i++) d->b[i] = q->c[i] + d->n[i] * normal;
  double rho = least_friction(d, d->mu * normal, t);
  *size = fabs(q->c[2]) + (q->N + mu2 * rho) * normal;
  for (int i = 0; i < 2; i++) {
    double y = d->e[i] + rho;
    pull += d->n[i] * t[i], *size += fabs(d->n[i] * t[i]);
    if (!(y > 0)) continue;
    gives += d->n[i] * d->n[i] / y, turns += d->n[i] * t[i] / y, shrinks += t[i] * t[i] / y;
  }
  *second = q->N - gives - mu2 * rho;
  if (rho > 0) *second += (mu2 * normal + turns) * (mu2 * normal + turns) / shrinks;
  return q->c[2] + (q->N - mu2 * rho) * normal + pull;
}

/** Root of the slope, which grows with the normal impulse: Newton's steps within bounds; a step
 * that does not halve the slope is followed by a bisection.  HUGE_VAL: no root. */
static double least_energy(relaxed *q, double normal, double t[2], int *slides) {
  enum { MOST = 200 };
  double low = 0, high = HUGE_VAL, most = sup_dual_numerics.farthest * normal, before = HUGE_VAL,
         next;
  for (int k = 0; k < MOST && normal < most; k++, normal = next) {
    double second, size, f = energy_slope(q, normal, t, &second, &size);
    *slides = hypot(t[0], t[1]) >= q->disc.mu * normal * (1 - sup_dual_numerics.bound_digits);
    if (fabs(f) <= sup_dual_numerics.zero * size) return normal;
    if (f < 0)
      low = normal;
    else
      high = normal;
    next = fmin(normal - f / second, sup_dual_numerics.widest * normal);
    if (!(next > low && next < high) || (fabs(f) > .5 * before && high < HUGE_VAL))
      next = high == HUGE_VAL ? 2 * normal
             : low > 0        ? sqrt(low * high)
                              : high / sup_dual_numerics.widest;
    if (next == normal || !(next > low && next < high)) return normal;
    before = fabs(f);
  }
  return high < HUGE_VAL ? normal : HUGE_VAL;
}

void sup_one_contact_relaxed(const sup_one_contact *one, double lambda[3]) {
  double  slip = hypot(one->c[0], one->c[1]), t[2] = {0, 0}, normal;
  int     slides = 0;
  relaxed q;
  if (one->c[2] >= one->mu * slip) {
    memset(lambda, 0, 3 * sizeof *lambda);
    return;
  }
  set_relaxed(one, &q);
  double stiff = q.N + one->mu * one->mu * q.disc.e[0];
  if (!(stiff > 0)) return;
  normal = lambda[2] > 0 ? lambda[2] : (fabs(one->c[2]) + one->mu * slip) / stiff;
  normal = one->mu > 0 ? least_energy(&q, normal, t, &slides) : -one->c[2] / q.N;
  if (normal < HUGE_VAL) compose(&q.disc, t, normal, slides, lambda);
}

/* ---- the square ------------------------------------------------------------------------------ */

/** Friction that sticks along k, as a function of the bound: lambda_k = at + per bound, if the
 * other component is `other` times the bound. */
static void stick_along(const sup_closed_contact *q, int k, double other, double *at, double *per) {
  double B = fmax(k ? q->yy : q->xx, sup_dual_numerics.diagonal * q->trace);
  *at = B > 0 ? -q->b[k] / B : 0, *per = B > 0 ? -q->xy * other / B : 0;
}

/** Friction and bound if each component slides against side[k] (+-1) or sticks (0); returns 0 if no
 * such friction exists. */
static int answer(const sup_closed_contact *q, double mu, const int side[2], double t[2],
                  double *bound) {
  double at[2] = {0, 0}, per[2] = {side[0], side[1]}; /* t = at + per bound */
  double det = q->xx * q->yy - q->xy * q->xy;
  if (!side[0] && !side[1]) {
    if (!(det > sup_dual_numerics.diagonal * q->trace * q->trace)) return 0;
    at[0] = (q->xy * q->b[1] - q->yy * q->b[0]) / det;
    at[1] = (q->xy * q->b[0] - q->xx * q->b[1]) / det;
  } else if (!side[0] || !side[1]) {
    int k = side[0] ? 1 : 0;
    stick_along(q, k, side[!k], &at[k], &per[k]);
  }
  double share = 1 + mu * (q->n[0] * per[0] + q->n[1] * per[1]);
  *bound = mu * (q->n0 - q->n[0] * at[0] - q->n[1] * at[1]) / share;
  for (int k = 0; k < 2; k++) t[k] = at[k] + per[k] * *bound;
  return isfinite(*bound);
}

/** Largest violation of the law by t, relative to b and the bound. */
static double violation(const sup_closed_contact *q, const int side[2], const double t[2],
                        double bound) {
  double u[2] = {q->xx * t[0] + q->xy * t[1] + q->b[0], q->xy * t[0] + q->yy * t[1] + q->b[1]};
  double speed = fabs(q->b[0]) + fabs(q->b[1]), size = fabs(bound) + fabs(t[0]) + fabs(t[1]);
  double worst = size > 0 ? fmax(-bound, 0) / size : 0;
  for (int k = 0; k < 2; k++) {
    if (side[k] && speed > 0) worst = fmax(worst, side[k] * u[k] / speed);
    if (!side[k] && size > 0) worst = fmax(worst, (fabs(t[k]) - bound) / size);
  }
  return worst;
}

void sup_one_contact_square(const sup_one_contact *one, double lambda[3]) {
  sup_closed_contact q;
  double             least = HUGE_VAL, best[2] = {0, 0}, t[2], bound;
  if (one->c[2] >= 0) {
    memset(lambda, 0, 3 * sizeof *lambda);
    return;
  }
  if (!sup_one_contact_close(one, &q)) return;
  for (int k = 0; k < 9 && least > 0; k++) { /* 0, 1, -1: sticking comes first */
    static const int order[3] = {0, 1, -1};
    int              side[2] = {order[k % 3], order[k / 3]};
    if (!answer(&q, one->mu, side, t, &bound)) continue;
    double off = violation(&q, side, t, bound);
    if (off < least) least = off, memcpy(best, t, sizeof best);
  }
  lambda[2] = fmax(q.n0 - q.n[0] * best[0] - q.n[1] * best[1], 0);
  bound = one->mu * lambda[2];
  for (int k = 0; k < 2; k++) lambda[k] = fmin(fmax(best[k], -bound), bound);
}
