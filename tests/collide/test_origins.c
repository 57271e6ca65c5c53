/* Contacts measured by the origins that their search left. */
#include "collide/origin.h"

#include <stddef.h>

#include "cases/example.h"
#include "collide/collide.h"

#define MEMBER(name) \
  { #name, offsetof(sup_contact, name), sizeof(((sup_contact *)0)->name) }
/* All that a search sets; what a step adds is zero in both. */
static const struct {
  const char *name;
  size_t      offset, size;
} members[] = {MEMBER(pair),
               MEMBER(body_a),
               MEMBER(body_b),
               MEMBER(geometry_a),
               MEMBER(geometry_b),
               MEMBER(item_a),
               MEMBER(item_b),
               MEMBER(cell_a),
               MEMBER(cell_b),
               MEMBER(num_points),
               MEMBER(point),
               MEMBER(level),
               MEMBER(centroid),
               MEMBER(normal),
               MEMBER(foot),
               MEMBER(area),
               MEMBER(parts),
               MEMBER(facing),
               MEMBER(phi),
               MEMBER(advance),
               MEMBER(shift),
               MEMBER(lever),
               MEMBER(penetration),
               MEMBER(drift),
               MEMBER(point_stiffness),
               MEMBER(beyond),
               MEMBER(spread),
               MEMBER(slope),
               MEMBER(secant_slope),
               MEMBER(secant_phi),
               MEMBER(patch_area),
               MEMBER(stiffness),
               MEMBER(dissipation),
               MEMBER(carrier_a.num_vertices),
               MEMBER(carrier_a.vertex),
               MEMBER(carrier_a.weight),
               MEMBER(carrier_b.num_vertices),
               MEMBER(carrier_b.vertex),
               MEMBER(carrier_b.weight),
               MEMBER(force),
               MEMBER(given)};

static int is_same(const sup_contact *a, const sup_contact *b) {
  for (size_t m = 0; m < sizeof members / sizeof *members; m++)
    if (memcmp((const char *)a + members[m].offset, (const char *)b + members[m].offset,
               members[m].size) != 0) {
      printf("\n    %s of pair %d, items %d and %d: phi %.17g, %.17g", members[m].name, a->pair,
             a->item_a, a->item_b, a->phi, b->phi);
      return 0;
    }
  return 1;
}

/** A search at a state, and its contacts measured by their origins. */
typedef struct twice {
  sup_arena       *arena;
  sup_increment    inc;
  sup_kinematics   kin;
  sup_contact_list found, measured;
} twice;

static void check_equal(twice *t, const test_scene *s, const sup_motion *motion) {
  OK(sup_collide_measure(&t->found.origins, s->model, &t->inc, &t->kin, s->state->x, s->state->xdot,
                         motion, t->arena, &t->measured));
  int same = t->measured.count == t->found.count;
  if (!same) printf("\n    %d contacts of %d", t->measured.count, t->found.count);
  for (int i = 0; i < t->found.count && same; i++)
    same = is_same(&t->found.contact[i], &t->measured.contact[i]);
  CHECK(same);
}

/** Velocities that bring in contacts which those of the state do not: they are watched. */
static sup_motion faster(const twice *t, const test_scene *s) {
  enum { TIMES = 30 };
  int        n = 3 * s->model->num_vertices, bodies = s->model->num_bodies;
  sup_motion out;
  sup_v3    *w, *v;
  double    *xdot;
  OK(SUP_ARENA(t->arena, w, bodies));
  OK(SUP_ARENA(t->arena, v, bodies));
  OK(SUP_ARENA(t->arena, xdot, n));
  for (int i = 0; i < n; i++) xdot[i] = TIMES * s->state->xdot[i];
  for (int b = 0; b < bodies; b++)
    w[b] = sup_v3_scale(TIMES, t->kin.w[b]), v[b] = sup_v3_scale(TIMES, t->kin.v[b]);
  out = (sup_motion){w, v, xdot};
  return out;
}

/** Number of contacts of a search at the state, which are measured again; with a watched motion,
 * too. */
static int look_twice(twice *t, const test_scene *s) {
  sup_travel *travel;
  int         missed, count;
  OK(sup_arena_reset(t->arena));
  t->inc = test_increment(s);
  OK(sup_kinematics_compute(&t->kin, s->model, &t->inc, s->state->q, s->state->v, t->arena));
  OK(sup_travel_start(s->model, &t->inc, &t->kin, t->arena, &travel));
  OK(sup_collide(&t->found, s->model, &t->inc, &t->kin, s->state->x, s->state->xdot, travel,
                 t->arena));
  count = t->found.count;
  check_equal(t, s, NULL);
  if (!s->model->has_surface_pairs) return count;
  sup_motion motion = faster(t, s);
  OK(sup_collide_check(&t->found, &motion, 1, t->arena, &missed));
  if (missed == 0) return count;
  OK(sup_collide_again(&t->found, t->arena));
  check_equal(t, s, &motion);
  return count;
}

/** Contacts and kinds of origins over some steps of an example. */
static void run(const char *name, const char *const *sets, int num_sets, int steps, int every,
                int num_kinds[SUP_ORIGIN_KINDS]) {
  test_example e;
  twice        t = {0};
  int          count = 0;
  OK(sup_arena_create(&t.arena, 1 << 16));
  test_example_start(&e, name, sets, num_sets);
  for (int k = 0; k < steps; k++) {
    OK(sup_step(e.s.stepper, e.s.state, &e.s.report));
    if (k % every) continue;
    count += look_twice(&t, &e.s);
    for (int i = 0; i < t.found.origins.num_contacts; i++)
      num_kinds[t.found.origins.contact[i].kind]++;
  }
  printf("%s: %d contacts, %d joins, ", name, count, t.found.origins.num_joins);
  CHECK(count > 0);
  sup_contact_list_free(&t.found);
  sup_contact_list_free(&t.measured);
  sup_arena_destroy(&t.arena);
  test_example_end(&e);
}

static void surfaces_in_shapes_are_measured_to_the_bit(void) {
  static const char *const vertices[] = {"contact.soft_surface=vertices"};
  int                      kinds[SUP_ORIGIN_KINDS] = {0};
  run("finray_press", NULL, 0, 30, 3, kinds);
  run("finray_press", vertices, 1, 30, 3, kinds);
  run("soft_cube_drop", NULL, 0, 60, 4, kinds);
  run("soft_cube_drop", vertices, 1, 60, 4, kinds);
  CHECK(kinds[SUP_ORIGIN_VERTEX] > 0 && kinds[SUP_ORIGIN_POLYGON] > 0 &&
        kinds[SUP_ORIGIN_FACET] > 0);
}

static void points_of_shapes_are_measured_to_the_bit(void) {
  static const char *const names[] = {"clutter", "incline", "conveyor", "shaken_mug"};
  int                      kinds[SUP_ORIGIN_KINDS] = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) run(names[i], NULL, 0, 60, 6, kinds);
  CHECK(kinds[SUP_ORIGIN_POINT] > 300);
}

/* Rigid fields, surfaces in fields, soft bodies on each other and a body on itself: pieces and
 * their merges. */
static void patches_of_fields_are_measured_to_the_bit(void) {
  int kinds[SUP_ORIGIN_KINDS] = {0};
  run("chain", NULL, 0, 30, 6, kinds);
  run("spatula", NULL, 0, 30, 6, kinds);
  run("soft_stack", NULL, 0, 60, 10, kinds);
  run("finray_grasp_ball", NULL, 0, 60, 20, kinds);
  run("finray_self_contact", NULL, 0, 140, 20, kinds);
  CHECK(kinds[SUP_ORIGIN_PATCH] > 5000);
}

SUITE_TESTS(origins, TEST(surfaces_in_shapes_are_measured_to_the_bit),
            TEST(points_of_shapes_are_measured_to_the_bit),
            TEST(patches_of_fields_are_measured_to_the_bit));
