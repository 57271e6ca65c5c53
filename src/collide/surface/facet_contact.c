/* Contacts from the pieces of facets. */
#include "collide/surface/facet.h"

#include <string.h>

#include "base/memory.h"

/** One pair's facets. */
typedef struct job {
  sup_contact_list         *list;
  const sup_contact        *prototype;
  const sup_moving_surface *a;
  double                    deepest; /* overlap of all [m] */
  double                    fastest; /* of the overlapping part, past the shape [m/s] */
} job;

/** Weights of a soft face's points at x. */
static void carry(const job *j, const sup_facet *f, sup_v3 x, sup_carrier *carrier) {
  const sup_surface *surface = j->a->surface;
  double             weight[3], scale = 0.5 / f->area;
  for (int k = 0; k < 3; k++) {
    sup_v3 p = f->corner[(k + 1) % 3], q = f->corner[(k + 2) % 3];
    weight[k] = scale * sup_v3_dot(f->normal, sup_v3_cross(sup_v3_sub(p, x), sup_v3_sub(q, x)));
  }
  sup_surface_carry(surface, f->triangle, weight, carrier->vertex, carrier->weight);
  carrier->num_vertices = surface->vertices_per_face;
}

/** deepest: overlap of the facet [m], the penetration of a rigid surface's contacts instead of that
 * at the points: it may be the whole body's.  A soft surface has that of its layer. */
static sup_status add_three(const job *j, const sup_facet_look *look, sup_facet *f,
                            const sup_facet_moments *m, double deepest) {
  sup_contact_list *list = j->list;
  sup_contact       contact[3];
  double slope = j->prototype->slope > 0 ? j->prototype->slope : j->a->slope[f->triangle];
  if (!(m->sum > 0) || !(f->share > 0)) return SUP_OK;
  for (int k = 0; k < 3; k++) {
    contact[k] = *j->prototype;
    contact[k].item_a = f->triangle, contact[k].item_b = SUP_NONE;
  }
  sup_facet_merge(m, f, slope, contact);
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 3));
  if (look->time == SUP_FACET_NOW) f->pressed = contact[0].normal;
  for (int k = 0; k < 3; k++) {
    if (j->a->xdot) carry(j, f, contact[k].centroid, &contact[k].carrier_a);
    if (!j->a->xdot) contact[k].penetration = sup_max(contact[k].penetration, deepest);
    list->contact[list->count++] = contact[k];
  }
  return SUP_OK;
}

/** A facet no deeper than others that follow the shape leaves the load to their vertices. */
static double share_at(const sup_facet *f, double depth) {
  static const double alike = 1.25, deeper = 2;
  if (!(f->followed > 0)) return f->share;
  return f->share * sup_min(1, sup_max(0, (depth / f->followed - alike) / (deeper - alike)));
}

/** The facets' contacts at this time. */
static sup_status add_contacts(job *j, const sup_facet_look *look, double volume) {
  SUP_TRY(sup_facet_cut(j->list, look, volume));
  for (int i = 0; i < j->list->num_facets; i++) {
    sup_facet        *f = &j->list->facet[i];
    sup_facet_moments moments[SUP_FACET_BANDS];
    memset(moments, 0, sizeof moments);
    double deepest = sup_facet_gather(j->list, look, i, moments);
    if (look->time == SUP_FACET_NOW) f->share = share_at(f, deepest);
    for (int k = 0; k < SUP_FACET_BANDS; k++)
      SUP_TRY(add_three(j, look, f, &moments[k], look->time == SUP_FACET_NOW ? deepest : 0));
    if (!(deepest > 0)) continue;
    j->deepest = sup_max(j->deepest, deepest);
    j->fastest = sup_max(j->fastest, sup_v3_norm(sup_facet_velocity(f, moments[0].origin)));
  }
  return SUP_OK;
}

sup_status sup_facet_contacts(sup_contact_list *list, const sup_contact *prototype,
                              const sup_moving_surface *a, const sup_moving_shape *b, double dt,
                              double drop, double volume) {
  static const double least = 1e-11; /* of the shape's size */
  static const double still =
      0.02; /* of the depth: a smaller motion changes nothing within the step */
  job            j = {list, prototype, a, 0, 0};
  sup_facet_look look = {
      b, dt, drop, SUP_FACET_NOW, SUP_FACET_TOLERANCE, least * sup_shape_radius(b->shape)};
  if (!(drop > 0)) SUP_TRY(add_contacts(&j, &look, volume));
  if (j.deepest > 0 && dt * j.fastest < still * j.deepest) return SUP_OK;
  look.time = SUP_FACET_AHEAD;
  SUP_TRY(add_contacts(&j, &look, volume));
  return SUP_OK;
}
