/** Report of a step. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reason that the solver stopped.  > 0 converged, < 0 not. */
typedef enum sup_reason {
  SUP_REASON_TOLERANCE = 1, /* momentum error below the tolerance */
  SUP_REASON_STALL = 2,     /* cost no longer changes in round-off, THEORY 5.2 */
  SUP_REASON_ABSOLUTE =
      3, /* no momentum residual, or one of positions within round-off; THEORY 5.2 */
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

/** Work of an iterative linear solver in a step; zero: a direct one. */
typedef struct sup_linear_work {
  int    iterations; /* of all its solutions */
  int    missed;     /* solutions that did not reach their tolerance */
  double residual; /* largest of a solution, of the missed ones if any: ||D (b - H x)|| / ||D b||, D
                      = diag(H)^(-1/2) */
  const char *reason; /* outcome of that solution, in the backend's word; NULL: none */
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
                          impulse: error of the normal impulse that bounds friction */
  int    friction_at_cap;   /* 1: sweeps or their relaxation ended at their cap */
  int    ambiguous;         /* islands whose coupled friction has several solutions (THEORY 16.3) */
  int    ambiguous_pair;    /* of the model, that one of them is most about; SUP_NONE */
  double momentum_error;    /* ||D r|| / max(||D A v||, ||D J^T gamma||) */
  int    substeps;          /* of tamsi: most parts into which a step was divided */
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
  /* pieces of pressure fields under pressure that gave no contact: below 1e-12 of the
     squared size of the smaller body; pressure does not grow along the normal; a soft body's cell
     turned inside out */
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
  double soft_work;        /* done on them by weight, tractions, contacts and links [J] */
  double soft_damping;     /* taken by stiffness and mass damping [J] */
  double soft_relaxation;  /* by viscoelastic materials [J] */
  double joint_friction;   /* taken by dry friction of joints [J] */
  double rolling_friction; /* by rolling and torsional friction of contacts [J] */
  double gas_inflow;       /* size of the energy of gas that was added or flowed in or out [J] */
  double hold_loss;        /* by holds that began at the step's end: 1/2 |v0 - v1|^2_M [J] */
  double step_size;        /* of the step; of load steps 0 [s] */
  /* of steps with sup_options.accuracy, else 0 */
  double
      step_error; /* estimated, of the step before it is extrapolated; as accuracy.tolerance [-] */
  int rejected;   /* attempts that were too long */
  int unresolved; /* 1: the error is above the tolerance, but the step is no longer than min_step */
  int impacts;    /* soft bodies whose step of BDF2 was an impact and became one of first order */
  /* of sup_static_step */
  int load_cuts; /* times that the load step was cut in half */
  int held_back; /* iterations with raised proximal weight, since the body was unstable on the path
                  */
  int saddles; /* equilibria that were saddles of the energy, each left along its negative curvature
                */
  int saddle_directions;  /* in which the energy falls from the first of them: negative eigenvalues;
                             6: or more */
  int  is_saddle;         /* 1: a saddle could not be left and is the final state */
  char saddle_place[200]; /* point with the largest motion away from the first saddle, "vertex 3 of
                             'arch' at .." */
  double snap_energy; /* elastic energy released on the path; large relative to its change if a body
                         snaps [J] */
  double seconds[SUP_NUM_PHASES]; /* per phase, names by sup_phase_name */
  size_t arena_peak;              /* bytes */
} sup_step_report;

SUP_API const char *sup_phase_name(int phase);
SUP_API const char *sup_reason_text(sup_reason reason);

#ifdef __cplusplus
}
#endif
