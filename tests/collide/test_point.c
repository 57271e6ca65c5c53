#include <stddef.h>
#include <string.h>

#include "collide/point/point_parts.h"
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/shape.h"
#include "mesh/hull.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

enum { NUM_SHAPES = 7 };

/** Every shape of point contact; the hull is a crooked polyhedron with its own faces. */
static sup_shape some_shape(int k, sup_hull *hull) {
  const sup_shape shape[NUM_SHAPES] = {
      {SUP_SHAPE_SPHERE, {.06}},       {SUP_SHAPE_CAPSULE, {.03, .1}},
      {SUP_SHAPE_BOX, {.1, .06, .14}}, {SUP_SHAPE_CYLINDER, {.04, .1}},
      {SUP_SHAPE_CONVEX, {0}, hull},   {SUP_SHAPE_ELLIPSOID, {.05, .03, .08}},
      {SUP_SHAPE_HALF_SPACE, {0}}};
  return shape[k];
}

static sup_hull *some_hull(void) {
  static const double x[10][3] = {
      {.05, .04, -.03}, {-.06, .03, -.04}, {-.05, -.06, -.02}, {.06, -.05, -.05}, {.04, .03, .05},
      {-.03, .05, .06}, {-.04, -.03, .04}, {.05, -.02, .07},   {0, 0, .01},       {.01, 0, .02}};
  sup_hull *hull;
  OK(sup_hull_create(&hull, 10, x[0]));
  return hull;
}

static sup_v3 random_vector(test_random *r) {
  double x = test_uniform(r), y = test_uniform(r), z = test_uniform(r);
  return sup_v3_make(x, y, z);
}

static sup_frame random_frame(test_random *r, double scale) {
  sup_v3 turn = sup_v3_scale(3, random_vector(r));
  return (sup_frame){sup_quat_matrix(sup_quat_exp(turn)), sup_v3_scale(scale, random_vector(r))};
}

static sup_witness nearest(const sup_point_set *set) {
  sup_witness w = set->point[0];
  for (int k = 1; k < set->count; k++)
    if (set->point[k].phi < w.phi) w = set->point[k];
  return w;
}

/** The largest gap over many directions: what phi must not be below, and what it is when the search
 * is fine. */
static double sampled_gap(const sup_posed_shape *a, const sup_posed_shape *b, test_random *r,
                          int samples) {
  double most = -HUGE_VAL;
  for (int k = 0; k < samples; k++) {
    sup_v3 n = sup_v3_unit(random_vector(r));
    double step = .3, gap = sup_point_gap(a, b, n);
    for (int i = 0; i < 60; i++) { /* climb by random turns */
      sup_v3 m = sup_v3_unit(sup_v3_madd(n, step, random_vector(r)));
      double g = sup_point_gap(a, b, m);
      if (g > gap)
        gap = g, n = m;
      else
        step *= .85;
    }
    most = fmax(most, gap);
  }
  return most;
}

static void check_witnesses(const sup_posed_shape *a, const sup_posed_shape *b,
                            const sup_point_set *set) {
  const sup_posed_shape *body[2] = {a, b};
  for (int k = 0; k < set->count; k++) {
    const sup_witness *w = &set->point[k];
    const sup_v3       p[2] = {w->a, w->b};
    NEAR(sup_v3_dot(set->normal, sup_v3_sub(w->b, w->a)), w->phi, 0, 2e-9);
    for (int s = 0; s < 2; s++) {
      sup_v3 gradient;
      double depth =
          sup_shape_depth(body[s]->shape, sup_frame_apply_inverse(&body[s]->X, p[s]), &gradient);
      /* a capsule that lies with a slope of up to 0.05 touches with both ends, seen along the
       * normal */
      CHECK(depth < 1e-8);
      CHECK(depth > (sup_rounding(body[s]->shape) > 0 && set->count > 1
                         ? -1.3e-3 * sup_rounding(body[s]->shape)
                         : -1e-8));
    }
  }
}

/* phi is the largest gap over all directions: no sampled direction separates better, and a climb
 * from many starts finds no worse.  Witness points lie on the surfaces. */
static void every_pair_has_the_distance_of_a_brute_force_search(void) {
  sup_hull   *hull = some_hull();
  test_random r = {7};
  int         deep = 0, apart = 0;
  double      worst = 0;
  for (int i = 0; i < NUM_SHAPES - 1; i++)
    for (int j = 0; j < NUM_SHAPES - 1; j++)
      for (int trial = 0; trial < 12; trial++) {
        sup_shape       sa = some_shape(i, hull), sb = some_shape(j, hull);
        sup_posed_shape a = {&sa, random_frame(&r, .02)},
                        b = {&sb, random_frame(&r, trial < 8 ? .1 : .16)};
        sup_point_set set;
        sup_collide_point(&a, &b, 10, 0, &set);
        CHECK(set.count > 0);
        double phi = nearest(&set).phi, brute = sampled_gap(&a, &b, &r, 25);
        NEAR(sup_v3_norm(set.normal), 1, 1e-12, 0);
        NEAR(sup_point_gap(&a, &b, set.normal), phi, 0, 3e-8);
        CHECK(brute < phi + 2e-7);
        if (brute >= phi + 2e-7)
          printf("%d %d trial %d phi %.9g brute %.9g\n", i, j, trial, phi, brute);
        worst = fmax(worst, brute - phi);
        check_witnesses(&a, &b, &set);
        deep += phi<-.02, apart += phi> 0;
      }
  CHECK(deep > 50 && apart > 50);
  printf("deep %d apart %d worst %g ", deep, apart, worst);
  sup_hull_destroy(&hull);
}

static void half_spaces_see_the_lowest_point(void) {
  sup_hull   *hull = some_hull();
  test_random r = {3};
  for (int j = 0; j < NUM_SHAPES - 1; j++)
    for (int trial = 0; trial < 40; trial++) {
      sup_shape       sa = some_shape(NUM_SHAPES - 1, hull), sb = some_shape(j, hull);
      sup_posed_shape a = {&sa, random_frame(&r, .05)}, b = {&sb, random_frame(&r, .1)};
      sup_v3          n = sup_m3_column(&a.X.R, 2);
      sup_point_set   set, swapped;
      sup_collide_point(&a, &b, 10, .02, &set);
      double lowest = sup_v3_dot(n, sup_v3_sub(sup_support(&b, sup_v3_scale(-1, n)), a.X.p)) -
                      sup_rounding(&sb);
      NEAR(nearest(&set).phi, lowest, 0, 1e-14);
      check_witnesses(&a, &b, &set);
      sup_collide_point(&b, &a, 10, .02, &swapped);
      CHECK(swapped.count == set.count);
      for (int k = 0; k < set.count; k++) CHECK(swapped.point[k].phi == set.point[k].phi);
    }
  sup_hull_destroy(&hull);
}

/** A pair whose answer is one point, well away from where features change. */
static int is_smooth(const sup_posed_shape *a, const sup_posed_shape *b, const sup_point_set *set) {
  for (int k = 0; k < 6; k++) {
    sup_v3          turn = {0, 0, 0};
    double         *t = k % 3 == 0 ? &turn.x : k % 3 == 1 ? &turn.y : &turn.z;
    sup_posed_shape moved = *b;
    *t = k < 3 ? 1e-5 : -1e-5;
    moved.X.R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(turn)), b->X.R);
    sup_point_set other;
    sup_collide_point(a, &moved, 10, -10, &other);
    if (other.count != 1 || sup_v3_norm(sup_v3_sub(other.point[0].b, set->point[0].b)) > 1e-3)
      return 0;
  }
  return set->count == 1;
}

/* d phi / d pose = n . v of the witness on b: for a translation and for a rotation of b. */
static void phi_changes_with_the_normal_velocity_of_the_witness(void) {
  sup_hull    *hull = some_hull();
  test_random  r = {11};
  int          checked = 0;
  const double h = 1e-6;
  for (int i = 0; i < NUM_SHAPES; i++)
    for (int j = 0; j < NUM_SHAPES - 1; j++)
      for (int trial = 0; trial < 10; trial++) {
        sup_shape       sa = some_shape(i, hull), sb = some_shape(j, hull);
        sup_posed_shape a = {&sa, random_frame(&r, .02)}, b = {&sb, random_frame(&r, .12)};
        sup_point_set   set;
        sup_collide_point(&a, &b, 10, -10, &set);
        if (!is_smooth(&a, &b, &set)) continue;
        sup_v3 v = random_vector(&r), w = sup_v3_scale(5, random_vector(&r)), p = set.point[0].b;
        double phi[2];
        for (int side = 0; side < 2; side++) {
          double          s = side ? h : -h;
          sup_posed_shape moved = b;
          sup_point_set   out;
          moved.X.p = sup_v3_madd(b.X.p, s, v);
          moved.X.R = sup_m3_mul(sup_quat_matrix(sup_quat_exp(sup_v3_scale(s, w))), b.X.R);
          sup_collide_point(&a, &moved, 10, -10, &out);
          phi[side] = out.point[0].phi;
        }
        sup_v3 rate = sup_v3_add(v, sup_v3_cross(w, sup_v3_sub(p, b.X.p)));
        NEAR((phi[1] - phi[0]) / (2 * h), sup_v3_dot(set.normal, rate), 0, 2e-4);
        checked++;
      }
  printf("%d pairs ", checked);
  CHECK(checked > 200);
  sup_hull_destroy(&hull);
}

/* Looking from the other body turns the answer around; a rigid motion of both moves it along. */
static void order_and_place_do_not_matter(void) {
  static const int is_flat[NUM_SHAPES] = {1, 1, 1, 0, 1, 0, 1};
  sup_hull        *hull = some_hull();
  test_random      r = {5};
  for (int i = 0; i < NUM_SHAPES; i++)
    for (int j = 0; j < NUM_SHAPES - 1; j++)
      for (int trial = 0; trial < 10; trial++) {
        sup_shape       sa = some_shape(i, hull), sb = some_shape(j, hull);
        sup_posed_shape a = {&sa, random_frame(&r, .02)}, b = {&sb, random_frame(&r, .12)};
        sup_frame       X = random_frame(&r, 1);
        sup_posed_shape ma = {&sa, sup_frame_mul(&X, &a.X)}, mb = {&sb, sup_frame_mul(&X, &b.X)};
        sup_point_set   set, swapped, moved;
        sup_collide_point(&a, &b, 10, .001, &set);
        sup_collide_point(&b, &a, 10, .001, &swapped);
        sup_collide_point(&ma, &mb, 10, .001, &moved);
        sup_v3 n = sup_m3_apply(X.R, set.normal);
        /* deeper than that, several ways out are nearly as near: any of them will do */
        int is_deep = nearest(&set).phi < -.02;
        NEAR(nearest(&swapped).phi, nearest(&set).phi, 0, is_deep ? 5e-4 : 3e-8);
        NEAR(nearest(&moved).phi, nearest(&set).phi, 0, is_deep ? 5e-4 : 3e-8);
        if (is_deep) continue;
        NEAR(sup_v3_norm(sup_v3_add(swapped.normal, set.normal)), 0, 0, 3e-5);
        NEAR(sup_v3_norm(sup_v3_sub(moved.normal, n)), 0, 0, 3e-5);
        if (is_flat[i] && is_flat[j]) CHECK(moved.count == set.count && swapped.count == set.count);
      }
  sup_hull_destroy(&hull);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

static sup_frame at(double x, double y, double z) {
  return (sup_frame){sup_m3_identity(), {x, y, z}};
}
static sup_frame turned(sup_v3 turn, double x, double y, double z) {
  return (sup_frame){sup_quat_matrix(sup_quat_exp(turn)), {x, y, z}};
}

static void check_one(sup_shape sa, sup_frame Xa, sup_shape sb, sup_frame Xb, double phi,
                      sup_v3 normal) {
  sup_posed_shape a = {&sa, Xa}, b = {&sb, Xb};
  sup_point_set   set;
  sup_collide_point(&a, &b, 10, 0, &set);
  CHECK(set.count > 0);
  NEAR(nearest(&set).phi, phi, 1e-12, 1e-15);
  NEAR(sup_v3_norm(sup_v3_sub(set.normal, normal)), 0, 0, 1e-10);
}

static void known_distances(void) {
  sup_shape sphere = {SUP_SHAPE_SPHERE, {.1}}, small = {SUP_SHAPE_SPHERE, {.05}},
            box = {SUP_SHAPE_BOX, {.2, .2, .2}}, rod = {SUP_SHAPE_CAPSULE, {.02, .2}},
            can = {SUP_SHAPE_CYLINDER, {.05, .2}}, egg = {SUP_SHAPE_ELLIPSOID, {.1, .05, .2}},
            floor = {SUP_SHAPE_HALF_SPACE, {0}};
  sup_v3 x = {1, 0, 0}, z = {0, 0, 1}, quarter = {pi / 2, 0, 0};
  check_one(sphere, at(0, 0, 0), small, at(.2, 0, 0), .05, x);
  check_one(sphere, at(0, 0, 0), small, at(.03, 0, 0), -.12, x);
  check_one(small, at(0, 0, 0), box, at(.17, 0, 0), .02, x);
  check_one(box, at(0, 0, 0), small, at(.05, 0, 0), -.1, x); /* its centre inside */
  check_one(small, at(0, 0, 0), box, at(.2, .2, .2), sqrt(3) * .1 - .05,
            sup_v3_unit(sup_v3_make(1, 1, 1)));
  check_one(rod, at(0, 0, 0), rod, turned(quarter, .1, 0, 0), .06, x); /* crossed */
  check_one(rod, at(0, 0, 0), rod, at(0, 0, .25), .01, z);             /* end to end */
  check_one(rod, at(0, 0, 0), rod, at(.03, 0, .05), -.01, x);          /* side by side */
  check_one(small, at(0, 0, 0), egg, at(.16, 0, 0), .01, x);
  check_one(egg, at(0, 0, 0), egg, at(0, .09, 0), -.01, sup_v3_make(0, 1, 0));
  check_one(floor, at(0, 0, 0), can, at(0, 0, .09), -.01, z);
  check_one(floor, at(0, 0, 0), can, turned(quarter, 0, 0, .04), -.01, z);
  check_one(floor, at(0, 0, 0), egg, turned(sup_v3_make(0, pi / 2, 0), 0, 0, .09), -.01, z);
  check_one(can, at(0, 0, 0), box, at(.16, 0, 0), .01, x);
  check_one(can, at(0, 0, 0), can, at(0, 0, .19), -.01, z);
  check_one(rod, turned(quarter, 0, 0, .125), box, at(0, 0, 0), .005, sup_v3_make(0, 0, -1));
  check_one(box, turned(sup_v3_make(0, 0, pi / 4), 0, 0, 0), box,
            turned(sup_v3_make(0, pi / 4, 0), .28, 0, 0), .28 - .2 * sqrt(2),
            x); /* edge against edge */
}

/* Same centres, axes in one line, faces that touch: an answer, finite and along some unit normal.
 */
static void degenerate_configurations_have_an_answer(void) {
  sup_hull *hull = some_hull();
  for (int i = 0; i < NUM_SHAPES; i++)
    for (int j = 0; j < NUM_SHAPES - 1; j++)
      for (int k = 0; k < 4; k++) {
        sup_shape       sa = some_shape(i, hull), sb = some_shape(j, hull);
        sup_posed_shape a = {&sa, at(0, 0, 0)},
                        b = {&sb, k == 0   ? at(0, 0, 0)
                                  : k == 1 ? at(0, 0, .01)
                                  : k == 2 ? at(.1, 0, 0)
                                           : turned(sup_v3_make(0, 0, pi / 4), 0, 0, .14)};
        sup_point_set set;
        sup_collide_point(&a, &b, 10, .001, &set);
        CHECK(set.count > 0);
        NEAR(sup_v3_norm(set.normal), 1, 1e-12, 0);
        if (i < NUM_SHAPES - 1) NEAR(nearest(&set).phi, sup_point_gap(&a, &b, set.normal), 0, 3e-8);
        for (int p = 0; p < set.count; p++) {
          CHECK(isfinite(set.point[p].phi + set.point[p].a.x + set.point[p].b.y));
        }
      }
  sup_hull_destroy(&hull);
}

/** A corner that is a little inside a face ten times as large as its shape is where the contact is:
 * with rounding against it the place was half-way to a corner of the face. */
static void a_corner_touches_a_large_face_where_it_is(void) {
  sup_hull   *hull = some_hull();
  test_random r = {162};
  sup_shape   floor = {SUP_SHAPE_BOX, {4, 3.6, .4}},
            shape[] = {some_shape(3, hull), some_shape(4, hull)};
  for (int i = 0; i < 2000; i++) {
    sup_frame       X = random_frame(&r, 1), local = random_frame(&r, 1.5);
    sup_posed_shape a = {&shape[i % 2], local}, b = {&floor, X};
    sup_v3          lowest = sup_support(&a, sup_v3_make(0, 0, -1));
    local.p.z += .2 - lowest.z - 1e-3 * (1 + test_uniform(&r));
    a.X = sup_frame_mul(&X, &local);
    sup_v3        want = sup_support(&a, sup_v3_scale(-1, sup_m3_column(&X.R, 2)));
    sup_point_set set;
    sup_collide_point(&a, &b, HUGE_VAL, HUGE_VAL, &set);
    sup_witness w = nearest(&set);
    CHECK(set.count > 0 && sup_v3_norm(sup_v3_sub(w.a, want)) < 1e-5);
    CHECK(sup_v3_norm(sup_v3_sub(w.b, w.a)) < 2.1e-3);
  }
  sup_hull_destroy(&hull);
}

static void flat_faces_give_four_points_in_a_stable_order(void) {
  sup_shape box = {SUP_SHAPE_BOX, {.1, .1, .1}}, slab = {SUP_SHAPE_BOX, {1, 1, .1}},
            floor = {SUP_SHAPE_HALF_SPACE, {0}}, can = {SUP_SHAPE_CYLINDER, {.05, .1}},
            rod = {SUP_SHAPE_CAPSULE, {.05, .1}};
  sup_posed_shape b = {&box, at(.01, .02, .0999)}, s = {&slab, at(0, 0, 0)},
                  f = {&floor, at(0, 0, .05)};
  test_random   r = {9};
  sup_point_set first, set;
  for (int k = 0; k < 2; k++) {
    const sup_posed_shape *other = k ? &f : &s;
    sup_collide_point(&b, other, .1, .001, &first);
    CHECK(first.count == 4);
    for (int p = 0; p < 4; p++) {
      NEAR(first.point[p].phi, -1e-4, 1e-9, 0);
      NEAR(fabs(first.point[p].a.x - .01), .05, 1e-12, 0);
      NEAR(fabs(first.point[p].a.y - .02), .05, 1e-12, 0);
    }
    for (int trial = 0; trial < 100; trial++) {
      sup_posed_shape moved = b;
      moved.X = turned(sup_v3_scale(1e-4, random_vector(&r)), .01, .02, .0999);
      sup_collide_point(&moved, other, .1, .001, &set);
      CHECK(set.count == 4);
      for (int p = 0; p < set.count; p++)
        NEAR(sup_v3_norm(sup_v3_sub(set.point[p].a, first.point[p].a)), 0, 0, 1e-4);
    }
    sup_posed_shape far = b;
    far.X.p.z += .05;
    sup_collide_point(&far, other, .1, .001, &set); /* apart: one point, under the middle */
    CHECK(set.count == 1);
    NEAR(hypot(set.point[0].a.x - .01, set.point[0].a.y - .02), 0, 0, 1e-12);
    far.X.p.z += .1;
    sup_collide_point(&far, other, .1, .001, &set);
    CHECK(set.count == 0);
    sup_posed_shape c = {&can, at(.01, .02, .0999)},
                    lying = {&can, turned(sup_v3_make(pi / 2, 0, 0), 0, 0, .0999)},
                    l = {&rod, lying.X};
    sup_collide_point(&c, other, .1, .001, &set);
    CHECK(set.count >= 4);
    for (int reach = 0; reach < 2;
         reach++) { /* a fast cylinder, too, rolls on its lowest line alone */
      sup_collide_point(&lying, other, .1, reach ? .1 : .001, &set);
      CHECK(set.count == 2);
    }
    sup_collide_point(&l, other, .1, .001, &set);
    CHECK(set.count == 2);
  }
}

/* Two boxes about to meet flat, turned by a few degrees against each other so that edges are
 * nearest: besides the crossing, the corners of the faces' overlap that are within reach, each on
 * both surfaces. */
static void nearly_flat_boxes_give_the_corners_they_may_land_on(void) {
  sup_shape   box = {SUP_SHAPE_BOX, {.1, .1, .1}};
  test_random r = {21};
  int         edges = 0, points = 0;
  for (int trial = 0; trial < 2000; trial++) {
    sup_v3 tilt = sup_v3_make(.03 * test_uniform(&r), .03 * test_uniform(&r), 2 * test_uniform(&r)),
           n;
    double          reach = .01;
    int             is_edge;
    sup_posed_shape a = {&box, at(0, 0, 0)},
                    b = {&box, turned(tilt, .06 * test_uniform(&r), .06 * test_uniform(&r), .1005)};
    sup_point_set set;
    double        phi = sup_point_boxes(&a, &b, &n, &is_edge);
    sup_collide_point(&a, &b, .02, reach, &set);
    CHECK(set.count >= 3 &&
          set.count <= 9); /* two squares overlap in a polygon of 3 to 8 corners */
    if (phi <= 0) NEAR(nearest(&set).phi, phi, 0, 1e-6 * sup_point_size(&a, &b));
    check_witnesses(&a, &b, &set);
    for (int k = 0; k < set.count; k++) {
      CHECK(set.point[k].phi > nearest(&set).phi - 1e-9 && set.point[k].phi <= reach);
      for (int l = 0; l < k; l++)
        CHECK(sup_v3_norm(sup_v3_sub(set.point[k].a, set.point[l].a)) > 1e-6);
    }
    edges += is_edge && phi <= 0, points += set.count;
  }
  CHECK(edges > 30);
  printf("%d crossings of edges, %.1f points ", edges, points / 2000.);
}

static void a_hundred_thousand_pairs_of_boxes_agree_with_gjk_and_epa(void) {
  test_random r = {21};
  int         overlapping = 0, edges = 0, compared = 0;
  double      worst_apart = 0, worst_epa = 0;
  for (int trial = 0; trial < 100000; trial++) {
    sup_shape       sa = {SUP_SHAPE_BOX,
                          {.02 + .1 * fabs(test_uniform(&r)), .02 + .1 * fabs(test_uniform(&r)), .1}};
    sup_shape       sb = {SUP_SHAPE_BOX,
                          {.02 + .1 * fabs(test_uniform(&r)), .02 + .1 * fabs(test_uniform(&r)), .1}};
    sup_posed_shape a = {&sa, random_frame(&r, .01)}, b = {&sb, random_frame(&r, .1)};
    sup_point_set   set;
    sup_collide_point(&a, &b, 10, 0, &set);
    double phi = set.count > 0 ? nearest(&set).phi : (double)NAN;
    if (!(isfinite(phi) && fabs(sup_v3_norm(set.normal) - 1) < 1e-12 &&
          set.count <= SUP_POINT_MAX)) {
      CHECK(0);
      continue;
    }
    for (int k = 0; k < set.count; k++)
      if (!isfinite(sup_v3_norm(set.point[k].a) + sup_v3_norm(set.point[k].b))) CHECK(0);
    sup_v3  zero = {0, 0, 0}, n;
    sup_gjk g = sup_gjk_distance(&a, &b, zero, .05);
    if (g.distance > 0) {
      worst_apart = fmax(worst_apart, fabs(g.distance - phi));
      continue;
    }
    overlapping++, edges += set.count == 1;
    if (trial % 10 == 0 && sup_epa_direction(&a, &b, .05, &n)) { /* no way out of EPA is shorter */
      double other = sup_point_gap(&a, &b, n);
      worst_epa = fmax(worst_epa, other - phi);
      compared += fabs(other - phi) < 1e-6;
    }
  }
  printf("%d overlap, apart %.1e, EPA %.1e, same %d ", overlapping, worst_apart, worst_epa,
         compared);
  CHECK(overlapping > 20000 && edges > 1000);
  CHECK(worst_apart < 1e-7);
  CHECK(worst_epa < 1e-7);
  CHECK(compared > overlapping / 20);
}

/** 1: points of two sets are the same to the bit. */
static int are_same(const sup_point_set *a, const sup_point_set *b) {
  if (a->count != b->count || memcmp(&a->normal, &b->normal, sizeof a->normal) != 0) return 0;
  for (int k = 0; k < a->count; k++)
    if (memcmp(&a->point[k], &b->point[k], offsetof(sup_witness, feature)) != 0 ||
        a->point[k].feature != b->point[k].feature)
      return 0;
  return 1;
}

/* Features that a search found are measured again without its distances. */
static void features_give_the_points_of_the_search(void) {
  sup_hull   *hull = some_hull();
  test_random r = {11};
  int         num_middles = 0, num_nearest = 0, num_points = 0;
  for (int i = 0; i < NUM_SHAPES; i++)
    for (int j = 0; j < NUM_SHAPES - 1; j++)
      for (int trial = 0; trial < 60; trial++) {
        sup_shape       sa = some_shape(i, hull), sb = some_shape(j, hull);
        sup_posed_shape a = {&sa, random_frame(&r, .02)}, b = {&sb, random_frame(&r, .12)};
        sup_point_set   set, again;
        int             feature[SUP_POINT_MAX];
        if (trial % 2) a.X.R = b.X.R = sup_m3_identity();
        sup_collide_point(&a, &b, 10, test_between(&r, 1e-4, .1), &set);
        for (int k = 0; k < set.count; k++) {
          feature[k] = set.point[k].feature;
          num_middles += feature[k] == SUP_POINT_MIDDLE;
          num_nearest += feature[k] == SUP_POINT_NEAREST, num_points++;
        }
        sup_measure_point(&a, &b, feature, set.count, &again);
        CHECK(set.count > 0 && are_same(&set, &again));
      }
  printf("%d points, %d nearest, %d middles ", num_points, num_nearest, num_middles);
  CHECK(num_middles > 50 && num_nearest > 50 && num_points > 3000);
  sup_hull_destroy(&hull);
}

SUITE_TESTS(point, TEST(known_distances), TEST(degenerate_configurations_have_an_answer),
            TEST(a_corner_touches_a_large_face_where_it_is),
            TEST(flat_faces_give_four_points_in_a_stable_order),
            TEST(nearly_flat_boxes_give_the_corners_they_may_land_on),
            TEST(a_hundred_thousand_pairs_of_boxes_agree_with_gjk_and_epa),
            TEST(every_pair_has_the_distance_of_a_brute_force_search),
            TEST(half_spaces_see_the_lowest_point),
            TEST(phi_changes_with_the_normal_velocity_of_the_witness),
            TEST(order_and_place_do_not_matter), TEST(features_give_the_points_of_the_search));
