/** Linkage: the trees that constraints join with a robot's, as one tree whose loops are closed by
 * rows of inverse kinematics.  Layer model.
 *
 *  Active constraints of links count, but ropes, and rods that are springs; couplers become joints
 * that follow.  Joints with a drive stay in trees other than the robot's unless they are said to
 * move; free bodies that close no loop are left out.  A frame on a free body in a loop, as a delta
 * robot's platform, is one of the robot in that loop. */
#pragma once

#include "model/model.h"
#include "tree/inverse_kinematics.h"

typedef struct sup_linkage {
  int             robot;     /* its tree in the model */
  int             num_links; /* of the robot: the first of the tree, as its positions */
  int             link;      /* of the frame; SUP_NONE: no loop holds it now, all loops close */
  int            *first; /* [num_trees of the model] links in the tree; SUP_NONE: it is not in it */
  sup_tree        tree;
  sup_base_motion base; /* the world */
  double         *q;
  char           *may_move;
  int             num_closures;
  sup_ik_closure  closure[SUP_IK_MAX_CLOSURES];
} sup_linkage;

/** Linkage of the robot that moves a link at the positions of the state; without one, of
 * constraints from time 0 on.
 *  @param[in] robot   its tree; SUP_NONE: it is looked for, of several in a loop the first
 *  @param[in] body    the link of the frame
 *  @param[in] drives  [num_actuators] 1: moves its joint, of any robot; NULL: all joints of one
 *                     coordinate of the robot move
 *  E_ARG: the linkage is too large; a free body in no loop. */
SUP_NODISCARD sup_status sup_linkage_create(sup_linkage *linkage, const sup_model *model,
                                            const sup_state *state, int robot, int body,
                                            const char *drives);
/** Let joints with a drive move in all trees. */
void sup_linkage_move_drives(sup_linkage *linkage);
void sup_linkage_free(sup_linkage *linkage);
/** Positions of the robot's joints, or of all, in place of q [nq], and of the other trees' in the
 * linkage, which place the goal's frame. */
sup_ik_report sup_linkage_inverse_kinematics(sup_linkage *linkage, sup_ik_goal goal, int nq,
                                             double *q);
/** Close the loops of the frame with the drives at q, on the way there from the positions of the
 * linkage. */
void sup_linkage_close(sup_linkage *linkage, int nq, double *q);
/** Place of a frame of its link at the positions of the linkage. */
sup_frame sup_linkage_frame(const sup_linkage *linkage, const sup_frame *X_LF);
/** Pose of the base at the state's time. */
sup_frame sup_linkage_base(const sup_model *model, const sup_state *state, int tree);
