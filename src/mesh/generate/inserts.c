#include "mesh/generate/inserts.h"

#include <math.h>
#include <string.h>

#include "mesh/hull.h"
#include "mesh/named_set.h"
#include "mesh/surface_check.h"

double sup_surface_winding(const sup_hull *surface, sup_v3 point) {
  const double pi = 3.14159265358979323846;
  double       sum = 0;
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 r[3];
    double l[3];
    for (int k = 0; k < 3; k++) {
      r[k] = sup_v3_sub(sup_hull_corner(surface, t, k), point);
      l[k] = sup_v3_norm(r[k]);
    }
    double down = l[0] * l[1] * l[2] + sup_v3_dot(r[0], r[1]) * l[2] +
                  sup_v3_dot(r[1], r[2]) * l[0] + sup_v3_dot(r[2], r[0]) * l[1];
    sum += 2 * atan2(sup_v3_dot(r[0], sup_v3_cross(r[1], r[2])), down);
  }
  return sum / (4 * pi);
}

static sup_status check_insert(const sup_hull *surface, const sup_hull *insert, const char *name) {
  const sup_triangle_list list = {insert->num_points, insert->num_triangles, insert->point,
                                  insert->triangle};
  sup_status              status = sup_surface_check_closed(&list);
  if (status == SUP_OK) status = sup_surface_check_flat(&list);
  if (status != SUP_OK) return SUP_FAIL(status, "insert '%s': %s", name, sup_error_message());
  for (int i = 0; i < insert->num_points; i++) {
    sup_v3 p = sup_hull_point(insert, i);
    if (sup_surface_winding(surface, p) > .5 + 1e-6) continue;
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "insert '%s': its point (%g, %g, %g) m is not inside of the surface; an insert "
                    "keeps a distance from it",
                    name, p.x, p.y, p.z);
  }
  return SUP_OK;
}

sup_status sup_inserts_check(const sup_hull *surface, const sup_tetgen_options *options) {
  for (int i = 0; i < options->num_inserts; i++) {
    const sup_insert *insert = &options->insert[i];
    if (!insert->name[0]) return SUP_FAIL(SUP_E_ARG, "insert %d has no name", i);
    for (int k = 0; k < i; k++)
      if (strcmp(options->insert[k].name, insert->name) == 0)
        return SUP_FAIL(SUP_E_ARG, "two inserts have the name '%s'", insert->name);
    SUP_TRY(check_insert(surface, insert->surface, insert->name));
  }
  return SUP_OK;
}

/** Smallest insert around the mean of the largest cell of a set; SUP_NONE: none. */
static int insert_around(const sup_mesh *mesh, const unsigned char *member,
                         const sup_tetgen_options *options) {
  int    largest = SUP_NONE, found = SUP_NONE;
  double most = 0, least = HUGE_VAL, inertia[6];
  sup_v3 middle = {0, 0, 0}, centre;
  for (int c = 0; c < mesh->num_cells; c++)
    if (member[c] && sup_mesh_cell_volume(mesh, c) > most)
      most = sup_mesh_cell_volume(mesh, c), largest = c;
  if (largest == SUP_NONE) return SUP_NONE;
  for (int k = 0; k < 4; k++)
    middle = sup_v3_madd(middle, .25, sup_mesh_vertex(mesh, sup_mesh_cell(mesh, largest)[k]));
  for (int i = 0; i < options->num_inserts; i++) {
    double volume;
    sup_hull_moments(options->insert[i].surface, &volume, &centre, inertia);
    if (sup_surface_winding(options->insert[i].surface, middle) < .5 || volume > least) continue;
    found = i, least = volume;
  }
  return found;
}

sup_status sup_inserts_name_sets(sup_mesh *mesh, const sup_tetgen_options *options) {
  int num = mesh->num_sets;
  for (int s = 0; s < num; s++) mesh->set[s].name[0] = '\0'; /* names of inserts may be alike */
  for (int i = 0; i < options->num_inserts; i++) {
    unsigned char *added;
    SUP_TRY(sup_mesh_add_set(mesh, SUP_SET_CELLS, options->insert[i].name, &added));
  }
  for (int s = 0; s < num; s++) {
    sup_named_set *set = &mesh->set[s];
    if (set->kind != SUP_SET_CELLS) continue;
    int insert = insert_around(mesh, set->member, options);
    for (int c = 0; c < mesh->num_cells; c++) {
      if (insert != SUP_NONE && set->member[c]) mesh->set[num + insert].member[c] = 1;
      set->member[c] = 0;
    }
  }
  for (int i = 0; i < options->num_inserts; i++)
    if (sup_mesh_count_set(mesh, &mesh->set[num + i]) == 0)
      return SUP_FAIL(SUP_E_GEOMETRY, "insert '%s' holds no cell: others fill it",
                      options->insert[i].name);
  sup_mesh_drop_empty_sets(mesh);
  return SUP_OK;
}
