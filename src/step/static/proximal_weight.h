/** Proximal weights of load steps (THEORY 18.4, Levenberg-Marquardt), as functions of the last one.
 * Private to layer step. */
#pragma once

#include "fem/body.h"

/** Least weight: 0 if no body moves rigidly. */
double sup_proximal_least(int is_held);
/** Weight of the first iteration: larger for bodies held by contact alone. */
double sup_proximal_first(int is_held);
/** Weight after a step that was taken. */
double sup_proximal_lower(double weight, int is_held);
/** Weight after a step that was refused. */
double sup_proximal_raise(double weight);
/** True if a step that is refused with this weight ends the load step. */
int sup_proximal_is_last(double weight);
/** Shift of A's diagonal over its size, after a saddle: first one to try, from the last one in
 * force; the next one; and the one that is none any more. */
double sup_proximal_shift_first(double last);
double sup_proximal_shift_next(double shift);
int    sup_proximal_shift_is_last(double shift);
/** Factor of M in A of a soft body: weight h^2 E/(density size^2), with the size of a cell. */
double sup_proximal_inertia(double weight, double h, const sup_fem_body *fem);
