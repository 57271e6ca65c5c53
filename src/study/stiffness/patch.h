/** Patches of a soft body's face, and the compliance between forces on them.  Layer study,
 * private. */
#pragma once

#include "step/static/static_equations.h"

/** Disc or strip about a point of the face: a force on it is a uniform traction, and its
 * displacement the mean one of its area. */
typedef struct sup_patch {
  sup_v3  at, axis[3]; /* place; outward normal, direction along the face, their cross product */
  double  distance;    /* of the given point from the face [m] */
  double  cell;        /* longest edge of its triangle at time 0 [m] */
  int     num;         /* vertices */
  int    *vertex;      /* [num] of the body */
  double *weight;      /* [num] with the sum 1 */
} sup_patch;

/** Lines on the face of a soft body. */
typedef struct sup_patch_face {
  const sup_soft *soft;
  const double   *x;      /* [num_vertices x 3] vertices now; patches are marked at time 0 */
  sup_v3          along;  /* direction of axis[1]; 0: any */
  sup_v3          axis;   /* unit vector along strips; 0: discs */
  sup_v3          facing; /* normal of the face, which is preferred at edges; 0: any */
} sup_patch_face;

/** Normal, at time 0, of the face that most of the line from `from` by `along` is on. */
sup_v3 sup_patch_facing(const sup_patch_face *face, sup_v3 from);
/** Patch about the point of the face that is nearest to `point`, both at time 0. */
SUP_NODISCARD sup_status sup_patch_create(const sup_patch_face *face, sup_v3 point, double radius,
                                          sup_patch *patch);
void                     sup_patch_free(sup_patch *patch);

/** C [3 num x 3 num]: displacements of patches along their axes by unit forces along them, from one
 * factor of H [m/N].  Friction, contact and gas are those of the equations; their tangent is met by
 * GMRES where it is not that of H.  Given volumes and lengths, whose forces the equations hold,
 * stay by the compliance of their rows (Woodbury).
 *  @param[out] residual  largest of the linear systems, over the force; 0: H is the tangent */
SUP_NODISCARD sup_status sup_patch_compliance(sup_static_equations *equations, int soft,
                                              const sup_patch *patch, int num, double *C,
                                              double *residual);
