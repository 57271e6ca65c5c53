/** Attached vertices move with their link: v_a = J_a v_tree + base motion (THEORY 15.2).  Layer
 * constraint. */
#pragma once

#include "model/kinematics.h"

/** Velocity maps of the attached vertices of one soft body. */
typedef struct sup_attachment {
  int     stride; /* numbers of J a vertex, for the largest of the trees */
  double *J;      /* by attach_slot; of each vertex [3 x nv of its tree] */
  double *base;   /* [num_attached x 3] velocity by the base's motion, and by arcs [m/s] */
} sup_attachment;

/** J_a [3 x nv of its tree] of an attached vertex. */
static inline const double *sup_attachment_jacobian(const sup_attachment *a, const sup_soft *soft,
                                                    int vertex) {
  return a->J + (size_t)soft->attach_slot[vertex] * (size_t)a->stride;
}

/** Velocity maps at positions x of the soft body's vertices; arrays from the arena.
 *  @param[in] tree_v  velocities at which the kinematics were taken, of all trees
 *  @param[in] h  step in which vertices on hubs go on arcs [s]; 0: along their velocities */
SUP_NODISCARD sup_status sup_attachment_compute(sup_attachment *out, const sup_model *model,
                                                const sup_soft *soft, const sup_kinematics *kin,
                                                const double *tree_v, const double *x, double h,
                                                sup_arena *arena);
