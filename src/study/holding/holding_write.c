/* holding.csv and holding.json. */
#include <math.h>
#include <stdio.h>

#include "output/format/csv.h"
#include "study/design.h"
#include "study/holding/holding.h"
#include "study/report.h"

static const char *const events[] = {"grip", "slip", "peak", "loss"};

void sup_pull_name(const sup_holding *h, const sup_pull *p, char text[200]) {
  double a[3];
  for (int c = 0; c < 3; c++) a[c] = round(1e3 * p->axis[c]) / 1e3 + 0.; /* no -0 */
  snprintf(text, 200, "%.100s %s (%g, %g, %g)", h->object, p->turns ? "about" : "along", a[0], a[1],
           a[2]);
}

const char *sup_pull_end_name(sup_pull_end end) {
  static const char *const names[] = {"no grip", "lost", "travel", "load", "no equilibrium"};
  return names[end];
}

static void put_heading(sup_csv *csv, const sup_study *study) {
  static const char *const first[] = {"case",        "level", "overrides", "pull",
                                      "angle [deg]", "x",     "y",         "z"};
  static const char *const last[] = {
      "path [m or rad]",     "energy [J]",      "end",    "slip bar [N or N m]",
      "peak bar [N or N m]", "held [N or N m]", "message"};
  char text[64];
  for (int k = 0; k < 8; k++) sup_csv_text(csv, first[k]);
  for (int e = 0; e < SUP_NUM_PULL_EVENTS; e++) {
    static const char *const each[] = {"path [m or rad]", "force [N]", "moment [N m]"};
    for (int k = 0; k < 3; k++) {
      snprintf(text, sizeof text, "%s %s", events[e], each[k]);
      sup_csv_text(csv, text);
    }
  }
  for (int k = 0; k < 7; k++) sup_csv_text(csv, last[k]);
  for (int p = 0; p < study->num_parameters; p++) sup_csv_text(csv, study->parameter[p].name);
  sup_csv_end_row(csv);
}

static void put_pull(sup_csv *csv, const sup_study *study, int i) {
  const sup_holding     *h = study->holding;
  const sup_pull        *pull = &h->pull[i % h->num_pulls];
  const sup_pull_result *r = &h->result[i];
  const sup_level       *level = &study->family[0].level[i];
  int                    rungs = sup_holding_num_rungs(h);
  sup_csv_integer(csv, i / h->num_pulls / rungs + 1);
  sup_csv_integer(csv, i / h->num_pulls % rungs + 1);
  sup_csv_text(csv, level->label);
  sup_csv_text(csv, pull->turns ? "turn" : "pull");
  sup_csv_number(csv, pull->angle * 45 / atan(1));
  sup_csv_numbers(csv, pull->axis, 3);
  for (int e = 0; e < SUP_NUM_PULL_EVENTS; e++) {
    sup_csv_number(csv, r->at[e].path);
    sup_csv_number(csv, r->at[e].force);
    sup_csv_number(csv, r->at[e].moment);
  }
  sup_csv_number(csv, r->path);
  sup_csv_number(csv, r->energy);
  sup_csv_text(csv, sup_pull_end_name(r->end));
  sup_csv_number(csv, sup_pull_bar(&r->slip));
  sup_csv_number(csv, sup_pull_bar(&r->peak));
  sup_csv_number(csv, r->held);
  sup_csv_text(csv, level->message);
  for (int p = 0; p < study->num_parameters; p++)
    sup_csv_text(csv, sup_parameter_value(&study->parameter[p], level));
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_study *study, const char *path) {
  sup_csv csv;
  sup_csv_begin(&csv);
  put_heading(&csv, study);
  for (int i = 0; i < study->family[0].num_levels; i++) put_pull(&csv, study, i);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

/** The pull with the least peak of one case, on the finest level; SUP_NONE without any. */
static int weakest(const sup_holding *h, int first, int turns) {
  int    least = SUP_NONE;
  double lowest = HUGE_VAL;
  for (int i = first; i < first + h->num_pulls; i++) {
    const sup_pull *pull = &h->pull[i % h->num_pulls];
    double          load = sup_pull_load(pull, &h->result[i].at[SUP_PULL_PEAK]);
    if (pull->turns == turns && load < lowest) least = i, lowest = load;
  }
  return least;
}

static void put_weakest(sup_json *json, const sup_study *study, int first, int turns) {
  const sup_holding *h = study->holding;
  int                i = weakest(h, first, turns);
  char               name[200];
  if (i == SUP_NONE) return;
  const sup_pull *pull = &h->pull[i % h->num_pulls];
  sup_pull_name(h, pull, name);
  sup_json_begin_object(json, turns ? "weakest_turn" : "weakest_pull");
  sup_json_text(json, "name", name);
  sup_json_number(json, turns ? "moment" : "force",
                  sup_pull_load(pull, &h->result[i].at[SUP_PULL_PEAK]));
  sup_json_number(json, "bar", sup_pull_bar(&h->result[i].peak));
  sup_json_end(json);
}

static void put_grasp(sup_json *json, const sup_grasp *grasp) {
  sup_json_begin_object(json, "grasp");
  sup_json_integer(json, "contacts", grasp->num);
  sup_json_number(json, "load", grasp->load);
  sup_json_number(json, "length", grasp->length);
  sup_json_number(json, "epsilon", grasp->epsilon);
  sup_json_number(json, "guide", grasp->guide);
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  const sup_holding *h = study->holding;
  int                rungs = sup_holding_num_rungs(h);
  sup_json           json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "object", h->object);
  sup_json_number(&json, "slip_share", h->slip_share);
  sup_json_integer(&json, "pulls", h->num_pulls);
  sup_json_integer(&json, "levels", rungs);
  sup_json_begin_array(&json, "cases");
  for (int c = 0; c < h->num_cases; c++) {
    int finest = (c * rungs + rungs - 1) * h->num_pulls;
    sup_json_begin_object(&json, NULL);
    sup_json_begin_object(&json, "parameters");
    for (int p = 0; p < study->num_parameters; p++)
      sup_json_text(&json, study->parameter[p].name,
                    sup_parameter_value(&study->parameter[p], &study->family[0].level[finest]));
    sup_json_end(&json);
    if (study->is_static) put_grasp(&json, &h->grasp[c]);
    put_weakest(&json, study, finest, 0);
    put_weakest(&json, study, finest, 1);
    sup_json_end(&json);
  }
  sup_json_end(&json);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_holding_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"holding.csv", write_csv}, {"holding.json", write_json}};
  return sup_study_write_files(study, folder, files, 2);
}
