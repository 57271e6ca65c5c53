/* Numbers that decide in rows of contacts and in anchors. */
#pragma once

#include "base/numerics.h"

#define SUP_CONSTRAINT_NUMERICS(X)                                                                \
  X(anchor_reach, 2, "-", "reach of an anchor over its length",                                   \
    "unmeasured: neighbouring contacts are in reach",                                             \
    "anchor_transfer.dealing_goes_with_the_place")                                                \
  X(anchor_loss, .01, "-", "share lost where the only contact is one length away",                \
    "a growing patch leaves none to its neighbours, all where nothing is in reach",               \
    "anchor_transfer.dealing_goes_with_the_place")                                                \
  X(anchor_place, 1e-12, "-", "fourth power of a distance over the length that counts as zero",   \
    "a thousandth of the length", "anchor_transfer.what_stays_keeps_its_own")                     \
  X(anchor_line, 1e-9, "-", "thickness over length of vertices in a line",                        \
    "round-off: these have no rotation", "anchor_transfer.the_order_of_vertices_does_not_matter") \
  X(tangential, .8, "-", "tangential over normal stiffness of contact",                           \
    "Mindlin: 2 (1 - nu)/(2 - nu), .8 in the middle of its range",                                \
    "anchor_transfer.what_sticks_swings_with_the_damping_of_the_normal_force")                    \
  X(resolved, 1, "-", "k w h^2 of a patch up to which a step resolves the tangent",               \
    "a secant of 2/3 of it goes on with -1/2 a step",                                             \
    "energy.energy_never_grows_but_for_the_order_of_dt")                                          \
  X(rigid, 2.5e-8, "-",                                                                           \
    "h^2 times the compliance of constraints of links over their inverse mass",                   \
    "light links between heavy ones: 1e6 of it are a fortieth of a step's way",                   \
    "constraints.light_links_carry_heavy_ones")                                                   \
  X(rigid_soft, 2.5e-5, "-", "likewise, of constraints with vertices",                            \
    "stiffer rows cost digits of the forces", "constraints.a_welded_region_is_a_clamp")           \
  X(dry, 1e-5, "-",                                                                               \
    "slip at which dry friction of a joint is at its bound over what it stops in a step",         \
    "a joint that holds creeps by less than 1e-5 of what would be its motion",                    \
    "joints.dry_friction_holds_below_its_bound")                                                  \
  X(dry_slip, 1e-5, "m/s or rad/s",                                                               \
    "largest slip at which dry friction of a joint is at its bound",                              \
    "a link of grams that carries a welded load of kilograms holds it, too",                      \
    "joints.dry_friction_of_a_light_link_holds_its_load")                                         \
  X(alike, 1e-16, "-",                                                                            \
    "inverse mass of a constraint over that of its ends up to which both ends move alike",        \
    "levers of 1e-8 of the coordinates, as places have 16 digits",                                \
    "constraints.ends_that_move_alike_are_free")                                                  \
  X(round_off, 1e-28, "-", "likewise, of one row among those of a point",                         \
    "a hundred units of the last place, squared", "constraints.ends_that_move_alike_are_free")    \
  X(place, 1e-14, "-", "curvature of a constraint in a step over its place that is round-off",    \
    "a hundred units of the last place", "constraints.a_welded_region_is_a_clamp")                \
  X(rigid_static, 2.5e-4, "-", "likewise, in equilibria",                                         \
    "gaps a million times the round-off of places: errors of forces below 1e-8",                  \
    "constraints.a_welded_region_is_a_clamp")                                                     \
  X(redundant, 1e-6, "-", "share of a constraint's row beside others below which others keep it", \
    "far above round-off, far below what rounded poses leave",                                    \
    "constraints.rows_that_others_keep_are_told")                                                 \
  X(difference, 1e-5, "-", "step of central differences of an energy over its argument",          \
    "the third root of round-off", "")

SUP_NUMERICS(sup_constraint_numerics, SUP_CONSTRAINT_NUMERICS);
