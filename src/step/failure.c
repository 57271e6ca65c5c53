/* Outcome of a failed step: the residual at the vertices and a message with place, reason and
 * advice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/solution.h"

sup_status sup_step_store_residual(const sup_step_start *s, const double *residual,
                                   sup_step_solution *solution) {
  const sup_model *model = s->model;
  double          *r;
  if (!residual) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, r, 3 * model->num_vertices));
  memset(r, 0, 3 * (size_t)model->num_vertices * sizeof *r);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(r + 3 * (ptrdiff_t)(soft->first_vertex + a),
               residual + sup_block_first(&s->layout->A_pattern, soft->block[a]), 3 * sizeof *r);
  }
  solution->residual = r;
  return SUP_OK;
}

/** Scalar of a block A (column-major, n x n) with the smallest ratio of pivot to diagonal entry, or
 * with a pivot that is not positive. */
static int weakest_scalar(const double *A, int n, double *L) {
  double least = HUGE_VAL;
  int    weakest = 0;
  for (int j = 0; j < n; j++) {
    double pivot = A[j * n + j], share;
    for (int k = 0; k < j; k++) pivot -= L[k * n + j] * L[k * n + j];
    share = A[j * n + j] != 0 ? pivot / fabs(A[j * n + j]) : 0;
    if (share < least) least = share, weakest = j;
    if (!(pivot > 0)) break;
    for (int i = j; i < n; i++) {
      double sum = A[j * n + i];
      for (int k = 0; k < j; k++) sum -= L[k * n + i] * L[k * n + j];
      L[j * n + i] = sum / sqrt(pivot);
    }
  }
  return weakest;
}

static int worst_scalar(const double *A, int n, const double *residual) {
  int worst = 0;
  for (int i = 1; i < n; i++)
    if (fabs(residual[i]) * sqrt(A[worst * (n + 1)]) > fabs(residual[worst]) * sqrt(A[i * (n + 1)]))
      worst = i;
  return worst;
}

static sup_status describe_tree(const sup_step_start *s, const sup_assembly *assembly,
                                const sup_body *body, int block, const double *residual,
                                char *text) {
  const sup_tree *tree = s->model->tree[body->tree];
  const double   *A = sup_assembly_diagonal_block(assembly, block);
  double         *L;
  int             n = tree->nv, first = sup_block_first(&s->layout->A_pattern, block);
  if (strcmp(body->name, tree->name) == 0) { /* a rigid body, which has no joints to name */
    snprintf(text, SUP_BLOCK_NAME_SIZE, "'%s'", tree->name);
    return SUP_OK;
  }
  SUP_TRY(SUP_ARENA(s->arena, L, n * n));
  int scalar = residual ? worst_scalar(A, n, residual + first) : weakest_scalar(A, n, L);
  const sup_tree_link *link = tree->links;
  while (scalar >= link->v_start + link->nv) link++;
  snprintf(text, SUP_BLOCK_NAME_SIZE, "joint '%s' of '%s'", link->joint_name, tree->name);
  return SUP_OK;
}

sup_status sup_step_describe_block(const sup_step_start *s, const sup_assembly *assembly,
                                   const sup_state *state, int block, const double *residual,
                                   char *text) {
  const sup_model *model = s->model;
  snprintf(text, SUP_BLOCK_NAME_SIZE, "an unknown place");
  if (block == SUP_NONE) return SUP_OK;
  const sup_body *body = &model->body[model->block_body[block]];
  if (body->soft == SUP_NONE) {
    SUP_TRY(describe_tree(s, assembly, body, block, residual, text));
    return SUP_OK;
  }
  const sup_soft *soft = &model->soft[body->soft];
  int             a = 0;
  while (soft->block[a] != block) a++;
  const double *x = state->x + 3 * (ptrdiff_t)(soft->first_vertex + a);
  snprintf(text, SUP_BLOCK_NAME_SIZE, "vertex %d of '%s' at (%.4g, %.4g, %.4g) m", a, soft->name,
           x[0], x[1], x[2]);
  return SUP_OK;
}

/** Advice after a failure; `step`: key of the step length. */
static void advise(sup_reason reason, int touches, const char *step, char text[200]) {
  switch (reason) {
    case SUP_REASON_NOT_SPD:
      snprintf(text, 200,
               "is every part of it connected, with mass that 16 digits can tell beside its "
               "stiffness, and a Poisson's ratio below 0.5?");
      return;
    case SUP_REASON_NONFINITE:
      snprintf(text, 200, "look at its loads and velocities; a smaller %s may help", step);
      return;
    default:
      snprintf(text, 200,
               touches ? "a smaller %s, a larger solver.max_iterations or solver.tolerance, or "
                         "softer contact may help"
                       : "a smaller %s, smaller loads or a larger solver.tolerance may help",
               step);
  }
}

/** "; it is solved together with 'box', 'pad' and 3 more": the bodies of the block column's island,
 * when there are several islands. */
static sup_status describe_island(const sup_step_start *s, const sup_reduction *reduction,
                                  int block, char *text) {
  enum { MAX_NAMES = 3 };
  const sup_model *model = s->model;
  const int       *island = sup_reduction_islands(reduction);
  unsigned char   *seen;
  int              count = 0, length = 0;
  text[0] = 0;
  if (block == SUP_NONE || sup_reduction_num_islands(reduction) < 2) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, seen, model->num_bodies));
  memset(seen, 0, (size_t)model->num_bodies);
  seen[model->block_body[block]] = 1;
  for (int b = 0; b < s->layout->A_pattern.num_blocks; b++) {
    int body = model->block_body[b];
    if (island[b] != island[block] || seen[body]++) continue;
    if (count++ < MAX_NAMES)
      length += snprintf(text + length, SUP_BLOCK_NAME_SIZE - (size_t)length, "%s '%s'",
                         count == 1 ? "; it is solved together with" : ",", model->body[body].name);
    if (length >= SUP_BLOCK_NAME_SIZE) return SUP_OK; /* long names: cut off */
  }
  if (count == 0) snprintf(text, SUP_BLOCK_NAME_SIZE, "; it is solved by itself");
  if (count > MAX_NAMES)
    snprintf(text + length, SUP_BLOCK_NAME_SIZE - (size_t)length, " and %d more",
             count - MAX_NAMES);
  return SUP_OK;
}

sup_status sup_step_not_converged(const sup_step_start *s, const sup_assembly *assembly,
                                  const sup_contact_list *contacts, const sup_reduction *reduction,
                                  const sup_solve_report *solved, sup_step_solution *solution) {
  const sup_options *o = &s->layout->options;
  char               where[SUP_BLOCK_NAME_SIZE], with[SUP_BLOCK_NAME_SIZE], help[200];
  advise(solved->reason, contacts->count > 0,
         s->layout->options.accuracy.tolerance > 0 ? "time.min_step" : "time.step", help);
  SUP_TRY(sup_step_store_residual(s, solved->residual, solution));
  int is_pivot = solved->reason == SUP_REASON_NOT_SPD;
  SUP_TRY(sup_step_describe_block(s, assembly, s->state, solved->worst_block,
                                  is_pivot ? NULL : solved->residual, where));
  SUP_TRY(describe_island(s, reduction, solved->worst_block, with));
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "step %ld, from %g to %g s: %s; %d iteration%s, momentum error %.2g (tolerance "
                  "%.2g); worst at %s%s; %s",
                  s->state->step + 1, s->state->time, s->inc->t1, sup_reason_text(solved->reason),
                  solved->iterations, solved->iterations == 1 ? "" : "s", solved->momentum_error,
                  o->tolerance, where, with, help);
}
