/* Meshes from one file to another: formats, order, units, refinement. */
#include <stdio.h>
#include <string.h>

#include "app/mesh/mesh_command.h"
#include "app/ranks.h"
#include "mesh/distribute/refine_part.h"
#include "mesh/format/convert.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/vtk.h"
#include "mesh/refine.h"

const char *const sup_app_mesh_orders[NUM_ORDERS] = {"same", "1", "2"};

int sup_app_mesh_write(sup_mesh *given, int order, const char *path, bool is_ascii) {
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

/** NAME.vtk -> NAME_rank<R>.vtk */
static void name_of_rank(const char *output, int rank, char *path, size_t size) {
  const char *dot = strrchr(output, '.');
  snprintf(path, size, "%.*s_rank%d%s", (int)(dot - output), output, rank, dot);
}

sup_status sup_app_mesh_check_pieces(const char *output) {
  const char *dot = strrchr(output, '.');
  if (!dot || strcmp(dot, ".vtk") != 0)
    return SUP_FAIL(SUP_E_ARG, "-o %s: several ranks write .vtk alone", output);
  return SUP_OK;
}

sup_status sup_app_mesh_write_piece(const sup_mesh_piece *piece, const char *output,
                                    bool is_ascii) {
  const sup_collective *ranks = sup_app_ranks();
  char                  path[4096];
  double                volume = sup_mesh_volume(piece->mesh);
  name_of_rank(output, ranks->rank, path, sizeof path);
  SUP_TRY(sup_agree(ranks, sup_vtk_write_piece(piece, path, !is_ascii)));
  volume = sup_sum_of_ranks(ranks, volume);
  name_of_rank(output, 0, path, sizeof path);
  printf("%s and %d more: %d %s cells, %d vertices, volume %.6g cm^3\n", path, ranks->size - 1,
         piece->num_cells, sup_cell_name(piece->mesh->type), piece->num_vertices, 1e6 * volume);
  return SUP_OK;
}

/** Each rank reads the file, keeps its own cells, refines and writes them. */
static sup_status refine_on_ranks(sup_mesh **mesh, const sup_collective *ranks, int levels,
                                  const char *output, bool is_ascii) {
  sup_mesh_piece *piece = NULL;
  SUP_TRY(sup_app_mesh_check_pieces(output));
  sup_status status = sup_agree(ranks, sup_mesh_piece_create(&piece, *mesh, ranks));
  sup_mesh_destroy(mesh);
  if (status == SUP_OK) status = sup_mesh_piece_refine(piece, levels, ranks);
  if (status == SUP_OK) status = sup_app_mesh_write_piece(piece, output, is_ascii);
  sup_mesh_piece_destroy(&piece);
  return status;
}

int sup_app_mesh_refine(int argc, char **argv) {
  static const sup_mesh_words words = {"supple mesh refine", "FILE",
                                       "Cut each cell into eight through the middles of its edges. "
                                       " The body keeps its shape: finer meshes of a ladder\n"
                                       "differ in nothing but the size of their cells.\n"
                                       "`mpiexec -n N supple mesh refine ..` shares the cells "
                                       "among N processes; each writes its own,\n"
                                       "NAME_rank0.vtk and so on, which postproc/gather.py "
                                       "joins.\n",
                                       "mesh refine meshes/finray_h8.vtk --levels 1 -o finger.vtk"};
  int                         levels = 1, is_ascii = 0;
  const char                 *output = NULL, *path = NULL;
  sup_mesh                   *mesh;
  const app_option            options[] = {COUNT("--levels", &levels, "number of refinements"),
                                           OUTPUT(&output), ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &path);
  if (code != SUP_NONE) return code;
  if (levels < 0) {
    fprintf(stderr, "%s: found %d for --levels, expected 0 or more\n", words.command, levels);
    return BAD_INPUT;
  }
  code = read_mesh(path, &mesh);
  if (code != DONE) return code;
  const sup_collective *ranks = sup_app_ranks();
  if (ranks) {
    sup_status failure = refine_on_ranks(&mesh, ranks, levels, output, is_ascii);
    return failure == SUP_OK ? DONE : sup_app_report(failure, 0);
  }
  sup_status status = sup_mesh_refine_levels(&mesh, levels);
  if (status != SUP_OK) {
    sup_mesh_destroy(&mesh);
    return sup_app_report(status, 0);
  }
  return sup_app_mesh_write(mesh, ORDER_SAME, output, is_ascii);
}
