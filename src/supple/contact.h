/** Contact: laws, properties of surfaces, rules for pairs of bodies. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Contact laws: one file law/NAME.c each. */
#define SUP_CONTACT_LAW_LIST(X) \
  X(SAP, sap)                   \
  X(LAGGED, lagged)             \
  X(SIMILAR, similar)
/** Friction models, THEORY 6.2, 6.4, 6.5: name in scenes, contact law, 1 for the regularised ones,
 * meaning.  Regularised: eps = max(v_s, sigma w mu gn0), P0 eq. 26, with the normal impulse gn0 of
 * the step's start.  SAP has its own normal law, a spring with relaxation time.  COUPLED: Lagged
 * with the normal impulse of the same step, THEORY 16; no convex problem. */
#define SUP_CONTACT_MODEL_LIST(X)                                                            \
  X(LAGGED, lagged, LAGGED, 0, "friction by the normal impulse of the step's start; convex") \
  X(LAGGED_REGULARIZED, lagged_regularized, LAGGED, 1,                                       \
    "lagged, with a slip that grows with that impulse")                                      \
  X(SIMILAR, similar, SIMILAR, 0, "friction by a normal law that slip shifts; convex")       \
  X(SIMILAR_REGULARIZED, similar_regularized, SIMILAR, 1,                                    \
    "similar, with a slip that grows with the impulse")                                      \
  X(SAP, sap, SAP, 0, "springs with relaxation time on the friction cone; convex")           \
  X(COUPLED, coupled, LAGGED, 0, "friction by the normal impulse of the same step")
typedef enum sup_contact_model {
#define SUP_CONTACT_MODEL_ENTRY(NAME, name, LAW, is_regularized, meaning) SUP_MODEL_##NAME,
  SUP_CONTACT_MODEL_LIST(SUP_CONTACT_MODEL_ENTRY)
#undef SUP_CONTACT_MODEL_ENTRY
      SUP_NUM_CONTACT_MODELS
} sup_contact_model;

/** Growth of friction with slip up to its bound: f of s = |v_t|/v_s (law/friction_softening.h). */
#define SUP_FRICTION_SOFTENING_LIST(X)                                      \
  X(SOFT_NORM, soft_norm, "s/sqrt(1 + s^2), below its bound at any slip s") \
  X(LINEAR, linear, "s up to the bound at s = 1")                           \
  X(QUADRATIC, quadratic, "2 s - s^2 up to the bound at s = 1")
typedef enum sup_friction_softening {
#define SUP_FRICTION_SOFTENING_ENTRY(NAME, name, meaning) SUP_FRICTION_SOFTENING_##NAME,
  SUP_FRICTION_SOFTENING_LIST(SUP_FRICTION_SOFTENING_ENTRY)
#undef SUP_FRICTION_SOFTENING_ENTRY
      SUP_NUM_FRICTION_SOFTENINGS
} sup_friction_softening;

/** Normal laws of all models but SAP, THEORY 6.3: one file law/normal_NAME.c each. */
#define SUP_NORMAL_LAW_LIST(X)                                                             \
  X(HUNT_CROSSLEY, hunt_crossley, "a spring whose force grows with the speed of approach") \
  X(KELVIN_VOIGT, kelvin_voigt, "a spring and a damper in parallel, never drawing")        \
  X(HERTZ, hertz, "a sphere's force of point contact, overlap^1.5")                        \
  X(LOG_BARRIER, log_barrier, "a force energy/gap at any gap; bodies never touch")         \
  X(IPC_BARRIER, ipc_barrier,                                                              \
    "a force that begins at a gap and grows without bound; bodies never touch")
typedef enum sup_normal_law {
#define SUP_NORMAL_LAW_ENTRY(NAME, name, meaning) SUP_NORMAL_##NAME,
  SUP_NORMAL_LAW_LIST(SUP_NORMAL_LAW_ENTRY)
#undef SUP_NORMAL_LAW_ENTRY
      SUP_NUM_NORMAL_LAWS
} sup_normal_law;

/** Pressure field in a body that is given by cells (geom/field/volume_field.h, THEORY 9.1): the
 * distance to the surface, or smoother, a harmonic function. */
typedef enum sup_field_kind { SUP_FIELD_DISTANCE, SUP_FIELD_HARMONIC } sup_field_kind;

/** Contact properties of a surface. */
typedef struct sup_contact_def {
  double friction;             /* mu [-]; of motion when static_friction is larger */
  double static_friction;      /* mu at rest [-]; no effect when not above `friction` */
  double rolling_friction;     /* c_r: moment against rolling over the normal force [m]; points */
  double torsional_friction;   /* rho: moment against spin over sliding friction [m]; points */
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
  double resolution; /* target edge length of the contact surface of a rigid shape [m]; 0: 10 mm,
                        and a 50th of a shape larger than half a metre */
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
  int condim;   /* of MuJoCo: 1 without friction, 3, 4, 6; 0: none.  Of two bodies that both have it
                   the larger condim, friction and moments count, or those of the .. */
  int priority; /* .. higher priority */
  int marker;   /* SUP_INITIALISED */
} sup_contact_def;
#define SUP_DEFAULT_CONTACT_DEF                                                             \
  {                                                                                         \
    .marker = SUP_INITIALISED, .friction = 0.5, .dissipation = 10, .relaxation_time = 1e-3, \
    .anisotropy_ratio = 1, .stiffness = 2e10, .field_margin = 0.005, .field_thickness = 0.1 \
  }

/** Override of the combination rules for one pair of bodies; NAN: keep the rule's value. */
typedef struct sup_pair_def {
  char   a[2 * SUP_NAME_MAX], b[2 * SUP_NAME_MAX];
  int    disabled;
  int    model;      /* sup_contact_model; SUP_NONE: the options' */
  int    normal_law; /* sup_normal_law; SUP_NONE: the options' */
  double friction, static_friction, dissipation, relaxation_time, stiffness;
  double rolling_friction, torsional_friction; /* [m] */
  double hertz_radius;                         /* R* = 1/(1/R_a + 1/R_b) of the Hertz law [m] */
  double barrier_energy, barrier_range;        /* [J], [m] */
  double barrier_surface_energy;               /* [N/m] */
  double point_stiffness;                      /* k [N/m] of pairs in point contact */
  int    is_of_file; /* 1: of a robot's file, where entries without effect are no errors */
  int    marker;     /* SUP_INITIALISED */
} sup_pair_def;
#define SUP_DEFAULT_PAIR_DEF                                                                       \
  {                                                                                                \
    .marker = SUP_INITIALISED, .model = SUP_NONE, .normal_law = SUP_NONE, .friction = (double)NAN, \
    .static_friction = (double)NAN, .dissipation = (double)NAN, .relaxation_time = (double)NAN,    \
    .rolling_friction = (double)NAN, .torsional_friction = (double)NAN, .stiffness = (double)NAN,  \
    .point_stiffness = (double)NAN, .hertz_radius = (double)NAN, .barrier_energy = (double)NAN,    \
    .barrier_surface_energy = (double)NAN, .barrier_range = (double)NAN                            \
  }

/** Contacts of a soft surface with the exact depth of a rigid shape. */
typedef enum sup_soft_surface {
  SUP_SOFT_SURFACE_POLYGONS, /* pieces of its faces inside the shape */
  SUP_SOFT_SURFACE_VERTICES  /* one at each vertex, by the mean depth around it */
} sup_soft_surface;

/** Contact rules of all pairs of bodies; a sup_pair_def overrides them for one. */
typedef struct sup_contact_rules {
  sup_contact_model model;
  sup_normal_law    normal_law;
  double barrier_energy; /* kappa of the barriers in points: f -> kappa/phi as phi -> 0 [J] */
  double
      barrier_surface_energy; /* of soft surfaces: their pressure tends to it over the gap [N/m] */
  double barrier_range;       /* gap at which the IPC barrier begins [m] */
  double barrier_margin; /* pairs under the logarithmic barrier are given to the solver up to this
                            far apart [m] */
  sup_soft_surface soft_surface;
  double           layer; /* stiffness of soft surfaces in those of their cells, (lambda + 2 mu)/h,
                             above 0 */
  int marker;             /* SUP_INITIALISED */
} sup_contact_rules;
#define SUP_DEFAULT_CONTACT_RULES                                                                  \
  {                                                                                                \
    .marker = SUP_INITIALISED, .model = SUP_MODEL_COUPLED, .normal_law = SUP_NORMAL_HUNT_CROSSLEY, \
    .barrier_energy = 1e-5, .barrier_surface_energy = 1, .barrier_range = 1e-3,                    \
    .barrier_margin = 0.1, .layer = 10                                                             \
  }

SUP_API sup_contact_rules sup_default_contact_rules(void);
SUP_API sup_contact_def   sup_default_contact_def(void);
SUP_API sup_pair_def      sup_default_pair_def(void);

#ifdef __cplusplus
}
#endif
