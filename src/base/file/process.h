/** Child processes, run to their end or in parallel.  Children end with this process, for any
 * reason. Layer base. */
#pragma once

#include "base/status.h"

/** Outcome of a program. */
typedef struct sup_process_end {
  int    is_missing;   /* 1: there is no such program on the PATH; nothing ran */
  int    is_timed_out; /* 1: it was killed at its time limit */
  int    signal;       /* signal that ended it; 0: none */
  int    exit_code;    /* exit code, if neither of these */
  double peak_bytes;   /* the most memory it held at a time */
} sup_process_end;

/** Run argv[0], looked up on the PATH, with these arguments (NULL at the end) and nothing to read,
 * and wait.
 *  @param output  file into which everything goes that it prints
 *  @param limit   wall time after which it is killed [s]
 *  E_IO: the program could not be started for another reason than is_missing. */
SUP_NODISCARD sup_status sup_process_run(const char *const *argv, const char *output, double limit,
                                         sup_process_end *end);

/** Start such a program without waiting; *id is 0 if it is_missing.  Collect it by
 * sup_process_poll.
 */
SUP_NODISCARD sup_status sup_process_start(const char *const *argv, const char *output, long *id);
/** Start such a program with a connection in place of its input and output.  @param[out] line  the
 * caller's end, which it closes */
SUP_NODISCARD sup_status sup_process_connect(const char *const *argv, const char *errors, long *id,
                                             int *line);
/** sup_process_start of a copy of this process, which spares the cost of a program's start: the
 * copy ends with the value of run(user).  No other thread may be at work. */
SUP_NODISCARD sup_status sup_process_fork(int (*run)(void *user), void *user, const char *output,
                                          long *id);
/** 1 when the program has ended, which forgets its id and fills *end; 0 while it runs. */
int sup_process_poll(long id, sup_process_end *end);
/** Wait for the end of a child not polled since, a signal, or that long [s]. */
void sup_process_wait(double seconds);
/** Ask a program that was started to end (SIGTERM), or end it at once (SIGKILL); poll says when it
 * has. */
void sup_process_stop(long id, int at_once);

/** Peak memory of this process since its begin or since the last reset [bytes];
 * without support of the system, since its begin. */
double sup_process_peak(void);
void   sup_process_forget_peak(void);

/** Path of the running program; 0 and "" when the system has none. */
int sup_program_path(char *path, size_t size);
/** Folder of the running program, without a slash at its end; 0 and "" as above. */
int sup_program_folder(char *folder, size_t size);
