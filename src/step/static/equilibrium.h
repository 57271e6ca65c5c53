/** Iteration towards the equilibrium of a load step (THEORY 18.2): Newton's method with a trust
 * radius and proximal weights.  Private to layer step.
 *
 *      equilibrium.c       the iteration: predict, step, test
 *      linearisation.c     A, p, contacts and their rows about an iterate; residual; reuse of A
 *      newton_step.c       convex problem, trust radius, line search; weights of the next one
 *      saddle_escape.c     test of a balance, step down from a saddle
 *      static_error.c      residual of an iterate over the forces
 *
 *  Policies are functions of values: load_cuts.h, matrix_reuse.h, proximal_weight.h, stopping.h,
 * step_length.h, subspace.h, tree_weight.h, trust_radius.h. */
#pragma once

#include "step/static/matrix_reuse.h"
#include "step/static/statics.h"
#include "step/static/step_length.h"
#include "step/static/stopping.h"
#include "step/static/trust_radius.h"
#include "step/strategy/true_cost.h"

typedef struct sup_static_iteration {
  sup_stepper              *s;
  const sup_state          *state; /* at the load step's start */
  const sup_static_options *options;
  sup_arena                *arena;   /* of the whole load step */
  sup_increment             seen;    /* for collisions: nothing falls */
  sup_kinematics            start;   /* kinematics there, with the bases' velocities */
  int                       is_held; /* 1: no body can move rigidly */
  sup_trust_radius          trust;
  double **force0, *energy0; /* elastic at the start: [num_softs][num_vertices x 3] [N], [J] */
  /* of the last linearisation */
  sup_problem      problem;
  sup_true_cost    cost;   /* its base is the iterate */
  double          *r;      /* [num_scalars] residual [N or N m] */
  double          *push;   /* [num_blocks] sizes of impulses of constraints [N s] */
  double          *before; /* [num_scalars] velocities of the one before */
  sup_matrix_reuse reuse;
  /* of the last step */
  sup_step_length length;
  double         *way;        /* [num_blocks] before it was shortened [m] */
  double          overshoot;  /* longest way over the trust radius: > 1 was shortened */
  int             is_minimum; /* 1: its factor shows A positive definite at its solution */
  int             undone;     /* local steps that did not reduce the error */
  /* of saddles */
  int    left;  /* number of saddles met */
  double shift; /* of A's diagonal that last made A positive definite */

  sup_static_progress progress;
} sup_static_iteration;

/* ---- linearisation --------------------------------------------------------------------------- */

/** A, p and the rows about s->end.next, after s->solution.v, and the residual there; in the phase
 * START about the start.  A has the K of the phase; GLOBAL becomes LOCAL, and back.
 *  @param[in] is_kept  A and its factor stay, p has the forces of the iterate
 *  @param[in,out] out  error before (HUGE_VAL: none) and there */
SUP_NODISCARD sup_status sup_statics_linearise(sup_static_iteration *it, int is_kept,
                                               sup_equilibrium *out);
/** Linearise at the next iterate, s->end.next.  A local step that did not reduce the error is
 * undone. */
SUP_NODISCARD sup_status sup_statics_relinearise(sup_static_iteration *it, sup_equilibrium *out);
/** s->end.next := the state at the velocities s->solution.v. */
SUP_NODISCARD sup_status sup_statics_move(sup_static_iteration *it);
/** The residual of the true forces at s->solution.v, body by body, into it->r, out->error and
 * out->worst_block. */
void sup_statics_measure(sup_static_iteration *it, sup_equilibrium *out);
/** True if constraints act on the body of block b.  After sup_statics_measure. */
int sup_statics_is_touched(const sup_static_iteration *it, int b);
/** True if the error decides on the next step: a local one of full length, until one was undone. */
int sup_statics_is_tested_by_error(const sup_static_iteration *it);

/* ---- steps ----------------------------------------------------------------------------------- */

/** Step from the iterate k and weights of the next one; out->end is set if none is possible. */
SUP_NODISCARD sup_status sup_statics_newton_step(sup_static_iteration *it, int k,
                                                 sup_equilibrium *out);
/** Solve the convex problem and take a step towards its solution, s->solution.v.
 *  @param[out] tries  trial points of the line search; 0: the step is refused */
SUP_NODISCARD sup_status sup_statics_advance(sup_static_iteration *it, int *tries,
                                             sup_equilibrium *out);
/** s->solution.v := the iterate. */
void sup_statics_return(const sup_static_iteration *it);
/** it->way := displacements from the iterate to s->solution.v. */
void sup_statics_displacements(sup_static_iteration *it);
/** Keep elastic energies and forces of the start of the load step, the base of it->cost. */
SUP_NODISCARD sup_status sup_statics_remember_start(sup_static_iteration *it);
/** Work of the loads along the straight path between two balances, and its part that is not stored
 * (THEORY 18.7), into the report. */
void sup_statics_account(const sup_static_iteration *it, sup_step_report *report);

/* ---- saddles --------------------------------------------------------------------------------- */

/** Phase with the exact K: GLOBAL, or ESCAPE after a saddle. */
sup_static_phase sup_statics_exact_phase(const sup_static_iteration *it);
/** True if the factor of the last problem shows that A is positive definite at its solution, too.
 */
int sup_statics_is_minimum(const sup_static_iteration *it);
/** Test a balance: a minimum is accepted, a saddle is left. */
SUP_NODISCARD sup_status sup_statics_judge(sup_static_iteration *it, int k, int *is_left,
                                           sup_equilibrium *out);
/** Find negative curvature of A at the last linearisation, and count it as a saddle. *is_left := 1:
 * s->solution.v took a step down, and the phase is ESCAPE. */
SUP_NODISCARD sup_status sup_statics_escape_saddle(sup_static_iteration *it, int k, int *is_left,
                                                   sup_equilibrium *out);
/** Newton step after a saddle.  The exact K has negative curvature along one direction and is right
 * in all others: add the least diagonal that makes A positive definite (Levenberg-Marquardt). With
 * the projected K slender bodies would creep. */
SUP_NODISCARD sup_status sup_statics_advance_shifted(sup_static_iteration *it, int *tries,
                                                     sup_equilibrium *out);
