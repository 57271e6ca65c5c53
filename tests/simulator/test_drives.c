/* Drives of all joints of an arm: weight and inverse dynamics fed forward, smooth targets. */
#include <math.h>
#include <string.h>

#include "base/file/file.h"
#include "simulator/simulator_parts.h"
#include "test.h"

typedef struct arm {
  sup_scene     *scene;
  sup_model     *model;
  sup_simulator *sim;
} arm;

static const char scene_of_arm[] =
    "supple: 1\ntime: {step: 2 ms, end: 1 s}\nrobots:\n  arm:\n    urdf: gen3.urdf\n"
    "    joints: {Actuator2: 53.9 deg, Actuator3: 180 deg, Actuator4: -107.9 deg}\n"
    "actuators:\n  all:\n    robot: arm\n    kp: [200, 200, 100, 200, 50, 50, 20]\n    kd: 10\n"
    "    targets: {rows: [[0.1 s, 0, 53.9 deg, 180 deg, -107.9 deg, 0, 0, 0],\n"
    "      [0.9 s, 0.3, 70 deg, 170 deg, -90 deg, 0.2, -0.2, 0.1]], interpolation: minimum_jerk}\n";

static const char *write_file(const char *name, const char *text) {
  static char     path[1024];
  sup_file_writer writer;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_file_open(&writer, path));
  fputs(text, writer.file);
  OK(sup_file_commit(&writer));
  return path;
}

static void start(arm *a, const char *text, int num_sets, const char *const *sets) {
  char  *urdf = NULL;
  size_t size;
  OK(sup_file_read("examples/gen3.urdf", &urdf, &size));
  write_file("gen3.urdf", urdf);
  SUP_FREE(urdf);
  OK(sup_scene_load(&a->scene, write_file("arm.yaml", text), sets, num_sets));
  OK(sup_model_create(&a->model, sup_scene_model_def(a->scene)));
  const sup_simulator_def def = sup_scene_simulator_def(a->scene, a->model);
  OK(sup_simulator_create(&a->sim, &def));
}

static void end(arm *a) {
  sup_simulator_destroy(&a->sim);
  sup_model_destroy(&a->model);
  sup_scene_destroy(&a->scene);
}

/** Largest |v| of a run of 1 s, and largest distance of joints from their targets. */
static void run(arm *a, double *speed, double *lag) {
  const sup_state *state = sup_simulator_state(a->sim);
  double           target;
  *speed = *lag = 0;
  while (sup_simulator_time(a->sim) < 1 - 1e-9) {
    OK(sup_simulator_step(a->sim, NULL));
    for (int i = 0; i < a->model->num_actuators; i++) {
      sup_table_at(&a->model->actuator[i].target, state->time, &target);
      *speed = fmax(*speed, fabs(state->v[i]));
      *lag = fmax(*lag, fabs(state->q[i] - target));
    }
  }
}

static void a_robot_has_a_drive_for_each_joint(void) {
  arm a;
  start(&a, scene_of_arm, 0, NULL);
  CU_ASSERT_FATAL(a.model->num_actuators == 7);
  CHECK(strcmp(a.model->actuator[1].name, "all_Actuator2") == 0);
  CHECK(a.model->actuator[1].kp == 200 && a.model->actuator[6].kp == 20);
  CHECK(a.model->actuator[6].kd == 10 && a.model->actuator[1].effort == 39);
  CHECK(a.model->actuator[4].target.value[1] == 0.2);
  CHECK(a.model->actuator[4].target.interpolation == SUP_INTERPOLATION_MINIMUM_JERK);
  end(&a);
}

/** Joints with a drive of their own are left out of the robot's, joints may be listed. */
static void drives_of_some_joints_stand_beside(void) {
  static const char *const sets[] = {
      "actuators={all: {robot: arm, kp: 1, targets: {file: way.csv}}, own: {joint: "
      "arm/Actuator2, kp: 2, targets: [[0, 0]]}, two: {joints: [arm/Actuator7, arm/Actuator1], "
      "kp: 3, targets: {file: way.csv, columns: [t, b, a]}}}"};
  arm a;
  write_file("way.csv", "t,a,b,c,d\n0,1,2,3,4\n");
  start(&a, scene_of_arm, 1, sets);
  CU_ASSERT_FATAL(a.model->num_actuators == 7);
  for (int i = 0; i < 4; i++)
    CHECK(a.model->actuator[i].link == a.model->actuator[0].link + i &&
          a.model->actuator[i].target.value[0] == i + 1);
  CHECK(strcmp(a.model->actuator[4].name, "own") == 0);
  CHECK(strcmp(a.model->actuator[5].name, "two_Actuator7") == 0);
  CHECK(a.model->actuator[5].target.value[0] == 2 && a.model->actuator[6].target.value[0] == 1);
  end(&a);
}

static void its_weight_is_held_without_gains(void) {
  static const char *const sets[] = {"actuators.all.kp=0", "actuators.all.kd=1.0e-6",
                                     "actuators.all.feedforward=gravity"};
  double                   speed, lag;
  arm                      a;
  start(&a, scene_of_arm, 3, sets);
  run(&a, &speed, &lag);
  CHECK(speed < 1e-12);
  end(&a);
  start(&a, scene_of_arm, 2, sets); /* it falls */
  run(&a, &speed, &lag);
  CHECK(speed > 1);
  end(&a);
}

static void inverse_dynamics_follow_smooth_targets(void) {
  static const char *const sets[] = {"actuators.all.feedforward=inverse_dynamics"};
  double                   speed, lag;
  arm                      a;
  start(&a, scene_of_arm, 1, sets);
  run(&a, &speed, &lag);
  CHECK(lag < 1e-9);
  end(&a);
  start(&a, scene_of_arm, 0, NULL); /* sags and lags */
  run(&a, &speed, &lag);
  CHECK(lag > 0.02);
  end(&a);
}

/** Effort of midpoint is that of the step's start: an error of first order. */
static void midpoint_follows_at_first_order(void) {
  const char *sets[] = {"actuators.all.feedforward=inverse_dynamics", "time.scheme=midpoint", NULL};
  double      speed, lag[2];
  for (int k = 0; k < 2; k++) {
    arm a;
    sets[2] = k ? "time.step=2 ms" : "time.step=4 ms";
    start(&a, scene_of_arm, 3, sets);
    run(&a, &speed, &lag[k]);
    end(&a);
  }
  NEAR(lag[0] / lag[1], 2, 0.2, 0);
  CHECK(lag[1] < 2e-3);
}

static void efforts_stay_within_their_limit(void) {
  static const char *const sets[] = {"actuators.all.feedforward=inverse_dynamics",
                                     "actuators.all.effort=[39, 6, 39, 6, 1, 9, 9]"};
  arm                      a;
  double                   most[7] = {0};
  start(&a, scene_of_arm, 2, sets);
  for (int n = 0; n < 100; n++) {
    sup_array effort;
    OK(sup_simulator_step(a.sim, NULL));
    for (int i = 0; i < 7; i++) {
      char name[64];
      int  handle = SUP_NONE;
      snprintf(name, sizeof name, "arm/Actuator%d", i + 1);
      OK(sup_simulator_find(a.sim, SUP_OBJECT_JOINT, name, &handle));
      OK(sup_simulator_read(a.sim, SUP_READ_JOINT_EFFORT, handle, &effort));
      most[i] = fmax(most[i], fabs(effort.data[0]));
    }
  }
  CHECK(most[1] == 6 && most[3] <= 6 && most[4] <= 1);
  end(&a);
}

static void a_state_goes_on_with_equal_bits(void) {
  static const char *const sets[] = {"actuators.all.feedforward=inverse_dynamics"};
  arm                      a;
  char                     path[1024];
  start(&a, scene_of_arm, 1, sets);
  for (int n = 0; n < 100; n++) OK(sup_simulator_step(a.sim, NULL));
  snprintf(path, sizeof path, "%s/state.bin", test_folder());
  OK(sup_simulator_save(a.sim, path));
  for (int n = 0; n < 100; n++) OK(sup_simulator_step(a.sim, NULL));
  uint64_t straight = sup_state_hash(sup_simulator_state(a.sim));
  OK(sup_simulator_restore(a.sim, path));
  for (int n = 0; n < 100; n++) OK(sup_simulator_step(a.sim, NULL));
  CHECK(sup_state_hash(sup_simulator_state(a.sim)) == straight);
  end(&a);
}

/** A cube of rubber on a slider that carries 1 kg: both weights are held. */
static void a_carried_soft_body_is_held_too(void) {
  static const char urdf[] =
      "<robot name='lift'><link name='base'/><link name='table'><inertial><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint "
      "name='slide' type='prismatic'><parent link='base'/><child link='table'/><axis xyz='0 0 "
      "1'/><limit lower='-1' upper='1' effort='100' velocity='1'/></joint></robot>";
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\nmaterials: {rubber: {youngs_modulus: 1 MPa, "
      "poissons_ratio: 0.3, density: 1000}}\nrobots: {lift: {urdf: lift.urdf}}\nsoft:\n  cube:\n"
      "    mesh: {box: {size: [10 cm, 10 cm, 5 cm], cells: [2, 2, 2]}}\n    material: rubber\n"
      "    attach: {link: lift/table, region: {half_space: {normal: [0, 0, 1], offset: 1 mm}}}\n"
      "actuators: {up: {joint: lift/slide, kd: 1.0e-6, feedforward: gravity, targets: [[0, 0]]}}\n";
  arm       a;
  sup_array effort;
  int       handle = SUP_NONE;
  write_file("lift.urdf", urdf);
  start(&a, text, 0, NULL);
  OK(sup_simulator_step(a.sim, NULL));
  OK(sup_simulator_find(a.sim, SUP_OBJECT_JOINT, "lift/slide", &handle));
  OK(sup_simulator_read(a.sim, SUP_READ_JOINT_EFFORT, handle, &effort));
  NEAR(effort.data[0], (1 + 0.5) * 9.81, 1e-6, 0);
  end(&a);
}

/** A spring that rests elsewhere: its force at the target is held, not that of the angle. */
static void a_spring_is_held_where_it_rests(void) {
  static const char mjcf[] =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' axis='0 1 0' "
      "stiffness='12' springref='0.8'/><geom type='sphere' size='0.05' pos='0.2 0 0' mass='1'/>"
      "</body></worldbody></mujoco>";
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\nrobots: {r: {mjcf: s.xml, joints: {j: 0.3}}}\n"
      "actuators: {d: {joint: r/j, kd: 1.0e-6, feedforward: gravity, targets: [[0, 0.3]]}}\n";
  arm    a;
  double speed, lag;
  write_file("s.xml", mjcf);
  start(&a, text, 0, NULL);
  run(&a, &speed, &lag);
  NEAR(speed, 0, 0, 1e-9);
  NEAR(lag, 0, 0, 1e-9);
  end(&a);
}

static void equilibria_refuse_them_by_name(void) {
  static const char *const sets[] = {"actuators.all.feedforward=gravity"};
  sup_static_options       options = sup_default_static_options();
  arm                      a;
  start(&a, scene_of_arm, 1, sets);
  FAILS(sup_simulator_equilibrate(a.sim, &options, NULL, NULL), SUP_E_ARG,
        "actuator 'all_Actuator1'");
  end(&a);
}

SUITE_TESTS(drives, TEST(a_robot_has_a_drive_for_each_joint),
            TEST(drives_of_some_joints_stand_beside), TEST(its_weight_is_held_without_gains),
            TEST(inverse_dynamics_follow_smooth_targets), TEST(midpoint_follows_at_first_order),
            TEST(efforts_stay_within_their_limit), TEST(a_state_goes_on_with_equal_bits),
            TEST(a_carried_soft_body_is_held_too), TEST(a_spring_is_held_where_it_rests),
            TEST(equilibria_refuse_them_by_name));
