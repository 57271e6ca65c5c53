/* Numbers that decide in the stages of a step. */
#pragma once

#include "base/numerics.h"

#define SUP_STEP_NUMERICS(X)                                                                       \
  X(sticking, .99, "-", "friction over its bound below which a contact sticks, in certificates",   \
    "regularised friction never is at its bound",                                                  \
    "certificate.sliding_is_coulombs_for_lagged_and_glides_for_the_others")                        \
  X(eigenvalue_change, 1e-6, "-", "change of an eigenvalue that ends power iterations",            \
    "the condition is reported with two digits",                                                   \
    "certificate.the_condition_number_is_that_of_the_matrix")                                      \
  X(rough, 1e-2, "-", "error of an island that is reported with its body",                         \
    "above it forces on the island are wrong in the digits that people read", "")                  \
  X(doubtful, 1e-2, "-", "change of velocities by rounding from which a warning reports it",       \
    "nets of springs: 1e-12 to 0.3, which no residual sees",                                       \
    "conditioning.lost_digits_are_estimated_and_told")                                             \
  X(mean_of_cubes, 1.416, "-", "mean distance of vertices of nearly cubic cells over their edge",  \
    "unmeasured: 1.282 by the corners of one cube", "")                                            \
  X(distance_least, .8, "-", "least distance of lattice layers over the mean",                     \
    "unmeasured: below it the lattice has many more nodes", "")                                    \
  X(distance_most, 1.5, "-", "largest distance of lattice layers over the mean",                   \
    "unmeasured: above it the lattice resolves nothing", "")                                       \
  X(passes, 1e-9, "-", "correction of a free motion that ends its passes",                         \
    "the correction after it would be far below round-off", "")                                    \
  X(chord, 0.1, "-", "fall of corrections with which the Jacobian of a free motion serves again",  \
    "a Jacobian of n columns costs n residuals, a pass one",                                       \
    "schemes.the_double_pendulum_of_R17_converges_with_the_order_of_each_scheme")                  \
  X(chord_end, 1e-4, "-", "correction that ends such passes over that of a new Jacobian",          \
    "their corrections fall linearly: what is left is below round-off, too",                       \
    "schemes.a_torque_free_body_keeps_energy_and_momentum_exactly_by_the_midpoint_rule_R15")       \
  X(difference, 1e-7, "-", "step of differences, for a turn by a radian a step",                   \
    "the root of round-off, above the noise of the residual", "")                                  \
  X(rigid, 1e-12, "-", "eigenvalue of a free rigid motion over the largest",                       \
    "vertices closer to an axis than 1e-6 sizes; a clamped strip may be 1e4 times as long as "     \
    "thick",                                                                                       \
    "")                                                                                            \
  X(impact, .01, "-", "negligible energy of a change of velocity over that at a contact",          \
    "unmeasured", "")                                                                              \
  X(turn, .75, "-", "cosine of the largest turn a step with momentum restored",                    \
    "41 degrees: larger turns use the value there",                                                \
    "spin.a_run_says_what_the_scheme_took_of_angular_momentum")                                    \
  X(hinge, 1e-3, "-", "distance of held components from an axis about which the body still turns", \
    "over the radius of gyration; far below the thickness of what is clamped",                     \
    "soft_rolling.held_bodies_turn_about_their_axes")                                              \
  X(solver, 1e-3, "-", "tolerance of solutions over that of a controlled step",                    \
    "errors of solutions add up over steps", "")                                                   \
  X(progress, .5, "-", "residual of true forces over the last that is no progress", "unmeasured",  \
    "")                                                                                            \
  X(positions, 10, "-", "residual without progress over the round-off of positions in it",         \
    "sums over the cells of a vertex: a cube that comes to rest under pressure ends at 3",         \
    "dirichlet.pressure_turns_with_the_surface")                                                   \
  X(row, 4, "-", "sum of a row of A over its diagonal, for round-off of forces", "unmeasured", "") \
  X(noise, 1e-13, "-", "round-off of true cost over the terms that cancel", "unmeasured", "")      \
  X(settled, 1e-9, "-", "change of velocities that ends passes of midpoint",                       \
    "round-off of a pass is below it", "")                                                         \
  X(settled_roughly, 1e-6, "-", "largest change that is accepted after the last pass",             \
    "unmeasured", "")                                                                              \
  X(column_row, 1e-9, "-", "error of the row of a chamber or cable over its terms",                \
    "the next linearisation sees the rest in its residual", "chambers.rows_hold_their_laws")       \
  X(chamber_shift, 1e-3, "-", "first shift over A's diagonal where A is not positive definite",    \
    "past a limit load one curvature is slightly negative",                                        \
    "chambers.a_given_volume_passes_the_greatest_pressure")                                        \
  X(chamber_growth, 4, "-", "growth of that shift until A is positive definite",                   \
    "a factor each; a shift four times too large costs iterations alone",                          \
    "chambers.a_given_volume_passes_the_greatest_pressure")                                        \
  X(bordered_iterations, 300, "-", "most iterations with the shifted factor",                      \
    "some tens are needed; more say that no equilibrium is there",                                 \
    "chambers.a_given_volume_passes_the_greatest_pressure")                                        \
  X(column_rounds, 40, "-", "most solutions for the rows of chambers and cables with contacts",    \
    "Broyden's method takes two for each row and a change of contacts",                            \
    "cables.resumed_and_threaded_runs_have_the_same_bits")                                         \
  X(column_patience, 6, "-", "solutions after which rows are as exact as the solver's tolerance",  \
    "a solution with contacts is no more exact",                                                   \
    "cables.resumed_and_threaded_runs_have_the_same_bits")                                         \
  X(slip_sweeps, 200, "-", "most sweeps over the slips of a cable at given lengths",               \
    "they only correct those of the rows, by second order of the motion",                          \
    "cables.a_settled_run_is_the_equilibrium")                                                     \
  X(chamber_penalty, 4, "-", "slope of the pressure in line searches over that of the shifted A",  \
    "above the negative stiffness that the shift outweighs",                                       \
    "chambers.a_given_volume_passes_the_greatest_pressure")                                        \
  X(column_way, 1e-15, "-", "the same over the volume, length or first error: round-off",          \
    "sums over faces and segments, solutions that begin far away",                                 \
    "cables.a_winch_turns_under_the_tension")                                                      \
  X(cable_compliance, 1e-9, "-", "share of a row without stiffness in Newton's matrix beside it",  \
    "cables of one path share their tension; the equation has no such part",                       \
    "cables.cables_of_one_path_share_their_tension")                                               \
  X(line_along, 1e6, "-",                                                                          \
    "stiffness along a rigid rod or rope in load steps over its force per length across",          \
    "a truss shallower than a thousandth of its rods would count as unstable",                     \
    "static_lines.rods_carry_a_node")                                                              \
  X(slack_slip, 1e-13, "-", "slip of a cable over the stretch that friction would let it have",    \
    "slips between slack strands are not determined; far above round-off",                         \
    "cables.eyelets_take_their_capstan_share")                                                     \
  X(carried, 1e-24, "-", "squared change of momenta that a hold leaves to free vertices",          \
    "round-off of the projection, whose energy is in the account",                                 \
    "release.a_hold_that_begins_in_flight_books_its_energy")

SUP_NUMERICS(sup_step_numerics, SUP_STEP_NUMERICS);
