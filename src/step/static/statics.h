/** Memory of load steps, which outlives them.  Layer step. */
#pragma once

#include "base/memory.h"

typedef struct sup_statics {
  sup_arena
      *turn[2]; /* arenas of alternating iterations: memory of one iteration is valid in the next */
  sup_arena *inner; /* arena of a contact search with analysis, then of the convex problem's
                       solution; reset by each */
  sup_arena *kept;  /* the result of the last load step that found its equilibrium */
} sup_statics;

SUP_NODISCARD sup_status sup_statics_create(sup_statics **statics);
void                     sup_statics_destroy(sup_statics **statics);
