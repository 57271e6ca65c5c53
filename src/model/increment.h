/** One increment of time as a constant value: duration, loads and numerical options.  Layer model.
 *
 *  A step of motion makes it from the options of the run and the state, a load step from the
 * options of statics.  Kinematics, collide, rows, dynamics and the result read time, gravity and
 * scheme from it alone. */
#pragma once

#include "model/inputs.h"
#include "supple/choices.h"
#include "supple/contact.h"

typedef struct sup_options sup_options;

/** True if all three weights are 1/2: the midpoint rule. */
static inline bool sup_scheme_is_second_order(const sup_scheme *c) {
  return c->theta == 0.5 && c->theta_stiff == 0.5 && c->theta_vq == 0.5;
}

typedef struct sup_increment {
  double t0; /* of the state at its start [s] */
  double h;  /* duration [s] */
  double t1; /* time of the state after the increment: t0 + h, computed without the drift of a sum
                [s] */
  double motion;      /* weight of inertia and of dissipation: 1; a static equilibrium: 0 */
  int    is_large;    /* 1: large rotations: elastic forces at the end of the increment for every
                         material; 0: linear materials are linearised about its start */
  double     load;    /* share of the loads that have no table; motion: 1 */
  sup_v3     gravity; /* that acts [m/s^2] */
  sup_scheme scheme;  /* of trees */
  double     rest; /* relaxation time of viscoelastic materials in a static equilibrium: INFINITY:
                      long-term moduli, 0: no relaxation; in motion h applies [s] */
  int soft_bdf2;   /* of soft bodies; 0: implicit Euler; 1: BDF2, but of first order where contacts
                      may reach; 2: everywhere, while no contact opens or closes */
  /* regularisation of friction and of stiff contact, as in sup_options */
  double stiction_tolerance, sigma, beta;
  double reference;  /* reference step for stiffnesses and damping limited by the step length: h; in
                        steps of controlled length a constant of the run [s] */
  int is_controlled; /* 1: step of controlled length, extrapolated; an unresolved step is rejected
                      */
  int base_at_end;   /* velocity of driven bases: 1: at the increment's end, so that bodies on them
                        can be extrapolated; 0: mean */
  int                    elastic_stick; /* 1: sup_options.stick in motion */
  sup_friction_softening softening;
  sup_delassus           delassus;
  int                    patch_triangles, patch_at_pressure, patch_thirds; /* how patches are cut */
  const sup_inputs      *inputs; /* of the state, which outlives it; NULL: none are set */
} sup_increment;

/** A step of motion from the state at t0, the `step`-th of the run (0: the first). */
sup_increment sup_increment_of_motion(const sup_options *options, double t0, long step);
/** The step of motion that follows a state, with its inputs. */
sup_increment sup_increment_of_state(const sup_options *options, const sup_state *state);
/** External force and torque over the increment: a load of the model, or an input. */
typedef struct sup_external {
  int                   body;
  sup_v3                point; /* in the link's frame [m] */
  const sup_body_point *cell;  /* of a soft body; NULL: on a link */
  double                force[3], torque[3];
} sup_external;
/** Upper bound on the number of external loads. */
int sup_increment_num_externals(const sup_increment *inc, const sup_model *model);
/** Write external load i < that bound to `out`; 0: index i has none. */
int sup_increment_external(const sup_increment *inc, const sup_model *model, int i,
                           sup_external *out);
/** Force or torque of a load [3].  Motion: mean over the increment, so that the impulse does not
 * depend on the step length.  Statics: value at the end; a constant is scaled by inc->load. */
void sup_increment_load(const sup_increment *inc, const sup_table *table, double value[3]);
/** Time over which viscoelastic materials relax [s]. */
static inline double sup_increment_relaxation(const sup_increment *inc) {
  return inc->motion > 0 ? inc->h : inc->rest;
}
/** Friction model of a pair.  Statics: Coulomb's law, since the terms of other models depend on
 * velocities. */
static inline sup_contact_model sup_increment_model(const sup_increment *inc,
                                                    const sup_pair      *pair) {
  return inc->motion > 0 ? pair->model : SUP_MODEL_LAGGED;
}
