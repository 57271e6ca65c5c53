/* Parts of a step: results of increments, copied and joined. */
#include "step/control/parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "law/normal.h"
#include "step/control/flight.h"
#include "step/stepper.h"

/* ---- life cycle ------------------------------------------------------------------------------ */

static sup_status create_part(sup_step_part *p, const sup_model *model, int bdf2) {
  SUP_TRY(SUP_CALLOC(p->effort, SUP_NUM_JOINT_ROLES * model->v_start[model->num_trees]));
  SUP_TRY(SUP_CALLOC(p->force, 3 * model->num_vertices));
  if (bdf2) SUP_TRY(SUP_CALLOC(p->impulse, 3 * model->num_vertices));
  SUP_TRY(SUP_CALLOC(p->wrench, sup_model_num_wrenches(model)));
  SUP_TRY(SUP_CALLOC(p->reaction, model->num_dirichlet));
  SUP_TRY(SUP_CALLOC(p->spin, model->num_softs));
  SUP_TRY(SUP_CALLOC(p->pair, model->num_pairs));
  SUP_TRY(SUP_CALLOC(p->touch, model->num_trees + model->num_softs));
  return SUP_OK;
}

static void free_part(sup_step_part *p) {
  SUP_FREE_ALL(&p->effort, &p->force, &p->impulse, &p->wrench, &p->reaction, &p->spin, &p->pair,
               &p->touch);
}

sup_status sup_step_parts_create(sup_step_parts **out, const sup_model *model,
                                 const sup_options *options) {
  SUP_OWN(sup_step_parts) *c = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(c, 1));
  SUP_TRY(sup_state_create(&c->whole, model, options));
  SUP_TRY(sup_state_create(&c->halves, model, options));
  SUP_TRY(sup_state_create(&c->brief, model, options));
  for (int k = 0; k < 2; k++)
    SUP_TRY(SUP_CALLOC(c->stick[k].friction,
                       model->v_start[model->num_trees] + 3 * model->num_vertices));
  SUP_TRY(SUP_CALLOC(c->flight, model->num_trees + model->num_softs));
  SUP_TRY(SUP_CALLOC(c->off, model->v_start[model->num_trees]));
  SUP_TRY(SUP_CALLOC(c->rests, model->num_pairs));
  SUP_TRY(create_part(&c->one, model, options->soft_bdf2));
  SUP_TRY(create_part(&c->first, model, options->soft_bdf2));
  SUP_TRY(create_part(&c->second, model, options->soft_bdf2));
  *out = c, c = NULL;
  return SUP_OK;
}

void sup_step_parts_destroy(sup_step_parts **control) {
  sup_step_parts *c = *control;
  if (!c) return;
  sup_state_destroy(&c->whole);
  sup_state_destroy(&c->halves);
  sup_state_destroy(&c->brief);
  free_part(&c->one), free_part(&c->first), free_part(&c->second);
  SUP_FREE_ALL(&c->flight, &c->off, &c->rests, &c->stick[0].friction, &c->stick[1].friction);
  SUP_FREE(*control);
}

/* ---- advance and keep -------------------------------------------------------------------------
 */

/** True if a contact of a soft body pushes at exactly one end of the increment. */
static int opens_or_closes(const sup_model *model, const sup_contact_list *list) {
  for (int k = 0; k < list->count; k++) {
    const sup_contact *c = &list->contact[k];
    if (model->body[c->body_a].soft == SUP_NONE && model->body[c->body_b].soft == SUP_NONE)
      continue;
    if ((sup_v3_dot(c->force, c->normal) > 0) != (c->phi < 0)) return 1;
  }
  return 0;
}

/** True if a barrier keeps the gap of a contact open: extrapolation might close it. */
static int keeps_gap(const sup_stepper *s) {
  for (int k = 0; k < s->contact.list.count; k++) {
    const sup_pair *pair = &s->layout->model->pair[s->contact.list.contact[k].pair];
    if (sup_increment_model(&s->end.result.increment, pair) != SUP_MODEL_SAP &&
        sup_normal_table(pair->normal_law)->is_barrier)
      return 1;
  }
  return 0;
}

static void keep_pairs(const sup_stepper *s, sup_pair_load *load) {
  const sup_model *model = s->layout->model;
  for (int p = 0; p < model->num_pairs; p++) load[p] = (sup_pair_load){{{0, 0, 0}, {0, 0, 0}}, 0};
  for (int k = 0; k < s->contact.list.count; k++) {
    const sup_contact *c = &s->contact.list.contact[k];
    sup_wrench        *on_b = &load[c->pair].on_b;
    load[c->pair].normal += fabs(sup_v3_dot(c->force, c->normal));
    if (c->body_a == c->body_b) continue;
    double sign = c->body_b == model->pair[c->pair].b ? 1 : -1;
    on_b->force = sup_v3_madd(on_b->force, sign, c->force);
    on_b->moment =
        sup_v3_madd(on_b->moment, sign,
                    sup_contact_moment(c, c->body_b == model->pair[c->pair].b, (sup_v3){0, 0, 0}));
  }
}

static void keep(const sup_stepper *s, const sup_state *after, sup_step_part *p) {
  const sup_model       *model = s->layout->model;
  const sup_step_result *r = &s->end.result;
  size_t                 nv = SUP_NUM_JOINT_ROLES * (size_t)model->v_start[model->num_trees];
  if (nv) memcpy(p->effort, r->joint_effort, nv * sizeof *p->effort);
  if (model->num_vertices)
    memcpy(p->force, r->contact_force, 3 * (size_t)model->num_vertices * sizeof *p->force);
  if (p->impulse)
    memcpy(p->impulse, after->impulse_before, 3 * (size_t)model->num_vertices * sizeof *p->impulse);
  for (int i = 0; i < model->num_softs; i++) p->spin[i] = r->spin[i];
  for (int i = 0; i < sup_model_num_wrenches(model); i++) p->wrench[i] = r->attach_wrench[i];
  for (int i = 0; i < model->num_dirichlet; i++) p->reaction[i] = r->reaction[i];
  keep_pairs(s, p->pair);
  sup_step_mark_touching(model, p);
  p->contact_energy = r->contact_energy;
  p->touches = s->contact.rows.num_constraints > 0;
  p->changes = opens_or_closes(model, &s->contact.list);
  p->has_barrier = keeps_gap(s);
}

void sup_step_work_add(const sup_step_report *of, sup_step_report *all) {
  all->iterations += of->iterations;
  all->iterations_sum += of->iterations_sum;
  sup_linear_work_add(&all->linear, &of->linear);
  all->factorisations += of->factorisations;
  all->line_search_evaluations += of->line_search_evaluations;
  all->linearisations += of->linearisations;
  all->analysed |= of->analysed;
  for (int k = 0; k < SUP_NUM_PHASES; k++) all->seconds[k] += of->seconds[k];
}

void sup_step_work_set(const sup_step_report *of, sup_step_report *report) {
  memset(report->seconds, 0, sizeof report->seconds);
  report->iterations = report->iterations_sum = 0;
  report->linear = (sup_linear_work){0};
  report->line_search_evaluations = report->linearisations = report->factorisations = 0;
  report->analysed = 0;
  sup_step_work_add(of, report);
}

sup_status sup_stepper_advance_part(sup_stepper *s, double t1, double h, int bdf2, sup_state *state,
                                    sup_step_part *p, sup_step_report *all) {
  sup_increment inc = sup_increment_of_state(&s->layout->options, state);
  inc.h = h, inc.t1 = t1, inc.soft_bdf2 = bdf2;
  sup_status status = sup_stepper_advance(s, &inc, state, &p->report);
  sup_step_work_add(&p->report, all);
  if (status == SUP_OK) {
    keep(s, state, p);
    return SUP_OK;
  }
  sup_step_report work = *all;
  *all = p->report;
  memcpy(all->seconds, work.seconds, sizeof work.seconds);
  all->rejected = work.rejected;
  all->iterations = work.iterations, all->iterations_sum = work.iterations_sum;
  return status;
}

/* ---- join --------------------------------------------------------------------------------------
 */

/** Mean over the step from the means of the halves and of the whole step, so that impulses close
 * the balance of momentum. */
static double mean_of(double one, double first, double second, double weight) {
  return 0.5 * (1 + weight) * (first + second) - weight * one;
}

static sup_v3 mean_vector(sup_v3 one, sup_v3 first, sup_v3 second, double weight) {
  return sup_v3_make(mean_of(one.x, first.x, second.x, weight),
                     mean_of(one.y, first.y, second.y, weight),
                     mean_of(one.z, first.z, second.z, weight));
}

static sup_wrench mean_wrench(const sup_wrench *one, const sup_wrench *first,
                              const sup_wrench *second, double weight) {
  return (sup_wrench){mean_vector(one->force, first->force, second->force, weight),
                      mean_vector(one->moment, first->moment, second->moment, weight)};
}

void sup_stepper_join_results(sup_stepper *s, double weight) {
  const sup_model *model = s->layout->model;
  sup_step_parts  *c = s->parts;
  sup_step_result *r = &s->end.result;
  sup_step_part   *a = &c->one, *b = &c->first, *d = &c->second;
  for (int i = 0; i < SUP_NUM_JOINT_ROLES * model->v_start[model->num_trees]; i++)
    d->effort[i] = mean_of(a->effort[i], b->effort[i], d->effort[i], weight);
  for (int i = 0; i < 3 * model->num_vertices; i++)
    d->force[i] = mean_of(a->force[i], b->force[i], d->force[i], weight);
  for (int i = 0; i < model->num_softs; i++) {
    sup_v3 taken = mean_vector(a->spin[i].taken, b->spin[i].taken, d->spin[i].taken, weight);
    taken = sup_v3_madd(taken, 0.5 * (1 + weight), sup_v3_add(b->spin[i].taken, d->spin[i].taken));
    d->spin[i].taken = taken, d->spin[i].angle += b->spin[i].angle;
  }
  for (int i = 0; i < sup_model_num_wrenches(model); i++)
    d->wrench[i] = mean_wrench(&a->wrench[i], &b->wrench[i], &d->wrench[i], weight);
  for (int i = 0; i < model->num_dirichlet; i++)
    d->reaction[i] = mean_wrench(&a->reaction[i], &b->reaction[i], &d->reaction[i], weight);
  for (int i = 0; i < model->num_pairs; i++) {
    sup_pair_load *x = &a->pair[i], *y = &b->pair[i], *z = &d->pair[i];
    z->on_b = mean_wrench(&x->on_b, &y->on_b, &z->on_b, weight);
    z->normal = fmax(mean_of(x->normal, y->normal, z->normal, weight), 0);
  }
  r->joint_effort = d->effort, r->contact_force = d->force, r->attach_wrench = d->wrench;
  r->constraint_wrench = d->wrench + model->num_attachments;
  r->reaction = d->reaction, r->spin = d->spin, r->pair_load = d->pair;
  r->contact_energy = fmax(d->contact_energy + weight * (d->contact_energy - a->contact_energy), 0);
}

void sup_step_parts_join_reports(const sup_step_parts *c, double weight, sup_step_report *r) {
  const sup_step_report *a = &c->one.report, *b = &c->first.report;
  r->soft_work += b->soft_work, r->soft_work += weight * (r->soft_work - a->soft_work);
  r->gas_inflow += b->gas_inflow, r->soft_damping += b->soft_damping;
  r->soft_damping += weight * (r->soft_damping - a->soft_damping);
  r->joint_friction += b->joint_friction;
  r->joint_friction += weight * (r->joint_friction - a->joint_friction);
  r->rolling_friction += b->rolling_friction;
  r->rolling_friction += weight * (r->rolling_friction - a->rolling_friction);
  r->soft_relaxation += b->soft_relaxation;
  r->soft_relaxation += weight * (r->soft_relaxation - a->soft_relaxation);
  r->sweeps = b->sweeps > r->sweeps ? b->sweeps : r->sweeps;
  r->at_cap |= b->at_cap, r->friction_at_cap |= b->friction_at_cap;
  if (r->ambiguous == 0) r->ambiguous_pair = b->ambiguous_pair;
  r->ambiguous += b->ambiguous;
  r->substeps = b->substeps > r->substeps ? b->substeps : r->substeps;
  r->hand_overs += b->hand_overs;
  r->sweep_change = fmax(r->sweep_change, b->sweep_change);
  if (b->momentum_error > r->momentum_error)
    r->momentum_error = b->momentum_error, r->reason = b->reason, r->error_body = b->error_body;
  r->momentum_residual = fmax(r->momentum_residual, b->momentum_residual);
  r->island_error = fmax(r->island_error, b->island_error);
  r->round_off = fmax(r->round_off, b->round_off);
  r->penetration_max = fmax(r->penetration_max, b->penetration_max);
  if (b->stiff_penetration_max > r->stiff_penetration_max)
    r->stiff_penetration_max = b->stiff_penetration_max, r->deepest_pair = b->deepest_pair;
  r->friction_work_max = fmax(r->friction_work_max, b->friction_work_max);
  r->ncp_primal = fmax(r->ncp_primal, b->ncp_primal);
  r->ncp_dual = fmax(r->ncp_dual, b->ncp_dual);
  r->ncp_complementarity = fmax(r->ncp_complementarity, b->ncp_complementarity);
  r->friction_lag = fmax(r->friction_lag, b->friction_lag);
  r->stick_speed_max = fmax(r->stick_speed_max, b->stick_speed_max);
  r->condition = fmax(r->condition, b->condition);
  r->complementarity_error = fmax(r->complementarity_error, b->complementarity_error);
  r->slip_tolerance = fmax(r->slip_tolerance, b->slip_tolerance);
  r->law_residual = fmax(r->law_residual, b->law_residual);
  r->law_primal = fmax(r->law_primal, b->law_primal);
  r->law_dual = fmax(r->law_dual, b->law_dual);
  r->law_complementarity = fmax(r->law_complementarity, b->law_complementarity);
  if (b->inverted_cells > r->inverted_cells)
    r->inverted_cells = b->inverted_cells, r->inverted_body = b->inverted_body;
  r->discarded_small += b->discarded_small, r->discarded_backward += b->discarded_backward;
  r->discarded_inverted += b->discarded_inverted;
  if (b->silent_pairs > 0) r->silent_pairs = b->silent_pairs, r->silent_pair = b->silent_pair;
  if (b->passed_pairs > 0) r->passed_pairs = b->passed_pairs, r->passed_pair = b->passed_pair;
  r->arena_peak = b->arena_peak > r->arena_peak ? b->arena_peak : r->arena_peak;
}

/* ---- steps of fixed length (P2's convergence control) ---------------------------------------- */

static void add_wrench(const sup_wrench *w, double share, sup_wrench *sum) {
  sum->force = sup_v3_madd(sum->force, share, w->force);
  sum->moment = sup_v3_madd(sum->moment, share, w->moment);
}

/** sum += share times the part's means; spins are added with factor 1. */
static void add_part(const sup_model *model, const sup_step_part *p, double share,
                     sup_step_part *sum) {
  for (int i = 0; i < SUP_NUM_JOINT_ROLES * model->v_start[model->num_trees]; i++)
    sum->effort[i] += share * p->effort[i];
  for (int i = 0; i < 3 * model->num_vertices; i++) sum->force[i] += share * p->force[i];
  for (int i = 0; i < model->num_softs; i++) {
    sum->spin[i].momentum = p->spin[i].momentum, sum->spin[i].angle += p->spin[i].angle;
    sum->spin[i].taken = sup_v3_add(sum->spin[i].taken, p->spin[i].taken);
  }
  for (int i = 0; i < sup_model_num_wrenches(model); i++)
    add_wrench(&p->wrench[i], share, &sum->wrench[i]);
  for (int i = 0; i < model->num_dirichlet; i++)
    add_wrench(&p->reaction[i], share, &sum->reaction[i]);
  for (int i = 0; i < model->num_pairs; i++) {
    add_wrench(&p->pair[i].on_b, share, &sum->pair[i].on_b);
    sum->pair[i].normal += share * p->pair[i].normal;
  }
}

static void clear_part(const sup_model *model, sup_step_part *p) {
  size_t nv = SUP_NUM_JOINT_ROLES * (size_t)model->v_start[model->num_trees];
  if (nv) memset(p->effort, 0, nv * sizeof *p->effort);
  if (model->num_vertices) memset(p->force, 0, 3 * (size_t)model->num_vertices * sizeof *p->force);
  for (int i = 0; i < model->num_softs; i++) p->spin[i] = (sup_soft_spin){0};
  for (int i = 0; i < sup_model_num_wrenches(model); i++)
    p->wrench[i] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < model->num_dirichlet; i++)
    p->reaction[i] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < model->num_pairs; i++)
    p->pair[i] = (sup_pair_load){{{0, 0, 0}, {0, 0, 0}}, 0};
}

/** Advance the increment in equal consecutive parts. */
static sup_status go_in_parts(sup_stepper *s, const sup_increment *inc, int parts,
                              sup_step_report *all) {
  sup_step_parts *c = s->parts;
  double work = 0, damping = 0, relaxation = 0, friction = 0, rolling = 0, h = inc->h / parts;
  clear_part(s->layout->model, &c->one);
  for (int k = 1; k <= parts; k++) {
    c->first.report = c->second.report;
    SUP_TRY(sup_stepper_advance_part(s, k < parts ? inc->t0 + k * h : inc->t1, h,
                                     s->layout->options.soft_bdf2, c->halves, &c->second, all));
    add_part(s->layout->model, &c->second, 1. / parts, &c->one);
    work += c->second.report.soft_work, damping += c->second.report.soft_damping;
    relaxation += c->second.report.soft_relaxation;
    friction += c->second.report.joint_friction, rolling += c->second.report.rolling_friction;
    if (k > 1) sup_step_parts_join_reports(c, 0, &c->second.report);
  }
  c->second.report.soft_work = work, c->second.report.soft_damping = damping;
  c->second.report.soft_relaxation = relaxation, c->second.report.joint_friction = friction;
  c->second.report.rolling_friction = rolling;
  return SUP_OK;
}

sup_status sup_stepper_step_in_parts(sup_stepper *s, sup_state *state, sup_step_report *report) {
  enum { MOST = 64 };
  sup_step_parts     *c = s->parts;
  const sup_increment inc = sup_increment_of_state(&s->layout->options, state);
  sup_step_report     all = *report;
  sup_status          status = SUP_E_NOT_CONVERGED;
  for (int parts = 2; status == SUP_E_NOT_CONVERGED && parts <= MOST; parts *= 2) {
    all.rejected++;
    SUP_TRY(sup_state_copy(c->halves, state));
    status = go_in_parts(s, &inc, parts, &all);
  }
  *report = all;
  SUP_TRY(status);
  *report = c->second.report;
  sup_step_work_set(&all, report);
  report->rejected = all.rejected, report->step_size = inc.h;
  c->halves->step = state->step + 1, c->halves->time = inc.t1;
  SUP_TRY(sup_state_copy(state, c->halves));
  sup_step_result *r = &s->end.result;
  r->joint_effort = c->one.effort, r->contact_force = c->one.force;
  r->attach_wrench = c->one.wrench,
  r->constraint_wrench = c->one.wrench + s->layout->model->num_attachments,
  r->reaction = c->one.reaction, r->spin = c->one.spin;
  r->pair_load = c->one.pair;
  r->increment = inc, r->step = state->step, r->time = state->time;
  return SUP_OK;
}
