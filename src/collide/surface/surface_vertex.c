#include "collide/surface/surface_vertex.h"

#include <math.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "collide/surface/search_parts.h"

double sup_surface_vertex_offered(const sup_box *box, int num_faces) {
  double square = 0;
  for (int f = 0; f < num_faces; f++) {
    sup_v3 d = sup_v3_sub(box[f].upper, box[f].lower);
    square = sup_max(square, sup_v3_dot(d, d));
  }
  return sup_surface_numerics.offered * sqrt(square);
}

/** Set a point's sums to zero. */
static void begin(sup_surface_point *point) {
  point->area = point->seen = point->sagitta = point->slope = 0;
  point->lean = sup_v3_make(0, 0, 0), point->leant = 0;
}

static double depth_between(const sup_moving_shape *b, const sup_surface_point *p,
                            const sup_surface_point *q) {
  sup_v3 middle = sup_v3_scale(0.5, sup_v3_add(p->at, q->at)), unused;
  return sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, middle), &unused);
}

/** Mean phi of a side's ends less phi in its middle [m]. */
static double side_sagitta(const sup_moving_shape *b, const sup_surface_point *p,
                           const sup_surface_point *q) {
  return 0.5 * (p->phi + q->phi) - depth_between(b, p, q);
}

/** Integral of psi_a (I phi - phi) over the integral of N_a for the three vertices of a triangle,
 * with psi_a = 4 N_a - 1 and quadratic phi: 0.6 of the sagittas of the vertex's own sides, -0.2 of
 * the sagitta of the opposite side. */
static void triangle_sagitta(const sup_moving_shape *b, sup_surface_point *const point[],
                             double out[]) {
  double s[3];
  for (int k = 0; k < 3; k++) s[k] = side_sagitta(b, point[k], point[(k + 1) % 3]);
  for (int k = 0; k < 3; k++) out[k] = 0.6 * (s[k] + s[(k + 2) % 3]) - 0.2 * s[(k + 1) % 3];
}

/** Sagitta of a quad, psi_a products of 3 N - 1 and phi quadratic along each direction: weights
 * 2/3, 2/3, -1/3 of its own end, the middle and the other end of each.  The last point is the
 * centre.
 */
static void quad_sagitta(const sup_moving_shape *b, sup_surface_point *const point[],
                         double out[]) {
  double middle[4], centre = point[4]->phi;
  for (int k = 0; k < 4; k++) middle[k] = depth_between(b, point[k], point[(k + 1) % 4]);
  for (int k = 0; k < 4; k++) {
    int    next = (k + 1) % 4, over = (k + 2) % 4, last = (k + 3) % 4;
    double mean = 4 * (point[k]->phi + middle[k] + middle[last] + centre) -
                  2 * (point[next]->phi + point[last]->phi + middle[next] + middle[over]) +
                  point[over]->phi;
    out[k] = point[k]->phi - mean / 9;
  }
}

void sup_surface_face_sagitta(const sup_moving_shape *b, sup_face_points point, int n,
                              double out[SUP_FACE_MAX_VERTICES]) {
  n == 3 ? triangle_sagitta(b, point, out) : quad_sagitta(b, point, out);
}

/** Parts of a quadratic face; the last part has no corner. */
enum { PARTS = 4 };

/** Add the normal of part f of a quadratic face to its corner (faces 4 k to 4 k + 2 are at corners,
 * mesh/surface.h). */
static void lean(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS]) {
  int k = f % PARTS;
  if (k == PARTS - 1) return;
  sup_v3 normal = sup_v3_unit(
      sup_v3_cross(sup_v3_sub(point[1]->at, point[0]->at), sup_v3_sub(point[2]->at, point[0]->at)));
  double seen = -sup_v3_dot(normal, point[k]->gradient);
  if (!(seen > 0)) return;
  point[k]->lean = sup_v3_madd(point[k]->lean, seen, normal), point[k]->leant += seen;
}

/** Move the area at the corner of part f of a quadratic face to the middles of its two sides,
 * except for a share given by the corner's sharpness.
 *  @param[in,out] share  [3] area vectors of the part's points [m^2] */
static void pass_on(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                    sup_v3 share[SUP_FACE_MAX_VERTICES]) {
  int k = f % PARTS;
  if (k == PARTS - 1) return;
  double turned = point[k]->leant > 0 ? 1 - sup_v3_norm(point[k]->lean) / point[k]->leant : 0;
  double kept = sup_min(1, sup_surface_numerics.sharp * turned);
  for (int i = 1; i < 3; i++)
    share[(k + i) % 3] = sup_v3_madd(share[(k + i) % 3], 0.5 * (1 - kept), share[k]);
  share[k] = sup_v3_scale(kept, share[k]);
}

/** Add to the points of a face their shares: the area facing the shape, and the sagitta of this
 * area.
 *  @param[in] share [vertices] area vector of each vertex's part of the face, world [m^2]
 *  @param[in] follow from 0 to 1: how far the face follows the shape
 *  @param[in] slope  C of the layer [Pa/m] */
static void add_to_points(const sup_moving_surface *a, const sup_moving_shape *b,
                          sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                          const sup_v3 share[SUP_FACE_MAX_VERTICES], double follow, double slope) {
  int    n = a->surface->vertices_per_face;
  double sagitta[SUP_FACE_MAX_VERTICES] = {0};
  if (follow > 0) sup_surface_face_sagitta(b, point, n, sagitta);
  for (int k = 0; k < n; k++) {
    double area = sup_v3_norm(share[k]), seen = -sup_v3_dot(share[k], point[k]->gradient);
    if (!(seen >= sup_surface_numerics.facing * area)) continue;
    point[k]->area += area, point[k]->seen += seen;
    point[k]->sagitta += follow * seen * sagitta[k], point[k]->slope += seen * slope;
  }
}

double sup_surface_share_face(const sup_surface_search *s, int i, sup_face_points point,
                              sup_v3 share[SUP_FACE_MAX_VERTICES]) {
  const sup_surface *surface = s->a->surface;
  int    n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface), corner[3];
  double slope = 0, left = 1 - s->workspace->polygons[i];
  int    f = s->workspace->face[i];
  for (int k = 0; k < n; k++) share[k] = sup_v3_make(0, 0, 0);
  for (int part = 0; part < parts; part++) {
    int           t = f * parts + part;
    const double *weight = sup_surface_weights(surface, t);
    sup_surface_part(surface, part, corner);
    sup_corner_data state = sup_surface_corner_data(point, corner);
    slope += s->a->slope[t] / parts;
    double own = left / 6;
    sup_v3 twice = sup_corner_cross(&state);
    for (int k = 0; k < n; k++)
      for (int c = 0; c < 3; c++)
        share[k] = sup_v3_madd(share[k], own * weight[c * SUP_FACE_MAX_VERTICES + k], twice);
  }
  return slope;
}

/** Add the shares of face i to its vertices, as far as the face follows the shape. */
static void share_face(const sup_surface_search *s, int i) {
  const sup_surface *surface = s->a->surface;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  sup_v3             share[SUP_FACE_MAX_VERTICES];
  sup_surface_known_points(s, i, point);
  double slope = sup_surface_share_face(s, i, point, share);
  double follow = surface->is_quadratic ? 0 : 1 - s->workspace->polygons[i];
  if (surface->is_quadratic) pass_on(s->workspace->face[i], point, share);
  add_to_points(s->a, s->b, point, share, follow, slope);
}

/** Add the normals of a quadratic face to its corners, to measure the sharpness of corners. */
static void lean_face(const sup_surface_search *s, int i) {
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  sup_surface_known_points(s, i, point);
  lean(s->workspace->face[i], point);
}

void sup_surface_sum_vertices(const sup_surface_search *s, int count) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  for (int i = 0; i < n * count; i++)
    begin(sup_surface_point_of(s, surface->face[n * s->workspace->face[i / n] + i % n]));
  for (int i = 0; i < count && surface->is_quadratic; i++) lean_face(s, i);
  for (int i = 0; i < count; i++) share_face(s, i);
}

/** Gap of the surface about a vertex less that at the vertex [m]. */
static double sagitta_of(const sup_surface_point *point) {
  return point->seen > 0 ? point->sagitta / point->seen : 0;
}

void sup_surface_measure_vertex(const sup_surface_search *s, int i, sup_contact *out) {
  const sup_surface_point *point = sup_surface_point_of(s, i);
  double                   seen = point->seen;
  *out = *s->prototype;
  out->item_a = s->a->surface->num_triangles + i, out->item_b = SUP_NONE;
  out->num_points = 1;
  out->area = point->area;
  out->facing = seen > 0 ? seen / point->area : 0;
  out->centroid = out->point[0] = point->at;
  out->normal = sup_v3_scale(-1, point->gradient);
  out->phi = point->phi - sagitta_of(point), out->penetration = -out->phi;
  if (!(out->slope > 0)) out->slope = seen > 0 ? point->slope / seen : 0;
  out->level[0] = -out->slope * out->phi;
  out->carrier_a = (sup_carrier){.num_vertices = 1, .vertex = {i}, .weight = {1}};
}

sup_status sup_surface_add_vertex(const sup_surface_search *s, int i) {
  sup_contact_list  *list = s->list;
  sup_surface_point *point = sup_surface_point_of(s, i);
  if (!(point->seen > 0)) return SUP_OK;
  int acts = sup_min(point->level, point->last) - sagitta_of(point) <
             s->drop + sup_surface_numerics.near * sqrt(point->seen);
  if (acts) {
    SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
    sup_surface_measure_vertex(s, i, &list->contact[list->count++]);
    SUP_TRY(sup_origins_add(&list->origins, SUP_ORIGIN_VERTEX, i, SUP_NONE, 0));
  }
  point->seen = 0; /* the face has its contact, or needs none */
  return SUP_OK;
}
