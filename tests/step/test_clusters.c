/* Many bodies of all shapes in contact with each other: momentum (CASES.md R25) and the sign of
 * friction's power. */
#include "law/normal.h"
#include "scene_test.h"

enum { NUM_BODIES = 12 };

static sup_hull *hull;

/** Twelve bodies of so many of the shapes on a jittered grid, thrown at their middle and spinning.
 */
static void add_cluster(test_scene *s, int num_shapes, sup_v3 middle, double speed, double spin) {
  static const double corner[6][3] = {{.04, 0, 0},  {-.04, 0, 0}, {0, .05, 0},
                                      {0, -.05, 0}, {0, 0, .03},  {0, 0, -.06}};
  test_random         r = {7};
  OK(sup_hull_create(&hull, 6, corner[0]));
  const sup_shape shape[6] = {{SUP_SHAPE_SPHERE, {.04}},
                              {SUP_SHAPE_BOX, {.06, .08, .05}},
                              {SUP_SHAPE_ELLIPSOID, {.03, .05, .04}},
                              {SUP_SHAPE_CYLINDER, {.03, .08}},
                              {SUP_SHAPE_CAPSULE, {.02, .08}},
                              {SUP_SHAPE_CONVEX, {0}, hull}};
  for (int i = 0; i < NUM_BODIES; i++) {
    char   name[8];
    int    at[3] = {i % 2, i / 2 % 2, i / 4};
    double centre[3];
    sup_v3_store(centre, middle);
    snprintf(name, sizeof name, "b%d", i);
    sup_link_def *body = test_add_rigid(s, name, shape[i % num_shapes], .2 + .05 * i, 0);
    for (int c = 0; c < 3; c++) {
      double from = .12 * (at[c] - (c < 2 ? .5 : 1)) + .01 * test_uniform(&r);
      body->inertia[c] = body->mass * (6 + c) * 1e-4;
      body->q0[c] = centre[c] + from;
      body->v0[c] = spin * test_uniform(&r);
      body->v0[3 + c] = -speed * from / .12;
    }
  }
}

/** Set the contact of all bodies; k [N/m] of points, C [Pa/m] of patches. */
static void touch(test_scene *s, int in_points, double k, double C) {
  for (int t = 0; t < s->def.num_trees; t++) {
    sup_contact_def *c = &s->geometry[t].contact;
    c->point_stiffness = in_points ? k : 0, c->stiffness = C;
    c->dissipation = 1, c->friction = .4, c->hertz_modulus = 1e8, c->resolution = .06;
  }
}

/* ---- momentum -------------------------------------------------------------------------------- */

typedef struct momenta {
  sup_v3 linear, angular; /* about the world's origin */
  double scale;           /* sum of |m v| */
} momenta;

static momenta momenta_of(const test_scene *s) {
  momenta out = {{0, 0, 0}, {0, 0, 0}, 0};
  for (int t = 0; t < s->def.num_trees; t++) {
    const double *q = s->state->q + s->model->q_start[t], *v = s->state->v + s->model->v_start[t];
    const sup_link_def *body = &s->link[t][0];
    sup_m3              R = sup_quat_matrix((sup_quat){q[3], q[4], q[5], q[6]});
    sup_v3              mv = sup_v3_scale(body->mass, sup_v3_load(v + 3));
    sup_v3 spin = {body->inertia[0] * v[0], body->inertia[1] * v[1], body->inertia[2] * v[2]};
    out.linear = sup_v3_add(out.linear, mv);
    out.angular = sup_v3_add(out.angular, sup_v3_cross(sup_v3_load(q), mv));
    out.angular = sup_v3_add(out.angular, sup_m3_apply(R, spin));
    out.scale += sup_v3_norm(mv);
  }
  return out;
}

/** Largest relative change of linear momentum in a step, and of angular momentum since the start.
 */
typedef struct losses {
  double linear, angular;
  long   pressing; /* contacts with a force, summed over the steps */
} losses;

static losses collide_cluster(sup_contact_model model, int in_points, double dt, double end) {
  test_scene s;
  losses     out = {0, 0, 0};
  test_scene_init(&s);
  add_cluster(&s, 6, sup_v3_make(1, 2, 3), 1, 5);
  touch(&s, in_points, 1e5, 5e7);
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  s.def.contact.model = model, s.options.dt = dt;
  s.options.tolerance = 1e-13;
  test_start(&s);
  momenta start = momenta_of(&s);
  for (long n = 0; n < lround(end / dt); n++) {
    momenta before = momenta_of(&s);
    test_step(&s);
    momenta                now = momenta_of(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    out.linear = fmax(out.linear, sup_v3_norm(sup_v3_sub(now.linear, before.linear)) / now.scale);
    out.angular = fmax(out.angular, sup_v3_norm(sup_v3_sub(now.angular, start.angular)) /
                                        sup_v3_norm(start.angular));
    for (int i = 0; i < r->num_contacts; i++) out.pressing += sup_v3_norm(r->contact[i].force) > 0;
  }
  test_end(&s);
  sup_hull_destroy(&hull);
  return out;
}

static void free_clusters_keep_their_momentum(void) {
  double linear = 0, angular = 0;
  for (int in_points = 0; in_points < 2; in_points++)
    for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
      losses a = collide_cluster((sup_contact_model)model, in_points, 1e-3, .08);
      CHECK(a.linear < 1e-12 && a.angular < 1e-12);
      CHECK(a.pressing > 50);
      linear = fmax(linear, a.linear), angular = fmax(angular, a.angular);
    }
  printf("linear %.1e in a step, angular %.1e in all ", linear, angular);
}

/* ---- friction -------------------------------------------------------------------------------- */

static void friction_never_gives_power_in_a_pile(void) {
  long   count = 0;
  double worst = -HUGE_VAL;
  for (int in_points = 0; in_points < 2; in_points++)
    for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++)
      for (int law = 0; law < SUP_NUM_NORMAL_LAWS; law++) {
        if (model == SUP_MODEL_SAP && law > 0) continue; /* has its own */
        const sup_normal_row *row = sup_normal_table((sup_normal_law)law);
        int                   spheres = row->needs_point || row->is_barrier;
        if (!in_points && spheres) continue;
        /* Hertz's law is one of spheres; barriers keep gaps open that are linear in the motion, as
         * of spheres at most
         */
        test_scene s;
        test_scene_init(&s);
        test_add_rigid(&s, "belt", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
        add_cluster(&s, spheres ? 1 : 6, sup_v3_make(0, 0, .2), .5, 10);
        touch(&s, in_points, 1e5, 5e7);
        s.geometry[0].contact.surface_velocity[0] = 1;
        s.geometry[0].contact.anisotropy_axis[1] = 1, s.geometry[0].contact.anisotropy_ratio = .5;
        s.def.contact.model = (sup_contact_model)model,
        s.def.contact.normal_law = (sup_normal_law)law;
        s.options.dt = 2e-3;
        test_start(&s);
        for (int n = 0; n < 60; n++) {
          test_step(&s);
          const sup_step_result *r = sup_stepper_result(s.stepper);
          double                 largest = r->num_contacts ? -HUGE_VAL : 0;
          for (int i = 0; i < r->num_contacts; i++) {
            const sup_contact *c = &r->contact[i];
            largest = fmax(largest, s.options.dt * sup_v3_dot(c->force, c->slip));
            count += sup_v3_norm(c->force) > 0;
          }
          CHECK(s.report.friction_work_max <= 0);
          NEAR(s.report.friction_work_max, largest, 1e-9,
               1e-15); /* what the contacts say, which know the belt, too */
          worst = fmax(worst, s.report.friction_work_max);
        }
        test_end(&s);
        sup_hull_destroy(&hull);
      }
  printf("%ld forces, largest %.2g J ", count, worst);
  CHECK(count > 10000);
}

SUITE_TESTS(clusters, TEST(free_clusters_keep_their_momentum),
            TEST(friction_never_gives_power_in_a_pile));
