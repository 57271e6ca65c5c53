#include <string.h>

#include "mesh/generate/generate.h"
#include "mesh/named_set.h"
#include "mesh/surface.h"
#include "test.h"

static double worst_quality(const sup_mesh *mesh) {
  double worst = 1;
  for (int c = 0; c < mesh->num_cells; c++) worst = fmin(worst, sup_mesh_cell_quality(mesh, c));
  return worst;
}

/** Area of the finger's side view: the trapezium minus the cavities, whose width is linear in y. */
static double side_area(const sup_finray *f) {
  int    n = f->num_ribs + 1;
  double cavity = (f->height - f->base_block - f->num_ribs * f->rib - f->tip_block) / n;
  double area = 0.5 * (f->base + f->tip) * f->height;
  for (int i = 0; i < n; i++) {
    double middle = f->base_block + i * (cavity + f->rib) + 0.5 * cavity;
    area -= cavity * (f->base - (f->base - f->tip) * middle / f->height - 2 * f->wall);
  }
  return area;
}

static void default_finger_with_kuhn_tets_is_that_of_case_g01(void) {
  sup_finray   f = sup_default_finray();
  sup_mesh    *mesh;
  sup_surface *surface;
  f.pattern = SUP_PATTERN_KUHN;
  OK(sup_mesh_finray(&mesh, &f));
  CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 1704 && mesh->num_vertices == 660);
  NEAR(sup_mesh_volume(mesh), side_area(&f) * f.depth, 1e-13, 0);
  NEAR(sup_mesh_volume(mesh), 1.164e-5, 1e-12,
       0); /* 20 mm deep: 1440 mm^2 of trapezium less 858 mm^2 of cavities */
  OK(sup_surface_of_mesh(&surface, mesh));
  sup_v3 sum;
  int    open_edges;
  CHECK(sup_surface_area(surface, mesh->x, &sum) > 0);
  NEAR(sup_v3_norm(sum), 0, 0, 1e-16);
  OK(sup_surface_open_edges(surface, &open_edges));
  CHECK(open_edges == 0);
  sup_surface_destroy(&surface);
  sup_mesh_destroy(&mesh);
}

/** Every tet of the Kuhn split has the long diagonal of its brick: bricks are recognised by their
 * lowest grid point. */
static void kuhn_tets_share_the_diagonal_of_their_brick(void) {
  const double size[3] = {3, 2, 2};
  const int    n[3] = {3, 2, 2};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_KUHN));
  for (int c = 0; c < mesh->num_cells; c++) {
    sup_v3 first = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, c)[0]),
           last = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, c)[3]);
    sup_v3 d = sup_v3_sub(last, first);
    CHECK(d.x == 1 && d.y == 1 && d.z == 1);
    NEAR(sup_mesh_cell_volume(mesh, c), 1.0 / 6, 1e-15, 0);
  }
  sup_mesh_destroy(&mesh);
}

/** The mirror image of the mesh in the middle plane of a direction is the mesh itself. */
static void mirror_pattern_has_no_preferred_direction(void) {
  const double size[3] = {4, 2, 4};
  const int    n[3] = {4, 2, 4};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_MIRROR));
  for (int d = 0; d < 3; d++)
    for (int c = 0; c < mesh->num_cells; c++) {
      int image[4], matches = 0;
      for (int a = 0; a < 4; a++) {
        sup_v3 x = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, c)[a]);
        int    p[3] = {(int)lround(x.x), (int)lround(x.y), (int)lround(x.z)};
        p[d] = n[d] - p[d];
        image[a] = (p[0] * (n[1] + 1) + p[1]) * (n[2] + 1) + p[2];
      }
      for (int other = 0; other < mesh->num_cells && matches < 4; other++) {
        matches = 0;
        for (int a = 0; a < 4; a++)
          for (int b = 0; b < 4; b++) matches += sup_mesh_cell(mesh, other)[a] == image[b];
      }
      CHECK(matches == 4);
    }
  sup_mesh_destroy(&mesh);
}

static void all_patterns_fill_the_same_finger(void) {
  sup_finray f = sup_default_finray();
  f.wall_cells = 2, f.inner_cells = 4, f.cavity_cells = 5, f.rib_cells = 3, f.depth_cells = 2,
  f.num_ribs = 3;
  for (int pattern = SUP_PATTERN_HEX; pattern <= SUP_PATTERN_MIRROR; pattern++) {
    sup_mesh       *mesh;
    sup_mesh_repair repair;
    sup_surface    *surface;
    int             open_edges;
    f.pattern = (sup_mesh_pattern)pattern;
    OK(sup_mesh_finray(&mesh, &f));
    NEAR(sup_mesh_volume(mesh), side_area(&f) * f.depth, 1e-13, 0);
    OK(sup_mesh_clean(mesh, &repair));
    CHECK(repair.cells_reoriented == 0 && repair.vertices_removed == 0);
    OK(sup_surface_of_mesh(&surface, mesh));
    OK(sup_surface_open_edges(surface, &open_edges));
    CHECK(open_edges == 0);
    sup_surface_destroy(&surface);
    sup_mesh_destroy(&mesh);
  }
}

static void walls_and_ribs_have_their_thickness(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  sup_v3     lower, upper;
  f.pattern = SUP_PATTERN_HEX;
  OK(sup_mesh_finray(&mesh, &f));
  CHECK(mesh->type == SUP_CELL_H8 && mesh->num_cells == 284 && mesh->num_vertices == 660);
  sup_mesh_bounds(mesh, &lower, &upper);
  NEAR(lower.x, 0, 0, 0), NEAR(lower.y, 0, 0, 0), NEAR(lower.z, 0, 0, 0);
  NEAR(upper.x, 0.03, 0, 0), NEAR(upper.y, 0.08, 0, 0), NEAR(upper.z, 0.02, 0, 0);
  for (int i = 0; i < mesh->num_vertices; i++) { /* beside a cavity: only wall vertices */
    sup_v3 x = sup_mesh_vertex(mesh, i);
    double back = 0.03 - 0.024 * x.y / 0.08, above = fmod(x.y - 0.004 + 1e-12, 0.012);
    if (x.y < 0.004 - 1e-12 || x.y > 0.074 + 1e-12 || above < 1e-9 || above > 0.010 - 1e-9)
      continue;
    CHECK(fabs(x.x) < 1e-15 || fabs(x.x - 0.002) < 1e-15 || fabs(x.x - back + 0.002) < 1e-15 ||
          fabs(x.x - back) < 1e-15);
  }
  sup_mesh_destroy(&mesh);
}

/** Number of vertices with x, y and z at these places. */
static int vertices_at(const sup_mesh *mesh, double x, double y, double z) {
  int num = 0;
  for (int i = 0; i < mesh->num_vertices; i++)
    num += sup_v3_norm(sup_v3_sub(sup_mesh_vertex(mesh, i), sup_v3_make(x, y, z))) < 1e-12;
  return num;
}

static void graded_cells_gather_at_the_corners(void) {
  sup_mesh  *equal, *graded;
  sup_finray f = sup_default_finray();
  f.wall_cells = 4, f.cavity_cells = 6, f.rib_cells = 3;
  OK(sup_mesh_finray(&equal, &f));
  f.grading = 2;
  OK(sup_mesh_finray(&graded, &f));
  CHECK(graded->num_vertices == equal->num_vertices && graded->num_cells == equal->num_cells);
  NEAR(sup_mesh_volume(graded), sup_mesh_volume(equal), 1e-12, 0);
  /* lines at (2 i/n)^2/2 of the front wall, of the first cavity (4 to 14 mm) and of the depth, and
   * mirrored */
  const double wall[] = {0, .125, .5, .875, 1},
               cavity[] = {0, 1. / 18, 4. / 18, .5, 14. / 18, 17. / 18, 1};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 5; k++)
        CHECK(vertices_at(graded, .002 * wall[i], .004 + .01 * cavity[j], .02 * wall[k]) == 1);
  sup_mesh_destroy(&graded);
  sup_mesh_destroy(&equal);
}

static void impossible_fingers_are_refused_with_their_numbers(void) {
  sup_mesh *mesh;
#define REFUSED(change, text)                           \
  do {                                                  \
    sup_finray f = sup_default_finray();                \
    change;                                             \
    FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, text); \
    CHECK(mesh == NULL);                                \
  } while (0)
  REFUSED(f.tip = 0.004,
          "at the tip the finger is 4 mm wide and the two walls take 4 mm of it; expected a width "
          "above 4 mm or walls below 2 mm");
  REFUSED(f.base = 0.003, "at the base the finger is 3 mm wide");
  REFUSED(f.cavity = 0.011, "= 86 mm, height 80 mm; cavities of 10 mm would fit");
  REFUSED(f.num_ribs = 40, "no height is left for the 41 cavities");
  REFUSED(f.height = -1, "height is -1 m");
  REFUSED(f.depth = (double)NAN, "depth is nan m");
  REFUSED(f.wall_cells = 0, "0 wall cells");
  REFUSED(f.depth_cells = 1 << 30, "1073741824 depth cells");
  REFUSED((f.depth_cells = f.inner_cells = f.cavity_cells = 10000), "too many");
  REFUSED(f.num_ribs = -1, "-1 ribs");
  REFUSED(f.cavity = -0.1, "cavity height is -0.1 m");
  REFUSED(f.pattern = (sup_mesh_pattern)7, "pattern 7 is unknown");
  REFUSED(f.grading = 0.5, "grading is 0.5; expected 1");
  REFUSED(f.grading = (double)NAN, "grading is nan; expected 1");
  REFUSED((f.grading = 2, f.fillet = 0.001), "grading 2 and a fillet of 1 mm");
  sup_finray f = sup_default_finray();
  f.cavity = 0.010; /* given and adding up */
  OK(sup_mesh_finray(&mesh, &f));
  sup_mesh_destroy(&mesh);
  f.num_ribs = 0, f.cavity = 0;
  OK(sup_mesh_finray(&mesh, &f));
  sup_mesh_destroy(&mesh);
}

static void impossible_boxes_are_refused(void) {
  sup_mesh    *mesh;
  const double size[3] = {1, 1, 1}, flat[3] = {1, 0, 1};
  const int    n[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {40000000, 40000000, 40000000};
  FAILS(sup_mesh_box(&mesh, flat, n, SUP_PATTERN_HEX), SUP_E_ARG, "length 0 m along y");
  FAILS(sup_mesh_box(&mesh, size, none, SUP_PATTERN_HEX), SUP_E_ARG, "0 bricks along y");
  FAILS(sup_mesh_box(&mesh, size, many, SUP_PATTERN_HEX), SUP_E_ARG, "too many");
  FAILS(sup_mesh_box(&mesh, size, n, (sup_mesh_pattern)-1), SUP_E_ARG, "pattern -1");
}

/** Intersection of y = y0 + slope (x - x0) with the inner face of the front (0) or back wall (1).
 */
static void meet(const sup_finray *f, double y0, double slope, double x0, int wall, double p[2]) {
  double lean = tan(f->front_angle), back = lean - (f->base - f->tip) / f->height;
  double foot = wall ? f->base - f->wall : f->wall, m = wall ? back : lean;
  p[0] = (foot + m * (y0 - slope * x0)) / (1 - m * slope);
  p[1] = y0 + slope * (p[0] - x0);
}

/** Area between two lines and the inner faces of the walls. */
static double cavity_area(const sup_finray *f, double low, double low_slope, double high,
                          double high_slope) {
  double x0 = .5 * f->height * tan(f->front_angle) + .25 * (f->base + f->tip), p[4][2], area = 0;
  meet(f, low, low_slope, x0, 0, p[0]), meet(f, low, low_slope, x0, 1, p[1]);
  meet(f, high, high_slope, x0, 1, p[2]), meet(f, high, high_slope, x0, 0, p[3]);
  for (int k = 0; k < 4; k++)
    area += .5 * (p[k][0] * p[(k + 1) % 4][1] - p[k][1] * p[(k + 1) % 4][0]);
  return area;
}

/* Leaning walls and rising ribs: the volume is that of quadrangles, cells stay good, the surface
   closed, walls plane and as thick as they are. */
static void tilted_walls_and_ribs_bound_quadrangles(void) {
  const double degree = acos(-1) / 180;
  for (int front = -10; front <= 20; front += 10)
    for (int rib = -20; rib <= 20; rib += 10)
      for (int pattern = 0; pattern < 3; pattern++) {
        sup_finray f = sup_default_finray();
        f.front_angle = front * degree, f.rib_angle = rib * degree,
        f.pattern = (sup_mesh_pattern)pattern;
        f.num_ribs = 3, f.inner_cells = 4;
        int    n = f.num_ribs + 1, open_edges;
        double cavity = (f.height - f.base_block - f.num_ribs * f.rib - f.tip_block) / n,
               slope = tan(f.rib_angle);
        double       area = 0.5 * (f.base + f.tip) * f.height, lean = tan(f.front_angle);
        sup_mesh    *mesh;
        sup_surface *surface;
        for (int i = 0; i < n; i++) {
          double low = f.base_block + i * (cavity + f.rib);
          area -= cavity_area(&f, low, i == 0 ? 0 : slope, low + cavity, i + 1 == n ? 0 : slope);
        }
        OK(sup_mesh_finray(&mesh, &f));
        NEAR(sup_mesh_volume(mesh), area * f.depth, 1e-12, 0);
        for (int c = 0; c < mesh->num_cells; c++)
          CHECK(sup_mesh_cell_quality(mesh, c) > (pattern ? .15 : .5));
        OK(sup_surface_of_mesh(&surface, mesh));
        OK(sup_surface_open_edges(surface, &open_edges));
        CHECK(open_edges == 0);
        const sup_named_set *side = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "front");
        for (int i = 0; i < mesh->num_vertices; i++) {
          sup_v3 x = sup_mesh_vertex(mesh, i);
          double at = x.x - lean * x.y; /* along x from the front face; across the wall times cos */
          CHECK(at > -1e-15 && side->member[i] == (at < 1e-12));
          CHECK(at < f.wall + 1e-12 || at > f.wall + 1e-6);
        }
        sup_surface_destroy(&surface);
        sup_mesh_destroy(&mesh);
      }
}

/* Ribs whose angles grow, cavities whose heights fall: quadrangles again. */
static void ribs_fan_out_and_cavities_shrink(void) {
  const double degree = acos(-1) / 180;
  for (int ribs = 1; ribs <= 4; ribs++)
    for (int k = 0; k < 4; k++) {
      sup_finray f = sup_default_finray();
      f.num_ribs = ribs, f.inner_cells = 4, f.rib_cells = 2;
      f.rib_angle = -12 * degree, f.rib_fan = (k % 2 ? 30 : -5) * degree;
      f.cavity_ratio = k / 2 ? 0.6 : 1.3;
      double sum = 0, area = 0.5 * (f.base + f.tip) * f.height, low = f.base_block, slope = 0;
      for (int i = 0; i <= ribs; i++) sum += pow(f.cavity_ratio, (double)i / ribs);
      double    all = f.height - f.base_block - f.tip_block - ribs * f.rib;
      sup_mesh *mesh;
      for (int i = 0; i <= ribs; i++) {
        double angle = ribs > 1 ? f.rib_angle + f.rib_fan * i / (ribs - 1) : f.rib_angle;
        double next = i < ribs ? tan(angle) : 0;
        double high = low + all / sum * pow(f.cavity_ratio, (double)i / ribs);
        area -= cavity_area(&f, low, slope, high, next);
        low = high + f.rib, slope = next;
      }
      NEAR(low, f.height - f.tip_block + f.rib, 1e-12, 0);
      OK(sup_mesh_finray(&mesh, &f));
      NEAR(sup_mesh_volume(mesh), area * f.depth, 1e-12, 0);
      for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_quality(mesh, c) > .4);
      sup_mesh_destroy(&mesh);
    }
}

/* Ribs with angles and places of their own: quadrangles again; angles and places of a fan give the
 * fan. */
static void single_ribs_have_their_angles_and_heights(void) {
  enum { RIBS = 3 };
  static const double middle[RIBS] = {.018, .040, .058}, angle[RIBS] = {.25, .1, -.15};
  sup_finray          f = sup_default_finray(), fan = f;
  sup_mesh           *mesh, *same;
  f.num_ribs = f.num_rib_angles = f.num_rib_heights = RIBS, f.inner_cells = 4;
  memcpy(f.rib_angles, angle, sizeof angle), memcpy(f.rib_heights, middle, sizeof middle);
  double area = 0.5 * (f.base + f.tip) * f.height, low = f.base_block, slope = 0;
  for (int i = 0; i <= RIBS; i++) {
    double high = i < RIBS ? middle[i] - f.rib / 2 : f.height - f.tip_block;
    double next = i < RIBS ? tan(angle[i]) : 0;
    area -= cavity_area(&f, low, slope, high, next);
    low = high + f.rib, slope = next;
  }
  OK(sup_mesh_finray(&mesh, &f));
  NEAR(sup_mesh_volume(mesh), area * f.depth, 1e-12, 0);
  for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_quality(mesh, c) > .4);
  sup_mesh_destroy(&mesh);
  fan.num_ribs = RIBS, f = fan;
  fan.rib_angle = -.1, fan.rib_fan = .4;
  f.num_rib_angles = RIBS;
  for (int i = 0; i < RIBS; i++) f.rib_angles[i] = -.1 + .2 * i;
  OK(sup_mesh_finray(&mesh, &fan));
  OK(sup_mesh_finray(&same, &f));
  for (int i = 0; i < 3 * mesh->num_vertices; i++) NEAR(same->x[i], mesh->x[i], 0, 1e-15);
  sup_mesh_destroy(&mesh), sup_mesh_destroy(&same);
}

/* The front wall stands straight up to the arc, the top is level: a quarter of a circle with
 * chords, exactly. */
static void corners_of_the_tip_are_round(void) {
  for (int k = 0; k < 3; k++) {
    sup_finray f = sup_default_finray(), sharp;
    sup_mesh  *mesh, *square;
    int        on_arc = 0;
    f.wall_cells = 1 + k, f.rib_cells = 1 + k, f.inner_cells = 4, sharp = f;
    f.tip_radius = .0025 - .0005 * k;
    double r = f.tip_radius, corner = f.height - r;
    OK(sup_mesh_finray(&mesh, &f));
    OK(sup_mesh_finray(&square, &sharp));
    const sup_named_set *front = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "front"),
                        *tip = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "tip");
    for (int i = 0; i < mesh->num_vertices; i++) {
      sup_v3 x = sup_mesh_vertex(mesh, i);
      if (front->member[i] && x.y < corner + 1e-9) NEAR(x.x, 0, 0, 1e-15);
      if (x.x > r - 1e-9 || x.y < corner + 1e-9 || !(front->member[i] || tip->member[i])) continue;
      NEAR(hypot(x.x - r, x.y - corner), r, 1e-12, 0);
      on_arc++;
    }
    CHECK(on_arc >= f.depth_cells + 1);
    for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_quality(mesh, c) > .5);
    double cut = sup_mesh_volume(square) - sup_mesh_volume(mesh);
    CHECK(cut > 0 && cut < 2.5 * r * r * f.depth * (1 - acos(-1) / 4) * 1.5);
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&square);
  }
}

/* All vertices of a bowed wall lie on two parabolas, one wall apart along x; the rest between. */
static void bowed_walls_are_parabolas(void) {
  for (int k = 0; k < 4; k++) {
    sup_finray   f = sup_default_finray();
    sup_mesh    *mesh;
    sup_surface *surface;
    int          open_edges, on[4] = {0};
    f.front_bow = k % 2 ? .003 : -.002, f.back_bow = k / 2 ? .004 : -.003;
    f.rib_angle = .2, f.front_angle = .1;
    OK(sup_mesh_finray(&mesh, &f));
    const sup_named_set *front = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "front"),
                        *back = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "back");
    for (int i = 0; i < mesh->num_vertices; i++) {
      sup_v3 x = sup_mesh_vertex(mesh, i);
      double s = x.y / f.height, parabola = 4 * s * (1 - s);
      double left = x.x - (tan(f.front_angle) * x.y - f.front_bow * parabola);
      double right =
          tan(f.front_angle) * x.y + f.base - (f.base - f.tip) * s + f.back_bow * parabola - x.x;
      CHECK(left > -1e-13 && right > -1e-13);
      CHECK(front->member[i] == (left < 1e-12) && back->member[i] == (right < 1e-12));
      CHECK(left < 1e-12 || left > f.wall - 1e-12); /* one cell through the wall */
      CHECK(right < 1e-12 || right > f.wall - 1e-12);
      on[0] += left < 1e-12, on[1] += fabs(left - f.wall) < 1e-12;
      on[2] += right < 1e-12, on[3] += fabs(right - f.wall) < 1e-12;
    }
    for (int face = 1; face < 4; face++) CHECK(on[face] == on[0]);
    for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_quality(mesh, c) > .4);
    OK(sup_surface_of_mesh(&surface, mesh));
    OK(sup_surface_open_edges(surface, &open_edges));
    CHECK(open_edges == 0);
    sup_surface_destroy(&surface);
    sup_mesh_destroy(&mesh);
  }
}

/* A hinge takes two triangles of each end of a rib. */
static void hinges_take_triangles_of_level_ribs(void) {
  for (int rib_cells = 1; rib_cells <= 3; rib_cells++)
    for (int wall_cells = 1; wall_cells <= 2; wall_cells++) {
      sup_finray f = sup_default_finray();
      sup_mesh  *mesh;
      f.hinge = .0008, f.hinge_length = .0015, f.num_ribs = 4;
      f.rib_cells = rib_cells, f.wall_cells = wall_cells;
      double taken = f.num_ribs * f.hinge_length * (f.rib - f.hinge);
      OK(sup_mesh_finray(&mesh, &f));
      NEAR(sup_mesh_volume(mesh), (side_area(&f) - taken) * f.depth, 1e-12, 0);
      for (int c = 0; c < mesh->num_cells; c++) CHECK(sup_mesh_cell_quality(mesh, c) > .4);
      sup_mesh_destroy(&mesh);
    }
}

/* Walls and ribs with thicknesses of their own: quadrangles between the walls' inner faces. */
static void single_walls_and_ribs_have_their_thickness(void) {
  enum { RIBS = 3 };
  static const double thickness[RIBS] = {.003, .002, .0012};
  sup_finray          f = sup_default_finray(), same = f;
  sup_mesh           *mesh, *other;
  f.num_ribs = f.num_rib_thicknesses = RIBS, f.front_wall = .0012, f.back_wall = .0025;
  memcpy(f.rib_thicknesses, thickness, sizeof thickness);
  double area = .5 * (f.base + f.tip) * f.height, low = f.base_block,
         cavity = (f.height - f.base_block - f.tip_block - .0062) / (RIBS + 1);
  for (int i = 0; i <= RIBS; i++) {
    double middle = low + .5 * cavity, width = f.base - (f.base - f.tip) * middle / f.height;
    area -= cavity * (width - f.front_wall - f.back_wall);
    low += cavity + (i < RIBS ? thickness[i] : 0);
  }
  NEAR(low, f.height - f.tip_block, 1e-12, 0);
  OK(sup_mesh_finray(&mesh, &f));
  NEAR(sup_mesh_volume(mesh), area * f.depth, 1e-12, 0);
  CHECK(worst_quality(mesh) > .5);
  sup_mesh_destroy(&mesh);
  f = same, f.num_rib_thicknesses = f.num_ribs, f.front_wall = f.back_wall = f.wall, f.wall = .005;
  for (int i = 0; i < f.num_ribs; i++) f.rib_thicknesses[i] = f.rib;
  f.rib = .05;
  OK(sup_mesh_finray(&mesh, &same));
  OK(sup_mesh_finray(&other, &f));
  CHECK(mesh->num_vertices == other->num_vertices);
  CHECK(memcmp(mesh->x, other->x, 3 * sizeof *mesh->x * (size_t)mesh->num_vertices) == 0);
  sup_mesh_destroy(&mesh), sup_mesh_destroy(&other);
}

/** Area that 2 n chords of an arc over `length` that is `depth` deep cut off. */
static double notch_area(double length, double depth, int n) {
  double half = .5 * length, radius = .5 * (half * half / depth + depth),
         angle = asin(fmin(1, half / radius));
  return n * radius * radius * sin(angle / n) - half * (radius - depth);
}

/* Notches anywhere beside cavities, in either face of either wall, between fillets, in tilted and
 * curved walls take segments of circles; the rest stays where it was. */
static void notches_take_segments_of_circles(void) {
  static const double at[] = {.0065, .0110, .0345, .070};
  for (int k = 0; k < 32; k++) {
    sup_finray f = sup_default_finray(), plain;
    sup_mesh  *mesh, *whole;
    int        back = k & 1, on_arc = 0;
    f.notch_is_inside = k >> 1 & 1, f.cavity_cells = 14, f.wall_cells = 1 + (k >> 2 & 1);
    f.num_ribs = 5, f.front_angle = k & 8 ? .1 : 0;
    if (k & 16) f.back_bow = .002, f.rib_angle = 0;
    plain = f;
    f.notch_length = .003, f.notch_depth = k & 8 ? .0005 : .0012;
    memcpy(back ? f.back_notches : f.front_notches, at, sizeof at);
    if (back)
      f.num_back_notches = 4;
    else
      f.num_front_notches = 4;
    OK(sup_mesh_finray(&mesh, &f));
    OK(sup_mesh_finray(&whole, &plain));
    CHECK(mesh->num_cells == whole->num_cells);
    double chord = 0, taken = (sup_mesh_volume(whole) - sup_mesh_volume(mesh)) / f.depth;
    double slope = tan(f.front_angle) - back * (f.base - f.tip) / f.height;
    chord = f.notch_length * sqrt(1 + slope * slope);
    if (!(k & 16 && back)) /* straight: exactly */
      NEAR(taken, 4 * notch_area(chord, f.notch_depth, 2), 1e-9, 0);
    else
      NEAR(taken, 4 * notch_area(chord, f.notch_depth, 2), .02, 0);
    CHECK(worst_quality(mesh) > .3);
    double half = .5 * chord, radius = .5 * (half * half / f.notch_depth + f.notch_depth),
           up = 1 / sqrt(1 + slope * slope), away = radius - f.notch_depth;
    const sup_named_set *face = sup_mesh_find_set(mesh, SUP_SET_VERTICES, back ? "back" : "front");
    for (int i = 0; i < mesh->num_vertices; i++) { /* of the first, in a straight outer face */
      sup_v3 x = sup_mesh_vertex(mesh, i);
      double out = back ? 1 : -1, centre[2] = {back * f.base + slope * at[0] + out * up * away,
                                               at[0] - out * up * slope * away};
      if (!face->member[i] || fabs(x.y - at[0]) > .5 * f.notch_length + 1e-9) continue;
      if (!f.notch_is_inside && !(k & 16))
        NEAR(hypot(x.x - centre[0], x.y - centre[1]), radius, 1e-9, 0);
      on_arc++;
    }
    CHECK(on_arc >= (f.notch_is_inside ? 3 : 5) * (f.depth_cells + 1));
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&whole);
  }
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  f.fillet = .001, f.cavity_cells = 8, f.num_back_notches = 1, f.back_notches[0] = .009;
  OK(sup_mesh_finray(&mesh, &f));
  CHECK(worst_quality(mesh) > .3);
  sup_mesh_destroy(&mesh);
}

static void notches_that_do_not_fit_are_explained(void) {
  const sup_finray plain = sup_default_finray();
  sup_finray       f = plain;
  sup_mesh        *mesh;
  f.num_front_notches = 1, f.front_notches[0] = .015, f.cavity_cells = 8;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "the notch of the front wall at 15 mm goes from 13.5 to 16.5 mm; expected one beside a "
        "cavity, between its fillets: the nearest goes from 4 to 14 mm");
  f.front_notches[0] = .01, f.cavity_cells = 3;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "the notch of the front wall at 10 mm has 3 rows of cells between its fillets; its notches "
        "and what is between them need 6");
  f.front_notches[0] = .009, f.notch_length = .01, f.cavity_cells = 8; /* the whole cavity */
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "what is between them need 4: expected that many");
  f.front_notches[0] = .01, f.notch_length = plain.notch_length;
  f.cavity_cells = 8, f.notch_depth = .0016;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "at most half of their length, 1.5 mm");
  f.notch_depth = .0025, f.notch_length = .006;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "notches of 2.5 mm turn a brick near");
  f.notch_depth = .001, f.num_front_notches = 2, f.front_notches[1] = .011;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "notches of the front wall at 10 mm and 11 mm");
  f.num_front_notches = 65;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "65 notches of the front wall");
  f = plain, f.num_back_notches = 1, f.back_notches[0] = .01, f.grading = 2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "notches with grading 2");
  f = plain, f.notch_cells = 0;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "0 notch cells");
  f = plain, f.back_wall = -.001;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "thickness of front and back wall is 0 and -0.001");
  f = plain, f.num_rib_thicknesses = f.num_ribs;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "rib 1 from the base is 0 m thick");
}

static void shapes_that_do_not_fit_are_explained(void) {
  const sup_finray plain = sup_default_finray();
  sup_finray       f = plain;
  sup_mesh        *mesh;
  f.front_bow = .003, f.fillet = .0005;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "fillets of 0.5 mm with bowed walls");
  f = plain, f.back_bow = -.02;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "the back wall meets the front wall: at y = ");
  f = plain, f.front_bow = (double)INFINITY;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "the front wall is bowed by inf mm");
  f = plain, f.cavity_ratio = 0;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "expected 0.05 to 20");
  f.cavity_ratio = .5, f.cavity = .01;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "cavities of 10 mm whose last is 0.5 times");
  f = plain, f.rib_fan = 1.2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "last rib's angle is 68.7549 degrees");
  f = plain, f.num_rib_angles = 2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "2 angles of single ribs and 5 ribs");
  f.num_ribs = 2, f.rib_angles[0] = -1.2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "a single rib's angle is -68.7549 degrees");
  f.rib_angle = .1;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "angles of single ribs beside an angle of all");
  f = plain, f.num_ribs = f.num_rib_heights = 2, f.rib_heights[0] = .04, f.rib_heights[1] = .03;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "the middle of rib 2 from the base is at 30 mm");
  f.cavity_ratio = 2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "heights of single ribs beside a height or a ratio");
  f = plain, f.tip_radius = .004;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "of its width of 6 mm");
  f = plain, f.hinge = .003;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "hinges are 3 mm thick; expected at most");
  f.hinge = .001, f.hinge_length = .008;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "hinges of 8 mm at both ends of rib 3");
  f.inner_cells = 2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "hinges with 2 inner cells");
}

static void tilts_that_do_not_fit_are_explained(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  f.rib_angle = 1;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "finray: ribs tilted by 57.2958 degrees meet the base block at the front");
  f.rib_angle = -2;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG,
        "finray: rib angle is -114.592 degrees; expected -60 to 60");
  f.rib_angle = 0, f.front_angle = (double)NAN;
  FAILS(sup_mesh_finray(&mesh, &f), SUP_E_ARG, "finray: front angle is");
}

static int cells_of_a_tip(double radius, double block) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  f.tip_radius = radius, f.tip_block = block;
  OK(sup_mesh_finray(&mesh, &f));
  int cells = mesh->num_cells;
  sup_mesh_destroy(&mesh);
  return cells;
}

/* Below arcs that leave a tenth of the tip's block there is a row of cells more. */
static void arcs_of_the_tip_get_a_row_while_there_is_room(void) {
  const double share[2] = {.85, .95};
  for (int k = 0; k < 2; k++) {
    double block = .0025 / share[k];
    CHECK((cells_of_a_tip(.0025, block) > cells_of_a_tip(0, block)) == (k == 0));
  }
}

SUITE_TESTS(finray, TEST(default_finger_with_kuhn_tets_is_that_of_case_g01),
            TEST(kuhn_tets_share_the_diagonal_of_their_brick),
            TEST(mirror_pattern_has_no_preferred_direction),
            TEST(all_patterns_fill_the_same_finger), TEST(walls_and_ribs_have_their_thickness),
            TEST(graded_cells_gather_at_the_corners),
            TEST(impossible_fingers_are_refused_with_their_numbers),
            TEST(impossible_boxes_are_refused), TEST(tilted_walls_and_ribs_bound_quadrangles),
            TEST(tilts_that_do_not_fit_are_explained), TEST(ribs_fan_out_and_cavities_shrink),
            TEST(single_ribs_have_their_angles_and_heights),
            TEST(single_walls_and_ribs_have_their_thickness),
            TEST(notches_take_segments_of_circles), TEST(notches_that_do_not_fit_are_explained),
            TEST(corners_of_the_tip_are_round), TEST(bowed_walls_are_parabolas),
            TEST(hinges_take_triangles_of_level_ribs), TEST(shapes_that_do_not_fit_are_explained),
            TEST(arcs_of_the_tip_get_a_row_while_there_is_room));
