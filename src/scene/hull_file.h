/** Shapes from surface and mesh files, for scenes and URDF.  Layer scene. */
#pragma once

#include "base/status.h"
#include "supple/mesh.h"

/** Convex hull of the surface in a file (mesh/format/surface_file.h).  The log is told, after
 * `where`, when the file measures more than 10 m, when the surface is not convex and by how much
 * the hull is larger, and when the hull has so many corners that contact will be slow.  Errors of
 * sup_surface_read and sup_hull_create, with the file's name.
 *  @param[in] scale  factor of each coordinate; negative ones mirror */
SUP_NODISCARD sup_status sup_hull_of_file(sup_hull **hull, const char *path, const double scale[3],
                                          const char *where);
/** The closed surface in such a file as it is; errors and warnings as above, and
 * E_GEOMETRY: the surface is open. */
SUP_NODISCARD sup_status sup_polyhedron_of_file(sup_hull **hull, const char *path,
                                                const double scale[3], const char *where);
/** The cells of a mesh file as T4 (sup_mesh_to_t4), and their surface; errors of sup_mesh_read,
 * warnings as above. */
SUP_NODISCARD sup_status sup_cells_of_file(sup_mesh **cells, sup_hull **hull, const char *path,
                                           const double scale[3], const char *where);
