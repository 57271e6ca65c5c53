#include "geom/field/deepest.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "geom/field/numerics.h"
#include "geom/triangle.h"

enum { MAX_STEPS = 100, DIMENSION = 4 };

/* ---- a linear programme ---------------------------------------------------------------------- */

/** a . x <= b. */
typedef struct half_space {
  double a[DIMENSION], b;
} half_space;

/** Substitute x_k, solved from the boundary of one half space, into another half space. */
static half_space without(const half_space *h, const half_space *plane, int k, int dimension) {
  half_space out = {{0}, 0};
  double     factor = h->a[k] / plane->a[k];
  for (int i = 0, to = 0; i < dimension; i++)
    if (i != k) out.a[to++] = h->a[i] - factor * plane->a[i];
  out.b = h->b - factor * plane->b;
  return out;
}

/** Largest c . x on one axis. */
static double solve_axis(int n, const half_space *h, double c, double bound) {
  double low = -bound, high = bound;
  for (int i = 0; i < n; i++) {
    if (h[i].a[0] > sup_geom_field_numerics.gain) high = fmin(high, h[i].b / h[i].a[0]);
    if (h[i].a[0] < -sup_geom_field_numerics.gain) low = fmax(low, h[i].b / h[i].a[0]);
  }
  return c >= 0 ? high : low;
}

static int largest_entry(const half_space *h, int dimension) {
  int k = 0;
  for (int i = 1; i < dimension; i++)
    if (fabs(h->a[i]) > fabs(h->a[k])) k = i;
  return k;
}

/** Largest c . x with a . x <= b and |x_k| <= bound, by Seidel's increments: a constraint violated
 * by the solution so far holds with equality, which reduces the dimension by one.
 *  @param room  [(n + 2 DIMENSION) x (dimension - 1)] */
static void solve_programme(int dimension, int n, const half_space *h, const double *c,
                            double bound, double *x, half_space *room) {
  if (dimension == 1) {
    x[0] = solve_axis(n, h, c[0], bound);
    return;
  }
  for (int k = 0; k < dimension; k++) x[k] = c[k] >= 0 ? bound : -bound;
  for (int i = 0; i < n; i++) {
    double over = -h[i].b, less_c[DIMENSION], less_x[DIMENSION];
    for (int k = 0; k < dimension; k++) over += h[i].a[k] * x[k];
    int out = largest_entry(&h[i], dimension), next = 0;
    if (!(over > sup_geom_field_numerics.gain * bound) ||
        !(fabs(h[i].a[out]) > sup_geom_field_numerics.gain))
      continue;
    for (int j = 0; j < i; j++) room[j] = without(&h[j], &h[i], out, dimension);
    for (int side = -1; side <= 1; side += 2) {
      half_space box = {{0}, bound};
      box.a[out] = side;
      room[i + (side > 0)] = without(&box, &h[i], out, dimension);
    }
    for (int k = 0; k < dimension; k++)
      if (k != out) less_c[next++] = c[k] - c[out] * h[i].a[k] / h[i].a[out];
    solve_programme(dimension - 1, i + 2, room, less_c, bound, less_x, room + i + 2);
    x[out] = h[i].b / h[i].a[out];
    for (int k = 0, from = 0; k < dimension; k++)
      if (k != out) x[k] = less_x[from++], x[out] -= h[i].a[k] * x[k] / h[i].a[out];
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct climber {
  const sup_boundary *boundary;
  int                *item; /* [num_triangles] */
  half_space         *tangent, *room;
} climber;

/** Pseudo-random order of constraints, with which the programme needs few increments. */
static void shuffle(half_space *h, int n) {
  uint64_t state = 1;
  for (int i = n - 1; i > 0; i--) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int        k = (int)((state >> 33) % (uint64_t)(i + 1));
    half_space other = h[i];
    h[i] = h[k], h[k] = other;
  }
}

/** Tangents of the distances within reach: gain - g . s <= d - depth. */
static int find_tangents(climber *c, sup_v3 at, double depth, double seen) {
  const sup_boundary *b = c->boundary;
  sup_v3              r = {seen, seen, seen};
  sup_box             box = {sup_v3_sub(at, r), sup_v3_add(at, r)};
  int                 n = sup_bvh_query(b->bvh->node, &box, c->item), num = 0;
  for (int i = 0; i < n; i++) {
    int    t = c->item[i];
    sup_v3 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = sup_surface_corner(b->surface, b->x, t, k);
    sup_v3 away = sup_v3_sub(at, sup_triangle_nearest(corner[0], corner[1], corner[2], at));
    double d = sup_v3_norm(away);
    if (d > 0 && d <= seen)
      c->tangent[num++] = (half_space){{-away.x / d, -away.y / d, -away.z / d, 1}, d - depth};
  }
  shuffle(c->tangent, num);
  return num;
}

static void climb(climber *c, sup_v3 *at, double *depth) {
  static const double up[DIMENSION] = {0, 0, 0, 1};
  for (int step = 0; step < MAX_STEPS; step++) {
    double reach = sup_geom_field_numerics.reach * *depth, x[DIMENSION];
    int    n = find_tangents(c, *at, *depth, *depth + sup_geom_field_numerics.seen * reach);
    solve_programme(DIMENSION, n, c->tangent, up, reach, x, c->room);
    sup_v3 to = sup_v3_add(*at, sup_v3_load(x));
    double found = sup_boundary_distance(c->boundary, to), gain = found - *depth;
    if (gain > 0) *at = to, *depth = found;
    if (!(gain > sup_geom_field_numerics.gain * *depth)) return;
  }
}

sup_status sup_deepest_near(const sup_boundary *boundary, sup_v3 *at, double *depth) {
  size_t     n = (size_t)boundary->surface->num_triangles;
  climber    c = {boundary, NULL, NULL, NULL};
  sup_status status;
  *depth = sup_boundary_distance(boundary, *at);
  SUP_TRY_GOTO(SUP_CALLOC(c.item, n), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(c.tangent, n), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(c.room, 3 * (n + 2 * DIMENSION)), status, done);
  climb(&c, at, depth);
done:
  SUP_FREE_ALL(&c.item, &c.tangent, &c.room);
  return status;
}
