#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "la/gmres.h"
#include "la/supernodal/elimination.h"
#include "solve/numerics.h"
#include "solve/reduction_parts.h"

sup_status sup_reduction_create(sup_reduction **out, sup_backend backend, const char *options,
                                const sup_block_pattern *A_pattern) {
  SUP_OWN(sup_reduction) *c = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(c, 1));
  c->A_pattern = A_pattern;
  SUP_TRY(sup_linear_solver_create(&c->leading, backend, options));
  SUP_TRY(sup_linear_solver_create(&c->factor, backend, options));
  SUP_TRY(sup_islands_create(&c->islands, backend, options));
  SUP_TRY(SUP_CALLOC(c->component, A_pattern->num_blocks));
  SUP_TRY(SUP_CALLOC(c->island, A_pattern->num_blocks));
  SUP_TRY(SUP_CALLOC(c->touched, A_pattern->num_blocks));
  SUP_TRY(SUP_CALLOC(c->last, A_pattern->num_blocks));
  SUP_TRY(SUP_CALLOC(c->rank, A_pattern->num_blocks));
  sup_island_components(A_pattern, c->component);
  *out = c;
  c = NULL;
  return SUP_OK;
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
  SUP_FREE_ALL(&c->component, &c->island, &c->touched, &c->last, &c->rank, &c->A_to_H, &c->S,
               &c->coupling, handle);
}

/** Unite the components of A of all ranks. */
static sup_status join_components(sup_reduction *c) {
  const sup_collective *all = c->ranks->collective;
  size_t                n = (size_t)c->A_pattern->num_blocks;
  int                  *other = NULL;
  sup_status            status = SUP_CALLOC(other, n);
  SUP_TRY(sup_agree(all, status));
  for (int r = 0; r < all->size; r++) {
    if (r == all->rank && n) memcpy(other, c->component, n * sizeof *other);
    all->broadcast(all, r, n * sizeof *other, other);
    if (r != all->rank) sup_island_join(other, (int)n, c->component);
  }
  SUP_FREE(other);
  return SUP_OK;
}

sup_status sup_reduction_spread(sup_reduction *c, const sup_block_ranks *ranks) {
  SUP_TRY(sup_linear_solver_spread(c->factor, ranks));
  c->ranks = ranks;
  SUP_TRY(join_components(c));
  return SUP_OK;
}

void sup_reduction_join(sup_reduction *c, const int *other) {
  sup_island_join(other, c->A_pattern->num_blocks, c->component);
}

/* ---- analysis -------------------------------------------------------------------------------- */

/** last := retained columns; the structure of the factor of A alone is found once. */
static sup_status choose_last(sup_reduction *c) {
  if (!c->has_retained) SUP_TRY(sup_retained_build(&c->retained, c->A_pattern));
  c->has_retained = 1;
  sup_retained_choose(&c->retained, c->touched, c->last);
  return SUP_OK;
}

static sup_status analyse_leading(sup_reduction *c) {
  int num = c->A_pattern->num_blocks, num_last = 0;
  c->has_S = 0;
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

/** Sorted block pairs coupled by constraints but not by the remaining matrix. */
static sup_status gather_couplings(const sup_reduction *c, const sup_problem *problem,
                                   sup_arena *arena, int64_t **pair, size_t *num_pairs) {
  const sup_block_pattern *P = sup_reduction_pattern(c);
  size_t                   most = 0, count = 0;
  for (int i = 0; i < problem->num_constraints; i++)
    most += (size_t)(problem->constraint[i].num_blocks * problem->constraint[i].num_blocks);
  SUP_TRY(SUP_ARENA(arena, *pair, most));
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *row = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + row->first_block;
    for (int k = 0; k < row->num_blocks && sup_problem_is_owned(problem, row); k++)
      for (int l = 0; l < k; l++) {
        int x = c->rank[b[k].block], y = c->rank[b[l].block], high = x > y ? x : y,
            low = x + y - high;
        if (sup_block_pattern_find(P, high, low) == SUP_NONE)
          (*pair)[count++] = (int64_t)high * P->num_blocks + low;
      }
  }
  if (count > 0) qsort(*pair, count, sizeof **pair, sup_compare_int64);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || (*pair)[i] != (*pair)[i - 1]) (*pair)[kept++] = (*pair)[i];
  *num_pairs = kept;
  return SUP_OK;
}

static sup_status build_pattern(sup_reduction *c, sup_arena *arena) {
  const sup_block_pattern *P = sup_reduction_pattern(c);
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

/** Islands in the order of their first touched block columns.  A backend without elimination has
 * one island. */
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
  SUP_TRY(SUP_ARENA(arena, number, sup_reduction_pattern(c)->num_blocks));
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE) number[c->rank[b]] = c->island[b];
  SUP_TRY(sup_islands_analyse(c->islands, sup_reduction_pattern(c), &c->H_pattern, number,
                              c->num_islands));
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
  if (c->ranks) same = sup_max_of_ranks(c->ranks->collective, !same) == 0;
  if (!same) {
    SUP_TRY(SUP_GROW(c->coupling, c->capacity[0], num_pairs));
    if (num_pairs) memcpy(c->coupling, pair, num_pairs * sizeof *pair);
    c->num_coupling = num_pairs;
    SUP_TRY(build_pattern(c, arena));
    SUP_TRY(
        SUP_GROW(c->A_to_H, c->capacity[1],
                 sup_block_column(sup_reduction_pattern(c), sup_reduction_pattern(c)->num_blocks)));
    sup_problem_map_entries(sup_reduction_pattern(c), &c->H_pattern, c->A_to_H);
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

sup_status sup_reduction_renumber(const sup_reduction *c, const sup_problem *problem,
                                  sup_arena *arena, sup_problem *out) {
  sup_cluster        *cluster;
  sup_jacobian_block *jacobian;
  *out = *problem;
  out->A_pattern = sup_reduction_pattern(c);
  out->H_pattern = &c->H_pattern;
  out->A_to_H = c->A_to_H;
  if (!c->is_reduced) return SUP_OK;
  out->space = NULL; /* a backend that eliminates also factors the remaining matrix and needs no
                        rigid modes */
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

void sup_reduction_gather(const sup_reduction *c, const double *whole, double *part) {
  const sup_block_pattern *P = c->A_pattern;
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE)
      memcpy(part + sup_block_first(&c->S_pattern, c->rank[b]), whole + sup_block_first(P, b),
             (size_t)sup_block_size(P, b) * sizeof *part);
}

void sup_reduction_scatter(const sup_reduction *c, const double *part, double *whole) {
  const sup_block_pattern *P = c->A_pattern;
  for (int b = 0; b < c->A_pattern->num_blocks; b++)
    if (c->rank[b] != SUP_NONE)
      memcpy(whole + sup_block_first(P, b), part + sup_block_first(&c->S_pattern, c->rank[b]),
             (size_t)sup_block_size(P, b) * sizeof *part);
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
  SUP_TRY(sup_reduction_renumber(c, problem, arena, &part));
  if (!c->has_factor) SUP_TRY(analyse_whole(c));
  if (c->is_reduced) {
    c->has_S = 0; /* A has changed */
    SUP_TRY(SUP_ARENA(arena, S, sup_block_pattern_num_values(&c->S_pattern)));
    SUP_TRY(sup_linear_solver_eliminate(c->leading, problem->A, &c->S_pattern, S, NULL));
    part.A = S;
  }
  SUP_TRY(SUP_ARENA(arena, H, sup_block_pattern_num_values(&c->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&map, &part, arena));
  sup_hessian_set_dynamics(&part, H);
  sup_hessian_set_constraints(&part, &map, G, H);
  sup_linear_operator op = {&c->H_pattern, H, part.rest, part.space, part.ranks};
  SUP_TRY(sup_linear_solver_setup(c->factor, &op));
  return SUP_OK;
}

/** Terms beside H in the condensed problem. */
typedef struct coupled {
  sup_reduction *c;
  sup_problem    problem;
  const double  *D;
  double         tolerance, *vc, *gamma;
  sup_arena     *arena;
} coupled;

/** y := x + H^-1 J^T D J x. */
static sup_status add_coupling(void *user, double *x, double *y) {
  coupled *k = user;
  sup_problem_multiply_laws(&k->problem, k->D, x, k->vc, k->gamma, y);
  SUP_TRY(sup_linear_solver_solve(k->c->factor, sup_solve_numerics.exact, y, NULL));
  for (int i = 0; i < k->problem.A_pattern->num_scalars; i++) y[i] += x[i];
  return SUP_OK;
}
static sup_status stay(void *user, double *x, double *y) {
  (void)user, (void)x, (void)y;
  return SUP_OK;
}

/** x := that of the condensed problem; k NULL: H alone. */
static sup_status solve_part(sup_reduction *c, coupled *k, double *x) {
  double residual;
  SUP_TRY(sup_linear_solver_solve(c->factor, sup_solve_numerics.exact, x, NULL));
  if (!k) return SUP_OK;
  return sup_gmres_solve(k->problem.A_pattern->num_scalars, add_coupling, stay, k, k->tolerance, x,
                         k->arena, &residual);
}

static sup_status apply(sup_reduction *c, coupled *k, double *x, double *work) {
  if (!c->is_reduced) return solve_part(c, k, x);
  SUP_TRY(sup_linear_solver_forward(c->leading, x));
  sup_reduction_gather(c, x, work);
  SUP_TRY(solve_part(c, k, work));
  sup_reduction_scatter(c, work, x);
  return sup_linear_solver_backward(c->leading, x);
}

sup_status sup_reduction_apply_inverse(sup_reduction *c, double *x, double *work) {
  return apply(c, NULL, x, work);
}

sup_status sup_reduction_apply_coupled(sup_reduction *c, const sup_problem *problem,
                                       const double *D, double tolerance, sup_arena *arena,
                                       double *x) {
  coupled k = {.c = c, .D = D, .tolerance = tolerance, .arena = arena};
  double *work;
  SUP_TRY(sup_reduction_renumber(c, problem, arena, &k.problem));
  SUP_TRY(SUP_ARENA(arena, work, c->A_pattern->num_scalars));
  SUP_TRY(SUP_ARENA_VECTORS(arena, problem->num_vc, &k.vc, &k.gamma));
  return apply(c, D ? &k : NULL, x, work);
}

sup_status sup_reduction_solve_alone(sup_reduction *c, double *x, bool *ok) {
  *ok = c->is_reduced && c->has_S && c->S_pattern.num_blocks == 0;
  if (!*ok) return SUP_OK;
  SUP_TRY(sup_linear_solver_forward(c->leading, x));
  return sup_linear_solver_backward(c->leading, x);
}

sup_linear_info sup_reduction_info(const sup_reduction *c) {
  sup_linear_info left =
      c->num_islands > 1 ? sup_islands_info(c->islands) : sup_linear_solver_info(c->factor);
  if (!c->is_reduced) return left;
  sup_linear_info info = sup_linear_solver_info(c->leading);
  info.trailing_flops = left.flops;
  return info;
}
