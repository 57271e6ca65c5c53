/** Iteration towards the equilibrium of a load step (THEORY 18.2): the machinery of a step without
 * inertia, damping and relaxation, in Newton's method with a trust radius and proximal weights.
 * Private to layer step.
 *
 *      equilibrium.c       the iteration: predict, step, test
 *      linearisation.c     A, p, contacts and their rows about an iterate; residual; reuse of A
 *      newton_step.c       convex problem, trust radius, line search; weights of the next one
 *      saddle_escape.c     test of a balance, step down from a saddle
 *      static_error.c      residual of an iterate over the forces
 *      static_failure.c    message without an equilibrium
 *      critical_load.c     limit load or bifurcation that a failed load step met
 *      static_equations.c  residual and its derivative, outside of the iteration
 *
 *  Unknowns are v = displacement / h with h the duration of the load step.  Elastic forces,
 * contacts, springs and the positions of attached vertices are linear about the last iterate, so
 * that the iteration converges to the equilibrium of the true forces; only friction and drives
 * depend on the load step's start.
 *
 *  Functions of values: static_softs.h, static_trees.h, saddle.h; policies load_cuts.h,
 * matrix_reuse.h, proximal_weight.h, stopping.h, step_length.h, subspace.h, tree_weight.h,
 * trust_radius.h. */
#pragma once

#include "step/end.h"
#include "step/static/matrix_reuse.h"
#include "step/static/static_trees.h"
#include "step/static/statics.h"
#include "step/static/step_length.h"
#include "step/static/stopping.h"
#include "step/static/trust_radius.h"
#include "step/strategy/true_cost.h"

/** Phase of the iteration: the K in A, and the test of the next step (THEORY 18.2). */
typedef enum sup_static_phase {
  SUP_STATIC_START,     /* exact K about the start of the load step; the cost must fall */
  SUP_STATIC_GLOBAL,    /* exact K about the iterate; the cost must fall */
  SUP_STATIC_LOCAL,     /* near a balance: A may be reused; the next error must fall */
  SUP_STATIC_PROJECTED, /* after a refused step: positive semidefinite K; the cost must fall */
  SUP_STATIC_ESCAPE     /* after a saddle: exact K, shifted where A is not positive definite */
} sup_static_phase;

enum { SUP_EQUILIBRIUM_TEXT = 3 * SUP_BLOCK_NAME_SIZE };

/** Outcome of one load step: data, not a status. */
typedef struct sup_equilibrium {
  sup_static_end  end;
  sup_step_report report;
  sup_reason      reason;      /* of the last convex problem */
  double          error;       /* largest residual of a body over its forces [-] .. */
  int             worst_block; /* .. of this body's largest */
  char            text[SUP_EQUILIBRIUM_TEXT]; /* without a balance the reason, and advice */
} sup_equilibrium;

typedef struct sup_static_iteration {
  /* products of the stages, which belong to the stepper */
  sup_assembly        *assembly;
  sup_contact_problem *contacts;
  sup_step_solution   *solution;
  sup_step_end        *end; /* next: the next iterate */
  sup_reduction       *reduction;
  /* of the load step */
  const sup_static_options *options;
  const sup_statics        *memory;
  const sup_origins        *origins; /* of the contacts; NULL: they are searched */
  sup_arena                *arena;   /* of the whole load step */
  int                       is_held; /* 1: no body can move rigidly */
  sup_increment             seen;    /* increment for contact search, without free fall */
  sup_kinematics            kin0;    /* at its start, with the bases' velocities */
  sup_trust_radius          trust;
  double **force0, *energy0; /* elastic at the start: [num_softs][num_vertices x 3] [N], [J] */
  /* of the next convex problem; no effect on the balance */
  sup_static_phase phase;
  double           soft_weight; /* proximal weight of soft bodies: M in A over the cells' K [-] */
  double tree_weight; /* least one of trees: beside stiff contact less would be round-off [-] */
  /* of the last linearisation */
  sup_step_start   start; /* kinematics where A and p are linear; arena of the iteration */
  sup_static_trees trees;
  sup_problem      problem;
  sup_true_cost    cost;   /* its base is the iterate */
  double          *r;      /* [num_scalars] residual [N or N m] */
  double          *push;   /* [num_blocks] sizes of impulses of constraints [N s] */
  double          *before; /* [num_scalars] velocities of the previous linearisation */
  sup_matrix_reuse reuse;
  /* of the last step */
  sup_step_length length;
  double         *way; /* [num_blocks] displacements before the step was shortened [m] */
  double overshoot;    /* largest displacement over the trust radius; > 1: the step was shortened */
  int    is_minimum;   /* 1: the factor shows that A is positive definite at the step's solution */
  int    undone;       /* local steps that did not reduce the error */
  /* of saddles */
  int    left;  /* number of saddles met */
  double shift; /* last shift of A's diagonal that made A positive definite */

  sup_static_progress progress;
  sup_equilibrium     out;
} sup_static_iteration;

/** Equilibrium at the end of a load step, it->out; it->end and its result then describe it.  Set:
 * products, options, memory, is_held, and the start but its kinematics.
 *  @param[in] is_cut  a longer load step from there failed: no prediction */
SUP_NODISCARD sup_status sup_equilibrium_find(sup_static_iteration *it, int is_cut);
/** Start of a load step without an iterate: memory, weights, cost. */
SUP_NODISCARD sup_status sup_equilibrium_begin(sup_static_iteration *it);
/** it->out.text: place, reason and advice of a load step that found no equilibrium. */
SUP_NODISCARD sup_status sup_equilibrium_explain(sup_static_iteration *it);

/** Result at the iterate of the last linearisation: soft bodies relax, bodies are at rest.  Arrays
 * from the arena. */
SUP_NODISCARD sup_status sup_statics_result(sup_static_iteration *it, sup_arena *arena);

/* ---- linearisation --------------------------------------------------------------------------- */

/** E_ARG: a constraint that has no part in the stiffness, as one of links alone. */
SUP_NODISCARD sup_status sup_statics_check_constraints(const sup_model *model);
/** A, p and the rows about it->end->next, after the solution's v, and the residual there; in the
 * phase START about the start.  A has the K of the phase; GLOBAL becomes LOCAL, and back.
 *  @param[in] is_kept  A and its factor stay, p has the forces of the iterate */
SUP_NODISCARD sup_status sup_statics_linearise(sup_static_iteration *it, int is_kept);
/** Contacts at `at`, their rows, it->problem, laws and memory of the solution's impulses;
 * kinematics and attachments are those of `at`. */
SUP_NODISCARD sup_status sup_statics_constrain(sup_static_iteration *it, const sup_state *at);
/** Linearise at the next iterate.  A local step that did not reduce the error is undone. */
SUP_NODISCARD sup_status sup_statics_relinearise(sup_static_iteration *it);
/** it->end->next := the state at the velocities of the solution. */
SUP_NODISCARD sup_status sup_statics_move(sup_static_iteration *it);
/** The residual of the true forces at the solution's v, body by body, into it->r, it->out.error and
 * it->out.worst_block. */
void sup_statics_measure(sup_static_iteration *it);
/** True if constraints act on the body of block b.  After sup_statics_measure. */
int sup_statics_is_touched(const sup_static_iteration *it, int b);
/** True if the error decides on accepting the next step: a local step of full length, unless such a
 * step was undone. */
int sup_statics_is_tested_by_error(const sup_static_iteration *it);

/* ---- steps ----------------------------------------------------------------------------------- */

/** Step from the iterate k and weights of the next one; it->out.end is set if none is possible. */
SUP_NODISCARD sup_status sup_statics_newton_step(sup_static_iteration *it, int k);
/** Solve the convex problem and take a step towards its solution.
 *  @param[out] tries  trial points of the line search; 0: the step is refused */
SUP_NODISCARD sup_status sup_statics_advance(sup_static_iteration *it, int *tries);
/** The solution's v := the iterate. */
void sup_statics_return(const sup_static_iteration *it);
/** it->way := displacements from the iterate to the solution. */
void sup_statics_displacements(sup_static_iteration *it);

/* ---- saddles --------------------------------------------------------------------------------- */

/** Phase with the exact K: GLOBAL, or ESCAPE after a saddle. */
sup_static_phase sup_statics_exact_phase(const sup_static_iteration *it);
/** True if the factor of the last problem shows A positive definite at the problem's solution.
 */
int sup_statics_is_minimum(const sup_static_iteration *it);
/** Test an equilibrium: accept a minimum, leave a saddle. */
SUP_NODISCARD sup_status sup_statics_judge(sup_static_iteration *it, int k, int *is_left);
/** Find negative curvature of A at the last linearisation, and count it as a saddle. *is_left := 1:
 * the solution's v took a step down, and the phase is ESCAPE. */
SUP_NODISCARD sup_status sup_statics_escape_saddle(sup_static_iteration *it, int k, int *is_left);
/** Newton step after a saddle.  The exact K has negative curvature in one direction and is right in
 * all others, hence A gets the least diagonal that makes it positive definite
 * (Levenberg-Marquardt).  With the projected K, slender bodies would take very small steps. */
SUP_NODISCARD sup_status sup_statics_advance_shifted(sup_static_iteration *it, int *tries);
