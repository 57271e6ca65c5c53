/** Elastic sticks from step to step (THEORY 16.6): transfer of anchors from the last step's
 * contacts to the new ones, and from these to the state.  Layer constraint.
 *
 *  An anchor is fixed to both sides of its contact (in soft-rigid contact only to the soft side)
 * and turns with them: with a link, or with the best-fit rotation since the start of all vertices
 * that carry the anchor.  An anchor carried by two sides is at their mean, so that no side is
 * preferred.  Contacts are found anew in every step.  The force of an anchor is distributed to the
 * contacts of its pair with weights by area, the fourth power of proximity, and agreement of
 * normals; a contact at the old position gets all of it.  The transfer is therefore continuous in
 * the geometry, and slivers get no more than the share of their area.  A stretch shrinks where
 * stiffness grows (the ratio of old and new), so that the stored energy sum of k_t |s|^2/2 never
 * grows. */
#pragma once

#include "constraint/contact_rows.h"
#include "model/anchor.h"

/** Initial stretch and stiffness of a contact's stick. */
typedef struct sup_stick {
  sup_v3 stretch;   /* world, not yet in the contact's plane [m] */
  double stiffness; /* stiffness at which it was stretched [N/m]; 0: no anchor */
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
