/* Condition number of the Hessian at the solution: power iterations with H and with its factor. */
#include <math.h>

#include "la/vector.h"
#include "step/numerics.h"
#include "step/solution.h"

enum { MAX_ITERATIONS = 1000 };

static double normalise(double *x, int n) {
  double sum = sup_norm(x, n);
  for (int i = 0; i < n && sum > 0; i++) x[i] /= sum;
  return sum;
}

/** Start vector, neither symmetric nor constant: no eigenvector is orthogonal by a scene's
 * symmetry. */
static void start(double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 1 + sin(1 + 3. * i);
  normalise(x, n);
}

void sup_step_hessian_multiply(const sup_assembly *assembly, const sup_problem *problem,
                               const double *G, const double *x, double *vc, double *gamma,
                               double *y) {
  int     n = assembly->layout->A_pattern.num_scalars;
  double *Ax = y + n;
  sup_problem_multiply_laws(problem, G, x, vc, gamma, y);
  sup_assembly_multiply(assembly, x, Ax);
  for (int i = 0; i < n; i++) y[i] += Ax[i];
}

/** Largest eigenvalue of H. */
static sup_status largest(const sup_step_start *s, const sup_assembly *assembly,
                          const sup_problem *problem, const double *G, double *x, double *value) {
  int     n = s->layout->A_pattern.num_scalars;
  double *vc, *gamma, *y;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, problem->num_vc, &vc, &gamma));
  SUP_TRY(SUP_ARENA(s->arena, y, 2 * n));
  *value = 0;
  start(x, n);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    sup_step_hessian_multiply(assembly, problem, G, x, vc, gamma, y);
    double next = normalise(y, n);
    for (int i = 0; i < n; i++) x[i] = y[i];
    int done = fabs(next - *value) <= sup_step_numerics.eigenvalue_change * next;
    *value = next;
    if (done) break;
  }
  return SUP_OK;
}

/** Largest eigenvalue of H^-1. */
static sup_status largest_of_inverse(const sup_step_start *s, sup_reduction *reduction, double *x,
                                     double *value) {
  int     n = s->layout->A_pattern.num_scalars;
  double *work;
  SUP_TRY(SUP_ARENA(s->arena, work, n));
  *value = 0;
  start(x, n);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    SUP_TRY(sup_reduction_apply_inverse(reduction, x, work));
    double next = normalise(x, n);
    int    done = fabs(next - *value) <= sup_step_numerics.eigenvalue_change * next;
    *value = next;
    if (done) break;
  }
  return SUP_OK;
}

sup_status sup_step_condition(const sup_step_start *s, const sup_assembly *assembly,
                              const sup_problem *problem, const sup_step_solution *solution,
                              sup_reduction *reduction, double *condition) {
  int     n = s->layout->A_pattern.num_scalars;
  double *G, *gamma, *x, inverse, direct;
  *condition = 1;
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, G, 9 * problem->num_constraints));
  SUP_TRY(SUP_ARENA(s->arena, gamma, problem->num_vc));
  SUP_TRY(SUP_ARENA(s->arena, x, n));
  sup_problem_evaluate(problem, solution->law, solution->vc, gamma, G);
  SUP_TRY(sup_reduction_factor(reduction, problem, G, s->arena));
  SUP_TRY(largest_of_inverse(s, reduction, x, &inverse));
  SUP_TRY(largest(s, assembly, problem, G, x, &direct));
  *condition = direct * inverse;
  return SUP_OK;
}
