/* Policies of load steps, as THEORY 18 has them: each is a function of values. */
#include "step/static/load_cuts.h"
#include "step/static/matrix_reuse.h"
#include "step/static/proximal_weight.h"
#include "step/static/step_length.h"
#include "step/static/stopping.h"
#include "step/static/tree_weight.h"
#include "step/static/trust_radius.h"
#include "test.h"

enum { HELD = 1, FREE = 0 };

static void weights_fall_by_ten_and_rise_by_a_hundred(void) {
  CHECK(sup_proximal_first(HELD) == 0);
  NEAR(sup_proximal_first(FREE), 1e-3, 1e-15, 0);
  NEAR(sup_proximal_lower(1e-3, FREE), 1e-4, 1e-15, 0);
  NEAR(sup_proximal_lower(2e-8, FREE), 1e-8, 1e-15, 0); /* never below the least .. */
  NEAR(sup_proximal_lower(2e-8, HELD), 2e-9, 1e-15, 0); /* .. of a body that can move rigidly */
  NEAR(sup_proximal_raise(1e-3), .1, 1e-15, 0);
  NEAR(sup_proximal_raise(0), 1e-8, 1e-15, 0);
  CHECK(sup_proximal_is_last(1) && !sup_proximal_is_last(.99));
}

static void shifts_double_from_a_quarter_of_the_last(void) {
  NEAR(sup_proximal_shift_first(1e-3), 2.5e-4, 1e-15, 0);
  NEAR(sup_proximal_shift_next(1e-3), 2e-3, 1e-15, 0);
  CHECK(sup_proximal_shift_is_last(1) && !sup_proximal_shift_is_last(.99));
}

/** Length after `count` iterates of the same error. */
static sup_step_length stall(sup_step_length length, double error, int count) {
  for (int k = 0; k < count; k++) length = sup_step_length_next(length, error, 0, 1);
  return length;
}

static void a_step_length_halves_in_a_cycle_and_doubles_behind_it(void) {
  sup_step_length length = stall(sup_step_length_full(), 1, 1);
  CHECK(stall(length, .81, 4).share == 1 && stall(length, .81, 5).share == .5);
  CHECK(stall(stall(length, .79, 1), .79, 4).share == 1); /* a fifth less is progress */
  for (int k = 0; k < 5; k++) CHECK(sup_step_length_next(length, 1, 0, 0).share == 1);
  length = stall(length, 1, 5);
  CHECK(sup_step_length_next(length, .011, 0, 1).share == .5);
  CHECK(sup_step_length_next(length, .009, 0, 1).share == 1);
  CHECK(stall(length, 1, 100).share == 1. / 16);
  length = stall(length, 1, 4);
  CHECK(sup_step_length_next(length, 1, 1, 1).share == .5); /* on its way, with other forces */
  CHECK(sup_step_length_next(length, 1, 0, 1).share == .25);
  CHECK(stall(sup_step_length_anew(length), 1, 5).share == .5);
}

static void an_iteration_ends_after_fifty_without_progress_or_a_hundred(void) {
  sup_static_progress p = sup_static_progress_next(sup_static_progress_from(3), 3, 1, 0);
  CHECK(p.best == 3 && p.error == 1);
  CHECK(!sup_static_progress_is_over(p, 53) && sup_static_progress_is_over(p, 54));
  CHECK(sup_static_progress_next(p, 10, .91, 0).best == 3);
  CHECK(sup_static_progress_next(p, 10, .91, 0).error == .91);
  CHECK(sup_static_progress_next(p, 10, .89, 0).best == 10);
  CHECK(sup_static_progress_next(p, 10, 2, 1).best == 10); /* what falls may need many */
  p.best = 101;
  CHECK(!sup_static_progress_is_over(p, 102) && sup_static_progress_is_over(p, 103));
}

static void a_matrix_stays_near_a_balance_while_errors_fall_fast(void) {
  CHECK(sup_matrix_reuse_is_near((sup_matrix_reuse){.error = .9e-3}));
  CHECK(!sup_matrix_reuse_is_near((sup_matrix_reuse){.error = 1.1e-3}));
  CHECK(sup_matrix_reuse_is_fast(.029, .1) && !sup_matrix_reuse_is_fast(.031, .1));
  CHECK(sup_matrix_reuse_is_step(.049, .1) && !sup_matrix_reuse_is_step(.051, .1));
}

/** Raises of the weight of a tree of one joint with this diagonal, without forces. */
static int raises(double A, double weight, double *G) {
  double          zero = 0, one = 1, pulled, L;
  sup_tree_weight tree = {
      .n = 1, .A = &A, .K = &zero, .force = &zero, .mass = &one, .h = 1, .size = 1};
  return sup_tree_weight_find(&tree, weight, &pulled, &L, G);
}

static void the_weight_of_a_tree_makes_it_positive_definite(void) {
  double G;
  CHECK(raises(2, 1e-9, &G) == 0);
  NEAR(G, 2e-9, 1e-15, 0);           /* of the diagonal; without one of inertia: */
  CHECK(raises(-1, 1e-9, &G) == 11); /* 1e-9, 1e-6, 4e-6, .. */
  NEAR(G, 1e-6 * (1 << 20), 1e-12, 0);
  CHECK(raises(-1, 1e-9 + 1e-6, &G) == 10);
  CHECK(raises(-1e300, 1e-9, &G) == 30); /* in vain */
}

static void a_stiff_joint_gives_weight_to_the_others(void) {
  double          A[4] = {1e3, 0, 0, 0}, K[4] = {0}, force[2] = {0}, mass[2] = {1, 2};
  double          pulled[2], L[4], G[2];
  sup_tree_weight tree = {2, A, K, 0, force, mass, .h = 1, .size = 1};
  CHECK(sup_tree_weight_find(&tree, 1, pulled, L, G) == 0);
  NEAR(G[0], 1e3, 1e-15, 0);
  NEAR(G[1], 2, 1e-12, 0); /* a thousandth, by inertia */
}

static void a_pivot_of_round_off_is_none(void) {
  double          A[4] = {1, 1, 1, 1}, K[4] = {0}, force[2] = {0}, mass[2] = {1, 1};
  double          pulled[2], L[4], G[2];
  sup_tree_weight tree = {2, A, K, 0, force, mass, .h = 1, .size = 1};
  A[3] = 1 + 2e-12;
  CHECK(sup_tree_weight_find(&tree, 0, pulled, L, G) == 0);
  A[3] = 1 + 5e-13;
  CHECK(sup_tree_weight_find(&tree, 0, pulled, L, G) > 0);
}

static void the_pull_of_a_tree_follows_its_way(void) {
  NEAR(sup_tree_weight_update(2, .5), .2, 1e-15, 0);
  NEAR(sup_tree_weight_update(2, 7), 14, 1e-15, 0);
  NEAR(sup_tree_weight_update(2, 1e5), 2e3, 1e-15, 0);
}

static void a_weight_hides_how_a_tree_bends(void) {
  CHECK(sup_tree_weight_shows(0, .9e-6) && !sup_tree_weight_shows(0, 1.1e-6));
  CHECK(!sup_tree_weight_shows(1, 0));
}

static void errors_are_relative_to_forces(void) {
  NEAR(sup_static_error(1, 4, 1e8), .25, 1e-15, 0);
  NEAR(sup_static_error(1, 4, 1e10), .1, 1e-15, 0); /* what feels a billionth is at rest */
  NEAR(sup_static_error(1e-15, 0, 0), 1, 1e-15, 0);
  CHECK(sup_static_error(0, 0, 0) == 0);
  CHECK(sup_static_is_solved(SUP_REASON_TOLERANCE, 1));
  CHECK(sup_static_is_solved(SUP_REASON_LINE_SEARCH, .9e-6));
  CHECK(!sup_static_is_solved(SUP_REASON_LINE_SEARCH, 1.1e-6));
  CHECK(!sup_static_is_solved(SUP_REASON_NOT_SPD, 0));
}

static void a_trust_radius_is_a_share_of_the_bodies(void) {
  double    x[6] = {0, 0, 0, 3, 4, 0};
  sup_soft  soft = {.x0 = x, .num_vertices = 2};
  sup_model model = {.num_softs = 0, .soft = &soft};
  NEAR(sup_trust_radius_of(&model).radius, .01, 1e-15, 0); /* of 0.1 m */
  model.num_pairs = 1;
  NEAR(sup_trust_radius_of(&model).radius, .01, 1e-15, 0);
  model.num_softs = 1;
  NEAR(sup_trust_radius_of(&model).size, 5, 1e-15, 0);
  NEAR(sup_trust_radius_of(&model).radius, .15, 1e-15, 0);
  model.num_pairs = 0;
  NEAR(sup_trust_radius_of(&model).radius, .5, 1e-15, 0);
}

static void joints_turn_by_half_a_radian(void) {
  sup_tree_link link[2] = {{.joint = SUP_JOINT_REVOLUTE, .nv = 1},
                           {.joint = SUP_JOINT_PRISMATIC, .nv = 1, .v_start = 1}};
  sup_tree      tree = {.num_links = 2, .nv = 2, .links = link}, *trees = &tree;
  sup_body      body = {.soft = SUP_NONE};
  sup_frame     X[2] = {{.p = {0, 0, 0}}, {.p = {0, 3, 4}}};
  int           start[2] = {0, 2}, zero = 0;
  sup_model     model = {.tree = &trees, .body = &body, .block_body = &zero, .tree_body = &zero};
  sup_block_pattern P = {.num_blocks = 1, .num_scalars = 2, .offset = start};
  sup_trust_radius  trust = {.radius = .2, .size = 2};
  double            from[2] = {1, 1}, turned[2] = {2, 1}, slid[2] = {1, 9}, way;
  sup_trust_radius_displacements(trust, &model, &P, X, .5, from, turned, &way);
  NEAR(way, .2, 1e-15, 0); /* half a radian is the radius */
  sup_trust_radius_displacements(trust, &model, &P, X, .5, from, slid, &way);
  NEAR(way, .04, 1e-15, 0); /* a hundredth */
  model.num_pairs = 1;
  sup_trust_radius_displacements(trust, &model, &P, X, .5, from, turned, &way);
  NEAR(way, .5 * (5 + 1), 1e-15, 0); /* at the reach of the tree and half the size */
  sup_trust_radius_displacements(trust, &model, &P, X, .5, from, slid, &way);
  NEAR(way, 4, 1e-15, 0);
}

static void an_island_is_shortened_by_one_factor(void) {
  int               start[4] = {0, 1, 2, 3}, island[3] = {0, 0, 2};
  sup_block_pattern P = {.num_blocks = 3, .num_scalars = 3, .offset = start};
  double            from[3] = {1, 1, 1}, to[3] = {5, 2, 2}, way[3] = {4, 1, 1}, longest[3];
  NEAR(sup_trust_radius_shorten(2, &P, island, way, longest, from, to), 2, 1e-15, 0);
  CHECK(to[0] == 3 && to[1] == 1.5 && to[2] == 2);
  NEAR(sup_trust_radius_shorten(4, &P, island, way, longest, from, to), 1, 1e-15, 0);
  CHECK(to[0] == 3 && to[1] == 1.5 && to[2] == 2);
}

static void load_steps_grow_where_few_iterations_suffice(void) {
  NEAR(sup_load_cuts_next(1, .1, .1, 10), .15, 1e-15, 0);
  NEAR(sup_load_cuts_next(1, .1, .1, 11), .1, 1e-15, 0);
  NEAR(sup_load_cuts_next(1, .4, .1, 3), .4, 1e-15, 0); /* shortened to end with a whole one */
  NEAR(sup_load_cuts_next(1, .9, .9, 3), 1, 1e-15, 0);
  CHECK(!sup_load_cuts_is_last(1, 1. / 512) && sup_load_cuts_is_last(1, 1. / 1024));
}

static void what_falls_at_a_quarter_of_the_load_is_hopeless(void) {
  CHECK(!sup_load_cuts_is_hopeless(1, 1, 1, 1) && sup_load_cuts_is_hopeless(2, 1, 1, 1));
  CHECK(!sup_load_cuts_is_hopeless(4, 0, .1, .1) && sup_load_cuts_is_hopeless(5, 0, .1, .1));
  CHECK(!sup_load_cuts_is_hopeless(9, 0, .1, .049) && sup_load_cuts_is_hopeless(9, 0, .1, .051));
  CHECK(!sup_load_cuts_is_hopeless(9, 0, .01, .0099));
  CHECK(sup_load_cuts_is_hopeless(9, 0, .01, .0101));
}

static void convex_problems_are_solved_to_what_their_linearisation_has(void) {
  enum { SOFT = 0, TREES = 1, FACTOR = 0, ITERATIVE = 1 };
  NEAR(sup_static_inner_tolerance(1e-8, .5, SOFT, FACTOR), 1e-11, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-8, .5, TREES, FACTOR), 1e-14, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-12, .5, SOFT, FACTOR), 1e-13, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-8, .5, SOFT, ITERATIVE), 1e-3, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-8, 1e-4, SOFT, ITERATIVE), 1e-6, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-8, 1e-12, SOFT, ITERATIVE), 1e-11, 1e-12, 0);
  NEAR(sup_static_inner_tolerance(1e-8, .5, TREES, ITERATIVE), 1e-14, 1e-12, 0);
}

SUITE_TESTS(static_policies, TEST(weights_fall_by_ten_and_rise_by_a_hundred),
            TEST(shifts_double_from_a_quarter_of_the_last), TEST(a_weight_hides_how_a_tree_bends),
            TEST(errors_are_relative_to_forces),
            TEST(a_step_length_halves_in_a_cycle_and_doubles_behind_it),
            TEST(an_iteration_ends_after_fifty_without_progress_or_a_hundred),
            TEST(a_matrix_stays_near_a_balance_while_errors_fall_fast),
            TEST(the_weight_of_a_tree_makes_it_positive_definite),
            TEST(a_stiff_joint_gives_weight_to_the_others), TEST(a_pivot_of_round_off_is_none),
            TEST(the_pull_of_a_tree_follows_its_way), TEST(a_trust_radius_is_a_share_of_the_bodies),
            TEST(joints_turn_by_half_a_radian), TEST(an_island_is_shortened_by_one_factor),
            TEST(load_steps_grow_where_few_iterations_suffice),
            TEST(what_falls_at_a_quarter_of_the_load_is_hopeless),
            TEST(convex_problems_are_solved_to_what_their_linearisation_has));
