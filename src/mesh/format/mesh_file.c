/* Choice of the reader or writer of a file. */
#include "mesh/format/mesh_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/format/mesh_write.h"
#include "mesh/format/scan.h"
#include "mesh/format/surface_file.h"
#include "mesh/format/vtk.h"
#include "mesh/generate/tetgen.h"
#include "mesh/numerics.h"

typedef enum format {
  FORMAT_VTK,
  FORMAT_GMSH,
  FORMAT_ABAQUS,
  FORMAT_TETGEN,
  FORMAT_MEDIT,
  FORMAT_NONE
} format;

static format format_of_name(const char *path) {
  if (sup_text_ends_with(path, ".vtk")) return FORMAT_VTK;
  if (sup_text_ends_with(path, ".msh")) return FORMAT_GMSH;
  if (sup_text_ends_with(path, ".inp")) return FORMAT_ABAQUS;
  if (sup_text_ends_with(path, ".node") || sup_text_ends_with(path, ".ele")) return FORMAT_TETGEN;
  if (sup_text_ends_with(path, ".mesh")) return FORMAT_MEDIT;
  return FORMAT_NONE;
}

static int begins_with(const char *data, const char *text) {
  return strncasecmp(data, text, strlen(text)) == 0;
}

/** @param[in] data  ends with a zero byte */
static format format_of_content(const char *data) {
  data += strspn(data, " \t\r\n");
  if (begins_with(data, "# vtk DataFile")) return FORMAT_VTK;
  if (begins_with(data, "$MeshFormat") || begins_with(data, "$Comments")) return FORMAT_GMSH;
  if (begins_with(data, "MeshVersionFormatted")) return FORMAT_MEDIT;
  if (*data == '*') return FORMAT_ABAQUS;
  return FORMAT_NONE;
}

bool sup_mesh_is_file_name(const char *path) { return format_of_name(path) != FORMAT_NONE; }

/** Files of other programs, and the remedy to get a mesh from each. */
typedef struct foreign {
  const char *start; /* of the content */
  const char *ending;
  const char *what, *remedy;
} foreign;

static const char by_gmsh_cells[] =
    "gmsh -3 -order 2 -clmax 2 IN -o OUT.msh fills it "
    "(edges of at most 2 of the file's units)",
                  by_gmsh[] = "gmsh IN -save -o OUT.msh",
                  by_meshio[] = "meshio convert IN OUT.vtk (a program of Python)",
                  by_paraview[] = "ParaView's File > Save Data writes it as legacy .vtk";

static const foreign foreigners[] = {
    {"ISO-10303-21", ".step", "a shape (STEP)", by_gmsh_cells},
    {"ISO-10303-21", ".stp", "a shape (STEP)", by_gmsh_cells},
    {"DBRep_DrawableShape", ".brep", "a shape (BREP)", by_gmsh_cells},
    {"CASCADE Topology", ".brep", "a shape (BREP)", by_gmsh_cells},
    {NULL, ".iges", "a shape (IGES)", by_gmsh_cells},
    {NULL, ".igs", "a shape (IGES)", by_gmsh_cells},
    {NULL, ".geo", "a script of Gmsh", by_gmsh_cells},
    {NULL, ".med", "a file of MED", by_gmsh},
    {NULL, ".unv", "a file of I-deas", by_gmsh},
    {NULL, ".cgns", "a file of CGNS", by_gmsh},
    {NULL, ".bdf", "a file of Nastran", by_gmsh},
    {"CDF", ".exo", "a file of Exodus", by_meshio},
    {"\x89HDF", ".h5", "a file of HDF5", by_meshio},
    {"<VTKFile", ".vtu", "a file of VTK in XML", by_paraview}};

/** NULL: none of them. */
static const foreign *find_foreign(const char *path, const char *data) {
  enum { COUNT = sizeof foreigners / sizeof *foreigners };
  while (data[0] == ' ' || data[0] == '\n' || data[0] == '\r') data++;
  for (int i = 0; i < COUNT; i++)
    if (sup_text_ends_with(path, foreigners[i].ending)) return &foreigners[i];
  for (int i = 0; i < COUNT; i++)
    if (foreigners[i].start && begins_with(data, foreigners[i].start)) return &foreigners[i];
  return NULL;
}

static sup_status refuse(const char *path, const char *data, size_t size) {
  sup_scan    s = sup_scan_open(path, data, size);
  const char *word = data + strspn(data, " \t\r\n");
  if (sup_surface_is_file_name(path))
    return SUP_FAIL(
        SUP_E_PARSE,
        "%s: found a surface, expected a mesh of volume cells: supple mesh tetrahedralize fills it",
        path);
  const foreign *other = find_foreign(path, data);
  if (other)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: found %s, expected a mesh of .vtk, .msh, .inp, .node or .mesh: %s", path,
                    other->what, other->remedy);
  for (const char *c = data; c < word; c++) s.line += *c == '\n';
  sup_scan_set_word(&s, word, strcspn(word, " \t\r\n"));
  s.at = s.end;
  return sup_scan_unexpected(&s,
                             "the beginning of a mesh: '# vtk DataFile' (VTK), '$MeshFormat' "
                             "(Gmsh), '*' (Abaqus), 'MeshVersionFormatted' (MEDIT), or files "
                             "NAME.node and NAME.ele (TetGen)");
}

/** Read both files of a pair, of which one is named. */
static sup_status read_pair(sup_mesh **mesh, const char *path, sup_mesh_report *report) {
  char  pair[2][SUP_MESH_PATH_MAX];
  int   is_ele = sup_text_ends_with(path, ".ele"), stem = (int)(strrchr(path, '.') - path);
  char *other = report->more[0];
  for (int k = 0; k < 2; k++)
    if (snprintf(pair[k], sizeof pair[k], "%.*s%s", stem, path, k == 0 ? ".node" : ".ele") >=
        (int)sizeof pair[k])
      return SUP_FAIL(SUP_E_ARG, "the path %.60s... is too long", path);
  memcpy(pair[is_ele], path, strlen(path) + 1); /* as it was written */
  memcpy(other, pair[!is_ele], sizeof pair[0]);
  report->num_more = 1;
  SUP_TRY(sup_tetgen_read(mesh, pair[0], pair[1], report));
  return SUP_OK;
}

static sup_status parse(sup_mesh **mesh, format kind, const char *path, const char *data,
                        size_t size, sup_mesh_report *report) {
  switch (kind) {
    case FORMAT_VTK:
      return sup_vtk_parse_mesh(mesh, path, data, size, report);
    case FORMAT_GMSH:
      return sup_gmsh_parse_mesh(mesh, path, data, size, report);
    case FORMAT_ABAQUS:
      return sup_abaqus_parse_mesh(mesh, path, data, size, report);
    case FORMAT_TETGEN:
      return read_pair(mesh, path, report);
    case FORMAT_MEDIT:
      return sup_medit_parse_mesh(mesh, path, data, size, report);
    case FORMAT_NONE:
      break;
  }
  return refuse(path, data, size);
}

static void warn_of_flat_cells(const sup_mesh *mesh, const char *path) {
  double least = sup_mesh_numerics.flat_cell;
  int    worst = SUP_NONE, count = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    double quality = sup_mesh_cell_quality(mesh, c);
    count += quality < sup_mesh_numerics.flat_cell;
    if (quality < least) least = quality, worst = c;
  }
  if (count > 0)
    sup_log(SUP_LOG_WARNING,
            "%s: cell %d (from 0) is nearly flat: quality %.2g of 1; %d of %d cells are below %g. "
            "They resist far too much and cost digits: merge the vertices of each, or fill the "
            "surface anew (supple mesh tetrahedralize)",
            path, worst, least, count, mesh->num_cells, sup_mesh_numerics.flat_cell);
}

sup_status sup_mesh_read(sup_mesh **mesh, const char *path, sup_mesh_report *report) {
  SUP_FREED sup_mesh_report *own = NULL;
  SUP_FREED char            *data = NULL;
  size_t                     size;
  *mesh = NULL;
  SUP_TRY(SUP_CALLOC(own, 1));
  SUP_TRY(sup_file_read_most(path, SUP_FILE_MOST_CELLS, &data, &size));
  format kind = format_of_content(data);
  if (kind == FORMAT_NONE) kind = format_of_name(path);
  SUP_TRY(parse(mesh, kind, path, data, size, own));
  warn_of_flat_cells(*mesh, path);
  if (report) *report = *own;
  return SUP_OK;
}

void sup_mesh_report_text(const sup_mesh_report *report, char *text, size_t size) {
  const sup_mesh_repair *r = &report->repair;
  size_t                 used = 0;
  text[0] = '\0';
  if (r->cells_reoriented || r->vertices_removed)
    used = (size_t)snprintf(text, size, "%d inverted cells turned, %d unused vertices dropped",
                            r->cells_reoriented, r->vertices_removed);
  if (report->cut[0] && used < size)
    used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", report->cut);
  if (report->skipped[0] && used < size)
    snprintf(text + used, size - used, "%spassed over %s", used > 0 ? "; " : "", report->skipped);
}

sup_status sup_mesh_write(const sup_mesh *mesh, const char *path, int binary) {
  switch (format_of_name(path)) {
    case FORMAT_VTK:
      return sup_vtk_write_mesh(mesh, path, binary);
    case FORMAT_GMSH:
      return sup_gmsh_write_mesh(mesh, path);
    case FORMAT_ABAQUS:
      return sup_abaqus_write_mesh(mesh, path);
    case FORMAT_TETGEN:
      return sup_tetgen_write_mesh(mesh, path);
    case FORMAT_MEDIT: /* format for reading only */
    case FORMAT_NONE:
      break;
  }
  return SUP_FAIL(
      SUP_E_ARG,
      "found the name '%s' for a mesh, expected one that ends in .vtk, .msh, .inp or .node", path);
}

sup_status sup_mesh_load(sup_mesh **mesh, const char *path) {
  SUP_TRY(sup_mesh_read(mesh, path, NULL));
  return SUP_OK;
}
