#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/convert.h"
#include "mesh/generate.h"
#include "mesh/mesh_file.h"
#include "mesh/surface_file.h"
#include "mesh/vtk.h"

enum { DONE = SUP_EXIT_OK, BAD_INPUT = SUP_EXIT_INPUT };

static const char *const pattern_names[] = {"hex", "kuhn", "mirror"}; /* in the order of sup_mesh_pattern */
static const char *const order_names[] = {"1", "2"};                  /* of the tetrahedra, less one */

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define LENGTH(name, target, help) \
  { name, APP_OPTION_LENGTH, 1, target, NULL, 0, help, NULL }
#define COUNT(name, target, help) \
  { name, APP_OPTION_COUNT, 1, target, NULL, 0, help, NULL }
#define NUMBER(name, target, help) \
  { name, APP_OPTION_NUMBER, 1, target, NULL, 0, help, NULL }
#define PATTERN(target)                                                                \
  {                                                                                    \
    "--pattern", APP_OPTION_CHOICE, 1, target, pattern_names, COUNT_OF(pattern_names), \
        "hex: bricks; kuhn, mirror: tetrahedra, all alike or alternating", NULL        \
  }
#define ORDER(target)                                                            \
  {                                                                              \
    "--order", APP_OPTION_CHOICE, 1, target, order_names, COUNT_OF(order_names), \
        "of tetrahedra; 2: a vertex on each edge, straight (T10)", NULL          \
  }
#define OUTPUT(target) \
  { "-o, --output", APP_OPTION_TEXT, 1, target, NULL, 0, "the file to write (needed)", "NAME.vtk" }
#define ASCII(target) \
  { "--ascii", APP_OPTION_FLAG, 1, target, NULL, 0, "write text instead of binary", NULL }

/* ---- finray and box -----------------------------------------------------------------------------------------------
 */

static int check_output(const char *command, const char *path) {
  size_t length = path ? strlen(path) : 0;
  if (length > 4 && strcmp(path + length - 4, ".vtk") == 0) return 1;
  if (path)
    fprintf(stderr, "%s: found '%s' for -o, expected a name that ends in .vtk: legacy VTK is written\n", command, path);
  else
    fprintf(stderr, "%s: -o is missing, expected the file to write: -o NAME.vtk\n", command);
  return 0;
}

/** Write the mesh, with its tetrahedra of the order wanted (less one), and say what it is; the mesh is destroyed. */
static int write_mesh(sup_mesh *given, int order, const char *path, int is_ascii) {
  sup_mesh  *mesh = given;
  sup_status status = SUP_OK;
  if (order == 1) status = sup_mesh_to_t10(&mesh, given);
  if (order == 0 && given->type == SUP_CELL_T10) status = sup_mesh_to_t4(&mesh, given);
  if (status == SUP_OK) status = sup_vtk_write_mesh(mesh, path, !is_ascii);
  if (mesh != given) sup_mesh_destroy(&given);
  if (status != SUP_OK) {
    sup_mesh_destroy(&mesh);
    return sup_app_report(status, 0);
  }
  printf("%s: %d %s cells, %d vertices, volume %.6g cm^3\n", path, mesh->num_cells, sup_cell_name(mesh->type),
         mesh->num_vertices, 1e6 * sup_mesh_volume(mesh));
  sup_mesh_destroy(&mesh);
  return DONE;
}

static int mesh_finray(int argc, char **argv) {
  static const char command[] = "supple mesh finray";
  sup_finray        f = sup_default_finray();
  int               pattern = (int)f.pattern, order = 0, is_ascii = 0;
  const char       *output = NULL;
  const app_option  options[] = {LENGTH("--height", &f.height, "height of the finger, base to tip"),
                                 LENGTH("--base", &f.base, "width at the base"),
                                 LENGTH("--tip", &f.tip, "width at the tip"),
                                 LENGTH("--depth", &f.depth, "extruded depth"),
                                 LENGTH("--wall", &f.wall, "thickness of front and back wall, across the finger"),
                                 LENGTH("--rib", &f.rib, "thickness of the ribs"),
                                 COUNT("--ribs", &f.num_ribs, "number of ribs; there is one cavity more"),
                                 LENGTH("--base-block", &f.base_block, "height of the solid block at the base"),
                                 LENGTH("--tip-block", &f.tip_block, "height of the solid block at the tip"),
                                 LENGTH("--cavity", &f.cavity, "height of a cavity; 0mm: what the other heights leave"),
                                 COUNT("--wall-cells", &f.wall_cells, "cells through a wall"),
                                 COUNT("--inner-cells", &f.inner_cells, "cells across, between the walls"),
                                 COUNT("--cavity-cells", &f.cavity_cells, "cells along a cavity"),
                                 COUNT("--rib-cells", &f.rib_cells, "cells through a rib"),
                                 COUNT("--depth-cells", &f.depth_cells, "cells over the depth"),
                                 PATTERN(&pattern),
                                 ORDER(&order),
                                 OUTPUT(&output),
                                 ASCII(&is_ascii)};
  app_parse         parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), NULL, 0);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh finray [OPTION VALUE]... -o NAME.vtk\n\n"
        "Make a FinRay finger: a vertical front wall at x = 0, a back wall that leans towards it, horizontal ribs\n"
        "between them, solid blocks at base (y = 0) and tip.  Lengths take m, cm, mm or um.\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh finray --height 100mm --base 35mm --ribs 7 --pattern hex -o finger.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !check_output(command, output)) return BAD_INPUT;
  sup_mesh *mesh;
  f.pattern = (sup_mesh_pattern)pattern;
  sup_status status = sup_mesh_finray(&mesh, &f);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return write_mesh(mesh, order, output, is_ascii);
}

static int mesh_box(int argc, char **argv) {
  static const char command[] = "supple mesh box";
  double            size[3] = {0.04, 0.04, 0.04};
  int               cells[3] = {4, 4, 4}, pattern = SUP_PATTERN_HEX, order = 0, is_ascii = 0;
  const char       *output = NULL;
  const app_option  options[] = {{"--size", APP_OPTION_LENGTH, 3, size, NULL, 0, "edge lengths along x, y, z", NULL},
                                 {"--cells", APP_OPTION_COUNT, 3, cells, NULL, 0, "bricks along x, y, z", NULL},
                                 PATTERN(&pattern),
                                 ORDER(&order),
                                 OUTPUT(&output),
                                 ASCII(&is_ascii)};
  app_parse         parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), NULL, 0);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh box [OPTION VALUE]... -o NAME.vtk\n\n"
        "Make a box with one corner at the origin.  Lengths take m, cm, mm or um.\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh box --size 30mm,20mm,10mm --cells 6,4,2 --pattern mirror -o box.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !check_output(command, output)) return BAD_INPUT;
  sup_mesh  *mesh;
  sup_status status = sup_mesh_box(&mesh, size, cells, (sup_mesh_pattern)pattern);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return write_mesh(mesh, order, output, is_ascii);
}

/* ---- tetrahedralize -----------------------------------------------------------------------------------------------
 */

static sup_status fill_file(const char *path, double scale, const sup_tetgen_options *options, sup_mesh **mesh) {
  const double scales[3] = {scale, scale, scale};
  sup_surface *surface = NULL;
  double      *points = NULL;
  sup_hull    *hull = NULL;
  sup_status   status;
  *mesh = NULL;
  SUP_TRY_GOTO(sup_surface_read(&surface, &points, path, scales, NULL), status, done);
  status = sup_polyhedron_create(&hull, surface->num_points, points, surface->num_faces, surface->face);
  if (status == SUP_OK) status = sup_mesh_of_polyhedron(mesh, hull, options);
  if (status != SUP_OK) status = SUP_FAIL(status, "%s: %s", path, sup_error_message());
done:
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  sup_hull_destroy(&hull);
  return status;
}

static int mesh_tetrahedralize(int argc, char **argv) {
  static const char  command[] = "supple mesh tetrahedralize";
  sup_tetgen_options tetgen = sup_default_tetgen_options();
  double             resolution = 0.01, scale = 1;
  int                order = 0, is_ascii = 0;
  const char        *output = NULL, *surface = NULL;
  const app_option   options[] = {
        LENGTH("--resolution", &resolution, "length of the edges in the mean"),
        NUMBER("--quality", &tetgen.quality, "largest circumradius over shortest edge of a cell, > 1"),
        NUMBER("--scale", &scale, "factor of all coordinates: 0.001 for a file in millimetres"),
        NUMBER("--time-limit", &tetgen.time_limit, "stop the mesher after so many seconds"),
        ORDER(&order),
        OUTPUT(&output),
        ASCII(&is_ascii)};
  app_parse parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), &surface, 1);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh tetrahedralize SURFACE [OPTION VALUE]... -o NAME.vtk\n\n"
        "Fill a closed surface (.stl, .obj) with tetrahedra by the program tetgen (package tetgen).\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh tetrahedralize examples/coin.obj --resolution 2mm -o coin.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !check_output(command, output)) return BAD_INPUT;
  if (!surface) {
    fprintf(stderr, "%s: a file is missing, expected supple mesh tetrahedralize SURFACE -o NAME.vtk\n", command);
    return BAD_INPUT;
  }
  sup_mesh *mesh;
  tetgen.max_volume = sup_tetgen_volume(resolution);
  sup_status status = fill_file(surface, scale, &tetgen, &mesh);
  if (status != SUP_OK) return sup_app_report(status, 0);
  return write_mesh(mesh, order, output, is_ascii);
}

/* ---- info ---------------------------------------------------------------------------------------------------------
 */

/** Lengths in millimetres below a metre, in metres from there on. */
static void print_bounds(const sup_mesh *mesh) {
  sup_v3 lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  double largest = fmax(upper.x - lower.x, fmax(upper.y - lower.y, upper.z - lower.z));
  int    small = largest < 1;
  double scale = small ? 1e3 : 1;
  printf("  bounds       x %g .. %g, y %g .. %g, z %g .. %g %s\n", scale * lower.x, scale * upper.x, scale * lower.y,
         scale * upper.y, scale * lower.z, scale * upper.z, small ? "mm" : "m");
  if (largest > 10)
    printf(
        "  WARNING      the mesh is %g m large; coordinates are metres here: is the file in millimetres? (scale it by "
        "0.001)\n",
        largest);
}

static const char *quality_word(sup_cell_type type) {
  static const char *const words[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = "volume against edge lengths",
      [SUP_CELL_H8] = "smallest scaled Jacobian of the corners",
      [SUP_CELL_T10] = "volume against edge lengths, times the smallest Jacobian over the straight one"};
  return words[type];
}

static void print_quality(const sup_mesh *mesh) {
  enum { BINS = 10, BAR = 40 };
  int    bin[BINS] = {0}, worst = 0, most = 1;
  double mean = 0, lowest = 2;
  for (int c = 0; c < mesh->num_cells; c++) {
    double q = sup_mesh_cell_quality(mesh, c);
    int    b = (int)(q * BINS);
    bin[b < 0 ? 0 : b >= BINS ? BINS - 1 : b]++;
    mean += q / mesh->num_cells;
    if (q < lowest) lowest = q, worst = c;
  }
  printf("  quality      lowest %.3f (cell %d), mean %.3f; 1 is best (%s)\n", lowest, worst, mean,
         quality_word(mesh->type));
  for (int b = 0; b < BINS; b++) most = bin[b] > most ? bin[b] : most;
  for (int b = 0; b < BINS; b++) {
    int length = (int)((double)bin[b] * BAR / most + 0.999);
    printf("    %.1f - %.1f  %8d  %.*s\n", 0.1 * b, 0.1 * (b + 1), bin[b], length,
           "########################################");
  }
}

/** Cells without a vertex inside: where a pressure field that vanishes on the surface vanishes altogether. */
static sup_status count_surface_cells(const sup_mesh *mesh, const sup_surface *surface, int *count) {
  unsigned char *is_outer = NULL;
  int            n = sup_cell_num_vertices(mesh->type);
  *count = 0;
  SUP_TRY(SUP_CALLOC(is_outer, mesh->num_vertices));
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++) is_outer[surface->face[i]] = 1;
  for (int c = 0; c < mesh->num_cells; c++) {
    int outer = 0;
    for (int a = 0; a < n; a++) outer += is_outer[sup_mesh_cell(mesh, c)[a]];
    *count += outer == n;
  }
  SUP_FREE(is_outer);
  return SUP_OK;
}

static sup_status print_surface(const sup_mesh *mesh) {
  sup_surface *surface = NULL;
  int          open_edges, on_surface;
  sup_status   status;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  SUP_TRY_GOTO(sup_surface_open_edges(surface, &open_edges), status, done);
  SUP_TRY_GOTO(count_surface_cells(mesh, surface, &on_surface), status, done);
  printf("  surface      %d %s, area %.6g cm^2, ", surface->num_faces,
         surface->vertices_per_face == 3 ? "triangles" : "quads", 1e4 * sup_surface_area(surface, mesh->x, NULL));
  if (open_edges == 0)
    printf("closed\n");
  else
    printf("NOT closed: %d edges are passed more often in one direction\n", open_edges);
  printf("  thin         %d cells (%.0f %%) have all their vertices on the surface\n", on_surface,
         100.0 * on_surface / mesh->num_cells);
done:
  sup_surface_destroy(&surface);
  return status;
}

static const char *plural(sup_cell_type type) {
  static const char *const words[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = "tetrahedra", [SUP_CELL_H8] = "hexahedra", [SUP_CELL_T10] = "quadratic tetrahedra"};
  return words[type];
}

static int mesh_info(int argc, char **argv) {
  static const char command[] = "supple mesh info";
  const char       *path = NULL;
  app_parse         parsed = app_parse_options(argc, argv, command, NULL, 0, &path, 1);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh info FILE.vtk\n\n"
        "Read a mesh of tetrahedra, linear or quadratic, or hexahedra (legacy VTK) and say what it is: size, volume, "
        "surface, quality.\n");
    sup_app_print_example(stdout, "mesh info meshes/finray_h8.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD) return BAD_INPUT;
  if (!path) {
    fprintf(stderr, "%s: a file is missing, expected supple mesh info FILE.vtk\n", command);
    return BAD_INPUT;
  }
  static sup_mesh_report report; /* large */
  sup_mesh              *mesh;
  sup_status             status = sup_mesh_read(&mesh, path, &report);
  sup_mesh_repair        repair = report.repair;
  if (status != SUP_OK) return sup_app_report(status, 0);
  printf("%s\n  cells        %d %s (%s), %d vertices\n", path, mesh->num_cells, sup_cell_name(mesh->type),
         plural(mesh->type), mesh->num_vertices);
  if (repair.cells_reoriented > 0) printf("  mended       %d inverted cells turned\n", repair.cells_reoriented);
  if (repair.vertices_removed > 0)
    printf("  mended       %d vertices without a cell left out\n", repair.vertices_removed);
  printf("  volume       %.6g cm^3\n", 1e6 * sup_mesh_volume(mesh));
  print_bounds(mesh);
  status = print_surface(mesh);
  if (status == SUP_OK) print_quality(mesh);
  sup_mesh_destroy(&mesh);
  return status == SUP_OK ? DONE : sup_app_report(status, 0);
}

/* ---- convert ----------------------------------------------------------------------------------------------------- */

static int mesh_convert(int argc, char **argv) {
  static const char command[] = "supple mesh convert";
  double            scale = 1;
  int               order = 1, is_ascii = 0;
  const char       *output = NULL, *path = NULL;
  const app_option  options[] = {ORDER(&order), NUMBER("--scale", &scale, "factor of all coordinates"), OUTPUT(&output),
                                 ASCII(&is_ascii)};
  app_parse         parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), &path, 1);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh convert FILE.vtk [OPTION VALUE]... -o NAME.vtk\n\n"
        "Give tetrahedra another order: 2 puts a vertex into the middle of each edge, 1 takes the eight straight "
        "parts\n"
        "that the vertices of a quadratic one span.\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh convert meshes/finray_s_t4.vtk --order 2 -o finger.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !check_output(command, output)) return BAD_INPUT;
  if (!path) {
    fprintf(stderr, "%s: a file is missing, expected supple mesh convert FILE.vtk -o NAME.vtk\n", command);
    return BAD_INPUT;
  }
  sup_mesh  *mesh;
  sup_status status = sup_vtk_read_mesh(&mesh, path, NULL);
  if (status != SUP_OK) return sup_app_report(status, 0);
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] *= scale;
  return write_mesh(mesh, order, output, is_ascii);
}

/* ---- supple mesh --------------------------------------------------------------------------------------------------
 */

static const struct {
  const char *name, *help;
  int (*run)(int argc, char **argv);
} subcommands[] = {{"finray", "make a FinRay finger", mesh_finray},
                   {"box", "make a box", mesh_box},
                   {"tetrahedralize", "fill a closed surface with tetrahedra", mesh_tetrahedralize},
                   {"convert", "change the order of tetrahedra", mesh_convert},
                   {"info", "say what a mesh file holds", mesh_info}};

static void print_help(FILE *out) {
  fprintf(out, "usage: supple mesh SUBCOMMAND ...\n\nGenerate and inspect volume meshes.\n\n");
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
    if (strcmp(argv[1], subcommands[i].name) == 0) return subcommands[i].run(argc - 1, argv + 1);
    names[i] = subcommands[i].name;
  }
  int nearest = sup_text_nearest(argv[1], names, COUNT_OF(subcommands));
  fprintf(stderr, "supple mesh: unknown subcommand '%s'", argv[1]);
  if (nearest != SUP_NONE) fprintf(stderr, "; did you mean %s?", names[nearest]);
  fprintf(stderr, " (known: finray, box, tetrahedralize, convert, info)\n");
  return BAD_INPUT;
}
