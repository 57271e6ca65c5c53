/** Proximal weights of load steps (THEORY 18.4, Levenberg-Marquardt), as functions of the last one.
 * Private to layer step. */
#pragma once

/** Least weight of trees; largest weight, beyond which a refused step ends the load step [-]. */
static const double sup_proximal_least_tree = 1e-9, sup_proximal_largest = 1;

/** Least weight: 0 if no body moves rigidly. */
double sup_proximal_least(int is_held);
/** Weight of the first iteration: larger for bodies held by contact alone. */
double sup_proximal_first(int is_held);
/** Weight after a step that was taken. */
double sup_proximal_lower(double weight, int is_held);
/** Weight after a step that was refused. */
double sup_proximal_raise(double weight);
