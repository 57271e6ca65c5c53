/* The pipeline of one step: kinematics -> collide -> dynamics -> rows -> analyse -> solve ->
 * integrate. */
#include <string.h>

#include "collide/travel.h"
#include "step/stepper.h"
#include "step/strategy/strategy.h"

static sup_status analyse(sup_stepper *w, sup_step_report *report) {
  const sup_problem problem = sup_step_problem(&w->assembly, &w->contact);
  SUP_TRY(sup_reduction_analyse(w->reduction, &problem, w->arena, &report->analysed));
  return SUP_OK;
}

/** Report, certificate and diagnostics of a solution. */
static sup_status look_at_solution(sup_stepper *w, const sup_problem *problem,
                                   const sup_solve_report *solved, sup_step_report *report) {
  const sup_step_start *s = &w->start;
  const sup_options    *o = &s->layout->options;
  SUP_TRY(sup_step_warn_round_off(s, &w->assembly, solved, &w->told));
  SUP_TRY(sup_step_warn_tolerance(s, &w->assembly, solved, &w->told));
  SUP_TRY(sup_step_measure_contacts(s, &w->assembly, problem, &w->contact, &w->solution, report));
  SUP_TRY(sup_step_measure_laws(s, &w->assembly, problem, &w->solution, solved, &w->contact.list,
                                report));
  if (s->inc->soft_bdf2 == 1)
    SUP_TRY(sup_step_find_impacts(s, problem, &w->contact.list, &w->solution, &w->assembly));
  if (o->certificate)
    SUP_TRY(sup_step_certify(s, &w->assembly, problem, &w->solution, &w->contact, report));
  if (o->report_condition)
    SUP_TRY(sup_step_condition(s, &w->assembly, problem, &w->solution, w->reduction,
                               &report->condition));
  return SUP_OK;
}

/** A is solved with once, by a tolerance of the velocity alone. */
static bool keeps_matrix(const sup_step_start *s, const sup_assembly *assembly) {
  const sup_options *o = &s->layout->options;
  return s->state->kept_matrix && !assembly->is_nonlinear && !s->inc->is_controlled &&
         !s->inc->soft_bdf2 && s->inc->scheme.theta <= 0 &&
         o->contact_solver == SUP_CONTACT_SOLVER_NEWTON && o->friction_sweeps == 1;
}

/** Solve the problem with the contacts found. first: Newton starts from the start velocities;
 * otherwise from the solution without the newly found contacts. */
static sup_status solve(sup_stepper *w, int first, sup_step_report *report) {
  const sup_step_start *s = &w->start;
  sup_step_solution    *x = &w->solution;
  const sup_problem     problem = sup_step_problem(&w->assembly, &w->contact);
  sup_solve_options     options = sup_step_solve_options(s);
  const sup_step_convex convex = {s, &problem, &options, w->reduction, &w->assembly};
  sup_solve_report      solved;
  if (keeps_matrix(s, &w->assembly)) options.kept = &w->kept_matrix;
  SUP_TRY(sup_step_begin_solution(&convex, &w->assembly, first, x));
  SUP_TRY(sup_step_recall_impulses(s, &w->contact, x->gamma));
  SUP_TRY(sup_step_solve(&convex, &w->assembly, x, report, &solved));
  sup_step_report_solution(s->layout, &w->contact.list, &solved, report);
  if (solved.reason < 0)
    return sup_step_not_converged(s, &w->assembly, &w->contact.list, w->reduction, &solved, x);
  return look_at_solution(w, &problem, &solved, report);
}

/** The solution's velocities of all trees. */
static sup_status tree_velocities(const sup_step_start *s, const double *block_v, double **v) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_ARENA(s->arena, *v, s->state->num_v));
  memcpy(*v, s->state->v, (size_t)s->state->num_v * sizeof **v);
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memcpy(*v + model->v_start[t],
             block_v + sup_block_first(&s->layout->A_pattern, model->tree_block[t]),
             (size_t)model->tree[t]->nv * sizeof **v);
  return SUP_OK;
}

/** *again := 1 if joints passed limits without rows; then all limits get rows. */
static sup_status check_limits(const sup_step_start *s, const double *v,
                               sup_contact_problem *contacts, int *again) {
  double *u;
  if (*again || contacts->all_limits) return SUP_OK;
  SUP_TRY(tree_velocities(s, v, &u));
  *again = contacts->all_limits =
      sup_joint_rows_missed(s->model, s->inc, s->state->q, s->state->v, u);
  return SUP_OK;
}

/** Raise the travel bounds of the contact search that the solution exceeds; *num_exceeded := their
 * number. */
static sup_status check_travel(const sup_step_start *s, const double *v, sup_travel *travel,
                               int *num_exceeded) {
  double *u;
  SUP_TRY(tree_velocities(s, v, &u));
  SUP_TRY(
      sup_travel_check(s->model, s->inc, &s->kin, s->state->q, u, s->arena, travel, num_exceeded));
  return SUP_OK;
}

/** Velocities of all bodies in the solution. */
static sup_status solved_motion(const sup_step_start *s, const sup_assembly *assembly,
                                const double *block_v, sup_motion *out) {
  const sup_model *model = s->model;
  sup_kinematics   kin = {.base = s->kin.base};
  double          *v, *xdot;
  SUP_TRY(tree_velocities(s, block_v, &v));
  SUP_TRY(sup_kinematics_update(&kin, model, s->state->q, v, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, xdot, 3 * model->num_vertices));
  for (int i = 0; i < model->num_softs; i++)
    sup_assembly_vertex_velocity(assembly, i, block_v,
                                 xdot + 3 * (size_t)model->soft[i].first_vertex);
  *out = (sup_motion){kin.w, kin.v, xdot};
  return SUP_OK;
}

/** Number of pairs in which the solution moves a surface into a shape without a contact.  Contacts
 * are then searched with its velocities, too, in at most SUP_MAX_MOTIONS rounds. */
static sup_status check_watched(const sup_step_start *s, const sup_assembly *assembly,
                                const double *v, sup_contact_list *contacts, sup_motion *solved,
                                int *num_motions, int *num_missed) {
  *num_missed = 0;
  if (!s->model->has_surface_pairs || *num_motions == SUP_MAX_MOTIONS) return SUP_OK;
  SUP_TRY(solved_motion(s, assembly, v, &solved[*num_motions]));
  SUP_TRY(sup_collide_check(contacts, solved, ++*num_motions, s->arena, num_missed));
  return SUP_OK;
}

/** Search with the travel of this round; *is_new := 0 if larger bounds found no further contact:
 * then the solution and its results in the contacts remain valid. */
static sup_status search(const sup_step_start *s, const sup_travel *travel, int round,
                         sup_contact_list *list, int *is_new) {
  sup_contact *before;
  int          count = round > 0 ? list->count : 0;
  SUP_TRY(SUP_ARENA(s->arena, before, count));
  if (count > 0) memcpy(before, list->contact, (size_t)count * sizeof *before);
  SUP_TRY(
      sup_collide(list, s->model, s->inc, &s->kin, s->state->x, s->state->xdot, travel, s->arena));
  *is_new =
      round == 0 || list->count != count || !sup_contacts_are_same(before, list->contact, count);
  if (!*is_new && count > 0) memcpy(list->contact, before, (size_t)count * sizeof *before);
  return SUP_OK;
}

/** Solve with the contacts that were found; again if the solution changes schemes or passes limits.
 * @param[in] afresh 1: Newton starts from the start velocities
 *  @param[in] again 0: the solution
 * remains valid */
static sup_status settle(sup_stepper *w, int afresh, int again, sup_step_report *report,
                         double *start) {
  for (int first = afresh; again; first = 1) {
    SUP_TRY(sup_step_rows(&w->start, &w->assembly, &w->contact));
    sup_step_lap(report->seconds, SUP_PHASE_ROWS, start);
    SUP_TRY(analyse(w, report));
    sup_step_lap(report->seconds, SUP_PHASE_ANALYSE, start);
    SUP_TRY(solve(w, first, report));
    sup_step_lap(report->seconds, SUP_PHASE_SOLVE, start);
    SUP_TRY(sup_assembly_restart_impacts(&w->start, &w->assembly, &again));
    if (again) SUP_TRY(sup_assembly_about(&w->start, &w->assembly, NULL, w->assembly.is_exact));
    SUP_TRY(check_limits(&w->start, w->solution.v, &w->contact, &again));
    sup_step_lap(report->seconds, SUP_PHASE_DYNAMICS, start);
  }
  return SUP_OK;
}

static sup_status advance(sup_stepper *w, const sup_increment *inc, const sup_state *state,
                          sup_step_report *report) {
  const sup_step_start *s = &w->start;
  double                start = sup_wall_time();
  sup_travel           *travel;
  sup_motion            solved[SUP_MAX_MOTIONS];
  *report = sup_step_report_begin(inc->h);
  SUP_TRY(sup_stepper_begin(w, inc, state));
  if (state->kept_matrix) SUP_TRY(sup_kept_matrix_copy(&w->kept_matrix, state->kept_matrix));
  sup_step_lap(report->seconds, SUP_PHASE_KINEMATICS, &start);
  SUP_TRY(sup_travel_start(s->model, inc, &s->kin, s->arena, &travel));
  for (int round = 0, num_exceeded = 1, num_motions = 0, num_missed = 0;
       num_exceeded + num_missed > 0; round++) {
    int is_new = 1;
    w->searches = round + 1;
    if (num_exceeded > 0) {
      SUP_TRY(search(s, travel, round, &w->contact.list, &is_new));
      num_motions = 0;
    } else {
      SUP_TRY(sup_collide_again(&w->contact.list, s->arena));
    }
    sup_step_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
    int afresh = round == 0 || inc->soft_bdf2; /* with contacts in its dynamics */
    if (afresh) SUP_TRY(sup_step_dynamics(s, &w->contact.list, &w->assembly));
    if (afresh) SUP_TRY(SUP_ARENA(s->arena, w->solution.v, s->layout->A_pattern.num_scalars));
    sup_step_lap(report->seconds, SUP_PHASE_DYNAMICS, &start);
    SUP_TRY(settle(w, afresh, afresh || is_new, report, &start));
    SUP_TRY(check_travel(s, w->solution.v, travel, &num_exceeded));
    SUP_TRY(check_watched(s, &w->assembly, w->solution.v, &w->contact.list, solved, &num_motions,
                          &num_missed));
    sup_step_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
  }
  SUP_TRY(sup_step_finish(s, &w->assembly, &w->contact, &w->solution, &w->end, report));
  sup_step_lap(report->seconds, SUP_PHASE_INTEGRATE, &start);
  report->arena_peak = sup_arena_peak(s->arena);
  return SUP_OK;
}

sup_status sup_stepper_begin(sup_stepper *w, const sup_increment *inc, const sup_state *state) {
  sup_step_start *s = &w->start;
  *s = (sup_step_start){.model = w->layout->model,
                        .layout = w->layout,
                        .inc = inc,
                        .state = state,
                        .arena = w->arena};
  w->solution.residual = NULL;
  w->solution.log = (sup_iteration_log){0};
  w->contact.all_limits = 0;
  SUP_TRY(sup_arena_reset(s->arena));
  return sup_kinematics_compute(&s->kin, s->model, inc, state->q, state->v, s->arena);
}

sup_status sup_stepper_advance(sup_stepper *w, const sup_increment *inc, sup_state *state,
                               sup_step_report *report) {
  sup_status status = advance(w, inc, state, report);
  w->start.inc = NULL, w->start.state = NULL;
  SUP_TRY(status);
  SUP_TRY(sup_state_copy(state, w->end.next));
  if (state->kept_matrix) SUP_TRY(sup_kept_matrix_copy(state->kept_matrix, &w->kept_matrix));
  return SUP_OK;
}
