#include <omp.h>

#include "scene_test.h"
#include "step/stepper.h"

/* Balls in a heap, with fields and in points, and soft boxes on each other: every kind of pair. */
static void build(test_scene *s) {
  test_scene_init(s);
  s->options.dt = .005;
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  for (int i = 0; i < 14; i++) {
    char name[16];
    snprintf(name, sizeof name, "ball%d", i);
    sup_link_def *l = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .5, 0);
    l->q0[0] = .08 * (i % 3) + .003 * i, l->q0[1] = .08 * (i / 3 % 3) - .002 * i,
    l->q0[2] = .049 + .08 * (i / 9);
    sup_contact_def *contact = &s->geometry[i + 1].contact;
    contact->resolution = contact->field_resolution = .012;
    if (i % 4 < 3)
      contact->modulus = 1e5;
    else
      contact->point_stiffness = 1e5;
  }
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "box%d", i);
    sup_soft_def *box =
        test_add_soft_box(s, name, .1, .1, .05, 3, 3, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
    box->X_WS.p[0] = -.2 + .01 * (i % 2), box->X_WS.p[2] = .0499 * i;
  }
  test_start(s);
  for (int i = 0; i < s->model->num_vertices;
       i++) { /* a point inside comes out at the top: some are inside out */
    double *x = s->state->x + 3 * i;
    if (hypot(x[0] + .2 - .1 / 3, x[1] - .1 / 3) < 1e-6 && fabs(x[2] - .025) < 1e-6) x[2] += .04;
  }
}

/** Hash of a contact's members, without padding. */
static uint64_t contact_hash(uint64_t hash, const sup_contact *c) {
  double values[64] = {c->area,        c->phi,  c->slope,  c->stiffness, c->spread,
                       c->penetration, c->pair, c->item_a, c->item_b};
  int    n = 9;
  for (int i = 0; i < c->num_points; i++)
    values[n++] = c->point[i].x, values[n++] = c->point[i].y, values[n++] = c->point[i].z,
    values[n++] = c->level[i];
  values[n++] = c->normal.x, values[n++] = c->normal.y, values[n++] = c->normal.z;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}

typedef struct summary {
  uint64_t state, contacts;
  int      count, small, backward, inverted,
      parts; /* parts: that found contacts, the most of any step */
} summary;

static summary run(int threads) {
  enum { STEPS = 4 };
  test_scene s;
  summary    out = {0};
  build(&s);
  omp_set_num_threads(threads);
  for (int k = 0; k < STEPS; k++) {
    test_step(&s);
    const sup_contact_list *list = &s.stepper->contact.list;
    int                     parts = 0;
    for (int i = 0; i < list->count; i++)
      out.contacts = contact_hash(out.contacts, &list->contact[i]);
    out.count += list->count, out.small += list->discarded_small;
    out.backward += list->discarded_backward, out.inverted += list->discarded_inverted;
    for (int i = 0; list->part && i < 64; i++) parts += list->part[i].count > 0;
    if (parts > out.parts) out.parts = parts;
  }
  omp_set_num_threads(1);
  out.state = sup_state_hash(s.state);
  test_end(&s);
  return out;
}

static void contacts_are_the_same_for_any_number_of_threads(void) {
  summary one = run(1);
  printf("%d contacts, %d + %d + %d discarded, ", one.count, one.small, one.backward, one.inverted);
  CHECK(one.parts == 0);
  CHECK(one.small > 0 && one.inverted > 0);
  for (int threads = 2; threads <= 3; threads++) {
    summary more = run(threads);
    CHECK(more.parts > 10); /* they did share the work */
    CHECK(more.state == one.state && more.contacts == one.contacts && more.count == one.count);
    CHECK(more.small == one.small && more.backward == one.backward &&
          more.inverted == one.inverted);
  }
}

SUITE_TESTS(threads, TEST(contacts_are_the_same_for_any_number_of_threads));
