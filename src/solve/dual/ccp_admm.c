/* The convex relaxation of Coulomb's law by the alternating direction method of multipliers with a
 * proximal term (P4; THEORY 8).
 *
 *  The weights w_i are inverse masses of the contacts plus R, so that rho and eta have no unit and
 * rows of forces and moments are comparable:
 *
 *      lambda = -(G + R + (rho + eta) w)^-1 (g - c* + y - rho w z - eta w lambda),
 *      z = P_K(lambda + y / (rho w)),        y += rho w (lambda - z).
 *
 *  No row of G is needed: with D = R + (rho + eta) w and h = y - c* - rho w z - eta w lambda the
 * velocities v of the new lambda are those of (A + J^T D^-1 J) v = p - J^T D^-1 (b + h), and lambda
 * = -D^-1 (J v + b + h).  The matrix is that of Newton's method, so that mass ratios of 1e6 cost no
 * iterations. eta regularises internal forces, which velocities do not determine. */
#include <math.h>
#include <string.h>

#include "solve/dual/dual_hessian.h"
#include "solve/dual/numerics.h"

enum { CAP = 1000, ADAPT = 10 /* iterations between two updates of rho */ };

typedef struct admm {
  double           rho, eta, grow; /* grow: factor of changes of rho */
  double           least, most;    /* bounds of rho, for residuals of round-off size */
  double           exponent;       /* exponent of rho's steps; reduced at each reversal */
  int              rising;         /* last change of rho: 1: up, -1: down, 0: none */
  double          *z, *y, *c;      /* [num_vc] */
  double          *before;         /* [num_vc] lambda of the iteration before */
  double          *R, *target;     /* [num_vc] tangents that the factor has */
  double          *mass;           /* [num_constraints] about the diagonal of G [1/kg] */
  double          *W;              /* [num_vc] weights mass + R */
  double          *x;              /* [n] in the problem's order */
  sup_dual_hessian hessian;        /* A + J^T D^-1 J */
  int              count, is_factored;
  double primal, dual; /* |lambda - z| and |rho (z - z_before) + eta (lambda - lambda_before)| of
                          the last iteration [sqrt(J)] */
} admm;

/** D of one component. */
static double weight(const admm *q, const sup_dual_row *row, int r) {
  return q->R[row->first + r] + (q->rho + q->eta) * q->W[row->first + r];
}

static void take_tangents(const sup_dual *d, admm *q) {
  for (int i = 0; i < d->num_rows; i++)
    for (int r = 0; r < d->row[i].dimension; r++) {
      q->R[d->row[i].first + r] = d->row[i].R[r];
      q->target[d->row[i].first + r] = d->row[i].target[r];
      q->W[d->row[i].first + r] = q->mass[i] + d->row[i].R[r];
    }
}

static sup_status factor(sup_dual *d, admm *q) {
  bool spd;
  take_tangents(d, q);
  memset(q->hessian.D, 0, 9 * (size_t)d->num_rows * sizeof *q->hessian.D);
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    if (!(row->w > 0)) continue;
    for (int r = 0; r < row->dimension; r++)
      q->hessian.D[9 * i + r * (row->dimension + 1)] = 1 / weight(q, row, r);
  }
  SUP_TRY(sup_dual_hessian_factor(&q->hessian, d,
                                  &spd)); /* A is positive definite, and D^-1 adds to it */
  q->is_factored = 1;
  return SUP_OK;
}

/** c := D^-1 (c + h) for c = b or J v + b. */
static void respond(const sup_dual *d, const admm *q, double *c) {
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    for (int r = 0; r < row->dimension; r++) {
      int    k = row->first + r;
      double h = q->y[k] - q->target[k] - q->W[k] * (q->rho * q->z[k] + q->eta * d->lambda[k]);
      c[k] = row->w > 0 ? (c[k] + h) / weight(q, row, r) : 0;
    }
  }
}

/** v and lambda for z, y and the lambda before. */
static sup_status minimise(sup_dual *d, admm *q) {
  const sup_problem *p = d->problem;
  memcpy(q->c, d->bias, (size_t)p->num_vc * sizeof *q->c);
  respond(d, q, q->c);
  for (int k = 0; k < p->num_vc; k++) q->c[k] = -q->c[k];
  memcpy(q->x, p->p, (size_t)d->n * sizeof *q->x);
  SUP_TRY(sup_dual_hessian_solve(d, q->c, q->x));
  sup_dual_arrange(d, q->x, d->v);
  sup_dual_velocity(d, q->c);
  respond(d, q, q->c);
  for (int k = 0; k < p->num_vc; k++) d->lambda[k] = -q->c[k];
  return SUP_OK;
}

/** z, y and the residuals of the iteration. */
static void project(sup_dual *d, admm *q, const double *before) {
  q->primal = q->dual = 0;
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    double              next[3], omega = d->options.over_relaxation;
    const double       *W = q->W + row->first;
    if (!(row->w > 0)) continue;
    double *z = q->z + row->first, *y = q->y + row->first;
    for (int r = 0; r < row->dimension; r++) {
      double lambda = omega * d->lambda[row->first + r] + (1 - omega) * z[r];
      next[r] = lambda + y[r] / (q->rho * W[r]);
    }
    double reached[3];
    memcpy(reached, next, sizeof reached);
    if (row->cone == SUP_CONE_FRICTION)
      sup_cone_project_metric(row->mu, W[0], W[2], next);
    else
      sup_dual_clamp(row, next);
    for (int r = 0; r < row->dimension; r++) {
      int    k = row->first + r;
      double dual = q->rho * (next[r] - z[r]) + q->eta * (d->lambda[k] - before[k]);
      q->primal = fmax(q->primal, sqrt(W[r]) * fabs(d->lambda[k] - next[r]));
      q->dual = fmax(q->dual, sqrt(W[r]) * fabs(dual));
      y[r] = q->rho * W[r] * (reached[r] - next[r]);
      z[r] = next[r];
    }
  }
}

/** lambda := 0 and v := v_f when all impulses in z are zero: a decaying lambda never becomes small
 * relative to itself.  The next iteration recomputes lambda. */
static void settle_when_open(sup_dual *d, const admm *q) {
  for (int k = 0; k < d->problem->num_vc; k++)
    if (q->z[k] != 0) return;
  memset(d->lambda, 0, (size_t)d->problem->num_vc * sizeof *d->lambda);
  memcpy(d->v, d->free, (size_t)d->n * sizeof *d->v);
}

/** Adapt rho to the larger of the two residuals.  An oscillating rho keeps both residuals from
 * falling, hence its steps shrink with each reversal. */
static void adapt(admm *q) {
  double apart = sup_dual_numerics.admm_apart;
  int    rising = q->primal > apart * q->dual ? 1 : q->dual > apart * q->primal ? -1 : 0;
  if (rising == 0) return;
  if (q->rising == -rising) q->grow = pow(q->grow, sup_dual_numerics.admm_less);
  q->rising = rising, q->is_factored = 0;
  q->rho = fmin(fmax(q->rho * (rising > 0 ? q->grow : 1 / q->grow), q->least), q->most);
}

static sup_status iterate(sup_dual *d, void *user) {
  enum { FIRST = 5 }; /* iterations after each of which tangents are taken anew */
  admm *q = user;
  bool  is_due = q->count % ADAPT == 0 || q->count < FIRST;
  if (!q->is_factored || (d->has_nonlinear && is_due)) SUP_TRY(factor(d, q));
  memcpy(q->before, d->lambda, (size_t)d->problem->num_vc * sizeof *d->lambda);
  SUP_TRY(minimise(d, q));
  project(d, q, q->before);
  settle_when_open(d, q);
  if (++q->count % ADAPT == 0) adapt(q);
  return SUP_OK;
}

/** q->c := J A^-1 J^T q->c, of the problem's impulses. */
static sup_status respond_to_impulse(sup_dual *d, admm *q) {
  const sup_problem *p = d->problem;
  sup_problem_generalized_impulse(p, q->c, q->x);
  SUP_TRY(sup_linear_solver_solve(d->factor, sup_dual_numerics.admm_estimate, q->x, NULL));
  sup_problem_constraint_velocity(p, q->x, 0, q->c);
  return SUP_OK;
}

/** 1: two rows have the same cone and act on the same parts of the velocities. */
static bool are_alike(const sup_dual *d, int i, int j) {
  const sup_dual_row *a = &d->row[i], *b = &d->row[j];
  return a->cone == b->cone && a->num_parts == b->num_parts &&
         memcmp(d->part + a->first_part, d->part + b->first_part,
                (size_t)a->num_parts * sizeof *d->part) == 0;
}

/** Mean of G_ii/w_i over the rows of one kind with `first`, by the mean of c G c over vectors c
 * of random signs (Hutchinson 1990). */
static sup_status measure_group(sup_dual *d, admm *q, const int *group, int first, double *ratio) {
  enum { PROBES = 4 };
  uint64_t bits = 0x9e3779b97f4a7c15u + (uint64_t)first;
  double   sum = 0;
  int      count = 0;
  for (int probe = 0; probe < PROBES; probe++) {
    memset(q->c, 0, (size_t)d->problem->num_vc * sizeof *q->c);
    for (int i = first; i < d->num_rows; i++)
      for (int r = 0; r < d->row[i].dimension && group[i] == first && d->row[i].w > 0; r++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        q->before[d->row[i].first + r] = (bits >> 40 & 1 ? 1 : -1) / sqrt(d->row[i].w);
        q->c[d->row[i].first + r] = q->before[d->row[i].first + r];
      }
    SUP_TRY(respond_to_impulse(d, q));
    for (int i = first; i < d->num_rows; i++)
      for (int r = 0; r < d->row[i].dimension && group[i] == first && d->row[i].w > 0; r++, count++)
        sum += q->before[d->row[i].first + r] * q->c[d->row[i].first + r];
  }
  *ratio = count > 0 && sum > 0 ? sum / count : 1;
  return SUP_OK;
}

/** mass_i := w_i times an estimated ratio of G_ii to w_i. w_i comes from the diagonal of A alone
 * and is too small for stiff bodies that bend and move.  Rows between the same bodies share one
 * ratio. */
static sup_status set_masses(sup_dual *d, admm *q) {
  int *group;
  SUP_TRY(SUP_ARENA(d->arena, group, d->num_rows));
  for (int i = 0; i < d->num_rows; i++) {
    group[i] = i > 0 && are_alike(d, group[i - 1], i) ? group[i - 1] : SUP_NONE;
    for (int j = 0; j < i && group[i] == SUP_NONE; j++)
      if (group[j] == j && are_alike(d, j, i)) group[i] = j;
    if (group[i] == SUP_NONE) group[i] = i;
  }
  for (int i = 0; i < d->num_rows; i++) {
    if (group[i] == i) {
      double ratio;
      SUP_TRY(measure_group(d, q, group, i, &ratio));
      q->mass[i] = ratio;
    } else {
      q->mass[i] = q->mass[group[i]];
    }
  }
  for (int i = 0; i < d->num_rows; i++) q->mass[i] *= d->row[i].w;
  return SUP_OK;
}

/** Largest eigenvalue of m^-1/2 G m^-1/2, m the masses, roughly, by the power method. */
static sup_status largest(sup_dual *d, admm *q, double *L) {
  enum { ROUNDS = 8 };
  const sup_problem *p = d->problem;
  for (int k = 0; k < p->num_vc; k++) q->c[k] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    double size = 0;
    for (int k = 0; k < p->num_vc; k++) size += q->c[k] * q->c[k];
    *L = round ? sqrt(size) : 0;
    if (!(size > 0)) break;
    for (int pass = 0; pass < 2; pass++) { /* m^-1/2 on both sides of G */
      for (int i = 0; i < d->num_rows; i++)
        for (int r = 0; r < d->row[i].dimension; r++) {
          double *c = &q->c[d->row[i].first + r];
          *c = q->mass[i] > 0 ? *c / sqrt(q->mass[i]) / (pass ? 1 : sqrt(size)) : 0;
        }
      if (pass == 0) SUP_TRY(respond_to_impulse(d, q));
    }
  }
  return SUP_OK;
}

static sup_status start(sup_dual *d, admm *q) {
  const sup_problem *p = d->problem;
  double           **vc[] = {&q->z, &q->y, &q->c, &q->before, &q->R, &q->target, &q->W}, L;
  for (size_t k = 0; k < sizeof vc / sizeof *vc; k++)
    SUP_TRY(SUP_ARENA(d->arena, *vc[k], p->num_vc));
  SUP_TRY(SUP_ARENA(d->arena, q->x, d->n));
  SUP_TRY(sup_dual_hessian_create(&q->hessian, d));
  SUP_TRY(SUP_ARENA(d->arena, q->mass, p->num_constraints));
  SUP_TRY(set_masses(d, q));
  SUP_TRY(largest(d, q, &L));
  if (!(L > 0)) L = 1;
  q->rho = sqrt(L * q->eta) * pow(L / q->eta, sup_dual_numerics.admm_start);
  q->grow = pow(L / q->eta, sup_dual_numerics.admm_growth);
  q->least = q->eta, q->most = L * L / q->eta;
  for (int i = 0; i < d->num_rows; i++) { /* y tends to -u */
    double u[3];
    sup_dual_slack(d, i, u);
    for (int r = 0; r < d->row[i].dimension; r++) {
      q->z[d->row[i].first + r] = d->lambda[d->row[i].first + r];
      q->y[d->row[i].first + r] = -u[r];
    }
  }
  return SUP_OK;
}

static sup_status solve(const sup_problem *problem, sup_linear_solver *linear,
                        const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                        sup_solve_report *report) {
  static const sup_dual_method method = {iterate, 0, CAP, 0};
  sup_dual                     d;
  admm                         q = {.eta = options->dual.proximal};
  SUP_TRY(sup_dual_create(&d, problem, linear, SUP_CONE_LAW_CCP, options, arena, solution, report));
  if (report->reason < 0) return SUP_OK;
  SUP_TRY(start(&d, &q));
  SUP_TRY(sup_dual_iterate(&d, &method, &q, report));
  SUP_TRY(sup_dual_solve_velocity(&d));
  sup_dual_linearise(&d);
  sup_dual_measure(&d, &report->law);
  SUP_TRY(sup_dual_finish(&d, solution, report));
  return SUP_OK;
}

const sup_contact_solver_row sup_contact_solver_ccp_admm = {
    .name = "ccp_admm", SUP_DUAL_ACCEPTS, .iterates_on_impulses = 1, .solve = solve};
