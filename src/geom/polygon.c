#include "geom/polygon.h"

#include "geom/numerics.h"

#include <string.h>

static sup_v3 cut(sup_v3 p, double dp, sup_v3 q, double dq) {
  return sup_v3_madd(p, dp / (dp - dq), sup_v3_sub(q, p));
}

void sup_polygon_of_tet(const sup_plane *plane, const sup_v3 corner[4], sup_polygon *out) {
  double value[4];
  int    above[4], below[4], num_above = 0, num_below = 0;
  for (int i = 0; i < 4; i++) {
    value[i] = sup_plane_value(plane, corner[i]);
    if (value[i] >= 0)
      above[num_above++] = i;
    else
      below[num_below++] = i;
  }
  out->num_points = 0;
  if (num_above == 0 || num_below == 0) return;
  /* edges from below to above, in an order that goes around */
  if (num_above == 2) {
    static const int go_around[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    for (int k = 0; k < 4; k++) {
      int i = below[go_around[k][0]], j = above[go_around[k][1]];
      out->point[k] = cut(corner[i], value[i], corner[j], value[j]);
    }
    out->num_points = 4;
  } else {
    int apex = num_above == 1 ? above[0] : below[0], *other = num_above == 1 ? below : above;
    for (int k = 0; k < 3; k++)
      out->point[k] = cut(corner[other[k]], value[other[k]], corner[apex], value[apex]);
    out->num_points = 3;
  }
  /* the diagonals of a quad, two sides of a triangle */
  sup_v3 u = sup_v3_sub(out->point[2], out->point[0]),
         v = sup_v3_sub(out->point[out->num_points - 1], out->point[1]);
  if (out->num_points == 3)
    v = sup_v3_sub(out->point[2], out->point[1]), u = sup_v3_sub(out->point[1], out->point[0]);
  if (sup_v3_dot(sup_v3_cross(u, v), plane->normal) >= 0) return;
  for (int i = 0, j = out->num_points - 1; i < j; i++, j--) {
    sup_v3 swap = out->point[i];
    out->point[i] = out->point[j], out->point[j] = swap;
  }
}

/** The part of a polygon of n points where a function that is linear on it is >= 0; returns the
 * number of its points.
 */
static int clip(const sup_v3 *point, int n, const double *value, sup_v3 *kept) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    int j = i + 1 < n ? i + 1 : 0;
    /* round-off may bend a polygon so that a line enters it twice: the rest of it is of that size
     */
    if (m + 2 > SUP_POLYGON_MAX_POINTS + 1) break;
    if (value[i] >= 0) kept[m++] = point[i];
    if ((value[i] < 0) != (value[j] < 0)) kept[m++] = cut(point[i], value[i], point[j], value[j]);
  }
  return m < 3 ? 0 : m > SUP_POLYGON_MAX_POINTS ? SUP_POLYGON_MAX_POINTS : m;
}

/** Values of a plane at the points; returns how many are negative. */
static int evaluate(const sup_plane *plane, const sup_v3 *point, int n, double *value) {
  int num_outside = 0;
  for (int i = 0; i < n; i++)
    value[i] = sup_plane_value(plane, point[i]), num_outside += value[i] < 0;
  return num_outside;
}

void sup_polygon_clip_values(sup_polygon *polygon, const double *value) {
  sup_v3 kept[SUP_POLYGON_MAX_POINTS + 1];
  int    n = polygon->num_points, num_outside = 0;
  for (int i = 0; i < n; i++) num_outside += value[i] < 0;
  if (num_outside == 0) return;
  polygon->num_points = num_outside < n ? clip(polygon->point, n, value, kept) : 0;
  memcpy(polygon->point, kept, (size_t)polygon->num_points * sizeof *kept);
}

void sup_polygon_simplify(sup_polygon *polygon) {
  sup_v3 *p = polygon->point;
  double  square = 0;
  int     n = polygon->num_points;
  for (int i = 1; i < n; i++) {
    sup_v3 d = sup_v3_sub(p[i], p[0]);
    square = sup_max(square, sup_v3_dot(d, d));
  }
  double least = sup_geom_numerics.flat_corner * square * (sup_geom_numerics.flat_corner * square);
  for (int i = 0; i < n && n >= 3;) {
    sup_v3 a = sup_v3_sub(p[i], p[i > 0 ? i - 1 : n - 1]),
           b = sup_v3_sub(p[i + 1 < n ? i + 1 : 0], p[i]), c = sup_v3_cross(a, b);
    if (sup_v3_dot(c, c) > least) {
      i++;
      continue;
    }
    n--;
    memmove(p + i, p + i + 1, (size_t)(n - i) * sizeof *p);
    i = 0; /* its neighbours turn otherwise now */
  }
  polygon->num_points = n < 3 ? 0 : n;
}

void sup_polygon_order_fan(sup_polygon *polygon) {
  sup_polygon whole = *polygon;
  sup_v3      mean = {0, 0, 0};
  double      least = HUGE_VAL;
  int         n = polygon->num_points, first = 0;
  for (int i = 0; i < n; i++) mean = sup_v3_madd(mean, 1. / n, whole.point[i]);
  for (int i = 0; i < n; i++) {
    sup_v3 d = sup_v3_sub(whole.point[i], mean);
    double square = sup_v3_dot(d, d);
    if (square < least) least = square, first = i;
  }
  for (int i = 0; i < n; i++) polygon->point[i] = whole.point[(first + i) % n];
}

void sup_polygon_clip_tet(sup_polygon *polygon, const sup_plane inside[4]) {
  sup_v3   kept[2][SUP_POLYGON_MAX_POINTS + 1];
  double   value[4][SUP_POLYGON_MAX_POINTS];
  int      n = polygon->num_points, is_new = 0;
  unsigned cutting = 0;
  for (int k = 0; k < 4;
       k++) { /* most polygons are entirely outside of some plane: test this before clipping */
    int num_outside = evaluate(&inside[k], polygon->point, n, value[k]);
    if (num_outside == n) {
      polygon->num_points = 0;
      return;
    }
    if (num_outside > 0) cutting |= 1u << k;
  }
  const sup_v3 *point = polygon->point;
  for (int k = 0, to = 0; k < 4; k++) {
    if (!(cutting >> k & 1)) continue;
    int num_outside = is_new ? evaluate(&inside[k], point, n, value[k]) : 1;
    if (num_outside == 0) continue;
    n = num_outside < n ? clip(point, n, value[k], kept[to]) : 0;
    point = kept[to], to = 1 - to, is_new = 1;
  }
  polygon->num_points = n;
  if (is_new) memcpy(polygon->point, point, (size_t)n * sizeof *point);
}

sup_v3 sup_polygon_area(const sup_polygon *polygon, sup_v3 *centroid) {
  int    n = polygon->num_points;
  sup_v3 first = polygon->point[0], twice = {0, 0, 0}, part[SUP_POLYGON_MAX_POINTS],
         ends[SUP_POLYGON_MAX_POINTS];
  sup_v3 a = sup_v3_sub(polygon->point[1], first), b;
  for (int i = 2; i < n; i++, a = b) {
    b = sup_v3_sub(polygon->point[i], first);
    part[i] = sup_v3_cross(a, b), ends[i] = sup_v3_add(a, b);
    twice = sup_v3_add(twice, part[i]);
  }
  double square = sup_v3_dot(twice, twice), scale = 1 / square;
  sup_v3 offset = {0, 0, 0};
  if (square > 0 && isfinite(scale)) {
    for (int i = 2; i < n; i++)
      offset = sup_v3_madd(offset, scale * sup_v3_dot(part[i], twice), ends[i]);
    *centroid = sup_v3_madd(first, 1. / 3, offset);
  } else {
    sup_v3 sum = {0, 0, 0};
    for (int i = 0; i < n; i++) sum = sup_v3_add(sum, polygon->point[i]);
    *centroid = sup_v3_scale(1. / n, sum);
  }
  return sup_v3_scale(0.5, twice);
}

sup_v3 sup_polygon_first_moment(const sup_polygon *polygon, sup_v3 n, sup_v3 centroid,
                                sup_v3 gradient) {
  sup_v3 sum = {0, 0, 0}, a, b = sup_v3_sub(polygon->point[0], centroid);
  double pa, pb = sup_v3_dot(b, gradient);
  for (int i = 0; i < polygon->num_points; i++) {
    a = b, b = sup_v3_sub(polygon->point[i + 1 < polygon->num_points ? i + 1 : 0], centroid);
    pa = pb, pb = sup_v3_dot(b, gradient);
    double twice = sup_v3_dot(sup_v3_cross(a, b), n);
    /* triangle 0, a, b: A/12 (a pa + b pb + (a + b)(pa + pb)) */
    sum = sup_v3_madd(sup_v3_madd(sum, twice * (2 * pa + pb), a), twice * (pa + 2 * pb), b);
  }
  return sup_v3_scale(1. / 24, sum);
}

/* ---- hull of two ----------------------------------------------------------------------------- */

/** A corner and where it lies in the plane. */
typedef struct corner {
  double        x, y;
  const sup_v3 *p;
} corner;

/** Twice the area of a triangle, positive when it turns left. */
static double turn(const corner *a, const corner *b, const corner *c) {
  return (b->x - a->x) * (c->y - b->y) - (b->y - a->y) * (c->x - b->x);
}

static int add_sorted(corner *sorted, int count, const sup_m3 *R, const sup_v3 *p) {
  sup_v3 q = sup_m3_apply_t(*R, *p);
  int    at = count;
  for (; at > 0 && (sorted[at - 1].x > q.x || (sorted[at - 1].x == q.x && sorted[at - 1].y > q.y));
       at--)
    sorted[at] = sorted[at - 1];
  sorted[at] = (corner){q.x, q.y, p};
  return count + 1;
}

/** Remove the corner whose removal changes the area least. */
static int drop_flattest(corner *hull, int count) {
  int    flattest = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < count; i++) {
    double area = turn(&hull[(i + count - 1) % count], &hull[i], &hull[(i + 1) % count]);
    if (area < least) least = area, flattest = i;
  }
  for (int i = flattest; i + 1 < count; i++) hull[i] = hull[i + 1];
  return count - 1;
}

void sup_polygon_join(sup_polygon *polygon, const sup_polygon *other, sup_v3 n) {
  sup_m3 R = sup_m3_frame_of_normal(n);
  corner sorted[2 * SUP_POLYGON_MAX_POINTS], hull[2 * SUP_POLYGON_MAX_POINTS + 1];
  int    count = 0, size = 0;
  for (int i = 0; i < polygon->num_points; i++)
    count = add_sorted(sorted, count, &R, &polygon->point[i]);
  for (int i = 0; i < other->num_points; i++)
    count = add_sorted(sorted, count, &R, &other->point[i]);
  for (int pass = 0, base = 0; pass < 2;
       pass++, base = size - 1) /* below from left to right, above back */
    for (int k = pass; k < count; k++) {
      const corner *c = &sorted[pass == 0 ? k : count - 1 - k];
      while (size - base >= 2 && !(turn(&hull[size - 2], &hull[size - 1], c) > 0)) size--;
      hull[size++] = *c;
    }
  if (size > 1) size--; /* the first again */
  while (size > SUP_POLYGON_MAX_POINTS) size = drop_flattest(hull, size);
  if (size < 3) return;
  sup_v3 joined[SUP_POLYGON_MAX_POINTS];
  for (int i = 0; i < size; i++) joined[i] = *hull[i].p;
  polygon->num_points = size;
  memcpy(polygon->point, joined, (size_t)size * sizeof *joined);
}
