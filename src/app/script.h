/** The Python scripts that come with the program.  Layer app. */
#pragma once

#include <stddef.h>

/** Debian's own, which has VTK and Matplotlib as packages. */
#define SUP_PYTHON "/usr/bin/python3"

/** Path of postproc/NAME: installed with the program, beside its source tree, or below the working
 * directory.  0: not found. */
int sup_app_find_script(const char *name, char *path, size_t size);
/** `python3 postproc/NAME` with the words of the command line, in this process; exit code where it
 * cannot start. */
int sup_app_start_script(const char *name, int argc, char **argv);
/** `python3 postproc/SCRIPT FOLDER`; reports the picture, or the reason of its absence.
 *  @param[in] picture  its file in the folder */
void sup_app_plot(const char *script, const char *folder, const char *picture, int quiet);
