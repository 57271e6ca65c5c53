/** Scene of a study at values of its parameters, with all that load steps need.  Layer study. */
#pragma once

#include "adjoint/load_gradient.h"
#include "adjoint/motion_path.h"
#include "study/study.h"

typedef struct sup_study_point {
  sup_scene     *scene;
  sup_model     *model;
  sup_state     *state;
  sup_stepper   *stepper;
  sup_column_def def;
  sup_load_scene load;
} sup_study_point;

/** Scene, model and state of the study.  Empty on failure.
 *  @param[in] value  [num_parameters] in their units */
SUP_NODISCARD sup_status sup_study_point_create(sup_study_point *point, const sup_study *study,
                                                const double *value);
void                     sup_study_point_free(sup_study_point *point);

enum { SUP_MAX_TERMS = 2 * SUP_MAX_QUANTITIES };

/** Quantities of a study at their present values by terms, each a sum over the rows of a column of
 * its own: one of a column, two of a table by another column, none of a sum. */
typedef struct sup_study_objectives {
  double             value[SUP_MAX_QUANTITIES];
  int                num; /* terms */
  int                quantity[SUP_MAX_TERMS];
  const char        *column[SUP_MAX_TERMS];
  sup_load_objective objective[SUP_MAX_TERMS];
} sup_study_objectives;

/** Run the load steps of a point, or its motion with runs beside it; weights of the rows at its
 * values.  E_ARG: a quantity of the summary; E_INTERRUPTED, E_NOT_CONVERGED.  Empty on failure.
 *  @param[in] memory  as of sup_motion_run */
SUP_NODISCARD sup_status sup_study_point_run(const sup_study_point *point, const sup_study *study,
                                             sup_motion_beside *beside, int num_beside,
                                             double memory, sup_load_path *path,
                                             sup_study_objectives *objectives);
void                     sup_study_objectives_free(sup_study_objectives *objectives);
