/* Newton's variants: on the velocities alone or with directions of slip, exact or Armijo's line
 * search; what they log. */
#include <math.h>

#include "one_block.h"
#include "solve/newton/newton.h"

enum { NUM_SCALARS = 12, NUM_CONTACTS = 4, NUM_VARIANTS = 4, NUM_LAWS = 7 };

static sup_solve_options variant(int k, double tolerance) {
  return (sup_solve_options){.tolerance = tolerance,
                             .max_iterations = 200,
                             .sweeps = 1,
                             .newton = k % 2 ? SUP_NEWTON_PRIMAL : SUP_NEWTON_PRIMAL_DUAL,
                             .line_search = k / 2 ? SUP_LINE_SEARCH_ARMIJO : SUP_LINE_SEARCH_EXACT};
}

/** Problems of one kind: 0 Lagged, 1 Similar, 2 SAP, 3 Lagged with an ellipse of friction, 4 Lagged
 * under the logarithmic barrier, 5 Similar of Hertz, 6 Lagged under the IPC barrier. */
static sup_law contact_law(test_random *r, int kind) {
  double                      k = pow(10, 5 + 2 * test_uniform(r)), phi = 2e-4 * test_uniform(r);
  static const sup_normal_law normals[] = {
      [4] = SUP_NORMAL_LOG_BARRIER, [5] = SUP_NORMAL_HERTZ, [6] = SUP_NORMAL_IPC_BARRIER};
  sup_normal_law which = kind < 4 ? SUP_NORMAL_HUNT_CROSSLEY : normals[kind];
  sup_normal     normal = normal_law(which, .01, k, 10 * (1 + test_uniform(r)),
                                 kind == 4 || kind == 6 ? 1e-3 + fabs(phi) : phi);
  if (kind == 2) return sap_law(.01, k, .01, phi, .8, 1e-3, 1, 1, 1);
  sup_law law = coulomb_law(kind == 1 || kind == 5 ? SUP_LAW_SIMILAR : SUP_LAW_LAGGED, normal, .8,
                            1e-4, -.01);
  sup_law_set_lagged_impulse(&law, law.coulomb.gn0 + 1e-3);
  if (kind == 3) law.anisotropy = (sup_anisotropy){1, 1.4, .3, .6};
  return law;
}

/** Contacts of a dense A in random directions. */
static void make(one_block *b, uint64_t seed, int kind) {
  test_random r = {seed};
  double      B[NUM_SCALARS * NUM_SCALARS];
  *b = (one_block){.n = NUM_SCALARS, .num = NUM_CONTACTS};
  for (int i = 0; i < NUM_SCALARS * NUM_SCALARS; i++) B[i] = test_uniform(&r);
  for (int i = 0; i < NUM_SCALARS; i++)
    for (int j = 0; j < NUM_SCALARS; j++) {
      b->A[i * NUM_SCALARS + j] = i == j;
      for (int k = 0; k < NUM_SCALARS; k++)
        b->A[i * NUM_SCALARS + j] += B[i * NUM_SCALARS + k] * B[j * NUM_SCALARS + k];
    }
  for (int i = 0; i < NUM_SCALARS; i++) b->p[i] = test_uniform(&r);
  for (int c = 0; c < NUM_CONTACTS; c++) {
    for (int i = 0; i < 3 * NUM_SCALARS; i++) b->J[c][i] = test_uniform(&r);
    b->law[c] = contact_law(&r, kind);
  }
}

/* Convex: one solution from every start, near or far, whatever leads there. */
static void every_variant_ends_in_the_same_solution_from_far_starts(void) {
  one_block_solver s;
  int              most[NUM_VARIANTS] = {0};
  one_block_solver_create(&s);
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (int kind = 0; kind < NUM_LAWS; kind++) {
      double reference[NUM_SCALARS];
      for (int k = 0; k < 3 * NUM_VARIANTS; k++) {
        one_block         b;
        test_random       r = {seed + 100 * (uint64_t)k};
        double            far = k < NUM_VARIANTS ? 0 : k < 2 * NUM_VARIANTS ? 1 : 1e3; /* m/s */
        sup_solve_options options = variant(k % NUM_VARIANTS, 1e-11);
        make(&b, seed, kind);
        for (int i = 0; i < NUM_SCALARS; i++) b.v[i] = far * test_uniform(&r);
        sup_solve_report report = one_block_solve(&b, &s, &options);
        CHECK(report.reason > 0);
        if (report.iterations > most[k % NUM_VARIANTS]) most[k % NUM_VARIANTS] = report.iterations;
        if (k == 0) memcpy(reference, b.v, sizeof reference);
        for (int i = 0; i < NUM_SCALARS; i++) NEAR(b.v[i], reference[i], 1e-7, 1e-9);
      }
    }
  printf("at most %d, %d (primal), %d (Armijo), %d (both) iterations ", most[0], most[1], most[2],
         most[3]);
  one_block_solver_destroy(&s);
}

/* Sharp friction that holds: 1e-8 m/s beside starts of 1 m/s. */
static void directions_of_slip_save_iterations_in_stiction(void) {
  one_block_solver s;
  int              sum[NUM_VARIANTS] = {0};
  one_block_solver_create(&s);
  for (uint64_t seed = 1; seed <= 40; seed++)
    for (int k = 0; k < NUM_VARIANTS; k++) {
      one_block         b;
      test_random       r = {seed};
      sup_solve_options options = variant(k, 1e-9);
      make(&b, seed, 0);
      for (int c = 0; c < NUM_CONTACTS; c++) {
        b.law[c].coulomb.slip = 1e-8;
        sup_law_set_lagged_impulse(&b.law[c], .5);
      }
      for (int i = 0; i < NUM_SCALARS; i++) b.v[i] = test_uniform(&r);
      sup_solve_report report = one_block_solve(&b, &s, &options);
      CHECK(report.reason > 0);
      sum[k] += report.iterations;
    }
  printf("mean %.1f, %.1f (primal), %.1f (Armijo), %.1f (both) iterations ", sum[0] / 40.,
         sum[1] / 40., sum[2] / 40., sum[3] / 40.);
  CHECK(1.5 * sum[0] < sum[1]);
  one_block_solver_destroy(&s);
}

/* ---- line searches --------------------------------------------------------------------------- */

typedef struct curve {
  double (*cost)(double), (*slope)(double), (*curvature)(double);
  double direction; /* of the way; the start is 0 */
} curve;

static double root_cost(double x) { return sqrt(1 + (x - 3) * (x - 3)); }
static double root_slope(double x) { return (x - 3) / root_cost(x); }
static double root_curvature(double x) { return 1 / pow(root_cost(x), 3); }

static sup_line_value on_curve(double alpha, sup_line_order order, const void *user) {
  const curve *c = user;
  double       x = alpha * c->direction;
  return (sup_line_value){
      c->cost(x) - c->cost(0), c->direction * c->slope(x),
      order == SUP_LINE_CURVATURE ? c->direction * c->direction * c->curvature(x) : 0};
}

static double value_on(const curve *c, double alpha) {
  return on_curve(alpha, SUP_LINE_VALUE, c).value;
}

static void searches_keep_what_they_promise(void) {
  for (int k = 0; k < 60; k++) {
    curve           c = {root_cost, root_slope, root_curvature, pow(10, -2 + .1 * k)};
    sup_line        line = {on_curve, &c, c.direction * root_slope(0), k % 2 ? HUGE_VAL : .7, 0, 0};
    sup_line_result exact = sup_line_search(SUP_LINE_SEARCH_EXACT, &line),
                    armijo = sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line);
    sup_line_value at = on_curve(exact.alpha, SUP_LINE_SLOPE, &c);
    double         end = fmin(1.5, line.limit), first = fmin(1, line.limit);
    CHECK(exact.ok && exact.alpha <= end);
    CHECK(fabs(at.slope) <= .1 * fabs(line.slope) || (exact.alpha == end && at.slope < 0));
    at = on_curve(armijo.alpha, SUP_LINE_SLOPE, &c);
    CHECK(armijo.ok && armijo.alpha <= first);
    CHECK(at.value <= 1e-4 * armijo.alpha * line.slope);
    double steps = log(armijo.alpha / first) / log(.8);
    NEAR(steps, round(steps), 0, 1e-9);
    if (at.slope > 0) CHECK(value_on(&c, .8 * armijo.alpha) >= at.value);
    if (armijo.alpha < first) CHECK(value_on(&c, armijo.alpha / .8) > at.value);
  }
}

/* Halving ends at the first step length that does not raise the cost by more than its noise; the
 * lowest search at the best of the halved lengths. */
static void searches_by_values_end_at_halved_lengths(void) {
  int num_shortened = 0;
  for (int k = 0; k < 60; k++) {
    curve           c = {root_cost, root_slope, root_curvature, pow(10, -2 + .1 * k)};
    sup_line        line = {.evaluate = on_curve, .user = &c, .limit = 1.5};
    sup_line_result first = sup_line_search_halving(&line), best = sup_line_search_lowest(&line);
    CHECK(first.ok && first.alpha == ldexp(1.5, 1 - first.evaluations));
    CHECK(value_on(&c, first.alpha) <= 0);
    if (first.alpha < 1.5) num_shortened++;
    if (first.alpha < 1.5) CHECK(value_on(&c, 2 * first.alpha) > 0);
    CHECK(best.ok && best.alpha <= first.alpha);
    CHECK(value_on(&c, best.alpha) <= value_on(&c, first.alpha));
    if (best.alpha < 1.5) CHECK(value_on(&c, 2 * best.alpha) >= value_on(&c, best.alpha));
    CHECK(value_on(&c, best.alpha / 2) >= value_on(&c, best.alpha));
    line.noise = line.noise_slope = 0.5 * value_on(&c, 1.5);
    if (first.alpha < 1.5) CHECK(sup_line_search_halving(&line).alpha == 1.5);
    c.direction = -c.direction; /* uphill */
    line.noise = line.noise_slope = 0;
    CHECK(!sup_line_search_halving(&line).ok && !sup_line_search_lowest(&line).ok);
  }
  CHECK(num_shortened > 10 && num_shortened < 60);
}

/* A fall that round-off hides: the slope at the end of Newton's step says that it is one. */
static void armijo_goes_by_slopes_where_costs_have_lost_their_digits(void) {
  curve    c = {root_cost, root_slope, root_curvature, 3};
  sup_line line = {on_curve, &c, 3 * root_slope(0), HUGE_VAL, HUGE_VAL, 0};
  CHECK(sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line).alpha == 1);
  c.direction = 100; /* up the other side as steep as down this one */
  line.slope = 100 * root_slope(0);
  double alpha = sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line).alpha;
  CHECK(alpha < .04 && 100 * root_slope(100 * alpha) <= -line.slope / 9);
  line.slope = 1;
  CHECK(!sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line).ok);
}

/** Cost that falls by this share of what its slope promises, to the end of the line. */
static sup_line_value fall_short(double alpha, sup_line_order order, const void *share) {
  (void)order;
  return (sup_line_value){-*(const double *)share * alpha, -1, 0};
}

static void a_ten_thousandth_of_the_slope_is_enough_for_armijo(void) {
  double   share = 2e-4;
  sup_line line = {fall_short, &share, -1, HUGE_VAL, 0, 0};
  CHECK(sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line).alpha == 1);
  share = 5e-5;
  CHECK(!(sup_line_search(SUP_LINE_SEARCH_ARMIJO, &line).alpha > 1e-3));
}

/** Slope that jumps at this place. */
static sup_line_value jump(double alpha, sup_line_order order, const void *place) {
  (void)order;
  return (sup_line_value){0, alpha < *(const double *)place ? -1 : 1, 0};
}

/* Halves of the whole step: 47 to 1e-14. */
static void an_exact_search_ends_where_the_step_has_no_more_digits(void) {
  double          place = 1 / sqrt(2);
  sup_line        line = {jump, &place, -1, HUGE_VAL, 0, 0};
  sup_line_result found = sup_line_search(SUP_LINE_SEARCH_EXACT, &line);
  NEAR(found.alpha, place, 0, 1e-14);
  CHECK(found.ok && found.evaluations >= 46 && found.evaluations <= 48);
}

/* Newton's own line: value, slope and curvature belong together, for every law. */
static void the_line_of_newton_has_the_derivatives_that_it_says(void) {
  for (int kind = 0; kind < NUM_LAWS; kind++) {
    one_block                  b;
    test_random                r = {5};
    sup_newton                 s;
    sup_solve_report           report;
    sup_arena                 *arena;
    sup_linear_solver         *factor;
    sup_block_pattern          pattern = {0};
    sup_constraint             row[NUM_CONTACTS];
    sup_jacobian_block         jacobian[NUM_CONTACTS];
    const sup_solve_options    options = variant(0, 1e-9);
    static const unsigned char last = 1;
    int                        A_to_H = 0;
    bool                       spd;
    make(&b, 3, kind);
    for (int i = 0; i < NUM_SCALARS; i++)
      b.v[i] = kind < 4 ? test_uniform(&r) : 0; /* inside of barriers */
    OK(sup_arena_create(&arena, 1 << 16));
    OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
    OK(sup_block_pattern_build(&pattern, 1, &b.n, 0, NULL));
    for (int i = 0; i < NUM_CONTACTS; i++) {
      row[i] =
          (sup_constraint){.law = b.law[i], .first_vc = 3 * i, .first_block = i, .num_blocks = 1};
      jacobian[i] = (sup_jacobian_block){0, (size_t)(3 * ONE_MAX_SCALARS * i)};
    }
    for (int i = 0; i < NUM_CONTACTS; i++) jacobian[i].value = (size_t)(&b.J[i][0] - &b.J[0][0]);
    sup_problem problem = {&pattern,         b.A,          b.p, &pattern, &A_to_H,   NUM_CONTACTS,
                           3 * NUM_CONTACTS, NUM_CONTACTS, row, jacobian, &b.J[0][0]};
    OK(sup_linear_solver_analyse(factor, &pattern, &last));
    OK(sup_newton_create(&s, &problem, factor, &options, arena,
                         &(sup_solution){b.v, b.gamma, b.law}, &report));
    sup_newton_evaluate(&s, &report);
    sup_newton_start_slip(&s);
    OK(sup_newton_factor_and_solve(&s, &report, &spd));
    CHECK(spd);
    sup_line line = sup_newton_line(&s);
    NEAR(line.evaluate(0, SUP_LINE_CURVATURE, line.user).slope, line.slope, 1e-12, 0);
    double end = fmin(1.3, line.limit);
    for (int k = 1; k < 12; k++) {
      double         a = k * end / 12, h = 1e-6 * end;
      sup_line_value low = line.evaluate(a - h, SUP_LINE_CURVATURE, line.user),
                     at = line.evaluate(a, SUP_LINE_CURVATURE, line.user),
                     high = line.evaluate(a + h, SUP_LINE_CURVATURE, line.user),
                     same = line.evaluate(a, SUP_LINE_SLOPE, line.user);
      NEAR((high.value - low.value) / (2 * h), at.slope, 1e-5, 1e-6);
      NEAR((high.slope - low.slope) / (2 * h), at.curvature, 2e-3, 1e-5);
      NEAR(same.value, at.value, 0, 0);
      NEAR(same.slope, at.slope, 0, 0);
    }
    sup_linear_solver_destroy(&factor);
    sup_arena_destroy(&arena);
    sup_block_pattern_free(&pattern);
  }
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Rows are counted, energies fall, and the last momentum errors are each other's squares. */
static void the_log_shows_quadratic_convergence(void) {
  one_block_solver s;
  one_block_solver_create(&s);
  for (int k = 0; k < NUM_VARIANTS; k++) {
    int quadratic = 0, runs = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      one_block         b;
      test_random       r = {seed};
      sup_solve_options options = variant(k, 1e-12);
      options.log = 1;
      make(&b, seed, 0);
      for (int i = 0; i < NUM_SCALARS; i++) b.v[i] = test_uniform(&r);
      sup_solve_report     report = one_block_solve(&b, &s, &options);
      const sup_iteration *row = report.log.first, *before = NULL, *two = NULL;
      double               slope = 0;
      for (int i = 0; row; i++, two = before, before = row, row = row->next) {
        CHECK(row->number == i && row->strategy == SUP_NONE);
        CHECK(i == 0 || (row->step > 0 && row->evaluations > 0));
        if (before) CHECK(row->residual.energy <= before->residual.energy + 1e-13);
        if (two && two->momentum_error < .3)
          slope = fmax(slope, log(row->momentum_error) / log(before->momentum_error));
      }
      CHECK(report.log.last->number == report.iterations);
      NEAR(report.log.last->momentum_error, report.momentum_error, 0, 0);
      runs++, quadratic += slope > 1.7;
    }
    printf("%d of %d ", quadratic, runs);
    CHECK(quadratic > .8 * runs);
  }
  one_block_solver_destroy(&s);
}

/* SAP meets its own law at every velocity; softened friction is off Coulomb's by its slip. */
static void residuals_of_the_log_are_those_of_the_model(void) {
  one_block_solver s;
  one_block_solver_create(&s);
  for (int kind = 0; kind < 3; kind++) {
    one_block         b;
    sup_solve_options options = variant(0, 1e-10);
    double            most = 0;
    options.log = 1;
    make(&b, 7, kind);
    sup_solve_report report = one_block_solve(&b, &s, &options);
    for (const sup_iteration *row = report.log.first; row; row = row->next)
      most = fmax(most, row->residual.complementarity / (1e-300 + fabs(row->residual.energy)));
    CHECK(kind == 2 ? most < 1e-14 : most > 1e-12);
    CHECK(isnan(report.log.first->residual.relative));
  }
  one_block_solver_destroy(&s);
}

static void logs_follow_each_other(void) {
  sup_arena        *arena;
  sup_iteration_log a = {0}, b = {0}, none = {0}, whole = {0};
  OK(sup_arena_create(&arena, 1 << 12));
  for (int k = 0; k < 5; k++)
    OK(sup_iteration_log_add(k < 2 ? &a : &b, arena,
                             &(sup_iteration){.number = k, .solution = k == 4}));
  sup_iteration_log_prepend(&b, &a);
  sup_iteration_log_prepend(&b, &none);
  sup_iteration_log_prepend(&none, &b);
  static const int solution[] = {0, 0, 1, 1, 2};
  int              k = 0;
  for (const sup_iteration *row = none.first; row; row = row->next, k++)
    CHECK(row->number == k && row->solution == solution[k]);
  CHECK(k == 5 && none.last->number == 4);
  OK(sup_iteration_log_add_island(&whole, arena, &none, 3));
  CHECK(whole.first->island == 3 && whole.last->number == 4 && none.first->island == 0);
  sup_arena_destroy(&arena);
}

SUITE_TESTS(newton, TEST(every_variant_ends_in_the_same_solution_from_far_starts),
            TEST(directions_of_slip_save_iterations_in_stiction),
            TEST(searches_keep_what_they_promise), TEST(searches_by_values_end_at_halved_lengths),
            TEST(armijo_goes_by_slopes_where_costs_have_lost_their_digits),
            TEST(a_ten_thousandth_of_the_slope_is_enough_for_armijo),
            TEST(an_exact_search_ends_where_the_step_has_no_more_digits),
            TEST(the_line_of_newton_has_the_derivatives_that_it_says),
            TEST(the_log_shows_quadratic_convergence),
            TEST(residuals_of_the_log_are_those_of_the_model), TEST(logs_follow_each_other));
