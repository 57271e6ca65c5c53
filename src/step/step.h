/** Steps of motion and load steps of a state.  Layer step. */
#pragma once

#include "supple.h"

struct sup_event_state; /* model/event.h */

typedef struct sup_stepper sup_stepper; /* workspace of the pipeline; one a thread of control */

/** The model must outlive the stepper.  Steppers do not change the model: several may use it at the
 * same time, each with its own options and state. */
SUP_NODISCARD sup_status sup_stepper_create(sup_stepper **stepper, const sup_model *model,
                                            const sup_options *options);
void                     sup_stepper_destroy(sup_stepper **stepper);
/** Advance the state by one step.  On failure the state keeps its values of before the step. */
SUP_NODISCARD sup_status sup_step(sup_stepper *stepper, sup_state *state, sup_step_report *report);
/** sup_step that, with sup_options.accuracy, ends at the time `stop` > state's at the latest; steps
 * of fixed length ignore `stop`. */
SUP_NODISCARD sup_status sup_step_until(sup_stepper *stepper, sup_state *state, double stop,
                                        sup_step_report *report);

/** Holds that begin or end by events which the state has and `before` [num_events] has not, between
 * two steps.  What is let go keeps its velocity.  What a hold takes gets the hold's velocity and
 * stays where it is; free vertices that share mass with it keep their momenta.  The report, of the
 * step before, gets the energy that is lost, 1/2 |v0 - v1|^2_M, and the work of moving holds. */
SUP_NODISCARD sup_status sup_step_switch_holds(const sup_model *model, const sup_options *options,
                                               const struct sup_event_state *before,
                                               sup_state *state, sup_step_report *report);

/** One load step: the state moves to an equilibrium of elastic forces, loads, contact with Coulomb
 * friction, springs and drives; its velocities become 0.  No inertia, no damping.  Displacements
 * may be large.  E_ARG names a body without support against a rigid motion.  E_NOT_CONVERGED: no
 * equilibrium was found although the load step was cut to a thousandth; the state is that of the
 * previous load step.  A load step that should_stop ended also leaves the state of the previous
 * load step, with SUP_OK and SUP_REASON_STOPPED in the report. */
SUP_NODISCARD sup_status sup_static_step(sup_stepper *stepper, sup_state *state,
                                         const sup_static_options *options,
                                         sup_step_report          *report);
/** All load steps, or as many as should_stop allows. */
SUP_NODISCARD sup_status sup_static(sup_stepper *stepper, sup_state *state,
                                    const sup_static_options *options);
