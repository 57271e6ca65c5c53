#include "control/trajectory.h"

#include <math.h>
#include <string.h>

#include "base/team.h"
#include "base/timer.h"

struct sup_trajectory {
  sup_trajectory_def   def;
  int                  n, m, num_transitions;
  sup_transition     **transition; /* [num_transitions] one a thread */
  sup_control_def     *controls;
  double              *low, *high, *effort;
  sup_cost_term       *terms;
  sup_state          **x, **trial;            /* [N + 1] */
  sup_step_record     *record, *trial_record; /* [N] */
  double              *u, *trial_u;           /* [N x m] */
  double              *dx;                    /* [n] */
  sup_arena           *arena;                 /* of costs */
  sup_ilqr_policy      policy;
  sup_trajectory_times times;
};

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status copy(const double *from, int count, double **to) {
  SUP_TRY(SUP_CALLOC(*to, count));
  if (count > 0) memcpy(*to, from, (size_t)count * sizeof **to);
  return SUP_OK;
}

static sup_status copy_definition(sup_trajectory *t, const sup_trajectory_def *def) {
  size_t num_terms = (size_t)def->num_terms, m = (size_t)def->num_controls;
  t->def = *def;
  SUP_TRY(SUP_CALLOC(t->controls, m));
  SUP_TRY(SUP_CALLOC(t->terms, num_terms));
  if (m > 0) memcpy(t->controls, def->controls, m * sizeof *t->controls);
  if (num_terms > 0) memcpy(t->terms, def->terms, num_terms * sizeof *t->terms);
  SUP_TRY(copy(def->low, def->num_controls, &t->low));
  SUP_TRY(copy(def->high, def->num_controls, &t->high));
  SUP_TRY(copy(def->effort, def->num_controls, &t->effort));
  return SUP_OK;
}

static sup_status create_states(sup_trajectory *t) {
  int N = t->def.num_steps;
  SUP_TRY(SUP_CALLOC(t->x, N + 1));
  SUP_TRY(SUP_CALLOC(t->trial, N + 1));
  SUP_TRY(SUP_CALLOC(t->record, N));
  SUP_TRY(SUP_CALLOC(t->trial_record, N));
  for (int k = 0; k <= N; k++) {
    SUP_TRY(sup_state_create(&t->x[k], t->def.model, &t->def.options));
    SUP_TRY(sup_state_create(&t->trial[k], t->def.model, &t->def.options));
    SUP_TRY(sup_state_copy(t->x[k], t->def.start));
  }
  return SUP_OK;
}

/** u of one step := what holds the state: efforts against gravity, targets at the joints. */
static sup_status hold(sup_trajectory *t, const sup_state *state, double *u) {
  const sup_model    *model = t->def.model;
  const sup_increment inc = sup_increment_of_state(&t->def.options, state);
  double             *effort, rest[SUP_TREE_MAX_NV] = {0};
  SUP_TRY(sup_arena_reset(t->arena));
  SUP_TRY(SUP_ARENA(t->arena, effort, state->num_v));
  for (int k = 0; k < model->num_trees; k++) {
    sup_base_motion base = {.X_WB = sup_kinematics_base_within(model, k, &inc).X_WB};
    sup_tree_inverse_dynamics(model->tree[k], &base, state->q + model->q_start[k], rest, NULL,
                              inc.gravity, NULL, effort + model->v_start[k]);
  }
  for (int i = 0; i < t->m; i++) {
    const sup_control *c = &t->transition[0]->control[i];
    if (c->kind == SUP_CONTROL_EFFORT) u[i] = effort[c->index];
    if (c->kind == SUP_CONTROL_TARGET)
      u[i] = state->q[sup_model_link_q(model, model->actuator[c->index].tree,
                                       model->actuator[c->index].link)];
    u[i] = fmin(fmax(u[i], t->low[i]), t->high[i]);
  }
  return SUP_OK;
}

static sup_status create(sup_trajectory *t, const sup_trajectory_def *def) {
  SUP_TRY(copy_definition(t, def));
  t->num_transitions = def->threads > 0 ? def->threads : sup_team_size();
  SUP_TRY(SUP_CALLOC(t->transition, t->num_transitions));
  for (int i = 0; i < t->num_transitions; i++)
    SUP_TRY(sup_transition_create(&t->transition[i], def->model, &def->options, def->controls,
                                  def->num_controls));
  int N = def->num_steps, n = t->n = sup_transition_num_x(t->transition[0]);
  int m = t->m = def->num_controls;
  SUP_TRY(sup_arena_create(&t->arena, 1 << 16));
  SUP_TRY(create_states(t));
  SUP_TRY(SUP_CALLOC(t->u, N * m));
  SUP_TRY(SUP_CALLOC(t->trial_u, N * m));
  SUP_TRY(SUP_CALLOC(t->dx, n));
  SUP_TRY(SUP_CALLOC(t->policy.k, N * m));
  SUP_TRY(SUP_CALLOC(t->policy.K, N * m * n));
  SUP_TRY(hold(t, def->start, t->u));
  for (int k = 1; k < N; k++) memcpy(t->u + k * m, t->u, (size_t)m * sizeof *t->u);
  return SUP_OK;
}

sup_status sup_trajectory_create(sup_trajectory **out, const sup_trajectory_def *def) {
  SUP_OWN(sup_trajectory) *t = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(t, 1));
  SUP_TRY(create(t, def));
  *out = t, t = NULL;
  return SUP_OK;
}

void sup_trajectory_destroy(sup_trajectory **handle) {
  sup_trajectory *t = *handle;
  if (!t) return;
  for (int i = 0; i < t->num_transitions && t->transition; i++)
    sup_transition_destroy(&t->transition[i]);
  for (int k = 0; k <= t->def.num_steps; k++) {
    if (t->x) sup_state_destroy(&t->x[k]);
    if (t->trial) sup_state_destroy(&t->trial[k]);
    if (k < t->def.num_steps && t->record) sup_step_record_free(&t->record[k]);
    if (k < t->def.num_steps && t->trial_record) sup_step_record_free(&t->trial_record[k]);
  }
  sup_arena_destroy(&t->arena);
  SUP_FREE_ALL(&t->transition, &t->controls, &t->low, &t->high, &t->effort, &t->terms, &t->x,
               &t->trial, &t->record, &t->trial_record, &t->u, &t->trial_u, &t->dx, &t->policy.k,
               &t->policy.K, handle);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/** y and, unless NULL, its derivatives J [n/2] by positions. */
static sup_status measure(const sup_trajectory *t, const sup_cost_term *term,
                          const sup_kinematics *kin, const sup_state *state, sup_arena *arena,
                          double *y, double *J) {
  const sup_model *model = t->def.model;
  *y = term->kind == SUP_COST_POSITION ? state->q[term->q] : state->v[term->v];
  if (J) memset(J, 0, (size_t)(t->n / 2) * sizeof *J);
  if (J && term->kind == SUP_COST_POSITION) J[term->v] = 1;
  if (term->kind != SUP_COST_POINT) return SUP_OK;
  const sup_body          *body = &model->body[term->body];
  sup_v3                   p = sup_frame_apply(&kin->X_WL[term->body], term->point);
  sup_tree_kinematics_data part = sup_kinematics_tree(kin, model, body->tree);
  int                      nv = model->tree[body->tree]->nv;
  double                  *all, of_p[3];
  sup_v3_store(of_p, p);
  *y = of_p[term->axis];
  if (!J) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, all, 3 * nv));
  sup_tree_point_jacobian(model->tree[body->tree], &part, body->link, p, all);
  memcpy(J + model->v_start[body->tree], all + term->axis * nv, (size_t)nv * sizeof *J);
  return SUP_OK;
}

/** Cost of a state and, unless NULL, its derivatives lx [n], lxx [n x n] by Gauss and Newton. */
static sup_status state_cost(sup_trajectory *t, const sup_state *state, int is_final, double *cost,
                             double *lx, double *lxx) {
  const sup_increment inc = sup_increment_of_state(&t->def.options, state);
  sup_kinematics      kin;
  double             *J = NULL, y;
  int                 n = t->n;
  SUP_TRY(sup_arena_reset(t->arena));
  SUP_TRY(sup_kinematics_compute(&kin, t->def.model, &inc, state->q, state->v, t->arena));
  if (lx) SUP_TRY(SUP_ARENA(t->arena, J, n / 2));
  *cost = 0;
  for (int i = 0; i < t->def.num_terms; i++) {
    const sup_cost_term *term = &t->terms[i];
    double               w = is_final ? term->final : term->weight * t->def.options.dt;
    if (w == 0) continue;
    SUP_TRY(measure(t, term, &kin, state, t->arena, &y, J));
    *cost += w * (y - term->target) * (y - term->target);
    if (!lx) continue;
    if (term->kind == SUP_COST_VELOCITY) {
      int at = n / 2 + term->v;
      lx[at] += 2 * w * (y - term->target), lxx[at * n + at] += 2 * w;
      continue;
    }
    for (int a = 0; a < n / 2; a++) {
      lx[a] += 2 * w * (y - term->target) * J[a];
      for (int b = 0; b < n / 2 && J[a] != 0; b++) lxx[a * n + b] += 2 * w * J[a] * J[b];
    }
  }
  return SUP_OK;
}

sup_status sup_trajectory_cost(sup_trajectory *t, const sup_state *state, int is_final,
                               double *cost) {
  SUP_TRY(state_cost(t, state, is_final, cost, NULL, NULL));
  return SUP_OK;
}

sup_status sup_trajectory_measure(sup_trajectory *t, const sup_state *state, double *y) {
  const sup_increment inc = sup_increment_of_state(&t->def.options, state);
  sup_kinematics      kin;
  SUP_TRY(sup_arena_reset(t->arena));
  SUP_TRY(sup_kinematics_compute(&kin, t->def.model, &inc, state->q, state->v, t->arena));
  for (int i = 0; i < t->def.num_terms; i++)
    SUP_TRY(measure(t, &t->terms[i], &kin, state, t->arena, &y[i], NULL));
  return SUP_OK;
}

/* ---- problem of iLQR ------------------------------------------------------------------------- */

/** u of step k of the trial by the policy at its state. */
static void control(sup_trajectory *t, const sup_ilqr_policy *policy, double alpha, int k) {
  int           n = t->n, m = t->m;
  const double *K = policy->K + (size_t)k * (size_t)(m * n);
  double       *u = t->trial_u + k * m;
  sup_transition_difference(t->transition[0], t->x[k], t->trial[k], t->dx);
  for (int i = 0; i < m; i++) {
    u[i] = t->u[k * m + i] + alpha * policy->k[k * m + i];
    for (int j = 0; j < n; j++) u[i] += K[i * n + j] * t->dx[j];
    u[i] = fmin(fmax(u[i], t->low[i]), t->high[i]);
  }
}

static sup_status roll_steps(sup_trajectory *t, const sup_ilqr_policy *policy, double alpha,
                             double *cost) {
  double part;
  SUP_TRY(sup_state_copy(t->trial[0], t->x[0]));
  *cost = 0;
  for (int k = 0; k < t->def.num_steps; k++) {
    control(t, policy, alpha, k);
    SUP_TRY(state_cost(t, t->trial[k], 0, &part, NULL, NULL));
    for (int i = 0; i < t->m; i++) {
      double u = t->trial_u[k * t->m + i];
      part += t->def.options.dt * t->effort[i] * u * u;
    }
    *cost += part;
    sup_status status = sup_transition_record(t->transition[0], t->trial[k], t->trial_u + k * t->m,
                                              t->trial[k + 1], &t->trial_record[k]);
    if (status == SUP_E_NOT_CONVERGED) *cost = INFINITY;
    if (status == SUP_E_NOT_CONVERGED) return SUP_OK;
    SUP_TRY(status);
  }
  SUP_TRY(state_cost(t, t->trial[t->def.num_steps], 1, &part, NULL, NULL));
  *cost += part;
  return SUP_OK;
}

static sup_status roll(void *user, const sup_ilqr_policy *policy, double alpha, double *cost) {
  sup_trajectory *t = user;
  double          start = sup_wall_time();
  SUP_TRY(roll_steps(t, policy, alpha, cost));
  t->times.rollouts += sup_wall_time() - start, t->times.num_rollouts++;
  return SUP_OK;
}

static void accept(void *user) {
  sup_trajectory  *t = user;
  sup_state      **x = t->x;
  sup_step_record *record = t->record;
  double          *u = t->u;
  t->x = t->trial, t->record = t->trial_record, t->u = t->trial_u;
  t->trial = x, t->trial_record = record;
  memcpy(u, t->u, (size_t)(t->def.num_steps * t->m) * sizeof *u); /* sup_ilqr_problem.u stays */
  t->trial_u = t->u, t->u = u;
}

/** Arguments that threads share. */
typedef struct expansion {
  sup_trajectory *t;
  sup_ilqr_model *model;
  sup_status      status[SUP_TEAM_MAX];
} expansion;

static void linearise(void *user, int k, int thread) {
  expansion      *e = user;
  sup_trajectory *t = e->t;
  size_t          n = (size_t)t->n, m = (size_t)t->m, at = (size_t)k;
  if (e->status[thread] != SUP_OK) return;
  e->status[thread] =
      sup_transition_linearise(t->transition[thread], t->x[k], t->u + at * m, &t->record[k], 0,
                               e->model->A + at * n * n, e->model->B + at * n * m);
}

static sup_status expand(void *user, sup_ilqr_model *model) {
  sup_trajectory *t = user;
  expansion       e = {.t = t, .model = model};
  size_t          n = (size_t)t->n, m = (size_t)t->m, N = (size_t)t->def.num_steps;
  double          cost, start = sup_wall_time(), dt = t->def.options.dt;
  sup_team_for(t->num_transitions, t->def.num_steps, linearise, &e);
  for (int i = 0; i < t->num_transitions; i++)
    if (e.status[i] != SUP_OK)
      return SUP_FAIL(e.status[i], "a step of the trajectory has no derivatives");
  t->times.derivatives += sup_wall_time() - start, t->times.num_derivatives++;
  memset(model->lx, 0, (N + 1) * n * sizeof *model->lx);
  memset(model->lxx, 0, (N + 1) * n * n * sizeof *model->lxx);
  memset(model->luu, 0, N * m * m * sizeof *model->luu);
  for (size_t k = 0; k <= N; k++)
    SUP_TRY(state_cost(t, t->x[k], k == N, &cost, model->lx + k * n, model->lxx + k * n * n));
  for (size_t k = 0; k < N * m; k++) {
    double w = 2 * dt * t->effort[k % m];
    model->lu[k] = w * t->u[k];
    model->luu[k * m + k % m] = w;
  }
  return SUP_OK;
}

sup_status sup_trajectory_optimise(sup_trajectory *t, const sup_ilqr_options *options,
                                   sup_ilqr_report *report) {
  const sup_ilqr_problem problem = {.N = t->def.num_steps,
                                    .n = t->n,
                                    .m = t->m,
                                    .low = t->low,
                                    .high = t->high,
                                    .u = t->u,
                                    .user = t,
                                    .roll = roll,
                                    .accept = accept,
                                    .expand = expand};
  SUP_TRY(sup_ilqr(&problem, options, &t->policy, report));
  return SUP_OK;
}

sup_status sup_trajectory_shift(sup_trajectory *t, int steps) {
  int N = t->def.num_steps, m = t->m;
  steps = steps < N ? steps : N;
  SUP_TRY(sup_state_copy(t->x[0], t->x[steps]));
  for (int k = 0; k < N; k++) {
    int from = k + steps < N ? k + steps : N - 1;
    memmove(t->u + k * m, t->u + from * m, (size_t)m * sizeof *t->u);
  }
  return SUP_OK;
}

const double          *sup_trajectory_controls(const sup_trajectory *t) { return t->u; }
const sup_ilqr_policy *sup_trajectory_policy(const sup_trajectory *t) { return &t->policy; }
sup_trajectory_times   sup_trajectory_time(const sup_trajectory *t) { return t->times; }
const sup_transition  *sup_trajectory_transition(const sup_trajectory *t) {
   return t->transition[0];
}
