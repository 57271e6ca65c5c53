/** Propagation of impact errors along the flights of bodies, step by step.  Layer measure. */
#pragma once

#include "step/result.h"

typedef struct sup_flight_watch {
  double peak;            /* largest estimate of the present touch, as time.accuracy */
  double error;           /* of the velocity by the impacts so far, as time.accuracy */
  double way;             /* that it displaced the body by since, as time.accuracy */
  double touched, flown;  /* how long the body has touched; had flown before [s] */
  double carried, time;   /* largest error + way, and when [s] */
  double held;            /* estimate of the last steps in which contacts held, as time.accuracy */
  double slid, slid_time; /* way that it displaced slides by, as time.accuracy, and when [s] */
} sup_flight_watch;

/** Add a step; what touches for longer than it flew before has come to rest.  A body that begins to
 * slide keeps the error of its velocity, as friction does not know the speed.
 *  @param[in] flight  [count] of the step, whose end and duration these are
 *  @param[in] accuracy_time  T_c of the accuracy [s] */
void sup_flight_watch_step(sup_flight_watch *watch, int count, const sup_flight *flight,
                           double time, double dt, double accuracy_time);
