/* Readers and writers of .msh, .inp, .node and .ele.  What gmsh 4.8 writes for two tetrahedra,
 * shortened, are the seeds. */
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "mesh/cell.h"
#include "mesh/format/convert.h"
#include "mesh/format/mesh_file.h"
#include "mesh/generate/generate.h"
#include "mesh/generate/tetgen.h"
#include "test.h"

static const char msh2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a $ body\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n1 0 0 0\n7 1 0 0\n3 0 1 0\n4 0 0 1\n9 1 1 1e0\n$EndNodes\n"
    "$Elements\n4\n1 15 2 0 1 1\n2 2 2 0 5 1 3 7\n3 4 3 1 1 0 1 7 3 4\n4 4 2 1 1 9 4 3 "
    "7\n$EndElements\n";
static const char msh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 1\n1 0 0 0 0 \n1 0 0 0 1 1 1 1 3 0 "
    "\n$EndEntities\n"
    "$Nodes\n2 5 1 9\n0 1 0 1\n1\n0 0 0\n3 1 1 4\n7\n3\n4\n9\n1 0 0 .1 .2 .3\n0 1 0 0 0 0\n0 0 1 0 "
    "0 0\n1 1 1 0 0 0\n"
    "$EndNodes\n$Elements\n2 3 1 4\n2 5 2 1\n2 1 3 7 \n3 1 4 2\n3 1 7 3 4 \n4 9 4 3 7 "
    "\n$EndElements\n";
static const char inp[] =
    "** a comment\r\n*Heading\r\n two cells, *NODE\r\n*NODE, NSET = NALL\n1\n 7, 1., 0,0\n3 ,, "
    "1\n4,0.,0,1e0,\n"
    "9, 1, 1, 1\n*ELEMENT, ELSET=E2,\n type = c3d4\n10, 1, 7,\n** between\n 3, 4\n11, 9,4,3,7\n"
    "*Element, type=CPS3\n12, 1, 3, 7\n*NSET, NSET=a, GENERATE\n1, 4, 1\n*ELSET, ELSET=b\n10, 11\n"
    "*SOLID SECTION, ELSET=E2, MATERIAL=m\n*STEP\n*STATIC\n*NODE PRINT, NSET=NALL\nU\n*END STEP\n";
static const char node[] = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";
static const char ele[] = "2 4 0\n1 1 2 3 4\n2 5 4 3 2\n";

enum { MSH, INP, ELE };

static sup_status parse(sup_mesh **mesh, int kind, const char *data, size_t size,
                        sup_mesh_report *report) {
  if (kind == MSH) return sup_gmsh_parse_mesh(mesh, "a.msh", data, size, report);
  if (kind == INP) return sup_abaqus_parse_mesh(mesh, "a.inp", data, size, report);
  return sup_tetgen_parse(mesh, "a.node", node, "a.ele", data, report);
}

static void check_two_cells(const sup_mesh *mesh) {
  CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 2 && mesh->num_vertices == 5);
  NEAR(sup_mesh_volume(mesh), 1. / 6 + 1. / 3, 1e-15, 0);
  CHECK(mesh->cell[0] == 0 && mesh->cell[1] == 1 && mesh->cell[2] == 2 && mesh->cell[3] == 3);
}

static void each_format_gives_the_same_cells(void) {
  static const struct {
    int         kind;
    const char *text, *skipped;
  } cases[] = {
      {MSH, msh2, "1 points of the geometry, 1 triangles"},
      {MSH, msh4, "1 triangles"},
      {INP, inp, "1 blocks of CPS3 elements, 1 members of sets that are no part of the mesh"},
      {ELE, ele, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static sup_mesh_report report;
    sup_mesh              *mesh;
    OK(parse(&mesh, cases[i].kind, cases[i].text, strlen(cases[i].text), &report));
    check_two_cells(mesh);
    CHECK(strcmp(report.skipped, cases[i].skipped) == 0 && report.repair.cells_reoriented == 0);
    sup_mesh_destroy(&mesh);
  }
}

/** The seed with its first `from` replaced by `to`. */
static const char *changed(const char *seed, const char *from, const char *to) {
  static char text[2048];
  const char *at = strstr(seed, from);
  CU_ASSERT_FATAL(at != NULL);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - seed), seed, to, at + strlen(from));
  return text;
}

/* Points from 0, a comment before the format, the 4 bytes of a machine of 32 bits in a text. */
static void habits_of_other_programs_are_read(void) {
  static char text[2048];
  sup_mesh   *mesh;
  snprintf(text, sizeof text, "$Comments\nby another program\n$EndComments\n%s",
           changed(msh4, "4.1 0 8", "4.1 0 4"));
  OK(parse(&mesh, MSH, text, strlen(text), NULL));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
  static const char from_0[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
      "4 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 0 1 0 1 2 3\n2 4 2 0 1 4 3 2 1\n$EndElements\n";
  OK(parse(&mesh, MSH, from_0, strlen(from_0), NULL));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
}

static void broken_files_are_explained(void) {
  static const struct {
    int         kind;
    const char *seed, *from, *to, *text;
  } cases[] = {
      {MSH, msh2, "2.2 0", "2.2 1",
       "a.msh: byte 20: found the bytes of 1684948260, expected those of 1, in either order"},
      {MSH, msh2, "2.2 0 8", "2.2 0 2",
       "a.msh:2: found 2 for the bytes of a number, 4 or 8, expected a whole number from 4 to 8"},
      {MSH, msh2, "2.2 0", "4 0", "a.msh:2: found version 4 of the format, expected 2.2 or 4.1"},
      {MSH, msh2, "$MeshFormat", "$NOD", "a.msh:1: found '$NOD', which begins version 1"},
      {MSH, msh2, "7 1 0 0", "7 1 0",
       "a.msh:11: found the end of the line, expected a coordinate of a point"},
      {MSH, msh2, "7 1 0 0", "7 1 nan 0",
       "a.msh:11: found 'nan', expected a coordinate of a point"},
      {MSH, msh2, "7 1 0 0", "3 1 0 0",
       "a.msh:12: the point has the number 3 of the point at a.msh:11; expected another number"},
      {MSH, msh2, "\n5\n", "\n4\n", "a.msh:14: found '9', expected $EndNodes"},
      {MSH, msh2, "\n5\n", "\n6\n", "a.msh:15: found '$EndNodes', expected the number of a point"},
      {MSH, msh2, "1 7 3 4", "1 8 3 4",
       "a.msh:20: cell 3 has the point 8, which is not among the 5 points"},
      {MSH, msh2, "1 7 3 4", "1 7 7 4", "a.msh:20: element 3: cell 0 has vertex 1 twice"},
      {MSH, msh2, "4 4 2 1 1", "4 18 2 1 1",
       "a.msh:21: found second-order prisms, expected second-order tetrahedra or linear cells"},
      {MSH, msh2, "4 4 2 1 1 9", "4 17 2 1 1 9",
       "a.msh:21: found second-order hexahedra of 20 points"},
      {MSH, msh2, "4 4 2 1 1 9 4 3 7", "4 11 2 1 1 9 4 3 7 1 1 1 1 1 1",
       "a.msh:21: found second-order tetrahedra after tetrahedra, expected second-order "
       "tetrahedra alone or linear cells"},
      {MSH, msh2, "4 4 2 1 1", "4 99 2 1 1", "a.msh:21: found the element type 99"},
      {MSH, msh2, "$EndElements", "", "a.msh:23: found the end of the file, expected $EndElements"},
      {MSH, msh2, "$EndPhysicalNames", "", "expected $EndPhysicalNames of the section at line 4"},
      {MSH, msh4, "3 1 1 4", "3 1 1 5",
       "found 5 for the size of a block, expected a whole number from 0 to 4"},
      {MSH, msh4, "2 5 1 9", "2 6 1 9", "the blocks end 1 points before the announced number"},
      {MSH, msh4, "3 1 4 2", "3 1 2 2", "a.msh: found 3 triangles and 5 points"},
      {MSH, msh2, "9 4 3 7", "3 1 7 4",
       "a.msh:21: element 4: cells 0 and 1 have the same vertices; delete one"},
      {INP, inp, "11, 9,4,3,7", "11, 1,7,4,3",
       "a.inp:15: element 11: cells 0 and 1 have the same vertices"},
      {INP, inp, "9, 1, 1, 1", "9, 1, -1, 1", "a.inp:15: element 11: cell 1 (T4) has volume 0 m^3"},
      {INP, inp, "c3d4", "C3D20R", "a.inp:11: found elements of type C3D20R, expected C3D4, C3D10"},
      {INP, inp, "c3d4", "c3d8i", "a.inp:14: found 4 nodes of element 10, expected 8 for C3D8I"},
      {INP, inp, " type = c3d4", "", "a.inp:11: found *ELEMENT without TYPE"},
      {INP, inp, "c3d4", "CPS3", "expected tetrahedra or hexahedra: *ELEMENT, TYPE=C3D4 or C3D8"},
      {INP, inp, "10, 1, 7", "10, 1, 6",
       "a.inp:14: cell 10 has the point 6, which is not among the 5 points"},
      {INP, inp, " 3, 4", " 3, 4, 9",
       "a.inp:14: found '9', expected the end of the line after the last node"},
      {INP, inp, "9, 1, 1, 1", "9, 1, one, 1",
       "a.inp:9: found 'one', expected a coordinate of a node"},
      {INP, inp, "9, 1, 1, 1", "9.5, 1, 1, 1", "a.inp:9: found 9.5 for the number of a node"},
      {INP, inp, "NSET = NALL", "SYSTEM=C",
       "a.inp:4: found SYSTEM=C, expected rectangular coordinates"},
      {INP, inp, "NSET = NALL", "INPUT=\"no such.txt\"", "a.inp:4: cannot read no such.txt"},
      {INP, inp, "*SOLID SECTION", "*NGEN", "a.inp:22: found *NGEN, which makes or moves nodes"},
      {INP, inp, "*SOLID SECTION", "*INCLUDE", "a.inp:22: found *INCLUDE without INPUT"},
      {INP, inp, "*STEP", "*PART\n*END PART\n*PART", "a.inp:25: found a second *PART"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static sup_mesh_report report;
    const char            *text = changed(cases[i].seed, cases[i].from, cases[i].to);
    sup_mesh              *mesh;
    sup_status             status = parse(&mesh, cases[i].kind, text, strlen(text), &report);
    int is_other = strstr(cases[i].text, ": element ") || strstr(cases[i].text, "cannot read");
    test_fails(status, is_other ? status : SUP_E_PARSE, cases[i].text, cases[i].to, __FILE__,
               __LINE__);
    CHECK(status != SUP_OK && mesh == NULL);
  }
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *file_in_folder(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  return path;
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(file_in_folder(name), "w");
  CU_ASSERT_FATAL(file != NULL);
  fputs(text, file);
  fclose(file);
}

static sup_mesh *some_mesh(sup_mesh_pattern pattern) {
  const double size[3] = {.1, 1. / 3, 1e-3};
  const int    n[3] = {2, 2, 1};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, pattern));
  return mesh;
}

static void written_files_are_read_back_to_the_bit(void) {
  static const char *const names[] = {"m.vtk", "m.msh", "m.inp", "m.node", "m.ele", "m.MSH"};
  for (int p = 0; p < 2; p++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      sup_mesh *mesh = some_mesh(p ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN), *back;
      if (p && (i == 3 || i == 4)) {
        FAILS(sup_mesh_write(mesh, file_in_folder(names[i]), 1), SUP_E_ARG,
              "found H8 cells, expected T4 or T10");
      } else {
        OK(sup_mesh_write(mesh, file_in_folder(names[i]), 1));
        OK(sup_mesh_read(&back, file_in_folder(names[i]), NULL));
        int corners = sup_cell_num_vertices(mesh->type) * mesh->num_cells;
        CU_ASSERT_FATAL(back->num_vertices == mesh->num_vertices &&
                        back->num_cells == mesh->num_cells);
        CHECK(memcmp(back->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x) == 0);
        CHECK(memcmp(back->cell, mesh->cell, (size_t)corners * sizeof *mesh->cell) == 0);
        sup_mesh_destroy(&back);
      }
      sup_mesh_destroy(&mesh);
    }
  sup_mesh *mesh = some_mesh(SUP_PATTERN_HEX);
  FAILS(sup_mesh_write(mesh, "m.stl", 1), SUP_E_ARG, "one that ends in .vtk, .msh, .inp or .node");
  FAILS(sup_mesh_write(mesh, "/nonexistent/m.inp", 1), SUP_E_IO, "/nonexistent/m.inp");
  sup_mesh_destroy(&mesh);
}

/* CalculiX reads 20 characters of a number, and an exponent comes last. */
static void numbers_of_a_deck_fit_its_fields(void) {
  sup_mesh *mesh = some_mesh(SUP_PATTERN_HEX), *back;
  for (int i = 0; i < 3 * mesh->num_vertices; i++)
    mesh->x[i] = -mesh->x[i] - 1.2345678901234567e-17 * (i + 1);
  OK(sup_mesh_write(mesh, file_in_folder("narrow.inp"), 0));
  OK(sup_mesh_read(&back, file_in_folder("narrow.inp"), NULL));
  for (int i = 0; i < 3 * mesh->num_vertices; i++) NEAR(back->x[i], mesh->x[i], 1e-12, 0);
  FILE *file = fopen(file_in_folder("narrow.inp"), "r");
  char  line[512];
  int   longest = 0, width = 0;
  while (file && fgets(line, sizeof line, file) && !strstr(line, "*ELEMENT"))
    for (const char *c = line; *c; c++) {
      width = strchr("0123456789.e+-", *c) ? width + 1 : 0;
      if (width > longest) longest = width;
    }
  if (file) fclose(file);
  CHECK(longest == 20);
  sup_mesh_destroy(&back);
  sup_mesh_destroy(&mesh);
}

/* Gmsh has the vertices on the last two edges the other way round: what it wrote would be folded if
 * they were not. */
static void quadratic_cells_keep_their_edges(void) {
  static const char *const names[] = {"q.msh", "q.inp", "q.node", "q.ele"};
  static const char        one[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 1 0 "
      "0\n6 1 1 0\n"
      "7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 "
      "10\n$EndElements\n";
  static sup_mesh_report report;
  sup_mesh              *mesh, *linear = some_mesh(SUP_PATTERN_KUHN), *back;
  OK(sup_gmsh_parse_mesh(&mesh, "a.msh", one, sizeof one - 1, &report));
  for (int k = 0; k < 3; k++) /* vertex 8 is on the edge (1, 3), vertex 9 on (2, 3) */
    CHECK(mesh->x[3 * mesh->cell[8] + k] == (k != 1) && mesh->x[3 * mesh->cell[9] + k] == (k != 0));
  sup_mesh_destroy(&mesh);
  OK(sup_mesh_to_t10(&mesh, linear));
  for (int i = 0; i < 4; i++) {
    OK(sup_mesh_write(mesh, file_in_folder(names[i]), 0));
    OK(sup_mesh_read(&back, file_in_folder(names[i]), NULL));
    CHECK(back->type == SUP_CELL_T10 && back->num_cells == mesh->num_cells);
    CHECK(memcmp(back->cell, mesh->cell, 10 * (size_t)mesh->num_cells * sizeof *mesh->cell) == 0);
    sup_mesh_destroy(&back);
  }
  sup_mesh_destroy(&mesh);
  sup_mesh_destroy(&linear);
}

/* One tetrahedron as tetgen -o2 (1.6) wrote it, points renumbered; in VTK's order its edges would
 * be others. */
static void quadratic_cells_of_tetgen_have_its_order(void) {
  static const char points[] =
      "10 3 0 0\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 0 1 1\n6 0 0 1\n7 1 0 0\n8 1 1 0\n9 1 0 "
      "1\n10 0 1 0\n";
  static sup_mesh_report report;
  sup_mesh              *mesh;
  OK(sup_tetgen_parse(&mesh, "a.node", points, "a.ele", "1 10 1\n1 1 2 3 4 5 6 7 8 9 10 7\n",
                      &report));
  CHECK(mesh->type == SUP_CELL_T10 && mesh->num_sets == 1);
  const sup_cell_kind *t10 = sup_cell_kind_of(SUP_CELL_T10);
  for (int e = 0; e < 6; e++) {
    const int *v = sup_mesh_cell(mesh, 0);
    for (int k = 0; k < 3; k++)
      CHECK(2 * mesh->x[3 * v[4 + e] + k] ==
            mesh->x[3 * v[t10->edge[e][0]] + k] + mesh->x[3 * v[t10->edge[e][1]] + k]);
  }
  sup_mesh_destroy(&mesh);
  FAILS(sup_tetgen_parse(&mesh, "a.node", points, "a.ele",
                         "1 10 0\n# VTK's\n1 1 2 3 4 7 8 10 6 9 5\n", &report),
        SUP_E_PARSE,
        "a.ele:3: found point 10 nearest to the middle of the edge from 1 to 3, expected that from "
        "1 to 2");
  FAILS(sup_tetgen_parse(&mesh, "a.node", points, "a.ele", "1 6 0\n1 1 2 3 4 7 8\n", &report),
        SUP_E_PARSE,
        "a.ele:1: found 6 points a cell, expected 4 (tetrahedra) or 10 (quadratic ones)");
}

static void count_warnings(sup_log_level level, const char *message, void *user) {
  if (level == SUP_LOG_WARNING &&
      strstr(message, "flat.ele: cell 1 (from 0) is nearly flat: quality "))
    ++*(int *)user;
}

static void nearly_flat_cells_get_a_warning(void) {
  int       count = 0;
  sup_mesh *mesh;
  write_text("flat.node", changed(node, "5 1 1 1", "5 .3333333334 .3333333334 .3333333334"));
  write_text("flat.ele", ele);
  sup_log_set(count_warnings, &count);
  OK(sup_mesh_read(&mesh, file_in_folder("flat.ele"), NULL));
  sup_log_set(NULL, NULL);
  CHECK(count == 1);
  sup_mesh_destroy(&mesh);
}

static void content_is_stronger_than_the_name(void) {
  sup_mesh *mesh;
  write_text("gmsh.vtk", msh2);
  OK(sup_mesh_read(&mesh, file_in_folder("gmsh.vtk"), NULL));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
  write_text("deck.txt", inp);
  OK(sup_mesh_read(&mesh, file_in_folder("deck.txt"), NULL));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
  write_text("poem.txt", "\n\nroses are red\n");
  FAILS(sup_mesh_read(&mesh, file_in_folder("poem.txt"), NULL), SUP_E_PARSE,
        "poem.txt:3: found 'roses', expected the beginning of a mesh");
  FAILS(sup_mesh_read(&mesh, "examples/coin.obj", NULL), SUP_E_PARSE,
        "found a surface, expected a mesh");
  FAILS(sup_mesh_read(&mesh, "no such.msh", NULL), SUP_E_IO, "no such.msh");
  write_text("alone.ele", ele);
  FAILS(sup_mesh_read(&mesh, file_in_folder("alone.ele"), NULL), SUP_E_IO, "alone.node");
}

/* Nodes and elements in files of their own, included and by INPUT; the list of files is for
 * manifests. */
static void decks_may_be_spread_over_files(void) {
  static sup_mesh_report report;
  sup_mesh              *mesh;
  write_text("nodes.txt", "** five\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n");
  write_text("cells.inp", "*ELEMENT, TYPE=C3D4, ELSET=ALL\n1, 1, 2, 3, 4\n2, 5, 4, 3, 2\n");
  write_text("deck.inp",
             "*NODE, INPUT=nodes.txt\n*INCLUDE, INPUT = \"cells.inp\"\n*MATERIAL, NAME=m\n");
  OK(sup_mesh_read(&mesh, file_in_folder("deck.inp"), &report));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
  CHECK(report.num_more == 2 && strcmp(report.more[0], file_in_folder("nodes.txt")) == 0);
  CHECK(strcmp(report.more[1], file_in_folder("cells.inp")) == 0);
  write_text("nodes.txt", "1, 0, x, 0\n");
  FAILS(sup_mesh_read(&mesh, file_in_folder("deck.inp"), NULL), SUP_E_PARSE,
        "nodes.txt:1: found 'x'");
  write_text("circle.inp", "*INCLUDE, INPUT=circle.inp\n");
  FAILS(sup_mesh_read(&mesh, file_in_folder("circle.inp"), NULL), SUP_E_PARSE,
        "do they include each other?");
}

/* Reference points of the assembly have numbers that nodes of the part have, too. */
static void nodes_of_the_assembly_are_no_mesh(void) {
  static sup_mesh_report report;
  char                   text[2048];
  sup_mesh              *mesh;
  snprintf(text, sizeof text,
           "*PART, NAME=p\n%.*s*END PART\n*ASSEMBLY, NAME=a\n*INSTANCE, NAME=i, PART=p\n0, 0, 1\n"
           "*END INSTANCE\n*NODE\n1, 5, 5, 5\n*END ASSEMBLY\n",
           (int)(strstr(inp, "*SOLID") - inp), inp);
  OK(sup_abaqus_parse_mesh(&mesh, "a.inp", text, strlen(text), &report));
  check_two_cells(mesh);
  sup_mesh_destroy(&mesh);
}

/** Files with a few bytes changed, or cut: any answer is right, a crash is not. */
static void mutated_files_never_crash(void) {
  static const struct {
    int         kind;
    const char *text;
  } seeds[] = {{MSH, msh2}, {MSH, msh4}, {INP, inp}, {ELE, ele}};
  static sup_mesh_report report;
  test_random            random = {20250};
  for (int kind = 0; kind < 4; kind++) {
    size_t length = strlen(seeds[kind].text);
    int    read = 0, refused = 0;
    for (int trial = 0; trial < 4000; trial++) {
      size_t used = trial <= (int)length ? (size_t)trial : length; /* every cut, then whole files */
      char  *data;
      sup_mesh *mesh;
      OK(SUP_CALLOC(
          data,
          used +
              1)); /* exactly as long as the text, so that the sanitizer sees every step too far */
      memcpy(data, seeds[kind].text, used);
      for (int change = (int)(3 * (test_uniform(&random) + 1)); change > 0 && used > 0 && trial % 2;
           change--) {
        static const char likely[] = "0123456789-+.e \n#\xff,*$\\\r\"=";
        size_t            at = (size_t)((test_uniform(&random) + 1) / 2 * (double)used);
        data[at] = likely[(size_t)((test_uniform(&random) + 1) / 2 * (sizeof likely - 1))];
      }
      if (parse(&mesh, seeds[kind].kind, data, used, &report) == SUP_OK)
        read++;
      else
        refused++;
      sup_mesh_destroy(&mesh);
      SUP_FREE(data);
    }
    CHECK(read > 100 && refused > 100); /* the mutations are neither harmless nor hopeless */
  }
}

static void failed_allocations_are_reported(void) {
  static sup_mesh_report   report;
  static const char *const seeds[] = {msh4, inp, ele};
  for (int kind = 0; kind < 3; kind++) {
    int       k = 1;
    sup_mesh *mesh = NULL;
    for (; !mesh && k < 100; k++) {
      sup_memory_fail_at(k);
      sup_status status = parse(&mesh, kind, seeds[kind], strlen(seeds[kind]), &report);
      CHECK(status == (mesh ? SUP_OK : SUP_E_MEMORY));
    }
    sup_memory_fail_at(0);
    CHECK(k > 5 && k < 100);
    sup_mesh_destroy(&mesh);
  }
}

SUITE_TESTS(mesh_file, TEST(each_format_gives_the_same_cells),
            TEST(habits_of_other_programs_are_read), TEST(broken_files_are_explained),
            TEST(written_files_are_read_back_to_the_bit), TEST(numbers_of_a_deck_fit_its_fields),
            TEST(content_is_stronger_than_the_name), TEST(quadratic_cells_keep_their_edges),
            TEST(quadratic_cells_of_tetgen_have_its_order), TEST(nearly_flat_cells_get_a_warning),
            TEST(decks_may_be_spread_over_files), TEST(nodes_of_the_assembly_are_no_mesh),
            TEST(mutated_files_never_crash), TEST(failed_allocations_are_reported));
