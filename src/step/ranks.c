/* A step on several ranks (base/collective.h): each rank has the soft cells of its part and their
 * contribution to A; vertices, trees, contacts and rows are complete and equal on all ranks. */
#include <string.h>

#include "step/assembly.h"

static size_t block_bytes(const sup_assembly *assembly, int b) {
  size_t n = (size_t)sup_block_size(&assembly->layout->A_pattern, b);
  return n * n * sizeof(double);
}

void sup_assembly_share_softs(sup_assembly *assembly) {
  const sup_model         *model = assembly->layout->model;
  const sup_collective    *ranks = model->ranks;
  const sup_block_pattern *A = &assembly->layout->A_pattern, *D = &assembly->layout->D_pattern;
  if (!ranks) return;
  for (int b = 0; b < A->num_blocks; b++)
    memcpy(assembly->D + sup_block_diagonal(D, b), assembly->A + sup_block_diagonal(A, b),
           block_bytes(assembly, b));
  ranks->sum(ranks, sup_block_pattern_num_values(D), assembly->D);
  for (int t = 0; t < model->num_trees; t++) {
    int b = model->tree_block[t];
    if (b != SUP_NONE)
      memcpy(assembly->A + sup_block_diagonal(A, b), assembly->D + sup_block_diagonal(D, b),
             block_bytes(assembly, b));
  }
}

/** 1: the block column is a tree's. */
static int is_tree(const sup_assembly *assembly, int b) {
  return assembly->layout->block_body[b] == SUP_NONE;
}

void sup_assembly_share_trees(sup_assembly *assembly) {
  const sup_model         *model = assembly->layout->model;
  const sup_collective    *ranks = model->ranks;
  const sup_block_pattern *A = &assembly->layout->A_pattern;
  if (!ranks) return;
  for (int t = 0; t < model->num_trees; t++) {
    int b = model->tree_block[t];
    if (b == SUP_NONE) continue;
    memcpy(assembly->D + sup_block_diagonal(&assembly->layout->D_pattern, b),
           assembly->A + sup_block_diagonal(A, b), block_bytes(assembly, b));
    for (int e = sup_block_column(A, b); e < sup_block_column(A, b + 1); e++)
      if (!sup_is_first_rank(ranks) && is_tree(assembly, sup_block_row(A, e)))
        memset(assembly->A + sup_block_value(A, e), 0,
               (sup_block_value(A, e + 1) - sup_block_value(A, e)) * sizeof *assembly->A);
  }
}
