/* Primal-dual Newton: slip directions as unknowns of their own (law.h, "slip directions"); of the
 * primal one there are none, and G is that of the laws. */
#include "solve/newton/newton_iteration.h"

static int has_directions(const sup_newton *s) {
  return s->options->newton == SUP_NEWTON_PRIMAL_DUAL;
}

void sup_newton_start_slip(sup_newton *s) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_start(&s->law[i], s->vc + c->first_vc, s->slip + 2 * i);
  }
}

void sup_newton_advance_slip(sup_newton *s, const double *vc) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_advance(&s->law[i], vc + c->first_vc, s->dvc + c->first_vc, s->slip + 2 * i);
  }
}

void sup_newton_slip_hessian(sup_newton *s) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    if (sup_law_dimension(s->law[i].kind) < 3) continue;
    sup_slip_hessian(&s->law[i], s->vc + c->first_vc, s->gamma[c->first_vc + 2], s->slip + 2 * i,
                     s->G + 9 * i);
  }
}
