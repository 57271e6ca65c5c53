/** Narrow phase: one surface against one rigid shape.  Private to layer collide. */
#pragma once

#include "collide/collide.h"
#include "geom/clip.h"

/** Surface of body a at its pose, for the narrow phase, in world axes. */
typedef struct sup_moving_surface {
  const sup_surface  *surface;
  const sup_bvh_node *node; /* hierarchy over its faces, in frame X_WS */
  sup_frame
      X_WS; /* frame of points and hierarchy: the link of a rigid body, the world for a soft one */
  const double *points; /* in that frame */
  const double *slope;  /* [num_triangles] C of a soft body's surface [Pa/m]; NULL: the pair's */
  const int    *face; /* [num_points] a face of each point of a soft body's surface; NULL: rigid */
  const double
        *xdot; /* velocities of the points (soft body); NULL: rigid motion w, v about X_WS.p */
  sup_v3 w, v;
  double speed;   /* bound on the speed of its points [m/s] */
  sup_v3 mean;    /* soft body: mean velocity of its vertices .. */
  double spread;  /* .. and bound on their speed relative to the mean [m/s]; < 0: not known */
  double fastest; /* soft body: `speed` over all motions tried [m/s]
                   */
  double               reach;    /* soft body: growth of its box [m] */
  const unsigned char *left_out; /* [num_faces] 1: the face does not touch the shape; NULL: none */
  double offered; /* contacts at vertices: distance beyond their action within which vertices and
                     the faces around them are searched [m] */
} sup_moving_surface;

/** The rigid shape of body b. */
typedef struct sup_moving_shape {
  const sup_shape *shape;
  sup_frame        X_WG;
  sup_frame        X_WL; /* frame of its link, w and v refer to its origin */
  sup_v3           w, v;
} sup_moving_shape;

/** Velocities of the two bodies in the step: present ones or those of a solution. */
typedef struct sup_surface_motion {
  const double *xdot;     /* of a's points; NULL: a is rigid */
  sup_v3        w_a, v_a; /* about the origin of a's frame */
  sup_v3        w_b, v_b; /* about the origin of b's link */
  double        speed_a;  /* bound on the speed of a's points [m/s] */
} sup_surface_motion;

/** Parameters of a contact search.  A law gives no force where its level phi + T (v_n - mu |v_t|)
 * is positive (THEORY 6.2, 6.5, 19.6). */
typedef struct sup_surface_query {
  const sup_surface_motion
        *motion; /* [num_motions] the present one first, then those of solutions of the step */
  int    num_motions;
  double dt;      /* [s] of the step */
  double elapsed; /* time of the searched poses after the step's start, by the first motion: 0 or dt
                     [s] */
  const sup_frame *stood; /* [2] X_WS of a and X_WG of b before links were turned, or NULL */
  sup_v3           fall;  /* of b past a by weight within the step, with `stood` [m] */
  double           ahead; /* T: dt, or dt + tau where relaxation looks ahead [s] */
  double           glide; /* mu T of models whose cone opens with sliding, else 0 [s] */
  sup_v3 belt; /* velocity of a's belt minus velocity of b's belt, relative to their bodies; world
                  [m/s] */
  double drop; /* fall distance of a body at rest within the step [m] */
  int thirds;  /* 1: three contacts a triangle, so that force and stiffness on its vertices are the
                  integrals over it; 0: one contact at the centroid */
  int    at_vertices; /* 1: a soft surface has one contact a vertex (surface_vertex.h) */
  int    everything;  /* 1: search all faces */
  double range;       /* laws that act across a gap: gap at which the force begins, else 0 [m] */
  double flat;        /* these laws: dip between two points that is neglected [m] */
} sup_surface_query;

/** A point of the surface, with its depth in the shape. */
typedef struct sup_surface_point {
  sup_v3 at;       /* world */
  double phi;      /* signed depth in b [m] */
  double stood;    /* rigid surface: depth before links were turned; else phi [m] */
  double level;    /* smallest level over all motions but the last, and `stood` [m] */
  double last;     /* level with the last motion [m] */
  sup_v3 gradient; /* of the depth, world */
  /* Least depth of facets at this point that follow the shape, with a tolerance outside [m].  Gaps:
   * projected area [m^2]. */
  double held;
  double next; /* share to which facets at this point are held at their other points */
  /* with contacts at vertices, sums over the faces there */
  double area, seen; /* area facing the shape, and its projection along the normal [m^2] */
  double sagitta;    /* sagitta times area [m^3] */
  double slope;      /* C times area [Pa m] */
  double kink;       /* largest share of pieces of the triangles there */
  sup_v3 lean;  /* corner of quadratic faces: normals of its faces, weighted by projected area */
  double leant; /* sum of these weights [m^2] */
} sup_surface_point;

/** Workspace of one search, for the largest surface. */
typedef struct sup_surface_workspace {
  int               *face;  /* [num_faces] */
  sup_surface_point *point; /* [num_points] */
  unsigned char     *known; /* [num_points] of them */
  /* With contacts at vertices, in the order of `face`. */
  sup_surface_point *centre;   /* [num_faces] of quads */
  double            *polygons; /* [num_faces] share of a face's stiffness that its polygons have */
} sup_surface_workspace;

/** Velocity at p of a body that moves with v, w about `origin`. */
sup_v3 sup_surface_rigid_velocity(sup_v3 v, sup_v3 w, sup_v3 origin, sup_v3 p);
/** Velocity relative to b of a point p of a in the motion m [m/s]; va: its velocity if a is soft.
 */
sup_v3 sup_surface_past(const sup_moving_surface *a, const sup_moving_shape *b,
                        const sup_surface_motion *m, sup_v3 p, sup_v3 va);
/** Level of the law [m] at a point of depth phi at the step's start with velocity u past b. */
double sup_surface_level(const sup_surface_query *query, double phi, sup_v3 gradient, sup_v3 u);
/** Distance within which a face may act [m], by the motions and by sliding, which opens the law's
 * cone (THEORY 19.6). */
double sup_surface_reach(const sup_moving_shape *b, const sup_surface_query *query);
/** List the faces of a: first faces within `margin` of b, then all others if everything is
 * searched.  Returns the number of faces. */
int sup_surface_faces_near(const sup_moving_surface *a, const sup_moving_shape *b,
                           const sup_surface_query *query, double margin, int *face, int *num_near);

/** Append the contacts of one pair: points inside now or acting with any motion; without such
 * points, points within `drop`, so that touching bodies have contacts before they overlap. */
SUP_NODISCARD sup_status sup_collide_surface_depth(sup_contact_list            *list,
                                                   const sup_contact           *prototype,
                                                   const sup_moving_surface    *a,
                                                   const sup_moving_shape      *b,
                                                   const sup_surface_query     *query,
                                                   const sup_surface_workspace *workspace);
/** Append the contacts of the origins of a pair. */
SUP_NODISCARD sup_status sup_measure_surface_depth(
    sup_contact_list *list, const sup_contact *prototype, const sup_moving_surface *a,
    const sup_moving_shape *b, const sup_surface_query *query,
    const sup_surface_workspace *workspace, const sup_pair_origins *from);
/** Opening of the gap by turning, for the pair searched last [m]: work of the force at the end of
 * the step on the patch, over this force (THEORY 33).  HUGE_VAL: no point is near. */
double sup_surface_opened(const sup_moving_surface *a, const sup_surface_query *query,
                          const sup_surface_workspace *workspace, int num_faces);
/** 1: the last motion (the solution with the contacts found by all others) moves a part of the
 * surface without contacts inside, deeper than a thousandth of its triangle or of b. */
int sup_surface_depth_missed(const sup_moving_surface *a, const sup_moving_shape *b,
                             const sup_surface_query     *query,
                             const sup_surface_workspace *workspace);

/** Contacts of a soft surface with a shape, for normal laws that act across a gap of query->range:
 * one at each vertex, with its share of the projected area, and one at the nearest point of each
 * face to which the shape comes nearer than to its vertices.  Contacts that any motion may bring
 * within the range are included. */
SUP_NODISCARD sup_status sup_collide_surface_gap(sup_contact_list            *list,
                                                 const sup_contact           *prototype,
                                                 const sup_moving_surface    *a,
                                                 const sup_moving_shape      *b,
                                                 const sup_surface_query     *query,
                                                 const sup_surface_workspace *workspace);
/** 1: the last motion brings a vertex or a face within the range that no other motion does. */
int sup_surface_gap_missed(const sup_moving_surface *a, const sup_moving_shape *b,
                           const sup_surface_query *query, const sup_surface_workspace *workspace);
