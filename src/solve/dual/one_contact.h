/** One contact alone: its impulse with fixed impulses of the others.  Layer solve.
 *
 *      u = A lambda + c,    A = G + R of the contact, c its slack without its own impulse
 *
 *  Signorini's law is u_N >= 0, lambda_N >= 0, u_N lambda_N = 0.  A closed contact has u_N = 0;
 * elimination of lambda_N leaves friction alone: u_T = B lambda_T + b with B = A_TT - A_TN
 * A_NT/A_NN and lambda_N =
 * -(c_N + A_NT lambda_T)/A_NN.  Whatever mu is, a solution exists for c_N < 0: the bound mu
 * lambda_N is positive at lambda_T = 0, and a sticking impulse is finite.  This also holds beyond
 * Painleve's point mu |A_NT| = A_NN, where alternating normal and friction sweeps diverge. */
#pragma once

typedef struct sup_one_contact {
  double A[9]; /* symmetric, positive semidefinite, row-major [1/kg] */
  double c[3]; /* [m/s] */
  double mu;
} sup_one_contact;

/** Friction of a closed contact: B and b above. */
typedef struct sup_closed_contact {
  double xx, xy, yy, b[2]; /* B [1/kg], b [m/s] */
  double n0, n[2];         /* lambda_N = n0 - n lambda_T [N s], [-] */
  double trace;            /* of A_TT [1/kg] */
} sup_closed_contact;

/** Set A, mu, and c from the slack u at lambda. */
void sup_one_contact_set(sup_one_contact *q, const double A[9], double mu, const double u[3],
                         const double lambda[3]);
/** Eliminate the normal impulse of a closed contact; returns 0 if nothing moves along the normal.
 */
int sup_one_contact_close(const sup_one_contact *q, sup_closed_contact *out);
/** lambda := impulse in stiction for unlimited friction; returns 0 if nothing moves along the
 * normal. */
int sup_one_contact_stick(const sup_one_contact *q, double lambda[3]);
/** Coulomb's law, friction on the disc.  lambda: start of the search; unchanged if nothing moves
 * along the normal.  Sliding contacts have lambda_T = -(B + rho)^-1 b with |lambda_T| = mu
 * lambda_N, rho = |u_T|/|lambda_T|: mu lambda_N/|lambda_T| - 1 changes its sign between rho = 0
 * (sticking outside of the cone) and a known bound of rho.  The function is linear if B is a
 * multiple of 1 and A_NT = 0. */
void sup_one_contact_coulomb(const sup_one_contact *q, double lambda[3]);
/** The convex relaxation: u_N >= mu |u_T|, friction on the disc, lambda u = 0.  lambda is unchanged
 * if the energy has no lower bound.
 *
 *  lambda is the minimum of 1/2 lambda A lambda + c lambda on the cone.  With lambda_T at its best
 * the energy is convex in lambda_N, with the slope u_N - mu |u_T|; its root is found between
 * bounds, and for each lambda_N lambda_T = -(A_TT + rho)^-1 (c_T + A_TN lambda_N) on the disc. */
void sup_one_contact_relaxed(const sup_one_contact *q, double lambda[3]);
/** Coulomb's law with the square |lambda_x|, |lambda_y| <= mu lambda_N. */
void sup_one_contact_square(const sup_one_contact *q, double lambda[3]);
