/** Joint limits and PD actuators -> rows.  Layer constraint. */
#pragma once

#include "constraint/rows.h"

/** Rows of every limited joint near its limit and of every actuator, at positions q and velocities v0 of the step's
 * start (time t).  row_v[i] is the joint velocity (index into the state's v) that row first + i acts on, with its sign
 * in row_sign; both have room for 2 num_v + num_actuators entries.
 *  @param[in] A_pattern, A  for the near-rigid rule */
typedef struct sup_joint_rows {
  int     first, count;
  int    *velocity; /* index into the state's v */
  double *sign;     /* of the Jacobian entry */
} sup_joint_rows;

SUP_NODISCARD sup_status sup_joint_rows_add(sup_joint_rows *out, sup_rows *rows, const sup_model *model, double t,
                                            const double *q, const double *v0, const sup_block_pattern *A_pattern,
                                            const double *A, sup_arena *arena);
