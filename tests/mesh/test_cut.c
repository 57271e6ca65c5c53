/* Mixed meshes are cut into tetrahedra that fit together, whatever the numbers of their vertices.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/cut.h"
#include "mesh/format/mesh_file.h"
#include "mesh/named_set.h"
#include "test.h"

enum { CELLS = 9, POINTS = 17 };

/** Cubes side by side along x: one hexahedron, two wedges, six pyramids about a middle. */
static const unsigned char size[CELLS] = {8, 6, 6, 5, 5, 5, 5, 5, 5};
static const int           corner[] = {0, 1,  5,  4, 8,  9,  13, 12,         /* hexahedron */
                                       1, 2,  6,  9, 10, 14,                 /* wedges */
                                       1, 6,  5,  9, 14, 13,                 /* */
                                       2, 3,  7,  6, 16, 10, 14, 15, 11, 16, /* pyramids */
                                       2, 10, 11, 3, 16, 3,  11, 15, 7,  16, /* */
                                       7, 15, 14, 6, 16, 6,  14, 10, 2,  16};

static void place(int i, double x[3]) {
  static const double middle[3] = {2.5, .5, .5};
  for (int k = 0; k < 3; k++)
    x[k] = i == 16 ? middle[k] : k == 0 ? i % 4 : k == 1 ? i / 4 % 2 : i / 8;
}

/** Number of triangles that one tetrahedron alone has; those of two must be opposite. */
static int count_boundary(const int *cell, int count) {
  static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  int              alone = 0;
  for (int f = 0; f < 4 * count; f++) {
    int others = 0;
    for (int g = 0; g < 4 * count; g++) {
      int same = 0, turn = 0;
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          if (cell[4 * (f / 4) + face[f % 4][a]] == cell[4 * (g / 4) + face[g % 4][b]])
            same++, turn = (a + b) % 3;
      if (g == f || same < 3) continue;
      for (int a = 0; a < 3; a++) /* the same triangle the other way round */
        CHECK(cell[4 * (f / 4) + face[f % 4][a]] ==
              cell[4 * (g / 4) + face[g % 4][(turn + 3 - a) % 3]]);
      others++;
    }
    CHECK(others <= 1);
    alone += others == 0;
  }
  return alone;
}

static double volume_of(const double *x, const int *cell) {
  sup_v3 edge[3];
  for (int k = 0; k < 3; k++)
    edge[k] = sup_v3_sub(sup_v3_load(x + 3 * cell[k + 1]), sup_v3_load(x + 3 * cell[0]));
  return sup_v3_dot(sup_v3_cross(edge[0], edge[1]), edge[2]) / 6;
}

/* Any numbers of the vertices give tetrahedra that fit together and fill the three cubes: two
 * triangles on each of their 14 outer squares. */
static void parts_fit_whatever_the_numbers(void) {
  test_random random = {7};
  for (int k = 0; k < 200; k++) {
    int    number[POINTS], vertex[sizeof corner / sizeof *corner], bad_cell;
    double x[3 * POINTS], volume = 0, of_cell[CELLS] = {0};
    for (int i = 0; i < POINTS; i++) number[i] = i;
    for (int i = POINTS - 1; i > 0; i--) {
      int j = test_one_of(&random, i + 1), t = number[i];
      number[i] = number[j], number[j] = t;
    }
    for (int i = 0; i < POINTS; i++) place(i, x + 3 * number[i]);
    for (size_t i = 0; i < sizeof corner / sizeof *corner; i++) vertex[i] = number[corner[i]];
    if (k % 2) /* mirrored: all cells inside out */
      for (int i = 0; i < POINTS; i++) x[3 * i] = -x[3 * i];
    sup_cut cut = {0};
    OK(sup_cut_cells(&cut, CELLS, size, vertex, x, &bad_cell));
    CHECK(cut.num_cells == 6 + 2 * 3 + 6 * 2);
    for (int t = 0; t < cut.num_cells; t++) {
      double part = volume_of(x, cut.cell + 4 * t);
      CHECK(part > 0);
      volume += part, of_cell[cut.parent[t]] += part;
    }
    NEAR(volume, 3, 1e-14, 0);
    for (int c = 0; c < CELLS; c++)
      NEAR(of_cell[c], size[c] == 8 ? 1 : size[c] == 6 ? .5 : 1. / 6, 1e-14, 0);
    CHECK(count_boundary(cut.cell, cut.num_cells) == 28);
    sup_cut_free(&cut);
  }
}

/* A hexahedron with edges of no length is a wedge; one whose corner is pushed through is refused.
 */
static void warped_and_collapsed_cells_are_told_apart(void) {
  const int wedge[8] = {0, 1, 2, 2, 4, 5, 6, 6};
  double    x[8 * 3], volume = 0;
  int       vertex[8], bad_cell;
  for (int i = 0; i < 8; i++) {
    x[3 * i] = i % 4 == 1 || i % 4 == 2, x[3 * i + 1] = i % 4 > 1, x[3 * i + 2] = i / 4;
    vertex[i] = i;
  }
  sup_cut cut = {0};
  OK(sup_cut_cells(&cut, 1, (const unsigned char[]){8}, wedge, x, &bad_cell));
  CHECK(cut.num_cells == 3);
  for (int t = 0; t < cut.num_cells; t++) volume += volume_of(x, cut.cell + 4 * t);
  NEAR(volume, .5, 1e-14, 0);
  sup_cut_free(&cut);
  x[3 * 7] = 1.2, x[3 * 7 + 1] = -.2;
  FAILS(sup_cut_cells(&cut, 1, (const unsigned char[]){8}, vertex, x, &bad_cell), SUP_E_GEOMETRY,
        "cell 0, a hexahedron, is so warped that a part of it is inside out");
  CHECK(bad_cell == 0);
  sup_cut_free(&cut);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char gmsh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n3 1 \"left\"\n3 2 \"right\"\n$EndPhysicalNames\n";

/** The mesh as a file of each format; sets: `left` has the hexahedron and the wedges, `right` the
 * pyramids. */
static void write_file(const char *path, int format) {
  static const char *const word[] = {[5] = "C3D5", [6] = "C3D6", [8] = "C3D8"};
  static const int         of_gmsh[] = {[5] = 7, [6] = 6, [8] = 5},
                   of_vtk[] = {[5] = 14, [6] = 13, [8] = 12};
  FILE *file = fopen(path, "w");
  CU_ASSERT_FATAL(file != NULL);
  if (format == 0) fprintf(file, "%s$Nodes\n%d\n", gmsh, POINTS);
  if (format == 1) fprintf(file, "*NODE\n");
  if (format == 2) fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices\n%d\n", POINTS);
  if (format == 3)
    fprintf(file,
            "# vtk DataFile Version 3.0\nm\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d "
            "double\n",
            POINTS);
  for (int i = 0; i < POINTS; i++) {
    double x[3];
    place(i, x);
    if (format == 0) fprintf(file, "%d %g %g %g\n", i + 1, x[0], x[1], x[2]);
    if (format == 1) fprintf(file, "%d, %g, %g, %g\n", i + 1, x[0], x[1], x[2]);
    if (format == 2) fprintf(file, "%g %g %g 0\n", x[0], x[1], x[2]);
    if (format == 3) fprintf(file, "%g %g %g\n", x[0], x[1], x[2]);
  }
  if (format == 0) fprintf(file, "$EndNodes\n$Elements\n%d\n", CELLS);
  if (format == 3) fprintf(file, "CELLS %d %d\n", CELLS, 8 + 2 * 6 + 6 * 5 + CELLS);
  for (int c = 0, at = 0; c < CELLS; at += size[c++]) {
    int n = size[c];
    if (format == 0) fprintf(file, "%d %d 2 %d 1", c + 1, of_gmsh[n], 1 + (c > 2));
    if (format == 1)
      fprintf(file, "*ELEMENT, TYPE=%s, ELSET=%s\n%d", word[n], c > 2 ? "right" : "left", c + 1);
    if (format == 2 && (c == 0 || size[c - 1] != n))
      fprintf(file, "%s\n%d\n",
              n == 8   ? "Hexahedra"
              : n == 6 ? "Prisms"
                       : "Pyramids",
              n == 8   ? 1
              : n == 6 ? 2
                       : 6);
    if (format == 3) fprintf(file, "%d", n);
    for (int a = 0; a < n; a++)
      fprintf(file, format == 1 ? ", %d" : " %d", corner[at + a] + (format < 3));
    fprintf(file, format == 2 ? " %d\n" : "\n", 1 + (c > 2));
  }
  if (format == 0) fprintf(file, "$EndElements\n");
  if (format == 3) {
    fprintf(file, "CELL_TYPES %d\n", CELLS);
    for (int c = 0; c < CELLS; c++) fprintf(file, "%d\n", of_vtk[size[c]]);
    fprintf(file, "CELL_DATA %d\nSCALARS region_right int 1\nLOOKUP_TABLE default\n", CELLS);
    for (int c = 0; c < CELLS; c++) fprintf(file, "%d\n", c > 2);
  }
  fclose(file);
}

/* Each format gives the same tetrahedra, and parts belong to the sets of their cells. */
static void files_of_mixed_cells_are_read(void) {
  static const char *const end[] = {"msh", "inp", "mesh", "vtk"}, *const set[] = {"right", "right",
                                                                                  "region_2",
                                                                                  "right"};
  for (int format = 0; format < 4; format++) {
    char            path[300], text[300];
    sup_mesh       *mesh;
    sup_mesh_report report;
    double          volume = 0, right = 0;
    snprintf(path, sizeof path, "%s/mixed.%s", test_folder(), end[format]);
    write_file(path, format);
    OK(sup_mesh_read(&mesh, path, &report));
    CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 24);
    const sup_named_set *of = sup_mesh_find_set(mesh, SUP_SET_CELLS, set[format]);
    CU_ASSERT_FATAL(of != NULL);
    for (int c = 0; c < mesh->num_cells; c++) {
      double part = volume_of(mesh->x, mesh->cell + 4 * c);
      volume += part, right += of->member[c] * part;
    }
    NEAR(volume, 3, 1e-14, 0);
    NEAR(right, 1, 1e-14, 0);
    sup_mesh_report_text(&report, text, sizeof text);
    CHECK(strcmp(text, "6 pyramids, 2 wedges, 1 hexahedron cut into 24 tetrahedra") == 0);
    sup_mesh_destroy(&mesh);
  }
}

SUITE_TESTS(cut, TEST(parts_fit_whatever_the_numbers),
            TEST(warped_and_collapsed_cells_are_told_apart), TEST(files_of_mixed_cells_are_read));
