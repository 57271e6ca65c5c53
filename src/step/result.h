/** Result of a step for observers: contacts with their forces, wrenches, efforts, energies.  Layer
 * step.
 *
 *  Memory belongs to the stepper and is valid until its next step.  Forces are means over the step:
 * impulse / dt. */
#pragma once

#include "collide/contact.h"
#include "model/increment.h"
#include "solve/stored/stored_problem.h"
#include "step/step.h"

/** Turning of a soft body about its centre of mass. */
typedef struct sup_soft_spin {
  sup_v3 momentum; /* angular, after the step [kg m^2/s] */
  sup_v3 taken; /* change by the time scheme in the step, not by contacts, loads or mass damping; 0
                   about axes other than sup_soft_turning_axes */
  double angle; /* of the step [rad] */
} sup_soft_spin;

/** Load by the contacts of one pair of the model, mean over a step. */
typedef struct sup_pair_load {
  sup_wrench on_b; /* on the pair's body b, moment about the world's origin; of a body with itself:
                      0 */
  double normal;   /* sum of |f_n| [N] */
} sup_pair_load;

/** A tree or soft body in a step of controlled length. */
typedef struct sup_flight {
  int is_free; /* 1: only contacts hold the body */
  int touches,
      flies;  /* 1: during the whole step; neither: the body lands or takes off within the step */
  int slides; /* trees: contacts push at the end of the step, and all of them slip */
  double
      error; /* error of the step's velocity before extrapolation, in units of
                sup_accuracy.tolerance, unless the body flies during the whole step; 0 with BDF2 */
} sup_flight;

typedef struct sup_step_result {
  sup_increment increment; /* increment of the step; after sup_stepper_observe: of the step that
                              would follow */
  double             time; /* time of the state after the step [s] */
  long               step;
  int                num_contacts;
  const sup_contact *contact;
  int num_seen; /* after sup_stepper_observe: contacts within reach, without forces; else 0
                 */
  const sup_contact *seen;
  double             stick_energy;   /* part of contact_energy in elastic sticks [J] */
  double             contact_energy; /* elastic energy of contacts at the gaps after the step [J] */
  const double      *joint_effort; /* [SUP_NUM_JOINT_ROLES x num_v] effort on each joint velocity of
                                      actuators, limits and couplers, of dry friction, and of limits
                                      of velocity [N or N m] */
  const sup_wrench *constraint_wrench; /* [num_constraints of the model] on b, behind attach_wrench
                                          (sup_body_rows_forces); then of ties on the master,
                                          about the mean of the tied vertices */
  const sup_wrench *attach_wrench; /* [num_attachments of the model] on the link, moment about the
                                      link's origin */
  const sup_wrench *reaction; /* [num_dirichlet of the model] force of clamps and holds on the body,
                                 moment about sup_dirichlet.about */
  const sup_soft_spin *spin;  /* [num_softs]; NULL: before the first step, and in statics */
  const double        *contact_force; /* [num_vertices x 3] on the soft vertices [N] */
  const sup_pair_load *pair_load;     /* [num_pairs of the model] in steps done in parts; NULL: the
                                         loads are sums over the contacts */
  const sup_flight *flight;           /* [num_trees + num_softs]; NULL: steps have a given length */
  const double *joint_off; /* [num_v] joint velocities after two halves of the step less those after
                              one, before extrapolation; 0 for trees that do not slide and for
                              joints on which normal forces act; NULL as flight is, and with BDF2 */
  const sup_frame  *X_WL;  /* [num_bodies] poses of links after the step; soft bodies: identity */
  const sup_v3     *link_w, *link_v; /* [num_bodies] velocities of links after the step, world */
  sup_iteration_log log; /* of the contact solver's iterations, with sup_options.solver_log */
} sup_step_result;

/** Result of the last step, or of the initial state after sup_stepper_observe; a stopped load step
 * leaves the result of the previous load step. */
const sup_step_result *sup_stepper_result(const sup_stepper *stepper);
/** [num_vertices x 3] Newton's last momentum residual A v - p - J^T gamma at the free soft vertices
 * [N s], 0 at the others; may hold NaN.  NULL unless the last step failed in the solver. */
const double *sup_stepper_residual(const sup_stepper *stepper);
/** Poses and velocities of a state as a result without contacts: for observers before the first
 * step. */
SUP_NODISCARD sup_status sup_stepper_observe(sup_stepper *stepper, const sup_state *state);
/** The contact problem of the last step with its solution (solve/stored/stored_problem.h): arrays
 * of the stepper are valid until the next step, the rest is of the arena.  Its R and c* are
 * tangents at the solution.  E_ARG: no step was made, or it has more rows than
 * SUP_DELASSUS_MAX_ROWS where the matrix is wanted. */
SUP_NODISCARD sup_status sup_stepper_store_problem(sup_stepper *stepper, int with_matrix,
                                                   sup_arena *arena, sup_stored_problem *out);
