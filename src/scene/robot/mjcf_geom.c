/* Geoms of an MJCF model: shapes, meshes, masses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "la/dense_eigen.h"
#include "mesh/hull.h"
#include "scene/robot/mjcf_parts.h"

/* ---- meshes ---------------------------------------------------------------------------------- */

/** Name of a mesh: its own, or that of its file without folder and ending. */
static bool is_called(const sup_xml_node *mesh, const char *name) {
  const char *own = sup_xml_attribute(mesh, "name"), *file = sup_xml_attribute(mesh, "file");
  if (own || !file) return own && strcmp(own, name) == 0;
  const char *slash = strrchr(file, '/');
  if (slash) file = slash + 1;
  size_t length = strlen(name);
  return strncmp(file, name, length) == 0 && (!file[length] || strrchr(file, '.') == file + length);
}

static sup_status find_mesh(sup_mjcf *m, const sup_xml_node *geom, const char *name,
                            const sup_xml_node **mesh) {
  const sup_xml_node *section, *child;
  sup_mjcf_children   top = sup_mjcf_children_of(m->root, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &top, &section));
    if (!section) break;
    sup_mjcf_children inner = sup_mjcf_children_of(section, SUP_NONE);
    if (sup_xml_is(section, "asset"))
      for (;;) {
        SUP_TRY(sup_mjcf_next(m, &inner, &child));
        if (!child) break;
        *mesh = child;
        if (sup_xml_is(child, "mesh") && is_called(child, name)) return SUP_OK;
      }
  }
  return SUP_XML_FAIL(geom, "the mesh '%s' is not defined; <mesh name=\"%s\"> in <asset> would do",
                      name, name);
}

/** Hull of the points that the element itself lists. */
static sup_status hull_of_vertices(const sup_xml_node *mesh, const double scale[3],
                                   sup_shape *shape) {
  SUP_FREED double *x = NULL;
  int               n;
  SUP_TRY(sup_xml_number_list(mesh, "vertex", 0, NULL, &n));
  SUP_TRY(SUP_CALLOC(x, (size_t)n + 1));
  SUP_TRY(sup_xml_number_list(mesh, "vertex", n, x, &n));
  for (int i = 0; i < n; i++) x[i] *= scale[i % 3];
  shape->type = SUP_SHAPE_CONVEX;
  sup_status status = sup_hull_create(&shape->hull, n / 3, x);
  if (status == SUP_E_MEMORY) return status;
  if (status != SUP_OK) return SUP_XML_FAIL(mesh, "vertices of a mesh: %s", sup_error_message());
  return SUP_OK;
}

static sup_status read_mesh(sup_mjcf *m, const sup_xml_node *geom, const char *name,
                            const char *link, sup_shape *shape) {
  const sup_xml_node *mesh = NULL;
  const char         *file, *folder = m->compiler.mesh_folder;
  double              scale[3] = {1, 1, 1};
  char                uri[SUP_ROBOT_PATH_SIZE];
  int class;
  SUP_TRY(find_mesh(m, geom, name, &mesh));
  SUP_TRY(sup_mjcf_class(m, mesh, "class", SUP_NONE, &class));
  SUP_TRY(sup_mjcf_numbers(m, mesh, class, "scale", 3, scale));
  sup_mjcf_note_attributes(m, mesh,
                           "file vertex scale inertia content_type smoothnormal normal "
                           "texcoord face");
  if (sup_xml_attribute(mesh, "vertex")) {
    SUP_TRY(hull_of_vertices(mesh, scale, shape));
    return SUP_OK;
  }
  SUP_TRY(sup_xml_text(mesh, "file", &file));
  if (!folder) folder = m->compiler.asset_folder;
  bool is_inside = folder && *file != '/';
  snprintf(uri, sizeof uri, "%s%s%s", is_inside ? folder : "", is_inside ? "/" : "", file);
  SUP_TRY(sup_robot_load_mesh(m->r, mesh, m->r->path, link, uri, scale, true, shape));
  return SUP_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef enum geom_type { PLANE, SPHERE, CAPSULE, CYLINDER, ELLIPSOID, BOX, MESH, OTHER } geom_type;

typedef struct geom {
  const sup_xml_node *node;
  int class;
  geom_type type;
  sup_shape shape;
  sup_frame X; /* in the body's frame */
  bool      is_visual;
} geom;

/** Length and direction of a shape between two points: its z runs from the second to the first. */
static sup_status read_from_to(const sup_mjcf *m, geom *g, double size[3]) {
  double              ends[6];
  const sup_xml_node *holder = sup_mjcf_holder(m, g->node, g->class, "fromto");
  if (!holder) return SUP_OK;
  if (g->type < CAPSULE || g->type > BOX)
    return SUP_XML_FAIL(holder, "fromto is for %s, not for this type",
                        "capsules, cylinders, ellipsoids and boxes");
  SUP_TRY(sup_xml_numbers(holder, "fromto", 6, ends));
  sup_v3 a = sup_v3_load(ends), b = sup_v3_load(ends + 3), along = sup_v3_sub(a, b);
  size[g->type == CAPSULE || g->type == CYLINDER ? 1 : 2] = 0.5 * sup_v3_norm(along);
  if (g->type == ELLIPSOID || g->type == BOX) size[1] = size[0];
  g->X = (sup_frame){sup_quat_matrix(sup_mjcf_turn_z(along)), sup_v3_scale(0.5, sup_v3_add(a, b))};
  return SUP_OK;
}

/** Half lengths of MuJoCo to whole ones. */
static sup_status read_shape(sup_mjcf *m, geom *g, const char *link) {
  static const sup_shape_type types[] = {SUP_SHAPE_HALF_SPACE, SUP_SHAPE_SPHERE,
                                         SUP_SHAPE_CAPSULE,    SUP_SHAPE_CYLINDER,
                                         SUP_SHAPE_ELLIPSOID,  SUP_SHAPE_BOX};
  static const int            sizes[] = {0, 1, 2, 2, 3, 3};
  const char                 *mesh = sup_mjcf_text(m, g->node, g->class, "mesh");
  double                      size[3] = {0};
  if ((g->type == MESH) != (mesh != NULL))
    return SUP_XML_FAIL(g->node, "a geom of link '%s' has %s", link,
                        mesh ? "a mesh that another shape is to be fitted to; type=\"mesh\" is read"
                             : "the type mesh and no mesh=\"..\"");
  if (mesh) {
    SUP_TRY(read_mesh(m, g->node, mesh, link, &g->shape));
    return SUP_OK;
  }
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "size", 3, size));
  SUP_TRY(read_from_to(m, g, size));
  for (int k = 0; k < sizes[g->type]; k++)
    if (!(size[k] > 0))
      return SUP_XML_FAIL(g->node, "size %d of a geom of link '%s' is %g m; it must be positive",
                          k + 1, link, size[k]);
  g->shape.type = types[g->type];
  memcpy(g->shape.size, size, sizeof size);
  for (int k = 0; k < 3; k++)
    if (g->type == BOX || ((g->type == CAPSULE || g->type == CYLINDER) && k == 1))
      g->shape.size[k] *= 2;
  return SUP_OK;
}

/* ---- masses ---------------------------------------------------------------------------------- */

/** Volume, centre and moments per mass (xx yy zz xy xz yz) about it, in the shape's frame. */
static void find_moments(const sup_shape *shape, double *volume, sup_v3 *centre, double I[6]) {
  const double pi = acos(-1.0), *s = shape->size, a2 = s[0] * s[0], b2 = s[1] * s[1],
               c2 = s[2] * s[2];
  *centre = sup_v3_make(0, 0, 0);
  memset(I, 0, 6 * sizeof *I);
  *volume = 0;
  if (shape->type == SUP_SHAPE_CONVEX) {
    sup_hull_moments(shape->hull, volume, centre, I);
  } else if (shape->type == SUP_SHAPE_SPHERE) {
    *volume = 4 * pi / 3 * a2 * s[0];
    I[0] = I[1] = I[2] = 0.4 * a2;
  } else if (shape->type == SUP_SHAPE_ELLIPSOID) {
    *volume = 4 * pi / 3 * s[0] * s[1] * s[2];
    I[0] = (b2 + c2) / 5, I[1] = (a2 + c2) / 5, I[2] = (a2 + b2) / 5;
  } else if (shape->type == SUP_SHAPE_BOX) {
    *volume = s[0] * s[1] * s[2];
    I[0] = (b2 + c2) / 12, I[1] = (a2 + c2) / 12, I[2] = (a2 + b2) / 12;
  } else if (shape->type == SUP_SHAPE_CYLINDER || shape->type == SUP_SHAPE_CAPSULE) {
    double tube = pi * a2 * s[1], ends = 0;
    if (shape->type == SUP_SHAPE_CAPSULE) ends = 4 * pi / 3 * a2 * s[0];
    *volume = tube + ends;
    I[0] =
        (tube * (3 * a2 + b2) / 12 + ends * (0.4 * a2 + 0.25 * b2 + 0.375 * s[0] * s[1])) / *volume;
    I[1] = I[0], I[2] = (0.5 * tube + 0.4 * ends) * a2 / *volume;
  }
}

static sup_m3 full_matrix(const double I[6]) {
  return (sup_m3){{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
}

/** Inertia of a point mass about the origin. */
static sup_m3 inertia_of_point(double mass, sup_v3 p) {
  return sup_m3_scale(mass, sup_m3_add(sup_m3_scale(sup_v3_dot(p, p), sup_m3_identity()),
                                       sup_m3_scale(-1, sup_m3_outer(p, p))));
}

static sup_status add_mass(sup_mjcf *m, const geom *g, sup_mjcf_mass *sum) {
  double volume, I[6], density = 1000, mass = -1, group = 0;
  sup_v3 centre;
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "density", 1, &density));
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "mass", 1, &mass));
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "group", 1, &group));
  if (group < m->compiler.groups[0] || group > m->compiler.groups[1]) return SUP_OK;
  find_moments(&g->shape, &volume, &centre, I);
  if (!sup_mjcf_holder(m, g->node, g->class, "mass")) mass = density * volume;
  if (!(mass >= 0))
    return SUP_XML_FAIL(g->node, "the mass of a geom is %g kg; it must be 0 or more", mass);
  sup_v3 p = sup_frame_apply(&g->X, centre);
  sup_m3 turned = sup_m3_mul(sup_m3_mul(g->X.R, full_matrix(I)), sup_m3_transpose(g->X.R));
  sum->mass += mass;
  sum->moment = sup_v3_madd(sum->moment, mass, p);
  sum->inertia =
      sup_m3_add(sum->inertia, sup_m3_add(sup_m3_scale(mass, turned), inertia_of_point(mass, p)));
  return SUP_OK;
}

/** Bounds of <compiler> on principal moments. */
static void bound_inertia(const sup_mjcf_compiler *c, sup_m3 *I) {
  double A[9], Q[9];
  for (int k = 0; k < 9; k++) A[k] = I->m[k / 3][k % 3];
  sup_dense_eigen(3, A, Q);
  double e[3] = {fmax(A[0], c->bound_inertia), fmax(A[4], c->bound_inertia),
                 fmax(A[8], c->bound_inertia)},
         total = e[0] + e[1] + e[2], largest = fmax(e[0], fmax(e[1], e[2]));
  if (c->balances && 2 * largest > total) e[0] = e[1] = e[2] = total / 3;
  if (e[0] == A[0] && e[1] == A[4] && e[2] == A[8]) return;
  *I = sup_m3_zero();
  for (int k = 0; k < 3; k++) {
    sup_v3 q = sup_v3_make(Q[k], Q[3 + k], Q[6 + k]);
    *I = sup_m3_add(*I, sup_m3_scale(e[k], sup_m3_outer(q, q)));
  }
}

static sup_status read_inertial(sup_mjcf *m, const sup_xml_node *node, sup_link_def *link,
                                sup_m3 *I) {
  sup_frame X;
  double    moments[6] = {0};
  sup_mjcf_note_attributes(m, node,
                           "pos quat axisangle euler xyaxes zaxis mass diaginertia "
                           "fullinertia");
  SUP_TRY(sup_mjcf_place(m, node, SUP_NONE, &X));
  SUP_TRY(sup_xml_numbers(node, "mass", 1, &link->mass));
  if (!(link->mass >= 0))
    return SUP_XML_FAIL(node, "the mass of link '%s' is %g kg; it must be 0 or more", link->name,
                        link->mass);
  if (sup_xml_attribute(node, "fullinertia"))
    SUP_TRY(sup_xml_numbers(node, "fullinertia", 6, moments));
  else
    SUP_TRY(sup_xml_numbers(node, "diaginertia", 3, moments));
  *I = sup_m3_mul(sup_m3_mul(X.R, full_matrix(moments)), sup_m3_transpose(X.R));
  sup_v3_store(link->com, X.p);
  return SUP_OK;
}

sup_status sup_mjcf_set_inertia(sup_mjcf *m, const sup_xml_node *inertial, const sup_mjcf_mass *sum,
                                sup_link_def *link) {
  sup_m3 I = sup_m3_zero();
  if (inertial) {
    SUP_TRY(read_inertial(m, inertial, link, &I));
  } else if (sum->mass > 0) {
    sup_v3 centre = sup_v3_scale(1 / sum->mass, sum->moment);
    link->mass = sum->mass;
    sup_v3_store(link->com, centre);
    I = sup_m3_add(sum->inertia, sup_m3_scale(-1, inertia_of_point(sum->mass, centre)));
  }
  link->mass = fmax(link->mass, m->compiler.bound_mass);
  if (m->compiler.balances || m->compiler.bound_inertia > 0) bound_inertia(&m->compiler, &I);
  for (int k = 0; k < 3; k++) link->inertia[k] = I.m[k][k];
  link->inertia[3] = I.m[0][1], link->inertia[4] = I.m[0][2], link->inertia[5] = I.m[1][2];
  return SUP_OK;
}

/* ---- geoms ----------------------------------------------------------------------------------- */

static sup_status read_type(sup_mjcf *m, geom *g) {
  static const char *const names[] = {"plane",     "sphere", "capsule", "cylinder",
                                      "ellipsoid", "box",    "mesh"};
  const char              *type = sup_mjcf_text(m, g->node, g->class, "type");
  g->type = type ? OTHER : SPHERE;
  for (int k = 0; type && k < OTHER; k++)
    if (strcmp(type, names[k]) == 0) g->type = (geom_type)k;
  if (g->type == OTHER && strcmp(type, "hfield") != 0 && strcmp(type, "sdf") != 0)
    return SUP_XML_FAIL(g->node,
                        "a geom has the unknown type '%s'; known: plane, sphere, capsule, "
                        "cylinder, ellipsoid, box, mesh",
                        type);
  if (g->type == OTHER && sup_robot_first_mention(m->r, type))
    sup_log(SUP_LOG_WARNING, "%s:%ld: geoms of type %s are not read", sup_xml_path(g->node),
            sup_xml_line(g->node), type);
  return SUP_OK;
}

/** True if a <pair> names the geom. */
static sup_status is_paired(sup_mjcf *m, const char *name, bool *found) {
  const sup_xml_node *section, *c;
  sup_mjcf_children   top = sup_mjcf_children_of(m->root, SUP_NONE);
  for (*found = false; name;) {
    SUP_TRY(sup_mjcf_next(m, &top, &section));
    if (!section) break;
    if (!sup_xml_is(section, "contact")) continue;
    for (sup_mjcf_children at = sup_mjcf_children_of(section, SUP_NONE);;) {
      SUP_TRY(sup_mjcf_next(m, &at, &c));
      if (!c) break;
      const char *geoms[2] = {sup_xml_attribute(c, "geom1"), sup_xml_attribute(c, "geom2")};
      for (int k = 0; k < 2; k++) *found |= geoms[k] && strcmp(geoms[k], name) == 0;
    }
  }
  return SUP_OK;
}

/** Bits of a geom; one without any and in no pair weighs and is seen, but touches nothing. */
static sup_status add_touch(sup_mjcf *m, const geom *g, int link, bool *touches) {
  double type = 1, affinity = 1;
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "contype", 1, &type));
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "conaffinity", 1, &affinity));
  if (!(fabs(type) < 2147483648.0) || !(fabs(affinity) < 2147483648.0))
    return SUP_XML_FAIL(g->node, "contype %g and conaffinity %g must have 32 bits", type, affinity);
  SUP_TRY(is_paired(m, sup_xml_attribute(g->node, "name"), touches));
  *touches |= type != 0 || affinity != 0;
  if (!*touches) return SUP_OK;
  SUP_TRY(SUP_GROW(m->touch, m->touch_capacity, m->num_touches + 1));
  m->touch[m->num_touches++] = (sup_mjcf_touch){sup_xml_attribute(g->node, "name"), link,
                                                (unsigned)(int)type, (unsigned)(int)affinity};
  return SUP_OK;
}

sup_status sup_mjcf_read_moments(sup_mjcf *m, const sup_xml_node *node, int class,
                                 const double friction[3], sup_contact_def *contact) {
  double condim = 3;
  SUP_TRY(sup_mjcf_numbers(m, node, class, "condim", 1, &condim));
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
    return SUP_XML_FAIL(node, "condim is %g; it must be 1, 3, 4 or 6", condim);
  for (int k = 1; k < 3; k++)
    if (!(friction[k] >= 0))
      return SUP_XML_FAIL(node, "friction has %g; it must be 0 or more", friction[k]);
  contact->condim = (int)condim;
  contact->rolling_friction = friction[2];
  contact->torsional_friction = friction[1] / contact->friction;
  if (!isfinite(contact->torsional_friction)) {
    contact->torsional_friction = 0;
    if (condim >= 4 && friction[1] > 0 && sup_robot_first_mention(m->r, "torsion alone"))
      sup_log(SUP_LOG_NOTE,
              "%s:%ld: torsional friction of %g m goes with sliding friction; found %g",
              sup_xml_path(node), sup_xml_line(node), friction[1], friction[0]);
  }
  if (condim >= 4 && !(contact->point_stiffness > 0) && sup_robot_first_mention(m->r, "condim"))
    sup_log(SUP_LOG_NOTE,
            "%s:%ld: torsional and rolling friction of condim %g act in points, by "
            "'contact.defaults.point'; patches have torsional friction by themselves",
            sup_xml_path(node), sup_xml_line(node), condim);
  return SUP_OK;
}

static sup_status add_geometry(sup_mjcf *m, geom *g, sup_link_def *link, size_t *capacity) {
  double all[3] = {1, .005, .0001}, priority = 0; /* MuJoCo's */
  SUP_TRY(SUP_GROW(link->geometries, *capacity, link->num_geometries + 1));
  sup_geometry_def *def = &link->geometries[link->num_geometries++];
  *def = sup_default_geometry_def();
  def->shape = g->shape;
  g->shape.hull = NULL;
  def->X_LG = sup_pose_from_frame(&g->X);
  def->contact = m->r->context->contact;
  SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "priority", 1, &priority));
  if (!(fabs(priority) < 2147483648.0))
    return SUP_XML_FAIL(g->node, "priority is %g; it must have 32 bits", priority);
  def->contact.priority = (int)priority;
  if (sup_mjcf_holder(m, g->node, g->class, "friction")) {
    SUP_TRY(sup_mjcf_numbers(m, g->node, g->class, "friction", 3, all));
    if (!(all[0] >= 0))
      return SUP_XML_FAIL(g->node, "friction is %g; it must be 0 or more", all[0]);
    def->contact.friction = all[0], def->contact.static_friction = 0;
  }
  return sup_mjcf_read_moments(m, g->node, g->class, all, &def->contact);
}

static sup_status add_visual(geom *g, sup_link_def *link) {
  size_t capacity = (size_t)link->num_visuals;
  if (g->shape.type == SUP_SHAPE_MESH && !g->shape.hull) return SUP_OK;
  SUP_TRY(SUP_GROW(link->visuals, capacity, link->num_visuals + 1));
  sup_geometry_def *def = &link->visuals[link->num_visuals++];
  *def = sup_default_geometry_def();
  def->shape = g->shape;
  def->X_LG = sup_pose_from_frame(&g->X);
  g->shape.hull = NULL;
  return SUP_OK;
}

sup_status sup_mjcf_read_geom(sup_mjcf *m, const sup_xml_node *node, const sup_frame *X,
                              int childclass, int link, size_t *capacity, sup_mjcf_mass *sum) {
  geom          g = {.node = node};
  sup_link_def *def = &m->r->def->links[link];
  bool          touches;
  sup_status    status;
  sup_mjcf_note_attributes(m, node,
                           "type pos quat axisangle euler xyaxes zaxis fromto size mass "
                           "density friction condim priority contype conaffinity mesh");
  SUP_TRY(sup_mjcf_class(m, node, "class", childclass, &g.class));
  SUP_TRY(read_type(m, &g));
  if (g.type == OTHER) return SUP_OK;
  SUP_TRY(add_touch(m, &g, link, &touches));
  if (g.type == PLANE && sup_tree_def_moves(m->r->def, link))
    return SUP_XML_FAIL(node, "link '%s' moves and has a plane; planes rest", def->name);
  g.is_visual = !touches && g.type != PLANE && m->r->context->has_visuals;
  if (!touches && !g.is_visual && (!sum || g.type == PLANE)) return SUP_OK;
  SUP_TRY(sup_mjcf_place(m, node, g.class, &g.X));
  SUP_TRY_GOTO(read_shape(m, &g, def->name), status, done);
  g.X = sup_frame_mul(X, &g.X);
  if (sum && g.type != PLANE) SUP_TRY_GOTO(add_mass(m, &g, sum), status, done);
  if (touches) SUP_TRY_GOTO(add_geometry(m, &g, def, capacity), status, done);
  if (g.is_visual) SUP_TRY_GOTO(add_visual(&g, def), status, done);
done:
  sup_hull_destroy(&g.shape.hull);
  return status;
}
