/** Parts of the program loaded on request: each needs a library that many runs do not use.  Layer
 * base. */
#pragma once

#include <stddef.h>

#include "base/status.h"

typedef struct sup_plugin_def {
  const char *file;   /* "supple-petsc.so" */
  const char *symbol; /* symbol of the table of functions, whose first member is its size_t size */
  size_t      size;   /* expected size of the table */
  const char *what;   /* first words of messages, "backend petsc" */
  const char *remedy; /* "`make petsc` installs PETSc and builds it" */
  int         is_global; /* 1: libraries that it loads can use symbols of the program */
} sup_plugin_def;

/** The table of a plug-in from $SUPPLE_PLUGINS, from beside the program, where `make` puts it, from
 * ../lib/supple, where `make install` does, or from supple/ beside the library.  It stays until the
 * process ends.  E_ARG: no plug-in there, or one that cannot be loaded or is of another version. */
SUP_NODISCARD sup_status sup_plugin_load(const sup_plugin_def *def, const void **table);
