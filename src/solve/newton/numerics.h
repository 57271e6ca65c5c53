/* Numbers that decide in Newton's methods for the contact problem (THEORY 5, 7, 16). */
#pragma once

#include "base/numerics.h"

#define SUP_NEWTON_NUMERICS(X)                                                                     \
  X(last, .3, "-", "error of the last linear solution over what is left to the tolerance",         \
    "unmeasured: the rest is for the residual itself",                                             \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")                           \
  X(loosest, 1e-2, "-", "largest error of linear solutions",                                       \
    "unmeasured: directions with fewer digits cost iterations",                                    \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")                           \
  X(tightest, 1e-12, "-", "least error of the last linear solution",                               \
    "unmeasured: a few thousand units of round-off",                                               \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")                           \
  X(forcing, .9, "-", "factor of the forcing term", "Eisenstat, Walker 1996, choice 2",            \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")                           \
  X(domain, .9, "-", "share of the step to the end of a barrier's domain",                         \
    "unmeasured: the barrier is infinite at its end",                                              \
    "newton.every_variant_ends_in_the_same_solution_from_far_starts")                              \
  X(cost_digits, 1e-14, "-", "round-off of the cost over the cost", "sums of many terms", "")      \
  X(reuse, 10, "-", "iterations to the tolerance by a factor that is reused", "THEORY 5.3", "")    \
  X(search_longest, 1.5, "-", "longest step of an exact line search",                              \
    "unmeasured: costs of quadratic functions end at 1", "newton.searches_keep_what_they_promise") \
  X(search_slope, .1, "-", "slope over the first that ends an exact line search",                  \
    "a smaller one costs evaluations and saves no iteration",                                      \
    "newton.every_variant_ends_in_the_same_solution_from_far_starts")                              \
  X(search_width, 1e-14, "-", "width of the bracket that ends an exact line search",               \
    "round-off of a step of 1", "newton.an_exact_search_ends_where_the_step_has_no_more_digits")   \
  X(armijo_factor, .8, "-", "factor from step to step of Armijo's search", "unmeasured",           \
    "newton.every_variant_ends_in_the_same_solution_from_far_starts")                              \
  X(armijo, 1e-4, "-", "decrease of the cost over that of the slope which is enough",              \
    "Nocedal, Wright 2006, 3.1", "newton.a_ten_thousandth_of_the_slope_is_enough_for_armijo")      \
  X(visit_digits, 1e-5, "-", "change over the velocity that ends Newton's method of one contact",  \
    "the next step would have twice as many digits", "visits.one_contact_is_solved_by_one_visit")  \
  X(visit_again, 1e-3, "-", "the same of a contact that was visited before",                       \
    "the rest is its square, as small as visit_still; 1e-5 costs 9 % of deep piles",               \
    "visits.sweeps_end_at_the_solution")                                                           \
  X(visit_still, 1e-6, "-", "change of velocities over velocities that ends visits",               \
    "with 1e-4 a stiction tolerance of 1e-8 m/s takes half as many iterations more",               \
    "visits.sweeps_end_at_the_solution")                                                           \
  X(rough, 1e-2, "-", "tolerance of rounds with softer springs",                                   \
    "the next round starts from them", "newton.directions_of_slip_save_iterations_in_stiction")    \
  X(straight, .9, "-", "cosine of two changes of bounds above which the relaxation doubles",       \
    "unmeasured", "")                                                                              \
  X(relaxation_most, 1e3, "-", "largest relaxation of bounds", "unmeasured", "")                   \
  X(relaxation_least, .05, "-", "least relaxation of bounds", "unmeasured",                        \
    "fuzz_coupled.no_random_problem_is_left")                                                      \
  X(sweep, .3, "-", "tolerance of a sweep with given bounds over that of all",                     \
    "the coupled residual has errors of both", "")                                                 \
  X(nearly_rough, 1e3, "-", "error over the tolerance that is accepted when a line search fails",  \
    "the cost is at its round-off", "")                                                            \
  X(nearly_most, 1e-9, "-", "largest such error of the momenta",                                   \
    "round-off of the cost is 1e-16 of it", "fuzz_coupled.no_random_problem_is_left")              \
  X(tamsi_change, 1e-2, "-", "largest change of the last iterate over the slip tolerance",         \
    "unmeasured", "")                                                                              \
  X(anderson_regular, 1e-10, "-", "weight on the diagonal of the least squares",                   \
    "columns nearly alike are common", "")                                                         \
  X(halved, .5, "-", "residual over the one before with which a whole step is taken",              \
    "unmeasured", "")                                                                              \
  X(coupling_tightest, 1e-3, "-", "least residual of GMRES",                                       \
    "unmeasured: more products save no iteration",                                                 \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")                           \
  X(descent, .1, "-", "least slope of a direction with coupling over its curvature",               \
    "a direction along the cost's level does not lower it", "")                                    \
  X(coupled_near, .1, "-",                                                                         \
    "momentum error below which more iterations without progress are allowed",                     \
    "the line search still converges there", "")                                                   \
  X(coupling_exact, 1e-9, "-", "accuracy of products of the coupling, where the backend iterates", \
    "unmeasured: far below the residual of GMRES", "")                                             \
  X(inside, 1 - 1e-9, "-", "largest friction over its bound about which a contact is linearised",  \
    "its matrix stays positive", "")                                                               \
  X(tals_cosine, .5, "-", "cosine of the largest turn of a slip velocity in a step",               \
    "theta_max = pi/3, THEORY 7", "tals.steps_end_where_they_should")                              \
  X(tals_rest, 1e-2, "-", "slip velocity over the slip tolerance below which there is no slip",    \
    "eps_v, THEORY 7", "tals.steps_end_where_they_should")                                         \
  X(coupling_loosest, 5e-2, "-", "residual of GMRES far from the solution",                        \
    "four or five products reach it; 1e-1 costs 2000 iterations in single steps of piles",         \
    "acceptance.linear_solutions_are_as_accurate_as_the_residual_falls")

SUP_NUMERICS(sup_newton_numerics, SUP_NEWTON_NUMERICS);
