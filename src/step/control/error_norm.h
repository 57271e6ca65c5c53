/** Errors of states relative to the length and time T_c of an accuracy (THEORY 17.2).  Layer step.
 * The error is the largest component: positions over the length or one radian, velocities times T_c
 * over the length or one radian.  NaN is larger than all numbers. */
#pragma once

#include "step/layout.h"

/** *e := |a - b| over the joints and free vertices of two states; workspace from the arena. */
SUP_NODISCARD sup_status sup_error_of_states(const sup_step_layout *layout, const sup_state *a,
                                             const sup_state *b, sup_arena *arena, double *e);
/** Largest of |x|/length and |v| T_c/length over the components of all vertices [num_vertices x 3]
 * that are free. */
double sup_error_of_vertices(const sup_step_layout *layout, const double *x, const double *v);
/** Error by a velocity v, the k-th of a joint. */
double sup_error_of_joint_velocity(const sup_step_layout *layout, const sup_tree_link *link, int k,
                                   double v);
/** Error by velocities [nv] of one tree's joints, the largest. */
double sup_error_of_joint_velocities(const sup_step_layout *layout, int tree, const double *v);
/** Rotation vector from one orientation to another [4], in the axes of the first [rad]. */
sup_v3 sup_error_rotation(const double *from, const double *to);
