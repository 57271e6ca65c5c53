/** Least value of a function under bounds and constraints, by NLopt.  Layer study, private. */
#pragma once

#include "base/status.h"

/** Function and constraints at a point; derivatives where they were asked for. */
typedef struct sup_optimizer_point {
  bool    is_there;  /* false: the function has no value here */
  double  f, *c;     /* c [m], at most 0 where the point is feasible */
  double *gradient;  /* [n] of f */
  double *jacobian;  /* [m x n] of c */
  double  excess;    /* largest c */
  double  violation; /* that, at least 0; infinite without a value */
} sup_optimizer_point;

typedef enum sup_optimizer_method {
  SUP_OPTIMIZER_SLSQP, /* sequential quadratic programming (Kraft 1988) */
  SUP_OPTIMIZER_MMA,   /* moving asymptotes (Svanberg 2002) */
  SUP_OPTIMIZER_COBYLA /* linear models of values alone (Powell 1994) */
} sup_optimizer_method;

typedef struct sup_optimizer {
  int                  n, m;       /* variables and constraints */
  const double        *low, *high; /* [n] bounds of the variables, a distance of 1 apart */
  sup_optimizer_method method;
  int                  evaluations; /* most of them */
  double               tolerance;   /* change of f over it, and of variables, at the end */
  double               feasible;    /* largest violation of a feasible point */
  /** Fill the point at x [n]; a failure ends the search with its status. */
  sup_status (*evaluate)(void *user, const double *x, bool with_gradient,
                         sup_optimizer_point *point);
  void *user;
} sup_optimizer;

typedef enum sup_optimizer_end {
  SUP_OPTIMIZER_CONVERGED,
  SUP_OPTIMIZER_NO_DESCENT, /* round-off, or derivatives that differ from the function's */
  SUP_OPTIMIZER_EXHAUSTED,  /* the most evaluations */
  SUP_OPTIMIZER_NOWHERE     /* no value at the start */
} sup_optimizer_end;

typedef struct sup_optimizer_report {
  sup_optimizer_end end;
  int               evaluations, rounds;
  double            f, violation; /* of the best point */
} sup_optimizer_report;

/** Search from x [n], which becomes the best point: the least f of feasible ones, else that of
 * least violation.  Rounds begin anew at the best point until one of them gains no more than the
 * tolerance, so that an end at a kink or in round-off is not the last word. */
SUP_NODISCARD sup_status sup_optimizer_run(const sup_optimizer *optimizer, double *x,
                                           sup_optimizer_report *report);
