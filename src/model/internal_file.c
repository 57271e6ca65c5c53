#include "model/internal_file.h"

#include <string.h>

#include "base/memory.h"
#include "base/row_gather.h"
#include "fem/viscoelastic.h"

/** Numbers of one set of a body, of all ranks' cells. */
static size_t set_size(const sup_soft *soft) {
  return sup_fem_history_size_of(soft->fem, soft->num_cells);
}

size_t sup_internal_size(const sup_model *model) {
  size_t size = 0;
  for (int s = 0; s < model->num_softs; s++)
    size += (size_t)sup_fem_num_sets(model->soft[s].fem) * set_size(&model->soft[s]);
  return size;
}

/* ---- writing --------------------------------------------------------------------------------- */

/** A set of a body, of the cells of this rank. */
typedef struct own_set {
  const sup_fem_body *fem;
  const double       *set;
} own_set;

static void pack(void *self, int own, char *row) {
  const own_set *o = self;
  double         numbers[SUP_FEM_MOST_HISTORY];
  sup_fem_history_load(o->fem, o->set, own, numbers);
  memcpy(row, numbers, (size_t)sup_fem_cell_history(o->fem) * sizeof *numbers);
}

/** Write a set in blocks of whole batches: a part of the set then has the layout of a set of its
 * cells. */
static void put_set(sup_row_gather *g, own_set *own, double *part, sup_archive_writer *writer) {
  int width = sup_fem_cell_history(own->fem);
  for (int b = 0; b < g->num_blocks; b++) {
    const char *row = sup_row_gather_collect(g, b, (size_t)width * sizeof *part, pack, own);
    int         n = sup_row_gather_block(g, b);
    size_t      size = sup_fem_history_size_of(own->fem, n) * sizeof *part;
    if (!writer) continue;
    memset(part, 0, size);
    for (int c = 0; c < n; c++)
      sup_fem_history_store(own->fem, (const double *)(const void *)row + (size_t)c * (size_t)width,
                            c, part);
    sup_archive_put_part(writer, part, size);
  }
}

static sup_status put_body(const sup_model *model, const sup_soft *soft, const double *internal,
                           sup_archive_writer *writer) {
  double *part = NULL;
  int     terms = sup_fem_num_sets(soft->fem), num_own = sup_fem_mesh(soft->fem)->num_cells;
  size_t  width = (size_t)sup_fem_cell_history(soft->fem), size = sup_fem_history_size(soft->fem);
  sup_row_gather gather;
  if (terms == 0) return SUP_OK;
  SUP_TRY(
      sup_agree(model->ranks,
                SUP_CALLOC(part, writer ? sup_fem_history_size_of(soft->fem, SUP_ROW_BLOCK) : 1)));
  sup_status status = sup_row_gather_create(&gather, model->ranks, soft->cell_number, num_own,
                                            soft->num_cells, width * sizeof *part);
  for (int i = 0; i < terms && status == SUP_OK; i++)
    put_set(&gather, &(own_set){soft->fem, internal + (size_t)i * size}, part, writer);
  if (status == SUP_OK) sup_row_gather_free(&gather);
  SUP_FREE(part);
  return status;
}

sup_status sup_internal_put(const sup_model *model, const double *internal, const char *prefix,
                            sup_archive_writer *writer) {
  sup_status status = SUP_OK;
  if (sup_internal_size(model) == 0) return SUP_OK;
  if (writer)
    sup_archive_put_begin(writer, prefix, "internal", sizeof *internal, sup_internal_size(model));
  for (int s = 0; s < model->num_softs && status == SUP_OK; s++)
    status = put_body(model, &model->soft[s], internal + model->soft[s].first_internal, writer);
  if (writer) sup_archive_put_end(writer);
  return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/** Read a set batch by batch: bytes of a file have no alignment. */
static void get_set(const sup_soft *soft, const char *data, double *set) {
  double batch[SUP_BATCH * SUP_FEM_MOST_HISTORY], numbers[SUP_FEM_MOST_HISTORY];
  size_t size = sup_fem_history_size_of(soft->fem, SUP_BATCH), all = set_size(soft);
  int    num_own = sup_fem_mesh(soft->fem)->num_cells, last = SUP_NONE;
  for (int c = 0; c < num_own; c++) {
    int    number = soft->cell_number ? soft->cell_number[c] : c, k = number / SUP_BATCH;
    size_t first = (size_t)k * size, count = all - first < size ? all - first : size;
    if (k != last) memcpy(batch, data + first * sizeof *batch, count * sizeof *batch);
    last = k;
    sup_fem_history_load(soft->fem, batch, number % SUP_BATCH, numbers);
    sup_fem_history_store(soft->fem, numbers, c, set);
  }
}

void sup_internal_get(const sup_model *model, const char *data, double *internal) {
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int i = 0; i < sup_fem_num_sets(soft->fem); i++, data += set_size(soft) * sizeof *internal)
      get_set(soft, data,
              internal + soft->first_internal + (size_t)i * sup_fem_history_size(soft->fem));
  }
}
