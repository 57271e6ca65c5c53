/* P4's cube on four balls: R08 sliding to rest, R09 dragged, R10 heavy on light.  Edge 0.2 m, balls
 * of 4 mm at the lower corners. */
#include "scene_test.h"

static const double edge = .2, ball = .004, g = 9.81, k_ball = 1e7;

/** The body's shapes: four balls under it and, when it is to carry something, its box. */
static void add_cube(test_scene *s, sup_geometry_def *shape, const char *name, double mass,
                     double inset, int has_box) {
  sup_link_def *cube =
      test_add_rigid(s, name, (sup_shape){SUP_SHAPE_BOX, {edge, edge, edge}}, mass, 0);
  sup_geometry_def box = cube->geometries[0];
  for (int i = 0; i < 4; i++) {
    shape[i] = (sup_geometry_def){{SUP_SHAPE_SPHERE, {ball}},
                                  sup_pose_identity(),
                                  sup_default_contact_def(),
                                  .marker = SUP_INITIALISED};
    shape[i].X_LG.p[0] = (i & 1 ? 1 : -1) * (edge / 2 - inset);
    shape[i].X_LG.p[1] = (i & 2 ? 1 : -1) * (edge / 2 - inset);
    shape[i].X_LG.p[2] = -edge / 2;
  }
  shape[4] = box;
  cube->geometries = shape;
  cube->num_geometries = has_box ? 5 : 4;
}

/** All in point contact, k = 1e7 N/m a pair. */
static void set_contact(test_scene *s, double mu, double dissipation) {
  for (int t = 0; t < s->def.num_trees; t++)
    for (int i = 0; i < s->link[t][0].num_geometries; i++) {
      sup_contact_def *c = &s->link[t][0].geometries[i].contact;
      c->friction = mu, c->dissipation = dissipation, c->relaxation_time = 0,
      c->point_stiffness = 2 * k_ball;
    }
}

static void cube_on_floor(test_scene *s, sup_geometry_def *shape, double mu, double dt) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  add_cube(s, shape, "cube", 1, 0, 0);
  s->link[1][0].q0[2] = edge / 2 + ball - g / (4 * k_ball);
  set_contact(s, mu, 50);
  s->options.dt = dt;
  s->options.tolerance = 1e-12;
  s->options.stiction_tolerance = 1e-6;
}

/* ---- R08 ------------------------------------------------------------------------------------- */

static double exact_slide(double mu, double v0, double t) {
  double stop = v0 / (mu * g);
  return t < stop ? v0 * t - .5 * mu * g * t * t : v0 * stop / 2;
}

typedef struct slide {
  double error, lateral, vertical, height, x; /* int |x - exact| dt; largest offsets; final x */
} slide;

static slide run_slide(sup_contact_model model, double mu, double v0, double dt, double tolerance,
                       double phi0, double *history) {
  test_scene       s;
  sup_geometry_def shape[5];
  slide            out = {0};
  int              steps = (int)lround(1.098 / dt);
  cube_on_floor(&s, shape, mu, dt);
  double rest = s.link[1][0].q0[2];
  s.link[1][0].q0[2] += phi0;
  s.link[1][0].v0[3] = v0;
  s.def.contact.model = model;
  s.options.tolerance = tolerance;
  test_start(&s);
  for (int n = 0; n < steps; n++) {
    test_step(&s);
    const double *q = s.state->q;
    out.error += dt * fabs(q[0] - exact_slide(mu, v0, s.state->time));
    out.lateral = fmax(out.lateral, fabs(q[1]));
    out.vertical = fmax(out.vertical, fabs(q[2] - rest));
    if (history) history[n] = q[0];
  }
  out.x = s.state->q[0];
  test_end(&s);
  return out;
}

/** The same integral of v := max(v - mu g dt, 0), x += dt v. */
static double rigid_stepping(double mu, double v0, double dt) {
  double sum = 0, x = 0, v = v0;
  for (int n = 1; n <= lround(1.098 / dt); n++) {
    v = fmax(v - mu * g * dt, 0), x += dt * v;
    sum += dt * fabs(x - exact_slide(mu, v0, n * dt));
  }
  return sum;
}

/* Catalogue: (v0/2)(T - t_stop/2) dt within 3 %, which has its own error where the slide lasts
 * three steps.  Nothing moves up or aside.  At mu = 0.95 the cube all but tips (0.104 mu against
 * 0.1): steps that resolve the shock of the friction's begin see it rock by some micrometres,
 * larger ones do not. */
static void the_integral_error_is_that_of_rigid_time_stepping(void) {
  static const struct { double mu, v0; } cases[2] = {{.95, 3}, {.4, 1}};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 4; k++) {
      static const double dt[4] = {1e-1, 1e-2, 1e-3, 2e-4};
      double              mu = cases[c].mu, v0 = cases[c].v0, stop = v0 / (mu * g);
      slide               out = run_slide(SUP_MODEL_LAGGED, mu, v0, dt[k], 1e-12, 0, NULL);
      double              formula = v0 / 2 * (1.098 - stop / 2) * dt[k];
      printf("\n    mu %g v0 %g dt %g: %.4e, formula %.4e, lateral %.1e vertical %.1e", mu, v0,
             dt[k], out.error, formula, out.lateral, out.vertical);
      NEAR(out.error, rigid_stepping(mu, v0, dt[k]), 1e-3, 0);
      if (dt[k] < stop / 3) NEAR(out.error, formula, .03, 0);
      CHECK(out.lateral < 1e-10);
      CHECK(out.vertical < (mu > .9 && dt[k] < 1e-3 ? 1e-5 : 1e-6));
    }
}

/* P4's Table IV asks less than 1e-5 m s at eps = 1e-2, of a residual relative to the contact's own
 * numbers.  Ours is relative to all momenta, here 3 N s against 0.009 N s of friction in a step of
 * 1 ms: 1e-2 gives 7e-3 m s, and the default, 1e-5, meets what P4 asks. */
static void the_motion_hardly_depends_on_the_tolerance(void) {
  enum { STEPS = 1098 };
  static double tight[STEPS], other[STEPS];
  static const struct {
    double tolerance, most;
  } cases[4] = {{1e-2, 2e-2}, {1e-4, 2e-4}, {1e-5, 1e-5}, {1e-6, 1e-6}};
  run_slide(SUP_MODEL_LAGGED, .95, 3, 1e-3, 1e-12, 0, tight);
  for (int k = 0; k < 4; k++) {
    double sum = 0;
    run_slide(SUP_MODEL_LAGGED, .95, 3, 1e-3, cases[k].tolerance, 0, other);
    for (int n = 0; n < STEPS; n++) sum += 1e-3 * fabs(other[n] - tight[n]);
    printf("eps_r %g: %.1e; ", cases[k].tolerance, sum);
    CHECK(sum < cases[k].most);
  }
}

/* Similar and SAP glide mu dt v high (28.5 mm here); a cube that starts at rest height is kicked up
 * in the first step and loses half of its speed, since (v_t, v_n) is thrown on the edge of the dual
 * cone, vn = mu vt. */
static void gliding_models_fly(void) {
  static const sup_contact_model models[2] = {SUP_MODEL_SIMILAR, SUP_MODEL_SAP};
  double                         mu = .95, v0 = 3, dt = .01;
  for (int m = 0; m < 2; m++) {
    test_scene       s;
    sup_geometry_def shape[5];
    for (int starts_low = 0; starts_low < 2; starts_low++) {
      cube_on_floor(&s, shape, mu, dt);
      double rest = s.link[1][0].q0[2], worst = 0, highest = 0;
      if (!starts_low) s.link[1][0].q0[2] += mu * dt * v0;
      s.link[1][0].v0[3] = v0;
      for (int i = 0; i < 3; i++)
        s.link[1][0].inertia[i] = 1e3; /* no pitch: all corners glide alike */
      s.def.contact.model = models[m];
      s.options.beta = 0;
      test_start(&s);
      for (int n = 0; n < 25; n++) {
        test_step(&s);
        double height = s.state->q[2] - rest;
        highest = fmax(highest, height);
        worst = fmax(worst, fabs(height - mu * dt * s.state->v[3]));
        if (starts_low && n == 0) {
          double vt =
              v0 - mu * (mu * v0 + g * dt) / (1 + mu * mu); /* projection on the edge of the cone */
          NEAR(s.state->v[3], vt, 1e-2, 0);
          NEAR(height, dt * mu * vt, 1e-2, 0);
        }
      }
      printf("%s: highest %.4f m, off mu dt v by %.1e; ", m ? "sap" : "similar", highest, worst);
      if (!starts_low) {
        CHECK(highest > .9 * mu * dt * (v0 - mu * g * dt));
        CHECK(worst < 1e-5);
      }
      test_end(&s);
    }
  }
}

/* ---- R09 ------------------------------------------------------------------------------------- */

typedef struct corner_forces {
  double along[4], aside[4], normal[4]; /* by corner: rear 0 and 2, front 1 and 3 */
} corner_forces;

static corner_forces forces_at_corners(const test_scene *s) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  int                    cube = sup_model_find_body(s->model, "cube");
  corner_forces          out = {.along = {0}};
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    int                on_b = c->body_b == cube;
    sup_v3             f = on_b ? c->force : sup_v3_scale(-1, c->force);
    int k = (on_b ? c->geometry_b : c->geometry_a) - s->model->body[cube].first_geometry;
    out.along[k] = f.x, out.aside[k] = f.y, out.normal[k] = f.z;
  }
  return out;
}

/* Pulled at the centre with 4 g t N, at most 1.8 g.  Friction of the Lagged model is mu N_i times
 * one function of the common velocity: it goes with the normal forces, 2.33 N at a rear corner that
 * carries 0.03 N would break Coulomb's bound.  SAP's regularisation has the equal share F/4 as long
 * as no corner slips. */
static void a_dragged_cube_slips_on_time_and_shares_friction(void) {
  static const sup_contact_model models[2] = {SUP_MODEL_LAGGED, SUP_MODEL_SAP};
  double                         mu = .95, time[2] = {0, .45}, force[6] = {0, 0, 0, 1.8 * g, 0, 0};
  for (int m = 0; m < 2; m++) {
    test_scene       s;
    sup_geometry_def shape[5];
    double worst_aside = 0, worst_share = 0, worst_equal = 0, worst_normal = 0, v = 0, dt = 1e-3;
    cube_on_floor(&s, shape, mu, dt);
    test_add_force(&s, "cube", 2, time, force);
    s.def.contact.model = models[m];
    s.options.beta = 0;
    test_start(&s);
    for (int n = 1; n <= 338; n++) {
      double before = s.state->v[3];
      test_step(&s);
      corner_forces c = forces_at_corners(&s);
      double        pull = 4 * g * (n - .5) * dt, lean = pull * (edge / 2 + ball) / (4 * edge / 2);
      for (int i = 0; i < 4; i++) worst_aside = fmax(worst_aside, fabs(c.aside[i]));
      if (n == 338) {
        v = before + (s.state->v[3] - before) * .5; /* t = .3375 */
        for (int i = 0; i < 4 && m == 0; i++)
          NEAR(c.normal[i], i & 1 ? 4.875570 : .029430, 0, 1e-4);
      }
      if (n > 230 || n < 10) continue;
      for (int i = 0; i < 4; i++) {
        double normal = g / 4 + (i & 1 ? lean : -lean);
        worst_normal = fmax(worst_normal, fabs(c.normal[i] - normal));
        if (m == 0) worst_share = fmax(worst_share, fabs(c.along[i] + pull * normal / g));
        if (m == 1 && pull / 4 < mu * (g / 4 - lean))
          worst_equal = fmax(worst_equal, fabs(c.along[i] + pull / 4));
      }
    }
    double onset = .3375 - sqrt(2 * v / (4 * g));
    printf(
        "\n    model %d: onset %.5f v(onset + .1) %.6f; off: normal %.1e N, share %.1e, equal "
        "%.1e, lateral %.1e",
        models[m], onset, v, worst_normal, worst_share, worst_equal, worst_aside);
    if (m == 0) NEAR(onset, mu / 4, 0, 2 * dt);
    CHECK(worst_aside < 1e-6);
    CHECK(worst_normal < 1e-2 && worst_share < 1e-2 && worst_equal < 1e-2);
    test_end(&s);
  }
}

/* ---- R10 ------------------------------------------------------------------------------------- */

/** Floor, a light cube, a heavy one on it whose balls stand 1 cm inside of the light one's edges
 * (right on an edge the normal would be anybody's). */
static void heavy_on_light(test_scene *s, sup_geometry_def (*shape)[5], double dissipation) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  add_cube(s, shape[0], "light", 1e-3, 0, 1);
  add_cube(s, shape[1], "heavy", 1e3, .01, 1);
  set_contact(s, .95, dissipation);
  s->link[1][0].q0[2] = edge / 2 + ball;
  s->link[2][0].q0[2] = 3 * edge / 2 + 2 * ball;
  s->options.dt = 1e-3;
  s->options.tolerance = 1e-10;
  s->def.contact.barrier_margin = .002;
}

/** Largest component of the angular velocities' integrals: sine of the tilt. */
static double tilt(const test_scene *s) {
  double most = 0;
  for (int i = 1; i <= 2; i++) {
    sup_m3 R = sup_stepper_result(s->stepper)->X_WL[i].R;
    most = fmax(most, hypot(R.m[0][2], R.m[1][2]));
  }
  return most;
}

static void a_heavy_cube_rests_on_a_light_one(void) {
  for (int settles = 0; settles < 2; settles++) {
    test_scene       s;
    sup_geometry_def shape[2][5];
    heavy_on_light(&s, shape, settles ? 50 : 10);
    double press[2] = {(1e3 + 1e-3) * g / (4 * k_ball), 1e3 * g / (4 * k_ball)};
    if (!settles) s.link[1][0].q0[2] -= press[0], s.link[2][0].q0[2] -= press[0] + press[1];
    if (settles)
      s.link[2][0].v0[0] = 1e-3, s.link[1][0].v0[1] = -2e-3; /* nothing symmetric about the start */
    test_start(&s);
    int iterations = 0, steps = settles ? 1000 : 100;
    for (int n = 0; n < steps; n++) {
      test_step(&s);
      iterations += s.report.iterations;
    }
    sup_v3 ground = test_contact_force(&s, "floor"), heavy = test_contact_force(&s, "heavy");
    printf(
        "\n    %s: ground %.9f N, middle %.9f N, tilt %.1e, Newton %.2f a step, penetration %.6f "
        "mm",
        settles ? "from touch, 1 s" : "from rest, 0.1 s", -ground.z, heavy.z, tilt(&s),
        (double)iterations / steps, 1e3 * s.report.penetration_max);
    NEAR(-ground.z, 9810.009810, 1e-6, 0);
    NEAR(heavy.z, 9810, 1e-6, 0);
    CHECK(tilt(&s) < 1e-6);
    CHECK(hypot(ground.x, ground.y) < 1e-6 && hypot(heavy.x, heavy.y) < 1e-6);
    NEAR(s.report.penetration_max, press[0], 1e-5, 0); /* .2453 mm */
    test_end(&s);
  }
}

/* P3 VIII, the pile of books: SAP's near-rigid rule takes the inverse mass of the light cube at its
 * corner, 4/m, and not that of the pile.  Contacts as stiff as a step resolves on 1 g carry a ton
 * at 0.25 m: 1e6 times the depth under a cube of 1 kg (R23), through the cube.  beta = 0 takes the
 * stiffness as given. */
static void the_near_rigid_rule_underestimates_a_light_cube_under_a_heavy_one(void) {
  for (int k = 0; k < 2; k++) {
    test_scene       s;
    sup_geometry_def shape[2][5];
    heavy_on_light(&s, shape, 0);
    s.link[1][0].q0[2] -= 1e-6, s.link[2][0].q0[2] -= 2e-6;
    s.def.contact.model = SUP_MODEL_SAP;
    s.options.beta = k ? 0 : 1;
    test_start(&s);
    test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    int                    floor = sup_model_find_body(s.model, "floor"), count = 0;
    for (int i = 0; i < r->num_contacts; i++) {
      const sup_contact *c = &r->contact[i];
      if (c->body_a != floor && c->body_b != floor) continue;
      double limit = 4 * 9.8696044010893586 / (1e-6 * (4 / 1e-3)),
             depth = 1e3 * g / (4 * c->stiffness);
      NEAR(c->stiffness, k ? k_ball : limit, 1e-6, 0);
      if (count++ == 0)
        printf("beta %g: stiffness %.4g N/m, depth %.4g m; ", k ? 0. : 1., c->stiffness, depth);
    }
    CHECK(count == 4);
    test_end(&s);
  }
}

SUITE_TESTS(sliding_cube, TEST(the_integral_error_is_that_of_rigid_time_stepping),
            TEST(the_motion_hardly_depends_on_the_tolerance), TEST(gliding_models_fly),
            TEST(a_dragged_cube_slips_on_time_and_shares_friction),
            TEST(a_heavy_cube_rests_on_a_light_one),
            TEST(the_near_rigid_rule_underestimates_a_light_cube_under_a_heavy_one));
