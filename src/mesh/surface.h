/** Surfaces for contact: triangles whose corners are fixed convex combinations of points. Layer
 * mesh.
 *
 *  A face (3 or 4 points, outward) is cut into triangles: a triangle into itself, a quad into four
 * about its centre, which keeps the quad's symmetry (THEORY 15.1).  The surface of quadratic
 * tetrahedra is that of their straight parts. The points are FEM vertices or the corners of a rigid
 * shape. */
#pragma once

#include "mesh/mesh.h"

enum { SUP_FACE_MAX_VERTICES = 4, SUP_FACE_MAX_CORNERS = SUP_FACE_MAX_VERTICES + 1 };

/** Vertices of a local face of cell c, outward; returns their number.  T10: three corners, then
 * those on the edges. */
int sup_mesh_cell_face(const sup_mesh *mesh, int c, int local,
                       int vertex[SUP_CELL_FACE_MAX_VERTICES]);

typedef struct sup_surface {
  int  num_points; /* of the point array the faces index: mesh vertices, or the shape's own */
  int  num_faces;
  int  vertices_per_face; /* 3 or 4 */
  int  is_quadratic;      /* four faces in a row are one of six vertices */
  int *face;      /* [num_faces x vertices_per_face] points, outward by the right-hand rule */
  int *face_cell; /* [num_faces] cell behind the face; SUP_NONE for rigid shapes */
  int  num_triangles;
  int *triangle_face; /* [num_triangles] */
} sup_surface;

/** Zeroed faces of the given sizes, no cells behind them, the triangles filled in. */
SUP_NODISCARD sup_status sup_surface_create(sup_surface **surface, int num_points, int num_faces,
                                            int vertices_per_face);
/** Boundary of a mesh: faces of exactly one cell, ordered by cell and local face.  A face of a T10
 * is four faces here, triangles between its six vertices: those at its corners, then the one in the
 * middle.  E_GEOMETRY: a face of three cells, or of two T10 that differ in a vertex on an edge. */
SUP_NODISCARD sup_status sup_surface_of_mesh(sup_surface **surface, const sup_mesh *mesh);
/** Turn each triangle so that its longest side comes first, of equal ones that with the point of
 * lower rank (point_rank.h): directions within a triangle (collide/surface/facet_pieces.c) then do
 * not depend on the vertex order of cells.  Quadratic faces turn with their four parts; quads stay.
 *  @param[in] x  [num_points x 3] at rest */
SUP_NODISCARD sup_status sup_surface_turn_faces(sup_surface *surface, const double *x);
/** Edge length of a shape's facets [m]: `resolution`; if 0, the larger of 10 mm and a 50th of the
 * shape's largest dimension. */
double sup_surface_resolution(const sup_shape *shape, double resolution);
/** Closed surface of a rigid shape in its frame: quads with edges of at most `resolution` [m] for a
 * box, triangles with edges of at most 1.42 times that, inscribed, for the round shapes (a rim has
 * at least 12 segments), the hull's own faces for a convex shape; a half space gives none (NULL,
 * E_ARG).
 *  @param[out] points  [surface->num_points x 3], freed by the caller with SUP_FREE */
SUP_NODISCARD sup_status sup_surface_of_shape(sup_surface **surface, double **points,
                                              const sup_shape *shape, double resolution);
void                     sup_surface_destroy(sup_surface **surface);
/** Corner `corner` of a triangle for the given point positions. */
sup_v3 sup_surface_corner(const sup_surface *surface, const double *points, int triangle,
                          int corner);
/** Triangles of each face; those of face f are number f times that and the following. */
int sup_surface_triangles_per_face(const sup_surface *surface);
/** Weights of a triangle's corners on the face's points, [3 x SUP_FACE_MAX_VERTICES]. */
const double *sup_surface_weights(const sup_surface *surface, int triangle);
/** Centre of a quad, the corner that all its triangles share. */
sup_v3 sup_surface_centre(const sup_surface *surface, const double *points, int face);
/** Corners of a face's triangle `part`, among the face's own points and, behind them, its centre.
 */
void sup_surface_part(const sup_surface *surface, int part, int corner[3]);
/** Weights of a point of the triangle, given by its barycentric coordinates, on the
 * vertices_per_face points of the face. */
void sup_surface_barycentric_weights(const sup_surface *surface, int triangle,
                                     const double barycentric[3], int vertex[SUP_FACE_MAX_VERTICES],
                                     double weight[SUP_FACE_MAX_VERTICES]);
/** Area of all triangles [m^2]; vector_sum (may be NULL): sum of their outward area vectors, zero
 * for a closed surface.
 */
double sup_surface_area(const sup_surface *surface, const double *points, sup_v3 *vector_sum);
/** Volume behind a closed surface [m^3]. */
double sup_surface_volume(const sup_surface *surface, const double *points);
/** Number of edges that are not used equally often in both directions; 0 for a closed, consistently
 * oriented surface. */
SUP_NODISCARD sup_status sup_surface_open_edges(const sup_surface *surface, int *num_open);
