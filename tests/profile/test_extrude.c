#include "profile/extrude.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "mesh/named_set.h"
#include "mesh/refine.h"
#include "profile/gmsh.h"
#include "scene/profile_file.h"
#include "test.h"

#define NEED_GMSH \
  if (!test_has_program("gmsh")) SKIP("gmsh is not installed")

static const double mm = 1e-3;

static void add_box(sup_profile *p, double s, double x, double y, double width, double height) {
  OK(sup_profile_begin_loop(p));
  OK(sup_profile_add_point(p, s * x, s * y, 0));
  OK(sup_profile_add_point(p, s * (x + width), s * y, 0));
  OK(sup_profile_add_point(p, s * (x + width), s * (y + height), 0));
  OK(sup_profile_add_point(p, s * x, s * (y + height), 0));
}

/** A frame with walls of 2 mm and a round hole of 3 mm in a block; s: of a millimetre [m]. */
static sup_profile *frame(double s) {
  sup_profile *p;
  OK(sup_profile_create(&p));
  add_box(p, s, 0, 0, 40, 14);
  add_box(p, s, 2, 2, 11, 10);
  add_box(p, s, 15, 2, 9, 10);
  OK(sup_profile_begin_loop(p));
  for (int k = 0; k < 72; k++)
    OK(sup_profile_add_point(p, s * (33 + 3 * cos(k * acos(-1) / 36)),
                             s * (7 + 3 * sin(k * acos(-1) / 36)), 1));
  OK(sup_profile_finish(p, "frame"));
  return p;
}

static void sections_have_quadrilaterals_alone_and_cells_through_walls(void) {
  NEED_GMSH;
  for (int cells = 1; cells <= 4; cells++) {
    sup_profile      *p = frame(mm);
    sup_quads        *quads;
    sup_quads_report  report;
    sup_quads_options options = sup_default_quads_options();
    int               worst;
    options.wall_cells = cells;
    OK(sup_quads_of_profile(&quads, p, &options, &report));
    CHECK(report.walls.fewest >= cells && report.walls.num_sides > 20);
    NEAR(report.walls.thinnest, 2 * mm, 1e-6, 0);
    CHECK(report.quality >= 0.3 && sup_quads_worst(quads, &worst) == report.quality);
    NEAR(sup_quads_area(quads), sup_profile_area(p), 5e-3, 0);
    sup_quads_destroy(&quads);
    sup_profile_destroy(&p);
  }
}

/* One of Gmsh's algorithms writes a point 0 for this drawing, fillet and size: the next one is
 * taken. */
static void files_that_are_wrong_are_passed_over(void) {
  NEED_GMSH;
  sup_mesh           *mesh;
  sup_quads_report    report;
  sup_extrude_options o = sup_default_extrude_options();
  o.extrusion.depth = 20 * mm, o.fillet = 1 * mm, o.section.wall_cells = 1;
  OK(sup_mesh_of_drawing(&mesh, "examples/own_finger.svg", &o, NULL, NULL, &report));
  CHECK(report.quality >= .3 && report.walls.fewest >= 1);
  sup_mesh_destroy(&mesh);
}

static int set_size(const sup_mesh *mesh, const char *name) {
  const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_VERTICES, name);
  return set ? sup_mesh_count_set(mesh, set) : 0;
}

/* The back of this finger is drawn with pieces of 30 and of .7 mm in a row, through which one
 * spline folds back on itself, and its holes have corners of 60 degrees, whose two sides face each
 * other: Gmsh left triangles where the spline folded, and walls of 4 cells were found at the
 * corners whatever the size of the cells. */
static void a_finger_of_uneven_pieces_has_as_many_cells_through_walls_as_asked(void) {
  NEED_GMSH;
  static const char svg[] =
      "<svg xmlns='http://www.w3.org/2000/svg' width='42mm' height='96mm' viewBox='0 0 42 96'>"
      "<path d='M 2,94 L 40,94 C 40,70 30,40 14,4 Q 12,1 9,2 C 6,3 5,6 5,10 C 3,40 2,70 2,94 Z"
      " M 6,90 L 6.2,78 L 33.5,80 L 35.2,90 Z M 6.3,75.5 L 6.8,62 L 28.8,64 L 32.6,77.2 Z"
      " M 6.9,59.5 L 7.4,46 L 22.9,48 L 27.8,61.4 Z M 7.5,43.5 L 8,30 L 16.6,31 L 21.8,45 Z"
      " M 8.1,27.5 L 8.5,15 L 11.2,17 L 15.3,28 Z'/></svg>\n";
  char path[500];
  snprintf(path, sizeof path, "%s/finger.svg", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(svg, file), fclose(file);
  for (int cells = 2; cells <= 5; cells++) {
    sup_mesh           *mesh;
    sup_quads_report    report;
    sup_extrude_options o = sup_default_extrude_options();
    o.extrusion.depth = 20 * mm, o.extrusion.num_layers = 2, o.section.wall_cells = cells;
    OK(sup_mesh_of_drawing(&mesh, path, &o, NULL, NULL, &report));
    CHECK(report.quality >= .3 && report.walls.fewest == cells);
    CHECK(set_size(mesh, "side_2") > 3 * 20 && set_size(mesh, "side_3") == 0);
    printf("%d: %d cells; ", cells, mesh->num_cells);
    CHECK(mesh->num_cells < 250 * cells * cells);
    sup_mesh_destroy(&mesh);
  }
}

/** Points of the round hole lie on its circle, also those between the points that were given. */
static void curves_stay_curves(void) {
  NEED_GMSH;
  sup_profile      *p = frame(mm);
  sup_quads        *quads;
  sup_quads_report  report;
  sup_quads_options options = sup_default_quads_options();
  double            largest = 0;
  int               on_hole = 0;
  OK(sup_quads_of_profile(&quads, p, &options, &report));
  for (int k = 0; k < quads->num_marks; k++) {
    const sup_quad_mark *mark = &quads->mark[k];
    const double        *x = quads->x + 2 * mark->vertex[0];
    double               radius = hypot(x[0] - 33 * mm, x[1] - 7 * mm);
    if (strncmp(quads->set_name[mark->set], "hole", 4) != 0 || radius > 4 * mm) continue;
    largest = fmax(largest, fabs(radius - 3 * mm)), on_hole++;
  }
  CHECK(on_hole >= 8 && largest < 1e-3 * mm);
  sup_quads_destroy(&quads);
  sup_profile_destroy(&p);
}

/** A half disc of radius 1 m: vertices of its arc stay on it, the area's error falls by four with
 * each refinement, straight sides and corners stay. */
static void refined_curves_are_not_their_chords(void) {
  NEED_GMSH;
  enum { PIECES = 36 };
  static const sup_extrusion slab = {.depth = 1, .num_layers = 1, .grading = 1};
  const double               pi = acos(-1);
  double                     before = 0;
  sup_profile               *p;
  sup_quads                 *quads;
  sup_mesh                  *mesh;
  sup_quads_report           report;
  sup_quads_options          options = sup_default_quads_options();
  options.largest = .5, options.corner = 1;
  OK(sup_profile_create(&p));
  OK(sup_profile_begin_loop(p));
  for (int k = 0; k <= PIECES; k++)
    OK(sup_profile_add_point(p, cos(k * pi / PIECES), sin(k * pi / PIECES), k < PIECES));
  OK(sup_profile_finish(p, "half"));
  OK(sup_quads_of_profile(&quads, p, &options, &report));
  OK(sup_mesh_extrude(&mesh, quads, &slab));
  for (int level = 0; level < 3; level++) {
    double               error = fabs(sup_mesh_volume(mesh) / (pi / 2) - 1), off = 0;
    int                  on_arc = 0;
    const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "outer");
    CU_ASSERT_PTR_NOT_NULL_FATAL(set);
    for (int a = 0; a < mesh->num_vertices; a++) {
      const double *x = mesh->x + 3 * (size_t)a;
      if (!set->member[a] || x[1] < 1e-9) continue;
      off = fmax(off, fabs(hypot(x[0], x[1]) - 1)), on_arc++;
    }
    CHECK(on_arc >= 10 && off < 2e-6);
    if (level > 0) NEAR(before / error, 4, .1, 0);
    printf("%d: %.2g, %.2g; ", on_arc, error, off);
    before = error;
    OK(sup_mesh_refine_levels(&mesh, 1));
    OK(sup_mesh_onto_profile(mesh, p));
  }
  sup_mesh_destroy(&mesh), sup_quads_destroy(&quads), sup_profile_destroy(&p);
}

/** A micrometre and a kilometre in size give the same mesh. */
static void size_does_not_matter(void) {
  NEED_GMSH;
  static const double scale[] = {1e-3, 1e-3 / 1048576, 1e-3 * 1048576}; /* powers of two */
  int                 num[3];
  for (int k = 0; k < 3; k++) {
    sup_profile      *p = frame(scale[k]);
    sup_quads        *quads;
    sup_quads_report  report;
    sup_quads_options options = sup_default_quads_options();
    OK(sup_quads_of_profile(&quads, p, &options, &report));
    num[k] = quads->num_quads;
    sup_quads_destroy(&quads);
    sup_profile_destroy(&p);
  }
  CHECK(num[0] == num[1] && num[0] == num[2]);
}

static void bricks_fill_the_extruded_profile(void) {
  NEED_GMSH;
  sup_profile      *p = frame(mm);
  sup_quads        *quads;
  sup_mesh         *mesh;
  sup_quads_report  report;
  sup_quads_options options = sup_default_quads_options();
  sup_extrusion     e = {.depth = 10 * mm, .num_layers = 4, .grading = 3};
  OK(sup_quads_of_profile(&quads, p, &options, &report));
  OK(sup_mesh_extrude(&mesh, quads, &e));
  NEAR(sup_mesh_volume(mesh), sup_quads_area(quads) * 10 * mm, 1e-12, 0);
  CHECK(mesh->type == SUP_CELL_H8 && mesh->num_cells == 4 * quads->num_quads);
  CHECK(set_size(mesh, "z_min") == quads->num_points &&
        set_size(mesh, "z_max") == quads->num_points);
  CHECK(set_size(mesh, "outer") > 100 && set_size(mesh, "side_4") > 10 &&
        set_size(mesh, "hole_3") > 10 && set_size(mesh, "symmetry") == 0);
  sup_mesh_destroy(&mesh);
  e.is_symmetric = 1, e.num_layers = 2;
  OK(sup_mesh_extrude(&mesh, quads, &e));
  NEAR(sup_mesh_volume(mesh), sup_quads_area(quads) * 5 * mm, 1e-12, 0);
  CHECK(set_size(mesh, "symmetry") == quads->num_points && set_size(mesh, "z_max") == 0);
  /* layers of weight 1 + 2 (1/4) and 1 + 2 (3/4): 3/8 and 5/8 of the half */
  NEAR(mesh->x[3 * quads->num_points + 2], 5 * mm * 3 / 8, 1e-12, 0);
  sup_mesh_destroy(&mesh);
  e.depth = 0;
  FAILS(sup_mesh_extrude(&mesh, quads, &e), SUP_E_ARG, "expected a positive depth");
  sup_quads_destroy(&quads);
  sup_profile_destroy(&p);
}

/** A plate of 30 x 10 mm with a hole of 3 mm, with a named curve. */
static const char *write_plate(void) {
  static char     path[1024];
  sup_file_writer out;
  snprintf(path, sizeof path, "%s/plate.geo", test_folder());
  OK(sup_file_open(&out, path));
  fputs(
      "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 30, 10};\nDisk(2) = {8, 5, 0, 3};\n"
      "BooleanDifference{ Surface{1}; Delete; }{ Surface{2}; Delete; }\n"
      "Physical Curve(\"held\") = Curve In BoundingBox {-1, -1, -1, .1, 11, 1};\n",
      out.file);
  OK(sup_file_commit(&out));
  return path;
}

/** A section that Gmsh describes. */
static void gmsh_geometry_is_a_section(void) {
  NEED_GMSH;
  const char       *path = write_plate();
  sup_quads        *quads;
  sup_quads_report  report;
  sup_quads_options options = sup_default_quads_options();
  OK(sup_quads_of_geometry(&quads, path, mm, &options, NULL, &report));
  NEAR(sup_quads_area(quads), (300 - acos(-1) * 9) * mm * mm, 5e-3, 0);
  CHECK(report.quality >= 0.3 && report.walls.fewest >= 2);
  CHECK(quads->num_sets == 1 && strcmp(quads->set_name[0], "held") == 0 && quads->num_marks >= 4);
  for (int k = 0; k < quads->num_marks; k++)
    NEAR(quads->x[2 * quads->mark[k].vertex[0]], 0, 0, 1e-9);
  sup_quads_destroy(&quads);
  FAILS(sup_quads_of_geometry(&quads, "no.geo", mm, &options, NULL, &report), SUP_E_IO,
        "no such file");
}

/** Vertices of refined meshes are on the hole's circle, the volume comes near by a quarter a level,
 * and straight sides stay. */
static void refined_geometry_follows_its_curves(void) {
  NEED_GMSH;
  const double        exact = (300 - acos(-1) * 9) * mm * mm * 4 * mm;
  sup_extrude_options o = sup_default_extrude_options();
  sup_mesh           *mesh;
  sup_profile        *drawn;
  sup_quads_report    report;
  o.extrusion.depth = 4 * mm, o.extrusion.num_layers = 1, o.unit = 3;
  OK(sup_mesh_of_drawing(&mesh, write_plate(), &o, NULL, &drawn, &report));
  for (double before = sup_mesh_volume(mesh) - exact; before > 1e-4 * exact;) {
    OK(sup_mesh_refine_levels(&mesh, 1));
    OK(sup_mesh_onto_profile(mesh, drawn));
    double now = sup_mesh_volume(mesh) - exact;
    NEAR(now / before, 0.25, 0.02, 0);
    before = now;
    double nearest = HUGE_VAL;
    for (int v = 0; v < mesh->num_vertices; v++)
      nearest = fmin(nearest, hypot(mesh->x[3 * v] - 8 * mm, mesh->x[3 * v + 1] - 5 * mm));
    printf("%.3g of %.3g, %.2g; ", now, exact, nearest / (3 * mm) - 1);
    CHECK(nearest > 3 * mm * (1 - 3e-6));
  }
  sup_mesh_destroy(&mesh);
  sup_profile_destroy(&drawn);
}

static void a_missing_gmsh_is_said(void) {
  char             *path = getenv("PATH"), kept[4096];
  sup_profile      *p = frame(mm);
  sup_quads        *quads;
  sup_quads_report  report;
  sup_quads_options options = sup_default_quads_options();
  snprintf(kept, sizeof kept, "%s", path ? path : "");
  setenv("PATH", "/nowhere", 1);
  FAILS(sup_quads_of_profile(&quads, p, &options, &report), SUP_E_IO, "apt-get install gmsh");
  setenv("PATH", kept, 1);
  sup_profile_destroy(&p);
}

/** A hole a micrometre beside the side of a block of 30 x 50 mm. */
static void walls_of_a_micrometre_are_named_by_place(void) {
  sup_profile      *p;
  sup_quads        *quads;
  sup_quads_report  report;
  sup_quads_options options = sup_default_quads_options();
  OK(sup_profile_create(&p));
  add_box(p, mm, 0, 0, 30, 50);
  add_box(p, mm, 0.001, 10, 20, 10);
  OK(sup_profile_finish(p, "block"));
  FAILS(sup_quads_of_profile(&quads, p, &options, &report), SUP_E_GEOMETRY,
        "mm is 0.001 mm thick in a section of 58.3 mm, expected at least 0.0117 mm");
  CHECK(strstr(sup_error_message(), "the wall near (0, 1") != NULL && quads == NULL);
  sup_profile_destroy(&p);
}

SUITE_TESTS(extrude, TEST(sections_have_quadrilaterals_alone_and_cells_through_walls),
            TEST(files_that_are_wrong_are_passed_over),
            TEST(a_finger_of_uneven_pieces_has_as_many_cells_through_walls_as_asked),
            TEST(curves_stay_curves), TEST(refined_curves_are_not_their_chords),
            TEST(size_does_not_matter), TEST(bricks_fill_the_extruded_profile),
            TEST(gmsh_geometry_is_a_section), TEST(refined_geometry_follows_its_curves),
            TEST(walls_of_a_micrometre_are_named_by_place), TEST(a_missing_gmsh_is_said));
