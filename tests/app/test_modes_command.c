/* supple modes. */
#include "app_test.h"

static const char scene[] =
    "supple: 1\n"
    "title: A column\n"
    "time: {step: 10 ms, end: 1 s}\n"
    "gravity: [0, 0, 0]\n"
    "soft:\n"
    "  column:\n"
    "    mesh: {box: {size: [200 mm, 10 mm, 8 mm], cells: [24, 2, 2]}}\n"
    "    material: {model: linear_corotational, youngs_modulus: 10 MPa, poissons_ratio: 0, "
    "density: 1000 kg/m^3}\n"
    "    clamp: [{half_space: {normal: [1, 0, 0], offset: 0.1 mm}}]\n"
    "    tractions: [{region: {half_space: {normal: [-1, 0, 0], offset: -199.9 mm}}, force: [-0.1 "
    "N, 0, 0]}]\n";

/* pi^2 E I/(4 L^2 P) = 2.6319 with I = b h^3/12. */
static void a_column_buckles_at_its_load(void) {
  app_write_file("column.yaml", scene);
  const char *out = check_run("modes FOLDER/column.yaml --buckling --modes 2 -o FOLDER/b", 0,
                              "none is missed: 2");
  const char *line = strstr(out, "\n   1");
  double      factor = 0;
  CHECK(line && sscanf(line, " 1 %lf", &factor) == 1);
  NEAR(factor, 2.6319, 5e-3, 0);
  check_run("modes FOLDER/column.yaml --buckling --loaded --modes 1 -o FOLDER/b", 0, "column");
}

static void frames_have_a_period_of_each_mode(void) {
  app_write_file("column.yaml", scene);
  check_run("modes FOLDER/column.yaml --modes 3 -o FOLDER/m", 0, "none is missed: 3");
  CHECK(system(app_arguments("test $(ls FOLDER/m/vtk/column_*.vtk | wc -l) = 48")) == 0);
  CHECK(system(app_arguments("test $(wc -l <FOLDER/m/modes.csv) = 4")) == 0);
  CHECK(system(app_arguments("test $(wc -l <FOLDER/m/history.csv) = 49")) == 0);
  CHECK(system(app_arguments(
            "grep -q '\"frequency\": ' FOLDER/m/summary.json && test -s "
            "FOLDER/m/manifest.json -a -s FOLDER/m/resolved.yaml -a -s FOLDER/m/paraview.py")) ==
        0);
  /* the fifth frame of a mode is a quarter of a period: 5 % of the scene's size */
  CHECK(system(app_arguments("grep -aq 'displacement' FOLDER/m/vtk/column_0004.vtk")) == 0);
}

static void wrong_words_are_told(void) {
  app_write_file("column.yaml", scene);
  check_run("modes", 2, "a scene is missing");
  check_run("modes FOLDER/column.yaml --modes 0", 2, "found 0 for --modes, expected 1 or more");
  check_run("modes FOLDER/column.yaml --load", 2, "did you mean --loaded?");
  check_run("modes FOLDER/column.yaml -q -o FOLDER/m --set solver.petsc_matrix=free", 2, "");
  check_run("modes --help", 0, "effective");
}

SUITE_TESTS(modes_command, TEST(a_column_buckles_at_its_load),
            TEST(frames_have_a_period_of_each_mode), TEST(wrong_words_are_told));
