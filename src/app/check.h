/** `--check`: contents of a scene, files of its run, success of its first step.
 * Layer app. */
#pragma once

#include "app/simulation.h"

/** Report on stdout for `supple run --check` or `supple static --check` of a simulation that is not
 * open yet: what it holds, the memory that it needs, and its first step or its solution, where they
 * take seconds; writes nothing.  A scene that the memory at hand does not hold is not built.
 *  @return exit code */
int sup_app_check(sup_simulation *simulation, bool is_static);
