#include "random_tree.h"
#include "scene/robot/urdf.h"
#include "tree_steps.h"

/* ---- the three algorithms agree -------------------------------------------------------------- */

static sup_v3 random_v3(test_random *random, double size) {
  return sup_v3_make(size * test_uniform(random), size * test_uniform(random),
                     size * test_uniform(random));
}

/** RNEA = M vdot + bias - J^T external; ABA inverts it, with and without an extra diagonal.
 * Relative to the largest.
 */
static void check_algorithms(const sup_tree *tree, test_random *random, int floating_scale) {
  enum { N = TEST_MAX_NV };
  double q[N], v[N], vdot[N], tau[N], bias[N], zero[N], M[N * N], E[N], back[N], Jp[3 * N],
      Jw[3 * N];
  sup_wrench      external[TEST_MAX_LINKS];
  test_kinematics kin;
  int             nv = tree->nv;
  sup_v3          g = random_v3(random, 10);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  base.w = random_v3(random, floating_scale), base.v = random_v3(random, floating_scale);
  base.wdot = random_v3(random, floating_scale), base.vdot = random_v3(random, floating_scale);
  test_random_state(tree, random, q, v);
  for (int k = 0; k < nv; k++)
    vdot[k] = test_uniform(random), zero[k] = 0, E[k] = 1.5 + test_uniform(random);
  for (int i = 0; i < tree->num_links; i++)
    external[i] = (sup_wrench){random_v3(random, 5), random_v3(random, 2)};
  sup_tree_mass_matrix(tree, q, M);
  sup_tree_inverse_dynamics(tree, &base, q, v, vdot, g, external, tau);
  sup_tree_inverse_dynamics(tree, &base, q, v, NULL, g, NULL, bias);
  test_kinematics_at(&kin, tree, &base, q, v);
  double expected[N];
  for (int k = 0; k < nv; k++) {
    expected[k] = bias[k];
    for (int j = 0; j < nv; j++) {
      expected[k] += M[k * nv + j] * vdot[j];
      CHECK(M[k * nv + j] == M[j * nv + k]);
    }
  }
  for (int i = 0; i < tree->num_links; i++) {
    sup_tree_point_jacobian(tree, &kin.data, i, kin.X_WL[i].p, Jp);
    sup_tree_angular_jacobian(tree, &kin.data, i, Jw);
    for (int k = 0; k < nv; k++)
      expected[k] -= sup_v3_dot(sup_v3_make(Jp[k], Jp[nv + k], Jp[2 * nv + k]), external[i].force) +
                     sup_v3_dot(sup_v3_make(Jw[k], Jw[nv + k], Jw[2 * nv + k]), external[i].moment);
  }
  double scale = test_largest(expected, nv);
  for (int k = 0; k < nv; k++) NEAR(tau[k], expected[k], 0, 1e-10 * scale);
  /* columns of M by RNEA */
  sup_base_motion rest = sup_tree_base_motion(tree, 0, 0);
  for (int j = 0; j < nv; j++) {
    double e[N] = {0}, column[N];
    e[j] = 1;
    sup_tree_inverse_dynamics(tree, &rest, q, zero, e, sup_v3_make(0, 0, 0), NULL, column);
    for (int k = 0; k < nv; k++)
      NEAR(column[k], M[k * nv + j], 0, 1e-10 * test_largest(M, nv * nv));
  }
  sup_tree_inverse_dynamics(tree, &base, q, v, vdot, g, NULL, tau);
  test_forward_dynamics(tree, &base, q, v, tau, NULL, g, back);
  for (int k = 0; k < nv; k++) NEAR(back[k], vdot[k], 0, 1e-10 * fmax(1, test_largest(vdot, nv)));
  for (int k = 0; k < nv; k++) tau[k] += E[k] * vdot[k];
  test_forward_dynamics(tree, &base, q, v, tau, E, g, back);
  for (int k = 0; k < nv; k++) NEAR(back[k], vdot[k], 0, 1e-10 * fmax(1, test_largest(vdot, nv)));
}

static void rnea_crba_and_aba_agree_on_random_trees(void) {
  test_random random = {21};
  for (int round = 0; round < 20; round++) {
    sup_tree_def def =
        test_random_tree(&random, 1 + round % 10, test_roots[round % TEST_NUM_ROOTS]);
    sup_tree *tree;
    OK(sup_tree_create(&tree, &def));
    check_algorithms(tree, &random, 2);
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

/* ---- mechanics ------------------------------------------------------------------------------- */

/** Momentum and angular momentum about the world's origin. */
static void momentum(const sup_tree *tree, const test_kinematics *kin, sup_v3 *P, sup_v3 *L) {
  *P = *L = sup_v3_make(0, 0, 0);
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    sup_v3               c = sup_frame_apply(&kin->X_WL[i], link->com);
    sup_v3               p = sup_v3_scale(link->mass, sup_tree_point_velocity(&kin->data, i, c));
    sup_v3               w_L = sup_m3_apply_t(kin->X_WL[i].R, kin->w[i]);
    *P = sup_v3_add(*P, p);
    *L = sup_v3_add(*L, sup_v3_add(sup_v3_cross(c, p),
                                   sup_m3_apply(kin->X_WL[i].R, sup_m3_apply(link->inertia, w_L))));
  }
}

/** The state at +h along the motion with these joint forces, to first order. */
static void along_the_motion(const sup_tree *tree, const double *q, const double *v,
                             const double *vdot, double h, test_kinematics *kin, double *q_out,
                             double *v_out) {
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  memcpy(q_out, q, (size_t)tree->nq * sizeof *q);
  sup_tree_integrate(tree, q_out, v, h);
  for (int k = 0; k < tree->nv; k++) v_out[k] = v[k] + h * vdot[k];
  test_kinematics_at(kin, tree, &base, q_out, v_out);
}

static void power_of_the_joint_forces_is_the_rate_of_the_energy(void) {
  test_random random = {22};
  for (int round = 0; round < 12; round++) {
    sup_tree_def    def = test_random_tree(&random, 7, test_roots[round % TEST_NUM_ROOTS]);
    sup_tree       *tree;
    test_kinematics kin;
    double q[TEST_MAX_NV], v[TEST_MAX_NV], tau[TEST_MAX_NV], vdot[TEST_MAX_NV], to[TEST_MAX_NV],
        v_to[TEST_MAX_NV];
    double kinetic[2], potential[2], power = 0, h = 1e-5;
    sup_v3 g = random_v3(&random, 10);
    def.links[2].spring = 30;
    OK(sup_tree_create(&tree, &def));
    test_random_state(tree, &random, q, v);
    for (int k = 0; k < tree->nv; k++) tau[k] = 5 * test_uniform(&random);
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    double          force = -30 * q[tree->links[2].q_start]; /* the spring is not part of ABA */
    tau[tree->links[2].v_start] += force;
    test_forward_dynamics(tree, &base, q, v, tau, NULL, g, vdot);
    tau[tree->links[2].v_start] -= force;
    for (int k = 0; k < tree->nv; k++) power += tau[k] * v[k];
    for (int side = 0; side < 2; side++) {
      along_the_motion(tree, q, v, vdot, side ? h : -h, &kin, to, v_to);
      sup_tree_energy(tree, &kin.data, to, v_to, g, &kinetic[side], &potential[side]);
    }
    double rate = (kinetic[1] + potential[1] - kinetic[0] - potential[0]) / (2 * h);
    NEAR(rate, power, 0, 1e-7 * fmax(1, fabs(kinetic[0])));
    /* the energy is also v^T M v / 2 */
    double M[TEST_MAX_NV * TEST_MAX_NV], sum = 0, T, U;
    along_the_motion(tree, q, v, vdot, 0, &kin, to, v_to);
    sup_tree_energy(tree, &kin.data, q, v, g, &T, &U);
    sup_tree_mass_matrix(tree, q, M);
    for (int i = 0; i < tree->nv; i++)
      for (int j = 0; j < tree->nv; j++) sum += 0.5 * v[i] * M[i * tree->nv + j] * v[j];
    NEAR(sum, T, 1e-12, 0);
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

static void momenta_of_a_free_tree_change_by_its_weight_alone(void) {
  test_random random = {23};
  for (int round = 0; round < 6; round++) {
    sup_tree_def    def = test_random_tree(&random, 8, test_roots[round % 2 ? 3 : 1]);
    sup_tree       *tree;
    test_kinematics kin;
    double          q[TEST_MAX_NV], v[TEST_MAX_NV], tau[TEST_MAX_NV] = {0}, vdot[TEST_MAX_NV],
                                           to[TEST_MAX_NV], v_to[TEST_MAX_NV], h = 1e-5;
    sup_v3 g = random_v3(&random, 10), P[2], L[2], weight = {0, 0, 0}, moment = {0, 0, 0};
    for (int i = 0; i < def.num_links; i++)
      def.links[i].armature = 0; /* rotors have no momentum of their own here */
    def.links[0].joint = SUP_JOINT_FLOATING;
    OK(sup_tree_create(&tree, &def));
    test_random_state(tree, &random, q, v);
    for (int k = 6; k < tree->nv; k++) tau[k] = test_uniform(&random); /* internal */
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    test_forward_dynamics(tree, &base, q, v, tau, NULL, g, vdot);
    for (int side = 0; side < 2; side++) {
      along_the_motion(tree, q, v, vdot, side ? h : -h, &kin, to, v_to);
      momentum(tree, &kin, &P[side], &L[side]);
    }
    along_the_motion(tree, q, v, vdot, 0, &kin, to, v_to);
    for (int i = 0; i < tree->num_links; i++) {
      sup_v3 own = sup_v3_scale(tree->links[i].mass, g);
      weight = sup_v3_add(weight, own);
      moment =
          sup_v3_add(moment, sup_v3_cross(sup_frame_apply(&kin.X_WL[i], tree->links[i].com), own));
    }
    sup_v3 dP = sup_v3_scale(0.5 / h, sup_v3_sub(P[1], P[0])),
           dL = sup_v3_scale(0.5 / h, sup_v3_sub(L[1], L[0]));
    NEAR(sup_v3_norm(sup_v3_sub(dP, weight)), 0, 0, 1e-6);
    NEAR(sup_v3_norm(sup_v3_sub(dL, moment)), 0, 0, 1e-6);
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

/** Joints feel a prescribed base as they feel a floating link that is made to move alike. */
static void moving_base_acts_like_a_floating_link_that_moves_alike(void) {
  test_random  random = {24};
  sup_tree_def free_def = test_random_tree(&random, 6, SUP_JOINT_FLOATING),
               fixed_def = test_random_tree(&random, 5, SUP_JOINT_FIXED);
  sup_tree *free_tree, *fixed_tree;
  double    q[TEST_MAX_NV], v[TEST_MAX_NV], vdot[TEST_MAX_NV], tau[TEST_MAX_NV],
      tau_fixed[TEST_MAX_NV];
  free_def.links[0].X_PJ = free_def.X_WB = sup_pose_identity();
  for (int i = 0; i < 5; i++) {
    fixed_def.links[i] = free_def.links[i + 1];
    fixed_def.links[i].parent =
        free_def.links[i + 1].parent - 1; /* the floating link 0 becomes the base */
  }
  OK(sup_tree_create(&free_tree, &free_def));
  OK(sup_tree_create(&fixed_tree, &fixed_def));
  test_random_state(free_tree, &random, q, v);
  for (int k = 0; k < free_tree->nv; k++) vdot[k] = test_uniform(&random);
  sup_v3          g = random_v3(&random, 10);
  sup_base_motion rest = sup_tree_base_motion(free_tree, 0, 0), base = {0};
  test_kinematics kin;
  test_kinematics_at(&kin, free_tree, &rest, q, v);
  base.X_WB = kin.X_WL[0], base.w = kin.w[0], base.v = kin.v[0];
  base.wdot = sup_m3_apply(base.X_WB.R, sup_v3_load(vdot)), base.vdot = sup_v3_load(vdot + 3);
  sup_tree_inverse_dynamics(free_tree, &rest, q, v, vdot, g, NULL, tau);
  sup_tree_inverse_dynamics(fixed_tree, &base, q + 7, v + 6, vdot + 6, g, NULL, tau_fixed);
  for (int k = 0; k < fixed_tree->nv; k++) NEAR(tau_fixed[k], tau[6 + k], 1e-12, 1e-12);
  sup_tree_destroy(&free_tree);
  sup_tree_destroy(&fixed_tree);
  sup_tree_def_free(&free_def);
  sup_tree_def_free(&fixed_def);
}

/* ---- robots of others ------------------------------------------------------------------------ */

static const char *const packages[] = {"../shared/data/packages"};

static int data_is_absent(const char *path) {
  FILE *file = fopen(path, "r");
  if (file) fclose(file);
  return !file;
}

static void rnea_crba_and_aba_agree_on_real_robots(void) {
  static const char *const files[] = {"../shared/data/robots/panda_arm_hand.urdf",
                                      "../shared/data/robots/iiwa14_primitive_collision.urdf"};
  test_random              random = {25};
  for (int f = 0; f < 2; f++) {
    if (data_is_absent(files[f])) SKIP("%s is absent ", files[f]);
    for (int round = 0; round < 6; round++) {
      sup_tree_def def;
      sup_tree    *tree;
      OK(sup_urdf_read(&def, files[f], packages, 1));
      if (round % 2)
        def.links[0].joint = SUP_JOINT_FLOATING, def.links[0].mass += 1,
        def.links[0].inertia[0] += 0.1, def.links[0].inertia[1] += 0.1,
        def.links[0].inertia[2] += 0.1;
      if (round % 3 == 0)
        for (int i = 0; i < def.num_links; i++) def.links[i].armature = 0;
      OK(sup_tree_create(&tree, &def));
      check_algorithms(tree, &random, round > 2);
      sup_tree_destroy(&tree);
      sup_tree_def_free(&def);
    }
  }
}

/** Numbers of the line after the one that starts with `key`. */
static int read_rows(FILE *file, const char *key, double *to, int n) {
  char line[4096];
  rewind(file);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) break;
  for (int i = 0; i < n; i++)
    if (fscanf(file, "%lf", &to[i]) != 1) return 0;
  return 1;
}

static void compare_frames(FILE *file, const sup_tree *tree, const test_kinematics *kin) {
  char line[4096], name[64];
  int  seen = 0;
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    double e[12];
    if (sscanf(line, "frame %63s p %lf %lf %lf R %lf %lf %lf %lf %lf %lf %lf %lf %lf", name, &e[0],
               &e[1], &e[2], &e[3], &e[4], &e[5], &e[6], &e[7], &e[8], &e[9], &e[10], &e[11]) != 13)
      continue;
    for (int i = 0; i < tree->num_links; i++) {
      if (strcmp(tree->links[i].name, name) != 0) continue;
      const sup_frame *X = &kin->X_WL[i];
      seen++;
      NEAR(X->p.x, e[0], 0, 1e-10), NEAR(X->p.y, e[1], 0, 1e-10), NEAR(X->p.z, e[2], 0, 1e-10);
      for (int k = 0; k < 9; k++) NEAR(X->R.m[k / 3][k % 3], e[3 + k], 0, 1e-10);
    }
  }
  CHECK(seen == tree->num_links);
}

/** M, gravity and C qd at q_i = 0.1 i, qd_i = 0.2 i, and every link frame, of KDL and DART. */
static void compare_with_reference(const char *robot) {
  char urdf[128], path[128];
  snprintf(urdf, sizeof urdf, "../shared/data/robots/%s.urdf", robot);
  snprintf(path, sizeof path, "../shared/data/robots/reference/%s.txt", robot);
  if (data_is_absent(urdf) || data_is_absent(path)) SKIP("%s is absent ", path);
  enum { N = TEST_MAX_NV };
  sup_tree_def    def;
  sup_tree       *tree;
  test_kinematics kin;
  double          q[N], v[N], M[N * N], M_ref[N * N], gravity[N], coriolis[N], ref[N];
  OK(sup_urdf_read(&def, urdf, packages, 1));
  for (int i = 0; i < def.num_links; i++)
    def.links[i].armature = 0; /* the reference knows no rotors */
  OK(sup_tree_create(&tree, &def));
  int nv = tree->nv;
  for (int k = 0; k < nv; k++) q[k] = 0.1 * (k + 1), v[k] = 0.2 * (k + 1);
  FILE *file = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  sup_tree_mass_matrix(tree, q, M);
  CHECK(read_rows(file, "M", M_ref, nv * nv));
  for (int k = 0; k < nv * nv; k++) NEAR(M[k], M_ref[k], 0, 1e-10);
  double rest[N] = {0};
  sup_tree_inverse_dynamics(tree, &base, q, rest, NULL, sup_v3_make(0, 0, -9.81), NULL, gravity);
  CHECK(read_rows(file, "gravity_torques", ref, nv));
  for (int k = 0; k < nv; k++) NEAR(gravity[k], ref[k], 0, 1e-10);
  sup_tree_inverse_dynamics(tree, &base, q, v, NULL, sup_v3_make(0, 0, 0), NULL, coriolis);
  CHECK(read_rows(file, "coriolis", ref, nv));
  for (int k = 0; k < nv; k++) NEAR(coriolis[k], ref[k], 0, 1e-10);
  test_kinematics_at(&kin, tree, &base, q, v);
  compare_frames(file, tree, &kin);
  fclose(file);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void iiwa14_equals_the_reference(void) {
  compare_with_reference("iiwa14_primitive_collision");
}
static void panda_hand_equals_the_reference(void) { compare_with_reference("panda_hand"); }

/* ---- motions with known numbers (CASES.md) --------------------------------------------------- */

/** R17: th and w of both links at time 1 s; the error against the reference. */
static double double_pendulum_error(int rods, double dt, const double expected[4]) {
  sup_tree_def def = test_chain(2, 1, 1, rods);
  sup_tree    *tree;
  double       q[2] = {acos(-1.0) / 2, 0}, v[2] = {0, 0};
  OK(sup_tree_create(&tree, &def));
  test_symplectic_euler(tree, q, v, sup_v3_make(0, 0, -9.81), dt, (int)lround(1 / dt));
  double error = fabs(q[0] - expected[0]);
  error = fmax(error, fabs(q[0] + q[1] - expected[1]));
  error = fmax(error, fabs(v[0] - expected[2]));
  error = fmax(error, fabs(v[0] + v[1] - expected[3]));
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
  return error;
}

static void double_pendulum_converges_at_first_order(void) {
  static const double expected[2][4] = {{-.6250876998, -1.0345850857, -3.9222795729, -1.3030992487},
                                        {-1.2077162382, -.8143910231, -3.4065175330, -.5160454721}};
  for (int rods = 0; rods < 2; rods++) {
    double e[3];
    for (int k = 0; k < 3; k++) e[k] = double_pendulum_error(rods, 4e-4 / (1 << k), expected[rods]);
    CHECK(e[2] < 2e-3);
    NEAR(log2(e[0] / e[1]), 1, 0, 0.1);
    NEAR(log2(e[1] / e[2]), 1, 0, 0.1);
  }
}

static void double_pendulum_keeps_its_energy(void) {
  for (int rods = 0; rods < 2; rods++) {
    sup_tree_def    def = test_chain(2, 1, 1, rods);
    sup_tree       *tree;
    test_kinematics kin;
    double          q[2] = {acos(-1.0) / 2, 0}, v[2] = {0, 0}, T, U, worst = 0;
    sup_v3          g = {0, 0, -9.81};
    OK(sup_tree_create(&tree, &def));
    sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
    for (int k = 0; k < 200; k++) {
      test_symplectic_euler(tree, q, v, g, 1e-3, 10);
      test_kinematics_at(&kin, tree, &base, q, v);
      sup_tree_energy(tree, &kin.data, q, v, g, &T, &U);
      worst =
          fmax(worst, fabs(T + U)); /* zero at the start: everything at the height of the pivot */
    }
    CHECK(worst < 0.02 * (rods ? 2 : 3) * 9.81); /* 2 % of the depth of the potential */
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

/** R15: a free body with I = (1, 2, 3)e-3 that also flies; its errors after `time`. */
typedef struct spin_errors {
  double energy, momentum, direction; /* relative; of the angular momentum in the world [rad] */
  double w[3];
} spin_errors;

static spin_errors spin(double dt, double time, sup_v3 com) {
  sup_link_def link = sup_default_link_def();
  sup_tree_def def = sup_default_tree_def();
  sup_tree    *tree;
  double       q[7], v[6], I[3] = {1e-3, 2e-3, 3e-3}, T = 0;
  spin_errors  e;
  link.joint = SUP_JOINT_FLOATING, link.mass = 0.7;
  memcpy(link.inertia, I, sizeof I);
  sup_v3_store(link.com, com);
  link.v0[0] = link.v0[2] = 0.01, link.v0[1] = 10, link.v0[3] = 1;
  def.num_links = 1, def.links = &link;
  CHECK(sup_tree_create(&tree, &def) == SUP_OK);
  sup_tree_initial(&def, tree, q, v);
  sup_v3 L0 = {I[0] * v[0], I[1] * v[1], I[2] * v[2]};
  test_symplectic_euler(tree, q, v, sup_v3_make(0, 0, 0), dt, (int)lround(time / dt));
  sup_v3 L = {I[0] * v[0], I[1] * v[1], I[2] * v[2]};
  for (int k = 0; k < 3; k++) T += 0.5 * I[k] * v[k] * v[k], e.w[k] = v[k];
  sup_quat turn = {q[3], q[4], q[5], q[6]};
  e.energy = fabs(T / .1000002 - 1);
  e.momentum = fabs(sup_v3_norm(L) / 2.0000024999975e-2 - 1);
  e.direction =
      sup_v3_norm(sup_v3_sub(sup_v3_unit(sup_m3_apply(sup_quat_matrix(turn), L)), sup_v3_unit(L0)));
  if (sup_v3_norm(com) == 0) { /* spinning does not change how it flies */
    NEAR(v[3], 1, 1e-12, 0);
    NEAR(q[0], time, 1e-9, 0);
  }
  sup_tree_destroy(&tree);
  return e;
}

static void torque_free_body_keeps_its_energy(void) {
  static const double w_1s[3] = {-1.17326384, 9.93093913, .6774334};
  spin_errors         ten[3];
  double              e[3];
  sup_v3              centred = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    ten[k] = spin(4e-4 / (1 << k), 10, centred);
    spin_errors one = spin(4e-4 / (1 << k), 1, centred);
    e[k] = hypot(one.w[0] - w_1s[0], hypot(one.w[1] - w_1s[1], one.w[2] - w_1s[2]));
  }
  CHECK(ten[2].energy < 1e-6);
  NEAR(log2(ten[0].energy / ten[1].energy), 2, 0, 0.1);
  NEAR(log2(ten[0].momentum / ten[1].momentum), 2, 0, 0.1);
  NEAR(log2(e[0] / e[1]), 2, 0, 0.1);
  NEAR(log2(e[1] / e[2]), 2, 0, 0.1);
  NEAR(log2(ten[1].direction / ten[2].direction), 1, 0, 0.1);
}

static void rotation_does_not_depend_on_where_the_origin_is(void) {
  spin_errors a = spin(1e-3, 1, sup_v3_make(0, 0, 0)),
              b = spin(1e-3, 1, sup_v3_make(0.1, -0.2, 0.3));
  for (int k = 0; k < 3; k++) NEAR(b.w[k], a.w[k], 0, 1e-9);
}

/** R18: the lowest eigenfrequencies of a hanging chain of n uniform rods, total length 1 m, to a
 * relative tolerance. */
static void chain_frequencies(int n, const double *expected, int count, double tolerance) {
  enum { N = 200 };
  static double M[N * N], K[N * N];
  double        omega[N], q[N] = {0}, v[N] = {0}, plus[N], minus[N], h = 1e-3;
  sup_tree_def  def = test_chain(n, 1.0 / n, 1.0 / n, 1);
  sup_tree     *tree;
  OK(sup_tree_create(&tree, &def));
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  sup_v3          g = {0, 0, -9.81};
  sup_tree_mass_matrix(tree, q, M);
  for (int j = 0; j < n; j++) { /* fourth-order differences of the gravity torques */
    double far[N], near[N];
    for (int width = 1; width <= 2; width++) {
      q[j] = width * h;
      sup_tree_inverse_dynamics(tree, &base, q, v, NULL, g, NULL, plus);
      q[j] = -width * h;
      sup_tree_inverse_dynamics(tree, &base, q, v, NULL, g, NULL, minus);
      for (int i = 0; i < n; i++)
        (width == 1 ? near : far)[i] = (plus[i] - minus[i]) / (2 * width * h);
    }
    q[j] = 0;
    for (int i = 0; i < n; i++) K[i * n + j] = (4 * near[i] - far[i]) / 3;
  }
  test_eigenfrequencies(n, K, M, omega);
  for (int k = 0; k < count; k++) NEAR(omega[k], expected[k], tolerance, 0);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void hanging_chains_have_their_eigenfrequencies(void) {
  const double continuum[] = {3.76606739, 8.64469611, 13.55213578},
               twenty[] = {3.76635521, 8.66650546, 13.69152352};
  double limit[3];
  chain_frequencies(2, (double[]){3.79025358, 10.16631584}, 2, 1e-6);
  chain_frequencies(5, (double[]){3.77050453, 8.94864100, 15.18728792}, 3, 1e-6);
  chain_frequencies(10, (double[]){3.76720852, 8.72832155, 14.04538195}, 3, 1e-6);
  chain_frequencies(20, twenty, 3, 1e-6);
  for (int k = 0; k < 3; k++) /* errors fall with the square of the number of rods */
    limit[k] = continuum[k] + (twenty[k] - continuum[k]) / 100;
  chain_frequencies(200, limit, 3, 1e-5);
  chain_frequencies(200, limit, 1, 2e-7);
}

SUITE_TESTS(dynamics, TEST(rnea_crba_and_aba_agree_on_random_trees),
            TEST(rnea_crba_and_aba_agree_on_real_robots), TEST(iiwa14_equals_the_reference),
            TEST(panda_hand_equals_the_reference),
            TEST(power_of_the_joint_forces_is_the_rate_of_the_energy),
            TEST(momenta_of_a_free_tree_change_by_its_weight_alone),
            TEST(moving_base_acts_like_a_floating_link_that_moves_alike),
            TEST(double_pendulum_converges_at_first_order), TEST(double_pendulum_keeps_its_energy),
            TEST(torque_free_body_keeps_its_energy),
            TEST(rotation_does_not_depend_on_where_the_origin_is),
            TEST(hanging_chains_have_their_eigenfrequencies));
