/* Robots and parts of others in whole runs: they load, fall or hold in contact, and VTK reads what
 * they leave. */
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_test.h"

#define ROBOTS "../shared/data/robots/"

/** VTK itself reads the frames, or is not there. */
static void check_vtk(const char *run) {
  char command[1024];
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/output/load_vtk.py %s/%s/vtk/*.series >/dev/null 2>&1",
           test_folder(), run);
  int code = system(command);
  CHECK(code == 0 || code == 77 << 8);
}

/** Run `text` as the scene NAME.yaml into the folder NAME. */
static void run_scene(const char *name, const char *text) {
  char  path[512], command[256];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s.yaml", test_folder(), name);
  file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
  snprintf(command, sizeof command, "run FOLDER/%s.yaml -q -o FOLDER/%s", name, name);
  check_run(command, 0, "");
  check_vtk(name);
}

/** Scenes name files relative to their own folder, which is elsewhere. */
static const char *here(void) {
  static char folder[2048];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder - 32));
  strcat(folder, "/../shared/data");
  return folder;
}

static int is_absent(const char *path) {
  struct stat info;
  return stat(path, &info) != 0;
}

/* Unpowered arms fall on the floor; the iiwa's wrist is a hull of more than a thousand corners, and
 * turns away from the floor half a second after it has hit it. */
static void arms_fall_on_the_floor(void) {
  static const struct {
    const char *name, *file, *joints, *hit;
    double      end;
  } arms[] = {{"iiwa", "iiwa14_primitive_collision", "iiwa_joint_2: 1.2, iiwa_joint_4: -0.6",
               "iiwa_link_7", 0.44},
              {"panda", "panda_arm_hand",
               "panda_joint2: 1.2, panda_joint4: -0.6, panda_joint6: 0.5,\n"
               "panda_finger_joint1: 0.02, panda_finger_joint2: 0.02",
               "panda_link5", 0.7}};
  for (size_t k = 0; k < 2; k++) {
    char text[8192], path[256], column[128];
    snprintf(path, sizeof path, ROBOTS "%s.urdf", arms[k].file);
    if (is_absent(path)) SKIP("%s is absent ", path);
    snprintf(
        text, sizeof text,
        "supple: 1\ntime: {step: 5 ms, end: %g s}\n"
        "contact: {defaults: {point: {stiffness: 1e6 N/m}, dissipation: 1 s/m}}\n"
        "robots: {arm: {urdf: %s/robots/%s.urdf, packages: [%s/packages], joints: {%s}}}\n"
        "rigid: {floor: {shape: {half_space: {}}, pose: {position: [0, 0, -5 cm]}, fixed: true}}\n"
        "output: {every: 0.2 s, pairs: [[floor, arm/%s]]}\n",
        arms[k].end, here(), arms[k].file, here(), arms[k].joints, arms[k].hit);
    run_scene(arms[k].name, text);
    snprintf(column, sizeof column, "contact.floor.arm/%s", arms[k].hit);
    char count[160], force[160], depth[160];
    snprintf(count, sizeof count, "%s.count", column);
    snprintf(force, sizeof force, "%s.fz", column);
    snprintf(depth, sizeof depth, "%s.penetration", column);
    printf("%s: %g contacts, %.3g N, %.2g mm ", arms[k].name, app_last_value(arms[k].name, count),
           app_last_value(arms[k].name, force), 1e3 * app_last_value(arms[k].name, depth));
    CHECK(app_last_value(arms[k].name, count) >= 1 && app_last_value(arms[k].name, force) > 1);
    CHECK(app_last_value(arms[k].name, depth) < 2e-3);
  }
}

/* Its fingers close with 20 N each on a block of 100 g, of which friction may carry 32 N. */
static void the_panda_hand_holds_a_block(void) {
  char text[8192];
  if (is_absent(ROBOTS "panda_hand.urdf")) SKIP("panda_hand.urdf is absent ");
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 5 ms, end: 0.5 s}\n"
           "contact: {defaults: {point: {stiffness: 1e5 N/m}, friction: 0.8}}\n"
           "robots: {hand: {urdf: %s/robots/panda_hand.urdf, pose: {position: [0, 0, 0.2], rpy: "
           "[180 deg, 0, 0]},\n"
           "  joints: {panda_finger_joint1: -21 mm, panda_finger_joint2: 21 mm}}}\n"
           "rigid: {block: {shape: {box: {size: [3 cm, 4 cm, 3 cm]}}, mass: 100 g, pose: "
           "{position: [0, 0, 0.1]}}}\n"
           "actuators:\n"
           "  left: {joint: hand/panda_finger_joint1, kp: 1000, kd: 20, effort: 20 N, targets: "
           "[[0, 0.0]]}\n"
           "  right: {joint: hand/panda_finger_joint2, kp: 1000, kd: 20, effort: 20 N, targets: "
           "[[0, 0.0]]}\n"
           "output: {every: 0.1 s}\n",
           here());
  run_scene("hand", text);
  printf("sinks %.2g mm ", 1e3 * (.1 - app_last_value("hand", "block.z")));
  CHECK(app_last_value("hand", "block.z") > .095 &&
        fabs(app_last_value("hand", "block.vz")) < 1e-4);
  NEAR(app_last_value("hand", "hand.panda_finger_joint1.tau"), 20, 1e-9, 0);
}

/* A ball falls on the open palm and comes to rest on it. */
static void the_allegro_hand_catches_a_ball(void) {
  char text[8192];
  if (is_absent(ROBOTS "allegro_hand_right.urdf")) SKIP("allegro_hand_right.urdf is absent ");
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 5 ms, end: 0.5 s}\ncontact: {defaults: {point: {stiffness: 1e5 "
           "N/m}}}\n"
           "robots: {hand: {urdf: %s/robots/allegro_hand_right.urdf, pose: {position: [9.5 cm, 0, "
           "0], rpy: [0, -90 deg, 0]}, joints: {joint_12: 0.3}}}\n"
           "rigid: {ball: {shape: {sphere: {radius: 3 cm}}, mass: 100 g, pose: {position: [4.5 cm, "
           "0, 6 cm]}}}\n"
           "output: {every: 0.1 s}\n",
           here());
  run_scene("allegro", text);
  printf("ball at %.4g mm ", 1e3 * app_last_value("allegro", "ball.z"));
  NEAR(app_last_value("allegro", "ball.z"), .03 + .0204 - .0093, 0, 1e-4); /* on the palm's face */
  CHECK(fabs(app_last_value("allegro", "ball.vz")) < 1e-3);
}

/* A brick from a file in millimetres is the box that it is: its mass, its fall, its rest and its
 * frames, in point contact and with its surface; the resolved scene runs to the same place. */
static void a_part_from_a_file_is_the_solid_it_is(void) {
  static const char *const shapes[] = {"{convex: {file: brick.obj, scale: 0.001}}",
                                       "{box: {size: [10 cm, 6 cm, 4 cm]}}"};
  static const char *const contact[] = {"point: {stiffness: 1e5 N/m}", "stiffness: 1e8 Pa/m"};
  char                     text[2048], path[512];
  FILE                    *file;
  snprintf(path, sizeof path, "%s/brick.obj", test_folder());
  file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  for (int i = 0; i < 8; i++)
    fprintf(file, "v %d %d %d\n", i & 1 ? 50 : -50, i & 2 ? 30 : -30, i & 4 ? 20 : -20);
  fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
  fclose(file);
  for (int c = 0; c < 2; c++) {
    double at[2][3];
    for (int k = 0; k < 2; k++) {
      static const char *const columns[] = {"brick.x", "brick.z", "brick.qy"};
      char                     name[32];
      snprintf(name, sizeof name, "brick_%d_%d", c, k);
      snprintf(
          text, sizeof text,
          "supple: 1\ntime: {step: 2 ms, end: 0.3 s}\ncontact: {defaults: {%s, resolution: 1 cm}}\n"
          "rigid: {floor: {shape: {half_space: {}}, fixed: true},\n"
          "  brick: {shape: %s, density: 1 g/cm^3, pose: {position: [0, 0, 6 cm], rpy: [0, 20 deg, "
          "0]}}}\n"
          "output: {every: 0.1 s}\n",
          contact[c], shapes[k]);
      run_scene(name, text);
      for (int i = 0; i < 3; i++) at[k][i] = app_last_value(name, columns[i]);
    }
    printf("%.4g mm, %.4g mm ", 1e3 * at[0][1], 1e3 * at[1][1]);
    /* the box's surface is finer than the two triangles of a hull's face, whose contact is coarser
     * while it tilts */
    for (int i = 0; i < 3; i++) NEAR(at[0][i], at[1][i], 0, c == 0 ? 1e-9 : 2e-3);
  }
  check_run("run FOLDER/brick_0_0/resolved.yaml -q -o FOLDER/again", 0, "");
  CHECK(app_last_value("again", "brick.z") == app_last_value("brick_0_0", "brick.z"));
}

/* A robot whose base floats stands on feet that are points, each with a third of the weight on a
 * spring k/2 of two equal sides, while its disc turns on without friction. */
static void a_free_robot_stands_on_points(void) {
  const double stiffness = 1e5, weight = 2 * 9.81;
  char         text[4096], cwd[2048];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(cwd, sizeof cwd));
  snprintf(text, sizeof text,
           "supple: 1\n"
           "time: {step: 5 ms, end: 0.5 s}\n"
           "robots:\n"
           "  stool:\n"
           "    urdf: %s/tests/data/scene/stool.urdf\n"
           "    base: free\n"
           "    pose: {position: [0, 0, 1 mm]}\n"
           "    velocities: {turn: 30 deg/s}\n"
           "    contact: {seat: {point: {stiffness: 1.0e+5 N/m}}}\n"
           "rigid:\n"
           "  floor: {fixed: true, shape: {half_space: {}},\n"
           "          contact: {point: {stiffness: 1.0e+5 N/m}}}\n",
           cwd);
  run_scene("stool", text);
  NEAR(app_last_value("stool", "stool/world.z"), -weight / (3 * stiffness / 2), 1e-3, 0);
  NEAR(app_last_value("stool", "stool/world.qw"), 1, 1e-9, 0);
  NEAR(app_last_value("stool", "stool.turn.v"), 30 * 3.14159265358979323846 / 180, 1e-9, 0);
}

/* Dry friction holds the slide against its weight, the limit of velocity brakes the lever. */
static void friction_and_limits_of_velocity_are_in_the_scene(void) {
  char text[4000], folder[2048];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 1 ms, end: 0.2 s}\nrobots:\n  arm:\n"
           "    urdf: %s/tests/data/scene/arm.urdf\n"
           "    dynamics: {slide: {friction: 40 N}, turn: {velocity: 2 rad/s, friction: 0.1 N m}}\n"
           "    joints: {float: {position: [5, 0, 0]}}\n    velocity_limits: enforced\n"
           "actuators:\n  lift: {joint: arm/turn, kp: 100 N m/rad, kd: 1 N m s/rad, targets: "
           "[[0 s, 1.5 rad]]}\n"
           "output: {history_every: 1 ms}\n",
           folder);
  run_scene("dry", text);
  NEAR(app_last_value("dry", "arm.slide.friction"), 3 * 9.81, 1e-3, 0); /* carriage, lever, wheel */
  NEAR(app_last_value("dry", "arm.slide.q"), 0, 0, 1e-6);
  NEAR(app_last_value("dry", "arm.turn.v"), 2, 1e-6, 0);
  NEAR(app_last_value("dry", "arm.turn.friction"), -.1, 1e-9, 0);
  CHECK(app_last_value("dry", "arm.turn.v_limit") < -1);
  CHECK(fabs(app_last_value("dry", "arm.turn.tau")) <= 5);
  NEAR(app_last_value("dry", "energy.joint_friction"), .1 * app_last_value("dry", "arm.turn.q"),
       1e-2, 0);
  check_run(
      "run FOLDER/dry.yaml --check --set robots.arm.velocities.turn=-3 --set "
      "robots.arm.velocities.slide=0",
      0,
      "joint 'turn' starts with -3 rad/s; the first step brakes it to its enforced limit of 2 "
      "rad/s");
}

/* A sphere 10 cm below a ball joint that stands 5 mm aside by its motion: after a quarter of the
 * period it has turned by w sqrt(I/(m g l)), and its origin is where the motion has it. */
static void a_body_swings_on_a_ball_that_follows_a_motion(void) {
  const double g = 9.81, l = .1, r = .01, w = .05, inertia = .4 * r * r + l * l,
               omega = sqrt(g * l / inertia), quarter = 2 * atan(1) / omega;
  char text[1024];
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: %.17g, end: %.17g, scheme: midpoint}\nrigid:\n  bob: {shapes: "
           "[{shape: {sphere: {radius: %g}}, pose: {position: [0, 0, %g]}}], mass: 1, joint: ball, "
           "angular_velocity: [0, %g, 0], motion: [[0, 5 mm, 0, 0, 0, 0, 0]]}\n",
           quarter / 400, quarter, r, -l, w);
  app_write_file("swing.yaml", text);
  check_run("run FOLDER/swing.yaml -o FOLDER/swing", 0, "results: ");
  NEAR(2 * asin(app_last_value("swing", "bob.qy")), w / omega, 1e-4, 0);
  NEAR(app_last_value("swing", "bob.x"), .005, 1e-12, 0);
  CHECK(fabs(app_last_value("swing", "bob.wy")) < 1e-3 * w);
}

SUITE_TESTS(robots, TEST(a_free_robot_stands_on_points), TEST(arms_fall_on_the_floor),
            TEST(the_panda_hand_holds_a_block), TEST(the_allegro_hand_catches_a_ball),
            TEST(a_part_from_a_file_is_the_solid_it_is),
            TEST(friction_and_limits_of_velocity_are_in_the_scene),
            TEST(a_body_swings_on_a_ball_that_follows_a_motion));
