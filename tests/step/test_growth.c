/* Growth of soft bodies: strains of cells without stress. */
#include "fem/viscoelastic.h"
#include "scene_test.h"

enum { BRICKS, TETRAHEDRA, QUADRATIC, NONLINEAR, KINDS };
static const double length = .1, width = .02;

static sup_region slab(double lower, double upper) {
  sup_region all = {SUP_REGION_BOX, {-1, -1, -1}, {1, 1, 1}, {0}, 0, {0}};
  all.lower[0] = lower - 1e-9, all.upper[0] = upper + 1e-9;
  return all;
}

/** A bar along x, of nu = 0 unless it is free. */
static sup_soft_def *add_bar(test_scene *s, int kind, double E, double nu) {
  test_scene_init(s);
  sup_soft_def *d = test_add_soft_box(
      s, "bar", length, width, width, 10, 2, 2,
      kind == BRICKS || kind == NONLINEAR ? SUP_PATTERN_HEX : SUP_PATTERN_MIRROR, E, nu, 1000);
  if (kind == QUADRATIC) test_make_quadratic(s, 0);
  if (kind == NONLINEAR) d->material.model = SUP_MATERIAL_COROTATIONAL;
  s->options.gravity[2] = 0, s->options.tolerance = 1e-11;
  s->options.scheme = (sup_scheme){1, 1, 1};
  return &s->soft[0];
}

static void add_growth(sup_soft_def *d, sup_growth_def *g, double ex, double ey, double ez) {
  *g = sup_default_growth_def();
  g->strain[0] = ex, g->strain[1] = ey, g->strain[2] = ez;
  d->growths = g, d->num_growths++;
}

/* Grown by 3, 1 and -2 % in a turned pose: every edge has its new length, nothing is strained. */
static void a_free_body_takes_its_new_shape_without_stress(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    test_scene     s;
    sup_growth_def g;
    sup_soft_def  *d = add_bar(&s, kind, 1e5, .3);
    double         e[3] = {.03, .01, -.02};
    add_growth(d, &g, e[0], e[1], e[2]);
    d->X_WS.q[0] = .8, d->X_WS.q[1] = .6; /* about x */
    d->material.stiffness_damping = .005;
    s.options.dt = .05; /* turns are solved for: as stable as other forces */
    test_start(&s);
    for (int i = 0; i < 20; i++) test_step(&s);
    const sup_soft *soft = &s.model->soft[0];
    int             inverted;
    for (int a = 1; a < soft->num_vertices; a++) {
      double now = 0, rest = 0;
      for (int k = 0; k < 3; k++) {
        double X = s.mesh[0]->x[3 * a + k] - s.mesh[0]->x[k];
        now += pow(s.state->x[3 * a + k] - s.state->x[k], 2), rest += pow((1 + e[k]) * X, 2);
      }
      NEAR(sqrt(now), sqrt(rest), 1e-9, 0);
    }
    sup_m3 *R = NULL;
    OK(SUP_CALLOC(R, soft->num_cells));
    sup_fem_rotations(soft->fem, s.state->x, R, &inverted);
    double stored = sup_fem_stored_energy(soft->fem, R, s.state->x, s.state->internal);
    CHECK(stored < 1e-16 && inverted == 0);
    SUP_FREE(R);
    test_end(&s);
  }
}

/* Walls hold N = - sum g l / sum l/(E A) of two materials that grow differently. */
static void a_bar_between_walls_presses_by_its_growth(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    test_scene        s;
    sup_growth_def    g[2];
    sup_dirichlet_def hold[2] = {sup_default_dirichlet_def(), sup_default_dirichlet_def()};
    sup_soft_def     *d = add_bar(&s, kind, 1e6, 0);
    for (int k = 0; k < 2; k++) {
      g[k] = sup_default_growth_def();
      g[k].has_region = 1, g[k].region = k ? slab(.04, length) : slab(0, .04);
      g[k].strain[0] = k ? -.004 : .02;
      hold[k].region = k ? slab(length, length) : slab(0, 0);
      hold[k].axes = SUP_AXIS_X;
    }
    d->growths = g, d->num_growths = 2;
    d->dirichlet = hold, d->num_dirichlet = 2;
    d->material.stiffness_damping = 1;
    s.options.dt = 100;
    test_start(&s);
    for (int i = 0; i < 12; i++) test_step(&s);
    const sup_wrench *reaction = sup_stepper_result(s.stepper)->reaction;
    double            N = -(.02 * .04 - .004 * .06) / (length / (1e6 * width * width));
    printf("%.10g N of %.10g, ", reaction[0].force.x, -N);
    NEAR(reaction[0].force.x, -N, 1e-9, 0);
    NEAR(reaction[1].force.x, N, 1e-9, 0);
    test_end(&s);
  }
}

/* A strip whose upper half grows rolls into an arc of kappa = 3/2 g/h per length at rest, longer by
 * g/2; load steps give the growth their share. */
static void a_strip_of_two_layers_rolls_into_an_arc(void) {
  test_scene     s;
  sup_growth_def g = sup_default_growth_def();
  double         h = .004, grown = .02, turn = 1.5 * grown / h * length;
  sup_soft_def  *d;
  test_scene_init(&s);
  d = test_add_soft_box(&s, "strip", length, .01, h, 50, 2, 4, SUP_PATTERN_HEX, 1e6, 0, 1000);
  g.has_region = 1;
  g.region = (sup_region){SUP_REGION_BOX, {-1, -1, h / 2 - 1e-9}, {1, 1, 1}, {0}, 0, {0}};
  g.strain[0] = grown;
  d->growths = &g, d->num_growths = 1;
  sup_region base = slab(0, 0);
  d->clamps = &base, d->num_clamps = 1;
  d->material.stiffness_damping = .2;
  s.options.gravity[2] = 0, s.options.dt = .5, s.options.tolerance = 1e-9;
  s.options.scheme = (sup_scheme){1, 1, 1};
  test_start(&s);
  for (int i = 0; i < 60; i++) test_step(&s);
  double radius = length * (1 + grown / 2) / turn, x = 0, z = 0;
  for (int k = -1; k <= 1; k += 2) { /* the layer between, from two vertices at its sides */
    int near = 0;
    for (int a = 0; a < s.model->num_vertices; a++) {
      const double *X = s.mesh[0]->x;
      double        off = fabs(X[3 * a] - length) + fabs(X[3 * a + 1] - .005) +
                   fabs(X[3 * a + 2] - h / 2 * (1 + k)),
             best = fabs(X[3 * near] - length) + fabs(X[3 * near + 1] - .005) +
                    fabs(X[3 * near + 2] - h / 2 * (1 + k));
      if (off < best) near = a;
    }
    x += .5 * s.state->x[3 * near], z += .5 * s.state->x[3 * near + 2];
  }
  printf("x %.6f of %.6f mm, z %.6f of %.6f mm ", 1e3 * x, 1e3 * radius * sin(turn), 1e3 * z,
         1e3 * (h / 2 - radius * (1 - cos(turn))));
  NEAR(x, radius * sin(turn), 1e-4, 0);
  NEAR(h / 2 - z, radius * (1 - cos(turn)), 1e-4, 0);
  test_end(&s);
}

static void laws_without_a_rest_shape_are_refused(void) {
  test_scene     s;
  sup_growth_def g;
  sup_soft_def  *d = add_bar(&s, TETRAHEDRA, 1e5, .3);
  add_growth(d, &g, .01, .01, .01);
  d->material.model = SUP_MATERIAL_NEO_HOOKEAN;
  CHECK(sup_model_create(&s.model, &s.def) == SUP_E_ARG);
  CHECK(strstr(sup_error_message(), "'bar': growth is for the material models linear"));
  d->material.model = SUP_MATERIAL_LINEAR_COROTATIONAL;
  g.has_region = 1, g.region = slab(.041, .049);
  CHECK(sup_model_create(&s.model, &s.def) == SUP_E_ARG);
  g.region = slab(.04, .049);
  CHECK(sup_model_create(&s.model, &s.def) == SUP_E_ARG);
  CHECK(strstr(sup_error_message(), "no cell has all its vertices in the region of its growth"));
  test_end(&s);
}

SUITE_TESTS(growth, TEST(a_free_body_takes_its_new_shape_without_stress),
            TEST(a_bar_between_walls_presses_by_its_growth),
            TEST(a_strip_of_two_layers_rolls_into_an_arc),
            TEST(laws_without_a_rest_shape_are_refused));
