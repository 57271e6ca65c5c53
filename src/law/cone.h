/** Distances from Coulomb's friction cone and its dual.  Layer law. */
#pragma once

/** Distance of x = [x_T (2), x_N] from the cone |x_T| <= mu x_N. */
double sup_cone_distance(double mu, const double x[3]);
/** Distance of x from the dual cone mu |x_T| <= x_N. */
double sup_dual_cone_distance(double mu, const double x[3]);
