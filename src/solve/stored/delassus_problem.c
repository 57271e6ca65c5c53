#include "solve/stored/delassus_problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "la/dense_eigen.h"
#include "la/linear_solver.h"
#include "solve/dual/dual.h"
#include "solve/dual/numerics.h"
#include "solve/stored/numerics.h"

/* ---- from the velocity form ------------------------------------------------------------------ */

static sup_status allocate(sup_delassus_problem *q, sup_arena *arena) {
  double **n[] = {&q->g, &q->R, &q->target};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) SUP_TRY(SUP_ARENA(arena, *n[k], q->size));
  SUP_TRY(SUP_ARENA(arena, q->mu, q->num_contacts));
  SUP_TRY(SUP_ARENA(arena, q->lower, q->num_joints));
  SUP_TRY(SUP_ARENA(arena, q->upper, q->num_joints));
  return SUP_OK;
}

static sup_status count_rows(sup_delassus_problem *q, const sup_problem *problem) {
  for (int i = 0; i < problem->num_constraints; i++) {
    int dim = sup_law_dimension(problem->constraint[i].law.kind);
    if (dim == 3 && q->num_joints > 0)
      return SUP_FAIL(SUP_E_ARG,
                      "constraint %d is a contact behind joints, expected contacts first", i);
    if (dim == 3)
      q->num_contacts++;
    else
      q->num_joints++;
  }
  q->size = problem->num_vc;
  return SUP_OK;
}

/** Rows of the laws, exact for linear laws, else by tangents. */
static void set_laws(sup_delassus_problem *q, const sup_dual *dual, const double *vc) {
  for (int i = 0; i < dual->num_rows; i++) {
    sup_dual_row *row = &dual->row[i];
    if (row->is_nonlinear)
      sup_dual_row_linearise(row, &dual->problem->constraint[i].law, vc[row->first + 2]);
    for (int r = 0; r < row->dimension; r++) {
      q->g[row->first + r] = row->g[r];
      q->R[row->first + r] = row->R[r], q->target[row->first + r] = row->target[r];
    }
    if (row->cone == SUP_CONE_FRICTION)
      q->mu[i] = row->mu;
    else
      q->lower[i - q->num_contacts] = row->lower, q->upper[i - q->num_contacts] = row->upper;
  }
}

/** Row r of J_i^T in the problem's order. */
static void spread(const sup_dual *d, int i, int r, double *x) {
  const sup_constraint    *c = &d->problem->constraint[i];
  const sup_block_pattern *P = d->problem->A_pattern;
  memset(x, 0, (size_t)d->n * sizeof *x);
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++)
    memcpy(x + sup_block_first(P, d->problem->jacobian[k].block),
           d->block[k].J + r * d->block[k].size, (size_t)d->block[k].size * sizeof *x);
}

/** J_i x. */
static void product(const sup_dual *d, int i, const double *x, double *out) {
  const sup_constraint    *c = &d->problem->constraint[i];
  const sup_block_pattern *P = d->problem->A_pattern;
  int                      dim = d->row[i].dimension;
  for (int r = 0; r < dim; r++) out[r] = 0;
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
    const double *v = x + sup_block_first(P, d->problem->jacobian[k].block);
    int           n = d->block[k].size;
    for (int r = 0; r < dim; r++)
      for (int j = 0; j < n; j++) out[r] += d->block[k].J[r * n + j] * v[j];
  }
}

/** Compute G column by column; each pair of rows uses the column of the later row, so that G is
 * exactly symmetric. */
static sup_status form_matrix(sup_delassus_problem *q, sup_dual *d) {
  size_t  n = (size_t)q->size;
  double *x;
  SUP_TRY(SUP_ARENA(d->arena, x, d->n));
  SUP_TRY(SUP_ARENA(d->arena, q->G, n * n));
  for (int i = 0; i < d->num_rows; i++)
    for (int r = 0; r < d->row[i].dimension; r++) {
      size_t column = (size_t)(d->row[i].first + r);
      spread(d, i, r, x);
      SUP_TRY(sup_linear_solver_solve(d->factor, sup_dual_numerics.exact, x, NULL));
      for (int j = 0; j <= i; j++) {
        double out[3];
        product(d, j, x, out);
        for (int s = 0; s < d->row[j].dimension; s++) {
          size_t row = (size_t)(d->row[j].first + s);
          if (row > column) continue;
          q->G[row * n + column] = q->G[column * n + row] = out[s];
        }
      }
    }
  return SUP_OK;
}

static sup_status form(sup_delassus_problem *q, const sup_problem *problem,
                       const sup_dual_options *dual_options, const double *vc, int with_matrix,
                       sup_linear_solver *factor, sup_arena *arena) {
  sup_dual          dual;
  sup_solve_report  report;
  sup_solve_options options = {.tolerance = 1, .dual = *dual_options};
  double           *v, *gamma;
  SUP_TRY(SUP_ARENA(arena, v, problem->A_pattern->num_scalars));
  SUP_TRY(SUP_ARENA(arena, gamma, problem->num_vc));
  for (int k = 0; k < problem->A_pattern->num_scalars; k++) v[k] = 0;
  for (int k = 0; k < problem->num_vc; k++) gamma[k] = 0;
  SUP_TRY(sup_dual_create(&dual, problem, factor, SUP_CONE_LAW_NCP, &options, arena,
                          &(sup_solution){v, gamma, NULL}, &report));
  if (report.reason < 0)
    return SUP_FAIL(SUP_E_NOT_SPD,
                    "the matrix of the step is not positive definite at the block "
                    "column %d: there is no Delassus matrix",
                    report.worst_block);
  set_laws(q, &dual, vc);
  if (with_matrix) SUP_TRY(form_matrix(q, &dual));
  return SUP_OK;
}

sup_status sup_delassus_of_problem(sup_delassus_problem *q, const sup_problem *problem,
                                   const sup_dual_options *options, const double *vc,
                                   int with_matrix, sup_arena *arena) {
  const sup_block_pattern    *P = problem->A_pattern;
  sup_problem                 own = *problem;
  SUP_OWN(sup_linear_solver) *factor = NULL;
  int                        *same;
  *q = (sup_delassus_problem){0};
  SUP_TRY(count_rows(q, problem));
  if (with_matrix && q->size > SUP_DELASSUS_MAX_ROWS)
    return SUP_FAIL(
        SUP_E_ARG,
        "the contact problem has %d rows (%d contacts); its Delassus matrix is formed up "
        "to %d rows, beyond them there are only operators, A and J (--operators)",
        q->size, q->num_contacts, SUP_DELASSUS_MAX_ROWS);
  SUP_TRY(allocate(q, arena));
  SUP_TRY(SUP_ARENA(arena, same, sup_block_column(P, P->num_blocks)));
  for (int e = 0; e < sup_block_column(P, P->num_blocks); e++) same[e] = e;
  own.H_pattern = P, own.A_to_H = same, own.eliminated = NULL;
  SUP_TRY(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  SUP_TRY(sup_linear_solver_analyse(factor, P, NULL));
  SUP_TRY(form(q, &own, options, vc, with_matrix, factor, arena));
  return SUP_OK;
}

/* ---- to a velocity form ---------------------------------------------------------------------- */

enum { BLOCK = 6 /* scalars of a block column, a size with fast products */ };

/** G = L L^T with L [size x rank] row-major, by the largest scaled pivot first (Higham, Accuracy
 * and Stability, 10.3), down to `limit`.  Scaled by its diagonal, a light row beside a heavy one
 * counts as much.
 *  @param  left, scale  [size] workspace */
static void factor_down_to(const sup_delassus_problem *q, double limit, double *L, double *left,
                           double *scale, int *rank) {
  size_t n = (size_t)q->size;
  memset(L, 0, n * n * sizeof *L);
  for (size_t i = 0; i < n; i++) left[i] = scale[i] = q->G[i * n + i];
  for (*rank = 0; *rank < q->size; ++*rank) {
    size_t k = (size_t)*rank, pivot = n;
    double largest = limit;
    for (size_t i = 0; i < n; i++)
      if (scale[i] > 0 && left[i] / scale[i] > largest) largest = left[i] / scale[i], pivot = i;
    if (pivot == n) break;
    double root = sqrt(left[pivot]);
    for (size_t i = 0; i < n; i++) {
      double sum = q->G[i * n + pivot];
      if (left[i] == 0 && i != pivot) continue; /* pivot already used, or remainder negligible */
      for (size_t j = 0; j < k; j++) sum -= L[i * n + j] * L[pivot * n + j];
      L[i * n + k] = i == pivot ? root : sum / root;
      left[i] -= L[i * n + k] * L[i * n + k];
    }
    left[pivot] = 0;
  }
}

/** Largest entry of G - L L^T. */
static double what_is_missing(const sup_delassus_problem *q, const double *L, int rank) {
  size_t n = (size_t)q->size;
  double most = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = q->G[i * n + j];
      for (size_t k = 0; k < (size_t)rank; k++) sum -= L[i * n + k] * L[j * n + k];
      most = fmax(most, fabs(sum));
    }
  return most;
}

static sup_status refuse(const sup_delassus_problem *q, double largest, sup_arena *arena) {
  enum { MOST = 300 /* number of rows whose eigenvalues Jacobi's rotations find in a second */ };
  size_t  n = (size_t)q->size;
  double *A, *Q, least = HUGE_VAL;
  if (q->size > MOST)
    return SUP_FAIL(SUP_E_ARG, "G is not positive semidefinite, expected G = J A^-1 J^T");
  SUP_TRY(SUP_ARENA(arena, A, n * n));
  SUP_TRY(SUP_ARENA(arena, Q, n * n));
  memcpy(A, q->G, n * n * sizeof *A);
  sup_dense_eigen(q->size, A, Q);
  for (size_t i = 0; i < n; i++) least = fmin(least, A[i * n + i]);
  return SUP_FAIL(SUP_E_ARG,
                  "G is not positive semidefinite: its least eigenvalue is %g, its largest entry "
                  "%g, expected G = J A^-1 J^T",
                  least, largest);
}

/** Factor L with limits of double precision, or of single precision if G is semidefinite only to
 * that accuracy. */
static sup_status factor_matrix(const sup_delassus_problem *q, sup_arena *arena, double **out,
                                int *rank) {
  size_t  n = (size_t)q->size;
  double *left, *scale, largest = 0;
  SUP_TRY(SUP_ARENA(arena, *out, n * n));
  SUP_TRY(SUP_ARENA(arena, left, n));
  SUP_TRY(SUP_ARENA(arena, scale, n));
  for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(q->G[i]));
  for (int k = 0; k < 2; k++) {
    factor_down_to(q,
                   (double)n * (k ? sup_stored_numerics.pivot_single : sup_stored_numerics.pivot),
                   *out, left, scale, rank);
    double share = k ? (double)n * sup_stored_numerics.missing_single : sup_stored_numerics.missing;
    if (what_is_missing(q, *out, *rank) <= share * largest) return SUP_OK;
  }
  SUP_TRY(refuse(q, largest, arena));
  return SUP_OK;
}

/** Law with the row's cone and compliance R; target 0, since the bias contains the target. */
static sup_status law_of_contact(const sup_delassus_problem *q, int i, sup_law *law) {
  const double *R = q->R + 3 * i;
  if (R[0] != R[1])
    return SUP_FAIL(
        SUP_E_ARG,
        "contact %d (from 0) has the tangential compliances %g and %g, expected the same "
        "in both directions",
        i, R[0], R[1]);
  *law = (sup_law){.kind = SUP_LAW_SAP, .sap = {.mu = q->mu[i], .Rt = R[0], .Rn = R[2]}};
  return SUP_OK;
}

static sup_status law_of_joint(const sup_delassus_problem *q, int j, sup_law *law) {
  double lower = q->lower[j], upper = q->upper[j], R = q->R[3 * q->num_contacts + j];
  double stiffness = 1 / R; /* infinite for rigid contact */
  if (lower == 0 && upper == HUGE_VAL)
    *law = (sup_law){.kind = SUP_LAW_LIMIT, .limit = {.H = stiffness}};
  else if (lower == -HUGE_VAL && upper == HUGE_VAL)
    *law = (sup_law){.kind = SUP_LAW_COUPLER, .limit = {.H = stiffness}};
  else if (lower == -upper && upper >= 0)
    *law = (sup_law){.kind = SUP_LAW_PD, .pd = {.dt = 1, .slope = stiffness, .effort = upper}};
  else
    return SUP_FAIL(
        SUP_E_ARG,
        "joint row %d (from 0) has the bounds %g and %g, expected 0 and inf, -inf and inf, "
        "or -e and e",
        j, lower, upper);
  return SUP_OK;
}

/** Constraints with the nonzero blocks of L. */
static sup_status make_rows(const sup_delassus_problem *q, const double *L, int rank,
                            sup_arena *arena, sup_problem *out) {
  int                 n = q->size, num_blocks = (rank + BLOCK - 1) / BLOCK;
  int                 num_rows = q->num_contacts + q->num_joints, first = 0, count = 0;
  size_t              used = 0;
  sup_constraint     *constraint;
  sup_jacobian_block *jacobian;
  double             *value;
  SUP_TRY(SUP_ARENA(arena, constraint, num_rows));
  SUP_TRY(SUP_ARENA(arena, jacobian, num_rows * num_blocks));
  SUP_TRY(SUP_ARENA(arena, value, (size_t)n * (size_t)rank));
  for (int i = 0; i < num_rows; i++) {
    sup_constraint *c = &constraint[i];
    int             dim = i < q->num_contacts ? 3 : 1;
    *c = (sup_constraint){.first_vc = first, .first_block = count};
    SUP_TRY(dim == 3 ? law_of_contact(q, i, &c->law)
                     : law_of_joint(q, i - q->num_contacts, &c->law));
    for (int r = 0; r < dim; r++) c->bias[r] = q->g[first + r] - q->target[first + r];
    for (int b = 0; b < num_blocks; b++) {
      int     size = rank - BLOCK * b < BLOCK ? rank - BLOCK * b : BLOCK, is_zero = 1;
      double *J = value + used;
      for (int r = 0; r < dim; r++)
        for (int j = 0; j < size; j++) {
          J[r * size + j] = L[(size_t)(first + r) * (size_t)n + (size_t)(BLOCK * b + j)];
          is_zero &= J[r * size + j] == 0;
        }
      if (is_zero) continue;
      jacobian[count++] = (sup_jacobian_block){b, used};
      used += (size_t)(dim * size);
    }
    c->num_blocks = count - c->first_block;
    first += dim;
  }
  out->num_constraints = num_rows, out->num_vc = n, out->num_jacobian_blocks = count;
  out->constraint = constraint, out->jacobian = jacobian, out->jacobian_value = value;
  return SUP_OK;
}

/** A := identity. */
static sup_status make_dynamics(int rank, sup_block_pattern *pattern, sup_arena *arena,
                                sup_problem *out) {
  int     num_blocks = (rank + BLOCK - 1) / BLOCK, *size;
  double *A, *p;
  SUP_TRY(SUP_ARENA(arena, size, num_blocks));
  for (int b = 0; b < num_blocks; b++)
    size[b] = rank - BLOCK * b < BLOCK ? rank - BLOCK * b : BLOCK;
  SUP_TRY(sup_block_pattern_build(pattern, num_blocks, size, 0, NULL));
  size_t num = sup_block_pattern_num_values(pattern);
  SUP_TRY(SUP_ARENA(arena, A, num));
  SUP_TRY(SUP_ARENA(arena, p, rank));
  for (size_t k = 0; k < num; k++) A[k] = 0;
  for (int b = 0; b < num_blocks; b++)
    for (int j = 0; j < size[b]; j++)
      A[sup_block_diagonal(pattern, b) + (size_t)(j * (size[b] + 1))] = 1, p[BLOCK * b + j] = 0;
  out->A_pattern = pattern, out->A = A, out->p = p;
  return SUP_OK;
}

sup_status sup_delassus_to_problem(const sup_delassus_problem *q, sup_block_pattern *pattern,
                                   sup_arena *arena, sup_problem *out) {
  double *L = NULL;
  int     rank = 0;
  *out = (sup_problem){0};
  SUP_TRY(factor_matrix(q, arena, &L, &rank));
  SUP_TRY(make_rows(q, L, rank, arena, out));
  SUP_TRY(make_dynamics(rank, pattern, arena, out));
  return SUP_OK;
}
