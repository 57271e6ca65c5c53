/* Strips of spring steel in one layer of solid-shells: closed forms of bars. */
#include "scene_test.h"
#include "sheet.h"

static const double E = 2e11, width = .1;

typedef struct strip {
  test_scene       s;
  sup_region       root;
  sup_traction_def load;
  double           EI;
} strip;

static sup_region near_plane(int axis, double at) {
  sup_region r = {SUP_REGION_BOX, {-9, -9, -9}, {9, 9, 9}, {0}, 0, {0}};
  r.lower[axis] = at - 1e-7, r.upper[axis] = at + 1e-7;
  return r;
}

/** Clamped at its beginning, with a force on its end. */
static sup_soft_def *add(strip *p, test_curve *curve, double thickness, int n, double nu,
                         double skew, int solid_shell) {
  test_scene_init(&p->s);
  int           i = p->s.def.num_softs++;
  sup_soft_def *d = &p->s.soft[i];
  *d = sup_default_soft_def();
  snprintf(d->name, sizeof d->name, "strip");
  d->mesh = p->s.mesh[i] = test_sheet(curve, width, thickness, n, skew);
  d->material.youngs_modulus = E, d->material.poissons_ratio = nu, d->material.density = 7800;
  d->solid_shell = solid_shell;
  p->EI = E * width * pow(thickness, 3) / 12;
  p->root = near_plane(0, 0);
  d->num_clamps = 1, d->clamps = &p->root;
  p->s.options.gravity[2] = 0;
  return d;
}

static void pull(strip *p, int axis, double at, double fx, double fz) {
  p->load = (sup_traction_def){
      .marker = SUP_INITIALISED, .region = near_plane(axis, at), .total_force = {fx, 0, fz}};
  p->s.soft[0].num_tractions = 1, p->s.soft[0].tractions = &p->load;
}

/** Mean displacement of the four vertices of station i. */
static sup_v3 moved(const strip *p, int i) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 4 * i; k < 4 * i + 4; k++) {
    sup_v3 x = sup_v3_load(p->s.state->x + 3 * k), X = sup_v3_load(p->s.model->soft[0].x0 + 3 * k);
    sum = sup_v3_madd(sum, .25, sup_v3_sub(x, X));
  }
  return sum;
}

/** Mean way of the vertices of a station at rest. */
static sup_v3 rest(strip *p, int station) {
  test_start(&p->s);
  test_static(&p->s, 1);
  sup_v3 way = moved(p, station);
  test_end(&p->s);
  return way;
}

enum { NUM_ASPECTS = 4 };
static const double aspects[NUM_ASPECTS] = {5, 20, 100, 500}; /* length of cells over thickness */

/** Tip of a straight strip of 1 m and 10 cells over that of a bar. */
static double strip_tip(double aspect, double nu, double skew, int solid_shell) {
  enum { N = 10 };
  const double load = 1e-3;
  strip        p;
  add(&p, test_straight, 1. / N / aspect, N, nu, skew, solid_shell);
  pull(&p, 0, 1, 0, -load * p.EI);
  return -3 * rest(&p, N).z / load;
}

/** A tip of steel with nu = .3 is stiffer than that of a bar near the clamp, which keeps it from
 * becoming narrower there. */
static void straight_strips_bend_as_bars(void) {
  for (int k = 0; k < NUM_ASPECTS; k++) {
    NEAR(strip_tip(aspects[k], 0, 0, 1), 1, .001, 0);
    NEAR(strip_tip(aspects[k], .3, 0, 1), 1, .012, 0);
    NEAR(strip_tip(aspects[k], .3, .2, 1), 1, .015, 0); /* trapezoids */
  }
  CHECK(strip_tip(20, .3, .2, 0) < .1); /* bricks with incompatible modes lock */
}

/** A quarter of a circle of 1 m in 10 cells, clamped above, pulled outwards at its end: pi/4 P
 * R^3/(E I). */
static double arc_tip(double aspect, int solid_shell) {
  enum { N = 10 };
  const double load = 1e-3;
  strip        p;
  add(&p, test_quarter_circle, acos(0) / N / aspect, N, 0, 0, solid_shell);
  p.load = (sup_traction_def){
      .marker = SUP_INITIALISED, .region = near_plane(2, 0), .total_force = {load * p.EI, 0, 0}};
  p.s.soft[0].num_tractions = 1, p.s.soft[0].tractions = &p.load;
  return rest(&p, N).x / (acos(-1) / 4 * load);
}

static void curved_cantilevers_bend_as_bars(void) {
  for (int k = 0; k < NUM_ASPECTS; k++) NEAR(arc_tip(aspects[k], 1), 1, .01, 0);
  CHECK(arc_tip(100, 0) < .5); /* bricks with incompatible modes lock */
}

/** A ring of 1 m, 16 cells a quarter, pinched by P: (pi/4 - 2/pi) P R^3/(E I) over the diameter. */
static double ring_pinch(double aspect) {
  enum { N = 16 };
  const double      load = 1e-3;
  strip             p;
  sup_dirichlet_def plane[3];
  sup_soft_def     *d = add(&p, test_quarter_circle, acos(0) / N / aspect, N, 0, 0, 1);
  for (int k = 0; k < 3; k++) /* of symmetry, and one side stays in its plane */
    plane[k] = (sup_dirichlet_def){.marker = SUP_INITIALISED,
                                   .region = near_plane(k == 0   ? 0
                                                        : k == 1 ? 2
                                                                 : 1,
                                                        0),
                                   .axes = k == 0   ? SUP_AXIS_X
                                           : k == 1 ? SUP_AXIS_Z
                                                    : SUP_AXIS_Y};
  d->num_clamps = 0, d->num_dirichlet = 3, d->dirichlet = plane;
  pull(&p, 0, 0, 0, -load / 2 * p.EI);
  return -2 * rest(&p, 0).z / ((acos(-1) / 4 - 2 / acos(-1)) * load);
}

static void pinched_rings_bend_as_bars(void) {
  for (int k = 0; k < NUM_ASPECTS; k++) NEAR(ring_pinch(aspects[k]), 1, .02, 0);
}

/** P L^2 = E I on the end of a strip of 20 cells, which turns by 26 degrees. */
static void strips_bend_far_as_the_elastica(void) {
  enum { N = 20 };
  for (int k = 1; k < NUM_ASPECTS; k++) {
    strip p;
    add(&p, test_straight, 1. / N / aspects[k], N, 0, 0, 1);
    pull(&p, 0, 1, 0, -p.EI);
    sup_v3 way = rest(&p, N);
    NEAR(-way.x, .056433236, .002, 0);
    NEAR(-way.z, .301720774, .001, 0);
  }
}

/* ---- in motion, in contact --------------------------------------------------------------------
 */

/** First mode of a cantilever at s and its slope (Blevins, Formulas for Natural Frequency). */
static const double first = 1.87510406871;
static double       mode(double s) {
        double ratio = (cosh(first) + cos(first)) / (sinh(first) + sin(first));
        return cosh(first * s) - cos(first * s) - ratio * (sinh(first * s) - sin(first * s));
}
static double mode_slope(double s) {
  double ratio = (cosh(first) + cos(first)) / (sinh(first) + sin(first));
  return first * (sinh(first * s) + sin(first * s) - ratio * (cosh(first * s) - cos(first * s)));
}

/** Frequency of a strip let go from its first mode, over that of a bar. */
static double frequency(double aspect, sup_material_model model) {
  enum { N = 20, STEPS = 200, PERIODS = 3 };
  const double thickness = 1. / N / aspect, amplitude = .1 * thickness;
  const double exact = first * first * thickness * sqrt(E / 12 / 7800) / (2 * acos(-1));
  strip        p;
  add(&p, test_straight, thickness, N, 0, 0, 1)->material.model = model;
  p.s.options.soft_bdf2 = 1, p.s.options.dt = 1 / exact / STEPS;
  test_start(&p.s);
  for (int i = 0; i < p.s.model->num_vertices; i++) {
    double *x = p.s.state->x + 3 * i, X = x[0];
    x[0] -= x[2] * amplitude * mode_slope(X), x[2] += amplitude * mode(X);
  }
  double before = moved(&p, N).z, start = 0, end = 0;
  int    crossings = 0;
  for (int n = 1; n <= PERIODS * STEPS; n++) {
    test_step(&p.s);
    double now = moved(&p, N).z;
    if ((now > 0) != (before > 0)) {
      end = p.s.state->time - p.s.options.dt * now / (now - before);
      if (crossings++ == 0) start = end;
    }
    before = now;
  }
  test_end(&p.s);
  return crossings > 1 ? .5 * (crossings - 1) / (end - start) / exact : 0;
}

static void strips_swing_as_bars(void) {
  for (int k = 0; k < NUM_ASPECTS; k++) {
    NEAR(frequency(aspects[k], SUP_MATERIAL_LINEAR_COROTATIONAL), 1, .004, 0);
    if (k < 2) NEAR(frequency(aspects[k], SUP_MATERIAL_COROTATIONAL), 1, .004, 0);
  }
}

/** A strip on a ball at a, with a force at its end: the ball bears P (3 - a)/(2 a). */
static void strips_lie_on_what_they_touch(void) {
  enum { N = 20 };
  const double a = .8, radius = .05, load = .01;
  for (int k = 0; k < 3; k++) {
    strip  p;
    double thickness = 1. / N / aspects[k], way;
    add(&p, test_straight, thickness, N, 0, 0, 1);
    p.s.soft[0].contact.friction = 0;
    sup_link_def *ball =
        test_add_rigid(&p.s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {radius}}, 1, 1);
    ball->geometries[0].X_LG.p[0] = a, ball->geometries[0].X_LG.p[1] = .5 * width;
    ball->geometries[0].X_LG.p[2] = -radius - .5 * thickness;
    pull(&p, 0, 1, 0, -load * p.EI);
    test_start(&p.s);
    test_static(&p.s, 1);
    way = -moved(&p, N).z / load;
    NEAR(-test_contact_force(&p.s, "ball").z / (load * p.EI), (3 - a) / (2 * a), .01, 0);
    NEAR(way, (1 - a) * (1 - a) * (1 - a) / 3 + (1 - a) * (1 - a) * a / 4, .02, 0);
    test_end(&p.s);
  }
}

SUITE_TESTS(thin_strips, TEST(straight_strips_bend_as_bars), TEST(curved_cantilevers_bend_as_bars),
            TEST(pinched_rings_bend_as_bars), TEST(strips_bend_far_as_the_elastica),
            TEST(strips_swing_as_bars), TEST(strips_lie_on_what_they_touch));
