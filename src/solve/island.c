#include "solve/island.h"

#include <math.h>
#include <string.h>

#include "base/team.h"
#include "solve/accept.h"

/* ---- components -------------------------------------------------------------------------- */

int sup_island_root(const int *root, int b) {
  while (root[b] != b) b = root[b];
  return b;
}

/** Unite two components; the smaller number represents both. */
static void unite(int *root, int a, int b) {
  a = sup_island_root(root, a), b = sup_island_root(root, b);
  if (a < b)
    root[b] = a;
  else
    root[a] = b;
}

void sup_island_components(const sup_block_pattern *P, int *root) {
  for (int b = 0; b < P->num_blocks; b++) root[b] = b;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++)
      unite(root, sup_block_row(P, e), j);
  for (int b = 0; b < P->num_blocks; b++)
    root[b] = root[root[b]]; /* smaller block columns already point to their roots */
}

void sup_island_join(const int *other, int n, int *root) {
  for (int b = 0; b < n; b++) unite(root, other[b], b);
  for (int b = 0; b < n; b++) root[b] = root[root[b]];
}

void sup_island_unite(const sup_problem *problem, const double *gamma, int *root) {
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    int                       pushes = !gamma;
    for (int k = 0; gamma && k < sup_law_dimension(c->law.kind); k++)
      pushes |= gamma[c->first_vc + k] != 0;
    for (int k = 1; k < c->num_blocks && pushes; k++) unite(root, b[0].block, b[k].block);
  }
}

/* ---- their problems -------------------------------------------------------------------------- */

enum { THREAD_CONSTRAINTS = 20 /* least work of a thread: some 0.06 ms */ };

/** Patterns and maps number the island's own block columns. */
typedef struct island {
  sup_block_pattern  A, H;
  int               *A_to_H;
  size_t             capacity;
  sup_linear_solver *factor;
  int                is_analysed;
} island;

struct sup_islands {
  sup_backend backend;
  const char *options; /* of the backend */
  island    **item;    /* [num], and memory of more islands from earlier steps */
  int         num, num_made;
  int        *start, *block;  /* block columns of the problem by islands: [num + 1], [num_blocks] */
  int        *number, *local; /* [num_blocks] island and place in it */
  int        *pair, *size;    /* workspace of building a pattern */
  sup_block_pattern next;     /* pattern of an island's H, to compare with the last one */
  size_t            capacity[6];
  sup_arena        *arena[SUP_TEAM_MAX];
};

sup_status sup_islands_create(sup_islands **islands, sup_backend backend, const char *options) {
  *islands = NULL;
  SUP_TRY(SUP_CALLOC(*islands, 1));
  (*islands)->backend = backend;
  (*islands)->options = options;
  return SUP_OK;
}

void sup_islands_destroy(sup_islands **handle) {
  sup_islands *s = *handle;
  if (!s) return;
  for (int i = 0; i < s->num_made; i++) {
    sup_block_pattern_free(&s->item[i]->A);
    sup_block_pattern_free(&s->item[i]->H);
    SUP_FREE(s->item[i]->A_to_H);
    sup_linear_solver_destroy(&s->item[i]->factor);
    SUP_FREE(s->item[i]);
  }
  for (int t = 0; t < SUP_TEAM_MAX; t++) sup_arena_destroy(&s->arena[t]);
  SUP_FREE(s->item);
  sup_block_pattern_free(&s->next);
  SUP_FREE_ALL(&s->start, &s->block, &s->number, &s->local, &s->pair, handle);
}

static sup_status make_items(sup_islands *s, int num) {
  SUP_TRY(SUP_GROW(s->item, s->capacity[5], num));
  while (s->num_made < num) {
    island *made = NULL;
    SUP_TRY(SUP_CALLOC(made, 1));
    sup_status status = sup_linear_solver_create(&made->factor, s->backend, s->options);
    if (status != SUP_OK) SUP_FREE(made);
    SUP_TRY(status);
    s->item[s->num_made++] = made;
  }
  return SUP_OK;
}

/** Block columns by islands, ascending in each. */
static sup_status sort_blocks(sup_islands *s, int num_blocks, const int *number, int num) {
  SUP_TRY(SUP_GROW(s->start, s->capacity[0], (size_t)num + 2));
  SUP_TRY(SUP_GROW(s->block, s->capacity[1], num_blocks));
  SUP_TRY(SUP_GROW(s->number, s->capacity[2], num_blocks));
  SUP_TRY(SUP_GROW(s->local, s->capacity[3], num_blocks));
  memset(s->start, 0, ((size_t)num + 2) * sizeof *s->start);
  for (int b = 0; b < num_blocks; b++) s->start[number[b] + 2]++;
  for (int i = 0; i < num; i++) s->start[i + 2] += s->start[i + 1];
  for (int b = 0; b < num_blocks; b++) {
    s->number[b] = number[b];
    s->block[s->start[number[b] + 1]++] = b;
  }
  for (int i = 0; i < num; i++)
    for (int k = s->start[i]; k < s->start[i + 1]; k++) s->local[s->block[k]] = k - s->start[i];
  return SUP_OK;
}

/** `out` := part of P in the island's block columns, which are coupled to no others. */
static sup_status restrict_pattern(sup_islands *s, int i, const sup_block_pattern *P,
                                   sup_block_pattern *out) {
  int    n = s->start[i + 1] - s->start[i];
  size_t count = 0;
  for (int k = 0; k < n; k++) {
    int b = s->block[s->start[i] + k];
    count += (size_t)(sup_block_column(P, b + 1) - sup_block_column(P, b));
  }
  SUP_TRY(SUP_GROW(s->pair, s->capacity[4], 2 * count + (size_t)n));
  s->size = s->pair + 2 * count;
  count = 0;
  for (int k = 0; k < n; k++) {
    int b = s->block[s->start[i] + k];
    s->size[k] = sup_block_size(P, b);
    for (int e = sup_block_column(P, b); e < sup_block_column(P, b + 1); e++, count++)
      s->pair[2 * count] = s->local[sup_block_row(P, e)], s->pair[2 * count + 1] = k;
  }
  SUP_TRY(sup_block_pattern_build(out, n, s->size, count, s->pair));
  return SUP_OK;
}

static sup_status analyse_island(sup_islands *s, int i, const sup_block_pattern *A,
                                 const sup_block_pattern *H) {
  island *it = s->item[i];
  SUP_TRY(restrict_pattern(s, i, A, &it->A));
  SUP_TRY(restrict_pattern(s, i, H, &s->next));
  if (!it->is_analysed || !sup_block_pattern_equal(&it->H, &s->next)) {
    it->is_analysed = 0;
    SUP_TRY(restrict_pattern(s, i, H,
                             &it->H)); /* no swap: memory that has grown stays with the island */
    SUP_TRY(sup_linear_solver_analyse(it->factor, &it->H, NULL));
    it->is_analysed = 1;
  }
  SUP_TRY(SUP_GROW(it->A_to_H, it->capacity, sup_block_column(&it->A, it->A.num_blocks)));
  sup_problem_map_entries(&it->A, &it->H, it->A_to_H);
  return SUP_OK;
}

sup_status sup_islands_analyse(sup_islands *s, const sup_block_pattern *A,
                               const sup_block_pattern *H, const int *number, int num) {
  s->num = 0;
  SUP_TRY(make_items(s, num));
  SUP_TRY(sort_blocks(s, A->num_blocks, number, num));
  for (int i = 0; i < num; i++) SUP_TRY(analyse_island(s, i, A, H));
  s->num = num;
  return SUP_OK;
}

/** One island's problem; arrays from the arena. */
typedef struct part {
  sup_problem         problem;
  sup_eliminated      eliminated;
  int                *original; /* [num_constraints] in the whole problem */
  double             *A, *p, *inv_sqrt_d, *momentum;
  sup_constraint     *constraint; /* values as in the problem */
  sup_jacobian_block *jacobian;
  sup_solution        solution;
  sup_cluster        *cluster;
  sup_solve_report    report;
  sup_status          status;
} part;

static sup_status allocate(part *q, const island *it, bool is_eliminated, sup_arena *arena) {
  sup_problem *p = &q->problem;
  int          n = it->A.num_scalars;
  SUP_TRY(SUP_ARENA(arena, q->constraint, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->solution.law, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->original, p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->jacobian, p->num_jacobian_blocks));
  SUP_TRY(SUP_ARENA(arena, q->cluster, p->num_clusters));
  SUP_TRY(SUP_ARENA(arena, q->A, sup_block_pattern_num_values(&it->A)));
  SUP_TRY(SUP_ARENA(arena, q->p, n));
  SUP_TRY(SUP_ARENA(arena, q->solution.v, n));
  SUP_TRY(SUP_ARENA(arena, q->solution.gamma, p->num_vc));
  if (is_eliminated) SUP_TRY(SUP_ARENA(arena, q->inv_sqrt_d, n));
  if (is_eliminated) SUP_TRY(SUP_ARENA(arena, q->momentum, n));
  p->A_pattern = &it->A, p->H_pattern = &it->H, p->A_to_H = it->A_to_H;
  p->A = q->A, p->p = q->p;
  p->constraint = q->constraint, p->jacobian = q->jacobian, p->cluster = q->cluster;
  p->num_constraints = p->num_vc = p->num_jacobian_blocks = p->num_clusters =
      0; /* set when filled */
  return SUP_OK;
}

static int island_of(const sup_islands *s, const sup_problem *whole, int constraint) {
  return s->number[whole->jacobian[whole->constraint[constraint].first_block].block];
}

static void count_parts(const sup_islands *s, const sup_problem *whole, part *q) {
  for (int i = 0; i < whole->num_constraints; i++) {
    sup_problem *p = &q[island_of(s, whole, i)].problem;
    p->num_constraints++;
    p->num_vc += sup_law_dimension(whole->constraint[i].law.kind);
    p->num_jacobian_blocks += whole->constraint[i].num_blocks;
  }
  for (int k = 0; k < whole->num_clusters; k++)
    q[island_of(s, whole, whole->cluster[k].first)].problem.num_clusters++;
}

/** Start values of impulses. */
static void deal_impulses(const part *q, const sup_problem *whole, const double *gamma) {
  for (int i = 0; i < q->problem.num_constraints; i++) {
    const sup_constraint *c = &q->problem.constraint[i];
    memcpy(q->solution.gamma + c->first_vc, gamma + whole->constraint[q->original[i]].first_vc,
           (size_t)sup_law_dimension(c->law.kind) * sizeof *gamma);
  }
}

/** Copy constraints, their laws in force and clusters in order; values of Jacobians are shared with
 * the problem. */
static void deal_constraints(const sup_islands *s, const sup_problem *whole, const sup_law *law,
                             part *q) {
  for (int i = 0, next = 0; i < whole->num_constraints; i++) {
    const sup_constraint *from = &whole->constraint[i];
    part                 *to = &q[island_of(s, whole, i)];
    sup_problem          *p = &to->problem;
    sup_constraint       *c = &to->constraint[p->num_constraints];
    if (next < whole->num_clusters && whole->cluster[next].first == i) {
      sup_cluster *cluster = &to->cluster[p->num_clusters++];
      *cluster = whole->cluster[next++];
      cluster->first = p->num_constraints;
      for (int k = 0; k < from->num_blocks; k++)
        cluster->T[k].block = s->local[cluster->T[k].block];
    }
    *c = *from;
    c->first_vc = p->num_vc, c->first_block = p->num_jacobian_blocks;
    for (int k = 0; k < from->num_blocks; k++) {
      sup_jacobian_block *b = &to->jacobian[p->num_jacobian_blocks++];
      *b = whole->jacobian[from->first_block + k];
      b->block = s->local[b->block];
    }
    to->solution.law[p->num_constraints] = law ? law[i] : from->law;
    to->original[p->num_constraints++] = i;
    p->num_vc += sup_law_dimension(from->law.kind);
  }
}

/** Entries of the island's block columns: out of the whole vector, or back into it. */
static void gather(const sup_islands *s, int i, const sup_block_pattern *P, const double *whole,
                   double *own) {
  for (int k = s->start[i]; k < s->start[i + 1]; k++)
    for (int j = sup_block_first(P, s->block[k]); j < sup_block_first(P, s->block[k] + 1); j++)
      *own++ = whole[j];
}

static void scatter(const sup_islands *s, int i, const sup_block_pattern *P, const double *own,
                    double *whole) {
  for (int k = s->start[i]; k < s->start[i + 1]; k++)
    for (int j = sup_block_first(P, s->block[k]); j < sup_block_first(P, s->block[k] + 1); j++)
      whole[j] = *own++;
}

static void deal_values(const sup_islands *s, int i, const sup_problem *whole,
                        const double *squares, const double *v, part *q) {
  const sup_block_pattern *P = whole->A_pattern;
  double                  *A = q->A;
  for (int k = s->start[i]; k < s->start[i + 1]; k++) {
    size_t first = sup_block_diagonal(P, s->block[k]), end = sup_block_diagonal(P, s->block[k] + 1);
    memcpy(A, whole->A + first, (end - first) * sizeof *A);
    A += end - first;
  }
  gather(s, i, P, whole->p, q->p);
  gather(s, i, P, v, q->solution.v);
  q->problem.eliminated = NULL;
  if (!whole->eliminated) return;
  gather(s, i, P, whole->eliminated->inv_sqrt_d, q->inv_sqrt_d);
  gather(s, i, P, whole->eliminated->momentum, q->momentum);
  q->eliminated = (sup_eliminated){q->inv_sqrt_d, q->momentum, squares[i]};
  q->problem.eliminated = &q->eliminated;
}

/** Impulses and laws in force. */
static void collect(const part *q, const sup_problem *whole, sup_solution *solution) {
  for (int i = 0; i < q->problem.num_constraints; i++) {
    const sup_constraint *c = &q->problem.constraint[i];
    double               *to = solution->gamma + whole->constraint[q->original[i]].first_vc;
    if (solution->law) solution->law[q->original[i]] = q->solution.law[i];
    memcpy(to, q->solution.gamma + c->first_vc,
           (size_t)sup_law_dimension(c->law.kind) * sizeof *to);
  }
}

/** Number of threads for the islands: limited by the work of all islands relative to the largest.
 */
static int count_threads(const sup_islands *s, const part *q) {
  int all = 0, largest = 0, most = sup_team_size();
  if (s->backend == SUP_BACKEND_PETSC) return 1; /* only one thread calls it */
  for (int i = 0; i < s->num; i++) {
    all += q[i].problem.num_constraints;
    if (q[i].problem.num_constraints > largest) largest = q[i].problem.num_constraints;
  }
  int enough = all - largest < THREAD_CONSTRAINTS ? 1 : all / THREAD_CONSTRAINTS;
  if (enough > s->num) enough = s->num;
  return enough < most ? enough : most;
}

/** Data shared by threads. */
typedef struct job {
  const sup_islands       *islands;
  part                    *q;
  const sup_solve_options *options;
} job;

static void solve_part(void *user, int i, int thread) {
  job  *j = user;
  part *q = &j->q[i];
  q->status = sup_solve(&q->problem, j->islands->item[i]->factor, j->options,
                        j->islands->arena[thread], &q->solution, &q->report);
}

static sup_status run(sup_islands *s, part *q, const sup_solve_options *options) {
  int threads = count_threads(s, q);
  for (int t = 0; t < threads; t++) {
    if (!s->arena[t]) SUP_TRY(sup_arena_create(&s->arena[t], 1 << 16));
    SUP_TRY(sup_arena_reset(s->arena[t]));
  }
  sup_team_for(threads, s->num, solve_part, &(job){s, q, options});
  for (int i = 0; i < s->num; i++) /* the message stayed with its thread */
    if (q[i].status != SUP_OK)
      return SUP_FAIL(q[i].status, "island %d: %s", i, sup_status_text(q[i].status));
  return SUP_OK;
}

static void add_residual(sup_law_residual *all, const sup_law_residual *own) {
  all->primal = fmax(all->primal, own->primal);
  all->dual = fmax(all->dual, own->dual);
  all->complementarity = fmax(all->complementarity, own->complementarity);
  all->relative = fmax(all->relative, own->relative);
  all->energy += own->energy;
}

static void add_report(const sup_islands *s, int i, const part *q, sup_solve_report *all) {
  const sup_solve_report *own = &q->report;
  const int              *block = s->block + s->start[i];
  int                     fails = own->reason < 0 && (i == 0 || all->reason > 0);
  all->reason = i ? sup_reason_combine(all->reason, own->reason) : own->reason;
  if (fails && own->worst_block != SUP_NONE) all->worst_block = block[own->worst_block];
  if (own->iterations > all->iterations) all->iterations = own->iterations;
  all->iterations_sum += own->iterations;
  sup_linear_work_add(&all->linear, &own->linear);
  all->factorisations += own->factorisations;
  all->at_cap |= own->at_cap;
  if (own->substeps > all->substeps) all->substeps = own->substeps;
  all->line_search_evaluations += own->line_search_evaluations;
  if (own->sweeps > all->sweeps) all->sweeps = own->sweeps;
  all->sweep_change = fmax(all->sweep_change, own->sweep_change);
  all->handed_over += own->handed_over;
  all->momentum_error = fmax(all->momentum_error, own->momentum_error);
  all->momentum_residual = hypot(all->momentum_residual, own->momentum_residual);
  add_residual(&all->law, &own->law);
  if (own->ambiguous && !all->ambiguous)
    all->ambiguous_constraint = q->original[own->ambiguous_constraint];
  all->ambiguous += own->ambiguous;
  if (own->round_off > all->round_off)
    all->round_off = own->round_off, all->round_off_block = block[own->round_off_block];
}

sup_status sup_islands_solve(sup_islands *s, const sup_problem *problem, const double *squares,
                             const sup_solve_options *options, sup_arena *arena,
                             sup_solution *solution, sup_solve_report *report) {
  part *q;
  SUP_TRY(SUP_ARENA(arena, q, s->num));
  for (int i = 0; i < s->num; i++)
    q[i] = (part){.problem = {.jacobian_value = problem->jacobian_value, .span = problem->span}};
  count_parts(s, problem, q);
  for (int i = 0; i < s->num; i++)
    SUP_TRY(allocate(&q[i], s->item[i], problem->eliminated != NULL, arena));
  deal_constraints(s, problem, solution->law, q);
  for (int i = 0; i < s->num; i++) {
    deal_values(s, i, problem, squares, solution->v, &q[i]);
    deal_impulses(&q[i], problem, solution->gamma);
  }
  SUP_TRY(run(s, q, options));
  *report = (sup_solve_report){.worst_block = SUP_NONE,
                               .round_off_block = SUP_NONE,
                               .ambiguous_constraint = SUP_NONE,
                               .islands = s->num};
  for (int i = 0; i < s->num; i++) {
    add_report(s, i, &q[i], report);
    scatter(s, i, problem->A_pattern, q[i].solution.v, solution->v);
    collect(&q[i], problem, solution);
    SUP_TRY(sup_iteration_log_add_island(&report->log, arena, &q[i].report.log, i));
  }
  return SUP_OK;
}

sup_linear_info sup_islands_info(const sup_islands *s) {
  sup_linear_info sum = {0};
  for (int i = 0; i < s->num; i++) {
    sup_linear_info own = sup_linear_solver_info(s->item[i]->factor);
    sum.nonzeros += own.nonzeros, sum.flops += own.flops, sum.trailing_flops += own.trailing_flops;
    sum.num_supernodes += own.num_supernodes;
  }
  return sum;
}
