#include "adjoint/motion_gradient.h"

#include <float.h>
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

/** L - l . r of a scene beside the path's along the states of the path, less that of the path. */
typedef struct side {
  place   place;
  double *change;         /* [num] */
  double *error;          /* [num] by those of l and of r */
  double *touched, *time; /* [num] largest part of a step in which bodies touch here or on the path
                             alone, and its time [s] */
} side;

/** The same of the path's own scene in a step, whose bodies are its own. */
typedef struct own {
  gradient *g;
  place     place;
  double   *rest; /* [num] l . r */
} own;

/** Contacts of a place: by their origins where bodies touch softly, or searched. */
static void choose_contacts(const sup_origins *origins, sup_motion_place *p) {
  bool has = p->scene->model->num_softs > 0 && origins->num_contacts > 0;
  p->decisions.origins = has ? origins : NULL;
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

static sup_status open_side(side *s, const gradient *g, const sup_load_scene *scene) {
  const sup_load_scene *path = &g->path->scene;
  const sup_step_report none = {0};
  place                *p = &s->place;
  if (scene->options->dt != path->options->dt || scene->end != path->end)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint in time has no derivative by the length of the step or of the "
                    "run; method: differences takes it");
  SUP_TRY(SUP_CALLOC(s->change, 4 * g->num));
  s->error = s->change + g->num, s->touched = s->error + g->num, s->time = s->touched + g->num;
  SUP_TRY(sup_motion_place_open(p, g, scene));
  p->decisions.bodies_apart = true;
  SUP_TRY(sup_stepper_observe(scene->stepper, p->state));
  sup_observer_measure(&p->observer, p->state, sup_stepper_result(scene->stepper), &none, 0,
                       p->value);
  for (int k = 0; k < g->num; k++)
    s->change[k] = sup_motion_columns(g, k, p, 0) - sup_motion_own_columns(g, k, 0);
  return SUP_OK;
}

static void close_side(side *s) {
  sup_motion_place_close(&s->place);
  SUP_FREE(s->change);
}

/** Step m of the path's scene. */
static sup_status set_own(own *o, int m) {
  const gradient        *g = o->g;
  const sup_load_record *record = &g->path->step[m];
  int                    n = g->path->num_scalars;
  choose_contacts(&g->origins, &o->place);
  sup_motion_place_set(&o->place, record);
  SUP_TRY(sup_motion_place_evaluate(&o->place, record, record->q, false));
  for (int k = 0; k < g->num; k++) o->rest[k] = sup_dot(g->adjoint[k], o->place.r, n);
  return SUP_OK;
}

/** Add step m. */
static sup_status add_step(side *s, const own *o, int m) {
  const gradient        *g = o->g;
  const sup_load_record *record = &g->path->step[m];
  place                 *p = &s->place;
  int                    n = g->path->num_scalars;
  choose_contacts(&g->origins, p);
  sup_motion_place_set(p, record);
  SUP_TRY(sup_motion_place_evaluate(p, record, record->q, sup_motion_has_row(g, record->row)));
  bool   touches = (p->num_pressing > 0) != (record->num_pressing > 0);
  double apart = sup_adjoint_numerics.products * sqrt(square_apart(p->r, o->place.r, n)) +
                 DBL_EPSILON * norm(p->r, n);
  for (int k = 0; k < g->num; k++) {
    double columns =
               sup_motion_columns(g, k, p, record->row) - sup_motion_own_columns(g, k, record->row),
           rest = dot_change(g, g->after[k], p->end.next, o->place.end.next, true) + o->rest[k] -
                  sup_dot(g->adjoint[k], p->r, n),
           part = fabs(columns) + fabs(rest);
    s->change[k] += columns + rest;
    s->error[k] += norm(g->adjoint[k], n) * apart;
    if (touches && part > s->touched[k]) s->touched[k] = part, s->time[k] = record->before->time;
  }
  return SUP_OK;
}

/** Add the start, and numbers of bodies in all steps. */
static void add_start(side *s, const gradient *g) {
  const sup_load_scene *path = &g->path->scene, *scene = s->place.scene;
  int                   softs = (int)sup_motion_size_of_softs(g), num = path->model->num_softs;
  double                apart = start_apart(scene->start, path->start, softs);
  for (int k = 0; k < g->num; k++) {
    s->error[k] += sup_adjoint_numerics.products * apart *
                   norm(g->initial[k], 2 * softs + (int)sup_motion_size_of_trees(g));
    s->change[k] += dot_change(g, g->initial[k], scene->start, path->start, false);
    for (int j = 0; j < num; j++)
      s->change[k] += sup_fem_moments_change(&g->moments[k * num + j], path->model->soft[j].fem,
                                             scene->model->soft[j].fem);
  }
}

/** E_ARG: contacts open or close with the parameter. */
static sup_status check_touch(const side beside[SIDES], const gradient *g) {
  for (int k = 0; k < g->num; k++)
    for (int i = 0; i < SIDES; i++) {
      const side *worse = &beside[beside[1].touched[k] > beside[0].touched[k]];
      if (worse->touched[k] > sup_adjoint_numerics.kink * fabs(beside[i].change[k]))
        return SUP_FAIL(SUP_E_ARG,
                        "derivatives of '%s' have two sides: bodies just touch in the step from "
                        "%g s; method: tangent or differences takes it",
                        g->column[g->objective[k].column], worse->time[k]);
    }
  return SUP_OK;
}

/** slope [num] := derivatives by a parameter. */
static sup_status take_slopes(const gradient *g, side beside[SIDES], double width,
                              sup_load_slope *slope) {
  for (int i = 0; i < SIDES; i++) add_start(&beside[i], g);
  SUP_TRY(check_touch(beside, g));
  for (int k = 0; k < g->num; k++) {
    double below = beside[0].change[k], above = beside[1].change[k];
    slope[k] = (sup_load_slope){(above - below) / (2 * width), -below / width, above / width,
                                (beside[0].error[k] + beside[1].error[k]) / (2 * width)};
  }
  return SUP_OK;
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

/** *reach := at least the change of the depth in a sample over that allowed in differences. */
static sup_status find_reach(const sup_load_record *sample, double least, sup_motion_place *p,
                             double *reach) {
  sup_motion_place_set(p, sample);
  choose_contacts(&sample->origins, p);
  SUP_TRY(sup_motion_place_begin(p, sample, sample->q));
  double way = fabs(sup_contacts_depth(&p->e.contacts.list) - sample->depth);
  *reach = fmax(*reach, way / (sup_adjoint_numerics.depth * fmax(sample->depth, least)));
  sup_step_equations_free(&p->e);
  return SUP_OK;
}

sup_status sup_motion_gradient_reach(const gradient *g, const sup_load_scene *beside,
                                     double *reach) {
  const sup_motion_records *r = &g->path->records;
  double                    deepest = 0;
  place                     p;
  sup_status                status = sup_motion_place_open(&p, g, beside);
  *reach = shift_of(g, beside) / sup_adjoint_numerics.shift;
  p.decisions.bodies_apart = true;
  for (int i = 0; i < r->num; i++) deepest = fmax(deepest, r->sample[i].depth);
  for (int i = 0; i < r->num && status == SUP_OK; i++)
    if (r->sample[i].q && r->sample[i].before->step - g->path->scene.start->step < g->last)
      status = find_reach(&r->sample[i], sup_adjoint_numerics.shallow * deepest, &p, reach);
  sup_motion_place_close(&p);
  return status;
}

/* ---- gradient -------------------------------------------------------------------------------- */

static size_t size_of(const gradient *g) {
  return 2 * sup_motion_size_of_softs(g) + sup_motion_size_of_trees(g);
}

static sup_status create_moments(gradient *g) {
  const sup_load_scene *s = &g->path->scene;
  int                   n = s->model->num_softs;
  for (int i = 0; i < g->num * n; i++)
    SUP_TRY(sup_fem_moments_create(
        &g->moments[i], s->model->soft[i % n].fem,
        !sup_soft_steps_nonlinearly(s->model, i % n, s->options->soft_bdf2)));
  return SUP_OK;
}

static void free_moments(gradient *g) {
  for (int i = 0; g->moments && i < g->num * g->path->scene.model->num_softs; i++)
    sup_fem_moments_free(&g->moments[i]);
}

static sup_status create(gradient *g) {
  const sup_load_path *path = g->path;
  const sup_model     *model = path->scene.model;
  for (int m = 0; m < path->num_records; m++)
    if (sup_motion_has_row(g, path->step[m].row)) g->last = m + 1;
  SUP_TRY(SUP_CALLOC(g->held, sup_motion_size_of_softs(g)));
  SUP_TRY(SUP_CALLOC(g->initial, g->num));
  SUP_TRY(SUP_CALLOC(g->adjoint, g->num));
  SUP_TRY(SUP_CALLOC(g->after, g->num));
  SUP_TRY(SUP_CALLOC(g->moments, g->num * model->num_softs));
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < 3 * model->soft[i].num_vertices; a++)
      if (!sup_load_is_unknown(&model->soft[i], a))
        g->held[g->num_held++] = 3 * model->soft[i].first_vertex + a;
  for (int k = 0; k < g->num; k++) {
    SUP_TRY(SUP_CALLOC(g->initial[k], size_of(g)));
    SUP_TRY(SUP_CALLOC(g->adjoint[k], path->num_scalars));
    SUP_TRY(SUP_CALLOC(g->after[k], size_of(g)));
  }
  return create_moments(g);
}

sup_status sup_motion_gradient_create(gradient *g, sup_load_path *path, const char *const *column,
                                      const sup_load_objective *objective, int num) {
  *g = (gradient){.path = path, .column = column, .objective = objective, .num = num};
  sup_status status = create(g);
  if (status != SUP_OK) sup_motion_gradient_free(g);
  return status;
}

void sup_motion_gradient_free(gradient *g) {
  for (int k = 0; k < g->num; k++) {
    if (g->initial) SUP_FREE(g->initial[k]);
    if (g->adjoint) SUP_FREE(g->adjoint[k]);
    if (g->after) SUP_FREE(g->after[k]);
  }
  free_moments(g);
  sup_origins_free(&g->origins);
  SUP_FREE_ALL(&g->adjoint, &g->after, &g->initial, &g->held, &g->moments);
}

/** Steps of all sides backwards. */
static sup_status go_back(own *o, sup_motion_back *back, int num, side *beside, int *failed) {
  gradient *g = o->g;
  for (int m = g->last; m-- > 0;) {
    *failed = SUP_NONE;
    SUP_TRY(sup_motion_back_step(back, m));
    SUP_TRY(set_own(o, m));
    for (int i = 0; i < SIDES * num; i++) {
      *failed = i / SIDES;
      SUP_TRY(add_step(&beside[i], o, m));
    }
  }
  *failed = SUP_NONE;
  return sup_motion_back_check(back);
}

/** Derivatives by parameters, one time backwards. */
static sup_status sweep(own *o, sup_motion_back *back, const sup_motion_parameter *parameter,
                        int num, side *beside, sup_load_slope *slope, int *failed) {
  gradient *g = o->g;
  SUP_TRY(sup_motion_place_open(&o->place, g, &g->path->scene));
  SUP_TRY(SUP_CALLOC(o->rest, g->num));
  o->place.decisions.bodies_apart = true;
  for (int i = 0; i < SIDES * num; i++) {
    *failed = i / SIDES;
    SUP_TRY(open_side(&beside[i], g, &parameter[i / SIDES].beside[i % SIDES]));
  }
  SUP_TRY(go_back(o, back, num, beside, failed));
  for (int i = 0; i < num; i++) {
    *failed = i;
    SUP_TRY(take_slopes(g, beside + SIDES * i, parameter[i].width, slope + i * g->num));
  }
  *failed = SUP_NONE;
  return SUP_OK;
}

sup_status sup_motion_gradient_by(gradient *g, const sup_motion_parameter *parameter,
                                  int num_parameters, sup_load_slope *slope, int *failed) {
  SUP_OWN(sup_motion_back) *back = NULL;
  SUP_FREED side           *beside = NULL;
  own                       o = {.g = g};
  *failed = SUP_NONE;
  for (int k = 0; k < g->num; k++) memset(g->initial[k], 0, size_of(g) * sizeof(double));
  free_moments(g);
  SUP_TRY(create_moments(g));
  SUP_TRY(sup_motion_back_create(&back, g));
  SUP_TRY(SUP_CALLOC(beside, SIDES * num_parameters));
  sup_status status = sweep(&o, back, parameter, num_parameters, beside, slope, failed);
  for (int i = 0; i < SIDES * num_parameters; i++) close_side(&beside[i]);
  sup_motion_place_close(&o.place);
  SUP_FREE(o.rest);
  return status;
}
