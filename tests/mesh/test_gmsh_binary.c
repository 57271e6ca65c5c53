/* Gmsh's binary .msh: the same two cells as the text in test_mesh_file.c, byte by byte. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/cell.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "mesh/named_set.h"
#include "test.h"

typedef struct writer {
  char   bytes[4096];
  size_t size;
  int    is_swapped, is_short; /* counts and tags of 4 bytes */
} writer;

static void put(writer *w, const void *value, size_t bytes) {
  const char *from = value;
  CU_ASSERT_FATAL(w->size + bytes <= sizeof w->bytes);
  for (size_t k = 0; k < bytes; k++)
    w->bytes[w->size + k] = from[w->is_swapped ? bytes - 1 - k : k];
  w->size += bytes;
}

static void text(writer *w, const char *line) {
  CU_ASSERT_FATAL(w->size + strlen(line) <= sizeof w->bytes);
  memcpy(w->bytes + w->size, line, strlen(line));
  w->size += strlen(line);
}

static void ints(writer *w, int count, const int *value) {
  for (int k = 0; k < count; k++) put(w, &(int32_t){value[k]}, 4);
}
static void sizes(writer *w, int count, const int *value) {
  if (w->is_short) ints(w, count, value);
  for (int k = 0; k < count && !w->is_short; k++) put(w, &(int64_t){value[k]}, 8);
}
static void numbers(writer *w, int count, const double *value) {
  for (int k = 0; k < count; k++) put(w, &value[k], 8);
}
#define INTS(w, ...) ints(w, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (int[]){__VA_ARGS__})
#define SIZES(w, ...) \
  sizes(w, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (int[]){__VA_ARGS__})

static const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
static const int    tags[5] = {1, 7, 3, 4, 9};

static void begin(writer *w, const char *version, int is_swapped) {
  *w = (writer){.is_swapped = is_swapped};
  text(w, "$MeshFormat\n");
  text(w, version);
  INTS(w, 1);
  text(w,
       "\n$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"skin\"\n3 1 \"a $ body\"\n"
       "$EndPhysicalNames\n");
}

/** A triangle of group 5, two cells of group 1; a section that nobody reads, with bytes that look
 * like ends of lines. */
static void write_2(writer *w, int is_swapped) {
  begin(w, "2.2 1 8\n", is_swapped);
  text(w, "$NodeData\n");
  INTS(w, 0x0a24450a, 0x5c0a5c0a, 0x0d24450a);
  text(w, "\n$EndNodeData\n$Nodes\n5\n");
  for (int i = 0; i < 5; i++) {
    ints(w, 1, &tags[i]);
    numbers(w, 3, points[i]);
  }
  text(w, "\n$EndNodes\n$Elements\n3\n");
  INTS(w, 2, 1, 2, 2, 5, 8, 1, 3, 7);
  INTS(w, 4, 2, 2, 3, 1, 1, 1, 7, 3, 4, 4, 1, 1, 9, 4, 3, 7);
  text(w, "\n$EndElements\n");
}

/** Points of a surface with parameters, as a volume's boundary has them. */
static void write_4(writer *w, int is_swapped, int is_short) {
  static const double zero[6] = {0}, parameters[2] = {.25, .5};
  begin(w, is_short ? "4.1 1 4\n" : "4.1 1 8\n", is_swapped);
  w->is_short = is_short;
  text(w, "$Entities\n");
  SIZES(w, 1, 0, 1, 1);
  INTS(w, 1);
  numbers(w, 3, zero);
  SIZES(w, 0);
  INTS(w, 8);
  numbers(w, 6, zero);
  SIZES(w, 1);
  INTS(w, -5); /* turned */
  SIZES(w, 0);
  INTS(w, 1);
  numbers(w, 6, zero);
  SIZES(w, 1);
  INTS(w, 1);
  SIZES(w, 1);
  INTS(w, 8);
  text(w, "\n$EndEntities\n$Nodes\n");
  SIZES(w, 2, 5, 1, 9);
  INTS(w, 0, 1, 0);
  SIZES(w, 1, 1);
  numbers(w, 3, points[0]);
  INTS(w, 2, 8, 1);
  SIZES(w, 4);
  sizes(w, 4, tags + 1);
  for (int i = 1; i < 5; i++) {
    numbers(w, 3, points[i]);
    numbers(w, 2, parameters);
  }
  text(w, "\n$EndNodes\n$Elements\n");
  SIZES(w, 2, 3, 2, 4);
  INTS(w, 2, 8, 2);
  SIZES(w, 1, 2, 1, 3, 7);
  INTS(w, 3, 1, 4);
  SIZES(w, 2, 3, 1, 7, 3, 4, 4, 9, 4, 3, 7);
  text(w, "\n$EndElements\n");
}

static sup_mesh_report report;

static sup_status parse(sup_mesh **mesh, const writer *w, size_t size) {
  return sup_gmsh_parse_mesh(mesh, "a.msh", w->bytes, size, &report);
}

enum { NUM_FORMS = 6 };

static void write_form(writer *w, int form) {
  if (form / 2 == 0) write_2(w, form % 2);
  if (form / 2 > 0) write_4(w, form % 2, form / 2 == 2);
}

static void both_versions_in_both_orders_give_the_cells(void) {
  static writer w;
  for (int form = 0; form < NUM_FORMS; form++) {
    sup_mesh *mesh;
    write_form(&w, form);
    OK(parse(&mesh, &w, w.size));
    CHECK(mesh->type == SUP_CELL_T4 && mesh->num_cells == 2 && mesh->num_vertices == 5);
    NEAR(sup_mesh_volume(mesh), 1. / 6 + 1. / 3, 1e-15, 0);
    CHECK(mesh->cell[0] == 0 && mesh->cell[1] == 1 && mesh->cell[2] == 2 && mesh->cell[3] == 3);
    CHECK(mesh->num_sets == 2 && strcmp(report.skipped, "1 triangles") == 0);
    for (int s = 0; s < mesh->num_sets; s++) {
      int is_cells = mesh->set[s].kind == SUP_SET_CELLS;
      CHECK(strcmp(mesh->set[s].name, is_cells ? "a $ body" : "skin") == 0);
      CHECK(sup_mesh_count_set(mesh, &mesh->set[s]) == (is_cells ? 2 : 3));
    }
    sup_mesh_destroy(&mesh);
  }
}

/* A file that ends early is refused at the byte; damaged ones are read or refused. */
static void damaged_files_are_read_or_refused(void) {
  static writer w;
  unsigned      seed = 1;
  for (int form = 0; form < NUM_FORMS; form++) {
    sup_mesh *mesh;
    write_form(&w, form);
    size_t end = w.size - strlen("$EndElements\n");
    for (size_t size = 0; size < end; size++) CHECK(parse(&mesh, &w, size) == SUP_E_PARSE);
    for (int k = 0; k < 4000; k++) {
      writer damaged = w;
      for (int n = 0; n < 3; n++) {
        seed = seed * 1664525u + 1013904223u;
        damaged.bytes[(seed >> 8) % damaged.size] = (char)(seed >> 3);
      }
      sup_status status = parse(&mesh, &damaged, damaged.size);
      CHECK(status == SUP_OK || status == SUP_E_PARSE || status == SUP_E_GEOMETRY);
      sup_mesh_destroy(&mesh);
    }
  }
}

static void what_is_wrong_is_named_with_its_byte(void) {
  static writer w;
  sup_mesh     *mesh;
  write_2(&w, 0);
  FAILS(parse(&mesh, &w, w.size - 20), SUP_E_PARSE, "expected a point of the element");
  writer order = w;
  order.bytes[strlen("$MeshFormat\n2.2 1 8\n")] = 3;
  FAILS(parse(&mesh, &order, order.size), SUP_E_PARSE,
        "a.msh: byte 20: found the bytes of 3, expected those of 1, in either order");
  writer twice = w;
  size_t at = w.size - strlen("\n$EndElements\n") - 4; /* the last corner */
  memcpy(twice.bytes + at, &(int32_t){3}, 4);
  FAILS(parse(&mesh, &twice, twice.size), SUP_E_GEOMETRY,
        "a.msh: byte 409: element 4: cell 1 has vertex 2 twice");
  memcpy(twice.bytes + at, &(int32_t){8}, 4);
  FAILS(parse(&mesh, &twice, twice.size), SUP_E_PARSE,
        "cell 4 has the point 8, which is not among the 5 points of the file");
  memcpy(twice.bytes + at, &(int32_t){-1}, 4);
  FAILS(parse(&mesh, &twice, twice.size), SUP_E_PARSE,
        "found -1 for a point of the element, expected a whole number from 0 to 2147483647");
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/** Octahedron on the unit sphere of second-order triangles: each becomes four. */
static void curved_faces_become_flat_triangles_between_their_points(void) {
  static const double corner[6][3] = {{1, 0, 0},  {0, 1, 0}, {-1, 0, 0},
                                      {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  static const double one[3] = {1, 1, 1};
  static char         data[8192];
  int                 edge[6][6] = {{0}}, n = 6;
  char                points_text[4096] = "", faces[4096] = "";
  for (int i = 0; i < 6; i++)
    sprintf(points_text + strlen(points_text), "%d %g %g %g\n", i + 1, corner[i][0], corner[i][1],
            corner[i][2]);
  for (int i = 0; i < 6; i++)
    for (int j = i + 1; j < 6; j++) {
      double x[3];
      for (int k = 0; k < 3; k++) x[k] = (corner[i][k] + corner[j][k]) * sqrt(.5);
      if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue; /* opposite corners */
      edge[i][j] = edge[j][i] = ++n;
      sprintf(points_text + strlen(points_text), "%d %.17g %.17g %.17g\n", n, x[0], x[1], x[2]);
    }
  for (int f = 0; f < 8; f++) {
    int a = f % 4, b = (f + 1) % 4, c = 4 + f / 4;
    sprintf(faces + strlen(faces), "%d 9 2 1 1 %d %d %d %d %d %d\n", f + 1, a + 1, b + 1, c + 1,
            edge[a][b], edge[b][c], edge[c][a]);
  }
  sprintf(data,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n%s$EndNodes\n$Elements\n8\n%s"
          "$EndElements\n",
          n, points_text, faces);
  sup_surface       *surface;
  sup_surface_repair repair;
  double            *x;
  OK(sup_surface_parse(&surface, &x, "a.msh", data, strlen(data), one, &repair));
  CHECK(surface->num_faces == 32 && surface->num_points == 18);
  CHECK(repair.triangles_turned == 16); /* those of the lower half */
  double volume = 0;
  for (int f = 0; f < surface->num_faces; f++) {
    sup_v3 p[3];
    for (int k = 0; k < 3; k++) p[k] = sup_v3_load(x + 3 * surface->face[3 * f + k]);
    volume += sup_v3_dot(p[0], sup_v3_cross(p[1], p[2])) / 6;
  }
  /* corner triangles and middle ones of the first subdivision of an octahedron */
  NEAR(volume, 2.9428090415820634, 1e-12, 0);
  SUP_FREE(x);
  sup_surface_destroy(&surface);
}

static void a_file_without_triangles_is_no_surface(void) {
  static const double one[3] = {1, 1, 1};
  static writer       w;
  sup_surface        *surface;
  double             *x;
  write_2(&w, 0);
  OK(sup_surface_parse(&surface, &x, "a.msh", w.bytes, w.size, one, NULL));
  CHECK(surface->num_faces == 1); /* the cells are not asked for */
  SUP_FREE(x);
  sup_surface_destroy(&surface);
  static const char none[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
      "$Elements\n1\n1 15 2 0 1 1\n$EndElements\n";
  FAILS(sup_surface_parse(&surface, &x, "a.msh", none, strlen(none), one, NULL), SUP_E_PARSE,
        "a.msh: found 1 points, no cells and no triangles, expected those of a surface");
}

SUITE_TESTS(gmsh_binary, TEST(both_versions_in_both_orders_give_the_cells),
            TEST(damaged_files_are_read_or_refused), TEST(what_is_wrong_is_named_with_its_byte),
            TEST(curved_faces_become_flat_triangles_between_their_points),
            TEST(a_file_without_triangles_is_no_surface));
