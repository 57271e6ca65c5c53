#include "study/study.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/file/yaml.h"
#include "study/budget.h"
#include "study/control/control.h"
#include "study/design.h"
#include "study/fit/fit.h"
#include "study/gradient/gradient.h"
#include "study/holding/holding.h"
#include "study/ladder.h"
#include "study/optimize/optimize.h"
#include "study/quantity.h"
#include "study/stiffness/stiffness.h"

enum { FORMAT = 1 };

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word designs[] = {
    {"grid", "each value with each"},
    {"list", "the first values of all parameters, the second ones, and so on"},
    {"latin_hypercube", "`samples` cases at random, one in each part of every range"}};
static const sup_word modes[] = {{"run", "steps of motion"},
                                 {"static", "equilibria, as `supple static`"}};

#define SET                                             \
  SUP_CUSTOM("set", SUP_KEY_ENTRIES, "{time.end: 2 s}", \
             "Overrides {KEY: VALUE} of all levels, as of --set.")
#define LADDER(if_absent)                                                                          \
  SUP_CUSTOM("ladder", SUP_KEY_SECTION, "{key: time.step, start: 10 ms, factor: 0.5, levels: 4}",  \
             "Levels from coarse to fine: a list of overrides [{KEY: VALUE}, ...], or a section.", \
             .schema = &sup_schema_ladder, .absent = if_absent)
#define SIZE(if_absent)                                                                    \
  SUP_CUSTOM("size", SUP_KEY_TEXT, "[4 mm, 2 mm, 1 mm]",                                   \
             "h: cells (mean edge), step (time step), or a list with one number a level.", \
             .absent = if_absent)

static const sup_key family_keys[] = {SET, LADDER("that of the study"), SIZE("that of the study")};
static const sup_schema family_schema =
    SUP_SCHEMA("family", family_keys, "One of several ladders in one table and one plot.");

typedef struct head_values {
  int    is_static;
  double tolerance, formal_order;
} head_values;
static const sup_key study_keys[] = {
    SUP_CUSTOM("supple", SUP_KEY_INTEGER, "1", "Version of the format of the file.",
               .need = SUP_NEEDED, .lowest = 1),
    SUP_CUSTOM("title", SUP_KEY_TEXT, "mesh of a finger", "Title of the study.",
               .absent = "the name of the file"),
    SUP_CUSTOM("scene", SUP_KEY_FILE, "finger.yaml", "Scene file of the study.",
               .need = SUP_NEEDED),
    SUP_WORD("mode", modes, SUP_AT(head_values, is_static), "static", "Kind of run.",
             .absent = "run; static by `supple holding`"),
    SET,
    LADDER("needed, here or in each family, unless there are parameters"),
    SUP_CUSTOM("families", SUP_KEY_COLLECTION,
               "{T4: {set: {soft.bar.mesh.box.pattern: kuhn}}, H8: {set: "
               "{soft.bar.mesh.box.pattern: hex}}}",
               "Several ladders in one table and one plot, by name.", .schema = &family_schema),
    SIZE("cells when the mesh changes, else step"),
    SUP_CUSTOM("budget", SUP_KEY_SECTION, "{mesh: 1, step: 1, layer: 1, models: [similar, sap]}",
               "In place of a ladder: parts of the error by step, mesh, contact layer and "
               "friction model.",
               .schema = &sup_schema_budget),
    SUP_CUSTOM("quantities", SUP_KEY_COLLECTION, "{tip: {column: probe.tip.z, take: change}}",
               "Compared numbers by name: a column of history.csv, or a section.",
               .absent = "needed, but by a fit, a control or a stiffness",
               .schema = &sup_schema_quantity),
    SUP_CUSTOM("parameters", SUP_KEY_COLLECTION,
               "{wall: {key: soft.finger.mesh.finray.wall, values: [1 mm, 1.5 mm, 2 mm]}}",
               "Parameters of `supple sweep` or `supple gradient` by name, in place of a ladder.",
               .schema = &sup_schema_parameter),
    SUP_CUSTOM("cases", SUP_KEY_ENTRIES,
               "{soft: {materials.m.youngs_modulus: 1 MPa}, heavy: {rigid.ball.mass: 200 g}}",
               "Cases of `supple sweep` by name, each with overrides {KEY: VALUE}.",
               .absent = "those of the parameters"),
    SUP_CUSTOM("gradient", SUP_KEY_SECTION, "{width: 1.0e-3, kink: 1 %}",
               "Way and widths of `supple gradient`.", .schema = &sup_schema_gradient,
               .absent = "its defaults"),
    SUP_CUSTOM("fit", SUP_KEY_SECTION,
               "{experiments: {press: {data: press.csv, y: {column: probe.tip.z}}}}",
               "Measured curves of `supple fit`.", .schema = &sup_schema_fit,
               .absent = "needed by a fit"),
    SUP_CUSTOM("optimize", SUP_KEY_SECTION,
               "{maximize: force, constraints: {volume: {at_most_of_start: 100 %}}}",
               "Objective and constraints of `supple optimize`.", .schema = &sup_schema_optimize,
               .absent = "needed by a search"),
    SUP_CUSTOM("control", SUP_KEY_SECTION,
               "{efforts: [arm], cost: {ball: {body: ball, position: [0.6, 0.15, 0.1]}}}",
               "Controls and cost of `supple control`.", .schema = &sup_schema_control,
               .absent = "needed by a control"),
    SUP_CUSTOM("holding", SUP_KEY_SECTION, "{object: can, directions: {circle: 12}, travel: 5 mm}",
               "Object, directions and limits of `supple holding`.", .schema = &sup_schema_holding,
               .absent = "needed by a holding study"),
    SUP_CUSTOM("stiffness", SUP_KEY_SECTION,
               "{body: finger, from: [0, 2 cm, 1 cm], to: [0, 7 cm, 1 cm], radii: [5 mm]}",
               "Positions and radii of `supple stiffness`.", .schema = &sup_schema_stiffness,
               .absent = "needed by a stiffness study"),
    SUP_WORD("design", designs, SUP_BY_CODE, "latin_hypercube",
             "Of a sweep: combinations of values.", .absent = "grid"),
    SUP_INTEGER("samples", 2, SUP_BY_CODE, "50", "Of a Latin hypercube: number of cases.",
                .absent = "needed by a Latin hypercube"),
    SUP_INTEGER("seed", 0, SUP_BY_CODE, "2", "Of a Latin hypercube: seed of the random numbers.",
                .absent = "1"),
    SUP_NUMBER("tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(head_values, tolerance), "2 %",
               "Required relative error."),
    SUP_NUMBER("order", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(head_values, formal_order), "2",
               "Order of the method: a cap on observed orders, with which two levels suffice.",
               .need = SUP_OPTIONAL)};
static void head_defaults(void *target) {
  *(head_values *)target = (head_values){.tolerance = 0.02};
}
const sup_schema sup_schema_study =
    SUP_SCHEMA("the study", study_keys, "A study file: one scene on ladders of ever finer levels.",
               SUP_DEFAULTS(head_defaults, head_values));
#undef SET
#undef LADDER
#undef SIZE

/* ---- single keys ----------------------------------------------------------------------------- */

static void name_of_file(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path,
             *dot = strrchr(start, '.');
  size_t length = dot && dot > start ? (size_t)(dot - start) : strlen(start);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), start);
}

static sup_status read_head(sup_study *study, const sup_section *s) {
  const char *text;
  double      format = FORMAT;
  head_values values;
  sup_node   *node;
  head_defaults(&values);
  values.is_static = study->kind == SUP_STUDY_HOLDING;
  SUP_TRY(sup_section_require(s, "supple", &node));
  SUP_TRY(sup_node_number(node, "supple", SUP_DIM_NUMBER, SUP_ANY, &format));
  if (format != FORMAT)
    return SUP_FAIL_AT(node->place, "the study has format %g; this program reads 'supple: %d'",
                       format, FORMAT);
  SUP_TRY(sup_read_text(s, "scene", &text));
  study->scene_place = sup_section_entry(s, "scene")->place;
  sup_status status = sup_path_relative_to(study->scene, sizeof study->scene, study->path, text);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, study->scene_place);
  SUP_TRY(sup_section_read(s, &values));
  study->is_static = values.is_static, study->tolerance = values.tolerance;
  study->formal_order = values.formal_order;
  node = sup_section_entry(s, "title");
  text = study->name;
  if (node) SUP_TRY(sup_node_text(node, "title", &text));
  snprintf(study->title, sizeof study->title, "%.*s", SUP_TITLE_MAX, text);
  return SUP_OK;
}

static sup_status find_sets(const sup_section *s, sup_node **sets) {
  *sets = sup_section_entry(s, "set");
  if (*sets) SUP_TRY(sup_node_check_mapping(*sets, "set"));
  return SUP_OK;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/** A length, a time or a plain number: what the first of the list is. */
static sup_status read_sizes(sup_study *study, sup_node *list, sup_family *family) {
  static const sup_dimension dimensions[] = {SUP_DIM_NUMBER, SUP_DIM_LENGTH, SUP_DIM_TIME};
  static const char *const   units[] = {"-", "m", "s"};
  char                       word[SUP_UNIT_WORD_SIZE];
  const char                *found;
  double                     value;
  int                        d = 2, i = 0;
  if (list->num_children != family->num_levels)
    return SUP_FAIL_AT(list->place, "size lists %d numbers for %d levels", list->num_children,
                       family->num_levels);
  const sup_node *first = list->child;
  while (d > 0 &&
         !(first->type == SUP_NODE_SCALAR &&
           sup_quantity_read(first->text, dimensions[d], &value, word, &found) == SUP_QUANTITY_OK &&
           sup_quantity_read(first->text, SUP_DIM_NUMBER, &value, word, &found) != SUP_QUANTITY_OK))
    d--;
  if (study->size_unit[0] && strcmp(study->size_unit, units[d]) != 0)
    return SUP_FAIL_AT(list->place, "sizes are in %s here and in %s before", units[d],
                       study->size_unit);
  strcpy(study->size_unit, units[d]);
  for (sup_node *c = list->child; c; c = c->next, i++)
    SUP_TRY(sup_node_number(c, "size", dimensions[d], SUP_POSITIVE, &family->level[i].h));
  return SUP_OK;
}

static sup_status read_size(sup_study *study, sup_node *size, sup_family *family) {
  static const char *const words[] = {"auto", "cells", "step"};
  int                      word = SUP_SIZE_AUTO;
  if (!size) return SUP_OK;
  bool is_list = size->type == SUP_NODE_SEQUENCE;
  if (is_list)
    SUP_TRY(read_sizes(study, size, family));
  else
    SUP_TRY(sup_node_word(size, "size", words, 3, &word));
  sup_size_kind kind = is_list ? SUP_SIZE_GIVEN : (sup_size_kind)word;
  if (study->size != SUP_SIZE_AUTO && study->size != kind)
    return SUP_FAIL_AT(
        size->place, "the families before measure size in another way; all families need the same");
  study->size = kind;
  return SUP_OK;
}

/* ---- families -------------------------------------------------------------------------------- */

static sup_status read_family(sup_study *study, const sup_section *s, sup_node *node,
                              sup_family *family) {
  sup_section section;
  sup_node   *ladder = sup_section_entry(s, "ladder"), *size = sup_section_entry(s, "size"),
           *sets[2] = {NULL, NULL};
  char what[2 * SUP_NAME_MAX];
  SUP_TRY(find_sets(s, &sets[0]));
  family->place = node ? node->place : s->node->place;
  if (node) {
    SUP_TRY(sup_section_open_named(&section, node, &family_schema, "family", family->name, what));
    SUP_TRY(find_sets(&section, &sets[1]));
    if (sup_section_entry(&section, "ladder")) ladder = sup_section_entry(&section, "ladder");
    if (sup_section_entry(&section, "size")) size = sup_section_entry(&section, "size");
  }
  if (!ladder)
    return SUP_FAIL_AT(
        family->place,
        "%s needs a ladder, for instance 'ladder: {key: time.step, start: 10 ms, levels: 4}'",
        node ? what : "a study");
  SUP_TRY(sup_ladder_read(ladder, (const sup_node *const *)sets, 2, family));
  SUP_TRY(read_size(study, size, family));
  return SUP_OK;
}

static sup_status read_families(sup_study *study, const sup_section *s) {
  sup_node *families = sup_section_entry(s, "families");
  study->has_families = families != NULL;
  if (!families) {
    study->num_families = 1;
    SUP_TRY(read_family(study, s, NULL, &study->family[0]));
    return SUP_OK;
  }
  SUP_TRY(sup_node_check_mapping(families, "families"));
  if (families->num_children < 1 || families->num_children > SUP_MAX_FAMILIES)
    return SUP_FAIL_AT(families->place, "a study has 1 to %d families; found %d", SUP_MAX_FAMILIES,
                       families->num_children);
  for (sup_node *c = families->child; c; c = c->next) {
    sup_family *family = &study->family[study->num_families++];
    SUP_TRY(read_family(study, s, c, family));
  }
  return SUP_OK;
}

static sup_status read_quantities(sup_study *study, const sup_section *s) {
  sup_node *list;
  SUP_TRY(sup_section_require(s, "quantities", &list));
  SUP_TRY(sup_node_check_mapping(list, "quantities"));
  if (list->num_children < 1 || list->num_children > SUP_MAX_QUANTITIES)
    return SUP_FAIL_AT(list->place, "a study has 1 to %d quantities; found %d", SUP_MAX_QUANTITIES,
                       list->num_children);
  for (sup_node *c = list->child; c; c = c->next) SUP_TRY(sup_quantity_read_def(study, c));
  return SUP_OK;
}

/** Keys that a study does not read with its own one; NULL: with any. */
static const struct {
  const char *own, *with, *key[18];
} strays[] = {
    [SUP_STUDY_CONVERGE] = {"budget",
                            "a budget, which repeats the scene itself; make two studies of them",
                            {"ladder", "families", "size", "parameters", "order"}},
    [SUP_STUDY_SWEEP] = {NULL,
                         "parameters or cases, which make a sweep of single levels",
                         {"ladder", "families", "size"}},
    [SUP_STUDY_GRADIENT] = {NULL, "a gradient, which has one ladder", {"families", "budget"}},
    [SUP_STUDY_FIT] = {"fit",
                       "a fit, which has no levels",
                       {"families", "budget", "ladder", "size", "order"}},
    [SUP_STUDY_OPTIMIZE] = {"optimize",
                            "optimize, which has no levels",
                            {"families", "budget", "ladder", "size", "order"}},
    [SUP_STUDY_CONTROL] = {"control",
                           "control, which has a cost",
                           {"ladder", "families", "size", "parameters", "quantities"}},
    [SUP_STUDY_HOLDING] = {"holding",
                           "holding, which has numbers of its own, cases by parameters and error "
                           "bars by a ladder",
                           {"families", "quantities", "gradient", "budget"}},
    [SUP_STUDY_STIFFNESS] = {"stiffness",
                             "stiffness, which is static and has its own table",
                             {"mode", "ladder", "families", "size", "budget", "quantities",
                              "parameters", "cases", "gradient", "fit", "optimize", "control",
                              "holding", "design", "samples", "seed", "tolerance", "order"}}};

/** E_PARSE: a key that the study does not read. */
static sup_status check_strays(const sup_section *s, sup_study_kind kind) {
  if (strays[kind].own && !sup_section_entry(s, strays[kind].own)) return SUP_OK;
  for (size_t i = 0; i < sizeof strays->key / sizeof *strays->key && strays[kind].key[i]; i++) {
    const sup_node *stray = sup_section_entry(s, strays[kind].key[i]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place, "%s does not go with %s", stray->key, strays[kind].with);
  }
  return SUP_OK;
}

static sup_status read(sup_study *study, const char *path) {
  sup_section s;
  SUP_TRY(sup_yaml_read(&study->root, path));
  SUP_TRY(sup_node_check_mapping(study->root, "a study"));
  const sup_node *time = sup_node_find(study->root, "time");
  if (time && !sup_node_find(study->root, "scene"))
    return SUP_FAIL_AT(time->key_place, "this is a scene; a study names one: 'scene: %s.yaml'",
                       study->name);
  SUP_TRY(sup_section_open(&s, study->root, &sup_schema_study, NULL));
  sup_node *set, *budget = sup_section_entry(&s, "budget");
  if (study->kind != SUP_STUDY_SWEEP) SUP_TRY(check_strays(&s, study->kind));
  SUP_TRY(read_head(study, &s));
  SUP_TRY(find_sets(&s, &set));
  if (study->kind == SUP_STUDY_HOLDING) {
    SUP_TRY(sup_holding_read(study, &s, set));
    SUP_TRY(read_size(study, sup_section_entry(&s, "size"), &study->holding->ladder));
    return SUP_OK;
  }
  if (sup_section_entry(&s, "holding"))
    return SUP_FAIL_AT(sup_section_entry(&s, "holding")->key_place,
                       "studies with holding are run by `supple holding`");
  if (study->kind == SUP_STUDY_STIFFNESS) return sup_stiffness_read(study, &s);
  if (budget) {
    SUP_TRY(sup_budget_read(study, budget, set));
  } else if (study->kind == SUP_STUDY_CONTROL) {
    SUP_TRY(sup_control_read(study, &s));
    return SUP_OK;
  } else if (study->kind == SUP_STUDY_FIT) {
    SUP_TRY(sup_fit_read(study, &s));
    return SUP_OK;
  } else if (study->kind == SUP_STUDY_GRADIENT) {
    SUP_TRY(sup_gradient_read(study, &s, set));
    SUP_TRY(read_size(study, sup_section_entry(&s, "size"), &study->gradient.ladder));
  } else if (study->kind == SUP_STUDY_OPTIMIZE) {
    study->num_families = 1;
  } else if (sup_section_entry(&s, "parameters") || sup_section_entry(&s, "cases")) {
    study->kind = SUP_STUDY_SWEEP, study->num_families = 1;
    SUP_TRY(check_strays(&s, study->kind));
    SUP_TRY(sup_design_read(study, &s, set));
  } else {
    SUP_TRY(read_families(study, &s));
  }
  SUP_TRY(read_quantities(study, &s));
  if (study->kind == SUP_STUDY_OPTIMIZE) SUP_TRY(sup_optimize_read(study, &s));
  return SUP_OK;
}

/* ---- life cycle ------------------------------------------------------------------------------ */

sup_status sup_study_load(sup_study **out, const char *path, sup_study_kind kind) {
  SUP_OWN(sup_study) *study = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(study, 1));
  study->kind = kind;
  name_of_file(path, study->name, sizeof study->name);
  SUP_TRY(sup_text_copy(study->path, sizeof study->path, path));
  SUP_TRY(read(study, study->path));
  SUP_TRY(SUP_CALLOC(study->curve, study->num_families * study->num_quantities));
  *out = study;
  study = NULL;
  return SUP_OK;
}

void sup_study_destroy(sup_study **study) {
  if (!*study) return;
  for (int f = 0; f < (*study)->num_families; f++) sup_ladder_free(&(*study)->family[f]);
  for (int q = 0; q < (*study)->num_quantities; q++) sup_quantity_free(&(*study)->quantity[q]);
  SUP_FREE((*study)->curve);
  sup_ladder_free(&(*study)->gradient.ladder);
  SUP_FREE_ALL(&(*study)->gradient.adjoint, &(*study)->gradient.curve);
  sup_fit_destroy(&(*study)->fit);
  sup_optimize_destroy(&(*study)->optimize);
  sup_stiffness_destroy(&(*study)->stiffness);
  sup_control_study_destroy(&(*study)->control);
  sup_holding_destroy(&(*study)->holding);
  sup_node_destroy(&(*study)->root);
  SUP_FREE(*study);
}

void sup_level_folder(const sup_study *study, const sup_family *family, int level,
                      const char *folder, char path[SUP_STUDY_PATH_SIZE]) {
  const char *slash = study->has_families ? "/" : "";
  if (sup_study_has_cases(study) && !family->name[0])
    snprintf(path, SUP_STUDY_PATH_SIZE, "%.3900s/case_%05d", folder, level + 1);
  else if (family->num_levels == 1)
    snprintf(path, SUP_STUDY_PATH_SIZE, "%.3900s/%s", folder, family->name);
  else
    snprintf(path, SUP_STUDY_PATH_SIZE, "%.3900s/%s%slevel_%02d", folder, family->name, slash,
             level + 1);
}

void sup_level_name(const sup_study *study, const sup_family *family, int level,
                    char name[2 * SUP_NAME_MAX]) {
  if (sup_study_has_cases(study))
    snprintf(name, 2 * SUP_NAME_MAX, "case_%05d", level + 1);
  else if (family->num_levels == 1)
    snprintf(name, 2 * SUP_NAME_MAX, "%s", family->name);
  else
    snprintf(name, 2 * SUP_NAME_MAX, "level_%02d%s%s", level + 1, study->has_families ? " of " : "",
             family->name);
}
