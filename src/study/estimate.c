#include "study/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/history.h"
#include "study/ladder.h"
#include "study/memory.h"
#include "study/quantity.h"

static const double safety = 1.25;

/* ---- one number ------------------------------------------------------------------------------ */

sup_error_bar sup_error_bar_of(double value, const double *finer, int num_finer) {
  const double  highest = 2, lowest = 0.5;
  sup_error_bar none = {SUP_NO_NUMBER, SUP_NO_NUMBER};
  double        h[1 + SUP_MAX_REFINEMENTS] = {1}, all[1 + SUP_MAX_REFINEMENTS] = {value};
  SUP_ASSERT(num_finer >= 1 && num_finer <= SUP_MAX_REFINEMENTS);
  for (int i = 0; i < num_finer; i++) {
    h[i + 1] = h[i] / 2, all[i + 1] = finer[i];
    if (value * finer[i] < 0 || !(fabs(finer[i] - value) <= fabs(value))) return none;
  }
  if (num_finer == 1) return (sup_error_bar){safety * 2 * fabs(finer[0] - value), SUP_NO_NUMBER};
  sup_ladder_values ladder = {
      .num_levels = 1 + num_finer, .h = h, .value = all, .formal_order = highest};
  sup_convergence c = sup_converge(&ladder);
  if (c.behaviour == SUP_BEHAVIOUR_CONSTANT)
    return (sup_error_bar){safety * fabs(finer[num_finer - 1] - value), (double)NAN};
  none.order = c.num_changes ? c.change_order[c.num_changes - 1] : SUP_NO_NUMBER;
  if (!(c.order_used >= lowest)) return none;
  return (sup_error_bar){safety * fabs(value - c.extrapolated), none.order};
}

/* ---- the repeats ----------------------------------------------------------------------------- */

static sup_status copy(char **to, const char *from) {
  SUP_TRY(SUP_CALLOC(*to, strlen(from) + 1));
  strcpy(*to, from);
  return SUP_OK;
}

/** What the repeats refine. */
typedef struct subject {
  char
      finer_step[SUP_NAME_MAX]; /* override: half the time step or accuracy, twice the load steps */
  double    cells;
  int       num_softs;
  sup_node *softs; /* of the scene's tree */
} subject;

static int refinement_of(const sup_node *soft) {
  const sup_node *mesh = sup_node_find(soft, "mesh"),
                 *refine = mesh ? sup_node_find(mesh, "refine") : NULL;
  return !refine ? 0 : refine->is_number ? (int)refine->number : atoi(refine->text);
}

/** A family of one level with memory for the overrides of the run and its own. */
static sup_status add_family(sup_study *study, const sup_estimate_def *def, int num_own,
                             sup_level **level) {
  sup_family *family = &study->family[study->num_families++];
  char        threads[SUP_NAME_MAX];
  SUP_TRY(SUP_CALLOC(family->level, 1));
  family->num_levels = 1;
  *level = family->level;
  (*level)->h = 1; /* each repeat stands alone */
  SUP_TRY(SUP_CALLOC((*level)->set, def->num_sets + 1 + num_own));
  for (int i = 0; i < def->num_sets; i++)
    SUP_TRY(copy(&(*level)->set[(*level)->num_sets++], def->sets[i]));
  snprintf(threads, sizeof threads, "solver.threads=%d", def->threads);
  if (def->threads) SUP_TRY(copy(&(*level)->set[(*level)->num_sets++], threads));
  return SUP_OK;
}

static sup_status add_step(sup_estimate *e, const sup_estimate_def *def, const subject *s) {
  sup_level *level;
  strcpy(e->finer_step, s->finer_step);
  strcpy(e->study->family[e->study->num_families].name, "step");
  SUP_TRY(add_family(e->study, def, 1, &level));
  SUP_TRY(copy(&level->set[level->num_sets++], e->finer_step));
  SUP_TRY(copy(&level->label, e->finer_step));
  return SUP_OK;
}

static sup_status add_mesh(sup_estimate *e, const sup_estimate_def *def, const subject *s, int k) {
  sup_level *level;
  char      *name = e->study->family[e->study->num_families].name, text[4 * SUP_NAME_MAX],
       label[SUP_ESTIMATE_TEXT_SIZE];
  size_t used = 0;
  snprintf(name, SUP_NAME_MAX, k > 1 ? "mesh_%d" : "mesh", k);
  SUP_TRY(add_family(e->study, def, s->num_softs, &level));
  for (const sup_node *soft = s->softs->child; soft; soft = soft->next) {
    snprintf(text, sizeof text, "soft.%s.mesh.refine=%d", soft->key, refinement_of(soft) + k);
    SUP_TRY(copy(&level->set[level->num_sets++], text));
    if (used < sizeof label)
      used += (size_t)snprintf(label + used, sizeof label - used, "%s%s", used ? " " : "", text);
  }
  SUP_TRY(copy(&level->label, label));
  if (k == 1) snprintf(e->finer_mesh, sizeof e->finer_mesh, "%s", label);
  e->num_meshes++;
  return SUP_OK;
}

static sup_status too_large(double cells, int k, double need, double memory) {
  return SUP_FAIL(
      SUP_E_ARG,
      "no estimate: with its meshes refined %s (%.0f cells) the scene needs %.2g GB or more of "
      "memory, and %.2g GB may be taken; coarsen the meshes, or drop --estimate%s",
      k == 1   ? "once"
      : k == 2 ? "twice"
               : "three times",
      cells, 1e-9 * need, 1e-9 * memory, k > 1 ? ", or ask for fewer --refinements" : "");
}

/** Before a mesh is made that may itself be too large. */
static sup_status check_cells(const sup_estimate_def *def, double cells, int k) {
  cells *= pow(8, k);
  double need = sup_memory_of_cells(SUP_CELL_T4, cells); /* the least of all types */
  return need > def->memory ? too_large(cells, k, need, def->memory) : SUP_OK;
}

static sup_status check_needs(const sup_estimate *e, const sup_estimate_def *def) {
  for (int k = 1; k <= e->num_meshes; k++) {
    double need = e->study->family[k].level->need;
    if (need > def->memory) return too_large(pow(8, k) * e->cells, k, need, def->memory);
  }
  return SUP_OK;
}

static sup_status add_repeats(sup_estimate *e, const sup_estimate_def *def, const subject *s) {
  SUP_TRY(add_step(e, def, s));
  for (int k = 1; s->num_softs > 0 && k <= def->refinements; k++) {
    SUP_TRY(check_cells(def, s->cells, k));
    SUP_TRY(add_mesh(e, def, s, k));
  }
  return SUP_OK;
}

/** The columns of the scene and what there is to refine. */
static sup_status plan(sup_estimate *e, const sup_estimate_def *def) {
  sup_scene *scene = NULL;
  sup_model *model = NULL;
  sup_status status;
  SUP_TRY(sup_scene_load(&scene, def->scene, def->sets, def->num_sets));
  subject s = {.num_softs = scene->model.num_softs};
  if (def->num_ranks > 1) SUP_TRY_GOTO(sup_scene_check_ranks(scene, def->num_ranks), status, done);
  if (def->is_static)
    snprintf(s.finer_step, sizeof s.finer_step, "static.steps=%d", 2 * scene->statics.steps);
  else if (scene->options.accuracy.tolerance > 0)
    snprintf(s.finer_step, sizeof s.finer_step, "time.accuracy=%.15g",
             scene->options.accuracy.tolerance / 2);
  else
    snprintf(s.finer_step, sizeof s.finer_step, "time.step=%.15g", scene->options.dt / 2);
  e->has_accuracy = !def->is_static && scene->options.accuracy.tolerance > 0;
  s.softs = sup_node_find(scene->root, "soft");
  for (int i = 0; i < s.num_softs; i++) s.cells += scene->model.softs[i].mesh->num_cells;
  e->cells = s.cells;
  SUP_TRY_GOTO(add_repeats(e, def, &s), status, done);
  status = sup_model_create(&model, &scene->model);
  if (status != SUP_OK) SUP_TRY_GOTO(sup_scene_locate(scene, status), status, done);
  SUP_TRY_GOTO(sup_history_check(model, &scene->output), status, done);
  SUP_TRY_GOTO(sup_history_columns(model, &scene->options, &scene->output, &e->columns), status,
               done);
  SUP_TRY_GOTO(sup_key_quantities(e->columns, def->is_static, &e->row, &e->num_rows), status, done);
done:
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  return status;
}

static sup_status create(sup_estimate *e, const sup_estimate_def *def) {
  SUP_ASSERT(def->refinements >= 1 && def->refinements <= SUP_MAX_REFINEMENTS);
  SUP_TRY(SUP_CALLOC(e->study, 1));
  e->study->is_static = def->is_static, e->study->num_ranks = def->num_ranks;
  e->study->has_families = 1;
  e->study->size = SUP_SIZE_GIVEN;
  SUP_TRY(sup_text_copy(e->study->scene, sizeof e->study->scene, def->scene));
  SUP_TRY(plan(e, def));
  SUP_TRY(sup_study_prepare(e->study, def->program));
  SUP_TRY(check_needs(e, def));
  return SUP_OK;
}

sup_status sup_estimate_create(sup_estimate **out, const sup_estimate_def *def) {
  sup_estimate *e = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(e, 1));
  sup_status status = create(e, def);
  if (status == SUP_OK)
    *out = e;
  else
    sup_estimate_destroy(&e);
  return status;
}

void sup_estimate_destroy(sup_estimate **e) {
  if (!*e) return;
  if ((*e)->study) sup_study_destroy(&(*e)->study);
  SUP_FREE((*e)->row);
  SUP_FREE((*e)->columns);
  SUP_FREE(*e);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static sup_status read_row(const sup_estimate *e, sup_estimate_row *row, const char *folder,
                           const char *repeats) {
  char path[SUP_STUDY_PATH_SIZE];
  row->value = SUP_NO_NUMBER;
  for (int f = 0; f < e->study->num_families; f++) {
    const sup_family *family = &e->study->family[f];
    double           *value = &row->repeat[f];
    *value = SUP_NO_NUMBER;
    if (!sup_level_is_complete(family->level)) continue;
    sup_level_folder(e->study, family, 0, repeats, path);
    SUP_TRY(sup_quantity_value(&row->def, path, value));
  }
  SUP_TRY(sup_quantity_value(&row->def, folder, &row->value));
  return SUP_OK;
}

/** An equilibrium is solved to 1e-8 of its forces: what is below a hundred times that is the
 * solver's. */
static int are_same(const sup_estimate *e, double a, double b) {
  double noise = e->study->is_static ? 1e-6 : 1e-12;
  return (isnan(a) && isnan(b)) || fabs(a - b) <= noise * fmax(fabs(a), fabs(b));
}

/** Nothing changes with any repeat that ran: a driven body, a number that is zero. */
static int is_exact(const sup_estimate *e, const sup_estimate_row *row) {
  for (int i = 0; i <= SUP_MAX_REFINEMENTS; i++)
    if (!isnan(row->repeat[i]) && !are_same(e, row->repeat[i], row->value)) return 0;
  return 1;
}

static double size_of(const sup_estimate_row *row) {
  double size = fabs(row->value);
  for (int i = 0; i <= SUP_MAX_REFINEMENTS; i++)
    if (!isnan(row->repeat[i])) size = fmax(size, fabs(row->repeat[i]));
  return size;
}

static int is_small(const sup_estimate *e, const sup_estimate_row *row) {
  const double share = 0.01;
  double       largest = 0;
  for (int i = 0; i < e->num_rows; i++)
    if (e->row[i].group == row->group) largest = fmax(largest, size_of(&e->row[i]));
  return size_of(row) < share * largest;
}

/** The same numbers as an earlier row: the end of a force that only rises, the energy of the only
 * soft body. */
static int is_double(const sup_estimate *e, int k) {
  for (int i = 0; i < k; i++) {
    const sup_estimate_row *a = &e->row[i], *b = &e->row[k];
    int                     same = a->group == b->group && are_same(e, a->value, b->value);
    for (int j = 0; same && j <= SUP_MAX_REFINEMENTS; j++)
      same = are_same(e, a->repeat[j], b->repeat[j]);
    if (same) return 1;
  }
  return 0;
}

/** Keep the rows that say something. */
static void select_rows(sup_estimate *e) {
  int count = 0;
  enum { KEEP, DOUBLE, EXACT, SMALL };
  for (int k = 0; k < e->num_rows; k++) {
    sup_estimate_row *row = &e->row[k];
    int               fate = is_exact(e, row)   ? EXACT
                             : is_small(e, row) ? SMALL
                             : is_double(e, k)  ? DOUBLE
                                                : KEEP;
    e->num_exact += fate == EXACT, e->num_small += fate == SMALL;
    row->is_left_out = fate != KEEP;
  }
  for (int k = 0; k < e->num_rows; k++)
    if (!e->row[k].is_left_out) e->row[count++] = e->row[k];
  e->num_rows = count;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void set_error(const sup_estimate *e, sup_estimate_row *row) {
  int num_finer = 0;
  while (num_finer < e->num_meshes && !isnan(row->repeat[1 + num_finer])) num_finer++;
  int ran = !isnan(row->repeat[0]) && (e->num_meshes == 0 || num_finer > 0);
  row->step = row->mesh = (sup_error_bar){0, SUP_NO_NUMBER};
  if (!isnan(row->repeat[0])) row->step = sup_error_bar_of(row->value, row->repeat, 1);
  if (num_finer > 0) row->mesh = sup_error_bar_of(row->value, row->repeat + 1, num_finer);
  row->error = ran ? row->step.error + row->mesh.error : SUP_NO_NUMBER;
}

static void set_text(const sup_estimate *e, sup_estimate_row *row) {
  const char *unit = row->def.unit, *blank = unit[0] ? " " : "";
  double      percent = 100 / fabs(row->value);
  size_t      used;
  if (isnan(row->error)) {
    int step = isnan(row->step.error), mesh = isnan(row->mesh.error);
    snprintf(
        row->text, sizeof row->text, "%s = %.4g%s%s: %s%s", row->def.source, row->value, blank,
        unit,
        !step && !mesh ? "no error bar, for want of a repeat" : "not converged, no error bar: ",
        step && mesh ? "step and mesh"
        : step       ? "step"
        : mesh       ? "mesh"
                     : "");
    return;
  }
  used = (size_t)snprintf(row->text, sizeof row->text,
                          "%s = %.4g%s%s +- %.2g%s%s (%.2g %%):", row->def.source, row->value,
                          blank, unit, row->error, blank, unit, percent * row->error);
  if (e->num_meshes && used < sizeof row->text)
    used += (size_t)snprintf(row->text + used, sizeof row->text - used, " mesh %.2g %%,",
                             percent * row->mesh.error);
  if (used < sizeof row->text)
    snprintf(row->text + used, sizeof row->text - used, " step %.2g %%", percent * row->step.error);
}

/** What to refine. */
static void set_advice(sup_estimate *e) {
  const char             *step = e->study->is_static ? "load step"
                                 : e->has_accuracy   ? "accuracy of steps"
                                                     : "time step";
  int                     open = 0, by_mesh = 0, bars = 0;
  const sup_estimate_row *worst = NULL;
  for (int i = 0; i < e->num_rows; i++) {
    const sup_estimate_row *row = &e->row[i];
    int                     mesh_open = isnan(row->mesh.error), step_open = isnan(row->step.error);
    by_mesh += mesh_open ? !step_open : !step_open && row->mesh.error > row->step.error;
    open += isnan(row->error);
    bars += !isnan(row->error);
    if (!isnan(row->error) &&
        (!worst || row->error * fabs(worst->value) > worst->error * fabs(row->value)))
      worst = row;
  }
  char  *text = e->advice;
  size_t size = sizeof e->advice, used = 0;
  int    mesh = e->num_meshes > 0 && 2 * by_mesh >= e->num_rows;
  int    share = mesh ? by_mesh : e->num_rows - by_mesh;
  text[0] = '\0';
  if (e->num_rows == 0) {
    snprintf(text, size, "no key quantity depends on the %s%s", step,
             e->num_meshes ? " or the mesh" : "");
    return;
  }
  if (worst)
    used = (size_t)snprintf(text, size, "largest error bar: %.2g %% (%s, %s); ",
                            100 * worst->error / fabs(worst->value), worst->def.source,
                            sup_take_name(worst->def.take));
  if (open)
    used += (size_t)snprintf(text + used, size - used, "%d of %d quantities %s no error bar; ",
                             open, open + bars, open == 1 ? "has" : "have");
  if (e->num_meshes)
    used +=
        (size_t)snprintf(text + used, size - used, "the %s makes most of the error in %d of %d; ",
                         mesh ? "mesh" : step, share, e->num_rows);
  snprintf(text + used, size - used, "to reduce it: --set '%s'",
           mesh ? e->finer_mesh : e->finer_step);
}

sup_status sup_estimate_evaluate(sup_estimate *e, const char *folder, const char *repeats) {
  for (int i = 0; i < e->num_rows; i++) {
    for (int k = 0; k <= SUP_MAX_REFINEMENTS; k++) e->row[i].repeat[k] = SUP_NO_NUMBER;
    SUP_TRY(read_row(e, &e->row[i], folder, repeats));
  }
  select_rows(e);
  for (int i = 0; i < e->num_rows; i++) {
    set_error(e, &e->row[i]);
    set_text(e, &e->row[i]);
  }
  set_advice(e);
  return SUP_OK;
}
