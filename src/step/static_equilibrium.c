/* Workspace of load steps, and what holds soft bodies in them. */
#include "step/static_equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

sup_status sup_statics_create(sup_statics **out) {
  sup_statics *statics = NULL;
  sup_status   status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(statics, 1));
  for (int k = 0; k < 2; k++)
    SUP_TRY_GOTO(sup_arena_create(&statics->turn[k], 1 << 20), status, fail);
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
  SUP_TRY(keep(kept, &r->attach_wrench, model->num_softs, sizeof *r->attach_wrench));
  SUP_TRY(keep(kept, &r->reaction, model->num_dirichlet, sizeof *r->reaction));
  SUP_TRY(keep(kept, &r->contact_force, 3 * model->num_vertices, sizeof *r->contact_force));
  SUP_TRY(keep(kept, &r->X_WL, model->num_bodies, sizeof *r->X_WL));
  SUP_TRY(keep(kept, &r->link_w, model->num_bodies, sizeof *r->link_w));
  SUP_TRY(keep(kept, &r->link_v, model->num_bodies, sizeof *r->link_v));
  return SUP_OK;
}

/** What M counts in A of a soft body's material. */
static double inertia(const sup_stepper *s, const sup_soft *soft) {
  double                  h = s->inc->h;
  const sup_material_def *m = sup_fem_material(soft->fem, 0);
  double volume = sup_fem_mass(soft->fem) / (m->density * soft->num_vertices), size = cbrt(volume);
  return s->statics->grip * h * h * m->youngs_modulus / (m->density * size * size);
}

void sup_statics_add_proximal(sup_stepper *s, const double *v) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_soft_work  *work = &s->assembly.soft[i];
    size_t          n = 3 * (size_t)soft->num_vertices;
    work->inertia = inertia(s, soft);
    memset(work->start, 0, n * sizeof *work->start);
    if (!v) continue;
    sup_stepper_vertex_velocity(s, i, v, work->v);
    sup_fem_mass_multiply(soft->fem, work->v, work->start);
    for (size_t a = 0; a < n; a++) work->start[a] *= work->inertia;
  }
}
