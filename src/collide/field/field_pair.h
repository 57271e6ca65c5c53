/** Narrow phase of a pair with pressure fields: bound on the approach within the step, searched
 * cells, and detection of pairs without contacts that overlap or pass.  Private to layer collide.
 */
#pragma once

#include "collide/collision.h"

/** Append the contacts of pair p of the model; count the pair if its bodies overlap without
 * contacts or pass each other.
 *  @param[in] prototype  common members of all its contacts */
SUP_NODISCARD sup_status sup_collide_field_pair(sup_contact_list *list, const sup_collision *c,
                                                sup_collision_workspace *workspace, int p,
                                                const sup_contact      *prototype,
                                                const sup_pair_origins *from);
