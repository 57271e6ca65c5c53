#include "step/column/carried.h"

#include <string.h>

#include "model/body_point.h"

/* ---- start ----------------------------------------------------------------------------------- */

static int find_part(sup_carried *d, int block, int n, bool is_vertex) {
  int k = 0;
  if (block == SUP_NONE) return SUP_NONE;
  while (k < d->num_parts && d->part[k].block != block) k++;
  if (k == d->num_parts)
    d->part[d->num_parts++] = (sup_carried_part){.block = block, .n = n, .is_vertex = is_vertex};
  return k;
}

/** True if a comes after b in the lower triangle. */
static bool is_row(const sup_carried_part *a, const sup_carried_part *b) {
  return a->block >= b->block;
}

sup_status sup_carried_begin(const sup_step_layout *layout, sup_arena *arena,
                             const sup_body_point *a, const sup_body_point *b, sup_carried *d) {
  const sup_model         *model = layout->model;
  const sup_block_pattern *P = &layout->A_pattern;
  int                      most = a->num_vertices + b->num_vertices + 2, *of;
  *d = (sup_carried){.end = {a, b}};
  SUP_TRY(SUP_ARENA(arena, d->part, most));
  SUP_TRY(SUP_ARENA(arena, d->part_of, most));
  of = d->part_of;
  for (int e = 0; e < 2; e++) {
    int n = sup_body_point_blocks(d->end[e], model, of);
    for (int k = 0; k < n; k++, of++)
      *of = find_part(d, *of, *of == SUP_NONE ? 0 : sup_block_size(P, *of),
                      d->end[e]->num_vertices > 0);
  }
  SUP_TRY(SUP_ARENA(arena, d->at, d->num_parts * (d->num_parts + 1) / 2));
  size_t *at = d->at;
  for (int i = 0; i < d->num_parts; i++) {
    SUP_TRY(SUP_ARENA(arena, d->part[i].J, 3 * d->part[i].n));
    for (int j = 0; j <= i; j++) {
      const sup_carried_part *row = &d->part[i], *col = &d->part[j];
      if (!is_row(row, col)) row = col, col = &d->part[i];
      *at++ = sup_block_value(P, sup_block_pattern_find(P, row->block, col->block));
    }
  }
  return SUP_OK;
}

/* ---- Jacobians ------------------------------------------------------------------------------- */

static sup_v3 apply(const sup_carried_part *part, const double *v) {
  double out[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < part->n; j++) out[r] += part->J[r * part->n + j] * v[j];
  return sup_v3_load(out);
}

/** Add sign times a point of a link; all_v: velocities of trees at the time of `within`. */
static void add_link(const sup_step_start *s, const sup_assembly *assembly, const double *all_v,
                     const sup_body_point *at, double sign, sup_carried_part *part,
                     sup_carried *d) {
  const sup_scheme        *c = &s->inc->scheme;
  const sup_model         *model = s->model;
  double                   J[3 * SUP_TREE_MAX_NV], way = sign * c->theta * s->inc->h;
  int                      t = model->body[at->body].tree, n = part ? part->n : 0;
  int                      link = model->body[at->body].link;
  sup_tree_kinematics_data data = sup_kinematics_tree(&assembly->within, model, t);
  sup_v3                   p = sup_frame_apply(&assembly->within.X_WL[at->body], at->point);
  sup_v3                   now = sup_tree_point_velocity(&data, link, p), base = now, about = now;
  if (part) {
    sup_carried_part own = {.n = n, .J = J};
    sup_tree_point_jacobian(model->tree[t], &data, link, p, J);
    for (int k = 0; k < 3 * n; k++) part->J[k] += sign * J[k];
    base = sup_v3_sub(now, apply(&own, all_v + model->v_start[t]));
    if (assembly->about)
      about = sup_v3_add(
          base, apply(&own, assembly->about + sup_block_first(&s->layout->A_pattern, part->block)));
  }
  d->base = sup_v3_madd(d->base, sign, base), d->now = sup_v3_madd(d->now, sign, now);
  if (assembly->elapsed > 0) d->back = sup_v3_madd(d->back, sign * assembly->elapsed, now);
  if (!assembly->about) return;
  d->back =
      sup_v3_madd(sup_v3_madd(d->back, way * c->theta_vq, about), way * (1 - c->theta_vq), now);
}

/** Vertex k of a point: velocities of its held components, and its components that move freely. */
static const double *held_of(const sup_assembly *assembly, const sup_body_point *at, int k,
                             bool moves[3]) {
  const sup_model     *model = assembly->layout->model;
  int                  a;
  const sup_soft      *soft = sup_model_vertex(model, at->vertex[k], &a);
  const sup_soft_work *work = &assembly->soft[soft - model->soft];
  for (int c = 0; c < 3; c++)
    moves[c] = work->holder[3 * a + c] == SUP_NONE && soft->block[a] != SUP_NONE;
  return work->held + 3 * (ptrdiff_t)a;
}

sup_v3 sup_carried_soft_velocity(const sup_assembly *assembly, const sup_body_point *at,
                                 const double *v) {
  double sum[3] = {0, 0, 0};
  for (int k = 0; k < at->num_vertices; k++) {
    bool          moves[3];
    const double *held = held_of(assembly, at, k, moves), *own = NULL;
    int           block = sup_body_point_block(at, k, assembly->layout->model);
    if (v && block != SUP_NONE) own = v + sup_block_first(&assembly->layout->A_pattern, block);
    for (int c = 0; c < 3; c++)
      if (own || !moves[c]) sum[c] += at->weight[k] * (moves[c] ? own[c] : held[c]);
  }
  return sup_v3_load(sum);
}

/** Add sign times a point of a soft body, whose held components have known velocities. */
static void add_cell(const sup_step_start *s, const sup_assembly *assembly,
                     const sup_body_point *at, double sign, const int *part_of, sup_carried *d) {
  double base[3] = {0, 0, 0};
  for (int k = 0; k < at->num_vertices; k++) {
    bool          moves[3];
    const double *held = held_of(assembly, at, k, moves);
    for (int c = 0; c < 3; c++)
      if (moves[c])
        d->part[part_of[k]].J[4 * c] += sign * at->weight[k];
      else
        base[c] += at->weight[k] * held[c];
  }
  d->base = sup_v3_madd(d->base, sign, sup_v3_load(base));
  if (s->inc->motion > 0)
    d->now = sup_v3_madd(d->now, sign, sup_body_point_mean(at, s->state->xdot));
}

void sup_carried_set(const sup_step_start *s, const sup_assembly *assembly, const double *all_v,
                     sup_carried *d) {
  const int *of = d->part_of;
  d->base = d->now = d->back = (sup_v3){0, 0, 0};
  for (int i = 0; i < d->num_parts; i++)
    memset(d->part[i].J, 0, 3 * (size_t)d->part[i].n * sizeof *d->part[i].J);
  for (int e = 0; e < 2; e++) {
    const sup_body_point *at = d->end[e];
    if (at->num_vertices > 0)
      add_cell(s, assembly, at, e ? 1 : -1, of, d);
    else if (at->body != SUP_NONE)
      add_link(s, assembly, all_v, at, e ? 1 : -1, *of == SUP_NONE ? NULL : &d->part[*of], d);
    of += at->num_vertices > 0 ? at->num_vertices : at->body != SUP_NONE;
  }
}

/* ---- products -------------------------------------------------------------------------------- */

sup_v3 sup_carried_velocity(const sup_assembly *assembly, const sup_carried *d, const double *v) {
  sup_v3 sum = d->base;
  for (int e = 0; e < d->num_parts && v; e++)
    sum = sup_v3_add(sum, apply(&d->part[e], v + sup_block_first(&assembly->layout->A_pattern,
                                                                 d->part[e].block)));
  return sum;
}

void sup_carried_add_transposed(const sup_assembly *assembly, const sup_carried *d, sup_v3 a,
                                double *to) {
  double f[3];
  sup_v3_store(f, a);
  for (int e = 0; e < d->num_parts; e++) {
    const sup_carried_part *p = &d->part[e];
    double                 *at = to + sup_block_first(&assembly->layout->A_pattern, p->block);
    for (int j = 0; j < p->n; j++)
      for (int r = 0; r < 3; r++) at[j] += p->J[r * p->n + j] * f[r];
  }
}

/** Block of A += J_row^T W J_col. */
static void add_block(const sup_carried_part *row, const sup_carried_part *col, const sup_m3 *W,
                      double *to) {
  for (int i = 0; i < 3 && row->is_vertex && col->is_vertex; i++)
    for (int j = 0; j < 3; j++) to[3 * j + i] += row->J[4 * i] * W->m[i][j] * col->J[4 * j];
  if (row->is_vertex && col->is_vertex) return;
  for (int i = 0; i < row->n; i++) {
    double f[3];
    sup_v3_store(f,
                 sup_m3_apply(*W, (sup_v3){row->J[i], row->J[row->n + i], row->J[2 * row->n + i]}));
    for (int j = 0; j < col->n; j++)
      for (int r = 0; r < 3; r++) to[j * row->n + i] += f[r] * col->J[r * col->n + j];
  }
}

void sup_carried_add_stiffness(sup_assembly *assembly, const sup_carried *d, const sup_m3 *W) {
  const size_t *at = d->at;
  for (int i = 0; i < d->num_parts; i++)
    for (int j = 0; j <= i; j++, at++) {
      const sup_carried_part *a = &d->part[i], *b = &d->part[j];
      if (is_row(a, b))
        add_block(a, b, W, assembly->A + *at);
      else
        add_block(b, a, W, assembly->A + *at);
    }
}

void sup_carried_add_force(const sup_carried *d, sup_v3 f, double *force) {
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < d->end[e]->num_vertices; k++)
      sup_v3_accumulate(force + 3 * d->end[e]->vertex[k], (e ? 1 : -1) * d->end[e]->weight[k], f);
}

void sup_carried_clear(sup_assembly *assembly, const sup_carried *d) {
  const size_t *at = d->at;
  for (int i = 0; i < d->num_parts; i++)
    for (int j = 0; j <= i; j++, at++)
      if (d->part[i].is_vertex && d->part[j].is_vertex)
        memset(assembly->A + *at, 0, 9 * sizeof *assembly->A);
}
