/* A step on several ranks (base/collective.h): each has the soft bodies' cells of its part, and
 * their share of A; vertices, trees, contacts and rows are whole and equal on all ranks. */
#include <string.h>

#include "step/stepper.h"

static void sum(const sup_stepper *s, size_t count, double *x) {
  s->model->ranks->sum(s->model->ranks, count, x);
}

/** A tree that a body couples to vertices on another rank is not alone. */
static sup_status join_trees(sup_stepper *s) {
  const sup_model *model = s->model;
  double          *coupled = NULL;
  sup_status       status = SUP_CALLOC(coupled, model->num_trees);
  SUP_TRY(sup_agree(model->ranks, status));
  for (int t = 0; t < model->num_trees; t++) coupled[t] = !s->alone[t];
  model->ranks->max(model->ranks, (size_t)model->num_trees, coupled);
  for (int t = 0; t < model->num_trees; t++) s->alone[t] = coupled[t] == 0;
  SUP_FREE(coupled);
  return SUP_OK;
}

sup_status sup_stepper_build_ranks(sup_stepper *s) {
  const sup_model *model = s->model;
  if (!model->ranks) return SUP_OK;
  SUP_TRY(sup_block_pattern_build(&s->D_pattern, model->num_blocks, model->block_size, 0, NULL));
  sup_block_pattern_settle(&s->D_pattern);
  SUP_TRY(SUP_CALLOC(s->assembly.D, sup_block_pattern_num_values(&s->D_pattern)));
  s->ranks = (sup_block_ranks){.collective = model->ranks,
                               .owner = model->owner,
                               .touched = model->touched,
                               .pattern = &s->D_pattern,
                               .diagonal = s->assembly.D};
  SUP_TRY(join_trees(s));
  return SUP_OK;
}

static size_t block_bytes(const sup_stepper *s, int b) {
  size_t n = (size_t)sup_block_size(&s->A_pattern, b);
  return n * n * sizeof(double);
}

void sup_stepper_share_softs(sup_stepper *s) {
  const sup_block_pattern *A = &s->A_pattern, *D = &s->D_pattern;
  if (!s->model->ranks) return;
  for (int b = 0; b < A->num_blocks; b++)
    memcpy(s->assembly.D + sup_block_diagonal(D, b), s->assembly.A + sup_block_diagonal(A, b),
           block_bytes(s, b));
  sum(s, sup_block_pattern_num_values(D), s->assembly.D);
  for (int t = 0; t < s->model->num_trees; t++) {
    int b = s->model->tree_block[t];
    if (b != SUP_NONE)
      memcpy(s->assembly.A + sup_block_diagonal(A, b), s->assembly.D + sup_block_diagonal(D, b),
             block_bytes(s, b));
  }
}

/** 1: the block column is a tree's. */
static int is_tree(const sup_stepper *s, int b) { return s->block_body[b] == SUP_NONE; }

void sup_stepper_share_trees(sup_stepper *s) {
  const sup_block_pattern *A = &s->A_pattern;
  if (!s->model->ranks) return;
  for (int t = 0; t < s->model->num_trees; t++) {
    int b = s->model->tree_block[t];
    if (b == SUP_NONE) continue;
    memcpy(s->assembly.D + sup_block_diagonal(&s->D_pattern, b),
           s->assembly.A + sup_block_diagonal(A, b), block_bytes(s, b));
    for (int e = sup_block_column(A, b); e < sup_block_column(A, b + 1); e++)
      if (!sup_is_first_rank(s->model->ranks) && is_tree(s, sup_block_row(A, e)))
        memset(s->assembly.A + sup_block_value(A, e), 0,
               (sup_block_value(A, e + 1) - sup_block_value(A, e)) * sizeof *s->assembly.A);
  }
}
