#include "output/solver_log.h"

#include <stdio.h>

#include "solve/solver.h"

sup_status sup_solver_log_open(sup_csv *log, const char *folder) {
  static const char *const column[] = {"step",        "time",      "island",
                                       "iteration",   "relative",  "eps_p [N s]",
                                       "eps_d [m/s]", "eps_c [J]", "energy [J]"};
  char                     path[4096];
  snprintf(path, sizeof path, "%s/solver.csv", folder);
  SUP_TRY(sup_csv_open(log, path));
  for (size_t k = 0; k < sizeof column / sizeof *column; k++) sup_csv_text(log, column[k]);
  sup_csv_end_row(log);
  SUP_TRY(sup_csv_flush(log));
  return SUP_OK;
}

sup_status sup_solver_log_write(sup_csv *log, const sup_step_result *result) {
  for (int i = 0; i < result->num_trace; i++) {
    const sup_trace_row    *row = &result->trace[i];
    const sup_law_residual *r = &row->residual;
    double value[5] = {r->relative, r->primal, r->dual, r->complementarity, r->energy};
    sup_csv_integer(log, result->step);
    sup_csv_number(log, result->time);
    sup_csv_integer(log, row->island);
    sup_csv_integer(log, row->iteration);
    sup_csv_numbers(log, value, 5);
    sup_csv_end_row(log);
  }
  SUP_TRY(sup_csv_flush(log));
  return SUP_OK;
}
