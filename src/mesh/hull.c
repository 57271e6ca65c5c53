#include "mesh/hull.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/surface.h"
#include "mesh/surface_check.h"

/** Quickhull (Barber, Dobkin, Huhdanpaa 1996): every point outside is kept by one face that sees
 * it; the farthest point of a face replaces the faces that it sees by the cone over their horizon.
 *
 *  Points are rounded to a grid of 2^-40 of the extent, on which the side of a face is computed
 * exactly: the surface stays closed and convex despite round-off, and normals of slivers are right.
 * Points within the tolerance of the hull are dropped, so that noise on flat faces makes no
 * corners. */
__extension__ typedef __int128 wide;

enum { GRID_BITS = 40 };

typedef struct face {
  int    corner[3];
  int    across[3]; /* face behind the edge from corner k to k + 1 */
  sup_v3 normal;    /* unit, outward */
  int    first;     /* of its points outside, SUP_NONE at the end */
  int    is_gone;
  int    mark; /* number of the point that saw it last */
} face;

typedef struct edge {
  int from, to, face, side; /* side of the remaining face */
} edge;

typedef struct builder {
  const double *x;
  int           num_points, num_faces, num_edges, num_seen;
  size_t        face_capacity, edge_capacity, seen_capacity;
  int64_t      *grid; /* [num_points x 3] */
  face         *faces;
  edge         *edges; /* horizon of the present point, in the orientation of the removed faces */
  int          *seen;  /* faces that the present point sees */
  int          *next;  /* next point of the same face */
  int          *cone;  /* [num_points] new face whose horizon edge begins at the point */
  double       *distance;
  double        size, tolerance; /* closer to a plane counts as on it [m] */
} builder;

static sup_v3 at(const builder *b, int i) { return sup_v3_load(b->x + (ptrdiff_t)3 * i); }

static double height(const builder *b, const face *f, int i) {
  return sup_v3_dot(f->normal, sup_v3_sub(at(b, i), at(b, f->corner[0])));
}

/** Edges of a face from its first corner, or a point from there, on the grid. */
static void grid_edge(const builder *b, int from, int to, wide d[3]) {
  for (int k = 0; k < 3; k++)
    d[k] = b->grid[3 * (size_t)to + (size_t)k] - b->grid[3 * (size_t)from + (size_t)k];
}

static void grid_normal(const builder *b, const int corner[3], wide n[3]) {
  wide d[3], e[3];
  grid_edge(b, corner[0], corner[1], d);
  grid_edge(b, corner[0], corner[2], e);
  for (int k = 0; k < 3; k++)
    n[k] = d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3];
}

/** Exact: 3 x 2^40 x 2^81 fits 127 bits. */
static int sees(const builder *b, int i, const face *f) {
  wide n[3], d[3];
  grid_normal(b, f->corner, n);
  grid_edge(b, f->corner[0], i, d);
  return n[0] * d[0] + n[1] * d[1] + n[2] * d[2] > 0;
}

/** Height of a point over a face: on the grid for slivers, whose side may be lost in round-off;
 * otherwise from the points themselves, which are more accurate than the grid. */
static sup_v3 unit_normal(const builder *b, const int corner[3]) {
  sup_v3 p = at(b, corner[0]), d = sup_v3_sub(at(b, corner[1]), p),
         e = sup_v3_sub(at(b, corner[2]), p);
  sup_v3 twice = sup_v3_cross(d, e);
  double longest = fmax(sup_v3_norm(d), sup_v3_norm(e));
  wide   n[3];
  if (sup_v3_norm(twice) > 1e-8 * b->size * longest) return sup_v3_unit(twice);
  grid_normal(b, corner, n);
  return sup_v3_unit(sup_v3_make((double)n[0], (double)n[1], (double)n[2]));
}

static sup_status add_face(builder *b, int i, int j, int k) {
  face new = {.corner = {i, j, k}, .first = SUP_NONE, .mark = SUP_NONE};
  new.normal = unit_normal(b, new.corner);
  SUP_TRY(SUP_GROW(b->faces, b->face_capacity, b->num_faces + 1));
  b->faces[b->num_faces++] = new;
  return SUP_OK;
}

/** Tolerance: round-off of single precision, in which most files are written, of distances from the
 * centre, plus the grid. */
static sup_status measure(builder *b) {
  sup_v3 centre = {0, 0, 0};
  double largest = 0;
  for (int i = 0; i < b->num_points; i++)
    centre = sup_v3_madd(centre, 1.0 / b->num_points, at(b, i));
  for (int i = 0; i < b->num_points; i++) {
    b->distance[i] = sup_v3_norm(sup_v3_sub(at(b, i), centre));
    if (!isfinite(b->distance[i]))
      return SUP_FAIL(SUP_E_GEOMETRY, "point %d of a convex shape is not finite", i + 1);
    b->size = fmax(b->size, b->distance[i]);
    for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(b->x[3 * (ptrdiff_t)i + k]));
  }
  b->tolerance = ldexp(largest, -23);
  double cell = ldexp(fmax(b->size, DBL_MIN), 1 - GRID_BITS);
  for (int i = 0; i < b->num_points; i++) {
    sup_v3 p = sup_v3_sub(at(b, i), centre);
    b->grid[3 * (size_t)i] = llround(p.x / cell);
    b->grid[3 * (size_t)i + 1] = llround(p.y / cell);
    b->grid[3 * (size_t)i + 2] = llround(p.z / cell);
  }
  return SUP_OK;
}

/** Index of the point with the largest of one of four measures: distance from the centre, from
 * point a, from line a b, from plane a b c. */
static int farthest(const builder *b, const int *first, int count, double *value) {
  int best = 0;
  *value = -1;
  for (int i = 0; i < b->num_points; i++) {
    double v = b->distance[i];
    if (count > 0) {
      sup_v3 d = sup_v3_sub(at(b, i), at(b, first[0]));
      v = sup_v3_norm(d);
      if (count > 1) {
        sup_v3 axis = sup_v3_unit(sup_v3_sub(at(b, first[1]), at(b, first[0])));
        v = sup_v3_norm(sup_v3_cross(axis, d));
        if (count > 2)
          v = fabs(sup_v3_dot(
              sup_v3_unit(sup_v3_cross(axis, sup_v3_sub(at(b, first[2]), at(b, first[0])))), d));
      }
    }
    if (v > *value) *value = v, best = i;
  }
  return best;
}

/** Give point i to the first face from `from` on that it is outside of. */
static void give(builder *b, int i, int from) {
  for (int f = from; f < b->num_faces; f++) {
    if (b->faces[f].is_gone || !(height(b, &b->faces[f], i) > b->tolerance)) continue;
    b->next[i] = b->faces[f].first;
    b->faces[f].first = i;
    return;
  }
}

static sup_status first_tetrahedron(builder *b) {
  static const char *const flat[] = {"at one place", "at one place", "on one line", "in one plane"};
  static const int         side[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  static const int         across[4][3] = {{3, 2, 1}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  int                      p[4];
  double                   value;
  for (int k = 0; k < 4; k++) {
    p[k] = farthest(b, p, k, &value);
    if (!(value > fmax(1e-6 * b->size, b->tolerance)))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "the %d points of a convex shape lie %s; a solid needs four points that are "
                      "not in one plane",
                      b->num_points, flat[k]);
  }
  sup_v3 o = at(b, p[0]), x = sup_v3_sub(at(b, p[1]), o), y = sup_v3_sub(at(b, p[2]), o),
         z = sup_v3_sub(at(b, p[3]), o);
  if (sup_v3_dot(sup_v3_cross(x, y), z) < 0) {
    int swap = p[1];
    p[1] = p[2], p[2] = swap;
  }
  for (int f = 0; f < 4; f++) {
    SUP_TRY(add_face(b, p[side[f][0]], p[side[f][1]], p[side[f][2]]));
    memcpy(b->faces[f].across, across[f], sizeof across[f]);
  }
  for (int i = 0; i < b->num_points; i++) give(b, i, 0);
  return SUP_OK;
}

/** The farthest of a face's points; of several, the one far from the centre, which is a corner. */
static int take_farthest(builder *b, face *f) {
  int    best = f->first;
  double most = height(b, f, best);
  for (int i = b->next[best]; i != SUP_NONE; i = b->next[i]) {
    double h = height(b, f, i);
    bool   is_equal = fabs(h - most) <= b->tolerance;
    if (is_equal ? b->distance[i] > b->distance[best] : h > most) most = h, best = i;
  }
  int *link = &f->first;
  while (*link != best) link = &b->next[*link];
  *link = b->next[best];
  return best;
}

/** Faces around `start` that point i sees, and the edges to those that it does not. */
static sup_status find_horizon(builder *b, int i, int start) {
  b->num_seen = b->num_edges = 0;
  SUP_TRY(SUP_GROW(b->seen, b->seen_capacity, b->num_faces));
  b->seen[b->num_seen++] = start;
  b->faces[start].mark = i;
  for (int k = 0; k < b->num_seen; k++) {
    const face *f = &b->faces[b->seen[k]];
    for (int e = 0; e < 3; e++) {
      face *other = &b->faces[f->across[e]];
      if (other->mark == i) continue;
      if (sees(b, i, other)) {
        other->mark = i;
        b->seen[b->num_seen++] = f->across[e];
      }
    }
  }
  for (int k = 0; k < b->num_seen; k++) {
    const face *f = &b->faces[b->seen[k]];
    for (int e = 0; e < 3; e++) {
      const face *other = &b->faces[f->across[e]];
      if (other->mark == i) continue;
      edge new = {f->corner[e], f->corner[(e + 1) % 3], f->across[e], 0};
      while (other->corner[new.side] != new.to) new.side++;
      SUP_TRY(SUP_GROW(b->edges, b->edge_capacity, b->num_edges + 1));
      b->edges[b->num_edges++] = new;
    }
  }
  return SUP_OK;
}

/** Assign points of removed faces, except the apex, to the faces of the cone. */
static void hand_over(builder *b, int first_new) {
  for (int k = 0; k < b->num_seen; k++) {
    face *f = &b->faces[b->seen[k]];
    int   i = f->first;
    f->is_gone = 1, f->first = SUP_NONE;
    while (i != SUP_NONE) {
      int next = b->next[i];
      give(b, i, first_new);
      i = next;
    }
  }
}

static sup_status add_point(builder *b, int i, int start) {
  int first_new = b->num_faces;
  SUP_TRY(find_horizon(b, i, start));
  for (int e = 0; e < b->num_edges; e++) {
    edge *h = &b->edges[e];
    SUP_TRY(add_face(b, h->from, h->to, i));
    b->cone[h->from] = first_new + e;
    b->faces[h->face].across[h->side] = first_new + e;
    b->faces[first_new + e].across[0] = h->face;
  }
  for (int e = 0; e < b->num_edges; e++) {
    int next = b->cone[b->edges[e].to];
    b->faces[first_new + e].across[1] = next;
    b->faces[next].across[2] = first_new + e;
  }
  hand_over(b, first_new);
  return SUP_OK;
}

static sup_status add_points(builder *b) {
  for (int f = 0; f < b->num_faces; f++)
    while (!b->faces[f].is_gone && b->faces[f].first != SUP_NONE)
      SUP_TRY(add_point(b, take_farthest(b, &b->faces[f]), f));
  return SUP_OK;
}

/** Corners that faces use, in the order given. */
static sup_status finish(const builder *b, sup_hull *hull) {
  SUP_FREED int *number = NULL;
  SUP_TRY(SUP_CALLOC(number, b->num_points));
  SUP_TRY(SUP_CALLOC(hull->triangle, 3 * (size_t)b->num_faces));
  SUP_TRY(SUP_CALLOC(hull->normal, 3 * (size_t)b->num_faces));
  SUP_TRY(SUP_CALLOC(hull->point, 3 * (size_t)b->num_points));
  for (int f = 0; f < b->num_faces; f++)
    for (int k = 0; k < 3 && !b->faces[f].is_gone; k++) number[b->faces[f].corner[k]] = 1;
  for (int i = 0; i < b->num_points; i++) {
    if (!number[i]) continue;
    number[i] = hull->num_points;
    sup_v3_store(hull->point + (ptrdiff_t)3 * hull->num_points++, at(b, i));
  }
  for (int f = 0; f < b->num_faces; f++) {
    if (b->faces[f].is_gone) continue;
    for (int k = 0; k < 3; k++)
      hull->triangle[3 * hull->num_triangles + k] = number[b->faces[f].corner[k]];
    sup_v3_store(hull->normal + 3 * (size_t)hull->num_triangles++, b->faces[f].normal);
  }
  return SUP_OK;
}

static void builder_free(builder *b) {
  SUP_FREE_ALL(&b->faces, &b->edges, &b->seen, &b->next, &b->cone, &b->distance, &b->grid);
}

sup_status sup_hull_create(sup_hull **out, int num_points, const double *points) {
  SUP_OWN_VALUE(builder) b = {.x = points, .num_points = num_points};
  SUP_OWN(sup_hull)     *hull = NULL;
  *out = NULL;
  if (num_points < 4)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "a convex shape needs at least 4 points that are not in one plane; found %d",
                    num_points);
  SUP_TRY(SUP_CALLOC(hull, 1));
  SUP_TRY(SUP_CALLOC(b.grid, 3 * (size_t)num_points));
  SUP_TRY(SUP_CALLOC(b.distance, num_points));
  SUP_TRY(SUP_CALLOC(b.next, num_points));
  SUP_TRY(SUP_CALLOC(b.cone, num_points));
  SUP_TRY(measure(&b));
  SUP_TRY(first_tetrahedron(&b));
  SUP_TRY(add_points(&b));
  SUP_TRY(finish(&b, hull));
  *out = hull;
  hull = NULL;
  return SUP_OK;
}

sup_status sup_hull_copy(sup_hull **out, const sup_hull *from) {
  SUP_OWN(sup_hull) *hull = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(hull, 1));
  SUP_TRY(SUP_CALLOC(hull->point, 3 * (size_t)from->num_points));
  SUP_TRY(SUP_CALLOC(hull->triangle, 3 * (size_t)from->num_triangles));
  SUP_TRY(SUP_CALLOC(hull->normal, 3 * (size_t)from->num_triangles));
  hull->num_points = from->num_points, hull->num_triangles = from->num_triangles;
  memcpy(hull->point, from->point, 3 * (size_t)from->num_points * sizeof *hull->point);
  memcpy(hull->triangle, from->triangle, 3 * (size_t)from->num_triangles * sizeof *hull->triangle);
  memcpy(hull->normal, from->normal, 3 * (size_t)from->num_triangles * sizeof *hull->normal);
  *out = hull;
  hull = NULL;
  return SUP_OK;
}

void sup_hull_destroy(sup_hull **hull) {
  if (!*hull) return;
  SUP_FREE_ALL(&(*hull)->point, &(*hull)->triangle, &(*hull)->normal, hull);
}

/** Sums over the tetrahedra of the origin and each triangle: int 1, x, x x^T. */
void sup_hull_moments(const sup_hull *hull, double *volume, sup_v3 *centre, double inertia[6]) {
  sup_m3 second = sup_m3_zero();
  *volume = 0;
  *centre = sup_v3_make(0, 0, 0);
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 a = sup_hull_corner(hull, t, 0), b = sup_hull_corner(hull, t, 1),
           c = sup_hull_corner(hull, t, 2);
    sup_v3 sum = sup_v3_add(a, sup_v3_add(b, c));
    double V = sup_v3_dot(a, sup_v3_cross(b, c)) / 6;
    *volume += V;
    *centre = sup_v3_madd(*centre, V / 4, sum);
    sup_m3 s = sup_m3_add(sup_m3_add(sup_m3_outer(a, a), sup_m3_outer(b, b)),
                          sup_m3_add(sup_m3_outer(c, c), sup_m3_outer(sum, sum)));
    second = sup_m3_add(second, sup_m3_scale(V / 20, s));
  }
  *centre = sup_v3_scale(1 / *volume, *centre);
  second = sup_m3_add(sup_m3_scale(1 / *volume, second),
                      sup_m3_scale(-1, sup_m3_outer(*centre, *centre)));
  double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
  for (int i = 0; i < 3; i++) inertia[i] = trace - second.m[i][i];
  inertia[3] = -second.m[0][1], inertia[4] = -second.m[0][2], inertia[5] = -second.m[1][2];
}

sup_status sup_polyhedron_create(sup_hull **hull, int num_points, const double *points,
                                 int num_triangles, const int *triangles) {
  SUP_OWN(sup_hull) *h = NULL;
  *hull = NULL;
  SUP_TRY(SUP_CALLOC(h, 1));
  h->num_points = num_points, h->num_triangles = num_triangles;
  SUP_TRY(SUP_CALLOC(h->point, 3 * (size_t)num_points));
  SUP_TRY(SUP_CALLOC(h->triangle, 3 * (size_t)num_triangles));
  memcpy(h->point, points, 3 * (size_t)num_points * sizeof *points);
  memcpy(h->triangle, triangles, 3 * (size_t)num_triangles * sizeof *triangles);
  SUP_TRY(SUP_CALLOC(h->normal, 3 * (size_t)num_triangles));
  for (int t = 0; t < num_triangles; t++) {
    sup_v3 a = sup_hull_corner(h, t, 0), u = sup_v3_sub(sup_hull_corner(h, t, 1), a);
    sup_v3_store(h->normal + 3 * t,
                 sup_v3_unit(sup_v3_cross(u, sup_v3_sub(sup_hull_corner(h, t, 2), a))));
  }
  const sup_triangle_list list = {num_points, num_triangles, h->point, h->triangle};
  SUP_TRY(sup_surface_check_closed(&list));
  *hull = h;
  h = NULL;
  return SUP_OK;
}

sup_status sup_polyhedron_of_mesh(sup_hull **hull, const sup_mesh *t4) {
  SUP_OWN(sup_surface) *surface = NULL;
  SUP_FREED double     *point = NULL;
  int                   used = 0;
  SUP_FREED int        *number = NULL;
  *hull = NULL;
  SUP_ASSERT(t4->type == SUP_CELL_T4);
  SUP_TRY(sup_surface_of_mesh(&surface, t4));
  SUP_TRY(SUP_CALLOC(number, t4->num_vertices));
  SUP_TRY(SUP_CALLOC(point, 3 * (size_t)t4->num_vertices));
  for (int i = 0; i < 3 * surface->num_faces; i++) number[surface->face[i]] = 1;
  for (int i = 0; i < t4->num_vertices; i++) {
    if (!number[i]) continue;
    memcpy(point + 3 * used, t4->x + 3 * i, 3 * sizeof *point);
    number[i] = used++;
  }
  for (int i = 0; i < 3 * surface->num_faces; i++) surface->face[i] = number[surface->face[i]];
  SUP_TRY(sup_polyhedron_create(hull, used, point, surface->num_faces, surface->face));
  return SUP_OK;
}
