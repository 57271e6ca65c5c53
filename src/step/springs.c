/* Springs between links in A and p (THEORY 2.3): the force at theta_stiff is linear in v, with
 * stretch and Jacobian at the poses `within`: the step's start with theta = 0, else q_th
 * of the velocity `about`. */
#include "step/assembly.h"

/** One end of a spring. */
typedef struct spring_end {
  double  sign; /* sign of the end's point in d = p_b - p_a */
  int     block, n;
  double *J;         /* [3 x n] world Jacobian of the point; NULL: nothing moves it but the base */
  sup_v3  base, now; /* velocity by the base's motion alone, and with the joint velocities of the
                        step's start */
  sup_v3 about;      /* velocity with the joint velocities `about`; theta = 0: unused */
} spring_end;

/** base + J v */
static sup_v3 velocity_at(const spring_end *end, const double *v) {
  double moving[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < end->n; j++) moving[r] += end->J[r * end->n + j] * v[j];
  return sup_v3_add(end->base, sup_v3_load(moving));
}

static sup_status make_end(const sup_step_start *s, const sup_assembly *assembly,
                           const double *all_v, int body, sup_v3 point, double sign,
                           spring_end *end) {
  const sup_model *model = s->model;
  *end = (spring_end){.sign = sign, .block = SUP_NONE};
  if (body == SUP_NONE) return SUP_OK;
  int t = model->body[body].tree, link = model->body[body].link, n = model->tree[t]->nv;
  sup_tree_kinematics_data part = sup_kinematics_tree(&assembly->within, model, t);
  sup_v3                   p = sup_frame_apply(&assembly->within.X_WL[body], point);
  end->about = end->now = end->base = sup_tree_point_velocity(&part, link, p);
  if (n == 0) return SUP_OK;
  end->block = model->tree_block[t];
  end->n = n;
  SUP_TRY(SUP_ARENA(s->arena, end->J, 3 * n));
  sup_tree_point_jacobian(model->tree[t], &part, link, p, end->J);
  const double *v = all_v + model->v_start[t];
  double        moving[3] = {0, 0, 0};
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < n; j++) moving[r] += end->J[r * n + j] * v[j];
  end->base = sup_v3_sub(end->now, sup_v3_load(moving));
  if (assembly->about)
    end->about =
        velocity_at(end, assembly->about + sup_block_first(&s->layout->A_pattern, end->block));
  return SUP_OK;
}

/** The block (row end, column end) of A += sign sign J_r^T diag(w) J_c. */
static void add_block(sup_assembly *assembly, const spring_end *row, const spring_end *col,
                      const double *w) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  double *to = assembly->A + sup_block_value(P, sup_block_pattern_find(P, row->block, col->block));
  for (int j = 0; j < col->n; j++)
    for (int i = 0; i < row->n; i++)
      for (int r = 0; r < 3; r++)
        to[j * row->n + i] +=
            row->sign * col->sign * row->J[r * row->n + i] * w[r] * col->J[r * col->n + j];
}

static void add_spring(const sup_step_start *s, sup_assembly *assembly, const sup_spring *spring,
                       const spring_end end[2]) {
  const sup_scheme *c = &s->inc->scheme;
  double            dt = s->inc->h, stiff = c->theta_stiff, vq = c->theta_vq, w[3], impulse[3];
  double            base[3], now[3], stretch[3], about[3];
  sup_v3_store(stretch, sup_spring_stretch(spring, assembly->within.X_WL));
  sup_v3_store(base, sup_v3_sub(end[1].base, end[0].base));
  sup_v3_store(now, sup_v3_sub(end[1].now, end[0].now));
  sup_v3_store(about, sup_v3_sub(end[1].about, end[0].about));
  for (int r = 0; r < 3; r++) {
    double k = spring->stiffness[r], d = s->inc->motion * spring->damping[r];
    if (assembly->elapsed > 0)
      stretch[r] -= assembly->elapsed * now[r]; /* value at the step's start */
    if (assembly->about)
      stretch[r] -=
          c->theta * dt * (vq * about[r] + (1 - vq) * now[r]); /* extrapolated to the start */
    w[r] = dt * (stiff * dt * vq * k + stiff * d);
    impulse[r] = dt * (k * (stretch[r] + stiff * dt * (vq * base[r] + (1 - vq) * now[r])) +
                       d * (stiff * base[r] + (1 - stiff) * now[r]));
  }
  for (int e = 0; e < 2; e++) {
    if (end[e].block == SUP_NONE) continue;
    double *p = assembly->p + sup_block_first(&s->layout->A_pattern, end[e].block);
    for (int j = 0; j < end[e].n; j++)
      for (int r = 0; r < 3; r++) p[j] -= end[e].sign * end[e].J[r * end[e].n + j] * impulse[r];
    for (int f = 0; f < 2; f++) /* the lower triangle; both orders if the ends share a tree */
      if (end[f].block != SUP_NONE && end[e].block >= end[f].block)
        add_block(assembly, &end[e], &end[f], w);
  }
}

sup_status sup_assembly_springs(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  for (int i = 0; i < s->model->num_springs; i++) {
    const sup_spring *spring = &s->model->spring[i];
    spring_end        end[2];
    SUP_TRY(make_end(s, assembly, v, spring->body_a, spring->point_a, -1, &end[0]));
    SUP_TRY(make_end(s, assembly, v, spring->body_b, spring->point_b, 1, &end[1]));
    add_spring(s, assembly, spring, end);
  }
  return SUP_OK;
}
