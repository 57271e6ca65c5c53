/* Forces of fields on the cells of meshes against closed forms (cases H01, H03). */
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"
#include "mesh_solid.h"

static const double  pi = 3.14159265358979323846, E = 1e6;
static solid_surface surface;

/** Upward force of a rigid floor z <= 0 on a body whose origin is at this height. */
static double pressed(const mesh_solid *s, double z) {
  sup_field    *ground = layer(1, 1);
  sup_frame     X = at_height(z), Y = at_height(0);
  solid_outcome out = solid_touch(s, &X, NULL, ground, &Y, 0);
  sup_field_destroy(&ground);
  NEAR(hypot(out.force.x, out.force.y), 0, 0, 1e-10 * fabs(out.force.z));
  return -out.force.z;
}

static double box_force(double a, double d) {
  return E / (a / 2) * (a * a * d - 2 * a * d * d + 4 * d * d * d / 3);
}

/** An angle of three squares of edge h, standing on its end: p = E min(distance to the end, to the
 * sides)/D.  Along the perimeter the sides take half a strip of the width d, convex corners give
 * back d^3/3, the hollow one takes pi d^3/12. */
static double angle_force(double h, double d) {
  double depth = h * sqrt(2) / (1 + sqrt(2)), area = 3 * h * h, perimeter = 8 * h;
  return E / depth * (area * d - perimeter * d * d / 2 + (5. / 3 - pi / 12) * d * d * d);
}

static sup_mesh *bricks(double size, int n, int is_angle) {
  sup_mesh    *mesh, *cells;
  const double sizes[3] = {size, size, size};
  const int    cut[3] = {n, n, n};
  OK(sup_mesh_box(&mesh, sizes, cut, SUP_PATTERN_HEX));
  int kept = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *v = sup_mesh_cell(mesh, c);
    sup_v3     low = sup_mesh_vertex(mesh, v[0]);
    int        is_out = low.x > .49 * size && low.y > .49 * size;
    if (!is_angle || !is_out) memmove(mesh->cell + 8 * kept++, v, 8 * sizeof *v);
  }
  mesh->num_cells = kept;
  OK(sup_mesh_clean(mesh, NULL));
  OK(sup_mesh_to_t4(&cells, mesh));
  sup_mesh_destroy(&mesh);
  return cells;
}

static void bricks_of_a_cube_press_exactly(void) {
  sup_mesh  *cells = bricks(.1, 4, 0);
  mesh_solid s = solid_of_cells(cells, E, SUP_FIELD_DISTANCE, .005);
  for (int k = 1; k <= 5; k++) NEAR(pressed(&s, -.001 * k), box_force(.1, .001 * k), 1e-10, 0);
  NEAR(box_force(.1, .005), 903.333333333, 1e-10, 0); /* H03 */
  solid_forget(&s);
  sup_mesh_destroy(&cells);
}

/** Next to the hollow edge distances are round, which cells render in first order. */
static void bricks_of_an_angle_press_like_boxes(void) {
  double error[2];
  for (int k = 0; k < 2; k++) {
    sup_mesh  *cells = bricks(.1, 4 << k, 1);
    mesh_solid s = solid_of_cells(cells, E, SUP_FIELD_DISTANCE, 0);
    error[k] = fabs(pressed(&s, -.002) / angle_force(.05, .002) - 1);
    solid_forget(&s);
    sup_mesh_destroy(&cells);
  }
  printf("errors %.2e %.2e; ", error[0], error[1]);
  CHECK(error[0] < 2e-3 && error[1] < 1e-3);
}

/** The nearest side changes inside of cells: what linear functions miss there goes with the first
 * power of the edge. */
static void filled_cubes_and_angles_converge(void) {
  static const double edge[2] = {.012, .006};
  double              error[2][2];
  for (int k = 0; k < 2; k++) {
    solid_box(&surface, .1, .1, .1);
    mesh_solid s = solid_filled(&surface, edge[k], E, SUP_FIELD_DISTANCE, 0);
    error[0][k] = 1 - pressed(&s, .05 - .005) / box_force(.1, .005);
    solid_forget(&s);
    solid_angle(&surface, .1, .1);
    s = solid_filled(&surface, edge[k], E, SUP_FIELD_DISTANCE, 0);
    error[1][k] = 1 - pressed(&s, -.005) / angle_force(.05, .005);
    solid_forget(&s);
  }
  for (int i = 0; i < 2; i++) {
    double order = log2(error[i][0] / error[i][1]);
    printf("%s: 1 - F/F_exact %.4f %.4f, order %.2f; ", i ? "angle" : "cube", error[i][0],
           error[i][1], order);
    CHECK(error[i][0] < .1 && error[i][1] > 0 && error[i][1] < .04 && order > .8);
  }
}

static double longest_edge(void) {
  double most = 0;
  for (int i = 0; i < 3 * surface.num_triangles; i++) {
    int next = i % 3 == 2 ? i - 2 : i + 1;
    most = fmax(most,
                sup_v3_norm(sup_v3_sub(sup_v3_load(surface.point + 3 * surface.triangle[i]),
                                       sup_v3_load(surface.point + 3 * surface.triangle[next]))));
  }
  return most;
}

/** H01 and its estimate of what an inscribed surface misses, h^2/(6 R d); harmonic: F = pi E d^2,
 * since e = R/r - 1. */
static void filled_balls_follow_their_closed_forms(void) {
  const double R = .05, d = .01;
  for (int kind = 0; kind < 2; kind++) {
    double exact = kind ? pi * E * d * d : pi * E * d * d * (1 - 2 * d / (3 * R));
    double error[2], h[2];
    for (int k = 0; k < 2; k++) {
      solid_sphere(&surface, R, 2 + k);
      h[k] = longest_edge();
      double     estimate = h[k] * h[k] / (6 * R * d);
      mesh_solid s = solid_filled(&surface, .6 * h[k], E, (sup_field_kind)kind, 0);
      error[k] = 1 - pressed(&s, R - d) / exact;
      printf("%s 1 - F/F_exact %.4f of %.4f; ", kind ? "harmonic" : "distance", error[k], estimate);
      CHECK(error[k] > 0 && error[k] < (kind ? .4 : 1) * estimate);
      solid_forget(&s);
    }
    double order = log(error[0] / error[1]) / log(h[0] / h[1]);
    printf("order %.2f; ", order);
    CHECK(order > 1.8 && (kind || order < 2.2));
  }
}

static void a_plate_thinner_than_its_cells_presses(void) {
  solid_box(&surface, .1, .1, .004); /* one cell through: all vertices are on the surface */
  mesh_solid s = solid_filled(&surface, .02, E, SUP_FIELD_DISTANCE, 0);
  NEAR(s.depth, .002, 1e-6, 0);
  double force = pressed(&s, .002 - .0005), flat = E / .002 * .0005 * .01;
  printf("%.3f of the flat force; ", force / flat);
  CHECK(force > .6 * flat && force < flat);
  solid_forget(&s);
}

/** Bodies with hollows, in hollows: nothing is outside of either (solid_touch), forces and moments
 * are mutual. */
static void forces_between_hollow_bodies_are_mutual(void) {
  solid_torus(&surface, .05, .02, 12, 8);
  mesh_solid ring = solid_filled(&surface, .02, E, SUP_FIELD_DISTANCE, .005);
  solid_angle(&surface, .1, .03);
  mesh_solid angle = solid_filled(&surface, .02, 3 * E, SUP_FIELD_HARMONIC, .005);
  int        touching = 0;
  for (int k = 0; k < 12; k++) {
    sup_frame     X = {sup_quat_matrix(sup_quat_exp(sup_v3_make(.5 * k, .3, -.2 * k))),
                       {.004 * k, .02, .01}};
    sup_frame     Y = {sup_quat_matrix(sup_quat_exp(sup_v3_make(.1, -.4 * k, .7))),
                       {.0, .003 * k, -.01}};
    solid_outcome one = solid_touch(&ring, &X, &angle, angle.field, &Y, 0);
    solid_outcome back = solid_touch(&angle, &Y, &ring, ring.field, &X, 0);
    touching += one.count > 0;
    NEAR(sup_v3_norm(sup_v3_add(one.force, back.force)), 0, 0, 1e-9 * E * .01);
    NEAR(sup_v3_norm(sup_v3_add(one.moment, back.moment)), 0, 0, 1e-9 * E * .001);
  }
  printf("%d of 12 touch; ", touching);
  CHECK(touching >= 8);
  solid_forget(&ring);
  solid_forget(&angle);
}

/** A ring about a rod that fits into its hole touches nothing; the rod pushed sideways into it is
 * pushed back. */
static void a_rod_in_the_hole_of_a_ring_is_free(void) {
  sup_shape  rod = {.type = SUP_SHAPE_CYLINDER, .size = {.02, .2}};
  sup_field *field = field_of(&rod, E, .01, .002);
  solid_torus(&surface, .05, .02, 16, 8);
  mesh_solid ring = solid_filled(&surface, .02, E, SUP_FIELD_DISTANCE, .005);
  sup_frame  X = at_height(0), Y = at_height(.03);
  CHECK(solid_touch(&ring, &X, NULL, field, &Y, 0).count == 0);
  Y.p.x = .013;
  solid_outcome out = solid_touch(&ring, &X, NULL, field, &Y, 0);
  CHECK(out.count > 0 && out.force.x < -1 && fabs(out.force.y) < .05 * fabs(out.force.x));
  sup_field_destroy(&field);
  solid_forget(&ring);
}

SUITE_TESTS(mesh_contact, TEST(bricks_of_a_cube_press_exactly),
            TEST(bricks_of_an_angle_press_like_boxes), TEST(filled_cubes_and_angles_converge),
            TEST(filled_balls_follow_their_closed_forms),
            TEST(a_plate_thinner_than_its_cells_presses),
            TEST(forces_between_hollow_bodies_are_mutual),
            TEST(a_rod_in_the_hole_of_a_ring_is_free));
