/* Events of scenes: the same step for any number of threads, in resumed runs and branches. */
#include "app/app_test.h"

/** A strip that a hold lifts by one end until it pulls with more than .3 N. */
#define SCENE(until)                                                                           \
  "supple: 1\n"                                                                                \
  "time: {step: 2 ms, end: 0.3 s}\n"                                                           \
  "materials: {rubber: {youngs_modulus: 1 MPa, poissons_ratio: 0.45, density: 1100 kg/m^3}}\n" \
  "rigid: {floor: {shape: {half_space: {}}, fixed: true}}\n"                                   \
  "soft:\n"                                                                                    \
  "  strip:\n"                                                                                 \
  "    mesh: {box: {size: [20 cm, 4 cm, 8 mm], cells: [10, 2, 2]}}\n"                          \
  "    material: rubber\n"                                                                     \
  "    hold:\n"                                                                                \
  "      - region: {named: x_max}\n"                                                           \
  "        name: cup\n"                                                                        \
  "        axes: [x, y, z]\n"                                                                  \
  "        motion: {position: [[0.02, 0, 0, 0], [0.1, 0, 0, 3 mm], [0.3, 0, 0, 6 cm]]}\n"      \
  "        from: {at: 20 ms}\n"                                                                \
  "        until: {when: " until                                                               \
  "}\n"                                                                                        \
  "output: {format: none}\n"

static const char scene[] = SCENE("{column: reaction.strip.cup.fz, above: 300 mN, for: 10 ms}");

static const char *last_line(const char *text) {
  const char *line = text + strlen(text) - 1;
  while (line > text && line[-1] != '\n') line--;
  return line;
}

/** Value behind the n-th comma of the last line. */
static double last_value(const char *text, int n) {
  const char *line = last_line(text);
  for (; n > 0; n--) line = strchr(line, ',') + 1;
  return atof(line);
}

static void the_same_step_ends_a_hold_in_all_runs(void) {
  app_write_file("strip.yaml", scene);
  check_run("run FOLDER/strip.yaml -o FOLDER/one --threads 1", 0,
            "hold 'cup' of 'strip' ends, reaction");
  check_run("run FOLDER/strip.yaml -o FOLDER/two --threads 2", 0,
            "s: hold 'cup' of 'strip' begins");
  char  *events = app_read_file("one", "events.csv");
  double fired = last_value(events, 0);
  CHECK(fired > .05 && fired < .25 && last_value(events, 3) > .3);
  CHECK(strstr(events, "time,event,column,value\n0.02,hold 'cup' of 'strip' begins,time,0.02\n") ==
        events);
  SUP_FREE(events);
  char command[400];
  snprintf(command, sizeof command,
           "run FOLDER/strip.yaml -o FOLDER/short --set output.checkpoint.wall_interval=0 "
           "--set time.end=%.3f",
           fired - .004); /* the column is above its bound, but not for long enough */
  check_run(command, 0, "hold 'cup' of 'strip' ends: not up to the end at ");
  check_run("run FOLDER/strip.yaml -q --from FOLDER/short --set time.end=0.3 -o FOLDER/branch", 0,
            "");
  check_run("run --resume FOLDER/short -q --set time.end=0.3", 0, "");
  app_check_same("one", "two", "history.csv");
  app_check_same("one", "short", "history.csv");
  app_check_same("one", "two", "events.csv");
  app_check_same("one", "short", "events.csv");
  app_check_same("one", "branch", "events.csv");
  char *one = app_read_file("one", "history.csv"), *branch = app_read_file("branch", "history.csv");
  CHECK(strcmp(last_line(one), last_line(branch)) == 0);
  SUP_FREE(one);
  SUP_FREE(branch);
}

static void refuses(const char *text, const char *message) {
  app_write_file("wrong.yaml", text);
  check_run("run FOLDER/wrong.yaml -o FOLDER/wrong", 2, message);
}

static void wrong_conditions_are_refused_at_their_place(void) {
  refuses(SCENE("{column: reaction.strip.cup.fy3, above: 1}"),
          "wrong.yaml:15:16: hold 'cup' of 'strip' ends: there is no column "
          "'reaction.strip.cup.fy3'; did you mean 'reaction.strip.cup.f");
  refuses(SCENE("{column: reaction.strip.cup.fz, above: 1 mm}"),
          "wrong.yaml:15:62: above must be a force");
  refuses(SCENE("{column: reaction.strip.cup.fz}"), "one of the keys above and below");
  refuses(SCENE("{column: wall, above: 1}"), "there is no column 'wall'");
}

SUITE_TESTS(events, TEST(the_same_step_ends_a_hold_in_all_runs),
            TEST(wrong_conditions_are_refused_at_their_place));
