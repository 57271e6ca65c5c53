/* Memory of steps, and the public functions that advance a state. */
#include "step/stepper.h"

#include <math.h>
#include <string.h>

#include "step/control/error_control.h"
#include "step/control/parts.h"
#include "step/equations.h"
#include "step/static/statics.h"

const char *sup_phase_name(int phase) {
  static const char *const name[SUP_NUM_PHASES] = {"kinematics", "dynamics", "collide",  "rows",
                                                   "analyse",    "solve",    "integrate"};
  return phase >= 0 && phase < SUP_NUM_PHASES ? name[phase] : "?";
}

sup_status sup_stepper_create(sup_stepper **out, const sup_model *model,
                              const sup_options *options) {
  SUP_OWN(sup_stepper) *s = NULL;
  *out = NULL;
  SUP_TRY(sup_options_check(options, model));
  sup_options_warn(options, model);
  SUP_TRY(SUP_CALLOC(s, 1));
  SUP_TRY(sup_arena_create(&s->arena, 1 << 20));
  SUP_TRY(sup_step_layout_create(&s->layout, model, options));
  SUP_TRY(sup_assembly_create(&s->assembly, s->layout));
  SUP_TRY(
      sup_reduction_create(&s->reduction, options->backend, options->petsc, &s->layout->A_pattern));
  if (s->layout->is_free) SUP_TRY(sup_step_layout_join(s->layout, s->reduction));
  if (model->ranks) SUP_TRY(sup_reduction_spread(s->reduction, &s->assembly.ranks));
  if (options->accuracy.tolerance > 0 || options->convergence_control)
    SUP_TRY(sup_step_parts_create(&s->parts, model, options));
  SUP_TRY(sup_state_create(&s->end.next, model, options));
  *out = s, s = NULL;
  return SUP_OK;
}

void sup_stepper_destroy(sup_stepper **handle) {
  sup_stepper *s = *handle;
  if (!s) return;
  sup_reduction_destroy(&s->reduction);
  sup_contact_problem_free(&s->contact);
  sup_assembly_free(&s->assembly);
  sup_step_layout_destroy(&s->layout);
  sup_arena_destroy(&s->arena);
  sup_statics_destroy(&s->statics);
  sup_step_parts_destroy(&s->parts);
  sup_state_destroy(&s->end.next);
  sup_kept_matrix_free(&s->kept_matrix);
  SUP_FREE(*handle);
}

const sup_step_result *sup_stepper_result(const sup_stepper *stepper) {
  return &stepper->end.result;
}

const sup_step_layout *sup_stepper_layout(const sup_stepper *stepper) { return stepper->layout; }

void sup_stepper_last(const sup_stepper *s, const double **v, sup_step_decisions *decisions,
                      unsigned char *is_impact) {
  *v = s->solution.v;
  for (int i = 0; i < s->layout->model->num_softs && is_impact; i++)
    is_impact[i] = (unsigned char)s->assembly.soft[i].scheme.is_impact;
  *decisions = (sup_step_decisions){.contacts = &s->contact.list,
                                    .law = s->solution.law,
                                    .is_impact = is_impact,
                                    .all_limits = s->contact.all_limits};
}

bool sup_stepper_can_repeat(const sup_stepper *s, const sup_step_report *report) {
  const sup_options *o = &s->layout->options;
  return o->contact_solver == SUP_CONTACT_SOLVER_NEWTON && o->friction_sweeps == 1 &&
         !(o->accuracy.tolerance > 0) && report->rejected == 0 && s->searches == 1 &&
         !s->layout->model->ranks;
}

const double *sup_stepper_residual(const sup_stepper *stepper) {
  return stepper->solution.residual;
}

sup_status sup_stepper_store_problem(sup_stepper *s, int with_matrix, sup_arena *arena,
                                     sup_stored_problem *out) {
  if (!s->solution.v || !s->solution.gamma || s->end.result.step == 0)
    return SUP_FAIL(SUP_E_ARG, "there is no contact problem before the first step");
  SUP_TRY(sup_step_store_problem(&s->assembly, &s->contact, &s->solution, with_matrix, arena, out));
  out->step = s->end.result.step, out->time = s->end.result.time;
  return SUP_OK;
}

sup_status sup_step_until(sup_stepper *s, sup_state *state, double stop, sup_step_report *report) {
  if (s->layout->options.accuracy.tolerance > 0)
    SUP_TRY(sup_stepper_controlled_step(s, state, stop, report));
  else
    SUP_TRY(sup_step(s, state, report));
  return SUP_OK;
}

sup_status sup_step(sup_stepper *s, sup_state *state, sup_step_report *report) {
  if (s->layout->options.accuracy.tolerance > 0) {
    SUP_TRY(sup_stepper_controlled_step(s, state, HUGE_VAL, report));
    return SUP_OK;
  }
  const sup_increment inc = sup_increment_of_state(&s->layout->options, state);
  sup_status          status = sup_stepper_advance(s, &inc, state, report);
  if (status == SUP_E_NOT_CONVERGED && s->layout->options.convergence_control)
    status = sup_stepper_step_in_parts(s, state, report);
  SUP_TRY(status);
  return SUP_OK;
}

/** The state as the start of an increment. */
static sup_status prepare_start(sup_stepper *w, const sup_increment *inc, const sup_state *state) {
  const sup_model      *model = w->layout->model;
  const sup_step_start *s = &w->start;
  int                   num_v = model->v_start[model->num_trees];
  double               *force, *effort;
  sup_travel           *travel;
  sup_wrench           *wrench, *reaction;
  SUP_TRY(sup_stepper_begin(w, inc, state));
  SUP_TRY(SUP_ARENA(s->arena, force, 3 * model->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, effort, SUP_NUM_JOINT_ROLES * num_v));
  SUP_TRY(SUP_ARENA(s->arena, wrench, sup_model_num_wrenches(model)));
  SUP_TRY(SUP_ARENA(s->arena, reaction, model->num_dirichlet));
  memset(force, 0, 3 * (size_t)model->num_vertices * sizeof *force);
  memset(effort, 0, SUP_NUM_JOINT_ROLES * (size_t)num_v * sizeof *effort);
  memset(wrench, 0, (size_t)sup_model_num_wrenches(model) * sizeof *wrench);
  memset(reaction, 0, (size_t)model->num_dirichlet * sizeof *reaction);
  SUP_TRY(sup_travel_start(model, inc, &s->kin, s->arena, &travel));
  SUP_TRY(
      sup_collide(&w->contact.list, model, inc, &s->kin, state->x, state->xdot, travel, s->arena));
  SUP_TRY(sup_step_dynamics(s, &w->contact.list, &w->assembly));
  SUP_TRY(sup_step_rows(s, &w->assembly, &w->contact));
  w->solution.contact_energy = sup_step_contact_energy(s, &w->contact, NULL, NULL);
  w->end.kin_next = s->kin;
  w->end.result = (sup_step_result){.increment = *inc,
                                    .time = state->time,
                                    .step = state->step,
                                    .num_seen = w->contact.list.count,
                                    .seen = w->contact.list.contact,
                                    .contact_energy = w->solution.contact_energy,
                                    .joint_effort = effort,
                                    .attach_wrench = wrench,
                                    .constraint_wrench = wrench + model->num_attachments,
                                    .reaction = reaction,
                                    .contact_force = force,
                                    .X_WL = s->kin.X_WL,
                                    .link_w = s->kin.w,
                                    .link_v = s->kin.v};
  w->contact.list.count = 0;
  return SUP_OK;
}

sup_status sup_stepper_observe(sup_stepper *s, const sup_state *state) {
  const sup_increment inc = sup_increment_of_state(&s->layout->options, state);
  sup_status          status = prepare_start(s, &inc, state);
  s->start.inc = NULL, s->start.state = NULL;
  return status;
}
