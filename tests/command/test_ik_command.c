/* The command ik: positions to paste into a scene, and why a pose has none. */
#include "app/app_test.h"

#define ARM "ik examples/gen3.urdf --frame bracelet_with_vision_link "

static void positions_are_printed_for_a_scene(void) {
  check_run(ARM "--pose 400mm,0,300mm,180deg,0,0", 0, "reached by 7 joints");
  check_run(ARM "--pose 400mm,0,300mm,180deg,0,0", 0, "joints: {Actuator1: ");
  check_run(ARM "--pose 0.4,0,0.3 --tool 0,0,100mm --posture Actuator4=-100deg", 0,
            "reached by 7 joints");
  check_run(
      "ik examples/gen3_ball.yaml --frame arm/bracelet_with_vision_link --pose "
      "400mm,0,300mm,180deg,0,0 --axis",
      0, "Actuator7");
}

/* The carrier stays upright on its parallelogram; the crank of the other side leads. */
static void loops_of_constraints_are_closed(void) {
  const char *const of_30_degrees[] = {
      "lift                        33.9615 mm", "left                        30.0000 deg",
      "right                      -30.0000 deg", "right_wrist                 30.0000 deg"};
  for (int i = 0; i < 4; i++)
    check_run(
        "ik examples/linkage_gripper.yaml --frame hand/right_carrier --pose 50mm,0,150mm,0,0,0", 0,
        of_30_degrees[i]);
  for (int i = 1; i < 4; i++) /* by the pin of the free bar beside it */
    check_run(
        "ik examples/linkage_gripper.yaml --frame right_bar --tool 0,0,-30mm --pose "
        "70mm,0,150mm",
        0, of_30_degrees[i]);
  check_run(
      "ik examples/linkage_gripper.yaml --frame hand/right_carrier --pose 50mm,0,150mm,0,10deg,0",
      1, "deg off");
}

/** A scene started with the printed line has the frame at the pose. */
static void printed_positions_reach_the_pose(void) {
  char out[8192], scene[16384], *line;
  CHECK(test_run_program("ik examples/gen3.urdf --frame bracelet_with_vision_link --pose "
                         "400mm,100mm,300mm,180deg,0,0",
                         out, sizeof out) == 0);
  line = strstr(out, "joints: {");
  CU_ASSERT_PTR_NOT_NULL_FATAL(line);
  line[strcspn(line, "\n")] = '\0';
  snprintf(scene, sizeof scene, "%s/arm.yaml", test_folder());
  FILE *file = fopen(scene, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  char here[4096];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(here, sizeof here));
  fprintf(
      file,
      "supple: 1\ntime: {step: 1 us, end: 1 us}\ngravity: [0, 0, 0]\n"
      "robots:\n  arm:\n    urdf: %s/examples/gen3.urdf\n    %s\n"
      "output: {every: 1 us, probes: {tool: {body: arm/bracelet_with_vision_link, point: [0, 0, "
      "0]}}}\n",
      here, line);
  fclose(file);
  check_run("run FOLDER/arm.yaml -q -o FOLDER/arm", 0, "");
  const double goal[3] = {0.4, 0.1, 0.3};
  for (int k = 0; k < 3; k++) {
    char column[32];
    snprintf(column, sizeof column, "probe.tool.%c", "xyz"[k]);
    NEAR(app_last_value("arm", column), goal[k], 0, 1e-8);
  }
}

static void wrong_poses_are_told(void) {
  check_run(ARM "--pose 2m,0,300mm", 1, "no joint is at a limit there; the arm is too short");
  check_run(ARM "--pose 400mm,0,300mm,180,0,0", 2, "expected an angle with its unit");
  check_run(ARM "--pose 400mm,0", 2, "--pose has 2 numbers, expected X,Y,Z or");
  check_run(ARM "--pose 400mm,0,300mm --axis", 2, "--axis needs the angles");
  check_run(ARM, 2, "--pose is missing");
  check_run(ARM "--pose 0,0,0 --posture Actuator9=1deg", 2, "did you mean");
  check_run("ik examples/gen3.urdf --pose 0,0,0", 2, "--frame is missing");
  check_run("ik examples/gen3.urdf --frame bracelet --pose 0,0,0", 2, "there is no body");
  check_run("ik", 2, "a file is missing");
}

/** Joints that turn an arm with its bars by 60 deg about the hip, 215.63 mm from the bars' ends. */
static void joints_that_open_a_loop_are_told(void) {
  check_run("run examples/delta_gripper.yaml --check --set \"robots.delta.joints={hip_a: 60 deg}\"",
            0, "open the loop of the constraint 'delta/bar_a1' by 215.6 mm");
  CHECK(!strstr(check_run("run examples/delta_gripper.yaml --check", 0, ""), "open the loop"));
}

SUITE_TESTS(ik_command, TEST(joints_that_open_a_loop_are_told),
            TEST(positions_are_printed_for_a_scene), TEST(loops_of_constraints_are_closed),
            TEST(printed_positions_reach_the_pose), TEST(wrong_poses_are_told));
