/** Volume meshes for other programs, as text with 17 digits.  Layer mesh, private: sup_mesh_write
 * chooses.
 *
 *  Points and cells are counted from 1, in the mesh's order.  E_IO. */
#pragma once

#include "mesh/mesh.h"

/** VTK's number of each vertex of a quadratic tetrahedron in Gmsh's order: the last two are
 * exchanged. */
extern const int sup_gmsh_t10_order[10];
/** VTK's number of each vertex of a quadratic tetrahedron in TetGen's order, that of tetgen -o2 1.5
 * and 1.6: after the corners the edges (2,3) (0,3) (0,1) (1,2) (1,3) (0,2). */
extern const int sup_tetgen_t10_order[10];
/** Gmsh .msh 2.2; sets are physical groups, those of vertices of elements of one point.  A cell
 * stays in the first of its sets, with a warning. */
SUP_NODISCARD sup_status sup_gmsh_write_mesh(const sup_mesh *mesh, const char *path);
/** *NODE and *ELEMENT with the sets NALL and EALL, and the mesh's own as *NSET and *ELSET: C3D4,
 * C3D10, or C3D8I for H8, whose incompatible modes are those of the H8 here. */
SUP_NODISCARD sup_status sup_abaqus_write_mesh(const sup_mesh *mesh, const char *path);
/** NAME.node and NAME.ele, tetrahedra only (E_ARG); sets are left out, with a warning.
 *  @param[in] path  one of the two */
SUP_NODISCARD sup_status sup_tetgen_write_mesh(const sup_mesh *mesh, const char *path);
