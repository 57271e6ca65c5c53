#include "step/equations.h"
#include "model/constraint.h"

#include <string.h>

#include "collide/travel.h"
#include "la/vector.h"
#include "solve/newton/coupling.h"

/** Copy the contacts, since making rows changes them, or measure or search at the start. */
static sup_status take_contacts(sup_step_equations *e, const sup_step_decisions *d) {
  const sup_step_start   *s = &e->start;
  sup_contact_list       *to = &e->contacts.list;
  const sup_contact_list *from = d->contacts;
  sup_travel             *travel;
  e->is_searched = !from;
  if (!from && d->origins)
    return sup_collide_measure(d->origins, s->model, s->inc, &s->kin, s->state->x, s->state->xdot,
                               NULL, s->arena, to);
  if (!from) {
    SUP_TRY(sup_travel_start(s->model, s->inc, &s->kin, s->arena, &travel));
    return sup_collide(to, s->model, s->inc, &s->kin, s->state->x, s->state->xdot, travel,
                       s->arena);
  }
  *to = (sup_contact_list){.count = from->count};
  SUP_TRY(SUP_ARENA(s->arena, to->contact, from->count));
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
  SUP_TRY(sup_kinematics_compute(&s->kin, s->model, s->inc, s->state->q, s->state->v, s->arena));
  SUP_TRY(take_contacts(e, d));
  bool has_matrix = !d->bodies_apart;
  for (int t = 0; t < s->model->num_trees; t++) has_matrix |= s->model->tree_block[t] != SUP_NONE;
  if (has_matrix) SUP_TRY(sup_assembly_create(&e->assembly, s->layout));
  e->assembly.layout = s->layout, e->assembly.is_apart = d->bodies_apart;
  SUP_TRY(begin(e, d->is_impact));
  SUP_TRY(sup_step_rows(s, &e->assembly, &e->contacts));
  bool is_linear = !e->assembly.is_nonlinear && !sup_scheme_is_second_order(&s->inc->scheme);
  return is_linear ? SUP_OK : sup_assembly_about(s, &e->assembly, v, 1);
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
  if (layout->model->num_chambers > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "a step with chamber '%s' has no derivatives here: they would miss the change "
                    "of its volume; differences of whole runs take chambers",
                    layout->model->chamber[0].name);
  if (layout->model->num_cables > 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "a step with cable '%s' has no derivatives here; differences of whole runs take "
        "cables",
        layout->model->cable[0].name);
  SUP_TRY(sup_model_refuse_constraints(layout->model, "derivatives of a step"));
  if (layout->model->num_ties > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "a step with tie '%s' has no derivatives here; differences of whole runs take "
                    "ties",
                    layout->model->tie[0].name);
  sup_status status = create(e, decisions, v);
  if (status != SUP_OK) sup_step_equations_free(e);
  return status;
}

void sup_step_equations_free(sup_step_equations *e) {
  if (!e->is_searched) e->contacts.list = (sup_contact_list){0}; /* the arena's */
  sup_contact_problem_free(&e->contacts);
  sup_assembly_free(&e->assembly);
}

sup_status sup_step_equations_move(sup_step_equations *e, const double *v) {
  return sup_assembly_can_reuse(&e->start) ? sup_assembly_renew_forces(&e->start, &e->assembly, v)
                                           : sup_assembly_about(&e->start, &e->assembly, v, 1);
}

/** Laws in force, velocities, impulses and, unless NULL, G [num_constraints x 9] of the solution:
 * derivatives of the impulses without those of friction by normal forces. */
static sup_status evaluate(const sup_step_equations *e, const sup_problem *problem, const double *v,
                           sup_step_solution *x, double *G) {
  SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, problem->num_vc, &x->vc, &x->gamma));
  SUP_TRY(SUP_ARENA(e->start.arena, x->law, problem->num_constraints));
  sup_problem_constraint_velocity(problem, v, 1, x->vc);
  if (e->law) {
    memcpy(x->law, e->law, (size_t)problem->num_constraints * sizeof *x->law);
    sup_problem_evaluate(problem, x->law, x->vc, x->gamma, G);
  } else {
    sup_problem_copy_laws(problem, x->law);
    sup_problem_evaluate_coupled(problem, x->law, x->vc, x->gamma, G);
  }
  return SUP_OK;
}

/** out := A v, without soft bodies if these are apart. */
static void multiply(const sup_step_equations *e, const double *v, double *out) {
  const sup_block_pattern *P = &e->start.layout->A_pattern;
  if (!e->assembly.is_apart)
    sup_assembly_multiply(&e->assembly, v, out);
  else if (e->assembly.A)
    sup_block_multiply(P, e->assembly.A, v, out);
  else
    memset(out, 0, (size_t)P->num_scalars * sizeof *out);
}

sup_status sup_step_equations_residual(const sup_step_equations *e, const double *v, double *r) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  int               n = e->start.layout->A_pattern.num_scalars;
  double           *impulse;
  sup_step_solution x;
  SUP_TRY(evaluate(e, &problem, v, &x, NULL));
  SUP_TRY(SUP_ARENA(e->start.arena, impulse, n));
  sup_problem_generalized_impulse(&problem, x.gamma, impulse);
  multiply(e, v, r);
  for (int i = 0; i < n; i++) r[i] -= e->assembly.p[i] + impulse[i];
  return SUP_OK;
}

/** Solution at v, and the G of the symmetric part of H. */
static sup_status differentiate(const sup_step_equations *e, const sup_problem *problem,
                                const double *v, sup_step_solution *x, double **G) {
  SUP_TRY(SUP_ARENA(e->start.arena, *G, 9 * (size_t)problem->num_constraints));
  return evaluate(e, problem, v, x, *G);
}

static void couple(const sup_step_equations *e, const sup_problem *problem,
                   const sup_step_solution *x, double *G) {
  if (!e->law) sup_coupling_add_slopes(problem, x->law, x->vc, x->gamma, G);
}

sup_status sup_step_equations_multiply(const sup_step_equations *e, const double *v,
                                       const double *x, double *y) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  double           *G = e->G;
  sup_step_solution at;
  if (G) SUP_TRY(SUP_ARENA_VECTORS(e->start.arena, problem.num_vc, &at.vc, &at.gamma));
  if (!G) {
    SUP_TRY(differentiate(e, &problem, v, &at, &G));
    couple(e, &problem, &at, G);
  }
  sup_step_hessian_multiply(&e->assembly, &problem, G, x, at.vc, at.gamma, y);
  return SUP_OK;
}

sup_status sup_step_equations_factor(sup_step_equations *e, const double *v,
                                     sup_reduction *reduction) {
  const sup_problem problem = sup_step_problem(&e->assembly, &e->contacts);
  sup_step_solution x;
  int               analysed;
  SUP_TRY(differentiate(e, &problem, v, &x, &e->G));
  SUP_TRY(sup_reduction_analyse(reduction, &problem, e->start.arena, &analysed));
  SUP_TRY(sup_reduction_factor(reduction, &problem, e->G, e->start.arena));
  int n = 9 * problem.num_constraints;
  SUP_TRY(SUP_ARENA(e->start.arena, e->D, n));
  for (int i = 0; i < n; i++) e->D[i] = -e->G[i];
  couple(e, &problem, &x, e->G);
  for (int i = 0; i < n; i++) e->D[i] += e->G[i];
  if (!(sup_norm(e->D, n) > 0)) e->D = NULL;
  return SUP_OK;
}

/** State, contact forces and poses alone. */
static sup_status end_with_contacts(sup_step_equations *e, sup_step_solution *x,
                                    sup_step_end *end) {
  const sup_step_start *s = &e->start;
  sup_contact_list     *list = &e->contacts.list;
  sup_contact_forces(&e->contacts.rows, 0, x->gamma, x->vc, s->inc->h, list);
  SUP_TRY(sup_step_integrate(s, &e->assembly, &e->contacts, x, end));
  end->result = (sup_step_result){.increment = *s->inc,
                                  .time = end->next->time,
                                  .step = end->next->step,
                                  .num_contacts = list->count,
                                  .contact = list->contact,
                                  .X_WL = end->kin_next.X_WL,
                                  .link_w = end->kin_next.w,
                                  .link_v = end->kin_next.v};
  return SUP_OK;
}

sup_status sup_step_equations_end(sup_step_equations *e, const double *v, sup_step_end *end,
                                  sup_step_report *report) {
  const sup_step_start *s = &e->start;
  const sup_problem     problem = sup_step_problem(&e->assembly, &e->contacts);
  size_t                n = (size_t)s->layout->A_pattern.num_scalars;
  sup_step_solution     x = {0};
  SUP_TRY(evaluate(e, &problem, v, &x, NULL));
  SUP_TRY(SUP_ARENA(s->arena, x.v, n));
  memcpy(x.v, v, n * sizeof *v);
  if (!report) return end_with_contacts(e, &x, end);
  *report = sup_step_report_begin(s->inc->h);
  double *Av;
  SUP_TRY(SUP_ARENA(s->arena, Av, n));
  sup_assembly_multiply(&e->assembly, v, Av);
  x.Av = Av;
  SUP_TRY(sup_step_measure_contacts(s, &e->assembly, &problem, &e->contacts, &x, report));
  return sup_step_finish(s, &e->assembly, &e->contacts, &x, end, report);
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
