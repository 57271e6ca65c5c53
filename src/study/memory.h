/** Memory of a run before it runs.  Layer study. */
#pragma once

#include "mesh/mesh.h"
#include "supple.h"

/** Bytes for so many cells without the factor of their matrix: less than a run needs. */
double sup_memory_of_cells(sup_cell_type type, double cells);
/** Bytes that a run of the model will hold, about: cells, and the factor of each soft body, whose
 * size is found by the run's own elimination order; contact and robots count nothing.  Takes about
 * the time of an ordering. */
SUP_NODISCARD sup_status sup_memory_of_model(const sup_model_def *model, double *bytes);
