#include "study/parameter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/format/number.h"
#include "study/ladder.h"

/* ---- definition ------------------------------------------------------------------------------ */

static sup_status read_parameter(sup_node *node, sup_parameter *parameter) {
  sup_section s;
  char        what[2 * SUP_NAME_MAX];
  const char *text;
  parameter->place = node->place, parameter->is_number = 1;
  SUP_TRY(sup_node_name(node, "parameter", parameter->name));
  snprintf(what, sizeof what, "parameter '%s'", parameter->name);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_parameter, what));
  SUP_TRY(sup_section_require(&s, "key", &parameter->key));
  parameter->given_value = sup_section_entry(&s, "value");
  parameter->given_width = sup_section_entry(&s, "width");
  parameter->given_from = sup_section_entry(&s, "from");
  parameter->given_to = sup_section_entry(&s, "to");
  if (parameter->key->type != SUP_NODE_SEQUENCE) {
    SUP_TRY(sup_node_text(parameter->key, "key", &text));
    return SUP_OK;
  }
  for (const sup_node *c = parameter->key->child; c; c = c->next)
    SUP_TRY(sup_node_text(c, "key", &text));
  return parameter->key->num_children > 0 ? SUP_OK
                                          : SUP_FAIL_AT(parameter->key->place, "key lists no key");
}

sup_status sup_parameters_read(sup_study *study, const sup_section *section) {
  sup_node *list;
  SUP_TRY(sup_section_require(section, "parameters", &list));
  SUP_TRY(sup_node_check_mapping(list, "parameters"));
  if (list->num_children < 1 || list->num_children > SUP_MAX_PARAMETERS)
    return SUP_FAIL_AT(list->place, "a study has 1 to %d parameters; found %d", SUP_MAX_PARAMETERS,
                       list->num_children);
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_parameter(c, &study->parameter[study->num_parameters++]));
  return SUP_OK;
}

/* ---- values by the scene --------------------------------------------------------------------- */

static const char *key_text(const sup_parameter *p, int k) {
  return p->key->type == SUP_NODE_SEQUENCE ? sup_node_at(p->key, k)->text : p->key->text;
}
static int num_keys(const sup_parameter *p) {
  return p->key->type == SUP_NODE_SEQUENCE ? p->key->num_children : 1;
}

/** A whole number of the schema has no derivative, nor has a time that counts steps. */
static sup_status check_is_real(const sup_parameter *p, const sup_scene *scene, const char *key) {
  sup_schema_target target;
  if (strcmp(key, "time.end") == 0 && !(scene->options.accuracy.tolerance > 0))
    return SUP_FAIL_AT(p->key->place,
                       "time.end counts whole steps and has no derivative; the slope at the end is "
                       "that of history.csv, and `supple sweep` varies it");
  if (!sup_schema_find(&sup_schema_scene, key, &target) || !target.key ||
      target.key->type != SUP_KEY_INTEGER)
    return SUP_OK;
  return SUP_FAIL_AT(p->key->place,
                     "%s is a whole number and has no derivative; `supple sweep` varies it", key);
}

/** Number of the key in the scene [SI] with its dimension; of several keys the first. */
static sup_status find_number(const sup_parameter *p, sup_scene *scene, sup_node **node) {
  char what[SUP_SOURCE_POSITION_SIZE];
  *node = NULL;
  for (int k = 0; k < num_keys(p); k++) {
    const char *key = key_text(p, k);
    sup_node   *found = sup_node_find_path(scene->root, key);
    SUP_TRY(check_is_real(p, scene, key));
    if (found && !found->is_number)
      return SUP_FAIL_AT(p->key->place,
                         "%s is %s in the scene; a gradient needs a number; entries "
                         "of lists are %s.0, %s.1, ...",
                         key, sup_node_describe(found, what), key, key);
    if (!found && !p->given_value)
      return SUP_FAIL_AT(p->key->place,
                         "the scene has no number %s; give the value: 'value: 1.5 mm'", key);
    if (!*node) *node = found;
    if (found && !p->given_value && found->number != (*node)->number)
      return SUP_FAIL_AT(p->key->place,
                         "%s is %g and %s is %g in the scene; give the value of both: 'value: %g'",
                         key_text(p, 0), (*node)->number, key, found->number, found->number);
  }
  return SUP_OK;
}

/** Read a number of the study in the dimension of the key [SI]; of an unknown key in any. */
static sup_status read_number(sup_node *given, const char *name, const sup_node *found,
                              sup_dimension *dimension, double *value) {
  char        word[SUP_UNIT_WORD_SIZE];
  const char *other;
  for (int d = 0; !found && given->type == SUP_NODE_SCALAR && d < SUP_NUM_DIMENSIONS; d++)
    if (sup_quantity_read(given->text, (sup_dimension)d, value, word, &other) == SUP_QUANTITY_OK) {
      *dimension = (sup_dimension)d;
      return SUP_OK;
    }
  SUP_TRY(sup_node_number(given, name, *dimension, SUP_ANY, value));
  return SUP_OK;
}

/** SI units, but degrees where the scene or the study has them. */
static void set_unit(sup_parameter *p, const sup_node *found, sup_dimension dimension) {
  const double degree = atan(1) / 45;
  const char  *texts[] = {p->given_value ? p->given_value->text : NULL,
                         p->given_width ? p->given_width->text : NULL, found ? found->text : NULL};
  const char *unit = sup_dimension_unit(dimension);
  bool        is_degrees = false;
  for (int i = 0; i < 3; i++)
    is_degrees |= dimension == SUP_DIM_ANGLE && texts[i] && strstr(texts[i], "deg");
  p->scale = is_degrees ? degree : 1;
  snprintf(p->unit, sizeof p->unit, "%s", is_degrees ? "deg" : strcmp(unit, "-") ? unit : "");
}

static sup_status find_bounds(sup_parameter *p, const sup_node *found, sup_dimension dimension) {
  double low = -HUGE_VAL, high = HUGE_VAL;
  if (p->given_from) SUP_TRY(read_number(p->given_from, "from", found, &dimension, &low));
  if (p->given_to) SUP_TRY(read_number(p->given_to, "to", found, &dimension, &high));
  p->low = low / p->scale, p->high = high / p->scale;
  if (!(p->low <= p->value && p->value <= p->high))
    return SUP_FAIL_AT(p->place, "'%s' begins at %g %s, not between its bounds %g and %g", p->name,
                       p->value, p->unit, p->low, p->high);
  return SUP_OK;
}

static bool has_key(const sup_parameter *p, const char *key) {
  for (int k = 0; k < num_keys(p); k++)
    if (strcmp(key_text(p, k), key) == 0) return true;
  return false;
}

/** A key has one value; of fits and searches it is moved by one parameter. */
static sup_status check_keys(const sup_study *study, const sup_parameter *p) {
  bool is_gradient = study->kind == SUP_STUDY_GRADIENT;
  for (const sup_parameter *other = study->parameter; other < p; other++)
    for (int k = 0; k < num_keys(p); k++) {
      const char *key = key_text(p, k);
      if (!has_key(other, key)) continue;
      if (!is_gradient)
        return SUP_FAIL_AT(p->place, "'%s' and '%s' both move %s; keep one of them", other->name,
                           p->name, key);
      if (other->value * other->scale != p->value * p->scale)
        return SUP_FAIL_AT(p->place, "%s is %g%s%s by '%s' and %g%s%s by '%s'; give both one value",
                           key, other->value, other->unit[0] ? " " : "", other->unit, other->name,
                           p->value, p->unit[0] ? " " : "", p->unit, p->name);
    }
  return SUP_OK;
}

sup_status sup_parameter_find(const sup_study *study, sup_parameter *p, sup_scene *scene) {
  sup_node *found;
  double    value = 0, width = 0;
  SUP_TRY(find_number(p, scene, &found));
  sup_dimension dimension = found ? found->dimension : SUP_DIM_NUMBER;
  if (p->given_value)
    SUP_TRY(read_number(p->given_value, "value", found, &dimension, &value));
  else
    value = found->number;
  set_unit(p, found, dimension);
  p->value = value / p->scale, p->dimension = dimension;
  SUP_TRY(check_keys(study, p));
  SUP_TRY(find_bounds(p, found, dimension));
  width = study->gradient.width * (study->optimize ? (p->high - p->low) * p->scale : fabs(value));
  if (p->given_width)
    SUP_TRY(sup_node_number(p->given_width, "width", dimension, SUP_POSITIVE, &width));
  if (width == 0)
    return SUP_FAIL_AT(p->place,
                       "the value of '%s' is 0: a width of its differences is needed, "
                       "for instance 'width: %s'",
                       p->name, sup_dimension_example(dimension));
  p->width = width / p->scale;
  return SUP_OK;
}

/* ---- overrides ------------------------------------------------------------------------------- */

static sup_status add_text(sup_level *level, const char *key, char *text) {
  sup_node value = {.type = SUP_NODE_SCALAR, .is_plain = 1, .text = text};
  SUP_TRY(sup_level_add(level, key, &value, 1));
  return SUP_OK;
}

sup_status sup_level_begin(sup_level *level, const sup_node *set, sup_source_position place) {
  char digits[] = "17", format[] = "none";
  level->place = place;
  SUP_TRY(add_text(level, "output.digits", digits));
  SUP_TRY(add_text(level, "output.format", format));
  if (set) SUP_TRY(sup_level_add_all(level, set));
  return SUP_OK;
}

sup_status sup_level_set(sup_level *level, const sup_parameter *p, double value) {
  char text[SUP_NUMBER_SIZE];
  sup_number_text(text, value * p->scale, 0);
  for (int k = 0; k < num_keys(p); k++) SUP_TRY(add_text(level, key_text(p, k), text));
  return SUP_OK;
}
