/* Soft bodies of quadratic tetrahedra at rest, pressed, in contact with rigid bodies and with
 * bricks. */
#include "scene_test.h"

static void add_floor(test_scene *s) {
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
}

static double speed(const test_scene *s) {
  double most = 0;
  for (int i = 0; i < 3 * s->model->num_vertices; i++) most = fmax(most, fabs(s->state->xdot[i]));
  return most;
}

/** A cube of 0.1 m of n x n x n bricks (nu = 0) on a floor, at rest; returns the force that it
 * feels. */
static double rest(test_scene *s, int n, int lumped, int mean_dilatation,
                   sup_soft_surface surface) {
  test_scene_init(s);
  s->def.contact.soft_surface = surface;
  s->options.dt = .02, s->options.tolerance = 1e-12;
  add_floor(s);
  sup_soft_def *d =
      test_add_soft_box(s, "cube", .1, .1, .1, n, n, n, SUP_PATTERN_MIRROR, 1e5, 0, 1000);
  test_make_quadratic(s, 0);
  d->lumped_mass = lumped, d->mean_dilatation = mean_dilatation;
  d->material.stiffness_damping = .02;
  test_start(s);
  for (int i = 0; i < 400 && (i < 20 || speed(s) > 1e-13); i++) test_step(s);
  return test_contact_force(s, "cube").z;
}

static void a_cube_rests_on_a_floor_and_carries_its_weight(void) {
  for (int k = 0; k < 3; k++) {
    test_scene s;
    NEAR(rest(&s, 2, k != 1, k == 2, SUP_SOFT_SURFACE_POLYGONS), 9.81, 1e-8, 0);
    test_end(&s);
  }
}

/** Stored energy of the cube at rest over (rho g)^2 h^3 A / (6 E), less 1. */
static double energy_error(int n, sup_soft_surface surface) {
  double     exact = pow(1000 * 9.81, 2) * 1e-3 * 1e-2 / (6 * 1e5);
  test_scene s;
  sup_m3    *R = NULL;
  int        inverted;
  rest(&s, n, 0, 0, surface);
  const sup_fem_body *fem = s.model->soft[0].fem;
  OK(SUP_CALLOC(R, sup_fem_mesh(fem)->num_cells));
  sup_fem_rotations(fem, s.state->x, R, &inverted);
  double error = sup_fem_elastic_energy(fem, R, s.state->x) / exact - 1;
  CHECK(inverted == 0);
  SUP_FREE(R);
  test_end(&s);
  printf("%d: %.2g %%; ", n, 100 * error);
  return error;
}

/* Polygons act on the straight parts of the faces: a uniform pressure gives the corners a twelfth
   of the face's area each where the quadratic element wants none, and the face bends by a share of
   the cell's compression.  That goes with the size of the cells: 6.4, 3.1 and, with n = 4, 1.6 % of
   the energy. */
static void what_polygons_add_to_a_cube_at_rest_goes_with_its_cells(void) {
  double coarse = energy_error(1, SUP_SOFT_SURFACE_POLYGONS),
         fine = energy_error(2, SUP_SOFT_SURFACE_POLYGONS);
  NEAR(coarse / fine, 2, 0, .15);
}

/* Contacts at the middles of the sides have the element's own loads of a pressure.  Its
   displacement under the weight is of second degree, which the element has: what is left is the
   rounding of forces. */
static void contacts_of_vertices_leave_a_cube_at_rest_its_energy(void) {
  for (int n = 1; n <= 4; n *= 2) NEAR(energy_error(n, SUP_SOFT_SURFACE_VERTICES), 0, 0, 1e-11);
}

/** Force that a driven ball needs to press a clamped block by 4 mm after 0.4 s, and what it is
 * pressed by. */
static double press(int is_quadratic, int n, sup_mesh_pattern pattern, int *num_vertices) {
  test_scene s;
  double     time[] = {0, .2, 1},
         motion[] = {0, 0, 0, 0, 0, 0, 0, 0, -.004, 0, 0, 0, 0, 0, -.004, 0, 0, 0};
  test_scene_init(&s);
  s.options.dt = .02, s.options.tolerance = 1e-10;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.02}}, 1, 1);
  s.tree[0].X_WB.p[0] = s.tree[0].X_WB.p[1] = .02, s.tree[0].X_WB.p[2] = .04;
  s.tree[0].motion = (sup_table){.num_rows = 3, .width = 6, .time = time, .value = motion};
  sup_soft_def *d =
      test_add_soft_box(&s, "block", .04, .04, .02, 2 * n, 2 * n, n, pattern, 1e5, .45, 1000);
  if (is_quadratic) test_make_quadratic(&s, 0);
  sup_region base = {.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1e-9};
  d->num_clamps = 1, d->clamps = &base;
  d->material.stiffness_damping = .02;
  test_start(&s);
  for (int i = 0; i < 20; i++) test_step(&s);
  double force = -test_contact_force(&s, "block").z;
  *num_vertices = s.model->num_vertices;
  test_end(&s);
  return force;
}

/* 10 bricks over the height (4,851 vertices) give 7.6888 N; 6 bricks 7.7402 N, 4 bricks 7.8777 N,
   quadratic tetrahedra in 3 layers, with the vertices of 6 bricks, 7.6772 N. */
static void a_pressed_block_is_as_stiff_as_one_of_bricks(void) {
  int    vertices[2];
  double bricks = press(0, 6, SUP_PATTERN_HEX, &vertices[0]),
         t10 = press(1, 3, SUP_PATTERN_MIRROR, &vertices[1]);
  printf("H8 %.4f N (%d vertices), T10 %.4f N (%d) ", bricks, vertices[0], t10, vertices[1]);
  NEAR(bricks, 7.6888, .02, 0);
  NEAR(t10, 7.6888, .02, 0);
}

/* A clamped finger of quadratic tetrahedra, or one of bricks, is pressed by a soft cube of the
   other kind that a traction drives: what the finger feels is the traction's force, action and
   reaction are one. */
static void soft_bodies_of_both_kinds_press_each_other(void) {
  for (int k = 0; k < 2; k++) {
    double     push = .4, width = .02, time[] = {0, .2}, ramp[] = {0, 1};
    test_scene s;
    test_scene_init(&s);
    s.options.dt = .01, s.options.tolerance = 1e-11;
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    for (int i = 0; i < 2; i++) {
      sup_mesh_pattern pattern = i == k ? SUP_PATTERN_MIRROR : SUP_PATTERN_HEX;
      int              n = i == k ? 1 : 2;
      sup_soft_def    *d = test_add_soft_box(&s, i ? "cube" : "base", width, width, width, n, n, n,
                                             pattern, 2e5, .3, 1000);
      if (i == k) test_make_quadratic(&s, i);
      d->contact.friction = .5, d->material.stiffness_damping = .05, d->material.mass_damping = 20;
      d->X_WS.p[2] = i * width;
    }
    sup_region       floor = {.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, 1}, .offset = 1e-9};
    sup_traction_def down = {
        .marker = SUP_INITIALISED,
        .region = {.type = SUP_REGION_HALF_SPACE, .normal = {0, 0, -1}, .offset = -width + 1e-9},
        .total_force = {0, 0, -push},
        .scale = {.num_rows = 2, .width = 1, .time = time, .value = ramp}};
    s.soft[0].num_clamps = 1, s.soft[0].clamps = &floor;
    s.soft[1].num_tractions = 1, s.soft[1].tractions = &down;
    test_start(&s);
    for (int i = 0; i < 100; i++) {
      test_step(&s);
      CHECK(sup_v3_norm(sup_v3_add(test_vertex_force(&s, 0), test_vertex_force(&s, 1))) <= 1e-13);
    }
    sup_v3 f = test_vertex_force(&s, 0);
    printf("%.10g N, %d contacts; ", -f.z, sup_stepper_result(s.stepper)->num_contacts);
    NEAR(-f.z, push, 1e-6, 0);
    test_end(&s);
  }
}

SUITE_TESTS(quadratic_contact, TEST(a_cube_rests_on_a_floor_and_carries_its_weight),
            TEST(what_polygons_add_to_a_cube_at_rest_goes_with_its_cells),
            TEST(contacts_of_vertices_leave_a_cube_at_rest_its_energy),
            TEST(a_pressed_block_is_as_stiff_as_one_of_bricks),
            TEST(soft_bodies_of_both_kinds_press_each_other));
