/** What the parts of `make bench` share. */
#pragma once

/** A line of the table and an entry of bench.json. */
void bench_report(const char *name, double value, const char *unit, int runs);
/** Print the library's last message; returns 1. */
int bench_fail(void);
/** Clutter of 40 to 640 objects from the scenes of this folder (clutterN.yaml, clutter160deep.yaml), and balls in a
 * box. 0: done. */
int bench_rigid(const char *scenes);
