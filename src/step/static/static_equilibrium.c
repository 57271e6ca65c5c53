/* Workspace of load steps, and the proximal term of soft bodies. */
#include "step/static/static_equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fem/material.h"

sup_status sup_statics_create(sup_statics **out) {
  sup_statics *statics = NULL;
  sup_status   status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(statics, 1));
  for (int k = 0; k < 2; k++)
    SUP_TRY_GOTO(sup_arena_create(&statics->turn[k], 1 << 20), status, fail);
  SUP_TRY_GOTO(sup_arena_create(&statics->inner, 1 << 20), status, fail);
  SUP_TRY_GOTO(sup_arena_create(&statics->kept, 1 << 16), status, fail);
  *out = statics;
  return SUP_OK;
fail:
  sup_statics_destroy(&statics);
  return status;
}

void sup_statics_destroy(sup_statics **handle) {
  if (!*handle) return;
  for (int k = 0; k < 2; k++) sup_arena_destroy(&(*handle)->turn[k]);
  sup_arena_destroy(&(*handle)->inner);
  sup_arena_destroy(&(*handle)->kept);
  SUP_FREE(*handle);
}

/** The array, whose pointer `array` points to, moves into the arena. */
static sup_status keep(sup_arena *arena, void *array, int count, size_t size) {
  void *from, *to;
  memcpy(&from, array, sizeof from);
  SUP_TRY(sup_arena_alloc(arena, &to, (size_t)count, size));
  if (count > 0) memcpy(to, from, (size_t)count * size);
  memcpy(array, &to, sizeof to);
  return SUP_OK;
}

sup_status sup_statics_keep_result(sup_statics *statics, const sup_model *model,
                                   sup_step_result *r) {
  sup_arena *kept = statics->kept;
  SUP_TRY(sup_arena_reset(kept));
  SUP_TRY(keep(kept, &r->contact, r->num_contacts, sizeof *r->contact));
  SUP_TRY(keep(kept, &r->joint_effort, model->v_start[model->num_trees], sizeof *r->joint_effort));
  SUP_TRY(keep(kept, &r->attach_wrench, model->num_attachments, sizeof *r->attach_wrench));
  SUP_TRY(keep(kept, &r->reaction, model->num_dirichlet, sizeof *r->reaction));
  SUP_TRY(keep(kept, &r->contact_force, 3 * model->num_vertices, sizeof *r->contact_force));
  SUP_TRY(keep(kept, &r->X_WL, model->num_bodies, sizeof *r->X_WL));
  SUP_TRY(keep(kept, &r->link_w, model->num_bodies, sizeof *r->link_w));
  SUP_TRY(keep(kept, &r->link_v, model->num_bodies, sizeof *r->link_v));
  return SUP_OK;
}

/* ---- soft bodies ----------------------------------------------------------------------------- */

sup_status sup_statics_start_softs(sup_stepper *s, const sup_state *state) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_soft_work  *work = &s->assembly.soft[i];
    const double   *x = state->x + 3 * soft->first_vertex;
    /* pressure turns with the surface, but not that of small strains */
    int is_small = sup_fem_material(soft->fem, 0)->model == SUP_MATERIAL_LINEAR;
    SUP_TRY(sup_assembly_start_rest(&s->start, &s->assembly, i, is_small ? soft->x0 : work->x));
    sup_assembly_dirichlet_motion(&s->start, &s->assembly, i, x, state->time + s->start.inc->h,
                                  1 / s->start.inc->h);
    SUP_TRY(sup_attachment_compute(&work->attachment, s->model, soft, &s->start.kin, state->v, x,
                                   s->start.arena));
  }
  memset(s->assembly.v0, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *s->assembly.v0);
  return SUP_OK;
}

/** Velocities of attached vertices over the load step: x0 + h v is their exact place on the link.
 */
sup_status sup_statics_attach(sup_stepper *s, const sup_state *state, const sup_state *at) {
  const sup_model *model = s->model;
  double           h = s->start.inc->h;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    sup_attachment *a = &s->assembly.soft[i].attachment;
    const double   *x = at->x + 3 * soft->first_vertex, *x0 = state->x + 3 * soft->first_vertex,
                 *x1 = s->end.next->x + 3 * soft->first_vertex;
    SUP_TRY(sup_attachment_compute(a, model, soft, &s->start.kin, at->v, x, s->start.arena));
    for (int b = 0; b < soft->num_vertices; b++) {
      int slot = soft->attach_slot[b];
      if (slot == SUP_NONE) continue;
      const sup_attachment_link *on = &soft->attachment[soft->attach_of[b]];
      const double *v = at->v + model->v_start[on->tree], *J = sup_attachment_jacobian(a, soft, b);
      for (int c = 0; c < 3; c++) {
        a->base[3 * slot + c] = (x1[3 * b + c] - x0[3 * b + c]) / h;
        for (int j = 0; j < on->nv; j++) a->base[3 * slot + c] -= J[c * on->nv + j] * v[j];
      }
    }
  }
  return SUP_OK;
}

/** Factor of M in A of a soft body: soft_weight h^2 E/(density size^2), the proximal weight. */
static double inertia(const sup_stepper *s, const sup_soft *soft) {
  double                  h = s->start.inc->h;
  const sup_material_def *m = sup_fem_material(soft->fem, 0);
  double volume = sup_fem_mass(soft->fem) / (m->density * soft->num_vertices), size = cbrt(volume);
  return s->statics->soft_weight * h * h * m->youngs_modulus / (m->density * size * size);
}

void sup_statics_add_proximal(sup_stepper *s, const double *v) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_soft_work  *work = &s->assembly.soft[i];
    if (v) sup_assembly_vertex_velocity(&s->assembly, i, v, work->v);
    sup_assembly_hold_on(&s->assembly, i, inertia(s, soft), v ? work->v : NULL);
  }
}
