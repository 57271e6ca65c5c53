/* A soft finger of H8 bricks, attached to a link, presses a soft cube of T4: two kinds of elements
 * and attached vertices in one contact. */
#include "scene_test.h"
#include "step/stepper.h"

/* The force that drives the link passes through both bodies, which shorten by F L/(E A) each (nu =
   0) and by what their layers yield; the carried body's vertices feel the opposite of the other's
   in every step.  Measured: 0.4 N to 1e-9, 0.408 mm of 0.400 and the layers. */
static void a_finger_of_bricks_presses_a_cube_of_tetrahedra(void) {
  enum { N = 100 };
  double width = .02, height = .04, E = 2e5, push = .4, time[] = {0, .2},
         force[] = {0, 0, 0, 0, 0, -push};
  test_scene s;
  test_scene_init(&s);
  s.options.dt = .01, s.options.tolerance = 1e-11;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  sup_link_def *link =
      test_add_rigid(&s, "slide", (sup_shape){SUP_SHAPE_BOX, {.01, .01, .01}}, .1, 0);
  link->joint = SUP_JOINT_TRANSLATION, link->num_geometries = 0;
  link->q0[2] = 2 * height;
  test_add_force(&s, "slide", 2, time, force);
  for (int i = 0; i < 2; i++) {
    int           n = i ? 3 : 2; /* cells that do not match */
    sup_soft_def *d =
        test_add_soft_box(&s, i ? "cube" : "finger", width, width, height, n, n, 2 * n,
                          i ? SUP_PATTERN_MIRROR : SUP_PATTERN_HEX, E, 0, 1000);
    d->contact.friction = .5;
    d->material.stiffness_damping = .05;
    d->X_WS.p[2] = i ? 0 : -height; /* the finger's in the link's frame */
  }
  sup_region top = {
      .type = SUP_REGION_HALF_SPACE, .normal = {0, 0, -1}, .offset = -height * (1 - 1e-9)};
  sup_region base = {.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1e-9};
  test_attach(&s, 0, "slide", top);
  s.soft[1].num_clamps = 1, s.soft[1].clamps = &base;
  test_start(&s);
  for (int i = 0; i < N; i++) {
    test_step(&s);
    sup_v3 a = test_vertex_force(&s, 0), b = test_vertex_force(&s, 1);
    CHECK(sup_v3_norm(sup_v3_add(a, b)) <= 1e-13);
    CHECK(sup_v3_norm(sup_v3_sub(a, test_contact_force(&s, "finger"))) <= 1e-13);
  }
  const sup_step_result *r = sup_stepper_result(s.stepper);
  sup_v3                 f = test_contact_force(&s, "cube");
  double                 down = s.model->q0[2] - s.state->q[2], A = width * width,
         shorter = push * height / (E * A);
  double layer = 0;
  for (int i = 0; i < r->num_contacts; i++) {
    double fn = sup_v3_dot(r->contact[i].force, r->contact[i].normal),
           share = sup_contact_overlap_share(&r->contact[i]);
    layer += share * share * fn * fn / (r->contact[i].stiffness * push);
  }
  printf("%.9g N, shorter by %.6g mm of %.6g, layers %.4g mm, %d contacts ", f.z, 1e3 * down,
         2e3 * shorter, 1e3 * layer, r->num_contacts);
  NEAR(f.z, -push, 1e-8, 0);
  NEAR(hypot(f.x, f.y), 0, 0, 1e-8 * push);
  NEAR(r->attach_wrench[0].force.z, push, 1e-8, 0);
  NEAR(sup_v3_norm(r->attach_wrench[0].moment), push * width * sqrt(.5), 1e-5,
       0); /* no mesh is symmetric; the link's origin is a corner */
  NEAR(down, 2 * shorter + layer, .01, 0);
  CHECK(layer > 0 && layer < .03 * down);
  test_end(&s);
}

/** Two soft cubes of four bricks a side, `gap` apart, at rest or closing in with `speed`; pairs
 * that the first step looks at beside the broad phase. */
static int count_looked_at(sup_soft_surface surface, double gap, double speed) {
  enum { N = 4 };
  double     side = .02;
  test_scene s;
  test_scene_init(&s);
  s.options.dt = .01;
  s.def.contact.soft_surface = surface;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  for (int i = 0; i < 2; i++) {
    sup_soft_def *d = test_add_soft_box(&s, i ? "upper" : "lower", side, side, side, N, N, N,
                                        SUP_PATTERN_HEX, 1e5, 0, 1000);
    d->X_WS.p[2] = i ? side + gap : 0, d->v0[2] = i ? -speed : speed;
  }
  test_start(&s);
  test_step(&s);
  int count = s.stepper->contact.list.num_candidates;
  test_end(&s);
  return count;
}

/* Faces are offered to rigid shapes from a quarter of their diagonal on, 1.8 mm here; what two soft
 * bodies have of each other are fields, which reach as far as both move, and cost a quarter of the
 * grasp where they were placed for nothing. */
static void contacts_at_vertices_let_fields_of_soft_bodies_be(void) {
  for (int k = 0; k < 2; k++) {
    sup_soft_surface surface = k ? SUP_SOFT_SURFACE_VERTICES : SUP_SOFT_SURFACE_POLYGONS;
    CHECK(count_looked_at(surface, .002, 0) == 0);
    CHECK(count_looked_at(surface, .002, .2) == 1);
  }
}

SUITE_TESTS(soft_pair, TEST(a_finger_of_bricks_presses_a_cube_of_tetrahedra),
            TEST(contacts_at_vertices_let_fields_of_soft_bodies_be));
