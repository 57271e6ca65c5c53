/* Tasks of a model: frames, drives, guards, and a first look at their goals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/build/build.h"
#include "model/event.h"
#include "model/inputs.h"
#include "model/linkage.h"
#include "model/task.h"
#include "supple/options.h"

enum { WHAT_SIZE = 3 * SUP_NAME_MAX };

/** Drive that follows targets on a joint; SUP_NONE: there is none. */
static int find_drive(const sup_model *model, int tree, int link) {
  for (int a = 0; a < model->num_actuators; a++)
    if (model->actuator[a].tree == tree && model->actuator[a].link == link &&
        model->actuator[a].kp > 0)
      return a;
  return SUP_NONE;
}

/** Drives of joints between the base and the frame, and in loops with it, of any robot; others than
 * its own with a schedule keep that. */
static sup_status find_chain(const sup_model *model, sup_task *task, const char *what) {
  SUP_OWN_VALUE(sup_linkage) linkage = {0};
  SUP_FREED char            *on = NULL;
  int                        num = 0;
  SUP_TRY(sup_linkage_create(&linkage, model, NULL, SUP_NONE, task->body, NULL));
  task->tree = linkage.robot;
  SUP_TRY(SUP_CALLOC(on, linkage.tree.num_links));
  sup_ik_goal goal = {
      .link = linkage.link, .num_closures = linkage.num_closures, .closure = linkage.closure};
  sup_tree_find_movers(&linkage.tree, &goal, on);
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; linkage.first[t] != SUP_NONE && l < model->tree[t]->num_links; l++) {
      int a = on[linkage.first[t] + l] && model->tree[t]->links[l].nv == 1 ? find_drive(model, t, l)
                                                                           : SUP_NONE;
      if (a == SUP_NONE || (t != task->tree && model->actuator[a].target.num_rows > 1)) continue;
      task->drives[a] = 1, num++;
    }
  if (num > 0) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "%s: no joint between the base and the frame's link has a drive with a kp above "
                  "0, which follows targets",
                  what);
}

static sup_status find_frame(const sup_model *model, const sup_task_def *def, const char *what,
                             sup_task *task) {
  task->body = SUP_NONE;
  SUP_TRY(SUP_CALLOC(task->drives, model->num_actuators));
  if (!def->link[0]) return SUP_OK;
  SUP_TRY(sup_model_find_side(model, def->link, what, &task->body));
  if (task->body == SUP_NONE || model->body[task->body].soft != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: its frame is one of a link; '%s' is none", what, def->link);
  task->X_LF = sup_frame_from_pose(&def->X_LF);
  return find_chain(model, task, what);
}

static sup_status check_numbers(const sup_phase_def *d, const char *what) {
  double sum = d->duration + d->timeout + d->speed;
  for (int k = 0; k < 3; k++) sum += d->position[k];
  for (int k = 0; k < 4; k++) sum += d->rotation[k];
  for (int k = 0; k < d->num_drives; k++) sum += d->drives[k].target + d->drives[k].effort;
  if (!isfinite(sum)) return SUP_FAIL(SUP_E_ARG, "%s: one of its numbers is not finite", what);
  if (!(d->duration >= 0 && d->timeout >= 0 && d->retries >= 0 && d->speed >= 0))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: duration %g s, speed %g, timeout %g s and retries %d must not be negative",
                    what, d->duration, d->speed, d->timeout, d->retries);
  if (d->duration > 0 && d->speed > 0)
    return SUP_FAIL(SUP_E_ARG, "%s has a speed and a duration; one of them is enough", what);
  if (d->timeout > 0 && d->until.duration > d->timeout)
    return SUP_FAIL(SUP_E_ARG, "%s: its guard must hold for %g s, longer than the timeout of %g s",
                    what, d->until.duration, d->timeout);
  if (d->timeout > 0 && d->until.kind == SUP_EVENT_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s has a timeout, but no guard `until` that could be late", what);
  return SUP_OK;
}

static sup_status find_drives(const sup_model *model, const sup_task *task, const char *what,
                              sup_phase *phase) {
  const sup_phase_def *d = &phase->def;
  SUP_TRY(SUP_CALLOC(phase->actuator, d->num_drives));
  for (int k = 0; k < d->num_drives; k++) {
    const sup_phase_drive_def *drive = &d->drives[k];
    int                        tree, link;
    if (!sup_model_find_joint(model, drive->joint, &tree, &link))
      return SUP_FAIL(SUP_E_ARG, "%s: there is no joint '%s'", what, drive->joint);
    const sup_tree_link *joint = &model->tree[tree]->links[link];
    int                  a = phase->actuator[k] = find_drive(model, tree, link);
    if (a == SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "%s: the joint '%s' has no drive with a kp above 0", what,
                      drive->joint);
    bool in_chain = d->moves && task->drives[a];
    if (drive->has_target && in_chain)
      return SUP_FAIL(SUP_E_ARG, "%s: the joint '%s' moves the frame and cannot have a target, too",
                      what, drive->joint);
    if (drive->has_target && !(drive->target >= joint->lower && drive->target <= joint->upper))
      return SUP_FAIL(SUP_E_ARG,
                      "%s: the target %g of the joint '%s' is outside its limits, %g to %g %s%s",
                      what, drive->target, drive->joint, joint->lower, joint->upper,
                      sup_joint_turns(joint, 0) ? "rad" : "m",
                      sup_joint_turns(joint, 0) ? "; degrees are written with their unit" : "");
    if (!(drive->effort >= 0) || drive->effort > model->actuator[a].effort)
      return SUP_FAIL(SUP_E_ARG,
                      "%s: the effort %g of the joint '%s' is not between 0 and %g %s, that "
                      "of its drive",
                      what, drive->effort, drive->joint, model->actuator[a].effort,
                      sup_joint_turns(joint, 0) ? "N m" : "N");
  }
  return SUP_OK;
}

static sup_status find_next(const sup_task_def *def, const char *what, int p, const char *name,
                            int *next) {
  *next = SUP_NONE;
  if (strcmp(name, "stop") == 0) return SUP_OK;
  if (strcmp(name, "next") == 0) *next = p + 1;
  SUP_FREED const char **known = NULL;
  char                   hint[256];
  SUP_TRY(SUP_CALLOC(known, def->num_phases + 2));
  known[0] = "stop", known[1] = "next";
  for (int i = 0; i < def->num_phases; i++) {
    known[i + 2] = def->phases[i].name;
    if (strcmp(def->phases[i].name, name) == 0) *next = i;
  }
  if (*next != SUP_NONE) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "%s: there is no phase '%s' to go on with%s", what, name,
                  sup_known_text(name, known, def->num_phases + 2, hint, sizeof hint));
}

static sup_status build_phase(sup_model *model, const sup_task_def *def, int t, int p) {
  sup_task            *task = &model->task[t];
  sup_phase           *phase = &task->phase[p];
  const sup_phase_def *d = &def->phases[p];
  char                 what[WHAT_SIZE];
  int                  begins;
  sup_event_def        none = {SUP_EVENT_NONE};
  snprintf(what, sizeof what, "task '%s', phase '%s'", def->name, d->name);
  phase->def = *d, phase->def.drives = NULL, phase->body = phase->guard = SUP_NONE;
  SUP_TRY(SUP_CALLOC(phase->def.drives, d->num_drives));
  if (d->num_drives)
    memcpy(phase->def.drives, d->drives, (size_t)d->num_drives * sizeof *d->drives);
  for (int i = 0; i < p; i++)
    if (strcmp(def->phases[i].name, d->name) == 0)
      return SUP_FAIL(SUP_E_ARG, "two phases of task '%s' have the name '%s'", def->name, d->name);
  if (strcmp(d->name, "stop") == 0 || strcmp(d->name, "next") == 0)
    return SUP_FAIL(SUP_E_ARG, "%s: stop and next are no names of phases; `otherwise` has them",
                    what);
  SUP_TRY(check_numbers(d, what));
  if (d->moves && task->body == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s moves a frame, but its task has none", what);
  if (d->body[0]) {
    SUP_TRY(sup_model_find_side(model, d->body, what, &phase->body));
    if (phase->body == SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "%s: its goal is past a body; the world is none", what);
  }
  SUP_TRY(find_drives(model, task, what, phase));
  SUP_TRY(find_next(def, what, p, d->then[0] ? d->then : "next", &phase->then));
  if (phase->then == SUP_NONE) phase->then = def->num_phases;
  SUP_TRY(find_next(def, what, p, d->otherwise[0] ? d->otherwise : "stop", &phase->otherwise));
  SUP_TRY(sup_model_add_events(model, &none, &d->until, what, &begins, &phase->guard));
  if (phase->guard != SUP_NONE)
    model->event[phase->guard].task = t, model->event[phase->guard].phase = p;
  return SUP_OK;
}

static sup_status build_task(sup_model *model, const sup_task_def *def, int t) {
  sup_task *task = &model->task[t];
  char      what[WHAT_SIZE];
  snprintf(what, sizeof what, "task '%s'", def->name);
  snprintf(task->name, sizeof task->name, "%s", def->name);
  if (def->num_phases == 0) return SUP_FAIL(SUP_E_ARG, "%s has no phases", what);
  SUP_TRY(find_frame(model, def, what, task));
  task->first_phase = model->num_phases;
  SUP_TRY(SUP_CALLOC(task->phase, def->num_phases));
  for (int p = 0; p < def->num_phases; p++) {
    const sup_phase_def *d = &def->phases[p];
    task->num_phases = p + 1;
    SUP_TRY(sup_model_blame(d->file, d->line, d->column, build_phase(model, def, t, p)));
  }
  model->num_phases += def->num_phases;
  return SUP_OK;
}

static bool uses_drive(const sup_task *task, int a) {
  for (int p = 0; p < task->num_phases; p++)
    for (int k = 0; k < task->phase[p].def.num_drives; k++)
      if (task->phase[p].actuator[k] == a) return true;
  return task->drives[a];
}

/** Tasks leave drives of other robots to the tasks of these. */
static void leave_drives(const sup_model *model) {
  for (int a = 0; a < model->num_actuators; a++)
    for (int t = 0; t < model->num_tasks; t++)
      for (int i = 0; i < model->num_tasks; i++)
        if (i != t && model->task[t].tree != model->actuator[a].tree &&
            uses_drive(&model->task[i], a))
          model->task[t].drives[a] = 0;
}

/** Drives of one task at a time: what one sets, another would take back. */
static sup_status check_drives(const sup_model *model) {
  leave_drives(model);
  for (int a = 0; a < model->num_actuators; a++) {
    const sup_task *user = NULL;
    for (int t = 0; t < model->num_tasks; t++) {
      const sup_task *task = &model->task[t];
      bool            uses = uses_drive(task, a);
      if (uses && user)
        return SUP_FAIL(SUP_E_ARG, "the tasks '%s' and '%s' both move the drive '%s'", user->name,
                        task->name, model->actuator[a].name);
      if (uses) user = task;
    }
    if (user && model->actuator[a].target.num_rows > 1)
      sup_log(SUP_LOG_NOTE, "the targets of '%s' end where task '%s' first moves it",
              model->actuator[a].name, user->name);
  }
  return SUP_OK;
}

sup_status sup_model_build_tasks(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->task, def->num_tasks));
  for (int t = 0; t < def->num_tasks; t++) {
    const sup_task_def *d = &def->tasks[t];
    for (int i = 0; i < t; i++)
      if (strcmp(def->tasks[i].name, d->name) == 0)
        return SUP_FAIL(SUP_E_ARG, "two tasks have the name '%s'", d->name);
    model->num_tasks = t + 1;
    SUP_TRY(sup_model_blame(d->file, d->line, d->column, build_task(model, d, t)));
  }
  if (def->num_tasks > 0 && model->ranks)
    return SUP_FAIL(SUP_E_ARG, "several ranks take no tasks; run one");
  return check_drives(model);
}

/** True if the phase begins where the one before it in the list ends. */
static bool is_continued(const sup_model *model, const sup_task *task, int p) {
  const sup_phase *before = p > 0 ? &task->phase[p - 1] : NULL;
  bool             follows = before && before->body != SUP_NONE;
  return !before || (before->then == p && !(follows && model->body[before->body].movable));
}

/** Goals in the order of the phases, each from where the one before would end: what is out of
 * reach is told before a run.  Goals past a body that moves wait for it; where a phase begins is
 * unknown after them and after jumps, up to the next place in the world. */
sup_status sup_model_check_tasks(sup_model *model) {
  SUP_OWN(sup_state) *state = NULL;
  sup_options         options = sup_default_options();
  if (model->num_tasks == 0) return SUP_OK;
  for (int t = 0; t < model->num_tasks; t++) {
    const sup_task *task = &model->task[t];
    sup_state_destroy(&state);
    SUP_TRY(sup_state_create(&state, model, &options));
    bool is_known = true;
    for (int p = 0; p < task->num_phases; p++) {
      sup_phase           *phase = &task->phase[p];
      const sup_phase_def *d = &phase->def;
      sup_ik_report        report;
      double               duration;
      char                 reason[512];
      bool                 is_place = d->moves && !d->is_offset && !d->is_line && d->has_rotation;
      is_known = is_known && is_continued(model, task, p);
      if (phase->body != SUP_NONE && model->body[phase->body].movable) continue;
      if (!is_known && !is_place && d->moves) continue;
      is_known |= is_place;
      SUP_TRY(sup_model_blame(d->file, d->line, d->column,
                              sup_task_plan(model, task, p, state, &report, &duration)));
      phase->is_tried = true;
      sup_task_warn_of_speed(model, task, p, state, duration);
      state->time += duration;
      if (report.is_reached || phase->otherwise != SUP_NONE) continue;
      sup_task_unreachable_text(model, task, &report, reason, sizeof reason);
      return sup_model_blame(
          d->file, d->line, d->column,
          SUP_FAIL(SUP_E_ARG,
                   "task '%s', phase '%s': the goal is out of reach "
                   "%s: %s",
                   task->name, d->name, d->is_line ? "along the line" : "from there", reason));
    }
  }
  return SUP_OK;
}

void sup_task_free(sup_task *task) {
  for (int p = 0; p < task->num_phases; p++)
    SUP_FREE_ALL(&task->phase[p].def.drives, &task->phase[p].actuator);
  SUP_FREE_ALL(&task->phase, &task->drives);
}
