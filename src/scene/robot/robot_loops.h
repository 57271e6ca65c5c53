/** Loops that a robot's file closes at its own start, and a scene's `joints` may open.  Layer
 * scene. */
#pragma once

#include "scene/file/node.h"
#include "supple/model.h"
#include "tree/spatial.h"

/** Start of the file: joint positions, and frames of the ends of the robot's constraints. */
typedef struct sup_robot_loops {
  const sup_model_def *model;
  int                  first, num; /* constraints of the robot in the model */
  double              *q0;         /* [num_links x 7] */
  sup_frame           *X_AB;       /* [num] */
} sup_robot_loops;

SUP_NODISCARD sup_status sup_robot_find_loops(sup_robot_loops *loops, const sup_model_def *model,
                                              int first, const sup_tree_def *tree);
/** Joints start at other positions [num_links x 7]; loops are those of the file's. */
void sup_robot_start_at(sup_robot_loops *loops, const double *start, sup_tree_def *tree);
void sup_robot_loops_free(sup_robot_loops *loops);
/** Move joints of loops that `joints` does not name until the loops close as in the file.  E_ARG:
 * they do not, or there is no loop. */
SUP_NODISCARD sup_status sup_robot_close_loops(const sup_robot_loops *loops, const sup_node *joints,
                                               sup_tree_def *tree);
/** Warn of the loop with the largest gap past its frame of the file. */
void sup_robot_warn_of_loops(const sup_robot_loops *loops, const sup_tree_def *tree,
                             sup_source_position joints);
