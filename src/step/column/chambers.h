/** Chambers of a step (THEORY 4.9): pressure and its stiffness in A and p, the cost of line
 * searches, the account.  Layer step.
 *
 *  A chamber adds Pi(V(x)) to the cost of a step.  About the velocities w of a linearisation,
 *
 *      Pi = Pi - dt p g.(v - w) + dt^2/2 (v - w).(s g g^T - p H)(v - w),   g = dV/dx,  s = -dp/dV
 *
 *  with the terms of p in A and p and the row s beside A (column_rows.c). */
#pragma once

#include "step/assembly.h"

/** Laws of the fills, and memory from the arena, at the step's start. */
SUP_NODISCARD sup_status sup_chambers_begin(const sup_step_start *s, sup_assembly *assembly);
/** Volumes, pressures and rows after a step with the block velocities v [num_scalars]; NULL: at the
 * start.  Before the assembly of bodies there; sets x of their work. */
void sup_chambers_linearise(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** out [num_vertices x 3] += scale times the forces of pressures on soft body i [N]. */
void sup_chambers_add_forces(const sup_assembly *assembly, int i, double scale, double *out);
/** values, of the body's own pattern, += scale times the stiffness of constant pressures [N/m]. */
void sup_chambers_add_stiffness(const sup_assembly *assembly, int i, double scale, double *values);
/** Part of the cost at the block velocities v [num_scalars] beside A and p [J], for line searches.
 * Overwrites v, f and g of the bodies' work. */
double sup_chambers_excess(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** Size of the terms that cancel in sup_chambers_excess [J]. */
double sup_chambers_size(const sup_assembly *assembly);
/** Store the pressures at the vertices of `next`; returns the work of the chambers on their walls
 * since the start [J].  Overwrites g of the bodies' work.
 *  @param[out] inflow  sup_step_report.gas_inflow */
double sup_chambers_end(const sup_step_start *s, const sup_assembly *assembly, sup_state *next,
                        double *inflow);
