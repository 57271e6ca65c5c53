#include "collide/collide.h"

#include "collide/surface_depth.h"

/** Refit the hierarchy of a soft body at its present points. */
static sup_status soft_surface(const sup_model *model, int s, const double *x, const double *xdot, sup_arena *arena,
                               sup_moving_surface *out) {
  const sup_soft *soft = &model->soft[s];
  int             n = soft->surface->num_triangles;
  sup_box        *box;
  sup_bvh_node   *node;
  *out = (sup_moving_surface){.surface = soft->surface, .X_WS = sup_frame_identity()};
  out->points = x + 3 * soft->first_vertex;
  out->xdot = xdot + 3 * soft->first_vertex;
  SUP_TRY(SUP_ARENA(arena, box, n));
  SUP_TRY(SUP_ARENA(arena, node, 2 * n - 1));
  for (int t = 0; t < n; t++) {
    box[t] = sup_box_empty();
    for (int c = 0; c < 3; c++) box[t] = sup_box_add(box[t], sup_surface_corner(soft->surface, out->points, t, c));
  }
  sup_bvh_refit(soft->bvh, box, node);
  out->node = node;
  for (int i = 0; i < soft->num_vertices; i++)
    out->speed = sup_max(out->speed, sup_v3_norm(sup_v3_load(out->xdot + 3 * i)));
  return SUP_OK;
}

static sup_moving_surface rigid_surface(const sup_model *model, const sup_kinematics *kin, int g) {
  const sup_geometry *geometry = &model->geometry[g];
  int                 b = geometry->body;
  double              radius = sup_shape_radius(&geometry->shape) + sup_v3_norm(geometry->X_LG.p);
  return (sup_moving_surface){.surface = geometry->surface,
                              .node = geometry->bvh->node,
                              .X_WS = kin->X_WL[b],
                              .points = geometry->points,
                              .w = kin->w[b],
                              .v = kin->v[b],
                              .speed = sup_v3_norm(kin->v[b]) + sup_v3_norm(kin->w[b]) * radius};
}

sup_status sup_collide(sup_contact_list *list, const sup_model *model, const sup_kinematics *kin, const double *x,
                       const double *xdot, sup_arena *arena) {
  double              dt = model->options.dt, drop = dt * dt * sup_v3_norm(sup_v3_load(model->options.gravity));
  sup_moving_surface *soft;
  int                *candidate, largest = 0;
  list->count = 0;
  SUP_TRY(SUP_ARENA(arena, soft, model->num_softs));
  for (int s = 0; s < model->num_softs; s++) {
    SUP_TRY(soft_surface(model, s, x, xdot, arena, &soft[s]));
    if (soft[s].surface->num_triangles > largest) largest = soft[s].surface->num_triangles;
  }
  for (int g = 0; g < model->num_geometries; g++)
    if (model->geometry[g].surface && model->geometry[g].surface->num_triangles > largest)
      largest = model->geometry[g].surface->num_triangles;
  SUP_TRY(SUP_ARENA(arena, candidate, largest));
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair     *pair = &model->pair[p];
    const sup_geometry *gb = &model->geometry[pair->geometry_b];
    sup_moving_surface  a =
        pair->geometry_a == SUP_NONE ? soft[model->body[pair->a].soft] : rigid_surface(model, kin, pair->geometry_a);
    sup_moving_shape b = {&gb->shape, sup_frame_mul(&kin->X_WL[pair->b], &gb->X_LG), kin->X_WL[pair->b],
                          kin->w[pair->b], kin->v[pair->b]};
    sup_contact      prototype = {.pair = p,
                                  .body_a = pair->a,
                                  .body_b = pair->b,
                                  .geometry_a = pair->geometry_a,
                                  .geometry_b = pair->geometry_b,
                                  .friction = pair->friction,
                                  .dissipation = pair->dissipation};
    SUP_TRY(sup_collide_surface_depth(list, &prototype, &a, &b, dt, drop, candidate));
  }
  return SUP_OK;
}
