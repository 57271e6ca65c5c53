/** Robots from MJCF files, the format of MuJoCo.  Layer scene.
 *
 *  Read: include, compiler, default (classes, childclass), asset (mesh), worldbody (body, frame,
 * inertial, joint, freejoint, geom), contact (exclude, pair), actuator (motor, position, velocity,
 * general; on joints, or fixed tendons of joints that follow one), equality (connect, weld, joint),
 * keyframe (qpos, ctrl).  Link 0 is the world, whose geoms rest; a body is a link of its name in
 * its own frame.  Of several joints, or of one beside the body's origin, each further one carries a
 * massless link BODY:JOINT.  Positions of joints are those of MuJoCo, its `ref` included.  A geom
 * without contype and conaffinity weighs, but touches nothing unless a pair names it; a pair's
 * friction is that of its bodies.  Meshes are their convex hulls. Drives and constraints go to the
 * context's model.  What else a file says is named once in the log. */
#pragma once

#include "scene/robot/urdf.h"

/** Read a model into *def, which the caller frees with sup_tree_def_free.  Errors as those of
 * sup_urdf_read. */
SUP_NODISCARD sup_status sup_mjcf_read(sup_tree_def *def, const char *path,
                                       const sup_robot_context *context);
