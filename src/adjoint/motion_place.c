/* Steps of a run of motion as functions of their start, their solution and the scene. */
#include "adjoint/motion_place.h"

#include <math.h>

#include "base/memory.h"
#include "la/vector.h"

typedef sup_motion_gradient gradient;

/** Sizes of a state's parts in a vector k: x and xdot, then q and v of trees. */
size_t sup_motion_size_of_softs(const gradient *g) {
  return 3 * (size_t)g->path->scene.start->num_vertices;
}
size_t sup_motion_size_of_trees(const gradient *g) {
  return (size_t)(g->path->scene.start->num_q + g->path->scene.start->num_v);
}

void sup_motion_place_close(sup_motion_place *p) {
  sup_observer_free(&p->observer);
  sup_state_destroy(&p->state);
  sup_state_destroy(&p->end.next);
  sup_arena_destroy(&p->arena);
  SUP_FREE_ALL(&p->r, &p->value);
}

sup_status sup_motion_place_open(sup_motion_place *p, const gradient *g, const sup_load_scene *s) {
  *p = (sup_motion_place){.scene = s};
  SUP_TRY(sup_load_scene_check(&g->path->scene, s));
  SUP_TRY(sup_observer_create(&p->observer, s->model, s->options, s->def, g->column,
                              g->path->num_columns));
  SUP_TRY(sup_state_create(&p->state, s->model, s->options));
  SUP_TRY(sup_state_copy(p->state, s->start));
  SUP_TRY(sup_state_create(&p->end.next, s->model, s->options));
  SUP_TRY(sup_arena_create(&p->arena, 1 << 16));
  SUP_TRY(SUP_CALLOC(p->r, g->path->num_scalars));
  return SUP_CALLOC(p->value, g->path->num_columns);
}

/** Place of the held component a of a body's vertices at the start of a step [m]. */
static double place_of(const sup_motion_place *p, const sup_soft *soft, int a, long step) {
  const sup_state     *start = p->scene->start;
  const sup_dirichlet *hold = &soft->dirichlet[soft->holder[a]];
  double               x[3], t = start->time + (double)(step - start->step) * p->scene->options->dt;
  if (step == start->step) return start->x[3 * soft->first_vertex + a];
  sup_v3 rest = sup_v3_load(soft->x0 + a - a % 3);
  sup_v3_store(x, sup_dirichlet_position(hold, &hold->motion, rest, t));
  return x[a % 3];
}

void sup_motion_place_set(sup_motion_place *p, const sup_load_record *record) {
  const sup_model *model = p->scene->model;
  const sup_state *start = p->scene->start;
  sup_load_record_place(record, model, p->state);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      int    at = 3 * soft->first_vertex + a;
      double h = p->scene->options->dt, *xdot = &p->state->xdot[at];
      if (soft->holder[a] == SUP_NONE) continue;
      p->state->x[at] = place_of(p, soft, a, p->state->step);
      *xdot = p->state->step == start->step
                  ? start->xdot[at]
                  : (p->state->x[at] - place_of(p, soft, a, p->state->step - 1)) / h;
    }
  }
}

/** p->e := equations of the record's step from p->state about v; closed by the caller. */
sup_status sup_motion_place_begin(sup_motion_place *p, const sup_load_record *record,
                                  const double *v) {
  p->inc = sup_increment_of_state(p->scene->options, p->state);
  p->decisions.all_limits = record->all_limits;
  SUP_TRY(sup_arena_reset(p->arena));
  return sup_step_equations_create(&p->e, sup_stepper_layout(p->scene->stepper), &p->inc, p->state,
                                   &p->decisions, v, p->arena);
}

static sup_status finish(sup_motion_place *p, const double *v, bool has_columns) {
  sup_step_report report = {0};
  bool            has_softs = p->scene->model->num_softs > 0; /* columns of places and contacts */
  SUP_TRY(sup_step_equations_residual(&p->e, v, p->r));
  SUP_TRY(sup_step_equations_end(&p->e, v, &p->end, has_columns && !has_softs ? &report : NULL));
  p->num_pressing = sup_count_pressing(&p->end.result); /* before the equations free the list */
  if (has_columns)
    sup_observer_measure(&p->observer, p->end.next, &p->end.result, &report, has_softs, p->value);
  return SUP_OK;
}

sup_status sup_motion_place_evaluate(sup_motion_place *p, const sup_load_record *record,
                                     const double *v, bool has_columns) {
  SUP_TRY(sup_motion_place_begin(p, record, v));
  sup_status status = finish(p, v, has_columns);
  sup_step_equations_free(&p->e);
  return status;
}

double sup_motion_weight(const gradient *g, int k, int row) {
  return row == SUP_NONE ? 0 : g->objective[k].weight[row];
}

bool sup_motion_has_row(const gradient *g, int row) {
  bool has = false;
  for (int k = 0; k < g->num; k++) has |= sup_motion_weight(g, k, row) != 0;
  return has;
}

/** Part of a row of the path in objective k. */
double sup_motion_own_columns(const gradient *g, int k, int row) {
  double               weight = sup_motion_weight(g, k, row);
  const sup_load_path *path = g->path;
  return weight != 0 ? weight * path->value[row * path->num_columns + g->objective[k].column] : 0;
}

double sup_motion_columns(const gradient *g, int k, const sup_motion_place *p, int row) {
  double weight = sup_motion_weight(g, k, row);
  return weight != 0 ? weight * p->value[g->objective[k].column] : 0;
}

/** k . q, v of trees. */
double sup_motion_dot_trees(const gradient *g, const double *k, const sup_state *state) {
  const double *at = k + 2 * sup_motion_size_of_softs(g);
  return sup_dot(at, state->q, state->num_q) + sup_dot(at + state->num_q, state->v, state->num_v);
}
