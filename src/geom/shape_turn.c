/* Second derivatives of the signed depth of shapes. */
#include <math.h>

#include "geom/shape.h"
#include "geom/triangle.h"
#include "mesh/hull.h"

/** Part of d across the unit vector n. */
static sup_v3 across(sup_v3 d, sup_v3 n) { return sup_v3_madd(d, -sup_v3_dot(d, n), n); }

/** Outside of a box: distance from an edge or a corner in the axes where p is outside. */
static sup_v3 box_turn(const double *size, sup_v3 p, sup_v3 g, double depth, sup_v3 d) {
  if (!(depth > 0)) return sup_v3_make(0, 0, 0);
  d = sup_v3_make(fabs(p.x) > 0.5 * size[0] ? d.x : 0, fabs(p.y) > 0.5 * size[1] ? d.y : 0,
                  fabs(p.z) > 0.5 * size[2] ? d.z : 0);
  return sup_v3_scale(1 / depth, across(d, g));
}

/** Beside the mantle, over an end, or outside of the rim, whose circle turns as the mantle does. */
static sup_v3 cylinder_turn(double radius, double length, sup_v3 p, sup_v3 g, sup_v3 d) {
  double r = hypot(p.x, p.y), a = r - radius, b = fabs(p.z) - 0.5 * length;
  sup_v3 out = {p.x / r, p.y / r, 0}, round = {-out.y, out.x, 0};
  if (a > 0 && b > 0) {
    sup_v3 in_plane = across(sup_v3_madd(d, -sup_v3_dot(d, round), round), g);
    double turn = sup_v3_dot(g, out) / r * sup_v3_dot(d, round);
    return sup_v3_madd(sup_v3_scale(turn, round), 1 / hypot(a, b), in_plane);
  }
  return a >= b ? sup_v3_scale(sup_v3_dot(d, round) / r, round) : sup_v3_make(0, 0, 0);
}

static sup_v3 capsule_turn(double length, sup_v3 p, sup_v3 g, sup_v3 d) {
  double beyond = fabs(p.z) - 0.5 * length, r = hypot(p.x, p.y);
  if (!(beyond > 0)) return sup_v3_scale(1 / r, across(sup_v3_make(d.x, d.y, 0), g));
  return sup_v3_scale(1 / hypot(r, beyond), across(d, g));
}

/** p = x + phi n, n = D x/|D x| at the foot x: dn = W dx, so that dn = (1 + phi W)^-1 W dp. */
static sup_v3 ellipsoid_turn(const double *e, sup_v3 p, sup_v3 n, double phi, sup_v3 d) {
  sup_v3 x = sup_v3_madd(p, -phi, n);
  sup_v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, column[3];
  sup_v3 dx = {x.x / (e[0] * e[0]), x.y / (e[1] * e[1]), x.z / (e[2] * e[2])};
  double scale = 1 / sup_v3_norm(dx);
  for (int i = 0; i < 3; i++) {
    sup_v3 t = across(axis[i], n);
    t = sup_v3_make(t.x / (e[0] * e[0]), t.y / (e[1] * e[1]), t.z / (e[2] * e[2]));
    column[i] = sup_v3_scale(scale, across(t, n));
  }
  sup_m3 W = sup_m3_columns(column[0], column[1], column[2]);
  sup_m3 inverse = sup_m3_inverse(sup_m3_add(sup_m3_identity(), sup_m3_scale(phi, W)));
  return sup_m3_apply(inverse, sup_m3_apply(W, d));
}

static int is_same(sup_v3 a, sup_v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** Over a face none; outside of an edge or a corner as of a cylinder or a ball about it. */
static sup_v3 convex_turn(const sup_hull *hull, sup_v3 p, sup_v3 g, sup_v3 d) {
  double outside = HUGE_VAL, least = HUGE_VAL;
  sup_v3 nearest = {0, 0, 0}, corner[3] = {{0, 0, 0}}, along = {0, 0, 0};
  for (int t = 0; t < hull->num_triangles; t++) {
    sup_v3 at[3], normal = sup_hull_normal(hull, t);
    for (int c = 0; c < 3; c++) at[c] = sup_hull_corner(hull, t, c);
    if (is_same(normal, g)) return sup_v3_make(0, 0, 0);
    if (sup_v3_dot(normal, sup_v3_sub(p, at[0])) <= 0) continue;
    sup_v3 q = sup_triangle_nearest(at[0], at[1], at[2], p);
    double distance = sup_v3_norm(sup_v3_sub(p, q));
    if (!(distance < outside)) continue;
    outside = distance, nearest = q;
    for (int c = 0; c < 3; c++) corner[c] = at[c];
  }
  d = sup_v3_scale(1 / outside, across(d, g));
  for (int c = 0; c < 3; c++) {
    if (is_same(nearest, corner[c])) return d;
    sup_v3 side = sup_v3_unit(sup_v3_sub(corner[(c + 1) % 3], corner[c]));
    double off = sup_v3_norm(across(sup_v3_sub(nearest, corner[c]), side));
    if (off < least) least = off, along = side;
  }
  return across(d, along);
}

sup_v3 sup_shape_turn(const sup_shape *shape, sup_v3 p, sup_v3 d) {
  const double *s = shape->size;
  sup_v3        g;
  double        depth = sup_shape_depth(shape, p, &g);
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      return box_turn(s, p, g, depth, d);
    case SUP_SHAPE_CYLINDER:
      return cylinder_turn(s[0], s[1], p, g, d);
    case SUP_SHAPE_SPHERE:
      return sup_v3_scale(1 / (depth + s[0]), across(d, g));
    case SUP_SHAPE_CAPSULE:
      return capsule_turn(s[1], p, g, d);
    case SUP_SHAPE_ELLIPSOID:
      return ellipsoid_turn(s, p, g, depth, d);
    case SUP_SHAPE_CONVEX:
      return convex_turn(shape->hull, p, g, d);
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_MESH: /* offers no depth */
      break;
  }
  return sup_v3_make(0, 0, 0);
}
