/* A cylinder pressed into a FinRay finger through states of rest: case G01b on the coarse end of
 * examples/studies/finray_press_ladder.yaml. */
#include "example.h"
#include "measure/contact_pressure.h"
#include "step/step.h"

enum { STEPS = 2 }; /* to 2.5 and 5 mm */

/** Force on the whole finger after each load step [N]: half of it, `cells` cells through its walls,
 * gathered at corners.
 */
static void press(int cells, double force[STEPS]) {
  char              mesh[200];
  static const char symmetry[] =
      "soft.finger.hold=[{name: symmetry, region: {named: z_max}, axes: [z]}]";
  const char        *sets[] = {mesh,
                               "time.end=0.5 s",
                               "static.tolerance=3e-10",
                               "soft.finger.mesh.finray.depth=10 mm",
                               "soft.finger.mesh.finray.grading=2",
                               symmetry};
  test_example       e;
  sup_static_options o;
  snprintf(mesh, sizeof mesh,
           "soft.finger.mesh.finray.cells={wall: %d, inner: %d, cavity: %d, rib: %d, depth: 1}",
           cells, 6 * cells, 6 * cells, cells);
  test_example_start(&e, "studies/finray_pressed", sets, 6);
  o = e.scene->statics;
  o.steps = STEPS, o.end = 0.5;
  for (int i = 0; i < STEPS; i++) {
    OK(sup_static_step(e.s.stepper, e.s.state, &o, &e.s.report));
    CHECK(e.s.report.load_cuts == 0); /* the patch that comes and goes at 2.5 mm is no reason */
    sup_v3 contact = test_contact_force(&e.s, "finger"), left = contact;
    for (int k = 0; k < 2; k++)
      left = sup_v3_add(left, sup_stepper_result(e.s.stepper)->reaction[k].force);
    NEAR(sup_v3_norm(left), 0, 0, 1e-8 * sup_v3_norm(contact));
    force[i] = 2 * contact.x;
  }
  NEAR(e.s.state->time, o.end, 1e-12, 0);
  test_example_end(&e);
}

/* Measured at 5 mm: 0.4872, 0.4801, 0.4635 N; the study's limit is 0.437 N. */
static void a_finger_softens_as_its_mesh_is_refined_and_its_supports_bear_the_contact(void) {
  double force[3][STEPS];
  for (int i = 0; i < 3; i++)
    press(i + 1, force[i]), printf("%.4f N, %.4f N; ", force[i][0], force[i][1]);
  for (int k = 0; k < STEPS; k++) CHECK(force[0][k] > force[1][k] && force[1][k] > force[2][k]);
  NEAR(force[2][1], 0.437, .08, 0);
  CHECK(force[2][1] > 0.437);
  for (int i = 0; i < 3; i++) NEAR(force[i][1], 2 * force[i][0], .02, 0); /* nearly linear */
}

/** Linearisations until the outside of the finger rests on a cylinder that is `depth` deep in it,
 * in so many load steps, and the force on the half [N]. */
static int rest_on(const char *kind, const char *layer, int steps, double *force) {
  const char *sets[] = {
      kind, layer, "soft.finger.mesh.finray.depth=10 mm",
      "soft.finger.hold=[{name: symmetry, region: {named: z_max}, axes: [z]}]",
      "soft.finger.mesh.finray.cells={wall: 2, inner: 12, cavity: 12, rib: 2, depth: 1}"};
  test_example       e;
  sup_static_options o;
  int                count = 0;
  test_example_start(&e, "studies/finray_pressed", sets, 5);
  o = e.scene->statics;
  o.steps = steps, o.tolerance = 1e-8;
  for (int i = 0; i < 4; i++) {
    OK(sup_static_step(e.s.stepper, e.s.state, &o, &e.s.report));
    CHECK(e.s.report.load_cuts == 0);
    count += e.s.report.iterations;
  }
  *force = test_contact_force(&e.s, "finger").x;
  test_example_end(&e);
  return count;
}

/* Layers are overlapped by nanometres.  A vertex that a linearisation left a nanometre outside must
   be offered to the next one, and with the area of all its faces, or it is let go and pushed back
   for ever. */
static void smooth_vertices_find_their_rest(void) {
  static const int steps[] = {8, 20};
  for (int k = 0; k < 2; k++) {
    double polygons, vertices;
    int    p = rest_on("contact.soft_surface=polygons", "contact.layer=10", steps[k], &polygons),
        v = rest_on("contact.soft_surface=vertices", "contact.layer=10", steps[k], &vertices);
    printf("%d and %d iterations, %.5g and %.5g N; ", p, v, polygons, vertices);
    CHECK(v < p);
    NEAR(vertices, polygons, .01, 0);
    (void)rest_on("contact.soft_surface=vertices", "contact.layer=100", steps[k], &vertices);
    NEAR(vertices, polygons, .01, 0);
  }
}

/** Force of the finger of examples/finray_press.yaml at rest on the cylinder 1 mm deep [N]. */
static double rest_at_1mm(const char *kind) {
  test_example       e;
  sup_static_options o;
  test_example_start(&e, "finray_press", &kind, 1);
  o = e.scene->statics;
  o.steps = 4, o.end = 0.2;
  for (int i = 0; i < o.steps; i++) OK(sup_static_step(e.s.stepper, e.s.state, &o, &e.s.report));
  double force = test_contact_force(&e.s, "finger").x;
  test_example_end(&e);
  return force;
}

/* It overlaps the round cylinder by the sagitta of its flat sides, is pushed out of the box about
   the cylinder and comes back.  The mean sagitta of 11 um is 1.2 % of the depth. */
static void a_wall_that_was_pushed_out_of_reach_is_looked_at_again(void) {
  double polygons = rest_at_1mm("contact.soft_surface=polygons");
  NEAR(rest_at_1mm("contact.soft_surface=vertices"), polygons, .02, 0);
}

/** Forces on the half of a finger at rest. */
typedef struct patch {
  double force, lean;       /* of contacts [N]; sine of its angle with the face's normal */
  double lost;              /* of it, in the resultant of the pressures */
  double peak;              /* [Pa] */
  int    count;             /* connected parts of the vertices that have a hundredth of the peak */
  int    steps, iterations; /* load steps and linearisations until there */
} patch;

/** Number of parts of the vertices above `least` that faces join. */
static int count_parts(const sup_contact_pressure *p, const sup_soft *soft, double least) {
  int *part, n = soft->num_vertices, k = soft->surface->vertices_per_face, count = 0, changed = 1;
  OK(SUP_CALLOC(part, n));
  for (int i = 0; i < n; i++) part[i] = p->pressure[i] > least ? i : -1;
  while (changed) {
    changed = 0;
    for (int f = 0; f < k * soft->surface->num_faces; f++) {
      const int *face = soft->surface->face + f / k * k;
      for (int j = 0; j < k; j++) {
        int *a = &part[face[f % k]], b = part[face[j]];
        if (*a < 0 || b < 0 || *a <= b) continue;
        *a = b, changed = 1;
      }
    }
  }
  for (int i = 0; i < n; i++) count += part[i] == i;
  SUP_FREE(part);
  return count;
}

/** Resultant of the pressures less that of the normal forces [N]. */
static sup_v3 sum_forces(const sup_contact_pressure *p, const sup_step_result *r) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 0; k < p->num_loaded; k++) {
    int    i = p->loaded[k];
    sup_v3 n = sup_v3_unit(sup_v3_load(p->normal + 3 * i));
    sum = sup_v3_madd(sum, p->pressure[i] * p->area[i], n);
  }
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    sum = sup_v3_madd(sum, sup_v3_dot(c->force, c->normal), c->normal);
  }
  return sum;
}

/** Sine of the angle between the force on the finger and the normal of the face that has most of
 * it. */
static double lean_of(const test_example *e, sup_v3 force) {
  const sup_step_result *r = sup_stepper_result(e->s.stepper);
  const sup_surface     *surface = e->s.model->soft[0].surface;
  sup_v3                 x[4];
  int                    most = 0;
  double                 largest = 0;
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    if (c->item_a >= surface->num_triangles || sup_v3_norm(c->force) <= largest) continue;
    most = c->item_a, largest = sup_v3_norm(c->force);
  }
  const int *face = surface->face + 4 * (most / 4);
  for (int k = 0; k < 4; k++) x[k] = sup_v3_load(e->s.state->x + 3 * face[k]);
  sup_v3 n = sup_v3_cross(sup_v3_sub(x[2], x[0]), sup_v3_sub(x[3], x[1]));
  return sup_v3_norm(sup_v3_cross(sup_v3_unit(n), sup_v3_unit(force)));
}

/** The finger, `cells` through its walls, rests on the edge of a box that is turned by 45 degrees,
 * `depth` deep in it. */
static patch press_on_edge(const char *kind, int cells, double depth) {
  static const char shape[] = "rigid.cylinder.shape={box: {size: [20 mm, 20 mm, 60 mm]}}",
                    pose[] =
                        "rigid.cylinder.pose={position: [-14.1421 mm, 44 mm, 10 mm], "
                        "rpy: [0, 0, 45 deg]}";
  char                  mesh[120], motion[120];
  const char           *sets[] = {kind,
                                  mesh,
                                  motion,
                                  shape,
                                  pose,
                                  "soft.finger.mesh.finray.depth=10 mm",
                                  "soft.finger.hold=[{name: symmetry, region: {named: z_max}, axes: [z]}]"};
  test_example          e;
  sup_static_options    o;
  patch                 out = {0};
  sup_contact_pressure *p;
  snprintf(mesh, sizeof mesh,
           "soft.finger.mesh.finray.cells={wall: %d, inner: %d, cavity: %d, rib: %d, depth: 1}",
           cells, 6 * cells, 6 * cells, cells);
  snprintf(motion, sizeof motion,
           "rigid.cylinder.motion=[[0, 0, 0, 0, 0, 0, 0], [1, %g, 0, 0, 0, 0, 0]]", depth);
  test_example_start(&e, "studies/finray_pressed", sets, 7);
  o = e.scene->statics;
  o.steps = 4, o.tolerance = 1e-8;
  while (e.s.state->time < 1 - 1e-9) {
    OK(sup_static_step(e.s.stepper, e.s.state, &o, &e.s.report));
    out.iterations += e.s.report.iterations, out.steps++;
    SUP_ASSERT(out.steps < 40);
  }
  const sup_step_result *r = sup_stepper_result(e.s.stepper);
  OK(sup_contact_pressure_create(&p, e.s.model));
  sup_contact_pressure_add(p, r->num_contacts, r->contact, NULL, SUP_NONE, e.s.state->x);
  for (int k = 0; k < p->num_loaded; k++) out.peak = fmax(out.peak, p->pressure[p->loaded[k]]);
  out.count = count_parts(p, e.s.model->soft, .01 * out.peak);
  sup_v3 force = test_contact_force(&e.s, "finger");
  out.force = sup_v3_norm(force), out.lean = lean_of(&e, force);
  out.lost = sup_v3_norm(sum_forces(p, r)) / out.force;
  sup_contact_pressure_destroy(&p);
  test_example_end(&e);
  return out;
}

/* Without friction the force of an edge on a flat face is along the face's normal.  The normals of
 * the box's two sides were off from it by up to 9 degrees and held the wall where it was: with two
 * cells through the walls no rest was found past 2 mm, and that in 99 linearisations a step.
 * Measured: 2e-3, but 7 and 17e-3 where the edge is next to a vertex (6 mm), whose faces meet at an
 * angle; 20 to 54 linearisations a step of 2.5 mm. */
static void an_edge_presses_along_the_normal_of_the_wall(void) {
  static const char *const kind[] = {"contact.soft_surface=polygons",
                                     "contact.soft_surface=vertices"};
  static const double      depth[] = {.002, .006, .010};
  for (int v = 0; v < 4; v++) {
    double before = 0;
    for (int k = 0; k < 3; k++) {
      patch p = press_on_edge(kind[v / 2], 1 + v % 2, depth[k]);
      printf("%.4f N %.1e, %.1f kPa, %d in %d; ", p.force, p.lean, p.peak / 1e3, p.iterations,
             p.steps);
      NEAR(p.lean, 0, 0, k == 1 ? .02 : .01);
      NEAR(p.lost, 0, 0, 1e-9); /* of the resultant, in the pressures */
      CHECK(p.count == 1 && p.force > before && p.iterations < 60 * p.steps);
      before = p.force;
    }
    NEAR(before, .489, .03, 0);
  }
}

/** Press the finger of examples/finray_press.yaml by 10 mm until t = 1.1 s; force at the end, least
 * force once it is pressed [N] and largest overlap [m]. */
static void press_in(const char *model, const char *step, double *end, double *least,
                     double *deepest) {
  char         set_model[64], set_step[64];
  const char  *sets[] = {set_model, set_step, "contact.friction_sweeps=1",
                         "contact.stiction_tolerance=1e-4"};
  test_example e;
  snprintf(set_model, sizeof set_model, "contact.model=%s", model);
  snprintf(set_step, sizeof set_step, "time.step=%s", step);
  test_example_start(&e, "finray_press", sets, 4);
  *least = HUGE_VAL, *deepest = 0;
  while (e.s.state->time < 1.1 - 1e-9) {
    test_step(&e.s);
    *end = sup_v3_norm(test_contact_force(&e.s, "finger"));
    *deepest = fmax(*deepest, e.s.report.penetration_max);
    if (e.s.state->time > 0.3) *least = fmin(*least, *end);
  }
  test_example_end(&e);
}

/* Lagged at 2 ms gives 10.08 N.  What lifts off by a micrometre is where the finger's elastic force
 * would take it 5 mm into the cylinder within a step of 10 ms: contacts must be there before. */
static void a_pressed_finger_keeps_its_contacts_at_long_steps(void) {
  static const char *const        model[] = {"lagged", "lagged_regularized", "similar",
                                             "similar_regularized", "sap"},
                           *const step[] = {"10 ms", "20 ms"};
  for (int m = 0; m < 5; m++)
    for (int k = 0; k < 2; k++) {
      double end, least, deepest;
      press_in(model[m], step[k], &end, &least, &deepest);
      printf("%s %s: %.3f N, %.1f um; ", model[m], step[k], end, 1e6 * deepest);
      NEAR(end, 10.08, .015, 0);
      CHECK(least > 1.2);
      CHECK(deepest < 10e-6);
    }
}

/** Press the finger by 10 mm within 1.1 s and hold it. */
static void start_hold(test_example *e, const char *friction, const char *slip_speed) {
  static const char motion[] =
      "rigid.cylinder.motion=[[0, 0, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0, "
      "0], [1.1, 0.01, 0, 0, 0, 0, 0], [20, 0.01, 0, 0, 0, 0, 0]]";
  char        rigid[64], soft[64], slip[64];
  const char *sets[] = {motion, rigid, soft, slip, "contact.friction_sweeps=2"};
  snprintf(rigid, sizeof rigid, "rigid.cylinder.contact.friction=%s", friction);
  snprintf(soft, sizeof soft, "soft.finger.contact.friction=%s", friction);
  snprintf(slip, sizeof slip, "contact.stiction_tolerance=%s", slip_speed);
  test_example_start(e, "finray_press", sets, 5);
}

/* The finger is 20 mm deep and three bricks wide there; with one contact a triangle at its centroid
 * its front wall twisted to and fro from step to step, 46 nm at its middle, for ever. */
static void what_is_held_comes_to_rest(void) {
  test_example e;
  sup_v3       before = {0, 0, 0};
  start_hold(&e, "0", "1e-4");
  while (e.s.state->time < 2.5 - 1e-9) before = test_contact_force(&e.s, "finger"), test_step(&e.s);
  double sway = 0, dt = e.s.options.dt;
  for (int i = 0; i < e.s.model->num_vertices; i++)
    sway = fmax(sway, dt * fabs(e.s.state->xdot[3 * i + 2]));
  printf("%.2g m a step; ", sway);
  CHECK(sway < 1e-10);
  NEAR(sup_v3_norm(sup_v3_sub(test_contact_force(&e.s, "finger"), before)), 0, 0, 1e-3);
  test_example_end(&e);
}

/* At the stiction tolerance of a scene that names none, 3e-7/s of the cylinder's 36 mm.  Measured:
 * 0.19 % in these 3 s, 0.59 % in 10 s; with one contact a triangle 2 and 4 % at 1e-9 m/s, too. */
static void a_held_finger_keeps_its_friction(void) {
  test_example e;
  double       start = 0;
  int          iterations = 0;
  start_hold(&e, "0.5", "1.1e-8");
  while (e.s.state->time < 5 - 1e-9) {
    test_step(&e.s);
    if (e.s.state->time > 2 - 1e-9) iterations += e.s.report.iterations;
    if (!(start != 0) && e.s.state->time > 2 - 1e-9) start = test_contact_force(&e.s, "finger").y;
  }
  double end = test_contact_force(&e.s, "finger").y;
  printf("%.4f N, %.4f N, %d iterations; ", start, end, iterations);
  NEAR(fabs(start), 3.435, .02, 0);
  NEAR(end, start, .003, 0);
  CHECK(iterations < 900); /* 4,000 while it swung */
  test_example_end(&e);
}

SUITE_TESTS(finray_press, TEST(an_edge_presses_along_the_normal_of_the_wall),
            TEST(smooth_vertices_find_their_rest),
            TEST(a_wall_that_was_pushed_out_of_reach_is_looked_at_again),
            TEST(what_is_held_comes_to_rest), TEST(a_held_finger_keeps_its_friction),
            TEST(a_pressed_finger_keeps_its_contacts_at_long_steps),
            TEST(a_finger_softens_as_its_mesh_is_refined_and_its_supports_bear_the_contact));
