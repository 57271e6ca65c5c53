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
  double dual;            /* distance of a velocity from the dual cone [m/s] */
  double complementarity; /* |impulse . velocity| [J] */
  double relative; /* largest of the three, joints included, each row scaled by its inverse mass;
                      relative to the largest impulse, and to the slip of pushing contacts and the
                      velocity that impulses remove [-] */
  double energy;   /* cost that the solver minimises: in impulses 1/2 lambda (G + R) lambda + lambda
                      (g - c*), in velocities 1/2 v A v - p v + sum of l [J] */
} sup_law_residual;

/** An iterate of one island.  Numbers that its solver does not compute are NaN. */
typedef struct sup_iteration {
  int solution;       /* number of the solution within the step, from 0; refinements and new
                         linearisations count */
  int island, number; /* 0: the start; a strategy begins with the last iterate of the previous one
                       */
  int                   strategy;       /* sup_strategy of the iteration; SUP_NONE: plain */
  double                momentum_error; /* [-] */
  double                step;           /* step length to this iterate [-] */
  int                   evaluations;    /* evaluations of the line search to this iterate */
  double                slip;           /* largest slip of a pushing contact [m/s] */
  sup_law_residual      residual;
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
/** Insert the rows of `before` at the start and renumber the log's solutions after them. */
void sup_iteration_log_prepend(sup_iteration_log *log, const sup_iteration_log *before);
