/* Numbers that decide in the dual form (THEORY 8). */
#pragma once

#include "base/numerics.h"

#define SUP_DUAL_NUMERICS(X)                                                                      \
  X(exact, 1e-13, "-", "accuracy of solutions by A, where the backend iterates",                  \
    "velocities follow impulses by sums: an error stays until the end", "")                       \
  X(softest, 1e8, "-", "largest compliance of a normal law, over G_NN",                           \
    "a force that is constant to eight digits",                                                   \
    "dual.tangents_of_laws_that_are_open_are_those_of_a_light_touch")                             \
  X(inside, 1e-9, "m/s", "least distance from the onset of a normal law", "its slope is 0 there", \
    "dual.tangents_of_laws_that_are_open_are_those_of_a_light_touch")                             \
  X(inside_share, 1e-6, "-", "the same distance over the velocity at the onset",                  \
    "unmeasured: an absolute distance is round-off of large velocities",                          \
    "dual.tangents_of_laws_that_are_open_are_those_of_a_light_touch")                             \
  X(bound_digits, 1e-12, "-", "distance from the bound below which friction slides",              \
    "sliding friction is at its bound to round-off",                                              \
    "dual.steps_of_all_contacts_end_where_sweeps_do")                                             \
  X(near, 2e-3, "-", "residual below which the worst contact's may rise by slack",                \
    "pile of 80: 645 for 1,185 iterations",                                                       \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(slack, 3, "-", "factor by which the residual may rise after a subspace step",                 \
    "next to a solution the worst contact's rises while others fall",                             \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(short_step, .1, "-", "share of a step of CCP below which it is undone",                       \
    "unmeasured: a search by energy that cuts so much has a bad direction", "")                   \
  X(gain, 10, "-", "factor on the proximal weight after a step that lowers the energy",           \
    "equal to the factor after a failed step", "")                                                \
  X(progress, .9, "-", "residual over that of the mark that counts as progress",                  \
    "unmeasured: patience is counted from the last mark",                                         \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(proximal_first, 1, "-", "largest proximal weight of subspace steps",                          \
    "moves no more than a sweep; 529 for 1,066 iterations of a block on 672 contacts",            \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(longer, 3, "-", "least factor by which steps lengthen",                                       \
    "unmeasured: grows with each step in a row that makes progress",                              \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(longest, 100, "-", "largest factor by which steps lengthen", "unmeasured",                    \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")                     \
  X(shorter, 10, "-", "factor by which steps shorten",                                            \
    "equal to the factor after a step that lowers the energy", "")                                \
  X(proximal, 1e-3, "-", "proximal weight of staggered halves",                                   \
    "impulses lose digits by it; repeated turns remove its effect",                               \
    "dual.solvers_of_the_square_agree")                                                           \
  X(proximal_heavy, 1e-6, "-", "proximal weight of staggered halves whose turns have one size",   \
    "a ton pushed on grams: residual 2e-5 for .0997", "")                                         \
  X(alike, .01, "-", "relative change of size of turns taken as equal",                           \
    "a heavy body moves by u/(eta w) a turn, always the same",                                    \
    "dual.coulombs_law_and_those_of_joints_hold_in_random_problems")                              \
  X(slope, .1, "-", "slope that ends a line search, over the first",                              \
    "unmeasured: the next step of Newton's method removes the rest",                              \
    "dual.solvers_of_the_square_agree")                                                           \
  X(margin, .05, "-", "share of the bracket that a secant leaves at each end",                    \
    "unmeasured: secants at one end do not close it",                                             \
    "dual.one_contact_sticks_slips_and_opens_as_in_closed_form")                                  \
  X(negligible, .01, "-", "root of the remaining energy over that of the tolerance",              \
    "unmeasured: halves are solved to more digits than the whole", "")                            \
  X(negligible_least, 1e-25, "-", "remaining energy over lambda w lambda",                        \
    "round-off of the slope", "")                                                                 \
  X(diagonal, 1e-12, "-", "least diagonal of B over the trace of A_TT",                           \
    "round-off of B; bounds the impulse of a singular block",                                     \
    "one_contact.contacts_that_move_along_one_direction_have_a_finite_impulse")                   \
  X(root, 1e-15, "-", "excess of sliding friction that ends Newton's steps",                      \
    "a few units of round-off", "one_contact.coulombs_law_holds_for_every_friction_coefficient")  \
  X(zero, 4e-16, "-", "slope of the energy over its terms that counts as zero",                   \
    "two units of round-off", "one_contact.the_relaxation_of_blocks_without_full_rank_ends")      \
  X(farthest, 1e16, "-", "largest normal impulse over the first",                                 \
    "the energy falls without end where a block has no full rank", "")                            \
  X(widest, 1e3, "-", "factor of one step of the normal impulse",                                 \
    "unmeasured: the curvature may be round-off",                                                 \
    "one_contact.the_relaxation_is_the_minimum_on_the_cone")                                      \
  X(admm_apart, 10, "-", "ratio of residuals at which rho follows the larger one",                \
    "THEORY 8, p > 10 d", "dual.admm_takes_few_iterations_where_rows_are_unlike")                 \
  X(admm_less, .7, "-", "power of rho's factor after a turn of its direction",                    \
    "a fixed factor oscillates in a third of the steps",                                          \
    "dual.the_convex_relaxation_of_saps_laws_is_sap")                                             \
  X(admm_estimate, 1e-3, "-", "accuracy of solutions that estimate the largest eigenvalue",       \
    "unmeasured: rho needs its magnitude alone", "")                                              \
  X(admm_start, .4, "-", "power of the condition in the first rho", "THEORY 8, rho_0",            \
    "dual.contacts_that_open_end_without_impulse")                                                \
  X(admm_growth, .1, "-", "power of the condition in rho's factor", "THEORY 8, q",                \
    "dual.nonlinear_normal_laws_hold_at_the_solution")                                            \
  X(raisim_root, 1e-15, "-", "negligible width of a bracket of directions",                       \
    "round-off of a share of 1", "")                                                              \
  X(raisim_first, .1, "rad", "first turn from the sticking direction", "unmeasured", "")          \
  X(raisim_growth, 1.3, "-", "factor from turn to turn", "unmeasured",                            \
    "dual.raisim_slides_where_the_energy_on_the_ellipse_is_least")                                \
  X(raisim_widest, 1, "rad", "largest turn", "unmeasured: less than half a turn",                 \
    "dual.raisim_slides_where_the_energy_on_the_ellipse_is_least")                                \
  X(raisim_keep, .99, "-", "share of the over-relaxation kept a sweep", "THEORY 8, alpha",        \
    "dual.turned_axes_and_tangents_change_no_impulse")                                            \
  X(raisim_least, .01, "-", "relaxation that sweeps tend to", "THEORY 8, alpha",                  \
    "dual.steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million")

SUP_NUMERICS(sup_dual_numerics, SUP_DUAL_NUMERICS);
