#include "solve/solver.h"

#include <stddef.h>

#define DECLARE(NAME, name, meaning) extern const sup_contact_solver_row sup_contact_solver_##name;
SUP_CONTACT_SOLVER_LIST(DECLARE)
#undef DECLARE

const sup_contact_solver_row *sup_contact_solver_table(sup_contact_solver solver) {
#define ROW(NAME, name, meaning) [SUP_CONTACT_SOLVER_##NAME] = &sup_contact_solver_##name,
  static const sup_contact_solver_row *const table[] = {SUP_CONTACT_SOLVER_LIST(ROW)};
#undef ROW
  return table[solver];
}

const char *sup_contact_solver_difference(sup_contact_solver solver) {
  static const char square[] = "friction on a square, which holds across the slip, up to 1.41 mu N",
                    relaxed[] = "convex relaxation: what slides lifts off by mu times its slip";
  static const char *const table[SUP_NUM_CONTACT_SOLVERS] = {
      [SUP_CONTACT_SOLVER_LCP_PGS] = square,
      [SUP_CONTACT_SOLVER_LCP_STAGGERED] = square,
      [SUP_CONTACT_SOLVER_CCP_PGS] = relaxed,
      [SUP_CONTACT_SOLVER_CCP_ADMM] = relaxed,
      [SUP_CONTACT_SOLVER_MUJOCO] =
          "convex relaxation with a compliance of its own: what slides "
          "lifts off, what sticks creeps",
      [SUP_CONTACT_SOLVER_RAISIM] = "friction of one contact that is not opposite to its slip"};
  return table[solver];
}

/** Solve again by options->dual.hand_over, from the solution of the first solver (`before`). */
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

/** 1: a solver supports the problem; Newton and TAMSI lack rigid contact and restitution. */
static bool has_the_problem(const sup_contact_solver_row *row, const sup_problem *problem,
                            const sup_dual_options *o) {
  if (!row->iterates_on_impulses && !row->leaves_residual && (o->rigid || o->restitution > 0))
    return 0;
  for (int i = 0; i < problem->num_constraints; i++)
    if (!row->accepts(problem->constraint[i].law.kind)) return 0;
  return 1;
}

static bool is_left(const sup_problem *problem, const sup_solve_options *options,
                    const sup_solve_report *report) {
  const sup_dual_options *o = &options->dual;
  return report->reason > 0 && o->hand_over_above > 0 &&
         report->law.relative > o->hand_over_above && o->hand_over != (int)options->solver &&
         has_the_problem(sup_contact_solver_table((sup_contact_solver)o->hand_over), problem, o);
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
  if (is_left(problem, options, report))
    SUP_TRY(hand_over(problem, linear, options, arena, solution, report));
  return SUP_OK;
}
