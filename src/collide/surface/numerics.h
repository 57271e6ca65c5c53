/* Numbers that decide in contacts of a surface with a shape (THEORY 15.3, 19, 20). */
#pragma once

#include "base/numerics.h"

#define SUP_SURFACE_NUMERICS(X)                                                                \
  X(facing, .01, "-", "cosine of a face to the shape's normal below which it carries no load", \
    "edge-on or from behind: pressure acts on the area that the shape sees",                   \
    "facet.a_ball_inside_a_facet_displaces_its_cap")                                           \
  X(fraction, 1e-9, "-", "share of a triangle that is round-off", "digits of the clip",        \
    "fuzz_depth.no_sample_is_deeper_than_the_contacts_say")                                    \
  X(touching, .01, "-",                                                                        \
    "height over a face's side to which a facet that follows the shape holds its neighbours",  \
    "unmeasured: where they let go at nanometres their pieces push it out",                    \
    "contact_pressure.what_is_dragged_has_its_friction_and_no_more")

SUP_NUMERICS(sup_surface_numerics, SUP_SURFACE_NUMERICS);
