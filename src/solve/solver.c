#include "solve/solver.h"

#include <stddef.h>

#define DECLARE(NAME, name) extern const sup_contact_solver_row sup_contact_solver_##name;
SUP_CONTACT_SOLVER_LIST(DECLARE)
#undef DECLARE

const sup_contact_solver_row *sup_contact_solver_table(sup_contact_solver solver) {
#define ROW(NAME, name) [SUP_CONTACT_SOLVER_##NAME] = &sup_contact_solver_##name,
  static const sup_contact_solver_row *const table[] = {SUP_CONTACT_SOLVER_LIST(ROW)};
#undef ROW
  return table[solver];
}

/** What `before` left above the limit another solver solves, from there. */
static sup_status hand_over(const sup_problem *problem, sup_linear_solver *linear,
                            const sup_solve_options *options, sup_arena *arena,
                            sup_solution *solution, sup_solve_report *report) {
  sup_solve_report              before = *report;
  sup_solve_options             other = *options;
  const sup_contact_solver_row *row;
  other.solver = (sup_contact_solver)options->dual.hand_over;
  row = sup_contact_solver_table(other.solver);
  if (solution->law) sup_problem_copy_laws(problem, solution->law);
  SUP_TRY(row->solve(problem, linear, &other, arena, solution, report));
  sup_solve_report_add(report, &before);
  report->handed_over = 1;
  return SUP_OK;
}

sup_status sup_solve(const sup_problem *problem, sup_linear_solver *linear,
                     const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                     sup_solve_report *report) {
  const sup_contact_solver_row *row = sup_contact_solver_table(options->solver);
  for (int i = 0; i < problem->num_constraints; i++) {
    sup_law_kind kind = problem->constraint[i].law.kind;
    if (!row->accepts(kind))
      return SUP_FAIL(
          SUP_E_ARG,
          "the contact solver %s does not solve constraints of the kind %s; newton solves all",
          row->name, sup_law_name(kind));
  }
  SUP_TRY(row->solve(problem, linear, options, arena, solution, report));
  if (report->reason > 0 && report->law.relative > options->dual.hand_over_above &&
      options->dual.hand_over != (int)options->solver)
    SUP_TRY(hand_over(problem, linear, options, arena, solution, report));
  return SUP_OK;
}
