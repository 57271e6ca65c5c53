/** Execution of the levels of a study: each in its own process, as many in parallel as cores and
 * memory allow; or one after the other in this process.  Layer study. */
#pragma once

#include <signal.h>

#include "base/file/process.h"
#include "study/study.h"

typedef struct sup_level_runner {
  const char *program; /* path of supple itself */
  const char *folder;  /* of the study's results */
  int         jobs;    /* processes at a time, at least 1 */
  double      memory;  /* for all of them by their estimates [bytes]; one level always runs */
  /** Run the program's command with these arguments in this process, with its output in the file
   * `log`; NULL: levels are separate processes. */
  void (*perform)(int argc, const char *const *argv, const char *log, sup_process_end *end);
  int part, parts; /* only levels i with i % parts = part, beside other processes; parts 0: all */
  /** Main function of the program, called in a fork of this process; NULL: the program is
   * started. */
  int (*run)(int argc, char **argv);
  /* ends everything when it becomes nonzero */
  const volatile sig_atomic_t *interrupted;
  /** Called when a level begins to run, ends, fails or is found complete. */
  void (*tell)(const sup_study *study, const sup_family *family, int level, void *user);
  void *user;
} sup_level_runner;

/** Run every level that is not complete in the folder, coarse ones first; a level that fails is
 * marked and the others go on.  Cases of a sweep that failed are not run again either.  E_PARSE: a
 * level, but not a case, has no such number as a quantity asks for.
 * E_INTERRUPTED: all processes have ended; the next call keeps complete levels.  E_IO. */
SUP_NODISCARD sup_status sup_level_runner_run(const sup_level_runner *runner, sup_study *study);
/** Record level i as complete, whose files are in its folder.  E_IO. */
SUP_NODISCARD sup_status sup_level_runner_keep(const sup_level_runner *runner, sup_study *study,
                                               const sup_family *family, int i);
/** Memory that the system could give now [bytes]; 0: not known. */
double sup_memory_available(void);
