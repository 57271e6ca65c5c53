/** Numbers gathered over the steps of a run, for summary.json and the closing lines of the program.  Layer output. */
#pragma once

#include "base/status.h"
#include "model/model.h"
#include "step/result.h"

typedef struct sup_statistics {
  long    steps;
  long    frames;
  double  time;                  /* of the last step [s] */
  double  wall_start;            /* sup_wall_time() at creation */
  double  wall_output;           /* spent in the output layer [s] */
  double  phase[SUP_NUM_PHASES]; /* sums of sup_step_report.seconds [s] */
  size_t  seconds_capacity;
  double *step_seconds; /* [steps] */
  long    newton_sum, contacts_sum;
  int     newton_max, contacts_max;
  int     sweeps_max;
  double  momentum_error_max;        /* relative */
  double  momentum_error_time;       /* when it was largest [s] */
  double  penetration_max;           /* [m] */
  int     inverted_max;              /* cells */
  long    not_converged;             /* steps with a negative reason */
  double  energy_first, energy_last; /* kinetic + elastic + potential [J] */
  double  energy_low;                /* lowest so far [J] */
  double  energy_growth;             /* largest rise above the lowest [J] */
  double  energy_scale;              /* largest kinetic + elastic, or change of potential, so far [J] */
  long    nonfinite;                 /* numbers that were NaN or infinite and kept out of the files */
  double  feature_size;              /* smallest edge of a soft element or size of a rigid shape [m]; 0: no bodies */
  int     is_driven;                 /* actuators, base motions or tractions can add energy */
  double  tolerance;                 /* of the momentum error */
} sup_statistics;

/** Facts of the model; everything else zero. */
void sup_statistics_begin(sup_statistics *statistics, const sup_model *model);
/** Energies of the start. */
void sup_statistics_initial(sup_statistics *statistics, double kinetic, double elastic, double potential);
SUP_NODISCARD sup_status sup_statistics_step(sup_statistics *statistics, const sup_step_result *result,
                                             const sup_step_report *report);
void                     sup_statistics_free(sup_statistics *statistics);
/** Seconds of a step: mean, median, largest. */
typedef struct sup_step_seconds {
  double mean, median, max;
} sup_step_seconds;
SUP_NODISCARD sup_status sup_statistics_seconds(const sup_statistics *statistics, sup_step_seconds *seconds);
