/** Soft bodies in a load step: start, attachments, proximal term; prediction.  Private to layer
 * step. */
#pragma once

#include "step/assembly.h"

/** Soft bodies at the start of a load step: scheme, held components, attachments; v0 := 0. */
SUP_NODISCARD sup_status sup_static_softs_begin(const sup_step_start *s, sup_assembly *assembly);
/** Attachments of soft bodies about `at`, the start of the load step or its last iterate `next`:
 * x0 + h v is their exact place on the links at s->kin. */
SUP_NODISCARD sup_status sup_static_softs_attach(const sup_step_start *s, const sup_state *at,
                                                 const sup_state *next, sup_assembly *assembly);
/** Inertia and start of all soft bodies: proximal term by M of this weight about the block
 * velocities v; NULL: about the start. */
void sup_static_softs_add_proximal(const sup_step_start *s, double weight, const double *v,
                                   sup_assembly *assembly);
/** v [num_scalars] := block velocities over the load step, extrapolated from the last two.  0:
 * there are none, they differ too much, or trees have unknowns. */
int sup_static_softs_predict(const sup_step_start *s, const sup_assembly *assembly, double *v);
/** next->path after a load step from `state`; only smooth ones are extrapolated. */
SUP_NODISCARD sup_status sup_static_softs_update_path(sup_state *next, const sup_state *state,
                                                      int is_smooth);
/** Number of edges with free vertices at which a pressure that turns with the surface ends; 0: it
 * does not turn.  With any its work depends on the way, and its stiffness is not symmetric. */
SUP_NODISCARD sup_status sup_static_softs_open_edges(const sup_soft *soft, int traction,
                                                     int *count);
