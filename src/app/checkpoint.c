#include "app/checkpoint.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/simulation.h"
#include "base/memory.h"
#include "base/timer.h"
#include "base/version.h"
#include "model/state_file.h"

static const char below[] = "checkpoint", ending[] = ".checkpoint", stay[] = "kept_",
                  rotate[] = "step_";

/* ---- the folder ------------------------------------------------------------------------------ */

static int newest_first(const void *a, const void *b) {
  const sup_checkpoint_file *x = a, *y = b;
  return x->step == y->step ? strcmp(x->name, y->name) : x->step < y->step ? 1 : -1;
}

/** The step in the name of a checkpoint; SUP_NONE: another name. */
static long step_of(const char *name, const char *stem) {
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return SUP_NONE;
  size_t digits = strspn(name + length, "0123456789");
  if (digits < 8 || digits > 18 || strcmp(name + length + digits, ending) != 0) return SUP_NONE;
  return strtol(name + length, NULL, 10);
}

sup_status sup_checkpoint_list(const char *folder, const char *stem, sup_checkpoint_file **file,
                               size_t *count) {
  char   path[SUP_CHECKPOINT_PATH];
  size_t capacity = 0;
  *file = NULL, *count = 0;
  snprintf(path, sizeof path, "%s/%s", folder, below);
  DIR *handle = opendir(path);
  if (!handle) return SUP_OK;
  sup_status status = SUP_OK;
  for (struct dirent *entry = readdir(handle); entry && status == SUP_OK; entry = readdir(handle)) {
    long step = SUP_NONE;
    if (!stem || stem == rotate) step = step_of(entry->d_name, rotate);
    if (step == SUP_NONE && (!stem || stem == stay)) step = step_of(entry->d_name, stay);
    if (step == SUP_NONE) continue;
    status = SUP_GROW(*file, capacity, *count + 1);
    if (status != SUP_OK) break;
    (*file)[*count].step = step;
    snprintf((*file)[*count].name, sizeof(*file)[*count].name, "%.60s", entry->d_name);
    ++*count;
  }
  closedir(handle);
  if (*count) qsort(*file, *count, sizeof **file, newest_first);
  return status;
}

static void remove_file(const char *folder, const char *name) {
  char path[SUP_CHECKPOINT_PATH + 70];
  snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
  unlink(path);
}

/** Files that a killed process left half written. */
static void remove_parts(const char *folder) {
  char path[SUP_CHECKPOINT_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, below);
  DIR *handle = opendir(path);
  if (!handle) return;
  for (struct dirent *entry = readdir(handle); entry; entry = readdir(handle)) {
    size_t length = strlen(entry->d_name), tail = strlen(ending) + strlen(".part");
    if (length > tail && strstr(entry->d_name + length - tail, ending) &&
        strcmp(entry->d_name + length - 5, ".part") == 0)
      remove_file(folder, entry->d_name);
  }
  closedir(handle);
}

/** Remove checkpoints of states after this step; negative: all. */
static void remove_later(const char *folder, long step) {
  sup_checkpoint_file *file;
  size_t               count;
  if (sup_checkpoint_list(folder, NULL, &file, &count) == SUP_OK)
    for (size_t i = 0; i < count; i++)
      if (file[i].step > step) remove_file(folder, file[i].name);
  SUP_FREE(file);
  remove_parts(folder);
}

/* ---- writing --------------------------------------------------------------------------------- */

static const sup_checkpoint_def *def_of(const sup_simulation *s) {
  return &s->scene->output.checkpoint;
}

/** Remove step_*.checkpoint but for the newest `keep`. */
static void prune(const sup_simulation *s) {
  sup_checkpoint_file *file;
  size_t               count, keep = (size_t)def_of(s)->keep;
  if (!sup_is_first_rank(s->model->ranks)) return;
  if (sup_checkpoint_list(s->folder, rotate, &file, &count) == SUP_OK)
    for (size_t i = keep; i < count; i++) remove_file(s->folder, file[i].name);
  SUP_FREE(file);
}

/** The path from anywhere. */
static void absolute(const char *path, char *out, size_t size) {
  char here[SUP_CHECKPOINT_PATH];
  if (path[0] != '/' && getcwd(here, sizeof here))
    snprintf(out, size, "%s/%s", here, path);
  else
    snprintf(out, size, "%s", path);
}

static void put_texts(sup_archive_writer *w, const sup_simulation *s) {
  char path[2 * SUP_CHECKPOINT_PATH], name[SUP_ARCHIVE_NAME];
  int  num_ranks = sup_resume_num_ranks();
  sup_archive_put(w, "", &(sup_archive_item){"ranks", &num_ranks, sizeof num_ranks, 1});
  sup_archive_put_text(w, "version", sup_version());
  sup_archive_put_text(w, "command", s->is_static ? "static" : "run");
  absolute(s->options.scene, path, sizeof path);
  sup_archive_put_text(w, "scene", path);
  for (int i = 0; i < s->options.sets.count; i++) {
    snprintf(name, sizeof name, "set.%d", i);
    sup_archive_put_text(w, name, s->options.sets.word[i]);
  }
}

static sup_status put_keys(sup_archive_writer *w, const sup_simulation *s) {
  char *keys = NULL;
  SUP_TRY(sup_scene_keys(s->scene, &keys));
  sup_archive_put_text(w, "keys", keys);
  free(keys);
  return SUP_OK;
}

static sup_status create(const sup_simulation *s, const char *stem, char *path,
                         sup_archive_writer *w) {
  char folder[SUP_CHECKPOINT_PATH];
  snprintf(folder, sizeof folder, "%s/%s", s->folder, below);
  SUP_TRY(sup_make_folder(folder));
  snprintf(path, SUP_CHECKPOINT_PATH, "%.4150s/%s%08ld%s", folder, stem, s->state->step, ending);
  SUP_TRY(sup_archive_create(w, path, SUP_CHECKPOINT_KIND, SUP_CHECKPOINT_VERSION));
  return SUP_OK;
}

static sup_status begin(const sup_simulation *s, const char *stem, const char *bodies, char *path,
                        sup_archive_writer *w) {
  SUP_TRY(create(s, stem, path, w));
  put_texts(w, s);
  sup_status status = put_keys(w, s);
  if (status != SUP_OK) sup_archive_abandon(w);
  SUP_TRY(status);
  sup_archive_put_text(w, "bodies", bodies);
  return SUP_OK;
}

/** The state, which ranks may have in pieces, and the output's. */
static sup_status put_rest(const sup_simulation *s, sup_archive_writer *w) {
  SUP_TRY(sup_state_put(s->state, s->model, SUP_RESUME_STATE, w));
  sup_status status = SUP_OK;
  if (w) status = sup_output_put(s->output, w);
  if (w) sup_archive_end(w);
  return sup_agree(s->model->ranks, status);
}

/** All but the last stroke, by the first rank. */
static sup_status prepare(sup_simulation *s, const char *stem, sup_archive_writer *w) {
  char      *bodies = NULL;
  bool       is_first = sup_is_first_rank(s->model->ranks);
  sup_status status = sup_resume_bodies(s->model, &bodies);
  if (status == SUP_OK && is_first) status = begin(s, stem, bodies, s->checkpoints.path, w);
  free(bodies);
  bool has_file = status == SUP_OK && is_first;
  status = sup_agree(s->model->ranks, status);
  if (status == SUP_OK) status = put_rest(s, is_first ? w : NULL);
  if (status != SUP_OK && has_file) sup_archive_abandon(w);
  return status;
}

static sup_status commit(const sup_simulation *s, sup_archive_writer *w) {
  sup_status status = SUP_OK;
  if (sup_is_first_rank(s->model->ranks)) status = sup_archive_commit(w);
  return sup_agree(s->model->ranks, status);
}

/** The run continues without one: one warning. */
static void tell(sup_simulation *s, sup_status status) {
  if (status == SUP_OK || s->checkpoints.has_failed) return;
  s->checkpoints.has_failed = 1;
  fprintf(stderr, "supple: warning: no checkpoint: %s\n", sup_error_message());
}

static void note(sup_simulation *s) {
  sup_checkpoints *c = &s->checkpoints;
  c->last = sup_wall_time();
  c->last_step = s->state->step;
}

static void write_one(sup_simulation *s, const char *stem) {
  sup_archive_writer w;
  sup_status         status = prepare(s, stem, &w);
  if (status == SUP_OK) status = commit(s, &w);
  tell(s, status);
  note(s);
  if (status == SUP_OK) prune(s);
}

static bool are_wanted(const sup_simulation *s) { return s->output && def_of(s)->keep > 0; }

/** Clocks differ: that of the rank which is ahead counts for all. */
static bool has_passed(const sup_simulation *s, double since) {
  double seconds = sup_max_of_ranks(s->model->ranks, sup_wall_time() - since);
  return seconds >= def_of(s)->wall_interval;
}

static long periods(const sup_simulation *s) {
  double every = def_of(s)->every;
  return every > 0 ? (long)floor((s->state->time + 1e-6 * s->scene->options.dt) / every) : 0;
}

void sup_checkpoints_begin(sup_simulation *s) {
  s->checkpoints = (sup_checkpoints){
      .last = sup_wall_time(), .last_step = s->state->step, .periods = periods(s)};
  if (sup_is_first_rank(s->model->ranks))
    remove_later(s->folder, s->resume.kind == SUP_GOES_ON ? s->state->step : -1);
}

void sup_checkpoints_step(sup_simulation *s) {
  sup_checkpoints *c = &s->checkpoints;
  if (!are_wanted(s)) return;
  if (periods(s) > c->periods) {
    c->periods = periods(s);
    write_one(s, stay);
  } else if (!sup_simulation_is_over(s) && has_passed(s, c->last)) {
    write_one(s, rotate);
  }
}

void sup_checkpoints_write(sup_simulation *s) {
  if (are_wanted(s) && s->state->step > s->checkpoints.last_step) write_one(s, rotate);
}

void sup_checkpoints_prepare_last(sup_simulation *s) {
  sup_checkpoints *c = &s->checkpoints;
  if (!are_wanted(s) || s->state->step <= c->last_step) return;
  if (!has_passed(s, sup_output_statistics(s->output)->wall_start)) return;
  sup_status status = prepare(s, rotate, &c->pending);
  tell(s, status);
  c->is_pending = status == SUP_OK;
}

void sup_checkpoints_commit_last(sup_simulation *s) {
  if (!s->checkpoints.is_pending) return;
  s->checkpoints.is_pending = 0;
  tell(s, commit(s, &s->checkpoints.pending));
  note(s);
  prune(s);
}
