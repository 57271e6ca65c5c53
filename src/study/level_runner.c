#include "study/level_runner.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder_lock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/timer.h"
#include "output/format/json.h"
#include "scene/file/yaml.h"
#include "study/quantity.h"

enum { MAX_JOBS = 256, NUM_FIXED_ARGUMENTS = 8 };

static const char record_name[] = "level.json", begun_name[] = "begun.json", log_name[] = "log.txt";

/** A level that runs. */
typedef struct job {
  long            id; /* 0: it ran in this process and has ended */
  sup_family     *family;
  int             level;
  int             is_resumed; /* 1: the level continues from its checkpoint */
  double          start;
  sup_process_end end; /* results after the end of the level */
} job;

typedef struct run_state {
  const sup_level_runner *s;
  sup_study              *study;
  int                     first; /* level that may wait */
  int                     num_jobs;
  job                     job[MAX_JOBS];
} run_state;

/* ---- results of a level ---------------------------------------------------------------------- */

static void path_in(const run_state *t, const sup_family *family, int level, const char *name,
                    char path[SUP_STUDY_PATH_SIZE + 32]) {
  char folder[SUP_STUDY_PATH_SIZE];
  sup_level_folder(t->study, family, level, t->s->folder, folder);
  snprintf(path, SUP_STUDY_PATH_SIZE + 32, "%s/%s", folder, name);
}

/** level.json is written last: with it, and with this signature, the level is complete. */
static sup_status write_record(const run_state *t, const sup_family *family, int i) {
  const sup_level *level = &family->level[i];
  char             path[SUP_STUDY_PATH_SIZE + 32];
  sup_json         json;
  path_in(t, family, i, record_name, path);
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_hash(&json, "signature", level->signature);
  sup_json_number(&json, "wall", level->wall);
  sup_json_number(&json, "memory", level->memory);
  sup_json_text(&json, "overrides", level->label);
  sup_json_integer(&json, "exit_code", level->exit_code);
  sup_json_text(&json, "message", level->message[0] ? level->message : NULL);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

static const char *text_of(const sup_node *mapping, const char *key) {
  const sup_node *node = mapping->type == SUP_NODE_MAPPING ? sup_node_find(mapping, key) : NULL;
  return node && node->type == SUP_NODE_SCALAR ? node->text : "";
}

static bool is_hash(const char *text, uint64_t hash) {
  char own[20];
  snprintf(own, sizeof own, "%016" PRIx64, hash);
  return strcmp(own, text) == 0;
}

static bool has_signature(const char *path, uint64_t signature) {
  sup_node *root = NULL;
  if (access(path, R_OK) != 0 || sup_yaml_read(&root, path) != SUP_OK) return 0;
  int same = is_hash(text_of(root, "signature"), signature);
  sup_node_destroy(&root);
  return same;
}

/** 1: the record at the path has the level's signature; fills exit code and message of the
 * level. */
static int read_record(const char *path, sup_level *level) {
  sup_node *root = NULL;
  if (access(path, R_OK) != 0 || sup_yaml_read(&root, path) != SUP_OK) return 0;
  int same = is_hash(text_of(root, "signature"), level->signature);
  if (same) {
    level->exit_code = atoi(text_of(root, "exit_code"));
    snprintf(level->message, sizeof level->message, "%s", text_of(root, "message"));
    if (level->exit_code == 0) level->message[0] = '\0';
  }
  sup_node_destroy(&root);
  return same;
}

/** 1: the files that a run read have the hashes of its manifest; 0 also when they cannot be
 * compared. */
static bool has_same_inputs(const char *manifest) {
  sup_node *root = NULL;
  if (access(manifest, R_OK) != 0 || sup_yaml_read(&root, manifest) != SUP_OK) return 0;
  const sup_node *list = root->type == SUP_NODE_MAPPING ? sup_node_find(root, "inputs") : NULL;
  int             same = list && list->type == SUP_NODE_SEQUENCE && list->num_children > 0;
  for (const sup_node *c = list ? list->child : NULL; c && same; c = c->next) {
    char  *data = NULL;
    size_t size;
    same = sup_file_read(text_of(c, "path"), &data, &size) == SUP_OK &&
           is_hash(text_of(c, "fnv1a"), sup_hash_bytes(sup_hash_begin(), data, size));
    SUP_FREE(data);
  }
  sup_node_destroy(&root);
  return same;
}

/** Read the number of a level's warnings without those of the log, the first of them, and the
 * largest share of contact layers. */
static sup_status read_summary(const char *summary, sup_level *level) {
  sup_node *root = NULL;
  double    share;
  SUP_TRY(sup_yaml_read(&root, summary));
  bool            is_map = root->type == SUP_NODE_MAPPING;
  const sup_node *list = is_map ? sup_node_find(root, "warnings") : NULL,
                 *layers = is_map ? sup_node_find(root, "series_softening") : NULL;
  level->num_warnings = 0, level->layer = 0;
  for (const sup_node *l = layers ? layers->child : NULL; l; l = l->next)
    if (l->type == SUP_NODE_SCALAR && sup_text_number(l->text, &share))
      level->layer = fmax(level->layer, share);
  for (const sup_node *w = list ? list->child : NULL; w; w = w->next) {
    if (strcmp(text_of(w, "level"), "LOG") == 0 || level->num_warnings++ > 0) continue;
    const char *remedy = text_of(w, "remedy");
    snprintf(level->warning, sizeof level->warning, "%s%s%s", text_of(w, "text"),
             remedy[0] ? "; " : "", remedy);
  }
  sup_node_destroy(&root);
  return SUP_OK;
}

static bool is_sweep(const run_state *t) { return sup_study_has_cases(t->study); }

/** Unknowns, warnings, contact layers and quantities. */
static sup_status read_results(const run_state *t, sup_family *family, int i) {
  char       folder[SUP_STUDY_PATH_SIZE], path[SUP_STUDY_PATH_SIZE + 32];
  sup_level *level = &family->level[i];
  path_in(t, family, i, "summary.json", path);
  SUP_TRY(sup_json_file_number(path, "dofs.total", &level->unknowns));
  SUP_TRY(read_summary(path, level));
  if (t->study->kind == SUP_STUDY_GRADIENT) {
    SUP_TRY(sup_json_file_number(path, "steps", &level->steps));
    SUP_TRY(sup_json_file_number(path, "contacts.mean", &level->contacts));
  }
  sup_level_folder(t->study, family, i, t->s->folder, folder);
  for (int q = 0; q < t->study->num_quantities; q++)
    SUP_TRY(sup_quantity_value(&t->study->quantity[q], folder, &level->value[q]));
  return SUP_OK;
}

/** A level that an earlier run completed needs no other. */
static void keep_complete(const run_state *t, sup_family *family, int i) {
  char       path[SUP_STUDY_PATH_SIZE + 32], manifest[SUP_STUDY_PATH_SIZE + 32];
  sup_level *level = &family->level[i];
  path_in(t, family, i, record_name, path);
  path_in(t, family, i, "manifest.json", manifest);
  if (!read_record(path, level)) return;
  int good = sup_json_file_number(path, "wall", &level->wall) == SUP_OK &&
             sup_json_file_number(path, "memory", &level->memory) == SUP_OK &&
             (!is_sweep(t) || has_same_inputs(manifest)) &&
             (level->exit_code != 0 || read_results(t, family, i) == SUP_OK);
  if (!good) {
    level->exit_code = 0, level->message[0] = '\0';
    return;
  }
  level->status = level->exit_code ? SUP_LEVEL_FAILED : SUP_LEVEL_KEPT;
  t->s->tell(t->study, family, i, t->s->user);
}

/* ---- failures -------------------------------------------------------------------------------- */

/** The first line after "supple: error: " or "FAIL  " of what the level's process said; else its
 * last line. */
static void said(const run_state *t, const sup_family *family, int i, char *text, size_t size) {
  char   path[SUP_STUDY_PATH_SIZE + 32], *log = NULL;
  size_t bytes;
  text[0] = '\0';
  path_in(t, family, i, log_name, path);
  if (sup_file_read(path, &log, &bytes) != SUP_OK) return;
  const char *mark = "supple: error: ", *at = strstr(log, mark);
  if (!at) mark = "FAIL  ", at = strstr(log, mark);
  while (!at && bytes > 0 && log[bytes - 1] == '\n') log[--bytes] = '\0';
  if (at)
    at += strlen(mark);
  else
    at = strrchr(log, '\n') ? strrchr(log, '\n') + 1 : log;
  snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
  SUP_FREE(log);
}

static void mark_failed(const run_state *t, sup_family *family, int i, const sup_process_end *end) {
  sup_level *level = &family->level[i];
  char       log[400];
  said(t, family, i, log, sizeof log);
  level->status = SUP_LEVEL_FAILED;
  level->exit_code = end->signal ? 0 : end->exit_code;
  if (end->signal)
    snprintf(level->message, sizeof level->message, "ended by signal %d (%s)%s%s%s", end->signal,
             strsignal(end->signal), end->signal == SIGKILL ? "; was there too little memory?" : "",
             log[0] ? ": " : "", log);
  else
    snprintf(level->message, sizeof level->message, "%s",
             log[0] ? log : "it failed without a word");
}

/* ---- running --------------------------------------------------------------------------------- */

/** Write the file whose signature marks the checkpoints in the folder as this level's. */
static sup_status write_begun(const run_state *t, const sup_family *family, int i) {
  char     path[SUP_STUDY_PATH_SIZE + 32];
  sup_json json;
  path_in(t, family, i, begun_name, path);
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_hash(&json, "signature", family->level[i].signature);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/** 1: an earlier process began this level and left a checkpoint. */
static bool can_resume(const run_state *t, const sup_family *family, int i) {
  char path[SUP_STUDY_PATH_SIZE + 32];
  if (is_sweep(t)) return 0; /* cases are short, and their signatures have no files */
  path_in(t, family, i, begun_name, path);
  if (!has_signature(path, family->level[i].signature)) return 0;
  path_in(t, family, i, "checkpoint", path);
  DIR *handle = opendir(path);
  bool is_there = 0;
  if (!handle) return 0;
  for (struct dirent *entry = readdir(handle); entry; entry = readdir(handle))
    is_there |= entry->d_name[0] != '.';
  closedir(handle);
  return is_there;
}

/** Make the level's folder and remove the record of its last results. */
static sup_status clear_folder(const run_state *t, const sup_family *family, int i,
                               const char *folder) {
  char record[SUP_STUDY_PATH_SIZE + 32];
  path_in(t, family, i, record_name, record);
  SUP_TRY(sup_make_folder(folder));
  unlink(record);
  return SUP_OK;
}

typedef struct fork_user {
  int (*run)(int argc, char **argv);
  int          argc;
  const char **argv;
} fork_user;

/** Run the level in a fork, with the arguments behind the program's name. */
static int run_in_copy(void *user) {
  const fork_user *u = user;
  return u->run(u->argc - 1, (char **)(uintptr_t)(u->argv + 1));
}

/** Start the level in a process of its own, or run it here to its end. */
static sup_status start_level(run_state *t, sup_family *family, int i) {
  char         folder[SUP_STUDY_PATH_SIZE], log[SUP_STUDY_PATH_SIZE + 32];
  sup_level   *level = &family->level[i];
  const char **argv = NULL;
  job         *j = &t->job[t->num_jobs];
  sup_status   status = SUP_OK;
  sup_level_folder(t->study, family, i, t->s->folder, folder);
  path_in(t, family, i, log_name, log);
  SUP_TRY(clear_folder(t, family, i, folder));
  SUP_TRY(SUP_CALLOC(argv, NUM_FIXED_ARGUMENTS + 2 * level->num_sets));
  int n = 0;
  *j = (job){.family = family, .level = i, .start = sup_wall_time()};
  j->is_resumed = can_resume(t, family, i);
  argv[n++] = t->s->program;
  argv[n++] = t->study->is_static ? "static" : "run";
  argv[n++] = "-q";
  argv[n++] = j->is_resumed ? "--resume" : "-o";
  argv[n++] = folder;
  if (!j->is_resumed) { /* else the checkpoint has them */
    argv[n++] = t->study->scene;
    for (int k = 0; k < level->num_sets; k++) argv[n++] = "--set", argv[n++] = level->set[k];
  }
  status = is_sweep(t) ? SUP_OK : write_begun(t, family, i);
  level->status = SUP_LEVEL_RUNNING;
  if (status == SUP_OK && t->s->perform) {
    t->s->tell(t->study, family, i, t->s->user);
    t->s->perform(n - 1, argv + 1, log, &j->end);
  } else if (status == SUP_OK) {
    fork_user user = {t->s->run, n, argv};
    status = t->s->run ? sup_process_fork(run_in_copy, &user, log, &j->id)
                       : sup_process_start(argv, log, &j->id);
    if (status == SUP_OK && j->id == 0)
      status = SUP_FAIL(SUP_E_IO, "cannot run %s: there is no such program", t->s->program);
    if (status == SUP_OK) t->s->tell(t->study, family, i, t->s->user);
  }
  SUP_FREE(argv);
  if (status == SUP_OK) t->num_jobs++;
  return status;
}

/** Bad input or trouble with a file: the checkpoint is of no use. */
static bool is_refusal(int exit_code) { return exit_code == 2 || exit_code == 3; }

/** Read the wall time of the level, that of its earlier processes included. */
static sup_status read_wall(const run_state *t, sup_family *family, int i) {
  char path[SUP_STUDY_PATH_SIZE + 32];
  path_in(t, family, i, "summary.json", path);
  SUP_TRY(sup_json_file_number(path, "wall.total", &family->level[i].wall));
  return SUP_OK;
}
/** 1: a repeat would fail with the same exit code: the solver failed, or the input is wrong. */
static bool is_final(int code) { return code == 1 || code == 2; }

/** A process has ended: its level is done or has failed. */
static sup_status finish_level(run_state *t, const job *j) {
  sup_level             *level = &j->family->level[j->level];
  const sup_process_end *end = &j->end;
  level->wall = sup_wall_time() - j->start;
  level->memory = end->peak_bytes;
  if (j->is_resumed && !end->signal && is_refusal(end->exit_code)) {
    char path[SUP_STUDY_PATH_SIZE + 32];
    path_in(t, j->family, j->level, begun_name, path);
    unlink(path); /* then the level starts anew */
    level->status = SUP_LEVEL_PENDING;
    t->first = 0;
    return SUP_OK;
  }
  if (end->signal || end->exit_code) {
    mark_failed(t, j->family, j->level, end);
    if (is_sweep(t) && is_final(level->exit_code)) SUP_TRY(write_record(t, j->family, j->level));
  } else {
    sup_status status = read_results(t, j->family, j->level);
    if (status == SUP_OK && j->is_resumed) status = read_wall(t, j->family, j->level);
    if (status != SUP_OK && !is_sweep(t)) return status;
    level->status = status == SUP_OK ? SUP_LEVEL_DONE : SUP_LEVEL_FAILED;
    if (status != SUP_OK)
      snprintf(level->message, sizeof level->message, "%s", sup_error_message());
    else
      SUP_TRY(write_record(t, j->family, j->level));
  }
  t->s->tell(t->study, j->family, j->level, t->s->user);
  return SUP_OK;
}

/** The next level that waits: coarse ones of all families before finer ones. */
static int next_level(run_state *t, sup_family **family, int *level) {
  int more = 1;
  for (int i = t->first; more; i++) {
    more = 0;
    for (int f = 0; f < t->study->num_families; f++) {
      sup_family *candidate = &t->study->family[f];
      more |= i < candidate->num_levels;
      if (i >= candidate->num_levels || candidate->level[i].status != SUP_LEVEL_PENDING) continue;
      if (t->s->parts > 0 && i % t->s->parts != t->s->part) continue;
      *family = candidate;
      *level = i;
      t->first = i; /* no earlier level waits */
      return 1;
    }
  }
  return 0;
}

static int fits(const run_state *t, const sup_level *level) {
  double need = level->need;
  if (t->num_jobs == 0) return 1;
  for (int k = 0; k < t->num_jobs; k++) need += t->job[k].family->level[t->job[k].level].need;
  return t->num_jobs < t->s->jobs && t->num_jobs < MAX_JOBS && need <= t->s->memory;
}

static sup_status start_what_fits(run_state *t) {
  sup_family *family;
  int         level;
  while (next_level(t, &family, &level) && fits(t, &family->level[level]))
    SUP_TRY(start_level(t, family, level));
  return SUP_OK;
}

static sup_status collect(run_state *t) {
  for (int k = 0; k < t->num_jobs;) {
    job j = t->job[k];
    if (j.id != 0 && !sup_process_poll(j.id, &j.end)) {
      k++;
      continue;
    }
    t->job[k] = t->job[--t->num_jobs];
    SUP_TRY(finish_level(t, &j));
  }
  return SUP_OK;
}

/** Stop all processes: SIGTERM, and SIGKILL for those that still run after three seconds. */
static void stop_all(run_state *t) {
  double          until = sup_wall_time() + 3;
  sup_process_end end;
  for (int k = 0; k < t->num_jobs; k++) {
    if (t->job[k].id) sup_process_stop(t->job[k].id, 0);
    t->job[k].family->level[t->job[k].level].status = SUP_LEVEL_PENDING;
  }
  if (t->s->perform) t->num_jobs = 0;
  while (t->num_jobs > 0) {
    for (int k = 0; k < t->num_jobs;)
      if (sup_process_poll(t->job[k].id, &end))
        t->job[k] = t->job[--t->num_jobs];
      else
        k++;
    if (sup_wall_time() > until)
      for (int k = 0; k < t->num_jobs; k++) sup_process_stop(t->job[k].id, 1);
    if (t->num_jobs > 0) sup_process_wait(0.01);
  }
}

static sup_status run_all(run_state *t) {
  for (;;) {
    if (*t->s->interrupted) return SUP_FAIL(SUP_E_INTERRUPTED, "interrupted");
    SUP_TRY(start_what_fits(t));
    if (t->num_jobs == 0) return SUP_OK;
    if (!t->s->perform) sup_process_wait(0.05); /* memory may have become available */
    if (t->s->perform && *t->s->interrupted && t->job[0].end.exit_code)
      return SUP_FAIL(SUP_E_INTERRUPTED, "interrupted");
    SUP_TRY(collect(t));
  }
}

sup_status sup_level_runner_run(const sup_level_runner *runner, sup_study *study) {
  run_state      *t = NULL;
  sup_folder_lock lock = {.is_held = 0};
  if (runner->parts == 0) SUP_TRY(sup_folder_lock_acquire(&lock, runner->folder));
  sup_status status = SUP_CALLOC(t, 1);
  if (status != SUP_OK) {
    sup_folder_lock_release(&lock);
    return status;
  }
  t->s = runner, t->study = study;
  for (int f = 0; f < study->num_families; f++)
    for (int i = 0; i < study->family[f].num_levels; i++) keep_complete(t, &study->family[f], i);
  status = run_all(t);
  stop_all(t);
  SUP_FREE(t);
  sup_folder_lock_release(&lock);
  return status;
}

sup_status sup_level_runner_keep(const sup_level_runner *runner, sup_study *study,
                                 const sup_family *family, int i) {
  const run_state t = {.s = runner, .study = study};
  return write_record(&t, family, i);
}

double sup_memory_available(void) {
  char   line[256];
  double kilobytes = 0;
  FILE  *file = fopen("/proc/meminfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) break;
  if (file) fclose(file);
  return 1024 * kilobytes;
}
