#include "study/budget.h"

#include <string.h>

#include "base/memory.h"
#include "study/ladder.h"

#define WORD(NAME, name, ...) #name,
static const char *const models[] = {SUP_CONTACT_MODEL_LIST(WORD)};
#undef WORD

#define HALVINGS(source) SUP_AT(sup_budget, halvings[source])
static const sup_key budget_keys[] = {
    SUP_INTEGER("step", 0, HALVINGS(SUP_SOURCE_STEP), "2",
                "Number of halvings of the time step (static: doublings of the load steps), up "
                "to 3."),
    SUP_INTEGER("mesh", 0, HALVINGS(SUP_SOURCE_MESH), "2",
                "Number of refinements of soft bodies' meshes, up to 3; each has eight times "
                "the cells."),
    SUP_INTEGER("layer", 0, HALVINGS(SUP_SOURCE_LAYER), "2",
                "Number of doublings of the stiffness of soft contact layers, up to 3."),
    SUP_CUSTOM("models", SUP_KEY_LIST, "[similar, sap]",
               "Friction models besides the scene's own; their spread is reported separately.",
               .absent = "none")};
#undef HALVINGS
static void      defaults(void *target) { *(sup_budget *)target = sup_default_budget(); }
const sup_schema sup_schema_budget =
    SUP_SCHEMA("budget", budget_keys,
               "How much of the error of each quantity comes from step, mesh and contact layer.",
               SUP_DEFAULTS(defaults, sup_budget));

sup_budget sup_default_budget(void) { return (sup_budget){.halvings = {1, 1, 1}}; }

static sup_status read_models(const sup_section *s, sup_budget *budget) {
  sup_node *list = sup_section_entry(s, "models");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "models"));
  for (const sup_node *c = list->child; c; c = c->next) {
    int model;
    SUP_TRY(sup_node_word(c, "models", models, SUP_NUM_CONTACT_MODELS, &model));
    budget->models |= 1u << model;
  }
  return SUP_OK;
}

static sup_status check_halvings(const sup_section *s, const sup_budget *budget) {
  static const char *const key[] = {"step", "mesh", "layer"};
  int                      any = 0;
  for (int i = 0; i < SUP_NUM_SOURCES; i++) {
    any += budget->halvings[i];
    if (budget->halvings[i] > SUP_MAX_HALVINGS)
      return SUP_FAIL_AT(sup_section_entry(s, key[i])->place, "%s is %d; it is at most %d", key[i],
                         budget->halvings[i], SUP_MAX_HALVINGS);
  }
  if (!any && !budget->models)
    return SUP_FAIL_AT(s->node->place,
                       "the budget asks for no repetition; give one, for instance 'mesh: 1'");
  return SUP_OK;
}

sup_status sup_budget_read(sup_study *study, sup_node *node, const sup_node *set) {
  sup_budget *budget = &study->budget;
  sup_family *family = &study->family[0];
  sup_section s;
  defaults(budget);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_budget, NULL));
  SUP_TRY(sup_section_read(&s, budget));
  SUP_TRY(read_models(&s, budget));
  SUP_TRY(check_halvings(&s, budget));
  budget->is_given = 1, budget->place = node->place;
  study->num_families = 1, study->has_families = 1;
  strcpy(family->name, "base");
  SUP_TRY(SUP_CALLOC(family->level, 1));
  study->size = SUP_SIZE_GIVEN, family->level[0].h = 1; /* the repeats say what is halved */
  family->num_levels = 1, family->place = family->level[0].place = node->place;
  if (set) SUP_TRY(sup_level_add_all(&family->level[0], set));
  return SUP_OK;
}
