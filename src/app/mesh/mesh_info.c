/* Properties of a mesh: size, surface, walls, quality. */
#include <math.h>
#include <stdio.h>

#include "app/app_numerics.h"
#include "app/mesh/mesh_command.h"
#include "base/memory.h"
#include "geom/wall.h"
#include "mesh/cell.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "mesh/named_set.h"
#include "mesh/surface.h"
#include "mesh/thin.h"

void sup_app_print_bounds(sup_v3 lower, sup_v3 upper) {
  double largest = fmax(upper.x - lower.x, fmax(upper.y - lower.y, upper.z - lower.z));
  int    small = largest < 1;
  double scale = small ? 1e3 : 1;
  printf("  bounds       x %g .. %g, y %g .. %g, z %g .. %g %s\n", scale * lower.x, scale * upper.x,
         scale * lower.y, scale * upper.y, scale * lower.z, scale * upper.z, small ? "mm" : "m");
  if (largest > 10)
    printf(
        "  WARNING      the mesh is %g m large; coordinates are metres here: is the file in "
        "millimetres? (scale it by 0.001)\n",
        largest);
}

static const char *quality_word(sup_cell_type type) {
  static const char *const words[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = "volume against edge lengths",
      [SUP_CELL_H8] = "smallest scaled Jacobian of the corners",
      [SUP_CELL_T10] =
          "volume against edge lengths, times the smallest Jacobian over the straight one"};
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
  printf("  quality      lowest %.3f (cell %d from 0), mean %.3f; 1 is best (%s)\n", lowest, worst,
         mean, quality_word(mesh->type));
  for (int b = 0; b < BINS; b++) most = bin[b] > most ? bin[b] : most;
  for (int b = 0; b < BINS; b++) {
    int length = (int)((double)bin[b] * BAR / most + 0.999);
    printf("    %.1f - %.1f  %8d%s%.*s\n", 0.1 * b, 0.1 * (b + 1), bin[b], length ? "  " : "",
           length, "########################################");
  }
}

/** Cells without a vertex inside: where a pressure field that vanishes on the surface vanishes
 * altogether. */
static sup_status count_surface_cells(const sup_mesh *mesh, const sup_surface *surface,
                                      int *count) {
  unsigned char *is_outer = NULL;
  int            n = sup_cell_num_vertices(mesh->type);
  *count = 0;
  SUP_TRY(SUP_CALLOC(is_outer, mesh->num_vertices));
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++)
    is_outer[surface->face[i]] = 1;
  for (int c = 0; c < mesh->num_cells; c++) {
    int outer = 0;
    for (int a = 0; a < n; a++) outer += is_outer[sup_mesh_cell(mesh, c)[a]];
    *count += outer == n;
  }
  SUP_FREE(is_outer);
  return SUP_OK;
}

static sup_status print_surface(const sup_mesh *mesh) {
  SUP_OWN(sup_surface) *surface = NULL;
  sup_wall              wall;
  int                   open_edges, on_surface;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  SUP_TRY(sup_surface_open_edges(surface, &open_edges));
  SUP_TRY(count_surface_cells(mesh, surface, &on_surface));
  printf("  surface      %d %s, area %.6g cm^2, ", surface->num_faces,
         surface->vertices_per_face == 3 ? "triangles" : "quads",
         1e4 * sup_surface_area(surface, mesh->x, NULL));
  if (open_edges == 0)
    printf("closed\n");
  else
    printf("NOT closed: %d edges are passed more often in one direction\n", open_edges);
  printf("  thin         %d cells (%.0f %%) have all their vertices on the surface\n", on_surface,
         100.0 * on_surface / mesh->num_cells);
  SUP_TRY(sup_wall_measure(&wall, mesh, surface));
  if (wall.num_samples > 0)
    printf(
        "  walls        %.2g cells through at the thinnest, near (%.4g, %.4g, %.4g) m, %.2g in the "
        "median\n",
        wall.least, wall.where.x, wall.where.y, wall.where.z, wall.median);
  return SUP_OK;
}

/** Bricks that are stiff in bending as soon as their layer is curved or they are no rectangles. */
static sup_status print_layers(const sup_mesh *mesh) {
  sup_thin_bricks thin;
  SUP_TRY(sup_thin_bricks_find(mesh, &thin));
  if (thin.aspect < sup_app_numerics.locks) return SUP_OK;
  printf(
      "  layers       %d cells are a layer of one, up to 1:%.0f thin (%.3g mm)\n"
      "               'element: solid_shell' in the scene keeps them from locking in bending\n",
      thin.single, thin.aspect, 1e3 * thin.thickness);
  return SUP_OK;
}

static void print_sets(const sup_mesh *mesh) {
  for (int s = 0; s < mesh->num_sets; s++) {
    const sup_named_set *set = &mesh->set[s];
    printf("  %-12s %-16s %d %s\n", s == 0 ? "named sets" : "", set->name,
           sup_mesh_count_set(mesh, set), set->kind == SUP_SET_CELLS ? "cells" : "vertices");
  }
}

static const char *plural(sup_cell_type type) {
  static const char *const words[SUP_NUM_CELL_TYPES] = {[SUP_CELL_T4] = "tetrahedra",
                                                        [SUP_CELL_H8] = "hexahedra",
                                                        [SUP_CELL_T10] = "quadratic tetrahedra"};
  return words[type];
}

static int print_info(const char *path, const sup_mesh *mesh, const sup_mesh_report *report) {
  char   text[512];
  int    parts;
  sup_v3 lower, upper;
  printf("%s\n  cells        %d %s (%s), %d vertices\n", path, mesh->num_cells,
         sup_cell_name(mesh->type), plural(mesh->type), mesh->num_vertices);
  sup_mesh_report_text(report, text, sizeof text);
  if (text[0]) printf("  file         %s\n", text);
  sup_status status = sup_mesh_count_parts(mesh, &parts);
  if (status != SUP_OK) return sup_app_report(status, 0);
  printf("  parts        %d%s\n  volume       %.6g cm^3\n", parts,
         parts > 1 ? ", which share no vertex" : "", 1e6 * sup_mesh_volume(mesh));
  sup_mesh_bounds(mesh, &lower, &upper);
  sup_app_print_bounds(lower, upper);
  status = print_surface(mesh);
  if (status == SUP_OK) status = print_layers(mesh);
  if (status != SUP_OK) return sup_app_report(status, 0);
  print_sets(mesh);
  print_quality(mesh);
  return DONE;
}

int sup_app_mesh_info(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh info", "FILE",
      "Read a mesh of tetrahedra, linear or quadratic, or hexahedra (.vtk, .msh, .inp, .mesh, "
      ".node with "
      ".ele) and say what\n"
      "it is: size, volume, surface, named sets, cells through its walls, quality.  Of a surface "
      "(.stl, "
      ".obj, .ply, .msh, .mesh): size,\n"
      "edges, whether it is closed, its holes, where it cuts itself.\n",
      "mesh info meshes/finray_h8.vtk"};
  static sup_mesh_report report; /* large */
  const char            *path = NULL;
  sup_mesh              *mesh;
  int                    code = sup_app_mesh_parse(argc, argv, &words, NULL, 0, NULL, &path);
  if (code != SUP_NONE) return code;
  if (sup_surface_is_all(path)) return sup_app_surface_info(path);
  sup_status status = sup_mesh_read(&mesh, path, &report);
  if (status != SUP_OK) return sup_app_report(status, 0);
  code = print_info(path, mesh, &report);
  sup_mesh_destroy(&mesh);
  return code;
}
