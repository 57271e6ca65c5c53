/** What drives a scene from outside, between steps: part of the state, in the place of what the
 * constant model says.  Layer model.
 *
 *  Whatever the model drives by a table over time (targets of drives, motions, loads) follows a
 * ramp instead once one is set; forces, efforts and friction are values that stay until they are
 * set anew.  Stages find them in the increment, whose `inputs` is NULL while nothing was ever set.
 */
#pragma once

#include "base/table.h"
#include "model/model.h"

/** What follows tables: their things are counted over the whole model. */
typedef enum sup_driven {
  SUP_DRIVEN_TARGET,   /* of an actuator, width 1 */
  SUP_DRIVEN_BASE,     /* motion of a tree's base, width 6 */
  SUP_DRIVEN_HOLD,     /* motion of a clamp or hold, width 6 */
  SUP_DRIVEN_TRACTION, /* scale of a traction, width 1 */
  SUP_DRIVEN_FORCE,    /* of a load, width 3 */
  SUP_DRIVEN_TORQUE,   /* of a load, width 3 */
  SUP_NUM_DRIVEN
} sup_driven;

enum { SUP_RAMP_ROWS = 3, SUP_RAMP_MAX_WIDTH = 6 };

/** A table of at most three rows: where the thing was a step ago, where it is, where it goes. */
typedef struct sup_ramp {
  double num_rows; /* 0: not set */
  double time[SUP_RAMP_ROWS];
  double value[SUP_RAMP_ROWS * SUP_RAMP_MAX_WIDTH];
} sup_ramp;

struct sup_inputs {
  int       is_set;                    /* 0: as if there were none */
  int       start[SUP_NUM_DRIVEN + 1]; /* into ramp */
  sup_ramp *ramp;
  size_t    num_values;
  double   *value;        /* [num_values] what follows */
  double   *gravity;      /* [3] NAN: that of the options [m/s^2] */
  double   *friction;     /* [num_pairs x 2] sliding, at rest; NAN: the model's */
  double   *effort;       /* [num_v] on joints of one coordinate [N or N m] */
  double   *wrench;       /* [num_bodies x 6] on links: force, moment about the origin, world */
  double   *vertex_force; /* [num_vertices x 3] on soft bodies, world [N] */
};

/** Width of a table. */
int sup_driven_width(sup_driven what);
/** The inputs of a state, which are made, all unset, when there are none. */
SUP_NODISCARD sup_status sup_inputs_need(sup_state *state, const sup_model *model);
void                     sup_inputs_destroy(sup_inputs **inputs);
/** to := from, of one model; either may be NULL. */
SUP_NODISCARD sup_status sup_inputs_copy(sup_inputs **to, const sup_inputs *from);
/** Forget everything that was set. */
void sup_inputs_clear(sup_inputs *inputs);
/** The table of thing i: its ramp, or else the model's own. */
sup_table sup_inputs_table(const sup_inputs *inputs, sup_driven what, int i, const sup_table *own);
/** Thing i goes from where it is at time t to `value` [width] at t + duration, and stays; duration
 * 0: it is there at once.
 *  @param[in] h  what it did over this time before t is kept, so that its velocity is known [s] */
void sup_inputs_go(sup_inputs *inputs, sup_driven what, int i, const sup_table *own, double t,
                   double h, const double *value, double duration);
/** The model's friction of pair p, with coefficients that were set. */
sup_friction sup_inputs_friction(const sup_inputs *inputs, const sup_model *model, int p);
