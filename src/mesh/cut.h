/** Pyramids, wedges and hexahedra cut into tetrahedra, for meshes of mixed cells.  Layer mesh.
 *
 *  Corners: a pyramid has the base 0-3 and the apex 4, a wedge the triangles 0-2 and 3-5, of which
 * 0 to 3 is an edge, a hexahedron VTK's order; either orientation will do. */
#pragma once

#include "base/status.h"

/** Tetrahedra; zero at first, freed with sup_cut_free. */
typedef struct sup_cut {
  int  num_cells;
  int *cell;   /* [num_cells x 4] */
  int *parent; /* [num_cells] cut cell around each, ascending */
} sup_cut;

/** True for 4, 5, 6 and 8: tetrahedron, pyramid, wedge, hexahedron. */
bool sup_cut_takes(int num_vertices);
/** Cut cells.  The diagonal of a face goes through its vertex of the lowest number, so that
 * neighbours agree; tetrahedra with a vertex twice, of collapsed cells, are left out.
 *  E_GEOMETRY: cell *bad_cell has a part inside out; else *bad_cell is SUP_NONE.
 *  @param[in] num_vertices  [num_cells] counts that sup_cut_takes
 *  @param[in] vertex        [sum of num_vertices] cell by cell
 *  @param[in] x             [num_vertices of the mesh x 3] positions [m] */
SUP_NODISCARD sup_status sup_cut_cells(sup_cut *cut, int num_cells,
                                       const unsigned char *num_vertices, const int *vertex,
                                       const double *x, int *bad_cell);
void                     sup_cut_free(sup_cut *cut);
/** text [size] := "12 wedges, 3 hexahedra cut into 54 tetrahedra". */
void sup_cut_text(const sup_cut *cut, int num_cells, const unsigned char *num_vertices, char *text,
                  size_t size);
