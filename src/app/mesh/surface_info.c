/* Properties of a surface: size, closedness, self-intersections. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/mesh/mesh_command.h"
#include "base/compare.h"
#include "base/memory.h"
#include "geom/surface_cross.h"
#include "mesh/format/surface_file.h"
#include "mesh/surface_check.h"

static void print_size(const sup_surface *surface, const double *points) {
  sup_v3 lower = sup_v3_load(points), upper = lower;
  for (int i = 1; i < surface->num_points; i++) {
    sup_v3 x = sup_v3_load(points + 3 * (size_t)i);
    lower = sup_v3_make(fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z));
    upper = sup_v3_make(fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z));
  }
  sup_app_print_bounds(lower, upper);
}

/** Each edge counts once for each of its triangles. */
static sup_status print_edges(const sup_surface *surface, const double *points) {
  size_t  count = 3 * (size_t)surface->num_faces;
  double *length = NULL;
  SUP_TRY(SUP_CALLOC(length, count));
  for (int t = 0; t < surface->num_faces; t++)
    for (int k = 0; k < 3; k++)
      length[3 * (size_t)t + (size_t)k] =
          sup_v3_norm(sup_v3_sub(sup_surface_corner(surface, points, t, (k + 1) % 3),
                                 sup_surface_corner(surface, points, t, k)));
  qsort(length, count, sizeof *length, sup_compare_double);
  printf("  edges        %.4g to %.4g mm, %.4g mm in the median\n", 1e3 * length[0],
         1e3 * length[count - 1], 1e3 * length[count / 2]);
  SUP_FREE(length);
  return SUP_OK;
}

/** Print defects of a surface that leave it without an inside; they are no failure of the
 * command. */
static sup_status print_inside(const sup_surface *surface, const double *points) {
  const sup_triangle_list list = {surface->num_points, surface->num_faces, points, surface->face};
  sup_surface_crossings   crossings;
  sup_status              status = sup_surface_check_closed(&list);
  if (status == SUP_E_MEMORY) return status;
  if (status == SUP_OK)
    printf("  inside       closed, volume %.6g cm^3\n", 1e6 * sup_surface_volume(surface, points));
  else
    printf("  inside       NONE: %s\n", sup_error_message());
  status = sup_surface_check_flat(&list);
  if (status == SUP_E_MEMORY) return status;
  if (status != SUP_OK) printf("  flat         %s\n", sup_error_message());
  SUP_TRY(sup_surface_find_crossings(surface, points, &crossings));
  if (crossings.num_pairs == 0)
    printf("  crossings    none\n");
  else
    printf(
        "  crossings    %d pair%s of triangles cut each other, the first %d and %d (from 1) at "
        "(%.4g, %.4g, %.4g) m\n",
        crossings.num_pairs, crossings.num_pairs == 1 ? "" : "s", crossings.triangle[0] + 1,
        crossings.triangle[1] + 1, crossings.where.x, crossings.where.y, crossings.where.z);
  return SUP_OK;
}

static sup_status print_surface(const char *path, const sup_surface *surface, const double *points,
                                const sup_surface_repair *repair) {
  char text[256];
  printf("%s\n  surface      %d triangles, %d points\n", path, surface->num_faces,
         surface->num_points);
  sup_surface_repair_text(repair, surface->num_faces, text, sizeof text);
  if (text[0]) printf("  file         %s\n", text);
  if (repair->triangles_dropped > 0)
    printf("  file         %d triangles without area were dropped\n", repair->triangles_dropped);
  print_size(surface, points);
  printf("  area         %.6g cm^2\n", 1e4 * sup_surface_area(surface, points, NULL));
  SUP_TRY(print_edges(surface, points));
  SUP_TRY(print_inside(surface, points));
  return SUP_OK;
}

int sup_app_surface_info(const char *path) {
  const double       scale[3] = {1, 1, 1};
  sup_surface       *surface = NULL;
  sup_surface_repair repair;
  double            *points = NULL;
  sup_status         status = sup_surface_read(&surface, &points, path, scale, &repair);
  if (status == SUP_OK) status = print_surface(path, surface, points, &repair);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  return status == SUP_OK ? DONE : sup_app_report(status, 0);
}
