#include "collide/travel.h"

#include "collide/numerics.h"

/** Bound on the speed of a belt's surface relative to its body, at any phase. */
static double belt_speed(const sup_contact_def *def) {
  return sup_v3_norm(sup_v3_load(def->surface_velocity)) +
         sup_v3_norm(sup_v3_load(def->surface_amplitude));
}

/** Bound on the displacement of a shape's points by a step of its link at w, v. */
static sup_travel displacement(const sup_model *model, const sup_increment *inc, int g,
                               const sup_kinematics *kin, sup_v3 w, sup_v3 v) {
  const sup_geometry *geometry = &model->geometry[g];
  const sup_m3       *R = &kin->X_WL[geometry->body].R;
  double              spin = sup_v3_norm(w), belt = belt_speed(&geometry->contact), h = inc->h;
  sup_v3              centre = sup_v3_add(v, sup_v3_cross(w, sup_m3_apply(*R, geometry->X_LG.p)));
  double              speed = belt + (spin > 0 ? spin * sup_shape_radius(&geometry->shape) : 0);
  return (sup_travel){h * (sup_v3_norm(centre) + speed), h * spin, sup_v3_scale(h, centre),
                      h * speed};
}

sup_status sup_travel_start(const sup_model *model, const sup_increment *inc,
                            const sup_kinematics *kin, sup_arena *arena, sup_travel **travel) {
  double slack = sup_collide_numerics.travel;
  double drop = inc->h * inc->h * sup_v3_norm(inc->gravity);
  SUP_TRY(SUP_ARENA(arena, *travel, model->num_geometries));
  for (int g = 0; g < model->num_geometries; g++) {
    int         b = model->geometry[g].body;
    sup_travel *t = &(*travel)[g];
    *t = displacement(model, inc, g, kin, kin->w[b], kin->v[b]);
    if (!model->body[b].movable) continue;
    double aside = drop + slack * sup_shape_radius(&model->geometry[g].shape);
    t->distance += aside, t->beside += aside;
    t->turn += slack;
  }
  return SUP_OK;
}

/** Raise the bound of what is beside the way; returns whether it was exceeded. */
static bool raise_beside(sup_travel *t, const sup_travel *gone) {
  double more = sup_collide_numerics.travel_more, round_off = sup_collide_numerics.travel_digits;
  double beside = sup_v3_norm(sup_v3_sub(gone->way, t->way)) + gone->beside;
  if (!(beside > t->beside + round_off * (t->beside + sup_v3_norm(t->way)))) return false;
  t->beside = more * beside;
  t->distance = sup_max(t->distance, sup_v3_norm(t->way) + t->beside);
  return true;
}

/** 1: the shape has pairs in point contact, the only ones that are chosen by travel. */
static int is_bounded(const sup_geometry *geometry) { return geometry->reach_factor > 0; }

sup_status sup_travel_check(const sup_model *model, const sup_increment *inc,
                            const sup_kinematics *kin, const double *q, const double *v,
                            sup_arena *arena, sup_travel *travel, int *num_exceeded) {
  double more = sup_collide_numerics.travel_more, round_off = sup_collide_numerics.travel_digits;
  sup_kinematics next = {.base = kin->base};
  SUP_TRY(SUP_ARENA(arena, next.X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, next.w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, next.v, model->num_bodies));
  for (int t = 0; t < model->num_trees; t++) {
    sup_tree_kinematics_data part = sup_kinematics_tree(&next, model, t);
    sup_tree_kinematics(model->tree[t], &kin->base[t], q + model->q_start[t], v + model->v_start[t],
                        &part);
  }
  *num_exceeded = 0;
  for (int g = 0; g < model->num_geometries; g++) {
    if (!is_bounded(&model->geometry[g])) continue;
    int         b = model->geometry[g].body;
    sup_travel *t = &travel[g], gone = displacement(model, inc, g, kin, next.w[b], next.v[b]);
    int         is_far = gone.distance > t->distance * (1 + round_off),
        is_turned = gone.turn > t->turn * (1 + round_off);
    if (model->geometry[g].is_endless)
      is_far = raise_beside(t, &gone);
    else if (is_far)
      t->distance = more * gone.distance;
    if (is_turned) t->turn = more * gone.turn;
    *num_exceeded += is_far || is_turned;
  }
  return SUP_OK;
}

/** 1 - mu T |w|, but not below 1/2. */
static double lever_factor(double slide_turn) { return 1 - sup_min(slide_turn, 0.5); }

/** T/h of a law with the look-ahead time T = h + delay. */
static double horizon(const sup_increment *inc, double delay) { return 1 + delay / inc->h; }

double sup_travel_reach(const sup_pair *pair, const sup_increment *inc, const sup_travel *travel) {
  const sup_travel *a = &travel[pair->geometry_a], *b = &travel[pair->geometry_b];
  double turn = (1 - pair->share_a) * a->turn + pair->share_a * b->turn; /* position of the point */
  double ahead = horizon(inc, pair->reach_delay), way = a->distance + b->distance;
  if (sup_normal_is_endless(pair->normal_law))
    way = sup_v3_norm(sup_v3_sub(b->way, a->way)) + a->beside + b->beside;
  return pair->reach_factor * ahead * way / lever_factor(pair->reach_slide * ahead * turn);
}

double sup_travel_slide(const sup_geometry *geometry, const sup_increment *inc) {
  return geometry->reach_slide * horizon(inc, geometry->reach_delay);
}

double sup_travel_lever(const sup_model *model, const sup_increment *inc,
                        const sup_travel *travel) {
  double most = 0;
  for (int g = 0; g < model->num_geometries; g++)
    most = sup_max(most, sup_travel_slide(&model->geometry[g], inc) * travel[g].turn);
  return lever_factor(most);
}

double sup_travel_growth(const sup_geometry *geometry, const sup_increment *inc, sup_travel travel,
                         double lever) {
  return 0.5 * geometry->reach_range +
         geometry->reach_factor * horizon(inc, geometry->reach_delay) * travel.distance / lever;
}
