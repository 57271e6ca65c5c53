#include "collide/surface_depth.h"

#include <math.h>
#include <string.h>

/** Faces seen edge-on or from behind carry no load: pressure acts on the area that b sees, so that the force of a
 *  tilted or curved surface is that of the displaced volume. */
static const double min_facing = 0.01;
static const double min_area = 1e-14; /* [m^2] */

static sup_v3 rigid_velocity(sup_v3 v, sup_v3 w, sup_v3 origin, sup_v3 p) {
  return sup_v3_add(v, sup_v3_cross(w, sup_v3_sub(p, origin)));
}

/** One surface against one shape. */
typedef struct search {
  sup_contact_list         *list;
  const sup_contact        *prototype;
  const sup_moving_surface *a;
  const sup_moving_shape   *b;
  const sup_surface_look   *look;
  const sup_surface_room   *room;
  double                    drop;
} search;

/** Point x in the frame of a's points, with the velocity va when a is soft. */
static sup_surface_point point_state(const search *s, sup_v3 x, sup_v3 va) {
  const sup_moving_surface *a = s->a;
  const sup_moving_shape   *b = s->b;
  sup_v3                    p = sup_frame_apply(&a->X_WS, x), vb = rigid_velocity(b->v, b->w, b->X_WL.p, p), gradient;
  if (!a->xdot) va = rigid_velocity(a->v, a->w, a->X_WS.p, p);
  double phi = sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, p), &gradient);
  gradient = sup_m3_apply(b->X_WG.R, gradient);
  return (sup_surface_point){p, phi, phi + s->look->dt * sup_v3_dot(gradient, sup_v3_sub(va, vb))};
}

/** A point of the surface belongs to several faces: looked at once. */
static const sup_surface_point *point_of(const search *s, int i) {
  const sup_moving_surface *a = s->a;
  sup_surface_point        *point = &s->room->point[i];
  if (!s->room->known[i]) {
    sup_v3 none = {0, 0, 0};
    *point = point_state(s, sup_v3_load(a->points + 3 * i), a->xdot ? sup_v3_load(a->xdot + 3 * i) : none);
    s->room->known[i] = 1;
  }
  return point;
}

static sup_surface_point centre_of(const search *s, int f) {
  const sup_moving_surface *a = s->a;
  sup_v3                    none = {0, 0, 0};
  return point_state(s, sup_surface_centre(a->surface, a->points, f),
                     a->xdot ? sup_surface_centre(a->surface, a->xdot, f) : none);
}

/** A triangle with what the clip needs at its corners. */
typedef struct triangle {
  sup_v3 corner[3];
  double phi[3], phi_end[3];
} triangle;

/** The part that is inside now or will be at the end of the step, seen `drop` ahead. */
static void clip(const triangle *t, double drop, sup_clipped *part) {
  double level[3];
  for (int c = 0; c < 3; c++) level[c] = sup_min(t->phi[c], t->phi_end[c]) - drop;
  sup_clip_triangle(level, part);
}

static sup_v3 combine(const sup_v3 corner[3], const double weight[3]) {
  sup_v3 p = sup_v3_scale(weight[0], corner[0]);
  return sup_v3_madd(sup_v3_madd(p, weight[1], corner[1]), weight[2], corner[2]);
}

/** Mean square over the part of a linear function less its value at the centroid, given at the triangle's corners. */
static double spread(const sup_clipped *part, const double f[3]) {
  double value[SUP_CLIP_MAX_POINTS], moment = 0, area = 0;
  for (int i = 0; i < part->num_points; i++) {
    value[i] = 0;
    for (int c = 0; c < 3; c++) value[i] += (part->weight[i][c] - part->centroid[c]) * f[c];
  }
  for (int i = 1; i + 1 < part->num_points; i++) { /* a fan of triangles; areas in barycentric coordinates */
    const double *o = part->weight[0], *p = part->weight[i], *q = part->weight[i + 1];
    double        a = value[0], b = value[i], c = value[i + 1];
    double        piece = (p[1] - o[1]) * (q[2] - o[2]) - (p[2] - o[2]) * (q[1] - o[1]);
    moment += piece * (a * a + b * b + c * c + a * b + b * c + c * a) / 6;
    area += piece;
  }
  return area > 0 ? moment / area : 0;
}

static sup_status add_piece(const search *s, int t, const triangle *state, const sup_clipped *part) {
  const sup_moving_surface *a = s->a;
  const sup_moving_shape   *b = s->b;
  sup_contact_list         *list = s->list;
  sup_v3                    cross =
      sup_v3_cross(sup_v3_sub(state->corner[1], state->corner[0]), sup_v3_sub(state->corner[2], state->corner[0]));
  double area = 0.5 * sup_v3_norm(cross) * part->fraction;
  if (area < min_area) return SUP_OK;
  sup_contact contact = *s->prototype;
  contact.item_a = t, contact.item_b = SUP_NONE;
  contact.area = area;
  contact.centroid = combine(state->corner, part->centroid);
  contact.phi =
      part->centroid[0] * state->phi[0] + part->centroid[1] * state->phi[1] + part->centroid[2] * state->phi[2];
  contact.penetration = -contact.phi;
  sup_v3 gradient;
  sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, contact.centroid), &gradient);
  contact.normal = sup_v3_scale(-1, sup_m3_apply(b->X_WG.R, gradient));
  contact.facing = sup_v3_dot(sup_v3_unit(cross), contact.normal);
  if (contact.facing < min_facing) return SUP_OK;
  contact.spread = spread(part, state->phi);
  contact.num_points = part->num_points;
  if (a->xdot) {
    sup_surface_carry(a->surface, t, part->centroid, contact.carrier_a.vertex, contact.carrier_a.weight);
    contact.carrier_a.num_vertices = a->surface->vertices_per_face;
  }
  if (!(contact.slope > 0)) contact.slope = a->slope[t];
  for (int i = 0; i < part->num_points; i++) {
    const double *w = part->weight[i];
    contact.point[i] = combine(state->corner, w);
    contact.level[i] = -contact.slope * (w[0] * state->phi[0] + w[1] * state->phi[1] + w[2] * state->phi[2]);
  }
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  list->contact[list->count++] = contact;
  return SUP_OK;
}

/** The kite at corner k of the triangle (0, i, i + 1) of a part, a third of its area, with the point of degree 2 of the
 *  triangle's quadrature in the place of its centroid. */
static void cut_kite(const sup_clipped *part, int i, int k, sup_clipped *kite) {
  const double *at[3] = {part->weight[0], part->weight[i], part->weight[i + 1]};
  const double *o = at[k], *p = at[(k + 1) % 3], *q = at[(k + 2) % 3];
  kite->num_points = 4;
  for (int c = 0; c < 3; c++) {
    kite->weight[0][c] = o[c];
    kite->weight[1][c] = (o[c] + p[c]) / 2;
    kite->weight[2][c] = (o[c] + p[c] + q[c]) / 3;
    kite->weight[3][c] = (o[c] + q[c]) / 2;
    kite->centroid[c] = (4 * o[c] + p[c] + q[c]) / 6;
  }
  kite->fraction = fabs((p[1] - o[1]) * (q[2] - o[2]) - (p[2] - o[2]) * (q[1] - o[1])) / 3;
}

static sup_status add_contacts(const search *s, int t, const triangle *state) {
  sup_clipped part, kite;
  clip(state, s->drop, &part);
  if (part.num_points == 0) return SUP_OK;
  if (!s->look->kites) return add_piece(s, t, state, &part);
  for (int i = 1; i + 1 < part.num_points; i++)
    for (int k = 0; k < 3; k++) {
      cut_kite(&part, i, k, &kite);
      SUP_TRY(add_piece(s, t, state, &kite));
    }
  return SUP_OK;
}

static sup_status visit_face(const search *s, int f) {
  const sup_surface       *surface = s->a->surface;
  int                      n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface);
  const sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  sup_surface_point        centre;
  for (int k = 0; k < n; k++) point[k] = point_of(s, surface->face[n * f + k]);
  if (parts > 1) centre = centre_of(s, f), point[n] = &centre;
  for (int part = 0; part < parts; part++) {
    int      corner[3];
    triangle t;
    sup_surface_part(surface, part, corner);
    for (int c = 0; c < 3; c++) {
      const sup_surface_point *p = point[corner[c]];
      t.corner[c] = p->at, t.phi[c] = p->phi, t.phi_end[c] = p->phi_end;
    }
    SUP_TRY(add_contacts(s, f * parts + part, &t));
  }
  return SUP_OK;
}

/** Faces of a near b, seen from a's frame. */
static int find_candidates(const sup_moving_surface *a, const sup_moving_shape *b, double margin, int *face) {
  sup_frame X_SG = {sup_m3_mul(sup_m3_transpose(a->X_WS.R), b->X_WG.R), sup_frame_apply_inverse(&a->X_WS, b->X_WG.p)};
  if (b->shape->type == SUP_SHAPE_HALF_SPACE) {
    sup_v3 normal = sup_m3_column(&X_SG.R, 2);
    return sup_bvh_query_half_space(a->node, normal, sup_v3_dot(normal, X_SG.p) + margin, face);
  }
  sup_box box;
  sup_shape_bounds(b->shape, &X_SG, margin, &box.lower, &box.upper);
  return sup_bvh_query(a->node, &box, face);
}

sup_status sup_collide_surface_depth(sup_contact_list *list, const sup_contact *prototype, const sup_moving_surface *a,
                                     const sup_moving_shape *b, const sup_surface_look *look,
                                     const sup_surface_room *room) {
  search s = {list, prototype, a, b, look, room, 0};
  double radius = sup_shape_radius(b->shape), spin = sup_v3_norm(b->w),
         arm = sup_v3_norm(sup_v3_sub(b->X_WG.p, b->X_WL.p));
  double speed_b =
      sup_v3_norm(b->v) + (spin > 0 ? spin * (radius + arm) : 0); /* a turning half space reaches everywhere */
  double margin = look->everything ? HUGE_VAL : look->dt * (a->speed + speed_b) + look->drop;
  int    count = find_candidates(a, b, margin, room->face), before = list->count;
  if (count == 0) return SUP_OK;
  memset(room->known, 0, (size_t)a->surface->num_points);
  for (int i = 0; i < count; i++) SUP_TRY(visit_face(&s, room->face[i]));
  if (list->count > before) return SUP_OK;
  s.drop = look->drop;
  for (int i = 0; i < count; i++) SUP_TRY(visit_face(&s, room->face[i]));
  return SUP_OK;
}
