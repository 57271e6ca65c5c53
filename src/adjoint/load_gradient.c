#include "adjoint/load_gradient.h"

#include <math.h>
#include <string.h>

#include "adjoint/numerics.h"
#include "base/memory.h"
#include "la/gmres.h"
#include "la/vector.h"

typedef sup_load_gradient gradient;

/** Load step m at its balance. */
typedef struct balance {
  gradient            *g;
  int                  m, n;
  sup_static_equations e;
  sup_increment        inc;
  sup_observer         observer;
  sup_arena           *arena;
  double              *q;      /* [num_scalars] trial displacements */
  double              *value;  /* [num_columns] */
  int                  slides; /* 1: forces depend on the start of the load step */
} balance;

static int num_columns(const gradient *g) { return g->path->num_columns; }

/** True if an objective has a weight in the row. */
static bool is_row_wanted(const gradient *g, int row) {
  for (int k = 0; k < g->num_objectives; k++)
    if (g->objective[k].weight[row] != 0) return true;
  return false;
}

/* ---- linear systems -------------------------------------------------------------------------- */

/** x := K_T^-1 x, or its transpose. */
static sup_status solve(balance *b, int is_transposed, double *x) {
  double residual;
  SUP_TRY(sup_arena_reset(b->arena));
  SUP_TRY(sup_static_equations_invert(&b->e, is_transposed, sup_adjoint_numerics.residual, x,
                                      b->arena, &residual));
  b->g->residual = fmax(b->g->residual, residual);
  if (residual > sup_adjoint_numerics.changes)
    return SUP_FAIL(SUP_E_NOT_CONVERGED,
                    "the linear system of the derivatives of load step %d keeps %.2g of its right "
                    "side after %d products, close to a limit load; method: differences takes it",
                    b->m + 1, residual, SUP_GMRES_MOST);
  return SUP_OK;
}

/* ---- a balance ------------------------------------------------------------------------------- */

static void close_balance(balance *b) {
  sup_static_equations_free(&b->e);
  sup_observer_free(&b->observer);
  sup_arena_destroy(&b->arena);
  SUP_FREE_ALL(&b->q, &b->value);
}

/** b->slides: friction changes with the start of the load step. */
static sup_status find_sliding(balance *b) {
  double *x = b->q, *y;
  SUP_TRY(sup_arena_reset(b->arena));
  SUP_TRY(SUP_ARENA(b->arena, y, b->n));
  for (int i = 0; i < b->n; i++) x[i] = 1 + 0.5 * sin(i);
  SUP_TRY(sup_static_equations_multiply_start(&b->e, x, y));
  b->slides = sup_norm(y, b->n) > 0; /* 0 to the last bit without friction */
  return SUP_OK;
}

/** Without friction a load step does not know its start. */
static bool has_friction(const sup_model *model) {
  for (int i = 0; i < model->num_pairs; i++)
    if (sup_friction_most(&model->pair[i].friction) > 0) return true;
  return false;
}

/** Rotations of a free body in two load steps do not add up. */
static sup_status check_joints(const balance *b) {
  const sup_model *model = b->g->path->scene.model;
  bool             is_chain = b->g->path->num_steps > 1 && has_friction(model);
  for (int t = 0; t < model->num_trees && is_chain; t++)
    for (int l = 0; l < model->tree[t]->num_links && model->tree_block[t] != SUP_NONE; l++)
      if (model->tree[t]->links[l].nv > 1)
        return SUP_FAIL(SUP_E_ARG,
                        "'%s' turns freely, and rotations of several load steps do not add up; "
                        "method: differences takes it, or static.steps: 1",
                        model->tree[t]->links[l].name);
  return SUP_OK;
}

static sup_status fill_balance(balance *b) {
  const sup_load_path   *path = b->g->path;
  const sup_load_scene  *s = &path->scene;
  const sup_load_record *record = &path->step[b->m];
  b->inc = sup_static_increment(s->options, record->before, s->statics, record->h);
  SUP_TRY(sup_static_equations_create(&b->e, sup_stepper_layout(s->stepper), &b->inc,
                                      record->before, &record->origins, record->q));
  SUP_TRY(sup_observer_create(&b->observer, s->model, s->options, s->def, b->g->column,
                              num_columns(b->g)));
  SUP_TRY(sup_arena_create(&b->arena, 1 << 16));
  SUP_TRY(SUP_CALLOC(b->q, b->n));
  SUP_TRY(SUP_CALLOC(b->value, num_columns(b->g)));
  if (b->g->way == SUP_LOAD_ADJOINT) SUP_TRY(find_sliding(b));
  b->g->place = fmin(b->g->place, sup_static_equations_width(&b->e, 0));
  return check_joints(b);
}

static sup_status open_balance(balance *b, gradient *g, int m) {
  *b = (balance){.g = g, .m = m, .n = g->path->num_scalars};
  sup_status status = fill_balance(b);
  if (status != SUP_OK) close_balance(b);
  return status;
}

/** b->value := columns with the end and the start (NULL: it stays) displaced, each times a. */
static sup_status measure(balance *b, double a, const double *start, const double *end) {
  const double *q = b->g->path->step[b->m].q;
  double       *moved = b->q;
  for (int i = 0; i < b->n && start; i++) moved[i] = a * start[i];
  sup_static_equations_slip(&b->e, start ? moved : NULL);
  for (int i = 0; i < b->n; i++) moved[i] = q[i] + a * end[i];
  sup_status status = sup_static_equations_contacts(&b->e, moved);
  sup_static_equations_slip(&b->e, NULL);
  SUP_TRY(status);
  sup_observer_measure(&b->observer, b->e.end.next, &b->e.end.result, &b->e.it.out.report, 1,
                       b->value);
  return SUP_OK;
}

/** slope [num_columns] += derivative of the columns along a displacement of the end and the start
 * (NULL: it stays), by differences of width [m]. */
static sup_status differentiate(balance *b, const double *start, const double *end, double width,
                                double *slope) {
  double largest = 0;
  for (int i = 0; i < b->n; i++)
    largest = fmax(largest, fmax(fabs(end[i]), start ? fabs(start[i]) : 0));
  if (!(largest > 0)) return SUP_OK;
  for (int k = 0; k < SUP_DIFFERENCE_POINTS; k++) {
    double a = width / largest;
    SUP_TRY(measure(b, sup_difference[k].at * a, start, end));
    for (int c = 0; c < num_columns(b->g); c++)
      slope[c] += sup_difference[k].weight * b->value[c] / a;
  }
  return SUP_OK;
}

/** by_start, by_end [num_columns] := derivatives of the columns along a displacement of the start
 * at one end, and of the end at one start: both move together less the former. */
static sup_status differentiate_ends(balance *b, const double *x, const double *zero,
                                     double *by_start, double *by_end) {
  double way = sup_static_equations_width(&b->e, 1), place = sup_static_equations_width(&b->e, 0);
  size_t size = (size_t)num_columns(b->g) * sizeof *by_end;
  memset(by_start, 0, size), memset(by_end, 0, size);
  if (b->slides) SUP_TRY(differentiate(b, x, zero, way, by_start));
  SUP_TRY(differentiate(b, b->slides ? x : NULL, x, place, by_end));
  for (int c = 0; c < num_columns(b->g); c++) by_end[c] -= by_start[c];
  return SUP_OK;
}

/* ---- adjoint --------------------------------------------------------------------------------- */

static bool is_of_probe(const balance *b, int column) {
  return b->observer.column[column].observable->quoted == SUP_QUOTED_PROBE;
}

/** Weights of a probe's vertices, which it is linear in. */
static void add_probe(const balance *b, int column, double weight, double *x) {
  const sup_model           *model = b->g->path->scene.model;
  const sup_block_pattern   *P = &b->e.it.start.layout->A_pattern;
  const sup_observed_column *of = &b->observer.column[column];
  const sup_probe           *probe = &b->observer.probe[of->index];
  const sup_body_point      *at = &probe->at;
  int                        i = model->body[at->body].soft;
  for (int k = 0; k < at->num_vertices && i != SUP_NONE; k++) {
    int block = model->soft[i].block[at->vertex[k] - model->soft[i].first_vertex];
    if (block != SUP_NONE) x[sup_block_first(P, block) + of->k] += weight * at->weight[k];
  }
}

/** Derivatives of the columns by the scalar `at` of start and end, times the weights of the next
 * row, into start and end [num_objectives]. */
static sup_status add_column(balance *b, int at, int is_of_tree, double *const *start,
                             double *const *end) {
  const gradient   *g = b->g;
  SUP_FREED double *unit = NULL, *zero = NULL, *by_start = NULL, *by_end = NULL;
  SUP_TRY(SUP_CALLOC(unit, b->n));
  SUP_TRY(SUP_CALLOC(zero, b->n));
  SUP_TRY(SUP_CALLOC(by_start, num_columns(g)));
  SUP_TRY(SUP_CALLOC(by_end, num_columns(g)));
  unit[at] = 1;
  SUP_TRY(differentiate_ends(b, unit, zero, by_start, by_end));
  for (int k = 0; k < g->num_objectives; k++) {
    const sup_load_objective *o = &g->objective[k];
    if (is_of_probe(b, o->column) && !is_of_tree) continue;
    start[k][at] += o->weight[b->m + 1] * by_start[o->column];
    end[k][at] += o->weight[b->m + 1] * by_end[o->column];
  }
  return SUP_OK;
}

static sup_status add_columns(balance *b, double *const *start, double *const *end) {
  const gradient *g = b->g;
  int             num_trees = b->e.it.start.state->num_v;
  SUP_TRY(sup_static_equations_columns(&b->e));
  for (int j = 0; j < b->e.num_columns; j++)
    SUP_TRY(add_column(b, b->e.column[j], j >= b->e.num_columns - num_trees, start, end));
  for (int k = 0; k < g->num_objectives; k++)
    if (is_of_probe(b, g->objective[k].column))
      add_probe(b, g->objective[k].column, g->objective[k].weight[b->m + 1], end[k]);
  return SUP_OK;
}

/** One load step of the adjoint: end [num_objectives] := l; start := dL/dx of its start; l . r off
 * the value. */
static sup_status step_back(balance *b, double *const *start, double *const *end) {
  const gradient   *g = b->g;
  SUP_FREED double *moved = NULL;
  SUP_TRY(SUP_CALLOC(moved, b->n));
  if (is_row_wanted(g, b->m + 1)) SUP_TRY(add_columns(b, start, end));
  for (int k = 0; k < g->num_objectives; k++) {
    if (!(sup_norm(end[k], b->n) > 0)) continue;
    SUP_TRY(solve(b, 1, end[k]));
    SUP_TRY(sup_static_equations_residual(&b->e, g->path->step[b->m].q, moved));
    g->value[k] -= sup_dot(end[k], moved, b->n);
    if (!b->slides) continue;
    SUP_TRY(sup_static_equations_multiply_start(&b->e, end[k], moved));
    for (int i = 0; i < b->n; i++) start[k][i] -= moved[i];
  }
  return SUP_OK;
}

static bool is_zero(const gradient *g, double *const *x) {
  for (int k = 0; k < g->num_objectives; k++)
    if (sup_norm(x[k], g->path->num_scalars) > 0) return false;
  return true;
}

static double **adjoint_of(const gradient *g, int m) { return g->adjoint + m * g->num_objectives; }

static sup_status go_back(gradient *g) {
  for (int m = g->path->num_steps; m-- > 0;) {
    balance  b;
    double **end = adjoint_of(g, m), **start = m > 0 ? adjoint_of(g, m - 1) : g->initial;
    if (is_zero(g, end) && !is_row_wanted(g, m + 1)) continue;
    SUP_TRY(open_balance(&b, g, m));
    sup_status status = step_back(&b, start, end);
    close_balance(&b);
    SUP_TRY(status);
  }
  return SUP_OK;
}

static sup_status create(gradient *g) {
  const sup_load_path *path = g->path;
  int                  num = g->num_objectives;
  SUP_TRY(SUP_CALLOC(g->value, num));
  for (int k = 0; k < num; k++)
    for (int row = 0; row <= path->num_steps; row++)
      if (g->objective[k].weight[row] != 0)
        g->value[k] += g->objective[k].weight[row] *
                       path->value[row * path->num_columns + g->objective[k].column];
  SUP_TRY(SUP_CALLOC(g->adjoint, num * g->path->num_steps));
  SUP_TRY(SUP_CALLOC(g->initial, num));
  for (int k = 0; k < num; k++) SUP_TRY(SUP_CALLOC(g->initial[k], g->path->num_scalars));
  for (int k = 0; k < num * g->path->num_steps; k++)
    SUP_TRY(SUP_CALLOC(g->adjoint[k], g->path->num_scalars));
  return g->way == SUP_LOAD_ADJOINT ? go_back(g) : SUP_OK;
}

sup_status sup_load_gradient_create(gradient *g, sup_load_way way, const sup_load_path *path,
                                    const char *const *column, const sup_load_objective *objective,
                                    int num) {
  *g = (gradient){.way = way,
                  .place = HUGE_VAL,
                  .path = path,
                  .column = column,
                  .objective = objective,
                  .num_objectives = num};
  sup_status status = create(g);
  if (status != SUP_OK) sup_load_gradient_free(g);
  return status;
}

void sup_load_gradient_free(gradient *g) {
  for (int k = 0; g->adjoint && k < g->num_objectives * g->path->num_steps; k++)
    SUP_FREE(g->adjoint[k]);
  for (int k = 0; g->initial && k < g->num_objectives; k++) SUP_FREE(g->initial[k]);
  SUP_FREE_ALL(&g->adjoint, &g->initial, &g->value);
}

/* ---- parameters ------------------------------------------------------------------------------ */

enum { POINTS = SUP_DIFFERENCE_POINTS };

/** Scenes beside the path's, along it. */
typedef struct beside {
  gradient             *g;
  const sup_load_scene *scene; /* [POINTS] */
  double                width;
  sup_observer          observer[POINTS];
  sup_state *state[POINTS], *next[POINTS]; /* at the start and the end of the load step */
  double    *value;                        /* [num_columns] at one scene */
  double    *q, *slip;                     /* [num_scalars] displacements there */
  double    *r;                            /* [num_scalars] residual of the load step there */
  double    *lagrangian;                   /* [POINTS x num_objectives] L - l . r */
  double    *dx, *dx0; /* [num_scalars] tangent at the end and the start, or 0 */
  double    *dr;       /* [num_scalars] derivative of the residual along it */
} beside;

static void close_beside(beside *b) {
  for (int k = 0; k < POINTS; k++) {
    sup_observer_free(&b->observer[k]);
    sup_state_destroy(&b->state[k]);
    sup_state_destroy(&b->next[k]);
  }
  SUP_FREE_ALL(&b->value, &b->q, &b->slip, &b->r, &b->lagrangian, &b->dx, &b->dx0, &b->dr);
}

static sup_status open_beside(beside *b) {
  int n = b->g->path->num_scalars;
  for (int k = 0; k < POINTS; k++) {
    const sup_load_scene *s = &b->scene[k];
    SUP_TRY(sup_load_scene_check(&b->g->path->scene, s));
    SUP_TRY(sup_observer_create(&b->observer[k], s->model, s->options, s->def, b->g->column,
                                num_columns(b->g)));
    SUP_TRY(sup_state_create(&b->state[k], s->model, s->options));
    SUP_TRY(sup_state_create(&b->next[k], s->model, s->options));
    SUP_TRY(sup_state_copy(b->state[k], s->start));
  }
  SUP_TRY(SUP_CALLOC(b->value, num_columns(b->g)));
  SUP_TRY(SUP_CALLOC(b->q, n));
  SUP_TRY(SUP_CALLOC(b->slip, n));
  SUP_TRY(SUP_CALLOC(b->r, n));
  SUP_TRY(SUP_CALLOC(b->lagrangian, POINTS * b->g->num_objectives));
  SUP_TRY(SUP_CALLOC(b->dx, n));
  SUP_TRY(SUP_CALLOC(b->dx0, n));
  SUP_TRY(SUP_CALLOC(b->dr, n));
  return SUP_OK;
}

static double *lagrangian_at(const beside *b, int k) {
  return b->lagrangian + k * b->g->num_objectives;
}

/** Values of the row's columns at point k, times their weights. */
static void add_row(beside *b, int k, int row) {
  for (int o = 0; o < b->g->num_objectives; o++) {
    const sup_load_objective *objective = &b->g->objective[o];
    if (objective->weight[row] != 0)
      lagrangian_at(b, k)[o] += objective->weight[row] * b->value[objective->column];
  }
}

/** Unknown positions of the scene's start less those of the path's, into b->r. */
static void find_start(const beside *b, int k) {
  const sup_model         *model = b->g->path->scene.model;
  const sup_block_pattern *P = &sup_stepper_layout(b->g->path->scene.stepper)->A_pattern;
  const sup_state         *state = b->scene[k].start, *at = b->g->path->scene.start;
  memset(b->r, 0, (size_t)b->g->path->num_scalars * sizeof *b->r);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      if (sup_load_is_unknown(soft, a))
        b->r[sup_block_first(P, soft->block[a / 3]) + a % 3] =
            state->x[3 * soft->first_vertex + a] - at->x[3 * soft->first_vertex + a];
  }
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links && model->tree_block[t] != SUP_NONE; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      int                  q = sup_model_link_q(model, t, l);
      if (link->nv == 1)
        b->r[sup_block_first(P, model->tree_block[t]) + link->v_start] = state->q[q] - at->q[q];
    }
}

/** sum [num_scalars] += weight of point k over the width times b->r. */
static void add_difference(const beside *b, int k, double *sum) {
  for (int i = 0; i < b->g->path->num_scalars; i++)
    sum[i] += sup_difference[k].weight * b->r[i] / b->width;
}

/** Start of the path: its row, and its unknown positions. */
static sup_status begin(beside *b) {
  const gradient *g = b->g;
  sup_step_report none = {0};
  for (int k = 0; k < POINTS; k++) {
    const sup_load_scene *s = &b->scene[k];
    SUP_TRY(sup_stepper_observe(s->stepper, s->start));
    sup_observer_measure(&b->observer[k], s->start, sup_stepper_result(s->stepper), &none, 0,
                         b->value);
    add_row(b, k, 0);
    find_start(b, k);
    for (int o = 0; o < g->num_objectives; o++)
      lagrangian_at(b, k)[o] += sup_dot(g->initial[o], b->r, g->path->num_scalars);
    if (g->way == SUP_LOAD_TANGENT) add_difference(b, k, b->dx);
  }
  return SUP_OK;
}

static sup_status measure_point(beside *b, int k, sup_static_equations *e) {
  SUP_TRY(sup_static_equations_result(e, b->q, b->r));
  sup_observer_measure(&b->observer[k], e->end.next, &e->end.result, &e->it.out.report, 0,
                       b->value);
  return sup_state_copy(b->next[k], e->end.next);
}

/** Residual and columns of load step m at point k, along the tangent. */
static sup_status evaluate(beside *b, int m, int k) {
  const double        *q = b->g->path->step[m].q;
  double               a = sup_difference[k].at * b->width;
  sup_static_equations e;
  SUP_TRY(sup_load_path_equations(b->g->path, m, &b->scene[k], b->state[k], &e));
  for (int i = 0; i < b->g->path->num_scalars; i++)
    b->q[i] = q[i] + a * b->dx[i], b->slip[i] = a * b->dx0[i];
  sup_static_equations_slip(&e, b->slip);
  sup_status status = measure_point(b, k, &e);
  sup_static_equations_free(&e);
  return status;
}

/** b->dr := derivative of the residual along the tangent. */
static sup_status differentiate_residual(beside *b, int m) {
  memset(b->dr, 0, (size_t)b->g->path->num_scalars * sizeof *b->dr);
  for (int k = 0; k < POINTS; k++) {
    SUP_TRY(evaluate(b, m, k));
    add_difference(b, k, b->dr);
  }
  return SUP_OK;
}

/** Correct the tangent of load step m until the residual stays along it. */
static sup_status correct(beside *b, balance *at) {
  enum { MOST = 8 };
  int    n = b->g->path->num_scalars;
  double change = HUGE_VAL, size = 1,
         least = sup_adjoint_numerics.changes * sup_norm(b->g->path->step[at->m].q, n) / b->width;
  for (int round = 0; round < MOST && change > sup_adjoint_numerics.changes * size; round++) {
    SUP_TRY(differentiate_residual(b, at->m));
    SUP_TRY(solve(at, 0, b->dr));
    for (int i = 0; i < n; i++) b->dx[i] -= b->dr[i];
    change = sup_norm(b->dr, n), size = fmax(sup_norm(b->dx, n), least);
  }
  if (change <= sup_adjoint_numerics.changes * size) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "the tangent of load step %d changes by %.2g from one correction to the next: a "
                  "contact opens or closes there; method: differences takes it",
                  at->m + 1, change / size);
}

/** b->dx := tangent at the end of load step m from that at its start, its first guess. */
static sup_status step_on(beside *b, int m) {
  balance at;
  memcpy(b->dx0, b->dx, (size_t)b->g->path->num_scalars * sizeof *b->dx);
  SUP_TRY(open_balance(&at, b->g, m));
  sup_status status = correct(b, &at);
  close_balance(&at);
  return status;
}

/** True if nothing asks for the load step, and no later one for its end. */
static bool can_skip(const gradient *g, int m) {
  if (is_row_wanted(g, m + 1)) return false;
  return g->way == SUP_LOAD_ADJOINT ? is_zero(g, adjoint_of(g, m))
                                    : !has_friction(g->path->scene.model);
}

static sup_status go_on(beside *b) {
  const gradient *g = b->g;
  SUP_TRY(begin(b));
  for (int m = 0; m < g->path->num_steps; m++) {
    if (can_skip(g, m)) continue;
    if (g->way == SUP_LOAD_TANGENT) SUP_TRY(step_on(b, m));
    for (int k = 0; k < POINTS; k++) {
      SUP_TRY(evaluate(b, m, k));
      add_row(b, k, m + 1);
      for (int o = 0; o < g->num_objectives; o++)
        lagrangian_at(b, k)[o] -= sup_dot(adjoint_of(g, m)[o], b->r, g->path->num_scalars);
    }
    for (int k = 0; k < POINTS; k++) SUP_TRY(sup_state_copy(b->state[k], b->next[k]));
  }
  return SUP_OK;
}

/** Derivative, and slopes below and above, by values f at the points of sup_difference times
 * h, and `at`, the value in their middle: outer slopes of a kink s |p| + c p^2/2 differ
 * by 2 s + 3 c h, its second difference is 2 s h + c h^2. */
static sup_load_slope slope_by(const double f[POINTS], double at, double h) {
  sup_load_slope slope = {0};
  for (int k = 0; k < POINTS; k++) slope.gradient += sup_difference[k].weight * f[k] / h;
  double outer = (f[3] - f[2]) - (f[1] - f[0]), second = f[2] + f[1] - 2 * at;
  double jump = (3 * second - outer) / (2 * h);
  slope.below = slope.gradient - 0.5 * jump, slope.above = slope.gradient + 0.5 * jump;
  return slope;
}

/** Slope of an objective. */
static sup_load_slope slope_of(const beside *b, int o) {
  double f[POINTS];
  for (int k = 0; k < POINTS; k++) f[k] = lagrangian_at(b, k)[o];
  return slope_by(f, b->g->value[o], b->width);
}

sup_status sup_load_gradient_by(gradient *g, const sup_load_scene scene[POINTS], double width,
                                sup_load_slope *slope) {
  beside     b = {.g = g, .scene = scene, .width = width};
  sup_status status = open_beside(&b);
  if (status == SUP_OK) status = go_on(&b);
  for (int o = 0; o < g->num_objectives && status == SUP_OK; o++) slope[o] = slope_of(&b, o);
  close_beside(&b);
  return status;
}
