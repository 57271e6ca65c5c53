#include "collide/surface/surface_depth.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "collide/surface/search_parts.h"

static double triangle_area(const sup_corner_data *t) {
  return 0.5 * sup_v3_norm(sup_corner_cross(t));
}

/** Share of polygons (and pieces) in a triangle's stiffness at an edge of the shape, for an
 * inclined triangle: its depth grows too fast along it for a vertex to represent a third of its
 * area. */
static double share_beside_edge(const sup_corner_data *t, sup_face_points point,
                                const int corner[3]) {
  double least = 1, kink = 0;
  sup_v3 normal = sup_v3_unit(sup_corner_cross(t));
  for (int c = 0; c < 3; c++) {
    least = sup_min(least, -sup_v3_dot(normal, t->gradient[c]));
    if (t->phi[c] < 0) kink = sup_max(kink, point[corner[c]]->kink);
  }
  return kink *
         sup_min(1, sup_max(0, (sup_surface_numerics.even - least) /
                                   (sup_surface_numerics.even - sup_surface_numerics.leaning)));
}

/** Add the polygons of a triangle.  With contacts at vertices, polygons replace a share of these at
 * edges of the shape, since a vertex that slid over an edge has another normal. */
static sup_status add_polygons(sup_surface_search *s, int t, const sup_corner_data *state,
                               double share) {
  sup_contact_list *list = s->list;
  int               first = list->count;
  if (share > 0) SUP_TRY(sup_surface_add_polygons(s, t, state));
  if (share < 1) s->volume += (1 - share) * triangle_area(state) * sup_surface_overlap(state->phi);
  if (share == 1) return SUP_OK;
  int ahead = list->origins.num_contacts - list->count;
  for (int i = first; i < list->count; i++)
    list->contact[i].area *= share, list->origins.contact[ahead + i].share[0] = share;
  return SUP_OK;
}

/** Part of a face: contacts by its corners.  Facets that follow the shape mark their points; other
 * facets are stored. */
static sup_status visit_triangle(sup_surface_search *s, int t, sup_face_points point,
                                 const int corner[3], double share) {
  sup_corner_data state = sup_surface_corner_data(point, corner);
  double          turn, side, error = sup_surface_bend(&state, &turn, &side);
  double          nearest = sup_min(state.phi[0], sup_min(state.phi[1], state.phi[2]));
  double          farthest = sup_max(state.phi[0], sup_max(state.phi[1], state.phi[2]));
  int             first = s->list->count, follows = !(error > sup_surface_numerics.flat * side) ||
                                        sup_surface_share_of_pieces(s, turn) == 0;
  if (!follows && nearest - error > s->margin) return SUP_OK;
  s->bends |= !follows;
  SUP_TRY(add_polygons(s, t, &state, share));
  if (!follows && !s->is_far) SUP_TRY(sup_surface_store_facet(s, t, &state, first, share));
  if (follows && s->a->xdot) s->followed = sup_max(s->followed, -nearest);
  s->holds |= follows && farthest < 0;
  double until = sup_surface_numerics.touching * side *
                 (s->a->surface->is_quadratic ? 2 : 1); /* share in one of four parts */
  for (int c = 0; c < 3 && follows; c++)
    point[corner[c]]->held = sup_max(point[corner[c]]->held, until - farthest);
  return SUP_OK;
}

/** Share of polygons in face i where the shape's normal turns, recorded at its points, too. */
static void look_at_turns(const sup_surface_search *s, int i) {
  const sup_surface *surface = s->a->surface;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  double             most = 0;
  sup_surface_face_points(s, s->workspace->face[i], point, &s->workspace->centre[i]);
  for (int part = 0; part < sup_surface_triangles_per_face(surface); part++) {
    int    corner[3];
    double turn, side;
    sup_surface_part(surface, part, corner);
    sup_corner_data state = sup_surface_corner_data(point, corner);
    (void)sup_surface_bend(&state, &turn, &side);
    double share = sup_surface_share_of_pieces(s, turn);
    most = sup_max(most, share);
    for (int c = 0; c < 3 && share > 0; c++)
      if (corner[c] < surface->vertices_per_face)
        point[corner[c]]->kink = sup_max(point[corner[c]]->kink, share);
  }
  s->workspace->polygons[i] = most;
}

/** Set the share of polygons in the stiffness of face i, by its inclination beside an edge of the
 * shape. */
static void look_at_kinks(const sup_surface_search *s, int i) {
  const sup_surface *surface = s->a->surface;
  sup_surface_point *point[SUP_FACE_MAX_CORNERS];
  double            *most = &s->workspace->polygons[i], kink = 0;
  sup_surface_known_points(s, i, point);
  for (int k = 0; k < surface->vertices_per_face; k++) kink = sup_max(kink, point[k]->kink);
  for (int part = 0; part < sup_surface_triangles_per_face(surface) && kink > 0 && *most < 1;
       part++) {
    int corner[3];
    sup_surface_part(surface, part, corner);
    sup_corner_data state = sup_surface_corner_data(point, corner);
    *most = sup_max(*most, share_beside_edge(&state, point, corner));
  }
}

static sup_status visit_face(sup_surface_search *s, int i) {
  const sup_surface *surface = s->a->surface;
  int                parts = sup_surface_triangles_per_face(surface), corner[3];
  int                f = s->workspace->face[i];
  sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
  if (s->query->at_vertices)
    sup_surface_known_points(s, i, point);
  else
    sup_surface_face_points(s, f, point, &centre);
  double share = s->query->at_vertices ? s->workspace->polygons[i] : 1;
  for (int part = 0; part < parts; part++) {
    sup_surface_part(surface, part, corner);
    SUP_TRY(visit_triangle(s, f * parts + part, point, corner, share));
  }
  return SUP_OK;
}

/** One contact a vertex from the faces that follow the shape; shares of all faces are stored as
 * origins. */
static sup_status add_vertices(sup_surface_search *s, int count) {
  const sup_surface *surface = s->a->surface;
  sup_origins       *o = &s->list->origins;
  int                n = surface->vertices_per_face, before = s->list->count;
  sup_surface_sum_vertices(s, count);
  for (int i = 0; i < n * count; i++) {
    int vertex = surface->face[n * s->workspace->face[i / n] + i % n];
    SUP_TRY(sup_surface_add_vertex(s, vertex));
  }
  if (s->list->count == before) return SUP_OK;
  SUP_TRY(sup_origins_add_faces(o, count));
  for (int i = 0; i < count; i++)
    o->face[o->now.face + i] = (sup_face_origin){s->workspace->face[i], s->workspace->polygons[i]};
  return SUP_OK;
}

static sup_status visit_faces(sup_surface_search *s, int count, double drop) {
  int before = s->list->count;
  s->drop = drop, s->followed = s->volume = 0, s->holds = 0, s->list->num_facets = 0;
  for (int i = 0; i < count && s->query->at_vertices; i++) look_at_turns(s, i);
  for (int i = 0; i < count && s->query->at_vertices; i++) look_at_kinks(s, i);
  for (int i = 0; i < count; i++) {
    s->is_far = i >= s->num_near;
    SUP_TRY(visit_face(s, i));
  }
  SUP_TRY(sup_surface_add_facets(s, before));
  if (s->query->at_vertices) SUP_TRY(add_vertices(s, count));
  return SUP_OK;
}

/** List faces that may be near enough; their points are not computed yet. */
static int start(sup_surface_search *s) {
  s->margin = sup_surface_reach(s->b, s->query);
  int count = sup_surface_faces_near(s->a, s->b, s->query, s->margin + s->a->offered,
                                     s->workspace->face, &s->num_near);
  if (count > 0) memset(s->workspace->known, 0, (size_t)s->a->surface->num_points);
  return count;
}

static double longest_side(const sup_corner_data *t) {
  double square = 0;
  for (int c = 0; c < 3; c++) {
    sup_v3 side = sup_v3_sub(t->corner[(c + 1) % 3], t->corner[c]);
    square = sup_max(square, sup_v3_dot(side, side));
  }
  return sqrt(square);
}

static int sees(const sup_surface_search *s, const sup_corner_data *t) {
  sup_v3 centre =
             sup_v3_scale(1. / 3, sup_v3_add(t->corner[0], sup_v3_add(t->corner[1], t->corner[2]))),
         gradient;
  sup_v3 cross = sup_corner_cross(t);
  sup_shape_depth(s->b->shape, sup_frame_apply_inverse(&s->b->X_WG, centre), &gradient);
  return -sup_v3_dot(sup_v3_unit(cross), sup_m3_apply(s->b->X_WG.R, gradient)) >=
         sup_surface_numerics.facing;
}

/** Depth to which the last motion moves a corner outside the searched part [m]; 0: within the
 * tolerance. */
static double missed_depth(const sup_surface_search *s, const sup_corner_data *t) {
  double deepest = 0;
  for (int c = 0; c < 3; c++)
    if (t->level[c] >= s->drop) deepest = sup_max(deepest, -t->last[c]);
  if (!(deepest > 0)) return 0;
  double size = sup_min(longest_side(t), sup_shape_radius(s->b->shape));
  return deepest > sup_surface_numerics.missed * size && sees(s, t) ? deepest : 0;
}

int sup_surface_depth_missed(const sup_moving_surface *a, const sup_moving_shape *b,
                             const sup_surface_query     *query,
                             const sup_surface_workspace *workspace) {
  sup_surface_search s = {.a = a, .b = b, .query = query, .workspace = workspace};
  int count = start(&s), parts = sup_surface_triangles_per_face(a->surface), watched = 0,
      num_points = a->surface->vertices_per_face + (parts > 1), missed[2] = {0, 0};
  for (int i = 0; i < count; i++) {
    sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
    sup_surface_face_points(&s, workspace->face[i], point, &centre);
    bool dives = false;
    for (int k = 0; k < num_points; k++)
      watched |= point[k]->level < 0, dives |= point[k]->level >= 0 && point[k]->last < 0;
    for (int part = 0; part < parts && dives; part++) {
      int corner[3];
      sup_surface_part(a->surface, part, corner);
      sup_corner_data t = sup_surface_corner_data(point, corner);
      s.drop = 0;
      if (!(missed_depth(&s, &t) > 0)) continue;
      missed[0] = 1;
      s.drop = query->drop;
      missed[1] |= missed_depth(&s, &t) > 0;
    }
  }
  return missed[watched ? 0 : 1];
}

/** Opening of the gap computed from near faces, which are stored as origins. */
static sup_status open_gap(const sup_surface_search *s) {
  sup_origins *o = &s->list->origins;
  s->list->opened = sup_surface_opened(s->a, s->query, s->workspace, s->num_near);
  SUP_TRY(sup_origins_add_faces(o, s->num_near));
  for (int i = 0; i < s->num_near; i++)
    o->face[o->now.face + i] = (sup_face_origin){s->workspace->face[i], 1};
  o->now.balances = 1;
  return SUP_OK;
}

sup_status sup_collide_surface_depth(sup_contact_list *list, const sup_contact *prototype,
                                     const sup_moving_surface *a, const sup_moving_shape *b,
                                     const sup_surface_query     *query,
                                     const sup_surface_workspace *workspace) {
  sup_surface_search s = {
      .list = list, .prototype = prototype, .a = a, .b = b, .query = query, .workspace = workspace};
  int count = start(&s), before = list->count;
  if (count == 0) return SUP_OK;
  SUP_TRY(visit_faces(&s, count, 0));
  if (query->stood && !s.bends) SUP_TRY(open_gap(&s));
  if (list->count > before) return SUP_OK;
  sup_origins_undo(&list->origins);
  list->origins.now.drops = 1;
  SUP_TRY(visit_faces(&s, count, query->drop));
  return SUP_OK;
}
