#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "app/app.h"
#include "app/mesh/mesh_command.h"
#include "app/ranks.h"
#include "app/signals.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "mesh/generate/generate.h"

static const char *const pattern_names[] = {"hex", "kuhn",
                                            "mirror"}; /* in the order of sup_mesh_pattern */
static const char *const notch_sides[] = {"outer", "inner"};
static const char *const thickness_names[] = {"horizontal",
                                              "perpendicular"}; /* is_perpendicular of sup_finray */
#define PATTERN(target)                                                                \
  {                                                                                    \
    "--pattern", APP_OPTION_CHOICE, 1, target, pattern_names, COUNT_OF(pattern_names), \
        "hex: bricks; kuhn, mirror: tetrahedra, all alike or alternating", NULL        \
  }

/* ---- what all subcommands do first ----------------------------------------------------------- */

static void print_words(const sup_mesh_words *words, const app_option *options, int num_options) {
  printf("usage: %s%s%s%s\n\n%s", words->command, words->operand ? " " : "",
         words->operand ? words->operand : "", num_options > 0 ? " [OPTION VALUE]... -o FILE" : "",
         words->text);
  if (num_options > 0) printf("\n");
  app_print_options(options, num_options);
  sup_app_print_example(stdout, words->example);
}

/** 1: the path has the ending of a mesh file; else print the endings that are expected. */
static int check_output(const char *command, const char *path) {
  if (path && sup_mesh_is_file_name(path)) return 1;
  if (path)
    fprintf(stderr,
            "%s: found '%s' for -o, expected a name that ends in .vtk, .msh, .inp or .node\n",
            command, path);
  else
    fprintf(stderr, "%s: -o is missing, expected the file to write: -o NAME.vtk\n", command);
  return 0;
}

/** 1: writing `output` would replace the file that is read, or the other one of a pair .node and
 * .ele.  Write protection does not help: a new file takes the old one's place. */
static int replaces_input(const char *output, const char *path) {
  static const char *const endings[] = {"", ".node", ".ele"};
  const char              *dot = strrchr(output, '.');
  bool        is_pair = dot && (strcasecmp(dot, ".node") == 0 || strcasecmp(dot, ".ele") == 0);
  struct stat in, out;
  if (stat(path, &in) != 0) return 0;
  for (int k = 0; k < (is_pair ? 3 : 1); k++) {
    char name[4096];
    int  stem = k == 0 ? (int)strlen(output) : (int)(dot - output);
    if (snprintf(name, sizeof name, "%.*s%s", stem, output, endings[k]) >= (int)sizeof name)
      continue;
    if (stat(name, &out) == 0 && out.st_dev == in.st_dev && out.st_ino == in.st_ino) return 1;
  }
  return 0;
}

int sup_app_mesh_parse(int argc, char **argv, const sup_mesh_words *words,
                       const app_option *options, int num_options, const char **output,
                       const char **path) {
  app_parse parsed =
      app_parse_options(argc, argv, words->command, options, num_options, path, path ? 1 : 0);
  if (parsed == APP_PARSE_HELP) {
    print_words(words, options, num_options);
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || (output && !check_output(words->command, *output)))
    return BAD_INPUT;
  if (path && *path && output && replaces_input(*output, *path)) {
    fprintf(stderr, "%s: -o %s would replace the file that is read, expected another name\n",
            words->command, *output);
    return BAD_INPUT;
  }
  if (!path || *path) return SUP_NONE;
  fprintf(stderr, "%s: a file is missing, expected %s %s%s\n", words->command, words->command,
          words->operand, output ? " -o NAME.vtk" : "");
  return BAD_INPUT;
}

/* ---- finray and box -------------------------------------------------------------------------- */

/** A finger of a metre has more likely lost its unit: say so behind the message. */
static sup_status ask_for_unit(const app_option *options, int num_options, sup_status status) {
  for (int i = 0; i < num_options; i++) {
    if (options[i].kind != APP_OPTION_LENGTH) continue;
    double length = *(const double *)options[i].target;
    if (length >= 1)
      return SUP_FAIL(status, "%s; a length without a unit is in metres: did you mean %s %gmm?",
                      sup_error_message(), options[i].name, length);
  }
  return status;
}

/** Values of the options of `supple mesh finray`. */
typedef struct finray_values {
  sup_finray  f;
  app_values  angles, heights, thicknesses, front, back;
  int         pattern, order, is_ascii;
  const char *output;
} finray_values;

/** Append the options of the finger's form. */
static int form_options(finray_values *v, app_option *out) {
  const app_option options[] = {
      LENGTH("--height", &v->f.height, "height of the finger, base to tip"),
      LENGTH("--base", &v->f.base, "width at the base"),
      LENGTH("--tip", &v->f.tip, "width at the tip"),
      LENGTH("--depth", &v->f.depth, "extruded depth"),
      LENGTH("--wall", &v->f.wall, "thickness of front and back wall"),
      LENGTH("--front-wall", &v->f.front_wall, "that of the front wall; 0mm: as --wall"),
      LENGTH("--back-wall", &v->f.back_wall, "that of the back wall; 0mm: as --wall"),
      LENGTH("--rib", &v->f.rib, "thickness of the ribs"),
      {"--rib-thicknesses", APP_OPTION_LENGTHS, SUP_FINRAY_MOST_SINGLE, &v->thicknesses, NULL, 0,
       "of each rib from the base on, in the place of --rib", "3mm,2mm,1.5mm"},
      COUNT("--ribs", &v->f.num_ribs, "number of ribs; there is one cavity more"),
      ANGLE("--front-angle", &v->f.front_angle,
            "by which the front wall leans towards the back one"),
      ANGLE("--rib-angle", &v->f.rib_angle, "by which ribs rise from the front to the back wall"),
      ANGLE("--rib-fan", &v->f.rib_fan,
            "by how much the last rib's angle is more than the first's"),
      {"--rib-angles", APP_OPTION_ANGLES, SUP_FINRAY_MOST_SINGLE, &v->angles, NULL, 0,
       "of each rib from the base on, in the place of both", "15,10,0"},
      {"--rib-heights", APP_OPTION_LENGTHS, SUP_FINRAY_MOST_SINGLE, &v->heights, NULL, 0,
       "of the middle of each rib over the bottom, in the place of --cavity", "20mm,38mm,55mm"},
      LENGTH("--front-bow", &v->f.front_bow,
             "how far the front wall bulges outwards at half height"),
      LENGTH("--back-bow", &v->f.back_bow, "the same of the back wall"),
      LENGTH("--base-block", &v->f.base_block, "height of the solid block at the base"),
      LENGTH("--tip-block", &v->f.tip_block, "height of the solid block at the tip"),
      LENGTH("--cavity", &v->f.cavity, "height of a cavity; 0mm: what the other heights leave"),
      NUMBER("--cavity-ratio", &v->f.cavity_ratio,
             "height of the last cavity over the first one's"),
      LENGTH("--hinge", &v->f.hinge, "thickness of ribs at the walls; 0mm: as elsewhere"),
      LENGTH("--hinge-length", &v->f.hinge_length, "along which ribs grow from there"),
      {"--front-notches", APP_OPTION_LENGTHS, SUP_FINRAY_MOST_SINGLE, &v->front, NULL, 0,
       "heights of notches in the front wall, beside cavities", "15mm,40mm"},
      {"--back-notches", APP_OPTION_LENGTHS, SUP_FINRAY_MOST_SINGLE, &v->back, NULL, 0,
       "the same of the back wall", "15mm,40mm"},
      LENGTH("--notch-length", &v->f.notch_length, "of notches along the wall"),
      LENGTH("--notch-depth", &v->f.notch_depth, "of these arcs of circles into the wall"),
      {"--notch-side", APP_OPTION_CHOICE, 1, &v->f.notch_is_inside, notch_sides,
       COUNT_OF(notch_sides), "face of the wall that notches are cut into", NULL},
      {"--thickness", APP_OPTION_CHOICE, 1, &v->f.is_perpendicular, thickness_names,
       COUNT_OF(thickness_names), "that of walls along x and of ribs along y, or across them",
       NULL},
      LENGTH("--tip-radius", &v->f.tip_radius, "radius of the tip's outer corners; 0mm: sharp"),
      LENGTH("--fillet", &v->f.fillet, "radius of the corners of the cavities; 0mm: sharp")};
  memcpy(out, options, sizeof options);
  return COUNT_OF(options);
}

/** Append those of its cells and of the file. */
static int cell_options(finray_values *v, app_option *out) {
  const app_option options[] = {
      COUNT("--wall-cells", &v->f.wall_cells, "cells through a wall"),
      COUNT("--inner-cells", &v->f.inner_cells, "cells across, between the walls"),
      COUNT("--cavity-cells", &v->f.cavity_cells, "cells along a cavity"),
      COUNT("--rib-cells", &v->f.rib_cells, "cells through a rib"),
      COUNT("--fillet-cells", &v->f.fillet_cells,
            "cells along half of a fillet, beside those between fillets"),
      COUNT("--notch-cells", &v->f.notch_cells, "cells along half of a notch"),
      COUNT("--depth-cells", &v->f.depth_cells, "cells over the depth"),
      NUMBER("--grading", &v->f.grading,
             "1: equal cells; above: smaller ones at the corners, 2 for most studies"),
      PATTERN(&v->pattern),
      ORDER(&v->order, sup_app_mesh_orders + 1, 2),
      OUTPUT(&v->output),
      ASCII(&v->is_ascii)};
  memcpy(out, options, sizeof options);
  return COUNT_OF(options);
}

static int mesh_finray(int argc, char **argv) {
  enum { MOST_OPTIONS = 64 };
  static const sup_mesh_words words = {
      "supple mesh finray", NULL,
      "Make a FinRay finger: a front wall at x = 0, a back wall that leans towards it, level or "
      "tilted ribs\n"
      "between them, solid blocks at base (y = 0) and tip.  Lengths take m, cm, mm or um.\n",
      "mesh finray --height 100mm --base 35mm --ribs 7 --pattern hex -o finger.vtk"};
  finray_values v = {.f = sup_default_finray()};
  sup_finray   *f = &v.f;
  app_option    options[MOST_OPTIONS];
  v.angles.value = f->rib_angles, v.heights.value = f->rib_heights;
  v.thicknesses.value = f->rib_thicknesses;
  v.front.value = f->front_notches, v.back.value = f->back_notches;
  v.pattern = (int)f->pattern;
  int num_options = form_options(&v, options);
  num_options += cell_options(&v, options + num_options);
  int code = sup_app_mesh_parse(argc, argv, &words, options, num_options, &v.output, NULL);
  if (code != SUP_NONE) return code;
  sup_mesh *mesh;
  f->pattern = (sup_mesh_pattern)v.pattern;
  f->num_rib_angles = v.angles.num, f->num_rib_heights = v.heights.num;
  f->num_rib_thicknesses = v.thicknesses.num;
  f->num_front_notches = v.front.num, f->num_back_notches = v.back.num;
  sup_status status = sup_mesh_finray(&mesh, f);
  if (status != SUP_OK) status = ask_for_unit(options, num_options, status);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return sup_app_mesh_write(mesh, ORDER_LINEAR + v.order, v.output, v.is_ascii);
}

static int mesh_box(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh box", NULL,
      "Make a box with one corner at the origin.  Lengths take m, cm, mm or um.\n",
      "mesh box --size 30mm,20mm,10mm --cells 6,4,2 --pattern mirror -o box.vtk"};
  double           size[3] = {0.04, 0.04, 0.04};
  int              cells[3] = {4, 4, 4}, pattern = SUP_PATTERN_HEX, order = 0, is_ascii = 0;
  const char      *output = NULL;
  const app_option options[] = {
      {"--size", APP_OPTION_LENGTH, 3, size, NULL, 0, "edge lengths along x, y, z", NULL},
      {"--cells", APP_OPTION_COUNT, 3, cells, NULL, 0, "bricks along x, y, z", NULL},
      PATTERN(&pattern),
      ORDER(&order, sup_app_mesh_orders + 1, 2),
      OUTPUT(&output),
      ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, NULL);
  if (code != SUP_NONE) return code;
  sup_mesh  *mesh;
  sup_status status = sup_mesh_box(&mesh, size, cells, (sup_mesh_pattern)pattern);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return sup_app_mesh_write(mesh, ORDER_LINEAR + order, output, is_ascii);
}

/* ---- tetrahedralize -------------------------------------------------------------------------- */

static sup_status fill_file(const char *path, double scale, const sup_tetgen_options *options,
                            sup_mesh **mesh) {
  const double          scales[3] = {scale, scale, scale};
  SUP_OWN(sup_surface) *surface = NULL;
  sup_surface_repair    repair;
  SUP_FREED double     *points = NULL;
  SUP_OWN(sup_hull)    *hull = NULL;
  char                  text[256];
  *mesh = NULL;
  SUP_TRY(sup_surface_read(&surface, &points, path, scales, &repair));
  sup_surface_repair_text(&repair, surface->num_faces, text, sizeof text);
  if (text[0]) printf("%s: %s\n", path, text);
  sup_status status =
      sup_polyhedron_create(&hull, surface->num_points, points, surface->num_faces, surface->face);
  if (status == SUP_OK) status = sup_mesh_of_polyhedron(mesh, hull, options);
  if (status != SUP_OK) return SUP_FAIL(status, "%s: %s", path, sup_error_message());
  return SUP_OK;
}

static int mesh_tetrahedralize(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh tetrahedralize", "SURFACE",
      "Fill a closed surface (.stl, .obj, .ply, .msh, .mesh) with tetrahedra by the program tetgen "
      "(package "
      "tetgen).\n",
      "mesh tetrahedralize examples/coin.obj --resolution 2mm -o coin.vtk"};
  sup_tetgen_options tetgen = sup_default_tetgen_options();
  double             resolution = 0.01, scale = 1;
  int                order = 0, is_ascii = 0;
  const char        *output = NULL, *surface = NULL;
  const app_option   options[] = {
        LENGTH("--resolution", &resolution,
               "length of the edges in the mean; 0mm: as long as the quality allows"),
        NUMBER("--quality", &tetgen.quality,
               "largest circumradius over shortest edge of a cell, > 1"),
        NUMBER("--scale", &scale, "factor of all coordinates: 0.001 for a file in millimetres"),
        NUMBER("--time-limit", &tetgen.time_limit, "stop the mesher after so many seconds"),
        ORDER(&order, sup_app_mesh_orders + 1, 2),
        OUTPUT(&output),
        ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &surface);
  if (code != SUP_NONE) return code;
  sup_mesh *mesh;
  tetgen.max_volume = sup_tetgen_volume(resolution);
  sup_status status = fill_file(surface, scale, &tetgen, &mesh);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return sup_app_mesh_write(mesh, ORDER_LINEAR + order, output, is_ascii);
}

/* ---- supple mesh ----------------------------------------------------------------------------- */

static const struct {
  const char *name, *help;
  int (*run)(int argc, char **argv);
} subcommands[] = {
    {"finray", "make a FinRay finger", mesh_finray},
    {"box", "make a box", mesh_box},
    {"tetrahedralize", "fill a closed surface with tetrahedra", mesh_tetrahedralize},
    {"extrude", "make bricks of a drawing", sup_app_mesh_extrude},
    {"repair", "close the holes of a surface", sup_app_mesh_repair},
    {"convert", "write a mesh in another format or order", sup_app_mesh_convert},
    {"refine", "cut each cell into eight", sup_app_mesh_refine},
    {"extract", "write the mesh of a scene's soft body", sup_app_mesh_extract},
    {"info", "report size, surface, sets and quality of a mesh file", sup_app_mesh_info}};

static void print_help(FILE *out) {
  fprintf(out,
          "usage: supple mesh SUBCOMMAND ...\n"
          "\n"
          "Generate, convert, refine, repair and inspect meshes.\n"
          "\n");
  for (int i = 0; i < COUNT_OF(subcommands); i++)
    fprintf(out, "  %-15s %s\n", subcommands[i].name, subcommands[i].help);
  fprintf(out, "\n`supple mesh SUBCOMMAND --help` lists the options.\n");
  sup_app_print_example(out, "mesh finray --ribs 7 -o finger.vtk");
}

int sup_app_mesh(int argc, char **argv) {
  const char *names[COUNT_OF(subcommands)];
  if (argc < 2) {
    print_help(stderr);
    return BAD_INPUT;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help(stdout);
    return DONE;
  }
  for (int i = 0; i < COUNT_OF(subcommands); i++) {
    if (strcmp(argv[1], subcommands[i].name) == 0) {
      if (sup_app_ranks() && subcommands[i].run != sup_app_mesh_refine &&
          subcommands[i].run != sup_app_mesh_extract)
        return sup_app_refuse_ranks("mesh");
      sup_app_end_at_signals();
      return subcommands[i].run(argc - 1, argv + 1);
    }
    names[i] = subcommands[i].name;
  }
  int nearest = sup_text_nearest(argv[1], names, COUNT_OF(subcommands));
  fprintf(stderr, "supple mesh: unknown subcommand '%s'", argv[1]);
  if (nearest != SUP_NONE) fprintf(stderr, "; did you mean %s?", names[nearest]);
  fprintf(stderr,
          " (known: finray, box, tetrahedralize, extrude, convert, refine, extract, info)\n");
  return BAD_INPUT;
}
