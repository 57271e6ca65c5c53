#include "geom/surface_cross.h"

#include "base/memory.h"
#include "geom/surface_bvh.h"

typedef struct search {
  const sup_surface     *surface;
  const double          *points;
  sup_surface_crossings *found;
} search;

/** Six times the volume of a tetrahedron. */
static double volume(sup_v3 a, sup_v3 b, sup_v3 c, sup_v3 d) {
  return sup_v3_dot(sup_v3_sub(b, a), sup_v3_cross(sup_v3_sub(c, a), sup_v3_sub(d, a)));
}

/** 1: the segment p q passes through the inside of the triangle, by the signs of five volumes (R.
 * Segura and F. Feito, WSCG 2001). */
static int passes(sup_v3 p, sup_v3 q, const sup_v3 t[3], sup_v3 *where) {
  double below = volume(t[0], t[1], t[2], p), above = volume(t[0], t[1], t[2], q);
  if (!(below * above < 0)) return 0;
  double u = volume(p, q, t[0], t[1]), v = volume(p, q, t[1], t[2]), w = volume(p, q, t[2], t[0]);
  if (!((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0))) return 0;
  *where = sup_v3_madd(p, below / (below - above), sup_v3_sub(q, p));
  return 1;
}

/** An edge of a through b; of triangles that share a corner only the edge opposite it counts. */
static int cuts(const search *s, int a, int b, int shared_a, sup_v3 *where) {
  sup_v3 x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = sup_surface_corner(s->surface, s->points, a, k);
    y[k] = sup_surface_corner(s->surface, s->points, b, k);
  }
  for (int k = 0; k < 3; k++) {
    int first = k, second = (k + 1) % 3;
    if (shared_a != SUP_NONE && (first == shared_a || second == shared_a)) continue;
    if (passes(x[first], x[second], y, where)) return 1;
  }
  return 0;
}

static sup_status look_at_pair(int a, int b, void *user) {
  search    *s = user;
  const int *p = s->surface->face + 3 * (size_t)a, *q = s->surface->face + 3 * (size_t)b;
  int        shared = 0, shared_a = SUP_NONE, shared_b = SUP_NONE;
  sup_v3     where;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (p[i] == q[k]) shared++, shared_a = i, shared_b = k;
  if (shared > 1) return SUP_OK;
  if (!cuts(s, a, b, shared_a, &where) && !cuts(s, b, a, shared_b, &where)) return SUP_OK;
  int low = a < b ? a : b, high = a < b ? b : a;
  if (s->found->num_pairs++ > 0 && (s->found->triangle[0] < low ||
                                    (s->found->triangle[0] == low && s->found->triangle[1] < high)))
    return SUP_OK;
  s->found->triangle[0] = low, s->found->triangle[1] = high;
  s->found->where = where;
  return SUP_OK;
}

sup_status sup_surface_find_crossings(const sup_surface *surface, const double *points,
                                      sup_surface_crossings *crossings) {
  search            s = {surface, points, crossings};
  SUP_OWN(sup_bvh) *bvh = NULL;
  *crossings = (sup_surface_crossings){.triangle = {SUP_NONE, SUP_NONE}};
  SUP_ASSERT(surface->vertices_per_face == 3);
  SUP_TRY(sup_surface_bvh_create(&bvh, surface, points));
  SUP_TRY(sup_bvh_join(bvh->node, bvh->node, look_at_pair, &s));
  return SUP_OK;
}
