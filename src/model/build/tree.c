#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "geom/field/volume_field.h"
#include "geom/shape.h"
#include "geom/surface_bvh.h"
#include "mesh/generate/shape_field.h"
#include "mesh/hull.h"
#include "mesh/surface_curvature.h"
#include "model/build/build.h"

/** Pressures of a half space z <= 0: E_h at the bottom of its layer; without a modulus it does not
 * yield. */
static sup_status build_half_space_field(sup_geometry *g) {
  sup_plane depth = {{0, 0, -1}, 0}, pressure = sup_plane_transform(&g->X_LG, &depth);
  bool      is_rigid = !(g->contact.modulus > 0);
  double    slope = is_rigid ? 1 : g->contact.modulus / g->contact.field_thickness;
  g->field_slope = is_rigid ? HUGE_VAL : slope;
  pressure.normal = sup_v3_scale(slope, pressure.normal), pressure.offset *= slope;
  SUP_TRY(sup_field_create_half_space(&g->field, &pressure, is_rigid,
                                      is_rigid ? 0 : g->contact.field_margin));
  return SUP_OK;
}

/** Points and extents of a field's mesh, in the link's frame and [Pa]; the mesh itself stays in the
 * shape's. */
static void place_field(const sup_geometry *g, const sup_mesh *mesh, const double *extent,
                        double *x, double *p) {
  for (int i = 0; i < mesh->num_vertices; i++) {
    sup_v3_store(x + 3 * i, sup_frame_apply(&g->X_LG, sup_mesh_vertex(mesh, i)));
    p[i] = g->contact.modulus * extent[i];
  }
}

/** Cells of a shape's field, and the pressure at their vertices as a share of the modulus. */
static sup_status mesh_of_field(const sup_geometry *g, sup_mesh **mesh, double **extent,
                                double *depth) {
  const sup_contact_def *c = &g->contact;
  bool   is_flat = g->shape.type == SUP_SHAPE_BOX || g->shape.type == SUP_SHAPE_CONVEX;
  double resolution = c->field_resolution > 0 ? c->field_resolution
                      : is_flat               ? HUGE_VAL
                                              : c->resolution;
  if (g->shape.cells)
    SUP_TRY(sup_mesh_of_volume_field(mesh, extent, depth, g->shape.cells, c->field_kind,
                                     c->field_margin));
  else
    SUP_TRY(sup_mesh_of_shape_field(mesh, extent, depth, &g->shape, resolution, c->field_margin));
  return SUP_OK;
}

/** Largest gradient in cells that are in the body at least in part. */
static double steepest(const sup_field *f) {
  double most = 0;
  for (int t = 0; t < f->num_tets; t++) {
    const int *v = f->tet + 4 * t;
    if (f->p[v[0]] > 0 || f->p[v[1]] > 0 || f->p[v[2]] > 0 || f->p[v[3]] > 0)
      most = fmax(most, sup_v3_norm(f->cell[t].pressure.normal));
  }
  return most;
}

/** Field up to its margin, with far cells up to ten times the shape's extent for fast approaches.
 * In a body with hollows far cells would meet: its field ends with its margin. */
static sup_status build_shape_field(sup_geometry *g) {
  const sup_contact_def *c = &g->contact;
  double                 margin = c->field_margin,
         far = margin > 0 ? sup_max(margin, 10 * sup_shape_radius(&g->shape)) : 0;
  SUP_OWN(sup_mesh) *mesh = NULL;
  double             depth;
  SUP_FREED double  *extent = NULL, *x = NULL, *p = NULL;
  SUP_TRY(mesh_of_field(g, &mesh, &extent, &depth));
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(p, mesh->num_vertices));
  place_field(g, mesh, extent, x, p);
  SUP_TRY(
      sup_field_create(&g->field, mesh->num_vertices, x, p, mesh->num_cells, mesh->cell, margin));
  g->field_slope = g->shape.cells ? steepest(g->field) : c->modulus / depth;
  if (g->shape.cells) return SUP_OK;
  sup_shape_field_widen(mesh, extent, depth, margin, far);
  place_field(g, mesh, extent, x, p);
  SUP_TRY(sup_field_extend(g->field, x, p, far));
  return SUP_OK;
}

/** True if two fields have equal numbers.  Meshes and polyhedra are not compared. */
static bool has_same_field(const sup_geometry *a, const sup_geometry *b) {
  const sup_contact_def *c = &a->contact, *d = &b->contact;
  return a->field && a->shape.type == b->shape.type && a->shape.type != SUP_SHAPE_CONVEX &&
         a->shape.type != SUP_SHAPE_MESH &&
         !memcmp(a->shape.size, b->shape.size, sizeof a->shape.size) &&
         !memcmp(&a->X_LG, &b->X_LG, sizeof a->X_LG) && c->modulus == d->modulus &&
         c->resolution == d->resolution && c->field_resolution == d->field_resolution &&
         c->field_margin == d->field_margin;
}

/** Share a field among bodies of one kind, so that a heap of them reads it from the cache. */
static sup_status find_or_build_field(const sup_geometry *others, int num_others, sup_geometry *g) {
  for (int k = 0; k < num_others; k++)
    if (has_same_field(&others[k], g)) {
      g->field = sup_field_retain(others[k].field), g->field_slope = others[k].field_slope;
      return SUP_OK;
    }
  SUP_TRY(build_shape_field(g));
  return SUP_OK;
}

/** Mean curvature of the surface; for simple shapes, that of a fine surface. */
static sup_status set_curvature(sup_geometry *g) {
  switch (g->shape.type) {
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_BOX:
      return SUP_OK;
    case SUP_SHAPE_SPHERE:
      g->curvature = 2 / g->shape.size[0];
      return SUP_OK;
    case SUP_SHAPE_CYLINDER:
      g->curvature = 1 / g->shape.size[0];
      return SUP_OK;
    case SUP_SHAPE_CAPSULE:
    case SUP_SHAPE_ELLIPSOID:
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      break;
  }
  SUP_TRY(sup_surface_mean_curvature(g->surface, g->points, &g->curvature));
  return SUP_OK;
}

/** Geometry number `index` of `geometry`. */
static sup_status build_geometry(sup_geometry *geometry, int index, const sup_geometry_def *def,
                                 int body) {
  sup_geometry *g = &geometry[index];
  g->body = body;
  g->shape = def->shape;
  g->X_LG = sup_frame_from_pose(&def->X_LG);
  g->contact = def->contact;
  g->contact.resolution = sup_surface_resolution(&def->shape, def->contact.resolution);
  if (def->shape.type == SUP_SHAPE_CONVEX || def->shape.type == SUP_SHAPE_MESH) {
    if (!def->shape.hull)
      return SUP_FAIL(SUP_E_ARG, "a shape of the type %s has no triangles",
                      sup_shape_name(def->shape.type));
    SUP_TRY(sup_hull_copy(&g->hull, def->shape.hull));
    g->shape.hull = g->hull;
  }
  if (def->shape.type == SUP_SHAPE_HALF_SPACE) {
    SUP_TRY(build_half_space_field(g));
    return SUP_OK;
  }
  if (sup_shape_is_point(&g->shape)) { /* has no inside for a pressure, and no surface */
    g->contact.modulus = 0;
    return SUP_OK;
  }
  if (g->contact.modulus > 0) SUP_TRY(find_or_build_field(geometry, index, g));
  g->shape.cells = NULL; /* the definition's */
  SUP_TRY(sup_surface_of_shape(&g->surface, &g->points, &def->shape, g->contact.resolution));
  for (int i = 0; i < g->surface->num_points; i++)
    sup_v3_store(g->points + 3 * i, sup_frame_apply(&g->X_LG, sup_v3_load(g->points + 3 * i)));
  SUP_TRY(set_curvature(g));
  SUP_TRY(sup_surface_bvh_create(&g->bvh, g->surface, g->points));
  return SUP_OK;
}

/** The surface of a shape that is seen. */
static sup_status build_visual(sup_geometry *g, const sup_geometry_def *def, int body) {
  g->body = body;
  g->shape = def->shape;
  g->X_LG = sup_frame_from_pose(&def->X_LG);
  if (def->shape.type != SUP_SHAPE_MESH && def->shape.type != SUP_SHAPE_CONVEX)
    return SUP_OK; /* output/shape_display.c makes it */
  const sup_hull *from = def->shape.hull;
  g->shape.hull = NULL;
  SUP_TRY(sup_surface_create(&g->surface, from->num_points, from->num_triangles, 3));
  memcpy(g->surface->face, from->triangle, 3 * (size_t)from->num_triangles * sizeof(int));
  SUP_TRY(SUP_CALLOC(g->points, 3 * (size_t)from->num_points));
  for (int i = 0; i < from->num_points; i++)
    sup_v3_store(g->points + 3 * i, sup_frame_apply(&g->X_LG, sup_v3_load(from->point + 3 * i)));
  return SUP_OK;
}

static void name_body(sup_body *body, const sup_tree_def *tree, const sup_link_def *link) {
  if (tree->is_rigid_body)
    snprintf(body->name, sizeof body->name, "%s", tree->name);
  else
    snprintf(body->name, sizeof body->name, "%s/%s", tree->name, link->name);
}

static sup_status build_links(sup_model *model, const sup_tree_def *def, int t) {
  for (int l = 0; l < def->num_links; l++) {
    const sup_link_def *link = &def->links[l];
    int                 index = model->tree_body[t] + l;
    sup_body           *body = &model->body[index];
    int                 parent = link->parent;
    *body = (sup_body){.tree = t,
                       .link = l,
                       .soft = SUP_NONE,
                       .first_geometry = model->num_geometries,
                       .num_geometries = link->num_geometries,
                       .num_visuals = link->num_visuals};
    name_body(body, def, link);
    /* a link moves when any joint on its path to the base does */
    body->movable = link->joint != SUP_JOINT_FIXED ||
                    (parent != SUP_NONE && model->body[model->tree_body[t] + parent].movable);
    for (int g = 0; g < link->num_visuals; g++)
      SUP_TRY(build_visual(&model->visual[model->num_visuals++], &link->visuals[g], index));
    for (int g = 0; g < link->num_geometries; g++) {
      sup_status status =
          build_geometry(model->geometry, model->num_geometries++, &link->geometries[g], index);
      if (status == SUP_E_MEMORY) return status;
      if (status != SUP_OK)
        return SUP_FAIL(status, "shape %d of '%s' (%s): %s", g + 1, body->name,
                        sup_shape_name(link->geometries[g].shape.type), sup_error_message());
    }
  }
  return SUP_OK;
}

static sup_status allocate(sup_model *model, const sup_model_def *def) {
  int num_links = 0, num_geometries = 0, num_visuals = 0;
  for (int t = 0; t < def->num_trees; t++) {
    num_links += def->trees[t].num_links;
    for (int l = 0; l < def->trees[t].num_links; l++)
      num_geometries += def->trees[t].links[l].num_geometries,
          num_visuals += def->trees[t].links[l].num_visuals;
  }
  SUP_TRY(SUP_CALLOC(model->tree, def->num_trees));
  SUP_TRY(SUP_CALLOC(model->q_start, def->num_trees + 1));
  SUP_TRY(SUP_CALLOC(model->v_start, def->num_trees + 1));
  SUP_TRY(SUP_CALLOC(model->tree_block, def->num_trees));
  SUP_TRY(SUP_CALLOC(model->tree_body, def->num_trees));
  SUP_TRY(SUP_CALLOC(model->body, num_links + def->num_softs));
  SUP_TRY(SUP_CALLOC(model->geometry, num_geometries));
  SUP_TRY(SUP_CALLOC(model->visual, num_visuals));
  return SUP_OK;
}

sup_status sup_model_build_trees(sup_model *model, const sup_model_def *def) {
  SUP_TRY(allocate(model, def));
  for (int t = 0; t < def->num_trees; t++) {
    const sup_tree_def *tree = &def->trees[t];
    SUP_TRY(sup_tree_create(&model->tree[t], tree));
    model->num_trees = t + 1;
    model->q_start[t + 1] = model->q_start[t] + model->tree[t]->nq;
    model->v_start[t + 1] = model->v_start[t] + model->tree[t]->nv;
    model->tree_body[t] = model->num_bodies;
    model->tree_block[t] = model->tree[t]->nv > 0 ? model->num_blocks++ : SUP_NONE;
    SUP_TRY(build_links(model, tree, t));
    model->num_bodies += tree->num_links;
  }
  SUP_TRY(SUP_CALLOC(model->q0, model->q_start[def->num_trees]));
  SUP_TRY(SUP_CALLOC(model->v0, model->v_start[def->num_trees]));
  for (int t = 0; t < def->num_trees; t++)
    sup_tree_initial(&def->trees[t], model->tree[t], model->q0 + model->q_start[t],
                     model->v0 + model->v_start[t]);
  return SUP_OK;
}

sup_status sup_model_build_actuators(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->actuator, def->num_actuators));
  for (int i = 0; i < def->num_actuators; i++) {
    const sup_actuator_def *a = &def->actuators[i];
    sup_actuator           *to = &model->actuator[i];
    memcpy(to->name, a->name, sizeof to->name);
    if (!sup_model_find_joint(model, a->joint, &to->tree, &to->link))
      return SUP_FAIL(SUP_E_ARG, "actuator '%s': there is no joint '%s'", a->name, a->joint);
    if (model->tree[to->tree]->links[to->link].nv != 1)
      return SUP_FAIL(SUP_E_ARG, "actuator '%s': joint '%s' is neither revolute nor prismatic",
                      a->name, a->joint);
    if (!(a->kp >= 0 && a->kd >= 0 && a->kp + a->kd > 0 && a->effort > 0))
      return SUP_FAIL(SUP_E_ARG, "actuator '%s': kp %g, kd %g, effort %g must be positive", a->name,
                      a->kp, a->kd, a->effort);
    to->kp = a->kp, to->kd = a->kd, to->effort = a->effort;
    to->feedforward = a->feedforward;
    double limit = model->tree[to->tree]->links[to->link].effort_limit;
    if (limit < to->effort) to->effort = limit;
    SUP_TRY(sup_table_copy(&to->target, &a->target));
    model->num_actuators = i + 1;
  }
  return SUP_OK;
}
