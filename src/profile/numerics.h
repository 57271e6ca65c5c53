/* Numbers that decide in plane profiles. */
#pragma once

#include "base/numerics.h"

#define SUP_PROFILE_NUMERICS(X)                                                              \
  X(facing, -.5, "-", "cosine between normals of sides that face each other across a wall",  \
    "120 degrees: sides of a taper do, those of a corner do not",                            \
    "profile.walls_have_their_thickness")                                                    \
  X(inner_corner, 20, "deg", "turn inwards from which a corner gathers cells",               \
    "polygons drawn for curves turn by less", "profile.walls_have_their_thickness")          \
  X(growth, .4, "-", "growth of cells with the distance from a corner",                      \
    "unmeasured: Gmsh takes cells that grow by less than half",                              \
    "profile.walls_have_their_thickness")                                                    \
  X(corner, 30, "deg", "turn at a point from which a curve has a corner there",              \
    "chords of smooth curves turn by less", "profile.fillets_round_inner_corners_alone")     \
  X(smooth, 20, "deg", "turn between straight pieces that are drawn for a curve",            \
    "a circle of 18 pieces", "profile.polylines_find_their_curves")                          \
  X(same_point, 1e-9, "-", "distance of points that are one, over the profile's size",       \
    "above round-off of coordinates, below any detail",                                      \
    "profile.profiles_that_are_none_are_refused_by_place")                                   \
  X(same_end, 1e-5, "-", "distance of ends that are one, over the drawing's size",           \
    "drawings have six digits", "profile_file.drawings_of_all_formats_are_the_same_plate")   \
  X(thin, 2e-4, "-", "thickness of a wall below which it is refused, over the size",         \
    "a tenth of spring steel; Gmsh needs minutes and fails at 1e-5",                         \
    "extrude.walls_of_a_micrometre_are_named_by_place")                                      \
  X(taken, .999, "-", "share of a side that the arcs at its ends may take",                  \
    "a piece of the side stays between them",                                                \
    "profile.a_fillet_that_does_not_fit_is_refused_with_the_largest")                        \
  X(around, 64, "-", "edges round a circle of the outline of a geometry file",               \
    "vertices of refined meshes are off a circle by 2e-6 of its radius",                     \
    "extrude.refined_geometry_follows_its_curves")                                           \
  X(uneven, 3, "-", "ratio of neighbouring pieces above which no spline leads through both", \
    "of one parameter a piece: it folds back from a ratio of 5 on", "")                      \
  X(quality, .3, "-", "least quality of cells of a profile", "unmeasured", "")

SUP_NUMERICS(sup_profile_numerics, SUP_PROFILE_NUMERICS);
