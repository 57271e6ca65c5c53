/* The pipeline of one step: kinematics -> collide -> dynamics -> rows -> analyse -> solve ->
 * integrate. */
#include <math.h>
#include <string.h>

#include "collide/travel.h"
#include "step/rest.h"

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
  SUP_TRY_GOTO(sup_arena_create(&s->arena, 1 << 20), status, fail);
  SUP_TRY_GOTO(sup_stepper_build_dynamics(s), status, fail);
  SUP_TRY_GOTO(sup_condenser_set_create(&s->condensers, s->options.backend, &s->A_pattern), status,
               fail);
  s->condenser = s->condensers.first;
  SUP_TRY_GOTO(sup_state_create(&next, model, options), status, fail);
  s->next = next;
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
  SUP_FREE(s->A);
  SUP_FREE(s->held_axes);
  SUP_FREE(s->alone);
  SUP_FREE(s->block_body);
  sup_contact_list_free(&s->contacts);
  sup_condenser_set_free(&s->condensers);
  sup_block_pattern_free(&s->A_pattern);
  sup_rows_free(&s->rows);
  sup_arena_destroy(&s->arena);
  sup_rest_destroy(&s->rest);
  sup_state_destroy(&s->next);
  SUP_FREE(*handle);
}

const sup_step_result *sup_stepper_result(const sup_stepper *stepper) { return &stepper->result; }

const double *sup_stepper_residual(const sup_stepper *stepper) { return stepper->residual; }

void sup_stepper_for_bodies(const sup_stepper *s, sup_team_item *item, void *user) {
  enum { THREAD_VERTICES = 50 }; /* what a thread must have to do: some 0.01 ms of assembly */
  int enough = s->model->num_vertices / THREAD_VERTICES, most = enough < 2 ? 1 : sup_team_size();
  sup_team_for(enough < most ? enough : most, s->model->num_softs, item, user);
}

static sup_status make_rows(sup_stepper *s, const sup_state *state) {
  sup_attachment *attachment;
  const double  **held;
  SUP_TRY(SUP_ARENA(s->arena, attachment, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, held, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++)
    attachment[i] = s->soft[i].attachment, held[i] = s->soft[i].held;
  sup_contact_context context = {s->model, s->inc, &s->kin,    attachment, &s->A_pattern,
                                 s->A,     s->v0,  s->elapsed, s->arena,   held};
  sup_rows_reset(&s->rows);
  SUP_TRY(sup_contact_rows(&s->rows, &context, &s->contacts));
  SUP_TRY(sup_joint_rows_add(&s->joints, &s->rows, s->model, s->inc, state->q, state->v,
                             &s->A_pattern, s->A, s->arena));
  return SUP_OK;
}

/** Block columns whose constraints act at s->v. */
static void mark_acting(sup_stepper *s, const sup_problem *problem, unsigned char *acts) {
  memset(acts, 0, (size_t)s->model->num_blocks);
  sup_problem_constraint_velocity(problem, s->v, 1, s->vc);
  sup_problem_evaluate(problem, s->law, s->vc, s->gamma, NULL);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   pushes = 0;
    for (int k = 0; k < sup_law_dimension(c->law.kind); k++)
      pushes |= s->gamma[c->first_vc + k] != 0;
    for (int k = 0; k < c->num_blocks && pushes; k++)
      acts[problem->jacobian[c->first_block + k].block] = 1;
  }
}

/** Newton starts from the velocity before the step.  A tree on which nothing acts has its free
 * motion: the tolerance, relative to all momenta of the scene, would let small impulses on a fast
 * body be forgotten step after step. */
static sup_status start_velocity(sup_stepper *s, const sup_problem *problem) {
  const sup_model *model = s->model;
  unsigned char   *acts;
  int              num_free = 0;
  memcpy(s->v, s->v0, (size_t)s->A_pattern.num_scalars * sizeof *s->v);
  SUP_TRY(SUP_ARENA(s->arena, acts, model->num_blocks));
  mark_acting(s, problem, acts);
  for (int t = 0; t < model->num_trees; t++) {
    int block = model->tree_block[t], n = model->tree[t]->nv;
    if (!s->alone[t] || acts[block]) continue;
    num_free++;
    double *K;
    int     at = s->A_pattern.offset[block];
    SUP_TRY(SUP_ARENA(s->arena, K, n * n));
    const double *A = s->A + s->A_pattern.value_start[s->A_pattern.col_start[block]];
    if (!sup_free_velocity(n, A, s->p + at, K, s->v + at))
      memcpy(s->v + at, s->v0 + at,
             (size_t)n * sizeof *s->v); /* the solver says what is wrong with A */
  }
  if (num_free == 0) return SUP_OK;
  mark_acting(s, problem, acts); /* the free motion may close a gap */
  for (int t = 0; t < model->num_trees; t++)
    if (s->alone[t] && acts[model->tree_block[t]]) {
      int at = s->A_pattern.offset[model->tree_block[t]];
      memcpy(s->v + at, s->v0 + at, (size_t)model->tree[t]->nv * sizeof *s->v);
    }
  return SUP_OK;
}

/** What the solution says about the contacts as a whole. */
static sup_status measure_contacts(sup_stepper *s, const sup_problem *problem,
                                   sup_step_report *report) {
  const sup_options *o = &s->options;
  double             weight = o->scheme.theta_vq, *mean = s->v, *rate = s->vc;
  if (weight != 1) { /* gaps follow the positions */
    SUP_TRY(SUP_ARENA(s->arena, mean, s->A_pattern.num_scalars));
    SUP_TRY(SUP_ARENA(s->arena, rate, problem->num_vc));
    for (int i = 0; i < s->A_pattern.num_scalars; i++)
      mean[i] = weight * s->v[i] + (1 - weight) * s->v0[i];
    sup_problem_constraint_velocity(problem, mean, 1, rate);
  }
  s->contact_energy = sup_contact_energy(&s->rows, 0, rate, o->dt, &s->contacts);
  for (int i = 0; i < s->contacts.count; i++) { /* contacts come first */
    const double *gamma = s->gamma + problem->constraint[i].first_vc,
                 *vc = s->vc + problem->constraint[i].first_vc;
    double work = gamma[0] * vc[0] + gamma[1] * vc[1];
    report->friction_work_max = i ? fmax(report->friction_work_max, work) : work;
  }
  return SUP_OK;
}

sup_problem sup_stepper_problem(sup_stepper *s) {
  return (sup_problem){.A_pattern = &s->A_pattern,
                       .A = s->A,
                       .p = s->p,
                       .num_constraints = s->rows.num_constraints,
                       .num_vc = s->rows.num_vc,
                       .num_jacobian_blocks = s->rows.num_jacobian_blocks,
                       .constraint = s->rows.constraint,
                       .jacobian = s->rows.jacobian,
                       .jacobian_value = s->rows.jacobian_value,
                       .cluster = s->rows.cluster,
                       .num_clusters = s->rows.num_clusters,
                       .space = &s->space};
}

static sup_status analyse(sup_stepper *s, sup_step_report *report) {
  sup_problem problem = sup_stepper_problem(s);
  SUP_TRY(sup_condenser_set_analyse(&s->condensers, &problem, s->arena, &s->condenser,
                                    &report->analysed));
  return SUP_OK;
}

/** `first`: Newton starts afresh; otherwise from the solution without the contacts that were found
 * since. */
static sup_status solve(sup_stepper *s, const sup_state *state, int first,
                        sup_step_report *report) {
  const sup_options *o = &s->options;
  sup_problem        problem = sup_stepper_problem(s);
  sup_solve_options  options = {.tolerance = o->tolerance,
                                .max_iterations = o->max_iterations,
                                .sweeps = o->friction_sweeps,
                                .sweep_tolerance = o->sweep_tolerance,
                                .solver = o->contact_solver};
  sup_solve_report   solved;
  SUP_TRY(SUP_ARENA(s->arena, s->gamma, problem.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->vc, problem.num_vc));
  SUP_TRY(SUP_ARENA(s->arena, s->law, problem.num_constraints));
  sup_problem_copy_laws(&problem, s->law);
  if (first) SUP_TRY(start_velocity(s, &problem));
  SUP_TRY(sup_condenser_solve(s->condenser, &problem, &options, s->arena,
                              &(sup_solution){s->v, s->gamma, s->law}, &solved));
  if (s->is_nonlinear && solved.reason >= 0)
    SUP_TRY(sup_stepper_solve_nonlinear(s, state, &problem, &options, report, &solved));
  if (solved.reason > 0) SUP_TRY(sup_stepper_settle_trees(s, state, &problem, &options, &solved));
  if (solved.reason > 0)
    SUP_TRY(sup_stepper_settle_islands(s, &problem, &options, &solved, &report->island_error));
  sup_problem_constraint_velocity(&problem, s->v, 1, s->vc);
  s->Av = solved.momentum;
  report->round_off = solved.round_off;
  report->reason = solved.reason;
  report->iterations += solved.iterations;
  report->iterations_sum += solved.iterations_sum;
  report->islands = solved.islands;
  report->linear_iterations += solved.linear_iterations;
  report->line_search_evaluations += solved.line_search_evaluations;
  report->sweeps = solved.sweeps;
  report->at_cap |= solved.at_cap;
  report->sweep_change = solved.sweep_change;
  report->momentum_error = solved.momentum_error;
  report->momentum_residual = solved.momentum_residual;
  report->error_body = sup_stepper_error_body(s, &solved, report->island_error);
  if (solved.reason < 0) return sup_stepper_not_converged(s, state, &solved);
  SUP_TRY(sup_stepper_tell_round_off(s, state, &solved));
  SUP_TRY(sup_stepper_tell_tolerance(s, state, &solved));
  SUP_TRY(measure_contacts(s, &problem, report));
  if (s->inc->soft_bdf2) SUP_TRY(sup_stepper_find_impacts(s, &problem, state));
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
  sup_stepper_vertex_velocity(s, i, s->v, s->soft[i].v);
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    s->next->x[at + (size_t)a] = state->x[at + (size_t)a] + s->inc->h * s->soft[i].v[a];
  if (soft->attach_tree == SUP_NONE) return;
  const sup_frame *X =
      &s->kin_next.X_WL[sup_model_link_body(model, soft->attach_tree, soft->attach_link)];
  for (int a = 0; a < soft->num_vertices; a++)
    if (soft->attach_slot[a] != SUP_NONE)
      sup_v3_store(s->next->x + at + 3 * a,
                   sup_frame_apply(X, sup_v3_load(soft->attach_point + 3 * a)));
}

/** What threads share. */
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

/** Where the step leads; a driven base has the velocity of this step, like everything else, not
 * that of the next. */
static sup_status look_ahead(sup_stepper *s) {
  const sup_model *model = s->model;
  sup_increment    following = *s->inc;
  following.t0 = s->next->time;
  SUP_TRY(
      sup_kinematics_compute(&s->kin_next, model, &following, s->next->q, s->next->v, s->arena));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree[t]->motion.num_rows == 0) continue;
    sup_base_motion          base = s->kin_next.base[t];
    sup_tree_kinematics_data part = sup_kinematics_tree(&s->kin_next, model, t);
    base.w = s->kin.base[t].w, base.v = s->kin.base[t].v;
    sup_tree_kinematics(model->tree[t], &base, s->next->q + model->q_start[t],
                        s->next->v + model->v_start[t], &part);
  }
  return SUP_OK;
}

sup_status sup_stepper_begin_next(sup_stepper *s, const sup_state *state) {
  SUP_TRY(sup_state_copy(s->next, state));
  s->next->step = state->step + 1;
  s->next->time = s->inc->t1;
  return SUP_OK;
}

sup_status sup_stepper_arrive(sup_stepper *s, const sup_state *state) {
  SUP_TRY(look_ahead(s));
  sup_stepper_for_bodies(s, move_body, &(motion){s, state});
  return SUP_OK;
}

sup_status sup_stepper_integrate(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  SUP_TRY(sup_stepper_begin_next(s, state));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    double       *v = s->next->v + model->v_start[t], mean[SUP_TREE_MAX_NV];
    const double *v0 = state->v + model->v_start[t], weight = s->inc->scheme.theta_vq;
    double       *q = s->next->q + model->q_start[t];
    memcpy(v, s->v + s->A_pattern.offset[model->tree_block[t]],
           (size_t)model->tree[t]->nv * sizeof *v);
    for (int j = 0; j < model->tree[t]->nv; j++) mean[j] = weight * v[j] + (1 - weight) * v0[j];
    sup_tree_integrate(model->tree[t], q, mean, s->inc->h);
    if (s->alone[t] && s->inc->scheme.theta <= 0 && weight >= 1)
      sup_tree_keep_momentum(model->tree[t], state->q + model->q_start[t], v0, s->inc->h, q, v);
  }
  SUP_TRY(sup_stepper_arrive(s, state));
  return SUP_OK;
}

static int is_compliant(const sup_model *model, int geometry) {
  return geometry != SUP_NONE && model->geometry[geometry].contact.modulus > 0;
}

void sup_stepper_measure(const sup_stepper *s, sup_step_report *report) {
  report->num_contacts = s->contacts.count;
  report->num_constraints = s->rows.num_constraints;
  report->deepest_pair = report->inverted_body = SUP_NONE;
  report->discarded_small = s->contacts.discarded_small;
  report->discarded_backward = s->contacts.discarded_backward;
  report->discarded_inverted = s->contacts.discarded_inverted;
  report->silent_pairs = s->contacts.num_silent, report->silent_pair = s->contacts.silent_pair;
  report->passed_pairs = s->contacts.num_passed, report->passed_pair = s->contacts.passed_pair;
  for (int i = 0; i < s->contacts.count; i++) {
    const sup_contact *contact = &s->contacts.contact[i];
    report->penetration_max = fmax(report->penetration_max, contact->penetration);
    if (is_compliant(s->model, contact->geometry_a) || is_compliant(s->model, contact->geometry_b))
      continue;
    if (contact->penetration > report->stiff_penetration_max)
      report->stiff_penetration_max = contact->penetration, report->deepest_pair = contact->pair;
  }
  for (int i = 0, most = 0; i < s->model->num_softs; i++) {
    report->inverted_cells += s->soft[i].inverted;
    if (s->soft[i].inverted > most)
      most = s->soft[i].inverted, report->inverted_body = s->model->soft[i].body;
  }
}

/** The solution's velocities of all trees. */
static sup_status tree_velocities(sup_stepper *s, const sup_state *state, double **v) {
  const sup_model *model = s->model;
  SUP_TRY(SUP_ARENA(s->arena, *v, state->num_v));
  memcpy(*v, state->v, (size_t)state->num_v * sizeof **v);
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      memcpy(*v + model->v_start[t], s->v + s->A_pattern.offset[model->tree_block[t]],
             (size_t)model->tree[t]->nv * sizeof **v);
  return SUP_OK;
}

/** Did shapes travel farther than the contacts were looked for? */
static sup_status check_travel(sup_stepper *s, const sup_state *state, sup_travel *travel,
                               int *num_exceeded) {
  double *v;
  SUP_TRY(tree_velocities(s, state, &v));
  SUP_TRY(sup_travel_check(s->model, s->inc, &s->kin, state->q, v, s->arena, travel, num_exceeded));
  return SUP_OK;
}

/** With which velocities the solution takes all bodies through the step. */
static sup_status solved_motion(sup_stepper *s, const sup_state *state, sup_motion *out) {
  const sup_model *model = s->model;
  sup_kinematics   kin = {.base = s->kin.base};
  double          *v, *xdot;
  SUP_TRY(tree_velocities(s, state, &v));
  SUP_TRY(sup_kinematics_place(&kin, model, state->q, v, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, xdot, 3 * model->num_vertices));
  for (int i = 0; i < model->num_softs; i++)
    sup_stepper_vertex_velocity(s, i, s->v, xdot + 3 * (size_t)model->soft[i].first_vertex);
  *out = (sup_motion){kin.w, kin.v, xdot};
  return SUP_OK;
}

/** Does the solution move a surface into a shape where no contact watches?  Then they are looked
 * for with its velocities, too, unless that was done before in vain. */
static sup_status check_watched(sup_stepper *s, const sup_state *state, sup_motion *solved,
                                int *num_motions, int *num_missed) {
  *num_missed = 0;
  if (!s->model->has_surface_pairs || *num_motions == SUP_MAX_MOTIONS) return SUP_OK;
  SUP_TRY(solved_motion(s, state, &solved[*num_motions]));
  SUP_TRY(sup_collide_check(&s->contacts, solved, ++*num_motions, s->arena, num_missed));
  return SUP_OK;
}

/** The pipeline of the increment s->inc. */
static sup_status advance(sup_stepper *s, sup_state *state, sup_step_report *report) {
  double      start = sup_wall_time();
  sup_travel *travel;
  sup_motion  solved[SUP_MAX_MOTIONS];
  *report = (sup_step_report){
      .error_body = SUP_NONE, .deepest_pair = SUP_NONE, .inverted_body = SUP_NONE};
  s->residual = NULL;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_kinematics_compute(&s->kin, s->model, s->inc, state->q, state->v, s->arena));
  sup_stepper_lap(report->seconds, SUP_PHASE_KINEMATICS, &start);
  SUP_TRY(sup_travel_start(s->model, s->inc, &s->kin, s->arena, &travel));
  for (int round = 0, num_exceeded = 1, num_motions = 0, num_missed = 0;
       num_exceeded + num_missed > 0; round++) {
    if (num_exceeded > 0) {
      SUP_TRY(sup_collide(&s->contacts, s->model, s->inc, &s->kin, state->x, state->xdot, travel,
                          s->arena));
      num_motions = 0;
    } else {
      SUP_TRY(sup_collide_again(&s->contacts, s->arena));
    }
    sup_stepper_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
    int afresh = round == 0 || s->inc->soft_bdf2; /* whose dynamics knows the contacts */
    if (afresh) SUP_TRY(sup_stepper_dynamics(s, state));
    sup_stepper_lap(report->seconds, SUP_PHASE_DYNAMICS, &start);
    for (int first = afresh, again = 1; again; first = 1) {
      SUP_TRY(make_rows(s, state));
      sup_stepper_lap(report->seconds, SUP_PHASE_ROWS, &start);
      SUP_TRY(analyse(s, report));
      sup_stepper_lap(report->seconds, SUP_PHASE_ANALYSE, &start);
      SUP_TRY(solve(s, state, first, report));
      sup_stepper_lap(report->seconds, SUP_PHASE_SOLVE, &start);
      SUP_TRY(sup_stepper_repeat_impacts(s, state, &again));
      sup_stepper_lap(report->seconds, SUP_PHASE_DYNAMICS, &start);
    }
    SUP_TRY(check_travel(s, state, travel, &num_exceeded));
    SUP_TRY(check_watched(s, state, solved, &num_motions, &num_missed));
    sup_stepper_lap(report->seconds, SUP_PHASE_COLLIDE, &start);
  }
  sup_stepper_measure(s, report);
  SUP_TRY(sup_stepper_integrate(s, state));
  SUP_TRY(sup_stepper_fill_result(s, state));
  sup_stepper_audit(s, state, report);
  SUP_TRY(sup_state_copy(state, s->next));
  sup_stepper_lap(report->seconds, SUP_PHASE_INTEGRATE, &start);
  report->arena_peak = sup_arena_peak(s->arena);
  return SUP_OK;
}

sup_status sup_step(sup_stepper *s, sup_state *state, sup_step_report *report) {
  const sup_increment inc = sup_increment_of_motion(&s->options, state->time, state->step);
  s->inc = &inc;
  sup_status status = advance(s, state, report);
  s->inc = NULL;
  return status;
}

/** The state as the start of the increment s->inc. */
static sup_status look(sup_stepper *s, const sup_state *state) {
  const sup_model *model = s->model;
  int              num_v = model->v_start[model->num_trees];
  double          *force, *effort;
  sup_travel      *travel;
  sup_wrench      *wrench, *reaction;
  s->residual = NULL;
  SUP_TRY(sup_arena_reset(s->arena));
  SUP_TRY(sup_kinematics_compute(&s->kin, model, s->inc, state->q, state->v, s->arena));
  SUP_TRY(SUP_ARENA(s->arena, force, 3 * model->num_vertices));
  SUP_TRY(SUP_ARENA(s->arena, effort, num_v));
  SUP_TRY(SUP_ARENA(s->arena, wrench, model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, reaction, model->num_holds));
  memset(force, 0, 3 * (size_t)model->num_vertices * sizeof *force);
  memset(effort, 0, (size_t)num_v * sizeof *effort);
  memset(wrench, 0, (size_t)model->num_softs * sizeof *wrench);
  memset(reaction, 0, (size_t)model->num_holds * sizeof *reaction);
  SUP_TRY(sup_travel_start(model, s->inc, &s->kin, s->arena, &travel));
  SUP_TRY(
      sup_collide(&s->contacts, model, s->inc, &s->kin, state->x, state->xdot, travel, s->arena));
  SUP_TRY(sup_stepper_dynamics(s, state));
  SUP_TRY(make_rows(s, state));
  s->contact_energy = sup_contact_energy(&s->rows, 0, NULL, 0, &s->contacts);
  s->kin_next = s->kin;
  s->result = (sup_step_result){.increment = *s->inc,
                                .time = state->time,
                                .step = state->step,
                                .num_seen = s->contacts.count,
                                .seen = s->contacts.contact,
                                .contact_energy = s->contact_energy,
                                .joint_effort = effort,
                                .attach_wrench = wrench,
                                .reaction = reaction,
                                .contact_force = force,
                                .X_WL = s->kin.X_WL,
                                .link_w = s->kin.w,
                                .link_v = s->kin.v};
  s->contacts.count = 0;
  return SUP_OK;
}

sup_status sup_stepper_look(sup_stepper *s, const sup_state *state) {
  const sup_increment inc = sup_increment_of_motion(&s->options, state->time, state->step);
  s->inc = &inc;
  sup_status status = look(s, state);
  s->inc = NULL;
  return status;
}
