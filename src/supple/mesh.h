/** Volume meshes and closed surfaces: from files, by generators, of points and cells. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Cell types.  T4: linear tetrahedron.  H8: trilinear hexahedron.  T10: quadratic tetrahedron (VTK
 * vertex order). */
typedef enum sup_cell_type { SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10 } sup_cell_type;

typedef struct sup_mesh sup_mesh; /* volume mesh, mesh/mesh.h */

/** A polyhedron: the convex hull of given points, made by sup_hull_create, or a closed surface as
 * it is, made by sup_polyhedron_create; triangles are outward. */
typedef struct sup_hull {
  int     num_points;
  double *point; /* [num_points x 3] the corners [m] */
  int     num_triangles;
  int    *triangle; /* [num_triangles x 3] */
  double *normal;   /* [num_triangles x 3] unit, outward; right for slivers, too */
} sup_hull;

/** Convex hull of points [num_points x 3]; points inside it or on its faces, to within 2^-23 of the
 * largest coordinate, are dropped, the others keep their order.  E_GEOMETRY: fewer than four
 * points, or all in one plane. */
SUP_API SUP_NODISCARD sup_status sup_hull_create(sup_hull **hull, int num_points,
                                                 const double *points);
/** A closed surface as it is.  E_GEOMETRY: open edges (their number), or no volume inside. */
SUP_API SUP_NODISCARD sup_status sup_polyhedron_create(sup_hull **hull, int num_points,
                                                       const double *points, int num_triangles,
                                                       const int *triangles);
SUP_API void                     sup_hull_destroy(sup_hull **hull);

/** How a closed surface is filled with cells. */
typedef struct sup_tetgen_options {
  double quality;    /* largest ratio of a cell's circumradius and shortest edge, > 1 (1.4) */
  double max_volume; /* of a cell [m^3]; 0: no bound (0) */
  double time_limit; /* wall time after which the mesher is stopped [s] (120) */
} sup_tetgen_options;

SUP_API sup_tetgen_options sup_default_tetgen_options(void);
/** Bound on the volume that gives cells with edges of this length [m] in the mean [m^3]: twice that
 * of the regular tetrahedron. */
SUP_API double sup_tetgen_volume(double edge);
/** T4 cells that fill a closed surface, by the program `tetgen`, which must be on the PATH: it is
 * run as a child process on files of its own in TMPDIR.  The surface keeps its shape; its triangles
 * may be cut. E_GEOMETRY: the surface is open, badly oriented, has flat or double triangles or cuts
 * itself, with the numbers of the triangles; or tetgen failed (and what it said) or took too long.
 * E_ARG: options out of range.  E_IO: tetgen is missing (and what to install). */
SUP_API SUP_NODISCARD sup_status sup_mesh_of_polyhedron(sup_mesh **mesh, const sup_hull *surface,
                                                        const sup_tetgen_options *options);
SUP_API void                     sup_mesh_destroy(sup_mesh **mesh);

#ifdef __cplusplus
}
#endif
