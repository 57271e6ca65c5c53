/* Tasks: phases with motions, guards, timeouts; the same in all runs. */
#include "app/app_test.h"

#define PICK "run tests/data/tasks/pick.yaml -q "

#define FIVE "run tests/data/tasks/five_bar.yaml -q --set output.every=0.05 "

/** Time of the row of events.csv with this text; negative: there is none. */
static double time_of(const char *run, const char *text) {
  char       *events = app_read_file(run, "events.csv");
  const char *found = strstr(events, text);
  double      time = -1;
  while (found && found > events && found[-1] != '\n') found--;
  if (found) time = atof(found);
  SUP_FREE(events);
  return time;
}

/** Value of a column in the row of time t. */
static double value_at(const char *run, double t, const char *column) {
  char *history = app_read_file(run, "history.csv"), *row = history;
  int   index = 0;
  char  head[16384];
  snprintf(head, sizeof head, "%.*s", (int)strcspn(history, "\n"), history);
  for (char *name = strtok(head, ","); name && strcmp(name, column) != 0; name = strtok(NULL, ","))
    index++;
  do row = strchr(row, '\n') + 1;
  while (*row && atof(row) < t - 1e-9);
  for (; index > 0; index--) row = strchr(row, ',') + 1;
  double value = atof(row);
  SUP_FREE(history);
  return value;
}

static void a_block_is_picked_lifted_and_swung(void) {
  check_run(PICK "-o FOLDER/pick", 0, "");
  double begun = time_of("pick", "phase 'lift' begins");
  NEAR(time_of("pick", "phase 'down' ends with its motion"), 0.6, 0, 1e-9);
  NEAR(time_of("pick", "phase 'close' ends by its guard"), begun, 0, 0);
  CHECK(begun > 0.8 && begun < 1.3);
  NEAR(time_of("pick", "phase 'swing' ends with its motion"), begun + 1.4, 0, 1e-9);
  NEAR(value_at("pick", 3, "task.pick.phase"), 4, 0, 0);
  NEAR(value_at("pick", 3, "probe.hand.x"), 0.06, 0, 1e-4);
  NEAR(value_at("pick", 3, "probe.hand.y"), -0.04, 0, 1e-4);
  NEAR(value_at("pick", 3, "probe.hand.z"), 0.18, 0, 1e-3);
  NEAR(value_at("pick", 3, "block.x"), 0.06, 0, 1e-3);
  NEAR(value_at("pick", 3, "block.z"), 0.16, 0, 1e-3);
  for (double t = begun; t < 3; t += 0.05) { /* the jaws press with the effort of their phase */
    NEAR(value_at("pick", t, "arm.left.tau"), 5, 0, 0.11);
    CHECK(value_at("pick", t, "arm.left.tau") <= 5 + 1e-9);
  }
}

/** A line in space, where the joints turn; with its duration's minimum jerk. */
static void a_line_is_a_line(void) {
  check_run(PICK
            "--set \"tasks.pick.phases={go: {move: {position: [80 mm, -60 mm, 150 mm], path: "
            "line, rotation: none}, duration: 1 s}}\" --set time.end=1 --set gravity=[0,0,0] "
            "--set actuators.shoulder.kp=5e5 --set actuators.shoulder.kd=2e3 --set "
            "actuators.elbow.kp=5e5 --set actuators.elbow.kd=2e3 --set rigid.block.fixed=true "
            "--set rigid.block.pose.position=[1,1,1] -o FOLDER/line",
            0, "");
  const double from[3] = {0, 0, 0.16}, to[3] = {0.08, -0.06, 0.15};
  for (double t = 0; t < 1.001; t += 0.05) {
    double s = t * t * t * (10 - 15 * t + 6 * t * t);
    for (int k = 0; k < 3; k++) {
      char column[16];
      snprintf(column, sizeof column, "probe.hand.%c", "xyz"[k]);
      NEAR(value_at("line", t, column), from[k] + s * (to[k] - from[k]), 0, 1e-3);
    }
    double dx = value_at("line", t, "probe.hand.x"), dy = value_at("line", t, "probe.hand.y");
    NEAR(0.6 * dx + 0.8 * dy, 0, 0, 2e-4); /* beside the line less than ahead or behind */
  }
}

/** A carrier on a parallelogram of free bars, or the end of a bar, keeps to its line by the crank
 * of the other side. */
static void check_line(const char *frame, const char *point, double x) {
  char command[2048];
  snprintf(
      command, sizeof command,
      "run examples/linkage_gripper.yaml -q --set soft={} --set output.pairs=[] --set "
      "gravity=[0,0,0] --set actuators.lift.kp=5e5 --set actuators.lift.kd=2e3 --set "
      "actuators.close.kp=5e3 --set actuators.close.kd=20 --set actuators.close.effort=50 --set "
      "actuators.lift.targets=[[0,0.04]] --set actuators.lift.effort=500 --set "
      "\"actuators.close.targets=[[0, 35 "
      "deg]]\" --set \"tasks={go: {frame: %s, tool: {position: %s}, phases: {a: {move: {offset: "
      "[-10 mm, "
      "0, 20 mm], path: line, rotation: none}, duration: 0.5 s}}}}\" --set output.format=none "
      "--set time.end=0.6 "
      "--set \"output.probes={tip: {body: %s, point: %s}}\" -o FOLDER/loop",
      frame, point, frame, point);
  check_run(command, 0, "");
  const double z = 0.208 - 0.06 * 0.819152044288992;
  for (double t = 0; t < 0.601; t += 0.05) {
    double u = fmin(2 * t, 1), s = u * u * u * (10 - 15 * u + 6 * u * u);
    NEAR(value_at("loop", t, "probe.tip.x"), x - 0.01 * s, 0, 3e-4);
    NEAR(value_at("loop", t, "probe.tip.z"), z + 0.02 * s, 0, 3e-4);
  }
}

static void a_line_goes_through_loops(void) {
  const double x = 0.02 + 0.06 * 0.573576436351046;
  check_line("hand/right_carrier", "[0, 0, 0]", x);
  check_line("right_bar", "[0, 0, -30 mm]", x + 0.02);
  check_run(
      "run examples/linkage_gripper.yaml --set soft={} --set output.pairs=[] --set "
      "output.format=none --set time.end=0.2 --set constraints.right_top.until.at=0.05 --set "
      "\"tasks={go: {frame: right_bar, phases: {a: {move: {offset: [0, 0, 5 mm], rotation: "
      "none}, duration: 0.1 s}, b: {move: {offset: [0, 0, 5 mm]}, duration: 0.1 s}}}}\" -o "
      "FOLDER/open",
      0, "no joint of 'hand' moves the frame now");
}

/** Angle of the first bar of 0.2 m, on a base at x = 0 (right: 0.2 m), of a pin at (x, z). */
static double bar_angle(double x, double z, int right) {
  double d = hypot(x - .2 * right, z);
  return atan2(z, x - .2 * right) + (right ? -1 : 1) * acos(d / .4);
}

/* Drives of both robots of a five-bar place its pin, or a free body on it, to the closed form; one
 * that follows a schedule or another task keeps to that. */
static void drives_of_two_robots_place_their_pin(void) {
  check_run(FIVE "-o FOLDER/five", 0, "");
  check_run(FIVE
            "--set \"rigid={node: {shape: {sphere: {radius: 1 mm}}, mass: 10 g, pose: "
            "{position: [100 mm, 0, 200 mm]}}}\" --set \"constraints={one: {type: ball, bodies: "
            "[l/b, node], point: [0, 0, 0]}, two: {type: ball, bodies: [r/b, node], point: [0, "
            "0, 0]}}\" --set tasks.go.frame=node --set tasks.go.tool.position=[0,0,0] -o "
            "FOLDER/node",
            0, "");
  for (int run = 0; run < 2; run++)
    for (double t = .05; t < .601; t += .05) {
      double u = fmin(2 * t, 1), s = u * u * u * (10 - 15 * u + 6 * u * u);
      double x = .1 + .03 * s, z = .2 + .05 * s;
      NEAR(value_at(run ? "node" : "five", t, "probe.pin.x"), x, 0, 3e-4);
      NEAR(value_at(run ? "node" : "five", t, "probe.pin.z"), z, 0, 3e-4);
    }
  NEAR(value_at("five", .6, "l.ja.q"), bar_angle(.13, .25, 0), 0, 1e-4);
  NEAR(value_at("five", .6, "r.ja.q"), bar_angle(.13, .25, 1), 0, 1e-4);
  check_run("ik tests/data/tasks/five_bar.yaml --frame l/b --tool 200mm,0,0 --pose 100mm,0,250mm",
            0, "'r', in a loop with it:");
  check_run(FIVE
            "--set \"actuators.right.targets=[[0, 1.056847385], [1 s, 1.056847385]]\" -o "
            "FOLDER/five_no",
            2, "the goal is out of reach along the line");
  check_run(FIVE
            "--set \"tasks.other={phases: {stay: {joints: {r/ja: 1.056847385 rad}, duration: "
            "0.5 s}}}\" -o FOLDER/five_no",
            2, "the goal is out of reach along the line");
}

static void guards_repeat_and_resume_bit_by_bit(void) {
  check_run(PICK "-o FOLDER/one --threads 1", 0, "");
  check_run(PICK "-o FOLDER/two --threads 2", 0, "");
  check_run(PICK "-o FOLDER/short --set output.checkpoint.wall_interval=0 --set time.end=0.85", 0,
            "");
  check_run("run --resume FOLDER/short -q --set time.end=3", 0, "");
  app_check_same("one", "two", "history.csv");
  app_check_same("one", "two", "events.csv");
  app_check_same("one", "short", "history.csv");
  app_check_same("one", "short", "events.csv");
}

#define CLOSE "--set tasks.pick.phases.close.until.when.above=9 "

static void late_guards_stop_retry_or_go_on(void) {
  check_run("run tests/data/tasks/pick.yaml " CLOSE "-o FOLDER/stop", 0,
            "1.6 s: task 'pick' stops in phase 'close': arm.left.tau was not above 9 within 1 s");
  NEAR(value_at("stop", 3, "task.pick.phase"), -1, 0, 0);
  check_run(PICK CLOSE "--strict -o FOLDER/strict", 5, "WARN  task 'pick' stopped at t = 1.6 s");
  check_run("run tests/data/tasks/pick.yaml " CLOSE
            "--set tasks.pick.phases.close.otherwise=next -o FOLDER/next",
            0, "1.6 s: task 'pick', phase 'lift' begins");
  check_run(
      "run tests/data/tasks/pick.yaml " CLOSE
      "--set tasks.pick.phases.close.timeout=0.4 --set tasks.pick.phases.close.otherwise=close "
      "--set tasks.pick.phases.close.retries=2 -o FOLDER/retry",
      0, "1.8 s: task 'pick' stops in phase 'close'");
  NEAR(time_of("retry", "phase 'close' ends by its timeout"), 1, 0, 1e-9);
  check_run(
      "run tests/data/tasks/pick.yaml --set tasks.pick.phases.close.until.when.above=9 --set "
      "tasks.pick.phases.close.timeout=9 -o FOLDER/waits",
      0, "task 'pick': in phase 'close' at the end at 3 s");
}

/** Phases that `then` leads to, also backward; `stop` is the end. */
static void phases_go_on_with_others(void) {
  check_run(PICK
            "--set time.end=2 --set \"tasks.pick.phases={up: {move: {offset: [0, 0, 10 mm]}, "
            "duration: 0.2 s, until: {when: {column: probe.hand.z, above: 0.195}}, timeout: 0.2 "
            "s, otherwise: up, retries: 9, then: down}, left: {duration: 9 s}, down: {move: "
            "{offset: [0, 0, -10 mm]}, duration: 0.2 s, then: stop}, never: {duration: 9 s}}\" "
            "-o FOLDER/then",
            0, "");
  NEAR(time_of("then", "phase 'down' begins"), 0.7, 0, 0.02); /* half the fourth way up */
  NEAR(value_at("then", 2, "task.pick.phase"), 4, 0, 0);
  CHECK(time_of("then", "phase 'left' begins") < 0 && time_of("then", "phase 'never'") < 0);
}

/** A guard stops the frame in the last phase, too, and before the end that `then: stop` makes. */
static void a_guard_stops_the_last_motion(void) {
  check_run(PICK
            "--set time.end=1.2 --set \"tasks.pick.phases={up: {move: {offset: [0, 0, 60 mm]}, "
            "duration: 1 s, until: {at: 0.4 s}}}\" -o FOLDER/last",
            0, "");
  NEAR(value_at("last", 1.2, "task.pick.phase"), 1, 0, 0);
  NEAR(value_at("last", 1.2, "probe.hand.z"), 0.16 + 0.06 * 0.31744, 0, 1e-3);
}

/** The block's place when the phase begins, not that of the scene. */
static void goals_follow_bodies(void) {
  check_run(PICK
            "--set rigid.block.velocity=[0,-0.1,0] --set gravity=[0,0,0] --set time.end=1.5 "
            "--set \"tasks.pick.phases={wait: {until: {at: 0.5 s}}, go: {move: {body: block, "
            "position: [0, 0, 60 mm], rotation: none}, duration: 1 s}}\" -o FOLDER/body",
            0, "");
  NEAR(value_at("body", 1.5, "probe.hand.y"), value_at("body", 0.5, "block.y"), 0, 1e-3);
  NEAR(value_at("body", 0.5, "block.y"), -0.05, 0, 1e-3);
  /* the centre of mass of a soft body */
  check_run(
      PICK
      "--set gravity=[0,0,0] --set time.end=1.5 --set \"materials={foam: {youngs_modulus: 50 "
      "kPa, poissons_ratio: 0.2, density: 100}}\" --set \"soft={pad: {mesh: {box: {size: [20 "
      "mm, 20 mm, 20 mm], cells: [2, 1, 1]}}, material: foam, pose: {position: [20 mm, -10 "
      "mm, 220 mm]}, velocity: [0, -0.1, 0]}}\" --set \"tasks.pick.phases={wait: {until: {at: "
      "0.5 s}}, go: {move: {body: pad, position: [0, 0, -70 mm], rotation: none}, duration: 1 "
      "s}}\" -o FOLDER/soft",
      0, "");
  NEAR(value_at("soft", 0.5, "pad.com_y"), -0.05, 0, 1e-6);
  NEAR(value_at("soft", 1.5, "probe.hand.x"), 0.03, 0, 1e-3);
  NEAR(value_at("soft", 1.5, "probe.hand.y"), -0.05, 0, 1e-3);
  NEAR(value_at("soft", 1.5, "probe.hand.z"), 0.16, 0, 1e-3);
  /* out of reach by then */
  check_run(
      "run tests/data/tasks/pick.yaml --set rigid.block.velocity=[2,0,0] --set "
      "gravity=[0,0,0] --set time.end=1.5 --set \"tasks.pick.phases={wait: {until: {at: 0.5 "
      "s}}, go: {move: {body: block, position: [0, 0, 60 mm], rotation: none}, duration: 1 "
      "s}}\" -o FOLDER/far",
      0, "task 'pick' stops in phase 'go': the nearest place is ");
}

static void refuses(const char *sets, const char *message) {
  char command[1024];
  snprintf(command, sizeof command, PICK "%s -o FOLDER/wrong", sets);
  check_run(command, 2, message);
}

static void what_a_task_overrules_is_told(void) {
  check_run(
      "run tests/data/tasks/pick.yaml --check --set \"actuators.left.targets=[[0 s, 0], [2 s, "
      "5 mm]]\" -o FOLDER/told",
      0, "the targets of 'left' end where task 'pick' first moves it");
  check_run(
      "run tests/data/tasks/pick.yaml --set time.end=0.7 --set "
      "\"tasks.pick.phases.down.until={at: 0.01}\" -o FOLDER/told",
      0, "the guard of phase 'down' was true as it began");
}

#define FAST \
  "run tests/data/tasks/pick.yaml --check --set \"tasks.pick.phases={turn: {joints: {arm/elbow: "

/** Lengths of motions of given speeds, and the warning at the very limit. */
static void speeds_are_kept_or_told(void) {
  check_run(PICK
            "--set gravity=[0,0,0] --set time.end=1.3 --set \"tasks.pick.phases={line: {move: "
            "{offset: [0, 0, -30 mm], path: line}, speed: 75 mm/s}, jaw: {joints: {arm/left: 30 "
            "mm}, speed: 0.1 m/s, interpolation: trapezoid}, none: {joints: {arm/left: 30 mm}, "
            "speed: 1 m/s}, turn: {move: {offset: [0, 0, 0], rpy: [0, 0, 1], rotation: none}, "
            "speed: 2 rad/s}}\" -o FOLDER/speed",
            0, "");
  NEAR(time_of("speed", "phase 'line' ends"), 0.75, 0, 1e-9); /* 15/8 30/75 */
  NEAR(time_of("speed", "phase 'jaw' ends"), 1.2, 0, 1e-9);   /* 3/2 30/100 */
  CHECK(time_of("speed", "phase 'none' ends") <= 1.2101);
  NEAR(value_at("speed", 1.3, "probe.hand.z"), 0.13, 0, 1e-3);
  check_run(FAST "1.6}, duration: 1 s}}\"", 0,
            "task 'pick', phase 'turn': the joint 'elbow' moves at up to 3 rad/s, faster than its "
            "limit of 2 rad/s; a duration of 1.5 s or more is slow enough");
  CHECK(!strstr(check_run(FAST "1.6}, duration: 1.5 s}}\"", 0, ""), "faster than"));
  check_run(
      "run tests/data/tasks/pick.yaml -o FOLDER/late --set time.end=0.1 --set "
      "\"tasks.pick.phases={go: {move: {body: block, position: [0, 0, 60 mm], rotation: "
      "none}, duration: 20 ms}}\"",
      0, "task 'pick', phase 'go': the joint '");
}

static void a_frame_off_its_goal_is_told(void) {
  check_run(
      "run tests/data/tasks/pick.yaml -o FOLDER/off --set time.end=0.6 --set "
      "actuators.lift.effort=0.1 --set \"tasks.pick.phases={go: {move: {offset: [0, 0, 100 mm], "
      "rotation: none}, duration: 0.5 s}}\"",
      0, "0.5 s: task 'pick', phase 'go' ends with its frame 130 mm off its goal"); /* 160 to 260 */
  CHECK(!strstr(check_run("run tests/data/tasks/pick.yaml -o FOLDER/at", 0, ""), "off its goal"));
}

static void a_check_lists_phases(void) {
  check_run("run tests/data/tasks/pick.yaml --check", 0,
            "  1 'close': arm/left to 0.03 m; arm/left at most 5 N; arm/right to 0.02 m; 0.6 s; "
            "until arm.left.tau is above 4.9 N m or N, at most 1 s");
}

static void wrong_tasks_are_told(void) {
  refuses("--set tasks.pick.phases.swing.move.position=[0,0,1]",
          "phase 'swing': the goal is out of reach from there: the nearest place is ");
  refuses("--set tasks.pick.phases.lift.move.offset=[0,0,1]",
          "phase 'lift': the goal is out of reach along the line: ");
  refuses("--set \"tasks.pick.phases.close.joints={arm/left: 30}\"",
          "the target 30 of the joint 'arm/left' is outside its limits, 0 to 0.034 m");
  refuses("--set \"tasks.pick.phases.close.effort={arm/left: 31 N}\"",
          "is not between 0 and 30 N,");
  refuses("--set \"tasks.pick.phases.close.joints={arm/lft: 30 mm}\"", "arm/left");
  refuses("--set tasks.pick.phases.close.otherwise=open", "there is no phase 'open' to go on with");
  refuses("--set tasks.pick.phases.close.then=lft", "did you mean 'lift'?");
  refuses("--set tasks.pick.phases.close.until.when.above=\"4 Pa\"", "4 Pa");
  refuses("--set tasks.pick.phases.close.until.when.above=\"4 N m\"", "4 N m");
  refuses(
      "--set tasks.pick.phases.close.until.when.column=arm.elbow.q --set "
      "tasks.pick.phases.close.until.when.above=\"4 mm\"",
      "4 mm");
  refuses(
      "--set tasks.pick.phases.close.until.when.column=energy.joint_friction --set "
      "tasks.pick.phases.close.until.when.above=1",
      "a sum since the start");
  refuses("--set \"tasks.pick.phases.lift.joints={arm/lift: 0}\"", "cannot have a target, too");
  refuses(
      "--set tasks.pick.phases.close.timeout=0.1 --set tasks.pick.phases.close.until.when.for=0.2",
      "must hold for 0.2 s, longer than the timeout");
  refuses("--set tasks.pick.phases.lift.retries=2", "retries go with a phase to go back to");
  refuses("--set tasks.pick.phases.lift.timeout=2", "has a timeout, but no guard");
  refuses("--set tasks.pick.phases.lift.duration=0", "needs a duration");
  refuses("--set tasks.pick.phases.lift.speed=\"1 m/s\"", "has a speed and a duration");
  refuses("--set \"tasks.pick.phases.close={joints: {arm/left: 1 mm}, speed: 2}\"",
          "the speed 2 needs its unit, m/s or rad/s");
  refuses("--set \"tasks.pick.phases.close={joints: {arm/left: 1 mm}, speed: 2 mm}\"", "m/s");
  refuses("--set \"tasks.pick.phases.close={joints: {arm/left: 1 mm}, speed: 2 rad/s}\"",
          "its speed is one in rad/s, in which nothing moves");
  refuses("--set tasks.pick.phases.lift.move.position=[0,0,0]", "one of the keys position and");
  refuses("--set tasks.pick.frame=table", "no joint between the base and the frame's link has");
  refuses("--set tasks.pick.frame=block", "no joints move 'block', a free body that constraints");
  refuses("--set tasks.pick.frame=arm/hnd", "arm/hand");
  refuses("--set \"tasks.other={frame: arm/hand, phases: {a: {duration: 1 s}}}\"",
          "the tasks 'pick' and 'other' both move the drive");
  refuses("--set tasks.pick.phases={}", "has no phases");
  refuses("--set \"time={end: 1 s, accuracy: 1.0e-3}\"", "time.accuracy");
  check_run("static tests/data/tasks/pick.yaml -o FOLDER/wrong", 2, "static equilibria");
}

SUITE_TESTS(tasks, TEST(a_block_is_picked_lifted_and_swung), TEST(a_line_is_a_line),
            TEST(a_line_goes_through_loops), TEST(drives_of_two_robots_place_their_pin),
            TEST(guards_repeat_and_resume_bit_by_bit), TEST(late_guards_stop_retry_or_go_on),
            TEST(phases_go_on_with_others), TEST(a_guard_stops_the_last_motion),
            TEST(goals_follow_bodies), TEST(speeds_are_kept_or_told),
            TEST(a_frame_off_its_goal_is_told), TEST(a_check_lists_phases),
            TEST(what_a_task_overrules_is_told), TEST(wrong_tasks_are_told));
