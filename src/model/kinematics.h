/** Poses and velocities of all links at one moment.  Layer model. */
#pragma once

#include "base/memory.h"
#include "model/increment.h"

typedef struct sup_kinematics {
  double           time;  /* of the state */
  sup_base_motion *base;  /* [num_trees] */
  sup_frame       *X_WL;  /* [num_bodies]; soft bodies: identity */
  sup_v3          *w, *v; /* [num_bodies] world axes; v of the link's origin; soft bodies: 0 */
} sup_kinematics;

/** Kinematics at (q, v) of the state at the increment's start t0, with the bases' mean velocity
 * over [t0, t0 + h] and their mean acceleration since [t0 - h, t0]; arrays from the arena. */
SUP_NODISCARD sup_status sup_kinematics_compute(sup_kinematics *kin, const sup_model *model,
                                                const sup_increment *inc, const double *q,
                                                const double *v, sup_arena *arena);
/** Poses and velocities of links at (q, v), with the bases of kin. */
SUP_NODISCARD sup_status sup_kinematics_update(sup_kinematics *kin, const sup_model *model,
                                               const double *q, const double *v, sup_arena *arena);
/** Base motion over the increment at t0 + theta h, for dynamics: pose there, mean velocity of the
 * increment, acceleration between those at t0 and at t0 + h. */
sup_base_motion sup_kinematics_base_within(const sup_model *model, int tree,
                                           const sup_increment *inc);
/** Base motion at the end of the step before the increment: with the mean velocity over the h
 * before, at the start of a run over the h to come. */
sup_base_motion sup_kinematics_base_at_end(const sup_model *model, int tree,
                                           const sup_increment *inc);
/** Views of one tree's poses and velocities. */
static inline sup_tree_kinematics_data sup_kinematics_tree(const sup_kinematics *kin,
                                                           const sup_model *model, int tree) {
  int first = model->tree_body[tree];
  return (sup_tree_kinematics_data){kin->X_WL + first, kin->w + first, kin->v + first};
}
/** True for a moving link whose joint, or that of the link to which it is fixed, lets it turn by
 * more than two turns, as the hub of a wheel. */
bool sup_attachment_on_hub(const sup_model *model, const sup_attachment_link *on);
/** Move attached vertices with their links at X_WL [num_bodies] (THEORY 15.2).
 *  @param[in,out] x  positions of all vertices of the state [m] */
void sup_soft_move_attached(const sup_soft *soft, const sup_frame *X_WL, double *x);
/** Positions x and velocities v [num_vertices of the model x 3] of tied vertices of body i := means
 * of their movers; either may be NULL. */
void sup_soft_move_tied(const sup_model *model, int i, double *x, double *v);
