/** Levels of a study that run beside the command: shared by `converge` and `--estimate`.  Layer
 * app. */
#pragma once

#include "study/level_runner.h"

enum { SUP_MEGA = 1000000 };

typedef struct sup_watcher {
  int quiet, is_terminal;
  int ended; /* cases of a sweep */
} sup_watcher;

/** The file of the program itself.  0: cannot be found, which was printed. */
int sup_app_find_program(char path[SUP_STUDY_PATH_SIZE]);
/** Begin a study's command: catch signals, load the study, and refuse one that belongs to the other
 * command (failures are printed).
 *  @param[out] study  to be destroyed; NULL unless SUP_NONE is returned
 *  @param[in] kind  by which parameters are needed or refused
 *  @return exit code, or SUP_NONE */
int sup_app_load_study(sup_study **study, const char *path, sup_study_kind kind, int check,
                       int verbose);
/** Default limit of the memory of levels, on the machine of rank 0 [bytes]. */
double sup_app_memory(void);
/** Levels at a time on this machine for so many threads each. */
int sup_app_jobs(int threads);
/** Let all ranks run each level together under mpiexec. */
void sup_app_level_ranks(sup_level_runner *schedule);
/** Let the runner tell of its levels on stderr, and end at Ctrl-C. */
void sup_app_watch_levels(sup_level_runner *schedule, sup_watcher *watcher, int quiet);
/** Run the incomplete levels, with a line on stderr for each level; Ctrl-C ends it (E_INTERRUPTED).
 */
SUP_NODISCARD sup_status sup_app_run_levels(sup_study *study, sup_level_runner *schedule,
                                            int quiet);
/** Main function of a case that runs in a fork of this process: `run` or `static` by argv[0]. */
int sup_app_run_case(int argc, char **argv);
/** Exit code of the first level that failed, SUP_EXIT_OK without any. */
int sup_app_failed_code(const sup_study *study);
/** Print the number of complete ones and return the exit code.
 *  @param[in] what  "levels" */
int sup_app_interrupted_code(const sup_study *study, const char *what);
/** One line for each level that ended with WARN lines; its summary.json has all.
 *  @return number of the lines */
int sup_app_print_warnings(const sup_study *study);
