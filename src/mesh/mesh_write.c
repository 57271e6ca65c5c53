#include "mesh/mesh_write.h"

#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

static void put_text(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(FILE *file, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(file, format, args);
  va_end(args);
}

/** A number with as many of its 17 digits as `width` characters hold. */
static void put_number(FILE *file, double value, int width) {
  char text[32];
  int  digits = 17;
  while (snprintf(text, sizeof text, "%.*g", digits, value) > width) digits--;
  fputs(text, file);
}

/** Lines "number[separator]x[separator]y[separator]z". */
static void put_points(FILE *file, const sup_mesh *mesh, const char *separator, int width) {
  for (int i = 0; i < mesh->num_vertices; i++) {
    put_text(file, "%d", i + 1);
    for (int k = 0; k < 3; k++) {
      fputs(separator, file);
      put_number(file, mesh->x[3 * (size_t)i + (size_t)k], width);
    }
    fputs("\n", file);
  }
}

/** Lines "number[after]vertex[separator]vertex..."; order (NULL: VTK's) says which vertex comes where. */
static void put_cells(FILE *file, const sup_mesh *mesh, const char *after, const char *separator, const int *order) {
  int n = sup_cell_num_vertices(mesh->type);
  for (int c = 0; c < mesh->num_cells; c++) {
    put_text(file, "%d%s", c + 1, after);
    for (int a = 0; a < n; a++)
      put_text(file, "%d%s", sup_mesh_cell(mesh, c)[order ? order[a] : a] + 1, a + 1 < n ? separator : "\n");
  }
}

typedef void put_function(FILE *file, const sup_mesh *mesh);

enum {
  FIELD_WIDTH = 24,       /* holds 17 digits of any number */
  ABAQUS_FIELD_WIDTH = 20 /* what CalculiX reads of a number: beyond it exponents get lost */
};

const int sup_gmsh_t10_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

static void put_gmsh(FILE *file, const sup_mesh *mesh) {
  /* type, two tags: no physical group, entity 1 */
  static const char *const type[] = {
      [SUP_CELL_T4] = " 4 2 0 1 ", [SUP_CELL_H8] = " 5 2 0 1 ", [SUP_CELL_T10] = " 11 2 0 1 "};
  put_text(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->num_vertices);
  put_points(file, mesh, " ", FIELD_WIDTH);
  put_text(file, "$EndNodes\n$Elements\n%d\n", mesh->num_cells);
  put_cells(file, mesh, type[mesh->type], " ", mesh->type == SUP_CELL_T10 ? sup_gmsh_t10_order : NULL);
  fputs("$EndElements\n", file);
}

static void put_abaqus(FILE *file, const sup_mesh *mesh) {
  static const char *const type[] = {[SUP_CELL_T4] = "C3D4", [SUP_CELL_H8] = "C3D8I", [SUP_CELL_T10] = "C3D10"};
  put_text(file, "*HEADING\nSupple mesh: %d nodes, %d elements; metres\n*NODE, NSET=NALL\n", mesh->num_vertices,
           mesh->num_cells);
  put_points(file, mesh, ", ", ABAQUS_FIELD_WIDTH);
  put_text(file, "*ELEMENT, TYPE=%s, ELSET=EALL\n", type[mesh->type]);
  put_cells(file, mesh, ", ", ", ", NULL);
}

static void put_node(FILE *file, const sup_mesh *mesh) {
  put_text(file, "%d 3 0 0\n", mesh->num_vertices);
  put_points(file, mesh, " ", FIELD_WIDTH);
}

static void put_ele(FILE *file, const sup_mesh *mesh) {
  put_text(file, "%d 4 0\n", mesh->num_cells);
  put_cells(file, mesh, " ", " ", NULL);
}

static sup_status write_file(const sup_mesh *mesh, const char *path, put_function *put) {
  sup_file_writer out;
  SUP_TRY(sup_file_open(&out, path));
  /* a decimal comma would end every reader */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c_locale);
  put(out.file, mesh);
  uselocale(old);
  if (c_locale) freelocale(c_locale);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

sup_status sup_gmsh_write_mesh(const sup_mesh *mesh, const char *path) {
  SUP_TRY(write_file(mesh, path, put_gmsh));
  return SUP_OK;
}

sup_status sup_abaqus_write_mesh(const sup_mesh *mesh, const char *path) {
  SUP_TRY(write_file(mesh, path, put_abaqus));
  return SUP_OK;
}

sup_status sup_tetgen_write_mesh(const sup_mesh *mesh, const char *path) {
  char other[4096];
  int  is_ele = strcasecmp(strrchr(path, '.'), ".ele") == 0, stem = (int)(strrchr(path, '.') - path);
  if (mesh->type != SUP_CELL_T4)
    return SUP_FAIL(SUP_E_ARG, "%s: found %s cells, expected T4: TetGen's files hold tetrahedra", path,
                    sup_cell_name(mesh->type));
  if (snprintf(other, sizeof other, "%.*s%s", stem, path, is_ele ? ".node" : ".ele") >= (int)sizeof other)
    return SUP_FAIL(SUP_E_ARG, "the path %.60s... is too long", path);
  SUP_TRY(write_file(mesh, is_ele ? other : path, put_node));
  SUP_TRY(write_file(mesh, is_ele ? path : other, put_ele));
  return SUP_OK;
}
