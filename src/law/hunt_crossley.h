/** Hunt-Crossley normal law as a convex cost of the normal velocity.  Layer law: point functions, nothing else.
 *
 *  n(v) = dt (f0 - dt k v)+ (1 - d v)+ with the elastic force f0 = -k phi0 at the step's start; THEORY 6.3 (P0 VI).
 * Both factors are clipped separately; the cost is normalised to 0 out of contact. */
#pragma once

typedef struct sup_hunt_crossley {
  double dt; /* [s] */
  double k;  /* stiffness [N/m], >= 0 */
  double f0; /* elastic force at the step's start, negative when apart [N] */
  double d;  /* dissipation [s/m], >= 0 */
} sup_hunt_crossley;

/** Cost [J], impulse n = -cost' [N s] and slope n' <= 0 [kg] at normal velocity v [m/s]. */
void sup_hunt_crossley_evaluate(const sup_hunt_crossley *law, double v, double *cost, double *n, double *slope);
/** Impulse dt (f0)+ (1 - d v)+ of the step's start: gn0 of THEORY 6.4 with v the normal velocity at that time. */
double sup_hunt_crossley_lagged(const sup_hunt_crossley *law, double v);
