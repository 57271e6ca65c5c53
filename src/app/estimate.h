/** `run --estimate` and `static --estimate`: error bars of what they give.  Layer app. */
#pragma once

#include "app/simulation.h"

#define SUP_APP_ESTIMATE_USAGE                                                                     \
  "--estimate repeats it with half the time step (run) or twice the load steps (static) and with " \
  "every soft body's\n"                                                                            \
  "mesh refined, in DIR/estimate, and gives motions, forces, energies and stress an error bar: "   \
  "DIR/estimate.csv,\n"                                                                            \
  "DIR/estimate.json."

/** Run the simulation, whose options are read, close it, and estimate its errors when they ask for
 * it.
 *  @param[in] run  the command itself
 *  @return exit code */
int sup_app_run_with_estimate(sup_simulation *simulation, int is_static,
                              int (*run)(sup_simulation *simulation, int argc, char **argv),
                              int argc, char **argv);
