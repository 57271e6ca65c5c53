#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "measure/columns.h"
#include "model/inputs.h"
#include "model/kinematics.h"
#include "model/linkage.h"
#include "simulator/simulator_parts.h"
#include "step/equations.h"
#include "step/static/modes.h"

void sup_threads_set(int threads) { omp_set_num_threads(threads > 0 ? threads : 1); }

sup_probe_def sup_default_probe_def(void) { return (sup_probe_def)SUP_DEFAULT_PROBE_DEF; }

sup_simulator_def sup_default_simulator_def(void) {
  return (sup_simulator_def)SUP_DEFAULT_SIMULATOR_DEF;
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status copy_names(sup_simulator *s, const sup_simulator_def *def) {
  SUP_TRY(SUP_CALLOC(s->pair_name, def->num_pairs));
  SUP_TRY(SUP_CALLOC(s->pair, def->num_pairs));
  SUP_TRY(SUP_CALLOC(s->probe_def, def->num_probes));
  if (def->num_pairs)
    memcpy(s->pair_name, def->pair, (size_t)def->num_pairs * sizeof *s->pair_name);
  if (def->num_probes)
    memcpy(s->probe_def, def->probes, (size_t)def->num_probes * sizeof *s->probe_def);
  s->num_pairs = def->num_pairs, s->num_probes = def->num_probes;
  for (int i = 0; i < s->num_pairs; i++) s->pair[i] = sup_columns_pair(&s->obs, s->pair_name[i]);
  return sup_probes_find(&s->probe, s->model, s->probe_def, s->num_probes);
}

static sup_status create(sup_simulator *s, const sup_simulator_def *def) {
  const sup_column_def names = {.num_pairs = def->num_pairs,
                                .pair = def->pair,
                                .num_probes = def->num_probes,
                                .probes = def->probes};
  s->model = def->model, s->options = def->options;
  SUP_TRY(sup_columns_check(s->model, &s->options, &names));
  SUP_TRY(sup_state_create(&s->state, s->model, &s->options));
  if (s->model->num_softs) SUP_TRY(sup_state_keep_matrix(s->state));
  SUP_TRY(sup_state_create(&s->first, s->model, &s->options));
  SUP_TRY(sup_stepper_create(&s->stepper, s->model, &s->options));
  SUP_TRY(sup_event_watch_create(&s->events, s->model, &s->options, &names));
  SUP_TRY(sup_observation_create(&s->obs, s->model, &s->options));
  s->obs.recovers = 1;
  SUP_TRY(copy_names(s, def));
  SUP_TRY(SUP_CALLOC(s->patch_start, s->obs.num_pairs + 1));
  SUP_TRY(sup_simulator_reset(s));
  return SUP_OK;
}

sup_status sup_simulator_create(sup_simulator **out, const sup_simulator_def *def) {
  SUP_OWN(sup_simulator) *s = NULL;
  *out = NULL;
  if (def->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG,
                    "the simulator's definition was not begun with sup_default_simulator_def");
  for (int i = 0; i < def->num_probes; i++)
    if (def->probes[i].marker != SUP_INITIALISED)
      return SUP_FAIL(SUP_E_ARG, "probe %d was not begun with sup_default_probe_def", i);
  if (!def->model) return SUP_FAIL(SUP_E_ARG, "a simulator needs a model; its definition has none");
  SUP_TRY(SUP_CALLOC(s, 1));
  SUP_TRY(create(s, def));
  *out = s;
  s = NULL;
  return SUP_OK;
}

void sup_simulator_destroy(sup_simulator **simulator) {
  sup_simulator *s = *simulator;
  if (!s) return;
  if (s->watch) s->watch->leave(s->watch->user);
  sup_event_watch_destroy(&s->events);
  sup_stepper_destroy(&s->stepper);
  sup_state_destroy(&s->state);
  sup_state_destroy(&s->first);
  sup_state_destroy(&s->kept);
  sup_state_destroy(&s->trial);
  if (s->overlaps.model) sup_overlaps_free(&s->overlaps);
  if (s->obs.model) sup_observation_free(&s->obs);
  for (int i = 0; i < SUP_NUM_QUANTITIES; i++) SUP_FREE(s->read[i].value);
  sup_probes_free(&s->probe, s->num_probes);
  SUP_FREE_ALL(&s->trial_X, &s->trial_w, &s->trial_v, &s->patch, &s->patch_start, &s->pair_name,
               &s->pair, &s->probe_def, &s->column, simulator);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void forget_readings(sup_simulator *s) {
  for (int i = 0; i < SUP_NUM_QUANTITIES; i++) s->read[i].is_fresh = 0;
  s->has_motion = s->has_stress = s->has_patches = 0;
}

void sup_simulator_update_observation(sup_simulator *s, int with_stress) {
  if (!s->has_motion) sup_observation_update_motion(&s->obs, s->state, s->result);
  s->has_motion = 1;
  if (!with_stress || s->has_stress) return;
  sup_observation_update_stress(&s->obs);
  s->account.numerical = s->account.first + s->account.work - s->account.damping -
                         s->account.relaxation - s->account.holds - s->obs.soft_kinetic -
                         s->obs.elastic;
  s->has_stress = 1;
}

void sup_simulator_leave(sup_simulator *s) {
  forget_readings(s);
  s->result = NULL;
  s->is_new = 1, s->has_failed = 0;
}

sup_status sup_simulator_arrive(sup_simulator *s) {
  if (!s->is_new) return SUP_OK;
  forget_readings(s);
  s->report = (sup_step_report){.error_body = SUP_NONE};
  s->result = NULL;
  SUP_TRY(sup_stepper_observe(s->stepper, s->state));
  s->result = sup_stepper_result(s->stepper);
  s->account = (sup_soft_account){0};
  s->is_new = 0;
  if (s->model->num_softs == 0) return SUP_OK;
  sup_simulator_update_observation(s, 1);
  s->account.first = s->obs.soft_kinetic + s->obs.elastic;
  s->account.numerical = 0;
  return SUP_OK;
}

static sup_status step_until(sup_simulator *s, double stop, sup_step_report *report) {
  SUP_TRY(sup_simulator_arrive(s));
  if (s->watch) stop = fmin(stop, s->watch->next_time(s->watch->user));
  sup_status status = sup_step_until(s->stepper, s->state, stop, &s->report);
  forget_readings(s);
  s->result = status == SUP_OK ? sup_stepper_result(s->stepper) : NULL;
  if (status == SUP_OK) status = sup_event_watch_step(s->events, s->state, s->result, &s->report);
  if (status == SUP_OK) {
    s->account.work += s->report.soft_work, s->account.damping += s->report.soft_damping;
    s->account.relaxation += s->report.soft_relaxation, s->account.holds += s->report.hold_loss;
    s->account.joints += s->report.joint_friction, s->account.rolling += s->report.rolling_friction;
  }
  if (report) *report = s->report;
  s->has_failed = status != SUP_OK;
  if (s->watch && s->has_failed) s->watch->fail(s->watch->user, &s->report);
  if (s->watch && !s->has_failed)
    status = s->watch->step(s->watch->user, s->state, s->result, &s->report);
  return status;
}

sup_status sup_simulator_step(sup_simulator *s, sup_step_report *report) {
  SUP_TRY(step_until(s, HUGE_VAL, report));
  return SUP_OK;
}

/** Steps of fixed length are counted, since their times are rounded. */
static bool is_at(const sup_simulator *s, double end) {
  if (s->options.accuracy.tolerance > 0) return s->state->time >= end;
  return !(s->state->time < end - 0.5 * s->options.dt);
}

sup_status sup_simulator_run(sup_simulator *s, double end, sup_progress_function *progress,
                             void *user) {
  while (!is_at(s, end)) {
    SUP_TRY(step_until(s, end, NULL));
    if (progress && progress(s, &s->report, user))
      return SUP_FAIL(SUP_E_INTERRUPTED, "stopped at %g s on the way to %g s", s->state->time, end);
  }
  return SUP_OK;
}

sup_status sup_simulator_equilibrate(sup_simulator *s, const sup_static_options *options,
                                     sup_progress_function *progress, void *user) {
  if (options->marker == SUP_INITIALISED && !(s->state->time < options->end))
    return SUP_FAIL(
        SUP_E_ARG,
        "the state is at %g s, not before the end of the load, %g s: reset the state, or give "
        "options with a later end (and ramp 0 if the state carries its load already)",
        s->state->time, options->end);
  if (s->watch)
    return SUP_FAIL(SUP_E_ARG, "records are of motion; finish the record before load steps");
  SUP_TRY(sup_simulator_arrive(s));
  do {
    const double from = s->state->time;
    sup_status   status = sup_static_step(s->stepper, s->state, options, &s->report);
    forget_readings(s);
    s->result = status == SUP_OK ? sup_stepper_result(s->stepper) : NULL;
    SUP_TRY(status);
    if (s->report.reason == SUP_REASON_STOPPED || (progress && progress(s, &s->report, user)))
      return SUP_FAIL(SUP_E_INTERRUPTED, "stopped at load time %g s, from %g s on the way to %g s",
                      s->state->time, from, options->end);
  } while (s->state->time < options->end);
  return SUP_OK;
}

/** Poses and velocities of a result that belongs to the state before the step. */
static sup_status keep_motion(sup_simulator *s) {
  size_t n = (size_t)s->model->num_bodies;
  if (!s->trial) {
    SUP_TRY(SUP_CALLOC(s->trial_X, n));
    SUP_TRY(SUP_CALLOC(s->trial_w, n));
    SUP_TRY(SUP_CALLOC(s->trial_v, n));
    SUP_TRY(sup_state_create(&s->trial, s->model, &s->options));
  }
  s->is_new = 1, s->has_failed = 0; /* of a result of a step, poses would be those of its end */
  SUP_TRY(sup_simulator_arrive(s));
  memcpy(s->trial_X, s->result->X_WL, n * sizeof *s->trial_X);
  memcpy(s->trial_w, s->result->link_w, n * sizeof *s->trial_w);
  memcpy(s->trial_v, s->result->link_v, n * sizeof *s->trial_v);
  SUP_TRY(sup_state_copy(s->trial, s->state));
  return SUP_OK;
}

sup_status sup_simulator_evaluate(sup_simulator *s, sup_step_report *report) {
  const sup_soft_account account = s->account;
  const int              was_new = s->is_new;
  SUP_TRY(keep_motion(s));
  if (!was_new) s->account = account;
  sup_status status = sup_step_until(s->stepper, s->trial, HUGE_VAL, &s->report);
  forget_readings(s);
  if (report) *report = s->report;
  if (status != SUP_OK) sup_simulator_leave(s);
  SUP_TRY(status);
  s->trial_result = *sup_stepper_result(s->stepper);
  s->trial_result.increment.h = 0, s->trial_result.time = s->state->time;
  s->trial_result.X_WL = s->trial_X;
  s->trial_result.link_w = s->trial_w, s->trial_result.link_v = s->trial_v;
  s->result = &s->trial_result;
  return SUP_OK;
}

sup_status sup_simulator_modes(sup_simulator *s, const sup_static_options *options, int is_loaded,
                               int num, sup_mode *mode, int *count) {
  SUP_OWN_VALUE(sup_modes) found = {0};
  *count = 0;
  if (num < 1) return SUP_FAIL(SUP_E_ARG, "found %d modes, expected 1 or more", num);
  if (options->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the options were not begun with sup_default_static_options");
  SUP_TRY(sup_modes_find(sup_stepper_layout(s->stepper), s->state, options, is_loaded != 0, num,
                         &found));
  *count = found.num < num ? found.num : num;
  if (*count > 0) memcpy(mode, found.mode, (size_t)*count * sizeof *mode);
  return SUP_OK;
}

static void swap(void **a, void **b) {
  void *c = *a;
  *a = *b, *b = c;
}

sup_status sup_simulator_tune(sup_simulator *s, double dt, double tolerance) {
  SUP_OWN(sup_state)       *first = NULL;
  SUP_OWN(sup_stepper)     *stepper = NULL;
  SUP_OWN(sup_event_watch) *events = NULL;
  sup_options               options = s->options;
  const sup_column_def      names = {.num_pairs = s->num_pairs,
                                     .pair = s->pair_name,
                                     .num_probes = s->num_probes,
                                     .probes = s->probe_def};
  if (dt != 0 && options.accuracy.tolerance > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "the scene's time.accuracy %g chooses the lengths of steps: dt %g s is that of "
                    "none",
                    options.accuracy.tolerance, dt);
  if (dt != 0) options.dt = dt;
  if (tolerance != 0) options.tolerance = tolerance;
  SUP_TRY(sup_state_create(&first, s->model, &options));
  SUP_TRY(sup_stepper_create(&stepper, s->model, &options));
  SUP_TRY(sup_event_watch_create(&events, s->model, &options, &names));
  swap((void **)&first, (void **)&s->first);
  swap((void **)&stepper, (void **)&s->stepper);
  swap((void **)&events, (void **)&s->events);
  s->options = s->obs.options = options;
  sup_simulator_leave(s);
  return SUP_OK;
}

sup_status sup_simulator_set_state(sup_simulator *s, const sup_state *state) {
  if (s->watch)
    return SUP_FAIL(SUP_E_ARG,
                    "the simulator is recorded at %g s; finish the record before it takes another "
                    "state",
                    s->state->time);
  SUP_TRY(sup_state_copy(s->state, state));
  sup_simulator_leave(s);
  return SUP_OK;
}

sup_status sup_simulator_reset(sup_simulator *s) {
  SUP_TRY(sup_simulator_set_state(s, s->first));
  return SUP_OK;
}

sup_status sup_simulator_save(const sup_simulator *s, const char *path) {
  SUP_TRY(sup_state_save(s->state, path));
  return SUP_OK;
}

sup_status sup_simulator_restore(sup_simulator *s, const char *path) {
  sup_state *state = NULL;
  SUP_TRY(sup_state_load(&state, s->model, &s->options, path));
  sup_status status = sup_simulator_set_state(s, state);
  sup_state_destroy(&state);
  return status;
}

size_t sup_binding_size(const char *name) {
  if (strcmp(name, "patch") == 0) return sizeof(sup_contact_patch);
  if (strcmp(name, "options") == 0) return sizeof(sup_options);
  if (strcmp(name, "mode") == 0) return sizeof(sup_mode);
  return strcmp(name, "report") == 0 ? sizeof(sup_step_report) : 0;
}

double           sup_simulator_time(const sup_simulator *s) { return s->state->time; }
double           sup_simulator_step_size(const sup_simulator *s) { return s->options.dt; }
long             sup_simulator_steps(const sup_simulator *s) { return s->state->step; }
const sup_state *sup_simulator_state(const sup_simulator *s) { return s->state; }

/* ---- dynamics of a tree ---------------------------------------------------------------------- */

static sup_status find_tree(const sup_simulator *s, int tree, const sup_tree **out,
                            const double **q, const double **v) {
  SUP_TRY(sup_simulator_check(s, SUP_OBJECT_TREE, tree));
  *out = s->model->tree[tree];
  *q = s->state->q + s->model->q_start[tree], *v = s->state->v + s->model->v_start[tree];
  return SUP_OK;
}

/** The base's motion in the step to come. */
static sup_base_motion base_of(const sup_simulator *s, int tree, sup_v3 *gravity) {
  const sup_increment inc = sup_increment_of_state(&s->options, s->state);
  *gravity = inc.gravity;
  return sup_kinematics_base_within(s->model, tree, &inc);
}

sup_status sup_simulator_mass_matrix(const sup_simulator *s, int tree, double *M) {
  const sup_tree *t;
  const double   *q, *v;
  SUP_TRY(find_tree(s, tree, &t, &q, &v));
  sup_tree_mass_matrix(t, q, M);
  return SUP_OK;
}

sup_status sup_simulator_bias(const sup_simulator *s, int tree, double *bias) {
  const sup_tree *t;
  const double   *q, *v;
  sup_v3          gravity;
  SUP_TRY(find_tree(s, tree, &t, &q, &v));
  sup_base_motion base = base_of(s, tree, &gravity);
  sup_tree_inverse_dynamics(t, &base, q, v, NULL, gravity, NULL, bias);
  return SUP_OK;
}

sup_status sup_simulator_gravity_efforts(const sup_simulator *s, int tree, double *effort) {
  static const double rest[SUP_TREE_MAX_NV];
  const sup_tree     *t;
  const double       *q, *v;
  sup_v3              gravity;
  SUP_TRY(find_tree(s, tree, &t, &q, &v));
  sup_base_motion base = {.X_WB = base_of(s, tree, &gravity).X_WB};
  sup_tree_inverse_dynamics(t, &base, q, rest, NULL, gravity, NULL, effort);
  return SUP_OK;
}

static sup_status find_link(const sup_simulator *s, int body, int *tree, int *link) {
  SUP_TRY(sup_simulator_check(s, SUP_OBJECT_BODY, body));
  if (sup_simulator_link(s, body, tree, link)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "'%s' is a soft body; Jacobians and inverse kinematics are of links",
                  s->model->body[body].name);
}

sup_status sup_simulator_jacobian(const sup_simulator *s, int body, const double point[3],
                                  double *J) {
  const sup_model *model = s->model;
  int              tree, link;
  sup_frame        X_WL[SUP_TREE_MAX_LINKS];
  sup_v3           w[SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_LINKS], gravity;
  SUP_TRY(find_link(s, body, &tree, &link));
  sup_tree_kinematics_data kin = {X_WL, w, v};
  const sup_tree          *t = model->tree[tree];
  sup_base_motion          base = base_of(s, tree, &gravity);
  sup_tree_kinematics(t, &base, s->state->q + model->q_start[tree],
                      s->state->v + model->v_start[tree], &kin);
  sup_tree_point_jacobian(t, &kin, link, sup_frame_apply(&X_WL[link], sup_v3_load(point)), J);
  sup_tree_angular_jacobian(t, &kin, link, J + 3 * t->nv);
  return SUP_OK;
}

static sup_status check_finite(const double *value, int n, const char *what) {
  for (int i = 0; i < n; i++)
    if (!isfinite(value[i]))
      return SUP_FAIL(SUP_E_ARG, "inverse kinematics: %s has a number that is not finite", what);
  return SUP_OK;
}

sup_status sup_simulator_inverse_kinematics(const sup_simulator *s, int body, const sup_pose *X_LF,
                                            const sup_pose *X_WF, sup_ik_rotation rotation,
                                            double *q, sup_ik_report *report) {
  SUP_OWN_VALUE(sup_linkage) linkage = {0};
  int                        tree, link;
  SUP_TRY(find_link(s, body, &tree, &link));
  const sup_tree *t = s->model->tree[tree];
  SUP_TRY(check_finite(X_LF->p, 3, "the frame"));
  SUP_TRY(check_finite(X_LF->q, 4, "the frame"));
  SUP_TRY(check_finite(X_WF->p, 3, "the goal"));
  SUP_TRY(check_finite(X_WF->q, 4, "the goal"));
  SUP_TRY(check_finite(q, t->nq, "the start"));
  sup_ik_goal goal = {link, sup_frame_from_pose(X_LF), sup_frame_from_pose(X_WF), rotation};
  SUP_TRY(sup_linkage_create(&linkage, s->model, s->state, SUP_NONE, body, NULL));
  if (linkage.robot != tree)
    return SUP_FAIL(SUP_E_ARG,
                    "'%s' is a free body; here inverse kinematics places links of a robot, tasks "
                    "and `supple ik` free bodies in its loops, too",
                    s->model->body[body].name);
  *report = sup_linkage_inverse_kinematics(&linkage, goal, t->nq, q);
  return SUP_OK;
}
