/** Observer of a simulator's steps, for layers above.  Layer simulator. */
#pragma once

#include "step/result.h"
#include "supple/simulator.h"

typedef struct sup_simulator_watch {
  void *user;
  /** Time at which steps of controlled length end [s]. */
  double (*next_time)(void *user);
  sup_status (*step)(void *user, const sup_state *state, const sup_step_result *result,
                     const sup_step_report *report);
  /** A step has failed; its message is that of the thread. */
  void (*fail)(void *user, const sup_step_report *report);
  /** The simulator is about to be destroyed. */
  void (*leave)(void *user);
} sup_simulator_watch;

/** Have the watch told of each step; up to its end the state is replaced by none.
 *  E_ARG: there is one. */
SUP_NODISCARD sup_status sup_simulator_watch_begin(sup_simulator             *simulator,
                                                   const sup_simulator_watch *watch);
void                     sup_simulator_watch_end(sup_simulator *simulator);
/** Model, options of the steps, and what is known at the present state. */
const sup_model         *sup_simulator_model(const sup_simulator *simulator);
const sup_options       *sup_simulator_options(const sup_simulator *simulator);
SUP_NODISCARD sup_status sup_simulator_result(sup_simulator          *simulator,
                                              const sup_step_result **result);
/** Momentum residual [num_vertices x 3] that a step has left which failed right now [N s]; NULL:
 * none is known. */
const double *sup_simulator_residual(const sup_simulator *simulator);
