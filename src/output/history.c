#include "output/history.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"

/* ---- headers --------------------------------------------------------------------------------- */

static sup_status put_names(const sup_observable *observable, const char *prefix, int index,
                            void *user) {
  char column[SUP_COLUMN_MAX];
  (void)index;
  for (int k = 0; k < sup_observable_width(observable); k++) {
    sup_observable_column(observable, k, prefix, column);
    sup_csv_text(user, column);
  }
  return SUP_OK;
}

static sup_status name_all_columns(sup_csv *csv, const sup_model *model, const sup_options *options,
                                   const sup_column_def *def) {
  SUP_TRY(sup_columns_visit_named(model, options, def, put_names, csv));
  sup_csv_end_row(csv);
  return csv->status;
}

static sup_status add_entry(const sup_observable *observable, const char *prefix, int index,
                            void *user) {
  sup_history *history = user;
  (void)prefix;
  SUP_TRY(SUP_GROW(history->entry, history->capacity, history->num_entries + 1));
  int width = sup_observable_width(observable);
  history->entry[history->num_entries++] =
      (sup_history_entry){observable, index, history->num_columns, width, 0};
  history->num_columns += width;
  return SUP_OK;
}

sup_status sup_history_columns(const sup_model *model, const sup_options *options,
                               const sup_column_def *def, char **line) {
  sup_csv    csv = {.file = -1};
  sup_status status = name_all_columns(&csv, model, options, def);
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

/* ---- creation -------------------------------------------------------------------------------- */

/** @param[in] bytes  of it that stay; negative: begin anew */
static sup_status open_in(sup_csv *csv, const char *folder, const char *name, long bytes) {
  char path[4096];
  int  length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  if (bytes < 0)
    SUP_TRY(sup_csv_open(csv, path));
  else
    SUP_TRY(sup_csv_reopen(csv, path, bytes));
  return SUP_OK;
}

static sup_status write_headers(sup_history *history, const sup_observation *obs,
                                const sup_column_def *def) {
  SUP_TRY(name_all_columns(&history->rows, obs->model, &obs->options, def));
  name_contact_columns(&history->contacts);
  SUP_TRY(sup_csv_flush(&history->rows));
  SUP_TRY(sup_csv_flush(&history->contacts));
  return SUP_OK;
}

sup_history_mark sup_history_mark_of(const sup_history *history) {
  return (sup_history_mark){history->rows.bytes, history->contacts.bytes, history->rows.nonfinite,
                            history->contacts.nonfinite};
}

static sup_status open_both(sup_history *history, const char *folder,
                            const sup_history_mark *from) {
  SUP_TRY(open_in(&history->rows, folder, "history.csv", from ? from->rows : -1));
  SUP_TRY(open_in(&history->contacts, folder, "contacts.csv", from ? from->contacts : -1));
  if (!from) return SUP_OK;
  history->rows.nonfinite = from->rows_nonfinite;
  history->contacts.nonfinite = from->contacts_nonfinite;
  return SUP_OK;
}

sup_status sup_history_create(sup_history *history, const sup_observation *obs, const char *folder,
                              const sup_column_def *def, const sup_history_mark *from) {
  *history = (sup_history){0};
  history->rows.file = history->contacts.file = -1;
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(history->pair, def->num_pairs), status, fail);
  history->num_probes = def->num_probes;
  SUP_TRY_GOTO(sup_probes_find(&history->probe, obs->model, def->probes, def->num_probes), status,
               fail);
  for (int i = 0; i < def->num_pairs; i++) history->pair[i] = sup_columns_pair(obs, def->pair[i]);
  SUP_TRY_GOTO(open_both(history, folder, from), status, fail);
  if (!from) SUP_TRY_GOTO(write_headers(history, obs, def), status, fail);
  SUP_TRY_GOTO(sup_columns_visit_named(obs->model, &obs->options, def, add_entry, history), status,
               fail);
  SUP_TRY_GOTO(SUP_CALLOC(history->value, history->num_columns), status, fail);
  return SUP_OK;
fail:
  sup_history_free(history);
  return status;
}

sup_status sup_history_flush(sup_history *history) {
  SUP_TRY(sup_csv_flush(&history->rows));
  SUP_TRY(sup_csv_flush(&history->contacts));
  return SUP_OK;
}

void sup_history_free(sup_history *history) {
  sup_csv_close(&history->rows);
  sup_csv_close(&history->contacts);
  sup_probes_free(&history->probe, history->num_probes);
  SUP_FREE_ALL(&history->pair, &history->entry, &history->value);
  history->num_columns = 0;
  history->num_entries = history->capacity = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/** A pair in the order of the model: force on b, moment about b's origin. */
static void put_pair(sup_csv *csv, const sup_pair_sum *sum) {
  const double wrench[6] = {sum->force.x,    sum->force.y,    sum->force.z,
                            sum->moment_b.x, sum->moment_b.y, sum->moment_b.z};
  sup_csv_numbers(csv, wrench, 6);
  sup_csv_integer(csv, sum->count);
  sup_csv_number(csv, sum->area);
  sup_csv_number(csv, sum->penetration);
}

sup_status sup_history_write_contacts(sup_history *history, const sup_observation *obs) {
  sup_csv *csv = &history->contacts;
  for (int i = 0; i < obs->num_pairs; i++) {
    const sup_pair_sum *sum = &obs->pair[i];
    if (sum->count == 0) continue;
    sup_csv_number(csv, obs->time);
    sup_csv_text(csv, obs->model->body[sum->a].name);
    sup_csv_text(csv, obs->model->body[sum->b].name);
    put_pair(csv, sum);
    sup_csv_end_row(csv);
  }
  SUP_TRY(sup_csv_flush_often(csv));
  return SUP_OK;
}

/** The row of the values: empty fields without a value. */
static void put_row(sup_history *history) {
  int first = 0; /* of the numbers that are not yet put */
  for (size_t k = 0; k < history->num_entries; k++) {
    const sup_history_entry *entry = &history->entry[k];
    if (entry->is_there) continue;
    sup_csv_numbers(&history->rows, history->value + first, entry->column - first);
    for (int i = 0; i < entry->width; i++) sup_csv_text(&history->rows, "");
    first = entry->column + entry->width;
  }
  sup_csv_numbers(&history->rows, history->value + first, history->num_columns - first);
  sup_csv_end_row(&history->rows);
}

sup_status sup_history_write(sup_history *history, const sup_observation *obs,
                             const sup_step_report *report, const sup_soft_account *account) {
  sup_observed at = {obs, report, account, history->pair, history->probe, 0};
  for (size_t k = 0; k < history->num_entries; k++) {
    sup_history_entry *entry = &history->entry[k];
    at.index = entry->index;
    entry->is_there = entry->observable->value(&at, history->value + entry->column);
  }
  put_row(history);
  SUP_TRY(sup_csv_flush_often(&history->rows));
  return SUP_OK;
}
