/** Legacy VTK: volume meshes in (2.0 to 5.1, ASCII and binary), files of any content out (3.0).
 * Layer mesh.
 *
 *  Output is version 3.0 (VisIt, vtk.js and older readers do not know 5.1), binary big-endian or
 * ASCII in the C locale with 17 digits, 9 of floats.  NaN and infinity are written as 0 and
 * counted, since readers lose every array after a NaN in an ASCII file. Several SCALARS, VECTORS
 * and TENSORS a file: ParaView reads them all; a script that uses vtkUnstructuredGridReader calls
 * ReadAllScalarsOn, ReadAllVectorsOn and ReadAllTensorsOn first. */
#pragma once

#include "base/file/file.h"
#include "mesh/distribute/refine_part.h"
#include "mesh/format/mesh_file.h"

/** Point and cell data of this name and the set's are not 0 where something belongs to it. */
#define SUP_VTK_SET_PREFIX "region_"
/** Numbers in the whole mesh, in files that hold a part of it; postproc/gather.py joins them. */
#define SUP_VTK_GLOBAL_VERTEX "global_vertex"
#define SUP_VTK_GLOBAL_CELL "global_cell"

/** Read tetrahedra, linear or quadratic, or hexahedra (one type a file; cells of surfaces and lines
 * are counted and passed over, other volumes are an error that names them) and clean them with
 * sup_mesh_clean.  Of attributes only named sets are read, point and cell data "region_NAME" with
 * one number each; reading ends with a note at the first attribute that is not understood. E_PARSE:
 * "file:line: the value found, the values allowed", for binary files the byte offset. E_GEOMETRY: a
 * cell that cannot be used.
 *  @param[in]  name    of the file, for messages
 *  @param[out] report  repair and skipped are set; may be NULL */
SUP_NODISCARD sup_status sup_vtk_parse_mesh(sup_mesh **mesh, const char *name, const char *data,
                                            size_t size, sup_mesh_report *report);
SUP_NODISCARD sup_status sup_vtk_write_mesh(const sup_mesh *mesh, const char *path, int binary);
/** sup_vtk_write_mesh with the title of the whole mesh and its numbers of points and cells. */
SUP_NODISCARD sup_status sup_vtk_write_piece(const sup_mesh_piece *piece, const char *path,
                                             int binary);

/** Record of a section of a file as bytes: sections equal in every frame of a run are converted
 * once.  Zeroed at first. */
typedef struct sup_vtk_record {
  char  *bytes;
  size_t size, capacity;
  int    num_points, num_cells; /* of the file up to its end */
  int    is_done;               /* 1: complete, can be copied into other files */
  int    is_too_large;          /* 1: given up: the section is converted in each file */
} sup_vtk_record;

void sup_vtk_record_free(sup_vtk_record *record);

/** Writer of one file, used in this order: open, time (if at all), points, cells or polygons, then
 * per section data_begin and its arrays, close.  Every function after a failure of an earlier one
 * returns that failure, and close then leaves no file.  E_ARG: counts that do not fit together, a
 * name with blanks. */
typedef struct sup_vtk_writer {
  sup_file_writer out;
  int             binary;
  int             is_single; /* points and arrays as float; set behind open */
  int             nonfinite; /* numbers that were NaN or infinite and were written as 0 */
  int             num_points, num_cells; /* SUP_NONE until written */
  int             count;                 /* of the section that was begun; SUP_NONE before */
  sup_status      status;                /* first failure */
  sup_vtk_record *record;                /* record of the present section; NULL: none */
} sup_vtk_writer;

SUP_NODISCARD sup_status sup_vtk_open(sup_vtk_writer *writer, const char *path, const char *title,
                                      int binary);
/** sup_vtk_open for one of many files (sup_file_open_bytes). */
SUP_NODISCARD sup_status sup_vtk_open_frame(sup_vtk_writer *writer, const char *path,
                                            const char *title, int binary);
/** TIME and CYCLE as dataset FIELD, for people and other tools (ParaView takes its times from the
 * series file).  num_more: numbers with names that follow by sup_vtk_field_number. */
SUP_NODISCARD sup_status sup_vtk_time(sup_vtk_writer *writer, double time, long cycle,
                                      int num_more);
/** A number of the dataset FIELD; other characters than plain letters in its name are written as
 * %XX. */
SUP_NODISCARD sup_status sup_vtk_field_number(sup_vtk_writer *writer, const char *name, int value);
/** Begin a section that is equal in every file.
 *  @return 1: the section was written from the record; 0: write the section now, then call
 * sup_vtk_record_end */
int                      sup_vtk_record_begin(sup_vtk_writer *writer, sup_vtk_record *record);
SUP_NODISCARD sup_status sup_vtk_record_end(sup_vtk_writer *writer);
/** @param[in] x  [num_points x 3] */
SUP_NODISCARD sup_status sup_vtk_points(sup_vtk_writer *writer, int num_points, const double *x);
SUP_NODISCARD sup_status sup_vtk_cells(sup_vtk_writer *writer, const sup_mesh *mesh);
/** Polygon i has points start[i] .. start[i+1]-1 of `point`; one of a single point is a vertex.
 * They are cells of an unstructured grid, since meshio knows no polygonal data. */
SUP_NODISCARD sup_status sup_vtk_polygons(sup_vtk_writer *writer, int num_polygons,
                                          const int *start, const int *point);
/** "POINT_DATA n" or "CELL_DATA n". */
SUP_NODISCARD sup_status sup_vtk_data_begin(sup_vtk_writer *writer, bool is_cell_data, int count);
SUP_NODISCARD sup_status sup_vtk_scalars(sup_vtk_writer *writer, const char *name, int count,
                                         const double *value);
SUP_NODISCARD sup_status sup_vtk_integers(sup_vtk_writer *writer, const char *name, int count,
                                          const int *value);
/** @param[in] value  [count x 3] */
SUP_NODISCARD sup_status sup_vtk_vectors(sup_vtk_writer *writer, const char *name, int count,
                                         const double *value);
/** @param[in] value  [count x 9], 3x3 row-major */
SUP_NODISCARD sup_status sup_vtk_tensors(sup_vtk_writer *writer, const char *name, int count,
                                         const double *value);
/** Commit the file under its name.  E_IO names the file. */
SUP_NODISCARD sup_status sup_vtk_close(sup_vtk_writer *writer);
/** Drop the file; harmless after close and on a zeroed writer. */
void sup_vtk_abandon(sup_vtk_writer *writer);
