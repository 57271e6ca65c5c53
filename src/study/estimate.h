/** Error budget of one run: its results repeated with half the time step (or twice the load steps
 * of an equilibrium, since friction and buckling depend on the path), with refined meshes, and with
 * contact layers twice as stiff; separately, with other contact models.  Layer study.
 *
 *  Life cycle: create (reads the scenes of all repeats, so that errors and excessive memory are
 * reported before any run), run its study (study/level_runner.h), evaluate, write, destroy.
 *
 *  value(h) = limit + C h^p, each h being halved: value - limit = (value(h) - value(h/2)) 2^p/(2^p
 * - 1).  With one repeat p is taken to be 1, the lowest order that a sound discretisation has
 * (implicit Euler in time; corners and contact bring meshes down to it; what a layer yields is
 * force over stiffness); with more repeats it is the observed one, at most 2.  The error bar is the
 * sum over time step, mesh and layer of 1.25 times this error; 1.25 is the safety factor of the GCI
 * (convergence.h).  The stiffness of layers is inversely proportional to cell thickness, hence
 * repeats with refined meshes soften the layers accordingly: each repeat changes a single quantity.
 */
#pragma once

#include "study/study.h"

enum { SUP_MAX_REFINEMENTS = SUP_MAX_HALVINGS, SUP_ESTIMATE_TEXT_SIZE = 400 };

typedef struct sup_estimate_def {
  const char        *program; /* path of supple itself */
  const char        *scene;
  const char *const *sets; /* [num_sets] "KEY=VALUE" of the run */
  int                num_sets;
  int                threads;   /* 0: the scene's */
  int                num_ranks; /* as of sup_study */
  int                is_static;
  sup_budget         budget; /* kind of repeat */
  double             memory; /* memory limit of a repeat [bytes] */
  const sup_study *study; /* study with its own quantities, where the run itself is a level, "base";
                             NULL: key quantities of an existing run */
} sup_estimate_def;

/** Error of a value by one kind of refinement. */
typedef struct sup_error_bar {
  double error; /* half width; SUP_NO_NUMBER: not converged */
  double order; /* observed; SUP_NO_NUMBER: taken to be 1 */
} sup_error_bar;

/** @param[in] finer  [num_finer >= 1] the value with h/2, h/4, ... */
sup_error_bar sup_error_bar_of(double value, const double *finer, int num_finer);
/** Error bar after halving h once more. */
double sup_error_bar_after_halving(const sup_error_bar *bar);

typedef struct sup_estimate_row {
  sup_quantity_def def;
  int              group;       /* rows of one group are compared in size */
  int              is_left_out; /* while rows are selected */
  double           value;
  double        repeat[SUP_MAX_FAMILIES]; /* of the study's families; SUP_NO_NUMBER: did not run */
  sup_error_bar part[SUP_NUM_SOURCES];    /* errors 0: has no such repeat */
  double        error;                    /* sum; SUP_NO_NUMBER: unknown */
  double        spread; /* largest less smallest value of contact models, this one included */
  char          text[SUP_ESTIMATE_TEXT_SIZE]; /* "5.2 N +- 0.4 N (8 %): mesh 7 %, step 1 %" */
} sup_estimate_row;

/** Refinement of a family of the study. */
typedef struct sup_repeat {
  int source;   /* sup_source; SUP_NONE: the run itself, or another model */
  int halvings; /* 1, 2, ... */
  int model;    /* sup_contact_model; SUP_NONE: that of the run */
} sup_repeat;

typedef struct sup_estimate {
  sup_study *study; /* one family of one level each: "step", "mesh", "mesh_2", ... */
  sup_repeat repeat[SUP_MAX_FAMILIES];
  double     cost[SUP_MAX_FAMILIES]; /* time over that of the run; SUP_NO_NUMBER: not known */
  int        num[SUP_NUM_SOURCES];   /* of repeats */
  int        num_models;
  int        has_accuracy; /* the finer step is a smaller time.accuracy */
  int        has_base;     /* the first family is the run */
  double     tolerance;    /* that was asked for; 0: none */
  double     cells;        /* of all soft bodies in the run itself */
  int        num_rows;
  sup_estimate_row *row; /* [num_rows] */
  int               num_small,
      num_exact;       /* number of omitted rows: below 1 % of their group, and equal in all runs */
  int   num_unwritten; /* of key quantities whose columns output.history leaves out */
  int   num_keys;      /* private: of the history of all columns; 0: it has all */
  char  advice[4 * SUP_ESTIMATE_TEXT_SIZE];
  char  remedy[SUP_NUM_SOURCES][SUP_ESTIMATE_TEXT_SIZE]; /* "--set 'KEY=VALUE'" that halves it */
  char *columns;                                         /* private: names of the rows */
} sup_estimate;

/** "step", "mesh", "layer" */
const char *sup_source_name(sup_source source);
/** E_ARG: a refined mesh needs more memory than given.  Else as sup_scene_load. */
SUP_NODISCARD sup_status sup_estimate_create(sup_estimate **estimate, const sup_estimate_def *def);
void                     sup_estimate_destroy(sup_estimate **estimate);
/** Values, error bars and words from the run's folder and those of the repeats that are complete,
 * which are below repeats_folder. */
SUP_NODISCARD sup_status sup_estimate_evaluate(sup_estimate *estimate, const char *folder,
                                               const char *repeats_folder);
/** estimate.json and estimate.csv. */
SUP_NODISCARD sup_status sup_estimate_write(const sup_estimate *estimate, const char *folder);

/** @return family of the k-th repeat of the source, from 1; SUP_NONE: has none */
int sup_estimate_find(const sup_estimate *estimate, sup_source source, int k);
/** Words of all rows and of the estimate (estimate_words.c). */
void sup_estimate_format(sup_estimate *estimate);
/** The families of the estimate's study, and the columns that the scene has (repeats.c). */
SUP_NODISCARD sup_status sup_estimate_plan(sup_estimate *estimate, const sup_estimate_def *def);

/** Rows for the key quantities among the columns of history.csv.  The line of names is cut up; rows
 * point into it.
 *  @param[out] row  to be freed by the caller */
SUP_NODISCARD sup_status sup_key_quantities(char *columns, bool is_static, sup_estimate_row **row,
                                            int *num_rows);
