/** The processes that mpiexec started, as the command line sees them.  Layer app.
 *
 *  Rank 0 prints as ever.  Stdout of the others is discarded, their stderr is
 * stored: should one of them fail where rank 0 does not, its words are shown at the end.  So
 * commands print as if they were alone, and a failure is said once. */
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
/** A part that all ranks go through together has failed here, and what follows is by all ranks,
 * too: one that failed alone ends them all with this code and does not return.  Its words are said.
 *  @param[in] failure  what is to be said */
void sup_app_fail_together(const sup_failure *failure);
/** 1: this or another rank was interrupted.  Called by all ranks at once. */
bool sup_app_is_interrupted(void);
/** Print that a command runs in one process alone; exit code. */
int sup_app_refuse_ranks(const char *command);
