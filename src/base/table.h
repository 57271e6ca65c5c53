/** Tables and sines over time.  Layer base. */
#pragma once

#include "base/status.h"
#include "supple/shape.h"

/** value [width] at time t; constant outside.  An empty table leaves `value` as it is. */
void sup_table_at(const sup_table *table, double t, double *value);
/** Mean [width] over t0 < t1, exact.  An empty table leaves `value` as it is. */
void sup_table_mean(const sup_table *table, double t0, double t1, double *value);
/** Largest speed of value 0 between rows, and *when := a time of it, of a straight way its begin.
 */
double sup_table_fastest(const sup_table *table, double *when);
/** First time after t at which the slope jumps by more than `jump` a second in any value, or at
 * which a smooth table begins or ends to move as fast in the mean; infinite: there is none. */
double                   sup_table_next_corner(const sup_table *table, double t, double jump);
SUP_NODISCARD sup_status sup_table_copy(sup_table *to, const sup_table *from);
void                     sup_table_free(sup_table *table);
