/** Loops that a robot's file closes at its own start, and a scene's `joints` may open.  Layer
 * scene. */
#pragma once

#include "scene/file/node.h"
#include "supple/model.h"
#include "tree/spatial.h"

/** Frames X_AB [num_constraints - first] of the ends of a robot's constraints at its start. */
void sup_robot_find_loops(const sup_model_def *model, int first, const sup_tree_def *tree,
                          sup_frame *X_AB);
/** Warn of the loop with the largest gap past its frame X_AB of the file. */
void sup_robot_warn_of_loops(const sup_model_def *model, int first, const sup_frame *before,
                             const sup_frame *now, sup_source_position joints);
