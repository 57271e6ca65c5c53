/** Transition-aware line search: limit of the change of slip velocities in a Newton step (P2 III-A;
 * THEORY 7).  Layer solve. */
#pragma once

/** Share of dv, 0 < alpha <= 1, by which the slip velocity v [2] may change: from rest, or on a
 * line through rest: to half of v_s; on a line through the disc |v| < v_s: to the point nearest to
 * rest; outside of the disc: until v has turned by theta_max.
 *  @param[in] stiction  v_s [m/s], > 0 */
double sup_tals_limit(const double v[2], const double dv[2], double stiction);
