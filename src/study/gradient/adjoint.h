/** Gradient of a study by the adjoint of its load steps.  Layer study. */
#pragma once

#include "study/gradient/gradient.h"
#include "study/gradient/point.h"

/** Writer of the files of the run at the point, whose steps are records of the adjoint at the same
 * time. */
typedef struct sup_point_files {
  sup_status (*begin)(void *user, sup_study_point *point);
  void (*end)(void *user, bool is_complete); /* also after a failure; the point ends then */
  sup_motion_watch watch;
} sup_point_files;

/** True if `gradient.method` asks for the adjoint, or leaves the choice and it pays. */
bool sup_gradient_wants_adjoint(const sup_study *study);
/** Fill study->gradient.adjoint.  The study is prepared.  E_ARG: the adjoint does not have what the
 * study asks for; the message says what does.
 *  @param[in] files  NULL: none; not begun for load steps and tangents */
SUP_NODISCARD sup_status sup_gradient_run_adjoint(sup_study *study, const sup_point_files *files);
