/* A soft body that several links carry. */
#include "scene_test.h"

enum { LEFT, RIGHT };
static const double length = .1, width = .02;

static sup_region end_of_bar(int which) {
  sup_region all = {SUP_REGION_BOX, {-1, -1, -1}, {1, 1, 1}, {0}, 0, {0}};
  if (which == LEFT) all.upper[0] = 1e-6;
  if (which == RIGHT) all.lower[0] = length - 1e-6;
  return all;
}

/** A bar along x of n cells along its length between two sliders along x, each a tree of its own or
 * both links of one. */
static void add_bar_between_sliders(test_scene *s, int n, int in_one_tree) {
  test_scene_init(s);
  for (int t = 0; t < (in_one_tree ? 1 : 2); t++) {
    sup_tree_def *tree = test_add_tree(s, t ? "right" : "left", in_one_tree ? 2 : 1);
    for (int l = 0; l < tree->num_links; l++) {
      tree->links[l].joint = SUP_JOINT_PRISMATIC;
      tree->links[l].mass = t + l ? .3 : .5;
      for (int c = 0; c < 3; c++) tree->links[l].inertia[c] = 1e-3;
    }
  }
  test_add_soft_box(s, "bar", length, width, width, n, 1, 1, SUP_PATTERN_HEX, 1e6, .3, 1000);
  test_attach(s, 0, "left/link0", end_of_bar(LEFT));
  test_attach(s, 0, in_one_tree ? "left/link1" : "right/link0", end_of_bar(RIGHT));
  s->options.gravity[2] = 0;
  s->options.tolerance = 1e-10;
}

/* One cell couples the two links directly, without free vertices; three do not. */
static void two_links_exchange_their_momentum_through_the_body(void) {
  for (int n = 1; n <= 3; n += 2)
    for (int in_one_tree = 0; in_one_tree < 2; in_one_tree++) {
      test_scene s;
      add_bar_between_sliders(&s, n, in_one_tree);
      s.link[0][0].v0[0] = .2; /* both links of one tree go along */
      if (!in_one_tree) s.link[1][0].v0[0] = -.1;
      if (in_one_tree) s.link[0][1].v0[0] = -.3;
      test_start(&s);
      const sup_soft *bar = &s.model->soft[0];
      int             second = in_one_tree ? 1 : s.model->v_start[1];
      double          left = s.state->v[0], right = s.state->v[second] + in_one_tree * left;
      double          sum = .5 * left + .3 * right + test_soft_momentum(&s, 0).x;
      CHECK(bar->num_attachments == 2 && s.model->num_attachments == 2);
      CHECK(bar->num_attach_trees == 2 - in_one_tree);
      NEAR(left, .2, 1e-15, 0);
      NEAR(right, -.1, 1e-15, 0);
      for (int i = 0; i < 40; i++) {
        test_step(&s);
        const sup_step_result *r = sup_stepper_result(s.stepper);
        double l = s.state->v[0], b = s.state->v[second] + in_one_tree * l, h = s.options.dt;
        NEAR(.5 * l + .3 * b + test_soft_momentum(&s, 0).x, sum, 0, 1e-11);
        NEAR(r->attach_wrench[LEFT].force.x, .5 * (l - left) / h, 1e-6, 1e-7);
        NEAR(r->attach_wrench[RIGHT].force.x, .3 * (b - right) / h, 1e-6, 1e-7);
        left = l, right = b;
      }
      CHECK(fabs(left - right) < .3); /* it has pulled */
      for (int a = 0; a < bar->num_vertices; a++) {
        if (bar->attach_of[a] == SUP_NONE) continue;
        double moved = bar->attach_of[a] == LEFT ? s.state->q[0]
                                                 : s.state->q[second] + in_one_tree * s.state->q[0];
        NEAR(s.state->x[3 * a], bar->x0[3 * a] + moved, 1e-14, 1e-15);
      }
      test_end(&s);
    }
}

/* Fixed links hold what a clamp holds. */
static void fixed_links_are_clamps(void) {
  test_scene s[2];
  for (int k = 0; k < 2; k++) {
    test_scene_init(&s[k]);
    test_add_rigid(&s[k], "a", (sup_shape){SUP_SHAPE_SPHERE, {.001}}, 0, 1);
    test_add_rigid(&s[k], "b", (sup_shape){SUP_SHAPE_SPHERE, {.001}}, 0, 1)->q0[0] = .3;
    test_add_soft_box(&s[k], "bar", length, width, width, 5, 2, 2, SUP_PATTERN_KUHN, 1e5, .3, 1000);
  }
  sup_region clamps[2] = {end_of_bar(LEFT), end_of_bar(RIGHT)};
  s[0].soft[0].num_clamps = 2, s[0].soft[0].clamps = clamps;
  test_attach(&s[1], 0, "a", clamps[0]);
  test_attach(&s[1], 0, "b", clamps[1]);
  for (int k = 0; k < 2; k++) test_start(&s[k]);
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < 2; k++) test_step(&s[k]);
    const sup_step_result *r = sup_stepper_result(s[0].stepper),
                          *q = sup_stepper_result(s[1].stepper);
    for (int a = 0; a < 3 * s[0].model->num_vertices; a++)
      NEAR(s[1].state->x[a], s[0].state->x[a], 1e-12, 1e-15);
    for (int e = 0; e < 2; e++) {
      NEAR(q->attach_wrench[e].force.x, -r->reaction[e].force.x, 1e-6, 1e-9);
      NEAR(q->attach_wrench[e].force.z, -r->reaction[e].force.z, 1e-6, 1e-9);
    }
  }
  for (int k = 0; k < 2; k++) test_end(&s[k]);
}

/* Regions of one link are one attachment. */
static void regions_of_a_link_are_joined(void) {
  test_scene s;
  add_bar_between_sliders(&s, 3, 0);
  s.soft[0].num_attachments = 0;
  test_attach(&s, 0, "left/link0", end_of_bar(LEFT));
  test_attach(&s, 0, "left/link0", end_of_bar(LEFT));
  test_attach(&s, 0, "left/link0", end_of_bar(RIGHT));
  test_start(&s);
  CHECK(s.model->num_attachments == 1 && s.model->soft[0].num_attached == 8);
  test_end(&s);
}

/* Stretched between a wall and a slider with a force: F L/(E A) without lateral contraction. */
static void a_bar_between_a_wall_and_a_slider_stretches(void) {
  test_scene s;
  double     zero = 0, force[3] = {4, 0, 0};
  test_scene_init(&s);
  test_add_rigid(&s, "wall", (sup_shape){SUP_SHAPE_SPHERE, {.001}}, 0, 1)->num_geometries = 0;
  sup_tree_def *tree = test_add_tree(&s, "slider", 1);
  tree->links[0].joint = SUP_JOINT_PRISMATIC, tree->links[0].mass = .01;
  for (int c = 0; c < 3; c++) tree->links[0].inertia[c] = 1e-6;
  test_add_soft_box(&s, "bar", length, width, width, 4, 1, 1, SUP_PATTERN_HEX, 1e6, 0, 1000);
  s.soft[0].material.model = SUP_MATERIAL_LINEAR;
  test_attach(&s, 0, "wall", end_of_bar(LEFT));
  test_attach(&s, 0, "slider/link0", end_of_bar(RIGHT));
  s.options.gravity[2] = 0;
  s.options.dt = .1;
  s.options.tolerance = 1e-12;
  s.def.num_loads = 1;
  s.load[0] = (sup_load_def){.marker = SUP_INITIALISED,
                             .name = "pull",
                             .body = "slider/link0",
                             .force = {1, 3, &zero, force}};
  test_start(&s);
  for (int i = 0; i < 200; i++) test_step(&s);
  const sup_step_result *r = sup_stepper_result(s.stepper);
  NEAR(s.state->q[s.model->q_start[1]], 4 * length / (1e6 * width * width), 1e-9, 0);
  NEAR(r->attach_wrench[0].force.x, 4, 1e-9, 0);
  NEAR(r->attach_wrench[1].force.x, -4, 1e-9, 0);
  test_end(&s);
}

/** A bar whose left end one body carries, 2 mm above a plate; the plate itself carries it, or a
 * body that touches nothing. */
static void add_bar_above_plate(test_scene *s, bool carries, bool yields) {
  test_scene_init(s);
  for (int k = 0; k < (carries ? 1 : 2); k++) {
    sup_link_def *l = test_add_rigid(
        s, k ? "wall" : "plate",
        k ? (sup_shape){SUP_SHAPE_SPHERE, {.0001}} : (sup_shape){SUP_SHAPE_BOX, {.2, .1, .02}}, .2,
        1);
    if (yields && k == 0) l->geometries[0].contact.modulus = 1e6;
  }
  sup_soft_def *d =
      test_add_soft_box(s, "bar", length, width, .01, 20, 4, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  d->X_WS.p[2] = .012;
  d->material.stiffness_damping = .02;
  test_attach(s, 0, carries ? "plate" : "wall", end_of_bar(LEFT));
  if (carries) s->attachment[0][0].contact_beyond = .02;
  s->options.dt = .004;
  s->options.tolerance = 1e-11;
}

/* The plate that carries the bar supports it as another plate does; its moment is that of its
 * forces. */
static void the_link_that_carries_a_body_touches_it_elsewhere(void) {
  for (int yields = 0; yields < 2; yields++) {
    test_scene s[2];
    for (int k = 0; k < 2; k++) add_bar_above_plate(&s[k], k == 1, yields), test_start(&s[k]);
    for (int i = 0; i < 40; i++)
      for (int k = 0; k < 2; k++) test_step(&s[k]);
    sup_v3 f[2] = {test_contact_force(&s[0], "bar"), test_contact_force(&s[1], "bar")};
    printf("%.9g %.9g N ", f[0].z, f[1].z);
    CHECK(f[0].z > .05);
    NEAR(sup_v3_norm(sup_v3_sub(f[1], f[0])), 0, 0, 1e-8);
    for (int a = 0; a < 3 * s[0].model->num_vertices; a++)
      NEAR(s[1].state->x[a], s[0].state->x[a], 0, 1e-10);
    const unsigned char *left_out = s[1].model->pair[0].left_out;
    CHECK(s[1].model->num_pairs == 1 && left_out != NULL);
    for (int t = 0; t < s[1].model->soft[0].surface->num_faces; t++) {
      const sup_surface *surface = s[1].model->soft[0].surface;
      double             nearest = 1;
      for (int k = 0; k < 4; k++)
        nearest = fmin(nearest, s[1].model->soft[0].x0[3 * surface->face[4 * t + k]]);
      CHECK(left_out[t] == (nearest < .02 + 1e-9));
    }
    for (int k = 0; k < 2; k++) test_end(&s[k]);
  }
}

static void contact_with_the_link_that_carries_gives_no_momentum(void) {
  for (int yields = 0; yields < 2; yields++) {
    test_scene s;
    add_bar_above_plate(&s, true, yields);
    s.link[0][0].joint = SUP_JOINT_FLOATING;
    s.soft[0].v0[2] = -.5; /* the bar's free end comes near */
    s.options.gravity[2] = 0;
    test_start(&s);
    double before = 0, pressed = 0;
    for (int i = 0; i < 40; i++) {
      double sum = .2 * s.state->v[5] + test_soft_momentum(&s, 0).z;
      if (i == 0) before = sum;
      NEAR(sum, before, 0, 1e-11);
      test_step(&s);
      pressed = fmax(pressed, test_contact_force(&s, "bar").z);
    }
    CHECK(pressed > .1);
    test_end(&s);
  }
}

static void no_face_beyond_the_distance_is_told(void) {
  test_scene s;
  add_bar_above_plate(&s, true, false);
  s.attachment[0][0].contact_beyond = .2;
  CHECK(sup_model_create(&s.model, &s.def) == SUP_E_ARG);
  CHECK(strstr(sup_error_message(), "farther than 0.2 m from its vertices attached to 'plate'"));
  test_end(&s);
}

SUITE_TESTS(attachments, TEST(two_links_exchange_their_momentum_through_the_body),
            TEST(the_link_that_carries_a_body_touches_it_elsewhere),
            TEST(contact_with_the_link_that_carries_gives_no_momentum),
            TEST(no_face_beyond_the_distance_is_told), TEST(fixed_links_are_clamps),
            TEST(regions_of_a_link_are_joined), TEST(a_bar_between_a_wall_and_a_slider_stretches));
