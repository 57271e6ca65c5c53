/** Chambers of a step (THEORY 4.9): pressure and its stiffness in A and p, the cost of line
 * searches, the account.  Layer step.
 *
 *  A chamber adds Pi(V(x)) to the cost of a step.  About the velocities w of a linearisation,
 *
 *      Pi = Pi - dt p g.(v - w) + dt^2/2 (v - w).(s g g^T - p H)(v - w),   g = dV/dx,  s = -dp/dV
 *
 *  with the terms of p in A and p and the row s beside A (chamber_rows.c). */
#pragma once

#include "step/assembly.h"

/** Chambers at the step's start. */
SUP_NODISCARD sup_status sup_chambers_begin(const sup_step_start *s, sup_assembly *assembly);
/** Volumes, pressures and rows at the positions after a step with the block velocities v; NULL: at
 * the start.  Before the bodies are assembled there; sets the positions x of their work. */
void sup_chambers_linearise(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** out [num_vertices x 3] += scale times the forces of pressures on soft body i. */
void sup_chambers_add_forces(const sup_assembly *assembly, int i, double scale, double *out);
/** values, of the body's own pattern, += scale times the stiffness of constant pressures. */
void sup_chambers_add_stiffness(const sup_assembly *assembly, int i, double scale, double *values);
/** Part of the cost at the block velocities v that is not in A and p [J], for line searches.
 * Overwrites v, f and g of the bodies' work. */
double sup_chambers_excess(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** Size of terms that cancel in it [J]. */
double sup_chambers_size(const sup_assembly *assembly);
/** Store the pressures at the vertices of `next`; returns the work of the chambers on their walls
 * since the start [J].  Overwrites g of the bodies' work. */
double sup_chambers_end(const sup_step_start *s, const sup_assembly *assembly, sup_state *next);
