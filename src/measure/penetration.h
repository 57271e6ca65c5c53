/** Penetration of bodies in the course of a run, by geometry (collide/overlap.h). Layer measure. */
#pragma once

#include "collide/overlap.h"

typedef struct sup_penetration {
  sup_overlaps overlaps;
  long         measures;        /* states that were measured */
  long         looks;           /* cost, see sup_overlaps */
  double       depth_max;       /* of all pairs [m] */
  double       rigid_depth_max; /* of pairs of rigid bodies without a pressure field [m] */
  double       rigid_time;      /* of that [s] */
  int          rigid_body[2];   /* SUP_NONE: nothing overlapped */
} sup_penetration;

SUP_NODISCARD sup_status sup_penetration_begin(sup_penetration *penetration,
                                               const sup_model *model);
void                     sup_penetration_free(sup_penetration *penetration);
/** Measure the bodies at time t [s], unless measurements have cost too much relative to the steps
 * so far: then states are skipped, except the first and those that must be measured.
 *  @param[in]  steps, contacts  done so far, and contacts in all of them
 *  @param[out] measured         1: `overlaps` is that of this state */
SUP_NODISCARD sup_status sup_penetration_measure(sup_penetration *penetration, double t, long steps,
                                                 long contacts, const sup_frame *X_WL,
                                                 const double *x, bool must, int *measured);
/** Two rigid bodies without compliance: their overlap is no deformation. */
bool sup_pair_is_rigid(const sup_model *model, const sup_pair *pair);
