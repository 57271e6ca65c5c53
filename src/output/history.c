#include "output/history.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

/** Bodies of the `rigid:` section carry their tree's plain name; links are "ROBOT/LINK". */
static int is_robot(const sup_model *model, int tree) {
  return strchr(model->body[model->tree_body[tree]].name, '/') != NULL;
}

static int has_pose(const sup_model *model, int body) {
  const sup_body *b = &model->body[body];
  if (b->soft != SUP_NONE) return 0;
  return !is_robot(model, b->tree) || model->tree[b->tree]->links[b->link].joint == SUP_JOINT_FLOATING;
}

static int has_joint_columns(const sup_model *model, int tree, int link) {
  return is_robot(model, tree) && model->tree[tree]->links[link].nv == 1;
}

/* ---- headers ------------------------------------------------------------------------------------------------------
 */

static void name_columns(sup_csv *csv, const char *prefix, const char *const *suffix) {
  char name[8 * SUP_NAME_MAX];
  for (; *suffix; suffix++) {
    snprintf(name, sizeof name, "%s.%s", prefix, *suffix);
    sup_csv_text(csv, name);
  }
}

static void name_body_columns(sup_csv *csv, const sup_model *model) {
  static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", NULL};
  static const char *const joint[] = {"q", "v", "tau", NULL};
  static const char *const soft[] = {"com_x",         "com_y",         "com_z",        "volume", "elastic_energy",
                                     "von_mises_max", "von_mises_p99", "stress_error", NULL};
  static const char *const error[] = {"error_l2", "error_h1", NULL};
  char                     prefix[4 * SUP_NAME_MAX];
  for (int b = 0; b < model->num_bodies; b++)
    if (has_pose(model, b)) name_columns(csv, model->body[b].name, pose);
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      if (!has_joint_columns(model, t, l)) continue;
      snprintf(prefix, sizeof prefix, "%s.%s", model->tree[t]->name, model->tree[t]->links[l].joint_name);
      name_columns(csv, prefix, joint);
    }
  for (int s = 0; s < model->num_softs; s++) {
    name_columns(csv, model->soft[s].name, soft);
    if (model->soft[s].body_force) name_columns(csv, model->soft[s].name, error);
  }
}

static void name_all_columns(sup_csv *csv, const sup_model *model, const sup_output_def *def) {
  static const char *const pair[] = {"fx",   "fy",          "fz",  "tx",  "ty",  "tz",   "count",
                                     "area", "penetration", "cpx", "cpy", "cpz", "wrap", NULL};
  static const char *const self[] = {"fn", "count", "area", "penetration", NULL};
  static const char *const certificate[] = {"ncp_primal",   "ncp_dual",        "ncp_complementarity",
                                            "friction_lag", "stick_speed_max", "friction_work_max"};
  static const char *const energy[] = {"kinetic", "elastic", "potential", "contact", NULL};
  static const char *const soft_energy[] = {"damping", "numerical_dissipation", NULL};
  static const char *const wrench[] = {"fx", "fy", "fz", "tx", "ty", "tz", NULL};
  static const char *const point[] = {"x", "y", "z", NULL};
  char                     prefix[6 * SUP_NAME_MAX];
  sup_csv_text(csv, "time");
  name_body_columns(csv, model);
  for (int i = 0; i < def->num_pairs; i++) {
    snprintf(prefix, sizeof prefix, "contact.%s.%s", def->pair[i][0], def->pair[i][1]);
    name_columns(csv, prefix, strcmp(def->pair[i][0], def->pair[i][1]) == 0 ? self : pair);
  }
  name_columns(csv, "energy", energy);
  if (model->num_softs > 0) name_columns(csv, "energy", soft_energy);
  sup_csv_text(csv, "newton");
  sup_csv_text(csv, "momentum_error");
  sup_csv_text(csv, "momentum_residual");
  for (size_t i = 0; i < sizeof certificate / sizeof *certificate && model->options.certificate; i++)
    sup_csv_text(csv, certificate[i]);
  if (model->options.report_condition) sup_csv_text(csv, "condition");
  for (int s = 0; s < model->num_softs; s++) {
    if (model->soft[s].attach_tree == SUP_NONE) continue;
    snprintf(prefix, sizeof prefix, "attach.%s", model->soft[s].name);
    name_columns(csv, prefix, wrench);
  }
  for (int s = 0; s < model->num_softs; s++)
    for (int k = 0; k < model->soft[s].num_holds; k++) {
      snprintf(prefix, sizeof prefix, "reaction.%s.%s", model->soft[s].name, model->soft[s].hold[k].name);
      name_columns(csv, prefix, wrench);
    }
  for (int i = 0; i < def->num_probes; i++) {
    snprintf(prefix, sizeof prefix, "probe.%s", def->probes[i].name);
    name_columns(csv, prefix, point);
  }
  sup_csv_end_row(csv);
}

sup_status sup_history_columns(const sup_model *model, const sup_output_def *def, char **line) {
  sup_csv csv = {.file = -1};
  name_all_columns(&csv, model, def);
  sup_status status = csv.status;
  *line = NULL;
  if (status == SUP_OK) {
    csv.text[csv.used - 1] = '\0'; /* for the end of the line */
    *line = csv.text, csv.text = NULL;
  }
  sup_csv_close(&csv);
  return status;
}

static void name_contact_columns(sup_csv *csv) {
  static const char *const name[] = {"time", "a",  "b",  "fx",    "fy",   "fz",
                                     "tx",   "ty", "tz", "count", "area", "penetration"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) sup_csv_text(csv, name[i]);
  sup_csv_end_row(csv);
}

/* ---- creation -----------------------------------------------------------------------------------------------------
 */

static int is_all(const char *name) { return strcmp(name, SUP_OUTPUT_ALL) == 0; }

sup_status sup_history_check(const sup_model *model, const sup_output_def *def) {
  sup_probe probe;
  for (int i = 0; i < def->num_pairs; i++) {
    int body[2] = {SUP_NONE, SUP_NONE};
    for (int k = is_all(def->pair[i][0]); k < 2; k++)
      SUP_TRY(sup_output_find_body(&body[k], model, def->pair[i][k], "output pairs"));
    if (body[0] == body[1] && model->body[body[0]].soft == SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "output pairs: '%s' is paired with itself; only soft bodies can touch themselves",
                      def->pair[i][0]);
  }
  for (int i = 0; i < def->num_probes; i++) SUP_TRY(sup_probe_find(&probe, model, &def->probes[i]));
  return SUP_OK;
}

/** Two bodies that the model knows. */
static sup_history_pair resolve_pair(const sup_observation *obs, char (*name)[2 * SUP_NAME_MAX]) {
  int a = sup_model_find_body(obs->model, name[0]), b = sup_model_find_body(obs->model, name[1]);
  if (is_all(name[0])) return (sup_history_pair){.a = SUP_NONE, .b = b, .pair = SUP_NONE};
  sup_history_pair pair = {.a = a, .b = b, .pair = sup_observation_find_pair(obs, a, b)};
  pair.b_is_first = pair.pair != SUP_NONE && obs->pair[pair.pair].a == b;
  if (pair.pair == SUP_NONE)
    sup_log(SUP_LOG_WARNING, "output pairs: '%s' and '%s' never touch in this scene; their columns stay zero", name[0],
            name[1]);
  return pair;
}

static sup_status open_in(sup_csv *csv, const char *folder, const char *name) {
  char path[4096];
  int  length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof path) return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  SUP_TRY(sup_csv_open(csv, path));
  return SUP_OK;
}

sup_status sup_history_create(sup_history *history, const sup_observation *obs, const char *folder,
                              const sup_output_def *def) {
  *history = (sup_history){.num_pairs = def->num_pairs, .num_probes = def->num_probes};
  history->rows.file = history->contacts.file = -1;
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(history->pair, def->num_pairs), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(history->probe, def->num_probes), status, fail);
  for (int i = 0; i < def->num_pairs; i++) history->pair[i] = resolve_pair(obs, def->pair[i]);
  for (int i = 0; i < def->num_probes; i++)
    SUP_TRY_GOTO(sup_probe_find(&history->probe[i], obs->model, &def->probes[i]), status, fail);
  SUP_TRY_GOTO(open_in(&history->rows, folder, "history.csv"), status, fail);
  SUP_TRY_GOTO(open_in(&history->contacts, folder, "contacts.csv"), status, fail);
  name_all_columns(&history->rows, obs->model, def);
  name_contact_columns(&history->contacts);
  SUP_TRY_GOTO(sup_csv_flush(&history->rows), status, fail);
  SUP_TRY_GOTO(sup_csv_flush(&history->contacts), status, fail);
  return SUP_OK;
fail:
  sup_history_free(history);
  return status;
}

void sup_history_free(sup_history *history) {
  sup_csv_close(&history->rows);
  sup_csv_close(&history->contacts);
  SUP_FREE(history->pair);
  SUP_FREE(history->probe);
  history->num_pairs = history->num_probes = 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static void put_v3(sup_csv *csv, sup_v3 a) {
  sup_csv_number(csv, a.x);
  sup_csv_number(csv, a.y);
  sup_csv_number(csv, a.z);
}

static void put_poses(sup_csv *csv, const sup_observation *obs) {
  for (int b = 0; b < obs->model->num_bodies; b++) {
    if (!has_pose(obs->model, b)) continue;
    sup_pose pose = sup_pose_from_frame(&obs->X_WL[b]);
    sup_csv_numbers(csv, pose.p, 3);
    sup_csv_numbers(csv, pose.q, 4);
    put_v3(csv, obs->velocity[b]);
    put_v3(csv, obs->w[b]);
  }
}

static void put_joints(sup_csv *csv, const sup_observation *obs) {
  const sup_model *model = obs->model;
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      if (!has_joint_columns(model, t, l)) continue;
      int q = sup_model_link_q(model, t, l), v = sup_model_link_v(model, t, l);
      sup_csv_number(csv, obs->q[q]);
      sup_csv_number(csv, obs->v[v]);
      sup_csv_number(csv, obs->joint_effort[v]);
    }
}

static void put_pair(sup_csv *csv, const sup_pair_sum *sum, int b_is_first) {
  put_v3(csv, b_is_first ? sup_v3_scale(-1, sum->force) : sum->force);
  put_v3(csv, b_is_first ? sum->moment_a : sum->moment_b);
  sup_csv_integer(csv, sum->count);
  sup_csv_number(csv, sum->area);
  sup_csv_number(csv, sum->penetration);
}

/** What a soft body does to itself: forces cancel. */
static void put_self(sup_csv *csv, const sup_pair_sum *sum) {
  sup_csv_number(csv, sum->normal);
  sup_csv_integer(csv, sum->count);
  sup_csv_number(csv, sum->area);
  sup_csv_number(csv, sum->penetration);
}

static void put_arc(sup_csv *csv, const sup_observation *obs, const sup_history_pair *pair) {
  const double degree = atan(1) / 45;
  sup_pair_arc arc = sup_observation_arc(obs, pair->a, pair->b);
  if (!arc.is_loaded) {
    for (int i = 0; i < 4; i++) sup_csv_text(csv, "");
    return;
  }
  put_v3(csv, arc.centre);
  sup_csv_number(csv, arc.wrap / degree);
}

static sup_status write_contacts(sup_csv *csv, const sup_observation *obs) {
  for (int i = 0; i < obs->num_pairs; i++) {
    const sup_pair_sum *sum = &obs->pair[i];
    if (sum->count == 0) continue;
    sup_csv_number(csv, obs->time);
    sup_csv_text(csv, obs->model->body[sum->a].name);
    sup_csv_text(csv, obs->model->body[sum->b].name);
    put_pair(csv, sum, 0);
    sup_csv_end_row(csv);
  }
  SUP_TRY(sup_csv_flush(csv));
  return SUP_OK;
}

/** What the scene asked the steps to measure. */
static void put_certificate(sup_csv *csv, const sup_options *options, const sup_step_report *report) {
  const double value[] = {report->ncp_primal,   report->ncp_dual,        report->ncp_complementarity,
                          report->friction_lag, report->stick_speed_max, report->friction_work_max};
  if (options->certificate) sup_csv_numbers(csv, value, (int)(sizeof value / sizeof *value));
  if (options->report_condition) sup_csv_number(csv, report->condition);
}

sup_status sup_history_write(sup_history *history, const sup_observation *obs, const sup_step_report *report,
                             const sup_soft_account *account) {
  static const sup_pair_sum nothing;
  const sup_model          *model = obs->model;
  sup_csv                  *csv = &history->rows;
  sup_csv_number(csv, obs->time);
  put_poses(csv, obs);
  put_joints(csv, obs);
  for (int s = 0; s < model->num_softs; s++) {
    put_v3(csv, obs->soft[s].com);
    sup_csv_number(csv, obs->soft[s].volume);
    sup_csv_number(csv, obs->soft[s].elastic_energy);
    sup_csv_number(csv, obs->soft[s].von_mises_max);
    sup_csv_number(csv, obs->soft[s].von_mises_p99);
    sup_csv_number(csv, obs->soft[s].stress_error);
    if (!model->soft[s].body_force) continue;
    sup_csv_number(csv, obs->soft[s].error_l2);
    sup_csv_number(csv, obs->soft[s].error_h1);
  }
  for (int i = 0; i < history->num_pairs; i++) {
    const sup_history_pair *pair = &history->pair[i];
    if (pair->a == pair->b) {
      put_self(csv, pair->pair == SUP_NONE ? &nothing : &obs->pair[pair->pair]);
      continue;
    }
    if (pair->a == SUP_NONE) {
      sup_pair_sum sum = sup_observation_sum_on(obs, pair->b);
      put_pair(csv, &sum, 0);
    } else {
      put_pair(csv, pair->pair == SUP_NONE ? &nothing : &obs->pair[pair->pair], pair->b_is_first);
    }
    put_arc(csv, obs, pair);
  }
  sup_csv_number(csv, obs->kinetic);
  sup_csv_number(csv, obs->elastic);
  sup_csv_number(csv, obs->potential);
  sup_csv_number(csv, obs->contact_energy);
  if (model->num_softs > 0) {
    sup_csv_number(csv, account->damping);
    sup_csv_number(csv, account->numerical);
  }
  sup_csv_integer(csv, report->iterations);
  sup_csv_number(csv, report->momentum_error);
  sup_csv_number(csv, report->momentum_residual);
  put_certificate(csv, &model->options, report);
  for (int s = 0; s < model->num_softs; s++) {
    if (model->soft[s].attach_tree == SUP_NONE) continue;
    put_v3(csv, obs->attach_wrench[s].force);
    put_v3(csv, obs->attach_wrench[s].moment);
  }
  for (int k = 0; k < model->num_holds; k++) {
    put_v3(csv, obs->reaction[k].force);
    put_v3(csv, obs->reaction[k].moment);
  }
  for (int i = 0; i < history->num_probes; i++) put_v3(csv, sup_probe_position(&history->probe[i], obs));
  sup_csv_end_row(csv);
  SUP_TRY(sup_csv_flush(csv));
  SUP_TRY(write_contacts(&history->contacts, obs));
  return SUP_OK;
}
