/* Memory, places and diagonal of A. */
#include <string.h>

#include "base/memory.h"
#include "step/assembly.h"

sup_status sup_assembly_create(sup_assembly *assembly, const sup_step_layout *layout) {
  const sup_model *model = layout->model;
  *assembly = (sup_assembly){.layout = layout};
  if (layout->is_free) assembly->rest = sup_assembly_rest_of_cells(assembly);
  sup_status status = SUP_CALLOC(assembly->A, layout->num_values);
  if (status == SUP_OK && model->ranks)
    status = SUP_CALLOC(assembly->D, sup_block_pattern_num_values(&layout->D_pattern));
  if (status != SUP_OK) sup_assembly_free(assembly);
  SUP_TRY(status);
  if (model->ranks)
    assembly->ranks = (sup_block_ranks){.collective = model->ranks,
                                        .owner = model->owner,
                                        .touched = model->touched,
                                        .pattern = &layout->D_pattern,
                                        .diagonal = assembly->D};
  return SUP_OK;
}

void sup_assembly_free(sup_assembly *assembly) {
  SUP_FREE(assembly->A);
  SUP_FREE(assembly->D);
}

sup_status sup_assembly_set_space(const sup_step_start *s, sup_assembly *assembly) {
  const sup_step_layout *layout = s->layout;
  const sup_model       *model = s->model;
  double                *coordinate;
  SUP_TRY(SUP_ARENA(s->arena, coordinate, 3 * model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(coordinate + 3 * soft->block[a], s->state->x + 3 * (soft->first_vertex + a),
               3 * sizeof *coordinate);
  }
  assembly->space = (sup_block_space){.coordinate = coordinate,
                                      .body = layout->block_body,
                                      .num_bodies = model->num_softs,
                                      .held = assembly->held_axes,
                                      .reference = layout->reference,
                                      .distance = layout->distance};
  return SUP_OK;
}

/* ---- the diagonal ---------------------------------------------------------------------------- */

void sup_assembly_diagonal(const sup_assembly *assembly, double *diagonal) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *A = sup_assembly_diagonal_block(assembly, b);
    int           n = sup_block_size(P, b);
    for (int i = 0; i < n; i++) *diagonal++ = A[i * (n + 1)];
  }
}

static void add_to_diagonal(sup_assembly *assembly, int b, int i, double d) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  size_t                   at = (size_t)(i * (sup_block_size(P, b) + 1));
  if (sup_block_is_owned(sup_assembly_ranks(assembly), b))
    assembly->A[sup_block_diagonal(P, b) + at] += d;
  if (assembly->D) assembly->D[sup_block_diagonal(&assembly->layout->D_pattern, b) + at] += d;
}

/** Set a diagonal entry: the owner's part changes by as much as the sum, which is then exact on all
 * ranks. */
static void set_of_ranks(sup_assembly *assembly, int b, int i, double d) {
  size_t  at = (size_t)(i * (sup_block_size(&assembly->layout->A_pattern, b) + 1));
  double *D = &assembly->D[sup_block_diagonal(&assembly->layout->D_pattern, b) + at];
  add_to_diagonal(assembly, b, i, d - *D);
  *D = d;
}

void sup_assembly_set_diagonal(sup_assembly *assembly, const double *diagonal) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    double *A = assembly->A + sup_block_diagonal(P, b);
    int     n = sup_block_size(P, b);
    for (int i = 0; i < n; i++, diagonal++)
      if (assembly->D)
        set_of_ranks(assembly, b, i, *diagonal);
      else
        A[i * (n + 1)] = *diagonal;
  }
}

void sup_assembly_add_proximal(sup_assembly *assembly, const double *diagonal, double scale,
                               const double *v) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    for (int first = sup_block_first(P, b), n = sup_block_size(P, b), i = 0; i < n; i++) {
      add_to_diagonal(assembly, b, i, scale * diagonal[first + i]);
      assembly->p[first + i] += scale * diagonal[first + i] * v[first + i];
    }
  }
}
