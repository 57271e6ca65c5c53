#include "adjoint/motion_path.h"

#include <math.h>
#include <string.h>

#include "adjoint/numerics.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "la/gmres.h"
#include "la/vector.h"
#include "model/constraint.h"
#include "model/event.h"

/** A run, or one beside it. */
typedef struct course {
  const sup_load_scene *scene;
  sup_observer          observer;
  sup_state            *state;
  sup_step_end          end;
  sup_arena            *arena;
  double               *v, *r; /* [num_scalars] */
} course;

typedef struct motion {
  sup_load_path     *path;
  sup_motion_beside *beside;
  int                num_beside, num_scalars;
  course             own, *other; /* [num_beside] */
  sup_state         *before;
  sup_reduction     *reduction;
  unsigned char     *is_impact; /* [num_softs] */
  long               due[2];    /* number of the next row, and of the next frame */
  /* of the present step */
  sup_step_equations e; /* about own.v */
  sup_step_decisions decisions;
  double            *product; /* [2 num_scalars] */
} motion;

/** Number of the last step. */
static long steps_of(const sup_load_scene *s) { return (long)(s->end / s->options->dt + 0.5); }

/* ---- memory ---------------------------------------------------------------------------------- */

static sup_status open_course(course *c, const sup_load_scene *s, const sup_load_path *path,
                              const char *const *column) {
  static const char user[] = "derivatives of motion (method: differences takes it)";
  *c = (course){.scene = s};
  SUP_TRY(sup_load_scene_check(&path->scene, s));
  SUP_TRY(sup_model_refuse_events(s->model, user));
  SUP_TRY(sup_model_refuse_constraints(s->model, user));
  SUP_TRY(
      sup_observer_create(&c->observer, s->model, s->options, s->def, column, path->num_columns));
  SUP_TRY(sup_state_create(&c->state, s->model, s->options));
  SUP_TRY(sup_state_copy(c->state, s->start));
  SUP_TRY(sup_state_create(&c->end.next, s->model, s->options));
  SUP_TRY(sup_arena_create(&c->arena, 1 << 16));
  SUP_TRY(SUP_CALLOC(c->v, path->num_scalars));
  SUP_TRY(SUP_CALLOC(c->r, path->num_scalars));
  return SUP_OK;
}

static void close_course(course *c) {
  sup_observer_free(&c->observer);
  sup_state_destroy(&c->state);
  sup_state_destroy(&c->end.next);
  sup_arena_destroy(&c->arena);
  SUP_FREE_ALL(&c->v, &c->r);
}

static sup_status open_motion(motion *m, const char *const *column) {
  const sup_load_scene *s = &m->path->scene;
  SUP_TRY(SUP_CALLOC(m->other, m->num_beside));
  SUP_TRY(SUP_CALLOC(m->is_impact, s->model->num_softs));
  SUP_TRY(SUP_CALLOC(m->product, 2 * (size_t)m->num_scalars));
  SUP_TRY(sup_state_create(&m->before, s->model, s->options));
  SUP_TRY(open_course(&m->own, s, m->path, column));
  for (int k = 0; k < m->num_beside; k++)
    SUP_TRY(open_course(&m->other[k], m->beside[k].scene, m->path, column));
  const sup_step_layout *layout = sup_stepper_layout(s->stepper);
  SUP_TRY(sup_reduction_create(&m->reduction, s->options->backend, s->options->petsc,
                               &layout->A_pattern));
  if (layout->is_free) SUP_TRY(sup_step_layout_join(layout, m->reduction));
  return SUP_OK;
}

static void close_motion(motion *m) {
  close_course(&m->own);
  for (int k = 0; m->other && k < m->num_beside; k++) close_course(&m->other[k]);
  sup_state_destroy(&m->before);
  sup_reduction_destroy(&m->reduction);
  SUP_FREE_ALL(&m->other, &m->is_impact, &m->product);
}

void sup_motion_beside_free(sup_motion_beside *beside) { SUP_FREE(beside->value); }

/* ---- rows ------------------------------------------------------------------------------------ */

/** Count a step in the account of energies, and measure its row unless value is NULL. */
static void measure(course *c, const sup_step_result *result, const sup_step_report *report,
                    double *value) {
  sup_observer_account(&c->observer, report);
  if (!value) return;
  sup_observer_measure(&c->observer, c->state, result, report, 0, value);
}

/** Room for one more row, of the run and of those beside it. */
static sup_status extend(motion *m) {
  sup_load_path *path = m->path;
  size_t         rows = (size_t)++path->num_steps + 1, n = (size_t)path->num_columns;
  SUP_TRY(SUP_GROW(path->time, path->row_capacity, rows));
  SUP_TRY(SUP_GROW(path->value, path->value_capacity, rows * n));
  path->time[rows - 1] = sup_state_time(m->own.state);
  for (int k = 0; k < m->num_beside; k++)
    SUP_TRY(SUP_GROW(m->beside[k].value, m->beside[k].capacity, rows * n));
  return SUP_OK;
}

static double *row_of(const motion *m, int k) {
  size_t at = (size_t)m->path->num_steps * (size_t)m->path->num_columns;
  return (k == SUP_NONE ? m->path->value : m->beside[k].value) + at;
}

static sup_status measure_start(course *c, double *value) {
  const sup_step_report none = {0};
  SUP_TRY(sup_stepper_observe(c->scene->stepper, c->state));
  measure(c, sup_stepper_result(c->scene->stepper), &none, value);
  sup_observer_begin_account(&c->observer);
  return SUP_OK;
}

/** True in the last step of the run. */
static bool is_over(const motion *m) { return m->own.state->step >= steps_of(&m->path->scene); }

/** True if history.csv has a row at the time, as with each frame and at the end: round-off of a
 * summed time must not cost one. */
static bool is_due(motion *m) {
  const sup_load_scene *s = &m->path->scene;
  bool                  due = is_over(m);
  for (int k = 0; k < 2; k++) {
    double time = sup_state_time(m->own.state) + 1e-6 * s->options->dt, every = s->every[k];
    long   periods = every > 0 ? (long)floor(time / every) : m->due[k];
    if (periods < m->due[k]) continue;
    due = true, m->due[k] = every > 0 ? periods + 1 : 0;
  }
  return due;
}

/* ---- steps beside the run -------------------------------------------------------------------- */

static sup_status multiply(void *user, double *x, double *y) {
  motion *m = user;
  SUP_TRY(sup_step_equations_multiply(&m->e, m->own.v, x, m->product));
  memcpy(y, m->product, (size_t)m->num_scalars * sizeof *y);
  return SUP_OK;
}

static sup_status precondition(void *user, double *x, double *y) {
  motion *m = user;
  (void)y;
  return sup_reduction_apply_inverse(m->reduction, x, m->product);
}

/** A step with decisions of its own. */
static sup_status step_anew(course *c, double *value) {
  sup_step_report report;
  SUP_TRY(sup_step(c->scene->stepper, c->state, &report));
  measure(c, sup_stepper_result(c->scene->stepper), &report, value);
  return SUP_OK;
}

/** c->v := solution of the step's equations, by Newton steps with H of the run; *is_solved := 0: it
 * is too far away, as where a contact of elastic stick changes its branch. */
static sup_status solve(motion *m, course *c, sup_step_equations *e, bool *is_solved) {
  enum { MOST = 8 };
  int    n = m->num_scalars;
  double first = 0, residual, least = sup_adjoint_numerics.residual * sup_norm(c->v, n);
  *is_solved = false;
  for (int round = 0; round < MOST && !*is_solved; round++) {
    SUP_TRY(sup_step_equations_residual(e, c->v, c->r));
    SUP_TRY(sup_gmres_solve(n, multiply, precondition, m, sup_adjoint_numerics.changes, c->r,
                            m->own.arena, &residual));
    for (int i = 0; i < n; i++) c->v[i] -= c->r[i];
    double change = sup_norm(c->r, n);
    first = fmax(first, change);
    SUP_TRY(sup_step_equations_move(e, c->v));
    *is_solved = change <= fmax(sup_adjoint_numerics.repeat * first, least);
  }
  return SUP_OK;
}

static sup_status repeat_with(motion *m, course *c, sup_step_equations *e, double *value) {
  sup_step_report report;
  bool            is_solved;
  SUP_TRY(solve(m, c, e, &is_solved));
  if (!is_solved) return step_anew(c, value);
  SUP_TRY(sup_step_equations_end(e, c->v, &c->end, &report));
  SUP_TRY(sup_state_copy(c->state, c->end.next));
  measure(c, &c->end.result, &report, value);
  return SUP_OK;
}

static sup_status repeat(motion *m, course *c, double *value) {
  const sup_increment inc = sup_increment_of_state(c->scene->options, c->state);
  sup_step_equations  e;
  SUP_TRY(sup_arena_reset(c->arena));
  memcpy(c->v, m->own.v, (size_t)m->num_scalars * sizeof *c->v);
  SUP_TRY(sup_step_equations_create(&e, sup_stepper_layout(c->scene->stepper), &inc, c->state,
                                    &m->decisions, c->v, c->arena));
  sup_status status = repeat_with(m, c, &e, value);
  sup_step_equations_free(&e);
  return status;
}

/** The step of the run at those beside it. */
static sup_status repeat_all(motion *m, bool is_row) {
  const sup_load_scene *s = &m->path->scene;
  const sup_increment   inc = sup_increment_of_state(s->options, m->before);
  SUP_TRY(sup_arena_reset(m->own.arena));
  SUP_TRY(sup_step_equations_create(&m->e, sup_stepper_layout(s->stepper), &inc, m->before,
                                    &m->decisions, m->own.v, m->own.arena));
  sup_status status = sup_step_equations_factor(&m->e, m->own.v, m->reduction);
  for (int k = 0; k < m->num_beside && status == SUP_OK; k++)
    status = repeat(m, &m->other[k], is_row ? row_of(m, k) : NULL);
  sup_step_equations_free(&m->e);
  return status;
}

/* ---- records --------------------------------------------------------------------------------- */

/** Bytes of a state, and of the solution of a step. */
static double bytes_of(const sup_state *state) {
  size_t num = 6 * (size_t)state->num_vertices + state->num_internal +
               (size_t)(state->num_q + state->num_v + 3 * state->num_levers);
  return (double)(sizeof *state + num * sizeof(double));
}

static double bytes_of_solution(const sup_load_path *path) {
  return (double)path->num_scalars * sizeof(double);
}

/** Choose the states that are kept, after the first step, when the program has what it needs: all
 * in the memory that is left, or as many as there are steps from one to the next, as bytes go. */
static sup_status plan_records(motion *m) {
  sup_motion_records *r = &m->path->records;
  double num = (double)(steps_of(&m->path->scene) - m->before->step), state = bytes_of(m->before),
         all = state + bytes_of_solution(m->path), share = sup_adjoint_numerics.records;
  r->back = sup_adjoint_numerics.back * sup_process_peak();
  double program = sup_process_peak() + r->back, room = share * (r->memory - program);
  r->bytes = r->whole = num * all, r->interval = 1;
  if (r->whole <= room) return SUP_OK;
  r->interval = (int)fmax(1, ceil(sqrt(num * state / all)));
  r->bytes = ceil(num / r->interval) * state + r->interval * all;
  if (r->bytes <= room) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "records of %.0f steps take %.3g MB at least, beside %.3g MB for the run and the "
                  "way back: found %.3g MB for --memory, expected %.3g MB; method: differences "
                  "takes less",
                  num, 1e-6 * r->bytes, 1e-6 * program, 1e-6 * r->memory,
                  1e-6 * (program + r->bytes / share));
}

/** record->q := solution of the last step; NULL where the step is no function of its start. */
static sup_status keep_solution(sup_load_path *path, const sup_step_report *report,
                                sup_load_record *record) {
  sup_step_decisions decisions;
  const double      *v;
  if (!sup_stepper_can_repeat(path->scene.stepper, report)) return SUP_OK;
  sup_stepper_last(path->scene.stepper, &v, &decisions, NULL);
  SUP_TRY(SUP_CALLOC(record->q, path->num_scalars));
  memcpy(record->q, v, (size_t)path->num_scalars * sizeof *v);
  return SUP_OK;
}

/** Half of the samples make room: those at even places stay. */
static void thin_samples(sup_motion_records *r) {
  for (int i = 0; i < r->num; i++)
    if (i % 2)
      sup_load_record_free(&r->sample[i]);
    else
      r->sample[i / 2] = r->sample[i];
  r->num = (r->num + 1) / 2, r->every *= 2;
}

/** A sample of the last step, if it is one of those with a depth that are. */
static sup_status keep_sample(motion *m, const sup_load_record *record,
                              const sup_step_report *report, const sup_origins *origins) {
  sup_motion_records *r = &m->path->records;
  if (!(record->depth > 0) || r->num_deep++ % r->every != 0) return SUP_OK;
  if (r->num == SUP_MOTION_SAMPLES) thin_samples(r);
  sup_load_record *sample = &r->sample[r->num++];
  *sample = (sup_load_record){.depth = record->depth, .all_limits = record->all_limits};
  SUP_TRY(sup_load_record_keep(m->path, sample, m->before));
  SUP_TRY(keep_solution(m->path, report, sample));
  return sup_origins_append(&sample->origins, origins);
}

/** Record of the last step. */
static sup_status keep(motion *m, const sup_step_report *report, bool is_row) {
  const sup_load_scene *s = &m->path->scene;
  sup_load_path        *path = m->path;
  sup_load_record      *record;
  sup_step_decisions    decisions;
  const double         *v;
  if (path->num_records == 0) SUP_TRY(plan_records(m));
  SUP_TRY(sup_load_path_append(path, &record));
  sup_stepper_last(s->stepper, &v, &decisions, NULL);
  record->h = s->options->dt, record->all_limits = decisions.all_limits;
  record->row = is_row ? path->num_steps : SUP_NONE;
  record->num_pressing = sup_count_pressing(sup_stepper_result(s->stepper));
  record->depth = sup_contacts_depth(decisions.contacts);
  SUP_TRY(keep_sample(m, record, report, &decisions.contacts->origins));
  if ((path->num_records - 1) % path->records.interval == 0)
    SUP_TRY(sup_load_record_keep(path, record, m->before));
  return path->records.interval == 1 ? keep_solution(path, report, record) : SUP_OK;
}

/** Records of the steps that were run again last, but for the state of the first, are freed. */
static void forget(sup_load_path *path) {
  const sup_motion_records *r = &path->records;
  for (int k = 0; r->first != SUP_NONE && k < r->interval; k++) {
    sup_load_record *record = &path->step[r->first + k];
    if (r->first + k == path->num_records) return;
    SUP_FREE(record->q);
    if (k > 0) sup_state_destroy(&record->before);
  }
}

/** Records from the first on by steps from its state, in `state`. */
static sup_status run_again(sup_load_path *path, int first, sup_state *state) {
  SUP_TRY(sup_state_copy(state, path->step[first].before));
  for (int m = first; m < path->num_records && m < first + path->records.interval; m++) {
    sup_step_report report;
    if (m > first) SUP_TRY(sup_load_record_keep(path, &path->step[m], state));
    SUP_TRY(sup_step(path->scene.stepper, state, &report));
    SUP_TRY(keep_solution(path, &report, &path->step[m]));
  }
  return SUP_OK;
}

sup_status sup_motion_path_recall(sup_load_path *path, int m) {
  SUP_OWN(sup_state) *state = NULL;
  sup_motion_records *r = &path->records;
  int                 first = m - m % r->interval;
  if (r->interval == 1 || r->first == first) return SUP_OK;
  forget(path);
  r->first = first;
  SUP_TRY(sup_state_create(&state, path->scene.model, path->scene.options));
  return run_again(path, first, state);
}

/* ---- the run --------------------------------------------------------------------------------- */

static sup_status step(motion *m) {
  const sup_load_scene *s = &m->path->scene;
  sup_step_report       report;
  const double         *v;
  SUP_TRY(sup_state_copy(m->before, m->own.state));
  SUP_TRY(sup_step(s->stepper, m->own.state, &report));
  bool is_row = is_due(m);
  if (is_row) SUP_TRY(extend(m));
  measure(&m->own, sup_stepper_result(s->stepper), &report, is_row ? row_of(m, SUP_NONE) : NULL);
  if (m->path->records.memory > 0) SUP_TRY(keep(m, &report, is_row));
  if (s->watch)
    SUP_TRY(s->watch->step(s->watch->user, m->own.state, sup_stepper_result(s->stepper), &report));
  if (m->num_beside == 0) return SUP_OK;
  bool can_repeat = sup_stepper_can_repeat(s->stepper, &report);
  for (int k = 0; k < m->num_beside && !can_repeat; k++)
    SUP_TRY(step_anew(&m->other[k], is_row ? row_of(m, k) : NULL));
  if (!can_repeat) return SUP_OK;
  sup_stepper_last(s->stepper, &v, &m->decisions, m->is_impact);
  memcpy(m->own.v, v, (size_t)m->num_scalars * sizeof *v);
  m->decisions.contacts = NULL, m->decisions.law = NULL;
  return repeat_all(m, is_row);
}

static sup_status run(motion *m, const char *const *column) {
  SUP_TRY(open_motion(m, column));
  m->path->num_steps = -1;
  SUP_TRY(extend(m));
  (void)is_due(m);
  SUP_TRY(measure_start(&m->own, row_of(m, SUP_NONE)));
  for (int k = 0; k < m->num_beside; k++) SUP_TRY(measure_start(&m->other[k], row_of(m, k)));
  while (!is_over(m)) SUP_TRY(step(m));
  return SUP_OK;
}

sup_status sup_motion_run(sup_load_path *path, const sup_load_scene *scene,
                          const char *const *column, int num_columns, sup_motion_beside *beside,
                          int num_beside, double memory) {
  motion m = {.path = path, .beside = beside, .num_beside = num_beside};
  *path = (sup_load_path){.scene = *scene,
                          .num_columns = num_columns,
                          .records = {.memory = memory, .first = SUP_NONE, .every = 1}};
  if (scene->options->accuracy.tolerance > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "steps of controlled length are no map; method: differences takes "
                    "them, or time.step alone");
  path->num_scalars = m.num_scalars = sup_stepper_layout(scene->stepper)->A_pattern.num_scalars;
  sup_status status = run(&m, column);
  close_motion(&m);
  if (status != SUP_OK) sup_load_path_free(path);
  return status;
}
