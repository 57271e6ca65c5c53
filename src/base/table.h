/** Piecewise linear tables over time.  Layer base. */
#pragma once

#include "base/status.h"

/** value [width] at time t; constant outside.  An empty table leaves `value` as it is. */
void sup_table_at(const sup_table *table, double t, double *value);
/** Mean [width] over t0 < t1, exact.  An empty table leaves `value` as it is. */
void sup_table_mean(const sup_table *table, double t0, double t1, double *value);
SUP_NODISCARD sup_status sup_table_copy(sup_table *to, const sup_table *from);
void                     sup_table_free(sup_table *table);
