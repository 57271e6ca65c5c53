#include "fem/kernel/polar.h"
#include "fem/material.h"
#include "fem_test.h"

static sup_m3 random_deformation(test_random *random, double size) {
  sup_m3 F = sup_m3_identity();
  for (int i = 0; i < 9; i++) F.m[i / 3][i % 3] += size * test_uniform(random);
  return F;
}

static double inner(const sup_m3 *a, const sup_m3 *b) {
  double s = 0;
  for (int i = 0; i < 9; i++) s += a->m[i / 3][i % 3] * b->m[i / 3][i % 3];
  return s;
}

/* Remainder psi(F + h D) - psi(F) - h P : D. */
static double remainder_at(const sup_lame *lame, const sup_m3 *frozen, const sup_m3 *F,
                           const sup_m3 *D, double h) {
  sup_m3 P, moved = sup_m3_add(*F, sup_m3_scale(h, *D));
  double psi = frozen ? sup_fem_linear(lame, frozen, F, &P) : sup_fem_corotational(lame, F, &P);
  double psi_moved = frozen ? sup_fem_linear(lame, frozen, &moved, NULL)
                            : sup_fem_corotational(lame, &moved, NULL);
  return fabs(psi_moved - psi - h * inner(&P, D));
}

static void stress_is_the_gradient_of_the_energy(void) {
  test_random random = {21};
  sup_lame    lame = sup_fem_lame(2.5, 0.3);
  for (int k = 0; k < 50; k++) {
    sup_m3 F = random_deformation(&random, 0.5), D = random_deformation(&random, 1),
           R0 = fem_test_rotation(&random);
    if (fabs(sup_m3_det(&F)) < 0.1)
      continue; /* the rotation turns fast there: smaller h would be needed */
    for (double h = 1e-3; h > 1e-4; h /= 2) {
      NEAR(remainder_at(&lame, &R0, &F, &D, h) / remainder_at(&lame, &R0, &F, &D, h / 2), 4, 0,
           0.01);
      NEAR(remainder_at(&lame, NULL, &F, &D, h) / remainder_at(&lame, NULL, &F, &D, h / 2), 4, 0,
           0.2);
    }
  }
}

static void tangent_is_the_derivative_of_the_stress(void) {
  test_random random = {22};
  sup_lame    lame = sup_fem_lame(2.5, 0.3);
  sup_m3      I = sup_m3_identity();
  for (int k = 0; k < 20; k++) {
    sup_m3 F = random_deformation(&random, 0.5), P0, P1;
    sup_v3 a = sup_m3_row(&F, 0), b = sup_m3_row(&F, 1);
    sup_m3 K = sup_fem_tangent(&lame, a, b);
    sup_fem_linear(&lame, &I, &F, &P0);
    for (int j = 0; j < 3; j++) { /* linear law: the difference is exact */
      sup_v3 e = {j == 0, j == 1, j == 2};
      sup_m3 moved = sup_m3_add(F, sup_m3_outer(e, b));
      sup_fem_linear(&lame, &I, &moved, &P1);
      sup_v3 column = sup_v3_sub(sup_m3_apply(P1, a), sup_m3_apply(P0, a)),
             expected = sup_m3_column(&K, j);
      NEAR(column.x, expected.x, 0, 1e-13), NEAR(column.y, expected.y, 0, 1e-13),
          NEAR(column.z, expected.z, 0, 1e-13);
    }
  }
}

/* Case F02: nominal stress E eps at lateral stretch 1 - nu eps. */
static void uniaxial_stretch_is_linear_in_the_strain(void) {
  const double row[][4] = {{2.5e6, 0.3, 0.2, 5e5}, {2.5e6, 0.49, 0.2, 5e5}, {1e5, 0.4, -0.1, -1e4}};
  for (int r = 0; r < 3; r++) {
    sup_lame lame = sup_fem_lame(row[r][0], row[r][1]);
    double   eps = row[r][2], lateral = 1 - row[r][1] * eps;
    sup_m3   F = {{{1 + eps, 0, 0}, {0, lateral, 0}, {0, 0, lateral}}}, P;
    double   psi = sup_fem_corotational(&lame, &F, &P);
    NEAR(P.m[0][0], row[r][3], 1e-9, 0);
    NEAR(psi, 0.5 * row[r][3] * eps, 1e-9, 0);
    for (int i = 1; i < 9; i++) NEAR(P.m[i / 3][i % 3], 0, 0, 1e-9 * fabs(row[r][3]));
  }
}

/* Case F03; P is about the rotation of F itself. */
static void simple_shear_has_the_known_stress(void) {
  sup_lame     lame = sup_fem_lame(2.5e6, 0.3);
  const double row[2][5] = {{0.2, 194693.658553, 189921.726062, 23859.662452, 19350.364307},
                            {1, 1215319.252404, 707757.670673, 507561.581731, 547750.108174}};
  for (int r = 0; r < 2; r++) {
    sup_m3 F = {{{1, row[r][0], 0}, {0, 1, 0}, {0, 0, 1}}}, P, R = sup_fem_polar(&F);
    NEAR(sup_fem_corotational(&lame, &F, &P), row[r][4], 1e-9, 0);
    NEAR(P.m[0][1], row[r][1], 1e-9, 0);
    NEAR(P.m[1][0], row[r][2], 1e-9, 0);
    NEAR(P.m[0][0], row[r][3], 1e-9, 0);
    NEAR(P.m[1][1], row[r][3], 1e-9, 0);
    if (r == 0) NEAR(P.m[2][2], 14387.198400, 1e-9, 0);
    NEAR(atan2(R.m[0][1], R.m[0][0]), atan(row[r][0] / 2), 1e-14, 0);
    /* the same deformation about the rotation of the undeformed state is another stress */
    sup_m3 lagged, I = sup_m3_identity();
    sup_fem_linear(&lame, &I, &F, &lagged);
    CHECK(fabs(lagged.m[0][1] - row[r][1]) > 1e-3 * row[r][1]);
  }
}

/* Case F07; a linear law would store the listed energies. */
static void rotations_store_no_energy(void) {
  test_random  random = {23};
  sup_lame     lame = sup_fem_lame(2.5e6, 0.3);
  const double degrees[3] = {30, 90, 179}, linear[3] = {8.629e4, 4.808e6, 1.923e7};
  for (int k = 0; k < 3; k++) {
    sup_m3 Q = sup_quat_matrix(sup_quat_exp(sup_v3_make(0, 0, degrees[k] * acos(-1) / 180))),
           I = sup_m3_identity(), P, PQ;
    CHECK(sup_fem_corotational(&lame, &Q, &P) < 1e-20 * 2.5e6);
    CHECK(sqrt(inner(&P, &P)) < 1e-14 * 2.5e6);
    NEAR(sup_fem_linear(&lame, &I, &Q, NULL), linear[k], 1e-3, 0);
    for (int l = 0; l < 50; l++) {
      sup_m3 F = random_deformation(&random, 0.4), QF = sup_m3_mul(Q, F);
      NEAR(sup_fem_corotational(&lame, &QF, &PQ), sup_fem_corotational(&lame, &F, &P), 1e-9, 0);
      P = sup_m3_mul(Q, P);
      sup_m3 difference = sup_m3_add(PQ, sup_m3_scale(-1, P));
      CHECK(sqrt(inner(&difference, &difference)) < 1e-9 * sqrt(inner(&P, &P)));
    }
  }
}

static void inverted_points_have_finite_restoring_stress(void) {
  sup_lame lame = sup_fem_lame(2.5e6, 0.3);
  for (int k = 0; k <= 20; k++) { /* from the rest state through flat to the mirror image */
    double s = 1 - 0.1 * k;
    sup_m3 F = {{{1, 0, 0}, {0, 1, 0}, {0, 0, s}}}, P;
    CHECK(isfinite(sup_fem_corotational(&lame, &F, &P)));
    if (s > -0.95) NEAR(P.m[2][2], (2 * lame.mu + lame.lambda) * (s - 1), 1e-9, 1e-6);
  }
}

static void equivalent_stress_of_plain_states(void) {
  const sup_m3 tension = {{{-7, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
               shear = {{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}}};
  const sup_m3 pressure = {{{-3, 0, 0}, {0, -3, 0}, {0, 0, -3}}};
  NEAR(sup_fem_von_mises(&tension), 7, 1e-15, 0);
  NEAR(sup_fem_von_mises(&shear), 2 * sqrt(3.0), 1e-15, 0);
  NEAR(sup_fem_von_mises(&pressure), 0, 0, 0);
}

static void cauchy_stress_is_force_over_the_current_area(void) {
  sup_lame lame = sup_fem_lame(1e6, 0.3);
  sup_m3   F = {{{1.2, 0, 0}, {0, 0.9, 0}, {0, 0, 0.8}}}, P;
  sup_fem_corotational(&lame, &F, &P);
  sup_m3 sigma = sup_fem_cauchy(SUP_MATERIAL_LINEAR_COROTATIONAL, &P, &F);
  sup_m3 small = sup_fem_cauchy(SUP_MATERIAL_LINEAR, &P, &F);
  NEAR(sigma.m[0][0], P.m[0][0] / (0.9 * 0.8), 1e-14, 0);
  NEAR(small.m[0][0], P.m[0][0], 0, 0);
  F.m[2][2] = 0;
  sigma = sup_fem_cauchy(SUP_MATERIAL_LINEAR_COROTATIONAL, &P, &F);
  CHECK(isfinite(sup_fem_von_mises(&sigma)));
}

static void constants_out_of_range_are_named(void) {
  sup_material_def good = fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3), bad;
  OK(sup_fem_check_material(&good));
  bad = good, bad.youngs_modulus = 0;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "material 'test': Young's modulus is 0 Pa");
  bad = good, bad.youngs_modulus = (double)NAN;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "Young's modulus");
  bad = good, bad.poissons_ratio = 0.5;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG,
        "Poisson's ratio is 0.5, it must be above -1 and below 0.5");
  bad = good, bad.poissons_ratio = -1;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "Poisson's ratio");
  bad = good, bad.density = -1;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "density is -1 kg/m^3");
  bad = good, bad.mass_damping = -0.1;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "mass damping is -0.1 1/s");
  bad = good, bad.stiffness_damping = (double)INFINITY;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "stiffness damping");
  bad = good, bad.model = (sup_material_model)7;
  FAILS(sup_fem_check_material(&bad), SUP_E_ARG, "unknown model 7");
}

SUITE_TESTS(material_law, TEST(stress_is_the_gradient_of_the_energy),
            TEST(tangent_is_the_derivative_of_the_stress),
            TEST(uniaxial_stretch_is_linear_in_the_strain), TEST(simple_shear_has_the_known_stress),
            TEST(rotations_store_no_energy), TEST(inverted_points_have_finite_restoring_stress),
            TEST(equivalent_stress_of_plain_states),
            TEST(cauchy_stress_is_force_over_the_current_area),
            TEST(constants_out_of_range_are_named));
