/** Gradient of a study by the adjoint of its load steps.  Layer study. */
#pragma once

#include "study/gradient/gradient.h"

/** True if `gradient.method` asks for the adjoint, or leaves the choice and it pays. */
bool sup_gradient_wants_adjoint(const sup_study *study);
/** Fill study->gradient.adjoint.  The study is prepared.  E_ARG: the adjoint does not have what the
 * study asks for; the message says what does. */
SUP_NODISCARD sup_status sup_gradient_run_adjoint(sup_study *study);
