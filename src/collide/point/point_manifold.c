#include "base/status.h"
#include "collide/point/numerics.h"
#include "collide/point/point_parts.h"

enum { MAX_CLIPPED = 2 * SUP_FEATURE_MAX_POINTS };

typedef struct polygon {
  int    count;
  sup_v3 p[MAX_CLIPPED];
} polygon;

/** The part of a polygon (or segment) on the side n . x <= offset. */
static void clip(polygon *poly, sup_v3 n, double offset, double tolerance) {
  polygon in = *poly;
  int     edges = in.count == 2 ? 1 : in.count;
  poly->count = 0;
  for (int i = 0; i < in.count; i++) {
    sup_v3 p = in.p[i], q = in.p[(i + 1) % in.count];
    double hp = sup_v3_dot(n, p) - offset, hq = sup_v3_dot(n, q) - offset;
    if (hp <= tolerance && poly->count < MAX_CLIPPED) poly->p[poly->count++] = p;
    int crosses = (hp < -tolerance && hq > tolerance) || (hp > tolerance && hq < -tolerance);
    if (i < edges && crosses && poly->count < MAX_CLIPPED)
      poly->p[poly->count++] = sup_v3_madd(p, hp / (hp - hq), sup_v3_sub(q, p));
  }
}

/** Clip by the prism over a face along its outward `axis`. */
static void clip_to_face(polygon *poly, const sup_feature *face, sup_v3 axis, double tolerance) {
  for (int k = 0; k < face->num_points; k++) {
    sup_v3 p = face->point[k], edge = sup_v3_sub(face->point[(k + 1) % face->num_points], p);
    sup_v3 out = sup_v3_unit(sup_v3_cross(edge, axis));
    clip(poly, out, sup_v3_dot(out, p), tolerance);
  }
}

/** Clip by the planes through the ends of a segment, across it. */
static void clip_to_segment(polygon *poly, const sup_feature *segment, double tolerance) {
  sup_v3 axis = sup_v3_unit(sup_v3_sub(segment->point[1], segment->point[0]));
  clip(poly, axis, sup_v3_dot(axis, segment->point[1]), tolerance);
  axis = sup_v3_scale(-1, axis);
  clip(poly, axis, sup_v3_dot(axis, segment->point[0]), tolerance);
}

static sup_v3 direction(const sup_feature *segment) {
  return sup_v3_unit(sup_v3_sub(segment->point[1], segment->point[0]));
}

/** Reference feature for clipping: 1 a's, 2 b's, 0 none.  A polygon takes precedence over a disc,
 * since clipping by polygons is exact.  If no face is perpendicular to `normal`, as with crossing
 * edges or a line on an edge, the reference is the face whose normal is nearer to `normal`: these
 * features meet next when the shapes turn. */
static int reference(const sup_feature *fa, const sup_feature *fb, sup_v3 normal) {
  double facing_a = sup_v3_dot(fa->normal, normal), facing_b = -sup_v3_dot(fb->normal, normal);
  int    a_is_face = fa->num_points >= 3, b_is_face = fb->num_points >= 3;
  int    a = a_is_face && facing_a > 1 - sup_point_numerics.parallel_face,
      b = b_is_face && facing_b > 1 - sup_point_numerics.parallel_face;
  if (a && b && fa->is_round && !fb->is_round) return 2;
  sup_v3 da = direction(fa), db = direction(fb);
  int    a_lies = fa->num_points == 2 && fabs(sup_v3_dot(da, normal)) < SUP_POINT_FLAT_LINE;
  int    b_lies = fb->num_points == 2 && fabs(sup_v3_dot(db, normal)) < SUP_POINT_FLAT_LINE;
  if (a) return b_is_face || b_lies ? 1 : 0;
  if (b) return a_is_face || a_lies ? 2 : 0;
  if (a_is_face && b_is_face && sup_min(facing_a, facing_b) > sup_point_numerics.facing)
    return facing_a >= facing_b ? 1 : 2;
  if (a_is_face && b_lies && facing_a > sup_point_numerics.facing) return 1;
  if (b_is_face && a_lies && facing_b > sup_point_numerics.facing) return 2;
  return a_lies && b_lies && fabs(sup_v3_dot(da, db)) > 1 - sup_point_numerics.parallel_line ? 1
                                                                                             : 0;
}

/** Clipped points of the other shape, projected onto the reference along the normal. */
static void collect(const polygon *poly, sup_v3 normal, int is_a, const sup_feature *ref, double ra,
                    double rb, sup_point_set *all) {
  sup_v3 across = ref->num_points >= 3 ? ref->normal : normal;
  double slope = sup_v3_dot(across, normal);
  for (int k = 0; k < poly->count && all->count < SUP_POINT_MAX; k++) {
    double height =
        sup_v3_dot(across, sup_v3_sub(poly->p[k], ref->point[0])) / slope; /* core to core */
    sup_v3 foot = sup_v3_madd(poly->p[k], -height, normal);
    sup_v3 a = is_a ? foot : poly->p[k], b = is_a ? poly->p[k] : foot;
    double phi = (is_a ? height : -height) - ra - rb;
    sup_point_add(all, sup_v3_madd(a, ra, normal), sup_v3_madd(b, -rb, normal), phi, k);
  }
}

/** Order independent of the reference: counter-clockwise about the normal, from the point farthest
 * along a direction fixed to a; the direction is oblique to the axes, so that no two corners of a
 * box tie. */
static void put_in_order(polygon *poly, const sup_posed_shape *a, int is_clockwise) {
  polygon in = *poly;
  sup_v3  oblique = sup_m3_apply(a->X.R, sup_v3_make(0.87, 0.43, 0.24));
  int     first = 0, n = in.count;
  for (int k = 1; k < n; k++)
    if (sup_v3_dot(oblique, in.p[k]) > sup_v3_dot(oblique, in.p[first])) first = k;
  for (int k = 0; k < n; k++) poly->p[k] = in.p[(first + (is_clockwise ? n - k : k)) % n];
}

/** Overlap of the features of a and b along the normal: its corners, gaps along the normal.
 * Returns the tolerance within which its least gap equals that of the nearest points [m]. */
static double overlap_of_features(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 normal,
                                  sup_point_set *all) {
  double      size = sup_point_size(a, b), tolerance = 1e-12 * size;
  sup_feature fa = sup_feature_along(a, normal),
              fb = sup_feature_along(b, sup_v3_scale(-1, normal));
  int which = reference(&fa, &fb, normal);
  if (which == 0) return 0;
  const sup_feature *ref = which == 1 ? &fa : &fb, *other = which == 1 ? &fb : &fa;
  polygon            poly = {.count = other->num_points};
  for (int k = 0; k < other->num_points; k++) poly.p[k] = other->point[k];
  if (ref->num_points >= 3)
    clip_to_face(&poly, ref, which == 1 ? normal : sup_v3_scale(-1, normal), tolerance);
  else
    clip_to_segment(&poly, ref, tolerance);
  put_in_order(&poly, a, which == 1);
  collect(&poly, normal, which == 1, ref, sup_rounding(a->shape), sup_rounding(b->shape), all);
  /* on an inclined feature a position of the same accuracy needs a more accurate gap */
  int is_slope = ref->num_points >= 3 &&
                 fabs(sup_v3_dot(ref->normal, normal)) <= 1 - sup_point_numerics.parallel_face;
  return (is_slope ? 1e-9 : 1e-6) * size;
}

/** The middle of the nearest points of two features [m]. */
static sup_witness middle_of(const sup_point_set *all, double least, double size) {
  sup_witness middle = {.phi = least, .feature = SUP_POINT_MIDDLE};
  int         count = 0;
  for (int k = 0; k < all->count; k++) {
    if (all->point[k].phi > least + 1e-9 * size) continue;
    middle.a = sup_v3_add(middle.a, all->point[k].a);
    middle.b = sup_v3_add(middle.b, all->point[k].b);
    count++;
  }
  middle.a = sup_v3_scale(1.0 / count, middle.a), middle.b = sup_v3_scale(1.0 / count, middle.b);
  return middle;
}

/** Select the points within reach, among the points of the features and the nearest. */
static void choose(const sup_point_set *all, sup_witness nearest, int is_alone, double size,
                   double reach, sup_point_set *out) {
  if (is_alone) {
    out->point[out->count++] = nearest;
    if (!(nearest.phi <= reach)) return;
  }
  for (int k = 0; k < all->count; k++) {
    const sup_witness *w = &all->point[k];
    int                is_same = is_alone && sup_v3_norm(sup_v3_sub(w->a, nearest.a)) < 1e-2 * size;
    if (w->phi <= reach && !is_same) sup_point_add(out, w->a, w->b, w->phi, w->feature);
  }
}

void sup_point_manifold(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 normal,
                        sup_witness nearest, const sup_point_query *query, sup_point_set *out) {
  out->normal = normal;
  if (!(nearest.phi <= query->margin)) return;
  double        size = sup_point_size(a, b), least = HUGE_VAL;
  sup_point_set all = {.normal = normal};
  double        slack = overlap_of_features(a, b, normal, &all);
  nearest.feature = SUP_POINT_NEAREST;
  for (int k = 0; k < all.count; k++) least = sup_min(least, all.point[k].phi);
  for (int i = 0; i < query->count; i++) {
    int k = query->feature[i];
    out->point[out->count++] = k >= 0 && k < all.count ? all.point[k]
                               : k == SUP_POINT_MIDDLE && least < HUGE_VAL
                                   ? middle_of(&all, least, size)
                                   : nearest;
  }
  if (query->feature) return;
  /* no features, or nearest points off the features */
  choose(&all, nearest, !(least <= nearest.phi + slack), size, query->reach, out);
  if (out->count == 0) out->point[out->count++] = middle_of(&all, least, size);
}
