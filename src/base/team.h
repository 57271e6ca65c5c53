/** Threads that help with a piece of work.  Layer base.
 *
 *  At the end of a region OpenMP waits for every thread of its team, also for those that have not
 * run yet: where others use the machine, a region of 0.1 ms then takes turns of the scheduler. Here
 * a helper that comes late finds nothing to do, and who asked for help waits only for what helpers
 * have begun.  So work must be whole when its caller does all of it; and as helpers wait at hand
 * for a while, entering costs less than a microsecond.
 *
 *  How many threads there may be is OpenMP's number (omp_set_num_threads, OMP_NUM_THREADS). Helpers
 * belong to the process and are made when they are first asked for. */
#pragma once

enum { SUP_TEAM_MAX = 64 };

/** A thread's share of the work.
 *  @param[in] thread  its number, 0 for the caller; below the number that was asked for */
typedef void sup_team_work(void *user, int thread);
/** One item of a loop. */
typedef void sup_team_item(void *user, int item, int thread);

/** Threads that may work here: 1 inside of a team's work. */
int sup_team_size(void);
/** Work on up to so many threads, the caller among them.  One after the other: the caller alone
 * works where another thread of the process has the helpers. */
void sup_team_run(int threads, sup_team_work *work, void *user);
/** Items 0 .. count of a loop, each once, taken in this order. */
void sup_team_for(int threads, int count, sup_team_item *item, void *user);
