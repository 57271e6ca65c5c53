/** Legacy VTK: volume meshes in (2.0 to 4.2, ASCII and binary), files of any content out (3.0).  Layer mesh.
 *
 *  Output is version 3.0, binary big-endian or ASCII in the C locale, never NaN.  Rules that were tried out: ../shared
 *  users.md 4.1. */
#pragma once

#include "base/file.h"
#include "mesh/mesh.h"

/** Read tetrahedra or hexahedra (one type a file; other cell types are an error that names them).  Cleaned by
 * sup_mesh_clean. Errors: "file:line: what was found, what would be right" for text, byte offset for binary. */
SUP_NODISCARD sup_status sup_vtk_read_mesh(sup_mesh **mesh, const char *path, sup_mesh_repair *repair);
SUP_NODISCARD sup_status sup_vtk_write_mesh(const sup_mesh *mesh, const char *path, int binary);

/** Writer of one file, used in this order: open, points, cells or polygons, then per section data_begin and its arrays,
 *  close.  Every function after a failure of an earlier one returns that failure. */
typedef struct sup_vtk_writer {
  sup_file_writer out;
  int             binary;
  int             nonfinite; /* numbers that were NaN or infinite and were written as 0 */
} sup_vtk_writer;

typedef enum sup_vtk_dataset { SUP_VTK_UNSTRUCTURED_GRID, SUP_VTK_POLYDATA } sup_vtk_dataset;

SUP_NODISCARD sup_status sup_vtk_open(sup_vtk_writer *writer, const char *path, const char *title, int binary,
                                      sup_vtk_dataset dataset);
/** TIME and CYCLE as dataset FIELD, for people and other tools. */
SUP_NODISCARD sup_status sup_vtk_time(sup_vtk_writer *writer, double time, long cycle);
SUP_NODISCARD sup_status sup_vtk_points(sup_vtk_writer *writer, int num_points, const double *x);
SUP_NODISCARD sup_status sup_vtk_cells(sup_vtk_writer *writer, const sup_mesh *mesh);
/** POLYDATA polygons: polygon i has points start[i] .. start[i+1]-1 of `point`. */
SUP_NODISCARD sup_status sup_vtk_polygons(sup_vtk_writer *writer, int num_polygons, const int *start, const int *point);
/** "POINT_DATA n" or "CELL_DATA n". */
SUP_NODISCARD sup_status sup_vtk_data_begin(sup_vtk_writer *writer, int is_cell_data, int count);
SUP_NODISCARD sup_status sup_vtk_scalars(sup_vtk_writer *writer, const char *name, int count, const double *value);
SUP_NODISCARD sup_status sup_vtk_integers(sup_vtk_writer *writer, const char *name, int count, const int *value);
SUP_NODISCARD sup_status sup_vtk_vectors(sup_vtk_writer *writer, const char *name, int count, const double *value);
/** 3x3 row-major tensors. */
SUP_NODISCARD sup_status sup_vtk_tensors(sup_vtk_writer *writer, const char *name, int count, const double *value);
SUP_NODISCARD sup_status sup_vtk_close(sup_vtk_writer *writer);
void                     sup_vtk_abandon(sup_vtk_writer *writer);
