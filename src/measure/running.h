/** Running statistics of one number over the steps of a run.  Which observables keep them, and
 * under which names summary.json tells them, say the rows of measure/observable.c.  Layer measure.
 */
#pragma once

/** Statistic that a run keeps of an observable. */
typedef enum sup_statistic {
  SUP_STATISTIC_NONE,
  SUP_STATISTIC_MAX,
  SUP_STATISTIC_MEAN_AND_MAX,
  SUP_STATISTIC_FINAL
} sup_statistic;

typedef struct sup_running {
  double max;      /* largest, at least 0; a NaN never is */
  double max_time; /* when it was largest [s] */
  int    max_body; /* whom it concerned then, or SUP_NONE */
  double sum;
  long   count; /* numbers in the sum */
  double final; /* the last one that was finite; 0 before any */
} sup_running;

/** Start without any number. */
void sup_running_begin(sup_running *running);
void sup_running_add(sup_running *running, double value, double time, int body);
/** Mean; 0 before any number. */
double sup_running_mean(const sup_running *running);
