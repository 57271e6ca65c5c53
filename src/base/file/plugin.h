/** Parts of the program that are loaded when they are asked for: each brings a library that many
 * runs do without.  Layer base. */
#pragma once

#include <stddef.h>

#include "base/status.h"

typedef struct sup_plugin_def {
  const char *file;      /* "supple-petsc.so" */
  const char *symbol;    /* of its table of functions, whose first member is its size_t size */
  size_t      size;      /* that the table has here */
  const char *what;      /* first words of messages, "backend petsc" */
  const char *remedy;    /* "`make petsc` installs PETSc and builds it" */
  int         is_global; /* 1: what it loads finds its names among those of the program */
} sup_plugin_def;

/** The table of a plug-in from $SUPPLE_PLUGINS, from beside the program, where `make` puts it, from
 * ../lib/supple, where `make install` does, or from supple/ beside the library.  It stays until the
 * process ends.  E_ARG: it is not there, cannot be loaded or is of another version. */
SUP_NODISCARD sup_status sup_plugin_load(const sup_plugin_def *def, const void **table);
