/* The matrix of one process: D A D in rows of 3 x 3 tiles, as AIJ on our arrays, and vectors that
 * go with it.  Those of several ranks are in petsc_ranks.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_parts.h"

enum { BLOCK = SUP_TILE };

int sup_petsc_is_own(const sup_petsc_system *s, PetscInt r) {
  return !s->ranks || (s->number[r] >= s->begin && s->number[r] < s->end);
}
PetscInt sup_petsc_own_number(const sup_petsc_system *s, PetscInt r) {
  return s->ranks ? s->number[r] - s->begin : r;
}

/* ---- pattern --------------------------------------------------------------------------------- */

static PetscInt rows_of(const sup_block_pattern *P, int b) {
  return (sup_block_size(P, b) + BLOCK - 1) / BLOCK;
}

/** The array with room for `count` entries, at least one; 0 when there is no memory. */
#define GROW(array, count) \
  ((grown = realloc((array), (size_t)(count) * sizeof *(array) + 1)) ? ((array) = grown, 1) : 0)

/** Visits the 3 x 3 tiles of the lower triangle by columns, so that the entries of each row and of
 * its mirror image come in ascending order: rows need no search. */
typedef void (*visit_tile)(sup_petsc_system *s, int entry, int j, PetscInt r, PetscInt c);

static void for_each_tile(sup_petsc_system *s, visit_tile visit) {
  const sup_block_pattern *P = s->pattern;
  for (int j = 0; j < P->num_blocks; j++)
    for (PetscInt c = s->first[j]; c < s->first[j + 1]; c++)
      for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
        int i = sup_block_row(P, e);
        for (PetscInt r = i == j ? c : s->first[i]; r < s->first[i + 1]; r++) visit(s, e, j, r, c);
      }
}

static void count_tile(sup_petsc_system *s, int entry, int j, PetscInt r, PetscInt c) {
  (void)entry, (void)j;
  s->cursor[r]++;
  if (r != c) s->cursor[c]++;
}

static void place_columns(sup_petsc_system *s, PetscInt r, PetscInt c) {
  for (int k = 0; k < BLOCK; k++) {
    PetscInt *to = s->col + s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
    for (int m = 0; m < BLOCK; m++) to[m] = BLOCK * c + m;
  }
  s->cursor[r]++;
}

static void place_tile(sup_petsc_system *s, int entry, int j, PetscInt r, PetscInt c) {
  (void)entry, (void)j;
  place_columns(s, r, c);
  if (r != c) place_columns(s, c, r);
}

static void restart_rows(sup_petsc_system *s) {
  memset(s->cursor, 0, (size_t)s->num_rows * sizeof *s->cursor);
}

/** Lay out the rows on several ranks. */
static PetscErrorCode lay_out_rows(sup_petsc_system *s) {
  sup_petsc_rows_destroy(&s->rows);
  PetscErrorCode code = sup_petsc_rows_create(&s->rows, s->pattern, s->ranks, s->first);
  if (!code) s->number = sup_petsc_rows_number(s->rows, &s->begin, &s->end);
  return code;
}

PetscErrorCode sup_petsc_lay_out(sup_petsc_system *s, const sup_block_pattern *P) {
  void *grown;
  s->pattern = P;
  if (!GROW(s->first, (size_t)P->num_blocks + 1)) return PETSC_ERR_MEM;
  s->first[0] = 0;
  for (int b = 0; b < P->num_blocks; b++) s->first[b + 1] = s->first[b] + rows_of(P, b);
  s->num_rows = s->first[P->num_blocks];
  s->begin = 0, s->end = s->num_rows, s->is_filled_up = 1;
  if (!GROW(s->scale, BLOCK * (size_t)s->num_rows)) return PETSC_ERR_MEM;
  if (!s->ranks) return 0;
  return lay_out_rows(s);
}

/** Lay out the entries on one process, where the matrix is wanted. */
static PetscErrorCode lay_out_entries(sup_petsc_system *s) {
  size_t n = BLOCK * (size_t)s->num_rows;
  double entries = 0;
  void  *grown;
  if (!GROW(s->cursor, (size_t)s->num_rows) || !GROW(s->start, n + 1)) return PETSC_ERR_MEM;
  restart_rows(s);
  for_each_tile(s, count_tile);
  for (int r = 0; r < s->num_rows; r++) entries += BLOCK * BLOCK * (double)s->cursor[r];
  if (entries > PETSC_MAX_INT) return PETSC_ERR_ARG_OUTOFRANGE;
  s->start[0] = 0;
  for (int r = 0; r < s->num_rows; r++)
    for (int k = 0; k < BLOCK; k++)
      s->start[BLOCK * r + k + 1] = s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
  if (!GROW(s->col, (size_t)entries) || !GROW(s->value, (size_t)entries)) return PETSC_ERR_MEM;
  restart_rows(s);
  for_each_tile(s, place_tile);
  return 0;
}

static PetscErrorCode create(sup_petsc_system *s, Mat *A) {
  PetscInt n = BLOCK * s->num_rows;
  if (s->ranks) return sup_petsc_rows_matrix(s->rows, A);
  return MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, s->start, s->col, s->value, A);
}

PetscErrorCode sup_petsc_make_matrix(sup_petsc_system *s, Mat *A) {
  PetscErrorCode code = s->ranks ? 0 : lay_out_entries(s);
  if (code) return code;
  PetscCall(create(s, A));
  PetscCall(MatSetBlockSize(*A, BLOCK));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE)); /* as SPD, MUMPS counts no pivots */
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/** A tile by rows, padded by the unit matrix. */
static void read_tile(const sup_petsc_system *s, const double *values, int entry, int j, PetscInt r,
                      PetscInt c, double *tile) {
  const sup_block_pattern *P = s->pattern;
  const double            *block = values + sup_block_value(P, entry);
  int                      i = sup_block_row(P, entry), size = sup_block_size(P, i);
  for (int k = 0; k < BLOCK; k++)
    for (int m = 0; m < BLOCK; m++) {
      int row = (int)(BLOCK * (r - s->first[i])) + k, col = (int)(BLOCK * (c - s->first[j])) + m;
      if (row >= size || col >= sup_block_size(P, j))
        tile[BLOCK * k + m] = s->is_filled_up && r == c && k == m && sup_petsc_is_own(s, r);
      else /* of a diagonal block only the lower triangle is there */
        tile[BLOCK * k + m] =
            i == j && row < col ? block[row * size + col] : block[col * size + row];
    }
}

/** Write a tile into row r, transposed or not. */
static void put_tile(sup_petsc_system *s, PetscInt r, PetscInt c, const double *tile, int by_row,
                     int by_col) {
  const double *Dr = s->scale + BLOCK * r, *Dc = s->scale + BLOCK * c;
  for (int k = 0; k < BLOCK; k++) {
    PetscScalar *to = s->value + s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
    for (int m = 0; m < BLOCK; m++) to[m] = Dr[k] * tile[by_row * k + by_col * m] * Dc[m];
  }
  s->cursor[r]++;
}

static void fill_tile(sup_petsc_system *s, int entry, int j, PetscInt r, PetscInt c) {
  double tile[BLOCK * BLOCK];
  read_tile(s, s->source, entry, j, r, c, tile);
  put_tile(s, r, c, tile, BLOCK, 1);
  if (r != c) put_tile(s, c, r, tile, 1, BLOCK);
}

/** Tile for several ranks: scaled by its sender. */
static void read_scaled(void *user, int entry, int j, PetscInt r, PetscInt c, double *tile) {
  const sup_petsc_system *s = user;
  const double           *Dr = s->scale + BLOCK * r, *Dc = s->scale + BLOCK * c;
  read_tile(s, s->source, entry, j, r, c, tile);
  for (int k = 0; k < BLOCK; k++)
    for (int m = 0; m < BLOCK; m++) tile[BLOCK * k + m] *= Dr[k] * Dc[m];
}

/** SUP_NONE, or the block column whose diagonal, which `scale` holds, is not positive. */
static int invert_scale(sup_petsc_system *s) {
  const sup_block_pattern *P = s->pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    double *own = s->scale + BLOCK * s->first[b];
    for (int i = 0; i < BLOCK * rows_of(P, b); i++) {
      if (i < sup_block_size(P, b) && !(own[i] > 0)) return b;
      own[i] = i < sup_block_size(P, b) ? 1 / sqrt(own[i]) : 1;
    }
  }
  return SUP_NONE;
}

int sup_petsc_compute_scale(sup_petsc_system *s, const double *values) {
  const sup_block_pattern *P = s->pattern;
  double                  *scale = s->scale;
  memset(scale, 0, BLOCK * (size_t)s->num_rows * sizeof *scale);
  for (int b = 0; b < P->num_blocks; b++)
    for (int n = sup_block_size(P, b), i = 0; i < n; i++)
      scale[BLOCK * s->first[b] + i] = values[sup_block_diagonal(P, b) + (size_t)(i * (n + 1))];
  if (s->ranks) s->ranks->collective->sum(s->ranks->collective, BLOCK * (size_t)s->num_rows, scale);
  return invert_scale(s);
}

static PetscErrorCode fill(sup_petsc_system *s, Mat A) {
  PetscScalar *same;
  restart_rows(s);
  PetscCall(MatSeqAIJGetArray(A, &same)); /* s->value; PETSc notices the change */
  for_each_tile(s, fill_tile);
  PetscCall(MatSeqAIJRestoreArray(A, &same));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

PetscErrorCode sup_petsc_fill_matrix(sup_petsc_system *s, const double *values, Mat A) {
  s->source = values;
  return s->ranks ? sup_petsc_rows_fill(s->rows, A, read_scaled, s) : fill(s, A);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/** Into PETSc's unknowns: b' = D b, x = D x'. */
void sup_petsc_to(const sup_petsc_system *s, const double *b, PetscScalar *to) {
  const sup_block_pattern *P = s->pattern;
  memset(to, 0, BLOCK * (size_t)(s->end - s->begin) * sizeof *to);
  for (int j = 0; j < P->num_blocks; j++) {
    if (!sup_petsc_is_own(s, s->first[j])) continue; /* a block column has one owner */
    PetscScalar *rows = to + BLOCK * sup_petsc_own_number(s, s->first[j]);
    for (int i = 0; i < sup_block_size(P, j); i++)
      rows[i] = s->scale[BLOCK * s->first[j] + i] * b[sup_block_first(P, j) + i];
  }
}

void sup_petsc_from(const sup_petsc_system *s, const PetscScalar *x, double *to) {
  const sup_block_pattern *P = s->pattern;
  for (int j = 0; j < P->num_blocks; j++)
    for (int i = 0; i < sup_block_size(P, j); i++) {
      PetscInt k = BLOCK * s->first[j] + i;
      to[sup_block_first(P, j) + i] = s->scale[k] * x[k];
    }
}

PetscErrorCode sup_petsc_gather(const sup_petsc_system *s, Vec x, double *b) {
  const PetscScalar *own;
  PetscCall(VecGetArrayRead(x, &own));
  if (s->ranks)
    sup_petsc_rows_gather(s->rows, own, s->scale, b);
  else
    sup_petsc_from(s, own, b);
  PetscCall(VecRestoreArrayRead(x, &own));
  return 0;
}

void sup_petsc_system_free(sup_petsc_system *s) {
  sup_petsc_rows_destroy(&s->rows);
  free(s->first), free(s->start), free(s->col), free(s->value), free(s->cursor), free(s->scale);
  *s = (sup_petsc_system){0};
}
