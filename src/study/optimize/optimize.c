#include "study/optimize/optimize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "study/design.h"
#include "study/gradient/gradient.h"
#include "study/parameter.h"
#include "study/quantity.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word methods[] = {
    {"slsqp", "quadratic programs by derivatives, for smooth quantities"},
    {"mma", "moving asymptotes by derivatives, every step feasible from a feasible start"},
    {"cobyla", "linear models of values alone, for kinks and noise"}};

static const sup_key limit_keys[] = {
    SUP_CUSTOM("at_most", SUP_KEY_TEXT, "0.2 MPa", "The largest value.", .absent = "none"),
    SUP_CUSTOM("at_least", SUP_KEY_TEXT, "1.5 N", "The least value.", .absent = "none"),
    SUP_NUMBER("at_most_of_start", SUP_DIM_NUMBER, SUP_ANY, SUP_BY_CODE, "100 %",
               "The largest value, over that at the first start.", .need = SUP_OPTIONAL),
    SUP_NUMBER("at_least_of_start", SUP_DIM_NUMBER, SUP_ANY, SUP_BY_CODE, "90 %",
               "The least value, over that at the first start.", .need = SUP_OPTIONAL)};
static const sup_schema limit_schema =
    SUP_SCHEMA("constraint", limit_keys, "Bounds of a quantity of the study.");

typedef struct values {
  int    method, evaluations, drawn, seed;
  double tolerance, feasible;
} values;
static const sup_key optimize_keys[] = {
    SUP_CUSTOM("maximize", SUP_KEY_REFERENCE, "force",
               "Quantity whose largest value is sought, or weights {QUANTITY: number} of a sum.",
               .absent = "needed, or minimize"),
    SUP_CUSTOM("minimize", SUP_KEY_REFERENCE, "{volume: 1, stress: 2.0e-10}",
               "Quantity whose least value is sought, or weights of a sum.",
               .absent = "needed, or maximize"),
    SUP_CUSTOM("constraints", SUP_KEY_COLLECTION, "{volume: {at_most_of_start: 100 %}}",
               "Bounds by quantity.", .absent = "none", .schema = &limit_schema),
    SUP_WORD("method", methods, SUP_AT(values, method), "slsqp", "Search."),
    SUP_CUSTOM("starts", SUP_KEY_LIST, "[{wall: 2.5 mm}, {wall: 1.5 mm, rib: 3 mm}]",
               "More starts by values of parameters; others have those of the first start.",
               .absent = "the parameters' values alone"),
    SUP_INTEGER("drawn", 0, SUP_AT(values, drawn), "3", "Number of starts at random."),
    SUP_INTEGER("seed", 0, SUP_AT(values, seed), "2", "Seed of the drawn starts."),
    SUP_INTEGER("evaluations", 1, SUP_AT(values, evaluations), "100",
                "Most evaluations of a start."),
    SUP_NUMBER("tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(values, tolerance), "1.0e-4",
               "Change of the objective over it, or of parameters over their ranges, at the end of "
               "a search."),
    SUP_NUMBER("feasible", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(values, feasible), "1.0e-6",
               "Violation of a constraint over its bound that is none.")};
static void defaults(void *target) {
  *(values *)target = (values){.evaluations = 100, .seed = 1, .tolerance = 1e-4, .feasible = 1e-6};
}
const sup_schema sup_schema_optimize =
    SUP_SCHEMA("optimize", optimize_keys, "Objective, constraints and search of the parameters.",
               SUP_DEFAULTS(defaults, values));

/* ---- objective and constraints --------------------------------------------------------------- */

/** Index of the quantity that a text of the study names. */
static sup_status find_quantity(const sup_study *study, const char *name, sup_source_position place,
                                int *index) {
  const char *names[SUP_MAX_QUANTITIES];
  char        known[1024];
  for (int q = 0; q < study->num_quantities; q++) {
    names[q] = study->quantity[q].name, *index = q;
    if (strcmp(names[q], name) == 0) return SUP_OK;
  }
  sup_known_text(name, names, study->num_quantities, known, sizeof known);
  return SUP_FAIL_AT(place, "the study has no quantity '%.100s'%s", name, known);
}

static sup_status read_objective(sup_study *study, const sup_section *s) {
  sup_optimize *o = study->optimize;
  sup_node     *most = sup_section_entry(s, "maximize"), *least = sup_section_entry(s, "minimize"),
           *node = most ? most : least;
  const char *text;
  int         q;
  if ((most != NULL) == (least != NULL))
    return SUP_FAIL_AT(s->node->place, "optimize needs either 'maximize' or 'minimize'");
  o->is_greatest = most != NULL;
  if (node->type != SUP_NODE_MAPPING) {
    SUP_TRY(sup_node_text(node, "objective", &text));
    SUP_TRY(find_quantity(study, text, node->place, &q));
    o->weight[q] = 1;
    return SUP_OK;
  }
  if (node->num_children == 0) return SUP_FAIL_AT(node->place, "the objective names no quantity");
  for (sup_node *c = node->child; c; c = c->next) {
    SUP_TRY(find_quantity(study, c->key, c->key_place, &q));
    SUP_TRY(sup_node_number(c, c->key, SUP_DIM_NUMBER, SUP_ANY, &o->weight[q]));
  }
  return SUP_OK;
}

static sup_status read_limits(sup_study *study, sup_node *node) {
  static const struct {
    const char *name;
    bool        is_least, is_of_start;
  } kinds[] = {{"at_most", false, false},
               {"at_least", true, false},
               {"at_most_of_start", false, true},
               {"at_least_of_start", true, true}};
  sup_optimize *o = study->optimize;
  sup_section   s;
  char          what[2 * SUP_NAME_MAX];
  int           q, before = o->num_requirements;
  SUP_TRY(find_quantity(study, node->key, node->key_place, &q));
  snprintf(what, sizeof what, "constraint '%s'", node->key);
  SUP_TRY(sup_section_open(&s, node, &limit_schema, what));
  for (int k = 0; k < 4; k++) {
    sup_node *entry = sup_section_entry(&s, kinds[k].name);
    if (!entry) continue;
    sup_requirement *limit = &o->requirement[o->num_requirements++];
    *limit = (sup_requirement){q, kinds[k].is_least, kinds[k].is_of_start, 0, 0, entry->place};
    if (limit->is_of_start)
      SUP_TRY(sup_read_number(&s, kinds[k].name, &limit->given));
    else
      SUP_TRY(sup_quantity_read_number(entry, kinds[k].name, &limit->given));
  }
  if (o->num_requirements > before) return SUP_OK;
  return SUP_FAIL_AT(node->place, "%s has no bound, for instance 'at_most_of_start: 100 %%'", what);
}

static sup_status read_constraints(sup_study *study, const sup_section *s) {
  sup_node *list = sup_section_entry(s, "constraints");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_mapping(list, "constraints"));
  for (sup_node *c = list->child; c; c = c->next) SUP_TRY(read_limits(study, c));
  return SUP_OK;
}

/* ---- starts ---------------------------------------------------------------------------------- */

static sup_status read_starts(sup_study *study, const sup_section *s) {
  sup_optimize *o = study->optimize;
  sup_node     *list = sup_section_entry(s, "starts");
  o->num_starts = 1;
  if (list) SUP_TRY(sup_node_check_list(list, "starts"));
  int given = list ? list->num_children : 0;
  if (1 + given + o->drawn > SUP_MAX_STARTS)
    return SUP_FAIL_AT(s->node->place, "these are %d starts; a study has at most %d",
                       1 + given + o->drawn, SUP_MAX_STARTS);
  for (sup_node *c = list ? list->child : NULL; c; c = c->next) {
    SUP_TRY(sup_node_check_mapping(c, "a start"));
    o->start[o->num_starts++].node = c;
  }
  o->num_starts += o->drawn;
  return SUP_OK;
}

static sup_status find_parameter(const sup_study *study, const sup_node *node, int *index) {
  const char *names[SUP_MAX_PARAMETERS];
  char        known[1024];
  for (int p = 0; p < study->num_parameters; p++) {
    names[p] = study->parameter[p].name, *index = p;
    if (strcmp(names[p], node->key) == 0) return SUP_OK;
  }
  sup_known_text(node->key, names, study->num_parameters, known, sizeof known);
  return SUP_FAIL_AT(node->key_place, "the study has no parameter '%.100s'%s", node->key, known);
}

static sup_status fill_given(const sup_study *study, sup_start *start) {
  for (sup_node *c = start->node->child; c; c = c->next) {
    int p;
    SUP_TRY(find_parameter(study, c, &p));
    const sup_parameter *parameter = &study->parameter[p];
    SUP_TRY(sup_node_number(c, c->key, parameter->dimension, SUP_ANY, &start->x[p]));
    start->x[p] /= parameter->scale;
    if (!(parameter->low <= start->x[p] && start->x[p] <= parameter->high))
      return SUP_FAIL_AT(c->place, "'%s' begins at %g %s, not between its bounds %g and %g", c->key,
                         start->x[p], parameter->unit, parameter->low, parameter->high);
  }
  return SUP_OK;
}

static sup_status fill_starts(sup_study *study) {
  sup_optimize *o = study->optimize;
  uint64_t      random = (uint64_t)o->seed;
  for (int i = 0; i < o->num_starts; i++) {
    sup_start *start = &o->start[i];
    bool       is_drawn = i >= o->num_starts - o->drawn;
    start->best = SUP_NONE;
    for (int p = 0; p < study->num_parameters; p++) {
      const sup_parameter *parameter = &study->parameter[p];
      start->x[p] = parameter->value;
      if (is_drawn)
        start->x[p] =
            parameter->low + sup_random_unit(&random) * (parameter->high - parameter->low);
    }
    if (start->node) SUP_TRY(fill_given(study, start));
  }
  return SUP_OK;
}

/* ---- life cycle ------------------------------------------------------------------------------ */

sup_status sup_optimize_read(sup_study *study, const sup_section *section) {
  sup_section s;
  sup_node   *node;
  values      v;
  SUP_TRY(sup_gradient_read_section(study, section));
  SUP_TRY(sup_parameters_read(study, section));
  SUP_TRY(sup_section_require(section, "optimize", &node));
  SUP_TRY(SUP_CALLOC(study->optimize, 1));
  sup_optimize *o = study->optimize;
  defaults(&v);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_optimize, NULL));
  SUP_TRY(sup_section_read(&s, &v));
  o->method = (sup_optimizer_method)v.method, o->evaluations = v.evaluations;
  o->drawn = v.drawn, o->seed = v.seed, o->tolerance = v.tolerance, o->feasible = v.feasible;
  o->best = SUP_NONE;
  SUP_TRY(read_objective(study, &s));
  SUP_TRY(read_constraints(study, &s));
  SUP_TRY(read_starts(study, &s));
  study->set = sup_section_entry(section, "set");
  return SUP_OK;
}

void sup_optimize_destroy(sup_optimize **optimize) {
  if (!*optimize) return;
  sup_responses_free(&(*optimize)->responses);
  SUP_FREE(*optimize);
}

sup_status sup_optimize_prepare(sup_study *study, sup_scene *scene) {
  for (int p = 0; p < study->num_parameters; p++) {
    sup_parameter *parameter = &study->parameter[p];
    if (!parameter->given_from || !parameter->given_to)
      return SUP_FAIL_AT(parameter->place, "'%s' needs its bounds: 'from: ..., to: ...'",
                         parameter->name);
    SUP_TRY(sup_parameter_find(study, parameter, scene));
    if (!(3 * parameter->width <= parameter->high - parameter->low))
      return SUP_FAIL_AT(parameter->place,
                         "'%s' goes from %g to %g %s, less than three widths of its differences, "
                         "%g",
                         parameter->name, parameter->low, parameter->high, parameter->unit,
                         parameter->width);
  }
  SUP_TRY(fill_starts(study));
  return SUP_OK;
}

/* ---- measures of a response ------------------------------------------------------------------ */

double sup_optimize_objective(const sup_study *study, const sup_response *r) {
  double sum = 0;
  if (!r->is_there) return SUP_NO_NUMBER;
  for (int q = 0; q < study->num_quantities; q++)
    if (study->optimize->weight[q] != 0) sum += study->optimize->weight[q] * r->value[q];
  return sum;
}

double sup_optimize_excess(const sup_study *study, const sup_response *r, int limit) {
  const sup_requirement *l = &study->optimize->requirement[limit];
  double                 excess = r->value[l->quantity] - l->bound;
  return (l->is_least ? -excess : excess) / (l->bound != 0 ? fabs(l->bound) : 1);
}

double sup_optimize_violation(const sup_study *study, const sup_response *r) {
  double most = 0;
  if (!r->is_there) return HUGE_VAL;
  for (int k = 0; k < study->optimize->num_requirements; k++)
    most = fmax(most, sup_optimize_excess(study, r, k));
  return most;
}

void sup_optimize_name(const sup_study *study, char *text, size_t size) {
  const double *weight = study->optimize->weight;
  size_t        used = 0;
  text[0] = '\0';
  for (int q = 0; q < study->num_quantities && used < size; q++) {
    char factor[32] = "";
    if (weight[q] == 0) continue;
    if (weight[q] != 1) snprintf(factor, sizeof factor, "%g ", weight[q]);
    used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? " + " : "", factor,
                             study->quantity[q].name);
  }
}

const char *sup_optimize_unit(const sup_study *study) {
  const char *unit = NULL;
  for (int q = 0; q < study->num_quantities; q++) {
    if (study->optimize->weight[q] == 0) continue;
    if (unit && strcmp(unit, study->quantity[q].unit) != 0) return "";
    unit = study->quantity[q].unit;
  }
  return unit ? unit : "";
}

void sup_requirement_name(const sup_study *study, int limit, char *text, size_t size) {
  const sup_requirement *l = &study->optimize->requirement[limit];
  snprintf(text, size, "%s %s", study->quantity[l->quantity].name,
           l->is_least ? "at least" : "at most");
}

const char *sup_optimizer_end_text(sup_optimizer_end end) {
  return end == SUP_OPTIMIZER_CONVERGED    ? "converged"
         : end == SUP_OPTIMIZER_NO_DESCENT ? "no further descent"
         : end == SUP_OPTIMIZER_EXHAUSTED  ? "evaluations used up"
                                           : "no run at the start";
}
