/* <collision>: shapes, meshes, Drake's proximity properties, and which links do not touch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "geom/field/volume_field.h"
#include "geom/shape.h"
#include "mesh/format/mesh_file.h"
#include "mesh/hull.h"
#include "scene/hull_file.h"
#include "scene/robot/package.h"
#include "scene/robot/robot_reader.h"
#include "scene/robot/visual_file.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *const shape_names[] = {"box",       "cylinder",       "sphere",
                                          "capsule",   "drake:capsule",  "mesh",
                                          "ellipsoid", "drake:ellipsoid"};

/* ---- contact properties ---------------------------------------------------------------------- */

/** Depth of the deepest point, over which a compliant hydroelastic body's pressure rises to its
 * modulus (THEORY 9.1); of a hull that of its centre of mass. */
static sup_status find_deepest(const sup_shape *shape, double *depth) {
  const double *s = shape->size;
  double        volume, inertia[6];
  sup_v3        centre, gradient;
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      *depth = 0.5 * fmin(s[0], fmin(s[1], s[2]));
      break;
    case SUP_SHAPE_CYLINDER:
      *depth = fmin(s[0], 0.5 * s[1]);
      break;
    case SUP_SHAPE_SPHERE:
    case SUP_SHAPE_CAPSULE:
      *depth = s[0];
      break;
    case SUP_SHAPE_ELLIPSOID:
      *depth = fmin(s[0], fmin(s[1], s[2]));
      break;
    case SUP_SHAPE_CONVEX:
      sup_hull_moments(shape->hull, &volume, &centre, inertia);
      *depth = -sup_shape_depth(shape, centre, &gradient);
      break;
    case SUP_SHAPE_MESH:
      SUP_TRY(sup_mesh_depth(shape->cells, depth));
      break;
    case SUP_SHAPE_HALF_SPACE: /* URDF has none */
      break;
  }
  return SUP_OK;
}

/** Numbers of <drake:proximity_properties>; NAN: not said. */
typedef struct proximity {
  double mu_dynamic, mu_static, dissipation, relaxation_time, point_stiffness, resolution, modulus,
      margin;
  int is_rigid, is_compliant;
} proximity;

static sup_status read_tag(sup_robot_reader *r, const sup_xml_node *node, proximity *p) {
  static const char *const has_value[] = {"value"};
  const struct {
    const char *name, *unit;
    double     *to;
    int         must_be_positive;
  } used[] = {{"drake:mu_dynamic", "", &p->mu_dynamic, 0},
              {"drake:mu_static", "", &p->mu_static, 0},
              {"drake:hunt_crossley_dissipation", " s/m", &p->dissipation, 0},
              {"drake:relaxation_time", " s", &p->relaxation_time, 0},
              {"drake:point_contact_stiffness", " N/m", &p->point_stiffness, 1},
              {"drake:mesh_resolution_hint", " m", &p->resolution, 1},
              {"drake:hydroelastic_modulus", " Pa", &p->modulus, 1},
              {"drake:hydroelastic_margin", " m", &p->margin, 0}};
  const char *known[COUNT(used) + 2] = {[COUNT(used)] = "drake:rigid_hydroelastic",
                                        "drake:compliant_hydroelastic"};
  p->is_rigid |= sup_xml_is(node, "drake:rigid_hydroelastic");
  p->is_compliant |= sup_xml_is(node, "drake:compliant_hydroelastic");
  for (int k = 0; k < COUNT(used); k++) {
    known[k] = used[k].name;
    if (!sup_xml_is(node, used[k].name)) continue;
    sup_robot_check_attributes(r, node, has_value, 1);
    if (!isnan(*used[k].to))
      return SUP_XML_FAIL(node, "a second <%s>; one is enough", used[k].name);
    SUP_TRY(sup_xml_numbers(node, "value", 1, used[k].to));
    if (*used[k].to < 0 || (used[k].must_be_positive && *used[k].to == 0))
      return SUP_XML_FAIL(node, "<%s> is %g%s; it must be %s", used[k].name, *used[k].to,
                          used[k].unit, used[k].must_be_positive ? "positive" : "0 or more");
    return SUP_OK;
  }
  if (!sup_xml_is(node, known[COUNT(used)]) && !sup_xml_is(node, known[COUNT(used) + 1]))
    sup_robot_warn_unknown(r, node, known, COUNT(known));
  return SUP_OK;
}

/** A compliant body has a pressure field; every other one touches with the stiffness that its
 * modulus would give. */
static sup_status apply_modulus(const sup_xml_node *node, const proximity *p,
                                sup_geometry_def *geometry) {
  sup_contact_def *contact = &geometry->contact;
  if (p->is_rigid && p->is_compliant)
    return SUP_XML_FAIL(node, "<%s> says both rigid and compliant; one of them must go",
                        sup_xml_name(node));
  if (p->is_rigid) contact->modulus = 0;
  if (!isnan(p->modulus)) {
    double depth = 1;
    SUP_TRY(find_deepest(&geometry->shape, &depth));
    if (depth > 0) contact->stiffness = p->modulus / depth; /* a point has no inside */
    if (p->is_compliant) contact->modulus = p->modulus;
  }
  if (p->is_compliant && !(contact->modulus > 0))
    return SUP_XML_FAIL(
        node,
        "<drake:compliant_hydroelastic> needs <drake:hydroelastic_modulus value=\"...\"/> [Pa] "
        "beside %s, or 'compliant' in the scene's contact.defaults",
        "it");
  if (!isnan(p->margin)) contact->field_margin = p->margin;
  return SUP_OK;
}

/** A geometry that names a friction coefficient has no other by default. */
static void apply_friction(sup_robot_reader *r, const sup_xml_node *node, const proximity *p,
                           sup_contact_def *contact) {
  if (!isnan(p->mu_dynamic) || !isnan(p->mu_static)) contact->static_friction = 0;
  if (!isnan(p->mu_static)) contact->friction = contact->static_friction = p->mu_static;
  if (!isnan(p->mu_dynamic)) contact->friction = p->mu_dynamic;
  if (p->mu_static < p->mu_dynamic && sup_robot_first_mention(r, "mu_static below mu_dynamic"))
    sup_log(SUP_LOG_WARNING,
            "%s:%ld: <drake:mu_static> is %g, below <drake:mu_dynamic> %g; it has no effect",
            r->path, sup_xml_line(node), p->mu_static, p->mu_dynamic);
}

static sup_status read_proximity(sup_robot_reader *r, const sup_xml_node *node,
                                 sup_geometry_def *geometry) {
  const double     none = (double)NAN;
  sup_contact_def *contact = &geometry->contact;
  proximity        p = {none, none, none, none, none, none, none, none, 0, 0};
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c))
    SUP_TRY(read_tag(r, c, &p));
  apply_friction(r, node, &p, contact);
  if (!isnan(p.dissipation)) contact->dissipation = p.dissipation;
  if (!isnan(p.relaxation_time)) contact->relaxation_time = p.relaxation_time;
  if (!isnan(p.point_stiffness)) contact->point_stiffness = p.point_stiffness;
  if (!isnan(p.resolution)) contact->resolution = p.resolution;
  SUP_TRY(apply_modulus(node, &p, geometry));
  return SUP_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/** A robot has many meshes, which are absent together: they are named in one message. */
static void keep_missing(sup_robot_reader *r, const sup_xml_node *node, const char *link,
                         const char *uri) {
  char what[SUP_ROBOT_PATH_SIZE];
  if (!r->first_missing) {
    r->first_missing = node;
    snprintf(r->remedy, sizeof r->remedy, "of link '%s': %.300s", link, sup_error_message());
  }
  snprintf(what, sizeof what, "%.200s of link '%.63s' (line %ld)", uri, link, sup_xml_line(node));
  sup_robot_list_add(&r->missing, what);
}

sup_status sup_robot_check_meshes(const sup_robot_reader *r) {
  const sup_robot_list *list = &r->missing;
  char                  more[64] = "";
  if (list->count == 0) return SUP_OK;
  if (list->count > list->listed)
    snprintf(more, sizeof more, " and %d more", list->count - list->listed);
  if (list->count == 1) return SUP_XML_FAIL(r->first_missing, "collision mesh %s", r->remedy);
  return SUP_XML_FAIL(r->first_missing, "%d collision meshes were not found: %s%s.  The first, %s",
                      list->count, list->text, more, r->remedy);
}

sup_status sup_robot_load_mesh(sup_robot_reader *r, const sup_xml_node *node, const char *from,
                               const char *link, const char *uri, const double scale[3],
                               bool is_convex, sup_shape *shape) {
  const sup_robot_context *context = r->context;
  char                     path[SUP_ROBOT_PATH_SIZE], where[SUP_ROBOT_PATH_SIZE + 32];
  for (int k = 0; k < 3; k++)
    if (scale[k] == 0)
      return SUP_XML_FAIL(node, "scale of '%s' is 0 in %c; it must not be", uri, "xyz"[k]);
  if (sup_package_find(path, sizeof path, from, uri, context->package_paths,
                       context->num_package_paths) != SUP_OK) {
    keep_missing(r, node, link, uri);
    *shape =
        (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {1, 1, 1}}; /* until the file is refused */
    return SUP_OK;
  }
  if (context->on_file) SUP_TRY(context->on_file(context->user, path));
  bool has_cells = !is_convex && sup_mesh_is_file_name(path);
  shape->type = has_cells ? SUP_SHAPE_MESH : SUP_SHAPE_CONVEX;
  snprintf(where, sizeof where, "%s:%ld", sup_xml_path(node), sup_xml_line(node));
  sup_status status = has_cells ? sup_cells_of_file(&shape->cells, &shape->hull, path, scale, where)
                                : sup_hull_of_file(&shape->hull, path, scale, where);
  if (status == SUP_E_MEMORY) return status;
  if (status != SUP_OK)
    return SUP_XML_FAIL(node, "collision mesh of link '%s': %s", link, sup_error_message());
  r->hulls += !is_convex && !has_cells;
  return SUP_OK;
}

/** The surface of a file that is seen; what is missing or foreign is left out with a warning. */
sup_status sup_robot_load_visual(sup_robot_reader *r, const sup_xml_node *node, const char *from,
                                 const char *uri, const double scale[3], sup_shape *shape) {
  const sup_robot_context *context = r->context;
  char                     path[SUP_ROBOT_PATH_SIZE];
  sup_status status = sup_package_find(path, sizeof path, from, uri, context->package_paths,
                                       context->num_package_paths);
  shape->type = SUP_SHAPE_MESH;
  if (status == SUP_OK && context->on_file) SUP_TRY(context->on_file(context->user, path));
  if (status == SUP_OK) status = sup_visual_of_file(&shape->hull, path, scale);
  if (status == SUP_E_MEMORY) return status;
  if (status == SUP_OK) return SUP_OK;
  r->missing_visual_meshes++;
  const char *slash = strrchr(uri, '/');
  sup_robot_list_add(&r->visuals, slash ? slash + 1 : uri);
  if (sup_robot_first_mention(r, "a visual that cannot be read"))
    sup_log(SUP_LOG_WARNING, "%s:%ld: a visual mesh is not shown: %s", sup_xml_path(node),
            sup_xml_line(node), sup_error_message());
  return SUP_OK;
}

static sup_status read_mesh(sup_robot_reader *r, const sup_xml_node *node, const char *link,
                            bool is_visual, sup_shape *shape) {
  static const char *const known[] = {"filename", "scale"};
  static const char *const children[] = {"drake:declare_convex", "uri", "scale"};
  const char              *uri;
  double                   scale[3] = {1, 1, 1};
  bool                     is_declared = 0;
  sup_robot_check_attributes(r, node, known, COUNT(known));
  SUP_TRY(sup_xml_text(node, sup_xml_attribute(node, "uri") ? "uri" : "filename", &uri));
  SUP_TRY(sup_xml_optional_numbers(node, "scale", 3, scale));
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (sup_xml_is(c, children[0]))
      is_declared = 1;
    else if (!sup_xml_is(c, children[1]) && !sup_xml_is(c, children[2]))
      sup_robot_warn_unknown(r, c, children, 3);
  }
  if (is_visual) {
    SUP_TRY(sup_robot_load_visual(r, node, sup_xml_path(node), uri, scale, shape));
    return SUP_OK;
  }
  SUP_TRY(sup_robot_load_mesh(r, node, sup_xml_path(node), link, uri, scale, is_declared, shape));
  return SUP_OK;
}

/** Three lengths in one attribute. */
static sup_status read_lengths(const sup_xml_node *node, const char *name, const char *what,
                               const char *of, const char *link, sup_shape *shape) {
  SUP_TRY(sup_xml_numbers(node, name, 3, shape->size));
  for (int k = 0; k < 3; k++)
    if (!(shape->size[k] > 0))
      return SUP_XML_FAIL(node, "%s %g m of %s of link '%s' must be positive", what, shape->size[k],
                          of, link);
  return SUP_OK;
}

static sup_status read_ellipsoid(const sup_xml_node *node, const char *link, sup_shape *shape) {
  shape->type = SUP_SHAPE_ELLIPSOID;
  if (sup_xml_attribute(node, "radii")) {
    SUP_TRY(read_lengths(node, "radii", "half axis", "an ellipsoid", link, shape));
    return SUP_OK;
  }
  SUP_TRY(sup_xml_positive(node, "a", &shape->size[0]));
  SUP_TRY(sup_xml_positive(node, "b", &shape->size[1]));
  SUP_TRY(sup_xml_positive(node, "c", &shape->size[2]));
  return SUP_OK;
}

static sup_status read_shape(sup_robot_reader *r, const sup_xml_node *geometry, const char *link,
                             bool is_visual, sup_shape *shape) {
  const sup_xml_node *node = sup_xml_first(geometry);
  const char         *radius;
  if (!node)
    return SUP_XML_FAIL(geometry,
                        "<geometry> of link '%s' is empty; it must hold a box, cylinder, sphere, "
                        "capsule, ellipsoid or mesh",
                        link);
  if (sup_xml_is(node, "box")) {
    shape->type = SUP_SHAPE_BOX;
    SUP_TRY(read_lengths(node, "size", "edge length", "a box", link, shape));
  } else if (sup_xml_is(node, "sphere")) {
    shape->type = SUP_SHAPE_SPHERE;
    SUP_TRY(sup_xml_text(node, "radius", &radius));
    SUP_TRY(sup_xml_not_negative(node, "radius", &shape->size[0]));
  } else if (sup_xml_is(node, "cylinder") || sup_xml_is(node, "capsule") ||
             sup_xml_is(node, "drake:capsule")) {
    shape->type = sup_xml_is(node, "cylinder") ? SUP_SHAPE_CYLINDER : SUP_SHAPE_CAPSULE;
    SUP_TRY(sup_xml_positive(node, "radius", &shape->size[0]));
    SUP_TRY(sup_xml_positive(node, "length", &shape->size[1]));
  } else if (sup_xml_is(node, "plane")) {
    shape->type = SUP_SHAPE_HALF_SPACE;
  } else if (sup_xml_is(node, "mesh")) {
    SUP_TRY(read_mesh(r, node, link, is_visual, shape));
  } else if (sup_xml_is(node, "ellipsoid") || sup_xml_is(node, "drake:ellipsoid")) {
    SUP_TRY(read_ellipsoid(node, link, shape));
  } else {
    int nearest = sup_text_nearest(sup_xml_name(node), shape_names, COUNT(shape_names));
    return SUP_XML_FAIL(node, "unknown shape <%s>; %s%s%s", sup_xml_name(node),
                        nearest == SUP_NONE ? "" : "did you mean <",
                        nearest == SUP_NONE
                            ? "known: box, cylinder, sphere, capsule, ellipsoid, mesh"
                            : shape_names[nearest],
                        nearest == SUP_NONE ? "" : ">?");
  }
  return SUP_OK;
}

sup_status sup_robot_turn_plane(const sup_xml_node *collision, sup_pose *pose) {
  const sup_xml_node *geometry = sup_xml_child(collision, "geometry"),
                     *plane = geometry ? sup_xml_child(geometry, "plane") : NULL;
  double normal[3] = {0, 0, 1};
  if (!plane) return SUP_OK;
  SUP_TRY(sup_xml_optional_numbers(plane, "normal", 3, normal));
  sup_frame X = sup_frame_from_pose(pose);
  X.R = sup_m3_mul(X.R, sup_m3_frame_of_normal(sup_v3_unit(sup_v3_load(normal))));
  *pose = sup_pose_from_frame(&X);
  return SUP_OK;
}

/** The friction coefficient of SDF's <surface>. */
static sup_status read_surface(const sup_xml_node *collision, sup_contact_def *contact) {
  static const char *const way[] = {"surface", "friction", "ode"};
  const sup_xml_node      *node = collision;
  double                   mu = 0;
  for (int k = 0; k < COUNT(way) && node; k++) node = sup_xml_child(node, way[k]);
  if (!node) return SUP_OK;
  SUP_TRY(sup_xml_not_negative(node, "mu", &mu));
  if (sup_xml_attribute(node, "mu")) contact->friction = mu, contact->static_friction = 0;
  return SUP_OK;
}

sup_status sup_robot_read_collision(sup_robot_reader *r, const sup_xml_node *node,
                                    sup_link_def *link) {
  sup_geometry_def   *g = &link->geometries[link->num_geometries];
  const sup_xml_node *geometry = sup_xml_child(node, "geometry"),
                     *proximity_node = sup_xml_child(node, "drake:proximity_properties");
  if (!geometry)
    return SUP_XML_FAIL(node, "<collision> of link '%s' has no <geometry>", link->name);
  *g = sup_default_geometry_def();
  g->contact = r->context->contact;
  link->num_geometries++; /* whose hull is freed with the link */
  SUP_TRY(r->format->read_pose(r, node, link, &g->X_LG));
  SUP_TRY(read_shape(r, geometry, link->name, false, &g->shape));
  SUP_TRY(read_surface(node, &g->contact));
  if (proximity_node) SUP_TRY(read_proximity(r, proximity_node, g));
  return SUP_OK;
}

sup_status sup_robot_read_visual(sup_robot_reader *r, const sup_xml_node *node,
                                 sup_link_def *link) {
  sup_geometry_def   *g = &link->visuals[link->num_visuals];
  const sup_xml_node *geometry = sup_xml_child(node, "geometry");
  if (!geometry || !sup_xml_first(geometry)) return SUP_OK;
  *g = sup_default_geometry_def();
  SUP_TRY(r->format->read_pose(r, node, link, &g->X_LG));
  sup_status status = read_shape(r, geometry, link->name, true, &g->shape);
  if (status == SUP_OK && (g->shape.type != SUP_SHAPE_MESH || g->shape.hull)) link->num_visuals++;
  if (status != SUP_OK) sup_hull_destroy(&g->shape.hull);
  return status;
}

/* ---- links that do not touch ----------------------------------------------------------------- */

static sup_status find_member(const sup_robot_reader *r, const sup_xml_node *member, int *link) {
  const char *name, *known[SUP_ROBOT_MAX_LINKS];
  SUP_TRY(sup_xml_text(member, "link", &name));
  for (int i = 0; i < r->num_links; i++) {
    known[i] = r->links[i].name;
    *link = r->links[i].index;
    if (strcmp(r->links[i].name, name) == 0) return SUP_OK;
  }
  int nearest = sup_text_nearest(name, known, r->num_links);
  return SUP_XML_FAIL(member,
                      "the collision filter group names the link '%s', which is not defined%s%s%s",
                      name, nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

sup_status sup_robot_add_filter(sup_tree_def *def, int a, int b) {
  size_t capacity = 2 * (size_t)def->num_filters;
  SUP_TRY(SUP_GROW(def->filter, capacity, 2 * ((size_t)def->num_filters + 1)));
  def->filter[2 * def->num_filters] = a, def->filter[2 * def->num_filters + 1] = b;
  def->num_filters++;
  return SUP_OK;
}

/** Every member of one group with every member of the other. */
static sup_status filter_groups(sup_robot_reader *r, const sup_xml_node *a, const sup_xml_node *b) {
  for (const sup_xml_node *m = sup_xml_first(a); m; m = sup_xml_next(m)) {
    int i, j;
    if (!sup_xml_is(m, "drake:member")) continue;
    SUP_TRY(find_member(r, m, &i));
    for (const sup_xml_node *n = sup_xml_first(b); n; n = sup_xml_next(n)) {
      if (!sup_xml_is(n, "drake:member")) continue;
      SUP_TRY(find_member(r, n, &j));
      if (i != j) SUP_TRY(sup_robot_add_filter(r->def, i, j));
    }
  }
  return SUP_OK;
}

static sup_status find_group(const sup_xml_node *robot, const sup_xml_node *from,
                             const sup_xml_node **group) {
  const char *name, *other;
  SUP_TRY(sup_xml_text(from, "name", &name));
  for (*group = sup_xml_first(robot); *group; *group = sup_xml_next(*group)) {
    if (!sup_xml_is(*group, "drake:collision_filter_group")) continue;
    SUP_TRY(sup_xml_text(*group, "name", &other));
    if (strcmp(name, other) == 0) return SUP_OK;
  }
  return SUP_XML_FAIL(from, "there is no <drake:collision_filter_group name=\"%s\">", name);
}

sup_status sup_urdf_read_filters(sup_robot_reader *r, const sup_xml_node *robot) {
  static const char *const known[] = {"drake:member", "drake:ignored_collision_filter_group"};
  for (const sup_xml_node *group = sup_xml_first(robot); group; group = sup_xml_next(group)) {
    if (!sup_xml_is(group, "drake:collision_filter_group")) continue;
    for (const sup_xml_node *c = sup_xml_first(group); c; c = sup_xml_next(c)) {
      const sup_xml_node *other;
      if (sup_xml_is(c, known[0])) continue;
      if (!sup_xml_is(c, known[1])) {
        sup_robot_warn_unknown(r, c, known, COUNT(known));
        continue;
      }
      SUP_TRY(find_group(robot, c, &other));
      SUP_TRY(filter_groups(r, group, other));
    }
  }
  return SUP_OK;
}
