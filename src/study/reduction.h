/** Reduction of a column of the history to a number, with its derivative by each row.  Layer
 * study. */
#pragma once

#include "study/study.h"

/** Rows of a run; SUP_NO_NUMBER: there is none. */
typedef struct sup_history_rows {
  int           num;
  const double *time, *value; /* [num] */
  const double *by;           /* [num] the other column of a table; NULL: time */
} sup_history_rows;

/** The quantity of a column, with its scale.  E_PARSE: no number in the window, a time or a point
 * of a table that is not reached.
 *  @param[out] weight     [num] := derivative by each value, or NULL
 *  @param[out] weight_by  [num] := derivative by each row of `by`, or NULL */
SUP_NODISCARD sup_status sup_rows_reduce(const sup_quantity_def *def, const sup_history_rows *rows,
                                         double *number, double *weight, double *weight_by);
/** First place where x passes `at` and y has numbers: between row i and the next, at a share of the
 * way.
 *  @return i, or SUP_NONE */
int sup_rows_pass(int num, const double *x, const double *y, double at, double *share);
