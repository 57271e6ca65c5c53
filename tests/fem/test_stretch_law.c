/* Hyperelastic laws at a point: derivatives, invariance, positive semidefinite tangents; cases F02,
 * F03, F07. */
#include "fem/kernel/polar.h"
#include "fem/law/stretch_law.h"
#include "fem_test.h"

static const struct {
  const char            *name;
  const sup_stretch_law *law;
} table[] = {
#define ROW(NAME, name, meaning) {#name, &sup_stretch_law_##name},
    SUP_STRETCH_LAW_LIST(ROW)
#undef ROW
};
enum { NUM_LAWS = sizeof table / sizeof *table };

/** 1: defined for det F < 0. */
static int inverts(const sup_stretch_law *law) {
  const sup_lame lame = {1, 1};
  return isfinite(law->evaluate(&lame, (const double[3]){1, 1, -.5}, NULL, NULL)) != 0;
}

static double inner(const sup_m3 *a, const sup_m3 *b) {
  double s = 0;
  for (int i = 0; i < 9; i++) s += a->m[i / 3][i % 3] * b->m[i / 3][i % 3];
  return s;
}

static sup_m3 random_matrix(test_random *random, double size) {
  sup_m3 F;
  for (int i = 0; i < 9; i++) F.m[i / 3][i % 3] = size * test_uniform(random);
  return F;
}

/** Deformation k: moderate, near the identity, with two equal stretches, inverted, or almost flat.
 */
static sup_m3 deformation(test_random *random, int k) {
  sup_m3 F = sup_m3_add(sup_m3_identity(), random_matrix(random, .4)),
         Q = fem_test_rotation(random);
  if (k % 5 == 1) F = sup_m3_add(sup_m3_identity(), random_matrix(random, 1e-6));
  if (k % 5 == 2) F = (sup_m3){{{1.3, 0, 0}, {0, 1.3, 0}, {0, 0, .8}}};
  if (k % 5 == 3) F = sup_m3_mul(F, (sup_m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, -.4}}});
  if (k % 5 == 4) F = sup_m3_mul(F, (sup_m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, .05}}});
  return sup_m3_mul(Q, F);
}

static sup_m3 apply(const sup_tangent_modes *t, const sup_m3 *D) {
  sup_m3 sum = sup_m3_zero();
  for (int k = 0; k < 9; k++)
    sum = sup_m3_add(sum, sup_m3_scale(t->value[k] * inner(&t->mode[k], D), t->mode[k]));
  return sum;
}

static double distance(const sup_m3 *a, const sup_m3 *b) {
  sup_m3 d = sup_m3_add(*a, sup_m3_scale(-1, *b));
  return sqrt(inner(&d, &d));
}

static void singular_values_and_axes_give_the_matrix_back(void) {
  test_random random = {31};
  for (int k = 0; k < 200; k++) {
    sup_m3 F = k == 0 ? sup_m3_zero() : deformation(&random, k), U, V, back;
    double s[3];
    sup_fem_svd(&F, &U, s, &V);
    sup_m3 S = {{{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}}};
    back = sup_m3_mul(sup_m3_mul(U, S), sup_m3_transpose(V));
    CHECK(distance(&back, &F) < 2e-14);
    NEAR(sup_m3_det(&U), 1, 1e-13, 0), NEAR(sup_m3_det(&V), 1, 1e-13, 0);
    CHECK(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-14);
  }
}

/* Central differences of second order: the error falls by four. */
static void stress_and_tangent_are_derivatives(void) {
  sup_lame lame = sup_fem_lame(2.5, .3);
  double   worst = 0;
  for (int l = 0; l < NUM_LAWS; l++) {
    test_random random = {32};
    for (int k = 0; k < 100; k++) {
      sup_m3 F = deformation(&random, k), D = random_matrix(&random, 1), P, P1, P0;
      if (!inverts(table[l].law) && k % 5 == 3) continue;
      sup_tangent_modes t;
      double            error[2], stress[2], size = 1 + 100 * (k % 5 == 4);
      sup_fem_stretch_law(table[l].law, &lame, &F, &P, 0, &t);
      sup_m3 dP = apply(&t, &D);
      for (int i = 0; i < 2; i++) {
        double h = 1e-4 / (1 << i) / size;
        sup_m3 ahead = sup_m3_add(F, sup_m3_scale(h, D)),
               behind = sup_m3_add(F, sup_m3_scale(-h, D));
        double up = sup_fem_stretch_law(table[l].law, &lame, &ahead, &P1, 0, NULL);
        double down = sup_fem_stretch_law(table[l].law, &lame, &behind, &P0, 0, NULL);
        sup_m3 slope = sup_m3_scale(.5 / h, sup_m3_add(P1, sup_m3_scale(-1, P0)));
        stress[i] = fabs((up - down) / (2 * h) - inner(&P, &D));
        error[i] = distance(&slope, &dP) / (1 + sqrt(inner(&dP, &dP)));
      }
      CHECK(stress[1] < 1e-7 * (1 + fabs(inner(&P, &D))));
      CHECK(error[1] < 1e-6 || error[1] < .3 * error[0]);
      worst = fmax(worst, error[1]);
    }
  }
  printf("%.1e ", worst);
}

/* F07: psi(Q F) = psi(F), P(Q F) = Q P(F); P(I) = 0. */
static void laws_do_not_see_rotations(void) {
  sup_lame lame = sup_fem_lame(2.5e6, .3);
  for (int l = 0; l < NUM_LAWS; l++) {
    test_random random = {33};
    for (int k = 0; k < 50; k++) {
      sup_m3 F = deformation(&random, k), Q = fem_test_rotation(&random), QF = sup_m3_mul(Q, F), P,
             P1;
      if (!inverts(table[l].law) && k % 5 == 3) continue;
      double psi = sup_fem_stretch_law(table[l].law, &lame, &F, &P, 0, NULL);
      NEAR(sup_fem_stretch_law(table[l].law, &lame, &QF, &P1, 0, NULL), psi, 1e-9, 1e-9);
      P = sup_m3_mul(Q, P);
      CHECK(distance(&P, &P1) <= 1e-9 * sqrt(inner(&P, &P)) + 1e-7);
      CHECK(sup_fem_stretch_law(table[l].law, &lame, &Q, &P, 0, NULL) < 1e-20 * 2.5e6);
      CHECK(sqrt(inner(&P, &P)) < 4e-14 * 2.5e6);
    }
  }
}

/** K_ij = (dP_in / dF_jl) a_n b_l. */
static sup_m3 modes_stiffness(const sup_tangent_modes *t, sup_v3 a, sup_v3 b) {
  sup_m3 K = sup_m3_zero();
  for (int k = 0; k < 9; k++)
    K = sup_m3_add(K, sup_m3_outer(sup_v3_scale(t->value[k], sup_m3_apply(t->mode[k], a)),
                                   sup_m3_apply(t->mode[k], b)));
  return K;
}

/* All laws are linear elasticity with E and nu at small strains. */
static void small_strains_are_those_of_E_and_nu(void) {
  sup_lame lame = sup_fem_lame(2.5, .3);
  sup_m3   I = sup_m3_identity();
  for (int l = 0; l < NUM_LAWS; l++) {
    test_random       random = {34};
    sup_tangent_modes t;
    sup_fem_stretch_law(table[l].law, &lame, &I, NULL, 0, &t);
    for (int k = 0; k < 10; k++) {
      sup_m3 D = random_matrix(&random, 1), F = sup_m3_add(I, D), P, dP = apply(&t, &D);
      sup_fem_linear(&lame, &I, &F, &P);
      CHECK(distance(&dP, &P) < 1e-12 * sqrt(inner(&P, &P)));
      sup_v3 a = sup_m3_row(&D, 0), b = sup_m3_row(&D, 1);
      sup_m3 K = modes_stiffness(&t, a, b), K0 = sup_fem_tangent(&lame, a, b);
      CHECK(distance(&K, &K0) < 1e-12 * sqrt(inner(&K0, &K0)));
    }
  }
}

static void projected_tangents_are_positive_semidefinite(void) {
  sup_lame lame = sup_fem_lame(2.5, .45);
  int      negative = 0;
  for (int l = 0; l < NUM_LAWS; l++) {
    test_random random = {35};
    for (int k = 0; k < 200; k++) {
      sup_m3 F = sup_m3_scale(1 + .9 * test_uniform(&random), deformation(&random, k)), P, P0;
      sup_tangent_modes t, full;
      double            psi = sup_fem_stretch_law(table[l].law, &lame, &F, &P, 1, &t);
      sup_fem_stretch_law(table[l].law, &lame, &F, &P0, 0, &full);
      CHECK((isfinite(psi) != 0) == (inverts(table[l].law) || sup_m3_det(&F) > 0));
      CHECK(distance(&P, &P0) == 0);
      for (int i = 0; i < 9; i++) {
        CHECK(t.value[i] >= 0 && isfinite(t.value[i]) && t.value[i] >= full.value[i]);
        negative += full.value[i] < 0;
        for (int j = 0; j < 9; j++) NEAR(inner(&t.mode[i], &t.mode[j]), i == j, 0, 1e-13);
      }
    }
  }
  CHECK(negative > 50);
}

/* F02: nominal stress E eps at lateral stretch 1 - nu eps; F03: simple shear. */
static void the_corotational_law_meets_its_cases(void) {
  sup_lame     lame = sup_fem_lame(2.5e6, .3);
  const double row[2][4] = {{.2, 194693.658553, 189921.726062, 19350.364307},
                            {1, 1215319.252404, 707757.670673, 547750.108174}};
  sup_m3       P, F = {{{1.2, 0, 0}, {0, .94, 0}, {0, 0, .94}}};
  sup_fem_stretch_law(&sup_stretch_law_corotational, &lame, &F, &P, 0, NULL);
  NEAR(P.m[0][0], 5e5, 1e-9, 0);
  for (int r = 0; r < 2; r++) {
    F = (sup_m3){{{1, row[r][0], 0}, {0, 1, 0}, {0, 0, 1}}};
    NEAR(sup_fem_stretch_law(&sup_stretch_law_corotational, &lame, &F, &P, 0, NULL), row[r][3],
         1e-9, 0);
    NEAR(P.m[0][1], row[r][1], 1e-9, 0), NEAR(P.m[1][0], row[r][2], 1e-9, 0);
  }
}

/* psi = psi with lambda 0 + lambda U(d), and d' is the derivative of d. */
static void laws_split_at_lambda(void) {
  sup_lame lame = sup_fem_lame(2.5, .4);
  for (int l = 0; l < NUM_LAWS; l++) {
    const sup_stretch_law *law = table[l].law;
    test_random            random = {36};
    for (int k = 0; k < 50; k++) {
      sup_m3 F = deformation(&random, k), D = random_matrix(&random, 1), P, split, slope;
      double U[2], up[2], down[2], h = 1e-6;
      if (!inverts(table[l].law) && k % 5 == 3) continue;
      double psi = sup_fem_stretch_law(law, &lame, &F, &P, 0, NULL),
             d = sup_fem_dilatation(law, &F, &slope);
      double volumetric = lame.lambda * law->volumetric(d, U);
      NEAR(sup_fem_split_law(law, &lame, lame.lambda * U[0], &F, &split, 0, NULL) + volumetric, psi,
           1e-12, 1e-14);
      CHECK(distance(&split, &P) < 1e-12 * (1 + sqrt(inner(&P, &P))));
      sup_m3 ahead = sup_m3_add(F, sup_m3_scale(h, D)), behind = sup_m3_add(F, sup_m3_scale(-h, D));
      NEAR((sup_fem_dilatation(law, &ahead, NULL) - sup_fem_dilatation(law, &behind, NULL)) /
               (2 * h),
           inner(&slope, &D), 1e-8, 1e-8);
      NEAR((law->volumetric(d + h, up) - law->volumetric(d - h, down)) / (2 * h), U[0], 1e-6, 1e-8);
      NEAR((up[0] - down[0]) / (2 * h), U[1], 1e-6, 1e-8);
    }
  }
}

/* Value of the twist of axes 1 and 2: (p1 + p2)/(s1 + s2), down to a sum of 1e-4 of the largest. */
static void flat_cells_have_bounded_twists(void) {
  const double half[2] = {1.5e-4, 1.5e-5}, sum[2] = {3e-4, 1e-4};
  sup_lame     lame = sup_fem_lame(2.5, .3);
  for (int k = 0; k < 2; k++) {
    sup_m3            F = {{{1, 0, 0}, {0, 1.2 * half[k], 0}, {0, 0, .8 * half[k]}}}, P;
    sup_tangent_modes t;
    sup_fem_stretch_law(&sup_stretch_law_corotational, &lame, &F, &P, 0, &t);
    NEAR(t.value[6] * sum[k], P.m[1][1] + P.m[2][2], 1e-9, 0);
  }
}

/* Value of the flip of two axes: the difference quotient of p while it has digits, 4e-5 apart; the
 * derivative differs by 1e-9. */
static void stretches_that_differ_have_their_quotient(void) {
  sup_lame          lame = sup_fem_lame(2.5, .3);
  sup_m3            F = {{{1.2 + 4e-5, 0, 0}, {0, 1.2, 0}, {0, 0, .4}}}, P;
  sup_tangent_modes t;
  sup_fem_stretch_law(&sup_stretch_law_neo_hookean, &lame, &F, &P, 0, &t);
  NEAR(t.value[3], (P.m[0][0] - P.m[1][1]) / (F.m[0][0] - F.m[1][1]), 3e-11, 0);
}

SUITE_TESTS(stretch_law, TEST(singular_values_and_axes_give_the_matrix_back),
            TEST(stress_and_tangent_are_derivatives), TEST(laws_do_not_see_rotations),
            TEST(small_strains_are_those_of_E_and_nu),
            TEST(projected_tangents_are_positive_semidefinite),
            TEST(the_corotational_law_meets_its_cases), TEST(laws_split_at_lambda),
            TEST(flat_cells_have_bounded_twists), TEST(stretches_that_differ_have_their_quotient));
