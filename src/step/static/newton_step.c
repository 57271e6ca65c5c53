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

/** Halve the steps of trees whose rigid bodies would pass through each other. */
static sup_status stop_passing(iteration *it) {
  enum { MOST = 20 };
  const sup_model         *model = it->start.model;
  const sup_block_pattern *P = &it->start.layout->A_pattern;
  double                  *v = it->solution->v;
  unsigned char           *passes;
  SUP_TRY(SUP_ARENA(it->start.arena, passes, model->num_trees));
  for (int k = 0; k < MOST; k++) {
    sup_static_trees_place(&it->trees, v);
    if (!sup_trust_radius_passes(model, it->start.kin.X_WL, it->trees.X_end, passes)) break;
    for (int t = 0; t < model->num_trees; t++)
      for (int b = model->tree_block[t], i = 0;
           passes[t] && b != SUP_NONE && i < sup_block_size(P, b); i++)
        v[sup_block_first(P, b) + i] =
            .5 * (v[sup_block_first(P, b) + i] + it->cost.base.v[sup_block_first(P, b) + i]);
  }
  return SUP_OK;
}

/** Limit the step to the trust radius.  Weights of trees are raised by the trees' displacements:
 * scaling down a tree's step would also shorten the steps of all bodies that touch the tree.
 * *is_finite := 0: not finite. */
static sup_status limit(iteration *it, int *is_finite) {
  const sup_step_start    *s = &it->start;
  const sup_model         *model = s->model;
  const sup_block_pattern *P = &s->layout->A_pattern;
  int                     *island;
  double                  *longest;
  SUP_TRY(SUP_ARENA(s->arena, island, P->num_blocks));
  SUP_TRY(SUP_ARENA(s->arena, longest, P->num_blocks));
  sup_step_find_islands(it->reduction, &it->problem, it->solution->gamma, island);
  sup_trust_radius_unite_softs(model, P->num_blocks, island);
  sup_statics_displacements(it);
  for (int b = 0; b < P->num_blocks; b++) *is_finite &= isfinite(it->way[b]) != 0;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      it->trees.tree[t].pull = sup_tree_weight_update(
          it->trees.tree[t].pull, it->way[model->tree_block[t]] / it->trust.radius);
  it->overshoot = *is_finite ? sup_trust_radius_shorten(it->trust.radius, P, island, it->way,
                                                        longest, it->cost.base.v, it->solution->v)
                             : 0;
  return *is_finite ? stop_passing(it) : SUP_OK;
}

sup_status sup_statics_advance(iteration *it, int *tries) {
  const sup_options *run = &it->start.layout->options;
  sup_equilibrium   *out = &it->out;
  sup_step_solution *x = it->solution;
  sup_solve_options  options = {.tolerance = sup_static_inner_tolerance(
                                    it->options->tolerance, out->error, it->start.state->num_v > 0,
                                    sup_backend_iterates(run->backend)),
                                .max_iterations = run->max_iterations,
                                .sweeps = 1,
                                .is_same = it->reuse.age > 0,
                                .newton = run->newton,
                                .line_search = run->line_search,
                                .solver = run->contact_solver};
  sup_solve_report   solved;
  double             start = sup_wall_time();
  SUP_TRY(sup_arena_reset(it->memory->inner)); /* releases H and other memory of the solution */
  const sup_step_convex convex = {&it->start, &it->problem, &options, it->reduction, it->assembly};
  SUP_TRY(sup_step_convex_solve_in(&convex, &options, it->memory->inner, x, &solved));
  sup_step_lap(out->report.seconds, SUP_PHASE_SOLVE, &start);
  out->report.iterations += solved.iterations;
  sup_linear_work_add(&out->report.linear, &solved.linear);
  out->reason = solved.reason;
  if (solved.reason < 0) out->worst_block = solved.worst_block;
  *tries = sup_static_is_solved(solved.reason, solved.momentum_error);
  if (!*tries) return SUP_OK;
  SUP_TRY(limit(it, tries));
  if (*tries && !sup_statics_is_tested_by_error(it))
    *tries = sup_line_search_backtrack(&it->cost, it->length.share);
  sup_step_lap(out->report.seconds, SUP_PHASE_DYNAMICS, &start);
  return SUP_OK;
}

void sup_statics_displacements(iteration *it) {
  const sup_step_start *s = &it->start;
  sup_trust_radius_displacements(it->trust, s->model, &s->layout->A_pattern, s->kin.X_WL, s->inc->h,
                                 it->cost.base.v, it->solution->v, it->way);
}

void sup_statics_return(const iteration *it) {
  size_t n = (size_t)it->start.layout->A_pattern.num_scalars;
  memcpy(it->solution->v, it->cost.base.v, n * sizeof *it->solution->v);
}

/** Weight and phase after a step that was taken. */
static void take(iteration *it) {
  it->soft_weight = sup_proximal_lower(it->soft_weight, it->is_held);
  if (it->phase != SUP_STATIC_LOCAL) it->phase = sup_statics_exact_phase(it);
}

/** Weight and phase after a step that was refused: an old A, negative curvature or an inconsistent
 * energy. */
static sup_status refuse(iteration *it, int k) {
  int is_left = 0;
  sup_statics_return(it);
  if (it->reuse.age > 0) {
    it->phase = SUP_STATIC_GLOBAL;
  } else if (it->phase != SUP_STATIC_PROJECTED) {
    if (it->out.reason == SUP_REASON_NOT_SPD && k > 0 &&
        sup_saddle_is_suspected(it->out.error, it->soft_weight))
      SUP_TRY(sup_statics_escape_saddle(it, k, &is_left));
    if (!is_left) it->phase = SUP_STATIC_PROJECTED;
  } else if (sup_proximal_is_last(it->soft_weight)) {
    it->out.end = SUP_STATIC_NO_DESCENT;
  } else {
    it->soft_weight = sup_proximal_raise(it->soft_weight);
  }
  return SUP_OK;
}

sup_status sup_statics_newton_step(iteration *it, int k) {
  sup_equilibrium *out = &it->out;
  int              tries;
  it->length =
      sup_step_length_next(it->length, out->error, it->overshoot > 1, it->contacts->list.count > 0);
  SUP_TRY(sup_statics_advance(it, &tries));
  it->is_minimum = tries > 0 && sup_statics_is_minimum(it);
  if (!tries && out->reason == SUP_REASON_NOT_SPD && it->phase == SUP_STATIC_ESCAPE) {
    SUP_TRY(sup_statics_advance_shifted(it, &tries));
    out->report.held_back++;
  }
  out->report.held_back += tries != 1;
  if (out->reason == SUP_REASON_NOT_SPD)
    it->tree_weight = fmin(sup_proximal_raise(it->tree_weight), sup_static_numerics.weight_most);
  if (!tries) return refuse(it, k);
  take(it);
  return SUP_OK;
}
