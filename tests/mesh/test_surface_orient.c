#include "mesh/surface_orient.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/format/surface_file.h"
#include "mesh/surface_check.h"
#include "test.h"

enum { CUBE_TRIANGLES = 12, MAX_TRIANGLES = 4 * CUBE_TRIANGLES, MAX_POINTS = 4 * 8 };

typedef struct soup {
  int    num_points, num_triangles;
  double point[3 * MAX_POINTS];
  int    triangle[3 * MAX_TRIANGLES];
} soup;

/** A cube about (x, 0, 0); outwards, or inwards. */
static void add_cube(soup *s, double x, double edge, int is_inwards) {
  static const int face[3 * CUBE_TRIANGLES] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6,
                                               0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7,
                                               0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  for (int i = 0; i < 8; i++) {
    double *p = s->point + 3 * (s->num_points + i);
    for (int k = 0; k < 3; k++) p[k] = (k == 0 ? x : 0) + edge * ((i >> k & 1) - 0.5);
  }
  for (int t = 0; t < CUBE_TRIANGLES; t++)
    for (int k = 0; k < 3; k++)
      s->triangle[3 * (s->num_triangles + t) + k] =
          s->num_points + face[3 * t + (is_inwards ? 2 - k : k)];
  s->num_points += 8, s->num_triangles += CUBE_TRIANGLES;
}

static void turn_one(soup *s, int t) {
  int *v = s->triangle + 3 * t, keep = v[0];
  v[0] = v[1], v[1] = keep;
}

static int orient(soup *s) {
  int turned;
  OK(sup_surface_orient(s->point, s->num_triangles, s->triangle, &turned));
  return turned;
}

static double volume_of(const soup *s) {
  double sum = 0;
  for (int t = 0; t < s->num_triangles; t++) {
    const double *x[3];
    for (int k = 0; k < 3; k++) x[k] = s->point + 3 * s->triangle[3 * t + k];
    sum += sup_v3_dot(sup_v3_load(x[0]), sup_v3_cross(sup_v3_load(x[1]), sup_v3_load(x[2]))) / 6;
  }
  return sum;
}

static void check_closed(const soup *s, double volume) {
  const sup_triangle_list list = {s->num_points, s->num_triangles, s->point, s->triangle};
  OK(sup_surface_check_closed(&list));
  NEAR(volume_of(s), volume, 1e-12, 0);
}

static void what_is_right_stays(void) {
  soup s = {0}, before;
  add_cube(&s, 0, 2, 0);
  add_cube(&s, 5, 1, 0);
  before = s;
  CHECK(orient(&s) == 0 && memcmp(&s, &before, sizeof s) == 0);
  check_closed(&s, 9);
}

static void a_part_that_is_inside_out_is_turned(void) {
  soup s = {0};
  add_cube(&s, 0, 2, 1);
  add_cube(&s, 5, 1, 0);
  CHECK(orient(&s) == CUBE_TRIANGLES);
  check_closed(&s, 9);
}

/** Any mixture of sides comes out the same, and the count is that of what was wrong. */
static void any_mixture_of_sides_comes_out_outwards(void) {
  test_random random = {5};
  for (int round = 0; round < 200; round++) {
    soup s = {0};
    int  wrong = 0;
    add_cube(&s, 0, 2, 0);
    add_cube(&s, 5, 1, 0);
    for (int t = 0; t < s.num_triangles; t++)
      if (test_uniform(&random) > 0) turn_one(&s, t), wrong++;
    CHECK(orient(&s) == wrong);
    check_closed(&s, 9);
  }
}

/** A hollow stays a hollow: also in a file that is inside out, and where its triangles disagree. */
static void hollows_stay_hollow(void) {
  for (int is_inwards = 0; is_inwards < 2; is_inwards++)
    for (int is_divided = 0; is_divided < 2; is_divided++) {
      soup s = {0};
      add_cube(&s, 0, 3, is_inwards);
      add_cube(&s, 0, 1, !is_inwards);
      if (is_divided) turn_one(&s, CUBE_TRIANGLES + 3);
      orient(&s);
      check_closed(&s, 27 - 1);
    }
  /* a body in a hollow, all of them mixed */
  soup s = {0};
  add_cube(&s, 0, 3, 0);
  add_cube(&s, 0, 2, 0);
  add_cube(&s, 0, 1, 1);
  for (int k = 0; k < 3; k++) turn_one(&s, CUBE_TRIANGLES * k + 2 * k);
  orient(&s);
  check_closed(&s, 27 - 8 + 1);
}

/** A body drawn within another, both outwards, was meant so: two bodies, no hollow. */
static void bodies_within_bodies_stay_bodies(void) {
  soup s = {0};
  add_cube(&s, 0, 3, 0);
  add_cube(&s, 0, 1, 0);
  CHECK(orient(&s) == 0);
  check_closed(&s, 28);
}

static void open_parts_take_the_side_of_most(void) {
  soup s = {0};
  add_cube(&s, 0, 1, 0);
  s.num_triangles -= 1;
  turn_one(&s, 4);
  CHECK(orient(&s) == 1);
  NEAR(volume_of(&s), 1 - 1. / 12, 1e-12, 0); /* each triangle carries as much of the volume */
}

/** Five triangles in a strip that is joined with a twist have one side. */
static void a_moebius_strip_is_left_alone(void) {
  soup s = {.num_points = 5, .num_triangles = 5};
  for (int i = 0; i < 5; i++) {
    s.point[3 * i] = cos(1.256637 * i), s.point[3 * i + 1] = sin(1.256637 * i);
    s.point[3 * i + 2] = i % 2;
    for (int k = 0; k < 3; k++) s.triangle[3 * i + k] = (i + (i % 2 && k ? 3 - k : k)) % 5;
  }
  soup before = s;
  CHECK(orient(&s) == 0 && memcmp(&s, &before, sizeof s) == 0);
}

static void holes_are_counted_and_placed(void) {
  soup s = {0};
  add_cube(&s, 0, 2, 0);
  add_cube(&s, 5, 1, 0);
  /* the two triangles of one face of the first cube, one triangle of the second */
  memmove(s.triangle, s.triangle + 6, (size_t)(3 * s.num_triangles - 6) * sizeof *s.triangle);
  s.num_triangles -= 3;
  const sup_triangle_list list = {s.num_points, s.num_triangles, s.point, s.triangle};
  FAILS(sup_surface_check_closed(&list), SUP_E_GEOMETRY,
        "the surface is not closed: 7 edges are open, the first belongs to triangle ");
  CHECK(strstr(sup_error_message(),
               "; 2 holes: 4 edges of 8 m together about (0, 0, -1) m; 3 edges of 3.41 m together "
               "about (5.5, ") != NULL);
}

static void readers_turn_and_count(void) {
  static const char text[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 4 3\n"
      "f 2 3 4\n";
  const double       scale[2][3] = {{1, 1, 1}, {1, 1, -1}};
  sup_surface       *surface;
  sup_surface_repair repair;
  double            *points;
  char               say[256];
  for (int k = 0; k < 2; k++) {
    OK(sup_surface_parse(&surface, &points, "a.obj", text, strlen(text), scale[k], &repair));
    CHECK(repair.triangles_turned == 1);
    NEAR(sup_surface_volume(surface, points), 1. / 6, 1e-12, 0);
    sup_surface_repair_text(&repair, surface->num_faces, say, sizeof say);
    CHECK(strcmp(say, "1 of 4 triangles were turned to face outwards as their neighbours do") == 0);
    sup_surface_destroy(&surface);
    SUP_FREE(points);
  }
}

SUITE_TESTS(surface_orient, TEST(what_is_right_stays), TEST(a_part_that_is_inside_out_is_turned),
            TEST(any_mixture_of_sides_comes_out_outwards), TEST(hollows_stay_hollow),
            TEST(bodies_within_bodies_stay_bodies), TEST(open_parts_take_the_side_of_most),
            TEST(a_moebius_strip_is_left_alone), TEST(holes_are_counted_and_placed),
            TEST(readers_turn_and_count));
