#include "collide/travel.h"

/** Bound on the displacement of a shape's points by a step of its link at w, v. */
static double displacement(const sup_model *model, int g, const sup_kinematics *kin, sup_v3 w, sup_v3 v) {
  const sup_geometry *geometry = &model->geometry[g];
  const sup_m3       *R = &kin->X_WL[geometry->body].R;
  double              spin = sup_v3_norm(w), belt = sup_v3_norm(sup_v3_load(geometry->contact.surface_velocity));
  sup_v3              centre = sup_v3_add(v, sup_v3_cross(w, sup_m3_apply(*R, geometry->X_LG.p)));
  double              speed = sup_v3_norm(centre) + belt + (spin > 0 ? spin * sup_shape_radius(&geometry->shape) : 0);
  return model->options.dt * speed;
}

sup_status sup_travel_start(const sup_model *model, const sup_kinematics *kin, sup_arena *arena, double **travel) {
  static const double slack =
      0.01; /* of the radius: what a neighbour's push may add before the pairs are looked up again */
  double dt = model->options.dt, drop = dt * dt * sup_v3_norm(sup_v3_load(model->options.gravity));
  SUP_TRY(SUP_ARENA(arena, *travel, model->num_geometries));
  for (int g = 0; g < model->num_geometries; g++) {
    int b = model->geometry[g].body;
    (*travel)[g] = displacement(model, g, kin, kin->w[b], kin->v[b]);
    if (model->body[b].movable) (*travel)[g] += drop + slack * sup_shape_radius(&model->geometry[g].shape);
  }
  return SUP_OK;
}

sup_status sup_travel_check(const sup_model *model, const sup_kinematics *kin, const double *q, const double *v,
                            sup_arena *arena, double *travel, int *num_exceeded) {
  sup_kinematics next = {.base = kin->base};
  SUP_TRY(SUP_ARENA(arena, next.X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, next.w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, next.v, model->num_bodies));
  for (int t = 0; t < model->num_trees; t++) {
    sup_tree_kinematics_data part = sup_kinematics_tree(&next, model, t);
    sup_tree_kinematics(model->tree[t], &kin->base[t], q + model->q_start[t], v + model->v_start[t], &part);
  }
  *num_exceeded = 0;
  for (int g = 0; g < model->num_geometries; g++) {
    int    b = model->geometry[g].body;
    double gone = displacement(model, g, kin, next.w[b], next.v[b]);
    if (!(gone > travel[g] * (1 + 1e-12))) continue;
    travel[g] = 1.5 * gone;
    ++*num_exceeded;
  }
  return SUP_OK;
}

double sup_travel_reach(const sup_pair *pair, const double *travel) {
  return pair->reach_factor * (travel[pair->geometry_a] + travel[pair->geometry_b]);
}

double sup_travel_growth(const sup_geometry *geometry, double travel) {
  return 0.5 * geometry->reach_range + geometry->reach_factor * travel;
}
