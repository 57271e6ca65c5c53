#include "geom/gjk.h"

enum { MAX_ITERATIONS = 200 };

/** Corner of the simplex: w = a - b of two support points. */
typedef struct corner {
  sup_v3 a, b, w;
} corner;

typedef struct simplex {
  int    count;
  corner c[4];
  double weight[4]; /* of the point nearest to the origin */
} simplex;

/** Nearest point to the origin of the affine hull of the chosen corners; 0 when it is not inside of
 * them. */
static int nearest_in(const corner *c, const int *pick, int count, double *weight, sup_v3 *v) {
  sup_v3 p = c[pick[0]].w;
  if (count == 1) {
    weight[0] = 1;
    *v = p;
    return 1;
  }
  sup_v3 q = c[pick[1]].w, e = sup_v3_sub(q, p);
  if (count == 2) {
    double t = -sup_v3_dot(p, e), n = sup_v3_dot(e, e);
    if (!(t > 0 && t < n)) return 0;
    weight[0] = 1 - t / n, weight[1] = t / n;
    *v = sup_v3_madd(p, t / n, e);
    return 1;
  }
  sup_v3 r = c[pick[2]].w, n = sup_v3_cross(e, sup_v3_sub(r, p));
  if (count == 3) {
    double nn = sup_v3_dot(n, n);
    weight[0] = sup_v3_dot(sup_v3_cross(q, r), n) / nn;
    weight[1] = sup_v3_dot(sup_v3_cross(r, p), n) / nn;
    weight[2] = sup_v3_dot(sup_v3_cross(p, q), n) / nn;
    if (!(nn > 0 && weight[0] > 0 && weight[1] > 0 && weight[2] > 0)) return 0;
    /* a point of the triangle, however wrong its place: a sliver's height over the origin would be
     * any number */
    double sum = weight[0] + weight[1] + weight[2];
    for (int i = 0; i < 3; i++) weight[i] /= sum;
    *v = sup_v3_madd(sup_v3_madd(sup_v3_scale(weight[0], p), weight[1], q), weight[2], r);
    return 1;
  }
  sup_v3 s = c[pick[3]].w;
  double volume = sup_v3_dot(n, sup_v3_sub(s, p));
  weight[0] = sup_v3_dot(s, sup_v3_cross(q, r)) / volume;
  weight[1] = -sup_v3_dot(s, sup_v3_cross(p, r)) / volume;
  weight[2] = sup_v3_dot(s, sup_v3_cross(p, q)) / volume;
  weight[3] = 1 - weight[0] - weight[1] - weight[2];
  *v = sup_v3_make(0, 0, 0);
  return volume != 0 && weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && weight[3] >= 0;
}

/** Shrink the simplex to the part whose nearest point is nearest: all 15 parts are tried, which no
 * rounding confuses.
 */
static sup_v3 reduce(simplex *s) {
  simplex best = {0};
  sup_v3  nearest = {0, 0, 0};
  double  least = HUGE_VAL;
  for (int part = 1; part < 1 << s->count; part++) {
    int    pick[4] = {0}, count = 0;
    double weight[4];
    sup_v3 v;
    for (int i = 0; i < s->count; i++)
      if (part >> i & 1) pick[count++] = i;
    if (!nearest_in(s->c, pick, count, weight, &v)) continue;
    double square = sup_v3_dot(v, v);
    if (!(square < least)) continue;
    least = square, nearest = v, best.count = count;
    for (int i = 0; i < count; i++) best.c[i] = s->c[pick[i]], best.weight[i] = weight[i];
  }
  *s = best;
  return nearest;
}

static corner support(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 shift,
                      sup_v3 direction) {
  corner c = {.a = sup_support(a, direction), .b = sup_support(b, sup_v3_scale(-1, direction))};
  c.b = sup_v3_add(c.b, shift);
  c.w = sup_v3_sub(c.a, c.b);
  return c;
}

static int holds(const simplex *s, sup_v3 w) {
  for (int i = 0; i < s->count; i++)
    if (s->c[i].w.x == w.x && s->c[i].w.y == w.y && s->c[i].w.z == w.z) return 1;
  return 0;
}

sup_gjk sup_gjk_distance(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 shift,
                         double size) {
  simplex s = {.count = 1};
  sup_v3  start = sup_v3_sub(sup_v3_add(b->X.p, shift), a->X.p);
  sup_gjk out = {0};
  if (!(sup_v3_dot(start, start) > 0)) start = sup_v3_make(1, 0, 0);
  s.c[0] = support(a, b, shift, start);
  sup_v3 v = reduce(&s);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    double square = sup_v3_dot(v, v);
    if (s.count == 4 || !(square > 1e-26 * size * size)) return out;
    corner c = support(a, b, shift, sup_v3_scale(-1, v));
    if (square - sup_v3_dot(v, c.w) <= 1e-15 * square || holds(&s, c.w)) break;
    simplex before = s;
    s.c[s.count++] = c;
    sup_v3 next = reduce(&s);
    if (!(sup_v3_dot(next, next) < square)) { /* round-off ends the descent */
      s = before;
      break;
    }
    v = next;
  }
  for (int i = 0; i < s.count; i++) {
    out.a = sup_v3_madd(out.a, s.weight[i], s.c[i].a);
    out.b = sup_v3_madd(out.b, s.weight[i], s.c[i].b);
  }
  out.distance = sup_v3_norm(v);
  out.normal = sup_v3_scale(-1 / out.distance, v);
  return out;
}
