/** Definitions of tasks: phases of a robot's motion, each until a guard or the end of its motion.
 */
#pragma once

#include "supple/event.h"
#include "supple/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A drive of a phase. */
typedef struct sup_phase_drive_def {
  char   joint[2 * SUP_NAME_MAX]; /* "ROBOT/JOINT", which has an actuator */
  int    has_target;
  double target; /* at the end of the phase's motion [rad or m] */
  double effort; /* limit of the drive from here on, at most its own [N m or N]; 0: as before */
} sup_phase_drive_def;

/** A phase: its motion begins at once, and it ends at the guard `until` or, without one, with the
 * motion.  The joints that move the frame then stop where they are aimed at; other drives go on to
 * their targets, so that a gripper presses with its effort. */
typedef struct sup_phase_def {
  char   name[SUP_NAME_MAX];
  int    moves;     /* 1: the task's frame, to the goal `position`, `rotation` .. */
  int    is_line;   /* 1: along a line, turning evenly; 0: the joints move evenly */
  int    is_offset; /* 1: from where it is aimed at when the phase begins, along the world's axes */
  char   body[2 * SUP_NAME_MAX]; /* past its origin, of a soft one its centre of mass; "": none */
  double position[3];            /* [m] */
  int    has_rotation;           /* 0: the frame keeps its rotation */
  double rotation[4];            /* quaternion w x y z in the world */
  sup_ik_rotation      counts;   /* part of the rotation that counts */
  int                  num_drives;
  sup_phase_drive_def *drives;   /* beside those that the goal moves */
  double               duration; /* of the motion [s] */
  double               speed;    /* its largest, in place of the duration; 0: the duration counts */
  int                  turns;    /* 1: speed is of joints that turn [rad/s]; 0: of the frame on its
                                    line, without one of joints that slide [m/s] */
  sup_interpolation interpolation;
  sup_event_def     until;              /* guard; SUP_EVENT_NONE: the end of the motion */
  double            timeout;            /* longest duration of a phase with a guard [s]; 0: none */
  char              then[SUP_NAME_MAX]; /* phase after the guard or the motion; "": the next one */
  char        otherwise[SUP_NAME_MAX];  /* phase after a timeout or a goal out of reach; "": stop */
  int         retries;                  /* how often at most */
  const char *file;                     /* where a person wrote it; NULL: nowhere */
  int         line, column;
} sup_phase_def;

typedef struct sup_task_def {
  char           name[SUP_NAME_MAX];
  char           link[2 * SUP_NAME_MAX]; /* "ROBOT/LINK" of the frame; "": it moves joints alone */
  sup_pose       X_LF;                   /* the frame in it */
  int            num_phases;
  sup_phase_def *phases;
  const char    *file;
  int            line, column;
  int            marker; /* SUP_INITIALISED */
} sup_task_def;
#define SUP_DEFAULT_TASK_DEF                                       \
  {                                                                \
    .marker = SUP_INITIALISED, .X_LF = { {0, 0, 0}, {1, 0, 0, 0} } \
  }

SUP_API sup_task_def sup_default_task_def(void); /* no phases */

#ifdef __cplusplus
}
#endif
