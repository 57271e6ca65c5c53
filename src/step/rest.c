/* The model of load steps, and what holds soft bodies in it. */
#include "step/rest.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/** Coulomb's law and springs that only repel: what SAP and Similar add and what dissipates belongs
 * to motion. */
static void settle_pair(sup_pair *pair) {
  pair->model = SUP_MODEL_LAGGED;
  pair->dissipation = pair->relaxation_time = 0;
}

sup_status sup_rest_create(sup_rest **out, const sup_model *model) {
  sup_rest  *rest = NULL;
  sup_status status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(rest, 1));
  SUP_TRY_GOTO(SUP_CALLOC(rest->pair, model->num_pairs), status, fail);
  for (int i = 0; i < model->num_pairs; i++) {
    rest->pair[i] = model->pair[i];
    settle_pair(&rest->pair[i]);
  }
  SUP_TRY_GOTO(SUP_CALLOC(rest->actuator, model->num_actuators), status, fail);
  for (int i = 0; i < model->num_actuators; i++) {
    rest->actuator[i] = model->actuator[i];
    if (rest->actuator[i].kp > 0)
      rest->actuator[i].kd = 0; /* a drive without kp holds on by its damping */
  }
  for (int k = 0; k < 2; k++) SUP_TRY_GOTO(sup_arena_create(&rest->turn[k], 1 << 20), status, fail);
  SUP_TRY_GOTO(sup_arena_create(&rest->kept, 1 << 16), status, fail);
  rest->own = model;
  rest->model = *model; /* borrows all but pairs and drives */
  rest->model.pair = rest->pair;
  rest->model.actuator = rest->actuator;
  rest->model.options.scheme = sup_scheme_implicit_euler();
  rest->model.options.soft_bdf2 = 0;
  rest->model.options.patch_kites = 1;
  rest->model.options.beta = 0; /* nothing vibrates: surfaces are as stiff as they are */
  *out = rest;
  return SUP_OK;
fail:
  sup_rest_destroy(&rest);
  return status;
}

void sup_rest_destroy(sup_rest **handle) {
  if (!*handle) return;
  for (int k = 0; k < 2; k++) sup_arena_destroy(&(*handle)->turn[k]);
  sup_arena_destroy(&(*handle)->kept);
  SUP_FREE((*handle)->pair);
  SUP_FREE((*handle)->actuator);
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

sup_status sup_rest_keep_result(sup_rest *rest, sup_step_result *r) {
  const sup_model *model = rest->own;
  sup_arena       *kept = rest->kept;
  SUP_TRY(sup_arena_reset(kept));
  SUP_TRY(keep(kept, &r->contact, r->num_contacts, sizeof *r->contact));
  SUP_TRY(keep(kept, &r->joint_effort, model->v_start[model->num_trees], sizeof *r->joint_effort));
  SUP_TRY(keep(kept, &r->attach_wrench, model->num_softs, sizeof *r->attach_wrench));
  SUP_TRY(keep(kept, &r->reaction, model->num_holds, sizeof *r->reaction));
  SUP_TRY(keep(kept, &r->contact_force, 3 * model->num_vertices, sizeof *r->contact_force));
  SUP_TRY(keep(kept, &r->X_WL, model->num_bodies, sizeof *r->X_WL));
  SUP_TRY(keep(kept, &r->link_w, model->num_bodies, sizeof *r->link_w));
  SUP_TRY(keep(kept, &r->link_v, model->num_bodies, sizeof *r->link_v));
  return SUP_OK;
}

double sup_rest_inertia(const sup_stepper *s, const sup_soft *soft) {
  double                  h = s->model->options.dt;
  const sup_material_def *m = sup_fem_material(soft->fem, 0);
  double volume = sup_fem_mass(soft->fem) / (m->density * soft->num_vertices), size = cbrt(volume);
  return s->rest->grip * h * h * m->youngs_modulus / (m->density * size * size);
}

void sup_rest_tractions(const sup_stepper *s, const sup_soft *soft, double t, const double *x,
                        double *p) {
  const double *at = sup_fem_material(soft->fem, 0)->model == SUP_MATERIAL_LINEAR ? soft->x0 : x;
  sup_soft_add_tractions(soft, t, at, s->model->options.dt, s->rest->ramp, p);
}

void sup_rest_inertia_multiply(const sup_stepper *s, const sup_soft *soft, const double *v,
                               double *out) {
  double share = sup_rest_inertia(s, soft);
  sup_fem_mass_multiply(soft->fem, v, out);
  for (int a = 0; a < 3 * soft->num_vertices; a++) out[a] *= share;
}
