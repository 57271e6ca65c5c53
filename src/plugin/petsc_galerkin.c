/* Galerkin's product P^T A P of multigrid, by tiles.
 *
 *  PETSc multiplies scalar by scalar and searches the place of each; here A is read in tiles of
 * 3 x 3 or 6 x 6 and P in tiles of as many rows and six columns, one for each rigid motion of an
 * aggregate.  A row of tiles of A P is made, used for all rows of the result that it has a part in,
 * and forgotten.  Only the upper half is computed: A is symmetric.
 *
 *  GAMG asks for the product by MatPtAP; a matrix of ours brings its own, and so do the results,
 * from which the next level is made. */
#include "plugin/petsc_tiles.h"

PetscErrorCode sup_tiles_view(Mat A, sup_tiles *M) {
  PetscScalar *value;
  PetscInt     rows, height, width;
  PetscCall(MatGetBlockSizes(A, &height, &width));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &M->start, &M->col, &value, NULL));
  M->value = value;
  M->height = (int)height, M->width = (int)width;
  M->num = rows / height;
  return 0;
}

int sup_tiles_are_whole(const sup_tiles *M) {
  for (PetscInt i = 0; i < M->num; i++) {
    const PetscInt *first = M->start + M->height * i, n = first[1] - first[0];
    if (n % M->width) return 0;
    for (PetscInt t = 0; t < n; t++)
      if (M->col[first[0] + t] != M->col[first[0] + t - t % M->width] + t % M->width ||
          (t % M->width == 0 && M->col[first[0] + t] % M->width))
        return 0;
    for (int k = 1; k < M->height; k++) {
      if (first[k + 1] - first[k] != n) return 0;
      if (memcmp(M->col + first[0], M->col + first[k], (size_t)n * sizeof *M->col) != 0) return 0;
    }
  }
  return 1;
}

int sup_tiles_are_known(const sup_tiles *A, const sup_tiles *P) {
  int is_known =
      (A->height == 6 && P->width == 6) || (A->height == 3 && (P->width == 3 || P->width == 6));
  return is_known && A->width == A->height && P->height == A->height;
}

/* ---- pattern --------------------------------------------------------------------------------- */

/** Columns of tiles of P by which rows of P have them. */
typedef struct columns {
  PetscInt  num;
  PetscInt *start, *row;
} columns;

static void columns_free(columns *T) { free(T->start), free(T->row); }

static PetscErrorCode transpose(const sup_tiles *P, PetscInt num, columns *T) {
  size_t all = 0;
  for (PetscInt i = 0; i < P->num; i++) all += (size_t)sup_tiles_in_row(P, i, P->height, P->width);
  *T = (columns){.num = num,
                 .start = calloc((size_t)num + 2, sizeof *T->start),
                 .row = malloc(all * sizeof *T->row + 1)};
  if (!T->start || !T->row) return PETSC_ERR_MEM;
  for (int pass = 0; pass < 2; pass++) { /* counts, then places; start is two ahead meanwhile */
    for (PetscInt i = 0; i < P->num; i++)
      for (PetscInt t = 0; t < sup_tiles_in_row(P, i, P->height, P->width); t++) {
        PetscInt b = sup_tile_column(P, i, t, P->height, P->width);
        if (pass)
          T->row[T->start[b + 1]++] = i;
        else
          T->start[b + 2]++;
      }
    for (PetscInt b = 0; b < num && !pass; b++) T->start[b + 2] += T->start[b + 1];
  }
  return 0;
}

static int ascending(const void *a, const void *b) {
  PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  return (x > y) - (x < y);
}

/** Columns of row a of the result, ascending; `met` has a + 1 for each.  Returns their number. */
static PetscInt find_columns(const sup_tiles *A, const sup_tiles *P, const columns *T, PetscInt a,
                             PetscInt *met, PetscInt *column) {
  PetscInt count = 0;
  for (PetscInt r = T->start[a]; r < T->start[a + 1]; r++)
    for (PetscInt i = T->row[r], t = 0; t < sup_tiles_in_row(A, i, A->height, A->width); t++) {
      PetscInt j = sup_tile_column(A, i, t, A->height, A->width);
      for (PetscInt u = 0; u < sup_tiles_in_row(P, j, P->height, P->width); u++) {
        PetscInt b = sup_tile_column(P, j, u, P->height, P->width);
        if (met[b] == a + 1) continue;
        met[b] = a + 1, column[count++] = b;
      }
    }
  qsort(column, (size_t)count, sizeof *column, ascending);
  return count;
}

/** Scalar rows of the result. */
typedef struct pattern {
  PetscInt *start, *col;
} pattern;

static PetscErrorCode make_pattern(const sup_tiles *A, const sup_tiles *P, const columns *T,
                                   PetscInt *met, PetscInt *column, pattern *C) {
  int    W = P->width;
  size_t room = 0;
  C->start = malloc(((size_t)(W * T->num) + 1) * sizeof *C->start);
  if (!C->start) return PETSC_ERR_MEM;
  C->start[0] = 0;
  for (PetscInt a = 0; a < T->num; a++) {
    PetscInt n = W * find_columns(A, P, T, a, met, column), first = C->start[W * a];
    size_t   needed = (size_t)first + (size_t)(W * n);
    if (needed > PETSC_MAX_INT) return PETSC_ERR_ARG_OUTOFRANGE;
    if (needed > room) {
      void *grown = realloc(C->col, (room = 2 * needed) * sizeof *C->col);
      if (!grown) return PETSC_ERR_MEM;
      C->col = grown;
    }
    for (int k = 0; k < W; k++, first += n) {
      for (PetscInt t = 0; t < n; t++) C->col[first + t] = W * column[t / W] + t % W;
      C->start[W * a + k + 1] = first + n;
    }
  }
  return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

void sup_product_row_free(sup_product_row *R) {
  free(R->slot), free(R->column), free(R->value), free(R->order);
}

int sup_product_row_grow(sup_product_row *R, size_t tile) {
  PetscInt room = 2 * R->room + 32;
  void    *column = realloc(R->column, (size_t)room * sizeof *R->column);
  if (column) R->column = column;
  void *order = realloc(R->order, (size_t)room * sizeof *R->order);
  if (order) R->order = order;
  void *value = realloc(R->value, (size_t)room * tile * sizeof *R->value);
  if (value) R->value = value;
  if (column && order && value) R->room = room;
  return column && order && value;
}

/** R := A_i P; 0: no memory. */
SUP_INLINE int multiply_row(const sup_tiles *A, const sup_tiles *P, PetscInt i, const int H,
                            const int W, sup_product_row *R) {
  PetscInt num_tiles = sup_tiles_in_row(A, i, H, H);
  R->num = 0;
  for (PetscInt t = 0; t < num_tiles; t++) {
    PetscInt           j = sup_tile_column(A, i, t, H, H), count = sup_tiles_in_row(P, j, H, W);
    const PetscScalar *a[6], *p[6];
    for (int m = 0; m < H; m++) a[m] = sup_tile_row(A, i, t, m, H, H);
    for (PetscInt u = 0; u < count; u++) {
      for (int k = 0; k < H; k++) p[k] = sup_tile_row(P, j, u, k, H, W);
      if (!sup_product_row_add(R, sup_tile_column(P, j, u, H, W), a, p, H, W)) return 0;
    }
  }
  sup_product_row_sort(R);
  return 1;
}

/** Row a of the result, from the diagonal on, += (P_ia)^T R, where P_ia has number t in its row. */
SUP_INLINE void add_row(const sup_tiles *P, PetscInt i, PetscInt t, const int H, const int W,
                        const sup_product_row *R, const PetscInt *start, const PetscInt *col,
                        PetscScalar *value) {
  PetscInt a = sup_tile_column(P, i, t, H, W), at = start[W * a], n = start[W * a + 1] - at;
  const PetscScalar *p[6];
  for (int k = 0; k < H; k++) p[k] = sup_tile_row(P, i, t, k, H, W);
  for (PetscInt s = 0, e = 0; s < R->num; s++) {
    PetscInt b = R->column[R->order[s]];
    if (b < a) continue;
    while (col[at + e] < W * b) e += W;
    sup_tile_add(p, R->value + R->order[s] * H * W, value + at + e, n, H, W);
  }
}

/** The lower half := the upper one.  Rows come in ascending order, and so do columns of each. */
static void mirror(PetscInt num, int W, const PetscInt *start, const PetscInt *col,
                   PetscScalar *value, PetscInt *cursor) {
  for (PetscInt b = 0; b < num; b++) cursor[b] = 0;
  for (PetscInt a = 0; a < num; a++) {
    PetscInt n = start[W * a + 1] - start[W * a];
    for (PetscInt e = 0; e < n; e += W) {
      PetscInt b = col[start[W * a] + e] / W, length = start[W * b + 1] - start[W * b];
      if (b <= a) continue;
      PetscScalar *to = value + start[W * b] + W * cursor[b]++;
      for (int m = 0; m < W; m++)
        for (int c = 0; c < W; c++) to[c * length + m] = value[start[W * a] + m * n + e + c];
    }
  }
}

SUP_INLINE PetscErrorCode multiply(const sup_tiles *A, const sup_tiles *P, const int H, const int W,
                                   sup_product_row *R, const PetscInt *start, const PetscInt *col,
                                   PetscScalar *value) {
  for (PetscInt i = 0; i < A->num; i++) {
    if (!multiply_row(A, P, i, H, W, R)) return PETSC_ERR_MEM;
    for (PetscInt t = 0; t < sup_tiles_in_row(P, i, H, W); t++)
      add_row(P, i, t, H, W, R, start, col, value);
  }
  return 0;
}

SUP_WIDE static PetscErrorCode multiply_3x3(const sup_tiles *A, const sup_tiles *P,
                                            sup_product_row *R, const PetscInt *s,
                                            const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 3, 3, R, s, c, v);
}
SUP_WIDE static PetscErrorCode multiply_3x6(const sup_tiles *A, const sup_tiles *P,
                                            sup_product_row *R, const PetscInt *s,
                                            const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 3, 6, R, s, c, v);
}
SUP_WIDE static PetscErrorCode multiply_6x6(const sup_tiles *A, const sup_tiles *P,
                                            sup_product_row *R, const PetscInt *s,
                                            const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 6, 6, R, s, c, v);
}

/* ---- as PETSc asks for it -------------------------------------------------------------------- */

static PetscErrorCode numeric(Mat C) {
  Mat          of_A, of_P;
  sup_tiles    A, P, out;
  PetscScalar *value;
  PetscInt     n;
  PetscCall(MatProductGetMats(C, &of_A, &of_P, NULL));
  PetscCall(sup_tiles_view(of_A, &A));
  PetscCall(sup_tiles_view(of_P, &P));
  PetscCall(sup_tiles_view(C, &out));
  PetscCall(MatGetSize(C, &n, NULL));
  sup_product_row R = {.slot = malloc((size_t)out.num * sizeof *R.slot + 1)};
  if (!R.slot) return PETSC_ERR_MEM;
  for (PetscInt b = 0; b < out.num; b++) R.slot[b] = -1;
  PetscCall(MatSeqAIJGetArray(C, &value));
  memset(value, 0, (size_t)out.start[n] * sizeof *value);
  PetscErrorCode code = (A.height == 6  ? multiply_6x6
                         : P.width == 6 ? multiply_3x6
                                        : multiply_3x3)(&A, &P, &R, out.start, out.col, value);
  if (!code) mirror(out.num, P.width, out.start, out.col, value, R.slot);
  sup_product_row_free(&R);
  PetscCall(MatSeqAIJRestoreArray(C, &value));
  PetscCall(code);
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode symbolic(Mat C) {
  Mat       of_A, of_P;
  sup_tiles A, P;
  PetscInt  n;
  columns   T;
  pattern   rows = {NULL, NULL};
  PetscCall(MatProductGetMats(C, &of_A, &of_P, NULL));
  PetscCall(sup_tiles_view(of_A, &A));
  PetscCall(sup_tiles_view(of_P, &P));
  PetscCall(MatGetSize(of_P, NULL, &n));
  PetscErrorCode code = transpose(&P, n / P.width, &T);
  PetscInt      *work = calloc(2 * (size_t)T.num + 1, sizeof *work);
  if (!code) code = work ? make_pattern(&A, &P, &T, work, work + T.num, &rows) : PETSC_ERR_MEM;
  free(work), columns_free(&T);
  if (!code) code = MatSetSizes(C, n, n, n, n);
  if (!code) code = MatSetType(C, MATSEQAIJ);
  if (!code) code = MatSetBlockSize(C, P.width);
  if (!code) code = MatSeqAIJSetPreallocationCSR(C, rows.start, rows.col, NULL);
  free(rows.start), free(rows.col);
  PetscCall(code);
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))numeric));
  return sup_petsc_use_galerkin(C);
}

/** PETSc's own choice of how to multiply, on one rank and on several. */
static void (*choose_otherwise[2])(void);

static int are_ours(Mat A, Mat P) {
  sup_tiles a, p;
  if (sup_tiles_view(A, &a) || sup_tiles_view(P, &p) || !sup_tiles_are_known(&a, &p)) return 0;
  return sup_tiles_are_whole(&a) && sup_tiles_are_whole(&p);
}

static PetscErrorCode choose(Mat C) {
  Mat            A, P;
  MatProductType type;
  PetscBool      is_alone;
  int            is_ours = 0;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &is_alone));
  if (type == MATPRODUCT_PtAP && is_alone && are_ours(A, P))
    return MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))symbolic);
  if (type == MATPRODUCT_PtAP && !is_alone)
    PetscCall(sup_petsc_galerkin_on_ranks(C, A, P, &is_ours));
  if (type == MATPRODUCT_AB && !is_alone) PetscCall(sup_petsc_smooth_on_ranks(C, A, P, &is_ours));
  return is_ours ? 0 : ((PetscErrorCode(*)(Mat))choose_otherwise[!is_alone])(C);
}

PetscErrorCode sup_petsc_use_galerkin(Mat A) {
  PetscBool is_said, is_alone;
  void (*now)(void);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-matptap_via", &is_said));
  if (is_said) return 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &is_alone));
  PetscCall(MatGetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, &now));
  if (now == (void (*)(void))choose) return 0;
  choose_otherwise[!is_alone] = now;
  PetscCall(MatSetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, (void (*)(void))choose));
  PetscCall(PetscObjectComposeFunction((PetscObject)A,
                                       is_alone ? "MatProductSetFromOptions_seqaij_seqaij_C"
                                                : "MatProductSetFromOptions_mpiaij_mpiaij_C",
                                       choose)); /* where the other matrix is none of ours */
  return 0;
}
