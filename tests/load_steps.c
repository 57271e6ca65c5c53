/* Iterations of load steps against those of an earlier version.  The linker sends every call of
 * sup_static_step in a test here first (--wrap); those of sup_static are not seen. */
#include <stdatomic.h>
#include <string.h>

#include "load_steps.h"
#include "step/step.h"
#include "test.h"

enum {
  CUT = 50,  /* iterations that a load step costs at least before it is cut: is_stuck */
  MANY = 10, /* tests whose sum is held */
};
static const double most = 1.5, most_of_sum = 1.1;

/** Iterations when the table was made. A lower number replaces a row's; a higher one needs a reason
 * in its commit. */
static const struct {
  const char *test;
  int         iterations;
} frozen[] = {
    {"dirichlet.a_cube_on_rollers_stretches_freely", 2},
    {"dirichlet.a_cube_under_pressure_shrinks_evenly", 3},
    {"dirichlet.a_driven_side_takes_its_force", 1},
    {"finray_press.a_finger_softens_as_its_mesh_is_refined_and_its_supports_bear_the_contact", 56},
    {"finray_press.a_wall_that_was_pushed_out_of_reach_is_looked_at_again", 31},
    {"finray_press.an_edge_presses_along_the_normal_of_the_wall", 725},
    {"finray_press.smooth_vertices_find_their_rest", 140},
    {"flat_punch.a_flat_punch_comes_to_rest_and_presses_in_proportion", 152},
    {"go_on.load_steps_go_on", 94},
    {"relaxation.equilibria_have_the_moduli_that_are_asked_for", 34},
    {"static_examples.a_ball_on_a_block", 8},
    {"static_examples.a_bar_that_swings", 7},
    {"static_examples.a_cantilever", 2},
    {"static_examples.a_finger_of_spring_steel", 330},
    {"static_examples.a_measured_finger", 45},
    {"static_examples.a_pressed_finger", 62},
    {"static_examples.a_relaxed_bar", 22},
    {"static_examples.a_rib_that_buckles", 13},
    {"static_examples.a_stiff_finray_finger", 14},
    {"static_examples.an_elastica", 70},
    {"static_examples.cooks_membrane", 2},
    {"static_path.a_file_knows_where_load_steps_lead", 21},
    {"static_path.a_smooth_path_saves_linearisations", 84},
    {"static_path.motion_leads_elsewhere", 7},
    {"statics.a_bar_sags_under_its_weight", 5},
    {"statics.a_bar_stretches_as_hooke_says", 3},
    {"statics.a_cube_is_pressed_and_rubbed", 39},
    {"statics.a_cube_that_only_lies_there_rests", 8},
    {"statics.a_drive_presses_as_its_gain_says", 4},
    {"statics.a_load_step_stops_within_and_leaves_the_one_before", 7},
    {"statics.a_perfect_column_leaves_its_saddle", 106},
    {"statics.a_pressed_strip_snaps_and_says_so", 126},
    {"statics.a_rib_buckles_at_eulers_load", 21},
    {"statics.a_state_does_not_know_what_cut_another_one", 178},
    {"statics.a_strip_bends_under_a_force_as_the_elastica", 227},
    {"statics.a_strip_bends_under_its_weight_as_the_elastica", 120},
    {"statics.a_torque_rolls_a_strip_up", 592},
    {"statics.an_arch_snaps_through_and_says_so", 758},
    {"statics.elastica_of_quadratic_tetrahedra_is_that_of_calculix", 25},
    {"statics.elastica_of_tetrahedra_is_that_of_an_independent_program", 74},
    {"statics.friction_costs_few_iterations", 91},
    {"statics.friction_remembers_where_the_load_step_began", 46},
    {"statics.quadratic_bars_of_all_laws_bend_alike", 79},
    {"statics.quadratic_bars_stretch_as_their_law_says", 16},
    {"statics.slender_cells_reach_the_floor_of_round_off", 2},
    {"statics.soft_cubes_fall_onto_each_other", 15},
    {"statics.soft_cubes_rest_on_each_other", 7},
    {"statics.the_end_does_not_depend_on_the_load_steps", 99},
    {"statics.weight_grows_with_the_load", 8},
    {"statics_trees.a_body_hangs_from_its_rim", 21},
    {"statics_trees.a_box_rests_on_a_soft_block", 6},
    {"statics_trees.a_mass_hangs_on_its_spring", 10},
    {"statics_trees.a_pendulum_rests_where_its_spring_balances_its_weight", 26},
    {"statics_trees.a_perfect_inverted_pendulum_leaves_its_saddle", 8},
    {"statics_trees.a_plate_sinks_into_a_pressure_field", 11},
    {"statics_trees.a_two_link_arm_sags", 4},
    {"statics_trees.an_inverted_pendulum_buckles", 13},
    {"statics_trees.directions_of_a_saddle_are_negative_eigenvalues", 83},
    {"statics_trees.fingers_hold_a_box", 9},
    {"time_increment.a_stepper_moves_on_from_an_equilibrium_as_a_new_one_does", 120},
    {"time_increment.one_model_serves_motions_and_an_equilibrium_at_once", 204},
    {"time_increment.the_result_carries_the_increment_that_led_there", 6},
};

static atomic_int      iterations; /* of the test that runs, on all its threads */
static test_load_steps total;

sup_status __real_sup_static_step(sup_stepper *s, sup_state *state, const sup_static_options *o,
                                  sup_step_report *report);
sup_status __wrap_sup_static_step(sup_stepper *s, sup_state *state, const sup_static_options *o,
                                  sup_step_report *report);
sup_status __wrap_sup_static_step(sup_stepper *s, sup_state *state, const sup_static_options *o,
                                  sup_step_report *report) {
  sup_status status = __real_sup_static_step(s, state, o, report);
  if (status == SUP_OK) iterations += report->linearisations + CUT * report->load_cuts;
  return status;
}

int test_load_steps_are_few(const char *suite, const char *test) {
  size_t length = strlen(suite);
  int    count = iterations;
  iterations = 0;
  for (size_t i = 0; i < sizeof frozen / sizeof *frozen; i++) {
    if (strncmp(frozen[i].test, suite, length) || frozen[i].test[length] != '.' ||
        strcmp(frozen[i].test + length + 1, test))
      continue;
    total.num++, total.sum += count, total.frozen += frozen[i].iterations;
    if (count != frozen[i].iterations)
      printf("%d iterations of load steps, earlier %d; ", count, frozen[i].iterations);
    return count <= most * frozen[i].iterations;
  }
  return 1;
}

void test_load_steps_add(test_load_steps *to) {
  to->num += total.num, to->sum += total.sum, to->frozen += total.frozen;
}

void test_load_steps_set(const test_load_steps *from) { total = *from; }

int test_load_steps_sum_is_low(void) {
  if (total.num < MANY) return 1;
  printf("\n%.0f iterations of load steps in %d tests, earlier %.0f\n", total.sum, total.num,
         total.frozen);
  return total.sum <= most_of_sum * total.frozen;
}
