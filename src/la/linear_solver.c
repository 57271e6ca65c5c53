#include "la/linear_solver.h"

#include "base/memory.h"
#include "la/backend.h"
#include "la/lu.h"

struct sup_linear_solver {
  const sup_linear_backend *backend;
  void                     *self;
  int                       has_last; /* 1: the analysis had `last` blocks */
  int                       failed_block;
  enum {
    STATE_EMPTY,
    STATE_ANALYSED,
    STATE_LEADING,
    STATE_READY
  } state; /* LEADING: only the leading part is factored, after an elimination or a failed update */
  const sup_block_pattern *pattern; /* analysed */
  sup_lu                  *lu;      /* factor of an unsymmetric matrix; NULL: none so far */
  int                      has_lu_analysis, has_lu;
};

void sup_linear_work_add(sup_linear_work *all, const sup_linear_work *more) {
  int both = (more->missed > 0) ==
             (all->missed > 0); /* a missed tolerance is worse than a satisfied one */
  bool is_worse = both ? more->residual > all->residual : more->missed > 0;
  all->iterations += more->iterations;
  all->missed += more->missed;
  if (all->reason && !is_worse) return;
  all->residual = more->residual, all->reason = more->reason;
}

static sup_status find_backend(sup_backend backend, const sup_linear_backend **out) {
  switch (backend) {
    case SUP_BACKEND_CHOLMOD:
      *out = sup_cholmod_backend();
      break;
    case SUP_BACKEND_PETSC:
      *out = sup_petsc_backend();
      break;
    case SUP_BACKEND_CONJUGATE_GRADIENT:
      *out = sup_conjugate_gradient_backend();
      break;
    default:
      *out = sup_supernodal_backend();
  }
  if (!*out)
    return SUP_FAIL(
        SUP_E_ARG,
        "backend cholmod: this program was built with CHOLMOD=0; use the supernodal backend");
  return SUP_OK;
}

int sup_backend_iterates(sup_backend backend) {
  return backend == SUP_BACKEND_CONJUGATE_GRADIENT || backend == SUP_BACKEND_PETSC;
}

sup_status sup_linear_solver_create(sup_linear_solver **out, sup_backend backend,
                                    const char *options) {
  const sup_linear_backend   *found;
  SUP_OWN(sup_linear_solver) *solver = NULL;
  *out = NULL;
  SUP_TRY(find_backend(backend, &found));
  SUP_TRY(SUP_CALLOC(solver, 1));
  solver->backend = found;
  solver->failed_block = SUP_NONE;
  SUP_TRY(solver->backend->create(&solver->self, options));
  *out = solver;
  solver = NULL;
  return SUP_OK;
}

void sup_linear_solver_destroy(sup_linear_solver **solver) {
  if (!*solver) return;
  if ((*solver)->self) (*solver)->backend->destroy((*solver)->self);
  sup_lu_destroy(&(*solver)->lu);
  SUP_FREE(*solver);
}

sup_status sup_linear_solver_spread(sup_linear_solver *solver, const sup_block_ranks *ranks) {
  if (!solver->backend->spread)
    return SUP_FAIL(
        SUP_E_ARG,
        "this linear solver works on one rank; 'solver.backend: petsc' works on several");
  solver->backend->spread(solver->self, ranks);
  return SUP_OK;
}

sup_status sup_linear_solver_analyse(sup_linear_solver *solver, const sup_block_pattern *pattern,
                                     const unsigned char *last) {
  SUP_TRY(sup_linear_solver_analyse_from(solver, pattern, NULL, last));
  return SUP_OK;
}

static sup_status run_setup(sup_linear_solver *solver, const sup_linear_operator *A, int trailing) {
  solver->failed_block = SUP_NONE;
  solver->state = trailing ? STATE_LEADING : STATE_ANALYSED;
  SUP_TRY(solver->backend->setup(solver->self, A, trailing, &solver->failed_block));
  solver->state = STATE_READY;
  return SUP_OK;
}

sup_status sup_linear_solver_setup(sup_linear_solver *solver, const sup_linear_operator *A) {
  if (solver->state < STATE_ANALYSED)
    return SUP_FAIL(SUP_E_ARG, "linear solver: analyse the pattern first");
  SUP_TRY(run_setup(solver, A, 0));
  return SUP_OK;
}

sup_status sup_linear_solver_update(sup_linear_solver *solver, const sup_linear_operator *A) {
  if (solver->state < STATE_LEADING)
    return SUP_FAIL(SUP_E_ARG, "linear solver: set up the whole matrix before an update");
  SUP_TRY(run_setup(solver, A, solver->has_last));
  return SUP_OK;
}

sup_status sup_linear_solver_solve(sup_linear_solver *solver, double tolerance, double *b,
                                   sup_linear_report *report) {
  sup_linear_report own = {0};
  if (solver->state < STATE_READY)
    return SUP_FAIL(SUP_E_ARG, "linear solver: there is no factor to solve with");
  SUP_TRY(solver->backend->solve(solver->self, tolerance, b, &own));
  if (report) *report = own;
  return SUP_OK;
}

bool sup_linear_solver_can_add(const sup_linear_solver *solver) {
  return solver->backend->solve_added != NULL;
}

sup_status sup_linear_solver_solve_added(sup_linear_solver         *solver,
                                         const sup_linear_addition *addition, double tolerance,
                                         double *b, sup_linear_report *report, int *is_negative) {
  *report = (sup_linear_report){0};
  if (solver->state < STATE_READY)
    return SUP_FAIL(SUP_E_ARG, "linear solver: there is no factor to solve with");
  SUP_TRY(solver->backend->solve_added(solver->self, addition, tolerance, b, report, is_negative));
  return SUP_OK;
}

sup_status sup_linear_solver_count_negative(sup_linear_solver *solver, const sup_linear_operator *A,
                                            int *num) {
  solver->state = STATE_ANALYSED;
  return solver->backend->count_negative(solver->self, A, num);
}

sup_status sup_linear_solver_find_eigen(sup_linear_solver *solver, const double *M,
                                        bool is_positive, int more, double tolerance, int *num,
                                        const double **theta) {
  return solver->backend->find_eigen(solver->self, M, is_positive, more, tolerance, num, theta);
}

sup_status sup_linear_solver_get_eigen(sup_linear_solver *solver, int i, double *x) {
  return solver->backend->get_eigen(solver->self, i, x);
}

int sup_linear_solver_failed_block(const sup_linear_solver *solver) { return solver->failed_block; }

sup_linear_info sup_linear_solver_info(const sup_linear_solver *solver) {
  if (solver->state < STATE_ANALYSED) return (sup_linear_info){0};
  return solver->backend->info(solver->self);
}

/* ---- matrices that are not symmetric ----------------------------------------------------------
 */

sup_status sup_linear_solver_setup_general(sup_linear_solver *solver, const double *lower,
                                           const double *upper, bool *is_singular) {
  if (solver->state < STATE_ANALYSED)
    return SUP_FAIL(SUP_E_ARG, "linear solver: analyse the pattern first");
  solver->has_lu = 0;
  if (!solver->lu) SUP_TRY(sup_lu_create(&solver->lu));
  if (!solver->has_lu_analysis) SUP_TRY(sup_lu_analyse(solver->lu, solver->pattern));
  solver->has_lu_analysis = 1;
  SUP_TRY(sup_lu_factor(solver->lu, lower, upper, is_singular));
  solver->has_lu = !*is_singular;
  return SUP_OK;
}

sup_status sup_linear_solver_solve_general(sup_linear_solver *solver, double *b) {
  if (!solver->has_lu)
    return SUP_FAIL(SUP_E_ARG, "linear solver: there is no LU factor to solve with");
  SUP_TRY(sup_lu_solve(solver->lu, b));
  return SUP_OK;
}

/* ---- elimination ----------------------------------------------------------------------------- */

bool sup_linear_solver_can_eliminate(const sup_linear_solver *solver) {
  return solver->backend->eliminate != NULL;
}

sup_status sup_linear_solver_analyse_from(sup_linear_solver       *solver,
                                          const sup_block_pattern *pattern,
                                          const sup_symbolic *base, const unsigned char *last) {
  solver->state = STATE_EMPTY;
  solver->failed_block = SUP_NONE;
  solver->pattern = pattern;
  solver->has_lu_analysis = solver->has_lu = 0;
  if (base && last && solver->backend->analyse_from)
    SUP_TRY(solver->backend->analyse_from(solver->self, pattern, base, last));
  else
    SUP_TRY(solver->backend->analyse(solver->self, pattern, last));
  solver->state = STATE_ANALYSED;
  solver->has_last = 0;
  for (int b = 0; last && b < pattern->num_blocks; b++) solver->has_last |= last[b] != 0;
  return SUP_OK;
}

static sup_status may_eliminate(const sup_linear_solver *solver, bool is_ready, const char *lacks) {
  if (!solver->backend->eliminate)
    return SUP_FAIL(SUP_E_ARG, "elimination: this backend solves whole systems only");
  if (!is_ready) return SUP_FAIL(SUP_E_ARG, "elimination: %s", lacks);
  return SUP_OK;
}

sup_status sup_linear_solver_schur_pattern(sup_linear_solver *solver, sup_block_pattern *out) {
  SUP_TRY(may_eliminate(solver, solver->state >= STATE_ANALYSED, "analyse the pattern first"));
  SUP_TRY(solver->backend->schur_pattern(solver->self, out));
  return SUP_OK;
}

sup_status sup_linear_solver_eliminate(sup_linear_solver *solver, const double *values,
                                       const sup_block_pattern *pattern, double *S, double *b) {
  SUP_TRY(may_eliminate(solver, solver->state >= STATE_ANALYSED, "analyse the pattern first"));
  solver->failed_block = SUP_NONE;
  solver->state = STATE_ANALYSED;
  SUP_TRY(solver->backend->eliminate(solver->self, values, pattern, S, b, &solver->failed_block));
  solver->state = STATE_LEADING;
  return SUP_OK;
}

sup_status sup_linear_solver_forward(sup_linear_solver *solver, double *b) {
  SUP_TRY(
      may_eliminate(solver, solver->state >= STATE_LEADING, "the leading part is not factored"));
  solver->backend->forward(solver->self, b);
  return SUP_OK;
}

sup_status sup_linear_solver_backward(sup_linear_solver *solver, double *b) {
  SUP_TRY(
      may_eliminate(solver, solver->state >= STATE_LEADING, "the leading part is not factored"));
  solver->backend->backward(solver->self, b);
  return SUP_OK;
}

int sup_linear_solver_pivots(const sup_linear_solver *solver, double *pivot) {
  if (solver->state < STATE_LEADING || !solver->backend->pivots) return 0;
  solver->backend->pivots(solver->self, solver->state == STATE_LEADING, pivot);
  return 1;
}
