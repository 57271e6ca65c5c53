/* R31, THEORY 33: what rolls and spins on patches.  Gap, normal and levers are those of the
 * predicted end of the step, so that a normal force takes nothing of a spin. */
#include "rolling/rolling.h"

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

/** A line of contact that a turn of 1 rad/s tilts comes to rest within .3 s, also where it ends at
 * the edges of the floor; with contacts at the deep end alone it rattles at 1 rad/s for ever. */
static void what_lies_on_a_line_comes_to_rest(void) {
  static const char *const shapes[] = {"cylinder", "capsule"};
  static const char *const floors[] = {
      floor_text,
      "rigid:\n  floor: {shape: {box: {size: [.2, .04, .02]}}, pose: {position: [0, 0, -.01]}, "
      "fixed: true}\n"};
  for (int k = 0; k < 2 * 2 * NUM_STEPS; k++) {
    test_example e;
    char         body[400];
    snprintf(body, sizeof body,
             "  body: {shape: {%s: {radius: .015, length: .06}}, mass: .05, pose: "
             "{position: [0, 0, .015], rpy: [90 deg, 0, 0]}, angular_velocity: [1, 0, 0]}\n",
             shapes[k % 2]);
    start(&e, steps[k / 4], .5, 0, down, floors[k / 2 % 2], body);
    go(&e, .3);
    double tilts = test_example_spin(&e, "body").x, climbs = test_example_velocity(&e, "body").z;
    double m = .05, I = m * (3 * .015 * .015 + .06 * .06) / 12; /* of the cylinder */
    NEAR(tilts, 0, 0, .05);
    NEAR(test_example_place(&e, "body").z, .015, 0, 5e-5);
    CHECK(.5 * (I * tilts * tilts + m * climbs * climbs) < 1e-7); /* 9e-6 J at the start */
    test_example_end(&e);
  }
}

/** Ends of a line that land one after the other on a plate thinner than they turn in a step, whose
 * poses are searched as they are: with the way of the deep end for the whole line the force stood
 * near its middle, energy doubled and the body hopped off. */
static void a_line_that_lands_tilted_stays_on_its_plate(void) {
  static const char plate[] =
      "rigid:\n  floor: {shape: {box: {size: [.2, .2, .02]}}, pose: "
      "{position: [0, 0, -.01]}, fixed: true}\n";
  static const char *const shapes[] = {"cylinder", "capsule"};
  for (int k = 0; k < 2 * 2 * NUM_STEPS; k++) {
    test_example e;
    char         body[400];
    double       most = 0, m = .05, I = m * (3 * .015 * .015 + .06 * .06) / 12;
    snprintf(body, sizeof body,
             "  body: {shape: {%s: {radius: .015, length: .06}}, mass: .05, pose: "
             "{position: [0, 0, .03], rpy: [%d deg, 0, 0]}}\n",
             shapes[k % 2], k / 2 % 2 ? 93 : 80);
    start(&e, steps[k / 4], .5, 0, down, plate, body);
    while (e.s.state->time < 1) {
      test_step(&e.s);
      sup_v3 w = test_example_spin(&e, "body"), v = test_example_velocity(&e, "body");
      double z = test_example_place(&e, "body").z;
      most = fmax(most, .5 * (I * sup_v3_dot(w, w) + m * sup_v3_dot(v, v)) + m * g * z);
    }
    CHECK(most < 1.5 * m * g * .03); /* 3.4 with contacts of the whole line */
    if (k % 2 == 0) {                /* capsules go on to bounce */
      NEAR(test_example_place(&e, "body").z, .015, 0, 5e-5);
      NEAR(test_example_spin(&e, "body").x, 0, 0, .05);
    }
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

/** Angular momentum of a ball of mass m and moment of inertia I about the world's origin. */
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
            "<geometry><cylinder radius='0.1' length='0.04'/></geometry></collision></link>\n"
            "<joint name='j%d' type='continuous'><parent link='base'/><child link='w%d'/>"
            "<axis xyz='0 1 0'/><origin xyz='%g %g 0'/></joint>\n",
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
            TEST(what_lies_on_a_line_comes_to_rest),
            TEST(a_line_that_lands_tilted_stays_on_its_plate),
            TEST(round_patches_store_the_integral_of_their_force),
            TEST(balls_and_cylinders_roll_down_inclines), TEST(sliding_balls_end_rolling),
            TEST(two_balls_that_collide_keep_spin_and_angular_momentum),
            TEST(dissipation_resists_rolling_as_its_law_says),
            TEST(a_damper_resists_rolling_as_its_law_says),

            TEST(a_ball_with_a_pressure_field_keeps_most_of_its_spin),
            TEST(balls_keep_their_speed_on_meshes_and_fields),
            TEST(balls_keep_their_speed_on_free_plates), TEST(a_pair_of_wheels_turns_as_gears_do),
            TEST(what_just_touches_meets_the_floor_round),

            TEST(a_ball_between_two_belts_has_their_mean_velocity), TEST(a_cart_rolls_on));
