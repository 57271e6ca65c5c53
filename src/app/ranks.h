/** The processes that mpiexec started, as the command line sees them.  Layer app.
 *
 *  Rank 0 prints as in a run of one process.  Stdout of the other ranks is discarded and their
 * stderr stored; if another rank fails and rank 0 does not, its stderr is printed at the end.
 * Commands thus print as in one process, and each failure once. */
#pragma once

#include "app/app.h"
#include "base/collective.h"

/** NULL: one process. */
const sup_collective *sup_app_ranks(void);
/** Ranks that share the memory of this machine, this one among them. */
int sup_app_local_ranks(void);
/** Join the other processes of mpiexec; without mpiexec nothing is loaded.
 *  @return exit code when it cannot be (already printed), SUP_NONE otherwise */
int sup_app_begin(void);
/** Agree on the exit code, that of the lowest rank that failed; every rank ends with it.  A rank
 * that failed ends those that do not come within ten seconds. */
int sup_app_end(int code);
/** sup_app_end for a part of a command, after which the command continues; rank 0 prints the stderr
 * of the failed rank.  Only with ranks. */
int sup_app_agree(int code);
/** Handle a failure in a collective part that further collective parts follow: if only this rank
 * failed, the function prints the failure, ends all ranks with this code and does not return.
 *  @param[in] failure message to print */
void sup_app_fail_together(const sup_failure *failure);
/** 1: this or another rank was interrupted.  Called by all ranks at once. */
bool sup_app_is_interrupted(void);
/** Print that a command runs in one process alone; exit code. */
int sup_app_refuse_ranks(const char *command);
