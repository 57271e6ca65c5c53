/* Eigenfrequencies and modes against closed forms. */
#include "step/static/modes.h"

#include "scene_test.h"
#include "step/equations.h"

enum { X, Y, Z };

#define PI 3.14159265358979323846

static sup_region half_space(int axis, double sign, double offset) {
  sup_region r = {SUP_REGION_HALF_SPACE, {0}, {0}, {0}, sign * offset, {0}};
  r.normal[axis] = sign;
  return r;
}

static void find(test_scene *s, bool is_loaded, int num, sup_modes *modes) {
  sup_static_options o = sup_default_static_options();
  OK(sup_modes_find(sup_stepper_layout(s->stepper), s->state, &o, is_loaded, num, modes));
  CHECK(modes->below >= modes->num);
  for (int k = 0; k < modes->num; k++) NEAR(modes->mode[k].residual, 0, 0, 1e-5);
}

/* ---- bars ------------------------------------------------------------------------------------ */

static const double length = .5, width = .01, E_bar = 2.5e6, density = 1000;

/** A bar along x of square section, nu = 0; clamped at x = 0 by `root`, unless NULL. */
static sup_soft_def *add_bar(test_scene *s, sup_mesh_pattern pattern, int nx, int n,
                             sup_region *root) {
  test_scene_init(s);
  sup_soft_def *d =
      test_add_soft_box(s, "bar", length, width, width, nx, n, n, pattern, E_bar, 0, density);
  s->options.gravity[2] = 0;
  if (root) *root = half_space(X, 1, 1e-9), d->num_clamps = 1, d->clamps = root;
  return d;
}

/** Bending frequency of a thin beam with the root `a` of its equation [Hz]. */
static double bending(double a) {
  return a * a / (2 * PI) * sqrt(E_bar * width * width / (12 * density)) / (length * length);
}

/* Bending comes twice, about both axes. */
static void a_clamped_bar_has_the_frequencies_of_a_beam(void) {
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    test_scene s;
    sup_region root;
    sup_modes  modes;
    add_bar(&s, quadratic ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX, quadratic ? 40 : 100,
            quadratic ? 1 : 2, &root);
    if (quadratic) test_make_quadratic(&s, 0);
    test_start(&s);
    find(&s, 0, 6, &modes);
    const double a[] = {1.8751041, 4.6940911, 7.8547574};
    for (int k = 0; k < 6; k++) {
      NEAR(modes.mode[k].frequency, bending(a[k / 2]), 1e-3 * (1 + 8 * (k / 2)), 0);
      CHECK(modes.mode[k].frequency < bending(a[k / 2]) || quadratic);
    }
    /* a clamped beam's first mode carries 61.3 % of the mass, across the bar alone */
    double first = modes.mode[0].mass[Y] + modes.mode[1].mass[Y],
           mass = density * length * width * width;
    NEAR(first, .6131 * mass, 2e-3, 0);
    NEAR(modes.mode[0].mass[X], 0, 0, 1e-8 * mass);
    CHECK(quadratic || modes.mode[0].mass[X] == 0);
    NEAR(modes.mass, mass, 1e-12, 0);
    CHECK(modes.num_zero == 0);
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* Free at both ends: six rigid motions, which carry all the mass, then bending twice. */
static void a_free_body_has_six_zero_modes(void) {
  test_scene s;
  sup_modes  modes;
  double     sum[3] = {0};
  add_bar(&s, SUP_PATTERN_HEX, 100, 2, NULL);
  test_start(&s);
  find(&s, 0, 8, &modes);
  CHECK(modes.num_zero == 6);
  for (int k = 0; k < 6; k++)
    for (int c = 0; c < 3; c++) sum[c] += modes.mode[k].mass[c];
  for (int c = 0; c < 3; c++) NEAR(sum[c], modes.mass, 1e-6, 0);
  for (int k = 6; k < 8; k++) NEAR(modes.mode[k].frequency, bending(4.7300407), 2e-3, 0);
  sup_modes_free(&modes);
  test_end(&s);
}

/* Held across, so that it moves along x alone: (2 k - 1)/(4 L) sqrt(E/rho). */
static void a_rod_has_the_frequencies_of_waves(void) {
  enum { CELLS = 40, MODES = 3 };
  test_scene s;
  sup_modes  modes;
  test_scene_init(&s);
  sup_soft_def *d = test_add_soft_box(&s, "rod", length, width, width, CELLS, 1, 1, SUP_PATTERN_HEX,
                                      E_bar, 0, density);
  s.options.gravity[2] = 0;
  sup_region        all = half_space(X, 1, 1), root = half_space(X, 1, 1e-9);
  sup_dirichlet_def across = {
      .marker = SUP_INITIALISED, .region = all, .axes = SUP_AXIS_Y | SUP_AXIS_Z};
  d->num_clamps = 1, d->clamps = &root;
  d->num_dirichlet = 1, d->dirichlet = &across;
  test_start(&s);
  find(&s, 0, MODES, &modes);
  for (int k = 0; k < MODES; k++)
    NEAR(modes.mode[k].frequency, (2 * k + 1) / (4 * length) * sqrt(E_bar / density),
         .05 * (2 * k + 1) * (2 * k + 1) / (CELLS * (double)CELLS) * 10, 0);
  NEAR(modes.mode[0].mass[X], 8 / (PI * PI) * modes.mass, 1e-2, 0);
  sup_modes_free(&modes);
  test_end(&s);
}

/* A plate of 1 : 100, simply supported, of solid shells: pi/2 (m^2 + n^2)/a^2 sqrt(D/(rho h)).
 * Edges do not turn about their normals, by which the thickness would count to first order. */
static void a_supported_plate_has_the_frequencies_of_kirchhoff(void) {
  enum { CELLS = 24 };
  const double      a = .2, h = .002, nu = .3, D = E_bar * h * h * h / (12 * (1 - nu * nu));
  const double      waves[] = {2, 5, 5, 8};
  test_scene        s;
  sup_modes         modes;
  sup_dirichlet_def edge[4];
  test_scene_init(&s);
  sup_soft_def *d =
      test_add_soft_box(&s, "plate", a, a, h, CELLS, CELLS, 1, SUP_PATTERN_HEX, E_bar, nu, density);
  d->solid_shell = 1;
  for (int k = 0; k < 4; k++)
    edge[k] =
        (sup_dirichlet_def){.marker = SUP_INITIALISED,
                            .region = half_space(k / 2, k % 2 ? -1 : 1, k % 2 ? a - 1e-9 : 1e-9),
                            .axes = SUP_AXIS_Z | (k < 2 ? SUP_AXIS_Y : SUP_AXIS_X)};
  d->num_dirichlet = 4, d->dirichlet = edge;
  test_start(&s);
  find(&s, 0, 4, &modes);
  for (int k = 0; k < 4; k++)
    NEAR(modes.mode[k].frequency, PI / 2 * waves[k] / (a * a) * sqrt(D / (density * h)),
         1.6e-3 * waves[k], 0); /* lumped masses: second order */
  sup_modes_free(&modes);
  test_end(&s);
}

/* Half of a thin ring, mirrored, in its plane: w^2 = E I/(rho A R^4) n^2 (n^2 - 1)^2/(n^2 + 1). */
static void a_ring_has_the_frequencies_of_hoppe(void) {
  enum { CELLS = 120 };
  const double      R = .1, h = .002;
  test_scene        s;
  sup_modes         modes;
  sup_dirichlet_def held[2];
  test_scene_init(&s);
  sup_soft_def *d =
      test_add_soft_box(&s, "ring", PI * R, h, h, CELLS, 1, 1, SUP_PATTERN_HEX, E_bar, 0, density);
  double *x = s.mesh[0]->x;
  for (int a = 0; a < s.mesh[0]->num_vertices; a++, x += 3) {
    double turn = x[0] / R, r = R + x[1] - h / 2;
    x[0] = -r * cos(turn), x[1] = r * sin(turn);
  }
  held[0] = (sup_dirichlet_def){
      .marker = SUP_INITIALISED, .region = half_space(Y, 1, 1e-9), .axes = SUP_AXIS_Y};
  held[1] = (sup_dirichlet_def){
      .marker = SUP_INITIALISED, .region = half_space(X, 1, 1), .axes = SUP_AXIS_Z};
  d->num_dirichlet = 2, d->dirichlet = held;
  test_start(&s);
  find(&s, 0, 4, &modes);
  CHECK(modes.num_zero == 1);
  for (int n = 2; n < 5; n++)
    NEAR(modes.mode[n - 1].omega2,
         E_bar * h * h / (12 * density * R * R * R * R) * n * n * pow(n * n - 1, 2) / (n * n + 1),
         3e-3 * n * n / 4., 0);
  sup_modes_free(&modes);
  test_end(&s);
}

/* Rayleigh's damping, alpha/(2 w) + beta w/2, and a material that relaxes: w^2 = E(w)/E w0^2. */
static void materials_damp_their_modes(void) {
  double first = 0;
  for (int k = 0; k < 3; k++) {
    test_scene    s;
    sup_region    root;
    sup_modes     modes;
    sup_soft_def *d = add_bar(&s, SUP_PATTERN_HEX, 20, 1, &root);
    if (k == 1) d->material.mass_damping = .7, d->material.stiffness_damping = 3e-3;
    if (k == 2) {
      d->material.num_prony = 1;
      d->material.prony[0] = (sup_prony_term){.share = .4, .time = .02};
    }
    test_start(&s);
    find(&s, 0, 3, &modes);
    double w = 2 * PI * modes.mode[0].frequency;
    if (k == 0) first = w, NEAR(modes.mode[0].damping, 0, 0, 1e-15);
    if (k == 1) NEAR(w, first, 1e-9, 0), NEAR(modes.mode[0].damping, .35 / w + 1.5e-3 * w, 1e-6, 0);
    if (k == 2) {
      double a = w * .02, storage = .6 + .4 * a * a / (1 + a * a), loss = .4 * a / (1 + a * a);
      double scale = d->material.moduli == SUP_MODULI_LONG_TERM ? .6 : 1;
      NEAR(w * w, first * first * storage / scale, 1e-6, 0);
      NEAR(modes.mode[0].damping, loss / storage / 2, 1e-6, 0);
    }
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* Micrometres and kilometres: frequencies go as the inverse of the size. */
static void frequencies_scale_with_the_size(void) {
  double one = 0;
  for (int k = 0; k < 3; k++) {
    double     size = k == 0 ? 1 : k == 1 ? 1e-6 : 1e3;
    test_scene s;
    sup_modes  modes;
    test_scene_init(&s);
    test_add_soft_box(&s, "box", .3 * size, .2 * size, .1 * size, 4, 3, 2, SUP_PATTERN_HEX, 1e6, .3,
                      1000);
    test_start(&s);
    find(&s, 0, 8, &modes);
    CHECK(modes.num_zero == 6);
    if (k == 0) one = modes.mode[7].frequency;
    NEAR(modes.mode[7].frequency * size, one, 1e-7, 0);
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* Boxes of any proportions, held or free: as many modes as inertia counts. */
static void no_mode_of_random_boxes_is_missed(void) {
  test_random random = {5};
  for (int k = 0; k < 50; k++) {
    test_scene s;
    sup_modes  modes;
    sup_region root = half_space(X, 1, 1e-9);
    double     size[3];
    int        n[3];
    test_scene_init(&s);
    for (int c = 0; c < 3; c++)
      size[c] = test_between(&random, .01, 1), n[c] = 1 + test_one_of(&random, 4);
    if (k % 3 == 0) size[1] = size[2], n[1] = n[2];
    sup_soft_def *d = test_add_soft_box(&s, "box", size[0], size[1], size[2], n[0], n[1], n[2],
                                        k % 2 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN, 1e6, .4, 1000);
    if (k % 5) d->num_clamps = 1, d->clamps = &root;
    test_start(&s);
    find(&s, 0, 1 + test_one_of(&random, 20), &modes);
    CHECK(modes.num_zero == (k % 5 ? 0 : modes.num < 6 ? modes.num : 6));
    for (int i = 1; i < modes.num; i++)
      CHECK(modes.mode[i].omega2 >= modes.mode[i - 1].omega2 * (1 - 1e-9));
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* ---- stress ---------------------------------------------------------------------------------- */

/** Determinant of the conditions at the ends of a thin beam that is clamped at one end, of length
 * 1, under the push p = P L^2/(E I) of constant direction, with b = rho A w^2 L^4/(E I). */
static double beam_column(double p, double b) {
  double root = sqrt(p * p / 4 + b), a2 = root - p / 2, b2 = root + p / 2, k = sqrt(a2),
         m = sqrt(b2);
  return (a2 * cosh(k) + b2 * cos(m)) * (b2 * cosh(k) + a2 * cos(m)) -
         (k * sinh(k) + m * sin(m)) * (k * b2 * sinh(k) - m * a2 * sin(m));
}

/** Least b, up to that without push. */
static double least_of(double p) {
  double low = 1e-6, high = 1.01 * pow(1.8751041, 4);
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    if ((beam_column(p, middle) > 0) == (beam_column(p, low) > 0))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* A column under half of its load vibrates as a beam, and buckles at P_cr and 9 P_cr, both twice.
 */
static void a_loaded_column_slows_down_until_it_buckles(void) {
  const double critical = PI * PI * E_bar * pow(width, 4) / 12 / (4 * length * length);
  double       first = 0;
  for (int k = 0; k < 3; k++) {
    test_scene       s;
    sup_region       root;
    sup_modes        modes;
    sup_soft_def    *d = add_bar(&s, SUP_PATTERN_HEX, 50, 2, &root);
    sup_traction_def push = {.marker = SUP_INITIALISED,
                             .region = half_space(X, -1, length - 1e-9),
                             .total_force = {(k == 1 ? .5 : .2) * -critical, 0, 0}};
    d->num_tractions = 1, d->tractions = &push;
    test_start(&s);
    if (k == 2) {
      SUP_OWN(sup_state) *next = NULL;
      sup_static_options  o = sup_default_static_options();
      o.steps = 1000;
      OK(sup_state_create(&next, s.model, &s.options));
      OK(sup_static_step(s.stepper, next, &o, &s.report));
      OK(sup_modes_buckle(sup_stepper_layout(s.stepper), s.state, next, 1e-3, &o, 4, &modes));
      for (int i = 0; i < 4; i++) NEAR(modes.mode[i].omega2, i < 2 ? 5 : 45, 5e-3, 0);
    } else {
      if (k) test_static(&s, 1);
      find(&s, k, 2, &modes);
      if (k == 0) first = modes.mode[0].omega2;
      if (k == 1)
        NEAR(modes.mode[0].omega2 / first, least_of(PI * PI / 8) / pow(1.8751041, 4), 2e-3, 0);
    }
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A rod on a hinge: w^2 = 3 g/(2 l) under gravity, free without it. */
static void a_pendulum_swings_under_gravity_alone(void) {
  for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
    test_scene s;
    sup_modes  modes;
    test_scene_init(&s);
    sup_link_def *links = test_add_star(&s, 1, 1, 0);
    links[1].damping = .01;
    s.def.trees[0].num_links = 2;
    test_start(&s);
    if (is_loaded) test_static(&s, 1);
    find(&s, is_loaded, 5, &modes);
    CHECK(modes.num == 1);
    NEAR(modes.mode[0].omega2, is_loaded * 1.5 * 9.81, 1e-9, 1e-12);
    if (is_loaded) NEAR(modes.mode[0].damping, .01 * 3 / (2 * sqrt(1.5 * 9.81)), 1e-9, 0);
    CHECK(modes.num_zero == !is_loaded);
    sup_modes_free(&modes);
    test_end(&s);
    free(links);
  }
}

/* A chain of many rods that hangs, against the hanging chain's roots of Bessel's J0: w = z/2
 * sqrt(g/l). */
static void a_hanging_chain_has_the_frequencies_of_bessel(void) {
  enum { RODS = 40 };
  const double z[] = {2.404826, 5.520078, 8.653728};
  test_scene   s;
  sup_modes    modes;
  test_scene_init(&s);
  sup_link_def *links = test_add_star(&s, 1, RODS, 0);
  for (int l = 1; l <= RODS; l++) links[l].axis[0] = 1, links[l].axis[1] = 0;
  test_start(&s);
  test_static(&s, 1);
  find(&s, 1, 3, &modes);
  for (int k = 0; k < 3; k++)
    NEAR(2 * PI * modes.mode[k].frequency, z[k] / 2 * sqrt(9.81), 5e-3 * (k + 1), 0);
  sup_modes_free(&modes);
  test_end(&s);
  free(links);
}

/* A soft bar on a slider that is held by a spring: both are one problem.  Nearly rigid it moves as
 * one mass; its mass and that of the slider are those of the mode. */
static void a_bar_on_a_sprung_slider_is_one_problem(void) {
  test_scene s;
  sup_modes  modes;
  test_scene_init(&s);
  test_add_bar_on_slider(&s, 2, 1e9);
  test_add_spring(&s, "world", "slider/link0", 100)->damping[0] = .3;
  test_start(&s);
  find(&s, 0, 2, &modes);
  double mass = .5 + 1000 * .1 * .02 * .02;
  NEAR(modes.mode[0].omega2, 100 / mass, 1e-5, 0);
  NEAR(modes.mode[0].damping, .3 / (2 * sqrt(100 * mass)), 1e-5, 0);
  NEAR(modes.mode[0].mass[X], mass, 1e-6, 0);
  NEAR(modes.mass, mass, 1e-12, 0);
  CHECK(strcmp(sup_mode_body_name(s.model, modes.mode[0].body), "slider") == 0);
  CHECK(modes.mode[1].frequency > 100);
  sup_modes_free(&modes);
  test_end(&s);
}

/* A mass on springs along three axes, one of them of round-off: it hides none of the others. */
static void a_spring_of_round_off_hides_no_mode(void) {
  for (double k = 1e-18; k < 1; k *= 1e3) {
    test_scene s;
    sup_modes  modes;
    test_scene_init(&s);
    sup_link_def *mass = test_add_rigid(&s, "mass", (sup_shape){SUP_SHAPE_SPHERE, {.005}}, .1, 0);
    mass->joint = SUP_JOINT_TRANSLATION;
    sup_spring_def *spring = test_add_spring(&s, "world", "mass", k);
    spring->stiffness[1] = 80, spring->stiffness[2] = 90;
    test_start(&s);
    find(&s, 0, 10, &modes);
    CHECK(modes.num == 3);
    NEAR(modes.mode[0].omega2, k / .1, 1e-6, 0);
    NEAR(modes.mode[1].omega2, 800, 1e-9, 0);
    NEAR(modes.mode[2].omega2, 900, 1e-9, 0);
    sup_modes_free(&modes);
    test_end(&s);
  }
}

/* A stiff bar of 0.1 m that hangs by its end from a hinge: gravity acts on free and attached
 * vertices, whose forces turn with the link; w^2 = m g c/I. */
static void a_bar_that_hangs_on_a_hinge_is_a_pendulum(void) {
  test_scene s;
  sup_modes  modes;
  test_scene_init(&s);
  sup_link_def *l = &test_add_tree(&s, "hinge", 1)->links[0];
  l->joint = SUP_JOINT_REVOLUTE, l->axis[0] = 0, l->axis[1] = 1, l->axis[2] = 0, l->mass = 1e-9;
  l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-12;
  test_add_soft_box(&s, "bar", .01, .01, .1, 2, 2, 10, SUP_PATTERN_HEX, 1e7, .3, 1000);
  for (int a = 0; a < s.mesh[0]->num_vertices; a++) s.mesh[0]->x[3 * a + 2] -= .1;
  for (int a = 0; a < s.mesh[0]->num_vertices; a++) s.mesh[0]->x[3 * a] -= .005;
  test_attach(&s, 0, "hinge/link0", half_space(Z, -1, -.0201));
  test_start(&s);
  test_static(&s, 1);
  find(&s, 1, 2, &modes);
  NEAR(modes.mode[0].omega2, 9.81 * .05 / (.01 / 3 + .0001 / 12), 1e-2, 0);
  sup_modes_free(&modes);
  test_end(&s);
}

SUITE_TESTS(modes, TEST(a_clamped_bar_has_the_frequencies_of_a_beam),
            TEST(a_free_body_has_six_zero_modes), TEST(a_rod_has_the_frequencies_of_waves),
            TEST(a_supported_plate_has_the_frequencies_of_kirchhoff),
            TEST(a_ring_has_the_frequencies_of_hoppe), TEST(materials_damp_their_modes),
            TEST(frequencies_scale_with_the_size), TEST(no_mode_of_random_boxes_is_missed),
            TEST(a_loaded_column_slows_down_until_it_buckles),
            TEST(a_pendulum_swings_under_gravity_alone),
            TEST(a_hanging_chain_has_the_frequencies_of_bessel),
            TEST(a_bar_on_a_sprung_slider_is_one_problem),
            TEST(a_spring_of_round_off_hides_no_mode),
            TEST(a_bar_that_hangs_on_a_hinge_is_a_pendulum));
