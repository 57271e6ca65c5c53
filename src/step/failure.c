/* What a step that failed leaves: the residual at the vertices and a message that says where, why and what may help. */
#include <stdio.h>
#include <string.h>

#include "step/stepper.h"

enum { TEXT_SIZE = 256 };

sup_status sup_stepper_keep_residual(sup_stepper *s, const double *residual) {
  const sup_model *model = s->model;
  double          *r;
  if (!residual) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, r, 3 * model->num_vertices));
  memset(r, 0, 3 * (size_t)model->num_vertices * sizeof *r);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(r + 3 * (ptrdiff_t)(soft->first_vertex + a), residual + s->A_pattern.offset[soft->block[a]],
               3 * sizeof *r);
  }
  s->residual = r;
  return SUP_OK;
}

static void describe_block(const sup_model *model, const sup_state *state, int block, char text[TEXT_SIZE]) {
  const sup_body *body = &model->body[model->block_body[block]];
  if (body->soft == SUP_NONE) {
    snprintf(text, TEXT_SIZE, "'%s'", model->tree[body->tree]->name);
    return;
  }
  const sup_soft *soft = &model->soft[body->soft];
  int             a = 0;
  while (soft->block[a] != block) a++;
  const double *x = state->x + 3 * (ptrdiff_t)(soft->first_vertex + a);
  snprintf(text, TEXT_SIZE, "vertex %d of '%s' at (%.4g, %.4g, %.4g) m", a, soft->name, x[0], x[1], x[2]);
}

static const char *advice(sup_reason reason) {
  switch (reason) {
    case SUP_REASON_NOT_SPD:
      return "is every part of it connected, with mass and a Poisson's ratio below 0.5?";
    case SUP_REASON_NONFINITE:
      return "look at its loads and velocities; a smaller time.step may help";
    default:
      return "a smaller time.step, a larger solver.max_iterations or solver.tolerance, or softer contact may help";
  }
}

sup_status sup_stepper_not_converged(sup_stepper *s, const sup_state *state, const sup_solve_report *solved) {
  const sup_options *o = &s->model->options;
  char               where[TEXT_SIZE] = "an unknown place";
  SUP_TRY(sup_stepper_keep_residual(s, solved->residual));
  if (solved->worst_block != SUP_NONE) describe_block(s->model, state, solved->worst_block, where);
  return SUP_FAIL(
      SUP_E_NOT_CONVERGED,
      "step %ld, from %g to %g s: %s; %d iteration%s, momentum error %.2g (tolerance %.2g); worst at %s; %s",
      state->step + 1, state->time, (double)(state->step + 1) * o->dt, sup_reason_text(solved->reason),
      solved->iterations, solved->iterations == 1 ? "" : "s", solved->momentum_error, o->tolerance, where,
      advice(solved->reason));
}
