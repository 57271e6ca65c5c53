/** Lengths of load steps (THEORY 18.1).  Private to layer step. */
#pragma once

/** Longest length of the next load step after one of length h, `wanted` as long, that took so many
 * iterations; at most `full`. */
double sup_load_cuts_next(double full, double wanted, double h, int iterations);
/** True if half of h is too short a load step. */
int sup_load_cuts_is_last(double full, double h);
/** True if a shorter load step is hopeless: a body falls without end at both loads, or the error at
 * a small part of the load is as large as at first. */
int sup_load_cuts_is_hopeless(int cuts, int both_fall, double first_error, double error);
