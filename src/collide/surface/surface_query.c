/* Faces of a surface that can act on a shape within a step, and their reach. */
#include "collide/surface/surface_depth.h"

#include <math.h>

sup_v3 sup_surface_rigid_velocity(sup_v3 v, sup_v3 w, sup_v3 origin, sup_v3 p) {
  return sup_v3_add(v, sup_v3_cross(w, sup_v3_sub(p, origin)));
}

sup_v3 sup_surface_past(const sup_moving_surface *a, const sup_moving_shape *b,
                        const sup_surface_motion *m, sup_v3 p, sup_v3 va) {
  return sup_v3_sub(m->xdot ? va : sup_surface_rigid_velocity(m->v_a, m->w_a, a->X_WS.p, p),
                    sup_surface_rigid_velocity(m->v_b, m->w_b, b->X_WL.p, p));
}

double sup_surface_level(const sup_surface_query *query, double phi, sup_v3 gradient, sup_v3 u) {
  double vn = sup_v3_dot(gradient, u), out = phi + query->ahead * vn;
  if (!(query->glide > 0)) return out;
  sup_v3 slip = sup_v3_add(u, query->belt);
  double square = sup_v3_dot(slip, slip), along = sup_v3_dot(gradient, slip);
  return out - query->glide * sqrt(sup_max(0, square - along * along));
}

/** Faces of a near b, searched in a's frame. */
static int find_candidates(const sup_moving_surface *a, const sup_moving_shape *b, double margin,
                           int *face) {
  sup_frame X_SG = {sup_m3_mul(sup_m3_transpose(a->X_WS.R), b->X_WG.R),
                    sup_frame_apply_inverse(&a->X_WS, b->X_WG.p)};
  if (b->shape->type == SUP_SHAPE_HALF_SPACE) {
    sup_v3 normal = sup_m3_column(&X_SG.R, 2);
    return sup_bvh_query_half_space(a->node, normal, sup_v3_dot(normal, X_SG.p) + margin, face);
  }
  sup_box box;
  sup_shape_bounds(b->shape, &X_SG, margin, &box.lower, &box.upper);
  return sup_bvh_query(a->node, &box, face);
}

/** Remove faces that do not touch the shape; returns the number of the others. */
static int keep(const sup_moving_surface *a, int *face, int count) {
  int kept = 0;
  if (!a->left_out) return count;
  for (int i = 0; i < count; i++)
    if (!a->left_out[face[i]]) face[kept++] = face[i];
  return kept;
}

/** Append all faces that are not among the first num_near; returns the total number. */
static int add_far_faces(const sup_surface *surface, int *face, int num_near) {
  int count = num_near;
  for (int f = 0; f < surface->num_faces; f++) {
    int is_near = 0;
    for (int i = 0; i < num_near && !is_near; i++) is_near = face[i] == f;
    if (!is_near) face[count++] = f;
  }
  return count;
}

int sup_surface_faces_near(const sup_moving_surface *a, const sup_moving_shape *b,
                           const sup_surface_query *query, double margin, int *face,
                           int *num_near) {
  *num_near = keep(a, face, find_candidates(a, b, margin, face));
  return query->everything ? keep(a, face, add_far_faces(a->surface, face, *num_near)) : *num_near;
}

double sup_surface_reach(const sup_moving_shape *b, const sup_surface_query *query) {
  double radius = sup_shape_radius(b->shape), arm = sup_v3_norm(sup_v3_sub(b->X_WG.p, b->X_WL.p)),
         most = 0, back = 0;
  for (int k = 0; k < query->num_motions; k++) {
    const sup_surface_motion *m = &query->motion[k];
    double                    spin = sup_v3_norm(m->w_b), speed = m->speed_a + sup_v3_norm(m->v_b);
    if (spin > 0) speed += spin * (radius + arm); /* a turning half space reaches everywhere */
    double slide = query->glide > 0 ? speed + sup_v3_norm(query->belt) : 0,
           lever = 1 - query->glide * spin;
    if (!(lever > 0)) return HUGE_VAL;
    if (k == 0) back = query->elapsed * speed;
    double way = k == 0 ? (query->ahead - query->elapsed) * speed : query->ahead * speed + back;
    most = sup_max(most, (way + query->glide * slide) / lever);
  }
  return most + query->drop;
}
