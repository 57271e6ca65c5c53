/* Facets that cannot follow the shape: share that is cut into pieces. */
#include <math.h>

#include "base/memory.h"
#include "collide/surface/facet.h"
#include "collide/surface/numerics.h"
#include "collide/surface/search_parts.h"

/** Share of pieces of a soft facet.  The facet follows the shape fully if the shape's normal turns
 * by less than half a radian between corners, and not at all above one radian (THEORY 20.4: 2 h
 * kappa - 1, with h kappa this angle, which also measures edges and corners).  If the facet
 * follows, the depth at its corners decides: larger depth between corners results from the flatness
 * of the facet and would make islands of pressure (20.2).
 */
double sup_surface_share_of_pieces(const sup_surface_search *s, double turn) {
  if (!s->a->xdot) return 1;
  if (turn < sup_surface_numerics.little_turn) return 0;
  double angle = 2 * asin(sup_min(1, 0.5 * turn));
  return sup_min(1, sup_max(0, 2 * angle - 1));
}

double sup_surface_bend(const sup_corner_data *t, double *turn, double *side) {
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

double sup_surface_overlap(const double level[3]) {
  sup_clipped part;
  sup_clip_triangle(level, &part);
  return -part.fraction *
         (part.centroid[0] * level[0] + part.centroid[1] * level[1] + part.centroid[2] * level[2]);
}

/** Velocity of corner c of triangle t, at p, past the shape [m/s]. */
static sup_v3 corner_past(const sup_surface_search *s, const sup_surface_motion *m, int t, int c,
                          sup_v3 p) {
  sup_v3 va = {0, 0, 0};
  if (m->xdot) va = sup_surface_corner(s->a->surface, m->xdot, t, c);
  return sup_surface_past(s->a, s->b, m, p, va);
}

sup_facet sup_surface_facet(const sup_surface_search *s, int t, const sup_corner_data *state) {
  const sup_surface_motion *m =
      &s->query->motion[s->query->num_motions - 1]; /* the tightest bound */
  sup_v3 velocity[3];
  for (int c = 0; c < 3; c++) {
    velocity[c] = corner_past(s, m, t, c, state->corner[c]);
    if (s->query->elapsed > 0)
      velocity[c] =
          sup_v3_sub(velocity[c], corner_past(s, s->query->motion, t, c, state->corner[c]));
  }
  return sup_facet_make(t, state->corner, velocity);
}

sup_status sup_surface_store_facet(const sup_surface_search *s, int t, const sup_corner_data *state,
                                   int first_contact, double corners) {
  sup_contact_list *list = s->list;
  double            level[3], side;
  sup_facet         f = sup_surface_facet(s, t, state);
  if (!(f.area > 0)) return SUP_OK;
  for (int c = 0; c < 3; c++) level[c] = sup_min(state->level[c], state->last[c]) - s->drop;
  f.error = sup_surface_bend(state, &f.turn, &side),
  f.share = sup_surface_share_of_pieces(s, f.turn);
  f.nearest = sup_min(state->phi[0], sup_min(state->phi[1], state->phi[2])) - f.error;
  f.volume = f.area * sup_surface_overlap(state->phi);
  f.volume_ahead = f.area * sup_surface_overlap(level);
  f.corners = corners, f.first_contact = first_contact,
  f.num_contacts = list->count - first_contact;
  SUP_TRY(SUP_GROW(list->facet, list->facet_capacity, list->num_facets + 1));
  list->facet[list->num_facets++] = f;
  return SUP_OK;
}

/** Points of a triangle that are also points of its face; returns their number. */
static int points_of(const sup_surface_search *s, int t, sup_surface_point *point[3]) {
  const sup_surface *surface = s->a->surface;
  int parts = sup_surface_triangles_per_face(surface), corner[3], n = surface->vertices_per_face,
      count = 0;
  sup_surface_part(surface, t % parts, corner);
  for (int c = 0; c < 3; c++)
    if (corner[c] < n)
      point[count++] = &s->workspace->point[surface->face[n * (t / parts) + corner[c]]];
  return count;
}

/** Share (0 to 1) to which neighbours that follow the shape support a soft facet at common points.
 * is_next: also support of a neighbour. */
static double hold_of(const sup_surface_search *s, const sup_facet *f, int is_next) {
  sup_surface_point *point[3];
  int                n = points_of(s, f->triangle, point);
  double             held = 0, least = sup_surface_numerics.touching * sqrt(f->area);
  for (int i = 0; i < n; i++) {
    double depth = sup_max(-point[i]->phi, least);
    held = sup_max(held, sup_min(1, 20 * point[i]->held / depth));
    if (point[i]->phi >= 0 && is_next) held = sup_max(held, point[i]->next);
  }
  return held;
}

/** Reduce the share of facets whose vertices hold the surface along the rim of a punch or a box's
 * face.  Facets across the rim would load a ring of vertices outside it, like a punch too large by
 * half a facet (12 % of the force with four facets a radius).  Neighbours of these facets are
 * reduced, too. */
static void release_held(const sup_surface_search *s) {
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

static overlaps sum_overlaps(const sup_surface_search *s, int before) {
  const sup_contact_list *list = s->list;
  overlaps                o = {{s->volume, 0}, {0, 0}};
  for (int i = before; i < list->count; i++)
    o.volume[0] += list->contact[i].area * sup_max(0, -list->contact[i].phi);
  for (int i = 0; i < list->num_facets; i++) {
    const sup_facet *f = &list->facet[i];
    o.volume[1] += f->volume_ahead;
    o.count[0] += f->nearest < 0;
    o.count[1] += f->nearest < s->query->dt * fastest_of(f) + s->drop;
  }
  return o;
}

/** 1: the depth at a facet's corners is accurate enough: its error times the number of facets is at
 * most a tenth of the overlap of all. */
static int is_near_enough(const sup_surface_search *s, const sup_facet *f, const overlaps *o) {
  if (o->volume[0] > 0)
    return f->area * f->error * o->count[0] <= sup_surface_numerics.enough * o->volume[0];
  double error = f->error + s->query->dt * f->turn * fastest_of(f);
  return f->area * error * o->count[1] <= sup_surface_numerics.enough * o->volume[1];
}

/** Keep the facets whose corner depths are not accurate enough; returns the overlap of all others.
 */
static double sort_facets(const sup_surface_search *s, int before) {
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
static void weigh_contacts(const sup_surface_search *s, int before) {
  sup_contact_list   *list = s->list;
  sup_contact_origin *origin = list->origins.contact;
  int                 kept = before, ahead = list->origins.num_contacts - list->count;
  for (int i = 0; i < list->num_facets; i++) {
    const sup_facet *f = &list->facet[i];
    for (int k = 0; k < f->num_contacts && f->corners > 0; k++) {
      double left = 1 - f->share / f->corners;
      list->contact[f->first_contact + k].area *= left;
      origin[ahead + f->first_contact + k].share[1] = left;
    }
  }
  for (int i = before; i < list->count; i++) {
    if (!(list->contact[i].area > 0)) continue;
    if (kept < i) list->contact[kept] = list->contact[i], origin[ahead + kept] = origin[ahead + i];
    kept++;
  }
  list->origins.num_contacts -= list->count - kept;
  list->count = kept;
}

sup_status sup_surface_add_facets(const sup_surface_search *s, int before) {
  if (s->list->num_facets == 0) return SUP_OK;
  if (s->a->xdot) release_held(s);
  double volume = sort_facets(s, before);
  if (s->list->num_facets == 0) return SUP_OK;
  SUP_TRY(sup_facet_contacts(s->list, s->prototype, s->a, s->b, s->query->dt, s->drop, volume));
  weigh_contacts(s, before);
  return SUP_OK;
}
