#include "scene/hull_file.h"

#include "base/log.h"
#include "base/memory.h"
#include "geom/surface_cross.h"
#include "mesh/format/convert.h"
#include "mesh/format/mesh_file.h"
#include "mesh/format/surface_file.h"
#include "mesh/hull.h"
#include "scene/numerics.h"

enum { MANY_CORNERS = 2000 };

static void check_size(int num_points, const double *points, const char *path, const char *where) {
  double lower[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
         size[3];
  for (int i = 0; i < 3 * num_points; i++) {
    lower[i % 3] = fmin(lower[i % 3], points[i]);
    upper[i % 3] = fmax(upper[i % 3], points[i]);
  }
  for (int k = 0; k < 3; k++) size[k] = upper[k] - lower[k];
  if (fmax(size[0], fmax(size[1], size[2])) > sup_scene_numerics.hull_size)
    sup_log(SUP_LOG_WARNING,
            "%s: %s measures %.4g x %.4g x %.4g m; perhaps it is in millimetres: scale: 0.001",
            where, path, size[0], size[1], size[2]);
}

static sup_status compare_volumes(const sup_surface *surface, const double *points,
                                  const sup_hull *hull, const char *path, const char *where) {
  double volume, of_surface = sup_surface_volume(surface, points), inertia[6];
  sup_v3 centre;
  int    open;
  sup_hull_moments(hull, &volume, &centre, inertia);
  SUP_TRY(sup_surface_open_edges(surface, &open));
  if (open > 0)
    sup_log(SUP_LOG_NOTE,
            "%s: the surface of %s is open (%d edges of one face); its convex hull of %.4g cm^3 is "
            "used",
            where, path, open, 1e6 * volume);
  else if (volume > (1 + sup_scene_numerics.hull_excess) * fabs(of_surface))
    sup_log(SUP_LOG_NOTE,
            "%s: %s is not convex: its hull is used, %.4g cm^3 instead of %.4g cm^3 (%.0f %% "
            "more); several convex parts would keep its hollows",
            where, path, 1e6 * volume, 1e6 * fabs(of_surface),
            100 * (volume / fabs(of_surface) - 1));
  return SUP_OK;
}

sup_status sup_hull_of_file(sup_hull **hull, const char *path, const double scale[3],
                            const char *where) {
  sup_surface *surface = NULL;
  double      *points = NULL;
  sup_status   status;
  *hull = NULL;
  SUP_TRY_GOTO(sup_surface_read(&surface, &points, path, scale, NULL), status, done);
  check_size(surface->num_points, points, path, where);
  status = sup_hull_create(hull, surface->num_points, points);
  if (status != SUP_OK) {
    status = SUP_FAIL(status, "%s: %s", path, sup_error_message());
    goto done;
  }
  if ((*hull)->num_points > MANY_CORNERS)
    sup_log(SUP_LOG_WARNING,
            "%s: the hull of %s has %d corners; contact takes time in proportion: a coarser "
            "surface will do",
            where, path, (*hull)->num_points);
  SUP_TRY_GOTO(compare_volumes(surface, points, *hull, path, where), status, done);
done:
  SUP_FREE(points);
  sup_surface_destroy(&surface);
  if (status != SUP_OK) sup_hull_destroy(hull);
  return status;
}

/** Warn of a surface that intersects itself: its inside is ambiguous there, and the mass of
 * overlapping parts counts twice. */
static sup_status check_crossings(const sup_surface *surface, const double *points,
                                  const char *path, const char *where) {
  sup_surface_crossings c;
  SUP_TRY(sup_surface_find_crossings(surface, points, &c));
  if (c.num_pairs > 0)
    sup_log(SUP_LOG_WARNING,
            "%s: %s cuts itself: %d pair%s of triangles cross, the first %d and %d (from 1) at "
            "(%.4g, %.4g, %.4g) m; volume and mass count overlapping parts twice, and contact "
            "inside of them is wrong: unite the parts in the program that made them",
            where, path, c.num_pairs, c.num_pairs == 1 ? "" : "s", c.triangle[0] + 1,
            c.triangle[1] + 1, c.where.x, c.where.y, c.where.z);
  return SUP_OK;
}

sup_status sup_polyhedron_of_file(sup_hull **hull, const char *path, const double scale[3],
                                  const char *where) {
  sup_surface       *surface = NULL;
  sup_surface_repair repair;
  double            *points = NULL;
  char               text[256];
  sup_status         status;
  *hull = NULL;
  SUP_TRY_GOTO(sup_surface_read(&surface, &points, path, scale, &repair), status, done);
  sup_surface_repair_text(&repair, surface->num_faces, text, sizeof text);
  if (text[0]) sup_log(SUP_LOG_NOTE, "%s: %s: %s", where, path, text);
  check_size(surface->num_points, points, path, where);
  status =
      sup_polyhedron_create(hull, surface->num_points, points, surface->num_faces, surface->face);
  if (status != SUP_OK) {
    status = SUP_FAIL(status, "%s: %s", path, sup_error_message());
    goto done;
  }
  status = check_crossings(surface, points, path, where);
done:
  SUP_FREE(points);
  sup_surface_destroy(&surface);
  if (status != SUP_OK) sup_hull_destroy(hull);
  return status;
}

/** Read cells and reorient inverted ones, also those that a negative scale mirrored. */
static sup_status read_cells(sup_mesh **cells, const char *path, const double scale[3],
                             const char *where) {
  SUP_OWN(sup_mesh)         *mesh = NULL;
  SUP_FREED sup_mesh_report *report = NULL;
  char                       text[512];
  SUP_TRY(SUP_CALLOC(report, 1));
  SUP_TRY(sup_mesh_read(&mesh, path, report));
  sup_mesh_report_text(report, text, sizeof text);
  if (text[0]) sup_log(SUP_LOG_NOTE, "%s: %s: %s", where, path, text);
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] *= scale[i % 3];
  SUP_TRY(sup_mesh_clean(mesh, NULL));
  SUP_TRY(sup_mesh_to_t4(cells, mesh));
  return SUP_OK;
}

sup_status sup_cells_of_file(sup_mesh **cells, sup_hull **hull, const char *path,
                             const double scale[3], const char *where) {
  sup_status status;
  *cells = NULL, *hull = NULL;
  SUP_TRY_GOTO(read_cells(cells, path, scale, where), status, done);
  check_size((*cells)->num_vertices, (*cells)->x, path, where);
  status = sup_polyhedron_of_mesh(hull, *cells);
  if (status != SUP_OK) status = SUP_FAIL(status, "%s: %s", path, sup_error_message());
done:
  if (status != SUP_OK) sup_mesh_destroy(cells);
  return status;
}
