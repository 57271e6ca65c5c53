#include "geom/wall.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/memory.h"
#include "geom/bvh.h"

enum { MOST_SAMPLES = 2000, STACK = 128 };

typedef struct triangle {
  sup_v3 a, b, c;
} triangle;

typedef struct probe {
  const sup_mesh    *mesh;
  const sup_surface *surface;
  sup_bvh           *bvh;
  double            *cells; /* [MOST_SAMPLES] */
} probe;

static triangle triangle_of(const probe *p, int t) {
  return (triangle){sup_surface_corner(p->surface, p->mesh->x, t, 0),
                    sup_surface_corner(p->surface, p->mesh->x, t, 1),
                    sup_surface_corner(p->surface, p->mesh->x, t, 2)};
}

static sup_v3 area_vector(const triangle *t) {
  return sup_v3_scale(.5, sup_v3_cross(sup_v3_sub(t->b, t->a), sup_v3_sub(t->c, t->a)));
}

/** The part of the ray o + s d, 0 <= s <= most, in the box is not empty. */
static int ray_meets_box(const sup_box *box, sup_v3 o, sup_v3 d, double most) {
  const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
  const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
  const double from[3] = {o.x, o.y, o.z}, along[3] = {d.x, d.y, d.z};
  double       low = 0, high = most;
  for (int k = 0; k < 3; k++) {
    if (along[k] == 0) {
      if (from[k] < lower[k] || from[k] > upper[k]) return 0;
      continue;
    }
    double s = (lower[k] - from[k]) / along[k], e = (upper[k] - from[k]) / along[k];
    low = fmax(low, fmin(s, e)), high = fmin(high, fmax(s, e));
  }
  return low <= high;
}

/** Distance at which the ray leaves through the triangle; HUGE_VAL when it does not.  Edges belong
 * to both sides. */
static double leave_through(const triangle *t, sup_v3 o, sup_v3 d) {
  const double slack = -1e-9;
  sup_v3       n = area_vector(t), w = sup_v3_sub(o, t->a);
  double       nn = sup_v3_dot(n, n), nd = sup_v3_dot(n, d);
  if (!(nd > 0)) return HUGE_VAL;
  double s = -sup_v3_dot(n, w) / nd;
  sup_v3 p = sup_v3_madd(w, s, d);
  double beta = .5 * sup_v3_dot(sup_v3_cross(p, sup_v3_sub(t->c, t->a)), n) / nn;
  double gamma = .5 * sup_v3_dot(sup_v3_cross(sup_v3_sub(t->b, t->a), p), n) / nn;
  return s > 0 && beta >= slack && gamma >= slack && beta + gamma <= 1 - slack ? s : HUGE_VAL;
}

/** Length of the way and the triangle at its end. */
static double way_through(const probe *p, sup_v3 o, sup_v3 d, int *end) {
  int    stack[STACK], top = 0;
  double nearest = HUGE_VAL;
  stack[top++] = 0;
  while (top > 0) {
    const sup_bvh_node *node = &p->bvh->node[stack[--top]];
    if (!ray_meets_box(&node->box, o, d, nearest)) continue;
    if (node->left < 0) {
      triangle t = triangle_of(p, -1 - node->left);
      double   way = leave_through(&t, o, d);
      if (way < nearest) nearest = way, *end = -1 - node->left;
    } else {
      SUP_ASSERT(top + 2 <=
                 STACK); /* splits at the median: the depth is the logarithm of the size */
      stack[top++] = node->right;
      stack[top++] = node->left;
    }
  }
  return nearest;
}

static sup_status build(probe *p) {
  int                n = p->surface->num_triangles;
  SUP_FREED sup_box *box = NULL;
  SUP_TRY(SUP_CALLOC(box, n));
  for (int i = 0; i < n; i++) {
    triangle t = triangle_of(p, i);
    box[i] = sup_box_add(sup_box_add(sup_box_add(sup_box_empty(), t.a), t.b), t.c);
  }
  SUP_TRY(sup_bvh_create(&p->bvh, n, box));
  return SUP_OK;
}

/** Height of a cell times the area of a face of the surface over the cell's volume; a side of a T10
 * is four faces. */
static double base_factor(sup_cell_type type) {
  return type == SUP_CELL_H8 ? 1 : type == SUP_CELL_T10 ? .75 : 3;
}

/** Height of the cell behind triangle t, over the triangle's face. */
static double cell_height(const probe *p, int t, double area) {
  int    per_face = p->surface->num_triangles / p->surface->num_faces;
  double volume =
      sup_mesh_cell_volume(p->mesh, p->surface->face_cell[p->surface->triangle_face[t]]);
  return base_factor(p->mesh->type) * volume / (per_face * area);
}

/** Cells between triangle t and the opposite side; HUGE_VAL without an opposite side, as beside a
 * sharp edge, where the ray ends on the adjacent side. */
static double cells_behind(const probe *p, int t, sup_v3 *middle) {
  const double opposite = 0.5; /* sides at 60 degrees at most */
  int          end = SUP_NONE;
  triangle     corners = triangle_of(p, t);
  sup_v3       area = area_vector(&corners), inward = sup_v3_scale(-1, sup_v3_unit(area));
  *middle = sup_v3_scale(1. / 3, sup_v3_add(corners.a, sup_v3_add(corners.b, corners.c)));
  double way = way_through(p, *middle, inward, &end);
  if (end == SUP_NONE) return HUGE_VAL;
  triangle far = triangle_of(p, end);
  sup_v3   far_area = area_vector(&far);
  double   far_size = sup_v3_norm(far_area);
  if (sup_v3_dot(far_area, inward) < opposite * far_size) return HUGE_VAL;
  return way / 2 * (1 / cell_height(p, t, sup_v3_norm(area)) + 1 / cell_height(p, end, far_size));
}

static void probe_free(probe *p) {
  SUP_FREE(p->cells);
  sup_bvh_destroy(&p->bvh);
}

sup_status sup_wall_measure(sup_wall *wall, const sup_mesh *mesh, const sup_surface *surface) {
  SUP_OWN_VALUE(probe) p = {mesh, surface, NULL, NULL};
  int                  n = surface->num_triangles, stride = 1 + (n - 1) / MOST_SAMPLES;
  *wall = (sup_wall){0, HUGE_VAL, 0, {0, 0, 0}};
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(p.cells, MOST_SAMPLES));
  SUP_TRY(build(&p));
  for (int t = 0; t < n; t += stride) {
    sup_v3 middle;
    double cells = cells_behind(&p, t, &middle);
    if (!(cells < HUGE_VAL)) continue;
    if (cells < wall->least) wall->least = cells, wall->where = middle;
    p.cells[wall->num_samples++] = cells;
  }
  qsort(p.cells, (size_t)wall->num_samples, sizeof *p.cells, sup_compare_double);
  if (wall->num_samples > 0) wall->median = p.cells[wall->num_samples / 2];
  return SUP_OK;
}
