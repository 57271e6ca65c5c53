/* FinRay fingers with rounded cavities, and with walls and ribs whose thickness is measured across
 * them. */
#include <string.h>

#include "mesh/generate/generate.h"
#include "mesh/named_set.h"
#include "mesh/surface.h"
#include "test.h"

static const double degree = 0.017453292519943295;

/* The sides of the cavities as lines: a wall's inner face is x = foot + lean y, a rib's face rises
 * by `slope`. */
typedef struct shape {
  double foot[2], lean[2], middle; /* of the finger at half of its height */
  double wall[2], rib, cavity;     /* along x, along y */
} shape;

static shape shape_of(const sup_finray *f) {
  shape s = {.lean = {tan(f->front_angle), tan(f->front_angle) - (f->base - f->tip) / f->height},
             .rib = f->rib};
  for (int k = 0; k < 2; k++)
    s.wall[k] = f->wall / (f->is_perpendicular ? cos(atan(s.lean[k])) : 1);
  if (f->is_perpendicular) s.rib /= cos(f->rib_angle);
  s.foot[0] = s.wall[0], s.foot[1] = f->base - s.wall[1];
  s.middle = .5 * (s.foot[0] + s.foot[1] + .5 * f->height * (s.lean[0] + s.lean[1]));
  s.cavity = (f->height - f->base_block - f->tip_block - f->num_ribs * s.rib) / (f->num_ribs + 1);
  return s;
}

/* Corners of cavity i from the base: front low, back low, back high, front high. */
static void corners_of(const sup_finray *f, int i, sup_v3 p[4]) {
  shape s = shape_of(f);
  for (int k = 0; k < 4; k++) {
    int    wall = k == 1 || k == 2, high = k > 1;
    double slope = (high ? i < f->num_ribs : i > 0) ? tan(f->rib_angle) : 0;
    double y0 = f->base_block + i * (s.cavity + s.rib) + high * s.cavity;
    double x = (s.foot[wall] + s.lean[wall] * (y0 - slope * s.middle)) / (1 - s.lean[wall] * slope);
    p[k] = sup_v3_make(x, y0 + slope * (x - s.middle), 0);
  }
}

/* Area of the side view: the trapezium without the quadrangles, with what fillets add to each
 * corner of angle a: a kite r^2 cot(a / 2) without a sector of pi - a, or the triangles of its
 * chords. */
static double side_area(const sup_finray *f, int chords) {
  double area = .5 * (f->base + f->tip) * f->height, r = f->fillet, pi = acos(-1);
  for (int i = 0; i <= f->num_ribs; i++) {
    sup_v3 p[4];
    corners_of(f, i, p);
    for (int k = 0; k < 4; k++) {
      sup_v3 a = sup_v3_unit(sup_v3_sub(p[(k + 1) % 4], p[k])),
             b = sup_v3_unit(sup_v3_sub(p[(k + 3) % 4], p[k]));
      double angle = acos(sup_v3_dot(a, b)), turn = pi - angle;
      area -= .5 * sup_v3_cross(p[k], p[(k + 1) % 4]).z;
      area +=
          r * r * (1 / tan(.5 * angle) - .5 * (chords > 0 ? chords * sin(turn / chords) : turn));
    }
  }
  return area;
}

static double worst_quality(const sup_mesh *mesh) {
  double worst = 1;
  for (int c = 0; c < mesh->num_cells; c++) worst = fmin(worst, sup_mesh_cell_quality(mesh, c));
  return worst;
}

/* Closed, its normals sum to nothing, and the vertices of the sides are those that lie on them. */
static void check_surface(const sup_finray *f, const sup_mesh *mesh) {
  static const char *const names[6] = {"front", "back", "base", "tip", "z_min", "z_max"};
  const sup_named_set     *set[6];
  sup_surface             *surface;
  int                      open_edges;
  sup_v3                   sum;
  double front = tan(f->front_angle), back = front - (f->base - f->tip) / f->height;
  OK(sup_surface_of_mesh(&surface, mesh));
  OK(sup_surface_open_edges(surface, &open_edges));
  CHECK(open_edges == 0 && sup_surface_area(surface, mesh->x, &sum) > 0 &&
        sup_v3_norm(sum) < 1e-15);
  sup_surface_destroy(&surface);
  for (int k = 0; k < 6; k++)
    CHECK((set[k] = sup_mesh_find_set(mesh, SUP_SET_VERTICES, names[k])) != NULL);
  for (int i = 0; i < mesh->num_vertices; i++) {
    sup_v3 x = sup_mesh_vertex(mesh, i);
    double off[6] = {x.x - front * x.y, x.x - back * x.y - f->base, x.y, x.y - f->height, x.z,
                     x.z - f->depth};
    for (int k = 0; k < 6; k++) CHECK(set[k]->member[i] == (fabs(off[k]) < 1e-12));
  }
}

static void a_right_angled_finger_gains_what_its_fillets_add(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *sharp, *mesh;
  double     off[2], pi = acos(-1);
  f.tip = f.base, f.rib = .002;
  OK(sup_mesh_finray(&sharp, &f));
  f.fillet = .0015;
  double gain = 4 * 6 * f.fillet * f.fillet * (1 - pi / 4) * f.depth;
  NEAR(side_area(&f, 0) * f.depth - sup_mesh_volume(sharp), gain, 1e-9, 0);
  for (int k = 0; k < 2; k++) {
    f.fillet_cells = 8 << k;
    OK(sup_mesh_finray(&mesh, &f));
    off[k] = (sup_mesh_volume(mesh) - sup_mesh_volume(sharp)) / gain - 1;
    sup_mesh_destroy(&mesh);
  }
  CHECK(off[1] > 0 && off[1] < 2e-3 && off[0] / off[1] > 3.9 &&
        off[0] / off[1] < 4.1); /* chords: second order */
  sup_mesh_destroy(&sharp);
}

/* In 972 fingers: the volume of arcs made of chords, good cells, a closed surface, its sides. */
static void fillets_follow_tilted_walls_and_ribs(void) {
  double worst[3] = {1, 1, 1};
  int    number = 0;
  for (int k = 0; k < 972; k++) {
    sup_finray f = sup_default_finray();
    sup_mesh  *mesh;
    f.front_angle = (k % 3 - 1) * 10 * degree, f.rib_angle = (k / 3 % 3 - 1) * 15 * degree;
    f.fillet = k / 9 % 3 == 0 ? 1e-4 : k / 9 % 3 == 1 ? 1e-3 : 1.5e-3;
    f.fillet_cells = 1 + k / 27 % 3, f.pattern = (sup_mesh_pattern)(k / 81 % 3);
    f.wall_cells = 1 + k / 243 % 2, f.rib_cells = 1 + 2 * (k / 243 % 2),
    f.is_perpendicular = k / 486;
    f.num_ribs = 3, f.depth_cells = 1, f.wall = .0016, f.depth = .005;
    OK(sup_mesh_finray(&mesh, &f));
    NEAR(sup_mesh_volume(mesh), side_area(&f, 2 * f.fillet_cells) * f.depth, 1e-11, 0);
    worst[f.pattern] = fmin(worst[f.pattern], worst_quality(mesh));
    if (k % 21 == 0) check_surface(&f, mesh), number++;
    sup_mesh_destroy(&mesh);
  }
  printf("worst hex %.3f, tet %.4f, %.4f; ", worst[0], worst[1], worst[2]);
  CHECK(worst[SUP_PATTERN_HEX] > .2 && worst[SUP_PATTERN_KUHN] > 0 &&
        worst[SUP_PATTERN_MIRROR] > 0 && number == 47);
}

/* Random numbers give a sound mesh or a refusal. */
static void no_fillet_gives_an_inverted_cell(void) {
  test_random random = {3};
  int         made = 0, refused = 0;
  double      worst = 1;
  for (int k = 0; k < 600; k++) {
    sup_finray f = sup_default_finray();
    sup_mesh  *mesh;
    f.front_angle = 30 * degree * test_uniform(&random),
    f.rib_angle = 50 * degree * test_uniform(&random);
    f.rib = .0015 + .0012 * test_uniform(&random), f.wall = .0015 + .001 * test_uniform(&random);
    f.tip = .012 + .006 * test_uniform(&random), f.fillet = .003 + .0029 * test_uniform(&random);
    f.num_ribs = k % 4, f.fillet_cells = 1 + k % 3, f.wall_cells = 1 + k % 2,
    f.rib_cells = 1 + k % 3;
    f.depth_cells = 1, f.is_perpendicular = k % 2;
    if (sup_mesh_finray(&mesh, &f) == SUP_OK) {
      made++, worst = fmin(worst, worst_quality(mesh));
      NEAR(sup_mesh_volume(mesh), side_area(&f, 2 * f.fillet_cells) * f.depth, 1e-11, 0);
      sup_mesh_destroy(&mesh);
    } else {
      refused++;
      CHECK(mesh == NULL);
      CHECK(strstr(sup_error_message(), "expected a") != NULL);
    }
  }
  printf("%d made, %d refused, worst %.3g; ", made, refused, worst);
  CHECK(worst > 0 && made > 100 && refused > 100);
}

/* Vertices of the arcs lie on circles of the radius that touch the sides, and there are as many as
 * there should be. */
static void vertices_of_fillets_lie_on_circles(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  int        found = 0;
  f.front_angle = 8 * degree, f.rib_angle = 12 * degree, f.fillet = .0012, f.fillet_cells = 3,
  f.depth_cells = 1;
  OK(sup_mesh_finray(&mesh, &f));
  for (int i = 0; i <= f.num_ribs; i++) {
    sup_v3 p[4];
    corners_of(&f, i, p);
    for (int k = 0; k < 4; k++) {
      sup_v3 a = sup_v3_unit(sup_v3_sub(p[(k + 1) % 4], p[k])),
             b = sup_v3_unit(sup_v3_sub(p[(k + 3) % 4], p[k]));
      double half = .5 * acos(sup_v3_dot(a, b));
      sup_v3 centre = sup_v3_madd(p[k], f.fillet / sin(half), sup_v3_unit(sup_v3_add(a, b)));
      for (int v = 0; v < mesh->num_vertices; v++) {
        sup_v3 x = sup_mesh_vertex(mesh, v);
        double r = hypot(x.x - centre.x, x.y - centre.y);
        CHECK(r > f.fillet * (1 - 1e-9));
        found += r < f.fillet * (1 + 1e-9);
      }
    }
  }
  CHECK(found == 2 * 6 * 4 * 7); /* z, cavities, corners, vertices */
  sup_mesh_destroy(&mesh);
}

static void fillets_that_do_not_fit_are_explained(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  f.fillet = .006;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "finray: fillets of 6 mm need 12 mm along the front wall of cavity 1 from the base, which "
        "is 10 mm long; expected a radius below 5 mm");
  f.fillet = .0025; /* the cavity at the tip is 3.8 mm wide at its top */
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "along the upper side of cavity 6 from the base, which is 3.8 mm long");
  f.fillet = .004, f.rib_angle = -25 * degree, f.num_ribs = 2, f.rib = .0005, f.tip = .015;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "fillets of 4 mm turn a brick near (3.85, 28.4) mm inside out");
  f = sup_default_finray();
  f.fillet = -.001;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "finray: fillet is -0.001 m; expected a positive radius, or 0 for sharp");
  f.fillet = (double)NAN;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "finray: fillet is nan m");
  f.fillet = .001, f.fillet_cells = 0;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "finray: 0 fillet cells; expected 1 to");
}

/* Distances from the outer to the inner face of the walls, and from the lower to the upper face of
 * the ribs. */
static void thickness_is_measured_across_when_it_should(void) {
  for (int k = 0; k < 2; k++) {
    sup_finray f = sup_default_finray();
    sup_mesh  *mesh;
    f.front_angle = 10 * degree, f.rib_angle = 25 * degree, f.is_perpendicular = k,
    f.depth_cells = 1;
    OK(sup_mesh_finray(&mesh, &f));
    NEAR(sup_mesh_volume(mesh), side_area(&f, 0) * f.depth, 1e-12, 0);
    shape  s = shape_of(&f);
    double least[2] = {1, 1};
    for (int i = 0; i < mesh->num_vertices;
         i++) { /* inner faces: vertices next to the outer ones across the wall */
      sup_v3 x = sup_mesh_vertex(mesh, i);
      for (int wall = 0; wall < 2; wall++) {
        double outer = wall ? f.base : 0,
               off = fabs(x.x - outer - s.lean[wall] * x.y) * cos(atan(s.lean[wall]));
        if (off > 1e-9) least[wall] = fmin(least[wall], off);
      }
    }
    for (int wall = 0; wall < 2; wall++)
      NEAR(least[wall], f.wall * (k ? 1 : cos(atan(s.lean[wall]))), 1e-12, 0);
    NEAR(s.rib * cos(f.rib_angle), f.rib * (k ? 1 : cos(f.rib_angle)), 1e-12,
         0); /* that of the volume */
    sup_mesh_destroy(&mesh);
  }
}

SUITE_TESTS(finray_fillet, TEST(a_right_angled_finger_gains_what_its_fillets_add),
            TEST(fillets_follow_tilted_walls_and_ribs), TEST(no_fillet_gives_an_inverted_cell),
            TEST(vertices_of_fillets_lie_on_circles), TEST(fillets_that_do_not_fit_are_explained),
            TEST(thickness_is_measured_across_when_it_should));
