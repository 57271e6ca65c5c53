#include "geom/shape.h"

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
  }
  *gradient = sup_v3_make(0, 0, 0);
  return HUGE_VAL;
}

/** Half extents of the box about the shape in its own axes. */
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
  }
  return sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
}

void sup_shape_bounds(const sup_shape *shape, const sup_frame *X, double margin, sup_v3 *lower, sup_v3 *upper) {
  sup_v3 h = half_extents(shape), e = h;
  if (shape->type != SUP_SHAPE_HALF_SPACE) {
    double r[3];
    for (int i = 0; i < 3; i++)
      r[i] = fabs(X->R.m[i][0]) * h.x + fabs(X->R.m[i][1]) * h.y + fabs(X->R.m[i][2]) * h.z + margin;
    e = sup_v3_load(r);
  }
  *lower = sup_v3_sub(X->p, e);
  *upper = sup_v3_add(X->p, e);
}

double sup_shape_radius(const sup_shape *shape) {
  switch (shape->type) {
    case SUP_SHAPE_SPHERE:
      return shape->size[0];
    case SUP_SHAPE_CAPSULE:
      return 0.5 * shape->size[1] + shape->size[0];
    case SUP_SHAPE_CYLINDER:
      return hypot(shape->size[0], 0.5 * shape->size[1]);
    default:
      return sup_v3_norm(half_extents(shape));
  }
}
