#include "solve/problem.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL /* unrolling is left to the compiler */
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* call(dim, size, first, count) for columns first .. first + count of Jacobian block b: all of them
 * by loops of constant sizes for contacts of free bodies and of vertices, as constant sizes make
 * products several times faster; of trees those that are not zero. */
#define FOR_COLUMNS(call, problem, b, dim, size)                                          \
  do {                                                                                    \
    if ((dim) == 3 && (size) == 6)                                                        \
      call(3, 6, 0, 6);                                                                   \
    else if ((dim) == 3 && (size) == 3)                                                   \
      call(3, 3, 0, 3);                                                                   \
    else if ((dim) == 6 && (size) == 6)                                                   \
      call(6, 6, 0, 6);                                                                   \
    else if ((b)->num_spans == 0)                                                         \
      call(dim, size, 0, size);                                                           \
    else                                                                                  \
      for (const sup_span *s_ = (problem)->span + (b)->span, *end_ = s_ + (b)->num_spans; \
           s_ < end_; s_++)                                                               \
        call(dim, size, s_->first, s_->end - s_->first);                                  \
  } while (0)

/** Two numbers adjacent in memory, loaded by one instruction of every processor of this
 * architecture.
 */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define PAIR(address) (*(pair *)(address))
#define CONST_PAIR(address) (*(const pair *)(address))

/** out += J x, rows of J `ld` apart. */
INLINE void add_rows(const double *J, const int ld, const int dim, const int size, const double *x,
                     double *restrict out) {
  UNROLL for (int r = 0; r < dim; r++) {
    double sum = out[r];
    UNROLL for (int j = 0; j < size; j++) sum += J[r * ld + j] * x[j];
    out[r] = sum;
  }
}

/** out := X^T y, or += X^T y when it `adds`; X has `dim` rows of `size` numbers, `ld` apart, y a
 * stride. */
INLINE void take_transposed(double *restrict out, const int adds, const double *X, const int ld,
                            const int size, const double *y, const int stride, const int dim) {
  UNROLL for (int i = 0; i + 1 < size; i += 2) {
    pair sum = adds ? PAIR(out + i) : (pair){0, 0};
    UNROLL for (int r = 0; r < dim; r++) sum += CONST_PAIR(X + r * ld + i) * y[r * stride];
    PAIR(out + i) = sum;
  }
  if (size % 2) {
    double sum = adds ? out[size - 1] : 0;
    UNROLL for (int r = 0; r < dim; r++) sum += X[r * ld + size - 1] * y[r * stride];
    out[size - 1] = sum;
  }
}

/** out += J^T g, rows of J `ld` apart. */
INLINE void add_columns(const double *J, const int ld, const int dim, const int size,
                        const double *g, double *restrict out) {
  take_transposed(out, 1, J, ld, size, g, 1, dim);
}

/** Cluster that begins with constraint i, or NULL; `next` advances through the list. */
static const sup_cluster *cluster_at(const sup_problem *problem, int i, int *next) {
  if (*next == problem->num_clusters || problem->cluster[*next].first != i) return NULL;
  return &problem->cluster[(*next)++];
}

/** out += sum of J x over the blocks in `b`. */
static void add_velocity(const sup_problem *problem, const sup_jacobian_block *b, int num_blocks,
                         int dim, const double *v, double *out) {
  for (int k = 0; k < num_blocks; k++) {
    int           size = sup_block_size(problem->A_pattern, b[k].block);
    const double *J = problem->jacobian_value + b[k].value,
                 *x = v + sup_block_first(problem->A_pattern, b[k].block);
#define CALL(dim, size, first, count) add_rows(J + (first), size, dim, count, x + (first), out)
    FOR_COLUMNS(CALL, problem, &b[k], dim, size);
#undef CALL
  }
}

/** out += J^T g on the blocks in `b`. */
static void add_impulse(const sup_problem *problem, const sup_jacobian_block *b, int num_blocks,
                        int dim, const double *g, double *out) {
  for (int k = 0; k < num_blocks; k++) {
    int           size = sup_block_size(problem->A_pattern, b[k].block);
    const double *J = problem->jacobian_value + b[k].value;
    double       *to = out + sup_block_first(problem->A_pattern, b[k].block);
#define CALL(dim, size, first, count) add_columns(J + (first), size, dim, count, g, to + (first))
    FOR_COLUMNS(CALL, problem, &b[k], dim, size);
#undef CALL
  }
}

void sup_problem_cluster_twist(const sup_problem *problem, const sup_cluster *cluster,
                               const double *v, double twist[6]) {
  memset(twist, 0, 6 * sizeof *twist);
  add_velocity(problem, cluster->T, problem->constraint[cluster->first].num_blocks, 6, v, twist);
}

void sup_problem_cluster_impulse(const sup_problem *problem, const sup_cluster *cluster,
                                 const double wrench[6], double *out) {
  add_impulse(problem, cluster->T, problem->constraint[cluster->first].num_blocks, 6, wrench, out);
}

static void set_cluster_velocity(const sup_problem *problem, const sup_cluster *cluster,
                                 const double *v, int with_bias, double *vc) {
  double                twist[6];
  const sup_constraint *c = &problem->constraint[cluster->first];
  double               *out = vc + c->first_vc;
  sup_problem_cluster_twist(problem, cluster, v, twist);
  for (int i = 0; i < cluster->count; i++, out += 3) {
    for (int r = 0; r < 3; r++) out[r] = with_bias ? c[i].bias[r] : 0;
    add_rows(problem->jacobian_value + cluster->S + 18 * i, 6, 3, 6, twist, out);
  }
}

void sup_problem_constraint_velocity(const sup_problem *problem, const double *v, int with_bias,
                                     double *vc) {
  for (int i = 0, next = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    const sup_cluster    *cluster = cluster_at(problem, i, &next);
    if (cluster) {
      set_cluster_velocity(problem, cluster, v, with_bias, vc);
      i += cluster->count - 1;
      continue;
    }
    int     dim = sup_law_dimension(c->law.kind);
    double *out = vc + c->first_vc;
    for (int r = 0; r < dim; r++) out[r] = with_bias ? c->bias[r] : 0;
    add_velocity(problem, problem->jacobian + c->first_block, c->num_blocks, dim, v, out);
  }
}

static void add_cluster_impulse(const sup_problem *problem, const sup_cluster *cluster,
                                const double *gamma, double *out) {
  double wrench[6] = {0};
  gamma += problem->constraint[cluster->first].first_vc;
  for (int i = 0; i < cluster->count; i++)
    add_columns(problem->jacobian_value + cluster->S + 18 * i, 6, 3, 6, gamma + 3 * i, wrench);
  sup_problem_cluster_impulse(problem, cluster, wrench, out);
}

void sup_problem_generalized_impulse(const sup_problem *problem, const double *gamma, double *out) {
  memset(out, 0, (size_t)problem->A_pattern->num_scalars * sizeof *out);
  for (int i = 0, next = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    const sup_cluster    *cluster = cluster_at(problem, i, &next);
    if (cluster) {
      add_cluster_impulse(problem, cluster, gamma, out);
      i += cluster->count - 1;
    } else {
      add_impulse(problem, problem->jacobian + c->first_block, c->num_blocks,
                  sup_law_dimension(c->law.kind), gamma + c->first_vc, out);
    }
  }
}

void sup_problem_multiply_laws(const sup_problem *problem, const double *G, const double *x,
                               double *vc, double *gamma, double *out) {
  sup_problem_constraint_velocity(problem, x, 0, vc);
  for (int i = 0; i < problem->num_constraints; i++) {
    int dim = sup_law_dimension(problem->constraint[i].law.kind),
        at = problem->constraint[i].first_vc;
    for (int a = 0; a < dim; a++) {
      gamma[at + a] = 0;
      for (int b = 0; b < dim; b++) gamma[at + a] += G[9 * i + a * dim + b] * vc[at + b];
    }
  }
  sup_problem_generalized_impulse(problem, gamma, out);
}

void sup_problem_copy_laws(const sup_problem *problem, sup_law *law) {
  for (int i = 0; i < problem->num_constraints; i++) law[i] = problem->constraint[i].law;
}

/** Store the value of a law; returns its cost. */
INLINE double store(const sup_law_value *value, int dim, double *gamma, double *G) {
  if (dim == 3) { /* of a constant size */
    memcpy(gamma, value->gamma, sizeof value->gamma);
    if (G) memcpy(G, value->G, sizeof value->G);
  } else {
    memcpy(gamma, value->gamma, (size_t)dim * sizeof *gamma);
    if (G) memcpy(G, value->G, (size_t)(dim * dim) * sizeof *G);
  }
  return value->cost;
}

double sup_problem_evaluate(const sup_problem *problem, const sup_law *law, const double *vc,
                            double *gamma, double *G) {
  double cost = 0;
  for (int i = 0, at = 0; i < problem->num_constraints; i++) {
    const sup_law *own = law ? &law[i] : &problem->constraint[i].law;
    int            dim = sup_law_dimension(own->kind);
    sup_law_value  value;
    sup_law_evaluate(own, vc + at, &value);
    cost += store(&value, dim, gamma + at, G ? G + 9 * i : NULL);
    at += dim;
  }
  return cost;
}

double sup_problem_evaluate_coupled(const sup_problem *problem, sup_law *law, const double *vc,
                                    double *gamma, double *G) {
  double cost = 0;
  for (int i = 0, at = 0; i < problem->num_constraints; i++) {
    int           dim = sup_law_dimension(law[i].kind);
    sup_law_value value;
    sup_law_evaluate_coupled(&law[i], vc + at, &value);
    cost += store(&value, dim, gamma + at, G ? G + 9 * i : NULL);
    at += dim;
  }
  return cost;
}

void sup_problem_map_entries(const sup_block_pattern *A, const sup_block_pattern *H, int *A_to_H) {
  for (int j = 0; j < A->num_blocks; j++)
    for (int e = sup_block_column(A, j), h = sup_block_column(H, j); e < sup_block_column(A, j + 1);
         e++) { /* both lists ascend */
      while (sup_block_row(H, h) != sup_block_row(A, e)) h++;
      A_to_H[e] = h;
    }
}

/** Entries of H under constraints, each once. */
static sup_status list_touched(sup_hessian_map *map, const sup_problem *problem, sup_arena *arena) {
  const sup_block_pattern *P = problem->H_pattern;
  unsigned char           *seen;
  int                      num_entries = sup_block_column(P, P->num_blocks);
  SUP_TRY(SUP_ARENA(arena, seen, num_entries));
  SUP_TRY(SUP_ARENA(arena, map->touched, map->num_pairs));
  SUP_TRY(SUP_ARENA(arena, map->touched_A, map->num_pairs));
  memset(seen, 0, (size_t)num_entries);
  map->num_touched = 0;
  for (int i = 0, k = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    for (int r = 0; r < c->num_blocks; r++)
      for (int l = 0; l <= r; l++, k++) {
        if (map->H_entry[k] == SUP_NONE || seen[map->H_entry[k]]++) continue;
        int row = b[r].block > b[l].block ? b[r].block : b[l].block,
            col = b[r].block + b[l].block - row;
        map->touched_A[map->num_touched] = sup_block_pattern_find(problem->A_pattern, row, col);
        map->touched[map->num_touched++] = map->H_entry[k];
      }
  }
  return SUP_OK;
}

sup_status sup_hessian_map_create(sup_hessian_map *map, const sup_problem *problem,
                                  sup_arena *arena) {
  int count = 0, largest = 1;
  for (int b = 0; b < problem->H_pattern->num_blocks; b++)
    if (sup_block_size(problem->H_pattern, b) > largest)
      largest = sup_block_size(problem->H_pattern, b);
  for (int i = 0; i < problem->num_constraints; i++) {
    int n = problem->constraint[i].num_blocks;
    count += n * (n + 1) / 2;
  }
  map->num_pairs = 0;
  SUP_TRY(SUP_ARENA(arena, map->H_entry, count));
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    for (int k = 0; k < c->num_blocks; k++)
      for (int l = 0; l <= k; l++) {
        if (!sup_problem_is_owned(problem, c)) {
          map->H_entry[map->num_pairs++] = SUP_NONE;
          continue;
        }
        int row = b[k].block > b[l].block ? b[k].block : b[l].block,
            col = b[k].block + b[l].block - row;
        int entry = sup_block_pattern_find(problem->H_pattern, row, col);
        if (entry == SUP_NONE)
          return SUP_FAIL(SUP_E_ARG, "constraint %d couples blocks %d and %d outside the pattern",
                          i, row, col);
        map->H_entry[map->num_pairs++] = entry;
      }
  }
  SUP_TRY(list_touched(map, problem, arena));
  SUP_TRY(SUP_ARENA(arena, map->GJ, 6 * largest));
  return SUP_OK;
}

void sup_hessian_set_dynamics(const sup_problem *problem, double *H) {
  const sup_block_pattern *A = problem->A_pattern, *P = problem->H_pattern;
  int num_A = sup_block_column(A, A->num_blocks), num_H = sup_block_column(P, P->num_blocks);
  for (int h = 0, a = 0; h < num_H; h++) { /* both lists ascend */
    size_t bytes = (sup_block_value(P, h + 1) - sup_block_value(P, h)) * sizeof *H;
    if (a < num_A && problem->A_to_H[a] == h)
      memcpy(H + sup_block_value(P, h), problem->A + sup_block_value(A, a++), bytes);
    else
      memset(H + sup_block_value(P, h), 0, bytes);
  }
}

/** Block of H, column-major, += X^T Y, X with `rows` and Y with `cols` columns of `dim` rows. */
INLINE void add_product_of(double *restrict block, const double *restrict X, const int rows,
                           const double *restrict Y, const int cols, const int dim) {
  UNROLL for (int j = 0; j < cols; j++)
      take_transposed(block + j * rows, 1, X, rows, rows, Y + j, cols, dim);
}

static void add_product(double *block, const double *X, int rows, const double *Y, int cols,
                        int dim) {
  if (dim == 3 && rows == 6 && cols == 6)
    add_product_of(block, X, 6, Y, 6, 3);
  else if (dim == 3 && rows == 3 && cols == 3)
    add_product_of(block, X, 3, Y, 3, 3);
  else if (dim == 3 && rows == 6 && cols == 3)
    add_product_of(block, X, 6, Y, 3, 3);
  else if (dim == 3 && rows == 3 && cols == 6)
    add_product_of(block, X, 3, Y, 6, 3);
  else if (dim == 6 && rows == 6 && cols == 6)
    add_product_of(block, X, 6, Y, 6, 6);
  else
    add_product_of(block, X, rows, Y, cols, dim);
}

int sup_nonzero_spans(int dim, int size, const double *J, sup_span *span) {
  int count = 0;
  for (int j = 0; j < size; j++) {
    bool is_zero = true;
    for (int r = 0; r < dim; r++) is_zero = is_zero && J[r * size + j] == 0;
    if (is_zero) continue;
    if (count == 0 || span[count - 1].end < j) span[count++].first = j;
    span[count - 1].end = j + 1;
  }
  return count;
}

/** Spans of a Jacobian block; `whole` where it has none. */
static const sup_span *spans_of(const sup_problem *problem, const sup_jacobian_block *b, int size,
                                sup_span *whole, const sup_span **end) {
  const sup_span *first = b->num_spans > 0 ? problem->span + b->span : whole;
  *whole = (sup_span){0, size};
  *end = first + (b->num_spans > 0 ? b->num_spans : 1);
  return first;
}

/** add_product for Jacobian blocks x and y of trees, by the columns that are not zero; of a
 * diagonal block the lower triangle. */
static void add_sparse_product(const sup_problem *problem, const sup_jacobian_block *x,
                               const sup_jacobian_block *y, double *block, const double *X,
                               int rows, const double *Y, int cols, int dim) {
  sup_span        whole[2];
  const sup_span *end[2], *row = spans_of(problem, x, rows, &whole[0], &end[0]),
                          *col = spans_of(problem, y, cols, &whole[1], &end[1]);
  for (; col < end[1]; col++)
    for (int j = col->first; j < col->end; j++)
      for (const sup_span *r = row; r < end[0]; r++) {
        int     first = x == y && r->first < j ? j : r->first;
        double *to = block + (ptrdiff_t)j * rows + first;
        if (first >= r->end) continue;
        if (dim == 3)
          take_transposed(to, 1, X + first, rows, r->end - first, Y + j, cols, 3);
        else
          take_transposed(to, 1, X + first, rows, r->end - first, Y + j, cols, dim);
      }
}

/** GJ = G J, dim x cols, rows `ld` apart. */
INLINE void multiply(const double *G, const double *J, const int ld, const int dim, const int cols,
                     double *restrict GJ) {
  UNROLL for (int d = 0; d < dim; d++)
      take_transposed(GJ + d * ld, 0, J, ld, cols, G + d * dim, 1, dim);
}

/** Reset the entries touched by constraints to the values of A. */
static void restore_dynamics(const sup_problem *problem, const sup_hessian_map *map, double *H) {
  const sup_block_pattern *A = problem->A_pattern, *P = problem->H_pattern;
  for (int k = 0; k < map->num_touched; k++) {
    int    h = map->touched[k], a = map->touched_A[k];
    size_t bytes = (sup_block_value(P, h + 1) - sup_block_value(P, h)) * sizeof *H;
    if (a == SUP_NONE)
      memset(H + sup_block_value(P, h), 0, bytes);
    else
      memcpy(H + sup_block_value(P, h), problem->A + sup_block_value(A, a), bytes);
  }
}

static bool is_zero(const double *G, int count) {
  for (int k = 0; k < count; k++)
    if (G[k] != 0) return 0;
  return 1;
}

/** Add J_r^T G J_l for the pairs r >= l of blocks in `b`, in the order of the map; if l is the
 * larger block column, the transpose is added to `turned`. */
static void add_pairs(const sup_problem *problem, const sup_hessian_map *map,
                      const sup_jacobian_block *b, int num_blocks, int dim, const double *G,
                      const int *H_entry, double *H, double *turned) {
  enum { FREE_BODY = 6 };
  double                  *GJ = map->GJ;
  const sup_block_pattern *P = problem->H_pattern;
  for (int l = 0; l < num_blocks; l++) {
    int           cols = sup_block_size(P, b[l].block);
    const double *Jl = problem->jacobian_value + b[l].value;
#define CALL(dim, size, first, count) multiply(G, Jl + (first), size, dim, count, GJ + (first))
    FOR_COLUMNS(CALL, problem, &b[l], dim, cols);
#undef CALL
    for (int r = l; r < num_blocks; r++) {
      size_t        place = sup_block_value(P, H_entry[r * (r + 1) / 2 + l]);
      const double *J = problem->jacobian_value + b[r].value;
      int           rows = sup_block_size(P, b[r].block);
      if ((rows > FREE_BODY || cols > FREE_BODY) && b[r].block >= b[l].block)
        add_sparse_product(problem, &b[r], &b[l], H + place, J, rows, GJ, cols, dim);
      else if (rows > FREE_BODY || cols > FREE_BODY)
        add_sparse_product(problem, &b[l], &b[r], turned + place, GJ, cols, J, rows, dim);
      else if (b[r].block >= b[l].block)
        add_product(H + place, J, rows, GJ, cols, dim);
      else /* the lower triangle holds the larger block as row */
        add_product(turned + place, GJ, cols, J, rows, dim);
    }
  }
}

/** Lower triangle of a block of H, in pairs of rows, += X^T Y of three rows. */
INLINE void add_lower_product(double *restrict block, const double *restrict X,
                              const double *restrict Y) {
  UNROLL for (int j = 0; j < 6; j++)
      take_transposed(block + 6 * j + j / 2 * 2, 1, X + j / 2 * 2, 6, 6 - j / 2 * 2, Y + j, 6, 3);
}

/** Sum of S^T G S over a cluster, 6 x 6; for symmetric G its upper triangle is copied. */
static void sum_cluster(const sup_problem *problem, const sup_cluster *cluster, const double *G,
                        bool is_symmetric, double sum[36]) {
  double GS[18];
  memset(sum, 0, 36 * sizeof *sum);
  for (int i = cluster->first; i < cluster->first + cluster->count; i++) {
    const double *S = problem->jacobian_value + cluster->S + 18 * (i - cluster->first);
    if (is_zero(G + 9 * i, 9)) continue;
    multiply(G + 9 * i, S, 6, 3, 6, GS);
    if (is_symmetric)
      add_lower_product(sum, S, GS);
    else
      add_product_of(sum, S, 6, GS, 6, 3);
  }
  for (int j = 0; j < 6 && is_symmetric; j++)
    for (int i = 0; i < j; i++) sum[6 * j + i] = sum[6 * i + j];
}

static void transpose(const double *G, int dim, double *out) {
  for (int r = 0; r < dim; r++)
    for (int c = 0; c < dim; c++) out[c * dim + r] = G[r * dim + c];
}

/** H and turned += J^T G J by add_pairs; turned NULL: H alone, for symmetric G. */
static void add_constraints(const sup_problem *problem, const sup_hessian_map *map, const double *G,
                            double *H, double *turned) {
  for (int i = 0, k = 0, next = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    const sup_cluster        *cluster = cluster_at(problem, i, &next);
    double                    sum[36], other[36];
    int dim = sup_law_dimension(c->law.kind), num_pairs = c->num_blocks * (c->num_blocks + 1) / 2;
    const double *middle = G + 9 * i;
    const int    *entry = map->H_entry + k;
    k += num_pairs;
    if (cluster) {
      sum_cluster(problem, cluster, G, !turned, sum);
      dim = 6, middle = sum, b = cluster->T;
      i += cluster->count - 1, k += num_pairs * (cluster->count - 1);
    } else if (is_zero(middle, dim * dim)) {
      continue;
    }
    if (!sup_problem_is_owned(problem, c)) continue;
    add_pairs(problem, map, b, c->num_blocks, dim, middle, entry, H, turned ? turned : H);
    if (!turned) continue;
    transpose(middle, dim, other);
    add_pairs(problem, map, b, c->num_blocks, dim, other, entry, turned, H);
  }
}

void sup_hessian_set_constraints(const sup_problem *problem, const sup_hessian_map *map,
                                 const double *G, double *H) {
  restore_dynamics(problem, map, H);
  add_constraints(problem, map, G, H, NULL);
}

void sup_hessian_set_general(const sup_problem *problem, const sup_hessian_map *map,
                             const double *G, double *lower, double *upper) {
  restore_dynamics(problem, map, lower);
  restore_dynamics(problem, map, upper);
  add_constraints(problem, map, G, lower, upper);
}
