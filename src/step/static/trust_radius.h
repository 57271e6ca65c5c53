/** Trust radius of an iteration of a load step: no body moves farther than contacts are searched
 * (THEORY 18.3).  Private to layer step. */
#pragma once

#include "collide/overlap.h"
#include "model/kinematics.h"

typedef struct sup_trust_radius {
  double radius; /* largest displacement of a vertex in one iteration [m] */
  double
      size; /* size of the bodies: diagonal of the largest soft body; 0.1 m without soft bodies */
} sup_trust_radius;

sup_trust_radius sup_trust_radius_of(const sup_model *model);
/** way [num_blocks] := largest displacements of the vertex or the joints of each block column from
 * the velocities `from` to `to` over h, with links at X_WL [m].  In models without pairs a joint
 * may turn by half a radian or slide a hundred times as far. */
void sup_trust_radius_displacements(sup_trust_radius trust, const sup_model *model,
                                    const sup_block_pattern *P, const sup_frame *X_WL, double h,
                                    const double *from, const double *to, double *way);
/** One island of all soft bodies: limited one by one, a body that separates returns later, pushes
 * others out of balance and separates again, endlessly.  island [num_blocks] */
void sup_trust_radius_unite_softs(const sup_model *model, int num_blocks, int *island);
/** Shorten the step from `from` to `to` by a factor for each island, so that a falling body does
 * not shorten the steps of others.  Returns the largest displacement over the radius; up to 1 no
 * step is shortened.
 *  @param[out] longest  [num_blocks] workspace */
double sup_trust_radius_shorten(double radius, const sup_block_pattern *P, const int *island,
                                const double *way, double *longest, const double *from, double *to);
/** passes [num_trees] := 1 where a tree takes a convex rigid body so far into another one, from the
 * poses `from` to `to`, that it might come out at the other side, where no contact is found.
 * Returns their number. */
int sup_trust_radius_passes(const sup_model *model, const sup_frame *from, const sup_frame *to,
                            unsigned char *passes);
