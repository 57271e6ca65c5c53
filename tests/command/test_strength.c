/* Columns of safety against strength: bars under dead loads, whose stress over the initial area is
 * the load over that area at any stretch. */
#include <math.h>

#include "app/app_test.h"

enum { LINE = 1600 };

/** Bar of 40 x 10 x 10 mm, free to become thinner, with this law, mesh and force [N] along it. */
static void pull(const char *law, const char *mesh, double force) {
  char text[LINE];
  int  length = snprintf(
       text, sizeof text,
       "supple: 1\ntime: {step: 10 ms, end: 1 s}\ngravity: [0, 0, 0]\n"
        "materials: {gel: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.45, density: 1000,\n"
        "                  strength: 2 MPa, strain_at_break: 1.5}}\n"
        "soft:\n  bar:\n    mesh: {box: {size: [40 mm, 10 mm, 10 mm], cells: [4, 2, 2], %s}\n"
        "    material: gel\n    hold:\n      - {region: {named: x_min}, axes: [x]}\n"
        "      - {region: {named: y_min}, axes: [y]}\n      - {region: {named: z_min}, axes: [z]}\n"
        "    tractions: [{region: {named: x_max}, force: [%.17g, 0, 0]}]\n"
        "static: {steps: 10}\noutput: {format: none}\n",
       law, mesh, force);
  CHECK(length > 0 && length < LINE);
  app_write_file("strength.yaml", text);
  check_run("static FOLDER/strength.yaml -o FOLDER/strength", 0, "results: ");
}

static double last(const char *name) {
  char column[80];
  snprintf(column, sizeof column, "bar.%s", name);
  return app_last_value("strength", column);
}

static void a_bar_is_as_safe_as_its_stress_over_the_initial_area(void) {
  static const char *const mesh[] = {"pattern: kuhn}", "pattern: kuhn}, order: 2", "pattern: hex}"};
  for (int i = 0; i < 2; i++) {
    pull("neo_hookean", mesh[i], 40);
    double stretch = last("com_x") / .02; /* homogeneous */
    CHECK(stretch > 1.4);
    NEAR(last("principal_stress"), 4e5, 1e-6, 0);
    NEAR(last("principal_strain"), stretch - 1, 1e-9, 0);
    NEAR(last("safety"), fmin(2e6 / 4e5, 1.5 / (stretch - 1)), 1e-6, 0);
    CHECK(last("critical_x") > -1e-9 && last("critical_x") < .04 * stretch + 1e-9);
    CHECK(last("critical_y") > -1e-9 && last("critical_y") < .01 + 1e-9);
  }
  for (int i = 0; i < 3; i++) { /* a law of small strains keeps its areas */
    pull("linear", mesh[i], 40);
    NEAR(last("com_x"), .02 * 1.4, 1e-6, 0);
    NEAR(last("principal_stress"), 4e5, 1e-6, 0);
    NEAR(last("principal_strain"), .4, 1e-6, 0);
    NEAR(last("safety"), 1.5 / .4, 1e-6, 0);
  }
  pull("corotational", "pattern: hex}", 1); /* strains of 1 %: strength is the nearer limit */
  NEAR(last("principal_stress"), 1e4, .02, 0);
  NEAR(last("safety"), 1.5 / last("principal_strain"), 1e-9, 0);
}

/** A bar that is pressed has strain across it alone; without stress nothing is told. */
static void what_is_pressed_bulges(void) {
  pull("neo_hookean", "pattern: kuhn}", -5);
  NEAR(last("principal_stress"), 0, 0, 1e-3);
  NEAR(last("principal_strain"), last("com_y") / .005 - 1, 1e-9, 0);
  NEAR(last("safety"), 1.5 / last("principal_strain"), 1e-9, 0);
  pull("neo_hookean", "pattern: kuhn}", 0);
  char *rows = app_read_file("strength", "history.csv");
  CHECK(strstr(rows, "bar.safety") != NULL);
  SUP_FREE(rows);
  check_run("static FOLDER/strength.yaml -o FOLDER/strength --set materials.gel.strength=-1MPa", 2,
            "strength");
}

/** A strip one or two cells thick, 6 F L/(b h^2) at its root: the mean of one cell is 0, and the
 * products of coordinates in the stress are those of inner corners. */
static void the_outer_fibres_of_one_cell_are_seen(void) {
  static const struct {
    const char *cells, *mesh;
    double      nu, off;
  } row[] = {{"1", "pattern: hex}", .3, .01},
             {"1", "pattern: kuhn}, order: 2", .3, .04},
             {"2", "pattern: hex}", 0, 1e-3}};
  for (int i = 0; i < 3; i++) {
    char text[LINE];
    snprintf(text, sizeof text,
             "supple: 1\ntime: {step: 10 ms, end: 1 s}\ngravity: [0, 0, 0]\n"
             "materials: {gel: {model: corotational, youngs_modulus: 1 MPa, poissons_ratio: %g, "
             "density: 1000, strength: 1 MPa}}\nsoft:\n  bar:\n"
             "    mesh: {box: {size: [100 mm, 10 mm, 4 mm], cells: [40, 4, %s], %s}\n"
             "    material: gel\n    hold: [{region: {named: x_min}, axes: [x, y, z]}]\n"
             "    tractions: [{region: {named: x_max}, force: [0, 0, 1.0e-4]}]\n"
             "output: {format: none}\n",
             row[i].nu, row[i].cells, row[i].mesh);
    app_write_file("strength.yaml", text);
    check_run("static FOLDER/strength.yaml -o FOLDER/strength", 0, "results: ");
    NEAR(last("principal_stress"), 375, row[i].off, 0);
    NEAR(last("principal_strain"), 375e-6 * (1 - row[i].nu * row[i].nu), .06,
         0); /* the root keeps its width */
    NEAR(last("safety"), 1e6 / last("principal_stress"), 1e-6, 0);
    NEAR(last("critical_x"), 0, 0, 1e-9);
    NEAR(last("critical_z"), 0, 0, 1e-6);
  }
}

SUITE_TESTS(strength, TEST(the_outer_fibres_of_one_cell_are_seen),
            TEST(a_bar_is_as_safe_as_its_stress_over_the_initial_area),
            TEST(what_is_pressed_bulges));
