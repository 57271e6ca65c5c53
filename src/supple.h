/** Supple: soft bodies and articulated robots in contact.  The public header: status, definitions,
 * handles, reports.
 *
 *  A program fills definitions (or loads them from a scene file), creates a constant sup_model from
 * them, and steps a sup_state with a sup_stepper.  SI units and radians everywhere.  Quaternions
 * are unit, order (w, x, y, z).  World frame W, link frame L, geometry frame G; X_WL is the pose of
 * L in W; p_WL its origin.
 *
 *  Life cycle: sup_<x>_create(&out, ...) copies what it needs; sup_<x>_destroy(&x) accepts NULL and
 * sets NULL. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SUP_API __attribute__((visibility("default")))
#define SUP_NODISCARD __attribute__((warn_unused_result))

enum { SUP_NONE = -1, SUP_NAME_MAX = 64 };

/* ---- status ---------------------------------------------------------------------------------- */

#define SUP_STATUS_LIST(X)                                          \
  X(OK, "no error")                                                 \
  X(E_ARG, "an argument is out of its range")                       \
  X(E_MEMORY, "out of memory")                                      \
  X(E_IO, "a file could not be read or written")                    \
  X(E_PARSE, "an input file says something that is not understood") \
  X(E_GEOMETRY, "a mesh or shape is not usable")                    \
  X(E_NOT_SPD, "a matrix that must be positive definite is not")    \
  X(E_NOT_CONVERGED, "the solver did not reach its tolerance")      \
  X(E_NONFINITE, "a number is NaN or infinite")                     \
  X(E_EXTERNAL, "an external library failed")                       \
  X(E_INTERRUPTED, "interrupted by the user")

typedef enum sup_status {
#define SUP_STATUS_ENTRY(name, text) SUP_##name,
  SUP_STATUS_LIST(SUP_STATUS_ENTRY)
#undef SUP_STATUS_ENTRY
} sup_status;

/** Short text of a status code. */
SUP_API const char *sup_status_text(sup_status status);
/** Message of the last failure in this thread: what was found and what would be right.  Valid until
 * the next failure.
 */
SUP_API const char *sup_error_message(void);
/** Call chain of the last failure, one "#0 function at file:line" a line. */
SUP_API const char *sup_error_trace(void);

/* ---- meshes ---------------------------------------------------------------------------------- */

/** Cell types.  T4: linear tetrahedron.  H8: trilinear hexahedron.  T10: quadratic tetrahedron (VTK
 * vertex order). */
typedef enum sup_cell_type { SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10 } sup_cell_type;

typedef struct sup_mesh sup_mesh; /* volume mesh, mesh/mesh.h */

/* ---- definitions: what a model is made of ---------------------------------------------------- */

/** Pose of a frame: origin p [m] and unit quaternion q. */
typedef struct sup_pose {
  double p[3];
  double q[4];
} sup_pose;

/** Piecewise linear table over time; width values a row.  Constant before the first and after the
 * last time.  With a period: the first row times sin(2 pi t/period + phase). */
typedef struct sup_table {
  int     num_rows;
  int     width;
  double *time;          /* [num_rows] strictly increasing [s] */
  double *value;         /* [num_rows x width] */
  double  period, phase; /* [s], [rad]; period 0: a table */
} sup_table;

/** Material models, THEORY 4.2; the names are those of scenes.  The first two are linear in a step:
 * small strains without rotation, and with the rotation of the step's start ("linear corotated").
 * The others are solved to the end of the step by Newton's method. */
#define SUP_MATERIAL_LIST(X)                        \
  X(LINEAR, linear)                                 \
  X(LINEAR_COROTATIONAL, linear_corotational)       \
  X(COROTATIONAL, corotational)                     \
  X(FIXED_COROTATIONAL, fixed_corotational)         \
  X(SAINT_VENANT_KIRCHHOFF, saint_venant_kirchhoff) \
  X(NEO_HOOKEAN, neo_hookean)                       \
  X(STABLE_NEO_HOOKEAN, stable_neo_hookean)
typedef enum sup_material_model {
#define SUP_MATERIAL_ENTRY(NAME, name) SUP_MATERIAL_##NAME,
  SUP_MATERIAL_LIST(SUP_MATERIAL_ENTRY)
#undef SUP_MATERIAL_ENTRY
      SUP_NUM_MATERIALS
} sup_material_model;

typedef struct sup_material_def {
  char               name[SUP_NAME_MAX];
  sup_material_model model;
  double             youngs_modulus;    /* E [Pa] */
  double             poissons_ratio;    /* nu [-], -1 < nu < 0.5 */
  double             density;           /* rho [kg/m^3] */
  double             mass_damping;      /* alpha of D = alpha M + beta K [1/s] */
  double             stiffness_damping; /* beta [s] */
} sup_material_def;

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

/** A polyhedron: the convex hull of given points, made by sup_hull_create, or a closed surface as
 * it is, made by sup_polyhedron_create; triangles are outward. */
typedef struct sup_hull {
  int     num_points;
  double *point; /* [num_points x 3] the corners [m] */
  int     num_triangles;
  int    *triangle; /* [num_triangles x 3] */
  double *normal;   /* [num_triangles x 3] unit, outward; right for slivers, too */
} sup_hull;

typedef struct sup_shape {
  sup_shape_type type;
  double         size[3]; /* [m] */
  sup_hull      *hull; /* SUP_SHAPE_CONVEX, MESH: belongs to whoever made the definition; the model
                          copies it */
  sup_mesh *cells; /* SUP_SHAPE_MESH: T4 cells that fill the surface and carry its pressure field;
                      NULL: none. Belongs to whoever made the definition */
} sup_shape;

/** Friction models, THEORY 6.2, 6.4, 6.5; the names are those of scenes.  The regularised ones: eps
 * = max(v_s, sigma w mu gn0), P0 eq. 26, with the normal impulse gn0 of the step's start.  SAP has
 * its own normal law, a spring with relaxation time. COUPLED: Lagged with the normal impulse of the
 * same step, THEORY_2 16; no convex problem.
 */
#define SUP_CONTACT_MODEL_LIST(X)             \
  X(LAGGED, lagged)                           \
  X(LAGGED_REGULARIZED, lagged_regularized)   \
  X(SIMILAR, similar)                         \
  X(SIMILAR_REGULARIZED, similar_regularized) \
  X(SAP, sap)                                 \
  X(COUPLED, coupled)
typedef enum sup_contact_model {
#define SUP_CONTACT_MODEL_ENTRY(NAME, name) SUP_MODEL_##NAME,
  SUP_CONTACT_MODEL_LIST(SUP_CONTACT_MODEL_ENTRY)
#undef SUP_CONTACT_MODEL_ENTRY
      SUP_NUM_CONTACT_MODELS
} sup_contact_model;

/** Does friction see the normal law shifted by slip, THEORY 6.5? */
static inline int sup_contact_model_is_similar(sup_contact_model model) {
  return model == SUP_MODEL_SIMILAR || model == SUP_MODEL_SIMILAR_REGULARIZED;
}
/** Does eps follow the impulse of the step's start, P0 eq. 26? */
static inline int sup_contact_model_is_regularized(sup_contact_model model) {
  return model == SUP_MODEL_LAGGED_REGULARIZED || model == SUP_MODEL_SIMILAR_REGULARIZED;
}

/** How friction grows with slip up to its bound: f of s = |v_t|/v_s (law/friction_softening.h). */
#define SUP_FRICTION_SOFTENING_LIST(X) \
  X(SOFT_NORM, soft_norm)              \
  X(LINEAR, linear)                    \
  X(QUADRATIC, quadratic)
typedef enum sup_friction_softening {
#define SUP_FRICTION_SOFTENING_ENTRY(NAME, name) SUP_FRICTION_SOFTENING_##NAME,
  SUP_FRICTION_SOFTENING_LIST(SUP_FRICTION_SOFTENING_ENTRY)
#undef SUP_FRICTION_SOFTENING_ENTRY
      SUP_NUM_FRICTION_SOFTENINGS
} sup_friction_softening;

/** Solvers of the contact problem: one file solve/NAME.c each, which ends with its row of the
 * table. */
#define SUP_CONTACT_SOLVER_LIST(X) \
  X(NEWTON, newton)                \
  X(NCP_PGS, ncp_pgs)              \
  X(CCP_PGS, ccp_pgs)              \
  X(LCP_PGS, lcp_pgs)              \
  X(RAISIM, raisim)                \
  X(NCP_STAGGERED, ncp_staggered)  \
  X(LCP_STAGGERED, lcp_staggered)  \
  X(CCP_ADMM, ccp_admm)            \
  X(MUJOCO, mujoco)                \
  X(TAMSI, tamsi)
typedef enum sup_contact_solver {
#define SUP_CONTACT_SOLVER_ENTRY(NAME, name) SUP_CONTACT_SOLVER_##NAME,
  SUP_CONTACT_SOLVER_LIST(SUP_CONTACT_SOLVER_ENTRY)
#undef SUP_CONTACT_SOLVER_ENTRY
      SUP_NUM_CONTACT_SOLVERS
} sup_contact_solver;

/** Of solvers that iterate on impulses: all but newton and tamsi. */
typedef struct sup_dual_options {
  double tolerance;      /* of the residual of the solver's law, sup_step_report.law_residual [-] */
  int    max_iterations; /* of an island in a solution; 0: the solver's own */
  double over_relaxation; /* of sweeps from contact to contact, 0 < omega < 2 */
  int    subspace;   /* sweeps after which all contacts are solved at once as they are; 0: never */
  double proximal;   /* of that and of ccp_admm: what holds on to impulses, over the inverse mass */
  double alpha;      /* of mujoco: compliance over the inverse mass */
  int    warm_start; /* 1: from the impulses of the step before; 0: from none */
  int    rigid;      /* 1: contact without the compliance of its normal law, R = 0 */
  double baumgarte;  /* rigid: share of an overlap that a step takes back, 0 .. 1 */
  double restitution;     /* normal velocity after an impact over that before, 0 .. 1; not of SAP */
  int    hand_over;       /* sup_contact_solver that solves what is left above .. */
  double hand_over_above; /* .. this residual */
} sup_dual_options;
/** Of the contact solver tamsi (P2). */
typedef enum sup_tamsi_coupling {
  SUP_TAMSI_TWO_WAY, /* friction by the normal force of the same velocities */
  SUP_TAMSI_ONE_WAY  /* by that of the start of the step */
} sup_tamsi_coupling;
typedef struct sup_tamsi_options {
  sup_tamsi_coupling coupling;
  int                is_unlimited; /* 1: whole Newton steps, without TALS */
  int is_quasi;       /* 1: a factor serves as long as the iteration with it goes on to converge */
  int max_iterations; /* of a step or substep */
  int max_substeps;   /* into which a step is divided that Newton does not solve; 1: none */
} sup_tamsi_options;

/** Normal laws of all models but SAP, THEORY 6.3: one file law/normal_NAME.c each. */
#define SUP_NORMAL_LAW_LIST(X)    \
  X(HUNT_CROSSLEY, hunt_crossley) \
  X(KELVIN_VOIGT, kelvin_voigt)   \
  X(HERTZ, hertz)                 \
  X(LOG_BARRIER, log_barrier)     \
  X(IPC_BARRIER, ipc_barrier)
typedef enum sup_normal_law {
#define SUP_NORMAL_LAW_ENTRY(NAME, name) SUP_NORMAL_##NAME,
  SUP_NORMAL_LAW_LIST(SUP_NORMAL_LAW_ENTRY)
#undef SUP_NORMAL_LAW_ENTRY
      SUP_NUM_NORMAL_LAWS
} sup_normal_law;

/** W of the estimate w of a contact's inverse mass, THEORY 5.4: J diag(A)^-1 J^T, or with the
 * inverse of each block column's diagonal block (a whole tree, a vertex). */
typedef enum sup_delassus {
  SUP_DELASSUS_DIAGONAL,
  SUP_DELASSUS_FULL,
  SUP_NUM_DELASSUS
} sup_delassus;

/** How the pressure of a body that is given by cells rises inwards (geom/volume_field.h,
 * THEORY 9.1): as the distance to the surface does, or smoother, as a harmonic function. */
typedef enum sup_field_kind { SUP_FIELD_DISTANCE, SUP_FIELD_HARMONIC } sup_field_kind;

/** How a surface takes part in contact. */
typedef struct sup_contact_def {
  double friction;             /* mu [-]; of motion when static_friction is larger */
  double static_friction;      /* mu at rest [-]; no effect when not above `friction` */
  double dissipation;          /* Hunt-Crossley d [s/m] */
  double relaxation_time;      /* of SAP and Kelvin-Voigt [s]; those of two bodies add up */
  double hertz_modulus;        /* E/(1 - nu^2) of the Hertz law [Pa]; 0: rigid */
  double surface_velocity[3];  /* of a belt's surface relative to its body, body axes [m/s]; its
                                  tangential part acts */
  double surface_amplitude[3]; /* added to it: amplitude sin(2 pi frequency t + phase) at the step's
                                  end [m/s] */
  double surface_frequency, surface_phase; /* [Hz], [rad] */
  double anisotropy_axis[3];               /* body axes; (0, 0, 0): isotropic.  Rigid bodies */
  double anisotropy_ratio; /* friction along the axis over friction across it, > 0 */
  double stiffness;  /* rigid bodies: C [Pa/m], THEORY 15.3; soft bodies derive theirs from the
                        element */
  double resolution; /* target edge length of the contact surface of a rigid shape [m] */
  double modulus;    /* E_h of the body's pressure field, the pressure at its deepest point [Pa]; 0:
                        none */
  double field_resolution; /* edge length of the field's surface [m]; 0: `resolution` for round
                              shapes, boxes and polyhedra as they are */
  double field_margin; /* how far outside the surface the field goes on: bodies are seen before they
                          touch [m] */
  sup_field_kind field_kind; /* of a triangle mesh with cells; other shapes have their own */
  int            self;       /* 1: parts of a soft body touch each other */
  double field_thickness;    /* of the layer of a half space over which its pressure rises to the
                                modulus [m] */
  double point_stiffness; /* k of point contact [N/m]; two rigid bodies that both have it touch in
                             points.  0: none */
} sup_contact_def;

typedef struct sup_geometry_def {
  sup_shape       shape;
  sup_pose        X_LG;
  sup_contact_def contact;
} sup_geometry_def;

typedef enum sup_joint_type {
  SUP_JOINT_FIXED,
  SUP_JOINT_REVOLUTE, /* URDF revolute and continuous (no limits) */
  SUP_JOINT_PRISMATIC,
  SUP_JOINT_FLOATING,
  SUP_JOINT_TRANSLATION, /* does not turn */
  SUP_JOINT_PLANAR       /* moves in the plane across the axis and turns about it */
} sup_joint_type;

/** One link and the joint that carries it.  Joint frame = link frame at q = 0, placed at X_PJ in
 * the parent link. Coordinates: revolute, prismatic q, v in R; floating q = (p, quaternion) in R^7,
 * v = (w_B, v_B) body axes in R^6; translation q, v in R^3 along the joint frame's axes; planar q =
 * (a, b, angle), v = q', with the place a e + b f in the plane across the axis, e, f =
 * sup_joint_plane of tree/joint.h. */
typedef struct sup_link_def {
  char           name[SUP_NAME_MAX];
  char           joint_name[SUP_NAME_MAX];
  int            parent; /* index of an earlier link; SUP_NONE: the tree's base */
  sup_joint_type joint;
  sup_pose       X_PJ;
  double         axis[3];        /* unit, in the joint frame */
  double         lower, upper;   /* limits on q [rad or m]; -INFINITY, INFINITY when absent */
  double         effort_limit;   /* [N m or N], INFINITY when absent */
  double         velocity_limit; /* reported, not enforced [rad/s or m/s] */
  double         damping, spring,
      armature;        /* implicit joint damper [N m s], spring to q = 0 [N m], reflected inertia */
  double mass;         /* [kg] */
  double com[3];       /* centre of mass in the link frame [m] */
  double inertia[6];   /* about the centre of mass, link axes: xx yy zz xy xz yz [kg m^2] */
  double q0[7], v0[6]; /* initial joint position and velocity */
  int    mimic;        /* link whose joint this one follows, q = ratio q_mimic + offset; SUP_NONE */
  double mimic_ratio, mimic_offset; /* of joints with one degree of freedom */
  int    num_geometries;
  sup_geometry_def *geometries;
} sup_link_def;

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
  int *filter; /* [num_filters x 2] pairs of links that never touch each other */
} sup_tree_def;

/** A set of vertices of a soft body, chosen in the reference coordinates of its mesh or by the name
 * that the mesh has for them; a name of cells stands for their vertices. */
typedef enum sup_region_type {
  SUP_REGION_BOX,
  SUP_REGION_HALF_SPACE,
  SUP_REGION_NAMED
} sup_region_type;
typedef struct sup_region {
  sup_region_type type;
  double          lower[3], upper[3]; /* box: lower <= x <= upper [m] */
  double          normal[3], offset;  /* half space: normal . x <= offset [m] */
  char            name[SUP_NAME_MAX]; /* of a set of vertices, or else of cells */
} sup_region;

/** Loads on the boundary faces whose vertices all lie in the region, scaled by `scale` over time;
 * they add up. */
typedef struct sup_traction_def {
  sup_region region;
  double     total_force[3]; /* [N], spread by area over the region's faces */
  sup_table  scale;          /* width 1; empty: 1 */
  double     traction[3];    /* along the world's axes, on the area at rest [Pa] */
  double     pressure;       /* against the current outward normal, on the current area [Pa] */
} sup_traction_def;

enum { SUP_AXIS_X = 1, SUP_AXIS_Y = 2, SUP_AXIS_Z = 4, SUP_AXIS_ALL = 7 };

/** Vertices held along axes of the world: at rest, or where a rigid motion of the region takes
 * them.  A component that two of them hold must be at the same place in both. */
typedef struct sup_dirichlet_def {
  char       name[SUP_NAME_MAX]; /* of its reaction; empty: its number, clamps counted first */
  sup_region region;
  int        axes;   /* bits SUP_AXIS_X, SUP_AXIS_Y, SUP_AXIS_Z */
  sup_table  motion; /* width 6: displacement [m] and rotation vector [rad] about `about`; empty: at
                        rest */
  int    has_about;  /* 0: about the mean of the region's vertices */
  double about[3]; /* like the region in the coordinates of the mesh; the reaction's moment is taken
                      there */
  /* where a person wrote it, for messages; NULL: nowhere; line 0: file says it all */
  const char *file;
  int         line, column;
} sup_dirichlet_def;

/** A named set of cells of another material than the rest of the body. */
typedef struct sup_part_def {
  char             set[SUP_NAME_MAX];
  sup_material_def material;
} sup_part_def;

typedef struct sup_soft_def {
  char             name[SUP_NAME_MAX];
  const sup_mesh  *mesh; /* reference coordinates [m] */
  sup_material_def material;
  int              num_parts;
  sup_part_def    *parts;       /* sets that share no cell */
  int              lumped_mass; /* 1: row-sum, scaled diagonal for T10; 0: consistent */
  int mean_dilatation;  /* T10: 1: one dilatation a cell, against locking near nu = 0.5 (THEORY 4.7)
                         */
  sup_pose        X_WS; /* pose of the mesh frame in the world; in the link frame when attached */
  double          v0[3]; /* initial velocity [m/s] */
  sup_contact_def contact;
  int             num_clamps; /* vertices held where they are */
  sup_region     *clamps;
  int             num_dirichlet;
  sup_dirichlet_def *dirichlet;
  int                has_attachment;
  sup_region         attach_region;
  char               attach_link[2 * SUP_NAME_MAX]; /* "ROBOT/LINK" or "BODY" */
  int                num_tractions;
  sup_traction_def  *tractions;
  double
      manufactured[3]; /* amplitudes of a manufactured solution [m]; 0: none (fem/manufactured.h) */
} sup_soft_def;

/** PD controller with effort limit on one joint: u = clamp(-kp (q - target) - kd (v - dtarget/dt),
 * -effort, effort). */
typedef struct sup_actuator_def {
  char      name[SUP_NAME_MAX];
  char      joint[2 * SUP_NAME_MAX]; /* "ROBOT/JOINT" */
  double    kp, kd, effort;
  sup_table target; /* width 1 */
} sup_actuator_def;

/** Linear spring and damper between a point of link a, or of the world, and a point of link b. With
 * d = p_b - p_a in world axes the force on b is -stiffness (d - rest) - damping d', axis by axis.
 */
typedef struct sup_spring_def {
  char   name[SUP_NAME_MAX];
  char   a[2 * SUP_NAME_MAX], b[2 * SUP_NAME_MAX]; /* bodies by name; a may be "world" */
  double point_a[3], point_b[3];            /* in the link's frame, in the world for "world" [m] */
  double stiffness[3], damping[3], rest[3]; /* along the world's axes [N/m], [N s/m], [m] */
} sup_spring_def;

/** Force and torque over time on a link, world axes, at a point that moves with it.  A step takes
 * their means over the step: the impulse does not depend on its length. */
typedef struct sup_load_def {
  char      name[SUP_NAME_MAX];
  char      body[2 * SUP_NAME_MAX];
  double    point[3];      /* in the link's frame [m] */
  sup_table force, torque; /* width 3 [N], [N m]; empty: none */
} sup_load_def;

/** What overrides the combination rules for one pair of bodies; NAN: keep the rule's value. */
typedef struct sup_pair_def {
  char   a[2 * SUP_NAME_MAX], b[2 * SUP_NAME_MAX];
  int    disabled;
  int    model;      /* sup_contact_model; SUP_NONE: the options' */
  int    normal_law; /* sup_normal_law; SUP_NONE: the options' */
  double friction, static_friction, dissipation, relaxation_time, stiffness;
  double hertz_radius;                  /* R* = 1/(1/R_a + 1/R_b) of the Hertz law [m] */
  double barrier_energy, barrier_range; /* [J], [m] */
  double barrier_surface_energy;        /* [N/m] */
  double point_stiffness;               /* k [N/m] of pairs in point contact */
} sup_pair_def;

/** Weights of a time scheme (THEORY 2.2), 0 .. 1: dynamics, loads and springs at q_th = q0 (+)
 * theta dt N v_thvq and v_th = theta v + (1 - theta) v0, joint springs and dampers and springs with
 * theta_stiff in the place of theta, q = q0 (+) dt N (theta_vq v + (1 - theta_vq) v0).  Soft bodies
 * need theta_stiff = theta_vq = 1. */
typedef struct sup_scheme {
  double theta, theta_stiff, theta_vq;
} sup_scheme;

typedef enum sup_backend {
  SUP_BACKEND_SUPERNODAL,
  SUP_BACKEND_CHOLMOD,
  SUP_BACKEND_CONJUGATE_GRADIENT,
  SUP_BACKEND_PETSC /* loads a plug-in, and MPI with it */
} sup_backend;

/** Newton's method on friction that is softened by the soft norm (law/law.h): on the velocities
 * alone, or with the directions of slip as further unknowns. */
#define SUP_NEWTON_LIST(X)    \
  X(PRIMAL_DUAL, primal_dual) \
  X(PRIMAL, primal)
typedef enum sup_newton_kind {
#define SUP_NEWTON_ENTRY(NAME, name) SUP_NEWTON_##NAME,
  SUP_NEWTON_LIST(SUP_NEWTON_ENTRY)
#undef SUP_NEWTON_ENTRY
      SUP_NUM_NEWTONS
} sup_newton_kind;

/** How far an iteration of Newton's method goes along its direction (solve/line_search.h). */
#define SUP_LINE_SEARCH_LIST(X) \
  X(EXACT, exact)               \
  X(ARMIJO, armijo)
typedef enum sup_line_search_kind {
#define SUP_LINE_SEARCH_ENTRY(NAME, name) SUP_LINE_SEARCH_##NAME,
  SUP_LINE_SEARCH_LIST(SUP_LINE_SEARCH_ENTRY)
#undef SUP_LINE_SEARCH_ENTRY
      SUP_NUM_LINE_SEARCHES
} sup_line_search_kind;

/** What every pair of bodies gets, unless a sup_pair_def says otherwise. */
typedef struct sup_contact_rules {
  sup_contact_model model;
  sup_normal_law    normal_law;
  double barrier_energy; /* kappa of the barriers in points: f -> kappa/phi as phi -> 0 [J] */
  double
      barrier_surface_energy; /* of soft surfaces: their pressure tends to it over the gap [N/m] */
  double barrier_range;       /* gap at which the IPC barrier begins [m] */
  double barrier_margin; /* pairs under the logarithmic barrier are given to the solver up to this
                            far apart [m] */
} sup_contact_rules;

/** What holds a contact that sticks (THEORY_2 16.6): the regularised law, which creeps, or a
 * tangential spring from an anchor that is carried from step to step. */
#define SUP_STICK_LIST(X) \
  X(SOFT, soft)           \
  X(ELASTIC, elastic)
typedef enum sup_stick_kind {
#define SUP_STICK_ENTRY(NAME, name) SUP_STICK_##NAME,
  SUP_STICK_LIST(SUP_STICK_ENTRY)
#undef SUP_STICK_ENTRY
      SUP_NUM_STICKS
} sup_stick_kind;

/** Steps whose length follows an estimate of their error (THEORY_2 17): the largest of |E_q|/length
 * and |E_v| time/length over the free vertices and joints, where E_q, E_v is what the step's
 * position and velocity lack; angles count as lengths of `length` a radian. */
typedef struct sup_accuracy {
  double tolerance;          /* that the error of a step may have [-]; 0: steps of sup_options.dt */
  double length;             /* that errors of positions are relative to [m] */
  double time;               /* velocities count by what they displace in it [s] */
  double min_step, max_step; /* [s]; what is not resolved at min_step is accepted and counted */
  double reference_step; /* near-rigid contact, regularised friction, limits and stiff drives are as
                            stiff as a step of this length can have them, however long it is [s] */
} sup_accuracy;

/** How a run goes through time: a stepper's, not the model's, which any number of steppers with
 * other options may share. */
typedef struct sup_options {
  double       dt;       /* step; with an accuracy the first [s] */
  sup_accuracy accuracy; /* 0: none is asked for, all steps are of dt */
  sup_scheme scheme; /* symplectic Euler with implicit springs and dampers unless said otherwise */
  int        soft_bdf2;      /* soft bodies by BDF2, of second order, instead of implicit Euler */
  double     gravity[3];     /* [m/s^2] */
  double     tolerance;      /* relative momentum error eps_r of THEORY 5.2 */
  int        max_iterations; /* Newton iterations a step */
  int        quasi_newton;   /* 1: the factor of H is kept while iterations contract; 0: none is */
  sup_newton_kind      newton;
  sup_line_search_kind line_search;
  int convergence_control; /* 1: a step of fixed length in which Newton's method fails is done in 2,
                              4, .. 64 parts */
  sup_backend backend;     /* factorisation of the Hessian */
  const char *petsc; /* PETSc's options of SUP_BACKEND_PETSC, "-ksp_type cg"; outlives steppers;
                        NULL: none */
  sup_contact_solver     contact_solver;
  sup_dual_options       dual;
  sup_tamsi_options      tamsi;
  sup_delassus           delassus;
  double                 stiction_tolerance; /* v_s [m/s] */
  sup_friction_softening softening;          /* of friction below it; not of sap */
  sup_stick_kind         stick;              /* of lagged and coupled friction in motion */
  double static_slip;     /* statics: way over which friction builds up [m]; 0: v_s dt */
  double sigma, beta;     /* friction regularisation and near-rigid parameters, THEORY 6.2, 6.4 */
  int    friction_sweeps; /* 1: plain Lagged; THEORY 15.4 */
  double sweep_tolerance; /* largest relative change of gn0 that ends the sweeps */
  int patch_triangles; /* 1: a fan of triangles a polygon of pressure fields, P1; 0: one contact */
  int patch_at_pressure; /* 1: its force acts at the centre of pressure, so that the moment does not
                            depend on how the patch is cut; 0: at the centroid, as in P1 */
  int patch_thirds; /* 1: a rigid surface against exact depth: three contacts a triangle of a patch,
                       as a soft one has, whose forces and stiffness on the body are the integrals
                       over it (statics); 0: one at its centroid */
  int certificate;  /* 1: each step measures how far its contact model is from Coulomb's law */
  int report_condition; /* 1: each step estimates the condition number of its Hessian */
  int solver_log;       /* 1: each step keeps what its solver's iterations leave */
} sup_options;

typedef struct sup_model_def {
  sup_contact_rules contact;
  int               num_trees;
  sup_tree_def     *trees;
  int               num_softs;
  sup_soft_def     *softs;
  int               num_actuators;
  sup_actuator_def *actuators;
  int               num_springs;
  sup_spring_def   *springs;
  int               num_loads;
  sup_load_def     *loads;
  int               num_pairs;
  sup_pair_def     *pairs;
} sup_model_def;

SUP_API sup_options       sup_default_options(void);
SUP_API sup_contact_rules sup_default_contact_rules(void);
SUP_API sup_scheme sup_scheme_symplectic_euler(void); /* (0, 1, 1): first order, energy bounded */
SUP_API sup_scheme sup_scheme_implicit_euler(void);   /* (1, 1, 1): first order, damps */
SUP_API sup_scheme sup_scheme_midpoint(void);         /* (1/2, 1/2, 1/2): second order */
SUP_API sup_contact_def  sup_default_contact_def(void);
SUP_API sup_pair_def     sup_default_pair_def(void);
SUP_API sup_material_def sup_default_material_def(void);
SUP_API sup_link_def     sup_default_link_def(void);
SUP_API sup_tree_def     sup_default_tree_def(void);
SUP_API sup_soft_def     sup_default_soft_def(void);
SUP_API sup_pose         sup_pose_identity(void);

/** Convex hull of points [num_points x 3]; points inside it or on its faces, to within 2^-23 of the
 * largest coordinate, are dropped, the others keep their order.  E_GEOMETRY: fewer than four
 * points, or all in one plane. */
SUP_API SUP_NODISCARD sup_status sup_hull_create(sup_hull **hull, int num_points,
                                                 const double *points);
/** A closed surface as it is.  E_GEOMETRY: open edges (their number), or no volume inside. */
SUP_API SUP_NODISCARD sup_status sup_polyhedron_create(sup_hull **hull, int num_points,
                                                       const double *points, int num_triangles,
                                                       const int *triangles);
SUP_API void                     sup_hull_destroy(sup_hull **hull);

/** How a closed surface is filled with cells. */
typedef struct sup_tetgen_options {
  double quality;    /* largest ratio of a cell's circumradius and shortest edge, > 1 (1.4) */
  double max_volume; /* of a cell [m^3]; 0: no bound (0) */
  double time_limit; /* wall time after which the mesher is stopped [s] (120) */
} sup_tetgen_options;

SUP_API sup_tetgen_options sup_default_tetgen_options(void);
/** Bound on the volume that gives cells with edges of this length [m] in the mean [m^3]: twice that
 * of the regular tetrahedron. */
SUP_API double sup_tetgen_volume(double edge);
/** T4 cells that fill a closed surface, by the program `tetgen`, which must be on the PATH: it is
 * run as a child process on files of its own in TMPDIR.  The surface keeps its shape; its triangles
 * may be cut. E_GEOMETRY: the surface is open, badly oriented, has flat or double triangles or cuts
 * itself, with the numbers of the triangles; or tetgen failed (and what it said) or took too long.
 * E_ARG: options out of range.  E_IO: tetgen is missing (and what to install). */
SUP_API SUP_NODISCARD sup_status sup_mesh_of_polyhedron(sup_mesh **mesh, const sup_hull *surface,
                                                        const sup_tetgen_options *options);
SUP_API void                     sup_mesh_destroy(sup_mesh **mesh);

/* ---- model, state, step ---------------------------------------------------------------------- */

typedef struct sup_model   sup_model;   /* constant after creation */
typedef struct sup_state   sup_state;   /* what moves */
typedef struct sup_stepper sup_stepper; /* workspace of the pipeline; one a thread of control */

/** Why Newton stopped.  > 0 converged, < 0 not. */
typedef enum sup_reason {
  SUP_REASON_TOLERANCE = 1, /* momentum error below the tolerance */
  SUP_REASON_STALL = 2,     /* cost no longer changes in round-off, THEORY 5.2 */
  SUP_REASON_ABSOLUTE =
      3, /* momentum residual below 1e-14 sqrt(J), whatever its relative size; THEORY 5.2 */
  SUP_REASON_ROUND_OFF =
      4, /* momentum error above the tolerance, but no more than its own sums' round-off */
  SUP_REASON_RESIDUAL = 5,        /* the momenta balance, but the solver's own law is met to
                                     sup_step_report.law_residual only */
  SUP_REASON_MAX_ITERATIONS = -1, /* tolerance not reached */
  SUP_REASON_LINE_SEARCH = -2,    /* no descent */
  SUP_REASON_NOT_SPD = -3,        /* the Hessian lost definiteness */
  SUP_REASON_NONFINITE = -4,      /* NaN or infinity appeared */
  SUP_REASON_INFEASIBLE = -5,     /* no velocity keeps the gaps of all barriers open */
  SUP_REASON_STOPPED = -6         /* should_stop of sup_static_options said so */
} sup_reason;

enum { SUP_NUM_PHASES = 7 };

/** What a backend that iterates did for a step; zero: a direct one. */
typedef struct sup_linear_work {
  int    iterations;  /* of all its solutions */
  int    missed;      /* solutions that ended before their tolerance */
  double residual;    /* largest that one left, of these if any: ||D (b - H x)|| / ||D b||, D =
                         diag(H)^(-1/2) */
  const char *reason; /* why that one ended, in the backend's word; NULL: it has none */
} sup_linear_work;

/** Outcome of one step. */
typedef struct sup_step_report {
  sup_reason reason;
  int        iterations;     /* Newton, all sweeps, of the island that took most */
  int        iterations_sum; /* of all islands */
  int        islands; /* parts that contacts, limits and actuators couple, each solved by itself */
  sup_linear_work linear;         /* of all Newton iterations */
  int             factorisations; /* of H, all Newton iterations of all islands */
  int             line_search_evaluations;
  int      linearisations; /* of nonlinear materials: Newton iterations on the elastic energy */
  int      sweeps;         /* friction sweeps done */
  unsigned at_cap;         /* bits 1 << k of the solver's strategies that ended at their cap
                              (solve/strategy.h) */
  double sweep_change;     /* last relative change of gn0 */
  double friction_lag; /* largest |gamma_n - gn0| of lagged and coupled laws over the largest normal
                          impulse: by how much friction goes by other forces than the step's */
  int    friction_at_cap; /* 1: sweeps or their relaxation ended at their cap */
  int    ambiguous;       /* islands whose coupled friction has several solutions (THEORY_2 16.3) */
  int    ambiguous_pair;  /* of the model, that one of them is most about; SUP_NONE */
  double momentum_error;  /* ||D r|| / max(||D A v||, ||D J^T gamma||) */
  int    substeps;        /* of tamsi: most parts into which a step was divided */
  double momentum_residual; /* ||D r|| [sqrt(J)], r = A v - p - J^T gamma, D = diag(A)^(-1/2) */
  double island_error; /* largest momentum error of bodies that push each other, relative to theirs
                          alone */
  int error_body;   /* body with most of the residual where an error is above its limit, or SUP_NONE
                     */
  double round_off; /* estimate: relative change of velocities by the rounding of A, where it is
                       largest */
  double complementarity_error; /* e_c: largest |gamma . g| of a contact over 1/2 max(||D A v||,
                                   ||D J^T gamma||)^2, g its velocity less what the law's compliance
                                   takes (P3 33; THEORY 13) */
  double slip_tolerance; /* largest slip at which a contact that pushes reaches friction's bound, or
                            which softens it [m/s] */
  /* of solvers that iterate on impulses: how far the solution is from the law that they solve */
  double law_residual;        /* scaled, over the largest impulse [-] */
  double law_primal;          /* distance of an impulse from its friction cone [N s] */
  double law_dual;            /* of a contact's velocity from the dual cone [m/s] */
  double law_complementarity; /* |impulse . velocity| [J] */
  int    hand_overs;          /* islands that were handed over to another solver */
  int    num_contacts;
  int    num_constraints;
  double penetration_max;       /* [m] */
  double stiff_penetration_max; /* of contacts without a compliant rigid body, whose overlap is its
                                   deformation [m] */
  int deepest_pair;             /* of the model, that stiff_penetration_max belongs to; SUP_NONE */
  double
      friction_work_max; /* largest gamma_t . v_t of a contact: above 0 friction gives energy [J] */
  /* with sup_options.certificate: distance from Coulomb's law with the normal compliance as given
   * (THEORY 8, 13) */
  double ncp_primal; /* largest distance of an impulse from its friction cone, over the largest
                        impulse */
  double ncp_dual;   /* of a velocity c + Gamma(c) from the dual cone [m/s] */
  double
      ncp_complementarity; /* |gamma . (c + Gamma(c))| over 1/2 max(||D A v||, ||D J^T gamma||)^2 */
  double stick_speed_max;  /* largest |v_t| of a contact below 99 % of its friction bound [m/s] */
  double condition;        /* of the Hessian, with sup_options.report_condition */
  int    inverted_cells;
  int    inverted_body; /* that has most of them, or SUP_NONE */
  /* pieces of pressure fields under pressure that gave no contact: below 1e-14 m^2; pressure does
     not grow along the normal; a soft body's cell turned inside out */
  int discarded_small, discarded_backward, discarded_inverted;
  int silent_pairs; /* pairs with fields that overlap too deep to give any contact, as a thin body
                       pushed through */
  int silent_pair;  /* the first of them, a pair of the model; SUP_NONE */
  int passed_pairs; /* pairs with fields that pass each other within the step: their margins are too
                       narrow for it */
  int passed_pair;  /* the first of them; SUP_NONE */
  int analysed;     /* 1 when the symbolic analysis was redone */
  /* energies of soft bodies in this step; what their kinetic and elastic energy lacks of work -
   * damping, the scheme took */
  double soft_work;    /* done on them by weight, tractions, contacts and links [J] */
  double soft_damping; /* taken by stiffness and mass damping [J] */
  double step_size;    /* of the step; of load steps 0 [s] */
  /* of steps with sup_options.accuracy, else 0 */
  double
      step_error; /* estimated, of the step before it is extrapolated; as accuracy.tolerance [-] */
  int rejected;   /* attempts that were too long */
  int unresolved; /* 1: the error is above the tolerance, but the step is no longer than min_step */
  int impacts;    /* soft bodies whose step of BDF2 was an impact and became one of first order */
  /* of sup_static_step */
  int load_cuts; /* times that the load step was cut in half */
  int held_back; /* iterations that held on to where they were: the body was unstable on the way */
  int saddles;   /* balances that were saddles of the energy: each was left along its negative
                    curvature */
  int saddle_directions;  /* in which the energy falls from the first of them: negative eigenvalues;
                             6: or more */
  int  is_saddle;         /* one of them could not be left: the state is there */
  char saddle_place[200]; /* what moves farthest as the first of them is left, "vertex 3 of 'arch'
                             at .." */
  double snap_energy; /* elastic energy that came free on the way: large against its change when a
                         body snaps [J] */
  double seconds[SUP_NUM_PHASES]; /* per phase, names by sup_phase_name */
  size_t arena_peak;              /* bytes */
} sup_step_report;

SUP_API const char *sup_phase_name(int phase);
SUP_API const char *sup_reason_text(sup_reason reason);

/** Build a constant model.  E_ARG, E_GEOMETRY with the name of the offending part. */
SUP_API SUP_NODISCARD sup_status sup_model_create(sup_model **model, const sup_model_def *def);
SUP_API void                     sup_model_destroy(sup_model **model);

/** Options that a run with the model may have.  E_ARG says which one may not. */
SUP_API SUP_NODISCARD sup_status sup_options_check(const sup_options *options,
                                                   const sup_model   *model);
/** State at time 0 of the model; what a table moves has the velocity of the first step. */
SUP_API SUP_NODISCARD sup_status sup_state_create(sup_state **state, const sup_model *model,
                                                  const sup_options *options);
SUP_API SUP_NODISCARD sup_status sup_state_copy(sup_state *to, const sup_state *from);
SUP_API void                     sup_state_destroy(sup_state **state);
SUP_API double                   sup_state_time(const sup_state *state);
/** FNV-1a hash of all positions and velocities: equal bits give equal hashes. */
SUP_API uint64_t sup_state_hash(const sup_state *state);

/** The model must outlive the stepper; it is not changed, so that others may step it at the same
 * time, with other options, each a state of its own. */
SUP_API SUP_NODISCARD sup_status sup_stepper_create(sup_stepper **stepper, const sup_model *model,
                                                    const sup_options *options);
SUP_API void                     sup_stepper_destroy(sup_stepper **stepper);
/** Advance the state by one step.  On failure the state keeps its values of before the step. */
SUP_API SUP_NODISCARD sup_status sup_step(sup_stepper *stepper, sup_state *state,
                                          sup_step_report *report);
/** The same, but with sup_options.accuracy the step ends at the time `stop`, above the state's, at
 * the latest; steps of fixed length know no stop. */
SUP_API SUP_NODISCARD sup_status sup_step_until(sup_stepper *stepper, sup_state *state, double stop,
                                                sup_step_report *report);

/** How loads are brought up to an equilibrium. */
typedef struct sup_static_options {
  double end;   /* time at which everything acts in full: tables are followed up to there [s] (1) */
  int    steps; /* load steps; each is cut in half, and again, where it does not converge (1) */
  double tolerance; /* largest residual force on a body over the forces in it [-] (1e-8) */
  int ramp; /* 1: gravity and constant loads grow linearly to their value at the end; 0: they act at
               once (1) */
  int (*should_stop)(
      void *user); /* asked before every iteration; not 0: the load step ends there (NULL: never) */
  void *user;
} sup_static_options;

SUP_API sup_static_options sup_default_static_options(void);
/** One load step: the state moves to an equilibrium of elastic forces, loads, contact with Coulomb
 * friction, springs and drives; its velocities become 0.  No inertia, no damping.  Displacements
 * may be large. E_ARG: a body that nothing holds against a rigid motion, which is named;
 * E_NOT_CONVERGED: no equilibrium was found although the load step was cut to a thousandth; the
 * state then is that of the load step before.  So it is after a load step that should_stop ended:
 * SUP_OK with SUP_REASON_STOPPED in the report. */
SUP_API SUP_NODISCARD sup_status sup_static_step(sup_stepper *stepper, sup_state *state,
                                                 const sup_static_options *options,
                                                 sup_step_report          *report);
/** All load steps, or as many as should_stop allows. */
SUP_API SUP_NODISCARD sup_status sup_static(sup_stepper *stepper, sup_state *state,
                                            const sup_static_options *options);
