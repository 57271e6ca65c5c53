/* Trees of more than 128 velocities: conservation, contact, equilibrium, inverse kinematics, bits.
 */
#include <omp.h>
#include <stdlib.h>

#include "scene_test.h"
#include "tree/inverse_kinematics.h"

static void end(test_scene *s) {
  free(s->tree[0].links);
  test_end(s);
}

/** Momentum [kg m/s], angular momentum about the world's origin [N m s] and energy [J] of tree 0.
 */
typedef struct kept {
  sup_v3 P, L;
  double E;
} kept;

static kept kept_by(const test_scene *s) {
  enum { MOST = 512 };
  const sup_tree          *tree = s->model->tree[0];
  sup_frame                X[MOST];
  sup_v3                   w[MOST], v[MOST];
  sup_tree_kinematics_data kin = {X, w, v};
  sup_base_motion          base = sup_tree_base_motion(tree, 0, 0);
  kept                     sum = {{0, 0, 0}, {0, 0, 0}, 0};
  double                   T, U;
  CU_ASSERT_FATAL(tree->num_links <= MOST);
  sup_tree_kinematics(tree, &base, s->state->q, s->state->v, &kin);
  sup_tree_energy(tree, &kin, s->state->q, s->state->v, sup_v3_load(s->options.gravity), &T, &U);
  sum.E = T + U;
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    sup_v3               c = sup_frame_apply(&X[i], link->com),
           p = sup_v3_scale(link->mass, sup_tree_point_velocity(&kin, i, c)),
           spin = sup_m3_apply(link->inertia, sup_m3_apply_t(X[i].R, w[i]));
    sum.P = sup_v3_add(sum.P, p);
    sum.L = sup_v3_add(sum.L, sup_v3_add(sup_v3_cross(c, p), sup_m3_apply(X[i].R, spin)));
  }
  return sum;
}

/** Losses of momenta and energy of 130 joints on a hub that floats, in 10 ms without gravity, over
 * their size. */
static kept lost(sup_scheme scheme, double dt) {
  test_scene  s;
  test_random random = {5};
  test_scene_init(&s);
  sup_link_def *link = test_add_star(&s, 10, 13, 1);
  for (int i = 1; i <= 130; i++)
    link[i].q0[0] = .2 * test_uniform(&random), link[i].v0[0] = .5 * test_uniform(&random);
  link[0].v0[0] = .3, link[0].v0[1] = -.2, link[0].v0[3] = 1;
  s.options.scheme = scheme, s.options.dt = dt, s.options.gravity[2] = 0;
  test_start(&s);
  CHECK(s.model->tree[0]->nv == 136);
  kept before = kept_by(&s);
  for (int k = 0; k < (int)lround(.01 / dt); k++) test_step(&s);
  kept after = kept_by(&s);
  end(&s);
  return (kept){sup_v3_sub(after.P, before.P), sup_v3_sub(after.L, before.L),
                (after.E - before.E) / before.E};
}

static void a_free_tree_keeps_momenta_and_energy_to_the_order_of_its_scheme(void) {
  for (int order = 1; order <= 2; order++) {
    sup_scheme scheme = order == 1 ? sup_scheme_symplectic_euler() : sup_scheme_midpoint();
    double     dt = order == 1 ? 2.5e-4 : 2.5e-3;
    kept       e[2] = {lost(scheme, dt), lost(scheme, dt / 2)};
    double     P[2], L[2];
    for (int k = 0; k < 2; k++) P[k] = sup_v3_norm(e[k].P), L[k] = sup_v3_norm(e[k].L);
    printf("\n    order %d: %.1e, %.1e kg m/s; %.1e, %.1e N m s; %.1e, %.1e of the energy ", order,
           P[0], P[1], L[0], L[1], e[0].E, e[1].E);
    NEAR(log2(P[0] / P[1]), order, 0, .2);
    NEAR(log2(L[0] / L[1]), order, 0, .2);
    NEAR(log2(fabs(e[0].E / e[1].E)), order, 0, .2);
    CHECK(P[1] < 1e-2 && L[1] < 1e-2 && fabs(e[1].E) < 1e-2);
  }
}

/** 192 joints fall on a half space with the spheres at the ends of their 16 branches. */
static uint64_t fall(int threads, int *contacts, double *error) {
  test_scene s;
  test_scene_init(&s);
  omp_set_num_threads(threads);
  sup_link_def *link = test_add_star(&s, 16, 12, 1);
  link[0].q0[2] = .05;
  for (int b = 1; b <= 16; b++) {
    sup_link_def *tip = &link[12 * b];
    s.geometry[b - 1] = (sup_geometry_def){{SUP_SHAPE_SPHERE, {.02}},
                                           sup_pose_identity(),
                                           sup_default_contact_def(),
                                           .marker = SUP_INITIALISED};
    tip->num_geometries = 1, tip->geometries = &s.geometry[b - 1];
  }
  sup_geometry_def floor = {{SUP_SHAPE_HALF_SPACE, {0}},
                            sup_pose_identity(),
                            sup_default_contact_def(),
                            .marker = SUP_INITIALISED};
  sup_link_def    *ground = test_add_tree(&s, "floor", 1)->links;
  ground->joint = SUP_JOINT_FIXED, ground->num_geometries = 1, ground->geometries = &floor;
  s.options.dt = 1e-3;
  test_start(&s);
  *contacts = 0, *error = 0;
  for (int k = 0; k < 60; k++) {
    test_step(&s);
    *contacts = s.report.num_contacts > *contacts ? s.report.num_contacts : *contacts;
    *error = fmax(*error, s.report.momentum_error);
  }
  uint64_t hash = sup_state_hash(s.state);
  end(&s);
  omp_set_num_threads(1);
  return hash;
}

static void a_large_tree_falls_with_the_same_bits_by_two_threads(void) {
  int      contacts;
  double   error;
  uint64_t hash = fall(1, &contacts, &error);
  printf("%d contacts, momentum error %.1e ", contacts, error);
  CHECK(contacts > 4);
  CHECK(fall(2, &contacts, &error) == hash);
}

static void a_chain_of_200_hangs_straight(void) {
  test_scene s;
  test_scene_init(&s);
  sup_link_def *link = test_add_star(&s, 1, 200, 0);
  link[1].q0[0] = .3, link[100].q0[0] = -.2;
  test_start(&s);
  test_static(&s, 1);
  for (int i = 0; i < 200; i++) NEAR(s.state->q[i], 0, 0, 1e-5);
  end(&s);
}

static void a_chain_of_200_reaches_a_place(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_star(&s, 1, 200, 0);
  test_start(&s);
  const sup_tree *tree = s.model->tree[0];
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  sup_ik_goal     goal = {.link = 200, .X_LF = sup_frame_identity(), .X_WF = sup_frame_identity()};
  goal.X_WF.p = sup_v3_make(0, .3, -.5);
  double        q[200] = {0};
  sup_ik_report report = sup_tree_inverse_kinematics(tree, &base, &goal, q);
  CHECK(report.is_reached && report.num_joints == 200);
  sup_v3 at = sup_tree_frame(tree, &base, q, 200, &goal.X_LF).p;
  NEAR(sup_v3_norm(sup_v3_sub(at, goal.X_WF.p)), 0, 0, 1e-6);
  end(&s);
}

SUITE_TESTS(large_trees, TEST(a_free_tree_keeps_momenta_and_energy_to_the_order_of_its_scheme),
            TEST(a_large_tree_falls_with_the_same_bits_by_two_threads),
            TEST(a_chain_of_200_hangs_straight), TEST(a_chain_of_200_reaches_a_place));
