#include "mesh/mesh_builder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MAX_ITEMS = INT_MAX / 32 };

sup_status sup_builder_add_point(sup_mesh_builder *b, const sup_scan *s, int tag, const double x[3]) {
  if (b->num_points == MAX_ITEMS) return SUP_SCAN_FAIL(s, "more than %d points", MAX_ITEMS);
  SUP_TRY(SUP_GROW(b->x, b->x_capacity, 3 * (size_t)b->num_points + 3));
  SUP_TRY(SUP_GROW(b->tag, b->tag_capacity, b->num_points + 1));
  memcpy(b->x + 3 * (size_t)b->num_points, x, 3 * sizeof *x);
  b->tag[b->num_points++] = tag;
  return SUP_OK;
}

sup_status sup_builder_add_cell(sup_mesh_builder *b, const sup_scan *s, sup_cell_type type, const char *type_name,
                                int tag, const int *corner) {
  size_t n = (size_t)sup_cell_num_vertices(type), at = (size_t)b->num_cells;
  if (b->num_cells == 0) {
    b->type = type;
    snprintf(b->type_name, sizeof b->type_name, "%s", type_name);
  }
  if (type != b->type)
    return SUP_SCAN_FAIL(s, "found %s (%s) after %s (%s), expected cells of one type in a file", type_name,
                         sup_cell_name(type), b->type_name, sup_cell_name(b->type));
  if (b->num_cells == MAX_ITEMS) return SUP_SCAN_FAIL(s, "more than %d cells", MAX_ITEMS);
  SUP_TRY(SUP_GROW(b->corner, b->corner_capacity, n * (at + 1)));
  SUP_TRY(SUP_GROW(b->cell_tag, b->cell_tag_capacity, at + 1));
  SUP_TRY(SUP_GROW(b->place, b->place_capacity, at + 1));
  memcpy(b->corner + n * at, corner, n * sizeof *corner);
  b->cell_tag[at] = tag;
  b->place[at] = (sup_builder_place){s->name, s->line};
  b->num_cells++;
  return SUP_OK;
}

void sup_builder_skip(sup_mesh_builder *b, const char *what, long count) {
  int k = 0;
  while (k < b->num_kinds && strcmp(b->kind[k].what, what) != 0) k++;
  if (k == SUP_BUILDER_MAX_KINDS) return; /* a message of so many kinds helps nobody */
  if (k == b->num_kinds) {
    snprintf(b->kind[k].what, sizeof b->kind[k].what, "%s", what);
    b->kind[k].count = 0;
    b->num_kinds++;
  }
  b->kind[k].count += count;
}

/* ---- from tags to numbers ---------------------------------------------------------------------------------------- */

typedef struct tagged {
  int tag, point;
} tagged;

static int by_tag(const void *a, const void *b) {
  const tagged *p = a, *q = b;
  if (p->tag != q->tag) return p->tag < q->tag ? -1 : 1;
  return p->point < q->point ? -1 : p->point > q->point;
}

static sup_status sort_points(const sup_mesh_builder *b, const char *name, tagged *order) {
  for (int i = 0; i < b->num_points; i++) order[i] = (tagged){b->tag[i], i};
  if (b->num_points > 0) qsort(order, (size_t)b->num_points, sizeof *order, by_tag);
  for (int i = 1; i < b->num_points; i++)
    if (order[i].tag == order[i - 1].tag)
      return SUP_FAIL(SUP_E_PARSE, "%s: two points have the number %d, expected a number of its own for each", name,
                      order[i].tag);
  return SUP_OK;
}

static sup_status number_corners(const sup_mesh_builder *b, const tagged *order, int *cell) {
  int n = sup_cell_num_vertices(b->type);
  for (int c = 0; c < b->num_cells; c++)
    for (int a = 0; a < n; a++) {
      size_t       at = (size_t)c * (size_t)n + (size_t)a;
      const tagged key = {b->corner[at], -1}, *found;
      size_t       low = 0, high = (size_t)b->num_points;
      while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_tag(&order[middle], &key) < 0)
          low = middle + 1;
        else
          high = middle;
      }
      found = low < (size_t)b->num_points ? &order[low] : NULL;
      if (!found || found->tag != key.tag)
        return SUP_FAIL(SUP_E_PARSE, "%s:%ld: cell %d has the point %d, which is not among the %d points of the file",
                        b->place[c].name, b->place[c].line, b->cell_tag[c], key.tag, b->num_points);
      cell[at] = found->point;
    }
  return SUP_OK;
}

static void describe_skipped(const sup_mesh_builder *b, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < b->num_kinds && used < size; k++)
    used +=
        (size_t)snprintf(text + used, size - used, "%s%ld %s", k > 0 ? ", " : "", b->kind[k].count, b->kind[k].what);
}

sup_status sup_builder_finish(const sup_mesh_builder *b, const char *name, const char *advice, sup_mesh **mesh,
                              sup_mesh_report *report) {
  char            skipped[sizeof report->skipped];
  tagged         *order = NULL;
  sup_mesh_repair repair;
  sup_status      status;
  *mesh = NULL;
  describe_skipped(b, skipped, sizeof skipped);
  if (b->num_cells == 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: found %s%s%d points, expected tetrahedra or hexahedra%s", name, skipped,
                    skipped[0] ? " and " : "", b->num_points, advice);
  SUP_TRY(SUP_CALLOC(order, b->num_points));
  SUP_TRY_GOTO(sort_points(b, name, order), status, done);
  SUP_TRY_GOTO(sup_mesh_create(mesh, b->type, b->num_points, b->num_cells), status, done);
  if (b->num_points > 0) memcpy((*mesh)->x, b->x, 3 * (size_t)b->num_points * sizeof *b->x);
  SUP_TRY_GOTO(number_corners(b, order, (*mesh)->cell), status, done);
  status = sup_mesh_clean(*mesh, &repair);
  if (status != SUP_OK) {
    status = SUP_FAIL(status, "%s: %s", name, sup_error_message());
    goto done;
  }
  if (report) {
    report->repair = repair;
    memcpy(report->skipped, skipped, sizeof skipped);
  }
done:
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  SUP_FREE(order);
  return status;
}

void sup_builder_free(sup_mesh_builder *b) {
  SUP_FREE(b->x);
  SUP_FREE(b->tag);
  SUP_FREE(b->corner);
  SUP_FREE(b->cell_tag);
  SUP_FREE(b->place);
}
