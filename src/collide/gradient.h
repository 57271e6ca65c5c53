/** Derivatives of contacts beside their measures, in adjoint form (THEORY 19.8): decisions stay as
 * the origins say.  Layer collide. */
#pragma once

#include "collide/collide.h"

/** Derivatives of a function of contacts in what a contact of an origin has, k = slope x area x
 * facing its stiffness before rules of the step. */
typedef struct sup_contact_slopes {
  double phi, k;
  sup_v3 normal, centroid;
  double carrier[SUP_FACE_MAX_VERTICES]; /* in weights of carrier_a, of polygons of soft bodies */
} sup_contact_slopes;

/** Derivatives of the function in what contacts are measured from; world axes. */
typedef struct sup_place_slopes {
  double *x, *xdot;     /* [num_vertices x 3] */
  sup_v3 *place, *turn; /* [num_bodies] of links: moved, and turned about their origins */
  sup_v3 *v, *w;        /* [num_bodies] velocities of links, at their origins */
} sup_place_slopes;

/** Contacts without derivatives. */
typedef struct sup_gradient_lack {
  const char *why; /* "at pieces of facets"; NULL: none */
  int         pair;
} sup_gradient_lack;

/** Add to `out` the derivatives by the contacts of the origins: those at vertices of soft bodies
 * and polygons.  Links are seen as they stand, or do not turn: then w has no part by their turning.
 *  @param[in] slopes       [origins->num_contacts] in the order of the origins
 *  @param[in] kin, x, xdot, inc, model  those of sup_collide_measure
 *  @param[out] lack  the last origin of another kind, whose slopes are not zero */
SUP_NODISCARD sup_status sup_collide_gradient(const sup_origins *origins, const sup_model *model,
                                              const sup_increment *inc, const sup_kinematics *kin,
                                              const double *x, const double *xdot,
                                              const sup_contact_slopes *slopes, sup_arena *arena,
                                              sup_place_slopes *out, sup_gradient_lack *lack);
