#include "adjoint/motion_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "adjoint/numerics.h"
#include "base/memory.h"
#include "fem/material.h"
#include "fem/step_gradient.h"
#include "la/gmres.h"
#include "la/vector.h"
#include "step/gradient/equation_gradient.h"

typedef sup_motion_gradient gradient;

/** Sizes of a state's parts in a vector k: x and xdot, then q and v of trees. */
static size_t size_of_softs(const gradient *g) {
  return 3 * (size_t)g->path->scene.start->num_vertices;
}
static size_t size_of_trees(const gradient *g) {
  return (size_t)(g->path->scene.start->num_q + g->path->scene.start->num_v);
}

/** Number of cells of the soft bodies before body i. */
static int num_cells(const sup_model *model, int i) {
  int sum = 0;
  while (i-- > 0) sum += model->soft[i].num_cells;
  return sum;
}

/** Step of the run as a function of its start, its solution and the scene. */
typedef struct place {
  const sup_load_scene *scene;
  sup_observer          observer;
  sup_state            *state; /* at the start */
  sup_step_end          end;
  sup_step_equations    e;
  sup_increment         inc;
  sup_step_decisions    decisions;
  sup_arena            *arena;
  int                   num_pressing; /* number of pressing contacts */
  double               *r;            /* [num_scalars] */
  double               *value;        /* [num_columns] */
  double               *x;            /* [num_vertices x 3] */
  sup_m3               *R, *turn;     /* [cells], [vertices] of the largest body */
} place;

static void close_place(place *p) {
  sup_observer_free(&p->observer);
  sup_state_destroy(&p->state);
  sup_state_destroy(&p->end.next);
  sup_arena_destroy(&p->arena);
  SUP_FREE_ALL(&p->r, &p->value, &p->x, &p->R, &p->turn);
}

static sup_status open_place(place *p, const gradient *g, const sup_load_scene *s) {
  *p = (place){.scene = s};
  SUP_TRY(sup_load_scene_check(&g->path->scene, s));
  SUP_TRY(sup_observer_create(&p->observer, s->model, s->options, s->def, g->column,
                              g->path->num_columns));
  SUP_TRY(sup_state_create(&p->state, s->model, s->options));
  SUP_TRY(sup_state_copy(p->state, s->start));
  SUP_TRY(sup_state_create(&p->end.next, s->model, s->options));
  SUP_TRY(sup_arena_create(&p->arena, 1 << 16));
  SUP_TRY(SUP_CALLOC(p->r, g->path->num_scalars));
  SUP_TRY(SUP_CALLOC(p->x, size_of_softs(g)));
  SUP_TRY(SUP_CALLOC(p->R, num_cells(s->model, s->model->num_softs)));
  SUP_TRY(SUP_CALLOC(p->turn, s->model->num_vertices));
  return SUP_CALLOC(p->value, g->path->num_columns);
}

/** p->e := equations of the record's step from p->state about v; closed by the caller. */
static sup_status begin(place *p, const sup_load_record *record, const double *v) {
  p->inc = sup_increment_of_state(p->scene->options, p->state);
  p->decisions = (sup_step_decisions){.all_limits = record->all_limits};
  SUP_TRY(sup_arena_reset(p->arena));
  return sup_step_equations_create(&p->e, sup_stepper_layout(p->scene->stepper), &p->inc, p->state,
                                   &p->decisions, v, p->arena);
}

static sup_status finish(place *p, const double *v, bool is_row) {
  sup_step_report report;
  SUP_TRY(sup_step_equations_residual(&p->e, v, p->r));
  SUP_TRY(sup_step_equations_end(&p->e, v, &p->end, &report));
  p->num_pressing = sup_count_pressing(&p->end.result); /* before the equations free the list */
  if (!is_row) return SUP_OK;
  sup_observer_measure(&p->observer, p->end.next, &p->end.result, &report,
                       p->scene->model->num_softs > 0, p->value);
  return SUP_OK;
}

/** Residual, end and, at a row, columns of the record's step with the solution v. */
static sup_status evaluate(place *p, const sup_load_record *record, const double *v) {
  SUP_TRY(begin(p, record, v));
  sup_status status = finish(p, v, record->row != SUP_NONE);
  sup_step_equations_free(&p->e);
  return status;
}

static double weight_of(const gradient *g, int k, int row) {
  return row == SUP_NONE ? 0 : g->objective[k].weight[row];
}

/** Part of a row of the path in objective k. */
static double own_columns(const gradient *g, int k, int row) {
  double               weight = weight_of(g, k, row);
  const sup_load_path *path = g->path;
  return weight != 0 ? weight * path->value[row * path->num_columns + g->objective[k].column] : 0;
}

static double columns_of(const gradient *g, int k, const place *p, int row) {
  double weight = weight_of(g, k, row);
  return weight != 0 ? weight * p->value[g->objective[k].column] : 0;
}

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
typedef struct step {
  gradient              *g;
  const sup_load_record *record;
  int                    n, num_trees; /* scalars; velocities of trees with unknowns */
  place                  own, beside;  /* of the run; with a tree moved */
  sup_reduction         *reduction;
  double                 turn;      /* difference of positions of trees [rad or m] */
  int                   *scalar;    /* [num_trees] scalar of each velocity */
  int                   *tree, *of; /* [num_trees] its tree, and number there */
  double                *column;    /* [NUM_GROUPS x num_trees] each dr [num_scalars] */
  double                *slope;     /* [NUM_GROUPS x num_trees x num] d(L_m + k . next) */
  double                *v, *work;  /* [num_scalars], [2 num_scalars] */
  sup_v3                *force;     /* [num_contacts] */
  double               **k;         /* [num] each k after the step, then before it */
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
  SUP_TRY(sup_step_equations_multiply_transposed(&s->own.e, s->record->q, x, s->work));
  for (int j = 0; j < s->num_trees; j++)
    s->work[s->scalar[j]] = sup_dot(column_of(s, SOLUTION, j), x, s->n);
  memcpy(y, s->work, (size_t)s->n * sizeof *y);
  return SUP_OK;
}

static sup_status precondition(void *user, double *x, double *y) {
  step *s = user;
  (void)y;
  return sup_reduction_apply_inverse(s->reduction, x, s->work);
}

/* ---- trees by differences -------------------------------------------------------------------- */

static double depth_of(const sup_contact_list *list) {
  double most = 0;
  for (int i = 0; i < list->count; i++) most = fmax(most, -list->contact[i].phi);
  return most;
}

/** Difference of positions at which each contact remains open or pressed [rad or m]. */
static double turn_of(const sup_contact_list *list) {
  double most = sup_adjoint_numerics.turn;
  for (int i = 0; i < list->count; i++) {
    double gap = fabs(list->contact[i].phi);
    if (gap > 0) most = fmin(most, sup_adjoint_numerics.turn_of_gap * gap);
  }
  return ldexp(1, ilogb(fmax(DBL_EPSILON, most)));
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

/** k . q, v of trees. */
static double next_of(const gradient *g, const double *k, const sup_state *state) {
  const double *at = k + 2 * size_of_softs(g);
  return sup_dot(at, state->q, state->num_q) + sup_dot(at + state->num_q, state->v, state->num_v);
}

static sup_status differentiate_tree(step *s, int group, int j) {
  double h = group == START_Q ? s->turn : sup_adjoint_numerics.speed;
  memset(column_of(s, group, j), 0, (size_t)s->n * sizeof *s->column);
  for (int i = 0; i < SUP_DIFFERENCE_POINTS; i++) {
    double weight = sup_difference[i].weight / h;
    SUP_TRY(move(s, group, j, sup_difference[i].at * h));
    SUP_TRY(evaluate(&s->beside, s->record, s->v));
    for (int r = 0; r < s->n; r++) column_of(s, group, j)[r] += weight * s->beside.r[r];
    for (int k = 0; k < s->g->num; k++)
      slope_of(s, group, j)[k] += weight * (columns_of(s->g, k, &s->beside, s->record->row) +
                                            next_of(s->g, s->k[k], s->beside.end.next));
  }
  return SUP_OK;
}

static sup_status differentiate_trees(step *s) {
  memset(s->slope, 0, (size_t)(NUM_GROUPS * s->num_trees * s->g->num) * sizeof *s->slope);
  for (int group = 0; group < NUM_GROUPS; group++)
    for (int j = 0; j < s->num_trees; j++) SUP_TRY(differentiate_tree(s, group, j));
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
  size_t                   n = size_of_softs(g);
  memset(rhs, 0, (size_t)s->n * sizeof *rhs);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      size_t at = (size_t)(3 * soft->first_vertex + a);
      if (soft->block[a / 3] != SUP_NONE && soft->holder[a] == SUP_NONE)
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

/** Components of vertices that are no unknowns := 0. */
static void clear_held(const sup_model *model, double *x) {
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (soft->block[a / 3] == SUP_NONE || soft->holder[a] != SUP_NONE)
        x[3 * soft->first_vertex + a] = 0;
  }
}

/** s->k[k] := that before the step, from the solution l [num_scalars]. */
static sup_status leave_step(step *s, int k, const double *l) {
  gradient              *g = s->g;
  size_t                 n = size_of_softs(g);
  const sup_model       *model = s->own.scene->model;
  double                *at = s->k[k], way[SUP_TREE_MAX_NV], *trees = at + 2 * n;
  const sup_step_weights weights = {l, s->force};
  memset(at + n, 0, n * sizeof *at);
  sup_step_kink kink;
  SUP_TRY(sup_step_equations_start_gradient(&s->own.e, s->record->q, &weights, at, at + n, &kink));
  s->size[k] = fmax(s->size[k], kink.size);
  if (kink.jump > s->jump[k]) s->jump[k] = kink.jump, s->time[k] = s->record->before->time;
  clear_held(model, at), clear_held(model, at + n);
  memset(trees, 0, size_of_trees(g) * sizeof *trees);
  for (int j = 0; j < s->num_trees; j++) {
    way[j] = slope_of(s, START_Q, j)[k] - sup_dot(column_of(s, START_Q, j), l, s->n);
    trees[s->record->before->num_q + model->v_start[s->tree[j]] + s->of[j]] =
        slope_of(s, START_V, j)[k] - sup_dot(column_of(s, START_V, j), l, s->n);
  }
  spread(s, way, trees);
  return SUP_OK;
}

/** Adjoint of objective k in step m. */
static sup_status solve_step(step *s, int m, int k) {
  gradient *g = s->g;
  double    weight = weight_of(g, k, s->record->row), *l = g->adjoint[m * g->num + k];
  int       column = g->objective[k].column, num = s->own.e.contacts.list.count;
  memcpy(g->after[m * g->num + k], s->k[k],
         (2 * size_of_softs(g) + size_of_trees(g)) * sizeof(double));
  SUP_TRY(SUP_ARENA(s->own.arena, s->force, num));
  memset(s->force, 0, (size_t)num * sizeof *s->force);
  if (weight != 0 && is_probe(&s->own.observer, column))
    add_probe(&s->own.observer, column, weight, s->k[k]), clear_held(s->own.scene->model, s->k[k]);
  if (weight != 0 && is_force(&s->own.observer, column))
    add_force(&s->own.observer, column, weight, &s->own.e.contacts.list, s->force);
  SUP_TRY(right_side(s, k, l));
  SUP_TRY(solve(s, l));
  SUP_TRY(sup_step_equations_residual(&s->own.e, s->record->q, s->own.r));
  g->value[k] -= sup_dot(l, s->own.r, s->n);
  return leave_step(s, k, l);
}

/** Depth of the deepest contact [m]. */
/** E_ARG: a patch of two rigid bodies, whose places change with the start by searches. */
static sup_status check_rigid(const place *p, double time) {
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

static sup_status step_back(step *s, int m) {
  s->record = &s->g->path->step[m];
  if (!s->record->q)
    return SUP_FAIL(SUP_E_ARG,
                    "the step from %g s needs several searches of contacts, sweeps or parts, of "
                    "which there is no adjoint; method: tangent or differences takes it",
                    s->record->before->time);
  SUP_TRY(
      sup_step_gradient_check_state(sup_stepper_layout(s->own.scene->stepper), s->record->before));
  SUP_TRY(sup_state_copy(s->own.state, s->record->before));
  SUP_TRY(begin(&s->own, s->record, s->record->q));
  SUP_TRY(check_rigid(&s->own, s->record->before->time));
  s->turn = turn_of(&s->own.e.contacts.list);
  SUP_TRY(differentiate_trees(s));
  double depth = s->g->depth[m] = depth_of(&s->own.e.contacts.list);
  if (depth > 0) s->g->first = m;
  s->g->deepest = fmax(s->g->deepest, depth);
  sup_status status = sup_step_equations_factor(&s->own.e, s->record->q, s->reduction);
  for (int k = 0; k < s->g->num && status == SUP_OK; k++) status = solve_step(s, m, k);
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
  SUP_TRY(open_place(&s->own, s->g, scene));
  SUP_TRY(open_place(&s->beside, s->g, scene));
  SUP_TRY(sup_step_gradient_check(layout));
  SUP_TRY(check_columns(s->g, &s->own.observer));
  SUP_TRY(SUP_CALLOC(s->v, s->n));
  SUP_TRY(SUP_CALLOC(s->work, 2 * (size_t)s->n));
  SUP_TRY(SUP_CALLOC(s->size, s->g->num));
  SUP_TRY(SUP_CALLOC(s->jump, s->g->num));
  SUP_TRY(SUP_CALLOC(s->time, s->g->num));
  SUP_TRY(list_trees(s));
  SUP_TRY(sup_reduction_create(&s->reduction, scene->options->backend, scene->options->petsc,
                               &layout->A_pattern));
  return layout->is_free ? sup_step_layout_join(layout, s->reduction) : SUP_OK;
}

static void close_step(step *s) {
  close_place(&s->own), close_place(&s->beside);
  sup_reduction_destroy(&s->reduction);
  SUP_FREE_ALL(&s->scalar, &s->tree, &s->of, &s->column, &s->slope, &s->v, &s->work, &s->size,
               &s->jump, &s->time);
}

/** E_ARG: contacts touch flush where an objective depends on them. */
static sup_status check_kinks(const step *s) {
  for (int k = 0; k < s->g->num; k++)
    if (s->jump[k] > sup_adjoint_numerics.kink * s->size[k])
      return SUP_FAIL(SUP_E_ARG,
                      "derivatives of '%s' have two sides: in the step from %g s contacts open or "
                      "faces touch flush; method: tangent or differences takes it",
                      s->g->column[s->g->objective[k].column], s->time[k]);
  return SUP_OK;
}

static sup_status go_back(gradient *g) {
  step       s = {.g = g};
  sup_status status = open_step(&s);
  for (int m = g->last; m-- > 0 && status == SUP_OK;) status = step_back(&s, m);
  if (status == SUP_OK) status = check_kinks(&s);
  close_step(&s);
  return status;
}

static sup_status create(gradient *g) {
  const sup_load_path *path = g->path;
  size_t               size = 2 * size_of_softs(g) + size_of_trees(g);
  for (int m = 0; m < path->num_records; m++)
    for (int k = 0; k < g->num; k++)
      if (weight_of(g, k, path->step[m].row) != 0) g->last = m + 1;
  size_t           num = (size_t)g->last * (size_t)g->num;
  const sup_model *model = path->scene.model;
  int              inverted;
  SUP_TRY(SUP_CALLOC(g->R0, num_cells(model, model->num_softs)));
  for (int i = 0; i < model->num_softs; i++)
    sup_fem_rotations(model->soft[i].fem, path->scene.start->x + 3 * model->soft[i].first_vertex,
                      g->R0 + num_cells(model, i), &inverted);
  SUP_TRY(SUP_CALLOC(g->value, g->num));
  SUP_TRY(SUP_CALLOC(g->initial, g->num));
  SUP_TRY(SUP_CALLOC(g->depth, g->last));
  SUP_TRY(SUP_CALLOC(g->adjoint, num));
  SUP_TRY(SUP_CALLOC(g->after, num));
  for (int k = 0; k < g->num; k++) SUP_TRY(SUP_CALLOC(g->initial[k], size));
  for (size_t i = 0; i < num; i++) {
    SUP_TRY(SUP_CALLOC(g->adjoint[i], path->num_scalars));
    SUP_TRY(SUP_CALLOC(g->after[i], size));
  }
  for (int k = 0; k < g->num; k++)
    for (int row = 0; row <= path->num_steps; row++) g->value[k] += own_columns(g, k, row);
  return go_back(g);
}

sup_status sup_motion_gradient_create(gradient *g, const sup_load_path *path,
                                      const char *const        *column,
                                      const sup_load_objective *objective, int num) {
  *g = (gradient){.path = path, .column = column, .objective = objective, .num = num};
  sup_status status = create(g);
  if (status != SUP_OK) sup_motion_gradient_free(g);
  return status;
}

void sup_motion_gradient_free(gradient *g) {
  for (int i = 0; i < g->last * g->num; i++) {
    if (g->adjoint) SUP_FREE(g->adjoint[i]);
    if (g->after) SUP_FREE(g->after[i]);
  }
  for (int k = 0; g->initial && k < g->num; k++) SUP_FREE(g->initial[k]);
  SUP_FREE_ALL(&g->adjoint, &g->after, &g->initial, &g->value, &g->depth, &g->R0);
}

/* ---- parameters ------------------------------------------------------------------------------ */

enum { SIDES = 2 };

/** L - l . r of scenes beside the path's, along displaced states of the path. */
typedef struct sums {
  const gradient *g;
  place           place[SIDES];
  double         *lagrangian; /* [SIDES x num] L - l . r */
  double *touched, *time; /* [num] largest part of a step in which bodies touch here or on the path
                             alone, and its time [s] */
  double *way;            /* [num] sums of go_on */
} sums;

/** Turns of the vertices of soft body i since the start. */
static void find_turns(const gradient *g, const sup_load_record *record, int i, place *p) {
  const sup_soft *soft = &g->path->scene.model->soft[i];
  int             inverted;
  sup_fem_rotations(soft->fem, record->before->x + 3 * soft->first_vertex, p->R, &inverted);
  sup_fem_vertex_turns(soft->fem, p->R, g->R0 + num_cells(g->path->scene.model, i), p->turn);
}

/** State of a scene at the start of a step: the record's, with vertices displaced by their turned
 * shift at the start of the run. */
static void place_start(const gradient *g, const sup_load_record *record, place *p) {
  const sup_state *own = p->scene->start, *at = g->path->scene.start;
  sup_load_record_place(record, p->scene->model, p->state);
  for (int i = 0; i < p->scene->model->num_softs; i++) {
    const sup_soft *soft = &p->scene->model->soft[i];
    find_turns(g, record, i, p);
    for (int a = 0; a < soft->num_vertices; a++) {
      int    j = 3 * (soft->first_vertex + a);
      double shift[3];
      sup_v3_store(shift, sup_m3_apply(p->turn[a], sup_v3_sub(sup_v3_load(own->x + j),
                                                              sup_v3_load(at->x + j))));
      for (int c = 0; c < 3; c++)
        if (soft->block[a] != SUP_NONE && soft->holder[3 * a + c] == SUP_NONE)
          p->state->x[j + c] += shift[c];
    }
  }
}

/** k . (start of the scene less the path's) of coordinates of trees and all velocities. */
static double start_of(const gradient *g, const double *k, const sup_state *start) {
  const sup_state *at = g->path->scene.start;
  size_t           n = size_of_softs(g);
  double           sum = next_of(g, k, start) - next_of(g, k, at);
  for (size_t i = 0; i < n; i++) sum += k[n + i] * (start->xdot[i] - at->xdot[i]);
  return sum;
}

static sup_status begin_sum(sums *s, int i) {
  const gradient *g = s->g;
  place          *p = &s->place[i];
  sup_step_report none = {0};
  SUP_TRY(sup_stepper_observe(p->scene->stepper, p->state));
  sup_observer_measure(&p->observer, p->state, sup_stepper_result(p->scene->stepper), &none, 0,
                       p->value);
  for (int k = 0; k < g->num; k++)
    s->lagrangian[i * g->num + k] =
        columns_of(g, k, p, 0) + start_of(g, g->initial[k], p->scene->start);
  return SUP_OK;
}

/** sum [num] := k . (end of step m less start of the next); p->state := that start. */
static sup_status go_on(const gradient *g, int m, place *p, double *sum) {
  const sup_state *next = p->end.next;
  SUP_TRY(sup_state_copy(p->state, next));
  memset(sum, 0, (size_t)g->num * sizeof *sum);
  if (m + 1 == g->last) return SUP_OK;
  place_start(g, &g->path->step[m + 1], p);
  size_t n = size_of_softs(g);
  for (int k = 0; k < g->num; k++) {
    const double *at = g->after[m * g->num + k];
    for (size_t i = 0; i < n; i++) sum[k] += at[i] * (next->x[i] - p->state->x[i]);
    at += 2 * n;
    for (int i = 0; i < next->num_q; i++) sum[k] += at[i] * (next->q[i] - p->state->q[i]);
    at += next->num_q;
    for (int i = 0; i < next->num_v; i++) sum[k] += at[i] * (next->v[i] - p->state->v[i]);
  }
  return SUP_OK;
}

static sup_status add_step(sums *s, int m, int i) {
  const gradient        *g = s->g;
  const sup_load_record *record = &g->path->step[m];
  place                 *p = &s->place[i];
  SUP_TRY(evaluate(p, record, record->q));
  bool touches = (p->num_pressing > 0) != (record->num_pressing > 0);
  SUP_TRY(go_on(g, m, p, s->way));
  for (int k = 0; k < g->num; k++) {
    double columns = columns_of(g, k, p, record->row),
           rest = s->way[k] - sup_dot(g->adjoint[m * g->num + k], p->r, g->path->num_scalars);
    s->lagrangian[i * g->num + k] += columns + rest;
    double part = fabs(columns - own_columns(g, k, record->row)) + fabs(rest);
    if (touches && part > s->touched[k]) s->touched[k] = part, s->time[k] = record->before->time;
  }
  return SUP_OK;
}

/** E_ARG: contacts open or close with the parameter. */
static sup_status check_touch(const sums *s) {
  const gradient *g = s->g;
  for (int k = 0; k < g->num; k++)
    for (int i = 0; i < SIDES; i++)
      if (s->touched[k] >
          sup_adjoint_numerics.kink * fabs(s->lagrangian[i * g->num + k] - g->value[k]))
        return SUP_FAIL(SUP_E_ARG,
                        "derivatives of '%s' have two sides: bodies just touch in the step from "
                        "%g s; method: tangent or differences takes it",
                        g->column[g->objective[k].column], s->time[k]);
  return SUP_OK;
}

static sup_status sum(sums *s, const sup_load_scene *scene) {
  SUP_TRY(SUP_CALLOC(s->lagrangian, SIDES * s->g->num));
  SUP_TRY(SUP_CALLOC(s->touched, s->g->num));
  SUP_TRY(SUP_CALLOC(s->time, s->g->num));
  SUP_TRY(SUP_CALLOC(s->way, s->g->num));
  for (int i = 0; i < SIDES; i++) {
    const sup_load_scene *own = &s->g->path->scene;
    if (scene[i].options->dt != own->options->dt || scene[i].end != own->end)
      return SUP_FAIL(
          SUP_E_ARG,
          "the adjoint in time has no derivative by the length of the step or of the run; "
          "method: differences takes it");
    SUP_TRY(open_place(&s->place[i], s->g, &scene[i]));
    SUP_TRY(begin_sum(s, i));
    place_start(s->g, &s->g->path->step[0], &s->place[i]);
    for (int m = 0; m < s->g->last; m++) SUP_TRY(add_step(s, m, i));
  }
  return check_touch(s);
}

/** Largest shift of a vertex over the mean cell of its body. */
static double shift_of(const gradient *g, const sup_load_scene *beside) {
  const sup_model *model = beside->model;
  double           most = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    double          volume = sup_fem_mass(soft->fem) / sup_fem_material(soft->fem, 0)->density,
           cell = cbrt(volume / soft->num_vertices);
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      int j = 3 * soft->first_vertex + a;
      most = fmax(most, fabs(beside->start->x[j] - g->path->scene.start->x[j]) / cell);
    }
  }
  return most;
}

/** *reach := at least the change of the depth in record m over that allowed in differences. */
static sup_status find_reach(const gradient *g, int m, place *p, double *reach) {
  const sup_load_record *record = &g->path->step[m];
  double least = sup_adjoint_numerics.shallow * g->deepest, depth = fmax(g->depth[m], least);
  place_start(g, record, p);
  SUP_TRY(begin(p, record, record->q));
  double way = fabs(depth_of(&p->e.contacts.list) - g->depth[m]);
  *reach = fmax(*reach, way / (sup_adjoint_numerics.depth * depth));
  sup_step_equations_free(&p->e);
  return SUP_OK;
}

sup_status sup_motion_gradient_reach(const gradient *g, const sup_load_scene *beside,
                                     double *reach) {
  enum { SAMPLES = 8 };
  place      p;
  sup_status status = open_place(&p, g, beside);
  *reach = shift_of(g, beside) / sup_adjoint_numerics.shift;
  for (int i = 1; i <= SAMPLES && status == SUP_OK; i++) {
    int m = g->first + (g->last - 1 - g->first) * i / SAMPLES;
    if (g->deepest > 0) status = find_reach(g, m, &p, reach);
  }
  close_place(&p);
  return status;
}

sup_status sup_motion_gradient_by(gradient *g, const sup_load_scene beside[SIDES], double width,
                                  sup_load_slope *slope) {
  sums       s = {.g = g};
  sup_status status = sum(&s, beside);
  for (int k = 0; k < g->num && status == SUP_OK; k++) {
    double below = s.lagrangian[k], at = g->value[k], above = s.lagrangian[g->num + k];
    slope[k] =
        (sup_load_slope){(above - below) / (2 * width), (at - below) / width, (above - at) / width};
  }
  for (int i = 0; i < SIDES; i++) close_place(&s.place[i]);
  SUP_FREE_ALL(&s.lagrangian, &s.touched, &s.time, &s.way);
  return status;
}
