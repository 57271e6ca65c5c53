/* Meshes from one file to another: formats, order, units, refinement. */
#include <stdio.h>
#include <string.h>

#include "app/mesh_command.h"
#include "mesh/convert.h"
#include "mesh/mesh_file.h"
#include "mesh/refine.h"

const char *const sup_app_mesh_orders[NUM_ORDERS] = {"same", "1", "2"};

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
  printf("%s: %d %s cells, %d vertices, volume %.6g cm^3\n", path, mesh->num_cells,
         sup_cell_name(mesh->type), mesh->num_vertices, 1e6 * sup_mesh_volume(mesh));
  sup_mesh_destroy(&mesh);
  return DONE;
}

/** Read the mesh of a file; notes are printed.  Returns the exit code. */
static int read_mesh(const char *path, sup_mesh **mesh) {
  static sup_mesh_report report; /* large */
  char                   text[512];
  sup_status             status = sup_mesh_read(mesh, path, &report);
  if (status != SUP_OK) return sup_app_report(status, 0);
  sup_mesh_report_text(&report, text, sizeof text);
  if (text[0]) printf("%s: %s\n", path, text);
  return DONE;
}

int sup_app_mesh_convert(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh convert", "FILE",
      "Write a mesh in another format: legacy VTK (.vtk), Gmsh (.msh), Abaqus and CalculiX (.inp), "
      "TetGen (.node with\n"
      ".ele), in and out.  Tetrahedra may change their order: 2 puts a vertex into the middle of "
      "each edge, 1 takes\n"
      "the eight straight parts that the vertices of a quadratic one span.\n",
      "mesh convert meshes/finray_h8.vtk -o finger.inp"};
  double           scale = 1;
  int              order = ORDER_SAME, is_ascii = 0;
  const char      *output = NULL, *path = NULL;
  sup_mesh        *mesh;
  const app_option options[] = {
      ORDER(&order, sup_app_mesh_orders, NUM_ORDERS),
      NUMBER("--scale", &scale, "factor of all coordinates: 0.001 for a file in millimetres"),
      OUTPUT(&output), ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &path);
  if (code != SUP_NONE) return code;
  code = read_mesh(path, &mesh);
  if (code != DONE) return code;
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] *= scale;
  return sup_app_mesh_write(mesh, order, output, is_ascii);
}

int sup_app_mesh_refine(int argc, char **argv) {
  static const sup_mesh_words words = {"supple mesh refine", "FILE",
                                       "Cut each cell into eight through the middles of its edges. "
                                       " The body keeps its shape: finer meshes of a ladder\n"
                                       "differ in nothing but the size of their cells.\n",
                                       "mesh refine meshes/finray_h8.vtk --levels 1 -o finger.vtk"};
  int                         levels = 1, is_ascii = 0;
  const char                 *output = NULL, *path = NULL;
  sup_mesh                   *mesh;
  const app_option options[] = {COUNT("--levels", &levels, "how many times"), OUTPUT(&output),
                                ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &path);
  if (code != SUP_NONE) return code;
  if (levels < 0) {
    fprintf(stderr, "%s: found %d for --levels, expected 0 or more\n", words.command, levels);
    return BAD_INPUT;
  }
  code = read_mesh(path, &mesh);
  if (code != DONE) return code;
  sup_status status = sup_mesh_refine_levels(&mesh, levels);
  if (status != SUP_OK) {
    sup_mesh_destroy(&mesh);
    return sup_app_report(status, 0);
  }
  return sup_app_mesh_write(mesh, ORDER_SAME, output, is_ascii);
}
