/* Stage solve: start velocities, the convex problem, and strategies about its solution. */
#include <math.h>
#include <string.h>

#include "step/numerics.h"
#include "step/strategy/strategy.h"

/** Mark block columns whose constraints act at solution->v. */
static void mark_acting(const sup_assembly *assembly, sup_step_solution *solution,
                        const sup_problem *problem, unsigned char *acts) {
  memset(acts, 0, (size_t)assembly->layout->model->num_blocks);
  sup_problem_constraint_velocity(problem, solution->v, 1, solution->vc);
  sup_problem_evaluate(problem, solution->law, solution->vc, solution->gamma, NULL);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   pushes = 0;
    for (int k = 0; k < sup_law_dimension(c->law.kind); k++)
      pushes |= solution->gamma[c->first_vc + k] != 0;
    for (int k = 0; k < c->num_blocks && pushes; k++)
      acts[problem->jacobian[c->first_block + k].block] = 1;
  }
}

/** Start of Newton's method: the velocity before the step, for nonlinear bodies the prediction.  A
 * tree without acting constraints starts with its free motion: the tolerance, relative to all
 * momenta of the scene, would otherwise drop small impulses on a fast body in every step.  One
 * without any is eliminated, which is exact. */
static sup_status start_velocity(const sup_step_convex *convex, const sup_assembly *assembly,
                                 sup_step_solution *solution) {
  const sup_step_start *s = convex->start;
  const sup_problem    *problem = convex->problem;
  const sup_model      *model = s->model;
  const int            *island = sup_reduction_islands(convex->reduction);
  unsigned char        *acts;
  int                   num_free = 0;
  if (assembly->is_nonlinear)
    sup_assembly_predict(s, assembly, solution->v);
  else
    memcpy(solution->v, assembly->v0,
           (size_t)s->layout->A_pattern.num_scalars * sizeof *solution->v);
  SUP_TRY(SUP_ARENA(s->arena, acts, model->num_blocks));
  mark_acting(assembly, solution, problem, acts);
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t], n = model->tree[t]->nv;
    if (!s->layout->alone[t] || acts[block] || island[block] == SUP_NONE) continue;
    num_free++;
    int           at = sup_block_first(&s->layout->A_pattern, block);
    bool          ok;
    const double *A = sup_assembly_diagonal_block(assembly, block);
    SUP_TRY(sup_free_velocity(s->arena, n, A, assembly->p + at, solution->v + at, &ok));
    if (!ok)
      memcpy(solution->v + at, assembly->v0 + at,
             (size_t)n * sizeof *solution->v); /* the solver reports the fault of A */
  }
  if (num_free == 0) return SUP_OK;
  mark_acting(assembly, solution, problem, acts); /* the free motion may close a gap */
  for (int t = 0; t < model->num_trees; t++)
    if (s->layout->alone[t] && acts[model->tree_block[t]]) {
      int at = sup_block_first(&s->layout->A_pattern, model->tree_block[t]);
      memcpy(solution->v + at, assembly->v0 + at, (size_t)model->tree[t]->nv * sizeof *solution->v);
    }
  return SUP_OK;
}

/** Tolerance of a solution: from the options; in controlled steps, also below their accuracy. */
static double solver_tolerance(const sup_step_start *s) {
  const sup_options *o = &s->layout->options;
  return s->inc->is_controlled
             ? fmin(o->tolerance, sup_step_numerics.solver * o->accuracy.tolerance)
             : o->tolerance;
}

/** Accept solutions between both tolerances. */
static void accept_rough(const sup_step_start *s, sup_solve_report *solved) {
  int stays = solved->reason == SUP_REASON_LINE_SEARCH ||
              solved->reason == SUP_REASON_MAX_ITERATIONS || solved->reason == SUP_REASON_ROUND_OFF;
  if (stays && s->inc->is_controlled && solved->momentum_error <= s->layout->options.tolerance)
    solved->reason = SUP_REASON_TOLERANCE;
}

sup_solve_options sup_step_solve_options(const sup_step_start *s) {
  const sup_options *o = &s->layout->options;
  return (sup_solve_options){.tolerance = solver_tolerance(s),
                             .max_iterations = o->max_iterations,
                             .sweeps = o->friction_sweeps,
                             .sweep_tolerance = o->sweep_tolerance,
                             .quasi = o->quasi_newton,
                             .newton = o->newton,
                             .line_search = o->line_search,
                             .log = o->solver_log,
                             .solver = o->contact_solver,
                             .dual = o->dual,
                             .tamsi = o->tamsi};
}

sup_status sup_step_begin_solution(const sup_step_convex *convex, const sup_assembly *assembly,
                                   int first, sup_step_solution *solution) {
  const sup_problem *problem = convex->problem;
  sup_arena         *arena = convex->start->arena;
  SUP_TRY(SUP_ARENA_VECTORS(arena, problem->num_vc, &solution->gamma, &solution->vc));
  SUP_TRY(SUP_ARENA(arena, solution->law, problem->num_constraints));
  sup_problem_copy_laws(problem, solution->law);
  if (first) SUP_TRY(start_velocity(convex, assembly, solution));
  return SUP_OK;
}

sup_status sup_step_solve(const sup_step_convex *convex, sup_assembly *assembly,
                          sup_step_solution *x, sup_step_report *report, sup_solve_report *solved) {
  SUP_TRY(sup_step_convex_solve(convex, convex->options, x, solved));
  if (assembly->is_nonlinear)
    SUP_TRY(sup_step_solve_nonlinear(convex, assembly, x, report, solved));
  accept_rough(convex->start, solved);
  if (solved->reason > 0) SUP_TRY(sup_step_converge_trees(convex, assembly, x, solved));
  if (solved->reason > 0)
    SUP_TRY(
        sup_step_refine_islands(convex, assembly->is_nonlinear, x, solved, &report->island_error));
  sup_problem_constraint_velocity(convex->problem, x->v, 1, x->vc);
  x->Av = solved->momentum;
  sup_iteration_log_prepend(&solved->log, &x->log);
  x->log = solved->log;
  return SUP_OK;
}
