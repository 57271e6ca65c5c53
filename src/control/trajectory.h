/** A trajectory of a model under controls, its cost, and its optimisation.  Layer control. */
#pragma once

#include "control/ilqr.h"
#include "control/transition.h"

/** Term w (y - target)^2 of the cost: w = weight dt in each step, final at the end. */
typedef enum sup_cost_kind {
  SUP_COST_POINT,    /* y: a world coordinate of a point of a link [m] */
  SUP_COST_POSITION, /* y: position of a joint of one velocity [m or rad] */
  SUP_COST_VELOCITY  /* y: a velocity of the state [m/s or rad/s] */
} sup_cost_kind;

typedef struct sup_cost_term {
  sup_cost_kind kind;
  int           body, axis; /* of points */
  sup_v3        point;      /* in the link's frame [m] */
  int           q, v;       /* of joints: position and velocity of the state */
  double        target, weight, final;
} sup_cost_term;

typedef struct sup_trajectory_def {
  const sup_model       *model; /* outlives the trajectory */
  sup_options            options;
  const sup_state       *start;
  int                    num_steps, num_controls, num_terms, threads; /* threads 0: all */
  const sup_control_def *controls;
  const double          *low, *high, *effort; /* [num_controls] bounds; weights in each dt of u^2 */
  const sup_cost_term   *terms;
} sup_trajectory_def;

typedef struct sup_trajectory sup_trajectory;

/** Seconds of wall time that parts of the optimisation took. */
typedef struct sup_trajectory_times {
  double rollouts, derivatives;
  int    num_rollouts, num_derivatives; /* of whole trajectories */
} sup_trajectory_times;

/** A trajectory whose controls hold the start against gravity: efforts of a robot at rest, targets
 * of drives where the joints are.  The definition's arrays are copied.  E_ARG as of
 * sup_transition_create. */
SUP_NODISCARD sup_status sup_trajectory_create(sup_trajectory          **trajectory,
                                               const sup_trajectory_def *def);
void                     sup_trajectory_destroy(sup_trajectory **trajectory);
/** Optimise from the present controls. */
SUP_NODISCARD sup_status sup_trajectory_optimise(sup_trajectory         *trajectory,
                                                 const sup_ilqr_options *options,
                                                 sup_ilqr_report        *report);
/** Begin `steps` later: controls move forward, the last ones are repeated. */
SUP_NODISCARD sup_status sup_trajectory_shift(sup_trajectory *trajectory, int steps);
/** Controls [num_steps x num_u], policy; the trajectory's own memory. */
const double          *sup_trajectory_controls(const sup_trajectory *trajectory);
const sup_ilqr_policy *sup_trajectory_policy(const sup_trajectory *trajectory);
/** Cost of one state: weighted by dt, or with the final weights. */
SUP_NODISCARD sup_status sup_trajectory_cost(sup_trajectory *trajectory, const sup_state *state,
                                             int is_final, double *cost);
/** y [num_terms] of a state. */
SUP_NODISCARD sup_status sup_trajectory_measure(sup_trajectory *trajectory, const sup_state *state,
                                                double *y);
sup_trajectory_times     sup_trajectory_time(const sup_trajectory *trajectory);
const sup_transition    *sup_trajectory_transition(const sup_trajectory *trajectory);
