/* TetGen's .node and .ele: lines of numbers, '#' begins a comment. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/cell.h"
#include "mesh/format/mesh_write.h"
#include "mesh/generate/tetgen.h"
#include "mesh/mesh_builder.h"

enum { MAX_ITEMS = 1 << 28 };

/** The rest of a line: attributes, of which the last, or a marker behind them, says to which set
 * this belongs; 0: none.
 */
static sup_status read_mark(sup_scan *s, sup_mesh_builder *mesh, sup_set_kind kind,
                            int num_attributes, int tag) {
  char   name[SUP_NAME_MAX];
  double mark = 0;
  int    set;
  for (int k = 0; k < num_attributes; k++)
    SUP_TRY(sup_scan_read_number(s, "an attribute or marker", &mark));
  if (mark == 0 || mark != floor(mark) || fabs(mark) > 1e6) return SUP_OK;
  snprintf(name, sizeof name, kind == SUP_SET_CELLS ? "region_%.0f" : "marker_%.0f", mark);
  SUP_TRY(sup_builder_need_set(mesh, s, kind, name, &set));
  SUP_TRY(sup_builder_add_member(mesh, set, tag));
  return SUP_OK;
}

/** @param[out] first  the number of the first point, 0 or 1 */
static sup_status read_points(sup_scan *s, sup_mesh_builder *mesh, int *count, int *first) {
  int dimension, number, num_attributes = 0, has_marker = 0;
  SUP_TRY(sup_scan_begin_line(s, "the number of points", 4, MAX_ITEMS, count));
  SUP_TRY(sup_scan_read_integer(s, "the dimension", 3, 3, &dimension));
  if (sup_scan_in_line(s))
    SUP_TRY(sup_scan_integer(s, "the number of attributes", 0, 100, &num_attributes));
  if (sup_scan_in_line(s)) SUP_TRY(sup_scan_integer(s, "0 or 1 for markers", 0, 1, &has_marker));
  sup_scan_next_line(s);
  for (int i = 0; i < *count; i++) {
    double x[3];
    SUP_TRY(sup_scan_begin_line(s, "the number of a point", i == 0 ? 0 : *first + i,
                                i == 0 ? 1 : *first + i, &number));
    if (i == 0) *first = number;
    for (int k = 0; k < 3; k++) SUP_TRY(sup_scan_read_number(s, "a coordinate", &x[k]));
    SUP_TRY(sup_builder_add_point(mesh, s, number, x));
    if (has_marker) SUP_TRY(read_mark(s, mesh, SUP_SET_VERTICES, num_attributes + 1, number));
    sup_scan_next_line(s);
  }
  return SUP_OK;
}

/** Each vertex on an edge must lie nearer to the middle of its own edge than to that of any other:
 * the expected order is TetGen's, which its manual does not state and other programs do not use.
 *  @param[in] vertex  numbers in the file, in VTK's order
 *  @param[in] x       of all points, the first has the number `first` */
static sup_status check_edges(const sup_scan *s, const double *x, int first, const int vertex[10]) {
  const sup_cell_kind *t10 = sup_cell_kind_of(SUP_CELL_T10);
  sup_v3               p[10];
  for (int a = 0; a < 10; a++) p[a] = sup_v3_load(x + 3 * (ptrdiff_t)(vertex[a] - first));
  for (int e = 0; e < 6; e++) {
    int    best = e;
    double least = HUGE_VAL;
    for (int k = 0; k < 6; k++) {
      sup_v3 middle = sup_v3_scale(.5, sup_v3_add(p[t10->edge[k][0]], p[t10->edge[k][1]]));
      double off = sup_v3_norm(sup_v3_sub(p[4 + e], middle));
      if (off < least) least = off, best = k;
    }
    if (best != e)
      return SUP_SCAN_FAIL(s,
                           "found point %d nearest to the middle of the edge from %d to %d, "
                           "expected that from %d to %d: after the corners 1 2 3 4 of a cell come "
                           "the points on its edges 34 14 12 23 24 13, as tetgen -o2 writes them",
                           vertex[4 + e], vertex[t10->edge[best][0]], vertex[t10->edge[best][1]],
                           vertex[t10->edge[e][0]], vertex[t10->edge[e][1]]);
  }
  return SUP_OK;
}

static sup_status read_cells(sup_scan *s, sup_mesh_builder *mesh, int num_points, int first) {
  int  num_cells, corners, number, vertex[10], num_attributes = 0;
  char what[SUP_SCAN_WORD_MAX];
  SUP_TRY(sup_scan_begin_line(s, "the number of cells", 1, MAX_ITEMS, &num_cells));
  SUP_TRY(sup_scan_read_integer(s, "the points of a cell", 4, 10, &corners));
  if (corners != 4 && corners != 10)
    return SUP_SCAN_FAIL(
        s, "found %d points a cell, expected 4 (tetrahedra) or 10 (quadratic ones)", corners);
  if (sup_scan_in_line(s))
    SUP_TRY(sup_scan_integer(s, "the number of attributes", 0, 100, &num_attributes));
  sup_scan_next_line(s);
  snprintf(what, sizeof what, "the number of a cell (points count from %d)", first);
  for (int t = 0; t < num_cells; t++) {
    SUP_TRY(sup_scan_begin_line(s, what, first + t, first + t, &number));
    for (int k = 0; k < corners; k++)
      SUP_TRY(sup_scan_read_integer(s, "a point of a cell", first, first + num_points - 1,
                                    &vertex[sup_tetgen_t10_order[k]]));
    if (corners == 10) SUP_TRY(check_edges(s, mesh->x, first, vertex));
    SUP_TRY(sup_builder_add_cell(mesh, s, corners, "tetrahedra", number, vertex));
    if (num_attributes > 0) SUP_TRY(read_mark(s, mesh, SUP_SET_CELLS, num_attributes, number));
    sup_scan_next_line(s);
  }
  return SUP_OK;
}

sup_status sup_tetgen_parse(sup_mesh **mesh, const char *node_name, const char *node,
                            const char *ele_name, const char *ele, sup_mesh_report *report) {
  sup_scan nodes = sup_scan_open(node_name, node, strlen(node)),
           cells = sup_scan_open(ele_name, ele, strlen(ele));
  SUP_SCOPED(sup_builder_free) sup_mesh_builder builder = {0};
  int                                           count = 0, first = 0;
  *mesh = NULL;
  SUP_TRY(read_points(&nodes, &builder, &count, &first));
  SUP_TRY(read_cells(&cells, &builder, count, first));
  SUP_TRY(sup_builder_finish(&builder, ele_name, "", mesh, report));
  return SUP_OK;
}

sup_status sup_tetgen_read(sup_mesh **mesh, const char *node_path, const char *ele_path,
                           sup_mesh_report *report) {
  SUP_FREED char *node = NULL, *ele = NULL;
  size_t          size;
  *mesh = NULL;
  SUP_TRY(sup_file_read_most(node_path, SUP_FILE_MOST_CELLS, &node, &size));
  SUP_TRY(sup_file_read_most(ele_path, SUP_FILE_MOST_CELLS, &ele, &size));
  SUP_TRY(sup_tetgen_parse(mesh, node_path, node, ele_path, ele, report));
  return SUP_OK;
}
