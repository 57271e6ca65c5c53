/* Energy audit: kinetic + elastic + potential + contact energy of what is left to itself, over runs
 * of sup_step. */
#include "measure/observation.h"
#include "scene_test.h"

static const sup_shape half_space = {SUP_SHAPE_HALF_SPACE, {0}},
                       box_shape = {SUP_SHAPE_BOX, {.1, .1, .1}};

static sup_contact_def surface(double k, double d, double mu) {
  sup_contact_def c = sup_default_contact_def();
  c.stiffness = k, c.dissipation = d, c.friction = mu, c.resolution = .1, c.relaxation_time = 0;
  return c;
}

static sup_contact_def point(double k, double d, double mu) {
  sup_contact_def c = sup_default_contact_def();
  c.point_stiffness = k, c.dissipation = d, c.friction = mu, c.relaxation_time = 0;
  return c;
}

static void touch(test_scene *s, sup_contact_def c) {
  for (int t = 0; t < s->def.num_trees; t++) s->geometry[t].contact = c;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void ball(test_scene *s, double d, double spin) {
  test_add_rigid(s, "floor", half_space, 0, 1);
  sup_link_def *l = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  l->q0[2] = .1, l->v0[1] = spin;
  touch(s, point(1e4, d, .5));
}
static void elastic_ball(test_scene *s) { ball(s, 0, 0); }
static void damped_ball(test_scene *s) { ball(s, .5, 0); }
static void spinning_ball(test_scene *s) { ball(s, 0, 30); }

static void ball_of_patches(test_scene *s) {
  ball(s, 0, 0);
  touch(s, surface(2e8, 0, 0));
  s->geometry[1].contact.resolution = .02;
}

static void ball_of_a_field(test_scene *s) {
  ball(s, 0, 0);
  touch(s, surface(0, 0, 0));
  for (int i = 0; i < 2; i++) {
    s->geometry[i].contact.modulus = 1e6;
    s->geometry[i].contact.field_resolution = .02, s->geometry[i].contact.field_thickness = .05;
  }
}

static void sliding_box(test_scene *s) {
  test_add_rigid(s, "floor", half_space, 0, 1);
  sup_link_def *l = test_add_rigid(s, "box", box_shape, 1, 0);
  l->q0[2] = .055, l->v0[3] = 1;
  for (int i = 0; i < 3; i++) l->inertia[i] = 1e6; /* no tipping */
  touch(s, surface(2e6, 0, .5));
}

/** An edge first, then the others, with friction. */
static void tumbling_box(test_scene *s) {
  test_add_rigid(s, "floor", half_space, 0, 1);
  sup_link_def *l = test_add_rigid(s, "box", box_shape, 1, 0);
  l->q0[2] = .1, l->q0[3] = cos(.15), l->q0[5] = sin(.15);
  l->v0[3] = .5;
  touch(s, surface(1e7, .2, .5));
}

static void soft_cube(test_scene *s) {
  test_add_rigid(s, "floor", half_space, 0, 1);
  sup_soft_def *cube =
      test_add_soft_box(s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  cube->X_WS.p[2] = .02, cube->contact.dissipation = 0;
}

/* ---- the audit ------------------------------------------------------------------------------- */

/** Largest rise of the energy above the lowest before it, and the whole fall, over t = 0 .. end
 * [J]. */
typedef struct audit {
  double growth, loss;
} audit;

static double total(const sup_observation *obs) {
  return obs->kinetic + obs->elastic + obs->potential + obs->contact_energy;
}

static audit run(void (*make)(test_scene *), sup_contact_model model, sup_scheme scheme, double dt,
                 double end) {
  test_scene      s;
  sup_observation obs;
  test_scene_init(&s);
  make(&s);
  s.options.scheme = scheme, s.def.contact.model = model, s.options.dt = dt;
  s.options.beta = 0; /* the same stiffness for every dt */
  s.options.tolerance = 1e-10;
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  OK(sup_stepper_observe(s.stepper, s.state));
  sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
  double first = total(&obs), low = first, contact = 0;
  audit  out = {0, 0};
  for (long n = 0; n < lround(end / dt); n++) {
    test_step(&s);
    sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
    out.growth = fmax(out.growth, total(&obs) - low);
    low = fmin(low, total(&obs));
    contact = fmax(contact, obs.contact_energy);
    CHECK(s.report.friction_work_max <= 0);
  }
  CHECK(contact > 0);
  out.loss = first - low;
  sup_observation_free(&obs);
  test_end(&s);
  return out;
}

/* Friction and damping only take; an elastic bounce loses what the scheme takes, of first order.
 * SAP without relaxation time: it glides on a gap of mu |v_t| (dt + tau), and so does its energy.
 */
static void energy_never_grows_but_for_the_order_of_dt(void) {
  static const struct {
    void (*make)(test_scene *);
    double end, dt;
    int    is_elastic; /* only the scheme takes energy */
  } scene[] = {{elastic_ball, .3, 1e-3, 1},    {damped_ball, .3, 1e-3, 0},
               {spinning_ball, .3, 1e-3, 0},   {ball_of_patches, .3, 2e-4, 1},
               {ball_of_a_field, .3, 4e-4, 1}, {sliding_box, .3, 1e-3, 0},
               {tumbling_box, .5, 1e-3, 0},    {soft_cube, .2, 2e-3, 0}};
  const double rate = 10; /* speed over size [1/s] */
  double       worst = 0;
  for (size_t i = 0; i < sizeof scene / sizeof *scene; i++)
    for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
      audit a[3];
      for (int k = 0; k < 3; k++) {
        double dt = scene[i].dt / (1 << k);
        a[k] = run(scene[i].make, (sup_contact_model)model, sup_scheme_symplectic_euler(), dt,
                   scene[i].end);
        worst = fmax(worst, a[k].growth / (dt * a[k].loss));
        CHECK(a[k].growth <= rate * dt * a[k].loss);
        if (k > 0 && scene[i].is_elastic) NEAR(log2(a[k - 1].loss / a[k].loss), 1, 0, .3);
      }
    }
  printf("growth at most %.2g loss dt/s ", worst);
}

/** The sliding box: largest difference between the energy and the work of friction [J]. */
static double defect_of(sup_scheme scheme, double dt) {
  test_scene      s;
  sup_observation obs;
  double          work = 0, first = 0, defect = 0;
  test_scene_init(&s);
  sliding_box(&s);
  s.options.scheme = scheme, s.options.dt = dt;
  s.options.beta = 0, s.options.tolerance = 1e-10;
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  for (long n = 0; n < lround(.3 / dt); n++) {
    double mean = .5 * s.state->v[3];
    test_step(&s);
    mean += .5 * s.state->v[3];
    sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
    work += dt * mean * test_contact_force(&s, "box").x;
    if (n == 0) first = total(&obs);
    defect = fmax(defect, fabs(total(&obs) - first - work));
  }
  sup_observation_free(&obs);
  test_end(&s);
  return defect;
}

static void energy_is_what_friction_leaves_to_the_order_of_dt(void) {
  const sup_scheme schemes[3] = {sup_scheme_symplectic_euler(), sup_scheme_implicit_euler(),
                                 sup_scheme_midpoint()};
  for (int k = 0; k < 3; k++) {
    double defect[4];
    for (int i = 0; i < 4; i++) defect[i] = defect_of(schemes[k], 4e-4 / (1 << i));
    for (int i = 0; i < 3; i++) NEAR(log2(defect[i] / defect[i + 1]), 1, 0, .3);
  }
}

/* 1/2 C times the integral of the squared depth over a ball, against the closed form of a sphere's
 * cap; its slices are drawn in the plane, so that they are off by a share of the depth. */
static void the_energy_of_patches_is_the_integral_of_the_squared_depth(void) {
  double off[2];
  for (int deep = 0; deep < 2; deep++) {
    test_scene s;
    double     R = .05, depth = deep ? .004 : .001, C = 2e6, pi = 3.14159265358979323846;
    test_scene_init(&s);
    ball_of_patches(&s);
    touch(&s, surface(2 * C, 0, 0)); /* two in series */
    s.link[1][0].q0[2] = R - depth;
    s.options.beta = 0;
    test_start(&s);
    OK(sup_stepper_observe(s.stepper, s.state));
    /* depth over the floor r^2 = R^2 - (R - depth + x)^2: int 1/2 C x^2 2 pi (R - depth + x) dx */
    double expected = pi * C * ((R - depth) * pow(depth, 3) / 3 + pow(depth, 4) / 4);
    off[deep] = sup_stepper_result(s.stepper)->contact_energy / expected - 1;
    test_end(&s);
  }
  printf("off by %.5f, %.5f ", off[0], off[1]);
  CHECK(fabs(off[0]) < 1e-3 && fabs(off[1]) < 4e-3);
}

/* A box in a compliant floor: the sides are under pressure, too, but the floor sees them edge-on;
 * what is stored is 1/2 g d^2 for each area of the underside. */
static void faces_seen_edge_on_store_nothing(void) {
  test_scene s;
  double     depth = .01, modulus = 1e6, thickness = .05;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", half_space, 0, 1);
  sup_link_def *l = test_add_rigid(&s, "box", box_shape, 1, 0);
  touch(&s, surface(0, 0, 0));
  s.geometry[0].contact.modulus = modulus, s.geometry[0].contact.field_thickness = thickness;
  l->q0[2] = .5 * box_shape.size[2] - depth;
  test_start(&s);
  OK(sup_stepper_observe(s.stepper, s.state));
  NEAR(sup_stepper_result(s.stepper)->contact_energy,
       .5 * modulus / thickness * depth * depth * box_shape.size[0] * box_shape.size[1], 1e-5, 0);
  test_end(&s);
}

/** A box of bricks, linear or quadratic tetrahedra of any shape, anyhow turned about its middle. */
static void add_any_soft(test_scene *s, test_random *r, const char *name, double height) {
  static const sup_mesh_pattern pattern[] = {SUP_PATTERN_HEX, SUP_PATTERN_MIRROR,
                                             SUP_PATTERN_MIRROR};
  int                           kind = test_one_of(r, 3), n[3];
  double                        q[4], size[3], square = 0;
  for (int k = 0; k < 3; k++) size[k] = test_between(r, .02, .06), n[k] = 1 + test_one_of(r, 3);
  double        E = test_between(r, 1e5, 1e6), nu = .2 + .2 * test_uniform(r);
  sup_soft_def *d = test_add_soft_box(s, name, size[0], size[1], size[2], n[0], n[1], n[2],
                                      pattern[kind], E, nu, 1000);
  if (kind == 2) test_make_quadratic(s, s->def.num_softs - 1);
  for (int k = 0; k < 4; k++) q[k] = test_uniform(r), square += q[k] * q[k];
  for (int k = 0; k < 4; k++) d->X_WS.q[k] = q[k] / sqrt(square);
  sup_frame X = sup_frame_from_pose(&d->X_WS);
  sup_v3    middle = sup_frame_apply(&X, sup_v3_make(size[0] / 2, size[1] / 2, size[2] / 2));
  double    reach = .5 * sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
  d->X_WS.p[0] -= middle.x, d->X_WS.p[1] -= middle.y;
  d->X_WS.p[2] += height - middle.z + (height > 0 ? reach : -reach);
  for (int k = 0; k < 3; k++) d->v0[k] = .2 * test_uniform(r);
  d->v0[2] += height > 0 ? -.5 : .5;
}

/* Nobody drives two soft bodies that meet in flight: what their contact stores was in their motion
   before.  Largest share that was seen: .28. */
static void contact_of_soft_bodies_stores_no_more_than_was_put_in(void) {
  enum { SCENES = 12, STEPS = 80 };
  test_random r = {5};
  double      most = 0;
  int         meet = 0;
  for (int i = 0; i < SCENES; i++) {
    test_scene      s;
    sup_observation obs;
    test_scene_init(&s);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    s.options.dt = 1e-3;
    s.options.stick = i % 2 ? SUP_STICK_ELASTIC : SUP_STICK_SOFT;
    add_any_soft(&s, &r, "below", -2e-3), add_any_soft(&s, &r, "above", 2e-3);
    test_start(&s);
    OK(sup_observation_create(&obs, s.model, &s.options));
    OK(sup_stepper_observe(s.stepper, s.state));
    sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
    double put_in = total(&obs), share = 0;
    for (int n = 0; n < STEPS; n++) {
      test_step(&s);
      sup_observation_update(&obs, s.state, sup_stepper_result(s.stepper));
      share = fmax(share, obs.contact_energy / put_in);
      CHECK(obs.contact_energy >= 0 && total(&obs) <= 1.01 * put_in);
    }
    CHECK(share < 1);
    meet += share > 0, most = fmax(most, share);
    sup_observation_free(&obs);
    test_end(&s);
  }
  printf("at most %.3f of it, %d met ", most, meet);
  CHECK(meet >= SCENES / 2);
}

SUITE_TESTS(energy, TEST(contact_of_soft_bodies_stores_no_more_than_was_put_in),
            TEST(energy_never_grows_but_for_the_order_of_dt),
            TEST(energy_is_what_friction_leaves_to_the_order_of_dt),
            TEST(the_energy_of_patches_is_the_integral_of_the_squared_depth),
            TEST(faces_seen_edge_on_store_nothing));
