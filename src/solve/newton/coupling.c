#include "solve/newton/coupling.h"

#include <math.h>
#include <string.h>

#include "la/dense_lu.h"
#include "la/gmres.h"
#include "la/vector.h"
#include "solve/newton/numerics.h"

enum { MOST = SUP_COUPLING_MOST, TWIST = 6 };

/** Length of one row of C^T. */
static int row_size(const sup_problem *problem, const sup_constraint *c) {
  int size = 0;
  for (int k = 0; k < c->num_blocks; k++)
    size += sup_block_size(problem->A_pattern, problem->jacobian[c->first_block + k].block);
  return size;
}

sup_status sup_coupling_create(sup_coupling *c, const sup_problem *problem,
                               sup_linear_solver *factor, int num_change, sup_arena *arena) {
  size_t size = TWIST * TWIST * (size_t)problem->num_clusters,
         n = (size_t)problem->A_pattern->num_scalars,
         most = (size_t)(problem->num_constraints + TWIST * problem->num_clusters);
  for (int i = 0; i < problem->num_constraints; i++)
    size += 2 * (size_t)row_size(problem, &problem->constraint[i]);
  *c = (sup_coupling){.problem = problem, .factor = factor};
  SUP_TRY(SUP_ARENA(arena, c->basis, (MOST + 1) * most));
  SUP_TRY(SUP_ARENA(arena, c->change, (size_t)num_change * n));
  SUP_TRY(SUP_ARENA(arena, c->uncoupled, n));
  SUP_TRY(SUP_ARENA(arena, c->saved, 2 * n));
  SUP_TRY(SUP_ARENA(arena, c->row, problem->num_constraints));
  SUP_TRY(SUP_ARENA(arena, c->value, size));
  return SUP_OK;
}

bool sup_coupling_is_needed(const sup_problem *problem, const sup_law *law) {
  for (int i = 0; i < problem->num_constraints; i++)
    if (sup_law_is_coupled(&law[i])) return 1;
  return 0;
}

void sup_coupling_set_bounds(const sup_problem *problem, sup_law *law, const double *gamma) {
  for (int i = 0; i < problem->num_constraints; i++)
    if (sup_law_is_coupled(&law[i]))
      sup_law_set_lagged_impulse(&law[i], gamma[problem->constraint[i].first_vc + 2]);
}

void sup_coupling_add_slopes(const sup_problem *problem, const sup_law *law, const double *vc,
                             const double *gamma, double *G) {
  for (int i = 0; i < problem->num_constraints; i++) {
    int    at = problem->constraint[i].first_vc;
    double slope[2];
    if (!sup_law_is_coupled(&law[i])) continue;
    sup_law_bound_slope(&law[i], vc + at, gamma + at, slope);
    for (int k = 0; k < 2; k++) G[9 * i + 3 * k + 2] += slope[k] * G[9 * i + 8];
  }
}

/* ---- rows of C^T and columns of B ------------------------------------------------------------ */

#define INLINE static inline __attribute__((always_inline))

INLINE double along(const double *row, const double *x, const int size) {
  double sum = 0;
  for (int j = 0; j < size; j++) sum += row[j] * x[j];
  return sum;
}

INLINE void add(const double *row, double factor, double *restrict out, const int size) {
  for (int j = 0; j < size; j++) out[j] += factor * row[j];
}

/* Loops of constant sizes, for bodies and vertices. */
#define FOR_SIZE(call, size, ...)       \
  ((size) == 6   ? call(__VA_ARGS__, 6) \
   : (size) == 3 ? call(__VA_ARGS__, 3) \
                 : call(__VA_ARGS__, size))

/** Row G_nn J_n and column J_t^T slope of one contact, from its Jacobian [3 x size]. */
INLINE void set_rows(const double *J, int size, double Gnn, const double slope[2], double *row) {
  for (int j = 0; j < size; j++) {
    row[j] = Gnn * J[2 * size + j];
    row[size + j] = slope[0] * J[j] + slope[1] * J[size + j];
  }
}

/** Set the slope of friction by the normal impulse; returns 0 where there is none. */
static bool has_slope(const sup_law *law, const double *vc, const double *gamma, double slope[2]) {
  if (!sup_law_is_coupled(law) || !(law->coulomb.gn0 > 0)) return 0;
  sup_law_bound_slope(law, vc, gamma, slope);
  return slope[0] != 0 || slope[1] != 0;
}

/** Set the row of contact i; returns the number of its values. */
static int set_contact(const sup_problem *problem, int i, double Gnn, const double slope[2],
                       double *value) {
  const sup_constraint *c = &problem->constraint[i];
  int                   count = 0;
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &problem->jacobian[c->first_block + k];
    int                       size = sup_block_size(problem->A_pattern, b->block);
    set_rows(problem->jacobian_value + b->value, size, Gnn, slope, value + count);
    count += 2 * size;
  }
  return count;
}

/** Wrench by twist += column times row of contact i. */
static void add_contact(const sup_problem *problem, const sup_cluster *cluster, int i, double Gnn,
                        const double slope[2], double *sum) {
  double row[2 * TWIST];
  set_rows(problem->jacobian_value + cluster->S + 18 * (i - cluster->first), TWIST, Gnn, slope,
           row);
  for (int r = 0; r < TWIST; r++) add(row, row[TWIST + r], sum + TWIST * r, TWIST);
}

void sup_coupling_linearise(sup_coupling *q, const sup_law *law, const double *vc,
                            const double *gamma, const double *G) {
  const sup_problem *problem = q->problem;
  const sup_cluster *cluster = problem->cluster;
  const sup_cluster *end = cluster ? cluster + problem->num_clusters : NULL, *last = NULL;
  double            *value = q->value;
  q->num_rows = q->num_u = 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    int    at = problem->constraint[i].first_vc;
    double slope[2];
    while (cluster < end && cluster->first + cluster->count <= i) cluster++;
    if (!has_slope(&law[i], vc + at, gamma + at, slope)) continue;
    if (!(cluster < end && cluster->first <= i)) {
      q->row[q->num_rows++] = (sup_coupling_row){i, NULL, value}, q->num_u++;
      value += set_contact(problem, i, G[9 * i + 8], slope, value);
      continue;
    }
    if (cluster != last) {
      q->row[q->num_rows++] = (sup_coupling_row){i, last = cluster, value}, q->num_u += TWIST;
      memset(value, 0, TWIST * TWIST * sizeof *value);
      value += TWIST * TWIST;
    }
    add_contact(problem, cluster, i, G[9 * i + 8], slope, value - TWIST * TWIST);
  }
}

/** u := C^T x [N s, of wrenches N m s, too]. */
static void take_normal(const sup_coupling *q, const double *x, double *u) {
  const sup_problem *problem = q->problem;
  double             twist[TWIST];
  for (const sup_coupling_row *row = q->row; row < q->row + q->num_rows; row++) {
    const sup_constraint *c = &problem->constraint[row->constraint];
    const double         *value = row->value;
    if (row->cluster) {
      sup_problem_cluster_twist(problem, row->cluster, x, twist);
      for (int r = 0; r < TWIST; r++) *u++ = along(value + TWIST * r, twist, TWIST);
      continue;
    }
    *u = 0;
    for (int k = 0; k < c->num_blocks; k++) {
      int block = problem->jacobian[c->first_block + k].block,
          size = sup_block_size(problem->A_pattern, block);
      const double *at = x + sup_block_first(problem->A_pattern, block);
      *u += FOR_SIZE(along, size, value, at);
      value += 2 * size;
    }
    u++;
  }
}

/** x := B u. */
static void push(const sup_coupling *q, const double *u, double *x) {
  const sup_problem *problem = q->problem;
  memset(x, 0, (size_t)problem->A_pattern->num_scalars * sizeof *x);
  for (const sup_coupling_row *row = q->row; row < q->row + q->num_rows; row++) {
    const sup_constraint *c = &problem->constraint[row->constraint];
    const double         *value = row->value;
    if (row->cluster) {
      sup_problem_cluster_impulse(problem, row->cluster, u, x);
      u += TWIST;
      continue;
    }
    for (int k = 0; k < c->num_blocks; k++) {
      int block = problem->jacobian[c->first_block + k].block,
          size = sup_block_size(problem->A_pattern, block);
      double *at = x + sup_block_first(problem->A_pattern, block);
      FOR_SIZE(add, size, value + size, *u, at);
      value += 2 * size;
    }
    u++;
  }
}

/** x := H^-1 B u. */
static sup_status respond(const sup_coupling *q, const double *u, double *x) {
  push(q, u, x);
  return sup_linear_solver_solve(q->factor, sup_newton_numerics.coupling_exact, x, NULL);
}

/* ---- GMRES ----------------------------------------------------------------------------------- */

sup_status sup_coupling_correct(sup_coupling *q, double forcing, double *dv) {
  const int num_scalars = q->problem->A_pattern->num_scalars, n = q->num_u;
  sup_gmres g;
  double   *b = q->basis;
  q->is_negative = 0;
  take_normal(q, dv, b);
  double size = sup_norm(b, n);
  if (!(size > 0)) return SUP_OK;
  for (int i = 0; i < n; i++) b[i] /= size;
  sup_gmres_begin(&g, size);
  while (g.count < MOST && !g.is_invariant && fabs(g.rest[g.count]) > forcing * size) {
    double *u = q->basis + (size_t)g.count * (size_t)n, *w = u + n;
    double *change = q->change + (size_t)g.count * (size_t)num_scalars;
    SUP_TRY(respond(q, u, change));
    take_normal(q, change, w);
    for (int i = 0; i < n; i++) w[i] += u[i];
    sup_gmres_extend(&g, q->basis, n);
  }
  q->is_negative = g.is_negative;
  sup_gmres_finish(&g);
  for (int k = 0; k < g.count; k++) {
    const double *change = q->change + (size_t)k * (size_t)num_scalars;
    for (int i = 0; i < num_scalars; i++) dv[i] -= g.rest[k] * change[i];
  }
  return SUP_OK;
}

/** y += B C^T x. */
static void add_product(const void *self, const double *x, double *y) {
  const sup_coupling *q = self;
  double             *u = q->basis, *Bu = q->change;
  take_normal(q, x, u);
  push(q, u, Bu);
  for (int i = 0; i < q->problem->A_pattern->num_scalars; i++) y[i] += Bu[i];
}

sup_status sup_coupling_solve(sup_coupling *q, double forcing, double *dv,
                              sup_linear_report *report) {
  const sup_linear_addition addition = {add_product, q};
  q->is_negative = 0;
  if (q->num_rows == 0) return sup_linear_solver_solve(q->factor, forcing, dv, report);
  return sup_linear_solver_solve_added(q->factor, &addition, forcing, dv, report, &q->is_negative);
}

/** Sign of det M, row-major [n x n], which its factors overwrite. */
static int sign_of_determinant(double *M, int n, int *pivot) {
  int sign = 1, count = sup_dense_lu(n, M, pivot);
  for (int k = 0; k < count; k++)
    if ((pivot[k] != k) != (M[k * n + k] < 0)) sign = -sign;
  return sign;
}

sup_status sup_coupling_sign(sup_coupling *q, sup_arena *arena, int *sign, int *worst) {
  const int n = q->num_u;
  double   *M, *u = q->basis, *w = u + n;
  int      *pivot;
  *sign = 0, *worst = SUP_NONE;
  if (n > SUP_COUPLING_DENSE) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, M, (size_t)n * (size_t)n));
  SUP_TRY(SUP_ARENA(arena, pivot, n));
  memset(u, 0, (size_t)n * sizeof *u);
  double least = HUGE_VAL;
  for (int j = 0, row = 0, end = 0; j < n; j++) {
    if (j == end) end += q->row[row++].cluster ? TWIST : 1;
    u[j] = 1;
    SUP_TRY(respond(q, u, q->change));
    u[j] = 0;
    take_normal(q, q->change, w);
    for (int i = 0; i < n; i++) M[i * n + j] = w[i] + (i == j);
    if (M[j * n + j] < least) least = M[j * n + j], *worst = q->row[row - 1].constraint;
  }
  *sign = sign_of_determinant(M, n, pivot);
  return SUP_OK;
}
