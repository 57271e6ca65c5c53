/** Merging of a patch's pieces into fewer contacts.  Private to layer collide. */
#pragma once

#include "collide/contact.h"

/** Join the contacts from `first` on that lie in one cell (or face) of a and one cell of b, nearest
 * to the same vertices and with nearly one normal.  Merging conserves area vector, force, first
 * moment of the force and energy.  A cell keeps a contact for each vertex, to resolve its tilt. The
 * order is that of the first pieces. */
SUP_NODISCARD sup_status sup_contacts_merge(sup_contact_list *list, int first);
/** Merge contacts since `first` by the merges of a search.
 *  @param[in] origin  [count] */
void sup_contacts_join(sup_contact_list *list, int first, const sup_join_origin *origin, int count);
