/* The section `rigid`: single rigid bodies of one shape or several. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "mesh/hull.h"
#include "scene/build.h"
#include "tree/joint.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word       joints[] = {{"free", NULL},
                                        {"translation", "it does not turn"},
                                        {"planar", "it moves across plane_normal, turns about it"},
                                        {"ball", "it turns about its origin"}};
static const sup_joint_type joint_types[] = {SUP_JOINT_FLOATING, SUP_JOINT_TRANSLATION,
                                             SUP_JOINT_PLANAR, SUP_JOINT_BALL};

static const sup_key entry_keys[] = {
    SUP_SECTION("shape", sup_schema_shape, SUP_BY_CODE, "{sphere: {radius: 2 cm}}",
                "One shape of the body.", .need = SUP_NEEDED),
    SUP_SECTION("pose", sup_schema_pose, SUP_BY_CODE, "{position: [0, 0, 1 cm]}",
                "Pose of the shape in the body's frame.")};
static const sup_schema entry_schema =
    SUP_SCHEMA("an entry of shapes", entry_keys, "One of several shapes of a body.");

static const sup_key rigid_keys[] = {
    SUP_SECTION("shape", sup_schema_shape, SUP_BY_CODE, "{sphere: {radius: 2 cm}}",
                "Shape of the body.", .need = SUP_NEEDED, .absent = "needed, or shapes"),
    SUP_CUSTOM("shapes", SUP_KEY_SECTIONS,
               "[{shape: {sphere: {radius: 2 cm}}}, {shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, "
               "pose: {position: [0, 0, 3 cm]}}]",
               "Several shapes of one body; where they overlap they count twice in its mass.",
               .schema = &entry_schema),
    SUP_NUMBER("mass", SUP_DIM_MASS, SUP_POSITIVE, SUP_BY_CODE, "100 g", "Mass.",
               .need = SUP_OPTIONAL,
               .absent = "needed unless density is given or the body is fixed or has a motion"),
    SUP_NUMBER("density", SUP_DIM_DENSITY, SUP_POSITIVE, SUP_BY_CODE, "1200 kg/m^3",
               "Density of the uniform solid, which gives the mass.", .need = SUP_OPTIONAL),
    SUP_VECTOR("inertia", SUP_DIM_INERTIA, SUP_POSITIVE, SUP_BY_CODE,
               "[2.0e-4 kg m^2, 2.0e-4 kg m^2, 1.0e-4 kg m^2]",
               "Principal moments of inertia about the centre of mass, along the body's axes.",
               .need = SUP_OPTIONAL, .absent = "those of the uniform solid"),
    SUP_SECTION("pose", sup_schema_pose, SUP_BY_CODE,
                "{position: [0, 0, 1 m], rpy: [0, 0, 90 deg]}", "Pose in the world at the start."),
    SUP_VECTOR("velocity", SUP_DIM_VELOCITY, SUP_ANY, SUP_BY_CODE, "[0.5 m/s, 0, 0]",
               "Velocity of the body's origin at the start, in world axes.", .absent = "[0, 0, 0]"),
    SUP_VECTOR("angular_velocity", SUP_DIM_ANGULAR_VELOCITY, SUP_ANY, SUP_BY_CODE,
               "[0, 0, 30 deg/s]", "Angular velocity at the start, in world axes.",
               .absent = "[0, 0, 0]"),
    SUP_WORD(
        "joint", joints, SUP_BY_CODE, "planar",
        "Freedom of the body's motion, past the world or, with a motion, past what follows it.",
        .absent = "free; none with a motion"),
    SUP_VECTOR("plane_normal", SUP_DIM_NUMBER, SUP_ANY, SUP_BY_CODE, "[0, 1, 0]",
               "With 'joint: planar': normal of the plane in which the body moves, in world axes.",
               .absent = "[0, 1, 0]"),
    SUP_BOOLEAN("fixed", SUP_BY_CODE, "true", "The body stays where it is; it then needs no mass.",
                .absent = "false"),
    SUP_CUSTOM("motion", SUP_KEY_SECTION, "[[0 s, 0, 0, 0, 0, 0, 0], [1 s, 0, 0, 10 cm, 0, 0, 0]]",
               "Prescribed motion from its pose: rows [t, x, y, z, rx, ry, rz], or a section.",
               .schema = &sup_schema_motion, .need = SUP_OPTIONAL,
               .absent = "none: it moves freely"),
    SUP_BOOLEAN("measured", SUP_BY_CODE, "true",
                "Contacts with fixed bodies and those with a motion are computed, too, though they "
                "move nothing.",
                .absent = "false"),
    SUP_SECTION("contact", sup_schema_rigid_contact, SUP_BY_CODE, "{friction: 0.8}",
                "Contact properties of the body.")};
const sup_schema sup_schema_rigid =
    SUP_SCHEMA("rigid body", rigid_keys, "A rigid body of one shape or several.");

/* ---- mass ------------------------------------------------------------------------------------ */

#define PI 3.14159265358979323846

/** Volume and principal moments of inertia per mass about the shape's centre, axes of its frame (a
 * uniform solid). */
static double solid_moments(const sup_shape *shape, double moment[3]) {
  const double *s = shape->size;
  double        r2 = s[0] * s[0];
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      for (int i = 0; i < 3; i++)
        moment[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 12;
      return s[0] * s[1] * s[2];
    case SUP_SHAPE_CYLINDER:
      moment[0] = moment[1] = r2 / 4 + s[1] * s[1] / 12;
      moment[2] = r2 / 2;
      return PI * r2 * s[1];
    case SUP_SHAPE_SPHERE:
      moment[0] = moment[1] = moment[2] = 0.4 * r2;
      return 4 * PI / 3 * r2 * s[0];
    case SUP_SHAPE_CAPSULE: {
      /* cylinder and two half balls, whose centre of mass lies 3/8 r beyond the cylinder's ends */
      double L = s[1], cylinder = PI * r2 * L, ball = 4 * PI / 3 * r2 * s[0],
             total = cylinder + ball;
      double across =
          cylinder * (r2 / 4 + L * L / 12) + ball * (0.4 * r2 + L * L / 4 + 3 * L * s[0] / 8);
      moment[0] = moment[1] = across / total;
      moment[2] = (cylinder * r2 / 2 + ball * 0.4 * r2) / total;
      return total;
    }
    case SUP_SHAPE_ELLIPSOID:
      for (int i = 0; i < 3; i++)
        moment[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 5;
      return 4 * PI / 3 * s[0] * s[1] * s[2];
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      break;
  }
  moment[0] = moment[1] = moment[2] = 0;
  return 0;
}

/** |a|^2 1 - a a^T: inertia about the origin of a unit mass at a. */
static sup_m3 moment_of_point(sup_v3 a) {
  return sup_m3_add(sup_m3_scale(sup_v3_dot(a, a), sup_m3_identity()),
                    sup_m3_scale(-1, sup_m3_outer(a, a)));
}

/** A uniform solid: volume [m^3], centre of mass [m] and moments of inertia per mass about it
 * [m^2], link axes. */
typedef struct solid {
  double volume;
  sup_v3 com;
  sup_m3 moment;
} solid;

static solid solid_of(const sup_geometry_def *geometry) {
  double    I[6] = {0};
  sup_frame X = sup_frame_from_pose(&geometry->X_LG);
  solid     s = {.com = {0, 0, 0}};
  if (geometry->shape.hull)
    sup_hull_moments(geometry->shape.hull, &s.volume, &s.com, I);
  else
    s.volume = solid_moments(&geometry->shape, I);
  s.com = sup_frame_apply(&X, s.com);
  s.moment = (sup_m3){{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
  s.moment = sup_m3_mul(X.R, sup_m3_mul(s.moment, sup_m3_transpose(X.R)));
  return s;
}

/** All shapes of a link as one solid of one density; where they overlap they count twice. */
static solid solid_of_link(const sup_link_def *link) {
  solid whole = {.com = {0, 0, 0}};
  for (int g = 0; g < link->num_geometries; g++)
    whole.volume += solid_of(&link->geometries[g]).volume;
  if (!(whole.volume > 0)) return whole;
  for (int g = 0; g < link->num_geometries; g++) {
    solid part = solid_of(&link->geometries[g]);
    whole.com = sup_v3_madd(whole.com, part.volume / whole.volume, part.com);
  }
  for (int g = 0; g < link->num_geometries; g++) {
    solid  part = solid_of(&link->geometries[g]);
    sup_m3 about_com = sup_m3_add(part.moment, moment_of_point(sup_v3_sub(part.com, whole.com)));
    whole.moment = sup_m3_add(whole.moment, sup_m3_scale(part.volume / whole.volume, about_com));
  }
  return whole;
}

/** Principal moments along the body's axes in the place of the uniform solid's. */
static sup_status read_inertia(const sup_section *section, double inertia[6]) {
  sup_node *node = sup_section_entry(section, "inertia");
  double    I[3];
  if (!node) return SUP_OK;
  SUP_TRY(sup_read_vector(section, "inertia", I));
  for (int i = 0; i < 3; i++) {
    double others = I[(i + 1) % 3] + I[(i + 2) % 3];
    if (I[i] > others * (1 + 1e-9)) /* round-off of a plate, which has equality */
      return SUP_FAIL_AT(sup_node_at(node, i)->place,
                         "%c of inertia is %g kg m^2, more than the sum %g kg m^2 of the others; "
                         "no distribution of mass has such moments",
                         "xyz"[i], I[i], others);
  }
  for (int i = 0; i < 6; i++) inertia[i] = i < 3 ? I[i] : 0;
  return SUP_OK;
}

static sup_status read_mass(const sup_section *section, bool is_free, sup_link_def *link) {
  sup_node *mass = sup_section_entry(section, "mass"),
           *density = sup_section_entry(section, "density");
  double value;
  if (mass && density)
    return SUP_FAIL_AT(density->key_place, "%s has both mass and density; one of them is enough",
                       section->what);
  if (!mass && !density) {
    sup_node *inertia = sup_section_entry(section, "inertia");
    if (inertia && !is_free)
      return SUP_FAIL_AT(inertia->key_place, "%s has an inertia, but no mass", section->what);
    if (!is_free) return SUP_OK;
    return SUP_FAIL_AT(
        section->node->place,
        "%s needs the key 'mass', for instance 'mass: 100 g', or 'density', or 'fixed: true'",
        section->what);
  }
  solid whole = solid_of_link(link);
  SUP_TRY(sup_read_number(section, "mass", &link->mass));
  if (density) {
    SUP_TRY(sup_read_number(section, "density", &value));
    link->mass = value * whole.volume;
  }
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) link->inertia[i] = link->mass * whole.moment.m[row[i]][column[i]];
  SUP_TRY(read_inertia(section, link->inertia));
  sup_v3_store(link->com, whole.com);
  return SUP_OK;
}

/** Floating joint from the world: the body's pose and velocity are the joint's; velocities in body
 * axes. */
static void make_free(const sup_pose *pose, sup_v3 velocity, sup_v3 angular, sup_link_def *link) {
  for (int i = 0; i < 3; i++) link->q0[i] = pose->p[i];
  for (int i = 0; i < 4; i++) link->q0[3 + i] = pose->q[i];
  sup_v3_store(link->v0, angular);
  sup_v3_store(link->v0 + 3, velocity);
}

/** The joint's frame is the body's at the start, where its coordinates are zero. */
static sup_status make_translation(const sup_section *section, sup_v3 velocity, sup_v3 angular,
                                   sup_link_def *link) {
  if (sup_v3_norm(angular) > 0)
    return SUP_FAIL_AT(sup_section_entry(section, "angular_velocity")->place,
                       "%s has an angular velocity, but its joint is translation: it cannot turn",
                       section->what);
  sup_v3_store(link->v0, velocity);
  return SUP_OK;
}

static sup_status make_ball(const sup_section *section, sup_v3 velocity, sup_v3 angular,
                            sup_link_def *link) {
  if (sup_v3_norm(velocity) > 0)
    return SUP_FAIL_AT(sup_section_entry(section, "velocity")->place,
                       "%s has a velocity, but its joint is a ball: its origin stays",
                       section->what);
  sup_v3_store(link->v0, angular);
  return SUP_OK;
}

static sup_status make_planar(const sup_section *section, const sup_m3 *R, sup_v3 velocity,
                              sup_v3 angular, sup_link_def *link) {
  const double tolerance = 1e-9;
  double       normal[3] = {0, 1, 0};
  SUP_TRY(sup_read_vector(section, "plane_normal", normal));
  sup_v3 n = sup_v3_unit(sup_m3_apply_t(*R, sup_v3_load(normal)));
  if (!(sup_v3_norm(n) > 0))
    return SUP_FAIL_AT(sup_section_entry(section, "plane_normal")->place,
                       "plane_normal must not be zero");
  if (fabs(sup_v3_dot(n, velocity)) > tolerance * sup_v3_norm(velocity))
    return SUP_FAIL_AT(
        sup_section_entry(section, "velocity")->place,
        "%s moves by %g m/s along plane_normal, but its joint is planar: it stays in its plane",
        section->what, sup_v3_dot(n, velocity));
  if (sup_v3_norm(sup_v3_cross(n, angular)) > tolerance * sup_v3_norm(angular))
    return SUP_FAIL_AT(
        sup_section_entry(section, "angular_velocity")->place,
        "%s has an angular velocity that is not along plane_normal, but its joint is planar",
        section->what);
  sup_v3_store(link->axis, n);
  for (int k = 0; k < 2; k++) link->v0[k] = sup_v3_dot(sup_joint_plane(n, k), velocity);
  link->v0[2] = sup_v3_dot(n, angular);
  return SUP_OK;
}

/** A body that moves: the joint that carries it from the world, at its pose. */
static sup_status read_moving(const sup_section *section, const sup_pose *pose,
                              sup_link_def *link) {
  double velocity[3] = {0, 0, 0}, angular[3] = {0, 0, 0};
  int    joint = 0;
  SUP_TRY(sup_read_vector(section, "velocity", velocity));
  SUP_TRY(sup_read_vector(section, "angular_velocity", angular));
  SUP_TRY(sup_read_word(section, "joint", &joint));
  link->joint = joint_types[joint];
  const sup_node *normal = sup_section_entry(section, "plane_normal");
  if (normal && link->joint != SUP_JOINT_PLANAR)
    return SUP_FAIL_AT(normal->key_place, "%s has plane_normal, which is for 'joint: planar'",
                       section->what);
  sup_frame X = sup_frame_from_pose(pose);
  sup_v3    v = sup_m3_apply_t(X.R, sup_v3_load(velocity)),
         w = sup_m3_apply_t(X.R, sup_v3_load(angular));
  if (link->joint == SUP_JOINT_FLOATING) {
    make_free(pose, v, w, link);
    return SUP_OK;
  }
  link->X_PJ = *pose;
  if (link->joint == SUP_JOINT_TRANSLATION)
    SUP_TRY(make_translation(section, v, w, link));
  else if (link->joint == SUP_JOINT_BALL)
    SUP_TRY(make_ball(section, v, w, link));
  else
    SUP_TRY(make_planar(section, &X.R, v, w, link));
  return SUP_OK;
}

/** A body with a joint whose base follows a motion. */
static sup_status read_carried(const sup_scene_build *b, const sup_section *section,
                               const sup_pose *pose, sup_node *motion, sup_tree_def *tree) {
  sup_link_def *link = &tree->links[0];
  SUP_TRY(read_moving(section, pose, link));
  if (link->joint == SUP_JOINT_FLOATING)
    return SUP_FAIL_AT(sup_section_entry(section, "joint")->place,
                       "%s has a motion, which goes with the joints translation, planar and ball",
                       section->what);
  tree->X_WB = link->X_PJ;
  link->X_PJ = sup_default_link_def().X_PJ;
  SUP_TRY(sup_node_motion(b, motion, "motion", &tree->motion));
  return SUP_OK;
}

/** A body at rest or on a prescribed motion: welded to its base. */
static sup_status read_held(const sup_scene_build *b, const sup_section *section,
                            const sup_pose *pose, sup_node *motion, sup_tree_def *tree) {
  static const char *const keys[] = {"velocity", "angular_velocity", "joint", "plane_normal"};
  for (int i = 0; i < 4; i++) {
    const sup_node *node = sup_section_entry(section, keys[i]);
    if (node)
      return SUP_FAIL_AT(node->key_place, "%s has the key '%s', but it is %s", section->what,
                         keys[i], motion ? "moved by its motion" : "fixed");
  }
  tree->X_WB = *pose;
  if (motion) SUP_TRY(sup_node_motion(b, motion, "motion", &tree->motion));
  return SUP_OK;
}

/** One geometry of a link from its `shape`; a half space needs a body that is held. */
static sup_status add_shape(sup_scene *scene, sup_node *node, const char *what, bool is_free,
                            sup_link_def *link) {
  sup_geometry_def *geometry = &link->geometries[link->num_geometries++];
  *geometry = sup_default_geometry_def();
  SUP_TRY(sup_node_shape(scene, node, "shape", &geometry->shape));
  if (geometry->shape.type == SUP_SHAPE_HALF_SPACE && is_free)
    return SUP_FAIL_AT(node->place,
                       "%s is a half space, which must be 'fixed: true' or have a motion", what);
  return SUP_OK;
}

/** `shape`, or `shapes`: a list of {shape, pose in the body's frame}. */
static sup_status read_shapes(sup_scene *scene, const sup_section *section, bool is_free,
                              sup_link_def *link) {
  sup_node *shape, *shapes = sup_section_entry(section, "shapes");
  if (!shapes) {
    SUP_TRY(sup_section_require(section, "shape", &shape));
    SUP_TRY(SUP_CALLOC(link->geometries, 1));
    SUP_TRY(add_shape(scene, shape, section->what, is_free, link));
    return SUP_OK;
  }
  if (sup_section_entry(section, "shape"))
    return SUP_FAIL_AT(shapes->key_place, "%s has both shape and shapes; one of them is enough",
                       section->what);
  SUP_TRY(sup_node_check_list(shapes, "shapes"));
  if (!shapes->child)
    return SUP_FAIL_AT(shapes->place,
                       "shapes is empty; it needs an entry, for instance - {shape: {sphere: "
                       "{radius: 2 cm}}, pose: {position: [0, 0, 1 cm]}}");
  SUP_TRY(SUP_CALLOC(link->geometries, shapes->num_children));
  for (sup_node *c = shapes->child; c; c = c->next) {
    sup_section entry;
    SUP_TRY(sup_section_open(&entry, c, &entry_schema, NULL));
    SUP_TRY(sup_section_require(&entry, "shape", &shape));
    SUP_TRY(add_shape(scene, shape, section->what, is_free, link));
    SUP_TRY(sup_read_pose(&entry, "pose", &link->geometries[link->num_geometries - 1].X_LG));
  }
  return SUP_OK;
}

/** Cells inside a surface that is to carry a pressure field. */
static sup_status fill_mesh(const sup_section *section, sup_geometry_def *geometry) {
  const sup_contact_def *c = &geometry->contact;
  sup_tetgen_options     options = sup_default_tetgen_options();
  if (geometry->shape.type != SUP_SHAPE_MESH || geometry->shape.cells || !(c->modulus > 0))
    return SUP_OK;
  options.max_volume = sup_tetgen_volume(
      c->field_resolution > 0 ? c->field_resolution
                              : sup_surface_resolution(&geometry->shape, c->resolution));
  sup_status status =
      sup_mesh_of_polyhedron(&geometry->shape.cells, geometry->shape.hull, &options);
  if (status == SUP_OK) return SUP_OK;
  const sup_node *contact = sup_section_entry(section, "contact");
  return sup_fail_at(status, contact ? contact->place : section->node->place, __func__, __FILE__,
                     __LINE__, "the mesh of %s cannot be given a pressure field: %s", section->what,
                     sup_error_message());
}

/** The body's `contact` is that of all its shapes. */
static sup_status read_contact(const sup_scene_build *b, const sup_section *section,
                               sup_link_def *link) {
  sup_contact_def contact;
  SUP_TRY(sup_read_body_contact(b, section, sup_contact_kind_of(link), &contact));
  for (int g = 0; g < link->num_geometries; g++) {
    link->geometries[g].contact = contact;
    SUP_TRY(fill_mesh(section, &link->geometries[g]));
  }
  return SUP_OK;
}

static sup_status read_body(sup_scene_build *b, sup_node *node, sup_tree_def *tree) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  sup_pose    pose;
  int         fixed = 0;
  SUP_TRY(
      sup_section_open_named(&section, node, &sup_schema_rigid, "rigid body", tree->name, what));
  SUP_TRY(sup_scene_check_name(b, node));
  tree->is_rigid_body = 1;
  SUP_TRY(SUP_CALLOC(tree->links, 1));
  tree->num_links = 1;
  sup_link_def *link = &tree->links[0];
  *link = sup_default_link_def();
  SUP_TRY(sup_text_copy(link->name, sizeof link->name, tree->name));
  SUP_TRY(sup_read_boolean(&section, "fixed", &fixed));
  SUP_TRY(sup_read_boolean(&section, "measured", &tree->is_measured));
  sup_node *motion = sup_section_entry(&section, "motion");
  if (fixed && motion)
    return SUP_FAIL_AT(motion->key_place, "%s has a motion, but it is fixed; delete one of them",
                       what);
  bool is_carried = motion && sup_section_entry(&section, "joint"),
       is_free = is_carried || (!fixed && !motion);
  SUP_TRY(read_shapes(b->scene, &section, is_free, link));
  SUP_TRY(sup_read_pose(&section, "pose", &pose));
  if (is_carried)
    SUP_TRY(read_carried(b, &section, &pose, motion, tree));
  else if (!is_free)
    SUP_TRY(read_held(b, &section, &pose, motion, tree));
  else
    SUP_TRY(read_moving(&section, &pose, link));
  SUP_TRY(read_mass(&section, is_free, link));
  SUP_TRY(read_contact(b, &section, link));
  return SUP_OK;
}

sup_status sup_scene_read_rigid(sup_scene_build *b, sup_node *rigid) {
  sup_model_def *model = &b->scene->model;
  for (sup_node *c = rigid->child; c; c = c->next) {
    sup_tree_def *tree = &model->trees[model->num_trees++];
    *tree = sup_default_tree_def();
    SUP_TRY(read_body(b, c, tree));
  }
  return SUP_OK;
}
