/** The larger of two bodies, which offers depth to the surface of the other.  Layer model, private.
 *
 *  Bodies of one shape are told apart by what a turn, a shift, a mirror, other units, other names
 * and a train from which they are watched leave alone: mass, then places and motions relative to
 * all others at the start.  Where these are alike, too, the scene is its own image. */
#pragma once

#include "model/model.h"

enum { SUP_SIZE_KEYS = 12 };

typedef struct sup_body_size {
  double    key[SUP_SIZE_KEYS]; /* the first that differs decides */
  sup_frame X_WL;               /* at the start */
} sup_body_size;

/** size [num_bodies] of links; E_MEMORY.  The caller frees it. */
SUP_NODISCARD sup_status sup_body_sizes(const sup_model *model, sup_body_size **size);
bool                     sup_body_is_larger(const sup_body_size *i, const sup_body_size *j);
