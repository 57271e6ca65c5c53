/* Numbers that decide in the search for contacts. */
#pragma once

#include "base/numerics.h"

#define SUP_COLLIDE_NUMERICS(X)                                                                 \
  X(flat, .02, "-", "neglected dip between two points, over the range of an IPC barrier",       \
    "unmeasured: the barrier changes by little over it", "")                                    \
  X(turned, .02, "-",                                                                           \
    "displacement by a turn over half the thickness, below which a pair is "                    \
    "searched turned",                                                                          \
    "unmeasured: the pair is nearly unturned",                                                  \
    "turned.what_turning_brings_into_each_other_is_seen_as_it_stands")                          \
  X(turned_past, 2, "-", "the same displacement of pairs that turning separates",               \
    "unmeasured: beyond it bodies may have passed each other", "")                              \
  X(travel, .01, "-",                                                                           \
    "travel over the radius, and turn in radians, allowed for a neighbour's push",              \
    "pairs are searched again beyond it", "travel.bounds_grow_until_they_hold")                 \
  X(travel_more, 1.5, "-", "travel of the next search over the one that was exceeded",          \
    "unmeasured: a second search seldom follows", "travel.the_solution_is_that_with_all_pairs") \
  X(travel_digits, 1e-12, "-", "relative round-off of a travel at its bound",                   \
    "a motion at its bound differs from it by round-off", "")                                   \
  X(merged_cosine, .97, "-", "cosine of normals of pieces that are joined",                     \
    "unmeasured: 14 degrees", "merge.order_of_pieces_decides_nothing")                          \
  X(merged_equal, 1e-6, "-", "relative difference of weights taken as equal",                   \
    "round-off must not choose", "")                                                            \
  X(overlap, .02, "-", "tolerance of an overlap over the depth of the shape's middle",          \
    "overlaps are reported with two digits", "")

SUP_NUMERICS(sup_collide_numerics, SUP_COLLIDE_NUMERICS);
