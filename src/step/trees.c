/* Trees in A and p (THEORY 2.2, 2.3), and the passes that the schemes of second order need. */
#include <math.h>
#include <string.h>

#include "solve/accept.h"
#include "solve/numerics.h"
#include "step/numerics.h"
#include "step/stepper.h"

static sup_status tree_step(sup_stepper *s, int t, const sup_state *state, sup_tree_step *step) {
  const sup_model *model = s->model;
  const sup_tree  *tree = model->tree[t];
  const sup_scheme scheme = s->inc->scheme;
  *step = (sup_tree_step){.tree = tree,
                          .scheme = scheme,
                          .dt = s->inc->h,
                          .gravity = s->inc->gravity,
                          .base = sup_kinematics_base_within(model, t, s->inc),
                          .q0 = state->q + model->q_start[t],
                          .v0 = state->v + model->v_start[t]};
  if (scheme.theta > 0) SUP_TRY(sup_stepper_tree_loads(s, t, &step->loads, &step->num_loads));
  return SUP_OK;
}

/** The tree's part of s->assembly.within, at q_th(v). */
static void place_within(sup_stepper *s, int t, const sup_tree_step *step, const double *v) {
  double                   q[7 * SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data part = sup_kinematics_tree(&s->assembly.within, s->model, t);
  sup_tree_step_positions(step, v, q);
  sup_tree_kinematics(step->tree, &step->base, q, step->v0, &part);
}

/** A and p of one tree about v, or, without v, about its free motion. */
static sup_status add_tree(sup_stepper *s, int t, const sup_tree_step *step, const double *v) {
  int     n = step->tree->nv, block = s->model->tree_block[t];
  double *A = s->assembly.A + sup_block_diagonal(&s->A_pattern, block),
         *p = s->assembly.p + sup_block_first(&s->A_pattern, block);
  double *M, *momentum,
      *about = s->assembly.about ? s->assembly.about + sup_block_first(&s->A_pattern, block) : NULL;
  SUP_TRY(SUP_ARENA(s->arena, M, n * n));
  SUP_TRY(SUP_ARENA(s->arena, momentum, n));
  if (v) {
    memcpy(about, v + sup_block_first(&s->A_pattern, block), (size_t)n * sizeof *about);
    sup_tree_step_linearise(step, about, M, momentum);
  } else {
    SUP_TRY(sup_tree_step_free_motion(step, s->arena, M, momentum, about));
  }
  for (int i = 0; i < n; i++) {
    p[i] += momentum[i];
    for (int j = 0; j < n; j++) A[j * n + i] += M[i * n + j];
  }
  if (about) place_within(s, t, step, about);
  return SUP_OK;
}

/** s->assembly.about, and s->assembly.within with arrays of its own. */
static sup_status allocate(sup_stepper *s) {
  const sup_model *model = s->model;
  sup_kinematics  *to = &s->assembly.within;
  size_t           num = (size_t)model->num_bodies;
  SUP_TRY(SUP_ARENA(s->arena, s->assembly.about, s->A_pattern.num_scalars));
  SUP_TRY(SUP_ARENA(s->arena, to->X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, to->w, model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, to->v, model->num_bodies));
  if (num == 0) return SUP_OK;
  memcpy(to->X_WL, s->kin.X_WL, num * sizeof *to->X_WL);
  memcpy(to->w, s->kin.w, num * sizeof *to->w);
  memcpy(to->v, s->kin.v, num * sizeof *to->v);
  return SUP_OK;
}

sup_status sup_stepper_trees(sup_stepper *s, const sup_state *state, const double *v) {
  const sup_model *model = s->model;
  const sup_scheme scheme = s->inc->scheme;
  s->assembly.within = s->kin;
  s->assembly.about = NULL;
  if (scheme.theta > 0) SUP_TRY(allocate(s));
  for (int t = 0; t < model->num_trees; t++) {
    sup_tree_step step;
    if (model->tree_block[t] == SUP_NONE && !s->assembly.about) continue;
    SUP_TRY(tree_step(s, t, state, &step));
    if (model->tree_block[t] == SUP_NONE)
      place_within(s, t, &step, step.v0); /* on a moving base */
    else
      SUP_TRY(add_tree(s, t, &step, sup_scheme_is_second_order(&scheme) ? v : NULL));
  }
  return SUP_OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/** Squares of a tree's change of velocities against those about which A and p are linear, and of
 * their size, in the norm of diag(A) [J]. */
static void measure_tree(const sup_stepper *s, int t, double *change, double *size) {
  int block = s->model->tree_block[t], first = sup_block_first(&s->A_pattern, block),
      n = s->model->tree[t]->nv;
  const double *D = sup_stepper_diagonal_block(s, block);
  *change = *size = 0;
  for (int i = 0; i < n; i++) {
    double v = s->solution.v[first + i], v0 = s->assembly.v0[first + i],
           about = s->assembly.about[first + i], d = D[i * (n + 1)];
    *change += d * (v - about) * (v - about);
    *size += d * (v * v + v0 * v0 + about * about);
  }
}

/** Largest relative change and its tree; `size` [num_trees] keeps the largest so far, since of a
 * tree in equilibrium the first one, of its free fall, alone is no round-off. */
static double change_of_velocities(const sup_stepper *s, double *size, int *tree) {
  double worst = 0;
  *tree = SUP_NONE;
  for (int t = 0; t < s->model->num_trees; t++) {
    double change, now;
    if (s->model->tree_block[t] == SUP_NONE) continue;
    measure_tree(s, t, &change, &now);
    size[t] = fmax(size[t], now);
    if (!(change > sup_solve_numerics.absolute * sup_solve_numerics.absolute)) continue;
    double relative = sqrt(change / size[t]);
    if (relative > worst) worst = relative, *tree = t;
  }
  return worst;
}

/** Impulses of constraints and springs on a tree change its velocity by O(dt) through A, which is
 * m' up to O(dt): an error of O(dt^2) a step, of first order in all.  One more solution about the
 * first one's velocity leaves O(dt^3); repeating it until nothing changes solves m(v) = J^T gamma,
 * and keeps the energy as the free motion does. */
sup_status sup_stepper_settle_trees(sup_stepper *s, const sup_state *state,
                                    const sup_problem *problem, const sup_solve_options *options,
                                    sup_solve_report *solved) {
  enum { MAX_PASSES = 60 };
  int    tree = SUP_NONE;
  double change = 0, *size;
  if (!sup_scheme_is_second_order(&s->inc->scheme)) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, size, s->model->num_trees));
  for (int t = 0; t < s->model->num_trees; t++) size[t] = 0;
  for (int k = 0; k < MAX_PASSES && solved->reason > 0; k++) {
    sup_solve_report before = *solved;
    change = change_of_velocities(s, size, &tree);
    if (change <= sup_step_numerics.settled) return SUP_OK;
    SUP_TRY(sup_stepper_relinearise(s, state, s->solution.v));
    SUP_TRY(sup_reduction_solve(s->reduction, problem, options, s->arena,
                                &(sup_solution){s->solution.v, s->solution.gamma, s->solution.law},
                                solved));
    sup_solve_report_add(solved, &before);
  }
  if (solved->reason < 0 || change <= fmax(sup_step_numerics.settled_roughly, options->tolerance))
    return SUP_OK;
  return SUP_FAIL(
      SUP_E_NOT_CONVERGED,
      "step %ld (t = %.6g s): the velocities of '%s' under springs, drives and contacts do not "
      "settle at those of the midpoint rule (they still change by %.1g of their size); a smaller "
      "time.step than %g s helps, which turns the body less in a step, or scheme symplectic_euler",
      state->step + 1, state->time, s->model->tree[tree]->name, change, s->inc->h);
}
