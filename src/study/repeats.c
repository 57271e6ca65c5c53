/* Repeats of an error budget: the scene with half the step, refined meshes, stiffer layers of
 * contact, other contact models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/history.h"
#include "study/estimate.h"
#include "study/ladder.h"
#include "study/memory.h"

#define NAME(NAME, name, ...) #name,
static const char *const model_names[] = {SUP_CONTACT_MODEL_LIST(NAME)};
#undef NAME

const char *sup_source_name(sup_source source) {
  static const char *const name[] = {"step", "mesh", "layer"};
  return name[source];
}

/** Run that the repeats refine. */
typedef struct subject {
  const sup_estimate_def *def;
  const char             *step_key; /* time.step, time.accuracy or static.steps */
  double                  step, layer;
  double                  cells;
  int                     num_softs, has_layers;
  sup_node               *softs; /* of the scene's tree */
} subject;

static int refinement_of(const sup_node *soft) {
  const sup_node *mesh = sup_node_find(soft, "mesh"),
                 *refine = mesh ? sup_node_find(mesh, "refine") : NULL;
  return !refine ? 0 : refine->is_number ? (int)refine->number : atoi(refine->text);
}

/* ---- one repeat ------------------------------------------------------------------------------ */

/** A family of one level with memory for the overrides of the run and its own. */
static sup_status add_family(sup_estimate *e, const subject *s, sup_repeat repeat, int num_own,
                             sup_level **level) {
  const sup_estimate_def *def = s->def;
  sup_study              *study = e->study;
  SUP_ASSERT(study->num_families < SUP_MAX_FAMILIES);
  e->repeat[study->num_families] = repeat;
  sup_family *family = &study->family[study->num_families++];
  char        threads[SUP_NAME_MAX];
  SUP_TRY(SUP_CALLOC(family->level, 1));
  family->num_levels = 1;
  *level = family->level;
  (*level)->h = 1; /* each repeat stands alone */
  (*level)->place = def->budget.place;
  if (repeat.source == SUP_NONE)
    snprintf(family->name, SUP_NAME_MAX, repeat.model == SUP_NONE ? "base" : "model_%s",
             repeat.model == SUP_NONE ? "" : model_names[repeat.model]);
  else
    snprintf(family->name, SUP_NAME_MAX, repeat.halvings > 1 ? "%s_%d" : "%s",
             sup_source_name((sup_source)repeat.source), repeat.halvings);
  SUP_TRY(SUP_CALLOC((*level)->set, def->num_sets + 1 + num_own));
  for (int i = 0; i < def->num_sets; i++)
    SUP_TRY(sup_text_new(&(*level)->set[(*level)->num_sets++], def->sets[i]));
  snprintf(threads, sizeof threads, "solver.threads=%d", def->threads);
  if (def->threads) SUP_TRY(sup_text_new(&(*level)->set[(*level)->num_sets++], threads));
  return SUP_OK;
}

/** A repeat with one override that says it all. */
static sup_status add_single(sup_estimate *e, const subject *s, sup_repeat repeat,
                             const char *override) {
  sup_level *level;
  SUP_TRY(add_family(e, s, repeat, 1, &level));
  SUP_TRY(sup_text_new(&level->set[level->num_sets++], override));
  SUP_TRY(sup_text_new(&level->label, override));
  if (repeat.source != SUP_NONE && repeat.halvings == 1)
    snprintf(e->remedy[repeat.source], sizeof e->remedy[0], "--set '%s'", override);
  return SUP_OK;
}

static sup_status add_step(sup_estimate *e, const subject *s, int k) {
  char   text[SUP_NAME_MAX];
  double factor = s->def->is_static ? 2 : 0.5;
  snprintf(text, sizeof text, "%s=%.15g", s->step_key, s->step * pow(factor, k));
  SUP_TRY(add_single(e, s, (sup_repeat){SUP_SOURCE_STEP, k, SUP_NONE}, text));
  return SUP_OK;
}

static sup_status add_layer(sup_estimate *e, const subject *s, int k) {
  char text[SUP_NAME_MAX];
  snprintf(text, sizeof text, "contact.layer=%.15g", s->layer * exp2(k));
  SUP_TRY(add_single(e, s, (sup_repeat){SUP_SOURCE_LAYER, k, SUP_NONE}, text));
  return SUP_OK;
}

static sup_status add_model(sup_estimate *e, const subject *s, int model) {
  char text[SUP_NAME_MAX];
  snprintf(text, sizeof text, "contact.model=%s", model_names[model]);
  SUP_TRY(add_single(e, s, (sup_repeat){SUP_NONE, 0, model}, text));
  e->num_models++;
  return SUP_OK;
}

static sup_status add_base(sup_estimate *e, const subject *s) {
  sup_level *level;
  SUP_TRY(add_family(e, s, (sup_repeat){SUP_NONE, 0, SUP_NONE}, 0, &level));
  SUP_TRY(sup_text_new(&level->label, "as it is"));
  e->has_base = 1;
  return SUP_OK;
}

/** Stiffness of unchanged layers [Pa/m]. */
static sup_status add_mesh(sup_estimate *e, const subject *s, int k) {
  sup_level *level;
  char       text[4 * SUP_NAME_MAX], label[SUP_ESTIMATE_TEXT_SIZE] = "",
                               remedy[SUP_ESTIMATE_TEXT_SIZE] = "";
  size_t used = 0, said = 0;
  SUP_TRY(add_family(e, s, (sup_repeat){SUP_SOURCE_MESH, k, SUP_NONE}, s->num_softs + 1, &level));
  for (const sup_node *soft = s->softs->child; soft; soft = soft->next) {
    snprintf(text, sizeof text, "soft.%s.mesh.refine=%d", soft->key, refinement_of(soft) + k);
    SUP_TRY(sup_text_new(&level->set[level->num_sets++], text));
    if (used < sizeof label)
      used += (size_t)snprintf(label + used, sizeof label - used, "%s%s", used ? " " : "", text);
    if (said < sizeof remedy)
      said += (size_t)snprintf(remedy + said, sizeof remedy - said, "%s--set '%s'", said ? " " : "",
                               text);
  }
  if (s->has_layers) {
    snprintf(text, sizeof text, "contact.layer=%.15g", s->layer * exp2(-k));
    SUP_TRY(sup_text_new(&level->set[level->num_sets++], text));
  }
  SUP_TRY(sup_text_new(&level->label, label));
  if (k == 1) snprintf(e->remedy[SUP_SOURCE_MESH], sizeof e->remedy[0], "%s", remedy);
  return SUP_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static sup_status too_large(const sup_estimate_def *def, double cells, int k, double need) {
  static const char *const times[] = {"once", "twice", "three times"};
  const char              *what = def->study ? "say 'mesh: 0' in the budget" : "drop --estimate";
  return SUP_FAIL(SUP_E_ARG,
                  "no estimate: with its meshes refined %s (%.0f cells) the scene needs %.2g GB or "
                  "more of memory; the limit is %.2g GB; coarsen the meshes, or %s%s",
                  times[k - 1], cells, 1e-9 * need, 1e-9 * def->memory, what,
                  k == 1       ? ""
                  : def->study ? ", or a smaller number"
                               : ", or ask for fewer --refinements");
}

/** Check the memory of refined cells before the mesh is made, which may itself be too large. */
static sup_status check_cells(const sup_estimate_def *def, double cells, int k) {
  cells *= pow(8, k);
  double need = sup_memory_of_cells(SUP_CELL_T4, cells); /* the least of all types */
  return need > def->memory ? too_large(def, cells, k, need) : SUP_OK;
}

static sup_status check_needs(const sup_estimate *e, const sup_estimate_def *def) {
  for (int k = 1; k <= e->num[SUP_SOURCE_MESH]; k++) {
    double need = e->study->family[sup_estimate_find(e, SUP_SOURCE_MESH, k)].level->need;
    if (need > def->memory) return too_large(def, pow(8, k) * e->cells, k, need);
  }
  return SUP_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/** 1: a pair with a soft body has a contact layer. */
static bool has_layers(const sup_model *model) {
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    int is_soft = model->body[pair->a].soft != SUP_NONE || model->body[pair->b].soft != SUP_NONE;
    if (is_soft && !sup_pair_has_barrier(pair)) return 1;
  }
  return 0;
}

static sup_status add_repeats(sup_estimate *e, const subject *s, const sup_model *model) {
  const sup_budget *b = &s->def->budget;
  if (s->def->study) SUP_TRY(add_base(e, s));
  for (int k = 1; k <= b->halvings[SUP_SOURCE_STEP]; k++) SUP_TRY(add_step(e, s, k));
  for (int k = 1; s->num_softs > 0 && k <= b->halvings[SUP_SOURCE_MESH]; k++) {
    SUP_TRY(check_cells(s->def, s->cells, k));
    SUP_TRY(add_mesh(e, s, k));
  }
  for (int k = 1; s->has_layers && k <= b->halvings[SUP_SOURCE_LAYER]; k++)
    SUP_TRY(add_layer(e, s, k));
  for (int m = 0; model->num_pairs > 0 && m < SUP_NUM_CONTACT_MODELS; m++)
    if ((b->models >> m & 1) && m != (int)model->contact.model) SUP_TRY(add_model(e, s, m));
  for (int f = 0; f < e->study->num_families; f++)
    if (e->repeat[f].source != SUP_NONE) e->num[e->repeat[f].source]++;
  return SUP_OK;
}

static void set_step(subject *s, const sup_scene *scene) {
  double accuracy = scene->options.accuracy.tolerance;
  bool   is_static = s->def->is_static;
  s->step_key = is_static ? "static.steps" : accuracy > 0 ? "time.accuracy" : "time.step";
  s->step = is_static ? scene->statics.steps : accuracy > 0 ? accuracy : scene->options.dt;
}

/** Count the key quantities of a history of all columns. */
static sup_status count_keys(const sup_model *model, const sup_scene *scene, sup_column_def columns,
                             bool is_static, int *num) {
  SUP_FREED char             *line = NULL;
  SUP_FREED sup_estimate_row *row = NULL;
  columns.num_names = 0;
  SUP_TRY(sup_history_columns(model, &scene->options, &columns, &line));
  return sup_key_quantities(line, is_static, &row, num);
}

static sup_status read_model(sup_estimate *e, const subject *s, sup_scene *scene,
                             sup_model **model) {
  sup_status status = sup_model_create(model, &scene->model);
  if (status != SUP_OK) return sup_scene_locate(scene, status);
  if (s->def->is_static) scene->output.static_tolerance = scene->statics.tolerance;
  const sup_column_def asked = sup_output_columns(&scene->output);
  SUP_TRY(sup_columns_check(*model, &scene->options, &asked));
  if (s->def->study) return SUP_OK;
  if (asked.num_names) SUP_TRY(count_keys(*model, scene, asked, s->def->is_static, &e->num_keys));
  return sup_history_columns(*model, &scene->options, &asked, &e->columns);
}

sup_status sup_estimate_plan(sup_estimate *e, const sup_estimate_def *def) {
  SUP_OWN(sup_scene) *scene = NULL;
  SUP_OWN(sup_model) *model = NULL;
  SUP_TRY(sup_scene_load(&scene, def->scene, def->sets, def->num_sets));
  subject s = {.def = def,
               .num_softs = scene->model.num_softs,
               .softs = sup_node_find(scene->root, "soft"),
               .layer = scene->model.contact.layer};
  if (def->num_ranks > 1) SUP_TRY(sup_scene_check_ranks(scene, def->num_ranks));
  set_step(&s, scene);
  e->has_accuracy = !def->is_static && scene->options.accuracy.tolerance > 0;
  for (int i = 0; i < s.num_softs; i++) s.cells += scene->model.softs[i].mesh->num_cells;
  e->cells = s.cells;
  if (def->budget.halvings[SUP_SOURCE_MESH] && s.num_softs) SUP_TRY(check_cells(def, s.cells, 1));
  SUP_TRY(read_model(e, &s, scene, &model));
  s.has_layers = has_layers(model);
  SUP_TRY(add_repeats(e, &s, model));
  SUP_TRY(sup_study_prepare(e->study, def->program));
  SUP_TRY(check_needs(e, def));
  return SUP_OK;
}
