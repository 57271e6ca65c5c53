/* Galerkin's product P^T A P of multigrid, by tiles.
 *
 *  PETSc multiplies scalar by scalar and searches the place of each; here A is read in tiles of
 * 3 x 3 or 6 x 6 and P in tiles of as many rows and six columns, one for each rigid motion of an
 * aggregate.  A row of tiles of A P is made, used for all rows of the result that it has a part in,
 * and forgotten.  Only the upper half is computed: A is symmetric.
 *
 *  GAMG asks for the product by MatPtAP; a matrix of ours brings its own, and so do the results,
 * from which the next level is made. */
#include <stdlib.h>
#include <string.h>

#include "la/petsc_parts.h"

/** Rows of tiles of an AIJ matrix whose scalar rows of a tile have the same columns. */
typedef struct tiles {
  PetscInt           num; /* rows of tiles */
  int                height, width;
  const PetscInt    *start, *col; /* of scalar rows */
  const PetscScalar *value;
} tiles;

static inline PetscInt tiles_in_row(const tiles *M, PetscInt i, int height, int width) {
  return (M->start[height * i + 1] - M->start[height * i]) / width;
}
static inline PetscInt tile_column(const tiles *M, PetscInt i, PetscInt t, int height, int width) {
  return M->col[M->start[height * i] + width * t] / width;
}
/** Its row k, `width` numbers. */
static inline const PetscScalar *tile_row(const tiles *M, PetscInt i, PetscInt t, int k, int height,
                                          int width) {
  return M->value + M->start[height * i + k] + width * t;
}

static PetscErrorCode take_tiles(Mat A, tiles *M) {
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

/** 1: tiles have all their columns, in all their rows. */
static int are_tiles(const tiles *M) {
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

/* ---- pattern --------------------------------------------------------------------------------- */

/** Columns of tiles of P by which rows of P have them. */
typedef struct columns {
  PetscInt  num;
  PetscInt *start, *row;
} columns;

static void columns_free(columns *T) { free(T->start), free(T->row); }

static PetscErrorCode transpose(const tiles *P, PetscInt num, columns *T) {
  size_t all = 0;
  for (PetscInt i = 0; i < P->num; i++) all += (size_t)tiles_in_row(P, i, P->height, P->width);
  *T = (columns){.num = num,
                 .start = calloc((size_t)num + 2, sizeof *T->start),
                 .row = malloc(all * sizeof *T->row + 1)};
  if (!T->start || !T->row) return PETSC_ERR_MEM;
  for (int pass = 0; pass < 2; pass++) { /* counts, then places; start is two ahead meanwhile */
    for (PetscInt i = 0; i < P->num; i++)
      for (PetscInt t = 0; t < tiles_in_row(P, i, P->height, P->width); t++) {
        PetscInt b = tile_column(P, i, t, P->height, P->width);
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

/** Of row a of the result, in ascending order; `met` has a + 1 where it has been. */
static PetscInt find_columns(const tiles *A, const tiles *P, const columns *T, PetscInt a,
                             PetscInt *met, PetscInt *column) {
  PetscInt count = 0;
  for (PetscInt r = T->start[a]; r < T->start[a + 1]; r++)
    for (PetscInt i = T->row[r], t = 0; t < tiles_in_row(A, i, A->height, A->width); t++) {
      PetscInt j = tile_column(A, i, t, A->height, A->width);
      for (PetscInt u = 0; u < tiles_in_row(P, j, P->height, P->width); u++) {
        PetscInt b = tile_column(P, j, u, P->height, P->width);
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

static PetscErrorCode make_pattern(const tiles *A, const tiles *P, const columns *T, PetscInt *met,
                                   PetscInt *column, pattern *C) {
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

/** A row of tiles of A P. */
typedef struct product_row {
  PetscInt     num, room;
  PetscInt    *slot;   /* [columns of tiles] where it is in the row, or -1 */
  PetscInt    *column; /* [room] of the tiles, */
  PetscScalar *value;  /* [room x height x width] by rows, */
  PetscInt    *order;  /* [room] and their order */
} product_row;

static void row_free(product_row *R) {
  free(R->slot), free(R->column), free(R->value), free(R->order);
}

static int row_grow(product_row *R, size_t tile) {
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

#define INLINE static inline __attribute__((always_inline))

/** R := A_i P; 0: no memory. */
INLINE int multiply_row(const tiles *A, const tiles *P, PetscInt i, const int H, const int W,
                        product_row *R) {
  PetscInt num_tiles = tiles_in_row(A, i, H, H);
  R->num = 0;
  for (PetscInt t = 0; t < num_tiles; t++) {
    PetscInt           j = tile_column(A, i, t, H, H), count = tiles_in_row(P, j, H, W);
    const PetscScalar *a[6];
    for (int m = 0; m < H; m++) a[m] = tile_row(A, i, t, m, H, H);
    for (PetscInt u = 0; u < count; u++) {
      PetscInt b = tile_column(P, j, u, H, W);
      if (R->slot[b] < 0) {
        if (R->num == R->room && !row_grow(R, (size_t)(H * W))) return 0;
        R->column[R->num] = b, R->slot[b] = R->num;
        memset(R->value + R->num++ * H * W, 0, (size_t)(H * W) * sizeof *R->value);
      }
      PetscScalar *restrict to = R->value + R->slot[b] * H * W;
      const PetscScalar *p[6];
      for (int k = 0; k < H; k++) p[k] = tile_row(P, j, u, k, H, W);
      for (int m = 0; m < H; m++) {
        PetscScalar sum[6];
        for (int n = 0; n < W; n++) sum[n] = to[m * W + n];
        for (int k = 0; k < H; k++)
          for (int n = 0; n < W; n++) sum[n] += a[m][k] * p[k][n];
        for (int n = 0; n < W; n++) to[m * W + n] = sum[n];
      }
    }
  }
  for (PetscInt s = 0; s < R->num; s++) { /* few */
    PetscInt at = s;
    for (; at > 0 && R->column[R->order[at - 1]] > R->column[s]; at--)
      R->order[at] = R->order[at - 1];
    R->order[at] = s;
  }
  for (PetscInt s = 0; s < R->num; s++) R->slot[R->column[s]] = -1;
  return 1;
}

/** Row a of the result, from the diagonal on, += (P_ia)^T R, where P_ia has number t in its row. */
INLINE void add_row(const tiles *P, PetscInt i, PetscInt t, const int H, const int W,
                    const product_row *R, const PetscInt *start, const PetscInt *col,
                    PetscScalar *value) {
  PetscInt           a = tile_column(P, i, t, H, W), at = start[W * a], n = start[W * a + 1] - at;
  PetscScalar       *row = value + at;
  const PetscScalar *p[6];
  for (int k = 0; k < H; k++) p[k] = tile_row(P, i, t, k, H, W);
  for (PetscInt s = 0, e = 0; s < R->num; s++) {
    PetscInt b = R->column[R->order[s]];
    if (b < a) continue;
    while (col[at + e] < W * b) e += W;
    const PetscScalar *from = R->value + R->order[s] * H * W;
    for (int m = 0; m < W; m++) {
      PetscScalar *to = row + m * n + e, sum[6];
      for (int c = 0; c < W; c++) sum[c] = to[c];
      for (int k = 0; k < H; k++)
        for (int c = 0; c < W; c++) sum[c] += p[k][m] * from[k * W + c];
      for (int c = 0; c < W; c++) to[c] = sum[c];
    }
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

/** As wide as the processor is; additions and multiplications stay apart, so that all have the same
 * bits. */
#if defined(__x86_64__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

INLINE PetscErrorCode multiply(const tiles *A, const tiles *P, const int H, const int W,
                               product_row *R, const PetscInt *start, const PetscInt *col,
                               PetscScalar *value) {
  for (PetscInt i = 0; i < A->num; i++) {
    if (!multiply_row(A, P, i, H, W, R)) return PETSC_ERR_MEM;
    for (PetscInt t = 0; t < tiles_in_row(P, i, H, W); t++)
      add_row(P, i, t, H, W, R, start, col, value);
  }
  return 0;
}

WIDE static PetscErrorCode multiply_3x3(const tiles *A, const tiles *P, product_row *R,
                                        const PetscInt *s, const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 3, 3, R, s, c, v);
}
WIDE static PetscErrorCode multiply_3x6(const tiles *A, const tiles *P, product_row *R,
                                        const PetscInt *s, const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 3, 6, R, s, c, v);
}
WIDE static PetscErrorCode multiply_6x6(const tiles *A, const tiles *P, product_row *R,
                                        const PetscInt *s, const PetscInt *c, PetscScalar *v) {
  return multiply(A, P, 6, 6, R, s, c, v);
}

/* ---- as PETSc asks for it -------------------------------------------------------------------- */

static PetscErrorCode numeric(Mat C) {
  Mat          of_A, of_P;
  tiles        A, P, out;
  PetscScalar *value;
  PetscInt     n;
  PetscCall(MatProductGetMats(C, &of_A, &of_P, NULL));
  PetscCall(take_tiles(of_A, &A));
  PetscCall(take_tiles(of_P, &P));
  PetscCall(take_tiles(C, &out));
  PetscCall(MatGetSize(C, &n, NULL));
  product_row R = {.slot = malloc((size_t)out.num * sizeof *R.slot + 1)};
  if (!R.slot) return PETSC_ERR_MEM;
  for (PetscInt b = 0; b < out.num; b++) R.slot[b] = -1;
  PetscCall(MatSeqAIJGetArray(C, &value));
  memset(value, 0, (size_t)out.start[n] * sizeof *value);
  PetscErrorCode code = (A.height == 6  ? multiply_6x6
                         : P.width == 6 ? multiply_3x6
                                        : multiply_3x3)(&A, &P, &R, out.start, out.col, value);
  if (!code) mirror(out.num, P.width, out.start, out.col, value, R.slot);
  row_free(&R);
  PetscCall(MatSeqAIJRestoreArray(C, &value));
  PetscCall(code);
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode symbolic(Mat C) {
  Mat      of_A, of_P;
  tiles    A, P;
  PetscInt n;
  columns  T;
  pattern  rows = {NULL, NULL};
  PetscCall(MatProductGetMats(C, &of_A, &of_P, NULL));
  PetscCall(take_tiles(of_A, &A));
  PetscCall(take_tiles(of_P, &P));
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

/** PETSc's own choice of how to multiply. */
static void (*choose_otherwise)(void);

static int are_ours(Mat A, Mat P) {
  tiles a, p;
  if (take_tiles(A, &a) || take_tiles(P, &p)) return 0;
  int is_known =
      (a.height == 6 && p.width == 6) || (a.height == 3 && (p.width == 3 || p.width == 6));
  return is_known && a.width == a.height && p.height == a.height && are_tiles(&a) && are_tiles(&p);
}

static PetscErrorCode choose(Mat C) {
  Mat            A, P;
  MatProductType type;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  if (type != MATPRODUCT_PtAP || !are_ours(A, P))
    return ((PetscErrorCode(*)(Mat))choose_otherwise)(C);
  return MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))symbolic);
}

PetscErrorCode sup_petsc_use_galerkin(Mat A) {
  PetscBool is_said;
  void (*now)(void);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-matptap_via", &is_said));
  if (is_said) return 0;
  PetscCall(MatGetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, &now));
  if (now == (void (*)(void))choose) return 0;
  choose_otherwise = now;
  PetscCall(MatSetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, (void (*)(void))choose));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatProductSetFromOptions_seqaij_seqaij_C",
                                       choose)); /* where the other matrix is none of ours */
  return 0;
}
