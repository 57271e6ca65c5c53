/** Solvers of a step's contact problem, in one table with one interface.  Layer solve.
 *
 *  A solver is one file that ends with its row, and a word in SUP_CONTACT_SOLVER_LIST of supple.h.
 * Elimination (reduction.h) and islands (island.h) are maps from problem to problem; all solvers
 * use both. */
#pragma once

#include "la/linear_solver.h"
#include "solve/iteration_log.h"
#include "solve/kept_matrix.h"
#include "solve/problem.h"
#include "solve/strategy.h"
#include "supple/options.h"

typedef struct sup_solve_options {
  double           tolerance;       /* relative momentum error eps_r */
  int              max_iterations;  /* Newton iterations a sweep */
  int              sweeps;          /* 1: plain Lagged */
  double           sweep_tolerance; /* relative change of gn0 that ends the sweeps */
  int              is_same; /* 1: A equals that of the previous solution, reuse its elimination */
  sup_kept_matrix *kept;    /* solve by its factor where that serves, otherwise set it; NULL */
  bool is_rough;  /* a solution by the kept factor is not refined: one that is_same follows */
  int  is_polish; /* 1: v solves the problem to a larger tolerance and remains the solution if
                     further iterations fail */
  int                  quasi; /* 1: the factor is kept while iterations contract (THEORY 5.3) */
  sup_newton_kind      newton;
  sup_line_search_kind line_search;
  int                  log; /* 1: sup_solve_report.log is kept */
  sup_contact_solver   solver;
  sup_dual_options     dual;  /* options of solvers that iterate on impulses */
  sup_tamsi_options    tamsi; /* options of the solver tamsi */
} sup_solve_options;

/** Outcome: data, not a status. */
typedef struct sup_solve_report {
  sup_reason      reason;
  int             iterations;     /* iterations of the island with the most iterations */
  int             iterations_sum; /* iterations of all islands */
  int             islands;        /* island.h; 0: no constraints */
  sup_linear_work linear;         /* linear iterations of iterative backends */
  int             factorisations; /* factorisations of all islands, without the elimination */
  int             line_search_evaluations;
  int             sweeps;
  unsigned        at_cap;       /* bits 1 << sup_strategy of strategies that ended at their cap */
  double          sweep_change; /* last relative change of gn0; 0 with one sweep */
  int             ambiguous;    /* islands whose coupled friction has several solutions */
  int ambiguous_constraint;     /* constraint with the least diagonal entry in one of these islands;
                                   SUP_NONE */
  int           substeps;       /* tamsi: largest number of substeps of an island */
  double        momentum_error; /* ||D r|| / max(||D A v||, ||D J^T gamma||), D = diag(A)^(-1/2) */
  double        momentum_residual; /* ||D r|| [sqrt(J)] */
  int           worst_block; /* block column of the largest residual, or of the lost definiteness */
  const double *residual; /* [num_scalars] A v - p - J^T gamma at v [N s], from the arena; NULL: not
                             computed */
  const double    *momentum;  /* [num_scalars] A v, from the arena; NULL */
  const double    *impulse;   /* [num_scalars] J^T gamma, from the arena; NULL */
  const double    *scaling;   /* [num_scalars] D, from the arena; NULL */
  double           round_off; /* estimated change of v by rounding H to 16 digits; 0: not known */
  int              round_off_block; /* block column with the largest change */
  sup_law_residual law; /* residual of solvers that iterate on impulses; 0 for Newton, whose
                           impulses obey their laws exactly */
  int               handed_over; /* islands solved further by another solver (sup_solve) */
  sup_iteration_log log; /* log of all solutions, from the arena; with sup_solve_options.log */
} sup_solve_report;

/** Add the work of an earlier solution of the same problem; copies the sweeps of `before`. */
static inline void sup_solve_report_add(sup_solve_report *report, const sup_solve_report *before) {
  report->iterations += before->iterations;
  report->iterations_sum += before->iterations_sum;
  sup_linear_work_add(&report->linear, &before->linear);
  report->factorisations += before->factorisations;
  report->line_search_evaluations += before->line_search_evaluations;
  report->sweeps = before->sweeps;
  report->sweep_change = before->sweep_change;
  report->at_cap |= before->at_cap;
  if (report->ambiguous == 0 && before->ambiguous > 0)
    report->ambiguous = before->ambiguous,
    report->ambiguous_constraint = before->ambiguous_constraint;
  if (before->substeps > report->substeps) report->substeps = before->substeps;
  report->handed_over += before->handed_over;
  sup_iteration_log_prepend(&report->log, &before->log);
}

/** A row of the table of solvers.
 *  solve: `linear` is analysed for problem->H_pattern, block columns of constraints marked last;
 * the start solution->v may be outside of barriers' domains.  SUP_OK for any reason in the
 * report; other status only for bad input or memory. */
typedef struct sup_contact_solver_row {
  const char *name;
  int (*accepts)(sup_law_kind law); /* kinds of laws that it solves, possibly with Coulomb's law
                                       instead of regularised friction */
  int      iterates_on_impulses;    /* 1: reads solution->gamma and writes report->law */
  int      leaves_residual; /* 1: report->law.relative may exceed the tolerance at the end */
  unsigned models;          /* bits 1 << sup_contact_model of supported models */
  int      takes_barriers;  /* 1: normal laws include barriers */
  sup_status (*solve)(const sup_problem *problem, sup_linear_solver *linear,
                      const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                      sup_solve_report *report);
} sup_contact_solver_row;

extern const sup_contact_solver_row sup_contact_solver_newton;
const sup_contact_solver_row       *sup_contact_solver_table(sup_contact_solver solver);
/** Difference of a solver's law from that of the contact model, for messages; NULL: none. */
const char *sup_contact_solver_difference(sup_contact_solver solver);
/** Solve with the solver of the options.  E_ARG names the solver and a law that it does not accept.
 */
SUP_NODISCARD sup_status sup_solve(const sup_problem *problem, sup_linear_solver *linear,
                                   const sup_solve_options *options, sup_arena *arena,
                                   sup_solution *solution, sup_solve_report *report);
