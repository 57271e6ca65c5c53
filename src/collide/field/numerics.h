/* Numbers that decide in contacts of pressure fields (THEORY 9). */
#pragma once

#include "base/numerics.h"

#define SUP_FIELD_NUMERICS(X)                                                                 \
  X(loaded, -.38268343236508977, "-",                                                         \
    "cosine of a normal to the gradient above which a face is loaded",                        \
    "cosine of 5/8 pi, THEORY 9.2", "")                                                       \
  X(lift, 1e-13, "-", "height over the field's size at which the owner of a patch is sought", \
    "a face of two cells: far beyond round-off; the point is moved back",                     \
    "field.resultants_do_not_depend_on_how_patches_are_cut")

SUP_NUMERICS(sup_field_numerics, SUP_FIELD_NUMERICS);
