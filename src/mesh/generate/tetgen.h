/** The tetrahedral mesher TetGen and its files.  Layer mesh.
 *
 *  TetGen is run as a program and never linked: it is AGPL, and on bad input it ends by an
 * exception that nobody catches.  sup_mesh_of_polyhedron (public) checks the surface, writes it as
 * .poly into a folder of its own and reads what tetgen leaves there. */
#pragma once

#include "mesh/format/mesh_file.h"

/** The T4 mesh of a pair of files NAME.node and NAME.ele, cleaned with sup_mesh_clean: points
 * counted from 0 or 1 (the first number says which), a marker N of a point puts it into the set
 * marker_N, the last attribute N of a cell that into region_N, of cells with 10 points the corners.
 * report may be NULL.  E_IO; E_PARSE: "file:line: the value found, the values allowed"; E_GEOMETRY:
 * a cell that cannot be used. */
SUP_NODISCARD sup_status sup_tetgen_read(sup_mesh **mesh, const char *node_path,
                                         const char *ele_path, sup_mesh_report *report);
/** sup_tetgen_read from memory; the names are used in messages. */
SUP_NODISCARD sup_status sup_tetgen_parse(sup_mesh **mesh, const char *node_name, const char *node,
                                          const char *ele_name, const char *ele,
                                          sup_mesh_report *report);
