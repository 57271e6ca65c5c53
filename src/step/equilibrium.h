/** The iteration towards the equilibrium of a load step: what its files share.  Private to layer
 * step. */
#pragma once

#include "step/nonlinear.h"
#include "step/static_equilibrium.h"

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
  sup_problem problem;
  sup_descent descent;
  int         is_held; /* nothing moves rigidly */
  double      size;    /* of the bodies [m] */
  double      radius;  /* how far a vertex may go in one iteration [m] */
  double share; /* of the way to the solution that is gone: 1, less when contacts come and go */
  double least_error; /* since then */
  double cycle_error; /* when the share changed last; 0: it never did */
  int    best;        /* iteration of the least error, which was so much [-] */
  double best_error;
  int    is_far;    /* some body went as far as it may in the last iteration */
  int    stalled;   /* iterations that the error has not fallen below least_error */
  int    since;     /* iteration at which a saddle was left last */
  int    left;      /* times that one was */
  double shift;     /* of A's diagonal: what it took last to make A positive definite, after that */
  int    is_kept;   /* A is that of a linearisation before */
  double A_error;   /* where A was assembled */
  int    contracts; /* the last iteration made the error much less */
  int    is_unasked; /* nobody asked for energies on the last way .. */
  int    asks;       /* .. which was in vain once */
  int is_minimum; /* the last problem was solved with nothing but stiffness, and a small way to go
                   */
} sup_static_iteration;

/** The residual of the true forces at s->solution.v, body by body, into it->r, out->error and
 * out->worst_block. */
void sup_statics_measure(sup_static_iteration *it, double tolerance, sup_equilibrium *out);
/** Do constraints act on the body of block b?  After sup_statics_measure. */
int sup_statics_is_touched(const sup_static_iteration *it, int b);
/** Longest way of the vertex or the joints of block b between the velocities of the linearisation
 * and s->solution.v [m]. */
double sup_statics_way(const sup_static_iteration *it, int b);
/** s->solution.v goes no farther than the radius from where A and p are linear: bodies that act on
 * each other together, so that what falls does not hold up the others.  0: not finite. */
SUP_NODISCARD sup_status sup_statics_shorten_ways(sup_static_iteration *it, int *ok);
/** Euclidean norm of a [n]. */
double sup_statics_norm(const double *a, int n);
