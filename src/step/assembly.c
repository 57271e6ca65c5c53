/* Pattern of A, maps of the bodies' matrices into it, and its diagonal. */
#include <string.h>

#include "step/stepper.h"

/* ---- block columns --------------------------------------------------------------------------- */

/** Trees whose block column of A has its diagonal only. */
static sup_status find_alone(sup_stepper *s) {
  const sup_block_pattern *P = &s->A_pattern;
  const sup_model         *model = s->model;
  SUP_TRY(SUP_CALLOC(s->alone, model->num_trees));
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t];
    if (block != SUP_NONE)
      s->alone[t] = sup_block_column(P, block + 1) - sup_block_column(P, block) == 1;
    for (int e = 0; e < block && s->alone[t]; e++)
      s->alone[t] = sup_block_pattern_find(P, block, e) == SUP_NONE;
  }
  return SUP_OK;
}

static sup_status find_block_bodies(sup_stepper *s) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_CALLOC(s->block_body, model->num_blocks));
  for (int b = 0; b < model->num_blocks; b++) s->block_body[b] = SUP_NONE;
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < model->soft[i].num_vertices; a++)
      if (model->soft[i].block[a] != SUP_NONE) s->block_body[model->soft[i].block[a]] = i;
  return SUP_OK;
}

sup_status sup_stepper_place_blocks(sup_stepper *s, const double *x) {
  const sup_model *model = s->model;
  double          *coordinate;
  SUP_TRY(SUP_ARENA(s->arena, coordinate, 3 * model->num_blocks));
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->block[a] != SUP_NONE)
        memcpy(coordinate + 3 * soft->block[a], x + 3 * (soft->first_vertex + a), 3 * sizeof *x);
  }
  s->assembly.space = (sup_block_space){.coordinate = coordinate,
                                        .body = s->block_body,
                                        .num_bodies = model->num_softs,
                                        .held = s->held_axes,
                                        .reference = s->reference,
                                        .distance = s->distance};
  return SUP_OK;
}

/* ---- maps of bodies into A ------------------------------------------------------------------- */

/** Append an entry of the body's pattern to the last run when it lies behind it in both patterns.
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
static sup_status add_borders(const sup_stepper *s, const sup_soft *soft, sup_soft_map *map,
                              int tree, unsigned char *seen) {
  int block = s->model->tree_block[tree];
  memset(seen, 0, (size_t)soft->num_vertices);
  for (size_t k = 0; k < map->num_links; k++) {
    int row = map->link[k].row, col = map->link[k].col;
    int free = soft->attach_of[row] == SUP_NONE ? row : col;
    if (soft->block[free] == SUP_NONE || seen[free] ||
        sup_soft_moving_block(s->model, soft, row + col - free) != block)
      continue;
    seen[free] = 1;
    SUP_TRY(SUP_GROW(map->border, map->border_capacity, map->num_borders + 1));
    map->border[map->num_borders++] =
        (sup_soft_border){free, tree, /* trees come first */
                          sup_block_pattern_find(&s->A_pattern, soft->block[free], block)};
  }
  return SUP_OK;
}

static sup_status build_map(const sup_stepper *s, const sup_soft *soft, sup_soft_map *map,
                            unsigned char *seen) {
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int i = sup_block_row(P, e), a = soft->block[i], b = soft->block[j];
      if (soft->attach_of[i] != SUP_NONE || soft->attach_of[j] != SUP_NONE) {
        SUP_TRY(SUP_GROW(map->link, map->link_capacity, map->num_links + 1));
        map->link[map->num_links++] = (sup_soft_link){e, i, j};
      } else if (!s->is_free && a != SUP_NONE &&
                 b != SUP_NONE) /* vertices keep their order: the block lies the same way */
        SUP_TRY(add_run(map, e, sup_block_pattern_find(&s->A_pattern, a, b)));
    }
  for (int t = 0; t < soft->num_attach_trees; t++)
    SUP_TRY(add_borders(s, soft, map, soft->attach_tree[t], seen));
  return SUP_OK;
}

/** Places in A of a body that needs no matrix of its own; *end is behind all places in use. */
static sup_status build_places(const sup_stepper *s, int i, size_t *end) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_map   *map = &s->soft_map[i];
  if (soft->num_dirichlet > 0 || sup_stepper_soft_is_nonlinear(s->model, i, s->options.soft_bdf2))
    return SUP_OK;
  SUP_TRY(SUP_CALLOC(map->place, sup_block_column(sup_fem_pattern(soft->fem), soft->num_vertices)));
  for (size_t k = 0; k < map->num_runs; k++)
    for (int e = 0; e < map->run[k].count; e++)
      map->place[map->run[k].from + e] = sup_block_value(&s->A_pattern, map->run[k].to + e);
  for (size_t k = 0; k < map->num_links; k++, *end += 9) map->place[map->link[k].entry] = *end;
  return SUP_OK;
}

static sup_status build_maps(sup_stepper *s, size_t *num_values) {
  unsigned char *seen = NULL;
  sup_status     status = SUP_CALLOC(s->soft_map, s->model->num_softs);
  if (status == SUP_OK) status = SUP_CALLOC(seen, s->model->num_vertices);
  for (int i = 0; i < s->model->num_softs && status == SUP_OK; i++) {
    const sup_soft *soft = &s->model->soft[i];
    if (s->is_free && soft->num_attach_trees == 0) continue;
    status = build_map(s, soft, &s->soft_map[i], seen + soft->first_vertex);
    if (status == SUP_OK && !s->is_free) status = build_places(s, i, num_values);
  }
  SUP_FREE(seen);
  return status;
}

sup_status sup_stepper_build_dynamics(sup_stepper *s) {
  const sup_model *model = s->model;
  if (s->is_free)
    SUP_TRY(sup_stepper_build_free(s));
  else
    SUP_TRY(sup_block_pattern_build(&s->A_pattern, model->num_blocks, model->block_size,
                                    model->num_base_pairs, model->base_pair));
  sup_block_pattern_settle(&s->A_pattern);
  size_t num_values = sup_block_pattern_num_values(&s->A_pattern);
  SUP_TRY(build_maps(s, &num_values));
  SUP_TRY(SUP_CALLOC(s->assembly.A, num_values));
  SUP_TRY(find_alone(s));
  SUP_TRY(find_block_bodies(s));
  SUP_TRY(sup_stepper_build_dirichlet(s));
  SUP_TRY(sup_stepper_build_ranks(s));
  return SUP_OK;
}

/* ---- the diagonal ---------------------------------------------------------------------------- */

void sup_stepper_diagonal(const sup_stepper *s, double *diagonal) {
  const sup_block_pattern *P = &s->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *A = sup_stepper_diagonal_block(s, b);
    int           n = sup_block_size(P, b);
    for (int i = 0; i < n; i++) *diagonal++ = A[i * (n + 1)];
  }
}

static void add_to_diagonal(sup_stepper *s, int b, int i, double d) {
  size_t at = (size_t)(i * (sup_block_size(&s->A_pattern, b) + 1));
  if (sup_block_is_own(sup_stepper_ranks(s), b))
    s->assembly.A[sup_block_diagonal(&s->A_pattern, b) + at] += d;
  if (s->assembly.D) s->assembly.D[sup_block_diagonal(&s->D_pattern, b) + at] += d;
}

/** Set a diagonal entry: the owner's part changes by as much as the sum, which is then exact on all
 * ranks. */
static void set_of_ranks(sup_stepper *s, int b, int i, double d) {
  size_t  at = (size_t)(i * (sup_block_size(&s->A_pattern, b) + 1));
  double *D = &s->assembly.D[sup_block_diagonal(&s->D_pattern, b) + at];
  add_to_diagonal(s, b, i, d - *D);
  *D = d;
}

void sup_stepper_set_diagonal(sup_stepper *s, const double *diagonal) {
  const sup_block_pattern *P = &s->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    double *A = s->assembly.A + sup_block_diagonal(P, b);
    int     n = sup_block_size(P, b);
    for (int i = 0; i < n; i++, diagonal++)
      if (s->assembly.D)
        set_of_ranks(s, b, i, *diagonal);
      else
        A[i * (n + 1)] = *diagonal;
  }
}

void sup_stepper_add_hold(sup_stepper *s, const double *diagonal, double scale, const double *v) {
  const sup_block_pattern *P = &s->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    for (int first = sup_block_first(P, b), n = sup_block_size(P, b), i = 0; i < n; i++) {
      add_to_diagonal(s, b, i, scale * diagonal[first + i]);
      s->assembly.p[first + i] += scale * diagonal[first + i] * v[first + i];
    }
  }
}
