/** Volume meshes from and to files of any known format.  Layer mesh.
 *
 *  in: legacy VTK (mesh/format/vtk.h), Gmsh .msh 2.2 and 4.1, TetGen .node with .ele, Abaqus and
 * CalculiX .inp, MEDIT .mesh (ASCII); out: the same without MEDIT, .msh as 2.2.  Each reader is our
 * own code of some 200 lines, whose messages say file:line, the value found and the values allowed.
 */
#pragma once

#include "mesh/mesh.h"

enum { SUP_MESH_MAX_FILES = 16, SUP_MESH_PATH_MAX = 1024 };

/** Report on a file that was read: repairs, skipped items, further files. */
typedef struct sup_mesh_report {
  sup_mesh_repair repair;
  char skipped[256]; /* skipped contents of the file: "24 triangles, 2 sets"; may be empty */
  char cut[128];     /* "12 wedges cut into 36 tetrahedra"; may be empty */
  int  num_more;     /* further files that were read: .ele, *INCLUDE */
  char more[SUP_MESH_MAX_FILES][SUP_MESH_PATH_MAX];
} sup_mesh_report;

/** Read the cells of a file, all of one type, and clean them with sup_mesh_clean.  The first line
 * of the file decides the format, or else the end of the name.  Nearly flat cells get a warning
 * with the worst of them. E_IO: a file cannot be read.  E_PARSE: "file:line: the value found, the
 * values allowed".  E_GEOMETRY: a cell that cannot be used.
 *  @param[out] report  may be NULL */
SUP_NODISCARD sup_status sup_mesh_read(sup_mesh **mesh, const char *path, sup_mesh_report *report);
/** Report as a text for the user: "12 inverted cells turned, 24 triangles passed over"; empty when
 * there is nothing. */
void sup_mesh_report_text(const sup_mesh_report *report, char *text, size_t size);
/** 1: the end of the name belongs to volume meshes. */
bool sup_mesh_is_file_name(const char *path);

/** Write by the end of the name: .vtk, .msh (Gmsh 2.2), .inp (Abaqus, CalculiX), .node with .ele
 * beside it (TetGen, tetrahedra).  Numbers keep all their digits.  E_ARG: another end, or cells
 * that the format has not.  E_IO.
 *  @param[in] binary  of .vtk; the others are text */
SUP_NODISCARD sup_status sup_mesh_write(const sup_mesh *mesh, const char *path, int binary);

/* ---- one format each, from memory; `name` is used in messages -------------------------------- */

SUP_NODISCARD sup_status sup_medit_parse_mesh(sup_mesh **mesh, const char *name, const char *data,
                                              size_t size, sup_mesh_report *report);
SUP_NODISCARD sup_status sup_gmsh_parse_mesh(sup_mesh **mesh, const char *name, const char *data,
                                             size_t size, sup_mesh_report *report);
/** Includes are searched in the folder of `name`. */
SUP_NODISCARD sup_status sup_abaqus_parse_mesh(sup_mesh **mesh, const char *name, const char *data,
                                               size_t size, sup_mesh_report *report);
