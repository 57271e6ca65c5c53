/* The pipeline of one step: kinematics -> collide -> dynamics -> rows -> analyse -> solve ->
 * integrate. */
#include <math.h>
#include <string.h>

#include "collide/travel.h"
#include "constraint/anchor.h"
#include "solve/accept.h"
#include "step/control/error_control.h"
#include "step/control/parts.h"
#include "step/numerics.h"
#include "step/static/static_equilibrium.h"

const char *sup_phase_name(int phase) {
  static const char *const name[SUP_NUM_PHASES] = {"kinematics", "dynamics", "collide",  "rows",
                                                   "analyse",    "solve",    "integrate"};
  return phase >= 0 && phase < SUP_NUM_PHASES ? name[phase] : "?";
}

sup_status sup_stepper_create(sup_stepper **out, const sup_model *model,
                              const sup_options *options) {
  sup_stepper *s = NULL;
  sup_state   *next;
  sup_status   status;
  *out = NULL;
  SUP_TRY(sup_options_check(options, model));
  sup_options_warn(options, model);
  SUP_TRY(SUP_CALLOC(s, 1));
  s->model = model;
  s->options = *options;
  s->is_free = options->petsc_matrix == SUP_PETSC_MATRIX_FREE;
  SUP_TRY_GOTO(sup_arena_create(&s->arena, 1 << 20), status, fail);
  SUP_TRY_GOTO(sup_stepper_build_dynamics(s), status, fail);
  SUP_TRY_GOTO(
      sup_reduction_create(&s->reduction, s->options.backend, s->options.petsc, &s->A_pattern),
      status, fail);
  if (s->is_free) SUP_TRY_GOTO(sup_stepper_join_free(s), status, fail);
  if (model->ranks) SUP_TRY_GOTO(sup_reduction_spread(s->reduction, &s->ranks), status, fail);
  if (options->accuracy.tolerance > 0 || options->convergence_control)
    SUP_TRY_GOTO(sup_step_parts_create(&s->parts, model, options), status, fail);
  SUP_TRY_GOTO(sup_state_create(&next, model, options), status, fail);
  s->end.next = next;
  *out = s;
  return SUP_OK;
fail:
  sup_stepper_destroy(&s);
  return status;
}

void sup_stepper_destroy(sup_stepper **handle) {
  sup_stepper *s = *handle;
  if (!s) return;
  if (s->soft_map)
    for (int i = 0; i < s->model->num_softs; i++) {
      SUP_FREE(s->soft_map[i].run);
      SUP_FREE(s->soft_map[i].link);
      SUP_FREE(s->soft_map[i].border);
      SUP_FREE(s->soft_map[i].place);
    }
  SUP_FREE(s->soft_map);
  SUP_FREE(s->assembly.A);
  SUP_FREE(s->assembly.D);
  sup_block_pattern_free(&s->D_pattern);
  SUP_FREE(s->held_axes);
  SUP_FREE(s->alone);
  SUP_FREE(s->block_body);
  SUP_FREE(s->reference);
  SUP_FREE(s->distance);
  sup_contact_list_free(&s->contact.list);
  sup_reduction_destroy(&s->reduction);
  sup_block_pattern_free(&s->A_pattern);
  sup_rows_free(&s->contact.rows);
  sup_arena_destroy(&s->arena);
  sup_statics_destroy(&s->statics);
  sup_step_parts_destroy(&s->parts);
  sup_state_destroy(&s->end.next);
  SUP_FREE(*handle);
}

const sup_step_result *sup_stepper_result(const sup_stepper *stepper) {
  return &stepper->end.result;
}

const double *sup_stepper_residual(const sup_stepper *stepper) {
  return stepper->solution.residual;
}

void sup_stepper_for_bodies(const sup_stepper *s, sup_team_item *item, void *user) {
  enum { THREAD_VERTICES = 50 }; /* least work of a thread: some 0.01 ms of assembly */
  int enough = s->model->num_vertices / THREAD_VERTICES, most = enough < 2 ? 1 : sup_team_size();
  if (s->model->ranks) most = 1; /* sums over ranks are in the order of the bodies */
  sup_team_for(enough < most ? enough : most, s->model->num_softs, item, user);
}

/** Inputs of contact rows, from the step's start. */
static sup_status contact_context(sup_stepper *s, const sup_state *state,
                                  sup_contact_context *out) {
  sup_attachment *attachment;
  const double  **held;
  SUP_TRY(SUP_ARENA(s->arena, attachment, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, held, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++)
    attachment[i] = s->assembly.soft[i].attachment, held[i] = s->assembly.soft[i].held;
  *out = (sup_contact_context){s->model,
                               s->inc,
                               &s->kin,
                               attachment,
                               sup_stepper_diagonal_pattern(s),
                               sup_stepper_diagonal_values(s),
                               s->assembly.v0,
                               s->assembly.elapsed,
                               s->arena,
                               held,
                               state->x,
                               NULL,
                               NULL};
  return SUP_OK;
}

/** Links at the step's end, moved with the velocities of its start. */
static sup_status place_ahead(sup_stepper *s, const sup_state *state, sup_kinematics *ahead) {
  const sup_model *model = s->model;
  double          *q;
  *ahead = s->kin;
  SUP_TRY(SUP_ARENA(s->arena, q, state->num_q));
  memcpy(q, state->q, (size_t)state->num_q * sizeof *q);
  for (int t = 0; t < model->num_trees; t++)
    sup_tree_integrate(model->tree[t], q + model->q_start[t], state->v + model->v_start[t],
                       s->inc->h);
  SUP_TRY(sup_kinematics_place(ahead, model, q, state->v, s->arena));
  return SUP_OK;
}

static sup_status make_rows(sup_stepper *s, const sup_state *state) {
  sup_contact_context context;
  sup_stick          *stick;
  sup_kinematics      ahead;
  SUP_TRY(contact_context(s, state, &context));
  if (s->inc->is_controlled) {
    SUP_TRY(place_ahead(s, state, &ahead));
    context.ahead = &ahead;
  }
  if (s->inc->elastic_stick) {
    SUP_TRY(sup_anchor_take(&context, state->anchor, state->num_anchors, &s->contact.list, &stick));
    context.stick = stick;
  }
  sup_rows_reset(&s->contact.rows);
  SUP_TRY(sup_contact_rows(&s->contact.rows, &context, &s->contact.list));
  SUP_TRY(sup_joint_rows_add(&s->contact.joints, &s->contact.rows, s->model, s->inc, state->q,
                             state->v, sup_stepper_diagonal_pattern(s),
                             sup_stepper_diagonal_values(s), s->contact.all_limits, s->arena));
  return SUP_OK;
}

/** Block columns whose constraints act at s->solution.v. */
static void mark_acting(sup_stepper *s, const sup_problem *problem, unsigned char *acts) {
  memset(acts, 0, (size_t)s->model->num_blocks);
  sup_problem_constraint_velocity(problem, s->solution.v, 1, s->solution.vc);
  sup_problem_evaluate(problem, s->solution.law, s->solution.vc, s->solution.gamma, NULL);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   pushes = 0;
    for (int k = 0; k < sup_law_dimension(c->law.kind); k++)
      pushes |= s->solution.gamma[c->first_vc + k] != 0;
    for (int k = 0; k < c->num_blocks && pushes; k++)
      acts[problem->jacobian[c->first_block + k].block] = 1;
  }
}

/** Newton starts from the velocity before the step, of nonlinear bodies from the prediction.  A
 * tree on which nothing acts has its free motion: the tolerance, relative to all momenta of the
 * scene, would let small impulses on a fast body be forgotten step after step. */
static sup_status start_velocity(sup_stepper *s, const sup_state *state,
                                 const sup_problem *problem) {
  const sup_model *model = s->model;
  unsigned char   *acts;
  int              num_free = 0;
  if (s->assembly.is_nonlinear)
    sup_stepper_predict(s, state, s->solution.v);
  else
    memcpy(s->solution.v, s->assembly.v0, (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
  SUP_TRY(SUP_ARENA(s->arena, acts, model->num_blocks));
  mark_acting(s, problem, acts);
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t], n = model->tree[t]->nv;
    if (!s->alone[t] || acts[block]) continue;
    num_free++;
    double *K;
    int     at = sup_block_first(&s->A_pattern, block);
    SUP_TRY(SUP_ARENA(s->arena, K, n * n));
    const double *A = sup_stepper_diagonal_block(s, block);
    if (!sup_free_velocity(n, A, s->assembly.p + at, K, s->solution.v + at))
      memcpy(s->solution.v + at, s->assembly.v0 + at,
             (size_t)n * sizeof *s->solution.v); /* the solver says what is wrong with A */
  }
  if (num_free == 0) return SUP_OK;
  mark_acting(s, problem, acts); /* the free motion may close a gap */
  for (int t = 0; t < model->num_trees; t++)
    if (s->alone[t] && acts[model->tree_block[t]]) {
      int at = sup_block_first(&s->A_pattern, model->tree_block[t]);
      memcpy(s->solution.v + at, s->assembly.v0 + at,
             (size_t)model->tree[t]->nv * sizeof *s->solution.v);
    }
  return SUP_OK;
}

sup_problem sup_stepper_problem(sup_stepper *s) {
  return (sup_problem){.A_pattern = &s->A_pattern,
                       .A = s->assembly.A,
                       .rest = s->is_free ? &s->rest : NULL,
                       .p = s->assembly.p,
                       .num_constraints = s->contact.rows.num_constraints,
                       .num_vc = s->contact.rows.num_vc,
                       .num_jacobian_blocks = s->contact.rows.num_jacobian_blocks,
                       .constraint = s->contact.rows.constraint,
                       .jacobian = s->contact.rows.jacobian,
                       .jacobian_value = s->contact.rows.jacobian_value,
                       .cluster = s->contact.rows.cluster,
                       .num_clusters = s->contact.rows.num_clusters,
                       .space = &s->assembly.space,
                       .ranks = sup_stepper_ranks(s)};
}

static sup_status analyse(sup_stepper *s, sup_step_report *report) {
  sup_problem problem = sup_stepper_problem(s);
  SUP_TRY(sup_reduction_analyse(s->reduction, &problem, s->arena, &report->analysed));
  return SUP_OK;
}

/** Tolerance of a solution: that of the options, and of controlled steps below their accuracy. */
static double solver_tolerance(const sup_stepper *s) {
  const sup_options *o = &s->options;
  return s->inc->is_controlled
             ? fmin(o->tolerance, sup_step_numerics.solver * o->accuracy.tolerance)
             : o->tolerance;
}

/** Accept what ends between both tolerances. */
static void accept_rough(const sup_stepper *s, sup_solve_report *solved) {
  int stays = solved->reason == SUP_REASON_LINE_SEARCH ||
              solved->reason == SUP_REASON_MAX_ITERATIONS || solved->reason == SUP_REASON_ROUND_OFF;
  if (stays && s->inc->is_controlled && solved->momentum_error <= s->options.tolerance)
    solved->reason = SUP_REASON_TOLERANCE;
}

/** `first`: Newton starts afresh; otherwise from the solution without the contacts that were found
 * since. */
static sup_status solve(sup_stepper *s, const sup_state *state, int first,
                        sup_step_report *report) {
  const sup_options *o = &s->options;
  sup_problem        problem = sup_stepper_problem(s);
  sup_solve_options  options = {.tolerance = solver_tolerance(s),
                                .max_iterations = o->max_iterations,
                                .sweeps = o->friction_sweeps,
                                .sweep_tolerance = o->sweep_tolerance,
                                .quasi = o->quasi_newton,
                                .newton = o->newton,
                                .line_search = o->line_search,
                                .log = o->solver_log,
                                .solver = o->contact_solver,
                                .dual = o->dual,
                                .tamsi = o->tamsi};
  sup_solve_report   solved;
  SUP_TRY(SUP_ARENA(s->arena, s->solution.gamma, problem.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->solution.vc, problem.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->solution.law, problem.num_constraints));
  sup_problem_copy_laws(&problem, s->solution.law);
  if (first) SUP_TRY(start_velocity(s, state, &problem));
  SUP_TRY(sup_stepper_recall_impulses(s, state));
  SUP_TRY(sup_reduction_solve(s->reduction, &problem, &options, s->arena,
                              &(sup_solution){s->solution.v, s->solution.gamma, s->solution.law},
                              &solved));
  if (s->assembly.is_nonlinear)
    SUP_TRY(sup_stepper_solve_nonlinear(s, state, &problem, &options, report, &solved));
  accept_rough(s, &solved);
  if (solved.reason > 0) SUP_TRY(sup_stepper_settle_trees(s, state, &problem, &options, &solved));
  if (solved.reason > 0)
    SUP_TRY(sup_stepper_settle_islands(s, &problem, &options, &solved, &report->island_error));
  sup_problem_constraint_velocity(&problem, s->solution.v, 1, s->solution.vc);
  s->solution.Av = solved.momentum;
  sup_iteration_log_follow(&solved.log, &s->solution.log);
  s->solution.log = solved.log;
  sup_stepper_report_solution(s, &solved, report);
  if (solved.reason < 0) return sup_stepper_not_converged(s, state, &solved);
  SUP_TRY(sup_stepper_tell_round_off(s, state, &solved));
  SUP_TRY(sup_stepper_tell_tolerance(s, state, &solved));
  SUP_TRY(sup_stepper_measure_contacts(s, &problem, report));
  SUP_TRY(sup_stepper_measure_laws(s, &problem, &solved, report));
  if (s->inc->soft_bdf2 == 1) SUP_TRY(sup_stepper_find_impacts(s, &problem, state));
  if (o->certificate) SUP_TRY(sup_stepper_certify(s, &problem, report));
  if (o->report_condition) SUP_TRY(sup_stepper_condition(s, &problem, &report->condition));
  return SUP_OK;
}

/** Positions after the step: x + dt u; attached vertices ride on their link exactly (THEORY 15.2).
 */
static void place_vertices(sup_stepper *s, int i, const sup_state *state) {
  const sup_model *model = s->model;
  const sup_soft  *soft = &model->soft[i];
  size_t           at = 3 * (size_t)soft->first_vertex;
  sup_stepper_vertex_velocity(s, i, s->solution.v, s->assembly.soft[i].v);
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    s->end.next->x[at + (size_t)a] =
        state->x[at + (size_t)a] + s->inc->h * s->assembly.soft[i].v[a];
  sup_soft_place_attached(soft, s->end.kin_next.X_WL, s->end.next->x);
}

/** Arguments that threads share. */
typedef struct motion {
  sup_stepper     *s;
  const sup_state *state;
} motion;

static void move_body(void *user, int i, int thread) {
  const motion *m = user;
  (void)thread;
  place_vertices(m->s, i, m->state);
  sup_stepper_keep_history(m->s, i, m->state);
}

sup_status sup_stepper_look_ahead(sup_stepper *s) {
  const sup_model *model = s->model;
  sup_increment    following = *s->inc;
  following.t0 = s->end.next->time;
  SUP_TRY(sup_kinematics_compute(&s->end.kin_next, model, &following, s->end.next->q,
                                 s->end.next->v, s->arena));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree[t]->motion.num_rows == 0) continue;
    sup_base_motion          base = s->end.kin_next.base[t];
    sup_tree_kinematics_data part = sup_kinematics_tree(&s->end.kin_next, model, t);
    base.w = s->kin.base[t].w, base.v = s->kin.base[t].v;
    sup_tree_kinematics(model->tree[t], &base, s->end.next->q + model->q_start[t],
                        s->end.next->v + model->v_start[t], &part);
  }
  return SUP_OK;
}

sup_status sup_stepper_begin_next(sup_stepper *s, const sup_state *state) {
  SUP_TRY(sup_state_copy(s->end.next, state));
  s->end.next->step = state->step + 1;
  s->end.next->time = s->inc->t1;
  if (s->inc->motion > 0) s->end.next->path_step[0] = 0; /* no extrapolation of load steps */
  return SUP_OK;
}

sup_status sup_stepper_arrive(sup_stepper *s, const sup_state *state) {
  SUP_TRY(sup_stepper_look_ahead(s));
  sup_stepper_for_bodies(s, move_body, &(motion){s, state});
  return SUP_OK;
}

/** Store the solution's elastic sticks in s->end.next. */
static sup_status keep_anchors(sup_stepper *s, const sup_state *state) {
  sup_contact_context context;
  s->solution.stick_energy = 0;
  if (!s->inc->elastic_stick) return SUP_OK;
  SUP_TRY(contact_context(s, state, &context));
  SUP_TRY(sup_anchor_keep(&context, &s->contact.rows, s->solution.gamma, &s->contact.list,
                          s->end.next, &s->solution.stick_energy));
  s->solution.contact_energy += s->solution.stick_energy;
  return SUP_OK;
}

sup_status sup_stepper_integrate(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  SUP_TRY(sup_stepper_begin_next(s, state));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    double       *v = s->end.next->v + model->v_start[t], mean[SUP_TREE_MAX_NV];
    const double *v0 = state->v + model->v_start[t], weight = s->inc->scheme.theta_vq;
    double       *q = s->end.next->q + model->q_start[t];
    memcpy(v, s->solution.v + sup_block_first(&s->A_pattern, model->tree_block[t]),
           (size_t)model->tree[t]->nv * sizeof *v);
    for (int j = 0; j < model->tree[t]->nv; j++) mean[j] = weight * v[j] + (1 - weight) * v0[j];
    sup_tree_integrate(model->tree[t], q, mean, s->inc->h);
    if (s->alone[t] && s->inc->scheme.theta <= 0 && weight >= 1)
      sup_tree_keep_momentum(model->tree[t], state->q + model->q_start[t], v0, s->inc->h, q, v);
  }
  SUP_TRY(keep_anchors(s, state));
  SUP_TRY(sup_stepper_arrive(s, state));
  return SUP_OK;
}

/** The solution's velocities of all trees. */
static sup_status tree_velocities(sup_stepper *s, const sup_state *state, double **v) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_ARENA(s->arena, *v, state->num_v));
  memcpy(*v, state->v, (size_t)state->num_v * sizeof **v);
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memcpy(*v + model->v_start[t],
             s->solution.v + sup_block_first(&s->A_pattern, model->tree_block[t]),
             (size_t)model->tree[t]->nv * sizeof **v);
  return SUP_OK;
}

/** *again := 1 if joints passed limits that have no row; all limits then get one. */
static sup_status check_limits(sup_stepper *s, const sup_state *state, int *again) {
  double *v;
  if (*again || s->contact.all_limits) return SUP_OK;
  SUP_TRY(tree_velocities(s, state, &v));
  *again = s->contact.all_limits = sup_joint_rows_missed(s->model, s->inc, state->q, state->v, v);
  return SUP_OK;
}

/** Raise the travel bounds of the contact search that the solution exceeds; *num_exceeded: how
 * many. */
static sup_status check_travel(sup_stepper *s, const sup_state *state, sup_travel *travel,
                               int *num_exceeded) {
  double *v;
  SUP_TRY(tree_velocities(s, state, &v));
  SUP_TRY(sup_travel_check(s->model, s->inc, &s->kin, state->q, v, s->arena, travel, num_exceeded));
  return SUP_OK;
}

/** Velocities of all bodies in the solution. */
static sup_status solved_motion(sup_stepper *s, const sup_state *state, sup_motion *out) {
  const sup_model *model = s->model;
  sup_kinematics   kin = {.base = s->kin.base};
  double          *v, *xdot;
  SUP_TRY(tree_velocities(s, state, &v));
  SUP_TRY(sup_kinematics_place(&kin, model, state->q, v, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, xdot, 3 * model->num_vertices));
  for (int i = 0; i < model->num_softs; i++)
    sup_stepper_vertex_velocity(s, i, s->solution.v,
                                xdot + 3 * (size_t)model->soft[i].first_vertex);
  *out = (sup_motion){kin.w, kin.v, xdot};
  return SUP_OK;
}

/** Number of pairs in which the solution moves a surface into a shape without a contact.  Contacts
 * are then searched with its velocities, too, in at most SUP_MAX_MOTIONS rounds. */
static sup_status check_watched(sup_stepper *s, const sup_state *state, sup_motion *solved,
                                int *num_motions, int *num_missed) {
  *num_missed = 0;
  if (!s->model->has_surface_pairs || *num_motions == SUP_MAX_MOTIONS) return SUP_OK;
  SUP_TRY(solved_motion(s, state, &solved[*num_motions]));
  SUP_TRY(sup_collide_check(&s->contact.list, solved, ++*num_motions, s->arena, num_missed));
  return SUP_OK;
}

/** Search with the travel of this round; *is_new := 0 if larger bounds have found nothing more:
 * the solution and what it has left in the contacts stand. */
static sup_status search(sup_stepper *s, const sup_state *state, const sup_travel *travel,
                         int round, int *is_new) {
  sup_contact_list *list = &s->contact.list;
  sup_contact      *before;
  int               count = round > 0 ? list->count : 0;
  SUP_TRY(SUP_ARENA(s->arena, before, count));
  if (count > 0) memcpy(before, list->contact, (size_t)count * sizeof *before);
  SUP_TRY(sup_collide(list, s->model, s->inc, &s->kin, state->x, state->xdot, travel, s->arena));
  *is_new =
      round == 0 || list->count != count || !sup_contacts_are_same(before, list->contact, count);
  if (!*is_new && count > 0) memcpy(list->contact, before, (size_t)count * sizeof *before);
  return SUP_OK;
}

/** The pipeline of the increment s->inc. */
static sup_status advance(sup_stepper *s, sup_state *state, sup_step_report *report) {
  double      start = sup_wall_time();
  sup_travel *travel;
  sup_motion  solved[SUP_MAX_MOTIONS];
  *report = (sup_step_report){.error_body = SUP_NONE,
                              .deepest_pair = SUP_NONE,
                              .inverted_body = SUP_NONE,
                              .ambiguous_pair = SUP_NONE,
                              .step_size = s->inc->h};
  s->solution.residual = NULL;
  s->solution.log = (sup_iteration_log){0};
  s->contact.all_limits = 0;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_kinematics_compute(&s->kin, s->model, s->inc, state->q, state->v, s->arena));
  sup_stepper_lap(report->seconds, SUP_PHASE_KINEMATICS, &start);
  SUP_TRY(sup_travel_start(s->model, s->inc, &s->kin, s->arena, &travel));
  for (int round = 0, num_exceeded = 1, num_motions = 0, num_missed = 0;
       num_exceeded + num_missed > 0; round++) {
    int is_new = 1;
    if (num_exceeded > 0) {
      SUP_TRY(search(s, state, travel, round, &is_new));
      num_motions = 0;
    } else {
      SUP_TRY(sup_collide_again(&s->contact.list, s->arena));
    }
    sup_stepper_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
    int afresh = round == 0 || s->inc->soft_bdf2; /* whose dynamics knows the contacts */
    if (afresh) SUP_TRY(sup_stepper_dynamics(s, state));
    sup_stepper_lap(report->seconds, SUP_PHASE_DYNAMICS, &start);
    for (int first = afresh, again = afresh || is_new; again; first = 1) {
      SUP_TRY(make_rows(s, state));
      sup_stepper_lap(report->seconds, SUP_PHASE_ROWS, &start);
      SUP_TRY(analyse(s, report));
      sup_stepper_lap(report->seconds, SUP_PHASE_ANALYSE, &start);
      SUP_TRY(solve(s, state, first, report));
      sup_stepper_lap(report->seconds, SUP_PHASE_SOLVE, &start);
      SUP_TRY(sup_stepper_repeat_impacts(s, state, &again));
      SUP_TRY(check_limits(s, state, &again));
      sup_stepper_lap(report->seconds, SUP_PHASE_DYNAMICS, &start);
    }
    SUP_TRY(check_travel(s, state, travel, &num_exceeded));
    SUP_TRY(check_watched(s, state, solved, &num_motions, &num_missed));
    sup_stepper_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
  }
  sup_stepper_measure(s, report);
  SUP_TRY(sup_stepper_integrate(s, state));
  SUP_TRY(sup_stepper_fill_result(s, state));
  SUP_TRY(sup_stepper_keep_lever_rates(s));
  SUP_TRY(sup_stepper_audit(s, state, report));
  SUP_TRY(sup_stepper_remember_impulses(s));
  SUP_TRY(sup_state_copy(state, s->end.next));
  sup_stepper_lap(report->seconds, SUP_PHASE_INTEGRATE, &start);
  report->arena_peak = sup_arena_peak(s->arena);
  return SUP_OK;
}

sup_status sup_stepper_advance(sup_stepper *s, const sup_increment *inc, sup_state *state,
                               sup_step_report *report) {
  s->inc = inc;
  sup_status status = advance(s, state, report);
  s->inc = NULL;
  return status;
}

sup_status sup_step_until(sup_stepper *s, sup_state *state, double stop, sup_step_report *report) {
  if (s->options.accuracy.tolerance > 0)
    SUP_TRY(sup_stepper_controlled_step(s, state, stop, report));
  else
    SUP_TRY(sup_step(s, state, report));
  return SUP_OK;
}

sup_status sup_step(sup_stepper *s, sup_state *state, sup_step_report *report) {
  if (s->options.accuracy.tolerance > 0) {
    SUP_TRY(sup_stepper_controlled_step(s, state, HUGE_VAL, report));
    return SUP_OK;
  }
  const sup_increment inc = sup_increment_of_state(&s->options, state);
  sup_status          status = sup_stepper_advance(s, &inc, state, report);
  if (status == SUP_E_NOT_CONVERGED && s->options.convergence_control)
    status = sup_stepper_step_in_parts(s, state, report);
  SUP_TRY(status);
  return SUP_OK;
}

/** The state as the start of the increment s->inc. */
static sup_status look(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  int              num_v = model->v_start[model->num_trees];
  double          *force, *effort;
  sup_travel      *travel;
  sup_wrench      *wrench, *reaction;
  s->solution.residual = NULL;
  s->contact.all_limits = 0;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_kinematics_compute(&s->kin, model, s->inc, state->q, state->v, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, force, 3 * model->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, effort, num_v));
  SUP_TRY(SUP_ARENA(s->arena, wrench, model->num_attachments));
  SUP_TRY(SUP_ARENA(s->arena, reaction, model->num_dirichlet));
  memset(force, 0, 3 * (size_t)model->num_vertices * sizeof *force);
  memset(effort, 0, (size_t)num_v * sizeof *effort);
  memset(wrench, 0, (size_t)model->num_attachments * sizeof *wrench);
  memset(reaction, 0, (size_t)model->num_dirichlet * sizeof *reaction);
  SUP_TRY(sup_travel_start(model, s->inc, &s->kin, s->arena, &travel));
  SUP_TRY(sup_collide(&s->contact.list, model, s->inc, &s->kin, state->x, state->xdot, travel,
                      s->arena));
  SUP_TRY(sup_stepper_dynamics(s, state));
  SUP_TRY(make_rows(s, state));
  s->solution.contact_energy = sup_stepper_contact_energy(s, NULL, NULL);
  s->end.kin_next = s->kin;
  s->end.result = (sup_step_result){.increment = *s->inc,
                                    .time = state->time,
                                    .step = state->step,
                                    .num_seen = s->contact.list.count,
                                    .seen = s->contact.list.contact,
                                    .contact_energy = s->solution.contact_energy,
                                    .joint_effort = effort,
                                    .attach_wrench = wrench,
                                    .reaction = reaction,
                                    .contact_force = force,
                                    .X_WL = s->kin.X_WL,
                                    .link_w = s->kin.w,
                                    .link_v = s->kin.v};
  s->contact.list.count = 0;
  return SUP_OK;
}

sup_status sup_stepper_look(sup_stepper *s, const sup_state *state) {
  const sup_increment inc = sup_increment_of_state(&s->options, state);
  s->inc = &inc;
  sup_status status = look(s, state);
  s->inc = NULL;
  return status;
}
