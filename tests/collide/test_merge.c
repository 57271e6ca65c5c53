/* Polygons of one pair of cells become one contact: what they carry together stays. */
#include "collide/merge.h"

#include "base/memory.h"
#include "collide/collide.h"
#include "measure/contact_pressure.h"
#include "test.h"

/** Sums over contacts at the step's start: force k (-phi) n, moment about the origin, energy k
 * (phi^2 + spread)/2. */
typedef struct sums {
  sup_v3 force, moment;
  double stiffness, energy;
} sums;

static sums sum_of(const sup_contact *c, int n) {
  sums s = {{0, 0, 0}, {0, 0, 0}, 0, 0};
  for (int i = 0; i < n; i++) {
    double k = c[i].slope * c[i].area;
    sup_v3 f = sup_v3_scale(-k * c[i].phi, c[i].normal);
    s.force = sup_v3_add(s.force, f),
    s.moment = sup_v3_add(s.moment, sup_v3_cross(c[i].centroid, f));
    s.stiffness += k, s.energy += .5 * k * (c[i].phi * c[i].phi + c[i].spread);
  }
  return s;
}

/** A triangle of size h at (x, y, z) with this normal, depth and slope, carried by one corner of a
 * brick. */
static sup_contact piece(double x, double y, double h, double depth, double slope, sup_v3 normal) {
  sup_contact c = {
      .cell_a = 3, .cell_b = 7, .area = .5 * h * h, .facing = 1, .phi = -depth, .slope = slope};
  c.penetration = depth, c.spread = depth * depth * 1e-2, c.normal = normal;
  c.num_points = 3;
  c.point[0] = sup_v3_make(x, y, 0), c.point[1] = sup_v3_make(x + h, y, 0),
  c.point[2] = sup_v3_make(x, y + h, 0);
  c.centroid = sup_v3_make(x + h / 3, y + h / 3, 0);
  c.carrier_a.num_vertices = 2, c.carrier_a.vertex[0] = 4, c.carrier_a.vertex[1] = 5;
  c.carrier_a.weight[0] = 1 - x, c.carrier_a.weight[1] = x;
  return c;
}

/** Merge some pieces whose normals are tilted by up to `angle`; errors of the sums over their size
 * in `error` [3]. */
static void merge(double angle, double error[3]) {
  enum { COUNT = 6 };
  test_random      r = {7};
  sup_contact_list list = {.count = 0};
  OK(SUP_GROW(list.contact, list.capacity, COUNT));
  for (int i = 0; i < COUNT; i++) {
    double tilt = angle * test_uniform(&r), turn = 3 * test_uniform(&r);
    sup_v3 normal = sup_v3_make(sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt));
    double u[5]; /* in this order with every compiler */
    for (int k = 0; k < 5; k++) u[k] = test_uniform(&r);
    list.contact[list.count++] = piece(.2 + .1 * u[0], .1 * u[1], .1 + .05 * u[2],
                                       2e-3 + 1e-3 * u[3], 1e6 + 5e5 * u[4], normal);
    list.contact[i].item_a = i;
  }
  sums   before = sum_of(list.contact, COUNT);
  double at = 0, weight = 0; /* the force's mean of what the carriers interpolate */
  for (int i = 0; i < COUNT; i++) {
    double f = -list.contact[i].phi * list.contact[i].slope * list.contact[i].area;
    at += f * list.contact[i].carrier_a.weight[1], weight += f;
  }
  OK(sup_contacts_merge(&list, 0));
  CHECK(list.count == 1);
  sums               after = sum_of(list.contact, list.count);
  const sup_carrier *c = &list.contact[0].carrier_a;
  NEAR(c->weight[0] + c->weight[1], 1, 1e-14, 0);
  NEAR(c->weight[1], at / weight, 1e-14, 0);
  error[0] = sup_v3_norm(sup_v3_sub(after.force, before.force)) / sup_v3_norm(before.force);
  error[1] = sup_v3_norm(sup_v3_sub(after.moment, before.moment)) / sup_v3_norm(before.moment);
  error[2] = fabs(after.energy - before.energy) / before.energy;
  sup_contact_list_free(&list);
}

/* Coplanar pieces: force, moment and energy to round-off. */
static void merged_pieces_of_a_plane_carry_the_same(void) {
  double error[3];
  merge(0, error);
  for (int k = 0; k < 3; k++) CHECK(error[k] < 1e-14);
}

/* Bent surfaces: force and moment of first order in the angle, since normals are averaged by area,
   not by the pressure that differs from piece to piece (on a mesh both shrink with the cells:
   second order); energy of second order.  The pressures differ by a fifth from their mean, and so
   much of the angle is the error. */
static void merging_a_bent_surface_has_an_order(void) {
  static const double order[3] = {1, 1, 2};
  double              coarse[3], fine[3];
  merge(.1, coarse), merge(.05, fine);
  for (int k = 0; k < 3; k++) {
    NEAR(log2(coarse[k] / fine[k]), order[k], .05, 0);
    CHECK(coarse[k] < .2 * .1);
  }
}

/** k/2 times the square of the overlap and its spread. */
static double stored(const sup_contact *c) {
  double overlap = c->phi * sup_contact_stored_share(c);
  return .5 * c->slope * c->area * (overlap * overlap + c->spread);
}

/* Pieces that a field sees edge-on: phi = -p/slope is large over a small slope: their energy
   goes to zero with it, and stays what it was once they are joined with others. */
static void pieces_seen_edge_on_bring_no_energy_of_their_own(void) {
  for (double slope = 1e6; slope > 1; slope *= .1) {
    sup_contact_list list = {.count = 3};
    double           before = 0, force = 0, flat = 0;
    OK(SUP_GROW(list.contact, list.capacity, 3));
    for (int i = 0; i < 3; i++) {
      sup_contact *c = &list.contact[i];
      *c = piece(.2, .1 * i, .1, 2e-3, 1e6, sup_v3_make(0, 0, 1)), c->item_a = i;
      if (i == 1) { /* under the same pressure */
        c->slope = slope, c->phi = -c->penetration * 1e6 / slope;
        double share = sup_contact_overlap_share(c);
        c->beyond = (1 - share) * fabs(c->phi), c->spread = 0;
        NEAR(stored(c), flat * fmin(1e6 / slope, 4 * slope / 1e6), .02, 0);
      }
      before += stored(c), flat = stored(c), force -= c->slope * c->area * c->phi;
    }
    OK(sup_contacts_merge(&list, 0));
    CHECK(list.count == 1);
    NEAR(stored(&list.contact[0]), before, 1e-12, 0);
    NEAR(-list.contact[0].slope * list.contact[0].area * list.contact[0].phi, force, 1e-12, 0);
    sup_contact_list_free(&list);
  }
}

/* Cells, vertices and normals tell which pieces belong together. */
static void pieces_of_other_cells_or_faces_stay(void) {
  sup_contact_list list = {.count = 0};
  OK(SUP_GROW(list.contact, list.capacity, 5));
  for (int i = 0; i < 5; i++)
    list.contact[list.count++] =
        piece(.2, 0, .1, 1e-3, 1e6, i == 4 ? sup_v3_make(1, 0, 0) : sup_v3_make(0, 0, 1));
  list.contact[1].cell_a = 4;              /* another cell */
  list.contact[2].cell_b = 8;              /* of the other body */
  list.contact[3].carrier_a.weight[0] = 0; /* nearer to another vertex */
  OK(sup_contacts_merge(&list, 0));
  CHECK(list.count == 5);
  sup_contact_list_free(&list);
}

/** Sums of a list that a fault in grouping changes: of squares of areas and of forces. */
static void sum_squares(const sup_contact_list *list, double sum[2]) {
  sum[0] = sum[1] = 0;
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    sum[0] += c->area * c->area, sum[1] += pow(c->slope * c->area * c->phi, 2);
  }
}

/** Pieces of a surface bent by up to 100 degrees, some on a line between two vertices; `order` of
 * the list and of the vertices' numbers: 1 or -1. */
static int merge_bent(uint64_t seed, int order, double sum[2]) {
  enum { COUNT = 12 };
  test_random      r = {seed};
  sup_contact_list list = {.count = COUNT};
  OK(SUP_GROW(list.contact, list.capacity, COUNT));
  for (int i = 0; i < COUNT; i++) {
    double       tilt = .9 * test_uniform(&r), x = test_one_of(&r, 3) ? .4 + .1 * (i % 4) : .5;
    sup_contact *c = &list.contact[order > 0 ? i : COUNT - 1 - i];
    double       depth = 1e-3 * test_uniform(&r), h = .1 + .05 * test_uniform(&r);
    *c = piece(x, 0, h, depth, 1e6, sup_v3_make(sin(tilt), 0, cos(tilt)));
    c->item_a = order * i;
    if (order < 0) c->carrier_a.vertex[0] = 5, c->carrier_a.vertex[1] = 4;
  }
  OK(sup_contacts_merge(&list, 0));
  int count = list.count;
  sum_squares(&list, sum);
  sup_contact_list_free(&list);
  return count;
}

/* Neither the order in which pieces are found nor vertices' numbers choose: one group too many
   changes both sums. */
static void order_of_pieces_decides_nothing(void) {
  int joined = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    double here[2], there[2];
    int    count = merge_bent(seed, 1, here);
    joined += 12 - count;
    CHECK(merge_bent(seed, -1, there) == count);
    for (int k = 0; k < 2; k++) NEAR(there[k], here[k], 1e-12, 0);
  }
  CHECK(joined > 400);
}

/* A tent of pressure over a square: the outline, of pressure 0, encloses the peak. */
static void the_peak_inside_of_an_outline_stays(void) {
  static const double x[5] = {0, .1, .1, 0, .05}, y[5] = {0, 0, .1, .1, .05};
  const double        mean = 2e3;
  sup_contact_list    list = {.count = 4};
  OK(SUP_GROW(list.contact, list.capacity, 4));
  for (int i = 0; i < 4; i++) {
    int          corner[3] = {i, (i + 1) % 4, 4};
    sup_contact *c = &list.contact[i];
    *c = piece(.2, 0, .1, mean / 1e6, 1e6, sup_v3_make(0, 0, 1)), c->item_a = i;
    c->area = .0025;
    for (int k = 0; k < 3; k++)
      c->point[k] = sup_v3_make(x[corner[k]], y[corner[k]], 0), c->level[k] = k < 2 ? 0 : 3 * mean;
  }
  OK(sup_contacts_merge(&list, 0));
  CHECK(list.count == 1);
  sup_contact *c = &list.contact[0];
  CHECK(c->num_points == 4);
  for (int k = 0; k < c->num_points; k++) CHECK(c->level[k] == 0);
  c->pressure = .5 * mean; /* of the solution */
  NEAR(sup_contact_peak_pressure(c), 1.5 * mean, 1e-12, 0);
  sup_contact_list_free(&list);
}

SUITE_TESTS(merge, TEST(the_peak_inside_of_an_outline_stays), TEST(order_of_pieces_decides_nothing),
            TEST(merged_pieces_of_a_plane_carry_the_same),
            TEST(merging_a_bent_surface_has_an_order), TEST(pieces_of_other_cells_or_faces_stay),
            TEST(pieces_seen_edge_on_bring_no_energy_of_their_own));
