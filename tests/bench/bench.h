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

enum { BENCH_MAX_STEPS = 2000 };

/** What steps cost. */
typedef struct bench_totals {
  int    steps;
  double ms;                    /* processor time per step in the mean, as other programs state theirs */
  double contacts, iterations;  /* means per step */
  double phase[SUP_NUM_PHASES]; /* mean wall time [ms] */
  /* of each step [ms] */
  double wall[BENCH_MAX_STEPS], processor[BENCH_MAX_STEPS], phase_wall[SUP_NUM_PHASES][BENCH_MAX_STEPS];
} bench_totals;

/** One of several runs. */
typedef struct bench_case {
  const char          *name;
  const sup_model_def *def;
  int                  threads;
  double               head_start; /* made before the others begin [s] */
} bench_case;

/** Steps from `begin` to `end` [s]; those before are made, too.  The cases take turns step by step, so that others who
 *  use the machine are in the way of all alike.
 *  @param[out] out  [num_cases] */
SUP_NODISCARD sup_status bench_steps(const bench_case *cases, int num_cases, double begin, double end,
                                     bench_totals *out);
void                     bench_report_totals(const char *scene, const bench_totals *t, int with_phases);
/** Medians over the steps of time over the time of the same step of `base`: of steps and of the phases that make
 *  contacts and solve; processor time and number of contacts over all steps. */
void bench_report_ratios(const char *scene, const bench_totals *t, const bench_totals *base);
/** 160 balls of 5 cm and 0.5 kg that fall into a box of 0.5 m, friction 0.5, steps of 10 ms.
 *  @param[in] contact  of balls and walls
 *  @param[in] modulus  of the balls' pressure fields [Pa]; 0: none */
sup_model_def bench_balls(const sup_contact_def *contact, double modulus);

/** Clutter of 40 to 640 objects from the scenes of this folder (clutterN.yaml, clutter160deep.yaml), and balls in a
 * box. 0: done. */
int bench_rigid(const char *scenes);
/** FinRay-S finger of many meshes: error of its stiffness against the time of a step. */
int bench_accuracy(void);
/** Pressure fields: balls in a box, polygons and fans, one and two threads; the narrow phase alone. */
int bench_fields(void);
