/* Springs between points of links and soft bodies in A and p (THEORY 2.3): the force at theta_stiff
 * is linear in v, with stretch and Jacobian at the poses `within`: the step's start with theta = 0,
 * else q_th of the velocity `about`. */
#include <string.h>

#include "model/body_point.h"
#include "step/assembly.h"

/** Block column that moves an end. */
typedef struct spring_part {
  double  sign; /* of the end's point in d = p_b - p_a */
  int     block, n;
  double *J; /* [3 x n] world Jacobian of the point */
} spring_part;

/** A spring at the poses `within` and the vertices of the step's start. */
typedef struct spring_now {
  const sup_spring *spring;
  int               num_parts;
  spring_part      *part;      /* [num_parts] */
  sup_v3            base, now; /* velocities of d, by held motions alone, and of the step's start */
  sup_v3            back;      /* way of d's links from the start to the poses [m] */
} spring_now;

static sup_v3 apply(const spring_part *part, const double *v) {
  double out[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < part->n; j++) out[r] += part->J[r * part->n + j] * v[j];
  return sup_v3_load(out);
}

static sup_status add_part(const sup_step_start *s, spring_now *d, double sign, int block, int n,
                           spring_part **part) {
  *part = &d->part[d->num_parts++];
  **part = (spring_part){.sign = sign, .block = block, .n = n};
  return SUP_ARENA(s->arena, (*part)->J, 3 * n);
}

/** End on a link; all_v: velocities of trees at the time of `within`. */
static sup_status add_link(const sup_step_start *s, const sup_assembly *assembly,
                           const double *all_v, const sup_body_point *at, double sign,
                           spring_now *d) {
  const sup_scheme        *c = &s->inc->scheme;
  const sup_model         *model = s->model;
  int                      t = model->body[at->body].tree, n = model->tree[t]->nv;
  int                      link = model->body[at->body].link;
  sup_tree_kinematics_data data = sup_kinematics_tree(&assembly->within, model, t);
  sup_v3                   p = sup_frame_apply(&assembly->within.X_WL[at->body], at->point);
  sup_v3                   now = sup_tree_point_velocity(&data, link, p), base = now, about = now;
  if (n > 0) {
    spring_part *part;
    SUP_TRY(add_part(s, d, sign, model->tree_block[t], n, &part));
    sup_tree_point_jacobian(model->tree[t], &data, link, p, part->J);
    base = sup_v3_sub(now, apply(part, all_v + model->v_start[t]));
    if (assembly->about)
      about = sup_v3_add(
          base, apply(part, assembly->about + sup_block_first(&s->layout->A_pattern, part->block)));
  }
  d->base = sup_v3_madd(d->base, sign, base), d->now = sup_v3_madd(d->now, sign, now);
  if (assembly->elapsed > 0) d->back = sup_v3_madd(d->back, sign * assembly->elapsed, now);
  if (!assembly->about) return SUP_OK;
  double way = sign * c->theta * s->inc->h;
  d->back =
      sup_v3_madd(sup_v3_madd(d->back, way * c->theta_vq, about), way * (1 - c->theta_vq), now);
  return SUP_OK;
}

/** End in a cell of a soft body, whose held components have known velocities. */
static sup_status add_cell(const sup_step_start *s, const sup_assembly *assembly,
                           const sup_body_point *at, double sign, spring_now *d) {
  int             i = s->model->body[at->body].soft;
  const sup_soft *soft = &s->model->soft[i];
  double          base[3] = {0, 0, 0};
  for (int k = 0; k < at->num_vertices; k++) {
    int          a = at->vertex[k] - soft->first_vertex, block = soft->block[a];
    spring_part *part = NULL;
    if (block != SUP_NONE) SUP_TRY(add_part(s, d, sign, block, 3, &part));
    for (int c = 0; c < 9 && part; c++) part->J[c] = c % 4 == 0 ? at->weight[k] : 0;
    for (int c = 0; c < 3; c++) {
      if (part && soft->holder[3 * a + c] == SUP_NONE) continue;
      base[c] += at->weight[k] * assembly->soft[i].held[3 * a + c];
      if (part) part->J[4 * c] = 0;
    }
  }
  d->base = sup_v3_madd(d->base, sign, sup_v3_load(base));
  if (s->inc->motion > 0)
    d->now = sup_v3_madd(d->now, sign, sup_body_point_mean(at, s->state->xdot));
  return SUP_OK;
}

static sup_status find_parts(const sup_step_start *s, const sup_assembly *assembly,
                             const double *all_v, spring_now *d) {
  SUP_TRY(SUP_ARENA(s->arena, d->part, sup_spring_most_blocks(d->spring)));
  for (int e = 0; e < 2; e++) {
    const sup_body_point *at = &d->spring->end[e];
    if (at->num_vertices > 0)
      SUP_TRY(add_cell(s, assembly, at, e ? 1 : -1, d));
    else if (at->body != SUP_NONE)
      SUP_TRY(add_link(s, assembly, all_v, at, e ? 1 : -1, d));
  }
  return SUP_OK;
}

/** Block (row part, column part) of A. */
static double *block_of(sup_assembly *assembly, const spring_part *row, const spring_part *col) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  return assembly->A + sup_block_value(P, sup_block_pattern_find(P, row->block, col->block));
}

/** The block (row part, column part) of A += sign sign J_r^T diag(w) J_c. */
static void add_block(sup_assembly *assembly, const spring_part *row, const spring_part *col,
                      const double *w) {
  double *to = block_of(assembly, row, col);
  for (int j = 0; j < col->n; j++)
    for (int i = 0; i < row->n; i++)
      for (int r = 0; r < 3; r++)
        to[j * row->n + i] +=
            row->sign * col->sign * row->J[r * row->n + i] * w[r] * col->J[r * col->n + j];
}

/** Impulse of d, without its unknown velocities, and w: impulse by those. */
static void linearise(const sup_step_start *s, const sup_assembly *assembly, const spring_now *d,
                      double w[3], double impulse[3]) {
  const sup_scheme *c = &s->inc->scheme;
  double            dt = s->inc->h, stiff = c->theta_stiff, vq = c->theta_vq;
  double            base[3], now[3], stretch[3];
  sup_v3            end = sup_spring_stretch(d->spring, assembly->within.X_WL, s->state->x);
  sup_v3_store(stretch, sup_v3_sub(end, d->back));
  sup_v3_store(base, d->base);
  sup_v3_store(now, d->now);
  for (int r = 0; r < 3; r++) {
    double k = d->spring->stiffness[r], damping = s->inc->motion * d->spring->damping[r];
    w[r] = dt * (stiff * dt * vq * k + stiff * damping);
    impulse[r] = dt * (k * (stretch[r] + stiff * dt * (vq * base[r] + (1 - vq) * now[r])) +
                       damping * (stiff * base[r] + (1 - stiff) * now[r]));
  }
}

static void add_spring(const sup_step_start *s, sup_assembly *assembly, const spring_now *d) {
  double w[3], impulse[3];
  linearise(s, assembly, d, w, impulse);
  for (int e = 0; e < d->num_parts; e++) {
    const spring_part *row = &d->part[e];
    double            *p = assembly->p + sup_block_first(&s->layout->A_pattern, row->block);
    for (int j = 0; j < row->n; j++)
      for (int r = 0; r < 3; r++) p[j] -= row->sign * row->J[r * row->n + j] * impulse[r];
    for (int f = 0; f < d->num_parts; f++) /* lower triangle; both orders if ends share a block */
      if (row->block >= d->part[f].block) add_block(assembly, row, &d->part[f], w);
  }
}

sup_status sup_assembly_springs(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  for (int i = 0; i < s->model->num_springs; i++) {
    spring_now d = {.spring = &s->model->spring[i]};
    SUP_TRY(find_parts(s, assembly, v, &d));
    add_spring(s, assembly, &d);
  }
  return SUP_OK;
}

sup_status sup_assembly_spring_forces(const sup_step_start *s, const sup_assembly *assembly,
                                      const double *tree_v, const double *v, double *force) {
  for (int i = 0; i < s->model->num_springs; i++) {
    spring_now d = {.spring = &s->model->spring[i]};
    double     w[3], impulse[3];
    if (d.spring->end[0].num_vertices + d.spring->end[1].num_vertices == 0) continue;
    SUP_TRY(find_parts(s, assembly, tree_v, &d));
    linearise(s, assembly, &d, w, impulse);
    for (int e = 0; e < d.num_parts; e++) {
      const spring_part *part = &d.part[e];
      double             u[3];
      sup_v3_store(u, apply(part, v + sup_block_first(&s->layout->A_pattern, part->block)));
      for (int r = 0; r < 3; r++) impulse[r] += w[r] * part->sign * u[r];
    }
    for (int e = 0; e < 2; e++)
      for (int k = 0; k < d.spring->end[e].num_vertices; k++)
        sup_v3_accumulate(force + 3 * d.spring->end[e].vertex[k],
                          (e ? -1 : 1) * d.spring->end[e].weight[k] / s->inc->h,
                          sup_v3_load(impulse));
  }
  return SUP_OK;
}

/** Zero the blocks of A (row end, column end) in its lower triangle. */
static void clear_blocks(sup_assembly *assembly, const sup_body_point *row,
                         const sup_body_point *col) {
  const sup_model *model = assembly->layout->model;
  for (int a = 0; a < row->num_vertices; a++)
    for (int b = 0; b < col->num_vertices; b++) {
      spring_part r = {.block = sup_body_point_block(row, a, model)},
                  c = {.block = sup_body_point_block(col, b, model)};
      if (c.block != SUP_NONE && r.block >= c.block)
        memset(block_of(assembly, &r, &c), 0, 9 * sizeof(double));
    }
}

void sup_assembly_clear_springs(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_springs; i++) {
    const sup_body_point *end = model->spring[i].end;
    for (int e = 0; e < 4; e++) /* clear_trees clears the columns of trees */
      clear_blocks(assembly, &end[e / 2], &end[e % 2]);
  }
}
