/* Depths of points and triangles of a surface in a shape. */
#include "collide/surface/search_parts.h"

/** Depth of a point before the links were turned. */
static double depth_before(const sup_surface_search *s, sup_v3 x) {
  const sup_frame *stood = s->query->stood;
  sup_v3           gradient;
  return sup_shape_depth(
      s->b->shape, sup_frame_apply_inverse(&stood[1], sup_frame_apply(&stood[0], x)), &gradient);
}

/** Point x in the frame of a's points; soft surface: mean of `count` points. */
static sup_surface_point point_state(const sup_surface_search *s, sup_v3 x, const int *vertex,
                                     int count) {
  const sup_surface_query *query = s->query;
  sup_v3                   p = sup_frame_apply(&s->a->X_WS, x), gradient;
  double phi = sup_shape_depth(s->b->shape, sup_frame_apply_inverse(&s->b->X_WG, p), &gradient);
  gradient = sup_m3_apply(s->b->X_WG.R, gradient);
  sup_surface_point out = {.at = p, .phi = phi, .level = phi, .last = phi, .gradient = gradient};
  double            at_start = phi;
  out.stood = phi;
  for (int k = 0; k < query->num_motions; k++) {
    const sup_surface_motion *m = &query->motion[k];
    sup_v3                    va = {0, 0, 0};
    for (int i = 0; m->xdot && i < count; i++)
      va = sup_v3_madd(va, 1. / count, sup_v3_load(m->xdot + 3 * vertex[i]));
    sup_v3 u = sup_surface_past(s->a, s->b, m, p, va);
    if (k == 0) at_start -= query->elapsed * sup_v3_dot(gradient, u);
    if (k == 0 && sup_surface_is_turned(s)) {
      out.stood = query->stood ? depth_before(s, x) : at_start;
      out.level = out.last = out.stood;
      continue;
    }
    out.level = sup_min(out.level, out.last);
    out.last = sup_surface_level(query, at_start, gradient, u);
  }
  return out;
}

sup_surface_point *sup_surface_point_of(const sup_surface_search *s, int i) {
  const sup_moving_surface *a = s->a;
  sup_surface_point        *point = &s->workspace->point[i];
  if (!s->workspace->known[i]) {
    *point = point_state(s, sup_v3_load(a->points + 3 * i), &i, 1);
    s->workspace->known[i] = 1;
  }
  return point;
}

static sup_surface_point centre_of(const sup_surface_search *s, int f) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  return point_state(s, sup_surface_centre(surface, s->a->points, f), surface->face + n * f, n);
}

sup_corner_data sup_surface_corner_data(sup_face_points point, const int corner[3]) {
  sup_corner_data t;
  for (int c = 0; c < 3; c++) {
    const sup_surface_point *p = point[corner[c]];
    t.corner[c] = p->at, t.phi[c] = p->phi, t.stood[c] = p->stood, t.level[c] = p->level,
    t.last[c] = p->last, t.gradient[c] = p->gradient;
  }
  return t;
}

void sup_surface_face_points(const sup_surface_search *s, int f,
                             sup_surface_point *point[SUP_FACE_MAX_CORNERS],
                             sup_surface_point *centre) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face;
  for (int k = 0; k < n; k++) point[k] = sup_surface_point_of(s, surface->face[n * f + k]);
  if (sup_surface_triangles_per_face(surface) > 1) *centre = centre_of(s, f), point[n] = centre;
}

void sup_surface_known_points(const sup_surface_search *s, int i,
                              sup_surface_point *point[SUP_FACE_MAX_CORNERS]) {
  const sup_surface *surface = s->a->surface;
  int                n = surface->vertices_per_face, f = s->workspace->face[i];
  for (int k = 0; k < n; k++) point[k] = &s->workspace->point[surface->face[n * f + k]];
  if (sup_surface_triangles_per_face(surface) > 1) point[n] = &s->workspace->centre[i];
}

sup_corner_data sup_surface_triangle(const sup_surface_search *s, int t) {
  sup_surface_point *point[SUP_FACE_MAX_CORNERS], centre;
  int                parts = sup_surface_triangles_per_face(s->a->surface), corner[3];
  sup_surface_face_points(s, t / parts, point, &centre);
  sup_surface_part(s->a->surface, t % parts, corner);
  return sup_surface_corner_data(point, corner);
}
