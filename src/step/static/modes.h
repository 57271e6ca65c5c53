/** Eigenfrequencies and modes about a state without motion: (K - omega^2 M) phi = 0 with the
 * tangent K and the contacts, which stick, of a load step from there (THEORY 18.10); load factors
 * of buckling from two tangents.  Layer step.
 *
 *  Unknowns are those of a step: vertices of soft bodies and joints of trees in one problem. */
#pragma once

#include "la/eigen.h"
#include "model/model.h"
#include "step/layout.h"
#include "step/step.h"
#include "supple/simulator.h"

typedef struct sup_modes {
  int       num;
  sup_mode *mode; /* [num] by frequency */
  double    mass; /* of all bodies that can move, what is held of them included [kg] */
  int       unknowns;
  bool      is_buckling; /* omega2 are load factors */
  double    bound;    /* so many modes are below this, by inertia [Hz]; infinite: that are all .. */
  int       below;    /* .. modes */
  bool      relaxes;  /* frequencies have moduli of their own; bound and below are by those of K */
  int       num_zero; /* rigid motions among the modes */
  struct sup_mode_shapes *shapes;
} sup_modes;

/** Modes of the lowest `num` frequencies about `state`, whose velocities do not count: about the
 * equilibrium at its time, with all loads of then; is_loaded false: without gravity and loads.
 * E_ARG: bodies without a matrix. */
SUP_NODISCARD sup_status sup_modes_find(const sup_step_layout *layout, const sup_state *state,
                                        const sup_static_options *options, bool is_loaded, int num,
                                        sup_modes *modes);
/** Buckling beyond `state`, linear in the load: omega2 are the loads over the whole one at which
 * the stiffness along the mode vanishes, by the tangent at the equilibrium `next`.
 *  @param[in] share  load of `next` beyond that of `state`, which is 0 or, if negative, the whole
 */
SUP_NODISCARD sup_status sup_modes_buckle(const sup_step_layout *layout, const sup_state *state,
                                          const sup_state *next, double share,
                                          const sup_static_options *options, int num,
                                          sup_modes *modes);
void                     sup_modes_free(sup_modes *modes);
/** to := the state about which modes are, displaced along mode k by `size` over its reach [m]. */
SUP_NODISCARD sup_status sup_modes_displace(const sup_modes *modes, int k, double size,
                                            sup_state *to);
/** Name of sup_mode.body. */
const char *sup_mode_body_name(const sup_model *model, int body);
