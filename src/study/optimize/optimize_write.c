/* optimize.csv and optimize.json. */
#include <math.h>
#include <stdio.h>

#include "base/file/file.h"
#include "output/format/csv.h"
#include "study/optimize/optimize.h"
#include "study/report.h"

enum { NAME_SIZE = 2 * SUP_NAME_MAX + SUP_UNIT_SIZE };

/* ---- the log --------------------------------------------------------------------------------- */

static void put_name(sup_csv *csv, const char *name, const char *unit) {
  char text[NAME_SIZE];
  snprintf(text, sizeof text, "%s [%s]", name, unit[0] ? unit : "-");
  sup_csv_text(csv, text);
}

static void put_heading(sup_csv *csv, const sup_study *study) {
  sup_csv_text(csv, "evaluation");
  sup_csv_text(csv, "start");
  sup_csv_text(csv, "derivatives");
  for (int p = 0; p < study->num_parameters; p++)
    put_name(csv, study->parameter[p].name, study->parameter[p].unit);
  for (int q = 0; q < study->num_quantities; q++)
    put_name(csv, study->quantity[q].name, study->quantity[q].unit);
  sup_csv_text(csv, "objective");
  for (int k = 0; k < study->optimize->num_requirements; k++) {
    char name[NAME_SIZE], text[NAME_SIZE + 16];
    sup_requirement_name(study, k, name, sizeof name);
    snprintf(text, sizeof text, "excess of %s [-]", name);
    sup_csv_text(csv, text);
  }
  sup_csv_text(csv, "violation [-]");
  sup_csv_text(csv, "failure");
  sup_csv_end_row(csv);
}

static void put_response(sup_csv *csv, const sup_study *study, int index) {
  const sup_response *r = &study->optimize->responses.list[index];
  sup_csv_integer(csv, index + 1);
  sup_csv_integer(csv, r->start + 1);
  sup_csv_integer(csv, r->has_gradient);
  sup_csv_numbers(csv, r->x, study->num_parameters);
  sup_csv_numbers(csv, r->value, study->num_quantities);
  sup_csv_number(csv, sup_optimize_objective(study, r));
  for (int k = 0; k < study->optimize->num_requirements; k++)
    sup_csv_number(csv, r->is_there ? sup_optimize_excess(study, r, k) : SUP_NO_NUMBER);
  sup_csv_number(csv, sup_optimize_violation(study, r));
  sup_csv_text(csv, r->message);
  sup_csv_end_row(csv);
}

sup_status sup_optimize_write_log(const sup_study *study, const char *folder) {
  char    path[SUP_STUDY_PATH_SIZE];
  sup_csv csv;
  SUP_TRY(sup_make_folder(folder));
  snprintf(path, sizeof path, "%.3900s/optimize.csv", folder);
  sup_csv_begin(&csv);
  csv.digits = 0;
  put_heading(&csv, study);
  for (int i = 0; i < study->optimize->responses.num; i++) put_response(&csv, study, i);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

static void put_parameter(sup_json *json, const sup_study *study, int p) {
  const sup_parameter *parameter = &study->parameter[p];
  const sup_optimize  *o = study->optimize;
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", parameter->name);
  sup_json_text(json, "unit", parameter->unit);
  sup_json_number(json, "low", parameter->low);
  sup_json_number(json, "high", parameter->high);
  sup_json_number(json, "width", parameter->width);
  sup_json_number(json, "start", o->start[0].x[p]);
  sup_json_number(json, "best",
                  o->best == SUP_NONE ? SUP_NO_NUMBER : o->responses.list[o->best].x[p]);
  sup_json_end(json);
}

static void put_quantity(sup_json *json, const sup_study *study, int q) {
  const sup_optimize *o = study->optimize;
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "name", study->quantity[q].name);
  sup_json_text(json, "unit", study->quantity[q].unit);
  sup_json_number(json, "weight", o->weight[q]);
  sup_json_number(json, "start", o->responses.list[0].value[q]);
  sup_json_number(json, "best",
                  o->best == SUP_NONE ? SUP_NO_NUMBER : o->responses.list[o->best].value[q]);
  sup_json_end(json);
}

static void put_limit(sup_json *json, const sup_study *study, int k) {
  const sup_requirement *l = &study->optimize->requirement[k];
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "quantity", study->quantity[l->quantity].name);
  sup_json_text(json, "kind", l->is_least ? "at least" : "at most");
  sup_json_number(json, "bound", l->bound);
  sup_json_end(json);
}

static void put_start(sup_json *json, const sup_study *study, int i) {
  const sup_start    *start = &study->optimize->start[i];
  const sup_response *list = study->optimize->responses.list;
  sup_json_begin_object(json, NULL);
  sup_json_text(json, "end", sup_optimizer_end_text(start->report.end));
  sup_json_integer(json, "evaluations", start->report.evaluations);
  sup_json_integer(json, "rounds", start->report.rounds);
  sup_json_begin_array(json, "from");
  for (int p = 0; p < study->num_parameters; p++) sup_json_number(json, NULL, start->x[p]);
  sup_json_end(json);
  if (start->best != SUP_NONE) {
    sup_json_integer(json, "best_evaluation", start->best + 1);
    sup_json_number(json, "objective", sup_optimize_objective(study, &list[start->best]));
    sup_json_number(json, "violation", sup_optimize_violation(study, &list[start->best]));
  }
  sup_json_end(json);
}

static void put_all(sup_json *json, const sup_study *study, const char *key, int num,
                    void (*put)(sup_json *json, const sup_study *study, int i)) {
  sup_json_begin_array(json, key);
  for (int i = 0; i < num; i++) put(json, study, i);
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  const sup_optimize *o = study->optimize;
  char                objective[SUP_VERDICT_SIZE];
  sup_json            json;
  sup_optimize_name(study, objective, sizeof objective);
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "objective", objective);
  sup_json_text(&json, "unit", sup_optimize_unit(study));
  sup_json_text(&json, "goal", o->is_greatest ? "maximize" : "minimize");
  sup_json_number(&json, "feasible", o->feasible);
  sup_json_integer(&json, "evaluations", o->responses.num);
  sup_json_integer(&json, "runs", o->responses.runs);
  sup_json_integer(&json, "best_evaluation", o->best == SUP_NONE ? 0 : o->best + 1);
  put_all(&json, study, "parameters", study->num_parameters, put_parameter);
  put_all(&json, study, "quantities", study->num_quantities, put_quantity);
  put_all(&json, study, "constraints", o->num_requirements, put_limit);
  put_all(&json, study, "starts", o->num_starts, put_start);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_optimize_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"optimize.json", write_json}};
  return sup_study_write_files(study, folder, files, 1);
}
