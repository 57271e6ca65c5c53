#include <dirent.h>

#include "base/memory.h"
#include "mesh/generate/tetgen.h"
#include "mesh/named_set.h"
#include "solids.h"

static solid_surface surface;

/** The surface as it is, unchecked. */
static sup_hull raw(void) {
  return (sup_hull){.num_points = surface.num_points,
                    .point = surface.point,
                    .num_triangles = surface.num_triangles,
                    .triangle = surface.triangle};
}

static void refused(sup_status status, const char *text) {
  sup_hull           hull = raw();
  sup_mesh          *mesh;
  sup_tetgen_options options = sup_default_tetgen_options();
  FAILS(sup_mesh_of_polyhedron(&mesh, &hull, &options), status, text);
  CHECK(mesh == NULL);
}

static int num_files(const char *folder) {
  int            count = 0;
  struct dirent *entry;
  DIR           *d = opendir(folder);
  CU_ASSERT_FATAL(d != NULL);
  while ((entry = readdir(d)) != NULL) count += entry->d_name[0] != '.';
  closedir(d);
  return count;
}

static void cells_fill_the_surface_and_leave_no_file(void) {
  sup_tetgen_options options = sup_default_tetgen_options();
  sup_mesh          *mesh;
  char               folder[1024];
  snprintf(folder, sizeof folder, "%s", test_folder());
  setenv("TMPDIR", folder, 1);
  solid_angle(&surface, 1e-3, 2e-3); /* millimetres: the scale must not matter */
  sup_hull *hull = solid_hull(&surface);
  options.max_volume = 1e-11;
  OK(sup_mesh_of_polyhedron(&mesh, hull, &options));
  unsetenv("TMPDIR");
  CHECK(num_files(folder) == 0);
  NEAR(sup_mesh_volume(mesh), .75e-6 * 2e-3, 1e-12, 0);
  for (int c = 0; c < mesh->num_cells; c++) {
    double volume = sup_mesh_cell_volume(mesh, c);
    CHECK(volume > 0 && volume <= options.max_volume * (1 + 1e-9));
  }
  sup_mesh_destroy(&mesh);
  sup_hull_destroy(&hull);
}

static void the_same_surface_gives_the_same_cells(void) {
  solid_torus(&surface, .05, .02, 10, 6);
  sup_hull *hull = solid_hull(&surface);
  sup_mesh *one = solid_cells(hull, .02), *two = solid_cells(hull, .02);
  CHECK(one->num_cells == two->num_cells && one->num_vertices == two->num_vertices);
  CHECK(memcmp(one->x, two->x, 3 * (size_t)one->num_vertices * sizeof *one->x) == 0);
  CHECK(memcmp(one->cell, two->cell, 4 * (size_t)one->num_cells * sizeof *one->cell) == 0);
  sup_mesh_destroy(&one);
  sup_mesh_destroy(&two);
  sup_hull_destroy(&hull);
}

static void a_missing_mesher_names_the_package(void) {
  char *path = strdup(getenv("PATH"));
  setenv("PATH", "/nowhere", 1);
  solid_box(&surface, 1, 1, 1);
  refused(SUP_E_IO, "install the package tetgen (Debian, Ubuntu: apt-get install tetgen)");
  setenv("PATH", path, 1);
  free(path);
}

static void a_mesher_that_takes_too_long_is_stopped(void) {
  sup_tetgen_options options = sup_default_tetgen_options();
  sup_mesh          *mesh;
  solid_box(&surface, 1, 1, 1);
  sup_hull hull = raw();
  options.max_volume = 1.01e-6, options.time_limit = .02;
  FAILS(sup_mesh_of_polyhedron(&mesh, &hull, &options), SUP_E_GEOMETRY,
        "tetgen was stopped after 0.02 s");
  options.max_volume = 1e-7;
  FAILS(sup_mesh_of_polyhedron(&mesh, &hull, &options), SUP_E_ARG,
        "are about 2e+07 cells; at most 2e+06 are made");
  options.max_volume = 0, options.quality = 1;
  FAILS(sup_mesh_of_polyhedron(&mesh, &hull, &options), SUP_E_ARG, "expected a quality above 1 ");
}

/** A program that fails in the place of tetgen. */
static void a_mesher_that_fails_is_quoted(void) {
  char  folder[1024], file[1100], path[5000], *old = strdup(getenv("PATH"));
  FILE *script;
  snprintf(folder, sizeof folder, "%s", test_folder());
  snprintf(file, sizeof file, "%s/tetgen", folder);
  script = fopen(file, "w");
  CU_ASSERT_FATAL(script != NULL);
  fprintf(script, "#!/bin/sh\necho first\necho 'out of luck'\necho\nexit 3\n");
  fclose(script);
  snprintf(path, sizeof path, "chmod +x %s", file);
  CU_ASSERT(system(path) == 0);
  snprintf(path, sizeof path, "%s:%s", folder, old);
  setenv("PATH", path, 1);
  solid_box(&surface, 1, 1, 1);
  refused(SUP_E_GEOMETRY, "tetgen ended with code 3; its last message: 'out of luck'");
  setenv("PATH", old, 1);
  free(old);
  remove(file);
}

/* ---- surfaces that have no inside ------------------------------------------------------------ */

static void bad_surfaces_are_refused_by_triangle(void) {
  solid_box(&surface, 1, 1, 1);
  surface.num_triangles--;
  refused(SUP_E_GEOMETRY,
          "the surface is not closed: 3 edges are open, the first belongs to triangle 10 alone");
  solid_box(&surface, 1, 1, 1);
  solid_triangle(&surface, 0, 2, 1);
  refused(SUP_E_GEOMETRY,
          "triangles 9 and 13 (counted from 1) have the same corners, near (-0.5, -0.5, -0.5) m");
  solid_box(&surface, 1, 1, 1);
  surface.triangle[0] = 1, surface.triangle[1] = 0;
  refused(SUP_E_GEOMETRY,
          "triangles 1 and 9 (counted from 1) run along their common edge in the same direction");
  solid_box(&surface, 1, 1, 1);
  for (int t = 0; t < surface.num_triangles; t++) {
    int *v = surface.triangle + 3 * t, keep = v[0];
    v[0] = v[1], v[1] = keep;
  }
  refused(SUP_E_GEOMETRY, "encloses a volume of -1 m^3; its triangles must face outwards");
  solid_box(&surface, 1, 1, 1);
  solid_point(&surface, .5, 1e-9,
              -.5); /* on an edge, which is cut: the one side gets a triangle without height */
  int *v = surface.triangle + 3 * 2; /* the side x = .5: (1, 2, 6), (1, 6, 5) */
  CU_ASSERT_FATAL(v[0] == 1 && v[1] == 2 && v[2] == 6);
  v[1] = 8;
  solid_triangle(&surface, 8, 2, 6);
  solid_triangle(&surface, 8, 1, 2);
  refused(SUP_E_GEOMETRY,
          "triangle 14 (counted from 1) is flat: its height is 0 m and its longest edge 1 m");
}

/** Two cubes, the second one shifted by a part of its diagonal. */
static void two_boxes(double shift) {
  static solid_surface one;
  solid_box(&one, 1, 1, 1);
  solid_box(&surface, 1, 1, 1);
  for (int i = 0; i < one.num_points; i++)
    solid_point(&surface, one.point[3 * i] + shift, one.point[3 * i + 1] + shift,
                one.point[3 * i + 2] + .5 * shift);
  for (int t = 0; t < one.num_triangles; t++) {
    const int *v = one.triangle + 3 * t;
    solid_triangle(&surface, 8 + v[0], 8 + v[1], 8 + v[2]);
  }
}

static void a_surface_that_cuts_itself_is_refused_by_triangle(void) {
  two_boxes(.3);
  refused(SUP_E_GEOMETRY, "the surface intersects itself: triangles ");
  two_boxes(1.3); /* two bodies apart are one surface */
  sup_hull *hull = solid_hull(&surface);
  sup_mesh *mesh = solid_cells(hull, .5);
  NEAR(sup_mesh_volume(mesh), 2, 1e-12, 0);
  sup_mesh_destroy(&mesh);
  sup_hull_destroy(&hull);
}

/** A box into the surface; facing = -1: its triangles face inwards, a cavity. */
static void add_box(double size, double at, int facing) {
  static solid_surface one;
  int                  first = surface.num_points;
  solid_box(&one, size, size, size);
  for (int i = 0; i < one.num_points; i++)
    solid_point(&surface, one.point[3 * i] + at, one.point[3 * i + 1] + at,
                one.point[3 * i + 2] + at);
  for (int t = 0; t < one.num_triangles; t++) {
    const int *v = one.triangle + 3 * t;
    solid_triangle(&surface, first + v[0], first + v[facing > 0 ? 1 : 2],
                   first + v[facing > 0 ? 2 : 1]);
  }
}

/* A box with two chambers, in one of which is a box with a chamber of its own. */
static void cavities_stay_empty(void) {
  double far = 1000; /* where a body is does not matter */
  surface = (solid_surface){0};
  add_box(1, far, 1), add_box(.2, far - .35, -1), add_box(.5, far + .2, -1);
  add_box(.3, far + .2, 1), add_box(.25, far + .2, -1);
  double    volume = 1 - .008 - .125 + .027 - .015625;
  sup_hull *hull = solid_hull(&surface);
  sup_mesh *mesh = solid_cells(hull, .2);
  NEAR(sup_mesh_volume(mesh), volume, 1e-9, 0);
  for (int c = 0; c < mesh->num_cells; c++) { /* none where nothing is */
    double x[3] = {0}, first = 0, second = 0;
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) x[i] += mesh->x[3 * mesh->cell[4 * c + k] + i] / 4;
    for (int i = 0; i < 3; i++)
      first = fmax(first, fabs(x[i] - far + .35)), second = fmax(second, fabs(x[i] - far - .2));
    CHECK(first > .1 && (second > .25 || (second < .15 && second > .125)));
  }
  sup_mesh_destroy(&mesh);
  sup_hull_destroy(&hull);
}

/* A box inside a box, both facing outwards. */
static void a_cavity_that_faces_outwards_is_told(void) {
  surface = (solid_surface){0};
  add_box(1, 0, 1), add_box(.4, 0, 1);
  refused(SUP_E_GEOMETRY, "filled 1 m^3 of a surface that holds 1.064 m^3 (a closed part inside");
}

static double volume_of_set(const sup_mesh *mesh, const char *name) {
  const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_CELLS, name);
  double               sum = 0;
  for (int c = 0; set && c < mesh->num_cells; c++)
    if (set->member[c]) sum += sup_mesh_cell_volume(mesh, c);
  return sum;
}

static sup_hull *box_at(double size, double at) {
  surface = (solid_surface){0};
  add_box(size, at, 1);
  return solid_hull(&surface);
}

/* A shell with a hollow in a box, a core in the shell, a box beside: sets of their volumes in one
 * mesh, whatever their names and wherever they are. */
static void inserts_are_sets_of_cells(void) {
  for (int k = 0; k < 2; k++) {
    double    at = k * 100.;
    sup_hull *body = box_at(1, at), *core = box_at(.1, at + .1), *beside = box_at(.2, at - .35);
    surface = (solid_surface){0};
    add_box(.5, at + .1, 1), add_box(.05, at + .28, -1);
    sup_hull          *shell = solid_hull(&surface);
    const sup_insert   insert[] = {{core, "core"}, {shell, "region_2"}, {beside, "beside"}};
    sup_tetgen_options options = sup_default_tetgen_options();
    sup_mesh          *mesh;
    options.max_volume = sup_tetgen_volume(.2);
    options.num_inserts = 3, options.insert = insert;
    OK(sup_mesh_of_polyhedron(&mesh, body, &options));
    NEAR(sup_mesh_volume(mesh), 1, 1e-9, 0);
    NEAR(volume_of_set(mesh, "core"), .001, 1e-9, 0);
    NEAR(volume_of_set(mesh, "region_2"), .125 - .000125 - .001, 1e-9, 0);
    NEAR(volume_of_set(mesh, "beside"), .008, 1e-9, 0);
    CHECK(mesh->num_sets == 3);
    sup_mesh_destroy(&mesh);
    sup_hull_destroy(&body), sup_hull_destroy(&core), sup_hull_destroy(&shell);
    sup_hull_destroy(&beside);
  }
}

static void refused_insert(double size, double at, double other, const char *text) {
  sup_hull          *body = box_at(1, 0), *a = box_at(size, at), *b = box_at(.3, other);
  const sup_insert   insert[] = {{a, "core"}, {b, "rod"}};
  sup_tetgen_options options = sup_default_tetgen_options();
  sup_mesh          *mesh;
  options.num_inserts = 2, options.insert = insert;
  FAILS(sup_mesh_of_polyhedron(&mesh, body, &options), SUP_E_GEOMETRY, text);
  CHECK(mesh == NULL);
  sup_hull_destroy(&body), sup_hull_destroy(&a), sup_hull_destroy(&b);
}

static void inserts_that_meet_are_refused_by_name(void) {
  refused_insert(.4, .4, -.2, "insert 'core': its point (");
  refused_insert(.4, .3, -.2, "insert 'core': its point ("); /* touches the surface */
  refused_insert(2, 0, -.2, "insert 'core': its point (");
  refused_insert(.2, .2, .1, "the insert 'rod' and the insert 'core' meet near (");
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files_counted_from_1_with_attributes_are_read(void) {
  static const char node[] =
      "# points\n5 3 1 1\n1 0 0 0 7 1\n\n2 1 0 0 7 1 # a comment\n3 0 1 0 7 1\n4 0 0 1 7 1\n"
      "5 1 1 1e0 7 1\n";
  static const char ele[] = "2 4 1\n1 1 2 3 4 7\n2 5 4 2 3 7\n";
  sup_mesh         *mesh;
  OK(sup_tetgen_parse(&mesh, "a.node", node, "a.ele", ele, NULL));
  CHECK(mesh->num_vertices == 5 && mesh->num_cells == 2);
  NEAR(sup_mesh_volume(mesh), 1. / 6 + 1. / 3, 1e-14, 0);
  sup_mesh_destroy(&mesh);
}

static void bad_files_say_where_and_what(void) {
  static const char good[] = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
  static const struct {
    const char *node, *ele, *text;
  } cases[] = {
      {"4 2 0 0\n", "", "a.node:1: found 2 for the dimension, expected 3"},
      {"4 3 0 0\n0 0 0 0\n2 1 0 0\n", "", "a.node:3: found 2 for the number of a point"},
      {"4 3 0 0\n0 0 x 0\n", "", "a.node:2: found 'x', expected a coordinate"},
      {"4 3 0 0\n0 0 0 0\n", "",
       "a.node:3: found the end of the file, expected the number of a point"},
      {good, "1 4 0\n0 0 1 2\n", "a.ele:2: found the end of the line, expected a point of a cell"},
      {good, "1 4 0\n0 0 1 2 4\n", "a.ele:2: found 4 for a point of a cell"},
      {good, "1 3 0\n", "a.ele:1: found 3 for the points of a cell"},
      {good, "1 4 0\n0 0 1 2 2\n", "cell 0 has vertex 2 twice"}};
  sup_mesh *mesh;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sup_status status =
        sup_tetgen_parse(&mesh, "a.node", cases[i].node, "a.ele", cases[i].ele, NULL);
    test_fails(status, i == 7 ? SUP_E_GEOMETRY : SUP_E_PARSE, cases[i].text, cases[i].text,
               __FILE__, __LINE__);
    CHECK(mesh == NULL);
  }
}

SUITE_TESTS(tetgen, TEST(cells_fill_the_surface_and_leave_no_file),
            TEST(the_same_surface_gives_the_same_cells), TEST(a_missing_mesher_names_the_package),
            TEST(a_mesher_that_takes_too_long_is_stopped), TEST(a_mesher_that_fails_is_quoted),
            TEST(bad_surfaces_are_refused_by_triangle),
            TEST(a_surface_that_cuts_itself_is_refused_by_triangle), TEST(cavities_stay_empty),
            TEST(a_cavity_that_faces_outwards_is_told), TEST(inserts_are_sets_of_cells),
            TEST(inserts_that_meet_are_refused_by_name),
            TEST(files_counted_from_1_with_attributes_are_read),
            TEST(bad_files_say_where_and_what));
