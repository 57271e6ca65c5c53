/** Iterative linear-quadratic regulator with bounds on the controls (Li and Todorov 2004; Tassa,
 * Mansard and Todorov 2014).  Layer control: knows the problem as functions alone. */
#pragma once

#include "base/memory.h"

/** Quadratic model of a problem about its trajectory, step after step, row-major. */
typedef struct sup_ilqr_model {
  double *A, *B;    /* [N x n x n], [N x n x m] */
  double *lx, *lxx; /* [(N + 1) x n], [(N + 1) x n x n] derivatives of the cost of a state */
  double *lu, *luu; /* [N x m], [N x m x m] of controls */
} sup_ilqr_model;

/** Policy u = u_k + alpha k_k + K_k (x - x_k) about the trajectory u_k, x_k, within the bounds. */
typedef struct sup_ilqr_policy {
  double *k, *K; /* [N x m], [N x m x n] */
} sup_ilqr_policy;

/** A problem with N steps, n numbers of dx, m of u. */
typedef struct sup_ilqr_problem {
  int           N, n, m;
  const double *low, *high; /* [m] bounds on u; may be infinite */
  const double *u;          /* [N x m] of the present trajectory */
  void         *user;
  /** Run a trial trajectory by the policy; its cost, INFINITY where a step fails. */
  sup_status (*roll)(void *user, const sup_ilqr_policy *policy, double alpha, double *cost);
  /** The trial becomes the present trajectory. */
  void (*accept)(void *user);
  /** Write the model about the present trajectory. */
  sup_status (*expand)(void *user, sup_ilqr_model *model);
} sup_ilqr_problem;

typedef enum sup_ilqr_reason {
  SUP_ILQR_CONVERGED,  /* the cost decreases by less than the tolerance */
  SUP_ILQR_ITERATIONS, /* as many as allowed */
  SUP_ILQR_STALLED     /* no step along the direction decreases the cost */
} sup_ilqr_reason;

typedef struct sup_ilqr_report {
  sup_ilqr_reason reason;
  int             iterations, rollouts;
  double          cost, first; /* of the last and of the first trajectory */
  double          decrease;    /* of the last iteration over its cost */
} sup_ilqr_report;

/** Told after every iteration; not 0: stop there. */
typedef int sup_ilqr_progress(void *user, const sup_ilqr_report *report, double alpha);

typedef struct sup_ilqr_options {
  int                max_iterations;
  double             tolerance; /* decrease of an iteration over the cost */
  sup_ilqr_progress *progress;  /* may be NULL */
  void              *user;
} sup_ilqr_options;

/** Minimise from the problem's present trajectory, whose model and cost are taken first.
 *  @param[out] policy  gains about the last trajectory, [N x m], [N x m x n]; the caller's memory
 */
SUP_NODISCARD sup_status sup_ilqr(const sup_ilqr_problem *problem, const sup_ilqr_options *options,
                                  sup_ilqr_policy *policy, sup_ilqr_report *report);

/** min 1/2 x^T H x + g^T x over low <= x <= high, H symmetric positive definite (projected Newton).
 *  @param[in,out] x  [m] start, solution
 *  @param[out] L  [m x m + 3 m] Cholesky factor of the free part of H, column-major, of size
 * *num_free; then workspace
 *  @param[out] free  [m] indices that are not at a bound
 *  @return 0: H is not positive definite */
int sup_bounded_step(int m, const double *H, const double *g, const double *low, const double *high,
                     double *x, double *L, int *free, int *num_free);
