/** Cables of a step (THEORY 4.10): tension and its stiffness in A and p, the cost of line searches.
 * Layer step.
 *
 *  A cable adds Pi(L(x)) to the cost of a step, of a length L convex in its points.  About the
 * velocities w of a linearisation,
 *
 *      Pi = Pi + dt T g.(v - w) + dt^2/2 (v - w).(k g g^T + T H)(v - w),   g = dL/dx,  k = dT/dL
 *
 *  with the terms of T in A and p and the row k beside A (column_rows.c).  With friction each way
 * between neighbours is a strand with a tension and a row of its own. */
#pragma once

#include "model/cable.h"
#include "step/column/carried.h"

/** Straight way between points that follow each other where the sheaves between are not touched. */
typedef struct sup_cable_way {
  int            from, to; /* points */
  sup_body_point at[2];    /* that it leaves and where it arrives: tangent points of sheaves */
  sup_carried    ends;
  sup_v3         place;          /* without the motion of the step [m] */
  sup_v3         moved;          /* by the step at the linearisation [m] */
  sup_v3         impulse;        /* of its tension in p [N s] */
  sup_v3         t, t_of_A;      /* direction, and that in A */
  double         length, w_of_A; /* [m], T/l in A [N/m] */
  double         k_of_A;         /* along a rod in A [N/m] */
  double         arc, wrap;      /* beside it [m], about the sheave that it leaves [rad] */
} sup_cable_way;

/** Cable at the linearisation; arrays from the arena. */
struct sup_cable_work {
  sup_cable_law   law;    /* law at the step's end */
  sup_column     *strand; /* [num_strands] */
  double         *rest;   /* [num_strands] unstretched lengths before the step [m] */
  int             num_all, num_ways;
  sup_cable_way  *all;    /* [num_all] possible ways */
  sup_cable_way **way;    /* [num_ways] those of the linearisation, [num_points - 1] at most */
  double          turned; /* wound up in the step at the linearisation [m] */
};

/** Laws and memory from the arena, at the step's start. */
SUP_NODISCARD sup_status sup_cables_begin(const sup_step_start *s, sup_assembly *assembly);
/** Blocks of A that cables give to vertices := 0, before bodies overwrite those of cells. */
void sup_cables_clear(sup_assembly *assembly);
/** Add tensions to A and p, after a step with the block velocities v [num_scalars]; NULL: at the
 * start.  Last of what couples vertices.
 *  @param[in] all_v  velocities of trees at the time of `within` */
void sup_cables_assemble(const sup_step_start *s, sup_assembly *assembly, const double *all_v,
                         const double *v);
/** Rows of taut cables between two points into A, along them. */
void sup_cables_add_rows(const sup_step_start *s, sup_assembly *assembly);
/** Tensions in p after a step with the block velocities v; A stays. */
void sup_cables_renew(const sup_step_start *s, sup_assembly *assembly, const double *v);
/** Force of cable i on the end e of a way at the linearisation [N]. */
sup_v3 sup_cable_pull(const sup_assembly *assembly, int i, const sup_cable_way *way, int e);
/** force [num_vertices of the model x 3] += forces on points of soft bodies in the solution v [N].
 */
void sup_cables_add_forces(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                           double *force);
/** Part of the cost at the block velocities v beside A and p [J], for line searches.
 *  @param[in] X_end  poses of links then; NULL: they move on straight lines */
double sup_cables_excess(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                         const sup_frame *X_end);
/** Size of the terms that cancel in sup_cables_excess [J]. */
double sup_cables_size(const sup_assembly *assembly);
/** Store the tensions of the solution v in `next`; returns the work on soft bodies beyond that of
 * the forces on them [J]. */
double sup_cables_end(const sup_step_start *s, const sup_assembly *assembly, const double *v,
                      sup_state *next);
