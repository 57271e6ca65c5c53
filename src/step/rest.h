/** States of rest at the end of a load step: the machinery of a step without inertia, damping and relaxation.
 *  Private to layer step.
 *
 *  Unknowns are v = displacement / h with h the duration of the load step.  Elastic forces, contacts, springs and the
 *  positions of attached vertices are linear about the place that the last iteration led to, so that what it ends with
 *  is the equilibrium of the true forces there; only friction and drives see that the step began elsewhere. */
#pragma once

#include "step/stepper.h"

struct sup_rest {
  sup_model        model; /* the stepper's with h as step, implicit Euler, Coulomb's law, no relaxation */
  sup_model        seen;  /* for collisions: nothing falls either */
  sup_pair        *pair;  /* of both */
  sup_actuator    *actuator;
  const sup_model *own;   /* the stepper's */
  double           ramp;  /* share of the constant loads that acts at the step's end */
  double           grip;  /* M in A holds on to the present place and vanishes in the solution: over the cells' K [-] */
  int              about; /* 1: A and p are about s->next, 0: about the start of the load step */
  double          *tree_mass; /* [num_v] diagonal of the trees' inertia, from the arena */
  sup_arena       *turn[2];   /* of iterations: what one leaves lives in the next, too */
  sup_arena       *kept;      /* the result of the last load step that found its equilibrium */
};

/** Outcome of one load step: data, not a status. */
typedef struct sup_equilibrium {
  int        converged, is_stopped;
  sup_reason reason;     /* of the last inner solve */
  int        iterations; /* linearisations */
  int        newton;     /* iterations of the convex problems in them */
  double     error;      /* largest residual force of a body over the forces in it [-] */
  int        worst_block;
  int        held_back; /* iterations in which the energy bent down, or rose: shorter ways, firmer grip */
  double     work;      /* of the loads along a straight way, with the mean of the forces at its ends [J] */
  double     released;  /* work less what is stored: third order of a smooth way, what a snap sets free [J] */
  double     seconds[SUP_NUM_PHASES];
} sup_equilibrium;

SUP_NODISCARD sup_status sup_rest_create(sup_rest **rest, const sup_model *model);
void                     sup_rest_destroy(sup_rest **rest);
/** Equilibrium at the end of a load step of duration h from `state`; s->next, s->kin_next and the result then describe
 *  it.  s->rest is set.
 *  @param[in] is_held    no body moves rigidly against nothing but contact
 *  @param[in] o  its tolerance of `error`, and who may stop it */
SUP_NODISCARD sup_status sup_equilibrium_find(sup_stepper *s, const sup_state *state, int is_held,
                                              const sup_static_options *o, sup_equilibrium *out);
/** Copy what the result points to, so that the next load step may fail or be stopped. */
SUP_NODISCARD sup_status sup_rest_keep_result(sup_rest *rest, sup_step_result *result);
/** p += h times the tractions at time t; pressure turns with the surface, but not that of small strains. */
void sup_rest_tractions(const sup_stepper *s, const sup_soft *soft, double t, const double *x, double *p);
/** What M counts in A of a soft body's material, or of trees (NULL). */
double sup_rest_inertia(const sup_stepper *s, const sup_soft *soft);
/** out := that times M v. */
void sup_rest_inertia_multiply(const sup_stepper *s, const sup_soft *soft, const double *v, double *out);
/** Part of tree t in A and p at the positions and velocities of `at`. */
SUP_NODISCARD sup_status sup_stepper_rest_tree(sup_stepper *s, int t, const sup_state *at);
