/* Names and handles. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "simulator/simulator_parts.h"

static const char *const kinds[] = {
#define SUP_OBJECT_ENTRY(NAME, name) #name,
    SUP_OBJECT_LIST(SUP_OBJECT_ENTRY)
#undef SUP_OBJECT_ENTRY
};

const char *sup_object_name(sup_object kind) {
  return (int)kind >= 0 && kind < SUP_NUM_OBJECTS ? kinds[kind] : NULL;
}

static int num_links(const sup_model *model) { return model->num_bodies - model->num_softs; }

int sup_simulator_count(const sup_simulator *s, sup_object kind) {
  const sup_model *model = s->model;
  const int        count[SUP_NUM_OBJECTS] = {[SUP_OBJECT_SCENE] = 1,
                                             [SUP_OBJECT_BODY] = model->num_bodies,
                                             [SUP_OBJECT_TREE] = model->num_trees,
                                             [SUP_OBJECT_JOINT] = num_links(model),
                                             [SUP_OBJECT_SOFT] = model->num_softs,
                                             [SUP_OBJECT_ACTUATOR] = model->num_actuators,
                                             [SUP_OBJECT_LOAD] = model->num_loads,
                                             [SUP_OBJECT_TRACTION] = model->num_tractions,
                                             [SUP_OBJECT_HOLD] = model->num_dirichlet,
                                             [SUP_OBJECT_PAIR] = s->obs.num_pairs,
                                             [SUP_OBJECT_PROBE] = s->num_probes,
                                             [SUP_OBJECT_CHAMBER] = model->num_chambers,
                                             [SUP_OBJECT_CABLE] = model->num_cables};
  return (int)kind >= 0 && kind < SUP_NUM_OBJECTS ? count[kind] : 0;
}

int sup_simulator_link(const sup_simulator *s, int body, int *tree, int *link) {
  *tree = s->model->body[body].tree, *link = s->model->body[body].link;
  return s->model->body[body].soft == SUP_NONE;
}

/** The soft body with the i-th item, counted over all bodies from `first` on. */
static const sup_soft *soft_of(const sup_model *model, int i, bool is_hold, int *own) {
  const sup_soft *soft = model->soft;
  for (int s = 0; s < model->num_softs; s++, soft++) {
    int first = is_hold ? soft->first_dirichlet : soft->first_traction;
    *own = i - first;
    if (*own < (is_hold ? soft->num_dirichlet : soft->num_tractions)) break;
  }
  return soft;
}

static void name_joint(const sup_model *model, int joint, char *text, size_t size) {
  const sup_body *body = &model->body[joint];
  const sup_tree *tree = model->tree[body->tree];
  snprintf(text, size, "%s/%s", tree->name, tree->links[body->link].joint_name);
}

const char *sup_simulator_name(const sup_simulator *s, sup_object kind, int i, char *text,
                               size_t size) {
  const sup_model *model = s->model;
  int              own = 0;
  snprintf(text, size, "%s", "");
  if (i < 0 || i >= sup_simulator_count(s, kind)) return text;
  switch (kind) {
    case SUP_OBJECT_BODY:
      snprintf(text, size, "%s", model->body[i].name);
      break;
    case SUP_OBJECT_TREE:
      snprintf(text, size, "%s", model->tree[i]->name);
      break;
    case SUP_OBJECT_JOINT:
      name_joint(model, i, text, size);
      break;
    case SUP_OBJECT_SOFT:
      snprintf(text, size, "%s", model->soft[i].name);
      break;
    case SUP_OBJECT_ACTUATOR:
      snprintf(text, size, "%s", model->actuator[i].name);
      break;
    case SUP_OBJECT_LOAD:
      snprintf(text, size, "%s", model->load[i].name);
      break;
    case SUP_OBJECT_TRACTION: {
      const sup_soft *soft = soft_of(model, i, 0, &own);
      snprintf(text, size, "%s/%d", soft->name, own);
      break;
    }
    case SUP_OBJECT_HOLD: {
      const sup_soft *soft = soft_of(model, i, 1, &own);
      snprintf(text, size, "%s/%s", soft->name, soft->dirichlet[own].name);
      break;
    }
    case SUP_OBJECT_CHAMBER:
      snprintf(text, size, "%s", model->chamber[i].name);
      break;
    case SUP_OBJECT_CABLE:
      snprintf(text, size, "%s", model->cable[i].name);
      break;
    case SUP_OBJECT_PAIR:
      snprintf(text, size, "%s+%s", model->body[s->obs.pair[i].a].name,
               model->body[s->obs.pair[i].b].name);
      break;
    case SUP_OBJECT_PROBE:
      snprintf(text, size, "%s", s->probe_def[i].name);
      break;
    case SUP_OBJECT_SCENE:
    case SUP_NUM_OBJECTS:
      break;
  }
  return text;
}

/** "A+B" or "B+A". */
static bool is_pair(const sup_simulator *s, int i, const char *name) {
  const char *a = s->model->body[s->obs.pair[i].a].name, *b = s->model->body[s->obs.pair[i].b].name;
  char        text[4 * SUP_NAME_MAX + 2];
  snprintf(text, sizeof text, "%s+%s", b, a);
  return strcmp(text, name) == 0;
}

/** The name nearest to the requested one, for the message. */
static sup_status unknown(const sup_simulator *s, sup_object kind, const char *name) {
  enum { SHOWN = 50 };
  char        known[SHOWN][4 * SUP_NAME_MAX + 2], buffer[600];
  const char *word[SHOWN];
  int         n = sup_simulator_count(s, kind);
  if (n > SHOWN) n = SHOWN;
  for (int i = 0; i < n; i++) word[i] = sup_simulator_name(s, kind, i, known[i], sizeof known[i]);
  return SUP_FAIL(SUP_E_ARG, "there is no %s '%s'%s", kinds[kind], name,
                  sup_known_text(name, word, n, buffer, sizeof buffer));
}

sup_status sup_simulator_find(const sup_simulator *s, sup_object kind, const char *name,
                              int *handle) {
  char text[4 * SUP_NAME_MAX + 2];
  *handle = kind == SUP_OBJECT_SCENE ? 0 : SUP_NONE;
  if ((int)kind < 0 || kind >= SUP_NUM_OBJECTS)
    return SUP_FAIL(SUP_E_ARG, "there is no kind %d of objects: there are %d, from 0 on", (int)kind,
                    (int)SUP_NUM_OBJECTS);
  if (kind == SUP_OBJECT_SCENE) return SUP_OK;
  for (int i = 0; i < sup_simulator_count(s, kind) && *handle == SUP_NONE; i++)
    if (strcmp(sup_simulator_name(s, kind, i, text, sizeof text), name) == 0 ||
        (kind == SUP_OBJECT_PAIR && is_pair(s, i, name)))
      *handle = i;
  if (*handle != SUP_NONE) return SUP_OK;
  sup_status status = unknown(s, kind, name);
  return status;
}

sup_status sup_simulator_check(const sup_simulator *s, sup_object kind, int handle) {
  int count = sup_simulator_count(s, kind);
  if (handle >= 0 && handle < count) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "the handle %d is none of a %s: there are %d, from 0 on", handle,
                  kinds[kind], count);
}
