/* A of soft bodies that are not assembled (fem/cell_operator.h): diagonal blocks and those of trees
 * and springs are stored; the rest of the cells' matrices is applied in each product. Held
 * components have only a diagonal entry. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solve/island.h"
#include "step/assembly.h"
#include "step/numerics.h"

enum { MOST_SCALARS = 3 * SUP_CLIQUE_MOST };

/* ---- assembly -------------------------------------------------------------------------------- */

sup_status sup_assembly_allocate_free(const sup_step_start *s, sup_assembly *assembly, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &assembly->soft[i];
  size_t          n = 3 * (size_t)soft->num_vertices;
  work->place = NULL;
  SUP_TRY(SUP_ARENA(s->arena, work->A, 3 * n + 9 * s->layout->soft_map[i].num_links));
  SUP_TRY(SUP_ARENA(s->arena, work->known, 3 * n));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &work->in, &work->out));
  if (work->is_nonlinear)
    SUP_TRY(SUP_ARENA(s->arena, work->cell_pull, sup_fem_tension_size(soft->fem)));
  return SUP_OK;
}

/** Destination of the off-diagonal blocks of links. */
typedef struct link_filling {
  const sup_soft     *soft;
  const sup_soft_map *map;
  double             *A; /* [num_links x 9] */
} link_filling;

static int compare_links(const void *a, const void *b) {
  const sup_soft_link *x = a, *y = b;
  int                  col = (x->col > y->col) - (x->col < y->col);
  return col ? col : (x->row > y->row) - (x->row < y->row);
}

static void add_cell_to_links(void *user, int n, const int *vertex, const double *K) {
  const link_filling *f = user;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (vertex[a] <= vertex[b]) continue;
      if (f->soft->attach_of[vertex[a]] == SUP_NONE && f->soft->attach_of[vertex[b]] == SUP_NONE)
        continue;
      const sup_soft_link  key = {0, vertex[a], vertex[b]}; /* links ascend as entries do */
      const sup_soft_link *link =
          bsearch(&key, f->map->link, f->map->num_links, sizeof key, compare_links);
      double *to = f->A + 9 * (link - f->map->link);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[3 * j + i] += K[(3 * a + i) * 3 * n + 3 * b + j];
    }
}

void sup_assembly_copy_cells(const sup_assembly *assembly, int i) {
  const sup_soft     *soft = &assembly->layout->model->soft[i];
  const sup_soft_map *map = &assembly->layout->soft_map[i];
  sup_soft_work      *work = &assembly->soft[i];
  size_t              n = 9 * (size_t)soft->num_vertices;
  sup_fem_cells_diagonal(&work->cells, work->A);
  memcpy(work->known, work->A, n * sizeof *work->known);
  if (map->num_links == 0) return;
  link_filling f = {soft, map, work->A + n};
  memset(f.A, 0, 9 * map->num_links * sizeof *f.A);
  sup_fem_cells_visit(&work->cells, 1, add_cell_to_links, &f);
}

const double *sup_assembly_link_block(const sup_assembly *assembly, int i, size_t k) {
  const sup_step_layout *layout = assembly->layout;
  const sup_soft_work   *work = &assembly->soft[i];
  const sup_soft_link   *link = &layout->soft_map[i].link[k];
  if (!layout->is_free) return work->A + work->place[link->entry];
  if (link->row == link->col) return work->A + 9 * (size_t)link->row;
  return work->A + 9 * ((size_t)layout->model->soft[i].num_vertices + k);
}

void sup_assembly_copy_diagonal(sup_assembly *assembly, int i) {
  const sup_soft      *soft = &assembly->layout->model->soft[i];
  const sup_soft_work *work = &assembly->soft[i];
  for (int a = 0; a < soft->num_vertices; a++)
    if (soft->block[a] != SUP_NONE)
      memcpy(assembly->A + sup_block_diagonal(&assembly->layout->A_pattern, soft->block[a]),
             work->A + 9 * (size_t)a, 9 * sizeof *work->A);
}

void sup_assembly_multiply_soft(const sup_assembly *assembly, int i, const double *u, double *out) {
  const sup_soft_work *work = &assembly->soft[i];
  if (assembly->layout->is_free)
    sup_fem_cells_multiply(&work->cells, u, out);
  else
    sup_fem_multiply(assembly->layout->model->soft[i].fem, work->A, u, out);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/** True if component k of block column b is not held and so couples to others. */
static int is_coupled(const sup_assembly *assembly, int b, int k) {
  return !(assembly->layout->held_axes[b] >> k & 1);
}

/** y += product of a body's cells with x, without the part of the cells' diagonal blocks. */
static void add_body(const sup_assembly *assembly, int i, const double *x, double *y) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  const sup_soft          *soft = &assembly->layout->model->soft[i];
  const sup_soft_work     *work = &assembly->soft[i];
  for (int a = 0; a < soft->num_vertices; a++) {
    int b = soft->block[a];
    for (int k = 0; k < 3; k++)
      work->in[3 * a + k] =
          b != SUP_NONE && is_coupled(assembly, b, k) ? x[sup_block_first(P, b) + k] : 0;
  }
  sup_fem_cells_multiply(&work->cells, work->in, work->out);
  for (int a = 0; a < soft->num_vertices; a++) {
    int           b = soft->block[a];
    const double *K = work->known + 9 * (size_t)a, *in = work->in + 3 * a;
    if (b == SUP_NONE) continue;
    double *to = y + sup_block_first(P, b);
    for (int k = 0; k < 3; k++)
      if (is_coupled(assembly, b, k))
        to[k] += work->out[3 * a + k] - (K[k] * in[0] + K[3 + k] * in[1] + K[6 + k] * in[2]);
  }
}

static void add_rest(const sup_block_rest *rest, const double *x, double *y) {
  const sup_assembly *assembly = rest->self;
  for (int i = 0; i < assembly->layout->model->num_softs; i++) add_body(assembly, i, x, y);
}

/** Pass each cell with its block columns to the caller's function. */
typedef struct passage {
  const sup_assembly *assembly;
  const sup_soft     *soft;
  sup_clique_visitor *visit;
  void               *user;
} passage;

static void pass_cell(void *user, int n, const int *vertex, const double *K) {
  const passage *p = user;
  int            block[SUP_CLIQUE_MOST], slot[SUP_CLIQUE_MOST], num = 0;
  double         own[MOST_SCALARS * MOST_SCALARS];
  for (int a = 0; a < n; a++)
    if (p->soft->block[vertex[a]] != SUP_NONE)
      block[num] = p->soft->block[vertex[a]], slot[num++] = a;
  for (int a = 0; a < num && K; a++)
    for (int b = 0; b < num; b++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          own[(3 * a + i) * 3 * num + 3 * b + j] =
              is_coupled(p->assembly, block[a], i) && is_coupled(p->assembly, block[b], j)
                  ? K[(3 * slot[a] + i) * 3 * n + 3 * slot[b] + j]
                  : 0;
  if (num > 1) p->visit(p->user, num, block, K ? own : NULL);
}

static void visit_rest(const sup_block_rest *rest, bool is_valued, sup_clique_visitor *visit,
                       void *user) {
  const sup_assembly *assembly = rest->self;
  const sup_model    *model = assembly->layout->model;
  for (int i = 0; i < model->num_softs; i++) {
    passage p = {assembly, &model->soft[i], visit, user};
    sup_fem_cells_visit(&assembly->soft[i].cells, is_valued, pass_cell, &p);
  }
}

sup_block_rest sup_assembly_rest_of_cells(const sup_assembly *assembly) {
  return (sup_block_rest){add_rest, visit_rest, assembly};
}
