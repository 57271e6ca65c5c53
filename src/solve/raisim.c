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

/** A contact alone. */
typedef struct local {
  double A[9], c[3], mu;
} local;

/** x := A^-1 b by cofactors; 0 when A is singular. */
static int solve_small(const double A[9], const double b[3], double x[3]) {
  double C[9], det;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, e = (i + 2) % 3, f = (j + 1) % 3, g = (j + 2) % 3;
      C[3 * i + j] = A[3 * a + f] * A[3 * e + g] - A[3 * a + g] * A[3 * e + f];
    }
  det = A[0] * C[0] + A[1] * C[1] + A[2] * C[2];
  if (!(det > 0)) return 0;
  for (int i = 0; i < 3; i++) x[i] = (C[i] * b[0] + C[3 + i] * b[1] + C[6 + i] * b[2]) / det;
  return 1;
}

/** The impulse at an angle of the ellipse; its radius. */
static double at_angle(const local *q, double angle, double x[3]) {
  double c = cos(angle), s = sin(angle);
  double r = -q->c[2] / (q->A[8] / q->mu + q->A[6] * c + q->A[7] * s);
  x[0] = r * c, x[1] = r * s, x[2] = r / q->mu;
  return r;
}

/** Derivative of the energy along the ellipse. */
static double slope(const local *q, double angle) {
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
static int faces(const local *q, double angle, const double stick[3]) {
  double x[3];
  if (at_angle(q, angle, x) < 0) return 0;
  return x[0] * (stick[0] - x[0]) + x[1] * (stick[1] - x[1]) -
             q->mu * q->mu * x[2] * (stick[2] - x[2]) >=
         0;
}

/** Walk from the angle of the sticking impulse until the slope changes its sign, then bisect. */
static void slide(const local *q, const double stick[3], double x[3]) {
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

static void relax(const sup_dual_row *row, double alpha, const double u[3], double lambda[3]) {
  local  q = {.mu = row->mu};
  double stick[3], x[3] = {0, 0, 0}, b[3];
  memcpy(q.A, row->G, sizeof q.A);
  for (int i = 0; i < 3; i++) q.A[4 * i] += row->R[i];
  for (int i = 0; i < 3; i++) {
    q.c[i] = u[i];
    for (int j = 0; j < 3; j++) q.c[i] -= q.A[3 * i + j] * lambda[j];
    b[i] = -q.c[i];
  }
  int regular = solve_small(q.A, b, stick);
  if (q.c[2] > 0) {
    /* opens */
  } else if (regular && hypot(stick[0], stick[1]) <= q.mu * stick[2]) {
    memcpy(x, stick, sizeof x);
  } else if (!(q.mu > 0)) {
    x[2] = q.A[8] > 0 ? -q.c[2] / q.A[8] : 0;
  } else if (regular && q.A[8] > q.mu * hypot(q.A[6], q.A[7])) {
    slide(&q, stick, x);
  } else { /* no ellipse, or none that is bounded: the convex relaxation's step */
    for (int k = 0; k < 3; k++) x[k] = lambda[k] - u[k] / row->largest;
    sup_cone_project(q.mu, x);
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
