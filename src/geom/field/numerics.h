/* Numbers that decide in fields of bodies. */
#pragma once

#include "base/numerics.h"

#define SUP_GEOM_FIELD_NUMERICS(X)                                                                \
  X(core, .5, "-", "distance to the surface over the local thickness from which a point is core", \
    "the middle, which the extent of a field has as its end",                                     \
    "volume_field.a_harmonic_plate_is_linear_up_to_its_core")                                     \
  X(ridge, .8, "-",                                                                               \
    "rise of the distance over the length of an edge below which a point is on a ridge",          \
    "a rise of 1 leads straight away from the surface",                                           \
    "volume_field.a_harmonic_ball_follows_the_potential_of_its_core")                             \
  X(harmonic, 1e-10, "-", "residual of harmonic fields over their right-hand side",               \
    "linear functions come back to ten digits", "volume_field.linear_functions_are_harmonic")     \
  X(shell_width, 1e-3, "-", "width of the shell at rest over the mean edge",                      \
    "small enough for every mesh", "")                                                            \
  X(shell_facing, .5, "-",                                                                        \
    "cosine of a line across the shell to its normal below which it is too flat",                 \
    "it has no foot nearby", "")                                                                  \
  X(reach, .25, "-", "reach of a step to the deepest point over the depth",                       \
    "the linear programme holds for it", "")                                                      \
  X(seen, 4, "-", "reaches beyond the depth within which triangles are constraints",              \
    "the new depth grows by sqrt(3) reaches at most", "")                                         \
  X(gain, 1e-13, "-", "gain of the depth over it with which steps end", "round-off", "")

SUP_NUMERICS(sup_geom_field_numerics, SUP_GEOM_FIELD_NUMERICS);
