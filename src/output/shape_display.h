/** Tessellation of a rigid shape for frames; contact uses other faces. Layer output. */
#pragma once

#include "mesh/surface.h"
#include "model/model.h"

typedef struct sup_shape_display {
  const sup_surface *surface;     /* NULL: a half space */
  const double      *points;      /* [surface->num_points x 3] in the body's frame [m] */
  sup_surface       *own_surface; /* of primitives: what the two above point to */
  double            *own_points;
} sup_shape_display;

/** A box is its six faces, a cylinder a prism of 32 sides, what is round has 40 segments around its
 * equator, 20 or 16 where it is small in the scene, a polyhedron is itself: however coarse or fine
 * contact sees them, as far as an eye needs.  Ended by sup_shape_display_free.
 *  @param[in] extent  of the scene [m]; 0: not known */
SUP_NODISCARD sup_status sup_shape_display_create(sup_shape_display  *display,
                                                  const sup_geometry *geometry, double extent);
void                     sup_shape_display_free(sup_shape_display *display);

/** Shapes of links that frames show, 0 to sup_num_shown - 1; NULL: its link has visuals in its
 * place. */
static inline int sup_num_shown(const sup_model *model) {
  return model->num_geometries + model->num_visuals;
}
static inline const sup_geometry *sup_shown_geometry(const sup_model *model, int k) {
  if (k >= model->num_geometries) return &model->visual[k - model->num_geometries];
  return model->body[model->geometry[k].body].num_visuals > 0 ? NULL : &model->geometry[k];
}
