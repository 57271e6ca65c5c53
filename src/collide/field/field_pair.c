#include "collide/field/field_pair.h"

#include "collide/passage.h"
#include "collide/surface/patch.h"

typedef struct link_motion {
  sup_v3 w, v; /* about the link's origin */
} link_motion;

/** Velocities of a link from the pose of the search on. */
static link_motion motion_of(const sup_collision *c, int body) {
  const sup_kinematics *kin = c->kin;
  if (!c->turned) return (link_motion){kin->w[body], kin->v[body]};
  return (link_motion){{0, 0, 0}, sup_v3_sub(kin->v[body], c->turned->lead_v[body])};
}

/** Field of a geometry; scratch holds its cells in the other body's frame. */
static sup_moving_field rigid_field(const sup_collision *c, sup_collision_workspace *workspace,
                                    int g) {
  const sup_field *field = c->model->geometry[g].field;
  int              b = c->model->geometry[g].body;
  return (sup_moving_field){.field = field,
                            .source = field->cell,
                            .node = field->bvh ? field->bvh->node : NULL,
                            .inner = field->inner,
                            .lowest = field->lowest,
                            .X_WF = c->kin->X_WL[b],
                            .w = motion_of(c, b).w,
                            .v = motion_of(c, b).v,
                            .cell = workspace->cell,
                            .state = workspace->state};
}

/** The field that one side of a pair offers. */
static sup_moving_field side_field(const sup_collision *c, sup_collision_workspace *workspace,
                                   int body, int geometry) {
  return geometry == SUP_NONE ? c->field[c->model->body[body].soft]
                              : rigid_field(c, workspace, geometry);
}

static sup_v3 velocity_at(const sup_kinematics *kin, int body, sup_v3 p) {
  return sup_v3_add(kin->v[body], sup_v3_cross(kin->w[body], sup_v3_sub(p, kin->X_WL[body].p)));
}

/** Distance to which the cells of a body's field extend [m]; more than the margin at corners. */
static double extent_of(const sup_geometry *g, int to_the_end) {
  const sup_field *f = g->field;
  if (!f || f->num_tets == 0) return 0;
  return f->swell * -(to_the_end && f->far_cell ? f->far_lowest : f->lowest);
}

/** Bound on the approach of a soft body and the other side of a pair by their relative motion [m];
 * it selects near or far cells. */
static double soft_reach(const sup_collision *c, const sup_pair *pair, int to_the_end) {
  const sup_model          *model = c->model;
  int                       is_a = pair->geometry_a == SUP_NONE;
  const sup_moving_surface *s = &c->soft[model->body[is_a ? pair->a : pair->b].soft];
  int                       g = is_a ? pair->geometry_b : pair->geometry_a;
  if (g != SUP_NONE) {
    double extent = extent_of(&model->geometry[g], to_the_end);
    return c->dt * (s->spread + sup_collision_speed(&model->geometry[g], c->kin->w, c->kin->v,
                                                    s->mean, extent)) +
           c->drop;
  }
  const sup_moving_surface *other = &c->soft[model->body[pair->b].soft];
  double                    past = sup_v3_norm(sup_v3_sub(s->mean, other->mean));
  return c->dt * (s->spread + other->spread + past) + c->drop;
}

/** Bound on the approach of two sides within the step at present velocities [m], at any point of
 * both fields; points beside a rotating body are faster than its own points. */
static double field_reach(const sup_collision *c, const sup_pair *pair, int to_the_end) {
  const sup_model *model = c->model;
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE)
    return soft_reach(c, pair, to_the_end);
  const sup_geometry *a = &model->geometry[pair->geometry_a],
                     *b = &model->geometry[pair->geometry_b];
  double ra = sup_shape_radius(&a->shape) + extent_of(a, to_the_end);
  double rb = sup_shape_radius(&b->shape) + extent_of(b, to_the_end);
  sup_v3 p = c->X_WG[ra <= rb ? pair->geometry_a : pair->geometry_b].p;
  sup_v3 v = sup_v3_sub(velocity_at(c->kin, pair->b, p), velocity_at(c->kin, pair->a, p));
  sup_v3 w = sup_v3_sub(c->kin->w[pair->b], c->kin->w[pair->a]);
  return c->dt * (sup_v3_norm(v) + sup_v3_norm(w) * sup_min(ra, rb)) + c->drop;
}

/** 1: shape a is entirely below the surface of the half space b. */
static int is_swallowed(const sup_collision *c, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE) return 0;
  if (!sup_geometry_is_half_space(&c->model->geometry[pair->geometry_b])) return 0;
  sup_posed_shape  shape = {&c->model->geometry[pair->geometry_a].shape, c->X_WG[pair->geometry_a]};
  const sup_frame *X = &c->X_WG[pair->geometry_b];
  sup_v3           up = {X->R.m[0][2], X->R.m[1][2], X->R.m[2][2]};
  double           top = sup_v3_dot(up, sup_v3_sub(sup_support(&shape, up), X->p));
  return top + sup_rounding(shape.shape) < 0;
}

/** Count a pair of fields that overlap without any contact. */
static void look_for_silence(sup_contact_list *list, const sup_collision *c, int p, int contacts,
                             int backward) {
  const sup_pair *pair = &c->model->pair[p];
  if (list->count > contacts || !(list->discarded_backward > backward || is_swallowed(c, pair)))
    return;
  if (list->num_silent++ == 0) list->silent_pair = p;
}

/** Two shapes of a pair and their motion within the step. */
typedef struct approach {
  sup_posed_shape  a, b;
  sup_v3           travel; /* of b past a [m] */
  sup_moving_shape shape;  /* b, when a is soft */
  int              is_soft;
} approach;

/** Set the approach of a pair.  Returns 0 if bodies cannot pass unnoticed: b is a half space, or
 * soft with a field that extends as far as its motion, or a shape is a mesh. */
static int approach_of(const sup_collision *c, const sup_pair *pair, approach *out) {
  const sup_geometry *ga =
      pair->geometry_a == SUP_NONE ? NULL : &c->model->geometry[pair->geometry_a];
  const sup_geometry *gb =
      pair->geometry_b == SUP_NONE ? NULL : &c->model->geometry[pair->geometry_b];
  if (!gb || sup_geometry_is_half_space(gb) || gb->shape.type == SUP_SHAPE_MESH ||
      (ga && ga->shape.type == SUP_SHAPE_MESH))
    return 0;
  const sup_kinematics *kin = c->kin;
  out->is_soft = !ga;
  out->b = (sup_posed_shape){&gb->shape, c->X_WG[pair->geometry_b]};
  out->shape = (sup_moving_shape){&gb->shape, out->b.X, kin->X_WL[pair->b], kin->w[pair->b],
                                  kin->v[pair->b]};
  if (!ga) return 1;
  out->a = (sup_posed_shape){&ga->shape, c->X_WG[pair->geometry_a]};
  sup_v3 p = sup_shape_radius(&ga->shape) <= sup_shape_radius(&gb->shape) ? out->a.X.p : out->b.X.p;
  out->travel =
      sup_v3_scale(c->dt, sup_v3_sub(velocity_at(kin, pair->b, p), velocity_at(kin, pair->a, p)));
  return 1;
}

/** Sum of the margins of a pair's fields: as specified, or to the end of their cells [m]. */
static double margin_of(const sup_collision *c, const sup_pair *pair, int to_the_end) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int              g = side == 0 ? pair->geometry_a : pair->geometry_b;
    const sup_field *field = g == SUP_NONE ? NULL : c->model->geometry[g].field;
    if (field) sum += to_the_end ? field->far : field->margin;
  }
  return sum;
}

/** Reach of a pair [m]; larger than the margins only if the bodies would meet within the step. */
static double limited_reach(const sup_collision *c, const sup_pair *pair) {
  double   reach = field_reach(c, pair, 0), margin = margin_of(c, pair, 0);
  approach way;
  if (reach <= margin || !approach_of(c, pair, &way)) return reach;
  if (way.is_soft)
    return sup_meets_surface(&c->soft[c->model->body[pair->a].soft], &way.shape, c->dt) ? reach
                                                                                        : margin;
  sup_v3 w = sup_v3_sub(c->kin->w[pair->b], c->kin->w[pair->a]);
  double turn = c->dt * sup_v3_norm(w) *
                sup_min(sup_shape_radius(way.a.shape), sup_shape_radius(way.b.shape));
  return sup_meets_shape(&way.a, &way.b, way.travel, turn + c->drop) ? reach : margin;
}

/** 1: the cells end before the displacement of the step, and the bodies pass each other within the
 * step. */
static int is_passed(const sup_collision *c, const sup_pair *pair) {
  approach way;
  if (field_reach(c, pair, 1) <= margin_of(c, pair, 1) || !approach_of(c, pair, &way)) return 0;
  if (way.is_soft)
    return sup_passes_surface(&c->soft[c->model->body[pair->a].soft], &way.shape, c->dt);
  return sup_passes_shape(&way.a, &way.b, way.travel);
}

static void look_for_passage(sup_contact_list *list, const sup_collision *c, int p, int contacts) {
  if (list->count > contacts || !is_passed(c, &c->model->pair[p])) return;
  if (list->num_passed++ == 0) list->passed_pair = p;
}

/** Bound on the overlap of two rigid shapes, negative for a gap: extent of the overlap along the
 * line of centres. */
static double overlap_of(const sup_collision *c, const sup_pair *pair) {
  if (pair->geometry_a == SUP_NONE || pair->geometry_b == SUP_NONE) return HUGE_VAL;
  const sup_geometry *ga = &c->model->geometry[pair->geometry_a],
                     *gb = &c->model->geometry[pair->geometry_b];
  sup_posed_shape a = {&ga->shape, c->X_WG[pair->geometry_a]},
                  b = {&gb->shape, c->X_WG[pair->geometry_b]};
  sup_v3 n = sup_v3_sub(b.X.p, a.X.p);
  if (sup_geometry_is_half_space(ga) || !(sup_v3_norm(n) > 0)) return HUGE_VAL;
  n = sup_geometry_is_half_space(gb) ? sup_v3_scale(-1, sup_m3_column(&b.X.R, 2)) : sup_v3_unit(n);
  double overlap = sup_v3_dot(n, sup_v3_sub(sup_support(&a, n), b.X.p)) + sup_rounding(a.shape);
  if (sup_geometry_is_half_space(gb)) return overlap;
  return overlap + sup_v3_dot(n, sup_v3_sub(b.X.p, sup_support(&b, sup_v3_scale(-1, n)))) +
         sup_rounding(b.shape);
}

/** Bound on the pressure between two rigid shapes, since the depths of each point in both are
 * together at most the overlap. */
static double highest_pressure(const sup_collision *c, const sup_pair *pair, double overlap,
                               double reach) {
  if (!isfinite(overlap)) return HUGE_VAL;
  const sup_geometry *a = &c->model->geometry[pair->geometry_a],
                     *b = &c->model->geometry[pair->geometry_b];
  double slope = pair->touch == SUP_TOUCH_FIELD_FIELD ? a->field_slope : HUGE_VAL;
  return sup_in_series(slope, b->field_slope) * (sup_max(overlap, 0) + reach);
}

/** Far cells serve fast approaches only. */
static void use_far_cells(sup_moving_field *f) {
  if (!f->field->far_cell) return;
  f->source = f->field->far_cell, f->node = f->field->far_outer, f->lowest = f->field->far_lowest;
}

static sup_status collide(sup_contact_list *list, const sup_collision *c,
                          sup_collision_workspace *workspace, const sup_pair *pair,
                          const sup_contact *prototype, const sup_pair_origins *from) {
  sup_patch_options options = {.dt = c->dt,
                               .workspace_a = workspace->a,
                               .workspace_b = workspace->b,
                               .candidate = workspace->candidate,
                               .workspace_faces = workspace->faces,
                               .reach = limited_reach(c, pair),
                               .drop = c->drop,
                               .triangles = c->inc->patch_triangles,
                               .at_pressure = c->inc->patch_at_pressure};
  double            overlap = overlap_of(c, pair) + sup_v3_norm(prototype->shift);
  int               is_limited = field_reach(c, pair, 0) > options.reach;
  int               is_far = from ? from->pair->is_far : options.reach > margin_of(c, pair, 0);
  if (!is_limited && is_far) options.reach = field_reach(c, pair, 1);
  if (!is_limited && c->everything) options.reach = HUGE_VAL;
  options.moving = is_limited ? options.reach : options.reach - c->drop;
  options.everything = c->everything || from, options.from = from;
  list->origins.now.is_far = is_far;
  options.highest = highest_pressure(c, pair, overlap, options.reach);
  sup_moving_field b = side_field(c, workspace, pair->b, pair->geometry_b);
  if (pair->geometry_b != SUP_NONE && c->turned) {
    b.X_WF.p = sup_v3_add(b.X_WF.p, prototype->shift);
    b.v = sup_v3_madd(b.v, -1 / c->dt, prototype->shift);
  }
  if (is_far) use_far_cells(&b);
  if (pair->touch == SUP_TOUCH_FIELD_FIELD) {
    sup_moving_field a = side_field(c, workspace, pair->a, pair->geometry_a);
    if (is_far) use_far_cells(&a);
    if (!options.everything && overlap < 0 && sup_fields_stay_apart(&a, &b, overlap, options.reach))
      return SUP_OK;
    SUP_TRY(sup_collide_field_field(list, prototype, &a, &b, &options));
    return SUP_OK;
  }
  if (!options.everything && overlap < 0 && sup_fields_stay_apart(NULL, &b, overlap, options.reach))
    return SUP_OK;
  sup_moving_surface a = sup_collision_surface(c, pair->a, pair->geometry_a);
  a.left_out = pair->left_out;
  if (!a.xdot) a.w = motion_of(c, pair->a).w, a.v = motion_of(c, pair->a).v;
  SUP_TRY(sup_collide_surface_field(list, prototype, &a, &b, &options));
  return SUP_OK;
}

sup_status sup_collide_field_pair(sup_contact_list *list, const sup_collision *c,
                                  sup_collision_workspace *workspace, int p,
                                  const sup_contact *prototype, const sup_pair_origins *from) {
  int         contacts = list->count, backward = list->discarded_backward;
  sup_contact shifted = *prototype;
  shifted.shift = sup_turned_shift(c->turned, c->model, &c->model->pair[p], c->inc, &shifted.lever);
  SUP_TRY(collide(list, c, workspace, &c->model->pair[p], &shifted, from));
  if (from) return SUP_OK;
  look_for_silence(list, c, p, contacts, backward);
  look_for_passage(list, c, p, contacts);
  return SUP_OK;
}
