/** Links turned as at the end of a step, about fixed centres of mass.  Private to layer collide.
 *
 *  The gap of a material point is linear in the step's velocities.  A spin moves points down ahead
 * of the lowest point and up behind it, so that the pressure of a patch moves ahead by h w R while
 * its lever about the centre is that of the start: a normal force then brakes a rolling body by the
 * moment N v h (THEORY 33).  With gaps, normals and levers of links already turned by h w, the spin
 * does not contribute to gaps.  Centres of mass are not moved: the positions of implicit Euler
 * change angular momentum by (x at the start) x (impulse), and one point for both bodies with
 * levers about these centres conserves it exactly. */
#pragma once

#include "collide/collide.h"

/** Turned links, and the velocities of their turning from the step's start.  Soft bodies are not
 * turned: their forces act on vertices, whose angular momentum changes by (x at the start) x
 * (impulse). */
typedef struct sup_turned {
  const sup_kinematics *stands; /* links at the poses of the start .. */
  sup_kinematics kin; /* .. and turned: X_WL, and the velocities of the start at its origins */
  const sup_v3  *lead_w,
      *lead_v;         /* [num_bodies] velocities of the turning, about the origins of kin */
  const double *still; /* [num_vertices x 3] zeros, of soft bodies */
  const sup_v3 *drift; /* [num_bodies] velocities of the centres of mass, which are not moved */
} sup_turned;

/** @param[in] kin, xdot  of the step's start; arrays of `out` from the arena */
SUP_NODISCARD sup_status sup_turned_create(sup_turned *out, const sup_model *model,
                                           const sup_increment *inc, const sup_kinematics *kin,
                                           const double *xdot, sup_arena *arena);

/** Shift of b past a before the search [m]: normals of curved surfaces move over the other surface;
 * without the shift the patch moves ahead of fixed levers, and its normals brake (THEORY 33).  The
 * shift is 0 for flat surfaces, whose normals are constant; for bodies that pass by more than their
 * radius; and over soft bodies in controlled steps, whose error estimate contains the braking.
 *  @param[out] lever  sup_contact.lever: a more curved surface has less torque by normals */
sup_v3 sup_turned_shift(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, sup_v3 *lever);
/** Approach of two overlapping shapes by turning and shift [m], if the normal is known before a
 * search: for fields of two spheres, or of a sphere and a half space. 0: not known. */
int sup_turned_approach(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, double *way);
