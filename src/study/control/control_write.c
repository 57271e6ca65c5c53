/* control.csv, iterations.csv, gains.csv and control.json. */
#include <stdio.h>
#include <string.h>

#include "output/format/csv.h"
#include "scene/scene.h"
#include "study/control/control.h"
#include "study/report.h"

void sup_control_name(const sup_control_study *c, int i, char text[3 * SUP_NAME_MAX]) {
  snprintf(text, 3 * SUP_NAME_MAX, "%s.%s", c->controls[i].name,
           c->controls[i].kind == SUP_CONTROL_EFFORT ? "effort" : "target");
}

static sup_status write_controls(const sup_study *study, const char *path) {
  const sup_control_study *c = study->control;
  sup_csv                  csv;
  char                     name[3 * SUP_NAME_MAX];
  sup_csv_begin(&csv);
  csv.digits = 0;
  sup_csv_text(&csv, "time");
  for (int i = 0; i < c->num_controls; i++) {
    sup_control_name(c, i, name);
    sup_csv_text(&csv, name);
  }
  for (int i = 0; i < c->num_terms; i++) sup_csv_text(&csv, c->term_name[i]);
  sup_csv_end_row(&csv);
  for (int k = 0; k <= c->num_steps; k++) {
    sup_csv_number(&csv, k * c->scene->options.dt);
    for (int i = 0; i < c->num_controls; i++)
      sup_csv_number(&csv, k < c->num_steps ? c->u[k * c->num_controls + i] : SUP_NO_NUMBER);
    sup_csv_numbers(&csv, c->y + k * c->num_terms, c->num_terms);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static sup_status write_iterations(const sup_study *study, const char *path) {
  const sup_control_study *c = study->control;
  static const char *const heading[] = {"iteration", "cost", "decrease", "step"};
  sup_csv                  csv;
  sup_csv_begin(&csv);
  csv.digits = 0;
  for (int k = 0; k < 4; k++) sup_csv_text(&csv, heading[k]);
  sup_csv_end_row(&csv);
  for (int k = 0; k <= c->num_iterations; k++) {
    const double start[3] = {c->first, SUP_NO_NUMBER, SUP_NO_NUMBER};
    sup_csv_integer(&csv, k);
    sup_csv_numbers(&csv, k > 0 ? c->history + 3 * (k - 1) : start, 3);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

/** Headings of dx: positions, then velocities, joint after joint. */
static void put_coordinates(sup_csv *csv, const sup_model *model) {
  char name[3 * SUP_NAME_MAX];
  for (int half = 0; half < 2; half++)
    for (int t = 0; t < model->num_trees; t++)
      for (int l = 0; l < model->tree[t]->num_links; l++)
        for (int k = 0; k < model->tree[t]->links[l].nv; k++) {
          const sup_tree_link *link = &model->tree[t]->links[l];
          snprintf(name, sizeof name, "%s/%s.%s%d", model->tree[t]->name,
                   link->joint_name[0] ? link->joint_name : link->name, half ? "v" : "q", k + 1);
          sup_csv_text(csv, name);
        }
}

static sup_status write_gains(const sup_study *study, const char *path) {
  const sup_control_study *c = study->control;
  sup_csv                  csv;
  char                     name[3 * SUP_NAME_MAX];
  int                      num_x = 2 * c->model->v_start[c->model->num_trees];
  if (!c->gains) return SUP_OK;
  sup_csv_begin(&csv);
  csv.digits = 0;
  sup_csv_text(&csv, "step");
  sup_csv_text(&csv, "control");
  put_coordinates(&csv, c->model);
  sup_csv_end_row(&csv);
  for (int k = 0; k < c->num_steps * c->num_controls; k++) {
    sup_control_name(c, k % c->num_controls, name);
    sup_csv_integer(&csv, k / c->num_controls);
    sup_csv_text(&csv, name);
    sup_csv_numbers(&csv, c->gains + (size_t)k * (size_t)num_x, num_x);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static void put_terms(sup_json *json, const sup_control_study *c) {
  sup_json_begin_array(json, "terms");
  for (int i = 0; i < c->num_terms; i++) {
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "name", c->term_name[i]);
    sup_json_number(json, "target", c->terms[i].target);
    sup_json_number(json, "start", c->y[i]);
    sup_json_number(json, "end", c->y[c->num_steps * c->num_terms + i]);
    sup_json_number(json, "weight", c->terms[i].weight);
    sup_json_number(json, "final", c->terms[i].final);
    sup_json_end(json);
  }
  sup_json_end(json);
}

static void put_controls(sup_json *json, const sup_control_study *c) {
  char name[3 * SUP_NAME_MAX];
  sup_json_begin_array(json, "controls");
  for (int i = 0; i < c->num_controls; i++) {
    sup_control_name(c, i, name);
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "name", name);
    sup_json_number(json, "low", c->low[i]);
    sup_json_number(json, "high", c->high[i]);
    sup_json_end(json);
  }
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  static const char *const reasons[] = {"converged", "iterations", "stalled"};
  const sup_control_study *c = study->control;
  sup_json                 json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "reason", reasons[c->report.reason]);
  sup_json_integer(&json, "steps", c->num_steps);
  sup_json_integer(&json, "iterations", c->num_iterations);
  sup_json_number(&json, "cost_first", c->first);
  sup_json_number(&json, "cost", c->cost);
  sup_json_integer(&json, "rollouts", c->num_rollouts);
  sup_json_integer(&json, "linearisations", c->num_linearisations);
  sup_json_number(&json, "seconds_a_rollout", c->seconds_rollouts / c->num_rollouts);
  sup_json_number(&json, "seconds_a_linearisation", c->seconds_derivatives / c->num_linearisations);
  put_controls(&json, c);
  put_terms(&json, c);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_control_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"control.csv", write_controls},
                                         {"iterations.csv", write_iterations},
                                         {"gains.csv", write_gains},
                                         {"control.json", write_json}};
  return sup_study_write_files(study, folder, files, 4);
}
