/* Contacts of one pair: search, and measurement of its results. */
#include "collide/collision.h"

#include <math.h>

#include "collide/field/field_pair.h"
#include "collide/numerics.h"
#include "collide/pair_parts.h"
#include "collide/point/point.h"
#include "collide/surface/round_patch.h"
#include "collide/surface/surface_gradient.h"
#include "collide/travel.h"
#include "collide/turned.h"

#define PI 3.14159265358979323846

/** Velocity of a belt's surface relative to its body at the end of the step, at which the law is
 * evaluated; tangential to the contact. */
static sup_v3 belt_velocity(const sup_collision *c, int body, int geometry) {
  if (geometry == SUP_NONE) return sup_v3_make(0, 0, 0);
  const sup_contact_def *def = &c->model->geometry[geometry].contact;
  double swing = sin(2 * PI * def->surface_frequency * (c->kin->time + c->dt) + def->surface_phase);
  sup_v3 own =
      sup_v3_madd(sup_v3_load(def->surface_velocity), swing, sup_v3_load(def->surface_amplitude));
  return sup_m3_apply(c->kin->X_WL[body].R, own);
}

/** One pair of a surface and a shape, with its motions. */
typedef struct surface_case {
  sup_moving_surface a;
  sup_moving_shape   b;
  sup_surface_motion motion[2 + SUP_MAX_MOTIONS];
  sup_surface_query  query;
  sup_frame          stood[2];     /* sup_surface_query.stood */
  sup_v3             shift, lever; /* of sup_contact */
} surface_case;

/** Velocity of a link's origin in a solution, at the pose of the search. */
static sup_v3 velocity_here(const sup_collision *c, const sup_motion *m, int body) {
  if (!c->turned) return m->v[body];
  sup_v3 moved = sup_v3_sub(c->kin->X_WL[body].p, c->turned->stands->X_WL[body].p);
  return sup_v3_add(m->v[body], sup_v3_cross(m->w[body], moved));
}

/** Fall of a free body by its weight within the step [m]. */
static sup_v3 fall_of(const sup_collision *c, int body) {
  const sup_body *b = &c->model->body[body];
  int is_free = b->movable && b->soft == SUP_NONE && c->model->tree[b->tree]->num_links == 1;
  return sup_v3_scale(is_free ? c->dt * c->dt : 0, c->inc->gravity);
}

/** Fall of b past a [m]. */
static sup_v3 fall_past(const sup_collision *c, int a, int b) {
  return sup_v3_sub(fall_of(c, b), fall_of(c, a));
}

/** 1: a rigid surface turns on a shape that is no more curved: depths before turning are measured,
 * too. */
static void set_stood(const sup_collision *c, const sup_pair *pair, surface_case *out) {
  const sup_geometry *gb = &c->model->geometry[pair->geometry_b];
  const sup_turned   *t = c->turned;
  if (!t || pair->geometry_a == SUP_NONE) return;
  if (gb->curvature > 0 && gb->curvature >= c->model->geometry[pair->geometry_a].curvature) return;
  if (!(sup_v3_norm(sup_v3_sub(t->lead_w[pair->b], t->lead_w[pair->a])) > 0)) return;
  out->stood[0] = t->stands->X_WL[pair->a];
  out->stood[1] = sup_frame_mul(&t->stands->X_WL[pair->b], &gb->X_LG);
  out->query.stood = out->stood;
  out->query.fall = fall_past(c, pair->a, pair->b);
}

/** @param[in] motions bit k: include motion k of the search; the last motion comes last */
static void set_surface_case(const sup_collision *c, const sup_pair *pair, unsigned motions,
                             surface_case *out) {
  const sup_kinematics *kin = c->kin;
  const sup_geometry   *gb = &c->model->geometry[pair->geometry_b];
  int                   s = pair->geometry_a == SUP_NONE ? c->model->body[pair->a].soft : SUP_NONE;
  double                ahead = c->dt + pair->look_ahead;
  out->shift = out->lever = sup_v3_make(0, 0, 0);
  out->a = sup_collision_surface(c, pair->a, pair->geometry_a);
  out->a.left_out = pair->left_out;
  out->b = (sup_moving_shape){&gb->shape, c->X_WG[pair->geometry_b], kin->X_WL[pair->b],
                              kin->w[pair->b], kin->v[pair->b]};
  out->motion[0] =
      (sup_surface_motion){out->a.xdot, out->a.w, out->a.v, out->b.w, out->b.v, out->a.speed};
  int num_motions = 1;
  if (c->turned) {
    const sup_turned *turned = c->turned;
    out->motion[num_motions++] = out->motion[0];
    out->motion[0].w_a = turned->lead_w[pair->a], out->motion[0].v_a = turned->lead_v[pair->a];
    out->motion[0].w_b = turned->lead_w[pair->b], out->motion[0].v_b = turned->lead_v[pair->b];
    if (s != SUP_NONE) out->motion[0].xdot = turned->still;
  }
  for (int k = 0; motions >> k; k++) {
    if (!(motions >> k & 1)) continue;
    const sup_motion *m = &c->motion[k];
    out->motion[num_motions++] = (sup_surface_motion){
        s == SUP_NONE ? NULL : m->xdot + 3 * (size_t)c->model->soft[s].first_vertex,
        m->w[pair->a],
        velocity_here(c, m, pair->a),
        m->w[pair->b],
        velocity_here(c, m, pair->b),
        s == SUP_NONE ? sup_collision_speed(&c->model->geometry[pair->geometry_a], m->w, m->v,
                                            (sup_v3){0, 0, 0}, 0)
                      : c->soft[s].fastest};
  }
  out->query = (sup_surface_query){
      .motion = out->motion,
      .dt = c->dt,
      .elapsed = c->turned ? c->dt : 0,
      .num_motions = num_motions,
      .ahead = ahead,
      .glide = pair->glide * ahead,
      .drop = c->drop,
      .at_vertices = s != SUP_NONE && c->model->contact.soft_surface == SUP_SOFT_SURFACE_VERTICES,
      .thirds = s != SUP_NONE || c->inc->patch_thirds,
      .everything = c->everything,
      .range = sup_pair_has_barrier(pair) ? pair->barrier_range : 0};
  set_stood(c, pair, out);
  if (sup_normal_table(pair->normal_law)->uses & SUP_USES_BARRIER_RANGE)
    out->query.flat = sup_collide_numerics.flat * pair->barrier_range;
  if (pair->glide > 0)
    out->query.belt = sup_v3_sub(belt_velocity(c, pair->a, pair->geometry_a),
                                 belt_velocity(c, pair->b, pair->geometry_b));
}

/** Shift b past a (sup_contact.shift). */
static void shift_case(const sup_collision *c, const sup_pair *pair, surface_case *s) {
  if (!c->turned) return;
  s->shift = sup_turned_shift(c->turned, c->model, pair, c->inc, &s->lever);
  s->b.X_WG.p = sup_v3_add(s->b.X_WG.p, s->shift);
  s->b.X_WL.p = sup_v3_add(s->b.X_WL.p, s->shift);
  s->stood[1].p = sup_v3_add(s->stood[1].p, s->shift);
  s->motion[0].v_b = sup_v3_madd(s->motion[0].v_b, 1 / c->dt, s->shift);
}

/** Contacts of a patch of two rigid shapes; 0: neither shape is round. */
static int set_round_case(const sup_collision *c, const sup_pair *pair, const surface_case *s,
                          sup_round_case *out) {
  if (pair->geometry_a == SUP_NONE) return 0;
  const sup_shape *a = &c->model->geometry[pair->geometry_a].shape;
  if (!sup_round_patch_is_for(a, s->b.shape)) return 0;
  *out = (sup_round_case){{a, c->X_WG[pair->geometry_a]},
                          {s->b.shape, s->b.X_WG},
                          s->a.X_WS,
                          s->b.X_WL,
                          pair,
                          &s->query};
  return 1;
}

/** @param[in] from  origins to be measured; NULL: search */
static sup_status surface_pair(sup_contact_list *list, const sup_collision *c,
                               sup_collision_workspace *workspace, const sup_pair *pair,
                               const sup_contact *prototype, const sup_pair_origins *from,
                               int *has_feet) {
  surface_case   s;
  sup_round_case round;
  set_surface_case(c, pair, list->origins.now.motions, &s);
  if (set_round_case(c, pair, &s, &round)) {
    int is_flat;
    SUP_TRY(sup_collide_round_patch(list, prototype, &round, &is_flat));
    *has_feet = !is_flat;
    if (!is_flat) return SUP_OK;
  }
  shift_case(c, pair, &s);
  if (sup_pair_has_barrier(pair)) {
    if (sup_normal_is_endless(pair->normal_law))
      s.query.everything = 0; /* range of action is the range of the search */
    SUP_TRY(sup_collide_surface_gap(list, prototype, &s.a, &s.b, &s.query, &workspace->surface));
    return SUP_OK;
  }
  sup_contact shifted = *prototype;
  shifted.shift = s.shift, shifted.lever = s.lever;
  if (from)
    SUP_TRY(
        sup_measure_surface_depth(list, &shifted, &s.a, &s.b, &s.query, &workspace->surface, from));
  else
    SUP_TRY(sup_collide_surface_depth(list, &shifted, &s.a, &s.b, &s.query, &workspace->surface));
  return SUP_OK;
}

/** 1: contacts depend on the reach itself.  A barrier acts over the whole reach; corners of a
 * polyhedron over a plane are selected among those within reach. */
static int is_chosen_within_reach(const sup_pair *pair, const sup_shape *a, const sup_shape *b) {
  int is_plane = a->type == SUP_SHAPE_HALF_SPACE || b->type == SUP_SHAPE_HALF_SPACE;
  return pair->reach_range > 0 || (is_plane && (a->hull || b->hull));
}

/** Points that can act within the travel of both shapes. */
static void search_points(const sup_collision *c, const sup_pair *pair, const sup_posed_shape *a,
                          const sup_posed_shape *b, sup_point_set *out) {
  double reach = sup_travel_reach(pair, c->inc, c->travel), margin = reach + pair->reach_range;
  if (pair->reach_range > 0) reach = margin; /* corners that exist act at any speed */
  if (c->everything && !is_chosen_within_reach(pair, a->shape, b->shape)) margin = reach = HUGE_VAL;
  sup_collide_point(a, b, margin, reach, out);
}

/** Points of the features of the origins. */
static void measure_points(const sup_pair_origins *from, const sup_posed_shape *a,
                           const sup_posed_shape *b, sup_point_set *out) {
  int feature[SUP_POINT_MAX], count = 0;
  for (; count < from->num_contacts && count < SUP_POINT_MAX; count++)
    feature[count] = from->contact[count].item;
  sup_measure_point(a, b, feature, count, out);
}

/** @param[in] from  origins to be measured; NULL: search */
static sup_status point_pair(sup_contact_list *list, const sup_collision *c, const sup_pair *pair,
                             const sup_contact *prototype, const sup_pair_origins *from) {
  sup_posed_shape a = {&c->model->geometry[pair->geometry_a].shape, c->X_WG[pair->geometry_a]};
  sup_posed_shape b = {&c->model->geometry[pair->geometry_b].shape, c->X_WG[pair->geometry_b]};
  sup_point_set   set;
  if (from)
    measure_points(from, &a, &b, &set);
  else
    search_points(c, pair, &a, &b, &set);
  SUP_TRY(SUP_GROW(list->contact, list->capacity, list->count + set.count));
  for (int k = 0; k < set.count; k++) {
    const sup_witness *w = &set.point[k];
    sup_contact       *contact = &list->contact[list->count++];
    *contact = *prototype;
    contact->item_a = contact->item_b = SUP_NONE;
    contact->num_points = 1;
    contact->centroid =
        sup_v3_add(sup_v3_scale(pair->share_a, w->a), sup_v3_scale(1 - pair->share_a, w->b));
    contact->point[0] = contact->centroid;
    contact->normal = set.normal;
    contact->facing = 1;
    contact->phi = w->phi;
    contact->penetration = -w->phi;
    contact->point_stiffness = pair->point_stiffness;
    if (!from) SUP_TRY(sup_origins_add(&list->origins, SUP_ORIGIN_POINT, w->feature, SUP_NONE, 0));
  }
  return SUP_OK;
}

/** @param[in] from  origins to be measured; NULL: search */
static sup_status collide_pair(sup_contact_list *list, const sup_collision *c,
                               sup_collision_workspace *workspace, int p,
                               const sup_pair_origins *from) {
  const sup_pair *pair = &c->model->pair[p];
  int             first = list->count, has_feet = 0;
  sup_contact     prototype = {.pair = p,
                               .body_a = pair->a,
                               .body_b = pair->b,
                               .geometry_a = pair->geometry_a,
                               .geometry_b = pair->geometry_b,
                               .dissipation = pair->dissipation,
                               .slope = pair->stiffness};
  list->opened = HUGE_VAL;
  switch (pair->touch) {
    case SUP_TOUCH_POINT:
      SUP_TRY(point_pair(list, c, pair, &prototype, from));
      break;
    case SUP_TOUCH_SURFACE_DEPTH:
      SUP_TRY(surface_pair(list, c, workspace, pair, &prototype, from, &has_feet));
      break;
    case SUP_TOUCH_SURFACE_FIELD:
    case SUP_TOUCH_FIELD_FIELD:
      SUP_TRY(sup_collide_field_pair(list, c, workspace, p, &prototype, from));
      break;
  }
  for (int i = first; i < list->count && !has_feet; i++)
    list->contact[i].foot = list->contact[i].centroid;
  return SUP_OK;
}

/* ---- poses of a pair's search
 * -------------------------------------------------------------------- */

/** Velocity of the contact point on one side by the turning of its link. */
static sup_v3 lead_velocity(const sup_collision *c, int body, int geometry, sup_v3 p) {
  if (geometry == SUP_NONE) return sup_v3_make(0, 0, 0);
  return sup_surface_rigid_velocity(c->turned->lead_v[body], c->turned->lead_w[body],
                                    c->kin->X_WL[body].p, p);
}

/** Set the advance of the list's contacts from `first` on.  Returns the approach of the pair by
 * turning: mean over overlapping contacts, weighted by force [m]. */
static double set_advance(sup_contact_list *list, const sup_collision *c, int first) {
  double sum = 0, force = 0;
  for (int i = first; i < list->count; i++) {
    sup_contact *k = &list->contact[i];
    sup_v3       foot = sup_v3_sub(k->foot, k->lever);
    sup_v3       va = lead_velocity(c, k->body_a, k->geometry_a, foot),
           vb = lead_velocity(c, k->body_b, k->geometry_b, foot);
    double share = k->slope * k->area * k->facing * sup_max(0, -k->phi);
    k->advance =
        c->dt * sup_v3_dot(k->normal, sup_v3_sub(vb, va)) + sup_v3_dot(k->normal, k->shift);
    sum -= share * k->advance, force += share;
  }
  return force > 0 ? sum / force : 0;
}

/** Mean opening of the list's contacts from `first` on by turning, weighted by their forces with b
 * moved past a by `way` [m].  HUGE_VAL: there are none. */
static double mean_opening(const sup_contact_list *list, int first, sup_v3 way) {
  double sum = 0, force = 0;
  for (int i = first; i < list->count; i++) {
    const sup_contact *k = &list->contact[i];
    double             gap = k->phi + sup_v3_dot(k->normal, sup_v3_sub(way, k->shift));
    double             share = k->slope * k->area * k->facing * sup_max(0, -gap);
    sum += share * (k->advance - sup_v3_dot(k->normal, k->shift)), force += share;
  }
  return force > 0 ? sum / force : HUGE_VAL;
}

static double opening_of_deepest(const sup_contact_list *list, int first) {
  const sup_contact *deepest = &list->contact[first];
  for (int i = first; i < list->count; i++)
    if (list->contact[i].phi < deepest->phi) deepest = &list->contact[i];
  return deepest->advance - sup_v3_dot(deepest->normal, deepest->shift);
}

/** Balance the levers of a pair: turning opens the gap of its contacts by the energy that turning
 * takes, in the mean weighted by the forces at the end of the step; of what does not touch there by
 * its velocity, by those after a free fall. */
static void balance_levers(sup_contact_list *list, const sup_collision *c, int first) {
  if (list->count == first || !(list->opened < HUGE_VAL)) return;
  const sup_contact *at = &list->contact[first];
  const sup_turned  *t = c->turned;
  sup_v3 way = sup_v3_scale(c->dt, sup_v3_sub(t->drift[at->body_b], t->drift[at->body_a]));
  sup_v3 spin = sup_v3_sub(t->lead_w[at->body_b], t->lead_w[at->body_a]);
  sup_v3 across = sup_v3_cross(at->normal, spin);
  double square = sup_v3_dot(across, across), mean;
  if (!(square > 0)) return;
  mean = mean_opening(list, first, way);
  if (!(mean < HUGE_VAL))
    mean = mean_opening(list, first, sup_v3_add(way, fall_past(c, at->body_a, at->body_b)));
  if (!(mean < HUGE_VAL)) mean = opening_of_deepest(list, first);
  sup_v3 lever = sup_v3_madd(at->lever, (mean - list->opened) / (c->dt * square), across);
  for (int i = first; i < list->count; i++) list->contact[i].lever = lever;
  (void)set_advance(list, c, first);
}

/** Half the diagonal of a shape's bounds, and the middle of the bounds at the pose of the search.
 */
static double bounds_of(const sup_collision *c, int geometry, sup_v3 *middle) {
  const sup_geometry *g = &c->model->geometry[geometry];
  if (!g->bvh) return HUGE_VAL;
  const sup_box *box = &g->bvh->node->box;
  *middle = sup_frame_apply(&c->kin->X_WL[g->body],
                            sup_v3_scale(0.5, sup_v3_add(box->lower, box->upper)));
  return 0.5 * sup_v3_norm(sup_v3_sub(box->upper, box->lower));
}

/** Bound on the displacement by turning of points of the smaller shape, relative to the other shape
 * [m]. */
static double turned_way(const sup_collision *c, const sup_pair *pair) {
  int    geometry[2] = {pair->geometry_a, pair->geometry_b};
  double radius = HUGE_VAL;
  sup_v3 middle = {0, 0, 0}, other;
  for (int k = 0; k < 2; k++) {
    double r = geometry[k] == SUP_NONE ? HUGE_VAL : bounds_of(c, geometry[k], &other);
    if (r < radius) radius = r, middle = other;
  }
  const sup_turned *t = c->turned;
  sup_v3            spin = sup_v3_sub(t->lead_w[pair->b], t->lead_w[pair->a]);
  sup_v3            past = sup_v3_sub(lead_velocity(c, pair->b, pair->geometry_b, middle),
                                      lead_velocity(c, pair->a, pair->geometry_a, middle));
  double            speed = sup_v3_norm(spin);
  return c->dt * (sup_v3_norm(past) + (speed > 0 ? speed * radius : 0));
}

/** Poses of a pair's search, decided from its contacts with turned links. */
static sup_pair_poses seen_by_contacts(const sup_collision *c, const sup_pair *pair,
                                       int has_contacts, double way) {
  double most = sup_collide_numerics.turned * pair->half_thickness;
  if (!has_contacts)
    way = turned_way(c, pair), most = sup_collide_numerics.turned_past * pair->half_thickness;
  return way <= most ? SUP_POSES_TURNED : SUP_POSES_OF_START;
}

static void take_back(sup_contact_list *list, const sup_contact_list *before) {
  list->count = before->count, list->discarded_small = before->discarded_small,
  list->discarded_backward = before->discarded_backward,
  list->discarded_inverted = before->discarded_inverted, list->num_silent = before->num_silent,
  list->silent_pair = before->silent_pair, list->num_passed = before->num_passed,
  list->passed_pair = before->passed_pair;
}

/** Contacts of a pair with turned links, unless the pair is searched at the poses of the start. */
static sup_status see_turned(sup_contact_list *list, const sup_collision *c,
                             sup_collision_workspace *workspace, int p) {
  const sup_pair  *pair = &c->model->pair[p];
  sup_pair_poses  *seen = &c->seen[p];
  sup_contact_list before = *list;
  double           way;
  if (!sup_pair_turns(pair)) *seen = SUP_POSES_OF_START;
  if (*seen == SUP_POSES_UNDECIDED && sup_turned_approach(c->turned, c->model, pair, c->inc, &way))
    *seen = way <= sup_collide_numerics.turned * pair->half_thickness ? SUP_POSES_TURNED
                                                                      : SUP_POSES_OF_START;
  if (*seen == SUP_POSES_OF_START) return SUP_OK;
  SUP_TRY(collide_pair(list, c, workspace, p, NULL));
  way = set_advance(list, c, before.count);
  balance_levers(list, c, before.count);
  if (*seen == SUP_POSES_UNDECIDED)
    *seen = seen_by_contacts(c, pair, list->count > before.count, way);
  if (*seen == SUP_POSES_OF_START) take_back(list, &before);
  return SUP_OK;
}

sup_status sup_collide_turned_pair(sup_contact_list *list, const sup_collision *c,
                                   sup_collision_workspace *workspace, int p) {
  int before = list->count;
  sup_origins_begin(&list->origins, p, c->turned != NULL, c->missed ? c->missed[p] : 0);
  if (c->turned)
    SUP_TRY(see_turned(list, c, workspace, p));
  else
    SUP_TRY(collide_pair(list, c, workspace, p, NULL));
  return sup_origins_end(&list->origins, list->count > before);
}

sup_status sup_collide_measure_pair(sup_contact_list *list, const sup_collision *c,
                                    sup_collision_workspace *workspace,
                                    const sup_pair_origins  *from) {
  int before = list->count;
  list->origins.now = *from->pair;
  SUP_TRY(collide_pair(list, c, workspace, from->pair->pair, from));
  if (!c->turned) return SUP_OK;
  (void)set_advance(list, c, before);
  balance_levers(list, c, before);
  return SUP_OK;
}

/** NULL: contacts of the pair have derivatives, of a surface and a shape, seen as they stand, as
 * links are that do not turn; or else why not. */
static const char *set_smooth_case(const sup_collision *c, const sup_pair *pair, unsigned motions,
                                   surface_case *out) {
  sup_round_case round;
  if (pair->touch != SUP_TOUCH_SURFACE_DEPTH) return "of another kind than a surface in a shape";
  if (sup_pair_has_barrier(pair)) return "across a gap";
  if (pair->glide > 0) return "with a cone that opens with sliding";
  if (motions) return "of two searches in a step";
  if (c->turned &&
      (sup_v3_norm(c->turned->lead_w[pair->a]) > 0 || sup_v3_norm(c->turned->lead_w[pair->b]) > 0))
    return "of a body that turns";
  set_surface_case(c, pair, 0, out);
  if (set_round_case(c, pair, out, &round)) return "of two round shapes";
  shift_case(c, pair, out);
  return sup_v3_norm(out->shift) > 0 ? "of a round body that moves past the other" : NULL;
}

sup_status sup_collide_gradient_pair(const sup_collision           *c,
                                     const sup_collision_workspace *workspace,
                                     const sup_pair_origins *from, const sup_contact_slopes *slopes,
                                     sup_arena *arena, sup_place_slopes *out,
                                     sup_gradient_lack *lack) {
  const sup_pair *pair = &c->model->pair[from->pair->pair];
  surface_case    s;
  int             soft = c->model->body[pair->a].soft;
  const char     *why = set_smooth_case(c, pair, from->pair->motions, &s);
  for (int k = 0; k < from->num_contacts && why; k++)
    if (sup_contact_slopes_are_asked(&slopes[k]))
      *lack = (sup_gradient_lack){why, from->pair->pair};
  if (why) return SUP_OK;
  sup_surface_slopes asked = {
      .from = from,
      .slopes = slopes,
      .body_a = pair->a,
      .body_b = pair->b,
      .first_vertex = soft == SUP_NONE ? 0 : c->model->soft[soft].first_vertex,
      .out = out,
      .why = &why};
  sup_contact prototype = {.slope = pair->stiffness};
  SUP_TRY(
      sup_surface_gradient(&asked, &prototype, &s.a, &s.b, &s.query, &workspace->surface, arena));
  if (why) *lack = (sup_gradient_lack){why, from->pair->pair};
  return SUP_OK;
}

int sup_collide_pair_missed(const sup_collision *c, const sup_collision_workspace *workspace,
                            const sup_pair *pair, unsigned motions) {
  surface_case   s;
  sup_round_case round;
  set_surface_case(c, pair, motions, &s);
  int missed = set_round_case(c, pair, &s, &round) ? sup_round_patch_missed(&round) : -1;
  if (missed >= 0) return missed;
  shift_case(c, pair, &s);
  return sup_pair_has_barrier(pair)
             ? sup_surface_gap_missed(&s.a, &s.b, &s.query, &workspace->surface)
             : sup_surface_depth_missed(&s.a, &s.b, &s.query, &workspace->surface);
}
