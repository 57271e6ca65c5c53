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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/petsc_parts.h"

enum {
  BLOCK = SUP_TILE,
  ZONE_AT_LEAST = 20000, /* unknowns in contact that are solved exactly .. */
  ZONE_SHARE = 10,       /* .. and of larger systems one in so many */
  CALMS = 4              /* a smoother's interval grows at most so often */
};

typedef struct petsc_solver {
  const char      *text; /* of the user; the options have defaults of GAMG, too */
  PetscOptions     options;
  sup_petsc_system system;
  IS               zone;      /* rows that contact couples, NULL for none */
  unsigned char   *last;      /* [num_blocks] block columns that contact couples; NULL: none */
  Mat              A;         /* on the system's arrays, or that of .. */
  sup_petsc_free  *free;      /* .. an operator that is not stored; NULL: it is */
  Mat              converted; /* what PETSc works on where -mat_type asks for another; else NULL */
  KSP              ksp;
  Vec              x, b, r;
  sup_slepc       *eigen; /* pairs found with A; NULL: none */
  PetscInt         negative_pivots;
  int              is_direct, is_chosen; /* MUMPS; whether that is known of this pattern */
  int              is_set_up, were_options_checked;
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

/* Memory that MPI does not free is hidden from the leak sanitizer. */
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
  if (s->eigen) sup_slepc_destroy(&s->eigen);
  (void)KSPDestroy(&s->ksp);
  if (!s->free) (void)MatDestroy(&s->A);
  s->A = NULL;
  sup_petsc_free_destroy(&s->free);
  (void)MatDestroy(&s->converted);
  (void)ISDestroy(&s->zone);
  free(s->last), s->last = NULL;
  (void)VecDestroy(&s->x);
  (void)VecDestroy(&s->b);
  (void)VecDestroy(&s->r);
  s->is_set_up = s->is_chosen = s->is_direct = 0;
}

static void destroy(void *object) {
  petsc_solver *s = object;
  if (!s) return;
  destroy_matrix(s);
  sup_petsc_system_free(&s->system);
  (void)PetscOptionsDestroy(&s->options);
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
  ((petsc_solver *)object)->system.ranks = ranks;
}

/* ---- analysis -------------------------------------------------------------------------------- */

static PetscErrorCode make_matrix(petsc_solver *s) {
  PetscCall(sup_petsc_make_matrix(&s->system, &s->A));
  PetscCall(PetscObjectSetOptions((PetscObject)s->A, s->options));
  PetscCall(sup_petsc_use_galerkin(s->A));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecDuplicate(s->b, &s->r));
  return 0;
}

/** Mark the contact zone, which is solved exactly; none where it has more than `most` unknowns. */
static PetscErrorCode mark_zone(petsc_solver *s, const unsigned char *last) {
  const sup_petsc_system *of = &s->system;
  PetscInt *row, num = 0, all = 0, most = ZONE_AT_LEAST + BLOCK * of->num_rows / ZONE_SHARE;
  PetscInt  begin = of->ranks ? BLOCK * of->begin : 0;
  PetscCall(PetscMalloc1((size_t)BLOCK * (size_t)of->num_rows + 1, &row));
  for (int b = 0; b < of->pattern->num_blocks; b++)
    for (PetscInt r = of->first[b]; last[b] && r < of->first[b + 1]; r++, all += BLOCK)
      for (int k = 0; k < BLOCK && sup_petsc_is_own(of, r); k++)
        row[num++] = begin + BLOCK * sup_petsc_own_number(of, r) + k;
  if (all > 0 && all <= most)
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, num, row, PETSC_COPY_VALUES, &s->zone));
  PetscCall(PetscFree(row));
  return 0;
}

static sup_petsc_outcome analyse(void *object, const sup_block_pattern *pattern,
                                 const unsigned char *last) {
  petsc_solver *s = object;
  destroy_matrix(s);
  PetscErrorCode code = sup_petsc_lay_out(&s->system, pattern);
  if (code == PETSC_ERR_MEM) return fail(SUP_PETSC_MEMORY, "out of memory");
  if (code) return fail(SUP_PETSC_ERROR, "the matrix has more entries than this PETSc can number");
  if (!last) return SUP_PETSC_OK;
  s->last = malloc((size_t)pattern->num_blocks + 1);
  if (!s->last) return fail(SUP_PETSC_MEMORY, "out of memory");
  memcpy(s->last, last, (size_t)pattern->num_blocks);
  return outcome_of(mark_zone(s, last));
}

/* ---- setup ----------------------------------------------------------------------------------- */

/** Conjugate gradients until -ksp_type says otherwise. */
static PetscErrorCode make_solver(petsc_solver *s, Mat A) {
  PC        pc;
  PetscBool is_said;
  PetscCall(KSPCreate(sup_petsc_comm(&s->system), &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PetscOptionsHasName(s->options, NULL, "-pc_type", &is_said));
  if (!is_said && !s->is_chosen) PetscCall(sup_petsc_mumps_is_quicker(A, &s->is_direct));
  s->is_direct = s->is_direct && !is_said, s->is_chosen = 1;
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

static PetscErrorCode take_values(petsc_solver *s, const sup_linear_operator *A) {
  char      type[64] = "";
  PetscBool is_asked;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof type, &is_asked));
  if (!s->A) PetscCall(make_matrix(s));
  PetscCall(sup_petsc_fill_matrix(&s->system, A->values, s->A));
  if (A->space && !s->ksp) /* the cycle takes them in when it is made */
    PetscCall(sup_petsc_set_near_null_space(&s->system, A->space, s->A));
  if (is_asked)
    PetscCall(MatConvert(s->A, type, s->converted ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX,
                         &s->converted));
  Mat of = s->converted ? s->converted : s->A;
  if (!s->ksp) PetscCall(make_solver(s, of));
  PetscCall(KSPSetOperators(s->ksp, of, of));
  PetscCall(sup_petsc_gamg_set_up(s->ksp));
  s->is_set_up = 1;
  PetscCall(sup_petsc_mumps_negative_pivots(s->ksp, &s->negative_pivots));
  return 0;
}

/** Destroy the solver of a matrix that is not stored. */
static void destroy_solver(petsc_solver *s) {
  (void)KSPDestroy(&s->ksp);
  sup_petsc_free_destroy(&s->free);
  s->A = NULL;
}

/** Destroy what the solver reuses from one matrix to the next: with it a run resumed from a
 * checkpoint would differ from an uninterrupted one. */
static void forget(void *object) {
  petsc_solver *s = object;
  if (s->eigen) sup_slepc_destroy(&s->eigen);
  if (s->free)
    destroy_solver(s);
  else if (s->ksp && sup_petsc_is_gamg(s->ksp))
    (void)KSPDestroy(&s->ksp);
}

/** Create the solver, or update it: only columns in contact have changed. */
static PetscErrorCode take_operator(petsc_solver *s, const sup_linear_operator *A) {
  PetscErrorCode code;
  if (s->free)
    code = sup_petsc_free_update(s->free, A);
  else
    code = sup_petsc_free_create(&s->free, &s->system, A, s->last, s->options, &s->ksp);
  if (code) { /* there is nothing to go on from */
    destroy_solver(s);
    return code;
  }
  s->A = sup_petsc_free_matrix(s->free);
  KSP zone = sup_petsc_free_zone_solver(s->free);
  s->negative_pivots = 0;
  if (zone) PetscCall(sup_petsc_mumps_negative_pivots(zone, &s->negative_pivots));
  if (s->x) return 0;
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  return VecDuplicate(s->x, &s->r);
}

/** NULL, or why a matrix of which not all is stored cannot be solved with as it is. */
static const char *refuse_operator(const petsc_solver *s, const sup_linear_operator *A) {
  PetscBool is_said = PETSC_FALSE;
  if (!A->rest) return NULL;
  if (!A->space || !A->space->distance)
    return "the matrix is not stored, and nothing tells where its unknowns are";
  if (s->system.ranks) return "a matrix that is not stored is solved with on one rank only";
  (void)PetscOptionsHasName(s->options, NULL, "-pc_type", &is_said);
  return is_said ? "a matrix that is not stored has a preconditioner of its own: leave -pc_type out"
                 : NULL;
}

/** Runs the following calls with the solver's own options. */
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
  const char    *refusal = refuse_operator(s, A);
  if (refusal) return fail(SUP_PETSC_OPTION, refusal);
  *failed_block = sup_petsc_compute_scale(&s->system, A->values);
  if (*failed_block != SUP_NONE)
    return fail(SUP_PETSC_NOT_SPD, "a number on its diagonal is not positive");
  WITH_OPTIONS(s, code, A->rest ? take_operator(s, A) : take_values(s, A));
  if (code == PETSC_ERR_ARG_OUTOFRANGE && !s->is_set_up)
    return fail(SUP_PETSC_OPTION, "the matrix may have more entries than this PETSc can number");
  if (code == PETSC_ERR_ARG_UNKNOWN_TYPE) return SUP_PETSC_OPTION;
  if (!code && s->negative_pivots > 0) return fail(SUP_PETSC_NOT_SPD, "MUMPS met negative pivots");
  return outcome_of(code);
}

/* ---- solve ----------------------------------------------------------------------------------- */

/** `energy` is x^T A x, which a positive definite A keeps above 0. */
static PetscErrorCode run(petsc_solver *s, double tolerance, double *b, sup_petsc_report *report,
                          KSPConvergedReason *reason, PetscReal *energy) {
  PetscScalar *in;
  PetscInt     most, iterations;
  PetscReal    before, after;
  PetscCall(VecGetArray(s->b, &in));
  sup_petsc_to(&s->system, b, in);
  PetscCall(VecRestoreArray(s->b, &in));
  PetscCall(KSPGetTolerances(s->ksp, NULL, NULL, NULL, &most));
  PetscCall(KSPSetTolerances(s->ksp, tolerance, 0, PETSC_DEFAULT, most));
  PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, reason));
  for (int k = 0; s->free && *reason == KSP_DIVERGED_INDEFINITE_PC && k < CALMS; k++) {
    PetscCall(sup_petsc_free_calm(s->free));
    PetscCall(KSPSolve(s->ksp, s->b, s->x));
    PetscCall(KSPGetConvergedReason(s->ksp, reason));
  }
  PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
  PetscCall(KSPGetConvergedReasonString(s->ksp, &report->reason));
  PetscCall(MatMult(s->A, s->x, s->r)); /* true residual, beside that of the iteration */
  PetscCall(VecDot(s->x, s->r, energy));
  PetscCall(VecAYPX(s->r, -1, s->b));
  PetscCall(VecNorm(s->b, NORM_2, &before));
  PetscCall(VecNorm(s->r, NORM_2, &after));
  report->is_missed = *reason < 0;
  report->iterations = (int)iterations;
  report->residual = before > 0 ? after / before : 0;
  return 0;
}

/** Check the user's options: one that PETSc never queried is most likely misspelt. */
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
  return outcome_of(sup_petsc_gather(&s->system, s->x, b));
}

static PetscErrorCode run_added(petsc_solver *s,
                                void (*add)(const void *, const double *, double *),
                                const void *self, double tolerance, double *b,
                                sup_petsc_report *report, int *is_negative) {
  PetscScalar *in;
  PetscCall(VecGetArray(s->b, &in));
  sup_petsc_to(&s->system, b, in);
  PetscCall(VecRestoreArray(s->b, &in));
  PetscCall(sup_petsc_solve_added(&s->system, s->ksp, s->b, s->x, s->r, add, self, tolerance,
                                  report, is_negative));
  return 0;
}

static sup_petsc_outcome solve_added(void *object,
                                     void (*add)(const void *, const double *, double *),
                                     const void *self, double tolerance, double *b,
                                     sup_petsc_report *report, int *is_negative) {
  petsc_solver  *s = object;
  PetscErrorCode code;
  WITH_OPTIONS(s, code, run_added(s, add, self, tolerance, b, report, is_negative));
  if (code) return outcome_of(code);
  if (!(report->residual <= DBL_MAX)) return fail(SUP_PETSC_ERROR, report->reason);
  return outcome_of(sup_petsc_gather(&s->system, s->x, b));
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static sup_petsc_outcome count_negative(void *object, const sup_linear_operator *A, int *num) {
  petsc_solver  *s = object;
  PetscErrorCode code;
  for (int i = 0; i < BLOCK * s->system.num_rows; i++) s->system.scale[i] = 1; /* MUMPS scales */
  WITH_OPTIONS(s, code, take_values(s, A));
  *num = (int)s->negative_pivots;
  return outcome_of(code);
}

static PetscErrorCode run_eigen(petsc_solver *s, const double *M, int is_positive, int more,
                                double tolerance) {
  if (!s->eigen) PetscCall(sup_slepc_begin(&s->eigen, &s->system, s->A, M, is_positive));
  return sup_slepc_find(s->eigen, s->A, s->ksp, more, tolerance);
}

static sup_petsc_outcome find_eigen(void *object, const double *M, int is_positive, int more,
                                    double tolerance, int *num, const double **theta) {
  petsc_solver  *s = object;
  PetscErrorCode code;
  const Vec     *x;
  if (!sup_slepc_find)
    return fail(SUP_PETSC_ERROR,
                "several ranks need SLEPc (libslepc-real-dev), without which the plug-in was "
                "built: `make petsc` installs it and builds with it; or run on one rank, without "
                "mpiexec");
  WITH_OPTIONS(s, code, run_eigen(s, M, is_positive, more, tolerance));
  if (code) return outcome_of(code);
  *num = (int)sup_slepc_pairs(s->eigen, theta, &x);
  return SUP_PETSC_OK;
}

static sup_petsc_outcome get_eigen(void *object, int i, double *to) {
  petsc_solver    *s = object;
  const PetscReal *theta;
  const Vec       *x;
  (void)sup_slepc_pairs(s->eigen, &theta, &x);
  return outcome_of(sup_petsc_gather(&s->system, x[i], to));
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
    .forget = forget,
    .solve = solve,
    .solve_added = solve_added,
    .count_negative = count_negative,
    .find_eigen = find_eigen,
    .get_eigen = get_eigen,
    .ranks = start_ranks};
