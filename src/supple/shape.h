/** Poses, tables over time, rigid shapes. */
#pragma once

#include "supple/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Pose of a frame: origin p [m] and unit quaternion q. */
typedef struct sup_pose {
  double p[3];
  double q[4];
} sup_pose;

/** Way from row to row of a table; all but the first have no jump of the slope. */
#define SUP_INTERPOLATION_LIST(X)                                                            \
  X(LINEAR, linear, "straight")                                                              \
  X(MINIMUM_JERK, minimum_jerk, "from rest to rest, with the least jerk: a quintic")         \
  X(TRAPEZOID, trapezoid, "from rest to rest: speeds up, cruises, slows down, a third each") \
  X(CUBIC, cubic, "through the rows without a stop: a cubic, at rest at both ends of the table")
typedef enum sup_interpolation {
#define SUP_INTERPOLATION_ENTRY(NAME, name, meaning) SUP_INTERPOLATION_##NAME,
  SUP_INTERPOLATION_LIST(SUP_INTERPOLATION_ENTRY)
#undef SUP_INTERPOLATION_ENTRY
      SUP_NUM_INTERPOLATIONS
} sup_interpolation;

/** Table over time; width values a row.  Constant before the first and after the last time.  With a
 * period: the first row times sin(2 pi t/period + phase) and the second times its cosine. */
typedef struct sup_table {
  int               num_rows;
  int               width;
  double           *time;          /* [num_rows] strictly increasing [s] */
  double           *value;         /* [num_rows x width] */
  double            period, phase; /* [s], [rad]; period 0: a table */
  sup_interpolation interpolation;
} sup_table;

typedef enum sup_shape_type {
  SUP_SHAPE_HALF_SPACE, /* z <= 0 in its frame */
  SUP_SHAPE_BOX,        /* size = full edge lengths */
  SUP_SHAPE_CYLINDER,   /* size = radius, length along z */
  SUP_SHAPE_SPHERE,     /* size = radius */
  SUP_SHAPE_CAPSULE,    /* size = radius, length of the cylinder part along z */
  SUP_SHAPE_ELLIPSOID,  /* size = half axes along x, y, z */
  SUP_SHAPE_CONVEX,     /* hull */
  SUP_SHAPE_MESH /* hull: a closed triangle surface as it is; offers its surface, a field with
                    `cells`, no depth */
} sup_shape_type;

typedef struct sup_shape {
  sup_shape_type type;
  double         size[3]; /* [m] */
  sup_hull      *hull; /* SUP_SHAPE_CONVEX, MESH: belongs to whoever made the definition; the model
                          copies it */
  sup_mesh *cells; /* SUP_SHAPE_MESH: T4 cells that fill the surface and carry its pressure field;
                      NULL: none. Belongs to whoever made the definition */
} sup_shape;

SUP_API sup_pose sup_pose_identity(void);

#ifdef __cplusplus
}
#endif
