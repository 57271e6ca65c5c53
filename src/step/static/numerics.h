/* Numbers that decide in load steps (THEORY 18). */
#pragma once

#include "base/numerics.h"

#define SUP_STATIC_NUMERICS(X)                                                                     \
  X(radius, .1, "-", "trust radius over the size of the bodies", "THEORY 18.3: unmeasured", "")    \
  X(radius_in_contact, .03, "-", "the same of soft bodies with contacts",                          \
    "contacts are seen where bodies overlap already, and cells are small", "")                     \
  X(size, .1, "m", "size of the bodies without soft ones", "that of links of a gripper", "")       \
  X(turn, .5, "rad", "turn of a joint that counts as the trust radius, without pairs",             \
    "a turned force is off by its cosine, 12 %", "")                                               \
  X(slide, .01, "-", "share of a slide that counts, without pairs", "forces do not turn with it",  \
    "")                                                                                            \
  X(weight_first, 1e-3, "-", "proximal weight sigma at the start where a body can move rigidly",   \
    "THEORY 18.4: unmeasured", "")                                                                 \
  X(weight_least, 1e-8, "-", "least sigma of such bodies, and of a refused step",                  \
    "round-off of K is 1e-8 of it", "")                                                            \
  X(weight_most, 1, "-", "sigma of a refused step that ends the load step",                        \
    "as stiff as a cell: the step is none already", "")                                            \
  X(weight_lower, .1, "-", "factor of sigma after a step", "Levenberg-Marquardt; unmeasured", "")  \
  X(weight_raise, 100, "-", "factor of sigma after a refused step",                                \
    "from the least to the largest in four", "")                                                   \
  X(tree_weight, 1e-9, "-", "least weight of trees", "beside stiff contact less is round-off", "") \
  X(tree_raised, 1e-6, "-", "least weight of trees that were not positive definite", "unmeasured", \
    "")                                                                                            \
  X(tree_raise, 4, "-", "factor of a weight by which a tree is not positive definite",             \
    "the least one is known to that", "")                                                          \
  X(tree_rounds, 30, "-", "raises of the weight of a tree", "1e18 in all", "")                     \
  X(tree_spread, 1e-3, "-", "share of the stiffest joint in the weight of the others, by inertia", \
    "a joint without stiffness has a weight", "")                                                  \
  X(pull_lower, .1, "-", "factor of a tree's pull after a step within the radius",                 \
    "as weight_lower", "")                                                                         \
  X(pull_raise, 1e3, "-", "largest factor of a tree's pull after a longer one", "unmeasured", "")  \
  X(definite, 1e-12, "-", "pivot over diagonal of a tree that is positive definite",               \
    "less is round-off", "")                                                                       \
  X(cycle, 5, "-", "iterations without progress that halve the step length", "unmeasured", "")     \
  X(cycle_progress, .8, "-", "error over the least one that is progress", "unmeasured", "")        \
  X(share_least, 1. / 16, "-", "least step length", "unmeasured", "")                              \
  X(share_gone, .01, "-", "error over that of the last halving from which lengths double",         \
    "the place of the cycle is left", "")                                                          \
  X(patience, 50, "-", "iterations without progress that end a load step",                         \
    "the longest that found a balance was 46", "")                                                 \
  X(iterations, 100, "-", "iterations that end a load step, from a saddle on", "unmeasured", "")   \
  X(progress, .9, "-", "error over the least one that is progress", "unmeasured", "")              \
  X(alike, .25, "-", "second difference of a path over the first that is extrapolated",            \
    "half of a press's load steps", "")                                                            \
  X(predicted, .2, "-", "error of a prediction that is the first iterate",                         \
    "at the start it is about 1", "")                                                              \
  X(near, 1e-3, "-", "error from which A may be reused",                                           \
    "24 linearisations for 63 of a finger, .47 of the time", "")                                   \
  X(fast, .3, "-", "error over the one before with which A is kept", "with near", "")              \
  X(step, .5, "-", "error over the one before of a step whose energy is unknown", "unmeasured",    \
    "")                                                                                            \
  X(unstable, 1e-4, "-", "error from which an indefinite A is looked at for saddles",              \
    "far from a balance K bends down without one", "")                                             \
  X(saddles, 8, "-", "saddles that a load step leaves", "unmeasured", "")                          \
  X(shift_first, .25, "-", "first shift over the last one", "it follows K as that grows", "")      \
  X(shift_more, 2, "-", "factor of a shift by which A is not positive definite",                   \
    "the least one is known to that", "")                                                          \
  X(shift_most, 1, "-", "shift that ends the search", "the diagonal of A itself", "")              \
  X(shift_rounds, 40, "-", "shifts that are tried", "1e12 in all", "")                             \
  X(free_pull, 1e-6, "-", "pull of a tree up to which a factor shows a minimum",                   \
    "it hides no curvature that counts", "")                                                       \
  X(aside, 1e-6, "-", "distance from a saddle over the size by which the residual shows a side",   \
    "less is round-off", "")                                                                       \
  X(curvature, 1e-12, "-", "curvature against the diagonal that is none", "round-off", "")         \
  X(stiffness, 1e-12, "-", "diagonal over the largest that is none", "round-off", "")              \
  X(subspace_iterations, 60, "-", "inverse iterations for negative curvature", "unmeasured", "")   \
  X(subspace_steady, 6, "-", "iterations for which the lowest curvature stands",                   \
    "directions that are hidden come up", "")                                                      \
  X(subspace_change, 1e-6, "-", "change of a curvature that stands", "unmeasured", "")             \
  X(subspace_shift, 8, "-", "factor of a shift by which H is not positive definite",               \
    "the next eigenvalue is then apart", "")                                                       \
  X(subspace_shift_most, 1e3, "-", "shift that ends the search: H is not finite", "unmeasured",    \
    "")                                                                                            \
  X(equal_ways, 1.001, "-", "ratio of ways that are equal, of which the first counts",             \
    "round-off decides between axes of a square column", "")                                       \
  X(equal_curvatures, .99, "-", "ratio of curvatures that are equal",                              \
    "a square column: both axes, to the accuracy of the mesh", "")                                 \
  X(round_off, 2e-16, "-", "round-off of places in forces", "that of double precision, rounded",   \
    "")                                                                                            \
  X(noise, 1e-9, "-", "force over the largest of the scene that is none",                          \
    "a body that feels less is at rest", "")                                                       \
  X(no_force, 1e-15, "N", "force that is none", "a scene without forces is in balance", "")        \
  X(inner, 1e-3, "-", "tolerance of convex problems over that of the load step",                   \
    "the next linearisation reduces its error", "")                                                \
  X(inner_of_trees, 1e-6, "-", "the same beside trees",                                            \
    "their momenta are sums of other sizes than those of vertices", "")                            \
  X(inner_least, 1e-10, "-", "least tolerance of load steps for it", "round-off", "")              \
  X(digits, 1e-2, "-", "error of a linear solution over that of the iterate, of iterative ones",   \
    "the linearisation has no more", "")                                                           \
  X(roughest, 1e-3, "-", "largest such error", "unmeasured", "")                                   \
  X(solved, 1e-6, "-", "momentum error of a convex problem that is taken all the same",            \
    "the next linearisation reduces its round-off", "")                                            \
  X(stiff_trees, 1e6, "-", "diagonal of trees over inertia for the near-rigid rule of drives",     \
    "gains are not reduced", "")                                                                   \
  X(cuts, 10, "-", "halvings of a whole load step", "to a thousandth", "")                         \
  X(cuts_falling, 2, "-", "halvings after which a body that falls at both loads is free",          \
    "a quarter of the load pulls it as freely", "")                                                \
  X(cuts_hopeless, 5, "-", "halvings after which an error decides", "a thirtieth of the load", "") \
  X(coarse, .01, "-", "error that is then no balance", "unmeasured", "")                           \
  X(as_first, .5, "-", "error over that of the whole load step that is no better", "unmeasured",   \
    "")                                                                                            \
  X(easy, 10, "-", "iterations of a load step after which the next one is longer", "unmeasured",   \
    "")                                                                                            \
  X(longer, 1.5, "-", "factor of its length", "unmeasured", "")

SUP_NUMERICS(sup_static_numerics, SUP_STATIC_NUMERICS);
