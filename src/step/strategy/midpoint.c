/* Passes that the schemes of second order need of trees (THEORY 2.3). */
#include <math.h>

#include "solve/accept.h"
#include "solve/numerics.h"
#include "step/numerics.h"
#include "step/strategy/strategy.h"

/** Squares of a tree's change of velocities against those about which A and p are linear, and of
 * their size, in the norm of diag(A) [J]. */
static void measure_tree(const sup_assembly *assembly, const sup_step_solution *solution, int t,
                         double *change, double *size) {
  const sup_model *model = assembly->layout->model;
  int block = model->tree_block[t], first = sup_block_first(&assembly->layout->A_pattern, block),
      n = model->tree[t]->nv;
  const double *D = sup_assembly_diagonal_block(assembly, block);
  *change = *size = 0;
  for (int i = 0; i < n; i++) {
    double v = solution->v[first + i], v0 = assembly->v0[first + i],
           about = assembly->about[first + i], d = D[i * (n + 1)];
    *change += d * (v - about) * (v - about);
    *size += d * (v * v + v0 * v0 + about * about);
  }
}

/** Largest relative change and its tree; `size` [num_trees] keeps the largest size so far, since a
 * tree in equilibrium has a size above round-off only in the first pass, from its free fall. */
static double change_of_velocities(const sup_assembly *assembly, const sup_step_solution *solution,
                                   double *size, int *tree) {
  const sup_model *model = assembly->layout->model;
  double           worst = 0;
  *tree = SUP_NONE;
  for (int t = 0; t < model->num_trees; t++) {
    double change, now;
    if (model->tree_block[t] == SUP_NONE) continue;
    measure_tree(assembly, solution, t, &change, &now);
    size[t] = fmax(size[t], now);
    if (!(change > sup_solve_numerics.absolute * sup_solve_numerics.absolute)) continue;
    double relative = sqrt(change / size[t]);
    if (relative > worst) worst = relative, *tree = t;
  }
  return worst;
}

/** Impulses of constraints and springs on a tree change its velocity by O(dt) through A, which is
 * m' up to O(dt): an error of O(dt^2) a step, of first order in all.  One more solution about the
 * velocity of the first leaves an error of O(dt^3); repetition until nothing changes solves m(v) =
 * J^T gamma and conserves energy as the free motion does. */
sup_status sup_step_converge_trees(const sup_step_convex *convex, sup_assembly *assembly,
                                   sup_step_solution *solution, sup_solve_report *solved) {
  const sup_step_start *s = convex->start;
  enum { MAX_PASSES = 60 };
  int    tree = SUP_NONE;
  double change = 0, *size;
  if (!sup_scheme_is_second_order(&s->inc->scheme)) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, size, s->model->num_trees));
  for (int t = 0; t < s->model->num_trees; t++) size[t] = 0;
  for (int k = 0; k < MAX_PASSES && solved->reason > 0; k++) {
    sup_solve_report before = *solved;
    change = change_of_velocities(assembly, solution, size, &tree);
    if (change <= sup_step_numerics.settled) return SUP_OK;
    SUP_TRY(sup_assembly_about(s, assembly, solution->v, assembly->is_exact));
    SUP_TRY(sup_step_convex_solve(convex, convex->options, solution, solved));
    sup_solve_report_add(solved, &before);
  }
  if (solved->reason < 0 ||
      change <= fmax(sup_step_numerics.settled_roughly, convex->options->tolerance))
    return SUP_OK;
  return SUP_FAIL(
      SUP_E_NOT_CONVERGED,
      "step %ld (t = %.6g s): the velocities of '%s' under springs, drives and contacts do not "
      "converge to those of the midpoint rule (last relative change %.1g); use a smaller time.step "
      "than %g s, so that the body turns less in a step, or scheme symplectic_euler",
      s->state->step + 1, s->state->time, s->model->tree[tree]->name, change, s->inc->h);
}
