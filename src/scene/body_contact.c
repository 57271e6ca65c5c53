/* Contact properties of bodies: `contact` of rigid bodies, links and soft bodies, and
 * `contact.defaults`. */
#include <math.h>
#include <string.h>

#include "model/friction.h"
#include "scene/build.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/** Variants of `contact`: bits of sup_contact_kind, and contact.defaults. */
enum {
  SHAPE = 1 << SUP_CONTACT_SHAPE,
  MESH = 1 << SUP_CONTACT_MESH,
  CELLS = 1 << SUP_CONTACT_CELLS,
  HALF_SPACE = 1 << SUP_CONTACT_HALF_SPACE,
  SOFT = 1 << SUP_CONTACT_SOFT,
  DEFAULTS = SOFT << 1,
  RIGID = SHAPE | MESH | CELLS | HALF_SPACE
};

/** The target is the stiffness itself. */
static const sup_key point_keys[] = {
    SUP_NUMBER("stiffness", SUP_DIM_STIFFNESS, SUP_POSITIVE, SUP_ITSELF(double), "1.0e+4 N/m",
               "Stiffness of each contact point.", .need = SUP_NEEDED)};
const sup_schema sup_schema_point =
    SUP_SCHEMA("point", point_keys, "Contact in points instead of surfaces.");

static const sup_word field_kinds[] = {/* in the order of sup_field_kind */
                                       {"distance", "proportional to the distance to the surface"},
                                       {"harmonic",
                                        "smoother: the modulus from half-way to the middle on"}};

/** Cells of a file are as fine as they are. */
static const sup_key compliant_keys[] = {
    SUP_NUMBER("modulus", SUP_DIM_PRESSURE, SUP_POSITIVE, SUP_AT(sup_contact_def, modulus), "1 MPa",
               "Pressure at the deepest point of the body; a layer of thickness H has modulus/H of "
               "pressure a metre.",
               .need = SUP_NEEDED),
    SUP_NUMBER("margin", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_contact_def, field_margin),
               "5 mm", "Distance at which other bodies are found before they touch; 0: none."),
    SUP_NUMBER(
        "thickness", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_contact_def, field_thickness),
        "0.1 m",
        "Of a half space: thickness of the layer over which its pressure rises to the modulus."),
    SUP_NUMBER("resolution", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, field_resolution), "3 mm",
               "Edge length of the facets of a round shape's field, or of the cells that fill a "
               "surface mesh.",
               .only = SHAPE | MESH, .absent = "0: that of contact for round shapes and meshes"),
    SUP_WORD("field", field_kinds, SUP_AT(sup_contact_def, field_kind), "harmonic",
             "Pressure of a mesh from the surface inwards.", .only = MESH | CELLS)};
static const sup_schema compliant_schema =
    SUP_SCHEMA("compliant", compliant_keys, "Pressure field of a compliant body.");
/** Section `compliant` of each kind of body. */
static const sup_schema compliant_of_kind[] = {
    [SUP_CONTACT_SHAPE] = SUP_SCHEMA("compliant", compliant_keys,
                                     "Pressure field of a compliant body.", .variant = SHAPE),
    [SUP_CONTACT_MESH] = {.title = "compliant (of a mesh)",
                          SUP_KEYS(compliant_keys),
                          .variant = MESH},
    [SUP_CONTACT_CELLS] = {.title = "compliant (of the cells of a .vtk mesh)",
                           SUP_KEYS(compliant_keys),
                           .variant = CELLS},
    [SUP_CONTACT_HALF_SPACE] = {
        .title = "compliant (of a half space)", SUP_KEYS(compliant_keys), .variant = HALF_SPACE}};

static const sup_key anisotropy_keys[] = {
    SUP_VECTOR("axis", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_contact_def, anisotropy_axis),
               "[1, 0, 0]", "Direction in the body's axes along which friction differs.",
               .need = SUP_NEEDED),
    SUP_NUMBER("ratio", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_contact_def, anisotropy_ratio),
               "0.5", "Friction along the axis over friction across it.", .need = SUP_NEEDED)};
static const sup_schema anisotropy_schema =
    SUP_SCHEMA("anisotropy", anisotropy_keys, "Friction that depends on the direction.");

static const sup_key belt_keys[] = {
    SUP_VECTOR("mean", SUP_DIM_VELOCITY, SUP_ANY, SUP_AT(sup_contact_def, surface_velocity),
               "[0.1 m/s, 0, 0]",
               "Mean velocity of the surface relative to its body, in body axes."),
    SUP_VECTOR(
        "amplitude", SUP_DIM_VELOCITY, SUP_ANY, SUP_AT(sup_contact_def, surface_amplitude),
        "[0.2 m/s, 0, 0]",
        "The velocity is mean + amplitude sin(2 pi frequency t + phase) at the end of each step.",
        .need = SUP_NEEDED),
    SUP_NUMBER("frequency", SUP_DIM_RATE, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, surface_frequency), "0.5 Hz", "Oscillations a second.",
               .need = SUP_NEEDED),
    SUP_NUMBER("phase", SUP_DIM_ANGLE, SUP_ANY, SUP_AT(sup_contact_def, surface_phase), "90 deg",
               "Phase at the time 0.")};
static const sup_schema belt_schema =
    SUP_SCHEMA("surface_velocity", belt_keys, "A belt whose velocity swings about a mean.");

static const sup_key body_keys[] = {
    SUP_NUMBER(
        "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(sup_contact_def, friction), "0.8",
        "Coulomb's coefficient of sliding friction; two bodies have the harmonic mean of theirs."),
    SUP_NUMBER("static_friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, static_friction), "1.0",
               "Coefficient of friction at rest; it has no effect unless it is above friction."),
    SUP_NUMBER("rolling_friction", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, rolling_friction), "0.1 mm",
               "Points: moment against rolling over the normal force; two bodies have the larger.",
               .only = RIGID | DEFAULTS),
    SUP_NUMBER("torsional_friction", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, torsional_friction), "1 mm",
               "Points: moment against spin over sliding friction; two bodies have the larger.",
               .only = RIGID | DEFAULTS),
    SUP_NUMBER("dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, dissipation), "10 s/m",
               "Dissipation of the normal laws of Hunt and Crossley and of Hertz."),
    SUP_NUMBER(
        "relaxation_time", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_contact_def, relaxation_time),
        "1 ms",
        "Relaxation time of SAP and of the law of Kelvin and Voigt; those of two bodies add up."),
    SUP_BOOLEAN("self", SUP_AT(sup_contact_def, self), "true",
                "Parts of the soft body touch each other.", .only = SOFT),
    SUP_NUMBER("stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE,
               SUP_AT(sup_contact_def, stiffness), "2.0e+10 Pa/m",
               "Pressure a metre of penetration; two rigid bodies have theirs in series.",
               .only = RIGID | DEFAULTS),
    SUP_NUMBER("hertz_modulus", SUP_DIM_PRESSURE, SUP_NOT_NEGATIVE,
               SUP_AT(sup_contact_def, hertz_modulus), "70 GPa",
               "E/(1 - nu^2) of the law of Hertz; 0: rigid.", .only = RIGID | DEFAULTS),
    SUP_SECTION("point", sup_schema_point, SUP_AT(sup_contact_def, point_stiffness),
                "{stiffness: 1.0e+5 N/m}",
                "Two bodies that both have it touch in points instead of surfaces.",
                .need = SUP_OPTIONAL, .only = RIGID | DEFAULTS),
    SUP_SECTION("compliant", compliant_schema, SUP_HERE, "{modulus: 1 MPa, margin: 2 mm}",
                "Pressure field of a compliant body.", .need = SUP_OPTIONAL, .by_code = 1,
                .only = RIGID),
    SUP_SECTION("compliant", compliant_of_kind[SUP_CONTACT_SHAPE], SUP_HERE,
                "{modulus: 1 MPa, margin: 2 mm}", "Pressure field of a compliant body.",
                .need = SUP_OPTIONAL, .only = DEFAULTS),
    SUP_SECTION(
        "surface_velocity", belt_schema, SUP_HERE, "[0.1 m/s, 0, 0]",
        "Velocity of a belt's surface relative to its body, in body axes: [x, y, z], or a section.",
        .need = SUP_OPTIONAL, .by_code = 1, .only = RIGID),
    SUP_SECTION("anisotropy", anisotropy_schema, SUP_HERE, "{axis: [1, 0, 0], ratio: 0.5}",
                "Friction that depends on the direction; two bodies have the harmonic mean of "
                "their tensors.",
                .need = SUP_OPTIONAL, .by_code = 1, .only = RIGID),
    SUP_NUMBER("resolution", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_contact_def, resolution),
               "5 mm",
               "Edge length of the facets of a rigid shape's surface: 10 mm, or a 50th of what is "
               "larger than half a metre.",
               .need = SUP_OPTIONAL, .absent = "by size", .only = SHAPE | MESH | CELLS | DEFAULTS)};

static void      defaults(void *target) { *(sup_contact_def *)target = sup_default_contact_def(); }
const sup_schema sup_schema_rigid_contact = SUP_SCHEMA(
    "contact", body_keys, "How the surface of a rigid body or link takes part in contact.",
    .variant = RIGID, SUP_DEFAULTS(defaults, sup_contact_def));
const sup_schema sup_schema_soft_contact = SUP_SCHEMA(
    "contact of a soft body (its stiffness follows from its material)", body_keys,
    "How the surface of a soft body takes part in contact; its stiffness follows from its "
    "material.",
    .variant = SOFT, SUP_DEFAULTS(defaults, sup_contact_def));
const sup_schema sup_schema_contact_defaults = SUP_SCHEMA(
    "contact.defaults", body_keys, "Contact properties of bodies that do not name their own.",
    .variant = DEFAULTS, SUP_DEFAULTS(defaults, sup_contact_def));

/** Section `contact` of each kind of body. */
static const sup_schema contact_of_kind[] = {
    [SUP_CONTACT_SHAPE] = {.title = "contact", SUP_KEYS(body_keys), .variant = SHAPE},
    [SUP_CONTACT_MESH] = {.title = "contact", SUP_KEYS(body_keys), .variant = MESH},
    [SUP_CONTACT_CELLS] = {.title = "contact", SUP_KEYS(body_keys), .variant = CELLS},
    [SUP_CONTACT_HALF_SPACE] = {.title = "contact of a half space",
                                SUP_KEYS(body_keys),
                                .variant = HALF_SPACE},
    [SUP_CONTACT_SOFT] = {
        .title = "contact of a soft body (its stiffness follows from its material)",
        SUP_KEYS(body_keys),
        .variant = SOFT}};

/* ---- values ---------------------------------------------------------------------------------- */

/** `anisotropy: {axis, ratio}` of a rigid body. */
static sup_status read_anisotropy(sup_node *node, sup_contact_def *c) {
  SUP_TRY(sup_section_load(node, &anisotropy_schema, NULL, c));
  if (!(sup_v3_norm(sup_v3_load(c->anisotropy_axis)) > 0))
    return SUP_FAIL_AT(sup_node_find(node, "axis")->place,
                       "the axis of an anisotropy is (0, 0, 0); it must have a direction");
  return SUP_OK;
}

/** `surface_velocity` of a rigid body: a vector, or {mean, amplitude, frequency, phase}. */
static sup_status read_surface_velocity(sup_node *node, sup_contact_def *c) {
  if (node->type == SUP_NODE_MAPPING)
    SUP_TRY(sup_section_load(node, &belt_schema, NULL, c));
  else
    SUP_TRY(
        sup_node_vector(node, "surface_velocity", SUP_DIM_VELOCITY, SUP_ANY, c->surface_velocity));
  return SUP_OK;
}

/** All simple properties.  A body that names one coefficient of friction has no other by default.
 */
static sup_status read_simple(const sup_section *section, sup_contact_def *c) {
  const double    suspicious = 10;
  char            where[SUP_SOURCE_POSITION_SIZE];
  const sup_node *friction = sup_section_entry(section, "friction"),
                 *at_rest = sup_section_entry(section, "static_friction");
  if (friction && !at_rest) c->static_friction = 0;
  SUP_TRY(sup_section_read(section, c));
  if (c->friction > suspicious)
    sup_log(SUP_LOG_WARNING, "%s: friction is %g; a percentage is written with its sign: '%g %%'",
            friction ? sup_source_position_text(friction->place, where) : "contact", c->friction,
            c->friction);
  if (at_rest && c->static_friction > 0 && c->static_friction < c->friction)
    sup_log(SUP_LOG_WARNING, "%s: static_friction %g is below friction %g; it has no effect",
            sup_source_position_text(at_rest->place, where), c->static_friction, c->friction);
  return SUP_OK;
}

/** Warn of a moment of points that a body without `point` names. */
static void warn_without_points(const sup_node *moment, const char *name, double value,
                                const sup_contact_def *c) {
  char where[SUP_SOURCE_POSITION_SIZE];
  if (moment && value > 0 && !(c->point_stiffness > 0))
    sup_log(SUP_LOG_WARNING,
            "%s: %s has no effect: it is of points, 'point: {stiffness: ...}' of both bodies",
            sup_source_position_text(moment->place, where), name);
}

/** The properties that a mapping names; *contact holds the defaults. */
static sup_status read_contact(sup_node *node, sup_contact_kind kind, sup_contact_def *contact) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &contact_of_kind[kind], NULL));
  bool            is_soft = kind == SUP_CONTACT_SOFT;
  const sup_node *roll = is_soft ? NULL : sup_section_entry(&section, "rolling_friction"),
                 *spin = is_soft ? NULL : sup_section_entry(&section, "torsional_friction");
  SUP_TRY(read_simple(&section, contact));
  warn_without_points(roll, "rolling_friction", contact->rolling_friction, contact);
  warn_without_points(spin, "torsional_friction", contact->torsional_friction, contact);
  if (is_soft) return SUP_OK;
  sup_node *compliant = sup_section_entry(&section, "compliant"),
           *belt = sup_section_entry(&section, "surface_velocity"),
           *anisotropy = sup_section_entry(&section, "anisotropy");
  if (compliant) SUP_TRY(sup_section_load(compliant, &compliant_of_kind[kind], NULL, contact));
  if (belt) SUP_TRY(read_surface_velocity(belt, contact));
  if (anisotropy) SUP_TRY(read_anisotropy(anisotropy, contact));
  return SUP_OK;
}

sup_status sup_read_contact_defaults(sup_node *node, sup_contact_def *contact) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_contact_defaults, NULL));
  SUP_TRY(read_simple(&section, contact));
  return SUP_OK;
}

sup_status sup_read_body_contact(const sup_scene_build *b, const sup_section *body,
                                 sup_contact_kind kind, sup_contact_def *contact) {
  sup_node *node;
  *contact = b->contact;
  SUP_TRY(sup_section_mapping(body, "contact", &node));
  SUP_TRY(read_contact(node, kind, contact));
  return SUP_OK;
}

sup_contact_kind sup_contact_kind_of(const sup_link_def *link) {
  bool has_mesh = 0, has_cells = 0, has_shape = 0;
  for (int g = 0; g < link->num_geometries; g++) {
    const sup_shape *shape = &link->geometries[g].shape;
    if (shape->cells)
      has_cells = 1;
    else if (shape->type == SUP_SHAPE_MESH)
      has_mesh = 1;
    else if (shape->type != SUP_SHAPE_HALF_SPACE)
      has_shape = 1;
  }
  if (has_mesh || (has_cells && has_shape)) return SUP_CONTACT_MESH;
  return has_cells ? SUP_CONTACT_CELLS : has_shape ? SUP_CONTACT_SHAPE : SUP_CONTACT_HALF_SPACE;
}

sup_status sup_read_link_contact(sup_node *node, sup_link_def *link) {
  sup_contact_kind kind = sup_contact_kind_of(link);
  for (int g = 0; g < link->num_geometries && sup_node_find(node, "friction"); g++) {
    sup_contact_def *contact = &link->geometries[g].contact; /* another's would hide what is said */
    *contact = sup_friction_without_condim(*contact);
  }
  if (link->num_geometries == 1) {
    SUP_TRY(read_contact(node, kind, &link->geometries[0].contact));
    return SUP_OK;
  }
  for (int g = 0; g < link->num_geometries;
       g++) { /* absent keys differ between them: they are not filled in */
    sup_node *copy = NULL;
    SUP_TRY(sup_node_copy(&copy, node));
    sup_status status = read_contact(copy, kind, &link->geometries[g].contact);
    sup_node_destroy(&copy);
    if (status != SUP_OK) return status;
  }
  return SUP_OK;
}
