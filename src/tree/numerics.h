/* Numbers that decide in inverse kinematics. */
#pragma once

#include "base/numerics.h"

#define SUP_IK_NUMERICS(X)                                                                         \
  X(tolerance, 1e-10, "-", "error of a pose that counts as reached, over the reach",               \
    "nanometres of an arm of a metre, a thousand times the round-off of its chain",                \
    "inverse_kinematics.an_arm_reaches_poses_within_its_limits")                                   \
  X(near, 1e-6, "-", "the same of the nearest pose where none counts as reached",                  \
    "a micrometre: goals of arms with few joints are typed, not exact",                            \
    "inverse_kinematics.a_goal_missed_by_less_than_a_micrometre_is_reached")                       \
  X(damping, 1e-2, "-", "first damping of a step, over the mean of J J^T",                         \
    "a tenth of a singular value: steps near singular positions stay below a radian",              \
    "inverse_kinematics.a_stretched_arm_finds_its_way")                                            \
  X(iterations, 60, "-", "steps from one start",                                                   \
    "quadratic from within a radian; slow ones begin anew",                                        \
    "inverse_kinematics.an_arm_reaches_poses_within_its_limits")                                   \
  X(patience, 8, "-", "steps in which the error halves, or else a start leads nowhere",            \
    "two thirds of the steps saved, no pose of three thousand lost",                               \
    "inverse_kinematics.an_arm_reaches_poses_within_its_limits")                                   \
  X(tries, 200, "-", "starts spread over the joints' ranges before a pose counts as out of reach", \
    "six times what the hardest of three thousand poses of three arms took",                       \
    "inverse_kinematics.an_arm_reaches_poses_within_its_limits")                                   \
  X(solutions, 4, "-", "solutions among which the one nearest to the posture is taken",            \
    "an arm of six joints has eight", "inverse_kinematics.a_solution_is_near_the_posture")         \
  X(loop_weight, 1e3, "-", "of rows of loops beside those of a goal out of reach",                 \
    "a step leaves the loops by 1e-6 of its way", "linkages.the_nearest_place_of_a_loop_is_found") \
  X(stride, 0.2, "rad", "largest turn of a joint at a time where loops are kept closed",           \
    "assemblies of a loop lie a radian apart, away from dead centres",                             \
    "linkages.a_delta_robot_keeps_its_assembly")                                                   \
  X(detours, 8, "-", "places that loops reach, from which a goal that is not on the way is tried", \
    "four find all points of a coupler's curve", "linkages.a_goal_behind_the_curve_is_reached")    \
  X(approaches, 8, "-",                                                                            \
    "starts from which the nearest place of a goal out of reach is looked for",                    \
    "twice those that find all of a hundred",                                                      \
    "inverse_kinematics.no_joint_brings_the_nearest_pose_nearer")                                  \
  X(posture_step, 0.2, "rad", "largest turn towards the posture at a time",                        \
    "the frame leaves its place by 2 % of the reach and comes back in two steps",                  \
    "inverse_kinematics.a_redundant_arm_keeps_its_posture")

SUP_NUMERICS(sup_ik_numerics, SUP_IK_NUMERICS);
