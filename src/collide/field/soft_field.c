#include "collide/field/soft_field.h"

#include <string.h>

static sup_status place_points(const sup_soft *soft, const double *x, const double *xdot,
                               double reach, sup_arena *arena, sup_moving_field *f) {
  const sup_mesh_field *mesh = soft->mesh_field;
  size_t                n = (size_t)mesh->num_points;
  double               *points, *velocity, *pressure, width = reach + mesh->shell_width;
  sup_v3               *normal;
  SUP_TRY(SUP_ARENA(arena, points, 3 * n));
  SUP_TRY(SUP_ARENA(arena, velocity, 3 * n));
  SUP_TRY(SUP_ARENA(arena, pressure, n));
  SUP_TRY(SUP_ARENA(arena, normal, mesh->num_shell));
  sup_mesh_field_points(mesh, x, points);
  sup_mesh_field_points(mesh, xdot, velocity);
  sup_mesh_field_raise(mesh, width, normal, points);
  memcpy(pressure, soft->field->p, n * sizeof *pressure);
  for (int i = mesh->first_outer; i < mesh->num_points; i++)
    pressure[i] *= width / mesh->shell_width;
  f->points = points, f->xdot = velocity, f->pressure = pressure;
  return SUP_OK;
}

sup_status sup_soft_field_place(const sup_soft *soft, const double *x, const double *xdot,
                                double reach, sup_arena *arena, sup_moving_field *f) {
  const sup_mesh_field *mesh = soft->mesh_field;
  int                   cells = mesh->bvh->num_items;
  sup_box              *box;
  sup_bvh_node         *node;
  *f = (sup_moving_field){
      .field = soft->field, .X_WF = sup_frame_identity(), .mesh_field = mesh, .near = soft->near};
  SUP_TRY(place_points(soft, x, xdot, reach, arena, f));
  SUP_TRY(SUP_ARENA(arena, box, cells));
  SUP_TRY(SUP_ARENA(arena, node, 2 * cells - 1));
  sup_mesh_field_refit(mesh, f->points, box, node);
  f->cell_box = box, f->cell_node = node;
  SUP_TRY(SUP_ARENA(arena, f->cell, mesh->num_tets));
  SUP_TRY(SUP_ARENA(arena, f->state, mesh->num_tets));
  memset(f->state, SUP_CELL_UNKNOWN, (size_t)mesh->num_tets);
  return SUP_OK;
}

double sup_soft_speed(int n, const double *x, const double *xdot) {
  sup_v3 centre = {0, 0, 0}, mean = {0, 0, 0}, momentum = {0, 0, 0};
  sup_m3 inertia = sup_m3_zero();
  double most = 0;
  for (int i = 0; i < n; i++) {
    centre = sup_v3_madd(centre, 1. / n, sup_v3_load(x + 3 * i));
    mean = sup_v3_madd(mean, 1. / n, sup_v3_load(xdot + 3 * i));
  }
  for (int i = 0; i < n; i++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * i), centre);
    momentum = sup_v3_add(momentum, sup_v3_cross(r, sup_v3_load(xdot + 3 * i)));
    inertia = sup_m3_add(inertia, sup_m3_scale(sup_v3_dot(r, r), sup_m3_identity()));
    inertia = sup_m3_add(inertia, sup_m3_scale(-1, sup_m3_outer(r, r)));
  }
  sup_v3 w = sup_m3_apply(sup_m3_inverse(inertia), momentum);
  if (!isfinite(sup_v3_norm(w))) w = sup_v3_make(0, 0, 0); /* all on a line */
  for (int i = 0; i < n; i++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * i), centre);
    sup_v3 rigid = sup_v3_add(mean, sup_v3_cross(w, r));
    most = sup_max(most, sup_v3_norm(sup_v3_sub(sup_v3_load(xdot + 3 * i), rigid)));
  }
  return most;
}
