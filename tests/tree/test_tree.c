#include "random_tree.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"

/* ---- creation -------------------------------------------------------------------------------- */

static sup_tree_def one_link(void) {
  sup_tree_def def = test_chain(2, 1, 1, 1);
  strcpy(def.name, "arm");
  return def;
}

static void expect(sup_tree_def *def, const char *message) {
  sup_tree *tree;
  FAILS(sup_tree_create(&tree, def), SUP_E_ARG, message);
  CHECK(tree == NULL);
  sup_tree_def_free(def);
  CHECK(def->links == NULL);
}

static void bad_definitions_name_the_link(void) {
  sup_tree_def def = one_link();
  def.links[1].parent = 1;
  expect(&def,
         "tree 'arm', link 'link1': the parent is link number 1; it must come before its child");
  def = one_link();
  def.links[1].axis[1] = 0;
  expect(&def, "tree 'arm', link 'link1': joint 'joint1' has axis (0 0 0); it must not be zero");
  def = one_link();
  def.links[0].mass = -2;
  expect(&def, "link 'link0': the mass is -2 kg; it must be 0 or more");
  def = one_link();
  def.links[0].inertia[2] = nan("");
  expect(&def, "link 'link0': the inertia or centre of mass is not finite");
  def = one_link();
  def.links[1].inertia[3] = 1;
  expect(&def, "link 'link1': the inertia tensor has the principal moments -0.9");
  def = one_link();
  def.links[1].inertia[0] = 10;
  expect(&def,
         "link 'link1': no body has the principal moments of inertia 0, 0.0833333, 10 kg m^2");
  def = one_link();
  def.links[1].lower = 1, def.links[1].upper = -1;
  expect(&def, "joint 'joint1' has limits from 1 to -1");
  def = one_link();
  def.links[1].damping = -1;
  expect(&def, "joint 'joint1' has damping -1; it must be 0 or more");
  def = one_link();
  strcpy(def.links[1].name, "link0");
  expect(&def, "tree 'arm' has two links named 'link0'");
  def = one_link();
  def.links[0].X_PJ.q[0] = 0;
  expect(&def, "link 'link0': the joint's frame has position (0 0 0) and quaternion (0 0 0 0)");
  double row[7] = {0};
  def = one_link();
  def.links[0].joint = SUP_JOINT_FLOATING;
  SUP_ASSERT(sup_table_copy(&def.motion, &(sup_table){1, 6, row, row + 1}) == SUP_OK);
  expect(&def, "link 'link0': the floating joint 'joint0' hangs on the base, which moves");
  def = one_link();
  row[6] = 1, def.links[0].joint = SUP_JOINT_PLANAR;
  SUP_ASSERT(sup_table_copy(&def.motion, &(sup_table){1, 6, row, row + 1}) == SUP_OK);
  expect(&def, "link 'link0': the planar joint 'joint0' hangs on the base, which turns");
  def = one_link();
  def.links[1].joint = SUP_JOINT_SCREW, def.links[1].pitch = nan("");
  expect(&def, "link 'link1': joint 'joint1' has pitch nan m/rad; it must be finite");
  def = one_link();
  def.num_links = 2000;
  sup_tree *tree;
  FAILS(sup_tree_create(&tree, &def), SUP_E_ARG,
        "tree 'arm' has 2000 links; between 1 and 1024 are possible");
  def.num_links = 2;
  sup_tree_def_free(&def);
}

static void joints_that_move_nothing_are_refused(void) {
  sup_tree_def def = test_chain(3, 1, 0, 1);
  def.links[0].mass = def.links[1].mass = 1; /* the last link is massless */
  expect(&def, "tree 'chain', link 'link2': joint 'joint2' moves no inertia of its own");
  def = test_chain(3, 1, 0, 1);
  def.links[1].joint = def.links[2].joint =
      SUP_JOINT_PRISMATIC; /* two in a row along one line, one mass */
  def.links[2].mass = 1;
  expect(&def, "link 'link1': joint 'joint1' moves no mass of its own");
  def = test_chain(2, 1, 1, 1);
  def.links[1].mass = 0;
  def.links[1].inertia[0] = def.links[1].inertia[1] = 0;
  def.links[1].joint = SUP_JOINT_FIXED; /* massless, but welded to a link with mass */
  sup_tree *tree;
  OK(sup_tree_create(&tree, &def));
  CHECK(tree->nv == 1 && tree->nq == 1);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void count_message(sup_log_level level, const char *message, void *user) {
  if (level == SUP_LOG_WARNING && strstr(message, "exceeds the sum of the others")) ++*(int *)user;
}

static void slightly_impossible_inertia_is_a_warning(void) {
  int          warnings = 0;
  sup_tree_def def = test_chain(1, 1, 1, 1);
  sup_tree    *tree = NULL;
  def.links[0].inertia[0] = 1.05, def.links[0].inertia[1] = 0.5, def.links[0].inertia[2] = 0.5;
  sup_log_set(count_message, &warnings);
  sup_status status = sup_tree_create(&tree, &def);
  sup_log_set(NULL, NULL);
  OK(status);
  CHECK(warnings == 1);
  sup_tree_destroy(&tree);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void memory_failures_leave_nothing_behind(void) {
  test_random  random = {3};
  sup_tree_def def = test_random_tree(&random, 5, SUP_JOINT_FIXED);
  double       time[2] = {0, 1}, value[12] = {0};
  def.motion = (sup_table){2, 6, time, value};
  for (long k = 1; k < 20; k++) {
    sup_tree *tree;
    sup_memory_fail_at(k);
    sup_status status = sup_tree_create(&tree, &def);
    sup_memory_fail_at(0);
    CHECK(status == (k <= 5 ? SUP_E_MEMORY : SUP_OK));
    CHECK((tree == NULL) == (status != SUP_OK));
    sup_tree_destroy(&tree);
  }
  def.motion = (sup_table){0};
  sup_tree_def_free(&def);
}

/* ---- kinematics ------------------------------------------------------------------------------ */

/** Step q by h along v, as dq/dt = N v says. */
static void moved(const sup_tree *tree, const double *q, const double *v, double h, double *to) {
  memcpy(to, q, (size_t)tree->nq * sizeof *q);
  sup_tree_integrate(tree, to, v, h);
}

static void velocities_are_rates_of_poses(void) {
  test_random random = {11};
  for (int root = 0; root < TEST_NUM_ROOTS; root++) {
    sup_tree_def    def = test_random_tree(&random, 9, test_roots[root]);
    sup_tree       *tree;
    test_kinematics kin, plus, minus;
    double          q[TEST_MAX_NV], q_plus[TEST_MAX_NV], v[TEST_MAX_NV], h = 1e-5;
    OK(sup_tree_create(&tree, &def));
    test_random_state(tree, &random, q, v);
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    test_kinematics_at(&kin, tree, &base, q, v);
    moved(tree, q, v, h, q_plus);
    test_kinematics_at(&plus, tree, &base, q_plus, v);
    moved(tree, q, v, -h, q_plus);
    test_kinematics_at(&minus, tree, &base, q_plus, v);
    for (int i = 0; i < tree->num_links; i++) {
      sup_v3 rate = sup_v3_scale(0.5 / h, sup_v3_sub(plus.X_WL[i].p, minus.X_WL[i].p));
      sup_m3 turn = sup_m3_mul(plus.X_WL[i].R, sup_m3_transpose(minus.X_WL[i].R));
      sup_v3 w = sup_v3_scale(0.5 / h, sup_quat_log(sup_quat_from_matrix(turn)));
      NEAR(sup_v3_norm(sup_v3_sub(rate, kin.v[i])), 0, 0, 1e-8);
      NEAR(sup_v3_norm(sup_v3_sub(w, kin.w[i])), 0, 0, 1e-8);
    }
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

static void jacobians_are_derivatives_of_points_and_rotations(void) {
  test_random random = {12};
  for (int root = 0; root < TEST_NUM_ROOTS; root++) {
    sup_tree_def    def = test_random_tree(&random, 10, test_roots[root]);
    sup_tree       *tree;
    test_kinematics kin, plus, minus;
    double q[TEST_MAX_NV], to[TEST_MAX_NV], v[TEST_MAX_NV], J[3 * TEST_MAX_NV], Jw[3 * TEST_MAX_NV],
        h = 1e-5;
    OK(sup_tree_create(&tree, &def));
    int nv = tree->nv, link = tree->num_links - 1;
    test_random_state(tree, &random, q, v);
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    test_kinematics_at(&kin, tree, &base, q, v);
    sup_v3 p_L = {0.2, -0.3, 0.4}, p = sup_frame_apply(&kin.X_WL[link], p_L), sum = {0, 0, 0},
           turning = {0, 0, 0};
    sup_tree_point_jacobian(tree, &kin.data, link, p, J);
    sup_tree_angular_jacobian(tree, &kin.data, link, Jw);
    for (int k = 0; k < nv; k++) {
      double e[TEST_MAX_NV] = {0};
      e[k] = 1;
      moved(tree, q, e, h, to);
      test_kinematics_at(&plus, tree, &base, to, v);
      moved(tree, q, e, -h, to);
      test_kinematics_at(&minus, tree, &base, to, v);
      sup_v3 d = sup_v3_sub(sup_frame_apply(&plus.X_WL[link], p_L),
                            sup_frame_apply(&minus.X_WL[link], p_L));
      sup_m3 turn = sup_m3_mul(plus.X_WL[link].R, sup_m3_transpose(minus.X_WL[link].R));
      sup_v3 w = sup_quat_log(sup_quat_from_matrix(turn));
      sup_v3 column = {J[k], J[nv + k], J[2 * nv + k]},
             column_w = {Jw[k], Jw[nv + k], Jw[2 * nv + k]};
      NEAR(sup_v3_norm(sup_v3_sub(sup_v3_scale(0.5 / h, d), column)), 0, 0, 1e-8);
      NEAR(sup_v3_norm(sup_v3_sub(sup_v3_scale(0.5 / h, w), column_w)), 0, 0, 1e-8);
      sum = sup_v3_madd(sum, v[k], column), turning = sup_v3_madd(turning, v[k], column_w);
    }
    NEAR(sup_v3_norm(sup_v3_sub(sum, sup_tree_point_velocity(&kin.data, link, p))), 0, 0, 1e-13);
    NEAR(sup_v3_norm(sup_v3_sub(turning, kin.w[link])), 0, 0, 1e-13);
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

static void quaternion_update_is_an_exact_rotation(void) {
  test_random  random = {5};
  sup_tree_def def = sup_default_tree_def();
  sup_link_def link;
  sup_tree    *tree;
  test_random_link(&link, &random, 0);
  link.joint = SUP_JOINT_FLOATING;
  def.X_WB = test_random_pose(&random, 1), def.num_links = 1, def.links = &link;
  OK(sup_tree_create(&tree, &def));
  for (int round = 0; round < 20; round++) {
    double q[7], v[6], dt = 0.7;
    test_random_state(tree, &random, q, v);
    for (int k = 0; k < 3; k++) v[k] *= 5;
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    test_kinematics before, after;
    test_kinematics_at(&before, tree, &base, q, v);
    sup_tree_integrate(tree, q, v, dt);
    test_kinematics_at(&after, tree, &base, q, v);
    /* Rodrigues, written out: exp([a] t) = 1 + sin t [a] + (1 - cos t) [a]^2 */
    sup_v3 w = sup_v3_load(v);
    double t = dt * sup_v3_norm(w);
    sup_m3 a = sup_m3_skew(sup_v3_unit(w));
    sup_m3 R =
        sup_m3_add(sup_m3_identity(),
                   sup_m3_add(sup_m3_scale(sin(t), a), sup_m3_scale(1 - cos(t), sup_m3_mul(a, a))));
    R = sup_m3_mul(before.X_WL[0].R, R);
    for (int i = 0; i < 9; i++) NEAR(after.X_WL[0].R.m[i / 3][i % 3], R.m[i / 3][i % 3], 0, 1e-14);
    sup_v3 step = sup_v3_sub(after.X_WL[0].p, before.X_WL[0].p);
    NEAR(sup_v3_norm(sup_v3_madd(step, -dt, sup_v3_load(v + 3))), 0, 0, 1e-14);
    NEAR(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1, 1e-15, 0);
  }
  sup_tree_destroy(&tree);
}

static void initial_velocity_of_a_floating_link_is_in_link_axes(void) {
  test_random  random = {6};
  sup_tree_def def = sup_default_tree_def();
  sup_link_def link;
  sup_tree    *tree;
  test_random_link(&link, &random, 0);
  sup_pose start = test_random_pose(&random, 1);
  link.joint = SUP_JOINT_FLOATING;
  memcpy(link.q0, start.p, sizeof start.p);
  memcpy(link.q0 + 3, start.q, sizeof start.q);
  for (int k = 0; k < 6; k++) link.v0[k] = k + 1;
  def.X_WB = test_random_pose(&random, 1), def.num_links = 1, def.links = &link;
  OK(sup_tree_create(&tree, &def));
  double          q[7], v[6];
  test_kinematics kin;
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  sup_tree_initial(&def, tree, q, v);
  test_kinematics_at(&kin, tree, &base, q, v);
  sup_v3 w = sup_m3_apply_t(kin.X_WL[0].R, kin.w[0]), v_o = sup_m3_apply_t(kin.X_WL[0].R, kin.v[0]);
  NEAR(sup_v3_norm(sup_v3_sub(w, sup_v3_make(1, 2, 3))), 0, 0, 1e-13);
  NEAR(sup_v3_norm(sup_v3_sub(v_o, sup_v3_make(4, 5, 6))), 0, 0, 1e-13);
  sup_tree_destroy(&tree);
}

static void base_motion_meets_the_table_at_the_end_of_the_step(void) {
  double time[3] = {0.5, 1, 2},
         value[18] = {0, 0, 0, 0, 0, 0, 0.1, 0.2, -0.3, 0.4, 1.5, -0.6, 1, 1, 1, -1, 1, 1};
  test_random  random = {8};
  sup_tree_def def = test_random_tree(&random, 4, SUP_JOINT_FIXED);
  sup_tree    *tree;
  def.motion = (sup_table){3, 6, time, value};
  OK(sup_tree_create(&tree, &def));
  def.motion = (sup_table){0};
  sup_frame    X_WB0 = sup_frame_from_pose(&def.X_WB);
  const double dt = 0.13;
  sup_frame    X = sup_tree_base_motion(tree, 0, 0).X_WB;
  for (int k = 0; k < 20; k++) {
    sup_base_motion base = sup_tree_base_motion(tree, k * dt, dt);
    for (int i = 0; i < 9; i++) NEAR(base.X_WB.R.m[i / 3][i % 3], X.R.m[i / 3][i % 3], 0, 1e-13);
    NEAR(sup_v3_norm(sup_v3_sub(base.X_WB.p, X.p)), 0, 0, 1e-13);
    X.p = sup_v3_madd(X.p, dt, base.v);
    X.R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(sup_v3_scale(dt, base.w))), X.R);
    NEAR(sup_v3_norm(base.wdot) + sup_v3_norm(base.vdot), 0, 0, 0);
  }
  /* after the table: displaced and turned by its last row, in world axes */
  sup_m3 R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(sup_v3_make(-1, 1, 1))), X_WB0.R);
  for (int i = 0; i < 9; i++) NEAR(X.R.m[i / 3][i % 3], R.m[i / 3][i % 3], 0, 1e-13);
  NEAR(sup_v3_norm(sup_v3_sub(X.p, sup_v3_add(X_WB0.p, sup_v3_make(1, 1, 1)))), 0, 0, 1e-13);
  sup_base_motion rest = sup_tree_base_motion(tree, 5, dt);
  NEAR(sup_v3_norm(rest.v) + sup_v3_norm(rest.w), 0, 0, 0);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void links_move_with_a_moving_base(void) {
  test_random     random = {9};
  sup_tree_def    def = test_random_tree(&random, 6, SUP_JOINT_FIXED);
  sup_tree       *tree;
  test_kinematics kin, plus, minus;
  double          q[TEST_MAX_NV], to[TEST_MAX_NV], v[TEST_MAX_NV], h = 1e-5;
  OK(sup_tree_create(&tree, &def));
  test_random_state(tree, &random, q, v);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0), next, last;
  base.w = sup_v3_make(0.3, -1, 0.5), base.v = sup_v3_make(1, 2, 3);
  next = last = base;
  next.X_WB.p = sup_v3_madd(base.X_WB.p, h, base.v),
  last.X_WB.p = sup_v3_madd(base.X_WB.p, -h, base.v);
  next.X_WB.R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(sup_v3_scale(h, base.w))), base.X_WB.R);
  last.X_WB.R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(sup_v3_scale(-h, base.w))), base.X_WB.R);
  test_kinematics_at(&kin, tree, &base, q, v);
  moved(tree, q, v, h, to);
  test_kinematics_at(&plus, tree, &next, to, v);
  moved(tree, q, v, -h, to);
  test_kinematics_at(&minus, tree, &last, to, v);
  for (int i = 0; i < tree->num_links; i++) {
    sup_v3 p_L = {0.1, 0.2, 0.3}, p = sup_frame_apply(&kin.X_WL[i], p_L);
    sup_v3 d =
        sup_v3_sub(sup_frame_apply(&plus.X_WL[i], p_L), sup_frame_apply(&minus.X_WL[i], p_L));
    sup_v3 error = sup_v3_madd(sup_tree_point_velocity(&kin.data, i, p), -0.5 / h, d);
    NEAR(sup_v3_norm(error), 0, 0, 1e-8);
  }
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

SUITE_TESTS(tree, TEST(bad_definitions_name_the_link), TEST(joints_that_move_nothing_are_refused),
            TEST(slightly_impossible_inertia_is_a_warning),
            TEST(memory_failures_leave_nothing_behind), TEST(velocities_are_rates_of_poses),
            TEST(jacobians_are_derivatives_of_points_and_rotations),
            TEST(quaternion_update_is_an_exact_rotation),
            TEST(initial_velocity_of_a_floating_link_is_in_link_axes),
            TEST(base_motion_meets_the_table_at_the_end_of_the_step),
            TEST(links_move_with_a_moving_base));
