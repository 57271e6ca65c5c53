/** Patch of two rigid shapes with exact geometry that meet in a point or along a line, at least one
 * of them round there.  Layer collide, private to the narrow phase.
 *
 *  Without tessellation a ball rolls as a ball and not as a polyhedron (THEORY 33).  In the plane
 * across the common normal n the overlap is psi = phi_a + phi_b, the sum of both signed depths,
 * which is convex.  Its area, volume and moments come from slices along the longer axis of {psi <
 * 0}; four contacts represent the patch, each with a quarter of the area at the standard deviation
 * of the pressure from the centre.  They conserve force, energy, torsional friction and the moment
 * of a damper k d w x, which is the rolling resistance of (33.4).  With a damper independent of the
 * depth, eight contacts are needed.  An elastic force alone does no work on the spin of a round
 * body: without dissipation its line of action meets the line of deepest points (`foot`). */
#pragma once

#include "collide/point/point.h"
#include "collide/surface/surface_depth.h"
#include "geom/support.h"

/** Two shapes with their motions. */
typedef struct sup_round_case {
  sup_posed_shape          a, b;
  sup_frame                X_WS, X_WL; /* links of a and b; motions refer to their origins */
  const sup_pair          *pair;
  const sup_surface_query *query;
} sup_round_case;

/** 1: two shapes can have a round patch: one is round, none is a mesh. */
int sup_round_patch_is_for(const sup_shape *a, const sup_shape *b);
/** Append the contacts of the patch if it acts with any of the motions.
 *  @param[out] is_flat 1: the shapes meet in a face or too deep; use polygons instead */
SUP_NODISCARD sup_status sup_collide_round_patch(sup_contact_list     *list,
                                                 const sup_contact    *prototype,
                                                 const sup_round_case *pair, int *is_flat);
/** 1: the last motion closes a gap that no other motion closes; -1: the shapes meet in a face. */
int sup_round_patch_missed(const sup_round_case *pair);
