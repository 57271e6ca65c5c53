/** Iteration towards the equilibrium of a load step: data shared by its files.  Private to layer
 * step. */
#pragma once

#include "step/static/static_equilibrium.h"
#include "step/true_cost.h"

/** Error below which the tangent is nearly that of the balance. */
static const double sup_near_balance = 1e-3;

/** Energies of a Newton step (THEORY 18.5): compared; skipped near a balance, where the next error
 * decides; or always compared, since a skipped one was in vain. */
typedef enum sup_energy_check {
  SUP_ENERGY_CHECKED,
  SUP_ENERGY_SKIPPED,
  SUP_ENERGY_ALWAYS
} sup_energy_check;

/** Step length of iterations that cycle (THEORY 18.2). */
typedef struct sup_step_length {
  double share;        /* fraction of the Newton step that is taken */
  double least_error;  /* since the share changed last */
  double change_error; /* error when the share changed last; 0: it never did */
  int    stalled;      /* iterations that the error has not fallen below least_error */
} sup_step_length;

/** Whole steps. */
sup_step_length sup_step_length_full(void);
/** Errors are compared anew, with the share of before. */
sup_step_length sup_step_length_anew(sup_step_length length);
/** The length after an iterate with this error.
 *  @param[in] is_far  the trust radius limited the last step
 *  @param[in] has_contacts  without contact the cost falls, which ends */
sup_step_length sup_step_length_next(sup_step_length length, double error, int is_far,
                                     int has_contacts);

typedef struct sup_static_iteration {
  sup_stepper     *s;
  const sup_state *state;    /* at the load step's start */
  sup_arena       *arena;    /* of the whole load step */
  sup_increment    seen;     /* for collisions: nothing falls */
  sup_kinematics   start;    /* kinematics there, with the bases' velocities of the load step */
  double          *r;        /* [num_scalars] */
  double          *before;   /* [num_scalars] velocities of the linearisation before */
  double *energy0, **force0; /* [num_softs] of elastic forces at the start; [num_vertices x 3] */
  double *push;              /* [num_blocks] */
  sup_problem     problem;
  sup_true_cost   descent;
  int             is_held; /* nothing moves rigidly */
  double          size;    /* of the bodies [m] */
  double          radius;  /* trust radius: largest displacement of a vertex in one iteration [m] */
  sup_step_length length;  /* in cycles of contacts */
  int             best;    /* last iteration that reduced best_error by a tenth */
  double          best_error; /* smallest error since the last saddle [-] */
  int             is_far;     /* 1: the trust radius limited some body in the last iteration */
  int             since;      /* iteration at which a saddle was left last */
  int             left;       /* number of saddles that were left */
  double shift;     /* shift of A's diagonal that last made A positive definite, after a saddle */
  int    is_kept;   /* 1: A is reused from an earlier linearisation */
  double A_error;   /* error where A was assembled */
  int    contracts; /* 1: the last iteration reduced the error much */
  sup_energy_check energy;
  int is_minimum; /* 1: the factor of the last problem shows A positive definite at its solution */
} sup_static_iteration;

/** The residual of the true forces at s->solution.v, body by body, into it->r, out->error and
 * out->worst_block. */
void sup_statics_measure(sup_static_iteration *it, double tolerance, sup_equilibrium *out);
/** True if constraints act on the body of block b.  After sup_statics_measure. */
int sup_statics_is_touched(const sup_static_iteration *it, int b);
/** Largest displacement of the vertex or the joints of block b from the linearisation to
 * s->solution.v [m]. */
double sup_statics_way(const sup_static_iteration *it, int b);
/** Limit s->solution.v to the trust radius about the linearisation, by a factor for each island, so
 * that a falling body does not slow the others.  *ok := 0: not finite. */
SUP_NODISCARD sup_status sup_statics_shorten_ways(sup_static_iteration *it, int *ok);
/** A, p and the rows about s->end.next, after s->solution.v; in the first linearisation of a load
 * step about its start.  A is reused if is_kept. */
SUP_NODISCARD sup_status sup_statics_linearise(sup_static_iteration *it, int about,
                                               double *seconds);
/** Solve a convex problem and take a step towards its solution; *ok := 0: the cost does not fall.
 * Near the balance, where errors fall fast, the next error is checked instead of energies, which
 * cost more. */
SUP_NODISCARD sup_status sup_statics_advance(sup_static_iteration *it, double tolerance, int *ok,
                                             sup_equilibrium *out);
/** True if the factor of the last problem shows that A is positive definite at its solution, too.
 */
int sup_statics_is_minimum(const sup_static_iteration *it);
/** Find negative curvature of A at the last linearisation, and count it as a saddle. *is_left := 1:
 * s->solution.v took a step down. */
SUP_NODISCARD sup_status sup_statics_leave_saddle(sup_static_iteration *it, int k, int *is_left,
                                                  sup_equilibrium *out);
/** Test a balance: a minimum is accepted, a saddle is left. */
SUP_NODISCARD sup_status sup_statics_judge(sup_static_iteration *it, int k, double tolerance,
                                           int *is_left, sup_equilibrium *out);
/** Newton step after a saddle.  The exact K has negative curvature along one direction and is right
 * in all others: add the least diagonal that makes A positive definite (Levenberg-Marquardt). With
 * the projected K slender bodies would creep. */
SUP_NODISCARD sup_status sup_statics_advance_shifted(sup_static_iteration *it, double tolerance,
                                                     int *ok, sup_equilibrium *out);
