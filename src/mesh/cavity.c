#include "mesh/cavity.h"

#include <math.h>

#include "base/memory.h"
#include "base/vec.h"

/** Twice the triangle's area along its outward normal. */
static sup_v3 double_area(const sup_triangle_list *s, int t) {
  sup_v3 a = sup_triangle_corner(s, t, 0);
  return sup_v3_cross(sup_v3_sub(sup_triangle_corner(s, t, 1), a),
                      sup_v3_sub(sup_triangle_corner(s, t, 2), a));
}

/** Find the pieces as a forest parent [num_points]; the first point of a piece is its root. */
static void join_points(const sup_triangle_list *s, int *parent) {
  for (int i = 0; i < s->num_points; i++) parent[i] = i;
  for (int k = 0; k < 3 * s->num_triangles; k++) {
    int a = sup_root_of(parent, s->triangle[k]), b = sup_root_of(parent, s->triangle[k - k % 3]);
    if (a < b)
      parent[b] = a;
    else
      parent[a] = b;
  }
}

/** Distance along a ray to a triangle (Moeller and Trumbore, J. Graphics Tools 2, 1997), which
 * includes its edges, so that no ray passes between two triangles; HUGE_VAL: no intersection. */
static double distance_along(const sup_triangle_list *s, int t, sup_v3 from, sup_v3 along) {
  const double margin = 1e-9;
  sup_v3       a = sup_triangle_corner(s, t, 0), p = sup_v3_sub(sup_triangle_corner(s, t, 1), a),
         q = sup_v3_sub(sup_triangle_corner(s, t, 2), a), n = sup_v3_cross(along, q),
         o = sup_v3_sub(from, a);
  double determinant = sup_v3_dot(p, n);
  if (fabs(determinant) <= 1e-14 * sup_v3_norm(p) * sup_v3_norm(q)) return HUGE_VAL;
  double u = sup_v3_dot(o, n) / determinant;
  sup_v3 m = sup_v3_cross(o, p);
  double v = sup_v3_dot(along, m) / determinant, r = sup_v3_dot(q, m) / determinant;
  return u >= -margin && v >= -margin && u + v <= 1 + margin && r > 0 ? r : HUGE_VAL;
}

/** Point half way from the middle of a triangle to the opposite one, which lies in the cavity. */
static sup_status point_before(const sup_triangle_list *s, int triangle, double *point) {
  sup_v3 along = sup_v3_unit(double_area(s, triangle)), middle = sup_v3_make(0, 0, 0);
  double way = HUGE_VAL;
  for (int c = 0; c < 3; c++)
    middle = sup_v3_madd(middle, 1 / 3., sup_triangle_corner(s, triangle, c));
  for (int t = 0; t < s->num_triangles; t++)
    if (t != triangle) way = fmin(way, distance_along(s, t, middle, along));
  if (way == HUGE_VAL)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "triangle %d (counted from 1) of a cavity, near (%g, %g, %g) m, has no "
                    "triangle of the cavity opposite to it",
                    triangle + 1, middle.x, middle.y, middle.z);
  sup_v3_store(point, sup_v3_madd(middle, way / 2, along));
  return SUP_OK;
}

/** Volume and largest triangle of each piece, indexed by its root point. */
static void measure(const sup_triangle_list *s, int *parent, double *volume, int *largest) {
  sup_v3 origin = sup_triangle_corner(s, 0, 0); /* far from 0 the sums would lose digits */
  for (int i = 0; i < s->num_points; i++) largest[i] = SUP_NONE;
  for (int t = 0; t < s->num_triangles; t++) {
    int    i = sup_root_of(parent, s->triangle[3 * (size_t)t]);
    sup_v3 area = double_area(s, t);
    volume[i] += sup_v3_dot(sup_v3_sub(sup_triangle_corner(s, t, 0), origin), area) / 6;
    if (largest[i] == SUP_NONE || sup_v3_norm(area) > sup_v3_norm(double_area(s, largest[i])))
      largest[i] = t;
  }
}

sup_status sup_surface_cavities(const sup_triangle_list *surface, int *num_cavities,
                                double **point) {
  sup_status status;
  int       *parent = NULL, *largest = NULL, count = 0;
  double    *volume = NULL;
  *num_cavities = 0, *point = NULL;
  if (surface->num_triangles == 0) return SUP_OK;
  SUP_TRY_GOTO(SUP_CALLOC(parent, surface->num_points), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(largest, surface->num_points), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(volume, surface->num_points), status, done);
  join_points(surface, parent);
  measure(surface, parent, volume, largest);
  for (int i = 0; i < surface->num_points; i++) count += volume[i] < 0;
  SUP_TRY_GOTO(SUP_CALLOC(*point, 3 * (size_t)count), status, done);
  for (int i = 0; i < surface->num_points; i++) {
    if (!(volume[i] < 0)) continue;
    SUP_TRY_GOTO(point_before(surface, largest[i], *point + 3 * (size_t)*num_cavities), status,
                 done);
    ++*num_cavities;
  }
done:
  SUP_FREE_ALL(&parent, &largest, &volume);
  if (status != SUP_OK) {
    SUP_FREE(*point);
    *num_cavities = 0;
  }
  return status;
}
