/* Rows of chambers and cables beside A (THEORY 4.9, 4.10): with the impulses lambda of their
 * pressures and tensions beyond those in p the problem is
 *
 *      min over v:  1/2 v^T A v - (p + G lambda)^T v + sum_i l_i(J_i v + b_i),
 *      lambda_c / (dt s_c) + dt y_c = e_c,     y = G^T v + known,
 *
 *  whose left side grows with lambda; at a bound of the tension it may be larger or smaller.  With
 * friction length s_c passes on from the strand before, e_c - s_c + s_(c+1) in place of e_c, where
 * one of two tensions is the grip times the other.  Newton's method on lambda and s.  Without
 * contact the mobility dy/dlambda = G^T A^-1 G is known from a substitution for each row with the
 * one factor of A, which stays as sparse as without rows; with contact it is by Broyden's updates.
 */
#include <math.h>
#include <string.h>

#include "la/dense_lu.h"
#include "la/vector.h"
#include "solve/accept.h"
#include "step/column/cables.h"
#include "step/column/chambers.h"
#include "step/column/column_rows.h"
#include "step/numerics.h"
#include "step/solution.h"

/** Equations of the rows; arrays [num]. */
typedef struct rows {
  const sup_step_convex *convex;
  sup_column           **column;
  int                    num, all; /* rows, chambers and cables */
  int                   *number;   /* of each row among all */
  int                   *bound;    /* -1, 1: lambda is at its lower, upper bound; 0: between */
  double *impulse, *error, *size;  /* lambda [Pa s, N s]; errors of the equations, their sizes */
  double *worst;               /* largest errors so far, with whose round-off the last ones are */
  double *change, *before, *J; /* changes of lambda, then slips; last errors; J [2 num]^2 */
  int    *slides;              /* -1, 1: length passes from, to the row; 0: it sticks */
  double *equation;            /* [2 num] workspace */
  double *W;                   /* [num x num_scalars] A^-1 G by the factor; NULL: not known */
  bool    has_grip;            /* some rows have friction */
} rows;

static int count_of(const sup_model *model) { return model->num_chambers + model->num_strands; }

sup_status sup_columns_begin(const sup_step_start *s, sup_assembly *assembly) {
  int n = count_of(s->model);
  assembly->is_shifted = false, assembly->mobility = NULL;
  if (n > 0) SUP_TRY(SUP_ARENA(s->arena, assembly->mobility, n * n));
  for (int k = 0; k < n * n; k++) assembly->mobility[k] = 0;
  SUP_TRY(sup_chambers_begin(s, assembly));
  return sup_cables_begin(s, assembly);
}

static sup_status find_rows(const sup_step_convex *convex, sup_arena *arena, rows *r) {
  sup_assembly    *assembly = convex->assembly;
  const sup_model *model = assembly->layout->model;
  int              n = count_of(model);
  *r = (rows){.convex = convex, .all = n};
  SUP_TRY(SUP_ARENA(arena, r->column, n));
  SUP_TRY(SUP_ARENA(arena, r->number, n));
  for (int c = 0; c < n; c++) {
    sup_column *row = c < model->num_chambers ? &assembly->chamber[c].row
                                              : &assembly->strand[c - model->num_chambers];
    if (row->stiffness > 0) r->number[r->num] = c, r->column[r->num++] = row;
  }
  SUP_TRY(
      SUP_ARENA_VECTORS(arena, r->num, &r->impulse, &r->error, &r->size, &r->worst, &r->before));
  SUP_TRY(SUP_ARENA_VECTORS(arena, 2 * r->num, &r->change, &r->equation));
  SUP_TRY(SUP_ARENA(arena, r->J, 4 * r->num * r->num));
  SUP_TRY(SUP_ARENA(arena, r->bound, r->num));
  SUP_TRY(SUP_ARENA(arena, r->slides, r->num));
  memset(r->change, 0, 2 * (size_t)r->num * sizeof *r->change);
  for (int i = 0; i < r->num; i++)
    r->impulse[i] = 0, r->bound[i] = 0, r->slides[i] = 0, r->column[i]->slip = 0, r->worst[i] = 0,
    r->has_grip = r->has_grip || r->column[i]->grip > 0;
  return SUP_OK;
}

static double *mobility(const rows *r, int i, int j) {
  return &r->convex->assembly->mobility[r->number[i] * r->all + r->number[j]];
}

/** Errors of the equations at the velocities v [num_scalars]. */
static void evaluate(rows *r, const double *v) {
  double dt = r->convex->start->inc->h;
  int    n = r->convex->start->layout->A_pattern.num_scalars;
  for (int i = 0; i < r->num; i++) {
    const sup_column *c = r->column[i];
    double            change = dt * (sup_dot(c->column, v, n) + c->known);
    double            held = c->force / c->stiffness, given = c->is_given ? c->excess - held : 0;
    double            fill = r->impulse[i] / (dt * c->stiffness);
    r->error[i] = fill + change - given;
    r->size[i] = fabs(fill) + fabs(change) + fabs(given) + fabs(held);
    r->worst[i] = fmax(r->worst[i], fabs(r->error[i]));
  }
}

/** Least impulse of a row. */
static double bound_of(const rows *r, int i) {
  const sup_column *c = r->column[i];
  return r->convex->start->inc->h * (c->lowest - c->force);
}

/** Force of row i after changes of impulses; NULL: none [Pa, N]. */
static double force_of(const rows *r, int i, const double *change) {
  return r->column[i]->force +
         (r->impulse[i] + (change ? change[i] : 0)) / r->convex->start->inc->h;
}

/** True if length passes from row i to the row after it. */
static bool is_joined(const rows *r, int i) {
  return i + 1 < r->num && r->column[i + 1]->grip > 0 && r->column[i + 1] == r->column[i] + 1;
}

/** Force of the strand before row i; a given tension has no row. */
static double force_before(const rows *r, int i, const double *change) {
  return i > 0 && is_joined(r, i - 1) ? force_of(r, i - 1, change) : r->column[i][-1].force;
}

/** 1, -1: the forces let length pass to row i, from it; 0: friction holds it. */
static int must_slide(const rows *r, int i, const double *change) {
  double grip = r->column[i]->grip * (1 + sup_step_numerics.column_row);
  if (!(grip > 0)) return 0;
  double a = force_before(r, i, change), b = force_of(r, i, change);
  return b > grip * a ? 1 : a > grip * b ? -1 : 0;
}

/** True if all rows hold to a share of their terms. */
static bool is_solved(const rows *r, double share) {
  for (int i = 0; i < r->num; i++) {
    const sup_column *c = r->column[i];
    double small = share * r->size[i] + sup_step_numerics.column_way * (c->way + r->worst[i]);
    double error = r->error[i] + c->slip - (is_joined(r, i) ? c[1].slip : 0);
    bool   is_held = error > 0 && r->impulse[i] <= bound_of(r, i);
    if (!(fabs(error) <= small) && !is_held) return false;
    if (r->slides[i] == 0 && must_slide(r, i, NULL) != 0) return false;
  }
  return true;
}

/** Mobility of a column with A's diagonal alone. */
static double diagonal_mobility(const sup_assembly *assembly, const double *column) {
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  double                   sum = 0;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *D = sup_assembly_diagonal_block(assembly, b);
    int           n = sup_block_size(P, b), first = sup_block_first(P, b);
    for (int k = 0; k < n; k++) {
      double g = column[first + k];
      if (g != 0) sum += g * g / fabs(D[k * (n + 1)]);
    }
  }
  return sum;
}

/** First mobilities, of independent vertices. */
static void begin_mobility(rows *r) {
  for (int i = 0; i < r->num; i++)
    if (!(*mobility(r, i, i) > 0))
      *mobility(r, i, i) = diagonal_mobility(r->convex->assembly, r->column[i]->column);
}

/** Broyden's update of mobilities by the last change of lambda. */
static void learn(rows *r) {
  double dt = r->convex->start->inc->h, square = sup_dot(r->change, r->change, r->num);
  for (int i = 0; i < r->num && square > 0; i++) {
    double seen = r->error[i] - r->before[i] - r->change[i] / (dt * r->column[i]->stiffness);
    for (int j = 0; j < r->num; j++) seen -= dt * *mobility(r, i, j) * r->change[j];
    for (int j = 0; j < r->num; j++) *mobility(r, i, j) += seen * r->change[j] / (dt * square);
  }
}

/** Equation of row i for changes of lambda and for slips, at J [2 num]. */
static void set_row(rows *r, int i, double *J) {
  double dt = r->convex->start->inc->h;
  r->change[i] = r->bound[i] ? bound_of(r, i) - r->impulse[i] : -r->error[i];
  J[i] = r->bound[i];
  if (r->bound[i]) return;
  for (int j = 0; j < r->num; j++) J[j] = dt * *mobility(r, i, j);
  J[i] += 1 / (dt * r->column[i]->stiffness);
  if (r->num > 1 && !isfinite(r->column[i]->stiffness))
    J[i] *= 1 + sup_step_numerics.cable_compliance;
  J[r->num + i] = 1;
  if (is_joined(r, i)) J[r->num + i + 1] = -1;
}

/** Equation of the slip to row i: none, or forces of which one is the grip times the other. */
static void set_slip(rows *r, int i, double *J) {
  const sup_column *c = r->column[i];
  double            dt = r->convex->start->inc->h, E = c->grip, size = dt * *mobility(r, i, i);
  bool              has_before = i > 0 && is_joined(r, i - 1);
  r->change[r->num + i] = 0;
  J[r->num + i] = 1;
  if (!r->slides[i] || (r->bound[i] && has_before && r->bound[i - 1])) return;
  double own = r->slides[i] > 0 ? 1 : E, other = r->slides[i] > 0 ? E : 1;
  size += 1 / (dt * c->stiffness);
  J[r->num + i] = -sup_step_numerics.slack_slip, J[i] = size * own;
  if (has_before) J[i - 1] = -size * other;
  r->change[r->num + i] =
      size * dt * (other * force_before(r, i, NULL) - own * force_of(r, i, NULL));
}

/** Newton's changes of lambda, and slips, with the bounds in r->bound and r->slides. */
static sup_status solve_bounded(rows *r, int *pivot) {
  int n = r->num, size = r->has_grip ? 2 * n : n;
  memset(r->J, 0, (size_t)size * (size_t)size * sizeof *r->J);
  for (int i = 0; i < n; i++) {
    double *own = r->equation;
    memset(own, 0, 2 * (size_t)n * sizeof *own);
    set_row(r, i, own);
    memcpy(r->J + i * size, own, (size_t)size * sizeof *own);
    memset(own, 0, 2 * (size_t)n * sizeof *own);
    set_slip(r, i, own);
    if (r->has_grip) memcpy(r->J + (n + i) * size, own, (size_t)size * sizeof *own);
  }
  int independent = sup_dense_lu(size, r->J, pivot);
  if (independent < size)
    return SUP_FAIL(SUP_E_NOT_CONVERGED,
                    "'%s' cannot keep its volume or length: nothing moves it, or others do; a "
                    "stiffness of cables and a bulk modulus of liquid let them yield",
                    r->column[independent % n]->name);
  sup_dense_lu_solve(size, r->J, pivot, r->change);
  return SUP_OK;
}

/** True if row i passes its bound with its change, or leaves it. */
static bool passes(const rows *r, int i) {
  double dt = r->convex->start->inc->h, error = r->error[i];
  if (!r->bound[i]) return r->impulse[i] + r->change[i] < bound_of(r, i);
  for (int j = 0; j < r->num; j++) error += dt * *mobility(r, i, j) * r->change[j];
  error += r->change[i] / (dt * r->column[i]->stiffness) + r->change[r->num + i];
  if (is_joined(r, i)) error -= r->change[r->num + i + 1];
  return error < 0;
}

/** Direction of the slip to row i by its change: other than now, if friction and it disagree. */
static int slides_now(const rows *r, int i) {
  if (!r->slides[i]) return must_slide(r, i, r->change);
  return r->slides[i] * r->change[r->num + i] < 0 ? 0 : r->slides[i];
}

/** Newton's step of lambda above its bounds and of slips: pivots on all rows that pass one, after
 * some rounds on the first alone, which ends (Murty 1974). */
static sup_status advance(rows *r, sup_arena *arena) {
  int *pivot, all = 5 + (r->has_grip ? r->num : 0), most = 20 + 4 * r->num, count = 1;
  SUP_TRY(SUP_ARENA(arena, pivot, 2 * r->num));
  for (int round = 0; count > 0 && round < most; round++) {
    SUP_TRY(solve_bounded(r, pivot));
    count = 0;
    for (int i = 0; i < r->num && (round < all || count == 0); i++) {
      if (passes(r, i)) r->bound[i] = !r->bound[i], count++;
      int slides = slides_now(r, i);
      if (slides != r->slides[i]) r->slides[i] = slides, count++;
      if (slides && !(i > 0 && is_joined(r, i - 1))) r->bound[i] = 0; /* a given tension pulls */
    }
  }
  for (int i = 0; i < r->num; i++) {
    r->before[i] = r->error[i];
    if (r->bound[i]) r->change[i] = bound_of(r, i) - r->impulse[i];
    r->impulse[i] += r->change[i];
    r->column[i]->slip = r->has_grip ? r->change[r->num + i] : 0;
  }
  return SUP_OK;
}

/** Forces of given ways by their rows, and `factor` times the structure's slope for line searches.
 */
static void keep(rows *r, double factor) {
  double dt = r->convex->start->inc->h;
  for (int i = 0; i < r->num; i++) {
    sup_column *c = r->column[i];
    if (!c->is_given) continue;
    c->multiplier = c->force + r->impulse[i] / dt;
    double mobile = *mobility(r, i, i);
    c->penalty = mobile > 0 ? fmin(c->stiffness, factor / (dt * dt * mobile)) : 0;
  }
}

/** Impulses into p and forces of a step with one linearisation. */
static void put_into_p(rows *r) {
  const sup_step_start *s = r->convex->start;
  sup_assembly         *assembly = r->convex->assembly;
  if (assembly->is_nonlinear || s->inc->motion == 0) return;
  for (int i = 0; i < r->num; i++) {
    for (int a = 0; a < s->layout->A_pattern.num_scalars; a++)
      assembly->p[a] += r->impulse[i] * r->column[i]->column[a];
    r->column[i]->force += r->impulse[i] / s->inc->h;
  }
}

/* ---- A that is positive definite with the rows alone ----------------------------------------- */

/** Linear system H v = b, H = A + G S G^T, S = dt^2 s; A in the assembly has the shift. */
typedef struct bordered {
  rows                    *r;
  sup_problem              problem;
  const sup_solve_options *options;
  sup_arena               *arena;
  int                      n, *pivot;
  double *D, *own, *shifted; /* [n] sizes of A's diagonal, that diagonal, the shifted one */
  double *W, *C;             /* [num x n] (A + shift D)^-1 G, [num x num] */
  double *c;                 /* [num] coefficients of W */
} bordered;

/** x := (A + shift D)^-1 b; false: not positive definite. */
static sup_status solve_shifted(bordered *q, const double *b, bool is_same, double *x, bool *ok) {
  sup_solve_report  report;
  sup_solve_options o = *q->options;
  o.is_same = is_same;
  q->problem.p = b;
  memset(x, 0, (size_t)q->n * sizeof *x);
  SUP_TRY(sup_reduction_solve(q->r->convex->reduction, &q->problem, &o, q->arena,
                              &(sup_solution){x, NULL, NULL}, &report));
  *ok = report.reason != SUP_REASON_NOT_SPD && report.reason != SUP_REASON_NONFINITE;
  return SUP_OK;
}

/** Least shift of a ladder with which A is positive definite, W and C. */
static sup_status find_shift(bordered *q, bool *ok) {
  rows         *r = q->r;
  sup_assembly *assembly = r->convex->assembly;
  double        dt = r->convex->start->inc->h;
  *ok = false;
  for (double shift = sup_step_numerics.chamber_shift; shift < 1 && !*ok;
       shift *= sup_step_numerics.chamber_growth) {
    for (int i = 0; i < q->n; i++) q->shifted[i] = q->own[i] + shift * q->D[i];
    sup_assembly_set_diagonal(assembly, q->shifted);
    SUP_TRY(solve_shifted(q, r->column[0]->column, false, q->W, ok));
  }
  for (int i = 1; i < r->num && *ok; i++)
    SUP_TRY(solve_shifted(q, r->column[i]->column, true, q->W + (ptrdiff_t)i * q->n, ok));
  for (int i = 0; i < r->num && *ok; i++)
    for (int j = 0; j < r->num; j++) {
      double mobile = sup_dot(r->column[i]->column, q->W + (ptrdiff_t)j * q->n, q->n);
      *mobility(r, i, j) = mobile;
      q->C[i * r->num + j] = mobile + (i == j ? 1 / (dt * dt * r->column[i]->stiffness) : 0);
    }
  *ok = *ok && sup_dense_lu(r->num, q->C, q->pivot) == r->num;
  return SUP_OK;
}

/** z := (A + shift D + G S G^T)^-1 x (Woodbury). */
static sup_status precondition(bordered *q, const double *x, double *z) {
  bool ok;
  SUP_TRY(solve_shifted(q, x, true, z, &ok));
  for (int i = 0; i < q->r->num; i++) q->c[i] = sup_dot(q->r->column[i]->column, z, q->n);
  sup_dense_lu_solve(q->r->num, q->C, q->pivot, q->c);
  for (int i = 0; i < q->r->num; i++)
    for (int a = 0; a < q->n; a++) z[a] -= q->c[i] * q->W[(ptrdiff_t)i * q->n + a];
  return SUP_OK;
}

/** y := H x */
static void multiply(const bordered *q, const double *x, double *y) {
  double dt = q->r->convex->start->inc->h;
  sup_assembly_multiply(q->r->convex->assembly, x, y);
  for (int a = 0; a < q->n; a++) y[a] -= (q->shifted[a] - q->own[a]) * x[a];
  for (int i = 0; i < q->r->num; i++) {
    const sup_column *c = q->r->column[i];
    double            pull = dt * dt * c->stiffness * sup_dot(c->column, x, q->n);
    for (int a = 0; a < q->n; a++) y[a] += pull * c->column[a];
  }
}

/** v := H^-1 b by conjugate gradients from v; false: H is not positive definite either. */
static sup_status iterate(bordered *q, const double *b, double *v, int *iterations, bool *ok) {
  double *r, *z, *d, *Hd, before = 0, first = 0;
  SUP_TRY(SUP_ARENA_VECTORS(q->arena, q->n, &r, &z, &d, &Hd));
  multiply(q, v, r);
  for (int a = 0; a < q->n; a++) r[a] = b[a] - r[a], d[a] = 0;
  for (*iterations = 0, *ok = true; *iterations < (int)sup_step_numerics.bordered_iterations;
       ++*iterations) {
    SUP_TRY(precondition(q, r, z));
    double now = sup_dot(r, z, q->n);
    if (*iterations == 0) first = now;
    if (!(now > sup_step_numerics.column_row * sup_step_numerics.column_row * first)) return SUP_OK;
    for (int a = 0; a < q->n; a++) d[a] = z[a] + (before > 0 ? now / before : 0) * d[a];
    multiply(q, d, Hd);
    double curvature = sup_dot(d, Hd, q->n);
    *ok = curvature > 0;
    if (!*ok) return SUP_OK;
    for (int a = 0; a < q->n; a++) {
      v[a] += now / curvature * d[a];
      r[a] -= now / curvature * Hd[a];
    }
    before = now;
  }
  return SUP_OK;
}

/** Solution without contacts where A alone is not positive definite, as past the greatest pressure
 * of a balloon with a given volume: conjugate gradients on A + G S G^T, preconditioned by the
 * factor of A + shift D with the rows.  Without success solved->reason stays NOT_SPD. */
static sup_status solve_bordered(rows *r, const sup_solve_options *options, sup_arena *arena,
                                 double *v, sup_solve_report *solved) {
  sup_assembly *assembly = r->convex->assembly;
  double        dt = r->convex->start->inc->h, *b, *x;
  int           n = assembly->layout->A_pattern.num_scalars, iterations = 0;
  bool          ok;
  bordered q = {.r = r, .problem = *r->convex->problem, .options = options, .arena = arena, .n = n};
  for (int i = 0; i < r->num; i++)
    if (!isfinite(r->column[i]->stiffness)) return SUP_OK;
  if (q.problem.num_constraints > 0) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(arena, n, &q.D, &q.own, &q.shifted, &b, &x));
  SUP_TRY(SUP_ARENA(arena, q.W, (size_t)r->num * (size_t)n));
  SUP_TRY(SUP_ARENA_VECTORS(arena, r->num * r->num, &q.C, &q.c));
  SUP_TRY(SUP_ARENA(arena, q.pivot, r->num));
  sup_assembly_diagonal(assembly, q.own);
  for (int i = 0; i < n; i++) q.D[i] = fabs(q.own[i]);
  SUP_TRY(find_shift(&q, &ok));
  if (ok) {
    evaluate(r, v); /* with impulses 0: dt y - e */
    memcpy(b, r->convex->problem->p, (size_t)n * sizeof *b);
    for (int i = 0; i < r->num; i++) {
      const sup_column *c = r->column[i];
      double            rest = r->error[i] - dt * sup_dot(c->column, v, n); /* dt known - e */
      for (int a = 0; a < n; a++) b[a] -= dt * c->stiffness * rest * c->column[a];
    }
    memcpy(x, v, (size_t)n * sizeof *x);
    SUP_TRY(iterate(&q, b, x, &iterations, &ok));
  }
  sup_assembly_set_diagonal(assembly, q.own);
  assembly->is_shifted = true;
  if (!ok) return SUP_OK;
  for (int i = 0; i < r->num; i++) r->impulse[i] = 0;
  evaluate(r, x);
  for (int i = 0; i < r->num; i++) {
    r->impulse[i] = -dt * r->column[i]->stiffness * r->error[i];
    if (r->impulse[i] < bound_of(r, i)) return SUP_OK;
  }
  memcpy(v, x, (size_t)n * sizeof *v);
  keep(r, sup_step_numerics.chamber_penalty);
  for (int i = 0; i < r->all * r->all; i++) assembly->mobility[i] = 0; /* shifted A's */
  *solved = (sup_solve_report){.reason = SUP_REASON_TOLERANCE,
                               .worst_block = SUP_NONE,
                               .round_off_block = SUP_NONE,
                               .sweeps = 1};
  return SUP_OK;
}

/* ---- the solution ---------------------------------------------------------------------------- */

/** Accept a residual that is small against the impulses of the rows, which are a part of p: at rest
 * they cancel weights. */
static void accept(const rows *r, double tolerance, sup_solve_report *solved) {
  double size = 0, h = r->convex->start->inc->h;
  bool stays = solved->reason == SUP_REASON_MAX_ITERATIONS || solved->reason == SUP_REASON_STALL ||
               solved->reason == SUP_REASON_LINE_SEARCH;
  for (int i = 0; i < r->num && stays; i++)
    size = fmax(size, fabs(h * r->column[i]->force + r->impulse[i]) *
                          sqrt(diagonal_mobility(r->convex->assembly, r->column[i]->column)));
  if (!stays || !(solved->momentum_residual <= tolerance * size)) return;
  solved->reason = SUP_REASON_TOLERANCE;
  solved->momentum_error = solved->momentum_residual / size;
}

static bool is_accepted(const sup_solve_report *solved, const sup_solve_options *options) {
  return sup_accept(solved->momentum_error, solved->momentum_residual, options->tolerance) > 0;
}

/** W and mobilities by the factor of the last solution, which may be of an older matrix.
 *  @param[out] ok  false: A^-1 alone is not at hand */
static sup_status find_answers(rows *r, sup_arena *arena, bool *ok) {
  ptrdiff_t n = r->convex->start->layout->A_pattern.num_scalars;
  double   *W;
  *ok = true;
  if (r->W) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, W, (size_t)r->num * (size_t)n));
  for (int j = 0; j < r->num; j++) {
    memcpy(W + j * n, r->column[j]->column, (size_t)n * sizeof *W);
    SUP_TRY(sup_reduction_solve_alone(r->convex->reduction, W + j * n, ok));
    if (!*ok) return SUP_OK;
    for (int i = 0; i < r->num; i++)
      *mobility(r, i, j) = sup_dot(r->column[i]->column, W + j * n, (int)n);
  }
  r->W = W;
  return SUP_OK;
}

/** Newton's step of lambda, and v [num_scalars] with it from a solution without it, where no
 * constraint acts: v is linear in lambda.
 *  @param[out] ok  false: A^-1 alone is not at hand, nothing was done */
static sup_status solve_linear(rows *r, const sup_solve_options *options, sup_arena *arena,
                               double *v, sup_solve_report *solved, bool *ok) {
  const sup_step_convex *convex = r->convex;
  int                    n = convex->start->layout->A_pattern.num_scalars;
  double                *Av, *lack, residual = 0, momentum = 0;
  *ok = false;
  if (!solved->momentum) return SUP_OK;
  SUP_TRY(find_answers(r, arena, ok));
  if (!*ok) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(arena, n, &Av, &lack));
  SUP_TRY(advance(r, arena));
  for (int j = 0; j < r->num; j++)
    for (int a = 0; a < n; a++) v[a] += r->change[j] * r->W[(ptrdiff_t)j * n + a];
  memcpy(Av, solved->momentum, (size_t)n * sizeof *Av); /* nonlinear: tested with the true forces */
  for (int j = 0; j < r->num; j++)
    for (int a = 0; a < n; a++) Av[a] += r->change[j] * r->column[j]->column[a];
  solved->momentum = Av;
  if (convex->assembly->is_nonlinear) return SUP_OK;
  memcpy(lack, Av, (size_t)n * sizeof *lack);
  sup_assembly_multiply(convex->assembly, v, Av);
  for (int a = 0; a < n; a++) {
    double scale = solved->scaling[a];
    lack[a] = solved->residual[a] + Av[a] - lack[a];
    residual += scale * lack[a] * (scale * lack[a]), momentum += scale * Av[a] * (scale * Av[a]);
  }
  solved->residual = lack;
  solved->momentum_residual = sqrt(residual);
  solved->momentum_error = sup_momentum_error(sqrt(residual), sqrt(momentum), 0);
  solved->reason =
      sup_accept(solved->momentum_error, solved->momentum_residual, options->tolerance);
  if (solved->reason == 0) solved->reason = SUP_REASON_MAX_ITERATIONS;
  accept(r, options->tolerance, solved);
  return SUP_OK;
}

static void finish(rows *r) {
  keep(r, 1);
  put_into_p(r);
}

sup_status sup_step_convex_solve_in(const sup_step_convex *convex, const sup_solve_options *options,
                                    sup_arena *arena, sup_step_solution *x,
                                    sup_solve_report *solved) {
  rows              r = {.num = 0};
  sup_problem       problem = *convex->problem;
  sup_solve_options now = *options;
  if (convex->assembly->is_shifted) now.is_same = false; /* the factor is of another matrix */
  double *p;
  if (count_of(convex->start->model) > 0) SUP_TRY(find_rows(convex, arena, &r));
  if (r.num == 0)
    return sup_reduction_solve(convex->reduction, convex->problem, options, arena,
                               &(sup_solution){x->v, x->gamma, x->law}, solved);
  SUP_TRY(SUP_ARENA(arena, p, problem.A_pattern->num_scalars));
  problem.p = p;
  now.is_rough = problem.num_constraints == 0; /* W changes it, before refinement */
  for (int k = 0; k < (int)sup_step_numerics.column_rounds; k++) {
    sup_solve_report before = k > 0 ? *solved : (sup_solve_report){.sweeps = 0};
    memcpy(p, convex->problem->p, (size_t)problem.A_pattern->num_scalars * sizeof *p);
    for (int i = 0; i < r.num; i++)
      for (int a = 0; a < problem.A_pattern->num_scalars; a++)
        p[a] += r.impulse[i] * r.column[i]->column[a];
    SUP_TRY(sup_reduction_solve(convex->reduction, &problem, &now, arena,
                                &(sup_solution){x->v, x->gamma, x->law}, solved));
    if (k > 0) sup_solve_report_add(solved, &before);
    if (solved->reason == SUP_REASON_NOT_SPD && k == 0)
      return solve_bordered(&r, options, arena, x->v, solved);
    accept(&r, options->tolerance, solved);
    if (solved->reason < 0) return SUP_OK;
    bool is_rough = now.is_rough && options->kept && !is_accepted(solved, options);
    now.is_same = true, now.is_rough = false, convex->assembly->is_shifted = false;
    evaluate(&r, x->v);
    if (k == 0) begin_mobility(&r);
    if (k > 0 && !r.W) learn(&r);
    /* solutions with contacts are no more exact than their tolerance */
    double share = sup_step_numerics.column_row;
    if (k >= (int)sup_step_numerics.column_patience) share = fmax(share, options->tolerance);
    if (!is_rough && is_solved(&r, share)) {
      finish(&r);
      return SUP_OK;
    }
    bool is_linear = false;
    if (problem.num_constraints == 0)
      SUP_TRY(solve_linear(&r, options, arena, x->v, solved, &is_linear));
    if (is_linear && solved->reason > 0) {
      finish(&r);
      return SUP_OK;
    }
    if (!is_linear) SUP_TRY(advance(&r, arena));
  }
  solved->reason = SUP_REASON_MAX_ITERATIONS;
  return SUP_OK;
}
