/* A surface in a field. */
#include "collide/field_contact.h"
#include "collide/merge.h"
#include "collide/patch.h"

/** Barycentric functions of a triangle, constant along its normal. */
static void triangle_side(const sup_moving_surface *a, int t, const sup_v3 corner[3], sup_v3 normal, double area,
                          sup_patch_side *s) {
  s->num_corners = 0;
  if (!a->xdot) return;
  s->num_corners = 3;
  for (int k = 0; k < 3; k++) {
    sup_v3 p = corner[(k + 1) % 3], edge = sup_v3_sub(corner[(k + 2) % 3], p);
    sup_v3 gradient = sup_v3_scale(0.5 / area, sup_v3_cross(normal, edge));
    s->lambda[k] = (sup_plane){gradient, -sup_v3_dot(gradient, p)};
    s->xdot[k] = sup_surface_corner(a->surface, a->xdot, t, k);
  }
}

/** Of a triangle with normal n into the cell; 0: seen from behind.  The layer of a soft side is in series and takes its
 *  share of the overlap: pressure and slope shrink alike, so that the gap is that of the field and a field that hardly
 *  yields acts as the exact depth does (THEORY 15.3). */
static int set_surface_slope(const sup_patch_job *j, int t, const sup_field_cell *cell, sup_patch *p) {
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

static sup_status cut_triangle(sup_patch_job *j, int t, const sup_v3 own[3], int e, const sup_field_cell *cell) {
  sup_patch p; /* large: not cleared */
  p.polygon.num_points = 3;
  sup_v3 *corner = p.polygon.point;
  for (int k = 0; k < 3; k++) corner[k] = own[k];
  if (sup_patch_stays_apart(j, &p.polygon, &cell->pressure, cell->steepness, cell->steepness)) return SUP_OK;
  sup_v3 cross = sup_v3_cross(sup_v3_sub(own[1], own[0]), sup_v3_sub(own[2], own[0]));
  double area = 0.5 * sup_v3_norm(cross);
  if (area < SUP_PATCH_MIN_AREA) return SUP_OK;
  p.n = sup_v3_scale(0.5 / area, cross);
  for (int k = 0; k < 3; k++) corner[k] = sup_v3_madd(own[k], j->lift, p.n);
  if (cell->num_planes) sup_polygon_clip_tet(&p.polygon, cell->inside);
  if (p.polygon.num_points == 0) return SUP_OK;
  for (int k = 0; k < p.polygon.num_points; k++) corner[k] = sup_v3_madd(corner[k], -j->lift, p.n);
  if (!sup_patch_is_in_slab(j, &p, &cell->pressure)) return SUP_OK;
  j->num_seen++;
  if (!set_surface_slope(j, t, cell, &p)) {
    sup_patch_count_backward(j, &p);
    return SUP_OK;
  }
  triangle_side(j->surface_a, t, own, p.n, area, &p.a);
  sup_moving_field_side(j->field_b, e, cell, &p.b);
  SUP_TRY(sup_patch_add(j, &p, t, e));
  return SUP_OK;
}

static sup_status visit_face(int f, int e, void *user) {
  sup_patch_job        *j = user;
  const sup_surface    *surface = j->surface_a->surface;
  const double         *points = j->surface_a->points;
  const sup_field_cell *cell = sup_moving_field_cell(j, j->field_b, &j->X_AB, e);
  int                   n = surface->vertices_per_face, parts = sup_surface_triangles_per_face(surface);
  sup_polygon           whole; /* its points, then its centre */
  if (!cell) return SUP_OK;
  for (int k = 0; k < n; k++) whole.point[k] = sup_v3_load(points + 3 * surface->face[n * f + k]);
  whole.num_points = n;
  if (sup_patch_stays_apart(j, &whole, &cell->pressure, cell->steepness, cell->steepness)) return SUP_OK;
  if (parts > 1) whole.point[n] = sup_surface_centre(surface, points, f);
  for (int part = 0; part < parts; part++) {
    int corner[3];
    sup_surface_part(surface, part, corner);
    sup_v3 own[3] = {whole.point[corner[0]], whole.point[corner[1]], whole.point[corner[2]]};
    SUP_TRY(cut_triangle(j, f * parts + part, own, e, cell));
  }
  return SUP_OK;
}

sup_status sup_collide_surface_field(sup_contact_list *list, const sup_contact *prototype, const sup_moving_surface *a,
                                     const sup_moving_field *b, const sup_patch_options *options) {
  sup_patch_job j = {
      .list = list, .prototype = prototype, .surface_a = a, .field_b = b, .options = options, .X_WA = a->X_WS};
  int first = list->count;
  sup_patch_place(&j, b->field->size, a->v, a->w);
  SUP_TRY(sup_patch_search(&j, a->node, a->surface->num_faces, visit_face));
  if (a->xdot) SUP_TRY(sup_contacts_merge(list, first));
  return SUP_OK;
}
