/** Robots from SDF files, the format of Gazebo, versions 1.5 to 1.11.  Layer scene.
 *
 *  Read: one model of a file; link, collision and inertial as in a URDF; joint (fixed, revolute,
 * continuous, prismatic, ball, universal, screw; axis with expressed_in, limit, dynamics, mimic),
 * frame, nested models and include, also with merge; pose with relative_to, degrees,
 * rotation_format; placement_frame, static.  Link 0 is the world where a joint or `static` names
 * it, and links without a joint float in it; else the root link.  A joint beside its link's origin
 * carries a massless link LINK:JOINT, a universal joint another one.  Nested parts are called
 * MODEL::PART.  What else a file says is named once in the log. */
#pragma once

#include "scene/robot/urdf.h"

/** Read a model into *def, which the caller frees with sup_tree_def_free.  Errors as those of
 * sup_urdf_read. */
SUP_NODISCARD sup_status sup_sdf_read(sup_tree_def *def, const char *path,
                                      const sup_robot_context *context);
