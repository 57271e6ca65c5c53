#include "output/mode_file.h"

#include <math.h>
#include <stdio.h>

#include "base/file/folder_lock.h"
#include "output/format/csv.h"
#include "output/format/json.h"
#include "output/frame.h"
#include "output/numerics.h"
#include "output/paraview.h"

#define PI 3.14159265358979323846

static const char *const axis_name[3] = {"x", "y", "z"};

/** Diagonal of the box about all bodies [m]. */
static double size_of(const sup_observation *obs) {
  const sup_model *model = obs->model;
  double           low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3], sum = 0;
  for (int c = 0; c < 3; c++) high[c] = -HUGE_VAL;
  for (int a = 0; a < 3 * model->num_vertices; a++)
    low[a % 3] = fmin(low[a % 3], obs->x[a]), high[a % 3] = fmax(high[a % 3], obs->x[a]);
  for (int b = 0; b < model->num_bodies; b++) {
    double p[3];
    sup_v3_store(p, obs->X_WL[b].p);
    for (int c = 0; c < 3 && model->body[b].soft == SUP_NONE; c++)
      low[c] = fmin(low[c], p[c]), high[c] = fmax(high[c], p[c]);
  }
  for (int c = 0; c < 3; c++) sum += (high[c] - low[c]) * (high[c] - low[c]);
  return sum > 0 && isfinite(sum) ? sqrt(sum) : 1;
}

/** The frames, and their modes as a history. */
static sup_status write_frames(const sup_modes *modes, sup_observation *obs, sup_frames *frames,
                               sup_csv *history, sup_state *state) {
  enum { FRAMES = 16 }; /* of a period */
  double size = sup_output_numerics.mode_size * size_of(obs);
  sup_csv_text(history, "time");
  sup_csv_text(history, "mode");
  sup_csv_text(history, modes->is_buckling ? "load_factor" : "frequency");
  sup_csv_end_row(history);
  for (int k = 0; k < modes->num; k++)
    for (int f = 0; f < FRAMES; f++) {
      double phase = (double)f / FRAMES;
      SUP_TRY(sup_modes_displace(modes, k, size * sin(2 * PI * phase), state));
      sup_observation_update(obs, state, NULL);
      SUP_TRY(sup_frames_write(frames, obs, k + 1 + phase, NULL));
      sup_csv_number(history, k + 1 + phase);
      sup_csv_integer(history, k + 1);
      sup_csv_number(history,
                     modes->is_buckling ? modes->mode[k].omega2 : modes->mode[k].frequency);
      sup_csv_end_row(history);
    }
  return SUP_OK;
}

static sup_status write_vtk(const sup_modes *modes, const sup_model *model,
                            const sup_options *options, const sup_output_def *def,
                            const char *folder, const char *title, sup_state *state) {
  SUP_OWN_VALUE(sup_observation) obs = {0};
  sup_frames                     frames;
  sup_csv                        history;
  char                           path[4096];
  bool                           is_first = sup_is_first_rank(model->ranks);
  sup_status                     status = SUP_OK;
  snprintf(path, sizeof path, "%s/vtk", folder);
  SUP_TRY(sup_observation_create(&obs, model, options));
  sup_observation_update(&obs, state, NULL);
  if (is_first) status = sup_series_remove_all(path);
  SUP_TRY(sup_agree(model->ranks, status));
  SUP_TRY(sup_frames_create(&frames, &obs, path, title, def, NULL));
  sup_csv_begin(&history);
  status = write_frames(modes, &obs, &frames, &history, state);
  sup_frames_free(&frames);
  snprintf(path, sizeof path, "%s/history.csv", folder);
  if (status == SUP_OK && is_first)
    status = sup_csv_save(&history, path);
  else
    sup_csv_close(&history);
  SUP_TRY(status);
  return is_first ? sup_paraview_write(folder) : SUP_OK;
}

static void put_heads(sup_csv *csv, const sup_modes *modes) {
  sup_csv_text(csv, "mode");
  if (modes->is_buckling) {
    sup_csv_text(csv, "load_factor");
  } else {
    const char *const heads[] = {"frequency[Hz]", "period[s]", "damping_ratio"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) sup_csv_text(csv, heads[i]);
    for (int c = 0; c < 3; c++) {
      char head[40];
      snprintf(head, sizeof head, "effective_mass_%s[kg]", axis_name[c]);
      sup_csv_text(csv, head);
    }
  }
  sup_csv_text(csv, "body");
  sup_csv_text(csv, "share_of_body");
  sup_csv_text(csv, "residual");
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_modes *modes, const sup_model *model, const char *folder) {
  sup_csv csv;
  char    path[4096];
  snprintf(path, sizeof path, "%s/modes.csv", folder);
  sup_csv_begin(&csv);
  put_heads(&csv, modes);
  for (int k = 0; k < modes->num; k++) {
    const sup_mode *mode = &modes->mode[k];
    sup_csv_integer(&csv, k + 1);
    if (modes->is_buckling) {
      sup_csv_number(&csv, mode->omega2);
    } else {
      sup_csv_number(&csv, mode->frequency);
      sup_csv_number(&csv, 1 / mode->frequency);
      sup_csv_number(&csv, mode->damping);
      sup_csv_numbers(&csv, mode->mass, 3);
    }
    sup_csv_text(&csv, sup_mode_body_name(model, mode->body));
    sup_csv_number(&csv, mode->share);
    sup_csv_number(&csv, mode->residual);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static void put_mode(sup_json *json, const sup_modes *modes, const sup_model *model, int k) {
  const sup_mode *mode = &modes->mode[k];
  sup_json_begin_object(json, NULL);
  if (modes->is_buckling) {
    sup_json_number(json, "load_factor", mode->omega2);
  } else {
    sup_json_number(json, "frequency", mode->frequency);
    sup_json_number(json, "damping_ratio", mode->damping);
    sup_json_begin_array(json, "effective_mass");
    for (int c = 0; c < 3; c++) sup_json_number(json, NULL, mode->mass[c]);
    sup_json_end(json);
  }
  sup_json_text(json, "body", sup_mode_body_name(model, mode->body));
  sup_json_end(json);
}

static sup_status write_summary(const sup_modes *modes, const sup_model *model, const char *folder,
                                const char *title) {
  sup_json json;
  char     path[4096];
  snprintf(path, sizeof path, "%s/summary.json", folder);
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "title", title);
  sup_json_integer(&json, "unknowns", modes->unknowns);
  sup_json_number(&json, "mass", modes->mass);
  sup_json_number(&json, "counted_below", modes->bound);
  sup_json_integer(&json, "count", modes->below);
  sup_json_begin_array(&json, "modes");
  for (int k = 0; k < modes->num; k++) put_mode(&json, modes, model, k);
  sup_json_end(&json);
  sup_json_end(&json);
  return sup_json_close(&json);
}

sup_status sup_modes_write(const sup_modes *modes, const sup_model *model,
                           const sup_options *options, const sup_output_def *def,
                           const char *folder, const char *title, sup_state *state) {
  if (def->format != SUP_VTK_NONE)
    SUP_TRY(write_vtk(modes, model, options, def, folder, title, state));
  if (!sup_is_first_rank(model->ranks)) return SUP_OK;
  SUP_TRY(write_csv(modes, model, folder));
  return write_summary(modes, model, folder, title);
}
