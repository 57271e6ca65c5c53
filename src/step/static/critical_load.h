/** Limit loads and bifurcations ahead of an equilibrium (THEORY 18.9).  Private to layer step. */
#pragma once

#include "step/static/equilibrium.h"

typedef enum sup_critical_kind {
  SUP_CRITICAL_NONE,
  SUP_CRITICAL_LIMIT,      /* the load has a maximum: equilibria turn back */
  SUP_CRITICAL_BIFURCATION /* the load does not move the direction that has lost its stiffness */
} sup_critical_kind;

/** Load at which the lowest eigenvalue of the stiffness vanishes. */
typedef struct sup_critical_load {
  sup_critical_kind kind;
  double            time;      /* [s] */
  int               block;     /* that moves most in the direction without stiffness */
  double           *direction; /* [num_scalars] its largest component is 1 */
} sup_critical_load;

/** Critical load within ten times the load step of duration h from the equilibrium `state`, to
 * second order there.  A saddle has none, ranks find none. */
SUP_NODISCARD sup_status sup_critical_load_find(const sup_step_layout    *layout,
                                                const sup_static_options *options,
                                                const sup_state *state, double h, sup_arena *arena,
                                                sup_critical_load *out);
/** text: the critical load ahead of `state` in words, with pressures that turn with the surface;
 * stays where there is none. */
SUP_NODISCARD sup_status sup_critical_load_explain(
    const sup_step_layout *layout, const sup_assembly *assembly, const sup_static_options *options,
    const sup_state *state, double h, sup_arena *arena, char text[SUP_EQUILIBRIUM_TEXT]);
