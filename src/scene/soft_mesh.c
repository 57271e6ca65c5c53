/* The mesh of a soft body: a file of cells or of a closed surface, a box or a FinRay finger. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "geom/wall.h"
#include "mesh/distribute/refine_part.h"
#include "mesh/format/convert.h"
#include "mesh/format/mesh_file.h"
#include "mesh/generate/generate.h"
#include "mesh/refine.h"
#include "scene/build.h"
#include "scene/hull_file.h"
#include "scene/profile_file.h"

/* ---- keys ------------------------------------------------------------------------------------ */

const sup_word sup_mesh_pattern_words[3] =
    {/* in the order of sup_mesh_pattern */
     {"hex", "one H8 a brick"},
     {"kuhn", "six T4 a brick, all alike"},
     {"mirror", "six T4 a brick, mirrored from brick to brick; can be made quadratic"}};

/** Values that box and ring share. */
typedef struct brick_values {
  sup_mesh_pattern pattern;
} brick_values;
static void bricks_of_hex(void *target) {
  *(brick_values *)target = (brick_values){SUP_PATTERN_HEX};
}

static const sup_key box_keys[] = {
    SUP_VECTOR("size", SUP_DIM_LENGTH, SUP_ANY, SUP_BY_CODE, "[1 cm, 1 cm, 1 cm]",
               "Lengths of the edges; one corner is the origin.", .need = SUP_NEEDED,
               .absent = "needed, or corners"),
    SUP_CUSTOM("corners", SUP_KEY_LIST,
               "[[0, 0, 0], [1 cm, 0, 0], [1 cm, 1 cm, 0], [0, 1 cm, 0], [0, 0, 1 cm], [1 cm, 0, 1 "
               "cm], [1 cm, 1 cm, 1 cm], [0, 1 cm, 1 cm]]",
               "Eight points in the order 000 100 110 010 001 101 111 011, in the place of size.",
               .dimension = SUP_DIM_LENGTH),
    SUP_CUSTOM("cells", SUP_KEY_LIST, "[4, 4, 4]", "Bricks along x, y and z.", .need = SUP_NEEDED),
    SUP_WORD("pattern", sup_mesh_pattern_words, SUP_AT(brick_values, pattern), "mirror",
             "Cells of a brick.")};
static const sup_schema box_schema =
    SUP_SCHEMA("box", box_keys, "A box of bricks with the sides x_min, x_max, y_min .. as sets.",
               SUP_DEFAULTS(bricks_of_hex, brick_values));

static const sup_key ring_keys[] = {
    SUP_NUMBER("inner_radius", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_BY_CODE, "10 mm", "Inner radius.",
               .need = SUP_NEEDED),
    SUP_NUMBER("outer_radius", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_BY_CODE, "20 mm", "Outer radius.",
               .need = SUP_NEEDED),
    SUP_NUMBER("length", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_BY_CODE, "5 mm", "Length along z.",
               .need = SUP_NEEDED),
    SUP_NUMBER("angle", SUP_DIM_ANGLE, SUP_POSITIVE, SUP_BY_CODE, "90 deg",
               "Angle from the x axis, below 360 degrees.", .need = SUP_NEEDED),
    SUP_CUSTOM("cells", SUP_KEY_LIST, "[4, 8, 1]", "Bricks along the radius, around and along z.",
               .need = SUP_NEEDED),
    SUP_WORD("pattern", sup_mesh_pattern_words, SUP_AT(brick_values, pattern), "mirror",
             "Cells of a brick.")};
static const sup_schema ring_schema =
    SUP_SCHEMA("ring", ring_keys,
               "A part of a thick ring about z; sets inner, outer, "
               "start, end (of the angle), z_min, z_max.",
               SUP_DEFAULTS(bricks_of_hex, brick_values));

static const sup_word units[SUP_PROFILE_NUM_UNITS] = /* in the order of sup_profile_units */
    {{"file", "unit of the drawing; of .step: mm"},
     {"m", "metres"},
     {"cm", "centimetres"},
     {"mm", "millimetres"},
     {"um", "micrometres"},
     {"in", "inches"}};
static const sup_key extrude_keys[] = {
    SUP_CUSTOM(
        "profile", SUP_KEY_FILE, "finger.svg",
        "A drawing (.svg, .dxf, .csv) of an outer boundary and holes, or a plane section for "
        "Gmsh (.geo, .step, .iges, .brep).",
        .need = SUP_NEEDED),
    SUP_NUMBER("depth", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_extrude_options, extrusion.depth),
               "20 mm", "Depth, along z from 0.", .need = SUP_NEEDED),
    SUP_WORD("unit", units, SUP_AT(sup_extrude_options, unit), "mm",
             "Unit of the drawing's numbers."),
    SUP_NUMBER("size", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_extrude_options, section.largest), "2 mm",
               "Largest edge in the section; 0: a tenth of its shorter side."),
    SUP_INTEGER("wall_cells", 1, SUP_AT(sup_extrude_options, section.wall_cells), "2",
                "Cells through each wall, at least."),
    SUP_NUMBER("corner", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_extrude_options, section.corner),
               "0.3",
               "Size of cells at the corners of holes and notches over that in walls, 0.1 to 1."),
    SUP_NUMBER("fillet", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_extrude_options, fillet),
               "1 mm", "Radius of the corners of holes and notches; 0: sharp."),
    SUP_CUSTOM(
        "offset", SUP_KEY_ENTRIES, "{pin: 0.5 mm}",
        "Loops by their id in the drawing (SVG) or handle (DXF), moved outwards by a length: "
        "holes grow.",
        .absent = "none"),
    SUP_INTEGER("layers", 0, SUP_AT(sup_extrude_options, extrusion.num_layers), "4",
                "Cells over the depth; 0: each twice as deep as long."),
    SUP_NUMBER("grading", SUP_DIM_NUMBER, SUP_POSITIVE,
               SUP_AT(sup_extrude_options, extrusion.grading), "2",
               "Thickness of the layers in the middle over that of the outer ones; 1: equal "
               "layers."),
    SUP_BOOLEAN("symmetric", SUP_AT(sup_extrude_options, extrusion.is_symmetric), "true",
                "The half from z = 0 to the middle, which is the set symmetry.")};
static void extrude_defaults(void *target) {
  *(sup_extrude_options *)target = sup_default_extrude_options();
}
static const sup_schema extrude_schema = SUP_SCHEMA(
    "extrude", extrude_keys,
    "Bricks of a drawing, by the program gmsh; vertices outer, side_1 .. (from corner to "
    "corner), hole_1 .. (from below), z_min, z_max are sets.",
    SUP_DEFAULTS(extrude_defaults, sup_extrude_options));

enum {
  SOURCE_FILE,
  SOURCE_SURFACE,
  SOURCE_BOX,
  SOURCE_RING,
  SOURCE_FINRAY,
  SOURCE_EXTRUDE,
  NUM_SOURCES
};
static const sup_key mesh_keys[] = {
    /* exactly one source, in the order of the enumeration */
    SUP_CUSTOM("file", SUP_KEY_FILE, "finger.vtk",
               "A file of T4, H8 or T10 cells: .vtk, .msh, .inp, .node, .mesh.",
               .absent = "one of file, surface, box, ring, finray and extrude is needed"),
    SUP_CUSTOM("surface", SUP_KEY_FILE, "part.stl",
               "A closed surface (.stl, .obj, .ply, .msh), filled by the program tetgen."),
    SUP_SECTION("box", box_schema, SUP_BY_CODE, "{size: [1 cm, 1 cm, 1 cm], cells: [4, 4, 4]}",
                "A box of bricks.", .need = SUP_OPTIONAL),
    SUP_SECTION(
        "ring", ring_schema, SUP_BY_CODE,
        "{inner_radius: 10 mm, outer_radius: 20 mm, length: 5 mm, angle: 90 deg, cells: [4, 8, 1]}",
        "A part of a thick ring about z.", .need = SUP_OPTIONAL),
    SUP_SECTION("finray", sup_schema_finray, SUP_BY_CODE, "{height: 80 mm, ribs: 5}",
                "A FinRay finger.", .need = SUP_OPTIONAL),
    SUP_SECTION("extrude", extrude_schema, SUP_BY_CODE, "{profile: finger.svg, depth: 20 mm}",
                "Bricks of a drawing.", .need = SUP_OPTIONAL),
    SUP_NUMBER("scale", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_BY_CODE, "0.001",
               "Factor on the coordinates of a file.", .absent = "1"),
    SUP_NUMBER("size", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_BY_CODE, "2 mm",
               "Edge length of the cells that fill a surface.", .need = SUP_NEEDED,
               .absent = "needed with surface"),
    SUP_CUSTOM("inserts", SUP_KEY_ENTRIES, "{core: core.stl}",
               "Closed surfaces inside of a surface that is filled: their cells are sets of these "
               "names.",
               .absent = "none"),
    SUP_NUMBER("quality", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_BY_CODE, "1.4",
               "Largest circumradius over shortest edge of the cells that fill a surface.",
               .absent = "1.4"),
    SUP_INTEGER("refine", 0, SUP_BY_CODE, "1", "Number of refinements, each of a cell into eight.",
                .absent = "0"),
    SUP_INTEGER("order", 1, SUP_BY_CODE, "2",
                "2: quadratic tetrahedra (T10) from linear ones (T4).",
                .absent = "that of the cells")};
const sup_schema sup_schema_mesh =
    SUP_SCHEMA("mesh", mesh_keys, "Mesh of a soft body from exactly one source.");

/* ---- generators ------------------------------------------------------------------------------ */

static sup_status read_box_cells(sup_node *node, int cells[3]) {
  double count[3];
  SUP_TRY(sup_node_vector(node, "cells", SUP_DIM_NUMBER, SUP_ANY, count));
  for (int i = 0; i < 3; i++) {
    if (!(count[i] >= 1 && count[i] <= 10000 && count[i] == floor(count[i])))
      return SUP_FAIL_AT(node->place, "%g cells in %c; expected a whole number from 1 to 10000",
                         count[i], "xyz"[i]);
    cells[i] = (int)count[i];
  }
  return SUP_OK;
}

static double cells_of(const int bricks[3], sup_mesh_pattern pattern) {
  return (pattern == SUP_PATTERN_HEX ? 1. : 6.) * bricks[0] * bricks[1] * bricks[2];
}

/** A plan's bricks, twice as long until their cells are few.  *share: cells of the scene for each.
 */
static void make_coarser(const sup_scene_build *b, int bricks[3], sup_mesh_pattern pattern,
                         double *share) {
  double wanted = cells_of(bricks, pattern);
  while (cells_of(bricks, pattern) > b->most_cells && bricks[0] * bricks[1] * bricks[2] > 1)
    for (int i = 0; i < 3; i++) bricks[i] = (bricks[i] + 1) / 2;
  *share = wanted / cells_of(bricks, pattern);
}

/** `cells` and `pattern`. */
static sup_status read_bricks(const sup_section *section, int cells[3], sup_mesh_pattern *pattern) {
  brick_values bricks;
  sup_node    *cells_node;
  SUP_TRY(sup_section_require(section, "cells", &cells_node));
  SUP_TRY(read_box_cells(cells_node, cells));
  bricks_of_hex(&bricks);
  SUP_TRY(sup_section_read(section, &bricks));
  *pattern = bricks.pattern;
  return SUP_OK;
}

static sup_status read_corners(sup_node *node, double corner[24]) {
  SUP_TRY(sup_node_check_list(node, "corners"));
  if (node->num_children != 8)
    return SUP_FAIL_AT(node->place,
                       "corners must be a list of 8 points, in the order 000 100 110 010 001 101 "
                       "111 011; found %d",
                       node->num_children);
  for (sup_node *c = node->child; c; c = c->next, corner += 3)
    SUP_TRY(sup_node_vector(c, "a corner", SUP_DIM_LENGTH, SUP_ANY, corner));
  return SUP_OK;
}

static sup_status make_box(const sup_scene_build *b, sup_node *node, sup_mesh **mesh,
                           double *share) {
  sup_section      section;
  double           size[3], corner[24];
  int              cells[3];
  sup_mesh_pattern pattern;
  sup_status       status;
  SUP_TRY(sup_section_open(&section, node, &box_schema, NULL));
  sup_node *corners = sup_section_entry(&section, "corners"),
           *sizes = sup_section_entry(&section, "size");
  if (corners && sizes)
    return SUP_FAIL_AT(corners->key_place,
                       "a box has both size and corners; one of them is enough");
  if (corners)
    SUP_TRY(read_corners(corners, corner));
  else
    SUP_TRY(sup_read_vector(&section, "size", size));
  SUP_TRY(read_bricks(&section, cells, &pattern));
  make_coarser(b, cells, pattern, share);
  if (corners)
    status = sup_mesh_between_corners(mesh, corner, cells, pattern);
  else
    status = sup_mesh_box(mesh, size, cells, pattern);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

static sup_status make_ring(const sup_scene_build *b, sup_node *node, sup_mesh **mesh,
                            double *share) {
  sup_section      section;
  sup_ring         ring;
  int              cells[3];
  sup_mesh_pattern pattern;
  SUP_TRY(sup_section_open(&section, node, &ring_schema, NULL));
  SUP_TRY(sup_read_number(&section, "inner_radius", &ring.inner_radius));
  SUP_TRY(sup_read_number(&section, "outer_radius", &ring.outer_radius));
  SUP_TRY(sup_read_number(&section, "length", &ring.length));
  SUP_TRY(sup_read_number(&section, "angle", &ring.angle));
  SUP_TRY(read_bricks(&section, cells, &pattern));
  make_coarser(b, cells, pattern, share);
  sup_status status = sup_mesh_ring(mesh, &ring, cells, pattern);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

/** Report to the log the changes of a reader, and to the manifest the files that it read besides.
 */
static sup_status note_reading(sup_scene_build *b, const sup_node *file, const char *path,
                               const sup_mesh_report *report) {
  char text[512], where[SUP_SOURCE_POSITION_SIZE];
  sup_mesh_report_text(report, text, sizeof text);
  if (text[0])
    sup_log(SUP_LOG_NOTE, "%s: %s: %s", sup_source_position_text(file->place, where), path, text);
  for (int i = 0; i < report->num_more; i++) {
    const char *more = report->more[i];
    SUP_TRY(sup_scene_add_input(b->scene, &more));
  }
  return SUP_OK;
}

static sup_status load_file(sup_scene_build *b, sup_node *file, double scale, sup_mesh **mesh) {
  char                       path[4096];
  const char                *input = path;
  SUP_FREED sup_mesh_report *report = NULL;
  SUP_TRY(sup_node_path(b->scene, file, "file", path, sizeof path));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  SUP_TRY(SUP_CALLOC(report, 1));
  sup_status status = sup_mesh_read(mesh, input, report);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  SUP_TRY(note_reading(b, file, input, report));
  for (int i = 0; i < 3 * (*mesh)->num_vertices; i++) (*mesh)->x[i] *= scale;
  return SUP_OK;
}

/** offset: {ID: LENGTH} */
static sup_status read_offsets(sup_node *node, sup_extrude_options *options) {
  if (!node) return SUP_OK;
  SUP_TRY(sup_node_check_mapping(node, "offset"));
  for (sup_node *c = node->child; c; c = c->next) {
    sup_loop_offset *offset = &options->offset[options->num_offsets++];
    if (options->num_offsets > SUP_MOST_OFFSETS)
      return SUP_FAIL_AT(c->place, "found more than %d offsets of loops", SUP_MOST_OFFSETS);
    snprintf(offset->id, sizeof offset->id, "%s", c->key);
    SUP_TRY(sup_node_number(c, c->key, SUP_DIM_LENGTH, SUP_ANY, &offset->distance));
  }
  return SUP_OK;
}

static sup_status extrude_drawing(sup_scene_build *b, sup_node *node, sup_mesh **mesh,
                                  sup_profile **drawn) {
  sup_extrude_options options = sup_default_extrude_options();
  sup_quads_report    report;
  sup_section         section;
  char                path[4096];
  const char         *input = path;
  sup_node           *file;
  SUP_TRY(sup_section_open(&section, node, &extrude_schema, NULL));
  SUP_TRY(sup_section_require(&section, "profile", &file));
  SUP_TRY(sup_node_path(b->scene, file, "profile", path, sizeof path));
  SUP_TRY(sup_section_read(&section, &options));
  SUP_TRY(read_offsets(sup_section_entry(&section, "offset"), &options));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  sup_status status = sup_mesh_of_drawing(mesh, input, &options, NULL, drawn, &report);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  return SUP_OK;
}

/** The closed surface of a file. */
static sup_status read_surface(sup_scene_build *b, sup_node *file, const char *what, double scale,
                               sup_hull **hull) {
  const double scales[3] = {scale, scale, scale};
  char         path[4096], where[SUP_SOURCE_POSITION_SIZE];
  const char  *input = path;
  SUP_TRY(sup_node_path(b->scene, file, what, path, sizeof path));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  return sup_polyhedron_of_file(hull, input, scales, sup_source_position_text(file->place, where));
}

/** inserts: {NAME: FILE}.
 *  @param[out] hull  [num_inserts] */
static sup_status read_inserts(sup_scene_build *b, sup_node *node, double scale, sup_hull **hull,
                               sup_insert *insert, int *num) {
  for (sup_node *c = node->child; c; c = c->next) {
    char       name[SUP_NAME_MAX];
    sup_status status = sup_node_name(c, "insert", name);
    if (status == SUP_OK) status = read_surface(b, c, "inserts", scale, &hull[*num]);
    if (status != SUP_OK) return SUP_FAIL_WRAP(status, c->place);
    insert[*num] = (sup_insert){hull[*num], c->key};
    ++*num;
  }
  return SUP_OK;
}

/** Fill the closed surface of a file with tetrahedra. */
static sup_status fill_surface(sup_scene_build *b, const sup_section *section, sup_node *file,
                               double scale, sup_mesh **mesh) {
  sup_tetgen_options    options = sup_default_tetgen_options();
  sup_node             *inserts = sup_section_entry(section, "inserts");
  SUP_OWN(sup_hull)    *hull = NULL;
  SUP_FREED sup_hull  **inner = NULL;
  SUP_FREED sup_insert *insert = NULL;
  double                size;
  SUP_TRY(sup_read_number(section, "size", &size));
  SUP_TRY(sup_read_number(section, "quality", &options.quality));
  options.max_volume = sup_tetgen_volume(size);
  if (inserts) {
    SUP_TRY(sup_node_check_mapping(inserts, "inserts"));
    SUP_TRY(SUP_CALLOC(inner, inserts->num_children));
    SUP_TRY(SUP_CALLOC(insert, inserts->num_children));
  }
  options.insert = insert;
  sup_status status = read_surface(b, file, "surface", scale, &hull);
  if (status == SUP_OK && inserts)
    status = read_inserts(b, inserts, scale, inner, insert, &options.num_inserts);
  if (status == SUP_OK) status = sup_mesh_of_polyhedron(mesh, hull, &options);
  for (int i = 0; i < options.num_inserts; i++) sup_hull_destroy(&inner[i]);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, file->place);
  return SUP_OK;
}

/** refine: each level cuts every cell into eight; curves of a drawing stay curves. */
static sup_status refine(const sup_scene_build *b, const sup_section *section,
                         const sup_profile *drawn, sup_mesh **mesh, double *share) {
  const sup_node *node = sup_section_entry(section, "refine");
  int             levels = 0;
  SUP_TRY(sup_read_integer(section, "refine", &levels));
  sup_status status = sup_mesh_check_levels((*mesh)->num_cells, levels);
  for (; status == SUP_OK && levels > 0 && ldexp((*mesh)->num_cells, 3 * levels) > b->most_cells;
       levels--)
    *share *= 8;
  for (; status == SUP_OK && drawn && levels > 0; levels--) {
    status = sup_mesh_refine_on(mesh, 1, b->ranks);
    if (status == SUP_OK) status = sup_mesh_onto_profile(*mesh, drawn);
  }
  if (status == SUP_OK) status = sup_mesh_refine_on(mesh, levels, b->ranks);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  return SUP_OK;
}

/** order: 2 makes quadratic tetrahedra of linear ones. */
static sup_status raise_order(const sup_section *section, sup_mesh **mesh) {
  const sup_node *node = sup_section_entry(section, "order");
  sup_mesh       *linear = *mesh;
  int             order = linear->type == SUP_CELL_T10 ? 2 : 1;
  SUP_TRY(sup_read_integer(section, "order", &order));
  if (order > 2)
    return SUP_FAIL_AT(node->place,
                       "order is %d; expected 1 (as given) or 2 (quadratic tetrahedra)", order);
  if (order == 1 && linear->type == SUP_CELL_T10)
    return SUP_FAIL_AT(node->place, "order is 1, but the file holds quadratic tetrahedra (T10)");
  if (order == 1 || linear->type == SUP_CELL_T10) return SUP_OK;
  sup_status status = sup_mesh_to_t10(mesh, linear);
  if (status != SUP_OK) {
    *mesh = linear;
    return SUP_FAIL_AT(node->place,
                       "order: 2: %s (box and finray make T4 cells with 'pattern: mirror')",
                       sup_error_message());
  }
  sup_mesh_destroy(&linear);
  return SUP_OK;
}

static sup_status check_size(const sup_node *node, const char *body, const sup_mesh *mesh) {
  const double largest = 10;
  char         where[SUP_SOURCE_POSITION_SIZE];
  sup_v3       lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  sup_v3 size = sup_v3_sub(upper, lower);
  if (!isfinite(size.x + size.y + size.z))
    return SUP_FAIL_AT(node->place, "the mesh of %s is infinitely large after scaling", body);
  if (fmax(size.x, fmax(size.y, size.z)) > largest)
    sup_log(SUP_LOG_WARNING,
            "%s: the mesh of %s measures %g x %g x %g m; is it in millimetres? then give it "
            "'scale: 0.001'",
            sup_source_position_text(node->place, where), body, size.x, size.y, size.z);
  return SUP_OK;
}

sup_status sup_cells_through_walls(const sup_mesh *mesh, double *median) {
  sup_surface *surface = NULL;
  sup_wall     wall;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  sup_status status = sup_wall_measure(&wall, mesh, surface);
  sup_surface_destroy(&surface);
  SUP_TRY(status);
  *median = wall.median;
  return SUP_OK;
}

/** A result with the stiffness of plain tetrahedra needs a warning. */
static sup_status warn_of_locking(const sup_node *node, const char *body, const sup_mesh *mesh,
                                  bool is_file) {
  char   where[SUP_SOURCE_POSITION_SIZE];
  double cells;
  if (mesh->type != SUP_CELL_T4) return SUP_OK;
  SUP_TRY(sup_cells_through_walls(mesh, &cells));
  sup_log(SUP_LOG_WARNING,
          "%s: %s is made of plain T4 cells, %.2g through its walls in the median, which are too "
          "stiff in bending: about four times with one, twice with two, by a quarter with four, 7 "
          "%% with eight, more near nu = 0.5; remedy: %s",
          sup_source_position_text(node->place, where), body, cells,
          is_file ? "'order: 2' in mesh (quadratic tetrahedra), or a mesh of hexahedra (box and "
                    "finray make them with 'pattern: hex')"
                  : "'pattern: hex', or 'order: 2' in mesh (quadratic tetrahedra)");
  return SUP_OK;
}

/** Parts that were never joined look like one body and fall apart. */
static sup_status warn_of_parts(const sup_node *node, const char *body, const sup_mesh *mesh) {
  char where[SUP_SOURCE_POSITION_SIZE];
  int  parts;
  SUP_TRY(sup_mesh_count_parts(mesh, &parts));
  if (parts > 1)
    sup_log(SUP_LOG_WARNING,
            "%s: the mesh of %s has %d parts that share no vertex: each moves by itself; remedy: "
            "join coincident vertices where it was made, or make a body of each part",
            sup_source_position_text(node->place, where), body, parts);
  return SUP_OK;
}

/** The one key that says where the mesh comes from. */
static sup_status find_source(const sup_section *section, sup_node **source, int *which) {
  int found = 0;
  for (int k = 0; k < NUM_SOURCES; k++) {
    sup_node *node = sup_section_entry(section, mesh_keys[k].name);
    if (node) *source = node, *which = k, found++;
  }
  if (found != 1)
    return SUP_FAIL_AT(
        section->node->place,
        "mesh needs exactly one of the keys file, surface, box, ring, finray, extrude; found %d",
        found);
  return SUP_OK;
}

/** Keys that belong to some of the sources only. */
static sup_status check_keys(const sup_section *section, int which) {
  const sup_node *scale = sup_section_entry(section, "scale"),
                 *size = sup_section_entry(section, "size");
  const sup_node *quality = sup_section_entry(section, "quality"),
                 *inserts = sup_section_entry(section, "inserts");
  if (scale && which > SOURCE_SURFACE)
    return SUP_FAIL_AT(scale->key_place,
                       "scale is for meshes of files; this mesh has its sizes in the scene");
  const sup_node *of_surface = size ? size : quality ? quality : inserts;
  if (of_surface && which != SOURCE_SURFACE)
    return SUP_FAIL_AT(of_surface->key_place, "%s belongs to a surface that is filled with cells",
                       of_surface->key);
  return SUP_OK;
}

sup_status sup_read_mesh(sup_scene_build *b, sup_node *node, const char *body, sup_mesh **mesh,
                         double *cells) {
  sup_section           section;
  sup_node             *source = NULL;
  int                   which = 0;
  double                scale = 1, share = 1;
  SUP_OWN(sup_profile) *drawn = NULL;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_mesh, NULL));
  SUP_TRY(find_source(&section, &source, &which));
  SUP_TRY(check_keys(&section, which));
  if (which <= SOURCE_SURFACE) SUP_TRY(sup_read_number(&section, "scale", &scale));
  if (which == SOURCE_FILE) SUP_TRY(load_file(b, source, scale, mesh));
  if (which == SOURCE_SURFACE) SUP_TRY(fill_surface(b, &section, source, scale, mesh));
  if (which == SOURCE_BOX) SUP_TRY(make_box(b, source, mesh, &share));
  if (which == SOURCE_RING) SUP_TRY(make_ring(b, source, mesh, &share));
  if (which == SOURCE_FINRAY) SUP_TRY(sup_read_finray(b, source, mesh, &share));
  if (which == SOURCE_EXTRUDE) SUP_TRY(extrude_drawing(b, source, mesh, &drawn));
  SUP_TRY(refine(b, &section, drawn, mesh, &share));
  SUP_TRY(raise_order(&section, mesh));
  *cells = share * (*mesh)->num_cells;
  SUP_TRY(check_size(node, body, *mesh));
  SUP_TRY(warn_of_parts(node, body, *mesh));
  SUP_TRY(warn_of_locking(node, body, *mesh, which == SOURCE_FILE || which == SOURCE_SURFACE));
  return SUP_OK;
}
