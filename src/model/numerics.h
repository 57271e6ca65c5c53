/* Numbers that decide in models. */
#pragma once

#include "base/numerics.h"

#define SUP_MODEL_NUMERICS(X)                                                                      \
  X(same_size, 1e-9, "-", "difference of sizes of bodies that are equal",                          \
    "round-off and units must not choose", "model.round_off_does_not_choose_the_larger_body")      \
  X(velocity, .01, "-", "time over the step in which a velocity is measured",                      \
    "much less than a step, much more than round-off", "")                                         \
  X(same_plane, 1e-9, "-", "distance over the size of a body of points in one plane",              \
    "round-off of positions", "chambers.walls_with_holes_are_refused_with_their_place")            \
  X(cable_round, 1e-8, "-", "rounding of a cable's kinks over its length",                         \
    "its square is round-off; points may meet",                                                    \
    "cables.a_mass_hangs_with_its_weight_and_flies_when_slack")                                    \
  X(cable_points, 1e-6, "-", "distance over a cable's length of points in one place",              \
    "far above the rounding of kinks", "cables.what_is_no_cable_is_refused")                       \
  X(cable_fleet, .1, "rad", "most angle of a cable with the plane of a sheave at time 0",          \
    "its force is off by half the square, a groove guides less",                                   \
    "sheaves.what_is_no_sheave_is_refused")                                                        \
  X(hub_turn, 12.6, "rad", "range of a joint that is the hub of a wheel",                          \
    "two turns, which wrists of robots have",                                                      \
    "soft_rolling.a_hub_may_have_limits_that_are_far_away")                                        \
  X(cell_point, 1e-6, "-", "last change of a point's coordinates in a cell that holds it",         \
    "Newton's method is quadratic; round-off of small cells far from the origin is below",         \
    "springs.a_point_is_where_it_was_asked_for_in_cells_of_any_shape")                             \
  X(task_goal, .05, "-", "distance from a task's goal over that of the goal from the base, told",  \
    "drives give way by less under gravity", "tasks.a_frame_off_its_goal_is_told")                 \
  X(tie_facing, .5, "-", "least cosine between faces of a tie that face each other",               \
    "coarse curved faces differ by less, the next side of a box by more",                          \
    "tied.a_skin_is_tied_to_all_sides_of_its_core")                                                \
  X(tie_sliver, 1e-13, "-", "area over a face's of a covered part that is round-off",              \
    "far below errors, far above the square of round-off", "tied.weights_are_exact")               \
  X(tie_covered, .02, "-", "share of a face from which it is tied",                                \
    "the dual functions of less have large values", "tied.a_part_of_the_surface_is_tied")          \
  X(tie_support, .2, "-", "share of a vertex's hat on the master from which it is a slave",        \
    "others would be extrapolated from far away", "tied.a_part_of_the_surface_is_tied")            \
  X(tie_twice, 1.5, "-", "covered area over a face's that has two layers in reach",                \
    "polygons on bent surfaces overlap by less", "tied.what_is_no_tie_is_refused")                 \
  X(tie_weight, 1e-13, "-", "weight of a mover that is round-off", "equal meshes merge",           \
    "tied.equal_meshes_merge")                                                                     \
  X(tie_gap, 1e-13, "-", "gap over the size of positions that is round-off",                       \
    "exact weights need no cell behind the face", "tied.equal_meshes_merge")                       \
  X(tie_search, 100, "-", "reach of faces that are not tied, for messages, over that of a tie",    \
    "wrong units are off by more", "tied.what_is_no_tie_is_refused")                               \
  X(tie_wide, .5, "-", "gap over an edge that is named", "the glue has no stiffness of its own",   \
    "tied.notes_name_gaps_and_coarse_slaves")                                                      \
  X(tie_left, .5, "-", "vertices on the master that stay over slaves, from which a warning tells", \
    "rims of wide ties have fewer", "tied.notes_name_gaps_and_coarse_slaves")                      \
  X(tie_coarse, 1.2, "-", "edge of slaves over that of masters that is named",                     \
    "alike meshes may have either order", "tied.notes_name_gaps_and_coarse_slaves")                \
  X(friction_lost, 5e-3, "-", "loss of static friction from which a warning tells it",             \
    "smaller losses are below three digits",                                                       \
    "override.static_friction_that_does_not_hold_is_told")

SUP_NUMERICS(sup_model_numerics, SUP_MODEL_NUMERICS);
