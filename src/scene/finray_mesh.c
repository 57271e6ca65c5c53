/* The mesh of a soft body that is a FinRay finger: its keys and lists of ribs and notches. */
#include <math.h>

#include "mesh/generate/generate.h"
#include "scene/build.h"

static const sup_word notch_sides[] = {{"outer", "the outer face of the wall"},
                                       {"inner", "the face at the cavities"}};
static const sup_word thicknesses[] = {{"horizontal", "wall along x, rib along y"},
                                       {"perpendicular", "across the tilted wall or rib"}};

static const sup_key finray_cell_keys[] = {
    SUP_INTEGER("wall", 1, SUP_AT(sup_finray, wall_cells), "2", "Bricks through a wall."),
    SUP_INTEGER("inner", 1, SUP_AT(sup_finray, inner_cells), "4",
                "Bricks across between the walls, in ribs and blocks."),
    SUP_INTEGER("cavity", 1, SUP_AT(sup_finray, cavity_cells), "8", "Bricks along a cavity."),
    SUP_INTEGER("rib", 1, SUP_AT(sup_finray, rib_cells), "2", "Bricks through a rib."),
    SUP_INTEGER("depth", 1, SUP_AT(sup_finray, depth_cells), "2", "Bricks over the depth."),
    SUP_INTEGER("fillet", 1, SUP_AT(sup_finray, fillet_cells), "3",
                "Bricks along half of a fillet's arc."),
    SUP_INTEGER("notch", 1, SUP_AT(sup_finray, notch_cells), "3", "Bricks along half of a notch.")};
static const sup_schema finray_cells =
    SUP_SCHEMA("cells", finray_cell_keys, "Bricks in the parts of a FinRay finger.");

static const sup_key finray_keys[] = {
    SUP_NUMBER("height", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, height), "80 mm",
               "Height, along y."),
    SUP_NUMBER("base", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, base), "30 mm",
               "Width at the bottom, along x."),
    SUP_NUMBER("tip", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, tip), "6 mm",
               "Width at the top, along x."),
    SUP_NUMBER("depth", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, depth), "20 mm",
               "Depth, along z."),
    SUP_NUMBER("wall", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, wall), "2 mm",
               "Thickness of the front and back wall."),
    SUP_NUMBER("front_wall", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, front_wall),
               "1.5 mm", "Thickness of the front wall; 0: wall."),
    SUP_NUMBER("back_wall", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, back_wall),
               "1.5 mm", "Thickness of the back wall; 0: wall."),
    SUP_NUMBER("rib", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, rib), "2 mm",
               "Thickness of the ribs."),
    SUP_CUSTOM("rib_thicknesses", SUP_KEY_LIST, "[3 mm, 2 mm, 1.5 mm]",
               "Thickness of each rib from the base on, in the place of rib.",
               .dimension = SUP_DIM_LENGTH),
    SUP_NUMBER("front_angle", SUP_DIM_ANGLE, SUP_ANY, SUP_AT(sup_finray, front_angle), "5 deg",
               "Angle by which the front wall leans back."),
    SUP_NUMBER("rib_angle", SUP_DIM_ANGLE, SUP_ANY, SUP_AT(sup_finray, rib_angle), "10 deg",
               "Angle by which the ribs rise from front to back."),
    SUP_NUMBER("rib_fan", SUP_DIM_ANGLE, SUP_ANY, SUP_AT(sup_finray, rib_fan), "15 deg",
               "Angle of the last rib less that of the first."),
    SUP_CUSTOM("rib_angles", SUP_KEY_LIST, "[15 deg, 10 deg, 0]",
               "Angle of each rib from the base on, in the place of rib_angle and rib_fan.",
               .dimension = SUP_DIM_ANGLE),
    SUP_CUSTOM("rib_heights", SUP_KEY_LIST, "[20 mm, 38 mm, 55 mm]",
               "Height over the bottom of the middle of each rib, half-way between the walls, in "
               "the place of cavity and cavity_ratio.",
               .dimension = SUP_DIM_LENGTH),
    SUP_NUMBER("front_bow", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_finray, front_bow), "2 mm",
               "Outward bulge of the front wall at half height; below 0: inwards."),
    SUP_NUMBER("back_bow", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_finray, back_bow), "2 mm",
               "Outward bulge of the back wall at half height; below 0: inwards."),
    SUP_INTEGER("ribs", 0, SUP_AT(sup_finray, num_ribs), "5", "Number of ribs."),
    SUP_NUMBER("base_block", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, base_block), "8 mm",
               "Height of the solid block at the base."),
    SUP_NUMBER("tip_block", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, tip_block), "8 mm",
               "Height of the solid block at the tip."),
    SUP_NUMBER("cavity", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, cavity), "0",
               "Height of one cavity; 0: from the other heights, otherwise they must add up."),
    SUP_NUMBER("cavity_ratio", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_finray, cavity_ratio),
               "0.6", "Height of the last cavity over that of the first."),
    SUP_NUMBER("hinge", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, hinge), "0.8 mm",
               "Thickness of the ribs where they meet the walls; 0: as elsewhere."),
    SUP_NUMBER("hinge_length", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, hinge_length),
               "2 mm", "Length along which ribs grow from their hinges to their thickness."),
    SUP_CUSTOM("front_notches", SUP_KEY_LIST, "[10 mm]",
               "Heights over the bottom of the middles of notches in the front wall, ascending; "
               "each lies beside a cavity.",
               .dimension = SUP_DIM_LENGTH),
    SUP_CUSTOM("back_notches", SUP_KEY_LIST, "[10 mm]",
               "Heights over the bottom of the middles of notches in the back wall, ascending; "
               "each lies beside a cavity.",
               .dimension = SUP_DIM_LENGTH),
    SUP_NUMBER("notch_length", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, notch_length),
               "3 mm", "Length of notches along the wall."),
    SUP_NUMBER("notch_depth", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_finray, notch_depth), "1 mm",
               "Depth of notches, which are arcs of circles; at most half of the length."),
    SUP_WORD("notch_side", notch_sides, SUP_AT(sup_finray, notch_is_inside), "inner",
             "Face of the wall with the notches."),
    SUP_NUMBER("tip_radius", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, tip_radius),
               "2 mm", "Radius of the two outer corners at the tip; 0: sharp."),
    SUP_NUMBER("fillet", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE, SUP_AT(sup_finray, fillet), "1 mm",
               "Radius of the corners of the cavities; 0: sharp."),
    SUP_WORD("thickness", thicknesses, SUP_AT(sup_finray, is_perpendicular), "perpendicular",
             "Direction in which wall and rib are measured."),
    SUP_SECTION("cells", finray_cells, SUP_HERE, "{wall: 1, cavity: 8, depth: 2}",
                "Bricks in its parts."),
    SUP_NUMBER("grading", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_finray, grading), "2",
               "Grading of cells towards the corners: line i of n in half of a part at "
               "(i/n)^grading; 1: equal cells."),
    SUP_WORD("pattern", sup_mesh_pattern_words, SUP_AT(sup_finray, pattern), "mirror",
             "Cells of a brick.")};
static void      finray_defaults(void *target) { *(sup_finray *)target = sup_default_finray(); }
const sup_schema sup_schema_finray =
    SUP_SCHEMA("finray", finray_keys,
               "A FinRay finger; vertices front, back, base, tip, "
               "z_min, z_max and cells walls, ribs, blocks are sets.",
               SUP_DEFAULTS(finray_defaults, sup_finray));

/** A number for each rib or notch. */
static sup_status read_single(const sup_node *finray, const char *key, sup_dimension dimension,
                              const char *example, int *num, double *value) {
  sup_node *list = sup_node_find(finray, key);
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, key));
  if (list->num_children > SUP_FINRAY_MOST_SINGLE)
    return SUP_FAIL_AT(list->place, "%s has %d values; expected at most %d", key,
                       list->num_children, SUP_FINRAY_MOST_SINGLE);
  for (sup_node *c = list->child; c; c = c->next)
    SUP_TRY(sup_node_quantity(c, key, dimension, SUP_ANY, example, &value[(*num)++]));
  return SUP_OK;
}

sup_status sup_read_finray(const sup_scene_build *b, sup_node *node, sup_mesh **mesh,
                           double *share) {
  sup_finray f = sup_default_finray();
  SUP_TRY(sup_section_load(node, &sup_schema_finray, NULL, &f));
  const struct {
    const char   *key, *example;
    sup_dimension dimension;
    int          *num;
    double       *value;
  } list[] = {
      {"rib_angles", "15 deg", SUP_DIM_ANGLE, &f.num_rib_angles, f.rib_angles},
      {"rib_heights", "20 mm", SUP_DIM_LENGTH, &f.num_rib_heights, f.rib_heights},
      {"rib_thicknesses", "2 mm", SUP_DIM_LENGTH, &f.num_rib_thicknesses, f.rib_thicknesses},
      {"front_notches", "20 mm", SUP_DIM_LENGTH, &f.num_front_notches, f.front_notches},
      {"back_notches", "20 mm", SUP_DIM_LENGTH, &f.num_back_notches, f.back_notches}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    SUP_TRY(read_single(node, list[k].key, list[k].dimension, list[k].example, list[k].num,
                        list[k].value));
  int        layers = f.depth_cells;
  sup_status status = SUP_OK;
  if (isfinite(b->most_cells) && layers > 1) {
    f.depth_cells = 1;
    status = sup_mesh_finray(mesh, &f);
    if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
    f.depth_cells = (int)fmax(1, fmin(layers, b->most_cells / (*mesh)->num_cells));
    sup_mesh_destroy(mesh);
  }
  status = sup_mesh_finray(mesh, &f);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, node->place);
  *share = (double)layers / f.depth_cells;
  return SUP_OK;
}
