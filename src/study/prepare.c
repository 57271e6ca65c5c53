/* Preparation of a study: read the scene of every level to check overrides and to find sizes,
 * memory and signatures before any run. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "output/history.h"
#include "study/control/control.h"
#include "study/fit/fit.h"
#include "study/formal_order.h"
#include "study/gradient/gradient.h"
#include "study/holding/holding.h"
#include "study/memory.h"
#include "study/numerics.h"
#include "study/optimize/optimize.h"
#include "study/parameter.h"
#include "study/prepare.h"
#include "study/quantity.h"
#include "study/stiffness/stiffness.h"

/* ---- one level ------------------------------------------------------------------------------- */

/** (volume / cells)^(1/3) over all soft bodies [m]; 0 without any. */
static double mean_edge(const sup_scene *scene) {
  double volume = 0, cells = 0;
  for (int i = 0; i < scene->model.num_softs; i++) {
    volume += sup_mesh_volume(scene->model.softs[i].mesh);
    cells += scene->cells[i];
  }
  return cells > 0 ? cbrt(volume / cells) : 0;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  return sup_hash_bytes(hash, text, strlen(text) + 1);
}

static sup_status hash_file(uint64_t *hash, const char *path) {
  uint64_t word[8192];
  size_t   size;
  FILE    *file = fopen(path, "rb");
  if (!file) return SUP_FAIL(SUP_E_IO, "cannot read %s: %s", path, strerror(errno));
  while ((size = fread(word, 1, sizeof word, file)) > 0) { /* a program has tens of MB */
    for (size_t i = 0; i < size / sizeof *word; i++) {
      *hash = (*hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
      *hash ^= *hash >> 29;
    }
    *hash = sup_hash_bytes(*hash, &word[size / sizeof *word], size % sizeof *word);
    *hash = sup_hash_bytes(*hash, &size, sizeof size);
  }
  bool is_read = !ferror(file);
  fclose(file);
  return is_read ? SUP_OK : SUP_FAIL(SUP_E_IO, "cannot read %s", path);
}

/** Sign the level by all that its results depend on: program, command, overrides, files.
 *  @param[in] scene  NULL: without the files */
static sup_status sign(const sup_study *study, sup_level *level, const sup_scene *scene) {
  uint64_t hash = sup_hash_bytes(sup_hash_begin(), &study->program, sizeof study->program);
  hash = hash_text(hash, study->is_static ? "static" : "run");
  for (int i = 0; i < level->num_sets; i++) hash = hash_text(hash, level->set[i]);
  for (int i = 0; scene && i < scene->num_inputs; i++) SUP_TRY(hash_file(&hash, scene->input[i]));
  level->signature = hash;
  return SUP_OK;
}

/** Check that the scene writes the columns of the study's quantities. */
static sup_status check_columns(sup_study *study, sup_scene *scene) {
  SUP_OWN(sup_model) *model = NULL;
  SUP_FREED char     *columns = NULL;
  if (study->is_static) scene->output.static_tolerance = scene->statics.tolerance;
  const sup_column_def asked = sup_output_columns(&scene->output);
  sup_status           status = sup_model_create(&model, &scene->model);
  if (status != SUP_OK) SUP_TRY(sup_scene_locate(scene, status));
  SUP_TRY(sup_columns_check(model, &scene->options, &asked));
  SUP_TRY(sup_history_columns(model, &scene->options, &asked, &columns));
  for (int q = 0; q < study->num_quantities; q++)
    SUP_TRY(sup_quantity_check(&study->quantity[q], columns));
  if (study->fit) SUP_TRY(sup_fit_prepare(study, scene, columns));
  if (study->optimize) SUP_TRY(sup_optimize_prepare(study, scene));
  if (study->stiffness) SUP_TRY(sup_stiffness_prepare(study, scene));
  return SUP_OK;
}

static sup_status look_at(sup_study *study, sup_level *level, sup_scene *scene, bool is_first) {
  level->edge = mean_edge(scene);
  level->step = study->is_static ? 0 : scene->options.dt;
  level->degree = sup_degree_of_meshes(&scene->model);
  level->order_in_time = sup_order_in_time(&scene->model, &scene->options);
  level->tolerance = scene->options.tolerance;
  level->accuracy = study->is_static ? 0 : scene->options.accuracy.tolerance;
  if (scene->threads > study->threads) study->threads = scene->threads;
  SUP_TRY(sign(study, level, scene));
  for (int q = 0; q < study->num_quantities; q++)
    SUP_TRY(sup_quantity_choose_unit(&study->quantity[q], &scene->model));
  if (is_first && (study->num_quantities > 0 || study->fit || study->stiffness))
    SUP_TRY(check_columns(study, scene));
  if (study->kind == SUP_STUDY_GRADIENT && is_first) SUP_TRY(sup_gradient_fill(study, scene));
  sup_memory_estimate need;
  SUP_TRY(sup_memory_of_model(&scene->model, scene->cells, &scene->options, &need));
  level->need = need.total;
  return SUP_OK;
}

/** Estimate levels with large meshes from coarser meshes; only their runs make the large ones. */
static sup_status prepare_level(sup_study *study, sup_level *level, bool is_first) {
  sup_scene *scene = NULL;
  sup_status status = sup_scene_plan(&scene, study->scene, (const char *const *)level->set,
                                     level->num_sets, sup_study_numerics.planned);
  if (status == SUP_E_IO) return SUP_FAIL_WRAP(SUP_E_PARSE, study->scene_place);
  if (status == SUP_OK && study->num_ranks > 1)
    status = sup_scene_check_ranks(scene, study->num_ranks);
  if (status != SUP_OK) sup_scene_destroy(&scene);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, level->place);
  status = look_at(study, level, scene, is_first);
  sup_scene_destroy(&scene);
  return status;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/** Cells when the mesh changes on some ladder, else the step. */
static sup_size_kind choose_size(const sup_family *family, int num_families) {
  for (int f = 0; f < num_families; f++)
    for (int i = 1; i < family[f].num_levels; i++)
      if (family[f].level[i].edge != family[f].level[0].edge) return SUP_SIZE_CELLS;
  return SUP_SIZE_STEP;
}

const char *sup_size_name(sup_size_kind size) {
  return size == SUP_SIZE_STEP       ? "time step"
         : size == SUP_SIZE_ACCURACY ? "accuracy"
         : size == SUP_SIZE_CELLS    ? "mean edge"
                                     : "size";
}

static sup_status check_ladder(const sup_study *study, const sup_family *family) {
  const char *kind = sup_size_name(study->size);
  for (int i = 0; i < family->num_levels; i++) {
    const sup_level *l = &family->level[i];
    if (!(l->h > 0))
      return SUP_FAIL_AT(l->place,
                         "level %d has no %s; list one for each level: 'size: [4 mm, 2 mm, 1 mm]'",
                         i + 1, kind);
    if (i > 0 && !(l->h < family->level[i - 1].h))
      return SUP_FAIL_AT(l->place,
                         "level %d is not finer than level %d: its %s is %g %s after %g %s; "
                         "ladders go from coarse to fine (or list what refines: 'size: [4, 2, 1]')",
                         i + 1, i, kind, l->h, study->size_unit, family->level[i - 1].h,
                         study->size_unit);
  }
  return SUP_OK;
}

sup_status sup_study_set_sizes(sup_study *study, sup_family *families, int num_families) {
  if (study->size == SUP_SIZE_AUTO) study->size = choose_size(families, num_families);
  if (study->size == SUP_SIZE_STEP && families[0].level[0].accuracy > 0)
    study->size = SUP_SIZE_ACCURACY;
  if (study->size != SUP_SIZE_GIVEN)
    strcpy(study->size_unit, study->size == SUP_SIZE_STEP       ? "s"
                             : study->size == SUP_SIZE_ACCURACY ? "-"
                                                                : "m");
  for (int f = 0; f < num_families; f++) {
    sup_family *family = &families[f];
    for (int i = 0; i < family->num_levels && study->size != SUP_SIZE_GIVEN; i++)
      family->level[i].h = study->size == SUP_SIZE_STEP       ? family->level[i].step
                           : study->size == SUP_SIZE_ACCURACY ? family->level[i].accuracy
                                                              : family->level[i].edge;
    SUP_TRY(check_ladder(study, family));
  }
  return SUP_OK;
}

/** Memory and columns of all cases are those of the first scene that can be loaded.  Files that a
 * case reads are looked at where it was completed (level_runner.c), not all here. */
static sup_status prepare_sweep(sup_study *study) {
  enum { TRIES = 10 };
  sup_family *family = &study->family[0];
  char        first[1024] = "";
  sup_status  status = SUP_E_ARG;
  int         k = 0;
  for (; k < family->num_levels && k < TRIES && status != SUP_OK; k++) {
    status = prepare_level(study, &family->level[k], 1);
    if (k == 0) snprintf(first, sizeof first, "%s", sup_error_message());
  }
  if (status != SUP_OK) return SUP_FAIL(status, "%s", first);
  for (int i = 0; i < family->num_levels; i++) {
    family->level[i].need = family->level[k - 1].need;
    SUP_TRY(sign(study, &family->level[i], NULL));
  }
  return SUP_OK;
}

/** Read the scene at the point of a gradient, from which come values and units of the parameters;
 * sign its cases like those of a sweep. */
static sup_status prepare_gradient(sup_study *study) {
  sup_family *family = &study->family[0];
  sup_level  *point = &family->level[0];
  SUP_TRY(sup_gradient_refine(study));
  int num_sets = point->num_sets;
  SUP_TRY(prepare_level(study, point, 1));
  if (point->num_sets > num_sets) SUP_TRY(prepare_level(study, point, 0));
  for (int i = 0; i < family->num_levels; i++) {
    family->level[i].need = point->need;
    SUP_TRY(sign(study, &family->level[i], NULL));
  }
  return SUP_OK;
}

/** Sizes of one case's levels on the ladder, and the memory and signatures of all its pulls. */
static sup_status prepare_case(sup_study *study, int first) {
  const sup_holding *h = study->holding;
  sup_level         *level = study->family[0].level + first, rung[SUP_MAX_LEVELS];
  sup_family         ladder = {.num_levels = h->ladder.num_levels, .level = rung};
  int                num_rungs = ladder.num_levels > 0 ? ladder.num_levels : 1;
  for (int k = 0; k < num_rungs; k++) {
    sup_level *pull = level + k * h->num_pulls;
    double     step = pull->step;
    SUP_TRY(prepare_level(study, pull, first + k == 0));
    pull->step = step, rung[k] = *pull;
    if (study->size == SUP_SIZE_GIVEN) rung[k].h = h->ladder.level[k].h;
  }
  if (ladder.num_levels > 0) SUP_TRY(sup_study_set_sizes(study, &ladder, 1));
  for (int i = 0; i < num_rungs * h->num_pulls; i++) {
    const sup_level *of = &rung[i / h->num_pulls];
    level[i].need = of->need, level[i].h = of->h, level[i].degree = of->degree;
    level[i].edge = of->edge, level[i].order_in_time = of->order_in_time;
    SUP_TRY(sign(study, &level[i], NULL));
  }
  return SUP_OK;
}

/** Make the pulls of all cases by their scenes, and prepare them. */
static sup_status prepare_holding(sup_study *study) {
  const sup_holding *h = study->holding;
  SUP_TRY(sup_holding_fill(study));
  int size = h->num_pulls * (h->ladder.num_levels > 0 ? h->ladder.num_levels : 1);
  for (int i = 0; i < study->family[0].num_levels; i += size) SUP_TRY(prepare_case(study, i));
  return SUP_OK;
}

sup_status sup_level_sign(const sup_study *study, sup_level *level) {
  SUP_TRY(sign(study, level, NULL));
  return SUP_OK;
}

/** Read the scene at the start of a fit, a search or a stiffness study; their levels come with the
 * rounds. */
static sup_status prepare_search(sup_study *study) {
  sup_family *family = &study->family[0];
  SUP_TRY(SUP_CALLOC(family->level, 1));
  family->num_levels = 1;
  SUP_TRY(sup_level_begin(&family->level[0], study->set, study->scene_place));
  SUP_TRY(prepare_level(study, &family->level[0], 1));
  double *need = study->fit         ? &study->fit->need
                 : study->stiffness ? &study->stiffness->need
                                    : &study->optimize->need;
  *need = family->level[0].need;
  return SUP_OK;
}

sup_status sup_study_prepare(sup_study *study, const char *program) {
  study->program = sup_hash_begin();
  SUP_TRY(hash_file(&study->program, program));
  study->threads = 1;
  if (study->kind == SUP_STUDY_GRADIENT) return prepare_gradient(study);
  if (study->kind == SUP_STUDY_SWEEP) return prepare_sweep(study);
  if (study->holding) return prepare_holding(study);
  if (study->control) return sup_control_prepare(study);
  if (study->fit || study->optimize || study->stiffness) return prepare_search(study);
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++)
      SUP_TRY(prepare_level(study, &study->family[f].level[i], i == 0));
  SUP_TRY(sup_study_set_sizes(study, study->family, study->num_families));
  return SUP_OK;
}
