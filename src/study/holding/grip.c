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
} grip;

static sup_status take_contacts(const sup_model *model, const sup_step_result *result, int body,
                                grip *g) {
  for (int i = 0; i < result->num_contacts; i++) {
    const sup_contact *c = &result->contact[i];
    double             load = sup_v3_dot(c->force, c->normal);
    if ((c->body_a != body && c->body_b != body) || !(load > 0)) continue;
    SUP_TRY(SUP_GROW(g->contact, g->capacity, g->num + 1));
    g->contact[g->num++] =
        (sup_grasp_contact){.point = sup_v3_sub(c->centroid, result->X_WL[body].p),
                            .normal = sup_v3_scale(c->body_b == body ? 1 : -1, c->normal),
                            .load = load,
                            .mu = sup_friction_most(&model->pair[c->pair].friction)};
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
  SUP_TRY(
      take_contacts(model, sup_stepper_result(stepper), sup_model_find_body(model, h->object), g));
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
  if (status == SUP_OK) grasp->epsilon = sup_grasp_quality(g.contact, g.num, grasp->length);
  for (int p = 0; p < h->num_pulls && status == SUP_OK; p++)
    h->result[first + p].held =
        sup_wrench_held(g.contact, g.num, h->pull[p].turns, h->pull[p].axis);
  SUP_FREE(g.contact);
  return status;
}
