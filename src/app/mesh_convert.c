/* Meshes from one file to another: formats, order, units, refinement. */
#include <stdio.h>
#include <string.h>

#include "app/mesh_command.h"
#include "mesh/convert.h"
#include "mesh/mesh_file.h"
#include "mesh/refine.h"

const char *const sup_app_mesh_orders[NUM_ORDERS] = {"same", "1", "2"};

int sup_app_mesh_check_output(const char *command, const char *path) {
  if (path && sup_mesh_is_file_name(path)) return 1;
  if (path)
    fprintf(stderr, "%s: found '%s' for -o, expected a name that ends in .vtk, .msh, .inp or .node\n", command, path);
  else
    fprintf(stderr, "%s: -o is missing, expected the file to write: -o NAME.vtk\n", command);
  return 0;
}

int sup_app_mesh_write(sup_mesh *given, int order, const char *path, int is_ascii) {
  sup_mesh  *mesh = given;
  sup_status status = SUP_OK;
  if (order == ORDER_QUADRATIC) status = sup_mesh_to_t10(&mesh, given);
  if (order == ORDER_LINEAR && given->type == SUP_CELL_T10) status = sup_mesh_to_t4(&mesh, given);
  if (status == SUP_OK) status = sup_mesh_write(mesh, path, !is_ascii);
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

/** Read the mesh of a file that a command names; notes are printed.  Returns the exit code. */
static int read_mesh(const char *command, const char *path, double scale, sup_mesh **mesh) {
  static sup_mesh_report report; /* large */
  char                   text[512];
  if (!path) {
    fprintf(stderr, "%s: a file is missing, expected %s FILE -o NAME.vtk\n", command, command);
    return BAD_INPUT;
  }
  sup_status status = sup_mesh_read(mesh, path, &report);
  if (status != SUP_OK) return sup_app_report(status, 0);
  sup_mesh_report_text(&report, text, sizeof text);
  if (text[0]) printf("%s: %s\n", path, text);
  for (int i = 0; i < 3 * (*mesh)->num_vertices; i++) (*mesh)->x[i] *= scale;
  return DONE;
}

int sup_app_mesh_convert(int argc, char **argv) {
  static const char command[] = "supple mesh convert";
  double            scale = 1;
  int               order = ORDER_SAME, is_ascii = 0;
  const char       *output = NULL, *path = NULL;
  sup_mesh         *mesh;
  const app_option  options[] = {ORDER(&order, sup_app_mesh_orders, NUM_ORDERS),
                                 NUMBER("--scale", &scale, "factor of all coordinates: 0.001 for a file in millimetres"),
                                 OUTPUT(&output), ASCII(&is_ascii)};
  app_parse         parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), &path, 1);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh convert FILE [OPTION VALUE]... -o NAME.vtk\n\n"
        "Write a mesh in another format: legacy VTK (.vtk), Gmsh (.msh), Abaqus and CalculiX (.inp), TetGen (.node "
        "with\n"
        ".ele), in and out.  Tetrahedra may change their order: 2 puts a vertex into the middle of each edge, 1 takes\n"
        "the eight straight parts that the vertices of a quadratic one span.\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh convert meshes/finray_h8.vtk -o finger.inp");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !sup_app_mesh_check_output(command, output)) return BAD_INPUT;
  int code = read_mesh(command, path, scale, &mesh);
  if (code != DONE) return code;
  return sup_app_mesh_write(mesh, order, output, is_ascii);
}

int sup_app_mesh_refine(int argc, char **argv) {
  static const char command[] = "supple mesh refine";
  int               levels = 1, is_ascii = 0;
  const char       *output = NULL, *path = NULL;
  sup_mesh         *mesh;
  const app_option  options[] = {COUNT("--levels", &levels, "how many times"), OUTPUT(&output), ASCII(&is_ascii)};
  app_parse         parsed = app_parse_options(argc, argv, command, options, COUNT_OF(options), &path, 1);
  if (parsed == APP_PARSE_HELP) {
    printf(
        "usage: supple mesh refine FILE [OPTION VALUE]... -o NAME.vtk\n\n"
        "Cut each cell into eight through the middles of its edges.  The body keeps its shape: finer meshes of a "
        "ladder\n"
        "differ in nothing but the size of their cells.\n\n");
    app_print_options(options, COUNT_OF(options));
    sup_app_print_example(stdout, "mesh refine meshes/finray_h8.vtk --levels 1 -o finger.vtk");
    return DONE;
  }
  if (parsed == APP_PARSE_BAD || !sup_app_mesh_check_output(command, output)) return BAD_INPUT;
  if (levels < 0) {
    fprintf(stderr, "%s: found %d for --levels, expected 0 or more\n", command, levels);
    return BAD_INPUT;
  }
  int code = read_mesh(command, path, 1, &mesh);
  if (code != DONE) return code;
  sup_status status = sup_mesh_refine_levels(&mesh, levels);
  if (status != SUP_OK) {
    sup_mesh_destroy(&mesh);
    return sup_app_report(status, 0);
  }
  return sup_app_mesh_write(mesh, ORDER_SAME, output, is_ascii);
}
