/* Springs between points of links and soft bodies in A and p (THEORY 2.3): the force at theta_stiff
 * is linear in v, with stretch and Jacobian at the poses `within`: the step's start with theta = 0,
 * else q_th of the velocity `about`. */
#include <string.h>

#include "model/body_point.h"
#include "step/column/carried.h"

/** A spring at the poses `within`: d = p_b - p_a. */
typedef struct spring_now {
  const sup_spring *spring;
  sup_carried       way;
} spring_now;

static sup_status find_parts(const sup_step_start *s, const sup_assembly *assembly,
                             const double *all_v, spring_now *d) {
  SUP_TRY(SUP_ARENA(s->arena, d->way.part, sup_spring_most_blocks(d->spring)));
  memset(d->way.part, 0, (size_t)sup_spring_most_blocks(d->spring) * sizeof *d->way.part);
  for (int e = 0; e < 2; e++)
    SUP_TRY(sup_carried_add(s, assembly, s->arena, all_v, &d->spring->end[e], e ? 1 : -1, &d->way));
  return SUP_OK;
}

/** The block (row part, column part) of A += sign sign J_r^T diag(w) J_c. */
static void add_block(sup_assembly *assembly, const sup_carried_part *row,
                      const sup_carried_part *col, const double *w) {
  double *to = sup_carried_block(assembly, row->block, col->block);
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
  sup_v3_store(stretch, sup_v3_sub(end, d->way.back));
  sup_v3_store(base, d->way.base);
  sup_v3_store(now, d->way.now);
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
  for (int e = 0; e < d->way.num_parts; e++) {
    const sup_carried_part *row = &d->way.part[e];
    double                 *p = assembly->p + sup_block_first(&s->layout->A_pattern, row->block);
    for (int j = 0; j < row->n; j++)
      for (int r = 0; r < 3; r++) p[j] -= row->sign * row->J[r * row->n + j] * impulse[r];
    for (int f = 0; f < d->way.num_parts;
         f++) /* lower triangle; both orders if ends share a block */
      if (row->block >= d->way.part[f].block) add_block(assembly, row, &d->way.part[f], w);
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
    for (int e = 0; e < d.way.num_parts; e++) {
      const sup_carried_part *part = &d.way.part[e];
      double                  u[3];
      sup_v3_store(
          u, sup_carried_apply(part, v + sup_block_first(&s->layout->A_pattern, part->block)));
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

void sup_assembly_clear_springs(sup_assembly *assembly) {
  const sup_model *model = assembly->layout->model;
  for (int i = 0; i < model->num_springs; i++) {
    const sup_body_point *end = model->spring[i].end;
    for (int e = 0; e < 4; e++) /* clear_trees clears the columns of trees */
      sup_carried_clear(assembly, &end[e / 2], &end[e % 2]);
  }
}
