#include "geom/support.h"

#include "base/status.h"
#include "mesh/hull.h"

enum { CAP_POINTS = 8 };

double sup_rounding(const sup_shape *shape) {
  return shape->type == SUP_SHAPE_SPHERE || shape->type == SUP_SHAPE_CAPSULE ? shape->size[0] : 0;
}

static sup_v3 ellipsoid_support(const double *e, sup_v3 d) {
  sup_v3 scaled = sup_v3_unit(sup_v3_make(e[0] * d.x, e[1] * d.y, e[2] * d.z));
  return sup_v3_make(e[0] * scaled.x, e[1] * scaled.y, e[2] * scaled.z);
}

static sup_v3 hull_support(const sup_hull *hull, sup_v3 d) {
  int    best = 0;
  double most = -HUGE_VAL;
  for (int i = 0; i < hull->num_points; i++) {
    double h = sup_v3_dot(d, sup_hull_point(hull, i));
    if (h > most) most = h, best = i;
  }
  return sup_hull_point(hull, best);
}

static sup_v3 local_support(const sup_shape *shape, sup_v3 d) {
  const double *s = shape->size;
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      return sup_v3_make(copysign(0.5 * s[0], d.x), copysign(0.5 * s[1], d.y),
                         copysign(0.5 * s[2], d.z));
    case SUP_SHAPE_CYLINDER: {
      sup_v3 out = sup_v3_unit(sup_v3_make(d.x, d.y, 0));
      return sup_v3_make(s[0] * out.x, s[0] * out.y, copysign(0.5 * s[1], d.z));
    }
    case SUP_SHAPE_CAPSULE:
      return sup_v3_make(0, 0, copysign(0.5 * s[1], d.z));
    case SUP_SHAPE_ELLIPSOID:
      return ellipsoid_support(s, d);
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      return hull_support(shape->hull, d);
    case SUP_SHAPE_SPHERE:
      break;
    case SUP_SHAPE_HALF_SPACE:
      SUP_ASSERT(shape->type != SUP_SHAPE_HALF_SPACE); /* has no farthest point */
  }
  return sup_v3_make(0, 0, 0);
}

sup_v3 sup_support(const sup_posed_shape *body, sup_v3 direction) {
  return sup_frame_apply(&body->X,
                         local_support(body->shape, sup_m3_apply_t(body->X.R, direction)));
}

static sup_feature box_face(const double *size, sup_v3 direction) {
  const double d[3] = {direction.x, direction.y, direction.z};
  int          i = fabs(d[0]) >= fabs(d[1]) && fabs(d[0]) >= fabs(d[2]) ? 0
                   : fabs(d[1]) >= fabs(d[2])                           ? 1
                                                                        : 2;
  int          j = (i + 1) % 3, k = (i + 2) % 3;
  double       side = d[i] >= 0 ? 1 : -1, normal[3] = {0, 0, 0};
  sup_feature  f = {.num_points = 4};
  normal[i] = side;
  f.normal = sup_v3_load(normal);
  for (int c = 0; c < 4; c++) {
    double p[3];
    p[i] = 0.5 * side * size[i];
    p[j] = 0.5 * size[j] * (c == 0 || c == 3 ? -1 : 1);
    p[k] = 0.5 * size[k] * (c < 2 ? -1 : 1) * side;
    f.point[c] = sup_v3_load(p);
  }
  return f;
}

static sup_feature cylinder_feature(double radius, double length, sup_v3 d) {
  double      r = hypot(d.x, d.y), z = copysign(0.5 * length, d.z);
  sup_v3      out = r > 0 ? sup_v3_make(d.x / r, d.y / r, 0) : sup_v3_make(1, 0, 0);
  sup_feature f = {.num_points = 2};
  if (fabs(d.z) < r) {
    for (int k = 0; k < 2; k++)
      f.point[k] = sup_v3_make(radius * out.x, radius * out.y, (k - 0.5) * length);
    return f;
  }
  f.num_points = CAP_POINTS, f.is_round = 1;
  f.normal = sup_v3_make(0, 0, copysign(1, d.z));
  for (int k = 0; k < CAP_POINTS; k++) {
    double angle = copysign(2 * 3.14159265358979323846 / CAP_POINTS, d.z) * k, c = cos(angle),
           s = sin(angle);
    f.point[k] = sup_v3_make(radius * (c * out.x - s * out.y), radius * (s * out.x + c * out.y), z);
  }
  return f;
}

/** Order points about their mean, counter-clockwise about the normal, from the first one on. */
static void sort_around(sup_feature *f) {
  sup_v3 middle = {0, 0, 0};
  double angle[SUP_FEATURE_MAX_POINTS];
  for (int i = 0; i < f->num_points; i++)
    middle = sup_v3_madd(middle, 1.0 / f->num_points, f->point[i]);
  sup_v3 x = sup_v3_unit(sup_v3_sub(f->point[0], middle)), y = sup_v3_cross(f->normal, x);
  for (int i = 0; i < f->num_points; i++) {
    sup_v3 p = sup_v3_sub(f->point[i], middle), at = f->point[i];
    double a = i == 0 ? 0 : atan2(sup_v3_dot(y, p), sup_v3_dot(x, p));
    if (a < 0) a += 2 * 3.14159265358979323846;
    int k = i;
    for (; k > 0 && angle[k - 1] > a; k--) angle[k] = angle[k - 1], f->point[k] = f->point[k - 1];
    angle[k] = a, f->point[k] = at;
  }
}

/** Replace a polygon with too many corners for a feature by an inscribed polygon: the corners
 * farthest out in as many directions. */
static void outermost(const sup_hull *hull, double height, sup_feature *f) {
  sup_v3 x = sup_v3_unit(sup_v3_sub(f->point[1], f->point[0])), y = sup_v3_cross(f->normal, x);
  int    chosen[SUP_FEATURE_MAX_POINTS] = {0}, count = 0;
  for (int k = 0; k < SUP_FEATURE_MAX_POINTS; k++) {
    double angle = 2 * 3.14159265358979323846 / SUP_FEATURE_MAX_POINTS * k, most = -HUGE_VAL;
    sup_v3 out = sup_v3_add(sup_v3_scale(cos(angle), x), sup_v3_scale(sin(angle), y));
    int    best = SUP_NONE, is_new = 1;
    for (int i = 0; i < hull->num_points; i++) {
      sup_v3 p = sup_hull_point(hull, i);
      double h = sup_v3_dot(out, p);
      if (sup_v3_dot(f->normal, p) > height && h > most) most = h, best = i;
    }
    for (int i = 0; i < count; i++) is_new = is_new && chosen[i] != best;
    if (is_new) chosen[count++] = best;
  }
  for (int i = 0; i < count; i++) f->point[i] = sup_hull_point(hull, chosen[i]);
  f->num_points = count, f->is_round = 1;
}

/** Polygon of the triangles in the plane of the triangle facing most along d, with a tolerance for
 * single-precision noise. */
static sup_feature hull_face(const sup_hull *hull, sup_v3 d) {
  sup_feature f = {0};
  double      most = -2, size = 0;
  int         best = 0, count = 0;
  for (int t = 0; t < hull->num_triangles; t++) {
    double c = sup_v3_dot(d, sup_hull_normal(hull, t));
    if (c > most + 1e-12) most = c, best = t;
  }
  f.normal = sup_hull_normal(hull, best);
  for (int i = 0; i < hull->num_points; i++)
    size = sup_max(size, sup_v3_norm(sup_hull_point(hull, i)));
  double height = sup_v3_dot(f.normal, sup_hull_corner(hull, best, 0)) - 1e-6 * size;
  for (int i = 0; i < hull->num_points; i++) {
    if (!(sup_v3_dot(f.normal, sup_hull_point(hull, i)) > height)) continue;
    if (count++ < SUP_FEATURE_MAX_POINTS) f.point[f.num_points++] = sup_hull_point(hull, i);
  }
  if (count > SUP_FEATURE_MAX_POINTS) outermost(hull, height, &f);
  sort_around(&f);
  return f;
}

sup_feature sup_feature_along(const sup_posed_shape *body, sup_v3 direction) {
  const sup_shape *shape = body->shape;
  sup_v3           d = sup_m3_apply_t(body->X.R, direction);
  sup_feature      f = {0};
  if (shape->type == SUP_SHAPE_BOX) f = box_face(shape->size, d);
  if (shape->type == SUP_SHAPE_CYLINDER) f = cylinder_feature(shape->size[0], shape->size[1], d);
  if (shape->type == SUP_SHAPE_CONVEX) f = hull_face(shape->hull, d);
  if (shape->type == SUP_SHAPE_CAPSULE) {
    f.num_points = 2;
    for (int k = 0; k < 2; k++) f.point[k] = sup_v3_make(0, 0, (k - 0.5) * shape->size[1]);
  }
  for (int k = 0; k < f.num_points; k++) f.point[k] = sup_frame_apply(&body->X, f.point[k]);
  f.normal = sup_m3_apply(body->X.R, f.normal);
  return f;
}
