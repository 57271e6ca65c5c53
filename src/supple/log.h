/** Warnings and notes go to a callback; silent until one is set.  Threads of a step.
 * Version. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sup_log_level { SUP_LOG_NOTE, SUP_LOG_WARNING } sup_log_level;
typedef void sup_log_function(sup_log_level level, const char *message, void *user);

/** Set the receiver of messages for the whole process; NULL silences.  Not to be called while
 * others log; the receiver may be called from any thread that loads, builds or steps. */
SUP_API void sup_log_set(sup_log_function *function, void *user);

/** Threads that a call from this thread may use, 1 or more; until it is set OpenMP's number
 * (OMP_NUM_THREADS, else all cores).  Results have the same bits for any number. */
SUP_API void sup_threads_set(int threads);
/** "0.2.0 (commit)" of the library. */
SUP_API const char *sup_version(void);

#ifdef __cplusplus
}
#endif
