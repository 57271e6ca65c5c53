/** Another program, run to its end.  Layer base. */
#pragma once

#include "base/status.h"

/** How a program ended. */
typedef struct sup_process_end {
  int is_missing;   /* 1: there is no such program on the PATH; nothing ran */
  int is_timed_out; /* 1: it was killed at its time limit */
  int signal;       /* that ended it; 0: none */
  int exit_code;    /* when neither of these */
} sup_process_end;

/** Run argv[0], looked up on the PATH, with these arguments (NULL at the end) and nothing to read, and wait.
 *  @param output  file into which everything goes that it prints
 *  @param limit   wall time after which it is killed [s]
 *  E_IO: it could not be started for another reason than is_missing. */
SUP_NODISCARD sup_status sup_process_run(const char *const *argv, const char *output, double limit,
                                         sup_process_end *end);

/** Make an empty folder of its own below TMPDIR (/tmp). */
SUP_NODISCARD sup_status sup_temporary_folder(char *path, size_t size);
/** Remove such a folder with the files in it. */
void sup_temporary_folder_remove(const char *path);
