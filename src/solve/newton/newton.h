/** Newton's method on the convex problem of a step: the page that says how its solvers are
 * organised.  Private to layer solve.
 *
 *      min over v:  l(v) = 1/2 v^T A v - p^T v + sum_i l_i(J_i v + b_i)               THEORY 5.1
 *
 *  An iteration has six parts, one function each; it ends where the test gives a reason.
 *
 *      function          sup_newton_evaluate       gamma, G, r = A v - p - J^T gamma, norm of D r
 *      test              sup_newton_test           momentum error and tolerance, THEORY 5.2
 *      Jacobian          sup_newton_factor         H = A + J^T G J and its factor
 *      linear solution   sup_newton_solve          dv = -H^-1 r
 *      line search       sup_newton_line_search    alpha that lowers l along dv (line_search.h)
 *      step              sup_newton_take_step      v += alpha dv, with A v and J v + b
 *
 *  The solvers call each other downwards; each replaces the parts that its line names.
 *
 *      newton.c                   row of the table of solvers (solver.h)
 *      |  enter_domain            laws: springs for barriers, until the start is inside
 *      |  sweep                   laws: friction by the impulses of the sweep before
 *      |
 *      sup_newton_solve_laws      either of two, as the laws ask for
 *      +- sup_newton_minimise_stiff       laws: softer springs first, for near-rigid contact
 *      |  +- sup_newton_minimise          the iteration as above (newton_iteration.c)
 *      |
 *      +- sup_newton_solve_coupled        friction by the impulse of the same step: cascade
 *         |                               of starts, THEORY 16.4 (newton_cascade.c)
 *         +- sup_newton_minimise_coupled  function: friction's bounds at v; linear solution: dv
 *         |                               with the coupling (newton_coupled.c, coupling.h)
 *         +- sup_newton_solve_by_visits   start: Gauss-Seidel visits (newton_visits.c, visits.h);
 *         |  +- sup_newton_whole_steps    line search: none
 *         +- sup_newton_minimise_stiff    relaxed sweeps for the bounds
 *
 *      tamsi.c                    own function and Jacobian; step length by TALS (tals.h)
 *      step/nonlinear.c           true energies: newton.c is its linear solution; line searches
 *                                 of line_search.h on the true cost (step/true_cost.h)
 *
 *  Primal-dual Newton has slip directions as further unknowns: they change the Jacobian
 * (sup_newton_factor) and move with the step (sup_newton_advance_slip). */
#pragma once

#include "solve/accept.h"
#include "solve/newton/coupling.h"
#include "solve/newton/line_search.h"
#include "solve/solver.h"

/** Iterate: velocities, and the function there. */
typedef struct sup_newton_iterate {
  double  *v, *Av;      /* [num_scalars] velocities, A v [N s] */
  double  *vc;          /* [num_vc] constraint velocities J v + b */
  double  *gamma, *G;   /* [num_vc], [num_constraints x 9] impulses and -dgamma/dvc of the laws */
  double  *JTg, *r;     /* [num_scalars] J^T gamma, A v - p - J^T gamma [N s] */
  double  *slip;        /* [num_constraints x 2] slip directions */
  sup_law *law;         /* [num_constraints] in force: sup_solution.law */
  double   cost;        /* of the constraints at vc [J] */
  double   norm;        /* ||D r|| [sqrt(J)] */
  double   norm_before; /* norm at the iterate before; 0: no iterate before */
  double   impulse;     /* ||D J^T gamma|| [sqrt(J)] */
} sup_newton_iterate;

/** Direction from an iterate, and the quadratic part of the cost along it. */
typedef struct sup_newton_direction {
  double *v, *Av;           /* [num_scalars] dv, A dv */
  double *vc;               /* [num_vc] J dv */
  double  slope, curvature; /* dv.(A v - p), dv.A dv [J] */
} sup_newton_direction;

/** Jacobian and its factor. */
typedef struct sup_newton_hessian {
  sup_linear_solver *factor;
  sup_hessian_map    map;
  double            *value;       /* at the places of problem->H_pattern */
  int                is_factored; /* 1: the leading part of H is factored */
  int                is_reused;   /* quasi-Newton: 1: the next direction uses the present factor */
} sup_newton_hessian;

/** One solve; arrays from the arena. */
typedef struct sup_newton {
  /* inputs */
  const sup_problem       *problem;
  const sup_solve_options *options;
  sup_arena               *arena;
  int                      n;          /* scalars */
  double                  *inv_sqrt_d; /* [n] D = diag(A)^(-1/2) */
  double                   tolerance;  /* scales of the present problem */
  int                      strategy;   /* sup_strategy whose rounds these are; SUP_NONE: plain */
  bool                     has_barriers;
  /* products */
  sup_newton_iterate   x;
  sup_newton_direction d;
  sup_newton_hessian   H;
  struct {
    double *vc, *gamma, *G; /* [num_vc], [num_vc], [num_constraints x 9] at a trial point */
  } trial;
} sup_newton;

/* ---- function -------------------------------------------------------------------------------- */

/** Set up arrays from the arena, start velocities and their quantities. report->reason < 0 if A has
 * a diagonal entry that is not positive. */
SUP_NODISCARD sup_status sup_newton_create(sup_newton *s, const sup_problem *problem,
                                           sup_linear_solver       *linear,
                                           const sup_solve_options *options, sup_arena *arena,
                                           sup_solution *solution, sup_solve_report *report);
/** Compute gamma, G, the residual r = A v - p - J^T gamma and its size at the current v. */
void sup_newton_evaluate(sup_newton *s, sup_solve_report *report);
/** Compute the residual r and its size at the current v and gamma, without evaluating laws. */
void sup_newton_residual(sup_newton *s, sup_solve_report *report);
/** Compute gamma, G and the residual at s->x.v, with friction bounded by the normal impulses at
 * s->x.v. */
void sup_newton_evaluate_coupled(sup_newton *s, sup_solve_report *report);

/* ---- test ------------------------------------------------------------------------------------ */

/** Test of an iteration: 0, or the reason to end; is_last: no further iteration is allowed. */
sup_reason sup_newton_test(sup_newton *s, const sup_solve_report *report, bool is_last);
/** Reason to accept the iterate; 0: not converged. */
sup_reason sup_newton_converged(const sup_newton *s, const sup_solve_report *report);
/** Reason `other`, unless the residual is round-off; overwrites s->d.Av. */
sup_reason sup_newton_unless_round_off(sup_newton *s, const sup_solve_report *report,
                                       sup_reason other);
/** Reason to end where the line search finds no step: without a negative slope the iterate solves
 * the problem to round-off. */
sup_reason sup_newton_without_step(sup_newton *s, const sup_solve_report *report,
                                   const sup_line_result *line);
/** 1: a step of more than half of the direction changed the cost only in its last digit. */
bool sup_newton_is_still(double alpha, double before, double after);

/* ---- Jacobian -------------------------------------------------------------------------------- */

/** Slip directions of primal-dual Newton at the iterate; the primal method has none. */
void sup_newton_start_slip(sup_newton *s);
/** Update the slip directions; vc: constraint velocities before the step dvc. */
void sup_newton_advance_slip(sup_newton *s, const double *vc);
/** Compute H at the iterate (with the slip directions of primal-dual Newton) and its factor or
 * preconditioner; spd := 0 if H is not positive definite. */
SUP_NODISCARD sup_status sup_newton_factor(sup_newton *s, sup_solve_report *report, bool *spd);
/** Report that H is not positive definite, and the block column where the factor failed. */
void sup_newton_report_indefinite(const sup_newton *s, sup_solve_report *report);

/* ---- linear solution ------------------------------------------------------------------------- */

/** s->d.v := -H^-1 r by the last factor; spd as in sup_newton_factor. */
SUP_NODISCARD sup_status sup_newton_solve(sup_newton *s, sup_solve_report *report, bool *spd);
/** Factor, solve and set the direction; spd as in sup_newton_factor. */
SUP_NODISCARD sup_status sup_newton_factor_and_solve(sup_newton *s, sup_solve_report *report,
                                                     bool *spd);
/** Forcing term of iterative backends at the iterate: largest residual of the direction relative to
 * r. */
double sup_newton_forcing(const sup_newton *s, const sup_solve_report *report);
/** Relative residual for GMRES: forcing term of Eisenstat, Walker, SIAM J. Sci. Comput. 17 (1996)
 * 16, choice 2, between bounds. */
double sup_newton_coupling_forcing(const sup_newton *s);
/** Compute A dv, J dv, slope and curvature of the direction s->d.v. */
void sup_newton_set_direction(sup_newton *s);

/* ---- line search and step -------------------------------------------------------------------- */

/** Cost at x [J]. */
double sup_newton_cost(const sup_problem *problem, const sup_newton_iterate *x);
/** Slope of the cost at x along d [J]. */
double sup_newton_slope(const sup_problem *problem, const sup_newton_iterate *x,
                        const sup_newton_direction *d);
/** Largest step length: 0.9 of the distance to the end of a barrier's domain. */
double sup_newton_largest_step(const sup_newton *s);
/** Line of the cost from s->x along s->d; evaluations change s->trial alone. */
sup_line sup_newton_line(const sup_newton *s);
/** Step length by the line search of the options. */
sup_line_result sup_newton_line_search(const sup_newton *s);
/** x += alpha d, for velocities and quantities linear in velocities. */
void sup_newton_take_step(const sup_problem *problem, sup_newton_iterate *x,
                          const sup_newton_direction *d, double alpha);

/* ---- log ------------------------------------------------------------------------------------- */

/** Append the iterate to the log, with sup_solve_options.log; `line`: its line search, NULL: a
 * start. */
SUP_NODISCARD sup_status sup_newton_log(const sup_newton *s, const sup_line_result *line,
                                        sup_solve_report *report);

/* ---- solvers --------------------------------------------------------------------------------- */

/** Solve with friction by the bounds in the laws in force, or coupled, as the laws specify. */
SUP_NODISCARD sup_status sup_newton_solve_laws(sup_newton *s, sup_solve_report *report);
/** Newton for fixed gn0; s->x.v, impulses and residual are current on entry and on return. */
SUP_NODISCARD sup_status sup_newton_minimise(sup_newton *s, int max_iterations,
                                             sup_solve_report *report);
/** Newton for fixed gn0, with continuation in stiffness if contact is near-rigid (newton.c). */
SUP_NODISCARD sup_status sup_newton_minimise_stiff(sup_newton *s, sup_solve_report *report);
/** Newton with friction coupled to the normal impulse of the solution, from s->x.v
 * (newton_coupled.c).  reason < 0: not converged, s has the last iterate.
 *  @param[in] whole number of iterations that may take the whole step
 *  @param[in] most largest number of iterations
 *  @param[in] patience iterations without a halved residual after which another start, which
 * follows, is faster; 0: none follows */
SUP_NODISCARD sup_status sup_newton_minimise_coupled(sup_newton *s, sup_coupling *coupling,
                                                     int whole, int most, int patience,
                                                     sup_solve_report *report);
/** Coupled Newton with whole steps alone, without a line search, from the present s->x.v and slip
 * directions, until `patience` iterations in a row have not halved the least residual. */
SUP_NODISCARD sup_status sup_newton_whole_steps(sup_newton *s, sup_coupling *coupling, int most,
                                                int patience, sup_solve_report *report);
/** 1: Gauss-Seidel visits can solve the problem (newton_visits.c). */
bool sup_newton_can_visit(const sup_newton *s);
/** Solve by batches of visits, from the impulses of the step's start, each followed by whole Newton
 * steps.  reason 0: not converged. */
SUP_NODISCARD sup_status sup_newton_solve_by_visits(sup_newton *s, sup_coupling *coupling,
                                                    sup_solve_report *report);
/** Solve with coupled laws: the cascade of THEORY 16.4 (newton_cascade.c).  Without convergence s
 * holds the last sweep's solution, with friction by the laws of this sweep. */
SUP_NODISCARD sup_status sup_newton_solve_coupled(sup_newton *s, sup_solve_report *report);
