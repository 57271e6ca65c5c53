#include "model/body_size.h"
#include "scene_test.h"

static int has_pair(const sup_model *model, const char *a, const char *b) {
  for (int p = 0; p < model->num_pairs; p++) {
    const char *x = model->body[model->pair[p].a].name, *y = model->body[model->pair[p].b].name;
    if ((strcmp(x, a) == 0 && strcmp(y, b) == 0) || (strcmp(x, b) == 0 && strcmp(y, a) == 0))
      return 1;
  }
  return 0;
}

/* A hand with two jaws and a finger on one of them. */
static void make_hand(test_scene *s, sup_geometry_def *geometry) {
  test_scene_init(s);
  sup_tree_def *hand = test_add_tree(s, "hand", 4);
  for (int l = 0; l < 4; l++) {
    hand->links[l].joint = l ? SUP_JOINT_PRISMATIC : SUP_JOINT_FIXED;
    hand->links[l].parent = l == 0 ? SUP_NONE : l == 3 ? 1 : 0;
    hand->links[l].mass = .1;
    for (int i = 0; i < 3; i++) hand->links[l].inertia[i] = 1e-4;
    geometry[l] = (sup_geometry_def){{SUP_SHAPE_BOX, {.01, .01, .01}},
                                     sup_pose_identity(),
                                     sup_default_contact_def(),
                                     .marker = SUP_INITIALISED};
    hand->links[l].num_geometries = 1;
    hand->links[l].geometries = &geometry[l];
  }
  hand->links[3].joint = SUP_JOINT_FIXED; /* a pad welded to the first jaw */
  test_add_soft_box(s, "finger", .02, .02, .06, 1, 1, 3, SUP_PATTERN_HEX, 1e7, .4, 1000);
  test_attach(s, 0, "hand/link1",
              (sup_region){SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-6, {0}});
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
}

static void neighbours_and_carriers_do_not_touch(void) {
  test_scene       s;
  sup_geometry_def geometry[4];
  make_hand(&s, geometry);
  OK(sup_model_create(&s.model, &s.def));
  CHECK(!has_pair(s.model, "finger", "hand/link1")); /* its carrier */
  CHECK(!has_pair(s.model, "finger", "hand/link3")); /* welded to its carrier */
  CHECK(has_pair(s.model, "finger", "hand/link2"));
  CHECK(has_pair(s.model, "finger", "hand/link0"));
  CHECK(has_pair(s.model, "hand/link1", "hand/link2"));  /* the jaws may meet */
  CHECK(!has_pair(s.model, "hand/link0", "hand/link1")); /* parent and child */
  CHECK(!has_pair(s.model, "hand/link0", "hand/link3"));
  CHECK(!has_pair(s.model, "hand/link0", "floor")); /* neither moves */
  CHECK(has_pair(s.model, "finger", "floor"));
  test_end(&s);
}

static void pairs_combine_properties_and_take_overrides(void) {
  test_scene       s;
  sup_geometry_def geometry[4];
  make_hand(&s, geometry);
  s.soft[0].contact.friction = .8, s.soft[0].contact.dissipation = 3;
  s.geometry[1].contact.friction = .4; /* floor */
  geometry[2].contact.friction = 1;
  geometry[2].contact.stiffness = 1e10;
  geometry[2].contact.dissipation = 2;
  s.geometry[1].contact.stiffness = 3e10;
  s.geometry[1].contact.dissipation = 6;
  sup_pair_def override[2] = {sup_default_pair_def(), sup_default_pair_def()};
  strcpy(override[0].a, "floor"), strcpy(override[0].b, "hand/link1"), override[0].disabled = 1;
  strcpy(override[1].a, "hand/link2"), strcpy(override[1].b, "finger"), override[1].friction = .33;
  s.def.pairs = override, s.def.num_pairs = 2;
  OK(sup_model_create(&s.model, &s.def));
  CHECK(!has_pair(s.model, "floor", "hand/link1"));
  for (int p = 0; p < s.model->num_pairs; p++) {
    const sup_pair *pair = &s.model->pair[p];
    const char     *a = s.model->body[pair->a].name, *b = s.model->body[pair->b].name;
    if (strcmp(a, "finger") == 0 && strcmp(b, "floor") == 0) {
      NEAR(pair->friction.mu, 2 * .8 * .4 / 1.2, 1e-14, 0);
      NEAR(pair->dissipation, 3, 1e-14, 0);
      CHECK(pair->stiffness == 0); /* each triangle's own */
    }
    if (strcmp(a, "hand/link2") == 0 && strcmp(b, "floor") == 0) {
      NEAR(pair->stiffness, 7.5e9, 1e-14, 0);
      NEAR(pair->dissipation, (3e10 * 2 + 1e10 * 6) / 4e10, 1e-14, 0);
    }
    if (strcmp(a, "finger") == 0 && strcmp(b, "hand/link2") == 0)
      NEAR(pair->friction.mu, .33, 1e-14, 0);
  }
  test_end(&s);
}

static void wrong_definitions_are_named(void) {
  test_scene       s;
  sup_geometry_def geometry[4];
  make_hand(&s, geometry);
  test_start(&s);
  s.options.dt = 0;
  FAILS(sup_options_check(&s.options, s.model), SUP_E_ARG, "time step is 0 s");
  sup_state *state;
  FAILS(sup_state_create(&state, s.model, &s.options), SUP_E_ARG, "time step is 0 s");
  sup_stepper *stepper;
  FAILS(sup_stepper_create(&stepper, s.model, &s.options), SUP_E_ARG, "time step is 0 s");
  s.options.dt = .01;
  sup_stepper_destroy(&s.stepper), sup_state_destroy(&s.state), sup_model_destroy(&s.model);
  sup_attach_def *attach = &s.attachment[0][0];
  snprintf(attach->link, sizeof attach->link, "hand/thumb");
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "attached to 'hand/thumb'");
  snprintf(attach->link, sizeof attach->link, "hand/link1");
  attach->region.offset = -1;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "the attach region holds no vertex; the mesh reaches from");
  attach->region.offset = 1e-6;
  test_attach(&s, 0, "hand/link2", attach->region);
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "m is attached to 'hand/link1' and to 'hand/link2'; choose regions that share no vertex");
  s.soft[0].num_attachments = 1;
  snprintf(s.soft[0].name, sizeof s.soft[0].name, "floor");
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "two bodies have the name 'floor'");
  snprintf(s.soft[0].name, sizeof s.soft[0].name, "finger");
  s.actuator[0] = (sup_actuator_def){
      .marker = SUP_INITIALISED, .name = "a", .joint = "hand/joint9", .kp = 1, .effort = 1};
  s.def.num_actuators = 1;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "there is no joint 'hand/joint9'");
  s.def.num_actuators = 0;
  test_end(&s);
}

/* Every allocation of creation and of a step may fail: a status each time, nothing leaks (run under
 * asan). */
static void out_of_memory_is_a_status_everywhere(void) {
  test_scene       s;
  sup_geometry_def geometry[4];
  make_hand(&s, geometry);
  int done = 0, failures = 0;
  for (long k = 1; !done && k < 2000; k++) {
    sup_memory_fail_at(k);
    sup_status status = sup_model_create(&s.model, &s.def);
    if (status == SUP_OK) status = sup_state_create(&s.state, s.model, &s.options);
    if (status == SUP_OK) status = sup_stepper_create(&s.stepper, s.model, &s.options);
    if (status == SUP_OK) status = sup_step(s.stepper, s.state, &s.report);
    sup_memory_fail_at(0);
    done = status == SUP_OK;
    failures += status == SUP_E_MEMORY;
    CHECK(status == SUP_OK || status == SUP_E_MEMORY);
    sup_stepper_destroy(&s.stepper);
    sup_state_destroy(&s.state);
    sup_model_destroy(&s.model);
  }
  CHECK(done && failures > 50);
  test_end(&s);
}

/* Parameters of a field: shape, place in the link, modulus, resolution, margin. */
static void equal_bodies_share_a_field(void) {
  test_scene s;
  test_scene_init(&s);
  for (int i = 0; i < 8; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    test_add_rigid(&s, name, (sup_shape){SUP_SHAPE_SPHERE, {i == 2 ? .06 : .05}}, 1, 0)->q0[0] =
        .2 * i;
    s.geometry[i].contact.modulus = i == 3 ? 2e5 : 1e5;
    s.geometry[i].contact.friction = .1 * i;
  }
  s.geometry[4].X_LG.p[0] = .01;
  s.geometry[5].contact.field_resolution = .02;
  s.geometry[6].contact.field_margin = .004;
  s.geometry[7].shape = (sup_shape){SUP_SHAPE_BOX, {.05}};
  s.geometry[7].shape.size[1] = s.geometry[7].shape.size[2] = .05;
  test_start(&s);
  const sup_geometry *g = s.model->geometry;
  CHECK(g[1].field == g[0].field && g[1].field_slope == g[0].field_slope);
  for (int i = 2; i < 8; i++)
    for (int k = 0; k < i; k++) CHECK(g[i].field != g[k].field);
  test_step(&s);
  test_end(&s);
}

static void round_off_does_not_choose_the_larger_body(void) {
  for (int k = 0; k < 2; k++) {
    double        excess = k ? 3e-9 : 3e-10;
    sup_body_size a = {.key = {1 + excess, 1}}, b = {.key = {1, 2}};
    CHECK(sup_body_is_larger(&a, &b) == (k == 1));
    CHECK(sup_body_is_larger(&b, &a) == (k == 0));
  }
}

SUITE_TESTS(model, TEST(round_off_does_not_choose_the_larger_body),
            TEST(equal_bodies_share_a_field), TEST(neighbours_and_carriers_do_not_touch),
            TEST(pairs_combine_properties_and_take_overrides), TEST(wrong_definitions_are_named),
            TEST(out_of_memory_is_a_status_everywhere));
