/* RaiSim's contact by contact solution (Hwangbo, Lee, Hutter 2018; P4; THEORY 8).
 *
 *  Let c be the velocity of a contact under the impulses of the others. c_N > 0 opens the contact;
 * lambda = -(G + R)^-1 c sticks if it is in the cone; otherwise the energy 1/2 lambda (G + R)
 * lambda + c lambda is minimised on the rim of the cone with u_N = 0, an ellipse, by the root of
 * its slope along the angle.  This is not Coulomb's law: slip is opposite to lambda_T + mu^2
 * lambda_N / G_NN G_NT instead of lambda_T.  The residual is that of this law.  Iterations of
 * several contacts need not converge, hence the applied share of the local solution falls from 1 to
 * 0.01 (the printed update has the roles of alpha swapped). */
#include <math.h>
#include <string.h>

#include "solve/dual/numerics.h"
#include "solve/dual/pgs.h"

/** Closed contact on the rim of its cone: friction lambda_T = r e with the unit vector e has r = mu
 * n0/(1 + mu n e), a conic about 0.  The energy on the rim is 1/2 lambda_T B lambda_T + b lambda_T,
 * up to a constant. */
typedef struct rim {
  sup_closed_contact closed;
  double             mu, stick[3]; /* the impulse that sticks, outside of the cone */
} rim;

/** r, not positive where the plane u_N = 0 does not meet the cone along e. */
static double radius(const rim *q, const double e[2]) {
  const sup_closed_contact *k = &q->closed;
  return q->mu * k->n0 / (1 + q->mu * (k->n[0] * e[0] + k->n[1] * e[1]));
}

/** Derivative of the energy with respect to the angle of e, divided by r. */
static double slope(const rim *q, const double e[2]) {
  const sup_closed_contact *k = &q->closed;
  double                    r = radius(q, e), u[2] = {r * (k->xx * e[0] + k->xy * e[1]) + k->b[0],
                                                      r * (k->xy * e[0] + k->yy * e[1]) + k->b[1]};
  double                    grows = r / k->n0 * (k->n[0] * e[1] - k->n[1] * e[0]); /* dr/r */
  return u[0] * (grows * e[0] - e[1]) + u[1] * (grows * e[1] + e[0]);
}

static double energy(const rim *q, const double e[2]) {
  const sup_closed_contact *k = &q->closed;
  double                    r = radius(q, e);
  double                    B = k->xx * e[0] * e[0] + 2 * k->xy * e[0] * e[1] + k->yy * e[1] * e[1];
  return r * (.5 * r * B + k->b[0] * e[0] + k->b[1] * e[1]);
}

/** lambda at e. */
static void take(const rim *q, const double e[2], double x[3]) {
  double r = radius(q, e);
  x[0] = r * e[0], x[1] = r * e[1], x[2] = r / q->mu;
}

/** 1: the point of the rim is on the side of the cone that faces the sticking impulse. */
static int faces(const rim *q, const double e[2]) {
  double x[3];
  take(q, e, x);
  return x[2] >= 0 && x[0] * (q->stick[0] - x[0]) + x[1] * (q->stick[1] - x[1]) -
                              q->mu * q->mu * x[2] * (q->stick[2] - x[2]) >=
                          0;
}

static void turn(const double e[2], double angle, double out[2]) {
  double c = cos(angle), s = sin(angle), x = e[0], y = e[1];
  out[0] = c * x - s * y, out[1] = s * x + c * y;
}

/** Root of the slope between two directions less than half a turn apart, by the Illinois variant of
 * false position. */
static void root_between(const rim *q, const double low[2], const double high[2], double x[3]) {
  enum { MOST = 60 };
  double at[2] = {0, 1}, f[2] = {slope(q, low), slope(q, high)}, e[2] = {low[0], low[1]};
  for (int k = 0, kept = -1; k < MOST && at[1] - at[0] > sup_dual_numerics.raisim_root; k++) {
    double share = f[1] != f[0] ? at[0] - f[0] * (at[1] - at[0]) / (f[1] - f[0]) : at[0];
    if (!(share > at[0] && share < at[1])) share = .5 * (at[0] + at[1]);
    for (int i = 0; i < 2; i++) e[i] = low[i] + share * (high[i] - low[i]);
    double size = sqrt(e[0] * e[0] + e[1] * e[1]);
    for (int i = 0; i < 2; i++) e[i] /= size;
    double now = slope(q, e);
    int    end = now * f[0] > 0 ? 0 : 1;
    if (now == 0) break;
    at[end] = share, f[end] = now;
    if (kept == !end) f[!end] *= .5;
    kept = !end;
  }
  take(q, e, x);
}

/** Search downhill from the direction of the sticking impulse until the slope changes its sign. */
static void slide(const rim *q, double x[3]) {
  enum { STEPS = 200 };
  double size = sqrt(q->stick[0] * q->stick[0] + q->stick[1] * q->stick[1]);
  double before[2] = {q->stick[0] / size, q->stick[1] / size}, e[2];
  double first = slope(q, before),
         step = first >= 0 ? -sup_dual_numerics.raisim_first : sup_dual_numerics.raisim_first;
  memcpy(e, before, sizeof e);
  for (int k = 0; k < STEPS; k++) {
    turn(before, step, e);
    if (!faces(q, e)) {
      step *= .5;
      continue;
    }
    if (!(slope(q, e) * first > 0)) break;
    memcpy(before, e, sizeof e);
    step = fmax(fmin(sup_dual_numerics.raisim_growth * step, sup_dual_numerics.raisim_widest),
                -sup_dual_numerics.raisim_widest);
  }
  root_between(q, before, e, x);
}

/** Beyond mu |G_NT| = G_NN the plane cuts the cone in a hyperbola, which does not have all
 * directions: use the best of many samples, then the root beside it. */
static void slide_on_hyperbola(const rim *q, double x[3]) {
  enum { ANGLES = 64, HALVINGS = 50 };
  double width = 6.283185307179586 / ANGLES;
  double best[2] = {1, 0}, least = HUGE_VAL, e[2], end[2][2];
  for (int k = 0; k < ANGLES; k++) {
    e[0] = cos(k * width), e[1] = sin(k * width);
    double now = radius(q, e) > 0 ? energy(q, e) : HUGE_VAL;
    if (now < least) least = now, memcpy(best, e, sizeof e);
  }
  for (int i = 0; i < 2; i++) {
    double angle = i ? width : -width;
    turn(best, angle, end[i]);
    for (int k = 0; k < HALVINGS && !(radius(q, end[i]) > 0); k++)
      angle *= .5, turn(best, angle, end[i]);
  }
  root_between(q, end[0], end[1], x);
}

static void relax(const sup_dual_row *row, double alpha, const double u[3], double lambda[3]) {
  sup_one_contact q = sup_pgs_alone(row, u, lambda);
  rim             k = {.mu = q.mu};
  double          x[3] = {0, 0, 0};
  if (q.c[2] > 0) {
    /* opens */
  } else if (!sup_one_contact_close(&q, &k.closed) || !sup_one_contact_stick(&q, k.stick)) {
    return; /* nothing moves along the normal */
  } else if (hypot(k.stick[0], k.stick[1]) <= q.mu * k.stick[2]) {
    memcpy(x, k.stick, sizeof x);
  } else if (!(q.mu > 0) || !(k.closed.n0 > 0)) {
    x[2] = k.closed.n0;
  } else if (q.A[8] > q.mu * hypot(q.A[6], q.A[7])) {
    slide(&k, x);
  } else {
    slide_on_hyperbola(&k, x);
  }
  for (int r = 0; r < 3; r++) lambda[r] = (1 - alpha) * lambda[r] + alpha * x[r];
}

static double fade(double alpha) {
  double keep = sup_dual_numerics.raisim_keep;
  return keep * alpha + (1 - keep) * sup_dual_numerics.raisim_least;
}

static const sup_pgs raisim = {
    .law = SUP_CONE_LAW_RAISIM, .relax = relax, .omega = fade, .cap = 1000, .patience = 50};

SUP_PGS_ROW(raisim);
