/* Negative curvature in a load step (THEORY 18.6): tests of balances, steps down from saddles, and
 * steps with a shifted A afterwards. */
#include <math.h>
#include <stdio.h>

#include "fem/material.h"
#include "step/static/equilibrium.h"
#include "step/static/numerics.h"
#include "step/static/proximal_weight.h"
#include "step/static/saddle.h"
#include "step/static/tree_weight.h"

typedef struct sup_static_iteration iteration;

/** True if A does not depend on positions: small strains of held bodies, and no trees. */
static int is_constant(const iteration *it) {
  const sup_model *model = it->start.model;
  if (!it->is_held || model->v_start[model->num_trees] > 0) return 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_fem_body *fem = model->soft[i].fem;
    for (int k = 0; k < sup_fem_num_materials(fem); k++)
      if (sup_fem_material(fem, k)->model != SUP_MATERIAL_LINEAR) return 0;
  }
  return 1;
}

int sup_statics_is_minimum(const iteration *it) {
  const sup_model *model = it->start.model;
  if (it->phase == SUP_STATIC_PROJECTED || it->soft_weight > 0) return 0;
  if (is_constant(it)) return 1;
  if (!sup_matrix_reuse_is_near(it->reuse)) return 0;
  for (int t = 0; t < model->num_trees; t++) {
    const sup_static_tree *tree = &it->trees.tree[t];
    if (model->tree[t]->nv > 0 && !sup_tree_weight_shows(tree->raises, tree->pull)) return 0;
  }
  return 1;
}

/** Take a step down from a saddle, to the side to which the residual forces push; if these are too
 * small, along sup_saddle.direction.  Returns 1 if the energy fell. */
static int leave(iteration *it, const sup_saddle *saddle) {
  const sup_block_pattern *P = &it->start.layout->A_pattern;
  double                   longest = 0, slope = 0, h = it->start.inc->h;
  double                  *d = saddle->direction;
  for (int i = 0; i < P->num_scalars; i++)
    it->solution->v[i] = it->cost.base.v[i] + d[i], slope += h * it->r[i] * d[i];
  sup_statics_displacements(it);
  for (int b = 0; b < P->num_blocks; b++) longest = fmax(longest, it->way[b]);
  if (sup_saddle_is_before(saddle, slope, longest / it->trust.size))
    for (int i = 0; i < P->num_scalars; i++) d[i] = -d[i];
  return sup_line_search_negative_curvature(&it->cost, it->trees.held, d,
                                            it->trust.radius / longest);
}

sup_status sup_statics_escape_saddle(iteration *it, int k, int *is_left) {
  sup_step_report      *report = &it->out.report;
  const sup_step_convex convex = {
      .start = &it->start, .problem = &it->problem, .reduction = it->reduction};
  sup_saddle saddle;
  *is_left = 0;
  if (it->left >= sup_static_numerics.saddles) return SUP_OK;
  double start = sup_wall_time();
  SUP_TRY(sup_saddle_find(&convex, it->assembly, it->solution, it->trees.held, it->trees.least,
                          it->memory->inner, &saddle));
  sup_step_lap(report->seconds, SUP_PHASE_SOLVE, &start);
  if (saddle.num == 0) return SUP_OK;
  if (report->saddles++ == 0) {
    char place[SUP_BLOCK_NAME_SIZE];
    report->saddle_directions = saddle.num;
    SUP_TRY(sup_step_describe_block(&it->start, it->assembly, it->end->next, saddle.block,
                                    saddle.direction, place));
    snprintf(report->saddle_place, sizeof report->saddle_place, "%.199s", place);
  }
  *is_left = leave(it, &saddle);
  it->soft_weight = sup_proximal_least(it->is_held);
  report->is_saddle = !*is_left;
  it->shift = -saddle.curvature;
  it->left++, it->length = sup_step_length_anew(it->length);
  it->progress = sup_static_progress_from(k + 1);
  if (*is_left) it->phase = SUP_STATIC_ESCAPE;
  return SUP_OK;
}

sup_status sup_statics_judge(iteration *it, int k, int *is_left) {
  *is_left = 0;
  if (it->is_minimum) return SUP_OK;
  if (it->phase == SUP_STATIC_PROJECTED || it->soft_weight > 0 || it->reuse.age > 0) {
    it->phase = sup_statics_exact_phase(it), it->soft_weight = 0;
    SUP_TRY(sup_statics_linearise(it, 0));
  }
  return sup_statics_escape_saddle(it, k, is_left);
}

sup_status sup_statics_advance_shifted(iteration *it, int *tries) {
  int     n = it->start.layout->A_pattern.num_scalars;
  double *diagonal, before = 0;
  SUP_TRY(SUP_ARENA(it->start.arena, diagonal, n));
  sup_assembly_diagonal(it->assembly, diagonal);
  for (int i = 0; i < n; i++) diagonal[i] = fmax(it->trees.least[i], fabs(diagonal[i]));
  it->shift = sup_proximal_shift_first(it->shift);
  while (!*tries && it->out.reason == SUP_REASON_NOT_SPD &&
         !sup_proximal_shift_is_last(it->shift)) {
    sup_statics_return(it);
    sup_assembly_add_proximal(it->assembly, diagonal, it->shift - before, it->cost.base.v);
    before = it->shift, it->shift = sup_proximal_shift_next(it->shift);
    SUP_TRY(sup_statics_advance(it, tries));
  }
  it->shift = before;
  return SUP_OK;
}
