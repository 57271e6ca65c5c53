/** `run --estimate` and `static --estimate`: error bars of their results.  Layer app. */
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

/** Read the options of `run` or `static`, run the simulation, close it, and estimate its errors
 * when the options ask for it.
 *  @param[in] usage, example  for its help
 *  @param[in] run             the command itself
 *  @return exit code */
int sup_app_run_with_estimate(bool is_static, const char *usage, const char *example,
                              int (*run)(sup_simulation *simulation, int argc, char **argv),
                              int argc, char **argv);
/** Print the cost of the repeats: cells, time, memory. */
void sup_app_print_costs(const sup_estimate *estimate, FILE *out);
