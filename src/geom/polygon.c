#include "geom/polygon.h"

static sup_v3 cut(sup_v3 p, double dp, sup_v3 q, double dq) { return sup_v3_madd(p, dp / (dp - dq), sup_v3_sub(q, p)); }

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
    for (int k = 0; k < 3; k++) out->point[k] = cut(corner[other[k]], value[other[k]], corner[apex], value[apex]);
    out->num_points = 3;
  }
  /* the diagonals of a quad, two sides of a triangle */
  sup_v3 u = sup_v3_sub(out->point[2], out->point[0]), v = sup_v3_sub(out->point[out->num_points - 1], out->point[1]);
  if (out->num_points == 3) v = sup_v3_sub(out->point[2], out->point[1]), u = sup_v3_sub(out->point[1], out->point[0]);
  if (sup_v3_dot(sup_v3_cross(u, v), plane->normal) >= 0) return;
  for (int i = 0, j = out->num_points - 1; i < j; i++, j--) {
    sup_v3 swap = out->point[i];
    out->point[i] = out->point[j], out->point[j] = swap;
  }
}

void sup_polygon_clip(sup_polygon *polygon, const sup_plane *plane) {
  double value[SUP_POLYGON_MAX_POINTS];
  for (int i = 0; i < polygon->num_points; i++) value[i] = sup_plane_value(plane, polygon->point[i]);
  sup_polygon_clip_values(polygon, value);
}

void sup_polygon_clip_values(sup_polygon *polygon, const double *value) {
  sup_v3 kept[SUP_POLYGON_MAX_POINTS + 1];
  int    n = polygon->num_points, m = 0, num_outside = 0;
  for (int i = 0; i < n; i++) num_outside += value[i] < 0;
  if (num_outside == 0) return;
  for (int i = 0; i < n && num_outside < n; i++) {
    int j = i + 1 < n ? i + 1 : 0;
    /* round-off may bend a polygon so that a line enters it twice: the rest of it is of that size */
    if (m + 2 > SUP_POLYGON_MAX_POINTS + 1) break;
    if (value[i] >= 0) kept[m++] = polygon->point[i];
    if ((value[i] < 0) != (value[j] < 0)) kept[m++] = cut(polygon->point[i], value[i], polygon->point[j], value[j]);
  }
  polygon->num_points = m < 3 ? 0 : m > SUP_POLYGON_MAX_POINTS ? SUP_POLYGON_MAX_POINTS : m;
  for (int i = 0; i < polygon->num_points; i++) polygon->point[i] = kept[i];
}

sup_v3 sup_polygon_area(const sup_polygon *polygon, sup_v3 *centroid) {
  int    n = polygon->num_points;
  sup_v3 mean = {0, 0, 0}, area = {0, 0, 0};
  for (int i = 0; i < n; i++) mean = sup_v3_madd(mean, 1. / n, polygon->point[i]);
  sup_v3 part[SUP_POLYGON_MAX_POINTS];
  for (int i = 0; i < n; i++) {
    sup_v3 a = sup_v3_sub(polygon->point[i], mean), b = sup_v3_sub(polygon->point[i + 1 < n ? i + 1 : 0], mean);
    part[i] = sup_v3_scale(0.5, sup_v3_cross(a, b));
    area = sup_v3_add(area, part[i]);
  }
  double size = sup_v3_norm(area), first = 0;
  sup_v3 offset = {0, 0, 0};
  if (size > 0)
    for (int i = 0; i < n; i++) {
      double share = sup_v3_dot(part[i], area) / (size * size);
      sup_v3 a = sup_v3_sub(polygon->point[i], mean), b = sup_v3_sub(polygon->point[i + 1 < n ? i + 1 : 0], mean);
      offset = sup_v3_madd(offset, share / 3, sup_v3_add(a, b));
      first += share;
    }
  *centroid = first > 0 ? sup_v3_add(mean, offset) : mean;
  return area;
}

sup_m3 sup_polygon_second_moment(const sup_polygon *polygon, sup_v3 centroid) {
  sup_m3 sum = sup_m3_zero();
  int    n = polygon->num_points;
  for (int i = 0; i < n; i++) {
    sup_v3 a = sup_v3_sub(polygon->point[i], centroid), b = sup_v3_sub(polygon->point[i + 1 < n ? i + 1 : 0], centroid);
    double area = 0.5 * sup_v3_norm(sup_v3_cross(a, b));
    sup_v3 c = sup_v3_add(a, b);
    /* triangle 0, a, b: A/12 (a a^T + b b^T + (a + b)(a + b)^T) */
    sup_m3 moment = sup_m3_add(sup_m3_outer(a, a), sup_m3_add(sup_m3_outer(b, b), sup_m3_outer(c, c)));
    sum = sup_m3_add(sum, sup_m3_scale(area / 12, moment));
  }
  return sum;
}
