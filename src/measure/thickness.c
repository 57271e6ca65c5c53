#include "measure/thickness.h"

#include <math.h>

#include "mesh/thickness.h"

/** Median thickness of a surface [m]; HUGE_VAL where it cannot be measured, so that nothing is
 * limited. */
static double surface_thickness(const sup_surface *surface, const double *points) {
  double thickness = 0;
  int    good = sup_surface_thickness(surface, points, &thickness) == SUP_OK && thickness > 0;
  return good ? thickness : HUGE_VAL;
}

double sup_primitive_thickness(const sup_shape *shape) {
  const double *size = shape->size;
  switch (shape->type) {
    case SUP_SHAPE_HALF_SPACE:
      return HUGE_VAL;
    case SUP_SHAPE_BOX:
      return fmin(size[0], fmin(size[1], size[2]));
    case SUP_SHAPE_CYLINDER:
      return fmin(2 * size[0], size[1]);
    case SUP_SHAPE_SPHERE: /* a point has no inside that could be crossed */
      return size[0] > 0 ? 2 * size[0] : HUGE_VAL;
    case SUP_SHAPE_CAPSULE:
      return 2 * size[0];
    case SUP_SHAPE_ELLIPSOID:
      return 2 * fmin(size[0], fmin(size[1], size[2]));
    case SUP_SHAPE_MESH:
    case SUP_SHAPE_CONVEX:
      break;
  }
  return HUGE_VAL;
}

static double geometry_thickness(const sup_geometry *g) {
  bool is_primitive = g->shape.type != SUP_SHAPE_MESH && g->shape.type != SUP_SHAPE_CONVEX;
  if (is_primitive || !g->surface) return sup_primitive_thickness(&g->shape);
  return surface_thickness(g->surface, g->points);
}

double sup_body_thickness(const sup_model *model, int body) {
  const sup_body *b = &model->body[body];
  double          least = HUGE_VAL;
  if (b->soft != SUP_NONE) {
    const sup_soft *soft = &model->soft[b->soft];
    return surface_thickness(soft->surface, soft->x0);
  }
  for (int g = 0; g < b->num_geometries; g++)
    least = fmin(least, geometry_thickness(&model->geometry[b->first_geometry + g]));
  return least;
}

bool sup_body_is_compliant(const sup_model *model, int body) {
  const sup_body *b = &model->body[body];
  for (int g = 0; g < b->num_geometries; g++)
    if (model->geometry[b->first_geometry + g].contact.modulus > 0) return 1;
  return 0;
}
