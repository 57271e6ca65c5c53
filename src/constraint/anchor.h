/** Elastic sticks from step to step (THEORY 16.6): transfer of anchors from the last step's
 * contacts to the new ones, and from these to the state.  Layer constraint.
 *
 *  An anchor is fixed to both sides of its contact, of soft and rigid to the soft one alone, and
 * turns with them: with a link, or with all vertices that carried it, by their best rotation from
 * where they were at the start.  Where two sides carry it, it is at their mean, so that neither
 * comes first.  Contacts are found anew in every step: the force of an anchor is dealt among those
 * of its pair, by their area, the fourth power of how near they are and how their normals agree,
 * all of it to the one that stands where the contact stood.  The transfer is therefore continuous
 * in the geometry, and slivers get no more than the share of their area.  A stretch shrinks where
 * stiffness grows (the ratio of old and new), so that the stored energy sum of k_t |s|^2/2 never
 * grows. */
#pragma once

#include "constraint/contact_rows.h"
#include "model/anchor.h"

/** Initial stretch and stiffness of a contact's stick. */
typedef struct sup_stick {
  sup_v3 stretch;   /* world, not yet in the contact's plane [m] */
  double stiffness; /* that it was stretched with [N/m]; 0: none */
} sup_stick;

/** Sticks [contacts->count], from the arena, at the poses and soft positions of the context. */
SUP_NODISCARD sup_status sup_anchor_match(const sup_contact_context *context,
                                          const sup_anchor *anchor, int num_anchors,
                                          const sup_contact_list *contacts, sup_stick **stick);
/** Stretch in the plane of a contact with the frame R: projected with its length kept, and shrunk
 * where the stiffness has grown. */
void sup_stick_project(const sup_stick *stick, const sup_m3 *R, double stiffness,
                       double stretch[2]);
/** Set the state's anchors to those of contacts that press, from laws at the step's start and
 * impulses.
 *  @param[out] energy  sum of k_t |s|^2/2 [J] */
SUP_NODISCARD sup_status sup_anchor_update(const sup_contact_context *context, const sup_rows *rows,
                                           const double *gamma, const sup_contact_list *contacts,
                                           sup_state *state, double *energy);
