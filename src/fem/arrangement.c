/* Processing order of a body's cells, and the vertices to which each batch adds. */
#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/numerics.h"
#include "mesh/cell_order.h"

static sup_status check_cells(const sup_mesh *mesh) {
  int n = sup_cell_num_vertices(mesh->type);
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    for (int a = 0; a < n; a++) {
      if (cell[a] < 0 || cell[a] >= mesh->num_vertices)
        return SUP_FAIL(SUP_E_GEOMETRY, "cell %d refers to vertex %d; the mesh has %d", c, cell[a],
                        mesh->num_vertices);
      for (int b = 0; b < a; b++)
        if (cell[b] == cell[a])
          return SUP_FAIL(SUP_E_GEOMETRY, "cell %d has vertex %d twice", c, cell[a]);
    }
  }
  return SUP_OK;
}

/** Vertices to which each batch adds: block columns of pairs with later vertices of a cell. */
static sup_status build_ranges(sup_fem_body *body) {
  int n = body->element->num_vertices;
  SUP_TRY(
      sup_ranges_begin(&body->batch_ranges, sup_fem_num_batches(body), body->mesh->num_vertices));
  for (int i = 0; i < n * body->mesh->num_cells; i++)
    sup_ranges_touch(&body->batch_ranges, i / (n * SUP_BATCH), body->mesh->cell[i]);
  sup_ranges_finish(&body->batch_ranges);
  return SUP_OK;
}

/** 1: two threads would share too many batches, although the body is large enough for two threads.
 */
static bool is_scattered(const sup_fem_body *body) {
  size_t pairs = (size_t)body->mesh->num_cells * (size_t)body->element->num_pairs;
  return pairs >= 2 * SUP_FEM_THREAD_PAIRS &&
         sup_ranges_longest(&body->batch_ranges, 2) >
             sup_fem_numerics.scattered * body->batch_ranges.num_items;
}

static sup_status sort_cells(sup_fem_body *body) {
  const sup_mesh *given = body->given;
  size_t          n = (size_t)body->element->num_vertices;
  SUP_TRY(SUP_CALLOC(body->number, given->num_cells));
  SUP_TRY(SUP_CALLOC(body->place, given->num_cells));
  SUP_TRY(SUP_CALLOC(body->sorted.cell, n * (size_t)given->num_cells));
  SUP_TRY(sup_mesh_cell_order(given, body->number));
  for (int c = 0; c < given->num_cells; c++) {
    body->place[body->number[c]] = c;
    memcpy(body->sorted.cell + n * (size_t)c, sup_mesh_cell(given, body->number[c]),
           n * sizeof *given->cell);
  }
  body->sorted.type = given->type, body->sorted.x = given->x;
  body->sorted.num_vertices = given->num_vertices, body->sorted.num_cells = given->num_cells;
  body->mesh = &body->sorted;
  return SUP_OK;
}

sup_status sup_fem_arrange(sup_fem_body *body) {
  body->mesh = body->given;
  SUP_TRY(check_cells(body->given));
  SUP_TRY(build_ranges(body));
  if (!is_scattered(body)) return SUP_OK;
  SUP_TRY(sort_cells(body));
  sup_ranges_free(&body->batch_ranges);
  SUP_TRY(build_ranges(body));
  return SUP_OK;
}
