/* Derivatives of a step by central differences of whole steps. */
#include "control/numerics.h"
#include "control/transition.h"

/** dx [num_x] := the change of the next state between two variations. */
typedef struct pair_of_steps {
  sup_transition  *t;
  const sup_state *state;
  double          *dx, *u; /* [num_x], zero; [num_u], those of the step */
  double          *change; /* [num_x] */
} pair_of_steps;

static sup_status differ(pair_of_steps *p, double *entry, double size) {
  sup_transition *t = p->t;
  double          value = *entry;
  for (int side = 0; side < 2; side++) {
    *entry = value + (side ? size : -size);
    SUP_TRY(sup_transition_vary(t, p->state, p->dx, t->varied));
    SUP_TRY(sup_transition_step(t, t->varied, p->u, t->end[side]));
  }
  *entry = value;
  sup_transition_difference(t, t->end[0], t->end[1], p->change);
  for (int i = 0; i < 2 * t->num_v; i++) p->change[i] /= 2 * size;
  return SUP_OK;
}

static sup_status fill(pair_of_steps *p, double size, double *A, double *B) {
  int n = 2 * p->t->num_v, m = p->t->num_controls;
  for (int j = 0; j < n; j++) {
    SUP_TRY(differ(p, &p->dx[j], j < n / 2 ? size : size / p->t->options.dt));
    for (int i = 0; i < n; i++) A[i * n + j] = p->change[i];
  }
  for (int j = 0; j < m; j++) {
    SUP_TRY(differ(p, &p->u[j], size / p->t->options.dt));
    for (int i = 0; i < n; i++) B[i * m + j] = p->change[i];
  }
  return SUP_OK;
}

sup_status sup_linearise_by_steps(sup_transition *t, const sup_state *state, const double *u,
                                  double size, double *A, double *B) {
  SUP_FREED double *dx = NULL, *own = NULL, *change = NULL;
  SUP_TRY(SUP_CALLOC(dx, 2 * t->num_v));
  SUP_TRY(SUP_CALLOC(change, 2 * t->num_v));
  SUP_TRY(SUP_CALLOC(own, t->num_controls));
  for (int i = 0; i < t->num_controls; i++) own[i] = u[i];
  pair_of_steps p = {t, state, dx, own, change};
  SUP_TRY(fill(&p, size > 0 ? size : sup_ilqr_numerics.step_variation, A, B));
  return SUP_OK;
}
