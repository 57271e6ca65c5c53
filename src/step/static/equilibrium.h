/** Iteration towards the equilibrium of a load step: data shared by its files.  Private to layer
 * step. */
#pragma once

#include "step/static/static_equilibrium.h"
#include "step/true_cost.h"

typedef struct sup_static_iteration {
  sup_stepper     *s;
  const sup_state *state;    /* at the load step's start */
  sup_arena       *arena;    /* of the whole load step */
  sup_increment    seen;     /* for collisions: nothing falls */
  sup_kinematics   start;    /* kinematics there, with the bases' velocities of the load step */
  double          *r;        /* [num_scalars] */
  double          *before;   /* [num_scalars] velocities of the linearisation before */
  double *energy0, **force0; /* [num_softs] of elastic forces at the start; [num_vertices x 3] */
  double *push;              /* [num_blocks] */
  sup_problem   problem;
  sup_true_cost descent;
  int           is_held; /* nothing moves rigidly */
  double        size;    /* of the bodies [m] */
  double        radius;  /* trust radius: largest displacement of a vertex in one iteration [m] */
  double share; /* step length: fraction of the Newton step that is taken, 1; less in cycles of
                   contacts */
  double least_error; /* since the share changed last */
  double cycle_error; /* error when the share changed last; 0: it never did */
  int    best;        /* last iteration that reduced best_error by a tenth */
  double best_error;  /* smallest error since the last saddle [-] */
  int    is_far;      /* 1: the trust radius limited some body in the last iteration */
  int    stalled;     /* iterations that the error has not fallen below least_error */
  int    since;       /* iteration at which a saddle was left last */
  int    left;        /* number of saddles that were left */
  double shift;       /* shift of A's diagonal that last made A positive definite, after a saddle */
  int    is_kept;     /* 1: A is reused from an earlier linearisation */
  double A_error;     /* error where A was assembled */
  int    contracts;   /* 1: the last iteration reduced the error much */
  int    is_unasked;  /* 1: the last step was accepted without an energy check */
  int    asks;        /* 1: an unchecked step failed before: check energies */
  int is_minimum; /* 1: the factor of the last problem shows A positive definite at its solution */
} sup_static_iteration;

/** The residual of the true forces at s->solution.v, body by body, into it->r, out->error and
 * out->worst_block. */
void sup_statics_measure(sup_static_iteration *it, double tolerance, sup_equilibrium *out);
/** True if constraints act on the body of block b.  After sup_statics_measure. */
int sup_statics_is_touched(const sup_static_iteration *it, int b);
/** Largest displacement of the vertex or the joints of block b from the linearisation to
 * s->solution.v [m]. */
double sup_statics_way(const sup_static_iteration *it, int b);
/** Limit s->solution.v to the trust radius about the linearisation, by a factor for each island, so
 * that a falling body does not slow the others.  *ok := 0: not finite. */
SUP_NODISCARD sup_status sup_statics_shorten_ways(sup_static_iteration *it, int *ok);
/** Euclidean norm of a [n]. */
double sup_statics_norm(const double *a, int n);
