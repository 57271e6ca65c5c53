/** Plane meshes of quadrilaterals: cells of a profile before its extrusion.  Layer
 * profile.
 */
#pragma once

#include <stddef.h>

#include "profile/profile.h"
#include "supple/mesh.h"

enum { SUP_QUADS_MAX_SETS = 512 };

/** An edge of the boundary that belongs to a named set. */
typedef struct sup_quad_mark {
  int set, vertex[2];
} sup_quad_mark;

typedef struct sup_quads {
  int            num_points, num_quads, num_marks, num_sets;
  double        *x;    /* [num_points x 2] [m] */
  int           *quad; /* [num_quads x 4] counter-clockwise */
  sup_quad_mark *mark; /* [num_marks] */
  size_t         x_capacity, quad_capacity, mark_capacity;
  char           set_name[SUP_QUADS_MAX_SETS][SUP_NAME_MAX];
} sup_quads;

void sup_quads_destroy(sup_quads **quads);
/** Smallest scaled Jacobian over the corners of a quadrilateral; <= 0: inverted. */
double sup_quads_quality(const sup_quads *quads, int q);
/** The worst of all, and where it is. */
double sup_quads_worst(const sup_quads *quads, int *where);
/** Area of all [m^2]. */
double sup_quads_area(const sup_quads *quads);
/** Move inner points until the quadrilaterals around them have a quality of at least `aim`, or as
 * near to it as a search along the axes leads. */
SUP_NODISCARD sup_status sup_quads_smooth(sup_quads *quads, double aim);
/** Outline of the mesh as a profile, finished. */
SUP_NODISCARD sup_status sup_quads_outline(const sup_quads *quads, const char *name,
                                           sup_profile **profile);

/** The walls of a profile that a mesh has few cells through. */
typedef struct sup_wall_report {
  int    fewest;    /* cells through a wall: the shortest way over edges between its sides */
  double thickness; /* of that wall [m] */
  double where[2];  /* at its side */
  double thinnest;  /* of all [m] */
  int    num_sides; /* edges of the boundary behind which there is a wall; 0: the rest is not set */
} sup_wall_report;
/** @param most  thickness up to which it counts as a wall [m] */
SUP_NODISCARD sup_status sup_quads_walls(const sup_quads *quads, const sup_profile *profile,
                                         double most, sup_wall_report *report);
