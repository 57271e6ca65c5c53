/** The processes that mpiexec started, as the command line sees them.  Layer app.
 *
 *  Rank 0 prints as ever.  What the others print on stdout goes nowhere, what they print on stderr
 * is kept: should one of them fail where rank 0 does not, its words are shown at the end.  So
 * commands print as if they were alone, and a failure is said once. */
#pragma once

#include "app/app.h"
#include "base/collective.h"

/** NULL: one process. */
const sup_collective *sup_app_ranks(void);
/** Ranks that share the memory of this machine, this one among them. */
int sup_app_local_ranks(void);
/** Join the other processes of mpiexec; nothing is loaded where there are none.
 *  @return exit code when it cannot be (already printed), SUP_NONE otherwise */
int sup_app_begin(void);
/** Agree on the exit code, that of the lowest rank that failed; every rank ends with it.  A rank
 * that failed ends those that do not come within ten seconds. */
int sup_app_end(int code);
/** The same of a part of a command, after which it goes on; what the rank that failed has said is
 * told by rank 0.  There are ranks. */
int sup_app_agree(int code);
/** A part that all ranks go through together has failed here, and what follows is by all ranks,
 * too: one that failed alone ends them all with this code and does not return.  Its words are said.
 *  @param[in] failure  what is to be said */
void sup_app_fail_together(const sup_failure *failure);
/** 1: was this or another rank told to end?  Asked by all ranks at once. */
int sup_app_is_interrupted(void);
/** Print that a command runs in one process alone; exit code. */
int sup_app_refuse_ranks(const char *command);
