/** Tasks: phases that set targets and limits of drives, one after the other.  Layer model.
 *
 *  A phase plans its motion when it begins, from the targets of that moment, and writes it into the
 * inputs of the state as tables of the drives (model/inputs.h).  Guards are events that are looked
 * at in their phase alone (measure/event_watch.c). */
#pragma once

#include "model/model.h"
#include "supple/task.h"
#include "tree/inverse_kinematics.h"

typedef struct sup_phase {
  sup_phase_def def;
  int          *actuator;        /* [def.num_drives] */
  int           body;            /* past which the goal lies; SUP_NONE: the world */
  int           guard;           /* event; SUP_NONE */
  bool          is_tried;        /* planned before the run */
  int           then, otherwise; /* phases; the number of phases: the task is done; SUP_NONE: it
                                    stops */
} sup_phase;

typedef struct sup_task {
  char       name[SUP_NAME_MAX];
  int        body; /* of the frame; SUP_NONE: none */
  int        tree; /* the robot that moves it */
  sup_frame  X_LF;
  int        num_phases;
  sup_phase *phase;
  int        first_phase; /* of all tasks' */
  char      *drives; /* [num_actuators] 1: moves the frame, also by a loop with another robot */
} sup_task;

/** A task in a state. */
typedef struct sup_task_state {
  double phase;    /* index; number of phases: it is done; SUP_TASK_STOPPED */
  double begun;    /* its time [s] */
  double duration; /* of its motion [s] */
  double goal[3];  /* place at which its frame shall end [m] */
} sup_task_state;
enum { SUP_TASK_STOPPED = -1 };

/** Ways in which a phase ends. */
typedef enum sup_phase_end {
  SUP_PHASE_BEGINS,
  SUP_PHASE_MOVED,       /* the motion is over */
  SUP_PHASE_GUARD,       /* the guard has happened */
  SUP_PHASE_TIMEOUT,     /* it has not */
  SUP_PHASE_UNREACHABLE, /* no joint positions for its goal */
  SUP_NUM_PHASE_ENDS
} sup_phase_end;

/** An entry of the log of all tasks. */
typedef struct sup_task_entry {
  double time;  /* [s] */
  double phase; /* of all tasks' */
  double what;  /* sup_phase_end */
  double value; /* of the guard's column, or distance from the goal [m] */
} sup_task_entry;

/** Begin the first phases at time 0. */
SUP_NODISCARD sup_status sup_tasks_begin(const sup_model *model, sup_state *state);
/** After a step and its events: end phases and begin the next ones.
 *  @param[in] dt  length of steps; times are met to half of it [s] */
SUP_NODISCARD sup_status sup_tasks_step(const sup_model *model, double dt, sup_state *state);
/** True if the event is the guard of a phase that the state is not in. */
bool sup_task_guard_is_off(const sup_model *model, const sup_state *state, int event);
/** "task 'pick', phase 'down' begins", into text [size]. */
void sup_task_entry_text(const sup_model *model, const sup_task_entry *entry, char *text,
                         size_t size);
/** Column of the guard of an entry's phase; "" without. */
const char *sup_task_entry_column(const sup_model *model, const sup_task_entry *entry);
/** Plan phase p from the targets of the state, as if it began now.
 *  @param[out] report    of a goal; is_reached without one
 *  @param[out] duration  of the motion [s] */
SUP_NODISCARD sup_status sup_task_plan(const sup_model *model, const sup_task *task, int p,
                                       sup_state *state, sup_ik_report *report, double *duration);
/** Warn of the joint of a phase planned now that exceeds its limit of velocity by most. */
void sup_task_warn_of_speed(const sup_model *model, const sup_task *task, int p,
                            const sup_state *state, double duration);
/** Reason for which a goal is out of reach: joints at their limits, or the length of the arm. */
void sup_task_unreachable_text(const sup_model *model, const sup_task *task,
                               const sup_ik_report *report, char *text, size_t size);
