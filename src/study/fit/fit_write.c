/* fit.json, fit.csv and residuals.csv. */
#include <math.h>
#include <stdio.h>

#include "output/format/csv.h"
#include "study/fit/fit.h"
#include "study/report.h"

static sup_status write_parameters(const sup_study *study, const char *path) {
  static const char *const heading[] = {"parameter",
                                        "unit",
                                        "value",
                                        "from_95",
                                        "to_95",
                                        "half_width_scatter",
                                        "half_width_residuals",
                                        "low",
                                        "high",
                                        "remark"};
  const sup_fit           *fit = study->fit;
  sup_csv                  csv;
  sup_csv_begin(&csv);
  for (size_t k = 0; k < sizeof heading / sizeof *heading; k++) sup_csv_text(&csv, heading[k]);
  sup_csv_end_row(&csv);
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    char                 remark[SUP_FIT_TEXT_SIZE];
    sup_fit_remark(study, p, remark);
    sup_csv_text(&csv, parameter->name);
    sup_csv_text(&csv, parameter->unit[0] ? parameter->unit : "-");
    sup_csv_number(&csv, parameter->value);
    sup_csv_number(&csv, fit->from[p]);
    sup_csv_number(&csv, fit->to[p]);
    sup_csv_number(&csv, fit->size[p] * fit->statistics.by_scatter[p]);
    sup_csv_number(&csv, fit->size[p] * fit->statistics.by_residuals[p]);
    sup_csv_number(&csv, parameter->low);
    sup_csv_number(&csv, parameter->high);
    sup_csv_text(&csv, remark);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static sup_status write_residuals(const sup_study *study, const char *path) {
  const sup_fit           *fit = study->fit;
  static const char *const heading[] = {"experiment", "fitted", "x",       "measured",
                                        "scatter",    "found",  "residual"};
  sup_csv                  csv;
  sup_csv_begin(&csv);
  for (size_t k = 0; k < sizeof heading / sizeof *heading; k++) sup_csv_text(&csv, heading[k]);
  sup_csv_end_row(&csv);
  for (int k = 0; k < fit->num_experiments; k++) {
    const sup_experiment *e = &fit->experiment[k];
    for (int i = 0; i < e->num; i++) {
      double row[] = {e->measured_x[i], e->measured_y[i], e->deviation[i], e->found_y[i],
                      e->found_y[i] - e->measured_y[i]};
      sup_csv_text(&csv, e->name);
      sup_csv_integer(&csv, !e->is_held_back);
      sup_csv_numbers(&csv, row, sizeof row / sizeof *row);
      sup_csv_end_row(&csv);
    }
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static void put_numbers(sup_json *json, const char *key, int num, const double *value) {
  sup_json_begin_array(json, key);
  for (int i = 0; i < num; i++) sup_json_number(json, NULL, value[i]);
  sup_json_end(json);
}

static void put_parameter(sup_json *json, const sup_study *study, int p) {
  const sup_fit_statistics *s = &study->fit->statistics;
  int                       n = study->num_parameters;
  char                      remark[SUP_FIT_TEXT_SIZE];
  sup_fit_remark(study, p, remark);
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", study->parameter[p].name);
  sup_json_text(json, "unit", study->parameter[p].unit);
  sup_json_number(json, "value", study->parameter[p].value);
  sup_json_number(json, "from_95", study->fit->from[p]);
  sup_json_number(json, "to_95", study->fit->to[p]);
  sup_json_number(json, "half_width_scatter", study->fit->size[p] * s->by_scatter[p]);
  sup_json_number(json, "half_width_residuals", study->fit->size[p] * s->by_residuals[p]);
  put_numbers(json, "correlation", n, s->correlation + p * n);
  sup_json_text(json, "remark", remark);
  sup_json_end(json);
}

/** Column of y, or "|A.fx, A.fy|" of a vector's length. */
static void name_y(const sup_experiment *e, char *text, size_t size) {
  size_t used = 0;
  for (int k = 0; k < e->num_y && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%s%s",
                             k              ? ", "
                             : e->num_y > 1 ? "|"
                                            : "",
                             e->y[k].source, k > 0 && k == e->num_y - 1 ? "|" : "");
}

static void put_experiment(sup_json *json, const sup_experiment *e) {
  char   label[SUP_FIT_TEXT_SIZE];
  double largest, error = sup_experiment_error(e, &largest);
  name_y(e, label, sizeof label);
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", e->name);
  sup_json_text(json, "data", e->data);
  sup_json_integer(json, "fitted", !e->is_held_back);
  sup_json_text(json, "x", e->x.source);
  sup_json_text(json, "x_unit", e->x.unit);
  sup_json_text(json, "y", label);
  sup_json_text(json, "y_unit", e->y[0].unit);
  sup_json_number(json, "relative_error", error);
  sup_json_number(json, "largest_relative_error", largest);
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  const sup_fit            *fit = study->fit;
  const sup_fit_statistics *s = &fit->statistics;
  int                       n = study->num_parameters;
  sup_json                  json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_integer(&json, "converged", fit->is_converged);
  sup_json_integer(&json, "steps", fit->steps);
  sup_json_integer(&json, "runs", fit->runs);
  sup_json_number(&json, "start_sum_of_squares", 2 * fit->start_cost);
  sup_json_number(&json, "sum_of_squares", s->chi_square);
  sup_json_number(&json, "degrees_of_freedom", s->degrees);
  sup_json_begin_array(&json, "parameters");
  for (int p = 0; p < n; p++) put_parameter(&json, study, p);
  sup_json_end(&json);
  put_numbers(&json, "singular_values", n, s->singular);
  sup_json_begin_array(&json, "directions");
  for (int k = 0; k < n; k++) put_numbers(&json, NULL, n, s->direction + k * n);
  sup_json_end(&json);
  sup_json_begin_array(&json, "experiments");
  for (int i = 0; i < fit->num_experiments; i++) put_experiment(&json, &fit->experiment[i]);
  sup_json_end(&json);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_fit_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {
      {"fit.csv", write_parameters}, {"residuals.csv", write_residuals}, {"fit.json", write_json}};
  return sup_study_write_files(study, folder, files, 3);
}
