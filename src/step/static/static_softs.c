/* Soft bodies in a load step: start, attachments about an iterate, proximal term; prediction from
 * the last two by divided differences (THEORY 18.1). */
#include "step/static/static_softs.h"

#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "step/static/numerics.h"

sup_status sup_static_softs_begin(const sup_step_start *s, sup_assembly *assembly) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_soft_work  *work = &assembly->soft[i];
    const double   *x = s->state->x + 3 * soft->first_vertex;
    SUP_TRY(
        sup_assembly_start_rest(s, assembly, i, sup_soft_has_follower(soft) ? work->x : soft->x0));
    sup_assembly_dirichlet_motion(s, assembly, i, x, s->state->time + s->inc->h, 1 / s->inc->h);
    SUP_TRY(sup_attachment_compute(&work->attachment, s->model, soft, &s->kin, s->state->v, x, 0,
                                   s->arena));
  }
  sup_assembly_hold_tied(assembly);
  memset(assembly->v0, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *assembly->v0);
  return SUP_OK;
}

sup_status sup_static_softs_attach(const sup_step_start *s, const sup_state *at,
                                   const sup_state *next, sup_assembly *assembly) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_attachment *a = &assembly->soft[i].attachment;
    const double *x0 = s->state->x + 3 * soft->first_vertex, *x1 = next->x + 3 * soft->first_vertex;
    SUP_TRY(sup_attachment_compute(a, s->model, soft, &s->kin, at->v,
                                   at->x + 3 * soft->first_vertex, 0, s->arena));
    for (int b = 0; b < soft->num_vertices; b++) {
      int slot = soft->attach_slot[b];
      if (slot == SUP_NONE) continue;
      const sup_attachment_link *on = &soft->attachment[soft->attach_of[b]];
      const double              *v = at->v + s->model->v_start[on->tree];
      const double              *J = sup_attachment_jacobian(a, soft, b);
      for (int c = 0; c < 3; c++) {
        a->base[3 * slot + c] = (x1[3 * b + c] - x0[3 * b + c]) / s->inc->h;
        for (int j = 0; j < on->nv; j++) a->base[3 * slot + c] -= J[c * on->nv + j] * v[j];
      }
    }
  }
  return SUP_OK;
}

/** Factor of M in A of a soft body: weight h^2 E/(density size^2), with the size of a cell. */
static double proximal_inertia(double weight, double h, const sup_fem_body *fem) {
  const sup_material_def *m = sup_fem_material(fem, 0);
  double size = cbrt(sup_fem_mass(fem) / (m->density * sup_fem_mesh(fem)->num_vertices));
  return weight * h * h * m->youngs_modulus / (m->density * size * size);
}

void sup_static_softs_add_proximal(const sup_step_start *s, double weight, const double *v,
                                   sup_assembly *assembly) {
  for (int i = 0; i < s->model->num_softs; i++) {
    double *u = v ? assembly->soft[i].v : NULL;
    if (v) sup_assembly_vertex_velocity(assembly, i, v, u);
    sup_assembly_add_mass_proximal(assembly, i,
                                   proximal_inertia(weight, s->inc->h, s->model->soft[i].fem), u);
  }
}

/* ---- pressures that turn with the surface ---------------------------------------------------- */

sup_status sup_static_softs_open_edges(const sup_soft *soft, int traction, int *count) {
  SUP_FREED sup_fem_edge *edge = NULL;
  int                     num;
  *count = 0;
  if (soft->traction[traction].pressure == 0 || !sup_soft_has_follower(soft)) return SUP_OK;
  SUP_TRY(sup_fem_faces_rim(&soft->traction[traction].faces, &edge, &num));
  for (int k = 0; k < num; k++) {
    int end[2] = {edge[k].from, edge[k].to}, is_free = 0;
    for (int i = 0; i < 6; i++)
      is_free |=
          soft->block[end[i / 3]] != SUP_NONE && soft->holder[3 * end[i / 3] + i % 3] == SUP_NONE;
    *count += is_free;
  }
  return SUP_OK;
}

/* ---- path ------------------------------------------------------------------------------------ */

int sup_static_softs_predict(const sup_step_start *s, const sup_assembly *assembly, double *v) {
  double h = s->inc->h, h0 = s->state->path_step[0], h1 = s->state->path_step[1];
  double size = 0, change = 0;
  if (!(h0 > 0) || !(h1 > 0) || s->state->num_v > 0) return 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    const double   *last = s->state->path + 3 * (size_t)soft->first_vertex;
    const double   *before = last + 3 * (size_t)s->state->num_vertices;
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      if (soft->block[a / 3] == SUP_NONE) continue;
      double d = (h + h0) / (h0 + h1) * (last[a] - before[a]);
      v[sup_block_first(&s->layout->A_pattern, soft->block[a / 3]) + a % 3] = last[a] + d;
      size += last[a] * last[a], change += d * d;
    }
  }
  sup_assembly_dirichlet_velocity(assembly, v);
  return size > 0 && change <= sup_static_numerics.alike * sup_static_numerics.alike * size;
}

sup_status sup_static_softs_update_path(sup_state *next, const sup_state *state, int is_smooth) {
  size_t n = 3 * (size_t)state->num_vertices;
  double h = next->time - state->time;
  SUP_TRY(sup_state_need_path(next));
  if (state->path) memcpy(next->path + n, state->path, n * sizeof *next->path);
  next->path_step[1] = state->path_step[0];
  for (size_t i = 0; i < n; i++) next->path[i] = (next->x[i] - state->x[i]) / h;
  next->path_step[0] = is_smooth ? h : 0;
  return SUP_OK;
}
