/* Springs between points of links and soft bodies in A and p (THEORY 2.3): the force at theta_stiff
 * is linear in v, with stretch and Jacobian at the poses `within`: the step's start with theta = 0,
 * else q_th of the velocity `about`. */
#include "model/body_point.h"
#include "step/column/carried.h"

/** Impulse of d, without its unknown velocities, and w: impulse by those. */
static void linearise(const sup_step_start *s, const sup_assembly *assembly,
                      const sup_spring *spring, const sup_carried *d, double w[3],
                      double impulse[3]) {
  const sup_scheme *c = &s->inc->scheme;
  double            dt = s->inc->h, stiff = c->theta_stiff, vq = c->theta_vq;
  double            base[3], now[3], stretch[3];
  sup_v3            end = sup_spring_stretch(spring, assembly->within.X_WL, s->state->x);
  sup_v3_store(stretch, sup_v3_sub(end, d->back));
  sup_v3_store(base, d->base);
  sup_v3_store(now, d->now);
  for (int r = 0; r < 3; r++) {
    double k = spring->stiffness[r], damping = s->inc->motion * spring->damping[r];
    w[r] = dt * (stiff * dt * vq * k + stiff * damping);
    impulse[r] = dt * (k * (stretch[r] + stiff * dt * (vq * base[r] + (1 - vq) * now[r])) +
                       damping * (stiff * base[r] + (1 - stiff) * now[r]));
  }
}

sup_status sup_springs_begin(const sup_step_start *s, sup_assembly *assembly) {
  assembly->spring = NULL;
  SUP_TRY(SUP_ARENA(s->arena, assembly->spring, s->model->num_springs));
  for (int i = 0; i < s->model->num_springs; i++) {
    const sup_body_point *end = s->model->spring[i].end;
    SUP_TRY(sup_carried_begin(s->layout, s->arena, &end[0], &end[1], &assembly->spring[i]));
  }
  return SUP_OK;
}

void sup_assembly_springs(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  for (int i = 0; i < s->model->num_springs; i++) {
    sup_carried *d = &assembly->spring[i];
    double       w[3], impulse[3];
    sup_carried_set(s, assembly, v, d);
    linearise(s, assembly, &s->model->spring[i], d, w, impulse);
    sup_m3 W = {{{w[0], 0, 0}, {0, w[1], 0}, {0, 0, w[2]}}};
    sup_carried_add_transposed(assembly, d, sup_v3_scale(-1, sup_v3_load(impulse)), assembly->p);
    sup_carried_add_stiffness(assembly, d, &W);
  }
}

void sup_assembly_spring_forces(const sup_step_start *s, const sup_assembly *assembly,
                                const double *tree_v, const double *v, double *force) {
  for (int i = 0; i < s->model->num_springs; i++) {
    const sup_spring *spring = &s->model->spring[i];
    sup_carried      *d = &assembly->spring[i];
    double            w[3], impulse[3], u[3];
    if (spring->end[0].num_vertices + spring->end[1].num_vertices == 0) continue;
    sup_carried_set(s, assembly, tree_v, d);
    linearise(s, assembly, spring, d, w, impulse);
    sup_v3_store(u, sup_v3_sub(sup_carried_velocity(assembly, d, v), d->base));
    for (int r = 0; r < 3; r++) impulse[r] += w[r] * u[r];
    sup_carried_add_force(d, sup_v3_scale(-1 / s->inc->h, sup_v3_load(impulse)), force);
  }
}

void sup_assembly_clear_springs(sup_assembly *assembly) {
  for (int i = 0; i < assembly->layout->model->num_springs; i++) /* trees: clear_trees */
    sup_carried_clear(assembly, &assembly->spring[i]);
}
