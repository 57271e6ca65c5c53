/** `--check`: what a scene holds, what a run of it would leave and whether its first step succeeds.
 * Layer app. */
#pragma once

#include "app/simulation.h"

/** Report on stdout for `supple run --check` of an opened simulation; takes one step.
 *  @return exit code */
int sup_app_check_run(sup_simulation *simulation);
/** The same for `supple static --check`; solves, writes nothing. */
int sup_app_check_static(sup_simulation *simulation);
