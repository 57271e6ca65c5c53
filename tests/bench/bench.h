/** What the parts of `make bench` share. */
#pragma once

#include "supple.h"

/** A line of the table and an entry of bench.json. */
void bench_report(const char *name, double value, const char *unit, int runs);
/** Print the library's last message; returns 1. */
int bench_fail(void);
/** The value in the middle; sorts. */
double bench_median(double *value, int n);
/** Slope of log y against log x, least squares. */
double bench_exponent(const double *x, const double *y, int n);

/** What steps cost. */
typedef struct bench_totals {
  int    steps;
  double ms;                    /* processor time per step in the mean, as other programs state theirs */
  double median_ms;             /* of the wall time of a step */
  double contacts, iterations;  /* means per step */
  double phase[SUP_NUM_PHASES]; /* mean wall time [ms] */
} bench_totals;

/** Steps from `begin` to `end` [s]; those before are made, too. */
SUP_NODISCARD sup_status bench_steps(const sup_model_def *def, double begin, double end, bench_totals *out);
void                     bench_report_totals(const char *scene, const bench_totals *t, int with_phases);
/** 160 balls of 5 cm and 0.5 kg that fall into a box of 0.5 m, friction 0.5, steps of 10 ms.
 *  @param[in] contact  of balls and walls
 *  @param[in] modulus  of the balls' pressure fields [Pa]; 0: none */
sup_model_def bench_balls(const sup_contact_def *contact, double modulus);

/** Clutter of 40 to 640 objects from the scenes of this folder (clutterN.yaml, clutter160deep.yaml), and balls in a
 * box. 0: done. */
int bench_rigid(const char *scenes);
/** Pressure fields: balls in a box, polygons and fans, one and two threads; the narrow phase alone. */
int bench_fields(void);
