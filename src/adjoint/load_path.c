#include "adjoint/load_path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- the run --------------------------------------------------------------------------------- */

static sup_status add_row(sup_load_path *path, sup_observer *observer, const sup_state *state,
                          const sup_step_report *report) {
  size_t rows = (size_t)path->num_steps + 1, n = (size_t)path->num_columns;
  SUP_TRY(SUP_GROW(path->time, path->row_capacity, rows));
  SUP_TRY(SUP_GROW(path->value, path->value_capacity, rows * n));
  path->time[rows - 1] = sup_state_time(state);
  sup_observer_measure(observer, state, sup_stepper_result(path->scene.stepper), report, 0,
                       n > 0 ? path->value + (rows - 1) * n : NULL);
  return SUP_OK;
}

sup_status sup_load_path_append(sup_load_path *path, sup_load_record **record) {
  SUP_TRY(SUP_GROW(path->step, path->capacity, path->num_records + 1));
  *record = &path->step[path->num_records++];
  **record = (sup_load_record){.row = SUP_NONE};
  return SUP_OK;
}

sup_status sup_load_record_keep(const sup_load_path *path, sup_load_record *record,
                                const sup_state *before) {
  SUP_TRY(sup_state_create(&record->before, path->scene.model, path->scene.options));
  return sup_state_copy(record->before, before);
}

void sup_load_record_free(sup_load_record *record) {
  sup_state_destroy(&record->before);
  sup_origins_free(&record->origins);
  SUP_FREE(record->q);
}

static sup_status add_step(sup_load_path *path, sup_observer *observer, sup_state *state) {
  const sup_load_scene *s = &path->scene;
  sup_step_report       report = {0};
  sup_step_decisions    decisions;
  const double         *v;
  sup_load_record      *record;
  SUP_TRY(sup_load_path_append(path, &record));
  SUP_TRY(sup_load_record_keep(path, record, state));
  SUP_TRY(SUP_CALLOC(record->q, path->num_scalars));
  record->row = ++path->num_steps;
  SUP_TRY(sup_static_step(s->stepper, state, s->statics, &report));
  if (report.reason == SUP_REASON_STOPPED)
    return SUP_FAIL(SUP_E_INTERRUPTED, "interrupted at %g s", sup_state_time(state));
  if (report.saddles > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the load step to %g s passes a limit load or a bifurcation, where the "
                    "stiffness is singular; method: differences takes it",
                    sup_state_time(state));
  record->h = sup_stepper_result(s->stepper)->increment.h;
  sup_stepper_last(s->stepper, &v, &decisions, NULL);
  for (int i = 0; i < path->num_scalars; i++) record->q[i] = record->h * v[i];
  SUP_TRY(sup_origins_append(&record->origins, &decisions.contacts->origins));
  return add_row(path, observer, state, &report);
}

static sup_status run(sup_load_path *path, sup_observer *observer) {
  const sup_load_scene *s = &path->scene;
  sup_step_report       none = {0};
  SUP_TRY(sup_state_create(&path->end, s->model, s->options));
  sup_state *state = path->end;
  SUP_TRY(sup_state_copy(state, s->start));
  SUP_TRY(sup_stepper_observe(s->stepper, state));
  SUP_TRY(add_row(path, observer, state, &none));
  while (sup_state_time(state) < s->statics->end) SUP_TRY(add_step(path, observer, state));
  return SUP_OK;
}

sup_status sup_load_path_run(sup_load_path *path, const sup_load_scene *scene,
                             const char *const *column, int num_columns) {
  sup_observer observer;
  *path = (sup_load_path){.scene = *scene, .num_columns = num_columns};
  path->num_scalars = sup_stepper_layout(scene->stepper)->A_pattern.num_scalars;
  SUP_TRY(sup_observer_create(&observer, scene->model, scene->options, scene->def, column,
                              num_columns));
  sup_status status = run(path, &observer);
  sup_observer_free(&observer);
  if (status != SUP_OK) sup_load_path_free(path);
  return status;
}

void sup_load_path_free(sup_load_path *path) {
  for (int m = 0; m < path->num_records; m++) sup_load_record_free(&path->step[m]);
  for (int i = 0; i < path->records.num; i++) sup_load_record_free(&path->records.sample[i]);
  sup_state_destroy(&path->end);
  SUP_FREE_ALL(&path->step, &path->time, &path->value);
  path->num_steps = path->num_records = path->records.num = 0;
}

/* ---- other scenes ---------------------------------------------------------------------------- */

/** Coordinates or velocities of tree t: to := from. */
static void copy_tree(const int *start, int t, const double *from, double *to) {
  memcpy(to + start[t], from + start[t], (size_t)(start[t + 1] - start[t]) * sizeof *to);
}

void sup_load_record_place(const sup_load_record *record, const sup_model *model,
                           sup_state *state) {
  const sup_state *from = record->before;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE) {
      copy_tree(model->q_start, t, from->q, state->q);
      copy_tree(model->v_start, t, from->v, state->v);
    }
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      int at = 3 * soft->first_vertex + a;
      if (sup_load_is_unknown(soft, a))
        state->x[at] = from->x[at], state->xdot[at] = from->xdot[at];
    }
  }
  state->time = from->time, state->step = from->step;
}

/** State at the start of a load step, with vertices on links. */
static sup_status place(const sup_load_record *record, const sup_load_scene *scene,
                        sup_state *state) {
  SUP_OWN(sup_arena) *arena = NULL;
  sup_kinematics      kin;
  sup_load_record_place(record, scene->model, state);
  sup_increment inc = sup_static_increment(scene->options, state, scene->statics, record->h);
  SUP_TRY(sup_arena_create(&arena, 1 << 12));
  SUP_TRY(sup_kinematics_compute(&kin, scene->model, &inc, state->q, state->v, arena));
  for (int i = 0; i < scene->model->num_softs; i++)
    sup_soft_move_attached(&scene->model->soft[i], kin.X_WL, state->x);
  return SUP_OK;
}

sup_status sup_load_path_equations(const sup_load_path *path, int m, const sup_load_scene *scene,
                                   sup_state *state, sup_static_equations *equations) {
  const sup_load_record *record = &path->step[m];
  SUP_TRY(place(record, scene, state));
  sup_increment inc = sup_static_increment(scene->options, state, scene->statics, record->h);
  return sup_static_equations_create(equations, sup_stepper_layout(scene->stepper), &inc, state,
                                     &record->origins, record->q);
}

sup_status sup_load_scene_check(const sup_load_scene *a, const sup_load_scene *b) {
  const sup_model *m = a->model, *n = b->model;
  int              same = m->num_vertices == n->num_vertices && m->num_bodies == n->num_bodies &&
             m->num_pairs == n->num_pairs && m->num_softs == n->num_softs &&
             m->num_blocks == n->num_blocks && m->num_geometries == n->num_geometries &&
             sup_stepper_layout(a->stepper)->A_pattern.num_scalars ==
                 sup_stepper_layout(b->stepper)->A_pattern.num_scalars;
  for (int i = 0; i < m->num_softs && same; i++)
    same = m->soft[i].num_cells == n->soft[i].num_cells &&
           m->soft[i].surface->num_faces == n->soft[i].surface->num_faces &&
           memcmp(m->soft[i].block, n->soft[i].block,
                  (size_t)m->soft[i].num_vertices * sizeof *m->soft[i].block) == 0;
  return same ? SUP_OK
              : SUP_FAIL(SUP_E_ARG,
                         "the parameter changes the number of cells, vertices, bodies "
                         "or unknowns, or which vertices a region takes; method: "
                         "differences takes it");
}
