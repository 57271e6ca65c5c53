#include "app/study/budget.h"

#include <math.h>
#include <stdio.h>

#include "app/app.h"
#include "app/study/estimate.h"
#include "app/study/levels.h"

enum { FIELD_SIZE = 40 };

/* ---- the table ------------------------------------------------------------------------------- */

/** Ratio part / whole in percent; "-" when it is not finite. */
static const char *percent(char text[FIELD_SIZE], double part, double whole) {
  snprintf(text, FIELD_SIZE, "-");
  if (isfinite(part / whole)) snprintf(text, FIELD_SIZE, "%.2g %%", 100 * part / whole + 0.0);
  return text;
}

static void print_part(const sup_estimate *e, const sup_estimate_row *row, sup_source source) {
  const sup_error_bar *part = &row->part[source];
  int                  f = sup_estimate_find(e, source, 1);
  char                 text[3][FIELD_SIZE], order[FIELD_SIZE] = "-", cost[FIELD_SIZE] = "-",
                            share[FIELD_SIZE] = "-";
  double size = fabs(row->value), left = row->error - part->error;
  if (isfinite(part->order)) snprintf(order, sizeof order, "%.2g", part->order);
  if (isfinite(e->cost[f])) snprintf(cost, sizeof cost, "%.2g", e->cost[f]);
  if (isfinite(row->error) && row->error > 0)
    snprintf(share, sizeof share, "%.0f %%", 100 * part->error / row->error);
  printf("  %-8s %12s %8s %12s %10s %14s %12s\n", sup_source_name(source),
         percent(text[0], row->repeat[f] - row->value, row->value), order,
         isnan(part->error) ? "not converged" : percent(text[1], part->error, size), share,
         percent(text[2], left + sup_error_bar_after_halving(part), size), cost);
}

static void print_models(const sup_estimate *e, const sup_estimate_row *row) {
  char text[FIELD_SIZE];
  if (e->num_models == 0) return;
  printf("  contact models, apart:");
  for (int f = 0; f < e->study->num_families; f++)
    if (e->repeat[f].model != SUP_NONE)
      printf(" %s %s,", e->study->family[f].name + sizeof "model_" - 1,
             percent(text, row->repeat[f] - row->value, fabs(row->value)));
  printf(" spread %s\n", percent(text, row->spread, fabs(row->value)));
}

static void print_row(const sup_estimate *e, const sup_estimate_row *row) {
  static const sup_source order[] = {SUP_SOURCE_MESH, SUP_SOURCE_STEP, SUP_SOURCE_LAYER};
  printf("\n%s%s%s: %s%s%s\n", row->def.name, row->def.unit[0] ? " in " : "", row->def.unit,
         row->def.source, row->def.is_summary ? "" : ", ",
         row->def.is_summary ? "" : sup_window_value_name(row->def.take));
  printf("  %-8s %12s %8s %12s %10s %14s %12s\n", "halved", "change", "order", "error bar",
         "of all", "all when half", "times time");
  for (int i = 0; i < SUP_NUM_SOURCES; i++)
    if (e->num[order[i]] > 0) print_part(e, row, order[i]);
  print_models(e, row);
  printf("  %s\n", row->text);
}

static void print_tables(const sup_estimate *e) {
  for (int i = 0; i < e->num_rows; i++) print_row(e, &e->row[i]);
  printf("\n%s\n", e->advice);
  fflush(stdout);
}

/* ---- the command ----------------------------------------------------------------------------- */

static sup_status create(sup_estimate **e, const sup_study *study, const char *program,
                         double memory) {
  const sup_level *base = study->family[0].level;
  sup_estimate_def def = {.program = program,
                          .scene = study->scene,
                          .sets = (const char *const *)base->set,
                          .num_sets = base->num_sets,
                          .num_ranks = study->num_ranks,
                          .is_static = study->is_static,
                          .budget = study->budget,
                          .memory = memory,
                          .study = study};
  return sup_estimate_create(e, &def);
}

int sup_app_budget_check(const sup_study *study, const char *program, double memory, int verbose) {
  sup_estimate *e;
  sup_status    status = create(&e, study, program, memory);
  if (status != SUP_OK) return sup_app_report(status, verbose);
  sup_app_print_costs(e, stdout);
  sup_estimate_destroy(&e);
  return SUP_EXIT_OK;
}

/** @return exit code */
static int run(sup_estimate *e, sup_level_runner *schedule, int quiet, int verbose) {
  char       base[SUP_STUDY_PATH_SIZE];
  sup_status status = sup_app_run_levels(e->study, schedule, quiet);
  if (status == SUP_E_INTERRUPTED) return sup_app_interrupted_code(e->study, "levels");
  sup_level_folder(e->study, &e->study->family[0], 0, schedule->folder, base);
  if (status == SUP_OK && sup_level_is_complete(e->study->family[0].level)) {
    status = sup_estimate_evaluate(e, base, schedule->folder);
    if (status == SUP_OK) status = sup_estimate_write(e, schedule->folder);
    if (status == SUP_OK) print_tables(e);
  }
  if (status != SUP_OK) return sup_app_report(status, verbose);
  return sup_app_failed_code(e->study);
}

int sup_app_budget(const sup_study *study, sup_level_runner *schedule, int *num_warnings, int quiet,
                   int verbose) {
  sup_estimate *e;
  *num_warnings = 0;
  sup_status status = create(&e, study, schedule->program, schedule->memory);
  if (status != SUP_OK) return sup_app_report(status, verbose);
  int code = run(e, schedule, quiet, verbose);
  *num_warnings = sup_app_print_warnings(e->study);
  sup_estimate_destroy(&e);
  return code;
}
