/** Narrow phase of a pair with pressure fields: how far the bodies may come within the step, which
 * cells are searched, and whether a pair that gives nothing overlaps or passes.  Private to layer
 * collide. */
#pragma once

#include "collide/collision.h"

/** Append the contacts of pair p of the model, and count it when it is silent or passed.
 *  @param[in] prototype  common members of all its contacts */
SUP_NODISCARD sup_status sup_collide_field_pair(sup_contact_list *list, const sup_collision *c,
                                                sup_collision_workspace *workspace, int p,
                                                const sup_contact *prototype);
