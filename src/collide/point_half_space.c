#include <string.h>

#include "collide/point_parts.h"
#include "mesh/hull.h"

enum { MAX_CANDIDATES = 8 };

/** Lowest points of a shape over a plane, the lowest of all among them. */
typedef struct candidates {
  int    count;
  sup_v3 p[MAX_CANDIDATES];
} candidates;

static void add(candidates *c, sup_v3 p) {
  if (c->count < MAX_CANDIDATES) c->p[c->count++] = p;
}

/** The lowest points of both rims.  Where a cap looks down more than the mantle, three more of its rim in quarter
 * turns: of a plane pressure four points have the force and the moments, wherever they begin.  Those of a lying
 * cylinder would be on its front and back, at the height of its axis: a rolling one comes down on other points. */
static void cylinder_points(const sup_placed *b, sup_v3 down, candidates *c) {
  double radius = b->shape->size[0], half = 0.5 * b->shape->size[1];
  sup_v3 d = sup_m3_apply_t(b->X.R, down);
  double r = hypot(d.x, d.y), z = copysign(half, d.z);
  sup_v3 out = r > 0 ? sup_v3_make(d.x / r, d.y / r, 0) : sup_v3_make(1, 0, 0);
  add(c, sup_v3_make(radius * out.x, radius * out.y, -z));
  for (int k = 0; k < (fabs(d.z) > r ? 4 : 1); k++) {
    add(c, sup_v3_make(radius * out.x, radius * out.y, z));
    out = sup_v3_make(-out.y, out.x, 0);
  }
  for (int k = 0; k < c->count; k++) c->p[k] = sup_frame_apply(&b->X, c->p[k]);
}

/** Of a hull's corners, the lowest and those within reach that lie farthest out in seven directions of the plane. */
static void hull_points(const sup_placed *b, const sup_frame *X, double reach, candidates *c) {
  int chosen[MAX_CANDIDATES] = {0}, count = 0;
  for (int k = 0; k < MAX_CANDIDATES; k++) {
    double angle = 2 * 3.14159265358979323846 / (MAX_CANDIDATES - 1) * k, most = -HUGE_VAL;
    int    best = SUP_NONE;
    for (int i = 0; i < b->shape->hull->num_points; i++) {
      sup_v3 p = sup_frame_apply_inverse(X, sup_frame_apply(&b->X, sup_hull_point(b->shape->hull, i)));
      double value = k == 0 ? -p.z : cos(angle) * p.x + sin(angle) * p.y;
      if ((k == 0 || p.z <= reach) && value > most) most = value, best = i;
    }
    int is_new = best != SUP_NONE;
    for (int i = 0; i < count; i++) is_new = is_new && chosen[i] != best;
    if (is_new) chosen[count++] = best;
  }
  for (int k = 1; k < count; k++) /* in the hull's order */
    for (int i = k; i > 0 && chosen[i - 1] > chosen[i]; i--) {
      int swap = chosen[i];
      chosen[i] = chosen[i - 1], chosen[i - 1] = swap;
    }
  for (int k = 0; k < count; k++) add(c, sup_frame_apply(&b->X, sup_hull_point(b->shape->hull, chosen[k])));
}

static void lowest_points(const sup_placed *b, const sup_frame *X, double reach, candidates *c) {
  sup_v3      down = sup_v3_scale(-1, sup_m3_column(&X->R, 2));
  sup_feature f;
  c->count = 0;
  switch (b->shape->type) {
    case SUP_SHAPE_CAPSULE:
      if (fabs(sup_v3_dot(sup_m3_column(&b->X.R, 2), down)) > SUP_POINT_FLAT_LINE) {
        add(c, sup_support(b, down));
        break;
      }
      f = sup_feature_along(b, down);
      for (int k = 0; k < f.num_points; k++) add(c, f.point[k]);
      break;
    case SUP_SHAPE_BOX: /* the face that looks down most holds the lowest corner */
      f = sup_feature_along(b, down);
      for (int k = 0; k < f.num_points; k++) add(c, f.point[k]);
      break;
    case SUP_SHAPE_CYLINDER:
      cylinder_points(b, down, c);
      break;
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      hull_points(b, X, reach, c);
      break;
    case SUP_SHAPE_SPHERE:
    case SUP_SHAPE_ELLIPSOID:
      add(c, sup_support(b, down));
      break;
    case SUP_SHAPE_HALF_SPACE:
      break;
  }
}

void sup_point_half_space(const sup_placed *a, const sup_placed *b, double margin, double reach, sup_point_set *out) {
  candidates c;
  double     rounding = sup_rounding(b->shape), least = HUGE_VAL, phi[MAX_CANDIDATES];
  out->normal = sup_m3_column(&a->X.R, 2);
  lowest_points(b, &a->X, reach + rounding, &c);
  for (int k = 0; k < c.count; k++) {
    c.p[k] = sup_v3_madd(c.p[k], -rounding, out->normal);
    phi[k] = sup_v3_dot(out->normal, sup_v3_sub(c.p[k], a->X.p));
    least = sup_min(least, phi[k]);
  }
  if (!(least <= margin)) return;
  for (int k = 0; k < c.count; k++)
    if (phi[k] <= reach) sup_point_add(out, sup_v3_madd(c.p[k], -phi[k], out->normal), c.p[k], phi[k]);
  if (out->count > 0) return;
  sup_v3 middle = {0, 0, 0}; /* apart: the middle of what is lowest */
  int    count = 0;
  for (int k = 0; k < c.count; k++)
    if (phi[k] <= least + 1e-9 * (fabs(least) + sup_point_size(a, b))) middle = sup_v3_add(middle, c.p[k]), count++;
  middle = sup_v3_scale(1.0 / count, middle);
  sup_point_add(out, sup_v3_madd(middle, -least, out->normal), middle, least);
}
