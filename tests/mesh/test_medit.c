/* MEDIT's .mesh: cells, references as sets, what is refused, no crash. */
#include <stdlib.h>
#include <string.h>

#include "mesh/format/mesh_file.h"
#include "mesh/named_set.h"
#include "test.h"

static sup_mesh_report report;

static sup_status parse(sup_mesh **mesh, const char *text) {
  return sup_medit_parse_mesh(mesh, "a.mesh", text, strlen(text), &report);
}

static const char two_cells[] =
    "MeshVersionFormatted 2 # as Gmsh writes\nDimension\n3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
    "0 0 1 0\n1 1 1 7\n9 9 9 0\nCorners\n2\n1\n2\nTriangles\n1\n1 2 3 4\nNormals 1\n0 0 -1\n"
    "Tetrahedra\n2\n1 2 3 4 1\n2 3 4 5 2\nRidges 1 1\nEnd\nnothing here counts\n";

static int members_of(const sup_mesh *mesh, const char *name) {
  for (int s = 0; s < mesh->num_sets; s++)
    if (strcmp(mesh->set[s].name, name) == 0) return sup_mesh_count_set(mesh, &mesh->set[s]);
  return SUP_NONE;
}

static void cells_and_references_arrive(void) {
  sup_mesh *mesh;
  char      text[512];
  OK(parse(&mesh, two_cells));
  CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 2 && mesh->num_vertices == 5);
  NEAR(sup_mesh_volume(mesh), 1. / 6 + 1. / 3, 1e-14, 0);
  CHECK(members_of(mesh, "region_1") == 1 && members_of(mesh, "region_2") == 1);
  CHECK(members_of(mesh, "ref_4") == 3 && members_of(mesh, "ref_7") == 1);
  CHECK(members_of(mesh, "ref_0") == SUP_NONE);
  sup_mesh_report_text(&report, text, sizeof text);
  CHECK(strstr(text, "passed over 1 triangles") != NULL);
  sup_mesh_destroy(&mesh);
}

static void bricks_arrive(void) {
  sup_mesh *mesh;
  OK(parse(
      &mesh,
      "MeshVersionFormatted 1\nDimension 3\nVertices\n8\n0 0 0 0\n1 0 0 0\n1 2 0 0\n0 2 0 0\n0 "
      "0 3 0\n1 0 3 0\n1 2 3 0\n0 2 3 0\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\nEnd\n"));
  CHECK(mesh->type == SUP_CELL_H8 && mesh->num_cells == 1 && mesh->num_sets == 0);
  NEAR(sup_mesh_volume(mesh), 6, 1e-14, 0);
  sup_mesh_destroy(&mesh);
}

/* The last two edges in libMeshb's order, which is VTK's, and in Gmsh's. */
static void quadratic_cells_arrive_in_either_order(void) {
  for (int is_gmsh = 0; is_gmsh < 2; is_gmsh++) {
    sup_mesh *mesh;
    char      text[1024];
    snprintf(text, sizeof text,
             "MeshVersionFormatted 2\nDimension 3\nVertices 10\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 "
             "0\n.5 0 0 0\n.55 .55 .01 0\n0 .5 0 0\n0 0 .5 0\n.5 0 .5 0\n0 .5 .5 0\n"
             "TrianglesP2 1\n1 2 3 5 6 7 4\nTetrahedraP2\n1\n1 2 3 4 5 6 7 8 %s 0\nEnd\n",
             is_gmsh ? "10 9" : "9 10");
    OK(parse(&mesh, text));
    CHECK(mesh->type == SUP_CELL_T10 && mesh->num_cells == 1 && mesh->num_vertices == 10);
    CHECK(mesh->cell[8] == 8 && mesh->cell[9] == 9);
    CHECK(members_of(mesh, "ref_4") == 6);
    sup_mesh_destroy(&mesh);
  }
}

#define HEAD "MeshVersionFormatted 2\nDimension 3\n"

static void what_is_wrong_is_named(void) {
  static const struct {
    const char *text, *message;
  } table[] = {
      {"MFEM mesh v1.0", "a.mesh:1: found 'MFEM', expected MeshVersionFormatted"},
      {"MeshVersionFormatted 9",
       "a.mesh:1: found 9 for the version of the format, expected a whole number from 1 to 4"},
      {"MeshVersionFormatted 2\nDimension 2", "a.mesh:2: found 2 for the dimension, expected 3"},
      {HEAD "Vertices\nx\n", "a.mesh:4: found 'x', expected how many lines follow"},
      {HEAD "Vertices\n2\n0 0 0 0\n0 0 nan 0\n", "a.mesh:6: found 'nan', expected a coordinate"},
      {HEAD "HexahedraQ2\n1\n",
       "a.mesh:3: found 'HexahedraQ2', expected Tetrahedra, TetrahedraP2 or linear Hexahedra"},
      {HEAD "Tetrahedra\n1\n1 2 3 4 0\nEnd\n", "expected the keyword Vertices"},
      {HEAD "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n", "a.mesh:8: "},
      {HEAD "Vertices\n1\n0 0 0 0\nEnd\n", "supple mesh tetrahedralize fills a surface"},
      {HEAD "12\n", "a.mesh:3: found '12', expected a keyword"}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    sup_mesh *mesh;
    FAILS(parse(&mesh, table[k].text), SUP_E_PARSE, table[k].message);
    CHECK(mesh == NULL);
  }
}

static void the_name_and_the_content_say_the_format(void) {
  char      path[512];
  sup_mesh *mesh;
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/a.%s", test_folder(), k == 0 ? "mesh" : "txt");
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(two_cells, file);
    fclose(file);
    OK(sup_mesh_read(&mesh, path, NULL));
    CHECK(mesh->num_cells == 2);
    sup_mesh_destroy(&mesh);
  }
  CHECK(sup_mesh_is_file_name("a.mesh"));
}

static void damaged_files_are_read_or_refused(void) {
  static const char *const words[] = {"End", "Vertices", "-1", "1e308", "Tetrahedra", "#", "x", ""};
  test_random              random = {3};
  int                      read = 0, refused = 0;
  for (int round = 0; round < 2000; round++) {
    char        text[2 * sizeof two_cells];
    size_t      n = sizeof two_cells - 1;
    size_t      at = (size_t)(0.5 * (test_uniform(&random) + 1) * (double)(n - 1));
    const char *word = words[(size_t)(4 * (test_uniform(&random) + 1)) % 8];
    if (round % 3 == 0)
      snprintf(text, sizeof text, "%.*s", (int)at, two_cells);
    else
      snprintf(text, sizeof text, "%.*s%s%s", (int)at, two_cells, word,
               two_cells + at + (round % 3 == 1));
    sup_mesh  *mesh;
    sup_status status = parse(&mesh, text);
    CHECK(status == SUP_OK || status == SUP_E_PARSE || status == SUP_E_GEOMETRY);
    read += status == SUP_OK, refused += status != SUP_OK;
    sup_mesh_destroy(&mesh);
  }
  CHECK(read > 100 && refused > 100);
}

SUITE_TESTS(medit, TEST(cells_and_references_arrive), TEST(bricks_arrive),
            TEST(quadratic_cells_arrive_in_either_order), TEST(what_is_wrong_is_named),
            TEST(the_name_and_the_content_say_the_format), TEST(damaged_files_are_read_or_refused));
