/** Definitions of constraints between two bodies. */
#pragma once

#include "supple/event.h"
#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of constraints: name in scenes, meaning. */
#define SUP_CONSTRAINT_LIST(X)                                                          \
  X(WELD, weld, "no motion of b past a; every vertex of a region of a soft b")          \
  X(BALL, ball, "one point in common")                                                  \
  X(HINGE, hinge, "one point and an axis through it in common")                         \
  X(ROD, rod, "two points at a distance, a spring with a damper if it has a stiffness") \
  X(ROPE, rope, "two points at most at a distance")                                     \
  X(COUPLER, coupler, "a joint that follows another, of any robot")
typedef enum sup_constraint_kind {
#define SUP_CONSTRAINT_ENTRY(NAME, name, meaning) SUP_CONSTRAINT_##NAME,
  SUP_CONSTRAINT_LIST(SUP_CONSTRAINT_ENTRY)
#undef SUP_CONSTRAINT_ENTRY
      SUP_NUM_CONSTRAINTS
} sup_constraint_kind;

/** Constraint of the motion of body b past body a, as stiff as the step resolves. */
typedef struct sup_constraint_def {
  char                name[SUP_NAME_MAX];
  sup_constraint_kind kind;
  char a[2 * SUP_NAME_MAX], b[2 * SUP_NAME_MAX]; /* bodies; a may be "world"; of a coupler
                                                    ROBOT/JOINT of leader and follower */
  double
      point_a[3]; /* end of a rod or rope on a, in its frame or the coordinates of its mesh [m] */
  double
      point_b[3]; /* point on b, likewise; of others than rods and ropes the common one at time 0 */
  int has_region_b; /* 1: the mean of a region of a soft b; of a weld each vertex of it */
  sup_region    region_b;
  double        axis[3];       /* of a hinge, in the frame of b */
  double        length;        /* of a rod or rope [m]; 0: that of time 0, or of the event `from` */
  double        stiffness;     /* of a rod or rope [N/m]; 0: as stiff as the step resolves */
  double        damping;       /* of one with a stiffness [N s/m] */
  double        ratio, offset; /* of a coupler: q_b = ratio q_a + offset */
  sup_event_def from, until; /* SUP_EVENT_NONE: from time 0, up to the end; what begins later keeps
                                the places of that moment */
  const char *file;          /* where a person wrote it, for messages; NULL: nowhere */
  int         line, column;
  int         marker; /* SUP_INITIALISED */
} sup_constraint_def;
#define SUP_DEFAULT_CONSTRAINT_DEF \
  { .marker = SUP_INITIALISED, .a = "world", .axis = {0, 0, 1}, .ratio = 1 }

SUP_API sup_constraint_def sup_default_constraint_def(void); /* a weld to the world */

#ifdef __cplusplus
}
#endif
