/* convergence.json, convergence.csv and manifest.json of a study. */
#include <math.h>
#include <stdio.h>

#include "output/format/csv.h"
#include "study/report.h"
#include "study/study.h"

/* ---- convergence.json ------------------------------------------------------------------------ */

static void put_numbers(sup_json *json, const char *key, const double *value, int count) {
  sup_json_begin_array(json, key);
  for (int i = 0; i < count; i++) sup_json_number(json, NULL, value[i]);
  sup_json_end(json);
}

/** A number of each level of the family; null where it did not complete. */
static void put_levels(sup_json *json, const char *key, const sup_family *family, size_t offset,
                       int always) {
  sup_json_begin_array(json, key);
  for (int i = 0; i < family->num_levels; i++) {
    const char *level = (const char *)&family->level[i];
    int         there = always || sup_level_is_complete(&family->level[i]);
    sup_json_number(json, NULL,
                    there ? *(const double *)(const void *)(level + offset) : SUP_NO_NUMBER);
  }
  sup_json_end(json);
}

static void put_curve(sup_json *json, const sup_study *study, int f, int q) {
  const sup_family *family = &study->family[f];
  const sup_curve  *curve = sup_study_curve(study, f, q);
  double            value[SUP_MAX_LEVELS], error[SUP_MAX_LEVELS];
  for (int i = 0; i < family->num_levels; i++) value[i] = error[i] = SUP_NO_NUMBER;
  for (int k = 0; k < curve->num_levels; k++) {
    value[curve->level[k]] = curve->value[k];
    error[curve->level[k]] = curve->convergence.error[k];
  }
  sup_json_begin_object(json, study->quantity[q].name);
  put_numbers(json, "values", value, family->num_levels);
  put_numbers(json, "errors", error, family->num_levels);
  put_numbers(json, "orders", curve->convergence.order,
              curve->num_levels ? curve->convergence.num_orders : 0);
  sup_json_number(json, "extrapolated",
                  curve->num_levels ? curve->convergence.extrapolated : SUP_NO_NUMBER);
  sup_json_number(json, "gci", curve->num_levels ? curve->convergence.gci : SUP_NO_NUMBER);
  sup_json_end(json);
}

static void put_family(sup_json *json, const sup_study *study, int f) {
  const sup_family *family = &study->family[f];
  put_levels(json, "h", family, offsetof(sup_level, h), 1);
  put_levels(json, "unknowns", family, offsetof(sup_level, unknowns), 0);
  put_levels(json, "wall", family, offsetof(sup_level, wall), 0);
  put_levels(json, "memory", family, offsetof(sup_level, memory), 0);
  sup_json_begin_object(json, "quantities");
  for (int q = 0; q < study->num_quantities; q++) put_curve(json, study, f, q);
  sup_json_end(json);
  sup_json_text(json, "verdict", study->has_families ? study->family_verdict[f] : study->verdict);
}

static sup_status write_json(const sup_study *study, const char *path) {
  sup_json json;
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  if (study->has_families) {
    sup_json_begin_object(&json, "families");
    for (int f = 0; f < study->num_families; f++) {
      sup_json_begin_object(&json, study->family[f].name);
      put_family(&json, study, f);
      sup_json_end(&json);
    }
    sup_json_end(&json);
    sup_json_text(&json, "verdict", study->verdict);
  } else {
    put_family(&json, study, 0);
  }
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/* ---- manifest.json --------------------------------------------------------------------------- */

static void put_quantity(sup_json *json, const sup_quantity_def *def) {
  sup_json_begin_object(json, def->name);
  sup_json_text(json, def->is_summary ? "summary" : "column", def->source);
  if (!def->is_summary) sup_json_text(json, "take", sup_window_value_name(def->take));
  if (def->take == SUP_WINDOW_AT) sup_json_number(json, "at", def->at);
  sup_json_text(json, "unit", def->unit);
  sup_json_number(json, "scale", def->scale);
  sup_json_number(json, "reference", def->has_reference ? def->reference : SUP_NO_NUMBER);
  sup_json_end(json);
}

static void put_level(sup_json *json, const sup_level *level) {
  static const char *const words[] = {"pending", "running", "completed", "completed", "failed"};
  sup_json_begin_object(json, NULL);
  sup_json_begin_array(json, "overrides");
  for (int k = 0; k < level->num_sets; k++) sup_json_text(json, NULL, level->set[k]);
  sup_json_end(json);
  sup_json_text(json, "status", words[level->status]);
  sup_json_text(json, "message", level->message[0] ? level->message : NULL);
  sup_json_hash(json, "signature", level->signature);
  sup_json_number(json, "memory", sup_level_is_complete(level) ? level->memory : SUP_NO_NUMBER);
  sup_json_end(json);
}

sup_status sup_study_open_json(sup_json *json, const sup_study *study, const char *path) {
  SUP_TRY(sup_json_open(json, path));
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "title", study->title);
  sup_json_text(json, "study", study->path);
  sup_json_text(json, "scene", study->scene);
  sup_json_text(json, "mode", study->is_static ? "static" : "run");
  return SUP_OK;
}

/** Write the description of the numbers: names, units, overrides. */
static sup_status write_manifest(const sup_study *study, const char *path) {
  sup_json json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "size", sup_size_name(study->size));
  sup_json_text(&json, "size_unit", study->size_unit);
  sup_json_number(&json, "tolerance", study->tolerance);
  sup_json_begin_object(&json, "quantities");
  for (int q = 0; q < study->num_quantities; q++) put_quantity(&json, &study->quantity[q]);
  sup_json_end(&json);
  sup_json_begin_object(&json, "levels");
  for (int f = 0; f < study->num_families; f++) {
    sup_json_begin_array(&json, study->family[f].name);
    for (int i = 0; i < study->family[f].num_levels; i++)
      put_level(&json, &study->family[f].level[i]);
    sup_json_end(&json);
  }
  sup_json_end(&json);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/* ---- convergence.csv ------------------------------------------------------------------------- */

static void put_header(sup_csv *csv, const sup_study *study) {
  static const char *const fixed[] = {"family",   "level", "overrides", "h",
                                      "unknowns", "wall",  "memory"};
  static const char *const each[] = {"value", "error", "order", "extrapolated", "gci"};
  char                     name[2 * SUP_NAME_MAX];
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) sup_csv_text(csv, fixed[i]);
  for (int q = 0; q < study->num_quantities; q++)
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
      snprintf(name, sizeof name, "%s.%s", study->quantity[q].name, each[i]);
      sup_csv_text(csv, name);
    }
  sup_csv_end_row(csv);
}

static void put_row(sup_csv *csv, const sup_study *study, int f, int i) {
  const sup_level *level = &study->family[f].level[i];
  double           nothing = SUP_NO_NUMBER;
  int              there = sup_level_is_complete(level);
  sup_csv_text(csv, study->family[f].name);
  sup_csv_integer(csv, i + 1);
  sup_csv_text(csv, level->label);
  sup_csv_number(csv, level->h);
  sup_csv_number(csv, there ? level->unknowns : nothing);
  sup_csv_number(csv, there ? level->wall : nothing);
  sup_csv_number(csv, there ? level->memory : nothing);
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_curve *curve = sup_study_curve(study, f, q);
    int              k = sup_curve_find(curve, i);
    sup_csv_number(csv, there ? level->value[q] : nothing);
    sup_csv_number(csv, k == SUP_NONE ? nothing : curve->convergence.error[k]);
    sup_csv_number(csv, sup_curve_order(curve, k));
    sup_csv_number(csv, curve->num_levels ? curve->convergence.extrapolated : nothing);
    sup_csv_number(csv, curve->num_levels ? curve->convergence.gci : nothing);
  }
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_study *study, const char *path) {
  sup_csv csv;
  sup_csv_begin(&csv);
  put_header(&csv, study);
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++) put_row(&csv, study, f, i);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

sup_status sup_study_write_files(const sup_study *study, const char *folder,
                                 const sup_study_file *file, int num) {
  char path[SUP_STUDY_PATH_SIZE];
  SUP_TRY(sup_make_folder(folder));
  for (int i = 0; i < num; i++) {
    snprintf(path, sizeof path, "%.3900s/%s", folder, file[i].name);
    SUP_TRY(file[i].write(study, path));
  }
  return SUP_OK;
}

sup_status sup_study_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"convergence.csv", write_csv},
                                         {"convergence.json", write_json},
                                         {"manifest.json", write_manifest}};
  return sup_study_write_files(study, folder, files, 3);
}
