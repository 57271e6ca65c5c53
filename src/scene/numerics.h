/* Numbers that decide in scenes. */
#pragma once

#include "base/numerics.h"

#define SUP_SCENE_NUMERICS(X)                                                                      \
  X(turn, 6.3, "rad", "turn of rpy above which a warning suggests degrees",                        \
    "more than one turn is seldom meant", "scene.shipped_scenes_load_without_warning")             \
  X(longest_step, .02, "-", "longest controlled step over the run where no frames give a scale",   \
    "unmeasured: fifty steps a run",                                                               \
    "stiction.controlled_steps_are_at_most_a_fiftieth_of_the_run")                                 \
  X(hull_size, 10, "m", "size of a hull from which a warning asks for the unit",                   \
    "files in millimetres are a thousand times larger",                                            \
    "messages.bad_scenes_say_where_what_and_what_would_be_right")                                  \
  X(hull_excess, .01, "-", "volume of a hull over that of its mesh from which a warning tells it", \
    "less is the roughness of a tessellation", "")                                                 \
  X(assimp_time, 60, "s", "time that assimp may take for a visual mesh",                           \
    "a hundred times that of a mesh of 50,000 triangles",                                          \
    "robot_files.visuals_are_shown_in_place_of_collision_shapes")                                  \
  X(creep, 3e-7, "1/s", "velocity of stiction over the size of a body",                            \
    "unmeasured: a tenth of a millimetre an hour for 100 mm",                                      \
    "stiction.it_goes_with_the_size_of_the_smallest_body")                                         \
  X(loop_gap, 1e-4, "-", "gap over the size of a loop from which a warning tells that it is open", \
    "joints are typed with four digits", "ik_command.joints_that_open_a_loop_are_told")            \
  X(density, 5, "kg/m^3", "least density of a material", "the lightest foams weigh 10",            \
    "messages.bad_scenes_say_where_what_and_what_would_be_right")

SUP_NUMERICS(sup_scene_numerics, SUP_SCENE_NUMERICS);
