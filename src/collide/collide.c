#include "collide/collide.h"

#include <string.h>

#include "collide/broad.h"
#include "collide/field_contact.h"
#include "collide/passage.h"
#include "collide/point.h"
#include "collide/soft_field.h"
#include "collide/surface_depth.h"
#include "collide/travel.h"
#include "geom/support.h"

/** Refit the hierarchy of a soft body at its present points. */
static sup_status soft_surface(const sup_model *model, int s, const double *x, const double *xdot, sup_arena *arena,
                               sup_moving_surface *out) {
  const sup_soft *soft = &model->soft[s];
  int             n = soft->surface->num_triangles;
  sup_box        *box;
  sup_bvh_node   *node;
  *out = (sup_moving_surface){.surface = soft->surface, .X_WS = sup_frame_identity()};
  out->points = x + 3 * soft->first_vertex;
  out->slope = soft->triangle_stiffness;
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

/** Bound on the speed of a geometry's points; a turning half space reaches everywhere. */
static double speed_of(const sup_geometry *geometry, const sup_kinematics *kin) {
  int    b = geometry->body;
  double spin = sup_v3_norm(kin->w[b]), radius = sup_shape_radius(&geometry->shape) + sup_v3_norm(geometry->X_LG.p);
  return sup_v3_norm(kin->v[b]) + (spin > 0 ? spin * radius : 0);
}

static sup_moving_surface rigid_surface(const sup_model *model, const sup_kinematics *kin, int g) {
  const sup_geometry *geometry = &model->geometry[g];
  int                 b = geometry->body;
  return (sup_moving_surface){.surface = geometry->surface,
                              .node = geometry->bvh->node,
                              .X_WS = kin->X_WL[b],
                              .points = geometry->points,
                              .w = kin->w[b],
                              .v = kin->v[b],
                              .speed = speed_of(geometry, kin)};
}

/** What one step's collision knows. */
typedef struct collision {
  const sup_model      *model;
  const sup_kinematics *kin;
  double                dt, drop;   /* how far a body at rest may fall within the step */
  sup_moving_surface   *soft;       /* [num_softs] */
  const double         *travel;     /* [num_geometries] */
  const double         *x, *xdot;   /* [num_vertices x 3] */
  double                soft_speed; /* of soft bodies against each other and themselves; negative: not known yet */
  sup_moving_field     *field;      /* [num_softs] made when a pair of soft bodies first asks for it */
  sup_frame            *X_WG;       /* [num_geometries] */
  sup_box              *box;        /* [num_items] grown */
  int                  *candidate;
  sup_field_cell       *cell; /* scratch for the second field of a pair */
  unsigned char        *state;
  sup_search_room       room_a, room_b;
} collision;

/** Boxes of all items, grown so that what the narrow phase would see overlaps. */
static void grow_boxes(collision *c) {
  const sup_model *model = c->model;
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[g];
    double              margin = c->dt * speed_of(geometry, c->kin) + c->drop;
    margin = sup_max(margin, sup_travel_growth(geometry, c->travel[g]));
    c->X_WG[g] = sup_frame_mul(&c->kin->X_WL[geometry->body], &geometry->X_LG);
    sup_shape_bounds(&geometry->shape, &c->X_WG[g], margin, &c->box[g].lower, &c->box[g].upper);
  }
  for (int s = 0; s < model->num_softs; s++) {
    double  margin = c->dt * c->soft[s].speed + c->drop;
    sup_v3  grow = {margin, margin, margin};
    sup_box box = c->soft[s].node[0].box;
    c->box[model->num_geometries + s] = (sup_box){sup_v3_sub(box.lower, grow), sup_v3_add(box.upper, grow)};
  }
}

static sup_status make_room(sup_search_room *room, int num_items, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, room->seen, 2 * num_items - 1));
  SUP_TRY(SUP_ARENA(arena, room->known, 2 * num_items - 1));
  return SUP_OK;
}

static int larger(int a, int b) { return a > b ? a : b; }

static sup_status prepare(collision *c, const double *x, const double *xdot, sup_arena *arena) {
  const sup_model *model = c->model;
  int              triangles = 1, cells = 1;
  SUP_TRY(SUP_ARENA(arena, c->soft, model->num_softs));
  SUP_TRY(SUP_ARENA(arena, c->field, model->num_softs));
  memset(c->field, 0, (size_t)model->num_softs * sizeof *c->field);
  for (int s = 0; s < model->num_softs; s++) {
    SUP_TRY(soft_surface(model, s, x, xdot, arena, &c->soft[s]));
    triangles = larger(triangles, c->soft[s].surface->num_triangles);
  }
  for (int g = 0; g < model->num_geometries; g++) {
    if (model->geometry[g].surface) triangles = larger(triangles, model->geometry[g].surface->num_triangles);
    if (model->geometry[g].field) cells = larger(cells, model->geometry[g].field->num_tets);
  }
  SUP_TRY(SUP_ARENA(arena, c->cell, cells));
  SUP_TRY(SUP_ARENA(arena, c->state, cells));
  SUP_TRY(make_room(&c->room_a, larger(triangles, cells), arena));
  SUP_TRY(make_room(&c->room_b, cells, arena));
  SUP_TRY(SUP_ARENA(arena, c->candidate, larger(triangles, cells)));
  SUP_TRY(SUP_ARENA(arena, c->X_WG, model->num_geometries));
  SUP_TRY(SUP_ARENA(arena, c->box, sup_model_num_items(model)));
  grow_boxes(c);
  return SUP_OK;
}

static sup_status surface_pair(sup_contact_list *list, const collision *c, const sup_pair *pair,
                               const sup_contact *prototype) {
  const sup_kinematics *kin = c->kin;
  sup_moving_surface    a = pair->geometry_a == SUP_NONE ? c->soft[c->model->body[pair->a].soft]
                                                         : rigid_surface(c->model, kin, pair->geometry_a);
  sup_moving_shape      b = {&c->model->geometry[pair->geometry_b].shape, c->X_WG[pair->geometry_b], kin->X_WL[pair->b],
                             kin->w[pair->b], kin->v[pair->b]};
  SUP_TRY(sup_collide_surface_depth(list, prototype, &a, &b, c->dt, c->drop, c->candidate));
  return SUP_OK;
}

/** The field of a geometry; its cells in another frame go into the scratch that all pairs share. */
static sup_moving_field rigid_field(const collision *c, int g) {
  const sup_field *field = c->model->geometry[g].field;
  int              b = c->model->geometry[g].body;
  return (sup_moving_field){.field = field,
                            .source = field->cell,
                            .node = field->bvh ? field->bvh->node : NULL,
                            .inner = field->inner,
                            .lowest = field->lowest,
                            .X_WF = c->kin->X_WL[b],
                            .w = c->kin->w[b],
                            .v = c->kin->v[b],
                            .cell = c->cell,
                            .state = c->state};
}

/** The field of a soft body, made once a step; its shell reaches as far as two soft bodies may come together. */
static sup_status soft_field(collision *c, int s, sup_arena *arena, sup_moving_field *out) {
  if (!c->field[s].field) {
    if (!(c->soft_speed >= 0)) c->soft_speed = sup_soft_speed(c->model->num_vertices, c->x, c->xdot);
    SUP_TRY(sup_soft_field_place(&c->model->soft[s], c->soft[s].points, c->soft[s].xdot,
                                 2 * c->dt * c->soft_speed + c->drop, arena, &c->field[s]));
  }
  *out = c->field[s];
  return SUP_OK;
}

/** The field that one side of a pair offers. */
static sup_status side_field(collision *c, int body, int geometry, sup_arena *arena, sup_moving_field *out) {
  if (geometry == SUP_NONE)
    SUP_TRY(soft_field(c, c->model->body[body].soft, arena, out));
  else
    *out = rigid_field(c, geometry);
  return SUP_OK;
}

static sup_v3 velocity_at(const sup_kinematics *kin, int body, sup_v3 p) {
  return sup_v3_add(kin->v[body], sup_v3_cross(kin->w[body], sup_v3_sub(p, kin->X_WL[body].p)));
}

/** How much nearer two sides may come within the step at present velocities. */
static double field_reach(const collision *c, const sup_pair *pair) {
  const sup_model *model = c->model;
  double           soft = 0;
  if (pair->geometry_a == SUP_NONE) soft += c->soft[model->body[pair->a].soft].speed;
  if (pair->geometry_b == SUP_NONE) soft += c->soft[model->body[pair->b].soft].speed;
  if (pair->geometry_a == SUP_NONE && pair->geometry_b == SUP_NONE) return c->dt * soft + c->drop;
  if (soft > 0) {
    int g = pair->geometry_a == SUP_NONE ? pair->geometry_b : pair->geometry_a;
    return c->dt * (soft + speed_of(&model->geometry[g], c->kin)) + c->drop;
  }
  const sup_geometry *a = &model->geometry[pair->geometry_a], *b = &model->geometry[pair->geometry_b];
  double              ra = sup_shape_radius(&a->shape), rb = sup_shape_radius(&b->shape);
  sup_v3              p = c->X_WG[ra <= rb ? pair->geometry_a : pair->geometry_b].p;
  sup_v3              v = sup_v3_sub(velocity_at(c->kin, pair->b, p), velocity_at(c->kin, pair->a, p));
  sup_v3              w = sup_v3_sub(c->kin->w[pair->b], c->kin->w[pair->a]);
  return c->dt * (sup_v3_norm(v) + sup_v3_norm(w) * sup_min(ra, rb)) + c->drop;
}

static int is_half_space(const sup_geometry *g) { return g->shape.type == SUP_SHAPE_HALF_SPACE; }

/** Is a shape wholly below the surface of a half space? */
static int is_swallowed(const collision *c, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE) return 0;
  if (!is_half_space(&c->model->geometry[pair->geometry_b])) return 0;
  sup_placed       shape = {&c->model->geometry[pair->geometry_a].shape, c->X_WG[pair->geometry_a]};
  const sup_frame *X = &c->X_WG[pair->geometry_b];
  sup_v3           up = {X->R.m[0][2], X->R.m[1][2], X->R.m[2][2]};
  double           top = sup_v3_dot(up, sup_v3_sub(sup_support(&shape, up), X->p));
  return top + sup_rounding(shape.shape) < 0;
}

/** A pair of fields that overlap and give nothing must not be passed over in silence. */
static void look_for_silence(sup_contact_list *list, const collision *c, int p, int contacts, int backward) {
  const sup_pair *pair = &c->model->pair[p];
  if (list->count > contacts || !(list->discarded_backward > backward || is_swallowed(c, pair))) return;
  if (list->num_silent++ == 0) list->silent_pair = p;
}

/** The two sides of a pair as they move within the step. */
typedef struct approach {
  sup_placed       a, b;
  sup_v3           travel; /* of b past a [m] */
  sup_moving_shape shape;  /* b, when a is soft */
  int              is_soft;
} approach;

/** 0: half spaces, which are nowhere beside, soft bodies, whose fields reach as far as they go, and what is not
 *  convex. */
static int approach_of(const collision *c, const sup_pair *pair, approach *out) {
  const sup_geometry *ga = pair->geometry_a == SUP_NONE ? NULL : &c->model->geometry[pair->geometry_a];
  const sup_geometry *gb = pair->geometry_b == SUP_NONE ? NULL : &c->model->geometry[pair->geometry_b];
  if (!gb || is_half_space(gb) || gb->shape.type == SUP_SHAPE_MESH || (ga && ga->shape.type == SUP_SHAPE_MESH))
    return 0;
  const sup_kinematics *kin = c->kin;
  out->is_soft = !ga;
  out->b = (sup_placed){&gb->shape, c->X_WG[pair->geometry_b]};
  out->shape = (sup_moving_shape){&gb->shape, out->b.X, kin->X_WL[pair->b], kin->w[pair->b], kin->v[pair->b]};
  if (!ga) return 1;
  out->a = (sup_placed){&ga->shape, c->X_WG[pair->geometry_a]};
  sup_v3 p = sup_shape_radius(&ga->shape) <= sup_shape_radius(&gb->shape) ? out->a.X.p : out->b.X.p;
  out->travel = sup_v3_scale(c->dt, sup_v3_sub(velocity_at(kin, pair->b, p), velocity_at(kin, pair->a, p)));
  return 1;
}

/** How far outside of the bodies a pair's fields go on: as asked, or to the end of their cells [m]. */
static double margin_of(const collision *c, const sup_pair *pair, int to_the_end) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int              g = side == 0 ? pair->geometry_a : pair->geometry_b;
    const sup_field *field = g == SUP_NONE ? NULL : c->model->geometry[g].field;
    if (field) sum += to_the_end ? field->far : field->margin;
  }
  return sum;
}

/** What is farther than the margins is looked for when the bodies would meet within the step. */
static double limited_reach(const collision *c, const sup_pair *pair) {
  double   reach = field_reach(c, pair), margin = margin_of(c, pair, 0);
  approach way;
  if (reach <= margin || !approach_of(c, pair, &way)) return reach;
  if (way.is_soft) return sup_meets_surface(&c->soft[c->model->body[pair->a].soft], &way.shape, c->dt) ? reach : margin;
  sup_v3 w = sup_v3_sub(c->kin->w[pair->b], c->kin->w[pair->a]);
  double turn = c->dt * sup_v3_norm(w) * sup_min(sup_shape_radius(way.a.shape), sup_shape_radius(way.b.shape));
  return sup_meets_shape(&way.a, &way.b, way.travel, turn + c->drop) ? reach : margin;
}

/** The cells end before a step's way, and the bodies pass each other within it. */
static int is_passed(const collision *c, const sup_pair *pair) {
  approach way;
  if (field_reach(c, pair) <= margin_of(c, pair, 1) || !approach_of(c, pair, &way)) return 0;
  if (way.is_soft) return sup_passes_surface(&c->soft[c->model->body[pair->a].soft], &way.shape, c->dt);
  return sup_passes_shape(&way.a, &way.b, way.travel);
}

static void look_for_passage(sup_contact_list *list, const collision *c, int p, int contacts) {
  if (list->count > contacts || !is_passed(c, &c->model->pair[p])) return;
  if (list->num_passed++ == 0) list->passed_pair = p;
}

/** Bound on the overlap of two rigid shapes, negative for a gap: what overlaps lies between two planes across the line
 *  of their centres. */
static double overlap_of(const collision *c, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE) return HUGE_VAL;
  const sup_geometry *ga = &c->model->geometry[pair->geometry_a], *gb = &c->model->geometry[pair->geometry_b];
  sup_placed          a = {&ga->shape, c->X_WG[pair->geometry_a]}, b = {&gb->shape, c->X_WG[pair->geometry_b]};
  sup_v3              n = sup_v3_sub(b.X.p, a.X.p);
  if (is_half_space(ga) || !(sup_v3_norm(n) > 0)) return HUGE_VAL;
  n = is_half_space(gb) ? sup_v3_scale(-1, sup_m3_column(&b.X.R, 2)) : sup_v3_unit(n);
  double overlap = sup_v3_dot(n, sup_v3_sub(sup_support(&a, n), b.X.p)) + sup_rounding(a.shape);
  if (is_half_space(gb)) return overlap;
  return overlap + sup_v3_dot(n, sup_v3_sub(b.X.p, sup_support(&b, sup_v3_scale(-1, n)))) + sup_rounding(b.shape);
}

/** Bound on the pressure between two rigid shapes: what overlaps is nowhere deeper in either than the overlap. */
static double highest_pressure(const collision *c, const sup_pair *pair, double overlap, double reach) {
  if (!isfinite(overlap)) return HUGE_VAL;
  const sup_geometry *a = &c->model->geometry[pair->geometry_a], *b = &c->model->geometry[pair->geometry_b];
  double              slope = pair->touch == SUP_TOUCH_FIELD_FIELD ? a->field_slope : HUGE_VAL;
  return sup_min(slope, b->field_slope) * (sup_max(overlap, 0) + reach);
}

/** Far cells are for what comes fast. */
static void use_far_cells(sup_moving_field *f) {
  if (!f->field->far_cell) return;
  f->source = f->field->far_cell, f->node = f->field->far_outer, f->lowest = f->field->far_lowest;
}

static sup_status field_pair(sup_contact_list *list, collision *c, const sup_pair *pair, const sup_contact *prototype,
                             sup_arena *arena) {
  sup_moving_field  b;
  sup_patch_options options = {.dt = c->dt,
                               .room_a = c->room_a,
                               .room_b = c->room_b,
                               .candidate = c->candidate,
                               .reach = limited_reach(c, pair),
                               .drop = c->drop,
                               .triangles = c->model->options.patch_triangles,
                               .at_pressure = c->model->options.patch_at_pressure};
  double            overlap = overlap_of(c, pair);
  int               is_far = options.reach > margin_of(c, pair, 0);
  options.highest = highest_pressure(c, pair, overlap, options.reach);
  SUP_TRY(side_field(c, pair->b, pair->geometry_b, arena, &b));
  if (is_far) use_far_cells(&b);
  if (pair->touch == SUP_TOUCH_FIELD_FIELD) {
    sup_moving_field a;
    SUP_TRY(side_field(c, pair->a, pair->geometry_a, arena, &a));
    if (is_far) use_far_cells(&a);
    if (overlap < 0 && sup_fields_stay_apart(&a, &b, overlap, options.reach)) return SUP_OK;
    SUP_TRY(sup_collide_field_field(list, prototype, &a, &b, &options));
    return SUP_OK;
  }
  if (overlap < 0 && sup_fields_stay_apart(NULL, &b, overlap, options.reach)) return SUP_OK;
  sup_moving_surface a = pair->geometry_a == SUP_NONE ? c->soft[c->model->body[pair->a].soft]
                                                      : rigid_surface(c->model, c->kin, pair->geometry_a);
  SUP_TRY(sup_collide_surface_field(list, prototype, &a, &b, &options));
  return SUP_OK;
}

static sup_status point_pair(sup_contact_list *list, const collision *c, const sup_pair *pair,
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

sup_status sup_collide(sup_contact_list *list, const sup_model *model, const sup_kinematics *kin, const double *x,
                       const double *xdot, const double *travel, sup_arena *arena) {
  double    dt = model->options.dt;
  collision c = {.model = model,
                 .kin = kin,
                 .travel = travel,
                 .x = x,
                 .xdot = xdot,
                 .soft_speed = -1,
                 .dt = dt,
                 .drop = dt * dt * sup_v3_norm(sup_v3_load(model->options.gravity))};
  int       num_pairs;
  list->count = 0;
  list->discarded_small = list->discarded_backward = list->discarded_inverted = list->num_silent = 0;
  list->num_passed = 0, list->silent_pair = list->passed_pair = SUP_NONE;
  SUP_TRY(prepare(&c, x, xdot, arena));
  SUP_TRY(sup_broad_phase(model, c.box, arena, &list->candidate, &list->candidate_capacity, &num_pairs));
  for (int k = 0; k < num_pairs; k++) {
    int             p = list->candidate[k], contacts, backward;
    const sup_pair *pair = &model->pair[p];
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
        SUP_TRY(point_pair(list, &c, pair, &prototype));
        break;
      case SUP_TOUCH_SURFACE_DEPTH:
        SUP_TRY(surface_pair(list, &c, pair, &prototype));
        break;
      case SUP_TOUCH_SURFACE_FIELD:
      case SUP_TOUCH_FIELD_FIELD:
        contacts = list->count, backward = list->discarded_backward;
        SUP_TRY(field_pair(list, &c, pair, &prototype, arena));
        look_for_silence(list, &c, p, contacts, backward);
        look_for_passage(list, &c, p, contacts);
        break;
    }
  }
  return SUP_OK;
}

void sup_contact_list_free(sup_contact_list *list) {
  SUP_FREE(list->contact);
  SUP_FREE(list->candidate);
  SUP_FREE(list->piece);
  *list = (sup_contact_list){0};
}
