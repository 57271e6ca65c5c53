/** Vectors of modes, and what is measured on them.  Private to layer step. */
#pragma once

#include "step/static/modes.h"
#include "step/static/static_equations.h"

typedef struct sup_mode_shapes {
  sup_static_equations equations; /* of a load step that ends at the state */
  sup_state           *state;
  sup_block_pattern    pattern; /* of K: A's with the couplings by contacts */
  double              *K, *M;   /* [N/m, N m], [kg, kg m^2] */
  sup_eigen_pairs      pairs;
} sup_mode_shapes;

/** The modes of modes->shapes->pairs. */
SUP_NODISCARD sup_status sup_mode_shapes_measure(sup_modes *modes);
void                     sup_mode_shapes_free(sup_mode_shapes *shapes);
