/* Soft bodies that spin: the stretch that centrifugal forces give them, the angular momentum that they keep (THEORY
 * 23). */
#include "fem/body.h"
#include "scene_test.h"

/** A bar of 100 x 20 x 20 mm and 1 MPa that turns freely about z. */
typedef struct spin_case {
  const char        *name;
  sup_mesh_pattern   pattern;
  int                is_quadratic;
  sup_material_model model;
} spin_case;

typedef struct spin_result {
  double stretch;  /* elastic virial over the centrifugal one: 1 in the steady state of the exact solution */
  double momentum; /* L at the end over that of the start */
  double damping, work;
} spin_result;

static double angular_momentum(const test_scene *s, double *inertia) {
  const sup_soft *soft = &s->model->soft[0];
  double         *Mv, *Mx, L = 0, c[3] = {0, 0, 0};
  int             n = soft->num_vertices;
  const double   *m = sup_fem_vertex_mass(soft->fem);
  double         *r;
  OK(SUP_CALLOC(Mv, 3 * n));
  OK(SUP_CALLOC(Mx, 3 * n));
  OK(SUP_CALLOC(r, 3 * n));
  for (int a = 0; a < n; a++)
    for (int k = 0; k < 3; k++) c[k] += m[a] * s->state->x[3 * a + k] / sup_fem_mass(soft->fem);
  for (int a = 0; a < n; a++)
    for (int k = 0; k < 3; k++) r[3 * a + k] = s->state->x[3 * a + k] - c[k];
  sup_fem_mass_multiply(soft->fem, s->state->xdot, Mv);
  sup_fem_mass_multiply(soft->fem, r, Mx);
  *inertia = 0;
  for (int a = 0; a < n; a++) {
    L += r[3 * a] * Mv[3 * a + 1] - r[3 * a + 1] * Mv[3 * a];
    *inertia += r[3 * a] * Mx[3 * a] + r[3 * a + 1] * Mx[3 * a + 1];
  }
  SUP_FREE(Mv);
  SUP_FREE(Mx);
  SUP_FREE(r);
  return L;
}

/** - sum of x . f over the elastic forces */
static double virial(const test_scene *s) {
  const sup_soft *soft = &s->model->soft[0];
  double         *f, sum = 0;
  sup_m3         *R;
  int             inverted;
  OK(SUP_CALLOC(f, 3 * soft->num_vertices));
  OK(SUP_CALLOC(R, sup_fem_mesh(soft->fem)->num_cells));
  sup_fem_rotations(soft->fem, s->state->x, R, &inverted);
  sup_fem_energy_force(soft->fem, R, s->state->x, f);
  for (int a = 0; a < 3 * soft->num_vertices; a++) sum -= s->state->x[a] * f[a];
  SUP_FREE(f);
  SUP_FREE(R);
  return sum;
}

static spin_result spin(spin_case c, int bdf2, double w, double dt, double beta, int steps) {
  test_scene  s;
  spin_result out = {0, 0, 0, 0};
  double      inertia;
  test_scene_init(&s);
  sup_soft_def *d = test_add_soft_box(&s, "bar", .1, .02, .02, c.is_quadratic ? 4 : 8, c.is_quadratic ? 1 : 2,
                                      c.is_quadratic ? 1 : 2, c.pattern, 1e6, .3, 1000);
  if (c.is_quadratic) test_make_quadratic(&s, 0);
  d->material.model = c.model, d->material.stiffness_damping = beta;
  d->X_WS.p[0] = -.05, d->X_WS.p[1] = d->X_WS.p[2] = -.01;
  s.def.options.dt = dt, s.def.options.soft_bdf2 = bdf2, s.def.options.tolerance = 1e-10;
  memset(s.def.options.gravity, 0, sizeof s.def.options.gravity);
  test_start(&s);
  for (int a = 0; a < s.model->num_vertices; a++) {
    const double *x = s.state->x + 3 * a;
    s.state->xdot[3 * a] = -w * x[1], s.state->xdot[3 * a + 1] = w * x[0];
  }
  double L0 = angular_momentum(&s, &inertia);
  int    mean = steps / 2;
  for (int n = 0; n < steps; n++) {
    test_step(&s);
    out.damping += s.report.soft_damping, out.work += s.report.soft_work;
    double L = angular_momentum(&s, &inertia), rate = L / inertia;
    out.momentum = L / L0;
    if (n >= steps - mean) out.stretch += virial(&s) / (rate * rate * inertia) / mean;
  }
  test_end(&s);
  return out;
}

static const spin_case cases[] = {{"T4 linear_corotational", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_LINEAR_COROTATIONAL},
                                  {"H8 linear_corotational", SUP_PATTERN_HEX, 0, SUP_MATERIAL_LINEAR_COROTATIONAL},
                                  {"T10 linear_corotational", SUP_PATTERN_MIRROR, 1, SUP_MATERIAL_LINEAR_COROTATIONAL},
                                  {"T4 corotational", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_COROTATIONAL},
                                  {"H8 corotational", SUP_PATTERN_HEX, 0, SUP_MATERIAL_COROTATIONAL},
                                  {"T10 corotational", SUP_PATTERN_MIRROR, 1, SUP_MATERIAL_COROTATIONAL},
                                  {"T4 neo_hookean", SUP_PATTERN_MIRROR, 0, SUP_MATERIAL_NEO_HOOKEAN},
                                  {"T10 neo_hookean", SUP_PATTERN_MIRROR, 1, SUP_MATERIAL_NEO_HOOKEAN}};

/* Radial stretch of (w dt)^2/2 by rotations of the step's start and beta w^2 dt/2 by damping were 2.7 times the
   centrifugal one each. */
static void a_linear_bar_stretches_as_centrifugal_forces_say_and_keeps_its_momentum(void) {
  for (int k = 0; k < 3; k++)
    for (int damped = 0; damped < 2; damped++) {
      spin_result r = spin(cases[k], 0, 10, 1e-3, damped * 1e-3, 100);
      NEAR(r.stretch, 1, 2e-3, 0);
      NEAR(r.momentum, 1, 1e-7, 0);
      CHECK(fabs(r.work) < 1e-15 && (damped ? r.damping > 1e-8 : r.damping == 0));
    }
}

SUITE_TESTS(spin, TEST(a_linear_bar_stretches_as_centrifugal_forces_say_and_keeps_its_momentum));
