#include "mesh/cell_order.h"

#include "base/memory.h"
#include "mesh/numerics.h"

typedef struct walk {
  const sup_mesh *mesh;
  int            *start, *around;      /* cells around vertex i: around[start[i]] .. */
  int            *queue;               /* [num_vertices] in the order in which they were reached */
  unsigned char  *is_reached, *is_out; /* [num_vertices], [num_cells] */
  int             num_reached, num_out;
  int            *order;
} walk;

static void reach(walk *w, int vertex) {
  if (w->is_reached[vertex]) return;
  w->is_reached[vertex] = 1, w->queue[w->num_reached++] = vertex;
}

/** Append the cells of all reached vertices, from position `from` of the queue on; returns the new
 * position. */
static int spread(walk *w, int from) {
  for (; from < w->num_reached; from++)
    for (int k = w->start[w->queue[from]]; k < w->start[w->queue[from] + 1]; k++) {
      int c = w->around[k];
      if (w->is_out[c]) continue;
      w->is_out[c] = 1, w->order[w->num_out++] = c;
      for (int a = 0; a < sup_cell_num_vertices(w->mesh->type); a++)
        reach(w, sup_mesh_cell(w->mesh, c)[a]);
    }
  return from;
}

/** Vertices at the lower end of the longest side of the box. */
static void reach_end(walk *w) {
  sup_v3 lower, upper;
  double low[3], side[3];
  int    axis = 0;
  sup_mesh_bounds(w->mesh, &lower, &upper);
  sup_v3_store(low, lower), sup_v3_store(side, sup_v3_sub(upper, lower));
  for (int k = 1; k < 3; k++)
    if (side[k] > side[axis]) axis = k;
  for (int i = 0; i < w->mesh->num_vertices; i++)
    if (w->mesh->x[3 * i + axis] <= low[axis] + sup_mesh_numerics.end * side[axis]) reach(w, i);
}

static void go(walk *w) {
  reach_end(w);
  int done = spread(w, 0);
  for (int i = 0; i < w->mesh->num_vertices; i++) { /* disconnected parts */
    reach(w, i);
    done = spread(w, done);
  }
}

static void walk_free(walk *w) {
  SUP_FREE_ALL(&w->start, &w->around, &w->queue, &w->is_reached, &w->is_out);
}

sup_status sup_mesh_cell_order(const sup_mesh *mesh, int *order) {
  SUP_OWN_VALUE(walk) w = {.mesh = mesh, .order = order};
  SUP_TRY(SUP_CALLOC(w.start, mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(w.around, sup_cell_num_vertices(mesh->type) * mesh->num_cells));
  SUP_TRY(SUP_CALLOC(w.queue, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(w.is_reached, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(w.is_out, mesh->num_cells));
  sup_mesh_cells_around(mesh, w.start, w.around);
  go(&w);
  return SUP_OK;
}
