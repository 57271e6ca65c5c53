/** Error bars of one run: its key quantities once more with half the time step, or twice the load
 * steps of an equilibrium (friction and what buckles depend on the way), and with refined meshes.
 * Layer study.
 *
 *  Life cycle: create (reads the scenes of all repeats: what is wrong, or needs too much memory, is
 * told before anything runs), run its study (study/level_runner.h), evaluate, write, destroy.
 *
 *  value(h) = limit + C h^p, each h being halved: value - limit = (value(h) - value(h/2)) 2^p/(2^p
 * - 1).  With one repeat p is taken to be 1, the lowest order that a sound discretisation has
 * (implicit Euler in time; corners and contact bring meshes down to it); with more meshes it is the
 * observed one, at most 2.  The error bar is 1.25 times that, the safety factor of the GCI
 * (convergence.h), and the sum over time step and mesh. */
#pragma once

#include "study/study.h"

enum { SUP_MAX_REFINEMENTS = 3, SUP_ESTIMATE_TEXT_SIZE = 400 };

typedef struct sup_estimate_def {
  const char        *program; /* path of supple itself */
  const char        *scene;
  const char *const *sets; /* [num_sets] "KEY=VALUE" of the run */
  int                num_sets;
  int                threads;   /* 0: the scene's */
  int                num_ranks; /* as of sup_study */
  int                is_static;
  int                refinements; /* 1 to SUP_MAX_REFINEMENTS */
  double             memory;      /* that a repeat may take [bytes] */
} sup_estimate_def;

/** Error of a value by one kind of refinement. */
typedef struct sup_error_bar {
  double error; /* half width; SUP_NO_NUMBER: not converged */
  double order; /* observed; SUP_NO_NUMBER: taken to be 1 */
} sup_error_bar;

/** @param[in] finer  [num_finer >= 1] the value with h/2, h/4, ... */
sup_error_bar sup_error_bar_of(double value, const double *finer, int num_finer);

typedef struct sup_estimate_row {
  sup_quantity_def def;
  int              group;       /* rows of one group are compared in size */
  int              is_left_out; /* while rows are selected */
  double           value;
  double        repeat[1 + SUP_MAX_REFINEMENTS]; /* half step, meshes; SUP_NO_NUMBER: did not run */
  sup_error_bar step, mesh;                      /* errors 0: has no such repeat */
  double        error;                           /* sum of both; SUP_NO_NUMBER: none can be told */
  char          text[SUP_ESTIMATE_TEXT_SIZE];    /* "5.2 N +- 0.4 N (8 %): mesh 7 %, step 1 %" */
} sup_estimate_row;

typedef struct sup_estimate {
  sup_study        *study;        /* one family of one level each: "step", "mesh", "mesh_2", ... */
  int               has_accuracy; /* the finer step is a smaller time.accuracy */
  int               num_meshes;
  double            cells; /* of all soft bodies in the run itself */
  int               num_rows;
  sup_estimate_row *row; /* [num_rows] */
  int               num_small,
      num_exact; /* rows that were left out: below 1 % of their group; the same in all runs */
  char advice[2 * SUP_ESTIMATE_TEXT_SIZE];
  char finer_mesh[SUP_ESTIMATE_TEXT_SIZE],
      finer_step[SUP_NAME_MAX]; /* overrides of the first repeats */
  char *columns;                /* private: names of the rows */
} sup_estimate;

/** E_ARG: a refined mesh needs more memory than given.  Else as sup_scene_load. */
SUP_NODISCARD sup_status sup_estimate_create(sup_estimate **estimate, const sup_estimate_def *def);
void                     sup_estimate_destroy(sup_estimate **estimate);
/** Values, error bars and words from the run's folder and those of the repeats that are complete,
 * which are below repeats_folder. */
SUP_NODISCARD sup_status sup_estimate_evaluate(sup_estimate *estimate, const char *folder,
                                               const char *repeats_folder);
/** estimate.json and estimate.csv. */
SUP_NODISCARD sup_status sup_estimate_write(const sup_estimate *estimate, const char *folder);

/** Rows for the key quantities among the columns of history.csv.  The line of names is cut up; rows
 * point into it.
 *  @param[out] row  to be freed by the caller */
SUP_NODISCARD sup_status sup_key_quantities(char *columns, int is_static, sup_estimate_row **row,
                                            int *num_rows);
