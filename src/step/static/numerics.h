/* Numbers that decide in load steps (THEORY 18). */
#pragma once

#include "base/numerics.h"

#define SUP_STATIC_NUMERICS(X)                                                                     \
  X(radius, .1, "-", "trust radius over the size of the bodies", "THEORY 18.3: unmeasured",        \
    "static_policies.a_trust_radius_is_a_share_of_the_bodies")                                     \
  X(radius_in_contact, .03, "-", "trust radius of soft bodies with contacts over the size",        \
    "contacts are found in overlap alone, and cells are small",                                    \
    "static_policies.a_trust_radius_is_a_share_of_the_bodies")                                     \
  X(size, .1, "m", "size of the bodies without soft ones", "that of links of a gripper",           \
    "static_policies.a_trust_radius_is_a_share_of_the_bodies")                                     \
  X(passing, .25, "-", "depth of a rigid body in another over the thinner one that is halved",     \
    "deeper faces are nearer to another side", "statics_trees.flat_pads_hold_a_box")               \
  X(turn, .5, "rad", "turn of a joint that counts as the trust radius, without pairs",             \
    "a turned force is off by its cosine, 12 %", "static_policies.joints_turn_by_half_a_radian")   \
  X(slide, .01, "-", "share of a slide that counts, without pairs", "forces do not turn with it",  \
    "static_policies.joints_turn_by_half_a_radian")                                                \
  X(weight_first, 1e-3, "-", "proximal weight sigma at the start where a body can move rigidly",   \
    "THEORY 18.4: unmeasured", "static_policies.weights_fall_by_ten_and_rise_by_a_hundred")        \
  X(weight_least, 1e-8, "-", "least sigma of such bodies, and of a refused step",                  \
    "round-off of K is 1e-8 of it", "static_policies.weights_fall_by_ten_and_rise_by_a_hundred")   \
  X(weight_most, 1, "-", "sigma of a refused step that ends the load step",                        \
    "as stiff as a cell: the step is negligible",                                                  \
    "static_policies.weights_fall_by_ten_and_rise_by_a_hundred")                                   \
  X(weight_lower, .1, "-", "factor of sigma after a step", "Levenberg-Marquardt; unmeasured",      \
    "static_policies.weights_fall_by_ten_and_rise_by_a_hundred")                                   \
  X(weight_raise, 100, "-", "factor of sigma after a refused step",                                \
    "from the least to the largest in four",                                                       \
    "static_policies.weights_fall_by_ten_and_rise_by_a_hundred")                                   \
  X(tree_weight, 1e-9, "-", "least weight of trees", "beside stiff contact less is round-off",     \
    "statics.a_torque_rolls_a_strip_up")                                                           \
  X(tree_raised, 1e-6, "-", "least weight of trees after an indefinite block", "unmeasured",       \
    "static_policies.the_weight_of_a_tree_makes_it_positive_definite")                             \
  X(tree_raise, 4, "-", "factor of a weight that leaves a tree indefinite",                        \
    "the least one is known to that",                                                              \
    "static_policies.the_weight_of_a_tree_makes_it_positive_definite")                             \
  X(tree_rounds, 30, "-", "raises of the weight of a tree", "1e18 in all",                         \
    "static_policies.the_weight_of_a_tree_makes_it_positive_definite")                             \
  X(tree_spread, 1e-3, "-", "share of the stiffest joint in the weight of the others, by inertia", \
    "a joint without stiffness has a weight",                                                      \
    "static_policies.a_stiff_joint_gives_weight_to_the_others")                                    \
  X(pull_lower, .1, "-", "factor of a tree's pull after a step within the radius",                 \
    "as weight_lower", "static_policies.the_pull_of_a_tree_follows_its_way")                       \
  X(pull_raise, 1e3, "-", "largest factor of a tree's pull after a longer one", "unmeasured",      \
    "static_policies.the_pull_of_a_tree_follows_its_way")                                          \
  X(definite, 1e-12, "-", "pivot over diagonal of a tree that is positive definite",               \
    "less is round-off", "static_policies.a_pivot_of_round_off_is_none")                           \
  X(cycle, 5, "-", "iterations without progress that halve the step length", "unmeasured",         \
    "static_policies.a_step_length_halves_in_a_cycle_and_doubles_behind_it")                       \
  X(cycle_progress, .8, "-", "error over the least one that is progress", "unmeasured",            \
    "static_policies.a_step_length_halves_in_a_cycle_and_doubles_behind_it")                       \
  X(share_least, 1. / 16, "-", "least step length", "unmeasured",                                  \
    "static_policies.a_step_length_halves_in_a_cycle_and_doubles_behind_it")                       \
  X(share_gone, .01, "-", "error over that of the last halving, below which lengths double",       \
    "the iterate has left the cycle",                                                              \
    "static_policies.a_step_length_halves_in_a_cycle_and_doubles_behind_it")                       \
  X(patience, 50, "-", "iterations without progress that end a load step",                         \
    "the longest with an equilibrium had 46",                                                      \
    "static_policies.an_iteration_ends_after_fifty_without_progress_or_a_hundred")                 \
  X(iterations, 100, "-", "iterations that end a load step, from a saddle on", "unmeasured",       \
    "static_policies.an_iteration_ends_after_fifty_without_progress_or_a_hundred")                 \
  X(progress, .9, "-", "error over the least one that is progress", "unmeasured",                  \
    "static_policies.an_iteration_ends_after_fifty_without_progress_or_a_hundred")                 \
  X(alike, .25, "-", "second difference of a path over the first that is extrapolated",            \
    "half of a press's load steps", "static_path.a_smooth_path_saves_linearisations")              \
  X(predicted, .2, "-", "error of a prediction that is the first iterate",                         \
    "at the start it is about 1", "static_path.a_smooth_path_saves_linearisations")                \
  X(near, 1e-3, "-", "error from which A may be reused",                                           \
    "24 linearisations for 63 of a finger, .47 of the time",                                       \
    "static_policies.a_matrix_stays_near_a_balance_while_errors_fall_fast")                        \
  X(fast, .3, "-", "error over the one before with which A is kept", "with near",                  \
    "static_policies.a_matrix_stays_near_a_balance_while_errors_fall_fast")                        \
  X(step, .5, "-", "error over the one before of a step whose energy is unknown", "unmeasured",    \
    "static_policies.a_matrix_stays_near_a_balance_while_errors_fall_fast")                        \
  X(unstable, 1e-4, "-", "error from which an indefinite A is looked at for saddles",              \
    "far from equilibrium K has negative curvature without a saddle",                              \
    "static_saddles.the_residual_shows_the_side_of_a_saddle")                                      \
  X(saddles, 8, "-", "saddles that a load step leaves", "unmeasured",                              \
    "statics.a_perfect_column_leaves_its_saddle")                                                  \
  X(shift_first, .25, "-", "first shift over the last one", "it follows K as that grows",          \
    "static_policies.shifts_double_from_a_quarter_of_the_last")                                    \
  X(shift_more, 2, "-", "factor of a shift by which A is not positive definite",                   \
    "the least one is known to that", "static_policies.shifts_double_from_a_quarter_of_the_last")  \
  X(shift_most, 1, "-", "shift that ends the search", "the diagonal of A itself",                  \
    "static_policies.shifts_double_from_a_quarter_of_the_last")                                    \
  X(free_pull, 1e-6, "-", "pull of a tree up to which a factor shows a minimum",                   \
    "it hides no curvature that counts", "static_policies.a_weight_hides_how_a_tree_bends")        \
  X(aside, 1e-6, "-", "distance from a saddle over the size by which the residual shows a side",   \
    "less is round-off", "static_saddles.the_residual_shows_the_side_of_a_saddle")                 \
  X(curvature, 1e-12, "-", "negligible curvature over the diagonal", "round-off",                  \
    "static_saddles.the_lowest_eigenvalues_are_found")                                             \
  X(stiffness, 1e-12, "-", "negligible diagonal over the largest", "round-off",                    \
    "static_saddles.sizes_are_not_round_off")                                                      \
  X(subspace_residual, 1e-6, "-", "residual of a curvature found, over its size and the shift",    \
    "the curvature is right to its square", "static_saddles.iterations_end_at_a_residual")         \
  X(subspace_shift, 8, "-", "factor of a shift by which H is not positive definite",               \
    "the next eigenvalue is then apart", "static_saddles.the_lowest_eigenvalues_are_found")        \
  X(subspace_shift_most, 1e3, "-", "shift that ends the search: H is not finite", "unmeasured",    \
    "static_saddles.curvature_of_round_off_is_none")                                               \
  X(equal_ways, 1.001, "-", "ratio of equal displacements, of which the first counts",             \
    "round-off decides between axes of a square column",                                           \
    "static_saddles.equal_directions_have_a_first_one")                                            \
  X(equal_curvatures, .99, "-", "ratio of equal curvatures",                                       \
    "a square column: both axes, to the accuracy of the mesh",                                     \
    "static_saddles.equal_directions_have_a_first_one")                                            \
  X(round_off, 2e-16, "-", "round-off of positions in forces",                                     \
    "that of double precision, rounded", "statics.slender_cells_reach_the_floor_of_round_off")     \
  X(noise, 1e-9, "-", "negligible force over the largest of the scene",                            \
    "a body under less is at rest", "static_policies.errors_are_relative_to_forces")               \
  X(no_force, 1e-15, "N", "negligible force", "a scene without forces is in balance",              \
    "static_policies.errors_are_relative_to_forces")                                               \
  X(inner, 1e-3, "-", "tolerance of convex problems over that of the load step",                   \
    "the next linearisation reduces its error",                                                    \
    "static_policies.convex_problems_are_solved_to_what_their_linearisation_has")                  \
  X(inner_of_trees, 1e-6, "-", "the same beside trees",                                            \
    "their momenta are sums of other sizes than those of vertices",                                \
    "static_policies.convex_problems_are_solved_to_what_their_linearisation_has")                  \
  X(inner_least, 1e-10, "-", "least tolerance of load steps for it", "round-off",                  \
    "static_policies.convex_problems_are_solved_to_what_their_linearisation_has")                  \
  X(digits, 1e-2, "-", "error of a linear solution over that of the iterate, of iterative ones",   \
    "the linearisation has no more",                                                               \
    "static_policies.convex_problems_are_solved_to_what_their_linearisation_has")                  \
  X(roughest, 1e-3, "-", "largest such error", "unmeasured",                                       \
    "static_policies.convex_problems_are_solved_to_what_their_linearisation_has")                  \
  X(solved, 1e-6, "-", "momentum error of a convex problem that is accepted nonetheless",          \
    "the next linearisation reduces its round-off",                                                \
    "static_policies.errors_are_relative_to_forces")                                               \
  X(stiff_trees, 1e6, "-", "diagonal of trees over inertia for the near-rigid rule of drives",     \
    "gains are not reduced", "statics.a_drive_presses_as_its_gain_says")                           \
  X(cuts, 10, "-", "halvings of a whole load step", "to a thousandth",                             \
    "static_policies.load_steps_grow_where_few_iterations_suffice")                                \
  X(cuts_falling, 2, "-", "halvings after which a body that falls at both loads is free",          \
    "a quarter of the load pulls it as freely",                                                    \
    "static_policies.what_falls_at_a_quarter_of_the_load_is_hopeless")                             \
  X(cuts_hopeless, 5, "-", "halvings after which an error decides", "a thirtieth of the load",     \
    "static_policies.what_falls_at_a_quarter_of_the_load_is_hopeless")                             \
  X(coarse, .01, "-", "error that is then no equilibrium", "unmeasured",                           \
    "static_policies.what_falls_at_a_quarter_of_the_load_is_hopeless")                             \
  X(as_first, .5, "-", "error over that of the whole load step without improvement", "unmeasured", \
    "static_policies.what_falls_at_a_quarter_of_the_load_is_hopeless")                             \
  X(easy, 10, "-", "iterations of a load step after which the next one is longer", "unmeasured",   \
    "static_policies.load_steps_grow_where_few_iterations_suffice")                                \
  X(longer, 1.5, "-", "factor of its length", "unmeasured",                                        \
    "static_policies.load_steps_grow_where_few_iterations_suffice")                                \
  X(aside_load, 1e-3, "-", "cosine of load and lowest eigenvector of a limit load",                \
    "less: buckling", "pressure.limit_loads_and_bifurcations_are_named")                           \
  X(critical_share, 10, "-", "load steps ahead at which a critical load counts",                   \
    "close to a limit the iteration leaves the basin: 4.6 in a pneumatic finger",                  \
    "pressure.limit_loads_and_bifurcations_are_named")                                             \
  X(critical_width, 10, "-", "displacement in second differences over that in first ones",         \
    "round-off by its square", "pressure.limit_loads_and_bifurcations_are_named")                  \
  X(symmetry, 1e-7, "-", "asymmetric part of K that is none",                                      \
    "differences of fourth order leave 1e-9", "pressure.a_free_rim_has_no_transpose")              \
  X(difference, 1e-3, "-", "displacement over the size of cells in differences of elastic forces", \
    "errors of fourth order and round-off are 1e-11 of rough ones",                                \
    "static_equations.the_derivative_is_the_tangent_where_it_is_exact")                            \
  X(difference_contact, 1e-2, "-", "the same over the depth of contacts",                          \
    "errors of fourth order are 1e-8, round-off of places 1e-17/(1e-2 depth)",                     \
    "static_equations.the_balance_follows_its_derivative")                                         \
  X(difference_slip, 1e-3, "-", "the same over the slip that mobilises friction",                  \
    "errors of fourth order are 1e-12, at .1 still 1e-6",                                          \
    "adjoint.friction_remembers_its_load_steps")                                                   \
  X(mode_mass, 1e-12, "-", "effective mass over that of all bodies that is 0", "round-off",        \
    "modes.a_clamped_bar_has_the_frequencies_of_a_beam")

SUP_NUMERICS(sup_static_numerics, SUP_STATIC_NUMERICS);
