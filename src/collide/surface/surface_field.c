/* Contacts of a surface in a pressure field. */
#include "collide/field/field_contact.h"

#include <string.h>

#include "collide/merge.h"
#include "collide/surface/patch.h"

/** Barycentric functions of a triangle, constant along its normal, and with them the velocity of
 * the surface. */
static void see_motion(const sup_moving_surface *a, int t, sup_seen_triangle *seen) {
  for (int k = 0; k < 3; k++) {
    sup_v3 p = seen->corner[(k + 1) % 3], edge = sup_v3_sub(seen->corner[(k + 2) % 3], p);
    sup_v3 gradient = sup_v3_scale(0.5 / seen->area, sup_v3_cross(seen->n, edge));
    seen->lambda[k] = (sup_plane){gradient, -sup_v3_dot(gradient, p)};
    double speed = sup_v3_dot(seen->n, sup_surface_corner(a->surface, a->xdot, t, k));
    sup_plane_accumulate(&seen->approach, speed, &seen->lambda[k]);
  }
}

static void see_triangle(const sup_patch_job *j, int t, const sup_v3 corner[3],
                         sup_seen_triangle *seen) {
  sup_v3 cross = sup_v3_cross(sup_v3_sub(corner[1], corner[0]), sup_v3_sub(corner[2], corner[0]));
  seen->area = 0.5 * sup_v3_norm(cross);
  if (seen->area < j->min_area) return;
  seen->n = sup_v3_scale(0.5 / seen->area, cross);
  memcpy(seen->corner, corner, sizeof seen->corner);
  seen->approach = sup_patch_rigid_approach(j, seen->n);
  if (j->surface_a->xdot) see_motion(j->surface_a, t, seen);
  for (int k = 0; k < 3; k++)
    seen->advance[k] = sup_max(0, j->options->dt * sup_plane_value(&seen->approach, corner[k]));
}

/** Triangles of face f, computed once a search. */
static const sup_seen_triangle *see_face(const sup_patch_job *j, int f) {
  const sup_surface *surface = j->surface_a->surface;
  const double      *points = j->surface_a->points;
  int n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface), corner[3];
  sup_seen_triangle *seen = &j->options->workspace_faces.triangle[(size_t)f * (size_t)parts];
  sup_v3             point[SUP_FACE_MAX_CORNERS]; /* corners of the face, then its centre */
  if (j->options->workspace_faces.known[f]) return seen;
  j->options->workspace_faces.known[f] = 1;
  for (int k = 0; k < n; k++) point[k] = sup_v3_load(points + 3 * surface->face[n * f + k]);
  if (parts > 1) point[n] = sup_surface_centre(surface, points, f);
  for (int part = 0; part < parts; part++) {
    sup_surface_part(surface, part, corner);
    see_triangle(j, f * parts + part,
                 (sup_v3[3]){point[corner[0]], point[corner[1]], point[corner[2]]}, &seen[part]);
  }
  return seen;
}

/** Set pressure and slope of a triangle with normal n into the cell; 0: seen from behind.  The
 * layer of a soft side is in series with the field and takes a share of the overlap: pressure and
 * slope are reduced by one factor, the gap remains that of the field.  A stiff field acts as the
 * exact depth (THEORY 15.3). */
static int set_surface_slope(const sup_patch_job *j, int t, const sup_field_cell *cell,
                             sup_patch *p) {
  p->pressure = cell->pressure;
  p->slope = sup_field_slope_along(cell, p->n);
  p->steepness = cell->steepness;
  if (!(p->slope > 0)) return 0;
  if (!j->surface_a->slope) return 1;
  double share = sup_in_series(p->slope, j->surface_a->slope[t]) / p->slope;
  p->pressure.normal = sup_v3_scale(share, p->pressure.normal), p->pressure.offset *= share;
  p->slope *= share, p->steepness *= share;
  return 1;
}

/** 1: no piece of the triangle in the cell can become a contact; tested before clipping.  Depth
 * plus advance is bounded by a convex function on the triangle, which is largest at a corner. */
static int is_idle(sup_patch_job *j, const sup_seen_triangle *seen, const sup_field_cell *cell) {
  if (j->options->everything) return 0;
  double slope = sup_field_slope_along(cell, seen->n), slack = 2 * j->lift * cell->steepness;
  double most = -HUGE_VAL, most_ahead = -HUGE_VAL;
  for (int k = 0; k < 3; k++) {
    double p = sup_plane_value(&cell->pressure, seen->corner[k]);
    most = sup_max(most, p),
    most_ahead = sup_max(most_ahead, p + slope * (seen->advance[k] + j->drop));
  }
  if (!(slope > 0)) return !sup_patch_counts_backward(j, cell->steepness, most + slack);
  if (most < j->slab[0] - slack) return 1;
  return most_ahead < -(1e-9 * slope * j->options->reach + slack);
}

static sup_status cut_triangle(sup_patch_job *j, int t, const sup_seen_triangle *seen, int e,
                               const sup_field_cell *cell) {
  sup_patch p; /* large: not cleared */
  p.n = seen->n;
  p.polygon.num_points = 3;
  for (int k = 0; k < 3; k++) p.polygon.point[k] = sup_v3_madd(seen->corner[k], j->lift, p.n);
  if (cell->num_planes) sup_polygon_clip_tet(&p.polygon, cell->inside);
  if (p.polygon.num_points == 0) return SUP_OK;
  for (int k = 0; k < p.polygon.num_points; k++)
    p.polygon.point[k] = sup_v3_madd(p.polygon.point[k], -j->lift, p.n);
  if (!sup_patch_is_in_slab(j, &p, &cell->pressure)) return SUP_OK;
  if (!set_surface_slope(j, t, cell, &p)) {
    sup_patch_count_backward(j, &p);
    return SUP_OK;
  }
  p.approach = seen->approach;
  p.a = (sup_patch_side){j->surface_a->xdot ? 3 : 0, seen->lambda};
  p.b = (sup_patch_side){0, NULL};
  SUP_TRY(sup_patch_add(j, &p, t, e));
  return SUP_OK;
}

static sup_status visit_face(int f, int e, void *user) {
  sup_patch_job *j = user;
  if (j->surface_a->left_out && j->surface_a->left_out[f]) return SUP_OK;
  const sup_field_cell    *cell = sup_moving_field_cell(j, j->field_b, &j->X_AB, e);
  int                      parts = sup_surface_triangles_per_face(j->surface_a->surface);
  const sup_seen_triangle *seen = see_face(j, f);
  for (int part = 0; part < parts && cell; part++) {
    if (seen[part].area < j->min_area || is_idle(j, &seen[part], cell)) continue;
    SUP_TRY(cut_triangle(j, f * parts + part, &seen[part], e, cell));
  }
  return SUP_OK;
}

/** Triangle t in cell e, of origins. */
static sup_status visit_triangle(int t, int e, void *user) {
  sup_patch_job        *j = user;
  const sup_field_cell *cell = sup_moving_field_cell(j, j->field_b, &j->X_AB, e);
  int                   parts = sup_surface_triangles_per_face(j->surface_a->surface);
  if (!cell) return SUP_OK;
  return cut_triangle(j, t, &see_face(j, t / parts)[t % parts], e, cell);
}

sup_status sup_collide_surface_field(sup_contact_list *list, const sup_contact *prototype,
                                     const sup_moving_surface *a, const sup_moving_field *b,
                                     const sup_patch_options *options) {
  sup_patch_job j = {.list = list,
                     .prototype = prototype,
                     .surface_a = a,
                     .field_b = b,
                     .options = options,
                     .X_WA = a->X_WS};
  int           first = list->count;
  SUP_ASSERT(!b->points);
  sup_patch_place(&j, b->field->size, a->v, a->w);
  memset(options->workspace_faces.known, 0, (size_t)a->surface->num_faces);
  if (options->from) {
    SUP_TRY(sup_patch_measure(&j, visit_triangle));
    return SUP_OK;
  }
  SUP_TRY(sup_patch_search(&j, a->node, a->surface->num_faces, visit_face));
  if (a->xdot) SUP_TRY(sup_contacts_merge(list, first));
  return SUP_OK;
}
