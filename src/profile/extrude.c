#include "profile/extrude.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/named_set.h"
#include "mesh/surface.h"

/** Thickness of a layer against the outermost one, by its middle in 0 (face) .. 1 (middle): linear.
 */
static double weight_of(const sup_extrusion *e, int layer) {
  double s = (layer + 0.5) / e->num_layers; /* from z = 0 on */
  if (!e->is_symmetric) s = 1 - fabs(2 * s - 1);
  return 1 + (e->grading - 1) * s;
}

/** @param[out] z  [num_layers + 1] */
static void place_layers(const sup_extrusion *e, double *z) {
  double whole = e->is_symmetric ? 0.5 * e->depth : e->depth, sum = 0;
  for (int k = 0; k < e->num_layers; k++) sum += weight_of(e, k);
  z[0] = 0;
  for (int k = 0; k < e->num_layers; k++) z[k + 1] = z[k] + whole * weight_of(e, k) / sum;
  z[e->num_layers] = whole;
}

static sup_status add_plane(sup_mesh *mesh, const char *name, int first, int num) {
  unsigned char *member;
  SUP_TRY(sup_mesh_add_set(mesh, SUP_SET_VERTICES, name, &member));
  memset(member + first, 1, (size_t)num);
  return SUP_OK;
}

static sup_status add_sets(sup_mesh *mesh, const sup_quads *m, const sup_extrusion *e) {
  for (int k = 0; k < m->num_marks; k++) {
    const sup_quad_mark *mark = &m->mark[k];
    unsigned char       *member;
    SUP_TRY(sup_mesh_add_set(mesh, SUP_SET_VERTICES, m->set_name[mark->set], &member));
    for (int layer = 0; layer <= e->num_layers; layer++)
      for (int end = 0; end < 2; end++) member[layer * m->num_points + mark->vertex[end]] = 1;
  }
  SUP_TRY(add_plane(mesh, "z_min", 0, m->num_points));
  return add_plane(mesh, e->is_symmetric ? "symmetry" : "z_max", e->num_layers * m->num_points,
                   m->num_points);
}

sup_status sup_mesh_extrude(sup_mesh **mesh, const sup_quads *m, const sup_extrusion *e) {
  double    *z = NULL;
  sup_status status;
  *mesh = NULL;
  if (!(e->depth > 0) || !isfinite(e->depth) || e->num_layers < 1 || !(e->grading >= 1) ||
      e->grading > 100)
    return SUP_FAIL(SUP_E_ARG,
                    "found a depth of %g m, %d layers and a grading of %g; expected a positive "
                    "depth, at least one layer, and 1 (equal layers) to 100",
                    e->depth, e->num_layers, e->grading);
  double num_cells = (double)m->num_quads * e->num_layers,
         num_vertices = (double)m->num_points * (e->num_layers + 1);
  if (num_cells > 1e8 || num_vertices > 1e8)
    return SUP_FAIL(SUP_E_ARG,
                    "%d quadrilaterals in %d layers are %.3g cells; at most 1e8 are made",
                    m->num_quads, e->num_layers, num_cells);
  SUP_TRY_GOTO(SUP_CALLOC(z, e->num_layers + 1), status, done);
  place_layers(e, z);
  SUP_TRY_GOTO(sup_mesh_create(mesh, SUP_CELL_H8, (int)num_vertices, (int)num_cells), status, done);
  double *x = (*mesh)->x;
  int    *cell = (*mesh)->cell;
  for (int k = 0; k <= e->num_layers; k++)
    for (int i = 0; i < m->num_points; i++, x += 3)
      sup_v3_store(x, sup_v3_make(m->x[2 * i], m->x[2 * i + 1], z[k]));
  for (int k = 0; k < e->num_layers; k++)
    for (int q = 0; q < m->num_quads; q++, cell += 8)
      for (int c = 0; c < 8; c++) cell[c] = m->quad[4 * q + c % 4] + (k + c / 4) * m->num_points;
  SUP_TRY_GOTO(add_sets(*mesh, m, e), status, done);
  SUP_TRY_GOTO(sup_mesh_clean(*mesh, NULL), status, done);
done:
  SUP_FREE(z);
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  return status;
}

/** 1: a face along z; the faces at both ends are equal in z. */
static bool is_along_z(const sup_mesh *mesh, const int *face, int num) {
  for (int k = 1; k < num; k++)
    if (mesh->x[3 * face[k] + 2] != mesh->x[3 * face[0] + 2]) return 1;
  return 0;
}

sup_status sup_mesh_onto_profile(sup_mesh *mesh, const sup_profile *profile) {
  SUP_OWN(sup_surface)    *surface = NULL;
  SUP_FREED unsigned char *is_done = NULL;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  SUP_TRY(SUP_CALLOC(is_done, mesh->num_vertices));
  int num = surface->vertices_per_face;
  for (int f = 0; f < surface->num_faces; f++) {
    const int *face = surface->face + (ptrdiff_t)f * num;
    for (int k = 0; k < num && is_along_z(mesh, face, num); k++)
      if (!is_done[face[k]])
        is_done[face[k]] = 1, sup_profile_onto_curve(profile, mesh->x + 3 * (size_t)face[k]);
  }
  return SUP_OK;
}
