#include "test.h"

#include "profile/profile.h"

#include <string.h>

#include "base/memory.h"
#include "profile/wall.h"

static const double mm = 1e-3;

static void add_loop(sup_profile *p, const double *x, int n) {
  OK(sup_profile_begin_loop(p));
  for (int i = 0; i < n; i++) OK(sup_profile_add_point(p, mm * x[2 * i], mm * x[2 * i + 1], 0));
}

static void add_box(sup_profile *p, double x, double y, double width, double height) {
  double corner[] = {x, y, x + width, y, x + width, y + height, x, y + height};
  add_loop(p, corner, 4);
}

static void loops_are_turned_and_sorted(void) {
  sup_profile *p;
  double       lower[2], upper[2];
  OK(sup_profile_create(&p));
  add_box(p, 2, 20, 6, 4); /* a hole, drawn before the boundary and the wrong way round */
  double outer[] = {0, 30, 10, 30, 10, 0, 0, 0, 0, 30};
  add_loop(p, outer, 5); /* clockwise; its first point again at the end */
  add_box(p, 2, 2, 6, 10);
  OK(sup_profile_finish(p, "box"));
  CHECK(p->num_loops == 3 && p->loop[0].num_points == 4);
  NEAR(sup_loop_area(&p->loop[0]), 300e-6, 1e-12, 0);
  NEAR(sup_loop_area(&p->loop[1]), -60e-6, 1e-12, 0);
  NEAR(sup_loop_area(&p->loop[2]), -24e-6, 1e-12, 0);
  NEAR(sup_profile_area(p), 216e-6, 1e-12, 0);
  sup_profile_bounds(p, lower, upper);
  NEAR(upper[1], 30 * mm, 1e-15, 0);
  NEAR(p->loop[0].x[0], 0, 0, 1e-15); /* begins at the lowest, leftmost corner */
  NEAR(p->loop[0].x[1], 0, 0, 1e-15);
  const double inside[2] = {1 * mm, 5 * mm}, hollow[2] = {5 * mm, 5 * mm};
  CHECK(sup_profile_contains(p, inside) && !sup_profile_contains(p, hollow));
  sup_profile_destroy(&p);
}

static void refused(const double *x, int n, double bx, double by, double size, const char *text) {
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_loop(p, x, n);
  if (size > 0) add_box(p, bx, by, size, size);
  FAILS(sup_profile_finish(p, "drawing.csv"), SUP_E_GEOMETRY, text);
  sup_profile_destroy(&p);
}

static void profiles_that_are_none_are_refused_by_place(void) {
  const double box[] = {0, 0, 10, 0, 10, 10, 0, 10}, bow[] = {0, 0, 10, 9, 10, 0, 0, 10},
               line[] = {0, 0, 10, 0, 20, 0};
  sup_profile *empty;
  refused(line, 3, 0, 0, 0, "has no area");
  refused(bow, 4, 0, 0, 0, "crosses or touches itself near");
  refused(box, 4, 8, 4, 4, "two loops cross or touch");
  refused(box, 4, 0, 4, 4, "two loops cross or touch");
  refused(box, 4, 20, 4, 2, "the loop near (20, 4) mm lies outside");
  OK(sup_profile_create(&empty));
  FAILS(sup_profile_finish(empty, "drawing.csv"), SUP_E_GEOMETRY, "found no closed loop");
  sup_profile_destroy(&empty);
  OK(sup_profile_create(&empty));
  add_box(empty, 0, 0, 30, 30);
  add_box(empty, 5, 5, 20, 20);
  add_box(empty, 10, 10, 5, 5);
  FAILS(sup_profile_finish(empty, "drawing.csv"), SUP_E_GEOMETRY, "inside of a hole");
  sup_profile_destroy(&empty);
}

/** A fillet of radius r takes (1 - pi/4) r^2 from each square hole's corner and adds it to the
 * material; the corners of the boundary stay. */
static void fillets_round_inner_corners_alone(void) {
  sup_profile *p;
  double       missing = (1 - acos(-1) / 4) * 2 * 2 * mm * mm;
  OK(sup_profile_create(&p));
  add_box(p, 0, 0, 30, 20);
  add_box(p, 5, 5, 20, 10);
  OK(sup_profile_finish(p, "box"));
  double before = sup_profile_area(p);
  OK(sup_profile_fillet(p, 2 * mm));
  CHECK(p->loop[0].num_points == 4);
  NEAR(sup_profile_area(p) - before, 4 * missing, 0.01, 0);
  int corners = 0;
  for (int i = 0; i < p->loop[1].num_points; i++) corners += sup_loop_is_corner(&p->loop[1], i);
  CHECK(corners == 8); /* where straight sides end */
  sup_profile_destroy(&p);
}

/** The boundary turns by 5.7 degrees to the right half way up: an arc there would be smaller than
 * any cell. */
static void polygons_for_curves_keep_their_points(void) {
  const double outer[] = {0, 0, 20, 0, 18, 10, 17, 20, 0, 20};
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_loop(p, outer, 5);
  OK(sup_profile_finish(p, "bent"));
  double before = sup_profile_area(p);
  OK(sup_profile_fillet(p, 2 * mm));
  CHECK(p->loop[0].num_points == 5);
  NEAR(sup_profile_area(p), before, 1e-15, 0);
  sup_profile_destroy(&p);
}

static void a_fillet_that_does_not_fit_is_refused_with_the_largest(void) {
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_box(p, 0, 0, 30, 20);
  add_box(p, 5, 5, 20, 10);
  OK(sup_profile_finish(p, "box"));
  FAILS(sup_profile_fillet(p, 5 * mm), SUP_E_GEOMETRY, "the largest that does has 4.95 mm");
  sup_profile_destroy(&p);
}

static void polylines_find_their_curves(void) {
  sup_profile *p;
  OK(sup_profile_create(&p));
  OK(sup_profile_begin_loop(p));
  for (int k = 0; k <= 18; k++) /* half of a disc, by 10 degrees, and its straight side */
    OK(sup_profile_add_point(p, mm * cos(k * acos(-1) / 18), mm * sin(k * acos(-1) / 18), 0));
  OK(sup_profile_finish(p, "disc"));
  OK(sup_profile_find_curves(p));
  int curved = 0, corners = 0;
  for (int i = 0; i < p->loop[0].num_points; i++)
    curved += p->loop[0].is_curved[i], corners += sup_loop_is_corner(&p->loop[0], i);
  CHECK(curved == 18 && corners == 2 && sup_loop_is_corner(&p->loop[0], 0));
  sup_profile_destroy(&p);
}

/* A finger's outline with sides that lean a little against each other, and a slot whose arcs were
 * drawn as such: what is straight stays so. */
static void straight_sides_stay_straight(void) {
  const double outer[] = {0, 0, 30, 0, 31, 30, 29, 60, 24, 90, 0, 90};
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_loop(p, outer, 6);
  OK(sup_profile_begin_loop(p));
  for (int k = 0; k < 38; k++) { /* half circles of a radius of 3, 10 apart */
    double t = (k - 9 - (k > 18)) * acos(-1) / 18;
    OK(sup_profile_add_point(p, mm * (15 + (k < 19 ? 5 : -5) + 3 * cos(t)), mm * (40 + 3 * sin(t)),
                             k != 18 && k != 37));
  }
  OK(sup_profile_finish(p, "slot"));
  OK(sup_profile_find_curves(p));
  for (int i = 0; i < 6; i++) CHECK(!p->loop[0].is_curved[i]);
  int straight = 0;
  for (int i = 0; i < p->loop[1].num_points; i++) straight += !p->loop[1].is_curved[i];
  CHECK(straight == 2);
  sup_profile_destroy(&p);
}

/* Holes between a chord and an arc, bulging outwards or inwards: the circle touches both. */
static void fillets_touch_curved_sides(void) {
  const double R = 20, r = 1.5;
  for (int bulges = 0; bulges < 2; bulges++) {
    sup_profile *p;
    OK(sup_profile_create(&p));
    add_box(p, -30, -30, 60, 90);
    OK(sup_profile_begin_loop(p));
    /* an arc of 80 degrees above the chord, or below an upper side with straight walls */
    double half = 40 * acos(-1) / 180, low = R * cos(half), end = R * sin(half);
    if (!bulges) {
      OK(sup_profile_add_point(p, -end * mm, (low + 20) * mm, 0));
      OK(sup_profile_add_point(p, end * mm, (low + 20) * mm, 0));
    }
    for (int k = 0; k <= 160; k++) {
      double t = acos(0) - half + 2 * half * k / 160;
      OK(sup_profile_add_point(p, mm * R * cos(t), mm * R * sin(t), k < 160));
    }
    OK(sup_profile_finish(p, "segment"));
    double before = sup_profile_area(p);
    FAILS(sup_profile_fillet(p, 12 * mm), SUP_E_GEOMETRY, "a fillet of 12 mm does not fit at the");
    OK(sup_profile_fillet(p, r * mm));
    CHECK(sup_profile_area(p) > before);
    sup_loop *loop = &p->loop[1];
    int       on_arc = 0;
    double    y = bulges ? low + r : 0;
    for (int i = 0; i < loop->num_points; i++) {
      if (loop->is_curved[i] != 2) continue;
      const double *x = sup_loop_point(loop, i);
      if (bulges) { /* at r from the chord and R - r from the middle of the large circle */
        double cx = copysign(sqrt((R - r) * (R - r) - y * y), x[0]);
        NEAR(hypot(x[0] / mm - cx, x[1] / mm - y), r, 3e-4, 0);
      } else if (x[1] < (low + 8) * mm) { /* at r from a wall and R + r from the middle */
        double cx = copysign(end - r, x[0]), cy = sqrt((R + r) * (R + r) - cx * cx);
        NEAR(hypot(x[0] / mm - cx, x[1] / mm - cy), r, 3e-4, 0);
      }
      on_arc++;
    }
    CHECK(on_arc > 2 * (bulges ? 20 : 40) / 5);
    for (int i = 0; i < loop->num_points; i++) { /* no chord is far shorter than its neighbours */
      const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, i + 1);
      CHECK(hypot(b[0] - a[0], b[1] - a[1]) > .04 * mm);
      if (loop->is_curved[i]) CHECK(fabs(sup_loop_turn(loop, i)) < 10);
    }
    sup_profile_destroy(&p);
  }
}

static void size_range(const sup_profile *p, double corner, double *least, double *most) {
  sup_size_grid grid;
  OK(sup_size_grid_create(&grid, p, 2, 2.5 * mm, corner));
  *least = HUGE_VAL, *most = 0;
  for (int k = 0; k < (grid.n[0] + 1) * (grid.n[1] + 1); k++)
    *least = fmin(*least, grid.size[k]), *most = fmax(*most, grid.size[k]);
  sup_size_grid_free(&grid);
}

/** A wall of 2 mm between two holes, one of 3 mm around them; cells that are four times smaller at
 * the corners of the holes than in the thinnest wall. */
static void walls_have_their_thickness(void) {
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_box(p, 0, 0, 30, 16);
  add_box(p, 3, 3, 11, 10);
  add_box(p, 16, 3, 11, 10);
  OK(sup_profile_finish(p, "frame"));
  const double between[2] = {15.3 * mm, 8 * mm}, left[2] = {1 * mm, 8 * mm};
  NEAR(sup_profile_thickness(p, between), 2 * mm, 1e-3, 0);
  NEAR(sup_profile_thickness(p, left), 3 * mm, 1e-3, 0);
  double where[2];
  NEAR(sup_profile_thinnest(p, where), 2 * mm, 1e-12, 0);
  double least, most;
  size_range(p, 1, &least, &most);
  NEAR(least, 1 * mm, 1e-3, 0);
  NEAR(most, 2.5 * mm, 1e-12, 0);
  size_range(p, .25, &least, &most);
  CHECK(least > .25 * mm && least < .5 * mm); /* squares of .8 mm */
  CHECK(most > 1 * mm);
  sup_profile_destroy(&p);
}

/** A block of 30 x 20 mm with a square hole of 6 mm and a round one: closed forms of their areas.
 */
static void loops_are_offset_by_their_id(void) {
  static const struct {
    const char *id;
    double      distance, area; /* mm, mm^2 */
  } table[] = {{"pin", .5, 600 - 49},
               {"pin", -1, 600 - 16},
               {"body", 1, 32 * 22 - 36},
               {"body", -.5, 29 * 19 - 36},
               {"pin", 0, 600 - 36}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    sup_profile *p;
    OK(sup_profile_create(&p));
    add_box(p, 0, 0, 30, 20), strcpy(p->loop[0].id, "body");
    add_box(p, 5, 5, 6, 6), strcpy(p->loop[1].id, "pin");
    OK(sup_profile_finish(p, "block"));
    OK(sup_profile_offset(p, table[k].id, mm * table[k].distance, "block"));
    NEAR(1e6 * sup_profile_area(p), table[k].area, 1e-9, 0);
    FAILS(sup_profile_offset(p, "slot", mm, "block"), SUP_E_ARG,
          "no loop has the id 'slot'; known: ");
    FAILS(sup_profile_offset(p, "pin", -4 * mm, "block"), SUP_E_GEOMETRY,
          "an offset of 4 mm is too large for the loop 'pin': a side of it vanishes");
    FAILS(sup_profile_offset(p, "pin", 8 * mm, "block"), SUP_E_GEOMETRY,
          "two loops 'body' and 'pin' cross or touch");
    FAILS(sup_profile_offset(p, "pin", 4, "block"), SUP_E_GEOMETRY,
          "the hole 'pin' is larger than the outer boundary");
    sup_profile_destroy(&p);
  }
}

SUITE_TESTS(profile, TEST(loops_are_offset_by_their_id), TEST(loops_are_turned_and_sorted),
            TEST(profiles_that_are_none_are_refused_by_place),
            TEST(fillets_round_inner_corners_alone), TEST(polygons_for_curves_keep_their_points),
            TEST(a_fillet_that_does_not_fit_is_refused_with_the_largest),
            TEST(polylines_find_their_curves), TEST(straight_sides_stay_straight),
            TEST(fillets_touch_curved_sides), TEST(walls_have_their_thickness));
