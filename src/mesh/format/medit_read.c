/* MEDIT's .mesh, ASCII (P. Frey, "MEDIT: an interactive mesh visualization software", INRIA
 * RT-0253, 2001, appendix): keywords, each with a count and as many lines. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mesh_builder.h"

enum { MAX_COUNT = INT_MAX / 32 };

/** Kind of the lines behind a keyword. */
typedef struct entity {
  const char *keyword, *name;
  int         num_points;
  int         is_cell;
} entity;

static const entity entities[] = {{"Tetrahedra", "Tetrahedra", 4, 1},
                                  {"TetrahedraP2", "TetrahedraP2", 10, 1},
                                  {"Hexahedra", "Hexahedra", 8, 1},
                                  {"Prisms", "prisms", 6, 1},
                                  {"Wedges", "prisms", 6, 1},
                                  {"Pentahedra", "prisms", 6, 1},
                                  {"Pyramids", "pyramids", 5, 1},
                                  {"Triangles", "triangles", 3, 0},
                                  {"Quadrilaterals", "quadrilaterals", 4, 0},
                                  {"TrianglesP2", "quadratic triangles", 6, 0},
                                  {"QuadrilateralsQ2", "quadratic quadrilaterals", 9, 0},
                                  {"Edges", "edges", 2, 0}};
/** Cell types that are not supported. */
static const char *const refused[] = {"HexahedraQ2", "PrismsP2", "PyramidsP2"};

typedef struct reader {
  sup_scan         s;
  sup_mesh_builder mesh;
  int              has_points, num_cells;
} reader;

/** The set of a reference; 0 is none.  Cells: region_N; points of triangles and edges: ref_N. */
static sup_status join_reference(reader *r, sup_set_kind kind, int reference, int *set) {
  char name[32];
  *set = SUP_NONE;
  if (reference == 0) return SUP_OK;
  snprintf(name, sizeof name, "%s_%d", kind == SUP_SET_CELLS ? "region" : "ref", reference);
  SUP_TRY(sup_builder_need_set(&r->mesh, &r->s, kind, name, set));
  return SUP_OK;
}

static sup_status read_count(reader *r, int *count) {
  sup_scan_anywhere(&r->s);
  SUP_TRY(sup_scan_integer(&r->s, "how many lines follow", 0, MAX_COUNT, count));
  return SUP_OK;
}

static sup_status read_points(reader *r) {
  int count, reference, set;
  SUP_TRY(read_count(r, &count));
  for (int i = 0; i < count; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) {
      sup_scan_anywhere(&r->s);
      SUP_TRY(sup_scan_number(&r->s, "a coordinate of a vertex", &x[k]));
    }
    SUP_TRY(sup_builder_add_point(&r->mesh, &r->s, i + 1, x));
    sup_scan_anywhere(&r->s);
    SUP_TRY(sup_scan_integer(&r->s, "the reference of a vertex", -INT_MAX, INT_MAX, &reference));
    SUP_TRY(join_reference(r, SUP_SET_VERTICES, reference, &set));
    if (set != SUP_NONE) SUP_TRY(sup_builder_add_member(&r->mesh, set, i + 1));
  }
  r->has_points = 1;
  return SUP_OK;
}

static sup_status read_entities(reader *r, const entity *e) {
  int count, reference, set, corner[10];
  SUP_TRY(read_count(r, &count));
  if (!e->is_cell) sup_builder_skip(&r->mesh, e->name, count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < e->num_points; k++) {
      sup_scan_anywhere(&r->s);
      SUP_TRY(sup_scan_integer(&r->s, "the number of a vertex, from 1", 1, INT_MAX, &corner[k]));
    }
    r->mesh.has_cells |= e->is_cell;
    if (e->is_cell && !r->mesh.keeps_faces)
      SUP_TRY(
          sup_builder_add_cell(&r->mesh, &r->s, e->num_points, e->name, ++r->num_cells, corner));
    if (!e->is_cell) SUP_TRY(sup_builder_add_face(&r->mesh, &r->s, e->num_points, corner));
    sup_scan_anywhere(&r->s);
    SUP_TRY(
        sup_scan_integer(&r->s, "a reference behind the vertices", -INT_MAX, INT_MAX, &reference));
    SUP_TRY(join_reference(r, e->is_cell ? SUP_SET_CELLS : SUP_SET_VERTICES, reference, &set));
    if (set == SUP_NONE) continue;
    for (int k = 0; k < (e->is_cell ? 1 : e->num_points); k++)
      SUP_TRY(sup_builder_add_member(&r->mesh, set, e->is_cell ? r->num_cells : corner[k]));
  }
  return SUP_OK;
}

/** "MeshVersionFormatted N", "Dimension 3". */
static sup_status read_head(reader *r) {
  int version, dimension;
  sup_scan_anywhere(&r->s);
  if (strcmp(r->s.word, "MeshVersionFormatted") != 0)
    return sup_scan_unexpected(&r->s, "MeshVersionFormatted, which begins MEDIT's text format");
  sup_scan_anywhere(&r->s);
  SUP_TRY(sup_scan_integer(&r->s, "the version of the format", 1, 4, &version));
  sup_scan_anywhere(&r->s);
  if (strcmp(r->s.word, "Dimension") != 0) return sup_scan_unexpected(&r->s, "Dimension");
  sup_scan_anywhere(&r->s);
  SUP_TRY(sup_scan_integer(&r->s, "the dimension", 3, 3, &dimension));
  return SUP_OK;
}

static sup_status read_keyword(reader *r, bool *is_end) {
  const char *word = r->s.word;
  *is_end = strcmp(word, "End") == 0;
  if (*is_end) return SUP_OK;
  if (strcmp(word, "Vertices") == 0) return read_points(r);
  for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
    if (strcmp(word, entities[k].keyword) == 0) return read_entities(r, &entities[k]);
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (strcmp(word, refused[k]) == 0)
      return sup_scan_unexpected(&r->s,
                                 "Tetrahedra, TetrahedraP2 or linear Hexahedra, Prisms, Pyramids");
  if (!isalpha((unsigned char)word[0])) return sup_scan_unexpected(&r->s, "a keyword");
  for (sup_scan next = r->s; sup_scan_anywhere(&next) && !isalpha((unsigned char)next.word[0]);)
    r->s = next; /* normals, ridges, required vertices: numbers up to the next word */
  return SUP_OK;
}

/** Sum of the distances of the points 8 and 9 of a cell from the middles of the edges (1,3) and
 * (2,3), or, in the other order, of (2,3) and (1,3). */
static double distance_of_middles(const reader *r, const int *corner, bool is_other) {
  sup_v3 p[10];
  for (int k = 0; k < 10; k++) p[k] = sup_v3_load(r->mesh.x + 3 * ((size_t)corner[k] - 1));
  sup_v3 a = sup_v3_scale(0.5, sup_v3_add(p[1], p[3])),
         b = sup_v3_scale(0.5, sup_v3_add(p[2], p[3]));
  return sup_v3_norm(sup_v3_sub(p[is_other ? 9 : 8], a)) +
         sup_v3_norm(sup_v3_sub(p[is_other ? 8 : 9], b));
}

/** Find the order of the last two edges from the file's points: libMeshb has VTK's order, Gmsh
 * writes its own. */
static void order_middles(reader *r) {
  double distance[2] = {0, 0};
  if (r->mesh.num_cells == 0 || r->mesh.num_vertices[0] != 10) return;
  for (int c = 0; c < r->mesh.num_cells; c++) {
    const int *corner = r->mesh.corner + 10 * (size_t)c;
    for (int k = 0; k < 10; k++)
      if (corner[k] > r->mesh.num_points) return; /* reported when the cells are made */
    for (int k = 0; k < 2; k++) distance[k] += distance_of_middles(r, corner, k);
  }
  for (int c = 0; c < r->mesh.num_cells && distance[1] < distance[0]; c++) {
    int *last = r->mesh.corner + 10 * (size_t)c + 8, first = last[0];
    last[0] = last[1], last[1] = first;
  }
}

static sup_status read_file(reader *r) {
  bool is_end = 0;
  SUP_TRY(read_head(r));
  while (!is_end && sup_scan_anywhere(&r->s)) SUP_TRY(read_keyword(r, &is_end));
  if (!r->has_points) return sup_scan_unexpected(&r->s, "the keyword Vertices");
  return SUP_OK;
}

sup_status sup_medit_parse_surface(sup_triangles *t, const char *name, const char *data,
                                   size_t size) {
  reader     r = {.s = sup_scan_open(name, data, size), .mesh = {.keeps_faces = 1}};
  sup_status status = read_file(&r);
  if (status == SUP_OK) status = sup_builder_surface(&r.mesh, name, t);
  sup_builder_free(&r.mesh);
  return status;
}

static void reader_free(reader *r) { sup_builder_free(&r->mesh); }

sup_status sup_medit_parse_mesh(sup_mesh **mesh, const char *name, const char *data, size_t size,
                                sup_mesh_report *report) {
  SUP_OWN_VALUE(reader) r = {.s = sup_scan_open(name, data, size)};
  *mesh = NULL;
  SUP_TRY(read_file(&r));
  order_middles(&r);
  SUP_TRY(sup_builder_finish(&r.mesh, name, ": supple mesh tetrahedralize fills a surface", mesh,
                             report));
  return SUP_OK;
}
