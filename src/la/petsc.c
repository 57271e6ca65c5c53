/* PETSc (Balay and others), as a plug-in: conjugate gradients with smoothed aggregation (GAMG) and
 * the rigid motions of the bodies as near-null space, or MUMPS for systems that are small enough.
 *
 *  PETSc is given D A D with D = diag(A)^(-1/2): its norm of a residual is then the one that
 * linear_solver.h speaks of, and joint velocities and vertices have one unit.  All blocks are of
 * 3 x 3 scalars; a block column of another size takes as many as it needs, filled up with ones on
 * the diagonal.
 *
 *  GAMG of PETSc 3.18 refuses BAIJ ("No method creategraph for Mat of type seqbaij"): the matrix is
 * AIJ with block size 3, unless -mat_type asks for another. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "la/petsc_parts.h"

enum {
  BLOCK = SUP_TILE,
  NUM_MODES = 6,
  ZONE_AT_LEAST = 20000, /* unknowns in contact that are solved exactly .. */
  ZONE_SHARE = 10        /* .. and of larger systems one in so many */
};

typedef struct petsc_solver {
  const char              *text; /* of the user; the options have defaults of GAMG, too */
  PetscOptions             options;
  const sup_block_ranks   *ranks;      /* NULL: this process alone */
  sup_petsc_rows          *rows;       /* with ranks, in the place of start, col, value */
  const PetscInt          *number;     /* with ranks: PETSc's numbers of rows of blocks .. */
  PetscInt                 begin, end; /* .. and those of this rank; alone 0 and num_rows */
  const sup_block_pattern *pattern;
  IS                       zone;        /* rows that contact couples, NULL for none */
  int                      num_rows;    /* of 3 scalars each */
  PetscInt                *first;       /* [num_blocks + 1] first of these of each block column */
  PetscInt                *start, *col; /* the matrix by scalar rows */
  PetscScalar             *value;
  const double            *source; /* values of the operator, while they are taken */
  PetscInt                *cursor; /* [num_rows] blocks that a row has so far, of the build */
  double                  *scale;  /* [3 num_rows] D */
  Mat                      A;      /* on these arrays */
  Mat      converted; /* what PETSc works on where -mat_type asks for another; else NULL */
  KSP      ksp;
  Vec      x, b, r;
  PetscInt negative_pivots;
  int      is_direct, is_set_up, were_options_checked;
} petsc_solver;

/* ---- failures -------------------------------------------------------------------------------- */

static char  last_message[512];
static pid_t owner; /* of MPI: a child that ends must not end it */

static sup_petsc_outcome fail(sup_petsc_outcome outcome, const char *what) {
  snprintf(last_message, sizeof last_message, "%s", what);
  return outcome;
}

static const char *message(void) { return last_message; }

/** Keeps the first message of a chain of errors and prints nothing. */
static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType type, const char *text,
                                   void *context) {
  (void)comm, (void)line, (void)file, (void)context;
  if (type != PETSC_ERROR_REPEAT) {
    snprintf(last_message, sizeof last_message, "%s: %s", function ? function : "PETSc",
             text ? text : "");
    for (char *c = last_message; *c; c++)
      if (*c == '\n') *c = ' ';
  }
  return code;
}

static sup_petsc_outcome outcome_of(PetscErrorCode code) {
  return !code ? SUP_PETSC_OK : code == PETSC_ERR_MEM ? SUP_PETSC_MEMORY : SUP_PETSC_ERROR;
}

/* ---- start and end --------------------------------------------------------------------------- */

/* What MPI leaves behind is not looked for by a program under the leak sanitizer. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

static void finish(void) {
  PetscBool is_over = PETSC_FALSE;
  if (getpid() != owner) return;
  sup_mpi_forget();
  if (__lsan_disable) __lsan_disable();
  (void)PetscFinalized(&is_over);
  if (!is_over) (void)PetscFinalize();
  if (__lsan_enable) __lsan_enable();
}

/** PETSc and MPI run from the first solver to the end of the process.  The signal handlers stay the
 * program's own, and no file of the user's home changes what is computed. */
static PetscErrorCode start(void) {
  static char  name[] = "supple", signals[] = "-no_signal_handler", file[] = "-skip_petscrc";
  static char *arguments[] = {name, signals, file, NULL};
  char       **argv = arguments;
  int          argc = 3;
  PetscBool    is_running = PETSC_FALSE;
  PetscCall(PetscInitialized(&is_running));
  if (is_running) return 0;
  if (__lsan_disable) __lsan_disable();
  PetscErrorCode code = PetscInitialize(&argc, &argv, NULL, NULL);
  if (__lsan_enable) __lsan_enable();
  if (code) return code;
  owner = getpid();
  (void)atexit(finish);
  PetscCall(PetscPushErrorHandler(keep_message, NULL));
  return 0;
}

/* ---- create ---------------------------------------------------------------------------------- */

static void destroy_matrix(petsc_solver *s) {
  (void)KSPDestroy(&s->ksp);
  (void)MatDestroy(&s->A);
  (void)MatDestroy(&s->converted);
  (void)ISDestroy(&s->zone);
  (void)VecDestroy(&s->x);
  (void)VecDestroy(&s->b);
  (void)VecDestroy(&s->r);
  s->is_set_up = 0;
}

static void destroy(void *object) {
  petsc_solver *s = object;
  if (!s) return;
  destroy_matrix(s);
  sup_petsc_rows_destroy(&s->rows);
  (void)PetscOptionsDestroy(&s->options);
  free(s->first), free(s->start), free(s->col), free(s->value), free(s->cursor), free(s->scale);
  free(s);
}

static PetscErrorCode set_options(petsc_solver *s, const char *text) {
  PetscCall(PetscOptionsCreate(&s->options));
  PetscCall(PetscOptionsInsertString(s->options, text));
  return 0;
}

static const sup_collective *start_ranks(void) { return start() ? NULL : sup_mpi_ranks(); }

static sup_petsc_outcome create(void **out, const char *text) {
  *out = NULL;
  PetscErrorCode code = start();
  if (code) return fail(SUP_PETSC_ERROR, "PETSc or MPI did not start");
  petsc_solver *s = calloc(1, sizeof *s);
  if (!s) return fail(SUP_PETSC_MEMORY, "out of memory");
  s->text = text;
  code = set_options(s, text);
  if (code) {
    destroy(s);
    return SUP_PETSC_OPTION;
  }
  *out = s;
  return SUP_PETSC_OK;
}

static void spread(void *object, const sup_block_ranks *ranks) {
  ((petsc_solver *)object)->ranks = ranks;
}

static MPI_Comm comm_of(const petsc_solver *s) {
  return s->ranks ? PETSC_COMM_WORLD : PETSC_COMM_SELF;
}

/** What rows of blocks are those of this rank, and what PETSc calls them, from 0. */
static int is_own(const petsc_solver *s, PetscInt r) {
  return !s->ranks || (s->number[r] >= s->begin && s->number[r] < s->end);
}
static PetscInt own_number(const petsc_solver *s, PetscInt r) {
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
typedef void (*visit_tile)(petsc_solver *s, int entry, int j, PetscInt r, PetscInt c);

static void for_each_tile(petsc_solver *s, visit_tile visit) {
  const sup_block_pattern *P = s->pattern;
  for (int j = 0; j < P->num_blocks; j++)
    for (PetscInt c = s->first[j]; c < s->first[j + 1]; c++)
      for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
        int i = sup_block_row(P, e);
        for (PetscInt r = i == j ? c : s->first[i]; r < s->first[i + 1]; r++) visit(s, e, j, r, c);
      }
}

static void count_tile(petsc_solver *s, int entry, int j, PetscInt r, PetscInt c) {
  (void)entry, (void)j;
  s->cursor[r]++;
  if (r != c) s->cursor[c]++;
}

static void place_columns(petsc_solver *s, PetscInt r, PetscInt c) {
  for (int k = 0; k < BLOCK; k++) {
    PetscInt *to = s->col + s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
    for (int m = 0; m < BLOCK; m++) to[m] = BLOCK * c + m;
  }
  s->cursor[r]++;
}

static void place_tile(petsc_solver *s, int entry, int j, PetscInt r, PetscInt c) {
  (void)entry, (void)j;
  place_columns(s, r, c);
  if (r != c) place_columns(s, c, r);
}

static void restart_rows(petsc_solver *s) {
  memset(s->cursor, 0, (size_t)s->num_rows * sizeof *s->cursor);
}

/** With ranks. */
static sup_petsc_outcome lay_out_rows(petsc_solver *s) {
  sup_petsc_rows_destroy(&s->rows);
  PetscErrorCode code = sup_petsc_rows_create(&s->rows, s->pattern, s->ranks, s->first);
  if (code == PETSC_ERR_MEM) return SUP_PETSC_MEMORY;
  if (code)
    return fail(SUP_PETSC_ERROR,
                "a rank has more entries of the matrix than this PETSc can number");
  s->number = sup_petsc_rows_number(s->rows, &s->begin, &s->end);
  return SUP_PETSC_OK;
}

static sup_petsc_outcome lay_out(petsc_solver *s) {
  const sup_block_pattern *P = s->pattern;
  double                   entries = 0;
  void                    *grown;
  if (!GROW(s->first, (size_t)P->num_blocks + 1)) return SUP_PETSC_MEMORY;
  s->first[0] = 0;
  for (int b = 0; b < P->num_blocks; b++) s->first[b + 1] = s->first[b] + rows_of(P, b);
  s->num_rows = s->first[P->num_blocks];
  size_t n = BLOCK * (size_t)s->num_rows;
  s->begin = 0, s->end = s->num_rows;
  if (s->ranks) return GROW(s->scale, n) ? lay_out_rows(s) : SUP_PETSC_MEMORY;
  if (!GROW(s->cursor, (size_t)s->num_rows) || !GROW(s->scale, n) || !GROW(s->start, n + 1))
    return SUP_PETSC_MEMORY;
  restart_rows(s);
  for_each_tile(s, count_tile);
  for (int r = 0; r < s->num_rows; r++) entries += BLOCK * BLOCK * (double)s->cursor[r];
  if (entries > PETSC_MAX_INT)
    return fail(SUP_PETSC_ERROR, "the matrix has more entries than this PETSc can number");
  s->start[0] = 0;
  for (int r = 0; r < s->num_rows; r++)
    for (int k = 0; k < BLOCK; k++)
      s->start[BLOCK * r + k + 1] = s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
  if (!GROW(s->col, (size_t)entries) || !GROW(s->value, (size_t)entries)) return SUP_PETSC_MEMORY;
  restart_rows(s);
  for_each_tile(s, place_tile);
  return SUP_PETSC_OK;
}

static PetscErrorCode make_matrix(petsc_solver *s) {
  PetscInt n = BLOCK * s->num_rows;
  if (s->ranks)
    PetscCall(sup_petsc_rows_matrix(s->rows, &s->A));
  else
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, s->start, s->col, s->value, &s->A));
  PetscCall(PetscObjectSetOptions((PetscObject)s->A, s->options));
  PetscCall(MatSetBlockSize(s->A, BLOCK));
  PetscCall(MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE)); /* as SPD, MUMPS counts no pivots */
  PetscCall(MatSetOption(s->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecDuplicate(s->b, &s->r));
  return 0;
}

/** None where contact couples most of the matrix: its factor would be that of the whole. */
static PetscErrorCode mark_zone(petsc_solver *s, const unsigned char *last) {
  PetscInt *row, num = 0, all = 0, most = ZONE_AT_LEAST + BLOCK * s->num_rows / ZONE_SHARE;
  PetscInt  begin = s->ranks ? BLOCK * s->begin : 0;
  PetscCall(PetscMalloc1((size_t)BLOCK * (size_t)s->num_rows + 1, &row));
  for (int b = 0; b < s->pattern->num_blocks; b++)
    for (PetscInt r = s->first[b]; last[b] && r < s->first[b + 1]; r++, all += BLOCK)
      for (int k = 0; k < BLOCK && is_own(s, r); k++)
        row[num++] = begin + BLOCK * own_number(s, r) + k;
  if (all > 0 && all <= most)
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, num, row, PETSC_COPY_VALUES, &s->zone));
  PetscCall(PetscFree(row));
  return 0;
}

static sup_petsc_outcome analyse(void *object, const sup_block_pattern *pattern,
                                 const unsigned char *last) {
  petsc_solver *s = object;
  destroy_matrix(s);
  s->pattern = pattern;
  sup_petsc_outcome outcome = lay_out(s);
  if (outcome == SUP_PETSC_MEMORY) return fail(outcome, "out of memory");
  if (outcome == SUP_PETSC_OK && last) outcome = outcome_of(mark_zone(s, last));
  return outcome;
}

/* ---- values ---------------------------------------------------------------------------------- */

/** A tile by rows; what only fills it up is the unit matrix. */
static void read_tile(const petsc_solver *s, const double *values, int entry, int j, PetscInt r,
                      PetscInt c, double *tile) {
  const sup_block_pattern *P = s->pattern;
  const double            *block = values + sup_block_value(P, entry);
  int                      i = sup_block_row(P, entry), size = sup_block_size(P, i);
  for (int k = 0; k < BLOCK; k++)
    for (int m = 0; m < BLOCK; m++) {
      int row = (int)(BLOCK * (r - s->first[i])) + k, col = (int)(BLOCK * (c - s->first[j])) + m;
      if (row >= size || col >= sup_block_size(P, j))
        tile[BLOCK * k + m] = r == c && k == m && is_own(s, r);
      else /* of a diagonal block only the lower triangle is there */
        tile[BLOCK * k + m] =
            i == j && row < col ? block[row * size + col] : block[col * size + row];
    }
}

/** Into row r, transposed or not. */
static void put_tile(petsc_solver *s, PetscInt r, PetscInt c, const double *tile, int by_row,
                     int by_col) {
  const double *Dr = s->scale + BLOCK * r, *Dc = s->scale + BLOCK * c;
  for (int k = 0; k < BLOCK; k++) {
    PetscScalar *to = s->value + s->start[BLOCK * r + k] + BLOCK * s->cursor[r];
    for (int m = 0; m < BLOCK; m++) to[m] = Dr[k] * tile[by_row * k + by_col * m] * Dc[m];
  }
  s->cursor[r]++;
}

static void fill_tile(petsc_solver *s, int entry, int j, PetscInt r, PetscInt c) {
  double tile[BLOCK * BLOCK];
  read_tile(s, s->source, entry, j, r, c, tile);
  put_tile(s, r, c, tile, BLOCK, 1);
  if (r != c) put_tile(s, c, r, tile, 1, BLOCK);
}

/** Of several ranks: scaled by its sender. */
static void read_scaled(void *user, int entry, int j, PetscInt r, PetscInt c, double *tile) {
  const petsc_solver *s = user;
  const double       *Dr = s->scale + BLOCK * r, *Dc = s->scale + BLOCK * c;
  read_tile(s, s->source, entry, j, r, c, tile);
  for (int k = 0; k < BLOCK; k++)
    for (int m = 0; m < BLOCK; m++) tile[BLOCK * k + m] *= Dr[k] * Dc[m];
}

/** SUP_NONE, or the block column whose diagonal is not positive. */
static int compute_scale(petsc_solver *s) {
  const sup_block_pattern *P = s->pattern;
  double                  *scale = s->scale;
  memset(scale, 0, BLOCK * (size_t)s->num_rows * sizeof *scale);
  for (int b = 0; b < P->num_blocks; b++)
    for (int n = sup_block_size(P, b), i = 0; i < n; i++)
      scale[BLOCK * s->first[b] + i] = s->source[sup_block_diagonal(P, b) + (size_t)(i * (n + 1))];
  if (s->ranks) s->ranks->collective->sum(s->ranks->collective, BLOCK * (size_t)s->num_rows, scale);
  for (int b = 0; b < P->num_blocks; b++) {
    double *own = scale + BLOCK * s->first[b];
    for (int i = 0; i < BLOCK * rows_of(P, b); i++) {
      if (i < sup_block_size(P, b) && !(own[i] > 0)) return b;
      own[i] = i < sup_block_size(P, b) ? 1 / sqrt(own[i]) : 1;
    }
  }
  return SUP_NONE;
}

/* ---- near-null space ------------------------------------------------------------------------- */

static int is_point(const petsc_solver *s, const sup_block_space *space, int b) {
  return sup_block_size(s->pattern, b) == BLOCK && space->body[b] != SUP_NONE;
}

/** Centres of the bodies, [num_bodies x 3], about which they turn. */
static void find_centres(const petsc_solver *s, const sup_block_space *space, double *centre,
                         double *count) {
  for (int b = 0; b < s->pattern->num_blocks; b++)
    if (is_point(s, space, b)) {
      count[space->body[b]]++;
      for (int k = 0; k < 3; k++) centre[3 * space->body[b] + k] += space->coordinate[3 * b + k];
    }
  for (int i = 0; i < space->num_bodies; i++)
    for (int k = 0; k < 3; k++) centre[3 * i + k] /= count[i] > 0 ? count[i] : 1;
}

/** Mode `mode` of all bodies at once, in scaled unknowns D^-1 v: aggregates are smaller than
 * bodies.  Joint velocities move alone. */
static void fill_mode(const petsc_solver *s, const sup_block_space *space, const double *centre,
                      int mode, PetscScalar *v) {
  int axis = mode % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
  memset(v, 0, BLOCK * (size_t)(s->end - s->begin) * sizeof *v);
  for (int b = 0; b < s->pattern->num_blocks; b++)
    for (PetscInt r = s->first[b]; r < s->first[b + 1] && is_own(s, r); r++) {
      PetscScalar *to = v + BLOCK * own_number(s, r);
      if (mode < 3) {
        to[axis] = 1;
      } else if (is_point(s, space, b)) { /* e_axis x arm */
        const double *x = space->coordinate + 3 * b, *c = centre + 3 * space->body[b];
        to[last] = x[next] - c[next];
        to[next] = -(x[last] - c[last]);
      }
      for (int k = 0; k < BLOCK; k++) to[k] /= s->scale[BLOCK * r + k];
    }
}

static PetscErrorCode make_orthonormal(Vec *mode) {
  for (int k = 0; k < NUM_MODES; k++) {
    for (int i = 0; i < k; i++) {
      PetscScalar share;
      PetscCall(VecDot(mode[k], mode[i], &share));
      PetscCall(VecAXPY(mode[k], -share, mode[i]));
    }
    PetscCall(VecNormalize(mode[k], NULL));
  }
  return 0;
}

static PetscErrorCode set_near_null_space(petsc_solver *s, const sup_block_space *space) {
  Vec          mode[NUM_MODES];
  MatNullSpace nearly;
  double      *centre = calloc(4 * (size_t)space->num_bodies + 1, sizeof *centre);
  if (!centre) return PETSC_ERR_MEM;
  find_centres(s, space, centre, centre + 3 * space->num_bodies);
  for (int k = 0; k < NUM_MODES; k++) {
    PetscScalar *v;
    PetscCall(VecDuplicate(s->b, &mode[k]));
    PetscCall(VecGetArray(mode[k], &v));
    fill_mode(s, space, centre, k, v);
    PetscCall(VecRestoreArray(mode[k], &v));
  }
  free(centre);
  PetscCall(make_orthonormal(mode));
  PetscCall(MatNullSpaceCreate(comm_of(s), PETSC_FALSE, NUM_MODES, mode, &nearly));
  PetscCall(MatSetNearNullSpace(s->A, nearly));
  PetscCall(MatNullSpaceDestroy(&nearly));
  for (int k = 0; k < NUM_MODES; k++) PetscCall(VecDestroy(&mode[k]));
  return 0;
}

/* ---- setup ----------------------------------------------------------------------------------- */

/** Conjugate gradients until -ksp_type says otherwise. */
static PetscErrorCode make_solver(petsc_solver *s, Mat A) {
  PC        pc;
  PetscBool is_said;
  PetscCall(KSPCreate(comm_of(s), &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PetscOptionsHasName(s->options, NULL, "-pc_type", &is_said));
  s->is_direct = 0;
  if (!is_said) PetscCall(sup_petsc_mumps_is_quicker(A, &s->is_direct));
  if (s->is_direct) {
    PetscCall(KSPSetType(s->ksp, KSPPREONLY));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  } else {
    PetscCall(KSPSetType(s->ksp, KSPCG));
    PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(PCSetType(pc, PCGAMG));
  }
  if (__lsan_disable) __lsan_disable(); /* a value that PETSc refuses costs it a string */
  PetscErrorCode code = KSPSetFromOptions(s->ksp);
  if (!code) code = sup_petsc_gamg_choose(s->ksp, s->options, s->zone);
  if (__lsan_enable) __lsan_enable();
  return code;
}

static PetscErrorCode fill_matrix(petsc_solver *s) {
  PetscScalar *same;
  restart_rows(s);
  PetscCall(MatSeqAIJGetArray(s->A, &same)); /* s->value; PETSc notices the change */
  for_each_tile(s, fill_tile);
  PetscCall(MatSeqAIJRestoreArray(s->A, &same));
  PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode take_values(petsc_solver *s, const sup_block_space *space) {
  char      type[64] = "";
  PetscBool is_asked;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof type, &is_asked));
  if (!s->A) PetscCall(make_matrix(s));
  PetscCall(s->ranks ? sup_petsc_rows_fill(s->rows, s->A, read_scaled, s) : fill_matrix(s));
  if (space && !s->is_set_up) PetscCall(set_near_null_space(s, space));
  if (is_asked)
    PetscCall(MatConvert(s->A, type, s->converted ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX,
                         &s->converted));
  Mat A = s->converted ? s->converted : s->A;
  if (!s->ksp) PetscCall(make_solver(s, A));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(sup_petsc_gamg_set_up(s->ksp));
  s->is_set_up = 1;
  PetscCall(sup_petsc_mumps_negative_pivots(s->ksp, &s->negative_pivots));
  return 0;
}

/** Runs what follows with the solver's own options. */
#define WITH_OPTIONS(s, code, call)        \
  do {                                     \
    code = PetscOptionsPush((s)->options); \
    if (!code) {                           \
      PetscErrorCode popped;               \
      code = (call);                       \
      popped = PetscOptionsPop();          \
      if (!code) code = popped;            \
    }                                      \
  } while (0)

static sup_petsc_outcome setup(void *object, const sup_linear_operator *A, int *failed_block) {
  petsc_solver  *s = object;
  PetscErrorCode code;
  if (!A->values) return fail(SUP_PETSC_ERROR, "the matrix is not stored");
  s->source = A->values;
  *failed_block = compute_scale(s);
  if (*failed_block != SUP_NONE)
    return fail(SUP_PETSC_NOT_SPD, "a number on its diagonal is not positive");
  WITH_OPTIONS(s, code, take_values(s, A->space));
  if (!code && s->negative_pivots > 0) return fail(SUP_PETSC_NOT_SPD, "MUMPS met negative pivots");
  return outcome_of(code);
}

/* ---- solve ----------------------------------------------------------------------------------- */

/** Into PETSc's unknowns: b' = D b, x = D x'. */
static void to_petsc(const petsc_solver *s, const double *b, PetscScalar *to) {
  const sup_block_pattern *P = s->pattern;
  memset(to, 0, BLOCK * (size_t)(s->end - s->begin) * sizeof *to);
  for (int j = 0; j < P->num_blocks; j++) {
    if (!is_own(s, s->first[j])) continue; /* a block column has one owner */
    PetscScalar *rows = to + BLOCK * own_number(s, s->first[j]);
    for (int i = 0; i < sup_block_size(P, j); i++)
      rows[i] = s->scale[BLOCK * s->first[j] + i] * b[sup_block_first(P, j) + i];
  }
}

static void from_petsc(const petsc_solver *s, const PetscScalar *x, double *to) {
  const sup_block_pattern *P = s->pattern;
  for (int j = 0; j < P->num_blocks; j++)
    for (int i = 0; i < sup_block_size(P, j); i++) {
      PetscInt k = BLOCK * s->first[j] + i,
               at = BLOCK * (s->ranks ? s->number[s->first[j]] : s->first[j]) + i;
      to[sup_block_first(P, j) + i] = s->scale[k] * x[at];
    }
}

/** `energy` is x^T A x, which a positive definite A keeps above 0. */
static PetscErrorCode run(petsc_solver *s, double tolerance, double *b, sup_petsc_report *report,
                          KSPConvergedReason *reason, PetscReal *energy) {
  PetscScalar *in;
  PetscInt     most, iterations;
  PetscReal    before, after;
  PetscCall(VecGetArray(s->b, &in));
  to_petsc(s, b, in);
  PetscCall(VecRestoreArray(s->b, &in));
  PetscCall(KSPGetTolerances(s->ksp, NULL, NULL, NULL, &most));
  PetscCall(KSPSetTolerances(s->ksp, tolerance, 0, PETSC_DEFAULT, most));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
  PetscCall(KSPGetConvergedReasonString(s->ksp, &report->reason));
  PetscCall(MatMult(s->A, s->x, s->r)); /* what is left, whatever the iteration believes */
  PetscCall(VecDot(s->x, s->r, energy));
  PetscCall(VecAYPX(s->r, -1, s->b));
  PetscCall(VecNorm(s->b, NORM_2, &before));
  PetscCall(VecNorm(s->r, NORM_2, &after));
  report->is_missed = *reason < 0;
  report->iterations = (int)iterations;
  report->residual = before > 0 ? after / before : 0;
  return 0;
}

static PetscErrorCode take_solution(petsc_solver *s, double *b) {
  const PetscScalar *x;
  PetscCall(VecGetArrayRead(s->x, &x));
  if (s->ranks) {
    PetscScalar *whole = calloc(BLOCK * (size_t)s->num_rows + 1, sizeof *whole);
    if (!whole) MPI_Abort(PETSC_COMM_WORLD, PETSC_ERR_MEM); /* the others wait */
    sup_petsc_rows_gather(s->rows, x, whole);
    from_petsc(s, whole, b);
    free(whole);
  } else {
    from_petsc(s, x, b);
  }
  PetscCall(VecRestoreArrayRead(s->x, &x));
  return 0;
}

/** What the user said and nobody asked for is most likely misspelt. */
static sup_petsc_outcome check_options(petsc_solver *s) {
  PetscInt num = 0;
  char   **name = NULL, **value = NULL, text[512];
  if (s->were_options_checked) return SUP_PETSC_OK;
  s->were_options_checked = 1;
  if (PetscOptionsLeftGet(s->options, &num, &name, &value)) return SUP_PETSC_ERROR;
  const char *left = NULL;
  for (PetscInt k = 0; k < num && !left; k++)
    if (strstr(s->text, name[k])) left = name[k];
  int is_left = left != NULL;
  if (is_left)
    snprintf(text, sizeof text, "PETSc has no use for the option -%s here%s", left,
             s->is_direct
                 ? "; this system is solved by MUMPS unless -pc_type and -ksp_type say otherwise"
                 : "");
  if (PetscOptionsLeftRestore(s->options, &num, &name, &value)) return SUP_PETSC_ERROR;
  return is_left ? fail(SUP_PETSC_OPTION, text) : SUP_PETSC_OK;
}

static sup_petsc_outcome solve(void *object, double tolerance, double *b,
                               sup_petsc_report *report) {
  petsc_solver      *s = object;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscErrorCode     code;
  PetscReal          energy = 0;
  WITH_OPTIONS(s, code, run(s, tolerance, b, report, &reason, &energy));
  if (code) return outcome_of(code);
  sup_petsc_outcome outcome = check_options(s);
  if (outcome) return outcome;
  if (energy < 0) return fail(SUP_PETSC_NOT_SPD, "x^T A x is negative");
  if (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_PC_FAILED)
    return fail(SUP_PETSC_NOT_SPD, report->reason);
  if (!(report->residual <= DBL_MAX)) return fail(SUP_PETSC_ERROR, report->reason);
  return outcome_of(take_solution(s, b));
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern const sup_petsc_plugin                                 sup_petsc_plugin_table;
__attribute__((visibility("default"))) const sup_petsc_plugin sup_petsc_plugin_table = {
    .size = sizeof(sup_petsc_plugin),
    .version =
        TEXT(PETSC_VERSION_MAJOR) "." TEXT(PETSC_VERSION_MINOR) "." TEXT(PETSC_VERSION_SUBMINOR),
    .message = message,
    .create = create,
    .destroy = destroy,
    .spread = spread,
    .analyse = analyse,
    .setup = setup,
    .solve = solve,
    .ranks = start_ranks};
