/** Definitions of cables: lines of one tension along points of bodies. */
#pragma once

#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Quantity that is given of a cable. */
typedef enum sup_cable_drive {
  SUP_CABLE_TENSION, /* a given tension */
  SUP_CABLE_LENGTH   /* a given unstretched length, taut or slack */
} sup_cable_drive;

/** Point of a path. */
typedef struct sup_cable_point_def {
  char       body[2 * SUP_NAME_MAX]; /* soft body, rigid body, ROBOT/LINK or world */
  double     point[3];               /* in its frame, or the coordinates of its mesh [m] */
  int        has_region;             /* 1: the mean of vertices of a soft body instead */
  sup_region region;
  double     radius;  /* of a sheave about the point, of a link or the world [m]; 0: an eyelet */
  double     axis[3]; /* of the sheave, about which the cable turns by the right hand */
} sup_cable_point_def;

typedef struct sup_cable_def {
  char                 name[SUP_NAME_MAX];
  int                  num_points;
  sup_cable_point_def *points;
  sup_cable_drive      drive;
  double               tension;   /* given [N] */
  double               length;    /* given, unstretched [m] */
  int                  is_added;  /* 1: `length` is added to the length of the path at time 0 */
  sup_table            schedule;  /* width 1: tension [N] or length [m]; empty: constant */
  double               stiffness; /* EA, force per strain [N]; 0: inextensible */
  double               friction;  /* coefficient at the points between; 0: none */
  char                 winch[2 * SUP_NAME_MAX]; /* ROBOT/JOINT of a drum; "": none */
  double               radius; /* of the drum, or way by way of a sliding joint [m] or [-] */
  int                  marker; /* SUP_INITIALISED */
} sup_cable_def;
#define SUP_DEFAULT_CABLE_DEF \
  { .marker = SUP_INITIALISED }

SUP_API sup_cable_def sup_default_cable_def(void);

#ifdef __cplusplus
}
#endif
