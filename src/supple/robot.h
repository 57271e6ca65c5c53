/** Definitions of rigid bodies and articulated trees, their drives, springs and loads. */
#pragma once

#include "supple/contact.h"
#include "supple/shape.h"
#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sup_geometry_def {
  sup_shape       shape;
  sup_pose        X_LG;
  sup_contact_def contact;
  int             marker; /* SUP_INITIALISED */
} sup_geometry_def;
#define SUP_DEFAULT_GEOMETRY_DEF                                  \
  {                                                               \
    .marker = SUP_INITIALISED, .X_LG = {{0, 0, 0}, {1, 0, 0, 0}}, \
    .contact = SUP_DEFAULT_CONTACT_DEF                            \
  }

typedef enum sup_joint_type {
  SUP_JOINT_FIXED,
  SUP_JOINT_REVOLUTE, /* URDF revolute and continuous (no limits) */
  SUP_JOINT_PRISMATIC,
  SUP_JOINT_FLOATING,
  SUP_JOINT_TRANSLATION, /* does not turn */
  SUP_JOINT_PLANAR,      /* moves in the plane across the axis and turns about it */
  SUP_JOINT_BALL,        /* turns about every axis */
  SUP_JOINT_SCREW        /* turns about the axis and moves along it by `pitch` a radian */
} sup_joint_type;

/** One link and the joint that carries it.  Joint frame = link frame at q = 0, placed at X_PJ in
 * the parent link. Coordinates: revolute, prismatic, screw (an angle) q, v in R; floating q = (p,
 * quaternion) in R^7, v = (w_B, v_B) body axes in R^6; ball q = quaternion w x y z in R^4, v = w_B
 * in R^3; translation q, v in R^3 along the joint frame's axes; planar q = (a, b, angle), v = q',
 * with the place a e + b f in the plane across the axis, e, f = sup_joint_plane of tree/joint.h.
 * A universal joint is two revolute ones, of a link without mass between. */
typedef struct sup_link_def {
  char           name[SUP_NAME_MAX];
  char           joint_name[SUP_NAME_MAX];
  int            parent; /* index of an earlier link; SUP_NONE: the tree's base */
  sup_joint_type joint;
  sup_pose       X_PJ;
  double         axis[3];           /* unit, in the joint frame */
  double         pitch;             /* of a screw [m/rad] */
  double         lower, upper;      /* limits on q [rad or m]; -INFINITY, INFINITY when absent */
  double         effort_limit;      /* [N m or N], INFINITY when absent */
  double         velocity_limit;    /* [rad/s or m/s] */
  int            limits_velocity;   /* 1: velocity_limit is enforced, of joints of one coordinate */
  double         friction;          /* dry friction of joints of one coordinate [N m or N] */
  double damping, spring, armature; /* implicit damper on each velocity [N m s], spring of joints of
                                       one coordinate [N m], reflected inertia */
  double spring_rest;               /* position in which the spring rests [rad or m] */
  double mass;                      /* [kg] */
  double com[3];                    /* centre of mass in the link frame [m] */
  double inertia[6]; /* about the centre of mass, link axes: xx yy zz xy xz yz [kg m^2] */
  double q0[7],
      v0[6];    /* initial joint position and velocity; a ball has its quaternion in q0[3..6] */
  int    mimic; /* link whose joint this one follows, q = ratio q_mimic + offset; SUP_NONE */
  double mimic_ratio, mimic_offset; /* of joints with one degree of freedom */
  int    num_geometries;
  sup_geometry_def *geometries;
  int               num_visuals; /* shapes that frames show in place of the geometries */
  sup_geometry_def *visuals;     /* meshes may be open */
  int               marker;      /* SUP_INITIALISED */
} sup_link_def;
#define SUP_DEFAULT_LINK_DEF                                                                     \
  {                                                                                              \
    .marker = SUP_INITIALISED, .parent = SUP_NONE, .joint = SUP_JOINT_FIXED,                     \
    .X_PJ = {{0, 0, 0}, {1, 0, 0, 0}}, .axis = {1, 0, 0}, .lower = -HUGE_VAL, .upper = HUGE_VAL, \
    .effort_limit = HUGE_VAL, .velocity_limit = HUGE_VAL, .q0 = {0, 0, 0, 1, 0, 0, 0},           \
    .mimic = SUP_NONE, .mimic_ratio = 1                                                          \
  }

/** An articulated tree.  Its base frame B sits in the world at X_WB, or follows `motion`. */
typedef struct sup_tree_def {
  char name[SUP_NAME_MAX];
  int  is_rigid_body; /* a single body of the `rigid:` section: named BODY, not BODY/LINK */
  int  num_links;
  sup_link_def *links;
  sup_pose      X_WB;
  sup_table motion; /* rows (x, y, z, rx, ry, rz): displacement [m] and rotation vector [rad] from
                       X_WB in world axes; empty: at rest */
  int  num_filters;
  int *filter;       /* [num_filters x 2] pairs of links that never touch each other */
  int  base_touches; /* 1: links that rest touch those, too, that one joint joins to them */
  int  is_measured;  /* 1: contacts with bodies that no unknown moves are computed, too */
  int  marker;       /* SUP_INITIALISED */
} sup_tree_def;
#define SUP_DEFAULT_TREE_DEF                                       \
  {                                                                \
    .marker = SUP_INITIALISED, .X_WB = { {0, 0, 0}, {1, 0, 0, 0} } \
  }

/** Effort of the tree's dynamics that a drive adds to that of its gains (THEORY 11). */
#define SUP_FEEDFORWARD_LIST(X)                                                           \
  X(NONE, none, "the gains alone")                                                        \
  X(GRAVITY, gravity, "holds the weight of links and of the soft bodies that they carry") \
  X(INVERSE_DYNAMICS, inverse_dynamics, "moves them along the targets, too")
typedef enum sup_feedforward {
#define SUP_FEEDFORWARD_ENTRY(NAME, name, meaning) SUP_FEEDFORWARD_##NAME,
  SUP_FEEDFORWARD_LIST(SUP_FEEDFORWARD_ENTRY)
#undef SUP_FEEDFORWARD_ENTRY
      SUP_NUM_FEEDFORWARDS
} sup_feedforward;

/** PD controller with effort limit on one joint: u = clamp(tau - kp (q - target) - kd (v -
 * dtarget/dt), -effort, effort), tau by `feedforward` at the start of the step. */
typedef struct sup_actuator_def {
  char            name[SUP_NAME_MAX];
  char            joint[2 * SUP_NAME_MAX]; /* "ROBOT/JOINT" */
  double          kp, kd, effort;
  sup_table       target; /* width 1 */
  sup_feedforward feedforward;
  int             marker; /* SUP_INITIALISED */
} sup_actuator_def;
#define SUP_DEFAULT_ACTUATOR_DEF \
  { .marker = SUP_INITIALISED, .effort = HUGE_VAL }

/** Linear spring and damper between points of two bodies, or of the world and a body. With
 * d = p_b - p_a in world axes the force on b is -stiffness (d - rest) - damping d', axis by axis.
 */
typedef struct sup_spring_def {
  char   name[SUP_NAME_MAX];
  char   a[2 * SUP_NAME_MAX], b[2 * SUP_NAME_MAX]; /* bodies by name; a may be "world" */
  double point_a[3], point_b[3]; /* in the link's frame, the world for "world", the coordinates of a
                                    soft body's mesh [m] */
  int        has_region_a, has_region_b; /* 1: the end is the mean of a region of a soft body */
  sup_region region_a, region_b;
  double     stiffness[3], damping[3], rest[3]; /* along the world's axes [N/m], [N s/m], [m] */
  int        marker;                            /* SUP_INITIALISED */
} sup_spring_def;
#define SUP_DEFAULT_SPRING_DEF \
  { .marker = SUP_INITIALISED, .a = "world" }

/** Force and torque over time on a link, or force on a soft body, world axes, at a point that moves
 * with it, or spread over a region.  A step takes their means over the step: the impulse does not
 * depend on its length. */
typedef struct sup_load_def {
  char       name[SUP_NAME_MAX];
  char       body[2 * SUP_NAME_MAX];
  double     point[3];   /* in the link's frame, or in the coordinates of a soft body's mesh [m] */
  int        has_region; /* 1: the force is spread over a region of a soft body */
  sup_region region;
  sup_table  force, torque; /* width 3 [N], [N m]; empty: none; no torque on soft bodies */
  int        marker;        /* SUP_INITIALISED */
} sup_load_def;
#define SUP_DEFAULT_LOAD_DEF \
  { .marker = SUP_INITIALISED }

SUP_API sup_geometry_def sup_default_geometry_def(void);
SUP_API sup_actuator_def sup_default_actuator_def(void); /* no gains, no limit of effort */
SUP_API sup_spring_def   sup_default_spring_def(void);   /* from the world, without stiffness */
SUP_API sup_load_def     sup_default_load_def(void);
SUP_API sup_link_def     sup_default_link_def(void);
SUP_API sup_tree_def     sup_default_tree_def(void);

#ifdef __cplusplus
}
#endif
