/* Memory estimate of a run: its matrix is ordered and analysed as in the run. */
#include "study/memory.h"

#include <math.h>
#include <string.h>

#include "base/collective.h"
#include "base/memory.h"
#include "la/supernodal/symbolic.h"
#include "mesh/cell.h"
#include "model/model.h"
#include "study/numerics.h"

/* Measured on bars of each type of cell with 2400 to 338,700 unknowns and on FinRay fingers,
 * equilibria and steps, by each backend: parts of the resident size. */
/** Bytes for a nonzero of the factor: values, indices, work of the factorisation. */
static const double a_nonzero[] = {
    [SUP_BACKEND_SUPERNODAL] = 9.7, [SUP_BACKEND_CHOLMOD] = 13.5, [SUP_BACKEND_PETSC] = 14};
enum {
  PETSC_DIRECT_BELOW = 50000, /* unknowns: MUMPS, as in plugin/petsc.c */
  ANALYSED_BELOW = 500000     /* unknowns: beyond it an order would take minutes */
};

double sup_memory_of_cells(sup_cell_type type, double cells) {
  static const double a_cell[] = {
      [SUP_CELL_T4] = 1600, [SUP_CELL_H8] = 16000, [SUP_CELL_T10] = 20000};
  return a_cell[type] * cells;
}

/** Vertices with unknowns get numbers from 0, others SUP_NONE.  The run reports invalid regions. */
static sup_status number_free(const sup_soft_def *soft, int *number, int *count) {
  unsigned char *is_held = NULL;
  SUP_TRY(SUP_CALLOC(is_held, soft->mesh->num_vertices));
  for (int k = 0; k < soft->num_clamps; k++)
    (void)!sup_region_select(&soft->clamps[k], soft->mesh, 1, is_held);
  for (int k = 0; k < soft->num_attachments; k++)
    (void)!sup_region_select(&soft->attachments[k].region, soft->mesh, 1, is_held);
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

typedef struct cell_bytes {
  double elements, output;                       /* of each cell */
  double elements_of_its_own, output_of_its_own; /* bytes of a cell without congruent cells */
} cell_bytes;

/** Bytes of elements; bytes of stress at nodes, its recovery and percentiles. */
static const cell_bytes of_a_cell[] = {[SUP_CELL_T4] = {300, 400, 400, 0},
                                       [SUP_CELL_H8] = {400, 1900, 4700, 4300},
                                       [SUP_CELL_T10] = {1000, 6300, 6500, 0}};

/** @param share  cells of the body for each of its mesh */
static sup_status count_elements(const sup_mesh *mesh, double share, sup_memory_estimate *e) {
  const cell_bytes *bytes = &of_a_cell[mesh->type];
  double            cells = share * mesh->num_cells, kept;
  SUP_TRY(sup_fem_count_stored(mesh, cells, &kept));
  e->cells += cells;
  e->elements += bytes->elements * cells + bytes->elements_of_its_own * kept;
  e->output += bytes->output * cells + bytes->output_of_its_own * kept;
  return SUP_OK;
}

static double a_nonzero_of(sup_backend backend) {
  return (size_t)backend < sizeof a_nonzero / sizeof *a_nonzero ? a_nonzero[backend] : 0;
}

/** 1: the backend factorises a matrix of so many scalars. */
static bool is_direct(const sup_options *options, double unknowns) {
  const char *asked = options->petsc ? strstr(options->petsc, "-pc_type ") : NULL;
  if (options->backend != SUP_BACKEND_PETSC)
    return options->backend == SUP_BACKEND_SUPERNODAL || options->backend == SUP_BACKEND_CHOLMOD;
  return asked ? strstr(asked, " cholesky") || strstr(asked, " lu") : unknowns < PETSC_DIRECT_BELOW;
}

/** Nonzeros of the factor by nested dissection of a body in three dimensions (George, SIAM J.
 * Numer. Anal. 10, 1973), with a coefficient that fits bars of 10,000 to 132,300 unknowns within a
 * third; cubes have more. */
static double nonzeros_of_dissection(double unknowns) { return 15 * pow(unknowns, 4. / 3); }

/** Blocks of the lower triangle: vertices with unknowns, and pairs of them with a common cell. */
static sup_status count_blocks(const sup_mesh *mesh, const int *number, double *blocks) {
  int            n = sup_cell_num_vertices(mesh->type);
  SUP_FREED int *start = NULL, *around = NULL, *seen = NULL;
  SUP_TRY(SUP_CALLOC(start, mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(around, (size_t)mesh->num_cells * (size_t)n));
  SUP_TRY(SUP_CALLOC(seen, mesh->num_vertices));
  sup_mesh_cells_around(mesh, start, around);
  for (int v = 0; v < mesh->num_vertices; v++) {
    if (number[v] == SUP_NONE) continue;
    *blocks += 1;
    for (int k = start[v]; k < start[v + 1]; k++)
      for (int a = 0; a < n; a++) {
        int w = sup_mesh_cell(mesh, around[k])[a];
        if (w >= v || number[w] == SUP_NONE || seen[w] == v + 1) continue;
        seen[w] = v + 1;
        *blocks += 1;
      }
  }
  return SUP_OK;
}

/** Nonzeros of the factor in the order of the run. */
static sup_status analyse(const sup_mesh *mesh, const int *number, int count, double *nonzeros) {
  int                              n = sup_cell_num_vertices(mesh->type);
  SUP_FREED int                   *pair = NULL, *size = NULL;
  SUP_OWN_VALUE(sup_block_pattern) pattern = {0};
  SUP_OWN_VALUE(sup_symbolic)      symbolic = {0};
  SUP_TRY(SUP_CALLOC(size, count));
  SUP_TRY(SUP_CALLOC(pair, (size_t)mesh->num_cells * (size_t)(n * (n - 1))));
  for (int i = 0; i < count; i++) size[i] = 3;
  size_t num_pairs = list_pairs(mesh, number, pair);
  SUP_TRY(sup_block_pattern_build(&pattern, count, size, num_pairs, pair));
  SUP_FREE(pair);
  SUP_TRY(sup_symbolic_analyze(&symbolic, &pattern, NULL));
  *nonzeros += symbolic.nonzeros;
  return SUP_OK;
}

/** @param share  cells of the body for each of its mesh */
static sup_status count_matrix(const sup_soft_def *soft, double share, const sup_options *options,
                               sup_memory_estimate *e) {
  const sup_mesh *mesh = soft->mesh;
  double          blocks = 0;
  int             count;
  SUP_FREED int  *number = NULL;
  SUP_TRY(SUP_CALLOC(number, mesh->num_vertices));
  SUP_TRY(number_free(soft, number, &count));
  double unknowns = 3. * share * count;
  e->unknowns += unknowns;
  SUP_TRY(count_blocks(mesh, number, &blocks));
  e->blocks += share * blocks;
  SUP_TRY(count_elements(mesh, share, e));
  if (options->petsc_matrix == SUP_PETSC_MATRIX_FREE || !is_direct(options, unknowns))
    return SUP_OK;
  if (unknowns > ANALYSED_BELOW || share > 1) {
    e->is_rough = 1;
    e->nonzeros += nonzeros_of_dissection(unknowns);
  } else {
    SUP_TRY(analyse(mesh, number, count, &e->nonzeros));
  }
  return SUP_OK;
}

/** Cells and the matrix are divided among ranks, vectors are whole on each. */
static void share(sup_memory_estimate *e, int num_ranks) {
  double of_matrix = e->assembly - sup_study_numerics.an_unknown * e->unknowns;
  e->elements /= num_ranks, e->solver /= num_ranks, e->output /= num_ranks;
  e->assembly -= of_matrix - of_matrix / num_ranks;
}

sup_status sup_memory_of_model(const sup_model_def *model, const double *cells,
                               const sup_options *options, sup_memory_estimate *e) {
  sup_backend backend = options->backend;
  bool        is_free = options->petsc_matrix == SUP_PETSC_MATRIX_FREE;
  *e = (sup_memory_estimate){.program = sup_study_numerics.program_bytes};
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft_def *soft = &model->softs[i];
    double              share = cells ? cells[i] / soft->mesh->num_cells : 1;
    SUP_TRY(count_matrix(soft, share, options, e));
  }
  e->assembly = (is_free ? sup_study_numerics.free_block : sup_study_numerics.a_block) * e->blocks +
                sup_study_numerics.an_unknown * e->unknowns;
  e->solver = a_nonzero_of(backend) * e->nonzeros;
  if (backend == SUP_BACKEND_CONJUGATE_GRADIENT)
    e->solver = sup_study_numerics.cg_unknown * e->unknowns;
  if (!is_free && (backend == SUP_BACKEND_CONJUGATE_GRADIENT || backend == SUP_BACKEND_PETSC))
    e->assembly += sup_study_numerics.whole_block * e->blocks;
  if (backend == SUP_BACKEND_PETSC) {
    e->program += sup_study_numerics.petsc_bytes;
    if (is_free)
      e->solver += sup_study_numerics.free_unknown * e->unknowns;
    else if (e->nonzeros > 0)
      e->solver += sup_study_numerics.mumps_bytes;
    else
      e->solver += sup_study_numerics.petsc_block * e->blocks;
  }
  if (sup_has_ranks(model->ranks)) share(e, model->ranks->size);
  e->total = e->program + e->elements + e->assembly + e->solver + e->output;
  return SUP_OK;
}
