/** Cell types: vertices, edges and faces.  Layer mesh.
 *
 *  Vertex order is VTK's: a positive T4 has det[x1-x0, x2-x0, x3-x0] > 0; H8 vertices 0-3 go around
 * the bottom counter-clockwise seen from the top, 4-7 above them; a T10 is a T4 with a vertex on
 * each of its edges (0,1) (1,2) (0,2) (0,3) (1,3) (2,3), numbers 4 to 9. */
#pragma once

#include "base/status.h"
#include "supple/mesh.h"

enum { SUP_CELL_MAX_VERTICES = 10, SUP_CELL_FACE_MAX_VERTICES = 6 };

typedef struct sup_cell_kind {
  sup_cell_type type;
  const char   *name;         /* "T4" */
  const char   *word;         /* "tetrahedron", VTK's word */
  int           vtk;          /* VTK's number of the type */
  int           num_vertices; /* the corners come first */
  int           num_corners;  /* end corners of the straight edges */
  int           num_edges;    /* edge of two corners */
  const int (*edge)[2];       /* [num_edges] */
  int num_faces;              /* outward by the right-hand rule */
  int vertices_per_face; /* T10: three corners, then the vertices on the edges that leave each of
                            them */
  int corners_per_face;
  const int (*face)[SUP_CELL_FACE_MAX_VERTICES];
} sup_cell_kind;

enum { SUP_NUM_CELL_TYPES = 3 };

/** @param type  a valid cell type */
const sup_cell_kind *sup_cell_kind_of(sup_cell_type type);
/** Type of a cell of 4, 8 or 10 vertices. */
sup_cell_type sup_cell_type_of(int num_vertices);
/** 4, 8 or 10. */
int sup_cell_num_vertices(sup_cell_type type);
/** "T4", "H8" or "T10". */
const char *sup_cell_name(sup_cell_type type);
