#include "mesh/format/mesh_write.h"

#include <ctype.h>
#include <locale.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/log.h"
#include "mesh/named_set.h"

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
    sup_file_print(file, "%d", i + 1);
    for (int k = 0; k < 3; k++) {
      fputs(separator, file);
      put_number(file, mesh->x[3 * (size_t)i + (size_t)k], width);
    }
    fputs("\n", file);
  }
}

/** "vertex[separator]vertex...", end of line; order (NULL: VTK's) says which vertex comes where. */
static void put_cell(FILE *file, const sup_mesh *mesh, int c, const char *separator,
                     const int *order) {
  int n = sup_cell_num_vertices(mesh->type);
  for (int a = 0; a < n; a++)
    sup_file_print(file, "%d%s", sup_mesh_cell(mesh, c)[order ? order[a] : a] + 1,
                   a + 1 < n ? separator : "\n");
}

/** Lines "number[separator]vertex[separator]vertex..."; order: as of put_cell. */
static void put_cells(FILE *file, const sup_mesh *mesh, const char *separator, const int *order) {
  for (int c = 0; c < mesh->num_cells; c++) {
    sup_file_print(file, "%d%s", c + 1, separator);
    put_cell(file, mesh, c, separator, order);
  }
}

typedef void put_function(FILE *file, const sup_mesh *mesh);

enum {
  FIELD_WIDTH = 24,       /* width of any number with 17 digits */
  ABAQUS_FIELD_WIDTH = 20 /* width of numbers in CalculiX, which drops exponents beyond it */
};

const int sup_gmsh_t10_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
const int sup_tetgen_t10_order[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

/** The number of the physical group of cell c, the first set that holds it; 0: none. */
static int group_of(const sup_mesh *mesh, int c) {
  for (int s = 0; s < mesh->num_sets; s++)
    if (mesh->set[s].kind == SUP_SET_CELLS && mesh->set[s].member[c]) return s + 1;
  return 0;
}

/** Physical groups have the number of their set, from 1, and so do the entities of the geometry
 * that belong to them: Gmsh puts all of an entity into a group. */
static void put_gmsh_cells(FILE *file, const sup_mesh *mesh) {
  static const int type[] = {[SUP_CELL_T4] = 4, [SUP_CELL_H8] = 5, [SUP_CELL_T10] = 11};
  for (int c = 0; c < mesh->num_cells; c++) {
    int group = group_of(mesh, c);
    sup_file_print(file, "%d %d 2 %d %d ", c + 1, type[mesh->type], group,
                   mesh->num_sets == 0 ? 1 : group);
    put_cell(file, mesh, c, " ", mesh->type == SUP_CELL_T10 ? sup_gmsh_t10_order : NULL);
  }
}

/** The vertices of sets as elements of one point; returns how many there are.
 *  @param[in] file  NULL: count only */
static int put_gmsh_points(FILE *file, const sup_mesh *mesh) {
  int count = 0;
  for (int s = 0; s < mesh->num_sets; s++)
    for (int i = 0; i < mesh->num_vertices && mesh->set[s].kind == SUP_SET_VERTICES; i++) {
      if (!mesh->set[s].member[i]) continue;
      count++;
      if (file)
        sup_file_print(file, "%d 15 2 %d %d %d\n", mesh->num_cells + count, s + 1, s + 1, i + 1);
    }
  return count;
}

static void put_gmsh(FILE *file, const sup_mesh *mesh) {
  sup_file_print(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
  if (mesh->num_sets > 0) sup_file_print(file, "$PhysicalNames\n%d\n", mesh->num_sets);
  for (int s = 0; s < mesh->num_sets; s++)
    sup_file_print(file, "%d %d \"%s\"\n", mesh->set[s].kind == SUP_SET_CELLS ? 3 : 0, s + 1,
                   mesh->set[s].name);
  if (mesh->num_sets > 0) sup_file_print(file, "$EndPhysicalNames\n");
  sup_file_print(file, "$Nodes\n%d\n", mesh->num_vertices);
  put_points(file, mesh, " ", FIELD_WIDTH);
  sup_file_print(file, "$EndNodes\n$Elements\n%d\n", mesh->num_cells + put_gmsh_points(NULL, mesh));
  put_gmsh_cells(file, mesh);
  put_gmsh_points(file, mesh);
  fputs("$EndElements\n", file);
}

/** Write quotes only where needed, since CalculiX reads them as part of the name. */
static bool is_plain(const char *name) {
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-') return 0;
  return 1;
}

/** *NSET and *ELSET, up to sixteen numbers a line. */
static void put_abaqus_sets(FILE *file, const sup_mesh *mesh) {
  for (int s = 0; s < mesh->num_sets; s++) {
    const sup_named_set *set = &mesh->set[s];
    const char          *word = set->kind == SUP_SET_CELLS ? "ELSET" : "NSET";
    const char          *quote = is_plain(set->name) ? "" : "\"";
    int                  count = 0;
    sup_file_print(file, "*%s, %s=%s%s%s\n", word, word, quote, set->name, quote);
    for (int i = 0; i < sup_mesh_set_size(mesh, set->kind); i++)
      if (set->member[i])
        sup_file_print(file, count++ == 0 ? "%d" : count % 16 == 1 ? ",\n%d" : ", %d", i + 1);
    sup_file_print(file, "\n");
  }
}

static void put_abaqus(FILE *file, const sup_mesh *mesh) {
  static const char *const type[] = {
      [SUP_CELL_T4] = "C3D4", [SUP_CELL_H8] = "C3D8I", [SUP_CELL_T10] = "C3D10"};
  /* a set of the mesh with this name takes precedence */
  bool has_nall = sup_mesh_find_set(mesh, SUP_SET_VERTICES, "NALL") != NULL;
  bool has_eall = sup_mesh_find_set(mesh, SUP_SET_CELLS, "EALL") != NULL;
  sup_file_print(file, "*HEADING\nSupple mesh: %d nodes, %d elements; metres\n*NODE%s\n",
                 mesh->num_vertices, mesh->num_cells, has_nall ? "" : ", NSET=NALL");
  put_points(file, mesh, ", ", ABAQUS_FIELD_WIDTH);
  sup_file_print(file, "*ELEMENT, TYPE=%s%s\n", type[mesh->type], has_eall ? "" : ", ELSET=EALL");
  put_cells(file, mesh, ", ", NULL);
  put_abaqus_sets(file, mesh);
}

static void put_node(FILE *file, const sup_mesh *mesh) {
  sup_file_print(file, "%d 3 0 0\n", mesh->num_vertices);
  put_points(file, mesh, " ", FIELD_WIDTH);
}

static void put_ele(FILE *file, const sup_mesh *mesh) {
  sup_file_print(file, "%d %d 0\n", mesh->num_cells, sup_cell_num_vertices(mesh->type));
  put_cells(file, mesh, " ", mesh->type == SUP_CELL_T10 ? sup_tetgen_t10_order : NULL);
}

static sup_status write_file(const sup_mesh *mesh, const char *path, put_function *put) {
  sup_file_writer out;
  SUP_TRY(sup_file_open(&out, path));
  /* no reader accepts decimal commas */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c_locale);
  put(out.file, mesh);
  uselocale(old);
  if (c_locale) freelocale(c_locale);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

/** A cell of 2.2 has one physical group. */
static void note_shared_cells(const sup_mesh *mesh, const char *path) {
  for (int s = 0; s < mesh->num_sets; s++)
    for (int c = 0; c < mesh->num_cells && mesh->set[s].kind == SUP_SET_CELLS; c++) {
      int group = group_of(mesh, c);
      if (!mesh->set[s].member[c] || group == s + 1) continue;
      sup_log(SUP_LOG_WARNING,
              "%s: the sets '%s' and '%s' share cells, which Gmsh's groups of a .msh 2.2 cannot: "
              "they stay in the first; .vtk and .inp keep both",
              path, mesh->set[group - 1].name, mesh->set[s].name);
      break;
    }
}

sup_status sup_gmsh_write_mesh(const sup_mesh *mesh, const char *path) {
  note_shared_cells(mesh, path);
  SUP_TRY(write_file(mesh, path, put_gmsh));
  return SUP_OK;
}

sup_status sup_abaqus_write_mesh(const sup_mesh *mesh, const char *path) {
  SUP_TRY(write_file(mesh, path, put_abaqus));
  return SUP_OK;
}

sup_status sup_tetgen_write_mesh(const sup_mesh *mesh, const char *path) {
  char other[4096];
  int is_ele = strcasecmp(strrchr(path, '.'), ".ele") == 0, stem = (int)(strrchr(path, '.') - path);
  if (mesh->type == SUP_CELL_H8)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: found %s cells, expected T4 or T10: TetGen's files hold tetrahedra", path,
                    sup_cell_name(mesh->type));
  if (snprintf(other, sizeof other, "%.*s%s", stem, path, is_ele ? ".node" : ".ele") >=
      (int)sizeof other)
    return SUP_FAIL(SUP_E_ARG, "the path %.60s... is too long", path);
  if (mesh->num_sets > 0)
    sup_log(SUP_LOG_WARNING,
            "%s: %d named sets are left out: TetGen's files have no names; .vtk, .msh and .inp "
            "keep them",
            path, mesh->num_sets);
  SUP_TRY(write_file(mesh, is_ele ? other : path, put_node));
  SUP_TRY(write_file(mesh, is_ele ? path : other, put_ele));
  return SUP_OK;
}
