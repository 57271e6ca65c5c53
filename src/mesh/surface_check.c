#include "mesh/surface_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/edge_key.h"
#include "mesh/numerics.h"

/* ---- twice the same -------------------------------------------------------------------------- */

/** The corners of a triangle in increasing order. */
typedef struct triangle_key {
  int point[3], triangle;
} triangle_key;

static int compare_corners(const triangle_key *a, const triangle_key *b) {
  for (int k = 0; k < 3; k++)
    if (a->point[k] != b->point[k]) return a->point[k] < b->point[k] ? -1 : 1;
  return 0;
}

static int compare_triangles(const void *a, const void *b) {
  const triangle_key *p = a, *q = b;
  int                 order = compare_corners(p, q);
  return order ? order : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static void swap_if_greater(int *a, int *b) {
  int keep = *a;
  if (*a > *b) *a = *b, *b = keep;
}

static sup_status check_twins(const sup_triangle_list *s) {
  triangle_key *key = NULL;
  sup_status    status = SUP_OK;
  SUP_TRY(SUP_CALLOC(key, s->num_triangles));
  for (int t = 0; t < s->num_triangles; t++) {
    const int *v = s->triangle + 3 * (size_t)t;
    key[t] = (triangle_key){{v[0], v[1], v[2]}, t};
    swap_if_greater(&key[t].point[0], &key[t].point[1]);
    swap_if_greater(&key[t].point[1], &key[t].point[2]);
    swap_if_greater(&key[t].point[0], &key[t].point[1]);
  }
  if (s->num_triangles > 0) qsort(key, (size_t)s->num_triangles, sizeof *key, compare_triangles);
  for (int t = 1; t < s->num_triangles && status == SUP_OK; t++) {
    if (compare_corners(&key[t - 1], &key[t]) != 0) continue;
    sup_v3 p = sup_triangle_corner(s, key[t].triangle, 0);
    status = SUP_FAIL(SUP_E_GEOMETRY,
                      "triangles %d and %d (counted from 1) have the same corners, near (%g, %g, "
                      "%g) m: delete one, in an STL file by `supple mesh repair`",
                      key[t - 1].triangle + 1, key[t].triangle + 1, p.x, p.y, p.z);
  }
  SUP_FREE(key);
  return status;
}

/* ---- edges ----------------------------------------------------------------------------------- */

typedef struct hole {
  int    num_edges;
  double length;
  sup_v3 middle; /* mean of the middles of its edges */
} hole;

/** Chains of open edges by their least point, most edges first.  hole [num_points] on entry 0. */
static int collect_holes(const sup_triangle_list *s, const sup_edge_key *edge, int total, int *link,
                         hole *holes) {
  int count = 0;
  for (int i = 0; i < s->num_points; i++) link[i] = i;
  for (int k = 0; k < total; k++) {
    int p = sup_root_of(link, edge[k].low), q = sup_root_of(link, edge[k].high);
    link[p < q ? q : p] = p < q ? p : q;
  }
  for (int k = 0; k < total; k++) {
    hole  *h = &holes[sup_root_of(link, edge[k].low)];
    sup_v3 a = sup_v3_load(s->point + 3 * (size_t)edge[k].low),
           b = sup_v3_load(s->point + 3 * (size_t)edge[k].high);
    h->num_edges++;
    h->length += sup_v3_norm(sup_v3_sub(b, a));
    h->middle = sup_v3_madd(h->middle, 0.5, sup_v3_add(a, b));
  }
  for (int i = 0; i < s->num_points; i++)
    if (holes[i].num_edges > 0) holes[count++] = holes[i];
  return count;
}

static int compare_holes(const void *a, const void *b) {
  const hole *p = a, *q = b;
  return p->num_edges != q->num_edges
             ? (p->num_edges < q->num_edges) - (p->num_edges > q->num_edges)
             : (p->length < q->length) - (p->length > q->length);
}

/** "in 2 holes: 12 edges, 31 mm long together, about (..) m; ..." of open edges [total]. */
static sup_status holes_text(const sup_triangle_list *s, const sup_edge_key *edge, int total,
                             char *text, size_t size) {
  enum { SHOWN = 3 };
  SUP_FREED int  *link = NULL;
  SUP_FREED hole *holes = NULL;
  size_t          used;
  SUP_TRY(SUP_CALLOC(link, s->num_points));
  SUP_TRY(SUP_CALLOC(holes, s->num_points));
  int count = collect_holes(s, edge, total, link, holes);
  qsort(holes, (size_t)count, sizeof *holes, compare_holes);
  used = (size_t)snprintf(text, size, "%d hole%s", count, count == 1 ? "" : "s");
  for (int k = 0; k < count && k < SHOWN; k++) {
    sup_v3 m = sup_v3_scale(1. / holes[k].num_edges, holes[k].middle);
    used += (size_t)snprintf(
        text + used, size - used, "%s %d edges of %.3g m together about (%.4g, %.4g, %.4g) m",
        k == 0 ? ":" : ";", holes[k].num_edges, holes[k].length, m.x, m.y, m.z);
  }
  if (count > SHOWN) snprintf(text + used, size - used, "; ...");
  return SUP_OK;
}

/** Open edges first in *edge; returns how many. */
static int gather_open(sup_edge_key *edge, int total) {
  int count = 0;
  for (int first = 0, last; first < total; first = last) {
    last = sup_edge_keys_end(edge, first, total);
    if (last - first == 1) edge[count++] = edge[first];
  }
  return count;
}

/** Fail with the number of unbalanced edges and the fault of the first. */
static sup_status report_edges(const sup_triangle_list *s, const sup_edge_key *first, int count,
                               int num_bad, const char *holes) {
  sup_v3 a = sup_v3_load(s->point + 3 * (size_t)first->low),
         b = sup_v3_load(s->point + 3 * (size_t)first->high);
  if (count == 1)
    return SUP_FAIL(
        SUP_E_GEOMETRY,
        "the surface is not closed: %d edges are open, the first belongs to triangle "
        "%d alone (counted from 1), from (%g, %g, %g) to (%g, %g, %g) m; %s; close them "
        "in the program that made it, small ones of an STL file by `supple mesh repair`",
        num_bad, first->side + 1, a.x, a.y, a.z, b.x, b.y, b.z, holes);
  if (count == 2)
    return SUP_FAIL(
        SUP_E_GEOMETRY,
        "triangles %d and %d (counted from 1) run along their common edge in the same direction, "
        "from (%g, %g, %g) to (%g, %g, %g) m: at least one of them is inside out (%d such edges)",
        first[0].side + 1, first[1].side + 1, a.x, a.y, a.z, b.x, b.y, b.z, num_bad);
  return SUP_FAIL(
      SUP_E_GEOMETRY,
      "%d triangles, %d, %d and %d (counted from 1) among them, share the edge from (%g, %g, %g) "
      "to (%g, %g, %g) m; half of them must run along the edge in each direction",
      count, first[0].side + 1, first[1].side + 1, first[2].side + 1, a.x, a.y, a.z, b.x, b.y, b.z);
}

static void fill_edges(const sup_triangle_list *s, sup_edge_key *edge) {
  for (int i = 0; i < 3 * s->num_triangles; i++)
    edge[i] = sup_edge_key_of(s->triangle[i], s->triangle[i - i % 3 + (i + 1) % 3], i / 3);
}

static sup_status check_edges(const sup_triangle_list *s) {
  sup_edge_key *edge = NULL;
  int           total = 3 * s->num_triangles, num_bad = 0, bad = SUP_NONE, bad_count = 0;
  sup_status    status = SUP_OK;
  SUP_TRY(SUP_CALLOC(edge, total));
  fill_edges(s, edge);
  sup_edge_keys_sort(edge, total);
  for (int first = 0, last; first < total; first = last) {
    int balance = 0;
    last = sup_edge_keys_end(edge, first, total);
    for (int k = first; k < last; k++) balance += edge[k].direction;
    if (balance == 0) continue;
    if (num_bad++ == 0) bad = first, bad_count = last - first;
  }
  if (num_bad > 0) {
    sup_edge_key group[3];
    char         holes[512];
    memcpy(group, edge + bad, (size_t)(bad_count < 3 ? bad_count : 3) * sizeof *group);
    status = holes_text(s, edge, gather_open(edge, total), holes, sizeof holes);
    if (status == SUP_OK) status = report_edges(s, group, bad_count, num_bad, holes);
  }
  SUP_FREE(edge);
  return status;
}

static double volume_of(const sup_triangle_list *s) {
  double sum = 0;
  for (int t = 0; t < s->num_triangles; t++)
    sum += sup_v3_dot(sup_triangle_corner(s, t, 0),
                      sup_v3_cross(sup_triangle_corner(s, t, 1), sup_triangle_corner(s, t, 2))) /
           6;
  return sum;
}

/* ---- the whole ------------------------------------------------------------------------------- */

sup_status sup_surface_check_closed(const sup_triangle_list *s) {
  SUP_TRY(check_twins(s));
  SUP_TRY(check_edges(s));
  double volume = volume_of(s);
  if (!(volume > 0))
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "the surface encloses a volume of %g m^3; its triangles must face outwards",
                    volume);
  return SUP_OK;
}

sup_status sup_surface_check_flat(const sup_triangle_list *s) {
  for (int t = 0; t < s->num_triangles; t++) {
    sup_v3 a = sup_triangle_corner(s, t, 0), u = sup_v3_sub(sup_triangle_corner(s, t, 1), a),
           v = sup_v3_sub(sup_triangle_corner(s, t, 2), a);
    double longest = fmax(sup_v3_norm(u), fmax(sup_v3_norm(v), sup_v3_norm(sup_v3_sub(v, u))));
    double height = sup_v3_norm(sup_v3_cross(u, v)) / longest;
    if (!(height > sup_mesh_numerics.height * longest))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "triangle %d (counted from 1) is flat: its height is %g m and its longest "
                      "edge %g m, near (%g, %g, %g) m",
                      t + 1, height, longest, a.x, a.y, a.z);
  }
  return SUP_OK;
}
