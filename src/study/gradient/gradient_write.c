/* gradient.csv and gradient.json. */
#include <math.h>
#include <stdio.h>

#include "output/format/csv.h"
#include "study/gradient/levels.h"
#include "study/report.h"

static void put_curve(sup_csv *csv, const sup_curve *curve) {
  const sup_convergence *c = &curve->convergence;
  bool                   is_there = curve->num_levels > 0;
  sup_csv_integer(csv, curve->num_levels);
  sup_csv_number(csv, sup_curve_order(curve, curve->num_levels - 1));
  sup_csv_number(csv, is_there ? c->extrapolated : SUP_NO_NUMBER);
  sup_csv_number(csv, is_there ? c->band : SUP_NO_NUMBER);
  sup_csv_text(csv, curve->verdict);
}

static void put_row(sup_csv *csv, const sup_study *study, int q, int p) {
  const sup_parameter *parameter = &study->parameter[p];
  const sup_level     *level = &study->family[0].level[0];
  sup_slope            slope = sup_gradient_slope(study, q, p);
  char                 unit[SUP_GRADIENT_UNIT_SIZE], text[SUP_GRADIENT_TEXT_SIZE];
  sup_gradient_unit(study, q, p, unit);
  sup_gradient_remark(study, p, &slope, text);
  sup_csv_text(csv, study->quantity[q].name);
  sup_csv_text(csv, study->quantity[q].unit[0] ? study->quantity[q].unit : "-");
  sup_csv_number(csv, sup_level_is_complete(level) ? level->value[q] : SUP_NO_NUMBER);
  sup_csv_text(csv, parameter->name);
  sup_csv_text(csv, parameter->unit[0] ? parameter->unit : "-");
  sup_csv_number(csv, parameter->value);
  sup_csv_text(csv, unit);
  sup_csv_number(csv, slope.gradient);
  sup_csv_number(csv, slope.error);
  sup_csv_number(csv, slope.left);
  sup_csv_number(csv, slope.right);
  sup_csv_number(csv, sup_gradient_logarithmic(study, q, p, &slope));
  sup_csv_numbers(csv, slope.of_width, SUP_NUM_WIDTHS);
  sup_csv_number(csv, sup_gradient_width(parameter, 0));
  sup_csv_number(csv, slope.noise);
  sup_csv_integer(csv, slope.sides_differ || slope.widths_differ);
  sup_csv_text(csv, text);
  if (study->gradient.curve) put_curve(csv, sup_gradient_curve(study, q, p));
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_study *study, const char *path) {
  static const char *const heading[] = {"quantity",        "quantity_unit",   "value",
                                        "parameter",       "parameter_unit",  "parameter_value",
                                        "gradient_unit",   "gradient",        "error",
                                        "slope_below",     "slope_above",     "logarithmic [-]",
                                        "gradient_width1", "gradient_width2", "gradient_width3",
                                        "width1",          "value_noise",     "kink",
                                        "remark",          "levels",          "order [-]",
                                        "extrapolated",    "error_bar",       "verdict"};
  size_t                   num = sizeof heading / sizeof *heading - (study->gradient.curve ? 0 : 5);
  sup_csv                  csv;
  sup_csv_begin(&csv);
  csv.digits = 0;
  for (size_t k = 0; k < num; k++) sup_csv_text(&csv, heading[k]);
  sup_csv_end_row(&csv);
  for (int q = 0; q < study->num_quantities; q++)
    for (int p = 0; p < study->num_parameters; p++) put_row(&csv, study, q, p);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static void put_quantity(sup_json *json, const sup_study *study, int q) {
  const sup_level        *level = &study->family[0].level[0];
  const sup_quantity_def *def = &study->quantity[q];
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", def->name);
  sup_json_text(json, "unit", def->unit);
  sup_json_text(json, "source", def->source);
  if (!def->is_summary) sup_json_text(json, "take", sup_window_value_name(def->take));
  sup_json_number(json, "value", sup_level_is_complete(level) ? level->value[q] : SUP_NO_NUMBER);
  sup_json_end(json);
}

static void put_parameter(sup_json *json, const sup_parameter *parameter) {
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", parameter->name);
  sup_json_text(json, "unit", parameter->unit);
  sup_json_number(json, "value", parameter->value);
  sup_json_begin_array(json, "widths");
  for (int k = 0; k < SUP_NUM_WIDTHS; k++)
    sup_json_number(json, NULL, sup_gradient_width(parameter, k));
  sup_json_end(json);
  sup_json_end(json);
}

/** Slopes of the complete levels with their sizes, and what they say. */
static void put_levels(sup_json *json, const sup_study *study, const sup_curve *curve) {
  const sup_convergence *c = &curve->convergence;
  bool                   is_there = curve->num_levels > 0;
  sup_json_text(json, "size", sup_size_name(study->size));
  sup_json_begin_array(json, "h");
  for (int k = 0; k < curve->num_levels; k++) sup_json_number(json, NULL, curve->h[k]);
  sup_json_end(json);
  sup_json_begin_array(json, "of_levels");
  for (int k = 0; k < curve->num_levels; k++) sup_json_number(json, NULL, curve->value[k]);
  sup_json_end(json);
  sup_json_number(json, "order", sup_curve_order(curve, curve->num_levels - 1));
  sup_json_number(json, "extrapolated", is_there ? c->extrapolated : SUP_NO_NUMBER);
  sup_json_number(json, "error_bar", is_there ? c->band : SUP_NO_NUMBER);
  sup_json_text(json, "verdict", curve->verdict);
}

static void put_slope(sup_json *json, const sup_study *study, int q, int p) {
  sup_slope slope = sup_gradient_slope(study, q, p);
  char      unit[SUP_GRADIENT_UNIT_SIZE], text[SUP_GRADIENT_TEXT_SIZE];
  sup_gradient_unit(study, q, p, unit);
  sup_gradient_remark(study, p, &slope, text);
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "quantity", study->quantity[q].name);
  sup_json_text(json, "parameter", study->parameter[p].name);
  sup_json_text(json, "unit", unit);
  sup_json_number(json, "gradient", slope.gradient);
  sup_json_number(json, "error", slope.error);
  sup_json_number(json, "slope_below", slope.left);
  sup_json_number(json, "slope_above", slope.right);
  sup_json_number(json, "logarithmic", sup_gradient_logarithmic(study, q, p, &slope));
  sup_json_begin_array(json, "of_widths");
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) sup_json_number(json, NULL, slope.of_width[k]);
  sup_json_end(json);
  sup_json_number(json, "value_noise", slope.noise);
  sup_json_integer(json, "kink", slope.sides_differ || slope.widths_differ);
  sup_json_text(json, "remark", text);
  if (study->gradient.curve) put_levels(json, study, sup_gradient_curve(study, q, p));
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  sup_json json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "method", sup_gradient_method_name(study));
  if (study->gradient.adjoint) sup_json_number(&json, "residual", study->gradient.residual);
  if (study->gradient.adjoint && study->gradient.records[0] > 0) {
    sup_json_number(&json, "records", study->gradient.records[0]);
    sup_json_number(&json, "records_of_all_steps", study->gradient.records[1]);
    sup_json_integer(&json, "steps_between_states", study->gradient.interval);
  }
  sup_json_begin_array(&json, "quantities");
  for (int q = 0; q < study->num_quantities; q++) put_quantity(&json, study, q);
  sup_json_end(&json);
  sup_json_begin_array(&json, "parameters");
  for (int p = 0; p < study->num_parameters; p++) put_parameter(&json, &study->parameter[p]);
  sup_json_end(&json);
  sup_json_begin_array(&json, "gradients");
  for (int q = 0; q < study->num_quantities; q++)
    for (int p = 0; p < study->num_parameters; p++) put_slope(&json, study, q, p);
  sup_json_end(&json);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_gradient_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"gradient.csv", write_csv},
                                         {"gradient.json", write_json}};
  return sup_study_write_files(study, folder, files, 2);
}
