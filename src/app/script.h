/** The Python scripts that come with the program.  Layer app. */
#pragma once

#include <stddef.h>

/** Debian's own, which has VTK and Matplotlib as packages. */
#define SUP_PYTHON "/usr/bin/python3"

/** Where postproc/NAME is: installed with the program, beside its source tree, or below the working
 * directory.  0: nowhere. */
int sup_app_find_script(const char *name, char *path, size_t size);
