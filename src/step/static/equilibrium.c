/* Equilibrium at the end of a load step: linearise about the last iterate, find contacts there,
 * solve the convex problem, and take a step towards its solution that reduces the cost (THEORY 18).
 */
#include "step/static/equilibrium.h"

#include <math.h>
#include <string.h>

#include "solve/accept.h"
#include "step/column/cables.h"
#include "step/column/chambers.h"
#include "step/static/numerics.h"
#include "step/static/proximal_weight.h"
#include "step/static/static_softs.h"

typedef struct sup_static_iteration iteration;

/** The solution's v := 0 but for held components. */
static void stay(const iteration *it) {
  size_t n = (size_t)it->start.layout->A_pattern.num_scalars;
  memset(it->solution->v, 0, n * sizeof *it->solution->v);
  sup_assembly_dirichlet_velocity(it->assembly, it->solution->v);
}

static sup_status prepare(iteration *it) {
  sup_step_start          *s = &it->start;
  const sup_block_pattern *P = &s->layout->A_pattern;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_assembly_begin(s, it->assembly));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, P->num_scalars, &it->solution->v, &it->r, &it->before));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, P->num_blocks, &it->push, &it->way));
  SUP_TRY(sup_kinematics_compute(&it->kin0, s->model, s->inc, s->state->q, s->state->v, s->arena));
  s->kin = it->kin0;
  it->trees = (sup_static_trees){
      .start = s, .assembly = it->assembly, .end = &it->end->kin_next, .size = it->trust.size};
  /* the forces of a tree alone move it by the radius */
  SUP_TRY(sup_static_trees_begin(&it->trees,
                                 s->model->num_pairs > 0 ? it->trust.size / it->trust.radius : 0));
  SUP_TRY(sup_static_softs_begin(s, it->assembly));
  stay(it);
  it->cost = (sup_true_cost){.start = s,
                             .problem = &it->problem,
                             .assembly = it->assembly,
                             .solution = it->solution,
                             .excess = sup_static_trees_excess,
                             .user = &it->trees};
  /* bodies carried by trees do not move along lines */
  return sup_true_cost_allocate(&it->cost, s->state->num_v == 0);
}

/* ---- the iteration --------------------------------------------------------------------------- */

sup_status sup_statics_move(iteration *it) {
  it->start.kin = it->kin0;
  SUP_TRY(sup_step_begin_next(&it->start, it->end->next));
  sup_static_trees_move(&it->trees, it->solution->v, it->end->next);
  return sup_step_set_end(&it->start, it->assembly, it->solution->v, it->end);
}

/** Record elastic energies and forces of the start of the load step, the base of it->cost. */
static sup_status remember_start(iteration *it) {
  const sup_model *model = it->start.model;
  SUP_TRY(SUP_ARENA(it->arena, it->energy0, model->num_softs));
  SUP_TRY(SUP_ARENA(it->arena, it->force0, model->num_softs));
  for (int i = 0; i < model->num_softs; i++) {
    int n = 3 * model->soft[i].num_vertices;
    it->energy0[i] = sup_true_cost_base_energy(&it->cost, i);
    SUP_TRY(SUP_ARENA(it->arena, it->force0[i], n));
    memcpy(it->force0[i], it->cost.force[i], (size_t)n * sizeof *it->force0[i]);
  }
  return SUP_OK;
}

static int count_inverted(const iteration *it) {
  int count = 0;
  for (int i = 0; i < it->start.model->num_softs; i++) count += it->assembly->soft[i].inverted_now;
  return count;
}

/** Linearise at an extrapolation of the last load steps; *is_good := 0 if its error is too large.
 */
static sup_status predict(iteration *it, int *is_good) {
  sup_assembly_begin_softs(&it->start, it->assembly);
  sup_line_search_set_base(&it->cost, it->solution->v);
  SUP_TRY(remember_start(it));
  int before = count_inverted(it);
  it->phase = SUP_STATIC_GLOBAL;
  SUP_TRY(sup_statics_move(it));
  SUP_TRY(sup_statics_linearise(it, 0));
  *is_good = it->out.error < sup_static_numerics.predicted && count_inverted(it) <= before;
  return SUP_OK;
}

/** First linearisation: at the prediction if its error is small, else at the start. */
static sup_status begin(iteration *it, int is_cut) {
  int is_good = 0;
  it->out.error = HUGE_VAL;
  if (!is_cut && sup_static_softs_predict(&it->start, it->assembly, it->solution->v))
    SUP_TRY(predict(it, &is_good));
  if (is_good) return SUP_OK;
  stay(it);
  it->phase = SUP_STATIC_START;
  SUP_TRY(sup_statics_move(it)); /* with the motion of bases */
  SUP_TRY(sup_statics_linearise(it, 0));
  return it->force0 ? SUP_OK : remember_start(it);
}

/** True if the body of the largest residual moves far and has no constraints. */
static int is_falling(const iteration *it) {
  return it->overshoot > 1 && it->out.worst_block != SUP_NONE &&
         !sup_statics_is_touched(it, it->out.worst_block);
}

/** Test the iterate k: not finite, a balance, or without progress; it->out.end.  *is_left := 1: a
 * saddle, from which a step was taken. */
static sup_status test(iteration *it, int k, int *is_left) {
  sup_equilibrium *out = &it->out;
  if (!isfinite(out->error)) {
    out->end = SUP_STATIC_NOT_FINITE;
  } else if (k > 0 && sup_accept(out->error, HUGE_VAL, it->options->tolerance) > 0) {
    SUP_TRY(sup_statics_judge(it, k, is_left));
    if (!*is_left) out->end = SUP_STATIC_BALANCE;
  } else {
    it->progress = sup_static_progress_next(it->progress, k, out->error, is_falling(it));
    if (sup_static_progress_is_over(it->progress, k)) out->end = SUP_STATIC_STALLED;
  }
  return SUP_OK;
}

/** Newton's method with a trust radius and proximal weights (THEORY 18.2). */
static sup_status iterate(iteration *it, int is_cut) {
  const sup_static_options *o = it->options;
  sup_equilibrium          *out = &it->out;
  for (int k = 0;; k++) {
    int is_left = 0;
    if (o->should_stop && o->should_stop(o->user)) {
      out->end = SUP_STATIC_INTERRUPTED;
      return SUP_OK;
    }
    it->start.arena = it->memory->turn[k % 2];
    SUP_TRY(sup_arena_reset(it->start.arena));
    SUP_TRY(k == 0 ? begin(it, is_cut) : sup_statics_relinearise(it));
    out->report.linearisations = k + it->undone;
    SUP_TRY(test(it, k, &is_left));
    if (out->end == SUP_STATIC_GOES_ON && !is_left) SUP_TRY(sup_statics_newton_step(it, k));
    if (out->end != SUP_STATIC_GOES_ON) return SUP_OK;
    SUP_TRY(sup_statics_move(it));
  }
}

/* ---- the end --------------------------------------------------------------------------------- */

/** Work of the loads along the straight path between two balances, and its part that is not stored
 * (THEORY 18.7), into the report. */
static void account(const iteration *it, sup_step_report *report) {
  const sup_model *model = it->start.model;
  double           stored = 0;
  report->soft_work = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const double   *x0 = it->start.state->x + 3 * soft->first_vertex,
                 *x1 = it->end->next->x + 3 * soft->first_vertex, *f1 = it->cost.force[i];
    stored += sup_true_cost_base_energy(&it->cost, i) - it->energy0[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      report->soft_work -= 0.5 * (it->force0[i][a] + f1[a]) * (x1[a] - x0[a]);
  }
  report->snap_energy = report->soft_work - stored;
}

sup_status sup_statics_result(iteration *it, sup_arena *arena) {
  const sup_model *model = it->start.model;
  size_t           size = (size_t)model->num_bodies * sizeof *it->end->kin_next.w;
  int              count = it->contacts->list.count;
  sup_contact     *contact;
  for (int i = 0; i < model->num_softs; i++)
    sup_assembly_vertex_velocity(it->assembly, i, it->solution->v, it->end->soft[i].u);
  for (int i = 0; i < model->num_softs; i++)
    sup_assembly_relax(&it->start, it->assembly, i, it->end->next, it->end->soft[i].relaxed);
  it->solution->contact_energy =
      sup_contact_energy(&it->contacts->rows, 0, NULL, 0, &it->contacts->list);
  it->start.arena = arena;
  SUP_TRY(sup_step_predict_kinematics(&it->start, it->end));
  memset(it->end->kin_next.w, 0, size);
  memset(it->end->kin_next.v, 0, size);
  SUP_TRY(sup_step_fill_result(&it->start, it->assembly, it->end->next, it->solution, it->contacts,
                               it->end));
  SUP_TRY(SUP_ARENA(it->start.arena, contact, count));
  if (count > 0) memcpy(contact, it->contacts->list.contact, (size_t)count * sizeof *contact);
  it->end->result.contact = contact;
  return SUP_OK;
}

/** Report and result of a load step that found its equilibrium. */
static sup_status finish(iteration *it) {
  account(it, &it->out.report);
  it->out.report.momentum_error = it->out.error;
  it->out.report.arena_peak = sup_arena_peak(it->start.arena);
  sup_assembly_report_inverted(it->assembly);
  sup_chambers_end(&it->start, it->assembly, it->end->next, &it->out.report.gas_inflow);
  sup_cables_end(&it->start, it->assembly, it->solution->v, it->end->next);
  /* memory of its own, so that the next load step may fail or be stopped */
  SUP_TRY(sup_arena_reset(it->memory->kept));
  return sup_statics_result(it, it->memory->kept);
}

/** Place and kind of the failure. */
static sup_status fail(iteration *it) {
  if (it->overshoot > 1 && !it->is_held)
    it->out.end = is_falling(it) ? SUP_STATIC_FALLS : SUP_STATIC_SLIDES;
  SUP_TRY(sup_equilibrium_explain(it));
  return sup_step_store_residual(&it->start, it->r, it->solution);
}

sup_status sup_equilibrium_begin(iteration *it) {
  it->arena = it->start.arena;
  it->trust = sup_trust_radius_of(it->start.model);
  it->seen = *it->start.inc, it->seen.gravity = (sup_v3){0, 0, 0};
  it->length = sup_step_length_full(), it->progress = sup_static_progress_from(0);
  it->out = (sup_equilibrium){.worst_block = SUP_NONE,
                              .report = {.reason = SUP_REASON_TOLERANCE,
                                         .sweeps = 1,
                                         .error_body = SUP_NONE,
                                         .ambiguous_pair = SUP_NONE}};
  it->soft_weight = sup_proximal_first(it->is_held);
  it->tree_weight = sup_static_numerics.tree_weight;
  return prepare(it);
}

sup_status sup_equilibrium_find(iteration *it, int is_cut) {
  SUP_TRY(sup_equilibrium_begin(it));
  sup_status status = iterate(it, is_cut);
  it->start.arena = it->arena;
  SUP_TRY(status);
  it->solution->residual = NULL, it->solution->Av = NULL;
  if (it->out.end == SUP_STATIC_INTERRUPTED) return SUP_OK;
  return it->out.end == SUP_STATIC_BALANCE ? finish(it) : fail(it);
}
