/* The section `soft`: deformable bodies. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fem/body.h"
#include "mesh/mesh.h"
#include "mesh/surface.h"
#include "mesh/thin.h"
#include "model/model.h"
#include "scene/build.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word masses[] = {{"consistent", "from the shape functions"},
                                  {"lumped", "on the vertices"}};
static const sup_word dilatations[] = {
    {"pointwise", "that of the displacement"},
    {"mean", "one a cell: T10 do not lock near nu = 0.5; too soft with one cell through a wall"}};

static const sup_word elements[] = {
    {"incompatible_modes", "bricks of any shape"},
    {"solid_shell",
     "thin bricks, whose fibres through the thickness are straight, do not lock in "
     "bending: strips and sheets of one layer, curved or not"}};

static const sup_key hold_keys[] = {
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{half_space: {normal: [1, 0, 0], offset: 0.1 mm}}", "The vertices that are held.",
                .need = SUP_NEEDED),
    SUP_CUSTOM("axes", SUP_KEY_LIST, "[x, y, z]", "Axes of the world along which they are held.",
               .need = SUP_NEEDED),
    {.name = "name",
     .type = SUP_KEY_NAME,
     .place = SUP_AT(sup_dirichlet_def, name),
     .example = "pulled",
     .meaning = "Name in the columns reaction.BODY.NAME of history.csv.",
     .need = SUP_OPTIONAL,
     .absent = "side_1 or hole_1 of a drawing, or its number from 0, clamps counted first"},
    SUP_CUSTOM("motion", SUP_KEY_SECTION, "[[0 s, 0, 0, 0, 0, 0, 0], [1 s, 0, 0, 1 mm, 0, 0, 0]]",
               "Displacement and rotation about the point about: rows [t, x, y, z, rx, ry, rz], or "
               "a section.",
               .schema = &sup_schema_motion, .need = SUP_OPTIONAL, .absent = "at rest"),
    SUP_VECTOR("about", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_dirichlet_def, about), "[0, 0, 0]",
               "Point in the mesh's coordinates about which motion rotates and the reaction's "
               "moment is taken.",
               .need = SUP_OPTIONAL, .absent = "the mean of the region's vertices"),
    SUP_SECTION("from", sup_schema_event, SUP_BY_CODE, "{at: 0.1 s}",
                "Event with which the hold begins; the vertices are held where they are then.",
                .need = SUP_OPTIONAL, .absent = "the start"),
    SUP_SECTION("until", sup_schema_event, SUP_BY_CODE, "{at: 0.2 s}",
                "Event with which the hold ends; the vertices keep their velocities.",
                .need = SUP_OPTIONAL, .absent = "the end of the run")};
static const sup_schema hold_schema =
    SUP_SCHEMA("hold", hold_keys, "Vertices held along axes, as at a symmetry plane, or moved.");

static const sup_key attach_keys[] = {
    SUP_CUSTOM("link", SUP_KEY_REFERENCE, "ROBOT/LINK",
               "The link or rigid body that carries the soft body.", .need = SUP_NEEDED),
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{box: {lower: [0, 0, 0], upper: [1, 1 mm, 1]}}",
                "The vertices that are fastened to it.", .need = SUP_NEEDED),
    SUP_NUMBER("contact_beyond", SUP_DIM_LENGTH, SUP_POSITIVE,
               SUP_AT(sup_attach_def, contact_beyond), "5 mm",
               "Faces farther than this from the attached vertices, at rest, touch the link, too.",
               .need = SUP_OPTIONAL, .absent = "the body does not touch the link")};
static const sup_schema attach_schema = SUP_SCHEMA(
    "attach", attach_keys,
    "A link or rigid body that carries the soft body, whose pose is then in the frame of the "
    "first of them.");

static const sup_key growth_keys[] = {
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{box: {lower: [0, 0, 0], upper: [1, 1 mm, 1]}}",
                "Cells of a set, or those that have all their vertices in it.",
                .need = SUP_OPTIONAL, .absent = "all cells"),
    SUP_CUSTOM("strain", SUP_KEY_LIST, "[0.02, 0, 0]",
               "Strain without stress along the axes of the mesh, or one number for all; below 0: "
               "shrinks.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("scale", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 1]]",
               "Factor of the strain over time, rows [t, factor].", .need = SUP_OPTIONAL,
               .absent = "1, and in load steps their share")};
static const sup_schema growth_schema =
    SUP_SCHEMA("growth", growth_keys, "Heat, swelling, shrinkage or pre-stretch of cells.");

static const sup_key traction_keys[] = {
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{half_space: {normal: [0, 0, -1], offset: -1 cm}}",
                "The load acts on the boundary faces all of whose vertices are in it.",
                .need = SUP_NEEDED),
    SUP_VECTOR("force", SUP_DIM_FORCE, SUP_ANY, SUP_AT(sup_traction_def, total_force),
               "[0, 0, 1 N]", "Total force in world axes, spread by area.", .need = SUP_OPTIONAL,
               .absent = "one of force, traction and pressure is needed"),
    SUP_VECTOR("traction", SUP_DIM_PRESSURE, SUP_ANY, SUP_AT(sup_traction_def, traction),
               "[0, 0, 1 kPa]",
               "Force an area at rest, in world axes; it does not turn with the body.",
               .need = SUP_OPTIONAL),
    SUP_NUMBER("pressure", SUP_DIM_PRESSURE, SUP_ANY, SUP_AT(sup_traction_def, pressure), "1 kPa",
               "Pressure along the inward normal; it turns with the surface.",
               .need = SUP_OPTIONAL),
    SUP_CUSTOM("scale", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 1]]", "Factor over time.",
               .dimension = SUP_DIM_NUMBER, .absent = "1")};
static const sup_schema traction_schema =
    SUP_SCHEMA("traction", traction_keys, "A load on boundary faces.");

static const sup_key    manufactured_keys[] = {SUP_VECTOR(
       "amplitude", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_soft_def, manufactured), "[1 mm, 0, 0]",
       "a of the displacement u = a sin(pi x/L) sin(pi y/L) sin(pi z/L) over the mesh's box.",
       .need = SUP_NEEDED)};
static const sup_schema manufactured_schema =
    SUP_SCHEMA("manufactured", manufactured_keys,
               "The body force of a known solution, for 'model: linear': the error of a mesh.");

static const sup_key soft_keys[] = {
    SUP_SECTION("mesh", sup_schema_mesh, SUP_BY_CODE,
                "{box: {size: [1 cm, 1 cm, 1 cm], cells: [4, 4, 4]}}",
                "The mesh: a file, a surface to be filled, or a generator.", .need = SUP_NEEDED),
    SUP_CUSTOM("material", SUP_KEY_SECTION, "rubber",
               "Material: a name, or {base: NAME, overrides}, or a mapping with all its numbers.",
               .need = SUP_NEEDED, .schema = &sup_schema_material_choice),
    SUP_CUSTOM("materials", SUP_KEY_ENTRIES, "{ribs: rubber}",
               "Materials of named sets of cells that differ: {SET: MATERIAL}; no cell is in two.",
               .schema = &sup_schema_material_choice),
    SUP_WORD("mass", masses, SUP_AT(sup_soft_def, lumped_mass), "consistent", "The mass matrix."),
    SUP_WORD("dilatation", dilatations, SUP_AT(sup_soft_def, mean_dilatation), "mean",
             "The change of volume within a T10 cell."),
    SUP_WORD("element", elements, SUP_AT(sup_soft_def, solid_shell), "solid_shell",
             "H8 cells at least twice as long and wide as thick; thicker ones stay bricks."),
    SUP_SECTION(
        "pose", sup_schema_pose, SUP_BY_CODE, "{position: [0, 0, 10 cm]}",
        "Pose of the mesh's frame in the world; of an attached body in the (first) link's frame."),
    SUP_VECTOR("velocity", SUP_DIM_VELOCITY, SUP_ANY, SUP_AT(sup_soft_def, v0), "[0, 0, -0.5 m/s]",
               "Velocity at the start; 0 on a hub, whose joint turns around: that of the hub."),
    SUP_SECTION("contact", sup_schema_soft_contact, SUP_BY_CODE, "{friction: 0.8, self: true}",
                "Contact properties of the body."),
    SUP_CUSTOM("clamp", SUP_KEY_SECTIONS, "[{box: {lower: [0, 0, 0], upper: [1 cm, 1 cm, 1 mm]}}]",
               "Regions with fixed vertices.", .schema = &sup_schema_region),
    SUP_CUSTOM("hold", SUP_KEY_SECTIONS, "[{region: {named: x_min}, axes: [x]}]",
               "Vertices held along axes of the world, as at a symmetry plane, or moved.",
               .schema = &hold_schema),
    SUP_CUSTOM("attach", SUP_KEY_ONE_OR_MORE, "{link: ROBOT/LINK, region: {named: z_min}}",
               "The link or rigid body that carries the soft body, or a list of several.",
               .schema = &attach_schema),
    SUP_CUSTOM("growth", SUP_KEY_SECTIONS, "[{strain: [0.02, 0, 0]}]",
               "Strains of cells without stress: of heat, swelling, shrinkage, pre-stretch; they "
               "add up.",
               .schema = &growth_schema),
    SUP_CUSTOM("tractions", SUP_KEY_SECTIONS, "[{region: {named: z_max}, force: [0, 0, 1 N]}]",
               "Loads on boundary faces; they add up.", .schema = &traction_schema),
    SUP_SECTION("manufactured", manufactured_schema, SUP_BY_CODE, "{amplitude: [1 mm, 0, 0]}",
                "The body force of a known solution, to measure the error of a mesh.",
                .need = SUP_OPTIONAL)};
static void      defaults(void *target) { *(sup_soft_def *)target = sup_default_soft_def(); }
const sup_schema sup_schema_soft =
    SUP_SCHEMA("soft body", soft_keys, "A deformable body.", SUP_DEFAULTS(defaults, sup_soft_def));

/* ---- clamps, holds, attachment --------------------------------------------------------------- */

/** A region that must hold vertices of the mesh. */
static sup_status read_region(sup_node *node, const char *name, const sup_mesh *mesh,
                              sup_region *region) {
  SUP_TRY(sup_node_region(node, name, region));
  unsigned char *mark = NULL;
  SUP_TRY(SUP_CALLOC(mark, mesh->num_vertices));
  sup_status status = sup_region_select(region, mesh, 1, mark);
  SUP_FREE(mark);
  if (status != SUP_OK) return SUP_FAIL_AT(node->place, "%s %s", name, sup_error_message());
  return SUP_OK;
}

sup_status sup_scene_read_point(sup_node *node, const char *name, const sup_mesh *mesh,
                                double point[3], int *has_region, sup_region *region) {
  if (node->type != SUP_NODE_MAPPING)
    return sup_node_vector(node, name, SUP_DIM_LENGTH, SUP_ANY, point);
  if (!mesh)
    return SUP_FAIL_AT(node->place,
                       "a region is one of a soft body; a link, a rigid body and the world take a "
                       "point [x, y, z]");
  char what[SUP_NAME_MAX];
  *has_region = 1;
  snprintf(what, sizeof what, "region of %s", name);
  return read_region(node, what, mesh, region);
}

static sup_status read_clamps(const sup_section *section, sup_soft_def *soft) {
  sup_node *list = sup_section_entry(section, "clamp");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "clamp"));
  SUP_TRY(SUP_CALLOC(soft->clamps, list->num_children));
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_region(c, "region of clamp", soft->mesh, &soft->clamps[soft->num_clamps++]));
  return SUP_OK;
}

static sup_status read_dirichlet(const sup_scene_build *b, sup_node *node, sup_soft_def *soft,
                                 sup_dirichlet_def *dirichlet) {
  sup_section section;
  sup_node   *region, *axes, *motion;
  *dirichlet = sup_default_dirichlet_def();
  SUP_TRY(sup_section_open(&section, node, &hold_schema, NULL));
  dirichlet->file = node->place.file, dirichlet->line = node->place.line,
  dirichlet->column = node->place.column;
  SUP_TRY(sup_section_require(&section, "region", &region));
  SUP_TRY(read_region(region, "region of hold", soft->mesh, &dirichlet->region));
  SUP_TRY(sup_section_require(&section, "axes", &axes));
  SUP_TRY(sup_node_axes(axes, "axes of hold", &dirichlet->axes));
  SUP_TRY(sup_section_read(&section, dirichlet));
  for (const sup_dirichlet_def *other = soft->dirichlet; other < dirichlet; other++)
    if (dirichlet->name[0] && strcmp(other->name, dirichlet->name) == 0)
      return SUP_FAIL_AT(node->place, "soft body '%s' has two holds with the name '%s'", soft->name,
                         dirichlet->name);
  motion = sup_section_entry(&section, "motion");
  if (motion) SUP_TRY(sup_node_motion(b, motion, "motion", &dirichlet->motion));
  SUP_TRY(sup_scene_read_event(b, &section, "from", &dirichlet->from));
  SUP_TRY(sup_scene_read_event(b, &section, "until", &dirichlet->until));
  dirichlet->has_about = sup_section_entry(&section, "about") != NULL;
  return SUP_OK;
}

static sup_status read_dirichlet_list(const sup_scene_build *b, const sup_section *section,
                                      sup_soft_def *soft) {
  sup_node *list = sup_section_entry(section, "hold");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "hold"));
  SUP_TRY(SUP_CALLOC(soft->dirichlet, list->num_children));
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_dirichlet(b, c, soft, &soft->dirichlet[soft->num_dirichlet++]));
  return SUP_OK;
}

static sup_status read_attachment(const sup_scene_build *b, sup_node *node, const sup_mesh *mesh,
                                  sup_attach_def *attach) {
  sup_node     *link, *region;
  sup_section   section;
  sup_body_name name;
  *attach = sup_default_attach_def();
  attach->file = node->place.file, attach->line = node->place.line,
  attach->column = node->place.column;
  SUP_TRY(sup_section_open(&section, node, &attach_schema, NULL));
  SUP_TRY(sup_section_read(&section, attach));
  SUP_TRY(sup_section_require(&section, "link", &link));
  SUP_TRY(sup_scene_find_body(b, link, "attach", attach->link, &name));
  if (name.soft != SUP_NONE)
    return SUP_FAIL_AT(link->place,
                       "attach: '%s' is a soft body; a link or rigid body can carry one",
                       attach->link);
  SUP_TRY(sup_section_require(&section, "region", &region));
  return read_region(region, "region of attach", mesh, &attach->region);
}

/** One section, or a list of them. */
static sup_status read_attachments(const sup_scene_build *b, const sup_section *body,
                                   sup_soft_def *soft) {
  sup_node *node = sup_section_entry(body, "attach");
  if (!node) return SUP_OK;
  bool is_list = node->type == SUP_NODE_SEQUENCE;
  SUP_TRY(SUP_CALLOC(soft->attachments, is_list ? node->num_children : 1));
  for (sup_node *c = is_list ? node->child : node; c; c = is_list ? c->next : NULL)
    SUP_TRY(read_attachment(b, c, soft->mesh, &soft->attachments[soft->num_attachments++]));
  return SUP_OK;
}

/** A load acts on faces: one at least must lie in the region. */
static sup_status check_faces(const sup_node *node, const sup_mesh *mesh,
                              const sup_region *region) {
  SUP_OWN(sup_surface)    *surface = NULL;
  SUP_FREED unsigned char *mark = NULL;
  int                      has = 0;
  SUP_TRY(SUP_CALLOC(mark, mesh->num_vertices));
  SUP_TRY(sup_region_select(region, mesh, 1, mark));
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  for (int f = 0; f < surface->num_faces && !has; f++) {
    int n = surface->vertices_per_face, in = 0;
    for (int k = 0; k < n; k++) in += mark[surface->face[n * f + k]];
    has = in == n;
  }
  if (!has)
    return SUP_FAIL_AT(
        node->place,
        "no boundary face has all its vertices in the region of the traction; enlarge the region");
  return SUP_OK;
}

static sup_status read_traction(const sup_scene_build *b, sup_node *node, const sup_mesh *mesh,
                                sup_traction_def *traction) {
  static const sup_dimension number = SUP_DIM_NUMBER;
  sup_section                section;
  sup_node                  *region;
  *traction = sup_default_traction_def();
  SUP_TRY(sup_section_open(&section, node, &traction_schema, NULL));
  SUP_TRY(sup_section_require(&section, "region", &region));
  SUP_TRY(read_region(region, "region of traction", mesh, &traction->region));
  SUP_TRY(check_faces(region, mesh, &traction->region));
  bool has_force = sup_section_entry(&section, "force") != NULL;
  bool has_traction = sup_section_entry(&section, "traction") != NULL;
  bool has_pressure = sup_section_entry(&section, "pressure") != NULL;
  if (has_force + has_traction + has_pressure != 1)
    return SUP_FAIL_AT(node->place,
                       "a traction has one of the keys force (for instance [0, 0, 1 N]), traction "
                       "([0, 0, 1 kPa]) and pressure (1 kPa); found %d",
                       has_force + has_traction + has_pressure);
  SUP_TRY(sup_section_read(&section, traction));
  sup_node *scale = sup_section_entry(&section, "scale");
  if (scale) SUP_TRY(sup_node_table(b, scale, "scale", 1, &number, &traction->scale));
  return SUP_OK;
}

/** One number for all directions, or [x, y, z]. */
static sup_status read_strain(sup_node *node, double strain[3]) {
  if (node->type == SUP_NODE_SEQUENCE)
    return sup_node_vector(node, "strain", SUP_DIM_NUMBER, SUP_ANY, strain);
  SUP_TRY(sup_node_number(node, "strain", SUP_DIM_NUMBER, SUP_ANY, &strain[0]));
  strain[1] = strain[2] = strain[0];
  return SUP_OK;
}

static sup_status read_growth(const sup_scene_build *b, sup_node *node, const sup_mesh *mesh,
                              sup_growth_def *growth) {
  static const sup_dimension number = SUP_DIM_NUMBER;
  sup_section                section;
  sup_node                  *strain;
  *growth = sup_default_growth_def();
  SUP_TRY(sup_section_open(&section, node, &growth_schema, NULL));
  sup_node *region = sup_section_entry(&section, "region"),
           *scale = sup_section_entry(&section, "scale");
  growth->has_region = region != NULL;
  if (region) SUP_TRY(read_region(region, "region of growth", mesh, &growth->region));
  SUP_TRY(sup_section_require(&section, "strain", &strain));
  SUP_TRY(read_strain(strain, growth->strain));
  for (int k = 0; k < 3; k++)
    if (!(growth->strain[k] > -1))
      return SUP_FAIL_AT(strain->place, "strain is %g; a cell cannot shrink by more than -1",
                         growth->strain[k]);
  if (scale) SUP_TRY(sup_node_table(b, scale, "scale", 1, &number, &growth->scale));
  return SUP_OK;
}

static sup_status read_growths(const sup_scene_build *b, const sup_section *section,
                               sup_soft_def *soft) {
  sup_node *list = sup_section_entry(section, "growth");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "growth"));
  SUP_TRY(SUP_CALLOC(soft->growths, list->num_children));
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_growth(b, c, soft->mesh, &soft->growths[soft->num_growths++]));
  return SUP_OK;
}

static sup_status read_tractions(const sup_scene_build *b, const sup_section *section,
                                 sup_soft_def *soft) {
  sup_node *list = sup_section_entry(section, "tractions");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "tractions"));
  SUP_TRY(SUP_CALLOC(soft->tractions, list->num_children));
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(read_traction(b, c, soft->mesh, &soft->tractions[soft->num_tractions++]));
  return SUP_OK;
}

/** Two cells and more through a wall: 5 % and less too soft in bending; one: up to a quarter. */
static sup_status warn_of_softness(const sup_node *node, const sup_soft_def *soft) {
  char   where[SUP_SOURCE_POSITION_SIZE];
  double cells;
  SUP_TRY(sup_cells_through_walls(soft->mesh, &cells));
  if (cells < 1.5)
    sup_log(SUP_LOG_WARNING,
            "%s: soft body '%s' has %.2g T10 cells through its walls in the median: with "
            "'dilatation: mean' one is too soft in bending, by up to a quarter; remedy: 'refine: "
            "1' in mesh, or 'dilatation: pointwise'",
            sup_source_position_text(node->place, where), soft->name, cells);
  return SUP_OK;
}

static sup_status read_dilatation(const sup_section *body, sup_soft_def *soft) {
  const sup_node *node = sup_section_entry(body, "dilatation");
  SUP_TRY(sup_read_word(body, "dilatation", &soft->mean_dilatation));
  if (soft->mean_dilatation && soft->mesh->type != SUP_CELL_T10)
    return SUP_FAIL_AT(node->place,
                       "dilatation: mean is for quadratic tetrahedra ('order: 2' in mesh); the "
                       "mesh is made of %s cells",
                       sup_cell_name(soft->mesh->type));
  if (soft->mean_dilatation) SUP_TRY(warn_of_softness(node, soft));
  return SUP_OK;
}

static sup_status read_element(const sup_section *body, sup_soft_def *soft) {
  char            where[SUP_SOURCE_POSITION_SIZE];
  const sup_node *node = sup_section_entry(body, "element");
  sup_thin_bricks thin;
  SUP_TRY(sup_read_word(body, "element", &soft->solid_shell));
  if (!soft->solid_shell) return SUP_OK;
  if (soft->mesh->type != SUP_CELL_H8)
    return SUP_FAIL_AT(node->place,
                       "element: solid_shell is for bricks (H8); the mesh is made of %s cells",
                       sup_cell_name(soft->mesh->type));
  SUP_TRY(sup_thin_bricks_find(soft->mesh, &thin));
  if (thin.num == 0)
    sup_log(SUP_LOG_WARNING,
            "%s: soft body '%s' has no brick that is at least %g times as long and wide as thick: "
            "'element: solid_shell' changes nothing; remedy: leave it out",
            sup_source_position_text(node->place, where), soft->name, SUP_THIN_BRICK_ASPECT);
  return SUP_OK;
}

static sup_status read_manufactured(const sup_section *body, sup_soft_def *soft) {
  sup_node *node = sup_section_entry(body, "manufactured");
  if (!node) return SUP_OK;
  SUP_TRY(sup_section_load(node, &manufactured_schema, NULL, soft));
  if (!(sup_v3_norm(sup_v3_load(soft->manufactured)) > 0))
    return SUP_FAIL_AT(node->place, "the amplitude of a manufactured solution must not be zero");
  if (soft->material.model != SUP_MATERIAL_LINEAR)
    return SUP_FAIL_AT(
        node->place,
        "a manufactured solution needs linear elasticity: 'model: linear' in material");
  if (soft->num_parts > 0)
    return SUP_FAIL_AT(node->place,
                       "a manufactured solution needs a single material; the body has %d more",
                       soft->num_parts);
  return SUP_OK;
}

/** The body's cells, and its own material, must take the one that stands at the node. */
static sup_status check_cells(const sup_node *node, const sup_soft_def *soft,
                              const sup_material_def *material) {
  if (sup_fem_check_cells(soft->mesh->type, material) == SUP_OK &&
      sup_fem_check_mixed(&soft->material, material) == SUP_OK)
    return SUP_OK;
  return SUP_FAIL_AT(node->place, "%s", sup_error_message());
}

/** materials: {SET: MATERIAL}. */
static sup_status read_parts(const sup_scene_build *b, const sup_section *body, const char *what,
                             sup_soft_def *soft) {
  sup_node  *parts = sup_section_entry(body, "materials");
  int       *cell = NULL;
  sup_status status = SUP_OK;
  if (!parts) return SUP_OK;
  SUP_TRY(sup_node_check_mapping(parts, "materials"));
  SUP_TRY(SUP_CALLOC(soft->parts, parts->num_children));
  SUP_TRY(SUP_CALLOC(cell, soft->mesh->num_cells));
  for (sup_node *c = parts->child; c && status == SUP_OK; c = c->next) {
    sup_part_def *part = &soft->parts[soft->num_parts++];
    *part = sup_default_part_def();
    status = sup_region_assign(soft->mesh, c->key, soft->num_parts, cell);
    if (status != SUP_OK)
      status = SUP_FAIL_AT(c->key_place, "materials of %s %s", what, sup_error_message());
    else if ((status = sup_text_copy(part->set, sizeof part->set, c->key)) == SUP_OK &&
             (status = sup_read_material_choice(b, c, what, &part->material)) == SUP_OK)
      status = check_cells(c, soft, &part->material);
  }
  SUP_FREE(cell);
  SUP_TRY(status);
  return SUP_OK;
}

static sup_status read_body(sup_scene_build *b, sup_node *node, sup_soft_def *soft, sup_mesh **mesh,
                            double *cells) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  sup_node   *mesh_node, *material;
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_soft, "soft body", soft->name, what));
  SUP_TRY(sup_scene_check_name(b, node));
  SUP_TRY(sup_section_require(&section, "mesh", &mesh_node));
  SUP_TRY(sup_section_require(&section, "material", &material));
  SUP_TRY(sup_read_material_choice(b, material, what, &soft->material));
  SUP_TRY(sup_read_mesh(b, mesh_node, what, mesh, cells));
  soft->mesh = *mesh;
  SUP_TRY(check_cells(material, soft, &soft->material));
  SUP_TRY(read_parts(b, &section, what, soft));
  SUP_TRY(sup_read_word(&section, "mass", &soft->lumped_mass));
  SUP_TRY(read_dilatation(&section, soft));
  SUP_TRY(read_element(&section, soft));
  SUP_TRY(sup_read_pose(&section, "pose", &soft->X_WS));
  SUP_TRY(sup_read_vector(&section, "velocity", soft->v0));
  SUP_TRY(sup_read_body_contact(b, &section, SUP_CONTACT_SOFT, &soft->contact));
  SUP_TRY(read_attachments(b, &section, soft));
  SUP_TRY(read_clamps(&section, soft));
  SUP_TRY(read_dirichlet_list(b, &section, soft));
  SUP_TRY(read_tractions(b, &section, soft));
  SUP_TRY(read_growths(b, &section, soft));
  SUP_TRY(read_manufactured(&section, soft));
  return SUP_OK;
}

sup_status sup_scene_read_softs(sup_scene_build *b, sup_node *softs) {
  sup_scene     *scene = b->scene;
  sup_model_def *model = &scene->model;
  SUP_TRY(SUP_CALLOC(model->softs, softs->num_children));
  SUP_TRY(SUP_CALLOC(scene->mesh, softs->num_children));
  SUP_TRY(SUP_CALLOC(scene->cells, softs->num_children));
  for (sup_node *c = softs->child; c; c = c->next) {
    int i = model->num_softs++;
    model->softs[i] = sup_default_soft_def();
    SUP_TRY(read_body(b, c, &model->softs[i], &scene->mesh[i], &scene->cells[i]));
  }
  return SUP_OK;
}
