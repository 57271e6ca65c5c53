/* Condition number of the Hessian at the solution: power iterations with H and with its factor. */
#include <math.h>

#include "step/stepper.h"

enum { MAX_ITERATIONS = 1000 };
static const double change_tol = 1e-6; /* of the eigenvalue from one iteration to the next */

static double normalise(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  sum = sqrt(sum);
  for (int i = 0; i < n && sum > 0; i++) x[i] /= sum;
  return sum;
}

/** Neither symmetric nor constant, so that no eigenvector is left out by the symmetry of a scene. */
static void start(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 1 + sin(1 + 3. * i);
  normalise(x, n);
}

/** Largest eigenvalue of H. */
static double largest(const sup_block_pattern *P, const double *H, double *x, double *y) {
  int    n = P->num_scalars;
  double value = 0;
  start(x, n);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    sup_block_multiply(P, H, x, y);
    double next = normalise(y, n);
    for (int i = 0; i < n; i++) x[i] = y[i];
    int done = fabs(next - value) <= change_tol * next;
    value = next;
    if (done) break;
  }
  return value;
}

/** Largest eigenvalue of H^-1. */
static sup_status largest_of_inverse(sup_factor *factor, int n, double *x, double *value) {
  *value = 0;
  start(x, n);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    SUP_TRY(sup_factor_solve(factor, x));
    double next = normalise(x, n);
    int    done = fabs(next - *value) <= change_tol * next;
    *value = next;
    if (done) break;
  }
  return SUP_OK;
}

sup_status sup_stepper_condition(sup_stepper *s, const sup_problem *problem, double *condition) {
  int             n = s->A_pattern.num_scalars;
  double         *H, *G, *gamma, *x, *y, inverse;
  sup_hessian_map map;
  *condition = 1;
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, H, sup_block_pattern_num_values(&s->H_pattern)));
  SUP_TRY(SUP_ARENA(s->arena, G, 9 * problem->num_constraints));
  SUP_TRY(SUP_ARENA(s->arena, gamma, problem->num_vc));
  SUP_TRY(SUP_ARENA(s->arena, x, n));
  SUP_TRY(SUP_ARENA(s->arena, y, n));
  SUP_TRY(sup_hessian_map_create(&map, problem, s->arena));
  sup_problem_evaluate(problem, s->vc, gamma, G);
  sup_hessian_set_dynamics(problem, H);
  sup_hessian_set_constraints(problem, &map, G, H);
  SUP_TRY(sup_factor_numeric(s->factor, H));
  SUP_TRY(largest_of_inverse(s->factor, n, x, &inverse));
  *condition = largest(&s->H_pattern, H, x, y) * inverse;
  return SUP_OK;
}
