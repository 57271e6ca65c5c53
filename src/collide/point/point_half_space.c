#include <math.h>

#include "collide/point/point_parts.h"
#include "mesh/hull.h"

enum { DIRECTIONS = 7, MAX_CANDIDATES = 1 + 2 * DIRECTIONS };

/** Lowest points of a shape over a plane; the lowest point is included. */
typedef struct candidates {
  int    count, feature[MAX_CANDIDATES]; /* number of each point; hulls: corner */
  sup_v3 p[MAX_CANDIDATES];
} candidates;

static void add(candidates *c, sup_v3 p) {
  if (c->count < MAX_CANDIDATES) c->feature[c->count] = c->count, c->p[c->count++] = p;
}

static void add_corner(candidates *c, const sup_posed_shape *b, int corner) {
  add(c, sup_frame_apply(&b->X, sup_hull_point(b->shape->hull, corner)));
  c->feature[c->count - 1] = corner;
}

/** The lowest points of both rims.  If a cap faces down more than the mantle, three more points of
 * its rim in quarter turns: four points have force and moments of a plane pressure, from any start.
 * A lying cylinder gets no such points: they would be on its front and back at the height of its
 * axis, and a rolling cylinder comes down on other points. */
static void cylinder_points(const sup_posed_shape *b, sup_v3 down, candidates *c) {
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

/** Corner of a hull farthest along d in the frame X, among corners no higher than `top`; or
 * SUP_NONE. */
static int farthest_corner(const sup_posed_shape *b, const sup_frame *X, sup_v3 d, double top) {
  const sup_hull *hull = b->shape->hull;
  double          most = -HUGE_VAL;
  int             best = SUP_NONE;
  for (int i = 0; i < hull->num_points; i++) {
    sup_v3 p = sup_frame_apply_inverse(X, sup_frame_apply(&b->X, sup_hull_point(hull, i)));
    double value = sup_v3_dot(d, p);
    if (p.z <= top && value > most) most = value, best = i;
  }
  return best;
}

/** Insert a number into an ascending list, unless the list has it or it is SUP_NONE. */
static int insert_new(int *chosen, int count, int i) {
  int at = count;
  if (i == SUP_NONE) return count;
  for (int k = 0; k < count; k++)
    if (chosen[k] == i) return count;
  for (; at > 0 && chosen[at - 1] > i; at--) chosen[at] = chosen[at - 1];
  chosen[at] = i;
  return count + 1;
}

/** Corners of a hull within reach, in the hull's order.  Returns their number; counting stops above
 * `most`.
 */
static int corners_within(const sup_posed_shape *b, const sup_frame *X, double reach, int most,
                          int *chosen) {
  const sup_hull *hull = b->shape->hull;
  int             count = 0;
  for (int i = 0; i < hull->num_points && count <= most; i++) {
    sup_v3 p = sup_frame_apply_inverse(X, sup_frame_apply(&b->X, sup_hull_point(hull, i)));
    if (p.z > reach) continue;
    if (count < most) chosen[count] = i;
    count++;
  }
  return count;
}

/** Candidates among a hull's corners, in the hull's order: the lowest corner; all corners within
 * reach if there is room for them, since a selection depends on the axes and, by the reach, on
 * speeds; otherwise, in seven directions of the plane, the corners farthest out
 * and down, among those below the plane and among those within reach.  Higher corners within reach
 * of a faster body do not replace acting corners. */
static void hull_points(const sup_posed_shape *b, const sup_frame *X, double reach, candidates *c) {
  int chosen[MAX_CANDIDATES], count = corners_within(b, X, reach, MAX_CANDIDATES, chosen);
  if (count > MAX_CANDIDATES) count = 0;
  int is_chosen = count > 0;
  count = insert_new(chosen, count, farthest_corner(b, X, (sup_v3){0, 0, -1}, HUGE_VAL));
  for (int k = 0; k < DIRECTIONS && !is_chosen; k++) {
    double angle = 2 * 3.14159265358979323846 / DIRECTIONS * k;
    sup_v3 out = {cos(angle), sin(angle), -1};
    count = insert_new(chosen, count, farthest_corner(b, X, out, 0));
    count = insert_new(chosen, count, farthest_corner(b, X, out, reach));
  }
  for (int k = 0; k < count; k++) add_corner(c, b, chosen[k]);
}

static void lowest_points(const sup_posed_shape *b, const sup_frame *X, double reach,
                          candidates *c) {
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
    case SUP_SHAPE_BOX: /* the face with the most downward normal contains the lowest corner */
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

/** Compute the gaps of the candidates and move the points to the surface of b; returns the least
 * gap. */
static double measure(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 up, candidates *c,
                      double phi[MAX_CANDIDATES]) {
  double rounding = sup_rounding(b->shape), least = HUGE_VAL;
  for (int k = 0; k < c->count; k++) {
    c->p[k] = sup_v3_madd(c->p[k], -rounding, up);
    phi[k] = sup_v3_dot(up, sup_v3_sub(c->p[k], a->X.p));
    least = sup_min(least, phi[k]);
  }
  return least;
}

/** The middle of the lowest points. */
static void add_middle(const candidates *c, const double phi[MAX_CANDIDATES], double least,
                       double size, sup_point_set *out) {
  sup_v3 middle = {0, 0, 0};
  int    count = 0;
  for (int k = 0; k < c->count; k++)
    if (phi[k] <= least + 1e-9 * (fabs(least) + size))
      middle = sup_v3_add(middle, c->p[k]), count++;
  middle = sup_v3_scale(1.0 / count, middle);
  sup_point_add(out, sup_v3_madd(middle, -least, out->normal), middle, least, SUP_POINT_MIDDLE);
}

/** Candidates of given features; for a hull, its corners. */
static void candidates_of(const sup_posed_shape *a, const sup_posed_shape *b,
                          const sup_point_query *query, candidates *c) {
  int is_hull = b->shape->type == SUP_SHAPE_CONVEX || b->shape->type == SUP_SHAPE_MESH;
  c->count = 0;
  if (!is_hull || query->feature[0] == SUP_POINT_MIDDLE) /* none is within reach */
    lowest_points(b, &a->X, -HUGE_VAL, c);
  else
    for (int i = 0; i < query->count; i++) add_corner(c, b, query->feature[i]);
}

void sup_point_half_space(const sup_posed_shape *a, const sup_posed_shape *b,
                          const sup_point_query *query, sup_point_set *out) {
  candidates c;
  double     phi[MAX_CANDIDATES], size = sup_point_size(a, b);
  out->normal = sup_m3_column(&a->X.R, 2);
  if (query->feature)
    candidates_of(a, b, query, &c);
  else
    lowest_points(b, &a->X, query->reach + sup_rounding(b->shape), &c);
  double least = measure(a, b, out->normal, &c, phi);
  if (!(least <= query->margin)) return;
  for (int i = 0; i < query->count && query->feature[i] != SUP_POINT_MIDDLE; i++) {
    int at = 0;
    for (int k = 0; k < c.count; k++)
      if (c.feature[k] == query->feature[i]) at = k;
    sup_point_add(out, sup_v3_madd(c.p[at], -phi[at], out->normal), c.p[at], phi[at],
                  c.feature[at]);
  }
  for (int k = 0; k < c.count && !query->feature; k++)
    if (phi[k] <= query->reach)
      sup_point_add(out, sup_v3_madd(c.p[k], -phi[k], out->normal), c.p[k], phi[k], c.feature[k]);
  if (out->count == 0) add_middle(&c, phi, least, size, out); /* apart */
}
