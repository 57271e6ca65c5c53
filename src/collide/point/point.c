#include "collide/point/point.h"

#include "base/status.h"
#include "collide/point/point_parts.h"
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/shape.h"
#include "mesh/hull.h"

double sup_point_size(const sup_posed_shape *a, const sup_posed_shape *b) {
  return 0.5 * sup_min(sup_shape_radius(a->shape), sup_shape_radius(b->shape));
}

double sup_point_gap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n) {
  sup_v3 pa = sup_support(a, n), pb = sup_support(b, sup_v3_scale(-1, n));
  return sup_v3_dot(n, sup_v3_sub(pb, pa)) - sup_rounding(a->shape) - sup_rounding(b->shape);
}

/** Points of a sphere a: depth of its centre in b. */
static void sphere(const sup_posed_shape *a, const sup_posed_shape *b, const sup_point_query *query,
                   sup_point_set *out) {
  double radius = a->shape->size[0];
  sup_v3 gradient;
  double depth = sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X, a->X.p), &gradient),
         phi = depth - radius;
  gradient = sup_m3_apply(b->X.R, gradient);
  out->normal = sup_v3_scale(-1, gradient);
  if (phi <= query->margin)
    sup_point_add(out, sup_v3_madd(a->X.p, -radius, gradient),
                  sup_v3_madd(a->X.p, -depth, gradient), phi, 0);
}

/* ---- two capsules ---------------------------------------------------------------------------- */

static double clamp(double x, double limit) { return sup_min(sup_max(x, -limit), limit); }

/** Nearest points p + s u, q + t w of two segments, |s| <= hs, |t| <= ht, u and w unit. */
static void nearest_on_segments(sup_v3 p, sup_v3 u, double hs, sup_v3 q, sup_v3 w, double ht,
                                double *s, double *t) {
  sup_v3 r = sup_v3_sub(q, p);
  double c = sup_v3_dot(u, w), ru = sup_v3_dot(r, u), rw = sup_v3_dot(r, w), sine2 = 1 - c * c;
  *s = sine2 > 1e-14 ? clamp((ru - c * rw) / sine2, hs) : clamp(ru, hs);
  *t = c * *s - rw;
  if (fabs(*t) > ht) *t = clamp(*t, ht);
  *s = clamp(ru + c * *t, hs);
}

static void capsules(const sup_posed_shape *a, const sup_posed_shape *b,
                     const sup_point_query *query, sup_point_set *out) {
  double ra = a->shape->size[0], rb = b->shape->size[0], s, t;
  sup_v3 u = sup_m3_column(&a->X.R, 2), w = sup_m3_column(&b->X.R, 2);
  nearest_on_segments(a->X.p, u, 0.5 * a->shape->size[1], b->X.p, w, 0.5 * b->shape->size[1], &s,
                      &t);
  sup_v3 pa = sup_v3_madd(a->X.p, s, u), pb = sup_v3_madd(b->X.p, t, w), d = sup_v3_sub(pb, pa),
         n = d;
  double distance = sup_v3_norm(d);
  if (!(distance > 1e-12 * (ra + rb))) { /* the axes cross: across both, towards b's centre */
    n = sup_v3_cross(u, w);
    if (!(sup_v3_norm(n) > 1e-6)) n = sup_m3_column(&a->X.R, 0);
    if (sup_v3_dot(n, sup_v3_sub(b->X.p, a->X.p)) < 0) n = sup_v3_scale(-1, n);
  }
  n = sup_v3_unit(n);
  sup_witness nearest = {sup_v3_madd(pa, ra, n), sup_v3_madd(pb, -rb, n), distance - ra - rb,
                         SUP_POINT_NEAREST};
  sup_point_manifold(a, b, n, nearest, query, out);
}

/* ---- any two cores --------------------------------------------------------------------------- */

/** Direction and witnesses of shapes whose cores are apart once b has been moved by `shift` along
 * n. */
static int nearest_shifted(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n,
                           double shift, double size, sup_v3 *normal, sup_witness *out) {
  sup_gjk g = sup_gjk_distance(a, b, sup_v3_scale(shift, n), size);
  if (!(g.distance > 0)) return 0;
  double ra = sup_rounding(a->shape), rb = sup_rounding(b->shape);
  *normal = g.normal;
  out->a = sup_v3_madd(g.a, ra, g.normal);
  out->b = sup_v3_madd(sup_v3_madd(g.b, -shift, n), -rb, g.normal);
  out->phi = sup_v3_dot(g.normal, sup_v3_sub(out->b, out->a));
  return 1;
}

/** Refine n of overlapping cores: move b out along n and find n again, which turns n towards the
 * least translation.  At a flat feature one iteration is exact; at radius of curvature R the error
 * falls by (depth + lift) / (R + lift).  Returns 1 if the direction has converged. */
static int refine(const sup_posed_shape *a, const sup_posed_shape *b, double size, sup_v3 *normal,
                  sup_witness *out) {
  double ra = sup_rounding(a->shape), rb = sup_rounding(b->shape), lift = 0.2 * size;
  double best = sup_point_gap(a, b, *normal);
  int    is_settled = 0;
  out->a = sup_v3_madd(sup_support(a, *normal), ra, *normal);
  out->b = sup_v3_madd(sup_support(b, sup_v3_scale(-1, *normal)), -rb, *normal);
  for (int k = 0; k < 60; k++) {
    sup_v3      next;
    sup_witness w;
    if (!nearest_shifted(a, b, *normal, lift - (best + ra + rb), size, &next, &w)) break;
    double gap = sup_point_gap(a, b, next), turn = sup_v3_norm(sup_v3_sub(next, *normal));
    if (k == 0 && turn < 1e-4) *out = w; /* a support may be any corner of a face */
    if (gap < best - 1e-12 * size) break;
    *normal = next, *out = w, best = gap;
    is_settled = turn < 1e-4;
    if (turn < 1e-10) break;
  }
  out->phi = best;
  return is_settled;
}

/** Replace the direction if the new one separates with less translation. */
static void try_direction(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n,
                          double *best, sup_v3 *normal) {
  for (int sign = -1; sign <= 1; sign += 2) {
    sup_v3 m = sup_v3_scale(sign, n);
    double gap = sup_point_gap(a, b, m);
    if (gap > *best) *best = gap, *normal = m;
  }
}

/** Normals of the flat faces of a shape. */
static void try_faces(const sup_posed_shape *a, const sup_posed_shape *b, const sup_posed_shape *of,
                      double *best, sup_v3 *normal) {
  const sup_shape *shape = of->shape;
  for (int k = shape->type == SUP_SHAPE_BOX ? 0 : 2; k < 3; k++)
    if (shape->type == SUP_SHAPE_BOX || shape->type == SUP_SHAPE_CYLINDER)
      try_direction(a, b, sup_m3_column(&of->X.R, k), best, normal);
  if (shape->type != SUP_SHAPE_CONVEX) return;
  for (int t = 0; t < shape->hull->num_triangles; t++)
    try_direction(a, b, sup_m3_apply(of->X.R, sup_hull_normal(shape->hull, t)), best, normal);
}

/** Least translation that separates overlapping cores, refined from two starts: the best of face
 * normals and the line of centres, and EPA's direction, which alone may be a local minimum. */
static void way_out(const sup_posed_shape *a, const sup_posed_shape *b, double size, sup_v3 *normal,
                    sup_witness *out) {
  double      best = -HUGE_VAL;
  sup_v3      centres = sup_v3_sub(b->X.p, a->X.p), n;
  sup_witness other;
  try_direction(a, b, sup_v3_norm(centres) > 0 ? sup_v3_unit(centres) : sup_m3_column(&a->X.R, 0),
                &best, normal);
  try_faces(a, b, a, &best, normal);
  try_faces(a, b, b, &best, normal);
  int is_settled = refine(a, b, size, normal, out);
  /* a smooth shape with little overlap has one minimum, and EPA is slow on it; other shapes have
   * edges to compare */
  int is_smooth = a->shape->type == SUP_SHAPE_ELLIPSOID || b->shape->type == SUP_SHAPE_ELLIPSOID;
  if (is_settled && is_smooth && out->phi > -0.02 * size) return;
  if (!sup_epa_direction(a, b, size, &n)) return;
  refine(a, b, size, &n, &other);
  if (other.phi > out->phi + 1e-9 * size) *normal = n, *out = other;
}

/** Replace n by a face normal that equals n within round-off or separates as well. */
static void snap(const sup_posed_shape *a, const sup_posed_shape *b, double size, sup_v3 *normal,
                 sup_witness *w) {
  sup_feature fa = sup_feature_along(a, *normal),
              fb = sup_feature_along(b, sup_v3_scale(-1, *normal));
  sup_v3 face[2] = {fa.normal, sup_v3_scale(-1, fb.normal)};
  int    has[2] = {fa.num_points >= 3, fb.num_points >= 3};
  for (int k = 0; k < 2; k++) {
    if (!has[k] || sup_v3_norm(sup_v3_sub(face[k], *normal)) > 1e-3) continue;
    double gap = sup_point_gap(a, b, face[k]);
    if (gap < w->phi - 1e-9 * size) continue;
    *normal = face[k];
    w->phi = gap;
    return;
  }
}

static void cores(const sup_posed_shape *a, const sup_posed_shape *b, const sup_point_query *query,
                  sup_point_set *out) {
  double size = sup_point_size(a, b), rounding = sup_rounding(a->shape) + sup_rounding(b->shape);
  sup_v3 normal, zero = {0, 0, 0};
  sup_witness w;
  int         is_apart = nearest_shifted(a, b, zero, 0, size, &normal, &w);
  if (is_apart && w.phi > query->margin) return;
  if (!is_apart)
    way_out(a, b, size, &normal, &w);
  else if (w.phi + rounding <
           1e-2 *
               size) /* the direction across a narrow gap is inaccurate: repeat from farther away */
    refine(a, b, size, &normal, &w);
  snap(a, b, size, &normal, &w);
  sup_point_manifold(a, b, normal, w, query, out);
}

static void boxes(const sup_posed_shape *a, const sup_posed_shape *b, const sup_point_query *query,
                  sup_point_set *out) {
  sup_v3      normal, seen;
  sup_witness w;
  int         is_edge;
  double      size = sup_point_size(a, b), phi = sup_point_boxes(a, b, &normal, &is_edge);
  if (phi > query->margin) return;
  if (phi > 0) { /* apart: the nearest feature may be a corner, along none of the fifteen axes */
    sup_v3 zero = {0, 0, 0};
    if (!nearest_shifted(a, b, zero, 0, size, &seen, &w) || w.phi <= phi + 1e-6 * size)
      nearest_shifted(a, b, normal, 1e-2 * size, size, &seen, &w);
    else
      normal = seen, phi = w.phi;
  } else {
    nearest_shifted(a, b, normal, 1e-2 * size - phi, size, &seen, &w);
  }
  w.phi = phi;
  sup_point_manifold(a, b, normal, w, query, out);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/** Half spaces and spheres come first. */
static int rank(const sup_posed_shape *p) {
  return p->shape->type == SUP_SHAPE_HALF_SPACE ? 0 : p->shape->type == SUP_SHAPE_SPHERE ? 1 : 2;
}

static void collide(const sup_posed_shape *a, const sup_posed_shape *b,
                    const sup_point_query *query, sup_point_set *out) {
  out->count = 0;
  if (rank(b) < rank(a)) { /* exchange a and b, then reverse the result */
    collide(b, a, query, out);
    out->normal = sup_v3_scale(-1, out->normal);
    for (int k = 0; k < out->count; k++) {
      sup_v3 swap = out->point[k].a;
      out->point[k].a = out->point[k].b, out->point[k].b = swap;
    }
    return;
  }
  sup_shape_type ta = a->shape->type, tb = b->shape->type;
  if (ta == SUP_SHAPE_HALF_SPACE)
    sup_point_half_space(a, b, query, out);
  else if (ta == SUP_SHAPE_SPHERE)
    sphere(a, b, query, out);
  else if (ta == SUP_SHAPE_CAPSULE && tb == SUP_SHAPE_CAPSULE)
    capsules(a, b, query, out);
  else if (ta == SUP_SHAPE_BOX && tb == SUP_SHAPE_BOX)
    boxes(a, b, query, out);
  else
    cores(a, b, query, out);
}

void sup_collide_point(const sup_posed_shape *a, const sup_posed_shape *b, double margin,
                       double reach, sup_point_set *out) {
  collide(a, b, &(sup_point_query){margin, sup_min(reach, margin), NULL, 0}, out);
}

void sup_measure_point(const sup_posed_shape *a, const sup_posed_shape *b, const int *feature,
                       int count, sup_point_set *out) {
  collide(a, b, &(sup_point_query){HUGE_VAL, HUGE_VAL, feature, count}, out);
}
