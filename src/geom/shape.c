#include "geom/shape.h"

#include "geom/numerics.h"
#include "geom/triangle.h"
#include "mesh/hull.h"

const char *sup_shape_name(sup_shape_type type) {
  switch (type) {
    case SUP_SHAPE_HALF_SPACE:
      return "half_space";
    case SUP_SHAPE_BOX:
      return "box";
    case SUP_SHAPE_CYLINDER:
      return "cylinder";
    case SUP_SHAPE_SPHERE:
      return "sphere";
    case SUP_SHAPE_CAPSULE:
      return "capsule";
    case SUP_SHAPE_ELLIPSOID:
      return "ellipsoid";
    case SUP_SHAPE_CONVEX:
      return "convex";
    case SUP_SHAPE_MESH:
      return "mesh";
  }
  return "?";
}

/** Distance to a point in space or in a plane: |d|, direction d/|d|, +x when they coincide. */
static double radial(sup_v3 d, sup_v3 *direction) {
  double r = sup_v3_norm(d);
  *direction = r > 0 ? sup_v3_scale(1 / r, d) : sup_v3_make(1, 0, 0);
  return r;
}

static double box_depth(const double *size, sup_v3 p, sup_v3 *gradient) {
  const double c[3] = {p.x, p.y, p.z};
  double       outside[3], inside = -HUGE_VAL;
  int          face = 0, is_outside = 0;
  for (int i = 0; i < 3; i++) {
    double q = fabs(c[i]) - 0.5 * size[i];
    outside[i] = q > 0 ? copysign(q, c[i]) : 0;
    if (q > 0) is_outside = 1;
    if (q > inside) inside = q, face = i;
  }
  if (is_outside) return radial(sup_v3_load(outside), gradient);
  double g[3] = {0, 0, 0};
  g[face] = c[face] > 0 ? 1 : -1;
  *gradient = sup_v3_load(g);
  return inside;
}

static double cylinder_depth(double radius, double length, sup_v3 p, sup_v3 *gradient) {
  sup_v3 out, axis = {0, 0, p.z > 0 ? 1 : -1};
  double a = radial(sup_v3_make(p.x, p.y, 0), &out) - radius, b = fabs(p.z) - 0.5 * length;
  if (a > 0 && b > 0) return radial(sup_v3_madd(sup_v3_scale(a, out), b, axis), gradient);
  *gradient = a >= b ? out : axis;
  return a >= b ? a : b;
}

static double capsule_depth(double radius, double length, sup_v3 p, sup_v3 *gradient) {
  double z = fmin(fmax(p.z, -0.5 * length), 0.5 * length);
  return radial(sup_v3_make(p.x, p.y, p.z - z), gradient) - radius;
}

/** Nearest point x_i = e_i^2 p_i / (t + e_i^2), t the largest root of sum (e_i p_i / (t + e_i^2))^2
 * = 1.  The sum is convex and falls, so Newton's method from its left climbs to the root.  s = t +
 * e_min^2 keeps digits near the pole.
 */
static double ellipsoid_depth(const double *e, sup_v3 point, sup_v3 *gradient) {
  const double p[3] = {point.x, point.y, point.z};
  int          m = e[0] <= e[1] && e[0] <= e[2] ? 0 : e[1] <= e[2] ? 1 : 2;
  double       s = 0, gap[3], x[3], rest = 1;
  for (int i = 0; i < 3; i++) {
    gap[i] = (e[i] - e[m]) * (e[i] + e[m]);
    s = sup_max(s, e[i] * fabs(p[i]) - gap[i]);
  }
  for (int k = 0; k < 100; k++) {
    double f = -1, slope = 0;
    for (int i = 0; i < 3; i++) {
      if (!(s + gap[i] > 0)) continue; /* the pole itself: p_i is zero there */
      double r = e[i] * p[i] / (s + gap[i]);
      f += r * r;
      slope += 2 * r * r / (s + gap[i]);
    }
    double step = slope > 0 && f > 0 ? f / slope : 0;
    s += step;
    if (!(step > 1e-16 * s)) break;
  }
  for (int i = 0; i < 3; i++) {
    x[i] = s + gap[i] > 0 ? e[i] * e[i] * p[i] / (s + gap[i]) : 0;
    if (i != m) rest -= x[i] * x[i] / (e[i] * e[i]);
  }
  if (!(s > 0))
    x[m] =
        e[m] * sqrt(sup_max(
                   rest, 0)); /* in the plane across the short axis: both sides are equally near */
  *gradient =
      sup_v3_unit(sup_v3_make(x[0] / (e[0] * e[0]), x[1] / (e[1] * e[1]), x[2] / (e[2] * e[2])));
  return sup_v3_dot(*gradient, sup_v3_sub(point, sup_v3_load(x)));
}

/** Inside: the nearest plane.  Outside: the nearest point of the faces that p sees. */
static double convex_depth(const sup_hull *hull, sup_v3 p, sup_v3 *gradient) {
  double inside = -HUGE_VAL, outside = HUGE_VAL;
  sup_v3 nearest = {0, 0, 0};
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 a = sup_hull_corner(hull, t, 0), b = sup_hull_corner(hull, t, 1),
           c = sup_hull_corner(hull, t, 2);
    sup_v3 normal = sup_hull_normal(hull, t);
    double height = sup_v3_dot(normal, sup_v3_sub(p, a));
    if (height > inside) {
      inside = height;
      *gradient = normal;
    }
    if (height <= 0) continue;
    sup_v3 q = sup_triangle_nearest(a, b, c, p);
    double distance = sup_v3_norm(sup_v3_sub(p, q));
    if (distance < outside) outside = distance, nearest = q;
  }
  sup_v3 along = sup_v3_sub(p, nearest);
  sup_v3 aside = sup_v3_madd(along, -sup_v3_dot(along, *gradient), *gradient);
  if (inside <= 0 || outside <= inside ||
      sup_v3_norm(aside) <= sup_geom_numerics.above_face * (sup_v3_norm(p) + sup_v3_norm(nearest)))
    return inside; /* above a face: its own normal has no round-off */
  return radial(along, gradient);
}

double sup_shape_depth(const sup_shape *shape, sup_v3 p, sup_v3 *gradient) {
  const double *s = shape->size;
  switch (shape->type) {
    case SUP_SHAPE_HALF_SPACE:
      *gradient = sup_v3_make(0, 0, 1);
      return p.z;
    case SUP_SHAPE_BOX:
      return box_depth(s, p, gradient);
    case SUP_SHAPE_CYLINDER:
      return cylinder_depth(s[0], s[1], p, gradient);
    case SUP_SHAPE_SPHERE:
      return radial(p, gradient) - s[0];
    case SUP_SHAPE_CAPSULE:
      return capsule_depth(s[0], s[1], p, gradient);
    case SUP_SHAPE_ELLIPSOID:
      return ellipsoid_depth(s, p, gradient);
    case SUP_SHAPE_CONVEX:
      return convex_depth(shape->hull, p, gradient);
    case SUP_SHAPE_MESH: /* has no depth; pairs never ask for it */
      break;
  }
  *gradient = sup_v3_make(0, 0, 0);
  return HUGE_VAL;
}

/** Half extents of the box about the shape in its own axes, centred. */
static sup_v3 half_extents(const sup_shape *shape) {
  const double *s = shape->size;
  switch (shape->type) {
    case SUP_SHAPE_HALF_SPACE:
      break;
    case SUP_SHAPE_BOX:
      return sup_v3_make(0.5 * s[0], 0.5 * s[1], 0.5 * s[2]);
    case SUP_SHAPE_CYLINDER:
      return sup_v3_make(s[0], s[0], 0.5 * s[1]);
    case SUP_SHAPE_SPHERE:
      return sup_v3_make(s[0], s[0], s[0]);
    case SUP_SHAPE_CAPSULE:
      return sup_v3_make(s[0], s[0], 0.5 * s[1] + s[0]);
    case SUP_SHAPE_ELLIPSOID:
      return sup_v3_load(s);
    case SUP_SHAPE_CONVEX: /* not centred */
    case SUP_SHAPE_MESH:
      break;
  }
  return sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
}

static void hull_bounds(const sup_hull *hull, const sup_frame *X, double margin, sup_v3 *lower,
                        sup_v3 *upper) {
  *lower = sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), *upper = sup_v3_scale(-1, *lower);
  for (int i = 0; i < hull->num_points; i++) {
    sup_v3 p = sup_frame_apply(X, sup_hull_point(hull, i));
    *lower = sup_v3_make(sup_min(lower->x, p.x), sup_min(lower->y, p.y), sup_min(lower->z, p.z));
    *upper = sup_v3_make(sup_max(upper->x, p.x), sup_max(upper->y, p.y), sup_max(upper->z, p.z));
  }
  sup_v3 grow = {margin, margin, margin};
  *lower = sup_v3_sub(*lower, grow);
  *upper = sup_v3_add(*upper, grow);
}

void sup_shape_bounds(const sup_shape *shape, const sup_frame *X, double margin, sup_v3 *lower,
                      sup_v3 *upper) {
  if (shape->hull) {
    hull_bounds(shape->hull, X, margin, lower, upper);
    return;
  }
  sup_v3 h = half_extents(shape), e = h;
  if (shape->type != SUP_SHAPE_HALF_SPACE) {
    double r[3];
    for (int i = 0; i < 3; i++)
      r[i] =
          fabs(X->R.m[i][0]) * h.x + fabs(X->R.m[i][1]) * h.y + fabs(X->R.m[i][2]) * h.z + margin;
    e = sup_v3_load(r);
  }
  *lower = sup_v3_sub(X->p, e);
  *upper = sup_v3_add(X->p, e);
}

bool sup_shape_is_round(const sup_shape *s) {
  return s->type == SUP_SHAPE_SPHERE || s->type == SUP_SHAPE_CAPSULE ||
         s->type == SUP_SHAPE_CYLINDER || s->type == SUP_SHAPE_ELLIPSOID;
}

int sup_shape_axis(const sup_shape *s) {
  const double *r = s->size;
  if (s->type == SUP_SHAPE_SPHERE) return SUP_SHAPE_ALL_AXES;
  if (s->type == SUP_SHAPE_CAPSULE || s->type == SUP_SHAPE_CYLINDER) return 2;
  if (s->type != SUP_SHAPE_ELLIPSOID) return SUP_SHAPE_NO_AXIS;
  if (r[0] == r[1] && r[1] == r[2]) return SUP_SHAPE_ALL_AXES;
  return r[0] == r[1] ? 2 : r[1] == r[2] ? 0 : r[0] == r[2] ? 1 : SUP_SHAPE_NO_AXIS;
}

bool sup_shape_is_point(const sup_shape *shape) {
  return shape->type == SUP_SHAPE_SPHERE && shape->size[0] == 0;
}

double sup_shape_radius(const sup_shape *shape) {
  switch (shape->type) {
    case SUP_SHAPE_SPHERE:
      return shape->size[0];
    case SUP_SHAPE_CAPSULE:
      return 0.5 * shape->size[1] + shape->size[0];
    case SUP_SHAPE_CYLINDER:
      return hypot(shape->size[0], 0.5 * shape->size[1]);
    case SUP_SHAPE_ELLIPSOID:
      return sup_max(shape->size[0], sup_max(shape->size[1], shape->size[2]));
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH: {
      double radius = 0;
      for (int i = 0; i < shape->hull->num_points; i++)
        radius = sup_max(radius, sup_v3_norm(sup_hull_point(shape->hull, i)));
      return radius;
    }
    default:
      return sup_v3_norm(half_extents(shape));
  }
}
