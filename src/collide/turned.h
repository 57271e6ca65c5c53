/** Links turned as at the end of a step, about fixed centres of mass.  Private to layer collide.
 *
 *  The gap of a material point is linear in the step's velocities, and a spin takes points down
 * ahead of the lowest and up behind it: the pressure of a patch moves ahead by h w R, while its
 * lever about the centre is that of the start, so that a normal force brakes a rolling body by N v
 * h (THEORY 33).  With gaps, normals and levers of links that are turned by h w already, the spin
 * has no part in the gaps any more.  Centres of mass are not moved: the positions of implicit Euler
 * change angular momentum by (x at the start) x (impulse), and one point for both bodies with
 * levers about these centres conserves it exactly. */
#pragma once

#include "collide/collide.h"

/** Turned links, and the velocities of their turning from the step's start.  Soft bodies stand:
 * their forces act on vertices, whose angular momentum changes by (x at the start) x (impulse). */
typedef struct sup_turned {
  const sup_kinematics *stands; /* links as they stand .. */
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

/** Shift of b past a before b is seen [m]: normals of curved surfaces move over the other surface;
 * without it the patch moves ahead of fixed levers and its normals brake (THEORY 33).  0 of what
 * is flat, whose normals are constant, of bodies that pass by more than their radius, and
 * over soft bodies in controlled steps, which see that a longer step brakes more.
 *  @param[out] lever  sup_contact.lever: the more curved surface has the less torque by normals */
sup_v3 sup_turned_shift(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, sup_v3 *lever);
/** Way by which turning and shift bring two shapes nearer that are then in overlap [m], where the
 * normal is known before a search: of fields of two spheres, or of a sphere and a half space.  0:
 * not known. */
int sup_turned_approach(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, double *way);
