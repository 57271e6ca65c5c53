#include "mesh/hull.h"

#include <string.h>

#include "base/memory.h"

/** Incremental hull: a point that sees faces replaces them by the cone over their horizon. */
typedef struct face {
  int    corner[3];
  sup_v3 normal; /* unit, outward */
  int    is_visible;
} face;

typedef struct builder {
  const double *x;
  int           num_points, num_faces, num_edges;
  size_t        face_capacity, edge_capacity;
  face         *faces;
  int          *edge;  /* [num_edges x 2] horizon of the present point, in the sense of the faces that go */
  int          *order; /* points, far from the centre first: corners come before what lies between them */
  double       *distance;
  double        tolerance; /* closer to a plane counts as on it [m] */
} builder;

static sup_v3 at(const builder *b, int i) { return sup_v3_load(b->x + (ptrdiff_t)3 * i); }

static double height(const builder *b, const face *f, sup_v3 p) {
  return sup_v3_dot(f->normal, sup_v3_sub(p, at(b, f->corner[0])));
}

static sup_status add_face(builder *b, int i, int j, int k) {
  sup_v3 p = at(b, i), normal = sup_v3_cross(sup_v3_sub(at(b, j), p), sup_v3_sub(at(b, k), p));
  SUP_TRY(SUP_GROW(b->faces, b->face_capacity, b->num_faces + 1));
  b->faces[b->num_faces++] = (face){{i, j, k}, sup_v3_unit(normal), 0};
  return SUP_OK;
}

/** Far points first; equal distances in the order given.  Insertion by halves would be faster; hulls are small. */
static sup_status sort_points(builder *b) {
  sup_v3 centre = {0, 0, 0};
  double largest = 0;
  SUP_TRY(SUP_CALLOC(b->order, b->num_points));
  SUP_TRY(SUP_CALLOC(b->distance, b->num_points));
  for (int i = 0; i < b->num_points; i++) centre = sup_v3_madd(centre, 1.0 / b->num_points, at(b, i));
  for (int i = 0; i < b->num_points; i++) {
    b->distance[i] = sup_v3_norm(sup_v3_sub(at(b, i), centre));
    if (!isfinite(b->distance[i])) return SUP_FAIL(SUP_E_GEOMETRY, "point %d of a convex shape is not finite", i + 1);
    largest = fmax(largest, b->distance[i]);
    int k = i;
    for (; k > 0 && b->distance[b->order[k - 1]] < b->distance[i]; k--) b->order[k] = b->order[k - 1];
    b->order[k] = i;
  }
  b->tolerance = 1e-9 * largest;
  return SUP_OK;
}

/** Index of the point with the largest |value| of one of three measures: distance from a, line a b, plane a b c. */
static int farthest(const builder *b, const int *first, int count, double *value) {
  int best = 0;
  *value = 0;
  for (int i = 0; i < b->num_points; i++) {
    sup_v3 p = at(b, b->order[i]), d = sup_v3_sub(p, at(b, first[0]));
    double v = sup_v3_norm(d);
    if (count > 1) {
      sup_v3 axis = sup_v3_sub(at(b, first[1]), at(b, first[0]));
      v = sup_v3_norm(sup_v3_cross(sup_v3_unit(axis), d));
      if (count > 2)
        v = fabs(sup_v3_dot(sup_v3_unit(sup_v3_cross(axis, sup_v3_sub(at(b, first[2]), at(b, first[0])))), d));
    }
    if (v > *value) *value = v, best = b->order[i];
  }
  return best;
}

static sup_status first_tetrahedron(builder *b) {
  int    p[4] = {b->order[0], 0, 0, 0};
  double value;
  for (int k = 1; k < 4; k++) {
    p[k] = farthest(b, p, k, &value);
    if (!(value > 1e-6 * b->distance[b->order[0]]))
      return SUP_FAIL(SUP_E_GEOMETRY, "the %d points of a convex shape lie in one plane", b->num_points);
  }
  sup_v3 o = at(b, p[0]), x = sup_v3_sub(at(b, p[1]), o), y = sup_v3_sub(at(b, p[2]), o),
         z = sup_v3_sub(at(b, p[3]), o);
  if (sup_v3_dot(sup_v3_cross(x, y), z) < 0) {
    int swap = p[1];
    p[1] = p[2], p[2] = swap;
  }
  SUP_TRY(add_face(b, p[0], p[2], p[1]));
  SUP_TRY(add_face(b, p[0], p[1], p[3]));
  SUP_TRY(add_face(b, p[1], p[2], p[3]));
  SUP_TRY(add_face(b, p[2], p[0], p[3]));
  return SUP_OK;
}

/** Edges of visible faces whose other side stays: an edge met in the other sense drops out. */
static sup_status find_horizon(builder *b) {
  b->num_edges = 0;
  for (int f = 0; f < b->num_faces; f++) {
    if (!b->faces[f].is_visible) continue;
    for (int k = 0; k < 3; k++) {
      int i = b->faces[f].corner[k], j = b->faces[f].corner[(k + 1) % 3], e = 0;
      while (e < b->num_edges && !(b->edge[2 * e] == j && b->edge[2 * e + 1] == i)) e++;
      if (e < b->num_edges) {
        b->num_edges--;
        b->edge[2 * e] = b->edge[2 * b->num_edges], b->edge[2 * e + 1] = b->edge[2 * b->num_edges + 1];
      } else {
        SUP_TRY(SUP_GROW(b->edge, b->edge_capacity, 2 * (b->num_edges + 1)));
        b->edge[2 * b->num_edges] = i, b->edge[2 * b->num_edges + 1] = j;
        b->num_edges++;
      }
    }
  }
  return SUP_OK;
}

static sup_status add_point(builder *b, int i) {
  int count = 0, kept = 0;
  for (int f = 0; f < b->num_faces; f++)
    count += b->faces[f].is_visible = height(b, &b->faces[f], at(b, i)) > b->tolerance;
  if (count == 0) return SUP_OK;
  SUP_TRY(find_horizon(b));
  for (int f = 0; f < b->num_faces; f++)
    if (!b->faces[f].is_visible) b->faces[kept++] = b->faces[f];
  b->num_faces = kept;
  for (int e = 0; e < b->num_edges; e++) SUP_TRY(add_face(b, b->edge[2 * e], b->edge[2 * e + 1], i));
  return SUP_OK;
}

/** Corners that faces use, in the order given. */
static sup_status finish(const builder *b, sup_hull *hull) {
  int       *number = NULL;
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(number, b->num_points), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(hull->triangle, 3 * (size_t)b->num_faces), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(hull->point, 3 * (size_t)b->num_points), status, done);
  for (int f = 0; f < b->num_faces; f++)
    for (int k = 0; k < 3; k++) number[b->faces[f].corner[k]] = 1;
  for (int i = 0; i < b->num_points; i++) {
    if (!number[i]) continue;
    number[i] = hull->num_points;
    sup_v3_store(hull->point + (ptrdiff_t)3 * hull->num_points++, at(b, i));
  }
  for (int f = 0; f < b->num_faces; f++)
    for (int k = 0; k < 3; k++) hull->triangle[3 * f + k] = number[b->faces[f].corner[k]];
  hull->num_triangles = b->num_faces;
done:
  SUP_FREE(number);
  return status;
}

sup_status sup_hull_create(sup_hull **out, int num_points, const double *points) {
  builder    b = {.x = points, .num_points = num_points};
  sup_hull  *hull = NULL;
  sup_status status;
  *out = NULL;
  if (num_points < 4)
    return SUP_FAIL(SUP_E_GEOMETRY, "a convex shape needs at least 4 points that are not in one plane; found %d",
                    num_points);
  SUP_TRY_GOTO(SUP_CALLOC(hull, 1), status, done);
  SUP_TRY_GOTO(sort_points(&b), status, done);
  SUP_TRY_GOTO(first_tetrahedron(&b), status, done);
  for (int i = 0; i < num_points; i++) SUP_TRY_GOTO(add_point(&b, b.order[i]), status, done);
  SUP_TRY_GOTO(finish(&b, hull), status, done);
  *out = hull;
  hull = NULL;
done:
  sup_hull_destroy(&hull);
  SUP_FREE(b.faces);
  SUP_FREE(b.edge);
  SUP_FREE(b.order);
  SUP_FREE(b.distance);
  return status;
}

void sup_hull_destroy(sup_hull **hull) {
  if (!*hull) return;
  SUP_FREE((*hull)->point);
  SUP_FREE((*hull)->triangle);
  SUP_FREE(*hull);
}

/** Sums over the tetrahedra of the origin and each triangle: int 1, x, x x^T. */
void sup_hull_moments(const sup_hull *hull, double *volume, sup_v3 *centre, double inertia[6]) {
  sup_m3 second = sup_m3_zero();
  *volume = 0;
  *centre = sup_v3_make(0, 0, 0);
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 a = sup_hull_corner(hull, t, 0), b = sup_hull_corner(hull, t, 1), c = sup_hull_corner(hull, t, 2);
    sup_v3 sum = sup_v3_add(a, sup_v3_add(b, c));
    double V = sup_v3_dot(a, sup_v3_cross(b, c)) / 6;
    *volume += V;
    *centre = sup_v3_madd(*centre, V / 4, sum);
    sup_m3 s = sup_m3_add(sup_m3_add(sup_m3_outer(a, a), sup_m3_outer(b, b)),
                          sup_m3_add(sup_m3_outer(c, c), sup_m3_outer(sum, sum)));
    second = sup_m3_add(second, sup_m3_scale(V / 20, s));
  }
  *centre = sup_v3_scale(1 / *volume, *centre);
  second = sup_m3_add(sup_m3_scale(1 / *volume, second), sup_m3_scale(-1, sup_m3_outer(*centre, *centre)));
  double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
  for (int i = 0; i < 3; i++) inertia[i] = trace - second.m[i][i];
  inertia[3] = -second.m[0][1], inertia[4] = -second.m[0][2], inertia[5] = -second.m[1][2];
}
