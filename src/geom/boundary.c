#include "geom/boundary.h"

#include "base/memory.h"
#include "geom/triangle.h"

/** Descend into nodes that may be nearer than the best distance so far. */
static void nearest(const sup_boundary *b, int index, sup_v3 p, double *best) {
  const sup_bvh_node *node = &b->bvh->node[index];
  if (node->left < 0) {
    int    t = -1 - node->left;
    sup_v3 q = sup_triangle_nearest(sup_surface_corner(b->surface, b->x, t, 0),
                                    sup_surface_corner(b->surface, b->x, t, 1),
                                    sup_surface_corner(b->surface, b->x, t, 2), p);
    *best = sup_min(*best, sup_v3_norm(sup_v3_sub(p, q)));
    return;
  }
  double left = sup_box_distance(&b->bvh->node[node->left].box, p);
  double right = sup_box_distance(&b->bvh->node[node->right].box, p);
  int    first = left <= right ? node->left : node->right,
      second = left <= right ? node->right : node->left;
  if (sup_min(left, right) < *best) nearest(b, first, p, best);
  if (sup_max(left, right) < *best) nearest(b, second, p, best);
}

sup_status sup_boundary_create(sup_boundary *b, const sup_surface *surface, const double *x) {
  SUP_FREED sup_box *box = NULL;
  *b = (sup_boundary){surface, x, NULL};
  SUP_TRY(SUP_CALLOC(box, surface->num_triangles));
  for (int t = 0; t < surface->num_triangles; t++) {
    box[t] = sup_box_empty();
    for (int c = 0; c < 3; c++) box[t] = sup_box_add(box[t], sup_surface_corner(surface, x, t, c));
  }
  SUP_TRY(sup_bvh_create(&b->bvh, surface->num_triangles, box));
  return SUP_OK;
}

void sup_boundary_free(sup_boundary *b) { sup_bvh_destroy(&b->bvh); }

double sup_boundary_distance(const sup_boundary *b, sup_v3 p) {
  double best = HUGE_VAL;
  nearest(b, 0, p, &best);
  return best;
}
