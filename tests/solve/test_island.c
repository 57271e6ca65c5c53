#include "solve/island.h"

#include <omp.h>
#include <string.h>

#include "la_case.h"
#include "law_case.h"
#include "solve/reduction.h"

enum { MOST_PILES = 60, PILE = 5, BURIED = 2, MOST_BLOCKS = MOST_PILES * (PILE + BURIED) };

/** Piles of blocks of 3 scalars, each in contact with the next one and the lowest with the ground;
 * not coupled with other piles.  `buried` more blocks hang on the lowest one by A alone. */
typedef struct piles {
  sup_block_pattern  pattern;
  double            *A;
  double             p[3 * MOST_BLOCKS];
  sup_constraint     constraint[MOST_PILES * PILE];
  sup_jacobian_block jacobian[2 * MOST_PILES * PILE];
  double             value[18 * MOST_PILES * PILE];
  sup_problem        problem;
  sup_arena         *arena;
  sup_reduction     *reduction;
  int                blocks; /* of a pile */
} piles;

static void add_contact(piles *f, int lower, int upper, test_random *random) {
  sup_problem    *p = &f->problem;
  sup_constraint *c = &f->constraint[p->num_constraints++];
  sup_normal normal = normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, pow(10, 5 + test_uniform(random)),
                                 1, 2e-4 * test_uniform(random));
  *c = (sup_constraint){.law = coulomb_law(SUP_LAW_LAGGED, normal, .6, 1e-4, -.01),
                        .first_vc = p->num_vc,
                        .first_block = p->num_jacobian_blocks};
  sup_law_set_lagged_impulse(&c->law, c->law.coulomb.gn0 + 1e-3);
  p->num_vc += 3;
  for (int k = 0; k < 2; k++) {
    int block = k ? upper : lower, at = 9 * p->num_jacobian_blocks;
    if (block == SUP_NONE) continue;
    for (int j = 0; j < 9; j++)
      f->value[at + j] = (j % 4 == 0) * (k ? 1 : -1) + .1 * test_uniform(random);
    f->jacobian[p->num_jacobian_blocks++] = (sup_jacobian_block){block, (size_t)at};
    c->num_blocks++;
  }
}

/** Pile k is made from seed first + k, whatever the others are, and its masses are `scale` times as
 * large for odd k. */
static void make(piles *f, int num, uint64_t first, int buried, double scale) {
  static int pair[4 * MOST_BLOCKS], size[MOST_BLOCKS];
  int        n = PILE + buried, num_pairs = 0;
  memset(f, 0, sizeof *f);
  f->blocks = n;
  for (int b = 0; b < num * n; b++) {
    size[b] = 3;
    if (b % n < PILE) continue;
    pair[2 * num_pairs] = b, pair[2 * num_pairs++ + 1] = b % n == PILE ? b - PILE : b - 1;
  }
  OK(sup_block_pattern_build(&f->pattern, num * n, size, (size_t)num_pairs, pair));
  f->A = calloc(sup_block_pattern_num_values(&f->pattern) + 1, sizeof *f->A);
  for (int k = 0; k < num; k++) {
    test_random random = {first + (uint64_t)k};
    double      mass = k % 2 ? scale : 1;
    for (int b = k * n; b < (k + 1) * n; b++) {
      for (int e = f->pattern.col_start[b]; e < f->pattern.col_start[b + 1]; e++)
        for (int j = 0; j < 9; j++) {
          double *a = &f->A[f->pattern.value_start[e] + (size_t)j];
          *a = mass * .1 * test_uniform(&random);
          if (f->pattern.row[e] == b) *a = j % 4 == 0 ? mass * (2 + test_uniform(&random)) : 0;
        }
      for (int j = 0; j < 3; j++) f->p[3 * b + j] = mass * .02 * (test_uniform(&random) - (j == 2));
    }
    for (int b = 0; b < PILE; b++) add_contact(f, b ? k * n + b - 1 : SUP_NONE, k * n + b, &random);
  }
  f->problem.A_pattern = &f->pattern, f->problem.A = f->A, f->problem.p = f->p;
  f->problem.constraint = f->constraint, f->problem.jacobian = f->jacobian,
  f->problem.jacobian_value = f->value;
  OK(sup_arena_create(&f->arena, 1 << 20));
  OK(sup_reduction_create(&f->reduction, SUP_BACKEND_SUPERNODAL, NULL, &f->pattern));
}

static void drop(piles *f) {
  sup_reduction_destroy(&f->reduction);
  sup_block_pattern_free(&f->pattern);
  sup_arena_destroy(&f->arena);
  free(f->A);
}

static sup_solve_report solve(piles *f, const sup_solve_options *options, double *v,
                              double *gamma) {
  sup_solve_report report;
  int              analysed = 0;
  memset(v, 0, (size_t)f->pattern.num_scalars * sizeof *v);
  OK(sup_reduction_analyse(f->reduction, &f->problem, f->arena, &analysed));
  OK(sup_reduction_solve(f->reduction, &f->problem, options, f->arena,
                         &(sup_solution){v, gamma, NULL}, &report));
  return report;
}

static const sup_solve_options ordinary = {1e-9, 100, 3, 1e-6};

/* Bit by bit where nothing is eliminated, to round-off where something is. */
static void side_by_side_is_as_alone(void) {
  static double v[3 * MOST_BLOCKS], gamma[3 * MOST_PILES * PILE], alone_v[3 * MOST_BLOCKS],
      alone_gamma[3 * PILE];
  static piles all, alone;
  for (int buried = 0; buried <= BURIED; buried += BURIED) {
    int most = 0, sum = 0;
    make(&all, 6, 40, buried, 1);
    sup_solve_report together = solve(&all, &ordinary, v, gamma);
    CHECK(together.reason > 0 && together.islands == 6 &&
          together.momentum_error <= ordinary.tolerance);
    for (int k = 0; k < 6; k++) {
      make(&alone, 1, 40 + (uint64_t)k, buried, 1);
      sup_solve_report own = solve(&alone, &ordinary, alone_v, alone_gamma);
      double           rtol = buried ? 1e-10 : 0, atol = buried ? 1e-12 : 0;
      CHECK(own.islands == 1 && own.iterations == own.iterations_sum && own.iterations > 0);
      most = own.iterations > most ? own.iterations : most, sum += own.iterations;
      for (int i = 0; i < 3 * all.blocks; i++)
        NEAR(v[3 * all.blocks * k + i], alone_v[i], rtol, atol);
      for (int i = 0; i < 3 * PILE; i++) NEAR(gamma[3 * PILE * k + i], alone_gamma[i], rtol, atol);
      drop(&alone);
    }
    printf("%d of %d iterations, ", most, sum);
    CHECK(together.iterations == most && together.iterations_sum == sum && sum > most);
    drop(&all);
  }
}

/* Each pile is solved to the tolerance of its own momenta. */
static void a_light_pile_beside_a_heavy_one_is_as_exact_as_alone(void) {
  static double     v[3 * MOST_BLOCKS], gamma[3 * MOST_PILES * PILE], exact[3 * MOST_BLOCKS];
  static piles      f;
  sup_solve_options rough = ordinary, fine = ordinary;
  double            error = 0, speed = 0;
  rough.tolerance = 1e-5, fine.tolerance = 1e-13, rough.sweeps = fine.sweeps = 1;
  make(&f, 2, 7, 0, 1e9);
  CHECK(solve(&f, &fine, exact, gamma).reason > 0);
  CHECK(solve(&f, &rough, v, gamma).reason > 0);
  for (int i = 0; i < 3 * PILE; i++)
    error = fmax(error, fabs(v[i] - exact[i])), speed = fmax(speed, fabs(exact[i]));
  printf("off by %.1e of the speed, ", error / speed);
  CHECK(error < 1e-4 * speed);
  drop(&f);
}

static void the_island_that_fails_is_named(void) {
  static double v[3 * MOST_BLOCKS], gamma[3 * MOST_PILES * PILE];
  static piles  f;
  for (int buried = 0; buried <= BURIED; buried += BURIED) {
    sup_solve_options hasty = ordinary;
    make(&f, 3, 90, buried, 1);
    for (int k = 0; k < 3; k++) /* piles 0 and 2 do not touch: their solution is found at once */
      for (int i = 0; i < PILE && k != 1; i++) {
        sup_normal *normal = &f.constraint[k * PILE + i].law.coulomb.normal;
        normal->phi0 = 1, normal->f0 = -normal->k;
        sup_law_set_lagged_impulse(&f.constraint[k * PILE + i].law, 0);
      }
    hasty.max_iterations = 2;
    sup_solve_report report = solve(&f, &hasty, v, gamma);
    CHECK(report.reason == SUP_REASON_MAX_ITERATIONS);
    CHECK(report.worst_block / f.blocks == 1);
    CHECK(sup_reduction_num_islands(f.reduction) == 3);
    CHECK(sup_reduction_islands(f.reduction)[report.worst_block] == 1);
    drop(&f);
  }
}

static void any_number_of_threads_gives_identical_bits(void) {
  static double v[2][3 * MOST_BLOCKS], gamma[2][3 * MOST_PILES * PILE];
  static piles  f;
  int           most = omp_get_max_threads();
  for (int threads = 1; threads <= 4; threads++) {
    int k = threads > 1;
    make(&f, MOST_PILES, 300, BURIED, 1e3);
    omp_set_num_threads(threads);
    CHECK(solve(&f, &ordinary, v[k], gamma[k]).reason > 0);
    CHECK(memcmp(v[0], v[k], sizeof v[0]) == 0 && memcmp(gamma[0], gamma[k], sizeof gamma[0]) == 0);
    drop(&f);
  }
  omp_set_num_threads(most);
}

/* Islands come and go as contacts do; what was solved before does not matter. */
static void islands_that_change_are_found_again(void) {
  static double v[3 * MOST_BLOCKS], gamma[3 * MOST_PILES * PILE], afresh[3 * MOST_BLOCKS];
  static piles  f, other;
  make(&f, 8, 500, BURIED, 1);
  for (int round = 0; round < 6; round++) {
    int num = round % 3 == 2 ? 8 : 3 + round; /* the piles that have contacts */
    make(&other, 8, 500, BURIED, 1);
    f.problem.num_constraints = other.problem.num_constraints = num * PILE;
    f.problem.num_vc = other.problem.num_vc = 3 * num * PILE;
    f.problem.num_jacobian_blocks = other.problem.num_jacobian_blocks = num * (2 * PILE - 1);
    sup_solve_report report = solve(&f, &ordinary, v, gamma);
    CHECK(report.reason > 0 && report.islands == num);
    CHECK(solve(&other, &ordinary, afresh, gamma).islands == num);
    CHECK(memcmp(v, afresh, sizeof v) == 0);
    drop(&other);
  }
  drop(&f);
}

static void what_pushes_is_united(void) {
  static piles f;
  double       gamma[9 * PILE] = {0};
  int          root[3 * PILE];
  make(&f, 3, 1, 0, 1);
  sup_island_components(&f.pattern, root);
  for (int b = 0; b < 3 * PILE; b++) CHECK(sup_island_root(root, b) == b);
  gamma[3 * 2] = 1, gamma[3 * (PILE + 4) + 2] = 1; /* blocks 1 and 2; 3 and 4 of the second pile */
  sup_island_unite(&f.problem, gamma, root);
  for (int b = 0; b < 3 * PILE; b++)
    CHECK(sup_island_root(root, b) == (b == 2 ? 1 : b == PILE + 4 ? PILE + 3 : b));
  sup_island_unite(&f.problem, NULL, root);
  for (int b = 0; b < 3 * PILE; b++) CHECK(sup_island_root(root, b) == b / PILE * PILE);
  drop(&f);
  make(&f, 2, 1, BURIED, 1);
  int parts[2 * (PILE + BURIED)];
  sup_island_components(&f.pattern, parts);
  for (int b = 0; b < 2 * f.blocks; b++)
    CHECK(parts[b] ==
          (b % f.blocks < PILE ? b : b / f.blocks * f.blocks)); /* the buried hang on the lowest */
  drop(&f);
}

SUITE_TESTS(island, TEST(side_by_side_is_as_alone),
            TEST(a_light_pile_beside_a_heavy_one_is_as_exact_as_alone),
            TEST(the_island_that_fails_is_named), TEST(any_number_of_threads_gives_identical_bits),
            TEST(islands_that_change_are_found_again), TEST(what_pushes_is_united));
