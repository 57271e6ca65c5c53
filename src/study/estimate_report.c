/* estimate.json and estimate.csv. */
#include <math.h>
#include <stdio.h>

#include "output/format/csv.h"
#include "output/format/json.h"
#include "study/estimate.h"

static double relative(const sup_estimate_row *row, double error) {
  return error / fabs(row->value);
}

/* ---- estimate.json --------------------------------------------------------------------------- */

static void put_repeat(sup_json *json, const sup_family *family, double cost) {
  const sup_level *level = family->level;
  int              there = sup_level_is_complete(level);
  sup_json_begin_object(json, family->name);
  sup_json_text(json, "overrides", level->label);
  sup_json_text(json, "status",
                there                               ? "completed"
                : level->status == SUP_LEVEL_FAILED ? "failed"
                                                    : "pending");
  sup_json_text(json, "message", level->message[0] ? level->message : NULL);
  sup_json_number(json, "unknowns", there ? level->unknowns : SUP_NO_NUMBER);
  sup_json_number(json, "wall", there ? level->wall : SUP_NO_NUMBER);
  sup_json_number(json, "memory", there ? level->memory : SUP_NO_NUMBER);
  sup_json_number(json, "cost", cost);
  sup_json_end(json);
}

/** A part of the error, and the error that remains when it is halved. */
static void put_part(sup_json *json, const sup_estimate_row *row, sup_source source) {
  const sup_error_bar *part = &row->part[source];
  sup_json_begin_object(json, sup_source_name(source));
  sup_json_number(json, "error", part->error);
  sup_json_number(json, "order", part->order);
  sup_json_number(json, "share", row->error > 0 ? part->error / row->error : SUP_NO_NUMBER);
  sup_json_number(json, "left", row->error - part->error + sup_error_bar_after_halving(part));
  sup_json_end(json);
}

static void put_row(sup_json *json, const sup_estimate *e, const sup_estimate_row *row) {
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "quantity", row->def.source);
  sup_json_text(json, "name", row->def.name);
  sup_json_text(json, "take", sup_window_value_name(row->def.take));
  sup_json_text(json, "unit", row->def.unit);
  sup_json_number(json, "value", row->value);
  sup_json_number(json, "error", row->error);
  sup_json_number(json, "relative_error", relative(row, row->error));
  sup_json_begin_object(json, "repeats");
  for (int f = 0; f < e->study->num_families; f++)
    sup_json_number(json, e->study->family[f].name, row->repeat[f]);
  sup_json_end(json);
  sup_json_begin_object(json, "parts");
  for (int s = 0; s < SUP_NUM_SOURCES; s++)
    if (e->num[s] > 0) put_part(json, row, (sup_source)s);
  sup_json_end(json);
  sup_json_number(json, "spread_models", e->num_models ? row->spread : SUP_NO_NUMBER);
  sup_json_text(json, "words", row->text);
  sup_json_end(json);
}

static sup_status write_json(const sup_estimate *e, const char *path) {
  sup_json json;
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  if (e->study->title[0]) sup_json_text(&json, "title", e->study->title);
  sup_json_text(
      &json, "rule",
      "error = 1.25 |change| 2^p/(2^p - 1) for half the step (twice the load steps) plus the same "
      "for refined meshes and for contact layers twice as stiff; p = 1 where one repeat cannot "
      "tell it, else observed, at most 2; contact models are no error");
  sup_json_begin_object(&json, "repeats");
  for (int f = 0; f < e->study->num_families; f++)
    put_repeat(&json, &e->study->family[f], e->cost[f]);
  sup_json_end(&json);
  sup_json_begin_array(&json, "quantities");
  for (int i = 0; i < e->num_rows; i++) put_row(&json, e, &e->row[i]);
  sup_json_end(&json);
  sup_json_integer(&json, "left_out_small", e->num_small);
  sup_json_integer(&json, "left_out_exact", e->num_exact);
  sup_json_integer(&json, "left_out_by_history", e->num_unwritten);
  if (e->tolerance > 0) sup_json_number(&json, "tolerance", e->tolerance);
  sup_json_text(&json, "verdict", e->advice);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/* ---- estimate.csv ---------------------------------------------------------------------------- */

static void put_header(sup_csv *csv, const sup_estimate *e) {
  static const char *const fixed[] = {"quantity", "take",  "unit",
                                      "value",    "error", "relative_error"};
  static const char *const parts[] = {"error_step", "error_mesh", "error_layer", "order_mesh",
                                      "spread_models"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) sup_csv_text(csv, fixed[i]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sup_csv_text(csv, parts[i]);
  for (int f = 0; f < e->study->num_families; f++) sup_csv_text(csv, e->study->family[f].name);
  sup_csv_end_row(csv);
}

static void put_csv_row(sup_csv *csv, const sup_estimate *e, const sup_estimate_row *row) {
  const double numbers[] = {row->value,
                            row->error,
                            relative(row, row->error),
                            row->part[SUP_SOURCE_STEP].error,
                            row->part[SUP_SOURCE_MESH].error,
                            row->part[SUP_SOURCE_LAYER].error,
                            row->part[SUP_SOURCE_MESH].order,
                            e->num_models ? row->spread : SUP_NO_NUMBER};
  sup_csv_text(csv, e->has_base ? row->def.name : row->def.source);
  sup_csv_text(csv, sup_window_value_name(row->def.take));
  sup_csv_text(csv, row->def.unit);
  sup_csv_numbers(csv, numbers, (int)(sizeof numbers / sizeof *numbers));
  sup_csv_numbers(csv, row->repeat, e->study->num_families);
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_estimate *e, const char *path) {
  sup_csv csv;
  sup_csv_begin(&csv);
  put_header(&csv, e);
  for (int i = 0; i < e->num_rows; i++) put_csv_row(&csv, e, &e->row[i]);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

sup_status sup_estimate_write(const sup_estimate *e, const char *folder) {
  char path[SUP_STUDY_PATH_SIZE];
  snprintf(path, sizeof path, "%.3900s/estimate.json", folder);
  SUP_TRY(write_json(e, path));
  snprintf(path, sizeof path, "%.3900s/estimate.csv", folder);
  SUP_TRY(write_csv(e, path));
  return SUP_OK;
}
