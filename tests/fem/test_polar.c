#include "fem/kernel/polar.h"
#include "fem_test.h"

static sup_m3 random_matrix(test_random *random) {
  sup_m3 a;
  for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] = test_uniform(random);
  return a;
}

static double norm(const sup_m3 *a) {
  double s = 0;
  for (int i = 0; i < 9; i++) s += a->m[i / 3][i % 3] * a->m[i / 3][i % 3];
  return sqrt(s);
}

static sup_m3 diagonal(double a, double b, double c) {
  return (sup_m3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

/* R is a rotation, S = R^T F symmetric with s_i + s_j >= 0 for all pairs of its eigenvalues: the
 * maximiser of the trace. */
static void check_polar(const sup_m3 *F) {
  sup_m3 R = sup_fem_polar(F), RtR = sup_m3_mul(sup_m3_transpose(R), R),
         S = sup_m3_mul(sup_m3_transpose(R), *F);
  double scale = norm(F), A[9], eigenvalue[3], trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
  NEAR(sup_m3_det(&R), 1, 0, 1e-14);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      NEAR(RtR.m[i][j], i == j, 0, 1e-14);
      NEAR(S.m[i][j], S.m[j][i], 0, 4e-15 * scale);
      A[3 * i + j] = (i == j ? trace : 0) - 0.5 * (S.m[i][j] + S.m[j][i]);
    }
  fem_test_eigenvalues(3, A, eigenvalue);
  CHECK(eigenvalue[0] >= -4e-15 * scale);
}

static void check_near(const sup_m3 *a, const sup_m3 *b, double tolerance) {
  for (int i = 0; i < 9; i++) NEAR(a->m[i / 3][i % 3], b->m[i / 3][i % 3], 0, tolerance);
}

static void random_matrices_of_both_signs_give_rotations(void) {
  test_random random = {11};
  for (int k = 0; k < 2000; k++) {
    sup_m3 F = random_matrix(&random);
    check_polar(&F);
  }
}

static void known_factors_are_recovered(void) {
  test_random random = {12};
  for (int k = 0; k < 500; k++) {
    sup_m3 Q = fem_test_rotation(&random), V = fem_test_rotation(&random), Vt = sup_m3_transpose(V);
    double s1 = 2 + test_uniform(&random), s2 = s1 * (0.55 + 0.4 * test_uniform(&random));
    double s3 = s2 * pow(10, -4 + 3.9 * test_uniform(&random)); /* down to 1e-8: both code paths */
    sup_m3 U = sup_m3_mul(V, sup_m3_mul(diagonal(s1, s2, s3), Vt)), F = sup_m3_mul(Q, U),
           R = sup_fem_polar(&F);
    check_near(&R, &Q, 1e-13);
    /* inverted: the smallest singular value takes the sign */
    U = sup_m3_mul(V, sup_m3_mul(diagonal(s1, s2, -0.5 * s3), Vt)), F = sup_m3_mul(Q, U),
    R = sup_fem_polar(&F);
    check_near(&R, &Q, 2e-13);
  }
}

static void no_rotation_has_a_larger_trace(void) {
  test_random random = {13};
  for (int k = 0; k < 100; k++) {
    sup_m3 F = random_matrix(&random), R = sup_fem_polar(&F),
           S = sup_m3_mul(sup_m3_transpose(R), F);
    for (int l = 0; l < 100; l++) {
      sup_m3 Q = fem_test_rotation(&random), T = sup_m3_mul(sup_m3_transpose(Q), F);
      CHECK(T.m[0][0] + T.m[1][1] + T.m[2][2] <= S.m[0][0] + S.m[1][1] + S.m[2][2] + 1e-14);
    }
  }
}

static void deficient_matrices_give_rotations(void) {
  test_random random = {14};
  sup_m3      zero = sup_m3_zero(), R = sup_fem_polar(&zero), I = sup_m3_identity();
  check_near(&R, &I, 0);
  for (int k = 0; k < 200; k++) {
    sup_m3 F = random_matrix(&random), Q = fem_test_rotation(&random);
    sup_v3 a = sup_m3_row(&F, 0), b = sup_m3_row(&F, 1), c = sup_m3_row(&F, 2);
    sup_m3 rank1 = sup_m3_outer(a, b), rank2 = sup_m3_add(rank1, sup_m3_outer(b, c));
    sup_m3 mirror = sup_m3_scale(-1, Q), fold = sup_m3_mul(Q, diagonal(1, 0.5, -0.5));
    sup_m3 tiny = sup_m3_scale(1e-200, F), huge = sup_m3_scale(1e150, F), uneven = F;
    for (int j = 0; j < 3; j++) uneven.m[0][j] *= 1e-12;
    check_polar(&rank1), check_polar(&rank2), check_polar(&mirror), check_polar(&fold),
        check_polar(&uneven);
    check_polar(&huge);
    R = sup_fem_polar(
        &tiny); /* norms of this one underflow: compare with the same matrix in another unit */
    sup_m3 same = sup_fem_polar(&F);
    check_near(&R, &same, 1e-12);
  }
}

static void small_changes_change_the_rotation_little(void) {
  test_random random = {15};
  for (int k = 0; k < 200;
       k++) { /* det passes through the border between the two methods and through zero */
    sup_m3 Q = fem_test_rotation(&random), V = fem_test_rotation(&random), Vt = sup_m3_transpose(V);
    sup_m3 before = sup_m3_identity();
    for (int step = 0; step <= 40; step++) {
      double s3 = 4e-3 - 2e-4 * step;
      sup_m3 F = sup_m3_mul(Q, sup_m3_mul(V, sup_m3_mul(diagonal(1.2, 0.9, s3), Vt))),
             R = sup_fem_polar(&F);
      if (step > 0) check_near(&R, &before, 1e-13);
      before = R;
    }
  }
}

static void numbers_that_are_not_finite_end_the_iteration(void) {
  sup_m3 F = sup_m3_identity();
  F.m[1][2] = (double)NAN;
  sup_m3 R = sup_fem_polar(&F);
  F.m[1][2] = (double)INFINITY;
  R = sup_fem_polar(&F);
  NEAR(sup_m3_det(&R), 1, 0, 1e-14);
}

SUITE_TESTS(polar, TEST(random_matrices_of_both_signs_give_rotations),
            TEST(known_factors_are_recovered), TEST(no_rotation_has_a_larger_trace),
            TEST(deficient_matrices_give_rotations), TEST(small_changes_change_the_rotation_little),
            TEST(numbers_that_are_not_finite_end_the_iteration));
