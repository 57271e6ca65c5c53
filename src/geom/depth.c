#include "geom/depth.h"

#include <math.h>

#include "geom/gjk.h"
#include "geom/numerics.h"
#include "geom/triangle.h"
#include "mesh/hull.h"

/* ---- points in a closed surface -------------------------------------------------------------- */

/** Nearest point of a surface found so far. */
typedef struct nearest {
  double distance;
  sup_v3 at;
  int    triangle;
} nearest;

static void look_at_face(const sup_solid *s, int f, sup_v3 p, nearest *best, long *evaluations) {
  int parts = sup_surface_triangles_per_face(s->surface);
  for (int t = f * parts; t < (f + 1) * parts; t++) {
    sup_v3 q = sup_triangle_nearest(sup_surface_corner(s->surface, s->points, t, 0),
                                    sup_surface_corner(s->surface, s->points, t, 1),
                                    sup_surface_corner(s->surface, s->points, t, 2), p);
    double d = sup_v3_norm(sup_v3_sub(p, q));
    ++*evaluations;
    if (d < best->distance) *best = (nearest){d, q, t};
  }
}

static void descend(const sup_solid *s, int index, sup_v3 p, nearest *best, long *evaluations) {
  const sup_bvh_node *node = &s->node[index];
  if (node->left < 0) {
    look_at_face(s, -1 - node->left, p, best, evaluations);
    return;
  }
  double left = sup_box_distance(&s->node[node->left].box, p),
         right = sup_box_distance(&s->node[node->right].box, p);
  int first = left <= right ? node->left : node->right,
      second = left <= right ? node->right : node->left;
  ++*evaluations;
  if (sup_min(left, right) < best->distance) descend(s, first, p, best, evaluations);
  if (sup_max(left, right) < best->distance) descend(s, second, p, best, evaluations);
}

/** Solid angle of a triangle, positive seen from behind. */
static double solid_angle(sup_v3 a, sup_v3 b, sup_v3 c) {
  double la = sup_v3_norm(a), lb = sup_v3_norm(b), lc = sup_v3_norm(c);
  double below =
      la * lb * lc + sup_v3_dot(a, b) * lc + sup_v3_dot(b, c) * la + sup_v3_dot(c, a) * lb;
  return 2 * atan2(sup_v3_dot(a, sup_v3_cross(b, c)), below);
}

static bool is_wound_about(const sup_solid *s, sup_v3 p, long *evaluations) {
  static const double full_angle = 4 * 3.14159265358979323846;
  double              sum = 0;
  for (int t = 0; t < s->surface->num_triangles; t++) {
    sup_v3 corner[3];
    for (int k = 0; k < 3; k++)
      corner[k] = sup_v3_sub(sup_surface_corner(s->surface, s->points, t, k), p);
    sum += solid_angle(corner[0], corner[1], corner[2]);
  }
  *evaluations += s->surface->num_triangles;
  return sum > 0.5 * full_angle;
}

/** 1: p is inside.  If the nearest point is within a face, the side of its normal decides; at edges
 * and corners the winding number decides. */
static bool is_inside(const sup_solid *s, sup_v3 p, const nearest *n, long *evaluations) {
  sup_v3 corner[3], away = sup_v3_sub(n->at, p);
  for (int k = 0; k < 3; k++) corner[k] = sup_surface_corner(s->surface, s->points, n->triangle, k);
  sup_v3 normal =
      sup_v3_unit(sup_v3_cross(sup_v3_sub(corner[1], corner[0]), sup_v3_sub(corner[2], corner[0])));
  double along = sup_v3_dot(normal, away);
  if (sup_v3_norm(sup_v3_madd(away, -along, normal)) > sup_geom_numerics.aside * n->distance)
    return is_wound_about(s, p, evaluations);
  for (int k = 0; k < 3;
       k++) { /* on an edge of a flat face the normal decides, on others the winding */
    sup_v3 edge = sup_v3_sub(corner[(k + 1) % 3], corner[k]), inward = sup_v3_cross(normal, edge);
    if (sup_v3_dot(inward, sup_v3_sub(n->at, corner[k])) <
        sup_geom_numerics.aside * sup_v3_dot(edge, edge))
      return is_wound_about(s, p, evaluations);
  }
  return along > 0;
}

double sup_solid_depth(const sup_solid *s, sup_v3 p, double least, long *evaluations) {
  nearest best = {HUGE_VAL, {0, 0, 0}, 0};
  if (sup_box_distance(&s->node[0].box, p) > 0) return 0;
  descend(s, 0, p, &best, evaluations);
  return best.distance > least && is_inside(s, p, &best, evaluations) ? best.distance : 0;
}

/* ---- triangles in a convex shape ------------------------------------------------------------- */

typedef struct cut {
  const sup_shape *shape;
  double           best, tolerance;
  sup_v3           at;   /* of the best, once one was found */
  long             left; /* remaining number of depth evaluations */
} cut;

/** A triangle with phi at its corners. */
typedef struct facet {
  sup_v3 corner[3], gradient[3];
  double phi[3];
} facet;

static double look(cut *c, sup_v3 p, sup_v3 *gradient) {
  double phi = sup_shape_depth(c->shape, p, gradient);
  c->left--;
  if (-phi > c->best) c->best = -phi, c->at = p;
  return phi;
}

/** Best lower bound on min phi from the supporting planes at corners and centre.
 */
static double lower_bound(const facet *f, sup_v3 centre, double phi, sup_v3 gradient) {
  double best = -HUGE_VAL;
  for (int k = 0; k < 4; k++) {
    sup_v3 at = k < 3 ? f->corner[k] : centre, g = k < 3 ? f->gradient[k] : gradient;
    double least = HUGE_VAL;
    for (int v = 0; v < 3; v++)
      least =
          sup_min(least, (k < 3 ? f->phi[k] : phi) + sup_v3_dot(g, sup_v3_sub(f->corner[v], at)));
    best = sup_max(best, least);
  }
  return best;
}

static void look_into(cut *c, const facet *f, int level) {
  enum { MOST_LEVELS = 24 };
  sup_v3 sum = sup_v3_add(f->corner[0], sup_v3_add(f->corner[1], f->corner[2])),
         centre = sup_v3_scale(1. / 3, sum), g;
  double phi = look(c, centre, &g);
  if (-lower_bound(f, centre, phi, g) <= c->best + c->tolerance || level >= MOST_LEVELS ||
      c->left <= 0)
    return;
  facet middle, part;
  for (int k = 0; k < 3; k++) {
    middle.corner[k] = sup_v3_scale(0.5, sup_v3_add(f->corner[k], f->corner[(k + 1) % 3]));
    middle.phi[k] = look(c, middle.corner[k], &middle.gradient[k]);
  }
  look_into(c, &middle, level + 1);
  for (int k = 0; k < 3; k++) {
    int i = (k + 2) % 3;
    part.corner[0] = f->corner[k], part.phi[0] = f->phi[k], part.gradient[0] = f->gradient[k];
    part.corner[1] = middle.corner[k], part.phi[1] = middle.phi[k],
    part.gradient[1] = middle.gradient[k];
    part.corner[2] = middle.corner[i], part.phi[2] = middle.phi[i],
    part.gradient[2] = middle.gradient[i];
    look_into(c, &part, level + 1);
  }
}

double sup_triangle_depth(const sup_shape *shape, const sup_v3 corner[3], double least,
                          double tolerance, long *evaluations) {
  enum { MOST_LOOKS = 4000 };
  cut   c = {shape, least, tolerance, {0, 0, 0}, MOST_LOOKS};
  facet f;
  for (int k = 0; k < 3; k++)
    f.corner[k] = corner[k], f.phi[k] = look(&c, corner[k], &f.gradient[k]);
  look_into(&c, &f, 0);
  *evaluations += MOST_LOOKS - c.left;
  return c.best;
}

/** The corner that is deepest. */
static sup_v3 deepest_corner(const sup_shape *shape, const sup_v3 corner[3], double *phi) {
  sup_v3 gradient;
  int    best = 0;
  for (int k = 0; k < 3; k++) {
    double own = sup_shape_depth(shape, corner[k], &gradient);
    if (k == 0 || own < *phi) *phi = own, best = k;
  }
  return corner[best];
}

sup_v3 sup_triangle_nearest_shape(const sup_shape *shape, const sup_v3 corner[3], double *phi) {
  enum { MOST_LOOKS = 4000 };
  double point[9];
  sup_v3 best = deepest_corner(shape, corner, phi), gradient;
  if (shape->type == SUP_SHAPE_HALF_SPACE) return best;
  for (int k = 0; k < 3; k++) sup_v3_store(point + 3 * k, corner[k]);
  sup_hull        hull = {.num_points = 3, .point = point};
  sup_shape       triangle = {.type = SUP_SHAPE_CONVEX, .hull = &hull};
  sup_posed_shape a = {&triangle, sup_frame_identity()}, b = {shape, sup_frame_identity()};
  double          size = sup_v3_norm(sup_v3_sub(corner[1], corner[0]));
  sup_gjk         near = sup_gjk_distance(&a, &b, (sup_v3){0, 0, 0}, size);
  if (near.distance > 0) {
    double own = sup_shape_depth(shape, near.a, &gradient);
    if (own < *phi) *phi = own, best = near.a;
    return best;
  }
  cut   c = {shape, -*phi, 0, best, MOST_LOOKS};
  facet f;
  for (int k = 0; k < 3; k++)
    f.corner[k] = corner[k], f.phi[k] = look(&c, corner[k], &f.gradient[k]);
  c.tolerance = sup_geom_numerics.depth * size;
  look_into(&c, &f, 0);
  *phi = -c.best;
  return c.at;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static sup_v3 mean_corner(const sup_hull *hull) {
  sup_v3 sum = {0, 0, 0};
  for (int i = 0; i < hull->num_points; i++) sum = sup_v3_add(sum, sup_hull_point(hull, i));
  return sup_v3_scale(1.0 / hull->num_points, sum);
}

double sup_shape_middle(const sup_shape *shape, sup_v3 *middle) {
  *middle = sup_v3_make(0, 0, 0);
  if (shape->type == SUP_SHAPE_HALF_SPACE || shape->type == SUP_SHAPE_MESH) return 0;
  if (shape->type == SUP_SHAPE_CONVEX) *middle = mean_corner(shape->hull);
  return -sup_shape_depth(shape, *middle, &(sup_v3){0});
}
