/* Numbers that decide in what is measured. */
#pragma once

#include <float.h>

#include "base/numerics.h"

/** As a macro for the table of verdicts, which takes constant expressions only. */
#define SUP_EXPLOSION_RATIO 1e3

#define SUP_MEASURE_NUMERICS(X)                                                                    \
  X(percentile, 1e-12, "-", "share of all weights that round-off of their sum may take",           \
    "sums of a million weights", "output.percentiles_weigh_by_volume")                             \
  X(force_digits, 64 * DBL_EPSILON, "-",                                                           \
    "gap over the coordinates up to which a contact force is round-off",                           \
    "turns and sums take some of the last digits", "softening.touches_of_round_off_have_no_layer") \
  X(facing, .3, "-", "cosine of a face to the force of a vertex below which it carries nothing",   \
    "73 degrees: sides of a cube that bulges carry nothing of its weight", "")                     \
  X(slide_longer, 4, "-", "step over the one before from which no change is known", "unmeasured",  \
    "watch.a_slide_carries_half_of_the_change_of_its_error")                                       \
  X(snap, .1, "-", "energy set free over the work in a load step that is a snap",                  \
    "unmeasured: less is the error of a first guess",                                              \
    "watch.energy_set_free_is_a_snap_from_a_tenth_of_the_work")                                    \
  X(turned, .01, "rad^2", "squares of the turns of the steps from which loss of spin is told",     \
    "the share that implicit Euler takes", "watch.momentum_is_missed_of_bodies_that_turn")         \
  X(no_energy, 1e-12, "J", "energy below which a scene is at rest",                                \
    "a gram at a millimetre a second has 5e-10 J", "watch.losses_of_a_scene_at_rest_are_none")     \
  X(growth, 1e-3, "-", "energy that an undriven scene may gain over that at play",                 \
    "round-off and tolerances of solvers", "watch.energy_may_grow_by_a_thousandth")                \
  X(peak, 1e3, "-", "pressure at a corner over the mean above which depths are round-off",         \
    "3 of a triangle; a box put flush on a floor had 6e11",                                        \
    "contact_pressure.depths_of_round_off_have_the_mean_pressure")                                 \
  X(settled, 2, "-",                                                                               \
    "loss of a lasting contact over what the contact stores from which it is told",                \
    "what comes to rest loses as much as it leaves there, 1.2 times of a tilted cylinder",         \
    "watch.what_merely_touches_or_rests_has_no_finding")                                           \
  X(secant, .1, "-", "error of the energy of a patch whose force is a secant",                     \
    "a ball put on a floor 1 % of it, a cylinder that is tilted 8 %",                              \
    "watch.what_merely_touches_or_rests_has_no_finding")                                           \
  X(overlap, 1e-6, "m", "overlap of shapes that merely touch",                                     \
    "unmeasured: a gap between faces that people draw as one",                                     \
    "watch.what_merely_touches_or_rests_has_no_finding")                                           \
  X(overlap_share, 1e-3, "-", "the same over the smallest shape or edge, of bodies below 1 mm",    \
    "a tenth of the least overlap that is told",                                                   \
    "watch.what_merely_touches_or_rests_has_no_finding")                                           \
  X(least_energy, 1e-9, "J", "least energy put into a scene that losses are compared with",        \
    "above round-off of a scene at rest", "watch.what_merely_touches_or_rests_has_no_finding")     \
  X(stick_least, .1, "-", "friction over its bound above which it is a load",                      \
    "unmeasured: creep may give way to it", "watch.a_pair_creeps_while_a_load_of_friction_sticks") \
  X(stick_most, .9, "-", "friction over its bound above which a pair is about to slide",           \
    "unmeasured", "watch.a_pair_creeps_while_a_load_of_friction_sticks")                           \
  X(squeezed, .5, "-", "length of the mean normal of a pair below which it has no side",           \
    "an arc of 217 degrees under even pressure", "patches.a_squeezed_body_has_no_conformity")      \
  X(slides, .99, "-", "friction over its bound above which a contact slides",                      \
    "regularised friction never is at its bound", "watch.a_contact_at_its_bound_does_not_stick")   \
  X(stick_speed, 2.5, "-",                                                                         \
    "slip over the stiction tolerance, or over .1 mm/s, above which nothing sticks",               \
    "unmeasured; contacts whose friction has a compliance have their own tolerance",               \
    "watch.a_pair_creeps_while_a_load_of_friction_sticks")                                         \
  X(lasting, .5, "-", "change of the normal force of a pair that lasts from step to step",         \
    "steps of impacts are not counted", "watch.energy_is_lost_by_contacts_that_last")              \
  X(kink, 2. / 9, "-", "share of a step's estimate that extrapolation leaves of a kink",           \
    "a force that begins at t of a step, mean over t: 1/24 over 3/16",                             \
    "watch.an_impact_leaves_two_ninths_of_its_error")                                              \
  X(slide, .5, "-", "share of the change of a step's estimate that extrapolation leaves",          \
    "1/6 of a force that the time alone changes, 2/3 of v' = c v",                                 \
    "watch.a_slide_carries_half_of_the_change_of_its_error")                                       \
  X(limited, .99, "-", "stiffness over that asked for, below which the step limits it",            \
    "round-off changes neither", "remedies.what_sinks_in_is_told_the_stiffness_that_holds_it")     \
  X(held, .5, "-", "share of an estimate that the next step in which contacts hold keeps",         \
    "0 to .9 tell boxes apart that end 5 and .6 times the accuracy off",                           \
    "watch.a_body_slides_on_with_the_error_of_the_stick_before")                                   \
  X(explosion, SUP_EXPLOSION_RATIO, "-", "energy over that put in which is an explosion",          \
    "unmeasured", "watch.energy_may_grow_by_a_thousandth")

SUP_NUMERICS(sup_measure_numerics, SUP_MEASURE_NUMERICS);
