/** Order of bodies by size: the larger of two bodies offers depth to the surface of the other.
 * Layer model, private.  Bodies of equal shape are compared by quantities that are invariant to
 * rotation, translation, mirroring, units, names and a moving frame of reference: mass, then
 * positions and velocities relative to all other bodies at the start.  If these are equal, too, the
 * scene is its own image. */
#pragma once

#include "model/model.h"

enum { SUP_SIZE_KEYS = 12 };

typedef struct sup_body_size {
  double    key[SUP_SIZE_KEYS]; /* the first key that differs decides */
  sup_frame X_WL;               /* at the start */
} sup_body_size;

/** size [num_bodies] of links; E_MEMORY.  The caller frees it. */
SUP_NODISCARD sup_status sup_body_sizes(const sup_model *model, sup_body_size **size);
bool                     sup_body_is_larger(const sup_body_size *i, const sup_body_size *j);
