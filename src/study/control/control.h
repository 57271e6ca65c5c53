/** Optimal control of a scene: controls, cost and horizon of a study, and the trajectory that they
 * ask for.  Layer study. */
#pragma once

#include "control/trajectory.h"
#include "scene/schema/reader.h"
#include "study/study.h"

/** Receding horizon: the optimisation is repeated from the state that is reached. */
typedef struct sup_receding {
  double horizon;    /* looked ahead at a time [s]; 0: the horizon moves not */
  int    apply;      /* steps until the next optimisation */
  int    iterations; /* of each optimisation but the first */
} sup_receding;

struct sup_control_study {
  double       horizon; /* [s]; 0: to the scene's end */
  double       weight;  /* of squared controls */
  int          has_limits, max_iterations;
  double       tolerance;
  sup_receding receding;
  /* by the scene */
  sup_node        *efforts, *targets, *costs;
  sup_scene       *scene;
  sup_model       *model;
  sup_state       *start;
  int              num_steps, num_controls, num_terms; /* steps of the whole task */
  sup_control_def *controls;                           /* [num_controls] */
  double          *low, *high, *effort;                /* [num_controls] */
  sup_cost_term   *terms;                              /* [num_terms] */
  char (*term_name)[2 * SUP_NAME_MAX];                 /* [num_terms] columns of control.csv */
  size_t control_capacity, term_capacity, name_capacity, bound_capacity[3];
  /* results */
  double         *u;              /* [num_steps x num_controls] */
  double         *y;              /* [(num_steps + 1) x num_terms] */
  int             num_iterations; /* of all optimisations */
  double         *history;        /* [num_iterations x 3] cost, decrease, step */
  size_t          history_capacity;
  sup_ilqr_report report;      /* of the last optimisation */
  double          first, cost; /* of the first controls, and of those applied */
  int             num_rollouts, num_linearisations;
  double          seconds_rollouts, seconds_derivatives; /* sums */
  double         *gains; /* [num_steps x num_u x num_x]; receding: NULL */
};

/** Read `control`. */
SUP_NODISCARD sup_status sup_control_read(sup_study *study, const sup_section *section);
void                     sup_control_study_destroy(sup_control_study **control);
/** Load the scene, find names of controls and terms in it. */
SUP_NODISCARD sup_status sup_control_prepare(sup_study *study);
/** Told after every iteration; not 0: stop. */
typedef int sup_control_progress(void *user, const sup_control_study *control,
                                 const sup_ilqr_report *report, double alpha);
/** Optimise, and run the controls that were found.
 *  @param[in] threads  of derivatives; 0: all */
SUP_NODISCARD sup_status sup_control_run(sup_study *study, int threads,
                                         sup_control_progress *progress, void *user);
/** Column of a control in control.csv. */
void sup_control_name(const sup_control_study *control, int i, char text[3 * SUP_NAME_MAX]);
/** control.csv, iterations.csv, gains.csv and control.json. */
SUP_NODISCARD sup_status sup_control_write(const sup_study *study, const char *folder);
