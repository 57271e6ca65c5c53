/* Equilibrium at the end of a load step: linearise about the last iterate, find contacts there,
 * solve the convex problem, and take a step towards its solution that reduces the cost (THEORY 18).
 */
#include <math.h>
#include <string.h>

#include "collide/travel.h"
#include "solve/accept.h"
#include "step/static/equilibrium.h"
#include "step/static/proximal_weight.h"

typedef struct sup_static_iteration iteration;

/** Find contacts where bodies overlap; about the start of a load step also where prescribed motions
 * will make them.  The search uses the arena `inner`, which the convex problem resets. */
static sup_status look(iteration *it, const sup_state *at) {
  sup_stepper   *s = it->s;
  sup_arena     *arena = s->statics->inner;
  sup_kinematics kin = s->kin;
  double        *xdot;
  sup_travel    *travel;
  int            n = 3 * s->model->num_vertices;
  SUP_TRY(sup_arena_reset(arena));
  SUP_TRY(SUP_ARENA(arena, xdot, n));
  if (s->statics->about) { /* prescribed motions are at their end */
    SUP_TRY(SUP_ARENA(arena, kin.v, s->model->num_bodies));
    memset(kin.v, 0, (size_t)s->model->num_bodies * sizeof *kin.v);
    kin.w = kin.v;
    memset(xdot, 0, (size_t)n * sizeof *xdot);
  } else {
    for (int i = 0; i < s->model->num_softs; i++)
      sup_stepper_vertex_velocity(s, i, s->solution.v, xdot + 3 * s->model->soft[i].first_vertex);
  }
  SUP_TRY(sup_travel_start(s->model, &it->seen, &kin, arena, &travel));
  SUP_TRY(sup_collide(&s->contact.list, s->model, &it->seen, &kin, at->x, xdot, travel, arena));
  return SUP_OK;
}

/** Diagonal of A for the near-rigid rule of drives and limits: large, so that gains are not
 * reduced. */
static sup_status stiff_trees(iteration *it, double **A) {
  static const double      ratio = 1e6;
  sup_stepper             *s = it->s;
  const sup_model         *model = s->model;
  const sup_block_pattern *P = &s->A_pattern;
  size_t                   size = 0;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE) size = sup_block_diagonal(P, model->tree_block[t] + 1);
  SUP_TRY(SUP_ARENA(s->arena, *A, size));
  if (size) memset(*A, 0, size * sizeof **A);
  for (int t = 0; t < model->num_trees; t++) {
    int n = model->tree[t]->nv, block = model->tree_block[t];
    for (int j = 0; j < n; j++)
      (*A)[sup_block_diagonal(P, block) + (size_t)(j * (n + 1))] =
          ratio * s->statics->tree_mass[model->v_start[t] + j];
  }
  return SUP_OK;
}

static sup_status make_rows(iteration *it) {
  sup_stepper     *s = it->s;
  const sup_model *model = s->model;
  sup_attachment  *attachment;
  double          *A;
  const double   **held;
  SUP_TRY(SUP_ARENA(s->arena, attachment, model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, held, model->num_softs));
  for (int i = 0; i < model->num_softs; i++)
    attachment[i] = s->assembly.soft[i].attachment, held[i] = s->assembly.soft[i].held;
  sup_contact_context context = {model,
                                 s->inc,
                                 &s->kin,
                                 attachment,
                                 sup_stepper_diagonal_pattern(s),
                                 sup_stepper_diagonal_values(s),
                                 s->solution.v,
                                 s->assembly.elapsed,
                                 s->arena,
                                 held};
  sup_rows_reset(&s->contact.rows);
  SUP_TRY(sup_contact_rows(&s->contact.rows, &context, &s->contact.list));
  SUP_TRY(stiff_trees(it, &A));
  SUP_TRY(sup_joint_rows_add(&s->contact.joints, &s->contact.rows, model, s->inc, it->state->q,
                             it->state->v, &s->A_pattern, A, 0, s->arena));
  return SUP_OK;
}

sup_status sup_statics_linearise(iteration *it, int about, double *seconds) {
  sup_stepper     *s = it->s;
  double           start = sup_wall_time();
  const sup_state *at = about ? s->end.next : it->state;
  int              analysed = 0;
  s->statics->about = about;
  s->kin = about ? s->end.kin_next : it->start;
  SUP_TRY(sup_statics_attach(s, it->state, at));
  if (it->is_kept)
    SUP_TRY(sup_stepper_renew_forces(s, it->state, s->solution.v));
  else
    SUP_TRY(sup_statics_assemble(s, it->state, about ? s->solution.v : NULL));
  sup_stepper_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  SUP_TRY(look(it, at));
  sup_stepper_lap(seconds, SUP_PHASE_COLLIDE, &start);
  SUP_TRY(make_rows(it));
  sup_stepper_lap(seconds, SUP_PHASE_ROWS, &start);
  it->problem = sup_stepper_problem(s);
  SUP_TRY(sup_reduction_analyse(s->reduction, &it->problem, s->statics->inner, &analysed));
  sup_stepper_lap(seconds, SUP_PHASE_ANALYSE, &start);
  SUP_TRY(SUP_ARENA(s->arena, s->solution.gamma, s->contact.rows.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->solution.vc, s->contact.rows.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->solution.law, s->contact.rows.num_constraints));
  sup_problem_copy_laws(&it->problem, s->solution.law);
  sup_line_search_set_base(&it->descent, s->solution.v);
  sup_stepper_lap(seconds, SUP_PHASE_DYNAMICS, &start);
  return SUP_OK;
}

/** Tolerance of a convex problem.  With an iterative backend a Newton iteration costs a whole
 * linear solution, and as many digits as the linearisation has are enough. */
static double inner_tolerance(const iteration *it, double tolerance, double error) {
  static const double digits = 1e-2, roughest = 1e-3;
  /* beside trees that little holds on to, momenta are sums of other sizes than those of vertices */
  double share = it->state->num_v > 0 ? 1e-6 : 1e-3;
  double least = fmax(share * tolerance, share * 1e-10);
  if (!sup_backend_iterates(it->s->options.backend) || it->state->num_v > 0) return least;
  return fmax(least, fmin(digits * error, roughest));
}

/** True if A was assembled near the balance with the exact K: no proximal weight, saddle or trees.
 */
static int is_near(const iteration *it) {
  const sup_stepper *s = it->s;
  return s->is_exact && s->statics->grip == 0 && it->left == 0 && it->A_error < sup_near_balance &&
         it->state->num_v == 0;
}

sup_status sup_statics_advance(iteration *it, double tolerance, int *ok, sup_equilibrium *out) {
  sup_stepper      *s = it->s;
  sup_solve_options options = {.tolerance = inner_tolerance(it, tolerance, out->error),
                               .max_iterations = s->options.max_iterations,
                               .sweeps = 1,
                               .is_same = it->is_kept,
                               .newton = s->options.newton,
                               .line_search = s->options.line_search,
                               .solver = s->options.contact_solver};
  sup_solve_report  solved;
  double            start = sup_wall_time();
  SUP_TRY(sup_arena_reset(s->statics->inner)); /* H and the like are not needed twice */
  SUP_TRY(sup_reduction_solve(s->reduction, &it->problem, &options, s->statics->inner,
                              &(sup_solution){s->solution.v, s->solution.gamma, s->solution.law},
                              &solved));
  sup_stepper_lap(out->seconds, SUP_PHASE_SOLVE, &start);
  out->newton += solved.iterations;
  sup_linear_work_add(&out->linear, &solved.linear);
  out->reason = solved.reason;
  if (solved.reason < 0) out->worst_block = solved.worst_block;
  /* the next linearisation reduces the round-off of this problem */
  *ok = solved.reason > 0 || (solved.reason != SUP_REASON_NOT_SPD && solved.momentum_error < 1e-6);
  if (!*ok) return SUP_OK;
  SUP_TRY(sup_statics_shorten_ways(it, ok));
  if (it->energy != SUP_ENERGY_ALWAYS)
    it->energy = *ok && it->contracts && it->length.share == 1 && is_near(it) ? SUP_ENERGY_SKIPPED
                                                                              : SUP_ENERGY_CHECKED;
  if (*ok && it->energy != SUP_ENERGY_SKIPPED)
    *ok = sup_line_search_backtrack(&it->descent, it->length.share);
  sup_stepper_lap(out->seconds, SUP_PHASE_DYNAMICS, &start);
  return SUP_OK;
}

static sup_status prepare(iteration *it) {
  sup_stepper *s = it->s;
  int          n = s->A_pattern.num_scalars;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_stepper_allocate(s));
  SUP_TRY(sup_stepper_place_blocks(s, it->state->x));
  SUP_TRY(SUP_ARENA(s->arena, it->r, n));
  SUP_TRY(SUP_ARENA(s->arena, it->push, s->A_pattern.num_blocks));
  SUP_TRY(SUP_ARENA(s->arena, it->before, n));
  SUP_TRY(sup_statics_allocate_trees(s, it->state));
  SUP_TRY(
      sup_kinematics_compute(&it->start, s->model, s->inc, it->state->q, it->state->v, s->arena));
  s->kin = it->start;
  SUP_TRY(sup_statics_start_softs(s, it->state));
  memset(s->solution.v, 0, (size_t)n * sizeof *s->solution.v);
  sup_stepper_dirichlet_velocity(s, s->solution.v);
  it->descent = (sup_true_cost){
      .s = s, .state = it->state, .problem = &it->problem, .excess = sup_statics_tree_excess};
  SUP_TRY(sup_true_cost_allocate(&it->descent));
  if (it->state->num_v > 0) return SUP_OK; /* bodies carried by trees do not move along lines */
  SUP_TRY(SUP_ARENA(s->arena, it->descent.trial_energy, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++) it->descent.trial_energy[i] = (double)NAN;
  memset(it->descent.trial, 0, (size_t)n * sizeof *it->descent.trial);
  return SUP_OK;
}

/** Work along a straight path between the two states of rest, and its part that is not stored
 * (THEORY 18.7). */
static void account(const iteration *it, sup_equilibrium *out) {
  const sup_model *model = it->s->model;
  double           stored = 0;
  out->work = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const double   *x0 = it->state->x + 3 * soft->first_vertex,
                 *x1 = it->s->end.next->x + 3 * soft->first_vertex, *f1 = it->descent.force[i];
    stored += sup_true_cost_base_energy(&it->descent, i) - it->energy0[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      out->work -= 0.5 * (it->force0[i][a] + f1[a]) * (x1[a] - x0[a]);
  }
  out->released = out->work - stored;
}

static sup_status remember(iteration *it) {
  const sup_model *model = it->s->model;
  SUP_TRY(SUP_ARENA(it->arena, it->energy0, model->num_softs));
  SUP_TRY(SUP_ARENA(it->arena, it->force0, model->num_softs));
  for (int i = 0; i < model->num_softs; i++) {
    int n = 3 * model->soft[i].num_vertices;
    it->energy0[i] = sup_true_cost_base_energy(&it->descent, i);
    SUP_TRY(SUP_ARENA(it->arena, it->force0[i], n));
    memcpy(it->force0[i], it->descent.force[i], (size_t)n * sizeof *it->force0[i]);
  }
  return SUP_OK;
}

/** True if the error has stalled or iterations are too many; a freely falling body may need many.
 */
static int is_stuck(iteration *it, int k, const sup_equilibrium *out) {
  enum { PATIENCE = 50, MOST = 100 };
  static const double progress = 0.9;
  int                 is_falling =
      it->is_far && out->worst_block != SUP_NONE && !sup_statics_is_touched(it, out->worst_block);
  if (k == it->since) it->best_error = HUGE_VAL;
  if (out->error < progress * it->best_error || is_falling) it->best = k;
  it->best_error = fmin(it->best_error, out->error);
  return k - it->since == MOST || k - it->best > PATIENCE;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/** Newton step from one linearisation to the next; *is_over := 1: no step is possible. */
static sup_status newton_step(iteration *it, int k, double tolerance, int *is_over,
                              sup_equilibrium *out) {
  static const double near = 1e-4; /* a balance */
  sup_stepper        *s = it->s;
  int                 ok, is_left = 0;
  *is_over = 0;
  it->length = sup_step_length_next(it->length, out->error, it->is_far, s->contact.list.count > 0);
  SUP_TRY(sup_statics_advance(it, tolerance, &ok, out));
  it->is_minimum = ok && sup_statics_is_minimum(it);
  if (!ok && it->is_kept) { /* retry with a freshly assembled A */
    memcpy(s->solution.v, it->descent.base.v,
           (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
    it->contracts = 0, out->held_back++;
    return SUP_OK;
  }
  if (!ok && out->reason == SUP_REASON_NOT_SPD && s->is_exact && it->left > 0) {
    SUP_TRY(sup_statics_advance_shifted(it, tolerance, &ok, out));
    out->held_back++;
  }
  if (!ok && !s->is_exact && s->statics->grip >= sup_proximal_largest) {
    *is_over = 1;
    return SUP_OK;
  }
  out->held_back += ok != 1;
  if (out->reason == SUP_REASON_NOT_SPD)
    s->statics->tree_grip = fmin(sup_proximal_raise(s->statics->tree_grip), sup_proximal_largest);
  if (!ok) { /* negative curvature or an inconsistent energy: increase the proximal weight */
    memcpy(s->solution.v, it->descent.base.v,
           (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
    if (out->reason == SUP_REASON_NOT_SPD && s->is_exact && s->statics->grip == 0 && k > 0 &&
        out->error < near)
      SUP_TRY(sup_statics_leave_saddle(it, k, &is_left, out));
    if (!s->is_exact) s->statics->grip = sup_proximal_raise(s->statics->grip);
  } else {
    s->statics->grip = sup_proximal_lower(s->statics->grip, it->is_held);
  }
  s->is_exact = ok != 0 || is_left;
  return SUP_OK;
}

/** First linearisation: at an extrapolation of the last load steps, if near a balance, else at the
 * start. */
static sup_status begin(iteration *it, double tolerance, sup_equilibrium *out) {
  static const double near = 0.2;
  sup_stepper        *s = it->s;
  int                 inverted = 0, before = 0;
  if (s->statics->leads_on && sup_statics_predict(s, it->state, s->solution.v)) {
    sup_stepper_begin_softs(s, it->state);
    sup_line_search_set_base(&it->descent, s->solution.v);
    SUP_TRY(remember(it));
    for (int i = 0; i < s->model->num_softs; i++) before += s->assembly.soft[i].inverted_now;
    SUP_TRY(sup_statics_integrate(s, it->state));
    SUP_TRY(sup_statics_linearise(it, 1, out->seconds));
    sup_statics_measure(it, tolerance, out);
    for (int i = 0; i < s->model->num_softs; i++) inverted += s->assembly.soft[i].inverted_now;
    if (out->error < near && inverted <= before) return SUP_OK;
  }
  memset(s->solution.v, 0, (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
  sup_stepper_dirichlet_velocity(s, s->solution.v);
  s->kin = it->start;
  SUP_TRY(sup_statics_integrate(s, it->state)); /* with the motion of bases */
  SUP_TRY(sup_statics_linearise(it, 0, out->seconds));
  if (!it->force0) SUP_TRY(remember(it));
  sup_statics_measure(it, tolerance, out);
  return SUP_OK;
}

/** Linearise at the last iterate.  A is reused near the balance as long as errors fall fast
 * (THEORY 18.5).
 * *is_there := 0: a step without an energy check did not reduce the error and is undone. */
static sup_status arrive(iteration *it, double tolerance, int *is_there, sup_equilibrium *out) {
  static const double less = 0.5, fast = 0.3;
  sup_stepper        *s = it->s;
  double              error = out->error;
  size_t              size = (size_t)s->A_pattern.num_scalars * sizeof *it->before;
  memcpy(it->before, it->descent.base.v, size);
  it->is_kept = it->contracts && sup_stepper_keeps(s) && is_near(it);
  SUP_TRY(sup_statics_linearise(it, 1, out->seconds));
  sup_statics_measure(it, tolerance, out);
  it->contracts = out->error < fast * error;
  if (!it->is_kept) it->A_error = out->error;
  *is_there = it->energy != SUP_ENERGY_SKIPPED || out->error < less * error ||
              sup_accept(out->error, HUGE_VAL, tolerance) > 0;
  if (it->energy == SUP_ENERGY_SKIPPED) it->energy = SUP_ENERGY_CHECKED;
  if (*is_there) return SUP_OK;
  memcpy(s->solution.v, it->before, size);
  it->energy = SUP_ENERGY_ALWAYS, it->contracts = 0, out->error = error, out->held_back++;
  return SUP_OK;
}

static sup_status iterate(iteration *it, const sup_static_options *o, sup_equilibrium *out) {
  double       tolerance = o->tolerance;
  sup_stepper *s = it->s;
  for (int k = 0;; k++) {
    int is_left = 0, is_over = 0, is_there = 1;
    out->is_stopped = o->should_stop && o->should_stop(o->user);
    if (out->is_stopped) return SUP_OK;
    s->arena = s->statics->turn[k % 2];
    SUP_TRY(sup_arena_reset(s->arena));
    if (k == 0)
      SUP_TRY(begin(it, tolerance, out));
    else
      SUP_TRY(arrive(it, tolerance, &is_there, out));
    if (k == 0) it->A_error = out->error, it->contracts = s->statics->about;
    out->iterations = k;
    if (!isfinite(out->error)) return SUP_OK;
    if (k > 0 && is_there && sup_accept(out->error, HUGE_VAL, tolerance) > 0) {
      SUP_TRY(sup_statics_judge(it, k, tolerance, &is_left, out));
      out->converged = !is_left;
      if (out->converged) account(it, out);
      if (out->converged) return SUP_OK;
    } else if (is_there) {
      if (is_stuck(it, k, out)) return SUP_OK;
      SUP_TRY(newton_step(it, k, tolerance, &is_over, out));
      if (is_over) return SUP_OK;
    }
    s->kin = it->start;
    SUP_TRY(sup_statics_integrate(s, it->state));
  }
}

/** Diagonal of the largest soft body; without one 0.1 m. */
static double size_of(const sup_model *model) {
  double largest = 0;
  for (int i = 0; i < model->num_softs; i++) {
    sup_v3 lower = sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), upper = sup_v3_scale(-1, lower);
    for (int a = 0; a < model->soft[i].num_vertices; a++) {
      sup_v3 p = sup_v3_load(model->soft[i].x0 + 3 * a);
      lower = sup_v3_make(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
      upper = sup_v3_make(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    largest = fmax(largest, sup_v3_norm(sup_v3_sub(upper, lower)));
  }
  return largest > 0 ? largest : 0.1;
}

sup_status sup_equilibrium_find(sup_stepper *s, const sup_state *state, int is_held,
                                const sup_static_options *o, sup_equilibrium *out) {
  iteration it = {.s = s, .state = state, .arena = s->arena, .size = size_of(s->model)};
  /* contacts are seen where bodies overlap already, and cells are small */
  it.radius = (s->model->num_pairs > 0 && s->model->num_softs > 0 ? 0.03 : 0.1) * it.size;
  *out = (sup_equilibrium){.worst_block = SUP_NONE};
  it.seen = *s->inc, it.seen.gravity = (sup_v3){0, 0, 0};
  it.is_held = is_held;
  it.length = sup_step_length_full();
  s->statics->grip = sup_proximal_first(is_held);
  s->statics->length = it.size, s->statics->tree_grip = sup_proximal_least_tree;
  s->statics->about = 0, s->is_exact = 1;
  SUP_TRY(prepare(&it));
  for (int t = 0; t < s->model->num_trees && s->model->num_pairs > 0; t++)
    s->statics->tree[t].proximal = it.size / it.radius; /* its forces alone move it by the radius */
  sup_status status = iterate(&it, o, out);
  s->arena = it.arena;
  SUP_TRY(status);
  s->solution.residual = NULL, s->solution.Av = NULL;
  if (out->is_stopped) return SUP_OK;
  if (!out->converged) {
    out->is_far = it.is_far,
    out->is_touched = out->worst_block != SUP_NONE && sup_statics_is_touched(&it, out->worst_block);
    SUP_TRY(sup_equilibrium_describe(s, it.r, out));
    return sup_stepper_keep_residual(s, it.r);
  }
  sup_stepper_report_inverted(s);
  for (int i = 0; i < s->model->num_softs; i++)
    sup_stepper_vertex_velocity(s, i, s->solution.v, s->assembly.soft[i].v);
  for (int i = 0; i < s->model->num_softs; i++) sup_stepper_relax(s, i, state);
  s->solution.contact_energy = sup_contact_energy(&s->contact.rows, 0, NULL, 0, &s->contact.list);
  memset(s->end.kin_next.w, 0,
         (size_t)s->model->num_bodies * sizeof *s->end.kin_next.w); /* at rest */
  memset(s->end.kin_next.v, 0, (size_t)s->model->num_bodies * sizeof *s->end.kin_next.v);
  SUP_TRY(sup_stepper_fill_result(s, s->end.next));
  return SUP_OK;
}
