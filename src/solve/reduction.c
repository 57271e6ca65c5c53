#include "solve/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/elimination.h"
#include "la/retained.h"
#include "solve/accept.h"
#include "solve/island.h"
#include "solve/round_off.h"

struct sup_reduction {
  const sup_block_pattern *A_pattern;
  sup_linear_solver       *leading; /* of A */
  sup_linear_solver       *factor; /* of what is left with its constraints, when it is one island */
  int                      has_factor; /* it is analysed */
  sup_islands             *islands;    /* when they are several */
  int                      num_islands;
  int                     *component; /* [num_blocks] forest of what A connects */
  int           *island; /* [num_blocks] SUP_NONE: no constraint touches what A connects with it */
  sup_retained   retained;
  int            has_retained;
  unsigned char *touched; /* [num_blocks] 1: constraints touch it */
  unsigned char *last;    /* [num_blocks] 1: is left */
  int *rank; /* [num_blocks] number among the block columns that are left; SUP_NONE: eliminated */
  int  is_reduced; /* 0: everything is left */
  int  is_analysed;
  sup_block_pattern S_pattern, H_pattern;
  int              *A_to_H;
  int64_t          *coupling; /* block pairs of H that S lacks, sorted: row * num_blocks + col */
  size_t            num_coupling, capacity[2]; /* of coupling, A_to_H */
};

sup_status sup_reduction_create(sup_reduction **out, sup_backend backend,
                                const sup_block_pattern *A_pattern) {
  sup_reduction *c = NULL;
  sup_status     status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(c, 1));
  c->A_pattern = A_pattern;
  SUP_TRY_GOTO(sup_linear_solver_create(&c->leading, backend), status, fail);
  SUP_TRY_GOTO(sup_linear_solver_create(&c->factor, backend), status, fail);
  SUP_TRY_GOTO(sup_islands_create(&c->islands, backend), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(c->component, A_pattern->num_blocks), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(c->island, A_pattern->num_blocks), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(c->touched, A_pattern->num_blocks), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(c->last, A_pattern->num_blocks), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(c->rank, A_pattern->num_blocks), status, fail);
  sup_island_components(A_pattern, c->component);
  *out = c;
  return SUP_OK;
fail:
  sup_reduction_destroy(&c);
  return status;
}

void sup_reduction_destroy(sup_reduction **handle) {
  sup_reduction *c = *handle;
  if (!c) return;
  sup_linear_solver_destroy(&c->leading);
  sup_linear_solver_destroy(&c->factor);
  sup_block_pattern_free(&c->S_pattern);
  sup_block_pattern_free(&c->H_pattern);
  sup_retained_free(&c->retained);
  sup_islands_destroy(&c->islands);
  SUP_FREE(c->component);
  SUP_FREE(c->island);
  SUP_FREE(c->touched);
  SUP_FREE(c->last);
  SUP_FREE(c->rank);
  SUP_FREE(c->A_to_H);
  SUP_FREE(c->coupling);
  SUP_FREE(*handle);
}

/* ---- analysis -------------------------------------------------------------------------------- */

/** Pattern of the matrix that is left. */
static const sup_block_pattern *left(const sup_reduction *c) {
  return c->is_reduced ? &c->S_pattern : c->A_pattern;
}

/** last := what is left; the free factor's structure, which belongs to A alone, is found out once.
 */
static sup_status choose_last(sup_reduction *c) {
  if (!c->has_retained) SUP_TRY(sup_retained_build(&c->retained, c->A_pattern));
  c->has_retained = 1;
  sup_retained_choose(&c->retained, c->touched, c->last);
  return SUP_OK;
}

static sup_status analyse_leading(sup_reduction *c) {
  int num = c->A_pattern->num_blocks, num_last = 0;
  for (int b = 0; b < num; b++) num_last += c->touched[b];
  c->is_reduced = num_last < num && sup_linear_solver_can_eliminate(c->leading);
  for (int b = 0; b < num; b++) c->last[b] = c->touched[b];
  if (c->is_reduced) SUP_TRY(choose_last(c));
  for (int b = 0, next = 0; b < num; b++)
    c->rank[b] = !c->is_reduced || c->last[b] ? next++ : SUP_NONE;
  if (!c->is_reduced) return SUP_OK;
  SUP_TRY(sup_linear_solver_analyse_from(c->leading, c->A_pattern, &c->retained.symbolic, c->last));
  SUP_TRY(sup_linear_solver_schur_pattern(c->leading, &c->S_pattern));
  return SUP_OK;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/** Sorted block pairs that constraints couple and the matrix that is left does not. */
static sup_status gather_couplings(const sup_reduction *c, const sup_problem *problem,
                                   sup_arena *arena, int64_t **pair, size_t *num_pairs) {
  const sup_block_pattern *P = left(c);
  size_t                   workspace = 0, count = 0;
  for (int i = 0; i < problem->num_constraints; i++)
    workspace += (size_t)(problem->constraint[i].num_blocks * problem->constraint[i].num_blocks);
  SUP_TRY(SUP_ARENA(arena, *pair, workspace));
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *row = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + row->first_block;
    for (int k = 0; k < row->num_blocks; k++)
      for (int l = 0; l < k; l++) {
        int x = c->rank[b[k].block], y = c->rank[b[l].block], high = x > y ? x : y,
            low = x + y - high;
        if (sup_block_pattern_find(P, high, low) == SUP_NONE)
          (*pair)[count++] = (int64_t)high * P->num_blocks + low;
      }
  }
  if (count > 0) qsort(*pair, count, sizeof **pair, ascending);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || (*pair)[i] != (*pair)[i - 1]) (*pair)[kept++] = (*pair)[i];
  *num_pairs = kept;
  return SUP_OK;
}

static sup_status build_pattern(sup_reduction *c, sup_arena *arena) {
  const sup_block_pattern *P = left(c);
  size_t num = (size_t)sup_block_column(P, P->num_blocks) + c->num_coupling, k = 0;
  int   *pair, *size;
  SUP_TRY(SUP_ARENA(arena, pair, 2 * num));
  SUP_TRY(SUP_ARENA(arena, size, P->num_blocks));
  for (int j = 0; j < P->num_blocks; j++) {
    size[j] = sup_block_size(P, j);
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++)
      pair[2 * k] = sup_block_row(P, e), pair[2 * k++ + 1] = j;
  }
  for (size_t i = 0; i < c->num_coupling; i++, k++) {
    pair[2 * k] = (int)(c->coupling[i] / P->num_blocks);
    pair[2 * k + 1] = (int)(c->coupling[i] % P->num_blocks);
  }
  SUP_TRY(sup_block_pattern_build(&c->H_pattern, P->num_blocks, size, num, pair));
  return SUP_OK;
}

/** Islands in the order of their first touched block columns.  A backend that eliminates nothing
 * has one. */
static sup_status number_islands(sup_reduction *c, const sup_problem *problem, sup_arena *arena) {
  int  n = c->A_pattern->num_blocks, is_split = sup_linear_solver_can_eliminate(c->leading);
  int *root, *number;
  SUP_TRY(SUP_ARENA(arena, root, n));
  SUP_TRY(SUP_ARENA(arena, number, n));
  if (n) memcpy(root, c->component, (size_t)n * sizeof *root);
  sup_island_unite(problem, NULL, root);
  for (int b = 0; b < n; b++) number[b] = SUP_NONE;
  c->num_islands = !is_split;
  for (int b = 0; b < n && is_split; b++) {
    int r = sup_island_root(root, b);
    if (c->touched[b] && number[r] == SUP_NONE) number[r] = c->num_islands++;
  }
  for (int b = 0; b < n; b++) c->island[b] = is_split ? number[sup_island_root(root, b)] : 0;
  return SUP_OK;
}

static sup_status analyse_whole(sup_reduction *c) {
  c->has_factor = 0;
  SUP_TRY(sup_linear_solver_analyse(c->factor, &c->H_pattern, c->is_reduced ? NULL : c->last));
  c->has_factor = 1;
  return SUP_OK;
}

static sup_status analyse_islands(sup_reduction *c, sup_arena *arena) {
  int *number;
  c->has_factor = 0;
  SUP_TRY(SUP_ARENA(arena, number, left(c)->num_blocks));
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE) number[c->rank[b]] = c->island[b];
  SUP_TRY(sup_islands_analyse(c->islands, left(c), &c->H_pattern, number, c->num_islands));
  return SUP_OK;
}

sup_status sup_reduction_analyse(sup_reduction *c, const sup_problem *problem, sup_arena *arena,
                                 int *analysed) {
  size_t         n = (size_t)c->A_pattern->num_blocks, num_pairs;
  int64_t       *pair;
  unsigned char *touched;
  SUP_TRY(SUP_ARENA(arena, touched, n));
  if (n) memset(touched, 0, n);
  for (int k = 0; k < problem->num_jacobian_blocks; k++) touched[problem->jacobian[k].block] = 1;
  int same = c->is_analysed && (n == 0 || memcmp(touched, c->touched, n) == 0);
  c->is_analysed = 0;
  if (n) memcpy(c->touched, touched, n);
  if (!same) SUP_TRY(analyse_leading(c));
  SUP_TRY(gather_couplings(c, problem, arena, &pair, &num_pairs));
  same = same && num_pairs == c->num_coupling &&
         (num_pairs == 0 || memcmp(pair, c->coupling, num_pairs * sizeof *pair) == 0);
  if (!same) {
    SUP_TRY(SUP_GROW(c->coupling, c->capacity[0], num_pairs));
    if (num_pairs) memcpy(c->coupling, pair, num_pairs * sizeof *pair);
    c->num_coupling = num_pairs;
    SUP_TRY(build_pattern(c, arena));
    SUP_TRY(SUP_GROW(c->A_to_H, c->capacity[1], sup_block_column(left(c), left(c)->num_blocks)));
    sup_problem_map_entries(left(c), &c->H_pattern, c->A_to_H);
    SUP_TRY(number_islands(c, problem, arena));
    if (c->num_islands > 1)
      SUP_TRY(analyse_islands(c, arena));
    else
      SUP_TRY(analyse_whole(c));
    *analysed = 1;
  }
  c->is_analysed = 1;
  return SUP_OK;
}

/* ---- the reduced problem --------------------------------------------------------------------- */

/** The problem with the constraints' blocks renumbered; its A and p are to be set. */
static sup_status renumber(const sup_reduction *c, const sup_problem *problem, sup_arena *arena,
                           sup_problem *out) {
  sup_cluster        *cluster;
  sup_jacobian_block *jacobian;
  *out = *problem;
  out->A_pattern = left(c);
  out->H_pattern = &c->H_pattern;
  out->A_to_H = c->A_to_H;
  if (!c->is_reduced) return SUP_OK;
  out->space = NULL; /* of all block columns, not of those that are left */
  SUP_TRY(SUP_ARENA(arena, jacobian, problem->num_jacobian_blocks));
  SUP_TRY(SUP_ARENA(arena, cluster, problem->num_clusters));
  for (int k = 0; k < problem->num_jacobian_blocks; k++) {
    jacobian[k] = problem->jacobian[k];
    jacobian[k].block = c->rank[problem->jacobian[k].block];
  }
  out->jacobian = jacobian;
  for (int i = 0; i < problem->num_clusters; i++) {
    int num_blocks = problem->constraint[problem->cluster[i].first].num_blocks;
    cluster[i] = problem->cluster[i];
    for (int k = 0; k < num_blocks; k++) cluster[i].T[k].block = c->rank[cluster[i].T[k].block];
  }
  out->cluster = cluster;
  return SUP_OK;
}

/** Entries of the block columns that are left: out of the whole vector, or back into it. */
static void gather(const sup_reduction *c, const double *whole, double *part) {
  const sup_block_pattern *P = c->A_pattern;
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE)
      memcpy(part + sup_block_first(&c->S_pattern, c->rank[b]), whole + sup_block_first(P, b),
             (size_t)sup_block_size(P, b) * sizeof *part);
}

static void scatter(const sup_reduction *c, const double *part, double *whole) {
  const sup_block_pattern *P = c->A_pattern;
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE)
      memcpy(whole + sup_block_first(P, b), part + sup_block_first(&c->S_pattern, c->rank[b]),
             (size_t)sup_block_size(P, b) * sizeof *part);
}

/** One solve; vectors from the arena, w: of the whole problem, t: of what is left. */
typedef struct reduced {
  sup_reduction     *c;
  const sup_problem *whole;
  sup_problem        problem;
  sup_eliminated     eliminated;
  double            *squares; /* [num_islands] ||D A v||^2 of what was eliminated [J] */
  double            *S;
  double             newton_residual; /* ||D r|| of what is left [sqrt(J)] */
  double             round_off;       /* largest so far, of the elimination and of Newton */
  int                round_off_block;
  sup_solution      *solution;                                   /* w, the iterate; laws in force */
  double            *inv_sqrt_d, *b, *Av, *r, *JTg;              /* w */
  double            *inv_sqrt_d_t, *momentum, *p_t, *v_t, *v0_t; /* t */
} reduced;

static sup_status allocate_whole(reduced *q, sup_arena *arena) {
  double **w[] = {&q->inv_sqrt_d, &q->b, &q->Av, &q->r, &q->JTg};
  for (size_t k = 0; k < sizeof w / sizeof *w; k++)
    SUP_TRY(SUP_ARENA(arena, *w[k], q->c->A_pattern->num_scalars));
  return SUP_OK;
}

static sup_status allocate_left(reduced *q, sup_arena *arena) {
  double **t[] = {&q->inv_sqrt_d_t, &q->momentum, &q->p_t, &q->v_t, &q->v0_t};
  for (size_t k = 0; k < sizeof t / sizeof *t; k++)
    SUP_TRY(SUP_ARENA(arena, *t[k], left(q->c)->num_scalars));
  SUP_TRY(SUP_ARENA(arena, q->S, sup_block_pattern_num_values(left(q->c))));
  SUP_TRY(SUP_ARENA(arena, q->squares, q->c->num_islands));
  return SUP_OK;
}

static double square_norm(const double *scale, const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += scale[i] * a[i] * (scale[i] * a[i]);
  return sum;
}

/** Residual of the whole problem at v: what is reported (THEORY 5.2). */
static void certify(reduced *q, sup_solve_report *report) {
  const sup_problem *whole = q->whole;
  int                n = whole->A_pattern->num_scalars;
  sup_block_multiply(whole->A_pattern, whole->A, q->solution->v, q->Av);
  sup_problem_generalized_impulse(whole, q->solution->gamma, q->JTg);
  for (int i = 0; i < n; i++) q->r[i] = q->Av[i] - whole->p[i] - q->JTg[i];
  report->residual = q->r, report->momentum = q->Av, report->impulse = q->JTg,
  report->scaling = q->inv_sqrt_d;
  report->round_off = q->round_off, report->round_off_block = q->round_off_block;
  report->momentum_residual = sqrt(square_norm(q->inv_sqrt_d, q->r, n));
  report->momentum_error =
      sup_momentum_error(report->momentum_residual, sqrt(square_norm(q->inv_sqrt_d, q->Av, n)),
                         sqrt(square_norm(q->inv_sqrt_d, q->JTg, n)));
  report->worst_block = sup_worst_block(whole->A_pattern, q->inv_sqrt_d, q->r);
}

/** A or its leading part is not positive definite: where, and what the start leaves. */
static void refuse(reduced *q, int block, sup_solve_report *report) {
  size_t num = (size_t)q->whole->num_vc;
  if (num) memset(q->solution->gamma, 0, num * sizeof *q->solution->gamma);
  certify(q, report);
  report->reason = isfinite(report->momentum_error) ? SUP_REASON_NOT_SPD : SUP_REASON_NONFINITE;
  if (report->reason == SUP_REASON_NOT_SPD) report->worst_block = block;
}

/** p~ from b, which holds what p lacks to be that of v. */
static void reduce_momentum(reduced *q) {
  const sup_block_pattern *P = q->whole->A_pattern, *S = &q->c->S_pattern;
  gather(q->c, q->solution->v, q->v0_t);
  gather(q->c, q->b, q->p_t);
  sup_block_multiply(S, q->S, q->v0_t, q->momentum);
  for (int i = 0; i < S->num_scalars; i++) q->p_t[i] += q->momentum[i];
  gather(q->c, q->whole->p, q->momentum);
  for (int i = 0; i < S->num_scalars; i++) q->momentum[i] -= q->p_t[i];
  for (int i = 0; i < q->c->num_islands; i++) q->squares[i] = 0;
  for (int b = 0; b < P->num_blocks; b++)
    if (q->c->rank[b] == SUP_NONE && q->c->island[b] != SUP_NONE)
      q->squares[q->c->island[b]] +=
          square_norm(q->inv_sqrt_d + sup_block_first(P, b), q->whole->p + sup_block_first(P, b),
                      sup_block_size(P, b));
  q->eliminated.square = q->c->num_islands == 1 ? q->squares[0] : 0; /* several have their own */
}

static int block_that_is_left(const sup_reduction *c, int rank) {
  int b = 0;
  while (c->rank[b] != rank) b++;
  return b;
}

/** Digits that the elimination lost; spoils JTg and r. */
static void measure_round_off(reduced *q) {
  const sup_block_pattern *P = q->whole->A_pattern;
  if (!sup_linear_solver_pivots(q->c->leading, q->JTg)) return;
  for (int i = 0; i < P->num_scalars; i++) q->r[i] = 1 / (q->inv_sqrt_d[i] * q->inv_sqrt_d[i]);
  q->round_off = sup_round_off(P, q->c->rank, q->r, q->JTg, &q->round_off_block);
}

/** What is left: as one, or each island by itself. */
static sup_status solve_left(reduced *q, const sup_solve_options *options, sup_arena *arena,
                             double *v, sup_solve_report *report) {
  sup_solution   left = {v, q->solution->gamma, q->solution->law};
  sup_reduction *c = q->c;
  if (c->num_islands > 1) {
    SUP_TRY(sup_islands_solve(c->islands, &q->problem, q->squares, options, arena, &left, report));
    return SUP_OK;
  }
  SUP_TRY(sup_solve(&q->problem, c->factor, options, arena, &left, report));
  report->iterations_sum = report->iterations;
  report->islands = 1;
  return SUP_OK;
}

/** b := what p lacks to be that of v, where Av is known. */
static void find_lack(reduced *q) {
  for (int i = 0; i < q->c->A_pattern->num_scalars; i++) q->b[i] = q->whole->p[i] - q->Av[i];
}

/** One way through from v, where b is what p lacks, eliminated: solve, v becomes the solution.
 * Going by differences to v, round-off is relative to what changes. */
static sup_status improve(reduced *q, const sup_solve_options *options, sup_arena *arena,
                          sup_solve_report *report) {
  sup_reduction *c = q->c;
  reduce_momentum(q);
  gather(c, q->solution->v, q->v_t);
  *report =
      (sup_solve_report){.reason = SUP_REASON_TOLERANCE, .worst_block = SUP_NONE, .sweeps = 1};
  if (c->S_pattern.num_blocks > 0) SUP_TRY(solve_left(q, options, arena, q->v_t, report));
  q->newton_residual = report->momentum_residual;
  if (report->round_off > q->round_off)
    q->round_off = report->round_off,
    q->round_off_block = block_that_is_left(c, report->round_off_block);
  for (int i = 0; i < c->S_pattern.num_scalars; i++) q->v0_t[i] = q->v_t[i] - q->v0_t[i];
  scatter(c, q->v0_t, q->b);
  SUP_TRY(sup_linear_solver_backward(c->leading, q->b));
  for (int i = 0; i < c->A_pattern->num_scalars; i++) q->solution->v[i] += q->b[i];
  scatter(c, q->v_t, q->solution->v);
  return SUP_OK;
}

static int is_solved(const sup_solve_options *options, const sup_solve_report *report) {
  return sup_accept(report->momentum_error, report->momentum_residual, options->tolerance) > 0;
}

/** Round-off of the elimination is to be small against the tolerance, which is there for Newton's
 * residual. */
static int is_clean(const reduced *q, const sup_solve_options *options,
                    const sup_solve_report *report) {
  static const double share = 0.01;
  return is_solved(options, report) && (report->momentum_error <= share * options->tolerance ||
                                        report->momentum_residual <= 2 * q->newton_residual ||
                                        report->momentum_residual <= sup_absolute_limit);
}

/** Is the residual what A v loses by cancellation? */
static int is_round_off(const reduced *q, const sup_solve_report *report) {
  static const double noise = 1e-12;
  double              sum = 0;
  for (int i = 0; i < q->whole->A_pattern->num_scalars; i++) {
    double size = q->solution->v[i] / q->inv_sqrt_d[i];
    sum += size * size;
  }
  return report->momentum_residual <= noise * sqrt(sum);
}

static sup_status is_round_off_of_sums(const reduced *q, sup_arena *arena,
                                       const sup_solve_report *report, int *is) {
  double *vc, *size;
  SUP_TRY(SUP_ARENA(arena, vc, q->whole->num_vc));
  SUP_TRY(SUP_ARENA(arena, size, q->whole->A_pattern->num_scalars));
  sup_problem_constraint_velocity(q->whole, q->solution->v, 1, vc);
  double estimate =
      sup_residual_round_off(q->whole, q->solution->law, q->solution->v, vc, q->inv_sqrt_d, size);
  *is = sup_is_round_off(report->momentum_residual, report->momentum_error, estimate);
  return SUP_OK;
}

/** The leading part was solved once, to the round-off of stiffness times velocity, which may be
 * more than the tolerance times the momentum: as in iterative refinement, what p lacks is solved
 * for again. */
static sup_status refine(reduced *q, const sup_solve_options *options, sup_arena *arena,
                         sup_solve_report *report) {
  const int         most = sup_strategy_cap(SUP_STRATEGY_REFINEMENT);
  sup_solve_options once = *options;
  sup_reason        first = report->reason;
  once.sweeps = 1; /* friction's normal impulses stay what they were */
  for (int round = 0; !is_clean(q, options, report); round++) {
    if (round == most) {
      report->at_cap |= 1u << SUP_STRATEGY_REFINEMENT;
      break;
    }
    sup_solve_report before = *report;
    find_lack(q);
    SUP_TRY(sup_linear_solver_forward(q->c->leading, q->b));
    SUP_TRY(improve(q, &once, arena, report));
    report->reason = SUP_REASON_TOLERANCE;
    sup_solve_report_add(report, &before);
    certify(q, report);
    if (!(report->momentum_residual < 0.5 * before.momentum_residual)) break;
  }
  if (is_solved(options, report)) {
    if (report->reason == SUP_REASON_ROUND_OFF) report->reason = SUP_REASON_TOLERANCE;
    return SUP_OK;
  }
  int is_sum = 0; /* what the sums of the whole residual lose */
  SUP_TRY(is_round_off_of_sums(q, arena, report, &is_sum));
  if (is_sum)
    report->reason = SUP_REASON_ROUND_OFF;
  else if (first == SUP_REASON_STALL || first == SUP_REASON_ROUND_OFF || is_round_off(q, report))
    report->reason = SUP_REASON_STALL;
  else
    report->reason = SUP_REASON_MAX_ITERATIONS;
  return SUP_OK;
}

static sup_status solve_reduced(reduced *q, const sup_solve_options *options, sup_arena *arena,
                                sup_solve_report *report) {
  sup_reduction *c = q->c;
  SUP_TRY(allocate_whole(q, arena));
  SUP_TRY(allocate_left(q, arena));
  int bad = sup_momentum_scaling(q->whole, q->inv_sqrt_d);
  if (bad != SUP_NONE) {
    *report = (sup_solve_report){.reason = SUP_REASON_NOT_SPD, .worst_block = bad, .sweeps = 1};
    return SUP_OK;
  }
  sup_block_multiply(q->whole->A_pattern, q->whole->A, q->solution->v, q->Av);
  find_lack(q);
  sup_status status =
      sup_linear_solver_eliminate(c->leading, q->whole->A, &c->S_pattern, q->S, q->b);
  if (status == SUP_E_NOT_SPD) {
    *report = (sup_solve_report){.sweeps = 1};
    refuse(q, sup_linear_solver_failed_block(c->leading), report);
    return SUP_OK;
  }
  SUP_TRY(status);
  measure_round_off(q);
  gather(c, q->inv_sqrt_d, q->inv_sqrt_d_t);
  q->eliminated.inv_sqrt_d = q->inv_sqrt_d_t;
  q->eliminated.momentum = q->momentum;
  q->problem.A = q->S;
  q->problem.p = q->p_t;
  q->problem.eliminated = &q->eliminated;
  SUP_TRY(improve(q, options, arena, report));
  sup_reason reason = report->reason;
  int        block = report->worst_block;
  certify(q, report);
  if (reason < 0 && block != SUP_NONE) report->worst_block = block_that_is_left(c, block);
  if (!isfinite(report->momentum_error))
    report->reason = reason < 0 ? reason : SUP_REASON_NONFINITE;
  if (report->reason > 0) SUP_TRY(refine(q, options, arena, report));
  return SUP_OK;
}

/** Constraints touch everything, in several islands. */
static sup_status solve_apart(reduced *q, const sup_solve_options *options, sup_arena *arena,
                              sup_solve_report *report) {
  SUP_TRY(allocate_whole(q, arena));
  *report =
      (sup_solve_report){.reason = SUP_REASON_NOT_SPD, .round_off_block = SUP_NONE, .sweeps = 1};
  report->worst_block = sup_momentum_scaling(q->whole, q->inv_sqrt_d);
  if (report->worst_block != SUP_NONE) return SUP_OK;
  SUP_TRY(solve_left(q, options, arena, q->solution->v, report));
  int block = report->worst_block;
  q->round_off = report->round_off, q->round_off_block = report->round_off_block;
  certify(q, report);
  if (report->reason < 0 && block != SUP_NONE) report->worst_block = block;
  if (!isfinite(report->momentum_error) && report->reason > 0)
    report->reason = SUP_REASON_NONFINITE;
  return SUP_OK;
}

sup_status sup_reduction_solve(sup_reduction *c, const sup_problem *problem,
                               const sup_solve_options *options, sup_arena *arena,
                               sup_solution *solution, sup_solve_report *report) {
  reduced q = {.c = c, .whole = problem, .round_off_block = SUP_NONE, .solution = solution};
  SUP_TRY(renumber(c, problem, arena, &q.problem));
  if (c->is_reduced)
    SUP_TRY(solve_reduced(&q, options, arena, report));
  else if (c->num_islands > 1)
    SUP_TRY(solve_apart(&q, options, arena, report));
  else
    SUP_TRY(solve_left(&q, options, arena, solution->v, report));
  return SUP_OK;
}

int sup_reduction_num_islands(const sup_reduction *c) { return c->num_islands; }

const int *sup_reduction_islands(const sup_reduction *c) { return c->island; }

const int *sup_reduction_components(const sup_reduction *c) { return c->component; }

/* ---- the Hessian ----------------------------------------------------------------------------- */

sup_status sup_reduction_factor(sup_reduction *c, const sup_problem *problem, const double *G,
                                sup_arena *arena) {
  sup_problem     part;
  sup_hessian_map map;
  double         *S, *H;
  SUP_TRY(renumber(c, problem, arena, &part));
  if (!c->has_factor) SUP_TRY(analyse_whole(c));
  if (c->is_reduced) {
    SUP_TRY(SUP_ARENA(arena, S, sup_block_pattern_num_values(&c->S_pattern)));
    SUP_TRY(sup_linear_solver_eliminate(c->leading, problem->A, &c->S_pattern, S, NULL));
    part.A = S;
  }
  SUP_TRY(SUP_ARENA(arena, H, sup_block_pattern_num_values(&c->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&map, &part, arena));
  sup_hessian_set_dynamics(&part, H);
  sup_hessian_set_constraints(&part, &map, G, H);
  sup_linear_operator op = {.pattern = &c->H_pattern, .values = H, .space = part.space};
  SUP_TRY(sup_linear_solver_setup(c->factor, &op));
  return SUP_OK;
}

sup_status sup_reduction_apply_inverse(sup_reduction *c, double *x, double *work) {
  static const double exact = 1e-12; /* of an iterative backend */
  if (c->is_reduced) {
    SUP_TRY(sup_linear_solver_forward(c->leading, x));
    gather(c, x, work);
    SUP_TRY(sup_linear_solver_solve(c->factor, exact, work, NULL));
    scatter(c, work, x);
    SUP_TRY(sup_linear_solver_backward(c->leading, x));
  } else {
    SUP_TRY(sup_linear_solver_solve(c->factor, exact, x, NULL));
  }
  return SUP_OK;
}

sup_linear_info sup_reduction_info(const sup_reduction *c) {
  sup_linear_info left =
      c->num_islands > 1 ? sup_islands_info(c->islands) : sup_linear_solver_info(c->factor);
  if (!c->is_reduced) return left;
  sup_linear_info info = sup_linear_solver_info(c->leading);
  info.trailing_flops = left.flops;
  return info;
}
