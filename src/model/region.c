/* Vertices of a mesh in a region. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "mesh/named_set.h"
#include "model/model.h"

static int holds_point(const sup_region *region, const double *x) {
  if (region->type == SUP_REGION_HALF_SPACE)
    return sup_v3_dot(sup_v3_load(region->normal), sup_v3_load(x)) <= region->offset;
  for (int i = 0; i < 3; i++)
    if (x[i] < region->lower[i] || x[i] > region->upper[i]) return 0;
  return 1;
}

/** "names the unknown set 'x'; did you mean ...".
 *  @param[in] only_cells  1: sets of vertices would be wrong, too */
static sup_status unknown_name(const sup_mesh *mesh, const char *name, int only_cells) {
  const char **names = NULL;
  char         known[512];
  int          count = 0;
  SUP_TRY(SUP_CALLOC(names, mesh->num_sets));
  for (int s = 0; s < mesh->num_sets; s++) { /* vertices and cells may share a name */
    bool is_new = !only_cells || mesh->set[s].kind == SUP_SET_CELLS;
    for (int k = 0; k < count; k++) is_new = is_new && strcmp(names[k], mesh->set[s].name) != 0;
    if (is_new) names[count++] = mesh->set[s].name;
  }
  const char *of = only_cells ? " of cells" : "";
  sup_status  status;
  if (count > 0)
    status = SUP_FAIL(SUP_E_ARG, "names the unknown set%s '%s'%s", of, name,
                      sup_known_text(name, names, count, known, sizeof known));
  else
    status = SUP_FAIL(
        SUP_E_ARG,
        "names the unknown set%s '%s'; the mesh has no named sets%s (supple mesh info lists them)",
        of, name, of);
  SUP_FREE(names);
  return status;
}

static sup_status mark_named(const sup_mesh *mesh, const char *name, unsigned char value,
                             unsigned char *mark) {
  const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_VERTICES, name);
  int                  n = set ? 1 : sup_cell_num_vertices(mesh->type);
  if (!set) set = sup_mesh_find_set(mesh, SUP_SET_CELLS, name);
  if (!set) return unknown_name(mesh, name, 0);
  for (int i = 0; i < sup_mesh_set_size(mesh, set->kind); i++)
    for (int a = 0; a < n && set->member[i]; a++)
      mark[set->kind == SUP_SET_VERTICES ? i : sup_mesh_cell(mesh, i)[a]] = value;
  return SUP_OK;
}

sup_status sup_region_assign(const sup_mesh *mesh, const char *name, int k, int *material) {
  const sup_named_set *set = sup_mesh_find_set(mesh, SUP_SET_CELLS, name);
  if (!set) return unknown_name(mesh, name, 1);
  for (int c = 0; c < mesh->num_cells; c++) {
    if (!set->member[c]) continue;
    if (material[c] != 0)
      return SUP_FAIL(
          SUP_E_ARG,
          "names the set '%s', which shares cell %d with another; a cell has one material", name,
          c);
    material[c] = k;
  }
  return SUP_OK;
}

sup_status sup_region_select(const sup_region *region, const sup_mesh *mesh, unsigned char value,
                             unsigned char *mark) {
  int count = 0;
  if (region->type == SUP_REGION_NAMED) {
    SUP_TRY(mark_named(mesh, region->name, value, mark)); /* sets are never empty */
    return SUP_OK;
  }
  for (int i = 0; i < mesh->num_vertices; i++)
    if (holds_point(region, mesh->x + 3 * (ptrdiff_t)i)) mark[i] = value, count++;
  if (count > 0) return SUP_OK;
  sup_v3 lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  return SUP_FAIL(SUP_E_ARG,
                  "holds no vertex; the mesh reaches from [%g, %g, %g] to [%g, %g, %g] m", lower.x,
                  lower.y, lower.z, upper.x, upper.y, upper.z);
}
