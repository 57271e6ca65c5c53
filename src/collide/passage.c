#include "collide/passage.h"

#include "geom/gjk.h"
#include "geom/shape.h"

/** Distance after a displacement `shift` of b; 0: overlap. */
static double gap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 shift) {
  double size = sup_shape_radius(a->shape) + sup_shape_radius(b->shape);
  double rounding = sup_rounding(a->shape) + sup_rounding(b->shape);
  return sup_max(0, sup_gjk_distance(a, b, shift, size).distance - rounding);
}

/* Least distance of convex shapes over the shift, found by golden sections since the distance is a
 * convex function of the shift.  The distance changes by no more than the shift, so most pairs stay
 * apart at once. */
int sup_meets_shape(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 travel,
                    double slack) {
  enum { SECTIONS = 24 };
  const double golden = 0.6180339887498949;
  double       low = 0, high = 1, s = 1 - golden, t = golden;
  double       at_start = gap(a, b, sup_v3_make(0, 0, 0)), at_end = gap(a, b, travel);
  if (at_start <= slack || at_end <= slack) return 1;
  if (at_start + at_end - sup_v3_norm(travel) > 2 * slack) return 0;
  double at_s = gap(a, b, sup_v3_scale(s, travel)), at_t = gap(a, b, sup_v3_scale(t, travel));
  for (int i = 0; i < SECTIONS; i++) {
    if (at_s <= slack || at_t <= slack) return 1;
    if (at_s < at_t) {
      high = t, t = s, at_t = at_s, s = high - golden * (high - low);
      at_s = gap(a, b, sup_v3_scale(s, travel));
    } else {
      low = s, s = t, at_s = at_t, t = low + golden * (high - low);
      at_t = gap(a, b, sup_v3_scale(t, travel));
    }
  }
  return 0;
}

int sup_passes_shape(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 travel) {
  sup_v3 before = sup_v3_sub(b->X.p, a->X.p), after = sup_v3_add(before, travel), none = {0, 0, 0};
  if (!sup_meets_shape(a, b, travel, 0)) return 0;
  return (gap(a, b, none) > 0 && gap(a, b, travel) > 0) ||
         (sup_v3_dot(before, travel) <= 0 && sup_v3_dot(after, travel) > 0);
}

/** 1: a point that moves straight from p to q enters a shape.  Steps are as long as the distance,
 * so that no step jumps over the shape. */
static int enters(const sup_shape *shape, sup_v3 p, sup_v3 q) {
  enum { MAX_STEPS = 64 };
  sup_v3 way = sup_v3_sub(q, p), gradient;
  double length = sup_v3_norm(way), gone = 0, skin = 1e-6 * length;
  for (int i = 0; i < MAX_STEPS && gone < length; i++) {
    double depth = sup_shape_depth(shape, sup_v3_madd(p, gone / length, way), &gradient);
    if (depth < skin) return 1;
    gone += depth;
  }
  return 0;
}

static int any_enters(const sup_moving_surface *a, const sup_moving_shape *b, double dt,
                      int and_leaves) {
  sup_v3 gradient;
  for (int t = 0; t < a->surface->num_triangles; t++)
    for (int k = 0; k < 3; k++) {
      sup_v3 x = sup_surface_corner(a->surface, a->points, t, k),
             v = sup_surface_corner(a->surface, a->xdot, t, k);
      sup_v3 by = sup_v3_add(b->v, sup_v3_cross(b->w, sup_v3_sub(x, b->X_WL.p)));
      sup_v3 p = sup_frame_apply_inverse(&b->X_WG, x);
      sup_v3 q = sup_frame_apply_inverse(&b->X_WG, sup_v3_madd(x, dt, sup_v3_sub(v, by)));
      if (and_leaves && !(sup_shape_depth(b->shape, q, &gradient) > 0)) continue;
      if (sup_shape_depth(b->shape, p, &gradient) > 0 && enters(b->shape, p, q)) return 1;
    }
  return 0;
}

int sup_meets_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt) {
  return any_enters(a, b, dt, 0);
}

int sup_passes_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt) {
  return any_enters(a, b, dt, 1);
}
