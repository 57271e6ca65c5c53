/** Levels of a study that all ranks do together: rank 0 has the study and leads, the others follow.
 * Layer app. */
#pragma once

#include "base/file/process.h"

/** stdout and stderr as they were, while both go to a file. */
typedef struct sup_app_streams {
  int out, err;
} sup_app_streams;

sup_app_streams sup_app_send_streams(const char *file);
void            sup_app_return_streams(sup_app_streams kept);
/** Rank 0: `run` or `static` with these arguments on all ranks, its output in the file `log`
 * (sup_level_runner.perform). */
void sup_app_run_on_ranks(int argc, const char *const *argv, const char *log, sup_process_end *end);
/** The other ranks: run the commands of rank 0 until it ends.  @return SUP_EXIT_OK */
int sup_app_serve_rank(void);
/** Rank 0: there is no more to follow. */
void sup_app_release_ranks(void);
