/** Contacts -> rows with the friction model and the normal law of their pair.  Layer constraint.
 *
 *  The inverse masses w of THEORY 5.4 come from W = J A^-1 J^T (sup_increment.delassus says which
 * A^-1): w_n = W_nn in the near-rigid rules and in SAP's Rn, w_t = |W_tt|_F/sqrt(2), the rms of the
 * two directions, in SAP's Rt and in P0 eq. 26. For a point mass both are 1/m. */
#pragma once

#include "collide/contact.h"
#include "constraint/rows.h"

struct sup_stick;

/** Inputs of the contact rows. */
typedef struct sup_contact_context {
  const sup_model         *model;
  const sup_increment     *inc; /* end of the step, whose surface velocities are used */
  const sup_kinematics    *kin;
  const sup_attachment    *attachment; /* [num_softs] */
  const sup_block_pattern *A_pattern;
  const double            *A;  /* for the Delassus estimate w of THEORY 5.4 */
  const double            *v0; /* [num_scalars] velocities of the step's start, in block order */
  double elapsed; /* time of the contact search after the step's start, at velocities v0 [s]; gaps
                     at the start are phi - elapsed v_n */
  sup_arena *arena;
  const double *const
      *held; /* [num_softs][num_vertices x 3] velocities of held components, 0 for others [m/s] */
  const int *const       *holder; /* [num_softs][num_vertices x 3] active holds; SUP_NONE */
  const double           *x;      /* [num_vertices x 3] soft positions, for anchors */
  const struct sup_stick *stick;  /* [contacts] elastic sticks; NULL: friction is regularised */
  const sup_kinematics   *ahead;  /* poses of links at the step's end by the start velocities; NULL:
                                     slip is in the axes of the start */
} sup_contact_context;

/** One row a contact, in order; sets contact->stiffness.  v_c = R_WC^T (v_b - v_a), normal last
 * (THEORY 1), with the surface velocities of belts as bias.  E_GEOMETRY: a barrier between bodies
 * that overlap at the step's start; E_ARG: a law for points at a patch. */
SUP_NODISCARD sup_status sup_contact_rows(sup_rows *rows, const sup_contact_context *context,
                                          sup_contact_list *contacts);
/** 1: a contact of two links without moments of friction, whose law does not depend on inverse
 * masses: it follows from velocities alone, without rows. */
int sup_contact_law_is_plain(const sup_contact_context *context, const sup_contact *contact);
/** Velocity of b past a in the frame R of the contact, normal last, as J v + b of its row.
 *  @param[in] v, w  [num_bodies] velocities of the links' origins and angular velocities, world */
void sup_contact_velocity(const sup_contact_context *context, const sup_contact *contact,
                          const sup_m3 *R, const sup_v3 *v, const sup_v3 *w, double out[3]);
/** Law of a plain contact with the velocity v0 of the step's start in its frame; sets its
 * stiffness. */
SUP_NODISCARD sup_status sup_contact_law(const sup_contact_context *context, sup_contact *contact,
                                         const sup_m3 *R, const double v0[3], sup_law *law);
/** Velocity of a belt's surface past its body at time t, world axes [m/s]; of others 0.
 *  @param[in] geometry  SUP_NONE: of a soft body */
sup_v3 sup_contact_surface_velocity(const sup_model *model, const sup_kinematics *kin, int body,
                                    int geometry, double t);
/** Elastic energy [J] of the contacts, which they keep (contact->stored), at their gaps phi + dt
 * v_n of the constraint velocities vc; NULL: at phi.  A patch of slope C holds 1/2 C (integral of
 * the squared overlap) over it. */
double sup_contact_energy(const sup_rows *rows, int first, const double *vc, double dt,
                          sup_contact_list *contacts);
/** World force, slip and rate of the contacts from impulses and constraint velocities; `first` is
 * the first contact's row. */
void sup_contact_forces(const sup_rows *rows, int first, const double *gamma, const double *vc,
                        double dt, sup_contact_list *contacts);
