/* R31, THEORY 33: what rolls on soft bodies, and soft bodies that roll. */
#include "rolling.h"

/* A steel roller on a rubber sheet that is held, and on a block that lies on a floor: it lost .19
 * to .81 of its speed in half a second, on the block .23 at 5 ms. */
static void a_roller_keeps_its_speed_on_rubber(void) {
  static const double some[2][2] = {{2e-3, 1e-2}, {5e-3, 1e-2}}, off[2] = {.02, .03};
  static const char  *bed[] = {
       "{mesh: {box: {size: [400 mm, 20 mm, 5 mm], cells: [160, 4, 1]}}, material: r, pose: "
        "{position: [-50 mm, -10 mm, -5 mm]}, clamp: [{named: z_min}]}\nrigid:\n",
       "{mesh: {box: {size: [400 mm, 30 mm, 20 mm], cells: [40, 3, 2]}}, material: r, pose: "
        "{position: [-50 mm, -15 mm, -20 mm]}}\nrigid:\n"
        "  floor: {shape: {half_space: {}}, pose: {position: [0, 0, -20 mm]}, fixed: true}\n"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) {
      test_example e;
      char         top[600];
      snprintf(top, sizeof top,
               "materials: {r: {youngs_modulus: 2 MPa, poissons_ratio: 0.4, density: 1100}}\n"
               "soft:\n  bed: %s",
               bed[i]);
      start(&e, some[i][k], .5, 0, down, top,
            "  roller: {shape: {cylinder: {radius: 20 mm, length: 16 mm}}, mass: 0.5, pose: "
            "{position: [0, 0, 20 mm], rpy: [90 deg, 0, 0]}, velocity: [0.5, 0, 0], "
            "angular_velocity: [0, 25, 0]}\n");
      go(&e, .3);
      NEAR(test_example_velocity(&e, "roller").x, .5, off[i], 0);
      test_example_end(&e);
    }
}

/** A ring of bricks about z, two across its wall. */
static void write_ring(const char *path, int around, double inner, double outer, double width) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fprintf(file,
          "# vtk DataFile Version 3.0\nring\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
          6 * around);
  for (int k = 0; k < 6 * around; k++) {
    double r = inner + k % 3 * (outer - inner) / 2, a = 2 * pi * (k / 6) / around;
    fprintf(file, "%.17g %.17g %g\n", r * cos(a), r * sin(a), k % 6 < 3 ? -width / 2 : width / 2);
  }
  fprintf(file, "CELLS %d %d\n", 2 * around, 18 * around);
  for (int k = 0; k < 2 * around; k++) {
    int a = 6 * (k / 2) + k % 2, b = 6 * ((k / 2 + 1) % around) + k % 2;
    fprintf(file, "8 %d %d %d %d %d %d %d %d\n", a, a + 1, b + 1, b, a + 3, a + 4, b + 4, b + 3);
  }
  fprintf(file, "CELL_TYPES %d\n", 2 * around);
  for (int k = 0; k < 2 * around; k++) fputs("12\n", file);
  fclose(file);
}

static double ring_place(const test_example *e) {
  double x = 0;
  for (int a = 0; a < e->s.model->num_vertices; a++)
    x += sup_fem_vertex_mass(e->s.model->soft[0].fem)[a] * e->s.state->x[3 * a];
  return x / sup_fem_mass(e->s.model->soft[0].fem);
}

/* A soft ring that is launched sliding rolls with .56 of 1 m/s (BDF2 at .1 and .5 ms) and goes on:
 * its weight braked it by N v dt, to .33 and .16 in .6 s at 5 and 10 ms. */
static void a_soft_ring_rolls_on(void) {
  static const struct {
    const char *model;
    double      step, off;
  } c[] = {{"linear_corotational", 2e-3, .02},
           {"linear_corotational", 5e-3, .02},
           {"linear_corotational", 1e-2, .3}, /* four steps of sliding make it spin */
           {"corotational", 5e-3, .03},
           {"corotational", 1e-2, .05},
           {"bdf2", 5e-3, .06},
           {"bdf2", 1e-2, .06}};
  for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
    test_example e;
    char         path[512], top[900];
    snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
    write_ring(path, 40, .02, .03, .02);
    snprintf(top, sizeof top,
             "materials: {m: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1100}"
             "}\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, pose: {position: [0, 0, 30 "
             "mm], rpy: [90 deg, 0, 0]}, velocity: [1, 0, 0]}\n%s",
             strcmp(c[k].model, "bdf2") == 0 ? "corotational" : c[k].model, path, floor_text);
    scheme = strcmp(c[k].model, "bdf2") == 0 ? ", scheme: bdf2" : "";
    start(&e, c[k].step, .8, 0, down, top, "");
    scheme = "";
    double x[4];
    for (int i = 0; i < 4; i++) go(&e, .15), x[i] = ring_place(&e);
    double early = (x[1] - x[0]) / .15, late = (x[3] - x[2]) / .15;
    printf("%s %g: %.4f, %.4f; ", c[k].model, c[k].step, early, late);
    NEAR(late, .5663, c[k].off, 0);
    NEAR(late, early, .03, 0);
    test_example_end(&e);
  }
}

SUITE_TESTS(soft_rolling, TEST(a_roller_keeps_its_speed_on_rubber), TEST(a_soft_ring_rolls_on));
