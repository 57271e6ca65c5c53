#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tree/inverse_kinematics.h"
#include "tree/numerics.h"

/* Arms by the tables of their makers: place and turn of each joint's frame in that of the joint
 * before, all axes z. */
typedef struct arm_joint {
  double x, y, z, roll, pitch, yaw, lower, upper;
} arm_joint;

#define RIGHT 1.5707963267948966
static const arm_joint panda[] = {{0, 0, 0.333, 0, 0, 0, -2.8973, 2.8973},
                                  {0, 0, 0, -RIGHT, 0, 0, -1.7628, 1.7628},
                                  {0, -0.316, 0, RIGHT, 0, 0, -2.8973, 2.8973},
                                  {0.0825, 0, 0, RIGHT, 0, 0, -3.0718, -0.0698},
                                  {-0.0825, 0.384, 0, -RIGHT, 0, 0, -2.8973, 2.8973},
                                  {0, 0, 0, RIGHT, 0, 0, -0.0175, 3.7525},
                                  {0.088, 0, 0, RIGHT, 0, 0, -2.8973, 2.8973}};
static const arm_joint iiwa[] = {{0, 0, 0.1575, 0, 0, 0, -2.967, 2.967},
                                 {0, 0, 0.2025, RIGHT, 0, 2 * RIGHT, -2.094, 2.094},
                                 {0, 0.2045, 0, RIGHT, 0, 2 * RIGHT, -2.967, 2.967},
                                 {0, 0, 0.2155, RIGHT, 0, 0, -2.094, 2.094},
                                 {0, 0.1845, 0, -RIGHT, 2 * RIGHT, 0, -2.967, 2.967},
                                 {0, 0, 0.2155, RIGHT, 0, 0, -2.094, 2.094},
                                 {0, 0.081, 0, -RIGHT, 2 * RIGHT, 0, -3.054, 3.054}};
static const arm_joint ur3e[] = {
    {0, 0, 0.15185, 0, 0, 0, -6.2832, 6.2832},      {0, 0, 0, RIGHT, 0, 0, -6.2832, 6.2832},
    {-0.24355, 0, 0, 0, 0, 0, -3.1416, 3.1416},     {-0.2132, 0, 0.13105, 0, 0, 0, -6.2832, 6.2832},
    {0, -0.08535, 0, RIGHT, 0, 0, -6.2832, 6.2832}, {0, 0.0921, 0, -RIGHT, 0, 0, -6.2832, 6.2832}};

static sup_tree *arm_of(const arm_joint *joint, int n) {
  sup_tree    *tree;
  sup_tree_def def = sup_default_tree_def();
  strcpy(def.name, "arm");
  def.num_links = n;
  def.links = calloc((size_t)n, sizeof *def.links);
  for (int i = 0; i < n; i++) {
    sup_link_def *link = &def.links[i];
    sup_quat      roll = sup_quat_exp(sup_v3_make(joint[i].roll, 0, 0)),
             pitch = sup_quat_exp(sup_v3_make(0, joint[i].pitch, 0)),
             yaw = sup_quat_exp(sup_v3_make(0, 0, joint[i].yaw));
    sup_quat q = sup_quat_mul(yaw, sup_quat_mul(pitch, roll));
    *link = sup_default_link_def();
    snprintf(link->name, sizeof link->name, "link%d", i + 1);
    snprintf(link->joint_name, sizeof link->joint_name, "joint%d", i + 1);
    link->parent = i - 1, link->joint = SUP_JOINT_REVOLUTE;
    if (i == 0) link->parent = SUP_NONE;
    link->X_PJ = (sup_pose){{joint[i].x, joint[i].y, joint[i].z}, {q.w, q.x, q.y, q.z}};
    link->axis[0] = 0, link->axis[2] = 1;
    link->lower = joint[i].lower, link->upper = joint[i].upper;
    link->mass = 1, link->inertia[0] = link->inertia[1] = link->inertia[2] = 0.01;
    link->q0[0] = fmin(fmax(0, link->lower), link->upper);
  }
  OK(sup_tree_create(&tree, &def));
  sup_tree_def_free(&def);
  return tree;
}

static const sup_frame tool = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0.107}};

static void random_positions(const sup_tree *tree, test_random *random, double *q) {
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    q[link->q_start] =
        link->lower + (link->upper - link->lower) * (0.5 + 0.5 * test_uniform(random));
  }
}

static void middle_positions(const sup_tree *tree, double *q) {
  for (int l = 0; l < tree->num_links; l++)
    q[tree->links[l].q_start] = 0.5 * (tree->links[l].lower + tree->links[l].upper);
}

static void check_within_limits(const sup_tree *tree, const double *q) {
  for (int l = 0; l < tree->num_links; l++) {
    double at = q[tree->links[l].q_start];
    CHECK(at >= tree->links[l].lower && at <= tree->links[l].upper);
  }
}

/** The frame's place by its own sum over the chain. */
static void check_place(const sup_tree *tree, const sup_base_motion *base, const sup_ik_goal *goal,
                        const double *q, double tolerance) {
  sup_frame X = sup_tree_frame(tree, base, q, goal->link, &goal->X_LF);
  NEAR(sup_v3_norm(sup_v3_sub(X.p, goal->X_WF.p)), 0, 0, tolerance);
  for (int k = 0; k < 9 && goal->rotation == SUP_IK_POSE; k++)
    NEAR(X.R.m[k / 3][k % 3], goal->X_WF.R.m[k / 3][k % 3], 0, 10 * tolerance);
  for (int k = 0; k < 3 && goal->rotation == SUP_IK_AXIS; k++)
    NEAR(X.R.m[k][2], goal->X_WF.R.m[k][2], 0, 10 * tolerance);
}

static void an_arm_reaches_poses_within_its_limits(void) {
  const struct {
    const arm_joint *joint;
    int              n;
  } arms[] = {{panda, 7}, {iiwa, 7}, {ur3e, 6}};
  for (int a = 0; a < 3; a++) {
    test_random random = {(uint64_t)a + 1};
    sup_tree   *tree = arm_of(arms[a].joint, arms[a].n);
    for (int n = 0; n < 1000; n++) {
      double          q[8], there[8];
      sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
      sup_ik_goal     goal = {.link = arms[a].n - 1, .X_LF = tool};
      goal.rotation = (sup_ik_rotation)(n % 3);
      random_positions(tree, &random, there);
      goal.X_WF = sup_tree_frame(tree, &base, there, goal.link, &goal.X_LF);
      middle_positions(tree, q);
      sup_ik_report report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
      CHECK(report.is_reached);
      check_within_limits(tree, q);
      check_place(tree, &base, &goal, q, 1e-9);
    }
    sup_tree_destroy(&tree);
  }
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static const sup_frame tip = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.4, 0, 0}};
static const arm_joint plane[] = {{0, 0, 0, 0, 0, 0, -4, 4}, {0.5, 0, 0, 0, 0, 0, -2.5, 2.5}};

static sup_ik_goal in_the_plane(double x, double y) {
  return (sup_ik_goal){
      .link = 1, .X_LF = tip, .X_WF = {tip.R, {x, y, 0}}, .rotation = SUP_IK_POSITION};
}

/** cos q2 = (r^2 - a^2 - b^2)/(2 a b); the elbow on the side where it starts. */
static void two_links_obey_the_law_of_cosines(void) {
  sup_tree       *tree = arm_of(plane, 2);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  for (int side = -1; side <= 1; side += 2) {
    double        q[2] = {0.2, side}, x = 0.3, y = 0.5, a = 0.5, b = 0.4;
    sup_ik_goal   goal = in_the_plane(x, y);
    sup_ik_report report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
    double        elbow = side * acos((x * x + y * y - a * a - b * b) / (2 * a * b));
    CHECK(report.is_reached && report.tries == 1 && report.num_at_limit == 0);
    NEAR(q[1], elbow, 0, 1e-8);
    NEAR(q[0], atan2(y, x) - atan2(b * sin(elbow), a + b * cos(elbow)), 0, 1e-8);
  }
  sup_tree_destroy(&tree);
}

/** Stretched towards a goal out of reach, bent to the limit before one that is too near. */
static void goals_out_of_reach_have_the_nearest_place(void) {
  sup_tree       *tree = arm_of(plane, 2);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          q[2] = {1, 1};
  sup_ik_goal     goal = in_the_plane(0.6, 0.8);
  sup_ik_report   report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(!report.is_reached && report.num_at_limit == 0 && report.num_joints == 2);
  NEAR(report.position_error, 0.1, 0, 1e-6);
  NEAR(q[0], atan2(0.8, 0.6), 0, 1e-3);
  NEAR(q[1], 0, 0, 1e-3);
  double nearest = sqrt(0.25 + 0.16 + 2 * 0.5 * 0.4 * cos(2.5)); /* at the elbow's limit */
  goal = in_the_plane(0.1, 0.1);
  report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(!report.is_reached && report.num_at_limit == 1 && report.at_limit[0] == 1);
  NEAR(report.position_error, nearest - sqrt(0.02), 0, 1e-6);
  check_within_limits(tree, q);
  sup_tree_destroy(&tree);
}

/** Nothing but limits keeps the pose of an arm from coming nearer to one out of reach, rotations
 * weighed by a quarter of the reach. */
static void no_joint_brings_the_nearest_pose_nearer(void) {
  test_random random = {5};
  sup_tree   *tree = arm_of(panda, 7);
  for (int n = 0; n < 5; n++) {
    double          q[8], there[8], nearest = 0, reach = tool.p.z;
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    sup_ik_goal     goal = {.link = 6, .X_LF = tool};
    random_positions(tree, &random, there);
    middle_positions(tree, q);
    goal.X_WF = sup_tree_frame(tree, &base, there, 6, &tool);
    goal.X_WF.p = sup_v3_scale(3 + n, goal.X_WF.p);
    CHECK(!sup_tree_inverse_kinematics(tree, &base, &goal, q).is_reached);
    check_within_limits(tree, q);
    for (int l = 0; l < 7; l++) reach += sup_v3_norm(tree->links[l].X_PJ.p);
    for (int k = -1; k < 14; k++) {
      memcpy(there, q, sizeof q);
      if (k >= 0) there[k / 2] += k % 2 ? 1e-3 : -1e-3;
      if (k >= 0 && (there[k / 2] < panda[k / 2].lower || there[k / 2] > panda[k / 2].upper))
        continue;
      sup_frame X = sup_tree_frame(tree, &base, there, 6, &tool);
      sup_m3    turn = sup_m3_mul(goal.X_WF.R, sup_m3_transpose(X.R));
      double    off = hypot(sup_v3_norm(sup_v3_sub(goal.X_WF.p, X.p)),
                            reach / 4 * sup_v3_norm(sup_quat_log(sup_quat_from_matrix(turn))));
      if (k < 0) nearest = off;
      CHECK(off >= nearest * (1 - 1e-6));
    }
  }
  sup_tree_destroy(&tree);
}

/** Singular at the start: no joint moves the frame towards its goal. */
static void a_stretched_arm_finds_its_way(void) {
  sup_tree       *tree = arm_of(plane, 2);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          q[2] = {0, 0};
  sup_ik_goal     goal = in_the_plane(0.5, 0);
  sup_ik_report   report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(report.is_reached);
  check_place(tree, &base, &goal, q, 1e-9);
  double near_it[2] = {0, 1e-4}; /* a turn below half of one, where J^-1 would take 5,000 rad */
  report = sup_tree_inverse_kinematics(tree, &base, &goal, near_it);
  CHECK(report.is_reached && report.tries == 1);
  CHECK(fabs(near_it[0]) < 2 && near_it[1] > 0);
  sup_tree_destroy(&tree);
}

/* Two links of .5 and .4 m reach .9 m: a hundredth of a micrometre beyond counts, a tenth of a
 * millimetre does not. */
static void a_goal_missed_by_less_than_a_micrometre_is_reached(void) {
  sup_tree       *tree = arm_of(plane, 2);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          q[2] = {0.3, 0.2};
  sup_ik_goal     goal = in_the_plane(0.9 + 1e-8, 0);
  sup_ik_report   report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(report.is_reached && report.position_error < 2e-8);
  goal = in_the_plane(0.9 + 1e-4, 0);
  report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(!report.is_reached);
  NEAR(report.position_error, 1e-4, 1e-3, 0);
  sup_tree_destroy(&tree);
}

static void a_solution_is_near_the_posture(void) {
  sup_tree       *tree = arm_of(ur3e, 6);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  test_random     random = {7};
  for (int n = 0; n < 50; n++) {
    double      q[8], there[8];
    sup_ik_goal goal = {.link = 5, .X_LF = tool};
    random_positions(tree, &random, there);
    middle_positions(tree, q);
    goal.X_WF = sup_tree_frame(tree, &base, there, goal.link, &goal.X_LF);
    sup_tree_inverse_kinematics(tree, &base, &goal, q);
    for (int k = 0; k < 6; k++) CHECK(fabs(q[k]) <= 3.1416 + 1e-9); /* no turn too many */
  }
  sup_tree_destroy(&tree);
}

/** Seven joints: the way to the posture has no part along the null space. */
static void a_redundant_arm_keeps_its_posture(void) {
  sup_tree       *tree = arm_of(iiwa, 7);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          posture[7] = {0.1, 0.5, -0.2, -1.4, 0.3, 0.9, 0.2}, q[7], again[7];
  sup_ik_goal     goal = {.link = 6, .X_LF = tool};
  goal.X_WF = sup_tree_frame(tree, &base, posture, 6, &tool);
  goal.X_WF.p.x -= 0.05, goal.X_WF.p.y += 0.1;
  memcpy(q, posture, sizeof q);
  CHECK(sup_tree_inverse_kinematics(tree, &base, &goal, q).is_reached);
  check_place(tree, &base, &goal, q, 1e-9);
  double d0 = 0;
  for (int k = 0; k < 7; k++) d0 += (q[k] - posture[k]) * (q[k] - posture[k]);
  for (int k = 0; k < 7; k++) /* other solutions beside it are further away */
    for (int sign = -1; sign <= 1; sign += 2) {
      double d = 0;
      memcpy(again, q, sizeof q);
      again[k] += 0.05 * sign;
      sup_tree_inverse_kinematics(tree, &base, &goal, again);
      check_place(tree, &base, &goal, again, 1e-9);
      for (int j = 0; j < 7; j++) d += (again[j] - posture[j]) * (again[j] - posture[j]);
      CHECK(d >= d0 - 1e-9);
    }
  sup_tree_destroy(&tree);
}

/** The second joint follows the first at half its angle; a third that may not move stays. */
static void followers_and_joints_at_rest_are_part_of_the_chain(void) {
  const arm_joint three[] = {
      {0, 0, 0, 0, 0, 0, -3, 3}, {0.5, 0, 0, 0, 0, 0, -3, 3}, {0.5, 0, 0, 0, 0, 0, -3, 3}};
  const char      may_move[3] = {1, 0, 0};
  sup_tree       *tree = arm_of(three, 3);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          q[3] = {0.3, 0, 0.4}, there[3] = {1.1, 0.55 + 0.1, 0.4};
  sup_ik_goal     goal = {.link = 2, .X_LF = tip, .may_move = may_move};
  tree->links[1].mimic = 0, tree->links[1].mimic_ratio = 0.5, tree->links[1].mimic_offset = 0.1;
  goal.X_WF = sup_tree_frame(tree, &base, there, 2, &tip);
  sup_ik_report report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(report.is_reached && report.num_joints == 1);
  for (int k = 0; k < 3; k++) NEAR(q[k], there[k], 0, 1e-8);
  tree->links[1].upper = 0.4; /* the follower's limit is one of the joint that leads: 0.6 */
  report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(!report.is_reached && report.num_at_limit == 1 && report.at_limit[0] == 0);
  NEAR(q[0], 0.6, 0, 1e-8);
  NEAR(q[1], 0.4, 0, 1e-8);
  sup_tree_destroy(&tree);
}

SUITE_TESTS(inverse_kinematics, TEST(an_arm_reaches_poses_within_its_limits),
            TEST(two_links_obey_the_law_of_cosines),
            TEST(goals_out_of_reach_have_the_nearest_place),
            TEST(no_joint_brings_the_nearest_pose_nearer), TEST(a_stretched_arm_finds_its_way),
            TEST(a_goal_missed_by_less_than_a_micrometre_is_reached),
            TEST(a_solution_is_near_the_posture), TEST(a_redundant_arm_keeps_its_posture),
            TEST(followers_and_joints_at_rest_are_part_of_the_chain));
