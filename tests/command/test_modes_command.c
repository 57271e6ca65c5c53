/* supple modes. */
#include "app/app_test.h"

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

/* pi^2 E I/(4 L^2 P) = 2.6319 with I = b h^3/12, at loads of any size. */
static void a_column_buckles_at_its_load(void) {
  app_write_file("column.yaml", scene);
  for (double load = 1e-6; load < 1e6; load *= 1e3) {
    char command[200];
    snprintf(command, sizeof command,
             "modes FOLDER/column.yaml --buckling --modes 2 -o FOLDER/b "
             "--set soft.column.tractions.0.force.0=%.9f",
             -.1 * load);
    const char *line = strstr(check_run(command, 0, "none is missed: 2"), "\n   1");
    double      factor = 0;
    CHECK(line && sscanf(line, " 1 %lf", &factor) == 1);
    NEAR(factor * load, 2.6319, 5e-3, 0);
  }
  check_run(
      "modes FOLDER/column.yaml --buckling -o FOLDER/b "
      "--set soft.column.tractions.0.force.0=-1e7",
      2, "of the loads: give loads of about that size");
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

/** A mass on damped springs beside a steel cube that nothing holds, and a post that is fixed: w^2 =
 * k/m, damping c/(2 sqrt(k m)), all of the mass that can move; the cube has six rigid motions. */
static void slow_modes_are_no_rigid_motions(void) {
  static const double k[3] = {0.5, 10, 100};
  app_write_file(
      "slow.yaml",
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
      "materials: {steel: {youngs_modulus: 210 GPa, poissons_ratio: 0.3, density: 7800}}\n"
      "rigid:\n  ball: {shape: {sphere: {radius: 1 cm}}, mass: 2, joint: translation}\n"
      "  post: {shape: {box: {size: [1, 1, 1]}}, mass: 50, fixed: true, pose: {position: [5, 0, "
      "0]}}\n"
      "springs: {s: {bodies: [world, ball], stiffness: [0.5, 10, 100], damping: [1, 1, 1]}}\n"
      "soft:\n  cube:\n    mesh: {box: {size: [4 mm, 4 mm, 4 mm], cells: [8, 8, 8]}}\n"
      "    material: steel\n    pose: {position: [3, 0, 0]}\n");
  const char *out = check_run("modes FOLDER/slow.yaml --modes 9 -o FOLDER/slow", 0,
                              "6 rigid motions without stiffness");
  const char *line = strstr(out, "\n   7");
  for (int i = 0; i < 3; i++, line = line ? strchr(line + 1, '\n') : NULL) {
    double frequency = 0, period, damping = 0, mass[3], share[3];
    int    mode;
    CHECK(line &&
          sscanf(line, "%d %lf %lf %lf %lf %lf %lf %lf %lf %lf", &mode, &frequency, &period,
                 &damping, &mass[0], &share[0], &mass[1], &share[1], &mass[2], &share[2]) == 10);
    NEAR(frequency, sqrt(k[i] / 2) / (2 * 3.14159265358979), 1e-6, 0);
    NEAR(damping, 1 / (2 * sqrt(k[i] * 2)), 0, 6e-6); /* five digits */
    NEAR(mass[i], 2, 1e-3, 0);
    CHECK(share[i] > 99.8);
  }
}

/** A plate that a pressure curls up, with three free edges. */
static void equilibria_that_free_edges_prevent_are_told(void) {
  app_write_file(
      "curled.yaml",
      "supple: 1\ntime: {step: 10 ms, end: 1 s}\ngravity: [0, 0, 0]\nstatic: {steps: 40}\n"
      "materials: {m: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000}}\n"
      "soft: {plate: {mesh: {box: {size: [100 mm, 20 mm, 4 mm], cells: [10, 2, 1]}},\n"
      "  material: m, clamp: [{named: x_min}],\n"
      "  tractions: [{region: {named: z_min}, pressure: 2 kPa}]}}\n");
  check_run("static FOLDER/curled.yaml -o FOLDER/m --set materials.m.model=corotational", 1,
            "a pressure turns with its free edges: it has no energy");
  check_run(
      "static FOLDER/curled.yaml -o FOLDER/m --set materials.m.model=corotational --set "
      "soft.plate.tractions.0.pressure=0.1kPa",
      0, "PASS  force error");
}

/** Devices whose stiffness is in no matrix. */
static void what_modes_leave_out_is_refused_by_name(void) {
  app_write_file("hinged.yaml",
                 "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
                 "rigid: {bar: {shape: {box: {size: [1, 0.1, 0.1]}}, mass: 1}}\n"
                 "constraints: {pin: {type: hinge, bodies: [world, bar], point: [0, 0, 0], axis: "
                 "[0, 1, 0]}}\n");
  check_run("modes FOLDER/hinged.yaml -o FOLDER/m", 2, "the hinge 'pin' joins rigid ones");
  check_run("modes examples/cable_finger.yaml -o FOLDER/m", 0, "none is missed");
  check_run("modes examples/continuum_arm.yaml --buckling -o FOLDER/m", 2, "of a given tension");
  check_run("modes examples/bubble_gripper.yaml --buckling -o FOLDER/m", 2, "of a given pressure");
  app_write_file("pressed.yaml", scene);
  check_run(
      "modes FOLDER/pressed.yaml --loaded -o FOLDER/m --set "
      "'soft.column.tractions=[{region: {half_space: {normal: [-1, 0, 0], offset: -199.9 "
      "mm}}, pressure: 1 kPa}]'",
      0, "ends at 8 free edges: its stiffness is not symmetric");
  app_write_file("floor.yaml",
                 "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
                 "rigid: {floor: {shape: {half_space: {}}, fixed: true}}\n");
  check_run("modes FOLDER/floor.yaml -o FOLDER/m", 2, "no mode: all bodies are fixed");
}

SUITE_TESTS(modes_command, TEST(slow_modes_are_no_rigid_motions),
            TEST(what_modes_leave_out_is_refused_by_name),
            TEST(equilibria_that_free_edges_prevent_are_told), TEST(a_column_buckles_at_its_load),
            TEST(frames_have_a_period_of_each_mode), TEST(wrong_words_are_told));
