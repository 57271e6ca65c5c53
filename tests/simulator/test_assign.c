/* Positions and velocities that are set, and forces at a state without a step. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "driven.h"

static int find(const driven *d, sup_quantity quantity, const char *name) {
  int handle = SUP_NONE;
  OK(sup_simulator_find(d->sim, sup_quantity_object(quantity), name, &handle));
  return handle;
}

static sup_array read_of(const driven *d, sup_quantity quantity, const char *name) {
  sup_array array = {NULL, 0, 0};
  OK(sup_simulator_read(d->sim, quantity, find(d, quantity, name), &array));
  return array;
}

static sup_status assign(const driven *d, sup_quantity quantity, const char *name,
                         const double *value, int count) {
  return sup_simulator_assign(d->sim, quantity, find(d, quantity, name), value, count);
}

static uint64_t hash_after(const driven *d, int steps) {
  for (int i = 0; i < steps; i++) OK(sup_simulator_step(d->sim, NULL));
  return sup_state_hash(sup_simulator_state(d->sim));
}

static void same(sup_array a, const double *b, double atol) {
  for (int i = 0; i < a.rows * a.width; i++) NEAR(a.data[i], b[i], 0, atol);
}

static const char grasp[] = "examples/finray_grasp.yaml", drop[] = "examples/soft_cube_drop.yaml",
                  barrett[] = "examples/barrett_finger.yaml",
                  linkage[] = "examples/linkage_gripper.yaml";

static void a_free_body_has_the_pose_and_velocity_that_it_gets(void) {
  const double pose[7] = {0.3, -0.2, 0.5, 0.6, 0, 0.8, 0}, twice[7] = {0.3, -0.2, 0.5, 1.2, 0, 1.6},
               rate[6] = {1, 2, 3, -4, 5, 6}, none[7] = {0};
  driven d;
  start(&d, grasp, 0, NULL);
  OK(assign(&d, SUP_READ_POSE, "cylinder", twice, 7));
  OK(assign(&d, SUP_READ_VELOCITY, "cylinder", rate, 6));
  same(read_of(&d, SUP_READ_POSE, "cylinder"), pose, 1e-15);
  same(read_of(&d, SUP_READ_VELOCITY, "cylinder"), rate, 1e-14);
  hash_after(&d, 1); /* it flies */
  NEAR(read_of(&d, SUP_READ_POSE, "cylinder").data[0], 0.31, 1e-12, 0);
  FAILS(assign(&d, SUP_READ_POSE, "cylinder", none, 7), SUP_E_ARG, "quaternion of 'cylinder'");
  FAILS(assign(&d, SUP_READ_POSE, "floor", pose, 7), SUP_E_ARG, "does not float freely");
  FAILS(assign(&d, SUP_READ_POSE, "left_finger", pose, 7), SUP_E_ARG, "attached, held or tied");
  FAILS(assign(&d, SUP_READ_POSE, "cylinder", pose, 6), SUP_E_ARG, "takes 7 numbers; found 6");
  FAILS(assign(&d, SUP_READ_ENERGY, "", pose, 5), SUP_E_ARG, "energy is no quantity of a state");
  FAILS(sup_simulator_assign(d.sim, SUP_READ_POSE, 99, pose, 7), SUP_E_ARG, "handle 99");
  const double bad[6] = {0, NAN, 0, 0, 0, 0};
  FAILS(assign(&d, SUP_READ_VELOCITY, "cylinder", bad, 6), SUP_E_ARG, "number 1 is nan");
  same(read_of(&d, SUP_READ_POSE, "floor"), (const double[7]){0, 0, 0, 1}, 0);
  end(&d);
}

/** Joints that are set carry the fingers to where a scene with these joints has them. */
static void what_is_attached_goes_along(void) {
  static const char *const sets[] = {"robots.gripper.joints.lift=55 mm",
                                     "robots.gripper.joints.left=4 mm"};
  const double             lift = 0.055, left = 0.004, rate = 0.5;
  driven                   d, e;
  start(&d, grasp, 0, NULL);
  start(&e, grasp, 2, sets);
  hash_after(&d, 2);
  OK(sup_simulator_reset(d.sim));
  OK(assign(&d, SUP_READ_JOINT_POSITION, "gripper/lift", &lift, 1));
  OK(assign(&d, SUP_READ_JOINT_POSITION, "gripper/left", &left, 1));
  same(read_of(&d, SUP_READ_VERTICES, "left_finger"),
       read_of(&e, SUP_READ_VERTICES, "left_finger").data, 1e-14);
  same(read_of(&d, SUP_READ_VERTICES, "right_finger"),
       read_of(&e, SUP_READ_VERTICES, "right_finger").data, 1e-14);
  NEAR(read_of(&d, SUP_READ_ENERGY, "").data[1], 0, 0, 1e-15);
  OK(assign(&d, SUP_READ_JOINT_VELOCITY, "gripper/lift", &rate, 1));
  const sup_soft *soft = &d.model->soft[0];
  for (int i = 0; i < soft->num_vertices; i++)
    NEAR(d.sim->state->xdot[3 * (soft->first_vertex + i) + 2],
         soft->kind[i] == SUP_VERTEX_ATTACHED ? rate : 0, 0, 1e-15);
  end(&e);
  end(&d);
}

/** A soft cube is turned and moved without strain, and spins about its centre of mass. */
static void a_soft_body_moves_as_a_rigid_one(void) {
  const double pose[7] = {0.1, 0.2, 0.9, 0.6, 0.8, 0, 0}, rate[6] = {0, 0, 1, 0, 0, 2};
  driven       d;
  start(&d, drop, 0, NULL);
  char name[64];
  sup_simulator_name(d.sim, SUP_OBJECT_SOFT, 0, name, sizeof name);
  OK(assign(&d, SUP_READ_POSE, name, pose, 7));
  OK(assign(&d, SUP_READ_VELOCITY, name, rate, 6));
  same((sup_array){read_of(&d, SUP_READ_POSE, name).data, 1, 3}, pose, 1e-14);
  same((sup_array){read_of(&d, SUP_READ_VELOCITY, name).data, 1, 3}, rate, 1e-14);
  NEAR(read_of(&d, SUP_READ_ENERGY, "").data[1], 0, 0, 1e-15);
  CHECK(read_of(&d, SUP_READ_ENERGY, "").data[0] > 0);
  const sup_array x = read_of(&d, SUP_READ_VERTICES, name);
  double         *copy = NULL;
  OK(SUP_CALLOC(copy, x.rows * 3));
  for (int i = 0; i < 3 * x.rows; i++) copy[i] = x.data[i] + (i % 3 == 1 ? 0.25 : 0);
  OK(assign(&d, SUP_READ_VERTICES, name, copy, 3 * x.rows));
  same(read_of(&d, SUP_READ_VERTICES, name), copy, 0);
  NEAR(read_of(&d, SUP_READ_POSE, name).data[1], 0.45, 1e-12, 0);
  SUP_FREE(copy);
  end(&d);
}

/** Forces at a state are those of the step from there, and nothing else is changed. */
static void evaluation_is_the_step_that_is_not_made(void) {
  driven          d;
  sup_step_report before, after;
  double          wrench[6], pose[7];
  start(&d, grasp, 0, NULL);
  hash_after(&d, 5);
  uint64_t now = hash_after(&d, 0);
  memcpy(pose, read_of(&d, SUP_READ_POSE, "gripper/left_jaw").data, sizeof pose);
  OK(sup_simulator_evaluate(d.sim, &before));
  memcpy(wrench, read_of(&d, SUP_READ_PAIR_WRENCH, "floor+cylinder").data, sizeof wrench);
  same(read_of(&d, SUP_READ_POSE, "gripper/left_jaw"), pose, 0);
  CHECK(hash_after(&d, 0) == now && sup_simulator_steps(d.sim) == 5 && fabs(wrench[2]) > 0.5);
  OK(sup_simulator_step(d.sim, &after));
  same((sup_array){read_of(&d, SUP_READ_PAIR_WRENCH, "floor+cylinder").data, 1, 3}, wrench, 0);
  CHECK(before.num_contacts == after.num_contacts && before.iterations == after.iterations);
  uint64_t with = hash_after(&d, 5);
  OK(sup_simulator_reset(d.sim));
  CHECK(hash_after(&d, 11) == with);
  end(&d);
}

static void a_drive_is_off_or_has_other_gains(void) {
  static const char *const faint[] = {"actuators.lift.effort=1e-9 N"};
  const double             off = 0, on = 1e9, gains[2] = {5e4, 500}, weak[2] = {50, 5};
  driven                   d, e;
  uint64_t                 straight;
  int                      lift;
  start(&d, grasp, 0, NULL);
  straight = hash_after(&d, 20);
  OK(sup_simulator_reset(d.sim));
  OK(sup_simulator_find(d.sim, SUP_OBJECT_ACTUATOR, "lift", &lift));
  OK(sup_simulator_set(d.sim, SUP_SET_LIMIT, lift, &on, 1, 0));
  OK(sup_simulator_set(d.sim, SUP_SET_GAINS, lift, gains, 2, 0));
  CHECK(hash_after(&d, 20) == straight);
  OK(sup_simulator_reset(d.sim));
  OK(sup_simulator_set(d.sim, SUP_SET_LIMIT, lift, &off, 1, 0));
  start(&e, grasp, 1, faint);
  hash_after(&d, 5), hash_after(&e, 5);
  NEAR(read_of(&d, SUP_READ_JOINT_POSITION, "gripper/lift").data[0],
       read_of(&e, SUP_READ_JOINT_POSITION, "gripper/lift").data[0], 0, 1e-10);
  CHECK(read_of(&d, SUP_READ_JOINT_POSITION, "gripper/lift").data[0] < 0.03);
  end(&e);
  OK(sup_simulator_reset(d.sim));
  OK(sup_simulator_set(d.sim, SUP_SET_GAINS, lift, weak, 2, 0));
  CHECK(hash_after(&d, 20) != straight);
  FAILS(sup_simulator_set(d.sim, SUP_SET_GAINS, lift, (const double[2]){-1, 1}, 2, 0), SUP_E_ARG,
        "found kp -1, kd 1");
  end(&d);
}

/** Steps of another length are those of a run that had it from the start. */
static void other_steps_are_those_of_another_run(void) {
  static const char *const        sets[] = {"time.step=4 ms", "solver.tolerance=1e-7"},
                           *const controlled[] = {"time.accuracy=1e-3"};
  driven                          d, e;
  start(&d, grasp, 0, NULL);
  start(&e, grasp, 2, sets);
  hash_after(&d, 3);
  OK(sup_simulator_tune(d.sim, 0.004, 1e-7));
  OK(sup_simulator_reset(d.sim));
  CHECK(hash_after(&d, 10) == hash_after(&e, 10));
  CHECK(sup_simulator_step_size(d.sim) == 0.004);
  FAILS(sup_simulator_tune(d.sim, -1, 1e-7), SUP_E_ARG, "");
  FAILS(sup_simulator_tune(d.sim, 0.01, NAN), SUP_E_ARG, "");
  end(&d);
  start(&d, grasp, 1, controlled);
  FAILS(sup_simulator_tune(d.sim, 1e-4, 0), SUP_E_ARG, "time.accuracy 0.001 chooses the lengths");
  OK(sup_simulator_tune(d.sim, 0, 1e-7));
  end(&e);
  end(&d);
}

static void overlaps_are_measured(void) {
  const double sunk[7] = {0, 0, 0.02, 0.7071067811865476, 0.7071067811865476};
  driven       d;
  start(&d, grasp, 0, NULL);
  NEAR(read_of(&d, SUP_READ_OVERLAP, "floor+cylinder").data[0], 0, 0, 1e-12);
  OK(assign(&d, SUP_READ_POSE, "cylinder", sunk, 7));
  NEAR(read_of(&d, SUP_READ_OVERLAP, "floor+cylinder").data[0], 0.005, 1e-9, 0);
  NEAR(read_of(&d, SUP_READ_OVERLAP, "floor+cylinder").data[1], 0.1, 1e-9, 0);
  end(&d);
}

/** A text is the scene of a file with it. */
static void a_scene_may_be_a_text(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
      "rigid: {ball: {shape: {sphere: {radius: 1 cm}}, mass: 1 kg}}\n";
  driven d;
  start(&d, text, 0, NULL);
  hash_after(&d, 10);
  NEAR(read_of(&d, SUP_READ_POSE, "ball").data[2], -55 * 9.81e-6, 1e-12, 0);
  CHECK(sup_simulator_observable_name(d.sim, 0) != NULL);
  CHECK(sup_simulator_observable_name(d.sim, 100000) == NULL);
  end(&d);
  FAILS(sup_scene_load(&d.scene, "supple: 1\nrigit: {}\n", NULL, 0), SUP_E_PARSE, "scene:2:1");
}

typedef struct counted {
  int keys, sections;
} counted;

static int count_key(const sup_scene_key *key, void *user) {
  counted *n = user;
  n->keys++, n->sections += !strchr(key->path, '.');
  CHECK(key->meaning[0] && key->value[0] && key->example[0]);
  if (strcmp(key->path, "rigid") == 0) CHECK(key->has_names);
  if (strcmp(key->path, "rigid.fixed") == 0)
    CHECK(strcmp(key->absent, "false") == 0 && !key->has_names);
  return strcmp(key->path, "output") == 0 ? 7 : 0;
}

/** Bindings are told the keys that `supple help scene` has. */
static void keys_of_scenes_are_told(void) {
  counted n = {0, 0};
  CHECK(sup_scene_schema(count_key, &n) == 7);
  CHECK(n.sections > 15 && n.keys > 400);
}

/** Bodies that are joined go together or not at all; what was refused has left nothing. */
static void constraints_are_not_torn(void) {
  static const char *const bodies[] = {"left_bar", "right_bar"};
  sup_assignment           all[4] = {{SUP_READ_JOINT_POSITION, 0, NULL, 1}};
  double                   lift = 0.34, poses[2][7], moved[7];
  driven                   d;
  start(&d, linkage, 0, NULL);
  hash_after(&d, 2);
  uint64_t     was = hash_after(&d, 0);
  const double energy = read_of(&d, SUP_READ_ENERGY, "").data[0];
  FAILS(assign(&d, SUP_READ_JOINT_POSITION, "hand/lift", &lift, 1), SUP_E_ARG, "its limits are");
  lift = 0.045;
  FAILS(assign(&d, SUP_READ_JOINT_POSITION, "hand/lift", &lift, 1), SUP_E_ARG,
        "the constraint 'left_");
  CHECK(strstr(sup_error_message(), " mm from its place, now ") != NULL);
  CHECK(hash_after(&d, 0) == was);
  lift += read_of(&d, SUP_READ_JOINT_POSITION, "hand/lift").data[0] - 0.045 - 0.002;
  all[0].handle = find(&d, SUP_READ_JOINT_POSITION, "hand/lift"), all[0].value = &lift;
  for (int i = 0; i < 2; i++) {
    memcpy(poses[i], read_of(&d, SUP_READ_POSE, bodies[i]).data, sizeof poses[i]);
    poses[i][2] -= 0.002;
    all[1 + i] = (sup_assignment){SUP_READ_POSE, find(&d, SUP_READ_POSE, bodies[i]), poses[i], 7};
  }
  FAILS(sup_simulator_assign_all(d.sim, all, 2), SUP_E_ARG, "the constraint 'right_");
  CHECK(hash_after(&d, 0) == was);
  OK(sup_simulator_assign_all(d.sim, all, 3));
  hash_after(&d, 1);
  NEAR(read_of(&d, SUP_READ_ENERGY, "").data[0], energy, 0, 2 * energy);
  end(&d);
  start(&d, barrett, 0, NULL);
  memcpy(moved, read_of(&d, SUP_READ_POSE, "thread").data, sizeof moved);
  moved[0] += 0.01;
  FAILS(assign(&d, SUP_READ_POSE, "thread", moved, 7), SUP_E_ARG,
        "the constraint 'worm' (weld of 'finger/worm' and 'thread') would be 10 mm from its");
  moved[0] -= 0.01, moved[3] = cos(0.05), moved[4] = 0, moved[5] = sin(0.05), moved[6] = 0;
  FAILS(assign(&d, SUP_READ_POSE, "thread", moved, 7), SUP_E_ARG, " degrees from its place");
  end(&d);
}

static void joints_keep_their_limits(void) {
  const double far = 10;
  double       some = 0;
  driven       d;
  start(&d, grasp, 0, NULL);
  const sup_tree_link *link = &d.model->tree[0]->links[0];
  while (strcmp(link->joint_name, "left") != 0) link++;
  uint64_t was = hash_after(&d, 0);
  FAILS(assign(&d, SUP_READ_JOINT_POSITION, "gripper/left", &far, 1), SUP_E_ARG,
        "the position of joint 'gripper/left' would be 10 m; its limits are");
  CHECK(hash_after(&d, 0) == was);
  some = link->upper + 0.5e-3 * (link->upper - link->lower);
  OK(assign(&d, SUP_READ_JOINT_POSITION, "gripper/left", &some, 1));
  d.sim->state->q[sup_model_link_q(d.model, 0, (int)(link - d.model->tree[0]->links))] = far;
  OK(assign(&d, SUP_READ_JOINT_POSITION, "gripper/left", &far, 1)); /* no worse than it is */
  end(&d);
}

/** The velocity that is read is that of the momentum, so that setting it changes neither. */
static void the_velocity_of_a_soft_body_has_its_momentum(void) {
  driven d;
  char   name[64];
  double rate[6] = {0.3, 0, 1, 2, -1, 5}, read[6], L[2][3] = {{0}};
  start(&d, drop, 0, NULL);
  sup_simulator_name(d.sim, SUP_OBJECT_SOFT, 0, name, sizeof name);
  OK(assign(&d, SUP_READ_VELOCITY, name, rate, 6));
  same(read_of(&d, SUP_READ_VELOCITY, name), rate, 1e-12);
  const sup_soft *soft = &d.model->soft[0];
  const double   *m = sup_fem_vertex_mass(soft->fem);
  for (int i = 0; i < 3 * soft->num_vertices; i++) /* a motion that is not rigid */
    d.sim->state->xdot[i] += sin(i);
  sup_simulator_leave(d.sim);
  for (int k = 0; k < 2; k++) {
    memcpy(read, read_of(&d, SUP_READ_VELOCITY, name).data, sizeof read);
    for (int i = 0; i < soft->num_vertices; i++) {
      sup_v3 x = sup_v3_load(d.sim->state->x + 3 * i), v = sup_v3_load(d.sim->state->xdot + 3 * i);
      sup_v3_accumulate(L[k], m[i], sup_v3_cross(x, v));
    }
    OK(assign(&d, SUP_READ_VELOCITY, name, read, 6));
  }
  CHECK(fabs(read[3]) + fabs(read[4]) + fabs(read[5]) > 1);
  for (int k = 0; k < 3; k++) NEAR(L[1][k], L[0][k], 1e-10, 1e-14);
  end(&d);
}

/** A ball on three springs, whose frequencies are sqrt(k/m); about where it hangs they are the
 * same. */
static void modes_are_those_of_springs(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\nstatic: {steps: 4}\n"
      "rigid: {ball: {shape: {sphere: {radius: 1 cm}}, mass: 4 kg}}\n"
      "springs: {s: {bodies: [world, ball], stiffness: [400, 1600, 3600], damping: [0, 8, 0]}}\n";
  sup_mode mode[8];
  int      count = 0, rigid = 0;
  driven   d;
  start(&d, text, 0, NULL);
  sup_static_options options = sup_scene_static_options(d.scene), empty = {0};
  for (int is_loaded = 0; is_loaded < 2; is_loaded++, rigid = 0) {
    if (is_loaded) OK(sup_simulator_equilibrate(d.sim, &options, NULL, NULL));
    uint64_t was = sup_state_hash(sup_simulator_state(d.sim));
    OK(sup_simulator_modes(d.sim, &options, is_loaded, 8, mode, &count));
    CHECK(count == 6 && sup_state_hash(sup_simulator_state(d.sim)) == was);
    while (rigid < count && mode[rigid].omega2 == 0) rigid++;
    CU_ASSERT_FATAL(rigid == 3);
    for (int k = 0; k < 3; k++) {
      NEAR(mode[3 + k].omega2, 100 * (k + 1) * (k + 1), 1e-9, 0);
      NEAR(mode[3 + k].mass[k], 4, 1e-9, 0);
      NEAR(mode[3 + k].damping, k == 1 ? 8 / (2 * 20 * 4.) : 0, 1e-9, 1e-12);
    }
  }
  FAILS(sup_simulator_modes(d.sim, &options, 0, 0, mode, &count), SUP_E_ARG, "found 0 modes");
  FAILS(sup_simulator_modes(d.sim, &empty, 0, 1, mode, &count), SUP_E_ARG, "not begun with");
  end(&d);
}

SUITE_TESTS(assign, TEST(a_free_body_has_the_pose_and_velocity_that_it_gets),
            TEST(what_is_attached_goes_along), TEST(a_soft_body_moves_as_a_rigid_one),
            TEST(evaluation_is_the_step_that_is_not_made), TEST(a_drive_is_off_or_has_other_gains),
            TEST(other_steps_are_those_of_another_run), TEST(overlaps_are_measured),
            TEST(a_scene_may_be_a_text), TEST(modes_are_those_of_springs),
            TEST(keys_of_scenes_are_told), TEST(constraints_are_not_torn),
            TEST(joints_keep_their_limits), TEST(the_velocity_of_a_soft_body_has_its_momentum));
