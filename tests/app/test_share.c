/* One page for a browser with the results of a run, in a browser without a screen. */
#include "app_test.h"

static int has(const char *command) {
  char line[256];
  snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
  return system(line) == 0;
}

/** A sweep whose second case fails, with frames; a ladder without. */
static void share_studies(void) {
  char here[4096], text[9000];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(here, sizeof here));
  snprintf(text, sizeof text,
           "supple: 1\ntitle: drop\nscene: %s/tests/data/scene/drop.yaml\nmode: run\n"
           "set: {output.format: binary, time.end: 10 ms}\nparameters: {E: {key: "
           "soft.cube.material.youngs_modulus, values: [50 kPa, -1 kPa, 100 kPa]}}\n"
           "quantities: {height: {column: ball.z, take: end, scale: 1000, unit: mm}}\n",
           here);
  app_write_file("sweep.yaml", text);
  check_run("sweep FOLDER/sweep.yaml -q -o FOLDER/sweep --no-plot", 1, "case_00002 failed");
  check_run("share FOLDER/sweep", 0, "3 points");
  snprintf(text, sizeof text,
           "supple: 1\nscene: %s/examples/studies/cantilever_bar.yaml\nmode: static\n"
           "ladder: {key: soft.bar.mesh.box.cells, start: [10, 1, 1], factor: 2, levels: 2}\n"
           "quantities: {c: {column: energy.elastic}}\n",
           here);
  app_write_file("ladder.yaml", text);
  check_run("converge FOLDER/ladder.yaml -q -o FOLDER/ladder --no-plot", 0, "");
  check_run("share FOLDER/ladder", 0, "2 points");
  check_run("optimize tests/data/optimize/by_bars.yaml -q -o FOLDER/optimize --no-plot", 0, "");
  check_run("share FOLDER/optimize", 0, "14 points");
  check_run("gradient tests/data/gradient/by_cylinder.yaml -q -o FOLDER/gradient --no-plot", 0, "");
  check_run("share FOLDER/gradient", 0, "5 points");
  app_write_file("swing.csv", "t, x\n0.1, 0.08\n0.2, 0.05\n0.3, 0.02\n");
  snprintf(text, sizeof text,
           "supple: 1\nscene: %s/tests/data/gradient/osc.yaml\nset: {output.format: binary}\n"
           "parameters:\n"
           "  k: {key: actuators.k.kp, value: 40 N/m, from: 1, to: 500}\nfit:\n  experiments:\n"
           "    swing: {data: swing.csv, y: {column: o.x.q}, scatter: 0.001 m}\n",
           here);
  app_write_file("fit.yaml", text);
  check_run("fit FOLDER/fit.yaml -q -o FOLDER/fit --no-plot", 0, "");
  check_run("share FOLDER/fit", 0, "1 points");
}

static void the_page_shows_what_the_frames_have(void) {
  if (!has("/usr/bin/python3 -c 'import vtk, numpy, yaml, matplotlib, PIL'"))
    SKIP("python3-vtk9 or python3-matplotlib is not installed; ");
  check_run("run examples/finray_grasp.yaml -q --share -o FOLDER/grasp", 0, "");
  check_run("share FOLDER/grasp -o FOLDER/grasp/again.html", 0, "");
  CHECK(system(app_arguments("cmp FOLDER/grasp/share.html FOLDER/grasp/again.html")) == 0);
  check_run("run examples/balloon.yaml -q --set time.end=0.04 -o FOLDER/balloon", 0, "");
  check_run("run examples/soft_cube_drop.yaml -q --share --set time.end=0.02 -o FOLDER/drop", 0,
            "");
  share_studies();
  check_run("share FOLDER/grasp --frames 60 -o FOLDER/grasp/few.html", 0, "");
  CHECK(system(app_arguments("test -s FOLDER/grasp/few.html -a ! -e FOLDER/grasp/plot.log")) == 0);
  if (!has("command -v chromium chromedriver") || !has("/usr/bin/python3 -c 'import selenium'"))
    SKIP("chromium, chromium-driver or python3-selenium is not installed; ");
  CHECK(system(app_arguments(
            "/usr/bin/python3 tests/app/share.py FOLDER/grasp "
            "FOLDER/grasp/share.html FOLDER/balloon FOLDER/drop/share.html "
            "FOLDER/sweep/share.html FOLDER/ladder/share.html "
            "FOLDER/optimize/share.html FOLDER/gradient/share.html FOLDER/fit/share.html "
            ">FOLDER/share.log 2>&1 || { cat FOLDER/share.log; false; }")) == 0);
}

static void frames_that_are_damaged_and_fields_that_there_are_not_are_refused(void) {
  if (!has("/usr/bin/python3 -c 'import vtk, numpy, yaml, matplotlib'"))
    SKIP("python3-vtk9 or python3-matplotlib is not installed; ");
  check_run("run examples/soft_cube_drop.yaml -q --set time.end=0.02 -o FOLDER/drop", 0, "");
  check_run("share FOLDER/drop --fields von_mises,stress", 1, "found 'stress', expected cauchy_");
  check_run("share FOLDER/drop --fields cauchy_stress -o FOLDER/few.html", 0, "");
  CHECK(system(app_arguments("truncate -s 20000 FOLDER/drop/vtk/cube_0001.vtk")) == 0);
  check_run("share FOLDER/drop", 1, "cube_0001.vtk: the file is cut short or damaged");
  CHECK(system(app_arguments("rm FOLDER/drop/vtk/cube_0001.vtk")) == 0);
  check_run("share FOLDER/drop", 1, "cube_0001.vtk: the file is missing");
  CHECK(system(app_arguments("rm -r FOLDER/drop/vtk")) == 0);
  check_run("share FOLDER/drop", 1,
            "holds no frames, vtk/*.vtk.series; 'output.format: none' "
            "writes none, --set output.format=binary does");
}

static void the_command_finds_its_script(void) {
  check_run("share --help", 0, "one HTML file");
  check_run("share", 2, "a folder of results is missing");
  check_run("share --filds x", 2, "did you mean --fields?");
}

SUITE_TESTS(share, TEST(the_page_shows_what_the_frames_have),
            TEST(frames_that_are_damaged_and_fields_that_there_are_not_are_refused),
            TEST(the_command_finds_its_script));
