#include "control/transition.h"

#include <string.h>

#include "model/event.h"

/* ---- definition ------------------------------------------------------------------------------ */

static sup_status find_control(const sup_model *model, const sup_control_def *def,
                               sup_control *control) {
  int tree, link;
  *control = (sup_control){def->kind, SUP_NONE};
  if (def->kind == SUP_CONTROL_TARGET) {
    for (int a = 0; a < model->num_actuators; a++)
      if (strcmp(model->actuator[a].name, def->name) == 0) control->index = a;
    return control->index != SUP_NONE
               ? SUP_OK
               : SUP_FAIL(SUP_E_ARG, "there is no actuator '%s' to control", def->name);
  }
  if (!sup_model_find_joint(model, def->name, &tree, &link))
    return SUP_FAIL(SUP_E_ARG, "there is no joint '%s' to control; joints are ROBOT/JOINT",
                    def->name);
  if (model->tree[tree]->links[link].nv != 1)
    return SUP_FAIL(SUP_E_ARG, "the joint '%s' has %d velocities; efforts control joints of one",
                    def->name, model->tree[tree]->links[link].nv);
  control->index = sup_model_link_v(model, tree, link);
  return SUP_OK;
}

static sup_status check(const sup_model *model, const sup_options *options) {
  if (model->num_softs > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the soft body '%s' has too many unknowns to be controlled; control is of "
                    "robots and rigid bodies",
                    model->soft[0].name);
  if (options->accuracy.tolerance > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "steps of controlled length are no map; control needs time.step alone");
  if (model->ranks) return SUP_FAIL(SUP_E_ARG, "control runs in one process, without ranks");
  return SUP_OK;
}

/** True if r(v; x) of the trees, contacts and joints is all that a step solves. */
static int is_plain(const sup_model *model, const sup_options *o) {
  const sup_scheme *c = &o->scheme;
  return c->theta <= 0 && c->theta_stiff >= 1 && c->theta_vq >= 1 && model->num_springs == 0 &&
         model->num_constraints == 0 && model->num_loads == 0 &&
         o->contact_solver == SUP_CONTACT_SOLVER_NEWTON && o->friction_sweeps == 1 &&
         o->stick == SUP_STICK_SOFT;
}

static sup_status create(sup_transition *t, const sup_control_def *controls) {
  SUP_TRY(check(t->model, &t->options));
  SUP_TRY(SUP_CALLOC(t->control, t->num_controls));
  for (int i = 0; i < t->num_controls; i++)
    SUP_TRY(find_control(t->model, &controls[i], &t->control[i]));
  t->num_v = t->model->v_start[t->model->num_trees];
  t->is_plain = is_plain(t->model, &t->options);
  t->options.convergence_control = 0;
  SUP_TRY(sup_stepper_create(&t->stepper, t->model, &t->options));
  SUP_TRY(sup_state_create(&t->varied, t->model, &t->options));
  for (int k = 0; k < 2; k++) SUP_TRY(sup_state_create(&t->end[k], t->model, &t->options));
  SUP_TRY(sup_arena_create(&t->arena, 1 << 16));
  SUP_TRY(sup_arena_create(&t->column, 1 << 16));
  SUP_TRY(sup_assembly_create(&t->assembly, sup_stepper_layout(t->stepper)));
  return SUP_OK;
}

sup_status sup_transition_create(sup_transition **out, const sup_model *model,
                                 const sup_options *options, const sup_control_def *controls,
                                 int num_controls) {
  SUP_OWN(sup_transition) *t = NULL;
  *out = NULL;
  SUP_TRY(sup_model_refuse_events(model, "controls"));
  SUP_TRY(SUP_CALLOC(t, 1));
  t->model = model, t->options = *options, t->num_controls = num_controls;
  SUP_TRY(create(t, controls));
  *out = t, t = NULL;
  return SUP_OK;
}

void sup_step_record_free(sup_step_record *record) {
  SUP_FREE(record->v);
  sup_origins_free(&record->origins);
}

void sup_transition_destroy(sup_transition **handle) {
  sup_transition *t = *handle;
  if (!t) return;
  sup_stepper_destroy(&t->stepper);
  sup_state_destroy(&t->varied);
  for (int k = 0; k < 2; k++) sup_state_destroy(&t->end[k]);
  sup_step_record_free(&t->record);
  sup_arena_destroy(&t->arena);
  sup_arena_destroy(&t->column);
  if (t->assembly.layout) sup_assembly_free(&t->assembly);
  sup_contact_problem_free(&t->contacts);
  sup_origins_free(&t->part);
  SUP_FREE_ALL(&t->control, handle);
}

int sup_transition_num_x(const sup_transition *t) { return 2 * t->num_v; }
int sup_transition_num_u(const sup_transition *t) { return t->num_controls; }

/* ---- variations ------------------------------------------------------------------------------ */

void sup_tree_difference(const sup_tree *tree, const double *q0, const double *q1, double *dq) {
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    const double        *a = q0 + link->q_start, *b = q1 + link->q_start;
    double              *d = dq + link->v_start;
    int                  turn = sup_joint_quaternion(link);
    for (int k = 0; k < link->nv && turn == SUP_NONE; k++) d[k] = b[k] - a[k];
    if (turn == SUP_NONE) continue;
    const double *from = a + turn, *to = b + turn;
    sup_quat      back = {from[0], -from[1], -from[2], -from[3]};
    sup_v3_store(d, sup_quat_log(sup_quat_mul(back, (sup_quat){to[0], to[1], to[2], to[3]})));
    if (turn > 0)
      sup_v3_store(d + 3, sup_m3_apply(link->R_WJ, sup_v3_sub(sup_v3_load(b), sup_v3_load(a))));
  }
}

void sup_transition_difference(const sup_transition *t, const sup_state *from, const sup_state *to,
                               double *dx) {
  for (int k = 0; k < t->model->num_trees; k++)
    sup_tree_difference(t->model->tree[k], from->q + t->model->q_start[k],
                        to->q + t->model->q_start[k], dx + t->model->v_start[k]);
  for (int j = 0; j < t->num_v; j++) dx[t->num_v + j] = to->v[j] - from->v[j];
}

sup_status sup_transition_vary(const sup_transition *t, const sup_state *state, const double *dx,
                               sup_state *out) {
  if (out != state) SUP_TRY(sup_state_copy(out, state));
  for (int k = 0; k < t->model->num_trees; k++)
    sup_tree_integrate(t->model->tree[k], out->q + t->model->q_start[k], dx + t->model->v_start[k],
                       1);
  for (int j = 0; j < t->num_v; j++) out->v[j] += dx[t->num_v + j];
  return SUP_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

sup_status sup_transition_set(const sup_transition *t, const double *u, sup_state *state) {
  const sup_model *model = t->model;
  SUP_TRY(sup_inputs_need(state, model));
  for (int i = 0; i < t->num_controls; i++) {
    int k = t->control[i].index;
    if (t->control[i].kind == SUP_CONTROL_EFFORT)
      state->inputs->effort[k] = u[i];
    else
      sup_inputs_ramp(state->inputs, SUP_DRIVEN_TARGET, k, &model->actuator[k].target, 0,
                      state->time, t->options.dt, &u[i], 0);
  }
  return SUP_OK;
}

static sup_status keep(sup_transition *t, sup_step_record *record) {
  sup_step_decisions decisions;
  const double      *v;
  sup_stepper_last(t->stepper, &v, &decisions, NULL);
  const sup_origins *origins = &decisions.contacts->origins;
  if (!record->v) SUP_TRY(SUP_CALLOC(record->v, t->num_v));
  memcpy(record->v, v, (size_t)t->num_v * sizeof *record->v);
  record->all_limits = decisions.all_limits;
  record->is_plain = t->is_plain;
  for (int k = 0; k < origins->num_pairs; k++) record->is_plain &= origins->pair[k].motions == 0;
  sup_origins_clear(&record->origins);
  SUP_TRY(sup_origins_append(&record->origins, origins));
  return SUP_OK;
}

sup_status sup_transition_record(sup_transition *t, const sup_state *state, const double *u,
                                 sup_state *next, sup_step_record *record) {
  sup_step_report report;
  if (next != state) SUP_TRY(sup_state_copy(next, state));
  SUP_TRY(sup_transition_set(t, u, next));
  SUP_TRY(sup_step(t->stepper, next, &report));
  if (record) SUP_TRY(keep(t, record));
  return SUP_OK;
}

sup_status sup_transition_step(sup_transition *t, const sup_state *state, const double *u,
                               sup_state *next) {
  SUP_TRY(sup_transition_record(t, state, u, next, NULL));
  return SUP_OK;
}
