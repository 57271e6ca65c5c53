/* Contacts of the object at the end of the grip, and the wrenches that their friction holds. */
#include <math.h>

#include "base/memory.h"
#include "model/model.h"
#include "scene/scene.h"
#include "step/step.h"
#include "study/holding/holding.h"
#include "study/holding/wrench_space.h"

typedef struct grip {
  int                num;
  size_t             capacity;
  sup_grasp_contact *contact;
  sup_v3             force, weight; /* on the object, of all contacts; its own [N] */
} grip;

/** mu S of a contact. */
static void take_friction(const sup_friction *f, const sup_contact *c, const sup_frame *X_WL,
                          sup_v3 friction[2]) {
  double S[3], mu = fmax(f->mu, f->mu_static);
  sup_m3 R = sup_m3_frame_of_normal(c->normal);
  sup_friction_tensor_at(f, &X_WL[c->body_a].R, &X_WL[c->body_b].R, &R, S);
  for (int k = 0; k < 2; k++)
    friction[k] = sup_m3_apply(R, sup_v3_make(mu * S[k], mu * S[k + 1], 0));
}

static sup_status take_contacts(const sup_model *model, const sup_step_result *result, int body,
                                grip *g) {
  for (int i = 0; i < result->num_contacts; i++) {
    const sup_contact *c = &result->contact[i];
    double             load = sup_v3_dot(c->force, c->normal), sign = c->body_b == body ? 1 : -1;
    if ((c->body_a != body && c->body_b != body) || !(load > 0)) continue;
    g->force = sup_v3_madd(g->force, sign, c->force);
    SUP_TRY(SUP_GROW(g->contact, g->capacity, g->num + 1));
    g->contact[g->num] = (sup_grasp_contact){.point = sup_v3_sub(c->centroid, result->X_WL[body].p),
                                             .normal = sup_v3_scale(sign, c->normal),
                                             .load = load};
    take_friction(&model->pair[c->pair].friction, c, result->X_WL, g->contact[g->num++].friction);
  }
  return SUP_OK;
}

/** Load steps of a pull's scene up to its start. */
static sup_status take_grip(const sup_study *study, int i, grip *g) {
  const sup_holding    *h = study->holding;
  const sup_level      *level = &study->family[0].level[i];
  SUP_OWN(sup_scene)   *scene = NULL;
  SUP_OWN(sup_model)   *model = NULL;
  SUP_OWN(sup_state)   *state = NULL;
  SUP_OWN(sup_stepper) *stepper = NULL;
  SUP_TRY(sup_scene_load(&scene, study->scene, (const char *const *)level->set, level->num_sets));
  SUP_TRY(sup_model_create(&model, &scene->model));
  SUP_TRY(sup_state_create(&state, model, &scene->options));
  SUP_TRY(sup_stepper_create(&stepper, model, &scene->options));
  sup_static_options o = scene->statics;
  o.end = h->begin[i], o.steps = (int)(h->begin[i] / level->step + .5);
  SUP_TRY(sup_static(stepper, state, &o));
  int body = sup_model_find_body(model, h->object);
  SUP_TRY(take_contacts(model, sup_stepper_result(stepper), body, g));
  double mass = model->tree[model->body[body].tree]->links[0].mass;
  g->weight = sup_v3_scale(mass, sup_v3_load(scene->options.gravity));
  return SUP_OK;
}

static double reach(const grip *g) {
  double length = 0;
  for (int k = 0; k < g->num; k++) length = fmax(length, sup_v3_norm(g->contact[k].point));
  return length;
}

sup_status sup_holding_weigh(sup_study *study, int first) {
  sup_holding *h = study->holding;
  sup_grasp   *grasp = &h->grasp[first / h->num_pulls / sup_holding_num_rungs(h)];
  grip         g = {0};
  sup_status   status = take_grip(study, first, &g);
  *grasp = (sup_grasp){.num = g.num, .length = h->length > 0 ? h->length : reach(&g)};
  for (int k = 0; k < g.num; k++) grasp->load += g.contact[k].load;
  grasp->guide = fmin(sup_v3_norm(g.force), sup_v3_norm(sup_v3_add(g.force, g.weight)));
  if (status == SUP_OK) grasp->epsilon = sup_grasp_quality(g.contact, g.num, grasp->length);
  for (int p = 0; p < h->num_pulls && status == SUP_OK; p++)
    h->result[first + p].held =
        sup_wrench_held(g.contact, g.num, h->pull[p].turns, h->pull[p].axis);
  SUP_FREE(g.contact);
  return status;
}
