/** Percentiles of weighted values.  Layer measure. */
#pragma once

/** Room for one value. */
typedef struct sup_weighted {
  double value, weight;
} sup_weighted;

/** The least of the values such that it and those below have at least `share` of the weight; 0 when
 * there are none. Values that are no numbers count as the largest.
 *  @param[in]  share  0 .. 1
 *  @param[out] workspace   [count] scratch */
double sup_percentile(double share, int count, const double *value, const double *weight,
                      sup_weighted *workspace);
