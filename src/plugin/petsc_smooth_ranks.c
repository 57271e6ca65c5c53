/* A P by tiles on several ranks, the product that smooths an interpolation: each rank multiplies
 * its rows with the rows of P that their columns meet.  PETSc's own keeps copies of P and of
 * columns meanwhile, a quarter of the result. */
#include "plugin/petsc_tiles.h"

/** Coarse columns that row i of tiles of A P has, in the order in which they come up.
 *  @param[in,out] met  [num_coarse] last row, plus 1, that had the column
 *  @param[out] column  [num_coarse] */
static PetscInt find_columns(const sup_rank_view *v, PetscInt i, PetscInt *met, PetscInt *column) {
  PetscInt count = 0;
  for (int k = 0; k < 2; k++)
    for (PetscInt t = 0; t < sup_tiles_in_row(&v->A[k], i, v->H, v->H); t++) {
      PetscInt j = sup_rank_view_row(v, k, sup_tile_column(&v->A[k], i, t, v->H, v->H));
      for (PetscInt u = v->p_start[j]; u < v->p_start[j + 1]; u++)
        if (met[v->p_col[u]] != i + 1) met[v->p_col[u]] = i + 1, column[count++] = v->p_col[u];
    }
  return count;
}

/** Entries of each scalar row among own columns and others', [2][H x num_own]. */
static PetscErrorCode count_entries(const sup_rank_view *v, PetscInt *entries[2]) {
  PetscInt *met = calloc((size_t)v->num_coarse + 1, sizeof *met),
           *column = malloc((size_t)v->num_coarse * sizeof *column + 1);
  for (int k = 0; k < 2; k++)
    entries[k] = calloc((size_t)(v->H * v->num_own) + 1, sizeof **entries);
  PetscErrorCode code = met && column && entries[0] && entries[1] ? 0 : PETSC_ERR_MEM;
  for (PetscInt i = 0; i < v->num_own && !code; i++) {
    PetscInt count[2] = {0, 0}, n = find_columns(v, i, met, column);
    for (PetscInt c = 0; c < n; c++) count[!sup_rank_view_owns(v, v->number[column[c]])] += v->W;
    for (int k = 0; k < 2; k++)
      for (int m = 0; m < v->H; m++) entries[k][v->H * i + m] = count[k];
  }
  free(met), free(column);
  return code;
}

/** Buffers of the rows that are written. */
typedef struct writer {
  Mat          C;
  PetscInt     first; /* own row of tiles in PETSc's numbers */
  PetscInt     room, *col;
  PetscScalar *value;
} writer;

/** R into row i, by ascending columns. */
static PetscErrorCode write_row(const sup_rank_view *v, writer *w, const sup_product_row *R,
                                PetscInt i) {
  PetscInt row[6], H = v->H, W = v->W, n = W * R->num;
  if (n > w->room) {
    void *col = realloc(w->col, (size_t)n * sizeof *w->col);
    if (col) w->col = col;
    void *value = realloc(w->value, (size_t)(H * n) * sizeof *w->value);
    if (value) w->value = value;
    if (!col || !value) return PETSC_ERR_MEM;
    w->room = n;
  }
  for (PetscInt s = 0; s < R->num; s++)
    for (PetscInt c = 0; c < W; c++) {
      w->col[W * s + c] = W * v->number[R->column[R->order[s]]] + c;
      for (PetscInt m = 0; m < H; m++)
        w->value[n * m + W * s + c] = R->value[(R->order[s] * H + m) * W + c];
    }
  for (PetscInt m = 0; m < H; m++) row[m] = H * (w->first + i) + m;
  return MatSetValues(w->C, H, row, n, w->col, w->value, INSERT_VALUES);
}

SUP_INLINE PetscErrorCode multiply(const sup_rank_view *v, const int H, const int W,
                                   sup_product_row *R, writer *w) {
  for (PetscInt i = 0; i < v->num_own; i++) {
    if (!sup_product_row_fill(R, v, i, H, W)) return PETSC_ERR_MEM;
    PetscErrorCode code = write_row(v, w, R, i);
    if (code) return code;
  }
  return 0;
}

SUP_WIDE static PetscErrorCode smooth_3x3(const sup_rank_view *v, sup_product_row *R, writer *w) {
  return multiply(v, 3, 3, R, w);
}
SUP_WIDE static PetscErrorCode smooth_3x6(const sup_rank_view *v, sup_product_row *R, writer *w) {
  return multiply(v, 3, 6, R, w);
}
SUP_WIDE static PetscErrorCode smooth_6x6(const sup_rank_view *v, sup_product_row *R, writer *w) {
  return multiply(v, 6, 6, R, w);
}

static PetscErrorCode fill(const sup_rank_view *v, Mat C) {
  sup_product_row R = {.slot = malloc((size_t)v->num_coarse * sizeof *R.slot + 1)};
  writer          w = {.C = C};
  PetscInt        row;
  if (!R.slot) return PETSC_ERR_MEM;
  for (PetscInt b = 0; b < v->num_coarse; b++) R.slot[b] = -1;
  PetscErrorCode code = MatGetOwnershipRange(C, &row, NULL);
  w.first = row / v->H;
  if (!code) code = (v->H == 6 ? smooth_6x6 : v->W == 6 ? smooth_3x6 : smooth_3x3)(v, &R, &w);
  sup_product_row_free(&R);
  free(w.col), free(w.value);
  return code;
}

static PetscErrorCode numeric(Mat C) {
  Mat           A, P;
  sup_rank_view v;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscErrorCode code = sup_rank_view_create(A, P, &v);
  if (!code) code = fill(&v, C);
  sup_rank_view_free(&v);
  if (code) MPI_Abort(PetscObjectComm((PetscObject)C), code); /* the others wait */
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode make_result(const sup_rank_view *v, Mat C) {
  PetscInt       rows = v->H * v->num_own, columns = v->W * (v->end - v->begin);
  PetscInt      *entries[2] = {NULL, NULL};
  PetscErrorCode code = count_entries(v, entries);
  if (!code) code = MatSetSizes(C, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE);
  if (!code) code = MatSetType(C, MATMPIAIJ);
  if (!code) code = MatSetBlockSizes(C, v->H, v->W);
  if (!code) code = MatMPIAIJSetPreallocation(C, 0, entries[0], 0, entries[1]);
  if (!code) code = MatSetOption(C, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE);
  free(entries[0]), free(entries[1]);
  return code;
}

static PetscErrorCode symbolic(Mat C) {
  Mat           A, P;
  sup_rank_view v;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscErrorCode code = sup_rank_view_create(A, P, &v);
  if (!code) code = make_result(&v, C);
  sup_rank_view_free(&v);
  if (code) MPI_Abort(PetscObjectComm((PetscObject)C), code);
  return MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))numeric);
}

PetscErrorCode sup_petsc_smooth_on_ranks(Mat C, Mat A, Mat P, int *is_ours) {
  *is_ours = sup_tiles_are_of_ranks(A, P);
  return *is_ours ? MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))symbolic) : 0;
}
