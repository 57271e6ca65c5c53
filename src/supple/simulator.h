/** A simulation driven by a program: steps, quantities to read after each, inputs to set between
 * them.
 *
 *  A simulator belongs to one thread at a time; any number of them may share one constant model,
 * each in a thread of its own.  A named part of the model is an *object*: its name is looked up
 * once and gives its handle, an index from 0 among the objects of its kind. */
#pragma once

#include "supple/kinematics.h"
#include "supple/model.h"
#include "supple/options.h"
#include "supple/report.h"
#include "supple/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of objects.  Names: a body "BALL" or "ROBOT/LINK" (soft bodies are bodies, too); a joint
 * "ROBOT/JOINT", counted with the links that they carry; a clamp or hold "BODY/NAME"; a traction
 * "BODY/NUMBER" in the order of its body's definition; a pair "A+B" of two bodies that may touch. A
 * pair is found in either order; sup_simulator_name gives the order A+B, which sets the signs. */
#define SUP_OBJECT_LIST(X) \
  X(SCENE, scene)          \
  X(BODY, body)            \
  X(TREE, tree)            \
  X(JOINT, joint)          \
  X(SOFT, soft)            \
  X(ACTUATOR, actuator)    \
  X(LOAD, load)            \
  X(TRACTION, traction)    \
  X(HOLD, hold)            \
  X(PAIR, pair)            \
  X(PROBE, probe)          \
  X(CHAMBER, chamber)      \
  X(CABLE, cable)
typedef enum sup_object {
#define SUP_OBJECT_ENTRY(NAME, name) SUP_OBJECT_##NAME,
  SUP_OBJECT_LIST(SUP_OBJECT_ENTRY)
#undef SUP_OBJECT_ENTRY
      SUP_NUM_OBJECTS
} sup_object;

/** Quantities that can be read: name, kind of object, rows x width, unit.  World axes.  n:
 * vertices, c: cells of the soft body, nq, nv: numbers of the tree's or joint's position and
 * velocity. */
#define SUP_QUANTITY_LIST(X)                                                                       \
  X(POSE, pose, BODY) /* 1 x 7: origin [m], quaternion w x y z; soft: centre of mass, identity */  \
  X(VELOCITY, velocity, BODY)   /* 1 x 6: of that point [m/s], angular [rad/s], of soft ones that  \
                                   of the rigid motion of their angular momentum */                \
  X(RESULTANT, resultant, BODY) /* 1 x 6: all contact forces on it [N], moment about the origin,   \
                                   or soft body's centre, at the step's start [N m] */             \
  X(TREE_POSITION, tree_position, TREE)         /* 1 x nq [m, rad, quaternions] */                 \
  X(TREE_VELOCITY, tree_velocity, TREE)         /* 1 x nv [m/s, rad/s] */                          \
  X(TREE_EFFORT, tree_effort, TREE)             /* 1 x nv: of drives, limits, couplers [N, N m] */ \
  X(JOINT_POSITION, joint_position, JOINT)      /* 1 x nq of the joint */                          \
  X(JOINT_VELOCITY, joint_velocity, JOINT)      /* 1 x nv of the joint */                          \
  X(JOINT_EFFORT, joint_effort, JOINT)          /* 1 x nv of the joint */                          \
  X(VERTICES, vertices, SOFT)                   /* n x 3: positions [m] */                         \
  X(VERTEX_VELOCITIES, vertex_velocities, SOFT) /* n x 3 [m/s] */                                  \
  X(VERTEX_FORCES, vertex_forces, SOFT)         /* n x 3: of contact [N] */                        \
  X(VERTEX_STRESS, vertex_stress, SOFT)         /* n x 6: recovered, xx yy zz xy yz xz [Pa] */     \
  X(CELL_STRESS, cell_stress, SOFT)             /* c x 9: Cauchy, means of the cells [Pa] */       \
  X(VON_MISES, von_mises, SOFT)                 /* c x 1 [Pa] */                                   \
  X(ENERGY_DENSITY, energy_density, SOFT)       /* c x 1: of the volume at rest [J/m^3] */         \
  X(VOLUME_RATIO, volume_ratio, SOFT)           /* c x 1 [-] */                                    \
  X(ATTACHMENT, attachment, SOFT)   /* links x 6: force on each link that carries it [N], moment   \
                                       about the link's origin [N m] */                            \
  X(REACTION, reaction, HOLD)       /* 1 x 6: force on the soft body [N], moment about `about` */  \
  X(PAIR_WRENCH, pair_wrench, PAIR) /* 1 x 6: force on B [N], moment as of RESULTANT [N m] */      \
  X(PAIR_CONTACT, pair_contact, PAIR) /* 1 x 4: contacts that press [-], area [m^2], sum of        \
                                         |f_n| [N], deepest overlap of all [m] */                  \
  X(ENERGY, energy, SCENE)   /* 1 x 5: kinetic, elastic, potential, contact, their sum [J] */      \
  X(GRAVITY, gravity, SCENE) /* 1 x 3: that acts [m/s^2] */                                        \
  X(PROBE_POSITION, probe_position, PROBE) /* 1 x 3 [m] */                                         \
  X(OVERLAP, overlap, PAIR) /* 1 x 2: by geometry, at the state [m], and over the thickness of the \
                               thinner body [-] */
typedef enum sup_quantity {
#define SUP_QUANTITY_ENTRY(NAME, name, OBJECT) SUP_READ_##NAME,
  SUP_QUANTITY_LIST(SUP_QUANTITY_ENTRY)
#undef SUP_QUANTITY_ENTRY
      SUP_NUM_QUANTITIES
} sup_quantity;

/** Inputs that can be set between steps: name, kind of object, numbers; 1: may take a duration.  An
 * input stays until it is set anew, cleared, or another state is taken.  Those that
 * may take a duration follow the table of the model, if it has one, before that. */
#define SUP_INPUT_LIST(X)                                                                          \
  X(TARGET, target, ACTUATOR, 1) /* 1: of the drive's joint [rad or m] */                          \
  X(BASE, base, TREE, 1) /* 6: displacement [m], rotation vector [rad] of the base from where it   \
                            is defined; the tree's definition has a `motion` */                    \
  X(HOLD, hold, HOLD, 1) /* 6: likewise, as of sup_dirichlet_def.motion */                         \
  X(TRACTION, traction, TRACTION, 1) /* 1: its scale [-] */                                        \
  X(FORCE, force, LOAD, 1)           /* 3: of the load [N] */                                      \
  X(TORQUE, torque, LOAD, 1)         /* 3: of the load [N m] */                                    \
  X(EFFORT, effort, JOINT, 0)        /* nv of the joint: beside drives and limits [N or N m] */    \
  X(WRENCH, wrench, BODY, 0)         /* 6: force [N] and moment [N m] at a link's origin */        \
  X(VERTEX_FORCE, vertex_force, SOFT, 0) /* n x 3 [N] */                                           \
  X(GRAVITY, gravity, SCENE, 0)          /* 3 [m/s^2] */                                           \
  X(LIMIT, limit, ACTUATOR,                                                                        \
    0) /* 1: largest effort of the drive, at most its definition's [N, N m]; 0: it is off */       \
  X(GAINS, gains, ACTUATOR, 0)      /* 2: kp [N/m, N m/rad], kd [N s/m, N m s/rad] */              \
  X(FRICTION, friction, PAIR, 0)    /* 2: coefficient of motion, at rest [-], of all their shapes; \
                                       by the models sap and similar at most the definition's */   \
  X(PRESSURE, pressure, CHAMBER, 1) /* 1: over ambient [Pa], of a fill of given pressure, or of    \
                                       the source of its inlet */                                  \
  X(VOLUME, volume, CHAMBER, 1)     /* 1: of liquid, whole or added as in its definition [m^3] */  \
  X(AMOUNT, amount, CHAMBER, 1)     /* 1: of gas over that at time 0 [-] */                        \
  X(TENSION, tension, CABLE, 1)     /* 1 [N], of a cable of given tension */                       \
  X(LENGTH, length, CABLE, 1)       /* 1: unstretched, whole or added as in its definition [m] */
typedef enum sup_input {
#define SUP_INPUT_ENTRY(NAME, name, OBJECT, may_last) SUP_SET_##NAME,
  SUP_INPUT_LIST(SUP_INPUT_ENTRY)
#undef SUP_INPUT_ENTRY
      SUP_NUM_INPUTS
} sup_input;

/** Numbers of the simulator.  The address stays the same as long as the simulator lives; the
 * numbers are those of the last step once the array is read after it, those of VERTICES,
 * VERTEX_VELOCITIES, TREE_ and JOINT_ POSITION and VELOCITY always. */
typedef struct sup_array {
  const double *data; /* [rows x width], row after row */
  int           rows, width;
} sup_array;

enum { SUP_PATCH_MAX_CORNERS = 9 };

/** A piece of contact between the bodies A and B of a pair: a polygon, or one point (num_points 1,
 * area 0).  World axes; of the configuration of the step's start, forces are means over the step.
 */
typedef struct sup_contact_patch {
  int    pair;                            /* handle */
  int    num_points;                      /* corners of the polygon */
  double point[SUP_PATCH_MAX_CORNERS][3]; /* [m] */
  double centre[3], normal[3];            /* [m]; unit, from A to B */
  double area;                            /* [m^2] */
  double pressure;                        /* normal force over the area [Pa]; of a point 0 */
  double traction[3];                     /* on B: force over the area [Pa]; of a point 0 */
  double force[3];                        /* on B [N] */
  double slip[3];                         /* tangential velocity of B relative to A [m/s] */
  double overlap;                         /* at the centre [m] */
} sup_contact_patch;

/** A point of a body whose world position is followed. */
typedef struct sup_probe_def {
  char   name[SUP_NAME_MAX];
  char   body[2 * SUP_NAME_MAX]; /* "ROBOT/LINK", rigid or soft body */
  double point[3]; /* soft: reference coordinates of its mesh; else the link's frame [m] */
  int    marker;   /* SUP_INITIALISED */
} sup_probe_def;
#define SUP_DEFAULT_PROBE_DEF \
  { .marker = SUP_INITIALISED }

typedef struct sup_simulator_def {
  const sup_model *model; /* outlives the simulator */
  sup_options      options;
  int              num_pairs;
  char (*pair)[2][2 * SUP_NAME_MAX]; /* [num_pairs] bodies A (or "all"), B of observables
                                        contact.A.B.* */
  int            num_probes;
  sup_probe_def *probes; /* [num_probes] */
  int            marker; /* SUP_INITIALISED */
} sup_simulator_def;
#define SUP_DEFAULT_SIMULATOR_DEF \
  { .marker = SUP_INITIALISED, .options = SUP_DEFAULT_OPTIONS }

typedef struct sup_simulator sup_simulator;

SUP_API sup_probe_def     sup_default_probe_def(void); /* the body's origin */
SUP_API sup_simulator_def sup_default_simulator_def(void);
/** A simulator at time 0.  Data of the definition may be freed afterwards, except the model. E_ARG
 * names an option, pair or probe that is not possible. */
SUP_API SUP_NODISCARD sup_status sup_simulator_create(sup_simulator          **simulator,
                                                      const sup_simulator_def *def);
SUP_API void                     sup_simulator_destroy(sup_simulator **simulator);

/* ---- time ------------------------------------------------------------------------------------ */

/** One increment.  On failure the state is that before it.
 *  @param[out] report  may be NULL */
SUP_API SUP_NODISCARD sup_status sup_simulator_step(sup_simulator   *simulator,
                                                    sup_step_report *report);
/** Asked after every increment; not 0: stop. */
typedef int sup_progress_function(const sup_simulator *simulator, const sup_step_report *report,
                                  void *user);
/** Increments up to this time; with sup_options.accuracy the last one ends there.
 *  @param[in] progress  may be NULL
 *  E_INTERRUPTED: `progress` said so. */
SUP_API SUP_NODISCARD sup_status sup_simulator_run(sup_simulator *simulator, double end,
                                                   sup_progress_function *progress, void *user);
/** Load steps from the present state to the static equilibrium under what acts at options->end,
 * with inputs that were set; its time is then that one, nothing moves.  What is read is of the
 * last.
 *  @param[in] options   of a scene: sup_scene_static_options
 *  @param[in] progress  asked after every load step; may be NULL
 *  E_ARG: the state's time is not before the end, and what sup_options or loads do not have at
 * rest. E_NOT_CONVERGED: the state is that of the last load step that balances.  E_INTERRUPTED:
 * `progress`, or options->should_stop, said so. */
SUP_API SUP_NODISCARD sup_status sup_simulator_equilibrate(sup_simulator            *simulator,
                                                           const sup_static_options *options,
                                                           sup_progress_function    *progress,
                                                           void                     *user);
/** Back to time 0, without inputs. */
SUP_API SUP_NODISCARD sup_status sup_simulator_reset(sup_simulator *simulator);
SUP_API double                   sup_simulator_time(const sup_simulator *simulator);
/** Length of its steps, of controlled ones that of the first [s]. */
SUP_API double sup_simulator_step_size(const sup_simulator *simulator);
SUP_API long   sup_simulator_steps(const sup_simulator *simulator);
/** The state, to be copied, hashed or saved. */
SUP_API const sup_state *sup_simulator_state(const sup_simulator *simulator);
/** Go on from a state of the same model, with its inputs.  Forces are unknown until a step.
 *  E_ARG: a state of another model. */
SUP_API SUP_NODISCARD sup_status sup_simulator_set_state(sup_simulator   *simulator,
                                                         const sup_state *state);

/** Set positions or velocities of the state: quantities POSE, VELOCITY (of bodies that float
 * freely, and of soft ones as rigid), TREE_ and JOINT_ POSITION and VELOCITY, VERTICES,
 * VERTEX_VELOCITIES.  A soft body's pose turns it as it is about its centre of mass.  Attached
 * bodies go with their link, coupled joints with their leader; held, attached and tied vertices
 * keep the places of what moves them.  Quaternions get the length 1.  Overlaps are what they are:
 * SUP_READ_OVERLAP measures them.
 *  @param[in] value  [count] as sup_simulator_read has them
 *  E_ARG, and the state is as before: no such object, another count, a number that is not finite,
 * another quantity, a body that something else moves, a joint beyond its limits, a constraint that
 * would be torn. */
SUP_API SUP_NODISCARD sup_status sup_simulator_assign(sup_simulator *simulator,
                                                      sup_quantity quantity, int handle,
                                                      const double *value, int count);
/** A position or velocity that is set. */
typedef struct sup_assignment {
  sup_quantity  quantity;
  int           handle;
  const double *value; /* [count] */
  int           count;
} sup_assignment;
/** Several in their order, of which limits and constraints are asked behind the last: bodies that
 * are joined, and joints of loops, are set together.  All, or with an error none. */
SUP_API SUP_NODISCARD sup_status sup_simulator_assign_all(sup_simulator        *simulator,
                                                          const sup_assignment *assignment,
                                                          int                   num);
/** Forces and contacts at the state: what is read afterwards is of the step from here, which is not
 * made.
 *  @param[out] report  of that step; may be NULL
 *  E_NOT_CONVERGED: as sup_simulator_step. */
SUP_API SUP_NODISCARD sup_status sup_simulator_evaluate(sup_simulator   *simulator,
                                                        sup_step_report *report);
/** An eigenmode; its amplitude is that of a modal mass of 1 kg. */
typedef struct sup_mode {
  double omega2;    /* [rad^2/s^2]; 0: a rigid motion; negative: it grows */
  double frequency; /* [Hz]; of a mode that grows its rate over 2 pi [1/s] */
  double damping;   /* share of the critical damping [-] */
  double mass[3];   /* effective masses along the world's axes [kg] */
  int    body;      /* with most of the kinetic energy: tree or number of trees + soft body .. */
  double share;     /* .. and its share of that */
  double residual;  /* of K phi = omega^2 M phi, over both sides [-] */
  double reach;     /* largest velocity of a vertex or a link's centre of mass at rate 1 [m] */
} sup_mode;
/** Modes of the lowest frequencies about the present state, whose velocities do not count, as
 * `supple modes` has them; none below the last is missed.
 *  @param[in]  options    of a scene: sup_scene_static_options
 *  @param[in]  is_loaded  1: about an equilibrium (sup_simulator_equilibrate), with all loads of
 * its time; 0: without gravity and loads
 *  @param[out] mode       [num] by frequency
 *  @param[out] count      of them, at most num
 *  E_ARG: bodies without a matrix. */
SUP_API SUP_NODISCARD sup_status sup_simulator_modes(sup_simulator            *simulator,
                                                     const sup_static_options *options,
                                                     int is_loaded, int num, sup_mode *mode,
                                                     int *count);
/** Go on with other sup_options.dt [s] and tolerance [-]; 0: as it is.  E_ARG: one is not
 * possible, or dt of steps of controlled length. */
SUP_API SUP_NODISCARD sup_status sup_simulator_tune(sup_simulator *simulator, double dt,
                                                    double tolerance);
/** sup_state_save of the simulator's state. */
SUP_API SUP_NODISCARD sup_status sup_simulator_save(const sup_simulator *simulator,
                                                    const char          *path);
/** sup_state_load and sup_simulator_set_state in one. */
SUP_API SUP_NODISCARD sup_status sup_simulator_restore(sup_simulator *simulator, const char *path);
/** Bytes of a structure as the library has it, for bindings of other languages: "patch",
 * "options", "report", "mode"; 0: it has no such name. */
SUP_API size_t sup_binding_size(const char *name);

/* ---- objects -------------------------------------------------------------------------------- */

/** A kind's name in the list above; NULL behind the last. */
SUP_API const char *sup_object_name(sup_object kind);
SUP_API int         sup_simulator_count(const sup_simulator *simulator, sup_object kind);
/** Write the name of an object into text [size]; returns text.  Empty: there is no such object. */
SUP_API const char *sup_simulator_name(const sup_simulator *simulator, sup_object kind, int handle,
                                       char *text, size_t size);
/** E_ARG: nothing of that kind has this name; the nearest one that has.  The scene needs none. */
SUP_API SUP_NODISCARD sup_status sup_simulator_find(const sup_simulator *simulator, sup_object kind,
                                                    const char *name, int *handle);

/* ---- reading --------------------------------------------------------------------------------- */

/** Kind of object that has a quantity. */
SUP_API sup_object sup_quantity_object(sup_quantity quantity);
/** A quantity's name in the list above; NULL behind the last. */
SUP_API const char *sup_quantity_name(sup_quantity quantity);
/** E_ARG: no such object.  E_MEMORY. */
SUP_API SUP_NODISCARD sup_status sup_simulator_read(sup_simulator *simulator, sup_quantity quantity,
                                                    int handle, sup_array *array);
/** Contacts of a pair that press, or of all pairs (SUP_NONE); valid until the next step, reset or
 * sup_simulator_set_state.  @param[out] patch  [*count] */
SUP_API SUP_NODISCARD sup_status sup_simulator_contacts(sup_simulator *simulator, int pair,
                                                        const sup_contact_patch **patch,
                                                        int                      *count);
/** A column of history.csv by its name (`supple help columns`): "energy.kinetic",
 * "contact.A.B.fx" of the definition's pairs, "probe.tip.z".
 *  E_ARG: there is none of that name, with the nearest one. */
SUP_API SUP_NODISCARD sup_status sup_simulator_find_observable(sup_simulator *simulator,
                                                               const char *column, int *observable);
/** Name of an observable from 0 on, the order of history.csv; NULL behind the last. */
SUP_API const char *sup_simulator_observable_name(sup_simulator *simulator, int observable);
/** Value of an observable now; NAN when it has none. */
SUP_API SUP_NODISCARD sup_status sup_simulator_observe(sup_simulator *simulator, int observable,
                                                       double *value);
/** Cells of a soft body's mesh.  @param[out] cell  [*num_cells x *corners] vertices, VTK order */
SUP_API SUP_NODISCARD sup_status sup_simulator_cells(const sup_simulator *simulator, int soft,
                                                     const int **cell, int *num_cells,
                                                     int *corners);

/* ---- setting --------------------------------------------------------------------------------- */

SUP_API sup_object sup_input_object(sup_input input);
/** An input's name in the list above; NULL behind the last. */
SUP_API const char *sup_input_name(sup_input input);
/** Set an input of an object before the next step.
 *  @param[in] value     [count]
 *  @param[in] duration  of inputs that may last: time of a linear ramp from the present value [s];
 * 0: a jump, also of a base or hold.  0 for all others.
 *  E_ARG: no such object, another count, a number that is not finite. */
SUP_API SUP_NODISCARD sup_status sup_simulator_set(sup_simulator *simulator, sup_input input,
                                                   int handle, const double *value, int count,
                                                   double duration);
/** Clear all inputs. */
SUP_API void sup_simulator_clear(sup_simulator *simulator);

/* ---- dynamics of a tree at the present state ------------------------------------------------- */

/** Mass matrix with the inertia of rotors.  @param[out] M  [nv x nv] [kg, kg m, kg m^2] */
SUP_API SUP_NODISCARD sup_status sup_simulator_mass_matrix(const sup_simulator *simulator, int tree,
                                                           double *M);
/** Efforts that keep the tree at this velocity: M vdot + bias = efforts; no joint damping and
 * springs.  @param[out] bias  [nv] [N, N m] */
SUP_API SUP_NODISCARD sup_status sup_simulator_bias(const sup_simulator *simulator, int tree,
                                                    double *bias);
/** Efforts that hold the tree against gravity at rest.  @param[out] effort  [nv] [N, N m] */
SUP_API SUP_NODISCARD sup_status sup_simulator_gravity_efforts(const sup_simulator *simulator,
                                                               int tree, double *effort);
/** Jacobian of a point fixed to a link: velocity = J v + that of the base.
 *  @param[in]  body   the link, of a tree
 *  @param[in]  point  [3] in the link's frame [m]
 *  @param[out] J      [6 x nv of its tree]: rows of the velocity, then the angular velocity; world
 */
SUP_API SUP_NODISCARD sup_status sup_simulator_jacobian(const sup_simulator *simulator, int body,
                                                        const double point[3], double *J);
/** Joint positions that place a frame of a link: damped least squares within the limits, from q and
 * then from other starts; of redundant arms those near q.  Joints of one coordinate move, and what
 * follows loops of active constraints.  The state stays as it is.
 *  @param[in]     body    the link, of a robot
 *  @param[in]     X_LF    the frame in the link
 *  @param[in]     X_WF    its goal in the world, for the base's place now
 *  @param[in,out] q       [nq of its tree] start; the nearest positions found [m, rad]
 *  @param[out]    report  whether they reach the goal, and the joints at their limits
 *  E_ARG: no link of a robot, numbers that are not finite. */
SUP_API SUP_NODISCARD sup_status sup_simulator_inverse_kinematics(const sup_simulator *simulator,
                                                                  int body, const sup_pose *X_LF,
                                                                  const sup_pose *X_WF,
                                                                  sup_ik_rotation rotation,
                                                                  double *q, sup_ik_report *report);

#ifdef __cplusplus
}
#endif
