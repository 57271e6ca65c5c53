#include "collide/surface/surface_vertex.h"

#include <math.h>

#include "base/memory.h"

/** Faces seen edge-on or from behind carry no load. */
static const double min_facing = 0.01;
/** Largest gap of a vertex contact, as a share of the vertex's width.  The law is silent before its
 * vertex is inside: more contacts than act do no harm.  Layers overlap by nanometres, and a
 * solution may open them by as much. */
static const double near = 0.1;

double sup_surface_vertex_offered(const sup_box *box, int num_faces) {
  static const double share = 0.25; /* near, and the sagitta is less than an eighth */
  double              square = 0;
  for (int f = 0; f < num_faces; f++) {
    sup_v3 d = sup_v3_sub(box[f].upper, box[f].lower);
    square = sup_max(square, sup_v3_dot(d, d));
  }
  return share * sqrt(square);
}

void sup_surface_vertex_begin(sup_surface_point *point) {
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

/** int psi_a (I phi - phi) over int N_a for the three vertices of a triangle, psi_a = 4 N_a - 1 and
 * phi quadratic: .6 of the sagitta of its own sides and -.2 of that of the opposite side. */
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

/** Parts of a quadratic face, of which the last has no corner. */
enum { PARTS = 4 };

void sup_surface_vertex_lean(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS]) {
  int k = f % PARTS;
  if (k == PARTS - 1) return;
  sup_v3 normal = sup_v3_unit(
      sup_v3_cross(sup_v3_sub(point[1]->at, point[0]->at), sup_v3_sub(point[2]->at, point[0]->at)));
  double seen = -sup_v3_dot(normal, point[k]->gradient);
  if (!(seen > 0)) return;
  point[k]->lean = sup_v3_madd(point[k]->lean, seen, normal), point[k]->leant += seen;
}

void sup_surface_vertex_pass_on(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                                sup_v3 share[SUP_FACE_MAX_VERTICES]) {
  static const double sharp = 4; /* all of it where two faces that are seen alike are normal */
  int                 k = f % PARTS;
  if (k == PARTS - 1) return;
  double turned = point[k]->leant > 0 ? 1 - sup_v3_norm(point[k]->lean) / point[k]->leant : 0;
  double kept = sup_min(1, sharp * turned);
  for (int i = 1; i < 3; i++)
    share[(k + i) % 3] = sup_v3_madd(share[(k + i) % 3], 0.5 * (1 - kept), share[k]);
  share[k] = sup_v3_scale(kept, share[k]);
}

void sup_surface_vertex_add(const sup_moving_surface *a, const sup_moving_shape *b,
                            sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                            const sup_v3 share[SUP_FACE_MAX_VERTICES], double follow,
                            double slope) {
  int    n = a->surface->vertices_per_face;
  double sagitta[SUP_FACE_MAX_VERTICES] = {0};
  if (follow > 0) n == 3 ? triangle_sagitta(b, point, sagitta) : quad_sagitta(b, point, sagitta);
  for (int k = 0; k < n; k++) {
    double area = sup_v3_norm(share[k]), seen = -sup_v3_dot(share[k], point[k]->gradient);
    if (!(seen >= min_facing * area)) continue;
    point[k]->area += area, point[k]->seen += seen;
    point[k]->sagitta += follow * seen * sagitta[k], point[k]->slope += seen * slope;
  }
}

sup_status sup_surface_vertex_contact(sup_contact_list *list, const sup_contact *prototype,
                                      const sup_moving_surface *a, int i, sup_surface_point *point,
                                      double drop) {
  if (!(point->seen > 0)) return SUP_OK;
  double sagitta = point->sagitta / point->seen, seen = point->seen;
  point->seen = 0; /* it has its contact, or needs none */
  if (!(sup_min(point->level, point->last) - sagitta < drop + near * sqrt(seen))) return SUP_OK;
  sup_contact contact = *prototype;
  contact.item_a = a->surface->num_triangles + i, contact.item_b = SUP_NONE;
  contact.num_points = 1;
  contact.area = point->area;
  contact.facing = seen / point->area;
  contact.centroid = contact.point[0] = point->at;
  contact.normal = sup_v3_scale(-1, point->gradient);
  contact.phi = point->phi - sagitta, contact.penetration = -contact.phi;
  if (!(contact.slope > 0)) contact.slope = point->slope / seen;
  contact.level[0] = -contact.slope * contact.phi;
  contact.carrier_a = (sup_carrier){.num_vertices = 1, .vertex = {i}, .weight = {1}};
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  list->contact[list->count++] = contact;
  return SUP_OK;
}
