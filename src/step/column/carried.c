#include "step/column/carried.h"

#include <string.h>

#include "model/body_point.h"

sup_v3 sup_carried_apply(const sup_carried_part *part, const double *v) {
  double out[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < part->n; j++) out[r] += part->J[r * part->n + j] * v[j];
  return sup_v3_load(out);
}

sup_status sup_carried_reserve(const sup_model *model, const sup_body_point *at, sup_arena *arena,
                               sup_carried *d) {
  bool is_link = at->body != SUP_NONE && at->num_vertices == 0;
  int  n = is_link ? 1 : at->num_vertices;
  *d = (sup_carried){.num_parts = 0};
  SUP_TRY(SUP_ARENA(arena, d->part, n));
  for (int e = 0; e < n; e++)
    SUP_TRY(SUP_ARENA(arena, d->part[e].J,
                      is_link ? 3 * model->tree[model->body[at->body].tree]->nv : 9));
  return SUP_OK;
}

static sup_status add_part(sup_arena *arena, sup_carried *d, double sign, int block, int n,
                           sup_carried_part **part) {
  *part = &d->part[d->num_parts++];
  **part = (sup_carried_part){.sign = sign, .block = block, .n = n, .J = (*part)->J};
  return (*part)->J ? SUP_OK : SUP_ARENA(arena, (*part)->J, 3 * n);
}

/** Point of a link; all_v: velocities of trees at the time of `within`. */
static sup_status add_link(const sup_step_start *s, const sup_assembly *assembly, sup_arena *arena,
                           const double *all_v, const sup_body_point *at, double sign,
                           sup_carried *d) {
  const sup_scheme        *c = &s->inc->scheme;
  const sup_model         *model = s->model;
  int                      t = model->body[at->body].tree, n = model->tree[t]->nv;
  int                      link = model->body[at->body].link;
  sup_tree_kinematics_data data = sup_kinematics_tree(&assembly->within, model, t);
  sup_v3                   p = sup_frame_apply(&assembly->within.X_WL[at->body], at->point);
  sup_v3                   now = sup_tree_point_velocity(&data, link, p), base = now, about = now;
  if (n > 0) {
    sup_carried_part *part;
    SUP_TRY(add_part(arena, d, sign, model->tree_block[t], n, &part));
    sup_tree_point_jacobian(model->tree[t], &data, link, p, part->J);
    base = sup_v3_sub(now, sup_carried_apply(part, all_v + model->v_start[t]));
    if (assembly->about)
      about = sup_v3_add(
          base, sup_carried_apply(
                    part, assembly->about + sup_block_first(&s->layout->A_pattern, part->block)));
  }
  d->base = sup_v3_madd(d->base, sign, base), d->now = sup_v3_madd(d->now, sign, now);
  if (assembly->elapsed > 0) d->back = sup_v3_madd(d->back, sign * assembly->elapsed, now);
  if (!assembly->about) return SUP_OK;
  double way = sign * c->theta * s->inc->h;
  d->back =
      sup_v3_madd(sup_v3_madd(d->back, way * c->theta_vq, about), way * (1 - c->theta_vq), now);
  return SUP_OK;
}

/** Point in a cell of a soft body, whose held components have known velocities. */
static sup_status add_cell(const sup_step_start *s, const sup_assembly *assembly, sup_arena *arena,
                           const sup_body_point *at, double sign, sup_carried *d) {
  double base[3] = {0, 0, 0};
  for (int k = 0; k < at->num_vertices; k++) {
    int               a;
    const sup_soft   *soft = sup_model_vertex(s->model, at->vertex[k], &a);
    int               i = (int)(soft - s->model->soft), block = soft->block[a];
    sup_carried_part *part = NULL;
    if (block != SUP_NONE) SUP_TRY(add_part(arena, d, sign, block, 3, &part));
    for (int c = 0; c < 9 && part; c++) part->J[c] = c % 4 == 0 ? at->weight[k] : 0;
    for (int c = 0; c < 3; c++) {
      if (part && assembly->soft[i].holder[3 * a + c] == SUP_NONE) continue;
      base[c] += at->weight[k] * assembly->soft[i].held[3 * a + c];
      if (part) part->J[4 * c] = 0;
    }
  }
  d->base = sup_v3_madd(d->base, sign, sup_v3_load(base));
  if (s->inc->motion > 0)
    d->now = sup_v3_madd(d->now, sign, sup_body_point_mean(at, s->state->xdot));
  return SUP_OK;
}

sup_status sup_carried_add(const sup_step_start *s, const sup_assembly *assembly, sup_arena *arena,
                           const double *all_v, const sup_body_point *at, double sign,
                           sup_carried *d) {
  if (at->num_vertices > 0) return add_cell(s, assembly, arena, at, sign, d);
  return at->body == SUP_NONE ? SUP_OK : add_link(s, assembly, arena, all_v, at, sign, d);
}

double *sup_carried_block(sup_assembly *assembly, int row, int col) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  return assembly->A + sup_block_value(P, sup_block_pattern_find(P, row, col));
}

void sup_carried_clear(sup_assembly *assembly, const sup_body_point *row,
                       const sup_body_point *col) {
  const sup_model *model = assembly->layout->model;
  for (int a = 0; a < row->num_vertices; a++)
    for (int b = 0; b < col->num_vertices; b++) {
      int r = sup_body_point_block(row, a, model), c = sup_body_point_block(col, b, model);
      if (c != SUP_NONE && r >= c) memset(sup_carried_block(assembly, r, c), 0, 9 * sizeof(double));
    }
}
