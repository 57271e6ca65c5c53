/* The section `contact`, its pairs, and the contact properties of bodies. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"

/** `point: {stiffness: k}`, of a body or of a pair. */
static sup_status read_point(sup_node *node, double *stiffness) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "point", "stiffness"));
  SUP_TRY(sup_need_number(&section, "stiffness", SUP_DIM_STIFFNESS, SUP_POSITIVE, stiffness));
  return SUP_OK;
}

static sup_status read_properties(const sup_section *section, sup_contact_kind kind, sup_contact_def *c) {
  SUP_TRY(sup_get_number(section, "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &c->friction));
  SUP_TRY(sup_get_number(section, "dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE, &c->dissipation));
  if (kind == SUP_CONTACT_SOFT) return SUP_OK;
  SUP_TRY(sup_get_number(section, "stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE, &c->stiffness));
  sup_node *point = sup_section_find(section, "point");
  if (point) SUP_TRY(read_point(point, &c->point_stiffness));
  if (kind == SUP_CONTACT_HALF_SPACE) return SUP_OK;
  SUP_TRY(sup_get_number(section, "resolution", SUP_DIM_LENGTH, SUP_POSITIVE, &c->resolution));
  return SUP_OK;
}

sup_status sup_read_body_contact(const sup_scene_build *b, const sup_section *body, sup_contact_kind kind,
                                 sup_contact_def *contact) {
  static const struct {
    const char *what;
    int         num_keys;
  } kinds[] = {[SUP_CONTACT_SHAPE] = {"contact", 5},
               [SUP_CONTACT_HALF_SPACE] = {"contact of a half space", 4},
               [SUP_CONTACT_SOFT] = {"contact of a soft body (its stiffness follows from its material)", 2}};
  static const char *const keys[] = {"friction", "dissipation", "stiffness", "point", "resolution"};
  sup_section              section;
  sup_node                *node;
  *contact = b->contact;
  SUP_TRY(sup_section_mapping(body, "contact", &node));
  SUP_TRY(sup_section_open(&section, node, kinds[kind].what, keys, kinds[kind].num_keys));
  SUP_TRY(read_properties(&section, kind, contact));
  return SUP_OK;
}

static sup_status open_contact(const sup_scene_build *b, sup_section *section) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(&b->root, "contact", &node));
  SUP_TRY(SUP_SECTION_OPEN(section, node, "contact", "model", "stiction_tolerance", "sigma", "beta", "friction_sweeps",
                           "sweep_tolerance", "margin", "defaults", "pairs"));
  return SUP_OK;
}

sup_status sup_scene_read_contact(sup_scene_build *b) {
  static const char *const models[] = {"lagged"};
  sup_options             *o = &b->scene->model.options;
  sup_section              section, defaults;
  sup_node                *node;
  int                      model = 0;
  SUP_TRY(open_contact(b, &section));
  SUP_TRY(sup_get_word(&section, "model", models, 1, &model));
  SUP_TRY(sup_get_number(&section, "stiction_tolerance", SUP_DIM_VELOCITY, SUP_POSITIVE, &o->stiction_tolerance));
  SUP_TRY(sup_get_number(&section, "sigma", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &o->sigma));
  SUP_TRY(sup_get_number(&section, "beta", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &o->beta));
  SUP_TRY(sup_get_integer(&section, "friction_sweeps", 1, &o->friction_sweeps));
  SUP_TRY(sup_get_number(&section, "sweep_tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, &o->sweep_tolerance));
  SUP_TRY(sup_get_number(&section, "margin", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &o->contact_margin));
  b->contact = sup_default_contact_def();
  SUP_TRY(sup_section_mapping(&section, "defaults", &node));
  SUP_TRY(SUP_SECTION_OPEN(&defaults, node, "contact.defaults", "friction", "dissipation", "stiffness", "point",
                           "resolution"));
  SUP_TRY(read_properties(&defaults, SUP_CONTACT_SHAPE, &b->contact));
  return SUP_OK;
}

/* ---- pairs ---- */

static sup_status read_optional(const sup_section *section, const char *key, sup_dimension dimension, sup_sign sign,
                                double *value) {
  *value = (double)NAN;
  sup_node *node = sup_section_find(section, key);
  if (node) SUP_TRY(sup_node_number(node, key, dimension, sign, value));
  return SUP_OK;
}

static int is_same_pair(const sup_pair_def *p, const sup_pair_def *q) {
  return (strcmp(p->a, q->a) == 0 && strcmp(p->b, q->b) == 0) || (strcmp(p->a, q->b) == 0 && strcmp(p->b, q->a) == 0);
}

static sup_status read_pair(const sup_scene_build *b, sup_node *node, sup_pair_def *pair) {
  sup_section   section;
  sup_node     *bodies;
  sup_body_name body;
  char          what[SUP_PLACE_SIZE];
  int           enabled = 1;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "contact pair", "bodies", "enabled", "friction", "dissipation", "stiffness",
                           "point"));
  SUP_TRY(sup_section_need(&section, "bodies", "[cylinder, floor]", &bodies));
  if (bodies->type != SUP_NODE_SEQUENCE || bodies->num_children != 2)
    return SUP_FAIL_AT(bodies->place, "bodies must be a list of two bodies [A, B]; found %s",
                       sup_node_describe(bodies, what));
  SUP_TRY(sup_scene_find_body(b, sup_node_at(bodies, 0), "contact pair", pair->a, &body));
  SUP_TRY(sup_scene_find_body(b, sup_node_at(bodies, 1), "contact pair", pair->b, &body));
  if (strcmp(pair->a, pair->b) == 0)
    return SUP_FAIL_AT(bodies->place, "a contact pair needs two bodies; '%s' is named twice", pair->a);
  SUP_TRY(sup_get_boolean(&section, "enabled", &enabled));
  pair->disabled = !enabled;
  SUP_TRY(read_optional(&section, "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &pair->friction));
  SUP_TRY(read_optional(&section, "dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE, &pair->dissipation));
  SUP_TRY(read_optional(&section, "stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE, &pair->stiffness));
  sup_node *point = sup_section_find(&section, "point");
  pair->point_stiffness = (double)NAN;
  if (point) SUP_TRY(read_point(point, &pair->point_stiffness));
  return SUP_OK;
}

sup_status sup_scene_read_pairs(sup_scene_build *b) {
  sup_model_def *model = &b->scene->model;
  sup_section    section;
  SUP_TRY(open_contact(b, &section));
  sup_node *pairs = sup_section_find(&section, "pairs");
  if (!pairs) return SUP_OK;
  SUP_TRY(sup_node_check_list(pairs, "pairs"));
  SUP_TRY(SUP_CALLOC(model->pairs, pairs->num_children));
  for (sup_node *c = pairs->child; c; c = c->next) {
    sup_pair_def *pair = &model->pairs[model->num_pairs];
    SUP_TRY(read_pair(b, c, pair));
    for (int i = 0; i < model->num_pairs; i++)
      if (is_same_pair(&model->pairs[i], pair))
        return SUP_FAIL_AT(c->place, "the pair of '%s' and '%s' is given twice", pair->a, pair->b);
    model->num_pairs++;
  }
  return SUP_OK;
}
