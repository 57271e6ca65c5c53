/* Self contact: not at rest, not between neighbours, but where a body folds. */
#include "collide/collide.h"
#include "collide/travel.h"
#include "example.h"
#include "model/kinematics.h"

/** A soft body of a mesh that the scene takes, clamped nowhere; E = 20 MPa. */
static sup_soft_def *add_soft(test_scene *s, sup_mesh *mesh) {
  sup_soft_def *d = &s->soft[s->def.num_softs];
  s->mesh[s->def.num_softs++] = mesh;
  *d = sup_default_soft_def();
  snprintf(d->name, sizeof d->name, "body");
  d->mesh = mesh;
  d->material.youngs_modulus = 2e7, d->material.poissons_ratio = .45, d->material.density = 1200;
  d->contact.self = 1;
  return d;
}

static void start(test_scene *s, sup_mesh *mesh) {
  test_scene_init(s);
  s->options.dt = .01, s->options.tolerance = 1e-6;
  add_soft(s, mesh);
  test_start(s);
}

/** Fingers: default, flat with rib corners of 37 degrees, thin with many ribs. */
static sup_finray finger(int k, sup_mesh_pattern pattern) {
  sup_finray f = sup_default_finray();
  f.pattern = pattern;
  if (k == 1)
    f.base = .06, f.height = .04, f.num_ribs = 3, f.inner_cells = 6,
    f.base_block = f.tip_block = .003;
  if (k == 2) f.wall = f.rib = .0008, f.num_ribs = 12, f.cavity_cells = 2, f.depth_cells = 2;
  return f;
}

/** Bend about z: the line x = middle becomes an arc of `angle` over the height, and turns on at
 * `rate` [rad/s]. */
static void bend(test_scene *s, double middle, double height, double angle, double rate) {
  for (int i = 0; i < s->model->num_vertices; i++) {
    const double *X = s->model->soft[0].x0 + 3 * i;
    double       *x = s->state->x + 3 * i, *v = s->state->xdot + 3 * i;
    for (int k = 0; k < 2; k++) { /* now and a little later */
      double at = angle + k * 1e-4 * rate, curvature = at / height, turn = curvature * X[1];
      double arc = fabs(at) > 1e-9 ? sin(turn) / curvature : X[1];
      double sag = fabs(at) > 1e-9 ? (1 - cos(turn)) / curvature : 0;
      double p[3] = {sag + (X[0] - middle) * cos(turn), arc - (X[0] - middle) * sin(turn), X[2]};
      for (int d = 0; d < 3; d++)
        if (k == 0)
          x[d] = p[d];
        else
          v[d] = (p[d] - x[d]) / 1e-4;
    }
  }
}

/** Contacts of the present state. */
static void search(const test_scene *s, sup_contact_list *list) {
  sup_arena     *arena = NULL;
  sup_kinematics kin;
  sup_travel    *travel;
  OK(sup_arena_create(&arena, 1 << 20));
  sup_increment inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, arena));
  OK(sup_travel_start(s->model, &inc, &kin, arena, &travel));
  OK(sup_collide(list, s->model, &inc, &kin, s->state->x, s->state->xdot, travel, arena));
  sup_arena_destroy(&arena);
}

/** Pressure of a soft body's field per depth [Pa/m]. */
static double field_slope(const test_scene *s) {
  const sup_soft *soft = &s->model->soft[0];
  double          sum = 0;
  for (int t = 0; t < soft->surface->num_triangles; t++) sum += soft->triangle_stiffness[t];
  return sum / soft->surface->num_triangles;
}

static const sup_mesh_pattern patterns[] = {SUP_PATTERN_HEX, SUP_PATTERN_MIRROR, SUP_PATTERN_KUHN};

/* At rest, in free fall, turning fast, and bent by up to 90 degrees (the flat one 45) to either
   side, at rest and on its way. */
static void a_finger_does_not_touch_itself_unless_it_folds(void) {
  sup_contact_list list = {0};
  int              states = 0;
  for (int k = 0; k < 9; k++) {
    test_scene s;
    sup_mesh  *mesh;
    sup_finray f = finger(k / 3, patterns[k % 3]);
    OK(sup_mesh_finray(&mesh, &f));
    start(&s, mesh);
    for (int i = 0; i < 11; i++, states++) {
      double angle[] = {0, 0, 0, .3, -.3, .8, -.8, 1.57, -1.57, .8, -.8},
             share = k / 3 == 1 ? .5 : 1;
      bend(&s, f.base / 2, f.height, share * angle[i], i < 9 ? 0 : angle[i] < 0 ? -3 : 3);
      for (int v = 0; v < s.model->num_vertices; v++) {
        double *x = s.state->x + 3 * v, *xdot = s.state->xdot + 3 * v;
        if (i == 1) xdot[0] = 3, xdot[2] = -2;
        if (i == 2) xdot[0] = -20 * x[1], xdot[1] = 20 * x[0];
      }
      search(&s, &list);
      if (list.count > 0 || list.discarded_inverted > 0)
        printf("\n    finger %d pattern %d state %d: %d contacts, %d inverted cells; ", k / 3,
               k % 3, i, list.count, list.discarded_inverted);
      CHECK(list.count == 0 && list.discarded_inverted == 0);
    }
    test_end(&s);
  }
  sup_contact_list_free(&list);
  printf("%d states of 9 fingers ", states);
}

/* Cells that are crumpled, some of them turned inside out, overlap their neighbours and must not
   push them: every vertex is moved anywhere within `share` of the walls' thickness. */
static void crumpled_neighbours_do_not_touch(void) {
  sup_contact_list list = {0};
  test_random      random = {5};
  int              inverted = 0;
  for (int k = 0; k < 9; k++) {
    test_scene s;
    sup_mesh  *mesh;
    sup_finray f = finger(k / 3, patterns[k % 3]);
    OK(sup_mesh_finray(&mesh, &f));
    start(&s, mesh);
    for (double share = .2; share < .9; share += .2) {
      for (int i = 0; i < 3 * s.model->num_vertices; i++)
        s.state->x[i] = s.model->soft[0].x0[i] + share * f.wall / sqrt(3) * test_uniform(&random);
      search(&s, &list);
      inverted += list.discarded_inverted;
      CHECK(list.count == 0);
    }
    test_end(&s);
  }
  sup_contact_list_free(&list);
  printf("%d inverted cells were asked for ", inverted);
}

/* A strip of 60 x 8 x 2 mm, folded by 180 degrees and `more` to each side about its middle 12 mm:
   the ends overlap, by up to half a millimetre.  Their force is what the overlap gives, C/2 times
   its depth; nothing touches at the crease.
 */
static void a_folded_strip_touches_itself(void) {
  const double more = .115, turn = acos(-1) + 2 * more, radius = .012 / turn,
               size[3] = {.06, .008, .002};
  const double     gap = 2 * (radius - .001) * cos(more), slope = 2 * sin(more);
  sup_contact_list list = {0};
  for (int k = 0; k < 3; k++) {
    int        n[3] = {40, 4, k == 0 ? 1 : 2};
    double     force = 0, across = 0, overlap = 0, nearest = HUGE_VAL;
    test_scene s;
    sup_mesh  *mesh;
    OK(sup_mesh_box(&mesh, size, n, patterns[k]));
    start(&s, mesh);
    const sup_soft *soft = &s.model->soft[0];
    for (int i = 0; i < soft->num_vertices;
         i++) { /* in the plane x, z; arms along -z, their inner sides face each other */
      const double *X = soft->x0 + 3 * i;
      double        along = X[0] - .03, arc = fmin(fmax(along, -.006), .006), angle = arc / radius,
             r = radius + X[2] - .001;
      double *x = s.state->x + 3 * i;
      x[0] = r * sin(angle) + (along - arc) * cos(angle);
      x[1] = X[1];
      x[2] = r * cos(angle) - (along - arc) * sin(angle);
    }
    search(&s, &list);
    for (int i = 0; i < list.count; i++) {
      const sup_contact *c = &list.contact[i];
      double             f = c->area * c->slope * fmax(0, -c->phi);
      force += f * fabs(c->normal.x), across += f * fabs(c->normal.z);
      if (f > 0) nearest = fmin(nearest, radius - c->centroid.z);
    }
    for (int i = 0; i < 1000; i++)
      overlap += fmax(0, slope * .024 * (i + .5) / 1000 - gap) * .024 / 1000 * .008;
    double begin = gap / slope * cos(more), C = field_slope(&s);
    printf("%d: %d contacts, %.3f of the force, from %.3g mm on (ends overlap from %.3g mm); ", k,
           list.count, force / (C / 2 * overlap), 1e3 * nearest, 1e3 * begin);
    CHECK(nearest > .9 * begin && across < .2 * force);
    CHECK(force > .4 * C / 2 * overlap && force < C / 2 * overlap);
    test_end(&s);
  }
  sup_contact_list_free(&list);
}

/** Deepest overlap of a body with itself among these contacts, from the pressure that both sides
 * share [m]. */
static double deepest(const test_scene *s, const sup_contact *contact, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (contact[i].body_a == contact[i].body_b)
      most = fmax(most, -contact[i].phi * contact[i].slope);
  return 2 * most / field_slope(s);
}

/** Run examples/finray_self_contact.yaml; returns the deepest overlap within the run, and the force
 * of it in the end.
 */
static double press_finger(test_example *e, int self, double *force) {
  const char *const sets[] = {
      "time.step=10 ms", self ? "soft.finger.contact.self=true" : "soft.finger.contact.self=false"};
  double most = 0;
  test_example_start(e, "finray_self_contact", sets, 2);
  for (int i = 0; i < 120; i++) {
    test_step(&e->s);
    const sup_step_result *r = sup_stepper_result(e->s.stepper);
    most = fmax(most, deepest(&e->s, r->contact, r->num_contacts));
    *force = 0;
    for (int k = 0; k < r->num_contacts; k++)
      if (r->contact[k].body_a == r->contact[k].body_b) *force += sup_v3_norm(r->contact[k].force);
  }
  CHECK(e->s.report.inverted_cells == 0);
  return most;
}

/* The ribs of a pressed finger, 0.6 mm thick, buckle until they touch; without self contact they
 * are in each other. */
static void ribs_touch_and_do_not_pass(void) {
  sup_contact_list list = {0};
  test_example     with, without;
  double           force, none, most = press_finger(&with, 1, &force);
  CHECK(press_finger(&without, 0, &none) <= 0 && none <= 0);
  memcpy(with.s.state->x, without.s.state->x,
         3 * (size_t)with.s.model->num_vertices * sizeof *with.s.state->x);
  search(&with.s, &list);
  double passed = deepest(&with.s, list.contact, list.count);
  printf("overlap at most %.3g mm, %.3g N in the end; without self contact %.3g mm ", 1e3 * most,
         force, 1e3 * passed);
  CHECK(most < .06e-3 && force > .01);
  CHECK(passed > .2e-3);
  sup_contact_list_free(&list);
  test_example_end(&with);
  test_example_end(&without);
}

SUITE_TESTS(self_contact, TEST(ribs_touch_and_do_not_pass), TEST(a_folded_strip_touches_itself),
            TEST(crumpled_neighbours_do_not_touch),
            TEST(a_finger_does_not_touch_itself_unless_it_folds));
