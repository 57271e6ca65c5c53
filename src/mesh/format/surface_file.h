/** Surfaces from files: STL, OBJ, PLY, and those of Gmsh and MEDIT.  Layer mesh. */
#pragma once

#include "mesh/surface.h"

/** Repairs of the file's surface by reading. */
typedef struct sup_surface_repair {
  int points_welded;     /* nearer to another point than single precision resolves */
  int triangles_dropped; /* triangles with two corners at one point */
  int triangles_turned;  /* triangles turned outwards like their neighbours (sup_surface_orient) */
  int gaps_closed;       /* corners at open edges that differed in the last of six digits */
  double widest_gap;     /* of these, in the file's coordinates */
} sup_surface_repair;

/** 1: the end of the name belongs to surfaces only. */
bool sup_surface_is_file_name(const char *path);
/** 1: the name is that of a surface, or of a .msh or .mesh file with triangles and no volume cells.
 * Reads the file. */
bool sup_surface_is_all(const char *path);
/** Repairs as a text for the user: "12 of 400 triangles were turned ..."; "": there are none. */
void sup_surface_repair_text(const sup_surface_repair *repair, int num_triangles, char *text,
                             size_t size);

/** Read a surface as triangles over points that are all used, each once: corners nearer than 2^-22
 * of the largest coordinate are one point, and such at open edges nearer than 8e-6, if that closes
 * the surface; triangles that face another way than their neighbours,
 * or inwards, are turned.  By the name's end: `.stl` (ASCII; binary when the size
 * is 84 + 50 n with n the count in the file), `.obj` (v and f, polygons cut into fans; textures,
 * normals, lines and groups are passed over), `.ply` (ASCII and binary; vertex and face), `.msh`
 * and `.mesh` (triangles and quadrilaterals; quadratic ones become flat triangles between all their
 * points). E_IO: the file cannot be read.  E_PARSE: "file:line: the value found, the values
 * allowed", for a binary STL the number of the triangle.  E_GEOMETRY: no triangle is left.
 *  @param[in] scale    factor of each coordinate, not 0; a mirrored surface keeps its outward side
 *  @param[out] points  [surface->num_points x 3], freed by the caller with SUP_FREE
 *  @param[out] repair  may be NULL */
SUP_NODISCARD sup_status sup_surface_read(sup_surface **surface, double **points, const char *path,
                                          const double scale[3], sup_surface_repair *repair);
/** sup_surface_read from memory; the end of `name` says the format. */
SUP_NODISCARD sup_status sup_surface_parse(sup_surface **surface, double **points, const char *name,
                                           const char *data, size_t size, const double scale[3],
                                           sup_surface_repair *repair);
