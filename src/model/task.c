#include "model/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/linkage.h"
#include "model/numerics.h"

/* ---- targets --------------------------------------------------------------------------------- */

/** Place in the linkage's q of the joint of a drive that moves the frame; SUP_NONE: it does not
 * now. */
static int place_in(const sup_model *model, const sup_task *task, const sup_linkage *linkage,
                    int a) {
  int first = linkage->first[model->actuator[a].tree];
  if (!task->drives[a] || first == SUP_NONE) return SUP_NONE;
  return linkage->tree.links[first + model->actuator[a].link].q_start;
}

/** Joint positions that the drives aim at; of joints without drives those of the state. */
static void aimed(const sup_model *model, const sup_task *task, const sup_state *state,
                  const sup_linkage *linkage, double *q) {
  memcpy(q, linkage->q, (size_t)linkage->tree.nq * sizeof *q);
  for (int a = 0; a < model->num_actuators; a++) {
    int at = place_in(model, task, linkage, a);
    if (at == SUP_NONE) continue;
    sup_table target =
        sup_inputs_table(state->inputs, SUP_DRIVEN_TARGET, a, &model->actuator[a].target);
    sup_table_at(&target, state->time, &q[at]);
  }
}

static double target_of(const sup_model *model, const sup_state *state, int a) {
  const sup_actuator *actuator = &model->actuator[a];
  double              q = state->q[sup_model_link_q(model, actuator->tree, actuator->link)];
  sup_table target = sup_inputs_table(state->inputs, SUP_DRIVEN_TARGET, a, &actuator->target);
  sup_table_at(&target, state->time, &q);
  return q;
}

/** Drives that a phase has set in motion and that move the frame keep their targets of now. */
static void stop_chain(const sup_model *model, const sup_task *task, sup_state *state) {
  sup_inputs *in = state->inputs;
  for (int a = 0; task->body != SUP_NONE && a < model->num_actuators; a++) {
    if (!task->drives[a] || !(in->ramp[in->start[SUP_DRIVEN_TARGET] + a].num_rows > 0)) continue;
    double target = target_of(model, state, a);
    sup_inputs_path(in, a, state->time, 0, 1, SUP_INTERPOLATION_LINEAR, &target);
  }
}

static void move_drive(const sup_model *model, const sup_phase *phase, sup_state *state, int a,
                       double target) {
  double rows[2] = {target_of(model, state, a), target};
  int    n = phase->def.duration > 0 ? 2 : 1;
  sup_inputs_path(state->inputs, a, state->time, phase->def.duration, n, phase->def.interpolation,
                  rows + 2 - n);
}

/* ---- goals of the frame ---------------------------------------------------------------------- */

static sup_v3 place_of(const sup_model *model, const sup_state *state, const sup_body *body,
                       const sup_frame *X_LF) {
  sup_base_motion base = {.X_WB = sup_linkage_base(model, state, body->tree)};
  return sup_tree_frame(model->tree[body->tree], &base, state->q + model->q_start[body->tree],
                        body->link, X_LF)
      .p;
}

/** Origin of a link, centre of mass of a soft body. */
static sup_v3 origin_of(const sup_model *model, const sup_state *state, const sup_body *body) {
  if (body->soft != SUP_NONE) {
    const sup_soft *soft = &model->soft[body->soft];
    return sup_fem_mean(soft->fem, state->x + 3 * soft->first_vertex);
  }
  sup_frame identity = sup_frame_identity();
  return place_of(model, state, body, &identity);
}

static sup_frame goal_of(const sup_model *model, const sup_phase *phase, const sup_state *state,
                         const sup_frame *from) {
  sup_frame            goal = *from;
  const sup_phase_def *def = &phase->def;
  const double        *r = def->rotation;
  sup_v3               origin = {0, 0, 0};
  if (def->has_rotation) goal.R = sup_quat_matrix((sup_quat){r[0], r[1], r[2], r[3]});
  if (def->is_offset) origin = from->p;
  if (phase->body != SUP_NONE) origin = origin_of(model, state, &model->body[phase->body]);
  goal.p = sup_v3_add(origin, sup_v3_load(def->position));
  return goal;
}

/** Frame at the share s of the line to the goal. */
static sup_frame between(const sup_frame *from, const sup_frame *to, double s) {
  sup_m3 turn = sup_m3_mul(sup_m3_transpose(from->R), to->R);
  sup_v3 r = sup_quat_log(sup_quat_from_matrix(turn));
  return (sup_frame){sup_m3_mul(from->R, sup_quat_matrix(sup_quat_exp(sup_v3_scale(s, r)))),
                     sup_v3_madd(sup_v3_scale(1 - s, from->p), s, to->p)};
}

/** Joint positions q along a line in SUP_PATH_ROWS rows of equal duration.
 *  @param[out] path  [num_actuators x SUP_PATH_ROWS] */
static sup_ik_report follow_line(const sup_model *model, const sup_task *task,
                                 const sup_phase *phase, sup_linkage *linkage, sup_ik_goal goal,
                                 const sup_frame *from, double *q, double *path) {
  sup_frame     to = goal.X_WF;
  double        time[2] = {0, 1}, value[2] = {0, 1};
  sup_ik_report report = {.is_reached = 1};
  sup_table     progress = {.num_rows = 2,
                            .width = 1,
                            .time = time,
                            .value = value,
                            .interpolation = phase->def.interpolation};
  for (int k = 0; k < SUP_PATH_ROWS && report.is_reached; k++) {
    double s = 0;
    sup_table_at(&progress, k / (SUP_PATH_ROWS - 1.0), &s);
    goal.X_WF = between(from, &to, s), goal.is_local = 1;
    if (k > 0) report = sup_linkage_inverse_kinematics(linkage, goal, linkage->tree.nq, q);
    for (int a = 0; a < model->num_actuators; a++) {
      int at = place_in(model, task, linkage, a);
      if (at != SUP_NONE) path[a * SUP_PATH_ROWS + k] = q[at];
    }
  }
  return report;
}

static sup_status plan_goal(const sup_model *model, const sup_task *task, const sup_phase *phase,
                            sup_state *state, sup_ik_report *report, double *line) {
  SUP_FREED double          *path = NULL, *q = NULL;
  SUP_OWN_VALUE(sup_linkage) linkage = {0};
  SUP_TRY(sup_linkage_create(&linkage, model, state, task->tree, task->body, task->drives));
  *report = (sup_ik_report){0};
  if (linkage.link == SUP_NONE) return SUP_OK; /* its loop is open */
  const int nq = linkage.tree.nq;
  SUP_TRY(SUP_CALLOC(q, nq));
  SUP_TRY(SUP_CALLOC(path, model->num_actuators * SUP_PATH_ROWS));
  aimed(model, task, state, &linkage, q);
  sup_linkage_close(&linkage, nq, q);
  sup_frame   from = sup_linkage_frame(&linkage, &task->X_LF);
  sup_ik_goal goal = {.X_LF = task->X_LF,
                      .X_WF = goal_of(model, phase, state, &from),
                      .rotation = phase->def.counts};
  bool        is_line = phase->def.is_line && phase->def.duration > 0;
  sup_v3_store(state->task[task - model->task].goal, goal.X_WF.p);
  if (is_line) *line = sup_v3_norm(sup_v3_sub(goal.X_WF.p, from.p));
  *report = is_line ? follow_line(model, task, phase, &linkage, goal, &from, q, path)
                    : sup_linkage_inverse_kinematics(&linkage, goal, nq, q);
  if (!report->is_reached) return SUP_OK;
  for (int a = 0; a < model->num_actuators; a++) {
    int at = place_in(model, task, &linkage, a);
    if (at == SUP_NONE) continue;
    if (is_line)
      sup_inputs_path(state->inputs, a, state->time, phase->def.duration, SUP_PATH_ROWS,
                      SUP_INTERPOLATION_CUBIC, path + a * SUP_PATH_ROWS);
    else
      move_drive(model, phase, state, a, q[at]);
  }
  return SUP_OK;
}

/** Largest speed of the drive of joint `link` on the path that the phase has begun now; 0: none. */
static double speed_of(const sup_model *model, const sup_task *task, const sup_phase *phase,
                       const sup_state *state, int a) {
  const sup_actuator *actuator = &model->actuator[a];
  const sup_inputs   *in = state->inputs;
  double              when;
  bool                moves = phase->def.moves && task->drives[a];
  for (int k = 0; k < phase->def.num_drives; k++)
    moves |= phase->def.drives[k].has_target && phase->actuator[k] == a;
  sup_table path = sup_inputs_table(in, SUP_DRIVEN_TARGET, a, &actuator->target);
  return moves && path.num_rows > 1 && path.time[0] == state->time ? sup_table_fastest(&path, &when)
                                                                   : 0;
}

static const sup_tree_link *joint_of(const sup_model *model, int a) {
  return &model->tree[model->actuator[a].tree]->links[model->actuator[a].link];
}

/** Give the motion of 1 s that a phase has begun the duration of its speed.
 *  @param[in] line  length of the frame's way [m]; negative: it follows no line */
static sup_status keep_speed(const sup_model *model, const sup_task *task, const sup_phase *phase,
                             double line, sup_state *state, double *duration) {
  const sup_phase_def *d = &phase->def;
  double               time[2] = {0, 1}, way[2] = {0, line}, fastest = 0, any = 0, when;
  sup_table            progress = {2, 1, time, way, .interpolation = d->interpolation};
  bool                 by_line = !d->turns && line >= 0;
  if (by_line) fastest = sup_table_fastest(&progress, &when);
  for (int a = 0; a < model->num_actuators; a++) {
    double speed = speed_of(model, task, phase, state, a);
    any = fmax(any, speed);
    if (!by_line && sup_joint_turns(joint_of(model, a), 0) == d->turns)
      fastest = fmax(fastest, speed);
  }
  if (any > 0 && !(fastest > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "task '%s', phase '%s': its speed is one in %s, in which nothing moves; give a "
                    "speed in %s or a duration",
                    task->name, d->name, d->turns ? "rad/s" : "m/s", d->turns ? "m/s" : "rad/s");
  *duration = fastest / d->speed;
  for (int a = 0; a < model->num_actuators; a++) {
    sup_ramp *path = &state->inputs->ramp[state->inputs->start[SUP_DRIVEN_TARGET] + a];
    if (!(speed_of(model, task, phase, state, a) > 0)) continue;
    for (int k = 1; k < (int)path->num_rows; k++)
      path->time[k] = state->time + *duration * (path->time[k] - state->time);
  }
  return SUP_OK;
}

void sup_task_warn_of_speed(const sup_model *model, const sup_task *task, int p,
                            const sup_state *state, double duration) {
  const sup_phase_def *d = &task->phase[p].def;
  char                 place[4096] = "";
  double               most = 1 + 1e-6;
  int                  worst = SUP_NONE;
  for (int a = 0; a < model->num_actuators; a++) {
    double share =
        speed_of(model, task, &task->phase[p], state, a) / joint_of(model, a)->rated_velocity;
    if (share > most) most = share, worst = a;
  }
  if (worst == SUP_NONE) return;
  const sup_tree_link *joint = joint_of(model, worst);
  const char          *unit = sup_joint_turns(joint, 0) ? "rad/s" : "m/s";
  if (d->file) snprintf(place, sizeof place, "%s:%d:%d: ", d->file, d->line, d->column);
  sup_log(
      SUP_LOG_WARNING,
      "%stask '%s', phase '%s': the joint '%s' moves at up to %.4g %s, faster than its limit of "
      "%.4g %s; a duration of %g s or more is slow enough",
      place, task->name, d->name, joint->joint_name, most * joint->rated_velocity, unit,
      joint->rated_velocity, unit, 1e-3 * ceil(1e3 * duration * most * (1 - 1e-9)));
}

sup_status sup_task_plan(const sup_model *model, const sup_task *task, int p, sup_state *state,
                         sup_ik_report *report, double *duration) {
  sup_phase phase = task->phase[p];
  double    line = -1;
  *report = (sup_ik_report){.is_reached = 1};
  if (phase.def.speed > 0) phase.def.duration = 1;
  stop_chain(model, task, state);
  if (phase.def.moves) SUP_TRY(plan_goal(model, task, &phase, state, report, &line));
  for (int k = 0; k < phase.def.num_drives; k++) {
    const sup_phase_drive_def *drive = &phase.def.drives[k];
    int                        a = phase.actuator[k];
    if (drive->has_target) move_drive(model, &phase, state, a, drive->target);
    if (drive->effort > 0) state->inputs->limit[a] = drive->effort;
  }
  *duration = phase.def.duration;
  return phase.def.speed > 0 ? keep_speed(model, task, &phase, line, state, duration) : SUP_OK;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static const char *const ends[SUP_NUM_PHASE_ENDS] = {"begins", "ends with its motion",
                                                     "ends by its guard", "ends by its timeout",
                                                     "has a goal out of reach"};

static const sup_task *task_of(const sup_model *model, int phase) {
  const sup_task *task = model->task;
  while (phase >= task->first_phase + task->num_phases) task++;
  return task;
}

static const sup_phase *phase_of(const sup_model *model, const sup_task_entry *entry) {
  const sup_task *task = task_of(model, (int)entry->phase);
  return &task->phase[(int)entry->phase - task->first_phase];
}

void sup_task_entry_text(const sup_model *model, const sup_task_entry *entry, char *text,
                         size_t size) {
  snprintf(text, size, "task '%s', phase '%s' %s", task_of(model, (int)entry->phase)->name,
           phase_of(model, entry)->def.name, ends[(int)entry->what]);
}

const char *sup_task_entry_column(const sup_model *model, const sup_task_entry *entry) {
  const sup_phase *phase = phase_of(model, entry);
  bool             has_column = entry->what == SUP_PHASE_GUARD || entry->what == SUP_PHASE_TIMEOUT;
  return has_column && phase->guard != SUP_NONE ? model->event[phase->guard].def.column : "";
}

static sup_status put_entry(const sup_model *model, const sup_task *task, int p, sup_phase_end what,
                            double value, sup_state *state) {
  char text[4 * SUP_NAME_MAX];
  SUP_TRY(SUP_GROW(state->task_log, state->task_log_capacity, state->num_task_log + 1));
  sup_task_entry *entry = &state->task_log[state->num_task_log++];
  *entry = (sup_task_entry){state->time, task->first_phase + p, what, value};
  sup_task_entry_text(model, entry, text, sizeof text);
  if (state->time > 0) sup_log(SUP_LOG_NOTE, "%.6g s: %s", state->time, text);
  return SUP_OK;
}

void sup_task_unreachable_text(const sup_model *model, const sup_task *task,
                               const sup_ik_report *report, char *text, size_t size) {
  const sup_tree *tree = model->tree[task->tree];
  const double    degree = 3.14159265358979323846 / 180;
  if (report->num_joints == 0) {
    snprintf(text, size, "no joint of '%s' moves the frame now", tree->name);
    return;
  }
  int n = snprintf(text, size, "the nearest place is %.3g mm and %.3g deg off; ",
                   1e3 * report->position_error, report->rotation_error / degree);
  for (int i = 0; i < report->num_at_limit && n < (int)size; i++)
    n += snprintf(text + n, size - (size_t)n, "%s'%s'", i ? ", " : "",
                  tree->links[report->at_limit[i]].joint_name);
  if (n < (int)size)
    snprintf(text + n, size - (size_t)n,
             report->num_at_limit ? " at the limit there" : "no joint is at a limit there");
}

/** Warning with the reason for which a task stops. */
static void tell_stop(const sup_model *model, const sup_task *task, const sup_phase *phase,
                      sup_phase_end what, const char *reason, double time) {
  const sup_event_def *guard = phase->guard == SUP_NONE ? NULL : &model->event[phase->guard].def;
  if (what == SUP_PHASE_TIMEOUT && guard && guard->kind != SUP_EVENT_TIME)
    sup_log(SUP_LOG_WARNING, "%.6g s: task '%s' stops in phase '%s': %s was not %s %g within %g s",
            time, task->name, phase->def.name, guard->column,
            guard->kind == SUP_EVENT_ABOVE ? "above" : "below", guard->value, phase->def.timeout);
  else
    sup_log(SUP_LOG_WARNING, "%.6g s: task '%s' stops in phase '%s': %s", time, task->name,
            phase->def.name, what == SUP_PHASE_UNREACHABLE ? reason : "its time is over");
}

/** Warning of a frame that its drives have not taken to its goal as its motion ends. */
static void warn_of_goal(const sup_model *model, const sup_task *task, int p,
                         const sup_state *state) {
  const sup_body *body = &model->body[task->body];
  sup_v3          base = sup_linkage_base(model, state, task->tree).p,
         goal = sup_v3_load(state->task[task - model->task].goal);
  double off = sup_v3_norm(sup_v3_sub(place_of(model, state, body, &task->X_LF), goal));
  if (off > sup_model_numerics.task_goal * sup_v3_norm(sup_v3_sub(goal, base)))
    sup_log(SUP_LOG_WARNING,
            "%.6g s: task '%s', phase '%s' ends with its frame %.3g mm off its goal; its drives "
            "lag or are too weak, or something is in its way",
            state->time, task->name, task->phase[p].def.name, 1e3 * off);
}

/** The phase after one that ended so; counts failures. */
static int next_of(const sup_task *task, int p, sup_phase_end what, sup_state *state) {
  const sup_phase *phase = &task->phase[p];
  if (what == SUP_PHASE_MOVED || what == SUP_PHASE_GUARD) return phase->then;
  if (strcmp(phase->def.otherwise, "next") == 0) return p + 1;
  double *failures = &state->phase_failures[task->first_phase + p];
  ++*failures;
  return phase->otherwise == SUP_NONE || *failures > phase->def.retries ? SUP_TASK_STOPPED
                                                                        : phase->otherwise;
}

/** Begin phase p, and what comes after phases whose goal is out of reach. */
static sup_status begin(const sup_model *model, int t, int p, sup_state *state) {
  const sup_task *task = &model->task[t];
  sup_task_state *at = &state->task[t];
  while (p >= 0 && p < task->num_phases) {
    double           duration;
    sup_ik_report    report;
    const sup_phase *phase = &task->phase[p];
    char             reason[512];
    if (phase->guard != SUP_NONE)
      state->event[phase->guard] = (sup_event_state){.since = -1, .fired = -1};
    SUP_TRY(sup_task_plan(model, task, p, state, &report, &duration));
    if (!phase->is_tried) sup_task_warn_of_speed(model, task, p, state, duration);
    at->phase = p, at->begun = state->time, at->duration = duration;
    SUP_TRY(put_entry(model, task, p, SUP_PHASE_BEGINS, 0, state));
    if (report.is_reached) return SUP_OK;
    SUP_TRY(put_entry(model, task, p, SUP_PHASE_UNREACHABLE, report.position_error, state));
    sup_task_unreachable_text(model, task, &report, reason, sizeof reason);
    p = next_of(task, p, SUP_PHASE_UNREACHABLE, state);
    if (p == SUP_TASK_STOPPED)
      tell_stop(model, task, phase, SUP_PHASE_UNREACHABLE, reason, state->time);
  }
  stop_chain(model, task, state); /* done or stopped */
  at->phase = p, at->begun = state->time, at->duration = 0;
  return SUP_OK;
}

/** End of the phase by now; SUP_PHASE_BEGINS: it goes on. */
static sup_phase_end look(const sup_phase *phase, const sup_task_state *at, double dt,
                          const sup_state *state, double *value) {
  double since = state->time - at->begun + 0.5 * dt;
  *value = 0;
  if (phase->guard == SUP_NONE) return since > at->duration ? SUP_PHASE_MOVED : SUP_PHASE_BEGINS;
  const sup_event_state *guard = &state->event[phase->guard];
  *value = guard->value;
  if (guard->fired >= 0) return SUP_PHASE_GUARD;
  return phase->def.timeout > 0 && since > phase->def.timeout ? SUP_PHASE_TIMEOUT
                                                              : SUP_PHASE_BEGINS;
}

sup_status sup_tasks_begin(const sup_model *model, sup_state *state) {
  if (model->num_tasks == 0) return SUP_OK;
  SUP_TRY(sup_inputs_need(state, model));
  for (int t = 0; t < model->num_tasks; t++) SUP_TRY(begin(model, t, 0, state));
  return SUP_OK;
}

sup_status sup_tasks_step(const sup_model *model, double dt, sup_state *state) {
  if (model->num_tasks == 0) return SUP_OK;
  SUP_TRY(sup_inputs_need(state, model)); /* someone may have cleared them */
  for (int t = 0; t < model->num_tasks; t++) {
    const sup_task *task = &model->task[t];
    sup_task_state *at = &state->task[t];
    double          value;
    int             p = (int)at->phase;
    if (p < 0 || p >= task->num_phases) continue;
    sup_phase_end end = look(&task->phase[p], at, dt, state, &value);
    if (end == SUP_PHASE_BEGINS) continue;
    if (end == SUP_PHASE_MOVED && task->phase[p].def.moves) warn_of_goal(model, task, p, state);
    SUP_TRY(put_entry(model, task, p, end, value, state));
    if (end == SUP_PHASE_GUARD && state->time - at->begun < 1.5 * dt)
      sup_log(SUP_LOG_NOTE, "the guard of phase '%s' was true as it began",
              task->phase[p].def.name);
    int next = next_of(task, p, end, state);
    if (next == SUP_TASK_STOPPED) tell_stop(model, task, &task->phase[p], end, "", state->time);
    SUP_TRY(begin(model, t, next, state));
    if (next == task->num_phases)
      sup_log(SUP_LOG_NOTE, "%.6g s: task '%s' is done", state->time, task->name);
  }
  return SUP_OK;
}

bool sup_task_guard_is_off(const sup_model *model, const sup_state *state, int event) {
  const sup_event *e = &model->event[event];
  return e->task != SUP_NONE && (int)state->task[e->task].phase != e->phase;
}
