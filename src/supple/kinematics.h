/** Joint positions that place a frame of a robot. */
#pragma once

#include "supple/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The part of a goal's rotation that counts. */
typedef enum sup_ik_rotation {
  SUP_IK_POSE,    /* all of it */
  SUP_IK_AXIS,    /* the direction of the frame's z axis */
  SUP_IK_POSITION /* none */
} sup_ik_rotation;

enum { SUP_IK_MAX_LIMITS = 16 };

typedef struct sup_ik_report {
  int    is_reached;
  int    num_joints;                  /* that move the frame, or that loops with it move */
  int    tries, iterations;           /* starts, and steps of all of them */
  double position_error;              /* of the frame, or where a loop closes [m] */
  double rotation_error;              /* likewise of the part that counts [rad] */
  int    num_at_limit;                /* joints at a limit there */
  int    at_limit[SUP_IK_MAX_LIMITS]; /* links of the tree that they carry */
} sup_ik_report;

#ifdef __cplusplus
}
#endif
