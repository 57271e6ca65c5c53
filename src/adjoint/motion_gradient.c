#include "adjoint/motion_gradient.h"

#include <math.h>
#include <string.h>

#include "adjoint/motion_place.h"
#include "adjoint/numerics.h"
#include "base/memory.h"
#include "fem/material.h"
#include "la/vector.h"

typedef sup_motion_gradient gradient;
typedef sup_motion_place    place;

/* ---- parameters ------------------------------------------------------------------------------ */

enum { SIDES = 2 };

/** L - l . r of scenes beside the path's along the states of the path, less that of the path. */
typedef struct sums {
  gradient *g;
  place     place[SIDES];
  double   *change;       /* [SIDES x num] */
  double *touched, *time; /* [num] largest part of a step in which bodies touch here or on the path
                             alone, and its time [s] */
  double *way;            /* [num] sums of go_on */
  double *product; /* [num] sums of |l| |r| over the steps, and of |k| |change of the start| */
} sums;

/** Contacts of a place in step m: by their origins where bodies touch softly, or searched. */
static void choose_contacts(const gradient *g, int m, sup_motion_place *p) {
  bool has = p->scene->model->num_softs > 0 && g->origins[m].num_contacts > 0;
  p->decisions.origins = has ? &g->origins[m] : NULL;
}

/** k . (state less another) of components i of vertices. */
static double dot_component(const gradient *g, const double *k, const sup_state *state,
                            const sup_state *from, size_t i) {
  return k[i] * (state->x[i] - from->x[i]) +
         k[sup_motion_size_of_softs(g) + i] * (state->xdot[i] - from->xdot[i]);
}

/** k . (state less another) of trees and, unless the unknowns are equal, of all vertices. */
static double dot_change(const gradient *g, const double *k, const sup_state *state,
                         const sup_state *from, bool has_equal) {
  size_t n = sup_motion_size_of_softs(g);
  double sum = 0;
  for (size_t i = 0; i < n && !has_equal; i++) sum += dot_component(g, k, state, from, i);
  for (int i = 0; i < g->num_held && has_equal; i++)
    sum += dot_component(g, k, state, from, (size_t)g->held[i]);
  for (int i = 0; i < state->num_q; i++) sum += k[2 * n + (size_t)i] * (state->q[i] - from->q[i]);
  k += 2 * n + (size_t)state->num_q;
  for (int i = 0; i < state->num_v; i++) sum += k[i] * (state->v[i] - from->v[i]);
  return sum;
}

/** Square of the distance of n numbers. */
static double square_apart(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/** Distance of two starts. */
static double start_apart(const sup_state *a, const sup_state *b, int num_softs) {
  return sqrt(square_apart(a->x, b->x, num_softs) + square_apart(a->xdot, b->xdot, num_softs) +
              square_apart(a->q, b->q, a->num_q) + square_apart(a->v, b->v, a->num_v));
}

/** Euclidean norm. */
static double norm(const double *a, int n) { return sqrt(sup_dot(a, a, n)); }

static sup_status begin_sum(sums *s, int i) {
  gradient         *g = s->g;
  sup_motion_place *p = &s->place[i];
  const sup_model  *model = g->path->scene.model;
  sup_step_report   none = {0};
  SUP_TRY(sup_stepper_observe(p->scene->stepper, p->state));
  sup_observer_measure(&p->observer, p->state, sup_stepper_result(p->scene->stepper), &none, 0,
                       p->value);
  p->decisions.bodies_apart = true;
  int    softs = (int)sup_motion_size_of_softs(g);
  double apart = start_apart(p->scene->start, g->path->scene.start, softs);
  for (int k = 0; k < g->num; k++) {
    s->product[k] += apart * norm(g->initial[k], 2 * softs + (int)sup_motion_size_of_trees(g));
    double *to = &s->change[i * g->num + k];
    *to = sup_motion_columns(g, k, p, 0) - sup_motion_own_columns(g, k, 0) +
          dot_change(g, g->initial[k], p->scene->start, g->path->scene.start, false);
    for (int j = 0; j < model->num_softs; j++)
      *to += sup_fem_moments_change(&g->moments[k * model->num_softs + j], model->soft[j].fem,
                                    p->scene->model->soft[j].fem);
  }
  return SUP_OK;
}

/** sum [num] := k . (end of step m less that of the path); p->state := start of the next step. */
static sup_status go_on(gradient *g, int m, sup_motion_place *p, double *sum) {
  bool       is_last = m + 1 == g->last;
  sup_state *next = p->end.next;
  if (is_last && p->scene->model == g->path->scene.model) SUP_TRY(sup_state_copy(g->end, next));
  for (int k = 0; k < g->num; k++)
    sum[k] = dot_change(g, g->after[m * g->num + k], next,
                        is_last ? g->end : g->path->step[m + 1].before, true);
  p->end.next = p->state, p->state = next;
  if (!is_last) sup_load_record_place(&g->path->step[m + 1], p->scene->model, p->state);
  return SUP_OK;
}

static sup_status add_step(sums *s, int m, int i) {
  gradient              *g = s->g;
  const sup_load_record *record = &g->path->step[m];
  sup_motion_place      *p = &s->place[i];
  choose_contacts(g, m, p);
  SUP_TRY(sup_motion_place_evaluate(p, record, record->q, sup_motion_has_row(g, record->row)));
  bool touches = (p->num_pressing > 0) != (record->num_pressing > 0);
  SUP_TRY(go_on(g, m, p, s->way));
  for (int k = 0; k < g->num; k++) {
    double columns =
               sup_motion_columns(g, k, p, record->row) - sup_motion_own_columns(g, k, record->row),
           rest = s->way[k] - sup_dot(g->adjoint[m * g->num + k], p->r, g->path->num_scalars),
           *own = &g->own[m * g->num + k];
    if (p->scene->model == g->path->scene.model) *own = rest;
    s->change[i * g->num + k] += columns + rest - *own;
    int n = g->path->num_scalars;
    s->product[k] += norm(g->adjoint[m * g->num + k], n) * norm(p->r, n);
    double part = fabs(columns) + fabs(rest - *own);
    if (touches && part > s->touched[k]) s->touched[k] = part, s->time[k] = record->before->time;
  }
  return SUP_OK;
}

/** E_ARG: contacts open or close with the parameter. */
static sup_status check_touch(const sums *s) {
  const gradient *g = s->g;
  for (int k = 0; k < g->num; k++)
    for (int i = 0; i < SIDES; i++)
      if (s->touched[k] > sup_adjoint_numerics.kink * fabs(s->change[i * g->num + k]))
        return SUP_FAIL(SUP_E_ARG,
                        "derivatives of '%s' have two sides: bodies just touch in the step from "
                        "%g s; method: tangent or differences takes it",
                        g->column[g->objective[k].column], s->time[k]);
  return SUP_OK;
}

static sup_status sum(sums *s, const sup_load_scene *scene, int num) {
  SUP_TRY(SUP_CALLOC(s->change, SIDES * s->g->num));
  SUP_TRY(SUP_CALLOC(s->touched, s->g->num));
  SUP_TRY(SUP_CALLOC(s->time, s->g->num));
  SUP_TRY(SUP_CALLOC(s->way, s->g->num));
  SUP_TRY(SUP_CALLOC(s->product, s->g->num));
  for (int i = 0; i < num; i++) {
    const sup_load_scene *own = &s->g->path->scene;
    if (scene[i].options->dt != own->options->dt || scene[i].end != own->end)
      return SUP_FAIL(
          SUP_E_ARG,
          "the adjoint in time has no derivative by the length of the step or of the run; "
          "method: differences takes it");
    SUP_TRY(sup_motion_place_open(&s->place[i], s->g, &scene[i]));
    SUP_TRY(begin_sum(s, i));
    sup_load_record_place(&s->g->path->step[0], scene[i].model, s->place[i].state);
    for (int m = 0; m < s->g->last; m++) SUP_TRY(add_step(s, m, i));
  }
  return check_touch(s);
}

static void close_sums(sums *s) {
  for (int i = 0; i < SIDES; i++) sup_motion_place_close(&s->place[i]);
  SUP_FREE_ALL(&s->change, &s->touched, &s->time, &s->way, &s->product);
}

/** Largest shift of a vertex of a nonlinear body over its mean cell. */
static double shift_of(const gradient *g, const sup_load_scene *beside) {
  const sup_model *model = beside->model;
  double           most = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    double          volume = sup_fem_mass(soft->fem) / sup_fem_material(soft->fem, 0)->density,
           cell = cbrt(volume / soft->num_vertices);
    for (int a = 0; a < 3 * soft->num_vertices && !g->moments[i].cell; a++) {
      int j = 3 * soft->first_vertex + a;
      most = fmax(most, fabs(beside->start->x[j] - g->path->scene.start->x[j]) / cell);
    }
  }
  return most;
}

/** *reach := at least the change of the depth in record m over that allowed in differences. */
static sup_status find_reach(const gradient *g, int m, sup_motion_place *p, double *reach) {
  const sup_load_record *record = &g->path->step[m];
  double least = sup_adjoint_numerics.shallow * g->deepest, depth = fmax(g->depth[m], least);
  sup_load_record_place(record, p->scene->model, p->state);
  choose_contacts(g, m, p);
  SUP_TRY(sup_motion_place_begin(p, record, record->q));
  double way = fabs(sup_motion_depth(&p->e.contacts.list) - g->depth[m]);
  *reach = fmax(*reach, way / (sup_adjoint_numerics.depth * depth));
  sup_step_equations_free(&p->e);
  return SUP_OK;
}

sup_status sup_motion_gradient_reach(const gradient *g, const sup_load_scene *beside,
                                     double *reach) {
  enum { SAMPLES = 8 };
  place      p;
  sup_status status = sup_motion_place_open(&p, g, beside);
  *reach = shift_of(g, beside) / sup_adjoint_numerics.shift;
  p.decisions.bodies_apart = true;
  for (int i = 1; i <= SAMPLES && status == SUP_OK; i++) {
    int m = g->first + (g->last - 1 - g->first) * i / SAMPLES;
    if (g->deepest > 0) status = find_reach(g, m, &p, reach);
  }
  sup_motion_place_close(&p);
  return status;
}

sup_status sup_motion_gradient_by(gradient *g, const sup_load_scene beside[SIDES], double width,
                                  sup_load_slope *slope) {
  sums       s = {.g = g};
  sup_status status = sum(&s, beside, SIDES);
  for (int k = 0; k < g->num && status == SUP_OK; k++) {
    double below = s.change[k], above = s.change[g->num + k];
    double error = sup_adjoint_numerics.products * s.product[k] / (2 * width);
    slope[k] =
        (sup_load_slope){(above - below) / (2 * width), -below / width, above / width, error};
  }
  close_sums(&s);
  return status;
}

/* ---- adjoints -------------------------------------------------------------------------------- */

static sup_status allocate(gradient *g) {
  const sup_load_path *path = g->path;
  const sup_model     *model = path->scene.model;
  size_t               size = 2 * sup_motion_size_of_softs(g) + sup_motion_size_of_trees(g),
         num = (size_t)g->last * (size_t)g->num;
  SUP_TRY(SUP_CALLOC(g->held, sup_motion_size_of_softs(g)));
  SUP_TRY(SUP_CALLOC(g->initial, g->num));
  SUP_TRY(SUP_CALLOC(g->depth, g->last));
  SUP_TRY(SUP_CALLOC(g->origins, g->last));
  SUP_TRY(SUP_CALLOC(g->adjoint, num));
  SUP_TRY(SUP_CALLOC(g->after, num));
  SUP_TRY(SUP_CALLOC(g->own, num));
  SUP_TRY(SUP_CALLOC(g->moments, g->num * model->num_softs));
  SUP_TRY(sup_state_create(&g->end, model, path->scene.options));
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < 3 * model->soft[i].num_vertices; a++)
      if (!sup_load_is_unknown(&model->soft[i], a))
        g->held[g->num_held++] = 3 * model->soft[i].first_vertex + a;
  for (int k = 0; k < g->num; k++) SUP_TRY(SUP_CALLOC(g->initial[k], size));
  for (int i = 0; i < g->num * model->num_softs; i++) {
    int soft = i % model->num_softs;
    SUP_TRY(sup_fem_moments_create(
        &g->moments[i], model->soft[soft].fem,
        !sup_soft_steps_nonlinearly(model, soft, path->scene.options->soft_bdf2)));
  }
  for (size_t i = 0; i < num; i++) {
    SUP_TRY(SUP_CALLOC(g->adjoint[i], path->num_scalars));
    SUP_TRY(SUP_CALLOC(g->after[i], size));
  }
  return SUP_OK;
}

static sup_status create(gradient *g) {
  const sup_load_path *path = g->path;
  for (int m = 0; m < path->num_records; m++)
    if (sup_motion_has_row(g, path->step[m].row)) g->last = m + 1;
  SUP_TRY(allocate(g));
  SUP_TRY(sup_motion_gradient_go_back(g));
  sums       s = {.g = g};
  sup_status status = sum(&s, &path->scene, 1);
  close_sums(&s);
  return status;
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
  for (int i = 0; g->moments && i < g->num * g->path->scene.model->num_softs; i++)
    sup_fem_moments_free(&g->moments[i]);
  for (int m = 0; g->origins && m < g->last; m++) sup_origins_free(&g->origins[m]);
  sup_state_destroy(&g->end);
  SUP_FREE_ALL(&g->adjoint, &g->after, &g->initial, &g->held, &g->origins, &g->moments, &g->own,
               &g->depth);
}
