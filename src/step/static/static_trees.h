/** Trees in a load step: gravity, springs and loads on links at the last iterate, their geometric
 * stiffness, and their energy on the path to the next iterate.  Private to layer step. */
#pragma once

#include "step/assembly.h"

/** One tree about sup_static_trees.q. */
typedef struct sup_static_tree {
  double *K;         /* [nv x nv] geometric stiffness of gravity, springs and loads on it */
  double  pull;      /* proximal weight, over its forces per size of the bodies [-] */
  double  bend;      /* factor of K in A: h^2 or 0 */
  int     raises;    /* of the proximal weight that made A positive definite */
  double  first;     /* size of the forces at the load step's start [N or N m] .. */
  double  round_off; /* .. and to which they are known */
} sup_static_tree;

/** All trees; arrays from the arena of the load step, but K from that of the iteration. */
typedef struct sup_static_trees {
  const sup_step_start *start;    /* with the kinematics at q */
  sup_assembly         *assembly; /* cables */
  const sup_kinematics *end;      /* at the end of the load step, after the last iterate */
  int                   is_start; /* q is that of the load step's start */
  double                size;     /* of the bodies [m] */
  sup_static_tree      *tree;     /* [num_trees] */
  double               *mass;     /* [num_v] diagonal of their inertia */
  double *force;    /* [num_v] size of gravity, springs and loads in each joint, as if all pulled
                       together */
  double    *held;  /* [num_scalars] proximal weights on A's diagonal; 0 of soft bodies */
  double    *least; /* [num_scalars] stiffness of forces per size of the bodies; 0 of soft bodies */
  double    *q, *v; /* [num_q], [num_v] about which A and p are linear */
  sup_frame *X_start, *X_end; /* [num_bodies] workspace of the energy */
  sup_v3    *w, *w_linear;    /* [num_bodies] workspace */
} sup_static_trees;

/** Trees at the start of a load step; start, end and size are set.
 *  @param[in] pull  of each tree */
SUP_NODISCARD sup_status sup_static_trees_begin(sup_static_trees *trees, double pull);
/** Gravity and joint springs into A and p at the positions and velocities of `at`. */
SUP_NODISCARD sup_status sup_static_trees_add(const sup_static_trees *trees, const sup_state *at,
                                              sup_assembly *assembly);
/** Geometric stiffness and proximal terms about `at` into A and p, as the last of each tree, until
 * its A is positive definite by the least weight tried.
 *  @param[in] weight   proximal weight to begin with [-]
 *  @param[in] bend     sup_static_tree.bend
 *  @param[in] is_start  `at` is the load step's start */
SUP_NODISCARD sup_status sup_static_trees_add_weights(sup_static_trees *trees, const sup_state *at,
                                                      double weight, double bend, int is_start,
                                                      sup_assembly *assembly);
/** Size of the forces on tree t, at least their round-off over the tolerance [N or N m]. */
double sup_static_trees_force(const sup_static_trees *trees, int t, double tolerance);
/** Positions and velocities of all trees in `next` after the block velocities v. */
void sup_static_trees_move(const sup_static_trees *trees, const double *v, sup_state *next);
/** Poses of links at the block velocities v: X_end; and their linearisation in A and p: X_start, w,
 * w_linear. */
void sup_static_trees_place(const sup_static_trees *trees, const double *v);
/** sup_true_cost.excess, user: sup_static_trees.  Energy of gravity, springs and loads on links at
 * the block velocities v less the part in A and p, up to a constant [J].  Torques of loads have no
 * energy and count as A and p see them. */
double sup_static_trees_excess(const void *trees, const double *v);
