/* Galerkin's product by tiles on several ranks.
 *
 *  Each rank multiplies its rows of A with P, of which it asks the others for the rows that its
 * columns meet, and has parts in rows of the result that may be another rank's: these are sent, and
 * the owner adds what came in the order of the ranks, so that two runs have equal bits.  PETSc's
 * own product keeps copies of P and of A P, more than the matrices themselves; here only places are
 * kept from one product to the next, and the rest is forgotten when it is done. */
#include "plugin/petsc_tiles.h"

/* ---- places ---------------------------------------------------------------------------------- */

/** Destinations of this rank's parts of the result, and of the parts from other ranks. */
typedef struct plan {
  PetscInt  num_coarse;
  PetscInt *start, *col; /* parts by rows and columns, local coarse numbers */
  PetscInt *place; /* of each: tile of the row in the own columns, or -1 - that in the others'; of a
                      row of another rank how manieth it is of what is sent */
  int       size, *send, *send_at, *receive, *receive_at; /* [size] parts to and from each rank */
  PetscInt *came_row, *came_place;                        /* own row, and as `place` */
} plan;

static PetscErrorCode plan_free(void *of) {
  plan *p = of;
  free(p->start), free(p->col), free(p->place), free(p->send), free(p->send_at);
  free(p->receive), free(p->receive_at), free(p->came_row), free(p->came_place), free(p);
  return 0;
}

/** Rows of tiles of P that this rank has, by their columns. */
static PetscErrorCode by_columns(const sup_rank_view *v, PetscInt **start, PetscInt **row) {
  *start = calloc((size_t)v->num_coarse + 2, sizeof **start);
  *row = malloc((size_t)v->p_start[v->num_own] * sizeof **row + 1);
  if (!*start || !*row) return PETSC_ERR_MEM;
  for (PetscInt t = 0; t < v->p_start[v->num_own]; t++) (*start)[v->p_col[t] + 2]++;
  for (PetscInt a = 0; a < v->num_coarse; a++) (*start)[a + 2] += (*start)[a + 1];
  for (PetscInt i = 0; i < v->num_own; i++)
    for (PetscInt t = v->p_start[i]; t < v->p_start[i + 1]; t++)
      (*row)[(*start)[v->p_col[t] + 1]++] = i;
  return 0;
}

static int ascending(const void *a, const void *b) {
  PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  return (x > y) - (x < y);
}

static PetscInt find_columns(const sup_rank_view *v, const PetscInt *row, PetscInt num,
                             PetscInt stamp, PetscInt *met, PetscInt *column) {
  PetscInt count = 0;
  for (PetscInt r = 0; r < num; r++)
    for (int k = 0; k < 2; k++)
      for (PetscInt t = 0; t < sup_tiles_in_row(&v->A[k], row[r], v->H, v->H); t++) {
        PetscInt j = sup_rank_view_row(v, k, sup_tile_column(&v->A[k], row[r], t, v->H, v->H));
        for (PetscInt u = v->p_start[j]; u < v->p_start[j + 1]; u++) {
          PetscInt b = v->p_col[u];
          if (met[b] == stamp) continue;
          met[b] = stamp, column[count++] = b;
        }
      }
  qsort(column, (size_t)count, sizeof *column, ascending);
  return count;
}

/** The parts that this rank has. */
static PetscErrorCode find_parts(const sup_rank_view *v, plan *p) {
  size_t    room = 0;
  PetscInt *start = NULL, *row = NULL, *work = calloc(2 * (size_t)v->num_coarse + 1, sizeof *work);
  PetscErrorCode code = by_columns(v, &start, &row);
  p->num_coarse = v->num_coarse;
  p->start = malloc(((size_t)v->num_coarse + 1) * sizeof *p->start);
  if (!p->start || !work) code = PETSC_ERR_MEM;
  if (!code) p->start[0] = 0;
  for (PetscInt a = 0; a < v->num_coarse && !code; a++) {
    PetscInt *column = work + v->num_coarse,
             n = find_columns(v, row + start[a], start[a + 1] - start[a], a + 1, work, column);
    size_t needed = (size_t)p->start[a] + (size_t)n;
    if (needed > room) {
      void *grown = realloc(p->col, (room = 2 * needed) * sizeof *p->col);
      if (grown) p->col = grown;
      if (!grown) code = PETSC_ERR_MEM;
    }
    for (PetscInt t = 0; t < n && !code; t++) p->col[p->start[a] + t] = column[t];
    p->start[a + 1] = p->start[a] + n;
  }
  free(start), free(row), free(work);
  return code;
}

/** send, and a pair (row, column) in PETSc's numbers of all that is not this rank's: rows ascend
 * from rank to rank. */
static PetscErrorCode list_foreign(const sup_rank_view *v, plan *p, const PetscInt *range,
                                   PetscInt **pair) {
  size_t all = 0, at = 0;
  for (PetscInt a = 0; a < v->num_coarse; a++)
    if (!sup_rank_view_owns(v, v->number[a])) all += (size_t)(p->start[a + 1] - p->start[a]);
  *pair = malloc(2 * all * sizeof **pair + 1);
  if (!*pair) return PETSC_ERR_MEM;
  for (PetscInt a = 0, r = 0; a < v->num_coarse; a++) {
    if (sup_rank_view_owns(v, v->number[a])) continue;
    while (range[r + 1] <= v->number[a] * v->W) r++;
    for (PetscInt e = p->start[a]; e < p->start[a + 1]; e++, at++) {
      p->send[r]++;
      (*pair)[2 * at] = v->number[a], (*pair)[2 * at + 1] = v->number[p->col[e]];
    }
  }
  return 0;
}

static int place_all(int size, const int *count, int *at) {
  int all = 0;
  for (int r = 0; r < size; r++) at[r] = all, all += count[r];
  return all;
}

/** Exchange items of `bytes` with all ranks. */
static void exchange(const plan *p, MPI_Comm comm, int bytes, const void *out, void *in) {
  MPI_Datatype item;
  MPI_Type_contiguous(bytes, MPI_BYTE, &item);
  MPI_Type_commit(&item);
  MPI_Alltoallv(out, p->send, p->send_at, item, in, p->receive, p->receive_at, item, comm);
  MPI_Type_free(&item);
}

/** Rows of this rank: columns in PETSc's numbers, ascending. */
typedef struct own_rows {
  PetscInt *start, *col; /* of tiles */
} own_rows;

/** Rows of this rank, from own parts and from pairs of other ranks. */
static PetscErrorCode join(const sup_rank_view *v, const plan *p, const PetscInt *came, int num,
                           own_rows *rows) {
  PetscInt  n = v->end - v->begin, kept = 0;
  PetscInt *start = calloc((size_t)n + 2, sizeof *start), *col = NULL;
  rows->start = start;
  if (!start) return PETSC_ERR_MEM;
  for (PetscInt a = 0; a < v->num_coarse; a++)
    if (sup_rank_view_owns(v, v->number[a]))
      start[v->number[a] - v->begin + 2] += p->start[a + 1] - p->start[a];
  for (int k = 0; k < num; k++) start[came[2 * k] - v->begin + 2]++;
  for (PetscInt a = 0; a < n; a++) start[a + 2] += start[a + 1];
  rows->col = col = malloc((size_t)start[n + 1] * sizeof *col + 1);
  if (!col) return PETSC_ERR_MEM;
  for (PetscInt a = 0; a < v->num_coarse; a++)
    for (PetscInt e = p->start[a]; e < p->start[a + 1] && sup_rank_view_owns(v, v->number[a]); e++)
      col[start[v->number[a] - v->begin + 1]++] = v->number[p->col[e]];
  for (int k = 0; k < num; k++) col[start[came[2 * k] - v->begin + 1]++] = came[2 * k + 1];
  for (PetscInt a = 0; a < n; a++) { /* start[a + 1] ends row a */
    PetscInt first = start[a], last = start[a + 1];
    qsort(col + first, (size_t)(last - first), sizeof *col, ascending);
    start[a] = kept;
    for (PetscInt t = first; t < last; t++)
      if (t == first || col[t] != col[t - 1]) col[kept++] = col[t];
  }
  start[n] = kept;
  return 0;
}

/** Place of a column's tile in an own row, in the part that has it, as plan.place. */
static PetscInt place_of(const sup_rank_view *v, const own_rows *rows, PetscInt row,
                         PetscInt number) {
  PetscInt own = 0, far = 0;
  for (PetscInt t = rows->start[row]; rows->col[t] != number; t++)
    *(sup_rank_view_owns(v, rows->col[t]) ? &own : &far) += 1;
  return sup_rank_view_owns(v, number) ? own : -1 - far;
}

static PetscErrorCode find_places(const sup_rank_view *v, plan *p, const own_rows *rows,
                                  const PetscInt *came, int num) {
  PetscInt sent = 0;
  p->place = malloc((size_t)p->start[v->num_coarse] * sizeof *p->place + 1);
  p->came_row = malloc((size_t)num * sizeof *p->came_row + 1);
  p->came_place = malloc((size_t)num * sizeof *p->came_place + 1);
  if (!p->place || !p->came_row || !p->came_place) return PETSC_ERR_MEM;
  for (PetscInt a = 0; a < v->num_coarse; a++)
    for (PetscInt e = p->start[a]; e < p->start[a + 1]; e++)
      p->place[e] = sup_rank_view_owns(v, v->number[a])
                        ? place_of(v, rows, v->number[a] - v->begin, v->number[p->col[e]])
                        : sent++;
  for (int k = 0; k < num; k++) {
    p->came_row[k] = came[2 * k] - v->begin;
    p->came_place[k] = place_of(v, rows, p->came_row[k], came[2 * k + 1]);
  }
  return 0;
}

/** The empty result. */
static PetscErrorCode make_result(const sup_rank_view *v, const own_rows *rows, Mat C) {
  PetscInt  n = v->end - v->begin, W = v->W, all = W * W * rows->start[n];
  PetscInt *start = malloc(((size_t)(W * n) + 1) * sizeof *start),
           *col = malloc((size_t)all * sizeof *col + 1), at = 0;
  PetscErrorCode code = start && col ? 0 : PETSC_ERR_MEM;
  for (PetscInt i = 0; i < W * n && !code; i++) {
    start[i] = at;
    for (PetscInt t = rows->start[i / W]; t < rows->start[i / W + 1]; t++)
      for (PetscInt c = 0; c < W; c++) col[at++] = W * rows->col[t] + c;
  }
  if (!code) start[W * n] = at;
  if (!code) code = MatSetSizes(C, W * n, W * n, PETSC_DETERMINE, PETSC_DETERMINE);
  if (!code) code = MatSetType(C, MATMPIAIJ);
  if (!code) code = MatSetBlockSize(C, W);
  if (!code) code = MatMPIAIJSetPreallocationCSR(C, start, col, NULL);
  free(start), free(col);
  return code;
}

static PetscErrorCode make_plan(const sup_rank_view *v, Mat P, Mat C, plan *p) {
  MPI_Comm        comm = PetscObjectComm((PetscObject)C);
  const PetscInt *range;
  PetscInt       *pair = NULL, *came = NULL;
  own_rows        rows = {NULL, NULL};
  PetscMPIInt     size;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetOwnershipRangesColumn(P, &range));
  int **count[] = {&p->send, &p->send_at, &p->receive, &p->receive_at};
  p->size = size;
  for (size_t k = 0; k < sizeof count / sizeof *count; k++)
    if (!(*count[k] = calloc((size_t)size, sizeof(int)))) return PETSC_ERR_MEM;
  PetscErrorCode code = find_parts(v, p);
  if (!code) code = list_foreign(v, p, range, &pair);
  if (!code) {
    MPI_Alltoall(p->send, 1, MPI_INT, p->receive, 1, MPI_INT, comm);
    place_all(size, p->send, p->send_at);
    int num = place_all(size, p->receive, p->receive_at);
    came = malloc(2 * (size_t)num * sizeof *came + 1);
    if (!came) code = PETSC_ERR_MEM;
    if (!code) exchange(p, comm, 2 * (int)sizeof *came, pair, came);
    if (!code) code = join(v, p, came, num, &rows);
    if (!code) code = find_places(v, p, &rows, came, num);
    if (!code) code = make_result(v, &rows, C);
  }
  free(pair), free(came), free(rows.start), free(rows.col);
  return code;
}

/* ---- values ---------------------------------------------------------------------------------- */

/** Arrays of the result that tiles are added to. */
typedef struct result {
  sup_tiles    part[2]; /* own columns, others' */
  PetscScalar *value[2], *out;
} result;

SUP_INLINE PetscScalar *place_in(const result *C, PetscInt row, PetscInt place, const int W,
                                 PetscInt *stride) {
  int             k = place < 0;
  const PetscInt *start = C->part[k].start + W * row;
  *stride = start[1] - start[0];
  return C->value[k] + start[0] + W * (k ? -1 - place : place);
}

SUP_INLINE PetscErrorCode multiply(const sup_rank_view *v, const plan *p, const int H, const int W,
                                   sup_product_row *R, const result *C) {
  for (PetscInt i = 0; i < v->num_own; i++) {
    const PetscScalar *q[6];
    if (!sup_product_row_fill(R, v, i, H, W)) return PETSC_ERR_MEM;
    for (PetscInt u = v->p_start[i]; u < v->p_start[i + 1]; u++) {
      PetscInt row = v->p_col[u], e = p->start[row], number = v->number[row];
      for (int m = 0; m < H; m++) q[m] = v->p_value[u] + m * v->p_stride[u];
      for (PetscInt s = 0; s < R->num; s++) {
        PetscInt stride = W;
        while (p->col[e] != R->column[R->order[s]]) e++;
        PetscScalar *to = sup_rank_view_owns(v, number)
                              ? place_in(C, number - v->begin, p->place[e], W, &stride)
                              : C->out + p->place[e] * W * W;
        sup_tile_add(q, R->value + R->order[s] * H * W, to, stride, H, W);
      }
    }
  }
  return 0;
}

SUP_WIDE static PetscErrorCode multiply_part_3x3(const sup_rank_view *v, const plan *p,
                                                 sup_product_row *R, const result *C) {
  return multiply(v, p, 3, 3, R, C);
}
SUP_WIDE static PetscErrorCode multiply_part_3x6(const sup_rank_view *v, const plan *p,
                                                 sup_product_row *R, const result *C) {
  return multiply(v, p, 3, 6, R, C);
}
SUP_WIDE static PetscErrorCode multiply_part_6x6(const sup_rank_view *v, const plan *p,
                                                 sup_product_row *R, const result *C) {
  return multiply(v, p, 6, 6, R, C);
}

/** Add the parts of other ranks, rank by rank. */
static void add_came(const plan *p, int W, const PetscScalar *in, const result *C) {
  int num = p->receive_at[p->size - 1] + p->receive[p->size - 1];
  for (int k = 0; k < num; k++) {
    PetscInt     stride;
    PetscScalar *to = place_in(C, p->came_row[k], p->came_place[k], W, &stride);
    for (int m = 0; m < W; m++)
      for (int c = 0; c < W; c++) to[m * stride + c] += *in++;
  }
}

/** C := P^T A P by the plan. */
static PetscErrorCode fill(const sup_rank_view *v, const plan *p, MPI_Comm comm, const result *C,
                           PetscScalar *in) {
  sup_product_row R = {.slot = malloc((size_t)v->num_coarse * sizeof *R.slot + 1)};
  if (!R.slot) return PETSC_ERR_MEM;
  for (PetscInt b = 0; b < v->num_coarse; b++) R.slot[b] = -1;
  PetscErrorCode code = (v->H == 6   ? multiply_part_6x6
                         : v->W == 6 ? multiply_part_3x6
                                     : multiply_part_3x3)(v, p, &R, C);
  sup_product_row_free(&R);
  if (code) return code;
  exchange(p, comm, v->W * v->W * (int)sizeof *in, C->out, in);
  add_came(p, v->W, in, C);
  return 0;
}

static PetscErrorCode zero_part(Mat of, int W, PetscInt num, sup_tiles *tiles,
                                PetscScalar **value) {
  PetscCall(sup_tiles_view_part(of, W, W, num, tiles));
  PetscCall(MatSeqAIJGetArray(of, value));
  memset(*value, 0, (size_t)tiles->start[W * num] * sizeof **value);
  return 0;
}

static PetscErrorCode finish(Mat A, PetscScalar **value) {
  if (value) PetscCall(MatSeqAIJRestoreArray(A, value));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode numeric(Mat C) {
  PetscContainer holder;
  Mat            A, P, part[2];
  plan          *p;
  sup_rank_view  v;
  result         to;
  MPI_Comm       comm = PetscObjectComm((PetscObject)C);
  PetscCall(PetscObjectQuery((PetscObject)C, "supple_plan", (PetscObject *)&holder));
  PetscCall(PetscContainerGetPointer(holder, (void **)&p));
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(MatMPIAIJGetSeqAIJ(C, &part[0], &part[1], NULL));
  PetscErrorCode code = sup_rank_view_create(A, P, &v);
  for (int k = 0; k < 2 && !code; k++)
    code = zero_part(part[k], v.W, v.end - v.begin, &to.part[k], &to.value[k]);
  if (!code) {
    size_t tile = (size_t)(v.W * v.W) * sizeof(PetscScalar),
           out = (size_t)(p->send_at[p->size - 1] + p->send[p->size - 1]),
           in = (size_t)(p->receive_at[p->size - 1] + p->receive[p->size - 1]);
    PetscScalar *came = malloc(in * tile + 1);
    to.out = calloc(out * tile + 1, 1);
    code = came && to.out ? fill(&v, p, comm, &to, came) : PETSC_ERR_MEM;
    free(came), free(to.out);
  }
  sup_rank_view_free(&v);
  if (code) MPI_Abort(comm, code); /* no memory here, and the others wait */
  for (int k = 0; k < 2; k++) PetscCall(finish(part[k], &to.value[k]));
  return finish(C, NULL);
}

static PetscErrorCode symbolic(Mat C) {
  PetscContainer holder;
  MPI_Comm       comm = PetscObjectComm((PetscObject)C);
  Mat            A, P;
  sup_rank_view  v;
  plan          *p = calloc(1, sizeof *p);
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscErrorCode code = sup_rank_view_create(A, P, &v);
  if (!code) code = p ? make_plan(&v, P, C, p) : PETSC_ERR_MEM;
  sup_rank_view_free(&v);
  if (code) MPI_Abort(comm, code);
  PetscCall(PetscContainerCreate(comm, &holder));
  PetscCall(PetscContainerSetPointer(holder, p));
  PetscCall(PetscContainerSetUserDestroy(holder, plan_free));
  PetscCall(PetscObjectCompose((PetscObject)C, "supple_plan", (PetscObject)holder));
  PetscCall(PetscContainerDestroy(&holder));
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))numeric));
  return sup_petsc_use_galerkin(C);
}

/* ---- as PETSc asks for it -------------------------------------------------------------------- */

PetscErrorCode sup_petsc_galerkin_on_ranks(Mat C, Mat A, Mat P, int *is_ours) {
  *is_ours = sup_tiles_are_of_ranks(A, P);
  return *is_ours ? MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))symbolic) : 0;
}
