/* Named sets: what files call parts of a mesh, and what becomes of them when the mesh is made into
 * another. */
#include <string.h>

#include "base/log.h"
#include "mesh/format/convert.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/vtk.h"
#include "mesh/generate/generate.h"
#include "mesh/generate/tetgen.h"
#include "mesh/named_set.h"
#include "mesh/refine.h"
#include "test.h"

static int count_of(const sup_mesh *mesh, sup_set_kind kind, const char *name) {
  const sup_named_set *set = sup_mesh_find_set(mesh, kind, name);
  return set ? sup_mesh_count_set(mesh, set) : SUP_NONE;
}

static sup_mesh *box(sup_mesh_pattern pattern) {
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {3, 2, 1};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, pattern));
  return mesh;
}

/** The sides of a box hold the vertices on them and no others, and half of its cells is the set
 * `half`. */
static void check_box(const sup_mesh *mesh, int pieces) {
  static const char *const names[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  static const double      at[] = {0, .3, 0, .2, 0, .1};
  const sup_named_set     *half = sup_mesh_find_set(mesh, SUP_SET_CELLS, "half");
  CU_ASSERT_FATAL(mesh->num_sets == 7 && half);
  for (int k = 0; k < 6; k++) {
    const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_VERTICES, names[k]);
    CU_ASSERT_FATAL(set != NULL);
    for (int i = 0; i < mesh->num_vertices; i++)
      CHECK(set->member[i] == (fabs(mesh->x[3 * i + k / 2] - at[k]) < 1e-15));
  }
  for (int c = 0; c < mesh->num_cells; c++) CHECK(half->member[c] == (c / pieces % 2));
}

static void add_half(sup_mesh *mesh) {
  unsigned char *member;
  OK(sup_mesh_add_set(mesh, SUP_SET_CELLS, "half", &member));
  for (int c = 0; c < mesh->num_cells; c++) member[c] = (unsigned char)(c % 2);
}

static void sets_follow_the_mesh_through_order_and_refinement(void) {
  for (int p = 0; p < 2; p++) {
    sup_mesh *mesh = box(p ? SUP_PATTERN_HEX : SUP_PATTERN_MIRROR), *made, *back;
    add_half(mesh);
    check_box(mesh, 1);
    OK(sup_mesh_refine(&made, mesh));
    check_box(made, 8);
    OK(sup_mesh_refine_levels(&made, 1));
    check_box(made, 64);
    sup_mesh_destroy(&made);
    OK(sup_mesh_to_t4(&made, mesh));
    check_box(made, p ? 24 : 1);
    sup_mesh_destroy(&made);
    if (!p) {
      OK(sup_mesh_to_t10(&made, mesh));
      check_box(made, 1);
      OK(sup_mesh_to_t4(&back, made));
      check_box(back, 8);
      sup_mesh_destroy(&back);
      OK(sup_mesh_refine(&back, made));
      check_box(back, 8);
      sup_mesh_destroy(&back);
      sup_mesh_destroy(&made);
    }
    sup_mesh_destroy(&mesh);
  }
}

static void count_log(sup_log_level level, const char *message, void *user) {
  (void)level, (void)message;
  ++*(int *)user;
}

/** Write and read back; the sets are the same, but for those of everything that Abaqus files are
 * given. */
static void check_file(const sup_mesh *mesh, const char *name, int binary, int more) {
  char      path[1024];
  sup_mesh *back;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_mesh_write(mesh, path, binary));
  OK(sup_mesh_read(&back, path, NULL));
  CHECK(back->num_sets == mesh->num_sets + more);
  for (int s = 0; s < mesh->num_sets; s++) {
    const sup_named_set *set = &mesh->set[s], *same = sup_mesh_find_set(back, set->kind, set->name);
    CU_ASSERT_FATAL(same != NULL);
    CHECK(memcmp(set->member, same->member, (size_t)sup_mesh_set_size(mesh, set->kind)) == 0);
  }
  sup_mesh_destroy(&back);
}

static void files_keep_the_sets(void) {
  unsigned char *member;
  for (int p = 0; p < 2; p++) {
    sup_mesh *mesh = box(p ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN);
    int       num_logs = 0;
    add_half(mesh);
    OK(sup_mesh_add_set(mesh, SUP_SET_VERTICES, "a \"20 %\" % %41 name", &member));
    member[3] = 1;
    sup_log_set(count_log, &num_logs);
    check_file(mesh, "m.vtk", 0, 0);
    check_file(mesh, "m.vtk", 1, 0);
    check_file(mesh, "m.msh", 0, 0);
    check_file(mesh, "m.inp", 0, 2);
    CHECK(num_logs == 0);
    OK(sup_mesh_add_set(mesh, SUP_SET_CELLS, "x_min", &member)); /* as one of vertices */
    member[1] = 1;
    OK(sup_mesh_add_set(mesh, SUP_SET_CELLS, "NALL", &member));
    member[0] = 1;
    check_file(mesh, "m.vtk", 1, 0);
    check_file(mesh, "m.inp", 0, 2);
    OK(sup_mesh_add_set(mesh, SUP_SET_VERTICES, "NALL", &member));
    member[0] = 1;
    check_file(mesh, "m.inp", 0, 1);
    CHECK(num_logs == 0);
    char path[1024];
    snprintf(path, sizeof path, "%s/shared.msh", test_folder());
    OK(sup_mesh_write(mesh, path, 0)); /* cell 1 is in two sets */
    CHECK(num_logs == 1);
    sup_log_set(NULL, NULL);
    sup_mesh_destroy(&mesh);
  }
}

/* Two tetrahedra as Gmsh 4.8 writes them, with a group of each dimension: 2.2 has groups by
 * element, 4.1 by entity. */
static void groups_of_gmsh_are_sets(void) {
  static const char *const files[] = {
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 4 \"corner\"\n2 2 \"front side # "
      "1\"\n3 7 \"left\"\n"
      "$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n7 1 0 0\n3 0 1 0\n4 0 0 1\n9 1 1 1\n12 5 5 "
      "5\n$EndNodes\n"
      "$Elements\n5\n1 15 2 4 1 9\n2 2 2 2 5 1 3 7\n3 4 3 7 1 0 1 7 3 4\n4 4 2 0 1 9 4 3 7\n5 15 2 "
      "9 1 4\n"
      "$EndElements\n",
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 4 \"corner\"\n2 2 \"front side # "
      "1\"\n3 7 \"left\"\n"
      "$EndPhysicalNames\n$Entities\n2 0 1 2\n1 0 0 0 1 4 \n2 0 0 0 1 9 \n5 0 0 0 1 1 1 2 -2 4 0 \n"
      "1 0 0 0 1 1 1 1 7 1 5 \n2 0 0 0 1 1 1 0 0 \n$EndEntities\n"
      "$Nodes\n1 5 1 9\n0 1 0 5\n1\n7\n3\n4\n9\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
      "$Elements\n5 5 1 5\n0 1 15 1\n1 9 \n2 5 2 1\n2 1 3 7 \n3 1 4 1\n3 1 7 3 4 \n3 2 4 1\n4 9 4 "
      "3 7 \n0 2 15 1\n5 4\n"
      "$EndElements\n"};
  static sup_mesh_report report;
  for (int k = 0; k < 2; k++) {
    sup_mesh *mesh;
    OK(sup_gmsh_parse_mesh(&mesh, "a.msh", files[k], strlen(files[k]), &report));
    CHECK(mesh->num_sets == 4 + k && mesh->num_vertices == 5);
    const sup_named_set *side = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "front side # 1");
    CU_ASSERT_FATAL(side != NULL);
    CHECK(memcmp(side->member, (unsigned char[]){1, 1, 1, 0, 0}, 5) == 0);
    CHECK(count_of(mesh, SUP_SET_VERTICES, "corner") == 1);
    if (k)
      CHECK(count_of(mesh, SUP_SET_VERTICES, "physical_4") ==
            3); /* in 4.1 the side is in two groups of its own */
    CHECK(count_of(mesh, SUP_SET_VERTICES, "physical_9") == 1);
    CHECK(memcmp(sup_mesh_find_set(mesh, SUP_SET_CELLS, "left")->member, (unsigned char[]){1, 0},
                 2) == 0);
    sup_mesh_destroy(&mesh);
  }
}

static const char deck[] =
    "*NODE, NSET=all\n1\n7, 1., 0,0\n3 ,, 1\n4,0.,0,1e0,\n9, 1, 1, 1\n20, 5, 5, 5\n"
    "*ELEMENT, ELSET=E2, type=c3d4\n10, 1, 7,\n 3, 4\n11, 9,4,3,7\n"
    "*NSET, NSET=range, GENERATE\n1, 7, 2\n9, 9\n"
    "*nset, nset=\"my list\"\n1, 3,\n4\n*NSET, NSET=both\nMY LIST, 9, nobody\n"
    "*ELSET, ELSET=one\n11, 99\n*NSET, NSET=of_cells, ELSET=one\n*NSET, NSET=range\n4\n";

static void sets_of_abaqus_are_read(void) {
  static sup_mesh_report report;
  static const struct {
    sup_set_kind kind;
    const char  *name, *member;
  } sets[] = {
      {SUP_SET_VERTICES, "all", "\1\1\1\1\1"},     {SUP_SET_CELLS, "E2", "\1\1"},
      {SUP_SET_VERTICES, "range", "\1\1\1\1\1"},   {SUP_SET_VERTICES, "my list", "\1\0\1\1\0"},
      {SUP_SET_VERTICES, "both", "\1\0\1\1\1"},    {SUP_SET_CELLS, "one", "\0\1"},
      {SUP_SET_VERTICES, "of_cells", "\0\1\1\1\1"}};
  sup_mesh *mesh;
  OK(sup_abaqus_parse_mesh(&mesh, "a.inp", deck, strlen(deck), &report));
  CHECK(mesh->num_sets == 7);
  CHECK(strcmp(report.skipped,
               "1 names in sets that no set before has, 2 members of sets that are no part of the "
               "mesh") == 0);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const sup_named_set *set = sup_mesh_find_set(mesh, sets[i].kind, sets[i].name);
    CU_ASSERT_FATAL(set != NULL);
    CHECK(memcmp(set->member, sets[i].member, (size_t)sup_mesh_set_size(mesh, set->kind)) == 0);
  }
  sup_mesh_destroy(&mesh);
}

static void marks_of_tetgen_are_sets(void) {
  static const char node[] =
      "5 3 1 1\n1 0 0 0 .5 0\n2 1 0 0 .5 3\n3 0 1 0 .5 3\n4 0 0 1 .5 0\n5 1 1 1 .5 -1\n";
  static const char      ele[] = "2 4 1\n1 1 2 3 4 2\n2 5 4 3 2 0\n";
  static sup_mesh_report report;
  sup_mesh              *mesh;
  OK(sup_tetgen_parse(&mesh, "a.node", node, "a.ele", ele, &report));
  CHECK(mesh->num_sets == 3 && count_of(mesh, SUP_SET_VERTICES, "marker_3") == 2);
  CHECK(count_of(mesh, SUP_SET_VERTICES, "marker_-1") == 1 &&
        count_of(mesh, SUP_SET_CELLS, "region_2") == 1);
  sup_mesh_destroy(&mesh);
}

static const char vtk_head[] =
    "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 "
    "0 1 0 0 0 1\n"
    "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

/* Attributes of any kind may stand before and between sets, with and without a table. */
static void arrays_of_vtk_files_are_sets(void) {
  static const char more[] =
      "POINT_DATA 4\nSCALARS a float 2\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\nVECTORS v double\n1 "
      "2 3 1 2 3 1 2 3 1 2 3\nSCALARS region_tip unsigned_char\nLOOKUP_TABLE default\n0 1 0 "
      "1\nMETADATA\nINFORMATION 0\n\n"
      "FIELD FieldData 2\nb 3 4 int\n1 2 3 4 5 6 7 8 9 10 11 12\nregion_all%20of%20it 1 4 "
      "double\n1 .5 1 1\n"
      "CELL_DATA 1\nTENSORS t double\n1 2 3 4 5 6 7 8 9\nSCALARS region_soft int 1\nLOOKUP_TABLE "
      "default\n1\n"
      "SCALARS region_hard int 1\nLOOKUP_TABLE default\n0\n";
  static const struct {
    const char *more, *text;
  } bad[] = {{"POINT_DATA 4\nSCALARS region_a int\nLOOKUP_TABLE default\n1 0 x 1\n",
              "a.vtk:14: found 'x', expected a number of the array region_a"},
             {"POINT_DATA 4\nSCALARS region_a int\nLOOKUP_TABLE default\n1 0 1\n",
              "found the end of the file, expected a number of the array region_a"},
             {"CELL_DATA 1\nFIELD f 1\nregion_a 2 1 int\n1 0\n",
              "found 1 x 2 numbers in the array region_a, expected one for each cell: 1"}};
  char      text[2048];
  sup_mesh *mesh;
  snprintf(text, sizeof text, "%s%s", vtk_head, more);
  OK(sup_vtk_parse_mesh(&mesh, "a.vtk", text, strlen(text), NULL));
  CHECK(mesh->num_sets == 3 && count_of(mesh, SUP_SET_VERTICES, "tip") == 2);
  CHECK(count_of(mesh, SUP_SET_VERTICES, "all of it") == 4 &&
        count_of(mesh, SUP_SET_CELLS, "soft") == 1);
  sup_mesh_destroy(&mesh);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, "%s%s", vtk_head, bad[i].more);
    FAILS(sup_vtk_parse_mesh(&mesh, "a.vtk", text, strlen(text), NULL), SUP_E_PARSE, bad[i].text);
  }
  int num_logs = 0;
  sup_log_set(count_log, &num_logs);
  snprintf(text, sizeof text, "%sPOINT_DATA 4\nCOLOURS a 1\n", vtk_head);
  OK(sup_vtk_parse_mesh(&mesh, "a.vtk", text, strlen(text), NULL));
  sup_log_set(NULL, NULL);
  CHECK(num_logs == 1 && mesh->num_sets == 0);
  sup_mesh_destroy(&mesh);
}

static void fingers_name_their_sides_and_parts(void) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  double     volume[3] = {0, 0, 0};
  OK(sup_mesh_finray(&mesh, &f));
  for (int k = 0; k < 3; k++) {
    static const char *const names[] = {"walls", "ribs", "blocks"};
    const sup_named_set     *set = sup_mesh_find_set(mesh, SUP_SET_CELLS, names[k]);
    CU_ASSERT_FATAL(set != NULL);
    for (int c = 0; c < mesh->num_cells; c++)
      volume[k] += set->member[c] * sup_mesh_cell_volume(mesh, c);
  }
  NEAR(volume[0] + volume[1] + volume[2], sup_mesh_volume(mesh), 1e-13, 0);
  NEAR(volume[0], 2 * f.wall * (f.height - f.base_block - f.tip_block) * f.depth, 1e-12, 0);
  double slope = (f.base - f.tip) / f.height; /* means of the widths of the ends */
  NEAR(volume[2],
       f.depth * (f.base_block * (f.base - slope * f.base_block / 2) +
                  f.tip_block * (f.tip + slope * f.tip_block / 2)),
       1e-12, 0);
  for (int i = 0; i < mesh->num_vertices; i++) {
    sup_v3 x = sup_mesh_vertex(mesh, i);
    CHECK(sup_mesh_find_set(mesh, SUP_SET_VERTICES, "front")->member[i] == (x.x == 0));
    CHECK(sup_mesh_find_set(mesh, SUP_SET_VERTICES, "base")->member[i] == (x.y == 0));
    CHECK(sup_mesh_find_set(mesh, SUP_SET_VERTICES, "tip")->member[i] == (x.y == f.height));
    CHECK(sup_mesh_find_set(mesh, SUP_SET_VERTICES, "back")->member[i] ==
          (fabs(x.x - f.base + slope * x.y) < 1e-15));
  }
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(named_set, TEST(sets_follow_the_mesh_through_order_and_refinement),
            TEST(files_keep_the_sets), TEST(groups_of_gmsh_are_sets), TEST(sets_of_abaqus_are_read),
            TEST(marks_of_tetgen_are_sets), TEST(arrays_of_vtk_files_are_sets),
            TEST(fingers_name_their_sides_and_parts));
