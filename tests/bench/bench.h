/** Declarations that the parts of `make bench` share. */
#pragma once

#include "la/linear_solver.h"
#include "scene/scene.h"
#include "supple.h"

/** A line of the table and an entry of bench.json. */
void bench_report(const char *name, double value, const char *unit, int runs);
/** Print the library's last message; returns 1. */
int bench_fail(void);
/** Processor time of this thread [s]: what others who use the machine stretch least. */
double bench_thread_time(void);
/** Time of all threads, with those that wait in a loop [s]. */
double bench_process_time(void);
/** The value in the middle; sorts. */
double bench_median(double *value, int n);
/** Median of a[i] / b[i]; n at most BENCH_MAX_STEPS. */
double bench_median_ratio(const double *a, const double *b, int n);
/** Slope of log y against log x, least squares. */
double bench_exponent(const double *x, const double *y, int n);

enum { BENCH_MAX_STEPS = 2000 };

/** Sizes of a step. */
typedef struct bench_size {
  double vertices, cells,
      vertex_pairs; /* of soft bodies; pairs of the vertices of a cell, over all cells */
  double triangles; /* of soft surfaces */
  double values;    /* of A */
} bench_size;

/** Costs of steps. */
typedef struct bench_totals {
  int             steps;
  uint64_t        hash; /* of the last state */
  bench_size      size;
  sup_linear_info factor;      /* of the last H */
  double ms, processor_ms;     /* means of `own`, as other programs state theirs, and `processor` */
  double contacts, iterations; /* means per step */
  double phase[SUP_NUM_PHASES]; /* mean [ms] */
  double analyses,
      analysis_share; /* share of steps that analyse H anew, and of their time that it takes */
  /* of each step [ms]; own: what it costs: processor time of one thread, which others who use the
   * machine stretch least, wall time of several; processor: of all threads */
  double        wall[BENCH_MAX_STEPS], own[BENCH_MAX_STEPS], processor[BENCH_MAX_STEPS];
  double        phase_wall[SUP_NUM_PHASES][BENCH_MAX_STEPS];
  unsigned char analysed[BENCH_MAX_STEPS];
} bench_totals;

/** One of several runs. */
typedef struct bench_case {
  const char      *name;
  const sup_scene *scene;
  int              threads;
  double           head_start; /* made before the others begin [s] */
} bench_case;

/** Steps from `begin` to `end` [s]; those before are made, too.  The cases take turns of 25 steps,
 * so that others who use the machine are in the way of all alike; a step is compared with the one
 * of its number.
 *  @param[out] out  [num_cases] */
SUP_NODISCARD sup_status bench_steps(const bench_case *cases, int num_cases, double begin,
                                     double end, bench_totals *out);
/** Median and mean of what a step costs; wall time beside it. */
void bench_report_totals(const char *scene, const bench_totals *t, int with_phases);
/** Medians over the steps of wall time over that of the same step of `base`, of steps and of their
 * phases; processor time and number of contacts over all steps. */
void bench_report_ratios(const char *scene, const bench_totals *t, const bench_totals *base);

/* ---- limits (limits.c) ----------------------------------------------------------------------- */

/** Rates of this machine, measured once in this run on one thread: dgemm [GFlop/s] and a + s b
 * [GB/s]. */
typedef struct bench_rates {
  double dgemm, stream;
} bench_rates;
bench_rates bench_measure_rates(void);
/** Time of so many flops and bytes at those rates (the larger of both): NAME.limit_ms and
 * NAME.times_limit. */
void bench_limit(const char *name, double ms, double flops, double bytes);
/** The same of each phase of a scene's steps, from what they must compute, read and write at least.
 */
void bench_limit_phases(const char *scene, const bench_totals *t);
/** Flops that assembling a cell of so many vertices takes at least. */
double bench_assembly_flops(double cells, double vertex_pairs);

/* ---- parts; 0: done -------------------------------------------------------------------------- */

/** Factor of named matrices against CHOLMOD's. */
int bench_factor(void);
/** Assembly per element: H8, T4, T10; bodies of 50,000 cells on one and two threads. */
int bench_assembly(void);
/** The grasp and the scenes of examples/peers: phases, one and two threads. */
int bench_peers(void);
/** The grasp driven through supple.h against its steps alone; states of one model side by side. */
int bench_library(void);
/** Growth with fingers, vertices and contacts; FOLDER holds what tests/bench/scenes.py wrote. */
int bench_growth(const char *scenes);
/** Clutter of 40 to 640 objects from the scenes of this folder (clutterN.yaml,
 * clutter160deep.yaml). */
int bench_rigid(const char *scenes);
int bench_trees(const char *scenes);
/** FinRay-S finger of many meshes: error of its stiffness against the time of a step. */
int bench_accuracy(void);
/** Pressure fields: examples/peers/balls_fields.yaml, polygons and fans, one and two threads; the
 * narrow phase alone.
 */
int bench_fields(void);
/** Scenes in two ways: BDF2, soft against soft; what output takes of runs of the program $SUPPLE.
 * FOLDER holds what tests/bench/scenes.py wrote. */
int bench_compare(const char *scenes);
/** PETSc: iterations, times and bytes per unknown from 10^3 unknowns on; no more than
 * $SUPPLE_BENCH_UNKNOWNS. */
int bench_petsc(void);
/** Cost of one of several ranks; tests/bench/ranks.py starts it under mpiexec. */
int bench_rank_work(void);
