/** Plain iteration of the Newton solver, and its parts for strategies around it.  Private to
 * layer solve.
 *
 *  Newton with a line search: THEORY 5.1 (slip directions: newton_slip.c), 5.2 (stopping). */
#pragma once

#include "solve/accept.h"
#include "solve/newton/coupling.h"
#include "solve/newton/line_search.h"
#include "solve/solver.h"

/** Vectors of one solve; all from the arena. */
typedef struct sup_newton {
  const sup_problem       *problem;
  const sup_solve_options *options;
  sup_linear_solver       *factor;
  sup_arena               *arena;
  sup_hessian_map          map;
  int                      n;          /* scalars */
  double                  *inv_sqrt_d; /* D = diag(A)^(-1/2) */
  double                  *v, *Av, *r, *dv, *dp, *JTg;
  double                  *vc, *dvc, *gamma, *trial_vc, *trial_gamma, *G, *trial_G, *H;
  sup_law                 *law;         /* [num_constraints] in force: sup_solution.law */
  double                  *slip;        /* [num_constraints x 2] slip directions */
  double                  *uncoupled;   /* [n] direction without the coupling of friction */
  double                  *saved;       /* [2 n] v and A v before a trial */
  double                   tolerance;   /* of the problem under way */
  double                   cost;        /* of the constraints at v_c */
  double                   norm;        /* ||D r|| [sqrt(J)] */
  double                   norm_before; /* that of the iterate before; 0: this one is the first */
  double                   impulse;     /* ||D J^T gamma|| [sqrt(J)] */
  double A_slope, A_curvature; /* dv.(A v - p), dv.dp: the dynamics' part along the direction */
  int    strategy;      /* sup_strategy of whose rounds the iterations are; SUP_NONE: plain */
  int    factored;      /* the leading part of H is factored */
  int    reuses_factor; /* of quasi-Newton: the next direction uses the present factor */
} sup_newton;

/** Arrays from the arena, velocities of the start and quantities of these.  report->reason < 0
 * when A has a diagonal that is not positive. */
SUP_NODISCARD sup_status sup_newton_create(sup_newton *s, const sup_problem *problem,
                                           sup_linear_solver       *linear,
                                           const sup_solve_options *options, sup_arena *arena,
                                           sup_solution *solution, sup_solve_report *report);
/** gamma, G, residual r = A v - p - J^T gamma and its size at the current v. */
void sup_newton_evaluate(sup_newton *s, sup_solve_report *report);
/** Residual r and its size at the current v and gamma; laws are not evaluated. */
void sup_newton_residual(sup_newton *s, sup_solve_report *report);
/** H at s->v, factored or with a preconditioner of its own; spd is 0 when it is not positive
 * definite. */
SUP_NODISCARD sup_status sup_newton_factor(sup_newton *s, sup_solve_report *report, int *spd);
/** dv = -H^-1 r by the last factor, and its line search data. */
SUP_NODISCARD sup_status sup_newton_solve(sup_newton *s, sup_solve_report *report, int *spd);
/** Forcing term of iterative backends at s->v: largest residual of the direction relative to r. */
double sup_newton_forcing(const sup_newton *s, const sup_solve_report *report);
/** Factor and solve: dv and its line search data; spd is 0 if H is not positive definite. */
SUP_NODISCARD sup_status sup_newton_direction(sup_newton *s, sup_solve_report *report, int *spd);
/** A dv, J dv; slope and curvature of the quadratic part of the cost along dv. */
void sup_newton_set_direction(sup_newton *s);
/** Slope of the cost along dv. */
double sup_newton_slope(const sup_newton *s);
double sup_newton_cost(const sup_newton *s);
/** Largest step length: nine tenths of the distance to the end of a barrier's domain. */
double sup_newton_largest_step(const sup_newton *s);
/** sup_line_function of the cost along dv from v; user: a sup_newton. */
sup_line_value  sup_newton_line_value(double alpha, int with_curvature, void *user);
sup_line_result sup_newton_line_search(sup_newton *s);
/** v += alpha dv, and quantities linear in v. */
void sup_newton_take_step(sup_newton *s, double alpha);
/** Initialise the slip directions of the primal-dual method (newton_slip.c). */
void sup_newton_start_slip(sup_newton *s);
/** Replace G of the laws by that of the primal-dual method. */
void sup_newton_slip_hessian(sup_newton *s);
/** Update the slip directions; vc: constraint velocities before the step dvc. */
void sup_newton_advance_slip(sup_newton *s, const double *vc);
/** Reason to accept the iterate; 0: not converged. */
sup_reason sup_newton_converged(const sup_newton *s, const sup_solve_report *report);
/** `other`, unless the residual is round-off; overwrites dp. */
sup_reason sup_newton_unless_round_off(sup_newton *s, const sup_solve_report *report,
                                       sup_reason other);
/** Append the iterate to the log, with sup_solve_options.log; `line`: its line search, NULL: a
 * start. */
SUP_NODISCARD sup_status sup_newton_log(const sup_newton *s, const sup_line_result *line,
                                        sup_solve_report *report);
/** Newton for fixed gn0; s->v, impulses and residual are current on entry and on return. */
SUP_NODISCARD sup_status sup_newton_minimise(sup_newton *s, int max_iterations,
                                             sup_solve_report *report);
/** Newton for fixed gn0, with continuation in stiffness if contact is near-rigid (newton.c). */
SUP_NODISCARD sup_status sup_newton_minimise_stiff(sup_newton *s, sup_arena *arena,
                                                   sup_solve_report *report);
/** gamma, G and the residual at s->v with friction by the normal impulses there. */
void sup_newton_evaluate_coupled(sup_newton *s, sup_solve_report *report);
/** Newton with friction coupled to the normal impulse of the solution (newton_coupled.c), from
 * s->v: `most` iterations, of which the first `whole` may take the whole step; fewer where another
 * start is next and the residual does not fall.  reason < 0: not found, and s is where it ended. */
SUP_NODISCARD sup_status sup_newton_minimise_coupled(sup_newton *s, sup_coupling *coupling,
                                                     int whole, int most, int has_next,
                                                     sup_solve_report *report);
/** Coupled Newton with whole steps alone, without a line search, from the present s->v and slip
 * directions, until `patience` iterations in a row have not halved the least residual. */
SUP_NODISCARD sup_status sup_newton_whole_steps(sup_newton *s, sup_coupling *coupling, int most,
                                                int patience, sup_solve_report *report);
/** 1: visits can solve the problem (newton_visits.c). */
int sup_newton_can_visit(const sup_newton *s);
/** Solve by visits and whole Newton steps from them, from the impulses of the step's start.  reason
 * 0: not found. */
SUP_NODISCARD sup_status sup_newton_solve_by_visits(sup_newton *s, sup_coupling *coupling,
                                                    sup_solve_report *report);
/** Solve with coupled laws: the cascade of THEORY 16.4 (newton_cascade.c).  If it does not converge
 * s is the last sweep's solution, with friction by the laws of that sweep. */
SUP_NODISCARD sup_status sup_newton_solve_coupled(sup_newton *s, sup_arena *arena,
                                                  sup_solve_report *report);
