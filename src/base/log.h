/** Warnings and notes go to a callback; silent until one is set.  Layer base. */
#pragma once

#include "supple.h"

typedef enum sup_log_level { SUP_LOG_NOTE, SUP_LOG_WARNING } sup_log_level;
typedef void sup_log_function(sup_log_level level, const char *message, void *user);

/** Set the receiver of messages for the whole process; NULL silences.  Not to be called while
 * others log. */
void sup_log_set(sup_log_function *function, void *user);
void sup_log(sup_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
