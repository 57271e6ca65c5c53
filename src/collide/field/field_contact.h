/** Narrow phases with pressure fields (THEORY 9, P1): a surface in a field, and two fields in
 * equilibrium.  Private to layer collide. */
#pragma once

#include "collide/surface/surface_depth.h"
#include "geom/bvh_pairs.h"
#include "geom/field/field.h"
#include "geom/field/mesh_field.h"
#include "geom/mesh_near.h"

typedef enum sup_cell_state { SUP_CELL_UNKNOWN, SUP_CELL_READY, SUP_CELL_INVERTED } sup_cell_state;

/** Field of a body at its pose, for the narrow phase. */
typedef struct sup_moving_field {
  const sup_field      *field;
  const sup_field_cell *source; /* its cells: field->cell, or field->far_cell */
  const sup_bvh_node
      *node; /* hierarchy over its tetrahedra, in frame X_WF; NULL: a half space, or soft */
  const sup_bvh_node
        *inner;  /* boxes at the highest pressure, if those of `node` are at the lowest; or NULL */
  double lowest; /* range of the cells' p [Pa]; unset for a half space */
  sup_frame
      X_WF; /* frame of cells and hierarchy: the link of a rigid body, the world for a soft one */
  sup_v3        w, v; /* rigid motion about X_WF.p */
  const double *points,
      *xdot; /* soft body: [num_points x 3] of the field's points, world; NULL: rigid */
  const double
      *pressure; /* soft body: [num_points] of the field's points, with its shell's present width */
  const sup_mesh_field *mesh_field; /* soft body that carries the field */
  const sup_mesh_near *near; /* self-contact of a soft body: only cells that share no vertex meet */
  const sup_box       *cell_box;  /* soft body: [num_cells] of its mesh */
  const sup_bvh_node  *cell_node; /* soft body: hierarchy over them */
  sup_field_cell
      *cell; /* [num_tets] workspace for cells in the frame of the first body, filled on demand */
  unsigned char *state; /* [num_tets] state of these cells: 0 at first, then sup_cell_state */
} sup_moving_field;

/** Workspace of one hierarchy in the search for pairs: [2 num_items - 1] of the largest. */
typedef struct sup_search_workspace {
  sup_bvh_relative *seen;
  unsigned char    *known;
} sup_search_workspace;

/** A triangle of a surface in a field, in the surface's frame. */
typedef struct sup_seen_triangle {
  sup_v3    corner[3], n; /* outward */
  double    area;
  sup_plane lambda[3];  /* soft surface: barycentric functions, constant along n */
  sup_plane approach;   /* velocity along n relative to the field's body [m/s] */
  double    advance[3]; /* displacement of each corner within the step, or 0 [m] */
} sup_seen_triangle;

/** Workspace for the surface with the most triangles. */
typedef struct sup_face_workspace {
  sup_seen_triangle *triangle; /* [num_triangles] */
  unsigned char     *known;    /* [num_faces] faces whose triangles are computed */
} sup_face_workspace;

/** Options and workspace of contacts from patches. */
typedef struct sup_patch_options {
  double               dt;
  sup_search_workspace workspace_a, workspace_b;
  int                 *candidate; /* workspace for every item of a's hierarchy */
  sup_face_workspace   workspace_faces;
  double               highest; /* bound on the pressure between the bodies [Pa], or HUGE_VAL */
  double               reach;   /* bound on the approach within the step [m] */
  double               moving;  /* the same at present velocities, without the drop [m] */
  double               drop;    /* fall distance of a body at rest within the step [m] */
  int triangles;  /* 1: a fan of triangles about each polygon's centroid; 0: the polygon */
  int everything; /* 1: search all pairs of cells */
  const sup_pair_origins *from; /* origins to measure; NULL: search */
  int at_pressure; /* 1: forces act at the centre of pressure, so that the moment of the normal
                      force does not depend on how a patch is cut; 0: at the centroid */
} sup_patch_options;

/** 1: two rigid bodies cannot touch. a NULL: the other body is a surface. overlap: bound on the
 * penetration depth, negative for a gap [m]; reach: bound on the approach [m]. */
int sup_fields_stay_apart(const sup_moving_field *a, const sup_moving_field *b, double overlap,
                          double reach);
/** Contacts of the triangles of a, cut by the cells of the rigid field b, with the pressure of b
 * and the normal of a. */
SUP_NODISCARD sup_status sup_collide_surface_field(sup_contact_list         *list,
                                                   const sup_contact        *prototype,
                                                   const sup_moving_surface *a,
                                                   const sup_moving_field   *b,
                                                   const sup_patch_options  *options);
/** Contacts on surfaces where the pressures of both fields are equal; b may be a half space,
 * compliant or rigid; a is no half space. */
SUP_NODISCARD sup_status sup_collide_field_field(sup_contact_list        *list,
                                                 const sup_contact       *prototype,
                                                 const sup_moving_field  *a,
                                                 const sup_moving_field  *b,
                                                 const sup_patch_options *options);
