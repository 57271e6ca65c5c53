/** Inverse kinematics: joint positions that place a frame of a link.  Layer tree.
 *
 *  Damped least squares (Levenberg-Marquardt) in the space of the frame, within the joints' limits:
 * joints that a step takes to a limit stay there and the others make up for it.  Starts spread
 * evenly over the joints' ranges follow if the first one leads nowhere.  The null space takes
 * redundant arms towards a posture. */
#pragma once

#include "supple/kinematics.h"
#include "tree/tree.h"

typedef struct sup_ik_goal {
  int             link;
  sup_frame       X_LF, X_WF; /* the frame in its link; the place that it shall have */
  sup_ik_rotation rotation;
  const char     *may_move; /* [num_links] 1: by its joint; NULL: all joints of one coordinate */
  int             is_local; /* 1: from the given start alone */
} sup_ik_goal;

/** Joint positions in place of q, within the limits; joints that follow others included.
 *  @param[in]     base  pose of the base
 *  @param[in,out] q     [nq] start, which is the posture, too; the nearest positions found */
sup_ik_report sup_tree_inverse_kinematics(const sup_tree *tree, const sup_base_motion *base,
                                          const sup_ik_goal *goal, double *q);
/** Place of a frame of a link at q. */
sup_frame sup_tree_frame(const sup_tree *tree, const sup_base_motion *base, const double *q,
                         int link, const sup_frame *X_LF);
