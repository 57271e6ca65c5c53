/** Propagation of impact errors along the flights of bodies, step by step.  Layer measure. */
#pragma once

#include "step/result.h"

typedef struct sup_flight_watch {
  double peak;            /* largest estimate of the present touch, as time.accuracy */
  double error;           /* error of the velocity by impacts so far, as time.accuracy */
  double way;             /* displacement by that error since, as time.accuracy */
  double touched, flown;  /* durations of the touch, of the flight before [s] */
  double carried, time;   /* largest error + way, its time [s] */
  double held;            /* estimate of the last steps in which contacts held, as time.accuracy */
  double slid, slid_time; /* displacement of slides by held, as time.accuracy; its time [s] */
} sup_flight_watch;

/** Add a step; what touches for longer than it flew before has come to rest.  A body that begins to
 * slide keeps the error of its velocity, as friction has one size at any speed.
 *  @param[in] flight  [count] of the step, whose end and duration these are
 *  @param[in] accuracy_time  T_c of the accuracy [s] */
void sup_flight_watch_step(sup_flight_watch *watch, int count, const sup_flight *flight,
                           double time, double dt, double accuracy_time);
