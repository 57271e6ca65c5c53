/* PETSc as a linear solver: finds and loads the plug-in, and speaks to it. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "la/backend.h"
#include "la/petsc_plugin.h"

typedef struct petsc {
  const sup_petsc_plugin *plugin;
  void                   *solver;
} petsc;

/* ---- the plug-in ----------------------------------------------------------------------------- */

/** Folder of the library that has this code, of a program of others; of our own program its own. */
static void library_folder(char *folder, size_t size) {
  static const char here[] = "";
  Dl_info           info;
  folder[0] = '\0';
  if (!dladdr(here, &info) || !info.dli_fname) return;
  snprintf(folder, size, "%s", info.dli_fname);
  char *end = strrchr(folder, '/');
  *(end ? end : folder) = '\0';
}

static void *open_in(const char *folder, const char *below, char *failure, size_t size) {
  char path[4096 + 64];
  if (!folder || !folder[0]) return NULL;
  snprintf(path, sizeof path, "%s%s/%s", folder, below, SUP_PETSC_PLUGIN_FILE);
  if (access(path, R_OK) != 0) return NULL;
  void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI loads its own parts by name */
  if (!object) snprintf(failure, size, "%s", dlerror());
  return object;
}

/** Beside the program, where `make` puts it, and where `make install` does. */
static sup_status load(const sup_petsc_plugin **out) {
  char  folder[4096], failure[512] = "";
  void *object = open_in(getenv("SUPPLE_PLUGINS"), "", failure, sizeof failure);
  if (!sup_program_folder(folder, sizeof folder)) folder[0] = '\0';
  if (!object) object = open_in(folder, "", failure, sizeof failure);
  if (!object) object = open_in(folder, "/../lib/supple", failure, sizeof failure);
  library_folder(folder, sizeof folder);
  if (!object) object = open_in(folder, "/supple", failure, sizeof failure);
  if (!object && failure[0])
    return SUP_FAIL(SUP_E_ARG, "backend petsc: %s; make petsc installs what it needs", failure);
  if (!object)
    return SUP_FAIL(
        SUP_E_ARG,
        "backend petsc: there is no %s beside the program, in ../lib/supple, in supple "
        "beside libsupple or in $SUPPLE_PLUGINS; `make petsc` installs PETSc and builds it",
        SUP_PETSC_PLUGIN_FILE);
  void *symbol = dlsym(object, SUP_PETSC_PLUGIN_SYMBOL);
  *out = symbol;
  if (!symbol || (*out)->size != sizeof **out)
    return SUP_FAIL(SUP_E_ARG, "backend petsc: %s is of another version; `make petsc` builds it",
                    SUP_PETSC_PLUGIN_FILE);
  return SUP_OK; /* it stays until the process ends, as MPI does */
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
                                           .solve_added = petsc_solve_added};

const sup_linear_backend *sup_petsc_backend(void) { return &backend; }

sup_status sup_ranks_start(const sup_collective **ranks) {
  const sup_petsc_plugin *plugin;
  SUP_TRY(load(&plugin));
  *ranks = plugin->ranks();
  if (!*ranks) return SUP_FAIL(SUP_E_EXTERNAL, "MPI did not start");
  return SUP_OK;
}
