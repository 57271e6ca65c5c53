/** Solution of a step's convex problem: report, certificate, diagnostics, reasons of a failure.
 * Layer step. */
#pragma once

#include "solve/stored/stored_problem.h"
#include "step/contact_problem.h"

/** Written by the stage solve and its strategies: step.c, nonlinear.c, midpoint.c, diagnostics.c;
 * of load steps static/newton_step.c, saddle_escape.c.  Arrays from the arena. */
typedef struct sup_step_solution {
  double       *v;          /* [num_scalars] in block order */
  double       *gamma, *vc; /* [num_vc] */
  sup_law      *law;        /* [num_constraints] in force: sup_solution.law */
  const double *Av;         /* [num_scalars] A v by the certificate; NULL: not computed */
  const double
        *residual; /* [num_vertices x 3] residual of a solver that failed; NULL: no failure */
  double contact_energy,
      stick_energy;      /* contact energy, and its part in elastic sticks. By measure.c, end.c */
  sup_iteration_log log; /* log of all iterations of the step */
} sup_step_solution;

/** Convex problem of a step and its solver. */
typedef struct sup_step_convex {
  const sup_step_start    *start;
  const sup_problem       *problem;
  const sup_solve_options *options;
  sup_reduction           *reduction;
  sup_assembly            *assembly; /* rows of chambers */
} sup_step_convex;

/** Solve the problem with the rows of chambers from the solution's v, gamma and law, with other
 * options than the problem's; vectors of the problem are from `arena` (column/column_rows.c).
 * Afterwards given volumes have the pressures of their rows. */
SUP_NODISCARD sup_status sup_step_convex_solve_in(const sup_step_convex   *convex,
                                                  const sup_solve_options *options,
                                                  sup_arena *arena, sup_step_solution *x,
                                                  sup_solve_report *solved);
static inline sup_status sup_step_convex_solve(const sup_step_convex   *convex,
                                               const sup_solve_options *options,
                                               sup_step_solution *x, sup_solve_report *solved) {
  return sup_step_convex_solve_in(convex, options, convex->start->arena, x, solved);
}

/** Warnings already given; each is given once in the life of a stepper. */
typedef struct sup_step_warnings {
  int round_off, tolerance; /* 1: the warning was given */
} sup_step_warnings;

/* ---- report (measure.c) ------------------------------------------------------------------------
 */

/** Report of a step of length h before anything is found [s]. */
static inline sup_step_report sup_step_report_begin(double h) {
  return (sup_step_report){.error_body = SUP_NONE,
                           .deepest_pair = SUP_NONE,
                           .inverted_body = SUP_NONE,
                           .ambiguous_pair = SUP_NONE,
                           .step_size = h};
}
/** Copy the solver's report of the solution into the step's report. */
void sup_step_report_solution(const sup_step_layout *layout, const sup_contact_list *contacts,
                              const sup_solve_report *solved, sup_step_report *report);
/** Elastic energy of the contacts at the gaps after a solution; NULL: at the gaps of the step's
 * start.  Stores the energy of each contact in the list.  The solver's own compliance replaces that
 * of the law. */
double sup_step_contact_energy(const sup_step_start *s, sup_contact_problem *contacts,
                               const double *gamma, const double *rate);
/** Store lag, work and caps of friction in the report, contact energy at the gaps after the step in
 * the solution. */
SUP_NODISCARD sup_status sup_step_measure_contacts(
    const sup_step_start *s, const sup_assembly *assembly, const sup_problem *problem,
    sup_contact_problem *contacts, sup_step_solution *solution, sup_step_report *report);
/** Store numbers of contacts, depths and inverted cells in the report. */
void sup_step_measure(const sup_assembly *assembly, const sup_contact_problem *contacts,
                      sup_step_report *report);

/* ---- certificate (certificate.c, condition.c) ---------------------------------------------------
 */

/** Store complementarity and slip tolerance of the solution `solved` in the report. */
SUP_NODISCARD sup_status sup_step_measure_laws(const sup_step_start    *s,
                                               const sup_assembly      *assembly,
                                               const sup_problem       *problem,
                                               const sup_step_solution *solution,
                                               const sup_solve_report  *solved,
                                               sup_contact_list *contacts, sup_step_report *report);
/** Store properties of each contact's law and the residuals of Coulomb's law, of joints too, in the
 * report. */
SUP_NODISCARD sup_status sup_step_certify(const sup_step_start *s, const sup_assembly *assembly,
                                          const sup_problem       *problem,
                                          const sup_step_solution *solution,
                                          sup_contact_problem *all, sup_step_report *report);
/** Condition number of H at the solution; afterwards the reduction has the factor of H. */
SUP_NODISCARD sup_status sup_step_condition(const sup_step_start *s, const sup_assembly *assembly,
                                            const sup_problem       *problem,
                                            const sup_step_solution *solution,
                                            sup_reduction *reduction, double *condition);
/** y [2 num_scalars]: its first half := H x = (A + J^T G J) x; vc, gamma [num_vc] and the other
 * half are workspace. */
void sup_step_hessian_multiply(const sup_assembly *assembly, const sup_problem *problem,
                               const double *G, const double *x, double *vc, double *gamma,
                               double *y);

/* ---- impacts (soft_energy.c) --------------------------------------------------------------------
 */

/** Mark the bodies for which the solution is an impact. */
SUP_NODISCARD sup_status sup_step_find_impacts(const sup_step_start *s, const sup_problem *problem,
                                               const sup_contact_list  *contacts,
                                               const sup_step_solution *solution,
                                               sup_assembly            *assembly);

/* ---- diagnostics (diagnostics.c) ----------------------------------------------------------------
 */

/** Islands of block columns that constraints with nonzero impulses gamma couple.
 *  @param[out] island  [num_blocks] a block column of the island, the same for all */
void sup_step_find_islands(const sup_reduction *reduction, const sup_problem *problem,
                           const double *gamma, int *island);
/** Solve again with a smaller tolerance while the residual of an island is large against its own
 * momenta, as of light bodies in reach of a heavy one (linear materials).
 *  @param[out] error  largest momentum error of such an island relative to its own momenta */
SUP_NODISCARD sup_status sup_step_refine_islands(const sup_step_convex *convex, int is_nonlinear,
                                                 sup_step_solution *solution,
                                                 sup_solve_report *solved, double *error);
/** Body with the largest residual where the momentum error of all, or of an island, is above its
 * limit; else SUP_NONE.
 */
int sup_step_error_body(const sup_step_layout *layout, const sup_solve_report *solved,
                        double island_error);
/** Warn, once, where round-off has cancelled the resistance to a motion. */
SUP_NODISCARD sup_status sup_step_warn_round_off(const sup_step_start   *s,
                                                 const sup_assembly     *assembly,
                                                 const sup_solve_report *solved,
                                                 sup_step_warnings      *told);
/** Note, once, that a momentum error above the tolerance was accepted as round-off. */
SUP_NODISCARD sup_status sup_step_warn_tolerance(const sup_step_start   *s,
                                                 const sup_assembly     *assembly,
                                                 const sup_solve_report *solved,
                                                 sup_step_warnings      *told);

/* ---- failure (failure.c) ------------------------------------------------------------------------
 */

/** solution->residual := entries of `residual` [num_scalars] at free vertices, 0 at vertices
 * without unknowns. */
SUP_NODISCARD sup_status sup_step_store_residual(const sup_step_start *s, const double *residual,
                                                 sup_step_solution *solution);
/** Store the residual and fail with the place and reason of the solver's failure.  Always fails. */
SUP_NODISCARD sup_status sup_step_not_converged(
    const sup_step_start *s, const sup_assembly *assembly, const sup_contact_list *contacts,
    const sup_reduction *reduction, const sup_solve_report *solved, sup_step_solution *solution);
enum { SUP_BLOCK_NAME_SIZE = 400 };
/** "vertex 3 of 'pad' at (..) m", "joint 'wrist' of 'arm'", "'box'": description of a block column
 * for the user.
 *  @param[in] state positions of vertices
 *  @param[in]  residual  [num_scalars] the joint of the largest; NULL: that of the least pivot of
 * the tree's inertia
 *  @param[out] text      [SUP_BLOCK_NAME_SIZE] */
SUP_NODISCARD sup_status sup_step_describe_block(const sup_step_start *s,
                                                 const sup_assembly   *assembly,
                                                 const sup_state *state, int block,
                                                 const double *residual, char *text);

/* ---- file (contact_problem.c) -------------------------------------------------------------------
 */

/** The contact problem with its solution as data, without step and time; see
 * sup_stepper_store_problem. */
SUP_NODISCARD sup_status sup_step_store_problem(const sup_assembly        *assembly,
                                                const sup_contact_problem *contacts,
                                                const sup_step_solution *solution, int with_matrix,
                                                sup_arena *arena, sup_stored_problem *out);
