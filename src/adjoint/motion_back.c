/* Steps of a run of motion backwards: adjoints of the objectives (THEORY 24.6). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "adjoint/motion_path.h"
#include "adjoint/motion_place.h"
#include "adjoint/numerics.h"
#include "base/memory.h"
#include "la/gmres.h"
#include "la/vector.h"
#include "step/gradient/equation_gradient.h"

typedef sup_motion_gradient gradient;
typedef sup_motion_place    place;

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_force(const sup_observer *o, int column) {
  const sup_observed_column *c = &o->column[column];
  return strncmp(c->name, "contact.", strlen("contact.")) == 0 &&
         strcmp(c->observable->names, "fx fy fz") == 0;
}

static bool is_probe(const sup_observer *o, int column) {
  return o->column[column].observable->quoted == SUP_QUOTED_PROBE;
}

static sup_status check_columns(const gradient *g, const sup_observer *o) {
  for (int k = 0; k < g->num; k++) {
    int  c = g->objective[k].column;
    bool has = g->path->scene.model->num_softs == 0 || is_force(o, c) || is_probe(o, c) ||
               o->column[c].observable->quoted == SUP_QUOTED_RIGID ||
               strcmp(o->column[c].observable->names, "q") == 0;
    if (!has)
      return SUP_FAIL(SUP_E_ARG,
                      "the adjoint in time does not have the column '%s'; method: tangent or "
                      "differences takes it",
                      o->column[c].name);
  }
  return SUP_OK;
}

/** at [num_vertices x 3] += weights of a probe's vertices. */
static void add_probe(const sup_observer *o, int column, double weight, double *at) {
  const sup_body_point *point = &o->probe[o->column[column].index].at;
  for (int k = 0; k < point->num_vertices; k++)
    at[3 * point->vertex[k] + o->column[column].k] += weight * point->weight[k];
}

/** at [num_contacts] += weights of the contacts' forces on b in a column. */
static void add_force(const sup_observer *o, int column, double weight,
                      const sup_contact_list *list, sup_v3 *at) {
  const sup_observed_column *of = &o->column[column];
  const sup_column_pair     *pair = &o->pair[of->index];
  sup_v3                     d = {of->k == 0, of->k == 1, of->k == 2};
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    bool               on_b = c->body_b == pair->b && (pair->a == SUP_NONE || c->body_a == pair->a),
         on_a = c->body_a == pair->b && (pair->a == SUP_NONE || c->body_b == pair->a);
    if (on_a != on_b) at[i] = sup_v3_madd(at[i], on_b ? weight : -weight, d);
  }
}

/* ---- a step backwards ------------------------------------------------------------------------ */

enum group { START_Q, START_V, SOLUTION, NUM_GROUPS };

/** Step m about its solution. */
typedef struct sup_motion_back {
  gradient              *g;
  const sup_load_record *record;
  int                    n, num_trees; /* scalars; velocities of trees with unknowns */
  place                  own, beside;  /* of the run; with a tree moved */
  sup_reduction         *reduction;
  double                 turn; /* difference of positions of trees [rad or m] */
  bool     has_friction;       /* the products with H are those of the laws, not of differences */
  bool     is_flush;           /* more or less contacts press where a tree is moved */
  int     *scalar;             /* [num_trees] scalar of each velocity */
  int     *tree, *of;          /* [num_trees] its tree, and number there */
  double  *column;             /* [NUM_GROUPS x num_trees] each dr [num_scalars] */
  double  *slope;              /* [NUM_GROUPS x num_trees x num] d(L_m + k . next) */
  double  *v, *work;           /* [num_scalars], [2 num_scalars] */
  double  *by_u;               /* [num_vertices x 3] */
  sup_v3  *force;              /* [num_contacts] */
  double **k;                  /* [num] each k after the step, then before it */
  /* [num] largest size and jump of sup_step_kink over the steps, and time of the jump [s] */
  double *size, *jump, *time;
} step;

static double *column_of(const step *s, int group, int j) {
  return s->column + (size_t)(group * s->num_trees + j) * (size_t)s->n;
}
static double *slope_of(const step *s, int group, int j) {
  return s->slope + (group * s->num_trees + j) * s->g->num;
}

static sup_status multiply(void *user, double *x, double *y) {
  step *s = user;
  SUP_TRY(sup_step_equations_multiply_transposed(&s->own.e, x, s->work));
  for (int j = 0; j < s->num_trees && !s->has_friction; j++)
    s->work[s->scalar[j]] = sup_dot(column_of(s, SOLUTION, j), x, s->n);
  memcpy(y, s->work, (size_t)s->n * sizeof *y);
  return SUP_OK;
}

static sup_status precondition(void *user, double *x, double *y) {
  step *s = user;
  (void)y;
  return sup_step_equations_solve_transposed(&s->own.e, s->reduction, sup_adjoint_numerics.residual,
                                             x);
}

/* ---- trees by differences -------------------------------------------------------------------- */

/** s->turn := difference of positions at which each contact remains open or pressed [rad or m], by
 * its gaps at the start and at the end. */
static sup_status choose_turn(step *s) {
  const sup_step_equations *e = &s->own.e;
  const sup_problem         problem = sup_step_problem(&e->assembly, &e->contacts);
  double                    most = sup_adjoint_numerics.turn, *vc;
  SUP_TRY(SUP_ARENA(s->own.arena, vc, problem.num_vc));
  sup_problem_constraint_velocity(&problem, s->record->q, 1, vc);
  for (int i = 0; i < e->contacts.list.count; i++) {
    double gap = fabs(e->contacts.list.contact[i].phi),
           end = fabs(e->contacts.list.contact[i].phi +
                      s->own.inc.h * vc[problem.constraint[i].first_vc + 2]);
    if (gap > 0) most = fmin(most, sup_adjoint_numerics.turn_of_gap * gap);
    if (end > 0) most = fmin(most, sup_adjoint_numerics.turn_of_gap * end);
  }
  s->turn = ldexp(1, ilogb(fmax(DBL_EPSILON, most)));
  return SUP_OK;
}

/** Friction coefficient of a contact's law; 0: none. */
static double friction_of(const sup_law *law) {
  if (law->kind == SUP_LAW_SAP) return law->sap.mu;
  return law->kind == SUP_LAW_LAGGED || law->kind == SUP_LAW_SIMILAR ? law->coulomb.mu : 0;
}

/** Terms of which constraint c's slip is the sum, at the velocities v. */
static double speed_of(const sup_problem *problem, const sup_constraint *c, const double *v) {
  double most = 0;
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *J = &problem->jacobian[c->first_block + k];
    int                       first = sup_block_first(problem->A_pattern, J->block),
        n = sup_block_size(problem->A_pattern, J->block);
    for (int i = 0; i < 2 * n; i++)
      most = fmax(most, fabs(problem->jacobian_value[J->value + (size_t)i] * v[first + i % n]));
  }
  return most;
}

/** Friction within the stiction tolerance changes by velocities smaller than any difference, whose
 * slips lose their digits: products with H are then those of the laws.  Positions turn by less than
 * makes a contact slip. */
static void heed_friction(step *s) {
  const sup_step_equations *e = &s->own.e;
  const sup_problem         problem = sup_step_problem(&e->assembly, &e->contacts);
  double                    least = s->turn;
  s->has_friction = false;
  for (int i = 0; i < problem.num_constraints; i++) {
    const sup_constraint *c = &problem.constraint[i];
    if (!(friction_of(&c->law) > 0)) continue;
    s->has_friction = true;
    if (c->law.kind == SUP_LAW_SAP) continue;
    double speed = speed_of(&problem, c, s->record->q);
    if (speed > 0)
      least = fmin(least, sup_adjoint_numerics.turn_of_slip * c->law.coulomb.eps / speed);
  }
  s->turn = ldexp(1, ilogb(fmax(DBL_EPSILON, least)));
}

/** q of tree t moved by h along its j-th velocity. */
static void turn(const sup_model *model, int t, int j, double h, double *q) {
  double unit[SUP_TREE_MAX_NV] = {0};
  unit[j] = 1;
  sup_tree_integrate(model->tree[t], q + model->q_start[t], unit, h);
}

/** Move the start, or the solution, along the j-th velocity by h. */
static sup_status move(step *s, int group, int j, double h) {
  const sup_model *model = s->own.scene->model;
  SUP_TRY(sup_state_copy(s->beside.state, s->record->before));
  memcpy(s->v, s->record->q, (size_t)s->n * sizeof *s->v);
  int t = s->tree[j], at = s->of[j];
  if (group == START_Q) turn(model, t, at, h, s->beside.state->q);
  if (group == START_V) s->beside.state->v[model->v_start[t] + at] += h;
  if (group == SOLUTION) s->v[s->scalar[j]] += h;
  return SUP_OK;
}

static sup_status differentiate_tree(step *s, int group, int j) {
  double h = group == START_Q ? s->turn : sup_adjoint_numerics.speed;
  memset(column_of(s, group, j), 0, (size_t)s->n * sizeof *s->column);
  for (int i = 0; i < SUP_DIFFERENCE_POINTS; i++) {
    double weight = sup_difference[i].weight / h;
    SUP_TRY(move(s, group, j, sup_difference[i].at * h));
    SUP_TRY(sup_motion_place_evaluate(&s->beside, s->record, s->v,
                                      sup_motion_has_row(s->g, s->record->row)));
    s->is_flush |= s->beside.num_pressing != s->record->num_pressing;
    for (int r = 0; r < s->n; r++) column_of(s, group, j)[r] += weight * s->beside.r[r];
    for (int k = 0; k < s->g->num; k++)
      slope_of(s, group, j)[k] +=
          weight * (sup_motion_columns(s->g, k, &s->beside, s->record->row) +
                    sup_motion_dot_trees(s->g, s->k[k], s->beside.end.next));
  }
  return SUP_OK;
}

static sup_status differentiate_trees(step *s) {
  s->is_flush = false;
  memset(s->slope, 0, (size_t)(NUM_GROUPS * s->num_trees * s->g->num) * sizeof *s->slope);
  for (int group = 0; group < NUM_GROUPS; group++)
    for (int j = 0; j < s->num_trees; j++) SUP_TRY(differentiate_tree(s, group, j));
  return SUP_OK;
}

/** *value := L_m + k . next - l . r of objective k with the start moved along the j-th velocity. */
static sup_status value_beside(step *s, int k, const double *l, int j, double h, double *value) {
  const gradient *g = s->g;
  SUP_TRY(move(s, START_Q, j, h));
  SUP_TRY(sup_motion_place_evaluate(&s->beside, s->record, s->v,
                                    sup_motion_has_row(g, s->record->row)));
  *value = sup_motion_columns(g, k, &s->beside, s->record->row) +
           sup_motion_dot_trees(g, g->after[k], s->beside.end.next) - sup_dot(l, s->beside.r, s->n);
  return SUP_OK;
}

/** Count the jump of derivatives by the start of trees where a contact touches flush. */
static sup_status find_jump(step *s, int k, const double *l) {
  for (int j = 0; j < s->num_trees && s->is_flush; j++) {
    double below, at, above;
    SUP_TRY(value_beside(s, k, l, j, -s->turn, &below));
    SUP_TRY(value_beside(s, k, l, j, 0, &at));
    SUP_TRY(value_beside(s, k, l, j, s->turn, &above));
    double jump = fabs((above - at) - (at - below)) / s->turn;
    s->size[k] = fmax(s->size[k], fabs(above - below) / (2 * s->turn));
    if (jump > s->jump[k]) s->jump[k] = jump, s->time[k] = s->record->before->time;
  }
  return SUP_OK;
}

/** k [num_q of the state] := derivatives by coordinates, from those along velocities by_way
 * [num_trees]. */
static void spread(const step *s, const double *by_way, double *k) {
  const sup_state *state = s->record->before;
  const sup_model *model = s->own.scene->model;
  SUP_ASSERT(state->num_q <= SUP_TREE_MAX_NV * 64);
  memset(k, 0, (size_t)state->num_q * sizeof *k);
  for (int j = 0; j < s->num_trees; j++) {
    int    t = s->tree[j], from = model->q_start[t], end = model->q_start[t + 1];
    double h = sup_adjoint_numerics.turn, square = 0, *q[2] = {s->beside.state->q, s->own.state->q};
    for (int side = 0; side < 2; side++) {
      memcpy(q[side], state->q, (size_t)state->num_q * sizeof **q);
      turn(model, t, s->of[j], side ? h : -h, q[side]);
    }
    for (int i = from; i < end; i++) square += pow((q[1][i] - q[0][i]) / (2 * h), 2);
    for (int i = from; i < end; i++) k[i] += by_way[j] / square * (q[1][i] - q[0][i]) / (2 * h);
  }
  memcpy(s->own.state->q, state->q, (size_t)state->num_q * sizeof *state->q);
}

/* ---- the step -------------------------------------------------------------------------------- */

/** rhs [num_scalars] := next_v^T k + (L_m)_v; k has the part of the row after the step. */
static sup_status right_side(step *s, int k, double *rhs) {
  const gradient          *g = s->g;
  const sup_model         *model = s->own.scene->model;
  const sup_block_pattern *P = &sup_stepper_layout(s->own.scene->stepper)->A_pattern;
  size_t                   n = sup_motion_size_of_softs(g);
  memset(rhs, 0, (size_t)s->n * sizeof *rhs);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      size_t at = (size_t)(3 * soft->first_vertex + a);
      if (sup_load_is_unknown(soft, a))
        rhs[sup_block_first(P, soft->block[a / 3]) + a % 3] =
            s->own.inc.h * s->k[k][at] + s->k[k][n + at];
    }
  }
  SUP_TRY(sup_step_equations_add_forces(&s->own.e, s->force, rhs));
  for (int j = 0; j < s->num_trees; j++) rhs[s->scalar[j]] = slope_of(s, SOLUTION, j)[k];
  return SUP_OK;
}

static sup_status solve(step *s, double *x) {
  double residual;
  SUP_TRY(sup_gmres_solve(s->n, multiply, precondition, s, sup_adjoint_numerics.residual, x,
                          s->own.arena, &residual));
  s->g->residual = fmax(s->g->residual, residual);
  if (residual <= sup_adjoint_numerics.changes) return SUP_OK;
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "the linear system of the derivatives of the step from %g s keeps %.2g of its "
                  "right side; method: differences takes it",
                  s->record->before->time, residual);
}

/** Components of vertices that are no unknowns, += x, := 0. */
static void move_held(const gradient *g, const double *x, double *to) {
  for (int i = 0; i < g->num_held; i++) to[g->held[i]] = x ? to[g->held[i]] + x[g->held[i]] : 0;
}

/** s->k[k] := that before the step, from the solution l [num_scalars]. */
static sup_status leave_step(step *s, int k, const double *l) {
  gradient              *g = s->g;
  size_t                 n = sup_motion_size_of_softs(g);
  const sup_model       *model = s->own.scene->model;
  double                *at = s->k[k], way[SUP_TREE_MAX_NV], *trees = at + 2 * n;
  const sup_step_weights weights = {l, s->force};
  const sup_fem_slopes   slopes = {at, at + n, s->by_u, g->moments + k * model->num_softs};
  memset(at + n, 0, n * sizeof *at), memset(s->by_u, 0, n * sizeof *at);
  move_held(g, NULL, at);
  sup_step_kink kink;
  SUP_TRY(sup_step_equations_start_gradient(&s->own.e, s->record->q, &weights, &slopes, &kink));
  move_held(g, s->by_u, g->after[k] + n);
  s->size[k] = fmax(s->size[k], kink.size);
  if (kink.jump > s->jump[k]) s->jump[k] = kink.jump, s->time[k] = s->record->before->time;
  memset(trees, 0, sup_motion_size_of_trees(g) * sizeof *trees);
  for (int j = 0; j < s->num_trees; j++) {
    way[j] = slope_of(s, START_Q, j)[k] - sup_dot(column_of(s, START_Q, j), l, s->n);
    trees[s->record->before->num_q + model->v_start[s->tree[j]] + s->of[j]] =
        slope_of(s, START_V, j)[k] - sup_dot(column_of(s, START_V, j), l, s->n);
  }
  spread(s, way, trees);
  return SUP_OK;
}

/** Adjoint of objective k in the step. */
static sup_status solve_step(step *s, int k) {
  gradient *g = s->g;
  double    weight = sup_motion_weight(g, k, s->record->row), *l = g->adjoint[k];
  int       column = g->objective[k].column, num = s->own.e.contacts.list.count;
  memcpy(g->after[k], s->k[k],
         (2 * sup_motion_size_of_softs(g) + sup_motion_size_of_trees(g)) * sizeof(double));
  SUP_TRY(SUP_ARENA(s->own.arena, s->force, num));
  memset(s->force, 0, (size_t)num * sizeof *s->force);
  if (weight != 0 && is_probe(&s->own.observer, column))
    add_probe(&s->own.observer, column, weight, s->k[k]);
  if (weight != 0 && is_force(&s->own.observer, column))
    add_force(&s->own.observer, column, weight, &s->own.e.contacts.list, s->force);
  SUP_TRY(right_side(s, k, l));
  SUP_TRY(solve(s, l));
  SUP_TRY(find_jump(s, k, l));
  return leave_step(s, k, l);
}

/** E_ARG: a patch of two rigid bodies, whose places change with the start by searches. */
static sup_status check_rigid(const sup_motion_place *p, double time) {
  const sup_model        *model = p->scene->model;
  const sup_contact_list *list = &p->e.contacts.list;
  for (int i = 0; i < list->count; i++) {
    const sup_pair *pair = &model->pair[list->contact[i].pair];
    if (pair->geometry_a != SUP_NONE && pair->geometry_b != SUP_NONE &&
        pair->touch != SUP_TOUCH_POINT)
      return SUP_FAIL(SUP_E_ARG,
                      "the adjoint in time has point contacts of rigid bodies, not the patch of "
                      "'%s' and '%s' at %g s; method: tangent or differences takes it",
                      model->body[pair->a].name, model->body[pair->b].name, time);
  }
  return SUP_OK;
}

/** A step with its equations. */
static sup_status leave_begun(step *s) {
  const sup_contact_list *list = &s->own.e.contacts.list;
  SUP_TRY(check_rigid(&s->own, s->record->before->time));
  SUP_TRY(choose_turn(s));
  heed_friction(s);
  SUP_TRY(differentiate_trees(s));
  sup_origins_clear(&s->g->origins);
  SUP_TRY(sup_origins_append(&s->g->origins, &list->origins));
  SUP_TRY(sup_step_equations_factor(&s->own.e, s->record->q, s->reduction));
  for (int k = 0; k < s->g->num; k++) SUP_TRY(solve_step(s, k));
  return SUP_OK;
}

sup_status sup_motion_back_step(step *s, int m) {
  SUP_TRY(sup_motion_path_recall(s->g->path, m));
  s->record = &s->g->path->step[m];
  if (!s->record->q)
    return SUP_FAIL(SUP_E_ARG,
                    "the step from %g s needs several searches of contacts, sweeps or parts, of "
                    "which there is no adjoint; method: tangent or differences takes it",
                    s->record->before->time);
  SUP_TRY(
      sup_step_gradient_check_state(sup_stepper_layout(s->own.scene->stepper), s->record->before));
  SUP_TRY(sup_state_copy(s->own.state, s->record->before));
  SUP_TRY(sup_motion_place_begin(&s->own, s->record, s->record->q));
  sup_status status = leave_begun(s);
  sup_step_equations_free(&s->own.e);
  return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static sup_status list_trees(step *s) {
  const sup_model         *model = s->own.scene->model;
  const sup_block_pattern *P = &sup_stepper_layout(s->own.scene->stepper)->A_pattern;
  int                      num = s->own.state->num_v;
  SUP_TRY(SUP_CALLOC(s->scalar, num));
  SUP_TRY(SUP_CALLOC(s->tree, num));
  SUP_TRY(SUP_CALLOC(s->of, num));
  for (int t = 0; t < model->num_trees; t++)
    for (int j = 0; model->tree_block[t] != SUP_NONE && j < model->tree[t]->nv; j++) {
      s->scalar[s->num_trees] = sup_block_first(P, model->tree_block[t]) + j;
      s->tree[s->num_trees] = t, s->of[s->num_trees++] = j;
    }
  if (s->num_trees > SUP_TREE_MAX_NV)
    return SUP_FAIL(SUP_E_ARG, "the adjoint in time has %d velocities of trees at most, not %d",
                    SUP_TREE_MAX_NV, s->num_trees);
  SUP_TRY(SUP_CALLOC(s->column, (size_t)(NUM_GROUPS * s->num_trees) * (size_t)s->n));
  return SUP_CALLOC(s->slope, NUM_GROUPS * s->num_trees * s->g->num);
}

static sup_status open_step(step *s) {
  const sup_load_scene  *scene = &s->g->path->scene;
  const sup_step_layout *layout = sup_stepper_layout(scene->stepper);
  s->n = s->g->path->num_scalars, s->k = s->g->initial;
  SUP_TRY(sup_motion_place_open(&s->own, s->g, scene));
  SUP_TRY(sup_motion_place_open(&s->beside, s->g, scene));
  SUP_TRY(sup_step_gradient_check(layout));
  SUP_TRY(check_columns(s->g, &s->own.observer));
  SUP_TRY(SUP_CALLOC(s->v, s->n));
  SUP_TRY(SUP_CALLOC(s->work, 2 * (size_t)s->n));
  SUP_TRY(SUP_CALLOC(s->by_u, sup_motion_size_of_softs(s->g)));
  SUP_TRY(SUP_CALLOC(s->size, s->g->num));
  SUP_TRY(SUP_CALLOC(s->jump, s->g->num));
  SUP_TRY(SUP_CALLOC(s->time, s->g->num));
  SUP_TRY(list_trees(s));
  SUP_TRY(sup_reduction_create(&s->reduction, scene->options->backend, scene->options->petsc,
                               &layout->A_pattern));
  return layout->is_free ? sup_step_layout_join(layout, s->reduction) : SUP_OK;
}

sup_status sup_motion_back_create(step **back, gradient *g) {
  SUP_TRY(SUP_CALLOC(*back, 1));
  (*back)->g = g;
  sup_status status = open_step(*back);
  if (status != SUP_OK) sup_motion_back_destroy(back);
  return status;
}

void sup_motion_back_destroy(step **back) {
  step *s = *back;
  if (!s) return;
  sup_motion_place_close(&s->own), sup_motion_place_close(&s->beside);
  sup_reduction_destroy(&s->reduction);
  SUP_FREE_ALL(&s->scalar, &s->tree, &s->of, &s->column, &s->slope, &s->v, &s->work, &s->by_u,
               &s->size, &s->jump, &s->time);
  SUP_FREE(*back);
}

sup_status sup_motion_back_check(const step *s) {
  for (int k = 0; k < s->g->num; k++)
    if (s->jump[k] > sup_adjoint_numerics.kink * s->size[k])
      return SUP_FAIL(SUP_E_ARG,
                      "derivatives of '%s' have two sides: in the step from %g s contacts open or "
                      "faces touch flush; method: tangent or differences takes it",
                      s->g->column[s->g->objective[k].column], s->time[k]);
  return SUP_OK;
}
