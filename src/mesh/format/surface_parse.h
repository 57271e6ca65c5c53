/** Types and parsers shared by the readers of surfaces.  Private to surface_*.c. */
#pragma once

#include "mesh/format/scan.h"
#include "mesh/format/surface_file.h"

/** Triangles as in a file: points may repeat. */
typedef struct sup_triangles {
  int     num_points, num_triangles;
  double *point;    /* [num_points x 3] */
  int    *triangle; /* [num_triangles x 3] */
  size_t  point_capacity, triangle_capacity;
  int     refuses_cells; /* E_PARSE: the file holds volume cells, too */
} sup_triangles;

SUP_NODISCARD sup_status sup_triangles_point(sup_triangles *t, const double p[3]);
SUP_NODISCARD sup_status sup_triangles_add(sup_triangles *t, int a, int b, int c);

SUP_NODISCARD sup_status sup_stl_parse(sup_triangles *t, const char *name, const char *data,
                                       size_t size);
SUP_NODISCARD sup_status sup_ply_parse(sup_triangles *t, const char *name, const char *data,
                                       size_t size);
/** The triangles and quadrilaterals of a mesh file, linear or quadratic (mesh_builder.h). */
SUP_NODISCARD sup_status sup_gmsh_parse_surface(sup_triangles *t, const char *name,
                                                const char *data, size_t size);
SUP_NODISCARD sup_status sup_medit_parse_surface(sup_triangles *t, const char *name,
                                                 const char *data, size_t size);
SUP_NODISCARD sup_status sup_obj_parse(sup_triangles *t, const char *name, const char *data,
                                       size_t size);
