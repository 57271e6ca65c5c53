#include "solve/coupling.h"

#include <math.h>
#include <string.h>

enum { MOST = SUP_COUPLING_MOST };
static const double tolerance =
    1e-6; /* of the direction: Newton, which squares it, is seldom better */
static const double accuracy = 1e-9; /* of the products, where the backend iterates */

sup_status sup_coupling_create(sup_coupling *c, const sup_problem *problem, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, c->basis, (size_t)(MOST + 1) * (size_t)problem->num_constraints));
  SUP_TRY(SUP_ARENA(arena, c->vc, problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, c->change, problem->A_pattern->num_scalars));
  return SUP_OK;
}

void sup_coupling_set_bounds(const sup_problem *problem, sup_law *law, const double *gamma) {
  for (int i = 0; i < problem->num_constraints; i++)
    if (law[i].kind == SUP_LAW_LAGGED)
      sup_law_set_lagged_impulse(&law[i], gamma[problem->constraint[i].first_vc + 2]);
}

/** What the impulse of friction is of the normal one that it goes by; 0 where nothing is coupled.
 */
static double bound_of(const sup_law *law) {
  return law->kind == SUP_LAW_LAGGED && law->coulomb.mu > 0 ? law->coulomb.gn0 : 0;
}

/** u := C^T x [N s]. */
static void take_normal(sup_coupling *q, const sup_problem *problem, const sup_law *law,
                        const double *G, const double *x, double *u) {
  sup_problem_constraint_velocity(problem, x, 0, q->vc);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    u[i] = bound_of(&law[i]) > 0 ? G[9 * i + 8] * q->vc[c->first_vc + 2] : 0;
  }
}

/** x := H^-1 B u. */
static sup_status respond(sup_coupling *q, const sup_problem *problem, const sup_law *law,
                          sup_linear_solver *factor, const double *gamma, const double *u,
                          double *x) {
  memset(q->vc, 0, (size_t)problem->num_vc * sizeof *q->vc);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    double                bound = bound_of(&law[i]);
    if (!(bound > 0)) continue;
    for (int k = 0; k < 2; k++) q->vc[c->first_vc + k] = gamma[c->first_vc + k] / bound * u[i];
  }
  sup_problem_generalized_impulse(problem, q->vc, x);
  return sup_linear_solver_solve(factor, accuracy, x, NULL);
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/** Column k of the Hessenberg matrix, whose rotations so far are cos, sin; rest [k + 1]: what the
 * residual still is. */
static void rotate(int k, double h[MOST + 1], double *cos, double *sin, double *rest) {
  for (int i = 0; i < k; i++) {
    double a = h[i];
    h[i] = cos[i] * a + sin[i] * h[i + 1], h[i + 1] = cos[i] * h[i + 1] - sin[i] * a;
  }
  double size = hypot(h[k], h[k + 1]);
  cos[k] = size > 0 ? h[k] / size : 1, sin[k] = size > 0 ? h[k + 1] / size : 0;
  h[k] = size;
  rest[k + 1] = -sin[k] * rest[k], rest[k] *= cos[k];
}

/** u := the sum of the basis with the y of the triangular R y = rest, R's column k in h[k]. */
static void combine(const sup_coupling *q, int count, double h[MOST][MOST + 1], double *rest, int n,
                    double *u) {
  for (int k = count - 1; k >= 0; k--) {
    for (int j = k + 1; j < count; j++) rest[k] -= h[j][k] * rest[j];
    rest[k] = h[k][k] > 0 ? rest[k] / h[k][k] : 0;
  }
  memset(u, 0, (size_t)n * sizeof *u);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < n; i++) u[i] += rest[k] * q->basis[(size_t)k * (size_t)n + (size_t)i];
}

/* GMRES: Saad, Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856. */
sup_status sup_coupling_correct(sup_coupling *q, const sup_problem *problem, const sup_law *law,
                                sup_linear_solver *factor, const double *gamma, const double *G,
                                double *dv) {
  int    n = problem->num_constraints, count = 0;
  double h[MOST][MOST + 1], cos[MOST], sin[MOST], rest[MOST + 1], *b = q->basis;
  take_normal(q, problem, law, G, dv, b);
  double size = sqrt(dot(b, b, n));
  if (!(size > 0)) return SUP_OK;
  for (int i = 0; i < n; i++) b[i] /= size;
  rest[0] = size;
  while (count < MOST && fabs(rest[count]) > tolerance * size) {
    double *u = q->basis + (size_t)count * (size_t)n, *w = u + n;
    SUP_TRY(respond(q, problem, law, factor, gamma, u, q->change));
    take_normal(q, problem, law, G, q->change, w);
    for (int i = 0; i < n; i++) w[i] += u[i];
    for (int k = 0; k <= count; k++) { /* modified Gram-Schmidt */
      const double *e = q->basis + (size_t)k * (size_t)n;
      h[count][k] = dot(w, e, n);
      for (int i = 0; i < n; i++) w[i] -= h[count][k] * e[i];
    }
    double next = h[count][count + 1] = sqrt(dot(w, w, n));
    for (int i = 0; i < n && next > 0; i++) w[i] /= next;
    rotate(count, h[count], cos, sin, rest);
    count++;
    if (!(next > 0)) break;
  }
  double *u = q->basis + (size_t)MOST * (size_t)n; /* the last column is not needed any more */
  combine(q, count, h, rest, n, u);
  SUP_TRY(respond(q, problem, law, factor, gamma, u, q->change));
  for (int i = 0; i < problem->A_pattern->num_scalars; i++) dv[i] -= q->change[i];
  return SUP_OK;
}
