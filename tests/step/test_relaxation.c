/* Viscoelastic bodies in time (THEORY 22): relaxation, creep and hysteresis by closed forms,
 * where the energy goes, schemes, equilibria, states that go on. */
#include <complex.h>

#include "measure/observation.h"
#include "scene_test.h"

static const double         pi = 3.14159265358979323846;
static const double         length = .1, side = .02, modulus = 1e6; /* the last: instantaneous */
static const sup_prony_term series[] = {{.3, .02}, {.2, .2}};
static const double         lasting = .5;

typedef struct bar_case {
  const char        *name;
  sup_mesh_pattern   pattern;
  int                is_quadratic;
  sup_material_model model;
  int                layers; /* above 1: thin cells, which are solid-shells */
} bar_case;
static const bar_case bars[] = {
    {"T4 linear", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_LINEAR, 1},
    {"T4 linear_corotational", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, 1},
    {"T4 neo_hookean", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_NEO_HOOKEAN, 1},
    {"H8 linear_corotational", SUP_PATTERN_HEX, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, 1},
    {"H8 solid-shell", SUP_PATTERN_HEX, 0, SUP_MATERIAL_LINEAR_COROTATIONAL, 4},
    {"H8 corotational", SUP_PATTERN_HEX, 0, SUP_MATERIAL_COROTATIONAL, 1},
    {"T10 linear_corotational", SUP_PATTERN_MIRROR, 1, SUP_MATERIAL_LINEAR_COROTATIONAL, 1},
    {"T10 stable_neo_hookean", SUP_PATTERN_MIRROR, 1, SUP_MATERIAL_STABLE_NEO_HOOKEAN, 1}};
enum { NUM_BARS = sizeof bars / sizeof *bars };

/** A bar without weight and almost without mass, pulled along x by an end that slides across;
 * Poisson's ratio is 0, so that its stress is that of one dimension. */
typedef struct pulled {
  test_scene        s;
  sup_dirichlet_def hold[2];
} pulled;

static sup_soft_def *add_pulled(pulled *p, bar_case c, sup_table motion) {
  test_scene_init(&p->s);
  sup_soft_def *d = test_add_soft_box(&p->s, "bar", length, side, side, 2, 1, c.layers, c.pattern,
                                      modulus, 0, 1e-3);
  d->solid_shell = c.layers > 1;
  if (c.is_quadratic) test_make_quadratic(&p->s, 0);
  d->material.model = c.model, d->material.moduli = SUP_MODULI_INSTANTANEOUS;
  d->material.num_prony = 2;
  memcpy(d->material.prony, series, sizeof series);
  p->hold[0] = p->hold[1] = sup_default_dirichlet_def();
  p->hold[0].axes = SUP_AXIS_ALL;
  p->hold[0].region = (sup_region){SUP_REGION_BOX, {-1, -1, -1}, {1e-6, 1, 1}, {0}, 0, {0}};
  p->hold[1].axes = SUP_AXIS_X, p->hold[1].motion = motion;
  p->hold[1].region = (sup_region){SUP_REGION_BOX, {length - 1e-6, -1, -1}, {1, 1, 1}, {0}, 0, {0}};
  d->num_clamps = 0, d->num_dirichlet = motion.num_rows > 0 ? 2 : 1, d->dirichlet = p->hold;
  p->s.options.tolerance = 1e-12;
  memset(p->s.options.gravity, 0, sizeof p->s.options.gravity);
  return d;
}

/** Force with which the moving end is pulled. */
static double pull(const pulled *p) {
  return sup_stepper_result(p->s.stepper)->reaction[1].force.x;
}

/** A ramp of the strain up to t1, then constant. */
typedef struct ramp {
  double time[3], value[18];
} ramp;
static sup_table make_ramp(ramp *r, double t1, double strain) {
  *r = (ramp){.time = {0, t1, 1e3}};
  r->value[6] = r->value[12] = strain * length;
  return (sup_table){3, 6, r->time, r->value};
}

/** Stress over the instantaneous modulus after the ramp. */
static double relaxed(double t, double t1, double strain) {
  double sum = lasting * strain * fmin(1, t / t1);
  for (int i = 0; i < 2; i++) {
    double tau = series[i].time, rate = strain / t1, end = fmin(t, t1);
    sum += series[i].share * rate * tau * (exp(-(t - end) / tau) - exp(-t / tau));
  }
  return sum;
}

/* The update is exact where the strain goes straight: by any step, implicit Euler and BDF2, all
 * elements and laws, as far as strains are small. */
static void a_ramp_that_stops_relaxes_as_in_the_closed_form(void) {
  const double strain = 1e-5, t1 = .04;
  for (int k = 0; k < 2 * NUM_BARS; k++) {
    pulled p;
    ramp   r;
    double worst = 0;
    add_pulled(&p, bars[k / 2], make_ramp(&r, t1, strain));
    p.s.options.dt = .01, p.s.options.soft_bdf2 = k % 2;
    test_start(&p.s);
    for (int n = 1; n <= 60; n++) {
      test_step(&p.s);
      double exact = modulus * side * side * relaxed(p.s.state->time, t1, strain);
      worst = fmax(worst, fabs(pull(&p) / exact - 1));
    }
    printf("%s %.1e, ", bars[k / 2].name, worst);
    CHECK(worst < 1e-4);
    test_end(&p.s);
  }
}

/** Steps of controlled length. */
static void control(test_scene *s, double tolerance, double size) {
  s->options.accuracy = (sup_accuracy){.tolerance = tolerance,
                                       .length = size,
                                       .time = .1,
                                       .min_step = 1e-4,
                                       .max_step = .1,
                                       .reference_step = s->options.dt};
}

/** Largest error of the creep of one bar under a force that comes at once, relative; with steps of
 * controlled length, unless the tolerance is 0, when the jump has passed. */
static double creep_error(bar_case c, double dt, int bdf2, double tolerance) {
  pulled           p;
  sup_traction_def traction = sup_default_traction_def();
  double           g = series[0].share, tau = series[0].time, ginf = 1 - g, worst = 0;
  int              steps = 0;
  sup_soft_def    *d = add_pulled(&p, c, (sup_table){0});
  traction.total_force[0] = .01;
  traction.region = (sup_region){SUP_REGION_BOX, {length - 1e-6, -1, -1}, {1, 1, 1}, {0}, 0, {0}};
  d->num_tractions = 1, d->tractions = &traction;
  d->material.num_prony = 1;
  p.s.options.dt = dt, p.s.options.soft_bdf2 = bdf2;
  if (tolerance > 0) control(&p.s, tolerance, 4e-6);
  test_start(&p.s);
  while (p.s.state->time < .1 - 1e-9) {
    OK(sup_step_until(p.s.stepper, p.s.state, .1, &p.s.report));
    double sum = 0, t = p.s.state->time;
    int    count = 0;
    for (int i = 0; i < p.s.model->num_vertices; i++)
      if (p.s.model->soft[0].x0[3 * i] > length - 1e-6)
        sum += p.s.state->x[3 * i] - length, count++;
    double stress = .01 / (side * side),
           exact = stress / (modulus * ginf) * (1 - g * exp(-ginf * t / tau)) * length;
    if (tolerance == 0 || t > .02) worst = fmax(worst, fabs(sum / count / exact - 1));
    steps++;
  }
  test_end(&p.s);
  printf("%d steps: ", steps);
  return worst;
}

/* The jump at the start takes a step: of first order in it. */
static void a_force_that_comes_at_once_makes_the_bar_creep(void) {
  for (int k = 1; k < NUM_BARS; k += 2)
    for (int bdf2 = 0; bdf2 < 2; bdf2++) {
      double coarse = creep_error(bars[k], 1e-3, bdf2, 0),
             fine = creep_error(bars[k], 5e-4, bdf2, 0);
      printf("%s %.1e %.1e, ", bars[k].name, coarse, fine);
      CHECK(fine < .5 * series[0].share * 5e-4 / series[0].time && coarse / fine > 1.8);
    }
}

/** Energy dissipated in one cycle of a sine, over the closed form pi E'' e^2 V; one row a step. */
static double loop_area(bar_case c, int steps) {
  enum { CYCLES = 6 };
  pulled       p;
  const double strain = 1e-4, period = .1, w = 2 * pi / period;
  int          rows = CYCLES * steps + 2;
  double      *time = NULL, *value = NULL, taken = 0, loss = 0, work = 0, before = 0, at = 0;
  OK(SUP_CALLOC(time, rows));
  OK(SUP_CALLOC(value, 6 * rows));
  for (int i = 0; i < rows; i++) {
    time[i] = i * period / steps;
    value[6 * i] = strain * length * sin(w * time[i]);
  }
  add_pulled(&p, c, (sup_table){rows, 6, time, value});
  p.s.options.dt = period / steps;
  test_start(&p.s);
  for (int n = 0; n < CYCLES * steps; n++) {
    test_step(&p.s);
    double force = pull(&p), now = value[6 * (n + 1)];
    if (n >= (CYCLES - 1) * steps)
      taken += p.s.report.soft_relaxation, work += .5 * (force + before) * (now - at);
    before = force, at = now;
  }
  test_end(&p.s);
  SUP_FREE(time), SUP_FREE(value);
  for (int i = 0; i < 2; i++) {
    double z = w * series[i].time;
    loss += modulus * series[i].share * z / (1 + z * z);
  }
  double exact = pi * loss * strain * strain * length * side * side;
  NEAR(work, taken, .02, 0);
  return taken / exact;
}

static void a_cycle_dissipates_pi_times_the_loss_modulus(void) {
  for (int k = 0; k < NUM_BARS; k += 2) {
    double coarse = loop_area(bars[k], 20) - 1, fine = loop_area(bars[k], 40) - 1;
    printf("%s %.2e %.2e, ", bars[k].name, coarse, fine);
    CHECK(fabs(fine) < 5e-3);
    NEAR(log2(fabs(coarse / fine)), 2, 0, .15);
  }
}

/** A cantilever of some mass, bent and let go. */
static void add_swinging(test_scene *s, bar_case c, sup_region *root) {
  test_scene_init(s);
  sup_soft_def *d =
      test_add_soft_box(s, "bar", .1, .01, .01, 6, 1, c.layers, c.pattern, modulus, .3, 1000);
  d->solid_shell = c.layers > 1;
  if (c.is_quadratic) test_make_quadratic(s, 0);
  d->material.model = c.model, d->material.num_prony = 2;
  memcpy(d->material.prony, series, sizeof series);
  *root = (sup_region){SUP_REGION_BOX, {-1, -1, -1}, {1e-6, 1, 1}, {0}, 0, {0}};
  d->num_clamps = 1, d->clamps = root;
  s->options.dt = 2e-3;
  memset(s->options.gravity, 0, sizeof s->options.gravity);
}

/** Near the lowest mode, without shear. */
static void bend(test_scene *s) {
  for (int i = 0; i < s->model->num_vertices; i++) {
    double *x = s->state->x + 3 * i, k = pi / .2;
    double  slope = 2e-3 * k * sin(k * x[0]), lift = 2e-3 * (1 - cos(k * x[0]));
    x[0] -= (x[2] - .005) * slope, x[2] += lift;
  }
}

/** Energy taken by the time scheme, by the account, over the energy at 40 ms; *relaxation: share of
 * relaxation. */
static double taken_by_scheme(bar_case c, double dt, int bdf2, double *relaxation) {
  test_scene      s;
  sup_region      root;
  sup_observation obs;
  double          first = 0, work = 0, taken = 0;
  add_swinging(&s, c, &root);
  s.options.dt = dt, s.options.soft_bdf2 = bdf2;
  test_start(&s);
  bend(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  while (s.state->time < .04 - 1e-9) test_step(&s); /* higher modes have gone */
  sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
  first = obs.soft_kinetic + obs.elastic;
  while (s.state->time < .2 - 1e-9) {
    test_step(&s);
    CHECK(s.report.soft_relaxation >= -1e-12 * first);
    work += s.report.soft_work, taken += s.report.soft_relaxation;
  }
  sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
  *relaxation = taken / first;
  double numerical = (first + work - taken - obs.soft_kinetic - obs.elastic) / first;
  sup_observation_free(&obs);
  test_end(&s);
  return numerical;
}

/* The energy that the scheme takes vanishes with the step: of first order by implicit Euler. */
static void energies_of_a_swinging_bar_add_up(void) {
  for (int k = 0; k < NUM_BARS; k++) {
    if (bars[k].is_quadratic) continue; /* as the others, for longer */
    double relaxation[2], euler[2], bdf2;
    for (int i = 0; i < 2; i++)
      euler[i] = taken_by_scheme(bars[k], i ? 2.5e-4 : 5e-4, 0, &relaxation[i]);
    bdf2 = taken_by_scheme(bars[k], 2.5e-4, 1, &relaxation[0]);
    printf("\n    %s: relaxation %.4f, implicit Euler %.4f %.4f, BDF2 %.1e ", bars[k].name,
           relaxation[1], euler[0], euler[1], bdf2);
    CHECK(relaxation[1] > .1 && euler[1] > 0 && euler[0] / euler[1] > 1.5);
    CHECK(fabs(bdf2) < .1 * euler[1]);
  }
}

/* Long loading or sudden: the moduli of either are those of an elastic bar; what then is held
 * relaxes from there. */
static void equilibria_have_the_moduli_that_are_asked_for(void) {
  for (int k = 0; k < NUM_BARS; k++)
    for (int at_once = 0; at_once < 2; at_once++) {
      pulled             p;
      ramp               r;
      sup_static_options o = sup_default_static_options();
      double             share = at_once ? 1 : lasting;
      add_pulled(&p, bars[k], make_ramp(&r, .5, 1e-5));
      o.steps = 2, o.moduli = at_once ? SUP_MODULI_INSTANTANEOUS : SUP_MODULI_LONG_TERM;
      test_start(&p.s);
      while (p.s.state->time < o.end) OK(sup_static_step(p.s.stepper, p.s.state, &o, &p.s.report));
      NEAR(pull(&p), share * modulus * side * side * 1e-5, 1e-4, 0);
      test_step(&p.s);
      double e = 0;
      for (int i = 0; i < 2; i++) e += series[i].share * exp(-p.s.options.dt / series[i].time);
      NEAR(pull(&p), (lasting + (at_once ? e : 0)) * modulus * side * side * 1e-5, 1e-4, 0);
      test_end(&p.s);
    }
}

/** Hash of a bar that swings for some steps, through a file in the middle. */
static uint64_t hash_of(bar_case c, int bdf2, double accuracy, int threads, int through_file) {
  const char *file = "build/test_relaxation_state";
  test_scene  s;
  sup_region  root;
  add_swinging(&s, c, &root);
  s.options.soft_bdf2 = bdf2;
  if (accuracy > 0) control(&s, accuracy, .01);
  sup_threads_set(threads);
  test_start(&s);
  bend(&s);
  for (int n = 0; n < 20; n++) {
    test_step(&s);
    if (n != 9 || !through_file) continue;
    OK(sup_state_save(s.state, file));
    sup_state_destroy(&s.state), sup_stepper_destroy(&s.stepper);
    OK(sup_state_load(&s.state, s.model, &s.options, file));
    OK(sup_stepper_create(&s.stepper, s.model, &s.options));
    remove(file);
  }
  uint64_t hash = sup_state_hash(s.state);
  test_end(&s);
  sup_threads_set(1);
  return hash;
}

static void a_state_goes_on_with_the_same_bits(void) {
  for (int k = 0; k < NUM_BARS; k++)
    for (int way = 0; way < 3; way++) {
      double   accuracy = way == 2 ? 1e-3 : 0;
      uint64_t hash = hash_of(bars[k], way == 1, accuracy, 1, 0);
      CHECK(hash == hash_of(bars[k], way == 1, accuracy, 1, 1));
      CHECK(hash == hash_of(bars[k], way == 1, accuracy, 2, 0));
    }
}

/* Steps of controlled length see what relaxes by where it leads. */
static void controlled_steps_creep_as_accurately_as_asked_for(void) {
  double coarse = creep_error(bars[3], 1e-3, 0, 1e-2), fine = creep_error(bars[3], 1e-3, 0, 1e-4);
  printf("%.1e %.1e ", coarse, fine);
  CHECK(coarse < 1e-3 && fine < 1e-3);
}

/* ---- ringing --------------------------------------------------------------------------------- */

/** Roots of m s^2 + k (g_inf + sum of g_i s/(s + 1/tau_i)), all of them, over k; THEORY 22. */
typedef struct ring {
  double         mass; /* over the instantaneous stiffness [s^2] */
  double complex root[4], part[4];
} ring;

static double complex characteristic(const ring *r, double complex s, double complex *slope) {
  double complex sum = r->mass * s * s + lasting;
  *slope = 2 * r->mass * s;
  for (int i = 0; i < 2; i++) {
    double         rate = 1 / series[i].time;
    double complex below = 1 / (s + rate);
    sum += series[i].share * s * below;
    *slope += series[i].share * rate * below * below;
  }
  return sum;
}

/** Motion of a mass let go at x = 1 after relaxation there: the sum of part exp(root t). */
static ring solve_ring(double mass) {
  ring           r = {.mass = mass};
  double         w = 1 / sqrt(mass), slow = 1 / series[1].time, fast = 1 / series[0].time;
  double complex start[3] = {w * (-.1 + (double complex)I), -.6 * slow, -.7 * fast};
  for (int k = 0; k < 3; k++) {
    double complex s = start[k], slope, value, top;
    for (int step = 0; step < 60; step++) value = characteristic(&r, s, &slope), s -= value / slope;
    CHECK(cabs(characteristic(&r, s, &slope)) < 1e-12);
    top = mass * s;
    for (int i = 0; i < 2; i++) top += series[i].share / (s + 1 / series[i].time);
    r.root[k] = s, r.part[k] = top / slope;
  }
  r.root[3] = conj(r.root[0]), r.part[3] = conj(r.part[0]);
  for (int k = 0; k < 4; k++)
    for (int l = 0; l < k; l++) CHECK(cabs(r.root[k] - r.root[l]) > .1);
  return r;
}

static double ring_at(const ring *r, double t) {
  double x = 0;
  for (int k = 0; k < 4; k++) x += creal(r->part[k] * cexp(r->root[k] * t));
  return x;
}

/** Largest error of a bar of one brick that is let go, over its amplitude. */
static double ring_error(bar_case c, int bdf2, int steps) {
  const double amplitude = 1e-4 * length, end = .4, density = 5e4;
  double       worst = 0;
  ring         r = solve_ring(.5 * density * length * length / modulus);
  test_scene   s;
  test_scene_init(&s);
  sup_soft_def     *d = test_add_soft_box(&s, "bar", length, side, side, 1, 1, c.layers, c.pattern,
                                          modulus, 0, density);
  sup_dirichlet_def hold[2] = {sup_default_dirichlet_def(), sup_default_dirichlet_def()};
  hold[0].axes = SUP_AXIS_ALL, hold[1].axes = SUP_AXIS_Y | SUP_AXIS_Z;
  hold[0].region = (sup_region){SUP_REGION_BOX, {-1, -1, -1}, {1e-6, 1, 1}, {0}, 0, {0}};
  hold[1].region = (sup_region){SUP_REGION_BOX, {length - 1e-6, -1, -1}, {1, 1, 1}, {0}, 0, {0}};
  d->num_dirichlet = 2, d->dirichlet = hold;
  d->material.model = c.model, d->material.moduli = SUP_MODULI_INSTANTANEOUS;
  d->material.num_prony = 2, d->solid_shell = c.layers > 1;
  memcpy(d->material.prony, series, sizeof series);
  s.options.soft_bdf2 = bdf2, s.options.dt = end / steps, s.options.tolerance = 1e-12;
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  test_start(&s);
  NEAR(ring_at(&r, 0), 1, 1e-12, 0);
  for (int i = 0; i < s.model->num_vertices; i++)
    if (s.state->x[3 * i] > .5 * length) s.state->x[3 * i] += amplitude;
  for (int n = 1; n <= steps; n++) {
    test_step(&s);
    double x = s.state->x[3 * (s.model->num_vertices - 1)] - length;
    worst = fmax(worst, fabs(x / amplitude - ring_at(&r, s.state->time)));
  }
  test_end(&s);
  return worst;
}

/* Frequency and decay are those of the roots as the step vanishes: of first order by implicit
 * Euler, of second order by BDF2. */
static void a_bar_rings_down_as_its_roots_say(void) {
  for (int k = 0; k < NUM_BARS; k++) {
    if (bars[k].pattern != SUP_PATTERN_HEX) continue; /* masses of T4's corners differ */
    double euler[2], bdf2[2];
    for (int i = 0; i < 2; i++)
      euler[i] = ring_error(bars[k], 0, 2000 << i), bdf2[i] = ring_error(bars[k], 1, 1000 << i);
    printf("%s %.1e %.1e, BDF2 %.1e %.1e, ", bars[k].name, euler[0], euler[1], bdf2[0], bdf2[1]);
    NEAR(euler[0] / euler[1], 2, .05, 0);
    NEAR(bdf2[0] / bdf2[1], 4, .1, 0);
    CHECK(bdf2[1] < 1e-3);
  }
}

SUITE_TESTS(relaxation, TEST(a_ramp_that_stops_relaxes_as_in_the_closed_form),
            TEST(a_force_that_comes_at_once_makes_the_bar_creep),
            TEST(a_cycle_dissipates_pi_times_the_loss_modulus),
            TEST(energies_of_a_swinging_bar_add_up),
            TEST(equilibria_have_the_moduli_that_are_asked_for),
            TEST(a_bar_rings_down_as_its_roots_say), TEST(a_state_goes_on_with_the_same_bits),
            TEST(controlled_steps_creep_as_accurately_as_asked_for));
