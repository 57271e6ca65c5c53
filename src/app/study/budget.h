/** `supple converge` of a study with an error budget.  Layer app. */
#pragma once

#include "study/level_runner.h"

/** Run the scene and its repeats, print the parts of each quantity's error, write
 * estimate.csv and estimate.json.
 *  @param[in] study          as loaded
 *  @param[in] schedule       how levels are run
 *  @param[out] num_warnings  WARN lines of all runs
 *  @return exit code */
int sup_app_budget(const sup_study *study, sup_level_runner *schedule, int *num_warnings, int quiet,
                   int verbose);
/** Print the repeats of the budget and their cost.  @return exit code */
int sup_app_budget_check(const sup_study *study, const char *program, double memory, int verbose);
