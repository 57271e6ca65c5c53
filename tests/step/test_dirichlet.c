/* Vertices held by axes, at rest and moved; reactions. */
#include "mesh/named_set.h"
#include "step/scene_test.h"

static const double size = .1;

/** The side of a cube [0, size]^3 at its low or high end of an axis. */
static sup_region side(int axis, int is_high) {
  sup_region r = {.type = SUP_REGION_HALF_SPACE, .offset = is_high ? -size + 1e-9 : 1e-9};
  r.normal[axis] = is_high ? -1 : 1;
  return r;
}

static sup_soft_def *add_cube(test_scene *s, sup_mesh_pattern pattern, int n, double E, double nu) {
  sup_soft_def *d = test_add_soft_box(s, "cube", size, size, size, n, n, n, pattern, E, nu, 1000);
  d->material.mass_damping = 40;
  return d;
}

/** Symmetry planes at the three low sides. */
static void roll(sup_soft_def *d, sup_dirichlet_def *dirichlet) {
  for (int k = 0; k < 3; k++)
    dirichlet[k] =
        (sup_dirichlet_def){.marker = SUP_INITIALISED, .region = side(k, 0), .axes = 1 << k};
  d->num_dirichlet = 3, d->dirichlet = dirichlet;
}

static sup_wrench reaction(const test_scene *s, int dirichlet) {
  return sup_stepper_result(s->stepper)->reaction[dirichlet];
}

static void same_vector(sup_v3 a, double x, double y, double z, double tolerance) {
  NEAR(a.x, x, 0, tolerance);
  NEAR(a.y, y, 0, tolerance);
  NEAR(a.z, z, 0, tolerance);
}

/** u = (-nu x, -nu y, z) e at all vertices. */
static void is_stretched(const test_scene *s, double e, double nu, double tolerance) {
  for (int i = 0; i < 3 * s->model->num_vertices; i++) {
    double x0 = s->model->soft[0].x0[i];
    NEAR(s->state->x[i] - x0, e * (i % 3 == 2 ? 1 : -nu) * x0, 0, tolerance);
  }
}

static const sup_mesh_pattern pattern[] = {SUP_PATTERN_KUHN, SUP_PATTERN_HEX};

static void a_cube_on_rollers_stretches_freely(void) {
  for (int k = 0; k < 2; k++)
    for (int by_steps = 0; by_steps < 2; by_steps++) {
      test_scene        s;
      sup_dirichlet_def dirichlet[3];
      sup_traction_def  pull = {
           .marker = SUP_INITIALISED, .region = side(2, 1), .total_force = {0, 0, 2}};
      test_scene_init(&s);
      sup_soft_def *d = add_cube(&s, pattern[k], 2, 1e5, .3);
      roll(d, dirichlet);
      d->num_tractions = 1, d->tractions = &pull;
      d->material.model = by_steps ? SUP_MATERIAL_LINEAR_COROTATIONAL : SUP_MATERIAL_LINEAR;
      s.options.gravity[2] = 0, s.options.tolerance = 1e-12;
      test_start(&s);
      for (int i = 0; i < 60 && by_steps; i++) test_step(&s);
      if (!by_steps) test_static(&s, 1);
      double e = 2 / (size * size * 1e5);
      is_stretched(&s, e, .3, by_steps ? 1e-9 : 1e-12);
      same_vector(reaction(&s, 0).force, 0, 0, 0, 1e-8);
      same_vector(reaction(&s, 2).force, 0, 0, -2, 1e-8);
      double lever = by_steps ? .3 * e * size / 2
                              : 0; /* the side's middle moves; linear statics does not see it */
      same_vector(reaction(&s, 2).moment, 2 * lever, -2 * lever, 0, 1e-9);
      test_end(&s);
    }
}

static void a_driven_side_takes_its_force(void) {
  for (int by_steps = 0; by_steps < 2; by_steps++) {
    test_scene        s;
    sup_dirichlet_def dirichlet[4];
    double            time[] = {0, .2}, move[12] = {[8] = 1e-4};
    test_scene_init(&s);
    sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 2, 1e5, .3);
    roll(d, dirichlet);
    dirichlet[3] = (sup_dirichlet_def){.marker = SUP_INITIALISED,
                                       .name = "top",
                                       .region = side(2, 1),
                                       .axes = SUP_AXIS_Z,
                                       .motion = {2, 6, time, move}};
    if (!by_steps) dirichlet[3].motion = (sup_table){1, 6, time, move + 6};
    d->num_dirichlet = 4, d->material.model = SUP_MATERIAL_LINEAR;
    s.options.gravity[2] = 0, s.options.tolerance = 1e-12;
    test_start(&s);
    if (!by_steps) test_static(&s, 1);
    for (int i = 0; i < 100 && by_steps; i++) {
      test_step(&s);
      for (int a = 0; a < s.model->num_vertices;
           a++) /* it is where the table says, whatever the cube does */
        if (s.model->soft[0].x0[3 * a + 2] > .0999)
          NEAR(s.state->x[3 * a + 2], size + 1e-4 * fmin(1, s.state->time / .2), 0, 1e-15);
    }
    is_stretched(&s, 1e-3, .3, 1e-9);
    same_vector(reaction(&s, 3).force, 0, 0, 1e5 * 1e-3 * size * size, 2e-6);
    same_vector(reaction(&s, 2).force, 0, 0, -1e5 * 1e-3 * size * size, 2e-6);
    test_end(&s);
  }
}

/* The law of Saint Venant and Kirchhoff, confined: P = l (lambda + 2 mu) (l^2 - 1)/2. */
static void a_nonlinear_cube_is_stretched_between_walls(void) {
  test_scene        s;
  sup_dirichlet_def dirichlet[3];
  double            time[] = {0, .2}, move[12] = {[8] = .03}, E = 1e5, nu = .3, l = 1.3;
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_KUHN, 2, E, nu);
  d->material.model = SUP_MATERIAL_SAINT_VENANT_KIRCHHOFF;
  dirichlet[0] =
      (sup_dirichlet_def){.marker = SUP_INITIALISED, .region = side(2, 0), .axes = SUP_AXIS_ALL};
  dirichlet[1] = (sup_dirichlet_def){.marker = SUP_INITIALISED,
                                     .region = side(2, 1),
                                     .axes = SUP_AXIS_ALL,
                                     .motion = {2, 6, time, move}};
  dirichlet[2] = (sup_dirichlet_def){
      .marker = SUP_INITIALISED,
      .region = {.type = SUP_REGION_BOX, .lower = {-1, -1, -1}, .upper = {1, 1, 1}},
      .axes = SUP_AXIS_X | SUP_AXIS_Y};
  d->num_dirichlet = 3, d->dirichlet = dirichlet;
  s.options.gravity[2] = 0, s.options.tolerance = 1e-10;
  test_start(&s);
  for (int i = 0; i < 100; i++) test_step(&s);
  double M = E * (1 - nu) / (1 + nu) / (1 - 2 * nu), force = l * M * (l * l - 1) / 2 * size * size;
  NEAR(reaction(&s, 1).force.z, force, 1e-6, 0);
  NEAR(reaction(&s, 0).force.z, -force, 1e-6, 0);
  test_end(&s);
}

static void three_axes_are_a_clamp(void) {
  uint64_t hash[3];
  for (int way = 0; way < 3; way++) {
    test_scene        s;
    sup_region        base = side(2, 0);
    sup_dirichlet_def dirichlet[3];
    test_scene_init(&s);
    sup_soft_def *d = add_cube(&s, SUP_PATTERN_KUHN, 2, 1e5, .3);
    for (int k = 0; k < 3; k++)
      dirichlet[k] = (sup_dirichlet_def){
          .marker = SUP_INITIALISED, .region = base, .axes = way == 1 ? SUP_AXIS_ALL : 1 << k};
    if (way == 0) d->num_clamps = 1, d->clamps = &base;
    if (way > 0) d->num_dirichlet = way == 1 ? 1 : 3, d->dirichlet = dirichlet;
    test_start(&s);
    for (int i = 0; i < 10; i++) test_step(&s);
    hash[way] = sup_state_hash(s.state);
    test_end(&s);
  }
  CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* At rest holds carry what gravity and loads put on the body: forces and moments, also beside
 * contact. */
static void reactions_are_the_loads(void) {
  test_scene        s;
  sup_dirichlet_def dirichlet[2] = {
      {.marker = SUP_INITIALISED,
       .name = "hinge",
       .region = {.type = SUP_REGION_BOX, .upper = {0, 1, 0}},
       .axes = 7},
      {.marker = SUP_INITIALISED, .region = side(2, 0), .axes = SUP_AXIS_Z, .has_about = 1}};
  sup_traction_def push = {
      .marker = SUP_INITIALISED, .region = side(0, 1), .total_force = {.2, .5, .3}};
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 2, 1e5, .3);
  d->num_dirichlet = 2, d->dirichlet = dirichlet, d->num_tractions = 1, d->tractions = &push;
  s.options.tolerance = 1e-12;
  test_start(&s);
  for (int i = 0; i < 150; i++) test_step(&s);
  sup_wrench a = reaction(&s, 0), b = reaction(&s, 1);
  sup_v3     weight = {0, 0, -9.81}, load = {0, 0, 0}, hinge = s.model->soft[0].dirichlet[0].about;
  const double *x = s.state->x, *m = sup_fem_vertex_mass(s.model->soft[0].fem);
  same_vector(sup_v3_add(a.force, b.force), -.2, -.5, 9.81 - .3, 1e-7);
  for (int i = 0; i < s.model->num_vertices; i++) {
    sup_v3 at = sup_v3_madd(sup_v3_scale(m[i], weight), 1,
                            sup_v3_load(s.model->soft[0].traction[0].force + 3 * i));
    load = sup_v3_add(load, sup_v3_cross(sup_v3_load(x + 3 * i), at));
  }
  sup_v3 moment = sup_v3_add(sup_v3_add(a.moment, sup_v3_cross(hinge, a.force)), b.moment);
  same_vector(moment, -load.x, -load.y, -load.z, 1e-7);
  same_vector(hinge, 0, .05, 0, 1e-15);
  test_end(&s);
}

/* p on the three free sides of a cube on rollers: -p (1 - 2 nu)/E in all directions. */
static void a_cube_under_pressure_shrinks_evenly(void) {
  static const int order[] = {1, 1, 2};
  for (int k = 0; k < 3; k++) {
    test_scene        s;
    sup_dirichlet_def dirichlet[3];
    sup_traction_def  load[3];
    test_scene_init(&s);
    sup_soft_def *d = add_cube(&s, k == 1 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN, 2, 1e5, .3);
    if (order[k] == 2) test_make_quadratic(&s, 0);
    roll(d, dirichlet);
    for (int i = 0; i < 3; i++)
      load[i] =
          (sup_traction_def){.marker = SUP_INITIALISED, .region = side(i, 1), .pressure = 500};
    load[1].pressure = 0, load[1].traction[1] = -500; /* the same where nothing turns */
    d->num_tractions = 3, d->tractions = load;
    s.options.gravity[2] = 0;
    d->material.model = SUP_MATERIAL_LINEAR;
    test_start(&s);
    test_static(&s, 1);
    for (int i = 0; i < 3 * s.model->num_vertices; i++)
      NEAR(s.state->x[i], s.model->soft[0].x0[i] * (1 - 500 * .4 / 1e5), 0, 1e-14);
    for (int i = 0; i < 3; i++) {
      double force[3] = {0, 0, 0};
      force[i] = 500 * size * size;
      same_vector(reaction(&s, i).force, force[0], force[1], force[2], 1e-10);
    }
    test_end(&s);
  }
}

/* A cube whose base turns by 90 degrees takes the pressure on its side with it; a dead traction
 * keeps its direction. */
static void pressure_turns_with_the_surface(void) {
  for (int dead = 0; dead < 2; dead++) {
    test_scene        s;
    sup_dirichlet_def dirichlet = {
        .marker = SUP_INITIALISED, .region = side(2, 0), .axes = SUP_AXIS_ALL};
    sup_traction_def load = {.marker = SUP_INITIALISED,
                             .region = side(0, 1),
                             .pressure = dead ? 0 : 500,
                             .traction = {dead ? -500 : 0, 0, 0}};
    double           time[] = {0, 1}, move[12] = {[11] = 1.5707963267948966};
    test_scene_init(&s);
    sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 2, 1e7, .3);
    dirichlet.motion = (sup_table){2, 6, time, move};
    d->num_dirichlet = 1, d->dirichlet = &dirichlet, d->num_tractions = 1, d->tractions = &load;
    s.options.gravity[2] = 0;
    test_start(&s);
    for (int i = 0; i < 200; i++) test_step(&s);
    double force = 500 * size * size;
    same_vector(reaction(&s, 0).force, dead ? force : 0, dead ? 0 : force, 0, 1e-3 * force);
    test_end(&s);
  }
}

/* A side that is held along two axes only is dragged over the floor: the hold gives what friction
 * takes. */
static void a_held_side_is_dragged_over_the_floor(void) {
  test_scene        s;
  sup_dirichlet_def dirichlet = {
      .marker = SUP_INITIALISED, .region = side(2, 0), .axes = SUP_AXIS_X | SUP_AXIS_Y};
  double time[] = {0, 10}, move[12] = {[6] = 1};
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 2, 1e5, .3);
  dirichlet.motion = (sup_table){2, 6, time, move};
  d->num_dirichlet = 1, d->dirichlet = &dirichlet, d->material.mass_damping = 0,
  d->material.stiffness_damping = .01;
  s.options.tolerance = 1e-10;
  test_start(&s);
  for (int i = 0; i < 100; i++) test_step(&s);
  sup_v3 floor = test_contact_force(&s, "cube");
  NEAR(floor.z, 9.81, 1e-6, 0);
  NEAR(floor.x, -.5 * 9.81, 1e-3, 0); /* stiction tolerance over speed */
  same_vector(reaction(&s, 0).force, -floor.x, 0, 0, 1e-5);
  for (int a = 0; a < s.model->num_vertices; a++)
    if (s.model->soft[0].x0[3 * a + 2] < 1e-6)
      NEAR(s.state->x[3 * a], s.model->soft[0].x0[3 * a] + .1, 0, 1e-14);
  test_end(&s);
}

/* A bar whose ends turn together goes with them. */
static void a_turning_hold_turns_the_body(void) {
  test_scene        s;
  sup_dirichlet_def dirichlet = {
      .marker = SUP_INITIALISED, .region = side(0, 0), .axes = SUP_AXIS_ALL, .has_about = 1};
  double time[] = {0, 1}, move[12] = {[11] = 1.5707963267948966};
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 2, 1e6, .3);
  dirichlet.motion = (sup_table){2, 6, time, move};
  d->num_dirichlet = 1, d->dirichlet = &dirichlet, s.options.gravity[2] = 0;
  test_start(&s);
  for (int i = 0; i < 250; i++) test_step(&s);
  for (int i = 0; i < s.model->num_vertices; i++) {
    const double *X = s.model->soft[0].x0 + 3 * i;
    same_vector(sup_v3_load(s.state->x + 3 * i), -X[1], X[0], X[2], 1e-7);
  }
  test_end(&s);
}

static void bad_holds_are_refused(void) {
  test_scene        s;
  double            time[] = {0}, up[6] = {[2] = .01};
  sup_dirichlet_def dirichlet[2] = {
      {.marker = SUP_INITIALISED,
       .region = side(2, 1),
       .axes = SUP_AXIS_Z,
       .motion = {1, 6, time, up}},
      {.marker = SUP_INITIALISED, .region = side(2, 1), .axes = SUP_AXIS_ALL}};
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 1, 1e5, .3);
  d->num_dirichlet = 2, d->dirichlet = dirichlet;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "holds '0' and '1' prescribe two positions of the vertex at (0 0 0.1) m along z, 0.01 m "
        "apart");
  dirichlet[1].axes = SUP_AXIS_X; /* of the same vertices other axes */
  OK(sup_model_create(&s.model, &s.def));
  sup_model_destroy(&s.model);
  dirichlet[0].motion.width = 3;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "has 3 values a row; it must have x y z rx ry rz");
  dirichlet[0].motion.width = 6, up[2] = (double)NAN;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "a number that is not finite");
  up[2] = 0, dirichlet[0].axes = 0;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "one of the axes");
  dirichlet[0].axes = SUP_AXIS_Z;
  snprintf(dirichlet[0].name, sizeof dirichlet[0].name, "1");
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "two holds with the name '1'");
  test_end(&s);
}

static void holds_of_sides_of_a_drawing_have_their_names(void) {
  static const char *const names[] = {"side_3", "hole_1", "2", "3"};
  test_scene               s;
  unsigned char           *member;
  sup_dirichlet_def        dirichlet[4];
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 1, 1e5, .3);
  for (int k = 0; k < 4; k++) {
    dirichlet[k] = (sup_dirichlet_def){.marker = SUP_INITIALISED,
                                       .region = {.type = SUP_REGION_NAMED},
                                       .axes = k == 2 ? SUP_AXIS_X : SUP_AXIS_Z};
    const char *set = k == 3 ? "sides" : names[k % 2 == 1];
    snprintf(dirichlet[k].region.name, sizeof dirichlet[k].region.name, "%s", set);
    OK(sup_mesh_add_set(s.mesh[0], SUP_SET_VERTICES, set, &member));
    memset(member, 1, (size_t)d->mesh->num_vertices);
  }
  d->num_dirichlet = 4, d->dirichlet = dirichlet;
  OK(sup_model_create(&s.model, &s.def));
  for (int k = 0; k < 4; k++) CHECK(strcmp(s.model->soft[0].dirichlet[k].name, names[k]) == 0);
  test_end(&s);
}

static void statics_counts_the_rigid_motions_that_holds_stop(void) {
  test_scene        s;
  sup_dirichlet_def dirichlet[3];
  test_scene_init(&s);
  sup_soft_def *d = add_cube(&s, SUP_PATTERN_HEX, 1, 1e5, .3);
  roll(d, dirichlet);
  d->num_dirichlet = 2;
  test_start(&s);
  sup_static_options o = sup_default_static_options();
  FAILS(sup_static_step(s.stepper, s.state, &o, &s.report), SUP_E_ARG, "'cube' is free to move");
  test_end(&s);
}

SUITE_TESTS(dirichlet, TEST(a_cube_on_rollers_stretches_freely),
            TEST(a_driven_side_takes_its_force), TEST(a_nonlinear_cube_is_stretched_between_walls),
            TEST(three_axes_are_a_clamp), TEST(reactions_are_the_loads),
            TEST(a_cube_under_pressure_shrinks_evenly), TEST(pressure_turns_with_the_surface),
            TEST(a_held_side_is_dragged_over_the_floor), TEST(a_turning_hold_turns_the_body),
            TEST(bad_holds_are_refused), TEST(holds_of_sides_of_a_drawing_have_their_names),
            TEST(statics_counts_the_rigid_motions_that_holds_stop));
