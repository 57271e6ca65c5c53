/* Contacts of a surface and a shape by their origins. */
#include <string.h>

#include "base/memory.h"
#include "collide/surface/search_parts.h"

/** Faces of the origins, their points and shares. */
static void place_faces(sup_surface_search *s, const sup_pair_origins *from) {
  sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
  for (int i = 0; i < from->num_faces; i++) {
    int f = s->workspace->face[i] = from->face[i].face;
    sup_surface_face_points(s, f, point,
                            s->query->at_vertices ? &s->workspace->centre[i] : &centre);
    if (s->query->at_vertices) s->workspace->polygons[i] = from->face[i].share;
  }
}

static sup_status place_facets(const sup_surface_search *s, const sup_pair_origins *from) {
  sup_contact_list *list = s->list;
  SUP_TRY(SUP_GROW(list->facet, list->facet_capacity, from->num_facets));
  list->num_facets = from->num_facets;
  for (int i = 0; i < from->num_facets; i++) {
    sup_corner_data state = sup_surface_triangle(s, from->facet[i].triangle);
    list->facet[i] = sup_surface_facet(s, from->facet[i].triangle, &state);
    list->facet[i].share = from->facet[i].share;
  }
  return SUP_OK;
}

static sup_status measure_origin(const sup_surface_search *s, const sup_pair_origins *from,
                                 int *at) {
  sup_contact_list         *list = s->list;
  const sup_contact_origin *origin = &from->contact[*at];
  if (origin->kind == SUP_ORIGIN_FACET)
    return sup_facet_measure(list, s->prototype, s->a, s->b, s->query->dt, s->drop, from, at);
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  sup_contact *out = &list->contact[list->count++];
  if (origin->kind == SUP_ORIGIN_VERTEX)
    sup_surface_measure_vertex(s, origin->item, out);
  else
    sup_surface_measure_polygon(s, origin, out);
  ++*at;
  return SUP_OK;
}

sup_status sup_measure_surface_depth(sup_contact_list *list, const sup_contact *prototype,
                                     const sup_moving_surface *a, const sup_moving_shape *b,
                                     const sup_surface_query     *query,
                                     const sup_surface_workspace *workspace,
                                     const sup_pair_origins      *from) {
  sup_surface_search s = {
      .list = list, .prototype = prototype, .a = a, .b = b, .query = query, .workspace = workspace};
  s.drop = from->pair->drops ? query->drop : 0;
  memset(workspace->known, 0, (size_t)a->surface->num_points);
  place_faces(&s, from);
  SUP_TRY(place_facets(&s, from));
  if (query->at_vertices) sup_surface_sum_vertices(&s, from->num_faces);
  if (from->pair->balances) list->opened = sup_surface_opened(a, query, workspace, from->num_faces);
  for (int k = 0; k < from->num_contacts;) SUP_TRY(measure_origin(&s, from, &k));
  return SUP_OK;
}
