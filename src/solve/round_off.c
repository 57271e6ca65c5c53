#include "solve/round_off.h"

#include <float.h>
#include <math.h>

#include "solve/numerics.h"

/** out += |A| |v|, A this rank's part, symmetric with its lower triangle stored. */
static void add_dynamics(const sup_problem *problem, const double *v, double *out) {
  const sup_block_pattern *P = problem->A_pattern;
  for (int col = 0; col < P->num_blocks; col++)
    for (int e = sup_block_column(P, col); e < sup_block_column(P, col + 1); e++) {
      int row = sup_block_row(P, e), m = sup_block_size(P, row), n = sup_block_size(P, col);
      const double *K = problem->A + sup_block_value(P, e), *x = v + sup_block_first(P, col),
                   *y = v + sup_block_first(P, row);
      double *to = out + sup_block_first(P, row), *back = out + sup_block_first(P, col);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
          double a = fabs(K[j * m + i]);
          to[i] += a * fabs(x[j]);
          if (row != col) back[j] += a * fabs(y[i]);
        }
    }
}

/** Output and arguments of `add_cell`. */
typedef struct sizes {
  const sup_block_pattern *P;
  const double            *v;
  double                  *out;
} sizes;

/** out += |K| |v| of a cell's blocks off its diagonal. */
static void add_cell(void *user, int n, const int *block, const double *K) {
  const sizes *of = user;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      double       *to = of->out + sup_block_first(of->P, block[a]);
      const double *x = of->v + sup_block_first(of->P, block[b]);
      for (int i = 0; i < 3 && a != b; i++)
        for (int j = 0; j < 3; j++) to[i] += fabs(K[(3 * a + i) * 3 * n + 3 * b + j]) * fabs(x[j]);
    }
}

/** size += |J_c| |v| */
static void add_velocity(const sup_problem *problem, const sup_constraint *c, int dim,
                         const double *v, double *size) {
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &problem->jacobian[c->first_block + k];
    const double             *J = problem->jacobian_value + b->value,
                 *x = v + sup_block_first(problem->A_pattern, b->block);
    int n = sup_block_size(problem->A_pattern, b->block);
    for (int r = 0; r < dim; r++)
      for (int j = 0; j < n; j++) size[r] += fabs(J[r * n + j] * x[j]);
  }
}

/** out += |J_c|^T size */
static void add_impulse(const sup_problem *problem, const sup_constraint *c, int dim,
                        const double *size, double *out) {
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &problem->jacobian[c->first_block + k];
    const double             *J = problem->jacobian_value + b->value;
    int                       first = sup_block_first(problem->A_pattern, b->block),
        n = sup_block_size(problem->A_pattern, b->block);
    for (int r = 0; r < dim; r++)
      for (int j = 0; j < n; j++) out[first + j] += fabs(J[r * n + j]) * size[r];
  }
}

static double norm(const sup_problem *problem, const double *inv_sqrt_d, const double *size) {
  double sum = 0;
  for (int i = 0; i < problem->A_pattern->num_scalars; i++)
    sum += inv_sqrt_d[i] * size[i] * (inv_sqrt_d[i] * size[i]);
  return sqrt(sum);
}

/** size += |J|^T |gamma|, or |J|^T |G| (|J| |v| + |b|) for the rounding of v_c. */
static void add_laws(const sup_problem *problem, const sup_law *law, const double *v,
                     const double *vc, bool is_rounding, double *size) {
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    double                rate[SUP_LAW_MAX_DIMENSION], impulse[SUP_LAW_MAX_DIMENSION];
    double                at[SUP_LAW_MAX_DIMENSION];
    sup_law_value         value;
    for (int r = 0; r < dim; r++) rate[r] = fabs(c->bias[r]);
    if (is_rounding) add_velocity(problem, c, dim, v, rate);
    for (int r = 0; r < dim; r++) /* contact within round-off counts as contact */
      at[r] = vc[c->first_vc + r] - (is_rounding ? 4 * DBL_EPSILON * rate[r] : 0);
    sup_law_evaluate(law ? &law[i] : &c->law, at, &value);
    for (int r = 0; r < dim; r++) {
      impulse[r] = is_rounding ? 0 : fabs(value.gamma[r]);
      for (int d = 0; d < dim && is_rounding; d++)
        impulse[r] += fabs(value.G[r * dim + d]) * rate[d];
    }
    add_impulse(problem, c, dim, impulse, size);
  }
}

/** 1: all constraint velocities are negligible relative to their bias.  Then a gap of 0 up to
 * round-off gives impulses of round-off size, for which momenta give no scale. */
static bool is_still(const sup_problem *problem, const double *v) {
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    double                own[SUP_LAW_MAX_DIMENSION] = {0}, most = 0, drive = 0;
    int                   dim = sup_law_dimension(c->law.kind);
    add_velocity(problem, c, dim, v, own);
    for (int r = 0; r < dim; r++) most = fmax(most, own[r]), drive = fmax(drive, fabs(c->bias[r]));
    if (!(most < sup_solve_numerics.still * drive)) return 0;
  }
  return problem->num_constraints > 0;
}

sup_round_off_estimate sup_residual_round_off(const sup_problem *problem, const sup_law *law,
                                              const double *v, const double *vc,
                                              const double *inv_sqrt_d, double *size) {
  int                    n = problem->A_pattern->num_scalars;
  sup_round_off_estimate lost;
  bool                   is_own = !problem->ranks || sup_is_first_rank(problem->ranks->collective);
  for (int i = 0; i < n; i++) size[i] = is_own ? fabs(problem->p[i]) : 0;
  add_dynamics(problem, v, size);
  if (problem->rest)
    problem->rest->cliques(problem->rest, 1, add_cell, &(sizes){problem->A_pattern, v, size});
  if (problem->ranks) problem->ranks->collective->sum(problem->ranks->collective, (size_t)n, size);
  add_laws(problem, law, v, vc, 0, size);
  lost.in_sums = DBL_EPSILON * norm(problem, inv_sqrt_d, size);
  add_laws(problem, law, v, vc, 1, size);
  lost.in_all = DBL_EPSILON * norm(problem, inv_sqrt_d, size);
  if (is_still(problem, v)) lost.in_sums = sup_solve_numerics.round_off_share * lost.in_all;
  return lost;
}
