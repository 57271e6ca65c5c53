/** Inverse kinematics: joint positions that place a frame of a link.  Layer tree.
 *
 *  Damped least squares (Levenberg-Marquardt) in the space of the frame, within the joints' limits:
 * joints that a step takes to a limit stay there and the others make up for it.  Starts spread
 * evenly over the joints' ranges follow if the first one leads nowhere.  The null space takes
 * redundant arms towards a posture.  Loops that the frame moves are closed by rows of their own,
 * and their joints move, too: the frame goes from the start in short steps, loops closed, until it
 * is at the goal or comes no nearer, then likewise from places that the loops reach on the way to
 * other starts, so that no other assembly of the loops is an answer.  Goals out of reach have the
 * place of the least error, rotations weighed by a quarter of the reach. */
#pragma once

#include "supple/kinematics.h"
#include "tree/tree.h"

/** Closure of a loop: a frame of one link at that of another, or two points at a distance. */
typedef struct sup_ik_closure {
  int             link[2]; /* SUP_NONE: the world */
  sup_frame       X[2];    /* frames in the links */
  sup_ik_rotation rotation;
  double          length; /* of a rod between the origins [m]; 0: they coincide */
} sup_ik_closure;
/** Largest sizes: matrices are on the stack (70 and 200 kB). */
enum { SUP_IK_MAX_CLOSURES = 15, SUP_IK_MAX_COLUMNS = 4096 };

/** Ways in which a joint moves. */
enum {
  SUP_IK_STAYS,
  SUP_IK_MOVES,
  SUP_IK_FOLLOWS, /* with a loop alone */
  SUP_IK_RESTS    /* in one that is closed by others */
};

typedef struct sup_ik_goal {
  int             link;
  sup_frame       X_LF, X_WF; /* the frame in its link; the place that it shall have */
  sup_ik_rotation rotation;
  const char     *may_move; /* [num_links] SUP_IK_STAYS, .. by its joint; NULL: those of one
                               coordinate move, others follow */
  int is_local;             /* 1: from the given start alone */
  int is_free;              /* 1: the frame may be anywhere; loops are closed, all of them if the
                               link is SUP_NONE */
  int num_closures; /* SUP_IK_MAX_CLOSURES at most; (1 + num_closures) nv at most SUP_IK_MAX_COLUMNS
                     */
  const sup_ik_closure *closure;
} sup_ik_goal;

/** Joint positions in place of q, within the limits; joints that follow others included.
 *  @param[in]     base  pose of the base
 *  @param[in,out] q     [nq] start, which is the posture, too; the nearest positions found */
sup_ik_report sup_tree_inverse_kinematics(const sup_tree *tree, const sup_base_motion *base,
                                          const sup_ik_goal *goal, double *q);
/** on [num_links] := 1 of joints, those of leaders alone, that move the goal's frame, 2 of those in
 * loops with it, else 0. */
void sup_tree_find_movers(const sup_tree *tree, const sup_ik_goal *goal, char *on);
/** Place of a frame of a link at q. */
sup_frame sup_tree_frame(const sup_tree *tree, const sup_base_motion *base, const double *q,
                         int link, const sup_frame *X_LF);
