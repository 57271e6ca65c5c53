/* PETSc as a linear solver: find and load the plug-in, and call its functions. */
#include "base/file/plugin.h"
#include "base/memory.h"
#include "la/backend.h"
#include "la/petsc_plugin.h"

typedef struct petsc {
  const sup_petsc_plugin *plugin;
  void                   *solver;
} petsc;

/* ---- the plug-in ----------------------------------------------------------------------------- */

static sup_status load(const sup_petsc_plugin **out) {
  static const sup_plugin_def def = {.file = SUP_PETSC_PLUGIN_FILE,
                                     .symbol = SUP_PETSC_PLUGIN_SYMBOL,
                                     .size = sizeof **out,
                                     .what = "backend petsc",
                                     .remedy = "`make petsc` installs PETSc and builds it",
                                     .is_global = 1}; /* MPI loads its own parts by name */
  const void                 *table = NULL;
  SUP_TRY(sup_plugin_load(&def, &table));
  *out = table;
  return SUP_OK; /* the plug-in stays loaded until the process ends, as MPI does */
}

static sup_status from_petsc(const petsc *self, sup_petsc_outcome outcome, const char *what) {
  const char *message = self->plugin->message();
  switch (outcome) {
    case SUP_PETSC_OK:
      return SUP_OK;
    case SUP_PETSC_NOT_SPD:
      return SUP_FAIL(SUP_E_NOT_SPD, "PETSc %s: the matrix is not positive definite: %s", what,
                      message);
    case SUP_PETSC_MEMORY:
      return SUP_FAIL(SUP_E_MEMORY, "PETSc %s: out of memory", what);
    case SUP_PETSC_OPTION:
      return SUP_FAIL(SUP_E_ARG, "solver.petsc: %s", message);
    default:
      return SUP_FAIL(SUP_E_EXTERNAL, "PETSc %s: %s", what, message);
  }
}

/* ---- the backend ----------------------------------------------------------------------------- */

static void petsc_destroy(void *object) {
  petsc *self = object;
  if (self->plugin) self->plugin->destroy(self->solver);
  SUP_FREE(self);
}

static sup_status petsc_create(void **out, const char *options) {
  petsc     *self = NULL;
  sup_status status;
  SUP_TRY(SUP_CALLOC(self, 1));
  status = load(&self->plugin);
  if (status == SUP_OK) {
    sup_petsc_outcome made = self->plugin->create(&self->solver, options ? options : "");
    status = from_petsc(self, made, "start");
  }
  if (status != SUP_OK) {
    petsc_destroy(self);
    return status;
  }
  *out = self;
  return SUP_OK;
}

static void petsc_spread(void *object, const sup_block_ranks *ranks) {
  petsc *self = object;
  self->plugin->spread(self->solver, ranks);
}

static sup_status petsc_analyse(void *object, const sup_block_pattern *pattern,
                                const unsigned char *last) {
  petsc *self = object;
  SUP_TRY(from_petsc(self, self->plugin->analyse(self->solver, pattern, last), "analysis"));
  return SUP_OK;
}

static sup_status petsc_setup(void *object, const sup_linear_operator *A, int trailing,
                              int *failed_block) {
  petsc *self = object;
  if (!trailing) self->plugin->forget(self->solver);
  SUP_TRY(from_petsc(self, self->plugin->setup(self->solver, A, failed_block), "setup"));
  return SUP_OK;
}

static void report_own(const sup_petsc_report *own, sup_linear_report *report) {
  report->iterations = own->iterations;
  report->residual = own->residual;
  report->is_missed = own->is_missed;
  report->reason = own->reason;
}

static sup_status petsc_solve(void *object, double tolerance, double *b,
                              sup_linear_report *report) {
  petsc           *self = object;
  sup_petsc_report own = {0};
  SUP_TRY(from_petsc(self, self->plugin->solve(self->solver, tolerance, b, &own), "solution"));
  report_own(&own, report);
  return SUP_OK;
}

static sup_status petsc_solve_added(void *object, const sup_linear_addition *addition,
                                    double tolerance, double *b, sup_linear_report *report,
                                    int *is_negative) {
  petsc           *self = object;
  sup_petsc_report own = {0};
  SUP_TRY(from_petsc(self,
                     self->plugin->solve_added(self->solver, addition->add, addition->self,
                                               tolerance, b, &own, is_negative),
                     "solution"));
  report_own(&own, report);
  return SUP_OK;
}

static sup_status petsc_count(void *object, const sup_linear_operator *A, int *num) {
  petsc *self = object;
  return from_petsc(self, self->plugin->count_negative(self->solver, A, num), "factor");
}

static sup_status petsc_find_eigen(void *object, const double *M, bool is_positive, int more,
                                   double tolerance, int *num, const double **theta) {
  petsc *self = object;
  return from_petsc(
      self, self->plugin->find_eigen(self->solver, M, is_positive, more, tolerance, num, theta),
      "eigenvalues");
}

static sup_status petsc_get_eigen(void *object, int i, double *x) {
  petsc *self = object;
  return from_petsc(self, self->plugin->get_eigen(self->solver, i, x), "eigenvectors");
}

static sup_linear_info petsc_info(const void *object) {
  (void)object;
  return (sup_linear_info){0};
}

static const sup_linear_backend backend = {.create = petsc_create,
                                           .destroy = petsc_destroy,
                                           .spread = petsc_spread,
                                           .analyse = petsc_analyse,
                                           .setup = petsc_setup,
                                           .solve = petsc_solve,
                                           .info = petsc_info,
                                           .solve_added = petsc_solve_added,
                                           .count_negative = petsc_count,
                                           .find_eigen = petsc_find_eigen,
                                           .get_eigen = petsc_get_eigen};

const sup_linear_backend *sup_petsc_backend(void) { return &backend; }

sup_status sup_ranks_start(const sup_collective **ranks) {
  const sup_petsc_plugin *plugin;
  SUP_TRY(load(&plugin));
  *ranks = plugin->ranks();
  if (!*ranks) return SUP_FAIL(SUP_E_EXTERNAL, "MPI did not start");
  return SUP_OK;
}
