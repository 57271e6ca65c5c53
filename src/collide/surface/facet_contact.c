/* Contacts from the pieces of facets. */
#include "collide/surface/facet.h"

#include <string.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"

/** One pair's facets. */
typedef struct job {
  sup_contact_list         *list;
  const sup_contact        *prototype;
  const sup_moving_surface *a;
  double                    deepest; /* overlap of all [m] */
  double                    fastest; /* velocity of the overlapping part past the shape [m/s] */
} job;

/** Weights of a soft face's points at x. */
static void carry(const job *j, const sup_facet *f, sup_v3 x, sup_carrier *carrier) {
  const sup_surface *surface = j->a->surface;
  double             weight[3], scale = 0.5 / f->area;
  for (int k = 0; k < 3; k++) {
    sup_v3 p = f->corner[(k + 1) % 3], q = f->corner[(k + 2) % 3];
    weight[k] = scale * sup_v3_dot(f->normal, sup_v3_cross(sup_v3_sub(p, x), sup_v3_sub(q, x)));
  }
  sup_surface_barycentric_weights(surface, f->triangle, weight, carrier->vertex, carrier->weight);
  carrier->num_vertices = surface->vertices_per_face;
}

/** Three contacts of the moments of a facet.
 *  @param[in] deepest overlap of the facet [m], reported as penetration of a rigid surface's
 * contacts, since the overlap may be the whole body's; a soft surface reports the overlap of its
 * layer. */
static void measure_three(const job *j, sup_facet_time time, sup_facet *f,
                          const sup_facet_moments *m, double deepest, sup_contact contact[3]) {
  double slope = j->prototype->slope > 0 ? j->prototype->slope : j->a->slope[f->triangle];
  for (int k = 0; k < 3; k++) {
    contact[k] = *j->prototype;
    contact[k].item_a = f->triangle, contact[k].item_b = SUP_NONE;
  }
  if (!(m->sum > 0)) return; /* no overlap any more: area 0 */
  sup_facet_merge(m, f, slope, contact);
  if (time == SUP_FACET_NOW) f->pressed = contact[0].normal;
  for (int k = 0; k < 3; k++) {
    if (j->a->xdot) carry(j, f, contact[k].centroid, &contact[k].carrier_a);
    if (!j->a->xdot)
      contact[k].penetration = sup_max(contact[k].penetration, time == SUP_FACET_NOW ? deepest : 0);
  }
}

/** Moments of facet i by bands; returns its deepest overlap [m]. */
static double gather(const job *j, const sup_facet_query *query, int i,
                     sup_facet_moments moments[SUP_FACET_BANDS]) {
  memset(moments, 0, SUP_FACET_BANDS * sizeof *moments);
  return sup_facet_gather(j->list, query, i, moments);
}

/** Number of an origin of a facet: time, band, point. */
static int part_of(sup_facet_time time, int band, int point) {
  return ((int)time * SUP_FACET_BANDS + band) * 3 + point;
}

static sup_status add_three(const job *j, const sup_facet_query *query, int i,
                            const sup_facet_moments *m, int band, double deepest) {
  sup_contact_list *list = j->list;
  sup_facet        *f = &list->facet[i];
  if (!(m->sum > 0) || !(f->share > 0)) return SUP_OK;
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 3));
  measure_three(j, query->time, f, m, deepest, list->contact + list->count);
  list->count += 3;
  for (int k = 0; k < 3; k++)
    SUP_TRY(sup_origins_add(&list->origins, SUP_ORIGIN_FACET, i, SUP_NONE,
                            part_of(query->time, band, k)));
  return SUP_OK;
}

/** Share of a facet's pieces in its stiffness at a depth; 0 if facets that follow the shape are
 * about as deep, since their vertices then carry the load.
 */
static double share_at(const sup_facet *f, double depth) {
  if (!(f->followed > 0)) return f->share;
  return f->share *
         sup_min(1, sup_max(0, (depth / f->followed - sup_surface_numerics.alike) /
                                   (sup_surface_numerics.deeper - sup_surface_numerics.alike)));
}

/** Keep the pieces of facet i, which has contacts, as origins. */
static sup_status keep_pieces(sup_contact_list *list, sup_facet_time time, int i) {
  sup_origins      *o = &list->origins;
  sup_facet_origin *f = &o->facet[o->now.facet + i];
  f->first_piece[time] = o->num_pieces, f->share = list->facet[i].share;
  for (int k = list->facet[i].first_piece; k != SUP_NONE; k = list->facet_piece[k].next) {
    SUP_TRY(SUP_GROW(o->piece, o->piece_capacity, o->num_pieces + 1));
    o->piece[o->num_pieces++] = list->facet_piece[k].origin;
  }
  f->num_pieces[time] = o->num_pieces - f->first_piece[time];
  return SUP_OK;
}

/** The facets' contacts at this time. */
static sup_status add_contacts(job *j, const sup_facet_query *query, double volume) {
  SUP_TRY(sup_facet_cut(j->list, query, volume));
  for (int i = 0; i < j->list->num_facets; i++) {
    sup_facet        *f = &j->list->facet[i];
    sup_facet_moments moments[SUP_FACET_BANDS];
    double            deepest = gather(j, query, i, moments);
    int               before = j->list->count;
    if (query->time == SUP_FACET_NOW) f->share = share_at(f, deepest);
    for (int k = 0; k < SUP_FACET_BANDS; k++)
      SUP_TRY(add_three(j, query, i, &moments[k], k, deepest));
    if (j->list->count > before) SUP_TRY(keep_pieces(j->list, query->time, i));
    if (!(deepest > 0)) continue;
    j->deepest = sup_max(j->deepest, deepest);
    j->fastest = sup_max(j->fastest, sup_v3_norm(sup_facet_velocity(f, moments[0].origin)));
  }
  return SUP_OK;
}

/** Place of the list's facets among the origins. */
static sup_status keep_facets(sup_contact_list *list) {
  sup_origins *o = &list->origins;
  SUP_TRY(SUP_GROW(o->facet, o->facet_capacity, o->num_facets + list->num_facets));
  for (int i = 0; i < list->num_facets; i++)
    o->facet[o->num_facets++] = (sup_facet_origin){.triangle = list->facet[i].triangle};
  return SUP_OK;
}

sup_status sup_facet_contacts(sup_contact_list *list, const sup_contact *prototype,
                              const sup_moving_surface *a, const sup_moving_shape *b, double dt,
                              double drop, double volume) {
  job             j = {list, prototype, a, 0, 0};
  sup_facet_query query = {b,
                           dt,
                           drop,
                           SUP_FACET_NOW,
                           SUP_FACET_TOLERANCE,
                           sup_surface_numerics.piece_least * sup_shape_radius(b->shape)};
  SUP_TRY(keep_facets(list));
  if (!(drop > 0)) SUP_TRY(add_contacts(&j, &query, volume));
  if (j.deepest > 0 && dt * j.fastest < sup_surface_numerics.still * j.deepest) return SUP_OK;
  query.time = SUP_FACET_AHEAD;
  SUP_TRY(add_contacts(&j, &query, volume));
  return SUP_OK;
}

/** Pieces of facet i at a time, by their origins. */
static sup_status place_pieces(sup_contact_list *list, const sup_facet_query *query, int i,
                               const sup_pair_origins *from) {
  sup_facet              *f = &list->facet[i];
  const sup_facet_origin *own = &from->facet[i];
  int                     count = own->num_pieces[query->time];
  SUP_TRY(SUP_GROW(list->facet_piece, list->facet_piece_capacity, count));
  for (int k = 0; k < count; k++) {
    sup_facet_piece *p = &list->facet_piece[k];
    *p = sup_facet_place_piece(query, f, &from->piece[own->first_piece[query->time] + k]);
    p->facet = i, p->next = k + 1 < count ? k + 1 : SUP_NONE;
  }
  f->first_piece = count > 0 ? 0 : SUP_NONE;
  return SUP_OK;
}

sup_status sup_facet_measure(sup_contact_list *list, const sup_contact *prototype,
                             const sup_moving_surface *a, const sup_moving_shape *b, double dt,
                             double drop, const sup_pair_origins *from, int *at) {
  job               j = {list, prototype, a, 0, 0};
  sup_facet_query   query = {.b = b, .dt = dt, .drop = drop};
  sup_facet_moments moments[SUP_FACET_BANDS];
  sup_contact       contact[3];
  double            deepest = 0;
  for (int facet = SUP_NONE, group = SUP_NONE; *at < from->num_contacts; ++*at) {
    const sup_contact_origin *origin = &from->contact[*at];
    if (origin->kind != SUP_ORIGIN_FACET) break;
    sup_facet_time time = (sup_facet_time)(origin->part / part_of(SUP_FACET_AHEAD, 0, 0));
    int            own_group = origin->part / 3, is_new = facet != origin->item;
    if (is_new || query.time != time) {
      facet = origin->item, query.time = time;
      SUP_TRY(place_pieces(list, &query, facet, from));
      deepest = gather(&j, &query, facet, moments);
    }
    if (is_new || group != own_group)
      measure_three(&j, time, &list->facet[facet], &moments[own_group % SUP_FACET_BANDS], deepest,
                    contact);
    group = own_group;
    SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
    list->contact[list->count++] = contact[origin->part % 3];
  }
  return SUP_OK;
}
