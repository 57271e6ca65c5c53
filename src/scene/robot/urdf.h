/** Robots from URDF files.  Layer scene; the XML is read by xml.h.
 *
 *  Read: robot, link (inertial, collision), joint (fixed, revolute, continuous, prismatic,
 * floating, planar; origin, axis, limit, damping), transmission (drake:rotor_inertia J and
 * drake:gear_ratio r give the armature r^2 J), and drake:collision_filter_group.  A collision is a
 * box, cylinder, sphere, (drake:)capsule, (drake:)ellipsoid, or a mesh
 *  (.obj, .stl, .ply), whose convex hull is the shape.  Of drake:proximity_properties: mu_dynamic,
 * mu_static, hunt_crossley_dissipation, relaxation_time, point_contact_stiffness,
 * mesh_resolution_hint, and hydroelastic_modulus E, which is that of the pressure field with
 * compliant_hydroelastic (hydroelastic_margin: the field's) and gives the stiffness E / H else,
 * with H the depth of the shape's deepest point (THEORY 9.1).  What else a file says is named once
 * in the log. */
#pragma once

#include "base/status.h"
#include "supple/model.h"

/** Read a robot into *def, which the caller frees with sup_tree_def_free.  Links come parents
 * first, depth first in the order of the file's joints; link 0 is the root, welded to the base at
 * the identity pose. E_IO: the file cannot be read.  E_PARSE: "file:line: the value found,
 * the values allowed". */
SUP_NODISCARD sup_status sup_urdf_read(sup_tree_def *def, const char *path,
                                       const char *const *package_paths, int num_package_paths);
/** Context of a file of a robot: defaults of contact, folders of packages. */
typedef struct sup_robot_context {
  sup_contact_def    contact; /* of geometries whose tags are silent */
  const char *const *package_paths;
  int                num_package_paths;
  /** Called with the path of every mesh that is read; may be NULL. */
  sup_status (*on_file)(void *user, const char *path);
  void *user;
  /** Gets drives and constraints that the file describes, called NAME/..; may be NULL. */
  sup_model_def *model;
  const char    *name;
  bool           has_visuals; /* 1: shapes that are seen are read, too */
  const char    *keyframe;    /* of MJCF, where joints start; NULL: none */
  double       **start;       /* := [num_links x 7], as sup_link_def.q0, of the keyframe */
} sup_robot_context;

/** sup_urdf_read with another context than the library's defaults. */
SUP_NODISCARD sup_status sup_urdf_read_with(sup_tree_def *def, const char *path,
                                            const sup_robot_context *context);
