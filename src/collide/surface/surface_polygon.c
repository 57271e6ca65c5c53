/* Polygons of a surface's triangles by the depths at their corners. */
#include <math.h>

#include "base/memory.h"
#include "collide/surface/numerics.h"
#include "collide/surface/search_parts.h"

/** Levels by which a part is inside now or acts within the step, seen `drop` ahead. */
static void set_levels(const sup_corner_data *t, double drop, double level[3]) {
  for (int c = 0; c < 3; c++) level[c] = sup_min(t->level[c], t->last[c]) - drop;
}

static sup_v3 combine(const sup_v3 corner[3], const double weight[3]) {
  sup_v3 p = sup_v3_scale(weight[0], corner[0]);
  return sup_v3_madd(sup_v3_madd(p, weight[1], corner[1]), weight[2], corner[2]);
}

/** Point, gap and normal of a part of a triangle, whose depth is linear. */
static void measure_middle(const sup_surface_search *s, const sup_corner_data *state,
                           const sup_clipped *part, sup_v3 cross, sup_contact *out) {
  const sup_moving_shape *b = s->b;
  sup_v3                  gradient;
  out->centroid = combine(state->corner, part->centroid);
  out->phi = part->centroid[0] * state->phi[0] + part->centroid[1] * state->phi[1] +
             part->centroid[2] * state->phi[2];
  out->penetration = -out->phi;
  sup_shape_depth(b->shape, sup_frame_apply_inverse(&b->X_WG, out->centroid), &gradient);
  out->normal = sup_v3_scale(-1, sup_m3_apply(b->X_WG.R, gradient));
  out->facing = sup_v3_dot(sup_v3_unit(cross), out->normal);
}

/** Contact of a part of triangle t. */
static void measure(const sup_surface_search *s, int t, const sup_corner_data *state,
                    const sup_clipped *part, double spread, sup_contact *out) {
  const sup_moving_surface *a = s->a;
  sup_v3                    cross = sup_corner_cross(state);
  *out = *s->prototype;
  out->item_a = t, out->item_b = SUP_NONE;
  out->area = 0.5 * sup_v3_norm(cross) * part->fraction;
  measure_middle(s, state, part, cross, out);
  out->spread = spread;
  out->num_points = part->num_points;
  if (a->xdot) {
    sup_surface_barycentric_weights(a->surface, t, part->centroid, out->carrier_a.vertex,
                                    out->carrier_a.weight);
    out->carrier_a.num_vertices = a->surface->vertices_per_face;
  }
  if (!(out->slope > 0)) out->slope = a->slope[t];
  for (int i = 0; i < part->num_points; i++) {
    const double *w = part->weight[i];
    out->point[i] = combine(state->corner, w);
    out->level[i] =
        -out->slope * (w[0] * state->phi[0] + w[1] * state->phi[1] + w[2] * state->phi[2]);
  }
}

/** Measure a part larger than round-off; add its contact if the part faces the shape. */
static sup_status add_part(const sup_surface_search *s, int t, const sup_corner_data *state,
                           const sup_clipped *part, int third, unsigned inside, double spread) {
  sup_contact_list *list = s->list;
  if (!(part->fraction >= sup_surface_numerics.fraction)) return SUP_OK;
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + 1));
  sup_contact *contact = &list->contact[list->count];
  measure(s, t, state, part, spread, contact);
  if (!(contact->area > 0) || contact->facing < sup_surface_numerics.facing) return SUP_OK;
  list->count++;
  SUP_TRY(sup_origins_add(&list->origins, SUP_ORIGIN_POLYGON, t, (int)inside, third));
  return SUP_OK;
}

/** 1: turning changes the depth within a part of a face by more than a tenth.  A single force at
 * the centroid would act off the centre of pressure and add energy (THEORY 33). */
static int is_tilted(const sup_surface_search *s, const sup_corner_data *state,
                     const sup_clipped *part) {
  double least = HUGE_VAL, most = -HUGE_VAL, depth = 0;
  if (!sup_surface_is_turned(s) || part->fraction == 1) return 0;
  for (int i = 0; i < part->num_points; i++) {
    double turned = 0, last = 0;
    for (int c = 0; c < 3; c++) {
      turned += part->weight[i][c] * (state->phi[c] - state->stood[c]);
      last += part->weight[i][c] * state->last[c];
    }
    least = sup_min(least, turned), most = sup_max(most, turned), depth = sup_max(depth, -last);
  }
  return most - least > sup_surface_numerics.tilted * depth;
}

sup_status sup_surface_add_polygons(const sup_surface_search *s, int t,
                                    const sup_corner_data *state) {
  sup_clipped part, third[3];
  double      level[3];
  set_levels(state, s->drop, level);
  sup_clip_triangle(level, &part);
  if (part.num_points == 0) return SUP_OK;
  unsigned inside = sup_clip_inside(level);
  if (!s->query->thirds && !is_tilted(s, state, &part)) {
    SUP_TRY(add_part(s, t, state, &part, 0, inside, sup_clipped_spread(&part, state->phi)));
    return SUP_OK;
  }
  sup_clip_thirds(&part, third);
  int first = s->list->count;
  for (int k = 0; k < 3; k++) SUP_TRY(add_part(s, t, state, &third[k], k + 1, inside, 0));
  for (int i = first; i < s->list->count && !s->query->thirds; i++) s->list->contact[i].parts = 3;
  return SUP_OK;
}

void sup_surface_measure_polygon(const sup_surface_search *s, const sup_contact_origin *origin,
                                 sup_contact *out) {
  sup_corner_data state = sup_surface_triangle(s, origin->item);
  sup_clipped     part, third[3];
  int             k = origin->part;
  double          level[3];
  set_levels(&state, s->drop, level);
  sup_clip_triangle_with(level, (unsigned)origin->other, &part);
  if (part.num_points == 0) /* without area: the middle of the triangle */
    part.centroid[0] = part.centroid[1] = part.centroid[2] = 1. / 3, k = 0;
  if (k > 0) sup_clip_thirds(&part, third);
  measure(s, origin->item, &state, k > 0 ? &third[k - 1] : &part,
          k > 0 ? 0 : sup_clipped_spread(&part, state.phi), out);
  if (origin->part > 0 && !s->query->thirds) out->parts = 3;
  out->area *= origin->share[0], out->area *= origin->share[1];
}
