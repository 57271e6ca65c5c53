/** Gauss-Seidel visits: the law of each constraint is solved in turn, with the impulses of all
 * others as they are.  Layer solve.
 *
 *  In an impact Newton's method takes friction bounds from velocities at which springs overshoot.
 * A visit cannot overshoot and has no line search that could stall: visits find the contact modes
 * but converge slowly, and Newton's method is fast once the modes are known.
 *
 *  A has to be block-diagonal (rigid bodies, trees): velocities are those of coordinates in which A
 * is 1, w = L v with A = L^T L, so that an impulse changes w by its row of J L^-1.  Of a tree the
 * row has the joints between link and base alone (Featherstone, Int. J. Robot. Res. 24 (2005)
 * 487). */
#pragma once

#include "solve/problem.h"

/** Columns of J L^-1 without zeros. */
typedef struct sup_visit_part {
  int     first, size; /* scalars */
  double *J;           /* [dimension x size] row-major */
} sup_visit_part;

/** Data of a constraint for its visits. */
typedef struct sup_visit {
  int             dimension, num_parts;
  sup_visit_part *part;
  double          W[9];       /* J A^-1 J^T [1/kg], dimension x dimension */
  double          tangential; /* the larger eigenvalue of its tangential part */
} sup_visit;

typedef struct sup_visits {
  const sup_problem *problem;
  sup_visit         *visit;   /* [num_constraints] */
  double            *L;       /* at A's places: factors of its blocks, lower triangles */
  double            *w;       /* [num_scalars] L v, A v = p + J^T impulse */
  double            *impulse; /* [num_vc] */
  double            *local;   /* [num_vc] velocities at which the laws give these impulses */
} sup_visits;

/** 1: all constraints can be visited.  Constraints of one or two block columns with Lagged friction
 * by the soft norm, coupled or not, elastic sticks, and laws of joints; no barriers, no friction
 * tensors; A is block-diagonal and on one rank. */
int sup_visits_apply(const sup_problem *problem);
/** E_NOT_SPD where a block of A has no factor. */
SUP_NODISCARD sup_status sup_visits_create(sup_visits *visits, const sup_problem *problem,
                                           sup_arena *arena);
/** Set the impulses to the normal impulses at the step's start, all others to 0. */
void sup_visits_start(sup_visits *visits);
/** Sweep over the constraints with the laws [num_constraints] in force, `most` times at most; ends
 * when a sweep changes the velocities by less than the share `still` of the impulses' velocities.
 */
int sup_visits_sweep(sup_visits *visits, const sup_law *law, int most);
/** v [num_scalars] of the impulses. */
void sup_visits_velocity(sup_visits *visits, double *v);
