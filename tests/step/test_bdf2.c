/* BDF2 of soft bodies (THEORY 15.5) beside implicit Euler: closed forms, orders, momentum, energies. */
#include <complex.h>
#include <omp.h>

#include "mesh/convert.h"
#include "output/observation.h"
#include "scene_test.h"

static const double pi = 3.14159265358979323846;

/** Kinetic and elastic energy of the soft bodies. */
static double inner_energy(const test_scene *s, sup_observation *obs) {
  sup_observation_take(obs, s->state, s->state->step ? sup_stepper_result(s->stepper) : NULL);
  return obs->soft_kinetic + obs->elastic;
}

/* ---- F20 ---- */

/* u_n = g dt (n - 1/2 + 3^(1-n)/2), whose sum is the drop n^2/2 + 3/4 (1 - 3^-n), in the place of n(n + 1)/2.  The
 * speed is exact, so what the scheme takes is what it falls too far: m g^2 dt^2 (n/2 or 3/4 (1 - 3^-n)). */
static void a_body_falls_by_what_the_scheme_says(void) {
  for (int bdf2 = 0; bdf2 < 2; bdf2++) {
    test_scene      s;
    sup_observation obs;
    test_scene_init(&s);
    s.def.options.soft_bdf2 = bdf2, s.def.options.tolerance = 1e-13;
    test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
    test_start(&s);
    OK(sup_observation_create(&obs, s.model));
    double step = 9.81 * s.def.options.dt, z = s.state->x[2], work = 0;
    for (int n = 1; n <= 30; n++) {
      test_step(&s);
      double extra = bdf2 ? .75 * (1 - pow(3, -n)) : .5 * n;
      NEAR(z - s.state->x[2], step * s.def.options.dt * (.5 * n * n + extra), 1e-12, 0);
      NEAR(s.state->xdot[2], -step * n, 1e-12, 0);
      work += s.report.soft_work;
      NEAR(work - inner_energy(&s, &obs), step * step * extra, 0, 1e-10);
      CHECK(obs.elastic < 1e-20 && s.report.impacts == 0 && s.report.soft_damping == 0);
    }
    sup_observation_free(&obs);
    test_end(&s);
  }
}

/* ---- F06, F06b, F14 ---- */

typedef struct bar_case {
  const char        *name;
  sup_mesh_pattern   pattern;
  int                cells, is_quadratic;
  sup_material_model model;
} bar_case;
static const bar_case linear_bars[] = {{"T4", SUP_PATTERN_MIRROR, 2, 0, SUP_MATERIAL_LINEAR},
                                       {"H8", SUP_PATTERN_HEX, 1, 0, SUP_MATERIAL_LINEAR},
                                       {"T10", SUP_PATTERN_MIRROR, 2, 1, SUP_MATERIAL_LINEAR}};

/** The standard bar, clamped at x = 0. */
static sup_soft_def *add_bar(test_scene *s, bar_case c, double E, sup_region *root) {
  test_scene_init(s);
  sup_soft_def *d = test_add_soft_box(s, "bar", .1, .01, .01, 8, c.cells, c.cells, c.pattern, E, .3, 1000);
  if (c.is_quadratic) {
    sup_mesh *linear = s->mesh[0];
    OK(sup_mesh_to_t10(&s->mesh[0], linear));
    sup_mesh_destroy(&linear);
    d->mesh = s->mesh[0];
  }
  d->material.model = c.model;
  *root = (sup_region){SUP_REGION_BOX, {-1, -1, -1}, {1e-6, 1, 1}, {0}, 0};
  d->num_clamps = 1, d->clamps = root;
  return d;
}

static double tip(const test_scene *s) {
  const double *X = s->model->soft[0].x0;
  int           far = 0;
  for (int i = 1; i < s->model->num_vertices; i++)
    if (X[3 * i] + X[3 * i + 2] > X[3 * far] + X[3 * far + 2] + 1e-9) far = i;
  return s->state->x[3 * far + 2] - X[3 * far + 2];
}

/** A bar that was bent by its weight is let go; no damping but `damping` [s].
 *  @return  factor by which its lowest mode goes on in one step, |l| exp(i arg l), from the last tips; energy: by which
 *  its energy does */
static double complex factor_of_a_step(bar_case c, int bdf2, double dt, double damping, double *energy) {
  test_scene      s;
  sup_region      root;
  sup_observation obs;
  enum { STEPS = 34 };
  double z[STEPS], E[STEPS], work = 0, taken = 0, first;
  add_bar(&s, c, 2.5e6, &root)->material.stiffness_damping = damping;
  s.def.options.dt = dt, s.def.options.soft_bdf2 = bdf2, s.def.options.tolerance = 1e-13;
  memset(s.def.options.gravity, 0, sizeof s.def.options.gravity);
  test_start(&s);
  OK(sup_observation_create(&obs, s.model));
  for (int i = 0; i < s.model->num_vertices; i++)
    s.state->x[3 * i + 2] += 1e-3 * (1 - cos(pi / .2 * s.state->x[3 * i])); /* near the mode */
  first = inner_energy(&s, &obs);
  for (int n = 0; n < STEPS; n++) {
    test_step(&s);
    work += s.report.soft_work, taken += s.report.soft_damping;
    z[n] = tip(&s), E[n] = inner_energy(&s, &obs);
  }
  NEAR(work, 0, 0, 1e-9 * first); /* nothing acts from outside */
  CHECK(damping > 0 ? taken > .1 * first : taken == 0);
  sup_observation_free(&obs);
  test_end(&s);
  /* z_{n+1} = a z_n + b z_{n-1} */
  const double *y = z + STEPS - 4;
  double        det = y[1] * y[1] - y[0] * y[2], a = (y[2] * y[1] - y[0] * y[3]) / det;
  double        b = (y[1] * y[3] - y[2] * y[2]) / det;
  *energy = E[STEPS - 1] / E[STEPS - 2];
  return .5 * (a + csqrt(a * a + 4 * b));
}

static double complex imaginary(double y) {
  double complex i = I;
  return i * y;
}

/** What BDF2 makes of exp(s dt). */
static double complex bdf2_factor(double complex sdt) { return (2 + csqrt(1 + 2 * sdt)) / (3 - 2 * sdt); }

/* The frequency of the mesh comes from implicit Euler, whose factor is 1/(1 - i w dt); with it BDF2 must have its own
 * closed form.  Energies of a mode go with its square. */
static void a_mode_is_damped_as_the_scheme_says_F06b(void) {
  const double dt = .01;
  for (size_t k = 0; k < sizeof linear_bars / sizeof *linear_bars; k++) {
    double         energy[2];
    double complex euler = factor_of_a_step(linear_bars[k], 0, dt, 0, &energy[0]);
    double complex l = factor_of_a_step(linear_bars[k], 1, dt, 0, &energy[1]);
    double         w = tan(carg(euler)) / dt;
    double complex expected = bdf2_factor(imaginary(w * dt));
    printf("\n    %s %.4g Hz: implicit Euler %.5f, BDF2 %.5f a step ", linear_bars[k].name, w / (2 * pi), cabs(euler),
           cabs(l));
    NEAR(cabs(euler), 1 / sqrt(1 + w * w * dt * dt), 1e-6, 0);
    NEAR(creal(l), creal(expected), 0, 1e-6);
    NEAR(fabs(cimag(l)), cimag(expected), 0, 1e-6);
    for (int bdf2 = 0; bdf2 < 2; bdf2++) NEAR(energy[bdf2], pow(cabs(bdf2 ? l : euler), 2), 1e-5, 0);
  }
}

/* F14: with stiffness damping b the mode goes as exp(s t), s = -b w^2/2 +- i w sqrt(1 - (b w/2)^2), through both closed
 * forms; w from the undamped bar. */
static void damping_acts_as_the_scheme_says_F14(void) {
  const double dt = 5e-3, b = 2e-3;
  for (size_t k = 0; k < sizeof linear_bars / sizeof *linear_bars; k++) {
    double         energy, w = tan(carg(factor_of_a_step(linear_bars[k], 0, dt, 0, &energy))) / dt;
    double complex sdt = dt * (-b * w * w / 2 + imaginary(w * sqrt(1 - b * b * w * w / 4)));
    double complex euler = factor_of_a_step(linear_bars[k], 0, dt, b, &energy);
    double complex l = factor_of_a_step(linear_bars[k], 1, dt, b, &energy);
    NEAR(cabs(euler), cabs(1 / (1 - sdt)), 1e-5, 0);
    NEAR(cabs(l), cabs(bdf2_factor(sdt)), 1e-5, 0);
    NEAR(cabs(l), exp(creal(sdt)), 2e-3, 0);
  }
}

SUITE_TESTS(bdf2, TEST(a_body_falls_by_what_the_scheme_says), TEST(a_mode_is_damped_as_the_scheme_says_F06b),
            TEST(damping_acts_as_the_scheme_says_F14));
