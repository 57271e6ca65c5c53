/** Constraints between bodies -> rows (THEORY 11.1).  Layer constraint. */
#pragma once

#include "constraint/contact_rows.h"
#include "model/constraint.h"

/** A row: the velocity of b past a along an axis, or the angular one about it. */
typedef struct sup_body_row {
  int    of, point; /* constraint of the model, and its point */
  bool   turns;     /* its impulse is a moment; of a coupler that of its joints */
  sup_v3 axis;      /* world */
  sup_v3 at;        /* place of the impulse on links [m] */
} sup_body_row;

typedef struct sup_body_rows {
  int           first, num_rows; /* in sup_rows */
  sup_body_row *row;             /* [num_rows] */
} sup_body_rows;

/** Poses of links [num_bodies] and vertices [num_vertices x 3]. */
typedef struct sup_placed {
  const sup_frame *X_WL;
  const double    *x, *q; /* q of a state */
} sup_placed;

/** Rows of the active constraints; Jacobians at the context's kinematics.  The change of each gap
 * from `start` to `ahead` beyond that by the velocities c->v0 is a bias: the curvature of the
 * constraint, and motions that are prescribed.
 *  @param[in] ahead  at the velocities c->v0 a step later; of load steps the iterate */
SUP_NODISCARD sup_status sup_body_rows_add(sup_body_rows *out, sup_rows *rows,
                                           const sup_contact_context *c, const sup_state *state,
                                           sup_placed start, sup_placed ahead);
/** Rows of each constraint that joints and the rows before keep already, num [num_constraints]; of
 * constraints of soft bodies 0. */
SUP_NODISCARD sup_status sup_body_rows_redundant(const sup_body_rows *rows, const sup_rows *all,
                                                 const sup_model *model, sup_arena *arena,
                                                 int *num);
/** Forces on b and moments about the mean of its points, of couplers the effort on the follower as
 * moment about x [N], [N m]; and forces on vertices.
 *  @param[out] wrench  [num_constraints]
 *  @param[in,out] force  [num_vertices x 3] += those on vertices [N] */
void sup_body_rows_forces(const sup_body_rows *rows, const sup_rows *all, const sup_model *model,
                          const double *gamma, double h, const sup_frame *X_WL, const double *x,
                          sup_wrench *wrench, double *force);
