/** `supple run --check`: what a scene holds, before anything moves.  Layer app. */
#pragma once

#include "model/model.h"

/** Print bodies, unknowns, mesh quality and initial overlaps.  E_MEMORY. */
SUP_NODISCARD sup_status sup_app_check(const sup_model *model, const sup_state *state);
