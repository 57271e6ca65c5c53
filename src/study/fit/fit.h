/** Fit of a scene's parameters to measured curves: experiments, the search by Gauss and Newton,
 * what the data say about each parameter.  Layer study. */
#pragma once

#include "scene/schema/reader.h"
#include "study/fit/least_squares.h"
#include "study/level_runner.h"

enum { SUP_MAX_EXPERIMENTS = 16, SUP_FIT_TEXT_SIZE = 512 };

/** A measured curve and the columns of history.csv that stand for it. */
typedef struct sup_experiment {
  char                name[SUP_NAME_MAX];
  char                data[SUP_STUDY_PATH_SIZE]; /* CSV */
  char                heading[2][SUP_NAME_MAX];  /* of its columns; "": the first two */
  sup_quantity_def    x;                         /* column of history.csv */
  int                 num_y;
  sup_quantity_def    y[3]; /* [num_y] columns; of several the length of their vector counts */
  sup_node           *set;  /* overrides, or NULL */
  double              weight;
  bool                is_held_back;          /* predicted, not fitted */
  double              relative, absolute;    /* scatter: share of the value, and [unit of y] */
  char                scatter[SUP_NAME_MAX]; /* its column in the file, or "" */
  sup_source_position place;
  int                 num;                                 /* of points */
  double             *measured_x, *measured_y, *deviation; /* [num] */
  double             *found_y; /* [num] of the scene at the best parameters */
} sup_experiment;

struct sup_fit {
  int            num_experiments;
  sup_experiment experiment[SUP_MAX_EXPERIMENTS];
  int            rounds;    /* most steps of the search */
  double         tolerance; /* of a step, over the parameters, and of the decrease, over the sum */
  double         need;      /* estimated memory of a run [bytes] */
  /* results */
  int                num_points; /* that are fitted */
  int                steps, runs;
  bool               is_converged;
  double             start_cost, cost;
  double             size[SUP_MAX_PARAMETERS]; /* by which steps and intervals are measured */
  sup_fit_statistics statistics;               /* in units of the sizes */
  double from[SUP_MAX_PARAMETERS], to[SUP_MAX_PARAMETERS]; /* intervals of 95 % [unit] */
};

/** Read `fit` and `parameters` with the measured files. */
SUP_NODISCARD sup_status sup_fit_read(sup_study *study, const sup_section *section);
void                     sup_fit_destroy(sup_fit **fit);
/** Values and units of the parameters by the scene; columns of all experiments are checked. */
SUP_NODISCARD sup_status sup_fit_prepare(sup_study *study, sup_scene *scene, const char *columns);
/** Search; each round of runs has its folder below that of the runner, so that the same command
 * goes on.  Parameters of the study have the best values after it.  E_GEOMETRY: the scene cannot be
 * run at the start; E_INTERRUPTED, E_IO, E_PARSE: a run does not reach a measured x. */
SUP_NODISCARD sup_status sup_fit_run(sup_study *study, const sup_level_runner *runner);
/** "not identifiable: ...", "at its bound", ""; */
void sup_fit_remark(const sup_study *study, int parameter, char text[SUP_FIT_TEXT_SIZE]);
/** Root mean square of the residuals of an experiment over that of its values [-]; the largest
 * relative one in *largest. */
double sup_experiment_error(const sup_experiment *experiment, double *largest);
/** fit.json, fit.csv (parameters) and residuals.csv (points). */
SUP_NODISCARD sup_status sup_fit_write(const sup_study *study, const char *folder);
