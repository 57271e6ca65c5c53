#include "collide/collision.h"

#include <math.h>
#include <string.h>

#include "collide/field/soft_field.h"
#include "collide/surface/surface_vertex.h"
#include "collide/travel.h"
#include "geom/surface_bvh.h"

double sup_largest_speed(const double *xdot, int num_vertices) {
  double square = 0;
  for (int i = 0; i < num_vertices; i++) {
    sup_v3 v = sup_v3_load(xdot + 3 * i);
    square = sup_max(square, sup_v3_dot(v, v));
  }
  return sqrt(square);
}

/** Set the mean velocity of a soft body and the spread of velocities about the mean; used by
 * fields. */
static void measure_spread(int n, sup_moving_surface *to) {
  double square = 0;
  if (to->spread >= 0) return; /* known */
  to->mean = sup_v3_make(0, 0, 0);
  for (int i = 0; i < n; i++)
    to->mean = sup_v3_madd(to->mean, 1. / n, sup_v3_load(to->xdot + 3 * i));
  for (int i = 0; i < n; i++) {
    sup_v3 past = sup_v3_sub(sup_v3_load(to->xdot + 3 * i), to->mean);
    square = sup_max(square, sup_v3_dot(past, past));
  }
  to->spread = sqrt(square);
}

/** Refit the hierarchy of a soft body at its present points. */
static sup_status soft_surface(const sup_model *model, int s, const double *x, const double *xdot,
                               sup_arena *arena, sup_moving_surface *out) {
  const sup_soft *soft = &model->soft[s];
  int             n = soft->surface->num_faces;
  sup_box        *box;
  sup_bvh_node   *node;
  *out = (sup_moving_surface){.surface = soft->surface, .X_WS = sup_frame_identity()};
  out->points = x + 3 * soft->first_vertex;
  out->slope = soft->triangle_stiffness;
  out->face = soft->vertex_face;
  out->xdot = xdot + 3 * soft->first_vertex;
  SUP_TRY(SUP_ARENA(arena, box, n));
  SUP_TRY(SUP_ARENA(arena, node, 2 * n - 1));
  sup_surface_boxes(soft->surface, out->points, box);
  sup_bvh_refit(soft->bvh, box, node);
  out->node = node;
  if (model->contact.soft_surface == SUP_SOFT_SURFACE_VERTICES)
    out->offered = sup_surface_vertex_offered(box, n);
  out->speed = out->fastest = sup_largest_speed(out->xdot, soft->num_vertices);
  out->spread = -1;
  return SUP_OK;
}

double sup_collision_speed(const sup_geometry *geometry, const sup_v3 *w, const sup_v3 *v,
                           sup_v3 past, double outside) {
  int    b = geometry->body;
  double spin = sup_v3_norm(w[b]),
         radius = sup_shape_radius(&geometry->shape) + sup_v3_norm(geometry->X_LG.p);
  return sup_v3_norm(sup_v3_sub(v[b], past)) + (spin > 0 ? spin * (radius + outside) : 0);
}

static sup_moving_surface rigid_surface(const sup_collision *c, int g) {
  const sup_geometry *geometry = &c->model->geometry[g];
  int                 b = geometry->body;
  return (sup_moving_surface){
      .surface = geometry->surface,
      .node = geometry->bvh->node,
      .X_WS = c->kin->X_WL[b],
      .points = geometry->points,
      .w = c->kin->w[b],
      .v = c->kin->v[b],
      .speed = sup_collision_speed(geometry, c->kin->w, c->kin->v, (sup_v3){0, 0, 0}, 0)};
}

sup_moving_surface sup_collision_surface(const sup_collision *c, int body, int geometry) {
  return geometry == SUP_NONE ? c->soft[c->model->body[body].soft] : rigid_surface(c, geometry);
}

/** Contribution of a body to the reach of a surface and a shape [m], by the speeds of its points
 * and belt.  Points across a gap from a rotating shape have a lever arm that is longer by the gap
 * (THEORY 19.6). */
static double surface_reach(const sup_collision *c, double speed, double belt) {
  double ahead = c->dt + c->model->look_ahead, lever = 1 - c->model->glide * ahead * c->spin;
  double way = ahead * (speed + c->model->glide * (speed + belt)) + c->drop;
  return lever > 0 ? (way + 0.5 * c->model->gap_range) / lever : HUGE_VAL;
}

static double geometry_reach(const sup_collision *c, const sup_geometry *geometry, const sup_v3 *w,
                             const sup_v3 *v) {
  const sup_contact_def *def = &geometry->contact;
  const sup_field       *field = geometry->field; /* cells with corners beyond the margin */
  double                 outside = field && field->num_tets ? field->swell * -field->lowest : 0;
  double                 belt = sup_v3_norm(sup_v3_load(def->surface_velocity)) +
                sup_v3_norm(sup_v3_load(def->surface_amplitude));
  return surface_reach(c, sup_collision_speed(geometry, w, v, (sup_v3){0, 0, 0}, outside), belt);
}

static double largest_spin(const sup_model *model, const sup_v3 *w) {
  double square = 0;
  for (int g = 0; g < model->num_geometries; g++) {
    sup_v3 own = w[model->geometry[g].body];
    square = sup_max(square, sup_v3_dot(own, own));
  }
  return sqrt(square);
}

/** Distance beyond its reach at which a field's cells may act [m], at most their extent.  Cells
 * measure a gap as -p over the slope of p along the other surface; beyond edges and corners, where
 * p falls off slowly, this is less than the distance. */
static double beyond_reach(const sup_collision *c, const sup_field *field, double reach) {
  if (!field || field->num_tets == 0 || !(field->stretch > 1)) return 0;
  double lowest = field->far_cell ? field->far_lowest : field->lowest;
  return sup_min((field->stretch - 1) * (reach + c->largest_reach), field->swell * -lowest);
}

static void set_box(sup_collision *c, int g) {
  const sup_geometry *geometry = &c->model->geometry[g];
  double              margin = c->reach[g] + beyond_reach(c, geometry->field, c->reach[g]);
  sup_shape_bounds(&geometry->shape, &c->X_WG[g], margin, &c->box[g].lower, &c->box[g].upper);
}

/** Box in which the field of a soft body may act, or its surface, whose search extends `offered`
 * farther [m].  The shell of the field is as wide as the motions of the step require. */
static sup_box soft_box(const sup_collision *c, int s, double offered) {
  double reach = c->soft[s].reach, margin = reach + offered;
  if (c->model->soft[s].field) margin += (SUP_MESH_FIELD_STANDOFF - 1) * (reach + c->largest_reach);
  sup_v3  grow = {margin, margin, margin};
  sup_box box = c->soft[s].node[0].box;
  return (sup_box){sup_v3_sub(box.lower, grow), sup_v3_add(box.upper, grow)};
}

/** Boxes of all items, grown by their reaches; unbounded if everything is searched. */
static void set_boxes(sup_collision *c) {
  static const sup_box everywhere = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                                     {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  const sup_model     *model = c->model;
  c->largest_reach = 0;
  for (int g = 0; g < model->num_geometries; g++)
    c->largest_reach = sup_max(c->largest_reach, c->reach[g]);
  for (int s = 0; s < model->num_softs; s++)
    c->largest_reach = sup_max(c->largest_reach, c->soft[s].reach);
  for (int i = 0; i < sup_model_num_items(model) && c->everything; i++) c->box[i] = everywhere;
  for (int g = 0; g < model->num_geometries && !c->everything; g++) set_box(c, g);
  for (int s = 0; s < model->num_softs && !c->everything; s++)
    c->box[model->num_geometries + s] = soft_box(c, s, c->soft[s].offered);
}

/** Boxes of all items, grown by the reach of the narrow phase. */
static void grow_boxes(sup_collision *c) {
  const sup_model *model = c->model;
  double           lever = sup_travel_lever(model, c->inc, c->travel);
  c->spin = largest_spin(model, c->kin->w);
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[g];
    double              margin = geometry_reach(c, geometry, c->kin->w, c->kin->v);
    margin = c->reach[g] =
        sup_max(margin, sup_travel_growth(geometry, c->inc, c->travel[g], lever));
  }
  for (int s = 0; s < model->num_softs; s++)
    c->soft[s].reach = surface_reach(c, c->soft[s].speed, 0);
  set_boxes(c);
}

int sup_collision_grow(sup_collision *c, const sup_motion *motion) {
  const sup_model *model = c->model;
  int              grown = 0;
  c->spin = sup_max(c->spin, largest_spin(model, motion->w));
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[g];
    double              reach = geometry_reach(c, geometry, motion->w, motion->v);
    if (!(reach > c->reach[g])) continue;
    c->reach[g] = reach, grown = 1;
  }
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    double          speed =
        sup_largest_speed(motion->xdot + 3 * (size_t)soft->first_vertex, soft->num_vertices);
    c->soft[s].fastest = sup_max(c->soft[s].fastest, speed);
    double reach = surface_reach(c, c->soft[s].fastest, 0);
    if (!(reach > c->soft[s].reach)) continue;
    c->soft[s].reach = reach, grown = 1;
  }
  if (grown) set_boxes(c);
  return grown;
}

static sup_status place_shapes(sup_collision *c, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, c->X_WG, c->model->num_geometries));
  for (int g = 0; g < c->model->num_geometries; g++) {
    const sup_geometry *geometry = &c->model->geometry[g];
    c->X_WG[g] = sup_frame_mul(&c->kin->X_WL[geometry->body], &geometry->X_LG);
  }
  return SUP_OK;
}

sup_status sup_collision_create(sup_collision *c, const sup_model *model, const sup_increment *inc,
                                const sup_kinematics *kin, const double *x, const double *xdot,
                                const sup_turned *turned, const sup_travel *travel, int everything,
                                sup_arena *arena) {
  *c = (sup_collision){.model = model,
                       .inc = inc,
                       .kin = turned ? &turned->kin : kin,
                       .travel = travel,
                       .x = x,
                       .xdot = xdot,
                       .turned = turned,
                       .dt = inc->h,
                       .everything = everything,
                       .drop = inc->h * inc->h * sup_v3_norm(inc->gravity)};
  SUP_TRY(SUP_ARENA(arena, c->soft, model->num_softs));
  SUP_TRY(SUP_ARENA(arena, c->field, model->num_softs));
  memset(c->field, 0, (size_t)model->num_softs * sizeof *c->field);
  for (int s = 0; s < model->num_softs; s++)
    SUP_TRY(soft_surface(model, s, c->x, xdot, arena, &c->soft[s]));
  SUP_TRY(place_shapes(c, arena));
  if (!travel) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, c->reach, model->num_geometries));
  SUP_TRY(SUP_ARENA(arena, c->box, sup_model_num_items(model)));
  grow_boxes(c);
  return SUP_OK;
}

sup_status sup_collision_at_start(sup_collision *c, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, c->start, 1));
  *c->start = *c;
  c->start->kin = c->turned->stands, c->start->turned = NULL, c->start->start = NULL;
  return place_shapes(c->start, arena);
}

/** Spread of the velocities of a pair's soft bodies. */
static void set_spreads(sup_collision *c, const sup_pair *pair) {
  int soft[2] = {c->model->body[pair->a].soft, c->model->body[pair->b].soft};
  for (int side = 0; side < 2; side++)
    if (soft[side] != SUP_NONE)
      measure_spread(c->model->soft[soft[side]].num_vertices, &c->soft[soft[side]]);
}

static sup_status place_field(sup_collision *c, int body, double reach, sup_arena *arena) {
  int s = c->model->body[body].soft;
  if (s == SUP_NONE || c->field[s].field) return SUP_OK;
  SUP_TRY(sup_soft_field_place(&c->model->soft[s], c->soft[s].points, c->soft[s].xdot, reach, arena,
                               &c->field[s]));
  return SUP_OK;
}

int sup_collision_is_apart(const sup_collision *c, const sup_pair *pair) {
  if (c->everything || pair->geometry_a != SUP_NONE || pair->geometry_b != SUP_NONE) return 0;
  sup_box a = soft_box(c, c->model->body[pair->a].soft, 0),
          b = soft_box(c, c->model->body[pair->b].soft, 0);
  return !sup_box_overlap(&a, &b);
}

sup_status sup_collision_place_fields(sup_collision *c, const int *candidate, int num_candidates,
                                      sup_arena *arena) {
  double reach = -1; /* not known yet */
  for (int k = 0; k < num_candidates; k++) {
    const sup_pair *pair = &c->model->pair[candidate[k]];
    if (pair->touch == SUP_TOUCH_FIELD_FIELD || pair->touch == SUP_TOUCH_SURFACE_FIELD)
      set_spreads(c, pair);
    if (pair->touch != SUP_TOUCH_FIELD_FIELD || pair->geometry_a != SUP_NONE) continue;
    if (reach < 0)
      reach = 2 * c->dt * sup_soft_speed(c->model->num_vertices, c->x, c->xdot) + c->drop;
    SUP_TRY(place_field(c, pair->a, reach, arena));
    SUP_TRY(place_field(c, pair->b, reach, arena));
  }
  return SUP_OK;
}

static int larger(int a, int b) { return a > b ? a : b; }

static sup_status make_workspace(sup_search_workspace *workspace, int num_items, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, workspace->seen, 2 * num_items - 1));
  SUP_TRY(SUP_ARENA(arena, workspace->known, 2 * num_items - 1));
  return SUP_OK;
}

static void include(const sup_surface *surface, int *num_faces, int *num_points,
                    int *num_triangles) {
  *num_triangles = larger(*num_triangles, surface->num_triangles);
  *num_faces = larger(*num_faces, surface->num_faces);
  *num_points = larger(*num_points, surface->num_points);
}

sup_status sup_collision_workspace_create(sup_collision_workspace *workspace,
                                          const sup_model *model, sup_arena *arena) {
  int faces = 1, points = 1, cells = 1, triangles = 1;
  for (int s = 0; s < model->num_softs; s++)
    include(model->soft[s].surface, &faces, &points, &triangles);
  for (int g = 0; g < model->num_geometries; g++) {
    if (model->geometry[g].surface)
      include(model->geometry[g].surface, &faces, &points, &triangles);
    if (model->geometry[g].field) cells = larger(cells, model->geometry[g].field->num_tets);
  }
  SUP_TRY(SUP_ARENA(arena, workspace->cell, cells));
  SUP_TRY(SUP_ARENA(arena, workspace->state, cells));
  SUP_TRY(make_workspace(&workspace->a, larger(faces, cells), arena));
  SUP_TRY(make_workspace(&workspace->b, cells, arena));
  SUP_TRY(SUP_ARENA(arena, workspace->candidate, larger(faces, cells)));
  SUP_TRY(SUP_ARENA(arena, workspace->faces.triangle, triangles));
  SUP_TRY(SUP_ARENA(arena, workspace->faces.known, faces));
  workspace->surface.face = workspace->candidate;
  SUP_TRY(SUP_ARENA(arena, workspace->surface.point, points));
  SUP_TRY(SUP_ARENA(arena, workspace->surface.known, points));
  if (model->contact.soft_surface != SUP_SOFT_SURFACE_VERTICES) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, workspace->surface.centre, faces));
  SUP_TRY(SUP_ARENA(arena, workspace->surface.polygons, faces));
  return SUP_OK;
}
