/** Iteration log of a contact solver: rows of solver.csv.  Layer solve.
 *
 *  Kept with sup_solve_options.log; memory is of an arena. */
#pragma once

#include "base/memory.h"
#include "solve/strategy.h"

/** Residuals of a solution in the law that its solver solves; of contacts the raw residuals of P4
 * (THEORY 8), largest of all. */
typedef struct sup_law_residual {
  double primal;          /* distance of an impulse from its friction cone [N s] */
  double dual;            /* of a velocity from the dual cone [m/s] */
  double complementarity; /* |impulse . velocity| [J] */
  double relative; /* largest of the three with the impulses of joints, each row scaled by its
                      inverse mass, over the largest impulse, and over the slip of what pushes and
                      the velocity that impulses take away [-] */
  double energy;   /* what the solver makes small: of impulses 1/2 lambda (G + R) lambda + lambda
                      (g - c*), of velocities 1/2 v A v - p v + sum of l [J] */
} sup_law_residual;

/** An iterate of one island.  Numbers that its solver does not compute are NaN. */
typedef struct sup_iteration {
  int solution;       /* of the step, from 0: refinements and new linearisations count */
  int island, number; /* 0: the start; a strategy begins with the iterate where the one before ended
                       */
  int              strategy; /* sup_strategy that the iteration is a round of; SUP_NONE: plain */
  double           momentum_error; /* [-] */
  double           step;           /* step length to this iterate [-] */
  int              evaluations;    /* of the line search on the way here */
  double           slip;           /* fastest slip of a contact that pushes [m/s] */
  sup_law_residual residual;
  struct sup_iteration *next;
} sup_iteration;

typedef struct sup_iteration_log {
  sup_iteration *first, *last;
} sup_iteration_log;

/** Append a copy of `row`. */
SUP_NODISCARD sup_status sup_iteration_log_add(sup_iteration_log *log, sup_arena *arena,
                                               const sup_iteration *row);
/** Append copies of the rows of an island. */
SUP_NODISCARD sup_status sup_iteration_log_add_island(sup_iteration_log *log, sup_arena *arena,
                                                      const sup_iteration_log *own, int island);
/** Insert the rows of `before` at the start; the log's solutions are numbered after these. */
void sup_iteration_log_prepend(sup_iteration_log *log, const sup_iteration_log *before);
