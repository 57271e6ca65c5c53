/* The section `contact`, its pairs, and the contact properties of bodies. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/** `point: {stiffness: k}`, of a body or of a pair. */
static sup_status read_point(sup_node *node, double *stiffness) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "point", "stiffness"));
  SUP_TRY(sup_need_number(&section, "stiffness", SUP_DIM_STIFFNESS, SUP_POSITIVE, stiffness));
  return SUP_OK;
}

/** `compliant: {modulus, resolution, margin, thickness, field}` of a rigid body: its pressure field.  Cells of a file
 * are as fine as they are. */
static sup_status read_compliant(sup_node *node, sup_contact_kind kind, sup_contact_def *c) {
  static const char *const fields[] = {"distance", "harmonic"};
  sup_section              section;
  int                      field = (int)c->field_kind;
  if (kind == SUP_CONTACT_HALF_SPACE)
    SUP_TRY(SUP_SECTION_OPEN(&section, node, "compliant (of a half space)", "modulus", "margin", "thickness"));
  else if (kind == SUP_CONTACT_MESH)
    SUP_TRY(SUP_SECTION_OPEN(&section, node, "compliant (of a mesh)", "modulus", "margin", "thickness", "resolution",
                             "field"));
  else if (kind == SUP_CONTACT_CELLS)
    SUP_TRY(SUP_SECTION_OPEN(&section, node, "compliant (of the cells of a .vtk mesh)", "modulus", "margin",
                             "thickness", "field"));
  else
    SUP_TRY(SUP_SECTION_OPEN(&section, node, "compliant", "modulus", "margin", "thickness", "resolution"));
  SUP_TRY(sup_need_number(&section, "modulus", SUP_DIM_PRESSURE, SUP_POSITIVE, &c->modulus));
  SUP_TRY(sup_get_number(&section, "margin", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &c->field_margin));
  SUP_TRY(sup_get_number(&section, "thickness", SUP_DIM_LENGTH, SUP_POSITIVE, &c->field_thickness));
  if (kind != SUP_CONTACT_HALF_SPACE && kind != SUP_CONTACT_CELLS)
    SUP_TRY(sup_get_number(&section, "resolution", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &c->field_resolution));
  if (kind == SUP_CONTACT_MESH || kind == SUP_CONTACT_CELLS)
    SUP_TRY(sup_get_word(&section, "field", fields, COUNT(fields), &field));
  c->field_kind = (sup_field_kind)field;
  return SUP_OK;
}

/** `anisotropy: {axis, ratio}` of a rigid body. */
static sup_status read_anisotropy(sup_node *node, sup_contact_def *c) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "anisotropy", "axis", "ratio"));
  SUP_TRY(sup_need_vector(&section, "axis", SUP_DIM_NUMBER, c->anisotropy_axis));
  SUP_TRY(sup_need_number(&section, "ratio", SUP_DIM_NUMBER, SUP_POSITIVE, &c->anisotropy_ratio));
  if (!(sup_v3_norm(sup_v3_load(c->anisotropy_axis)) > 0))
    return SUP_FAIL_AT(sup_section_find(&section, "axis")->place,
                       "the axis of an anisotropy is (0, 0, 0); it must have a direction");
  return SUP_OK;
}

/** `surface_velocity` of a rigid body: a vector, or {mean, amplitude, frequency, phase}. */
static sup_status read_surface_velocity(sup_node *node, sup_contact_def *c) {
  sup_section section;
  if (node->type != SUP_NODE_MAPPING) {
    SUP_TRY(sup_node_vector(node, "surface_velocity", SUP_DIM_VELOCITY, c->surface_velocity));
    return SUP_OK;
  }
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "surface_velocity", "mean", "amplitude", "frequency", "phase"));
  SUP_TRY(sup_get_vector(&section, "mean", SUP_DIM_VELOCITY, c->surface_velocity));
  SUP_TRY(sup_need_vector(&section, "amplitude", SUP_DIM_VELOCITY, c->surface_amplitude));
  SUP_TRY(sup_need_number(&section, "frequency", SUP_DIM_RATE, SUP_NOT_NEGATIVE, &c->surface_frequency));
  SUP_TRY(sup_get_number(&section, "phase", SUP_DIM_ANGLE, SUP_ANY, &c->surface_phase));
  return SUP_OK;
}

/** A body that names one coefficient has no other by default. */
static sup_status read_friction(const sup_section *section, sup_contact_def *c) {
  const double    suspicious = 10;
  char            where[SUP_PLACE_SIZE];
  const sup_node *friction = sup_section_find(section, "friction"),
                 *at_rest = sup_section_find(section, "static_friction");
  if (friction && !at_rest) c->static_friction = 0;
  SUP_TRY(sup_get_number(section, "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &c->friction));
  SUP_TRY(sup_get_number(section, "static_friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &c->static_friction));
  if (c->friction > suspicious)
    sup_log(SUP_LOG_WARNING, "%s: friction is %g; a percentage is written with its sign: '%g %%'",
            friction ? sup_place_text(friction->place, where) : "contact", c->friction, c->friction);
  if (at_rest && c->static_friction > 0 && c->static_friction < c->friction)
    sup_log(SUP_LOG_WARNING, "%s: static_friction %g is below friction %g; it has no effect",
            sup_place_text(at_rest->place, where), c->static_friction, c->friction);
  return SUP_OK;
}

/** What bodies of a kind and `contact.defaults` have. */
static sup_status read_properties(const sup_section *section, sup_contact_kind kind, sup_contact_def *c) {
  SUP_TRY(read_friction(section, c));
  SUP_TRY(sup_get_number(section, "dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE, &c->dissipation));
  SUP_TRY(sup_get_number(section, "relaxation_time", SUP_DIM_TIME, SUP_NOT_NEGATIVE, &c->relaxation_time));
  if (kind == SUP_CONTACT_SOFT) {
    SUP_TRY(sup_get_boolean(section, "self", &c->self));
    return SUP_OK;
  }
  SUP_TRY(sup_get_number(section, "stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE, &c->stiffness));
  SUP_TRY(sup_get_number(section, "hertz_modulus", SUP_DIM_PRESSURE, SUP_NOT_NEGATIVE, &c->hertz_modulus));
  sup_node *point = sup_section_find(section, "point");
  if (point) SUP_TRY(read_point(point, &c->point_stiffness));
  sup_node *compliant = sup_section_find(section, "compliant");
  if (compliant) SUP_TRY(read_compliant(compliant, kind, c));
  if (kind == SUP_CONTACT_HALF_SPACE) return SUP_OK;
  SUP_TRY(sup_get_number(section, "resolution", SUP_DIM_LENGTH, SUP_POSITIVE, &c->resolution));
  return SUP_OK;
}

#define SOFT_KEYS "friction", "static_friction", "dissipation", "relaxation_time"
#define RIGID_KEYS SOFT_KEYS, "stiffness", "hertz_modulus", "point", "compliant"

/** The properties that a mapping names; *contact holds what absent ones are. */
static sup_status read_contact(sup_node *node, sup_contact_kind kind, sup_contact_def *contact) {
  static const char *const shape[] = {RIGID_KEYS, "surface_velocity", "anisotropy", "resolution"};
  static const char *const soft[] = {SOFT_KEYS, "self"};
  static const struct {
    const char        *what;
    const char *const *keys;
    int                num_keys;
  } kinds[] = {
      [SUP_CONTACT_SHAPE] = {"contact", shape, COUNT(shape)},
      [SUP_CONTACT_MESH] = {"contact", shape, COUNT(shape)},
      [SUP_CONTACT_CELLS] = {"contact", shape, COUNT(shape)},
      [SUP_CONTACT_HALF_SPACE] = {"contact of a half space", shape, COUNT(shape) - 1},
      [SUP_CONTACT_SOFT] = {"contact of a soft body (its stiffness follows from its material)", soft, COUNT(soft)}};
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, kinds[kind].what, kinds[kind].keys, kinds[kind].num_keys));
  SUP_TRY(read_properties(&section, kind, contact));
  if (kind == SUP_CONTACT_SOFT) return SUP_OK;
  sup_node *belt = sup_section_find(&section, "surface_velocity"),
           *anisotropy = sup_section_find(&section, "anisotropy");
  if (belt) SUP_TRY(read_surface_velocity(belt, contact));
  if (anisotropy) SUP_TRY(read_anisotropy(anisotropy, contact));
  return SUP_OK;
}

sup_status sup_read_body_contact(const sup_scene_build *b, const sup_section *body, sup_contact_kind kind,
                                 sup_contact_def *contact) {
  sup_node *node;
  *contact = b->contact;
  SUP_TRY(sup_section_mapping(body, "contact", &node));
  SUP_TRY(read_contact(node, kind, contact));
  return SUP_OK;
}

sup_contact_kind sup_contact_kind_of(const sup_link_def *link) {
  int has_mesh = 0, has_cells = 0, has_shape = 0;
  for (int g = 0; g < link->num_geometries; g++) {
    const sup_shape *shape = &link->geometries[g].shape;
    if (shape->cells)
      has_cells = 1;
    else if (shape->type == SUP_SHAPE_MESH)
      has_mesh = 1;
    else if (shape->type != SUP_SHAPE_HALF_SPACE)
      has_shape = 1;
  }
  if (has_mesh || (has_cells && has_shape)) return SUP_CONTACT_MESH;
  return has_cells ? SUP_CONTACT_CELLS : has_shape ? SUP_CONTACT_SHAPE : SUP_CONTACT_HALF_SPACE;
}

sup_status sup_read_link_contact(sup_node *node, sup_link_def *link) {
  sup_contact_kind kind = sup_contact_kind_of(link);
  if (link->num_geometries == 1) {
    SUP_TRY(read_contact(node, kind, &link->geometries[0].contact));
    return SUP_OK;
  }
  for (int g = 0; g < link->num_geometries; g++) { /* absent keys differ between them: they are not filled in */
    sup_node *copy = NULL;
    SUP_TRY(sup_node_copy(&copy, node));
    sup_status status = read_contact(copy, kind, &link->geometries[g].contact);
    sup_node_destroy(&copy);
    if (status != SUP_OK) return status;
  }
  return SUP_OK;
}

/* ---- the section ---- */

#define NAME(NAME, name) #name,
static const char *const model_names[] = {SUP_CONTACT_MODEL_LIST(NAME)};
static const char *const normal_names[] = {SUP_NORMAL_LAW_LIST(NAME)};
#undef NAME

/** `barrier: {energy, range}`, of the scene (absent keys: what is there) or of a pair. */
static sup_status read_barrier(sup_node *node, int is_pair, double *energy, double *range) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "barrier", "energy", "range"));
  if (!is_pair || sup_section_find(&section, "energy"))
    SUP_TRY(sup_get_number(&section, "energy", SUP_DIM_ENERGY, SUP_POSITIVE, energy));
  if (!is_pair || sup_section_find(&section, "range"))
    SUP_TRY(sup_get_number(&section, "range", SUP_DIM_LENGTH, SUP_POSITIVE, range));
  return SUP_OK;
}

static sup_status open_contact(const sup_scene_build *b, sup_section *section) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(&b->root, "contact", &node));
  SUP_TRY(SUP_SECTION_OPEN(section, node, "contact", "model", "normal_law", "delassus", "barrier", "stiction_tolerance",
                           "sigma", "beta", "friction_sweeps", "sweep_tolerance", "patch", "margin", "defaults",
                           "pairs"));
  return SUP_OK;
}

static sup_status read_laws(const sup_section *section, sup_options *o) {
  static const char *const delassus_names[] = {"diagonal", "full"};
  int                      model = (int)o->contact_model, normal_law = (int)o->normal_law, delassus = (int)o->delassus;
  sup_node                *barrier;
  SUP_TRY(sup_get_word(section, "model", model_names, SUP_NUM_CONTACT_MODELS, &model));
  SUP_TRY(sup_get_word(section, "normal_law", normal_names, SUP_NUM_NORMAL_LAWS, &normal_law));
  SUP_TRY(sup_get_word(section, "delassus", delassus_names, SUP_NUM_DELASSUS, &delassus));
  SUP_TRY(sup_section_mapping(section, "barrier", &barrier));
  SUP_TRY(read_barrier(barrier, 0, &o->barrier_energy, &o->barrier_range));
  o->contact_model = (sup_contact_model)model;
  o->normal_law = (sup_normal_law)normal_law;
  o->delassus = (sup_delassus)delassus;
  return SUP_OK;
}

/** `patch: {cut, force_at}`: how patches of pressure fields become contacts. */
static sup_status read_patch(const sup_section *section, sup_options *o) {
  static const char *const cuts[] = {"polygons", "triangles"}, *const places[] = {"centroid", "pressure_centre"};
  sup_section patch;
  sup_node   *node;
  SUP_TRY(sup_section_mapping(section, "patch", &node));
  SUP_TRY(SUP_SECTION_OPEN(&patch, node, "patch", "cut", "force_at"));
  SUP_TRY(sup_get_word(&patch, "cut", cuts, 2, &o->patch_triangles));
  SUP_TRY(sup_get_word(&patch, "force_at", places, 2, &o->patch_at_pressure));
  return SUP_OK;
}

sup_status sup_scene_read_contact(sup_scene_build *b) {
  sup_options *o = &b->scene->model.options;
  sup_section  section, defaults;
  sup_node    *node;
  SUP_TRY(open_contact(b, &section));
  SUP_TRY(read_laws(&section, o));
  SUP_TRY(read_patch(&section, o));
  SUP_TRY(sup_get_number(&section, "stiction_tolerance", SUP_DIM_VELOCITY, SUP_POSITIVE, &o->stiction_tolerance));
  SUP_TRY(sup_get_number(&section, "sigma", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &o->sigma));
  SUP_TRY(sup_get_number(&section, "beta", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &o->beta));
  SUP_TRY(sup_get_integer(&section, "friction_sweeps", 1, &o->friction_sweeps));
  SUP_TRY(sup_get_number(&section, "sweep_tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, &o->sweep_tolerance));
  SUP_TRY(sup_get_number(&section, "margin", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, &o->contact_margin));
  b->contact = sup_default_contact_def();
  SUP_TRY(sup_section_mapping(&section, "defaults", &node));
  SUP_TRY(SUP_SECTION_OPEN(&defaults, node, "contact.defaults", RIGID_KEYS, "resolution"));
  SUP_TRY(read_properties(&defaults, SUP_CONTACT_SHAPE, &b->contact));
  return SUP_OK;
}

/* ---- pairs ---- */

static sup_status read_optional(const sup_section *section, const char *key, sup_dimension dimension, sup_sign sign,
                                double *value) {
  sup_node *node = sup_section_find(section, key);
  if (node) SUP_TRY(sup_node_number(node, key, dimension, sign, value));
  return SUP_OK;
}

static int is_same_pair(const sup_pair_def *p, const sup_pair_def *q) {
  return (strcmp(p->a, q->a) == 0 && strcmp(p->b, q->b) == 0) || (strcmp(p->a, q->b) == 0 && strcmp(p->b, q->a) == 0);
}

static sup_status read_pair_laws(const sup_section *section, sup_pair_def *pair) {
  sup_node *model = sup_section_find(section, "model"), *law = sup_section_find(section, "normal_law");
  sup_node *point = sup_section_find(section, "point"), *barrier = sup_section_find(section, "barrier");
  if (model) SUP_TRY(sup_node_word(model, "model", model_names, SUP_NUM_CONTACT_MODELS, &pair->model));
  if (law) SUP_TRY(sup_node_word(law, "normal_law", normal_names, SUP_NUM_NORMAL_LAWS, &pair->normal_law));
  SUP_TRY(read_optional(section, "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &pair->friction));
  SUP_TRY(read_optional(section, "static_friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, &pair->static_friction));
  SUP_TRY(read_optional(section, "dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE, &pair->dissipation));
  SUP_TRY(read_optional(section, "relaxation_time", SUP_DIM_TIME, SUP_NOT_NEGATIVE, &pair->relaxation_time));
  SUP_TRY(read_optional(section, "stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE, &pair->stiffness));
  SUP_TRY(read_optional(section, "hertz_radius", SUP_DIM_LENGTH, SUP_POSITIVE, &pair->hertz_radius));
  if (point) SUP_TRY(read_point(point, &pair->point_stiffness));
  if (barrier) SUP_TRY(read_barrier(barrier, 1, &pair->barrier_energy, &pair->barrier_range));
  return SUP_OK;
}

static sup_status read_pair(const sup_scene_build *b, sup_node *node, sup_pair_def *pair) {
  sup_section   section;
  sup_node     *bodies;
  sup_body_name body;
  char          what[SUP_PLACE_SIZE];
  int           enabled = 1;
  *pair = sup_default_pair_def();
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "contact pair", "bodies", "enabled", "model", "normal_law", SOFT_KEYS,
                           "stiffness", "point", "hertz_radius", "barrier"));
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
  if (!enabled)
    for (const sup_node *c = node->child; c; c = c->next)
      if (strcmp(c->key, "bodies") != 0 && strcmp(c->key, "enabled") != 0)
        return SUP_FAIL_AT(c->key_place, "the pair has 'enabled: false'; its '%s' has no effect", c->key);
  SUP_TRY(read_pair_laws(&section, pair));
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
