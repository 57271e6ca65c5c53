/** Memory of load steps, which outlives them.  Layer step. */
#pragma once

#include "base/memory.h"

typedef struct sup_statics {
  sup_arena *turn[2]; /* of iterations, in turns: memory of one is valid in the next */
  sup_arena *inner;   /* of a search for contacts with the analysis, then of the convex problem's
                         solution: forgotten with the next of either */
  sup_arena *kept;    /* the result of the last load step that found its equilibrium */
} sup_statics;

SUP_NODISCARD sup_status sup_statics_create(sup_statics **statics);
void                     sup_statics_destroy(sup_statics **statics);
