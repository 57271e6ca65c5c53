#include "mesh/format/vtk.h"

#include <dirent.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "mesh/format/vtk_floats.h"
#include "mesh/generate/generate.h"
#include "mesh/named_set.h"
#include "test.h"

/** Path of a file in the folder of the tests. */
static const char *file_in_folder(const char *name) {
  static char path[4][256];
  static int  turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", test_folder(), name);
  return path[turn];
}

static sup_mesh *finger(sup_mesh_pattern pattern) {
  sup_finray f = sup_default_finray();
  sup_mesh  *mesh;
  f.pattern = pattern;
  OK(sup_mesh_finray(&mesh, &f));
  return mesh;
}

static int same_mesh(const sup_mesh *a, const sup_mesh *b) {
  size_t n = (size_t)sup_cell_num_vertices(a->type);
  return a->type == b->type && a->num_vertices == b->num_vertices && a->num_cells == b->num_cells &&
         memcmp(a->x, b->x, 3 * (size_t)a->num_vertices * sizeof *a->x) == 0 &&
         memcmp(a->cell, b->cell, n * (size_t)a->num_cells * sizeof *a->cell) == 0;
}

static void round_trip_keeps_every_bit(void) {
  for (int i = 0; i < 4; i++) {
    sup_mesh       *mesh = finger(i / 2 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN), *back;
    sup_mesh_report report;
    const char     *path = file_in_folder("finger.vtk");
    for (int v = 0; v < 3 * mesh->num_vertices; v++)
      mesh->x[v] = mesh->x[v] / 3 + 1e-17; /* digits to lose */
    OK(sup_vtk_write_mesh(mesh, path, i % 2));
    OK(sup_mesh_read(&back, path, &report));
    CHECK(same_mesh(mesh, back));
    CHECK(report.repair.cells_reoriented == 0 && report.repair.vertices_removed == 0);
    sup_mesh_destroy(&mesh);
    sup_mesh_destroy(&back);
  }
}

/* ---- text files written here ----------------------------------------------------------------- */

static const char tet_ascii[] =
    "# vtk DataFile Version 2.0\nOne tetrahedron\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 "
    "float\n"
    "0 0 0  1 0 0\n0 1 0  0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";

static sup_status parse(sup_mesh **mesh, const char *text) {
  return sup_vtk_parse_mesh(mesh, "some.vtk", text, strlen(text), NULL);
}

static void ascii_variants_are_read(void) {
  static const char *const good[] = {
      tet_ascii,
      /* Windows line ends, comments, blank lines, small letters, values spread over lines */
      "# vtk DataFile Version 4.2\r\n# title that looks like a comment\r\nascii\r\n\r\ndataset "
      "unstructured_grid\r\n# points follow\r\npoints 4 double\r\n0 0\r\n0 1 0 0 0 1 0 0 "
      "0\r\n1e0\r\ncells 1 5\r\n4\r\n0 1 2 3\r\ncell_types 1\r\n10",
      /* dataset field, metadata and attributes */
      "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTIME 1 "
      "1 double\n0.5\nname 1 2 string\ntwo words\nPOINTS 9\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 "
      "1\nMETADATA\nINFORMATION 1\nNAME L2\nDATA 2 0 1\n\n"
      "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\nSCALARS a float 1\nLOOKUP_TABLE "
      "default\n0 1 nan 3\n",
      /* the layout of version 5 */
      "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 "
      "0 0 1 0 0 0 1\nMETADATA\n"
      "INFORMATION 0\n\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 "
      "3\nCELL_TYPES 1\n10\n"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    sup_mesh *mesh;
    OK(parse(&mesh, good[i]));
    CHECK(mesh->type == SUP_CELL_T4 && mesh->num_vertices == 4 && mesh->num_cells == 1);
    NEAR(sup_mesh_volume(mesh), 1.0 / 6, 1e-15, 0);
    sup_mesh_destroy(&mesh);
  }
}

static void inverted_cells_and_unused_points_are_mended(void) {
  sup_mesh       *mesh;
  sup_mesh_report report;
  const char      text[] =
      "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n9 9 9 0 0 "
      "0 1 0 0 0 1 0 0 0 1 8 8 8\n"
      "CELLS 1 5\n4 1 3 2 4\nCELL_TYPES 1\n10\n";
  OK(sup_vtk_parse_mesh(&mesh, "some.vtk", text, strlen(text), &report));
  CHECK(report.repair.cells_reoriented == 1 && report.repair.vertices_removed == 2 &&
        mesh->num_vertices == 4);
  NEAR(sup_mesh_cell_volume(mesh, 0), 1.0 / 6, 1e-15, 0);
  sup_mesh_destroy(&mesh);
}

/* Surface cells among volume cells, as Gmsh and ParaView write them; each cell keeps its own data.
 */
static void surface_cells_are_passed_over(void) {
  sup_mesh       *mesh;
  sup_mesh_report report;
  const char      text[] =
      "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n9 9 9 0 0 "
      "0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 5 20\n3 1 2 3\n1 0\n4 1 2 3 4\n3 2 3 4\n4 2 3 4 "
      "5\nCELL_TYPES 5\n5 1 10 5 10\n"
      "CELL_DATA 5\nSCALARS region_upper int 1\nLOOKUP_TABLE default\n1 1 0 0 1\n"
      "SCALARS material int 1\nLOOKUP_TABLE default\n0 0 1 0 2\nPOINT_DATA 6\nSCALARS region_x int "
      "1\n"
      "LOOKUP_TABLE default\n1 0 1 0 0 0\n";
  OK(sup_vtk_parse_mesh(&mesh, "some.vtk", text, strlen(text), &report));
  CHECK(strcmp(report.skipped, "2 triangles, 1 vertices") == 0 &&
        report.repair.vertices_removed == 1);
  CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 2 && mesh->num_vertices == 5);
  NEAR(sup_mesh_volume(mesh), 1. / 6 + 1. / 3, 1e-15, 0);
  CU_ASSERT_FATAL(mesh->num_sets == 2);
  CHECK(mesh->set[0].member[0] == 0 && mesh->set[0].member[1] == 1);
  for (int i = 0; i < 5; i++) CHECK(mesh->set[1].member[i] == (i == 1));
  sup_mesh_destroy(&mesh);
}

#define HEAD "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS4 "POINTS 4 float\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"

static void broken_files_are_explained(void) {
  static const struct {
    const char *text, *message;
    sup_status  status;
  } table[] = {
      {"", "some.vtk:1: found the end of the file, expected '# vtk DataFile Version 2.0'",
       SUP_E_PARSE},
      {"<VTKFile type=\"UnstructuredGrid\">",
       "some.vtk:1: found '<VTKFile type=\"UnstructuredGrid\">'", SUP_E_PARSE},
      {"# vtk DataFile Version 6.0\nx\nASCII\n", "expected a version from 2.0 to 5.1", SUP_E_PARSE},
      {"# vtk DataFile Version 2.0\nx\nTEXT\n",
       "some.vtk:3: found 'TEXT', expected ASCII or BINARY", SUP_E_PARSE},
      {"# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\n",
       "some.vtk:4: found 'POLYDATA', expected UNSTRUCTURED_GRID", SUP_E_PARSE},
      {HEAD, "some.vtk:5: found the end of the file, expected POINTS", SUP_E_PARSE},
      {HEAD "CELLS 1 5\n", "some.vtk:5: found 'CELLS', expected POINTS", SUP_E_PARSE},
      {HEAD "POINTS many float\n", "some.vtk:5: found 'many', expected the number of points",
       SUP_E_PARSE},
      {HEAD "POINTS -4 float\n", "found '-4', expected the number of points", SUP_E_PARSE},
      {HEAD "POINTS 2000000000 float\n0 0 0\n", "found '2000000000', expected at most 2 points",
       SUP_E_PARSE},
      {HEAD "POINTS 99999999999999999999 float\n", "expected the number of points", SUP_E_PARSE},
      {HEAD "POINTS 1 complex\n0 0 0\n", "some.vtk:5: found 'complex', expected a number type",
       SUP_E_PARSE},
      {HEAD "POINTS 1 int\n0 0 0\n", "expected points of type float or double", SUP_E_PARSE},
      {HEAD "POINTS 2 float\n0 0 0\n1 0,5 0\n",
       "some.vtk:7: found '0,5', expected a finite number as y of point 1", SUP_E_PARSE},
      {HEAD "POINTS 2 float\n0 0 0\n1 0 nan\n",
       "some.vtk:7: found 'nan', expected a finite number as z of point 1", SUP_E_PARSE},
      {HEAD "POINTS 2 float\n0 0 0\n1e400 0 0\n", "found '1e400'", SUP_E_PARSE},
      {HEAD "POINTS 2 float\n0 0 0\n0.00 0.00\n",
       "some.vtk:8: found the end of the file, expected a finite number as z of point 1",
       SUP_E_PARSE},
      {HEAD "POINTS 2 float\n0 0 0\n0 0 CELLS\n", "found 'CELLS'", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
       "some.vtk:11: found '4', expected a vertex from 0 to 3", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n",
       "found '-1', expected a vertex from 0 to 3", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n5 0 1 2 3\nCELL_TYPES 1\n10\n",
       "found '5', expected a number of vertices from 0 to 4", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 6\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
       "the 1 cells take 5 numbers, CELLS announces 6", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n",
       "the 5 numbers of CELLS end before cell 1 of 2", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 3 2\n4 0 1 2 3\nCELL_TYPES 1\n10\n", "expected at least 3 numbers",
       SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n",
       "found '2', expected 1 cell types", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n",
       "some.vtk:13: the mesh has no cells but 1 quads, which are no volumes; expected tetrahedra",
       SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 2 10\n4 0 1 2 3\n4 0 1 2 3\nCELL_TYPES 2\n9 25\n",
       "some.vtk:14: found type 25 (quadratic hexahedron) for cell 1", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n25\n",
       "found type 25 (quadratic hexahedron) for cell 0", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n24\n",
       "found cell 0 with 4 vertices, expected 10 for a quadratic tetrahedron", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n",
       "found cell 0 with 4 vertices, expected 8", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 2 10\n4 0 1 2 3\n4 0 1 2 3\nCELL_TYPES 2\n10 24\n",
       "found type 24 (quadratic tetrahedron) for cell 1 after 10 (tetrahedron), expected "
       "quadratic "
       "cells alone or none",
       SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 0 0\nCELL_TYPES 0\n", "the mesh has no cells", SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\n", "found the end of the file, expected CELL_TYPES",
       SUP_E_PARSE},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 2\nCELL_TYPES 1\n10\n",
       "some.vtk: cell 0 has vertex 2 twice", SUP_E_GEOMETRY},
      {HEAD "POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
       "some.vtk: cell 0 (T4) has volume 0 m^3", SUP_E_GEOMETRY},
      {HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3 3\nCELL_TYPES 1\n10\n", "found '3', expected CELL_TYPES",
       SUP_E_PARSE},
      {HEAD "FIELD F 1\nA 1000000 1000000 double\n0\n" POINTS4, "expected at most", SUP_E_PARSE},
      {"# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS4
       "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\n",
       "found '5', expected an offset from 0 to 4", SUP_E_PARSE},
      {"# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS4
       "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
       "found '4', expected OFFSETS", SUP_E_PARSE},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sup_mesh *mesh;
    FAILS(parse(&mesh, table[i].text), table[i].status, table[i].message);
    CHECK(mesh == NULL);
  }
  sup_mesh *mesh;
  FAILS(sup_mesh_read(&mesh, "/nonexistent/mesh.vtk", NULL), SUP_E_IO, "/nonexistent/mesh.vtk");
}

static void broken_binary_files_are_explained_with_their_byte(void) {
  sup_mesh   *mesh = finger(SUP_PATTERN_HEX), *back;
  const char *path = file_in_folder("binary.vtk");
  char       *data;
  size_t      size;
  OK(sup_vtk_write_mesh(mesh, path, 1));
  sup_mesh_destroy(&mesh);
  OK(sup_file_read(path, &data, &size));
  char  *copy;
  size_t points = (size_t)(strstr(data, "double\n") - data) + 7, cells = points + 660 * 24 + 1;
  OK(SUP_CALLOC(copy, size + 1));
#define BROKEN(change, message)                                                            \
  do {                                                                                     \
    size_t length = size;                                                                  \
    memcpy(copy, data, size);                                                              \
    change;                                                                                \
    FAILS(sup_vtk_parse_mesh(&back, "bin.vtk", copy, length, NULL), SUP_E_PARSE, message); \
  } while (0)
  char message[128];
  BROKEN(length = points + 5000,
         "found 5000 bytes to the end of the file, expected 1980 x 8 bytes of point coordinates");
  snprintf(message, sizeof message, "bin.vtk: byte %zu: found ", points + 40);
  BROKEN(memset(copy + points + 40, 0xff, 8), message); /* NaN */
  BROKEN(memset(copy + points + 40, 0xff, 8), "expected a finite number as z of point 1");
  cells += (size_t)(strchr(copy + cells, '\n') - (copy + cells)) + 1;
  snprintf(message, sizeof message,
           "bin.vtk: byte %zu: found '16777240', expected a number of vertices from 0 to 2546",
           cells + 36);
  BROKEN((copy[cells + 36] = 1, copy[cells + 39] = 24), message);
  snprintf(message, sizeof message,
           "bin.vtk: byte %zu: found '-1', expected a vertex from 0 to 659", cells + 4);
  BROKEN(memset(copy + cells + 4, 0xff, 4), message);
  BROKEN(memcpy(strstr(copy, "POINTS 660"), "POINTS 661", 10), "expected CELLS");
  BROKEN(memcpy(strstr(copy, "double\n"), "double!", 7), "expected a number type");
  size_t types = size - 10;
  while (memcmp(data + types, "POINT_DATA", 10) != 0) types--;
  BROKEN(length = types - 3, "expected 284 x 4 bytes of cell types");
  BROKEN(length = size - 3, "expected 284 x 4 bytes of a named set");
  SUP_FREE(copy);
  SUP_FREE(data);
}

/* ---- files from elsewhere -------------------------------------------------------------------- */

static int read_folder(const char *folder) {
  DIR *directory = opendir(folder);
  int  count = 0;
  if (!directory) return 0;
  for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
    size_t length = strlen(entry->d_name);
    char   path[512];
    if (length < 4 || strcmp(entry->d_name + length - 4, ".vtk") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    sup_mesh *mesh;
    OK(sup_mesh_read(&mesh, path, NULL));
    CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells > 200 && sup_mesh_volume(mesh) > 0);
    sup_mesh_destroy(&mesh);
    count++;
  }
  closedir(directory);
  return count;
}

static void meshes_from_the_wild_are_read(void) {
  int count = read_folder("../shared/data/meshes") + read_folder("../shared/peers");
  if (count == 0) SKIP("no meshes in ../shared\n");
  CHECK(count >= 2);
}

/** Ten thousand files with a few bytes changed, cut or doubled: any answer is right, a crash is
 * not. */
static void mutated_files_never_crash(void) {
  test_random random = {20240};
  int         read = 0, refused = 0;
  for (int kind = 0; kind < 4; kind++) {
    const double size[3] = {1, 1, 1};
    const int    n[3] = {2, 1, 1};
    sup_mesh    *mesh;
    const char  *path = file_in_folder("seed.vtk");
    char        *seed, *data;
    size_t       length;
    OK(sup_mesh_box(&mesh, size, n, kind / 2 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
    OK(sup_vtk_write_mesh(mesh, path, kind % 2));
    sup_mesh_destroy(&mesh);
    OK(sup_file_read(path, &seed, &length));
    for (int trial = 0; trial < 2500; trial++) {
      size_t used = test_uniform(&random) > 0.8
                        ? (size_t)((test_uniform(&random) + 1) / 2 * (double)length)
                        : length;
      OK(SUP_CALLOC(
          data,
          used)); /* exactly as long as the text, so that the sanitizer sees every step too far */
      if (used > 0) memcpy(data, seed, used);
      for (int change = (int)(3 * (test_uniform(&random) + 1)); change > 0 && used > 0; change--) {
        static const char likely[] = "0123456789-+.e \n#\xff";
        size_t            at = (size_t)((test_uniform(&random) + 1) / 2 * (double)used);
        data[at] = likely[(size_t)((test_uniform(&random) + 1) / 2 * (sizeof likely - 1))];
      }
      if (sup_vtk_parse_mesh(&mesh, "mutant", data, used, NULL) == SUP_OK)
        read++;
      else
        refused++;
      sup_mesh_destroy(&mesh);
      SUP_FREE(data);
    }
    SUP_FREE(seed);
  }
  CHECK(read + refused == 10000);
  CHECK(read > 500 && refused > 500); /* the mutations are neither harmless nor hopeless */
}

static void failed_allocations_are_reported(void) {
  int k = 1;
  for (sup_mesh *mesh = NULL; !mesh && k < 100; k++) {
    sup_memory_fail_at(k);
    sup_status status = parse(&mesh, tet_ascii);
    CHECK(status == (mesh ? SUP_OK : SUP_E_MEMORY));
    if (!mesh) continue;
    sup_mesh_destroy(&mesh);
    break;
  }
  sup_memory_fail_at(0);
  CHECK(k > 5 && k < 100);
}

/* ---- writer ---------------------------------------------------------------------------------- */

/** A file with all that the writer can do; two of its numbers are not finite. */
static void write_everything(const char *path, int binary) {
  sup_mesh      *mesh = finger(SUP_PATTERN_HEX);
  sup_vtk_writer w;
  double        *value;
  int           *number;
  OK(SUP_CALLOC(value, 9 * mesh->num_vertices));
  OK(SUP_CALLOC(number, mesh->num_vertices));
  for (int i = 0; i < 9 * mesh->num_vertices; i++) value[i] = 0.1 * i;
  for (int i = 0; i < mesh->num_vertices; i++) number[i] = i - 7;
  value[3] = (double)NAN, value[4] = -(double)INFINITY;
  OK(sup_vtk_open(&w, path, "everything\nin one file", binary));
  OK(sup_vtk_time(&w, 0.25, 25, 0));
  OK(sup_vtk_points(&w, mesh->num_vertices, mesh->x));
  OK(sup_vtk_cells(&w, mesh));
  OK(sup_vtk_data_begin(&w, 0, mesh->num_vertices));
  OK(sup_vtk_vectors(&w, "displacement", mesh->num_vertices, value + 9));
  OK(sup_vtk_scalars(&w, "pressure", mesh->num_vertices, value));
  OK(sup_vtk_integers(&w, "number", mesh->num_vertices, number));
  OK(sup_vtk_data_begin(&w, 1, mesh->num_cells));
  OK(sup_vtk_tensors(&w, "cauchy_stress", mesh->num_cells, value + 9));
  OK(sup_vtk_scalars(&w, "von_mises", mesh->num_cells, value + 9));
  OK(sup_vtk_integers(&w, "material_id", mesh->num_cells, number));
  CHECK(w.nonfinite == 2);
  OK(sup_vtk_close(&w));
  SUP_FREE(value);
  SUP_FREE(number);
  sup_mesh_destroy(&mesh);
}

static void write_polygons(const char *path, int binary, int empty) {
  const double   x[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0.5, 0}, pressure[2] = {1e5, 2e5};
  const int      start[3] = {0, 4, 7}, point[7] = {0, 1, 2, 3, 1, 4, 2};
  sup_vtk_writer w;
  OK(sup_vtk_open(&w, path, "patches", binary));
  OK(sup_vtk_time(&w, 0, 0, 0));
  OK(sup_vtk_points(&w, empty ? 0 : 5, x));
  OK(sup_vtk_polygons(&w, empty ? 0 : 2, start, point));
  OK(sup_vtk_data_begin(&w, 1, empty ? 0 : 2));
  OK(sup_vtk_scalars(&w, "pressure", empty ? 0 : 2, pressure));
  OK(sup_vtk_vectors(&w, "traction", empty ? 0 : 2, x));
  OK(sup_vtk_close(&w));
}

static void files_with_arrays_are_read_back(void) {
  for (int binary = 0; binary < 2; binary++) {
    sup_mesh   *mesh = finger(SUP_PATTERN_HEX), *back;
    const char *path = file_in_folder("all.vtk");
    write_everything(path, binary);
    OK(sup_mesh_read(&back, path, NULL));
    CHECK(same_mesh(mesh, back));
    sup_mesh_destroy(&mesh);
    sup_mesh_destroy(&back);
  }
}

/** Run a script with the folder of the tests as its argument. */
static void run_python(const char *script) {
  char  command[1024];
  FILE *file = fopen(file_in_folder("script.py"), "w");
  CHECK(file != NULL && fputs(script, file) >= 0 && fclose(file) == 0);
  snprintf(command, sizeof command, "/usr/bin/python3 %s/script.py %s", test_folder(),
           test_folder());
  CHECK(system(command) == 0);
}

/** VTK itself reads what was written: no warning, the right counts, arrays and values. */
static void vtk_reads_our_files_without_a_warning(void) {
  static const char script[] =
      "import sys\n"
      "from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader\n"
      "from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow\n"
      "messages = vtkStringOutputWindow()\n"
      "vtkOutputWindow.SetInstance(messages)\n"
      "def read(reader, path):\n"
      "    for what in 'Scalars', 'Vectors', 'Tensors', 'Fields': getattr(reader, 'ReadAll' + what "
      "+ 'On')()\n"
      "    reader.SetFileName(path)\n"
      "    reader.Update()\n"
      "    return reader.GetOutput()\n"
      "folder = sys.argv[1]\n"
      "for kind in 'ascii', 'binary':\n"
      "    grid = read(vtkUnstructuredGridReader(), folder + '/grid_' + kind + '.vtk')\n"
      "    assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (660, 284), kind\n"
      "    assert grid.GetCellType(283) == 12\n"
      "    point, cell, field = grid.GetPointData(), grid.GetCellData(), grid.GetFieldData()\n"
      "    assert field.GetArray('TIME').GetValue(0) == 0.25 and "
      "field.GetArray('CYCLE').GetValue(0) == 25\n"
      "    assert point.GetArray('displacement').GetTuple(659) == (0.1 * 1986, 0.1 * 1987, 0.1 * "
      "1988)\n"
      "    assert [point.GetArray('pressure').GetValue(i) for i in (2, 3, 4, 5)] == [0.2, 0, 0, "
      "0.5]\n"
      "    assert point.GetArray('number').GetValue(0) == -7 and "
      "point.GetArray('number').GetDataTypeAsString() == 'int'\n"
      "    assert cell.GetArray('cauchy_stress').GetTuple(0) == tuple(0.1 * i for i in range(9, "
      "18))\n"
      "    assert cell.GetArray('von_mises').GetNumberOfTuples() == 284 and "
      "cell.GetArray('material_id').GetValue(8) == 1\n"
      "    flat = read(vtkUnstructuredGridReader(), folder + '/patch_' + kind + '.vtk')\n"
      "    assert (flat.GetNumberOfPoints(), flat.GetNumberOfCells()) == (5, 2)\n"
      "    assert flat.GetCellData().GetArray('pressure').GetValue(1) == 2e5\n"
      "    none = read(vtkUnstructuredGridReader(), folder + '/empty_' + kind + '.vtk')\n"
      "    assert (none.GetNumberOfPoints(), none.GetNumberOfCells()) == (0, 0)\n"
      "    assert none.GetFieldData().GetArray('TIME').GetValue(0) == 0\n"
      "assert not messages.GetOutput(), messages.GetOutput()\n";
  if (system("/usr/bin/python3 -c 'import vtkmodules.vtkIOLegacy' >/dev/null 2>&1") != 0)
    SKIP("no python3-vtk9\n");
  for (int binary = 0; binary < 2; binary++) {
    write_everything(file_in_folder(binary ? "grid_binary.vtk" : "grid_ascii.vtk"), binary);
    write_polygons(file_in_folder(binary ? "patch_binary.vtk" : "patch_ascii.vtk"), binary, 0);
    write_polygons(file_in_folder(binary ? "empty_binary.vtk" : "empty_ascii.vtk"), binary, 1);
  }
  run_python(script);
}

/** meshio knows no polygonal data and sorts cells by their kind. */
static void meshio_reads_our_files(void) {
  static const char script[] =
      "import sys\n"
      "import meshio\n"
      "folder = sys.argv[1]\n"
      "for kind in 'ascii', 'binary':\n"
      "    grid = meshio.read(folder + '/meshio_grid_' + kind + '.vtk')\n"
      "    assert len(grid.points) == 660 and len(grid.cells_dict['hexahedron']) == 284, kind\n"
      "    assert grid.point_data['displacement'].shape == (660, 3)\n"
      "    flat = meshio.read(folder + '/meshio_patch_' + kind + '.vtk')\n"
      "    assert [block.type for block in flat.cells] == ['quad', 'triangle'], flat\n"
      "    assert [list(p) for p in flat.cell_data['pressure']] == [[1e5], [2e5]], flat\n"
      "    none = meshio.read(folder + '/meshio_empty_' + kind + '.vtk')\n"
      "    assert len(none.points) == 0 and not none.cells\n";
  if (system("/usr/bin/python3 -c 'import meshio' >/dev/null 2>&1") != 0)
    SKIP("no python3-meshio\n");
  for (int binary = 0; binary < 2; binary++) {
    const char *kind = binary ? "binary" : "ascii";
    char        name[64];
    snprintf(name, sizeof name, "meshio_grid_%s.vtk", kind);
    write_everything(file_in_folder(name), binary);
    snprintf(name, sizeof name, "meshio_patch_%s.vtk", kind);
    write_polygons(file_in_folder(name), binary, 0);
    snprintf(name, sizeof name, "meshio_empty_%s.vtk", kind);
    write_polygons(file_in_folder(name), binary, 1);
  }
  run_python(script);
}

/** Files that VTK 9 writes in both of its layouts, with field data, metadata and arrays, come back
 * as they were. */
static void files_written_by_vtk_are_read(void) {
  static const char script[] =
      "import sys\n"
      "from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader, vtkUnstructuredGridWriter\n"
      "from vtkmodules.vtkCommonCore import vtkStringArray, vtkDoubleArray\n"
      "reader = vtkUnstructuredGridReader()\n"
      "reader.SetFileName(sys.argv[1] + '/ours.vtk')\n"
      "reader.Update()\n"
      "grid = reader.GetOutput()\n"
      "names = vtkStringArray()\n"
      "names.SetName('names')\n"
      "names.InsertNextValue('a name of several words')\n"
      "values = vtkDoubleArray()\n"
      "values.SetName('values')\n"
      "values.SetNumberOfComponents(3)\n"
      "values.SetComponentName(0, 'first')\n"
      "values.InsertNextTuple3(1, 2, 3)\n"
      "grid.GetFieldData().AddArray(values)\n"
      "for version in 42, 51:\n"
      "    for binary in 0, 1:\n"
      "        if not binary: grid.GetFieldData().AddArray(names)\n"
      "        else: grid.GetFieldData().RemoveArray('names')\n"
      "        writer = vtkUnstructuredGridWriter()\n"
      "        writer.SetFileName('%s/vtk_%d_%d.vtk' % (sys.argv[1], version, binary))\n"
      "        writer.SetFileVersion(version)\n"
      "        writer.SetFileType(1 + binary)\n"
      "        writer.SetInputData(grid)\n"
      "        assert writer.Write() == 1\n";
  if (system("/usr/bin/python3 -c 'import vtkmodules.vtkIOLegacy' >/dev/null 2>&1") != 0)
    SKIP("no python3-vtk9\n");
  char      name[64];
  sup_mesh *mesh = finger(SUP_PATTERN_HEX), *back;
  OK(sup_vtk_write_mesh(mesh, file_in_folder("ours.vtk"), 1));
  run_python(script);
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "vtk_%d_%d.vtk", i / 2 ? 51 : 42, i % 2);
    OK(sup_mesh_read(&back, file_in_folder(name), NULL));
    CHECK(back->num_vertices == mesh->num_vertices && back->num_cells == mesh->num_cells);
    CHECK(memcmp(back->cell, mesh->cell, 8 * (size_t)mesh->num_cells * sizeof *mesh->cell) == 0);
    double farthest = 0; /* VTK writes text with a few digits only */
    for (int k = 0; k < 3 * mesh->num_vertices; k++)
      farthest = fmax(farthest, fabs(back->x[k] - mesh->x[k]));
    NEAR(farthest, 0, 0, i % 2 ? 0 : 1e-7);
    sup_mesh_destroy(&back);
  }
  sup_mesh_destroy(&mesh);
}

static void decimal_comma_of_the_locale_is_ignored(void) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
    SKIP("no locale with a decimal comma\n");
  sup_mesh *mesh = finger(SUP_PATTERN_KUHN), *back;
  OK(sup_vtk_write_mesh(mesh, file_in_folder("comma.vtk"), 0));
  OK(sup_mesh_read(&back, file_in_folder("comma.vtk"), NULL));
  setlocale(LC_ALL, "C");
  CHECK(same_mesh(mesh, back));
  sup_mesh_destroy(&mesh);
  sup_mesh_destroy(&back);
}

static void counts_that_do_not_fit_are_refused_and_leave_no_file(void) {
  const char    *path = file_in_folder("wrong.vtk");
  sup_mesh      *mesh = finger(SUP_PATTERN_HEX);
  sup_vtk_writer w;
  double        *value;
  OK(SUP_CALLOC(value, mesh->num_vertices));
#define WRONG(call, message)                                                               \
  do {                                                                                     \
    OK(sup_vtk_open(&w, path, "wrong", 1));                                                \
    OK(sup_vtk_points(&w, mesh->num_vertices, mesh->x));                                   \
    OK(sup_vtk_cells(&w, mesh));                                                           \
    OK(sup_vtk_data_begin(&w, 0, mesh->num_vertices));                                     \
    FAILS(call, SUP_E_ARG, message);                                                       \
    FAILS(sup_vtk_data_begin(&w, 0, mesh->num_vertices), SUP_E_ARG,                        \
          message); /* it stays failed */                                                  \
    FAILS(sup_vtk_close(&w), SUP_E_ARG, message);                                          \
    CHECK(access(path, F_OK) != 0 && access(file_in_folder("wrong.vtk.part"), F_OK) != 0); \
  } while (0)
  WRONG(sup_vtk_scalars(&w, "a", 5, value), "array a has 5 tuples; its section has 660");
  WRONG(sup_vtk_scalars(&w, "two words", 660, value), "'two words' is not one word");
  WRONG(sup_vtk_scalars(&w, "", 660, value), "'' is not one word");
  WRONG(sup_vtk_data_begin(&w, 1, 660), "data for 660 cells; the file has 284");
  WRONG(sup_vtk_points(&w, 3, mesh->x), "one set of points");
  WRONG(sup_vtk_cells(&w, mesh), "cells on 660 points");
  WRONG(sup_vtk_time(&w, 0, 0, 0), "the time comes before the points");
  OK(sup_vtk_open(&w, path, "wrong", 1));
  OK(sup_vtk_points(&w, mesh->num_vertices, mesh->x));
  FAILS(sup_vtk_close(&w), SUP_E_ARG, "closed before its cells were written");
  mesh->x[7] = (double)NAN;
  FAILS(sup_vtk_write_mesh(mesh, path, 1), SUP_E_NONFINITE,
        "1 coordinates of the mesh are not finite");
  CHECK(access(path, F_OK) != 0);
  FAILS(sup_vtk_write_mesh(mesh, "/nonexistent/mesh.vtk", 1), SUP_E_IO, "/nonexistent/mesh.vtk");
  SUP_FREE(value);
  sup_mesh_destroy(&mesh);
}

/* Floats of every set, however many numbers are left over; numbers too large for a float are
 * reported. */
static void sets_make_the_nearest_floats(void) {
  enum { MOST = 21 };
  double        value[MOST];
  unsigned char bytes[4 * MOST];
  test_random   random = {7};
  for (int k = 0, end = 0; !end; k++) {
    sup_put_floats *put = sup_vtk_floats_set(k, &end);
    for (size_t n = 0; n <= MOST && put; n++) {
      for (size_t i = 0; i < n; i++) value[i] = ldexp(test_uniform(&random), (int)i - 10);
      CHECK(put(n, value, bytes));
      for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
                        (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
        float f;
        memcpy(&f, &bits, sizeof f);
        CHECK(f == (float)value[i]);
      }
      for (size_t i = 0; i < n; i++) {
        double kept = value[i];
        value[i] = i % 2 ? 1e300 : (double)NAN;
        CHECK(!put(n, value, bytes));
        value[i] = kept;
      }
    }
  }
}

SUITE_TESTS(vtk, TEST(round_trip_keeps_every_bit), TEST(sets_make_the_nearest_floats),
            TEST(ascii_variants_are_read), TEST(inverted_cells_and_unused_points_are_mended),
            TEST(surface_cells_are_passed_over), TEST(broken_files_are_explained),
            TEST(broken_binary_files_are_explained_with_their_byte),
            TEST(meshes_from_the_wild_are_read), TEST(mutated_files_never_crash),
            TEST(failed_allocations_are_reported), TEST(files_with_arrays_are_read_back),
            TEST(vtk_reads_our_files_without_a_warning), TEST(meshio_reads_our_files),
            TEST(files_written_by_vtk_are_read), TEST(decimal_comma_of_the_locale_is_ignored),
            TEST(counts_that_do_not_fit_are_refused_and_leave_no_file));
