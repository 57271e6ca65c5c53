/* R31, THEORY 33: what rolls and spins on patches.  Gap, normal and levers are those of the
 * predicted end of the step, so that a normal force takes nothing of a spin. */
#include "rolling.h"

/* (a); lying on a half space or a box, surface contact. */
static void a_frictionless_ball_keeps_its_spin(void) {
  static const char ball[] =
      "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 100 g, pose: "
      "{position: [0, 0, 20 mm]}, angular_velocity: [3, 20, 0]}\n";
  static const char *const floors[] = {
      floor_text,
      "rigid:\n  floor: {shape: {box: {size: [1, 1, 0.1]}}, pose: {position: [0, 0, -0.05]}, "
      "fixed: true}\n"};
  for (int k = 0; k < NUM_STEPS; k++)
    for (int f = 0; f < 2; f++) {
      test_example e;
      start(&e, steps[k], 0, 0, down, floors[f], ball);
      go(&e, .5);
      NEAR(test_example_spin(&e, "ball").x, 3, 1e-6, 0);
      NEAR(test_example_spin(&e, "ball").y, 20, 1e-6, 0);
      NEAR(test_example_place(&e, "ball").z, .02, 0, 5e-5);
      test_example_end(&e);
    }
}

/* (b): 32 turns of a ball; (c): wheels of 20 kg that turn by 8 m/s. */
static void what_is_round_rolls_on(void) {
  static const struct {
    const char *shape;
    double      mass, radius, speed, time;
  } c[] = {{"sphere: {radius: 0.02}", .1, .02, .4, 10},
           {"cylinder: {radius: 0.3, length: 0.2}", 20, .3, 8, 1},
           {"capsule: {radius: 0.3, length: 0.2}", 20, .3, 8, 1},
           {"ellipsoid: {radii: [0.3, 0.3, 0.2]}", 20, .3, 8, 1}};
  for (int k = 0; k < NUM_STEPS; k++)
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
      test_example e;
      char         body[400];
      snprintf(body, sizeof body,
               "  body: {shape: {%s}, mass: %g, pose: {position: [0, 0, %g], rpy: [90 deg, 0, 0]}, "
               "velocity: [%g, 0, 0], angular_velocity: [0, %.17g, 0]}\n",
               c[i].shape, c[i].mass, c[i].radius, c[i].speed, c[i].speed / c[i].radius);
      start(&e, steps[k], 1.2, 0, down, floor_text, body);
      go(&e, c[i].time);
      NEAR(test_example_velocity(&e, "body").x, c[i].speed, 1e-3, 0);
      NEAR(test_example_place(&e, "body").z, c[i].radius, 3e-3, 0); /* the layer's depth */
      NEAR(test_example_spin(&e, "body").z, 0, 0, 1e-6);
      test_example_end(&e);
    }
}

/** Energy of the ball's contacts over (force at the end of the step) depth/(q + 1), force ~
 * depth^q, less 1; the depth of its deepest point is told as penetration. */
static double energy_off(const test_example *e, double radius, double q) {
  const sup_step_result *r = sup_stepper_result(e->s.stepper);
  double                 force = 0, depth = radius - test_example_place(e, "body").z;
  for (int i = 0; i < r->num_contacts; i++) force += r->contact[i].elastic;
  return r->contact_energy / (force * depth / (q + 1)) - 1;
}

/* Steps that do not resolve the stiffness have the secant of the force, others its tangent: both
 * store the integral of the force. */
static void round_patches_store_the_integral_of_their_force(void) {
  static const struct {
    const char *shape;
    double      q;
  } c[] = {{"sphere: {radius: 0.02}", 2}, {"cylinder: {radius: 0.02, length: 0.05}", 1.5}};
  for (int k = 0; k < NUM_STEPS; k++)
    for (int i = 0; i < 2; i++) {
      test_example e;
      char         body[300];
      double       worst = 0, before = 0;
      snprintf(body, sizeof body,
               "  body: {shape: {%s}, mass: 0.1, pose: {position: [0, 0, 0.02], rpy: [90 deg, 0, "
               "0]}, angular_velocity: [0, 20, 0]}\n",
               c[i].shape);
      start(&e, steps[k], 0, 10, down, floor_text, body);
      for (int n = 0; n < 100; n++) {
        test_step(&e.s);
        const sup_step_result *r = sup_stepper_result(e.s.stepper);
        double                 depth = .02 - test_example_place(&e, "body").z;
        for (int j = 0; j < r->num_contacts; j++)
          CHECK(sup_contact_overlap_share(&r->contact[j]) == 1);
        if (n > 0 && fabs(depth - before) < .05 * depth)
          worst = sup_max(worst, fabs(energy_off(&e, .02, c[i].q)));
        before = depth;
      }
      CHECK(worst > 0 && worst < 2e-3);
      NEAR(sup_contact_depth(&sup_stepper_result(e.s.stepper)->contact[0]), before, 1e-3, 2e-8);
      test_example_end(&e);
    }
}

/* (d): R20's inclines of 20 degrees. */
static void balls_and_cylinders_roll_down_inclines(void) {
  static const char *const shapes[] = {"sphere: {radius: 0.05}",
                                       "cylinder: {radius: 0.05, length: 0.05}"};
  static const double      share[] = {5. / 7, 2. / 3};
  for (int k = 0; k < NUM_STEPS; k++)
    for (int i = 0; i < 2; i++) {
      test_example e;
      char         body[300];
      const double tilted[3] = {g * sin(pi / 9), 0, -g * cos(pi / 9)};
      snprintf(body, sizeof body,
               "  body: {shape: {%s}, mass: 0.1, pose: {position: [0, 0, 0.05], rpy: [90 deg, 0, "
               "0]}}\n",
               shapes[i]);
      start(&e, steps[k], .5, 0, tilted, floor_text, body);
      go(&e, 1);
      NEAR(test_example_velocity(&e, "body").x, share[i] * g * sin(pi / 9), 5e-3, 0);
      test_example_end(&e);
    }
}

/* (e), (j): a ball that is launched sliding, and one on a belt, which ends with 2/7 of its speed.
 */
static void sliding_balls_end_rolling(void) {
  for (int k = 0; k < NUM_STEPS; k++) {
    test_example e;
    start(&e, steps[k], .2, 0, down, floor_text,
          "  ball: {shape: {sphere: {radius: 0.05}}, mass: 0.5, pose: {position: [0, 0, 0.05]}, "
          "velocity: [3, 0, 0]}\n");
    go(&e, .6);
    NEAR(test_example_velocity(&e, "ball").x, 15. / 7, 1e-3, 0);
    test_example_end(&e);
    start(&e, steps[k], .5, 0, down,
          "rigid:\n  floor: {shape: {half_space: {}}, fixed: true, contact: {surface_velocity: "
          "[0.5, 0, 0]}}\n",
          "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 0.1, pose: {position: [0, 0, 20 mm]}}"
          "\n");
    go(&e, 1);
    NEAR(test_example_velocity(&e, "ball").x, 1. / 7, 2e-3, 0);
    double before = test_example_velocity(&e, "ball").x;
    go(&e, 1);
    NEAR(test_example_velocity(&e, "ball").x, before, 1e-5, 0);
    test_example_end(&e);
  }
}

/** Of a ball of mass m and moment of inertia I about the world's origin. */
static sup_v3 angular_momentum(const test_example *e, const char *body, double m, double I) {
  return sup_v3_madd(
      sup_v3_scale(m, sup_v3_cross(test_example_place(e, body), test_example_velocity(e, body))), I,
      test_example_spin(e, body));
}

/* (h): the normal force acts along the line of centres, at one point for both. */
static void two_balls_that_collide_keep_spin_and_angular_momentum(void) {
  const double nothing[3] = {0, 0, 0}, m = .1, I = .4 * m * .02 * .02;
  for (int k = 0; k < NUM_STEPS; k++) {
    test_example e;
    start(&e, steps[k], 0, 0, nothing, "rigid:\n",
          "  a: {shape: {sphere: {radius: 20 mm}}, mass: 0.1, pose: {position: [-21 mm, 0, 0]}, "
          "velocity: [0.1, 0, 0], angular_velocity: [3, 20, 5]}\n"
          "  b: {shape: {sphere: {radius: 20 mm}}, mass: 0.1, pose: {position: [21 mm, 1 mm, 0]}, "
          "velocity: [-0.1, 0, 0], angular_velocity: [-1, 20, 7]}\n");
    go(&e, .2);
    CHECK(test_example_velocity(&e, "a").x < 0);
    NEAR(test_example_spin(&e, "a").y, 20, 1e-9, 0);
    NEAR(test_example_spin(&e, "b").z, 7, 1e-9, 0);
    sup_v3 L = sup_v3_add(angular_momentum(&e, "a", m, I), angular_momentum(&e, "b", m, I));
    NEAR(L.z, -m * .1 * -1e-3 + I * 12, 0, 1e-6 * I * 20);
    test_example_end(&e);
  }
}

/* (33.4): of a surface that dissipates a spin is taken by F d w a^2/6, a^2 = 2 R times the depth.
 */
static void dissipation_resists_rolling_as_its_law_says(void) {
  static const double some[] = {2e-4, 1e-3, 5e-3};
  for (int k = 0; k < 3; k++) {
    test_example e;
    start(&e, some[k], 0, 10, down, floor_text,
          "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 100 g, pose: {position: [0, 0, 19.96 "
          "mm]}, angular_velocity: [0, 20, 0]}\n");
    go(&e, .5);
    double depth = .02 - test_example_place(&e, "ball").z, square = 2 * .02 * depth;
    double rate = g * 10 * square / 6 / (.4 * .02 * .02);
    NEAR(log(20 / test_example_spin(&e, "ball").y), rate * .5, some[k] > 2e-3 ? .06 : .01, 0);
    test_example_end(&e);
  }
}

/* A damper beside the spring, f = k (x - tau v_n), takes F tau w a^2/(2 depth) = F tau w R, however
 * deep the patch; by places that damp as Hunt and Crossley do it was 2/3 of it. */
static void a_damper_resists_rolling_as_its_law_says(void) {
  static const struct {
    double step, stiffness; /* of both bodies [Pa/m]: what the step resolves */
  } c[] = {{2e-4, 2e10}, {1e-3, 2e10}, {5e-3, 2e7}};
  static const char *law[] = {"contact.normal_law=kelvin_voigt", "contact.model=sap"};
  const double       tau = 2e-4;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++) {
      test_example e;
      char         floor[200], ball[300];
      double       depth = sqrt(.1 * g / (pi * .5 * c[k].stiffness * .02));
      snprintf(floor, sizeof floor,
               "rigid:\n  floor: {shape: {half_space: {}}, fixed: true, contact: {relaxation_time: "
               "0, stiffness: %g Pa/m}}\n",
               c[k].stiffness);
      snprintf(ball, sizeof ball,
               "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 100 g, pose: {position: [0, 0, "
               "%.9g]}, angular_velocity: [0, 20, 0], contact: {relaxation_time: 0.2 ms, "
               "stiffness: %g Pa/m}}\n",
               .02 - depth, c[k].stiffness);
      start_set(&e, law[i], c[k].step, 0, 0, down, floor, ball);
      go(&e, .5);
      NEAR(log(20 / test_example_spin(&e, "ball").y), g * tau / (.4 * .02) * .5, .02, 0);
      test_example_end(&e);
    }
}

/** A prism of n corners on a circle about z. */
static void write_prism(const char *path, int n, double radius, double length) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  for (int i = 0; i < 2 * n; i++)
    fprintf(file, "v %.17g %.17g %.17g\n", radius * cos(2 * pi * (i % n) / n),
            radius * sin(2 * pi * (i % n) / n), i < n ? -length / 2 : length / 2);
  for (int i = 0, j = 1; i < n; i++, j = (i + 1) % n)
    fprintf(file, "f %d %d %d\nf %d %d %d\n", i + 1, j + 1, n + j + 1, i + 1, n + j + 1, n + i + 1);
  for (int i = 1; i < n - 1; i++)
    fprintf(file, "f 1 %d %d\nf %d %d %d\n", i + 2, i + 1, n + 1, n + i + 1, n + i + 2);
  fclose(file);
}

/* A disc of n corners that falls from edge to edge without rebound keeps (1 + 2 cos(2 pi/n))/3 of
 * its spin each time. */
static void polyhedra_lose_at_most_twice_what_their_edges_take(void) {
  static const char *const kinds[] = {"mesh", "convex"};
  static const int         corners[] = {32, 64, 128};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      for (int at = 0; at < 3; at += 2) {
        test_example e;
        char         path[512], body[1200];
        double       edge = 2 * pi / corners[i], kept = log((1 + 2 * cos(edge)) / 3);
        snprintf(path, sizeof path, "%s/prism.obj", test_folder());
        write_prism(path, corners[i], .1, .06);
        snprintf(body, sizeof body,
                 "  wheel: {shape: {%s: {file: \"%s\"}}, mass: 1, pose: {position: [0, 0, 0.1], "
                 "rpy: [90 deg, 0, 0]}, velocity: [1, 0, 0], angular_velocity: [0, 10, 0]}\n",
                 kinds[k], path);
        start(&e, steps[at], .8, 0, down, floor_text, body);
        go(&e, .5);
        double travelled = test_example_place(&e, "wheel").x;
        double v = test_example_velocity(&e, "wheel").x;
        double lost = -log(v), edges = -kept * travelled / (.1 * edge);
        if (at == 0) printf("%s %d: %.3f of it; ", kinds[k], corners[i], lost / edges);
        CHECK(lost < 2 * edges && v < 1.003);
        test_example_end(&e);
      }
}

/** Kinetic and potential energy of a wheel of 1 kg [J]. */
static double energy_of_wheel(const test_example *e, double I) {
  sup_v3 v = test_example_velocity(e, "wheel"), w = test_example_spin(e, "wheel");
  return .5 * (sup_v3_dot(v, v) + I * w.y * w.y) + g * test_example_place(e, "wheel").z;
}

/* A prism that rolls so slowly that its weight swings it from edge to edge: one force at the middle
 * of what a face touches in the step had 1.6 times its speed after 2 s at 5 ms. */
static void polyhedra_that_roll_slowly_gain_nothing(void) {
  static const struct {
    int    corners;
    double speed;
  } c[] = {{16, .25}, {32, .1}, {32, .3}, {128, .1}};
  static const double I = .005; /* of a disc, 1 % more than the prism of 16 has */
  for (size_t i = 0; i < sizeof c / sizeof *c; i++)
    for (int k = 0; k < NUM_STEPS; k++) {
      test_example e;
      char         path[512], body[1200];
      snprintf(path, sizeof path, "%s/prism.obj", test_folder());
      write_prism(path, c[i].corners, .1, .06);
      snprintf(body, sizeof body,
               "  wheel: {shape: {mesh: {file: \"%s\"}}, mass: 1, inertia: [0.003, 0.003, 0.005], "
               "pose: {position: [0, 0, %.17g], rpy: [90 deg, 0, 0]}, velocity: [%g, 0, 0], "
               "angular_velocity: [0, %g, 0]}\n",
               path, .1, c[i].speed, 10 * c[i].speed);
      start(&e, steps[k], .8, 0, down, floor_text, body);
      double motion = .5 * (1 + 100 * I) * c[i].speed * c[i].speed, before = motion + g * .1;
      go(&e, 2);
      double gain = (energy_of_wheel(&e, I) - before) / motion;
      printf("%d %g: %.3f; ", c[i].corners, steps[k], gain);
      CHECK(gain < .05); /* the depth of the contact counts */
      test_example_end(&e);
    }
}

/* Pressure fields on tetrahedra of a ball: edges take some of the spin, levers nothing.  At 10 ms
 * 5.2 of 20 rad/s were left after half a second. */
static void a_ball_with_a_pressure_field_keeps_most_of_its_spin(void) {
  for (int k = 0; k < 3; k++) {
    test_example e;
    start(&e, steps[k], 0, 0, down, floor_text,
          "  ball: {shape: {sphere: {radius: 20 mm}}, mass: 100 g, pose: {position: [0, 0, 20 mm]},"
          " angular_velocity: [0, 20, 0], contact: {compliant: {modulus: 1 MPa}}}\n");
    go(&e, .5);
    NEAR(test_example_spin(&e, "ball").y, 20, .06, 0);
    test_example_end(&e);
  }
}

/** A flat plate, its top of nx x ny squares of two triangles. */
static void write_plate(const char *path, int nx, int ny) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  int n = (nx + 1) * (ny + 1), row = ny + 1;
  for (int k = 0; k < 2 * n; k++) {
    int i = k % n / row, j = k % n % row;
    fprintf(file, "v %.17g %.17g %g\n", 2.4 * ((double)i / nx - .5), .2 * ((double)j / ny - .5),
            k < n ? .05 : -.05);
  }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) {
      int a = i * row + j + 1, b = a + row, c = b + 1, d = a + 1;
      fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
      fprintf(file, "f %d %d %d\nf %d %d %d\n", a + n, c + n, b + n, a + n, d + n, c + n);
    }
  for (int i = 0, first = 1; i < nx; i++, first += row) {
    int a = first, b = a + row, c = a + ny, d = b + ny;
    fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + n, b + n, a, b + n, b);
    fprintf(file, "f %d %d %d\nf %d %d %d\n", c, d + n, c + n, c, d, d + n);
  }
  for (int j = 1, last = nx * row; j <= ny; j++) {
    int a = j, b = j + 1, c = last + j, d = c + 1;
    fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b + n, a + n, a, b, b + n);
    fprintf(file, "f %d %d %d\nf %d %d %d\n", c, c + n, d + n, c, d + n, d);
  }
  fclose(file);
}

/** Energy that a prism of 32 corners at 0.1 m/s gains in a time, over that of its motion. */
static double gain_of_prism(const char *prism, const char *ground, double step, double time) {
  static const double I = .005, speed = .1;
  test_example        e;
  char                bodies[1800];
  snprintf(bodies, sizeof bodies,
           "rigid:\n  floor: {shape: {%s, fixed: true}\n  wheel: {shape: {mesh: {file: \"%s\"}}, "
           "mass: 1, inertia: [0.003, 0.003, 0.005], pose: {position: [0, 0, 0.1], rpy: [90 deg, "
           "0, 0]}, velocity: [%g, 0, 0], angular_velocity: [0, %g, 0]}\n",
           ground, prism, speed, 10 * speed);
  start(&e, step, .8, 0, down, "", bodies);
  double motion = .5 * (1 + 100 * I) * speed * speed;
  go(&e, time);
  double gain = (energy_of_wheel(&e, I) - motion - g * .1) / motion;
  test_example_end(&e);
  return gain;
}

/* A plate is the same ground as a box and as a hull, where levers of its own took 0.38 to 1.15 of
 * the energy; a large ball is nearly that, and took 0.50 to 1.46. */
static void polyhedra_roll_on_hulls_and_balls_as_on_boxes(void) {
  char path[512], plate[512], hull[700];
  snprintf(path, sizeof path, "%s/prism.obj", test_folder());
  write_prism(path, 32, .1, .06);
  snprintf(plate, sizeof plate, "%s/plate.obj", test_folder());
  write_plate(plate, 1, 1);
  snprintf(hull, sizeof hull, "convex: {file: \"%s\"}}, pose: {position: [0, 0, -0.05]}", plate);
  for (int k = 0; k < NUM_STEPS; k++) {
    double box = gain_of_prism(
        path, "box: {size: [2.4, 0.2, 0.1]}}, pose: {position: [0, 0, -0.05]}", steps[k], .7);
    NEAR(gain_of_prism(path, hull, steps[k], .7), box, 0, 1e-6); /* landings double round-off */
    double ball =
        gain_of_prism(path, "sphere: {radius: 200}}, pose: {position: [0, 0, -200]}", steps[k], 2);
    printf("%g: %.3f, %.3f; ", steps[k], box, ball);
    NEAR(ball, -.3, 0, .2);
  }
}

/* A ball that slides without friction on a plate that is free itself, a mesh or a field: it kept
 * .43 of its speed for a second; and the two keep their angular momentum about the origin. */
static void balls_keep_their_speed_on_free_plates(void) {
  for (int k = 0; k < NUM_STEPS; k++)
    for (int is_field = 0; is_field < 2; is_field++) {
      test_example e;
      char         path[512], bodies[1200];
      snprintf(path, sizeof path, "%s/plate.obj", test_folder());
      write_plate(path, 100, 10);
      snprintf(bodies, sizeof bodies,
               "  plate: {shape: {%s}, mass: 20, inertia: [0.1, 10, 10], pose: {position: [0, 0, "
               "-0.05]}%s}\n"
               "  ball: {shape: {sphere: {radius: 50 mm}}, mass: 0.5, pose: {position: [-0.1, 0, "
               "0.0502]}, velocity: [1, 0, -0.02]}\n",
               is_field ? "box: {size: [2.4, 0.4, 0.1]}" : "mesh: {file: plate.obj}",
               is_field ? ", contact: {compliant: {modulus: 1 MPa}}" : "");
      start(&e, steps[k], 0, 0, (double[]){0, 0, 0}, "rigid:\n", bodies);
      go(&e, .3);
      sup_v3 L = sup_v3_add(angular_momentum(&e, "ball", .5, .4 * .5 * .0025),
                            angular_momentum(&e, "plate", 20, 10));
      CHECK(test_example_velocity(&e, "ball").z > 0);
      NEAR(test_example_velocity(&e, "ball").x, 1, 2e-3, 0);
      NEAR(L.y, .5 * (.0502 - .1 * .02), 1e-5, 0); /* the solver's tolerance */
      test_example_end(&e);
    }
}

/* A ball rolls, or slides without friction, on a floor of triangles that are small and large
 * against its patch, and on a pressure field: normals of patches that ran ahead braked it by
 * N v h/R, .64 of 1 m/s were left after half a second at 5 ms. */
static void balls_keep_their_speed_on_meshes_and_fields(void) {
  static const int cells[][2] = {{400, 34}, {100, 10}, {1, 1}};
  for (int k = 0; k < NUM_STEPS; k++)
    for (int f = 0; f < 8; f++) {
      test_example e;
      char         path[512], bodies[1200], floors[700];
      int          rolls = f % 2, is_field = f / 2 == 3;
      snprintf(path, sizeof path, "%s/plate.obj", test_folder());
      if (!is_field) write_plate(path, cells[f / 2][0], cells[f / 2][1]);
      snprintf(floors, sizeof floors,
               is_field
                   ? "{shape: {box: {size: [2.4, 0.4, 0.1]}}, contact: {compliant: {modulus: 1 "
                     "MPa}}"
                   : "{shape: {mesh: {file: \"%s\"}}",
               path);
      snprintf(bodies, sizeof bodies,
               "  floor: %s, pose: {position: [0, 0, -0.05]}, fixed: true}\n"
               "  ball: {shape: {sphere: {radius: 50 mm}}, mass: 0.5, pose: {position: [-0.3, 0, "
               "%g]}, velocity: [1, 0, 0], angular_velocity: [0, %d, 0], contact: {resolution: %d "
               "mm}}\n",
               floors, is_field ? .0486 : .05, rolls ? 20 : 0, is_field ? 2 : 10);
      start(&e, steps[k], rolls ? .1 : 0, 0, down, "rigid:\n", bodies);
      go(&e, .5);
      /* on a field what slips about the patch takes .003 (.015 with mu .5), edges of the ball .002
       */
      NEAR(test_example_velocity(&e, "ball").x, 1, is_field && rolls ? .005 : 2e-3, 0);
      NEAR(test_example_spin(&e, "ball").y, rolls ? 20 : 0, is_field && rolls ? .005 : 2e-3, .1);
      test_example_end(&e);
    }
}

/* Two wheels of one robot that touch along a line, their faces flush: with friction each ends with
 * half of the spin, without it both keep theirs.  As prisms they kept 3.6 of 20 rad/s at 10 ms. */
static void a_pair_of_wheels_turns_as_gears_do(void) {
  for (int k = 0; k < NUM_STEPS; k++)
    for (int grips = 0; grips < 2; grips++) {
      test_example e;
      char         path[512], top[700];
      snprintf(path, sizeof path, "%s/wheels.urdf", test_folder());
      FILE *file = fopen(path, "w");
      CHECK(file != NULL);
      fputs("<robot name=\"pair\"><link name=\"base\"/>\n", file);
      for (int i = 0; i < 2; i++)
        fprintf(file,
                "<link name=\"%c\"><inertial><mass value=\"0.5\"/><inertia ixx=\"4e-4\" "
                "iyy=\"4e-4\" izz=\"6.25e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
                "<collision><geometry><cylinder radius=\"0.05\" length=\"0.02\"/></geometry>"
                "</collision></link>\n<joint name=\"j%c\" type=\"continuous\"><parent "
                "link=\"base\"/><child link=\"%c\"/><axis xyz=\"0 0 1\"/><origin xyz=\"%g 0 "
                "0\"/></joint>\n",
                'a' + i, 'a' + i, 'a' + i, .09995 * i);
      fputs("</robot>\n", file);
      fclose(file);
      snprintf(top, sizeof top, "robots:\n  r: {urdf: \"%s\", velocities: {ja: 20 rad/s}}\n", path);
      start(&e, steps[k], grips ? .5 : 0, 0, (double[]){0, 0, 0}, top, "");
      go(&e, 1);
      NEAR(e.s.state->v[0], grips ? 10 : 20, 1e-6, 0);
      NEAR(e.s.state->v[1], grips ? -10 : 0, 1e-6, 1e-6);
      test_example_end(&e);
    }
}

/* Shapes that touch the floor to round-off at the start: facets in the first step took 1e-4 to 3e-4
 * of a spin at 5 ms, and gave what rolls 1.8e-3 of its speed at 10 ms. */
static void what_just_touches_meets_the_floor_round(void) {
  static const char *const shapes[] = {"cylinder: {radius: 0.05, length: 0.05}",
                                       "capsule: {radius: 0.05, length: 0.05}",
                                       "ellipsoid: {radii: [0.05, 0.05, 0.03]}"};
  for (int k = 2; k < NUM_STEPS; k++)
    for (int i = 0; i < 3; i++)
      for (int rolls = 0; rolls < 2; rolls++) {
        test_example e;
        char         body[300];
        snprintf(body, sizeof body,
                 "  body: {shape: {%s}, mass: 0.5, pose: {position: [0, 0, 0.05], rpy: [90 deg, 0, "
                 "0]}, velocity: [%g, 0, 0], angular_velocity: [0, 20, 0]}\n",
                 shapes[i], rolls ? 1. : 0.);
        start(&e, steps[k], rolls ? .5 : 0, 0, down, floor_text, body);
        go(&e, .2);
        NEAR(test_example_spin(&e, "body").y, 20, rolls ? 1e-3 : 1e-6, 0);
        test_example_end(&e);
      }
}

/** A tooth of a wheel about z, its root at the wheel's hub: a prism. */
static void write_tooth(const char *path) {
  static const double x[] = {22e-3, 30e-3, 34.5e-3}, half[] = {5e-3, 3.5e-3, 1.5e-3};
  FILE               *file = fopen(path, "w");
  CHECK(file != NULL);
  for (int k = 0; k < 12; k++)
    fprintf(file, "v %.17g %.17g %g\n", x[k % 3], k / 3 % 2 ? -half[k % 3] : half[k % 3],
            k < 6 ? -5e-3 : 5e-3);
  fputs("f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n", file); /* the hull of its points counts */
  fclose(file);
}

static void write_gears(const char *path, int teeth) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fputs("<robot name=\"pair\"><link name=\"base\"/>\n", file);
  for (int i = 0; i < 2; i++) {
    fprintf(file,
            "<joint name=\"j%d\" type=\"continuous\"><parent link=\"base\"/><child link=\"g%d\"/>"
            "<axis xyz=\"0 0 1\"/><origin xyz=\"%g 0 0\"/></joint>\n<link name=\"g%d\"><inertial>"
            "<mass value=\"1\"/><inertia ixx=\"5e-4\" iyy=\"5e-4\" izz=\"5e-4\" ixy=\"0\" "
            "ixz=\"0\" iyz=\"0\"/></inertial>\n",
            i, i, .06 * i, i);
    for (int k = 0; k < teeth; k++)
      fprintf(file,
              "<collision><origin rpy=\"0 0 %.17g\"/><geometry><mesh filename=\"tooth.obj\"/>"
              "</geometry></collision>\n",
              2 * pi * (k + .5 * i) / teeth);
    fputs("</link>\n", file);
  }
  fputs("</robot>\n", file);
  fclose(file);
}

/* Gears with play between their teeth do not touch while both turn as fast.  Teeth that were seen
 * as they stood met across the gap that their turning keeps. */
static void teeth_that_pass_each_other_do_not_touch(void) {
  for (int k = 2; k < NUM_STEPS; k++) {
    test_example e;
    char         path[512], tooth[512], top[700];
    snprintf(tooth, sizeof tooth, "%s/tooth.obj", test_folder());
    write_tooth(tooth);
    snprintf(path, sizeof path, "%s/gears.urdf", test_folder());
    write_gears(path, 12);
    snprintf(top, sizeof top,
             "robots:\n  r: {urdf: \"%s\", velocities: {j0: 10 rad/s, j1: -10 rad/s}}\n", path);
    start(&e, steps[k], .3, 10, (double[]){0, 0, 0}, top, "");
    go(&e, .3);
    NEAR(e.s.state->v[0], 10, 1e-12, 0);
    NEAR(e.s.state->v[1], -10, 1e-12, 0);
    test_example_end(&e);
  }
}

/* (g) with belts: the ball has their mean velocity, and turns by their difference over the gap. */
static void a_ball_between_two_belts_has_their_mean_velocity(void) {
  static const double belts[][2] = {{0, .2}, {-.5, .5}, {.3, .1}}, gap = .0398, across = .0399;
  for (int k = 0; k < NUM_STEPS; k++)
    for (size_t i = 0; i < sizeof belts / sizeof *belts; i++) {
      test_example e;
      char         bodies[800];
      double       low = belts[i][0], up = belts[i][1];
      snprintf(
          bodies, sizeof bodies,
          "rigid:\n  low: {shape: {box: {size: [4, 1, 0.1]}}, pose: {position: [0, 0, -0.05]}, "
          "fixed: true, contact: {surface_velocity: [%g, 0, 0]}}\n  up: {shape: {box: {size: "
          "[4, 1, 0.1]}}, pose: {position: [0, 0, %.17g]}, fixed: true, contact: "
          "{surface_velocity: [%g, 0, 0]}}\n  ball: {shape: {sphere: {radius: 20 mm}}, mass: "
          "0.1, pose: {position: [0, 0, 20 mm]}}\n",
          low, .05 + gap, up);
      start(&e, steps[k], .5, 0, down, "", bodies);
      go(&e, .5);
      NEAR(test_example_velocity(&e, "ball").x, .5 * (low + up), 1e-3, 1e-4);
      NEAR(test_example_spin(&e, "ball").y, (up - low) / across, 1e-5, 0); /* places half-way in */
      test_example_end(&e);
    }
}

#define SOLID(mass, ixx, iyy)                                                        \
  "<inertial><mass value='" mass "'/><inertia ixx='" ixx "' iyy='" iyy "' izz='" ixx \
  "' ixy='0' ixz='0' iyz='0'/></inertial>"

/* A floating base on four wheels keeps its speed, by midpoint, too. */
static void a_cart_rolls_on(void) {
  static const char *const schemes[] = {"", ", scheme: midpoint"};
  char                     path[512], top[900];
  snprintf(path, sizeof path, "%s/cart.urdf", test_folder());
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  fputs("<robot name='cart'><link name='base'>" SOLID("4", "0.05", "0.05") "</link>\n", file);
  for (int i = 0; i < 4; i++)
    fprintf(file,
            "<link name='w%d'>" SOLID("1", "0.003", "0.005") "<collision><origin rpy='%.17g 0 0'/>"
            "<geometry><cylinder radius='0.1' length='0.04'/></geometry></collision></link>\n<joint "
            "name='j%d' type='continuous'><parent link='base'/><child link='w%d'/><axis xyz='0 1 0'"
            "/><origin xyz='%g %g 0'/></joint>\n",
            i, .5 * pi, i, i, i < 2 ? .2 : -.2, i % 2 ? .15 : -.15);
  fputs("</robot>\n", file);
  fclose(file);
  snprintf(top, sizeof top,
           "robots:\n  r: {urdf: \"%s\", base: free, velocity: [8, 0, 0], velocities: {j0: 80, j1: "
           "80, j2: 80, j3: 80}, pose: {position: [0, 0, 0.1]}}\n%s",
           path, floor_text);
  for (int k = 0; k < 2 * NUM_STEPS; k++) {
    test_example e;
    scheme = schemes[k % 2];
    start(&e, steps[k / 2], .8, 0, down, top, "");
    scheme = "";
    go(&e, .3);
    for (int j = 6; j < 10; j++) NEAR(e.s.state->v[j], 80, 1e-3, 0);
    test_example_end(&e);
  }
}

SUITE_TESTS(rolling, TEST(a_frictionless_ball_keeps_its_spin), TEST(what_is_round_rolls_on),
            TEST(round_patches_store_the_integral_of_their_force),
            TEST(balls_and_cylinders_roll_down_inclines), TEST(sliding_balls_end_rolling),
            TEST(two_balls_that_collide_keep_spin_and_angular_momentum),
            TEST(dissipation_resists_rolling_as_its_law_says),
            TEST(a_damper_resists_rolling_as_its_law_says),

            TEST(polyhedra_lose_at_most_twice_what_their_edges_take),
            TEST(polyhedra_that_roll_slowly_gain_nothing),
            TEST(polyhedra_roll_on_hulls_and_balls_as_on_boxes),
            TEST(a_ball_with_a_pressure_field_keeps_most_of_its_spin),
            TEST(balls_keep_their_speed_on_meshes_and_fields),
            TEST(balls_keep_their_speed_on_free_plates), TEST(a_pair_of_wheels_turns_as_gears_do),
            TEST(what_just_touches_meets_the_floor_round),
            TEST(teeth_that_pass_each_other_do_not_touch),
            TEST(a_ball_between_two_belts_has_their_mean_velocity), TEST(a_cart_rolls_on));
