/* Lowest eigenvalues of sparse pencils against all of the dense one; counts by inertia. */
#include "la/eigen.h"

#include "la/dense_eigen.h"
#include "la/vector.h"
#include "la_case.h"

enum { MOST = 120 };

/** lambda [n] := all eigenvalues of K x = lambda M x, ascending, by M = L L^T. */
static void solve_dense(const sup_eigen_problem *q, double *lambda) {
  int     n = q->pattern->num_scalars;
  double *A = la_case_dense(&(la_case){*q->pattern, (double *)q->K}),
         *Q = calloc((size_t)(n * n), 8),
         *L = la_case_dense(&(la_case){*q->pattern, (double *)q->M});
  for (int r = 0; r < q->rows.num; r++) {
    double softness = q->rows.softness[r] > 0 ? q->rows.softness[r] : .1;
    for (int k = 0; k < n * n; k++) A[k] += q->rows.u[r][k / n] * q->rows.u[r][k % n] / softness;
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      for (int k = 0; k < j; k++) L[i * n + j] -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i == j ? sqrt(L[i * n + j]) : L[i * n + j] / L[j * n + j];
    }
  for (int round = 0; round < 2; round++) { /* A := L^-1 A, transposed, and again */
    for (int c = 0; c < n; c++)
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) A[i * n + c] -= L[i * n + k] * A[k * n + c];
        A[i * n + c] /= L[i * n + i];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double a = A[i * n + j];
        A[i * n + j] = A[j * n + i], A[j * n + i] = a;
      }
  }
  sup_dense_eigen(n, A, Q);
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at > 0 && lambda[at - 1] > A[i * (n + 1)]; at--) lambda[at] = lambda[at - 1];
    lambda[at] = A[i * (n + 1)];
  }
  free(A), free(L), free(Q);
}

static void check_pairs(const sup_eigen_problem *q, int num) {
  int             n = q->pattern->num_scalars;
  double          lambda[MOST], scale;
  sup_eigen_pairs pairs;
  solve_dense(q, lambda);
  scale = fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
  bool is_rigid = q->rows.num > 0 && q->rows.softness[0] == 0; /* the dense one yields */
  if (is_rigid) scale = 1e6 * fabs(lambda[n - 2]);
  OK(sup_eigen_find(q, num, &pairs));
  CHECK(pairs.num == (num < n ? num : n));
  for (int i = 0; i < pairs.num; i++) {
    double Mx[MOST], *x = pairs.X + (ptrdiff_t)i * n;
    NEAR(pairs.lambda[i], lambda[i], 0, 1e-12 * scale);
    CHECK(pairs.residual[i] < 1e-7);
    sup_block_multiply(q->pattern, q->M, x, Mx);
    for (int j = 0; j <= i; j++) NEAR(sup_dot(pairs.X + (ptrdiff_t)j * n, Mx, n), i == j, 0, 1e-9);
  }
  sup_eigen_pairs_free(&pairs);
}

/* Definite, indefinite; blocks of one to six scalars; fewer unknowns than eigenvalues asked for. */
static void pairs_are_those_of_the_dense_matrix(void) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    la_case           K = {0}, M;
    test_random       random = {seed};
    sup_eigen_problem q;
    la_case_random(&K, 2 + la_case_pick(&random, 18), 1 + (int)(seed % 6), 3, seed);
    M = (la_case){.pattern = K.pattern};
    la_case_fill(&M, seed + 100);
    for (int b = 0; b < K.pattern.num_blocks && seed % 2; b++) la_case_shift(&K, b, -3);
    q = (sup_eigen_problem){SUP_EIGEN_MASS, &K.pattern, K.values, M.values, 0};
    check_pairs(&q, 1 + (int)(seed % 12));
    free(M.values);
    la_case_free(&K);
  }
}

/* Two dense rows beside the pattern, soft and rigid: pairs and counts are those of the whole
 * matrix.
 */
static void rows_beside_the_pattern_are_parts_of_it(void) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    la_case     K = {0}, M;
    test_random random = {seed + 7};
    double      first[MOST], second[MOST], lambda[MOST], *u[2] = {first, second};
    double      softness[2] = {seed % 4 ? .1 : 0, 1e-3};
    la_case_random(&K, 6 + la_case_pick(&random, 12), 1 + (int)(seed % 6), 3, seed);
    M = (la_case){.pattern = K.pattern};
    la_case_fill(&M, seed + 100);
    for (int b = 0; b < K.pattern.num_blocks && seed % 2; b++) la_case_shift(&K, b, -3);
    int n = K.pattern.num_scalars, size = sup_block_size(&K.pattern, 0), count;
    for (int i = 0; i < n; i++)
      first[i] = 2e3 * (test_uniform(&random) - .5),
      second[i] = i < 2 * size ? test_uniform(&random) - .5 : 0;
    softness[0] *= 1e6;
    sup_eigen_problem q = {SUP_EIGEN_MASS, &K.pattern, K.values, M.values, 0, {2, u, softness}};
    check_pairs(&q, 1 + (int)(seed % 5));
    solve_dense(&q, lambda);
    for (int i = 1; i < n - 2; i++) {
      OK(sup_eigen_count(&q, .5 * (lambda[i - 1] + lambda[i]), &count));
      CHECK(count == i);
    }
    free(M.values);
    la_case_free(&K);
  }
}

/* Copies of a graph without couplings: six times each eigenvalue. */
static void multiple_eigenvalues_have_all_their_vectors(void) {
  enum { COPIES = 6, BLOCKS = 5 };
  la_case           c = {0};
  int               size[COPIES * BLOCKS], pair[2 * COPIES * BLOCKS], num = 0;
  sup_eigen_problem q;
  for (int k = 0; k < COPIES * BLOCKS; k++) {
    size[k] = 3;
    if (k % BLOCKS) pair[2 * num] = k, pair[2 * num++ + 1] = k - 1;
  }
  OK(sup_block_pattern_build(&c.pattern, COPIES * BLOCKS, size, (size_t)num, pair));
  la_case_fill(&c, 7);
  size_t each = sup_block_diagonal(&c.pattern, BLOCKS);
  for (int k = 1; k < COPIES; k++)
    memcpy(c.values + (size_t)k * each, c.values, each * sizeof *c.values);
  la_case M = {.pattern = c.pattern};
  la_case_fill(&M, 8);
  for (int k = 1; k < COPIES; k++)
    memcpy(M.values + (size_t)k * each, M.values, each * sizeof *c.values);
  q = (sup_eigen_problem){SUP_EIGEN_MASS, &c.pattern, c.values, M.values, 0};
  for (int wanted = 1; wanted < 20; wanted += 3) check_pairs(&q, wanted);
  free(M.values);
  la_case_free(&c);
}

/* Any bound, whatever number is expected. */
static void inertia_counts_eigenvalues_below_a_bound(void) {
  for (uint64_t seed = 1; seed <= 50; seed++) {
    la_case     K = {0}, M;
    test_random random = {seed};
    double      lambda[MOST];
    int         n, count;
    la_case_random(&K, 1 + la_case_pick(&random, 19), 1 + (int)(seed % 6), 3, seed);
    M = (la_case){.pattern = K.pattern}, n = K.pattern.num_scalars;
    la_case_fill(&M, seed + 100);
    sup_eigen_problem q = {SUP_EIGEN_MASS, &K.pattern, K.values, M.values, 0};
    solve_dense(&q, lambda);
    for (int k = 0; k < n; k += 1 + n / 7) {
      double bound = k + 1 < n ? (lambda[k] + lambda[k + 1]) / 2 : 2 * lambda[k] + 1;
      OK(sup_eigen_count(&q, bound, &count));
      CHECK(count == (k + 1));
    }
    free(M.values);
    la_case_free(&K);
  }
}

/* K definite, M indefinite: the positive eigenvalues alone. */
static void factors_of_an_indefinite_matrix_are_the_positive_ones(void) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    la_case         K = {0}, M;
    double          inverse[MOST];
    sup_eigen_pairs pairs;
    la_case_random(&K, 8, 1 + (int)(seed % 4), 3, seed);
    M = (la_case){.pattern = K.pattern};
    la_case_fill(&M, seed + 100);
    for (int b = 0; b < 8; b++) la_case_shift(&M, b, -2.5 - .1 * b);
    sup_eigen_problem q = {SUP_EIGEN_FACTOR, &K.pattern, K.values, M.values},
                      flipped = {SUP_EIGEN_MASS, &K.pattern, M.values, K.values};
    int n = K.pattern.num_scalars, positive = 0;
    solve_dense(&flipped, inverse);
    for (int i = 0; i < n; i++) positive += inverse[i] > 0;
    OK(sup_eigen_find(&q, 3, &pairs));
    CHECK(pairs.num == (positive < 3 ? positive : 3));
    for (int i = 0; i < pairs.num; i++) NEAR(pairs.lambda[i], 1 / inverse[n - 1 - i], 1e-9, 0);
    sup_eigen_pairs_free(&pairs);
    free(M.values);
    la_case_free(&K);
  }
}

SUITE_TESTS(eigen, TEST(pairs_are_those_of_the_dense_matrix),
            TEST(rows_beside_the_pattern_are_parts_of_it),
            TEST(multiple_eigenvalues_have_all_their_vectors),
            TEST(inertia_counts_eigenvalues_below_a_bound),
            TEST(factors_of_an_indefinite_matrix_are_the_positive_ones));
