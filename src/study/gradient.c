#include "study/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "output/format/number.h"
#include "study/ladder.h"

/** Cases: the scene itself, then for each parameter and width, the largest first, below and
 * above. */
enum { CASES_A_PARAMETER = 2 * SUP_NUM_WIDTHS };
static const double shrink = 0.1; /* from width to width */

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_key gradient_keys[] = {
    SUP_NUMBER("width", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_gradient, width), "1.0e-3",
               "Largest width of the central differences, over the parameter's value; the other "
               "two are a tenth and a hundredth of it."),
    SUP_NUMBER("kink", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_gradient, kink), "1 %",
               "Difference of slopes of two sides or widths, over the slope, that is told.")};
static void defaults(void *target) {
  *(sup_gradient *)target = (sup_gradient){.width = 1e-3, .kink = 0.01};
}
const sup_schema sup_schema_gradient = SUP_SCHEMA(
    "gradient", gradient_keys, "Differences of whole runs.", SUP_DEFAULTS(defaults, sup_gradient));

/* ---- the study ------------------------------------------------------------------------------- */

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
  if (parameter->key->type != SUP_NODE_SEQUENCE) {
    SUP_TRY(sup_node_text(parameter->key, "key", &text));
    return SUP_OK;
  }
  for (const sup_node *c = parameter->key->child; c; c = c->next)
    SUP_TRY(sup_node_text(c, "key", &text));
  return parameter->key->num_children > 0 ? SUP_OK
                                          : SUP_FAIL_AT(parameter->key->place, "key lists no key");
}

static sup_status add_text(sup_level *level, const char *key, char *text) {
  sup_node value = {.type = SUP_NODE_SCALAR, .is_plain = 1, .text = text};
  SUP_TRY(sup_level_add(level, key, &value, 1));
  return SUP_OK;
}

/** Overrides of all cases: numbers to the last bit, no frames; those of the study follow. */
static sup_status begin_level(sup_level *level, const sup_node *set, sup_source_position place) {
  char digits[] = "17", format[] = "none";
  level->place = place;
  SUP_TRY(add_text(level, "output.digits", digits));
  SUP_TRY(add_text(level, "output.format", format));
  if (set) SUP_TRY(sup_level_add_all(level, set));
  return SUP_OK;
}

sup_status sup_gradient_read(sup_study *study, const sup_section *section, const sup_node *set) {
  static const char *const strays[] = {"ladder", "families", "size", "budget", "order"};
  sup_family              *family = &study->family[0];
  sup_node                *list, *gradient = sup_section_entry(section, "gradient");
  sup_section              s;
  defaults(&study->gradient);
  if (gradient) {
    SUP_TRY(sup_section_open(&s, gradient, &sup_schema_gradient, NULL));
    SUP_TRY(sup_section_read(&s, &study->gradient));
  }
  SUP_TRY(sup_section_require(section, "parameters", &list));
  for (int i = 0; i < 5; i++)
    if (sup_section_entry(section, strays[i]))
      return SUP_FAIL_AT(sup_section_entry(section, strays[i])->key_place,
                         "%s is of `supple converge`; a gradient, which has parameters, has none",
                         strays[i]);
  SUP_TRY(sup_node_check_mapping(list, "parameters"));
  if (list->num_children < 1 || list->num_children > SUP_MAX_PARAMETERS)
    return SUP_FAIL_AT(list->place, "a gradient has 1 to %d parameters; found %d",
                       SUP_MAX_PARAMETERS, list->num_children);
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_parameter(c, &study->parameter[study->num_parameters++]));
  study->num_families = 1;
  SUP_TRY(SUP_CALLOC(family->level, 1 + CASES_A_PARAMETER * study->num_parameters));
  family->num_levels = 1 + CASES_A_PARAMETER * study->num_parameters;
  for (int i = 0; i < family->num_levels; i++)
    SUP_TRY(begin_level(&family->level[i], set, study->parameter[0].place));
  return SUP_OK;
}

/* ---- values by the scene --------------------------------------------------------------------- */

static const char *key_text(const sup_parameter *p, int k) {
  return p->key->type == SUP_NODE_SEQUENCE ? sup_node_at(p->key, k)->text : p->key->text;
}
static int num_keys(const sup_parameter *p) {
  return p->key->type == SUP_NODE_SEQUENCE ? p->key->num_children : 1;
}

/** A whole number of the schema has no derivative. */
static sup_status check_is_real(const sup_parameter *p, const char *key) {
  sup_schema_target target;
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
    SUP_TRY(check_is_real(p, key));
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
  static const double degree = 3.14159265358979323846 / 180;
  const char *texts[] = {p->given_value ? p->given_value->text : NULL, found ? found->text : NULL};
  const char *unit = sup_dimension_unit(dimension);
  bool        is_degrees = false;
  for (int i = 0; i < 2; i++)
    is_degrees |= dimension == SUP_DIM_ANGLE && texts[i] && strstr(texts[i], "deg");
  p->scale = is_degrees ? degree : 1;
  snprintf(p->unit, sizeof p->unit, "%s", is_degrees ? "deg" : strcmp(unit, "-") ? unit : "");
}

static sup_status find_parameter(const sup_study *study, sup_parameter *p, sup_scene *scene) {
  sup_node *found;
  double    value = 0, width = 0;
  SUP_TRY(find_number(p, scene, &found));
  sup_dimension dimension = found ? found->dimension : SUP_DIM_NUMBER;
  if (p->given_value)
    SUP_TRY(read_number(p->given_value, "value", found, &dimension, &value));
  else
    value = found->number;
  set_unit(p, found, dimension);
  width = study->gradient.width * fabs(value);
  if (p->given_width)
    SUP_TRY(sup_node_number(p->given_width, "width", dimension, SUP_POSITIVE, &width));
  if (width == 0)
    return SUP_FAIL_AT(p->place,
                       "the value of '%s' is 0: a width of its differences is needed, "
                       "for instance 'width: %s'",
                       p->name, sup_dimension_example(dimension));
  p->value = value / p->scale, p->width = width / p->scale;
  return SUP_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static int case_of(int parameter, int width, int above) {
  return 1 + CASES_A_PARAMETER * parameter + 2 * width + above;
}

double sup_gradient_width(const sup_parameter *parameter, int k) {
  return parameter->width * pow(shrink, k);
}

static double place_of(const sup_parameter *p, int width, int above) {
  double h = sup_gradient_width(p, width);
  return p->value + (above ? h : -h);
}

/** Override of all keys of a parameter, in SI units, to the last bit. */
static sup_status add_value(sup_level *level, const sup_parameter *p, double value) {
  char text[SUP_NUMBER_SIZE];
  sup_number_text(text, value * p->scale, 0);
  for (int k = 0; k < num_keys(p); k++) SUP_TRY(add_text(level, key_text(p, k), text));
  return SUP_OK;
}

static sup_status fill_case(sup_study *study, int i) {
  sup_level *level = &study->family[0].level[i];
  int        first = level->num_sets, own = i > 0 ? (i - 1) / CASES_A_PARAMETER : SUP_NONE;
  for (int p = 0; p < study->num_parameters; p++)
    if (p != own && study->parameter[p].given_value)
      SUP_TRY(add_value(level, &study->parameter[p], study->parameter[p].value));
  if (own != SUP_NONE) {
    int k = (i - 1) % CASES_A_PARAMETER;
    SUP_TRY(
        add_value(level, &study->parameter[own], place_of(&study->parameter[own], k / 2, k % 2)));
  }
  SUP_TRY(sup_level_label(level, first));
  return SUP_OK;
}

sup_status sup_gradient_fill(sup_study *study, sup_scene *scene) {
  for (int p = 0; p < study->num_parameters; p++)
    SUP_TRY(find_parameter(study, &study->parameter[p], scene));
  for (int i = 0; i < study->family[0].num_levels; i++) SUP_TRY(fill_case(study, i));
  return SUP_OK;
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static double value_of(const sup_study *study, int i, int quantity) {
  const sup_level *level = &study->family[0].level[i];
  return sup_level_is_complete(level) ? level->value[quantity] : SUP_NO_NUMBER;
}

sup_slope sup_gradient_slope(const sup_study *study, int quantity, int parameter) {
  const sup_parameter *p = &study->parameter[parameter];
  sup_slope_samples    s = {.x = p->value, .f = value_of(study, 0, quantity)};
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) {
    s.x_below[k] = place_of(p, k, 0), s.x_above[k] = place_of(p, k, 1);
    s.f_below[k] = value_of(study, case_of(parameter, k, 0), quantity);
    s.f_above[k] = value_of(study, case_of(parameter, k, 1), quantity);
  }
  return sup_slope_measure(&s, study->gradient.kink);
}

double sup_gradient_logarithmic(const sup_study *study, int quantity, int parameter,
                                const sup_slope *slope) {
  double f = value_of(study, 0, quantity), x = study->parameter[parameter].value;
  return f != 0 && x != 0 ? slope->gradient * x / f : SUP_NO_NUMBER;
}

void sup_gradient_unit(const sup_study *study, int quantity, int parameter,
                       char unit[SUP_GRADIENT_UNIT_SIZE]) {
  const char *top = study->quantity[quantity].unit, *below = study->parameter[parameter].unit;
  bool        is_sum = strpbrk(top, " /") != NULL, is_product = strpbrk(below, " /*") != NULL;
  if (!below[0])
    snprintf(unit, SUP_GRADIENT_UNIT_SIZE, "%s", top[0] ? top : "-");
  else
    snprintf(unit, SUP_GRADIENT_UNIT_SIZE, "%s%s%s/%s%s%s", is_sum ? "(" : "", top[0] ? top : "1",
             is_sum ? ")" : "", is_product ? "(" : "", below, is_product ? ")" : "");
}

/** First difference of a count beside the point from that at it, from the smallest width on. */
static void append_change(const sup_study *study, int parameter, const char *what, size_t offset,
                          char text[SUP_GRADIENT_TEXT_SIZE]) {
  const sup_level     *level = study->family[0].level;
  const sup_parameter *p = &study->parameter[parameter];
  size_t               used = strlen(text);
  for (int i = CASES_A_PARAMETER - 1; i >= 0; i--) {
    const sup_level *beside = &level[1 + CASES_A_PARAMETER * parameter + i];
    double           from = *(const double *)((const char *)level + offset),
           to = *(const double *)((const char *)beside + offset);
    if (!sup_level_is_complete(beside) || to == from) continue;
    snprintf(text + used, SUP_GRADIENT_TEXT_SIZE - used, "; %s %.6g, %.6g at %+.3g%s%s", what, from,
             to, place_of(p, i / 2, i % 2) - p->value, p->unit[0] ? " " : "", p->unit);
    return;
  }
}

/** Message of the first case of a side that failed. */
static const char *failure(const sup_study *study, int parameter, int above) {
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) {
    const sup_level *l = &study->family[0].level[case_of(parameter, k, above)];
    if (!sup_level_is_complete(l)) return l->message;
  }
  return "";
}

void sup_gradient_remark(const sup_study *study, int parameter, const sup_slope *slope,
                         char text[SUP_GRADIENT_TEXT_SIZE]) {
  bool is_above = slope->sides == SUP_SLOPE_ABOVE;
  text[0] = '\0';
  if (slope->sides == SUP_SLOPE_NO_SIDE)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "no slope: %.300s",
             study->family[0].level[0].message[0] ? study->family[0].level[0].message
                                                  : failure(study, parameter, 1));
  else if (slope->sides != SUP_SLOPE_BOTH_SIDES)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "from %s alone: on the other side %.300s",
             is_above ? "above" : "below", failure(study, parameter, is_above ? 0 : 1));
  else if (slope->sides_differ)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "kink: slopes %.6g below, %.6g above", slope->left,
             slope->right);
  else if (slope->widths_differ)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "kink or jump nearby: slopes %.6g, %.6g, %.6g by width",
             slope->of_width[0], slope->of_width[1], slope->of_width[2]);
  else if (slope->is_zero)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "not above its error");
  else if (slope->error > study->gradient.kink * fabs(slope->gradient))
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "noise %.2g of the value; a larger width has less",
             slope->noise);
  if (!slope->sides_differ && !slope->widths_differ) return;
  append_change(study, parameter, "steps", offsetof(sup_level, steps), text);
  append_change(study, parameter, "contacts", offsetof(sup_level, contacts), text);
}
