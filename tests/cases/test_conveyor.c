/* R01, P0 XI-A: a box on a belt that swings, examples/conveyor.yaml. */
#include "example.h"

static const double pi = 3.14159265358979323846;
static const double mu = .7, g = 9.81, amplitude = .2, end = 3;

/* ---- Coulomb's motion, exact ----------------------------------------------------------------- */

static double belt(double t) { return -2 * pi * amplitude * sin(2 * pi * t); }

enum { PHASES = 14 };

typedef struct motion {
  double begin[PHASES + 1]; /* phases 0, 2, .. slip, 1, 3, .. stick */
  double x[PHASES], v[PHASES];
} motion;

static double slope(int phase) { return (phase / 2) % 2 ? mu * g : -mu * g; }

/** Slip ends when the speeds meet; the belt takes the box along until |a_b| > mu g. */
static motion exact_motion(void) {
  motion m = {.x = {amplitude}};
  double half = acos(-mu * g / (4 * pi * pi * amplitude)) / (2 * pi);
  for (int i = 0; i < PHASES; i++) {
    double from = m.begin[i], *to = &m.begin[i + 1], x, v;
    if (i % 2) {
      *to = half + .5 * (i / 2);
      x = m.x[i] + amplitude * (cos(2 * pi * *to) - cos(2 * pi * from)), v = belt(*to);
    } else {
      double a = slope(i), low = from + 1e-3, high = from + .4, sign = a < 0 ? 1 : -1;
      for (int k = 0; k < 100; k++) {
        double t = .5 * (low + high);
        *(sign * (m.v[i] + a * (t - from) - belt(t)) > 0 ? &low : &high) = t;
      }
      *to = low, v = m.v[i] + a * (low - from), x = m.x[i] + .5 * (m.v[i] + v) * (low - from);
    }
    if (i + 1 < PHASES) m.x[i + 1] = x, m.v[i + 1] = v;
  }
  return m;
}

static void exact_at(const motion *m, double t, double *x, double *v) {
  int i = 0;
  while (i + 1 < PHASES && t > m->begin[i + 1]) i++;
  double s = t - m->begin[i];
  *v = i % 2 ? belt(t) : m->v[i] + slope(i) * s;
  *x = i % 2 ? m->x[i] + amplitude * (cos(2 * pi * t) - cos(2 * pi * m->begin[i]))
             : m->x[i] + .5 * (m->v[i] + *v) * s;
}

/* The exact motion has the catalogue's digits. */
static void the_exact_motion_is_that_of_R01(void) {
  static const double times[] = {.143611908, .417848944, .666620520, .917848944, 1.166620520};
  static const double x[][2] = {
      {.5, -.196491463}, {1, .191258548}, {1.5, -.196491463}, {2, .191258548}, {3, .191258548}};
  motion m = exact_motion();
  double square = 0, largest = 0;
  for (int i = 0; i < 5; i++) {
    double at, v;
    NEAR(m.begin[i + 1], times[i], 0, 1e-9);
    exact_at(&m, x[i][0], &at, &v);
    NEAR(at, x[i][1], 0, 1e-9);
  }
  for (int i = 0; i < 30000; i++) {
    double x_box, v, t = (i + .5) * end / 30000;
    exact_at(&m, t, &x_box, &v);
    square += (v - belt(t)) * (v - belt(t)) / 30000, largest = fmax(largest, fabs(v - belt(t)));
  }
  NEAR(sqrt(square), .048591, 0, 1e-6);
  NEAR(largest, .112171, 0, 1e-6);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct measures {
  double change[2 * PHASES]; /* times at which slip becomes stick and back */
  int    num_changes;
  double e_x, e_z, slip; /* rms of x - exact, of the height over m g/k, of the slip */
  double force[2];       /* least and largest normal force after 0.1 s */
} measures;

/* Points that touch the belt: the box's four corners, also when it may pitch, or one point that
 * carries it alone. */
typedef enum sole { CORNERS, PITCHING_CORNERS, ONE_POINT } sole;

static measures run(int model, const char *step, sole touches) {
  static const char *const variants[][2] = {
      {"rigid.box.joint=translation", "rigid.belt.contact.point.stiffness=2.5e+6"},
      {"rigid.box.joint=free", "rigid.belt.contact.point.stiffness=2.5e+6"},
      {"rigid.box.shape={sphere: {radius: 25 mm}}", "rigid.belt.contact.point.stiffness=1.0e+7"}};
  /* the smooth law creeps faster and faster before it slips: here friction is at 99.5 % of its
   * bound */
  const double slips = 1e-3;
  const char  *sets[] = {test_models[model], step, variants[touches][0], variants[touches][1]};
  motion       m = exact_motion();
  measures     out = {.force = {HUGE_VAL, -HUGE_VAL}};
  test_example e;
  test_example_start(&e, "conveyor", sets, 4);
  double dt = e.s.options.dt, rest = .025 - g / 1e7;
  int    n = (int)lround(end / dt), slipping = 1;
  CHECK(e.scene->end_time == end);
  for (int i = 0; i < n; i++) {
    double x, v;
    test_step(&e.s);
    double t = e.s.state->time, slip = test_example_velocity(&e, "box").x - belt(t);
    sup_v3 place = test_example_place(&e, "box");
    exact_at(&m, t, &x, &v);
    out.e_x += (place.x - x) * (place.x - x) / n;
    out.e_z += (place.z - rest) * (place.z - rest) / (n + 1); /* the start counts, too */
    out.slip += slip * slip / n;
    if (slipping != (fabs(slip) > slips)) {
      slipping = !slipping;
      if (out.num_changes < 2 * PHASES) out.change[out.num_changes++] = t;
    }
    double force = test_contact_force(&e.s, "box").z;
    if (t > .1) out.force[0] = fmin(out.force[0], force), out.force[1] = fmax(out.force[1], force);
  }
  out.e_x = sqrt(out.e_x), out.e_z = sqrt(out.e_z), out.slip = sqrt(out.slip);
  test_example_end(&e);
  return out;
}

static void slip_and_stick_change_at_Coulombs_times(void) {
  motion m = exact_motion();
  for (int model = 0; model < TEST_NUM_MODELS; model++) {
    measures r = run(model, "time.step=10ms", CORNERS);
    CHECK(r.num_changes == 12);
    for (int i = 0; i < 12; i++) NEAR(r.change[i], m.begin[i + 1], 0, 1.5e-2);
  }
}

/* Lagged friction does not push along the normal.  A box that may pitch rocks on its corners when
 * it starts to stick.
 */
static void lagged_models_keep_the_height_and_the_normal_force(void) {
  for (int model = TEST_LAGGED; model <= TEST_LAGGED_REGULARIZED; model++) {
    measures r = run(model, "time.step=10ms", CORNERS);
    NEAR(r.e_z, 0, 0, 1e-15);
    NEAR(r.force[0], g, 0, 1e-8);
    NEAR(r.force[1], g, 0, 1e-8);
    measures rocking = run(model, "time.step=10ms", PITCHING_CORNERS);
    NEAR(rocking.force[0], g, 0, 3e-3);
    NEAR(rocking.force[1], g, 0, 3e-3);
    CHECK(rocking.force[1] > g + 1e-8);
  }
}

/* Gliding: mu (dt + tau_d) |slip| with SAP, mu dt |slip| with Similar, and what it does to the
 * normal force.  Each corner has SAP's near-rigid compliance of its own, so that four of them are
 * stiffer than the catalogue's one point.
 */
static void sap_and_similar_glide_as_in_R01(void) {
  static const char *const steps[2] = {"time.step=10ms", "time.step=2ms"};
  static const double      sap[2] = {3.546e-4, 1.016e-4}, similar[2] = {3.401e-4, 6.924e-5};
  for (int k = 0; k < 2; k++) {
    measures a = run(TEST_SAP, steps[k], ONE_POINT), b = run(TEST_SIMILAR, steps[k], CORNERS);
    NEAR(a.e_z, sap[k], 5e-4, 0);
    NEAR(b.e_z, similar[k], 5e-4, 0);
    NEAR(run(TEST_SAP, steps[k], CORNERS).e_z, sap[k], .05, 0);
    if (k > 0) continue;
    NEAR(a.force[0], 9.497, 0, 5e-4);
    NEAR(a.force[1], 11.310, 0, 5e-4);
    NEAR(b.force[0], 9.524, 0, 5e-4);
    NEAR(b.force[1], 11.411, 0, 5e-4);
  }
}

static void positions_and_slip_converge_at_first_order(void) {
  static const int models[2] = {TEST_LAGGED, TEST_SIMILAR};
  for (int i = 0; i < 2; i++) {
    measures coarse = run(models[i], "time.step=10ms", CORNERS);
    measures fine = run(models[i], "time.step=2ms", CORNERS);
    double   order = log(coarse.e_x / fine.e_x) / log(5);
    CHECK(order > .9 && order < 1.1);
    NEAR(fine.slip, .048591, 0, 2e-3 * pi * pi * amplitude); /* dt a_b/2 */
    printf("order %.3f e_x %.3g slip %.6f ", order, fine.e_x, fine.slip);
  }
}

SUITE_TESTS(conveyor, TEST(the_exact_motion_is_that_of_R01),
            TEST(slip_and_stick_change_at_Coulombs_times),
            TEST(lagged_models_keep_the_height_and_the_normal_force),
            TEST(sap_and_similar_glide_as_in_R01),
            TEST(positions_and_slip_converge_at_first_order));
