/** The field of a volume mesh: tetrahedra whose points carry the distance to the boundary.  Layer
 * geom.
 *
 *  Points are fixed convex combinations of the mesh's vertices, so they move with a soft body
 * (design: a field on a tet mesh of its own).  A T4 cell is taken as it is, or cut into four about
 * its centroid when all its vertices lie on the surface: thin walls would have no pressure at all.
 * A T10 is taken as eight T4.  An H8 cell is cut into 24 about its centre and those of its faces,
 * as its surface is (THEORY 15.1).
 *
 *  A shell of prisms about the surface goes on with the field below zero, so that bodies are seen
 * before they touch. Its outer points are carried like the surface points below them and stand off
 * by a width that may differ from call to call, such that flat faces move out by just that.  The
 * cuts of the prisms do not depend on numbers, place and hand: between two points of the surface
 * that are images of each other (mesh/distribute/point_rank.h) a middle point stands off, too. */
#pragma once

#include "geom/bvh.h"
#include "mesh/distribute/part_set.h"
#include "mesh/surface.h"

enum {
  SUP_CARRIER_MAX_VERTICES = SUP_CELL_MAX_VERTICES,
  SUP_MESH_FIELD_MAX_TETS =
      24 + 6 * 4 * 10 /* of one cell: of a brick, all faces of which have a shell; T10: 192 */
};

/** Weights of a point on vertices of the mesh. */
typedef struct sup_carrier {
  int    num_vertices;
  int    vertex[SUP_CARRIER_MAX_VERTICES];
  double weight[SUP_CARRIER_MAX_VERTICES];
} sup_carrier;

/** Add `weight` times the weights of another point of the same cell. */
void sup_carrier_add(sup_carrier *to, const sup_carrier *from, double weight);

typedef struct sup_mesh_field {
  int          num_points;
  sup_carrier *carrier;  /* [num_points] */
  double      *distance; /* [num_points] to the boundary at rest [m]; 0 on it, negative outside */
  int          num_tets;
  int         *tet;      /* [num_tets x 4] points, positive */
  int         *tet_cell; /* [num_tets] of the mesh, ascending */
  int *cell_tet; /* [num_cells + 1] first tetrahedron of each cell, its part of the shell, too */
  int *tet_triangle; /* [num_tets] below a cell of the shell; SUP_NONE: none of it */
  int  num_shell,
      first_outer;        /* points of the surface; the first outer one, those after it follow */
  int      *shell_inner;  /* [num_shell] the point below each outer one */
  int       first_middle; /* of the shell's points: those from it on lie between others */
  sup_part *middle;       /* [num_shell - first_middle] numbers of these, 2 or 3 shell points */
  int       num_shell_triangles;
  int      *shell_triangle; /* [num_shell_triangles x 3] numbers of shell points */
  double    shell_width;    /* that `distance` and the tetrahedra at rest have [m] */
  sup_bvh  *bvh;            /* over the cells of the mesh with their shell, at rest */
  int num_cut; /* T4 cells, or parts of T10, that were cut because all their vertices lie on the
                  surface */
} sup_mesh_field;

/** @param surface  of the mesh (sup_surface_of_mesh) */
SUP_NODISCARD sup_status sup_mesh_field_create(sup_mesh_field **field, const sup_mesh *mesh,
                                               const sup_surface *surface);
void                     sup_mesh_field_destroy(sup_mesh_field **field);
/** Points, or their velocities, for those of the mesh's vertices: x [num_points x 3]; the outer
 * ones lie on the surface. */
void sup_mesh_field_points(const sup_mesh_field *field, const double *vertex, double *x);
/** Largest offset of an outer point, in widths of the shell. */
enum { SUP_MESH_FIELD_STANDOFF = 2 };
/** Raise the outer points of x [num_points x 3] by `width` above the surface [m]; normal [num_shell
 * x 3] is scratch. */
void sup_mesh_field_raise(const sup_mesh_field *field, double width, sup_v3 *normal, double *x);
/** Shell points between which one from first_middle on lies; returns their number, 2 or 3. */
int sup_mesh_field_parents(const sup_mesh_field *field, int middle, int parent[3]);
/** Intersection of the line through p along the unit vector n with the surface below tetrahedron t
 * of the shell: weights on the three surface points below it, in `inner`.  Returns 0 when t is none
 * of the shell or is seen edge-on.
 *  @param x  [num_points x 3] present points */
int sup_mesh_field_foot(const sup_mesh_field *field, int t, const double *x, sup_v3 p, sup_v3 n,
                        int inner[3], double weight[3]);
/** Bounds of each cell with its shell at the points x, and the hierarchy over them.
 *  @param[out] box   [num_cells]
 *  @param[out] node  [2 num_cells - 1] */
void sup_mesh_field_refit(const sup_mesh_field *field, const double *x, sup_box *box,
                          sup_bvh_node *node);
