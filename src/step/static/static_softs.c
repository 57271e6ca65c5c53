/* Soft bodies in a load step: start, attachments about an iterate, proximal term. */
#include <string.h>

#include "fem/material.h"
#include "step/static/proximal_weight.h"
#include "step/static/statics.h"

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

void sup_statics_add_proximal(sup_stepper *s, const double *v) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_soft_work  *work = &s->assembly.soft[i];
    double inertia = sup_proximal_inertia(s->statics->soft_weight, s->start.inc->h, soft->fem);
    if (v) sup_assembly_vertex_velocity(&s->assembly, i, v, work->v);
    sup_assembly_add_mass_proximal(&s->assembly, i, inertia, v ? work->v : NULL);
  }
}
