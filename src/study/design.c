#include "study/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "output/format/number.h"
#include "study/ladder.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word spacings[] = {{"linear", "equal differences"}, {"log", "equal ratios"}};

static const sup_key parameter_keys[] = {
    SUP_CUSTOM("key", SUP_KEY_REFERENCE, "soft.finger.mesh.finray.wall",
               "Key of the scene that is set to the value, or a list of keys.", .need = SUP_NEEDED),
    SUP_CUSTOM("values", SUP_KEY_LIST, "[1 mm, 1.5 mm, 2 mm]", "Its values.",
               .absent = "needed, or from and to"),
    SUP_CUSTOM("from", SUP_KEY_TEXT, "1 MPa", "The lowest value.", .absent = "needed with to"),
    SUP_CUSTOM("to", SUP_KEY_TEXT, "10 MPa", "The highest value.", .absent = "needed with from"),
    SUP_INTEGER("count", 2, SUP_BY_CODE, "5",
                "Number of values from the lowest to the highest; a Latin hypercube needs none.",
                .absent = "5"),
    SUP_WORD("spacing", spacings, SUP_BY_CODE, "log", "Spacing of the values.", .absent = "linear"),
    SUP_BOOLEAN("whole", SUP_BY_CODE, "true", "Values rounded to whole numbers.",
                .absent = "false"),
    SUP_CUSTOM("value", SUP_KEY_TEXT, "1.5 mm",
               "Of a gradient: the value at which it is taken; of fits and searches the start.",
               .absent = "that of the scene"),
    SUP_CUSTOM("width", SUP_KEY_TEXT, "1 um",
               "Of a gradient: the largest width of its differences.",
               .absent = "gradient.width times the value; of `optimize` times the range")};
const sup_schema sup_schema_parameter =
    SUP_SCHEMA("parameter", parameter_keys,
               "Key of the scene that a sweep or a gradient varies, and its values.");

/* ---- parameters ------------------------------------------------------------------------------ */

/** The range of a parameter, or its values. */
typedef struct range {
  const sup_node *key, *values;                      /* values: NULL of a range */
  int             num_keys, count, is_log, is_whole; /* num_keys 0: values are named cases */
  double          from, to;
  char            unit[SUP_UNIT_SIZE];
} range;

static sup_status read_end(const sup_section *s, const char *name, double *value,
                           char unit[SUP_UNIT_SIZE]) {
  sup_node   *node;
  const char *text, *rest;
  SUP_TRY(sup_section_require(s, name, &node));
  SUP_TRY(sup_node_text(node, name, &text));
  if (!sup_leading_number(text, value, &rest) || strlen(rest) >= SUP_UNIT_SIZE)
    return SUP_FAIL_AT(node->place, "%s must be a number with its unit, found '%.60s'", name, text);
  strcpy(unit, rest);
  return SUP_OK;
}

/** Factor from the unit to SI units of the dimension; 0: the unit has another dimension. */
static double factor_of(const char *unit, sup_dimension dimension) {
  char        text[SUP_UNIT_SIZE + 2], word[SUP_UNIT_WORD_SIZE];
  const char *found;
  double      value;
  snprintf(text, sizeof text, "1%s", unit);
  return sup_quantity_read(text, dimension, &value, word, &found) == SUP_QUANTITY_OK ? value : 0;
}

/** 1: the value is now in the other unit. */
static int convert(double *value, const char *from, const char *to) {
  for (int d = 0; d < SUP_NUM_DIMENSIONS; d++) {
    double a = factor_of(from, (sup_dimension)d), b = factor_of(to, (sup_dimension)d);
    if (a == 0 || b == 0) continue;
    *value *= a / b;
    return 1;
  }
  return 0;
}

static sup_status read_range(const sup_section *s, range *source) {
  char                     unit[SUP_UNIT_SIZE];
  static const char *const words[] = {"linear", "log"};
  SUP_TRY(read_end(s, "from", &source->from, source->unit));
  SUP_TRY(read_end(s, "to", &source->to, unit));
  if (strcmp(unit, source->unit) != 0 && !convert(&source->to, unit, source->unit))
    return SUP_FAIL_AT(sup_section_entry(s, "to")->place,
                       "from is in '%s', to in '%s': units of one kind are expected", source->unit,
                       unit);
  source->count = 5;
  SUP_TRY(sup_read_integer(s, "count", &source->count));
  sup_node *spacing = sup_section_entry(s, "spacing"), *whole = sup_section_entry(s, "whole");
  if (spacing) SUP_TRY(sup_node_word(spacing, "spacing", words, 2, &source->is_log));
  if (whole) SUP_TRY(sup_read_boolean(s, "whole", &source->is_whole));
  if (!(source->from < source->to))
    return SUP_FAIL_AT(sup_section_entry(s, "to")->place, "to must lie above from");
  if (source->is_log && !(source->from > 0))
    return SUP_FAIL_AT(spacing->place, "a logarithmic spacing needs from above 0");
  return SUP_OK;
}

static sup_status read_keys(const sup_section *s, range *source) {
  sup_node   *key;
  const char *text;
  SUP_TRY(sup_section_require(s, "key", &key));
  source->key = key, source->num_keys = 1;
  if (key->type != SUP_NODE_SEQUENCE) {
    SUP_TRY(sup_node_text(key, "key", &text));
    return SUP_OK;
  }
  source->num_keys = key->num_children;
  for (const sup_node *c = key->child; c; c = c->next) SUP_TRY(sup_node_text(c, "key", &text));
  return source->num_keys > 0 ? SUP_OK
                              : SUP_FAIL_AT(key->place, "key is empty; list one key at least");
}

static sup_status read_parameter(sup_node *node, sup_parameter *parameter, range *source) {
  sup_section s;
  char        what[2 * SUP_NAME_MAX];
  parameter->place = node->place;
  SUP_TRY(sup_node_name(node, "parameter", parameter->name));
  snprintf(what, sizeof what, "parameter '%s'", parameter->name);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_parameter, what));
  SUP_TRY(read_keys(&s, source));
  sup_node *values = sup_section_entry(&s, "values");
  if (!values) return read_range(&s, source);
  static const char *const strays[] = {"from", "to", "count", "spacing", "whole"};
  for (int i = 0; i < 5; i++)
    if (sup_section_entry(&s, strays[i]))
      return SUP_FAIL_AT(sup_section_entry(&s, strays[i])->key_place,
                         "%s belongs to a range, 'from: 1, to: 2'; here are values", strays[i]);
  SUP_TRY(sup_node_check_list(values, "values"));
  if (values->num_children == 0)
    return SUP_FAIL_AT(values->place, "values is empty; list one value at least");
  source->values = values, source->count = values->num_children;
  return SUP_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/** Value at the fraction 0 <= u <= 1 of the range. */
static double at(const range *s, double u) {
  double value = s->is_log ? s->from * pow(s->to / s->from, u) : s->from + u * (s->to - s->from);
  return s->is_whole ? round(value) : value;
}

static sup_status add_value(sup_level *level, const range *s, const sup_node *value) {
  if (s->num_keys == 0) {
    level->name = value->key;
    return sup_level_add_all(level, value);
  }
  const sup_node *key = s->key->type == SUP_NODE_SEQUENCE ? s->key->child : s->key;
  for (int k = 0; k < s->num_keys; k++, key = key->next)
    SUP_TRY(sup_level_add(level, key->text, value, 1));
  return SUP_OK;
}

static sup_status add_number(sup_level *level, const range *s, double value) {
  enum { DIGITS = 6 };
  char     number[SUP_NUMBER_SIZE], text[SUP_NUMBER_SIZE + SUP_UNIT_SIZE];
  sup_node node = {.type = SUP_NODE_SCALAR, .is_plain = 1, .text = text};
  sup_number_text(number, value, DIGITS);
  snprintf(text, sizeof text, "%s%s", number, s->unit);
  return add_value(level, s, &node);
}

/** The k-th of its values. */
static sup_status add_kth(sup_level *level, const range *s, int k) {
  if (!s->values) return add_number(level, s, at(s, (double)k / (s->count - 1)));
  const sup_node *value = s->values->child;
  while (k-- > 0) value = value->next;
  return add_value(level, s, value);
}

/** Add the override of the value at the fraction u of the parameter's range or list. */
static sup_status add_part(sup_level *level, const range *s, double u) {
  if (!s->values) return add_number(level, s, at(s, u));
  return add_kth(level, s, (int)fmin(u * s->count, s->count - 1));
}

/** Splitmix64 (Steele, Lea, Flood 2014): the same cases wherever a study is read. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
double sup_random_unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

/** Each parameter has each of its n-th parts once, in an order of its own (McKay, Beckman, Conover
 * 1979). */
static sup_status fill_hypercube(sup_family *family, int num, const range *source, int seed) {
  uint64_t   state = (uint64_t)seed;
  int        n = family->num_levels, *order = NULL;
  sup_status status = SUP_OK;
  SUP_TRY(SUP_CALLOC(order, n));
  for (int p = 0; p < num && status == SUP_OK; p++) {
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
      int j = (int)(next_random(&state) % (uint64_t)(i + 1)), other = order[i];
      order[i] = order[j], order[j] = other;
    }
    for (int i = 0; i < n && status == SUP_OK; i++)
      status = add_part(&family->level[i], &source[p], (order[i] + sup_random_unit(&state)) / n);
  }
  SUP_FREE(order);
  return status;
}

/** The last parameter changes fastest. */
static sup_status fill_grid(sup_family *family, int num, const range *source) {
  for (int i = 0; i < family->num_levels; i++) {
    int below = family->num_levels, rest = i;
    for (int p = 0; p < num; p++) {
      below /= source[p].count;
      SUP_TRY(add_kth(&family->level[i], &source[p], rest / below));
      rest %= below;
    }
  }
  return SUP_OK;
}

static sup_status fill_list(sup_family *family, int num, const range *source) {
  for (int i = 0; i < family->num_levels; i++)
    for (int p = 0; p < num; p++) SUP_TRY(add_kth(&family->level[i], &source[p], i));
  return SUP_OK;
}

/** @param samples  of a Latin hypercube */
static sup_status count_cases(sup_study *study, const range *source, int samples,
                              sup_source_position place) {
  double count = 1;
  for (int p = 0; p < study->num_parameters; p++) {
    if (study->design == SUP_DESIGN_GRID) count *= source[p].count;
    if (study->design == SUP_DESIGN_LIST && source[p].count != source[0].count)
      return SUP_FAIL_AT(study->parameter[p].place,
                         "a list needs as many values of each parameter; '%s' has %d, '%s' %d",
                         study->parameter[p].name, source[p].count, study->parameter[0].name,
                         source[0].count);
  }
  if (study->design == SUP_DESIGN_LIST) count = source[0].count;
  if (study->design == SUP_DESIGN_LATIN_HYPERCUBE) count = samples;
  if (count > SUP_MAX_CASES)
    return SUP_FAIL_AT(place, "these are %.0f cases; a sweep has at most %d", count, SUP_MAX_CASES);
  study->family[0].num_levels = (int)count;
  return SUP_OK;
}

const char *sup_parameter_value(const sup_parameter *parameter, const sup_level *level) {
  if (parameter->is_cases) return level->name;
  return strchr(level->set[parameter->set], '=') + 1;
}

/** Numbers of one unit are columns of numbers. */
static void find_unit(const sup_family *family, sup_parameter *parameter) {
  const char *unit;
  double      value;
  parameter->is_number = 1;
  for (int i = 0; i < family->num_levels && parameter->is_number; i++) {
    parameter->is_number =
        sup_leading_number(sup_parameter_value(parameter, &family->level[i]), &value, &unit);
    if (!parameter->is_number) break;
    unit += strspn(unit, " ");
    if (i == 0) snprintf(parameter->unit, sizeof parameter->unit, "%s", unit);
    parameter->is_number = strcmp(unit, parameter->unit) == 0;
  }
  if (!parameter->is_number) parameter->unit[0] = '\0';
}

static sup_status fill(sup_study *study, const range *source, const sup_node *set, int seed) {
  sup_family *family = &study->family[0];
  int         num = study->num_parameters;
  SUP_TRY(SUP_CALLOC(family->level, family->num_levels));
  for (int i = 0; i < family->num_levels; i++) {
    family->level[i].place = study->parameter[0].place;
    if (set) SUP_TRY(sup_level_add_all(&family->level[i], set));
  }
  int first = family->level[0].num_sets, next = first;
  if (study->design == SUP_DESIGN_GRID) SUP_TRY(fill_grid(family, num, source));
  if (study->design == SUP_DESIGN_LIST) SUP_TRY(fill_list(family, num, source));
  if (study->design == SUP_DESIGN_LATIN_HYPERCUBE)
    SUP_TRY(fill_hypercube(family, num, source, seed));
  for (int i = 0; i < family->num_levels; i++) SUP_TRY(sup_level_label(&family->level[i], first));
  for (int p = 0; p < num; p++) {
    study->parameter[p].set = next, next += source[p].num_keys;
    if (!study->parameter[p].is_cases) find_unit(family, &study->parameter[p]);
  }
  return SUP_OK;
}

/** True if one of two keys is that of the other, or of a part of it. */
static bool overlaps(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b), least = m < n ? m : n;
  return strncmp(a, b, least) == 0 && strchr(".", (m < n ? b : a)[least]);
}

/** E_PARSE: a case overrides a key of a parameter, whose values in the table would be none. */
static sup_status check_case(const sup_study *study, const sup_node *node, const range *source) {
  for (const sup_node *c = node->child; c; c = c->next)
    for (int p = 0; p < study->num_parameters; p++) {
      const sup_node *key = source[p].key;
      if (key->type == SUP_NODE_SEQUENCE) key = key->child;
      for (int k = 0; k < source[p].num_keys; k++, key = key->next)
        if (overlaps(c->key, key->text))
          return SUP_FAIL_AT(c->key_place, "case '%s' overrides %s, which parameter '%s' varies",
                             node->key, c->key, study->parameter[p].name);
    }
  return SUP_OK;
}

/** Named cases as one more parameter, the last one: its overrides are others in each of them. */
static sup_status read_cases(sup_study *study, sup_node *cases, range source[SUP_MAX_PARAMETERS]) {
  char           name[SUP_NAME_MAX];
  sup_parameter *parameter = &study->parameter[study->num_parameters];
  SUP_TRY(sup_node_check_mapping(cases, "cases"));
  if (cases->num_children == 0)
    return SUP_FAIL_AT(cases->place, "cases is empty; name one at least, {soft: {KEY: VALUE}}");
  for (sup_node *c = cases->child; c; c = c->next) {
    SUP_TRY(sup_node_name(c, "case", name));
    SUP_TRY(sup_node_check_mapping(c, c->key));
    SUP_TRY(check_case(study, c, source));
  }
  study->num_parameters++;
  snprintf(parameter->name, sizeof parameter->name, "load case");
  parameter->place = cases->place, parameter->is_cases = 1;
  source[study->num_parameters - 1] = (range){.values = cases, .count = cases->num_children};
  return SUP_OK;
}

sup_status sup_design_read(sup_study *study, const sup_section *section, const sup_node *set) {
  static const char *const words[] = {"grid", "list", "latin_hypercube"};
  range                    source[SUP_MAX_PARAMETERS] = {{NULL}};
  sup_node                *list, *design = sup_section_entry(section, "design");
  int                      word = SUP_DESIGN_GRID, samples = 0, seed = 1;
  sup_node                *cases = sup_section_entry(section, "cases");
  list = sup_section_entry(section, "parameters");
  if (!cases) SUP_TRY(sup_section_require(section, "parameters", &list));
  if (list) SUP_TRY(sup_node_check_mapping(list, "parameters"));
  int most = SUP_MAX_PARAMETERS - (cases != NULL);
  if (list && (list->num_children < 1 || list->num_children > most))
    return SUP_FAIL_AT(list->place, "a sweep has 1 to %d parameters; found %d", most,
                       list->num_children);
  for (sup_node *c = list ? list->child : NULL; c; c = c->next, study->num_parameters++)
    SUP_TRY(read_parameter(c, &study->parameter[study->num_parameters],
                           &source[study->num_parameters]));
  if (cases) SUP_TRY(read_cases(study, cases, source));
  if (!list) list = cases;
  if (design) SUP_TRY(sup_node_word(design, "design", words, 3, &word));
  study->design = (sup_design)word;
  if (sup_section_entry(section, "samples"))
    SUP_TRY(sup_read_integer(section, "samples", &samples));
  SUP_TRY(sup_read_integer(section, "seed", &seed));
  if ((study->design == SUP_DESIGN_LATIN_HYPERCUBE) != (samples > 0))
    return SUP_FAIL_AT(design ? design->place : list->place,
                       "a Latin hypercube, and no other design, needs 'samples: 50'");
  SUP_TRY(count_cases(study, source, samples, list->place));
  return fill(study, source, set, seed);
}
