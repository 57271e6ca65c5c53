#include "output/shape_display.h"

#include "base/memory.h"

/** Triangles of a rim's side and of the two ends, each a fan about the rim's first point. */
static void fill_prism_faces(int *face, int n) {
  for (int i = 0; i < n; i++) {
    int j = (i + 1) % n;
    face[0] = i, face[1] = j, face[2] = n + j, face[3] = i, face[4] = n + j, face[5] = n + i;
    face += 6;
  }
  for (int i = 1; i + 1 < n; i++) {
    face[0] = 0, face[1] = i + 1, face[2] = i;
    face[3] = n, face[4] = n + i, face[5] = n + i + 1;
    face += 6;
  }
}

/** Prism inscribed in a cylinder about z. */
static sup_status prism_of(sup_surface **surface, double **points, const sup_shape *cylinder) {
  enum { SIDES = 32 };
  double radius = cylinder->size[0], half = 0.5 * cylinder->size[1];
  SUP_TRY(sup_surface_create(surface, 2 * SIDES, 2 * SIDES + 2 * (SIDES - 2), 3));
  SUP_TRY(SUP_CALLOC(*points, (size_t)(3 * 2 * SIDES)));
  for (int i = 0; i < 2 * SIDES; i++) {
    double angle = 2 * acos(-1) * (i % SIDES) / SIDES;
    sup_v3 p = {radius * cos(angle), radius * sin(angle), i < SIDES ? -half : half};
    sup_v3_store(*points + 3 * (size_t)i, p);
  }
  fill_prism_faces((*surface)->face, SIDES);
  return SUP_OK;
}

/** Edges of what is round.  Those of a quarter turn lie up to 1/324 of the radius inside of it,
 * 1/81 or 1/52: of what has less than a 10th or a 30th of the scene that is less than a pixel of a
 * picture. */
static double round_resolution(double radius, double extent) {
  int quarter = 30 * radius < extent ? 4 : 10 * radius < extent ? 5 : 10;
  return 2 * radius / quarter;
}

/** Edge length of the display of a simplified shape [m], 0: the shape itself. */
static double display_resolution(const sup_shape *shape, double extent) {
  const double *size = shape->size;
  switch (shape->type) {
    case SUP_SHAPE_BOX:
      return fmax(size[0], fmax(size[1], size[2]));
    case SUP_SHAPE_SPHERE:
    case SUP_SHAPE_CAPSULE:
      return round_resolution(size[0], extent);
    case SUP_SHAPE_ELLIPSOID:
      return round_resolution(fmax(size[0], fmax(size[1], size[2])), extent);
    case SUP_SHAPE_CYLINDER:
    case SUP_SHAPE_HALF_SPACE:
    case SUP_SHAPE_CONVEX:
    case SUP_SHAPE_MESH:
      break;
  }
  return 0;
}

static sup_status make_own(sup_shape_display *d, const sup_geometry *geometry, double extent) {
  double resolution = display_resolution(&geometry->shape, extent);
  if (geometry->shape.type == SUP_SHAPE_CYLINDER)
    SUP_TRY(prism_of(&d->own_surface, &d->own_points, &geometry->shape));
  else if (resolution > 0)
    SUP_TRY(sup_surface_of_shape(&d->own_surface, &d->own_points, &geometry->shape, resolution));
  else
    return SUP_OK;
  for (int i = 0; i < d->own_surface->num_points; i++) {
    double *p = d->own_points + 3 * (size_t)i;
    sup_v3_store(p, sup_frame_apply(&geometry->X_LG, sup_v3_load(p)));
  }
  d->surface = d->own_surface, d->points = d->own_points;
  return SUP_OK;
}

sup_status sup_shape_display_create(sup_shape_display *display, const sup_geometry *geometry,
                                    double extent) {
  *display = (sup_shape_display){.surface = geometry->surface, .points = geometry->points};
  sup_status status = make_own(display, geometry, extent);
  if (status != SUP_OK) sup_shape_display_free(display);
  return status;
}

void sup_shape_display_free(sup_shape_display *display) {
  sup_surface_destroy(&display->own_surface);
  SUP_FREE(display->own_points);
  display->surface = NULL, display->points = NULL;
}
