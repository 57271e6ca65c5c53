#include "step/layout.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fem/growth.h"
#include "fem/material.h"
#include "step/numerics.h"

/* ---- block columns --------------------------------------------------------------------------- */

/** Trees whose block column of A has only its diagonal block. */
static sup_status find_alone(sup_step_layout *layout) {
  const sup_block_pattern *P = &layout->A_pattern;
  const sup_model         *model = layout->model;
  SUP_TRY(SUP_CALLOC(layout->alone, model->num_trees));
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t];
    if (block != SUP_NONE)
      layout->alone[t] = sup_block_column(P, block + 1) - sup_block_column(P, block) == 1;
    for (int e = 0; e < block && layout->alone[t]; e++)
      layout->alone[t] = sup_block_pattern_find(P, block, e) == SUP_NONE;
  }
  return SUP_OK;
}

static sup_status find_block_bodies(sup_step_layout *layout) {
  const sup_model *model = layout->model;
  SUP_TRY(SUP_CALLOC(layout->block_body, model->num_blocks));
  for (int b = 0; b < model->num_blocks; b++) layout->block_body[b] = SUP_NONE;
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < model->soft[i].num_vertices; a++)
      if (model->soft[i].block[a] != SUP_NONE) layout->block_body[model->soft[i].block[a]] = i;
  return SUP_OK;
}

/** A tree that a body couples to vertices on another rank is not alone. */
static sup_status join_trees(sup_step_layout *layout) {
  const sup_model  *model = layout->model;
  SUP_FREED double *coupled = NULL;
  sup_status        status = SUP_CALLOC(coupled, model->num_trees);
  SUP_TRY(sup_agree(model->ranks, status));
  for (int t = 0; t < model->num_trees; t++) coupled[t] = !layout->alone[t];
  model->ranks->max(model->ranks, (size_t)model->num_trees, coupled);
  for (int t = 0; t < model->num_trees; t++) layout->alone[t] = coupled[t] == 0;
  return SUP_OK;
}

static sup_status find_held_axes(sup_step_layout *layout) {
  const sup_model *model = layout->model;
  SUP_TRY(SUP_CALLOC(layout->held_axes, model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (soft->block[a / 3] != SUP_NONE && soft->holder[a] != SUP_NONE)
        layout->held_axes[soft->block[a / 3]] |= (unsigned char)(1 << a % 3);
  }
  return SUP_OK;
}

/* ---- maps of bodies into A ------------------------------------------------------------------- */

/** Append an entry of the body's pattern to the last run if the entry follows the run in both
 * patterns.
 */
static sup_status add_run(sup_soft_map *map, int from, int to) {
  sup_soft_run *last = map->num_runs ? &map->run[map->num_runs - 1] : NULL;
  if (last && from == last->from + last->count && to == last->to + last->count) {
    last->count++;
    return SUP_OK;
  }
  SUP_TRY(SUP_GROW(map->run, map->run_capacity, map->num_runs + 1));
  map->run[map->num_runs++] = (sup_soft_run){from, to, 1};
  return SUP_OK;
}

/** Append the free vertices next to those that the tree carries. */
static sup_status add_borders(const sup_step_layout *layout, const sup_soft *soft,
                              sup_soft_map *map, int tree, unsigned char *seen) {
  int block = layout->model->tree_block[tree];
  memset(seen, 0, (size_t)soft->num_vertices);
  for (size_t k = 0; k < map->num_links; k++) {
    int row = map->link[k].row, col = map->link[k].col;
    int free = soft->attach_of[row] == SUP_NONE ? row : col;
    if (soft->block[free] == SUP_NONE || seen[free] ||
        sup_soft_moving_block(layout->model, soft, row + col - free) != block)
      continue;
    seen[free] = 1;
    SUP_TRY(SUP_GROW(map->border, map->border_capacity, map->num_borders + 1));
    map->border[map->num_borders++] =
        (sup_soft_border){free, tree, /* trees come first */
                          sup_block_pattern_find(&layout->A_pattern, soft->block[free], block)};
  }
  return SUP_OK;
}

static bool is_moved(const sup_soft *soft, int vertex) {
  int              n;
  const sup_mover *mover = sup_soft_movers(soft, vertex, &n);
  return mover || soft->attach_of[vertex] != SUP_NONE;
}

/** Share of the block of two movers; each pair of a diagonal block comes in both orders. */
static sup_status add_share(const sup_step_layout *layout, sup_soft_map *map, size_t link,
                            const sup_mover *row, const sup_mover *col) {
  const sup_model         *model = layout->model;
  const sup_block_pattern *P = &layout->A_pattern;
  bool                     is_diagonal = map->link[link].row == map->link[link].col;
  int                      r = sup_soft_moving_block(model, &model->soft[row->soft], row->vertex),
      c = sup_soft_moving_block(model, &model->soft[col->soft], col->vertex);
  if (r == SUP_NONE || c == SUP_NONE || (is_diagonal && r < c)) return SUP_OK;
  int entry = r >= c ? sup_block_pattern_find(P, r, c) : sup_block_pattern_find(P, c, r);
  SUP_TRY(SUP_GROW(map->share, map->share_capacity, map->num_shares + 1));
  map->share[map->num_shares++] = (sup_soft_share){link,
                                                   row,
                                                   col,
                                                   row->weight * col->weight,
                                                   sup_block_value(P, entry),
                                                   r < c                    ? SUP_SHARE_TURNED
                                                   : r == c && !is_diagonal ? SUP_SHARE_BOTH
                                                                            : SUP_SHARE_PLAIN};
  return SUP_OK;
}

/** Shares of all blocks with a tied vertex. */
static sup_status add_shares(const sup_step_layout *layout, const sup_soft *soft,
                             sup_soft_map *map) {
  if (soft->num_tied == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(map->self, soft->num_vertices));
  for (int a = 0; a < soft->num_vertices; a++)
    map->self[a] = (sup_mover){(int)(soft - layout->model->soft), a, 1};
  for (size_t k = 0; k < map->num_links; k++) {
    int              n, m, i = map->link[k].row, j = map->link[k].col;
    const sup_mover *row = sup_soft_movers(soft, i, &n), *col = sup_soft_movers(soft, j, &m);
    if (!row && !col) continue;
    if (!row) row = &map->self[i], n = 1;
    if (!col) col = &map->self[j], m = 1;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < m; b++) SUP_TRY(add_share(layout, map, k, row + a, col + b));
  }
  return SUP_OK;
}

static sup_status build_map(const sup_step_layout *layout, const sup_soft *soft, sup_soft_map *map,
                            unsigned char *seen) {
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int i = sup_block_row(P, e), a = soft->block[i], b = soft->block[j];
      if (is_moved(soft, i) || is_moved(soft, j)) {
        SUP_TRY(SUP_GROW(map->link, map->link_capacity, map->num_links + 1));
        map->link[map->num_links++] = (sup_soft_link){e, i, j};
      } else if (!layout->is_free && a != SUP_NONE &&
                 b != SUP_NONE) /* vertices keep their order, so the block is not transposed */
        SUP_TRY(add_run(map, e, sup_block_pattern_find(&layout->A_pattern, a, b)));
    }
  for (int t = 0; t < soft->num_attach_trees; t++)
    SUP_TRY(add_borders(layout, soft, map, soft->attach_tree[t], seen));
  return add_shares(layout, soft, map);
}

/** Places in A of a body that needs no matrix of its own; *end is behind all places in use. */
static sup_status build_places(const sup_step_layout *layout, int i, size_t *end) {
  const sup_soft *soft = &layout->model->soft[i];
  sup_soft_map   *map = &layout->soft_map[i];
  if (soft->num_dirichlet > 0 || soft->in_tie ||
      sup_soft_steps_nonlinearly(layout->model, i, layout->options.soft_bdf2))
    return SUP_OK;
  SUP_TRY(SUP_CALLOC(map->place, sup_block_column(sup_fem_pattern(soft->fem), soft->num_vertices)));
  for (size_t k = 0; k < map->num_runs; k++)
    for (int e = 0; e < map->run[k].count; e++)
      map->place[map->run[k].from + e] = sup_block_value(&layout->A_pattern, map->run[k].to + e);
  for (size_t k = 0; k < map->num_links; k++, *end += 9) map->place[map->link[k].entry] = *end;
  return SUP_OK;
}

static sup_status build_maps(sup_step_layout *layout, size_t *num_values) {
  unsigned char *seen = NULL;
  sup_status     status = SUP_CALLOC(layout->soft_map, layout->model->num_softs);
  if (status == SUP_OK) status = SUP_CALLOC(seen, layout->model->num_vertices);
  for (int i = 0; i < layout->model->num_softs && status == SUP_OK; i++) {
    const sup_soft *soft = &layout->model->soft[i];
    if (layout->is_free && soft->num_attach_trees == 0) continue;
    status = build_map(layout, soft, &layout->soft_map[i], seen + soft->first_vertex);
    if (status == SUP_OK && !layout->is_free) status = build_places(layout, i, num_values);
  }
  SUP_FREE(seen);
  return status;
}

/* ---- soft bodies that are not assembled --------------------------------------------------------
 */

/** Distance of neighbouring vertices at rest: the edge of cubes, a mean of the edges of slender
 * cells. */
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

/** Mean extent along each axis between vertices of a cell; the spacing of a grid. */
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

/** Node distances of lattices: about twice the vertex distance, a whole number of layers, and at
 * least six cells in all if possible. */
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
static sup_status place_at_rest(sup_step_layout *layout) {
  const sup_model *model = layout->model;
  SUP_TRY(SUP_CALLOC(layout->distance, 3 * (size_t)model->num_softs));
  SUP_TRY(SUP_CALLOC(layout->reference, 3 * (size_t)model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const sup_mesh *mesh = sup_fem_mesh(soft->fem);
    distances_of(mesh, layout->distance + 3 * i);
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(layout->reference + 3 * (size_t)soft->block[a], mesh->x + 3 * (size_t)a,
               3 * sizeof *mesh->x);
  }
  return SUP_OK;
}

static int is_soft(const sup_model *model, int block) {
  return model->body[model->block_body[block]].soft != SUP_NONE;
}

/** Pattern of the stored part of A, without blocks that couple two vertices. */
static sup_status build_free_pattern(sup_step_layout *layout) {
  const sup_model *model = layout->model;
  SUP_FREED int   *pair = NULL;
  int              num = 0;
  SUP_TRY(SUP_CALLOC(pair, 2 * model->num_base_pairs));
  for (size_t k = 0; k < model->num_base_pairs; k++) {
    const int *of = model->base_pair + 2 * k;
    if (is_soft(model, of[0]) && is_soft(model, of[1])) continue;
    pair[2 * num] = of[0], pair[2 * num++ + 1] = of[1];
  }
  SUP_TRY(sup_block_pattern_build(&layout->A_pattern, model->num_blocks, model->block_size,
                                  (size_t)num, pair));
  return place_at_rest(layout);
}

sup_status sup_step_layout_join(const sup_step_layout *layout, sup_reduction *reduction) {
  const sup_model *model = layout->model;
  SUP_FREED int   *first = NULL;
  SUP_FREED int   *root = NULL;
  SUP_TRY(SUP_CALLOC(first, model->num_softs));
  SUP_TRY(SUP_CALLOC(root, model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) first[i] = SUP_NONE;
  for (int b = 0; b < model->num_blocks; b++) {
    int i = layout->block_body[b];
    if (i != SUP_NONE && first[i] == SUP_NONE) first[i] = b;
    root[b] = i == SUP_NONE ? b : first[i];
  }
  sup_reduction_join(reduction, root);
  return SUP_OK;
}

/* ---- all
 * ----------------------------------------------------------------------------------------- */

static sup_status build(sup_step_layout *layout) {
  const sup_model *model = layout->model;
  if (layout->is_free)
    SUP_TRY(build_free_pattern(layout));
  else
    SUP_TRY(sup_block_pattern_build(&layout->A_pattern, model->num_blocks, model->block_size,
                                    model->num_base_pairs, model->base_pair));
  sup_block_pattern_finish(&layout->A_pattern);
  layout->num_values = sup_block_pattern_num_values(&layout->A_pattern);
  SUP_TRY(build_maps(layout, &layout->num_values));
  SUP_TRY(find_alone(layout));
  SUP_TRY(find_block_bodies(layout));
  SUP_TRY(find_held_axes(layout));
  if (!model->ranks) return SUP_OK;
  SUP_TRY(
      sup_block_pattern_build(&layout->D_pattern, model->num_blocks, model->block_size, 0, NULL));
  sup_block_pattern_finish(&layout->D_pattern);
  SUP_TRY(join_trees(layout));
  return SUP_OK;
}

sup_status sup_step_layout_create(sup_step_layout **out, const sup_model *model,
                                  const sup_options *options) {
  SUP_OWN(sup_step_layout) *layout = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(layout, 1));
  layout->model = model;
  layout->options = *options;
  layout->is_free = options->petsc_matrix == SUP_PETSC_MATRIX_FREE;
  SUP_TRY(build(layout));
  *out = layout, layout = NULL;
  return SUP_OK;
}

void sup_step_layout_destroy(sup_step_layout **handle) {
  sup_step_layout *layout = *handle;
  if (!layout) return;
  for (int i = 0; layout->soft_map && i < layout->model->num_softs; i++) {
    sup_soft_map *map = &layout->soft_map[i];
    SUP_FREE_ALL(&map->run, &map->link, &map->border, &map->place, &map->share, &map->self);
  }
  SUP_FREE_ALL(&layout->soft_map, &layout->held_axes, &layout->alone, &layout->block_body,
               &layout->reference, &layout->distance);
  sup_block_pattern_free(&layout->A_pattern);
  sup_block_pattern_free(&layout->D_pattern);
  SUP_FREE(*handle);
}

int sup_soft_steps_nonlinearly(const sup_model *model, int i, int soft_bdf2) {
  const sup_fem_body *fem = model->soft[i].fem;
  if (!sup_fem_body_is_linear(fem) || sup_soft_has_follower(&model->soft[i]) ||
      sup_fem_num_growths(fem) > 0)
    return 1;
  for (int k = 0; k < sup_fem_num_materials(fem) && soft_bdf2; k++)
    if (sup_fem_material(fem, k)->model == SUP_MATERIAL_LINEAR_COROTATIONAL) return 1;
  return 0;
}

void sup_step_for_bodies(const sup_model *model, sup_team_item *item, void *user) {
  enum { THREAD_VERTICES = 50 }; /* least work of a thread: some 0.01 ms of assembly */
  int enough = model->num_vertices / THREAD_VERTICES, most = enough < 2 ? 1 : sup_team_size();
  if (model->ranks) most = 1; /* sums over ranks are in the order of the bodies */
  sup_team_for(enough < most ? enough : most, model->num_softs, item, user);
}
