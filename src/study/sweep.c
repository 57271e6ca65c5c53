#define _DEFAULT_SOURCE /* realpath */
#include "study/sweep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "output/format/csv.h"
#include "study/design.h"
#include "study/ladder.h"
#include "study/report.h"

enum { FIELD_SIZE = 2 * SUP_NAME_MAX };

static const char *const status_words[] = {"waits", "waits", "done", "done", "failed"};

/** "wall [mm]" */
static const char *heading(char text[FIELD_SIZE], const char *name, const char *unit) {
  snprintf(text, FIELD_SIZE, "%s%s%s%s", name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
  return text;
}

static void put_parameter(sup_csv *csv, const sup_parameter *parameter, const sup_level *level) {
  const char *text = sup_parameter_value(parameter, level), *unit;
  double      value;
  if (parameter->is_number && sup_leading_number(text, &value, &unit))
    sup_csv_number(csv, value);
  else
    sup_csv_text(csv, text);
}

static void put_case(sup_csv *csv, const sup_study *study, int i) {
  const sup_level *level = &study->family[0].level[i];
  int              there = sup_level_is_complete(level);
  sup_csv_integer(csv, i + 1);
  for (int p = 0; p < study->num_parameters; p++) put_parameter(csv, &study->parameter[p], level);
  for (int q = 0; q < study->num_quantities; q++)
    sup_csv_number(csv, there ? level->value[q] : SUP_NO_NUMBER);
  sup_csv_text(csv, status_words[level->status]);
  sup_csv_text(csv, level->message);
  sup_csv_integer(csv, level->num_warnings);
  sup_csv_number(csv, there ? level->unknowns : SUP_NO_NUMBER);
  sup_csv_number(csv, there ? level->wall : SUP_NO_NUMBER);
  sup_csv_number(csv, there ? level->memory / 1e6 : SUP_NO_NUMBER);
  sup_csv_end_row(csv);
}

static sup_status write_csv(const sup_study *study, const char *path) {
  static const char *const last[] = {"status",   "message",  "warnings",
                                     "unknowns", "wall [s]", "memory [MB]"};
  sup_csv                  csv;
  char                     text[FIELD_SIZE];
  sup_csv_begin(&csv);
  sup_csv_text(&csv, "case");
  for (int p = 0; p < study->num_parameters; p++)
    sup_csv_text(&csv, heading(text, study->parameter[p].name, study->parameter[p].unit));
  for (int q = 0; q < study->num_quantities; q++)
    sup_csv_text(&csv, heading(text, study->quantity[q].name, study->quantity[q].unit));
  for (size_t k = 0; k < sizeof last / sizeof *last; k++) sup_csv_text(&csv, last[k]);
  sup_csv_end_row(&csv);
  for (int i = 0; i < study->family[0].num_levels; i++) put_case(&csv, study, i);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

static void put_columns(sup_json *json, const sup_study *study) {
  char text[FIELD_SIZE];
  sup_json_begin_array(json, "parameters");
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "name", parameter->name);
    sup_json_text(json, "column", heading(text, parameter->name, parameter->unit));
    sup_json_text(json, "unit", parameter->unit);
    sup_json_end(json);
  }
  sup_json_end(json);
  sup_json_begin_array(json, "quantities");
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_quantity_def *def = &study->quantity[q];
    sup_json_begin_object(json, NULL);
    sup_json_text(json, "name", def->name);
    sup_json_text(json, "column", heading(text, def->name, def->unit));
    sup_json_text(json, "unit", def->unit);
    sup_json_text(json, "source", def->source);
    if (!def->is_summary) sup_json_text(json, "take", sup_window_value_name(def->take));
    sup_json_end(json);
  }
  sup_json_end(json);
}

static sup_status write_json(const sup_study *study, const char *path) {
  static const char *const designs[] = {"grid", "list", "latin_hypercube"};
  int                      count[sizeof status_words / sizeof *status_words] = {0};
  sup_json                 json;
  for (int i = 0; i < study->family[0].num_levels; i++) count[study->family[0].level[i].status]++;
  SUP_TRY(sup_study_open_json(&json, study, path));
  sup_json_text(&json, "design", designs[study->design]);
  sup_json_number(&json, "tolerance", study->tolerance);
  sup_json_integer(&json, "cases", study->family[0].num_levels);
  sup_json_integer(&json, "done", count[SUP_LEVEL_DONE] + count[SUP_LEVEL_KEPT]);
  sup_json_integer(&json, "failed", count[SUP_LEVEL_FAILED]);
  put_columns(&json, study);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

sup_status sup_sweep_write(const sup_study *study, const char *folder) {
  static const sup_study_file files[] = {{"sweep.csv", write_csv}, {"sweep.json", write_json}};
  return sup_study_write_files(study, folder, files, 2);
}

/* ---- Slurm ----------------------------------------------------------------------------------- */

/** Write a text as one word of the shell. */
static void put_word(FILE *out, const char *word) {
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}

sup_status sup_sweep_write_slurm(const sup_study *study, const char *folder, const char *program,
                                 int parts) {
  char            path[SUP_STUDY_PATH_SIZE], here[PATH_MAX], file[PATH_MAX];
  double          need = study->family[0].level[0].need / 1e6; /* of one case at a time */
  sup_file_writer out;
  SUP_TRY(sup_make_folder(folder));
  if (!realpath(folder, here) || !realpath(study->path, file))
    return SUP_FAIL(SUP_E_IO, "cannot find %s or %s", folder, study->path);
  snprintf(path, sizeof path, "%.3900s/sweep.slurm", folder);
  SUP_TRY(sup_file_open(&out, path));
  sup_file_print(
      out.file,
      "#!/bin/sh\n"
      "# sbatch this file; when all jobs have ended, `supple sweep` with the same study and\n"
      "# folder collects their cases into sweep.csv.\n"
      "#SBATCH --job-name=%s\n"
      "#SBATCH --array=0-%d\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task=%d\n"
      "#SBATCH --mem=%.0fM\n"
      "#SBATCH --output=%s/slurm_%%a.log\n"
      "exec ",
      study->name, parts - 1, study->threads, 200 + 2 * need, here);
  put_word(out.file, program);
  fputs(" sweep ", out.file);
  put_word(out.file, file);
  fputs(" -o ", out.file);
  put_word(out.file, here);
  sup_file_print(out.file, " --jobs 1 --part \"$SLURM_ARRAY_TASK_ID/%d\"\n", parts);
  return sup_file_commit(&out);
}
