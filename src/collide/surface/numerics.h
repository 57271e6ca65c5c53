/* Numbers that decide in contacts of a surface with a shape (THEORY 15.3, 19, 20). */
#pragma once

#include "base/numerics.h"

#define SUP_SURFACE_NUMERICS(X)                                                                    \
  X(facing, .01, "-", "cosine of a face to the shape's normal below which it carries no load",     \
    "edge-on or from behind: pressure acts on the area that the shape sees",                       \
    "facet.a_ball_inside_a_facet_displaces_its_cap")                                               \
  X(fraction, 1e-9, "-", "share of a triangle that is round-off", "digits of the clip",            \
    "fuzz_depth.no_sample_is_deeper_than_the_contacts_say")                                        \
  X(fourth, 1e-7, "-", "twice a fourth corner's area, over the squared size, of a triangle",       \
    "steps leave 4e-9 between images of symmetric bodies, whose forces then differed by 2e-5",     \
    "metamorphic.pairs_that_differed_once_do_not")                                                 \
  X(touching, .01, "-",                                                                            \
    "height over a face's side to which a facet that follows the shape holds its neighbours",      \
    "unmeasured: where they let go at nanometres their pieces push it out",                        \
    "contact_pressure.what_is_dragged_has_its_friction_and_no_more")                               \
  X(even, .95, "-",                                                                                \
    "cosine of a triangle to the normal beside an edge above which vertices alone carry",          \
    "unmeasured: 18 degrees", "")                                                                  \
  X(leaning, .75, "-", "the same cosine below which pieces alone carry", "unmeasured: 41 degrees", \
    "")                                                                                            \
  X(flat, 1e-10, "-",                                                                              \
    "bend of a triangle over its longest side below which its corners are enough",                 \
    "round-off of gradients times sides", "")                                                      \
  X(missed, 1e-3, "-",                                                                             \
    "depth outside of the watched part over the size above which a pair is searched again",        \
    "of the triangle, or of the shape: far below the depth of rest", "")                           \
  X(tilted, .1, "-",                                                                               \
    "change of depth by a turn over the depth above which a part has three points",                \
    "one force at the centroid gives energy, THEORY 33", "")                                       \
  X(alike, 1.25, "-",                                                                              \
    "depth of a facet over that of followed ones below which vertices alone carry",                \
    "unmeasured: a facet as deep as the others is of their kind", "")                              \
  X(deeper, 2, "-", "the same ratio above which the facet carries with all of its share",          \
    "unmeasured", "")                                                                              \
  X(piece_least, 1e-11, "-", "least size of a piece of a facet over that of the shape",            \
    "round-off of places on the shape", "")                                                        \
  X(still, .02, "-",                                                                               \
    "displacement in a step over the depth below which pieces ahead are not sought",               \
    "a smaller one changes nothing within the step", "")                                           \
  X(little_turn, .49, "-",                                                                         \
    "difference of unit normals of corners below which a facet follows the shape",                 \
    "half a radian is a difference of .4948", "")                                                  \
  X(enough, .1, "-",                                                                               \
    "error of the depth at corners over the overlap of all facets that is accepted",               \
    "of all facets together", "")                                                                  \
  X(gap_share, .25, "-", "dip between two points over the gap of a barrier that is accepted",      \
    "unmeasured: forces grow as the inverse gap", "")                                              \
  X(gap_least, 1e-6, "-", "the same dip over the range of the barrier",                            \
    "below it the number of points would grow without end", "")                                    \
  X(same_weights, 1e-9, "-", "difference of weights of points of a rule that are one",             \
    "round-off of weights is 1e-16", "")                                                           \
  X(whole_weight, 1 - 1e-9, "-", "weight of a vertex that the point of a rule is",                 \
    "as same_weights", "")                                                                         \
  X(least_gap, 1e-4, "-", "least gap of a barrier over the size of the triangle",                  \
    "overlap of earlier rounds has a gap, too", "")                                                \
  X(thin, 1e-12, "-", "variance over the squared size below which a patch has no width",           \
    "round-off of second moments", "")                                                             \
  X(offered, .25, "-", "depth that vertices offer over the width of their faces",                  \
    "near, and the sagitta is less than an eighth", "")                                            \
  X(near, .1, "-", "largest gap of a vertex contact over its width",                               \
    "layers overlap by nanometres, and a solution may open them by as much", "")                   \
  X(sharp, 4, "-", "share of area that a quadratic corner keeps, over the turn of its normals",    \
    "all of it where two faces that are seen alike are normal", "")                                \
  X(round_flat, 1e-2, "-", "gap over the least one, over the size, of points of a flat contact",   \
    "unmeasured: more than two such points are a face", "")                                        \
  X(round_line, .1, "-", "gap over the least one, over the size, of the end of a tilted line",     \
    "5 degrees: the other end lands within a few steps",                                           \
    "rolling.what_lies_on_a_line_comes_to_rest")                                                   \
  X(round_apart, 1e-6, "-", "length over the size below which a line of contact is a point",       \
    "nearest points are known to the root of round-off: 1e-11 m gave a line's direction",          \
    "metamorphic.pairs_that_differed_once_do_not")                                                 \
  X(round_missed, 1e-3, "-", "depth over the smaller shape above which a patch is searched again", \
    "as missed", "")                                                                               \
  X(round_drawn, .98, "-", "share of half a line within which its patch is drawn",                 \
    "its ends press as its middle does", "")                                                       \
  X(round_most, .5, "-", "largest depth of a round patch over the radius",                         \
    "deeper the patch is no longer small", "")                                                     \
  X(round_least, 1e-9, "-", "least depth of a round patch over the radius",                        \
    "below it is round-off of a gap", "")                                                          \
  X(round_through, .5, "-",                                                                        \
    "depth inside over the overlap below which a shape is pressed through",                        \
    "depths are then those of its other side", "")                                                 \
  X(round_rest, .02, "-", "least depth of a round patch over its drop in a step",                  \
    "depth at rest of a barely resolved patch", "")                                                \
  X(opened, 1e-6, "-", "accuracy of the force by which a surface is opened",                       \
    "Newton on a convex function: the next iterate has twice as many digits", "")                  \
  X(same_plane, 1e-12, "-", "difference of planes on a piece, over its coordinates, that are one", \
    "round-off of coordinates", "")

SUP_NUMERICS(sup_surface_numerics, SUP_SURFACE_NUMERICS);
