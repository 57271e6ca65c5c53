/** `run --estimate` and `static --estimate`: error bars of what they give.  Layer app. */
#pragma once

#include "app/simulation.h"
#include "study/estimate.h"

#define SUP_APP_ESTIMATE_USAGE                                                                   \
  "--estimate repeats it with half the time step (run) or twice the load steps (static), with "  \
  "every soft body's\n"                                                                          \
  "mesh refined and with contact layers twice as stiff, in DIR/estimate, and gives motions, "    \
  "forces, energies and\n"                                                                       \
  "stress an error bar: DIR/estimate.csv, DIR/estimate.json.  --models adds what other contact " \
  "models give, apart."

/** Run the simulation, whose options are read, close it, and estimate its errors when they ask for
 * it.
 *  @param[in] run  the command itself
 *  @return exit code */
int sup_app_run_with_estimate(sup_simulation *simulation, int is_static,
                              int (*run)(sup_simulation *simulation, int argc, char **argv),
                              int argc, char **argv);
/** Print the cost of the repeats: cells, time, memory. */
void sup_app_print_costs(const sup_estimate *estimate, FILE *out);
