/* Newton step of a load step: convex problem, trust radius, line search, and weights of the next
 * step (THEORY 18.2, 18.3, 18.4). */
#include <math.h>
#include <string.h>

#include "step/static/equilibrium.h"
#include "step/static/numerics.h"
#include "step/static/proximal_weight.h"
#include "step/static/saddle.h"
#include "step/static/tree_weight.h"

typedef struct sup_static_iteration iteration;

/** Limit the step to the trust radius; weights of trees follow theirs: scaled down, the step would
 * shorten those of all bodies that touch the tree.  *is_finite := 0: not finite. */
static sup_status limit(iteration *it, int *is_finite) {
  sup_stepper             *s = it->s;
  const sup_block_pattern *P = &s->layout->A_pattern;
  const sup_model         *model = s->model;
  int                     *island;
  double                  *longest;
  SUP_TRY(SUP_ARENA(s->start.arena, island, P->num_blocks));
  SUP_TRY(SUP_ARENA(s->start.arena, longest, P->num_blocks));
  sup_step_find_islands(s->reduction, &it->problem, s->solution.gamma, island);
  sup_trust_radius_unite_softs(model, P->num_blocks, island);
  sup_statics_displacements(it);
  for (int b = 0; b < P->num_blocks; b++) *is_finite &= isfinite(it->way[b]) != 0;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      s->statics->tree[t].pull = sup_tree_weight_update(
          s->statics->tree[t].pull, it->way[model->tree_block[t]] / it->trust.radius);
  it->overshoot = *is_finite ? sup_trust_radius_shorten(it->trust.radius, P, island, it->way,
                                                        longest, it->cost.base.v, s->solution.v)
                             : 0;
  return SUP_OK;
}

sup_status sup_statics_advance(iteration *it, int *tries, sup_equilibrium *out) {
  sup_stepper      *s = it->s;
  int               iterates = sup_backend_iterates(s->layout->options.backend);
  sup_solve_options options = {
      .tolerance = sup_static_inner_tolerance(it->options->tolerance, out->error,
                                              it->state->num_v > 0, iterates),
      .max_iterations = s->layout->options.max_iterations,
      .sweeps = 1,
      .is_same = it->reuse.age > 0,
      .newton = s->layout->options.newton,
      .line_search = s->layout->options.line_search,
      .solver = s->layout->options.contact_solver};
  sup_solve_report solved;
  double           start = sup_wall_time();
  SUP_TRY(sup_arena_reset(s->statics->inner)); /* H and the like are not needed twice */
  SUP_TRY(sup_reduction_solve(s->reduction, &it->problem, &options, s->statics->inner,
                              &(sup_solution){s->solution.v, s->solution.gamma, s->solution.law},
                              &solved));
  sup_stepper_lap(out->report.seconds, SUP_PHASE_SOLVE, &start);
  out->report.iterations += solved.iterations;
  sup_linear_work_add(&out->report.linear, &solved.linear);
  out->reason = solved.reason;
  if (solved.reason < 0) out->worst_block = solved.worst_block;
  *tries = sup_static_is_solved(solved.reason, solved.momentum_error);
  if (!*tries) return SUP_OK;
  SUP_TRY(limit(it, tries));
  if (*tries && !sup_statics_is_tested_by_error(it))
    *tries = sup_line_search_backtrack(&it->cost, it->length.share);
  sup_stepper_lap(out->report.seconds, SUP_PHASE_DYNAMICS, &start);
  return SUP_OK;
}

void sup_statics_displacements(iteration *it) {
  const sup_stepper *s = it->s;
  sup_trust_radius_displacements(it->trust, s->model, &s->layout->A_pattern, s->start.kin.X_WL,
                                 s->start.inc->h, it->cost.base.v, s->solution.v, it->way);
}

void sup_statics_return(const iteration *it) {
  sup_stepper *s = it->s;
  memcpy(s->solution.v, it->cost.base.v,
         (size_t)s->layout->A_pattern.num_scalars * sizeof *s->solution.v);
}

/** Weight and phase after a step that was taken. */
static sup_status take(iteration *it) {
  sup_statics *statics = it->s->statics;
  statics->soft_weight = sup_proximal_lower(statics->soft_weight, it->is_held);
  if (statics->phase != SUP_STATIC_LOCAL) statics->phase = sup_statics_exact_phase(it);
  return SUP_OK;
}

/** Weight and phase after a step that was refused: an old A, negative curvature or an inconsistent
 * energy. */
static sup_status refuse(iteration *it, int k, sup_equilibrium *out) {
  sup_statics *statics = it->s->statics;
  int          is_left = 0;
  sup_statics_return(it);
  if (it->reuse.age > 0) {
    statics->phase = SUP_STATIC_GLOBAL;
  } else if (statics->phase != SUP_STATIC_PROJECTED) {
    if (out->reason == SUP_REASON_NOT_SPD && k > 0 &&
        sup_saddle_is_suspected(out->error, statics->soft_weight))
      SUP_TRY(sup_statics_escape_saddle(it, k, &is_left, out));
    if (!is_left) statics->phase = SUP_STATIC_PROJECTED;
  } else if (sup_proximal_is_last(statics->soft_weight)) {
    out->end = SUP_STATIC_NO_DESCENT;
  } else {
    statics->soft_weight = sup_proximal_raise(statics->soft_weight);
  }
  return SUP_OK;
}

sup_status sup_statics_newton_step(iteration *it, int k, sup_equilibrium *out) {
  sup_stepper *s = it->s;
  sup_statics *statics = s->statics;
  int          tries;
  it->length =
      sup_step_length_next(it->length, out->error, it->overshoot > 1, s->contact.list.count > 0);
  SUP_TRY(sup_statics_advance(it, &tries, out));
  it->is_minimum = tries > 0 && sup_statics_is_minimum(it);
  if (!tries && out->reason == SUP_REASON_NOT_SPD && statics->phase == SUP_STATIC_ESCAPE) {
    SUP_TRY(sup_statics_advance_shifted(it, &tries, out));
    out->report.held_back++;
  }
  out->report.held_back += tries != 1;
  if (out->reason == SUP_REASON_NOT_SPD)
    statics->tree_weight =
        fmin(sup_proximal_raise(statics->tree_weight), sup_static_numerics.weight_most);
  return tries > 0 ? take(it) : refuse(it, k, out);
}
