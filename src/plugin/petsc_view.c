/* Local view of a matrix and an interpolation on a rank, by tiles. */
#include "plugin/petsc_tiles.h"

void sup_rank_view_free(sup_rank_view *v) {
  free(v->p_start), free(v->p_col), free(v->p_value), free(v->p_stride);
  free(v->number), free(v->local);
  if (v->fetched) (void)MatDestroyMatrices(1, &v->fetched);
}

PetscErrorCode sup_tiles_view_part(Mat of, int height, int width, PetscInt num, sup_tiles *M) {
  PetscCall(sup_tiles_view(of, M));
  M->height = height, M->width = width, M->num = num;
  return 0;
}

PetscErrorCode sup_tiles_view_parts(Mat A, sup_tiles part[2], const PetscInt **far) {
  Mat      own, others;
  PetscInt height, width, rows;
  PetscCall(MatGetBlockSizes(A, &height, &width));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &others, far));
  PetscCall(sup_tiles_view_part(own, (int)height, (int)width, rows / height, &part[0]));
  PetscCall(sup_tiles_view_part(others, (int)height, (int)width, rows / height, &part[1]));
  return 0;
}

static PetscErrorCode number_of_far(Mat A, PetscInt *num) {
  Mat others;
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &others, NULL));
  PetscCall(MatGetSize(others, NULL, num));
  return 0;
}

/** Rows of P that belong to others' columns of A, with all columns; collective. */
static PetscErrorCode fetch_rows(Mat A, Mat P, Mat **rows) {
  IS              row, col;
  PetscInt        num, all;
  const PetscInt *far;
  PetscCall(number_of_far(A, &num));
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, NULL, &far));
  PetscCall(MatGetSize(P, NULL, &all));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, num, far, PETSC_USE_POINTER, &row));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, all, 0, 1, &col));
  PetscCall(ISSetIdentity(col));
  PetscCall(MatCreateSubMatrices(P, 1, &row, &col, MAT_INITIAL_MATRIX, rows));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  return 0;
}

/** A source of rows of P: its tiles and PETSc's number of the first column, or of each. */
typedef struct source {
  sup_tiles       tiles;
  PetscInt        first; /* added to tile columns .. */
  const PetscInt *far;   /* .. or of scalar columns; NULL: none */
} source;

static PetscInt number_of(const source *from, PetscInt i, PetscInt t, int H, int W) {
  PetscInt c = sup_tile_column(&from->tiles, i, t, H, W);
  return from->far ? from->far[W * c] / W : from->first + c;
}

/** Rows of P from up to two sources each, `count` of them from row `to` on; values stay there. */
static void copy_rows(sup_rank_view *v, const source *from, int num_sources, PetscInt to,
                      PetscInt count) {
  int H = v->H, W = v->W;
  for (PetscInt i = 0; i < count; i++) {
    PetscInt at = v->p_start[to + i];
    for (int s = 0; s < num_sources; s++)
      for (PetscInt t = 0; t < sup_tiles_in_row(&from[s].tiles, i, H, W); t++, at++) {
        v->p_col[at] = v->local[number_of(&from[s], i, t, H, W)];
        v->p_value[at] = sup_tile_row(&from[s].tiles, i, t, 0, H, W);
        v->p_stride[at] = (PetscInt)(sup_tile_row(&from[s].tiles, i, t, 1, H, W) - v->p_value[at]);
      }
    v->p_start[to + i + 1] = at;
  }
}

/** Notes which coarse tiles come up; the number of tiles. */
static size_t mark(sup_rank_view *v, const source *from, PetscInt count) {
  size_t all = 0;
  for (PetscInt i = 0; i < count; i++) {
    PetscInt n = sup_tiles_in_row(&from->tiles, i, v->H, v->W);
    for (PetscInt t = 0; t < n; t++) v->local[number_of(from, i, t, v->H, v->W)] = 0;
    all += (size_t)n;
  }
  return all;
}

static PetscErrorCode list_P(sup_rank_view *v, const source *own, const source *fetched) {
  PetscInt num_far = v->num_rows - v->num_own;
  size_t   all;
  v->local = malloc((size_t)v->num_all * sizeof *v->local + 1);
  if (!v->local) return PETSC_ERR_MEM;
  for (PetscInt c = 0; c < v->num_all; c++) v->local[c] = -1;
  all = mark(v, &own[0], v->num_own) + mark(v, &own[1], v->num_own) + mark(v, fetched, num_far);
  v->num_coarse = 0;
  for (PetscInt c = 0; c < v->num_all; c++)
    if (v->local[c] == 0) v->local[c] = v->num_coarse++;
  v->number = malloc((size_t)v->num_coarse * sizeof *v->number + 1);
  v->p_start = malloc(((size_t)v->num_rows + 1) * sizeof *v->p_start);
  v->p_col = malloc(all * sizeof *v->p_col + 1);
  v->p_value = malloc(all * sizeof *v->p_value + 1);
  v->p_stride = malloc(all * sizeof *v->p_stride + 1);
  if (!v->number || !v->p_start || !v->p_col || !v->p_value || !v->p_stride) return PETSC_ERR_MEM;
  for (PetscInt c = 0; c < v->num_all; c++)
    if (v->local[c] >= 0) v->number[v->local[c]] = c;
  v->p_start[0] = 0;
  copy_rows(v, own, 2, 0, v->num_own);
  copy_rows(v, fetched, 1, v->num_own, num_far);
  return 0;
}

/** View of A and P on this rank; collective.  The caller frees the view, also after a failure. */
PetscErrorCode sup_rank_view_create(Mat A, Mat P, sup_rank_view *v) {
  const PetscInt *far;
  source          own[2], others = {.first = 0};
  PetscInt        num_far;
  *v = (sup_rank_view){.H = 0};
  PetscCall(sup_tiles_view_parts(A, v->A, &far));
  PetscCall(number_of_far(A, &num_far));
  PetscCall(MatMPIAIJGetSeqAIJ(P, NULL, NULL, &own[1].far));
  sup_tiles part[2];
  PetscCall(sup_tiles_view_parts(P, part, &own[1].far));
  v->H = part[0].height, v->W = part[0].width;
  PetscCall(MatGetOwnershipRangeColumn(P, &v->begin, &v->end));
  PetscCall(MatGetSize(P, NULL, &v->num_all));
  v->begin /= v->W, v->end /= v->W, v->num_all /= v->W;
  own[0] = (source){part[0], v->begin, NULL}, own[1].tiles = part[1], own[1].first = 0;
  v->num_own = v->A[0].num, v->num_rows = v->num_own + num_far / v->H;
  PetscCall(fetch_rows(A, P, &v->fetched));
  PetscCall(sup_tiles_view_part(v->fetched[0], v->H, v->W, num_far / v->H, &others.tiles));
  return list_P(v, own, &others);
}

/** 1: others' columns come in whole tiles. */
static int are_far_whole(Mat A, int width) {
  const PetscInt *far;
  PetscInt        num;
  if (number_of_far(A, &num) || MatMPIAIJGetSeqAIJ(A, NULL, NULL, &far) || num % width) return 0;
  for (PetscInt c = 0; c < num; c++)
    if (far[c] != far[c - c % width] + c % width || (c % width == 0 && far[c] % width)) return 0;
  return 1;
}

static int are_parts_whole(Mat A, sup_tiles part[2]) {
  const PetscInt *far;
  if (sup_tiles_view_parts(A, part, &far)) return 0;
  return sup_tiles_are_whole(&part[0]) && sup_tiles_are_whole(&part[1]) &&
         are_far_whole(A, part[0].width);
}

int sup_tiles_are_of_ranks(Mat A, Mat P) {
  sup_tiles a[2], p[2];
  int are = are_parts_whole(A, a) && are_parts_whole(P, p) && sup_tiles_are_known(&a[0], &p[0]);
  MPI_Allreduce(MPI_IN_PLACE, &are, 1, MPI_INT, MPI_MIN, PetscObjectComm((PetscObject)A));
  return are;
}
