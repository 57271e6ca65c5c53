#include "collide/surface/surface_depth.h"

#include <math.h>
#include <string.h>

#include "collide/surface/facet.h"
#include "collide/surface/surface_vertex.h"

/** Faces seen edge-on or from behind carry no load: pressure acts on the area that b sees, so that
 * the force of a tilted or curved surface is that of the displaced volume. */
static const double min_facing = 0.01;
/** A smaller share of a triangle is round-off. */
static const double min_fraction = 1e-9;
/** A facet that follows the shape holds its neighbours until it is farther outside than that share
 * of its face's side, ever less.  Where they let go at once when it leaves by nanometres, their
 * pieces push it out, and the next iteration lets it back. */
static const double touching = 0.01;

/** One surface against one shape. */
typedef struct search {
  sup_contact_list            *list;
  const sup_contact           *prototype;
  const sup_moving_surface    *a;
  const sup_moving_shape      *b;
  const sup_surface_look      *look;
  const sup_surface_workspace *workspace;
  double drop, margin;  /* farther away than the margin nothing acts within the step [m] */
  double followed;      /* deepest corner of soft facets that follow the shape [m] */
  int    bends;         /* a facet does not follow the shape */
  int    holds;         /* one of them is inside with all its corners */
  double volume;        /* overlap by the corners, with contacts at vertices [m^3] */
  int num_near, is_far; /* faces within the margin come first; a face beyond it is looked at by its
                           corners only */
} search;

static int is_turned(const search *s) { return s->look->elapsed > 0 && !s->a->xdot; }

/** Depth of a point before the links were turned. */
static double depth_before(const search *s, sup_v3 x) {
  const sup_frame *stood = s->look->stood;
  sup_v3           gradient;
  return sup_shape_depth(
      s->b->shape, sup_frame_apply_inverse(&stood[1], sup_frame_apply(&stood[0], x)), &gradient);
}

/** Point x in the frame of a's points; of a soft surface the mean of `count` of them. */
static sup_surface_point point_state(const search *s, sup_v3 x, const int *vertex, int count) {
  const sup_surface_look *look = s->look;
  sup_v3                  p = sup_frame_apply(&s->a->X_WS, x), gradient;
  double phi = sup_shape_depth(s->b->shape, sup_frame_apply_inverse(&s->b->X_WG, p), &gradient);
  gradient = sup_m3_apply(s->b->X_WG.R, gradient);
  sup_surface_point out = {.at = p, .phi = phi, .level = phi, .last = phi, .gradient = gradient};
  double            at_start = phi;
  out.stood = phi;
  for (int k = 0; k < look->num_motions; k++) {
    const sup_surface_motion *m = &look->motion[k];
    sup_v3                    va = {0, 0, 0};
    for (int i = 0; m->xdot && i < count; i++)
      va = sup_v3_madd(va, 1. / count, sup_v3_load(m->xdot + 3 * vertex[i]));
    sup_v3 u = sup_surface_past(s->a, s->b, m, p, va);
    if (k == 0) at_start -= look->elapsed * sup_v3_dot(gradient, u);
    if (k == 0 && is_turned(s)) {
      out.stood = look->stood ? depth_before(s, x) : at_start;
      out.level = out.last = out.stood;
      continue;
    }
    out.level = sup_min(out.level, out.last);
    out.last = sup_surface_level(look, at_start, gradient, u);
  }
  return out;
}

/** Data of a surface point, computed once for all its faces. */
static sup_surface_point *point_of(const search *s, int i) {
  const sup_moving_surface *a = s->a;
  sup_surface_point        *point = &s->workspace->point[i];
  if (!s->workspace->known[i]) {
    *point = point_state(s, sup_v3_load(a->points + 3 * i), &i, 1);
    s->workspace->known[i] = 1;
  }
  return point;
}

static sup_surface_point centre_of(const search *s, int f) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  return point_state(s, sup_surface_centre(surface, s->a->points, f), surface->face + n * f, n);
}

/** Triangle with its data at the corners for the clip. */
typedef struct triangle {
  sup_v3 corner[3];
  double phi[3], stood[3], level[3], last[3];
  sup_v3 gradient[3];
} triangle;

/** Along its outward normal, as long as twice its area. */
static sup_v3 area_vector(const triangle *t) {
  return sup_v3_cross(sup_v3_sub(t->corner[1], t->corner[0]),
                      sup_v3_sub(t->corner[2], t->corner[0]));
}

/** The part that is inside now or acts within the step, seen `drop` ahead. */
static void clip(const triangle *t, double drop, sup_clipped *part) {
  double level[3];
  for (int c = 0; c < 3; c++) level[c] = sup_min(t->level[c], t->last[c]) - drop;
  sup_clip_triangle(level, part);
}

static sup_v3 combine(const sup_v3 corner[3], const double weight[3]) {
  sup_v3 p = sup_v3_scale(weight[0], corner[0]);
  return sup_v3_madd(sup_v3_madd(p, weight[1], corner[1]), weight[2], corner[2]);
}

static sup_status add_piece(const search *s, int t, const triangle *state, const sup_clipped *part,
                            double phi_spread) {
  const sup_moving_surface *a = s->a;
  const sup_moving_shape   *b = s->b;
  sup_contact_list         *list = s->list;
  sup_v3                    cross = area_vector(state);
  double                    area = 0.5 * sup_v3_norm(cross) * part->fraction;
  if (!(area > 0) || part->fraction < min_fraction) return SUP_OK;
  sup_contact contact = *s->prototype;
  contact.item_a = t, contact.item_b = SUP_NONE;
  contact.area = area;
  contact.centroid = combine(state->corner, part->centroid);
  contact.phi = part->centroid[0] * state->phi[0] + part->centroid[1] * state->phi[1] +
                part->centroid[2] * state->phi[2];
  contact.penetration = -contact.phi;
  sup_v3 gradient;
  sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, contact.centroid), &gradient);
  contact.normal = sup_v3_scale(-1, sup_m3_apply(b->X_WG.R, gradient));
  contact.facing = sup_v3_dot(sup_v3_unit(cross), contact.normal);
  if (contact.facing < min_facing) return SUP_OK;
  contact.spread = phi_spread;
  contact.num_points = part->num_points;
  if (a->xdot) {
    sup_surface_carry(a->surface, t, part->centroid, contact.carrier_a.vertex,
                      contact.carrier_a.weight);
    contact.carrier_a.num_vertices = a->surface->vertices_per_face;
  }
  if (!(contact.slope > 0)) contact.slope = a->slope[t];
  for (int i = 0; i < part->num_points; i++) {
    const double *w = part->weight[i];
    contact.point[i] = combine(state->corner, w);
    contact.level[i] =
        -contact.slope * (w[0] * state->phi[0] + w[1] * state->phi[1] + w[2] * state->phi[2]);
  }
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  list->contact[list->count++] = contact;
  return SUP_OK;
}

/** 1: turning changes the depth of a part of a face from point to point by more than a tenth.  One
 * force at the centroid acts where the pressure was not, and gives energy (THEORY 33). */
static int is_tilted(const search *s, const triangle *state, const sup_clipped *part) {
  static const double share = 0.1;
  double              least = HUGE_VAL, most = -HUGE_VAL, depth = 0;
  if (!is_turned(s) || part->fraction == 1) return 0;
  for (int i = 0; i < part->num_points; i++) {
    double turned = 0, last = 0;
    for (int c = 0; c < 3; c++) {
      turned += part->weight[i][c] * (state->phi[c] - state->stood[c]);
      last += part->weight[i][c] * state->last[c];
    }
    least = sup_min(least, turned), most = sup_max(most, turned), depth = sup_max(depth, -last);
  }
  return most - least > share * depth;
}

static sup_status add_contacts(const search *s, int t, const triangle *state) {
  sup_clipped part, third[3];
  clip(state, s->drop, &part);
  if (part.num_points == 0) return SUP_OK;
  if (!s->look->thirds && !is_tilted(s, state, &part))
    return add_piece(s, t, state, &part, sup_clipped_spread(&part, state->phi));
  sup_clip_thirds(&part, third);
  int first = s->list->count;
  for (int k = 0; k < 3; k++) SUP_TRY(add_piece(s, t, state, &third[k], 0));
  for (int i = first; i < s->list->count && !s->look->thirds; i++) s->list->contact[i].parts = 3;
  return SUP_OK;
}

/* ---- facets that cannot follow --------------------------------------------------------------- */

/** A soft facet follows the shape as long as its normal turns by less than half a radian from
 * corner to corner, and hardly at more than one (THEORY 20.4: 2 h kappa - 1 with h kappa = that
 * angle, which knows edges and corners, too). Where it follows, the depth at its corners decides:
 * larger depth between them comes of the facet's flatness and would make islands of pressure
 * (20.2).
 */
static double share_of_pieces(const search *s, double turn) {
  static const double little = 0.49; /* half a radian is a turn of .4948 */
  if (!s->a->xdot) return 1;
  if (turn < little) return 0;
  double angle = 2 * asin(sup_min(1, 0.5 * turn));
  return sup_min(1, sup_max(0, 2 * angle - 1));
}

/** Bound e_T on the error of the depth on a triangle interpolated from its corners (THEORY 19.1)
 * [m]; turn := largest change of its gradient, side := longest side. */
static double bend(const triangle *t, double *turn, double *side) {
  double most = 0, square = 0, longest = 0;
  for (int i = 0; i < 3; i++) {
    int    j = i < 2 ? i + 1 : 0;
    sup_v3 dg = sup_v3_sub(t->gradient[j], t->gradient[i]),
           dx = sup_v3_sub(t->corner[j], t->corner[i]);
    most = sup_max(most, sup_v3_dot(dg, dx));
    square = sup_max(square, sup_v3_dot(dg, dg));
    longest = sup_max(longest, sup_v3_dot(dx, dx));
  }
  *turn = sqrt(square), *side = sqrt(longest);
  return most / 3;
}

static double volume_of(const double level[3]) {
  sup_clipped part;
  sup_clip_triangle(level, &part);
  return -part.fraction *
         (part.centroid[0] * level[0] + part.centroid[1] * level[1] + part.centroid[2] * level[2]);
}

static double triangle_area(const triangle *t) { return 0.5 * sup_v3_norm(area_vector(t)); }

/** Points of a face, and behind them the centre of a quad. */
typedef sup_surface_point *const *face_points;

/** Share of a triangle's stiffness that polygons (and pieces) have beside an edge of the shape,
 * where the triangle leans: its depth grows so fast along it that a vertex must not stand for a
 * third. */
static double share_beside_edge(const triangle *t, face_points point, const int corner[3]) {
  static const double even = 0.95, leaning = 0.75; /* facing */
  double              least = 1, kink = 0;
  sup_v3              normal = sup_v3_unit(area_vector(t));
  for (int c = 0; c < 3; c++) {
    least = sup_min(least, -sup_v3_dot(normal, t->gradient[c]));
    if (t->phi[c] < 0) kink = sup_max(kink, point[corner[c]]->kink);
  }
  return kink * sup_min(1, sup_max(0, (even - least) / (even - leaning)));
}

static sup_v3 corner_past(const search *s, const sup_surface_motion *m, int t, int c, sup_v3 p) {
  sup_v3 va = {0, 0, 0};
  if (m->xdot) va = sup_surface_corner(s->a->surface, m->xdot, t, c);
  return sup_surface_past(s->a, s->b, m, p, va);
}

/** Remember a facet whose contacts, by the depth at its corners, are the list's last. */
static sup_status keep_facet(const search *s, int t, const triangle *state, int first_contact,
                             double corners) {
  const sup_surface_motion *m = &s->look->motion[s->look->num_motions - 1]; /* what is known best */
  sup_contact_list         *list = s->list;
  sup_v3                    velocity[3];
  double                    level[3], side;
  for (int c = 0; c < 3; c++) {
    velocity[c] = corner_past(s, m, t, c, state->corner[c]);
    if (s->look->elapsed > 0)
      velocity[c] =
          sup_v3_sub(velocity[c], corner_past(s, s->look->motion, t, c, state->corner[c]));
    level[c] = sup_min(state->level[c], state->last[c]) - s->drop;
  }
  sup_facet f = sup_facet_make(t, state->corner, velocity);
  if (!(f.area > 0)) return SUP_OK;
  f.error = bend(state, &f.turn, &side), f.share = share_of_pieces(s, f.turn);
  f.nearest = sup_min(state->phi[0], sup_min(state->phi[1], state->phi[2])) - f.error;
  f.volume = f.area * volume_of(state->phi), f.volume_ahead = f.area * volume_of(level);
  f.corners = corners, f.first_contact = first_contact,
  f.num_contacts = list->count - first_contact;
  SUP_TRY(SUP_GROW(list->facet, list->facet_capacity, list->num_facets + 1));
  list->facet[list->num_facets++] = f;
  return SUP_OK;
}

static triangle triangle_of(face_points point, const int corner[3]) {
  triangle t;
  for (int c = 0; c < 3; c++) {
    const sup_surface_point *p = point[corner[c]];
    t.corner[c] = p->at, t.phi[c] = p->phi, t.stood[c] = p->stood, t.level[c] = p->level,
    t.last[c] = p->last, t.gradient[c] = p->gradient;
  }
  return t;
}

/** Add the polygons of a triangle; with contacts at vertices in the share by which polygons replace
 * these, as at edges of the shape: a vertex that slid over an edge has another normal. */
static sup_status add_polygons(search *s, int t, const triangle *state, double share) {
  int first = s->list->count;
  if (share > 0) SUP_TRY(add_contacts(s, t, state));
  if (share < 1) s->volume += (1 - share) * triangle_area(state) * volume_of(state->phi);
  for (int i = first; i < s->list->count; i++) s->list->contact[i].area *= share;
  return SUP_OK;
}

/** Part of a face: its corners' contacts; facets that follow hold their points, the others are
 * kept. */
static sup_status visit_triangle(search *s, int t, face_points point, const int corner[3],
                                 double share) {
  static const double flat = 1e-10; /* of its longest side */
  triangle            state = triangle_of(point, corner);
  double              turn, side, error = bend(&state, &turn, &side);
  double              nearest = sup_min(state.phi[0], sup_min(state.phi[1], state.phi[2]));
  double              farthest = sup_max(state.phi[0], sup_max(state.phi[1], state.phi[2]));
  int first = s->list->count, follows = !(error > flat * side) || share_of_pieces(s, turn) == 0;
  if (!follows && nearest - error > s->margin) return SUP_OK;
  s->bends |= !follows;
  SUP_TRY(add_polygons(s, t, &state, share));
  if (!follows && !s->is_far) SUP_TRY(keep_facet(s, t, &state, first, share));
  if (follows && s->a->xdot) s->followed = sup_max(s->followed, -nearest);
  s->holds |= follows && farthest < 0;
  double until = touching * side * (s->a->surface->is_quadratic ? 2 : 1); /* of four parts */
  for (int c = 0; c < 3 && follows; c++)
    point[corner[c]]->held = sup_max(point[corner[c]]->held, until - farthest);
  return SUP_OK;
}

/** Points of a triangle that are points of its face; returns their number. */
static int points_of(const search *s, int t, sup_surface_point *point[3]) {
  const sup_surface *surface = s->a->surface;
  int parts = sup_surface_triangles_per_face(surface), corner[3], n = surface->vertices_per_face,
      count = 0;
  sup_surface_part(surface, t % parts, corner);
  for (int c = 0; c < 3; c++)
    if (corner[c] < n)
      point[count++] = &s->workspace->point[surface->face[n * (t / parts) + corner[c]]];
  return count;
}

/** Share, from 0 to 1, to which neighbours of a soft facet that follow the shape hold it at common
 * points. is_next: or hold a neighbour. */
static double hold_of(const search *s, const sup_facet *f, int is_next) {
  sup_surface_point *point[3];
  int                n = points_of(s, f->triangle, point);
  double             held = 0, least = touching * sqrt(f->area);
  for (int i = 0; i < n; i++) {
    double depth = sup_max(-point[i]->phi, least);
    held = sup_max(held, sup_min(1, 20 * point[i]->held / depth));
    if (point[i]->phi >= 0 && is_next) held = sup_max(held, point[i]->next);
  }
  return held;
}

/** Reduce the share of facets whose vertices hold the surface along the rim of a punch or a box's
 * face.  Facets across the rim would load a ring of vertices outside of it, as a punch too large by
 * half a facet does (12 % of the force with four facets a radius).  Their neighbours are reduced
 * with them. */
static void release_held(const search *s) {
  sup_contact_list  *list = s->list;
  sup_surface_point *point[3];
  for (int i = 0; i < list->num_facets; i++) {
    double held = hold_of(s, &list->facet[i], 0);
    int    n = points_of(s, list->facet[i].triangle, point);
    for (int k = 0; k < n && held > 0; k++) point[k]->next = sup_max(point[k]->next, held);
  }
  for (int i = 0; i < list->num_facets; i++)
    list->facet[i].share *= 1 - hold_of(s, &list->facet[i], 1);
}

/** Overlap volume of a pair's facets by their corners [m^3], and number of facets that may overlap;
 * now, and within the step. */
typedef struct overlaps {
  double volume[2];
  int    count[2];
} overlaps;

static double fastest_of(const sup_facet *f) {
  double fastest = 0;
  for (int c = 0; c < 3; c++) fastest = sup_max(fastest, sup_v3_norm(f->velocity[c]));
  return fastest;
}

static overlaps sum_overlaps(const search *s, int before) {
  const sup_contact_list *list = s->list;
  overlaps                o = {{s->volume, 0}, {0, 0}};
  for (int i = before; i < list->count; i++)
    o.volume[0] += list->contact[i].area * sup_max(0, -list->contact[i].phi);
  for (int i = 0; i < list->num_facets; i++) {
    const sup_facet *f = &list->facet[i];
    o.volume[1] += f->volume_ahead;
    o.count[0] += f->nearest < 0;
    o.count[1] += f->nearest < s->look->dt * fastest_of(f) + s->drop;
  }
  return o;
}

/** 1: the depth at a facet's corners is accurate enough: its error times the number of facets is at
 * most a tenth of the overlap of all. */
static int is_near_enough(const search *s, const sup_facet *f, const overlaps *o) {
  static const double enough = 0.1;
  if (o->volume[0] > 0) return f->area * f->error * o->count[0] <= enough * o->volume[0];
  double error = f->error + s->look->dt * f->turn * fastest_of(f);
  return f->area * error * o->count[1] <= enough * o->volume[1];
}

/** Keep the facets for which their corners are not enough; returns the overlap of all others. */
static double sort_facets(const search *s, int before) {
  sup_contact_list *list = s->list;
  overlaps          o = sum_overlaps(s, before);
  double            others = o.volume[0];
  int               kept = 0;
  for (int i = 0; i < list->num_facets; i++) {
    sup_facet f = list->facet[i];
    f.followed = s->holds ? s->followed : 0;
    if (f.share == 0 || is_near_enough(s, &f, &o)) continue;
    others -= f.volume;
    list->facet[kept++] = f;
  }
  list->num_facets = kept;
  return sup_max(0, others);
}

/** Reduce the corners' contacts by the share of the pieces; remove those without area. */
static void weigh_contacts(const search *s, int before) {
  sup_contact_list *list = s->list;
  int               kept = before;
  for (int i = 0; i < list->num_facets; i++) {
    const sup_facet *f = &list->facet[i];
    for (int k = 0; k < f->num_contacts && f->corners > 0; k++)
      list->contact[f->first_contact + k].area *= 1 - f->share / f->corners;
  }
  for (int i = before; i < list->count; i++) {
    if (!(list->contact[i].area > 0)) continue;
    if (kept < i) list->contact[kept] = list->contact[i];
    kept++;
  }
  list->count = kept;
}

/* ---- the search ------------------------------------------------------------------------------ */

/** The points of face f; `centre` is workspace for that of a quad. */
static void look_at_face(const search *s, int f, sup_surface_point *point[SUP_FACE_MAX_CORNERS],
                         sup_surface_point *centre) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  for (int k = 0; k < n; k++) point[k] = point_of(s, surface->face[n * f + k]);
  if (sup_surface_triangles_per_face(surface) > 1) *centre = centre_of(s, f), point[n] = centre;
}

/** Points of face workspace->face[i], with contacts at vertices. */
static void points_of_face(const search *s, int i, sup_surface_point *point[SUP_FACE_MAX_CORNERS]) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face, f = s->workspace->face[i];
  for (int k = 0; k < n; k++) point[k] = &s->workspace->point[surface->face[n * f + k]];
  if (sup_surface_triangles_per_face(surface) > 1) point[n] = &s->workspace->centre[i];
}

/** Share of polygons in face i where the shape's normal turns, recorded at its points, too. */
static void look_at_turns(const search *s, int i) {
  const sup_surface *surface = s->a->surface;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  double             most = 0;
  look_at_face(s, s->workspace->face[i], point, &s->workspace->centre[i]);
  for (int part = 0; part < sup_surface_triangles_per_face(surface); part++) {
    int    corner[3];
    double turn, side;
    sup_surface_part(surface, part, corner);
    triangle state = triangle_of(point, corner);
    (void)bend(&state, &turn, &side);
    double share = share_of_pieces(s, turn);
    most = sup_max(most, share);
    for (int c = 0; c < 3 && share > 0; c++)
      if (corner[c] < surface->vertices_per_face)
        point[corner[c]]->kink = sup_max(point[corner[c]]->kink, share);
  }
  s->workspace->polygons[i] = most;
}

/** Set the share of polygons in the stiffness of face i, by its inclination beside an edge of the
 * shape. */
static void look_at_kinks(const search *s, int i) {
  const sup_surface *surface = s->a->surface;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  double            *most = &s->workspace->polygons[i], kink = 0;
  points_of_face(s, i, point);
  for (int k = 0; k < surface->vertices_per_face; k++) kink = sup_max(kink, point[k]->kink);
  for (int part = 0; part < sup_surface_triangles_per_face(surface) && kink > 0 && *most < 1;
       part++) {
    int corner[3];
    sup_surface_part(surface, part, corner);
    triangle state = triangle_of(point, corner);
    *most = sup_max(*most, share_beside_edge(&state, point, corner));
  }
}

static sup_status visit_face(search *s, int i) {
  const sup_surface *surface = s->a->surface;
  int                parts = sup_surface_triangles_per_face(surface), corner[3];
  int                f = s->workspace->face[i];
  sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
  if (s->look->at_vertices)
    points_of_face(s, i, point);
  else
    look_at_face(s, f, point, &centre);
  double share = s->look->at_vertices ? s->workspace->polygons[i] : 1;
  for (int part = 0; part < parts; part++) {
    sup_surface_part(surface, part, corner);
    SUP_TRY(visit_triangle(s, f * parts + part, point, corner, share));
  }
  return SUP_OK;
}

/** Pieces of facets that cannot follow the shape. */
static sup_status add_facets(search *s, int before) {
  if (s->list->num_facets == 0) return SUP_OK;
  if (s->a->xdot) release_held(s);
  double volume = sort_facets(s, before);
  if (s->list->num_facets == 0) return SUP_OK;
  SUP_TRY(sup_facet_contacts(s->list, s->prototype, s->a, s->b, s->look->dt, s->drop, volume));
  weigh_contacts(s, before);
  return SUP_OK;
}

/** Shares of face i for its vertices, as far as it follows the shape. */
static void share_face(const search *s, int i) {
  const sup_surface *surface = s->a->surface;
  int n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface), corner[3];
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  sup_v3             share[SUP_FACE_MAX_VERTICES] = {{0, 0, 0}};
  double             slope = 0, left = 1 - s->workspace->polygons[i];
  int                f = s->workspace->face[i];
  points_of_face(s, i, point);
  for (int part = 0; part < parts; part++) {
    int           t = f * parts + part;
    const double *weight = sup_surface_weights(surface, t);
    sup_surface_part(surface, part, corner);
    triangle state = triangle_of(point, corner);
    slope += s->a->slope[t] / parts;
    double own = left / 6;
    sup_v3 twice = area_vector(&state);
    for (int k = 0; k < n; k++)
      for (int c = 0; c < 3; c++)
        share[k] = sup_v3_madd(share[k], own * weight[c * SUP_FACE_MAX_VERTICES + k], twice);
  }
  if (surface->is_quadratic) sup_surface_vertex_pass_on(f, point, share);
  sup_surface_vertex_add(s->a, s->b, point, share, surface->is_quadratic ? 0 : left, slope);
}

/** Add the normals of a quadratic face to its corners, whose sharpness they give. */
static void lean_face(const search *s, int i) {
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  points_of_face(s, i, point);
  sup_surface_vertex_lean(s->workspace->face[i], point);
}

/** One contact a vertex, by the faces that follow. */
static sup_status add_vertices(search *s, int count) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  for (int i = 0; i < n * count; i++)
    sup_surface_vertex_begin(point_of(s, surface->face[n * s->workspace->face[i / n] + i % n]));
  for (int i = 0; i < count && surface->is_quadratic; i++) lean_face(s, i);
  for (int i = 0; i < count; i++) share_face(s, i);
  for (int i = 0; i < n * count; i++) {
    int vertex = surface->face[n * s->workspace->face[i / n] + i % n];
    SUP_TRY(sup_surface_vertex_contact(s->list, s->prototype, s->a, vertex, point_of(s, vertex),
                                       s->drop));
  }
  return SUP_OK;
}

static sup_status visit_faces(search *s, int count, double drop) {
  int before = s->list->count;
  s->drop = drop, s->followed = s->volume = 0, s->holds = 0, s->list->num_facets = 0;
  for (int i = 0; i < count && s->look->at_vertices; i++) look_at_turns(s, i);
  for (int i = 0; i < count && s->look->at_vertices; i++) look_at_kinks(s, i);
  for (int i = 0; i < count; i++) {
    s->is_far = i >= s->num_near;
    SUP_TRY(visit_face(s, i));
  }
  SUP_TRY(add_facets(s, before));
  if (s->look->at_vertices) SUP_TRY(add_vertices(s, count));
  return SUP_OK;
}

/** Faces that may be near enough; nothing is known of their points yet. */
static int start(search *s) {
  s->margin = sup_surface_reach(s->b, s->look);
  int count = sup_surface_faces_near(s->a, s->b, s->look, s->margin + s->a->offered,
                                     s->workspace->face, &s->num_near);
  if (count > 0) memset(s->workspace->known, 0, (size_t)s->a->surface->num_points);
  return count;
}

static double longest_side(const triangle *t) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    sup_v3 side = sup_v3_sub(t->corner[(c + 1) % 3], t->corner[c]);
    square = sup_max(square, sup_v3_dot(side, side));
  }
  return sqrt(square);
}

static int sees(const search *s, const triangle *t) {
  sup_v3 centre =
             sup_v3_scale(1. / 3, sup_v3_add(t->corner[0], sup_v3_add(t->corner[1], t->corner[2]))),
         gradient;
  sup_v3 cross = area_vector(t);
  sup_shape_depth(s->b->shape, sup_frame_apply_inverse(&s->b->X_WG, centre), &gradient);
  return -sup_v3_dot(sup_v3_unit(cross), sup_m3_apply(s->b->X_WG.R, gradient)) >= min_facing;
}

/** Depth to which the last motion takes a corner outside the watched part [m]; 0: within the
 * tolerance. */
static double missed_depth(const search *s, const triangle *t) {
  static const double tolerance = 1e-3; /* of the triangle, or of b */
  double              deepest = 0;
  for (int c = 0; c < 3; c++)
    if (t->level[c] >= s->drop) deepest = sup_max(deepest, -t->last[c]);
  if (!(deepest > 0)) return 0;
  double size = sup_min(longest_side(t), sup_shape_radius(s->b->shape));
  return deepest > tolerance * size && sees(s, t) ? deepest : 0;
}

static int is_watched(const triangle *t) {
  return t->level[0] < 0 || t->level[1] < 0 || t->level[2] < 0;
}

int sup_surface_depth_missed(const sup_moving_surface *a, const sup_moving_shape *b,
                             const sup_surface_look *look, const sup_surface_workspace *workspace) {
  search s = {.a = a, .b = b, .look = look, .workspace = workspace};
  int    count = start(&s), parts = sup_surface_triangles_per_face(a->surface), watched = 0,
      missed[2] = {0, 0};
  for (int i = 0; i < count; i++) {
    sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
    look_at_face(&s, workspace->face[i], point, &centre);
    for (int part = 0; part < parts; part++) {
      int corner[3];
      sup_surface_part(a->surface, part, corner);
      triangle t = triangle_of(point, corner);
      watched |= is_watched(&t);
      s.drop = 0;
      if (!(missed_depth(&s, &t) > 0)) continue;
      missed[0] = 1;
      s.drop = look->drop;
      missed[1] |= missed_depth(&s, &t) > 0;
    }
  }
  return missed[watched ? 0 : 1];
}

sup_status sup_collide_surface_depth(sup_contact_list *list, const sup_contact *prototype,
                                     const sup_moving_surface *a, const sup_moving_shape *b,
                                     const sup_surface_look      *look,
                                     const sup_surface_workspace *workspace) {
  search s = {
      .list = list, .prototype = prototype, .a = a, .b = b, .look = look, .workspace = workspace};
  int count = start(&s), before = list->count;
  if (count == 0) return SUP_OK;
  SUP_TRY(visit_faces(&s, count, 0));
  if (look->stood && !s.bends) list->opened = sup_surface_opened(a, workspace, s.num_near);
  if (list->count > before) return SUP_OK;
  SUP_TRY(visit_faces(&s, count, look->drop));
  return SUP_OK;
}
