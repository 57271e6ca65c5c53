/** Projected Gauss-Seidel: common part of the methods that iterate over rows (P4; THEORY 8).
 * Layer solve. */
#pragma once

#include "solve/dual/dual.h"
#include "solve/dual/one_contact.h"

/** Method of projected Gauss-Seidel; joints are treated in the same way by all methods. */
typedef struct sup_pgs {
  sup_cone_law law;
  /** lambda [3] of a contact := its next value, from u = c + R lambda - c* at the present one, with
   * over-relaxation omega, 1: none. */
  void (*relax)(const sup_dual_row *row, double omega, const double u[3], double lambda[3]);
  double (*omega)(double before); /* of the next sweep; NULL: that of the options */
  int cap, patience;              /* sup_dual_method */
} sup_pgs;

/** Problem of the contact alone, from its slack u at lambda. */
sup_one_contact sup_pgs_alone(const sup_dual_row *row, const double u[3], const double lambda[3]);
/** lambda += omega (x - lambda), lambda_N >= 0. */
void sup_pgs_approach(double omega, const double x[3], double lambda[3]);
/** Function `solve` of a sup_contact_solver_row. */
SUP_NODISCARD sup_status sup_pgs_solve(const sup_pgs *method, const sup_problem *problem,
                                       sup_linear_solver *linear, const sup_solve_options *options,
                                       sup_arena *arena, sup_solution *solution,
                                       sup_solve_report *report);

/** The row of the solver `name` with a sup_pgs of that name. */
#define SUP_PGS_ROW(name_)                                                               \
  static sup_status name_##_solve(const sup_problem *problem, sup_linear_solver *linear, \
                                  const sup_solve_options *options, sup_arena *arena,    \
                                  sup_solution *solution, sup_solve_report *report) {    \
    SUP_TRY(sup_pgs_solve(&name_, problem, linear, options, arena, solution, report));   \
    return SUP_OK;                                                                       \
  }                                                                                      \
  const sup_contact_solver_row sup_contact_solver_##name_ = {                            \
      .name = #name_, SUP_DUAL_ACCEPTS, .iterates_on_impulses = 1, .solve = name_##_solve}
