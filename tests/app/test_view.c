/* The window on results, driven by its keys on a screen that nobody sees. */
#include "app_test.h"

static int has(const char *command) {
  char line[256];
  snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
  return system(line) == 0;
}

static void keys_and_sliders_do_what_they_say(void) {
  if (!has("command -v xvfb-run") || !has("/usr/bin/python3 -c 'import vtk, numpy, yaml'"))
    SKIP("xvfb-run or python3-vtk9 is not installed; ");
  check_run(
      "run examples/finray_press.yaml -q --set time.end=0.3 --set "
      "output.arrays=[default,von_mises_recovered] -o FOLDER/press",
      0, "");
  check_run("run examples/soft_cube_drop.yaml -q --set time.end=0.02 -o FOLDER/drop", 0, "");
  CHECK(system(app_arguments("xvfb-run -a -s '-screen 0 1600x1200x24' /usr/bin/python3 "
                             "tests/app/view.py FOLDER/press FOLDER/drop >FOLDER/view.log 2>&1 || "
                             "{ cat FOLDER/view.log; false; }")) == 0);
}

static void the_command_finds_its_script(void) {
  check_run("view --help", 0, "curves of history.csv");
  check_run("view", 2, "a folder of results is missing");
  check_run("view --feild x", 2, "did you mean --field?");
}

static void without_frames_there_is_no_script(void) {
  check_run("run examples/finray_press.yaml -q --set time.end=0.02 -o FOLDER/none", 0, "");
  CHECK(system(app_arguments("test -s FOLDER/none/paraview.py")) == 0);
  check_run(
      "run examples/finray_press.yaml -q --set time.end=0.02 --set output.format=none "
      "-o FOLDER/none",
      0, "");
  CHECK(system(app_arguments("test -e FOLDER/none/paraview.py")) != 0);
}

SUITE_TESTS(view, TEST(keys_and_sliders_do_what_they_say), TEST(the_command_finds_its_script),
            TEST(without_frames_there_is_no_script));
