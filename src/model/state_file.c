/* A state as named arrays, in a file of its own or among other things. */
#include "model/state_file.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/anchor.h"
#include "model/cable.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/internal_file.h"
#include "model/task.h"

static const char kind[] = "state";
enum { VERSION = 1 };

/** Append an array to the list unless `data` is NULL: the state has none. */
static void add(sup_archive_list *list, const char *name, void *data, size_t size, size_t count) {
  if (data) sup_archive_list_add(list, name, data, size, count);
}

/** Append the arrays whose sizes follow from the model and its options. */
static void list_fixed(sup_archive_list *list, sup_state *s) {
  size_t n = 3 * (size_t)s->num_vertices;
  add(list, "time", &s->time, sizeof s->time, 1);
  add(list, "step", &s->step, sizeof s->step, 1);
  add(list, "q", s->q, sizeof *s->q, (size_t)s->num_q);
  add(list, "v", s->v, sizeof *s->v, (size_t)s->num_v);
  add(list, "x", s->x, sizeof *s->x, n);
  add(list, "xdot", s->xdot, sizeof *s->xdot, n);
  if (s->num_internal) add(list, "internal", s->internal, sizeof *s->internal, s->num_internal);
  if (s->num_levers)
    add(list, "lever_rate", s->lever_rate, sizeof *s->lever_rate, 4 * (size_t)s->num_levers);
  if (s->num_chambers)
    add(list, "chamber_pressure", s->chamber_pressure, sizeof *s->chamber_pressure,
        (size_t)s->num_chambers);
  if (s->num_strands)
    add(list, "strands", s->strand, sizeof(double),
        (size_t)s->num_strands * (sizeof *s->strand / sizeof(double)));
  if (s->num_constraint_places)
    add(list, "constraint_place", s->constraint_place, sizeof *s->constraint_place,
        (size_t)s->num_constraint_places);
  if (s->num_events) {
    add(list, "events", s->event, sizeof(double),
        (size_t)s->num_events * (sizeof *s->event / sizeof(double)));
    add(list, "hold_rest", s->hold_rest, sizeof *s->hold_rest, n);
  }
  if (s->num_tasks) {
    add(list, "tasks", s->task, sizeof(double),
        (size_t)s->num_tasks * (sizeof *s->task / sizeof(double)));
    add(list, "phase_failures", s->phase_failures, sizeof(double), (size_t)s->num_phases);
  }
  add(list, "load_step", &s->load_step, sizeof s->load_step, 1);
  add(list, "next_step", &s->control.step, sizeof s->control.step, 1);
  add(list, "step_error", &s->control.error, sizeof s->control.error, 1);
  add(list, "second_order_steps", &s->control.num_second, sizeof s->control.num_second, 1);
  add(list, "mean", s->mean, sizeof *s->mean, n);
  add(list, "momentum_before", s->momentum_before, sizeof *s->momentum_before, n);
  add(list, "impulse_before", s->impulse_before, sizeof *s->impulse_before, n);
  add(list, "partner", s->partner, sizeof *s->partner, 3 * (size_t)s->num_softs);
  add(list, "mean_step", &s->mean_step, sizeof s->mean_step, 1);
  add(list, "past", s->past, sizeof *s->past, 4 * n);
  add(list, "past_step", s->past_step, sizeof *s->past_step, 2);
  add(list, "has_history", s->has_history, sizeof *s->has_history, (size_t)s->num_softs);
}

/** Append the arrays of inputs that were set from outside. */
static void list_inputs(sup_archive_list *list, sup_inputs *in) {
  add(list, "ramps", in->ramp, sizeof *in->ramp, (size_t)in->start[SUP_NUM_DRIVEN]);
  add(list, "inputs", in->value, sizeof *in->value, in->num_values);
}

/** Append the mean velocities and durations of the last two load steps. */
static void list_path(sup_archive_list *list, sup_state *s) {
  add(list, "path", s->path, sizeof *s->path, 6 * (size_t)s->num_vertices);
  add(list, "path_step", s->path_step, sizeof *s->path_step, 2);
}

/** Append the matrix whose factor steps use, and its waits. */
static void list_kept_matrix(sup_archive_list *list, sup_kept_matrix *kept) {
  add(list, "kept_matrix", kept->value, sizeof *kept->value, kept->count);
  add(list, "kept_stale", &kept->is_stale, sizeof kept->is_stale, 1);
  add(list, "kept_wait", &kept->wait, sizeof kept->wait, 1);
  add(list, "kept_pause", &kept->pause, sizeof kept->pause, 1);
}

/* ---- writing --------------------------------------------------------------------------------- */

/** Write the arrays that are equal on all ranks; with `internal` unless it is scattered over ranks.
 */
static void put_fields(const sup_state *state, bool is_scattered, const char *prefix,
                       sup_archive_writer *writer) {
  sup_state        copy = *state; /* fields are pointers that reading writes to */
  sup_archive_list list = {.count = 0};
  if (is_scattered) copy.num_internal = 0;
  list_fixed(&list, &copy);
  if (state->num_known)
    add(&list, "known", copy.known, sizeof *copy.known, (size_t)state->num_known);
  if (state->num_anchors)
    add(&list, "anchors", copy.anchor, sizeof *copy.anchor, (size_t)state->num_anchors);
  if (state->num_task_log)
    add(&list, "task_log", copy.task_log, sizeof *copy.task_log, (size_t)state->num_task_log);
  if (state->kept_matrix && state->kept_matrix->count) list_kept_matrix(&list, state->kept_matrix);
  if (state->path) list_path(&list, &copy);
  if (state->inputs && state->inputs->is_set) list_inputs(&list, state->inputs);
  for (int i = 0; i < list.count; i++) sup_archive_put(writer, prefix, &list.item[i]);
}

sup_status sup_state_put(const sup_state *state, const sup_model *model, const char *prefix,
                         sup_archive_writer *writer) {
  bool is_scattered = model && model->ranks;
  if (writer) put_fields(state, is_scattered, prefix, writer);
  if (is_scattered) SUP_TRY(sup_internal_put(model, state->internal, prefix, writer));
  return SUP_OK;
}

sup_status sup_state_save(const sup_state *state, const char *path) {
  sup_archive_writer writer;
  SUP_TRY(sup_archive_create(&writer, path, kind, VERSION));
  sup_status status = sup_state_put(state, NULL, "", &writer);
  if (status != SUP_OK) sup_archive_abandon(&writer);
  SUP_TRY(status);
  sup_archive_end(&writer);
  SUP_TRY(sup_archive_commit(&writer));
  return SUP_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/** Allocate an array whose size differs from state to state. */
static sup_status make_room(sup_state *s, const sup_model *model, const char *name,
                            const sup_archive_entry *entry, sup_archive_list *list) {
  size_t size = entry->size, count = entry->count;
  if (strcmp(name, "known") == 0 && size == sizeof *s->known && count < INT32_MAX) {
    SUP_TRY(SUP_GROW(s->known, s->known_capacity, count));
    s->num_known = (int)count;
    add(list, "known", s->known, size, count);
  } else if (strcmp(name, "anchors") == 0 && size == sizeof *s->anchor && count < INT32_MAX) {
    SUP_TRY(SUP_GROW(s->anchor, s->anchor_capacity, count));
    s->num_anchors = (int)count;
    add(list, "anchors", s->anchor, size, count);
  } else if (strcmp(name, "task_log") == 0 && size == sizeof *s->task_log && count < INT32_MAX) {
    SUP_TRY(SUP_GROW(s->task_log, s->task_log_capacity, count));
    s->num_task_log = (int)count;
    add(list, "task_log", s->task_log, size, count);
  } else if (strcmp(name, "kept_matrix") == 0 && size == sizeof *s->kept_matrix->value) {
    SUP_TRY(sup_state_keep_matrix(s));
    SUP_TRY(SUP_GROW(s->kept_matrix->value, s->kept_matrix->capacity, count));
    s->kept_matrix->count = count;
    list_kept_matrix(list, s->kept_matrix);
  } else if (strcmp(name, "path") == 0) {
    SUP_TRY(sup_state_need_path(s));
    list_path(list, s);
  } else if (strcmp(name, "ramps") == 0) {
    SUP_TRY(sup_inputs_need(s, model));
    list_inputs(list, s->inputs);
  }
  return SUP_OK;
}

static sup_status read_field(const sup_archive *archive, const sup_archive_entry *entry,
                             const char *name, sup_state *s, const sup_model *model,
                             sup_archive_list *list, uint64_t *seen) {
  SUP_TRY(make_room(s, model, name, entry, list));
  int i = 0;
  while (i < list->count && strcmp(list->item[i].name, name) != 0) i++;
  if (i == list->count)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: found '%s', which no state of this model with these options has",
                    archive->path, name);
  const sup_archive_item *f = &list->item[i];
  if (f->size != entry->size || f->count != entry->count)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: a state of another model: its '%s' has %zu numbers of %zu bytes, that of "
                    "this model %zu of %zu",
                    archive->path, name, entry->count, entry->size, f->count, f->size);
  if (model->ranks && f->data == s->internal)
    sup_internal_get(model, entry->data, s->internal);
  else if (f->count)
    memcpy(f->data, entry->data, f->size * f->count);
  *seen |= (uint64_t)1 << i;
  return SUP_OK;
}

/** Append the arrays that the file must have; with ranks its `internal` is longer than the state's.
 */
static void list_expected(sup_archive_list *list, sup_state *s, const sup_model *model) {
  size_t own = s->num_internal, all = model->ranks ? sup_internal_size(model) : 0;
  if (model->ranks) s->num_internal = 0;
  list_fixed(list, s);
  s->num_internal = own;
  if (all > 0) sup_archive_list_add(list, "internal", s->internal, sizeof *s->internal, all);
}

/** A state from before there were events has none that happened. */
static bool is_of_events(const char *name) {
  return strcmp(name, "events") == 0 || strcmp(name, "hold_rest") == 0;
}

static sup_status read_fields(const sup_archive *archive, const char *prefix, sup_state *s,
                              const sup_model *model) {
  sup_archive_list list = {.count = 0};
  uint64_t         seen = 0;
  size_t           length = strlen(prefix);
  list_expected(&list, s, model);
  int num_fixed = list.count;
  s->num_known = s->num_anchors = s->num_task_log = 0;
  if (s->inputs) sup_inputs_clear(s->inputs);
  for (size_t i = 0; i < archive->num_entries; i++) {
    const sup_archive_entry *entry = &archive->entry[i];
    if (strncmp(entry->name, prefix, length) == 0)
      SUP_TRY(read_field(archive, entry, entry->name + length, s, model, &list, &seen));
  }
  for (int i = 0; i < num_fixed; i++)
    if (!(seen & (uint64_t)1 << i) && !is_of_events(list.item[i].name))
      return SUP_FAIL(SUP_E_ARG,
                      "%s: a state of another model, other options or another version: it has no "
                      "'%s'",
                      archive->path, list.item[i].name);
  return SUP_OK;
}

sup_status sup_state_get(sup_state **out, const sup_model *model, const sup_options *options,
                         const sup_archive *archive, const char *prefix) {
  sup_state *state = NULL;
  *out = NULL;
  SUP_TRY(sup_state_create(&state, model, options));
  sup_status status = read_fields(archive, prefix, state, model);
  if (status == SUP_OK && state->kept_matrix) sup_kept_matrix_stamp(state->kept_matrix);
  if (status == SUP_OK) *out = state, state = NULL;
  sup_state_destroy(&state);
  SUP_TRY(status);
  return SUP_OK;
}

sup_status sup_state_load(sup_state **out, const sup_model *model, const sup_options *options,
                          const char *path) {
  sup_archive archive;
  *out = NULL;
  SUP_TRY(sup_archive_open(&archive, path, kind, VERSION));
  sup_status status = sup_state_get(out, model, options, &archive, "");
  sup_archive_close(&archive);
  SUP_TRY(status);
  return SUP_OK;
}
