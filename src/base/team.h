/** Threads that help with a piece of work.  Layer base.
 *
 *  At the end of a region OpenMP waits for every thread of its team, also for threads that have not
 * run yet: on a busy machine a region of 0.1 ms then takes scheduler intervals.  In a team a late
 * helper finds no work, and the caller waits only for work that helpers have begun.  Therefore work
 * must also be complete if the caller does all of it.  Helpers poll for a while before they sleep,
 * so that entering a region costs less than a microsecond.  OpenMP's settings limit the number of
 * threads (omp_set_num_threads, OMP_NUM_THREADS).  Helpers belong to the process and are created on
 * first use. */
#pragma once

enum { SUP_TEAM_MAX = 64 };

/** A thread's share of the work.
 *  @param[in] thread  its number, 0 for the caller; below the number that was asked for */
typedef void sup_team_work(void *user, int thread);
/** One item of a loop. */
typedef void sup_team_item(void *user, int item, int thread);

/** Number of threads available here: 1 inside a team's work. */
int sup_team_size(void);
/** Run work on up to the given number of threads, the caller included.  If another thread of the
 * process holds the helpers, the caller works alone. */
void sup_team_run(int threads, sup_team_work *work, void *user);
/** Items 0 .. count of a loop, each once, taken in this order. */
void sup_team_for(int threads, int count, sup_team_item *item, void *user);
