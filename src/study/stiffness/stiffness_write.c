/* stiffness.csv and stiffness.json. */
#include <stdio.h>

#include "output/format/csv.h"
#include "study/report.h"
#include "study/stiffness/stiffness.h"

static void put_station(sup_csv *csv, const sup_stiffness *t, const sup_station *s) {
  const double place[] = {SUP_MILLI * s->radius, SUP_MILLI * s->along, SUP_MILLI * s->at.x,
                          SUP_MILLI * s->at.y,   SUP_MILLI * s->at.z,  s->axis[0].x,
                          s->axis[0].y,          s->axis[0].z};
  sup_csv_numbers(csv, place, sizeof place / sizeof *place);
  for (int c = 0; c < 3; c++) sup_csv_number(csv, s->tangent[c] / SUP_MILLI);
  sup_csv_number(csv, s->adaptivity);
  for (int k = 0; k < t->num_depths; k++) {
    sup_csv_number(csv, s->force[k]);
    sup_csv_number(csv, s->force[k] / t->depth[k] / SUP_MILLI);
  }
  if (t->num_depths > 0) sup_csv_number(csv, s->secant_along / SUP_MILLI);
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_study *study, const char *path) {
  const sup_stiffness     *t = study->stiffness;
  static const char *const heading[] = {"radius [mm]",
                                        "position [mm]",
                                        "x [mm]",
                                        "y [mm]",
                                        "z [mm]",
                                        "normal x [-]",
                                        "normal y [-]",
                                        "normal z [-]",
                                        "tangent normal [N/mm]",
                                        "tangent along [N/mm]",
                                        "tangent across [N/mm]",
                                        "adaptivity [-]"};
  sup_csv                  csv;
  char                     text[64];
  sup_csv_begin(&csv);
  for (size_t k = 0; k < sizeof heading / sizeof *heading; k++) sup_csv_text(&csv, heading[k]);
  for (int k = 0; k < t->num_depths; k++) {
    snprintf(text, sizeof text, "force at %g mm [N]", SUP_MILLI * t->depth[k]);
    sup_csv_text(&csv, text);
    snprintf(text, sizeof text, "secant at %g mm [N/mm]", SUP_MILLI * t->depth[k]);
    sup_csv_text(&csv, text);
  }
  if (t->num_depths > 0) sup_csv_text(&csv, "secant along [N/mm]");
  sup_csv_end_row(&csv);
  for (int i = 0; i < t->num; i++) put_station(&csv, t, &t->station[i]);
  return sup_csv_save(&csv, path);
}

static void put_lengths(sup_json *json, const char *name, const double *value, int num) {
  sup_json_begin_array(json, name);
  for (int k = 0; k < num; k++) sup_json_number(json, NULL, SUP_MILLI * value[k]);
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  const sup_stiffness *t = study->stiffness;
  sup_json             json;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "body", t->body);
  sup_json_text(&json, "no_tangents", t->refusal[0] ? t->refusal : NULL);
  put_lengths(&json, "radii_mm", t->radius, t->num_radii);
  put_lengths(&json, "depths_mm", t->depth, t->num_depths);
  sup_json_number(&json, "asymmetry", t->asymmetry);
  sup_json_number(&json, "residual", t->residual);
  sup_json_begin_array(&json, "warnings");
  for (int k = 0; k < t->num_warnings; k++) sup_json_text(&json, NULL, t->warning[k]);
  sup_json_end(&json);
  sup_json_end(&json);
  return sup_json_close(&json);
}

sup_status sup_stiffness_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"stiffness.csv", write_csv},
                                         {"stiffness.json", write_json}};
  return sup_study_write_files(study, folder, files, 2);
}
