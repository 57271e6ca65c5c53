/* What a run will hold: its matrix is ordered and analysed as the run itself does it. */
#include "study/memory.h"

#include "base/memory.h"
#include "la/symbolic.h"
#include "mesh/cell.h"
#include "model/model.h"

/* Measured on 60 equilibria and runs: cubes, bars, plates and fingers of 100 to 50,000 unknowns. */
static const double base_bytes = 10e6; /* of a run without soft bodies */
static const double a_nonzero =
    12; /* of the factor: its value, work of the factorisation, indices */

double sup_memory_of_cells(sup_cell_type type, double cells) {
  static const double a_cell[] = {
      [SUP_CELL_T4] = 1600, [SUP_CELL_H8] = 16000, [SUP_CELL_T10] = 20000};
  return a_cell[type] * cells;
}

/** Vertices with unknowns get numbers from 0, others SUP_NONE.  Regions that cannot be are the
 * run's business. */
static sup_status number_free(const sup_soft_def *soft, int *number, int *count) {
  unsigned char *is_held = NULL;
  SUP_TRY(SUP_CALLOC(is_held, soft->mesh->num_vertices));
  for (int k = 0; k < soft->num_clamps; k++)
    (void)!sup_region_select(&soft->clamps[k], soft->mesh, 1, is_held);
  if (soft->has_attachment) (void)!sup_region_select(&soft->attach_region, soft->mesh, 1, is_held);
  *count = 0;
  for (int i = 0; i < soft->mesh->num_vertices; i++) number[i] = is_held[i] ? SUP_NONE : (*count)++;
  SUP_FREE(is_held);
  return SUP_OK;
}

/** Each pair of a cell's vertices is a block of the matrix. */
static size_t list_pairs(const sup_mesh *mesh, const int *number, int *pair) {
  int    n = sup_cell_num_vertices(mesh->type);
  size_t k = 0;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 1; a < n; a++)
      for (int b = 0; b < a; b++) {
        int i = number[sup_mesh_cell(mesh, c)[a]], j = number[sup_mesh_cell(mesh, c)[b]];
        if (i != SUP_NONE && j != SUP_NONE) pair[2 * k] = i, pair[2 * k + 1] = j, k++;
      }
  return k;
}

static sup_status count_factor(const sup_soft_def *soft, double *nonzeros) {
  const sup_mesh   *mesh = soft->mesh;
  int               n = sup_cell_num_vertices(mesh->type), count;
  int              *number = NULL, *pair = NULL, *size = NULL;
  sup_block_pattern pattern = {0};
  sup_symbolic      symbolic = {0};
  sup_status        status;
  SUP_TRY_GOTO(SUP_CALLOC(number, mesh->num_vertices), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(size, mesh->num_vertices), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(pair, (size_t)mesh->num_cells * (size_t)(n * (n - 1))), status, done);
  SUP_TRY_GOTO(number_free(soft, number, &count), status, done);
  for (int i = 0; i < count; i++) size[i] = 3;
  size_t num_pairs = list_pairs(mesh, number, pair);
  SUP_TRY_GOTO(sup_block_pattern_build(&pattern, count, size, num_pairs, pair), status, done);
  SUP_TRY_GOTO(sup_symbolic_analyze(&symbolic, &pattern, NULL), status, done);
  *nonzeros = symbolic.nonzeros;
done:
  sup_symbolic_free(&symbolic);
  sup_block_pattern_free(&pattern);
  SUP_FREE(pair);
  SUP_FREE(size);
  SUP_FREE(number);
  return status;
}

sup_status sup_memory_of_model(const sup_model_def *model, double *bytes) {
  *bytes = base_bytes;
  for (int i = 0; i < model->num_softs; i++) {
    double nonzeros;
    SUP_TRY(count_factor(&model->softs[i], &nonzeros));
    *bytes += sup_memory_of_cells(model->softs[i].mesh->type, model->softs[i].mesh->num_cells) +
              a_nonzero * nonzeros;
  }
  return SUP_OK;
}
