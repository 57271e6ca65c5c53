/* Linearisation of a load step about an iterate (THEORY 18.2): A and p, contacts and their rows,
 * the residual; reuse of A near a balance (18.5). */
#include <math.h>
#include <string.h>

#include "collide/travel.h"
#include "solve/accept.h"
#include "step/column/cables.h"
#include "step/static/equilibrium.h"
#include "step/static/numerics.h"
#include "step/static/static_softs.h"

typedef struct sup_static_iteration iteration;

/** A and p about the block velocities v, after which `at` is; NULL: about the start. */
static sup_status assemble(iteration *it, const sup_state *at, const double *v) {
  const sup_step_start *s = &it->start;
  sup_assembly         *assembly = it->assembly;
  int                   is_exact = it->phase != SUP_STATIC_PROJECTED;
  sup_static_softs_add_proximal(s, it->soft_weight, v, assembly);
  SUP_TRY(sup_assembly_softs(s, assembly, v, is_exact));
  assembly->within = s->kin, assembly->about = NULL, assembly->elapsed = v ? s->inc->h : 0;
  SUP_TRY(sup_static_trees_add(&it->trees, at, assembly));
  sup_assembly_springs(s, assembly, at->v);
  sup_cables_assemble(s, assembly, at->v, v);
  sup_assembly_efforts(s, assembly);
  SUP_TRY(sup_assembly_loads(s, assembly));
  sup_assembly_point_loads(s, assembly);
  SUP_TRY(sup_static_trees_add_weights(&it->trees, at, fmax(it->soft_weight, it->tree_weight),
                                       is_exact ? s->inc->h * s->inc->h : 0,
                                       it->phase == SUP_STATIC_START, assembly));
  sup_assembly_share_trees(assembly);
  return SUP_OK;
}

/** Find contacts of overlapping bodies; about the start of a load step, also contacts that
 * prescribed motions will close.  The search uses the arena `inner`, which the convex problem
 * resets. */
static sup_status search_contacts(iteration *it, const sup_state *at) {
  const sup_model *model = it->start.model;
  sup_arena       *arena = it->memory->inner;
  sup_kinematics   kin = it->start.kin;
  double          *xdot;
  sup_travel      *travel;
  size_t           n = 3 * (size_t)model->num_vertices;
  SUP_TRY(sup_arena_reset(arena));
  SUP_TRY(SUP_ARENA(arena, xdot, n));
  if (it->phase != SUP_STATIC_START) { /* prescribed motions have ended */
    SUP_TRY(SUP_ARENA(arena, kin.v, model->num_bodies));
    memset(kin.v, 0, (size_t)model->num_bodies * sizeof *kin.v);
    kin.w = kin.v;
    memset(xdot, 0, n * sizeof *xdot);
  } else {
    for (int i = 0; i < model->num_softs; i++)
      sup_assembly_vertex_velocity(it->assembly, i, it->solution->v,
                                   xdot + 3 * model->soft[i].first_vertex);
  }
  if (it->origins)
    return sup_collide_measure(it->origins, model, &it->seen, &kin, at->x, xdot, NULL, arena,
                               &it->contacts->list);
  SUP_TRY(sup_travel_start(model, &it->seen, &kin, arena, &travel));
  return sup_collide(&it->contacts->list, model, &it->seen, &kin, at->x, xdot, travel, arena);
}

/** Diagonal of A for the near-rigid rule of drives and limits: large, so that gains are not
 * reduced. */
static sup_status stiff_trees(const iteration *it, double **A) {
  const sup_model         *model = it->start.model;
  const sup_block_pattern *P = &it->start.layout->A_pattern;
  size_t                   size = 0;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE) size = sup_block_diagonal(P, model->tree_block[t] + 1);
  SUP_TRY(SUP_ARENA(it->start.arena, *A, size));
  if (size) memset(*A, 0, size * sizeof **A);
  for (int t = 0; t < model->num_trees; t++) {
    int n = model->tree[t]->nv, block = model->tree_block[t];
    for (int j = 0; j < n; j++)
      (*A)[sup_block_diagonal(P, block) + (size_t)(j * (n + 1))] =
          sup_static_numerics.stiff_trees * it->trees.mass[model->v_start[t] + j];
  }
  return SUP_OK;
}

/** Rows of the contacts, joints and drives at the iterate. */
static sup_status make_rows(iteration *it, const sup_state *at) {
  const sup_step_start *s = &it->start;
  sup_contact_problem  *contacts = it->contacts;
  sup_contact_context   context;
  double               *A;
  SUP_TRY(sup_step_contact_context(s, it->assembly, &context));
  context.v0 = it->solution->v;
  sup_rows_reset(&contacts->rows);
  SUP_TRY(sup_contact_rows(&contacts->rows, &context, &contacts->list));
  SUP_TRY(sup_rolling_rows_add(&contacts->rolling, &contacts->rows, &context, &contacts->list));
  SUP_TRY(stiff_trees(it, &A));
  SUP_TRY(sup_joint_rows_add(&contacts->joints, &contacts->rows, s->model, s->inc, s->state->q,
                             s->state->v, (sup_placed){s->kin.X_WL, at->x, at->q},
                             &s->layout->A_pattern, A, 0, s->arena));
  context.x = at->x;
  SUP_TRY(sup_body_rows_add(&contacts->bodies, &contacts->rows, &context, s->state,
                            (sup_placed){it->kin0.X_WL, s->state->x, s->state->q},
                            (sup_placed){s->kin.X_WL, at->x, at->q}));
  return sup_spin_rows_add(&contacts->spin, &contacts->rows, &context, &contacts->list);
}

sup_status sup_statics_constrain(iteration *it, const sup_state *at) {
  sup_arena         *arena = it->start.arena;
  sup_step_solution *x = it->solution;
  double             start = sup_wall_time(), *seconds = it->out.report.seconds;
  SUP_TRY(search_contacts(it, at));
  sup_step_lap(seconds, SUP_PHASE_COLLIDE, &start);
  SUP_TRY(make_rows(it, at));
  sup_step_lap(seconds, SUP_PHASE_ROWS, &start);
  it->problem = sup_step_problem(it->assembly, it->contacts);
  SUP_TRY(SUP_ARENA_VECTORS(arena, it->problem.num_vc, &x->gamma, &x->vc));
  SUP_TRY(SUP_ARENA(arena, x->law, it->problem.num_constraints));
  sup_problem_copy_laws(&it->problem, x->law);
  return SUP_OK;
}

/** The linearisation and the residual there. */
static sup_status linearise(iteration *it) {
  sup_step_start    *s = &it->start;
  sup_step_solution *x = it->solution;
  double             start = sup_wall_time(), *seconds = it->out.report.seconds;
  int                is_start = it->phase == SUP_STATIC_START, analysed = 0;
  const sup_state   *at = is_start ? s->state : it->end->next;
  s->kin = is_start ? it->kin0 : it->end->kin_next;
  SUP_TRY(sup_static_softs_attach(s, at, it->end->next, it->assembly));
  if (it->reuse.age > 0)
    SUP_TRY(sup_assembly_renew_forces(s, it->assembly, x->v));
  else
    SUP_TRY(assemble(it, at, is_start ? NULL : x->v));
  sup_step_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  SUP_TRY(sup_statics_constrain(it, at));
  start = sup_wall_time();
  if (it->reduction)
    SUP_TRY(sup_reduction_analyse(it->reduction, &it->problem, it->memory->inner, &analysed));
  sup_step_lap(seconds, SUP_PHASE_ANALYSE, &start);
  sup_line_search_set_base(&it->cost, x->v);
  sup_step_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  sup_statics_measure(it);
  return SUP_OK;
}

/* ---- reuse of A ------------------------------------------------------------------------------ */

sup_static_phase sup_statics_exact_phase(const iteration *it) {
  return it->left > 0 ? SUP_STATIC_ESCAPE : SUP_STATIC_GLOBAL;
}

int sup_statics_is_tested_by_error(const iteration *it) {
  return it->phase == SUP_STATIC_LOCAL && it->length.share == 1 && it->undone == 0;
}

/** Switch between the phases GLOBAL and LOCAL: LOCAL near an equilibrium, without proximal weight
 * and without trees. */
static void choose_phase(iteration *it, int is_fast) {
  if (it->phase != SUP_STATIC_GLOBAL && it->phase != SUP_STATIC_LOCAL) return;
  int is_local = is_fast && sup_matrix_reuse_is_near(it->reuse) && it->soft_weight == 0 &&
                 it->start.state->num_v == 0;
  it->phase = is_local ? SUP_STATIC_LOCAL : SUP_STATIC_GLOBAL;
}

sup_status sup_statics_linearise(iteration *it, int is_kept) {
  double before = it->out.error;
  it->reuse.age = is_kept ? it->reuse.age + 1 : 0;
  SUP_TRY(linearise(it));
  if (it->reuse.age == 0) it->reuse.error = it->out.error;
  choose_phase(it, sup_matrix_reuse_is_fast(it->out.error, before));
  return SUP_OK;
}

sup_status sup_statics_relinearise(iteration *it) {
  int    is_tested = sup_statics_is_tested_by_error(it);
  double before = it->out.error;
  size_t size = (size_t)it->start.layout->A_pattern.num_scalars * sizeof *it->before;
  memcpy(it->before, it->cost.base.v, size);
  SUP_TRY(sup_statics_linearise(
      it, it->phase == SUP_STATIC_LOCAL && sup_assembly_can_reuse(&it->start)));
  if (!is_tested || sup_matrix_reuse_is_step(it->out.error, before) ||
      sup_accept(it->out.error, HUGE_VAL, it->options->tolerance) > 0)
    return SUP_OK;
  memcpy(it->solution->v, it->before, size);
  it->phase = SUP_STATIC_GLOBAL;
  it->undone++, it->out.report.held_back++, it->out.error = before;
  SUP_TRY(sup_statics_move(it));
  return sup_statics_linearise(it, 0);
}
