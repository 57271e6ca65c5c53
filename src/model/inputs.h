/** Inputs set from outside between steps: part of the state, instead of values of the constant
 * model.  Layer model.
 *
 *  A ramp that is set replaces the model's table over time (targets of drives, motions, loads,
 * fills, cables); forces, efforts and friction are values that stay until they are set anew. Stages
 * read inputs from the increment, whose `inputs` is NULL while none is set. */
#pragma once

#include "base/table.h"
#include "model/model.h"

/** Quantities driven by tables; indices count over the whole model. */
typedef enum sup_driven {
  SUP_DRIVEN_TARGET,   /* of an actuator, width 1 */
  SUP_DRIVEN_BASE,     /* motion of a tree's base, width 6 */
  SUP_DRIVEN_HOLD,     /* motion of a clamp or hold, width 6 */
  SUP_DRIVEN_TRACTION, /* scale of a traction, width 1 */
  SUP_DRIVEN_FORCE,    /* of a load, width 3 */
  SUP_DRIVEN_TORQUE,   /* of a load, width 3 */
  SUP_DRIVEN_CHAMBER,  /* schedule of a chamber, width 1 */
  SUP_DRIVEN_SOURCE,   /* pressure of the source of its inlet, width 1 */
  SUP_DRIVEN_CABLE,    /* schedule of a cable, width 1 */
  SUP_NUM_DRIVEN
} sup_driven;

enum { SUP_PATH_ROWS = 33, SUP_RAMP_MAX_WIDTH = 6 };

/** Table in place of the model's: of a ramp three rows, values one step ago, now and at its end; of
 * a path at most SUP_PATH_ROWS of width 1. */
typedef struct sup_ramp {
  double num_rows, interpolation; /* rows 0: not set */
  double time[SUP_PATH_ROWS];
  double value[SUP_PATH_ROWS]; /* [rows x width] */
} sup_ramp;

struct sup_inputs {
  int       is_set;                    /* 0: no input is set */
  int       start[SUP_NUM_DRIVEN + 1]; /* into ramp */
  sup_ramp *ramp;
  size_t    num_values;
  double   *value;        /* [num_values] what follows */
  double   *gravity;      /* [3] NAN: that of the options [m/s^2] */
  double   *friction;     /* [num_pairs x 2] sliding, at rest; NAN: the model's */
  double   *limit;        /* [num_actuators] of their efforts; NAN: the model's [N or N m] */
  double   *gains;        /* [num_actuators x 2] kp, kd; NAN: the model's */
  double   *effort;       /* [num_v] on joints of one coordinate [N or N m] */
  double   *wrench;       /* [num_bodies x 6] on links: force, moment about the origin, world */
  double   *vertex_force; /* [num_vertices x 3] on soft bodies, world [N] */
};

/** Width of a table. */
int sup_driven_width(sup_driven what);
/** Create the inputs of a state, all unset, if it has none; is_set := 1. */
SUP_NODISCARD sup_status sup_inputs_need(sup_state *state, const sup_model *model);
void                     sup_inputs_destroy(sup_inputs **inputs);
/** to := from, of one model; either may be NULL. */
SUP_NODISCARD sup_status sup_inputs_copy(sup_inputs **to, const sup_inputs *from);
/** Clear all inputs. */
void sup_inputs_clear(sup_inputs *inputs);
/** Table of item i: its ramp, or else the model's table. */
sup_table sup_inputs_table(const sup_inputs *inputs, sup_driven what, int i, const sup_table *own);
/** Ramp of thing i from its value at time t to `value` [width] at t + duration, constant after;
 * duration 0: a jump.
 *  @param[in] constant values of the model where its table is empty
 *  @param[in] h        duration before t for which the ramp keeps the motion, so that its velocity
 * is known [s] */
void sup_inputs_ramp(sup_inputs *inputs, sup_driven what, int i, const sup_table *own,
                     double constant, double t, double h, const double *value, double duration);
/** Path of the target of actuator a: rows [num_rows] of equal duration from time t on, constant
 * after.
 */
void sup_inputs_path(sup_inputs *inputs, int a, double t, double duration, int num_rows,
                     sup_interpolation interpolation, const double *rows);
/** Largest effort of actuator a; 0: it is off. */
double sup_inputs_limit(const sup_inputs *inputs, int a, const sup_actuator *own);
/** Actuator a with the gains of the inputs where they are set; only numbers are its own. */
sup_actuator sup_inputs_gains(const sup_inputs *inputs, int a, const sup_actuator *own);
/** Friction of pair p, with the coefficients of the inputs where they are set. */
sup_friction sup_inputs_friction(const sup_inputs *inputs, const sup_model *model, int p);
