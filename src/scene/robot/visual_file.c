#include "scene/robot/visual_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/cleanup.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "mesh/format/surface_file.h"
#include "scene/numerics.h"

static sup_status read_triangles(sup_hull **out, const char *path, const double scale[3]) {
  SUP_OWN(sup_surface) *surface = NULL;
  SUP_FREED double     *points = NULL;
  SUP_OWN(sup_hull)    *hull = NULL;
  SUP_TRY(sup_surface_read(&surface, &points, path, scale, NULL));
  SUP_TRY(SUP_CALLOC(hull, 1));
  SUP_TRY(SUP_CALLOC(hull->normal, 3 * (size_t)surface->num_faces));
  SUP_TRY(SUP_CALLOC(hull->triangle, 3 * (size_t)surface->num_faces));
  hull->num_points = surface->num_points, hull->num_triangles = surface->num_faces;
  memcpy(hull->triangle, surface->face, 3 * (size_t)surface->num_faces * sizeof *surface->face);
  hull->point = points, points = NULL;
  *out = hull, hull = NULL;
  return SUP_OK;
}

/** Let assimp write the file's triangles, with all of its transforms, into a file of STL. */
static sup_status convert(const char *path, const char *stl, const char *log) {
  const char *const argv[] = {"assimp", "export", path, stl, "-fstlb", "-ptv", NULL};
  sup_process_end   end;
  SUP_TRY(sup_process_run(argv, log, sup_scene_numerics.assimp_time, &end));
  if (end.is_missing)
    return SUP_FAIL(SUP_E_IO,
                    "%s: the program assimp, which reads it, is not on the PATH; install the "
                    "package assimp-utils (Debian, Ubuntu: apt-get install assimp-utils)",
                    path);
  FILE *made = end.is_timed_out || end.signal || end.exit_code ? NULL : fopen(stl, "rb");
  if (!made) return SUP_FAIL(SUP_E_PARSE, "%s: assimp cannot read it", path);
  fclose(made);
  return SUP_OK;
}

/** (x, y, z) of a frame whose y points up to (x, -z, y). */
static void turn_up(sup_hull *hull, const double scale[3]) {
  for (int i = 0; i < hull->num_points; i++) {
    double *p = hull->point + 3 * (size_t)i, y = p[1];
    p[1] = -p[2], p[2] = y;
    for (int k = 0; k < 3; k++) p[k] *= scale[k];
  }
}

sup_status sup_visual_of_file(sup_hull **surface, const char *path, const double scale[3]) {
  static const double one[3] = {1, 1, 1};
  char                folder[512], stl[600], log[600];
  *surface = NULL;
  if (sup_surface_is_file_name(path)) {
    SUP_TRY(read_triangles(surface, path, scale));
    return SUP_OK;
  }
  SUP_TRY(sup_temporary_folder(folder, sizeof folder));
  snprintf(stl, sizeof stl, "%s/visual.stl", folder);
  snprintf(log, sizeof log, "%s/assimp.log", folder);
  sup_status status = convert(path, stl, log);
  if (status == SUP_OK) status = read_triangles(surface, stl, one);
  if (status == SUP_OK) turn_up(*surface, scale);
  sup_temporary_folder_remove(folder);
  return status;
}
