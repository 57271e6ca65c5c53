/** Warnings and notes go to the receiver of sup_log_set (supple/log.h).  Layer base. */
#pragma once

#include "supple/log.h"

void sup_log(sup_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
