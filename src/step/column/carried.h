/** Points of bodies as functions of the unknown velocities: signed sums for springs and cables.
 * Layer step. */
#pragma once

#include "step/assembly.h"

/** Block column that moves a point. */
typedef struct sup_carried_part {
  double  sign; /* of the point in the sum */
  int     block, n;
  double *J; /* [3 x n] world Jacobian of the point */
} sup_carried_part;

/** Sum of signed points at the poses `within` and the vertices of the step's start. */
typedef struct sup_carried {
  int               num_parts;
  sup_carried_part *part;      /* [num_parts] */
  sup_v3            base, now; /* velocities by held motions alone, and of the step's start */
  sup_v3            back;      /* way of links from the start to the poses [m] */
} sup_carried;

/** Memory of one point with its Jacobians, for sums that are taken anew. */
SUP_NODISCARD sup_status sup_carried_reserve(const sup_model *model, const sup_body_point *at,
                                             sup_arena *arena, sup_carried *d);
/** Add sign times a point; part has room for it, Jacobians of new parts are from the arena.
 *  @param[in] all_v  velocities of trees at the time of `within` */
SUP_NODISCARD sup_status sup_carried_add(const sup_step_start *s, const sup_assembly *assembly,
                                         sup_arena *arena, const double *all_v,
                                         const sup_body_point *at, double sign, sup_carried *d);
/** J v of a part, v of its block, without the sign. */
sup_v3 sup_carried_apply(const sup_carried_part *part, const double *v);
/** Block (row part, column part) of A. */
double *sup_carried_block(sup_assembly *assembly, int row, int col);
/** Zero the blocks of A (row point, column point) in its lower triangle, but those of trees. */
void sup_carried_clear(sup_assembly *assembly, const sup_body_point *row,
                       const sup_body_point *col);
