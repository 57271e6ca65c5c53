#include "solve/dual/dual.h"

#include <math.h>
#include <string.h>

#include "solve/accept.h"
#include "solve/block_inverse.h"
#include "solve/dual/numerics.h"
#include "solve/island.h"

/* ---- setting up ------------------------------------------------------------------------------ */

static sup_status allocate(sup_dual *d) {
  const sup_problem *p = d->problem;
  double           **n[] = {&d->v, &d->free, &d->work, &d->start};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) SUP_TRY(SUP_ARENA(d->arena, *n[k], d->n));
  SUP_TRY(SUP_ARENA(d->arena, d->solved, 3 * d->n));
  SUP_TRY(SUP_ARENA(d->arena, d->row, p->num_constraints));
  SUP_TRY(SUP_ARENA(d->arena, d->block, p->num_jacobian_blocks));
  SUP_TRY(SUP_ARENA(d->arena, d->part, p->num_jacobian_blocks));
  SUP_TRY(SUP_ARENA(d->arena, d->bias, p->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, d->lambda, p->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, d->impulse, p->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, d->place, p->A_pattern->num_blocks));
  SUP_TRY(SUP_ARENA(d->arena, d->dynamics, sup_block_pattern_num_values(p->H_pattern)));
  sup_hessian_set_dynamics(p, d->dynamics);
  return SUP_OK;
}

/** Order scalars by the components of A, so that a row moves a few runs of scalars. */
static sup_status order_scalars(sup_dual *d, int **part_of) {
  const sup_block_pattern *P = d->problem->A_pattern;
  int                     *root, num = 0, at = 0;
  SUP_TRY(SUP_ARENA(d->arena, root, P->num_blocks));
  SUP_TRY(SUP_ARENA(d->arena, *part_of, P->num_blocks));
  sup_island_components(P, root);
  for (int b = 0; b < P->num_blocks; b++)
    (*part_of)[b] = root[b] == b ? num++ : (*part_of)[root[b]];
  SUP_TRY(SUP_ARENA(d->arena, d->part_start, num + 1));
  memset(d->part_start, 0, ((size_t)num + 1) * sizeof *d->part_start);
  for (int b = 0; b < P->num_blocks; b++) d->part_start[(*part_of)[b]] += sup_block_size(P, b);
  for (int k = 0; k <= num; k++) {
    int size = d->part_start[k];
    d->part_start[k] = at, at += size;
  }
  for (int b = 0; b < P->num_blocks; b++) {
    int *next = &d->part_start[(*part_of)[b]];
    d->place[b] = *next, *next += sup_block_size(P, b);
  }
  for (int k = num; k > 0; k--) d->part_start[k] = d->part_start[k - 1]; /* ends became starts */
  d->part_start[0] = 0;
  return SUP_OK;
}

/** J of anisotropic friction at S v_t. */
static sup_status stretch(sup_dual *d, const sup_anisotropy *S, int i) {
  const sup_constraint *c = &d->problem->constraint[i];
  double               *bias = d->bias + c->first_vc, x = bias[0], y = bias[1];
  bias[0] = S->xx * x + S->xy * y, bias[1] = S->xy * x + S->yy * y;
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
    int           n = d->block[k].size;
    const double *J = d->block[k].J;
    double       *own;
    SUP_TRY(SUP_ARENA(d->arena, own, 3 * n));
    for (int j = 0; j < n; j++) {
      own[j] = S->xx * J[j] + S->xy * J[n + j];
      own[n + j] = S->xy * J[j] + S->yy * J[n + j];
      own[2 * n + j] = J[2 * n + j];
    }
    d->block[k].J = own;
  }
  return SUP_OK;
}

static sup_status make_row(sup_dual *d, int i, const int *part_of, int *num_parts) {
  const sup_problem    *p = d->problem;
  const sup_constraint *c = &p->constraint[i];
  sup_dual_row         *row = &d->row[i];
  if (!sup_dual_row_of_law(&c->law, &d->options, row))
    return SUP_FAIL(SUP_E_ARG, "constraint %d of the kind %s has no dual form; newton solves it", i,
                    sup_law_name(c->law.kind));
  row->first = c->first_vc, row->first_part = *num_parts;
  memcpy(d->bias + c->first_vc, c->bias, (size_t)row->dimension * sizeof *d->bias);
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
    int b = p->jacobian[k].block, known = 0;
    d->block[k] = (sup_dual_block){d->place[b], sup_block_size(p->A_pattern, b),
                                   p->jacobian_value + p->jacobian[k].value};
    for (int q = row->first_part; q < *num_parts; q++) known |= d->part[q] == part_of[b];
    if (!known) d->part[(*num_parts)++] = part_of[b];
  }
  row->num_parts = *num_parts - row->first_part;
  d->has_nonlinear |= row->is_nonlinear;
  if (c->law.anisotropy.on) SUP_TRY(stretch(d, &c->law.anisotropy, i));
  return SUP_OK;
}

void sup_dual_arrange(const sup_dual *d, const double *x, double *out) {
  const sup_block_pattern *P = d->problem->A_pattern;
  for (int b = 0; b < P->num_blocks; b++)
    memcpy(out + d->place[b], x + P->offset[b], (size_t)sup_block_size(P, b) * sizeof *out);
}

/** Factor A, or factor A again after another matrix was factored; spd 0: A is not positive
 * definite. */
static sup_status factor_dynamics(sup_dual *d, bool *spd) {
  *spd = 1;
  if (d->has_dynamics) return SUP_OK;
  sup_linear_operator op = {
      .pattern = d->problem->H_pattern, .values = d->dynamics, .space = d->problem->space};
  sup_status status = sup_linear_solver_setup(d->factor, &op);
  *spd = status != SUP_E_NOT_SPD;
  if (*spd) SUP_TRY(status);
  d->has_dynamics = *spd;
  return SUP_OK;
}

/** x := A^-1 x */
static sup_status solve_dynamics(sup_dual *d, double *x) {
  bool spd;
  SUP_TRY(factor_dynamics(d, &spd)); /* A was positive definite when the dual was made */
  SUP_TRY(sup_linear_solver_solve(d->factor, sup_dual_numerics.exact, x, NULL));
  return SUP_OK;
}

/** x := v0 + A^-1 (p + J^T gamma - A v0), with round-off relative to the change; gamma NULL: 0.
 * Overwrites `solved`. */
static sup_status move_from_start(sup_dual *d, const double *gamma, double *x) {
  const sup_problem *p = d->problem;
  double            *Av = d->solved, *JTg = d->solved + d->n;
  sup_block_multiply(p->A_pattern, p->A, d->start, Av);
  if (gamma)
    sup_problem_generalized_impulse(p, gamma, JTg);
  else
    memset(JTg, 0, (size_t)d->n * sizeof *JTg);
  for (int k = 0; k < d->n; k++) x[k] = p->p[k] + JTg[k] - Av[k];
  SUP_TRY(solve_dynamics(d, x));
  for (int k = 0; k < d->n; k++) x[k] += d->start[k];
  return SUP_OK;
}

void sup_dual_clamp(const sup_dual_row *row, double *lambda) {
  if (row->cone == SUP_CONE_FRICTION)
    sup_cone_project(row->mu, lambda);
  else
    lambda[0] = fmin(fmax(lambda[0], row->lower), row->upper);
}

/** gamma_t = S lambda_t. */
static void to_round_cone(const sup_anisotropy *S, double *x) {
  double det = S->xx * S->yy - S->xy * S->xy, a = x[0], b = x[1];
  x[0] = (S->yy * a - S->xy * b) / det, x[1] = (S->xx * b - S->xy * a) / det;
}

static void from_round_cone(const sup_anisotropy *S, double *x) {
  double a = x[0], b = x[1];
  x[0] = S->xx * a + S->xy * b, x[1] = S->xy * a + S->yy * b;
}

/** c = J v + b of row i. */
static void velocity_of(const sup_dual *d, int i, const double *of, double *c) {
  const sup_constraint *row = &d->problem->constraint[i];
  const double         *bias = d->bias + row->first_vc;
  double                sum[3] = {bias[0]};
  int                   three = d->row[i].dimension == 3;
  if (three) sum[1] = bias[1], sum[2] = bias[2];
  for (int k = row->first_block; k < row->first_block + row->num_blocks; k++) {
    const sup_dual_block *b = &d->block[k];
    const double         *v = of + b->first, *J = b->J;
    int                   n = b->size;
    for (int j = 0; j < n; j++) {
      sum[0] += J[j] * v[j];
      if (three) sum[1] += J[n + j] * v[j], sum[2] += J[2 * n + j] * v[j];
    }
  }
  memcpy(c, sum, (size_t)d->row[i].dimension * sizeof *c);
}

static void velocity(const sup_dual *d, int i, double *c) { velocity_of(d, i, d->v, c); }

void sup_dual_rate(const sup_dual *d, const double *v, double *rate) {
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    velocity_of(d, i, v, rate + row->first);
    for (int r = 0; r < row->dimension; r++) rate[row->first + r] -= d->bias[row->first + r];
  }
}

/** lambda := projection of gamma on the cones. */
static void start_from(sup_dual *d, const double *gamma) {
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    const sup_law      *law = &d->problem->constraint[i].law;
    double             *lambda = d->lambda + row->first, size = 0;
    memcpy(lambda, gamma + row->first, (size_t)row->dimension * sizeof *lambda);
    for (int k = 0; k < row->dimension; k++) size += fabs(lambda[k]);
    if (!isfinite(size)) memset(lambda, 0, (size_t)row->dimension * sizeof *lambda);
    if (law->anisotropy.on) to_round_cone(&law->anisotropy, lambda);
    sup_dual_clamp(row, lambda);
  }
}

void sup_dual_impulse(const sup_dual *d, const double *lambda, double *impulse) {
  if (d->problem->num_vc) memcpy(impulse, lambda, (size_t)d->problem->num_vc * sizeof *impulse);
  for (int i = 0; i < d->num_rows; i++)
    if (d->problem->constraint[i].law.anisotropy.on)
      from_round_cone(&d->problem->constraint[i].law.anisotropy, impulse + d->row[i].first);
}

void sup_dual_round_impulse(const sup_dual *d, const double *impulse, double *lambda) {
  if (d->problem->num_vc) memcpy(lambda, impulse, (size_t)d->problem->num_vc * sizeof *lambda);
  for (int i = 0; i < d->num_rows; i++)
    if (d->problem->constraint[i].law.anisotropy.on)
      to_round_cone(&d->problem->constraint[i].law.anisotropy, lambda + d->row[i].first);
}

/** Compute g, and w of all rows from the diagonal blocks of A (THEORY 5.4). */
static sup_status estimate_rows(sup_dual *d) {
  sup_block_inverse inverse;
  SUP_TRY(sup_block_inverse_create(&inverse, d->problem->A_pattern, d->problem->A, d->arena));
  for (int i = 0; i < d->num_rows; i++) {
    const sup_constraint *c = &d->problem->constraint[i];
    sup_dual_row         *row = &d->row[i];
    int                   dim = row->dimension;
    double                W[9] = {0};
    for (int k = c->first_block; k < c->first_block + c->num_blocks; k++)
      SUP_TRY(
          sup_block_inverse_add(&inverse, d->problem->jacobian[k].block, dim, d->block[k].J, W));
    for (int r = 0; r < dim; r++) row->w += W[r * (dim + 1)] / dim;
    row->normal = W[dim * dim - 1];
    velocity_of(d, i, d->free, row->g);
  }
  return SUP_OK;
}

sup_status sup_dual_solve_velocity(sup_dual *d) {
  sup_dual_impulse(d, d->lambda, d->impulse);
  SUP_TRY(move_from_start(d, d->impulse, d->work));
  sup_dual_arrange(d, d->work, d->v);
  return SUP_OK;
}

sup_status sup_dual_create(sup_dual *d, const sup_problem *problem, sup_linear_solver *linear,
                           sup_cone_law law, const sup_solve_options *options, sup_arena *arena,
                           sup_solution *solution, sup_solve_report *report) {
  *d = (sup_dual){.problem = problem,
                  .factor = linear,
                  .arena = arena,
                  .options = options->dual,
                  .log = options->log,
                  .law = law,
                  .num_rows = problem->num_constraints,
                  .n = problem->A_pattern->num_scalars};
  *report = (sup_solve_report){.worst_block = SUP_NONE, .sweeps = 1, .round_off_block = SUP_NONE};
  bool spd;
  int *part_of, num_parts = 0;
  SUP_TRY(allocate(d));
  SUP_TRY(order_scalars(d, &part_of));
  for (int i = 0; i < d->num_rows; i++) SUP_TRY(make_row(d, i, part_of, &num_parts));
  SUP_TRY(factor_dynamics(d, &spd));
  if (!spd) {
    report->reason = SUP_REASON_NOT_SPD;
    report->worst_block = sup_linear_solver_failed_block(linear);
    return SUP_OK;
  }
  memcpy(d->start, solution->v, (size_t)d->n * sizeof *d->start);
  SUP_TRY(move_from_start(d, NULL, d->work));
  sup_dual_arrange(d, d->work, d->free);
  SUP_TRY(estimate_rows(d));
  start_from(d, solution->gamma);
  SUP_TRY(sup_dual_solve_velocity(d));
  sup_dual_linearise(d);
  return SUP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void sup_dual_velocity(const sup_dual *d, double *c) {
  for (int i = 0; i < d->num_rows; i++) velocity(d, i, c + d->row[i].first);
}

void sup_dual_slack(const sup_dual *d, int i, double u[3]) {
  const sup_dual_row *row = &d->row[i];
  velocity(d, i, u);
  for (int r = 0; r < row->dimension; r++)
    u[r] += row->R[r] * d->lambda[row->first + r] - row->target[r];
}

void sup_dual_add(sup_dual *d, int i, const double *change) {
  const sup_dual_row *row = &d->row[i];
  const double       *W = row->W;
  for (int r = 0; r < row->dimension; r++) d->lambda[row->first + r] += change[r];
  for (int q = row->first_part; q < row->first_part + row->num_parts; q++) {
    int first = d->part_start[d->part[q]], n = d->part_start[d->part[q] + 1] - first;
    double *restrict v = d->v + first;
    if (row->dimension == 3) {
      double x = change[0], y = change[1], z = change[2];
      for (int k = 0; k < n; k++) v[k] += (W[k] * x + W[n + k] * y) + W[2 * n + k] * z;
    } else {
      for (int k = 0; k < n; k++) v[k] += W[k] * change[0];
    }
    W += row->dimension * n;
  }
}

/** Row r of J_i^T in the problem's order. */
static void spread(const sup_dual *d, int i, int r, double *x) {
  const sup_constraint *c = &d->problem->constraint[i];
  memset(x, 0, (size_t)d->n * sizeof *x);
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++)
    memcpy(x + d->problem->A_pattern->offset[d->problem->jacobian[k].block],
           d->block[k].J + r * d->block[k].size, (size_t)d->block[k].size * sizeof *x);
}

/** G = J_i times the solved columns A^-1 J_i^T. */
static void set_block(sup_dual *d, int i) {
  const sup_constraint *c = &d->problem->constraint[i];
  sup_dual_row         *row = &d->row[i];
  int                   dim = row->dimension;
  memset(row->G, 0, sizeof row->G);
  for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
    const sup_dual_block *b = &d->block[k];
    int                   at = d->problem->A_pattern->offset[d->problem->jacobian[k].block];
    for (int r = 0; r < dim; r++)
      for (int s = 0; s < dim; s++)
        for (int j = 0; j < b->size; j++)
          row->G[r * dim + s] += b->J[r * b->size + j] * d->solved[s * d->n + at + j];
  }
  for (int r = 0; r < dim; r++)
    for (int s = 0; s < r; s++)
      row->G[r * dim + s] = row->G[s * dim + r] = 0.5 * (row->G[r * dim + s] + row->G[s * dim + r]);
}

sup_status sup_dual_activate(sup_dual *d, int i) {
  const sup_block_pattern *P = d->problem->A_pattern;
  sup_dual_row            *row = &d->row[i];
  int                      total = 0, dim = row->dimension;
  if (row->is_active) return SUP_OK;
  for (int r = 0; r < dim; r++) {
    spread(d, i, r, d->solved + r * d->n);
    SUP_TRY(solve_dynamics(d, d->solved + r * d->n));
  }
  set_block(d, i);
  for (int q = row->first_part; q < row->first_part + row->num_parts; q++)
    total += d->part_start[d->part[q] + 1] - d->part_start[d->part[q]];
  SUP_TRY(SUP_ARENA(d->arena, row->W, dim * total));
  for (int r = 0; r < dim; r++) {
    double *W = row->W;
    for (int b = 0; b < P->num_blocks; b++)
      memcpy(d->work + d->place[b], d->solved + r * d->n + P->offset[b],
             (size_t)sup_block_size(P, b) * sizeof *W);
    for (int q = row->first_part; q < row->first_part + row->num_parts; q++) {
      int first = d->part_start[d->part[q]], n = d->part_start[d->part[q] + 1] - first;
      memcpy(W + r * n, d->work + first, (size_t)n * sizeof *W);
      W += dim * n;
    }
  }
  row->is_active = 1;
  return SUP_OK;
}

bool sup_dual_is_open(const sup_dual *d, int i, const double u[3]) {
  const sup_dual_row *row = &d->row[i];
  const double       *lambda = d->lambda + row->first;
  if (row->cone == SUP_CONE_INTERVAL) return lambda[0] == 0 && row->lower == 0 && u[0] >= 0;
  if (lambda[2] != 0 || lambda[0] != 0 || lambda[1] != 0) return 0;
  double slip = d->law == SUP_CONE_LAW_CCP ? sqrt(u[0] * u[0] + u[1] * u[1]) : 0;
  return u[2] >= row->mu * slip;
}

void sup_dual_linearise(sup_dual *d) {
  for (int i = 0; i < d->num_rows; i++) {
    sup_dual_row *row = &d->row[i];
    double        c[3];
    if (!row->is_nonlinear) continue;
    velocity(d, i, c);
    sup_dual_row_linearise(row, &d->problem->constraint[i].law, c[2]);
  }
}

/* ---- the end
 * -------------------------------------------------------------------------------------- */

/** Residual of the momentum balance, as sup_solve_report has it. */
static sup_status certify(sup_dual *d, const sup_solution *solution, sup_solve_report *report) {
  const sup_problem    *p = d->problem;
  const sup_eliminated *e = p->eliminated;
  double               *D, *r = d->v, *Av = d->free, *JTg = d->work, sum[3] = {0, 0, 0};
  SUP_TRY(SUP_ARENA(d->arena, D, d->n));
  if (e)
    memcpy(D, e->inv_sqrt_d, (size_t)d->n * sizeof *D);
  else
    report->worst_block = sup_momentum_scaling(p, D);
  sup_block_multiply(p->A_pattern, p->A, solution->v, Av);
  sup_problem_generalized_impulse(p, solution->gamma, JTg);
  sum[1] = e ? e->square : 0;
  for (int k = 0; k < d->n; k++) {
    double all = Av[k] + (e ? e->momentum[k] : 0);
    r[k] = Av[k] - p->p[k] - JTg[k];
    sum[0] += D[k] * r[k] * (D[k] * r[k]);
    sum[1] += D[k] * all * (D[k] * all);
    sum[2] += D[k] * JTg[k] * (D[k] * JTg[k]);
  }
  report->worst_block = sup_worst_block(p->A_pattern, D, r);
  report->momentum_residual = sqrt(sum[0]);
  report->momentum_error =
      sup_momentum_error(report->momentum_residual, sqrt(sum[1]), sqrt(sum[2]));
  report->residual = r, report->momentum = Av, report->impulse = JTg, report->scaling = D;
  if (!isfinite(report->momentum_error)) report->reason = SUP_REASON_NONFINITE;
  return SUP_OK;
}

sup_status sup_dual_finish(sup_dual *d, sup_solution *solution, sup_solve_report *report) {
  sup_dual_impulse(d, d->lambda, solution->gamma);
  for (int i = 0; i < d->num_rows && solution->law; i++)
    solution->law[i] = sup_dual_row_impulse(&d->row[i], &d->problem->constraint[i].law,
                                            d->lambda + d->row[i].first);
  SUP_TRY(move_from_start(d, solution->gamma, solution->v));
  SUP_TRY(certify(d, solution, report));
  return SUP_OK;
}
