#include "collide/collide.h"

#include "collide/broad.h"
#include "collide/field_pair.h"
#include "collide/point.h"
#include "collide/travel.h"

static sup_status surface_pair(sup_contact_list *list, const sup_collision *c, sup_collision_room *room,
                               const sup_pair *pair, const sup_contact *prototype) {
  const sup_kinematics *kin = c->kin;
  sup_moving_surface    a = sup_collision_surface(c, pair->a, pair->geometry_a);
  sup_moving_shape      b = {&c->model->geometry[pair->geometry_b].shape, c->X_WG[pair->geometry_b], kin->X_WL[pair->b],
                             kin->w[pair->b], kin->v[pair->b]};
  SUP_TRY(sup_collide_surface_depth(list, prototype, &a, &b, c->dt, c->drop, room->candidate));
  return SUP_OK;
}

static sup_status point_pair(sup_contact_list *list, const sup_collision *c, const sup_pair *pair,
                             const sup_contact *prototype) {
  sup_placed    a = {&c->model->geometry[pair->geometry_a].shape, c->X_WG[pair->geometry_a]};
  sup_placed    b = {&c->model->geometry[pair->geometry_b].shape, c->X_WG[pair->geometry_b]};
  sup_point_set set;
  double        reach = sup_travel_reach(pair, c->travel);
  sup_collide_point(&a, &b, reach + pair->reach_range, reach, &set);
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + set.count));
  for (int k = 0; k < set.count; k++) {
    const sup_witness *w = &set.point[k];
    sup_contact       *contact = &list->contact[list->count++];
    *contact = *prototype;
    contact->item_a = contact->item_b = SUP_NONE;
    contact->num_points = 1;
    contact->centroid = sup_v3_add(sup_v3_scale(pair->share_a, w->a), sup_v3_scale(1 - pair->share_a, w->b));
    contact->point[0] = contact->centroid;
    contact->normal = set.normal;
    contact->facing = 1;
    contact->phi = w->phi;
    contact->penetration = -w->phi;
    contact->point_stiffness = pair->point_stiffness;
  }
  return SUP_OK;
}

static sup_status collide_pair(sup_contact_list *list, const sup_collision *c, sup_collision_room *room, int p) {
  const sup_pair *pair = &c->model->pair[p];
  sup_contact     prototype = {.pair = p,
                               .body_a = pair->a,
                               .body_b = pair->b,
                               .geometry_a = pair->geometry_a,
                               .geometry_b = pair->geometry_b,
                               .friction = pair->friction,
                               .dissipation = pair->dissipation,
                               .slope = pair->stiffness};
  switch (pair->touch) {
    case SUP_TOUCH_POINT:
      return point_pair(list, c, pair, &prototype);
    case SUP_TOUCH_SURFACE_DEPTH:
      return surface_pair(list, c, room, pair, &prototype);
    case SUP_TOUCH_SURFACE_FIELD:
    case SUP_TOUCH_FIELD_FIELD:
      return sup_collide_field_pair(list, c, room, p, &prototype);
  }
  return SUP_OK;
}

static void clear(sup_contact_list *list) {
  list->count = 0;
  list->discarded_small = list->discarded_backward = list->discarded_inverted = list->num_silent = 0;
  list->num_passed = 0, list->silent_pair = list->passed_pair = SUP_NONE;
}

sup_status sup_collide(sup_contact_list *list, const sup_model *model, const sup_kinematics *kin, const double *x,
                       const double *xdot, const double *travel, sup_arena *arena) {
  sup_collision      c;
  sup_collision_room room;
  int                num_pairs;
  clear(list);
  SUP_TRY(sup_collision_create(&c, model, kin, x, xdot, travel, arena));
  SUP_TRY(sup_broad_phase(model, c.box, arena, &list->candidate, &list->candidate_capacity, &num_pairs));
  SUP_TRY(sup_collision_place_fields(&c, list->candidate, num_pairs, x, xdot, arena));
  SUP_TRY(sup_collision_room_create(&room, model, arena));
  for (int k = 0; k < num_pairs; k++) SUP_TRY(collide_pair(list, &c, &room, list->candidate[k]));
  return SUP_OK;
}

void sup_contact_list_free(sup_contact_list *list) {
  SUP_FREE(list->contact);
  SUP_FREE(list->candidate);
  SUP_FREE(list->piece);
  *list = (sup_contact_list){0};
}
