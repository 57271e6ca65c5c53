/** Transition-aware line search: limit of the change of slip velocities in a Newton step (P2 III-A;
 * THEORY 7).  Layer solve. */
#pragma once

/** Cosine of the largest turn of a slip velocity in a step, theta_max = pi/3. */
static const double sup_tals_cosine = 0.5;
/** Share of v_s below which there is no slip, eps_v. */
static const double sup_tals_rest = 1e-2;

/** Share of dv, 0 < alpha <= 1, by which the slip velocity v [2] may change: from rest, or on a
 * line through rest: to half of v_s; on a line through the disc |v| < v_s: to the point nearest to
 * rest; outside of the disc: until v has turned by theta_max.
 *  @param[in] stiction  v_s [m/s], > 0 */
double sup_tals_limit(const double v[2], const double dv[2], double stiction);
