/* The matrix of PETSc on several ranks: each has the rows of its block columns, whatever rank
 * contributes to them.
 *
 *  Tiles of 3 x 3 scalars.  A rank visits the tiles of its pattern, each of which belongs into one
 * row and, transposed, into another; what belongs to others is sent to them in the order of the
 * visit, and everybody adds what came in the order of the ranks: two runs have equal bits.  PETSc's
 * own stash would take messages as they arrive.  AIJ over our arrays: those of this rank's columns
 * and those of the others'. */
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_parts.h"

enum { VALUES = SUP_TILE * SUP_TILE };

struct sup_petsc_rows {
  const sup_block_pattern *pattern;
  int                      rank, size;
  PetscInt                 num_tiles;            /* of all block columns */
  PetscInt                *first;                /* [num_blocks + 1] first tile of each */
  int                     *owner;                /* [num_tiles] */
  PetscInt                *number;               /* [num_tiles] PETSc's */
  PetscInt                *begin;                /* [size + 1] first number of each rank */
  unsigned char           *is_idle;              /* [num_blocks] contributes nothing here */
  int                     *send, *receive;       /* [size] tiles to and from each rank .. */
  size_t                  *send_at, *receive_at; /* [size + 1] .. and where they begin */
  size_t                  *next;                 /* [size] of a visit */
  PetscInt                *came_row; /* own row of what comes from others, in that order, .. */
  PetscInt *came_place; /* .. and its first value in the own columns' array, or -1 - that in the
                           others' */
  PetscInt       *start[2], *col[2]; /* by scalar rows: own columns, others' */
  const PetscInt *far;               /* PETSc's numbers of the latter, of a matrix */
  PetscScalar    *value[2];
  PetscScalar    *out, *in; /* tiles on their way; none of the own */
};

/* ---- visits ---------------------------------------------------------------------------------- */

/** Visitor of row r of tile (r, c); transposed: `tile` is that of (c, r). */
typedef void visit_row(sup_petsc_rows *rows, void *user, PetscInt r, PetscInt c, const double *tile,
                       int is_transposed);

/** Rows that the visit is about. */
typedef enum whose { OWN, OTHERS, ALL } whose;

static int is_wanted(const sup_petsc_rows *rows, whose which, PetscInt r) {
  return which == ALL || (rows->owner[r] == rows->rank) == (which == OWN);
}

/** Visit all tiles of the pattern that contribute, each below the diagonal and mirrored above. */
static void for_each_row(sup_petsc_rows *rows, whose which, sup_tile_reader *read, void *reader,
                         visit_row *visit, void *user) {
  const sup_block_pattern *P = rows->pattern;
  double                   tile[VALUES];
  for (int j = 0; j < P->num_blocks; j++) {
    if (rows->is_idle[j]) continue;
    for (PetscInt c = rows->first[j]; c < rows->first[j + 1]; c++)
      for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
        int i = sup_block_row(P, e);
        for (PetscInt r = i == j ? c : rows->first[i]; r < rows->first[i + 1]; r++) {
          int below = is_wanted(rows, which, r), above = r != c && is_wanted(rows, which, c);
          if (!below && !above) continue;
          if (read) read(reader, e, j, r, c, tile);
          if (below) visit(rows, user, r, c, tile, 0);
          if (above) visit(rows, user, c, r, tile, 1);
        }
      }
  }
}

static void count_row(sup_petsc_rows *rows, void *user, PetscInt r, PetscInt c, const double *tile,
                      int is_transposed) {
  (void)user, (void)c, (void)tile, (void)is_transposed;
  rows->send[rows->owner[r]]++;
}

static void note_row(sup_petsc_rows *rows, void *user, PetscInt r, PetscInt c, const double *tile,
                     int is_transposed) {
  PetscInt *pair = (PetscInt *)user + 2 * rows->next[rows->owner[r]]++;
  (void)tile, (void)is_transposed;
  pair[0] = rows->number[r], pair[1] = rows->number[c];
}

static double of_tile(const double *tile, int k, int m, int is_transposed) {
  return is_transposed ? tile[SUP_TILE * m + k] : tile[SUP_TILE * k + m];
}

static void send_row(sup_petsc_rows *rows, void *user, PetscInt r, PetscInt c, const double *tile,
                     int is_transposed) {
  PetscScalar *to = rows->out + VALUES * rows->next[rows->owner[r]]++;
  (void)user, (void)c;
  for (int k = 0; k < SUP_TILE; k++)
    for (int m = 0; m < SUP_TILE; m++) *to++ = of_tile(tile, k, m, is_transposed);
}

/** The first entry of a place in own row `row` of tiles, and how far it is to the next scalar
 * row's; is_far: the column is another rank's. */
static size_t entry_of(const sup_petsc_rows *rows, PetscInt place, PetscInt row, int *is_far,
                       size_t *stride) {
  *is_far = place < 0;
  const PetscInt *start = rows->start[*is_far] + SUP_TILE * row;
  *stride = (size_t)(start[1] - start[0]);
  return (size_t)(*is_far ? -1 - place : place);
}

/** Place of a column, in PETSc's numbers, in own row `row`, which has it: looked up, as a place of
 * each tile would take as much as the columns of a matrix by tiles. */
static PetscInt place_of(const sup_petsc_rows *rows, PetscInt row, PetscInt column) {
  PetscInt begin = rows->begin[rows->rank], end = rows->begin[rows->rank + 1];
  int      is_far = column < begin || column >= end;
  PetscInt first = rows->start[is_far][SUP_TILE * row], wanted = SUP_TILE * column,
           num = (rows->start[is_far][SUP_TILE * row + 1] - first) / SUP_TILE;
  while (num > 1) {
    PetscInt half = num / 2, c = rows->col[is_far][first + SUP_TILE * half],
             there = is_far ? rows->far[c] : SUP_TILE * begin + c;
    if (there <= wanted) first += SUP_TILE * half;
    num = there <= wanted ? num - half : half;
  }
  return is_far ? -1 - first : first;
}

static void add_tile(sup_petsc_rows *rows, PetscInt place, PetscInt row, const double *tile,
                     int is_transposed) {
  int          is_far;
  size_t       stride, at = entry_of(rows, place, row, &is_far, &stride);
  PetscScalar *to = rows->value[is_far] + at;
  for (int i = 0; i < SUP_TILE; i++, to += stride)
    for (int m = 0; m < SUP_TILE; m++) to[m] += of_tile(tile, i, m, is_transposed);
}

static void add_row(sup_petsc_rows *rows, void *user, PetscInt r, PetscInt c, const double *tile,
                    int is_transposed) {
  PetscInt row = rows->number[r] - rows->begin[rows->rank];
  (void)user;
  add_tile(rows, place_of(rows, row, rows->number[c]), row, tile, is_transposed);
}

/* ---- owners of tiles ----------------------------------------------------------------------------
 */

/** Numbers of a rank's tiles lie together, in the order of the block columns. */
static void number_tiles(sup_petsc_rows *rows, const int *owner) {
  const sup_block_pattern *P = rows->pattern;
  memset(rows->begin, 0, ((size_t)rows->size + 1) * sizeof *rows->begin);
  for (int b = 0; b < P->num_blocks; b++)
    for (PetscInt t = rows->first[b]; t < rows->first[b + 1]; t++) {
      rows->owner[t] = owner[b];
      rows->begin[owner[b] + 1]++;
    }
  for (int r = 0; r < rows->size; r++) rows->begin[r + 1] += rows->begin[r];
  for (PetscInt t = 0; t < rows->num_tiles; t++)
    rows->number[t] = rows->begin[rows->owner[t]] + (PetscInt)rows->next[rows->owner[t]]++;
}

/** Block columns of others to which this rank adds nothing. */
static void find_idle(sup_petsc_rows *rows, const sup_block_ranks *ranks) {
  const sup_block_pattern *P = rows->pattern;
  memset(rows->is_idle, 1, (size_t)P->num_blocks);
  for (int j = 0; j < P->num_blocks; j++) {
    if (sup_block_is_owned(ranks, j) || ranks->touched[j]) rows->is_idle[j] = 0;
    for (int e = sup_block_column(P, j) + 1; e < sup_block_column(P, j + 1); e++)
      rows->is_idle[j] = rows->is_idle[sup_block_row(P, e)] = 0;
  }
}

/** Exchange items of `size` numbers of a type with all other ranks.  Counts are those of items, as
 * MPI counts by an int, and nine numbers of each tile would end at 2.4e8 tiles. */
static void exchange(const sup_petsc_rows *rows, int size, MPI_Datatype number, size_t bytes,
                     const void *out, void *in, MPI_Request *request) {
  int          num = 0;
  MPI_Datatype item;
  MPI_Type_contiguous(size, number, &item);
  MPI_Type_commit(&item);
  for (int r = 0; r < rows->size; r++) {
    if (r == rows->rank) continue;
    MPI_Irecv((char *)in + bytes * rows->receive_at[r], rows->receive[r], item, r, 0,
              PETSC_COMM_WORLD, &request[num++]);
    MPI_Isend((const char *)out + bytes * rows->send_at[r], rows->send[r], item, r, 0,
              PETSC_COMM_WORLD, &request[num++]);
  }
  MPI_Waitall(num, request, MPI_STATUSES_IGNORE);
  MPI_Type_free(&item);
}

/** Exchange pairs of numbers, each sent to its owner. */
static void exchange_pairs(const sup_petsc_rows *rows, const PetscInt *out, PetscInt *in,
                           MPI_Request *request) {
  int r = rows->rank;
  memcpy(in + 2 * rows->receive_at[r], out + 2 * rows->send_at[r],
         2 * (size_t)rows->send[r] * sizeof *in);
  exchange(rows, 2, MPIU_INT, 2 * sizeof *in, out, in, request);
}

/** Exchange the values of tiles with other ranks. */
static void exchange_values(const sup_petsc_rows *rows, MPI_Request *request) {
  exchange(rows, VALUES, MPIU_SCALAR, VALUES * sizeof *rows->in, rows->out, rows->in, request);
}

static void restart(sup_petsc_rows *rows, const size_t *at) {
  memcpy(rows->next, at, (size_t)rows->size * sizeof *rows->next);
}

/** Offsets at[0 .. size] of the tiles to or from each rank, `own` of this rank.  Returns their sum.
 */
static size_t place(const sup_petsc_rows *rows, const int *count, int own, size_t *at) {
  at[0] = 0;
  for (int r = 0; r < rows->size; r++)
    at[r + 1] = at[r] + (size_t)(r == rows->rank ? own : count[r]);
  return at[rows->size];
}

/* ---- the rows -------------------------------------------------------------------------------- */

/** A tile that came, to be sorted. */
typedef struct arrival {
  PetscInt row, col;
  size_t   k;
} arrival;

static int by_column(const void *a, const void *b) {
  const arrival *x = a, *y = b;
  if (x->col != y->col) return x->col < y->col ? -1 : 1;
  return x->k < y->k ? -1 : 1;
}

/** came [num] := the pairs by rows and columns. */
static PetscErrorCode sort_by_rows(const sup_petsc_rows *rows, const PetscInt *pair, size_t num,
                                   arrival *came) {
  PetscInt begin = rows->begin[rows->rank], n = rows->begin[rows->rank + 1] - begin;
  size_t  *at = calloc((size_t)n + 1, sizeof *at);
  if (!at) return PETSC_ERR_MEM;
  for (size_t k = 0; k < num; k++) at[pair[2 * k] - begin + 1]++;
  for (PetscInt r = 0; r < n; r++) at[r + 1] += at[r];
  for (size_t k = 0; k < num; k++)
    came[at[pair[2 * k] - begin]++] = (arrival){pair[2 * k], pair[2 * k + 1], k};
  for (PetscInt r = 0; r < n; r++) { /* at[r] is where row r ends now */
    size_t first = r ? at[r - 1] : 0;
    qsort(came + first, at[r] - first, sizeof *came, by_column);
  }
  free(at);
  return 0;
}

/** Columns of the two arrays, whose rows and places are known. */
static void fill_columns(const sup_petsc_rows *rows, const arrival *came, size_t num,
                         const PetscInt *place) {
  PetscInt begin = rows->begin[rows->rank];
  for (size_t i = 0; i < num; i++) {
    int       is_far;
    PetscInt  row = came[i].row - begin;
    size_t    stride, at = entry_of(rows, place[came[i].k], row, &is_far, &stride);
    PetscInt *to = rows->col[is_far] + at,
             first = SUP_TILE * (came[i].col - (is_far ? 0 : begin)); /* PETSc's own from 0 */
    for (int k = 0; k < SUP_TILE; k++, to += stride)
      for (int m = 0; m < SUP_TILE; m++) to[m] = first + m;
  }
}

/** The tiles of the rows from the received ones, sorted; place [num]: as came_place, of all in the
 * order in which they came. */
static PetscErrorCode build_rows(sup_petsc_rows *rows, const arrival *came, size_t num,
                                 PetscInt *place) {
  PetscInt begin = rows->begin[rows->rank], end = rows->begin[rows->rank + 1], n = end - begin;
  size_t   total[2] = {0, 0};
  for (int k = 0; k < 2; k++)
    if (!(rows->start[k] = calloc(SUP_TILE * (size_t)n + 1, sizeof **rows->start)))
      return PETSC_ERR_MEM;
  for (size_t i = 0, last; i < num; i = last) { /* a row of tiles */
    PetscInt count[2] = {0, 0}, row = came[i].row - begin;
    for (last = i; last < num && came[last].row == came[i].row; last++) {
      int is_far = came[last].col < begin || came[last].col >= end;
      count[is_far] += last == i || came[last].col != came[last - 1].col;
      size_t at = total[is_far] + SUP_TILE * (size_t)(count[is_far] - 1);
      if (at >= PETSC_MAX_INT) return PETSC_ERR_ARG_OUTOFRANGE;
      place[came[last].k] = is_far ? -1 - (PetscInt)at : (PetscInt)at;
    }
    for (int k = 0; k < 2; k++) {
      for (int s = 0; s < SUP_TILE; s++)
        rows->start[k][SUP_TILE * row + s + 1] = SUP_TILE * count[k];
      total[k] += VALUES * (size_t)count[k];
    }
  }
  if (total[0] > PETSC_MAX_INT || total[1] > PETSC_MAX_INT) return PETSC_ERR_ARG_OUTOFRANGE;
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < SUP_TILE * n; i++) rows->start[k][i + 1] += rows->start[k][i];
    rows->col[k] = calloc(total[k] + 1, sizeof **rows->col);
    rows->value[k] = calloc(total[k] + 1, sizeof **rows->value);
    if (!rows->col[k] || !rows->value[k]) return PETSC_ERR_MEM;
  }
  fill_columns(rows, came, num, place);
  return 0;
}

/** Own rows and positions of the tiles of others, in the order of receipt. */
static PetscErrorCode keep_came(sup_petsc_rows *rows, const PetscInt *pair, const PetscInt *place) {
  size_t own = rows->receive_at[rows->rank], end = rows->receive_at[rows->rank + 1],
         all = rows->receive_at[rows->size], to = 0;
  rows->came_row = calloc(all - (end - own) + 1, sizeof *rows->came_row);
  rows->came_place = calloc(all - (end - own) + 1, sizeof *rows->came_place);
  if (!rows->came_row || !rows->came_place) return PETSC_ERR_MEM;
  for (size_t k = 0; k < all; k++) {
    if (k >= own && k < end) continue;
    rows->came_row[to] = pair[2 * k] - rows->begin[rows->rank];
    rows->came_place[to++] = place[k];
  }
  return 0;
}

static PetscErrorCode take_arrivals(sup_petsc_rows *rows) {
  size_t       num_out = 0, num_in = rows->receive_at[rows->size];
  size_t      *at = calloc((size_t)rows->size + 1, sizeof *at);
  MPI_Request *request = calloc(2 * (size_t)rows->size, sizeof *request);
  PetscInt    *out = NULL, *in = calloc(2 * num_in + 1, sizeof *in),
           *places = calloc(num_in + 1, sizeof *places);
  arrival       *came = calloc(num_in + 1, sizeof *came);
  PetscErrorCode code = PETSC_ERR_MEM;
  if (at && request) num_out = place(rows, rows->send, rows->send[rows->rank], rows->send_at);
  out = calloc(2 * num_out + 1, sizeof *out);
  if (at && request && in && out && came && places) {
    restart(rows, rows->send_at);
    for_each_row(rows, ALL, NULL, NULL, note_row, out);
    exchange_pairs(rows, out, in, request);
    code = sort_by_rows(rows, in, num_in, came);
    if (!code) code = build_rows(rows, came, num_in, places);
    if (!code) code = keep_came(rows, in, places);
  }
  free(at), free(request), free(out), free(in), free(came), free(places);
  return code;
}

static PetscErrorCode allocate(sup_petsc_rows *rows) {
  size_t size = (size_t)rows->size, tiles = (size_t)rows->num_tiles;
  rows->owner = calloc(tiles + 1, sizeof *rows->owner);
  rows->number = calloc(tiles + 1, sizeof *rows->number);
  rows->begin = calloc(size + 1, sizeof *rows->begin);
  rows->is_idle = calloc((size_t)rows->pattern->num_blocks + 1, 1);
  rows->send = calloc(size, sizeof *rows->send);
  rows->receive = calloc(size, sizeof *rows->receive);
  rows->send_at = calloc(size + 1, sizeof *rows->send_at);
  rows->receive_at = calloc(size + 1, sizeof *rows->receive_at);
  rows->next = calloc(size + 1, sizeof *rows->next);
  return rows->owner && rows->number && rows->begin && rows->is_idle && rows->send &&
                 rows->receive && rows->send_at && rows->receive_at && rows->next
             ? 0
             : PETSC_ERR_MEM;
}

PetscErrorCode sup_petsc_rows_create(sup_petsc_rows **out, const sup_block_pattern *pattern,
                                     const sup_block_ranks *ranks, const PetscInt *first) {
  sup_petsc_rows *rows = calloc(1, sizeof *rows);
  PetscErrorCode  code;
  *out = rows;
  if (!rows) MPI_Abort(PETSC_COMM_WORLD, PETSC_ERR_MEM); /* the others wait */
  rows->pattern = pattern, rows->first = (PetscInt *)(uintptr_t)first;
  rows->rank = ranks->collective->rank, rows->size = ranks->collective->size;
  rows->num_tiles = first[pattern->num_blocks];
  code = allocate(rows);
  if (code) MPI_Abort(PETSC_COMM_WORLD, PETSC_ERR_MEM);
  number_tiles(rows, ranks->owner);
  find_idle(rows, ranks);
  for_each_row(rows, ALL, NULL, NULL, count_row, NULL);
  MPI_Alltoall(rows->send, 1, MPI_INT, rows->receive, 1, MPI_INT, PETSC_COMM_WORLD);
  place(rows, rows->receive, rows->receive[rows->rank], rows->receive_at);
  code = take_arrivals(rows);
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (code) return code;
  /* of values only those of others are sent: the places are those without the own */
  rows->out = calloc(VALUES * place(rows, rows->send, 0, rows->send_at) + 1, sizeof *rows->out);
  rows->in = calloc(VALUES * place(rows, rows->receive, 0, rows->receive_at) + 1, sizeof *rows->in);
  code = rows->out && rows->in ? 0 : PETSC_ERR_MEM;
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return code;
}

void sup_petsc_rows_destroy(sup_petsc_rows **handle) {
  sup_petsc_rows *rows = *handle;
  if (!rows) return;
  free(rows->owner), free(rows->number), free(rows->begin), free(rows->is_idle);
  free(rows->send), free(rows->receive), free(rows->send_at), free(rows->receive_at);
  free(rows->next), free(rows->came_row), free(rows->came_place), free(rows->out), free(rows->in);
  for (int k = 0; k < 2; k++) free(rows->start[k]), free(rows->col[k]), free(rows->value[k]);
  free(rows);
  *handle = NULL;
}

/* ---- use ------------------------------------------------------------------------------------- */

PetscErrorCode sup_petsc_rows_matrix(sup_petsc_rows *rows, Mat *A) {
  PetscInt n = SUP_TILE * (rows->begin[rows->rank + 1] - rows->begin[rows->rank]);
  Mat      own, far;
  PetscCall(MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE,
                                           rows->start[0], rows->col[0], rows->value[0],
                                           rows->start[1], rows->col[1], rows->value[1], A));
  PetscCall(MatSetBlockSize(*A, SUP_TILE));
  PetscCall(MatMPIAIJGetSeqAIJ(*A, &own, &far, NULL));
  PetscCall(MatSetBlockSize(own, SUP_TILE));
  PetscCall(MatSetBlockSize(far, SUP_TILE));
  return 0;
}

PetscErrorCode sup_petsc_rows_fill(sup_petsc_rows *rows, Mat A, sup_tile_reader *read, void *user) {
  MPI_Request *request = calloc(2 * (size_t)rows->size, sizeof *request);
  PetscScalar *same;
  Mat          part[2];
  size_t       came = 0;
  if (!request) return PETSC_ERR_MEM;
  restart(rows, rows->send_at);
  for_each_row(rows, OTHERS, read, user, send_row, NULL);
  exchange_values(rows, request);
  free(request);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &rows->far));
  for (int k = 0; k < 2; k++) {
    PetscInt last = SUP_TILE * (rows->begin[rows->rank + 1] - rows->begin[rows->rank]);
    PetscCall(MatSeqAIJGetArray(part[k], &same)); /* our array; PETSc notices the change */
    memset(rows->value[k], 0, (size_t)rows->start[k][last] * sizeof *rows->value[k]);
  }
  for (int r = 0; r < rows->size; r++) {
    if (r == rows->rank) for_each_row(rows, OWN, read, user, add_row, NULL);
    for (int k = 0; k < rows->receive[r] && r != rows->rank; k++, came++)
      add_tile(rows, rows->came_place[came], rows->came_row[came], rows->in + VALUES * came, 0);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatSeqAIJRestoreArray(part[k], &same));
    PetscCall(MatAssemblyBegin(part[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(part[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

const PetscInt *sup_petsc_rows_number(const sup_petsc_rows *rows, PetscInt *begin, PetscInt *end) {
  *begin = rows->begin[rows->rank], *end = rows->begin[rows->rank + 1];
  return rows->number;
}

void sup_petsc_rows_gather(const sup_petsc_rows *rows, const PetscScalar *own, const double *scale,
                           double *b) {
  enum { PIECE = 1 << 11 }; /* tiles at a time: nobody has all of x' at once */
  const sup_block_pattern *P = rows->pattern;
  PetscScalar              piece[SUP_TILE * PIECE];
  for (int r = 0; r < rows->size; r++) {
    PetscInt left = rows->begin[r + 1] - rows->begin[r], at = 0, num = 0;
    for (int j = 0; j < P->num_blocks; j++)
      for (PetscInt t = rows->first[j]; t < rows->first[j + 1] && rows->owner[t] == r; t++, at++) {
        if (at == num) { /* the next piece */
          at = 0, num = left < PIECE ? left : PIECE, left -= num;
          if (r == rows->rank) memcpy(piece, own, SUP_TILE * (size_t)num * sizeof *piece);
          if (r == rows->rank) own += SUP_TILE * num;
          MPI_Bcast(piece, (int)(SUP_TILE * num), MPIU_SCALAR, r, PETSC_COMM_WORLD);
        }
        PetscInt done = SUP_TILE * (t - rows->first[j]);
        for (int i = 0; i < SUP_TILE && done + i < sup_block_size(P, j); i++)
          b[sup_block_first(P, j) + done + i] = scale[SUP_TILE * t + i] * piece[SUP_TILE * at + i];
      }
  }
}
