/* A of soft bodies that are not assembled (fem/cell_operator.h): diagonal blocks and those of trees
 * and springs are stored; the rest of the cells' matrices is applied in each product. Components
 * that are held have a diagonal and nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solve/island.h"
#include "step/numerics.h"
#include "step/stepper.h"

enum { MOST_SCALARS = 3 * SUP_CLIQUE_MOST };

/* ---- constant -------------------------------------------------------------------------------- */

/** Distance of neighbouring vertices at rest: of cubes their edge, of slender cells between their
 * edges. */
static double distance_of(const sup_mesh *mesh) {
  double nearest = 0, all = 0;
  int    n = sup_cell_num_vertices(mesh->type);
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    double     least = HUGE_VAL, sum = 0;
    for (int a = 1; a < n; a++)
      for (int b = 0; b < a; b++) {
        double d = sup_v3_norm(sup_v3_sub(sup_v3_load(mesh->x + 3 * (size_t)cell[a]),
                                          sup_v3_load(mesh->x + 3 * (size_t)cell[b])));
        least = fmin(least, d), sum += d;
      }
    nearest += least, all += 2 * sum / (n * (n - 1));
  }
  return sqrt(nearest / mesh->num_cells * all / mesh->num_cells / sup_step_numerics.mean_of_cubes);
}

/** Mean extent along each axis from one vertex of a cell to the next: of a grid its spacing. */
static void find_layers(const sup_mesh *mesh, double layer[3]) {
  int n = sup_cell_num_vertices(mesh->type), parts = mesh->type == SUP_CELL_T10 ? 2 : 1;
  for (int k = 0; k < 3; k++) layer[k] = 0;
  for (int c = 0; c < mesh->num_cells; c++)
    for (size_t k = 0; k < 3; k++) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (int a = 0; a < n; a++) {
        double x = mesh->x[3 * (size_t)sup_mesh_cell(mesh, c)[a] + k];
        low = fmin(low, x), high = fmax(high, x);
      }
      layer[k] += (high - low) / parts / mesh->num_cells;
    }
}

/** Distances for lattices of twice that, whose nodes have whole numbers of layers between them, in
 * all at least six cells, where that can be. */
static void distances_of(const sup_mesh *mesh, double *distance) {
  double least = sup_step_numerics.distance_least, most = sup_step_numerics.distance_most;
  enum { FEWEST = 6 };
  double one = distance_of(mesh), layer[3], num[3];
  int    is_grid = 1;
  find_layers(mesh, layer);
  for (int k = 0; k < 3; k++) num[k] = fmax(1, round(2 * one / layer[k]));
  while (num[0] * num[1] * num[2] < FEWEST) {
    int thinnest = 0;
    for (int k = 1; k < 3; k++)
      if (num[k] * layer[k] < num[thinnest] * layer[thinnest]) thinnest = k;
    num[thinnest]++;
  }
  for (int k = 0; k < 3; k++) {
    distance[k] = num[k] * layer[k] / 2;
    is_grid &= distance[k] > least * one && distance[k] < most * one;
  }
  for (int k = 0; k < 3 && !is_grid; k++) distance[k] = one;
}

/** Set distances of all bodies, and reference positions of vertices with unknowns. */
static sup_status place_at_rest(sup_stepper *s) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_CALLOC(s->distance, 3 * (size_t)model->num_softs));
  SUP_TRY(SUP_CALLOC(s->reference, 3 * (size_t)model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const sup_mesh *mesh = sup_fem_mesh(soft->fem);
    distances_of(mesh, s->distance + 3 * i);
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(s->reference + 3 * (size_t)soft->block[a], mesh->x + 3 * (size_t)a,
               3 * sizeof *mesh->x);
  }
  return SUP_OK;
}

static void add_rest(const sup_block_rest *rest, const double *x, double *y);
static void visit_rest(const sup_block_rest *rest, int is_valued, sup_clique_visitor *visit,
                       void *user);

static int is_soft(const sup_model *model, int block) {
  return model->body[model->block_body[block]].soft != SUP_NONE;
}

sup_status sup_stepper_build_free(sup_stepper *s) {
  const sup_model *model = s->model;
  int             *pair = NULL, num = 0;
  sup_status       status;
  SUP_TRY_GOTO(SUP_CALLOC(pair, 2 * model->num_base_pairs), status, done);
  for (size_t k = 0; k < model->num_base_pairs; k++) {
    const int *of = model->base_pair + 2 * k;
    if (is_soft(model, of[0]) && is_soft(model, of[1])) continue;
    pair[2 * num] = of[0], pair[2 * num++ + 1] = of[1];
  }
  SUP_TRY_GOTO(sup_block_pattern_build(&s->A_pattern, model->num_blocks, model->block_size,
                                       (size_t)num, pair),
               status, done);
  SUP_TRY_GOTO(place_at_rest(s), status, done);
  s->rest = (sup_block_rest){add_rest, visit_rest, s};
done:
  SUP_FREE(pair);
  return status;
}

sup_status sup_stepper_join_free(const sup_stepper *s) {
  const sup_model *model = s->model;
  int             *first = NULL, *root = NULL;
  sup_status       status;
  SUP_TRY_GOTO(SUP_CALLOC(first, model->num_softs), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(root, model->num_blocks), status, done);
  for (int i = 0; i < model->num_softs; i++) first[i] = SUP_NONE;
  for (int b = 0; b < model->num_blocks; b++) {
    int i = s->block_body[b];
    if (i != SUP_NONE && first[i] == SUP_NONE) first[i] = b;
    root[b] = i == SUP_NONE ? b : first[i];
  }
  sup_reduction_join(s->reduction, root);
done:
  SUP_FREE(first), SUP_FREE(root);
  return status;
}

/* ---- assembly -------------------------------------------------------------------------------- */

sup_status sup_stepper_allocate_free(sup_stepper *s, int i) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  size_t          n = 3 * (size_t)soft->num_vertices;
  work->place = NULL;
  SUP_TRY(SUP_ARENA(s->arena, work->A, 3 * n + 9 * s->soft_map[i].num_links));
  SUP_TRY(SUP_ARENA(s->arena, work->known, 3 * n));
  SUP_TRY(SUP_ARENA(s->arena, work->in, n));
  SUP_TRY(SUP_ARENA(s->arena, work->out, n));
  if (work->is_nonlinear)
    SUP_TRY(SUP_ARENA(s->arena, work->cell_pull, sup_fem_pull_size(soft->fem)));
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

void sup_stepper_take_cells(const sup_stepper *s, int i) {
  const sup_soft     *soft = &s->model->soft[i];
  const sup_soft_map *map = &s->soft_map[i];
  sup_soft_work      *work = &s->assembly.soft[i];
  size_t              n = 9 * (size_t)soft->num_vertices;
  sup_fem_cells_diagonal(&work->cells, work->A);
  memcpy(work->known, work->A, n * sizeof *work->known);
  if (map->num_links == 0) return;
  link_filling f = {soft, map, work->A + n};
  memset(f.A, 0, 9 * map->num_links * sizeof *f.A);
  sup_fem_cells_visit(&work->cells, 1, add_cell_to_links, &f);
}

const double *sup_stepper_link_block(const sup_stepper *s, int i, size_t k) {
  const sup_soft_work *work = &s->assembly.soft[i];
  const sup_soft_link *link = &s->soft_map[i].link[k];
  if (!s->is_free) return work->A + work->place[link->entry];
  if (link->row == link->col) return work->A + 9 * (size_t)link->row;
  return work->A + 9 * ((size_t)s->model->soft[i].num_vertices + k);
}

void sup_stepper_place_diagonal(sup_stepper *s, int i) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &s->assembly.soft[i];
  for (int a = 0; a < soft->num_vertices; a++)
    if (soft->block[a] != SUP_NONE)
      memcpy(s->assembly.A + sup_block_diagonal(&s->A_pattern, soft->block[a]),
             work->A + 9 * (size_t)a, 9 * sizeof *work->A);
}

void sup_stepper_multiply_soft(const sup_stepper *s, int i, const double *u, double *out) {
  const sup_soft_work *work = &s->assembly.soft[i];
  if (s->is_free)
    sup_fem_cells_multiply(&work->cells, u, out);
  else
    sup_fem_multiply(s->model->soft[i].fem, work->A, u, out);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/** True if component k of block column b is coupled to others. */
static int is_coupled(const sup_stepper *s, int b, int k) { return !(s->held_axes[b] >> k & 1); }

/** y += product of a body's cells with x, less that of their diagonal blocks. */
static void add_body(const sup_stepper *s, int i, const double *x, double *y) {
  const sup_soft      *soft = &s->model->soft[i];
  const sup_soft_work *work = &s->assembly.soft[i];
  for (int a = 0; a < soft->num_vertices; a++) {
    int b = soft->block[a];
    for (int k = 0; k < 3; k++)
      work->in[3 * a + k] =
          b != SUP_NONE && is_coupled(s, b, k) ? x[sup_block_first(&s->A_pattern, b) + k] : 0;
  }
  sup_fem_cells_multiply(&work->cells, work->in, work->out);
  for (int a = 0; a < soft->num_vertices; a++) {
    int           b = soft->block[a];
    const double *K = work->known + 9 * (size_t)a, *in = work->in + 3 * a;
    if (b == SUP_NONE) continue;
    double *to = y + sup_block_first(&s->A_pattern, b);
    for (int k = 0; k < 3; k++)
      if (is_coupled(s, b, k))
        to[k] += work->out[3 * a + k] - (K[k] * in[0] + K[3 + k] * in[1] + K[6 + k] * in[2]);
  }
}

static void add_rest(const sup_block_rest *rest, const double *x, double *y) {
  const sup_stepper *s = rest->self;
  for (int i = 0; i < s->model->num_softs; i++) add_body(s, i, x, y);
}

/** Hands cells on with their block columns. */
typedef struct passage {
  const sup_stepper  *s;
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
              is_coupled(p->s, block[a], i) && is_coupled(p->s, block[b], j)
                  ? K[(3 * slot[a] + i) * 3 * n + 3 * slot[b] + j]
                  : 0;
  if (num > 1) p->visit(p->user, num, block, K ? own : NULL);
}

static void visit_rest(const sup_block_rest *rest, int is_valued, sup_clique_visitor *visit,
                       void *user) {
  const sup_stepper *s = rest->self;
  for (int i = 0; i < s->model->num_softs; i++) {
    passage p = {s, &s->model->soft[i], visit, user};
    sup_fem_cells_visit(&s->assembly.soft[i].cells, is_valued, pass_cell, &p);
  }
}
