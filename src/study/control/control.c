#include "study/control/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/scene.h"
#include "scene/schema/section.h"
#include "study/ladder.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_key receding_keys[] = {
    SUP_NUMBER("horizon", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_receding, horizon), "0.2 s",
               "Time that each optimisation looks ahead.", .need = SUP_NEEDED),
    SUP_INTEGER("apply", 1, SUP_AT(sup_receding, apply), "5",
                "Steps that are done before the next optimisation."),
    SUP_INTEGER("iterations", 1, SUP_AT(sup_receding, iterations), "3",
                "Largest number of iterations of each optimisation but the first.")};
static const sup_schema receding_schema =
    SUP_SCHEMA("receding", receding_keys, "A horizon that moves with the state.");

static const sup_key control_keys[] = {
    SUP_CUSTOM("efforts", SUP_KEY_LIST, "[arm]",
               "Joints ROBOT/JOINT whose efforts are controlled; a robot: all its joints of one "
               "coordinate.",
               .absent = "none"),
    SUP_CUSTOM("targets", SUP_KEY_LIST, "[lift]", "Actuators whose targets are controlled.",
               .absent = "none"),
    SUP_CUSTOM("cost", SUP_KEY_COLLECTION,
               "{ball: {body: ball, position: [0.6, 0.15, 0.1], weight: 100}}",
               "Terms of the cost by name.", .need = SUP_NEEDED, .schema = &sup_schema_cost),
    SUP_NUMBER("effort_weight", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_control_study, weight),
               "0.01", "Weight of each control's square, over time."),
    SUP_BOOLEAN("limits", SUP_AT(sup_control_study, has_limits), "true",
                "Efforts stay within the limits of the joints in the URDF, targets within those "
                "of their positions."),
    SUP_NUMBER("horizon", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_control_study, horizon), "0.5 s",
               "Duration of the task.", .need = SUP_OPTIONAL, .absent = "to the scene's end"),
    SUP_INTEGER("iterations", 1, SUP_AT(sup_control_study, max_iterations), "100",
                "Largest number of iterations."),
    SUP_NUMBER("tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_control_study, tolerance),
               "1.0e-4", "Decrease of the cost in an iteration, over the cost, that ends it."),
    SUP_SECTION("receding", receding_schema, SUP_AT(sup_control_study, receding),
                "{horizon: 0.2 s, apply: 5}",
                "Optimise anew from the state that is reached, with a horizon that moves.",
                .need = SUP_OPTIONAL)};
static void defaults(void *target) {
  *(sup_control_study *)target = (sup_control_study){.weight = 0.01,
                                                     .has_limits = 1,
                                                     .max_iterations = 100,
                                                     .tolerance = 1e-4,
                                                     .receding = {.apply = 1, .iterations = 3}};
}
const sup_schema sup_schema_control =
    SUP_SCHEMA("control", control_keys, "Controls of a scene that minimise a cost.",
               SUP_DEFAULTS(defaults, sup_control_study));

/** Numbers of a term. */
typedef struct cost_values {
  double point[3], weight[3], final[3];
} cost_values;
static const sup_key cost_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "ball", "Body, ROBOT/LINK or rigid, whose point is led.",
               .absent = "one of body, joint and velocity is needed"),
    SUP_CUSTOM("joint", SUP_KEY_REFERENCE, "arm/lift", "Joint whose position is led."),
    SUP_CUSTOM("velocity", SUP_KEY_REFERENCE, "ball",
               "Robot, rigid body or joint whose velocities are kept small."),
    SUP_VECTOR("point", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(cost_values, point), "[0, 0, 10 cm]",
               "Point in the body's frame."),
    SUP_CUSTOM("position", SUP_KEY_TEXT, "[0.6, 0.15, 0.1]",
               "Place to which a body's point is led, or position of a joint.",
               .absent = "needed with body and joint"),
    SUP_AXES("weight", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(cost_values, weight), "[0, 0, 100]",
             "Weight of the squared error over time, of a point by world axes."),
    SUP_AXES("final", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(cost_values, final), "100",
             "Weight of the squared error at the end.")};
static void cost_defaults(void *target) {
  *(cost_values *)target = (cost_values){.weight = {1, 1, 1}};
}
const sup_schema sup_schema_cost = SUP_SCHEMA("cost", cost_keys, "Weighted square of an error.",
                                              SUP_DEFAULTS(cost_defaults, cost_values));

/* ---- definition ------------------------------------------------------------------------------ */

sup_status sup_control_read(sup_study *study, const sup_section *section) {
  sup_section s;
  sup_node   *node;
  SUP_TRY(sup_section_require(section, "control", &node));
  if (study->is_static)
    return SUP_FAIL_AT(node->key_place, "control is of motion; found 'mode: static'");
  SUP_TRY(SUP_CALLOC(study->control, 1));
  defaults(study->control);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_control, NULL));
  SUP_TRY(sup_section_read(&s, study->control));
  study->control->efforts = sup_section_entry(&s, "efforts");
  study->control->targets = sup_section_entry(&s, "targets");
  SUP_TRY(sup_section_require(&s, "cost", &study->control->costs));
  if (!study->control->efforts && !study->control->targets)
    return SUP_FAIL_AT(node->place, "control has neither efforts nor targets");
  study->num_families = 1;
  study->set = sup_section_entry(section, "set");
  return SUP_OK;
}

void sup_control_study_destroy(sup_control_study **handle) {
  sup_control_study *c = *handle;
  if (!c) return;
  sup_state_destroy(&c->start);
  sup_model_destroy(&c->model);
  sup_scene_destroy(&c->scene);
  SUP_FREE_ALL(&c->controls, &c->low, &c->high, &c->effort, &c->terms, &c->term_name, &c->u, &c->y,
               &c->history, &c->gains, handle);
}

/* ---- controls -------------------------------------------------------------------------------- */

static sup_status add_control(sup_control_study *c, sup_control_kind kind, const char *name,
                              double low, double high) {
  int n = c->num_controls;
  SUP_TRY(SUP_GROW(c->controls, c->control_capacity, n + 1));
  SUP_TRY(SUP_GROW(c->low, c->bound_capacity[0], n + 1));
  SUP_TRY(SUP_GROW(c->high, c->bound_capacity[1], n + 1));
  SUP_TRY(SUP_GROW(c->effort, c->bound_capacity[2], n + 1));
  c->controls[n].kind = kind;
  snprintf(c->controls[n].name, sizeof c->controls[n].name, "%s", name);
  c->low[n] = c->has_limits ? low : (double)-INFINITY;
  c->high[n] = c->has_limits ? high : (double)INFINITY;
  c->effort[n] = c->weight;
  c->num_controls++;
  return SUP_OK;
}

static sup_status add_joint(sup_control_study *c, int tree, int link) {
  const sup_tree      *t = c->model->tree[tree];
  const sup_tree_link *l = &t->links[link];
  char                 name[2 * SUP_NAME_MAX];
  snprintf(name, sizeof name, "%s/%s", t->name, l->joint_name);
  SUP_TRY(add_control(c, SUP_CONTROL_EFFORT, name, -l->effort_limit, l->effort_limit));
  return SUP_OK;
}

static int find_tree(const sup_model *model, const char *name) {
  for (int t = 0; t < model->num_trees; t++)
    if (strcmp(model->tree[t]->name, name) == 0) return t;
  return SUP_NONE;
}

static sup_status read_efforts(sup_control_study *c, const sup_node *list) {
  const char *name;
  int         tree, link;
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "efforts"));
  for (const sup_node *entry = list->child; entry; entry = entry->next) {
    SUP_TRY(sup_node_text(entry, "efforts", &name));
    if (sup_model_find_joint(c->model, name, &tree, &link)) {
      if (c->model->tree[tree]->links[link].nv != 1)
        return SUP_FAIL_AT(entry->place, "the joint '%s' has no single coordinate", name);
      SUP_TRY(add_joint(c, tree, link));
      continue;
    }
    if ((tree = find_tree(c->model, name)) == SUP_NONE)
      return SUP_FAIL_AT(entry->place, "the scene has no joint ROBOT/JOINT and no robot '%s'",
                         name);
    for (link = 0; link < c->model->tree[tree]->num_links; link++)
      if (c->model->tree[tree]->links[link].nv == 1) SUP_TRY(add_joint(c, tree, link));
  }
  return SUP_OK;
}

static sup_status read_targets(sup_control_study *c, const sup_node *list) {
  const char *name;
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "targets"));
  for (const sup_node *entry = list->child; entry; entry = entry->next) {
    int found = SUP_NONE;
    SUP_TRY(sup_node_text(entry, "targets", &name));
    for (int a = 0; a < c->model->num_actuators; a++)
      if (strcmp(c->model->actuator[a].name, name) == 0) found = a;
    if (found == SUP_NONE) return SUP_FAIL_AT(entry->place, "the scene has no actuator '%s'", name);
    const sup_actuator  *actuator = &c->model->actuator[found];
    const sup_tree_link *link = &c->model->tree[actuator->tree]->links[actuator->link];
    SUP_TRY(add_control(c, SUP_CONTROL_TARGET, name, link->lower, link->upper));
  }
  return SUP_OK;
}

/* ---- cost ------------------------------------------------------------------------------------ */

static sup_status add_term(sup_control_study *c, const char *name, const char *suffix,
                           const sup_cost_term *term) {
  int n = c->num_terms;
  SUP_TRY(SUP_GROW(c->terms, c->term_capacity, n + 1));
  SUP_TRY(SUP_GROW(c->term_name, c->name_capacity, n + 1));
  c->terms[n] = *term;
  snprintf(c->term_name[n], sizeof c->term_name[n], "%.60s%s", name, suffix);
  c->num_terms++;
  return SUP_OK;
}

static sup_status read_point(sup_control_study *c, const sup_section *s, sup_node *name,
                             const cost_values *values) {
  const char *text;
  sup_node   *node;
  double      target[3];
  SUP_TRY(sup_node_text(name, "body", &text));
  int body = sup_model_find_body(c->model, text);
  if (body == SUP_NONE || c->model->body[body].soft != SUP_NONE)
    return SUP_FAIL_AT(name->place, "the scene has no link and no rigid body '%s'", text);
  SUP_TRY(sup_section_require(s, "position", &node));
  SUP_TRY(sup_node_vector(node, "position", SUP_DIM_LENGTH, SUP_ANY, target));
  for (int a = 0; a < 3; a++) {
    char suffix[3] = {'.', (char)('x' + a), 0};
    SUP_TRY(add_term(c, s->node->key, suffix,
                     &(sup_cost_term){.kind = SUP_COST_POINT,
                                      .body = body,
                                      .axis = a,
                                      .point = sup_v3_load(values->point),
                                      .target = target[a],
                                      .weight = values->weight[a],
                                      .final = values->final[a]}));
  }
  return SUP_OK;
}

static sup_status find_joint(const sup_control_study *c, sup_node *name, int *tree, int *link) {
  const char *text;
  SUP_TRY(sup_node_text(name, "joint", &text));
  if (!sup_model_find_joint(c->model, text, tree, link) ||
      c->model->tree[*tree]->links[*link].nv != 1)
    return SUP_FAIL_AT(name->place, "the scene has no joint of one coordinate '%s'", text);
  return SUP_OK;
}

static sup_status read_joint(sup_control_study *c, const sup_section *s, sup_node *name,
                             const cost_values *values) {
  int       tree, link;
  sup_node *node;
  double    target;
  SUP_TRY(find_joint(c, name, &tree, &link));
  SUP_TRY(sup_section_require(s, "position", &node));
  bool turns = sup_joint_turns(&c->model->tree[tree]->links[link], 0);
  SUP_TRY(
      sup_node_number(node, "position", turns ? SUP_DIM_ANGLE : SUP_DIM_LENGTH, SUP_ANY, &target));
  SUP_TRY(add_term(c, s->node->key, ".q",
                   &(sup_cost_term){.kind = SUP_COST_POSITION,
                                    .q = sup_model_link_q(c->model, tree, link),
                                    .v = sup_model_link_v(c->model, tree, link),
                                    .target = target,
                                    .weight = values->weight[0],
                                    .final = values->final[0]}));
  return SUP_OK;
}

static sup_status read_velocity(sup_control_study *c, const sup_section *s, sup_node *name,
                                const cost_values *values) {
  const char *text;
  char        suffix[SUP_NAME_MAX];
  int         tree, link, first, count;
  SUP_TRY(sup_node_text(name, "velocity", &text));
  if ((tree = find_tree(c->model, text)) != SUP_NONE) {
    first = c->model->v_start[tree], count = c->model->tree[tree]->nv;
  } else {
    SUP_TRY(find_joint(c, name, &tree, &link));
    first = sup_model_link_v(c->model, tree, link), count = 1;
  }
  for (int k = 0; k < count; k++) {
    snprintf(suffix, sizeof suffix, ".v%d", k + 1);
    SUP_TRY(add_term(c, s->node->key, suffix,
                     &(sup_cost_term){.kind = SUP_COST_VELOCITY,
                                      .v = first + k,
                                      .weight = values->weight[0],
                                      .final = values->final[0]}));
  }
  return SUP_OK;
}

static sup_status read_term(sup_control_study *c, sup_node *node) {
  char        what[2 * SUP_NAME_MAX], name[SUP_NAME_MAX];
  sup_section s;
  cost_values values;
  SUP_TRY(sup_node_name(node, "term of the cost", name));
  snprintf(what, sizeof what, "term '%s'", name);
  cost_defaults(&values);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_cost, what));
  SUP_TRY(sup_section_read(&s, &values));
  sup_node *body = sup_section_entry(&s, "body"), *joint = sup_section_entry(&s, "joint"),
           *velocity = sup_section_entry(&s, "velocity");
  if (!!body + !!joint + !!velocity != 1)
    return SUP_FAIL_AT(node->place, "%s needs one of body, joint and velocity; found %d", what,
                       !!body + !!joint + !!velocity);
  if (body) return read_point(c, &s, body, &values);
  if (joint) return read_joint(c, &s, joint, &values);
  return read_velocity(c, &s, velocity, &values);
}

/* ---- scene ----------------------------------------------------------------------------------- */

static sup_status load(sup_study *study) {
  sup_family        *family = &study->family[0];
  sup_control_study *c = study->control;
  SUP_TRY(SUP_CALLOC(family->level, 1));
  family->num_levels = 1;
  if (study->set) SUP_TRY(sup_level_add_all(&family->level[0], study->set));
  sup_status status =
      sup_scene_load(&c->scene, study->scene, (const char *const *)family->level[0].set,
                     family->level[0].num_sets);
  if (status == SUP_E_IO) return SUP_FAIL_WRAP(SUP_E_PARSE, study->scene_place);
  SUP_TRY(status);
  status = sup_model_create(&c->model, &c->scene->model);
  if (status != SUP_OK) SUP_TRY(sup_scene_locate(c->scene, status));
  SUP_TRY(sup_state_create(&c->start, c->model, &c->scene->options));
  return SUP_OK;
}

sup_status sup_control_prepare(sup_study *study) {
  sup_control_study *c = study->control;
  sup_transition    *transition = NULL;
  SUP_TRY(load(study));
  SUP_TRY(read_efforts(c, c->efforts));
  SUP_TRY(read_targets(c, c->targets));
  SUP_TRY(sup_node_check_mapping(c->costs, "cost"));
  for (sup_node *node = c->costs->child; node; node = node->next) SUP_TRY(read_term(c, node));
  double dt = c->scene->options.dt, horizon = c->horizon > 0 ? c->horizon : c->scene->end_time;
  c->num_steps = (int)(horizon / dt + 0.5);
  if (c->num_steps < 1)
    return SUP_FAIL_AT(study->scene_place, "the horizon of %g s is shorter than a step of %g s",
                       horizon, dt);
  sup_status status = sup_transition_create(&transition, c->model, &c->scene->options, c->controls,
                                            c->num_controls);
  sup_transition_destroy(&transition);
  return status == SUP_OK ? SUP_OK : SUP_FAIL_WRAP(SUP_E_PARSE, study->scene_place);
}
