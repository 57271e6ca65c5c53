#include "la/supernodal/update.h"

/* A pointer is no larger than a double. */
_Static_assert(sizeof(double *) <= sizeof(double),
               "columns of the target lie in memory for doubles");

static size_t operand_size(const sup_plan *plan) {
  return (size_t)plan->max_top * (size_t)plan->max_top;
}

size_t sup_update_workspace_size(const sup_plan *plan) {
  return operand_size(plan) + (size_t)plan->max_top;
}

sup_update_workspace sup_update_workspace_carve(const sup_plan *plan, double *memory) {
  return (sup_update_workspace){memory, (double **)(memory + operand_size(plan))};
}

/** Columns of the target to which the first rows of a segment's pieces belong. */
static void find_columns(const sup_piece *piece, int count, double *to, ptrdiff_t ld,
                         double **column) {
  for (int j = 0; j < count; piece++)
    for (unsigned mask = piece->mask; mask && j < count; mask &= mask - 1)
      column[j++] = to + (piece->target + __builtin_ctz(mask)) * ld;
}

void sup_update_apply(const sup_kernels *kernels, const sup_plan *plan,
                      const sup_update_workspace *workspace, const sup_segment *segment,
                      const double *value, int to_ld, double *to) {
  const sup_panel *source = &plan->panel[segment->source];
  sup_product      product = {value + source->start + source->top,
                              source->ld,
                              source->width,
                              source->height - source->top,
                              segment->first,
                              segment->count,
                              &plan->piece[segment->piece],
                              &plan->piece[segment[1].piece],
                              workspace->column,
                              workspace->operand};
  find_columns(product.piece, segment->count, to, to_ld, workspace->column);
  kernels->update(&product);
}
