/** Options of a run: time stepping and solvers. */
#pragma once

#include "supple/choices.h"
#include "supple/contact.h"
#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Solvers of the contact problem: one file solve/NAME.c each, which ends with its row of the
 * table. */
#define SUP_CONTACT_SOLVER_LIST(X)                                                        \
  X(NEWTON, newton, "the problem of the contact model, exactly")                          \
  X(NCP_PGS, ncp_pgs, "Coulomb's law, contact by contact")                                \
  X(CCP_PGS, ccp_pgs, "its convex relaxation, contact by contact")                        \
  X(LCP_PGS, lcp_pgs, "friction on a square, contact by contact")                         \
  X(RAISIM, raisim, "RaiSim's law, contact by contact")                                   \
  X(NCP_STAGGERED, ncp_staggered, "Coulomb's law, normal impulses and friction in turns") \
  X(LCP_STAGGERED, lcp_staggered, "friction on a square, in turns")                       \
  X(CCP_ADMM, ccp_admm, "the convex relaxation, all contacts at once")                    \
  X(MUJOCO, mujoco, "the convex relaxation with MuJoCo's compliance")                     \
  X(TAMSI, tamsi, "the lagged and coupled models with friction by the present normal force")
typedef enum sup_contact_solver {
#define SUP_CONTACT_SOLVER_ENTRY(NAME, name, meaning) SUP_CONTACT_SOLVER_##NAME,
  SUP_CONTACT_SOLVER_LIST(SUP_CONTACT_SOLVER_ENTRY)
#undef SUP_CONTACT_SOLVER_ENTRY
      SUP_NUM_CONTACT_SOLVERS
} sup_contact_solver;

/** Options of solvers that iterate on impulses: all but newton and tamsi. */
typedef struct sup_dual_options {
  double tolerance;      /* of the residual of the solver's law, sup_step_report.law_residual [-] */
  int    max_iterations; /* of an island in a solution; 0: the solver's own */
  double over_relaxation; /* of sweeps from contact to contact, 0 < omega < 2 */
  int    subspace; /* sweeps after which all contacts are solved at once as they are; 0: never */
  double proximal; /* of subspace and ccp_admm: proximal weight of impulses over the inverse mass */
  double alpha;    /* of mujoco: compliance over the inverse mass */
  int    warm_start;      /* 1: from the impulses of the step before; 0: from none */
  int    rigid;           /* 1: contact without the compliance of its normal law, R = 0 */
  double baumgarte;       /* rigid: share of an overlap that a step takes back, 0 .. 1 */
  double restitution;     /* normal velocity after an impact over that before, 0 .. 1; not of SAP */
  int    hand_over;       /* sup_contact_solver for residuals above .. */
  double hand_over_above; /* .. this residual; 0: never */
} sup_dual_options;
/** Coupling of friction in the contact solver tamsi (P2). */
typedef enum sup_tamsi_coupling {
  SUP_TAMSI_TWO_WAY, /* friction by the normal force of the same velocities */
  SUP_TAMSI_ONE_WAY  /* by that of the start of the step */
} sup_tamsi_coupling;
typedef struct sup_tamsi_options {
  sup_tamsi_coupling coupling;
  int                is_unlimited; /* 1: whole Newton steps, without TALS */
  int descends; /* 1: a step that TALS does not solve descends the convex cost before it is divided
                 */
  int is_quasi; /* 1: a factor is reused while the iteration converges */
  int max_iterations; /* of a step or substep */
  int max_substeps;   /* into which a step is divided that Newton does not solve; 1: none */
} sup_tamsi_options;

/** Form in which PETSc gets the matrix of soft bodies. */
typedef enum sup_petsc_matrix {
  SUP_PETSC_MATRIX_STORED,
  SUP_PETSC_MATRIX_FREE /* products, cell by cell: less memory and more time; bricks and T10 that
                           are linear or corotational, on one rank */
} sup_petsc_matrix;

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

/** Line search of Newton's method (solve/newton/line_search.h). */
#define SUP_LINE_SEARCH_LIST(X) \
  X(EXACT, exact)               \
  X(ARMIJO, armijo)
typedef enum sup_line_search_kind {
#define SUP_LINE_SEARCH_ENTRY(NAME, name) SUP_LINE_SEARCH_##NAME,
  SUP_LINE_SEARCH_LIST(SUP_LINE_SEARCH_ENTRY)
#undef SUP_LINE_SEARCH_ENTRY
      SUP_NUM_LINE_SEARCHES
} sup_line_search_kind;

/** Law of a sticking contact (THEORY 16.6): the regularised law, which creeps, or a tangential
 * spring from an anchor that is carried from step to step. */
#define SUP_STICK_LIST(X)                             \
  X(SOFT, soft, "regularised friction, which creeps") \
  X(ELASTIC, elastic, "a spring to an anchor in the state, without creep")
typedef enum sup_stick_kind {
#define SUP_STICK_ENTRY(NAME, name, meaning) SUP_STICK_##NAME,
  SUP_STICK_LIST(SUP_STICK_ENTRY)
#undef SUP_STICK_ENTRY
      SUP_NUM_STICKS
} sup_stick_kind;

/** Steps whose length follows an estimate of their error (THEORY 17): the largest of |E_q|/length
 * and |E_v| time/length over the free vertices and joints, E_q, E_v the errors of the step's
 * position and velocity; angles count as lengths of `length` a radian. */
typedef struct sup_accuracy {
  double tolerance; /* that the error of a step may have [-]; 0: steps of sup_options.dt */
  double length;    /* that errors of positions are relative to [m] */
  double time;      /* time T_c by which velocity errors are converted to displacements [s] */
  double min_step, max_step; /* [s]; what is not resolved at min_step is accepted and counted */
  double reference_step; /* reference step: stiffness of near-rigid contact, regularised friction,
                            limits and stiff drives is limited as in steps of this length [s] */
} sup_accuracy;

/** Options of a run.  They belong to a stepper; steppers with other options may share its model. */
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
  sup_petsc_matrix       petsc_matrix; /* of SUP_BACKEND_PETSC */
  sup_contact_solver     contact_solver;
  sup_dual_options       dual;
  sup_tamsi_options      tamsi;
  sup_delassus           delassus;
  double                 stiction_tolerance; /* v_s [m/s] */
  sup_friction_softening softening;          /* of friction below it; not of sap */
  sup_stick_kind         stick;              /* of lagged and coupled friction in motion */
  double
      static_slip; /* statics: statics: slip length over which friction builds up [m]; 0: v_s dt */
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
  int solver_log;       /* 1: each step keeps a log of its solver's iterations */
  int marker;           /* SUP_INITIALISED */
} sup_options;
#define SUP_DEFAULT_OPTIONS                                                                  \
  {                                                                                          \
    .marker = SUP_INITIALISED, .dt = 0.01, .scheme = {0, 1, 1}, .gravity = {0, 0, -9.81},    \
    .tolerance = 1e-5, .max_iterations = 1000, .backend = SUP_BACKEND_SUPERNODAL,            \
    .dual = {.tolerance = 1e-5,                                                              \
             .over_relaxation = 1,                                                           \
             .subspace = 6,                                                                  \
             .proximal = 1e-6,                                                               \
             .alpha = 1e-2,                                                                  \
             .warm_start = 1,                                                                \
             .baumgarte = 1,                                                                 \
             .hand_over = SUP_CONTACT_SOLVER_NEWTON,                                         \
             .hand_over_above = 1e-3},                                                       \
    .tamsi = {.descends = 1, .max_iterations = 20, .max_substeps = 20},                      \
    .delassus = SUP_DELASSUS_DIAGONAL, .stiction_tolerance = 1e-4, .sigma = 1e-3, .beta = 1, \
    .friction_sweeps = 1, .sweep_tolerance = 0.01                                            \
  }

SUP_API sup_options sup_default_options(void);

/** Options of static load stepping. */
typedef struct sup_static_options {
  double end;   /* time at which everything acts in full: tables are followed up to there [s] (1) */
  int    steps; /* load steps; each is cut in half, and again, where it does not converge (1) */
  double tolerance; /* largest residual force on a body over the forces in it [-] (1e-8) */
  int ramp; /* 1: gravity and constant loads grow linearly to their value at the end; 0: they act at
               once (1) */
  double     ramp_end; /* time at which they have grown, if not the end [s]; 0: the end (0) */
  sup_moduli moduli;   /* of viscoelastic materials (those that last) */
  int (*should_stop)(
      void *user); /* asked before every iteration; not 0: the load step ends there (NULL: never) */
  void *user;
  int   marker; /* SUP_INITIALISED */
} sup_static_options;
#define SUP_DEFAULT_STATIC_OPTIONS \
  { .marker = SUP_INITIALISED, .end = 1, .steps = 1, .tolerance = 1e-8, .ramp = 1 }

SUP_API sup_static_options sup_default_static_options(void);

#ifdef __cplusplus
}
#endif
