/* A state as one file: a line for each array with its name, item size and count, then its bytes; a
 * hash at the end, so that a file is whole or none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/inputs.h"

/** The second line of the first tells the order of bytes. */
static const char     first_line[] = "supple state 1\n";
static const uint64_t order_mark = UINT64_C(0x0102030405060708);

enum { MAX_FIELDS = 32, LINE_SIZE = 120 };

/** An array of the state. */
typedef struct field {
  const char *name;
  void       *data;
  size_t      size, count; /* of an item; items */
} field;

typedef struct field_list {
  field field[MAX_FIELDS];
  int   count;
} field_list;

static void add(field_list *list, const char *name, void *data, size_t size, size_t count) {
  SUP_ASSERT(list->count < MAX_FIELDS);
  if (data) list->field[list->count++] = (field){name, data, size, count};
}

/** Arrays whose sizes the model and its options say. */
static void list_fixed(field_list *list, sup_state *s) {
  size_t n = 3 * (size_t)s->num_vertices;
  add(list, "time", &s->time, sizeof s->time, 1);
  add(list, "step", &s->step, sizeof s->step, 1);
  add(list, "q", s->q, sizeof *s->q, (size_t)s->num_q);
  add(list, "v", s->v, sizeof *s->v, (size_t)s->num_v);
  add(list, "x", s->x, sizeof *s->x, n);
  add(list, "xdot", s->xdot, sizeof *s->xdot, n);
  add(list, "load_step", &s->load_step, sizeof s->load_step, 1);
  add(list, "next_step", &s->control.step, sizeof s->control.step, 1);
  add(list, "step_error", &s->control.error, sizeof s->control.error, 1);
  add(list, "second_order_steps", &s->control.num_second, sizeof s->control.num_second, 1);
  add(list, "mean", s->mean, sizeof *s->mean, n);
  add(list, "momentum_before", s->momentum_before, sizeof *s->momentum_before, n);
  add(list, "mean_step", &s->mean_step, sizeof s->mean_step, 1);
  add(list, "past", s->past, sizeof *s->past, 4 * n);
  add(list, "past_step", s->past_step, sizeof *s->past_step, 2);
  add(list, "has_history", s->has_history, sizeof *s->has_history, (size_t)s->num_softs);
}

/** What was set from outside. */
static void list_inputs(field_list *list, sup_inputs *in) {
  add(list, "ramps", in->ramp, sizeof *in->ramp, (size_t)in->start[SUP_NUM_DRIVEN]);
  add(list, "inputs", in->value, sizeof *in->value, in->num_values);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct state_writer {
  sup_file_writer file;
  uint64_t        hash;
} state_writer;

/** What the disk refuses is told when the file is closed. */
static void put(state_writer *w, const void *data, size_t bytes) {
  w->hash = sup_hash_bytes(w->hash, data, bytes);
  (void)!fwrite(data, 1, bytes, w->file.file);
}

static void put_field(state_writer *w, const field *f) {
  char line[LINE_SIZE];
  int  length = snprintf(line, sizeof line, "%s %zu %zu\n", f->name, f->size, f->count);
  put(w, line, (size_t)length);
  if (f->count) put(w, f->data, f->size * f->count);
  put(w, "\n", 1);
}

sup_status sup_state_save(const sup_state *state, const char *path) {
  sup_state    copy = *state; /* fields are pointers that reading writes to */
  state_writer w = {.hash = sup_hash_begin()};
  field_list   list = {.count = 0};
  uint64_t     mark = order_mark;
  list_fixed(&list, &copy);
  if (state->num_known)
    add(&list, "known", copy.known, sizeof *copy.known, (size_t)state->num_known);
  if (state->num_anchors)
    add(&list, "anchors", copy.anchor, sizeof *copy.anchor, (size_t)state->num_anchors);
  if (state->inputs && state->inputs->is_set) list_inputs(&list, state->inputs);
  SUP_TRY(sup_file_open(&w.file, path));
  put(&w, first_line, sizeof first_line - 1);
  put(&w, &mark, sizeof mark);
  for (int i = 0; i < list.count; i++) put_field(&w, &list.field[i]);
  put(&w, "end\n", 4);
  uint64_t hash = w.hash;
  put(&w, &hash, sizeof hash);
  SUP_TRY(sup_file_commit_durably(&w.file));
  return SUP_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct state_reader {
  const char *path, *at, *end;
} state_reader;

/** The line of the next array; its data stand at `at` then.  0: it is none. */
static int next_field(state_reader *r, char name[LINE_SIZE], size_t *size, size_t *count) {
  const char *line_end = memchr(r->at, '\n', (size_t)(r->end - r->at));
  char        line[LINE_SIZE];
  int         used = 0;
  if (!line_end || line_end - r->at >= LINE_SIZE - 1) return 0;
  memcpy(line, r->at, (size_t)(line_end - r->at));
  line[line_end - r->at] = '\0';
  if (sscanf(line, "%60s %zu %zu%n", name, size, count, &used) != 3 || line[used]) return 0;
  r->at = line_end + 1;
  return *size > 0 && *count < (size_t)(r->end - r->at) / *size + 1;
}

static sup_status check_whole(const state_reader *r, const char *data, size_t bytes) {
  uint64_t mark, hash;
  size_t   head = sizeof first_line - 1;
  if (bytes < head + sizeof mark || memcmp(data, first_line, head - 2) != 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: this is no state; such a file begins with '%.12s'", r->path,
                    first_line);
  if (memcmp(data, first_line, head) != 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: a state of another format than 1, the one that is read",
                    r->path);
  memcpy(&mark, data + head, sizeof mark);
  if (mark != order_mark)
    return SUP_FAIL(SUP_E_PARSE, "%s: its numbers have the byte order of another machine", r->path);
  if (bytes < head + sizeof mark + 4 + sizeof hash)
    hash = 0;
  else
    memcpy(&hash, data + bytes - sizeof hash, sizeof hash);
  if (hash != sup_hash_bytes(sup_hash_begin(), data, bytes < sizeof hash ? 0 : bytes - sizeof hash))
    return SUP_FAIL(SUP_E_PARSE, "%s: the file is cut off or was changed: its hash does not fit",
                    r->path);
  return SUP_OK;
}

/** Room for what differs from state to state. */
static sup_status make_room(sup_state *s, const sup_model *model, const char *name, size_t size,
                            size_t count, field_list *list) {
  if (strcmp(name, "known") == 0 && size == sizeof *s->known && count < INT32_MAX) {
    SUP_TRY(SUP_GROW(s->known, s->known_capacity, count));
    s->num_known = (int)count;
    add(list, "known", s->known, size, count);
  } else if (strcmp(name, "anchors") == 0 && size == sizeof *s->anchor && count < INT32_MAX) {
    SUP_TRY(SUP_GROW(s->anchor, s->anchor_capacity, count));
    s->num_anchors = (int)count;
    add(list, "anchors", s->anchor, size, count);
  } else if (strcmp(name, "ramps") == 0) {
    SUP_TRY(sup_inputs_need(s, model));
    list_inputs(list, s->inputs);
  }
  return SUP_OK;
}

static sup_status read_field(state_reader *r, sup_state *s, const sup_model *model,
                             field_list *list, unsigned *seen) {
  char   name[LINE_SIZE] = "";
  size_t size = 0, count = 0;
  if (!next_field(r, name, &size, &count))
    return SUP_FAIL(SUP_E_PARSE, "%s: a line that begins an array is broken", r->path);
  SUP_TRY(make_room(s, model, name, size, count, list));
  int i = 0;
  while (i < list->count && strcmp(list->field[i].name, name) != 0) i++;
  if (i == list->count)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: it has '%s', which a state of this model and its options has not", r->path,
                    name);
  const field *f = &list->field[i];
  if (f->size != size || f->count != count)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: a state of another model: its '%s' has %zu numbers of %zu bytes, that of "
                    "this model %zu of %zu",
                    r->path, name, count, size, f->count, f->size);
  memcpy(f->data, r->at, size * count);
  r->at += size * count + 1;
  *seen |= 1U << i;
  return SUP_OK;
}

static sup_status read_fields(state_reader *r, sup_state *s, const sup_model *model) {
  field_list list = {.count = 0};
  unsigned   seen = 0;
  list_fixed(&list, s);
  int num_fixed = list.count;
  while (r->at < r->end - 4) SUP_TRY(read_field(r, s, model, &list, &seen));
  for (int i = 0; i < num_fixed; i++)
    if (!(seen & 1U << i))
      return SUP_FAIL(SUP_E_ARG, "%s: a state of another model or other options: it has no '%s'",
                      r->path, list.field[i].name);
  return SUP_OK;
}

/** Into a state of the model whose arrays may be overwritten. */
static sup_status parse(sup_state *s, const sup_model *model, const char *path, const char *data,
                        size_t bytes) {
  state_reader r = {.path = path};
  SUP_TRY(check_whole(&r, data, bytes));
  r.at = data + sizeof first_line - 1 + sizeof order_mark;
  r.end = data + bytes - sizeof order_mark;
  s->num_known = s->num_anchors = 0;
  if (s->inputs) sup_inputs_clear(s->inputs);
  SUP_TRY(read_fields(&r, s, model));
  return SUP_OK;
}

sup_status sup_state_load(sup_state **out, const sup_model *model, const sup_options *options,
                          const char *path) {
  sup_state *state = NULL;
  char      *data = NULL;
  size_t     bytes = 0;
  sup_status status;
  *out = NULL;
  SUP_TRY(sup_state_create(&state, model, options));
  SUP_TRY_GOTO(sup_file_read(path, &data, &bytes), status, done);
  SUP_TRY_GOTO(parse(state, model, path, data, bytes), status, done);
  *out = state, state = NULL;
done:
  SUP_FREE(data);
  sup_state_destroy(&state);
  return status;
}
