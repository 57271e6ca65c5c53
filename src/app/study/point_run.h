/** Files of the run at a study's point while its adjoint keeps the steps, in the place of a run of
 * the first case.  Layer app. */
#pragma once

#include "app/simulation.h"
#include "app/study/command.h"
#include "base/file/folder_lock.h"
#include "study/gradient/adjoint.h"

typedef struct sup_app_point_run {
  sup_study              *study;
  const sup_level_runner *runner;
  sup_simulation          simulation; /* of the point's objects */
  sup_point_files         files;
  char                    folder[SUP_STUDY_PATH_SIZE];
  sup_folder_lock         lock;
  double                  start; /* wall time [s] */
  bool                    is_complete;
} sup_app_point_run;

/** Writer r->files of the first case of a study; r keeps its address. */
void sup_app_point_run_begin(sup_app_point_run *r, sup_study *study,
                             const sup_level_runner *runner);
/** Mark the case as complete, if it is, so that the runner does not repeat it. */
SUP_NODISCARD sup_status sup_app_point_run_end(sup_app_point_run *r);
