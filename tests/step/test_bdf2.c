/* BDF2 of soft bodies (THEORY 15.5) beside implicit Euler: closed forms, orders, momentum,
 * energies. */
#include <complex.h>

#include "measure/observation.h"
#include "scene_test.h"

static const double pi = 3.14159265358979323846;

/** Kinetic and elastic energy of the soft bodies. */
static double inner_energy(const test_scene *s, sup_observation *obs) {
  sup_observation_update(obs, s->state, s->state->step ? sup_stepper_result(s->stepper) : NULL);
  return obs->soft_kinetic + obs->elastic;
}

/* ---- F20 ------------------------------------------------------------------------------------- */

/* u_n = g dt (n - 1/2 + 3^(1-n)/2), whose sum is the drop n^2/2 + 3/4 (1 - 3^-n), in the place of
 * n(n + 1)/2.  The speed is exact, so what the scheme takes is what it falls too far: m g^2 dt^2
 * (n/2 or 3/4 (1 - 3^-n)). */
static void a_body_falls_by_what_the_scheme_says(void) {
  for (int bdf2 = 0; bdf2 < 2; bdf2++) {
    test_scene      s;
    sup_observation obs;
    test_scene_init(&s);
    s.options.soft_bdf2 = bdf2, s.options.tolerance = 1e-13;
    test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
    test_start(&s);
    OK(sup_observation_create(&obs, s.model, &s.options));
    double step = 9.81 * s.options.dt, z = s.state->x[2], work = 0;
    for (int n = 1; n <= 30; n++) {
      test_step(&s);
      double extra = bdf2 ? .75 * (1 - pow(3, -n)) : .5 * n;
      NEAR(z - s.state->x[2], step * s.options.dt * (.5 * n * n + extra), 1e-12, 0);
      NEAR(s.state->xdot[2], -step * n, 1e-12, 0);
      work += s.report.soft_work;
      NEAR(work - inner_energy(&s, &obs), step * step * extra, 0, 1e-10);
      CHECK(obs.elastic < 1e-20 && s.report.impacts == 0 && s.report.soft_damping == 0);
    }
    sup_observation_free(&obs);
    test_end(&s);
  }
}

/* ---- F06, F06b, F14 -------------------------------------------------------------------------- */

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
  sup_soft_def *d =
      test_add_soft_box(s, "bar", .1, .01, .01, 8, c.cells, c.cells, c.pattern, E, .3, 1000);
  if (c.is_quadratic) test_make_quadratic(s, 0);
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

/** A bar of stiffness E [Pa] that was bent by its weight is let go; no damping but `damping` [s].
 *  @return  factor by which its lowest mode goes on in one step, |l| exp(i arg l), from the last
 * tips; energy: by which its energy does */
static double complex factor_of_a_step(bar_case c, double E_bar, int bdf2, double dt, int steps,
                                       double damping, double *energy) {
  test_scene      s;
  sup_region      root;
  sup_observation obs;
  double          z[4], E[2], work = 0, taken = 0, first;
  add_bar(&s, c, E_bar, &root)->material.stiffness_damping = damping;
  s.options.dt = dt, s.options.soft_bdf2 = bdf2, s.options.tolerance = 1e-13;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  for (int i = 0; i < s.model->num_vertices; i++)
    s.state->x[3 * i + 2] += 1e-3 * (1 - cos(pi / .2 * s.state->x[3 * i])); /* near the mode */
  first = inner_energy(&s, &obs);
  for (int n = 0; n < steps; n++) {
    test_step(&s);
    work += s.report.soft_work, taken += s.report.soft_damping;
    z[n % 4] = tip(&s), E[n % 2] = inner_energy(&s, &obs);
  }
  NEAR(work, 0, 0, 1e-9 * first); /* nothing acts from outside */
  CHECK(damping > 0 ? taken > .1 * first : taken == 0);
  sup_observation_free(&obs);
  test_end(&s);
  /* z_{n+1} = a z_n + b z_{n-1} */
  double y[4];
  for (int k = 0; k < 4; k++) y[k] = z[(steps + k) % 4];
  double det = y[1] * y[1] - y[0] * y[2], a = (y[2] * y[1] - y[0] * y[3]) / det;
  double b = (y[1] * y[3] - y[2] * y[2]) / det;
  *energy = E[(steps + 1) % 2] / E[steps % 2];
  return .5 * (a + csqrt(a * a + 4 * b));
}

static double complex imaginary(double y) { return (double complex)I * y; }

/** Factor of BDF2 in a step, for exp(s dt). */
static double complex bdf2_factor(double complex sdt) {
  return (2 + csqrt(1 + 2 * sdt)) / (3 - 2 * sdt);
}

/* The frequency of the mesh comes from implicit Euler, whose factor is 1/(1 - i w dt); with it BDF2
 * must have its own closed form.  Energies of a mode go with its square. */
static void a_mode_is_damped_as_the_scheme_says_F06b(void) {
  const double dt = .01;
  for (size_t k = 0; k < sizeof linear_bars / sizeof *linear_bars; k++) {
    double         energy[2];
    double complex euler = factor_of_a_step(linear_bars[k], 2.5e6, 0, dt, 34, 0, &energy[0]);
    double complex l = factor_of_a_step(linear_bars[k], 2.5e6, 1, dt, 34, 0, &energy[1]);
    double         w = tan(carg(euler)) / dt;
    double complex expected = bdf2_factor(imaginary(w * dt));
    printf("\n    %s %.4g Hz: implicit Euler %.5f, BDF2 %.5f a step ", linear_bars[k].name,
           w / (2 * pi), cabs(euler), cabs(l));
    NEAR(cabs(euler), 1 / sqrt(1 + w * w * dt * dt), 1e-6, 0);
    NEAR(creal(l), creal(expected), 0, 1e-6);
    NEAR(fabs(cimag(l)), cimag(expected), 0, 1e-6);
    for (int bdf2 = 0; bdf2 < 2; bdf2++)
      NEAR(energy[bdf2], pow(cabs(bdf2 ? l : euler), 2), 1e-5, 0);
  }
}

/* F14: with stiffness damping b the mode goes as exp(s t), s = -b w^2/2 +- i w sqrt(1 - (b w/2)^2),
 * through both closed forms; w from the undamped bar. */
static void damping_acts_as_the_scheme_says_F14(void) {
  const double dt = 5e-3, b = 2e-3;
  for (size_t k = 0; k < sizeof linear_bars / sizeof *linear_bars; k++) {
    double energy,
        w = tan(carg(factor_of_a_step(linear_bars[k], 2.5e6, 0, dt, 34, 0, &energy))) / dt;
    double complex sdt = dt * (-b * w * w / 2 + imaginary(w * sqrt(1 - b * b * w * w / 4)));
    double complex euler = factor_of_a_step(linear_bars[k], 2.5e6, 0, dt, 34, b, &energy);
    double complex l = factor_of_a_step(linear_bars[k], 2.5e6, 1, dt, 34, b, &energy);
    NEAR(cabs(euler), cabs(1 / (1 - sdt)), 1e-5, 0);
    NEAR(cabs(l), cabs(bdf2_factor(sdt)), 1e-5, 0);
    NEAR(cabs(l), exp(creal(sdt)), 2e-3, 0);
  }
}

/** The stiffness [Pa] that gives the bar of bricks this frequency [Hz], by what implicit Euler
 * makes of 2.5 MPa. */
static double stiffness_for(double frequency) {
  double energy,
      w = tan(carg(factor_of_a_step(linear_bars[1], 2.5e6, 0, .01, 34, 0, &energy))) / .01;
  return 2.5e6 * pow(2 * pi * frequency / w, 2);
}

/* The numbers of the catalogue: implicit Euler's factors at 8.05 Hz, of which 1 ms takes long to
 * leave the lowest mode alone; damping of 0.01 s at 8.077 Hz, by BDF2 with 0.5 ms. */
static void the_standard_bar_has_the_catalogues_numbers_F06b_F14(void) {
  double         energy, E = stiffness_for(8.05);
  double complex l;
  NEAR(cabs(factor_of_a_step(linear_bars[1], E, 0, .01, 34, 0, &energy)), .8923, 1e-4, 0);
  NEAR(cabs(factor_of_a_step(linear_bars[1], E, 0, .001, 300, 0, &energy)), .99872, 1e-5, 0);
  E = stiffness_for(8.077);
  l = clog(factor_of_a_step(linear_bars[1], E, 1, 5e-4, 300, .01, &energy));
  printf("damping ratio %.6f, a cycle %.6f ", -creal(l) / cabs(l),
         exp(2 * pi * creal(l) / fabs(cimag(l))));
  NEAR(-creal(l) / cabs(l), .253746533, .005, 0);
  NEAR(exp(2 * pi * creal(l) / fabs(cimag(l))), .192379830, .02, 0);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/** Tip of a soft, damped bar 0.16 s after it was thrown upwards from straight by some 30 degrees.
 */
static double swing(bar_case c, int bdf2, double dt) {
  test_scene s;
  sup_region root;
  add_bar(&s, c, 2e5, &root)->material.stiffness_damping =
      2e-3; /* of what else it is thrown into */
  s.options.dt = dt, s.options.soft_bdf2 = bdf2, s.options.tolerance = 1e-11;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_start(&s);
  for (int i = 0; i < s.model->num_vertices; i++)
    s.state->xdot[3 * i + 2] = .8 * (1 - cos(pi / .2 * s.state->x[3 * i]));
  while (s.state->time < .1599) test_step(&s);
  double z = tip(&s);
  test_end(&s);
  return z;
}

/* Near a turning point the phase, of second order, hardly counts, and the amplitude is of third. */
static void swinging_bars_are_of_second_order(void) {
  static const bar_case bars[] = {
      {"H8 linear", SUP_PATTERN_HEX, 1, 0, SUP_MATERIAL_LINEAR},
      {"T10 linear", SUP_PATTERN_KUHN, 1, 1, SUP_MATERIAL_LINEAR},
      {"T4 neo-Hookean", SUP_PATTERN_KUHN, 1, 0, SUP_MATERIAL_STABLE_NEO_HOOKEAN},
      {"H8 corotational", SUP_PATTERN_HEX, 1, 0, SUP_MATERIAL_COROTATIONAL},
      {"H8 linear_corotational", SUP_PATTERN_HEX, 1, 0, SUP_MATERIAL_LINEAR_COROTATIONAL}};
  for (size_t k = 0; k < sizeof bars / sizeof *bars; k++) {
    double order[2];
    for (int bdf2 = 0; bdf2 < 2; bdf2++) {
      double z[4];
      for (int i = 0; i < 4; i++) z[i] = swing(bars[k], bdf2, (bdf2 ? 4e-3 : 2e-3) / (1 << i));
      order[bdf2] = log2((z[1] - z[2]) / (z[2] - z[3]));
      printf("\n    %s, %s: %.6f %.6f %.6f %.6f mm, orders %.2f %.2f ", bars[k].name,
             bdf2 ? "BDF2" : "implicit Euler", 1e3 * z[0], 1e3 * z[1], 1e3 * z[2], 1e3 * z[3],
             log2((z[0] - z[1]) / (z[1] - z[2])), order[bdf2]);
    }
    NEAR(order[0], 1, 0, .2);
    CHECK(order[1] > 1.7 && order[1] < 3.2);
  }
}

/* ---- contact --------------------------------------------------------------------------------- */

/** Momentum that BDF2 keeps: (3 p - p_{-1})/2 of the soft bodies and p of the rest. */
static sup_v3 kept_momentum(const test_scene *s) {
  sup_v3 sum = sup_v3_make(0, 0, 0);
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    sup_v3          p = test_soft_momentum(s, i), before = sup_v3_make(0, 0, 0);
    if (!s->state->has_history[i]) before = p;
    for (int a = soft->first_vertex; a < soft->first_vertex + soft->num_vertices; a++)
      if (s->state->has_history[i])
        before = sup_v3_add(before, sup_v3_load(s->state->momentum_before + 3 * a));
    sum = sup_v3_add(sum, sup_v3_sub(sup_v3_scale(1.5, p), sup_v3_scale(.5, before)));
  }
  return sum;
}

static void a_collision_keeps_the_momentum_F19(void) {
  for (int pair = 0; pair < 2; pair++) { /* with a rigid box; of two cubes, with friction */
    test_scene s;
    test_scene_init(&s);
    sup_soft_def *cube =
        test_add_soft_box(&s, "cube", .05, .05, .05, 3, 3, 3, SUP_PATTERN_HEX, 1e5, .3, 1000);
    cube->v0[0] = 1;
    if (pair) {
      sup_soft_def *b =
          test_add_soft_box(&s, "other", .05, .05, .05, 2, 2, 2, SUP_PATTERN_MIRROR, 1e5, .3, 1000);
      b->X_WS.p[0] = .0552, b->X_WS.p[1] = .02, b->X_WS.p[2] = .01;
    } else {
      sup_link_def *box =
          test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.05, .05, .05}}, .5, 0);
      box->q0[0] = .0801, box->q0[1] = box->q0[2] = .025;
    }
    s.options.gravity[2] = 0;
    s.options.dt = 2e-3, s.options.tolerance = 1e-13, s.options.soft_bdf2 = 1;
    test_start(&s);
    int    impacts = 0, touched = 0;
    sup_v3 p = sup_v3_make(0, 0, 0);
    for (int i = 0; i < 100; i++) {
      test_step(&s);
      impacts += s.report.impacts, touched += s.report.num_contacts > 0;
      p = kept_momentum(&s);
      if (!pair) {
        sup_m3 R =
            sup_quat_matrix((sup_quat){s.state->q[3], s.state->q[4], s.state->q[5], s.state->q[6]});
        p = sup_v3_add(p, sup_v3_scale(.5, sup_m3_apply(R, sup_v3_load(s.state->v + 3))));
      }
      NEAR(p.x, .125, 1e-12, 0);
    }
    sup_v3 soft = test_soft_momentum(&s, 0);
    printf("%d impacts, cube ends with %.4g m/s ", impacts, soft.x / .125);
    CHECK(touched > 0 && impacts > 0 && touched < 100);
    test_end(&s);
  }
}

/** The bar of F13 flies against a wall: rebound over v0, and the share of its energy that the
 * scheme takes. */
static double rebound(int cells, double dt, int bdf2, double *share) {
  test_scene      s;
  sup_observation obs;
  const double    length = .1, width = .01, speed = .5, mass = .01;
  test_scene_init(&s);
  s.options.dt = dt, s.options.tolerance = 1e-12, s.options.soft_bdf2 = bdf2;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_add_rigid(&s, "wall", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_soft_def *d = test_add_soft_box(&s, "bar", width, width, length, 1, 1, cells, SUP_PATTERN_HEX,
                                      2.5e6, 0, 1000);
  d->lumped_mass = 1, d->v0[2] = -speed, d->contact.friction = 0, d->contact.dissipation = 0;
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  double first = inner_energy(&s, &obs), work = 0;
  while (s.state->time < 6e-3) {
    test_step(&s);
    work += s.report.soft_work;
  }
  *share = (first + work - inner_energy(&s, &obs)) / first;
  CHECK(
      work <= 1e-12 &&
      work >
          -.02 *
              first); /* the layer gives back what it takes, but for what implicit contact costs */
  double v = test_soft_momentum(&s, 0).z / (mass * speed);
  printf("\n    %d cells, %g s, %s: %.4f v0, the scheme takes %.2f %%, contact %.2g %% ", cells, dt,
         bdf2 ? "BDF2" : "implicit Euler", v, 100 * *share, -100 * work / first);
  sup_observation_free(&obs);
  test_end(&s);
  return v;
}

/* F13: without damping the bar comes back with v0.  Implicit Euler as in test_bar_impact.c. */
static void a_bar_rebounds_with_more_of_its_speed_F13(void) {
  static const double dt[] = {1e-3, 2.5e-4, 5e-5, 1e-5}, least[] = {.43, .84, .94, .96};
  for (int k = 0; k < 4; k++) {
    double share[2], euler = rebound(20, dt[k], 0, &share[0]), v = rebound(20, dt[k], 1, &share[1]);
    CHECK(v > least[k] && v < 1 && v > euler);
    CHECK(share[1] > 0 && share[1] < share[0]);
  }
}

/* The account of a bounce: what the soft body loses between the tops is what contact and the scheme
 * take. */
static void a_bouncing_cube_is_accounted_for(void) {
  for (int bdf2 = 0; bdf2 < 2; bdf2++)
    for (int k = 0; k < 3; k++) {
      test_scene      s;
      sup_observation obs;
      test_scene_init(&s);
      test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
      sup_soft_def *cube =
          test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
      cube->X_WS.p[2] = .02, cube->contact.dissipation = 0;
      s.options.dt = 2e-3 / (1 << k), s.options.soft_bdf2 = bdf2, s.options.tolerance = 1e-10;
      test_start(&s);
      OK(sup_observation_create(&obs, s.model, &s.options));
      double first = inner_energy(&s, &obs) + obs.potential, work = 0, contact = 0, top = 0,
             low = first, growth = 0;
      while (s.state->time < .25) {
        double z = obs.soft[0].com.z;
        test_step(&s);
        double E = inner_energy(&s, &obs) + obs.potential + obs.contact_energy;
        work += s.report.soft_work;
        contact = work - 9.81 * (.07 - obs.soft[0].com.z); /* without weight */
        growth = fmax(growth, E - low), low = fmin(low, E);
        if (s.state->time > .1 && z > .0501) top = fmax(top, z - .05);
      }
      double lost = first - obs.kinetic - obs.elastic - obs.potential, scheme = lost + contact;
      printf(
          "\n    %g s, %s: back to %.3g of 20 mm; scheme %.4g, contact %.4g of %.4g J, growth %.2g "
          "J ",
          s.options.dt, bdf2 ? "BDF2" : "implicit Euler", 1e3 * top, scheme, -contact, lost,
          growth);
      CHECK(scheme > 0 && contact < 0);
      CHECK(growth <=
            (bdf2 ? 3 * s.options.dt : 1e-9)); /* velocities catch up after impacts: order dt */
      sup_observation_free(&obs);
      test_end(&s);
    }
}

static void a_cube_comes_to_rest_with_its_weight(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_soft_def *cube =
      test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  cube->X_WS.p[2] = .02, cube->material.stiffness_damping = .01;
  s.options.soft_bdf2 = 1, s.options.tolerance = 1e-12;
  test_start(&s);
  for (int i = 0; i < 1000; i++) test_step(&s);
  NEAR(test_contact_force(&s, "floor").z, -9.81, 1e-8, 0);
  CHECK(s.report.impacts == 0);
  test_end(&s);
}

/* ---- attachments, energy --------------------------------------------------------------------- */

/* A slider carries a bar and is pushed by 1 N: what is kept grows by the impulse, and the link
 * feels the bar. */
static void an_attached_body_is_carried_with_exact_momentum(void) {
  test_scene s;
  double     time[1] = {0}, force[3] = {1, 0, 0};
  test_scene_init(&s);
  test_add_bar_on_slider(&s, 1, 1e5);
  test_add_force(&s, "slider/link0", 1, time, force);
  s.options.soft_bdf2 = 1, s.options.tolerance = 1e-13, s.options.dt = 2e-3;
  test_start(&s);
  test_step(&s);
  double first = kept_momentum(&s).x + .5 * s.state->v[0];
  for (int i = 2; i <= 100; i++) {
    double v = s.state->v[0];
    test_step(&s);
    NEAR(kept_momentum(&s).x + .5 * s.state->v[0], first + (i - 1) * 2e-3, 1e-11, 0);
    NEAR(sup_stepper_result(s.stepper)->attach_wrench[0].force.x,
         .5 * (s.state->v[0] - v) / 2e-3 - 1, 0, 1e-8);
  }
  NEAR(s.state->v[0], .2 / .54, .1, 0);
  test_end(&s);
}

/** Energy [J] that the scheme has taken, after each of STEPS steps, from a cube that meets a
 * heavier box, in the frame of an observer who goes by at `speed`. */
enum { STEPS = 60 };
static void taken_of_a_collision(double speed, int bdf2, double *taken) {
  test_scene      s;
  sup_observation obs;
  test_scene_init(&s);
  sup_soft_def *cube =
      test_add_soft_box(&s, "cube", .05, .05, .05, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  sup_link_def *box = test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.05, .05, .05}}, .5, 0);
  box->q0[0] = .0801, box->q0[1] = box->q0[2] = .025, box->v0[3] = speed;
  cube->v0[0] = 1 + speed, cube->contact.dissipation = 0;
  s.options.gravity[2] = 0;
  s.options.dt = 1e-3, s.options.tolerance = 1e-13, s.options.soft_bdf2 = bdf2;
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  double first = inner_energy(&s, &obs), work = 0;
  for (int n = 0; n < STEPS; n++) {
    test_step(&s);
    work += s.report.soft_work;
    taken[n] = first + work - inner_energy(&s, &obs);
  }
  sup_observation_free(&obs);
  test_end(&s);
}

/* Work and kinetic energy depend on the observer, the energy taken by a scheme does not.  Momenta
 * of BDF2 lag behind impulses: work by impulses as they come would differ by speed times (p -
 * p_{-1})/2. */
static void what_the_scheme_takes_is_the_same_to_all_observers(void) {
  for (int bdf2 = 0; bdf2 < 2; bdf2++) {
    double taken[2][STEPS], most = 0;
    for (int k = 0; k < 2; k++) taken_of_a_collision(3 * k, bdf2, taken[k]);
    for (int n = 0; n < STEPS; n++) {
      most = fmax(most, fabs(taken[0][n]));
      NEAR(taken[1][n], taken[0][n], 0, 1e-10);
    }
    printf("%s: most %.3g J, at the end %.3g J ", bdf2 ? "BDF2" : "implicit Euler", most,
           taken[0][STEPS - 1]);
    CHECK(most > 1e-3);
  }
}

/* A free bar that turns fast and vibrates, without damping. */
static void a_free_turning_bar_gains_no_energy(void) {
  static const sup_material_model models[] = {SUP_MATERIAL_LINEAR_COROTATIONAL,
                                              SUP_MATERIAL_COROTATIONAL};
  for (int k = 0; k < 2; k++)
    for (int bdf2 = 0; bdf2 < 2; bdf2++) {
      test_scene      s;
      sup_observation obs;
      test_scene_init(&s);
      test_add_soft_box(&s, "bar", .1, .02, .02, 5, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000)
          ->material.model = models[k];
      memset(s.options.gravity, 0, sizeof s.options.gravity);
      s.options.dt = 2e-3, s.options.soft_bdf2 = bdf2, s.options.tolerance = 1e-9;
      test_start(&s);
      OK(sup_observation_create(&obs, s.model, &s.options));
      for (int i = 0; i < s.model->num_vertices; i++) {
        double *x = s.state->x + 3 * i, *v = s.state->xdot + 3 * i;
        v[0] = -10 * (x[1] - .01), v[1] = 10 * (x[0] - .05), v[2] = .3 * cos(pi * x[0] / .05);
      }
      double first = inner_energy(&s, &obs), low = first, growth = 0;
      while (s.state->time < 1) {
        test_step(&s);
        double E = inner_energy(&s, &obs);
        growth = fmax(growth, E - low), low = fmin(low, E);
      }
      printf("\n    %s, %s: keeps %.4f of its energy, grows by %.1e of it ",
             k ? "corotational" : "linear_corotational", bdf2 ? "BDF2" : "implicit Euler",
             low / first, growth / first);
      CHECK(growth < 2e-3 * first);
      sup_observation_free(&obs);
      test_end(&s);
    }
}

SUITE_TESTS(bdf2, TEST(a_body_falls_by_what_the_scheme_says),
            TEST(a_mode_is_damped_as_the_scheme_says_F06b),
            TEST(damping_acts_as_the_scheme_says_F14),
            TEST(the_standard_bar_has_the_catalogues_numbers_F06b_F14),
            TEST(swinging_bars_are_of_second_order), TEST(a_collision_keeps_the_momentum_F19),
            TEST(a_bar_rebounds_with_more_of_its_speed_F13), TEST(a_bouncing_cube_is_accounted_for),
            TEST(a_cube_comes_to_rest_with_its_weight),
            TEST(an_attached_body_is_carried_with_exact_momentum),
            TEST(what_the_scheme_takes_is_the_same_to_all_observers),
            TEST(a_free_turning_bar_gains_no_energy));
