/** Points fixed to bodies.  Layer model. */
#pragma once

#include "model/model.h"

/** Find a point, of a link or the world (SUP_NONE) in its frame, of a soft body in the coordinates
 * of its mesh [m].  E_ARG: the point lies outside the soft body; the nearest vertex is named.
 *  @param[in] what  of the message: "probe 'tip'" */
SUP_NODISCARD sup_status sup_body_point_find(sup_body_point *at, const sup_model *model, int body,
                                             const double point[3], const char *what);
/** Find a point, or the mean of the vertices in a region (NULL: none): weights by the area
 * of boundary faces with all vertices in the region, as of a traction, or equal without such a
 * face.  E_ARG as sup_body_point_find; a region without vertices, or of a link. */
SUP_NODISCARD sup_status sup_body_point_of(sup_body_point *at, const sup_model *model,
                                           const sup_model_def *def, int body,
                                           const double point[3], const sup_region *region,
                                           const char *what);
void                     sup_body_point_free(sup_body_point *at);
/** E_ARG: a link carries a vertex of the point. */
SUP_NODISCARD sup_status sup_body_point_check(const sup_body_point *at, const sup_model *model,
                                              const char *what);
/** World position [m] at poses X_WL [num_bodies] and vertices x [num_vertices of the model x 3]. */
sup_v3 sup_body_point_position(const sup_body_point *at, const sup_frame *X_WL, const double *x);
/** Value of a field of the vertices [num_vertices of the model x 3] at a point of a soft body. */
sup_v3 sup_body_point_mean(const sup_body_point *at, const double *value);
/** Block column that moves vertex k of a point of a soft body; SUP_NONE: none. */
int sup_body_point_block(const sup_body_point *at, int k, const sup_model *model);
/** block [num_vertices, 1 for a link] := block columns that move a point, in the order of its
 * vertices; SUP_NONE: none.  Returns their number. */
int sup_body_point_blocks(const sup_body_point *at, const sup_model *model, int *block);
