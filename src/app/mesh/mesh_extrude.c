/* Own profiles in bricks: a drawing, cut into quadrilaterals, extruded. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/mesh/mesh_command.h"
#include "scene/file/units.h"
#include "scene/profile_file.h"

static void print_report(const sup_quads *quads, const sup_quads_report *r) {
  printf("%d quadrilaterals, worst scaled Jacobian %.2f near (%.4g, %.4g) mm\n", quads->num_quads,
         r->quality, 1e3 * r->where[0], 1e3 * r->where[1]);
  if (r->walls.num_sides > 0)
    printf(
        "walls: at least %d cells through each (the %.3g mm near (%.4g, %.4g) mm have fewest); "
        "the thinnest has %.3g mm\n",
        r->walls.fewest, 1e3 * r->walls.thickness, 1e3 * r->walls.where[0], 1e3 * r->walls.where[1],
        1e3 * r->walls.thinnest);
}

static void print_sets(const sup_quads *quads, bool is_symmetric) {
  printf("sets of vertices:");
  for (int k = 0; k < quads->num_sets; k++) printf(" %s,", quads->set_name[k]);
  printf(" z_min, %s\n", is_symmetric ? "symmetry" : "z_max");
}

/** 1: a depth of a metre or more is given as a plain number, which is then in metres. */
static int lacks_unit(int argc, char **argv, double depth) {
  const char *text = NULL;
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--depth", 7) == 0)
      text = argv[i][7] == '=' ? argv[i] + 8 : i + 1 < argc ? argv[i + 1] : NULL;
  return depth >= 1 && text && text[0] && isdigit((unsigned char)text[strlen(text) - 1]);
}

/** ID=LENGTH of each; 0: one is not understood. */
static int take_offsets(const app_word_list *words, sup_extrude_options *o) {
  for (int k = 0; k < words->count; k++) {
    char        word[SUP_UNIT_WORD_SIZE];
    const char *found, *equals = strchr(words->word[k], '=');
    double      distance;
    if (!equals || k == SUP_MOST_OFFSETS || equals - words->word[k] >= SUP_LOOP_ID_SIZE ||
        sup_quantity_read(equals + 1, SUP_DIM_LENGTH, &distance, word, &found) != SUP_QUANTITY_OK) {
      fprintf(stderr,
              "supple mesh extrude: found '%s' for --offset, expected up to %d ids with a length "
              "such as pin=0.5mm\n",
              words->word[k], SUP_MOST_OFFSETS);
      return 0;
    }
    sup_loop_offset *offset = &o->offset[o->num_offsets++];
    offset->distance = distance;
    snprintf(offset->id, sizeof offset->id, "%.*s", (int)(equals - words->word[k]), words->word[k]);
  }
  return 1;
}

int sup_app_mesh_extrude(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh extrude", "PROFILE",
      "Bricks from a drawing of an outer boundary and holes: SVG, DXF or CSV polylines, or a plane "
      "section for Gmsh\n"
      "(.geo, .step).  The program gmsh cuts it into quadrilaterals, finer in walls; they are "
      "extruded along z.\n"
      "Sets of vertices: outer, side_1 .. (from corner to corner, counter-clockwise from the "
      "lowest), hole_1 ..\n"
      "(from below), z_min, z_max or symmetry; of .geo and .step the physical curves.  A "
      "symmetric half is held at\n"
      "z of the set symmetry, and forces on it are half of those on the whole.\n",
      "mesh extrude examples/own_finger.svg --depth 20mm --wall-cells 2 -o finger.vtk"};
  sup_extrude_options o = sup_default_extrude_options();
  app_word_list       offsets = {.count = 0};
  int                 is_ascii = 0;
  const char         *output = NULL, *path = NULL;
  const app_option    options[] = {
         LENGTH("--depth", &o.extrusion.depth, "extruded along z (needed)"),
         {"--unit", APP_OPTION_CHOICE, 1, &o.unit, sup_profile_units, SUP_PROFILE_NUM_UNITS,
          "of the drawing's numbers; file: what it says (.step: mm)", NULL},
         LENGTH("--size", &o.section.largest,
                "largest edge in the section; 0mm: a tenth of its shorter side"),
         COUNT("--wall-cells", &o.section.wall_cells, "cells through each wall, at least"),
         NUMBER("--corner", &o.section.corner,
                "size of cells at corners of holes and notches over that in walls, 0.1 to 1"),
         {"--offset", APP_OPTION_LIST, 1, &offsets, NULL, 0,
          "move a loop of the drawing outwards; may be repeated", "ID=0.5mm"},
         LENGTH("--fillet", &o.fillet, "radius of the corners of holes and notches; 0mm: sharp"),
         COUNT("--layers", &o.extrusion.num_layers,
               "cells over the depth; 0: each twice as deep as long"),
         NUMBER("--grading", &o.extrusion.grading,
                "thickness of the layers in the middle over that of the outer ones; 1: equal "
                   "layers"),
         APP_FLAG("--symmetric", &o.extrusion.is_symmetric,
                  "the half from z = 0 to the middle of the depth"),
         NUMBER("--time-limit", &o.section.time_limit, "time limit of gmsh in seconds"),
         OUTPUT(&output),
         ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &path);
  if (code != SUP_NONE) return code;
  if (o.extrusion.depth == 0) {
    fprintf(stderr, "%s: --depth is missing, expected a length: --depth 20mm\n", words.command);
    return BAD_INPUT;
  }
  if (lacks_unit(argc, argv, o.extrusion.depth)) {
    fprintf(stderr,
            "%s: found a depth of %g m; a length without a unit is in metres: did you mean --depth "
            "%gmm? (%gm if not)\n",
            words.command, o.extrusion.depth, o.extrusion.depth, o.extrusion.depth);
    return BAD_INPUT;
  }
  if (!take_offsets(&offsets, &o)) return BAD_INPUT;
  sup_quads       *quads;
  sup_mesh        *mesh;
  sup_quads_report report = {.quality = 0};
  sup_status       status = sup_mesh_of_drawing(&mesh, path, &o, &quads, NULL, &report);
  if (status != SUP_OK) return sup_app_report(status, 0);
  print_report(quads, &report);
  print_sets(quads, o.extrusion.is_symmetric);
  sup_quads_destroy(&quads);
  return sup_app_mesh_write(mesh, 0, output, is_ascii);
}
