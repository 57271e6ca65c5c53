#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/format/vtk.h"
#include "mesh/generate/generate.h"

static void generated_files_hold_the_mesh_of_the_library(void) {
  static const char *const name[] = {"hex", "kuhn", "mirror"};
  for (int pattern = SUP_PATTERN_HEX; pattern <= SUP_PATTERN_MIRROR; pattern++) {
    char       arguments[256], path[256];
    sup_finray f = sup_default_finray();
    sup_mesh  *expected, *read;
    f.pattern = (sup_mesh_pattern)pattern, f.height = 0.1, f.num_ribs = 7, f.depth_cells = 2,
    f.wall = 0.0015;
    if (pattern == SUP_PATTERN_KUHN) f.fillet = .0005, f.fillet_cells = 1, f.is_perpendicular = 1;
    OK(sup_mesh_finray(&expected, &f));
    snprintf(arguments, sizeof arguments,
             "mesh finray --height 100mm --ribs=7 --depth-cells 2 --wall 0.15cm --pattern %s -o "
             "FOLDER/f.vtk%s",
             name[pattern],
             pattern == SUP_PATTERN_MIRROR ? " --ascii"
             : pattern == SUP_PATTERN_KUHN
                 ? " --fillet 0.5mm --fillet-cells 1 --thickness perpendicular"
                 : "");
    check_run(arguments, 0, pattern == SUP_PATTERN_HEX ? "H8 cells" : "T4 cells");
    snprintf(path, sizeof path, "%s/f.vtk", test_folder());
    OK(sup_mesh_read(&read, path, NULL));
    CHECK(read->type == expected->type && read->num_cells == expected->num_cells &&
          read->num_vertices == expected->num_vertices);
    CHECK(memcmp(read->x, expected->x, 3 * (size_t)read->num_vertices * sizeof *read->x) ==
          0); /* 100mm is 0.1 to the last bit */
    sup_mesh_destroy(&read);
    sup_mesh_destroy(&expected);
  }
  check_run("mesh box --size 30mm,2cm,0.01 --cells 3,2,1 --pattern kuhn -o FOLDER/b.vtk", 0,
            "36 T4 cells, 24 vertices, volume 6 cm^3");
}

static void tetrahedra_change_their_order(void) {
  check_run("mesh box --size 30mm,2cm,0.01 --cells 3,2,1 --pattern kuhn --order 2 -o FOLDER/q.vtk",
            0, "36 T10 cells, 105 vertices, volume 6 cm^3");
  check_run("mesh info FOLDER/q.vtk", 0, "36 T10 (quadratic tetrahedra), 105 vertices");
  check_run("mesh info FOLDER/q.vtk", 0, "176 triangles, area 22 cm^2, closed");
  check_run("mesh convert FOLDER/q.vtk --order 1 -o FOLDER/l.vtk", 0,
            "288 T4 cells, 105 vertices, volume 6 cm^3");
  check_run("mesh convert FOLDER/l.vtk --order 2 -o FOLDER/q.vtk --scale 2", 0,
            "288 T10 cells, 585 vertices, volume 48 cm^3");
  check_run("mesh convert meshes/finray_h8.vtk --order 2 -o FOLDER/q.vtk", 2,
            "only T4 cells can be made quadratic");
  check_run("mesh convert -o FOLDER/q.vtk", 2, "a file is missing");
}

static void info_describes_a_mesh(void) {
  check_run("mesh box --size 30mm,20mm,10mm --cells 3,2,1 -o FOLDER/box.vtk", 0,
            "6 H8 cells, 24 vertices, volume 6 cm^3");
  check_run("mesh info FOLDER/box.vtk", 0, "6 H8 (hexahedra), 24 vertices");
  check_run("mesh info FOLDER/box.vtk", 0, "volume       6 cm^3");
  check_run("mesh info FOLDER/box.vtk", 0, "x 0 .. 30, y 0 .. 20, z 0 .. 10 mm");
  check_run("mesh info FOLDER/box.vtk", 0, "22 quads, area 22 cm^2, closed");
  check_run("mesh info FOLDER/box.vtk", 0,
            "6 cells (100 %) have all their vertices on the surface");
  check_run("mesh info FOLDER/box.vtk", 0, "0.8 - 0.9         0\n    0.9 - 1.0         6  ####");
  check_run("mesh box --size 30,20,10 -o FOLDER/large.vtk", 0, "64 H8 cells");
  check_run("mesh info FOLDER/large.vtk", 0, "WARNING      the mesh is 30 m large");
  check_run("mesh info meshes/finray_s_t4.vtk", 0, "1704 T4 (tetrahedra), 660 vertices");
}

static void info_describes_a_surface(void) {
  const char *out = check_run("mesh info tests/data/bad/part_turned.obj", 0,
                              "surface      4 triangles, 4 points");
  CHECK(strstr(out, "file         1 of 4 triangles were turned to face outwards") != NULL);
  CHECK(strstr(out, "inside       closed, volume 166667 cm^3") != NULL);
  CHECK(strstr(out, "edges        1000 to 1414 mm") != NULL);
  CHECK(strstr(out, "crossings    none") != NULL);
  check_run("mesh info tests/data/bad/part_open.obj", 0,
            "inside       NONE: the surface is not closed: 3 edges are open");
  check_run("mesh info tests/data/bad/part_crossing.obj", 0,
            "crossings    3 pairs of triangles cut each other, the first 3 and 5 (from 1) at (");
  check_run("mesh info tests/data/bad/part_sliver.obj", 0, "flat         triangle 4");
  check_run("mesh info tests/data/bad/part_broken.obj", 2, "part_broken.obj:3: found 'O'");
}

/** Sharp edges of blocks, where the way in ends in the side next door, are no walls; cells in
 * fillets are not of one height. */
static void check_walls_of_a_finger(const char *pattern, int cells) {
  char line[256];
  snprintf(line, sizeof line, "mesh finray --pattern %s -o FOLDER/walls.vtk", pattern);
  check_run(line, 0, "cells");
  const char *said =
      strstr(check_run("mesh info FOLDER/walls.vtk", 0, "through at the thinnest"), "walls  ");
  double least = strtod(said + strlen("walls"), NULL),
         median = strtod(strstr(said, " m, ") + 4, NULL);
  NEAR(least, cells, 0, 0.25 * cells);
  NEAR(median, cells, 0, 0.25 * cells);
}

static void info_counts_parts_and_cells_through_walls(void) {
  check_run("mesh box --size 90mm,80mm,9mm --cells 9,8,3 -o FOLDER/plate.vtk", 0, "216 H8 cells");
  check_run("mesh info FOLDER/plate.vtk", 0, "walls        3 cells through at the thinnest");
  check_run("mesh info FOLDER/plate.vtk", 0, "parts        1\n");
  check_run("mesh box --size 90mm,80mm,9mm --cells 9,8,2 --pattern kuhn -o FOLDER/plate.vtk", 0,
            "864 T4 cells");
  check_run("mesh info FOLDER/plate.vtk", 0, "walls        2 cells through at the thinnest");
  check_run(
      "mesh box --size 90mm,80mm,9mm --cells 9,8,2 --pattern kuhn --order 2 -o FOLDER/plate.vtk", 0,
      "864 T10");
  check_run("mesh info FOLDER/plate.vtk", 0, "walls        2 cells through at the thinnest");
  check_walls_of_a_finger("hex --fillet 1mm", 1);
  check_walls_of_a_finger("kuhn --front-angle 8deg --rib-angle 12deg --fillet 1mm", 1);
  check_walls_of_a_finger("hex --fillet 1mm --wall-cells 2 --rib-cells 2", 2);
  check_run("mesh box --size 100mm,20mm,0.2mm --cells 20,4,1 -o FOLDER/plate.vtk", 0, "80 H8");
  check_run("mesh info FOLDER/plate.vtk", 0,
            "80 cells are a layer of one, up to 1:25 thin (0.2 mm)\n"
            "               'element: solid_shell' in the scene");
  check_run("mesh info tests/data/scene/two_parts.inp", 0, "parts        2, which share no vertex");
  check_run("mesh info tests/data/bad/cells.inp", 0,
            "file         1 inverted cells turned, 1 unused vertices dropped");
}

static void meshes_are_converted_and_refined(void) {
  static const char *const endings[] = {"msh", "inp", "node", "vtk"};
  char                     line[256];
  check_run("mesh box --size 30mm,20mm,10mm --cells 3,2,1 --pattern mirror -o FOLDER/b.vtk", 0,
            "36 T4 cells");
  for (int i = 0; i < 4; i++) {
    snprintf(line, sizeof line, "mesh convert FOLDER/b.%s -o FOLDER/b.%s",
             i ? endings[i - 1] : "vtk", endings[i]);
    check_run(line, 0, "36 T4 cells, 24 vertices, volume 6 cm^3");
  }
  check_run("mesh refine FOLDER/b.ele --levels 2 -o FOLDER/f.msh", 0,
            "2304 T4 cells, 585 vertices, volume 6 cm^3");
  check_run("mesh refine meshes/finray_h8.vtk -o FOLDER/f.vtk", 0, "H8 cells");
  check_run("mesh refine FOLDER/f.vtk --levels 12 -o FOLDER/g.vtk", 2, "cells; at most");
  check_run("mesh refine FOLDER/f.vtk -o FOLDER/../mesh_command/f.vtk", 2,
            "would replace the file that is read");
  check_run("mesh convert FOLDER/b.ele -o FOLDER/b.node", 2,
            "would replace the file that is read, expected another");
  check_run("mesh refine FOLDER/f.vtk --levels -1 -o FOLDER/g.vtk", 2,
            "found -1 for --levels, expected 0 or more");
  check_run("mesh refine FOLDER/f.vtk -o FOLDER/f.stl", 2,
            "expected a name that ends in .vtk, .msh, .inp or .node");
  check_run("mesh refine -o FOLDER/f.vtk", 2, "a file is missing");
  check_run("mesh convert meshes/finray_h8.vtk -o FOLDER/f.node", 2, "found H8 cells, expected T4");
  check_run("mesh convert tests/data/bad/cells.inp -o FOLDER/f.vtk --scale 0.001", 0,
            "passed over 1 blocks of CPS3 elements");
}

static void a_surface_is_filled(void) {
  check_run(
      "mesh tetrahedralize tests/data/bad/part_angle.obj --scale 0.01 --resolution 5mm -o "
      "FOLDER/angle.vtk",
      0, "volume 3 cm^3");
  check_run("mesh info FOLDER/angle.vtk", 0, "T4 (tetrahedra)");
  check_run(
      "mesh tetrahedralize tests/data/bad/part_double.obj -o FOLDER/x.vtk", 2,
      "tests/data/bad/part_double.obj: triangles 4 and 5 (counted from 1) have the same corners");
  check_run("mesh tetrahedralize tests/data/bad/part_crossing.obj --resolution 1 -o FOLDER/x.vtk",
            2,
            "tests/data/bad/part_crossing.obj: the surface intersects itself: triangles 3 and 5");
  check_run(
      "mesh tetrahedralize tests/data/bad/part_in_mm.obj --resolution 5mm -o FOLDER/x.vtk", 2,
      "choose a coarser resolution, or is the surface in millimetres? Then scale it by 0.001");
  check_run("mesh tetrahedralize -o FOLDER/x.vtk", 2,
            "a file is missing, expected supple mesh tetrahedralize SURFACE -o NAME.vtk");
  check_run("mesh tetrahedralize a.stl --scale -1 -o FOLDER/x.vtk", 2,
            "expected a positive number");
  check_run("mesh tetrahedralize /nonexistent/a.stl -o FOLDER/x.vtk", 3,
            "cannot read /nonexistent/a.stl");
}

/** A tetrahedron of 1 x 1 x 1 m without its last triangle, and with its first one twice. */
static void surfaces_are_repaired(void) {
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  for (int k = 0; k < 2; k++) {
    char text[2000] = "solid t\n";
    for (int f = 0; f < 3 + 2 * k; f++) {
      strcat(text, "facet normal 0 0 0\nouter loop\n");
      for (int c = 0; c < 3; c++)
        sprintf(text + strlen(text), "vertex %d %d %d\n", face[f % 4][c] == 1, face[f % 4][c] == 2,
                face[f % 4][c] == 3);
      strcat(text, "endloop\nendfacet\n");
    }
    app_write_file("open.stl", strcat(text, "endsolid t\n"));
    check_run("mesh repair FOLDER/open.stl", 2, "expected two files that end in .stl");
    check_run("mesh repair FOLDER/open.stl -o FOLDER/open.stl", 2, "IN.stl -o OUT.stl");
    if (system("command -v admesh >/dev/null") != 0) SKIP("admesh is not installed; ");
    const char *said = check_run("mesh repair FOLDER/open.stl -o FOLDER/closed.stl", 0,
                                 "repaired: 4 triangles, 0 open edges");
    CHECK(strstr(said, "closed, volume 166667 cm^3") != NULL);
    CHECK(!app_exists(".", "closed.stl.part.stl") && !app_exists(".", "closed.stl.part.stl.log"));
  }
}

static void mistakes_are_explained(void) {
  check_run("mesh", 2, "usage: supple mesh SUBCOMMAND");
  check_run("mesh finrai", 2, "unknown subcommand 'finrai'; did you mean finray?");
  check_run("mesh finray --heigth 80mm -o FOLDER/x.vtk", 2,
            "unknown option --heigth; did you mean --height?");
  check_run("mesh finray --rib 5 -o FOLDER/x.vtk", 2,
            "a length without a unit is in metres: did you mean --rib 5mm?");
  check_run("mesh extrude examples/own_finger.svg --depth 20 -o FOLDER/x.vtk", 2,
            "a length without a unit is in metres: did you mean --depth 20mm?");
  check_run("mesh finray --height 80inch -o FOLDER/x.vtk", 2,
            "found '80inch' for --height, expected a length such as 80mm");
  check_run("mesh finray --height", 2, "--height needs a value");
  check_run("mesh finray --ribs 2.5 -o FOLDER/x.vtk", 2,
            "found '2.5' for --ribs, expected a whole number");
  check_run("mesh finray --ribs 99999999999 -o FOLDER/x.vtk", 2, "expected a whole number");
  check_run("mesh finray --pattern tet -o FOLDER/x.vtk", 2, "expected one of hex, kuhn, mirror");
  check_run("mesh finray --ascii=1 -o FOLDER/x.vtk", 2, "found '1' for --ascii, expected no value");
  check_run("mesh finray", 2, "-o is missing");
  check_run("mesh finray -o FOLDER/x.stl", 2, "expected a name that ends in .vtk");
  check_run("mesh finray --tip 3mm -o FOLDER/x.vtk", 2, "the back wall meets the front wall");
  check_run("mesh box --size 1mm,2mm -o FOLDER/x.vtk", 2,
            "expected three lengths such as 30mm,20mm,10mm");
  check_run("mesh box --size 1mm,2mm,3mm,4mm -o FOLDER/x.vtk", 2, "expected three lengths");
  check_run("mesh box --cells 1,0,1 -o FOLDER/x.vtk", 2, "0 bricks along y");
  check_run("mesh box -o /nonexistent/x.vtk", 3, "cannot write /nonexistent/x.vtk");
  check_run("mesh info", 2, "a file is missing");
  check_run("mesh info a b", 2, "'b' is one word too many");
  check_run("mesh info /nonexistent/x.vtk", 3, "cannot read /nonexistent/x.vtk");
  check_run("mesh info meshes/make.sh", 2, "meshes/make.sh:1: found '#!/bin/sh'");
  char path[256];
  snprintf(path, sizeof path, "%s/x.vtk", test_folder());
  CHECK(access(path, F_OK) != 0); /* nothing was written on the way */
}

/* The same file as by the steps of the scene, one after the other. */
static void the_mesh_of_a_scene_is_written(void) {
  check_run("mesh convert meshes/finray_h8.vtk -o FOLDER/kept.vtk", 0, "H8 cells");
  check_run("mesh refine FOLDER/kept.vtk --levels 1 -o FOLDER/refined.vtk", 0, "H8 cells");
  app_write_file(
      "scene.yaml",
      "supple: 1\ntime: {step: 1 ms, end: 1 ms}\n"
      "materials: {m: {density: 1e3 kg/m^3, youngs_modulus: 1 MPa, poissons_ratio: 0.3}}\n"
      "soft:\n  a: {mesh: {file: kept.vtk}, material: m}\n"
      "  b: {mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [2, 2, 2]}}, material: m}\n");
  check_run("mesh extract FOLDER/scene.yaml --body a --set soft.a.mesh.refine=1 -o FOLDER/a.vtk", 0,
            "H8 cells");
  CHECK(system(app_arguments("cmp FOLDER/refined.vtk FOLDER/a.vtk")) == 0);
  check_run("mesh extract FOLDER/scene.yaml --body b --ascii -o FOLDER/b.vtk", 0,
            "b.vtk: 8 H8 cells, 27 vertices, volume 1 cm^3");
  check_run("mesh extract FOLDER/scene.yaml --body c -o FOLDER/c.vtk", 2,
            "found 'c' for --body, expected a soft body of");
  check_run("mesh extract FOLDER/scene.yaml -o FOLDER/c.vtk", 2, "expected --body NAME: a, b");
  check_run("mesh extract examples/coin.yaml -o FOLDER/c.vtk", 2, "found no soft body in");
  check_run("mesh extract -o FOLDER/c.vtk", 2, "a file is missing");
}

static void kept_meshes_are_what_their_script_makes(void) {
  static const char *const files[] = {"finray_s_t4.vtk", "finray_h8.vtk"};
  char                     line[512];
  snprintf(line, sizeof line, "sh meshes/make.sh %s %s >/dev/null", app_program(), test_folder());
  CHECK(system(line) == 0);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char  *kept, *made;
    size_t kept_size, made_size;
    snprintf(line, sizeof line, "meshes/%s", files[i]);
    OK(sup_file_read(line, &kept, &kept_size));
    snprintf(line, sizeof line, "%s/%s", test_folder(), files[i]);
    OK(sup_file_read(line, &made, &made_size));
    CHECK(kept_size == made_size && memcmp(kept, made, kept_size) == 0);
    SUP_FREE(kept);
    SUP_FREE(made);
  }
}

SUITE_TESTS(mesh_command, TEST(generated_files_hold_the_mesh_of_the_library),
            TEST(tetrahedra_change_their_order), TEST(info_describes_a_mesh),
            TEST(info_describes_a_surface), TEST(info_counts_parts_and_cells_through_walls),
            TEST(meshes_are_converted_and_refined), TEST(a_surface_is_filled),
            TEST(surfaces_are_repaired), TEST(mistakes_are_explained),
            TEST(the_mesh_of_a_scene_is_written), TEST(kept_meshes_are_what_their_script_makes));
