/* Contact patches of runs, in history.csv and VTK files, against closed forms. */
#include <math.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/** Run a scene into the folder `patches`. */
static void run(const char *text) {
  char  path[512];
  FILE *file;
  snprintf(path, sizeof path, "%s/patches.yaml", test_folder());
  file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
  check_run("run FOLDER/patches.yaml -o FOLDER/patches", 0, "PASS  momentum error");
}

/** Value of a column in the last row of history.csv; NAN: it is empty. */
static double last(const char *name) {
  char  *data = app_read_file("patches", "history.csv"), *row = data, wanted[80];
  int    index = 0;
  double value;
  snprintf(wanted, sizeof wanted, "%s,", name);
  char *at = strstr(data, wanted);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  for (const char *c = data; c < at; c++) index += *c == ',';
  for (char *next; (next = strchr(row, '\n')) != NULL && next[1];) row = next + 1;
  while (index-- > 0) row = strchr(row, ',') + 1;
  value = *row == ',' ? (double)NAN : strtod(row, NULL);
  SUP_FREE(data);
  return value;
}

/** Value of a pair's column, "contact.A.B.NAME", in the last row. */
static double column(const char *pair, const char *name) {
  char whole[80];
  snprintf(whole, sizeof whole, "contact.%s.%s", pair, name);
  return last(whole);
}

/** Lowest and highest pressure at the corners in the last frame, an ASCII file. */
static void corner_pressures(const char *frame, double *low, double *high) {
  char *data = app_read_file("patches", frame), *at = strstr(data, "POINT_DATA "), *next;
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  long count = strtol(at + strlen("POINT_DATA "), NULL, 10);
  CU_ASSERT_FATAL(count > 0 &&
                  strstr(at, "SCALARS pressure float 1\nLOOKUP_TABLE default\n") != NULL);
  at = strstr(at, "default\n") + strlen("default\n");
  *low = HUGE_VAL, *high = 0;
  for (long i = 0; i < count; i++, at = next) {
    double p = strtod(at, &next);
    *low = fmin(*low, p), *high = fmax(*high, p);
  }
  SUP_FREE(data);
}

/* A ball whose field rises to E in its middle rests on a plane: E d^2 pi = m g, p = E d/R under the
 * middle and 0 at the rim, d = .00395 m. */
static void a_ball_on_a_plane_has_the_patch_of_its_weight(void) {
  const double m = .5, E = 1e5, R = .05, d = sqrt(m * g / (pi * E));
  double       low, high;
  run("supple: 1\ntime: {step: 5 ms, end: 0.5 s}\n"
      "rigid: {floor: {shape: {half_space: {}}, fixed: true},\n"
      "  ball: {shape: {sphere: {radius: 5 cm}}, mass: 500 g, pose: {position: [10 cm, -5 cm, 46.1 "
      "mm], rpy: [0.3, 0.2, 0]},\n"
      "         contact: {dissipation: 50, compliant: {modulus: 0.1 MPa, resolution: 4 mm}}}}\n"
      "output: {every: 0.25, format: ascii, pairs: [[floor, ball]]}\n");
  NEAR(column("floor.ball", "fz"), m * g, 1e-4, 0);
  NEAR(column("floor.ball", "fx"), 0, 0, 1e-4);
  NEAR(column("floor.ball", "tx"), 0, 0, 1e-3 * m * g * R);
  NEAR(column("floor.ball", "ty"), 0, 0, 1e-3 * m * g * R);
  NEAR(column("floor.ball", "area"), pi * 2 * R * d, .06,
       0); /* the polyhedron lies inside the ball */
  NEAR(column("floor.ball", "penetration"), d, .06, 0);
  NEAR(column("floor.ball", "cpx"), last("ball.x"), 0, 1e-5); /* it rolls by some .1 mm */
  NEAR(column("floor.ball", "cpy"), last("ball.y"), 0, 1e-5);
  NEAR(column("floor.ball", "cpz"), 0, 0, 1e-6);
  NEAR(column("floor.ball", "wrap"), 0, 0, 1e-6);
  NEAR(column("floor.ball", "conformity"), 2 * d / R, .06, 0);
  corner_pressures("vtk/contact_0002.vtk", &low, &high);
  NEAR(low, 0, 0, 1e-3 * high);
  NEAR(high, E * d / R, .06, 0);
}

/* A cylinder in a trough of four planes that touch it at 20 and 60 degrees on both sides: it is
 * wrapped by 120 degrees. It sinks into each by d cos(angle), a strip as wide as the root of that:
 * loads as cos^1.5.  72 facets: all planes meet alike ones. */
static void a_cylinder_in_a_trough_is_wrapped_by_its_arc(void) {
  static const double angle[] = {-60, -20, 20, 60};
  const double        m = 1, R = .03;
  char                text[4096], *end = text + sizeof text, *at = text;
  at += snprintf(at, (size_t)(end - at),
                 "supple: 1\ntime: {step: 10 ms, end: 0.5 s}\ncontact: {defaults: {friction: 0, "
                 "dissipation: 50}}\n"
                 "rigid:\n  trough:\n    fixed: true\n    shapes:\n");
  for (int i = 0; i < 4; i++) {
    double a = angle[i] * pi / 180, r = R + .005;
    at += snprintf(at, (size_t)(end - at),
                   "      - {shape: {box: {size: [18 mm, 10 cm, 1 cm]}}, pose: {position: [%.9f, "
                   "0, %.9f], rpy: [0, %g deg, 0]}}\n",
                   r * sin(a), -r * cos(a), -angle[i]);
  }
  snprintf(at, (size_t)(end - at),
           "  log: {shape: {cylinder: {radius: 3 cm, length: 8 cm}}, mass: 1, pose: {rpy: [90 deg, "
           "0, 0]},\n"
           "        contact: {compliant: {modulus: 1 MPa, resolution: 2.62 mm}}}\n"
           "output: {every: 0.25, format: none, pairs: [[trough, log]]}\n");
  run(text);
  NEAR(column("trough.log", "fz"), m * g, 1e-4, 0);
  NEAR(column("trough.log", "wrap"), 120, 1e-6, 0);
  NEAR(column("trough.log", "length"), hypot(.08, .06 * sin(pi / 3)), .02, 0); /* its diagonal */
  double seen = 0, area = 0;
  for (int i = 0; i < 4; i++) {
    double c = cos(angle[i] * pi / 180);
    area += sqrt(c), seen += sqrt(c) * c;
  }
  NEAR(column("trough.log", "conformity"),
       column("trough.log", "area") * seen / area / (2 * R * .08), .01, 0);
  NEAR(column("trough.log", "cpx"), 0, 0, 2e-4);
  NEAR(column("trough.log", "cpy"), 0, 0, 2e-4);
  printf("centre at z = %.2f mm, %.3f mm deep, %.0f mm^2 ", 1e3 * column("trough.log", "cpz"),
         1e3 * column("trough.log", "penetration"), 1e6 * column("trough.log", "area"));
  double load = 0, moment = 0;
  for (int i = 0; i < 4; i++) {
    double c = cos(angle[i] * pi / 180);
    load += pow(c, 1.5), moment += pow(c, 1.5) * R * c;
  }
  NEAR(column("trough.log", "cpz"), -moment / load, .02, 0);
}

/** Boxes on a plane tilted by 30 degrees: 1 - tan(30 deg)/mu while the first sticks; the second, of
 * twice the area and mass, slides with mu .3; both together. */
static void margins_against_slip_are_those_of_an_incline(void) {
  const double N = g * sqrt(.75), t = g / 2;
  run("supple: 1\ntime: {step: 2 ms, end: 0.5 s}\ngravity: [4.905, 0, -8.495709211125343]\n"
      "contact: {defaults: {stiffness: 2.0e+9 Pa/m}, pairs: [\n"
      "  {bodies: [floor, one], friction: 0.8}, {bodies: [floor, two], friction: 0.3}]}\n"
      "rigid:\n  floor: {shape: {half_space: {}}, fixed: true}\n"
      "  one: {shape: {box: {size: [10 cm, 10 cm, 4 cm]}}, mass: 1,\n"
      "        pose: {position: [0, 0, 2 cm]}}\n"
      "  two: {shape: {box: {size: [20 cm, 10 cm, 4 cm]}}, mass: 2,\n"
      "        pose: {position: [0, 20 cm, 2 cm]}}\n"
      "output: {format: none, pairs: [[floor, one], [two, floor], [all, floor]]}\n");
  NEAR(column("floor.one", "slip_margin_mean"), 1 - t / (.8 * N), 1e-5, 0);
  CHECK(column("floor.one", "slip_margin") <= column("floor.one", "slip_margin_mean"));
  NEAR(column("floor.one", "slip_share"), 0, 0, 0);
  NEAR(column("floor.one", "friction_power"), 0, 0, 1e-6);
  NEAR(column("two.floor", "slip_margin"), 0, 0, 1e-6);
  NEAR(column("two.floor", "slip_share"), 1, 0, 0);
  NEAR(last("two.vx"), (t - .3 * N) * .5, 1e-5, 0);
  NEAR(column("two.floor", "friction_power"), .3 * 2 * N * last("two.vx"), 1e-5, 0);
  NEAR(column("floor.one", "conformity"), 1, 1e-5, 0); /* it tilts */
  NEAR(column("two.floor", "conformity"), 1, 1e-5, 0);
  NEAR(column("all.floor", "slip_margin"), 0, 0, 1e-6);
  NEAR(column("all.floor", "slip_margin_mean"), 1 - (t + .6 * N) / (.8 * N + .6 * N), 1e-5, 0);
  NEAR(column("all.floor", "slip_share"), 2. / 3, 1e-6, 0);
}

/** A soft block that is pulled at its top and sticks, at some contacts by more friction than that
 * of motion: no margin is negative. */
static void rest_has_the_bound_of_rest(void) {
  app_write_file(
      "rest.yaml",
      "supple: 1\ntime: {step: 5 ms, end: 0.4 s}\n"
      "materials: {m: {youngs_modulus: 0.2 MPa, poissons_ratio: 0.3, density: 1000}}\n"
      "rigid: {floor: {shape: {half_space: {}}, fixed: true,\n"
      "                contact: {friction: 0.5, static_friction: 0.9}}}\n"
      "soft: {block: {mesh: {box: {size: [0.1, 0.1, 0.05], cells: [4, 4, 2]}}, material: m,\n"
      "  contact: {friction: 0.5, static_friction: 0.9},\n"
      "  tractions: [{region: {named: z_max}, force: [1.5, 0, 0]}]}}\n"
      "output: {format: none, pairs: [[floor, block]]}\n");
  check_run("static FOLDER/rest.yaml -o FOLDER/patches", 0, "results: ");
  NEAR(column("floor.block", "fx"), -1.5, 1e-4, 0);
  CHECK(column("floor.block", "slip_margin") >= 0 && column("floor.block", "slip_margin") < .1);
  CHECK(column("floor.block", "slip_margin_mean") > .3);
  CHECK(column("floor.block", "slip_share") < .05);
}

/** A disc that spins on its face dissipates 2/3 mu N R w, and has no friction that acts on it as a
 * whole. */
static void a_spinning_disc_dissipates_over_its_face(void) {
  const double mu = .5, R = .05, N = g;
  run("supple: 1\ntime: {step: 1 ms, end: 0.05 s}\ncontact: {defaults: {friction: 0.5}}\n"
      "rigid:\n  floor: {shape: {half_space: {}}, fixed: true}\n"
      "  disc: {shape: {cylinder: {radius: 5 cm, length: 2 cm}}, mass: 1,\n"
      "         contact: {compliant: {modulus: 10 MPa, resolution: 2 mm}},\n"
      "         pose: {position: [0, 0, 9.999 mm]}, angular_velocity: [0, 0, 40]}\n"
      "output: {format: none, pairs: [[floor, disc]]}\n");
  NEAR(column("floor.disc", "slip_share"), 1, 1e-2, 0);
  NEAR(column("floor.disc", "friction_power"), 2. / 3 * mu * N * R * last("disc.wz"), .02, 0);
  NEAR(column("floor.disc", "fx"), 0, 0, .01 * mu * N);
}

/** A pad 6 cm wide and turned by 30 degrees on a table 2 cm wide and 40 cm long: the table's
 * shadow is 2 cm wide across the pad.  Shadows do not depend on the order of the pair, nor on the
 * place in the world. */
static void conformity_is_by_the_shadow_that_both_share(void) {
  run("supple: 1\ntime: {step: 5 ms, end: 0.2 s}\n"
      "rigid:\n  table: {shape: {box: {size: [2 cm, 40 cm, 2 cm]}}, fixed: true,\n"
      "          pose: {position: [3 km, 1 cm, -1 cm]}}\n"
      "  pad: {shape: {box: {size: [6 cm, 6 cm, 2 cm]}}, mass: 1,\n"
      "        contact: {compliant: {modulus: 1 MPa}},\n"
      "        pose: {position: [3 km, 0, 9.99 mm], rpy: [0, 0, 30 deg]}}\n"
      "output: {format: none, pairs: [[table, pad], [pad, table], [all, pad]]}\n");
  NEAR(column("table.pad", "conformity"), 1, 3e-3, 0);
  NEAR(column("pad.table", "conformity"), column("table.pad", "conformity"), 1e-9, 0);
  NEAR(column("all.pad", "conformity"), .02 / cos(pi / 6) / .06, 3e-3, 0);
}

/** A pad that slides and turns on a tilted table: its sides are seen edge-on, where the outlines of
 * both of its faces differ by round-off. */
static void sides_seen_edge_on_cut_no_shadow_away(void) {
  run("supple: 1\ntime: {step: 5 ms, end: 0.4 s}\n"
      "rigid:\n  table: {shape: {box: {size: [30 cm, 40 cm, 2 cm]}}, fixed: true,\n"
      "          pose: {position: [0, 1 cm, -1 cm], rpy: [10 deg, 20 deg, 0]},\n"
      "          contact: {compliant: {modulus: 1 MPa}, friction: 0}}\n"
      "  pad: {shape: {box: {size: [6 cm, 6 cm, 2 cm]}}, mass: 1, contact: {friction: 0},\n"
      "        pose: {position: [0, 0, 16 mm], rpy: [10 deg, 20 deg, 30 deg]},\n"
      "        angular_velocity: [0, 0, 2 rad/s]}\n"
      "output: {format: none, pairs: [[table, pad]]}\n");
  char *json = app_read_file("patches", "summary.json");
  CHECK(strstr(json, "not finite") == NULL);
  SUP_FREE(json);
}

static void a_squeezed_body_has_no_conformity(void) {
  run("supple: 1\ntime: {step: 5 ms, end: 0.1 s}\ngravity: [0, 0, 0]\n"
      "rigid:\n  left: {shape: {half_space: {}}, fixed: true, pose: {rpy: [0, 90 deg, 0]}}\n"
      "  right: {shape: {half_space: {}}, fixed: true,\n"
      "          pose: {position: [19.9 mm, 0, 0], rpy: [0, -87 deg, 0]}}\n"
      "  can: {shape: {box: {size: [2 cm, 2 cm, 2 cm]}}, mass: 1,\n"
      "        pose: {position: [9.95 mm, 0, 0]}, contact: {compliant: {modulus: 1 MPa}}}\n"
      "output: {format: none, pairs: [[all, can], [left, can]]}\n");
  CHECK(isnan(column("all.can", "conformity")));
  CHECK(column("left.can", "conformity") > .9 && column("left.can", "conformity") < 1.01);
}

SUITE_TESTS(patches, TEST(margins_against_slip_are_those_of_an_incline),
            TEST(rest_has_the_bound_of_rest), TEST(a_spinning_disc_dissipates_over_its_face),
            TEST(a_ball_on_a_plane_has_the_patch_of_its_weight),
            TEST(a_cylinder_in_a_trough_is_wrapped_by_its_arc),
            TEST(conformity_is_by_the_shadow_that_both_share),
            TEST(sides_seen_edge_on_cut_no_shadow_away), TEST(a_squeezed_body_has_no_conformity));
