/* Lengths, sizes and places that are equal up to round-off: it chooses none of them. */
#include "mesh/distribute/point_rank.h"
#include "mesh/quadratic.h"
#include "mesh/surface.h"
#include "mesh/surface_check.h"
#include "test.h"

enum { EQUAL, LONGER, SHORTER, NUM_CASES };
static const double slight[NUM_CASES] = {0, 5e-10, -5e-10}, clear[NUM_CASES] = {0, 4e-9, -4e-9};

/** First vertex of the longest side of a triangle, one of whose long sides has a larger square. */
static int longest_side(double excess) {
  double       x[] = {-.5, 0, 0, .5, 0, 0, 2.125 * excess, 2, 0};
  sup_surface *surface;
  OK(sup_surface_create(&surface, 3, 1, 3));
  for (int k = 0; k < 3; k++) surface->face[k] = k;
  OK(sup_surface_turn_faces(surface, x));
  int first = surface->face[0];
  sup_surface_destroy(&surface);
  return first;
}

static void round_off_does_not_choose_the_longest_side(void) {
  for (int k = 1; k < NUM_CASES; k++) CHECK(longest_side(slight[k]) == longest_side(0));
  CHECK(longest_side(clear[LONGER]) == 2 && longest_side(clear[SHORTER]) == 1);
}

/** Diagonal about which a cell is cut, whose diagonal 4 to 9 has this excess and joins the shorter
 * edges. */
static int diagonal(double excess) {
  double y = .5 * (1 + excess), x[30] = {0, 0, 0,  1,   0, 0, 0, 2, 0, 1,  2, 0, 0, -y, 0,
                                         0, 0, -1, -.5, 0, 0, 0, 0, 1, .5, 0, 0, 0, y,  0};
  int    tet[8][4];
  sup_t10_cut(x, tet);
  return tet[4][0];
}

static void round_off_does_not_choose_the_shortest_diagonal(void) {
  for (int k = 0; k < NUM_CASES; k++) CHECK(diagonal(slight[k]) == 4);
  CHECK(diagonal(clear[LONGER]) == 6 && diagonal(clear[SHORTER]) == 4);
}

/** 1: the first two of three points are alike, one of which is farther from the mean. */
static int are_alike(double excess) {
  double x[] = {1 + excess, 0, 0, -1, 0, 0, 0, 1, 0};
  int    rank[3], alike[3];
  OK(sup_point_rank(3, x, rank, alike));
  return alike[0] == alike[1];
}

static void round_off_does_not_make_points_different(void) {
  for (int k = 0; k < NUM_CASES; k++) CHECK(are_alike(slight[k]));
  CHECK(!are_alike(clear[LONGER]) && !are_alike(clear[SHORTER]));
}

static void digits_of_single_precision_leave_a_triangle_flat(void) {
  static const int triangle[] = {0, 1, 2};
  double           x[] = {0, 0, 0, 1, 0, 0, .5, 2e-7, 0};
  OK(sup_surface_check_flat(&(sup_triangle_list){3, 1, x, triangle}));
  x[7] = 5e-8;
  FAILS(sup_surface_check_flat(&(sup_triangle_list){3, 1, x, triangle}), SUP_E_GEOMETRY,
        "triangle 1 (counted from 1) is flat");
}

SUITE_TESTS(ties, TEST(round_off_does_not_choose_the_longest_side),
            TEST(round_off_does_not_choose_the_shortest_diagonal),
            TEST(round_off_does_not_make_points_different),
            TEST(digits_of_single_precision_leave_a_triangle_flat));
