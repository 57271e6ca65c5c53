#include "step/equations.h"

#include <string.h>

/** Copy the contacts, since making rows changes them. */
static sup_status copy_contacts(const sup_contact_list *from, sup_arena *arena,
                                sup_contact_list *to) {
  *to = (sup_contact_list){.count = from->count};
  SUP_TRY(SUP_ARENA(arena, to->contact, from->count));
  if (from->count > 0)
    memcpy(to->contact, from->contact, (size_t)from->count * sizeof *to->contact);
  return SUP_OK;
}

/** A and p at the start, with the given schemes. */
static sup_status begin(sup_step_equations *e, const unsigned char *is_impact) {
  int any;
  SUP_TRY(sup_step_dynamics(&e->start, &e->contacts.list, &e->assembly));
  for (int i = 0; i < e->start.model->num_softs && is_impact; i++)
    e->assembly.soft[i].scheme.is_impact = is_impact[i];
  SUP_TRY(sup_assembly_restart_impacts(&e->start, &e->assembly, &any));
  if (any) SUP_TRY(sup_assembly_about(&e->start, &e->assembly, NULL, e->assembly.is_exact));
  return SUP_OK;
}

static sup_status create(sup_step_equations *e, const sup_step_decisions *d, const double *v) {
  sup_step_start *s = &e->start;
  SUP_TRY(copy_contacts(d->contacts, s->arena, &e->contacts.list));
  SUP_TRY(sup_kinematics_compute(&s->kin, s->model, s->inc, s->state->q, s->state->v, s->arena));
  SUP_TRY(sup_assembly_create(&e->assembly, s->layout));
  SUP_TRY(begin(e, d->is_impact));
  SUP_TRY(sup_step_rows(s, &e->assembly, &e->contacts));
  return sup_assembly_about(s, &e->assembly, v, 1);
}

sup_status sup_step_equations_create(sup_step_equations *e, const sup_step_layout *layout,
                                     const sup_increment *inc, const sup_state *state,
                                     const sup_step_decisions *decisions, const double *v,
                                     sup_arena *arena) {
  *e = (sup_step_equations){.start = {.model = layout->model,
                                      .layout = layout,
                                      .inc = inc,
                                      .state = state,
                                      .arena = arena},
                            .contacts = {.all_limits = decisions->all_limits},
                            .law = decisions->law};
  sup_status status = create(e, decisions, v);
  if (status != SUP_OK) sup_step_equations_free(e);
  return status;
}

void sup_step_equations_free(sup_step_equations *e) {
  e->contacts.list = (sup_contact_list){0}; /* the arena's */
  sup_contact_problem_free(&e->contacts);
  sup_assembly_free(&e->assembly);
}

/** Impulses gamma [num_vc] and, unless NULL, their derivatives G [num_constraints x 9] of the laws
 * at v. */
static sup_status evaluate(const sup_step_equations *e, const sup_problem *problem, const double *v,
                           double **gamma, double *G) {
  double *vc;
  SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, problem->num_vc, &vc, gamma));
  sup_problem_constraint_velocity(problem, v, 1, vc);
  sup_problem_evaluate(problem, e->law, vc, *gamma, G);
  return SUP_OK;
}

sup_status sup_step_equations_residual(const sup_step_equations *e, const double *v, double *r) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  int               n = e->start.layout->A_pattern.num_scalars;
  double           *gamma, *impulse;
  SUP_TRY(evaluate(e, &problem, v, &gamma, NULL));
  SUP_TRY(SUP_ARENA(e->start.arena, impulse, n));
  sup_problem_generalized_impulse(&problem, gamma, impulse);
  sup_assembly_multiply(&e->assembly, v, r);
  for (int i = 0; i < n; i++) r[i] -= e->assembly.p[i] + impulse[i];
  return SUP_OK;
}

sup_status sup_step_equations_multiply(const sup_step_equations *e, const double *v,
                                       const double *x, double *y) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *gamma, *G, *vc;
  SUP_TRY(SUP_ARENA(e->start.arena, G, 9 * (size_t)problem.num_constraints));
  SUP_TRY(SUP_ARENA(e->start.arena, vc, problem.num_vc));
  SUP_TRY(evaluate(e, &problem, v, &gamma, G));
  sup_step_hessian_multiply(&e->assembly, &problem, G, x, vc, gamma, y);
  return SUP_OK;
}

sup_status sup_step_residual(const sup_step_layout *layout, const sup_increment *inc,
                             const sup_state *state, const sup_step_decisions *decisions,
                             const double *v, sup_arena *arena, double *r) {
  sup_step_equations equations;
  SUP_TRY(sup_step_equations_create(&equations, layout, inc, state, decisions, v, arena));
  sup_status status = sup_step_equations_residual(&equations, v, r);
  sup_step_equations_free(&equations);
  return status;
}
