/* RaiSim's contact by contact solution (Hwangbo, Lee, Hutter 2018; P4; THEORY 8).
 *
 *  With c the velocity that the others leave a contact: c_N > 0 opens it; lambda = -(G + R)^-1 c
 * sticks when it is in the cone; else the energy 1/2 lambda (G + R) lambda + c lambda is least on
 * the rim of the cone with u_N = 0, an ellipse, found by bisection of the angle.  That is not
 * Coulomb's law: slip is opposite to lambda_T + mu^2 lambda_N / G_NN G_NT instead of lambda_T.  The
 * residual is that of this law, and several contacts need not converge: what is put into
 * effect fades from 1 to 0.01 of the local solution (the printed update has the roles of alpha
 * swapped). */
#include <math.h>
#include <string.h>

#include "solve/pgs.h"

/** The impulse at an angle of the ellipse; its radius. */
static double at_angle(const sup_one_contact *q, double angle, double x[3]) {
  double c = cos(angle), s = sin(angle);
  double r = -q->c[2] / (q->A[8] / q->mu + q->A[6] * c + q->A[7] * s);
  x[0] = r * c, x[1] = r * s, x[2] = r / q->mu;
  return r;
}

/** Derivative of the energy along the ellipse. */
static double slope(const sup_one_contact *q, double angle) {
  double x[3], sum = 0;
  at_angle(q, angle, x);
  double        h[3] = {2 * x[0], 2 * x[1], -2 * q->mu * q->mu * x[2]}; /* normal of the cone */
  const double *n = q->A + 6;                                           /* of the plane u_N = 0 */
  double eta[3] = {n[1] * h[2] - n[2] * h[1], n[2] * h[0] - n[0] * h[2], n[0] * h[1] - n[1] * h[0]};
  for (int i = 0; i < 3; i++)
    sum +=
        eta[i] * (q->A[3 * i] * x[0] + q->A[3 * i + 1] * x[1] + q->A[3 * i + 2] * x[2] + q->c[i]);
  return sum;
}

/** Is the point of the ellipse on the side of the cone that faces the sticking impulse? */
static int faces(const sup_one_contact *q, double angle, const double stick[3]) {
  double x[3];
  if (at_angle(q, angle, x) < 0) return 0;
  return x[0] * (stick[0] - x[0]) + x[1] * (stick[1] - x[1]) -
             q->mu * q->mu * x[2] * (stick[2] - x[2]) >=
         0;
}

/** Walk from the angle of the sticking impulse until the slope changes its sign, then bisect. */
static void slide(const sup_one_contact *q, const double stick[3], double x[3]) {
  enum { STEPS = 200, BISECTIONS = 60 };
  double angle = atan2(stick[1], stick[0]), first = slope(q, angle), before = angle;
  double step = first >= 0 ? -.1 : .1;
  for (int k = 0; k < STEPS; k++) {
    before = angle;
    angle += step;
    if (!faces(q, angle, stick)) {
      step *= .5, angle = before;
      continue;
    }
    if (!(slope(q, angle) * first > 0)) break;
    step *= 1.3;
  }
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = .5 * (angle + before);
    if (slope(q, middle) * first > 0)
      before = middle;
    else
      angle = middle;
  }
  at_angle(q, angle, x);
}

/** 1/2 lambda A lambda + c lambda */
static double energy(const sup_one_contact *q, const double x[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    sum += x[i] *
           (q->c[i] + 0.5 * (q->A[3 * i] * x[0] + q->A[3 * i + 1] * x[1] + q->A[3 * i + 2] * x[2]));
  return sum;
}

/** An end of the bracket about `middle`: where the angle has an impulse at all. */
static double bracket(const sup_one_contact *q, double middle, double width) {
  enum { HALVINGS = 50 };
  double x[3];
  for (int k = 0; k < HALVINGS && !(at_angle(q, middle + width, x) > 0); k++) width *= .5;
  return middle + width;
}

/** Beyond mu |G_NT| = G_NN the plane cuts the cone in a hyperbola, whose angles do not go round:
 * the best of many, then bisection. */
static void slide_on_hyperbola(const sup_one_contact *q, double x[3]) {
  enum { ANGLES = 64, BISECTIONS = 60 };
  static const double turn = 6.283185307179586 / ANGLES;
  double              best = 0, least = HUGE_VAL;
  for (int k = 0; k < ANGLES; k++) {
    double e = at_angle(q, k * turn, x) > 0 ? energy(q, x) : HUGE_VAL;
    if (e < least) least = e, best = k * turn;
  }
  double low = bracket(q, best, -turn), high = bracket(q, best, turn), first = slope(q, low);
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = .5 * (low + high);
    if (slope(q, middle) * first > 0)
      low = middle;
    else
      high = middle;
  }
  at_angle(q, .5 * (low + high), x);
}

static void relax(const sup_dual_row *row, double alpha, const double u[3], double lambda[3]) {
  sup_one_contact q = sup_pgs_alone(row, u, lambda);
  double          stick[3], x[3] = {0, 0, 0};
  if (q.c[2] > 0) {
    /* opens */
  } else if (!sup_one_contact_stick(&q, stick)) {
    return; /* nothing moves along the normal */
  } else if (hypot(stick[0], stick[1]) <= q.mu * stick[2]) {
    memcpy(x, stick, sizeof x);
  } else if (!(q.mu > 0)) {
    x[2] = -q.c[2] / q.A[8];
  } else if (q.A[8] > q.mu * hypot(q.A[6], q.A[7])) {
    slide(&q, stick, x);
  } else {
    slide_on_hyperbola(&q, x);
  }
  for (int k = 0; k < 3; k++) lambda[k] = (1 - alpha) * lambda[k] + alpha * x[k];
}

static double fade(double alpha) {
  static const double least = .01, keep = .99;
  return keep * alpha + (1 - keep) * least;
}

static const sup_pgs raisim = {
    .law = SUP_CONE_LAW_RAISIM, .relax = relax, .omega = fade, .cap = 1000, .patience = 50};

SUP_PGS_ROW(raisim);
