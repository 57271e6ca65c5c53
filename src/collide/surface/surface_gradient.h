/** Derivatives of the contacts of a surface with a shape.  Layer collide, private to it. */
#pragma once

#include "collide/gradient.h"
#include "collide/surface/surface_depth.h"

/** Contacts of one pair of which derivatives are asked for. */
typedef struct sup_surface_slopes {
  const sup_pair_origins   *from;
  const sup_contact_slopes *slopes;                       /* [from->num_contacts] */
  int                       body_a, body_b, first_vertex; /* first_vertex: of a soft a */
  sup_place_slopes         *out;
  const char              **why; /* of contacts without derivatives (sup_gradient_lack) */
} sup_surface_slopes;

/** Add the derivatives of a pair's contacts; `prototype`, a, b, query, workspace: as of
 * sup_measure_surface_depth. */
SUP_NODISCARD sup_status sup_surface_gradient(
    const sup_surface_slopes *asked, const sup_contact *prototype, const sup_moving_surface *a,
    const sup_moving_shape *b, const sup_surface_query *query,
    const sup_surface_workspace *workspace, sup_arena *arena);
/** 1: one of the slopes is not zero. */
int sup_contact_slopes_are_asked(const sup_contact_slopes *s);
