/** Articulated rigid trees: kinematics, RNEA, CRBA, Jacobians, integration.  Layer tree: no
 * FEM, no contact.
 *
 *  Links are ordered parents first.  Spatial vectors are [w; v] and [n; f] in link axes
 * (THEORY 3.1).  The base frame B may be at rest or follow a prescribed motion.  A floating joint
 * has q = (p, quaternion w x y z), v = (w in link axes, v_o in world axes, in those of the joint
 * frame where its parent moves). */
#pragma once

#include "base/status.h"
#include "base/vec.h"
#include "supple/robot.h"

/** Largest sizes: a tree is one dense block of A (8 MB), and arrays of a step are on the stack (500
 * kB). */
enum { SUP_TREE_MAX_LINKS = 1024, SUP_TREE_MAX_NV = 1024 };

typedef struct sup_tree sup_tree;

typedef struct sup_tree_link {
  char           name[SUP_NAME_MAX], joint_name[SUP_NAME_MAX];
  int            parent; /* SUP_NONE: the base */
  sup_joint_type joint;
  sup_frame      X_PJ; /* joint frame in the parent link */
  sup_v3         axis;
  double         pitch;            /* of a screw [m/rad] */
  int            q_start, v_start; /* into the tree's q and v */
  int            v_end; /* end of the velocities of the links that it carries, itself included */
  int            nq, nv;
  double         lower, upper, effort_limit, damping, spring, spring_rest, armature, friction;
  double         velocity_limit; /* that is enforced; INFINITY: none */
  double         rated_velocity; /* the limit, enforced or not; INFINITY: none */
  int            mimic; /* link whose joint it follows: q = ratio q_mimic + offset; SUP_NONE */
  double         mimic_ratio, mimic_offset;
  double         mass;
  sup_v3         com;
  sup_m3         inertia; /* about the centre of mass, link axes */
  bool           rests;   /* 1: nothing moves the joint frame, or turns a planar joint's */
  sup_m3         R_WJ;    /* axes of a joint frame at rest in the world; of others the identity */
} sup_tree_link;

/** Stretch of the spring of a joint of one coordinate; q is the tree's. */
static inline double sup_joint_stretch(const sup_tree_link *link, const double *q) {
  return q[link->q_start] - link->spring_rest;
}
/** Energy of the joint's spring [J]. */
static inline double sup_joint_spring_energy(const sup_tree_link *link, const double *q) {
  double stretch = link->nv == 1 ? sup_joint_stretch(link, q) : 0;
  return 0.5 * link->spring * stretch * stretch;
}

struct sup_tree {
  char           name[SUP_NAME_MAX];
  int            num_links, nq, nv;
  sup_tree_link *links;
  sup_frame      X_WB0;  /* base pose without motion */
  sup_table      motion; /* own copy */
};

/** Create a tree; the definition is copied.  E_ARG names the link: too many links, bad parent
 * order, doubled names, zero axis, numbers that are not finite, negative mass, an inertia that is
 * not positive semidefinite or grossly breaks the triangle inequality for a link that can move (a
 * slight break is a warning in the log), a joint that moves no inertia. */
SUP_NODISCARD sup_status sup_tree_create(sup_tree **tree, const sup_tree_def *def);
void                     sup_tree_destroy(sup_tree **tree);
/** Free the links, their geometries and the motion table of a definition.  The definition is empty
 * afterwards. */
void sup_tree_def_free(sup_tree_def *def);
/** 1: a joint between the link and the base is not fixed. */
int sup_tree_def_moves(const sup_tree_def *def, int link);
/** Positions of a joint in q [nq] of its tree := those of its definition, and back. */
void sup_joint_start(const sup_tree_link *link, const double *q0, double *q);
void sup_joint_store(const sup_tree_link *link, const double *q, double *q0);
/** Initial q [nq] and v [nv] of the definition. */
void sup_tree_initial(const sup_tree_def *def, const sup_tree *tree, double *q, double *v);

/** Motion of the base in world axes: pose, velocity of its origin and angular velocity, and their
 * rates. */
typedef struct sup_base_motion {
  sup_frame X_WB;
  sup_v3    w, v;       /* [rad/s], [m/s] */
  sup_v3    wdot, vdot; /* [rad/s^2], [m/s^2] */
} sup_base_motion;

/** Base motion over the step that ends at time t + dt: pose at t, mean velocity of the step, so
 * that the pose at t + dt is met exactly: p(t+dt) = p(t) + dt v, R(t+dt) = exp([w] dt) R(t).
 * Accelerations are zero, the kinks of a table are impulses; dt = 0 gives the pose at rest.  A row
 * (x, y, z, rx, ry, rz) of the table places the base at p_0 + (x, y, z), turned by exp([r]) R_0,
 * both in world axes. */
sup_base_motion sup_tree_base_motion(const sup_tree *tree, double t, double dt);
/** Motion of the base along the table `motion` instead of the tree's own. */
sup_base_motion sup_tree_base_motion_along(const sup_tree *tree, const sup_table *motion, double t,
                                           double dt);

/** Pose and velocity of every link, filled by sup_tree_kinematics; arrays from the caller (arena).
 */
typedef struct sup_tree_kinematics_data {
  sup_frame *X_WL; /* [num_links] */
  sup_v3    *w;    /* [num_links] angular velocity, world axes [rad/s] */
  sup_v3    *v;    /* [num_links] velocity of the link's origin, world axes [m/s] */
} sup_tree_kinematics_data;

void sup_tree_kinematics(const sup_tree *tree, const sup_base_motion *base, const double *q,
                         const double *v, sup_tree_kinematics_data *out);
/** First of the four coordinates of the joint's rotation in its q; SUP_NONE: they are none. */
static inline int sup_joint_quaternion(const sup_tree_link *link) {
  return link->joint == SUP_JOINT_FLOATING ? 3 : link->joint == SUP_JOINT_BALL ? 0 : SUP_NONE;
}
/** q [4] turned by the rotation vector r in its own axes, of length 1. */
static inline void sup_joint_turn(double *q, sup_v3 r) {
  sup_quat now = {q[0], q[1], q[2], q[3]};
  now = sup_quat_unit(sup_quat_mul(now, sup_quat_exp(r)));
  q[0] = now.w, q[1] = now.x, q[2] = now.y, q[3] = now.z;
}
/** 1: the joint has one coordinate: limits, drives, couplers and winches act on it. */
static inline bool sup_joint_is_single(sup_joint_type joint) {
  return joint == SUP_JOINT_REVOLUTE || joint == SUP_JOINT_PRISMATIC || joint == SUP_JOINT_SCREW;
}
/** 1: velocity k of the link's joint is angular [rad/s]. */
int sup_joint_turns(const sup_tree_link *link, int k);
/** Jacobian of the velocity of the world point p fixed to a link: J [3 x nv] row-major; base motion
 * excluded. */
void sup_tree_point_jacobian(const sup_tree *tree, const sup_tree_kinematics_data *kin, int link,
                             sup_v3 p, double *J);
/** Angular velocity Jacobian of a link, world axes: J [3 x nv] row-major. */
void sup_tree_angular_jacobian(const sup_tree *tree, const sup_tree_kinematics_data *kin, int link,
                               double *J);
/** Velocity of the world point p fixed to a link, base motion included. */
sup_v3 sup_tree_point_velocity(const sup_tree_kinematics_data *kin, int link, sup_v3 p);

/** Wrench on a link in world axes, moment about the link's origin. */
typedef struct sup_wrench {
  sup_v3 force, moment; /* [N], [N m] */
} sup_wrench;

/** tau = M vdot + bias - J^T external (RNEA), armature in M; no joint damping or springs.  vdot
 * NULL: zero; external [num_links] NULL: none. */
void sup_tree_inverse_dynamics(const sup_tree *tree, const sup_base_motion *base, const double *q,
                               const double *v, const double *vdot, sup_v3 gravity,
                               const sup_wrench *external, double *tau);
/** Replace in bias [nv] the gyroscopic moment w x I w of every floating link without children by
 * that of the linearly implicit midpoint rule for a step dt: I D w = -dt w x I w becomes (I + dt/2
 * B) D w = -dt w x I w with the derivative B = [w] I - [I w].  A tumbling free body then keeps its
 * energy to O(dt^2); the explicit moment feeds it at O(dt). Steps that turn by much more than a
 * radian keep the explicit moment. */
void sup_tree_implicit_gyroscopic(const sup_tree *tree, const double *v, double dt, double *bias);
/** After a step of symplectic Euler with that moment: positions q and velocities v of floating
 * links without children or rotors such that linear and angular momentum have changed by the
 * impulses of the step alone, to round-off.
 *  @param[in] q0, v0    of the step's start
 *  @param[in,out] q, v  of its end, v the solution in the axes of its start; both change by
 * O(dt^2): v_1 = M(q_1)^-1 p with the momentum p, and the link turns with the velocity of half the
 * step (second order when nothing acts on it) */
void sup_tree_restore_momentum(const sup_tree *tree, const double *q0, const double *v0, double dt,
                               double *q, double *v);
/** M [nv x nv] row-major, symmetric, armature included (CRBA). */
void sup_tree_mass_matrix(const sup_tree *tree, const double *q, double *M);
/** q := q (+) dt N(q) v; quaternions by the exponential map, renormalised (THEORY 3.3). */
void sup_tree_integrate(const sup_tree *tree, double *q, const double *v, double dt);
/** Kinetic [J], rotors of the armature included, and potential energy [J]: gravity from the world's
 * origin, joint springs. */
void sup_tree_energy(const sup_tree *tree, const sup_tree_kinematics_data *kin, const double *q,
                     const double *v, sup_v3 gravity, double *kinetic, double *potential);
