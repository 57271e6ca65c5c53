#include "mesh/cell.h"

static const int tet_edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
static const int hex_edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                    {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int tet_face[4][SUP_CELL_FACE_MAX_VERTICES] = {
    {0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}};
static const int hex_face[6][SUP_CELL_FACE_MAX_VERTICES] = {
    {0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static const sup_cell_kind kind[SUP_NUM_CELL_TYPES] = {
    [SUP_CELL_T4] = {SUP_CELL_T4, "T4", "tetrahedron", 10, 4, 4, 6, tet_edge, 4, 3, 3, tet_face},
    [SUP_CELL_H8] = {SUP_CELL_H8, "H8", "hexahedron", 12, 8, 8, 12, hex_edge, 6, 4, 4, hex_face},
    [SUP_CELL_T10] = {SUP_CELL_T10, "T10", "quadratic tetrahedron", 24, 10, 4, 6, tet_edge, 4, 6, 3,
                      tet_face}};

const sup_cell_kind *sup_cell_kind_of(sup_cell_type type) { return &kind[type]; }
int                  sup_cell_num_vertices(sup_cell_type type) { return kind[type].num_vertices; }

sup_cell_type sup_cell_type_of(int num_vertices) {
  return num_vertices == 4 ? SUP_CELL_T4 : num_vertices == 8 ? SUP_CELL_H8 : SUP_CELL_T10;
}

const char *sup_cell_name(sup_cell_type type) { return kind[type].name; }
