#include <string.h>

#include "geom/bvh.h"
#include "geom/clip.h"
#include "geom/polygon.h"
#include "geom/shape.h"
#include "test.h"

/** A triangular prism, its faces given by hand. */
static double wedge_point[18] = {0, -.1, -.05, .12, -.1, -.05, 0, -.1, .1,
                                 0, .1,  -.05, .12, .1,  -.05, 0, .1,  .1};
static int    wedge_triangle[24] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1,
                                    0, 2, 5, 0, 5, 3, 1, 4, 5, 1, 5, 2};
#define SLANT 0.78086880944303039, 0, 0.62469504755442429 /* (0.15, 0, 0.12) */
static double   wedge_normal[24] = {0, -1, 0,  0, 1, 0,  0, 0, -1,    0,
                                    0, -1, -1, 0, 0, -1, 0, 0, SLANT, SLANT};
static sup_hull wedge = {6, wedge_point, 8, wedge_triangle, wedge_normal};

static const sup_shape shapes[] = {
    {SUP_SHAPE_HALF_SPACE, {0}},          {SUP_SHAPE_BOX, {.2, .3, .1}},
    {SUP_SHAPE_CYLINDER, {.1, .25}},      {SUP_SHAPE_SPHERE, {.15}},
    {SUP_SHAPE_CAPSULE, {.08, .2}},       {SUP_SHAPE_ELLIPSOID, {.1, .06, .15}},
    {SUP_SHAPE_ELLIPSOID, {.1, .1, .05}}, {SUP_SHAPE_CONVEX, {0}, &wedge}};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

static sup_v3 random_point(test_random *random, double size) {
  double x = test_uniform(random), y = test_uniform(random), z = test_uniform(random);
  return sup_v3_make(size * x, size * y, size * z);
}

static void known_depths(void) {
  sup_v3 g;
  NEAR(sup_shape_depth(&shapes[1], sup_v3_make(.12, .19, 0), &g), hypot(.02, .04), 1e-14, 0);
  NEAR(sup_shape_depth(&shapes[1], sup_v3_make(.01, -.02, .045), &g), -.005, 1e-14, 1e-16);
  CHECK(g.z == 1);
  NEAR(sup_shape_depth(&shapes[2], sup_v3_make(.13, 0, .165), &g), .05, 1e-14, 0);
  NEAR(sup_shape_depth(&shapes[2], sup_v3_make(0, .02, -.12), &g), -.005, 1e-12, 0);
  NEAR(sup_shape_depth(&shapes[4], sup_v3_make(0, .1, .05), &g), .02, 1e-14, 0);
  NEAR(sup_shape_depth(&shapes[3], sup_v3_make(0, 0, 0), &g), -.15, 1e-14, 0);
  NEAR(sup_v3_norm(g), 1, 1e-15, 0);
}

/* |gradient| = 1, gradient = finite differences, and p - depth gradient lies on the surface (exact
 * distance). */
static void depth_is_an_exact_distance_with_its_gradient(void) {
  test_random random = {5};
  for (int s = 0; s < NUM_SHAPES; s++)
    for (int trial = 0; trial < 400; trial++) {
      sup_v3 p = random_point(&random, .25), g, unused;
      double depth = sup_shape_depth(&shapes[s], p, &g), h = 1e-6;
      NEAR(sup_v3_norm(g), 1, 1e-13, 0);
      sup_v3 foot = sup_v3_madd(p, -depth, g);
      NEAR(sup_shape_depth(&shapes[s], foot, &unused), 0, 0, 1e-13);
      double fd[3];
      for (int i = 0; i < 3; i++) {
        double step[3] = {0, 0, 0};
        step[i] = h;
        sup_v3 up = sup_v3_add(p, sup_v3_load(step)), down = sup_v3_sub(p, sup_v3_load(step)), gu,
               gd;
        double a = sup_shape_depth(&shapes[s], up, &gu), b = sup_shape_depth(&shapes[s], down, &gd);
        fd[i] =
            sup_v3_dot(gu, gd) > .99 ? (a - b) / (2 * h) : (double)NAN; /* the medial set crossed */
      }
      if (isnan(fd[0] + fd[1] + fd[2])) continue;
      NEAR(fd[0], g.x, 0, 1e-5);
      NEAR(fd[1], g.y, 0, 1e-5);
      NEAR(fd[2], g.z, 0, 1e-5);
    }
}

static void bounds_hold_every_inside_point(void) {
  test_random random = {8};
  for (int s = 1; s < NUM_SHAPES; s++)
    for (int trial = 0; trial < 300; trial++) {
      sup_frame X = {sup_quat_matrix(sup_quat_exp(random_point(&random, 3))),
                     random_point(&random, 1)};
      sup_v3    lower, upper, p = random_point(&random, .3), g;
      sup_shape_bounds(&shapes[s], &X, 0, &lower, &upper);
      if (sup_shape_depth(&shapes[s], p, &g) > 0) continue;
      CHECK(sup_v3_norm(p) <= sup_shape_radius(&shapes[s]) + 1e-12);
      sup_v3 w = sup_frame_apply(&X, p);
      CHECK(w.x >= lower.x && w.y >= lower.y && w.z >= lower.z && w.x <= upper.x &&
            w.y <= upper.y && w.z <= upper.z);
    }
}

static void bvh_finds_what_brute_force_finds_also_after_refit(void) {
  enum { N = 257 };
  test_random         random = {3};
  sup_box             box[N];
  static sup_bvh_node node[2 * N - 1];
  for (int i = 0; i < N; i++) {
    sup_v3 p = random_point(&random, 1);
    box[i] = sup_box_add(sup_box_add(sup_box_empty(), p), sup_v3_add(p, sup_v3_make(.1, .05, .02)));
  }
  sup_bvh *bvh;
  OK(sup_bvh_create(&bvh, N, box));
  for (int round = 0; round < 3; round++) {
    sup_bvh_refit(bvh, box, node);
    for (int q = 0; q < 50; q++) {
      sup_v3  p = random_point(&random, 1);
      sup_box query =
          sup_box_add(sup_box_add(sup_box_empty(), p), sup_v3_add(p, sup_v3_make(.2, .3, .1)));
      int found[N], count = sup_bvh_query(node, &query, found), seen[N] = {0}, expected = 0;
      for (int i = 0; i < count; i++) seen[found[i]]++;
      for (int i = 0; i < N; i++) {
        int hit = sup_box_overlap(&box[i], &query);
        expected += hit;
        CHECK(seen[i] == hit);
      }
      CHECK(count == expected);
      sup_v3 normal = sup_v3_unit(random_point(&random, 1));
      int    below = sup_bvh_query_half_space(node, normal, -.5, found), corners_below = 0;
      for (int i = 0; i < N; i++) {
        int hit = 0;
        for (int c = 0; c < 8; c++)
          hit |= sup_v3_dot(normal, sup_v3_make(c & 1 ? box[i].upper.x : box[i].lower.x,
                                                c & 2 ? box[i].upper.y : box[i].lower.y,
                                                c & 4 ? box[i].upper.z : box[i].lower.z)) <= -.5;
        corners_below += hit;
      }
      CHECK(below == corners_below);
    }
    for (int i = 0; i < N; i++) {
      sup_v3 d = random_point(&random, .3);
      box[i] = (sup_box){sup_v3_add(box[i].lower, d), sup_v3_add(box[i].upper, d)};
    }
  }
  sup_bvh_destroy(&bvh);
}

/** Central difference of the gradient along d, extrapolated; *error: how far two widths differ. */
static sup_v3 turn_by_differences(const sup_shape *shape, sup_v3 p, sup_v3 d, double *error) {
  sup_v3 turn[2], up, down;
  for (int k = 0; k < 2; k++) {
    double h = k ? 1e-5 : 2e-5;
    sup_shape_depth(shape, sup_v3_madd(p, h, d), &up);
    sup_shape_depth(shape, sup_v3_madd(p, -h, d), &down);
    turn[k] = sup_v3_scale(0.5 / h, sup_v3_sub(up, down));
  }
  sup_v3 change = sup_v3_sub(turn[1], turn[0]);
  *error = sup_v3_norm(change);
  return sup_v3_madd(turn[1], 1. / 3, change);
}

/** Points where differences of two widths agree: not at the medial set and borders of features, at
 * which the gradient or its derivative jumps. */
static void gradients_turn_as_their_differences_say(void) {
  test_random random = {47};
  for (int s = 0; s < NUM_SHAPES; s++) {
    int num_smooth = 0, num_turning = 0;
    for (int trial = 0; trial < 1000; trial++) {
      sup_v3 p = random_point(&random, .25), d = sup_v3_unit(random_point(&random, 1));
      double error;
      sup_v3 differences = turn_by_differences(&shapes[s], p, d, &error);
      if (!(error < 1e-4)) continue;
      sup_v3 turn = sup_shape_turn(&shapes[s], p, d);
      NEAR(sup_v3_norm(sup_v3_sub(turn, differences)), 0, 0, 1e-7);
      num_smooth++, num_turning += sup_v3_norm(turn) > 1;
    }
    CHECK(num_smooth > 700 && (s == 0 || num_turning > 100));
  }
}

static void clipped_parts_add_up_to_the_triangle(void) {
  test_random random = {17};
  for (int trial = 0; trial < 2000; trial++) {
    double      level[3], opposite[3];
    sup_clipped in, out;
    for (int i = 0; i < 3; i++) level[i] = test_uniform(&random), opposite[i] = -level[i];
    sup_clip_triangle(level, &in);
    sup_clip_triangle(opposite, &out);
    NEAR(in.fraction + out.fraction, 1, 1e-13, 0);
    for (int c = 0; c < 3; c++)
      NEAR(in.fraction * in.centroid[c] + out.fraction * out.centroid[c], 1. / 3, 1e-13, 0);
    for (int i = 0; i < in.num_points; i++) {
      double at = 0;
      for (int c = 0; c < 3; c++) at += in.weight[i][c] * level[c];
      CHECK(at <= 1e-15);
    }
  }
  double      touching[3] = {0, 1, 0};
  sup_clipped none;
  sup_clip_triangle(touching, &none);
  CHECK(none.num_points == 0 && none.fraction == 0);
}

/** Mean over a part of the product of two functions, linear with these values at the triangle's
 * corners: by the middles of the edges of its fan. */
static double mean_over(const sup_clipped *part, const double f[3], const double g[3]) {
  double sum = 0, whole = 0;
  for (int k = 1; k + 1 < part->num_points; k++) {
    const double *at[3] = {part->weight[0], part->weight[k], part->weight[k + 1]};
    double        area = (at[1][1] - at[0][1]) * (at[2][2] - at[0][2]) -
                  (at[1][2] - at[0][2]) * (at[2][1] - at[0][1]);
    for (int e = 0; e < 3; e++) {
      double x = 0, y = 0;
      for (int c = 0; c < 3; c++) {
        double w = .5 * (at[e][c] + at[(e + 1) % 3][c]);
        x += w * f[c], y += w * g[c];
      }
      sum += area * x * y / 3;
    }
    whole += area;
  }
  return sum / whole;
}

static void thirds_of_a_part_integrate_products_of_linear_functions(void) {
  test_random random = {29};
  for (int trial = 0; trial < 2000; trial++) {
    double      level[3], f[3], g[3], sum = 0, covered = 0;
    sup_clipped part, third[3];
    for (int i = 0; i < 3; i++) {
      level[i] = test_uniform(&random) - (trial % 10 == 0 ? 2 : 0);
      f[i] = test_uniform(&random), g[i] = test_uniform(&random);
    }
    sup_clip_triangle(level, &part);
    if (part.num_points == 0) continue;
    sup_clip_thirds(&part, third);
    for (int k = 0; k < 3; k++) {
      double x = 0, y = 0, at = 0;
      for (int c = 0; c < 3; c++) {
        x += third[k].centroid[c] * f[c], y += third[k].centroid[c] * g[c];
        at += third[k].centroid[c] * level[c];
        CHECK(third[k].centroid[c] > 0);
      }
      CHECK(at < 0); /* inside of the part */
      NEAR(third[k].fraction, part.fraction / 3, 1e-13, 0);
      sum += x * y / 3;
      for (int i = 1; i + 1 < third[k].num_points; i++) {
        const double *a = third[k].weight[0], *b = third[k].weight[i], *c = third[k].weight[i + 1];
        covered += (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
      }
    }
    NEAR(sum, mean_over(&part, f, g), 1e-12, 1e-13);
    NEAR(covered, part.fraction, 1e-12, 1e-15); /* the sectors fill the part */
  }
  double      inside[3] = {-1, -1, -1};
  sup_clipped whole, third[3];
  sup_clip_triangle(inside, &whole);
  sup_clip_thirds(&whole, third);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++)
      NEAR(third[k].centroid[c], c == (k + 1) % 3 ? 2. / 3 : 1. / 6, 1e-14, 0);
}

/** Corners that stay inside where their level has changed its sign: fractions and centroids are the
 * same functions of the levels on both sides. */
static void parts_of_known_corners_follow_their_levels_past_zero(void) {
  test_random random = {37};
  for (int trial = 0; trial < 200; trial++) {
    double a = 1e-3 * test_uniform(&random), b = 0.6 + 0.4 * test_uniform(&random),
           c = 0.6 + 0.4 * test_uniform(&random), s = a / (a - b), t = a / (a - c);
    sup_clipped corner, rest;
    sup_clip_triangle_with((double[]){a, b, c}, 1, &corner);
    NEAR(corner.fraction, s * t, 1e-12, 1e-18);
    NEAR(corner.centroid[1], s / 3, 1e-10, 1e-15);
    NEAR(corner.centroid[2], t / 3, 1e-10, 1e-15);
    sup_clip_triangle_with((double[]){-a, -b, -c}, 6, &rest);
    NEAR(rest.fraction, 1 - s * t, 1e-14, 0);
    for (int i = 0; i < 3; i++)
      NEAR(rest.fraction * rest.centroid[i] + corner.fraction * corner.centroid[i], 1. / 3, 1e-13,
           0);
  }
}

/** Thirds of known corners move by as little as the part: their order does not jump. */
static void thirds_keep_their_order_near_a_part(void) {
  test_random random = {41};
  for (int trial = 0; trial < 20000; trial++) {
    double      level[3], near[3], most = 0;
    sup_clipped part, third[3], other[3];
    for (int i = 0; i < 3; i++) level[i] = test_uniform(&random);
    for (int i = 0; i < 3; i++) near[i] = level[i] * (1 + 1e-3 * test_uniform(&random));
    sup_clip_triangle(level, &part);
    if (part.num_points == 0) continue;
    sup_clip_thirds(&part, third);
    sup_clip_triangle_with(near, sup_clip_inside(level), &part);
    sup_clip_thirds(&part, other);
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++)
        most = fmax(most, fabs(other[k].centroid[c] - third[k].centroid[c]));
    CHECK(most < 2e-2);
  }
}

/** Fraction and centroid of a part with known corners, or of a third of it. */
static sup_clipped known_part(const double level[3], unsigned inside, int third) {
  sup_clipped part, thirds[3];
  sup_clip_triangle_with(level, inside, &part);
  if (third == 0) return part;
  sup_clip_thirds(&part, thirds);
  return thirds[third - 1];
}

static void derivatives_of_a_part_are_those_of_its_differences(void) {
  static const double h = 1e-5;
  test_random         random = {43};
  for (int trial = 0; trial < 400; trial++) {
    double          level[3];
    sup_clip_slopes slope;
    int             third = trial % 4;
    for (int i = 0; i < 3; i++) {
      double u = test_uniform(&random);
      level[i] = u + (u < 0 ? -0.2 : 0.2);
    }
    unsigned inside = sup_clip_inside(level);
    if (inside == 0) continue;
    sup_clip_gradient(level, inside, third, &slope);
    for (int l = 0; l < 3; l++) {
      double up[3] = {level[0], level[1], level[2]}, down[3] = {level[0], level[1], level[2]};
      up[l] += h, down[l] -= h;
      sup_clipped above = known_part(up, inside, third), below = known_part(down, inside, third);
      NEAR(slope.fraction[l], (above.fraction - below.fraction) / (2 * h), 0, 1e-8);
      for (int c = 0; c < 3; c++)
        NEAR(slope.centroid[c][l], (above.centroid[c] - below.centroid[c]) / (2 * h), 0, 1e-8);
    }
  }
}

/** Corners told in another order, the other way round, too, have the same points. */
static void thirds_of_a_part_do_not_know_which_corner_is_first(void) {
  static const int order[5][3] = {{1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  test_random      random = {31};
  for (int trial = 0; trial < 500; trial++) {
    double      level[3], turned[3];
    sup_clipped part, third[3], other[3];
    for (int i = 0; i < 3; i++) level[i] = test_uniform(&random);
    sup_clip_triangle(level, &part);
    if (part.num_points == 0) continue;
    sup_clip_thirds(&part, third);
    for (int k = 0; k < 5; k++) {
      for (int i = 0; i < 3; i++) turned[i] = level[order[k][i]];
      sup_clip_triangle(turned, &part);
      sup_clip_thirds(&part, other);
      for (int a = 0; a < 3; a++) {
        double nearest = HUGE_VAL;
        for (int b = 0; b < 3; b++) {
          double square = 0;
          for (int i = 0; i < 3; i++) {
            double d = other[b].centroid[i] - third[a].centroid[order[k][i]];
            square += d * d;
          }
          nearest = fmin(nearest, sqrt(square));
        }
        NEAR(nearest, 0, 0, 1e-8);
      }
    }
  }
}

/** Corners that come and go with round-off: on a side, twice in the same place. */
static void a_polygon_loses_corners_that_do_not_turn(void) {
  const double s = 1e-3, x[6][2] = {{0, 0}, {s, 0}, {s, 1e-17}, {s / 2, s / 2}, {0, s}, {0, s / 3}};
  sup_polygon  p = {.num_points = 6}, flat = {.num_points = 3};
  for (int i = 0; i < 6; i++) p.point[i] = sup_v3_make(x[i][0], x[i][1], .1);
  for (int i = 0; i < 3; i++) flat.point[i] = sup_v3_make(i * s, i == 1 ? 1e-14 : 0, .1);
  sup_polygon_simplify(&p), sup_polygon_simplify(&flat);
  sup_v3 centroid, area = sup_polygon_area(&p, &centroid);
  CHECK(p.num_points == 3 && flat.num_points == 0);
  NEAR(area.z, s * s / 2, 1e-9, 0);
}

SUITE_TESTS(geom, TEST(known_depths), TEST(depth_is_an_exact_distance_with_its_gradient),
            TEST(bounds_hold_every_inside_point),
            TEST(bvh_finds_what_brute_force_finds_also_after_refit),
            TEST(gradients_turn_as_their_differences_say),
            TEST(clipped_parts_add_up_to_the_triangle),
            TEST(parts_of_known_corners_follow_their_levels_past_zero),
            TEST(thirds_keep_their_order_near_a_part),
            TEST(derivatives_of_a_part_are_those_of_its_differences),
            TEST(thirds_of_a_part_integrate_products_of_linear_functions),
            TEST(thirds_of_a_part_do_not_know_which_corner_is_first),
            TEST(a_polygon_loses_corners_that_do_not_turn));
