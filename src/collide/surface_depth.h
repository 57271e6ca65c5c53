/** Narrow phase: one surface against one rigid shape.  Private to layer collide. */
#pragma once

#include "collide/collide.h"
#include "geom/clip.h"

/** The surface of body a as the narrow phase sees it, in world axes. */
typedef struct sup_moving_surface {
  const sup_surface  *surface;
  const sup_bvh_node *node;   /* hierarchy over its faces, in frame X_WS */
  sup_frame           X_WS;   /* frame of points and hierarchy: the link of a rigid body, the world for a soft one */
  const double       *points; /* in that frame */
  const double       *slope;  /* [num_triangles] C of a soft body's surface [Pa/m]; NULL: the pair's */
  const double       *xdot;   /* velocities of the points (soft body); NULL: rigid motion w, v about X_WS.p */
  sup_v3              w, v;
  double              speed; /* bound on the speed of its points [m/s] */
} sup_moving_surface;

/** The rigid shape of body b. */
typedef struct sup_moving_shape {
  const sup_shape *shape;
  sup_frame        X_WG;
  sup_frame        X_WL; /* its link: w, v are about this frame's origin */
  sup_v3           w, v;
} sup_moving_shape;

/** What is looked for. */
typedef struct sup_surface_look {
  double dt;    /* [s] of the step */
  double drop;  /* how far a body at rest may fall within it [m] */
  int    kites; /* 1: three contacts a triangle of a part, so that force and stiffness on its vertices are the integrals
                   over it; 0: one at its centroid */
  int everything; /* look at all faces */
} sup_surface_look;

/** A point of the surface as the shape sees it. */
typedef struct sup_surface_point {
  sup_v3 at;           /* world */
  double phi, phi_end; /* signed depth in b; the same at the end of the step at present velocities [m] */
  sup_v3 gradient;     /* of the depth, world */
  double held;         /* inside: least depth of a facet here that follows the shape and is inside with all its corners
                          [m]; outside: share to which a facet's other points are held */
} sup_surface_point;

/** Scratch of one search, for the largest surface. */
typedef struct sup_surface_room {
  int               *face;  /* [num_faces] */
  sup_surface_point *point; /* [num_points] */
  unsigned char     *known; /* [num_points] of them */
} sup_surface_room;

/** Append the contacts of one pair.  When nothing is inside or about to be, what lies within `drop` is taken, so that
 *  touching bodies are seen before they overlap. */
SUP_NODISCARD sup_status sup_collide_surface_depth(sup_contact_list *list, const sup_contact *prototype,
                                                   const sup_moving_surface *a, const sup_moving_shape *b,
                                                   const sup_surface_look *look, const sup_surface_room *room);
