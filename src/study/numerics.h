/* Numbers that decide in studies. */
#pragma once

#include "base/numerics.h"

#define SUP_STUDY_NUMERICS(X)                                                                      \
  X(lowest_order, .4, "-", "observed order from which a limit is believed",                        \
    "below it levels are not asymptotic, and the limit is far off",                                \
    "convergence.a_power_of_h_gives_its_order_limit_and_error")                                    \
  X(nearly_feasible, .01, "-", "violation of an end of a search that is restored to feasibility",  \
    "larger ones are no ends at a constraint", "optimize.a_steep_constraint_is_met")               \
  X(damping_growth, 10, "-", "factor on the damping of a step that failed, and back",              \
    "Levenberg and Marquardt", "fit.curves_of_the_scene_give_its_parameters_back")                 \
  X(deviations, 3, "-", "errors of a slope above which it differs from another or from 0",         \
    "errors are estimates: a single one is passed often", "gradient.noise_is_told_and_is_no_kink") \
  X(first_step, .1, "-",                                                                           \
    "first step of searches without derivatives, over the parameters' ranges",                     \
    "unmeasured: ten of them cross a range", "optimize.a_kink_is_met_by_values_alone")             \
  X(first_damping, 1e-3, "-", "damping of the first step, over the diagonal of J^T J",             \
    "Newton's step nearly, where the start is good",                                               \
    "fit.curves_of_the_scene_give_its_parameters_back")                                            \
  X(identifiable, .5, "-", "half width of an interval over the value of what can be fitted",       \
    "an interval that holds half and twice the value says nothing",                                \
    "fit.parameters_without_effect_are_named")                                                     \
  X(partner, .3, "-", "component of a direction over one's own of a parameter that goes along",    \
    "less moves the other by less than its own third", "fit.parameters_without_effect_are_named")  \
  X(highest_order, 6, "-", "observed order up to which a limit is believed",                       \
    "no element or scheme here has more than 4",                                                   \
    "convergence.the_order_of_the_method_bounds_what_is_believed")                                 \
  X(agreement, .25, "-",                                                                           \
    "change of the order from level to level, over the order, of one that stays",                  \
    "thirty ladders: their error bars cover the limits",                                           \
    "convergence.error_bars_cover_the_limits_of_thirty_ladders")                                   \
  X(jump, 30, "-", "ratio of remainders of second differences above which they are a jump",        \
    "two draws of noise differ by more in one case of fifty",                                      \
    "gradient.a_jump_between_widths_is_told")                                                      \
  X(largest_bar, .5, "-", "error bar over the value up to which a limit is told",                  \
    "a larger one leaves no digit", "convergence.the_published_example_comes_out")                 \
  X(octahedron, 1e-9, "-",                                                                         \
    "size of the wrenches from which the search of a face begins, over loads",                     \
    "far below a quality that matters",                                                            \
    "wrench_space.two_points_resist_no_moment_about_their_line")                                   \
  X(face, 1e-7, "-", "distance of a wrench beyond a face, over the face's, up to which it is met", \
    "a hundredth of the digits told; round cones take ten wrenches more a digit",                  \
    "wrench_space.three_points_at_120_degrees_meet_the_closed_form")                               \
  X(reached, .85, "-", "observed order over the method's from which the method's is reached",      \
    "unmeasured: the last two levels of smooth cases have more",                                   \
    "convergence.errors_are_judged_by_their_orders")                                               \
  X(round_off, 64, "eps", "least noise of a value, over its size",                                 \
    "sums over a body round some dozen times", "gradient.a_constant_has_slope_zero")               \
  X(widening, 3, "-", "most by which a round moves the end of an interval",                        \
    "beyond it the linear model says nothing", "fit.intervals_cover_the_truth")                    \
  X(widest, 10, "-", "widest half of an interval that is tried, over the parameter's size",        \
    "a parameter without effect has no end", "fit.parameters_without_effect_are_named")            \
  X(safety, 1.25, "-", "factor on differences of levels in error bars",                            \
    "that of the grid convergence index", "error_bar.one_repeat_is_taken_to_be_of_first_order")    \
  X(same_time, 1e-9, "s", "difference of times that are one", "times are sums of steps",           \
    "study.numbers_come_from_history_and_summary")                                                 \
  X(sharper, .3, "-",                                                                              \
    "remainder of second differences by the width over that by its square, of a kink",             \
    "a kink leaves a tenth, a smooth function ten times as much",                                  \
    "gradient.a_kink_is_told_with_both_slopes")                                                    \
  X(layer, .8, "-", "yield of layers over that of the level before above which it is constant",    \
    "a level halves it, or a constant mesh keeps it",                                              \
    "converge.layers_of_contact_are_in_the_error_bar")                                             \
  X(planned, 1e5, "-", "cells above which meshes are estimated by coarser ones",                   \
    "unmeasured: larger meshes take seconds",                                                      \
    "converge.stress_is_a_quantity_and_memory_is_foreseen")                                        \
  X(noise, 1e-9, "-", "change of a value over it that is round-off",                               \
    "unmeasured: tolerances of solvers are above it",                                              \
    "convergence.levels_that_differ_by_round_off_are_constant")                                    \
  X(program_bytes, 11e6, "bytes", "memory of a run without soft bodies",                           \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "budget.budgets_that_make_no_sense_are_refused")                                               \
  X(petsc_bytes, 45e6, "bytes", "memory of the libraries of PETSc",                                \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(mumps_bytes, 10e6, "bytes", "memory of MUMPS",                                                 \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(a_block, 178, "bytes", "memory of a block of A and that of a body, with pattern",              \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "converge.stress_is_a_quantity_and_memory_is_foreseen")                                        \
  X(an_unknown, 450, "bytes", "memory of vectors for an unknown",                                  \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.plans_know_the_cells_that_they_leave_out")                                              \
  X(whole_block, 100, "bytes", "memory of a block of H, where nothing is eliminated first",        \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(petsc_block, 330, "bytes", "memory of a block of PETSc: its matrix and multigrid",             \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(free_block, 40, "bytes", "memory of a block without a matrix: cells in its place",             \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(free_unknown, 320, "bytes", "memory of lattices for an unknown",                               \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.memory_is_that_of_blocks_unknowns_and_libraries")                                       \
  X(cg_unknown, 80, "bytes", "memory of conjugate gradients for an unknown",                       \
    "bars of 2,400 to 338,700 unknowns and fingers: parts of the resident size",                   \
    "study.plans_know_the_cells_that_they_leave_out")                                              \
  X(shrink, .1, "-", "width of differences over the one before",                                   \
    "three widths span two orders: round-off and curvature show",                                  \
    "gradient.gradients_are_those_of_closed_forms")                                                \
  X(adjoint_parameters, 4, "-", "number of parameters above which the adjoint is taken",           \
    "it pays from about 4 on", "adjoint.the_choice_is_by_the_number_of_parameters")                \
  X(adjoint_width, 1e-4, "-", "width of differences of the residual over the parameter's value",   \
    "errors of fourth order and round-off of a residual, 1e-12 of its forces, are small",          \
    "adjoint.friction_remembers_its_load_steps")                                                   \
  X(adjoint_place, 1e-7, "-", "the same of lengths and angles",                                    \
    "a place of 10 mm moves by a ten-thousandth of the depth of soft contacts",                    \
    "adjoint.friction_remembers_its_load_steps")                                                   \
  X(motion_width, 1e-5, "-", "the same of runs of motion, by differences of second order",         \
    "errors of 1e-10, unless contacts or vertices move", "adjoint.adjoints_of_runs_are_tangents")  \
  X(motion_tolerance, 1e-10, "-", "solver.tolerance of a run whose adjoint is asked for",          \
    "its error is that of the derivative", "adjoint.adjoints_of_runs_are_tangents")                \
  X(tangent_place, 1e-6, "-", "the same along the tangent, where contacts keep their depths",      \
    "values of 12 digits give slopes of 7", "adjoint.friction_remembers_its_load_steps")           \
  X(dual, 1e-5, "-", "difference of adjoint and tangent, or of an identity, that is accepted",     \
    "products are differences: 1e-6 of slopes by places of contacts",                              \
    "adjoint.derivatives_pass_their_own_checks")                                                   \
  X(taylor_order, 1.9, "-", "least order of remainders", "it is 2, 1 of a wrong slope",            \
    "adjoint.derivatives_pass_their_own_checks")                                                   \
  X(facing, .7, "-", "least cosine between normals of one face at the start",                      \
    "45 degrees: sides of fingers and of hexagons are at 60 and more",                             \
    "stiffness_map.patches_stay_on_their_face")                                                    \
  X(off_face, .1, "-", "distance of a position from its face, over the radius, that is told",      \
    "chords of curved faces leave less", "stiffness_map.doubtful_positions_are_told")              \
  X(guide, .1, "-",                                                                                \
    "force of a guide over those of contacts above which a grip is out of balance",                \
    "grips of soft fingers and round-off leave less, a groove pressed from one side all",          \
    "holding.a_grip_out_of_balance_is_told")                                                       \
  X(exact, 1e-6, "-",                                                                              \
    "remainder over its first order, or slope over the value, that is round-off",                  \
    "balances of 1e-9 and 17 digits", "adjoint.derivatives_pass_their_own_checks")

SUP_NUMERICS(sup_study_numerics, SUP_STUDY_NUMERICS);
