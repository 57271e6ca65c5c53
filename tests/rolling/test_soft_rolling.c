/* R31, THEORY 33: what rolls on soft bodies, and soft bodies that roll. */
#include <stdlib.h>

#include "rolling/rolling.h"

/* A steel roller on a rubber sheet that is held, and on a block that lies on a floor: it lost .19
 * to .81 of its speed in half a second, on the block .23 at 5 ms. At 7 to 12 ms the roller may
 * bounce on the block, by round-off where it starts over vertices (10 ms), and then loses up to .5.
 */
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
            "{position: [1.3 mm, 0, 20 mm], rpy: [90 deg, 0, 0]}, velocity: [0.5, 0, 0], "
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
  for (int a = 0; a < e->s.model->soft[0].num_vertices; a++)
    x += sup_fem_vertex_mass(e->s.model->soft[0].fem)[a] * e->s.state->x[3 * a];
  return x / sup_fem_mass(e->s.model->soft[0].fem);
}

/** The only body turns about a point, as a rigid one. */
static void turn(test_example *e, sup_v3 w, sup_v3 about) {
  for (int a = 0; a < e->s.model->soft[0].num_vertices; a++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(e->s.state->x + 3 * a), about);
    sup_v3_store(e->s.state->xdot + 3 * a, sup_v3_cross(w, r));
  }
}

static double kinetic_energy(const test_example *e) {
  const sup_soft *soft = &e->s.model->soft[0];
  double         *Mv, sum = 0;
  OK(SUP_CALLOC(Mv, 3 * soft->num_vertices));
  sup_fem_mass_multiply(soft->fem, e->s.state->xdot, Mv);
  for (int a = 0; a < 3 * soft->num_vertices; a++) sum += .5 * Mv[a] * e->s.state->xdot[a];
  SUP_FREE(Mv);
  return sum;
}

/** Law of a model of the tests: `bdf2` is a scheme for the nonlinear one. */
static const char *law_of(const char *model) {
  scheme = strcmp(model, "bdf2") == 0 ? ", scheme: bdf2" : "";
  return *scheme ? "corotational" : model;
}

static const char *held = ""; /* keys of rings that are held */

/** A ring of this mesh that is launched sliding at 1 m/s on the floor; beside: bodies after it. */
static void launch_ring(test_example *e, const char *set, const char *model, double step,
                        const char *path, const char *beside) {
  char top[1800];
  snprintf(top, sizeof top,
           "materials: {m: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1100}}"
           "\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, pose: {position: [0, 0, 30 mm], "
           "rpy: [90 deg, 0, 0]}, velocity: [1, 0, 0]%s}\n%s%s",
           law_of(model), path, held, beside, floor_text);
  start_set(e, set, step, .8, 0, down, top, "");
  scheme = "";
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
    char         path[512];
    snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
    write_ring(path, 40, .02, .03, .02);
    launch_ring(&e, NULL, c[k].model, c[k].step, path, "");
    double x[4];
    for (int i = 0; i < 4; i++) go(&e, .15), x[i] = ring_place(&e);
    double early = (x[1] - x[0]) / .15, late = (x[3] - x[2]) / .15;
    printf("%s %g: %.4f, %.4f; ", c[k].model, c[k].step, early, late);
    NEAR(late, .5663, c[k].off, 0);
    NEAR(late, early, .03, 0);
    test_example_end(&e);
  }
}

/** Speed of a ring that is launched sliding, over .45 to .6 s; a second ring is tied about it. */
static double rolling_speed(const char *model, double step, double outer, int is_tied) {
  test_example e;
  char         path[2][512], tyre[700] = "";
  for (int k = 0; k < 2; k++) snprintf(path[k], 512, "%s/tied_%d.vtk", test_folder(), k);
  write_ring(path[0], 40, .016, outer, .02);
  write_ring(path[1], 40, .023, .03, .02);
  if (is_tied)
    snprintf(tyre, sizeof tyre,
             "  tyre: {mesh: {file: \"%s\"}, material: m, pose: {position: [0, 0, 30 mm], rpy: [90 "
             "deg, 0, 0]}, velocity: [1, 0, 0]}\n"
             "ties: {glue: {slave: {body: ring}, master: {body: tyre}}}\n",
             path[1]);
  launch_ring(&e, NULL, model, step, path[0], tyre);
  go(&e, .45);
  double x = ring_place(&e);
  go(&e, .15);
  x = ring_place(&e) - x;
  test_example_end(&e);
  return x / .15;
}

/* A tyre tied about a core rolls as a ring of one piece; without its levers' moment it had .37 and
 * .49 of 1 m/s at 5 and 2 ms, by the linear law, for .59. */
static void tied_rings_roll_as_one(void) {
  static const char *model[] = {"linear_corotational", "corotational"};
  for (int k = 0; k < 2; k++) {
    double one = rolling_speed(model[k], 5e-3, .03, 0),
           two = rolling_speed(model[k], 5e-3, .023, 1);
    printf("%s: %.4f of one piece, %.4f tied; ", model[k], one, two);
    NEAR(two, one, .03, 0);
  }
}

/* A ring that is held along its axis, on a plane of symmetry, rolls as a free one: at 5 ms it had
 * .05, .45 and .50 of 1 m/s for .58, .61 and .63. */
static void a_ring_with_a_plane_of_symmetry_rolls_on(void) {
  static const struct {
    const char *model;
    double      step, off;
  } c[] = {{"linear_corotational", 5e-3, .02}, {"corotational", 5e-3, .02}, {"bdf2", 5e-3, .02}};
  for (int k = 0; k < 3; k++) {
    double free = rolling_speed(c[k].model, c[k].step, .03, 0);
    held =
        ", hold: [{region: {box: {lower: [-1 m, -1 m, -11 mm], upper: [1 m, 1 m, -9 mm]}}, "
        "axes: [y]}]";
    double speed = rolling_speed(c[k].model, c[k].step, .03, 0);
    held = "";
    printf("%s %g: %.4f held, %.4f free; ", c[k].model, c[k].step, speed, free);
    NEAR(speed, free, c[k].off, 0);
  }
}

/** A tyre of bricks on a rigid hub: start, and the hub's motion at the start. */
static void start_wheel(test_example *e, const char *model, double step, const char *motion,
                        int is_free) {
  static const double none[3];
  char                path[512], top[900], hub[400];
  snprintf(path, sizeof path, "%s/tyre.vtk", test_folder());
  write_ring(path, 40, .016, .03, .02);
  snprintf(top, sizeof top,
           "materials: {m: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1100}}"
           "\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, attach: {link: hub, region: {box: "
           "{lower: [-16.2 mm, -16.2 mm, -1 m], upper: [16.2 mm, 16.2 mm, 1 m]}}}}\n%s",
           law_of(model), path, is_free ? "" : floor_text);
  snprintf(hub, sizeof hub,
           "%s  hub: {shape: {cylinder: {radius: 16 mm, length: 20 mm}}, density: 1100, pose: "
           "{position: [0, 0, 30 mm], rpy: [90 deg, 0, 0]}, %s}\n",
           is_free ? "rigid:\n" : "", motion);
  start(e, step, .8, 0, is_free ? none : down, top, hub);
  scheme = "";
}

static const char *const wheels[] = {"linear_corotational", "corotational", "bdf2"};

/* A soft tyre on a rigid hub, launched sliding, rolls on as a disc does, with 2/3; its weight
 * braked it by N v dt, by a third in .36 s at 5 ms. */
static void a_tyre_on_a_hub_rolls_on(void) {
  for (int k = 0; k < 3; k++) {
    test_example e;
    double       x[4];
    start_wheel(&e, wheels[k], 5e-3, "velocity: [1, 0, 0]", 0);
    for (int i = 0; i < 4; i++) go(&e, .15), x[i] = ring_place(&e);
    double early = (x[1] - x[0]) / .15, late = (x[3] - x[2]) / .15;
    printf("%s: %.4f, %.4f; ", wheels[k], early, late);
    NEAR(late, .65, .05, 0);
    NEAR(late, early, .03, 0);
    test_example_end(&e);
  }
}

/* A wheel in free flight keeps its spin and no strain but that of centrifugal forces; a tyre that
 * followed tangents of its hub had .6 % of strain at 5 ms and blew up by the linear law at 10 ms.
 */
static void a_wheel_in_flight_keeps_its_spin(void) {
  for (int k = 0; k < 3; k++)
    for (int long_step = 0; long_step < 2; long_step++) {
      test_example e;
      double       w[2], far = 0;
      start_wheel(&e, wheels[k], long_step ? 5e-3 : 2e-3, "angular_velocity: [0, 30, 0]", 1);
      go(&e, .1);
      w[0] = test_example_spin(&e, "hub").y;
      go(&e, .5);
      w[1] = test_example_spin(&e, "hub").y;
      for (int a = 0; a < e.s.model->soft[0].num_vertices; a++)
        far = fmax(far, hypot(e.s.state->x[3 * a], e.s.state->x[3 * a + 2] - .03));
      printf("%s: %.5f, %.5f, %.3f mm; ", wheels[k], w[0], w[1], 1e3 * far);
      NEAR(far, .03, 1e-3, 0);
      NEAR(w[1], w[0], k == 2 ? 4e-2 : 2e-3, 0);
      test_example_end(&e);
    }
}

/** Spin of a tyre on a joint at 30 rad/s after .3 s. */
static double spin_on_joint(const char *joint) {
  static const double none[3];
  test_example        e;
  char                tyre[512], urdf[512], top[1600];
  snprintf(tyre, sizeof tyre, "%s/tyre.vtk", test_folder());
  snprintf(urdf, sizeof urdf, "%s/axle.urdf", test_folder());
  write_ring(tyre, 40, .016, .03, .02);
  FILE *file = fopen(urdf, "w");
  CHECK(file != NULL);
  fprintf(file,
          "<robot name='axle'><link name='base'/><link name='hub'><inertial><mass value='0.02'/>"
          "<inertia ixx='2e-6' iyy='2e-6' izz='2e-6' ixy='0' ixz='0' iyz='0'/></inertial></link>"
          "<joint name='j' %s><parent link='base'/><child link='hub'/><axis xyz='0 0 1'/></joint>"
          "</robot>",
          joint);
  fclose(file);
  snprintf(top, sizeof top,
           "materials: {m: {model: corotational, youngs_modulus: 1 MPa, poissons_ratio: 0.4, "
           "density: 1100}}\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, attach: {link: "
           "r/hub, region: {box: {lower: [-16.2 mm, -16.2 mm, -1 m], upper: [16.2 mm, 16.2 mm, 1 "
           "m]}}}}\nrobots: {r: {urdf: \"%s\", velocities: {j: 30}}}\n",
           tyre, urdf);
  start(&e, 2e-3, 0, 0, none, top, "");
  go(&e, .3);
  double spin = e.s.state->v[0];
  test_example_end(&e);
  return spin;
}

/* Limits beyond what a wheel turns change nothing: 4 of 30 rad/s were left at 5 ms. */
static void a_hub_may_have_limits_that_are_far_away(void) {
  double spin = spin_on_joint("type='continuous'"),
         limited = spin_on_joint(
             "type='revolute'><limit lower='-100' upper='100' effort='1' "
             "velocity='100'/><dynamics damping='0'/");
  printf("%.6f, %.6f; ", spin, limited);
  NEAR(spin, 30, 5e-3, 0);
  NEAR(limited, spin, 1e-9, 0);
}

/* A ring in free flight that turns about its axis or tumbles about one tilted by 45 degrees keeps
 * its energy; it grew to 3.2 times in .6 s by w dt = .3, tumbling by 3 and 26 % at 1 and 5 ms. */
static void a_nonlinear_ring_keeps_its_energy_in_flight(void) {
  static const struct {
    double step, tilt, off;
  } c[] = {{1e-2, 0, 1e-3}, {5e-3, 0, 1e-4}, {1e-3, .7854, 1e-3}, {5e-3, .7854, 5e-3}};
  static const double none[3];
  for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
    test_example e;
    char         path[512], top[700];
    snprintf(path, sizeof path, "%s/flying.vtk", test_folder());
    write_ring(path, 40, .016, .03, .02);
    snprintf(top, sizeof top,
             "materials: {m: {model: corotational, youngs_modulus: 1 MPa, poissons_ratio: 0.4, "
             "density: 1100}}\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m}\n",
             path);
    start(&e, c[k].step, 0, 0, none, top, "");
    turn(&e, sup_v3_make(30 * sin(c[k].tilt), 0, 30 * cos(c[k].tilt)), (sup_v3){0, 0, 0});
    go(&e, .1);
    double first = kinetic_energy(&e);
    go(&e, .4);
    printf("%g, %g: %.6f; ", c[k].step, c[k].tilt, kinetic_energy(&e) / first);
    NEAR(kinetic_energy(&e), first, c[k].off, 0);
    test_example_end(&e);
  }
}

/* A bar on a hinge, a line that is held across, and a brick of which a vertex is held along y: of
 * their energies .84, .07 and .01 were left in half a second at 1, 5 and 10 ms by the linear law,
 * .91, .67 and .50 by the nonlinear one; with one vertex the linear one grew 65 times at 10 ms. */
static void held_bodies_turn_about_their_axes(void) {
  static const struct {
    const char *body;
    sup_v3      w, about;
  } c[] = {
      {"{box: {size: [100 mm, 10 mm, 10 mm], cells: [10, 1, 2]}}, hold: [{region: {box: {lower: "
       "[-1 mm, -1 m, 4 mm], upper: [1 mm, 1 m, 6 mm]}}, axes: [x, z]}]",
       {0, 10, 0},
       {0, 0, .005}},
      {"{box: {size: [40 mm, 20 mm, 20 mm], cells: [4, 2, 2]}}, hold: [{region: {box: {lower: "
       "[19 mm, 9 mm, 9 mm], upper: [21 mm, 11 mm, 11 mm]}}, axes: [y]}]",
       {20, 0, 0},
       {.02, .01, .01}}};
  static const double none[3], step[] = {1e-3, 5e-3, 1e-2}, off[] = {.01, .02, .06};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 9; i++) {
      test_example e;
      char         top[700];
      snprintf(top, sizeof top,
               "materials: {m: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: "
               "1100}}\nsoft:\n  bar: {material: m, mesh: %s}\n",
               law_of(wheels[i / 3]), c[k].body);
      start(&e, step[i % 3], 0, 0, none, top, "");
      scheme = "";
      turn(&e, c[k].w, c[k].about);
      double first = kinetic_energy(&e);
      go(&e, .5);
      printf("%s %g: %.4f; ", wheels[i / 3], step[i % 3], kinetic_energy(&e) / first);
      NEAR(kinetic_energy(&e), first, off[i % 3], 0);
      test_example_end(&e);
    }
}

/* A bar whose end is on a light body turns with it in flight; by BDF2 it gained 21 % of its energy
 * at 5 ms in a second. */
static void a_bar_on_a_free_hub_keeps_its_energy(void) {
  static const double none[3], step[] = {1e-3, 5e-3}, off[] = {.01, .02};
  for (int i = 0; i < 6; i++) {
    test_example e;
    char         top[700];
    snprintf(
        top, sizeof top,
        "materials: {m: {model: %s, youngs_modulus: 20 MPa, poissons_ratio: 0.4, density: "
        "1100}}\nsoft:\n  bar: {material: m, mesh: {box: {size: [100 mm, 10 mm, 10 mm], cells: "
        "[10, 1, 2]}}, pose: {position: [0, -5 mm, -5 mm]}, attach: {link: hub, region: {box: "
        "{lower: [-1 mm, -1, -1], upper: [1 mm, 1, 1]}}}}\nrigid:\n",
        law_of(wheels[i / 2]));
    start(&e, step[i % 2], 0, 0, none, top,
          "  hub: {shape: {box: {size: [10 mm, 10 mm, 10 mm]}}, mass: 10 g, velocity: [0, 0, "
          "0.261904762], angular_velocity: [0, 10, 0]}\n");
    scheme = "";
    go(&e, .1);
    double first = kinetic_energy(&e);
    go(&e, 1.);
    double last = kinetic_energy(&e);
    printf("%s %g: %.4f; ", wheels[i / 2], step[i % 2], last / first);
    NEAR(last, first, off[i % 2], 0);
    test_example_end(&e);
  }
}

/* (33.4) of the damper of SAP: N tau w R, tau of both sides together 2 ms, brakes the ring. */
static void a_damper_brakes_a_soft_ring_as_its_law_says(void) {
  static const double outer = .03, inner = .02, tau = 2e-3, step[] = {2.5e-3, 5e-3};
  double              share = (1 + inner * inner / (outer * outer)) / 2; /* I over m R^2 */
  for (int k = 0; k < 2; k++) {
    test_example e;
    char         path[512];
    double       x[5];
    snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
    write_ring(path, 40, inner, outer, .02);
    launch_ring(&e, "contact.model=sap", "corotational", step[k], path, "");
    for (int i = 0; i < 5; i++) x[i] = ring_place(&e), go(&e, i == 4 ? 0 : .15);
    double early = (x[2] - x[1]) / .15, late = (x[4] - x[3]) / .15;
    double brake = g * tau * (early + late) / 2 / (outer * (1 + share));
    printf("%g: %.3f of %.3f m/s^2; ", step[k], (early - late) / .3, brake);
    NEAR((early - late) / .3, brake, .1, 0);
    test_example_end(&e);
  }
}

/** Body `name` turns at w about y through its centre, which moves at v along x. */
static void launch(test_example *e, const char *name, double v, double w) {
  const sup_soft *soft =
      &e->s.model->soft[e->s.model->body[sup_model_find_body(e->s.model, name)].soft];
  double *x = e->s.state->x + 3 * soft->first_vertex,
         *xdot = e->s.state->xdot + 3 * soft->first_vertex;
  double z = 0, at = 0;
  for (int a = 0; a < soft->num_vertices; a++)
    at += x[3 * a] / soft->num_vertices, z += x[3 * a + 2] / soft->num_vertices;
  for (int a = 0; a < soft->num_vertices; a++)
    xdot[3 * a] = v + w * (x[3 * a + 2] - z), xdot[3 * a + 2] = -w * (x[3 * a] - at);
}

/** Momentum of all soft bodies, and its moment about the origin in y. */
static sup_v3 soft_momentum(const test_example *e, double *moment) {
  sup_v3 sum = {0, 0, 0};
  *moment = 0;
  for (int i = 0; i < e->s.model->num_softs; i++) {
    const sup_soft *soft = &e->s.model->soft[i];
    double         *p = calloc(3 * (size_t)soft->num_vertices, sizeof *p);
    const double   *x = e->s.state->x + 3 * soft->first_vertex;
    sup_fem_mass_multiply(soft->fem, e->s.state->xdot + 3 * soft->first_vertex, p);
    for (int a = 0; a < soft->num_vertices; a++) {
      sum = sup_v3_add(sum, sup_v3_load(p + 3 * a));
      *moment += x[3 * a + 2] * p[3 * a] - x[3 * a] * p[3 * a + 2];
    }
    free(p);
  }
  return sum;
}

static double ring_spin(const test_example *e) {
  const sup_soft *soft = &e->s.model->soft[0];
  return sup_fem_spin(soft->fem, e->s.state->x + 3 * soft->first_vertex,
                      e->s.state->xdot + 3 * soft->first_vertex)
      .y;
}

static const char soft_text[] =
    "materials: {m: {model: linear_corotational, youngs_modulus: 1 MPa, poissons_ratio: 0.4, "
    "density: 1100}}\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, pose: {position: [0, 0, "
    "30 mm], rpy: [90 deg, 0, 0]}}\n%s";

static void start_ring(test_example *e, double step, double friction, const double gravity[3],
                       const char *rest) {
  char path[512], top[1600];
  snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
  write_ring(path, 40, .02, .03, .02);
  snprintf(top, sizeof top, soft_text, path, rest);
  start(e, step, friction, 0, gravity, top, "");
}

static const char plate_text[] =
    "rigid:\n  plate: {shape: {box: {size: [2, 0.3, 0.1]}}, mass: 0.5, pose: {position: [0, 0, "
    "-0.05]}, velocity: [%g, 0, 0]}\n  floor: {shape: {half_space: {}}, fixed: true, pose: "
    "{position: [0, 0, -0.1]}, contact: {surface_velocity: [%g, 0, 0]}}\n";

/* A soft ring on a plate that moves: its weight braked it by N v dt, to .29 and .37 of .5 m/s in
 * .4 s, and a spin without friction to 3.6 and 8.5 of 20 rad/s. By BDF2 at .1 ms its facets leave
 * .4914 m/s and 19.55 rad/s. At 10 ms it turns by a facet a step, always in the same phase. */
static void a_soft_ring_rolls_on_a_free_plate(void) {
  static const double some[] = {5e-3, 1e-2};
  for (int k = 0; k < 2; k++) {
    double speed[2];
    for (int boosted = 0; boosted < 2; boosted++) {
      test_example e;
      double       boost = boosted ? -.75 : 0;
      char         rest[600];
      snprintf(rest, sizeof rest, plate_text, boost, boost);
      start_ring(&e, some[k], .5, down, rest);
      launch(&e, "ring", .5 + boost, .5 / .03);
      go(&e, .2);
      double x = ring_place(&e);
      go(&e, .2);
      speed[boosted] = (ring_place(&e) - x) / .2 - boost;
      NEAR(test_example_velocity(&e, "plate").x - boost, 0, 0, 5e-3);
      test_example_end(&e);
    }
    printf("%g: %.4f; ", some[k], speed[0]);
    NEAR(speed[0], .4914, k ? .07 : .02, 0);
    NEAR(speed[1], speed[0], 1e-3, 0);
    test_example e;
    char         rest[600];
    snprintf(rest, sizeof rest, plate_text, 0., 0.);
    start_ring(&e, some[k], 0, down, rest);
    launch(&e, "ring", 0, 20);
    go(&e, .4);
    NEAR(ring_spin(&e), 19.55, k ? .1 : .035, 0);
    test_example_end(&e);
  }
}

/* Facets of a ring that spins on a floor without friction exchange its spin with hops, whose
 * landings take energy: by BDF2 at .1 ms 17.9 of 20 rad/s are left after 1.2 s. Levers of the end
 * of the step gave N r (w dt)^2/2 in each: 13 to 26.5 rad/s were left, and energy grew by 5 and 75
 * %. */
static void facets_of_a_spinning_ring_give_no_energy(void) {
  static const double some[] = {2e-3, 5e-3, 7e-3, 1e-2};
  for (int k = 0; k < 12; k++) {
    test_example e;
    char         path[512], top[1600];
    double       most = 0, w;
    snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
    write_ring(path, 40, .02, .03, .02);
    snprintf(
        top, sizeof top,
        "materials: {m: {model: %s, youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1100}}"
        "\nsoft:\n  ring: {mesh: {file: \"%s\"}, material: m, pose: {position: [0, 0, 30 mm], "
        "rpy: [90 deg, 0, 0]}}\n%s",
        law_of(wheels[k / 4]), path, floor_text);
    start(&e, some[k % 4], 0, 0, down, top, "");
    scheme = "";
    launch(&e, "ring", 0, 20);
    double first = kinetic_energy(&e);
    for (w = 20; e.s.state->time < 1.2;) {
      test_step(&e.s), w = ring_spin(&e);
      if (e.s.state->time > .3) most = fmax(most, kinetic_energy(&e) / first);
    }
    printf("%s %g: %.2f, %.4f; ", wheels[k / 4], some[k % 4], w, most);
    NEAR(w, 17.9, .2, 0);
    CHECK(most < pow(cos(10 * some[k % 4]), -2)); /* velocities are chords of the turn, 20 dt; the
                                                     first steps at 10 ms have 1.07 */
    test_example_end(&e);
  }
}

/* A soft ring on a soft block that lies on a floor: .33 and .41 of .5 m/s were left. */
static void a_soft_ring_rolls_on_a_soft_block(void) {
  static const double some[] = {5e-3, 1e-2};
  for (int k = 0; k < 2; k++) {
    test_example e;
    start_ring(
        &e, some[k], .5, down,
        "  block: {mesh: {box: {size: [600 mm, 40 mm, 30 mm], cells: [40, 3, 2]}}, material: "
        "m, pose: {position: [-100 mm, -20 mm, -30 mm]}}\nrigid:\n  floor: {shape: "
        "{half_space: {}}, fixed: true, pose: {position: [0, 0, -30 mm]}}\n");
    launch(&e, "ring", .5, .5 / .03);
    go(&e, .2);
    double x = ring_place(&e);
    go(&e, .1);
    printf("%g: %.4f; ", some[k], (ring_place(&e) - x) / .1);
    NEAR((ring_place(&e) - x) / .1, .5, .05, 0);
    test_example_end(&e);
  }
}

/* Two soft rings that turn meet off their centres in free flight: moments of both levers are of one
 * point, so that none is left. */
static void soft_rings_that_collide_keep_angular_momentum(void) {
  const double nothing[3] = {0, 0, 0};
  for (int grips = 0; grips < 2; grips++) {
    test_example e;
    double       before, after;
    char         path[512], other[900];
    snprintf(path, sizeof path, "%s/ring.vtk", test_folder());
    snprintf(
        other, sizeof other,
        "  other: {mesh: {file: \"%s\"}, material: m, pose: {position: [10 mm, 0, 89 mm], rpy: "
        "[90 deg, 0, 0]}}\n",
        path);
    start_ring(&e, 2e-3, grips ? .5 : 0, nothing, other);
    launch(&e, "ring", .3, 15);
    launch(&e, "other", -.3, 5);
    sup_v3 p = soft_momentum(&e, &before);
    go(&e, 2e-3);
    CHECK(e.s.report.num_contacts > 0);
    go(&e, .05);
    CHECK(e.s.report.num_contacts == 0);
    sup_v3 q = soft_momentum(&e, &after);
    /* an impulse of .02 N s by a lever of .9 mm; rings that swing lose as much without contact */
    printf("%.3g of %.3g; ", after - before, .02 * .9e-3);
    NEAR(sup_v3_norm(sup_v3_sub(p, q)), 0, 0, 1e-9);
    NEAR(after, before, 0, .01 * .02 * .9e-3);
    test_example_end(&e);
  }
}

/* (g) with a soft ring: 0.4 mm of its 60 are pressed in. */
static void a_soft_ring_between_two_belts_has_their_mean_velocity(void) {
  static const double some[] = {5e-3, 1e-2};
  for (int k = 0; k < 2; k++) {
    test_example e;
    start_ring(&e, some[k], .8, down,
               "rigid:\n  low: {shape: {box: {size: [4, 0.3, 0.1]}}, pose: {position: [0, 0, "
               "-0.05]}, fixed: true}\n  up: {shape: {box: {size: [4, 0.3, 0.1]}}, pose: "
               "{position: [0, 0, 0.1096]}, fixed: true, contact: {surface_velocity: [0.4, 0, "
               "0]}}\n");
    go(&e, .4);
    double x = ring_place(&e);
    go(&e, .2);
    printf("%g: %.4f, %.4f; ", some[k], (ring_place(&e) - x) / .2, ring_spin(&e));
    NEAR((ring_place(&e) - x) / .2, .2, .005, 0);
    NEAR(ring_spin(&e), .4 / .06, .02, 0);
    test_example_end(&e);
  }
}

SUITE_TESTS(soft_rolling, TEST(a_roller_keeps_its_speed_on_rubber), TEST(a_soft_ring_rolls_on),
            TEST(tied_rings_roll_as_one), TEST(a_ring_with_a_plane_of_symmetry_rolls_on),
            TEST(held_bodies_turn_about_their_axes), TEST(a_bar_on_a_free_hub_keeps_its_energy),
            TEST(a_tyre_on_a_hub_rolls_on), TEST(a_wheel_in_flight_keeps_its_spin),
            TEST(a_hub_may_have_limits_that_are_far_away),
            TEST(a_nonlinear_ring_keeps_its_energy_in_flight),
            TEST(a_damper_brakes_a_soft_ring_as_its_law_says),
            TEST(a_soft_ring_rolls_on_a_free_plate), TEST(facets_of_a_spinning_ring_give_no_energy),
            TEST(a_soft_ring_rolls_on_a_soft_block),
            TEST(soft_rings_that_collide_keep_angular_momentum),
            TEST(a_soft_ring_between_two_belts_has_their_mean_velocity));
