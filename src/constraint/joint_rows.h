/** Limits of joints and of their velocities, joints that follow others, PD actuators and dry
 * friction -> rows.  Layer constraint. */
#pragma once

#include "constraint/body_rows.h"
#include "constraint/rows.h"

/** Rows whose efforts are told apart. */
typedef enum sup_joint_role {
  SUP_JOINT_ROW_EFFORT, /* limit of q, coupler, actuator */
  SUP_JOINT_ROW_FRICTION,
  SUP_JOINT_ROW_SPEED, /* limit of the velocity */
  SUP_NUM_JOINT_ROLES
} sup_joint_role;

/** Joint velocities on which the rows act: entry e is the Jacobian entry `factor` of row first +
 * row[e] at a velocity of the state's v. */
typedef struct sup_joint_rows {
  int             first, num_rows, num_entries;
  int            *row, *velocity; /* [num_entries] */
  double         *factor;         /* [num_entries] */
  sup_joint_role *role;           /* [num_entries] */
} sup_joint_rows;

/** Rows of every limited joint near its limit, of every joint that follows another, of every
 * actuator, of dry friction and of enforced limits of velocities, at positions q and velocities v0
 * of the increment's start.
 *  @param[in] at            places for the feedforward of drives
 *  @param[in] A_pattern, A  for the near-rigid rule
 *  @param[in] all_limits    1: of limits that are far away, too */
SUP_NODISCARD sup_status sup_joint_rows_add(sup_joint_rows *out, sup_rows *rows,
                                            const sup_model *model, const sup_increment *inc,
                                            const double *q, const double *v0, sup_placed at,
                                            const sup_block_pattern *A_pattern, const double *A,
                                            int all_limits, sup_arena *arena);
/** True if an increment with the velocities v passes a limit that has no row. */
int sup_joint_rows_missed(const sup_model *model, const sup_increment *inc, const double *q,
                          const double *v0, const double *v);
