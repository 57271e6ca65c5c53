/** Parts of the search of a surface in a shape: depths of points and triangles, polygons, facets
 * that cannot follow.  Each contact is measured by its origin; the search adds those that act. */
#pragma once

#include "collide/surface/facet.h"
#include "collide/surface/surface_depth.h"
#include "geom/clip.h"

/** One surface against one shape. */
typedef struct sup_surface_search {
  sup_contact_list            *list;
  const sup_contact           *prototype;
  const sup_moving_surface    *a;
  const sup_moving_shape      *b;
  const sup_surface_query     *query;
  const sup_surface_workspace *workspace;
  double drop, margin;     /* distance beyond which no contact acts within the step [m] */
  double followed;         /* deepest corner of soft facets that follow the shape [m] */
  int    bends;            /* 1: a facet does not follow the shape */
  int    holds;            /* 1: all corners of such a facet are inside */
  double volume;           /* overlap by the corners, with contacts at vertices [m^3] */
  int    num_near, is_far; /* number of faces within the margin, which come first; other faces are
                              searched by their corners only */
} sup_surface_search;

/** Points of a face, then the centre of a quad. */
typedef sup_surface_point *const *sup_face_points;

/** Triangle with its data at the corners for the clip. */
typedef struct sup_corner_data {
  sup_v3 corner[3];
  double phi[3], stood[3], level[3], last[3];
  sup_v3 gradient[3];
} sup_corner_data;

/** Vector along the outward normal of a triangle, with the length of twice its area. */
static inline sup_v3 sup_corner_cross(const sup_corner_data *t) {
  return sup_v3_cross(sup_v3_sub(t->corner[1], t->corner[0]),
                      sup_v3_sub(t->corner[2], t->corner[0]));
}

/** 1: a rigid surface that is turned before the search. */
static inline int sup_surface_is_turned(const sup_surface_search *s) {
  return s->query->elapsed > 0 && !s->a->xdot;
}

/** Data of a surface point, computed once for all faces at the point. */
sup_surface_point *sup_surface_point_of(const sup_surface_search *s, int i);
/** The points of face f; `centre` is workspace for that of a quad. */
void sup_surface_face_points(const sup_surface_search *s, int f,
                             sup_surface_point *point[SUP_FACE_MAX_CORNERS],
                             sup_surface_point *centre);
/** Computed points of face workspace->face[i], with contacts at vertices. */
void            sup_surface_known_points(const sup_surface_search *s, int i,
                                         sup_surface_point *point[SUP_FACE_MAX_CORNERS]);
sup_corner_data sup_surface_corner_data(sup_face_points point, const int corner[3]);
/** Corner data of triangle t. */
sup_corner_data sup_surface_triangle(const sup_surface_search *s, int t);

/** Add the acting polygons of a triangle, measured by their origins. */
SUP_NODISCARD sup_status sup_surface_add_polygons(const sup_surface_search *s, int t,
                                                  const sup_corner_data *state);
/** Contact of an origin of a triangle; area 0 if no part acts. */
void sup_surface_measure_polygon(const sup_surface_search *s, const sup_contact_origin *origin,
                                 sup_contact *out);

/** Bound e_T on the error of the depth on a triangle interpolated from its corners (THEORY 19.1)
 * [m]; turn := largest change of its gradient, side := longest side. */
double sup_surface_bend(const sup_corner_data *t, double *turn, double *side);
/** Share of pieces in a triangle's stiffness, by the turn of the shape's normal. */
double sup_surface_share_of_pieces(const sup_surface_search *s, double turn);
/** Overlap of a triangle of unit area by the depths at its corners [m]. */
double sup_surface_overlap(const double level[3]);
/** Facet of a triangle with velocities past the shape; its depths are not set. */
sup_facet sup_surface_facet(const sup_surface_search *s, int t, const sup_corner_data *state);
/** Store a facet whose contacts by the depth at corners are the last in the list. */
SUP_NODISCARD sup_status sup_surface_store_facet(const sup_surface_search *s, int t,
                                                 const sup_corner_data *state, int first_contact,
                                                 double corners);
/** Contacts from pieces of the facets stored since contact `before`; contacts by corners are
 * reduced accordingly. */
SUP_NODISCARD sup_status sup_surface_add_facets(const sup_surface_search *s, int before);

/** Sum areas, sagittas and slopes of vertices over faces workspace->face[0 .. count - 1], without
 * the share of polygons in each face. */
void sup_surface_sum_vertices(const sup_surface_search *s, int count);
/** Area vectors that the n vertices of face workspace->face[i] have of it [m^2]; those of a
 * quadratic face before its corners pass on theirs.  Returns its C [Pa/m]. */
double sup_surface_share_face(const sup_surface_search *s, int i, sup_face_points point,
                              sup_v3 share[SUP_FACE_MAX_VERTICES]);
/** Sagitta of a face about each of its n vertices (THEORY 20.4) [m]. */
void sup_surface_face_sagitta(const sup_moving_shape *b, sup_face_points point, int n,
                              double out[SUP_FACE_MAX_VERTICES]);
/** Contact of vertex i from its sums. */
void sup_surface_measure_vertex(const sup_surface_search *s, int i, sup_contact *out);
/** Add the contact of vertex i, once for all its faces, if the vertex is inside or near, or acts
 * within the step with a fall of `drop`. */
SUP_NODISCARD sup_status sup_surface_add_vertex(const sup_surface_search *s, int i);
