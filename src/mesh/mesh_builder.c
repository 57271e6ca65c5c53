#include "mesh/mesh_builder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "mesh/cut.h"

enum { MAX_ITEMS = INT_MAX / 32 };

sup_status sup_builder_add_point(sup_mesh_builder *b, const sup_scan *s, int tag,
                                 const double x[3]) {
  if (b->num_points == MAX_ITEMS) return SUP_SCAN_FAIL(s, "more than %d points", MAX_ITEMS);
  SUP_TRY(SUP_GROW(b->x, b->x_capacity, 3 * (size_t)b->num_points + 3));
  SUP_TRY(SUP_GROW(b->tag, b->tag_capacity, b->num_points + 1));
  SUP_TRY(SUP_GROW(b->point_place, b->point_place_capacity, b->num_points + 1));
  memcpy(b->x + 3 * (size_t)b->num_points, x, 3 * sizeof *x);
  b->point_place[b->num_points] = (sup_file_position){s->name, s->is_binary, s->line};
  b->tag[b->num_points++] = tag;
  return SUP_OK;
}

sup_status sup_builder_add_cell(sup_mesh_builder *b, const sup_scan *s, int num_vertices,
                                const char *type_name, int tag, const int *corner) {
  const int n = num_vertices, first = b->num_cells > 0 ? b->num_vertices[0] : n;
  if (b->num_cells == 0) snprintf(b->type_name, sizeof b->type_name, "%s", type_name);
  if (n != first && (n == 10 || first == 10))
    return SUP_SCAN_FAIL(
        s, "found %s after %s, expected second-order tetrahedra alone or linear cells", type_name,
        b->type_name);
  b->is_mixed |= n != first || n == 5 || n == 6;
  if (b->num_cells == MAX_ITEMS) return SUP_SCAN_FAIL(s, "more than %d cells", MAX_ITEMS);
  SUP_TRY(SUP_GROW(b->corner, b->corner_capacity, (size_t)b->num_corners + (size_t)n));
  SUP_TRY(SUP_GROW(b->num_vertices, b->num_vertices_capacity, b->num_cells + 1));
  SUP_TRY(SUP_GROW(b->cell_tag, b->cell_tag_capacity, b->num_cells + 1));
  SUP_TRY(SUP_GROW(b->place, b->place_capacity, b->num_cells + 1));
  memcpy(b->corner + b->num_corners, corner, (size_t)n * sizeof *corner);
  b->num_corners += n;
  b->num_vertices[b->num_cells] = (unsigned char)n;
  b->cell_tag[b->num_cells] = tag;
  b->place[b->num_cells++] = (sup_file_position){s->name, s->is_binary, s->line};
  return SUP_OK;
}

void sup_builder_skip(sup_mesh_builder *b, const char *what, long count) {
  int k = 0;
  while (k < b->num_kinds && strcmp(b->kind[k].what, what) != 0) k++;
  if (k == SUP_BUILDER_MAX_KINDS) return; /* more kinds would make the message unreadable */
  if (k == b->num_kinds) {
    snprintf(b->kind[k].what, sizeof b->kind[k].what, "%s", what);
    b->kind[k].count = 0;
    b->num_kinds++;
  }
  b->kind[k].count += count;
}

/* ---- faces of surfaces ----------------------------------------------------------------------- */

/** Flat triangles between the points of a face. */
typedef struct face_pattern {
  int num_points, num_triangles;
  int triangle[8][3];
} face_pattern;
static const face_pattern patterns[] = {
    {3, 1, {{0, 1, 2}}},
    {4, 2, {{0, 1, 2}, {0, 2, 3}}},
    {6, 4, {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}},
    {8, 6, {{0, 4, 7}, {4, 1, 5}, {5, 2, 6}, {6, 3, 7}, {4, 5, 6}, {4, 6, 7}}},
    {9,
     8,
     {{0, 4, 8}, {4, 1, 8}, {1, 5, 8}, {5, 2, 8}, {2, 6, 8}, {6, 3, 8}, {3, 7, 8}, {7, 0, 8}}}};

sup_status sup_builder_add_face(sup_mesh_builder *b, const sup_scan *s, int num_points,
                                const int *point) {
  if (!b->keeps_faces) return SUP_OK;
  for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
    const face_pattern *p = &patterns[k];
    if (p->num_points != num_points) continue;
    if (b->num_faces > MAX_ITEMS - p->num_triangles)
      return SUP_SCAN_FAIL(s, "more than %d triangles", MAX_ITEMS);
    SUP_TRY(SUP_GROW(b->face, b->face_capacity, 3 * ((size_t)b->num_faces + 8)));
    for (int t = 0; t < p->num_triangles; t++, b->num_faces++)
      for (int c = 0; c < 3; c++)
        b->face[3 * (size_t)b->num_faces + (size_t)c] = point[p->triangle[t][c]];
  }
  return SUP_OK;
}

/* ---- sets ------------------------------------------------------------------------------------ */

int sup_builder_find_set(const sup_mesh_builder *b, sup_set_kind kind, const char *name) {
  for (int i = 0; i < b->num_sets; i++)
    if (b->set[i].kind == kind &&
        (b->ignores_case ? strcasecmp : strcmp)(b->set[i].name, name) == 0)
      return i;
  return SUP_NONE;
}

sup_status sup_builder_need_set(sup_mesh_builder *b, const sup_scan *s, sup_set_kind kind,
                                const char *name, int *set) {
  *set = sup_builder_find_set(b, kind, name);
  if (*set != SUP_NONE) return SUP_OK;
  if (strlen(name) >= SUP_NAME_MAX)
    return SUP_SCAN_FAIL(s, "found the name '%.40s...' of a set, expected at most %d letters", name,
                         SUP_NAME_MAX - 1);
  if (b->num_sets == SUP_MESH_MAX_SETS)
    return SUP_SCAN_FAIL(s, "found more than %d sets of nodes and elements", SUP_MESH_MAX_SETS);
  SUP_TRY(SUP_GROW(b->set, b->set_capacity, b->num_sets + 1));
  b->set[b->num_sets].kind = kind;
  strcpy(b->set[b->num_sets].name, name);
  *set = b->num_sets++;
  return SUP_OK;
}

sup_status sup_builder_add_members(sup_mesh_builder *b, sup_builder_members members) {
  if (b->num_members == MAX_ITEMS)
    return SUP_FAIL(SUP_E_PARSE, "the sets have more than %d members", MAX_ITEMS);
  SUP_TRY(SUP_GROW(b->members, b->members_capacity, b->num_members + 1));
  b->members[b->num_members++] = members;
  return SUP_OK;
}

sup_status sup_builder_add_member(sup_mesh_builder *b, int set, int tag) {
  sup_builder_members *last = b->num_members > 0 ? &b->members[b->num_members - 1] : NULL;
  if (last && last->set == set && last->source == SUP_NONE && last->step == 1 &&
      last->last == tag - 1)
    last->last = tag; /* numbers in a row are one range */
  else
    SUP_TRY(sup_builder_add_members(b, (sup_builder_members){set, SUP_NONE, tag, tag, 1}));
  return SUP_OK;
}

/* ---- from tags to numbers -------------------------------------------------------------------- */

typedef struct tagged {
  int tag, at; /* a point or cell */
} tagged;

static int by_tag(const void *a, const void *b) {
  const tagged *p = a, *q = b;
  if (p->tag != q->tag) return p->tag < q->tag ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

/** Sort tags, each with its index. */
static sup_status sort_tags(int count, const int *tag, tagged **order) {
  SUP_TRY(SUP_CALLOC(*order, count));
  for (int i = 0; i < count; i++) (*order)[i] = (tagged){tag[i], i};
  if (count > 0) qsort(*order, (size_t)count, sizeof **order, by_tag);
  return SUP_OK;
}

/** Index of the first entry whose tag is not below `tag`. */
static int lower_bound(int count, const tagged *order, int tag) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (order[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Unit before the number of a place: bytes of a binary file, else lines, unnamed. */
static const char *unit(const sup_file_position *at) { return at->is_binary ? " byte " : ""; }

static sup_status check_points(const sup_mesh_builder *b, const tagged *order) {
  for (int i = 1; i < b->num_points; i++) {
    const sup_file_position *first = &b->point_place[order[i - 1].at],
                            *second = &b->point_place[order[i].at];
    if (order[i].tag == order[i - 1].tag)
      return SUP_FAIL(
          SUP_E_PARSE,
          "%s:%s%ld: the point has the number %d of the point at %s:%s%ld; expected another number",
          second->name, unit(second), second->line, order[i].tag, first->name, unit(first),
          first->line);
  }
  return SUP_OK;
}

static sup_status number_corners(const sup_mesh_builder *b, const tagged *order, int *cell) {
  for (int c = 0, at = 0; c < b->num_cells; c++)
    for (int end = at + b->num_vertices[c]; at < end; at++) {
      int i = lower_bound(b->num_points, order, b->corner[at]);
      if (i == b->num_points || order[i].tag != b->corner[at])
        return SUP_FAIL(
            SUP_E_PARSE,
            "%s:%s%ld: cell %d has the point %d, which is not among the %d points of the file",
            b->place[c].name, unit(&b->place[c]), b->place[c].line, b->cell_tag[c], b->corner[at],
            b->num_points);
      cell[at] = order[i].at;
    }
  return SUP_OK;
}

sup_status sup_builder_surface(const sup_mesh_builder *b, const char *name, sup_triangles *t) {
  SUP_FREED tagged *order = NULL;
  if (b->num_faces == 0)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: found %d points, %s and no triangles, expected those of a surface: "
                    "'gmsh -2' makes them, and '-setnumber Mesh.SaveAll 1' saves those of no "
                    "physical group",
                    name, b->num_points, b->has_cells ? "volume cells" : "no cells");
  if (b->has_cells && t->refuses_cells)
    return SUP_FAIL(SUP_E_PARSE, "%s: found volume cells, expected a surface", name);
  SUP_TRY(sort_tags(b->num_points, b->tag, &order));
  SUP_TRY(check_points(b, order));
  for (int i = 0; i < b->num_points; i++) SUP_TRY(sup_triangles_point(t, b->x + 3 * (size_t)i));
  for (int f = 0; f < b->num_faces; f++) {
    int corner[3];
    for (int c = 0; c < 3; c++) {
      int tag = b->face[3 * f + c], i = lower_bound(b->num_points, order, tag);
      if (i == b->num_points || order[i].tag != tag) {
        return SUP_FAIL(SUP_E_PARSE,
                        "%s: a triangle has the point %d, which is not among the %d points of "
                        "the file",
                        name, tag, b->num_points);
      }
      corner[c] = order[i].at;
    }
    SUP_TRY(sup_triangles_add(t, corner[0], corner[1], corner[2]));
  }
  return SUP_OK;
}

/** Mark the items in a range of numbers; returns how many numbers were not found. */
static long mark_range(const sup_builder_members *m, int count, const tagged *order,
                       unsigned char *member) {
  long found = 0;
  for (int i = lower_bound(count, order, m->first); i < count && order[i].tag <= m->last; i++) {
    if ((order[i].tag - m->first) % m->step != 0) continue;
    member[order[i].at] = 1;
    found += i == 0 || order[i].tag != order[i - 1].tag; /* cells may share a number */
  }
  return ((long)m->last - m->first) / m->step + 1 - found;
}

/** Mark the items of another set. */
static void mark_source(const sup_mesh *mesh, const sup_named_set *set,
                        const sup_named_set *source) {
  int n = sup_cell_num_vertices(mesh->type), size = sup_mesh_set_size(mesh, source->kind);
  for (int i = 0; i < size; i++) {
    if (!source->member[i]) continue;
    if (set->kind == source->kind) set->member[i] = 1;
    for (int a = 0; a < n && set->kind != source->kind; a++)
      set->member[sup_mesh_cell(mesh, i)[a]] = 1;
  }
}

/** Sets in the numbers of the mesh; *missing := count of numbers without a point or cell.
 *  @param[in] cell_tag  [num_cells of the mesh] */
static sup_status make_sets(const sup_mesh_builder *b, const tagged *points, const int *cell_tag,
                            sup_mesh *mesh, long *missing) {
  SUP_FREED tagged *cells = NULL;
  unsigned char    *member;
  *missing = 0;
  if (b->num_sets == 0) return SUP_OK;
  SUP_TRY(sort_tags(mesh->num_cells, cell_tag, &cells));
  for (int s = 0; s < b->num_sets; s++)
    SUP_TRY(sup_mesh_add_set(mesh, b->set[s].kind, b->set[s].name, &member));
  for (int k = 0; k < b->num_members; k++) {
    const sup_builder_members *m = &b->members[k];
    const sup_named_set       *set = &mesh->set[m->set];
    if (m->source != SUP_NONE)
      mark_source(mesh, set, &mesh->set[m->source]);
    else if (set->kind == SUP_SET_VERTICES)
      *missing += mark_range(m, b->num_points, points, set->member);
    else
      *missing += mark_range(m, mesh->num_cells, cells, set->member);
  }
  return SUP_OK;
}

void sup_builder_passed_over(const sup_mesh_builder *b, long missing, char *text, size_t size) {
  static const char members[] = "members of sets that are no part of the mesh";
  size_t            used = 0;
  text[0] = '\0';
  for (int k = 0; k < b->num_kinds && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%ld %s", k > 0 ? ", " : "",
                             b->kind[k].count, b->kind[k].what);
  if (missing > 0 && used < size)
    snprintf(text + used, size - used, "%s%ld %s", used > 0 ? ", " : "", missing, members);
}

/** Fail with the last error message about a cell, by its number from 0, and its place in the file.
 */
static sup_status fail_at_cell(const sup_mesh_builder *b, int cell, const char *name,
                               sup_status status) {
  if (cell == SUP_NONE) return SUP_FAIL(status, "%s: %s", name, sup_error_message());
  const sup_file_position *at = &b->place[cell];
  return SUP_FAIL(status, "%s:%s%ld: element %d: %s (cells are counted from 0)", at->name, unit(at),
                  at->line, b->cell_tag[cell], sup_error_message());
}

/** *mesh := cells of the file, cut where they are mixed. */
static sup_status make_cells(const sup_mesh_builder *b, const tagged *order, const char *name,
                             sup_mesh **mesh, sup_cut *cut) {
  int            bad_cell;
  SUP_FREED int *corner = NULL;
  SUP_TRY(SUP_CALLOC(corner, b->num_corners));
  SUP_TRY(number_corners(b, order, corner));
  if (b->is_mixed) {
    sup_status status = sup_cut_cells(cut, b->num_cells, b->num_vertices, corner, b->x, &bad_cell);
    if (status != SUP_OK) return fail_at_cell(b, bad_cell, name, status);
  }
  sup_cell_type type = sup_cell_type_of(b->is_mixed ? 4 : b->num_vertices[0]);
  int           count = b->is_mixed ? cut->num_cells : b->num_cells;
  SUP_TRY(sup_mesh_create(mesh, type, b->num_points, count));
  if (b->num_points > 0) memcpy((*mesh)->x, b->x, 3 * (size_t)b->num_points * sizeof *b->x);
  memcpy((*mesh)->cell, b->is_mixed ? cut->cell : corner,
         (size_t)count * (size_t)sup_cell_num_vertices(type) * sizeof *corner);
  return SUP_OK;
}

/** *tag [num_cells of the mesh] := tag of the cell around each, freed by the caller. */
static sup_status make_tags(const sup_mesh_builder *b, const sup_cut *cut, int **tag) {
  int count = b->is_mixed ? cut->num_cells : b->num_cells;
  SUP_TRY(SUP_CALLOC(*tag, count));
  for (int c = 0; c < count; c++) (*tag)[c] = b->cell_tag[b->is_mixed ? cut->parent[c] : c];
  return SUP_OK;
}

static sup_status finish(const sup_mesh_builder *b, const char *name, sup_cut *cut, sup_mesh **mesh,
                         sup_mesh_report *report) {
  SUP_FREED tagged *order = NULL;
  SUP_FREED int    *cell_tag = NULL;
  sup_mesh_repair   repair;
  long              missing;
  SUP_TRY(sort_tags(b->num_points, b->tag, &order));
  SUP_TRY(check_points(b, order));
  SUP_TRY(make_cells(b, order, name, mesh, cut));
  SUP_TRY(make_tags(b, cut, &cell_tag));
  SUP_TRY(make_sets(b, order, cell_tag, *mesh, &missing));
  sup_status status = sup_mesh_clean(*mesh, &repair);
  if (status != SUP_OK) {
    bool is_part = b->is_mixed && repair.bad_cell != SUP_NONE;
    return fail_at_cell(b, is_part ? cut->parent[repair.bad_cell] : repair.bad_cell, name, status);
  }
  if (!report) return SUP_OK;
  report->repair = repair;
  sup_builder_passed_over(b, missing, report->skipped, sizeof report->skipped);
  if (b->is_mixed)
    sup_cut_text(cut, b->num_cells, b->num_vertices, report->cut, sizeof report->cut);
  return SUP_OK;
}

sup_status sup_builder_finish(const sup_mesh_builder *b, const char *name, const char *advice,
                              sup_mesh **mesh, sup_mesh_report *report) {
  char    skipped[sizeof report->skipped];
  sup_cut cut = {0};
  *mesh = NULL;
  sup_builder_passed_over(b, 0, skipped, sizeof skipped);
  if (b->num_cells == 0)
    return SUP_FAIL(SUP_E_PARSE, "%s: found %s%s%d points, expected tetrahedra or hexahedra%s",
                    name, skipped, skipped[0] ? " and " : "", b->num_points, advice);
  sup_status status = finish(b, name, &cut, mesh, report);
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  sup_cut_free(&cut);
  return status;
}

void sup_builder_free(sup_mesh_builder *b) {
  SUP_FREE_ALL(&b->x, &b->tag, &b->point_place, &b->face, &b->corner, &b->num_vertices,
               &b->cell_tag, &b->place, &b->set, &b->members);
}
