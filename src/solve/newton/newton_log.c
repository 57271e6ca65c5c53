/* Log of an iteration of Newton's method and of TAMSI (iteration_log.h). */
#include <math.h>

#include "law/properties.h"
#include "solve/newton/newton_iteration.h"

/** Slip, and residuals of the contacts that push. */
static void measure(const sup_newton *s, sup_iteration *row) {
  for (int i = 0; i < s->problem->num_constraints; i++) {
    int                  at = s->problem->constraint[i].first_vc;
    sup_contact_residual own;
    if (sup_law_dimension(s->law[i].kind) < 3) continue;
    sup_contact_residual_at(&s->law[i], s->vc + at, s->gamma + at, &own);
    row->slip = fmax(row->slip, own.slip);
    row->residual.primal = fmax(row->residual.primal, own.primal);
    row->residual.dual = fmax(row->residual.dual, own.dual);
    row->residual.complementarity = fmax(row->residual.complementarity, own.complementarity);
  }
}

sup_status sup_newton_log(const sup_newton *s, const sup_line_result *line,
                          sup_solve_report *report) {
  if (!s->options->log) return SUP_OK;
  sup_iteration row = {.number = report->iterations,
                       .strategy = s->strategy,
                       .momentum_error = report->momentum_error,
                       .step = line ? line->alpha : 0,
                       .evaluations = line ? line->evaluations : 0,
                       .residual = {.relative = (double)NAN, .energy = sup_newton_cost(s)}};
  measure(s, &row);
  SUP_TRY(sup_iteration_log_add(&report->log, s->arena, &row));
  return SUP_OK;
}
