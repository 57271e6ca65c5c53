/* Linearisation of a load step about an iterate (THEORY 18.2): A and p, contacts and their rows,
 * the residual; reuse of A near a balance (18.5). */
#include <math.h>
#include <string.h>

#include "collide/travel.h"
#include "solve/accept.h"
#include "step/static/equilibrium.h"
#include "step/static/numerics.h"

typedef struct sup_static_iteration iteration;

/** Find contacts where bodies overlap; about the start of a load step also where prescribed motions
 * will make them.  The search uses the arena `inner`, which the convex problem resets. */
static sup_status look(iteration *it, const sup_state *at) {
  sup_stepper   *s = it->s;
  sup_arena     *arena = s->statics->inner;
  sup_kinematics kin = s->start.kin;
  double        *xdot;
  sup_travel    *travel;
  int            n = 3 * s->model->num_vertices;
  SUP_TRY(sup_arena_reset(arena));
  SUP_TRY(SUP_ARENA(arena, xdot, n));
  if (s->statics->phase != SUP_STATIC_START) { /* prescribed motions are at their end */
    SUP_TRY(SUP_ARENA(arena, kin.v, s->model->num_bodies));
    memset(kin.v, 0, (size_t)s->model->num_bodies * sizeof *kin.v);
    kin.w = kin.v;
    memset(xdot, 0, (size_t)n * sizeof *xdot);
  } else {
    for (int i = 0; i < s->model->num_softs; i++)
      sup_assembly_vertex_velocity(&s->assembly, i, s->solution.v,
                                   xdot + 3 * s->model->soft[i].first_vertex);
  }
  SUP_TRY(sup_travel_start(s->model, &it->seen, &kin, arena, &travel));
  SUP_TRY(sup_collide(&s->contact.list, s->model, &it->seen, &kin, at->x, xdot, travel, arena));
  return SUP_OK;
}

/** Diagonal of A for the near-rigid rule of drives and limits: large, so that gains are not
 * reduced. */
static sup_status stiff_trees(iteration *it, double **A) {
  sup_stepper             *s = it->s;
  const sup_model         *model = s->model;
  const sup_block_pattern *P = &s->layout->A_pattern;
  size_t                   size = 0;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE) size = sup_block_diagonal(P, model->tree_block[t] + 1);
  SUP_TRY(SUP_ARENA(s->start.arena, *A, size));
  if (size) memset(*A, 0, size * sizeof **A);
  for (int t = 0; t < model->num_trees; t++) {
    int n = model->tree[t]->nv, block = model->tree_block[t];
    for (int j = 0; j < n; j++)
      (*A)[sup_block_diagonal(P, block) + (size_t)(j * (n + 1))] =
          sup_static_numerics.stiff_trees * s->statics->tree_mass[model->v_start[t] + j];
  }
  return SUP_OK;
}

/** Rows of the contacts, joints and drives at the iterate. */
static sup_status make_rows(iteration *it) {
  sup_stepper        *s = it->s;
  sup_contact_context context;
  double             *A;
  SUP_TRY(sup_step_contact_context(&s->start, &s->assembly, &context));
  context.v0 = s->solution.v;
  sup_rows_reset(&s->contact.rows);
  SUP_TRY(sup_contact_rows(&s->contact.rows, &context, &s->contact.list));
  SUP_TRY(stiff_trees(it, &A));
  SUP_TRY(sup_joint_rows_add(&s->contact.joints, &s->contact.rows, s->model, s->start.inc,
                             it->state->q, it->state->v, &s->layout->A_pattern, A, 0,
                             s->start.arena));
  return SUP_OK;
}

/** A, p and the rows about s->end.next, after s->solution.v, or about the start, and the residual
 * there. */
static sup_status assemble(iteration *it, sup_equilibrium *out) {
  sup_stepper     *s = it->s;
  double           start = sup_wall_time(), *seconds = out->report.seconds;
  int              is_start = s->statics->phase == SUP_STATIC_START, analysed = 0;
  const sup_state *at = is_start ? it->state : s->end.next;
  s->assembly.is_exact = s->statics->phase != SUP_STATIC_PROJECTED;
  s->start.kin = is_start ? it->start : s->end.kin_next;
  SUP_TRY(sup_statics_attach(s, it->state, at));
  if (it->reuse.age > 0)
    SUP_TRY(sup_assembly_renew_forces(&s->start, &s->assembly, s->solution.v));
  else
    SUP_TRY(sup_statics_assemble(s, it->state, is_start ? NULL : s->solution.v));
  sup_stepper_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  SUP_TRY(look(it, at));
  sup_stepper_lap(seconds, SUP_PHASE_COLLIDE, &start);
  SUP_TRY(make_rows(it));
  sup_stepper_lap(seconds, SUP_PHASE_ROWS, &start);
  it->problem = sup_step_problem(&s->assembly, &s->contact);
  SUP_TRY(sup_reduction_analyse(s->reduction, &it->problem, s->statics->inner, &analysed));
  sup_stepper_lap(seconds, SUP_PHASE_ANALYSE, &start);
  SUP_TRY(SUP_ARENA(s->start.arena, s->solution.gamma, s->contact.rows.num_vc));
  SUP_TRY(SUP_ARENA(s->start.arena, s->solution.vc, s->contact.rows.num_vc));
  SUP_TRY(SUP_ARENA(s->start.arena, s->solution.law, s->contact.rows.num_constraints));
  sup_problem_copy_laws(&it->problem, s->solution.law);
  sup_line_search_set_base(&it->cost, s->solution.v);
  sup_stepper_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  sup_statics_measure(it, out);
  return SUP_OK;
}

/* ---- reuse of A ------------------------------------------------------------------------------ */

sup_static_phase sup_statics_exact_phase(const iteration *it) {
  return it->left > 0 ? SUP_STATIC_ESCAPE : SUP_STATIC_GLOBAL;
}

int sup_statics_is_tested_by_error(const iteration *it) {
  return it->s->statics->phase == SUP_STATIC_LOCAL && it->length.share == 1 && it->undone == 0;
}

/** The phase GLOBAL becomes LOCAL, and back: near a balance, without proximal weight or trees. */
static void choose_phase(iteration *it, int is_fast) {
  sup_statics *statics = it->s->statics;
  if (statics->phase != SUP_STATIC_GLOBAL && statics->phase != SUP_STATIC_LOCAL) return;
  statics->phase = is_fast && sup_matrix_reuse_is_near(it->reuse) && statics->soft_weight == 0 &&
                           it->state->num_v == 0
                       ? SUP_STATIC_LOCAL
                       : SUP_STATIC_GLOBAL;
}

sup_status sup_statics_linearise(iteration *it, int is_kept, sup_equilibrium *out) {
  double before = out->error;
  it->reuse.age = is_kept ? it->reuse.age + 1 : 0;
  SUP_TRY(assemble(it, out));
  if (it->reuse.age == 0) it->reuse.error = out->error;
  choose_phase(it, sup_matrix_reuse_is_fast(out->error, before));
  return SUP_OK;
}

sup_status sup_statics_relinearise(iteration *it, sup_equilibrium *out) {
  sup_stepper *s = it->s;
  int          is_tested = sup_statics_is_tested_by_error(it);
  double       before = out->error;
  size_t       size = (size_t)s->layout->A_pattern.num_scalars * sizeof *it->before;
  memcpy(it->before, it->cost.base.v, size);
  SUP_TRY(sup_statics_linearise(
      it, s->statics->phase == SUP_STATIC_LOCAL && sup_assembly_can_reuse(&s->start), out));
  if (!is_tested || sup_matrix_reuse_is_step(out->error, before) ||
      sup_accept(out->error, HUGE_VAL, it->options->tolerance) > 0)
    return SUP_OK;
  memcpy(s->solution.v, it->before, size);
  s->statics->phase = SUP_STATIC_GLOBAL, it->undone++, out->report.held_back++, out->error = before;
  SUP_TRY(sup_statics_move(it));
  return sup_statics_linearise(it, 0, out);
}
