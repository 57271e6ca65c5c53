/** Share of the contact layers in the compliance of soft bodies in contact.  Layer measure.
 *
 *  A soft surface meets the other body through a layer of stiffness C per area (THEORY 15.3), in
 * series with the body: an error that vanishes with the mesh.  A soft body's own deflection under
 * its contacts is that of Clapeyron's theorem, twice its elastic energy over the sum of their
 * normal forces; what other loads store counts as if contacts did. */
#pragma once

#include "measure/observation.h"

/** Sums over frames of normal force times depth, so that light touches hardly count. */
typedef struct sup_softening {
  double layer; /* depth in the layers [J] */
  double field; /* in the pressure field of a compliant body, a compliance that was asked for [J] */
  double own;   /* deflection of the soft bodies of the pair [J] */
} sup_softening;

/** Share of the soft bodies' own deflection [-]; 0 when nothing pressed. */
static inline double sup_softening_share(double depth, const sup_softening *s) {
  return depth > 0 ? depth / s->own : 0;
}
/** Add a frame; `softening` [obs->num_pairs] stays zero for pairs of rigid bodies.
 *  @param force [num_softs] scratch */
void sup_softening_add(sup_softening *softening, const sup_observation *obs, double *force);
