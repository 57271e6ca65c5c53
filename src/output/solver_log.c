#include "output/solver_log.h"

#include <math.h>
#include <stdio.h>

#include "output/format/number.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const of_step[] = {"step", "time [s]"};
static const char *const of_iteration[] = {
    "solution",    "island",      "strategy",    "iteration",  "momentum_error [-]",
    "energy [J]",  "line_step",   "evaluations", "slip [m/s]", "residual [-]",
    "eps_p [N s]", "eps_d [m/s]", "eps_c [J]"};

/** Empty where the solver does not know. */
static void number(sup_csv *log, double value) {
  if (isnan(value))
    sup_csv_text(log, "");
  else
    sup_csv_number(log, value);
}

static void write_row(sup_csv *log, const sup_iteration *row) {
  const sup_law_residual *r = &row->residual;
  char                    energy[SUP_NUMBER_SIZE];
  sup_csv_integer(log, row->solution);
  sup_csv_integer(log, row->island);
  sup_csv_text(log,
               row->strategy == SUP_NONE ? "" : sup_strategy_name((sup_strategy)row->strategy));
  sup_csv_integer(log, row->number);
  number(log, row->momentum_error);
  sup_number_text(energy, r->energy, 0); /* to the last bit: what falls is small beside it */
  sup_csv_text(log, energy);
  number(log, row->step);
  sup_csv_integer(log, row->evaluations);
  number(log, row->slip);
  number(log, r->relative);
  number(log, r->primal);
  number(log, r->dual);
  number(log, r->complementarity);
  sup_csv_end_row(log);
}

static void write_header(sup_csv *log) {
  for (size_t k = 0; k < COUNT(of_iteration); k++) sup_csv_text(log, of_iteration[k]);
  sup_csv_end_row(log);
}

sup_status sup_solver_log_open(sup_csv *log, const char *folder, long bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/solver.csv", folder);
  if (bytes >= 0) {
    SUP_TRY(sup_csv_reopen(log, path, bytes));
    return SUP_OK;
  }
  SUP_TRY(sup_csv_open(log, path));
  for (size_t k = 0; k < COUNT(of_step); k++) sup_csv_text(log, of_step[k]);
  write_header(log);
  SUP_TRY(sup_csv_flush(log));
  return SUP_OK;
}

sup_status sup_solver_log_write(sup_csv *log, const sup_step_result *result) {
  for (const sup_iteration *row = result->log.first; row; row = row->next) {
    sup_csv_integer(log, result->step);
    sup_csv_number(log, result->time);
    write_row(log, row);
  }
  SUP_TRY(sup_csv_flush_often(log));
  return SUP_OK;
}

sup_status sup_solver_log_save(const char *path, const sup_iteration_log *log) {
  sup_csv csv;
  sup_csv_begin(&csv);
  write_header(&csv);
  for (const sup_iteration *row = log->first; row; row = row->next) write_row(&csv, row);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}
