/* TetGen's .node and .ele: lines of numbers, '#' begins a comment. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "mesh/surface_parse.h"
#include "mesh/tetgen.h"

enum { MAX_POINTS = 1 << 28 };

/** The last word as a whole number. */
static sup_status check_integer(const sup_scan *s, const char *what, int low, int high, int *value) {
  double number;
  SUP_TRY(sup_scan_number(s, what, &number));
  if (!(number >= low && number <= high && number == floor(number)))
    return SUP_SCAN_FAIL(s, "found %g for %s, expected a whole number from %d to %d", number, what, low, high);
  *value = (int)number;
  return SUP_OK;
}

static sup_status read_integer(sup_scan *s, const char *what, int low, int high, int *value) {
  sup_scan_in_line(s);
  SUP_TRY(check_integer(s, what, low, high, value));
  return SUP_OK;
}

/** What else stands in the line: attributes, markers. */
static void end_line(sup_scan *s) { sup_scan_next_line(s); }

/** The first number of the next line that holds something. */
static sup_status begin_line(sup_scan *s, const char *what, int low, int high, int *value) {
  sup_scan_anywhere(s);
  SUP_TRY(check_integer(s, what, low, high, value));
  return SUP_OK;
}

/** @param[out] first  the number of the first point, 0 or 1 */
static sup_status read_points(sup_scan *s, double **x, int *count, int *first) {
  int dimension, number;
  SUP_TRY(begin_line(s, "the number of points", 4, MAX_POINTS, count));
  SUP_TRY(read_integer(s, "the dimension", 3, 3, &dimension));
  end_line(s);
  SUP_TRY(SUP_CALLOC(*x, 3 * (size_t)*count));
  for (int i = 0; i < *count; i++) {
    SUP_TRY(begin_line(s, "the number of a point", i == 0 ? 0 : *first + i, i == 0 ? 1 : *first + i, &number));
    if (i == 0) *first = number;
    for (int k = 0; k < 3; k++) {
      sup_scan_in_line(s);
      SUP_TRY(sup_scan_number(s, "a coordinate", &(*x)[3 * (size_t)i + (size_t)k]));
    }
    end_line(s);
  }
  return SUP_OK;
}

static sup_status read_cells(sup_scan *s, sup_mesh **mesh, int num_points, int first) {
  int num_cells, corners, number, vertex;
  SUP_TRY(begin_line(s, "the number of cells", 1, MAX_POINTS, &num_cells));
  SUP_TRY(read_integer(s, "the points of a cell", 4, 10, &corners));
  end_line(s);
  SUP_TRY(sup_mesh_create(mesh, SUP_CELL_T4, num_points, num_cells));
  for (int t = 0; t < num_cells; t++) {
    SUP_TRY(begin_line(s, "the number of a cell", first + t, first + t, &number));
    for (int k = 0; k < 4; k++) {
      SUP_TRY(read_integer(s, "a point of a cell", first, first + num_points - 1, &vertex));
      (*mesh)->cell[4 * t + k] = vertex - first;
    }
    end_line(s);
  }
  return SUP_OK;
}

sup_status sup_tetgen_parse(sup_mesh **mesh, const char *node_name, const char *node, const char *ele_name,
                            const char *ele) {
  sup_scan   nodes = sup_scan_open(node_name, node, strlen(node)), cells = sup_scan_open(ele_name, ele, strlen(ele));
  double    *x = NULL;
  int        count = 0, first = 0;
  sup_status status;
  *mesh = NULL;
  SUP_TRY_GOTO(read_points(&nodes, &x, &count, &first), status, done);
  SUP_TRY_GOTO(read_cells(&cells, mesh, count, first), status, done);
  memcpy((*mesh)->x, x, 3 * (size_t)count * sizeof *x);
  SUP_TRY_GOTO(sup_mesh_clean(*mesh, NULL), status, done);
done:
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  SUP_FREE(x);
  return status;
}

sup_status sup_tetgen_read(sup_mesh **mesh, const char *node_path, const char *ele_path) {
  char      *node = NULL, *ele = NULL;
  size_t     size;
  sup_status status;
  *mesh = NULL;
  SUP_TRY_GOTO(sup_file_read(node_path, &node, &size), status, done);
  SUP_TRY_GOTO(sup_file_read(ele_path, &ele, &size), status, done);
  SUP_TRY_GOTO(sup_tetgen_parse(mesh, node_path, node, ele_path, ele), status, done);
done:
  SUP_FREE(node);
  SUP_FREE(ele);
  return status;
}
