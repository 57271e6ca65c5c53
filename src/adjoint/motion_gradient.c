#include "adjoint/motion_gradient.h"

#include <math.h>
#include <string.h>

#include "adjoint/motion_place.h"
#include "adjoint/numerics.h"
#include "base/memory.h"
#include "fem/material.h"
#include "fem/step_gradient.h"
#include "la/vector.h"

typedef sup_motion_gradient gradient;
typedef sup_motion_place    place;

static sup_status create(gradient *g) {
  const sup_load_path *path = g->path;
  size_t               size = 2 * sup_motion_size_of_softs(g) + sup_motion_size_of_trees(g);
  for (int m = 0; m < path->num_records; m++)
    for (int k = 0; k < g->num; k++)
      if (sup_motion_weight(g, k, path->step[m].row) != 0) g->last = m + 1;
  size_t           num = (size_t)g->last * (size_t)g->num;
  const sup_model *model = path->scene.model;
  int              inverted;
  SUP_TRY(SUP_CALLOC(g->R0, sup_motion_num_cells(model, model->num_softs)));
  for (int i = 0; i < model->num_softs; i++)
    sup_fem_rotations(model->soft[i].fem, path->scene.start->x + 3 * model->soft[i].first_vertex,
                      g->R0 + sup_motion_num_cells(model, i), &inverted);
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
    for (int row = 0; row <= path->num_steps; row++)
      g->value[k] += sup_motion_own_columns(g, k, row);
  return sup_motion_gradient_go_back(g);
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
static void find_turns(const gradient *g, const sup_load_record *record, int i,
                       sup_motion_place *p) {
  const sup_soft *soft = &g->path->scene.model->soft[i];
  int             inverted;
  sup_fem_rotations(soft->fem, record->before->x + 3 * soft->first_vertex, p->R, &inverted);
  sup_fem_vertex_turns(soft->fem, p->R, g->R0 + sup_motion_num_cells(g->path->scene.model, i),
                       p->turn);
}

/** State of a scene at the start of a step: the record's, with vertices displaced by their turned
 * shift at the start of the run. */
static void place_start(const gradient *g, const sup_load_record *record, sup_motion_place *p) {
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
  size_t           n = sup_motion_size_of_softs(g);
  double           sum = sup_motion_dot_trees(g, k, start) - sup_motion_dot_trees(g, k, at);
  for (size_t i = 0; i < n; i++) sum += k[n + i] * (start->xdot[i] - at->xdot[i]);
  return sum;
}

static sup_status begin_sum(sums *s, int i) {
  const gradient   *g = s->g;
  sup_motion_place *p = &s->place[i];
  sup_step_report   none = {0};
  SUP_TRY(sup_stepper_observe(p->scene->stepper, p->state));
  sup_observer_measure(&p->observer, p->state, sup_stepper_result(p->scene->stepper), &none, 0,
                       p->value);
  for (int k = 0; k < g->num; k++)
    s->lagrangian[i * g->num + k] =
        sup_motion_columns(g, k, p, 0) + start_of(g, g->initial[k], p->scene->start);
  return SUP_OK;
}

/** sum [num] := k . (end of step m less start of the next); p->state := that start. */
static sup_status go_on(const gradient *g, int m, sup_motion_place *p, double *sum) {
  const sup_state *next = p->end.next;
  SUP_TRY(sup_state_copy(p->state, next));
  memset(sum, 0, (size_t)g->num * sizeof *sum);
  if (m + 1 == g->last) return SUP_OK;
  place_start(g, &g->path->step[m + 1], p);
  size_t n = sup_motion_size_of_softs(g);
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
  sup_motion_place      *p = &s->place[i];
  SUP_TRY(sup_motion_place_evaluate(p, record, record->q));
  bool touches = (p->num_pressing > 0) != (record->num_pressing > 0);
  SUP_TRY(go_on(g, m, p, s->way));
  for (int k = 0; k < g->num; k++) {
    double columns = sup_motion_columns(g, k, p, record->row),
           rest = s->way[k] - sup_dot(g->adjoint[m * g->num + k], p->r, g->path->num_scalars);
    s->lagrangian[i * g->num + k] += columns + rest;
    double part = fabs(columns - sup_motion_own_columns(g, k, record->row)) + fabs(rest);
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
    SUP_TRY(sup_motion_place_open(&s->place[i], s->g, &scene[i]));
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
static sup_status find_reach(const gradient *g, int m, sup_motion_place *p, double *reach) {
  const sup_load_record *record = &g->path->step[m];
  double least = sup_adjoint_numerics.shallow * g->deepest, depth = fmax(g->depth[m], least);
  place_start(g, record, p);
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
  sup_status status = sum(&s, beside);
  for (int k = 0; k < g->num && status == SUP_OK; k++) {
    double below = s.lagrangian[k], at = g->value[k], above = s.lagrangian[g->num + k];
    slope[k] =
        (sup_load_slope){(above - below) / (2 * width), (at - below) / width, (above - at) / width};
  }
  for (int i = 0; i < SIDES; i++) sup_motion_place_close(&s.place[i]);
  SUP_FREE_ALL(&s.lagrangian, &s.touched, &s.time, &s.way);
  return status;
}
