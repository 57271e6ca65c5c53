/** A run of motion, and runs beside it that share its factors (THEORY 24.5).  Layer adjoint.
 *
 *  Each step beside the run searches its contacts, has the schemes of bodies and rows of limits of
 * the run, and is solved to round-off from the velocities of the run, by Newton steps with the
 * factor of the run.  Steps that are not solved so, or of a run that needs more than one search
 * (sup_stepper_can_repeat), are those of the stepper. */
#pragma once

#include "adjoint/load_path.h"

/** A run beside, of equal cells and unknowns. */
typedef struct sup_motion_beside {
  const sup_load_scene *scene; /* outlives the run */
  double               *value; /* [rows][num_columns], as sup_load_path.value */
  size_t                capacity;
} sup_motion_beside;

/** Run a scene to its end, with rows as those of history.csv, and the runs beside it; num_steps + 1
 * is the number of rows.  E_NOT_CONVERGED as sup_step; E_ARG as sup_load_scene_check, or for steps
 * of controlled length.  Empty on failure.
 *  @param[in] memory  of the process with records of the run in path->step [byte]; 0: none */
SUP_NODISCARD sup_status sup_motion_run(sup_load_path *path, const sup_load_scene *scene,
                                        const char *const *column, int num_columns,
                                        sup_motion_beside *beside, int num_beside, double memory);
/** Record m := state at the start and solution of its step, by steps of the path's stepper from the
 * state that was kept last before it, with equal bits. */
SUP_NODISCARD sup_status sup_motion_path_recall(sup_load_path *path, int m);
void                     sup_motion_beside_free(sup_motion_beside *beside);
