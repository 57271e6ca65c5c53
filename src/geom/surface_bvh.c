#include "geom/surface_bvh.h"

#include "base/memory.h"

void sup_surface_boxes(const sup_surface *surface, const double *points, sup_box *box) {
  int n = surface->vertices_per_face;
  for (int f = 0; f < surface->num_faces; f++) {
    const int *vertex = surface->face + (size_t)n * (size_t)f;
    sup_box    all = sup_box_empty();
    for (int k = 0; k < n; k++) all = sup_box_add(all, sup_v3_load(points + 3 * vertex[k]));
    box[f] = all;
  }
}

sup_status sup_surface_bvh_create(sup_bvh **bvh, const sup_surface *surface, const double *points) {
  SUP_FREED sup_box *box = NULL;
  SUP_TRY(SUP_CALLOC(box, surface->num_faces));
  sup_surface_boxes(surface, points, box);
  SUP_TRY(sup_bvh_create(bvh, surface->num_faces, box));
  return SUP_OK;
}
