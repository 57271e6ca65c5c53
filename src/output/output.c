#include "output/output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder_lock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "model/event.h"
#include "model/task.h"
#include "output/format/number.h"
#include "output/format/series.h"
#include "output/frame.h"
#include "output/history.h"
#include "output/manifest.h"
#include "output/numerics.h"
#include "output/paraview.h"
#include "output/solver_log.h"
#include "output/statistics_file.h"
#include "output/summary.h"

/** Schedule of frames or rows: at every step, or at multiples of a time. */
typedef struct sup_schedule {
  double every; /* [s]; 0: each step */
  long   due;   /* next at due * every */
} sup_schedule;

struct sup_output {
  const sup_model *model;
  char             folder[4000];
  sup_folder_lock  lock;
  char             title[256];
  sup_schedule     frame_times, row_times;
  double           last_frame, last_row; /* their times [s] */
  double           looked;               /* at the folder, of the clock [s] */
  sup_step_report  last_report;
  sup_observation  obs;
  sup_statistics   statistics;
  sup_frames       frames;
  long             nonfinite_counted; /* numbers in files that the statistics know of */
  sup_history      history;
  sup_csv          solver_log; /* with sup_options.solver_log */
  int              num_events; /* in events.csv */
  int              writes;     /* 0: the first rank does */
  int              has_manifest;
  sup_manifest     manifest;
  sup_vtk_format   format;
  sup_verdicts     verdicts; /* of sup_output_finish */
  int              num_told;
  char             told[SUP_MAX_WARNINGS][SUP_VERDICT_TEXT]; /* warnings of the log */
};

sup_output_def sup_default_output_def(void) { return (sup_output_def)SUP_DEFAULT_OUTPUT_DEF; }

sup_column_def sup_output_columns(const sup_output_def *def) {
  return (sup_column_def){.num_pairs = def->num_pairs,
                          .pair = def->pair,
                          .num_probes = def->num_probes,
                          .probes = def->probes,
                          .timing = def->timing,
                          .recovers = sup_frame_recovers(def),
                          .num_names = def->num_columns,
                          .name = def->column,
                          .names_place = def->column_place};
}

static void path_in(char *path, size_t size, const sup_output *out, const char *name) {
  snprintf(path, size, "%s/%s", out->folder, name);
}

/** A summary of an earlier run must not stand beside new frames. */
static sup_status remove_old(const sup_output *out, const char *name) {
  char path[4096];
  path_in(path, sizeof path, out, name);
  if (unlink(path) != 0 && errno != ENOENT)
    return SUP_FAIL(SUP_E_IO, "cannot remove %s of an earlier run: %s", path, strerror(errno));
  return SUP_OK;
}

sup_status sup_output_check(const sup_model *model, const sup_options *options,
                            const sup_output_def *def) {
  const double every[2] = {def->every, def->history_every};
  for (int i = 0; i < 2; i++)
    if (!(every[i] >= 0) || !isfinite(every[i]))
      return SUP_FAIL(SUP_E_ARG, "output %s %g s: a time of 0 (each step) or more is expected",
                      i == 0 ? "every" : "history_every", every[i]);
  SUP_TRY(sup_frames_check(model, def));
  const sup_column_def columns = sup_output_columns(def);
  SUP_TRY(sup_columns_check(model, options, &columns));
  return SUP_OK;
}

static sup_status check_folder(const char *folder, size_t longest) {
  if (folder[0] == '\0' || strlen(folder) > longest)
    return SUP_FAIL(SUP_E_ARG, "the output folder needs a name of 1 to %zu characters", longest);
  return SUP_OK;
}

static sup_status ask_for_pairs(sup_output *out, const sup_output_def *def) {
  for (int i = def->num_pairs; i-- > 0;) { /* of a pair that is named both ways the first counts */
    if (strcmp(def->pair[i][0], SUP_COLUMNS_ALL) == 0) continue;
    sup_observation_order_pair(&out->obs, sup_model_find_body(out->model, def->pair[i][0]),
                               sup_model_find_body(out->model, def->pair[i][1]));
  }
  for (int i = 0; i < def->num_pairs; i++) {
    if (strcmp(def->pair[i][0], SUP_COLUMNS_ALL) == 0) continue;
    SUP_TRY(sup_statistics_request_pair(&out->statistics,
                                        sup_model_find_body(out->model, def->pair[i][0]),
                                        sup_model_find_body(out->model, def->pair[i][1])));
  }
  return SUP_OK;
}

/* ---- state of a resumed run ------------------------------------------------------------------ */

/** Lengths of a run's files at a checkpoint. */
typedef struct output_mark {
  sup_history_mark history;
  long             solver_log; /* bytes */
  sup_frames_mark  frames;
} output_mark;

static const char prefix[] = "output.";

enum { NUM_ITEMS = 12 };

static void list_mark(output_mark *m, sup_output *out, sup_archive_item item[NUM_ITEMS]) {
  const sup_archive_item all[NUM_ITEMS] = {
      {"due", &out->frame_times.due, sizeof out->frame_times.due, 1},
      {"row_due", &out->row_times.due, sizeof out->row_times.due, 1},
      {"last_frame", &out->last_frame, sizeof out->last_frame, 1},
      {"last_row", &out->last_row, sizeof out->last_row, 1},
      {"nonfinite", &out->nonfinite_counted, sizeof out->nonfinite_counted, 1},
      {"history_bytes", &m->history.rows, sizeof m->history.rows, 1},
      {"history_nonfinite", &m->history.rows_nonfinite, sizeof m->history.rows_nonfinite, 1},
      {"contacts_bytes", &m->history.contacts, sizeof m->history.contacts, 1},
      {"contacts_nonfinite", &m->history.contacts_nonfinite, sizeof m->history.contacts_nonfinite,
       1},
      {"solver_bytes", &m->solver_log, sizeof m->solver_log, 1},
      {"frames", &m->frames.count, sizeof m->frames.count, 1},
      {"frames_nonfinite", &m->frames.nonfinite, sizeof m->frames.nonfinite, 1}};
  memcpy(item, all, sizeof all);
}

sup_status sup_output_put(sup_output *out, sup_archive_writer *writer) {
  sup_archive_item item[NUM_ITEMS];
  SUP_TRY(sup_csv_sync(&out->history.rows));
  SUP_TRY(sup_csv_sync(&out->history.contacts));
  SUP_TRY(sup_csv_sync(&out->solver_log));
  output_mark m = {
      .history = sup_history_mark_of(&out->history),
      .solver_log = out->solver_log.bytes,
      .frames = {.count = out->frames.place.frame, .nonfinite = out->frames.place.nonfinite}};
  list_mark(&m, out, item);
  for (int i = 0; i < NUM_ITEMS; i++) sup_archive_put(writer, prefix, &item[i]);
  sup_archive_put(writer, prefix,
                  &(sup_archive_item){"frame_times", out->frames.time, sizeof *out->frames.time,
                                      (size_t)out->frames.place.frame});
  sup_archive_put(
      writer, prefix,
      &(sup_archive_item){"frame_ranks", out->frames.num_ranks, sizeof *out->frames.num_ranks,
                          (size_t)out->frames.place.frame});
  sup_statistics_put(&out->statistics, writer);
  if (out->has_manifest) sup_manifest_put(&out->manifest, writer);
  return SUP_OK;
}

/** @param[out] times, num_ranks  that the mark has; freed by the caller */
static sup_status get_mark(sup_output *out, const sup_archive *archive, output_mark *m,
                           double **times, int **num_ranks) {
  sup_archive_item item[NUM_ITEMS];
  list_mark(m, out, item);
  for (int i = 0; i < NUM_ITEMS; i++) SUP_TRY(sup_archive_get(archive, prefix, &item[i]));
  if (m->frames.count < 0 || m->frames.count > INT32_MAX)
    return SUP_FAIL(SUP_E_ARG, "%s: found %ld frames, expected 0 or more", archive->path,
                    m->frames.count);
  SUP_TRY(SUP_CALLOC(*times, m->frames.count));
  SUP_TRY(sup_archive_get(
      archive, prefix,
      &(sup_archive_item){"frame_times", *times, sizeof **times, (size_t)m->frames.count}));
  SUP_TRY(SUP_CALLOC(*num_ranks, m->frames.count));
  SUP_TRY(sup_archive_get(
      archive, prefix,
      &(sup_archive_item){"frame_ranks", *num_ranks, sizeof **num_ranks, (size_t)m->frames.count}));
  m->frames.time = *times, m->frames.num_ranks = *num_ranks;
  SUP_TRY(sup_statistics_get(&out->statistics, archive));
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

/** @param[in] from  how far the files went that are in the folder; NULL: they begin anew */
static sup_status open_files(sup_output *out, const sup_output_def *def, const char *title,
                             const output_mark *from) {
  char                path[4096];
  SUP_OWN(sup_state) *start = NULL;
  SUP_TRY(sup_state_create(&start, out->model, &out->obs.options));
  sup_observation_update(&out->obs, start, NULL);
  const sup_column_def columns = sup_output_columns(def);
  if (!out->folder[0]) return SUP_OK; /* statistics alone */
  path_in(path, sizeof path, out, "vtk");
  out->format = def->format;
  if (out->writes) {
    SUP_TRY(sup_folder_lock_acquire(&out->lock, out->folder));
    if (!from) SUP_TRY(sup_series_remove_all(path));
  }
  SUP_TRY(
      sup_frames_create(&out->frames, &out->obs, path, title, def, from ? &from->frames : NULL));
  if (!out->writes) { /* as the first rank, which asks all where the probes are */
    return sup_columns_check(out->model, &out->obs.options, &columns);
  }
  SUP_TRY(remove_old(out, "summary.json"));
  SUP_TRY(remove_old(out, "events.csv"));
  SUP_TRY(remove_old(out, "manifest.json"));
  SUP_TRY(def->format == SUP_VTK_NONE ? remove_old(out, "paraview.py")
                                      : sup_paraview_write(out->folder));
  SUP_TRY(sup_history_create(&out->history, &out->obs, out->folder, &columns,
                             from ? &from->history : NULL));
  out->history.rows.digits = out->history.contacts.digits =
      def->digits > SUP_MOST_DIGITS ? 0 : def->digits;
  if (out->obs.options.solver_log)
    SUP_TRY(sup_solver_log_open(&out->solver_log, out->folder, from ? from->solver_log : -1));
  return SUP_OK;
}

static sup_status create(sup_output **result, const sup_model *model, const sup_options *options,
                         const char *folder, const sup_output_def *def, const char *title,
                         const sup_archive *archive) {
  SUP_OWN(sup_output) *out = NULL;
  output_mark          mark = {.solver_log = 0};
  SUP_FREED double    *times = NULL;
  SUP_FREED int       *num_ranks = NULL;
  *result = NULL;
  if (folder) SUP_TRY(check_folder(folder, sizeof out->folder - 1));
  SUP_TRY(sup_output_check(model, options, def));
  SUP_TRY(SUP_CALLOC(out, 1));
  out->model = model, out->format = SUP_VTK_NONE;
  out->writes = folder && sup_is_first_rank(model->ranks);
  out->frame_times.every = def->every, out->row_times.every = def->history_every;
  out->last_frame = out->last_row = -HUGE_VAL;
  out->history.rows.file = out->history.contacts.file = out->solver_log.file = -1;
  snprintf(out->folder, sizeof out->folder, "%s", folder ? folder : "");
  snprintf(out->title, sizeof out->title, "%.200s", title ? title : "Supple");
  SUP_TRY(sup_observation_create(&out->obs, model, options));
  out->obs.recovers = sup_frame_recovers(def);
  SUP_TRY(sup_statistics_begin(&out->statistics, &out->obs, def->static_tolerance));
  SUP_TRY(ask_for_pairs(out, def));
  if (archive) SUP_TRY(get_mark(out, archive, &mark, &times, &num_ranks));
  SUP_TRY(sup_agree(model->ranks, open_files(out, def, out->title, archive ? &mark : NULL)));
  *result = out, out = NULL;
  return SUP_OK;
}

sup_status sup_output_create(sup_output **out, const sup_model *model, const sup_options *options,
                             const char *folder, const sup_output_def *def, const char *title) {
  SUP_TRY(create(out, model, options, folder, def, title, NULL));
  return SUP_OK;
}

sup_status sup_output_resume(sup_output **out, const sup_model *model, const sup_options *options,
                             const char *folder, const sup_output_def *def, const char *title,
                             const sup_archive *archive) {
  SUP_TRY(create(out, model, options, folder, def, title, archive));
  return SUP_OK;
}

sup_status sup_output_branch(sup_output *out, const sup_archive *archive) {
  SUP_TRY(sup_statistics_branch(&out->statistics, archive));
  return SUP_OK;
}

void sup_output_destroy(sup_output **out) {
  if (!*out) return;
  sup_observation_free(&(*out)->obs);
  sup_statistics_free(&(*out)->statistics);
  sup_frames_free(&(*out)->frames);
  sup_history_free(&(*out)->history);
  sup_csv_close(&(*out)->solver_log);
  sup_manifest_free(&(*out)->manifest);
  sup_folder_lock_release(&(*out)->lock);
  SUP_FREE(*out);
}

sup_status sup_output_manifest(sup_output *out, const sup_manifest_def *def) {
  char path[4096];
  SUP_ASSERT(!out->has_manifest);
  if (!out->writes) return SUP_OK;
  SUP_TRY(sup_manifest_create(&out->manifest, def));
  out->has_manifest = 1;
  path_in(path, sizeof path, out, "manifest.json");
  SUP_TRY(sup_manifest_write(&out->manifest, path, "running", 0));
  return SUP_OK;
}

/** Numbers that were kept out of files, and frames written, as far as known now. */
static void update_counts(sup_output *out) {
  long in_files =
      out->frames.place.nonfinite + out->history.rows.nonfinite + out->history.contacts.nonfinite;
  out->statistics.nonfinite += in_files - out->nonfinite_counted;
  out->nonfinite_counted = in_files;
  out->statistics.frames = out->frames.place.frame;
}

/** Check the folder's lock, at most every 20 ms: a check costs as much as a short row. */
static sup_status look_at_folder(sup_output *out) {
  double now = sup_wall_time();
  if (now < out->looked + sup_output_numerics.pause) return SUP_OK;
  out->looked = now;
  SUP_TRY(sup_folder_lock_check(&out->lock));
  return SUP_OK;
}

/** A row of the history of the present observation. */
static sup_status write_row(sup_output *out) {
  sup_statistics_energy(&out->statistics);
  out->last_row = out->obs.time;
  if (!out->writes) return SUP_OK;
  SUP_TRY(look_at_folder(out));
  SUP_TRY(sup_history_write(&out->history, &out->obs, &out->last_report, &out->statistics.account));
  return SUP_OK;
}

/** A frame, and the contacts of its time. */
static sup_status write_frame(sup_output *out) {
  sup_status status = SUP_OK;
  sup_statistics_frame(&out->statistics);
  out->last_frame = out->obs.time;
  if (out->writes) status = sup_history_write_contacts(&out->history, &out->obs);
  SUP_TRY(sup_agree(out->model->ranks, status));
  if (out->format != SUP_VTK_NONE)
    SUP_TRY(sup_frames_write(&out->frames, &out->obs, out->obs.time, NULL));
  return SUP_OK;
}

static sup_status write_observed(sup_output *out, bool is_row, bool is_frame) {
  if (is_row) SUP_TRY(sup_agree(out->model->ranks, write_row(out)));
  if (is_frame) SUP_TRY(write_frame(out));
  update_counts(out);
  return SUP_OK;
}

/** Round-off of a summed time must not cost or double a frame. */
static long periods(const sup_output *out, const sup_schedule *s, double time) {
  return (long)floor((time + 1e-6 * out->obs.options.dt) / s->every);
}

static bool is_due(const sup_output *out, sup_schedule *s, double time) {
  if (s->every <= 0) return 1;
  if (periods(out, s, time) < s->due) return 0;
  s->due = periods(out, s, time) + 1;
  return 1;
}

static double next_time(const sup_schedule *s) {
  return s->every > 0 ? (double)s->due * s->every : HUGE_VAL;
}

double sup_output_next_time(const sup_output *out) {
  return fmin(next_time(&out->frame_times), next_time(&out->row_times));
}

long sup_output_frames(const sup_output *out) { return out->frames.place.frame; }

sup_status sup_output_initial(sup_output *out, const sup_state *state,
                              const sup_step_result *result) {
  double start = sup_wall_time();
  sup_statistics_start(&out->statistics, result);
  sup_observation_update(&out->obs, state, result);
  SUP_TRY(
      sup_statistics_penetration(&out->statistics, out->obs.time, out->obs.X_WL, out->obs.x, true));
  (void)is_due(out, &out->frame_times, state->time);
  (void)is_due(out, &out->row_times, state->time);
  SUP_TRY(write_observed(out, 1, 1));
  out->statistics.wall_output += sup_wall_time() - start;
  return SUP_OK;
}

static void put_row(sup_csv *csv, double time, const char *event, const char *column,
                    double value) {
  sup_csv_number(csv, time);
  sup_csv_text(csv, event);
  sup_csv_text(csv, column);
  sup_csv_number(csv, value);
  sup_csv_end_row(csv);
}

static void put_event(sup_csv *csv, const sup_event *event, const sup_event_state *state) {
  put_row(csv, state->fired, event->what,
          event->def.kind == SUP_EVENT_TIME ? "time" : event->def.column, state->value);
}

static void put_task_entry(sup_csv *csv, const sup_model *model, const sup_task_entry *entry) {
  char text[4 * SUP_NAME_MAX];
  sup_task_entry_text(model, entry, text, sizeof text);
  put_row(csv, entry->time, text, sup_task_entry_column(model, entry), entry->value);
}

/** True if the event has happened and is no guard of a task, whose log has it. */
static bool is_written(const sup_model *model, const sup_state *state, int i) {
  return state->event[i].fired >= 0 && model->event[i].task == SUP_NONE;
}

/** The whole table, if an event has happened since the last one: the state has all of it. */
static sup_status write_events(sup_output *out, const sup_state *state) {
  char             path[4096];
  sup_csv          csv;
  int              num = 0, written = 0;
  const sup_model *model = out->model;
  for (int i = 0; i < state->num_events; i++) num += is_written(model, state, i);
  num += state->num_task_log;
  if (!out->writes || num == out->num_events) return SUP_OK;
  sup_csv_begin(&csv);
  sup_csv_text(&csv, "time"), sup_csv_text(&csv, "event");
  sup_csv_text(&csv, "column"), sup_csv_text(&csv, "value");
  sup_csv_end_row(&csv);
  for (double last = -1, now = HUGE_VAL; written < num; last = now, now = HUGE_VAL) {
    for (int i = 0; i < state->num_events; i++)
      if (is_written(model, state, i) && state->event[i].fired > last)
        now = fmin(now, state->event[i].fired);
    for (int i = 0; i < state->num_task_log; i++)
      if (state->task_log[i].time > last) now = fmin(now, state->task_log[i].time);
    for (int i = 0; i < state->num_events; i++)
      if (is_written(model, state, i) && state->event[i].fired == now)
        put_event(&csv, &model->event[i], &state->event[i]), written++;
    for (int i = 0; i < state->num_task_log; i++)
      if (state->task_log[i].time == now)
        put_task_entry(&csv, model, &state->task_log[i]), written++;
  }
  path_in(path, sizeof path, out, "events.csv");
  SUP_TRY(sup_csv_save(&csv, path));
  out->num_events = num;
  return SUP_OK;
}

sup_status sup_output_step(sup_output *out, const sup_state *state, const sup_step_result *result,
                           const sup_step_report *report) {
  double start = sup_wall_time();
  SUP_TRY(sup_statistics_step(&out->statistics, state->time, report));
  sup_statistics_result(&out->statistics, state, result, report);
  if (result)
    SUP_TRY(
        sup_statistics_penetration(&out->statistics, state->time, result->X_WL, state->x, false));
  if (result && out->obs.options.solver_log && out->writes)
    SUP_TRY(sup_solver_log_write(&out->solver_log, result));
  out->last_report = *report;
  bool is_frame = is_due(out, &out->frame_times, state->time),
       is_row = is_due(out, &out->row_times, state->time) || is_frame;
  if (is_row) {
    sup_observation_update(&out->obs, state, result);
    SUP_TRY(write_observed(out, 1, is_frame));
  }
  SUP_TRY(write_events(out, state));
  out->statistics.wall_output += sup_wall_time() - start;
  return SUP_OK;
}

sup_status sup_output_frame(sup_output *out, const sup_state *state,
                            const sup_step_result *result) {
  if (!(state->time > out->last_frame)) return SUP_OK;
  sup_observation_update(&out->obs, state, result);
  SUP_TRY(write_observed(out, state->time > out->last_row, 1));
  return SUP_OK;
}

/** Length of the failed step [s]; without a report that of the run's steps. */
static double failed_step(const sup_output *out, const sup_step_report *report) {
  return report && report->step_size > 0 ? report->step_size : out->obs.options.dt;
}

sup_status sup_output_failed_step(sup_output *out, const sup_state *state, const double *residual,
                                  const sup_step_report *report) {
  sup_frame_failure failure = {residual};
  sup_observation_update(&out->obs, state, NULL);
  sup_statistics_energy(&out->statistics);
  if (report)
    sup_running_add(&out->statistics.running[sup_statistics_index("inverted_elements")],
                    report->inverted_cells, state->time + failed_step(out, report),
                    report->inverted_body);
  if (out->folder[0])
    SUP_TRY(sup_frames_write(&out->frames, &out->obs, state->time + failed_step(out, report),
                             &failure));
  out->last_frame = out->last_row = HUGE_VAL; /* nothing ordinary follows */
  update_counts(out);
  return SUP_OK;
}

sup_status sup_output_flush(sup_output *out) {
  SUP_TRY(sup_frames_flush(&out->frames));
  if (!out->writes) return SUP_OK;
  SUP_TRY(sup_history_flush(&out->history));
  if (out->solver_log.file >= 0) SUP_TRY(sup_csv_flush(&out->solver_log));
  return SUP_OK;
}

void sup_output_warn(sup_output *out, const char *message) {
  if (out->num_told == SUP_MAX_WARNINGS) return;
  for (int i = 0; i < out->num_told; i++)
    if (strncmp(out->told[i], message, SUP_VERDICT_TEXT - 1) == 0) return;
  snprintf(out->told[out->num_told++], SUP_VERDICT_TEXT, "%s", message);
}

const sup_verdicts *sup_output_judge(sup_output *out, const sup_state *state,
                                     const sup_step_result *result) {
  if (state->time > out->last_row) sup_observation_update(&out->obs, state, result);
  sup_observation_recover(&out->obs);
  if (sup_statistics_penetration(&out->statistics, out->obs.time, out->obs.X_WL, out->obs.x, true))
    sup_output_warn(out, sup_error_message());
  sup_verdicts_evaluate(&out->verdicts, &out->statistics);
  sup_verdicts_add_log(&out->verdicts, out->num_told, out->told);
  return &out->verdicts;
}

sup_status sup_output_finish(sup_output *out, const sup_state *state, const sup_step_result *result,
                             sup_outcome outcome, const char *message) {
  char   path[4096];
  double start = sup_wall_time();
  if (result && state->time > out->last_frame) {
    SUP_TRY(sup_output_frame(out, state, result));
  } else if (state->time > out->last_row) {
    sup_observation_update(&out->obs, state, NULL);
    sup_statistics_energy(&out->statistics);
    out->last_row = state->time;
  }
  const sup_verdict *failure = sup_verdicts_failure(sup_output_judge(out, state, NULL));
  char               is_void[sizeof failure->text + 32];
  if (failure && outcome == SUP_OUTCOME_COMPLETED) {
    snprintf(is_void, sizeof is_void, "the result is void: %s", failure->text);
    outcome = SUP_OUTCOME_FAILED, message = is_void;
  }
  sup_summary summary = {.statistics = &out->statistics,
                         .state = state,
                         .outcome = outcome,
                         .message = message,
                         .title = out->title,
                         .verdicts = &out->verdicts};
  out->statistics.wall_output += sup_wall_time() - start;
  if (out->writes) SUP_TRY(sup_folder_lock_check(&out->lock));
  SUP_TRY(sup_output_flush(out));
  if (!out->writes) return SUP_OK;
  path_in(path, sizeof path, out, "summary.json");
  SUP_TRY(sup_summary_write(path, &summary));
  if (!out->has_manifest) return SUP_OK;
  path_in(path, sizeof path, out, "manifest.json");
  SUP_TRY(sup_manifest_write(&out->manifest, path, sup_outcome_text(outcome),
                             sup_wall_time() - out->statistics.wall_start));
  return SUP_OK;
}

const sup_verdicts *sup_output_verdicts(const sup_output *out) { return &out->verdicts; }

const sup_statistics *sup_output_statistics(const sup_output *out) { return &out->statistics; }
